#!/usr/bin/env bash
# A Debian package of a build: tools/deb.sh [BUILD [OUT]]; default build/release and out. Needs dpkg-dev.
# DEBFULLNAME and DEBEMAIL say who packs it; DEB_LEVEL is the level of compression, 0 the quickest.
set -euo pipefail
cd "$(dirname "$0")/.."

build=${1:-build/release}
out=${2:-out}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

version=$(sed -nE 's/^#define SP_VERSION_TEXT "(.*)"$/\1/p' include/souple/base.h)
revision=1
arch=$(dpkg --print-architecture)
maintainer="${DEBFULLNAME:-Souple contributors} <${DEBEMAIL:-souple@$(hostname -f 2>/dev/null || hostname)}>"
when=$(date -R -u -d "@${SOURCE_DATE_EPOCH:-$(stat -c %Y CHANGELOG.md)}")
stage=$work/souple
doc=$stage/usr/share/doc/souple

# ---- what `make install` installs, as Debian likes it
DESTDIR=$stage cmake --install "$build" --prefix /usr >"$work/install.log" || {
    cat "$work/install.log" >&2
    exit 1
}
rm "$stage/usr/share/souple/manifest.txt" "$doc/LICENSE"
mkdir -p "$stage/usr/share/zsh/vendor-completions"
mv "$stage/usr/share/zsh/site-functions/_souple" "$stage/usr/share/zsh/vendor-completions/"
rmdir "$stage/usr/share/zsh/site-functions"
# the package for every Python 3: Debian's own folder for it
python=$(find "$stage/usr/lib" -path '*/souple/_core.abi3.so' -printf '%h\n')
if [ -n "$python" ]; then
    mkdir -p "$stage/usr/lib/python3/dist-packages"
    mv "$python" "$stage/usr/lib/python3/dist-packages/souple"
    find "$stage/usr/lib" -depth -path '*/python3*' -type d -empty -delete
    python=$stage/usr/lib/python3/dist-packages/souple/_core.abi3.so
    strip --strip-unneeded -R .comment -R .note "$python"
    chmod 644 "$python"
fi
strip --strip-unneeded -R .comment -R .note "$stage/usr/bin/souple" "$stage/usr/libexec/souple/souple-bench" "$stage"/usr/lib/*.so.*.*.*
strip --strip-debug "$stage"/usr/lib/*.a
chmod 644 "$stage"/usr/lib/*.so.*.*.*
gzip -9n "$stage"/usr/share/man/man1/*.1

# ---- papers
mv "$doc/CHANGELOG.md" "$doc/changelog"
cat >"$doc/changelog.Debian" <<END
souple ($version-$revision) unstable; urgency=medium

  * Souple $version; what changed is in changelog.gz.

 -- $maintainer  $when
END
gzip -9n "$doc/changelog" "$doc/changelog.Debian"
{
    echo "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/"
    echo "Upstream-Name: souple"
    echo
    echo "Files: *"
    sed -nE "s/^Copyright \(c\) (.*)$/Copyright: $(date -u -d "$when" +%Y), \1/p" LICENSE
    echo "License: MIT"
    sed -n '/^Permission/,$p' LICENSE | sed 's/^$/./; s/^/ /'
} >"$doc/copyright"

# ---- control
mkdir -p "$work/debian" "$stage/DEBIAN"
printf 'Source: souple\n\nPackage: souple\nArchitecture: any\n' >"$work/debian/control"
programs=("$stage/usr/bin/souple" "$stage/usr/libexec/souple/souple-bench" "$stage"/usr/lib/libsouple*.so.*.*.* ${python:+"$python"})
echo "libsouple 0.0 souple" >"$work/debian/shlibs.local"
depends=$(cd "$work" && dpkg-shlibdeps -O --warnings=0 -l"$stage/usr/lib" -S"$stage" "${programs[@]}" | sed -n 's/^shlibs:Depends=//p')
cat >"$stage/DEBIAN/control" <<END
Package: souple
Version: $version-$revision
Architecture: $arch
Maintainer: $maintainer
Installed-Size: $(du -k -s --exclude=DEBIAN "$stage" | cut -f1)
Depends: $depends${python:+, python3 (>= 3.9)}
Recommends: ffmpeg${python:+, python3-numpy}
Suggests: ${python:+python3-matplotlib, python3-scipy, }paraview, gmsh, libxml2-dev, libpng-dev
Section: science
Priority: optional
Description: soft bodies that are touched and squeezed
 Souple simulates soft bodies while somebody watches: precise enough to be
 checked against theory and other programs, fast enough for a hand on the
 mouse. It is a C library, a scene language and one command.
 .
 This package holds the command with its manual and scenes, the libraries
 (shared and static), what is needed to build programs with them${python:+, and
 the Python package souple}.
END
soname=$(cd "$stage/usr/lib" && ls libsouple.so.*.*.* | sed -E 's/^libsouple\.so\.([0-9]+\.[0-9]+)\..*/\1/')
printf 'libsouple %s souple (>= %s)\nlibsouple-io %s souple (>= %s)\n' "$soname" "$version" "$soname" "$version" >"$stage/DEBIAN/shlibs"
echo "activate-noawait ldconfig" >"$stage/DEBIAN/triggers"
(cd "$stage" && find . -path ./DEBIAN -prune -o -type f -print | sed 's|^\./||' | LC_ALL=C sort | xargs -d '\n' md5sum >DEBIAN/md5sums)
find "$stage" -type d -exec chmod 755 {} +
chmod 644 "$stage"/DEBIAN/*

mkdir -p "$out"
package=$out/souple_$version-${revision}_$arch.deb
dpkg-deb ${DEB_LEVEL:+-z"$DEB_LEVEL"} --root-owner-group --build "$stage" "$package" >/dev/null
echo "$package"
