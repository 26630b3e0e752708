/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels on a CPU. Blocks run one after another; the threads of a block are
 * numbered as the interpreter numbers them (threadIdx.x fastest, virtual
 * threads last), and each stretch of statements that needs no other thread is
 * one loop over them. What threads go through together is written once, around
 * such loops: sequences and loops as they are, conditions that differ between
 * threads as masks. So the end of a thread loop is a barrier.
 *
 * What a thread keeps from one thread loop to the next (variables, local
 * storage) is an array over threads.
 */
#include "diff/emit/emit_private.h"

#include <string.h>

#define MAX_THREADS 65536

/* ---- loops over threads ------------------------------------------------------------ */

/* The next digit of *rest, a number of *left threads. */
static void put_axis(struct emitter *em, size_t axis, const char **rest,
                     int64_t *left)
{
    const char *name = em->kernel->name[axis];
    int64_t extent = em->kernel->extent[axis];
    if (extent == 1)
        emit_line(em, "const int %s = 0;", name);
    else if (*left == extent)
        emit_line(em, "const int %s = %s;", name, *rest);
    else
        emit_line(em, "const int %s = %s %% %lld;", name, *rest,
                  (long long)extent);
    if (extent != 1)
        *rest = emit_text_printf(em, "%s / %lld", *rest, (long long)extent);
    *left /= extent;
}

/* The indices of thread `tid`. */
void emit_indices(struct emitter *em)
{
    const struct kernel_code *k = em->kernel;
    bool virtual_ = k->nthreads != k->nlinear;
    const char *rest =
        virtual_ ? emit_text_printf(em, "tid %% %lld", (long long)k->nlinear)
                 : "tid";
    int64_t left = k->nlinear;
    for (size_t i = 0; i < k->plan->nthreads; i++) {
        if (i == k->plan->nlinear) {
            rest = emit_text_printf(em, "tid / %lld", (long long)k->nlinear);
            left = k->nthreads / k->nlinear;
        }
        put_axis(em, k->plan->threads[i], &rest, &left);
    }
}

void emit_unused(struct emitter *em)
{
    for (size_t i = 0; i < em->kernel->plan->naxes; i++)
        if (!em->kernel->plan->axes[i].is_block)
            emit_line(em, "(void)%s;", em->kernel->name[i]);
}

/* At the head of a loop over threads. */
static void begin_thread(struct emitter *em)
{
    struct kernel_code *k = em->kernel;
    if (k->mask != NULL) {
        emit_line(em, "if (!%s)", k->mask);
        emit_line(em, "    continue;");
    }
    emit_indices(em);
    emit_unused(em);
    k->in_thread = true;
}

void emit_thread_loop_open(struct emitter *em)
{
    struct kernel_code *k = em->kernel;
    if (k->left)
        emit_refuse(em, "a thread that returns before others are waited for");
    k->loops++;
    k->leaves = false;
    if (em->device != NULL) {
        emit_device_section_open(em);
        return;
    }
    emit_open_brace(em, "for (int tid = 0; tid < %lld; tid++)",
                    (long long)k->nthreads);
    begin_thread(em);
    k->inner_loops = 0;
}

void emit_thread_loop_close(struct emitter *em)
{
    struct kernel_code *k = em->kernel;
    if (em->device != NULL) {
        emit_device_section_close(em);
        return;
    }
    if (k->leaves) {
        emit_line(em, "left_%u:;", k->loops);
        k->left = true;
    }
    k->in_thread = false;
    emit_close_brace(em);
}

/* On a device: what a thread knows of itself. */
static void put_device_axes(struct emitter *em)
{
    struct kernel_code *k = em->kernel;
    for (size_t i = 0; i < k->plan->naxes; i++) {
        const struct ir_axis *a = &k->plan->axes[i];
        char last = a->tag[strlen(a->tag) - 1];
        if (!a->is_block)
            continue;
        if (emit_is_opencl(em))
            emit_line(em, "const int %s = (int)get_group_id(%d);", k->name[i],
                      last == 'z'   ? 2
                      : last == 'y' ? 1
                                    : 0);
        else
            emit_line(em, "const int %s = (int)blockIdx.%c;", k->name[i],
                      last == 'z' || last == 'y' ? last : 'x');
        emit_line(em, "(void)%s;", k->name[i]);
    }
    emit_line(em, "const int tid = (int)%s;",
              emit_is_opencl(em) ? "get_local_id(0)" : "threadIdx.x");
    emit_line(em, "(void)tid;");
    emit_indices(em);
    emit_unused(em);
}

/* ---- warps ------------------------------------------------------------------------------ */

int64_t emit_warp_count(const struct kernel_code *k)
{
    int64_t per = (k->nlinear + EMIT_WARP - 1) / EMIT_WARP;
    return per * (k->nthreads / k->nlinear);
}

/* Index of the warp of thread `tid`. */
const char *emit_warp_text(struct emitter *em)
{
    const struct kernel_code *k = em->kernel;
    if (k->nthreads == k->nlinear)
        return emit_text_printf(em, "tid / %d", EMIT_WARP);
    int64_t per = (k->nlinear + EMIT_WARP - 1) / EMIT_WARP;
    return emit_text_printf(em, "tid / %lld * %lld + tid %% %lld / %d",
                            (long long)k->nlinear, (long long)per,
                            (long long)k->nlinear, EMIT_WARP);
}

void emit_lane_thread(struct emitter *em, const char *lane)
{
    emit_line(em, "const int first_lane = tid;");
    emit_open_brace(em, "%s", "");
    emit_line(em, "const int tid = first_lane + %s;", lane);
    emit_indices(em);
    emit_unused(em);
}

/* Opens a loop over warps whose first lane is `tid` and whose lanes are
 * `lanes` many. */
void emit_warp_loop_open(struct emitter *em)
{
    struct kernel_code *k = em->kernel;
    if (k == NULL) {
        emit_open_brace(em, "%s", "");
        return;
    }
    k->loops++;
    if (em->device != NULL) {
        emit_barrier(em);
        emit_open_brace(em,
                        k->mask != NULL ? "if (%s == 0 && %s)" : "if (%s == 0)",
                        emit_lane_text(em), k->mask);
        k->in_thread = true;
        return;
    }
    emit_open_brace(em, "for (int tid = 0, lanes; tid < %lld; tid += lanes)",
                    (long long)k->nthreads);
    emit_line(em, "lanes = %lld - tid %% %lld < %d ? %lld - tid %% %lld : %d;",
              (long long)k->nlinear, (long long)k->nlinear, EMIT_WARP,
              (long long)k->nlinear, (long long)k->nlinear, EMIT_WARP);
    begin_thread(em);
}

void emit_warp_loop_close(struct emitter *em)
{
    if (em->kernel != NULL)
        em->kernel->in_thread = false;
    emit_close_brace(em);
    if (em->kernel != NULL && em->device != NULL)
        emit_barrier(em);
}

/* ---- what lives across thread loops ---------------------------------------------------- */

const char *emit_define_value(struct emitter *em, const char *type,
                              const char *name, const char *text, bool varying,
                              const char *ir)
{
    struct kernel_code *k = em->kernel;
    name = emit_name_make(em, name);
    bool pointer = type[strlen(type) - 1] == '*';
    const char *gap = pointer ? "" : " ";
    if (k == NULL || k->in_thread || !varying) {
        emit_line_ir(em, ir,
                     pointer ? "%s%sconst %s = %s;" : "const %s%s%s = %s;",
                     type, gap, name, text);
        if (pointer)
            emit_line(em, "(void)%s;", name);
        if (em->device != NULL && !emit_on_device(em))
            emit_host_define(em, name, type, false);
        return name;
    }
    const char *own = name;
    if (em->device != NULL) {
        emit_line_ir(em, ir, "%s%s%s = 0;", type, gap, name);
    } else {
        own = emit_text_printf(em, "%s[tid]", name);
        emit_line_ir(em, ir, "%s%s%s[%lld];", type, gap, name,
                     (long long)k->nthreads);
    }
    emit_thread_loop_open(em);
    emit_line(em, "%s = %s;", own, text);
    emit_thread_loop_close(em);
    return own;
}

static void group_alloc(struct emitter *em, const struct ir_buffer *b,
                        bool global_is_shared)
{
    struct kernel_code *k = em->kernel;
    switch (emit_place_of(b->scope)) {
    case PLACE_SHARED: emit_storage(em, b, 1, NULL); return;
    case PLACE_WARP:
        emit_storage(em, b, emit_warp_count(k), emit_warp_text(em));
        return;
    case PLACE_GLOBAL:
        if (global_is_shared) {
            emit_storage(em, b, 1, NULL);
            return;
        }
        break;
    case PLACE_LOCAL: break;
    }
    emit_storage(em, b, k->nthreads, "tid");
}

static const char *mask_make(struct emitter *em, const char *cond)
{
    const char *own = emit_thread_value(em, "bool", "mask", "false");
    emit_thread_loop_open(em);
    emit_line(em, "%s = %s;", own, cond);
    emit_thread_loop_close(em);
    return own;
}

/* ---- statements of a group ---------------------------------------------------------------- */

static bool is_lockstep(const struct emitter *em, const struct ir_stmt *s)
{
    const struct ir_plan_info *facts = emit_plan_info(em, s);
    return facts != NULL && facts->lockstep;
}

/* What a statement of a sequence defines; NULL: nothing. */
static const struct ir_var *defined_by(const struct ir_stmt *s)
{
    if (s->kind == IR_BIND)
        return s->u.bind.var;
    if (s->kind == IR_ALLOC || s->kind == IR_ALLOC_CONST)
        return s->u.alloc.buffer->data;
    if (s->kind == IR_DECL_BUFFER)
        return s->u.decl.buffer->data;
    return NULL;
}

/* Whether statements from `from` on use what item defines. */
static bool used_later(const struct ir_stmt *seq, size_t from,
                       const struct ir_stmt *item)
{
    const struct ir_var *var = defined_by(item);
    for (size_t i = from; var != NULL && i < seq->u.seq.n; i++)
        if (emit_stmt_uses_var(seq->u.seq.items[i], var))
            return true;
    return false;
}

/* Length of the run of statements from i that are one thread loop: none of
 * them in lockstep, none that defines what is used behind the run. */
static size_t run_length(struct emitter *em, const struct ir_stmt *seq,
                         size_t i)
{
    size_t end = i;
    while (end < seq->u.seq.n && !is_lockstep(em, seq->u.seq.items[end]))
        end++;
    /* What is left out for this may use what is still in the run. */
    for (size_t j = i; j < end; j++) {
        if (used_later(seq, end, seq->u.seq.items[j])) {
            end = j;
            j = i - 1;
        }
    }
    return end - i;
}

static void put_group(struct emitter *em, const struct ir_stmt *s);

static void group_simple(struct emitter *em, const struct ir_stmt *s);

static void group_seq(struct emitter *em, const struct ir_stmt *s)
{
    for (size_t i = 0; i < s->u.seq.n && !em->failed;) {
        size_t n = run_length(em, s, i);
        if (n == 0) {
            put_group(em, s->u.seq.items[i++]);
            continue;
        }
        emit_thread_loop_open(em);
        for (size_t j = 0; j < n; j++)
            emit_stmt(em, s->u.seq.items[i + j]);
        emit_thread_loop_close(em);
        i += n;
    }
}

static void group_under(struct emitter *em, const char *mask,
                        const struct ir_stmt *s)
{
    const char *outer = em->kernel->mask;
    em->kernel->mask = mask;
    put_group(em, s);
    em->kernel->mask = outer;
}

/* Bounds that differ between threads: as many rounds as any thread has. */
static void group_for_varying(struct emitter *em, const struct ir_stmt *s)
{
    const char *most = emit_name_make(em, "most"),
               *trip = emit_name_make(em, "trip");
    const char *step = s->u.loop.step == NULL
                           ? "1"
                           : emit_index_text(em, s->u.loop.step, PREC_UNARY);
    const char *type = emit_type_name(em, s->u.loop.var->dtype);
    const char *from = emit_thread_value(em, "int64_t", "from", "0");
    const char *trips = emit_thread_value(em, "int64_t", "trips", "0");
    if (em->device == NULL)
        emit_line(em, "int64_t %s = 0;", most);
    emit_thread_loop_open(em);
    emit_line(em, "%s = %s;", from,
              emit_index_text(em, s->u.loop.min, PREC_ANY));
    emit_line(em, "%s = %s;", trips,
              emit_index_text(em, s->u.loop.extent, PREC_ANY));
    emit_line(em, "%s = %s > 0 ? (%s - 1) / %s + 1 : 0;", trips, trips, trips,
              step);
    if (em->device == NULL) {
        emit_line(em, "if (%s > %s)", trips, most);
        emit_line(em, "    %s = %s;", most, trips);
    }
    emit_thread_loop_close(em);
    if (em->device != NULL)
        most = emit_device_most(em, "int64_t", most, trips);
    emit_open_brace(em, "for (int64_t %s = 0; %s < %s; %s++)", trip, trip, most,
                    trip);
    const char *own = emit_thread_value(em, type, s->u.loop.var->name, "0");
    const char *mask =
        mask_make(em, emit_text_printf(em, "%s < %s", trip, trips));
    const char *outer = em->kernel->mask;
    em->kernel->mask = mask;
    emit_thread_loop_open(em);
    emit_line(em, "%s = (%s)(%s + %s * %s);", own, type, from, trip, step);
    emit_thread_loop_close(em);
    em->var[s->u.loop.var->id] = own;
    put_group(em, s->u.loop.body);
    em->kernel->mask = outer;
    emit_close_brace(em);
}

static void group_for(struct emitter *em, const struct ir_stmt *s)
{
    const struct ir_plan_info *facts = emit_plan_info(em, s);
    if (emit_is_varying(em, s->u.loop.min) ||
        emit_is_varying(em, s->u.loop.extent) ||
        (s->u.loop.step != NULL && emit_is_varying(em, s->u.loop.step))) {
        if (facts != NULL && facts->nmoved > 0)
            emit_refuse(em, "storage in a loop that differs between threads");
        group_for_varying(em, s);
        return;
    }
    const char *name = emit_name_make(em, s->u.loop.var->name);
    emit_open_brace(em, "%s", emit_loop_header(em, s, name));
    em->var[s->u.loop.var->id] = name;
    for (size_t i = 0; facts != NULL && i < facts->nmoved; i++)
        group_alloc(em, facts->moved[i], false);
    put_group(em, s->u.loop.body);
    if (em->kernel->left)
        emit_refuse(em, "a thread that returns out of a loop with a barrier");
    emit_close_brace(em);
}

static void group_while(struct emitter *em, const struct ir_stmt *s)
{
    const char *any = emit_name_make(em, "any");
    const char *mask = mask_make(em, "true"), *outer = em->kernel->mask;
    em->kernel->mask = mask;
    emit_open_brace(em, "for (;;)");
    if (em->device == NULL)
        emit_line(em, "bool %s = false;", any);
    emit_thread_loop_open(em);
    emit_line(em, "%s = %s;", mask,
              emit_index_text(em, s->u.while_.cond, PREC_ANY));
    if (em->device == NULL)
        emit_line(em, "%s |= %s;", any, mask);
    emit_thread_loop_close(em);
    if (em->device != NULL)
        any = emit_device_most(em, "bool", any, mask);
    emit_line(em, "if (!%s)", any);
    emit_line(em, "    break;");
    put_group(em, s->u.while_.body);
    emit_close_brace(em);
    em->kernel->mask = outer;
}

static void group_if(struct emitter *em, const struct ir_stmt *s)
{
    const struct ir_expr *cond = s->u.if_.cond;
    size_t stand_ins = em->stand_ins.len;
    emit_collectives(em, cond);
    const char *text = emit_index_text(em, cond, PREC_ANDAND);
    if (!emit_is_varying(em, cond)) {
        emit_open_brace(em, "if (%s)", text);
        put_group(em, s->u.if_.then_);
        emit_close_brace(em);
        if (s->u.if_.else_ != NULL) {
            emit_open_brace(em, "else");
            put_group(em, s->u.if_.else_);
            emit_close_brace(em);
        }
    } else {
        const char *no = NULL, *yes = mask_make(em, text);
        if (s->u.if_.else_ != NULL)
            no = mask_make(em, emit_text_printf(em, "!%s", yes));
        group_under(em, yes, s->u.if_.then_);
        if (no != NULL)
            group_under(em, no, s->u.if_.else_);
    }
    em->stand_ins.len = stand_ins;
}

static void group_block_body(struct emitter *em, const struct ir_block *b)
{
    for (size_t i = 0; i < b->nallocs; i++)
        if (!em->plan->moved[b->allocs[i]->id])
            group_alloc(em, b->allocs[i], false);
    for (size_t i = 0; i < b->nmatches; i++)
        emit_match(em, &b->matches[i]);
    if (b->init != NULL) {
        const char *cond = emit_block_init_cond(em, b);
        bool varying = false;
        for (size_t i = 0; i < b->niters; i++)
            varying |= b->iters[i].type == IR_ITER_REDUCE &&
                       em->varying[b->iters[i].var->id];
        if (cond == NULL) {
            put_group(em, b->init);
        } else if (varying) {
            group_under(em, mask_make(em, cond), b->init);
        } else {
            emit_open_brace(em, "if (%s)", cond);
            put_group(em, b->init);
            emit_close_brace(em);
        }
    }
    put_group(em, b->body);
}

static void group_block(struct emitter *em, const struct ir_block *b)
{
    emit_line_comment(
        em, "block %s",
        emit_name_make(em, emit_text_printf(em, "block_%s", b->name)) + 6);
    for (size_t i = 0; i < b->niters; i++) {
        const struct ir_var *v = b->iters[i].var;
        em->var[v->id] = emit_define_value(
            em, emit_type_name(em, v->dtype), v->name,
            emit_index_text(em, b->iter_values[i], PREC_ANY),
            em->varying[v->id],
            emit_text_printf(em, "%s = %s", v->name,
                             emit_ir_text_expr(em, b->iter_values[i])));
    }
    if (ir_is_true(b->predicate)) {
        group_block_body(em, b);
        return;
    }
    const char *text = emit_index_text(em, b->predicate, PREC_ANDAND);
    if (emit_is_varying(em, b->predicate)) {
        const char *outer = em->kernel->mask;
        em->kernel->mask = mask_make(em, text);
        group_block_body(em, b);
        em->kernel->mask = outer;
        return;
    }
    emit_open_brace(em, "if (%s)", text);
    group_block_body(em, b);
    emit_close_brace(em);
}

/* On a device: around a statement that stores to what R3 orders. */
static void put_implicit_barrier(struct emitter *em, const struct ir_stmt *s)
{
    const struct ir_plan_info *facts = emit_plan_info(em, s);
    if (em->device != NULL && facts != NULL && facts->stored &&
        !em->kernel->left)
        emit_barrier(em);
}

static bool is_bare_collective(const struct ir_stmt *s)
{
    return s->kind == IR_EVALUATE &&
           (ir_is_collective(s->u.value) || s->u.value->kind == IR_INT_IMM);
}

static void group_simple(struct emitter *em, const struct ir_stmt *s)
{
    size_t stand_ins = em->stand_ins.len;
    if (s->kind == IR_ALLOC) {
        group_alloc(em, s->u.alloc.buffer, false);
        return;
    }
    if (s->kind == IR_ALLOC_CONST || s->kind == IR_DECL_BUFFER) {
        emit_stmt(em, s);
        return;
    }
    /* A tile instruction of a warp is stored for other warps, too. */
    bool bare = is_bare_collective(s);
    if (bare && emit_is_cuda(em))
        put_implicit_barrier(em, s);
    if (s->kind == IR_STORE) {
        emit_collectives(em, s->u.store.value);
        for (size_t i = 0; i < s->u.store.nindices; i++)
            emit_collectives(em, s->u.store.indices[i]);
    } else if (s->kind == IR_BIND) {
        emit_collectives(em, s->u.bind.value);
        emit_bind(em, s);
    } else if (s->kind == IR_EVALUATE) {
        emit_collectives(em, s->u.value);
    }
    if (bare && emit_is_cuda(em)) {
        put_implicit_barrier(em, s);
    } else if (s->kind != IR_BIND && !bare) {
        put_implicit_barrier(em, s);
        emit_thread_loop_open(em);
        emit_stmt(em, s);
        emit_thread_loop_close(em);
        put_implicit_barrier(em, s);
    }
    em->stand_ins.len = stand_ins;
}

/* ---- thread bindings ------------------------------------------------------------------------ */

static const struct ir_axis *bind_axis(struct emitter *em,
                                       const struct ir_stmt *s)
{
    const struct kernel_code *k = em->kernel;
    const char *tag;
    const struct ir_var *var = ir_thread_var(s, &tag);
    size_t axis = ir_axis_find(k->plan, tag);
    if (axis == k->plan->naxes) {
        emit_refuse(em, "thread axis '%s' in a called function", tag);
        return NULL;
    }
    const char *text = k->name[axis];
    if (s->kind == IR_FOR && !ir_is_const_int(s->u.loop.min, 0))
        text = emit_text_printf(em, "(%s + %s)",
                                emit_index_text(em, s->u.loop.min, PREC_ADD),
                                text);
    if (var->dtype.bits > 32)
        text = emit_text_printf(em, "(int64_t)%s", text);
    em->var[var->id] = text;
    return &k->plan->axes[axis];
}

static void put_group(struct emitter *em, const struct ir_stmt *s)
{
    const struct ir_plan_info *facts = emit_plan_info(em, s);
    if (em->failed)
        return;
    if (facts != NULL && facts->reduction != NULL) {
        emit_reduction(em, s, facts->reduction);
        return;
    }
    if (ir_thread_axis(s, NULL)) {
        const struct ir_axis *a = bind_axis(em, s);
        for (size_t i = 0; a != NULL && facts != NULL && i < facts->nmoved; i++)
            group_alloc(em, facts->moved[i], a->is_block);
        put_group(em, emit_thread_inside(s));
        return;
    }
    bool defines = defined_by(s) != NULL;
    if ((facts == NULL || !facts->lockstep) && !defines) {
        emit_thread_loop_open(em);
        emit_stmt(em, s);
        emit_thread_loop_close(em);
        return;
    }
    switch (s->kind) {
    case IR_SEQ: group_seq(em, s); return;
    case IR_FOR: group_for(em, s); return;
    case IR_WHILE: group_while(em, s); return;
    case IR_IF: group_if(em, s); return;
    case IR_BLOCK: group_block(em, s->u.block); return;
    case IR_ATTR:
        emit_queue(em, s, false, true);
        put_group(em, s->u.attr.body);
        emit_queue(em, s, true, true);
        return;
    case IR_FLAT_STMTS: group_simple(em, s); return;
    case IR_NSTMTS: return;
    }
}

/* ---- launch ----------------------------------------------------------------------------------- */

/* The extent of a binding, which is that of its axis; the first `known` axes
 * have theirs. */
static bool axis_extent(struct emitter *em, struct kernel_code *k,
                        const struct ir_binding *b, size_t *known)
{
    int64_t n = -1;
    if (!ir_const_int(b->extent, &n) && !k->plan->axes[b->axis].is_block)
        return emit_refuse(em, "thread axis '%s' of symbolic extent", b->tag);
    if (b->axis < *known)
        return k->extent[b->axis] == n ||
               emit_refuse(em, "thread axis '%s' of two extents", b->tag);
    if (*known == EMIT_MAX_AXES)
        return emit_refuse(em, "more than %d thread axes", EMIT_MAX_AXES);
    k->name[b->axis] = emit_name_make(em, b->tag);
    k->extent[b->axis] = n;
    k->extent_expr[b->axis] = b->extent;
    ++*known;
    return true;
}

/* What the host declared by a pointer into such storage, or into another view
 * of it, is a view of the new one. */
static void own_views(struct emitter *em, const struct ir_stmt *s)
{
    bool *own = ARENA_ARRAY(em->arena, em->host_views.len + 1, bool);
    for (size_t i = 0; i < em->host_views.len; i++) {
        const struct ir_stmt *view = em->host_views.items[i];
        for (size_t k = 0; k < em->host_allocs.len && !own[i]; k++)
            own[i] = emit_stmt_uses_var(view, em->host_allocs.items[k]->data);
        for (size_t k = 0; k < i && !own[i]; k++)
            own[i] = own[k] &&
                     emit_stmt_uses_var(
                         view, em->host_views.items[k]->u.decl.buffer->data);
        if (own[i] && emit_stmt_uses_var(s, view->u.decl.buffer->data))
            emit_decl(em, view);
    }
}

/* Storage of threads and blocks that was made on the host: each has its own
 * (rule 4). What stood for it before is put back by the caller. */
static void own_storage(struct emitter *em, const struct ir_stmt *s)
{
    for (size_t i = 0; i < em->host_allocs.len; i++) {
        const struct ir_buffer *b = em->host_allocs.items[i];
        bool used = emit_stmt_uses_var(s, b->data);
        for (size_t k = 0; k < em->host_views.len && !used; k++)
            used = emit_stmt_uses_var(em->host_views.items[k], b->data);
        if (!used)
            continue;
        for (uint32_t j = 0; j < em->m->nbuffers; j++)
            if (em->buffer[j].base != NULL && em->buffer[j].data == b->data)
                em->buffer[j].base = NULL;
        group_alloc(em, b, false);
    }
    own_views(em, s);
}

/* On a CPU: loops over the blocks. */
static void launch_loops(struct emitter *em, const struct ir_stmt *s,
                         struct kernel_code *k)
{
    size_t blocks = 0;
    emit_line_comment(em, "a kernel with blocks of %lld threads",
                      (long long)k->nthreads);
    for (size_t i = k->plan->naxes; i-- > 0;)
        if (k->plan->axes[i].is_block) {
            emit_open_brace(
                em, "for (int %s = 0; %s < %s; %s++)", k->name[i], k->name[i],
                emit_index_text(em, k->extent_expr[i], PREC_ADD), k->name[i]);
            blocks++;
        }
    if (blocks == 0)
        emit_open_brace(em, "%s", "");
    em->kernel = k;
    own_storage(em, s);
    put_group(em, s);
    for (size_t i = 0; i < (blocks > 0 ? blocks : 1); i++)
        emit_close_brace(em);
}

/* On a device: a kernel, and its launch by the host. */
static void launch_kernel(struct emitter *em, const struct ir_stmt *s,
                          struct kernel_code *k)
{
    const char *grid[3] = {"1", "1", "1"};
    struct kernel_frame frame;
    if (k->nthreads > (emit_is_cuda(em) ? 1024 : 4096)) {
        emit_refuse(em, "a block of more than %d threads",
                    emit_is_cuda(em) ? 1024 : 4096);
        return;
    }
    for (size_t i = 0; i < k->plan->naxes; i++) {
        const struct ir_axis *a = &k->plan->axes[i];
        if (!a->is_block)
            continue;
        if (!emit_host_can_compute(k->extent_expr[i]))
            emit_refuse(em, "a number of blocks that the host cannot compute");
        char last = a->tag[strlen(a->tag) - 1];
        grid[last == 'z' ? 2 : last == 'y'] =
            emit_index_text(em, k->extent_expr[i], PREC_ANY);
    }
    emit_kernel_open(
        em, &frame,
        emit_text_printf(em, "(size_t)(%s) * (size_t)(%s) * (size_t)(%s)",
                         grid[0], grid[1], grid[2]));
    em->kernel = k;
    put_device_axes(em);
    own_storage(em, s);
    put_group(em, s);
    emit_kernel_close(em, &frame, grid, k->nthreads);
}

static void launch(struct emitter *em, const struct ir_stmt *s)
{
    struct kernel_code k = {.plan = emit_plan_info(em, s)->kernel};
    size_t known = 0;
    for (size_t i = 0; i < k.plan->nbindings && !em->failed; i++)
        (void)axis_extent(em, &k, &k.plan->bindings[i], &known);
    if (em->failed)
        return;
    if (!ir_count_threads(k.plan, k.extent, MAX_THREADS, &k.nthreads,
                          &k.nlinear))
        emit_refuse(em, "a block of more than %d threads", MAX_THREADS);
    if (em->failed || k.nthreads == 0)
        return;
    size_t hosts = em->host_allocs.len;
    size_t nplaces = em->m->nbuffers + 1, nvars = em->m->nvars + 1;
    struct place_of_buffer *places =
        arena_memdup(em->arena, em->buffer, nplaces * sizeof *places);
    const char **vars = arena_memdup(em->arena, em->var, nvars * sizeof *vars);
    if (em->device != NULL)
        launch_kernel(em, s, &k);
    else
        launch_loops(em, s, &k);
    em->kernel = NULL;
    memcpy(em->buffer, places, nplaces * sizeof *places);
    memcpy(em->var, vars, nvars * sizeof *vars);
    em->host_allocs.len = hosts;
}

void emit_thread_stmt(struct emitter *em, const struct ir_stmt *s)
{
    if (em->kernel == NULL) {
        launch(em, s);
        return;
    }
    const struct ir_plan_info *facts = emit_plan_info(em, s);
    if (bind_axis(em, s) == NULL)
        return;
    for (size_t i = 0; facts != NULL && i < facts->nmoved; i++)
        emit_storage(em, facts->moved[i], 1, NULL);
    emit_stmt(em, emit_thread_inside(s));
}
