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
    const char *name = emit_text_printf(em, "add_%s_%s", space_word(space),
                                        emit_type_suffix(em, t));
    bool whole = dtype_is_int(t) && t.bits == 32;
    bool single = t.code == DT_FLOAT && t.bits == 32;
    const char *type = emit_type_name(em, t);
    if (strcmp(space, "") == 0) {
        emit_need_text(em,
                       emit_text_printf(em,
                                        "static inline %s %s(%s *p, %s x)\n{\n"
                                        "    %s old = *p;\n"
                                        "    *p = old + x;\n"
                                        "    return old;\n}\n\n",
                                        type, name, type, type, type));
    } else if (whole) {
        emit_need_text(em, emit_text_printf(
                               em,
                               "static inline %s %s(%s%s *p, %s x)\n{\n"
                               "    return atomic_add((volatile %s%s *)p, x);\n"
                               "}\n\n",
                               type, name, space, type, type, space,
                               t.code == DT_INT ? "int" : "uint"));
    } else if (single) {
        emit_need_text(
            em,
            emit_text_printf(
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
        emit_refuse(em, "an atomic addition to %s", type);
    }
    return name;
}

void emit_device_atomic(struct emitter *em, const struct ir_expr *e,
                        struct dtype t)
{
    const char *space = emit_space_of(em, e->args[0]);
    const char *type = emit_type_name(em, t);
    const char *at = emit_pointer_text(em, e->args[0]);
    const char *v = emit_expr_text(em, e->args[1], PREC_ANY);
    if (emit_is_opencl(em)) {
        buf_printf(em->out, "%s((%s%s *)(%s), %s)", opencl_atomic(em, space, t),
                   space, type, at, v);
        return;
    }
    bool wide = dtype_is_int(t) && t.bits == 64;
    bool fine =
        dtype_is_int(t) ? t.bits >= 32 : t.code == DT_FLOAT && t.bits >= 16;
    if (!fine)
        emit_refuse(em, "an atomic addition to %s", type);
    if (wide)
        type = "unsigned long long";
    buf_printf(em->out, "(%s)atomicAdd((%s *)(%s), (%s)(%s))",
               emit_type_name(em, t), type, at, type, v);
}

/* "copy_local_global", or "zero_local". */
static const char *copy_function(struct emitter *em, const char *to,
                                 const char *from)
{
    const char *name =
        from != NULL ? emit_text_printf(em, "copy_%s_%s_bytes", space_word(to),
                                        space_word(from))
                     : emit_text_printf(em, "zero_%s_bytes", space_word(to));
    emit_need_text(em, emit_text_printf(
                           em,
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

void emit_device_copy(struct emitter *em, const struct ir_expr *call,
                      const char *const end[2], const char *bytes)
{
    const char *to = emit_space_of(em, call->args[0]);
    const char *copy = copy_function(em, to, emit_space_of(em, call->args[2]));
    const char *text =
        emit_text_printf(em, "%s(%s, %s, %s)", copy, end[0], end[1], bytes);
    int64_t n;
    if (emit_is_cuda(em) && ir_const_int(call->args[4], &n) &&
        (n == 4 || n == 8 || n == 16) &&
        emit_storage_of(call->args[0]) == PLACE_SHARED &&
        emit_storage_of(call->args[2]) == PLACE_GLOBAL)
        text = emit_text_printf(em, "device_async<%lld>(%s, %s)", (long long)n,
                                end[0], end[1]);
    if (call->nargs == 6)
        text =
            emit_text_printf(em, "(%s ? %s : %s(%s, %s))",
                             emit_index_text(em, call->args[5], PREC_OROR),
                             text, copy_function(em, to, NULL), end[0], bytes);
    buf_puts(em->out, text);
}

void emit_device_zeros(struct emitter *em, const struct ir_expr *pointer,
                       const char *at, const char *n, size_t bytes)
{
    const char *space = emit_space_of(em, pointer);
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
    if (!emit_is_cuda(em) || !emit_on_device(em))
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
    return emit_text_printf(em, "device_wait<%lld>()", (long long)n);
}

void emit_queue(struct emitter *em, const struct ir_stmt *s, bool after,
                bool group)
{
    const char *text = queue_text(em, s, after);
    if (text == NULL || em->failed)
        return;
    if (group)
        emit_thread_loop_open(em);
    emit_line(em, "(void)%s;", text);
    if (group)
        emit_thread_loop_close(em);
}

/* ---- what threads do together ------------------------------------------------------ */

static void put_sync(struct emitter *em, const struct ir_expr *call)
{
    bool warp = ir_call_op(call) == IR_OP_WARP_SYNC ||
                strcmp(ir_call_text(call, 0), "warp") == 0;
    if (strcmp(ir_call_text(call, 0), "global") == 0)
        emit_refuse(em, "a barrier of all blocks");
    if (warp && emit_is_cuda(em))
        emit_line(em, "__syncwarp();");
    else
        emit_barrier(em);
}

/* OpenCL: through storage that the block shares. */
static void shuffle_by_memory(struct emitter *em, const struct ir_expr *call)
{
    const char *given = emit_name_make(em, "given");
    const char *from = emit_thread_value(em, "int", "from", "tid");
    const char *lane = emit_lane_text(em);
    emit_need(em, "shuffle");
    emit_thread_array(em, emit_type_name(em, dtype_scalar(call->dtype)), given,
                      false);
    emit_barrier(em);
    emit_thread_loop_open(em);
    emit_line(em, "%s[tid] = %s;", given,
              emit_expr_text(em, call->args[1], PREC_ANY));
    emit_line(em, "%s = %s(%s, %s, %s);", from, emit_shuffle_name(call), lane,
              emit_index_text(em, call->args[2], PREC_ANY),
              emit_index_text(em, call->args[3], PREC_ANY));
    emit_line(em, "%s += tid - %s;", from, lane);
    emit_line(em, "if (%s >= %lld)", from, (long long)em->kernel->nthreads);
    emit_line(em, "    %s = tid;", from);
    emit_thread_loop_close(em);
    emit_barrier(em);
    emit_stand_for(em, call, emit_text_printf(em, "%s[%s]", given, from));
}

/* 0 means the lanes that arrive (rule 22), for which CUDA has another word. */
static const char *mask_text(struct emitter *em, const struct ir_expr *mask)
{
    int64_t value;
    if (!ir_shuffles_have_masks(em->f->prim.body))
        return "__activemask()";
    const char *text = emit_index_text(em, mask, PREC_ANY);
    return ir_const_int(mask, &value)
               ? emit_text_printf(em, "(unsigned)(%s)", text)
               : emit_text_printf(em,
                                  "(%s) != 0 ? (unsigned)(%s) : __activemask()",
                                  text, text);
}

/* CUDA: the instruction, on numbers of 32 bits where it knows no others. */
static void shuffle_by_warp(struct emitter *em, const struct ir_expr *call)
{
    static const char *const names[] = {"__shfl_sync", "__shfl_up_sync",
                                        "__shfl_down_sync", "__shfl_xor_sync"};
    struct dtype t = dtype_scalar(call->dtype);
    const char *type = emit_type_name(em, t);
    bool narrow =
        (!dtype_is_float(t) || emit_type_is_soft(em, t)) && t.bits < 32;
    const char *wide = narrow                             ? "int"
                       : t.code == DT_INT && t.bits == 64 ? "long long"
                       : t.code == DT_UINT && t.bits == 64
                           ? "unsigned long long"
                           : type;
    const char *value = emit_thread_value(em, type, "given", "0");
    emit_thread_loop_open(em);
    emit_line(em, "%s = (%s)%s(%s, (%s)(%s), (int)(%s), (int)(%s));", value,
              type, names[ir_call_op(call) - IR_OP_WARP_SHUFFLE],
              mask_text(em, call->args[0]), wide,
              emit_expr_text(em, call->args[1], PREC_ANY),
              emit_index_text(em, call->args[2], PREC_ANY),
              emit_index_text(em, call->args[3], PREC_ANY));
    emit_thread_loop_close(em);
    emit_stand_for(em, call, value);
}

static void put_device_shuffle(struct emitter *em, const struct ir_expr *call)
{
    if (call->nargs < 4 || call->dtype.lanes > 1)
        emit_refuse(em, "'%s' of this form", call->u.call.name);
    else if (emit_is_cuda(em))
        shuffle_by_warp(em, call);
    else
        shuffle_by_memory(em, call);
}

static void put_device_mask(struct emitter *em, const struct ir_expr *call)
{
    const char *type = emit_type_name(em, dtype_scalar(call->dtype));
    if (emit_is_cuda(em)) {
        const char *value = emit_thread_value(em, type, "active", "0");
        emit_thread_loop_open(em);
        emit_line(em, "%s = (%s)__activemask();", value, type);
        emit_thread_loop_close(em);
        emit_stand_for(em, call, value);
        return;
    }
    const char *came = emit_name_make(em, "came");
    emit_barrier(em);
    emit_thread_array(em, "uint", came, true);
    emit_thread_loop_open(em);
    emit_line(em, "%s[tid] = 1;", came);
    emit_thread_loop_close(em);
    emit_barrier(em);
    const char *value = emit_thread_value(em, "uint", "active", "0");
    emit_line(em, "for (int other_tid = 0; other_tid < %d; other_tid++)",
              EMIT_WARP);
    emit_line(em, "    if (tid - (%s) + other_tid < %lld)", emit_lane_text(em),
              (long long)em->kernel->nthreads);
    emit_line(em, "        %s |= %s[tid - (%s) + other_tid] << other_tid;",
              value, came, emit_lane_text(em));
    emit_stand_for(em, call, emit_text_printf(em, "(%s)%s", type, value));
}

bool emit_device_collective(struct emitter *em, const struct ir_expr *call)
{
    switch (ir_call_op(call)) {
    case IR_OP_STORAGE_SYNC:
    case IR_OP_WARP_SYNC:
        put_sync(em, call);
        emit_stand_for(em, call, "0");
        return true;
    case IR_OP_WARP_SHUFFLE:
    case IR_OP_WARP_SHUFFLE_UP:
    case IR_OP_WARP_SHUFFLE_DOWN:
    case IR_OP_WARP_SHUFFLE_XOR: put_device_shuffle(em, call); return true;
    case IR_OP_WARP_ACTIVEMASK: put_device_mask(em, call); return true;
    case IR_OP_PTX_MMA:
    case IR_OP_PTX_LDMATRIX:
    case IR_OP_MMA_STORE:
        emit_line_comment(em, "each warp: %s", emit_ir_text_expr(em, call));
        if (emit_is_opencl(em))
            emit_barrier(em);
        emit_open_brace(em, "%s", "");
        emit_ptx(em, call);
        emit_close_brace(em);
        if (emit_is_opencl(em))
            emit_barrier(em);
        emit_stand_for(em, call, "0");
        return true;
    default: return emit_device_wmma(em, call);
    }
}
