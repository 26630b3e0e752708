/* SPDX-License-Identifier: Apache-2.0
 * The matmul of matmul.py as libraries of TVM's three calling conventions
 * export it (-DPACKED: up to 0.20, -DPLAIN: 0.21, else 0.22 and later), and with
 * faults: -DFAULT=refuses, crashes, hangs, drops, calls_tvm. Types are spelled
 * out here, not shared with the program that calls.
 */
#include <stdint.h>
#include <stdlib.h>

struct dltensor {
    float *data;
    int32_t device[2];
    int32_t ndim;
    uint8_t code, bits;
    uint16_t lanes;
    int64_t *shape, *strides;
    uint64_t byte_offset;
};

enum { none, refuses, crashes, hangs, drops, calls_tvm };
#ifndef FAULT
#define FAULT none
#endif

#ifdef PACKED
void *__tvm_module_ctx;
void *(*__TVMBackendAllocWorkspace)(int, int, uint64_t, int, int);
int (*__TVMBackendFreeWorkspace)(int, int, void *);
int (*__TVMBackendGetFuncFromEnv)(void *, const char *, void **);
void (*__TVMAPISetLastError)(const char *);
#define ALLOC            __TVMBackendAllocWorkspace
#define FREE             __TVMBackendFreeWorkspace
#define LOOKUP(name, to) __TVMBackendGetFuncFromEnv(__tvm_module_ctx, name, to)
#define SAY(text)        __TVMAPISetLastError(text)
#else
void *TVMBackendAllocWorkspace(int, int, uint64_t, int, int);
int TVMBackendFreeWorkspace(int, int, void *);
int TVMFFIEnvModLookupFromImports(void *, const char *, void **);
void TVMFFIErrorSetRaisedFromCStrParts(const char *, const char **, int32_t);
static void raise_error(const char *text)
{
    const char *parts[2] = {"in parts: ", text};
    TVMFFIErrorSetRaisedFromCStrParts("ValueError", parts, 2);
}
#define ALLOC            TVMBackendAllocWorkspace
#define FREE             TVMBackendFreeWorkspace
#define LOOKUP(name, to) TVMFFIEnvModLookupFromImports(NULL, name, to)
#define SAY(text)        raise_error(text)
#endif

static int matmul(struct dltensor *const t[3])
{
    void *function;
    for (int i = 0; i < 3; i++)
        if (t[i]->ndim != 2 || t[i]->code != 2 || t[i]->bits != 32 ||
            t[i]->lanes != 1 || t[i]->device[0] != 1 || t[i]->strides ||
            t[i]->byte_offset || (uintptr_t)t[i]->data % 64 != 0) {
            SAY("a tensor is not as it should be");
            return -1;
        }
    if (FAULT == refuses) {
        SAY("not today");
        return -1;
    }
    if (FAULT == calls_tvm)
        return LOOKUP("tvm.contrib.blas", &function);
    if (FAULT == crashes)
        abort();
    while (FAULT == hangs)
        (void)*(volatile int *)&t[0]->ndim;
    int64_t n = t[0]->shape[0], k = t[0]->shape[1], m = t[1]->shape[1];
    float *row = ALLOC(1, 0, (uint64_t)m * sizeof *row, 2, 32);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < m; j++) {
            row[j] = 0;
            for (int64_t p = 0; p < k - (FAULT == drops); p++) {
                volatile float product =
                    t[0]->data[i * k + p] * t[1]->data[p * m + j];
                row[j] = row[j] + product;
            }
            t[2]->data[i * m + j] = row[j];
        }
    }
    return FREE(1, 0, row);
}

#ifdef PACKED
union value {
    int64_t integer;
    void *pointer;
};
int main_function(union value *args, int *codes, int n, void *result,
                  int *result_code, void *resource) __asm__("main");
int main_function(union value *args, int *codes, int n, void *result,
                  int *result_code, void *resource)
{
    (void)result, (void)resource;
    if (n != 3 || codes[0] != 7 || codes[1] != 7 || codes[2] != 7 ||
        *result_code != 4)
        return -1;
    struct dltensor *const t[3] = {args[0].pointer, args[1].pointer,
                                   args[2].pointer};
    return matmul(t);
}
#else
struct any {
    int32_t type;
    uint32_t zero;
    void *pointer;
};
int32_t ffi_main(void *handle, const struct any *args, int32_t n,
                 struct any *result)
#ifdef PLAIN
    __asm__("main");
void *__tvm_ffi_library_ctx;
#else
    __asm__("__tvm_ffi_main");
#endif
int32_t ffi_main(void *handle, const struct any *args, int32_t n,
                 struct any *result)
{
    (void)handle;
    if (n != 3 || result->type != 0)
        return -1;
    struct dltensor *t[3];
    for (int i = 0; i < 3; i++) {
        if (args[i].type != 7 || args[i].zero != 0)
            return -1;
        t[i] = args[i].pointer;
    }
    return matmul(t);
}
#endif
