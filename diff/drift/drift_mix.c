/* SPDX-License-Identifier: Apache-2.0
 *
 * Products that a compiler fuses in some elements and not in others.
 *
 * Where products may be fused wherever the compiler likes, what it does depends
 * on what unrolling and vectors have made of the code around them: LLVM fuses a
 * product that has one use, and vectors of products that are shuffled on their
 * way to a sum have more, or their product is no operand of it any more. So a
 * sum is fused in the elements of one vector and not in the next. Each element
 * has its code, though, whatever the input.
 *
 * The ways to fuse are the programs that contract (A1), forward (A18) and sum1
 * to sum4 (A19) make of the function, as far as the target declares them. Each
 * is run on each input; an element must have the bits of one of them on all
 * inputs, fresh ones included. Few ways that do for all elements are named.
 */
#include "diff/drift/drift_private.h"

#include <string.h>

#define MAX_WAYS   64u     /* bits of a set */
#define MAX_NODES  5000000 /* of all programs that are made to compare them */
#define MAX_WEIGHT 11u     /* of one way, see weight */

struct mix {
    struct drift_study *s;
    unsigned nsums; /* sums with a choice of their own */
    size_t nways;
    struct num_profile ways[MAX_WAYS];
    uint64_t prints[MAX_WAYS];
    size_t n;       /* elements of all outputs */
    size_t *first;  /* by output */
    uint64_t *sets; /* by element: the ways that give it so far */
    bool *counted;  /* by element: something is known of it */
    bool everywhere;
};

/* ---- ways ------------------------------------------------------------------------ */

static uint64_t print_of(const struct drift_study *s,
                         const struct num_profile *p)
{
    return interp_profile_print(s->q->module, s->q->func, p);
}

/* Whether the setting of A18 makes another program than lesser ones do. */
static bool is_own(const struct drift_study *s, struct num_profile p,
                   unsigned forward, uint64_t *print)
{
    bool own = true;
    p.set[NUM_T_FORWARD] = (uint8_t)forward;
    *print = print_of(s, &p);
    for (unsigned less = 0; less < forward && own; less++) {
        p.set[NUM_T_FORWARD] = (uint8_t)less;
        own = print_of(s, &p) != *print;
    }
    return own;
}

unsigned drift_forwards(const struct drift_study *s, unsigned forward)
{
    struct num_profile p = {{0}};
    uint64_t left, right;
    p.set[NUM_T_CONTRACT] = NUM_CONTRACT_LEFT;
    unsigned out = is_own(s, p, forward, &left) ? 1u << NUM_CONTRACT_LEFT : 0;
    p.set[NUM_T_CONTRACT] = NUM_CONTRACT_RIGHT;
    if (is_own(s, p, forward, &right) && right != left)
        out |= 1u << NUM_CONTRACT_RIGHT;
    return out;
}

static size_t power(size_t base, unsigned n)
{
    size_t out = 1;
    while (n-- > 0)
        out *= base;
    return out;
}

/* Sums with a product that the program has, as far as there are toggles and
 * comparing all choices is not too much work. */
static unsigned count_sums(const struct drift_study *s, struct num_profile p)
{
    size_t nodes = s->q->func->prim.body->size;
    unsigned n = 0;
    p.set[NUM_T_CONTRACT] = NUM_CONTRACT_LEFT;
    uint64_t print = print_of(s, &p);
    for (; n < NUM_NSUMS; n++) {
        struct num_profile other = p;
        other.set[num_toggle_of_sum(n)] = NUM_SUM_APART;
        if (3 * power(NUM_NSUM, n + 1) * nodes > MAX_NODES ||
            print_of(s, &other) == print)
            break;
    }
    return n;
}

static void add_way(struct mix *x, const struct num_profile *p)
{
    uint64_t print = print_of(x->s, p);
    for (size_t i = 0; i < x->nways; i++)
        if (x->prints[i] == print)
            return;
    x->prints[x->nways] = print;
    x->ways[x->nways++] = *p;
}

/* Toggles that the way sets; those of single sums count twice, and squares. */
static unsigned weight(const struct num_profile *p)
{
    unsigned n = p->set[NUM_T_CONTRACT] != 0 ? 1 : 0;
    n += p->set[NUM_T_FORWARD];
    for (unsigned k = 0; k < NUM_NSUMS; k++)
        n += p->set[num_toggle_of_sum(k)] != 0 ? 2 : 0;
    return n;
}

/* The ways of so much weight, of one setting of A18. */
static void add_forward(struct mix *x, const struct num_profile *base,
                        unsigned forward, unsigned want)
{
    size_t combinations = power(NUM_NSUM, x->nsums);
    for (unsigned how = 0; how <= NUM_CONTRACT_RIGHT; how++)
        for (size_t c = 0; c < combinations && x->nways < MAX_WAYS; c++) {
            struct num_profile p = *base;
            size_t rest = c;
            p.set[NUM_T_CONTRACT] = (uint8_t)how;
            p.set[NUM_T_FORWARD] = (uint8_t)forward;
            for (unsigned k = 0; k < x->nsums; k++, rest /= NUM_NSUM)
                p.set[num_toggle_of_sum(k)] = (uint8_t)(rest % NUM_NSUM);
            drift_canonical(&p);
            if (weight(&p) == want && drift_declares(&x->s->q->declared, &p))
                add_way(x, &p);
        }
}

/* All ways beside what base sets, those of few toggles first. */
static void add_ways(struct mix *x, const struct num_profile *base,
                     unsigned forward, unsigned most)
{
    for (unsigned want = 0; want <= MAX_WEIGHT; want++)
        for (unsigned v = forward; v <= most; v++)
            if (v == forward || v == most)
                add_forward(x, base, v, want);
}

/* p without what the ways set. */
static struct num_profile cleared(struct num_profile p)
{
    p.set[NUM_T_CONTRACT] = p.set[NUM_T_FORWARD] = 0;
    for (unsigned k = 0; k < NUM_NSUMS; k++)
        p.set[num_toggle_of_sum(k)] = 0;
    return p;
}

/* What else the target does: as it declares, or as the best of the trials
 * within that has it. */
static size_t choose_bases(const struct drift_study *s,
                           const struct drift_answer *a,
                           struct num_profile *out)
{
    size_t n = 0;
    out[n++] = cleared(s->q->declared.base);
    for (size_t i = 0; i < a->ntrials; i++) {
        if (!a->trials[i].declared)
            continue;
        out[n] = cleared(a->trials[i].profile);
        return n + !num_profile_equal(&out[0], &out[n]);
    }
    return n;
}

/* Whether the setting of A18 makes a difference, and the target may do so. */
static bool may_forward(const struct mix *x, struct num_profile p,
                        unsigned forward)
{
    p.set[NUM_T_CONTRACT] = NUM_CONTRACT_LEFT;
    p.set[NUM_T_FORWARD] = (uint8_t)forward;
    return drift_forwards(x->s, forward) != 0 &&
           drift_declares(&x->s->q->declared, &p);
}

static void find_ways(struct mix *x, const struct num_profile *base)
{
    struct num_profile p = *base;
    unsigned forward = may_forward(x, p, NUM_FORWARD_PRODUCTS)
                           ? NUM_FORWARD_PRODUCTS
                           : NUM_FORWARD_OFF;
    unsigned most =
        may_forward(x, p, NUM_FORWARD_SQUARES) ? NUM_FORWARD_SQUARES : forward;
    p.set[NUM_T_FORWARD] = (uint8_t)most;
    x->nways = 0;
    x->nsums = count_sums(x->s, p);
    add_ways(x, base, forward, most);
}

/* ---- elements ---------------------------------------------------------------------- */

static void start(struct mix *x)
{
    struct drift_study *s = x->s;
    x->first = ARENA_ARRAY(s->arena, s->noutputs + 1, size_t);
    x->n = 0;
    for (size_t o = 0; o < s->noutputs; o++) {
        x->first[o] = x->n;
        x->n += s->cases[0].in[s->outputs[o]].tensor->elements;
    }
    x->sets = dc_alloc((x->n + 1) * sizeof *x->sets);
    x->counted = dc_alloc((x->n + 1) * sizeof *x->counted);
}

static void finish(struct mix *x)
{
    dc_release(x->sets);
    dc_release(x->counted);
}

/* One way on one case: the elements that it does not give lose it. */
static void compare_way(struct mix *x, size_t way, const struct drift_case *c,
                        const struct interp_arg *args,
                        const struct drift_pick *picks)
{
    const struct drift_study *s = x->s;
    for (size_t o = 0; o < s->noutputs; o++) {
        const struct interp_tensor *a = args[s->outputs[o]].tensor;
        const struct interp_tensor *b = c->out[s->outputs[o]].tensor;
        size_t n = picks != NULL ? picks[o].n : a->elements;
        for (size_t k = 0; k < n; k++) {
            size_t i = picks != NULL ? picks[o].elements[k] : k;
            bool same =
                num_same(dtype_scalar(a->dtype), interp_tensor_get(a, i),
                         interp_tensor_get(b, i));
            if (!study_counts(a, i, same))
                continue;
            x->counted[x->first[o] + i] = true;
            if (!same)
                x->sets[x->first[o] + i] &= ~(UINT64_C(1) << way);
        }
    }
}

/* Ways that some element of those counted needs or may have. */
static uint64_t useful(const struct mix *x)
{
    uint64_t all = 0;
    bool any = false;
    for (size_t i = 0; i < x->n; i++) {
        all |= x->counted[i] ? x->sets[i] : 0;
        any |= x->counted[i];
    }
    return any ? all : UINT64_MAX;
}

/* All ways on one case. False: some element has the bits of none, or a run did
 * not finish. */
static bool play(struct mix *x, struct drift_case *c)
{
    uint64_t wanted = useful(x);
    for (size_t w = 0; w < x->nways; w++) {
        struct interp_arg *args;
        const struct drift_pick *picks;
        if (!(wanted >> w & 1u))
            continue;
        if (!study_compute(x->s, c, &x->ways[w], &args, &picks))
            return false;
        x->everywhere &= picks == NULL;
        compare_way(x, w, c, args, picks);
        study_free_args(x->s, args);
    }
    bool fine = true;
    for (size_t i = 0; i < x->n; i++) {
        x->sets[i] &= wanted;
        fine &= x->sets[i] != 0;
    }
    return fine;
}

/* Given inputs first, those that round before the others. */
static bool play_all(struct mix *x)
{
    struct drift_study *s = x->s;
    uint64_t all = x->nways == 64 ? UINT64_MAX : (UINT64_C(1) << x->nways) - 1;
    for (size_t i = 0; i < x->n; i++) {
        x->sets[i] = all;
        x->counted[i] = false;
    }
    x->everywhere = true;
    size_t given = s->ncases;
    for (int exact = 0; exact < 2; exact++)
        for (size_t i = 0; i < given; i++)
            if (s->cases[i].exact == (exact == 1) && !play(x, &s->cases[i]))
                return false;
    if (!study_freshen(s))
        return false;
    while (study_more(s))
        ;
    for (size_t i = given; i < s->ncases; i++)
        if (!play(x, &s->cases[i]))
            return false;
    return !s->error_is_targets;
}

/* ---- answer -------------------------------------------------------------------------- */

static size_t count_given(const struct mix *x, uint64_t way, uint64_t taken)
{
    size_t n = 0;
    for (size_t i = 0; i < x->n; i++)
        n += x->counted[i] && (x->sets[i] & way) != 0 &&
             (x->sets[i] & taken) == 0;
    return n;
}

/* The way that gives most of what is left, again and again; of equals the one
 * of fewer toggles. */
static void name_ways(const struct mix *x, struct drift_answer *a)
{
    uint64_t taken = 0;
    a->mixed = ARENA_ARRAY(a->arena, x->nways + 1, struct drift_mixed);
    for (;;) {
        size_t best = 0, most = 0;
        for (size_t w = 0; w < x->nways; w++) {
            size_t n = count_given(x, UINT64_C(1) << w, taken);
            if (n > most) {
                best = w;
                most = n;
            }
        }
        if (most == 0)
            return;
        taken |= UINT64_C(1) << best;
        a->mixed[a->nmixed].profile = x->ways[best];
        a->mixed[a->nmixed++].elements = most;
    }
}

static void put_ways(struct buf *out, const struct drift_answer *a)
{
    for (size_t i = 0; i < a->nmixed; i++) {
        buf_printf(out, "%s%zu by ", i == 0 ? "" : ", ", a->mixed[i].elements);
        num_profile_put(out, &a->mixed[i].profile);
    }
}

/* "… in some elements and not in others: each of the 30 outputs has the bits of
 * one of 2 ways, of the same one on all of 11 inputs, 8 of them fresh: 24 by …" */
static void put_reason(struct buf *out, const struct mix *x,
                       const struct drift_answer *a, size_t outputs)
{
    bool forward = false;
    const char *sampled = x->everywhere ? "" : "sampled ";
    for (size_t i = 0; i < a->nmixed; i++)
        forward |= a->mixed[i].profile.set[NUM_T_FORWARD] != 0;
    buf_printf(out, "products are fused%s in some %s and not in others: ",
               forward ? " across statements" : "",
               a->nmixed > 1 ? "elements" : "sums");
    if (a->nmixed > 1)
        buf_printf(out,
                   "each of the %zu %soutputs has the bits of one of %zu ways, "
                   "of the same one on",
                   outputs, sampled, a->nmixed);
    else
        buf_printf(out, "the %zu %soutputs have the bits of one way on",
                   outputs, sampled);
    buf_printf(out, " all of %zu inputs, ", x->s->ncases);
    if (a->fresh_runs > 0)
        buf_printf(out, "%u of them fresh: ", a->fresh_runs);
    else
        buf_puts(out, "none of them fresh: ");
    put_ways(out, a);
}

static void conclude(const struct mix *x, struct drift_answer *a)
{
    const struct drift_study *s = x->s;
    struct buf text = {0};
    size_t outputs = 0;
    for (size_t i = 0; i < x->n; i++)
        outputs += x->counted[i];
    a->fresh_runs = 0;
    for (size_t i = 0; i < s->ncases; i++)
        a->fresh_runs += s->cases[i].fresh;
    name_ways(x, a);
    put_reason(&text, x, a, outputs);
    a->outcome = DRIFT_EXPLAINED;
    a->explained = a->stats.differ;
    a->everywhere = x->everywhere;
    a->outputs = x->everywhere ? outputs : 0;
    a->reason = arena_strdup(a->arena, buf_text(&text));
    buf_fini(&text);
}

/* Whether the target may fuse products at all. */
static bool may_fuse(const struct drift_study *s)
{
    struct num_profile p = {{0}};
    p.set[NUM_T_CONTRACT] = NUM_CONTRACT_LEFT;
    bool left = drift_declares(&s->q->declared, &p);
    p.set[NUM_T_CONTRACT] = NUM_CONTRACT_RIGHT;
    return left || drift_declares(&s->q->declared, &p);
}

bool drift_mix_explain(struct drift_study *s, struct drift_answer *a)
{
    struct num_profile bases[2];
    uint64_t all = s->max_steps;
    bool out_of_steps = s->out_of_steps, found = false;
    const char *error = s->error;
    if (!may_fuse(s) || s->ncases == 0)
        return false;
    struct mix *x = dc_alloc(sizeof *x);
    memset(x, 0, sizeof *x);
    x->s = s;
    start(x);
    size_t n = choose_bases(s, a, bases);
    for (size_t i = 0; i < n && !found && !s->error_is_targets; i++) {
        find_ways(x, &bases[i]);
        /* what comes after has its part of the budget left */
        s->max_steps = s->steps + (all > s->steps ? (all - s->steps) / 4 : 0);
        found = x->nways > 1 && play_all(x);
        s->max_steps = all;
    }
    if (found)
        conclude(x, a);
    if (!s->error_is_targets) {
        s->out_of_steps = out_of_steps;
        s->error = error;
    }
    finish(x);
    dc_release(x);
    return found;
}
