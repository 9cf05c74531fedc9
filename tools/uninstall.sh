#!/usr/bin/env bash
# Takes away what `make install` put below a folder (DESTDIR and prefix): every file of its list, then folders that are empty.
set -euo pipefail

root=${1:?tools/uninstall.sh: which folder? (DESTDIR and prefix)}
list=$root/share/souple/manifest.txt
if [ ! -f "$list" ]; then
    echo "tools/uninstall.sh: $list is not there: nothing of souple is installed below $root" >&2
    exit 1
fi

mapfile -t files <"$list"
for file in "${files[@]}"; do
    case /$file/ in
        *//* | */../*)
            echo "tools/uninstall.sh: $list: \"$file\" leads outside" >&2
            exit 1
            ;;
    esac
done
for file in "${files[@]}"; do
    rm -f "$root/$file"
    # what Python made of a module when it was first used
    case $file in *.py)
        compiled=$root/$(dirname "$file")/__pycache__
        name=$(basename "$file" .py)
        rm -f "$compiled/$name".*.pyc
        rmdir "$compiled" 2>/dev/null || true
        ;;
    esac
done
# folders that held nothing else, from the inside out; the usual ones of a prefix stay with whoever made them
for file in "${files[@]}"; do
    folder=$(dirname "$file")
    while [ "$folder" != . ]; do
        rmdir "$root/$folder" 2>/dev/null || true
        folder=$(dirname "$folder")
    done
done
echo "removed ${#files[@]} files below $root"
