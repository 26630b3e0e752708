/* SPDX-License-Identifier: Apache-2.0
 *
 * Stages as kernels: a launch a stage, or one thread block for all.
 *
 * A stage's free axes become one loop over blocks and threads, the others stay
 * in each thread, so that no two threads write one element. An input may be
 * copied to shared memory first, by all threads of each block, with a barrier
 * behind it. In the fused kernel one block of threads goes through all stages;
 * what one stage makes is in shared memory (global where its size is symbolic)
 * and a barrier stands between any two stages, or, where nothing but shared
 * memory needs one, is left to docs/semantics.md rule 3.
 */
#include "fuzz/gen_private.h"

#include <string.h>

#define PLAIN_THREADS 4

static int64_t draw_threads(struct gen_emit *x)
{
    static const int64_t counts[] = {1, 2, 3, 4, 5, 8, 16};
    return x->b ? counts[gen_below(x->b, DC_ARRAY_LEN(counts))] : PLAIN_THREADS;
}

/* ---- shared copies --------------------------------------------------------- */

static int64_t elements_of(const struct gen_tensor *t)
{
    int64_t n = 1;
    for (size_t i = 0; i < t->rank; i++) {
        if (t->dims[i].symbolic)
            return -1;
        n *= t->dims[i].size;
    }
    return n;
}

#define MAX_COPIED 1500 /* elements, by all blocks together */

/* A tensor of static size that the stage reads; SIZE_MAX if none. */
static size_t shared_candidate(const struct gen_nest *nest)
{
    struct gen_emit *x = nest->x;
    const struct gen_stage *s = nest->s;
    const struct gen_program *p = x->p;
    int64_t blocks = gen_loop_extent(nest, 0);
    int64_t room = MAX_COPIED / (blocks > 0 ? blocks : 50);
    size_t turn = (size_t)gen_below(x->b, p->ntensors);
    for (size_t k = 0; k < p->ntensors; k++) {
        size_t t = (k + turn) % p->ntensors;
        int64_t size = elements_of(&p->tensors[t]);
        if (t != s->tensor && !p->tensors[t].gone && size > 0 && size <= room &&
            ir_loads(s->term, p->tensors[t].buffer))
            return t;
    }
    return SIZE_MAX;
}

/* Threads copy every threads-th element. */
static void copy_to_shared(struct gen_emit *x, size_t tensor,
                           const struct gen_loop *thread, int64_t threads,
                           struct gen_stmts *out)
{
    struct ir_module *m = x->m;
    const struct gen_tensor *t = &x->p->tensors[tensor];
    int64_t size = elements_of(t);
    struct ir_expr *shape[GEN_MAX_RANK], *at[GEN_MAX_RANK], *to[GEN_MAX_RANK];
    for (size_t i = 0; i < t->rank; i++)
        shape[i] = gen_extent(x, t->dims[i]);
    struct ir_buffer *shared =
        ir_buffer_make(m, arena_printf(m->arena, "%s_shared", t->name),
                       t->dtype, t->rank, shape, NULL, "shared");
    struct ir_var *round = gen_fresh_var(x, "s");
    struct ir_expr *flat =
        gen_op(m, IR_ADD, gen_op_int(m, IR_MUL, ir_var_ref(m, round), threads),
               ir_var_ref(m, thread->var));
    struct ir_expr *rest = flat;
    for (size_t i = t->rank; i-- > 0;) {
        at[i] =
            i == 0 ? rest : gen_op_int(m, IR_FLOORMOD, rest, t->dims[i].size);
        rest = gen_op_int(m, IR_FLOORDIV, rest, t->dims[i].size);
    }
    memcpy(to, at, sizeof to);
    struct ir_stmt *copy = ir_store(
        m, shared, gen_fetch(x, tensor, t->rank, at), t->rank, to, NULL);
    if (size % threads != 0)
        copy = gen_cond(
            x, ir_binary(m, IR_LT, flat, ir_int(m, flat->dtype, size)), copy);
    gen_stmts_add(out, gen_alloc(x, shared));
    const struct gen_loop rounds = {
        .var = round,
        .extent = ir_int(m, x->p->index, (size + threads - 1) / threads),
        .kind = IR_FOR_SERIAL};
    gen_stmts_add(out, gen_for(x, &rounds, copy));
    gen_stmts_add(out, gen_barrier(x));
    x->tensors[tensor] = (struct gen_store){.buffer = shared};
    gen_note(x, GEN_STEP_SHARED);
}

/* ---- a kernel a stage ------------------------------------------------------ */

void gen_kernel_stage(struct gen_emit *x, const struct gen_stage *s,
                      struct gen_stmts *out)
{
    struct gen_nest nest;
    struct gen_stmts body = {0};
    struct gen_store saved[GEN_MAX_TENSORS];
    int64_t threads = draw_threads(x);
    memcpy(saved, x->tensors, sizeof saved);
    gen_nest_init(&nest, x, s);
    gen_nest_bind(&nest, threads);
    if (x->b)
        gen_nest_tune(&nest, 2);
    gen_nest_settle(&nest);
    gen_note(x, GEN_STEP_BIND);
    size_t shared = gen_tuned(x, 1, 2) ? shared_candidate(&nest) : SIZE_MAX;
    if (shared != SIZE_MAX)
        copy_to_shared(x, shared, &nest.loops[1], threads, &body);
    x->local_scope = true;
    gen_stage_loops(&nest, 2, &body);
    x->local_scope = false;
    memcpy(x->tensors, saved, sizeof saved);
    struct ir_stmt *kernel =
        gen_launch(x, nest.loops[1].var, nest.loops[1].extent,
                   nest.loops[1].tag, gen_stmts_seq(x, &body));
    gen_stmts_add(out, gen_launch(x, nest.loops[0].var, nest.loops[0].extent,
                                  nest.loops[0].tag, kernel));
}

/* ---- all stages in one ----------------------------------------------------- */

/* What needs barriers is in shared memory only. */
static bool only_shared(const struct gen_emit *x)
{
    const struct gen_program *p = x->p;
    for (size_t i = 0; i < p->nstages; i++) {
        size_t made = p->stages[i].tensor;
        bool shared = strcmp(x->tensors[made].buffer->scope, "shared") == 0;
        for (size_t k = 0; k < p->nstages && !shared; k++) {
            const struct gen_stage *s = &p->stages[k];
            const struct ir_buffer *buffer = p->tensors[made].buffer;
            if (ir_loads(s->term, buffer) ||
                (s->init && ir_loads(s->init, buffer)))
                return false;
        }
    }
    return true;
}

static void fused_stage(struct gen_emit *x, const struct gen_stage *s,
                        int64_t threads, struct gen_stmts *out)
{
    struct gen_nest nest;
    gen_nest_init(&nest, x, s);
    gen_nest_bind(&nest, threads);
    nest.loops[0].kind = IR_FOR_SERIAL;
    nest.loops[0].tag = NULL;
    gen_nest_tune(&nest, 2);
    gen_nest_settle(&nest);
    gen_nest_drop(&nest, 1, ir_var_ref(x->m, x->launch));
    gen_stage_loops(&nest, 0, out);
}

struct ir_stmt *gen_kernel_fused(struct gen_emit *x)
{
    struct gen_program *p = x->p;
    struct ir_module *m = x->m;
    int64_t threads = draw_threads(x);
    size_t n = 0;
    struct ir_stmt *body[GEN_MAX_TENSORS + 3 * GEN_MAX_STAGES];
    bool implicit = only_shared(x) && gen_tuned(x, 1, 2);
    x->launch = gen_fresh_var(x, "tx");
    x->local_scope = true;
    for (size_t i = 0; i < p->ntensors; i++)
        if (!p->tensors[i].param && p->tensors[i].made && !p->tensors[i].gone &&
            strcmp(x->tensors[i].buffer->scope, "shared") == 0)
            body[n++] = gen_alloc(x, x->tensors[i].buffer);
    for (size_t i = 0; i < p->nstages; i++) {
        struct gen_stmts stage = {0};
        fused_stage(x, &p->stages[i], threads, &stage);
        for (size_t k = 0; k < stage.n; k++)
            body[n++] = stage.items[k];
        if (!implicit && i + 1 < p->nstages)
            body[n++] = gen_barrier(x);
    }
    x->local_scope = false;
    gen_note(x, GEN_STEP_FUSED_KERNEL);
    if (implicit)
        gen_note(x, GEN_STEP_IMPLICIT_SYNC);
    struct ir_var *block = gen_fresh_var(x, "bx");
    struct ir_stmt *kernel =
        gen_launch(x, x->launch, ir_int(m, p->index, threads), "threadIdx.x",
                   n == 1 ? body[0] : ir_seq(m, n, body));
    return gen_launch(x, block, ir_int(m, p->index, 1), "blockIdx.x", kernel);
}
