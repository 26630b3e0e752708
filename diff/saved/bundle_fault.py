# SPDX-License-Identifier: Apache-2.0
GUARD = 1 << 16  # bytes on both sides of an array that nothing may touch
OUTSIDE = "memory outside of an array was written"


def guarded(array, fill):
    room = np.full(array.nbytes + 2 * GUARD + 4096, fill, np.uint8)
    start = GUARD + -(room.ctypes.data + GUARD) % 4096
    inner = room[start:start + array.nbytes].view(array.dtype)
    inner = inner.reshape(array.shape)
    inner[...] = array
    try:
        return room, start, inner, tvm.runtime.from_dlpack(inner)
    except Exception:  # no such type, or no elements: without room around it
        return room, start, inner, tvm.runtime.tensor(array)


def run(side, fill, checked):
    """In a process of its own, since it may crash: prints what is left."""
    with tvm.transform.PassContext(
            config={"tirx.instrument_bound_checkers": checked}):
        built = tvm.compile(globals()[side], target="llvm")
    rooms = [guarded(x, fill) if hasattr(x, "shape") else x for x in arrays()]
    args = [x[3] if isinstance(x, tuple) else x for x in rooms]
    print("running", flush=True)
    for array in call(built, args, side):
        print(hashlib.sha256(array.tobytes()).hexdigest())
    for x in rooms:
        if isinstance(x, tuple):
            room, start, inner = x[:3]
            end = start + inner.nbytes
            if (room[:start] != fill).any() or (room[end:] != fill).any():
                print(OUTSIDE)


def child(side, fill, checked=0):
    return subprocess.run(
        [sys.executable, os.path.abspath(__file__), side, str(fill),
         str(checked)], capture_output=True, text=True, timeout=300, check=False)


def last_line(done):
    return (done.stdout.strip().splitlines() or [""])[-1]


if len(sys.argv) == 4:
    run(sys.argv[1], int(sys.argv[2]), sys.argv[3] == "1")
    sys.exit(0)
before, first, again = child("untuned", 42), child("tuned", 42), child("tuned", 85)
print("untuned:", before.returncode or "runs", "tuned:", first.returncode or "runs")
if before.returncode:
    raise RuntimeError("the untuned one does not run: " + last_line(before))
if "running" not in first.stdout:
    raise RuntimeError("the tuned one does not run: " + last_line(first))
if first.returncode < 0:
    raise AssertionError("the tuned one crashes")
if first.returncode > 0 and FAULT == "failed assertion":
    raise AssertionError(last_line(first))
if first.returncode > 0:
    raise RuntimeError(last_line(first))
if OUTSIDE in first.stdout and OUTSIDE not in before.stdout:
    raise AssertionError(OUTSIDE)
rounds = "float" in tvm.ir.save_json(tuned) + tvm.ir.save_json(untuned)
if not rounds and first.stdout != before.stdout:  # else the order of sums may do it
    raise AssertionError("they leave other outputs")
if first.stdout != again.stdout:
    raise AssertionError("an output hangs on what lies outside of the arrays")
checked = child("tuned", 42, 1)
if (checked.returncode and "running" in checked.stdout
        and not child("untuned", 42, 1).returncode):
    raise AssertionError("TVM's check of bounds: " + last_line(checked))
print("cannot be told: the fault has no effect that is seen here")
sys.exit(2)
