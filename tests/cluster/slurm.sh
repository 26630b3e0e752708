#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# slurm.sh DIFFCHECK: packaging/slurm/diffcheck-array.sh on a Slurm of its own, a real
# slurmctld and two slurmd on this machine, with an authentication of its own. Four
# tasks and a merge that depends on them give the bytes of one run; so they do after
# one task was killed, and after one was lost and is done again. Nothing outside of a
# temporary folder is written, and what is started here is ended.

set -u
diffcheck=$(realpath "$1")
script=$PWD/packaging/slurm/diffcheck-array.sh
data=$PWD/tests/cli/data
# shellcheck disable=SC1091
. "$PWD/tests/cli/matmuls.sh"
formats='github json junit markdown sarif text'
started=

fail()
{
    echo "FAILED: $*"
    tail -n 20 "$work"/*.log "$work"/out/*.txt 2>/dev/null
    exit 1
}

PATH=$PATH:/usr/sbin:/sbin
for tool in munged slurmctld slurmd sbatch scontrol squeue scancel; do
    command -v $tool >/dev/null || {
        echo "skipped: no $tool (Debian: slurm-wlm, munge)"
        exit 77
    }
done
work=$(mktemp -d)
chmod 755 "$work"
end_all()
{
    for pid in $started; do
        kill "$pid" 2>/dev/null
    done
    for pid in $started; do
        for _ in $(seq 100); do
            kill -0 "$pid" 2>/dev/null || break
            sleep 0.1
        done
        kill -KILL "$pid" 2>/dev/null
    done
    rm -rf "$work"
}
trap end_all EXIT
trap 'exit 1' INT TERM

# ---- the cluster -----------------------------------------------------------------

user=$(id -un)
port=$((20000 + $$ % 20000))
host=$(hostname -s)
umask 077
head -c 1024 /dev/urandom >"$work/munge.key"
umask 022
mkdir "$work/state" "$work/spool" "$work/run" "$work/out"
cat >"$work/slurm.conf" <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$work/run/munge.socket
CredType=cred/munge
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool/%n
SlurmctldPidFile=$work/run/slurmctld.pid
SlurmdPidFile=$work/run/%n.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd-%n.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,batch_sched_delay=0,sched_min_interval=0
PriorityType=priority/basic
ReturnToService=2
KillWait=2
SlurmdParameters=config_overrides
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=1
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 2)) CPUs=1
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=10 State=UP
END
export SLURM_CONF="$work/slurm.conf"

# start NAME COMMAND...: in the background, its output to NAME.log
start()
{
    name=$1
    shift
    "$@" >>"$work/$name.log" 2>&1 </dev/null &
    started="$started $!"
}
begun=$(date +%s)
start munged munged --foreground --force --key-file="$work/munge.key" \
    --socket="$work/run/munge.socket" --pid-file="$work/run/munged.pid" \
    --log-file="$work/munged-own.log" --seed-file="$work/run/munged.seed"
for _ in $(seq 100); do
    [ -S "$work/run/munge.socket" ] && break
    sleep 0.1
done
start slurmctld-out slurmctld -D
start n1 slurmd -D -N n1
start n2 slurmd -D -N n2
ready=
for _ in $(seq 300); do
    ready=$(scontrol show nodes 2>/dev/null | grep -c 'State=IDLE')
    [ "$ready" = 2 ] && break
    sleep 0.1
done
if [ "$ready" != 2 ]; then # that is of the machine
    scontrol show nodes 2>&1
    tail -n 20 "$work"/*.log
    echo "skipped: Slurm does not come up here"
    exit 77
fi

# ---- the pairs, and what one run says ---------------------------------------------

mkdir "$work/pairs"
matmuls "$work/pairs" k 1 24
slow_pairs "$work/pairs" 4 # one a task or so
cp "$data/matmul_short.py" "$work/pairs/k7.tuned.py"
cp "$data/matmul.py" "$work/pairs/k7.untuned.py"
echo 'not a module' >"$work/pairs/k9.tuned.py"
as=
for format in $formats; do
    as="$as --format $format=$work/one.$format"
done
# shellcheck disable=SC2086
"$diffcheck" batch "$work/pairs" -q --no-times $as >/dev/null
one=$?
[ "$one" = 2 ] || fail "one run: exit $one"
# Tasks write JSON alone: a page of their merge is one without plots.
"$diffcheck" batch "$work/pairs" -q --shard 1/1 --format json="$work/whole.json"
"$diffcheck" merge "$work/whole.json" --no-times --format html="$work/one.html"
formats="html $formats"

# submit SBATCH-OPTION... -- ARGUMENT...: the job's number
submit() # in $(...), which fail would not end: || exit 1 behind it
{
    sbatch --parsable --chdir="$work" --output="$work/out/%A_%a.txt" "$@" || {
        fail "sbatch" >&2
    }
}
wait_for() # JOB
{
    for _ in $(seq 1200); do
        [ -z "$(squeue -h -j "$1" 2>/dev/null)" ] && return
        sleep 0.1
    done
    fail "job $1 does not end: $(squeue)"
}
merge_equals() # WHAT
{
    as=
    for format in $formats; do
        rm -f "$work/all.$format"
        as="$as --format $format=$work/all.$format"
    done
    # shellcheck disable=SC2086
    job=$(submit --dependency="afterany:$array" --wrap \
        "$diffcheck merge $work/run-*/shard-*.json --no-times $as; echo merged \$?") || exit 1
    wait_for "$job"
    grep -q "^merged $one$" "$work/out/${job}_4294967294.txt" ||
        fail "$1: the merge did not end with $one: $(cat "$work/out/$job"_*.txt)"
    for format in $formats; do
        cmp "$work/one.$format" "$work/all.$format" ||
            fail "$1: $format is not that of one run"
    done
}

# ---- four tasks ---------------------------------------------------------------------

export DIFFCHECK="$diffcheck"
array=$(submit --array=1-4 "$script" "$work/run-1" batch "$work/pairs") || exit 1
merge_equals "four tasks"
for i in 1 2 3 4; do
    grep -q "^note: shard $i of 4, as the task of a Slurm array" \
        "$work/out/${array}_$i.txt" || fail "task $i does not say that it is one"
done
for node in n1 n2; do
    grep -q "ended with status [0-9] on $node$" "$work/out/$array"_?.txt ||
        fail "no task ran on $node"
done
set -- "$work"/run-1/shard-[1-4].json
[ $# = 4 ] || fail "$# reports, not four"

# One is lost: its like is refused, and done again alone.
rm "$work/run-1/shard-3.json"
"$diffcheck" merge "$work"/run-1/shard-*.json >"$work/merge.log" 2>&1 &&
    fail "a merge without shard 3"
grep -q 'no report of shard 3 of 4' "$work/merge.log" || fail "shard 3 is not named"
array=$(DIFFCHECK_SHARDS=4 submit --array=3 "$script" "$work/run-1" batch \
    "$work/pairs") || exit 1
merge_equals "one again"
grep -q 'pairs were compared before$' "$work/out/${array}_3.txt" ||
    fail "what was kept was compared again"

# A task is killed in the middle of a pair, with all of its processes, as a node that
# goes down does it, and queued again: it goes on. (A task that is queued again would
# wait for two minutes.)
rm -rf "$work/run-1"
array=$(submit --array=1-4 "$script" "$work/run-1" batch "$work/pairs") || exit 1
for _ in $(seq 600); do
    [ -s "$work/run-1/results-1.sqlite" ] && break
    sleep 0.05
done
sleep 0.3
scontrol requeue "${array}_1" || fail "task 1 had ended before it was killed"
begins()
{
    grep -c 'as the task of a Slurm array' "$work/out/${array}_1.txt"
}
for _ in $(seq 300); do
    [ "$(begins)" = 2 ] && break
    scontrol update jobid="${array}_1" starttime=now 2>/dev/null
    sleep 0.1
done
merge_equals "a task killed"
[ "$(begins)" = 2 ] ||
    fail "task 1 did not begin twice: $(cat "$work/out/${array}_1.txt")"
grep -q 'pairs were compared before$' "$work/out/${array}_1.txt" ||
    fail "task 1 did not go on: $(cat "$work/out/${array}_1.txt")"

echo "slurm: $(slurmctld -V), two nodes, $(($(date +%s) - begun)) s"
