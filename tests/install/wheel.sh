#!/usr/bin/env bash
# wheel.sh SOURCE BUILD: makes the wheel and uses it in a fresh virtual environment, offline: a scene, a picture, the command.
set -euo pipefail

source=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for tool in patchelf readelf; do
    if ! command -v "$tool" >/dev/null; then
        echo "no $tool here: nothing to check"
        exit 0
    fi
done
wheel=$(WHEEL_LEVEL=1 /usr/bin/python3 "$source/tools/wheel.py" "$build" "$work/out")
echo "made $(basename "$wheel"), $(stat -c %s "$wheel") bytes"
/usr/bin/python3 -m venv --system-site-packages "$work/venv"
unset PYTHONPATH LD_LIBRARY_PATH SOUPLE_COMMAND SOUPLE_SCENES
"$work/venv/bin/pip" install --quiet --no-index --no-deps "$wheel"
cd "$work"
cat >check.py <<'END'
import os, re, sys
import souple

assert souple.__file__.startswith(sys.prefix), souple.__file__
result = souple.run(sys.argv[1], steps=20)
assert result.steps == 20 and len(result["bulk"]) > 1, result
picture = result.run.show(width=160, height=90)
assert picture._repr_png_().startswith(b"\x89PNG") and len(set(memoryview(picture.pixels).tobytes())) > 20
assert souple.view.command().startswith(sys.prefix), souple.view.command()
with open("/proc/self/maps") as maps:
    mapped = {line.split()[-1] for line in maps if ".so" in line}
# everything but the C library, the run time of the compiler, Python and NumPy is the wheel's own
own = {path for path in mapped if "souple.libs" in path}
base = re.compile(r"/(ld-linux|libc|libm|libdl|librt|libpthread|libresolv|libutil|libgcc_s|libstdc\+\+)[-.\w]*\.so")
rest = {path for path in mapped - own if not base.search(path)}
double = {os.path.basename(o).split("-")[0] for o in own} & {os.path.basename(p).split(".so")[0] for p in rest}
print("%d libraries of its own; others: %s; both: %s" % (len(own), len(rest), sorted(double)))
assert any("libxml2" in path for path in own), own
assert not any("libxml2.so" in path or "libhdf5" in path for path in rest), rest
END
venv/bin/python check.py "$source/scenes/beam.xml"
venv/bin/souple version >said
head -1 said
venv/bin/souple list scenes | grep -c "$work/venv/.*/scenes/" >/dev/null
venv/bin/python "$source/python/tests/test_scenes.py" 2>&1 | tail -3
venv/bin/pip uninstall --quiet --yes souple
[ -z "$(find venv -path '*souple*' -print -quit)" ] || { find venv -path '*souple*' | head; echo "FAIL: files are left"; exit 1; }
echo "installed, used and removed without a trace"
