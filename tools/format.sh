#!/usr/bin/env bash
# Formats the sources in place; with --check only says what is not formatted and fails. Further words are files: only these.
set -euo pipefail
cd "$(dirname "$0")/.."

mode=(-i)
if [ "${1:-}" = --check ]; then
    mode=(--dry-run -Werror)
    shift
fi
sources() {
    if [ $# -gt 0 ]; then
        printf '%s\0' "$@"
    else
        find app bench examples include python src tests \( -name '*.c' -o -name '*.h' -o -name '*.cpp' -o -name '*.cl' \) -print0 | sort -z
    fi
}
sources "$@" | xargs -0 -n 40 -P "${JOBS:-$(nproc 2>/dev/null || echo 2)}" clang-format "${mode[@]}"
