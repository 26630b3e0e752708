/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix instructions, as loops of one warp: wmma and Metal's on whole tiles
 * (R26: tile `index` at index * rows * columns, row-major), PTX's on the
 * registers of 32 lanes. Sums run in the interpreter's order: products are
 * exact (fma), k ascends, from the accumulator's value, in its type.
 */
#include "diff/emit/emit_private.h"

#include <string.h>

/* ---- tiles ---------------------------------------------------------------------------- */

struct tile {
    const char *name; /* C pointer to element (0, 0) */
    struct dtype type;
    int64_t rows, columns;
};

struct shape {
    int64_t m, n, k;
};

const struct ir_var *emit_pointer_root(const struct ir_expr *e)
{
    if (e->kind == IR_VAR_REF)
        return e->u.var;
    if (e->kind == IR_BUFFER_REF || e->kind == IR_LOAD)
        return e->u.buffer->data;
    if (e->kind == IR_CALL && e->u.call.op == IR_OP_TVM_ACCESS_PTR &&
        e->nargs == 5)
        return emit_pointer_root(e->args[1]);
    if ((e->kind == IR_CALL || e->kind == IR_CAST) && e->nargs > 0)
        return emit_pointer_root(e->args[0]);
    return NULL;
}

static const char *scope_of(const struct ir_expr *e)
{
    const struct ir_var *v = emit_pointer_root(e);
    if (e->kind == IR_BUFFER_REF || e->kind == IR_LOAD)
        return e->u.buffer->scope;
    if (v == NULL)
        return "";
    const char *scope = v->owner != NULL  ? v->owner->scope
                        : v->type != NULL ? v->type->scope
                                          : NULL;
    return scope != NULL ? scope : "";
}

enum place emit_storage_of(const struct ir_expr *pointer)
{
    return emit_place_of(scope_of(pointer));
}

bool emit_is_warp_storage(const struct ir_expr *pointer)
{
    return emit_storage_of(pointer) == PLACE_WARP;
}

struct shape_search {
    const struct emitter *em;
    uint32_t class;
    struct shape shape;
    bool found;
};

static bool const_shape(const struct ir_expr *call, uint32_t m, uint32_t n,
                        uint32_t k, struct shape *out)
{
    return ir_const_int(call->args[m], &out->m) &&
           ir_const_int(call->args[n], &out->n) &&
           ir_const_int(call->args[k], &out->k);
}

/* Calls that say the shape of a fragment's tiles. */
static bool look_shape(void *user, struct ir_expr *e)
{
    struct shape_search *s = user;
    if (e->kind != IR_CALL || s->found || e->nargs < 5)
        return !s->found;
    enum ir_op op = e->u.call.op;
    bool wmma = op == IR_OP_FILL_FRAGMENT || op == IR_OP_LOAD_MATRIX_SYNC ||
                op == IR_OP_STORE_MATRIX_SYNC;
    bool metal = op == IR_OP_MAKE_FILLED_SIMDGROUP ||
                 op == IR_OP_SIMDGROUP_LOAD || op == IR_OP_SIMDGROUP_STORE;
    uint32_t columns = op == IR_OP_MAKE_FILLED_SIMDGROUP ? 3 : 4;
    const struct ir_var *v =
        wmma || metal ? emit_pointer_root(e->args[0]) : NULL;
    if (v == NULL || s->em->plan->class_of[v->id] != s->class)
        return true;
    if (metal && e->nargs > columns + 1)
        s->found = const_shape(e, columns + 1, columns, columns, &s->shape);
    else if (wmma)
        s->found = const_shape(e, 1, 2, 3, &s->shape);
    return !s->found;
}

/* Of the first operand of a multiplication for which some call says it. */
static bool find_shape(struct emitter *em, const struct ir_expr *call,
                       struct shape *out)
{
    for (uint32_t i = 0; i < 4; i++) {
        const struct ir_var *v = emit_pointer_root(call->args[2 * i]);
        struct shape_search s = {.em = em};
        struct ir_visitor visitor = {NULL, look_shape, &s};
        if (v == NULL)
            continue;
        s.class = em->plan->class_of[v->id];
        ir_visit_stmt(&visitor, em->f->prim.body);
        *out = s.shape;
        if (s.found)
            return true;
    }
    return emit_refuse(em, "'%s' on tiles of no known shape",
                       call->u.call.name);
}

/* Declares a pointer to the tile in front of the loops. */
static void put_tile(struct emitter *em, const struct ir_expr *pointer,
                     const struct ir_expr *index, struct tile *t,
                     const char *hint)
{
    t->type = emit_pointer_elem(em, pointer);
    if (t->type.code == DT_VOID) {
        emit_refuse(em, "a fragment of unknown type");
        return;
    }
    t->name = emit_name_make(em, hint);
    const char *at = emit_index_text(em, index, PREC_MUL);
    const char *space = emit_space_of(em, pointer);
    emit_line(em, "%s%s *const %s = (%s%s *)%s + %s * %lld;", space,
              emit_alias_name(em, t->type), t->name, space,
              emit_alias_name(em, t->type), emit_pointer_text(em, pointer), at,
              (long long)(t->rows * t->columns));
}

static void tile_shape(const struct ir_expr *pointer, const struct shape *s,
                       struct tile *t)
{
    const char *scope = scope_of(pointer);
    bool a = strstr(scope, "matrix_a") != NULL;
    bool b = strstr(scope, "matrix_b") != NULL;
    t->rows = b ? s->k : s->m;
    t->columns = a ? s->k : s->n;
}

static void loops_open(struct emitter *em, int64_t rows, int64_t columns)
{
    emit_line(em, "for (int ti = 0; ti < %lld; ti++)", (long long)rows);
    em->indent++;
    emit_open_brace(em, "for (int tj = 0; tj < %lld; tj++)",
                    (long long)columns);
}

static void loops_close(struct emitter *em)
{
    emit_close_brace(em);
    em->indent--;
}

static void put_fill(struct emitter *em, const struct ir_expr *call,
                     const struct shape *s, uint32_t index, uint32_t value)
{
    struct tile t;
    tile_shape(call->args[0], s, &t);
    put_tile(em, call->args[0], call->args[index], &t, "tile");
    const struct ir_expr *x = call->args[value];
    const char *text =
        emit_cast_text(em, x->dtype, t.type, emit_expr_text(em, x, PREC_UNARY));
    loops_open(em, t.rows, t.columns);
    emit_line(em, "%s[ti * %lld + tj] = %s;", t.name, (long long)t.columns,
              text);
    loops_close(em);
}

static void put_move(struct emitter *em, const struct ir_expr *call,
                     const struct shape *s, uint32_t index, uint32_t pointer,
                     bool row_major, bool in)
{
    struct tile t;
    struct dtype other = emit_pointer_elem(em, call->args[pointer]);
    tile_shape(call->args[0], s, &t);
    put_tile(em, call->args[0], call->args[index], &t, "tile");
    if (em->failed)
        return;
    if (!dtype_equal(other, t.type)) {
        emit_refuse(em, "'%s' between different types", call->u.call.name);
        return;
    }
    const char *memory = emit_name_make(em, "memory");
    const char *stride = emit_name_make(em, "stride");
    const char *space = emit_space_of(em, call->args[pointer]);
    emit_line(em, "%s%s *const %s = (%s%s *)%s;", space,
              emit_alias_name(em, other), memory, space,
              emit_alias_name(em, other),
              emit_pointer_text(em, call->args[pointer]));
    emit_line(em, "const int64_t %s = %s;", stride,
              emit_index_text(em, call->args[pointer + 1], PREC_ANY));
    const char *tile = emit_text_printf(em, "%s[ti * %lld + tj]", t.name,
                                        (long long)t.columns);
    const char *place =
        row_major ? emit_text_printf(em, "%s[ti * %s + tj]", memory, stride)
                  : emit_text_printf(em, "%s[tj * %s + ti]", memory, stride);
    loops_open(em, t.rows, t.columns);
    emit_line(em, "%s = %s;", in ? tile : place, in ? place : tile);
    loops_close(em);
}

static void put_multiply(struct emitter *em, const struct ir_expr *call)
{
    struct tile t[4];
    struct shape s = {0, 0, 0};
    if (!find_shape(em, call, &s))
        return;
    t[0].rows = t[3].rows = t[1].rows = s.m;
    t[0].columns = t[3].columns = t[2].columns = s.n;
    t[1].columns = t[2].rows = s.k;
    static const char *const names[] = {"d", "a", "b", "c"};
    for (uint32_t i = 0; i < 4; i++)
        put_tile(em, call->args[2 * i], call->args[2 * i + 1], &t[i], names[i]);
    if (em->failed)
        return;
    struct dtype d = t[0].type;
    bool fits = dtype_equal(d, t[3].type) && dtype_has_arithmetic(d) &&
                dtype_is_float(t[1].type) == dtype_is_float(d) &&
                dtype_is_float(t[2].type) == dtype_is_float(d);
    if (!fits) {
        emit_refuse(em, "'%s' on fragments of these types", call->u.call.name);
        return;
    }
    const char *a = emit_text_printf(em, "%s[ti * %lld + tk]", t[1].name,
                                     (long long)t[1].columns);
    const char *b = emit_text_printf(em, "%s[tk * %lld + tj]", t[2].name,
                                     (long long)t[2].columns);
    loops_open(em, s.m, s.n);
    emit_line(em, "%s tile_sum = %s[ti * %lld + tj];", emit_type_name(em, d),
              t[3].name, (long long)s.n);
    emit_line(em, "for (int tk = 0; tk < %lld; tk++)", (long long)s.k);
    emit_line(em, "    tile_sum = %s;",
              emit_fma_text(em, d, emit_cast_text(em, t[1].type, d, a),
                            emit_cast_text(em, t[2].type, d, b), "tile_sum"));
    emit_line(em, "%s[ti * %lld + tj] = tile_sum;", t[0].name, (long long)s.n);
    loops_close(em);
}

static bool layout(struct emitter *em, const struct ir_expr *call,
                   bool *row_major)
{
    return ir_call_layout(call, 7, row_major) ||
           emit_refuse(em, "the layout '%s'", ir_call_text(call, 7));
}

static void put_wmma(struct emitter *em, const struct ir_expr *call)
{
    struct shape s = {0, 0, 0};
    bool row_major;
    enum ir_op op = call->u.call.op;
    if (!const_shape(call, 1, 2, 3, &s))
        emit_refuse(em, "'%s' on tiles of symbolic shape", call->u.call.name);
    else if (op == IR_OP_FILL_FRAGMENT)
        put_fill(em, call, &s, 4, 5);
    else if (layout(em, call, &row_major))
        put_move(em, call, &s, 4, 5, row_major, op == IR_OP_LOAD_MATRIX_SYNC);
}

static void put_metal(struct emitter *em, const struct ir_expr *call)
{
    struct shape s = {0, 0, 0};
    enum ir_op op = call->u.call.op;
    int64_t transposed = 0;
    bool fill = op == IR_OP_MAKE_FILLED_SIMDGROUP;
    uint32_t columns = fill ? 3 : 4;
    if (!const_shape(call, columns + 1, columns, columns, &s) ||
        (!fill && !ir_const_int(call->args[6], &transposed)))
        emit_refuse(em, "'%s' on tiles of symbolic shape", call->u.call.name);
    else if (fill)
        put_fill(em, call, &s, 1, 2);
    else
        put_move(em, call, &s, 1, 2, transposed == 0,
                 op == IR_OP_SIMDGROUP_LOAD);
}

/* ---- all ---------------------------------------------------------------------------------- */

void emit_tile_call(struct emitter *em, const struct ir_expr *call)
{
    const struct ir_op_info *info = ir_op_info(ir_call_op(call));
    if (call->nargs < (uint32_t)info->min_args) {
        emit_refuse(em, "'%s' with %u operands", call->u.call.name,
                    call->nargs);
        return;
    }
    emit_line_comment(em, "each warp: %s", emit_ir_text_expr(em, call));
    emit_warp_loop_open(em);
    switch (ir_call_op(call)) {
    case IR_OP_FILL_FRAGMENT:
    case IR_OP_LOAD_MATRIX_SYNC:
    case IR_OP_STORE_MATRIX_SYNC: put_wmma(em, call); break;
    case IR_OP_MAKE_FILLED_SIMDGROUP:
    case IR_OP_SIMDGROUP_LOAD:
    case IR_OP_SIMDGROUP_STORE: put_metal(em, call); break;
    case IR_OP_MMA_SYNC:
    case IR_OP_SIMDGROUP_MULTIPLY_ACCUMULATE: put_multiply(em, call); break;
    default: emit_ptx(em, call); break;
    }
    emit_warp_loop_close(em);
}
