/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of parameters and sizes: which there are, and which of those that
 * options give are none of them.
 */
#include "diff/input/known_names.h"

#include "diff/input/casefile.h"

#include <string.h>

#define MOST 24u /* that are listed */

struct known {
    size_t n;
    const char *names[MOST];
    bool more;
};

static void add(struct known *k, const char *name)
{
    for (size_t i = 0; i < k->n; i++)
        if (strcmp(k->names[i], name) == 0)
            return;
    if (k->n == MOST)
        k->more = true;
    else
        k->names[k->n++] = name;
}

static void put(struct buf *out, const struct known *k)
{
    buf_puts(out, k->n == 1 ? "; there is: " : "; there are: ");
    for (size_t i = 0; i < k->n; i++)
        buf_printf(out, "%s'%s'", i > 0 ? ", " : "", k->names[i]);
    buf_puts(out, k->n == 0 ? "none" : k->more ? ", …" : "");
}

static void add_all(struct known *k, const struct interp_signature *sig,
                    bool sizes)
{
    for (size_t i = 0; i < sig->nparams && !sizes; i++)
        add(k, sig->params[i].name);
    for (size_t i = 0; i < sig->nsymbols; i++)
        add(k, sig->symbols[i]);
}

void diff_put_known_of(struct buf *out, const struct interp_signature *sig,
                       bool sizes)
{
    struct known k = {0};
    add_all(&k, sig, sizes);
    put(out, &k);
}

void diff_put_known(struct buf *out, const struct ir_module *m)
{
    struct arena *arena = arena_new();
    struct known k = {0};
    for (size_t i = 0; i < m->nfuncs; i++) {
        struct interp_signature sig;
        if (interp_signature(m, m->funcs[i], NULL, 0, arena, &sig, NULL))
            add_all(&k, &sig, false);
    }
    put(out, &k);
    arena_free(arena);
}

static bool is_size(const struct ir_module *m, const char *name,
                    struct arena *arena)
{
    bool found = false;
    for (size_t i = 0; i < m->nfuncs && !found; i++) {
        struct interp_signature sig;
        found = interp_signature(m, m->funcs[i], NULL, 0, arena, &sig, NULL) &&
                diff_is_symbol(&sig, name);
    }
    return found;
}

static bool complain(const struct ir_module *m, const char *code,
                     const char *what, const char *name, const char *option,
                     struct diag_sink *sink)
{
    struct buf there = {0};
    diff_put_known(&there, m);
    (void)diag_error(sink, (struct diag_loc){.file = m->source}, code,
                     "no function has a %s '%s' (--%s)%s", what, name, option,
                     buf_text(&there));
    buf_fini(&there);
    return false;
}

bool diff_names_check(const struct diff_options *options,
                      const struct ir_module *m, size_t assumes, size_t shapes,
                      struct diag_sink *sink)
{
    struct arena *arena = arena_new();
    bool fine = true;
    for (size_t i = assumes; i < options->nassumes; i++)
        if (!diff_is_named(m, options->assumes[i].name, arena))
            fine = complain(m, "diff.assume", "parameter or a size",
                            options->assumes[i].name, "assume", sink);
    for (size_t i = shapes; i < options->nshapes; i++)
        if (!is_size(m, options->shapes[i].name, arena))
            fine = complain(m, "diff.shape", "symbolic size",
                            options->shapes[i].name, "shape", sink);
    for (size_t i = 0; i < options->nins; i++)
        if (!diff_is_named(m, options->ins[i].name, arena))
            fine = complain(m, "run.input", "parameter", options->ins[i].name,
                            "in", sink);
    arena_free(arena);
    return fine;
}
