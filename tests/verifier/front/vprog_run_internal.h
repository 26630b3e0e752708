/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs a vprog on numbers by the letter of verifier/front/program.h: stores in the
 * order of their steps, scopes as they say. Made for tests, with no thought of
 * speed; knows nothing of how a vprog is made or used.
 */
#ifndef DC_TESTS_UNIT_VPROG_RUN_INTERNAL_H
#define DC_TESTS_UNIT_VPROG_RUN_INTERNAL_H

#include "interp/interp.h"
#include "verifier/front/program.h"

#include <stdlib.h>
#include <string.h>

struct vrun_value {
    uint64_t bits;
    bool undefined;
};

struct vrun_cell {
    uint64_t key; /* 0: free */
    struct vrun_value value;
};

struct vrun {
    const struct vprog *p;
    struct interp_arg *args;
    struct arena *arena;
    int64_t *loop; /* by loop */
    bool *loop_set;
    struct vrun_value *let; /* by variable of the scratch module */
    bool *let_set;
    struct vrun_cell *cells; /* memory, and what was bound at an earlier time */
    size_t ncells, cap;
    uint64_t work, max_work;
    char message[256]; /* not empty: stopped */
    bool cannot;       /* stopped for want of an operator or of time */
};

static struct vrun_value vrun_eval(struct vrun *r, const struct ir_expr *e);

static struct vrun_value vrun_stop(struct vrun *r, bool cannot,
                                   const char *what, const char *name)
{
    if (r->message[0] == '\0') {
        snprintf(r->message, sizeof r->message, "%s %s", what, name);
        r->cannot = cannot;
    }
    return (struct vrun_value){0, true};
}

/* ---- cells ----------------------------------------------------------------------- */

static struct vrun_cell *vrun_find(struct vrun *r, uint64_t key)
{
    key = key == 0 ? 1 : key;
    if (2 * r->ncells >= r->cap) {
        struct vrun_cell *old = r->cells;
        size_t n = r->cap;
        r->cap = n == 0 ? 1024 : 2 * n;
        r->cells = calloc(r->cap, sizeof *r->cells);
        for (size_t i = 0; i < n; i++) {
            size_t at = old[i].key & (r->cap - 1);
            while (old[i].key != 0 && r->cells[at].key != 0)
                at = (at + 1) & (r->cap - 1);
            if (old[i].key != 0)
                r->cells[at] = old[i];
        }
        free(old);
    }
    size_t at = key & (r->cap - 1);
    while (r->cells[at].key != 0 && r->cells[at].key != key)
        at = (at + 1) & (r->cap - 1);
    if (r->cells[at].key == 0) {
        r->cells[at].key = key;
        r->cells[at].value.undefined = true;
        r->ncells++;
    }
    return &r->cells[at];
}

static bool vrun_index(struct vrun *r, const struct ir_expr *e, int64_t *out)
{
    struct vrun_value v = vrun_eval(r, e);
    *out = num_to_int(e->dtype, v.bits);
    return !v.undefined;
}

/* The cell of an access: its key, and for parameters its flat element. */
static bool vrun_place(struct vrun *r, const struct vstorage *s, size_t n,
                       struct ir_expr *const *index, uint64_t *key,
                       int64_t *flat)
{
    *key = hash_mix(17, s->id);
    *flat = 0;
    for (size_t i = 0; i < s->nprivate; i++) {
        uint32_t id = s->privates[i]->id;
        if (!r->loop_set[id]) {
            vrun_stop(r, false, "a private loop is not running:",
                      s->privates[i]->var->name);
            return false;
        }
        *key = hash_mix(*key, (uint64_t)r->loop[id]);
    }
    if (n != s->buffer->rank) {
        vrun_stop(r, false, "wrong number of indices:", s->buffer->name);
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        int64_t at, extent;
        if (!vrun_index(r, index[i], &at) ||
            !vrun_index(r, s->buffer->shape[i], &extent))
            return false;
        if (at < 0 || at >= extent) {
            vrun_stop(r, false, "index out of bounds:", s->buffer->name);
            return false;
        }
        *key = hash_mix(*key, (uint64_t)at);
        *flat = *flat * extent + at;
    }
    return true;
}

static struct vrun_value vrun_load(struct vrun *r, const struct ir_expr *e)
{
    const struct vstorage *s = vprog_storage(r->p, e->u.buffer);
    uint64_t key;
    int64_t flat;
    if (s == NULL)
        return vrun_stop(r, false, "a load of no storage:", e->u.buffer->name);
    if (!vrun_place(r, s, e->nargs, e->args, &key, &flat))
        return (struct vrun_value){0, true};
    if (s->param >= 0) {
        const struct interp_tensor *t = r->args[s->param].tensor;
        if ((size_t)flat >= t->elements)
            return vrun_stop(r, false, "beyond parameter", s->buffer->name);
        return (struct vrun_value){interp_tensor_get(t, (size_t)flat),
                                   (t->state[flat] & INTERP_DEFINED) == 0};
    }
    if (s->constant != NULL) {
        const struct ir_tensor *t = s->constant;
        size_t bytes = dtype_lane_bytes(s->buffer->dtype);
        return (struct vrun_value){
            num_load(dtype_scalar(t->dtype), t->data + (size_t)flat * bytes),
            false};
    }
    return vrun_find(r, key)->value;
}

static void vrun_store(struct vrun *r, const struct vstore *s,
                       struct vrun_value v)
{
    uint64_t key;
    int64_t flat;
    if (!vrun_place(r, s->target, s->nindex, s->index, &key, &flat))
        return;
    if (s->target->param < 0) {
        vrun_find(r, key)->value = v;
        return;
    }
    struct interp_tensor *t = r->args[s->target->param].tensor;
    interp_tensor_set(t, (size_t)flat, v.bits);
    t->state[flat] = v.undefined ? 0 : INTERP_DEFINED;
}

/* ---- expressions -------------------------------------------------------------------- */

static struct vrun_value vrun_var(struct vrun *r, const struct ir_var *var)
{
    if (var->id < r->p->scratch->nvars && r->let_set[var->id])
        return r->let[var->id];
    for (size_t i = 0; i < r->p->nloops; i++)
        if (r->p->loops[i]->var == var && r->loop_set[i]) {
            unsigned flags = 0;
            return (struct vrun_value){
                num_from_int(var->dtype, r->loop[i], &flags), false};
        }
    for (size_t i = 0; i < r->p->nsymbols; i++) {
        const struct vsymbol *s = &r->p->symbols[i];
        if (s->var != var)
            continue;
        if (s->dim < 0)
            return (struct vrun_value){r->args[s->param].bits, false};
        return (struct vrun_value){
            (uint64_t)r->args[s->param].tensor->shape[s->dim], false};
    }
    for (size_t i = 0; i < r->p->nparams; i++)
        if (r->p->scalars[i] == var)
            return (struct vrun_value){r->args[i].bits, false};
    return vrun_stop(r, false, "no value:", var->name);
}

static struct vrun_value vrun_num(struct vrun *r, const struct ir_expr *e,
                                  enum num_op op, struct dtype t)
{
    unsigned flags = 0;
    struct vrun_value a = vrun_eval(r, e->args[0]), b = {0, false};
    if (e->nargs > 1)
        b = vrun_eval(r, e->args[1]);
    uint64_t bits = e->nargs > 1 ? num_binary(op, t, a.bits, b.bits, &flags)
                                 : num_unary(op, t, a.bits, &flags);
    if (flags & NUM_NO_RULE)
        return vrun_stop(r, true, "no rule for", num_op_name(op));
    bool bad = (flags & (NUM_UNDEFINED | NUM_DIV_ZERO | NUM_DIV_OVERFLOW)) != 0;
    if ((op == NUM_POPCOUNT || op == NUM_CLZ) && !dtype_equal(t, e->dtype))
        bits = num_cast(t, e->dtype, bits, &flags);
    return (struct vrun_value){bits, a.undefined || b.undefined || bad};
}

static const char *vrun_bare(const struct ir_expr *e, bool *named)
{
    const char *name = e->u.call.name, *dot = strrchr(name, '.');
    *named = e->nargs > 0 && e->args[0]->kind == IR_STRING_IMM;
    return dot != NULL ? dot + 1 : name;
}

/* A C function by name: "expf" is exp. */
static struct vrun_value vrun_named(struct vrun *r, const struct ir_expr *e)
{
    const char *text = e->args[0]->u.string.text;
    size_t n = strlen(text), nargs = e->nargs - 1;
    if (n > 1 && text[n - 1] == 'f' && strcmp(text, "erf") != 0)
        n--;
    for (int i = 0; i < NUM_NOPS; i++) {
        enum num_op op = (enum num_op)i;
        unsigned flags = 0;
        const char *name = num_op_name(op);
        if (op == NUM_ABS)
            name = "fabs";
        if (op == NUM_FMA || strlen(name) != n || strncmp(name, text, n) != 0 ||
            nargs != (op < NUM_ADD ? 1u : 2u))
            continue;
        struct dtype t = e->args[1]->dtype;
        struct vrun_value a = vrun_eval(r, e->args[1]);
        struct vrun_value b = vrun_eval(r, e->args[nargs]);
        a.undefined |= b.undefined;
        a.bits = nargs == 2 ? num_binary(op, t, a.bits, b.bits, &flags)
                            : num_unary(op, t, a.bits, &flags);
        return a;
    }
    return vrun_stop(r, true, "no meaning for", text);
}

/* The bytes of a value as another type; of several, put together; of a part
 * (reinterpret(wide, k)), those of part k. */
static struct vrun_value vrun_bytes(struct vrun *r, const struct ir_expr *e)
{
    uint8_t bytes[16] = {0};
    struct vrun_value out = {0, false};
    size_t into = dtype_lane_bytes(e->dtype), at = 0;
    size_t from = dtype_lane_bytes(e->args[0]->dtype);
    bool part = from > into;
    for (uint32_t i = 0; i < (part ? 1 : e->nargs); i++) {
        struct vrun_value a = vrun_eval(r, e->args[i]);
        num_store(e->args[0]->dtype, bytes + i * from, a.bits);
        out.undefined = out.undefined || a.undefined;
    }
    if (part)
        at = into * (size_t)vrun_eval(r, e->args[1]).bits;
    out.bits = num_load(e->dtype, bytes + at);
    return out;
}

static struct vrun_value vrun_call(struct vrun *r, const struct ir_expr *e)
{
    bool named;
    const char *name = vrun_bare(e, &named);
    unsigned flags = 0;
    if (strcmp(name, "if_then_else") == 0) {
        struct vrun_value c = vrun_eval(r, e->args[0]);
        if (c.undefined)
            return c;
        return vrun_eval(r, e->args[c.bits != 0 ? 1 : 2]);
    }
    if (strcmp(name, "undef") == 0)
        return (struct vrun_value){0, true};
    if (strcmp(name, "fma") == 0) {
        struct vrun_value a = vrun_eval(r, e->args[0]);
        struct vrun_value b = vrun_eval(r, e->args[1]);
        struct vrun_value c = vrun_eval(r, e->args[2]);
        return (struct vrun_value){
            num_fma(e->dtype, a.bits, b.bits, c.bits, &flags),
            a.undefined || b.undefined || c.undefined};
    }
    if (strcmp(name, "reinterpret") == 0)
        return vrun_bytes(r, e);
    if (strcmp(name, "round") == 0)
        name = "nearbyint";
    if (strcmp(name, "fabs") == 0)
        name = "abs";
    for (int op = 0; op < NUM_NOPS && !named; op++)
        if (op != NUM_FMA && strcmp(num_op_name((enum num_op)op), name) == 0 &&
            e->nargs == (op < NUM_ADD ? 1u : 2u))
            return vrun_num(r, e, (enum num_op)op, e->args[0]->dtype);
    return named ? vrun_named(r, e)
                 : vrun_stop(r, true, "no meaning for", name);
}

static enum num_op vrun_op(enum ir_expr_kind kind)
{
    static const enum num_op ops[] = {
        NUM_ADD,      NUM_SUB, NUM_MUL, NUM_DIV,    NUM_MOD,   NUM_FLOORDIV,
        NUM_FLOORMOD, NUM_MIN, NUM_MAX, NUM_BITAND, NUM_BITOR, NUM_BITXOR,
        NUM_SHL,      NUM_SHR, NUM_EQ,  NUM_NE,     NUM_LT,    NUM_LE,
        NUM_GT,       NUM_GE,  NUM_AND, NUM_OR};
    return ops[kind - IR_ADD];
}

static struct vrun_value vrun_eval(struct vrun *r, const struct ir_expr *e)
{
    unsigned flags = 0;
    if (r->message[0] != '\0')
        return (struct vrun_value){0, true};
    if (++r->work > r->max_work)
        return vrun_stop(r, true, "out of time", "");
    if (e->dtype.lanes > 1)
        return vrun_stop(r, false, "a vector:", ir_expr_kind_name(e->kind));
    if (e->kind >= IR_ADD && e->kind <= IR_OR)
        return vrun_num(r, e, vrun_op(e->kind), e->args[0]->dtype);
    switch ((int)e->kind) {
    case IR_INT_IMM:
        return (struct vrun_value){(uint64_t)e->u.int_value, false};
    case IR_FLOAT_IMM:
        return (struct vrun_value){
            num_from_double(e->dtype, e->u.float_value, &flags), false};
    case IR_VAR_REF: return vrun_var(r, e->u.var);
    case IR_NOT: return vrun_num(r, e, NUM_NOT, e->dtype);
    case IR_BITNOT: return vrun_num(r, e, NUM_BITNOT, e->dtype);
    case IR_CAST: {
        struct vrun_value a = vrun_eval(r, e->args[0]);
        a.bits = num_cast(e->args[0]->dtype, e->dtype, a.bits, &flags);
        a.undefined |= (flags & NUM_UNDEFINED) != 0;
        return a;
    }
    case IR_SELECT: {
        struct vrun_value c = vrun_eval(r, e->args[0]);
        struct vrun_value a = vrun_eval(r, e->args[1]);
        struct vrun_value b = vrun_eval(r, e->args[2]);
        return c.undefined ? c : c.bits != 0 ? a : b;
    }
    case IR_LOAD: return vrun_load(r, e);
    case IR_CALL: return vrun_call(r, e);
    default: return vrun_stop(r, false, "kind", ir_expr_kind_name(e->kind));
    }
}

/* ---- scopes ----------------------------------------------------------------------------- */

static bool vrun_reads(const struct ir_expr *e)
{
    if (e->kind == IR_LOAD)
        return true;
    for (uint32_t i = 0; i < e->nargs; i++)
        if (vrun_reads(e->args[i]))
            return true;
    return false;
}

/* Where the value that scope i had at its time is kept: one for each thread. */
static uint64_t vrun_timed_key(const struct vrun *r, const struct vscope *s,
                               size_t i)
{
    uint64_t key = hash_mix(99, (uint64_t)(uintptr_t)s[i].value);
    for (size_t j = 0; j < i; j++)
        if (s[j].kind == VSCOPE_LOOP && s[j].loop->kind == IR_FOR_THREAD)
            key = hash_mix(key, (uint64_t)r->loop[s[j].loop->id]);
    return key;
}

/* Enters scopes 0 … n - 1 whose loops are set; false where nothing runs. */
static bool vrun_enter(struct vrun *r, size_t n, const struct vscope *s)
{
    for (size_t i = 0; i < n; i++) {
        int64_t min, extent;
        if (s[i].kind == VSCOPE_LOOP) {
            const struct vloop *loop = s[i].loop;
            if (!r->loop_set[loop->id])
                return false;
            if (!vrun_index(r, loop->min, &min) ||
                !vrun_index(r, loop->extent, &extent) ||
                r->loop[loop->id] < min || r->loop[loop->id] >= min + extent)
                return false;
            continue;
        }
        struct vrun_value v = vrun_reads(s[i].value)
                                  ? vrun_find(r, vrun_timed_key(r, s, i))->value
                                  : vrun_eval(r, s[i].value);
        if (s[i].kind == VSCOPE_LET) {
            r->let[s[i].var->id] = v;
            r->let_set[s[i].var->id] = true;
        } else if (v.undefined || (v.bits != 0) == s[i].negated) {
            return false;
        }
    }
    return true;
}

typedef void (*vrun_visit)(struct vrun *r, size_t n, const struct vscope *s,
                           void *user);

/* Calls visit for all values of the thread loops in scopes 0 … n - 1 that are
 * not set yet. */
static void vrun_threads(struct vrun *r, size_t n, const struct vscope *s,
                         size_t from, vrun_visit visit, void *user)
{
    for (size_t i = from; i < n; i++) {
        const struct vloop *loop = s[i].loop;
        if (s[i].kind != VSCOPE_LOOP || loop->kind != IR_FOR_THREAD ||
            r->loop_set[loop->id])
            continue;
        int64_t min, extent;
        if (!vrun_index(r, loop->min, &min) ||
            !vrun_index(r, loop->extent, &extent)) {
            (void)vrun_stop(r, false, "no extent:", loop->var->name);
            return;
        }
        r->loop_set[loop->id] = true;
        for (int64_t x = min; x < min + extent; x++) {
            r->loop[loop->id] = x;
            vrun_threads(r, n, s, i + 1, visit, user);
        }
        r->loop_set[loop->id] = false;
        return;
    }
    visit(r, n, s, user);
}

static void vrun_time_one(struct vrun *r, size_t n, const struct vscope *s,
                          void *user)
{
    (void)user;
    struct vrun_cell *c = vrun_find(r, vrun_timed_key(r, s, n));
    c->value.undefined = true;
    if (!vrun_enter(r, n, s))
        return;
    struct vrun_value v = vrun_eval(r, s[n].value);
    vrun_find(r, vrun_timed_key(r, s, n))->value = v;
}

struct vrun_bounds {
    const struct vloop *loop;
    int64_t lo, hi;
    bool any;
};

static void vrun_bounds_one(struct vrun *r, size_t n, const struct vscope *s,
                            void *user)
{
    struct vrun_bounds *b = user;
    int64_t min, extent;
    if (!vrun_enter(r, n, s) || !vrun_index(r, b->loop->min, &min) ||
        !vrun_index(r, b->loop->extent, &extent) || extent <= 0)
        return;
    if (!b->any || min < b->lo)
        b->lo = min;
    if (!b->any || min + extent > b->hi)
        b->hi = min + extent;
    b->any = true;
}

/* ---- time ---------------------------------------------------------------------------------- */

/* What happens at a place in time: a store, or the reading of memory for a
 * scope around it. */
struct vrun_item {
    const struct vstore *store;
    size_t scope; /* SIZE_MAX: the store itself */
    size_t nsteps;
    const struct vstep *steps;
};

static void vrun_group(struct vrun *r, const struct vrun_item *list, size_t n,
                       size_t level);

static void vrun_leaf(struct vrun *r, const struct vstore *s)
{
    if (!vrun_enter(r, s->nscopes, s->scopes))
        return;
    vrun_store(r, s, vrun_eval(r, s->value));
}

/* All lanes are evaluated before any is stored. */
static void vrun_lanes(struct vrun *r, const struct vstore *s)
{
    const struct vloop *loop = s->steps[s->read_steps].loop;
    int64_t n;
    if (s->nsteps != s->read_steps + 1 || !vrun_index(r, loop->extent, &n)) {
        (void)vrun_stop(r, false, "lanes in a way not understood", "");
        return;
    }
    struct vrun_value *v = calloc((size_t)n, sizeof *v);
    bool *on = calloc((size_t)n, sizeof *on);
    r->loop_set[loop->id] = true;
    for (r->loop[loop->id] = 0; r->loop[loop->id] < n; r->loop[loop->id]++) {
        int64_t i = r->loop[loop->id];
        on[i] = vrun_enter(r, s->nscopes, s->scopes);
        if (on[i])
            v[i] = vrun_eval(r, s->value);
    }
    for (r->loop[loop->id] = 0; r->loop[loop->id] < n; r->loop[loop->id]++)
        if (on[r->loop[loop->id]] && vrun_enter(r, s->nscopes, s->scopes))
            vrun_store(r, s, v[r->loop[loop->id]]);
    r->loop_set[loop->id] = false;
    free(v);
    free(on);
}

static void vrun_loop(struct vrun *r, const struct vrun_item *list, size_t n,
                      size_t level)
{
    const struct vloop *loop = list[0].steps[level].loop;
    struct vrun_bounds b = {loop, 0, 0, false};
    for (size_t i = 0; i < n; i++) {
        const struct vstore *s = list[i].store;
        size_t k = 0;
        while (k < s->nscopes &&
               (s->scopes[k].kind != VSCOPE_LOOP || s->scopes[k].loop != loop))
            k++;
        if (k == s->nscopes || list[i].steps[level].loop != loop) {
            (void)vrun_stop(r, false,
                            "a step without its scope:", loop->var->name);
            return;
        }
        vrun_threads(r, k, s->scopes, 0, vrun_bounds_one, &b);
    }
    r->loop_set[loop->id] = true;
    for (int64_t x = b.lo; b.any && x < b.hi && r->message[0] == '\0'; x++) {
        r->loop[loop->id] = x;
        vrun_group(r, list, n, level + 1);
    }
    r->loop_set[loop->id] = false;
}

/* Items at positions of a sequence, in their order. */
static void vrun_positions(struct vrun *r, const struct vrun_item *list,
                           size_t n, size_t level)
{
    struct vrun_item *part = malloc(n * sizeof *part);
    for (int64_t done = -1;;) {
        int64_t next = INT64_MAX;
        size_t k = 0;
        for (size_t i = 0; i < n; i++)
            if ((int64_t)list[i].steps[level].pos > done &&
                list[i].steps[level].pos < next)
                next = list[i].steps[level].pos;
        if (next == INT64_MAX)
            break;
        for (size_t i = 0; i < n; i++)
            if (list[i].steps[level].pos == next)
                part[k++] = list[i];
        vrun_group(r, part, k, level + 1);
        done = next;
    }
    free(part);
}

/* Items that agree in the first `level` steps. */
static void vrun_group(struct vrun *r, const struct vrun_item *list, size_t n,
                       size_t level)
{
    while (n > 0 && list->scope != SIZE_MAX && list->nsteps == level) {
        vrun_threads(r, list->scope, list->store->scopes, 0, vrun_time_one,
                     NULL);
        list++;
        n--;
    }
    if (r->message[0] != '\0' || n == 0)
        return;
    if (n == 1 && list[0].nsteps == level) {
        vrun_leaf(r, list[0].store);
        return;
    }
    if (n == 1 && list[0].scope == SIZE_MAX &&
        list[0].store->read_steps == level) {
        vrun_lanes(r, list[0].store);
        return;
    }
    for (size_t i = 0; i < n; i++)
        if (list[i].nsteps <= level ||
            (list[i].steps[level].loop == NULL) !=
                (list[0].steps[level].loop == NULL)) {
            (void)vrun_stop(r, false, "two stores at one place in time", "");
            return;
        }
    if (list[0].steps[level].loop != NULL)
        vrun_loop(r, list, n, level);
    else
        vrun_positions(r, list, n, level);
}

/* Readings first, those of outer scopes before those of inner ones: then a
 * group starts with what is read at its own place. */
static struct vrun_item *vrun_items(struct vrun *r, size_t *n)
{
    size_t max = r->p->nstores;
    for (size_t i = 0; i < r->p->nstores; i++)
        max += r->p->stores[i]->nscopes;
    struct vrun_item *list = ARENA_ARRAY(r->arena, max, struct vrun_item);
    const struct ir_expr **seen =
        ARENA_ARRAY(r->arena, max, const struct ir_expr *);
    size_t most = 0;
    *n = 0;
    for (size_t i = 0; i < r->p->nstores; i++)
        if (r->p->stores[i]->nscopes > most)
            most = r->p->stores[i]->nscopes;
    for (size_t k = 0; k < most; k++)
        for (size_t i = 0; i < r->p->nstores; i++) {
            const struct vstore *s = r->p->stores[i];
            bool known = k >= s->nscopes || s->scopes[k].kind == VSCOPE_LOOP ||
                         !vrun_reads(s->scopes[k].value);
            for (size_t j = 0; j < *n && !known; j++)
                known = seen[j] == s->scopes[k].value;
            if (known)
                continue;
            seen[*n] = s->scopes[k].value;
            list[(*n)++] = (struct vrun_item){s, k, s->scopes[k].nsteps,
                                              s->scopes[k].steps};
        }
    /* within one place, in the order of nesting: shorter steps come first */
    for (size_t i = 1; i < *n; i++)
        for (size_t j = i; j > 0 && list[j].nsteps < list[j - 1].nsteps; j--) {
            struct vrun_item x = list[j];
            list[j] = list[j - 1];
            list[j - 1] = x;
        }
    for (size_t i = 0; i < r->p->nstores; i++) {
        const struct vstore *s = r->p->stores[i];
        list[(*n)++] = (struct vrun_item){s, SIZE_MAX, s->nsteps, s->steps};
    }
    return list;
}

/* Runs p on args, whose tensors are changed in place. */
static void vrun(struct vrun *r, const struct vprog *p, struct interp_arg *args,
                 uint64_t max_work)
{
    memset(r, 0, sizeof *r);
    r->p = p;
    r->args = args;
    r->arena = arena_new();
    r->max_work = max_work;
    r->loop = ARENA_ARRAY(r->arena, p->nloops, int64_t);
    r->loop_set = ARENA_ARRAY(r->arena, p->nloops, bool);
    r->let = ARENA_ARRAY(r->arena, p->scratch->nvars, struct vrun_value);
    r->let_set = ARENA_ARRAY(r->arena, p->scratch->nvars, bool);
    size_t n;
    const struct vrun_item *list = vrun_items(r, &n);
    vrun_group(r, list, n, 0);
    free(r->cells);
    arena_free(r->arena);
}

#endif
