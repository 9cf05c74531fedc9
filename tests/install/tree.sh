#!/usr/bin/env bash
# tree.sh SOURCE BUILD CC: installs a finished build into a staging folder, moves it, and uses it as a user would: the
# command, the manual, completion, pkg-config and find_package, shared and static. Removes it at the end.
set -euo pipefail

source=$1 build=$2 cc=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
version=$(sed -nE 's/^#define SP_VERSION_TEXT "(.*)"$/\1/p' "$source/include/souple/base.h")
soname=${version%.*}

complain() {
    echo "FAIL $*"
    failures=$((failures + 1))
}

check() {
    local what=$1
    shift
    if "$@" >"$work/said" 2>&1; then echo "ok   $what"; else
        complain "$what"
        sed 's/^/     /' "$work/said" | tail -20
    fi
}

# ---- installing
install_there() { DESTDIR=$work/stage cmake --install "$build" --prefix /opt/souple; }
check "DESTDIR and prefix are honoured" install_there
tree=$work/elsewhere
mv "$work/stage/opt/souple" "$tree"
lib=$tree/$(sed -n 's|^\(.*\)/libsouple\.a$|\1|p' "$tree/share/souple/manifest.txt")

names() {
    local file missing=0
    for file in bin/souple libexec/souple/souple-bench include/souple/{base,batch,body,contact,extension,io,mesh,solve,souple,world}.h share/souple/schema/scene.rng share/souple/scenes/beam.xml \
        share/man/man1/souple.1 share/man/man1/souple-{run,check,list,render,report,sweep,bench,version,help}.1 \
        share/bash-completion/completions/souple share/zsh/site-functions/_souple share/fish/vendor_completions.d/souple.fish \
        share/doc/souple/{README.md,LICENSE,CHANGELOG.md}; do
        [ -f "$tree/$file" ] || { echo "missing: $file"; missing=1; }
    done
    for file in libsouple{,-io}.{a,so,so.$soname,so.$version} pkgconfig/souple{,-io}.pc cmake/souple/souple-config{,-version}.cmake; do
        [ -e "$lib/$file" ] || { echo "missing: $file"; missing=1; }
    done
    return $missing
}
check "every file has its place" names

listed() { diff <(sort "$tree/share/souple/manifest.txt") <(cd "$tree" && find . \( -type f -o -type l \) | sed 's|^\./||' | sort); }
check "the manifest lists what is there" listed

no_paths() { ! grep -rlF -e "$build" -e "$work/stage" -e /opt/souple "$lib/pkgconfig" "$lib/cmake" "$tree/include"; }
check "packages know neither the build nor the prefix" no_paths

# ---- the command, far from its sources
cd /
finds_scenes() { env -u SOUPLE_SCENES "$tree/bin/souple" list scenes >"$work/scenes" && grep -q "^$tree/share/souple/scenes/beam.xml" "$work/scenes"; }
check "the command finds its scenes after a move" finds_scenes
runs() { "$tree/bin/souple" run "$tree/share/souple/scenes/beam.xml" --steps 2 --quiet; }
check "and runs one" runs
tells() { "$tree/bin/souple" version | grep -c 'built with'; }
check "and says what it was built with" tells
benches() { "$tree/bin/souple" bench | grep -c '^rods ' && "$tree/bin/souple" list benches | grep -c '^rods ' && "$tree/bin/souple" bench --json | grep -c '"benches"'; }
check "and starts the program of the benches" benches
no_benches() {
    local code=0
    mv "$tree/libexec/souple/souple-bench" "$work/souple-bench"
    "$tree/bin/souple" bench step >"$work/none" 2>&1 || code=$?
    mv "$work/souple-bench" "$tree/libexec/souple/souple-bench"
    [ $code -eq 1 ] && grep -c 'souple-bench was not found' "$work/none"
}
check "and says so where that is missing" no_benches

# ---- the Python package
core=$(find "$tree" -name _core.abi3.so)
if [ -n "$core" ]; then
    python() { (cd / && PYTHONPATH=$(dirname "$(dirname "$core")") /usr/bin/python3 -c "$1"); }
    imports() { python "import souple; assert souple.__version__ == '$version'; assert souple.run('$tree/share/souple/scenes/beam.xml', steps=2).steps == 2"; }
    check "Python runs a scene" imports
    finds_command() { [ "$(python 'import souple.view; print(souple.view.command())')" = "$tree/bin/souple" ]; }
    check "and finds the command beside it" finds_command
fi

# ---- manual and completion
if command -v groff >/dev/null; then
    pages() { groff -man -ww -z "$tree"/share/man/man1/*.1 >"$work/groff" 2>&1 && [ ! -s "$work/groff" ] || { cat "$work/groff"; false; }; }
    check "groff has nothing to say about the manual" pages
fi
same_as_help() {
    local option
    for option in $("$tree/bin/souple" run --help | grep -oE '^  --[a-z-]+'); do
        sed 's/\\-/-/g' "$tree/share/man/man1/souple-run.1" | grep -cF -- "$option" || { echo "not in the manual: $option"; return 1; }
        grep -cF -- "$option" "$tree/share/bash-completion/completions/souple" || { echo "not in completion: $option"; return 1; }
    done
}
check "manual and completion know the options of --help" same_as_help
check "completion is a script of bash" bash -n "$tree/share/bash-completion/completions/souple"
complete_words() { # words, the last one being typed
    bash -c 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _souple; printf "%s\n" "${COMPREPLY[@]}"' \
        bash "$tree/share/bash-completion/completions/souple" "$@"
}
completes() {
    [ "$(complete_words souple swe)" = sweep ] && [ "$(complete_words souple run --thr)" = --threads ] &&
        [ "$(complete_words souple list sol)" = solvers ] && [ "$(complete_words souple run --png "$tree/share/souple/sche")" = "$tree/share/souple/schema" ]
}
check "bash completes commands, options, words and files" completes
if command -v zsh >/dev/null; then check "completion is a script of zsh" zsh -n "$tree/share/zsh/site-functions/_souple"; fi
if command -v fish >/dev/null; then check "completion is a script of fish" fish -n "$tree/share/fish/vendor_completions.d/souple.fish"; fi

# ---- exported symbols of the shared libraries
exports_only_public() { ! nm -D --defined-only "$lib"/libsouple.so "$lib"/libsouple-io.so | awk 'NF == 3 { print $3 }' | grep -v '^sp_[a-z]'; }
check "shared libraries export the public functions only" exports_only_public
one_home() { [ -z "$(comm -12 <(nm -D --defined-only "$lib/libsouple.so" | awk '{ print $3 }' | sort) <(nm -D --defined-only "$lib/libsouple-io.so" | awk '{ print $3 }' | sort))" ]; }
check "no function has two homes" one_home
functions() { nm --defined-only "$1" 2>/dev/null | awk '$2 ~ /[tT]/ && $3 ~ /^sp_/ { print $3 }' | sort -u; }
no_copies() { [ -z "$(comm -12 <(functions "$lib/libsouple.a" | comm -23 - <(functions "$build/libsouple-util.a")) <(functions "$lib/libsouple-io.so") | tee /dev/stderr)" ]; }
check "libsouple-io holds no hidden copy of the engine" no_copies
has_soname() { readelf -d "$lib/libsouple-io.so" | grep -c "SONAME.*libsouple-io.so.$soname\]" && readelf -d "$lib/libsouple-io.so" | grep -c "NEEDED.*libsouple.so.$soname\]"; }
check "sonames carry the version" has_soname

# ---- consumers
scene=$tree/share/souple/scenes/beam.xml
try() { # engine and files, as they were built in a folder
    [ "$("$1/engine")" = -0.055 ] && [ "$("$1/files" "$scene" "$work/picture.png")" = 3 ] && [ -s "$work/picture.png" ]
}
by_package() {
    cmake -S "$source/tests/install/consumer" -B "$work/$1" -DCMAKE_C_COMPILER="$cc" -DCMAKE_PREFIX_PATH="$tree" -DKIND="$1" -DWANTED="$soname" &&
        cmake --build "$work/$1" && try "$work/$1"
}
check "find_package, shared" by_package shared
uses_shared() { ldd "$work/shared/files" | grep -c "$lib/libsouple-io.so.$soname"; }
check "and it is the shared one" uses_shared
check "find_package, static" by_package static
uses_static() { [ -x "$work/static/files" ] && ! ldd "$work/static/files" | grep -c libsouple; }
check "and it is the static one" uses_static

if command -v pkg-config >/dev/null; then
    by_pkg_config() { # folder, words for pkg-config
        local folder=$work/$1
        shift
        mkdir -p "$folder"
        local flags engine files
        flags=$(pkg-config --cflags "$@" souple-io) && engine=$(pkg-config --libs "$@" souple) && files=$(pkg-config --libs "$@" souple-io) &&
            $cc "$source/tests/install/consumer/engine.c" $flags -o "$folder/engine" $engine -Wl,-rpath,"$lib" &&
            $cc "$source/tests/install/consumer/files.c" $flags -o "$folder/files" $files -Wl,-rpath,"$lib" && try "$folder"
    }
    export PKG_CONFIG_PATH=$lib/pkgconfig
    check "pkg-config, shared" by_pkg_config pc-shared
    # without the shared libraries the linker takes the static ones
    mkdir "$work/aside" && mv "$lib"/libsouple*.so* "$work/aside"
    check "pkg-config, static" by_pkg_config pc-static --static
    mv "$work/aside"/* "$lib"
fi

# ---- removal
gone() { "$source/tools/uninstall.sh" "$tree" && [ -z "$(find "$tree" \( -type f -o -type l \) 2>/dev/null)" ]; }
check "uninstall leaves no file behind" gone

[ "$failures" -eq 0 ]
