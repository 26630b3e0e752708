/* SPDX-License-Identifier: Apache-2.0
 *
 * Obligations: what is cheap is answered here (a goal that is true, or that
 * the context holds word for word, or that ranges of digits decide), the rest
 * goes to the solver. Of a context only the conjuncts that share atoms with
 * the goal are used, directly or through others; where that gives a model,
 * the others are asked too, so that models are of the whole context.
 */
#include "verifier/smt/smt.h"

#include "verifier/smt/obligation.h"
#include "verifier/smt/smt_state.h"

#include <string.h>

#define DEFAULT_RLIMIT_QUERY 400000u
#define DEFAULT_RLIMIT_TOTAL UINT64_C(60000000)

struct smt *smt_new(struct aff_space *s, const struct smt_limits *limits)
{
    struct smt *smt = dc_alloc(sizeof *smt);
    encoder_init(&smt->enc, s);
    smt->rlimit_query = DEFAULT_RLIMIT_QUERY;
    smt->rlimit_total = DEFAULT_RLIMIT_TOTAL;
    if (limits && limits->rlimit_query)
        smt->rlimit_query = limits->rlimit_query;
    if (limits && limits->rlimit_total)
        smt->rlimit_total = limits->rlimit_total;
    smt->variant = limits ? limits->variant : 0;
#ifdef DC_TEST_OBLIGATIONS
    smt->leave_out = limits ? limits->leave_out : NULL;
#endif
    return smt;
}

void smt_free(struct smt *smt)
{
    if (!smt)
        return;
    query_fini(&smt->query);
    solver_fini(&smt->z3);
    encoder_fini(&smt->enc);
    vec_fini(&smt->values);
    vec_fini(&smt->log);
    dc_release(smt);
}

/* ---- queries --------------------------------------------------------------- */

static bool conjunct_of(const struct form *ctx, const struct form *f)
{
    if (ctx == f)
        return true;
    for (uint32_t i = 0; ctx->kind == FORM_AND && i < ctx->n; i++)
        if (ctx->args[i] == f)
            return true;
    return false;
}

/* The goal less the conjuncts that the context holds word for word. */
static const struct form *open_part(struct aff_space *s, const struct form *ctx,
                                    const struct form *goal)
{
    if (conjunct_of(ctx, goal))
        return form_true(s);
    if (goal->kind == FORM_OR) {
        for (uint32_t i = 0; i < goal->n; i++)
            if (conjunct_of(ctx, goal->args[i]))
                return form_true(s);
        return goal;
    }
    if (goal->kind != FORM_AND)
        return goal;
    const struct form **args = dc_alloc(goal->n * sizeof *args);
    size_t n = 0;
    for (uint32_t i = 0; i < goal->n; i++)
        if (!conjunct_of(ctx, goal->args[i]))
            args[n++] = goal->args[i];
    const struct form *r = form_and(s, n, args);
    dc_release(args);
    return r;
}

/* Marks the conjuncts of ctx that share atoms with the query, to a fixpoint,
 * and adds their atoms. */
static size_t gather(struct smt *smt, size_t n, const struct form *const *ctx,
                     bool *in)
{
    size_t count = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < n; i++) {
            if (in[i] || !encoder_shares(&smt->enc, ctx[i]))
                continue;
            in[i] = changed = true;
            count++;
            encoder_add(&smt->enc, ctx[i]);
        }
    }
    return count;
}

/* Adds the facts of the query's atoms. */
static void add_facts(struct smt *smt)
{
    struct encoder *e = &smt->enc;
    for (size_t i = 0; i < e->seen.len; i++) {
        const struct encoded_atom x = e->atoms.items[e->seen.items[i]];
        for (size_t j = 0; j < x.nfacts; j++)
            query_add(smt, form_ge0(e->inner, encoder_aff(e, x.facts[j])));
    }
}

static enum solver_answer check_all(struct smt *smt, size_t n,
                                    const struct form *const *ctx,
                                    const bool *in, const struct form *negated)
{
    struct encoder *e = &smt->enc;
    query_begin(smt);
    query_add(smt, encoder_image(e, negated));
    for (size_t i = 0; i < n; i++)
        if (in[i])
            query_add(smt, encoder_image(e, ctx[i]));
    add_facts(smt);
    bool possible = query_reduce(smt);
    if (!OBLIGED(smt, "indices fit the prover",
                 !aff_overflowed(e->inner) && !aff_overflowed(e->outer)))
        return SOLVER_UNKNOWN;
    if (!possible)
        return SOLVER_UNSAT;
    solver_begin(smt);
    if (smt->query.forms.len == 0) { /* any values within the ranges */
        smt->has_model = true;
        smt->model++;
        return SOLVER_SAT;
    }
    for (size_t i = 0; i < smt->query.forms.len; i++)
        solver_assert(smt, smt->query.forms.items[i]);
    return solver_check(smt);
}

/* Is ctx and negated satisfiable? */
static enum solver_answer query(struct smt *smt, const struct form *ctx,
                                const struct form *negated)
{
    struct encoder *e = &smt->enc;
    const struct form *one[1] = {ctx};
    size_t n = ctx->kind == FORM_AND ? ctx->n : 1;
    const struct form *const *conjuncts =
        ctx->kind == FORM_AND ? ctx->args : one;
    bool *in = dc_alloc(n + 1);
    encoder_begin(e);
    encoder_add(e, negated);
    size_t count = gather(smt, n, conjuncts, in);
    enum solver_answer answer = check_all(smt, n, conjuncts, in, negated);
    if (answer == SOLVER_SAT && count < n) {
        encoder_begin(e);
        encoder_add(e, negated);
        for (size_t i = 0; i < n; i++) {
            in[i] = true;
            encoder_add(e, conjuncts[i]);
        }
        answer = check_all(smt, n, conjuncts, in, negated);
    }
    dc_release(in);
    return answer;
}

static void log_add(struct smt *smt, const char *what, const struct form *ctx,
                    const struct form *goal)
{
    struct smt_obligation o = {what, ctx, goal, NULL};
    vec_push(&smt->log, o);
}

enum smt_answer smt_prove_script(struct smt *smt, const char *text,
                                 unsigned effort, const char *what)
{
    enum smt_answer answer = SMT_PROVED;
    if (!OBLIGED(smt, what, false))
        answer = solver_script(smt, text, effort);
    if (answer == SMT_PROVED) {
        struct smt_obligation o = {what, NULL, NULL, text};
        vec_push(&smt->log, o);
    }
    return answer;
}

static enum smt_answer answer_of(enum solver_answer answer)
{
    switch (answer) {
    case SOLVER_SAT: return SMT_REFUTED;
    case SOLVER_UNSAT: return SMT_PROVED;
    case SOLVER_UNKNOWN: break;
    }
    return SMT_UNKNOWN;
}

#ifdef DC_TEST_OBLIGATIONS
bool obligation_in(const char *set, const char *what)
{
    size_t len = strlen(what);
    while (set != NULL) {
        const char *end = strchr(set, '|');
        size_t n = end != NULL ? (size_t)(end - set) : strlen(set);
        if (n == len && memcmp(set, what, len) == 0)
            return true;
        set = end != NULL ? end + 1 : NULL;
    }
    return false;
}

bool smt_leaves_out(const struct smt *smt, const char *what)
{
    return obligation_in(smt->leave_out, what);
}

bool smt_leaves_out_bits(const struct smt *smt)
{
    return smt->leave_out != NULL && strncmp(smt->leave_out, "bits", 4) == 0;
}
#endif

enum smt_answer smt_prove(struct smt *smt, const struct form *ctx,
                          const struct form *goal, const char *what, bool log)
{
    smt->has_model = false;
    smt->model++;
    if (!OBLIGED(smt, "indices fit the prover",
                 !aff_overflowed(smt->enc.outer)))
        return SMT_UNKNOWN;
    enum smt_answer answer = SMT_PROVED;
    const struct form *open = open_part(smt->enc.outer, ctx, goal);
    if (OBLIGED(smt, what, false))
        open = form_true(smt->enc.outer);
    if (open->kind != FORM_TRUE && ctx->kind != FORM_FALSE)
        answer = answer_of(query(smt, ctx, form_not(smt->enc.outer, open)));
    if (answer == SMT_PROVED && log)
        log_add(smt, what, ctx, goal);
    return answer;
}

enum smt_answer smt_unsat(struct smt *smt, const struct form *ctx,
                          const char *what, bool log)
{
    smt->has_model = false;
    smt->model++;
    if (!OBLIGED(smt, "indices fit the prover",
                 !aff_overflowed(smt->enc.outer)))
        return SMT_UNKNOWN;
    const struct form *never = form_false(smt->enc.outer);
    enum smt_answer answer = SMT_PROVED;
    if (ctx->kind != FORM_FALSE && !OBLIGED(smt, what, false))
        answer = answer_of(query(smt, form_true(smt->enc.outer), ctx));
    if (answer == SMT_PROVED && log)
        log_add(smt, what, ctx, never);
    return answer;
}

/* ---- models ---------------------------------------------------------------- */

/* In the model where it has a value, else the value nearest to 0. */
static int64_t free_value(struct smt *smt, atom_id a)
{
    struct encoder *e = &smt->enc;
    const struct atom *info = aff_atom_info(e->outer, a);
    int64_t value = info->lo > 0 ? info->lo : info->hi < 0 ? info->hi : 0;
    if (a >= e->atoms.len || e->atoms.items[a].query != e->query)
        return value;
    const struct aff *image =
        query_aff(smt, encoder_aff(e, aff_of_atom(e->outer, a)));
    int64_t sum = image->constant;
    for (uint32_t i = 0; i < image->n; i++) {
        atom_id id = image->terms[i].atom;
        const struct atom *digit = aff_atom_info(e->inner, id);
        int64_t part = digit->lo > 0   ? digit->lo
                       : digit->hi < 0 ? digit->hi
                                       : 0;
        if (id < smt->z3.vars.len && smt->z3.vars.items[id].query == e->query &&
            smt->z3.vars.items[id].has_value)
            part = smt->z3.vars.items[id].value;
        int64_t product;
        if (__builtin_mul_overflow(part, image->terms[i].coef, &product) ||
            __builtin_add_overflow(sum, product, &sum))
            return value;
    }
    return sum;
}

/* By definition: a product is multiplied, so that values are those of a run
 * even where the solver took the product for any integer. */
static int64_t defined_value(struct smt *smt, const struct atom *info)
{
    int64_t x = smt_model_aff(smt, info->def);
    int64_t y = info->divisor ? info->divisor : smt_model_aff(smt, info->other);
    int64_t product;
    if (info->kind == ATOM_PRODUCT)
        return __builtin_mul_overflow(x, y, &product) ? 0 : product;
    if (y <= 0)
        return 0;
    return x % y < 0 ? x / y - 1 : x / y;
}

int64_t smt_model_value(struct smt *smt, atom_id atom)
{
    while (smt->values.len <= atom)
        vec_push(&smt->values, (struct outer_value){0});
    if (smt->values.items[atom].model == smt->model)
        return smt->values.items[atom].value;
    const struct atom *info = aff_atom_info(smt->enc.outer, atom);
    int64_t value;
    if (info->def)
        value = defined_value(smt, info);
    else
        value = free_value(smt, atom);
    smt->values.items[atom].model = smt->model;
    smt->values.items[atom].value = value;
    return value;
}

int64_t smt_model_aff(struct smt *smt, const struct aff *a)
{
    int64_t sum = a->constant, product;
    for (uint32_t i = 0; i < a->n; i++)
        if (__builtin_mul_overflow(smt_model_value(smt, a->terms[i].atom),
                                   a->terms[i].coef, &product) ||
            __builtin_add_overflow(sum, product, &sum))
            return 0;
    return sum;
}

/* lo <= atom <= hi with the last query; true if that has a model. */
static bool narrow(struct smt *smt, const struct aff *image, int64_t lo,
                   int64_t hi)
{
    struct aff_space *s = smt->enc.inner;
    const struct form *f =
        form_and2(s, form_ge0(s, aff_addc(s, image, -lo)),
                  form_ge0(s, aff_addc(s, aff_scale(s, image, -1), hi)));
    return solver_refine(smt, query_form(smt, f)) == SOLVER_SAT;
}

void smt_minimise(struct smt *smt, size_t n, const atom_id *atoms,
                  unsigned tries)
{
    struct encoder *e = &smt->enc;
    for (size_t i = 0; i < n && tries && smt->has_model; i++) {
        if (atoms[i] >= e->atoms.len ||
            e->atoms.items[atoms[i]].query != e->query)
            continue;
        const struct aff *image =
            encoder_aff(e, aff_of_atom(e->outer, atoms[i]));
        const struct atom *info = aff_atom_info(e->outer, atoms[i]);
        int64_t best = info->lo > 0 ? info->lo : info->hi < 0 ? info->hi : 0;
        int64_t value = smt_model_value(smt, atoms[i]);
        if (value == best)
            continue;
        /* the model's side of best: [low, high] holds a value, below low on
         * the way to best there is none */
        int64_t sign = value > best ? 1 : -1;
        uint64_t bad = 0, good = value > best
                                     ? (uint64_t)value - (uint64_t)best
                                     : (uint64_t)best - (uint64_t)value;
        for (bool first = true; good > bad + (first ? 0 : 1) && tries;
             first = false) {
            uint64_t mid = first ? 0 : bad + (good - bad) / 2;
            int64_t end = (int64_t)((uint64_t)best +
                                    (sign > 0 ? mid : (uint64_t)0 - mid));
            tries--;
            if (narrow(smt, image, sign > 0 ? best : end,
                       sign > 0 ? end : best)) {
                value = smt_model_value(smt, atoms[i]);
                good = sign > 0 ? (uint64_t)value - (uint64_t)best
                                : (uint64_t)best - (uint64_t)value;
                if (first)
                    break;
            } else {
                bad = mid;
            }
        }
        narrow(smt, image, value, value);
    }
}

/* ---- log ------------------------------------------------------------------- */

size_t smt_log_size(const struct smt *smt)
{
    return smt->log.len;
}

const struct smt_obligation *smt_log_at(const struct smt *smt, size_t i)
{
    return &smt->log.items[i];
}

void smt_log_truncate(struct smt *smt, size_t size)
{
    if (size < smt->log.len)
        smt->log.len = size;
}

uint64_t smt_resources(const struct smt *smt)
{
    return smt->resources;
}

size_t smt_queries(const struct smt *smt)
{
    return smt->queries;
}

bool smt_failed(const struct smt *smt)
{
    return smt->z3.failed || smt->z3.erred;
}

bool smt_exhausted(const struct smt *smt)
{
    return smt->exhausted;
}
