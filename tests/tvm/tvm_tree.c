/* SPDX-License-Identifier: Apache-2.0
 *
 * tvm_tree LIBRARY N: in which order the function `main` of a library that TVM
 * (0.22 or later) exported adds the products of A and B, N each, into C[0]:
 * B is all ones, A the terms that drift_tree_find wants summed. Prints what
 * kind of sum it is and the tree.
 */
#include "diff/drift/drift.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4096 };

struct tensor { /* DLTensor */
    void *data;
    int32_t device_type, device_id;
    int32_t ndim;
    uint8_t code, bits;
    uint16_t lanes;
    int64_t *shape, *strides;
    uint64_t byte_offset;
};
struct any { /* TVMFFIAny */
    int32_t type;
    uint32_t zero;
    void *pointer;
};
struct sum {
    int (*call)(void *handle, const struct any *args, int32_t n,
                struct any *result);
    _Alignas(64) float a[MOST], b[MOST], c[1];
    int64_t n;
};

static bool run(void *user, const double *terms, double *out)
{
    struct sum *s = user;
    int64_t one = 1;
    struct tensor t[3] = {{.data = s->a, .shape = &s->n},
                          {.data = s->b, .shape = &s->n},
                          {.data = s->c, .shape = &one}};
    struct any args[3], result = {0};
    for (int i = 0; i < 3; i++) {
        t[i].device_type = t[i].ndim = t[i].lanes = 1;
        t[i].code = 2;
        t[i].bits = 32;
        args[i] = (struct any){7, 0, &t[i]};
    }
    for (int64_t i = 0; i < s->n; i++) {
        s->a[i] = (float)terms[i];
        s->b[i] = 1;
    }
    if (s->call(NULL, args, 3, &result) != 0)
        return false;
    *out = (double)s->c[0];
    return true;
}

int main(int argc, char **argv)
{
    static struct sum s;
    s.n = argc == 3 ? strtol(argv[2], NULL, 10) : 0;
    if (s.n < 1 || s.n > MOST) {
        fputs("usage: tvm_tree LIBRARY N\n", stderr);
        return 2;
    }
    void *library = dlopen(argv[1], RTLD_LAZY | RTLD_LOCAL);
    void *symbol = library ? dlsym(library, "__tvm_ffi_main") : NULL;
    if (symbol == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 2;
    }
    memcpy(&s.call, &symbol, sizeof symbol);
    struct drift_summation question = {
        .dtype = DTYPE_FLOAT32, .n = (size_t)s.n, .run = run, .user = &s};
    struct drift_tree tree;
    const char *why = "";
    struct arena *arena = arena_new();
    struct buf text = {0};
    bool found = drift_tree_find(&question, arena, &tree, &why);
    if (found) {
        drift_tree_describe(&text, &tree);
        buf_putc(&text, '\n');
        drift_put_tree(&text, &tree, NULL, NULL, 12);
        fputs(buf_text(&text), stdout);
    } else {
        fprintf(stderr, "%s\n", why);
    }
    buf_fini(&text);
    arena_free(arena);
    (void)dlclose(library);
    return found ? 0 : 1;
}
