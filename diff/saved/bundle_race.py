# SPDX-License-Identifier: Apache-2.0
REPEATS, SECONDS = 200, 10  # so many runs, as long as they take no more time


def device(side):
    return tvm.cuda(0) if TARGETS[side] == "cuda" else tvm.cpu()


def in_order(side, order):
    """With parallel loops as serial ones in an order that they allow: all orders
    have the same bits where nothing races."""
    path = os.path.join(HERE, "orders", "%s.%s.json" % (side, order))
    with open(path, encoding="utf-8") as file:
        mod = tvm.ir.load_json(file.read())
    if isinstance(mod, tvm.ir.BaseFunc):
        mod = tvm.IRModule({"main": mod})
    funcs = {}
    for var, func in mod.functions.items():
        if func.attrs and "target" in func.attrs:
            func = func.without_attr("target")
        name = "main" if BARE else var.name_hint
        funcs["main" if BARE else var] = func.with_attr("global_symbol", name)
    return tvm.IRModule(funcs)


def built_for(side, orders):
    if not orders:
        return [tvm.compile(globals()[side], target=TARGETS[side])] * REPEATS
    return [tvm.compile(in_order(side, order), target="llvm")
            for order in ORDERS[side]]


def run(side, orders):
    """In a process of its own, since it may crash: prints how many different
    results so many runs had, and one of them."""
    seen, runs, end = {}, 0, time.monotonic() + SECONDS
    for built in built_for(side, orders):
        if runs > 0 and not orders and time.monotonic() > end:
            break
        args = [tvm.runtime.tensor(x, device(side)) if hasattr(x, "shape") else x
                for x in arrays()]
        data = b"".join(x.tobytes() for x in call(built, args, side))
        seen[hashlib.sha256(data).hexdigest()] = True
        runs += 1
    print(len(seen), runs, *seen)


def child(side, orders=0):
    done = subprocess.run(
        [sys.executable, os.path.abspath(__file__), side, str(orders)],
        capture_output=True, text=True, timeout=600, check=False)
    if done.returncode:
        said = (done.stdout + done.stderr).strip().splitlines()
        raise RuntimeError("the %s one does not run: %s" %
                           (side, (said or ["a crash"])[-1]))
    different, runs, *results = done.stdout.splitlines()[-1].split()
    print("%s: %s runs%s, %s" % (
        side, runs, " in other orders" if orders else "",
        "one result" if different == "1" else different + " different results"))
    return int(different), results


if len(sys.argv) == 3:
    run(sys.argv[1], sys.argv[2] == "1")
    sys.exit(0)
for access in ACCESSES:
    print(access)
(first, results), (before, expected) = child("tuned"), child("untuned")
if before > 1:
    raise RuntimeError("the results of the untuned one are not always the same")
if first > 1:
    raise AssertionError("the results are not always the same")
if (ORDERS["tuned"] and child("tuned", 1)[0] > 1
        and not (ORDERS["untuned"] and child("untuned", 1)[0] > 1)):
    raise AssertionError("the result hangs on the order of iterations")
rounds = "float" in tvm.ir.save_json(tuned) + tvm.ir.save_json(untuned)
if not rounds and results != expected:  # else the order of sums may do it
    raise AssertionError("the outputs differ")
print("cannot be told: the race had no effect; it need not have one")
sys.exit(2)
