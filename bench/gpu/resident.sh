#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# All that is measured of chares inside a GPU, in under 4 minutes on one: resident.sh BUILD_FOLDER [--dry-run]. A dry
# run does the same with few rounds on threads of the host, where the figures mean nothing. Fails where a command does.
set -eu
bin=$1/bin
if [ "${2-}" = --dry-run ]; then
  "$bin/resident_bench" --device emulated --short --pes 4
  exec "$bin/jacobi2d" --device emulated --pes 4 --rows 64 --width 64 --sweeps 20 --odf 1,2,4 --check
fi
timeout 60 "$bin/resident_bench"
timeout 20 "$bin/jacobi2d" --rows 1000 --width 2048 --sweeps 100 --odf 1,2,4 --check
for size in 1024 2048 8192 16384; do
  timeout 30 "$bin/jacobi2d" --rows $size --width $size --sweeps $((16384 / size * 100)) --odf 1,2,4,8
done
