#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How long a program of about 100 lines takes to compile at -O2 against the installed library: three runs, then
# their median. usage: bench/compile_time.sh [build folder [source file]]
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-$root/build/release}
source=${2:-$root/bench/compile_time.cpp}
if [ ! -f "$build/CMakeCache.txt" ]; then
  echo "$0: $build is not a build folder; run ./dev build first" >&2
  exit 1
fi
compiler=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/prefix" >/dev/null

for _ in 1 2 3; do
  begin=$(date +%s%N)
  "$compiler" -std=c++20 -O2 -I"$work/prefix/include" -c "$source" -o "$work/program.o"
  echo $((($(date +%s%N) - begin) / 1000000))
done | tee "$work/times" | sed 's/$/ ms/'
echo "median $(sort -n "$work/times" | sed -n 2p) ms for $(wc -l <"$source") lines"
