#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#SBATCH --job-name=diffcheck
#SBATCH --array=1-4
#SBATCH --requeue
#SBATCH --open-mode=append
#
# Many pairs on the nodes of a Slurm cluster, one part a task of an array:
#
#   sbatch --array=1-16 diffcheck-array.sh OUT batch PATH... [OPTION...]
#   sbatch --array=1-16 diffcheck-array.sh OUT gate --before DIR --after DIR ...
#   sbatch --dependency=afterany:JOB --wrap 'diffcheck merge OUT/shard-*.json'
#
# OUT is a folder that all nodes see, and so are the others. Each task writes
# OUT/shard-TASK.json, and keeps results in OUT/results-TASK.sqlite as they come: one
# that is killed or requeued goes on where it was. Tasks end well whatever was found,
# as long as their report is there and whole (75: it was interrupted, to be begun
# again); the verdict is that of the merge, which refuses a
# set that is not whole. To do some tasks again, say of how many they are:
#
#   DIFFCHECK_SHARDS=16 sbatch --array=3,7 diffcheck-array.sh OUT batch PATH...
#
# (tasks are numbered from 1 then). DIFFCHECK names the program.

set -u
umask 022
if [ $# -lt 2 ] || [ -z "${SLURM_ARRAY_TASK_ID:-}" ]; then
    echo "sbatch --array=1-N diffcheck-array.sh OUT batch|gate ARGUMENT..." >&2
    exit 2
fi
out=$1
command=$2
shift 2
report=$out/shard-$SLURM_ARRAY_TASK_ID.json
set -- "$command" "$@" -j "${SLURM_CPUS_PER_TASK:-1}" \
    --store "$out/results-$SLURM_ARRAY_TASK_ID.sqlite" \
    --format text --format "json=$report"
[ "$command" = batch ] && set -- "$@" --resume
[ -n "${DIFFCHECK_SHARDS:-}" ] &&
    set -- "$@" --shard "$SLURM_ARRAY_TASK_ID/$DIFFCHECK_SHARDS"
mkdir -p "$out" && rm -f "$report" || exit 2
status=0
"${DIFFCHECK:-diffcheck}" "$@" || status=$?
echo "diffcheck ended with status $status on ${SLURMD_NODENAME:-this node}"
[ -f "$report" ] || exit "$((status > 0 ? status : 3))"
# What an interrupt left is a report of a part of the part, whatever the status; all
# others are missing here, and none of them is looked for.
said=$("${DIFFCHECK:-diffcheck}" merge --partial "$report" 2>&1 >/dev/null)
case $said in *' lacks '*' of its '*' pairs'*)
    printf '%s\n' "$said" >&2
    exit 75 # to be tried again
    ;;
esac
