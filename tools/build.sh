#!/usr/bin/env bash
# Configures and builds one preset of CMakePresets.json in build/<preset>; further words are targets.
# Quiet where all is well: the whole output goes to build/<preset>.log and is shown where something fails.
set -euo pipefail
cd "$(dirname "$0")/.."

preset=$1
shift
mkdir -p build
log=build/$preset.log
targets=()
[ $# -eq 0 ] || targets=(--target "$@")

echo "building build/$preset"
if ! { cmake --preset "$preset" && cmake --build "build/$preset" -j "${JOBS:-2}" "${targets[@]}"; } >"$log" 2>&1 </dev/null; then
    grep -nE 'error|Error|warning' "$log" | head -40 >&2 || true
    tail -40 "$log" >&2
    echo "build/$preset: failed, the whole output is in $log" >&2
    exit 1
fi
