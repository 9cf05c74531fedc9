# A thin front of CMake: each of demo, test and bench installs what is missing, builds and runs, alone. `make help` lists them.
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
export JOBS
souple = build/release/souple
PREFIX ?= $(if $(prefix),$(prefix),/usr/local)

.PHONY: all help page demo test check bench docs pictures format hooks clean fuzz install uninstall deb wheel

all:
	@tools/install.sh build
	@tools/build.sh release

help:
	@echo "make             the command and the libraries, in build/release"
	@echo "make demo        build, simulate a scene, draw a picture"
	@echo "make check       before a commit: format, layers, the unit tests of gcc"
	@echo "make test        every test in every configuration (about 18 minutes on two quiet cores)"
	@echo "make fuzz        every reader against random input, ten minutes each or SP_FUZZ_SECONDS"
	@echo "make bench       measure, beside the peers"
	@echo "make docs        the API reference and the pages of docs/, in build/docs/html"
	@echo "make pictures    draw the pictures of README.md and docs/ again, from the scenes"
	@echo "make page        the page of souple view"
	@echo "make format      format the sources"
	@echo "make hooks       format at each commit, in this clone"
	@echo "make install     below PREFIX (/usr/local), and DESTDIR; make uninstall takes it away"
	@echo "make deb         a Debian package, in out"
	@echo "make wheel       the Python package as a wheel, in out"
	@echo "make clean       remove build and out"
	@echo "JOBS=2 limits the cores; CONTRIBUTING.md says more"

# the page of `souple view`, bundled; without Node.js 20 it is not built, and a message says so
page: all
	@tools/install.sh page
	@tools/viewer.sh build || echo "souple view will show how to make its page; everything else works"

demo: page
	@mkdir -p out
	@$(souple) run scenes/dance.xml --out out/demo --overwrite --png out/demo.png
	@echo
	@echo "to touch it: $(souple) view scenes/dance.xml    and open the address it prints in a browser"

test:
	@tools/install.sh build test
	@tools/test.sh

check:
	@tools/install.sh build format
	@tools/test.sh check

bench:
	@tools/install.sh build bench
	@tools/build.sh release
	@for name in step rotation beam materials cholesky factor preconditioners updated rods contact friction volume batch page; do echo "== souple bench $$name"; $(souple) bench $$name || exit 1; done

# every reader, for ten minutes each or SP_FUZZ_SECONDS
fuzz:
	@tools/install.sh build test
	@SP_FUZZ_SECONDS=$${SP_FUZZ_SECONDS:-600} tools/test.sh fuzz

# below $(DESTDIR)$(PREFIX); LIBDIR=lib64 and the like where a system needs it
install: page
	@$(if $(LIBDIR),cmake build/release -DCMAKE_INSTALL_LIBDIR=$(LIBDIR) >/dev/null)
	@DESTDIR=$(DESTDIR) cmake --install build/release --prefix $(PREFIX) >build/install.log || { cat build/install.log; exit 1; }
	@echo "installed $$(grep -c 'Installing:\|Up-to-date:' build/install.log) files below $(DESTDIR)$(PREFIX)"

uninstall:
	@tools/uninstall.sh $(DESTDIR)$(PREFIX)

# configured again: the Python headers may be new
deb: page
	@tools/install.sh package
	@tools/build.sh release
	@tools/deb.sh build/release out

# configured again: the Python headers may be new
wheel: page
	@tools/install.sh wheel
	@tools/build.sh release
	@tools/wheel.py build/release out

docs:
	@tools/install.sh docs
	@tools/docs.sh

# the screenshots of the page need a quiet machine: tools/pictures.sh page
pictures: all
	@tools/install.sh pictures
	@tools/pictures.sh

format:
	@tools/install.sh format
	@tools/format.sh

hooks:
	@tools/install.sh format
	@ln -sf ../../tools/hooks/pre-commit "$$(git rev-parse --git-dir)/hooks/pre-commit"
	@echo "each commit formats its C files from now on"

clean:
	rm -rf build out
