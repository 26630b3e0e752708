/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls that store: tiles of a warp (wmma), atomic additions.
 *
 * A fragment holds tile `index` at index * rows * columns, row-major; a warp's
 * first thread does what the warp does together. A product of tiles sums exact
 * products in no order: one sum of many operands.
 */
#include "verifier/enumerate/enum_race.h"
#include "verifier/enumerate/enum_slice.h"

#include <string.h>

#define MAX_SIDE 64

enum role { TO_FRAGMENT, TO_MEMORY, PRODUCT, ATOMIC, NONE };

static enum role role_of(const struct ir_expr *e)
{
    if (e->kind != IR_CALL)
        return NONE;
    switch ((int)e->u.call.op) {
    case IR_OP_FILL_FRAGMENT:
    case IR_OP_LOAD_MATRIX_SYNC: return TO_FRAGMENT;
    case IR_OP_STORE_MATRIX_SYNC: return TO_MEMORY;
    case IR_OP_MMA_SYNC: return PRODUCT;
    case IR_OP_ATOMIC_ADD: return ATOMIC;
    default: return NONE;
    }
}

bool enum_is_effect(const struct ir_expr *e)
{
    return role_of(e) != NONE;
}

bool enum_is_warp_effect(const struct ir_expr *e)
{
    return role_of(e) != NONE && role_of(e) != ATOMIC;
}

/* ---- pointers --------------------------------------------------------------- */

/* What a pointer leads to: a variable and a number of elements, or an element
 * of a buffer. */
struct target {
    const struct ir_var *data;
    const struct ir_expr *offset; /* NULL: 0 */
    const struct ir_expr *type; /* its type is that of the elements; or NULL */
    const struct ir_expr *load; /* NULL, or in place of the above */
};

static bool target_of(const struct ir_expr *e, struct target *out)
{
    memset(out, 0, sizeof *out);
    if (e->kind == IR_CALL && e->u.call.op == IR_OP_ADDRESS_OF &&
        e->nargs == 1 && e->args[0]->kind == IR_LOAD) {
        out->load = e->args[0];
        out->data = out->load->u.buffer->data;
        return true;
    }
    if (e->kind == IR_CALL && e->u.call.op == IR_OP_TVM_ACCESS_PTR) {
        out->type = e->args[0];
        out->offset = e->args[2];
        e = e->args[1];
    }
    if (e->kind == IR_CALL && e->u.call.op == IR_OP_BUFFER_DATA &&
        e->nargs == 1)
        e = e->args[0];
    out->data = e->kind == IR_VAR_REF      ? e->u.var
                : e->kind == IR_BUFFER_REF ? e->u.buffer->data
                                           : NULL;
    return out->data != NULL;
}

static struct enum_storage *storage_at(struct enum_machine *m,
                                       const struct target *t)
{
    struct enum_storage *s = m->storage_of[t->data->id];
    return s != NULL &&
                   (t->type == NULL || dtype_equal(t->type->dtype, s->dtype))
               ? s
               : NULL;
}

static bool point(struct enum_machine *m, const struct enum_lane *thread,
                  const struct ir_expr *e, struct enum_storage **storage,
                  int64_t *place)
{
    struct target t;
    *place = 0;
    if (!target_of(e, &t) || (*storage = storage_at(m, &t)) == NULL)
        return enum_stop(m, ENUM_STOPPED, "a pointer that is not known");
    if (t.load != NULL)
        return enum_place(m, thread, t.load->u.buffer, t.load->nargs,
                          t.load->args, 0, storage, place);
    return t.offset == NULL || enum_int(m, thread, t.offset, 0, place);
}

/* ---- cells that a call stores to --------------------------------------------- */

struct cells {
    struct enum_machine *m;
    const struct enum_lane *thread;
    struct enum_storage *storage;
    bool atomic;
    size_t n;
    int64_t places[MAX_SIDE * MAX_SIDE];
    enum_id holes[MAX_SIDE * MAX_SIDE]; /* of a slice; NONE: not needed */
    enum_id values[MAX_SIDE * MAX_SIDE];
};

static struct cells *cells_new(struct enum_machine *m,
                               const struct enum_lane *thread,
                               struct enum_storage *storage)
{
    struct cells *c = dc_alloc(sizeof *c);
    c->m = m;
    c->thread = thread;
    c->storage = storage;
    return c;
}

static bool inside(struct enum_machine *m, const struct enum_storage *s,
                   int64_t place)
{
    return (place >= 0 && place < s->n) ||
           enum_stop(m, ENUM_FAULT, "a tile reaches outside its storage");
}

static bool add_cell(struct cells *c, int64_t place)
{
    if (!inside(c->m, c->storage, place))
        return false;
    c->holes[c->n] = 0;
    c->places[c->n++] = place;
    return true;
}

/* Before the values: what they are wanted for. */
static void take_cells(struct cells *c)
{
    for (size_t i = 0; i < c->n && c->m->slice != NULL; i++)
        c->holes[i] =
            enum_slice_take(c->m, c->thread, c->storage, c->places[i]);
}

static bool is_wanted(const struct cells *c, size_t i)
{
    return c->holes[i] != ENUM_NONE;
}

static bool give_cells(struct cells *c)
{
    for (size_t i = 0; i < c->n && c->m->end == ENUM_RAN; i++) {
        if (!is_wanted(c, i))
            continue;
        if (c->m->slice != NULL) {
            enum_slice_fill(c->m, c->holes[i], c->values[i]);
            continue;
        }
        enum_id *held = enum_held(c->thread, c->storage, c->places[i]);
        *held = c->values[i];
        (void)enum_race_write(c->m, c->thread, c->storage,
                              (size_t)(held - c->storage->cells), *held,
                              c->atomic);
    }
    c->storage->stored = true;
    return c->m->end == ENUM_RAN;
}

static enum_id cell(struct enum_machine *m, const struct enum_lane *thread,
                    struct enum_storage *s, int64_t place)
{
    return inside(m, s, place) ? enum_read(m, thread, s, place) : ENUM_NONE;
}

/* ---- tiles ------------------------------------------------------------------ */

struct tile {
    struct enum_storage *storage;
    int64_t at, rows, columns;
};

/* The sides of all tiles of a function: m, n, k. */
struct sides {
    int64_t side[3];
    bool several;
};

static bool see_sides(void *user, struct ir_expr *e)
{
    struct sides *s = user;
    if (role_of(e) != TO_FRAGMENT && role_of(e) != TO_MEMORY)
        return true;
    for (size_t i = 0; i < 3; i++) {
        int64_t k;
        if (!ir_const_int(e->args[1 + i], &k) || k < 1 || k > MAX_SIDE ||
            (s->side[i] != 0 && s->side[i] != k))
            s->several = true;
        else
            s->side[i] = k;
    }
    return true;
}

static bool find_sides(struct enum_machine *m)
{
    struct sides s = {{0}, false};
    struct ir_visitor v = {.expr = see_sides, .user = &s};
    if (m->tile[0] == 0) {
        ir_visit_stmt(&v, m->func->prim.body);
        if (s.several || s.side[0] == 0)
            return enum_stop(m, ENUM_STOPPED, "tiles of several sizes");
        memcpy(m->tile, s.side, sizeof m->tile);
    }
    return true;
}

static void set_shape(const struct enum_machine *m, struct tile *t)
{
    const char *scope = t->storage->scope_name;
    t->rows = m->tile[strstr(scope, "matrix_b") != NULL ? 2 : 0];
    t->columns = m->tile[strstr(scope, "matrix_a") != NULL ? 2 : 1];
}

static bool fragment(struct enum_machine *m, const struct enum_lane *thread,
                     const struct ir_expr *pointer, const struct ir_expr *index,
                     struct tile *t)
{
    int64_t k;
    if (!find_sides(m) || !point(m, thread, pointer, &t->storage, &t->at) ||
        !enum_int(m, thread, index, 0, &k))
        return false;
    if (t->storage->scope != ENUM_WARP)
        return enum_stop(m, ENUM_STOPPED, "a tile outside of fragments");
    set_shape(m, t);
    t->at += k * t->rows * t->columns;
    return true;
}

static bool tile_cells(struct cells *c, const struct tile *t)
{
    for (int64_t i = 0; i < t->rows * t->columns; i++)
        if (!add_cell(c, t->at + i))
            return false;
    take_cells(c);
    return true;
}

static bool fill(struct enum_machine *m, const struct enum_lane *thread,
                 const struct ir_expr *e)
{
    struct tile t;
    if (!fragment(m, thread, e->args[0], e->args[4], &t))
        return false;
    struct ir_expr cast = {.kind = IR_CAST};
    bool fault = false;
    enum_id value = enum_eval(m, thread, e->args[5], 0);
    if (value == ENUM_NONE)
        return false;
    value = enum_op(m->t, &cast, t.storage->dtype, 1, &value, &fault);
    struct cells *c = cells_new(m, thread, t.storage);
    bool fine = tile_cells(c, &t);
    for (size_t i = 0; i < c->n; i++)
        c->values[i] = value;
    fine = fine && give_cells(c);
    dc_release(c);
    return fine;
}

/* Between a fragment and memory. */
struct move {
    struct tile tile;
    struct enum_storage *memory;
    int64_t at, by_row, by_column;
};

static bool read_move(struct enum_machine *m, const struct enum_lane *thread,
                      const struct ir_expr *e, struct move *v)
{
    int64_t stride;
    bool rows;
    if (!ir_call_layout(e, 7, &rows))
        return enum_stop(m, ENUM_STOPPED, "a tile's layout");
    if (!fragment(m, thread, e->args[0], e->args[4], &v->tile) ||
        !point(m, thread, e->args[5], &v->memory, &v->at) ||
        !enum_int(m, thread, e->args[6], 0, &stride))
        return false;
    if (stride < 0)
        return enum_stop(m, ENUM_FAULT, "a tile's rows go backwards");
    if (!dtype_equal(v->memory->dtype, v->tile.storage->dtype))
        return enum_stop(m, ENUM_STOPPED, "a tile of another type");
    v->by_row = rows ? stride : 1;
    v->by_column = rows ? 1 : stride;
    return true;
}

static bool move(struct enum_machine *m, const struct enum_lane *thread,
                 const struct ir_expr *e, bool to_memory)
{
    struct move v;
    if (!read_move(m, thread, e, &v))
        return false;
    const struct tile *t = &v.tile;
    struct cells *c = cells_new(m, thread, to_memory ? v.memory : t->storage);
    bool fine = true;
    for (int64_t i = 0; i < t->rows * t->columns && fine; i++)
        fine = add_cell(c, to_memory ? v.at + i / t->columns * v.by_row +
                                           i % t->columns * v.by_column
                                     : t->at + i);
    if (fine)
        take_cells(c);
    for (int64_t i = 0; i < t->rows * t->columns && fine; i++) {
        if (!is_wanted(c, (size_t)i))
            continue;
        c->values[i] = to_memory ? cell(m, thread, t->storage, t->at + i)
                                 : cell(m, thread, v.memory,
                                        v.at + i / t->columns * v.by_row +
                                            i % t->columns * v.by_column);
        fine = c->values[i] != ENUM_NONE;
    }
    fine = fine && give_cells(c);
    dc_release(c);
    return fine;
}

/* Element (i, j) of A x B + C, in the type of C. */
static enum_id product(struct enum_machine *m, const struct enum_lane *thread,
                       const struct tile t[4], int64_t i, int64_t j)
{
    enum_id terms[MAX_SIDE + 1];
    struct dtype d = t[0].storage->dtype;
    struct ir_expr cast = {.kind = IR_CAST}, mul = {.kind = IR_MUL};
    struct ir_expr add = {.kind = IR_ADD};
    bool fault = false;
    uint32_t n = 0;
    terms[n++] = cell(m, thread, t[3].storage, t[3].at + i * t[3].columns + j);
    for (int64_t k = 0; k < t[1].columns && m->end == ENUM_RAN; k++) {
        enum_id ab[2] = {
            cell(m, thread, t[1].storage, t[1].at + i * t[1].columns + k),
            cell(m, thread, t[2].storage, t[2].at + k * t[2].columns + j)};
        if (m->end != ENUM_RAN)
            break;
        for (size_t s = 0; s < 2; s++)
            ab[s] = enum_op(m->t, &cast, d, 1, &ab[s], &fault);
        terms[n++] = enum_op(m->t, &mul, d, 2, ab, &fault);
    }
    return m->end == ENUM_RAN ? enum_op(m->t, &add, d, n, terms, &fault)
                              : ENUM_NONE;
}

static bool multiply(struct enum_machine *m, const struct enum_lane *thread,
                     const struct ir_expr *e)
{
    struct tile t[4];
    for (size_t i = 0; i < 4; i++)
        if (!fragment(m, thread, e->args[2 * i], e->args[2 * i + 1], &t[i]))
            return false;
    struct dtype d = t[0].storage->dtype;
    if (!dtype_equal(d, t[3].storage->dtype) || t[1].columns != t[2].rows ||
        t[0].rows != t[1].rows || t[0].columns != t[2].columns ||
        t[3].rows != t[0].rows || t[3].columns != t[0].columns ||
        dtype_is_float(t[1].storage->dtype) != dtype_is_float(d) ||
        dtype_is_float(t[2].storage->dtype) != dtype_is_float(d))
        return enum_stop(m, ENUM_STOPPED, "a product of other tiles");
    struct cells *c = cells_new(m, thread, t[0].storage);
    bool fine = tile_cells(c, &t[0]);
    uint64_t work = (uint64_t)(t[1].columns * 4);
    for (size_t i = 0; i < c->n && fine; i++) {
        if (!is_wanted(c, i))
            continue;
        m->steps = m->steps > work ? m->steps - work : 0;
        c->values[i] = product(m, thread, t, (int64_t)i / t[0].columns,
                               (int64_t)i % t[0].columns);
        fine = c->values[i] != ENUM_NONE;
    }
    fine = fine && give_cells(c);
    dc_release(c);
    return fine;
}

static bool add_atomically(struct enum_machine *m,
                           const struct enum_lane *thread,
                           const struct ir_expr *e)
{
    struct enum_storage *s;
    struct ir_expr add = {.kind = IR_ADD};
    int64_t place;
    bool fault = false;
    if (!point(m, thread, e->args[0], &s, &place))
        return false;
    if (dtype_is_float(s->dtype)) /* the order is not known */
        return enum_stop(m, ENUM_STOPPED, "an atomic sum of floats");
    if (!dtype_equal(s->dtype, e->args[1]->dtype))
        return enum_stop(m, ENUM_STOPPED, "an atomic sum of another type");
    struct cells *c = cells_new(m, thread, s);
    bool fine = add_cell(c, place);
    c->atomic = true;
    if (fine)
        take_cells(c);
    if (fine && is_wanted(c, 0)) {
        enum_id ab[2] = {m->slice != NULL ? cell(m, thread, s, place)
                                          : *enum_held(thread, s, place),
                         enum_eval(m, thread, e->args[1], 0)};
        fine = ab[0] != ENUM_NONE && ab[1] != ENUM_NONE;
        if (fine)
            c->values[0] = enum_op(m->t, &add, s->dtype, 2, ab, &fault);
    }
    fine = fine && give_cells(c);
    dc_release(c);
    return fine;
}

/* ---- for statements --------------------------------------------------------- */

/* Whether the thread does it: the first of its warp does what all do. */
static bool is_leader(const struct enum_machine *m,
                      const struct enum_lane *thread, const struct ir_expr *e)
{
    return role_of(e) == ATOMIC || m->threads_per_block == 1 ||
           thread->index % ENUM_WARP_SIZE == 0;
}

/* Whether an operand of a warp's operation is in a thread what it is in the
 * first one of its warp (R25). */
static bool same_operand(struct enum_machine *m, const struct enum_lane *thread,
                         const struct ir_expr *e)
{
    if (e->kind == IR_STRING_IMM || e->kind == IR_BUFFER_REF ||
        (e->kind == IR_VAR_REF && dtype_is_handle(e->dtype)))
        return true;
    if (dtype_is_handle(e->dtype) || e->kind == IR_LOAD) {
        for (uint32_t i = 0; i < e->nargs; i++)
            if (!same_operand(m, thread, e->args[i]))
                return false;
        return true;
    }
    if (e->kind == IR_CALL && e->u.call.op == IR_OP_TYPE_ANNOTATION)
        return true;
    int64_t first = thread->index / ENUM_WARP_SIZE * ENUM_WARP_SIZE;
    enum_id mine = enum_eval(m, thread, e, 0);
    return mine != ENUM_NONE &&
           (mine == enum_eval(m, &m->lanes[first], e, 0) ||
            enum_stop(m, ENUM_FAULT,
                      "threads of a warp give an operation of "
                      "the warp other operands"));
}

bool enum_effect(struct enum_machine *m, const struct enum_lane *thread,
                 const struct ir_expr *e)
{
    if (!is_leader(m, thread, e)) {
        for (uint32_t i = 0; m->races != NULL && i < e->nargs; i++)
            if (!same_operand(m, thread, e->args[i]))
                return false;
        return true;
    }
    if (m->steps == 0)
        return enum_stop(m, ENUM_LARGE, "too large");
    m->steps--;
    switch (role_of(e)) {
    case TO_FRAGMENT:
        return e->u.call.op == IR_OP_FILL_FRAGMENT ? fill(m, thread, e)
                                                   : move(m, thread, e, false);
    case TO_MEMORY: return move(m, thread, e, true);
    case PRODUCT: return multiply(m, thread, e);
    case ATOMIC: return add_atomically(m, thread, e);
    case NONE: break;
    }
    return false;
}

bool enum_effect_touches(struct enum_machine *m, const struct enum_lane *thread,
                         const struct ir_expr *e)
{
    struct target t;
    enum role role = role_of(e);
    bool memory = role == TO_MEMORY;
    struct enum_span place, index, far;
    int64_t stride;
    if (thread != NULL && !is_leader(m, thread, e))
        return false;
    if (role != ATOMIC && !find_sides(m))
        return true;
    if (!target_of(e->args[memory ? 5 : 0], &t))
        return true;
    struct enum_storage *s = m->storage_of[t.data->id];
    if (s == NULL)
        return false;
    place = t.load != NULL     ? enum_slice_access(m, thread, t.load->u.buffer,
                                                   t.load->nargs, t.load->args)
            : t.offset != NULL ? enum_slice_span(m, thread, t.offset)
                               : enum_span_number(0);
    if (memory) {
        index = enum_slice_span(m, thread, e->args[6]);
        if (!enum_span_is_number(&index, &stride))
            return true;
        for (int i = 0; i < 2; i++) {
            far = enum_span_range(0, m->tile[i] - 1, 1);
            bool by_stride = (i == 0) == (e->args[7]->kind == IR_STRING_IMM &&
                                          strcmp(e->args[7]->u.string.text,
                                                 "row_major") == 0);
            far = enum_span_scale(&far, by_stride ? stride : 1);
            place = enum_span_add(&place, &far);
        }
    } else if (role != ATOMIC) {
        struct tile tile = {.storage = s};
        set_shape(m, &tile);
        index = enum_slice_span(m, thread, e->args[role == PRODUCT ? 1 : 4]);
        index = enum_span_scale(&index, tile.rows * tile.columns);
        far = enum_span_range(0, tile.rows * tile.columns - 1, 1);
        place = enum_span_add(&place, &index);
        place = enum_span_add(&place, &far);
    }
    return enum_slice_meets(m, thread, s, &place);
}
