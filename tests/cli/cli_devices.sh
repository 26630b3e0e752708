# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# Programs for GPUs: what `show` prints, which outcome a missing platform, a
# missing device and a compiler that fails have, and, where OpenCL is there, a
# pair of kernels on it. A script stands for nvcc, so that the rest needs none.

tuned=corpora/pairs/shuffle-down-sum/tuned.py
untuned=corpora/pairs/shuffle-down-sum/untuned.py
cache=$work/cache
mkdir "$work/tools" "$work/tmp"
TMPDIR=$work/tmp
PATH=$work/tools:$PATH
export TMPDIR PATH

check opencl 0 show $tuned --opencl
has out '"__kernel __attribute__\(\(reqd_work_group_size\(32, 1, 1\)\)\)\\n"'
has out '"    barrier\(CLK_LOCAL_MEM_FENCE \| CLK_GLOBAL_MEM_FENCE\);\\n"'
has out '__local float given'
has out '^    device_launch\('
has out '^int main\('
check cuda 0 show $tuned --cuda
has out '^static __global__ void __launch_bounds__\(32\)$'
has out '__shfl_down_sync\('
has out 'main_kernel<<<dim3'
check serial 0 show "$data/matmul.py" --opencl
has out 'reqd_work_group_size\(1, 1, 1\)'
check wmma 0 show corpora/pairs/wmma-half-warp/untuned.py --cuda
check refused 2 show "$data/relu_call.py" --cuda
has err "the function 'my_relu', which is not in the module, has no translation to C, in function 'main' \[emit.refused\]"

# Queues of asynchronous copies: commits and waits of the hardware (R23).
check queues 0 show corpora/pairs/async-queue-attrs/tuned.py --cuda
[ "$(grep -c 'device_commit();$' "$work/out")" = 2 ] ||
    failed "queues: not two commits"
has out '^ +\(void\)device_wait<2>\(\);$'
has out '^ +\(void\)device_wait<0>\(\);$'
check queues-in-order 0 show corpora/pairs/async-queue-attrs/tuned.py --c
if grep -q device_ "$work/out"; then
    failed "queues-in-order: a wait where copies are made at once"
fi

# What one warp's tile instruction stores, other warps read behind a barrier.
cat >"$work/tile.py" <<'P'
@T.prim_func(s_tir=True)
def main(A: T.Buffer((256,), "float16"), C: T.Buffer((512,), "float16")):
    S = T.alloc_buffer((512,), "float16", scope="shared")
    f = T.alloc_buffer((16, 16), "float16", scope="wmma.accumulator")
    for ty in T.thread_binding(2, thread="threadIdx.y"):
        for tx in T.thread_binding(32, thread="threadIdx.x"):
            T.evaluate(T.tvm_fill_fragment(f.data, 16, 16, 16, 0, T.float16(2)))
            T.evaluate(T.tvm_store_matrix_sync(f.data, 16, 16, 16, 0, T.tvm_access_ptr(T.type_annotation("float16"), S.data, ty * 256, 256, 2), 16, "row_major"))
            for i in range(8):
                C[i * 64 + ty * 32 + tx] = S[511 - (i * 64 + ty * 32 + tx)]
P
check tile 0 show "$work/tile.py" --cuda
tr -d ' \n' <"$work/out" |
    grep -Eq '__syncthreads\(\);[^;]*store_matrix_sync[^;]*;}__syncthreads\(\);' ||
    failed "tile: no barrier around the tile's store"
has out '^ +alignas\(128\) __shared__ half S'

# The zero and the sum go to two cells: no reduction that can be emitted.
check two-cells 2 show corpora/traps/crossthread-two-places-wrong/tuned.py --c
has err "a reduction over threads that is not 'C = C op x' has no translation"

# fake COMMANDS: nvcc whose programs are told that there is no device.
fake()
{
    cat >"$work/tools/nvcc" <<S
#!/bin/sh
[ "\$1" = --version ] && { echo "nvcc of a test"; exit 0; }
$1
printf '#!/bin/sh\necho "no CUDA device"\nexit 1\n' >program
chmod +x program
S
    chmod +x "$work/tools/nvcc"
}

fake :
check no-device-list 0 targets --cache "$cache"
has out '^cuda-strict +builds +CUDA'
has out 'nvcc of a test; compiles, but no CUDA device'
check no-device 0 $tuned $untuned --cache "$cache" --targets cuda-strict
has out '^  targets +cuda-strict +skipped +built, not run: no CUDA device'
check no-device-required 4 $tuned $untuned --cache "$cache" \
    --require-target cuda-strict
has out 'cuda-strict +error +required, but: built, not run: no CUDA device'
fake 'grep -q main_kernel kernel.c && { echo "kernel.c(9): error: no" >&2; exit 2; }'
rm -r "$cache"
check no-compile 4 $tuned $untuned --cache "$cache" --targets cuda-strict
has out 'cuda-strict +error +tuned module: nvcc: exit status 2: kernel.c\(9\): error: no'

printf '#include <CL/cl.h>\nint main(void) { return clFinish(0) == 0; }\n' \
    >"$work/probe.c"
if ! cc -w -o "$work/probe" "$work/probe.c" -lOpenCL 2>/dev/null; then
    echo "skipped: no OpenCL here to build programs with"
    exit "$bad"
fi
OCL_ICD_VENDORS=$work/nowhere
export OCL_ICD_VENDORS
check no-platform 0 $tuned $untuned --cache "$cache" --targets opencl-strict
has out 'opencl-strict +skipped +a test program: exit status 1: no OpenCL platform'
check no-platform-required 4 $tuned $untuned --cache "$cache" \
    --require-target opencl-strict
has out 'opencl-strict +error +required, but: a test program: exit status 1: no OpenCL platform'
unset OCL_ICD_VENDORS
check kernels 0 $tuned $untuned --cache "$cache" --targets opencl-strict
if grep -q 'opencl-strict  *skipped' "$work/out"; then
    echo "skipped: no OpenCL device here to run kernels on"
    exit "$bad"
fi
has out '^ORDER-ONLY  main'
has out '^  targets +opencl-strict +exact$'
[ -z "$(ls "$TMPDIR")" ] || failed "kernels: left $(ls "$TMPDIR")"

# What the device compiled is kept beside the program, and serves again.
[ -n "$(find "$cache" -name kernels -size +0)" ] ||
    failed "kernels: nothing is kept of what the device compiled"
touch -d '2001-01-01' "$work/then"
find "$cache" -name kernels -exec touch -r "$work/then" {} +
check kernels-again 0 $tuned $untuned --cache "$cache" --targets opencl-strict
has out '^  targets +opencl-strict +exact$'
[ -z "$(find "$cache" -name kernels -newer "$work/then")" ] ||
    failed "kernels-again: the device compiled them again"
for file in $(find "$cache" -name kernels); do
    echo spoilt >"$file"
done
check kernels-spoilt 0 $tuned $untuned --cache "$cache" --targets opencl-strict
has out '^  targets +opencl-strict +exact$'
[ -z "$(find "$cache" -name kernels -size -2)" ] ||
    failed "kernels-spoilt: they were not put right"

# The product of floats: nothing is fused, or the cause is that it is.
cat >"$work/sum.py" <<'P'
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8, 16), "float32"), B: T.Buffer((16, 16), "float32"), C: T.Buffer((8, 16), "float32")):
    for bx in T.thread_binding(2, thread="blockIdx.x"):
        for tx in T.thread_binding(64, thread="threadIdx.x"):
            for k in range(16):
                with T.block("C"):
                    vi = T.axis.spatial(8, bx * 4 + tx // 16)
                    vj = T.axis.spatial(16, tx % 16)
                    vk = T.axis.reduce(16, k)
                    with T.init():
                        C[vi, vj] = T.float32(0)
                    C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
P
check sum 0 "$work/sum.py" "$work/sum.py" --cache "$cache" \
    --targets opencl-strict,opencl-default
has out '^ +opencl-strict +exact$|^  targets +opencl-strict +exact$'
has out 'opencl-default +(exact$|explained +a\*b\+c of one statement is fused)'

# A kernel whose barrier is lost is found wrong: the C compiler takes it out.
cat >"$work/tools/cc" <<S
#!/bin/sh
[ -f kernel.c ] && grep -q main_kernel kernel.c &&
    sed -i 's/barrier(CLK[A-Z_| ]*);//' kernel.c
exec $(command -v gcc || command -v clang) "\$@"
S
chmod +x "$work/tools/cc"
check barrier-lost 1 corpora/pairs/allreduce/tuned.py \
    corpora/pairs/allreduce/untuned.py --cache "$cache" --targets opencl-strict
has out 'opencl-strict +wrong'
