#!/usr/bin/env bash
# Installs the Debian packages that are missing for a purpose, and says which.
# Silent and offline where nothing is missing.
#
#   tools/install.sh build         to build the library and the command
#   tools/install.sh build test    and to run every test
#   tools/install.sh build bench   and to measure beside the peers
#   tools/install.sh page          to bundle the page of `souple view`
#   tools/install.sh format        to format the sources
#   tools/install.sh package       to make a Debian package
#   tools/install.sh wheel         to make a Python wheel
#   tools/install.sh docs          to make the API reference
#   tools/install.sh pictures      to draw the pictures of the documentation
#   tools/install.sh laws          to write src/kernels/laws.h
#   tools/install.sh reference     to compute the reference values of Cook's membrane (tests/verify/cook_mixed.py)
#
# A name like a|b means: any of them will do, the first that apt knows is installed.
set -euo pipefail

clang_major() {
    clang -dumpversion 2>/dev/null | cut -d. -f1
}

packages_of() {
    case "$1" in
        build) echo "make cmake gcc g++ libc6-dev libxml2-dev libpng-dev zlib1g-dev libhdf5-dev libmetis-dev libsuitesparse-dev libwebsockets-dev" ;;
        test)
            # the sanitizers' run time carries clang's version in its name
            local major
            major=$(clang_major || true)
            echo "clang clang-format gmsh tetgen python3-vtk9 python3-h5py python3-siconos python3-numpy python3-scipy python3-matplotlib python3-venv python3-pip $(packages_of laws) $(packages_of wheel) ffmpeg pkg-config groff-base lintian dpkg-dev fakeroot calculix-ccx libbullet-dev libopenblas-dev libsundials-dev libgsl-dev chromium libclang-rt-dev${major:+|libclang-rt-$major-dev|libclang-common-$major-dev}"
            ;;
        # the page is bundled by npm's own tools: any node that is there will do
        page) if ! command -v npm >/dev/null; then echo "nodejs npm"; fi ;;
        bench) echo "libbullet-dev libopenblas-dev libsundials-dev libgsl-dev" ;;
        format) echo "clang-format" ;;
        package) echo "dpkg-dev python3-dev" ;;
        wheel) echo "python3-dev patchelf binutils" ;;
        docs) echo "doxygen" ;;
        pictures) echo "ffmpeg chromium" ;;
        laws) echo "python3-sympy" ;;
        reference) echo "python3-getfem" ;;
        *)
            echo "tools/install.sh: unknown purpose '$1'; known: build test bench page format package wheel docs pictures laws reference" >&2
            exit 2
            ;;
    esac
}

installed() {
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# the names of "a|b|c", one a line
alternatives() {
    tr '|' '\n' <<<"$1"
}

any_installed() {
    local name
    while read -r name; do
        if installed "$name"; then return 0; fi
    done < <(alternatives "$1")
    return 1
}

first_known() {
    local name
    while read -r name; do
        if apt-cache show "$name" >/dev/null 2>&1; then
            echo "$name"
            return
        fi
    done < <(alternatives "$1")
    echo "${1%%|*}"
}

[ $# -gt 0 ] || set -- build
wanted=()
for purpose in "$@"; do
    list=$(packages_of "$purpose")
    read -ra names <<<"$list"
    wanted+=("${names[@]}")
done

if ! command -v dpkg-query >/dev/null; then
    echo "tools/install.sh: not a Debian system; please see to these yourself: ${wanted[*]}" >&2
    exit 0
fi

missing=()
for package in "${wanted[@]}"; do
    any_installed "$package" || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "tools/install.sh: missing: ${missing[*]}; neither root nor sudo here, please install them" >&2
        exit 1
    fi
    as_root=(sudo env DEBIAN_FRONTEND=noninteractive)
fi
export DEBIAN_FRONTEND=noninteractive
echo "tools/install.sh: installing ${missing[*]}"
"${as_root[@]}" apt-get update -qq </dev/null
chosen=()
for package in "${missing[@]}"; do
    chosen+=("$(first_known "$package")")
done
"${as_root[@]}" apt-get install -y -qq --no-install-recommends "${chosen[@]}" </dev/null
