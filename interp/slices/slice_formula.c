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
 * store before are operands of the call, where one store alone follows them. In
 * reductions over threads each thread has a formula of its own, and where they
 * meet these are combined. Every load is held against the value that its cell is
 * known to have, so that stores that are not followed end in no formula and not
 * in a wrong one.
 */
#include "interp/slices/slice_formula.h"

#include "interp/slices/hooks.h"
#include "ir/walk.h"

#include <string.h>

/* ---- cells ----------------------------------------------------------------------- */

static uint64_t key_of(const struct alloc *a, size_t offset)
{
    return ((uint64_t)a->slot << 37 | offset) + 1;
}

/* Of what is loaded or stored now: memory, or what a thread gathers by itself. */
uint64_t slice_form_key(const struct machine *m, const struct alloc *a,
                        size_t offset)
{
    return m->part != 0 ? m->part : key_of(a, offset);
}

struct form_cell *slice_form_cell_find(const struct form_run *f, uint64_t key)
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
            *slice_form_cell_find(f, old[i].key) = old[i];
    dc_release(old);
}

static void set_cell(struct form_run *f, uint64_t key, struct dtype lane,
                     const struct interp_form *form, bool undefined)
{
    struct form_cell *c = slice_form_cell_find(f, key);
    if (c->key == 0 && 2 * (f->ncells + 1) > f->cap) {
        grow(f);
        c = slice_form_cell_find(f, key);
    }
    f->ncells += c->key == 0;
    *c = (struct form_cell){key, f->turn, lane, undefined, form};
}

/* ---- where it is stored --------------------------------------------------------------- */

static void site_add(struct site *s, const struct ir_var *var)
{
    for (size_t i = 0; i < s->nvars; i++)
        if (s->vars[i] == var)
            return;
    if (s->nvars < FORM_MAX_VARS && dtype_is_int(var->dtype))
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

/* Who stored what the form combines in the end, of a reduction over threads one
 * of its threads. */
static const struct interp_made *made_of(const struct interp_form *form)
{
    while (form->made == NULL && form->nargs > 0)
        form = form->args[0];
    return form->made;
}

/* This form as stored now; what is stored unchanged is a copy. */
static const struct interp_form *stored_form(struct form_run *f,
                                             const struct interp_form *form,
                                             const struct alloc *a,
                                             size_t offset, struct value v)
{
    struct machine *m = f->m;
    const uint64_t *at = ptr_map_find(&f->sites, m->stmt, NULL);
    const struct site *site =
        at != NULL ? (const struct site *)(uintptr_t)*at : NULL;
    if (form == NULL || f->lost)
        return NULL;
    struct arena *arena = f->out->arena;
    struct interp_made *made = ARENA_NEW(arena, struct interp_made);
    int64_t values[FORM_MAX_VARS];
    made->stmt = m->stmt;
    made->nvars = site != NULL ? site->nvars : 0;
    for (size_t i = 0; i < made->nvars; i++)
        if (!exec_var_known(m, site->vars[i], &values[i]))
            made->nvars = i;
    made->values =
        arena_memdup(arena, values, (made->nvars + 1) * sizeof *values);
    made->vars = site != NULL ? site->vars : NULL;
    made->storage = a->slot;
    made->offset = offset;
    made->wrapped = (v.flags & V_WRAPPED) != 0;
    if (m->part != 0) {
        made->storage = UINT32_MAX;
        made->offset = (size_t)m->part;
    }
    const struct interp_made *part = m->meeting != NULL ? made_of(form) : NULL;
    if (part != NULL) {
        made->stmt = part->stmt;
        made->nvars = part->nvars;
        made->vars = part->vars;
        made->values = part->values;
    }
    struct interp_form *n = slice_form_node(f, INTERP_FORM_COPY, form->dtype);
    if (form->kind == INTERP_FORM_OP && form->made == NULL) {
        *n = *form;
    } else {
        n->args = arena_memdup(arena, &form, sizeof form);
        n->nargs = 1;
        n->hash = form->hash;
    }
    n->made = made;
    n->bits = v.flags & V_BOX ? 0 : v.u.bits;
    return n;
}

/* Accumulator, then factors in pairs. */
static const struct interp_form *build_tile(struct form_run *f,
                                            struct dtype lane)
{
    const struct interp_form *sum = slice_form_loaded(f, &f->loads.items[0], 0);
    for (size_t i = 1; i + 1 < f->loads.len && sum != NULL && !f->lost;
         i += 2) {
        const struct interp_form *x[3] = {
            slice_form_loaded(f, &f->loads.items[i], 0),
            slice_form_loaded(f, &f->loads.items[i + 1], 0)};
        const struct interp_form *both[3] = {sum, NULL};
        both[1] = slice_form_operation(f, IR_MUL, NULL, lane, 2, x);
        sum = slice_form_operation(f, IR_ADD, NULL, lane, 2, both);
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
                   ? slice_form_give_up(f)
                   : slice_form_number(f, lane, v.u.bits);
    if (n == 1)
        return slice_form_loaded(f, &f->loads.items[0], 0);
    if (f->lane > 0) /* which of them went into which store is not known */
        return slice_form_give_up(f);
    if (n % 2 == 1 &&
        (op == IR_OP_MMA_SYNC || op == IR_OP_SIMDGROUP_MULTIPLY_ACCUMULATE))
        return build_tile(f, lane);
    const struct interp_form **args =
        ARENA_ARRAY(f->out->arena, n + 1, const struct interp_form *);
    for (size_t i = 0; i < n; i++) {
        args[i] = slice_form_loaded(f, &f->loads.items[i], 0);
        if (args[i] == NULL)
            return NULL;
    }
    return slice_form_operation(f, IR_CALL,
                                op != IR_NOPS ? call->u.call.name
                                              : "reduction over threads",
                                lane, (uint32_t)n, args);
}

static void on_load(struct machine *m, struct alloc *a, size_t offset,
                    struct dtype lane, struct value v)
{
    struct form_run *f = slice_hooks_get(m)->formula;
    const struct form_cell *c =
        slice_form_cell_find(f, slice_form_key(m, a, offset));
    bool plain = !(v.flags & (V_UNDEF | V_BOX | V_VECTOR | V_POINTER));
    if (c->key != 0 && plain && dtype_equal(c->lane, lane) &&
        c->form->bits != v.u.bits)
        f->lost = true; /* something stored there that was not followed */
    if (f->storing)
        f->loads.len = 0;
    f->storing = false;
    if (m->stmt == NULL || m->stmt->kind != IR_STORE)
        slice_form_note_load(m, a, offset, lane, v);
}

/* ---- reductions over threads -------------------------------------------------- */

static void on_gather(struct machine *m, uint64_t part,
                      const struct ir_expr *source)
{
    struct form_run *f = slice_hooks_get(m)->formula;
    f->self = 0;
    const struct interp_form *form =
        f->lost ? NULL : slice_form_build(f, source, 0);
    if (form != NULL)
        set_cell(f, part, dtype_scalar(source->dtype), form, false);
}

/* What the parts of threads give together; made once for all threads. */
static const struct interp_form *build_meeting(struct form_run *f,
                                               const struct exec_meeting *g,
                                               struct dtype lane)
{
    if (f->met == g->number)
        return f->sum;
    const struct interp_form **args =
        ARENA_ARRAY(f->out->arena, g->n + 1, const struct interp_form *);
    f->met = g->number;
    f->out->met = true;
    f->sum = NULL;
    for (size_t i = 0; i < g->n; i++) {
        const struct form_cell *c = slice_form_cell_find(f, g->parts[i]);
        if (c->key == 0 || !dtype_equal(c->lane, lane))
            return slice_form_give_up(f);
        args[i] = c->form;
    }
    f->sum = args[0];
    for (size_t i = 1; i < g->n && g->op != IR_NKINDS && !f->lost; i++) {
        const struct interp_form *both[] = {f->sum, args[i], NULL};
        f->sum = slice_form_operation(f, g->op, NULL, lane, 2, both);
    }
    if (g->op == IR_NKINDS && g->n > 1)
        f->sum = slice_form_operation(f, IR_CALL, "reduction over threads",
                                      lane, (uint32_t)g->n, args);
    return f->sum;
}

/* ---- stores ---------------------------------------------------------------------- */

/* A store that nothing was evaluated for since the last one is another lane of
 * it. */
static void next_turn(struct form_run *f)
{
    const struct machine *m = f->m;
    bool goes_on = f->storing && f->steps == m->result.steps &&
                   f->stmt == m->stmt && m->meeting == NULL;
    f->lane = goes_on ? f->lane + 1 : 0;
    f->turn += !goes_on;
    if (f->storing && !goes_on)
        f->loads.len = 0;
}

static void on_store(struct machine *m, struct alloc *a, size_t offset,
                     struct dtype lane, struct value v)
{
    struct form_run *f = slice_hooks_get(m)->formula;
    const struct interp_form *form;
    if (f->lost)
        return;
    next_turn(f);
    f->self = slice_form_key(m, a, offset);
    if (m->meeting != NULL)
        form = build_meeting(f, m->meeting, lane);
    else if (m->stmt != NULL && m->stmt->kind == IR_STORE)
        form = m->stmt->u.store.predicate != NULL
                   ? slice_form_give_up(f)
                   : slice_form_build(f, m->stmt->u.store.value, f->lane);
    else
        form = build_intrinsic(f, lane, v);
    form = stored_form(f, form, a, offset, v);
    if (form != NULL)
        set_cell(f, f->self, lane, form, (v.flags & V_UNDEF) != 0);
    if (form != NULL && f->out->whole)
        vec_push(&f->stores, form);
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
        out->root = slice_form_cell_find(f, f->target)->form;
    out->nstores = f->stores.len;
    out->stores = arena_memdup(out->arena, f->stores.items,
                               f->stores.len * sizeof *f->stores.items);
    vec_fini(&f->stores);
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
    out->met = false;
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
    m->hooks.parts = true;
    m->hooks.gathered = on_gather;
}
