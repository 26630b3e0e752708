/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether all that sets the sides of a `precision` pair apart is that the tuned
 * one keeps intermediates in wider types (--allow wider).
 *
 * The proof says: one and the same formula for each output once types of floats
 * are left out. So what is left to ask is to which types each side rounds, and
 * that is read off the text, once for all elements:
 *
 *   - every type that an operation or conversion of the tuned side rounds to
 *     holds every number of every type that the untuned side has numbers of,
 *     rounded or not: of loads, parameters, constants and scratch as well; the
 *     conversion in a store to an output that nothing reads back is no
 *     intermediate; a conversion from integers is to a type that holds all of
 *     them, and
 *   - on both sides what an output holds was last rounded to the output's own
 *     type, as far as copies, minima, maxima and choices go back: none holds
 *     numbers of a narrower one. A rounding that another operation follows is an
 *     intermediate.
 *
 * Then the tuned side rounds nothing to a type narrower than any number of the
 * untuned side, whichever answers to which. Where a rounded number decides
 * something (a comparison, an index, a floor), or something is not understood, it
 * is not known, and stays a finding: this never says yes for want of knowledge.
 */
#include "diff/engine/engine.h"
#include "ir/walk.h"

#include <string.h>

#define MAX_TYPES 8u

struct types {
    size_t n;
    struct dtype items[MAX_TYPES];
};

/* Of what a buffer holds: the type that its numbers were last rounded to. */
struct held {
    bool is; /* something is stored, or there on entry; else any number */
    struct dtype t;
};

struct look {
    const struct diff_pair *pair;
    size_t side;
    const char *why;    /* not understood; NULL so far */
    struct types has;   /* of which there are numbers */
    struct types inner; /* that are rounded to, but in stores to outputs */
    const struct ir_expr *last; /* such a conversion, until it is met */
    bool *loaded, *output;      /* by data variable */
    struct dtype *holds;        /* of its buffers; code DT_VOID: not met */
    struct held *held;
    bool changed;
};

static bool is_known(struct dtype t)
{
    return t.code == DT_FLOAT || (t.code == DT_BFLOAT && t.bits == 16);
}

static bool is_float(const struct ir_expr *e)
{
    return dtype_is_float(e->dtype);
}

static void refuse(struct look *l, const char *what)
{
    if (l->why == NULL)
        l->why = arena_printf(l->pair->arena, "%s in the %s module", what,
                              diff_side_name(l->side));
}

static void add_type(struct look *l, struct types *list, struct dtype type)
{
    struct dtype t = dtype_scalar(type);
    if (!is_known(t))
        refuse(l, "there is a type of 8 bits or fewer");
    for (size_t i = 0; i < list->n; i++)
        if (dtype_equal(list->items[i], t))
            return;
    if (list->n == MAX_TYPES)
        refuse(l, "there are too many types");
    else
        list->items[list->n++] = t;
}

/* Bits of the numbers that the type holds one by one. */
static unsigned whole_bits(struct dtype t)
{
    return t.code == DT_BFLOAT ? 8 : t.bits == 16 ? 11 : t.bits == 32 ? 24 : 53;
}

/* ---- what is read off each expression ---------------------------------------- */

/* Functions that jump: a number a little off becomes another one. */
static bool jumps(enum ir_op op)
{
    switch ((int)op) {
    case IR_OP_FLOOR:
    case IR_OP_CEIL:
    case IR_OP_TRUNC:
    case IR_OP_ROUND:
    case IR_OP_NEARBYINT:
    case IR_OP_FMOD:
    case IR_OP_COPYSIGN:
    case IR_OP_NEXTAFTER: return true;
    default: return false;
    }
}

static void see_call(struct look *l, const struct ir_expr *e)
{
    enum ir_op op = ir_call_op(e);
    unsigned flags = (unsigned)ir_op_info(op)->flags;
    bool floats = is_float(e), pointers = dtype_is_handle(e->dtype);
    for (uint32_t i = 0; i < e->nargs; i++) {
        floats = floats || is_float(e->args[i]);
        pointers = pointers || e->args[i]->kind == IR_BUFFER_REF ||
                   dtype_is_handle(e->args[i]->dtype);
    }
    if (op == IR_OP_STORAGE_SYNC || op == IR_OP_IF_THEN_ELSE ||
        (flags & IR_OPF_IDENTITY))
        return;
    if (pointers || !(flags & IR_OPF_PURE) || op == IR_OP_UNDEF)
        refuse(l, "there is a call that is not followed");
    else if (floats && (!(flags & IR_OPF_MATH) || jumps(op)))
        refuse(l, "a rounded number decides something");
    else if (floats && op != IR_OP_FABS)
        add_type(l, &l->inner, e->dtype);
}

static void see_cast(struct look *l, const struct ir_expr *e)
{
    const struct ir_expr *from = e->args[0];
    bool final = e == l->last;
    if (final)
        l->last = NULL;
    if (is_float(from) && !is_float(e))
        refuse(l, "a rounded number decides something");
    if (!is_float(e) || final)
        return;
    if (!is_float(from) && l->side == TUNED &&
        whole_bits(dtype_scalar(e->dtype)) < from->dtype.bits)
        refuse(l, "integers become floats that do not hold all of them");
    if (!is_float(from) ||
        !dtype_holds(dtype_scalar(e->dtype), dtype_scalar(from->dtype)))
        add_type(l, &l->inner, e->dtype);
}

static bool see_expr(void *user, struct ir_expr *e)
{
    struct look *l = user;
    if (is_float(e))
        add_type(l, &l->has, e->dtype);
    switch (e->kind) {
    case IR_ADD:
    case IR_SUB:
    case IR_MUL:
    case IR_DIV:
        if (is_float(e))
            add_type(l, &l->inner, e->dtype);
        return true;
    case IR_MOD:
    case IR_FLOORDIV:
    case IR_FLOORMOD:
    case IR_COMPARE_KINDS:
    case IR_AND:
    case IR_OR:
    case IR_NOT:
        if (is_float(e->args[0]))
            refuse(l, "a rounded number decides something");
        return true;
    case IR_CAST: see_cast(l, e); return true;
    case IR_CALL: see_call(l, e); return true;
    case IR_LET:
    case IR_RAMP:
        if (is_float(e->args[0]))
            refuse(l, "a float has a name, or makes a ramp");
        return true;
    case IR_LOAD:
    case IR_LEAF_KINDS:
    case IR_MIN:
    case IR_MAX:
    case IR_BITWISE_KINDS:
    case IR_BITNOT:
    case IR_SELECT:
    case IR_BROADCAST:
    case IR_SHUFFLE:
    case IR_NKINDS: return true;
    }
    return true;
}

/* ---- and each statement --------------------------------------------------------- */

static void see_buffer(struct look *l, const struct ir_buffer *b)
{
    struct dtype *t = &l->holds[b->data->id];
    if (t->code == DT_VOID)
        *t = dtype_scalar(b->dtype);
    else if (!dtype_equal(*t, dtype_scalar(b->dtype)))
        refuse(l, "one storage has two types");
}

static bool see_stmt(void *user, struct ir_stmt *s)
{
    struct look *l = user;
    l->last = NULL;
    switch (s->kind) {
    case IR_BIND:
        if (is_float(s->u.bind.value) || dtype_is_handle(s->u.bind.var->dtype))
            refuse(l, "a float or a pointer has a name");
        return true;
    case IR_DECL_BUFFER:
        see_buffer(l, s->u.decl.buffer);
        if (s->u.decl.value != NULL)
            refuse(l, "there is a view by a pointer");
        return true;
    case IR_BLOCK:
        if (s->u.block->nmatches > 0)
            refuse(l, "there is a view of a part of a buffer");
        return true;
    case IR_STORE:
        see_buffer(l, s->u.store.buffer);
        if (l->output[s->u.store.buffer->data->id] &&
            !l->loaded[s->u.store.buffer->data->id] &&
            s->u.store.value->kind == IR_CAST)
            l->last = s->u.store.value;
        return true;
    case IR_SEQ:
    case IR_FOR:
    case IR_WHILE:
    case IR_IF:
    case IR_ALLOC:
    case IR_ALLOC_CONST:
    case IR_ATTR:
    case IR_ASSERT:
    case IR_EVALUATE:
    case IR_BREAK:
    case IR_CONTINUE:
    case IR_RETURN:
    case IR_NSTMTS: return true;
    }
    return true;
}

/* Which storage is read, before anything is said of stores to it. */
static bool see_load(void *user, struct ir_expr *e)
{
    struct look *l = user;
    if (e->kind == IR_LOAD) {
        l->loaded[e->u.buffer->data->id] = true;
        see_buffer(l, e->u.buffer);
    }
    return true;
}

/* ---- what outputs hold ------------------------------------------------------------ */

static void narrow(struct look *l, struct held *h, struct held by)
{
    if (!by.is)
        return;
    if (!h->is || (dtype_holds(h->t, by.t) && !dtype_equal(by.t, h->t))) {
        *h = by;
        l->changed = true;
    } else if (!dtype_holds(by.t, h->t)) {
        refuse(l, "one storage holds numbers of two types");
    }
}

static struct held held_by(struct look *l, const struct ir_expr *e);

/* Of what one of the operands becomes. */
static struct held held_by_one(struct look *l, const struct ir_expr *e)
{
    struct held out = {0};
    bool changed = l->changed;
    for (uint32_t i = 0; i < e->nargs; i++)
        if (is_float(e->args[i]))
            narrow(l, &out, held_by(l, e->args[i]));
    l->changed = changed;
    return out;
}

static struct held held_by(struct look *l, const struct ir_expr *e)
{
    struct held own = {true, dtype_scalar(e->dtype)}, from;
    switch ((int)e->kind) {
    case IR_FLOAT_IMM: return (struct held){0};
    case IR_LOAD: return l->held[e->u.buffer->data->id];
    case IR_MIN:
    case IR_MAX:
    case IR_SELECT:
    case IR_BROADCAST:
    case IR_SHUFFLE: return held_by_one(l, e);
    case IR_CALL:
        if (ir_call_op(e) == IR_OP_IF_THEN_ELSE ||
            ir_call_op(e) == IR_OP_FABS ||
            (ir_op_info(ir_call_op(e))->flags & IR_OPF_IDENTITY))
            return held_by_one(l, e);
        return own;
    case IR_CAST:
        if (!is_float(e->args[0]))
            return own;
        from = held_by(l, e->args[0]);
        return !from.is || dtype_holds(own.t, from.t) ? from : own;
    default: return own;
    }
}

static bool hold(void *user, struct ir_stmt *s)
{
    struct look *l = user;
    if (s->kind == IR_STORE && dtype_is_float(s->u.store.buffer->dtype))
        narrow(l, &l->held[s->u.store.buffer->data->id],
               held_by(l, s->u.store.value));
    return true;
}

/* ---- one side ------------------------------------------------------------------------ */

static void begin_params(struct look *l, const struct ir_prim_func *f)
{
    for (size_t i = 0; i < f->nparams; i++) {
        const struct ir_buffer *b = f->params[i].buffer;
        if (b == NULL)
            continue;
        see_buffer(l, b);
        l->output[b->data->id] =
            l->pair->cases[0].sig[l->side].params[i].stored;
        if (dtype_is_float(b->dtype))
            l->held[b->data->id] = (struct held){true, dtype_scalar(b->dtype)};
    }
}

/* Every output was last rounded to its own type. */
static void check_outputs(struct look *l, const struct ir_prim_func *f)
{
    for (size_t i = 0; i < f->nparams; i++) {
        const struct ir_buffer *b = f->params[i].buffer;
        if (b == NULL || !l->output[b->data->id] || !dtype_is_float(b->dtype))
            continue;
        if (!dtype_equal(l->held[b->data->id].t, dtype_scalar(b->dtype)))
            refuse(l,
                   "an output holds numbers of a narrower type than its own");
    }
}

static void look_at(struct look *l, const struct diff_pair *pair, size_t side)
{
    const struct ir_prim_func *f = &pair->side[side].func->prim;
    const struct ir_visitor loads = {NULL, see_load, l};
    const struct ir_visitor all = {see_stmt, see_expr, l};
    const struct ir_visitor stores = {hold, NULL, l};
    memset(l, 0, sizeof *l);
    l->pair = pair;
    l->side = side;
    size_t nvars = (size_t)pair->side[side].module->nvars + 1;
    l->loaded = ARENA_ARRAY(pair->arena, nvars, bool);
    l->output = ARENA_ARRAY(pair->arena, nvars, bool);
    l->held = ARENA_ARRAY(pair->arena, nvars, struct held);
    l->holds = ARENA_ARRAY(pair->arena, nvars, struct dtype);
    for (size_t i = 0; i < nvars; i++)
        l->holds[i] = DTYPE_VOID;
    begin_params(l, f);
    ir_visit_stmt(&loads, f->body);
    ir_visit_stmt(&all, f->body);
    do { /* each storage narrows a few times at most */
        l->changed = false;
        ir_visit_stmt(&stores, f->body);
    } while (l->changed && l->why == NULL);
    check_outputs(l, f);
}

/* ---- both --------------------------------------------------------------------------- */

static const char *names_of(struct diff_pair *pair, const struct types *list)
{
    struct buf text = {0};
    char name[48];
    for (size_t i = 0; i < list->n; i++)
        buf_printf(&text, "%s%s", i ? ", " : "",
                   dtype_name(list->items[i], name));
    const char *out = arena_strdup(pair->arena, buf_text(&text));
    buf_fini(&text);
    return out;
}

/* The first type that the tuned side rounds to and that lacks numbers which the
 * untuned side has. */
static const char *find_narrower(struct diff_pair *pair, const struct look *u,
                                 const struct look *t)
{
    char a[48], b[48];
    for (size_t i = 0; i < t->inner.n; i++)
        for (size_t k = 0; k < u->has.n; k++)
            if (!dtype_holds(t->inner.items[i], u->has.items[k]))
                return arena_printf(pair->arena,
                                    "the tuned module rounds to %s, and the "
                                    "untuned one has numbers of %s",
                                    dtype_name(t->inner.items[i], a),
                                    dtype_name(u->has.items[k], b));
    return NULL;
}

void diff_judge_rounding(struct diff_pair *pair)
{
    struct look u, t;
    struct report_rounding *r = ARENA_NEW(pair->arena, struct report_rounding);
    pair->out->rounding = r;
    if (pair->relax || pair->ncases == 0) {
        r->reason = "calls of Relax functions are not looked into";
        return;
    }
    look_at(&u, pair, UNTUNED);
    look_at(&t, pair, TUNED);
    r->untuned = names_of(pair, &u.inner);
    r->tuned = names_of(pair, &t.inner);
    r->reason = u.why != NULL   ? u.why
                : t.why != NULL ? t.why
                                : find_narrower(pair, &u, &t);
    if (r->reason == NULL && pair->out->evidence != REPORT_PROOF)
        r->reason = "keyed runs leave out more than conversions";
    r->wider = r->reason == NULL;
    if (r->wider)
        r->reason =
            "each intermediate of the tuned module is of a type as wide "
            "as any number of the untuned one, and outputs are rounded to "
            "the same types";
}
