/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared libraries that TVM exported, called through their symbols.
 *
 * No TVM takes part: diff/caller/call_library.c, a small program that diffcheck
 * carries as text, is compiled once by a compiler of this machine, loads the
 * library and calls the function as each of TVM's generations of calling
 * conventions wants it. It is a process of its own with limits, so that what
 * a library does to it is an outcome.
 *
 * --library tuned=FILE and untuned=FILE are the target `library`; a side
 * without a file does not run there.
 */
#include "diff/harness/route.h"

#include <string.h>
#include <unistd.h>

extern const char diff_call_library[];

static const char *const compilers[] = {"gcc", "cc", "clang", NULL};
static const char *const flags[] = {
    "-std=c11", "-D_POSIX_C_SOURCE=200809L", "-w", "-O2", "-rdynamic", NULL};
/* Libraries may need libm and not say so. */
static const char *const libraries[] = {"-Wl,--no-as-needed", "-ldl", "-lm",
                                        NULL};

static const struct diff_target caller = {
    .name = "library caller",
    .summary = "calls functions of shared libraries",
    .group = "library",
    .compilers = compilers,
    .flags = flags,
    .libraries = libraries,
};

void diff_caller_find(struct diff_cache *cache, struct arena *arena,
                      struct diff_toolchain *out)
{
    diff_toolchain_find(&caller, cache, arena, out);
}

/* ---- parameters -------------------------------------------------------------- */

/* "wt:2.32.1" for each; false with *why where one cannot be passed. */
static bool put_parameters(const struct interp_signature *sig, struct buf *out,
                           struct buf *why)
{
    for (size_t i = 0; i < sig->nparams; i++) {
        const struct interp_param *p = &sig->params[i];
        struct dtype t = p->dtype;
        unsigned code, bits;
        char name[48];
        dtype_to_dlpack(t, &code, &bits);
        bool odd = dtype_is_handle(t) || t.scalable || t.bits % 8 != 0 ||
                   t.bits < 8 ||
                   (!p->is_tensor &&
                    (t.lanes != 1 || (dtype_is_float(t) && t.bits < 16)));
        if (odd) {
            buf_printf(why,
                       "parameter '%s' is of type %s, which cannot be "
                       "passed to a library",
                       p->name, dtype_name(t, name));
            return false;
        }
        buf_printf(out, "%s%s%c:%u.%u.%u", i ? "," : "",
                   p->is_tensor && p->stored ? "w" : "",
                   p->is_tensor ? 't' : 's', code, bits, (unsigned)t.lanes);
    }
    return true;
}

enum report_outcome diff_caller_kernel(const struct diff_toolchain *tools,
                                       const struct diff_measurement *m,
                                       struct diff_measured *t, size_t side,
                                       const char *path, struct buf *why)
{
    struct buf parameters = {0};
    struct diff_kernel *k = &t->kernel[side];
    const char *program = NULL;
    if (!put_parameters(&m->samples[0].c->sig[side], &parameters, why)) {
        buf_fini(&parameters);
        return REPORT_SKIPPED;
    }
    program = diff_toolchain_build(tools, m->harness->cache, diff_call_library,
                                   m->pair->options->time_limit, t->arena, why);
    const char **argv = ARENA_ARRAY(t->arena, 5, const char *);
    argv[0] = program;
    argv[1] = path;
    argv[2] = m->side[side].func->name;
    argv[3] = arena_strdup(t->arena, buf_text(&parameters));
    k->runner = argv;
    k->what = "the library";
    buf_fini(&parameters);
    return program ? REPORT_EXACT : REPORT_ERROR;
}

/* ---- the target `library` ------------------------------------------------------ */

static void find(const struct diff_target *target, struct diff_python *python,
                 struct diff_cache *cache, struct arena *arena,
                 struct diff_toolchain *out)
{
    (void)python;
    diff_caller_find(cache, arena, out);
    struct diff_toolchain *tools = ARENA_NEW(arena, struct diff_toolchain);
    *tools = *out;
    out->own = tools;
    out->target = target;
}

/* dlopen looks for names without a '/' elsewhere. */
static const char *path_of(const char *file, struct arena *arena)
{
    return strchr(file, '/') ? file : arena_printf(arena, "./%s", file);
}

static enum report_outcome build(const struct diff_measurement *m,
                                 struct diff_measured *t, size_t side,
                                 struct buf *why)
{
    const char *file = m->harness->options->libraries[side];
    if (access(file, R_OK) != 0) {
        buf_printf(why, "the library '%s' cannot be read", file);
        return REPORT_ERROR;
    }
    return diff_caller_kernel(t->choice->tools.own, m, t, side,
                              path_of(file, t->arena), why);
}

const struct diff_route diff_route_library = {.find = find, .build = build};
