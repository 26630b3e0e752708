#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# kubernetes.sh DIFFCHECK: packaging/kubernetes/diffcheck-job.yaml against the schema
# of the interface, by kubernetes-validate in a virtual environment, which a field too
# many or of another type fails; and what its containers run, as they run it, once for
# each index: the merge gives the bytes of one run. No cluster is started.

set -u
diffcheck=$(realpath "$1")
manifest=$PWD/packaging/kubernetes/diffcheck-job.yaml
data=$PWD/tests/cli/data
# shellcheck disable=SC1091
. "$PWD/tests/cli/matmuls.sh"
checker=kubernetes-validate==1.31.0

fail()
{
    echo "FAILED: $*"
    exit 1
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv" >"$work/log" 2>&1 || {
    echo "skipped: no python3 -m venv"
    exit 77
}
"$work/venv/bin/pip" install --quiet "$checker" >"$work/log" 2>&1 || {
    tail -n 2 "$work/log"
    echo "skipped: $checker cannot be installed"
    exit 77
}
validate()
{
    "$work/venv/bin/kubernetes-validate" --strict -k "$1" "$2" \
        >"$work/log" 2>&1
}
for version in 1.24 1.31; do
    validate $version "$manifest" || {
        cat "$work/log"
        fail "not valid by the schema of $version"
    }
done
# The check can fail.
sed 's/completions: 4/completion: 4/' "$manifest" >"$work/field.yaml"
validate 1.31 "$work/field.yaml" && fail "a field that there is not"
sed 's/completions: 4/completions: four/' "$manifest" >"$work/type.yaml"
validate 1.31 "$work/type.yaml" && fail "a word for a number"

"$work/venv/bin/python" - "$manifest" "$work" <<'P' || fail "the numbers"
import sys, yaml
job = yaml.safe_load(open(sys.argv[1]))["spec"]
container = job["template"]["spec"]["containers"][0]
env = {e["name"]: e["value"] for e in container["env"]}
assert job["completionMode"] == "Indexed"
assert job["completions"] == job["parallelism"] == int(env["DIFFCHECK_SHARDS"])
assert container["command"] == ["/bin/sh", "-uc"] and len(container["args"]) == 1
open(sys.argv[2] + "/script", "w").write(container["args"][0])
open(sys.argv[2] + "/shards", "w").write(env["DIFFCHECK_SHARDS"])
open(sys.argv[2] + "/jobs", "w").write(env["JOBS"])
P
shards=$(cat "$work/shards")
mkdir "$work/pairs" "$work/bin"
ln -s "$diffcheck" "$work/bin/diffcheck"
matmuls "$work/pairs" k 1 9
cp "$data/matmul_short.py" "$work/pairs/k7.tuned.py"
cp "$data/matmul.py" "$work/pairs/k7.untuned.py"
pod()
{
    env PATH="$work/bin:$PATH" PAIRS="$work/pairs" OUT="$work/out" \
        JOBS="$(cat "$work/jobs")" DIFFCHECK_SHARDS="$shards" \
        JOB_COMPLETION_INDEX="$1" /bin/sh -uc "$(cat "$work/script")" \
        >"$work/pod-$1" 2>&1
}
for i in $(seq 0 $((shards - 1))); do
    pod "$i" || fail "pod $i: $(cat "$work/pod-$i")"
    grep -q "^note: shard $((i + 1)) of $shards, by JOB_COMPLETION_INDEX" \
        "$work/pod-$i" || fail "pod $i does not say that it is one"
done
"$diffcheck" batch "$work/pairs" -q --no-times --format json="$work/one.json"
one=$?
"$diffcheck" merge "$work"/out/shard-*.json --no-times --format json="$work/all.json"
[ $? = "$one" ] || fail "another exit status than that of one run, $one"
cmp "$work/one.json" "$work/all.json" || fail "not the report of one run"
pod 1 || fail "pod 1 again"
grep -q ' pairs were compared before$' "$work/pod-1" || fail "pod 1 does not go on"
pod "$shards" && fail "a pod too many ended well"

# What an interrupt leaves is no report of the pod's part: diffcheck is ended as soon
# as it begins to keep results.
mkdir "$work/slow" "$work/killing"
slow_pairs "$work/slow" 8
cat >"$work/killing/diffcheck" <<END
#!/bin/sh
echo \$\$ >>"$work/pids"
exec "$diffcheck" "\$@"
END
chmod +x "$work/killing/diffcheck"
env PATH="$work/killing:$PATH" PAIRS="$work/slow" OUT="$work/out-slow" JOBS=1 \
    DIFFCHECK_SHARDS=1 JOB_COMPLETION_INDEX=0 /bin/sh -uc "$(cat "$work/script")" \
    >"$work/pod-slow" 2>&1 &
shell=$!
for _ in $(seq 600); do
    [ -s "$work/out-slow/results-0.sqlite" ] && break
    sleep 0.05
done
sleep 0.3
kill -TERM "$(head -n 1 "$work/pids")" || fail "it had ended before it was interrupted"
wait $shell
status=$?
[ "$status" = 75 ] || fail "interrupted: exit $status: $(cat "$work/pod-slow")"
echo "kubernetes: $checker, schemas of 1.24 and 1.31; run without a cluster"
