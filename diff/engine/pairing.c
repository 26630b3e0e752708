/* SPDX-License-Identifier: Apache-2.0
 *
 * Which function of the tuned module answers to which of the untuned one, and
 * which parameter to which.
 *
 * Functions are paired by name, but for those that --pair pairs; without it a
 * single function on each side is paired whatever the names. Parameters are
 * paired by position: TVM's transforms keep the order but may flatten buffers or
 * rename them, so kind, element type and number of elements must agree, names and
 * ranks need not.
 */
#include "diff/engine/engine.h"

#include <string.h>

static struct diag_loc nowhere(void)
{
    return (struct diag_loc){0};
}

static void put_names(const struct ir_func **funcs, size_t n, struct buf *out)
{
    for (size_t i = 0; i < n; i++)
        buf_printf(out, "%s'%s'", i ? ", " : "", funcs[i]->name);
    if (n == 0)
        buf_puts(out, "none");
}

static void put_entries(const struct ir_module *m, struct buf *out)
{
    struct arena *arena = arena_new();
    const struct ir_func **funcs =
        ARENA_ARRAY(arena, m->nfuncs + 1, const struct ir_func *);
    put_names(funcs, diff_entries(m, funcs), out);
    arena_free(arena);
}

/* Both modules, and what --pair says of them. */
struct sides {
    const struct diff_options *options;
    const struct ir_module *tuned, *untuned;
};

/* A pair of --pair holds where both its functions are there. */
static bool is_there(const struct sides *s, const struct diff_rename *r)
{
    return ir_module_find(s->tuned, r->tuned) != NULL &&
           ir_module_find(s->untuned, r->untuned) != NULL;
}

/* What the untuned function is called on the other side. */
static const char *tuned_name(const struct sides *s, const char *untuned)
{
    for (size_t i = 0; i < s->options->nrenames; i++) {
        const struct diff_rename *r = &s->options->renames[i];
        if (strcmp(r->untuned, untuned) == 0 && is_there(s, r))
            return r->tuned;
    }
    return untuned;
}

/* The reverse. */
static const char *untuned_name(const struct sides *s, const char *tuned)
{
    for (size_t i = 0; i < s->options->nrenames; i++) {
        const struct diff_rename *r = &s->options->renames[i];
        if (strcmp(r->tuned, tuned) == 0 && is_there(s, r))
            return r->untuned;
    }
    return tuned;
}

/* The partner by --pair or name; NULL if there is none, or it is another one's by
 * --pair. */
static const struct ir_func *tuned_of(const struct sides *s,
                                      const char *untuned)
{
    const char *name = tuned_name(s, untuned);
    return strcmp(untuned_name(s, name), untuned) == 0
               ? ir_module_find(s->tuned, name)
               : NULL;
}

static const struct ir_func *untuned_of(const struct sides *s,
                                        const char *tuned)
{
    const char *name = untuned_name(s, tuned);
    return strcmp(tuned_name(s, name), tuned) == 0
               ? ir_module_find(s->untuned, name)
               : NULL;
}

/* Functions of --pair are there; of many pairs of files each has some. */
static bool check_renames(const struct diff_options *options,
                          const struct ir_module *tuned,
                          const struct ir_module *untuned,
                          struct diag_sink *sink)
{
    bool fine = true;
    for (size_t i = 0; i < options->nrenames && !options->many; i++) {
        const struct diff_rename *r = &options->renames[i];
        struct buf there = {0};
        bool in_tuned = ir_module_find(tuned, r->tuned) != NULL;
        if (in_tuned && ir_module_find(untuned, r->untuned) != NULL)
            continue;
        put_entries(in_tuned ? untuned : tuned, &there);
        fine = diag_error(sink, nowhere(), "diff.function",
                          "no function '%s' in the %s module (--pair), there "
                          "is: %s",
                          in_tuned ? r->untuned : r->tuned,
                          in_tuned ? "untuned" : "tuned", buf_text(&there));
        buf_fini(&there);
    }
    return fine;
}

/* --function NAME: a function of that name on both sides, or by --pair on one of
 * them, or the only one on each side if one of them is called so. */
static bool match_named(const struct diff_options *options, const char *name,
                        const struct ir_module *tuned,
                        const struct ir_module *untuned,
                        const struct diff_match *only, struct diff_match *out,
                        struct diag_sink *sink)
{
    const struct sides s = {options, tuned, untuned};
    bool is_untuned = strcmp(tuned_name(&s, name), name) != 0;
    const char *u_name = is_untuned ? name : untuned_name(&s, name);
    const struct ir_func *t = ir_module_find(tuned, tuned_name(&s, u_name));
    const struct ir_func *u = ir_module_find(untuned, u_name);
    if (t && u) {
        out->tuned = t;
        out->untuned = u;
        return true;
    }
    if (only && (t == only->tuned || u == only->untuned) && (t || u)) {
        *out = *only;
        return true;
    }
    struct buf there = {0};
    put_entries(t ? untuned : tuned, &there);
    (void)diag_error(sink, nowhere(), "diff.function",
                     "no function '%s' in %s, there is: %s", name,
                     t   ? "the untuned module"
                     : u ? "the tuned module"
                         : "either module",
                     buf_text(&there));
    buf_fini(&there);
    return false;
}

/* Each that is named, in the order of the line; of two names of one pair the
 * first. */
static bool match_all_named(const struct diff_options *options,
                            const struct ir_module *tuned,
                            const struct ir_module *untuned,
                            const struct diff_match *only,
                            struct diff_match *out, size_t *n,
                            struct diag_sink *sink)
{
    bool fine = true;
    for (size_t i = 0; i < options->nfunctions; i++) {
        struct diff_match *m = &out[*n];
        bool seen = false;
        if (!match_named(options, options->functions[i], tuned, untuned, only,
                         m, sink)) {
            fine = false;
            continue;
        }
        for (size_t k = 0; k < *n; k++)
            seen = seen || out[k].untuned == m->untuned;
        *n += seen ? 0 : 1;
    }
    return fine;
}

static bool refuse(const struct ir_func **t, size_t nt,
                   const struct ir_func **u, size_t nu, const char *name,
                   bool in_tuned, struct diag_sink *sink)
{
    struct buf left = {0}, right = {0};
    put_names(t, nt, &left);
    put_names(u, nu, &right);
    (void)diag_error(sink, nowhere(), "diff.functions",
                     "function '%s' is in the %s module only; tuned has %s, "
                     "untuned has %s",
                     name, in_tuned ? "tuned" : "untuned", buf_text(&left),
                     buf_text(&right));
    buf_fini(&left);
    buf_fini(&right);
    return false;
}

/* By name over the entry functions; a partner that is no entry function of
 * its module (because another function calls it there) is taken, too. */
static bool
match_by_name(const struct diff_options *options, const struct ir_module *tuned,
              const struct ir_module *untuned, const struct ir_func **t,
              size_t nt, const struct ir_func **u, size_t nu,
              struct diff_match *out, size_t *n, struct diag_sink *sink)
{
    const struct sides s = {options, tuned, untuned};
    for (size_t i = 0; i < nu; i++) {
        const struct ir_func *partner = tuned_of(&s, u[i]->name);
        if (!partner && options->one_sided)
            continue;
        if (!partner)
            return refuse(t, nt, u, nu, u[i]->name, false, sink);
        out[*n].untuned = u[i];
        out[(*n)++].tuned = partner;
    }
    for (size_t i = 0; i < nt && !options->one_sided; i++) {
        if (!untuned_of(&s, t[i]->name))
            return refuse(t, nt, u, nu, t[i]->name, true, sink);
    }
    return true;
}

static bool refuse_all(const struct ir_func **t, size_t nt,
                       const struct ir_func **u, size_t nu,
                       struct diag_sink *sink)
{
    struct buf left = {0}, right = {0};
    put_names(t, nt, &left);
    put_names(u, nu, &right);
    (void)diag_error(sink, nowhere(), "diff.functions",
                     "no function is on both sides: tuned has %s, untuned has "
                     "%s",
                     buf_text(&left), buf_text(&right));
    buf_fini(&left);
    buf_fini(&right);
    return false;
}

/* Functions of --pair that are no entry functions, since others call them: what is
 * asked for by name is compared by itself, too. */
static void match_renamed(const struct diff_options *options,
                          const struct ir_module *tuned,
                          const struct ir_module *untuned,
                          struct diff_match *out, size_t *n)
{
    for (size_t i = 0; i < options->nrenames; i++) {
        const struct diff_rename *r = &options->renames[i];
        struct diff_match m = {ir_module_find(tuned, r->tuned),
                               ir_module_find(untuned, r->untuned), NULL};
        bool seen = m.tuned == NULL || m.untuned == NULL;
        for (size_t k = 0; k < *n && !seen; k++)
            seen = out[k].untuned == m.untuned;
        if (!seen)
            out[(*n)++] = m;
    }
}

bool diff_match_functions(const struct diff_options *options,
                          const struct ir_module *tuned,
                          const struct ir_module *untuned, struct arena *arena,
                          struct diff_match **out, size_t *n,
                          struct diag_sink *sink)
{
    const struct ir_func **t =
        ARENA_ARRAY(arena, tuned->nfuncs + 1, const struct ir_func *);
    const struct ir_func **u =
        ARENA_ARRAY(arena, untuned->nfuncs + 1, const struct ir_func *);
    size_t nt = diff_entries(tuned, t), nu = diff_entries(untuned, u);
    size_t most = untuned->nfuncs > options->nfunctions ? untuned->nfuncs
                                                        : options->nfunctions;
    struct diff_match *matches =
        ARENA_ARRAY(arena, most + 1, struct diff_match);
    *out = matches;
    *n = 0;
    if (nt == 0 || nu == 0)
        return diag_error(sink, nowhere(), "diff.functions",
                          "the %s module has no function with a body",
                          nt == 0 ? "tuned" : "untuned");
    bool fine = check_renames(options, tuned, untuned, sink);
    struct diff_match only = {t[0], u[0], NULL};
    bool single = nt == 1 && nu == 1 && options->nrenames == 0;
    if (!fine) {
        return false;
    } else if (options->nfunctions > 0) {
        fine = match_all_named(options, tuned, untuned, single ? &only : NULL,
                               matches, n, sink);
    } else if (single) {
        matches[0] = only;
        *n = 1;
    } else {
        fine = match_by_name(options, tuned, untuned, t, nt, u, nu, matches, n,
                             sink);
    }
    if (fine && options->nfunctions == 0)
        match_renamed(options, tuned, untuned, matches, n);
    if (fine && *n == 0 && options->needs_pair)
        return refuse_all(t, nt, u, nu, sink);
    for (size_t i = 0; fine && i < *n; i++) {
        if (matches[i].tuned->kind != matches[i].untuned->kind)
            return diag_error(sink, nowhere(), "diff.functions",
                              "'%s' is a PrimFunc on one side and a Relax "
                              "function on the other",
                              matches[i].untuned->name);
    }
    return fine;
}

static bool is_matched(const struct diff_match *matches, size_t n,
                       const struct ir_func *f)
{
    for (size_t i = 0; i < n; i++)
        if (matches[i].tuned == f || matches[i].untuned == f)
            return true;
    return false;
}

void diff_match_rest(const struct diff_options *options,
                     const struct ir_module *tuned,
                     const struct ir_module *untuned,
                     const struct diff_match *matches, size_t n,
                     struct report *report)
{
    const struct sides s = {options, tuned, untuned};
    if (options->nfunctions > 0 || !options->one_sided)
        return;
    size_t most =
        tuned->nfuncs > untuned->nfuncs ? tuned->nfuncs : untuned->nfuncs;
    const struct ir_func **funcs =
        ARENA_ARRAY(report->arena, most + 1, const struct ir_func *);
    size_t count = diff_entries(tuned, funcs);
    for (size_t i = 0; i < count; i++)
        if (!is_matched(matches, n, funcs[i]) &&
            !untuned_of(&s, funcs[i]->name))
            report_add(report, &report->only_tuned, "%s", funcs[i]->name);
    count = diff_entries(untuned, funcs);
    for (size_t i = 0; i < count; i++)
        if (!is_matched(matches, n, funcs[i]) && !tuned_of(&s, funcs[i]->name))
            report_add(report, &report->only_untuned, "%s", funcs[i]->name);
    report_list_sort(&report->only_tuned);
    report_list_sort(&report->only_untuned);
}

static bool same_and_long(const struct ir_module *tuned,
                          const struct ir_module *untuned,
                          const struct diff_match *match, double limit)
{
    struct ir_equal_options strict = {.map_free_vars = false};
    return match->untuned->kind == IR_FUNC_RELAX &&
           (diff_work(tuned, match->tuned, NULL, 0) > limit ||
            diff_work(untuned, match->untuned, NULL, 0) > limit) &&
           ir_func_equal(match->tuned, match->untuned, strict, NULL);
}

bool diff_match_parts(const struct diff_options *options,
                      const struct ir_module *tuned,
                      const struct ir_module *untuned, double limit,
                      struct arena *arena, struct diff_match **matches,
                      size_t *n, struct diag_sink *sink)
{
    const struct sides s = {options, tuned, untuned};
    struct diff_match *out =
        ARENA_ARRAY(arena, *n + untuned->nfuncs + 1, struct diff_match);
    const char *caller = NULL;
    size_t kept = 0;
    for (size_t i = 0; i < *n; i++) {
        if (same_and_long(tuned, untuned, &(*matches)[i], limit))
            caller = (*matches)[i].untuned->name;
        else
            out[kept++] = (*matches)[i];
    }
    for (size_t i = 0; caller && i < untuned->nfuncs; i++) {
        const struct ir_func *u = untuned->funcs[i];
        const struct ir_func *t = tuned_of(&s, u->name);
        if (u->kind != IR_FUNC_PRIM || !u->prim.body)
            continue;
        if (!t || t->kind != IR_FUNC_PRIM)
            return diag_error(sink, nowhere(), "diff.functions",
                              "function '%s' is in the untuned module only",
                              u->name);
        out[kept].untuned = u;
        out[kept].tuned = t;
        out[kept++].caller = caller;
    }
    *matches = out;
    *n = kept;
    return true;
}

/* ---- parameters ------------------------------------------------------------------- */

static void put_param(const struct interp_param *p, struct buf *out)
{
    char type[48];
    buf_printf(out, "%s: %s", p->name, dtype_name(p->dtype, type));
    if (!p->is_tensor)
        return;
    buf_putc(out, '[');
    for (size_t d = 0; d < p->rank; d++) {
        buf_puts(out, d ? ", " : "");
        if (p->shape[d] >= 0)
            buf_printf(out, "%lld", (long long)p->shape[d]);
        else
            buf_puts(out, p->dim_names[d] ? p->dim_names[d] : "?");
    }
    buf_putc(out, ']');
}

static void put_params(const struct interp_signature *sig, struct buf *out)
{
    buf_putc(out, '(');
    for (size_t i = 0; i < sig->nparams; i++) {
        buf_puts(out, i ? ", " : "");
        put_param(&sig->params[i], out);
    }
    buf_putc(out, ')');
}

bool diff_same_param(const struct interp_param *a, const struct interp_param *b)
{
    size_t na, nb;
    if (a->is_tensor != b->is_tensor ||
        !dtype_equal(dtype_scalar(a->dtype), dtype_scalar(b->dtype)))
        return false;
    if (!a->is_tensor)
        return true;
    if (!diff_param_elements(a, &na) || !diff_param_elements(b, &nb))
        return true; /* sizes not known yet, or too many elements */
    return na == nb;
}

/* The distance of a dimension's elements that a buffer declares, or that its shape
 * gives it; -1: not a number. */
static int64_t distance(const struct ir_buffer *b, size_t d)
{
    int64_t step = 1, n;
    if (b->nstrides == b->rank && b->strides[d]->kind != IR_VAR_REF)
        return ir_const_int(b->strides[d], &n) ? n : -1;
    for (size_t k = d + 1; k < b->rank; k++) {
        if (!ir_const_int(b->shape[k], &n) ||
            __builtin_mul_overflow(step, n, &step))
            return -1;
    }
    return step;
}

static bool is_compact(const struct ir_buffer *b)
{
    struct ir_buffer plain = *b;
    plain.nstrides = 0;
    for (size_t d = 0; d < b->rank; d++)
        if (distance(b, d) != distance(&plain, d))
            return false;
    return true;
}

/* Whether the caller can lay the parameter out for both sides. */
static bool same_layout(const struct ir_buffer *a, const struct ir_buffer *b)
{
    if (!a || !b || (is_compact(a) && is_compact(b)))
        return true;
    bool same = a->rank == b->rank;
    for (size_t d = 0; same && d < a->rank; d++)
        same = distance(a, d) == distance(b, d);
    return same;
}

static bool match_layouts(const struct diff_pair *pair, struct diag_sink *sink)
{
    const struct ir_func *u = pair->side[UNTUNED].func;
    const struct ir_func *t = pair->side[TUNED].func;
    for (size_t i = 0; u->kind == IR_FUNC_PRIM && t->kind == IR_FUNC_PRIM &&
                       i < u->prim.nparams && i < t->prim.nparams;
         i++) {
        if (same_layout(u->prim.params[i].buffer, t->prim.params[i].buffer))
            continue;
        return diag_error(sink, nowhere(), "diff.parameters",
                          "parameter lists of '%s' cannot be matched by "
                          "position: parameter %zu, '%s', is declared with "
                          "other strides on each side",
                          pair->out->function, i + 1,
                          u->prim.params[i].buffer->name);
    }
    return true;
}

bool diff_match_params(const struct diff_pair *pair,
                       const struct interp_signature *untuned,
                       const struct interp_signature *tuned,
                       struct diag_sink *sink)
{
    bool fine = untuned->nparams == tuned->nparams;
    size_t at = 0;
    for (; fine && at < untuned->nparams; at++) {
        fine = diff_same_param(&untuned->params[at], &tuned->params[at]);
        if (!fine)
            break;
    }
    if (fine)
        return match_layouts(pair, sink);
    struct buf left = {0}, right = {0};
    put_params(tuned, &left);
    put_params(untuned, &right);
    if (untuned->nparams != tuned->nparams)
        (void)diag_error(sink, nowhere(), "diff.parameters",
                         "parameter lists of '%s' cannot be matched: tuned "
                         "has %zu %s, untuned has %zu %s",
                         pair->out->function, tuned->nparams, buf_text(&left),
                         untuned->nparams, buf_text(&right));
    else
        (void)diag_error(sink, nowhere(), "diff.parameters",
                         "parameter lists of '%s' cannot be matched by "
                         "position: parameter %zu differs in type or size; "
                         "tuned %s, untuned %s",
                         pair->out->function, at + 1, buf_text(&left),
                         buf_text(&right));
    buf_fini(&left);
    buf_fini(&right);
    return false;
}
