# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# What is given in a module's place is named, with what to do instead. The samples
# are made as their makers write them: their first bytes, or a record.

python3 - "$work" <<'P' || exit 1
import gzip, io, json, pickle, sys, tarfile, zipfile
work = sys.argv[1]
def put(name, data):
    with open(f"{work}/{name}", "wb") as f:
        f.write(data if isinstance(data, bytes) else data.encode())
for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
    put(f"mod{protocol}.pkl", pickle.dumps({"main": [1, 2]}, protocol))
tar = io.BytesIO()
with tarfile.open(fileobj=tar, mode="w") as t:
    t.addfile(tarfile.TarInfo("lib0.o"))
put("lib.tar", tar.getvalue())
zipped = io.BytesIO()
with zipfile.ZipFile(zipped, "w") as z:
    z.writestr("mod.json", "{}")
put("mod.zip", zipped.getvalue())
put("mod.json.gz", gzip.compress(b"{}"))
put("lib.a", b"!<arch>\nlib0.o/         0           0     0     644     8         `\n")
put("lib.dylib", b"\xcf\xfa\xed\xfe\x0c\x00\x00\x01" + bytes(24))
put("lib.dll", b"MZ\x90\x00\x03" + bytes(60))
put("x.npy", b"\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }")
# MetaSchedule: JSONDatabase writes [str(shash), b64 of JSON] and
# [workload, [[insts, decisions], run_secs, target, args]], a line each.
trace = [[["GetSBlock", [], ["C", "main"], ["b0"]], ["GetLoops", ["b0"], [], ["l1", "l2"]],
          ["SamplePerfectTile", ["l1"], [2, 16], ["v3", "v4"]]], [[2, [8, 16]]]]
put("database_workload.json", '["-4242886432", "eyJyb290IjogMX0="]\n["17", "eyJyb290IjogMX0="]\n')
put("database_tuning_record.json", json.dumps(
    [0, [trace, [0.0012], {"kind": "llvm"}, [["TENSOR", "float32", [128, 128]]]]]) + "\n")
put("trace.json", json.dumps(trace))
put("trace_indented.json", json.dumps(trace, indent=2))
put("ansor.json", '{"i": [["[\\"7a91\\", 1]", "llvm -keys=cpu", [6, 64], "", 1, []], '
    '[[], [["SP", 2, 0, 512, [8], 1]]]], "r": [[0.01], 0, 1.2, 1613], "v": "v0.6"}\n')
put("autotvm.log", '{"input": ["llvm", "dense", [["TENSOR", [1, 3], "float32"]], {}], '
    '"config": {"index": 1, "code_hash": null, "entity": []}, "result": [[0.1], 0, 1.0, 1.0], '
    '"version": 0.2, "tvm_version": "0.8"}\n')
put("graph.json", '{"nodes": [{"op": "null", "name": "x", "inputs": []}], "arg_nodes": [0], '
    '"heads": [[0, 0, 0]]}')
put("trace.py", '# from tvm import tir\ndef apply_trace(sch: tir.Schedule) -> None:\n'
    '  b0 = sch.get_sblock(name="C", func_name="main")\n')
put("schedule.py", 'sch = tvm.s_tir.Schedule(mod)\nb0 = sch.get_block("C")\n')
put("relay.txt", '#[version = "0.0.5"]\ndef @main(%x: Tensor[(1), float32]) { %x }\n')
put("lib.ll", "; ModuleID = 'main'\ntarget triple = \"x86_64\"\n")
put("kernel.cu", 'extern "C" __global__ void main_kernel(float* A) { A[0] = 1; }\n')
P

# foreign FILE WHAT DO...: named on either side and by every command that reads one
foreign()
{
    for line in "$work/$1 $data/matmul.py" "$data/matmul.py $work/$1" "lint $work/$1" \
        "show $work/$1" "run $work/$1" "prove $work/$1 $data/matmul.py"; do
        # shellcheck disable=SC2086 # operands are words
        check "foreign: $line" 2 $line
        has err "/$1: error: $2.*$3.*\[read\.foreign\]$"
    done
}
for n in 2 3 4 5; do
    foreign mod$n.pkl 'a Python pickle' 'tvm\.ir\.save_json'
done
foreign database_workload.json 'the workloads of a MetaSchedule database' 'FILE:LINE'
foreign database_tuning_record.json 'the records of a MetaSchedule database' 'FILE:LINE'
foreign trace.json 'a schedule trace' 'diffcheck schedule WORKLOAD TRACE'
foreign trace_indented.json 'a schedule trace' 'diffcheck schedule WORKLOAD TRACE'
foreign trace.py 'a schedule trace in Python' 'save sch\.mod'
foreign schedule.py 'a schedule in Python' 'save sch\.mod'
foreign ansor.json 'a log of Ansor' 'tvm\.ir\.save_json'
foreign autotvm.log 'a log of AutoTVM' 'tvm\.ir\.save_json'
foreign graph.json 'a graph of the graph executor' 'tvm\.ir\.save_json'
foreign lib.a 'a static library' "--library tuned=FILE"
foreign lib.dylib 'a library of macOS' "--library tuned=FILE"
foreign lib.dll 'a library of Windows' "--library tuned=FILE"
foreign lib.tar 'a tar archive' "--library tuned=FILE"
foreign mod.zip 'a zip archive' 'unpack it'
foreign mod.json.gz 'compressed by gzip' 'unpack it'
foreign x.npy 'an array of NumPy' '--in NAME=FILE\.npy'
foreign relay.txt 'the text of a Relay program' 'PrimFuncs'
foreign lib.ll 'LLVM IR' 'before it is built'
foreign kernel.cu 'a CUDA program' 'before it is built'
# An object of this machine, which is diffcheck itself.
check elf 2 "$diffcheck" "$data/matmul.py"
has err "a shared object or an object file: .*--library tuned=FILE"
# In a report for machines it is the error.
check json 2 "$work/trace.json" "$data/matmul.py" --format json
has out '"error": "a schedule trace, no module: '
# What is only near: no array of JSON is a trace, and a module may hold the words.
printf '[1, 2]' >"$work/numbers.json"
check numbers 2 "$work/numbers.json" "$data/matmul.py"
lacks err 'foreign'
sed 's/^# SPDX.*/# sch.get_block("C") made this of def apply_trace(sch)/' "$data/matmul.py" \
    >"$work/noted.py"
check noted 0 "$work/noted.py" "$data/matmul.py"
# Cut short anywhere they are errors as well.
for file in mod4.pkl database_tuning_record.json lib.tar; do
    for n in 1 2 3 5 8 40 258 260; do
        head -c $n "$work/$file" >"$work/cut"
        check "cut-$file-$n" 2 lint "$work/cut"
    done
done
