/* SPDX-License-Identifier: Apache-2.0
 *
 * What slices need to know before they start: the regions that the function
 * writes, with their owners, sizes and cell units, and for every statement its
 * parent, the regions stored to below it, and whether it may be left out
 * alone.
 *
 * A statement is left out whole or not at all (SLICE_ATOMIC) when what happens
 * inside decides how often it runs (while loops, loops with break), or when
 * the interpreter runs it as one (cross-thread reductions), or when it is a
 * sequence with a register of its own.
 */
#include "interp/slices/slice_scan.h"

#include "interp/machine/flow.h"

#include <string.h>

/* Cells of all regions together; regions beyond are all or nothing. */
#define MAX_CELLS ((size_t)1 << 31)

/* ---- regions ------------------------------------------------------------------- */

struct owners {
    struct slice *s;
    bool *written;   /* by class */
    uint32_t *owner; /* by class: 1 + data variable; UINT32_MAX = several */
    size_t *unit;    /* by class: common divisor of the lane sizes */
    size_t *bytes;   /* by class: of the owner's storage; SIZE_MAX unknown */
    bool *seen;      /* by buffer */
    struct VEC(const struct ir_buffer *) buffers; /* those that occur */
};

static uint32_t class_of(const struct slice *s, const struct ir_var *data)
{
    return data != NULL && data->id < s->nvars ? s->class_of[data->id]
                                               : (uint32_t)s->nvars;
}

static void note_buffer(struct owners *o, const struct ir_buffer *b)
{
    if (!o->seen[b->id]) {
        o->seen[b->id] = true;
        vec_push(&o->buffers, b);
    }
}

static void note_unit(struct owners *o, const struct ir_var *data,
                      struct dtype t)
{
    size_t *unit = &o->unit[class_of(o->s, data)];
    *unit = (size_t)int_gcd((int64_t)*unit, (int64_t)dtype_lane_bytes(t));
}

static void note_owner(struct owners *o, const struct ir_var *data,
                       size_t bytes)
{
    uint32_t c = class_of(o->s, data);
    if (data == NULL)
        return;
    if (o->owner[c] != 0 && o->owner[c] != data->id + 1)
        o->owner[c] = UINT32_MAX;
    else
        o->owner[c] = data->id + 1;
    if (o->bytes[c] == 0 || bytes == SIZE_MAX)
        o->bytes[c] = bytes;
    else if (bytes > o->bytes[c])
        o->bytes[c] = bytes;
}

static bool known_upto(struct slice *s, const struct ir_expr *e, size_t limit,
                       size_t *out)
{
    int64_t value;
    if (!slice_known(s, e, &value) || value < 0 || (uint64_t)value > limit)
        return false;
    *out = (size_t)value;
    return true;
}

/* Storage that a buffer takes; SIZE_MAX if that is not known before the run
 * or too much. */
static size_t buffer_bytes(struct slice *s, const struct ir_buffer *b)
{
    size_t limit = DC_MAX_BUFFER_BYTES, extent = 1, n;
    size_t bytes = dtype_lane_bytes(b->dtype) * b->dtype.lanes;
    if (b->dtype.scalable || b->auto_broadcast || bytes == 0 ||
        (b->nstrides != 0 && b->nstrides != b->rank))
        return SIZE_MAX;
    for (size_t k = 0; k < b->rank; k++) {
        size_t step;
        if (!known_upto(s, b->shape[k], limit, &n))
            return SIZE_MAX;
        if (b->nstrides != 0) {
            if (!known_upto(s, b->strides[k], limit / (n + 1), &step))
                return SIZE_MAX;
            extent += n > 0 ? (n - 1) * step : 0;
            continue;
        }
        if (n != 0 && extent > limit / n)
            return SIZE_MAX;
        extent *= n;
    }
    if (b->elem_offset != NULL) {
        if (!known_upto(s, b->elem_offset, limit, &n))
            return SIZE_MAX;
        extent += n;
    }
    return extent > limit / bytes ? SIZE_MAX : extent * bytes;
}

static void note_alloc(struct owners *o, const struct ir_buffer *b)
{
    note_unit(o, b->data, b->dtype);
    note_owner(o, b->data, buffer_bytes(o->s, b));
}

static void note_pointers(struct owners *o, const struct ir_expr *e)
{
    if (e->kind == IR_VAR_REF && dtype_is_handle(e->dtype))
        o->written[class_of(o->s, e->u.var)] = true;
    if (e->kind == IR_BUFFER_REF || e->kind == IR_LOAD)
        o->written[class_of(o->s, e->u.buffer->data)] = true;
    for (uint32_t i = 0; i < e->nargs; i++)
        note_pointers(o, e->args[i]);
}

static bool note_expr(void *user, struct ir_expr *e)
{
    struct owners *o = user;
    if (e->kind == IR_LOAD || e->kind == IR_BUFFER_REF) {
        note_unit(o, e->u.buffer->data, e->u.buffer->dtype);
        note_buffer(o, e->u.buffer);
    }
    if (e->kind != IR_CALL)
        return true;
    enum ir_op op = e->u.call.op;
    if (op == IR_OP_TVM_ACCESS_PTR && e->nargs == 5 &&
        e->args[1]->kind == IR_VAR_REF)
        note_unit(o, e->args[1]->u.var, e->args[0]->dtype);
    bool quiet = (ir_op_info(op)->flags & IR_OPF_PURE) != 0 ||
                 op == IR_OP_TVM_ACCESS_PTR || op == IR_OP_ADDRESS_OF;
    if (!quiet)
        note_pointers(o, e);
    return true;
}

static bool note_stmt(void *user, struct ir_stmt *stmt)
{
    struct owners *o = user;
    if (stmt->kind == IR_STORE) {
        const struct ir_buffer *b = stmt->u.store.buffer;
        note_unit(o, b->data, b->dtype);
        note_buffer(o, b);
        o->written[class_of(o->s, b->data)] = true;
    }
    if (stmt->kind == IR_ALLOC || stmt->kind == IR_ALLOC_CONST)
        note_alloc(o, stmt->u.alloc.buffer);
    if (stmt->kind == IR_DECL_BUFFER) {
        const struct ir_buffer *b = stmt->u.decl.buffer;
        note_unit(o, b->data, b->dtype);
        if (stmt->u.decl.value != NULL)
            o->s->decls[b->id] = stmt;
    }
    if (stmt->kind == IR_BLOCK) {
        const struct ir_block *b = stmt->u.block;
        for (size_t i = 0; i < b->nallocs; i++)
            note_alloc(o, b->allocs[i]);
        for (size_t i = 0; i < b->nmatches; i++) {
            note_unit(o, b->matches[i].buffer->data,
                      b->matches[i].buffer->dtype);
            o->s->matches[b->matches[i].buffer->id] = &b->matches[i];
        }
    }
    return true;
}

static void make_region(struct slice *s, const struct owners *o, size_t c)
{
    struct region *r = &s->regions[s->nregions++];
    s->region_of[c] = (uint32_t)s->nregions;
    r->unit = o->unit[c] > 0 ? o->unit[c] : 1;
    r->root = o->owner[c] - 1;
    r->coarse = o->owner[c] == 0 || o->owner[c] == UINT32_MAX ||
                o->bytes[c] == SIZE_MAX;
    size_t cells = r->coarse ? 0 : o->bytes[c] / r->unit;
    r->coarse = r->coarse || cells > MAX_CELLS - s->ncells;
    if (r->coarse)
        return;
    s->ncells += cells;
    cell_set_init(&r->set, cells);
}

void slice_find_regions(struct slice *s)
{
    struct machine *m = s->m;
    const struct ir_prim_func *prim = &m->func->prim;
    size_t n = s->nvars + 1;
    struct owners o = {.s = s,
                       .written = ARENA_ARRAY(s->arena, n, bool),
                       .owner = ARENA_ARRAY(s->arena, n, uint32_t),
                       .unit = ARENA_ARRAY(s->arena, n, size_t),
                       .bytes = ARENA_ARRAY(s->arena, n, size_t),
                       .seen = ARENA_ARRAY(s->arena, s->nbuffers + 1, bool)};
    struct ir_visitor visitor = {note_stmt, note_expr, &o};
    for (size_t i = 0; i < prim->nparams && i < m->nargs; i++) {
        const struct ir_param *p = &prim->params[i];
        if (m->param_allocs[i] == NULL)
            continue;
        const struct ir_var *data =
            p->buffer != NULL ? p->buffer->data : p->var;
        note_owner(&o, data, m->param_allocs[i]->size);
        note_unit(&o, data, m->param_allocs[i]->lane);
    }
    ir_visit_stmt(&visitor, prim->body);
    size_t count = 0;
    for (size_t c = 0; c < s->nvars; c++)
        count += o.written[c];
    s->regions = ARENA_ARRAY(s->arena, count + 1, struct region);
    s->region_of = ARENA_ARRAY(s->arena, n, uint32_t);
    for (size_t c = 0; c < s->nvars; c++)
        if (o.written[c])
            make_region(s, &o, c);
    s->nwords = s->nregions / 64 + 1;
    s->settling = true;
    for (size_t i = 0; i < o.buffers.len; i++)
        (void)slice_place(s, o.buffers.items[i]);
    s->settling = false;
    vec_fini(&o.buffers);
}

/* ---- statements --------------------------------------------------------------------- */

static size_t slot_of(const struct slice *s, const struct ir_stmt *stmt)
{
    size_t mask = s->cap - 1;
    size_t i = (size_t)hash_mix(0, (uint64_t)(uintptr_t)stmt) & mask;
    while (s->table[i] != NULL && s->table[i]->stmt != stmt)
        i = (i + 1) & mask;
    return i;
}

struct slice_stmt *slice_stmt_find(const struct slice *s,
                                   const struct ir_stmt *stmt)
{
    return s->cap != 0 ? s->table[slot_of(s, stmt)] : NULL;
}

static void grow_table(struct slice *s)
{
    struct slice_stmt **old = s->table;
    size_t n = s->cap;
    s->cap = n != 0 ? 2 * n : 256;
    s->table = ARENA_ARRAY(s->arena, s->cap, struct slice_stmt *);
    for (size_t i = 0; i < n; i++)
        if (old[i] != NULL)
            s->table[slot_of(s, old[i]->stmt)] = old[i];
}

static struct slice_stmt *add_stmt(struct slice *s, const struct ir_stmt *stmt,
                                   struct slice_stmt *parent)
{
    if (2 * (s->nstmts + 1) > s->cap)
        grow_table(s);
    size_t slot = slot_of(s, stmt);
    if (s->table[slot] != NULL) {
        s->shared = true; /* one statement in two places: not analysed */
        return s->table[slot];
    }
    struct slice_stmt *n = ARENA_NEW(s->arena, struct slice_stmt);
    n->stmt = stmt;
    n->parent = parent;
    n->stores = ARENA_ARRAY(s->arena, s->nwords, uint64_t);
    n->idle_lo = 1;
    s->table[slot] = n;
    s->nstmts++;
    if (parent != NULL)
        n->flags |= parent->flags & SLICE_BELOW;
    return n;
}

static bool is_sync(const void *user, const struct ir_expr *e)
{
    (void)user;
    if (e->kind != IR_CALL)
        return false;
    enum ir_op op = e->u.call.op;
    return (ir_op_info(op)->flags & IR_OPF_SYNC) != 0 || op == IR_OP_UNKNOWN ||
           op == IR_OP_GLOBAL || op == IR_OP_FILL_FRAGMENT ||
           op == IR_OP_LOAD_MATRIX_SYNC || op == IR_OP_STORE_MATRIX_SYNC ||
           op == IR_OP_MMA_SYNC || op == IR_OP_BMMA_SYNC ||
           op == IR_OP_MMA_STORE || op == IR_OP_MMA_FILL ||
           op == IR_OP_PTX_CP_ASYNC || op == IR_OP_PTX_CP_ASYNC_BULK;
}

static bool leaves_function(const struct ir_expr *e)
{
    return e->kind == IR_CALL &&
           (e->u.call.op == IR_OP_THREAD_RETURN || e->u.call.op == IR_OP_RET);
}

static void scan(struct slice *s, const struct ir_stmt *stmt,
                 struct slice_stmt *parent, bool nested);

struct inside {
    struct slice *s;
    struct slice_stmt *n;
    bool nested;
};

static bool scan_expr(void *user, struct ir_expr *e)
{
    struct inside *x = user;
    if (slice_call_writes(x->s, e, x->n->stores))
        x->n->flags |= SLICE_WRITES;
    if (ir_expr_any(e, is_sync, NULL))
        x->n->flags |= SLICE_SYNC;
    if (leaves_function(e))
        x->s->returns = true;
    return false;
}

static bool scan_stmt(void *user, struct ir_stmt *stmt)
{
    const struct inside *x = user;
    scan(x->s, stmt, x->n, x->nested);
    return false;
}

/* Whether no other variable leads to the storage. */
static bool is_only_name(const struct slice *s, const struct ir_var *data)
{
    size_t n = 0;
    for (size_t v = 0; v < s->nvars; v++)
        n += s->class_of[v] == class_of(s, data);
    return n == 1;
}

/* A register that a profile put around a loop (interp/replay/): its storage is
 * fresh each time and gone after the sequence, so that what is stored there is
 * wanted exactly if something else in the sequence is. The sequence runs whole
 * or not at all. */
static void scan_registers(struct slice *s, struct slice_stmt *n)
{
    for (size_t i = 0; i < n->stmt->u.seq.n; i++) {
        const struct ir_stmt *t = n->stmt->u.seq.items[i];
        if (t->kind != IR_ALLOC || (n->flags & (SLICE_SYNC | SLICE_GRID)))
            continue;
        const struct ir_buffer *b = t->u.alloc.buffer;
        struct region *r = slice_region(s, b->data);
        if (r == NULL || b->rank != 1 || strcmp(b->scope, "local") != 0 ||
            !is_only_name(s, b->data))
            continue;
        r->own = true;
        n->flags |= SLICE_ATOMIC;
    }
}

/* Own expressions and children; `nested` = inside a loop or a condition,
 * where a return cuts something short. */
static void scan_inside(struct slice *s, struct slice_stmt *n, bool nested)
{
    const struct ir_stmt *t = n->stmt;
    bool turns = t->kind == IR_FOR || t->kind == IR_WHILE || t->kind == IR_IF;
    struct inside x = {s, n, nested || turns};
    struct ir_visitor v = {scan_stmt, scan_expr, &x};
    if (t->kind == IR_WHILE)
        n->flags |= SLICE_ATOMIC;
    if (t->kind == IR_DECL_BUFFER)
        v.expr = NULL; /* a name for storage writes nothing */
    if (t->kind == IR_ATTR && strncmp(t->u.attr.key, "async_", 6) == 0)
        n->flags |= SLICE_SYNC; /* groups of copies are counted */
    if (t->kind == IR_BREAK || t->kind == IR_CONTINUE)
        n->flags |= SLICE_ESCAPES;
    if (t->kind == IR_RETURN)
        s->returns = s->returns || nested;
    if (t->kind == IR_STORE) {
        struct region *r = slice_region(s, t->u.store.buffer->data);
        size_t k = r != NULL ? (size_t)(r - s->regions) : 0;
        if (r != NULL)
            n->stores[k / 64] |= UINT64_C(1) << (k % 64);
    }
    ir_visit_below(&v, t);
    if (t->kind == IR_SEQ && n->parent != NULL && s->m->options.profile != NULL)
        scan_registers(s, n);
}

static bool binds_block(const struct ir_stmt *stmt)
{
    const char *tag;
    return ir_thread_var(stmt, &tag) != NULL && tag[0] == 'b';
}

/* A loop out of which a break may go. */
static bool catches(const struct ir_stmt *stmt)
{
    return stmt->kind == IR_FOR || stmt->kind == IR_WHILE;
}

static void scan(struct slice *s, const struct ir_stmt *stmt,
                 struct slice_stmt *parent, bool nested)
{
    struct slice_stmt *n = add_stmt(s, stmt, parent);
    if (n->parent != parent)
        return;
    const struct ir_plan_info *info = ir_plan_info(s->m->frame->plan, stmt);
    if (info != NULL && info->lockstep)
        n->flags |= SLICE_LOCK;
    if (info != NULL && info->reduction != NULL)
        n->flags |= SLICE_ATOMIC;
    if (stmt->kind == IR_BIND || stmt->kind == IR_ALLOC ||
        stmt->kind == IR_ALLOC_CONST || stmt->kind == IR_DECL_BUFFER ||
        stmt->kind == IR_ASSERT || stmt->kind == IR_RETURN ||
        stmt->kind == IR_BREAK || stmt->kind == IR_CONTINUE)
        n->flags |= SLICE_FIXED;
    unsigned below = n->flags & SLICE_BELOW;
    if (binds_block(stmt))
        n->flags |= SLICE_GRID;
    else if (ir_thread_axis(stmt, NULL))
        n->flags |= SLICE_BELOW; /* for the children to inherit */
    scan_inside(s, n, nested);
    n->flags = (n->flags & ~(unsigned)SLICE_BELOW) | below;
    if ((n->flags & SLICE_ESCAPES) && catches(stmt)) {
        n->flags &= ~(unsigned)SLICE_ESCAPES;
        n->flags |= SLICE_ATOMIC;
    }
    if (stmt->kind == IR_EVALUATE && !(n->flags & SLICE_WRITES))
        n->flags |= SLICE_FIXED;
    if (parent == NULL)
        return;
    parent->flags |= n->flags & (SLICE_SYNC | SLICE_ESCAPES | SLICE_GRID);
    for (size_t i = 0; i < s->nwords; i++)
        parent->stores[i] |= n->stores[i];
}

/* What depends on the statements around, once all flags are known. */
static void inherit(struct slice_stmt *n)
{
    bool in_grid = false;
    for (const struct slice_stmt *p = n->parent; p != NULL; p = p->parent) {
        if (p->flags & SLICE_ATOMIC)
            n->flags |= SLICE_INSIDE;
        in_grid = in_grid || binds_block(p->stmt);
    }
    if (in_grid && !(n->flags & SLICE_GRID) && !binds_block(n->parent->stmt))
        n->flags |= SLICE_BELOW;
}

void slice_scan(struct slice *s)
{
    scan(s, s->m->func->prim.body, NULL, false);
    for (size_t i = 0; i < s->cap; i++)
        if (s->table[i] != NULL)
            inherit(s->table[i]);
}
