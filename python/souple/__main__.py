"""The command `souple` of the same installation: python -m souple run scene.xml"""

import os
import sys

from . import Error
from .view import command


def main() -> None:
    try:
        path = command()
    except Error as error:
        sys.exit("souple: %s" % error)
    os.execv(path, [path, *sys.argv[1:]])


if __name__ == "__main__":
    main()
