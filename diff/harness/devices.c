/* SPDX-License-Identifier: Apache-2.0
 *
 * Targets whose programs run on a device of their own: what tells whether one
 * is there, and what their run-time compilers are told.
 *
 * PoCL keeps what it compiles, by default in the user's home. Here it goes to
 * the folder of the run's inputs and is removed with it.
 */
#include "diff/harness/target.h"

#include <string.h>

static const char opencl_probe[] =
    "#define CL_TARGET_OPENCL_VERSION 120\n"
    "#include <CL/cl.h>\n"
    "#include <stdio.h>\n"
    "#include <stdlib.h>\n"
    "static void lacks(const char *what)\n"
    "{\n"
    "    printf(\"no OpenCL %s\\n\", what);\n"
    "    exit(1);\n"
    "}\n"
    "int main(void)\n"
    "{\n"
    "    char extensions[8192] = \"\";\n"
    "    cl_platform_id platform;\n"
    "    cl_device_id device;\n"
    "    cl_device_fp_config twice = 0;\n"
    "    cl_uint n = 0;\n"
    "    if (clGetPlatformIDs(1, &platform, &n) != CL_SUCCESS || n == 0)\n"
    "        lacks(\"platform\");\n"
    "    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_DEFAULT, 1, &device, &n) "
    "!= CL_SUCCESS || n == 0)\n"
    "        lacks(\"device\");\n"
    "    clGetDeviceInfo(device, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof twice, "
    "&twice, NULL);\n"
    "    if (twice == 0)\n"
    "        lacks(\"device with double precision\");\n"
    "    clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof extensions - 1, "
    "extensions, NULL);\n"
    "    puts(\"ready\");\n"
    "    return 0;\n"
    "}\n";

static const char cuda_probe[] =
    "#include <cuda_runtime.h>\n"
    "#include <stdio.h>\n"
    "__global__ void set(int *p)\n"
    "{\n"
    "    *p = 1;\n"
    "}\n"
    "int main(void)\n"
    "{\n"
    "    int n = 0, x = 0, *p;\n"
    "    if (cudaGetDeviceCount(&n) != cudaSuccess || n == 0) {\n"
    "        puts(\"no CUDA device\");\n"
    "        return 1;\n"
    "    }\n"
    "    if (cudaMalloc((void **)&p, sizeof *p) == cudaSuccess) {\n"
    "        set<<<1, 1>>>(p);\n"
    "        cudaMemcpy(&x, p, sizeof x, cudaMemcpyDeviceToHost);\n"
    "    }\n"
    "    puts(x == 1 ? \"ready\" : \"wrong\");\n"
    "    return 0;\n"
    "}\n";

const char *diff_device_probe(const struct diff_target *target)
{
    return target->language == EMIT_OPENCL ? opencl_probe
           : target->language == EMIT_CUDA ? cuda_probe
                                           : NULL;
}

bool diff_device_absent(const struct diff_target *target, const char *printed,
                        const char **why)
{
    if (target->language != EMIT_CUDA ||
        strcmp(printed, "no CUDA device\n") != 0)
        return false;
    *why = "no CUDA device";
    return true;
}

const char *diff_device_kernels(const struct diff_target *target,
                                const char *const *arguments,
                                struct arena *arena)
{
    const char *first = arguments ? arguments[0] : NULL;
    return target->language == EMIT_OPENCL && first
               ? arena_printf(arena, "%s/kernels", first)
               : NULL;
}

const char *const *diff_device_environment(const struct diff_target *target,
                                           const char *const *arguments,
                                           struct arena *arena)
{
    size_t n = 0;
    const char *kernels = diff_device_kernels(target, arguments, arena);
    if (!kernels)
        return target->environment;
    while (target->environment && target->environment[n])
        n++;
    const char **all = ARENA_ARRAY(arena, n + 3, const char *);
    for (size_t i = 0; i < n; i++)
        all[i] = target->environment[i];
    all[n] = arena_printf(arena, "POCL_CACHE_DIR=%s", kernels);
    return all;
}
