#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Do the tensor intrinsics that TVM registers do what they are described to?

usage: check_intrinsics.py DIFFCHECK OUT [--expected FILE] [--jobs N] [--write]

Saves every registered intrinsic's `desc` and `impl` as modules under OUT and has
`DIFFCHECK prove` compare them, impl against desc and desc against impl. Beside
these rows (form `registered`) there are two more forms:

  flattened  impl after TVM's FlattenBuffer, for CPU instructions that read a
             matrix by one index beyond its row;
  composed   init, loads, product and store of a group of intrinsics, as one
             kernel, against a scalar product of matrices: what fragments mean
             between load and store is nobody's business.

FILE has a row for each: name, form, verdict of impl against desc, verdict of
desc against impl, and why where nothing was proved. Verdicts are words of
diffcheck, or `unread` for exit status 2. The last line is "N rows, N failed".
"""
import argparse
import concurrent.futures
import importlib
import json
import os
import subprocess
import sys

import tvm
from tvm import s_tir, tirx
from tvm.s_tir import TensorIntrin

MODULES = ["dot_product_common", "x86", "arm_cpu", "cuda", "rocm", "metal",
           "hexagon", "riscv_cpu"]
# read a matrix by one index beyond its row
FLAT = ["x86", "arm_cpu", "hexagon"]


def registered():
    """{name: (desc, impl, module)}: what the modules register when imported."""
    seen = {}
    register = TensorIntrin.register

    def note(name, desc, impl, override=False):
        where = sys._getframe(1).f_globals["__name__"].rpartition(".")[2]
        seen[name] = (desc, impl, where)
        return register(name, desc, impl, override)

    TensorIntrin.register = staticmethod(note)
    for name in MODULES:
        importlib.import_module("tvm.s_tir.tensor_intrin." + name)
    TensorIntrin.register = staticmethod(register)
    return seen


def save(path, func):
    module = tvm.IRModule({"main": func.with_attr("global_symbol", "main")})
    with open(path, "w", encoding="utf-8") as f:
        f.write(tvm.ir.save_json(module))


def flattened(func):
    module = tvm.IRModule({"main": func.with_attr("global_symbol", "main")})
    for step in (s_tir.transform.ConvertBlocksToOpaque(),
                 s_tir.transform.LowerOpaqueBlock(),
                 tirx.transform.FlattenBuffer()
                 if hasattr(tirx.transform, "FlattenBuffer")
                 else s_tir.transform.FlattenBuffer()):
        module = step(module)
    return module["main"]


# ---- composition ------------------------------------------------------------------


def region(buffer):
    return tirx.BufferRegion(
        buffer, [tvm.ir.Range(0, n) for n in buffer.shape])


def embedded(name, buffers):
    """The intrinsic's impl on whole buffers, as tensorize puts it."""
    impl = TensorIntrin.get(name).impl
    match = [s_tir.MatchBufferRegion(p, region(b))
             for p, b in zip(impl.params, buffers)]
    block = s_tir.SBlock([], [], [], name, impl.body.block.body,
                         match_buffers=match)
    return s_tir.SBlockRealize([], tirx.const(True, "bool"), block)


def fill_in(func, steps):
    """Puts steps[k] in the place of T.evaluate(1000 + k) in the thread loop,
    the last statement of the body."""
    items = list(func.body.seq)
    loop = items[-1]
    inner = []
    for stmt in loop.body.seq:
        if isinstance(stmt, tirx.Evaluate) and hasattr(stmt.value, "value"):
            stmt = steps[int(stmt.value.value) - 1000]
        inner.append(stmt)
    items[-1] = tirx.For(loop.loop_var, loop.min, loop.extent, loop.kind,
                         tirx.SeqStmt(inner), loop.thread_binding,
                         loop.annotations)
    return func.with_body(tirx.SeqStmt(items))


def script(text):
    return tvm.script.from_source("@T.prim_func(s_tir=True)\n" + text)


def allocated(func):
    """{name: buffer} of parameters and of what the body allocates."""
    found = {b.name: b for b in func.params}
    for stmt in func.body.seq:
        if hasattr(stmt, "buffer"):
            found[stmt.buffer.name] = stmt.buffer
    return found


def scalar(a, b, c, types, k, trans_a, trans_b):
    at = "A[k, i]" if trans_a else "A[i, k]"
    bt = "B[j, k]" if trans_b else "B[k, j]"
    zero = f'T.Cast("{types[2]}", 0)'
    return script(
        f'def main(A: T.Buffer({a}, "{types[0]}"), '
        f'B: T.Buffer({b}, "{types[1]}"), C: T.Buffer({c}, "{types[2]}")):\n'
        f"    for i, j in T.grid({c[0]}, {c[1]}):\n"
        f"        C[i, j] = {zero}\n"
        f"        for k in range({k}):\n"
        f'            C[i, j] = C[i, j] + T.Cast("{types[2]}", {at}) * '
        f'T.Cast("{types[2]}", {bt})\n')


def composed(names, types, shapes, storages, k, trans, threads=32,
             registers_first=True):
    """(impl, desc): names: init, load_a, load_b, compute, store."""
    a, b, c = shapes
    lines = [f'def main(A: T.Buffer({a}, "{types[0]}"), '
             f'B: T.Buffer({b}, "{types[1]}"), '
             f'C: T.Buffer({c}, "{types[2]}")):']
    for name, shape, kind, scope in storages:
        lines.append(f'    {name} = T.alloc_buffer({shape}, "{kind}", '
                     f'scope="{scope}")')
    lines.append(f'    for tx in T.thread_binding({threads}, '
                 'thread="threadIdx.x"):')
    for name, shape in (("A", a), ("B", b)):
        n = shape[0] * shape[1]
        at = f"[(i * {threads} + tx) // {shape[1]}, " \
             f"(i * {threads} + tx) % {shape[1]}]"
        lines.append(f"        for i in range({n // threads}):")
        lines.append(f"            {name}s{at} = {name}{at}")
    lines.append('        T.evaluate(T.tvm_storage_sync("shared"))')
    for i in range(5):
        lines.append(f"        T.evaluate({1000 + i})")
    store = c
    shared = [s for s in storages if s[0] == "Cs"]
    if shared:
        n = c[0] * c[1]
        at = f"[(i * {threads} + tx) // {c[1]}, (i * {threads} + tx) % {c[1]}]"
        lines.append('        T.evaluate(T.tvm_storage_sync("shared"))')
        lines.append(f"        for i in range({n // threads}):")
        lines.append(f"            C{at} = Cs{at}")
    func = script("\n".join(lines) + "\n")
    have = allocated(func)
    out = have["Cs"] if shared else have["C"]
    load = (lambda f, m: [f, m]) if registers_first else (lambda f, m: [m, f])
    steps = [
        embedded(names[0], [have["Cw"]]),
        embedded(names[1], load(have["Aw"], have["As"])),
        embedded(names[2], load(have["Bw"], have["Bs"])),
        embedded(names[3], [have["Aw"], have["Bw"], have["Cw"]]),
        embedded(names[4], [have["Cw"], out]),
    ]
    return fill_in(func, steps), scalar(a, b, store, types, k, *trans)


def mma_groups():
    from tvm.s_tir.tensor_intrin.cuda import get_mma_intrin_group
    forms = [("float16", out, 16, ta, tb) for out in ("float32", "float16")
             for ta in (False, True) for tb in (False, True)]
    forms += [("int8", "int32", 32, False, tb) for tb in (False, True)]
    forms += [(t, "float32", 32, False, tb)
              for t in ("float8_e4m3fn", "float8_e5m2") for tb in (False, True)]
    for kind, out, k, ta, tb in forms:
        g = get_mma_intrin_group("shared", "global", kind, out, ta, tb, False)
        a = (k, 16) if ta else (16, k)
        b = (16, k) if tb else (k, 16)
        n = 16 * k // 32
        storages = [("As", a, kind, "shared"), ("Bs", b, kind, "shared"),
                    ("Aw", (32, n), kind, "warp"),
                    ("Bw", (32, n), kind, "warp"),
                    ("Cw", (32, 8), out, "warp")]
        names = [g[x] for x in ("init", "load_a", "load_b", "compute", "store")]
        yield g["compute"], composed(names, (kind, kind, out), (a, b, (16, 16)),
                                     storages, k, (ta, tb))


def wmma_groups():
    from tvm.s_tir.tensor_intrin.cuda import get_wmma_intrin_group
    for kind, out in (("float16", "float32"), ("float16", "float16"),
                      ("int8", "int32")):
        for tb in (False, True):
            for where in ("global", "shared"):
                g = get_wmma_intrin_group("shared", where, kind, out, tb)
                storages = [("As", (16, 16), kind, "shared"),
                            ("Bs", (16, 16), kind, "shared"),
                            ("Aw", (16, 16), kind, "wmma.matrix_a"),
                            ("Bw", (16, 16), kind, "wmma.matrix_b"),
                            ("Cw", (16, 16), out, "wmma.accumulator")]
                if where == "shared":
                    storages.append(("Cs", (16, 16), out, "shared"))
                names = [g[x] for x in
                         ("init", "load_a", "load_b", "compute", "store")]
                yield (g["compute"] + "/" + where,
                       composed(names, (kind, kind, out), [(16, 16)] * 3,
                                storages, 16, (False, tb),
                                registers_first=False))


def odd_wmma_groups():
    """Loads that get_wmma_intrin_group has no name for."""
    for kind, short, out in (("float16", "f16", "f32"), ("int8", "s8", "s32")):
        sums = {"f32": "float32", "s32": "int32"}[out]
        storages = [("As", (16, 16), kind, "shared"),
                    ("Bs", (16, 16), kind, "shared"),
                    ("Aw", (16, 16), kind, "wmma.matrix_a"),
                    ("Bw", (16, 16), kind, "wmma.matrix_b"),
                    ("Cw", (16, 16), sums, "wmma.accumulator")]
        names = [f"wmma_fill_16x16x16_{out}",
                 f"wmma_load_16x16x16_{short}_a_trans_shared",
                 f"wmma_load_16x16x16_{short}_b_shared",
                 f"wmma_sync_16x16x16_{short}{short}{out}",
                 f"wmma_store_16x16x16_{out}_global"]
        yield names[3] + "/trans_a", composed(
            names, (kind, kind, sums), [(16, 16)] * 3, storages, 16,
            (True, False), registers_first=False)
    storages = [("As", (8, 32), "int4", "shared"),
                ("Bs", (8, 32), "int4", "shared"),
                ("Aw", (8, 32), "int4", "wmma.matrix_a"),
                ("Bw", (8, 32), "int4", "wmma.matrix_b"),
                ("Cw", (8, 8), "int32", "wmma.accumulator")]
    names = ["wmma_fill_8x8x32_s32", "wmma_load_8x8x32_s4_a_shared",
             "wmma_load_8x8x32_s4_b_trans_shared",
             "wmma_sync_8x8x32_s4s4s32_trans", "wmma_store_8x8x32_s32_global"]
    yield names[3], composed(
        names, ("int4", "int4", "int32"), [(8, 32), (8, 32), (8, 8)], storages,
        32, (False, True), registers_first=False)


def metal_groups():
    storages = [("As", (8, 8), "float16", "shared"),
                ("Bs", (8, 8), "float16", "shared"),
                ("Aw", (8, 8), "float16", "metal.simdgroup"),
                ("Bw", (8, 8), "float16", "metal.simdgroup"),
                ("Cw", (8, 8), "float16", "metal.simdgroup")]
    for tb in (False, True):
        names = ["simdgroup_make_filled_8x8x8_f16",
                 "simdgroup_load_8x8x8_f16_shared",
                 "simdgroup_load_8x8x8_f16_shared" + ("_trans" if tb else ""),
                 "simdgroup_multiply_accumulate_8x8x8_f16",
                 "simdgroup_store_8x8x8_f16_global"]
        yield names[3] + ("/trans_b" if tb else ""), composed(
            names, ("float16",) * 3, [(8, 8)] * 3, storages, 8, (False, tb),
            registers_first=False)


# ---- verdicts -----------------------------------------------------------------------


def verdict(tool, tuned, untuned):
    done = subprocess.run(
        [tool, "prove", "--format", "json", tuned, untuned],
        capture_output=True, text=True, timeout=1800, check=False)
    if done.returncode == 2:
        return "unread", done.stderr.strip().splitlines()[-1:]
    report = json.loads(done.stdout)
    if report.get("verdict") is None:
        return "error", [str(report.get("error"))]
    return report["verdict"], [p.get("reason", "") for p in report["pairs"]]


def collect(out):
    """[(name, form, path of impl, path of desc)]"""
    rows = []

    def add(name, form, impl, desc):
        base = os.path.join(out, (name + "." + form).replace("/", "-"))
        save(base + ".impl.json", impl)
        save(base + ".desc.json", desc)
        rows.append((name, form, base + ".impl.json", base + ".desc.json"))

    for name, (desc, impl, where) in sorted(registered().items()):
        add(name, "registered", impl, desc)
        if where in FLAT and "sme" not in name and "dma" not in name:
            add(name, "flattened", flattened(impl), desc)
    for groups in (mma_groups, wmma_groups, odd_wmma_groups, metal_groups):
        for name, (impl, desc) in groups():
            add(name, "composed", impl, desc)
    return rows


def read_expected(path):
    table = {}
    with open(path, encoding="utf-8") as f:
        for line in f:
            if line.startswith("#") or not line.strip():
                continue
            name, form, there, back, why = (
                line.rstrip("\n").split("\t") + [""])[:5]
            table[name, form] = (there, back, why)
    return table


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("diffcheck")
    parser.add_argument("out")
    parser.add_argument("--expected")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--write", action="store_true",
                        help="print the rows instead of judging them")
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    rows = collect(args.out)
    expected = read_expected(args.expected) if args.expected else {}
    failed = 0

    def look(row):
        _, _, impl, desc = row
        return (verdict(args.diffcheck, impl, desc),
                verdict(args.diffcheck, desc, impl))

    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for row, (there, back) in zip(rows, pool.map(look, rows)):
            name, form = row[:2]
            if args.write:
                print("\t".join([name, form, there[0], back[0],
                                 "; ".join(there[1])]))
                continue
            want = expected.pop((name, form), None)
            if want is None or want[:2] != (there[0], back[0]):
                failed += 1
                print(f"FAILED: {name} ({form}): {there[0]}, {back[0]}; "
                      f"expected {want[:2] if want else 'nothing'}: "
                      f"{'; '.join(there[1] + back[1])}")
    for name, form in expected:
        failed += 1
        print(f"FAILED: {name} ({form}) is expected and not registered")
    print(f"{len(rows)} rows, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
