/* SPDX-License-Identifier: Apache-2.0
 *
 * Expressions without faults: each load lies in its buffer, no integer is
 * divided by zero, and integers that reach an address, an extent or a
 * condition fit their types at every step (R8, R9).
 *
 * Bounds come from interval arithmetic over the scopes first. Only what these
 * leave open becomes an obligation: most indices of tensor programs are sums
 * of loop variables that stay in their box.
 *
 * Only if_then_else guards its operands; select, and, or evaluate all of them.
 */
#include "verifier/obligation.h"
#include "verifier/safety_private.h"

#include <string.h>

static const struct bounds anything = {-SPAN_END, SPAN_END};

static int64_t clamp(int64_t v)
{
    return v > SPAN_END ? SPAN_END : v < -SPAN_END ? -SPAN_END : v;
}

static bool open_ended(struct bounds a)
{
    return a.lo == -SPAN_END || a.hi == SPAN_END;
}

struct bounds bounds_add(struct bounds a, struct bounds b)
{
    /* an open end stays open; the sums of others fit 64 bits */
    struct bounds r = {clamp(a.lo + b.lo), clamp(a.hi + b.hi)};
    if (a.lo == -SPAN_END || b.lo == -SPAN_END)
        r.lo = -SPAN_END;
    if (a.hi == SPAN_END || b.hi == SPAN_END)
        r.hi = SPAN_END;
    return r;
}

static struct bounds span_neg(struct bounds a)
{
    struct bounds r = {-a.hi, -a.lo};
    return r;
}

static struct bounds span_mul(struct bounds a, struct bounds b)
{
    const int64_t x[] = {a.lo, a.hi}, y[] = {b.lo, b.hi};
    struct bounds r = {SPAN_END, -SPAN_END};
    if (open_ended(a) || open_ended(b))
        return anything;
    for (size_t i = 0; i < 4; i++) {
        int64_t v;
        if (__builtin_mul_overflow(x[i / 2], y[i % 2], &v))
            return anything;
        v = clamp(v);
        r.lo = v < r.lo ? v : r.lo;
        r.hi = v > r.hi ? v : r.hi;
    }
    return r;
}

static struct bounds span_union(struct bounds a, struct bounds b)
{
    struct bounds r = {a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
    return r;
}

static int64_t floor_of(int64_t a, int64_t d)
{
    int64_t q = a / d;
    return a % d < 0 ? q - 1 : q;
}

/* Quotients and remainders by a positive constant; trunc: rounded to zero. */
static struct bounds span_div(struct bounds a, int64_t d, bool trunc)
{
    struct bounds r = {floor_of(a.lo, d), floor_of(a.hi, d)};
    if (trunc && a.lo < 0) {
        r.lo = a.lo / d;
        r.hi = a.hi / d;
    }
    return r;
}

static struct bounds span_mod(struct bounds a, int64_t d, bool trunc)
{
    struct bounds r = {0, d - 1};
    if (floor_of(a.lo, d) == floor_of(a.hi, d) && (!trunc || a.lo >= 0)) {
        r.lo = a.lo - d * floor_of(a.lo, d);
        r.hi = a.hi - d * floor_of(a.hi, d);
    } else if (trunc && a.lo < 0) {
        r.lo = -(d - 1);
    }
    return r;
}

static struct bounds span_of_type(struct dtype t)
{
    struct bounds r = anything;
    if (dtype_is_bool(t)) {
        r.lo = 0;
        r.hi = 1;
    } else if (dtype_is_int(t) && t.bits < 61) {
        int64_t half = INT64_C(1) << (t.bits - 1);
        r.lo = t.code == DT_INT ? -half : 0;
        r.hi = t.code == DT_INT ? half - 1 : 2 * half - 1;
    } else if (t.code == DT_UINT) {
        r.lo = 0;
    }
    return r;
}

bool safety_fits(struct dtype t, struct bounds a)
{
    struct bounds type = span_of_type(t);
    if (dtype_is_int(t) && t.bits >= 61) /* ends within +-SPAN_END do */
        return a.lo > (t.code == DT_INT ? -SPAN_END : -1) && a.hi < SPAN_END;
    return a.lo >= type.lo && a.hi <= type.hi;
}

/* ---- obligations ------------------------------------------------------------- */

static bool facts_possible(struct safety *s, const struct form *ctx,
                           const struct form *facts)
{
    struct aff_space *sp = s->c->space;
    const struct form *all = form_and2(sp, ctx, facts);
    all = form_and2(sp, form_and2(sp, all, s->sizes), s->c->facts);
    return OBLIGED(s->c->smt, "possible: facts of the untuned program",
                   smt_unsat(s->c->smt, all,
                             "possible: facts of the untuned program",
                             false) == SMT_REFUTED);
}

bool safety_oblige(struct safety *s, struct place *pl, const struct form *goal,
                   const char *what, bool *refuted)
{
    struct vctx *c = s->c;
    *refuted = false;
    if (goal->kind == FORM_TRUE)
        return true;
    enum smt_answer answer = safety_ask(s, pl->ctx, goal, what);
    s->out->obligations++;
    if (answer == SMT_PROVED)
        return true;
    if (form_has_data(c->space, goal)) {
        if (s->untuned)
            return safety_remember(s, pl, goal);
        const struct form *facts = safety_recall(s, pl->ctx, goal);
        /* facts that cannot be would show anything: the untuned program has a
         * fault on every input */
        if (facts->kind != FORM_TRUE && facts_possible(s, pl->ctx, facts) &&
            safety_ask(s, form_and2(c->space, pl->ctx, facts), goal, what) ==
                SMT_PROVED) {
            s->out->uses_untuned = true;
            return true;
        }
    }
    *refuted = answer == SMT_REFUTED && !form_has_data(c->space, goal);
    return false;
}

static const struct aff *integer(struct safety *s, struct place *pl,
                                 const struct ir_expr *e)
{
    if (place_ctx(s, pl) == NULL)
        return NULL;
    return veval_index(s->c, pl->inst, e);
}

static bool not_understood(struct safety *s, const struct place *pl,
                           const char *what)
{
    return safety_fail(s, VSAFETY_NONE, pl, "%s cannot be read: %s", what,
                       s->c->failed != NULL ? s->c->failed : "unknown form");
}

/* An integer operation whose bounds do not show that it fits. */
static void check_fits(struct safety *s, struct place *pl,
                       const struct ir_expr *e)
{
    struct bounds type = span_of_type(e->dtype);
    bool refuted;
    if (dtype_is_int(e->dtype) && e->dtype.bits >= 61) {
        type.lo = e->dtype.code == DT_INT ? -SPAN_END : 0;
        type.hi = SPAN_END;
    }
    const struct aff *a = integer(s, pl, e);
    if (a == NULL) {
        (void)not_understood(s, pl, "an integer");
        return;
    }
    struct aff_space *sp = s->c->space;
    const struct form *goal =
        form_and2(sp, form_le(sp, aff_const(sp, type.lo), a),
                  form_le(sp, a, aff_const(sp, type.hi)));
    if (safety_oblige(s, pl, goal, "safety: integer fits its type", &refuted))
        return;
    if (refuted)
        safety_candidate(s, NULL, 1, &a);
    (void)safety_fail(s, VSAFETY_OVERFLOW, pl,
                      "%s of type int%u may not fit its type",
                      ir_expr_kind_name(e->kind), e->dtype.bits);
}

static void check_divisor(struct safety *s, struct place *pl,
                          const struct ir_expr *e, struct bounds d)
{
    bool refuted;
    if (d.lo >= 1 || d.hi <= -2)
        return;
    const struct aff *a = integer(s, pl, e->args[1]);
    if (a == NULL) {
        (void)not_understood(s, pl, "a divisor");
        return;
    }
    struct aff_space *sp = s->c->space;
    /* -1 would need a dividend that is not the least integer */
    const struct form *goal = form_or2(sp, form_le(sp, aff_const(sp, 1), a),
                                       form_le(sp, a, aff_const(sp, -2)));
    if (safety_oblige(s, pl, goal, "safety: divisor is not zero", &refuted))
        return;
    if (refuted)
        safety_candidate(s, NULL, 1, &a);
    (void)safety_fail(s, VSAFETY_DIVISION, pl, "a divisor may be zero");
}

/* ---- accesses ------------------------------------------------------------------ */

static bool check_index(struct safety *s, struct place *pl,
                        const struct vstorage *storage, size_t nindex,
                        struct ir_expr *const *index, size_t d,
                        const struct form **goal)
{
    struct aff_space *sp = s->c->space;
    const struct aff *i = integer(s, pl, index[d]);
    const struct aff *n =
        i == NULL ? NULL : integer(s, pl, storage->buffer->shape[d]);
    if (n == NULL)
        return not_understood(s, pl, "an index");
    bool refuted;
    *goal = form_and2(sp, form_ge0(sp, i), form_lt(sp, i, n));
    if (safety_oblige(s, pl, *goal, "safety: access in bounds", &refuted))
        return true;
    if (refuted) {
        const struct aff **all =
            ARENA_ARRAY(s->c->arena, nindex + 1, const struct aff *);
        bool fine = true;
        for (size_t k = 0; k < nindex; k++) {
            all[k] = integer(s, pl, index[k]);
            fine = fine && all[k] != NULL;
        }
        if (fine)
            safety_candidate(s, storage, nindex, all);
    }
    struct buf text = {0};
    aff_print(sp, i, &text);
    (void)safety_fail(s, VSAFETY_BOUNDS, pl,
                      "index %zu of '%s', %s, may be out of bounds", d,
                      storage->buffer->name, buf_text(&text));
    buf_fini(&text);
    return false;
}

bool safety_access(struct safety *s, struct place *pl,
                   const struct vstorage *storage, size_t nindex,
                   struct ir_expr *const *index, const struct vstore *store,
                   bool write)
{
    for (size_t d = 0; d < nindex; d++) {
        const struct form *goal;
        int64_t n;
        struct bounds i = safety_expr(s, pl, index[d], true);
        if (s->out->reason != NULL)
            return false;
        if (ir_const_int(storage->buffer->shape[d], &n) && i.lo >= 0 &&
            i.hi < n)
            continue;
        if (!check_index(s, pl, storage, nindex, index, d, &goal))
            return false;
    }
    if (storage->written) {
        struct saccess a = {.storage = storage,
                            .node = pl->node,
                            .nsteps = pl->nsteps,
                            .steps = pl->steps,
                            .nindex = nindex,
                            .index = index,
                            .write = write,
                            .store = store,
                            .pos = pl->pos,
                            .name = pl->name};
        vec_push(&s->accesses, a);
    }
    return true;
}

/* ---- expressions ---------------------------------------------------------------- */

static struct bounds walk(struct safety *s, struct place *pl,
                          const struct ir_expr *e, bool reaches);

/* e under one scope more. */
static struct bounds walk_below(struct safety *s, const struct place *pl,
                                const struct vscope *scope,
                                const struct ir_expr *e, bool reaches)
{
    struct bounds r = anything;
    struct snode *node = safety_enter(s, pl->node, scope, pl->name, pl->pos);
    struct place inner = *pl;
    if (node == NULL)
        return r;
    inner.node = node;
    inner.inst = NULL;
    inner.ctx = NULL;
    memset(&inner.seen, 0, sizeof inner.seen);
    r = walk(s, &inner, e, reaches);
    place_fini(&inner);
    return r;
}

static struct vscope scope_at(struct safety *s, const struct place *pl,
                              enum vscope_kind kind)
{
    struct vscope scope = {.kind = kind, .nsteps = pl->nsteps};
    if (pl->nsteps > 0)
        scope.steps = arena_memdup(s->c->arena, pl->steps,
                                   pl->nsteps * sizeof *pl->steps);
    return scope;
}

static struct bounds walk_lazy(struct safety *s, struct place *pl,
                               const struct ir_expr *e, bool reaches)
{
    struct vscope scope = scope_at(s, pl, VSCOPE_GUARD);
    scope.value = e->args[0];
    (void)walk(s, pl, e->args[0], true);
    struct bounds a = walk_below(s, pl, &scope, e->args[1], reaches);
    scope.negated = true;
    return span_union(a, walk_below(s, pl, &scope, e->args[2], reaches));
}

static struct bounds walk_var(struct safety *s, struct place *pl,
                              const struct ir_expr *e, bool reaches)
{
    for (struct snode *n = pl->node; n->parent != NULL; n = n->parent) {
        if (n->scope.kind == VSCOPE_LOOP && n->scope.loop->var == e->u.var)
            return n->span;
        if (n->scope.kind != VSCOPE_LET || n->scope.var != e->u.var)
            continue;
        if (reaches && !n->reached) {
            struct place at = {.node = n->parent,
                               .nsteps = n->scope.nsteps,
                               .steps = n->scope.steps,
                               .pos = pl->pos,
                               .name = pl->name};
            n->reached = true;
            n->span = walk(s, &at, n->scope.value, true);
            place_fini(&at);
        }
        return n->span;
    }
    for (size_t i = 0; i < s->p->nsymbols; i++) {
        if (s->p->symbols[i].var == e->u.var && s->p->symbols[i].dim >= 0) {
            struct bounds size = {1, VSAFETY_MAX_ELEMENTS};
            s->out->assumes_sizes = true;
            return size;
        }
    }
    return span_of_type(e->dtype);
}

static struct bounds of_division(struct safety *s, struct place *pl,
                                 const struct ir_expr *e, struct bounds a,
                                 struct bounds b)
{
    bool trunc = e->kind == IR_DIV || e->kind == IR_MOD;
    bool mod = e->kind == IR_MOD || e->kind == IR_FLOORMOD;
    check_divisor(s, pl, e, b);
    if (b.lo == b.hi && b.lo > 0 && !open_ended(a))
        return mod ? span_mod(a, b.lo, trunc) : span_div(a, b.lo, trunc);
    if (mod && b.lo > 0 && (!trunc || a.lo >= 0)) {
        struct bounds r = {0, b.hi == SPAN_END ? SPAN_END : b.hi - 1};
        return r;
    }
    if (!mod && b.lo > 0 && a.lo >= 0) {
        struct bounds r = {0, a.hi};
        return r;
    }
    return span_of_type(e->dtype);
}

static struct bounds of_bits(const struct ir_expr *e, struct bounds a,
                             struct bounds b)
{
    bool fixed = b.lo == b.hi && b.lo >= 0 && !open_ended(a);
    if (e->kind == IR_SHL && fixed && b.lo < 40) {
        struct bounds k = {INT64_C(1) << b.lo, INT64_C(1) << b.lo};
        return span_mul(a, k);
    }
    if (e->kind == IR_SHR && fixed && b.lo < 60)
        return span_div(a, INT64_C(1) << b.lo, false);
    if (e->kind == IR_BITAND && a.lo >= 0 && b.lo >= 0) {
        struct bounds r = {0, a.hi < b.hi ? a.hi : b.hi};
        return r;
    }
    if ((e->kind == IR_BITOR || e->kind == IR_BITXOR) && a.lo >= 0 &&
        b.lo >= 0 && a.hi < SPAN_END / 2 && b.hi < SPAN_END / 2) {
        struct bounds r = {0, 1};
        while (r.hi <= a.hi || r.hi <= b.hi)
            r.hi *= 2;
        r.hi--;
        return r;
    }
    return span_of_type(e->dtype);
}

static struct bounds of_binary(struct safety *s, struct place *pl,
                               const struct ir_expr *e, bool reaches)
{
    bool divides = e->kind == IR_DIV || e->kind == IR_MOD ||
                   e->kind == IR_FLOORDIV || e->kind == IR_FLOORMOD;
    struct bounds a = walk(s, pl, e->args[0], reaches);
    /* a divisor that wraps may be 0 */
    struct bounds b = walk(s, pl, e->args[1], reaches || divides);
    switch ((int)e->kind) {
    case IR_ADD: return bounds_add(a, b);
    case IR_SUB: return bounds_add(a, span_neg(b));
    case IR_MUL: return span_mul(a, b);
    case IR_DIV:
    case IR_MOD:
    case IR_FLOORDIV:
    case IR_FLOORMOD: return of_division(s, pl, e, a, b);
    case IR_MIN: {
        struct bounds r = {a.lo < b.lo ? a.lo : b.lo,
                           a.hi < b.hi ? a.hi : b.hi};
        return r;
    }
    case IR_MAX: {
        struct bounds r = {a.lo > b.lo ? a.lo : b.lo,
                           a.hi > b.hi ? a.hi : b.hi};
        return r;
    }
    default: return of_bits(e, a, b);
    }
}

static bool is_compare(enum ir_expr_kind k)
{
    return k == IR_EQ || k == IR_NE || k == IR_LT || k == IR_LE || k == IR_GT ||
           k == IR_GE || k == IR_AND || k == IR_OR || k == IR_NOT;
}

static struct bounds walk_args(struct safety *s, struct place *pl,
                               const struct ir_expr *e, bool reaches)
{
    for (uint32_t i = 0; i < e->nargs; i++)
        (void)walk(s, pl, e->args[i], reaches);
    return span_of_type(e->dtype);
}

static struct bounds walk_load(struct safety *s, struct place *pl,
                               const struct ir_expr *e)
{
    const struct vstorage *storage = vprog_storage(s->p, e->u.buffer);
    if (storage == NULL || e->nargs != storage->buffer->rank)
        (void)safety_fail(s, VSAFETY_NONE, pl, "'%s' has no storage",
                          e->u.buffer->name);
    else
        (void)safety_access(s, pl, storage, e->nargs, e->args, NULL, false);
    return span_of_type(e->dtype);
}

static struct bounds walk_let(struct safety *s, struct place *pl,
                              const struct ir_expr *e, bool reaches)
{
    struct vscope scope = scope_at(s, pl, VSCOPE_LET);
    scope.var = e->u.var;
    scope.value = e->args[0];
    return walk_below(s, pl, &scope, e->args[1], reaches);
}

static struct bounds walk_kind(struct safety *s, struct place *pl,
                               const struct ir_expr *e, bool reaches)
{
    bool integer_result = dtype_is_int(e->dtype);
    switch ((int)e->kind) {
    case IR_INT_IMM: {
        struct bounds r = {clamp(e->u.int_value), clamp(e->u.int_value)};
        return r;
    }
    case IR_VAR_REF: return walk_var(s, pl, e, reaches);
    case IR_LOAD: return walk_load(s, pl, e);
    case IR_LET: return walk_let(s, pl, e, reaches);
    case IR_CAST: {
        struct bounds a = walk(s, pl, e->args[0], reaches);
        return integer_result && dtype_is_int(e->args[0]->dtype)
                   ? a
                   : span_of_type(e->dtype);
    }
    case IR_SELECT: {
        (void)walk(s, pl, e->args[0], true);
        struct bounds a = walk(s, pl, e->args[1], reaches);
        return span_union(a, walk(s, pl, e->args[2], reaches));
    }
    case IR_CALL:
        if (e->u.call.op == IR_OP_IF_THEN_ELSE)
            return walk_lazy(s, pl, e, reaches);
        if (e->u.call.op == IR_OP_LIKELY)
            return walk(s, pl, e->args[0], reaches);
        return walk_args(s, pl, e, reaches);
    default: break;
    }
    if (is_compare(e->kind) || !integer_result || e->nargs != 2)
        return walk_args(s, pl, e, reaches);
    return of_binary(s, pl, e, reaches);
}

/* Operations whose result is read as a mathematical integer. */
static bool may_wrap(const struct ir_expr *e)
{
    return dtype_is_int(e->dtype) &&
           (e->kind == IR_ADD || e->kind == IR_SUB || e->kind == IR_MUL ||
            e->kind == IR_SHL ||
            (e->kind == IR_CAST && dtype_is_int(e->args[0]->dtype)));
}

static struct bounds walk(struct safety *s, struct place *pl,
                          const struct ir_expr *e, bool reaches)
{
    if (s->out->reason != NULL)
        return anything;
    bool shared = e->size > 1;
    for (size_t i = 0; shared && i < pl->seen.len; i++)
        if (pl->seen.items[i].e == e && pl->seen.items[i].reaches >= reaches)
            return pl->seen.items[i].span;
    struct bounds r = walk_kind(s, pl, e, reaches);
    if (reaches && may_wrap(e) && !safety_fits(e->dtype, r) &&
        s->out->reason == NULL) {
        struct bounds type = span_of_type(e->dtype);
        check_fits(s, pl, e);
        if (r.lo < type.lo)
            r.lo = type.lo;
        if (r.hi > type.hi)
            r.hi = type.hi;
    }
    if (shared) {
        struct seen seen = {e, reaches, r};
        vec_push(&pl->seen, seen);
    }
    return r;
}

struct bounds safety_expr(struct safety *s, struct place *pl,
                          const struct ir_expr *e, bool reaches)
{
    return walk(s, pl, e, reaches);
}
