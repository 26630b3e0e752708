/* SPDX-License-Identifier: Apache-2.0
 *
 * The search for profiles that give a target's bits.
 *
 * A move sets one toggle, or a few that mean nothing alone. From the reference
 * and from what the target declares, all moves are tried on a few elements and
 * scored by the share of equal bits; the best few results are moved on from. A
 * profile that gives all of them is confirmed on more elements and on fresh
 * inputs, and then stripped of every toggle that it does not need. A level is
 * always finished, so that all explanations of that many moves are found.
 */
#include "diff/drift/drift_private.h"

#include <string.h>

#define BEAM     4u
#define LEVELS   4u
#define GROUPED  3u /* levels of sums in groups */
#define PATIENCE 2u /* fresh inputs in a row that tell no rivals apart */

struct move {
    unsigned n;
    struct {
        uint8_t toggle, setting;
    } set[6];
};

/* What the function gives toggles to act on. */
struct features {
    bool shorts, singles, divides, roots, functions;
    bool bfloats, eights; /* bfloat16, floats of 8 bits */
    bool matrices;        /* products of tiles */
    uint32_t literals;    /* bit d: some differ if printed with d digits */
    bool products, two_products, fused, accumulates;
    unsigned forwards[NUM_NFORWARD]; /* drift_forwards */
    int64_t longest;                 /* constant extent of any loop */
};

struct search {
    struct drift_study *s;
    struct drift_answer *a;
    struct features f;
    size_t nmoves;
    struct move moves[400];
    struct VEC(struct drift_trial) trials;
    struct VEC(uint64_t) prints;   /* of the results of trials */
    struct VEC(uint64_t) programs; /* that the trials ran */
    size_t nfound;
    struct num_profile found[16];
    bool misled; /* all elements that were looked at, but for fresh inputs */
};

/* ---- what may matter ------------------------------------------------------------ */

/* Digits with which the literal prints as another number: bit d. */
static uint32_t printed_short(const struct ir_expr *e)
{
    uint32_t digits = 0;
    struct num_profile p = {{0}};
    unsigned flags = 0;
    struct dtype t = dtype_scalar(e->dtype);
    uint64_t exact = num_from_double(t, e->u.float_value, &flags);
    for (unsigned d = 1; d < NUM_NLITERALS; d++) {
        p.set[NUM_T_LITERALS] = (uint8_t)d;
        if (num_profile_literal(&p, t, e->u.float_value, &flags) != exact)
            digits |= UINT32_C(1) << d;
    }
    return digits;
}

/* Under any of its names: tvm_mma_sync, ptx_mma, ptx_legacy.mma, and what Metal
 * calls it; "mma" by itself is a part of lgamma, too. */
static bool is_matrix_product(const struct ir_expr *e)
{
    const char *name = e->u.call.name;
    return strstr(name, "_mma") != NULL || strstr(name, ".mma") != NULL ||
           strstr(name, "simdgroup_multiply") != NULL;
}

static bool see_expr(void *user, struct ir_expr *e)
{
    struct features *f = user;
    f->matrices |= e->kind == IR_CALL && is_matrix_product(e);
    if (!dtype_is_float(e->dtype))
        return true;
    f->shorts |= e->dtype.bits < 32;
    f->bfloats |= e->dtype.code == DT_BFLOAT;
    f->eights |= e->dtype.bits == 8;
    f->singles |= e->dtype.bits == 32;
    f->divides |= e->kind == IR_DIV;
    if (e->kind == IR_FLOAT_IMM)
        f->literals |= printed_short(e);
    if (e->kind == IR_CALL && (ir_op_info(e->u.call.op)->flags & IR_OPF_MATH)) {
        f->roots |= e->u.call.op == IR_OP_SQRT;
        f->fused |= e->u.call.op == IR_OP_FMA;
        f->functions |= e->u.call.op != IR_OP_SQRT && e->u.call.op != IR_OP_FMA;
    }
    if (e->kind == IR_ADD || e->kind == IR_SUB) {
        bool left = e->args[0]->kind == IR_MUL;
        bool right = e->args[1]->kind == IR_MUL;
        f->products |= left || right;
        f->two_products |= left && right;
    }
    return true;
}

static bool see_stmt(void *user, struct ir_stmt *s)
{
    struct features *f = user;
    int64_t n;
    if (s->kind == IR_FOR && ir_const_int(s->u.loop.extent, &n) &&
        n > f->longest)
        f->longest = n;
    if (s->kind != IR_STORE)
        return true;
    f->accumulates |= ir_loads(s->u.store.value, s->u.store.buffer) &&
                      dtype_is_float(s->u.store.buffer->dtype);
    return true;
}

static struct features features_of(const struct ir_func *func)
{
    struct features f = {0};
    struct ir_visitor v = {see_stmt, see_expr, &f};
    ir_visit_stmt(&v, func->prim.body);
    return f;
}

/* ---- moves ------------------------------------------------------------------------ */

static struct move *new_move(struct search *x)
{
    if (x->nmoves == DC_ARRAY_LEN(x->moves))
        DC_BUG("too many moves");
    return &x->moves[x->nmoves++];
}

static void set(struct move *m, enum num_toggle toggle, unsigned setting)
{
    if (m->n == DC_ARRAY_LEN(m->set))
        DC_BUG("too many settings in a move");
    m->set[m->n].toggle = (uint8_t)toggle;
    m->set[m->n++].setting = (uint8_t)setting;
}

static void add_settings(struct search *x, enum num_toggle toggle,
                         unsigned from, unsigned to)
{
    for (unsigned v = from; v < to; v++)
        set(new_move(x), toggle, v);
}

static void add_keeps(struct search *x)
{
    static const uint8_t keeps[] = {NUM_KEEP_LOOPS, NUM_KEEP_END,
                                    NUM_KEEP_LOOP1, NUM_KEEP_LOOP2,
                                    NUM_KEEP_LOOP3};
    for (unsigned type = 0; type < NUM_NKEEP_TYPE; type++)
        for (size_t i = 0; i < sizeof keeps; i++)
            for (unsigned wide = 0; wide <= NUM_PRODUCT_WIDE; wide++) {
                if (type == NUM_KEEP_FLOAT32 && !x->f.shorts)
                    continue;
                struct move *m = new_move(x);
                set(m, NUM_T_KEEP, keeps[i]);
                set(m, NUM_T_KEEP_TYPE, type);
                set(m, NUM_T_PRODUCT, wide);
            }
}

/* A sum in a register for as many turns as are unrolled into one. */
static void add_unrolled(struct search *x)
{
    for (unsigned n = 1; n < NUM_NUNROLL && n < x->f.longest; n++)
        for (unsigned peel = 0; peel < NUM_NPEEL; peel++) {
            struct move *m = new_move(x);
            set(m, NUM_T_KEEP, NUM_KEEP_LOOP1);
            set(m, NUM_T_PRODUCT, NUM_PRODUCT_WIDE);
            set(m, NUM_T_UNROLL, n);
            set(m, NUM_T_PEEL, peel);
        }
}

static void add_vectors(struct search *x, unsigned lanes, unsigned vectors)
{
    for (unsigned start = 0; start < NUM_NSTART; start++)
        for (unsigned tail = 0; tail < (lanes > 1 ? NUM_NTAIL : 1u); tail++) {
            struct move *m = new_move(x);
            set(m, NUM_T_LANES, lanes);
            set(m, NUM_T_INTERLEAVE, vectors);
            set(m, NUM_T_START, start);
            set(m, NUM_T_TAIL, tail);
            set(m, NUM_T_JOIN,
                vectors > 0 ? NUM_COMBINE_SEQUENTIAL : NUM_COMBINE_HALVES);
        }
}

/* Vectors joined by halves are more lanes, see drift_canonical. */
static void add_lanes(struct search *x)
{
    for (unsigned lanes = 1; lanes < NUM_NLANES; lanes++)
        for (unsigned vectors = 0; vectors < NUM_NINTERLEAVE; vectors++)
            if ((INT64_C(1) << (lanes + vectors)) <= x->f.longest)
                add_vectors(x, lanes, vectors);
    set(new_move(x), NUM_T_COMBINE, NUM_COMBINE_NEIGHBOURS);
    set(new_move(x), NUM_T_COMBINE, NUM_COMBINE_SEQUENTIAL);
    set(new_move(x), NUM_T_JOIN, NUM_COMBINE_NEIGHBOURS);
}

/* Truncation where short floats are computed in float32 and converted. */
static void add_short_truncation(struct search *x)
{
    for (unsigned half = NUM_HALF_EACH; half <= NUM_HALF_STATEMENT; half++) {
        struct move *m = new_move(x);
        set(m, NUM_T_HALF, half);
        set(m, NUM_T_ROUND_CAST, NUM_ROUND_TO_ZERO);
    }
}

/* What is fused across statements, left or right of two. */
static void add_forwards(struct search *x, unsigned forward)
{
    for (unsigned how = NUM_CONTRACT_LEFT; how <= NUM_CONTRACT_RIGHT; how++)
        if (x->f.forwards[forward] >> how & 1u) {
            struct move *m = new_move(x);
            set(m, NUM_T_CONTRACT, how);
            set(m, NUM_T_FORWARD, forward);
        }
}

/* Those by which results keep about as many digits as the program's have. */
static void make_fine_moves(struct search *x)
{
    const struct features *f = &x->f;
    if (f->products)
        set(new_move(x), NUM_T_CONTRACT, NUM_CONTRACT_LEFT);
    if (f->two_products)
        set(new_move(x), NUM_T_CONTRACT, NUM_CONTRACT_RIGHT);
    for (unsigned v = NUM_FORWARD_PRODUCTS; v < NUM_NFORWARD; v++)
        add_forwards(x, v);
    if (f->fused)
        set(new_move(x), NUM_T_CONTRACT, NUM_CONTRACT_SPLIT);
    if (f->shorts)
        add_settings(x, NUM_T_HALF, 1, NUM_HALF_BFLOAT);
    if (f->bfloats)
        set(new_move(x), NUM_T_HALF, NUM_HALF_BFLOAT);
    if (f->eights)
        set(new_move(x), NUM_T_HALF, NUM_HALF_FLOAT8);
    if (f->accumulates && (f->shorts || f->singles))
        add_keeps(x);
    if (f->accumulates) {
        set(new_move(x), NUM_T_ORDER, NUM_ORDER_REVERSED);
        add_lanes(x);
    }
}

static void make_moves(struct search *x)
{
    const struct features *f = &x->f;
    bool fine = !x->s->coarse;
    if (fine)
        make_fine_moves(x);
    set(new_move(x), NUM_T_ROUND, NUM_ROUND_TO_ZERO);
    if (f->shorts && fine) {
        set(new_move(x), NUM_T_ROUND_CAST, NUM_ROUND_TO_ZERO);
        add_short_truncation(x);
    }
    if (f->shorts)
        add_settings(x, NUM_T_FLUSH_HALF, 1, NUM_NFLUSH);
    if (f->singles || f->shorts)
        add_settings(x, NUM_T_FLUSH_SINGLE, 1, NUM_NFLUSH);
    if ((f->shorts || f->singles) &&
        drift_may(&x->s->q->declared, NUM_T_QFLOAT))
        add_settings(x, NUM_T_QFLOAT, 1, NUM_NQFLOAT);
    if (f->matrices && drift_may(&x->s->q->declared, NUM_T_MATRIX))
        add_settings(x, NUM_T_MATRIX, 1, NUM_NMATRIX);
    if (f->divides && fine)
        add_settings(x, NUM_T_DIVIDE, 1, NUM_NDIVIDE);
    if (f->roots && fine)
        add_settings(x, NUM_T_SQRT, 1, NUM_NSQRT);
    if (f->functions)
        add_settings(x, NUM_T_FUNCTIONS, 1, NUM_NFUNCTIONS);
    /* of two that give the same numbers the more digits go first */
    for (unsigned d = NUM_NLITERALS - 1; d > 0; d--)
        if (f->literals >> d & 1u)
            set(new_move(x), NUM_T_LITERALS, d);
}

/* Sums in groups, and wide products of narrow factors. */
static void add_groupings(struct search *x)
{
    static const uint8_t keeps[] = {NUM_KEEP_LOOPS, NUM_KEEP_LOOP1,
                                    NUM_KEEP_END};
    const struct drift_declared *d = &x->s->q->declared;
    if (drift_may(d, NUM_T_ORDER))
        add_settings(x, NUM_T_ORDER, NUM_ORDER_REVERSED + 1, NUM_NORDER);
    if (!drift_may(d, NUM_T_KEEP) || !drift_may(d, NUM_T_PRODUCT))
        return;
    for (unsigned type = x->f.shorts ? NUM_KEEP_FLOAT32 : NUM_KEEP_FLOAT64;
         type < NUM_NKEEP_TYPE; type++)
        for (size_t i = 0; i < sizeof keeps; i++) {
            struct move *m = new_move(x);
            set(m, NUM_T_KEEP, keeps[i]);
            set(m, NUM_T_KEEP_TYPE, type);
            set(m, NUM_T_PRODUCT, NUM_PRODUCT_FACTORS);
        }
}

/* Vectors joined by halves, then lanes by halves, are vectors of more lanes. */
void drift_canonical(struct num_profile *p)
{
    if (p->set[NUM_T_ORDER] > NUM_ORDER_REVERSED)
        p->set[NUM_T_LANES] = p->set[NUM_T_INTERLEAVE] = 0;
    if (p->set[NUM_T_KEEP] == NUM_KEEP_NONE)
        p->set[NUM_T_KEEP_TYPE] = p->set[NUM_T_PRODUCT] = 0;
    if (p->set[NUM_T_KEEP] == NUM_KEEP_NONE ||
        p->set[NUM_T_KEEP] == NUM_KEEP_END)
        p->set[NUM_T_UNROLL] = 0;
    if (p->set[NUM_T_UNROLL] == 0)
        p->set[NUM_T_PEEL] = NUM_PEEL_NONE;
    if (p->set[NUM_T_LANES] == 0)
        p->set[NUM_T_INTERLEAVE] = p->set[NUM_T_COMBINE] = p->set[NUM_T_START] =
            p->set[NUM_T_TAIL] = 0;
    if (p->set[NUM_T_INTERLEAVE] < 2) /* two of anything: one way */
        p->set[NUM_T_JOIN] = 0;
    if (p->set[NUM_T_LANES] < 2)
        p->set[NUM_T_COMBINE] = 0;
    if (p->set[NUM_T_LANES] < 2) /* half of two lanes is no vector */
        p->set[NUM_T_TAIL] = NUM_TAIL_SINGLE;
    unsigned how = p->set[NUM_T_CONTRACT];
    bool fuses = how == NUM_CONTRACT_LEFT || how == NUM_CONTRACT_RIGHT;
    for (unsigned k = 0; k < NUM_NSUMS; k++) {
        uint8_t *own = &p->set[num_toggle_of_sum(k)];
        if (*own == (how == NUM_CONTRACT_LEFT    ? NUM_SUM_LEFT
                     : how == NUM_CONTRACT_RIGHT ? NUM_SUM_RIGHT
                                                 : NUM_SUM_APART) ||
            how == NUM_CONTRACT_SPLIT)
            *own = NUM_SUM_CONTRACT;
        fuses |= *own == NUM_SUM_LEFT || *own == NUM_SUM_RIGHT;
    }
    if (!fuses)
        p->set[NUM_T_FORWARD] = NUM_FORWARD_OFF;
    unsigned all = p->set[NUM_T_LANES] + (unsigned)p->set[NUM_T_INTERLEAVE];
    if (p->set[NUM_T_JOIN] == NUM_COMBINE_HALVES &&
        p->set[NUM_T_COMBINE] == NUM_COMBINE_HALVES &&
        p->set[NUM_T_TAIL] == NUM_TAIL_SINGLE && all < NUM_NLANES) {
        p->set[NUM_T_LANES] = (uint8_t)all;
        p->set[NUM_T_INTERLEAVE] = 0;
    }
}

static struct num_profile moved(const struct num_profile *p,
                                const struct move *m)
{
    struct num_profile out = *p;
    for (unsigned i = 0; i < m->n; i++)
        out.set[m->set[i].toggle] = m->set[i].setting;
    drift_canonical(&out);
    return out;
}

/* ---- explanations --------------------------------------------------------------------- */

/* Whether all that a sets is set likewise in b; forward=squares does all that
 * forward=products does. */
static bool is_part(const struct num_profile *a, const struct num_profile *b)
{
    for (unsigned t = 0; t < NUM_NTOGGLES; t++)
        if (a->set[t] != 0 && a->set[t] != b->set[t] &&
            (t != NUM_T_FORWARD || a->set[t] > b->set[t]))
            return false;
    return true;
}

static bool is_known(const struct search *x, const struct num_profile *p)
{
    for (size_t i = 0; i < x->nfound; i++)
        if (is_part(&x->found[i], p))
            return true;
    return false;
}

static struct drift_trial *find_trial(struct search *x,
                                      const struct num_profile *p)
{
    for (size_t i = 0; i < x->trials.len; i++)
        if (num_profile_equal(&x->trials.items[i].profile, p))
            return &x->trials.items[i];
    return NULL;
}

/* The profile's score on the elements for screening; index of its trial. */
static size_t try_profile(struct search *x, const struct num_profile *p)
{
    struct drift_trial *old = find_trial(x, p);
    if (old != NULL)
        return (size_t)(old - x->trials.items);
    vec_push(&x->programs,
             interp_profile_print(x->s->q->module, x->s->q->func, p));
    struct drift_score score = study_screen(x->s, p);
    struct drift_trial t;
    memset(&t, 0, sizeof t);
    t.profile = *p;
    t.equal = score.failed ? 0 : score.equal;
    t.compared = score.compared;
    t.declared = drift_declares(&x->s->q->declared, p);
    vec_push(&x->trials, t);
    vec_push(&x->prints, score.failed ? 0 : score.print);
    return x->trials.len - 1;
}

static bool is_full(const struct drift_trial *t)
{
    return t->compared > 0 && t->equal == t->compared;
}

/* All elements there are to compare, on fresh inputs too. */
static bool confirm(struct search *x, size_t which)
{
    if (!is_full(&x->trials.items[which]) || !study_freshen(x->s))
        return false;
    struct drift_score score =
        study_check(x->s, &x->trials.items[which].profile);
    struct drift_trial *t = &x->trials.items[which];
    t->equal = score.equal;
    t->compared = score.compared;
    t->each = score.each;
    t->everywhere = score.everywhere;
    t->confirmed = !score.failed && is_full(t);
    x->misled |= !score.failed && score.at_fresh;
    return t->confirmed;
}

/* The same with one toggle set to less, if that is an explanation, too. */
static bool lessen(struct search *x, size_t *which, unsigned toggle,
                   unsigned setting)
{
    struct num_profile p = x->trials.items[*which].profile;
    p.set[toggle] = (uint8_t)setting;
    drift_canonical(&p);
    if (num_profile_is_reference(&p))
        return false;
    size_t less = try_profile(x, &p);
    if (!x->trials.items[less].confirmed && !confirm(x, less))
        return false;
    *which = less;
    return true;
}

/* Leaves out every toggle that is not needed. */
static size_t minimise(struct search *x, size_t which)
{
    for (unsigned t = 0; t < NUM_NTOGGLES; t++) {
        unsigned now = x->trials.items[which].profile.set[t];
        if (now != 0 && !lessen(x, &which, t, 0) && t == NUM_T_FORWARD &&
            now == NUM_FORWARD_SQUARES)
            (void)lessen(x, &which, t, NUM_FORWARD_PRODUCTS);
    }
    return which;
}

static void accept(struct search *x, size_t which)
{
    if (x->nfound == DC_ARRAY_LEN(x->found) ||
        x->trials.items[which].confirmed || !confirm(x, which))
        return;
    which = minimise(x, which);
    if (!is_known(x, &x->trials.items[which].profile))
        x->found[x->nfound++] = x->trials.items[which].profile;
}

/* ---- levels ------------------------------------------------------------------------------ */

struct beam {
    size_t n;
    size_t which[BEAM];
};

static bool same_print(const struct search *x, const struct beam *b, size_t i)
{
    for (size_t k = 0; k < b->n; k++)
        if (x->prints.items[b->which[k]] == x->prints.items[i])
            return true;
    return false;
}

/* Keeps the best, the earlier of equals; those with the same results once. */
static void offer(const struct search *x, struct beam *b, size_t i)
{
    if (same_print(x, b, i))
        return;
    size_t at = b->n;
    while (at > 0 &&
           x->trials.items[b->which[at - 1]].equal < x->trials.items[i].equal)
        at--;
    if (at == BEAM)
        return;
    if (b->n < BEAM)
        b->n++;
    for (size_t k = b->n - 1; k > at; k--)
        b->which[k] = b->which[k - 1];
    b->which[at] = i;
}

/* Whether some trial ran the same program. */
static bool is_tried(const struct search *x, const struct num_profile *p)
{
    uint64_t print = interp_profile_print(x->s->q->module, x->s->q->func, p);
    for (size_t i = 0; i < x->programs.len; i++)
        if (x->programs.items[i] == print && print != 0)
            return true;
    return false;
}

/* All moves, or those from the first to before the last. */
static void move_on(struct search *x, size_t from, size_t first, size_t last,
                    struct beam *next)
{
    for (size_t i = first; i < last && !x->s->out_of_steps; i++) {
        struct num_profile p =
            moved(&x->trials.items[from].profile, &x->moves[i]);
        /* of profiles that make one program of it the declared ones count */
        if (is_known(x, &p) || find_trial(x, &p) != NULL ||
            (is_tried(x, &p) && !drift_declares(&x->s->q->declared, &p)))
            continue;
        size_t which = try_profile(x, &p);
        if (is_full(&x->trials.items[which]))
            accept(x, which);
        /* a move that changes nothing leads nowhere */
        if (x->prints.items[which] != x->prints.items[from])
            offer(x, next, which);
    }
}

/* The reference, and what the target declares to do. */
static struct beam first_beam(struct search *x)
{
    struct num_profile reference = {{0}};
    struct num_profile base = x->s->q->declared.base;
    struct beam beam = {0};
    drift_canonical(&base);
    beam.which[beam.n++] = try_profile(x, &reference);
    if (!num_profile_is_reference(&base)) {
        size_t which = try_profile(x, &base);
        if (is_full(&x->trials.items[which]))
            accept(x, which);
        beam.which[beam.n++] = which;
    }
    return beam;
}

static bool is_over(const struct search *x)
{
    return x->nfound > 0 || x->s->out_of_steps || x->s->error_is_targets;
}

static void levels(struct search *x)
{
    struct beam beam = first_beam(x);
    for (unsigned level = 0; level < LEVELS && beam.n > 0; level++) {
        struct beam next = {0};
        size_t n = beam.n;
        for (size_t i = 0; i < n; i++)
            move_on(x, beam.which[i], 0, x->nmoves, &next);
        if (is_over(x))
            return;
        beam = next;
    }
}

/* A grouping first, so far as one gives more than none, then what may be beside
 * it. */
static void grouped_levels(struct search *x)
{
    size_t first = x->nmoves;
    struct beam beam = first_beam(x);
    size_t least = x->trials.items[beam.which[0]].equal;
    add_groupings(x);
    for (unsigned level = 0; level < GROUPED && beam.n > 0; level++) {
        struct beam next = {0}, better = {0};
        for (size_t i = 0; i < beam.n; i++)
            move_on(x, beam.which[i], level == 0 ? first : 0,
                    level == 0 ? x->nmoves : first, &next);
        if (is_over(x))
            return;
        for (size_t i = 0; i < next.n; i++)
            if (x->trials.items[next.which[i]].equal > least)
                better.which[better.n++] = next.which[i];
        beam = better;
    }
}

static bool found_declared(const struct search *x)
{
    for (size_t i = 0; i < x->nfound; i++)
        if (drift_declares(&x->s->q->declared, &x->found[i]))
            return true;
    return false;
}

static void start_again(struct search *x)
{
    x->trials.len = x->prints.len = x->programs.len = 0;
    x->nfound = 0;
}

/* The many ways to unroll and to group a sum are tried where nothing simpler is
 * found.
 * Where a profile gives all elements that are looked at and not those of a fresh
 * input, the given inputs show too little of what the target does: no move that
 * is needed beside makes anything better. Once more, with the fresh ones. */
static void search_levels(struct search *x)
{
    const uint32_t *may = x->s->q->declared.may;
    levels(x);
    if (!found_declared(x) && x->f.accumulates && x->f.shorts &&
        !x->s->coarse && may[NUM_T_UNROLL] != 0 && !x->s->error_is_targets) {
        add_unrolled(x);
        start_again(x);
        levels(x);
    }
    if (x->f.accumulates && !x->s->coarse && !is_over(x))
        grouped_levels(x);
    if (!x->misled || is_over(x))
        return;
    x->s->screen_fresh = true;
    start_again(x);
    levels(x);
}

/* Explanations that the inputs so far do not tell apart meet more of them, as
 * long as that helps. */
static void contest(struct search *x)
{
    unsigned idle = 0;
    while (x->nfound > 1 && idle < PATIENCE && !x->s->out_of_steps &&
           study_more(x->s)) {
        size_t left = 0;
        for (size_t i = 0; i < x->nfound; i++) {
            struct drift_trial *t = find_trial(x, &x->found[i]);
            struct drift_score score = study_check(x->s, &x->found[i]);
            t->equal = score.equal;
            t->compared = score.compared;
            t->each = score.each;
            t->confirmed = !score.failed && is_full(t);
            if (t->confirmed)
                x->found[left++] = x->found[i];
        }
        idle = left < x->nfound ? 0 : idle + 1;
        x->nfound = left;
    }
}

/* ---- answer -------------------------------------------------------------------------------- */

static unsigned count_set(const struct num_profile *p)
{
    unsigned n = 0;
    for (unsigned t = 0; t < NUM_NTOGGLES; t++)
        n += p->set[t] != 0;
    return n;
}

/* Minimal explanations, declared ones and small ones first; then by score. */
static bool goes_before(const struct search *x, const struct drift_trial *a,
                        const struct drift_trial *b)
{
    bool found_a = false, found_b = false;
    for (size_t i = 0; i < x->nfound; i++) {
        found_a |= num_profile_equal(&x->found[i], &a->profile);
        found_b |= num_profile_equal(&x->found[i], &b->profile);
    }
    if (found_a != found_b)
        return found_a;
    if (found_a && a->declared != b->declared)
        return a->declared;
    if (found_a)
        return count_set(&a->profile) < count_set(&b->profile);
    double share_a = a->compared ? (double)a->equal / (double)a->compared : 0;
    double share_b = b->compared ? (double)b->equal / (double)b->compared : 0;
    return share_a > share_b;
}

static void sort_trials(struct search *x)
{
    for (size_t i = 1; i < x->trials.len; i++)
        for (size_t k = i; k > 0 && goes_before(x, &x->trials.items[k],
                                                &x->trials.items[k - 1]);
             k--) {
            struct drift_trial t = x->trials.items[k];
            x->trials.items[k] = x->trials.items[k - 1];
            x->trials.items[k - 1] = t;
        }
}

bool drift_search(struct drift_study *s, struct drift_answer *a)
{
    struct search *x = dc_alloc(sizeof *x);
    x->s = s;
    x->a = a;
    x->f = features_of(s->q->func);
    for (unsigned v = NUM_FORWARD_PRODUCTS; v < NUM_NFORWARD; v++)
        x->f.forwards[v] = drift_forwards(s, v);
    make_moves(x);
    search_levels(x);
    contest(x);
    sort_trials(x);
    a->ntrials = x->trials.len;
    a->trials = arena_memdup(a->arena, x->trials.items,
                             x->trials.len * sizeof *x->trials.items);
    a->nminimal = x->nfound;
    a->fresh_runs = 0;
    for (size_t i = 0; i < s->ncases; i++)
        a->fresh_runs += s->cases[i].fresh;
    bool found = x->nfound > 0;
    a->everywhere = found && a->trials[0].everywhere;
    vec_fini(&x->trials);
    vec_fini(&x->prints);
    vec_fini(&x->programs);
    dc_release(x);
    return found;
}
