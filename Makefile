# A thin front of CMake: each of demo, test and bench installs what is missing, builds and runs, alone.
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
export JOBS
souple = build/release/souple

.PHONY: all demo test bench format clean

all:
	@tools/install.sh build
	@tools/build.sh release

demo: all
	@mkdir -p out
	@$(souple) run scenes/beam.xml --out out/demo --png out/demo.png

test:
	@tools/install.sh build test
	@tools/test.sh

bench:
	@tools/install.sh build bench
	@tools/build.sh release
	@for name in step rotation beam cholesky factor preconditioners updated; do echo "== souple bench $$name"; $(souple) bench $$name || exit 1; done

format:
	@tools/install.sh format
	@tools/format.sh

clean:
	rm -rf build out
