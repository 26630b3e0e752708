# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# Lines of a MetaSchedule database as operands: the workload of one, what the trace of
# the other makes of it; lines that are none, and what is hostile about them.

has()
{
    grep -qE -- "$2" "$work/$1" || {
        failed "$name: no '$2' in $1"
        sed 's/^/    /' "$work/$1"
    }
}

cat >"$work/w.py" <<'END'
from tvm.script import tirx as T
@T.prim_func(s_tir=True)
def main(A: T.Buffer((64, 64), "float32"), C: T.Buffer((64, 64), "float32")):
    for i, j in T.grid(64, 64):
        with T.sblock("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = A[vi, vj] + T.float32(1)
END
"$diffcheck" show "$work/w.py" --json >"$work/w.json"
db=$work/database_workload.json
records=$work/database_tuning_record.json
# Eight bytes of length, little endian, and the module.
size=$(wc -c <"$work/w.json")
{
    for byte in 0 1 2 3 4 5 6 7; do
        # shellcheck disable=SC2059 # the format is the byte
        printf "\\$(printf %o $((size >> (8 * byte) & 255)))"
    done
    cat "$work/w.json"
} | base64 -w 0 >"$work/base64"
{
    printf '["1","%s"]\n' "$(cat "$work/base64")"
    printf '["2","AAAA"]\n["3","%%%%"]\n[0,[[[],[]],[1],null,[]]]\n'
} >"$db"
trace='[["GetSBlock",[],["C","main"],["b0"]],["GetLoops",["b0"],[],["l1","l2"]]'
{
    echo "[0,[[$trace,[\"Parallel\",[\"l1\"],[],[]]],[]],[1e-5],null,[]]]"
    echo "[0,[[$trace,[\"Fuse\",[\"l2\",\"l1\"],[1],[\"l3\"]]],[]],[1e-5],null,[]]]"
    echo '[3,[[[],[]],[1],null,[]]]'
    echo '[77,[[[],[]],[1],null,[]]]'
    echo '[-1,[[[],[]],[1],null,[]]]'
    echo '[0,[1,[1],null,[]]]'
    echo '{"a":1}'
} >"$records"

check workload 0 show "$db:1"
cp "$work/out" "$work/shown.py"
check same 0 compare "$work/shown.py" "$work/w.py"
has out '^IDENTICAL'
check record 0 show "$records:1"
has out 'T.parallel\(64\)'
check pair 0 compare "$records:1" "$db:1"
has out '^IDENTICAL'
has out 'database_tuning_record.json:1'
check refused 2 compare "$records:2" "$db:1"
has err "database_tuning_record.json:2: error: step 3 of its trace, 'l3 = fuse l2 l1', is refused"
check own 2 show "$records:3"
has err 'database_workload.json:4: error: expected a workload of a MetaSchedule database'
check beyond 2 show "$records:4"
has err 'database_workload.json:78: error: the file has fewer lines'
check negative 2 show "$records:5"
has err 'begins with the number of its workload'
check trace 2 show "$records:6"
has err 'expected a trace'
check odd 2 show "$records:7"
has err 'expected a workload or a record'
check no-base64 2 show "$db:3"
has err 'no module in base64 behind a length'
check short 2 show "$db:2"
has err 'no module in base64 behind a length'
check line 2 show "$records:99"
has err 'the file has fewer lines'
check zero 2 show "$records:0"
has err 'cannot open'
check whole 2 show "$records"
has err 'name one as FILE:LINE'
# The record as a trace.
check legal 0 schedule --check "$db:1" "$records:1"
has out '^LEGAL  main: all 3 steps +(no finding, |finding, )?exit (status )?[0-9]$'
check illegal 1 schedule --check "$db:1" "$records:2"
has out '^ILLEGAL  main: step 3 of 3 +(no finding, |finding, )?exit (status )?[0-9]$'
has out 'database_tuning_record.json:2, instruction 2'
check bisect 0 bisect "$db:1" "$records:1"
has out '^IDENTICAL  main'
check far 2 schedule "$db:1" "$records:99"
has err 'the file has fewer lines'
# All records, each against its workload; the store has what was compared.
check db 2 db "$records" --store "$work/store"
has out 'database_tuning_record.json:1 .* identical$'
has out 'database_tuning_record.json:2 .* refused$'
has out '^    refused: .*step 3 of its trace'
has out '^3 compared with their workloads: 2 identical, 1 refused$'
sed -n 1,2p "$records" >"$work/two"
cp "$work/two" "$records"
sed -n 1p "$db" >"$work/one"
cp "$work/one" "$db"
check two 0 db "$records" --store "$work/store" --format json="$work/db.json" \
    --format markdown="$work/db.md" --format html="$work/db.html" --format text
has out '^2 compared with their workloads: 1 identical, 1 refused$'
has db.json '"verdict": "identical"'
has db.json '"verdict": "refused"'
has db.md '2 compared with their workloads: 1 identical, 1 refused'
has db.html 'against its workload: identical'
check no-replay 0 db "$records" --no-replay
! grep -q compared "$work/out" || failed 'no-replay: compared'
# A file of that very name is meant.
cp "$work/w.py" "$db:1"
printf '# another\n' >>"$db:1"
check file 0 compare "$db:1" "$work/w.py"
