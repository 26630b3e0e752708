/* SPDX-License-Identifier: Apache-2.0
 *
 * What threads do together: barriers (the end of a thread loop), and calls whose
 * value for a thread depends on others. These run before the statement that
 * holds them, which then finds their values in arrays over threads. Shuffles as
 * R22 says, reductions over all threads in ascending order (R27).
 *
 * tvm_thread_allreduce: threads that agree in every index but the reduced ones
 * have one sum, kept at the first of them; `first` is its number.
 */
#include "diff/emit/emit_private.h"

#include <string.h>

#define MAX_PARTS 16

/* ---- small parts ------------------------------------------------------------------- */

static long long thread_count(const struct emitter *em)
{
    return em->kernel != NULL ? (long long)em->kernel->nthreads : 1;
}

/* A loop over threads; on the host a block in which `tid` is 0. */
static void each_thread_open(struct emitter *em)
{
    if (em->kernel != NULL) {
        emit_thread_loop_open(em);
        return;
    }
    emit_open_brace(em, "%s", "");
    emit_line(em, "const int tid = 0;");
}

static void each_thread_close(struct emitter *em)
{
    if (em->kernel != NULL)
        emit_thread_loop_close(em);
    else
        emit_close_brace(em);
}

/* Lane of thread `tid` within its warp. */
const char *emit_lane_text(struct emitter *em)
{
    const struct kernel_code *k = em->kernel;
    if (k == NULL)
        return "0";
    if (k->nthreads != k->nlinear)
        return emit_text_printf(em, "tid %% %lld %% 32", (long long)k->nlinear);
    return k->nlinear <= EMIT_WARP ? "tid" : "tid % 32";
}

void emit_stand_for(struct emitter *em, const struct ir_expr *call,
                    const char *text)
{
    vec_push(&em->stand_ins, ((struct stand_in){call, text}));
}

/* ---- shuffles ------------------------------------------------------------------------ */

const char *emit_shuffle_name(const struct ir_expr *call)
{
    static const char *const names[] = {"shuffle_index", "shuffle_up",
                                        "shuffle_down", "shuffle_xor"};
    return names[ir_call_op(call) - IR_OP_WARP_SHUFFLE];
}

/* mask, value, lane or delta, width */
static void put_warp_shuffle(struct emitter *em, const struct ir_expr *call)
{
    const char *value = emit_name_make(em, "given"),
               *from = emit_name_make(em, "from");
    const char *function = emit_shuffle_name(call);
    const char *type = emit_type_name(em, dtype_scalar(call->dtype));
    long long n = thread_count(em);
    if (call->nargs < 4 || call->dtype.lanes > 1) {
        emit_refuse(em, "'%s' of this form", call->u.call.name);
        return;
    }
    emit_need(em, "shuffle");
    emit_line_comment(em, "%s", function);
    emit_line(em, "%s %s[%lld];", type, value, n);
    emit_line(em, "int %s[%lld];", from, n);
    each_thread_open(em);
    emit_line(em, "%s[tid] = %s;", value,
              emit_expr_text(em, call->args[1], PREC_ANY));
    emit_line(em, "%s[tid] = %s(%s, %s, %s);", from, function,
              emit_lane_text(em), emit_index_text(em, call->args[2], PREC_ANY),
              emit_index_text(em, call->args[3], PREC_ANY));
    if (em->kernel != NULL) { /* lanes that the last warp lacks */
        emit_line(em, "%s[tid] += tid - %s;", from, emit_lane_text(em));
        emit_line(em, "if (%s[tid] >= %lld)", from, n);
        emit_line(em, "    %s[tid] = tid;", from);
    }
    each_thread_close(em);
    emit_stand_for(em, call,
                   em->kernel != NULL
                       ? emit_text_printf(em, "%s[%s[tid]]", value, from)
                       : emit_text_printf(em, "%s[0]", value));
}

static void put_active_mask(struct emitter *em, const struct ir_expr *call)
{
    const char *name = emit_name_make(em, "active");
    if (em->kernel == NULL) {
        emit_stand_for(em, call, "1");
        return;
    }
    emit_line(em, "uint32_t %s[%lld] = {0};", name,
              (long long)emit_warp_count(em->kernel));
    emit_thread_loop_open(em);
    emit_line(em, "%s[%s] |= UINT32_C(1) << (%s);", name, emit_warp_text(em),
              emit_lane_text(em));
    emit_thread_loop_close(em);
    emit_stand_for(em, call,
                   emit_text_printf(em, "(%s)%s[%s]",
                                    emit_type_name(em, call->dtype), name,
                                    emit_warp_text(em)));
}

/* ---- all-reduce ------------------------------------------------------------------------ */

/* How far apart threads are that differ by one in an axis. */
static int64_t axis_step(const struct kernel_code *k, size_t axis)
{
    int64_t step = 1;
    for (size_t i = 0; k->plan->threads[i] != axis; i++)
        step *= k->extent[k->plan->threads[i]];
    return step;
}

/* "tid - threadIdx_x * 1 …": the thread where the sum is kept. */
static const char *first_thread(struct emitter *em, const struct ir_expr *call,
                                uint32_t at)
{
    const char *text = "tid";
    for (uint32_t i = at; i < call->nargs; i++) {
        if (call->args[i]->kind != IR_VAR_REF)
            continue; /* a constant 0: an axis of extent 1 */
        const struct ir_var *var = call->args[i]->u.var;
        const char *tag = ir_thread_tag(em->f->prim.body, var);
        const struct kernel_code *k = em->kernel;
        size_t axis = tag != NULL ? ir_axis_find(k->plan, tag) : k->plan->naxes;
        if (axis == k->plan->naxes || k->plan->axes[axis].is_block) {
            emit_refuse(em, "a reduction over '%s', which is no thread index,",
                        var->name);
            return "0";
        }
        text = emit_text_printf(em, "%s - %s * %lld", text, k->name[axis],
                                (long long)axis_step(k, axis));
    }
    return text;
}

struct all_reduce {
    const struct ir_expr *call;
    const struct ir_comm_reducer *reducer;
    uint32_t n;
    const char *part[MAX_PARTS]; /* arrays over threads */
};

static void put_gather(struct emitter *em, struct all_reduce *r)
{
    const struct ir_expr *call = r->call;
    for (uint32_t i = 0; i < r->n; i++) {
        r->part[i] = emit_name_make(em, "part");
        emit_thread_array(
            em, emit_type_name(em, dtype_scalar(call->args[i + 1]->dtype)),
            r->part[i], false);
    }
    each_thread_open(em);
    for (uint32_t i = 0; i < r->n; i++)
        emit_line(em, "%s[tid] = %s ? %s : %s;", r->part[i],
                  emit_index_text(em, call->args[r->n + 1], PREC_OROR),
                  emit_expr_text(em, call->args[i + 1], PREC_OROR),
                  emit_expr_text(em, r->reducer->identity[i], PREC_OROR));
    each_thread_close(em);
}

static void put_combine(struct emitter *em, const struct all_reduce *r,
                        uint32_t at)
{
    const char *first = emit_name_make(em, "first"), *sum[MAX_PARTS];
    emit_device_serial_open(em);
    emit_line(em, "const int %s = %s;", first, first_thread(em, r->call, at));
    emit_open_brace(em, "if (%s < tid)", first);
    for (uint32_t i = 0; i < r->n; i++) {
        em->var[r->reducer->lhs[i]->id] =
            emit_text_printf(em, "%s[%s]", r->part[i], first);
        em->var[r->reducer->rhs[i]->id] =
            emit_text_printf(em, "%s[tid]", r->part[i]);
    }
    for (uint32_t i = 0; i < r->n; i++) {
        sum[i] = emit_name_make(em, "sum");
        emit_line(em, "const %s %s = %s;",
                  emit_type_name(em, r->reducer->result[i]->dtype), sum[i],
                  emit_expr_text(em, r->reducer->result[i], PREC_ANY));
    }
    for (uint32_t i = 0; i < r->n; i++)
        emit_line(em, "%s[%s] = %s;", r->part[i], first, sum[i]);
    emit_close_brace(em);
    emit_device_serial_close(em);
}

/* The result operand: a load names the element, a pointer the first one. */
static void put_result(struct emitter *em, const struct ir_expr *operand,
                       const char *value, struct dtype t)
{
    while (operand->kind == IR_CAST)
        operand = operand->args[0];
    if (operand->kind == IR_LOAD)
        emit_line(em, "%s = %s;",
                  emit_element_text(em, operand->u.buffer, operand->nargs,
                                    operand->args, NULL),
                  value);
    else
        emit_line(em, "*(%s%s *)%s = %s;", emit_space_of(em, operand),
                  emit_alias_name(em, t), emit_pointer_text(em, operand),
                  value);
}

static void put_all_reduce(struct emitter *em, const struct ir_expr *call)
{
    int64_t n;
    struct all_reduce r = {
        .call = call, .reducer = ir_reducer_around(em->f->prim.body, call)};
    if (r.reducer == NULL || !ir_const_int(call->args[0], &n) || n < 1 ||
        n > MAX_PARTS || (size_t)n != r.reducer->n ||
        call->nargs < 2 * (uint32_t)n + 2) {
        emit_refuse(em,
                    "a thread reduction without a matching reducer around it");
        return;
    }
    r.n = (uint32_t)n;
    bool plain = em->plain;
    em->plain = false;
    emit_line_comment(em, "all threads: %s", emit_ir_text_expr(em, call));
    put_gather(em, &r);
    if (em->kernel != NULL)
        put_combine(em, &r, 2 * r.n + 2);
    each_thread_open(em);
    for (uint32_t i = 0; i < r.n; i++) {
        const char *first =
            em->kernel != NULL ? first_thread(em, call, 2 * r.n + 2) : "0";
        put_result(em, call->args[r.n + 2 + i],
                   emit_text_printf(em, "%s[%s]", r.part[i], first),
                   dtype_scalar(call->args[i + 1]->dtype));
    }
    each_thread_close(em);
    em->plain = plain;
    emit_stand_for(em, call, "0");
}

/* ---- all ---------------------------------------------------------------------------------- */

static void put_collective(struct emitter *em, const struct ir_expr *call)
{
    if (emit_on_device(em) && em->kernel != NULL &&
        emit_device_collective(em, call))
        return;
    switch (ir_call_op(call)) {
    case IR_OP_STORAGE_SYNC:
    case IR_OP_WARP_SYNC:
        emit_line_comment(em, "barrier: %s", emit_ir_text_expr(em, call));
        break;
    case IR_OP_WARP_SHUFFLE:
    case IR_OP_WARP_SHUFFLE_UP:
    case IR_OP_WARP_SHUFFLE_DOWN:
    case IR_OP_WARP_SHUFFLE_XOR: put_warp_shuffle(em, call); return;
    case IR_OP_WARP_ACTIVEMASK: put_active_mask(em, call); return;
    case IR_OP_THREAD_ALLREDUCE: put_all_reduce(em, call); return;
    default: emit_tile_call(em, call); break;
    }
    emit_stand_for(em, call, "0");
}

/* Operands before operators, left to right. What stands under a guard may not
 * be reached by all. */
void emit_collectives(struct emitter *em, const struct ir_expr *e)
{
    bool guard = e->kind == IR_CALL && e->u.call.op == IR_OP_IF_THEN_ELSE;
    for (uint32_t i = 0; i < (guard ? 1 : e->nargs); i++)
        emit_collectives(em, e->args[i]);
    if (ir_is_collective(e))
        put_collective(em, e);
}
