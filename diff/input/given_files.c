/* SPDX-License-Identifier: Apache-2.0
 *
 * Arrays from files for the parameters of one function.
 *
 * The file's type must be the parameter's; types that NumPy lacks come as bit
 * patterns (interp/data/npy.c). Its shape must be the parameter's as far as that is
 * known, and tells the symbolic sizes for the rest; a flat array will do where
 * there is nothing to tell. Files come from anywhere: each fault is told with the
 * file, what it holds and what was expected.
 */
#include "diff/input/given_files.h"

#include "diff/input/input.h"

#include <inttypes.h>
#include <string.h>

struct reading {
    const struct diff_options *o;
    const struct interp_signature *sig;
    struct arena *arena;
    struct diff_given *out;
    struct diag_sink *sink;
    const char **sources; /* of each symbol: who said so */
};

/* "float32[4, n]" */
static void put_param(struct buf *out, const struct interp_param *p)
{
    char name[48];
    buf_puts(out, dtype_name(p->dtype, name));
    if (!p->is_tensor)
        return;
    buf_putc(out, '[');
    for (size_t d = 0; d < p->rank; d++) {
        buf_puts(out, d > 0 ? ", " : "");
        if (p->shape[d] >= 0)
            buf_printf(out, "%" PRId64, p->shape[d]);
        else
            buf_puts(out, p->dim_names[d] ? p->dim_names[d] : "?");
    }
    buf_putc(out, ']');
}

static void put_tensor(struct buf *out, const struct interp_tensor *t)
{
    char name[48];
    buf_printf(out, "%s[", dtype_name(t->dtype, name));
    for (size_t d = 0; d < t->rank; d++)
        buf_printf(out, "%s%" PRId64, d > 0 ? ", " : "", t->shape[d]);
    buf_putc(out, ']');
}

static bool misfit(const char *file, const struct interp_param *p,
                   const struct interp_tensor *t, struct diag_sink *sink)
{
    struct buf text = {0};
    buf_puts(&text, "holds ");
    put_tensor(&text, t);
    buf_printf(&text, ", expected '%s', which is ", p->name);
    put_param(&text, p);
    bool fine = diag_error(sink, (struct diag_loc){.file = file}, "input.shape",
                           "%s", buf_text(&text));
    buf_fini(&text);
    return fine;
}

static bool same_shape(const struct interp_param *p,
                       const struct interp_tensor *t)
{
    bool same = p->rank == t->rank;
    for (size_t d = 0; same && d < p->rank; d++)
        same = p->shape[d] < 0 || p->shape[d] == t->shape[d];
    return same;
}

/* Whether the array can be the parameter's as far as its shape is known. */
static bool fits(const struct interp_param *p, const struct interp_tensor *t)
{
    size_t elements;
    if (!p->is_tensor)
        return t->elements == 1;
    return same_shape(p, t) ||
           (t->rank <= 1 && diff_param_elements(p, &elements) &&
            elements == t->elements);
}

/* ---- sizes ------------------------------------------------------------------- */

static bool clash(const struct reading *r, const char *file,
                  const struct interp_symbol *before, const char *source,
                  int64_t value)
{
    return diag_error(r->sink, (struct diag_loc){.file = file}, "input.size",
                      "'%s' is %" PRId64 " by '%s' and %" PRId64 " by %s",
                      before->name, value, source, before->value,
                      r->sources[before - r->out->symbols]);
}

/* Keeps a size, told by the parameter of that name. */
static bool add_symbol(struct reading *r, const char *file, const char *name,
                       const char *source, int64_t value)
{
    struct diff_given *g = r->out;
    for (size_t i = 0; i < g->nsymbols; i++)
        if (strcmp(g->symbols[i].name, name) == 0)
            return g->symbols[i].value == value ||
                   clash(r, file, &g->symbols[i], source, value);
    r->sources[g->nsymbols] = arena_printf(r->arena, "'%s'", source);
    g->symbols[g->nsymbols++] = (struct interp_symbol){name, value};
    return true;
}

static bool add_symbols(struct reading *r, const char *file,
                        const struct interp_param *p,
                        const struct interp_tensor *t)
{
    for (size_t d = 0; d < p->rank && t->rank == p->rank; d++)
        if (p->dim_names[d] &&
            !add_symbol(r, file, p->dim_names[d], p->name, t->shape[d]))
            return false;
    return p->is_tensor || !dtype_is_int(p->dtype) ||
           !diff_is_symbol(r->sig, p->name) ||
           add_symbol(r, file, p->name, p->name,
                      (int64_t)interp_tensor_get(t, 0));
}

static void add_shapes(struct reading *r)
{
    for (size_t i = 0; i < r->o->nshapes; i++) {
        const struct interp_symbol *s = &r->o->shapes[i];
        int64_t value;
        if (diff_is_symbol(r->sig, s->name) &&
            diff_shape_find(r->o, s->name, &value))
            (void)add_symbol(r, NULL, s->name, "--shape", value);
    }
}

/* ---- files ------------------------------------------------------------------- */

static bool read_one(struct reading *r, const struct diff_binding *b, size_t i,
                     struct interp_tensor **out, size_t *count)
{
    const struct interp_param *p = &r->sig->params[i];
    struct diag_loc loc = {.file = b->value};
    if (*out != NULL)
        return diag_error(r->sink, loc, "input.twice",
                          "'%s' has been given a file already", b->name);
    *out = npy_read(b->value, p->dtype, r->sink);
    if (*out == NULL)
        return false;
    (*count)++;
    return (fits(p, *out) || misfit(b->value, p, *out, r->sink)) &&
           add_symbols(r, b->value, p, *out);
}

static size_t position(const struct interp_signature *sig, const char *name)
{
    size_t i = 0;
    while (i < sig->nparams && strcmp(sig->params[i].name, name) != 0)
        i++;
    return i;
}

static bool read_all(struct reading *r)
{
    struct diff_given *g = r->out;
    bool fine = true;
    for (size_t k = 0; k < r->o->nins; k++) {
        size_t i = position(r->sig, r->o->ins[k].name);
        if (i < g->n)
            fine = read_one(r, &r->o->ins[k], i, &g->in[i], &g->nin) && fine;
    }
    for (size_t k = 0; k < r->o->nexpects; k++) {
        const struct diff_binding *b = &r->o->expects[k];
        size_t i = position(r->sig, b->name);
        if (i < g->n && !r->sig->params[i].stored)
            fine = diag_error(
                r->sink, (struct diag_loc){.file = b->value}, "input.expect",
                "'%s' is no output: nothing is stored to it", b->name);
        else if (i < g->n)
            fine = read_one(r, b, i, &g->expect[i], &g->nexpect) && fine;
    }
    return fine;
}

bool diff_given_read(const struct diff_options *options,
                     const struct interp_signature *sig, struct arena *arena,
                     struct diff_given *out, struct diag_sink *sink)
{
    struct reading r = {options, sig, arena, out, sink, NULL};
    size_t room = options->nshapes + 1;
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < sig->nparams; i++)
        room += 2 * (sig->params[i].rank + 1);
    r.sources = ARENA_ARRAY(arena, room, const char *);
    out->symbols = ARENA_ARRAY(arena, room, struct interp_symbol);
    out->n = sig->nparams;
    out->in = ARENA_ARRAY(arena, sig->nparams + 1, struct interp_tensor *);
    out->expect = ARENA_ARRAY(arena, sig->nparams + 1, struct interp_tensor *);
    add_shapes(&r);
    return read_all(&r);
}

static const char *file_of(const struct diff_binding *all, size_t n,
                           const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(all[i].name, name) == 0)
            return all[i].value;
    return NULL;
}

bool diff_given_fits(const struct diff_options *options,
                     const struct interp_signature *sig,
                     const struct diff_given *given, struct diag_sink *sink)
{
    bool fine = true;
    for (size_t i = 0; i < given->n && i < sig->nparams; i++) {
        const struct interp_param *p = &sig->params[i];
        const struct interp_tensor *in = given->in[i], *ex = given->expect[i];
        if (in && !fits(p, in))
            fine = misfit(file_of(options->ins, options->nins, p->name), p, in,
                          sink);
        if (ex && !fits(p, ex))
            fine = misfit(file_of(options->expects, options->nexpects, p->name),
                          p, ex, sink);
    }
    return fine;
}

void diff_given_fini(struct diff_given *given)
{
    for (size_t i = 0; i < given->n; i++) {
        interp_tensor_free(given->in[i]);
        interp_tensor_free(given->expect[i]);
    }
    given->n = 0;
}
