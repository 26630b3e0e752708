/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix instructions as CUDA has them: wmma on fragments that lie in the
 * registers of a warp, mma and ldmatrix on the registers of each lane. What no
 * instruction does is refused by name; there is no other order of the sum than
 * the hardware's.
 *
 * Sources: CUDA C++ Programming Guide, "Warp matrix functions"; PTX ISA,
 * "Warp Level Matrix Multiply-Accumulate Instructions".
 */
#include "diff/emit/emit_private.h"

#include <string.h>

/* ---- fragments ------------------------------------------------------------------ */

struct fragment {
    int64_t m, n, k;
    const char *layout; /* "row_major"; NULL: never loaded */
    bool found, unlike;
};

struct fragment_search {
    const struct emitter *em;
    uint32_t class;
    struct fragment fragment;
};

static bool look_fragment(void *user, struct ir_expr *e)
{
    struct fragment_search *s = user;
    struct fragment *f = &s->fragment;
    if (e->kind != IR_CALL || e->nargs < 6)
        return true;
    enum ir_op op = e->u.call.op;
    bool loads = op == IR_OP_LOAD_MATRIX_SYNC;
    if (!loads && op != IR_OP_FILL_FRAGMENT && op != IR_OP_STORE_MATRIX_SYNC)
        return true;
    const struct ir_var *v = emit_pointer_root(e->args[0]);
    int64_t m, n, k;
    if (v == NULL || s->em->plan->class_of[v->id] != s->class ||
        !ir_const_int(e->args[1], &m) || !ir_const_int(e->args[2], &n) ||
        !ir_const_int(e->args[3], &k))
        return true;
    f->unlike |= f->found && (f->m != m || f->n != n || f->k != k);
    f->found = true;
    f->m = m;
    f->n = n;
    f->k = k;
    if (loads && e->nargs > 7 && e->args[7]->kind == IR_STRING_IMM) {
        const char *layout = e->args[7]->u.string.text;
        f->unlike |= f->layout != NULL && strcmp(f->layout, layout) != 0;
        f->layout = layout;
    }
    return true;
}

/* CUDA's name of the element type of a fragment; NULL: it has none. */
static const char *element_name(struct dtype t, bool accumulator)
{
    if (t.code == DT_FLOAT && t.bits == 16)
        return "half";
    if (t.code == DT_FLOAT && t.bits == 64)
        return "double";
    if (t.code == DT_FLOAT && t.bits == 32)
        return accumulator ? "float" : NULL;
    if (t.code == DT_BFLOAT && !accumulator)
        return "__nv_bfloat16";
    if (t.code == DT_INT && t.bits == 32)
        return accumulator ? "int" : NULL;
    if (dtype_is_int(t) && t.bits == 8 && !accumulator)
        return t.code == DT_INT ? "signed char" : "unsigned char";
    return NULL;
}

static bool has_shape(const struct fragment *f, struct dtype t)
{
    bool wide = (f->m == 16 && f->n == 16) || (f->m == 32 && f->n == 8) ||
                (f->m == 8 && f->n == 32);
    if (t.code == DT_FLOAT && t.bits == 64)
        return f->m == 8 && f->n == 8 && f->k == 4;
    return wide && f->k == 16;
}

/* A fragment for each tile. False: the buffer is none. */
bool emit_device_fragment(struct emitter *em, const struct ir_buffer *b,
                          const char *name)
{
    if (!emit_is_cuda(em) || em->kernel == NULL || b->scope == NULL ||
        strncmp(b->scope, "wmma.", 5) != 0)
        return false;
    struct dtype t = dtype_scalar(b->dtype);
    struct fragment_search s = {.em = em,
                                .class = em->plan->class_of[b->data->id]};
    struct ir_visitor v = {NULL, look_fragment, &s};
    const struct fragment *f = &s.fragment;
    const char *role = b->scope + 5, *size;
    bool sum = strcmp(role, "accumulator") == 0;
    if (!sum && strcmp(role, "matrix_a") != 0 && strcmp(role, "matrix_b") != 0)
        return !emit_refuse(em, "a fragment in scope '%s'", b->scope);
    ir_visit_stmt(&v, em->f->prim.body);
    const char *element = element_name(t, sum);
    if (!f->found || f->unlike || element == NULL || !has_shape(f, t)) {
        char text[48];
        emit_refuse(em, "a fragment '%s' of %s and this shape", role,
                    dtype_name(t, text));
        return true;
    }
    int64_t rows = strcmp(role, "matrix_b") == 0 ? f->k : f->m;
    int64_t columns = strcmp(role, "matrix_a") == 0 ? f->k : f->n;
    int64_t n = emit_buffer_size(em, b, &size);
    const char *layout =
        f->layout != NULL && strcmp(f->layout, "col_major") == 0 ? "col_major"
                                                                 : "row_major";
    if (n < 0)
        emit_refuse(em, "fragments of symbolic number");
    emit_need(em, "cuda_wmma");
    emit_line(
        em,
        "nvcuda::wmma::fragment<nvcuda::wmma::%s, %lld, %lld, %lld, %s%s> "
        "%s[%lld];",
        role, (long long)f->m, (long long)f->n, (long long)f->k, element,
        sum ? "" : emit_text_printf(em, ", nvcuda::wmma::%s", layout), name,
        (long long)((n + rows * columns - 1) / (rows * columns)));
    return true;
}

static const char *fragment_text(struct emitter *em, const struct ir_expr *e,
                                 const struct ir_expr *index)
{
    while (e->kind == IR_CALL && e->u.call.op == IR_OP_BUFFER_DATA &&
           e->nargs > 0)
        e = e->args[0];
    const struct ir_var *v = e->kind == IR_VAR_REF      ? e->u.var
                             : e->kind == IR_BUFFER_REF ? e->u.buffer->data
                                                        : NULL;
    if (v == NULL || em->var[v->id] == NULL) {
        emit_refuse(em, "a fragment that is part of another");
        return "none";
    }
    return emit_text_printf(em, "%s[%s]", em->var[v->id],
                            emit_index_text(em, index, PREC_ANY));
}

static const char *memory_text(struct emitter *em, const struct ir_expr *call)
{
    struct dtype t = emit_pointer_elem(em, call->args[5]);
    const char *element = element_name(t, true);
    if (element == NULL)
        element = element_name(t, false);
    if (element == NULL) {
        emit_refuse(em, "'%s' of this type", call->u.call.name);
        return "none";
    }
    return emit_text_printf(em, "(%s *)%s", element,
                            emit_pointer_text(em, call->args[5]));
}

static bool is_accumulator(const struct ir_expr *e)
{
    const struct ir_var *v = emit_pointer_root(e);
    const char *scope = e->kind == IR_BUFFER_REF        ? e->u.buffer->scope
                        : v != NULL && v->owner != NULL ? v->owner->scope
                        : v != NULL && v->type != NULL  ? v->type->scope
                                                        : NULL;
    return scope != NULL && strstr(scope, "accumulator") != NULL;
}

/* "mem_row_major"; NULL after a refusal. */
static const char *memory_layout(struct emitter *em, const struct ir_expr *call)
{
    bool row_major;
    if (ir_call_layout(call, 7, &row_major))
        return row_major ? "nvcuda::wmma::mem_row_major"
                         : "nvcuda::wmma::mem_col_major";
    emit_refuse(em, "the layout '%s'", ir_call_text(call, 7));
    return NULL;
}

bool emit_device_wmma(struct emitter *em, const struct ir_expr *call)
{
    enum ir_op op = call->u.call.op;
    if (!emit_is_cuda(em) || call->nargs < 6)
        return false;
    bool moves = op == IR_OP_LOAD_MATRIX_SYNC || op == IR_OP_STORE_MATRIX_SYNC;
    if (!moves && op != IR_OP_FILL_FRAGMENT && op != IR_OP_MMA_SYNC)
        return false;
    emit_line_comment(em, "each warp: %s", emit_ir_text_expr(em, call));
    emit_thread_loop_open(em);
    if (op == IR_OP_MMA_SYNC) {
        const char *x[4];
        for (uint32_t i = 0; i < 4; i++)
            x[i] = call->nargs >= 8 ? fragment_text(em, call->args[2 * i],
                                                    call->args[2 * i + 1])
                                    : "none";
        emit_line(em, "nvcuda::wmma::mma_sync(%s, %s, %s, %s);", x[0], x[1],
                  x[2], x[3]);
    } else {
        const char *tile = fragment_text(em, call->args[0], call->args[4]);
        const char *stride = moves && call->nargs > 6
                                 ? emit_index_text(em, call->args[6], PREC_ANY)
                                 : "0";
        const char *layout = moves ? memory_layout(em, call) : "";
        if (layout == NULL)
            layout = "none";
        if (op == IR_OP_FILL_FRAGMENT)
            emit_line(em, "nvcuda::wmma::fill_fragment(%s, %s);", tile,
                      emit_expr_text(em, call->args[5], PREC_ANY));
        else if (op == IR_OP_STORE_MATRIX_SYNC)
            emit_line(em, "nvcuda::wmma::store_matrix_sync(%s, %s, %s, %s);",
                      memory_text(em, call), tile, stride, layout);
        else if (is_accumulator(call->args[0]))
            emit_line(em, "nvcuda::wmma::load_matrix_sync(%s, %s, %s, %s);",
                      tile, memory_text(em, call), stride, layout);
        else
            emit_line(em, "nvcuda::wmma::load_matrix_sync(%s, %s, %s);", tile,
                      memory_text(em, call), stride);
    }
    emit_thread_loop_close(em);
    emit_stand_for(em, call, "0");
    return true;
}

/* ---- PTX ------------------------------------------------------------------------- */

/* A shape of mma.sync, with the types of A and of the sum. */
static const struct {
    long long m, k;
    const char *a, *c, *a_word, *c_word, *constraint;
} shapes[] = {
    {16, 16, "float16", "float32", "f16", "f32", "f"},
    {16, 8, "float16", "float32", "f16", "f32", "f"},
    {16, 16, "float16", "float16", "f16", "f16", "r"},
    {16, 8, "float16", "float16", "f16", "f16", "r"},
    {16, 16, "bfloat16", "float32", "bf16", "f32", "f"},
    {16, 8, "bfloat16", "float32", "bf16", "f32", "f"},
    {8, 4, "float64", "float64", "f64", "f64", "d"},
    {8, 16, "int8", "int32", "s8", "s32", "r"},
    {16, 16, "int8", "int32", "s8", "s32", "r"},
    {16, 32, "int8", "int32", "s8", "s32", "r"},
    {8, 16, "uint8", "int32", "u8", "s32", "r"},
    {16, 16, "uint8", "int32", "u8", "s32", "r"},
    {16, 32, "uint8", "int32", "u8", "s32", "r"},
};

/* "%first, …" */
static void put_operands(struct buf *out, int first, int n)
{
    buf_puts(out, "{");
    for (int i = 0; i < n; i++)
        buf_printf(out, "%s%%%d", i > 0 ? ", " : "", first + i);
    buf_puts(out, "}");
}

static void put_bound(struct emitter *em, struct buf *out,
                      const char *constraint, const char *name, int n)
{
    for (int i = 0; i < n; i++)
        buf_printf(out, "%s%s(%s[%d])", i > 0 ? ", " : "",
                   emit_quoted(em, constraint), name, i);
}

static const char *register_type(const char *constraint)
{
    return constraint[0] == 'f'   ? "float"
           : constraint[0] == 'd' ? "double"
                                  : "uint32_t";
}

static void put_gathered(struct emitter *em, const char *type, const char *name,
                         int n, const char *from)
{
    emit_line(em, "%s %s[%d];", type, name, n);
    emit_line(em, "memcpy(%s, %s, sizeof %s);", name, from, name);
}

/* a, b, c: pointers to the lane's registers. */
bool emit_cuda_mma(struct emitter *em, long long m, long long k,
                   struct dtype at, struct dtype bt, struct dtype ct,
                   const char *const from[3])
{
    char a_name[48], b_name[48], c_name[48];
    size_t i = 0;
    dtype_name(at, a_name);
    dtype_name(bt, b_name);
    dtype_name(ct, c_name);
    while (i < DC_ARRAY_LEN(shapes) &&
           (shapes[i].m != m || shapes[i].k != k ||
            strcmp(shapes[i].a, a_name) != 0 || strcmp(a_name, b_name) != 0 ||
            strcmp(shapes[i].c, c_name) != 0))
        i++;
    if (i == DC_ARRAY_LEN(shapes))
        return emit_refuse(em, "mma of shape m%lldn8k%lld on %s, %s and %s", m,
                           k, a_name, b_name, c_name);
    struct buf text = {0};
    const char *c = shapes[i].constraint;
    const char *unit = at.bits == 64 ? "d" : "r";
    int unit_bytes = at.bits == 64 ? 8 : 4, sum_bytes = c[0] == 'd' ? 8 : 4;
    int na = (int)(m * k * at.bits / 8 / EMIT_WARP) / unit_bytes;
    int nb = (int)(8 * k * at.bits / 8 / EMIT_WARP) / unit_bytes;
    int nc = (int)(m * 8 * ct.bits / 8 / EMIT_WARP) / sum_bytes;
    const char *ra = emit_name_make(em, "a_part"),
               *rb = emit_name_make(em, "b_part");
    const char *rc = emit_name_make(em, "c_part");
    put_gathered(em, register_type(unit), ra, na, from[0]);
    put_gathered(em, register_type(unit), rb, nb, from[1]);
    put_gathered(em, register_type(c), rc, nc, from[2]);
    buf_printf(&text,
               "asm volatile(\"mma.sync.aligned.m%lldn8k%lld.row.col.%s.%s.%s."
               "%s ",
               m, k, shapes[i].c_word, shapes[i].a_word, shapes[i].a_word,
               shapes[i].c_word);
    put_operands(&text, 0, nc);
    buf_puts(&text, ", ");
    put_operands(&text, nc, na);
    buf_puts(&text, ", ");
    put_operands(&text, nc + na, nb);
    buf_puts(&text, ", ");
    put_operands(&text, 0, nc);
    buf_puts(&text, ";\" : ");
    put_bound(em, &text, emit_text_printf(em, "+%s", c), rc, nc);
    buf_puts(&text, " : ");
    put_bound(em, &text, unit, ra, na);
    buf_puts(&text, ", ");
    put_bound(em, &text, unit, rb, nb);
    emit_line(em, "%s);", buf_text(&text));
    emit_line(em, "memcpy(%s, %s, sizeof %s);", from[2], rc, rc);
    buf_fini(&text);
    return true;
}

void emit_cuda_ldmatrix(struct emitter *em, const char *to, const char *row,
                        int matrices, bool transposed)
{
    struct buf text = {0};
    const char *parts = emit_name_make(em, "parts");
    emit_line(em, "uint32_t %s[%d];", parts, matrices);
    buf_printf(&text,
               "asm volatile(\"ldmatrix.sync.aligned.m8n8.x%d%s.shared.b16 ",
               matrices, transposed ? ".trans" : "");
    put_operands(&text, 0, matrices);
    buf_printf(&text, ", [%%%d];\" : ", matrices);
    put_bound(em, &text, "=r", parts, matrices);
    emit_line(
        em, "%s : \"r\"((unsigned)__cvta_generic_to_shared(%s)) : \"memory\");",
        buf_text(&text), row);
    emit_line(em, "memcpy(%s, %s, sizeof %s);", to, parts, parts);
    buf_fini(&text);
}
