#!/usr/bin/env bash
# Every test in every configuration that can show something the others cannot. Goes on after a failure and adds up;
# the closing line is "N passed, M failed". Further words choose configurations: tools/test.sh asan tsan
# While the tests of one configuration run, the next ones are built with what they leave of the processor.
#
#   gcc      the whole suite with invariants checked
#   clang    the second compiler, without the vector kernels and every optional library: unit tests and the peers' curve
#   asan     addresses and undefined behaviour: unit and fault tests
#   fuzz     the fuzzers of asan for SP_FUZZ_SECONDS each (15), a third of that for small languages
#   tsan     races: what runs on several threads
#   page     the page of `souple view`: its parts under node, then the whole of it in Chromium against the build of gcc
#   engine   libsouple without XML, PNG, METIS and AMD; it prints nothing and ends nothing
#   format   clang-format has nothing to say
#   check    not by itself: before a commit; format, and the unit tests of gcc, the layers of the tree among them
set -euo pipefail
cd "$(dirname "$0")/.."

jobs=${JOBS:-$(nproc 2>/dev/null || echo 2)}
passed=0
failed=0
table=()

# name, passed, failed, seconds of waiting for the build, seconds of running: one line of the closing table
record() {
    passed=$((passed + $2))
    failed=$((failed + $3))
    table+=("$(printf '%-14s %6d %6d %6d s %6d s' "$@")")
}

# ctest's own count of what ran and what failed, from its log
count_of() {
    sed -nE 's/^[0-9]+% tests passed, ([0-9]+) tests? failed out of ([0-9]+)$/\1 \2/p' "$1" | tail -1
}

# A process builds one preset after the other; tests and the page go first. It writes a line for each, name and status.
build_all() {
    local name status
    for name in "$@"; do
        status=0
        nice tools/build.sh "$name" >&2 </dev/null || status=1
        echo "$name $status"
    done
}

# waits until a preset is built, and keeps the seconds of waiting; false: the build failed
declare -A build_failed=()
build_waited=0
build_wait() {
    local start=$SECONDS name status
    while [ -z "${build_failed[$1]:-}" ] && read -r name status <&"$builder"; do build_failed[$name]=$status; done
    build_waited=$((SECONDS - start))
    return "${build_failed[$1]:-1}"
}

# the tests of a preset whose names match (and that the preset has: its SP_TEST_MATCH)
suite() {
    local name=$1 pattern=$2 start log=build/$1-tests.log bad all waited
    if ! build_wait "$name"; then
        record "$name" 0 1 "$build_waited" 0
        return
    fi
    page_end
    waited=$build_waited start=$SECONDS
    (cd "build/$name" && ctest -j "$jobs" --no-tests=error --output-on-failure -R "$pattern") </dev/null 2>&1 | tee "$log" || true
    read -r bad all <<<"$(count_of "$log")"
    if [ -z "${all:-}" ]; then
        record "$name" 0 1 "$waited" $((SECONDS - start))
    else
        record "$name" $((all - bad)) "$bad" "$waited" $((SECONDS - start))
    fi
}

# a step that ends with a status only
single() {
    local name=$1 start=$SECONDS
    shift
    if "$@" </dev/null; then
        record "$name" 1 0 0 $((SECONDS - start))
    else
        record "$name" 0 1 0 $((SECONDS - start))
    fi
}

# libFuzzer on one harness, beginning with the repository's own files; what it finds stays in build/asan
fuzz() (
    harness=$1 seconds=${SP_FUZZ_SECONDS:-15} top=$PWD log=fuzz-$1.log seeds=()
    # small languages: nearly all of their code is reached in the first second
    case $harness in expr | mtx | wire) seconds=$(((seconds + 2) / 3)) ;; esac
    case $harness in
        scene) seeds=(tests/seeds-scene) ;;
        mesh) seeds=("$top/tests/fuzz/mesh" "$top/tests/data/mesh/bad") ;;
        volume) seeds=("$top/tests/data/volume" "$top/tests/data/volume/bad") ;;
        expr) seeds=("$top/tests/fuzz/expr") ;;
        wire) seeds=("$top/tests/fuzz/wire") ;;
        mtx) seeds=("$top/tests/fuzz/mtx" "$top/tests/data") ;;
    esac
    cd build/asan
    mkdir -p "corpus-$harness"
    if ! "tests/fuzz_$harness" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2000 -max_len=8192 -print_final_stats=1 \
        -dict="$top/tests/fuzz/$harness.dict" -artifact_prefix="$harness-" "corpus-$harness" "${seeds[@]}" >"$log" 2>&1; then
        tail -60 "$log"
        return 1
    fi
    echo "fuzzed $harness for $seconds s: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs"
)

# the engine alone; of the C library it may use nothing that prints or ends the program
engine() {
    build_wait engine || return 1
    local names
    names=$(nm -u build/engine/libsouple.a | awk '$1 == "U" && $2 ~ /^(v?f?printf|puts|fputs|putchar|perror|exit|_exit|abort|system|stdout|stderr)$/ { print $2 }' | sort -u)
    [ -z "$names" ] || echo "libsouple uses: $names"
    [ -z "$names" ]
}

harnesses=(scene mesh volume expr mtx wire)
sanitizer_options() {
    export ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1 UBSAN_OPTIONS=print_stacktrace=1
}

# every harness, as many at a time as there are cores: each uses one
fuzz_all() {
    local start=$SECONDS good=0 harness
    for harness in "${harnesses[@]}"; do
        while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n || true; done
        rm -f "build/asan/fuzz-$harness.passed"
        (fuzz "$harness" </dev/null && touch "build/asan/fuzz-$harness.passed") &
    done
    wait || true
    for harness in "${harnesses[@]}"; do
        [ ! -e "build/asan/fuzz-$harness.passed" ] || good=$((good + 1))
    done
    record fuzz "$good" $((${#harnesses[@]} - good)) 0 $((SECONDS - start))
}

asan() {
    sanitizer_options
    suite asan '^(unit|fault|examples)/'  # the fuzzers start from the same seeds as the tests of fuzz/
}

# alone they need less than the whole preset
fuzzers_build() {
    if [[ " ${presets[*]} " == *" asan "* ]]; then build_wait asan; else tools/build.sh asan "${harnesses[@]/#/fuzz_}"; fi
}

fuzzers() {
    sanitizer_options
    if fuzzers_build; then
        page_end
        fuzz_all
    else
        record fuzz 0 1 0 0
    fi
}

# Software that draws needs no screen; one failure is one line of the table. No tests run beside the page, but builds do: a browser
# often waits.
page_job=
page() {
    tools/install.sh page || return 1
    BUILD=build/gcc tools/viewer.sh browser
}
page_start() {
    if ! build_wait gcc; then
        record page 0 1 "$build_waited" 0
        return
    fi
    page_waited=$build_waited
    (start=$SECONDS && page && echo "the page took $((SECONDS - start)) s") >build/page.log 2>&1 </dev/null &
    page_job=$!
}
page_end() {
    local bad=0 seconds
    [ -n "$page_job" ] || return 0
    wait "$page_job" || bad=1
    echo "== page"
    cat build/page.log
    seconds=$(sed -nE 's/^the page took ([0-9]+) s$/\1/p' build/page.log)
    record page $((1 - bad)) $bad "$page_waited" "${seconds:-0}"
    page_job=
}

# what leaves the most of the processor unused comes first: the builds use it. Nothing is built beside the fuzzers
[ $# -gt 0 ] || set -- format gcc page engine tsan asan clang fuzz
presets=()
for configuration in "$@"; do
    case $configuration in
        gcc | engine | clang | asan | tsan) preset=$configuration ;;
        check | page) preset=gcc ;;
        format | fuzz) continue ;;
        *)
            echo "tools/test.sh: unknown configuration '$configuration'" >&2
            exit 2
            ;;
    esac
    [[ " ${presets[*]} " == *" $preset "* ]] || presets+=("$preset")
done
exec {builder}< <(build_all "${presets[@]}")

for configuration in "$@"; do
    echo "== $configuration"
    case $configuration in
        format) single format tools/format.sh --check ;;
        engine) single engine engine ;;
        gcc) suite gcc '.' ;;
        check)
            single format tools/format.sh --check
            suite gcc '^unit/'
            ;;
        page) page_start ;;
        clang) suite clang '^(unit|verify|examples)/' ;;
        asan) asan ;;
        fuzz) fuzzers ;;
        tsan) suite tsan '^(unit|determinism)/' ;;
    esac
done
page_end

echo
printf '%-14s %6s %6s %8s %8s\n' "" passed failed waited run
printf '%s\n' "${table[@]}"
printf '%-14s %22d s in all\n' "" "$SECONDS"
echo
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
