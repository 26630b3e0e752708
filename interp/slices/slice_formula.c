/* SPDX-License-Identifier: Apache-2.0
 *
 * How an element came about, as a graph of the operations that the program
 * made (interp.h, formulas).
 *
 * At each store the stored expression is gone through once more for the lane
 * that is stored: a load becomes what was last stored there, or an element of
 * a parameter; of a choice the side that is taken is kept; what reads nothing
 * is a number. What the store is about is thus known with the variables that
 * it had. Parts are evaluated again for addresses and conditions, which is
 * possible since they have just been evaluated; where that is not so (effects,
 * addresses and conditions that read what the statement itself has stored by
 * now, lanes that do, other widths) the formula is given up rather than guessed.
 *
 * Intrinsics store without an expression: of products of tiles the loads come
 * in the order accumulator, factor, factor, …; of others all loads since the
 * store before are operands of the call, where one store alone follows them. Every load is held against the value
 * that its cell is known to have, so that stores that are not followed end in no
 * formula and not in a wrong one; reductions over threads do.
 */
#include "interp/machine/arith.h"
#include "interp/slices/hooks.h"
#include "ir/ptr_map.h"
#include "ir/walk.h"

#include <string.h>

#define MAX_LOADS 4096u /* of one statement */
#define MAX_VARS  24u   /* kept of one store */
#define MAX_LETS  16u   /* nested */

struct form_cell {
    uint64_t key;  /* storage slot << 37 | offset, plus 1; 0 = free */
    uint64_t turn; /* the statement that stored it */
    struct dtype lane;
    const struct interp_form *form;
};

struct seen_load {
    struct alloc *alloc;
    size_t offset;
    struct dtype lane;
    bool defined;
};

/* What is known of a statement that stores: the variables to keep. */
struct site {
    size_t nvars;
    const struct ir_var *vars[MAX_VARS];
};

struct form_run {
    struct machine *m;
    struct interp_formula *out;
    uint64_t target; /* key of the element; 0: there is none */
    uint64_t self;   /* that of the cell that is stored now */
    size_t nodes;
    bool lost;
    size_t ncells, cap;
    struct form_cell *cells;
    struct VEC(struct seen_load) loads; /* since the last store */
    bool storing;                       /* the last event was a store */
    const struct ir_stmt *stmt;         /* of the last store */
    uint64_t steps;                     /* at the last store */
    uint32_t lane;                      /* stores since the last load */
    uint64_t turn;                      /* statements that stored */
    struct ptr_map sites; /* statement -> struct site, as an address */
    struct ptr_map bound; /* variable -> the statement that binds it */
    struct ptr_map iters; /* iterators of blocks */
    struct VEC(const struct ir_var *) around; /* loops, while sites are made */
    size_t nlets;
    struct {
        const struct ir_var *var;
        const struct interp_form *form;
    } lets[MAX_LETS];
};

/* ---- cells ----------------------------------------------------------------------- */

static uint64_t key_of(const struct alloc *a, size_t offset)
{
    return ((uint64_t)a->slot << 37 | offset) + 1;
}

static struct form_cell *find_cell(const struct form_run *f, uint64_t key)
{
    size_t mask = f->cap - 1;
    size_t i = (size_t)hash_mix(1, key) & mask;
    while (f->cells[i].key != 0 && f->cells[i].key != key)
        i = (i + 1) & mask;
    return &f->cells[i];
}

static void grow(struct form_run *f)
{
    struct form_cell *old = f->cells;
    size_t n = f->cap;
    f->cap = n != 0 ? 2 * n : 1024;
    f->cells = dc_alloc(f->cap * sizeof *f->cells);
    for (size_t i = 0; i < n; i++)
        if (old[i].key != 0)
            *find_cell(f, old[i].key) = old[i];
    dc_release(old);
}

static void set_cell(struct form_run *f, uint64_t key, struct dtype lane,
                     const struct interp_form *form)
{
    struct form_cell *c = find_cell(f, key);
    if (c->key == 0 && 2 * (f->ncells + 1) > f->cap) {
        grow(f);
        c = find_cell(f, key);
    }
    f->ncells += c->key == 0;
    *c = (struct form_cell){key, f->turn, lane, form};
}

/* ---- nodes ----------------------------------------------------------------------- */

static const struct interp_form *give_up(struct form_run *f)
{
    f->lost = true;
    return NULL;
}

static struct interp_form *node(struct form_run *f, enum interp_form_kind kind,
                                struct dtype t)
{
    struct interp_form *n = ARENA_NEW(f->out->arena, struct interp_form);
    if (++f->nodes > f->out->max)
        f->lost = true;
    n->kind = kind;
    n->dtype = t;
    n->hash = hash_mix((uint64_t)kind + 11,
                       (uint64_t)t.code << 24 | (uint64_t)t.bits << 8);
    return n;
}

static const struct interp_form *number(struct form_run *f, struct dtype t,
                                        uint64_t bits)
{
    struct interp_form *n = node(f, INTERP_FORM_NUMBER, t);
    n->bits = bits;
    n->hash = hash_mix(n->hash, bits);
    return n;
}

static const struct interp_form *atom(struct form_run *f, struct dtype t,
                                      uint32_t param, size_t element)
{
    struct interp_form *n = node(f, INTERP_FORM_ATOM, t);
    n->param = param;
    n->element = element;
    n->hash = hash_mix(hash_mix(n->hash, param), element);
    return n;
}

static const struct interp_form *
operation(struct form_run *f, enum ir_expr_kind op, const char *name,
          struct dtype t, uint32_t nargs, const struct interp_form **args)
{
    struct interp_form *n = node(f, INTERP_FORM_OP, t);
    n->op = op;
    n->name = name;
    n->nargs = nargs;
    n->hash = hash_mix(n->hash, (uint64_t)op);
    for (const char *p = name; p != NULL && *p != '\0'; p++)
        n->hash = hash_mix(n->hash, (unsigned char)*p);
    for (uint32_t i = 0; i < nargs; i++) {
        if (args[i] == NULL)
            return give_up(f);
        n->hash = hash_mix(n->hash, args[i]->hash);
    }
    n->args = arena_memdup(f->out->arena, args, (nargs + 1) * sizeof *args);
    return n;
}

/* What a load of the lane finds there. `lane` > 0: not what the statement that
 * runs now has stored itself. */
static const struct interp_form *
loaded_form(struct form_run *f, const struct seen_load *l, uint32_t lane)
{
    const struct form_cell *c = find_cell(f, key_of(l->alloc, l->offset));
    if (!l->defined)
        return node(f, INTERP_FORM_UNDEFINED, l->lane);
    if (c->key != 0 &&
        (!dtype_equal(c->lane, l->lane) || (lane > 0 && c->turn == f->turn)))
        return give_up(f);
    if (c->key != 0)
        return c->form;
    if (l->alloc->param < 0)
        return give_up(f); /* a constant, or stored under another width */
    return atom(f, l->lane, (uint32_t)l->alloc->param,
                l->offset / dtype_lane_bytes(l->lane));
}

/* ---- expressions ------------------------------------------------------------------- */

static void note_load(struct machine *m, struct alloc *a, size_t offset,
                      struct dtype lane, struct value v)
{
    struct form_run *f = slice_hooks_get(m)->formula;
    struct seen_load l = {a, offset, lane, (v.flags & V_UNDEF) == 0};
    if (f->loads.len >= MAX_LOADS)
        f->lost = true;
    else
        vec_push(&f->loads, l);
}

/* Whether one of the first n loads read what the statement has stored by now:
 * it had read something else then. */
static bool reads_own(const struct form_run *f, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct seen_load *l = &f->loads.items[i];
        uint64_t key = key_of(l->alloc, l->offset);
        const struct form_cell *c = find_cell(f, key);
        if (key == f->self || (c->key != 0 && c->turn == f->turn))
            return true;
    }
    return false;
}

static const struct interp_form *build(struct form_run *f,
                                       const struct ir_expr *e, uint32_t lane);

/* The load is made once more to see where it goes; the last of what it reads
 * is it, what its indices read comes before. */
static const struct interp_form *
build_load(struct form_run *f, const struct ir_expr *e, uint32_t lane)
{
    uint32_t lanes = e->dtype.lanes > 1 ? e->dtype.lanes : 1;
    struct value v;
    if (e->predicate != NULL || e->dtype.scalable)
        return give_up(f);
    f->loads.len = 0;
    if (!slice_evaluate(f->m, e, lane, note_load, &v) || f->loads.len < lanes)
        return f->loads.len >= lanes && (v.flags & V_UNDEF) != 0
                   ? node(f, INTERP_FORM_UNDEFINED, dtype_scalar(e->dtype))
                   : give_up(f);
    if (reads_own(f, f->loads.len - lanes))
        return give_up(f);
    struct seen_load l =
        f->loads.items[f->loads.len - lanes + (lanes > 1 ? lane % lanes : 0)];
    return loaded_form(f, &l, lane);
}

static const struct interp_form *
build_number(struct form_run *f, const struct ir_expr *e, uint32_t lane)
{
    struct value v;
    if (!slice_evaluate(f->m, e, lane, NULL, &v))
        return give_up(f);
    return number(f, dtype_scalar(e->dtype), v.u.bits);
}

static const struct interp_form *
build_choice(struct form_run *f, const struct ir_expr *e, uint32_t lane)
{
    struct value c;
    f->loads.len = 0;
    if (e->nargs != 3 ||
        !slice_evaluate(f->m, e->args[0], lane, note_load, &c) ||
        (c.flags & V_MAYBE) || reads_own(f, f->loads.len))
        return give_up(f);
    return build(f, e->args[c.u.bits ? 1 : 2], lane);
}

/* A parameter, a variable of a Let, one that a statement binds to something
 * that reads: what it was bound to, if that still has its value. */
static const struct interp_form *
build_var(struct form_run *f, const struct ir_expr *e, uint32_t lane)
{
    const struct ir_prim_func *prim = &f->m->func->prim;
    for (size_t i = f->nlets; i-- > 0;)
        if (f->lets[i].var == e->u.var)
            return f->lets[i].form;
    for (size_t i = 0; i < prim->nparams; i++)
        if (prim->params[i].buffer == NULL && prim->params[i].var == e->u.var)
            return atom(f, dtype_scalar(e->dtype), (uint32_t)i, 0);
    const uint64_t *at = ptr_map_find(&f->bound, e->u.var, NULL);
    if (at == NULL)
        return build_number(f, e, lane);
    const struct ir_stmt *bind = (const struct ir_stmt *)(uintptr_t)*at;
    struct value now, then;
    if (!ir_has_load(bind->u.bind.value))
        return build_number(f, e, lane);
    if (!slice_evaluate(f->m, e, lane, NULL, &now) ||
        !slice_evaluate(f->m, bind->u.bind.value, lane, NULL, &then) ||
        now.u.bits != then.u.bits)
        return give_up(f);
    return build(f, bind->u.bind.value, lane);
}

static const struct interp_form *
build_let(struct form_run *f, const struct ir_expr *e, uint32_t lane)
{
    struct value v;
    if (e->nargs != 2 || f->nlets == MAX_LETS || e->args[0]->dtype.lanes > 1 ||
        !slice_evaluate(f->m, e->args[0], lane, NULL, &v))
        return give_up(f);
    const struct interp_form *value = build(f, e->args[0], lane);
    f->lets[f->nlets].var = e->u.var;
    f->lets[f->nlets++].form = value;
    var_set(f->m, e->u.var, v);
    const struct interp_form *body = build(f, e->args[1], lane);
    var_unset(f->m, e->u.var);
    f->nlets--;
    return body;
}

static bool is_input(const void *user, const struct ir_expr *e)
{
    const struct form_run *f = user;
    const struct ir_prim_func *prim = &f->m->func->prim;
    if (e->kind == IR_LOAD || e->kind == IR_CALL || e->kind == IR_LET)
        return true;
    if (e->kind != IR_VAR_REF)
        return false;
    if (ptr_map_find(&f->bound, e->u.var, NULL) != NULL)
        return true;
    for (size_t i = 0; i < f->nlets; i++)
        if (f->lets[i].var == e->u.var)
            return true;
    for (size_t i = 0; i < prim->nparams; i++)
        if (prim->params[i].buffer == NULL && prim->params[i].var == e->u.var)
            return true;
    return false;
}

static const struct interp_form *
build_operands(struct form_run *f, const struct ir_expr *e, uint32_t lane)
{
    const struct interp_form *args[8];
    if (e->nargs > DC_ARRAY_LEN(args) - 1 || f->lost)
        return give_up(f);
    for (uint32_t i = 0; i < e->nargs; i++) {
        args[i] = build(f, e->args[i], lane);
        if (args[i] == NULL)
            return NULL;
    }
    args[e->nargs] = NULL;
    return operation(f, e->kind, e->kind == IR_CALL ? e->u.call.name : NULL,
                     dtype_scalar(e->dtype), e->nargs, args);
}

static const struct interp_form *
build_call(struct form_run *f, const struct ir_expr *e, uint32_t lane)
{
    unsigned flags = ir_op_info(e->u.call.op)->flags;
    if (e->u.call.op == IR_OP_IF_THEN_ELSE)
        return build_choice(f, e, lane);
    if (!(flags & IR_OPF_PURE) || (flags & IR_OPF_LAZY))
        return give_up(f);
    return build_operands(f, e, lane);
}

static const struct interp_form *build(struct form_run *f,
                                       const struct ir_expr *e, uint32_t lane)
{
    if (f->lost)
        return NULL;
    if (!ir_expr_any(e, is_input, f))
        return build_number(f, e, lane);
    switch (e->kind) {
    case IR_LOAD: return build_load(f, e, lane);
    case IR_VAR_REF: return build_var(f, e, lane);
    case IR_LET: return build_let(f, e, lane);
    case IR_SELECT: return build_choice(f, e, lane);
    case IR_CALL: return build_call(f, e, lane);
    case IR_BROADCAST: {
        uint32_t inner = e->args[0]->dtype.lanes;
        return build(f, e->args[0], inner > 1 ? lane % inner : 0);
    }
    case IR_BINARY_KINDS:
    case IR_UNARY_KINDS: return build_operands(f, e, lane);
    case IR_INT_IMM:
    case IR_FLOAT_IMM: return build_number(f, e, lane);
    case IR_STRING_IMM:
    case IR_BUFFER_REF:
    case IR_RAMP:
    case IR_SHUFFLE:
    case IR_NKINDS: break;
    }
    return give_up(f);
}

/* ---- where it is stored --------------------------------------------------------------- */

static void site_add(struct site *s, const struct ir_var *var)
{
    for (size_t i = 0; i < s->nvars; i++)
        if (s->vars[i] == var)
            return;
    if (s->nvars < MAX_VARS && dtype_is_int(var->dtype))
        s->vars[s->nvars++] = var;
}

static bool site_see(void *user, struct ir_expr *e)
{
    if (e->kind == IR_VAR_REF)
        site_add(user, e->u.var);
    return true;
}

static bool has_iter(const struct form_run *f, const struct site *s)
{
    for (size_t i = 0; i < s->nvars; i++)
        if (ptr_map_find(&f->iters, s->vars[i], NULL) != NULL)
            return true;
    return false;
}

static bool find_sites(void *user, struct ir_stmt *s)
{
    struct form_run *f = user;
    const struct ir_visitor below = {find_sites, NULL, f};
    const struct ir_var *var =
        s->kind == IR_FOR ? s->u.loop.var : ir_thread_var(s, NULL);
    if (s->kind == IR_BIND)
        ptr_map_put(&f->bound, s->u.bind.var, NULL, (uint64_t)(uintptr_t)s);
    for (size_t i = 0; s->kind == IR_BLOCK && i < s->u.block->niters; i++)
        ptr_map_put(&f->iters, s->u.block->iters[i].var, NULL, 1);
    if (s->kind == IR_STORE || s->kind == IR_EVALUATE) {
        /* what is made of it outlives the run */
        struct site *site = ARENA_NEW(f->out->arena, struct site);
        struct ir_visitor mentioned = {NULL, site_see, site};
        ir_visit_stmt(&mentioned, s);
        /* loops around a block are what its iterators come from */
        for (size_t i = has_iter(f, site) ? 0 : f->around.len; i-- > 0;)
            site_add(site, f->around.items[i]);
        ptr_map_put(&f->sites, s, NULL, (uint64_t)(uintptr_t)site);
    }
    if (var == NULL)
        return true;
    vec_push(&f->around, var);
    ir_visit_below(&below, s);
    f->around.len--;
    return false;
}

/* This form as stored now; what is stored unchanged is a copy. */
static const struct interp_form *
stored_form(struct form_run *f, const struct interp_form *form, uint64_t bits)
{
    struct machine *m = f->m;
    const uint64_t *at = ptr_map_find(&f->sites, m->stmt, NULL);
    const struct site *site =
        at != NULL ? (const struct site *)(uintptr_t)*at : NULL;
    if (form == NULL || f->lost)
        return NULL;
    struct arena *arena = f->out->arena;
    struct interp_made *made = ARENA_NEW(arena, struct interp_made);
    int64_t values[MAX_VARS];
    made->stmt = m->stmt;
    made->nvars = site != NULL ? site->nvars : 0;
    for (size_t i = 0; i < made->nvars; i++)
        if (!exec_var_known(m, site->vars[i], &values[i]))
            made->nvars = i;
    made->values =
        arena_memdup(arena, values, (made->nvars + 1) * sizeof *values);
    made->vars = site != NULL ? site->vars : NULL;
    struct interp_form *n = node(f, INTERP_FORM_COPY, form->dtype);
    if (form->kind == INTERP_FORM_OP && form->made == NULL) {
        *n = *form;
    } else {
        n->args = arena_memdup(arena, &form, sizeof form);
        n->nargs = 1;
        n->hash = form->hash;
    }
    n->made = made;
    n->bits = bits;
    return n;
}

/* Accumulator, then factors in pairs. */
static const struct interp_form *build_tile(struct form_run *f,
                                            struct dtype lane)
{
    const struct interp_form *sum = loaded_form(f, &f->loads.items[0], 0);
    for (size_t i = 1; i + 1 < f->loads.len && sum != NULL && !f->lost;
         i += 2) {
        const struct interp_form *x[3] = {
            loaded_form(f, &f->loads.items[i], 0),
            loaded_form(f, &f->loads.items[i + 1], 0)};
        const struct interp_form *both[3] = {sum, NULL};
        both[1] = operation(f, IR_MUL, NULL, lane, 2, x);
        sum = operation(f, IR_ADD, NULL, lane, 2, both);
    }
    return sum;
}

static const struct interp_form *
build_intrinsic(struct form_run *f, struct dtype lane, struct value v)
{
    const struct ir_stmt *s = f->m->stmt;
    const struct ir_expr *call =
        s != NULL && s->kind == IR_EVALUATE ? s->u.value : NULL;
    enum ir_op op =
        call != NULL && call->kind == IR_CALL ? call->u.call.op : IR_NOPS;
    size_t n = f->loads.len;
    if (n == 0)
        return v.flags & (V_UNDEF | V_BOX | V_VECTOR)
                   ? give_up(f)
                   : number(f, lane, v.u.bits);
    if (n == 1)
        return loaded_form(f, &f->loads.items[0], 0);
    if (f->lane > 0) /* which of them went into which store is not known */
        return give_up(f);
    if (n % 2 == 1 &&
        (op == IR_OP_MMA_SYNC || op == IR_OP_SIMDGROUP_MULTIPLY_ACCUMULATE))
        return build_tile(f, lane);
    const struct interp_form **args =
        ARENA_ARRAY(f->out->arena, n + 1, const struct interp_form *);
    for (size_t i = 0; i < n; i++) {
        args[i] = loaded_form(f, &f->loads.items[i], 0);
        if (args[i] == NULL)
            return NULL;
    }
    return operation(f, IR_CALL,
                     op != IR_NOPS ? call->u.call.name
                                   : "reduction over threads",
                     lane, (uint32_t)n, args);
}

static void on_load(struct machine *m, struct alloc *a, size_t offset,
                    struct dtype lane, struct value v)
{
    struct form_run *f = slice_hooks_get(m)->formula;
    const struct form_cell *c = find_cell(f, key_of(a, offset));
    bool plain = !(v.flags & (V_UNDEF | V_BOX | V_VECTOR | V_POINTER));
    if (c->key != 0 && plain && dtype_equal(c->lane, lane) &&
        c->form->bits != v.u.bits)
        f->lost = true; /* something stored there that was not followed */
    if (f->storing)
        f->loads.len = 0;
    f->storing = false;
    if (m->stmt == NULL || m->stmt->kind != IR_STORE)
        note_load(m, a, offset, lane, v);
}

static void on_store(struct machine *m, struct alloc *a, size_t offset,
                     struct dtype lane, struct value v)
{
    struct form_run *f = slice_hooks_get(m)->formula;
    const struct interp_form *form;
    f->lost = f->lost || m->publishing;
    if (f->lost)
        return;
    /* a store that nothing was evaluated for since the last one is another
     * lane of it */
    if (f->storing && f->steps == m->result.steps && f->stmt == m->stmt) {
        f->lane++;
    } else {
        f->lane = 0;
        f->turn++;
    }
    if (f->storing && (f->steps != m->result.steps || f->stmt != m->stmt))
        f->loads.len = 0;
    f->self = key_of(a, offset);
    if (m->stmt != NULL && m->stmt->kind == IR_STORE)
        form = m->stmt->u.store.predicate != NULL
                   ? give_up(f)
                   : build(f, m->stmt->u.store.value, f->lane);
    else
        form = build_intrinsic(f, lane, v);
    form = stored_form(f, form, v.flags & V_BOX ? 0 : v.u.bits);
    if (form != NULL)
        set_cell(f, key_of(a, offset), lane, form);
    f->storing = true;
    f->stmt = m->stmt;
    f->steps = m->result.steps;
}

/* ---- start and end ------------------------------------------------------------------------ */

static void fini(struct machine *m)
{
    struct hook_users *users = slice_hooks_get(m);
    struct form_run *f = users->formula;
    struct interp_formula *out = f->out;
    out->truncated = f->lost;
    if (!f->lost && f->target != 0)
        out->root = find_cell(f, f->target)->form;
    vec_fini(&f->loads);
    vec_fini(&f->around);
    ptr_map_fini(&f->sites);
    ptr_map_fini(&f->bound);
    ptr_map_fini(&f->iters);
    dc_release(f->cells);
    users->formula = NULL;
}

void slice_formula_install(struct machine *m)
{
    struct interp_formula *out = m->options.formula;
    if (out == NULL)
        return;
    struct form_run *f = ARENA_NEW(m->arena, struct form_run);
    const struct ir_visitor v = {find_sites, NULL, f};
    out->root = NULL;
    out->truncated = false;
    const struct alloc *a =
        out->param < m->nargs ? m->param_allocs[out->param] : NULL;
    if (a != NULL)
        f->target = key_of(a, out->element * dtype_lane_bytes(a->lane));
    f->m = m;
    f->out = out;
    grow(f);
    ir_visit_stmt(&v, m->func->prim.body);
    struct hook_users *users = slice_hooks_get(m);
    users->formula = f;
    users->formula_fini = fini;
    m->hooks.loaded = on_load;
    m->hooks.stored = on_store;
}
