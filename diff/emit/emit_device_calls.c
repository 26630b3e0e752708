/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls that kernels make in ways of their own: atomics, copies of bytes,
 * barriers, shuffles. Matrix instructions of one warp that have no such way
 * are left to the warp's first lane (emit_tile.c).
 */
#include "diff/emit/emit_private.h"

#include <string.h>

/* ---- memory ---------------------------------------------------------------------- */

/* "__local " -> "local" */
static const char *space_word(const char *space)
{
    return strcmp(space, "__local ") == 0      ? "local"
           : strcmp(space, "__global ") == 0   ? "global"
           : strcmp(space, "__constant ") == 0 ? "constant"
                                               : "own";
}

static const char *opencl_atomic(struct emitter *em, const char *space,
                                 struct dtype t)
{
    const char *name =
        text_printf(em, "add_%s_%s", space_word(space), type_suffix(em, t));
    bool whole = dtype_is_int(t) && t.bits == 32;
    bool single = t.code == DT_FLOAT && t.bits == 32;
    const char *type = type_name(em, t);
    if (strcmp(space, "") == 0) {
        need_text(em, text_printf(em,
                                  "static inline %s %s(%s *p, %s x)\n{\n"
                                  "    %s old = *p;\n"
                                  "    *p = old + x;\n"
                                  "    return old;\n}\n\n",
                                  type, name, type, type, type));
    } else if (whole) {
        need_text(em,
                  text_printf(em,
                              "static inline %s %s(%s%s *p, %s x)\n{\n"
                              "    return atomic_add((volatile %s%s *)p, x);\n"
                              "}\n\n",
                              type, name, space, type, type, space,
                              t.code == DT_INT ? "int" : "uint"));
    } else if (single) {
        need_text(
            em,
            text_printf(
                em,
                "static inline float %s(%sfloat *p, float x)\n{\n"
                "    volatile %suint *bits = (volatile %suint *)p;\n"
                "    uint old;\n"
                "    do\n"
                "        old = *bits;\n"
                "    while (atomic_cmpxchg(bits, old, as_uint(as_float(old) + "
                "x)) != old);\n"
                "    return as_float(old);\n}\n\n",
                name, space, space, space));
    } else {
        refuse(em, "an atomic addition to %s", type);
    }
    return name;
}

void put_device_atomic(struct emitter *em, const struct ir_expr *e,
                       struct dtype t)
{
    const char *space = space_of(em, e->args[0]);
    const char *type = type_name(em, t);
    const char *at = pointer_text(em, e->args[0]);
    const char *v = expr_text(em, e->args[1], PREC_ANY);
    if (is_opencl(em)) {
        buf_printf(em->out, "%s((%s%s *)(%s), %s)", opencl_atomic(em, space, t),
                   space, type, at, v);
        return;
    }
    bool wide = dtype_is_int(t) && t.bits == 64;
    bool fine =
        dtype_is_int(t) ? t.bits >= 32 : t.code == DT_FLOAT && t.bits >= 16;
    if (!fine)
        refuse(em, "an atomic addition to %s", type);
    if (wide)
        type = "unsigned long long";
    buf_printf(em->out, "(%s)atomicAdd((%s *)(%s), (%s)(%s))", type_name(em, t),
               type, at, type, v);
}

/* "copy_local_global", or "zero_local". */
static const char *copy_function(struct emitter *em, const char *to,
                                 const char *from)
{
    const char *name = from != NULL
                           ? text_printf(em, "copy_%s_%s_bytes", space_word(to),
                                         space_word(from))
                           : text_printf(em, "zero_%s_bytes", space_word(to));
    need_text(em,
              text_printf(em,
                          "static inline int %s(%schar *to%s%s%s, int64_t n)\n"
                          "{\n"
                          "    for (int64_t i = 0; i < n; i++)\n"
                          "        to[i] = %s;\n"
                          "    return 0;\n}\n\n",
                          name, to, from != NULL ? ", const " : "",
                          from != NULL ? from : "",
                          from != NULL ? "char *from" : "",
                          from != NULL ? "from[i]" : "0"));
    return name;
}

void put_device_copy(struct emitter *em, const struct ir_expr *call,
                     const char *const end[2], const char *bytes)
{
    const char *to = space_of(em, call->args[0]);
    const char *copy = copy_function(em, to, space_of(em, call->args[2]));
    const char *text =
        text_printf(em, "%s(%s, %s, %s)", copy, end[0], end[1], bytes);
    int64_t n;
    if (is_cuda(em) && ir_const_int(call->args[4], &n) &&
        (n == 4 || n == 8 || n == 16) &&
        storage_of(call->args[0]) == PLACE_SHARED &&
        storage_of(call->args[2]) == PLACE_GLOBAL)
        text = text_printf(em, "device_async<%lld>(%s, %s)", (long long)n,
                           end[0], end[1]);
    if (call->nargs == 6)
        text = text_printf(em, "(%s ? %s : %s(%s, %s))",
                           index_text(em, call->args[5], PREC_OROR), text,
                           copy_function(em, to, NULL), end[0], bytes);
    buf_puts(em->out, text);
}

void put_device_zeros(struct emitter *em, const struct ir_expr *pointer,
                      const char *at, const char *n, size_t bytes)
{
    const char *space = space_of(em, pointer);
    buf_printf(em->out, "%s((%schar *)(%s), (int64_t)%s * %zu)",
               copy_function(em, space, NULL), space, at, n, bytes);
}

/* The wait before a statement under a queue's attribute, or the commit after it
 * (R23). A count that is no constant waits for all copies, which allows less. */
static const char *queue_text(struct emitter *em, const struct ir_stmt *s,
                              bool after)
{
    const struct ir_stmt *body = s->u.attr.body;
    int64_t n = 0;
    if (!is_cuda(em) || !on_device(em))
        return NULL;
    if (after)
        return strcmp(s->u.attr.key, "async_commit_queue_scope") == 0
                   ? "device_commit()"
                   : NULL;
    if (strcmp(s->u.attr.key, "async_wait_queue_scope") != 0)
        return NULL;
    if (body->kind != IR_ATTR || body->u.attr.value == NULL ||
        !ir_const_int(body->u.attr.value, &n) || n < 0)
        n = 0;
    return text_printf(em, "device_wait<%lld>()", (long long)n);
}

void put_queue(struct emitter *em, const struct ir_stmt *s, bool after,
               bool group)
{
    const char *text = queue_text(em, s, after);
    if (text == NULL || em->failed)
        return;
    if (group)
        thread_loop_open(em);
    line(em, "(void)%s;", text);
    if (group)
        thread_loop_close(em);
}

/* ---- what threads do together ------------------------------------------------------ */

static void put_sync(struct emitter *em, const struct ir_expr *call)
{
    bool warp = warp_op(call) == IR_OP_WARP_SYNC ||
                (call->nargs > 0 && call->args[0]->kind == IR_STRING_IMM &&
                 strcmp(call->args[0]->u.string.text, "warp") == 0);
    if (call->nargs > 0 && call->args[0]->kind == IR_STRING_IMM &&
        strcmp(call->args[0]->u.string.text, "global") == 0)
        refuse(em, "a barrier of all blocks");
    if (warp && is_cuda(em))
        line(em, "__syncwarp();");
    else
        put_barrier(em);
}

static const char *const shuffle_names[] = {"index", "up", "down", "xor"};

static size_t shuffle_kind(const struct ir_expr *call)
{
    switch (warp_op(call)) {
    case IR_OP_WARP_SHUFFLE: return 0;
    case IR_OP_WARP_SHUFFLE_UP: return 1;
    case IR_OP_WARP_SHUFFLE_DOWN: return 2;
    default: return 3;
    }
}

/* OpenCL: through storage that the block shares. */
static void shuffle_by_memory(struct emitter *em, const struct ir_expr *call)
{
    const char *given = name_make(em, "given");
    const char *from = thread_value(em, "int", "from", "tid");
    const char *lane = lane_text(em);
    need(em, "shuffle");
    thread_array(em, type_name(em, dtype_scalar(call->dtype)), given, false);
    put_barrier(em);
    thread_loop_open(em);
    line(em, "%s[tid] = %s;", given, expr_text(em, call->args[1], PREC_ANY));
    line(em, "%s = shuffle_%s(%s, %s, %s);", from,
         shuffle_names[shuffle_kind(call)], lane,
         index_text(em, call->args[2], PREC_ANY),
         index_text(em, call->args[3], PREC_ANY));
    line(em, "%s += tid - %s;", from, lane);
    line(em, "if (%s >= %lld)", from, (long long)em->kernel->nthreads);
    line(em, "    %s = tid;", from);
    thread_loop_close(em);
    put_barrier(em);
    stand_for(em, call, text_printf(em, "%s[%s]", given, from));
}

/* 0 means the lanes that arrive (rule 22), for which CUDA has another word. */
static const char *mask_text(struct emitter *em, const struct ir_expr *mask)
{
    int64_t value;
    if (!ir_shuffles_have_masks(em->f->prim.body))
        return "__activemask()";
    const char *text = index_text(em, mask, PREC_ANY);
    return ir_const_int(mask, &value)
               ? text_printf(em, "(unsigned)(%s)", text)
               : text_printf(em, "(%s) != 0 ? (unsigned)(%s) : __activemask()",
                             text, text);
}

/* CUDA: the instruction, on numbers of 32 bits where it knows no others. */
static void shuffle_by_warp(struct emitter *em, const struct ir_expr *call)
{
    static const char *const names[] = {"__shfl_sync", "__shfl_up_sync",
                                        "__shfl_down_sync", "__shfl_xor_sync"};
    struct dtype t = dtype_scalar(call->dtype);
    const char *type = type_name(em, t);
    bool narrow = (!dtype_is_float(t) || type_is_soft(em, t)) && t.bits < 32;
    const char *wide = narrow                             ? "int"
                       : t.code == DT_INT && t.bits == 64 ? "long long"
                       : t.code == DT_UINT && t.bits == 64
                           ? "unsigned long long"
                           : type;
    const char *value = thread_value(em, type, "given", "0");
    thread_loop_open(em);
    line(em, "%s = (%s)%s(%s, (%s)(%s), (int)(%s), (int)(%s));", value, type,
         names[shuffle_kind(call)], mask_text(em, call->args[0]), wide,
         expr_text(em, call->args[1], PREC_ANY),
         index_text(em, call->args[2], PREC_ANY),
         index_text(em, call->args[3], PREC_ANY));
    thread_loop_close(em);
    stand_for(em, call, value);
}

static void put_device_shuffle(struct emitter *em, const struct ir_expr *call)
{
    if (call->nargs < 4 || call->dtype.lanes > 1)
        refuse(em, "'%s' of this form", call->u.call.name);
    else if (is_cuda(em))
        shuffle_by_warp(em, call);
    else
        shuffle_by_memory(em, call);
}

static void put_device_mask(struct emitter *em, const struct ir_expr *call)
{
    const char *type = type_name(em, dtype_scalar(call->dtype));
    if (is_cuda(em)) {
        const char *value = thread_value(em, type, "active", "0");
        thread_loop_open(em);
        line(em, "%s = (%s)__activemask();", value, type);
        thread_loop_close(em);
        stand_for(em, call, value);
        return;
    }
    const char *came = name_make(em, "came");
    put_barrier(em);
    thread_array(em, "uint", came, true);
    thread_loop_open(em);
    line(em, "%s[tid] = 1;", came);
    thread_loop_close(em);
    put_barrier(em);
    const char *value = thread_value(em, "uint", "active", "0");
    line(em, "for (int other_tid = 0; other_tid < %d; other_tid++)", EMIT_WARP);
    line(em, "    if (tid - (%s) + other_tid < %lld)", lane_text(em),
         (long long)em->kernel->nthreads);
    line(em, "        %s |= %s[tid - (%s) + other_tid] << other_tid;", value,
         came, lane_text(em));
    stand_for(em, call, text_printf(em, "(%s)%s", type, value));
}

bool device_collective(struct emitter *em, const struct ir_expr *call)
{
    switch (warp_op(call)) {
    case IR_OP_STORAGE_SYNC:
    case IR_OP_WARP_SYNC:
        put_sync(em, call);
        stand_for(em, call, "0");
        return true;
    case IR_OP_WARP_SHUFFLE:
    case IR_OP_WARP_SHUFFLE_UP:
    case IR_OP_WARP_SHUFFLE_DOWN:
    case IR_OP_WARP_SHUFFLE_XOR: put_device_shuffle(em, call); return true;
    case IR_OP_WARP_ACTIVEMASK: put_device_mask(em, call); return true;
    case IR_OP_PTX_MMA:
    case IR_OP_PTX_LDMATRIX:
    case IR_OP_MMA_STORE:
        line_comment(em, "each warp: %s", ir_text_expr(em, call));
        if (is_opencl(em))
            put_barrier(em);
        open_brace(em, "%s", "");
        put_ptx(em, call);
        close_brace(em);
        if (is_opencl(em))
            put_barrier(em);
        stand_for(em, call, "0");
        return true;
    default: return device_wmma(em, call);
    }
}
