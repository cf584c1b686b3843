#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Jacobi3D on two PEs against a loop on two threads with the same kernel: the column "ratio" of the tables. The program
# runs the two in turn and takes medians. ./dev bench runs it, with Google Benchmark's options: of these only a filter
# counts.
# usage: ratio.sh [build folder]
set -eu
for argument; do
  case $argument in
    --benchmark_filter=*jacobi*) ;;
    --benchmark_filter=*) exit 0 ;;
    --benchmark_*) ;;
    *) build=$argument ;;
  esac
done
program=${build:-$(dirname "$0")/..}/bin/jacobi3d
"$program" --pes 2 --grid 256,256,256 --odf 1,16,64 --iters 70
"$program" --pes 2 --grid 64,64,64 --odf 1,4,16 --iters 7000
