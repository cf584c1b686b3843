#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A batch job that saves the run each ten minutes, begins anew from the newest checkpoint after a lost process, and is
# queued again shortly before its time limit. Submit it by: sbatch job.sh ./app ARGUMENTS
#SBATCH --job-name=imbrex
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=4
#SBATCH --cpus-per-task=8
#SBATCH --time=04:00:00
#SBATCH --requeue
#SBATCH --signal=B:USR1@300
set -euo pipefail

[ $# -ge 1 ] || { echo "usage: sbatch job.sh PROGRAM [ARGUMENTS...]" >&2; exit 2; }
# A folder that all nodes share.
saved=${SAVED:-$SLURM_SUBMIT_DIR/checkpoints-$SLURM_JOB_NAME}
begin=()
if imbrex checkpoint list "$saved" >/dev/null 2>&1; then begin=(--restart "$saved"); fi

imbrex run --restarts 5 --checkpoint "$saved" --checkpoint-every 10min --checkpoint-on USR1 "${begin[@]}" -- \
  srun --cpus-per-task="$SLURM_CPUS_PER_TASK" "$@" --pes "$SLURM_CPUS_PER_TASK" &
job=$!

# Five minutes before the limit the program saves itself, and the job is queued again.
queue_again() {
  kill -USR1 "$job"
  sleep 120
  scontrol requeue "$SLURM_JOB_ID"
}
trap queue_again USR1
while ! wait "$job"; do
  status=$?
  kill -0 "$job" 2>/dev/null || exit "$status"  # else a signal has ended only the wait
done
