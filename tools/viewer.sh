#!/usr/bin/env bash
# Makes the page of `souple view` and tests it: tools/viewer.sh [build|test|browser]
#   build    installs what is missing (npm, the versions of viewer/package-lock.json), draws the pictures of the scene list if
#            the command is built, and bundles the page into viewer/dist
#   test     build, then the tests that need no browser                                        (the default)
#   browser  test, then the page in Chromium against a built souple; screenshots go below the build folder
# BUILD=build/release says which build, CHROMIUM=/usr/bin/chromium which browser.
set -euo pipefail
cd "$(dirname "$0")/.."

what=${1:-test}
build=${BUILD:-build/release}
case $what in build | test | browser) ;; *) sed -n '2,7s/^# \{0,1\}//p' "$0" >&2 && exit 2 ;; esac

for tool in node npm; do
    command -v "$tool" >/dev/null || { echo "viewer: $tool is missing; on Debian: apt install nodejs npm" >&2; exit 1; }
done
node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 20 || (a == 20 && b >= 19) ? 0 : 1)' ||
    { echo "viewer: Node.js $(node --version) is too old, 20.19 or newer is needed" >&2; exit 1; }

cd viewer
# the list that npm keeps of what it installed is older than what is wanted: install
if [ ! -e node_modules/.package-lock.json ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
    # not npm ci: it insists on the packages of every platform in the list, and mirrors need not have them all
    echo "viewer: installing packages"
    npm install --no-save --no-audit --no-fund --loglevel=error
    touch node_modules/.package-lock.json
fi
souple=../$build/souple
case $build in /*) souple=$build/souple ;; esac
# each scene as it starts; only those that changed since
if [ -x "$souple" ]; then
    echo "viewer: pictures of the scenes"
    find ../scenes -name '*.xml' | sort | while read -r scene; do
        picture=public/thumbs/${scene#../scenes/}
        picture=${picture%.xml}.png
        [ "$picture" -ot "$scene" ] || continue
        mkdir -p "$(dirname "$picture")"
        "$souple" render "$scene" --png "$picture" --steps 0 --plain --color-by none --size 320 200 --quiet </dev/null 2>public/thumbs/log ||
            { cat public/thumbs/log >&2 && exit 1; }
    done
    rm -f public/thumbs/log
fi
echo "viewer: bundling into viewer/dist"
npx --no-install vite build --logLevel warn
[ "$what" != build ] || exit 0

echo "viewer: tests without a browser"
node --test --test-reporter=dot test/*.test.mjs
[ "$what" != test ] || exit 0

[ -x "$souple" ] || { echo "viewer: $build/souple is missing; make it first, or say BUILD=folder" >&2; exit 1; }
browser=${CHROMIUM:-/usr/bin/chromium}
[ -x "$browser" ] || { echo "viewer: $browser is missing; on Debian: apt install chromium" >&2; exit 1; }
echo "viewer: the page in $browser"
CHROMIUM=$browser node test/browser.mjs "$souple" ../scenes "$(dirname "$souple")/viewer-shots"
