#!/usr/bin/env python3
"""A wheel of a build: tools/wheel.py [BUILD [OUT]]; default build/release and out. Needs patchelf, readelf, ldd, strip.

The wheel holds the package, the command with its page and scenes, and every shared library that they need beyond the base system
(the C library and the run time of the compiler), with names of their own, so that no other package meets them. It is for every
Python from 3.9 on and says the oldest glibc that its binaries run with (PEP 600). Prints the path of the wheel.
"""
import base64
import hashlib
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# of the base system in every policy of PEP 600
BASE = re.compile(r"^(ld-linux[-\w]*|libc|libm|libdl|librt|libpthread|libresolv|libutil|libnsl|libgcc_s|libstdc\+\+)\.so\.\d+$")


def output(*command):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout


def needed(path):
    return re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "-d", path))


def resolve(path):
    """Where the loader finds the libraries of a binary: name -> path."""
    found = dict(re.findall(r"^\s*(\S+) => (/\S+)", output("ldd", path), re.M))
    missing = [name for name in needed(path) if name not in found and not BASE.match(name)]
    if missing:
        sys.exit("tools/wheel.py: %s needs %s, which the loader does not find" % (path, ", ".join(missing)))
    return found


def bundle(binaries, folder):
    """Copies what the binaries need into a folder and makes them find it there."""
    sources, waiting = {}, list(binaries)
    while waiting:
        binary = waiting.pop()
        found = resolve(binary)
        for name in needed(binary):
            if not BASE.match(name) and name not in sources:
                sources[name] = pathlib.Path(found[name]).resolve()
                waiting.append(sources[name])
    renamed = {}
    folder.mkdir()
    for name, source in sorted(sources.items()):
        mark = hashlib.sha256(source.read_bytes()).hexdigest()[:8]
        stem, rest = name.split(".so", 1)
        renamed[name] = "%s-%s.so%s" % (stem, mark, rest)
        shutil.copy(source, folder / renamed[name])
        (folder / renamed[name]).chmod(0o755)
    copies = [folder / name for name in renamed.values()]
    for name, copy in zip(renamed, copies):
        subprocess.run(["patchelf", "--set-soname", renamed[name], copy], check=True)
    for path in [*binaries, *copies]:
        replacements = [word for name in needed(path) if name in renamed for word in ("--replace-needed", name, renamed[name])]
        origin = "$ORIGIN/" + os.path.relpath(folder, path.parent) if path.parent != folder else "$ORIGIN"
        # one after the other: patchelf 0.14 mixes up the strings of the two
        subprocess.run(["patchelf", "--force-rpath", "--set-rpath", origin, path], check=True)
        if replacements:
            subprocess.run(["patchelf", *replacements, path], check=True)
    return sources, copies


def glibc(paths):
    """The newest version of glibc whose symbols the binaries use."""
    versions = [(2, 5)]
    for path in paths:
        versions += [(int(a), int(b)) for a, b in re.findall(r"GLIBC_(\d+)\.(\d+)", output("objdump", "-T", path))]
    return max(versions)


def verify(paths, folder):
    """The loader must find everything, and what is not of the base system in the folder."""
    for path in paths:
        for name, found in resolve(path).items():
            if not BASE.match(name) and pathlib.Path(found).resolve().parent != folder.resolve():
                sys.exit("tools/wheel.py: %s would load %s from %s" % (path.name, name, found))


def licences(sources, folder):
    """The copyright files of the Debian packages that the libraries are from."""
    for source in sources.values():
        try:
            package = output("dpkg", "-S", source).split(":")[0]
        except (subprocess.CalledProcessError, FileNotFoundError):
            try:  # where /lib is a link to /usr/lib
                package = output("dpkg", "-S", str(source).replace("/usr/lib/", "/lib/", 1)).split(":")[0]
            except (subprocess.CalledProcessError, FileNotFoundError):
                print("tools/wheel.py: no package, and so no licence, of %s" % source, file=sys.stderr)
                continue
        text = pathlib.Path("/usr/share/doc", package, "copyright")
        if text.exists():
            (folder / package).mkdir(parents=True, exist_ok=True)
            shutil.copy(text, folder / package / "copyright")


def metadata(version):
    readme = (ROOT / "docs/python.md").read_text(encoding="utf-8")
    return "\n".join([
        "Metadata-Version: 2.1",
        "Name: souple",
        "Version: %s" % version,
        "Summary: Soft bodies, rods and contact: simulation to touch, to measure and to script",
        "License: MIT",
        "Classifier: Development Status :: 4 - Beta",
        "Classifier: Intended Audience :: Science/Research",
        "Classifier: License :: OSI Approved :: MIT License",
        "Classifier: Operating System :: POSIX :: Linux",
        "Classifier: Programming Language :: C",
        "Classifier: Programming Language :: Python :: 3",
        "Classifier: Topic :: Scientific/Engineering :: Physics",
        "Classifier: Typing :: Typed",
        "Keywords: soft body,finite elements,rods,contact,simulation,interactive",
        "Requires-Python: >=3.9",
        "Requires-Dist: numpy",
        "Provides-Extra: plots",
        'Requires-Dist: matplotlib; extra == "plots"',
        "Description-Content-Type: text/markdown",
        "",
        readme,
    ])


def write(folder, path, when):
    """The files of a folder as a wheel, with their digests; the same bytes for the same content."""
    record = next(folder.glob("*.dist-info")) / "RECORD"
    lines = []
    files = sorted(p for p in folder.rglob("*") if p.is_file())
    level = int(os.environ.get("WHEEL_LEVEL", "9"))  # of compression, 1 the quickest
    with zipfile.ZipFile(path, "w") as archive:
        for file in [*files, record]:
            name = file.relative_to(folder).as_posix()
            if file == record:
                lines.append("%s,," % name)
                data = ("\n".join(lines) + "\n").encode()
            else:
                data = file.read_bytes()
                digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
                lines.append("%s,sha256=%s,%d" % (name, digest, len(data)))
            info = zipfile.ZipInfo(name, when)
            info.external_attr = (0o100755 if file != record and os.access(file, os.X_OK) else 0o100644) << 16
            archive.writestr(info, data, zipfile.ZIP_DEFLATED, level)


def main():
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/release")
    out = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else "out")
    for tool in ("patchelf", "readelf", "ldd", "objdump", "strip"):
        if not shutil.which(tool):
            sys.exit("tools/wheel.py: %s is missing; tools/install.sh wheel installs it" % tool)
    version = re.search(r'SP_VERSION_TEXT "(.*)"', (ROOT / "include/souple/base.h").read_text())[1]
    when = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", int((ROOT / "CHANGELOG.md").stat().st_mtime))))[:6]
    with tempfile.TemporaryDirectory() as temporary:
        stage, wheel = pathlib.Path(temporary, "stage"), pathlib.Path(temporary, "wheel")
        output("cmake", "--install", build, "--prefix", stage)
        core = next(stage.rglob("souple/_core.abi3.so"), None)
        if not core:
            sys.exit("tools/wheel.py: %s has no Python package: configure it where python3-dev is installed" % build)
        shutil.copytree(core.parent, wheel / "souple", ignore=shutil.ignore_patterns("__pycache__"))
        command = wheel / "souple/command"
        (command / "bin").mkdir(parents=True)
        shutil.copy(stage / "bin/souple", command / "bin/souple")
        for part in ("viewer", "scenes", "schema"):
            if (stage / "share/souple" / part).exists():
                shutil.copytree(stage / "share/souple" / part, command / "share/souple" / part)
        binaries = [wheel / "souple/_core.abi3.so", command / "bin/souple"]
        for binary in binaries:
            binary.chmod(0o755)
            subprocess.run(["strip", "--strip-unneeded", binary], check=True)
        sources, copies = bundle(binaries, wheel / "souple.libs")
        verify([*binaries, *copies], wheel / "souple.libs")
        info = wheel / ("souple-%s.dist-info" % version)
        info.mkdir()
        licences(sources, info / "licenses")
        (info / "licenses").mkdir(exist_ok=True)
        shutil.copy(ROOT / "LICENSE", info / "licenses/LICENSE")
        tag = "cp39-abi3-manylinux_%d_%d_%s" % (*glibc([*binaries, *copies]), platform.machine())
        (info / "METADATA").write_text(metadata(version), encoding="utf-8")
        (info / "WHEEL").write_text(
            "Wheel-Version: 1.0\nGenerator: souple tools/wheel.py\nRoot-Is-Purelib: false\nTag: %s\n" % tag)
        (info / "entry_points.txt").write_text("[console_scripts]\nsouple = souple.__main__:main\n")
        (info / "top_level.txt").write_text("souple\n")
        out.mkdir(parents=True, exist_ok=True)
        path = out / ("souple-%s-%s.whl" % (version, tag))
        write(wheel, path, when)
    print(path)


if __name__ == "__main__":
    main()
