#!/usr/bin/env bash
# Formats the sources in place; with --check only says what is not formatted and fails.
set -euo pipefail
cd "$(dirname "$0")/.."

mode=(-i)
[ "${1:-}" != --check ] || mode=(--dry-run -Werror)
find app bench examples include src tests \( -name '*.c' -o -name '*.h' -o -name '*.cpp' -o -name '*.cl' \) -print0 |
    sort -z | xargs -0 clang-format "${mode[@]}"
