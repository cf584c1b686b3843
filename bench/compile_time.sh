#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The processor time (user) to compile programs at -O2 against the installed library, beside that of 14 standard headers
# alone. The sources are compiled in turn: medians of five, and their ratios to the standard headers.
# usage: bench/compile_time.sh [build folder [source file...]]
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-$root/build/release}
sources=("${@:2}")
if [ ${#sources[@]} = 0 ]; then
  sources=("$root/examples/hello.cpp" "$root/bench/compile_time.cpp")
fi
if [ ! -f "$build/CMakeCache.txt" ]; then
  echo "$0: $build is not a build folder; run ./dev build first" >&2
  exit 1
fi
compiler=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/prefix" >"$work/install.log"
standard=$work/standard_headers.cpp
for name in algorithm array chrono coroutine cstdint cstdio functional map memory optional span string utility \
  vector; do
  echo "#include <$name>"
done >"$standard"
empty=$work/imbrex_hpp.cpp
echo '#include <imbrex/imbrex.hpp>' >"$empty"

TIMEFORMAT=%U
for _ in 1 2 3 4 5; do
  for source in "$standard" "$empty" "${sources[@]}"; do
    { time "$compiler" -std=c++20 -O2 -I"$work/prefix/include" -c "$source" -o "$work/program.o"; } \
      2>>"$work/$(basename "$source").times"
  done
done
median() { sort -n "$work/$(basename "$1").times" | sed -n 3p; }
unit=$(median "$standard")
echo "14 standard headers alone: $unit s"
for source in "$empty" "${sources[@]}"; do
  time=$(median "$source")
  echo "$(basename "$source"): $time s, $(awk "BEGIN { printf \"%.2f\", $time / $unit }") times the standard headers"
done
