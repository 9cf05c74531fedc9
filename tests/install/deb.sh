#!/usr/bin/env bash
# deb.sh SOURCE BUILD: builds the Debian package, checks it with lintian, installs it in a separate folder and removes it.
set -euo pipefail

source=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for tool in dpkg-deb dpkg-shlibdeps; do
    if ! command -v "$tool" >/dev/null; then
        echo "no $tool here: nothing to check"
        exit 0
    fi
done

package=$(DEB_LEVEL=0 "$source/tools/deb.sh" "$build" "$work/out" | tail -1)
echo "made $(basename "$package"), $(stat -c %s "$package") bytes"
dpkg-deb -f "$package" Depends | grep -c libxml2 >/dev/null

# the packager sets the address of the maintainer, so the tags about it are suppressed
if command -v lintian >/dev/null; then
    lintian --no-tag-display-limit --suppress-tags bogus-mail-host,bogus-mail-host-in-debian-changelog "$package" >"$work/lintian" 2>/dev/null || true
    if grep '^E:' "$work/lintian"; then
        echo "FAIL lintian"
        exit 1
    fi
    echo "lintian: no errors, $(grep -c '^W:' "$work/lintian" || true) warnings"
fi

# a separate root: the dependencies of the package are not installed there, and need not be
root=$work/root
mkdir -p "$root/var/lib/dpkg/updates" "$root/var/lib/dpkg/info"
touch "$root/var/lib/dpkg/status"
as_root=()
[ "$(id -u)" = 0 ] || as_root=(fakeroot)
if [ ${#as_root[@]} -gt 0 ] && ! command -v fakeroot >/dev/null; then
    echo "neither root nor fakeroot: not installed"
    exit 0
fi
in_root() { "${as_root[@]}" dpkg --instdir="$root" --admindir="$root/var/lib/dpkg" --force-depends --force-not-root --no-triggers --log=/dev/null "$@" >"$work/said" 2>&1 || { cat "$work/said"; exit 1; }; }
files() { (cd "$root" && find . -path ./var/lib/dpkg -prune -o -print | sort); }
files >"$work/before"
in_root -i "$package"
[ -x "$root/usr/bin/souple" ] && [ -f "$root/usr/include/souple/io.h" ] && [ -f "$root/usr/share/man/man1/souple-run.1.gz" ]
(cd / && env -u SOUPLE_SCENES "$root/usr/bin/souple" list scenes | grep -c "$root/usr/share/souple/scenes/beam.xml" >/dev/null)
# as python3 of the system would find it
if [ -e "$root/usr/lib/python3/dist-packages/souple/_core.abi3.so" ]; then
    (cd / && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$root/usr/lib/python3/dist-packages" /usr/bin/python3 -c '
import souple, souple.view
print("python:", souple.__version__, souple.view.command())
assert souple.view.command() == "'"$root"'/usr/bin/souple"')
    dpkg-deb -f "$package" Depends | grep -c 'python3 (>= 3.9)' >/dev/null
fi
in_root -P souple
files >"$work/after"
diff "$work/before" "$work/after"
echo "installed and removed without a trace"
