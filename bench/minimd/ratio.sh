#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# minimd on one PE beside a plain loop, in turn, on one processor: the speed of both, and the median of the ratios.
#   minimd_ratio [UNIT_CELLS_A_SIDE [STEPS [PAIRS [options of minimd]]]]
here=$(dirname "$0")
side=${1:-20} steps=${2:-100} pairs=${3:-9}
[ $# -gt 3 ] && shift 3 || set --
for pair in $(seq "$pairs"); do
  plain=$(taskset -c 0 "$here/minimd_plain" "$side" "$steps" | sed -n 's/^plain: .*, \([0-9.]*\) M.*/\1/p')
  ours=$(taskset -c 0 "$here/../bin/minimd" --size "$side" --steps "$steps" --pes 1 "$@" |
         sed -n 's/^ODF .*, \([0-9.]*\) M.*/\1/p' | tail -1)
  echo "$plain $ours"
done | awk '
  { ratio[NR] = $2 / $1; print "plain " $1 ", minimd " $2 ", ratio " ratio[NR] }
  END {
    for (i = 1; i <= NR; ++i)
      for (j = i + 1; j <= NR; ++j)
        if (ratio[j] < ratio[i]) { t = ratio[i]; ratio[i] = ratio[j]; ratio[j] = t }
    print "median ratio " ratio[int((NR + 1) / 2)]
  }'
