/* SPDX-License-Identifier: Apache-2.0
 *
 * The proof of a pair of Relax functions: calls are matched with calls that
 * are given the same, callee by callee, and what is shown of callees is put
 * together.
 *
 * A tuned call answers to an untuned one where each argument begins with the
 * same contents (the same parameter, an equal constant, the same output of
 * calls that answer to each other) and the verdict of the two callees is a
 * proof, their fresh outputs being uninitialised. Functions then are equal as
 * far as their results are; names do not matter.
 *
 * Composition. Each verdict says that two programs are equal modulo a set of
 * laws (none; associativity, commutativity and unit of floating operators;
 * these and that conversions are the identity). Such equality is a congruence:
 * equal operations on contents equal modulo the laws give contents equal
 * modulo the laws. So a call has the worst verdict of its callee and of its
 * arguments. That holds while what a callee does is an expression of what it
 * is given; where data reach addresses, conditions of statements or divisors,
 * arguments must have equal bits.
 */
#include "verifier/relax/chain.h"

#include <string.h>

/* Untuned callees that a tuned one is proved against, beyond its namesake. */
#define MAX_TRIES 3u
/* Sequences of calls that are compared as one program: of one call, of all. */
#define MAX_FUSED     4u
#define MAX_ALL_FUSED 64u

DC_PRINTF(3, 4)
static bool give_up(struct chain_proof *p, enum verifier_verdict verdict,
                    const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    p->out->reason = arena_vprintf(p->out->arena, fmt, args);
    va_end(args);
    p->out->verdict = verdict;
    return false;
}

static enum verifier_verdict worse(enum verifier_verdict a,
                                   enum verifier_verdict b)
{
    return a > b ? a : b;
}

/* ---- parameters ------------------------------------------------------------- */

static bool match_params(struct chain_proof *p)
{
    const struct rx_func *u = p->chains[0].func->relax;
    const struct rx_func *t = p->chains[1].func->relax;
    if (u->nparams != t->nparams)
        return give_up(p, VERIFIER_UNKNOWN,
                       "the sides have %zu and %zu parameters", u->nparams,
                       t->nparams);
    for (size_t i = 0; i < u->nparams; i++)
        if (!chain_match_param(&p->symbols, t->params[i]->type,
                               u->params[i]->type))
            return give_up(p, VERIFIER_UNKNOWN,
                           "parameter %zu has another type or sizes on each "
                           "side",
                           i);
    return true;
}

/* ---- callees ---------------------------------------------------------------- */

/* Whether both declare the same shapes, so that the tuned one takes whatever
 * the untuned one takes. That they have the same types is a part of the proof
 * of the two. */
static bool same_shapes(const struct chain_callee *tuned,
                        const struct chain_callee *untuned)
{
    const struct vprog *t = tuned->prog, *u = untuned->prog;
    struct chain_symbols symbols = {0};
    bool fine = t->nparams == u->nparams;
    for (size_t i = 0; fine && i < t->nparams; i++) {
        if (t->params[i] == NULL || u->params[i] == NULL) {
            fine = t->params[i] == u->params[i];
            if (fine)
                chain_add_symbol(&symbols, t->scalars[i], u->scalars[i]);
            continue;
        }
        const struct ir_buffer *a = t->params[i]->buffer;
        const struct ir_buffer *b = u->params[i]->buffer;
        fine = a->rank == b->rank;
        for (size_t d = 0; fine && d < a->rank; d++) {
            if (a->shape[d]->kind == IR_VAR_REF &&
                b->shape[d]->kind == IR_VAR_REF)
                chain_add_symbol(&symbols, a->shape[d]->u.var,
                                 b->shape[d]->u.var);
            fine = chain_same_size(&symbols, a->shape[d], b->shape[d]);
        }
    }
    dc_release(symbols.items);
    return fine;
}

/* One program, whose result is settled by what it is given: by its bits where
 * `bits`, else also by what equals them but for rounding. */
static bool same_program(const struct chain_proof *p,
                         const struct chain_callee *tuned,
                         const struct chain_callee *untuned, bool bits)
{
    const struct verifier_options *o = p->options;
    struct ir_equal_options options = {.ignore_symbol = true,
                                       .ignore_claims = true};
    return OBLIGED_CHAIN(o, "chain: one program's result is settled",
                         !tuned->atomic) &&
           OBLIGED_CHAIN(o, "chain: one program has the same faults",
                         bits || !tuned->data_guards) &&
           OBLIGED_CHAIN(
               o, "chain: one program",
               ir_func_equal(tuned->func, untuned->func, options, NULL));
}

static bool same_callee(const struct chain_callee *a,
                        const struct chain_callee *b)
{
    struct ir_equal_options options = {.ignore_symbol = true};
    return a == b || ir_func_equal(a->func, b->func, options, NULL);
}

static bool same_pair(const struct chain_proof *p,
                      const struct chain_pair *pair,
                      const struct chain_callee *tuned,
                      const struct chain_callee *untuned, const bool *fresh,
                      bool bits)
{
    const struct verifier_options *o = p->options;
    size_t n = tuned->prog->nparams;
    if (pair->fresh == NULL || pair->tuned->prog->nparams != n)
        return false; /* of a sequence */
    return OBLIGED_CHAIN(o, "chain: a proof is for these outputs",
                         memcmp(pair->fresh, fresh, n * sizeof *fresh) == 0) &&
           OBLIGED_CHAIN(o, "chain: a proof has looked at faults",
                         bits || !pair->bits || !tuned->data_guards) &&
           OBLIGED_CHAIN(o, "chain: a proof is of this tuned callee",
                         same_callee(pair->tuned, tuned)) &&
           OBLIGED_CHAIN(o, "chain: a proof is of this untuned callee",
                         same_callee(pair->untuned, untuned));
}

/* What is shown of two callees; structurally equal pairs are shown once. */
static struct chain_pair *prove_pair(struct chain_proof *p,
                                     const struct chain_callee *tuned,
                                     const struct chain_callee *untuned,
                                     const bool *fresh, bool bits)
{
    for (size_t i = 0; i < p->pairs.len; i++)
        if (same_pair(p, p->pairs.items[i], tuned, untuned, fresh, bits))
            return p->pairs.items[i];
    struct chain_pair *pair = ARENA_NEW(p->out->arena, struct chain_pair);
    *pair = (struct chain_pair){
        .tuned = tuned, .untuned = untuned, .fresh = fresh, .bits = bits};
    struct verifier_options options = *p->options;
    options.fresh = fresh;
    pair->one = same_program(p, tuned, untuned, true);
    pair->looked = !pair->one || !same_program(p, tuned, untuned, bits);
    if (!pair->looked)
        pair->result = (struct verifier_result){
            .arena = arena_new(), .verdict = VERIFIER_IDENTICAL, .param = -1};
    else
        verifier_prove(p->chains[1].module, tuned->func, p->chains[0].module,
                       untuned->func, &options, &pair->result);
    chain_count(p, &pair->result);
    vec_push(&p->pairs, pair);
    return pair;
}

/* ---- calls ------------------------------------------------------------------ */

/* Whether the contents are equal, and how. */
static bool match_terms(const struct chain_proof *p,
                        const struct chain_term *tuned,
                        const struct chain_term *untuned,
                        enum verifier_verdict *how)
{
    const struct verifier_options *o = p->options;
    *how = VERIFIER_IDENTICAL;
    if (tuned->kind != untuned->kind)
        return OBLIGED_CHAIN(o, "chain: contents have one origin", false);
    switch (tuned->kind) {
    case CHAIN_PARAM:
        return OBLIGED_CHAIN(o, "chain: contents are of one parameter",
                             tuned->number == untuned->number);
    case CHAIN_CONSTANT:
        return OBLIGED_CHAIN(
            o, "chain: contents are one constant",
            chain_same_constant(tuned->constant, untuned->constant));
    case CHAIN_OUTPUT:
        *how = (enum verifier_verdict)tuned->call->verdict;
        return OBLIGED_CHAIN(o, "chain: contents are of calls that answer",
                             tuned->call->answers != NULL &&
                                 tuned->call->answers[tuned->at] == untuned);
    }
    return false;
}

static bool same_scalar(const struct chain_proof *p,
                        const struct ir_expr *tuned,
                        const struct ir_expr *untuned)
{
    return dtype_equal(tuned->dtype, untuned->dtype) &&
           chain_same_size(&p->symbols, tuned, untuned);
}

/* Whether both calls are given the same, and how. */
static bool match_args(const struct chain_proof *p, const struct chain_call *t,
                       const struct chain_call *u, enum verifier_verdict *how)
{
    const struct verifier_options *o = p->options;
    *how = VERIFIER_IDENTICAL;
    bool fine = t->n == u->n;
    for (size_t i = 0; fine && i < t->n; i++) {
        const struct chain_arg *a = &t->args[i], *b = &u->args[i];
        enum verifier_verdict one = VERIFIER_IDENTICAL;
        if (a->term != NULL && b->term != NULL)
            fine = match_terms(p, a->term, b->term, &one);
        else if (a->scalar != NULL && b->scalar != NULL)
            fine = OBLIGED_CHAIN(o, "chain: scalars given are the same",
                                 same_scalar(p, a->scalar, b->scalar));
        else
            fine =
                a->fresh != NULL && b->fresh != NULL &&
                OBLIGED_CHAIN(o, "chain: outputs have one type",
                              chain_same_type(&p->symbols, a->fresh, b->fresh));
        *how = worse(*how, one);
    }
    return fine;
}

/* Size d of what argument i begins with; NULL where a constant has it. */
static const struct ir_expr *size_given(const struct chain_call *t, size_t i,
                                        size_t d, int64_t *constant)
{
    const struct chain_term *term = t->args[i].term;
    const struct ir_type *type = term ? term->type : t->args[i].fresh;
    if (type != NULL)
        return d < (size_t)type->ndim ? type->dims[d] : NULL;
    if (term != NULL && term->constant != NULL && d < term->constant->rank)
        *constant = term->constant->shape[d];
    return NULL;
}

/* Sizes that a callee takes from the shapes it is given are at least 1. */
static bool has_positive_sizes(const struct chain_call *t)
{
    const struct vprog *callee = t->callee->prog;
    for (size_t i = 0; i < callee->nsymbols; i++) {
        const struct vsymbol *s = &callee->symbols[i];
        int64_t constant = 0;
        if (s->dim < 0)
            continue; /* a scalar, of which nothing is taken for granted */
        const struct ir_expr *e =
            size_given(t, (size_t)s->param, (size_t)s->dim, &constant);
        if (e != NULL ? !chain_is_positive(e) : constant < 1)
            return false;
    }
    return true;
}

static void list_given(struct chain_proof *p, struct chain_call *t)
{
    t->given = ARENA_ARRAY(p->out->arena, t->n + 1, const struct chain_term *);
    t->ngiven = 0;
    for (size_t i = 0; i < t->n; i++)
        if (t->args[i].term != NULL)
            t->given[t->ngiven++] = t->args[i].term;
}

/* A proof of two callees is about inputs that are defined and have not
 * overflowed: whether that will do for this call. One program does the same
 * with whatever else it is given, if that is so on both sides alike. */
static bool is_given_clean(struct chain_proof *p, const struct chain_call *t,
                           const struct chain_pair *pair, bool bits,
                           const char **why)
{
    const struct verifier_options *o = p->options;
    bool one = pair->one && (bits || !t->callee->data_guards);
    if (!OBLIGED_CHAIN(o, "chain: what a call is given is defined",
                       one ||
                           chain_all(p, t->ngiven, t->given, CHAIN_DEFINED))) {
        *why = "what it is given may be undefined";
        return false;
    }
    if (!OBLIGED_CHAIN(o, "chain: what steers a call has not overflowed",
                       !chain_is_steered(t->callee) ||
                           chain_all(p, t->ngiven, t->given,
                                     one && bits ? CHAIN_ALIKE : CHAIN_FITS))) {
        *why = "what it is given may have overflowed, and addresses or "
               "conditions depend on it";
        return false;
    }
    return true;
}

/* Whether t is shown to do what u does; *result: what is known of the callees,
 * NULL where they were not asked. */
static bool match_call(struct chain_proof *p, struct chain_call *t,
                       const struct chain_call *u, enum verifier_verdict how,
                       const struct verifier_result **result, const char **why)
{
    const struct verifier_options *o = p->options;
    bool *fresh = ARENA_ARRAY(p->out->arena, t->n + 1, bool);
    bool bits = how == VERIFIER_IDENTICAL;
    *result = NULL;
    if (!OBLIGED_CHAIN(o, "chain: callees declare the same shapes",
                       same_shapes(t->callee, u->callee))) {
        *why = "the callees declare other shapes";
        return false;
    }
    if (!OBLIGED_CHAIN(
            o, "chain: what steers a call has equal bits",
            bits || (!t->callee->data_control && !u->callee->data_control))) {
        *why = "what it is given differs in rounding, and addresses or "
               "conditions depend on it";
        return false;
    }
    if (!OBLIGED_CHAIN(o, "chain: sizes given are at least 1",
                       has_positive_sizes(t))) {
        *why = "a size that it is given may be less than 1";
        return false;
    }
    for (size_t i = 0; i < t->n; i++)
        fresh[i] = t->args[i].fresh != NULL;
    struct chain_pair *pair = prove_pair(p, t->callee, u->callee, fresh, bits);
    *result = &pair->result;
    *why = (*result)->reason;
    if (!OBLIGED_CHAIN(o, "chain: callees are proved",
                       chain_is_proof((*result)->verdict)))
        return false;
    list_given(p, t);
    if (!is_given_clean(p, t, pair, bits, why))
        return false;
    t->pair = pair;
    /* where one side alone writes, nothing answers to what it leaves */
    t->answers = u->after;
    enum verifier_verdict all = VERIFIER_IDENTICAL;
    if (!OBLIGED_CHAIN(o, "chain: a call is as its arguments", bits))
        all = how;
    if (!OBLIGED_CHAIN(o, "chain: a call is as its callee",
                       (*result)->verdict == VERIFIER_IDENTICAL))
        all = worse(all, (*result)->verdict);
    t->verdict = all;
    return true;
}

static bool is_namesake(const struct chain_call *t, const struct chain_call *u)
{
    return strcmp(t->callee->func->name, u->callee->func->name) == 0;
}

/* A candidate in what a call leaves, where that is what the function leaves. */
static void take_place(struct chain_proof *p, const struct chain_call *t,
                       const struct verifier_result *result)
{
    const struct chain *c = &p->chains[1];
    struct verifier_result *r = p->out;
    if (result->nplaces == 0 || result->param < 0 ||
        (size_t)result->param >= t->n || t->after[result->param] == NULL)
        return;
    for (size_t i = 0; i < c->results.len && r->nplaces == 0; i++) {
        if (c->results.items[i].term != t->after[result->param])
            continue;
        size_t n = result->nplaces * result->nindex;
        r->param = (int)i;
        r->nindex = result->nindex;
        r->nplaces = result->nplaces;
        r->index = ARENA_ARRAY(r->arena, n + 1, int64_t);
        memcpy(r->index, result->index, n * sizeof *r->index);
    }
}

/* Why t has no answer; the first such reason is reported. */
static bool refuse_call(struct chain_proof *p, const struct chain_call *t,
                        const struct chain_call *u,
                        const struct verifier_result *result, const char *why)
{
    enum verifier_verdict verdict = VERIFIER_CANDIDATE;
    if (p->out->reason != NULL)
        return false;
    if (u == NULL)
        return give_up(p, verdict,
                       "no call of the untuned side is given what '%s' of the "
                       "tuned side is given",
                       t->callee->func->name);
    if (result == NULL || result->verdict != VERIFIER_CANDIDATE)
        verdict = VERIFIER_UNKNOWN;
    else
        take_place(p, t, result);
    p->sure = is_namesake(t, u) && verdict == VERIFIER_CANDIDATE;
    if (is_namesake(t, u))
        return give_up(p, verdict, "in the call of '%s': %s",
                       t->callee->func->name, why);
    return give_up(p, verdict, "in the call of '%s' ('%s' untuned): %s",
                   t->callee->func->name, u->callee->func->name, why);
}

/* ---- several calls as one program ------------------------------------------- */

/* Whether both calls leave the same result of the functions. */
static bool leave_same_result(const struct chain_proof *p,
                              const struct chain_call *t,
                              const struct chain_call *u)
{
    const struct chain *a = &p->chains[1], *b = &p->chains[0];
    for (size_t i = 0; i < a->results.len && i < b->results.len; i++) {
        const struct chain_term *x = a->results.items[i].term;
        const struct chain_term *y = b->results.items[i].term;
        if (x != NULL && y != NULL && x->kind == CHAIN_OUTPUT &&
            y->kind == CHAIN_OUTPUT && x->call == t && y->call == u)
            return true;
    }
    return false;
}

static size_t output_of(const struct chain_call *call)
{
    size_t at = 0;
    while (call->after[at] == NULL)
        at++;
    return at;
}

static void refuse_fused(struct chain_proof *p, const struct chain_call *t,
                         const struct chain_call *u,
                         const struct chain_fused *f,
                         struct verifier_result *result)
{
    if (p->sure || result->verdict != VERIFIER_CANDIDATE ||
        !leave_same_result(p, t, u))
        return;
    p->out->reason = NULL;
    p->out->nplaces = 0;
    result->param = (int)output_of(t); /* of t, not of the sequence */
    take_place(p, t, result);
    give_up(p, VERIFIER_CANDIDATE,
            "in the call%s up to '%s' (%zu, up to '%s', untuned), taken "
            "together: %s",
            f->n[1] > 1 ? "s" : "", t->callee->func->name, f->n[0],
            u->callee->func->name, result->reason);
}

/* Whether what a sequence is given may decide what it decides there. */
static bool may_steer(struct chain_proof *p, const struct chain_fused *f)
{
    if (!OBLIGED_CHAIN(p->options,
                       "chain: what steers a sequence has equal bits",
                       f->given == VERIFIER_IDENTICAL || !f->data_control))
        return false;
    return OBLIGED_CHAIN(
        p->options, "chain: what steers a sequence has not overflowed",
        !f->steered || chain_all(p, f->ngiven, f->tuned, CHAIN_FITS));
}

/* Whether what t leaves is shown to be what u leaves, both with the calls that
 * lead there. */
static bool match_fused(struct chain_proof *p, struct chain_call *t,
                        const struct chain_call *u, size_t *tries)
{
    struct arena *arena = p->out->arena;
    struct chain_fused f;
    if (!chain_fuse(p, t, u, &f))
        return false;
    if (!may_steer(p, &f)) {
        chain_fused_fini(&f);
        return false;
    }
    struct chain_pair *pair = ARENA_NEW(arena, struct chain_pair);
    struct verifier_options options = *p->options;
    *pair = (struct chain_pair){
        .tuned = t->callee, .untuned = u->callee, .looked = true};
    options.fresh = f.fresh;
    (*tries)++;
    p->fused++;
    verifier_prove(f.modules[1], f.funcs[1], f.modules[0], f.funcs[0], &options,
                   &pair->result);
    chain_count(p, &pair->result);
    vec_push(&p->pairs, pair);
    bool ok = OBLIGED_CHAIN(p->options, "chain: sequences are proved",
                            chain_is_proof(pair->result.verdict));
    if (ok) {
        t->answers = ARENA_ARRAY(arena, t->n + 1, const struct chain_term *);
        t->answers[output_of(t)] = u->after[output_of(u)];
        t->verdict = VERIFIER_IDENTICAL;
        t->pair = pair;
        t->given = f.tuned;
        t->ngiven = f.ngiven;
        if (!OBLIGED_CHAIN(p->options, "chain: a sequence is as its arguments",
                           f.given == VERIFIER_IDENTICAL))
            t->verdict = f.given;
        if (!OBLIGED_CHAIN(p->options, "chain: a sequence is as its proof",
                           pair->result.verdict == VERIFIER_IDENTICAL))
            t->verdict =
                worse((enum verifier_verdict)t->verdict, pair->result.verdict);
        for (size_t i = 0; i < f.n[1]; i++)
            for (size_t k = 0; k < p->chains[1].calls.len; k++)
                if (p->chains[1].calls.items[k] == f.calls[1][i])
                    p->chains[1].calls.items[k]->covered = true;
    } else {
        refuse_fused(p, t, u, &f, &pair->result);
    }
    chain_fused_fini(&f);
    return ok;
}

static bool find_fused(struct chain_proof *p, struct chain_call *t)
{
    const struct chain *untuned = &p->chains[0];
    size_t tries = 0;
    for (unsigned pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < untuned->calls.len; i++) {
            const struct chain_call *u = untuned->calls.items[i];
            if (tries >= MAX_FUSED || p->fused >= MAX_ALL_FUSED)
                return false;
            if (leave_same_result(p, t, u) == (pass == 0) &&
                match_fused(p, t, u, &tries))
                return true;
        }
    return false;
}

/* Finds the untuned call that answers to t: its namesakes first. */
static bool find_partner(struct chain_proof *p, struct chain_call *t)
{
    const struct chain *untuned = &p->chains[0];
    const struct chain_call *first = NULL;
    const struct verifier_result *first_result = NULL;
    const char *first_why = NULL;
    size_t tries = 0;
    for (unsigned pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < untuned->calls.len && tries <= MAX_TRIES; i++) {
            const struct chain_call *u = untuned->calls.items[i];
            const struct verifier_result *result;
            enum verifier_verdict how;
            const char *why;
            if (is_namesake(t, u) != (pass == 0) || !match_args(p, t, u, &how))
                continue;
            tries++;
            if (match_call(p, t, u, how, &result, &why))
                return true;
            if (first == NULL) {
                first = u;
                first_result = result;
                first_why = why;
            }
        }
    }
    (void)refuse_call(p, t, first, first_result, first_why);
    return find_fused(p, t);
}

/* Every call of the tuned side: shown to do what some call of the other does,
 * or safe as a part of a sequence. */
static bool match_calls(struct chain_proof *p)
{
    bool fine = true;
    for (size_t i = 0; i < p->chains[1].calls.len; i++)
        (void)find_partner(p, p->chains[1].calls.items[i]);
    for (size_t i = 0; i < p->chains[1].calls.len; i++)
        fine &= OBLIGED_CHAIN(p->options, "chain: each tuned call is answered",
                              p->chains[1].calls.items[i]->answers != NULL ||
                                  p->chains[1].calls.items[i]->covered);
    return fine;
}

static bool same_shape(const struct chain_proof *p, const struct chain_value *t,
                       const struct chain_value *u)
{
    bool fine = t->n == u->n;
    for (size_t i = 0; fine && i < t->n; i++)
        fine = chain_same_size(&p->symbols, t->dims[i], u->dims[i]);
    return fine;
}

static bool match_result(const struct chain_proof *p,
                         const struct chain_result *t,
                         const struct chain_result *u,
                         enum verifier_verdict *how)
{
    const struct verifier_options *o = p->options;
    *how = VERIFIER_IDENTICAL;
    if (t->term != NULL && u->term != NULL)
        return match_terms(p, t->term, u->term, how);
    if (t->scalar != NULL && u->scalar != NULL)
        return OBLIGED_CHAIN(o, "chain: scalars returned are the same",
                             same_scalar(p, t->scalar, u->scalar));
    if (t->shape != NULL && u->shape != NULL)
        return OBLIGED_CHAIN(o, "chain: shapes returned are the same",
                             same_shape(p, t->shape, u->shape));
    return OBLIGED_CHAIN(o, "chain: results are of one kind", false);
}

/* Whether something is returned, or some parameter changed. */
static bool leaves_something(const struct chain *c)
{
    bool found = c->nreturned > 0;
    for (size_t i = c->nreturned; i < c->results.len; i++)
        found |= c->results.items[i].term->kind != CHAIN_PARAM;
    return found;
}

static bool match_results(struct chain_proof *p)
{
    const struct verifier_options *o = p->options;
    const struct chain *u = &p->chains[0], *t = &p->chains[1];
    if (!OBLIGED_CHAIN(o, "chain: as many results",
                       u->results.len == t->results.len))
        return give_up(p, VERIFIER_UNKNOWN,
                       "the sides return another number of tensors");
    if (!OBLIGED_CHAIN(o, "chain: there is a result", leaves_something(u)))
        return give_up(p, VERIFIER_UNKNOWN,
                       "nothing is returned and no parameter changed: there is "
                       "nothing to compare");
    for (size_t i = 0; i < u->results.len && i < t->results.len; i++) {
        enum verifier_verdict how;
        if (!match_result(p, &t->results.items[i], &u->results.items[i], &how))
            return give_up(p, VERIFIER_CANDIDATE,
                           "result %zu is not what the same calls give on the "
                           "untuned side",
                           i);
        if (!OBLIGED_CHAIN(o, "chain: a function is as its results",
                           how == VERIFIER_IDENTICAL))
            p->verdict = worse(p->verdict, how);
    }
    return true;
}

/* ---- entry ------------------------------------------------------------------ */

static bool read_sides(struct chain_proof *p,
                       const struct ir_module *const modules[2],
                       const struct ir_func *const funcs[2])
{
    bool fine = true;
    for (size_t side = 0; side < 2; side++) {
        struct chain *c = &p->chains[side];
        struct buf where = {0};
        chain_read(c, p->options, modules[side], funcs[side], p->out->arena);
        if (c->unsupported != NULL && fine) {
            struct diag_loc loc =
                ir_loc(modules[side], c->unsupported_pos, &where);
            const char *name = side == 0 ? "untuned" : "tuned";
            if (loc.line > 0)
                fine = give_up(p, VERIFIER_UNKNOWN, "the %s side: %s (line %u)",
                               name, c->unsupported, loc.line);
            else
                fine = give_up(p, VERIFIER_UNKNOWN, "the %s side: %s", name,
                               c->unsupported);
        }
        buf_fini(&where);
    }
    return fine;
}

void verifier_prove_relax(const struct ir_module *tuned_module,
                          const struct ir_func *tuned,
                          const struct ir_module *untuned_module,
                          const struct ir_func *untuned,
                          const struct verifier_options *options,
                          struct verifier_result *out)
{
    const struct ir_module *const modules[] = {untuned_module, tuned_module};
    const struct ir_func *const funcs[] = {untuned, tuned};
    struct chain_proof p = {
        .options = options, .out = out, .verdict = VERIFIER_IDENTICAL};
    *out = (struct verifier_result){.arena = arena_new(), .param = -1};
    bool ok =
        read_sides(&p, modules, funcs) &&
        OBLIGED_CHAIN(options, "chain: the same parameters", match_params(&p));
    ok = ok && match_calls(&p);
    if (ok)
        out->reason = NULL; /* of attempts that others made good */
    if (ok && match_results(&p)) {
        chain_conclude(&p);
        if (options->certificate != NULL)
            chain_write_certificate(&p, modules, funcs);
    }
    if (options->explain)
        chain_explain(&p);
    for (size_t i = 0; i < p.pairs.len; i++)
        verifier_result_fini(&p.pairs.items[i]->result);
    vec_fini(&p.pairs);
    dc_release(p.symbols.items);
    chain_fini(&p.chains[0]);
    chain_fini(&p.chains[1]);
}
