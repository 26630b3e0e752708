/* SPDX-License-Identifier: Apache-2.0
 *
 * The proof of one pair, top to bottom: both programs translated, both shown
 * safe, each output cell's value found on both sides and compared; first for
 * equal bits, then modulo the order of terms, then without conversions.
 *
 * What stays unproved is `unknown`, or a candidate: a place where a run should
 * look. Nothing is ever different because a proof failed.
 */
#include "verifier/prove/prove.h"

#include "verifier/certificate/certificate.h"
#include "verifier/compare/match.h"
#include "verifier/safety/safety.h"
#include "verifier/smt/obligation.h"
#include "verifier/value/clean.h"

#include <string.h>

DC_PRINTF(2, 3)
static bool give_up(struct proof *p, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    p->out->reason = arena_vprintf(p->out->arena, fmt, args);
    va_end(args);
    p->out->verdict = VERIFIER_UNKNOWN;
    return false;
}

static const char *side_name(size_t side)
{
    return side == 0 ? "untuned" : "tuned";
}

/* ---- parameters ------------------------------------------------------------- */

static bool same_kind(const struct vprog *a, const struct vprog *b, size_t i)
{
    if ((a->params[i] == NULL) != (b->params[i] == NULL))
        return false;
    if (a->params[i] == NULL)
        return dtype_equal(a->scalars[i]->dtype, b->scalars[i]->dtype);
    return dtype_equal(a->params[i]->buffer->dtype,
                       b->params[i]->buffer->dtype);
}

static bool translate(struct proof *p, size_t side,
                      const struct ir_module *module,
                      const struct ir_func *func)
{
#ifdef DC_TEST_OBLIGATIONS
    p->progs[side] = vprog_make_without(module, func, p->options->leave_out);
#else
    p->progs[side] = vprog_make(module, func);
#endif
    struct vprog *prog = p->progs[side];
    const bool *fresh = p->options->fresh;
    if (p->options->explicit_barriers)
        prog->explicit_shared = prog->explicit_warp = true;
    for (size_t i = 0; fresh != NULL && i < prog->nparams; i++)
        if (prog->params[i] != NULL)
            prog->params[i]->fresh = fresh[i];
    if (prog->unsupported == NULL)
        return true;
    struct buf where = {0};
    struct diag_loc loc = ir_loc(module, prog->unsupported_pos, &where);
    if (loc.line > 0)
        give_up(p, "the %s side: %s (line %u)", side_name(side),
                prog->unsupported, loc.line);
    else
        give_up(p, "the %s side: %s", side_name(side), prog->unsupported);
    buf_fini(&where);
    return false;
}

static bool check_params(struct proof *p)
{
    const struct vprog *a = p->progs[0], *b = p->progs[1];
    if (a->nparams != b->nparams)
        return give_up(p, "the sides have %zu and %zu parameters", a->nparams,
                       b->nparams);
    for (size_t i = 0; i < a->nparams; i++)
        if (!same_kind(a, b, i))
            return give_up(p, "parameter %zu is of another kind on each side",
                           i);
    return true;
}

/* ---- layouts ----------------------------------------------------------------- */

static const struct aff **affs_of(struct proof *p, size_t side, size_t n,
                                  struct ir_expr *const *list)
{
    struct vinst *at = vinst_fresh(p->c, p->progs[side], 0, NULL, 0, NULL);
    const struct aff **out =
        ARENA_ARRAY(p->c->arena, n + 1, const struct aff *);
    for (size_t i = 0; i < n; i++) {
        out[i] = veval_index(p->c, at, list[i]);
        if (out[i] == NULL)
            return NULL;
    }
    return out;
}

static bool same_affs(size_t n, const struct aff *const *a,
                      const struct aff *const *b)
{
    for (size_t i = 0; i < n; i++)
        if (a[i] != b[i])
            return false;
    return true;
}

/* Strides that leave gaps: both sides have to have the same. */
static bool same_strides(struct proof *p, size_t param)
{
    const struct vstorage *s[2] = {p->progs[0]->params[param],
                                   p->progs[1]->params[param]};
    const struct aff **strides[2];
    if (s[0]->strides == NULL && s[1]->strides == NULL)
        return true;
    if (s[0]->strides == NULL || s[1]->strides == NULL ||
        p->c->params[param].differs)
        return false;
    for (size_t side = 0; side < 2; side++) {
        strides[side] =
            affs_of(p, side, s[side]->buffer->rank, s[side]->strides);
        if (strides[side] == NULL)
            return false;
    }
    return same_affs(s[0]->buffer->rank, strides[0], strides[1]);
}

static const struct aff *elements(struct proof *p, size_t n,
                                  const struct aff *const *shape)
{
    const struct aff *total = aff_const(p->c->space, 1);
    for (size_t i = 0; i < n; i++)
        total = aff_mul(p->c->space, total, shape[i]);
    return total;
}

/* How a parameter lies in memory: in the same way on both sides, or in rows of
 * another length, but of as many elements. */
static bool read_layout(struct proof *p, size_t param)
{
    struct vparam *x = &p->c->params[param];
    for (size_t side = 0; side < 2; side++) {
        const struct ir_buffer *b = p->progs[side]->params[param]->buffer;
        x->rank[side] = b->rank;
        x->shape[side] = affs_of(p, side, b->rank, b->shape);
        if (x->shape[side] == NULL)
            return give_up(p, "shape of parameter %zu: %s", param,
                           p->c->failed);
    }
    x->differs = x->rank[0] != x->rank[1] ||
                 !same_affs(x->rank[0], x->shape[0], x->shape[1]);
    if (!OBLIGED(p->c->smt, "the same strides", same_strides(p, param)))
        return give_up(p,
                       "parameter %zu is declared with other strides on "
                       "each side",
                       param);
    if (!OBLIGED(p->c->smt, "as many elements",
                 elements(p, x->rank[0], x->shape[0]) ==
                     elements(p, x->rank[1], x->shape[1])))
        return give_up(p,
                       "parameter %zu has another number of elements on "
                       "each side",
                       param);
    return true;
}

static bool read_layouts(struct proof *p)
{
    size_t n = p->progs[0]->nparams;
    p->c->params = ARENA_ARRAY(p->c->arena, n + 1, struct vparam);
    for (size_t i = 0; i < n; i++)
        if (p->progs[0]->params[i] != NULL && !read_layout(p, i))
            return false;
    return true;
}

/* ---- output cells ----------------------------------------------------------- */

/* The tuned side's cell for an untuned side's: the same where the shapes are,
 * else by the row-major offset. */
static void tuned_cell(struct proof *p, const struct output *o,
                       const struct aff **out)
{
    struct aff_space *s = p->c->space;
    const struct vparam *x = &p->c->params[o->param];
    const struct aff *offset = aff_const(s, 0);
    for (size_t i = 0; i < o->rank; i++) {
        if (!x->differs)
            out[i] = o->cell[i];
        if (i > 0)
            offset = aff_mul(s, offset, x->shape[0][i]);
        offset = aff_add(s, offset, o->cell[i]);
    }
    for (size_t i = x->rank[1]; x->differs && i-- > 0;) {
        const struct aff *n = x->shape[1][i], *rest = offset;
        int64_t k;
        if (i > 0)
            offset = aff_is_const(n, &k) ? aff_floordiv(s, offset, k)
                                         : aff_floordiv_sym(s, offset, n);
        out[i] = i > 0 ? aff_sub(s, rest, aff_mul(s, n, offset)) : rest;
    }
}

/* Any cell of the parameter. */
static void begin_output(struct proof *p, struct output *o)
{
    struct vctx *c = p->c;
    struct aff_space *s = c->space;
    o->shape = c->params[o->param].shape[0];
    o->rank = c->params[o->param].rank[0];
    o->cell = ARENA_ARRAY(c->arena, o->rank + 1, const struct aff *);
    o->atoms = ARENA_ARRAY(c->arena, o->rank + 1, atom_id);
    o->in_shape = form_true(s);
    for (size_t i = 0; i < o->rank; i++) {
        int64_t lo, hi;
        aff_range(s, o->shape[i], &lo, &hi);
        if (hi == AFF_NO_BOUND || hi > INT64_MAX / 8)
            hi = INT64_MAX / 8;
        o->atoms[i] = aff_var_make(s, arena_printf(c->arena, "o%zu", i), 0,
                                   hi < 1 ? 0 : hi - 1, NULL, NULL);
        o->cell[i] = aff_of_atom(s, o->atoms[i]);
        o->in_shape =
            form_and2(s, o->in_shape, form_lt(s, o->cell[i], o->shape[i]));
    }
}

bool prove_values(struct proof *p, struct output *o)
{
    struct vctx *c = p->c;
    const struct aff *const *cells[2];
    const struct aff **tuned = ARENA_ARRAY(
        c->arena, c->params[o->param].rank[1] + 1, const struct aff *);
    tuned_cell(p, o, tuned);
    cells[0] = o->cell;
    cells[1] = tuned;
    for (size_t side = 0; side < 2; side++) {
        c->failed = NULL;
        c->unset = NULL;
        o->values[side] =
            vflow_final(c, p->progs[side], p->progs[side]->params[o->param],
                        cells[side], o->in_shape);
        if (o->values[side] != NULL)
            continue;
        give_up(p, "the %s side: %s", side_name(side),
                c->failed != NULL ? c->failed : "no value found");
        if (!vctx_spent(c) && !smt_exhausted(c->smt))
            p->out->verdict = VERIFIER_CANDIDATE;
        return false;
    }
    return true;
}

static bool find_outputs(struct proof *p)
{
    size_t n = p->progs[0]->nparams;
    p->outputs = ARENA_ARRAY(p->c->arena, n + 1, struct output);
    for (size_t i = 0; i < n; i++) {
        const struct vstorage *a = p->progs[0]->params[i];
        const struct vstorage *b = p->progs[1]->params[i];
        if (a == NULL ||
            (!a->written && !a->fresh &&
             OBLIGED(p->c->smt, "the tuned side's outputs", !b->written)))
            continue;
        struct output *o = &p->outputs[p->noutputs++];
        o->param = (int)i;
        begin_output(p, o);
        if (p->options->place)
            candidate_watch(p->c);
        if (!prove_values(p, o)) {
            candidate_find(p, o);
            return false;
        }
    }
    return true;
}

/* ---- comparison ------------------------------------------------------------- */

static void place_candidate(struct proof *p, const struct output *o)
{
    p->out->verdict = VERIFIER_CANDIDATE;
    p->out->param = o->param;
}

static bool undefined(struct proof *p, const struct output *o)
{
    if (!OBLIGED(p->c->smt, "the untuned result is defined",
                 !value_has_undef(o->values[0]))) {
        give_up(p,
                "the untuned side may leave parts of parameter %d "
                "undefined",
                o->param);
        return true;
    }
    if (OBLIGED(p->c->smt, "the tuned result is defined",
                !value_has_undef(o->values[1])))
        return false;
    if (p->c->unset != NULL)
        give_up(p,
                "the tuned side may read uninitialised storage for parameter "
                "%d: '%s', where nothing was stored",
                o->param, p->c->unset->buffer->name);
    else
        give_up(p,
                "the tuned side may read uninitialised storage for parameter "
                "%d",
                o->param);
    place_candidate(p, o);
    return true;
}

struct attempt {
    enum match_mode mode;
    bool lift_zeros, without_casts;
    enum verifier_verdict verdict;
};

static const struct attempt attempts[] = {
    {MATCH_IDENTICAL, false, false, VERIFIER_IDENTICAL},
    {MATCH_ORDER, false, false, VERIFIER_ORDER_ONLY},
    {MATCH_ORDER, true, false, VERIFIER_ORDER_ONLY},
    {MATCH_ORDER, false, true, VERIFIER_PRECISION},
    {MATCH_ORDER, true, true, VERIFIER_PRECISION},
};

/* Worse of two proved verdicts. */
static enum verifier_verdict worse(enum verifier_verdict a,
                                   enum verifier_verdict b)
{
    return a > b ? a : b;
}

static bool try_match(struct proof *p, const struct output *o,
                      const struct attempt *a, struct match *m)
{
    size_t mark = smt_log_size(p->c->smt);
    const struct value *v[2] = {o->values[0], o->values[1]};
    *m = (struct match){.c = p->c,
                        .mode = a->mode,
                        .lift_zeros = a->lift_zeros,
                        .without_bits = a->without_casts || p->probing};
    if (a->without_casts)
        for (size_t i = 0; i < 2; i++)
            v[i] = match_value_without_casts(p->c, v[i]);
    if (match_values(m, v[0], v[1], o->in_shape))
        return true;
    smt_log_truncate(p->c->smt, mark);
    return false;
}

static void take_over(struct proof *p, const struct match *m)
{
    p->finite |= m->used_finite;
    p->non_nan |= m->used_non_nan;
    p->in_range |= m->used_in_range;
}

bool prove_output(struct proof *p, const struct output *o)
{
    const char *swapped = NULL, *why = NULL;
    if (undefined(p, o))
        return false;
    for (size_t i = 0; i < DC_ARRAY_LEN(attempts); i++) {
        struct match m;
        bool ok = try_match(p, o, &attempts[i], &m);
        if (m.swapped != NULL && swapped == NULL)
            swapped = m.swapped;
        if (m.why != NULL && (why == NULL || attempts[i].mode == MATCH_ORDER))
            why = m.why;
        if (!ok)
            continue;
        take_over(p, &m);
        p->defined |= vclean_may_be_undefined(p->c, o->values[0]);
        p->verdict = worse(p->verdict, attempts[i].verdict);
        if (attempts[i].verdict == VERIFIER_ORDER_ONLY &&
            p->out->swapped == NULL && swapped != NULL)
            p->out->swapped = arena_strdup(p->out->arena, swapped);
        return true;
    }
    give_up(p, "parameter %d: %s", o->param,
            why != NULL ? why : "the values could not be matched");
    place_candidate(p, o);
    return false;
}

static bool compare_output(struct proof *p, const struct output *o)
{
    if (p->options->place)
        candidate_watch(p->c);
    if (prove_output(p, o))
        return true;
    if (p->out->verdict == VERIFIER_CANDIDATE)
        candidate_find(p, o);
    return false;
}

/* The sizes at which the tuned side may have a fault. */
static void place_sizes(struct proof *p, const struct vsafety *s)
{
    struct verifier_result *r = p->out;
    const struct vprog *prog = p->progs[1];
    r->size_names = ARENA_ARRAY(r->arena, s->nsizes + 1, const char *);
    r->sizes = ARENA_ARRAY(r->arena, s->nsizes + 1, int64_t);
    for (size_t i = 0; i < s->nsizes; i++) {
        const struct vsymbol *own = &prog->symbols[i];
        const char *name = NULL; /* as the untuned side calls it */
        for (size_t k = 0; k < p->progs[0]->nsymbols; k++) {
            const struct vsymbol *other = &p->progs[0]->symbols[k];
            if (other->param == own->param && other->dim == own->dim)
                name = other->var->name;
        }
        if (own->dim < 0 || name == NULL)
            continue;
        r->size_names[r->nsizes] = arena_strdup(r->arena, name);
        r->sizes[r->nsizes++] = s->sizes[i];
    }
}

static bool prove_safety(struct proof *p)
{
    bool access = false, divisor = false;
    for (size_t side = 0; side < 2; side++) {
        struct vsafety s = {0};
        p->c->failed = NULL;
        if (!OBLIGED(p->c->smt, "control is defined",
                     vcontrol_defined(p->c, p->progs[side]))) {
            give_up(p, "the %s side: %s", side_name(side),
                    p->c->failed != NULL ? p->c->failed
                                         : "control depends on data");
            if (side == 1)
                p->out->verdict = VERIFIER_CANDIDATE;
            return false;
        }
        p->c->failed = NULL;
        if (vsafety_prove(p->c, p->progs[side], &s)) {
            p->sizes |= s.assumes_sizes;
            p->fit |= s.assumes_fit;
            p->defined |= s.assumes_defined;
            p->assumed = form_and2(p->c->space, p->assumed, s.assumed);
            access |= s.trusts_access;
            divisor |= s.trusts_divisor;
            p->out->untuned_trusts =
                side == 1 && ((access && !s.leans_access) || divisor);
            continue;
        }
        give_up(p, "the %s side was not shown safe: %s", side_name(side),
                s.reason);
        if (side == 1)
            p->out->verdict = VERIFIER_CANDIDATE;
        if (side == 1 && s.candidate)
            place_sizes(p, &s);
        return false;
    }
    return true;
}

/* ---- what is claimed is no claim about nothing ------------------------------ */

/* Whether some element of an output is left by all that is assumed: of sizes,
 * by the untuned program's assertions, by what defines the integers in them. A
 * contradiction there would make every obligation true. */
static bool possible(struct proof *p, const struct output *o)
{
    struct vctx *c = p->c;
    const struct form *all = form_and2(c->space, p->assumed, c->facts);
    return smt_unsat(c->smt, form_and2(c->space, all, o->in_shape),
                     "possible: an element", false) == SMT_REFUTED;
}

static bool check_possible(struct proof *p)
{
    if (!OBLIGED(p->c->smt, "possible: an output", p->noutputs > 0))
        return give_up(p, "neither side stores to a parameter that has "
                          "elements: there is nothing to compare");
    for (size_t i = 0; i < p->noutputs; i++)
        if (!OBLIGED(p->c->smt, "possible: an element",
                     possible(p, &p->outputs[i])))
            return give_up(p,
                           "parameter %d: what is assumed was not shown to "
                           "leave an element of it",
                           p->outputs[i].param);
    return true;
}

/* ---- what is reported ------------------------------------------------------- */

static void assume(struct verifier_result *r, const char *text)
{
    const char **now = ARENA_ARRAY(r->arena, r->nassumptions + 1, const char *);
    for (size_t i = 0; i < r->nassumptions; i++)
        now[i] = r->assumptions[i];
    now[r->nassumptions++] = text;
    r->assumptions = now;
}

static const char *reason_of(enum verifier_verdict v)
{
    switch (v) {
    case VERIFIER_IDENTICAL:
        return "each output element is computed by the same operations in the "
               "same order, for all inputs";
    case VERIFIER_ORDER_ONLY:
        return "each output element combines the same terms; their order or "
               "grouping differs";
    default:
        return "the same terms are combined, but rounding points or types of "
               "intermediates differ";
    }
}

/* What outputs may come from (R9, R10), for whoever goes on with them. */
static void tell_origins(struct proof *p)
{
    struct verifier_result *r = p->out;
    r->defined = !p->defined; /* nothing of the kind is assumed */
    r->fit = true;
    for (size_t i = 0; i < p->noutputs; i++)
        for (size_t side = 0; side < 2; side++) {
            const struct value *v = p->outputs[i].values[side];
            r->defined &= !vclean_may_be_undefined(p->c, v);
            r->fit &= !vclean_may_overflow(p->c, v);
        }
}

static void conclude(struct proof *p)
{
    struct verifier_result *r = p->out;
    r->verdict = p->verdict;
    r->reason = reason_of(p->verdict);
    if (p->finite)
        assume(r, "finite");
    if (p->non_nan && p->verdict != VERIFIER_IDENTICAL)
        assume(r, "non-NaN");
    if (p->in_range && p->verdict != VERIFIER_IDENTICAL)
        assume(r, "in-range");
    if (p->c->tile_products)
        assume(r, "products inside tile instructions are rounded to the "
                  "accumulator's type");
    r->nmatching = r->nassumptions;
    if (p->fit)
        assume(r,
               "the untuned module's int32 and int64 arithmetic that decides "
               "addresses and conditions does not overflow");
    if (p->defined)
        assume(r, "the untuned module computes no undefined value (shifts by "
                  "the width or more, floats out of an integer's range)");
    if (p->sizes || p->c->used_sizes)
        assume(r,
               "no symbolic size and no tensor of one exceeds 2^30 elements");
    tell_origins(p);
}

static void write_explanation(struct proof *p)
{
    struct buf *out = &p->out->explanation;
    for (size_t i = 0; i < p->noutputs; i++) {
        const struct output *o = &p->outputs[i];
        for (size_t side = 0; side < 2; side++) {
            if (o->values[side] == NULL)
                continue;
            buf_printf(out, "%s side, parameter %d at [", side_name(side),
                       o->param);
            for (size_t k = 0; k < o->rank; k++)
                buf_printf(out, "%so%zu", k > 0 ? ", " : "", k);
            buf_puts(out, "]:\n    ");
            value_print(p->c, o->values[side], out);
            buf_putc(out, '\n');
        }
    }
    for (size_t i = 0; i < smt_log_size(p->c->smt); i++) {
        const struct smt_obligation *ob = smt_log_at(p->c->smt, i);
        buf_printf(out, "shown: %s\n", ob->what);
    }
}

static void write_certificate(struct proof *p,
                              const struct ir_module *const modules[2],
                              const struct ir_func *const funcs[2])
{
    struct certificate_output *outputs =
        ARENA_ARRAY(p->c->arena, p->noutputs + 1, struct certificate_output);
    for (size_t i = 0; i < p->noutputs; i++) {
        outputs[i].param = p->outputs[i].param;
        outputs[i].values[0] = p->outputs[i].values[0];
        outputs[i].values[1] = p->outputs[i].values[1];
    }
    certificate_write(p->c, modules, funcs, p->out, p->noutputs, outputs,
                      &p->out->certificate);
}

void verifier_prove(const struct ir_module *tuned_module,
                    const struct ir_func *tuned,
                    const struct ir_module *untuned_module,
                    const struct ir_func *untuned,
                    const struct verifier_options *options,
                    struct verifier_result *out)
{
    struct proof p = {.options = options, .out = out};
    p.verdict = VERIFIER_IDENTICAL;
    *out = (struct verifier_result){.arena = arena_new(), .param = -1};
    bool ok = translate(&p, 0, untuned_module, untuned) &&
              translate(&p, 1, tuned_module, tuned) && check_params(&p);
    if (ok) {
        struct smt_limits limits = {.rlimit_query = options->rlimit_query,
                                    .rlimit_total = options->rlimit_total,
                                    .variant = options->variant};
#ifdef DC_TEST_OBLIGATIONS
        limits.leave_out = options->leave_out;
#endif
        p.c = vctx_new(p.progs[0], p.progs[1], &limits);
        match_serve(p.c);
        p.assumed = form_true(p.c->space);
        p.c->alike = options->alike;
        vctx_give(p.c, options);
        vsafety_assume_sizes(p.c);
        ok = read_layouts(&p) && prove_safety(&p) && find_outputs(&p);
        for (size_t i = 0; ok && i < p.noutputs; i++)
            ok = compare_output(&p, &p.outputs[i]);
        ok = ok && check_possible(&p);
        if (ok && !OBLIGED(p.c->smt, "indices fit the prover",
                           !aff_overflowed(p.c->space)))
            ok = give_up(&p, "coefficients of an index are too large");
        if (ok) {
            const struct ir_module *const m[] = {untuned_module, tuned_module};
            const struct ir_func *const f[] = {untuned, tuned};
            conclude(&p);
            if (options->certificate != NULL && p.c->given == NULL)
                write_certificate(&p, m, f);
        }
        out->queries = smt_queries(p.c->smt);
        out->solver_failed = smt_failed(p.c->smt);
        out->resources = smt_resources(p.c->smt);
        out->work = p.c->work;
        if (options->explain)
            write_explanation(&p);
        vctx_free(p.c);
    }
    for (size_t i = 0; i < 2; i++)
        vprog_free(p.progs[i]);
}

void verifier_result_fini(struct verifier_result *r)
{
    buf_fini(&r->explanation);
    buf_fini(&r->certificate);
    arena_free(r->arena);
    r->arena = NULL;
}
