/* SPDX-License-Identifier: Apache-2.0
 *
 * What contents between calls come from. A proof of two callees is about inputs
 * that are defined and come from no int32 or int64 operation that overflowed
 * (R9, R10), and what one call leaves is what another is given.
 *
 * Parameters and constants are such. What a call leaves is where it is given
 * such and its callee's proof says so of its outputs; of one program on both
 * sides, which needs no proof else, one is made when it is asked for. Beyond
 * that: one program on equal bits, which are made by such programs from equal
 * bits, leaves an overflow on the tuned side only where it does on the other.
 * (So it is with what is undefined whatever the proof is: it shows values equal
 * by the operations that give them.)
 */
#include "verifier/relax/chain.h"

void chain_count(struct chain_proof *p, const struct verifier_result *part)
{
    p->out->queries += part->queries;
    p->out->resources += part->resources;
    p->out->solver_failed |= part->solver_failed;
    p->out->work += part->work;
}

bool chain_is_steered(const struct chain_callee *callee)
{
    return callee->data_control || callee->data_choices;
}

/* What the answer rests on, but for how values compare, which it does not. */
static void take_assumptions(struct chain_pair *pair,
                             const struct verifier_result *from)
{
    struct verifier_result *r = &pair->result;
    size_t n = from->nassumptions - from->nmatching;
    const char **list =
        ARENA_ARRAY(r->arena, r->nassumptions + n + 1, const char *);
    for (size_t i = 0; i < r->nassumptions; i++)
        list[i] = r->assumptions[i];
    for (size_t i = 0; i < n; i++)
        list[r->nassumptions++] =
            arena_strdup(r->arena, from->assumptions[from->nmatching + i]);
    r->assumptions = list;
}

static const struct verifier_result *look(struct chain_proof *p,
                                          struct chain_pair *pair)
{
    if (pair->looked)
        return &pair->result;
    struct verifier_options options = *p->options;
    struct verifier_result r;
    options.fresh = pair->fresh;
    options.certificate = NULL;
    options.explain = options.place = false;
    options.alike = true;
    verifier_prove(p->chains[1].module, pair->tuned->func, p->chains[0].module,
                   pair->untuned->func, &options, &r);
    chain_count(p, &r);
    pair->looked = true;
    pair->result.defined = r.defined;
    pair->result.fit = r.fit;
    if (r.defined || r.fit)
        take_assumptions(pair, &r);
    verifier_result_fini(&r);
    return &pair->result;
}

static bool is_so(struct chain_proof *p, struct chain_call *call,
                  enum chain_origin what);

bool chain_all(struct chain_proof *p, size_t n,
               const struct chain_term *const *terms, enum chain_origin what)
{
    bool fine = true;
    for (size_t i = 0; fine && i < n; i++)
        fine = terms[i]->kind != CHAIN_OUTPUT || is_so(p, terms[i]->call, what);
    return fine;
}

static bool all_given(struct chain_proof *p, const struct chain_call *call,
                      enum chain_origin what)
{
    return chain_all(p, call->ngiven, call->given, what);
}

static bool work_out(struct chain_proof *p, struct chain_call *call,
                     enum chain_origin what)
{
    const struct verifier_options *o = p->options;
    if (call->pair == NULL)
        return false;
    switch (what) {
    case CHAIN_DEFINED:
        return OBLIGED_CHAIN(o, "chain: a callee leaves what is defined",
                             look(p, call->pair)->defined) &&
               OBLIGED_CHAIN(o,
                             "chain: what is left is defined as what is given",
                             all_given(p, call, what));
    case CHAIN_FITS:
        return OBLIGED_CHAIN(o, "chain: a callee leaves what fits",
                             look(p, call->pair)->fit) &&
               OBLIGED_CHAIN(o, "chain: what is left fits as what is given",
                             all_given(p, call, what));
    case CHAIN_ALIKE: break;
    }
    return (OBLIGED_CHAIN(o, "chain: one program overflows alike",
                          call->pair->one) &&
            OBLIGED_CHAIN(o, "chain: it does on what overflowed alike",
                          all_given(p, call, what))) ||
           is_so(p, call, CHAIN_FITS);
}

/* Whether it is so of all that the call leaves; worked out once. */
static bool is_so(struct chain_proof *p, struct chain_call *call,
                  enum chain_origin what)
{
    if (!(call->asked & what)) {
        bool told = work_out(p, call, what);
        call->asked |= what;
        call->told |= told ? what : 0u;
    }
    return (call->told & what) != 0;
}
