#!/usr/bin/env bash
# Draws the pictures of README.md and docs/ again from the shipped scenes: tools/pictures.sh [NAME...]
#   without a name: all; with names, only those pictures of docs/images whose names begin with one of them
#   page            the screenshots of the page, which need Chromium and a quiet machine: on a busy one their figures are poor
# SOUPLE=build/release/souple says which command. Needs ffmpeg for animations (tools/install.sh pictures).
set -euo pipefail
cd "$(dirname "$0")/.."

souple=${SOUPLE:-build/release/souple}
images=docs/images
[ -x "$souple" ] || { echo "pictures: $souple is missing; make it first, or say SOUPLE=file" >&2; exit 1; }
command -v ffmpeg >/dev/null || { echo "pictures: ffmpeg is missing; tools/install.sh pictures" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
names=("$@")

selected() {
    local name
    [ ${#names[@]} -gt 0 ] || return 0
    for name in "${names[@]}"; do
        case $1 in "$name"*) return 0 ;; esac
    done
    return 1
}

# draw NAME SCENE [options]: a picture
draw() {
    local name=$1 scene=$2
    shift 2
    selected "$name" || return 0
    "$souple" render "scenes/$scene.xml" --png "$work/$name.png" --quiet "$@"
    # the best compression and prediction that ffmpeg has: a third smaller, the same pixels
    ffmpeg -v error -y -i "$work/$name.png" -pix_fmt rgb24 -compression_level 100 -pred mixed "$work/small.png"
    [ "$(stat -c %s "$work/small.png")" -lt "$(stat -c %s "$work/$name.png")" ] || mv "$work/$name.png" "$work/small.png"
    mv "$work/small.png" "$images/$name.png"
    echo "  $images/$name.png"
}

# animate NAME SCENE WIDTH FPS [options]: a GIF with one palette for all its pictures
animate() {
    local name=$1 scene=$2 width=$3 fps=$4
    shift 4
    selected "$name" || return 0
    rm -rf "$work/frames"
    "$souple" render "scenes/$scene.xml" --frames "$work/frames/%04d.png" --fps "$fps" --plain --quiet "$@"
    ffmpeg -v error -y -framerate "$fps" -i "$work/frames/%04d.png" \
        -vf "scale=$width:-1:flags=lanczos,split[a][b];[a]palettegen=max_colors=128:stats_mode=diff[p];[b][p]paletteuse=dither=bayer:bayer_scale=4:diff_mode=rectangle" \
        "$images/$name.gif"
    echo "  $images/$name.gif"
}

animate dance dance 720 20 --size 1440 810
animate stomach organs/stomach 720 20 --size 1440 900 --set stop.time=3.2
draw incision organs/incision --size 1600 900 --plain
draw liver organs/liver --size 1280 800
draw contact-forces contact/stack --size 900 900 --contacts --color-by contact
draw links-ligament links/ligament --size 900 600 --time 0.7 --links --plain
draw materials-incompressible materials/incompressible --time 1 --size 1000 420
draw materials-artery materials/artery --size 900 600 --time 0.75
draw materials-creep materials/creep --size 700 800
draw materials-fibres materials/fibres --size 1000 820
draw materials-springs materials/springs --size 900 600
draw materials-tensor-mass materials/tensor-mass --size 1000 420
draw rabbit-tensor-mass organs/rabbit-tensor-mass --size 700 620 --plain
draw materials-bilayer materials/bilayer --size 800 640 --set camera.at='0 0.14 0.6' --set camera.to='0 0.14 0'
draw materials-muscle materials/muscle --size 800 640 --time 0.5
draw materials-diaphragm-out materials/diaphragm --size 700 360 --time 1
draw materials-diaphragm-in materials/diaphragm --size 700 360 --time 2
draw membranes-shirt materials/shirt --size 800 450 --time 3
draw picture-drop torus-drop --time 0.4 --size 1280 800
draw picture-beam beam --size 1280 800
draw picture-transparent transparent --size 1280 800
draw picture-mapped mapped-surface --size 1280 800 --set view.show="visual mechanical fixed" --set view.color-by=von-mises
draw picture-clip organs/eye --steps 0 --size 1280 800
draw removal materials/removal --size 800 500 --time 0.7
draw rods-curl rods/swinging-curl --time 1.8 --size 900 900
draw rods-hair-straight rods/hair-straight --time 0.9 --size 1280 1280
draw rods-hair-curly rods/hair-curly --time 0.9 --size 1280 1280
draw rods-fantasy rods/fantasy-hair --time 0.8 --size 1280 1280
draw rods-ribbon rods/ribbon --time 0.75 --size 900 900
draw rods-scroll rods/scroll --time 0.3 --size 900 900
draw rods-poster rods/poster --time 0.5 --size 900 900
draw rods-catheter rods/catheter --size 1280 640
draw tutorial-first-body tutorials/first-body --size 900 420 --plain
draw tutorial-materials tutorials/materials --size 900 480 --set press=0.2 --set pad.box.pattern=hex
draw tutorial-contact tutorials/contact --size 900 480 --time 0.3
draw tutorial-capstan contact/capstan --size 800 560 --contacts --plain
draw tutorial-rods tutorials/rods --size 900 480 --plain
draw twining-2d rods/twining-2d --size 840 840
draw twining-3d rods/twining-3d --size 600 840
draw updated-pull updated/torus-pull --time 0.4 --size 1280 740
draw updated-tori updated/tori --size 1600 640
draw volume-tori volume/tori --size 800 560 --plain
draw volume-snake-one volume/snake --set cell=0 --size 800 400 --plain
draw volume-snake volume/snake --size 800 400 --plain --contacts
draw volume-grasp volume/grasp --size 640 560 --plain
draw volume-organs-start volume/organs --steps 0 --size 800 560 --plain
draw volume-organs volume/organs --time 0.85 --size 800 560 --plain
draw volume-octopus volume/octopus --size 800 480 --plain
draw volume-toys volume/toys --size 800 560 --plain
draw volume-armadillos volume/armadillos --time 0.2 --size 800 480 --plain

# only where asked for: a busy machine spoils them
if [ ${#names[@]} -gt 0 ] && selected page; then
    tools/viewer.sh build
    node viewer/test/pictures.mjs "$souple" "$images"
fi
