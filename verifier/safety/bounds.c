/* SPDX-License-Identifier: Apache-2.0
 *
 * Expressions without faults: each load lies in its buffer, no integer is
 * divided by zero; and what reaches an address, an extent or a condition is
 * defined (R10), and none of the int32 and int64 operations that it comes from
 * overflowed (R8, R9). Narrower and unsigned types wrap, and so do conversions:
 * that is arithmetic.
 *
 * Bounds come from interval arithmetic over the scopes first. Only what these
 * leave open becomes an obligation: most indices of tensor programs are sums
 * of loop variables that stay in their box.
 *
 * Only if_then_else guards the faults of its operands; select, and, or evaluate
 * all of them. Of both kinds of choice only the chosen operand reaches anything:
 * what is shown of one, or taken from the untuned program, is so where it is
 * chosen. A let's value reaches what it is used for where it is used, with what
 * it read where it stands.
 *
 * Integers are affs as far as indices.c takes them apart (in_affs); below that
 * they are data, whose value says what they come from, through memory too
 * (clean.c).
 */
#include "verifier/compare/bits.h"
#include "verifier/safety/safety_private.h"
#include "verifier/smt/obligation.h"

#include <string.h>

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

/* Whether operations on data are in it: affs do not see into them. */
static bool of_expressions(const struct vctx *c, const struct form *f)
{
    if (f->kind == FORM_PRED)
        return true;
    for (uint32_t i = 0; f->a != NULL && i < f->a->n; i++) {
        const struct atom *t = aff_atom_info(c->space, f->a->terms[i].atom);
        const struct value *v = t->kind == ATOM_OPAQUE ? t->user : NULL;
        if ((v != NULL && v->kind == VALUE_OP) || t->kind == ATOM_PRODUCT)
            return true;
    }
    for (uint32_t i = 0; i < f->n; i++)
        if (of_expressions(c, f->args[i]))
            return true;
    return false;
}

bool safety_oblige(struct safety *s, struct place *pl, const struct form *goal,
                   const char *what, bool given, bool *refuted)
{
    struct vctx *c = s->c;
    *refuted = s->leaned = false;
    if (goal->kind == FORM_TRUE)
        return true;
    enum smt_answer answer = safety_ask(s, pl->ctx, goal, what);
    s->out->obligations++;
    if (answer == SMT_PROVED ||
        (of_expressions(c, goal) && bits_prove(c, pl->ctx, goal, what)))
        return true;
    if (value_form_has_data(c->space, goal)) {
        if (s->untuned) {
            s->leaned = given && s->trying == 0 && safety_remember(s, pl, goal);
            return s->leaned;
        }
        const struct form *facts = safety_recall(s, pl->ctx, goal);
        /* facts that cannot be would show bounds_any: the untuned program has a
         * fault on every input */
        const struct form *known = form_and2(c->space, pl->ctx, facts);
        if (facts->kind != FORM_TRUE && facts_possible(s, pl->ctx, facts) &&
            (safety_ask(s, known, goal, what) == SMT_PROVED ||
             (of_expressions(c, goal) && bits_prove(c, known, goal, what)))) {
            s->leaned = s->out->uses_untuned = true;
            return true;
        }
    }
    *refuted = answer == SMT_REFUTED && !value_form_has_data(c->space, goal);
    return false;
}

const struct aff *safety_integer(struct safety *s, struct place *pl,
                                 const struct ir_expr *e)
{
    if (place_ctx(s, pl) == NULL)
        return NULL;
    return veval_index(s->c, pl->inst, e);
}

bool safety_not_understood(struct safety *s, const struct place *pl,
                           const char *what)
{
    return safety_fail(s, VSAFETY_NONE, pl, "%s cannot be read: %s", what,
                       s->c->failed != NULL ? s->c->failed : "unknown form");
}

/* That e fits its type, int32 or int64. Affs end before int64 does: where more
 * than its middle is needed, that the integer fits is a predicate of it, which
 * only the untuned program's word can show. */
static const struct form *fits_type(struct safety *s, const struct ir_expr *e,
                                    const struct aff *a, bool middle)
{
    struct aff_space *sp = s->c->space;
    struct bounds type = bounds_of_type(e->dtype);
    if (e->dtype.bits >= 61 && !middle)
        return vclean_form(s->c, vclean_index(s->c, e->dtype, a));
    if (e->dtype.bits >= 61) {
        type.lo = -SPAN_END;
        type.hi = SPAN_END;
    }
    return form_and2(sp, form_le(sp, aff_const(sp, type.lo), a),
                     form_le(sp, a, aff_const(sp, type.hi)));
}

/* An integer operation whose bounds do not show that it fits. */
static void check_fits(struct safety *s, struct place *pl,
                       const struct ir_expr *e, enum reach reach)
{
    static const char what[] = "safety: integer fits its type";
    bool refuted, large = e->dtype.bits >= 61;
    int64_t lo, hi;
    const struct aff *a = safety_integer(s, pl, e);
    if (a == NULL) {
        (void)safety_not_understood(s, pl, "an integer");
        return;
    }
    aff_range(s->c->space, a, &lo, &hi); /* finite ends are within int64 */
    if (large &&
        ((lo != AFF_NO_LOWER && hi != AFF_NO_BOUND) ||
         safety_ask(s, pl->ctx, fits_type(s, e, a, true), what) == SMT_PROVED))
        return;
    const struct form *goal = fits_type(s, e, a, false);
    if (safety_oblige(s, pl, goal, what, reach == REACH_USE, &refuted)) {
        s->out->assumes_fit |=
            s->untuned && value_form_has_data(s->c->space, goal);
        return;
    }
    if (refuted)
        safety_candidate(s, NULL, 1, &a);
    (void)safety_fail(s, VSAFETY_OVERFLOW, pl,
                      "%s of type int%u may not fit its type",
                      ir_expr_kind_name(e->kind), e->dtype.bits);
}

/* A shift whose count's bounds do not show that it is below the width: what it
 * gives is undefined there (R10). */
static void check_count(struct safety *s, struct place *pl,
                        const struct ir_expr *e, enum reach reach)
{
    struct aff_space *sp = s->c->space;
    bool refuted;
    const struct aff *n = safety_integer(s, pl, e->args[1]);
    if (n == NULL) {
        (void)safety_not_understood(s, pl, "a shift count");
        return;
    }
    const struct form *goal = form_and2(
        sp, form_ge0(sp, n), form_lt(sp, n, aff_const(sp, e->dtype.bits)));
    if (safety_oblige(s, pl, goal, "safety: a shift count is below the width",
                      reach == REACH_USE, &refuted)) {
        s->out->assumes_defined |= s->untuned && value_form_has_data(sp, goal);
        return;
    }
    if (refuted)
        safety_candidate(s, NULL, 1, &n);
    (void)safety_fail(s, VSAFETY_UNDEFINED, pl,
                      "an address or a condition may come from a shift by more "
                      "than the width");
}

/* Data that reach an address, an extent or a condition: nothing that they come
 * from overflowed or was undefined. */
static void check_data(struct safety *s, struct place *pl,
                       const struct ir_expr *e, enum reach reach)
{
    bool refuted;
    const struct form *ctx = place_ctx(s, pl);
    const struct value *v =
        ctx == NULL ? NULL : veval_value(s->c, pl->inst, e, ctx);
    if (v == NULL) {
        (void)safety_not_understood(s, pl, "an integer");
        return;
    }
    const struct form *goal = vclean_form(s->c, v);
    if (safety_oblige(s, pl, goal, "safety: data are clean", reach == REACH_USE,
                      &refuted)) {
        bool taken = s->untuned && goal->kind != FORM_TRUE;
        s->out->assumes_fit |= taken && vclean_may_overflow(s->c, v);
        s->out->assumes_defined |= taken && vclean_may_be_undefined(s->c, v);
        return;
    }
    (void)safety_fail(
        s, vclean_may_overflow(s->c, v) ? VSAFETY_OVERFLOW : VSAFETY_UNDEFINED,
        pl,
        "an address or a condition may come from an operation "
        "that overflows or is undefined");
}

static struct bounds walk(struct safety *s, struct place *pl,
                          const struct ir_expr *e, enum reach reach);

/* Whether e, at a place of its own, is shown to be used for something without a
 * fault, and without the untuned program's word. Then its bounds are in span. */
static bool is_usable(struct safety *s, struct place *at,
                      const struct ir_expr *e, struct bounds *span)
{
    bool outer = s->try_failed;
    s->trying++;
    s->quiet++;
    s->try_failed = false;
    *span = walk(s, at, e, REACH_DIVISOR);
    bool fine = !s->try_failed && s->out->reason == NULL;
    s->try_failed = outer;
    s->quiet--;
    s->trying--;
    place_fini(at);
    return fine;
}

/* Whether nothing that e is made of overflows there: the number that the program
 * computes is that of its bounds and affs, though it may reach nothing. */
static bool is_its_number(struct safety *s, const struct place *pl,
                          const struct ir_expr *e)
{
    struct place at = *pl;
    struct bounds span;
    memset(&at.seen, 0, sizeof at.seen);
    return is_usable(s, &at, e, &span);
}

/* That e divides by d without a fault: d is not 0, and the least integer is not
 * divided by -1. What is taken from the untuned side is that, and no more; where
 * affs do not have the dividend as it is in its type, it says nothing of -1.
 * exact: they have it, but for what 64 bits hold. */
static const struct form *divides(struct safety *s, struct place *pl,
                                  const struct ir_expr *e, const struct aff *d,
                                  bool exact, bool minus)
{
    struct aff_space *sp = s->c->space;
    const struct form *positive = form_le(sp, aff_const(sp, 1), d);
    const struct form *any =
        form_or2(sp, positive, form_le(sp, d, aff_const(sp, -1)));
    const struct form *other =
        form_or2(sp, positive, form_le(sp, d, aff_const(sp, -2)));
    if (minus)
        return any;
    if (!exact || e->dtype.bits > 32)
        return s->untuned ? any : other;
    const struct aff *n = safety_integer(s, pl, e->args[0]);
    if (n == NULL)
        return NULL;
    int64_t least = bounds_of_type(e->dtype).lo;
    const struct form *above = form_le(sp, aff_const(sp, least + 1), n);
    return form_or2(sp, other, form_and2(sp, any, above));
}

static void check_divisor(struct safety *s, struct place *pl,
                          const struct ir_expr *e, struct bounds n,
                          struct bounds d, enum reach reach)
{
    bool refuted;
    if (d.lo >= 1 || d.hi <= -2)
        return;
    bool exact =
        OBLIGED(s->c->smt, "safety: a dividend is its number",
                reach != REACH_NOTHING || is_its_number(s, pl, e->args[0]));
    bool minus = exact && bounds_fit(e->dtype, n) && !bounds_open(n) &&
                 n.lo > bounds_of_type(e->dtype).lo;
    if (minus && d.hi <= -1)
        return;
    const struct aff *a = safety_integer(s, pl, e->args[1]);
    const struct form *goal =
        a == NULL
            ? NULL
            : divides(s, pl, e, a, exact, minus || e->dtype.code != DT_INT);
    if (goal == NULL) {
        (void)safety_not_understood(s, pl, "a divisor");
        return;
    }
    if (safety_oblige(s, pl, goal, "safety: divisor is not zero", true,
                      &refuted)) {
        s->out->trusts_divisor |= s->untuned && s->leaned;
        return;
    }
    if (refuted)
        safety_candidate(s, NULL, 1, &a);
    (void)safety_fail(s, VSAFETY_DIVISION, pl, "a divisor may be zero");
}

/* ---- expressions ---------------------------------------------------------------- */

/* e under one scope more. */
static struct bounds walk_below(struct safety *s, const struct place *pl,
                                const struct vscope *scope,
                                const struct ir_expr *e, enum reach reach)
{
    struct bounds r = bounds_any;
    struct snode *node = safety_enter(s, pl->node, scope, pl->name, pl->pos);
    struct place inner = *pl;
    if (node == NULL)
        return r;
    inner.node = node;
    inner.inst = NULL;
    inner.ctx = NULL;
    memset(&inner.seen, 0, sizeof inner.seen);
    r = walk(s, &inner, e, reach);
    place_fini(&inner);
    return r;
}

static struct vscope scope_at(struct safety *s, const struct place *pl,
                              enum vscope_kind kind)
{
    struct vscope scope = {.kind = kind, .nsteps = pl->nread};
    if (pl->nread > 0)
        scope.steps =
            arena_memdup(s->c->arena, pl->steps, pl->nread * sizeof *pl->steps);
    return scope;
}

static struct bounds walk_arms(struct safety *s, struct place *pl,
                               const struct ir_expr *e, enum reach reach)
{
    struct vscope scope = scope_at(s, pl, VSCOPE_GUARD);
    scope.value = e->args[0];
    struct bounds a = walk_below(s, pl, &scope, e->args[1], reach);
    scope.negated = true;
    return bounds_union(a, walk_below(s, pl, &scope, e->args[2], reach));
}

static struct bounds walk_lazy(struct safety *s, struct place *pl,
                               const struct ir_expr *e, enum reach reach)
{
    (void)walk(s, pl, e->args[0], REACH_USE);
    return walk_arms(s, pl, e, reach);
}

/* Both arms are evaluated, and their faults count; only the chosen one reaches
 * what the whole reaches. */
static struct bounds walk_select(struct safety *s, struct place *pl,
                                 const struct ir_expr *e, enum reach reach)
{
    (void)walk(s, pl, e->args[0], REACH_USE);
    struct bounds a = walk(s, pl, e->args[1], REACH_NOTHING);
    struct bounds b = walk(s, pl, e->args[2], REACH_NOTHING);
    if (reach == REACH_NOTHING)
        return bounds_union(a, b);
    s->quiet++;
    a = walk_arms(s, pl, e, reach);
    s->quiet--;
    return a;
}

/* Whether the let's value, wherever it is used, is shown to reach that without
 * a fault: in the context where it stands, without the untuned program's word. */
static bool reaches_anywhere(struct safety *s, struct snode *let,
                             const struct place *pl)
{
    struct place at = {.node = let->parent,
                       .nsteps = let->scope.nsteps,
                       .steps = let->scope.steps,
                       .nread = let->scope.nsteps,
                       .pos = pl->pos,
                       .name = pl->name};
    if (let->asked)
        return let->reached;
    let->asked = true;
    struct bounds span;
    let->reached = is_usable(s, &at, let->scope.value, &span);
    if (let->reached)
        let->span = span;
    return let->reached;
}

/* A let's value where it is used for something: under the conditions there, at
 * the time where it stands. */
static struct bounds walk_let_use(struct safety *s, struct snode *let,
                                  struct place *pl, enum reach reach)
{
    if (reaches_anywhere(s, let, pl))
        return let->span;
    struct place at = {.node = pl->node,
                       .nsteps = let->scope.nsteps,
                       .steps = let->scope.steps,
                       .nread = let->scope.nsteps,
                       .pos = pl->pos,
                       .name = pl->name};
    if (let->used_at == pl->node && let->used_for >= reach)
        return let->used_span;
    s->quiet++;
    struct bounds r = walk(s, &at, let->scope.value, reach);
    s->quiet--;
    place_fini(&at);
    let->used_at = pl->node;
    let->used_for = reach;
    let->used_span = r;
    return r;
}

static struct bounds walk_var(struct safety *s, struct place *pl,
                              const struct ir_expr *e, enum reach reach)
{
    for (struct snode *n = pl->node; n->parent != NULL; n = n->parent) {
        if (n->scope.kind == VSCOPE_LOOP && n->scope.loop->var == e->u.var)
            return n->span;
        if (n->scope.kind != VSCOPE_LET || n->scope.var != e->u.var)
            continue;
        return reach == REACH_NOTHING ? n->span : walk_let_use(s, n, pl, reach);
    }
    for (size_t i = 0; i < s->p->nsymbols; i++) {
        if (s->p->symbols[i].var == e->u.var && s->p->symbols[i].dim >= 0) {
            struct bounds size = {1, VSAFETY_MAX_ELEMENTS};
            s->out->assumes_sizes = true;
            return size;
        }
    }
    return bounds_of_type(e->dtype);
}

static struct bounds of_division(struct safety *s, struct place *pl,
                                 const struct ir_expr *e, struct bounds a,
                                 struct bounds b, enum reach reach)
{
    bool trunc = e->kind == IR_DIV || e->kind == IR_MOD;
    bool mod = e->kind == IR_MOD || e->kind == IR_FLOORMOD;
    check_divisor(s, pl, e, a, b, reach);
    if (b.lo == b.hi && b.lo > 0 && !bounds_open(a))
        return mod ? bounds_mod(a, b.lo, trunc) : bounds_div(a, b.lo, trunc);
    if (mod && b.lo > 0 && (!trunc || a.lo >= 0)) {
        struct bounds r = {0, b.hi == SPAN_END ? SPAN_END : b.hi - 1};
        return r;
    }
    if (!mod && b.lo > 0 && a.lo >= 0) {
        struct bounds r = {0, a.hi};
        return r;
    }
    return bounds_of_type(e->dtype);
}

/* Narrow and unsigned types wrap, as conversions do. */
static bool wraps(const struct ir_expr *e)
{
    return e->kind == IR_CAST || e->dtype.code != DT_INT || e->dtype.bits < 32;
}

static struct bounds of_shift(struct safety *s, struct place *pl,
                              const struct ir_expr *e, struct bounds a,
                              struct bounds b, enum reach reach)
{
    int64_t k;
    bool taken_apart = ir_const_int(e->args[1], &k) && k >= 0 && k < 62;
    if (reach != REACH_NOTHING && (b.lo < 0 || b.hi >= e->dtype.bits))
        check_count(s, pl, e, reach);
    if (e->kind != IR_SHL || wraps(e))
        return bounds_bits(e, a, b);
    /* Bits may be lost: of what affs take apart walk asks by its bounds. */
    if (taken_apart) {
        struct bounds r = bounds_bits(e, a, b);
        return k < 40 && !bounds_open(a) ? r : bounds_any;
    }
    if (reach != REACH_NOTHING && !safety_failed(s))
        check_data(s, pl, e, reach);
    return bounds_of_type(e->dtype);
}

static struct bounds of_binary(struct safety *s, struct place *pl,
                               const struct ir_expr *e, enum reach reach)
{
    bool divides = e->kind == IR_DIV || e->kind == IR_MOD ||
                   e->kind == IR_FLOORDIV || e->kind == IR_FLOORMOD;
    struct bounds a = walk(s, pl, e->args[0], reach);
    /* a divisor that wraps may be 0 */
    struct bounds b = walk(s, pl, e->args[1], divides ? REACH_DIVISOR : reach);
    switch ((int)e->kind) {
    case IR_ADD: return bounds_add(a, b);
    case IR_SUB: return bounds_add(a, bounds_neg(b));
    case IR_MUL: return bounds_mul(a, b);
    case IR_DIV:
    case IR_MOD:
    case IR_FLOORDIV:
    case IR_FLOORMOD: return of_division(s, pl, e, a, b, reach);
    case IR_SHL:
    case IR_SHR: return of_shift(s, pl, e, a, b, reach);
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
    default: return bounds_bits(e, a, b);
    }
}

static struct bounds walk_args(struct safety *s, struct place *pl,
                               const struct ir_expr *e, enum reach reach)
{
    for (uint32_t i = 0; i < e->nargs; i++)
        (void)walk(s, pl, e->args[i], reach);
    return bounds_of_type(e->dtype);
}

/* What affs do not take apart: a value, whose operands are looked at there. */
static struct bounds walk_data(struct safety *s, struct place *pl,
                               const struct ir_expr *e, enum reach reach)
{
    struct bounds r = walk_args(s, pl, e, REACH_NOTHING);
    if (reach != REACH_NOTHING && !safety_failed(s))
        check_data(s, pl, e, reach);
    return r;
}

static struct bounds walk_load(struct safety *s, struct place *pl,
                               const struct ir_expr *e, enum reach reach)
{
    const struct vstorage *storage = vprog_storage(s->p, e->u.buffer);
    if (storage == NULL || e->nargs != storage->buffer->rank) {
        (void)safety_fail(s, VSAFETY_NONE, pl, "'%s' has no storage",
                          e->u.buffer->name);
        return bounds_any;
    }
    (void)safety_access(s, pl, storage, e->nargs, e->args, NULL, false);
    /* what the caller gave is a number like any other */
    if (reach != REACH_NOTHING && !safety_failed(s) &&
        (storage->param < 0 || storage->written || storage->fresh))
        check_data(s, pl, e, reach);
    return bounds_of_type(e->dtype);
}

static struct bounds walk_let(struct safety *s, struct place *pl,
                              const struct ir_expr *e, enum reach reach)
{
    struct vscope scope = scope_at(s, pl, VSCOPE_LET);
    scope.var = e->u.var;
    scope.value = e->args[0];
    /* evaluated where it stands, used or not (R7) */
    (void)walk(s, pl, e->args[0], REACH_NOTHING);
    return walk_below(s, pl, &scope, e->args[1], reach);
}

static struct bounds walk_cast(struct safety *s, struct place *pl,
                               const struct ir_expr *e, enum reach reach)
{
    struct dtype from = e->args[0]->dtype;
    if (!dtype_is_int(from) && !dtype_is_bool(from))
        return walk_data(s, pl, e, reach);
    struct bounds a = walk(s, pl, e->args[0], reach);
    return dtype_is_int(e->dtype) ? a : bounds_of_type(e->dtype);
}

static struct bounds walk_compare(struct safety *s, struct place *pl,
                                  const struct ir_expr *e, enum reach reach)
{
    if (dtype_is_float(e->args[0]->dtype))
        return walk_data(s, pl, e, reach);
    return walk_args(s, pl, e, reach);
}

static struct bounds walk_call(struct safety *s, struct place *pl,
                               const struct ir_expr *e, enum reach reach)
{
    if (e->u.call.op == IR_OP_IF_THEN_ELSE)
        return walk_lazy(s, pl, e, reach);
    if (e->u.call.op == IR_OP_LIKELY)
        return walk(s, pl, e->args[0], reach);
    return walk_data(s, pl, e, reach);
}

static struct bounds walk_kind(struct safety *s, struct place *pl,
                               const struct ir_expr *e, enum reach reach)
{
    bool integer = dtype_is_int(e->dtype);
    switch ((int)e->kind) {
    case IR_INT_IMM: {
        struct bounds r = {bounds_end(e->u.int_value),
                           bounds_end(e->u.int_value)};
        /* an unsigned one of 2^63 or more */
        return e->dtype.code == DT_UINT && e->u.int_value < 0
                   ? bounds_of_type(e->dtype)
                   : r;
    }
    case IR_VAR_REF: return walk_var(s, pl, e, reach);
    case IR_LOAD: return walk_load(s, pl, e, reach);
    case IR_LET: return walk_let(s, pl, e, reach);
    case IR_CAST: return walk_cast(s, pl, e, reach);
    case IR_SELECT: return walk_select(s, pl, e, reach);
    case IR_CALL: return walk_call(s, pl, e, reach);
    case IR_COMPARE_KINDS: return walk_compare(s, pl, e, reach);
    case IR_AND:
    case IR_OR:
    case IR_NOT: return walk_args(s, pl, e, reach);
    case IR_BITNOT:
        return integer ? walk_args(s, pl, e, reach)
                       : walk_data(s, pl, e, reach);
    default: break;
    }
    return integer && e->nargs == 2 ? of_binary(s, pl, e, reach)
                                    : walk_data(s, pl, e, reach);
}

static bool may_not_fit(const struct ir_expr *e)
{
    return e->kind == IR_ADD || e->kind == IR_SUB || e->kind == IR_MUL ||
           e->kind == IR_SHL || e->kind == IR_CAST;
}

static struct bounds walk(struct safety *s, struct place *pl,
                          const struct ir_expr *e, enum reach reach)
{
    if (safety_failed(s))
        return bounds_any;
    bool shared = e->size > 1;
    for (size_t i = 0; shared && i < pl->seen.len; i++)
        if (pl->seen.items[i].e == e && pl->seen.items[i].reach >= reach)
            return pl->seen.items[i].span;
    struct bounds r = walk_kind(s, pl, e, reach);
    if (dtype_is_int(e->dtype) && may_not_fit(e) && !safety_failed(s) &&
        !bounds_fit(e->dtype, r)) {
        struct bounds type = bounds_of_type(e->dtype);
        if (wraps(e)) {
            r = type;
        } else if (reach != REACH_NOTHING) {
            check_fits(s, pl, e, reach);
            if (r.lo < type.lo)
                r.lo = type.lo;
            if (r.hi > type.hi)
                r.hi = type.hi;
        } else {
            r = type; /* it may overflow, and is any of its numbers then */
        }
    }
    if (shared) {
        struct seen seen = {e, reach, r};
        vec_push(&pl->seen, seen);
    }
    return r;
}

struct bounds safety_expr(struct safety *s, struct place *pl,
                          const struct ir_expr *e, bool reaches)
{
    return walk(s, pl, e, reaches ? REACH_USE : REACH_NOTHING);
}
