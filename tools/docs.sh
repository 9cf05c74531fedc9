#!/usr/bin/env bash
# The API reference of the public headers together with the pages of docs/, as HTML in build/docs/html. Fails where Doxygen finds
# a symbol, a link or a reference that is wrong.
set -euo pipefail
cd "$(dirname "$0")/.."

mkdir -p build/docs
version=$(sed -n 's/^#define SP_VERSION_TEXT "\(.*\)"/\1/p' include/souple/base.h)
# Doxygen before 1.9.8 has no anchors for headings, and only sees the pages of INPUT: such links become plain text
printf '%s\n' '#!/bin/sh' "exec sed -E 's|\\[([^]]*)\\]\\((#\|\\.\\./viewer/)[^)]*\\)|\\1|g' \"\$1\"" >build/docs/filter
chmod +x build/docs/filter
# undocumented fields are no warning here: a name like node_count says enough. unit/api_documented asks for a sentence per symbol
doxygen - >build/docs.log 2>&1 <<EOF || { cat build/docs.log >&2; exit 1; }
PROJECT_NAME           = Souple
PROJECT_NUMBER         = $version
PROJECT_BRIEF          = "soft bodies: finite elements, rods, contact"
INPUT                  = README.md CONTRIBUTING.md docs docs/decisions docs/tutorials include/souple
FILE_PATTERNS          = *.h *.md
USE_MDFILE_AS_MAINPAGE = README.md
IMAGE_PATH             = . docs docs/images
OUTPUT_DIRECTORY       = build/docs
OPTIMIZE_OUTPUT_FOR_C  = YES
TYPEDEF_HIDES_STRUCT   = YES
JAVADOC_AUTOBRIEF      = YES
EXTRACT_ALL            = YES
MACRO_EXPANSION        = YES
EXPAND_ONLY_PREDEF     = YES
PREDEFINED             = SP_API= __cplusplus=0
STRIP_FROM_PATH        = . include
FILTER_PATTERNS        = *.md=build/docs/filter
MARKDOWN_SUPPORT       = YES
TOC_INCLUDE_HEADINGS   = 2
AUTOLINK_SUPPORT       = YES
GENERATE_LATEX         = NO
GENERATE_TREEVIEW      = YES
HAVE_DOT               = NO
QUIET                  = YES
WARN_IF_UNDOCUMENTED   = NO
WARN_AS_ERROR          = FAIL_ON_WARNINGS
EOF
echo "build/docs/html/index.html"
