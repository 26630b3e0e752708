/* SPDX-License-Identifier: Apache-2.0
 *
 * What is said of the proof of two Relax functions: the verdict with the
 * assumptions of all callees' proofs, the explanation, the certificate.
 */
#include "verifier/certificate/certificate.h"
#include "verifier/relax/chain.h"

#include <string.h>

bool chain_is_proof(enum verifier_verdict v)
{
    return v == VERIFIER_IDENTICAL || v == VERIFIER_ORDER_ONLY ||
           v == VERIFIER_PRECISION;
}

static void add_text(struct arena *arena, size_t *n, const char ***list,
                     const char *text)
{
    for (size_t i = 0; i < *n; i++)
        if (strcmp((*list)[i], text) == 0)
            return;
    const char **now = ARENA_ARRAY(arena, *n + 1, const char *);
    for (size_t i = 0; i < *n; i++)
        now[i] = (*list)[i];
    now[(*n)++] = arena_strdup(arena, text);
    *list = now;
}

static const char *word_of(enum verifier_verdict v)
{
    return v == VERIFIER_ORDER_ONLY ? "order-only" : "precision";
}

/* Assumptions of all proofs that were used, and which callees are not equal to
 * the bit. */
static void take_over(struct chain_proof *p, const struct chain_pair *pair)
{
    struct verifier_result *r = p->out;
    const struct verifier_result *from = &pair->result;
    const char *name = pair->untuned->func->name;
    if (!chain_is_proof(from->verdict))
        return;
    for (size_t i = 0; i < from->nassumptions; i++)
        add_text(r->arena, &r->nassumptions, &r->assumptions,
                 from->assumptions[i]);
    if (from->verdict == VERIFIER_IDENTICAL)
        return;
    add_text(
        r->arena, &r->nnotes, &r->notes,
        arena_printf(r->arena, "'%s' is %s", name, word_of(from->verdict)));
    if (from->swapped != NULL && r->swapped == NULL &&
        p->verdict == VERIFIER_ORDER_ONLY)
        r->swapped = arena_printf(r->arena, "in '%s', %s", name, from->swapped);
}

void chain_conclude(struct chain_proof *p)
{
    struct verifier_result *r = p->out;
    r->verdict = p->verdict;
    switch (p->verdict) {
    case VERIFIER_IDENTICAL:
        r->reason = "the same functions are called on the same tensors, for "
                    "all inputs";
        break;
    case VERIFIER_ORDER_ONLY:
        r->reason = "the same functions are called on the same tensors, but "
                    "for the order in which some combine their terms";
        break;
    default:
        r->reason = "the same functions are called on the same tensors, but "
                    "for rounding points or types of intermediates in some";
        break;
    }
    for (size_t i = 0; i < p->pairs.len; i++)
        take_over(p, p->pairs.items[i]);
}

void chain_explain(struct chain_proof *p)
{
    struct buf *out = &p->out->explanation;
    for (size_t i = 0; i < p->chains[1].calls.len; i++) {
        const struct chain_call *t = p->chains[1].calls.items[i];
        buf_printf(out, "call %zu, '%s': ", i, t->callee->func->name);
        const struct chain_term *answer = NULL;
        for (size_t k = 0; t->answers != NULL && k < t->n; k++)
            if (t->answers[k] != NULL)
                answer = t->answers[k];
        if (answer == NULL)
            buf_puts(out, t->covered ? "compared with its user\n"
                                     : "no untuned call answers to it\n");
        else
            buf_printf(out, "answers to '%s', %s\n",
                       answer->call->callee->func->name,
                       t->verdict == VERIFIER_IDENTICAL
                           ? "identical"
                           : word_of((enum verifier_verdict)t->verdict));
    }
    for (size_t i = 0; i < p->pairs.len; i++) {
        const struct chain_pair *pair = p->pairs.items[i];
        buf_printf(out, "'%s' against '%s':%s\n", pair->tuned->func->name,
                   pair->untuned->func->name,
                   pair->result.explanation.len > 0 ? "" : " one program");
        buf_puts(out, buf_text(&pair->result.explanation));
    }
}

/* The untuned call that a tuned one answers to; NULL: it is a part of others. */
static const struct chain_call *answered(const struct chain_call *t)
{
    for (size_t k = 0; t->answers != NULL && k < t->n; k++)
        if (t->answers[k] != NULL)
            return t->answers[k]->call;
    return NULL;
}

void chain_write_certificate(struct chain_proof *p,
                             const struct ir_module *const modules[2],
                             const struct ir_func *const funcs[2])
{
    struct arena *arena = p->out->arena;
    size_t ncalls = p->chains[1].calls.len, n = 0;
    struct certificate_call *calls =
        ARENA_ARRAY(arena, ncalls + 1, struct certificate_call);
    struct certificate_callees *callees =
        ARENA_ARRAY(arena, p->pairs.len + 1, struct certificate_callees);
    for (size_t i = 0; i < ncalls; i++) {
        const struct chain_call *t = p->chains[1].calls.items[i];
        const struct chain_call *u = answered(t);
        calls[i].tuned = t->callee->func->name;
        calls[i].untuned = u != NULL ? u->callee->func->name : NULL;
        calls[i].verdict = (enum verifier_verdict)t->verdict;
    }
    for (size_t i = 0; i < p->pairs.len; i++) {
        const struct chain_pair *pair = p->pairs.items[i];
        if (chain_is_proof(pair->result.verdict))
            callees[n++] = (struct certificate_callees){
                pair->untuned->func->name, pair->tuned->func->name,
                pair->result.verdict, &pair->result.certificate};
    }
    certificate_write_chain(modules, funcs, p->out, ncalls, calls, n, callees,
                            &p->out->certificate);
}
