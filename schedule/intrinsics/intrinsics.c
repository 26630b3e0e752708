/* SPDX-License-Identifier: Apache-2.0
 *
 * Tensor intrinsics by name: the tables of the families, and the functions
 * that a row becomes.
 */
#include "schedule/intrinsics/intrinsics_private.h"

#include <string.h>

static const struct tensor_row *const families[] = {
    tensor_tile_rows, tensor_mma_rows, tensor_dot_rows, tensor_mfma_rows};

/* Implementations that do something else than their descriptions say
 * (docs/intrinsics.md). */
static const struct {
    const char *name, *wrong;
} refuted[] = {
    {"dot_16x4_avx512", "sums of two products saturate at 16 bits"},
    {"dot_product_32x2_i16i16i32_vdmpy", "sums saturate at 32 bits"},
};

/* The row of that name, or the number'th of all; NULL: there is none. */
static const struct tensor_row *row_of(const char *name, size_t number)
{
    for (size_t f = 0; f < DC_ARRAY_LEN(families); f++)
        for (const struct tensor_row *r = families[f]; r->name; r++)
            if (name ? !strcmp(name, r->name) : number-- == 0)
                return r;
    return NULL;
}

const char *schedule_intrinsic_name(size_t number)
{
    const struct tensor_row *r = row_of(NULL, number);
    return r ? r->name : NULL;
}

/* Boxes of whole operands of k, of those that a description touches so
 * (SCHED_READ, SCHED_WRITE). What is updated comes first among what is read. */
static struct ir_region *whole(const struct tensor_making *described,
                               struct ir_stmt *body, unsigned what,
                               struct tensor_making *k, size_t *n)
{
    struct schedule s = {.m = k->m};
    struct sched_touch touch;
    struct ir_region *out =
        ARENA_ARRAY(k->m->arena, TENSOR_MAX_OPERANDS, struct ir_region);
    *n = 0;
    sched_touch(body, &touch);
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < k->n; i++) {
            unsigned how = sched_touches(&touch, described->operands[i]->data);
            bool first = k->in_order || how == (SCHED_READ | SCHED_WRITE);
            if ((how & what) && first == (pass == 0))
                out[(*n)++] = sched_full_region(&s, k->operands[i]);
        }
    return out;
}

static struct ir_func *function_of(struct tensor_making *k, const char *suffix,
                                   struct ir_block *b)
{
    struct arena *arena = k->m->arena;
    struct ir_func *f = ARENA_NEW(arena, struct ir_func);
    struct ir_stmt *stmt = ir_stmt_make(k->m, IR_BLOCK);
    f->kind = IR_FUNC_PRIM;
    f->name = arena_printf(arena, "%s_%s", k->row->name, suffix);
    f->prim.nparams = k->n;
    f->prim.params = ARENA_ARRAY(arena, k->n, struct ir_param);
    for (size_t i = 0; i < k->n; i++) {
        f->prim.params[i].buffer = k->operands[i];
        f->prim.params[i].var = ir_var_make(
            k->m, arena_printf(arena, "var_%s", k->operands[i]->name),
            DTYPE_HANDLE);
    }
    b->name = "root";
    b->predicate = ir_int(k->m, DTYPE_BOOL, 1);
    stmt->u.block = b;
    ir_stmt_seal(stmt);
    f->prim.body = stmt;
    return f;
}

bool sched_intrinsic_make(struct ir_module *m, const char *name,
                          struct dtype index, struct sched_intrinsic *out)
{
    struct tensor_making desc = {
        .m = m, .row = row_of(name, 0), .index = index, .describe = true};
    if (!desc.row)
        return false;
    struct tensor_making impl = desc;
    impl.describe = false;
    struct ir_block *d = ARENA_NEW(m->arena, struct ir_block);
    struct ir_block *i = ARENA_NEW(m->arena, struct ir_block);
    d->body = desc.row->make(&desc);
    i->body = desc.row->make(&impl);
    d->reads = whole(&desc, d->body, SCHED_READ, &desc, &d->nreads);
    d->writes = whole(&desc, d->body, SCHED_WRITE, &desc, &d->nwrites);
    i->reads = whole(&desc, d->body, SCHED_READ, &impl, &i->nreads);
    i->writes = whole(&desc, d->body, SCHED_WRITE, &impl, &i->nwrites);
    out->wrong = NULL;
    for (size_t j = 0; j < DC_ARRAY_LEN(refuted); j++)
        if (!strcmp(name, refuted[j].name))
            out->wrong = refuted[j].wrong;
    out->desc = function_of(&desc, "desc", d);
    out->impl = function_of(&impl, "impl", i);
    return true;
}

struct ir_module *schedule_intrinsic(const char *name)
{
    struct ir_module *m = ir_module_new();
    struct sched_intrinsic made;
    if (!sched_intrinsic_make(m, name, DTYPE_INT32, &made)) {
        ir_module_free(m);
        return NULL;
    }
    (void)ir_module_add(m, made.desc);
    (void)ir_module_add(m, made.impl);
    return m;
}
