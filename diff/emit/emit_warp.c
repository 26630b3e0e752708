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

/* ---- which call -------------------------------------------------------------------- */

/* Spellings of newer TVMs with the same operands (R35). */
static const struct {
    const char *name;
    enum ir_op op;
} by_name[] = {
    {"ptx_legacy.mma", IR_OP_PTX_MMA},
    {"ptx_legacy.ldmatrix", IR_OP_PTX_LDMATRIX},
    {"mma_fill_legacy", IR_OP_MMA_FILL},
    {"mma_store_legacy", IR_OP_MMA_STORE},
    {"s_tir.cp_async_raw", IR_OP_PTX_CP_ASYNC},
    {"ptx.cp.async.commit_group", IR_OP_PTX_COMMIT_GROUP},
    {"ptx.cp.async.wait_group", IR_OP_PTX_WAIT_GROUP},
    {"ptx.cp_async_commit_group", IR_OP_PTX_COMMIT_GROUP},
    {"ptx.cp_async_wait_group", IR_OP_PTX_WAIT_GROUP},
    {"cuda.__activemask", IR_OP_WARP_ACTIVEMASK},
    {"cuda.__shfl_sync", IR_OP_WARP_SHUFFLE},
    {"cuda.__shfl_up_sync", IR_OP_WARP_SHUFFLE_UP},
    {"cuda.__shfl_down_sync", IR_OP_WARP_SHUFFLE_DOWN},
    {"cuda.__shfl_xor_sync", IR_OP_WARP_SHUFFLE_XOR},
};

enum ir_op warp_op(const struct ir_expr *e)
{
    const char *name = e->u.call.name;
    if (e->u.call.op != IR_OP_UNKNOWN || name == NULL)
        return e->u.call.op;
    size_t n = strlen(name);
    for (size_t i = 0; i < DC_ARRAY_LEN(by_name); i++) {
        size_t k = strlen(by_name[i].name);
        if (n >= k && strcmp(name + n - k, by_name[i].name) == 0 &&
            (n == k || name[n - k - 1] == '.'))
            return by_name[i].op;
    }
    return IR_OP_UNKNOWN;
}

bool is_collective(const struct ir_expr *e)
{
    if (e->kind != IR_CALL)
        return false;
    switch (warp_op(e)) {
    case IR_OP_STORAGE_SYNC:
    case IR_OP_WARP_SYNC:
    case IR_OP_THREAD_ALLREDUCE:
    case IR_OP_WARP_SHUFFLE:
    case IR_OP_WARP_SHUFFLE_UP:
    case IR_OP_WARP_SHUFFLE_DOWN:
    case IR_OP_WARP_SHUFFLE_XOR:
    case IR_OP_WARP_ACTIVEMASK:
    case IR_OP_FILL_FRAGMENT:
    case IR_OP_LOAD_MATRIX_SYNC:
    case IR_OP_STORE_MATRIX_SYNC:
    case IR_OP_MMA_SYNC:
    case IR_OP_BMMA_SYNC:
    case IR_OP_PTX_MMA:
    case IR_OP_PTX_MMA_SP:
    case IR_OP_PTX_LDMATRIX:
    case IR_OP_MMA_STORE:
    case IR_OP_MAKE_FILLED_SIMDGROUP:
    case IR_OP_SIMDGROUP_LOAD:
    case IR_OP_SIMDGROUP_STORE:
    case IR_OP_SIMDGROUP_MULTIPLY_ACCUMULATE: return true;
    default: return false;
    }
}

/* ---- small parts ------------------------------------------------------------------- */

static long long thread_count(const struct emitter *em)
{
    return em->kernel != NULL ? (long long)em->kernel->nthreads : 1;
}

/* A loop over threads; on the host a block in which `tid` is 0. */
static void each_thread_open(struct emitter *em)
{
    if (em->kernel != NULL) {
        thread_loop_open(em);
        return;
    }
    open_brace(em, "%s", "");
    line(em, "const int tid = 0;");
}

static void each_thread_close(struct emitter *em)
{
    if (em->kernel != NULL)
        thread_loop_close(em);
    else
        close_brace(em);
}

/* Lane of thread `tid` within its warp. */
const char *lane_text(struct emitter *em)
{
    const struct kernel_code *k = em->kernel;
    if (k == NULL)
        return "0";
    if (k->nthreads != k->nlinear)
        return text_printf(em, "tid %% %lld %% 32", (long long)k->nlinear);
    return k->nlinear <= EMIT_WARP ? "tid" : "tid % 32";
}

void stand_for(struct emitter *em, const struct ir_expr *call, const char *text)
{
    vec_push(&em->stand_ins, ((struct stand_in){call, text}));
}

/* ---- shuffles ------------------------------------------------------------------------ */

static const char *shuffle_name(enum ir_op op)
{
    return op == IR_OP_WARP_SHUFFLE        ? "shuffle_index"
           : op == IR_OP_WARP_SHUFFLE_UP   ? "shuffle_up"
           : op == IR_OP_WARP_SHUFFLE_DOWN ? "shuffle_down"
                                           : "shuffle_xor";
}

/* mask, value, lane or delta, width */
static void put_warp_shuffle(struct emitter *em, const struct ir_expr *call)
{
    const char *value = name_make(em, "given"), *from = name_make(em, "from");
    const char *function = shuffle_name(warp_op(call));
    const char *type = type_name(em, dtype_scalar(call->dtype));
    long long n = thread_count(em);
    if (call->nargs < 4 || call->dtype.lanes > 1) {
        refuse(em, "'%s' of this form", call->u.call.name);
        return;
    }
    need(em, "shuffle");
    line_comment(em, "%s", function);
    line(em, "%s %s[%lld];", type, value, n);
    line(em, "int %s[%lld];", from, n);
    each_thread_open(em);
    line(em, "%s[tid] = %s;", value, expr_text(em, call->args[1], PREC_ANY));
    line(em, "%s[tid] = %s(%s, %s, %s);", from, function, lane_text(em),
         index_text(em, call->args[2], PREC_ANY),
         index_text(em, call->args[3], PREC_ANY));
    if (em->kernel != NULL) { /* lanes that the last warp lacks */
        line(em, "%s[tid] += tid - %s;", from, lane_text(em));
        line(em, "if (%s[tid] >= %lld)", from, n);
        line(em, "    %s[tid] = tid;", from);
    }
    each_thread_close(em);
    stand_for(em, call,
              em->kernel != NULL ? text_printf(em, "%s[%s[tid]]", value, from)
                                 : text_printf(em, "%s[0]", value));
}

static void put_active_mask(struct emitter *em, const struct ir_expr *call)
{
    const char *name = name_make(em, "active");
    if (em->kernel == NULL) {
        stand_for(em, call, "1");
        return;
    }
    line(em, "uint32_t %s[%lld] = {0};", name,
         (long long)warp_count(em->kernel));
    thread_loop_open(em);
    line(em, "%s[%s] |= UINT32_C(1) << (%s);", name, warp_text(em),
         lane_text(em));
    thread_loop_close(em);
    stand_for(em, call,
              text_printf(em, "(%s)%s[%s]", type_name(em, call->dtype), name,
                          warp_text(em)));
}

/* ---- all-reduce ------------------------------------------------------------------------ */

struct search {
    const struct ir_expr *call;
    const struct ir_comm_reducer *around, *found;
};

static bool look_expr(void *user, struct ir_expr *e)
{
    struct search *s = user;
    if (e == s->call)
        s->found = s->around;
    return s->found == NULL;
}

static bool look_stmt(void *user, struct ir_stmt *stmt)
{
    struct search *s = user;
    if (stmt->kind != IR_ATTR ||
        strcmp(stmt->u.attr.key, "reduce_scope") != 0 ||
        stmt->u.attr.node == NULL || stmt->u.attr.node->kind != IR_V_REDUCER)
        return s->found == NULL;
    const struct ir_comm_reducer *outer = s->around;
    s->around = stmt->u.attr.node->u.reducer;
    struct ir_visitor visitor = {look_stmt, look_expr, s};
    ir_visit_stmt(&visitor, stmt->u.attr.body);
    s->around = outer;
    return false;
}

struct tag_search {
    const struct ir_var *var;
    const char *tag;
};

static bool look_tag(void *user, struct ir_stmt *stmt)
{
    struct tag_search *s = user;
    const char *tag;
    const struct ir_var *var = ir_thread_var(stmt, &tag);
    if (var == s->var && var != NULL)
        s->tag = tag;
    return s->tag == NULL;
}

/* How far apart threads are that differ by one in an axis. */
static int64_t axis_step(const struct kernel_code *k, size_t axis)
{
    static const char *const order[] = {"threadIdx.x", "threadIdx.y",
                                        "threadIdx.z"};
    bool done[EMIT_MAX_AXES] = {false};
    int64_t step = 1;
    for (size_t pass = 0; pass <= DC_ARRAY_LEN(order); pass++)
        for (size_t i = 0; i < k->naxes; i++) {
            const struct emit_axis *a = &k->axes[i];
            if (done[i] || a->is_block || a->is_vthread ||
                (pass < DC_ARRAY_LEN(order) && strcmp(a->tag, order[pass])))
                continue;
            done[i] = true;
            if (i == axis)
                return step;
            step *= a->extent;
        }
    step = k->nlinear;
    for (size_t i = k->naxes; i-- > 0;)
        if (k->axes[i].is_vthread) {
            if (i == axis)
                return step;
            step *= k->axes[i].extent;
        }
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
        struct tag_search s = {.var = call->args[i]->u.var};
        struct ir_visitor visitor = {look_tag, NULL, &s};
        ir_visit_stmt(&visitor, em->f->prim.body);
        const struct emit_axis *a =
            s.tag != NULL ? axis_of(em->kernel, s.tag, s.var) : NULL;
        if (a == NULL || a->is_block) {
            refuse(em, "a reduction over '%s', which is no thread index,",
                   s.var->name);
            return "0";
        }
        size_t axis = (size_t)(a - em->kernel->axes);
        text = text_printf(em, "%s - %s * %lld", text, a->name,
                           (long long)axis_step(em->kernel, axis));
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
        r->part[i] = name_make(em, "part");
        thread_array(em, type_name(em, dtype_scalar(call->args[i + 1]->dtype)),
                     r->part[i], false);
    }
    each_thread_open(em);
    for (uint32_t i = 0; i < r->n; i++)
        line(em, "%s[tid] = %s ? %s : %s;", r->part[i],
             index_text(em, call->args[r->n + 1], PREC_OROR),
             expr_text(em, call->args[i + 1], PREC_OROR),
             expr_text(em, r->reducer->identity[i], PREC_OROR));
    each_thread_close(em);
}

static void put_combine(struct emitter *em, const struct all_reduce *r,
                        uint32_t at)
{
    const char *first = name_make(em, "first"), *sum[MAX_PARTS];
    device_serial_open(em);
    line(em, "const int %s = %s;", first, first_thread(em, r->call, at));
    open_brace(em, "if (%s < tid)", first);
    for (uint32_t i = 0; i < r->n; i++) {
        em->var[r->reducer->lhs[i]->id] =
            text_printf(em, "%s[%s]", r->part[i], first);
        em->var[r->reducer->rhs[i]->id] =
            text_printf(em, "%s[tid]", r->part[i]);
    }
    for (uint32_t i = 0; i < r->n; i++) {
        sum[i] = name_make(em, "sum");
        line(em, "const %s %s = %s;",
             type_name(em, r->reducer->result[i]->dtype), sum[i],
             expr_text(em, r->reducer->result[i], PREC_ANY));
    }
    for (uint32_t i = 0; i < r->n; i++)
        line(em, "%s[%s] = %s;", r->part[i], first, sum[i]);
    close_brace(em);
    device_serial_close(em);
}

/* The result operand: a load names the element, a pointer the first one. */
static void put_result(struct emitter *em, const struct ir_expr *operand,
                       const char *value, struct dtype t)
{
    while (operand->kind == IR_CAST)
        operand = operand->args[0];
    if (operand->kind == IR_LOAD)
        line(em, "%s = %s;",
             element_text(em, operand->u.buffer, operand->nargs, operand->args,
                          NULL),
             value);
    else
        line(em, "*(%s%s *)%s = %s;", space_of(em, operand), alias_name(em, t),
             pointer_text(em, operand), value);
}

static void put_all_reduce(struct emitter *em, const struct ir_expr *call)
{
    int64_t n;
    struct search s = {.call = call};
    struct ir_visitor visitor = {look_stmt, look_expr, &s};
    ir_visit_stmt(&visitor, em->f->prim.body);
    struct all_reduce r = {.call = call, .reducer = s.found};
    if (r.reducer == NULL || !ir_const_int(call->args[0], &n) || n < 1 ||
        n > MAX_PARTS || (size_t)n != r.reducer->n ||
        call->nargs < 2 * (uint32_t)n + 2) {
        refuse(em, "a thread reduction without a matching reducer around it");
        return;
    }
    r.n = (uint32_t)n;
    bool plain = em->plain;
    em->plain = false;
    line_comment(em, "all threads: %s", ir_text_expr(em, call));
    put_gather(em, &r);
    if (em->kernel != NULL)
        put_combine(em, &r, 2 * r.n + 2);
    each_thread_open(em);
    for (uint32_t i = 0; i < r.n; i++) {
        const char *first =
            em->kernel != NULL ? first_thread(em, call, 2 * r.n + 2) : "0";
        put_result(em, call->args[r.n + 2 + i],
                   text_printf(em, "%s[%s]", r.part[i], first),
                   dtype_scalar(call->args[i + 1]->dtype));
    }
    each_thread_close(em);
    em->plain = plain;
    stand_for(em, call, "0");
}

/* ---- all ---------------------------------------------------------------------------------- */

static void put_collective(struct emitter *em, const struct ir_expr *call)
{
    if (on_device(em) && em->kernel != NULL && device_collective(em, call))
        return;
    switch (warp_op(call)) {
    case IR_OP_STORAGE_SYNC:
    case IR_OP_WARP_SYNC:
        line_comment(em, "barrier: %s", ir_text_expr(em, call));
        break;
    case IR_OP_WARP_SHUFFLE:
    case IR_OP_WARP_SHUFFLE_UP:
    case IR_OP_WARP_SHUFFLE_DOWN:
    case IR_OP_WARP_SHUFFLE_XOR: put_warp_shuffle(em, call); return;
    case IR_OP_WARP_ACTIVEMASK: put_active_mask(em, call); return;
    case IR_OP_THREAD_ALLREDUCE: put_all_reduce(em, call); return;
    default: put_tile_call(em, call); break;
    }
    stand_for(em, call, "0");
}

/* Operands before operators, left to right. What stands under a guard may not
 * be reached by all. */
void put_collectives(struct emitter *em, const struct ir_expr *e)
{
    bool guard = e->kind == IR_CALL && e->u.call.op == IR_OP_IF_THEN_ELSE;
    for (uint32_t i = 0; i < (guard ? 1 : e->nargs); i++)
        put_collectives(em, e->args[i]);
    if (is_collective(e))
        put_collective(em, e);
}
