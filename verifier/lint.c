/* SPDX-License-Identifier: Apache-2.0
 *
 * One program by itself: whether it is safe for all inputs and sizes, and which
 * of its barriers could go.
 *
 * Safe means what the comparison of two programs takes for granted (safety.h),
 * that no address and no condition is undefined (control.c), and that no output
 * holds what nobody stored. A barrier may go when the program without it, and
 * without those found before it, is still free of races; its threads are not
 * put in another order by that, so its values stay (races.c).
 */
#include "verifier/compare/match.h"
#include "verifier/safety/safety.h"
#include "verifier/smt/obligation.h"
#include "verifier/value/clean.h"
#include "verifier/verifier.h"

#include <string.h>

/* Each barrier asks for all pairs of accesses again. */
#define MAX_BARRIERS 64u

struct lint {
    struct vprog *p;
    const struct verifier_options *options;
    struct verifier_lint *out;
    struct smt_limits limits;
};

static void spend(struct lint *l, const struct vctx *c)
{
    l->out->queries += smt_queries(c->smt);
    l->out->work += c->work;
}

DC_PRINTF(3, 4)
static bool give_up(struct lint *l, struct ir_pos pos, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    l->out->reason = arena_vprintf(l->out->arena, fmt, args);
    va_end(args);
    l->out->safe = false;
    l->out->pos = pos;
    return false;
}

/* ---- outputs ---------------------------------------------------------------- */

static bool output_defined(struct lint *l, struct vctx *c,
                           const struct vstorage *st)
{
    const struct ir_buffer *b = st->buffer;
    struct vinst *at = vinst_fresh(c, l->p, 0, NULL, 0, NULL);
    const struct aff **cell =
        ARENA_ARRAY(c->arena, b->rank + 1, const struct aff *);
    const struct form *in_shape = form_true(c->space);
    c->failed = NULL;
    for (size_t i = 0; i < b->rank; i++) {
        const struct aff *n = veval_index(c, at, b->shape[i]);
        if (n == NULL)
            return give_up(l, l->out->pos, "shape of '%s': %s", b->name,
                           c->failed);
        cell[i] = aff_of_atom(
            c->space, aff_var_make(c->space, arena_printf(c->arena, "o%zu", i),
                                   0, AFF_NO_BOUND, NULL, NULL));
        in_shape = form_and2(c->space, in_shape, form_lt(c->space, cell[i], n));
    }
    const struct value *v = vflow_final(c, l->p, st, cell, in_shape);
    if (v == NULL)
        return give_up(l, l->out->pos, "what '%s' holds is not known: %s",
                       b->name,
                       c->failed != NULL ? c->failed : "no value found");
    if (!OBLIGED(c->smt, "lint: an output is defined", !value_has_undef(v)))
        return give_up(l, l->out->pos,
                       "'%s' may hold what was read from uninitialised storage",
                       b->name);
    if (!OBLIGED(c->smt, "lint: an output is no undefined value",
                 !vclean_may_be_undefined(c, v)))
        return give_up(l, l->out->pos,
                       "'%s' may hold an undefined value: of a shift by the "
                       "width or more, or of a float that no integer holds",
                       b->name);
    return true;
}

static bool outputs_defined(struct lint *l, struct vctx *c)
{
    for (size_t i = 0; i < l->p->nparams; i++) {
        const struct vstorage *st = l->p->params[i];
        if (st != NULL && st->written && !output_defined(l, c, st))
            return false;
    }
    return true;
}

/* ---- safety ----------------------------------------------------------------- */

static void assume(struct lint *l, const char *text)
{
    struct verifier_lint *out = l->out;
    const char **now =
        ARENA_ARRAY(out->arena, out->nassumptions + 1, const char *);
    for (size_t i = 0; i < out->nassumptions; i++)
        now[i] = out->assumptions[i];
    now[out->nassumptions++] = text;
    out->assumptions = now;
}

static void keep_sizes(struct lint *l, const struct vsafety *s)
{
    struct verifier_lint *out = l->out;
    out->size_names = ARENA_ARRAY(out->arena, s->nsizes + 1, const char *);
    out->sizes = ARENA_ARRAY(out->arena, s->nsizes + 1, int64_t);
    out->nsizes = s->nsizes;
    for (size_t i = 0; i < s->nsizes; i++) {
        out->size_names[i] =
            arena_strdup(out->arena, l->p->symbols[i].var->name);
        out->sizes[i] = s->sizes[i];
    }
}

static bool has_sizes(const struct vprog *p)
{
    for (size_t i = 0; i < p->nsymbols; i++)
        if (p->symbols[i].dim >= 0)
            return true;
    return false;
}

static bool is_safe(struct lint *l, struct vctx *c)
{
    struct vsafety s = {0};
    struct ir_pos none = {0};
    if (!OBLIGED(c->smt, "control is defined", vcontrol_defined(c, l->p)))
        return give_up(l, none, "%s",
                       c->failed != NULL ? c->failed
                                         : "control depends on data");
    c->failed = NULL;
    if (!vsafety_prove(c, l->p, &s)) {
        if (s.candidate)
            keep_sizes(l, &s);
        l->out->kind =
            s.kind != VSAFETY_NONE ? vsafety_kind_name(s.kind) : NULL;
        return give_up(l, s.pos, "%s", s.reason);
    }
    if (!outputs_defined(l, c))
        return false;
    if (has_sizes(l->p))
        assume(l, "symbolic sizes are at least 1");
    if (s.assumes_sizes || c->used_sizes)
        assume(l, "no size and no tensor exceeds 2^30 elements");
    if (s.gives_assertion)
        assume(l, "sizes are such that its assertions on them hold");
    return true;
}

/* ---- barriers --------------------------------------------------------------- */

/* Whether the program with only these barriers has no race. */
static bool enough(struct lint *l, size_t n, struct vbarrier **barriers)
{
    struct vprog fewer = *l->p;
    struct vsafety s = {0};
    fewer.barriers = barriers;
    fewer.nbarriers = n;
    struct vctx *c = vctx_new(&fewer, NULL, &l->limits);
    match_serve(c);
    c->lone = true;
    vctx_give(c, l->options);
    bool safe = vsafety_prove(c, &fewer, &s);
    spend(l, c);
    vctx_free(c);
    return safe;
}

static void find_removable(struct lint *l)
{
    size_t n = l->p->nbarriers, kept = n;
    struct verifier_lint *out = l->out;
    struct vbarrier **now = ARENA_ARRAY(out->arena, n + 1, struct vbarrier *);
    out->nbarriers = n;
    out->barriers = ARENA_ARRAY(out->arena, n + 1, struct verifier_barrier);
    if (n > 0)
        memcpy(now, l->p->barriers, n * sizeof(struct vbarrier *));
    for (size_t i = 0; i < n; i++) {
        out->barriers[i].pos = l->p->barriers[i]->pos;
        out->barriers[i].scope =
            arena_strdup(out->arena, l->p->barriers[i]->scope);
    }
    out->barriers_asked = n <= MAX_BARRIERS;
    for (size_t i = 0, at = 0; i < n && out->barriers_asked; i++) {
        struct vbarrier **less =
            ARENA_ARRAY(out->arena, n + 1, struct vbarrier *);
        size_t m = 0;
        for (size_t k = 0; k < kept; k++)
            if (k != at)
                less[m++] = now[k];
        if (enough(l, m, less)) {
            out->barriers[i].removable = true;
            now = less;
            kept = m;
        } else {
            at++;
        }
    }
}

/* ---- all -------------------------------------------------------------------- */

/* Sizes are at least 1 to a proof (R16): of others it says nothing. */
static bool gives_less(const struct verifier_options *options)
{
    for (size_t i = 0; i < options->nsizes; i++)
        if (options->sizes[i].lo < 1)
            return true;
    return false;
}

void verifier_lint(const struct ir_module *module, const struct ir_func *func,
                   const struct verifier_options *options,
                   struct verifier_lint *out)
{
    struct lint l = {.options = options, .out = out};
    memset(out, 0, sizeof *out);
    out->arena = arena_new();
    l.limits = (struct smt_limits){.rlimit_query = options->rlimit_query,
                                   .rlimit_total = options->rlimit_total,
                                   .variant = options->variant};
#ifdef DC_TEST_OBLIGATIONS
    l.limits.leave_out = options->leave_out;
    l.p = vprog_make_without(module, func, options->leave_out);
#else
    l.p = vprog_make(module, func);
#endif
    if (options->explicit_barriers)
        l.p->explicit_shared = l.p->explicit_warp = true;
    if (l.p->unsupported != NULL) {
        give_up(&l, l.p->unsupported_pos, "%s", l.p->unsupported);
    } else if (gives_less(options)) {
        struct ir_pos none = {0};
        (void)give_up(&l, none, "the proof is for sizes of at least 1");
    } else {
        struct vctx *c = vctx_new(l.p, NULL, &l.limits);
        match_serve(c);
        c->lone = true;
        vctx_give(c, options);
        vsafety_assume_sizes(c);
        out->safe = true;
        bool safe = is_safe(&l, c);
        spend(&l, c);
        vctx_free(c);
        if (safe)
            find_removable(&l);
    }
    vprog_free(l.p);
}

void verifier_lint_fini(struct verifier_lint *out)
{
    arena_free(out->arena);
}
