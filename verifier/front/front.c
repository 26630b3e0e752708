/* SPDX-License-Identifier: Apache-2.0
 *
 * The front end of the prover: a PrimFunc becomes a vprog. Parameters first,
 * then passes over the body (front.h) until no fact about a storage changes,
 * then the lists are handed over.
 */
#include "verifier/front/front.h"

#include <string.h>

#define MAX_PASSES 12
#define MAX_STORES 200000

void front_refuse(struct front *f, struct ir_pos pos, const char *fmt, ...)
{
    struct vprog *p = f->p;
    if (p->unsupported != NULL)
        return;
    va_list args;
    va_start(args, fmt);
    p->unsupported = arena_vprintf(f->arena, fmt, args);
    va_end(args);
    p->unsupported_pos = pos;
}

bool front_failed(const struct front *f)
{
    return f->p->unsupported != NULL;
}

struct facts *front_facts(struct front *f, const struct ir_buffer *b)
{
    if (f->facts[b->id] == NULL) {
        f->facts[b->id] = ARENA_NEW(f->lasting, struct facts);
        f->facts[b->id]->buffer = b;
    }
    return f->facts[b->id];
}

bool front_is_symbol(const struct front *f, const struct ir_var *var)
{
    for (size_t i = 0; i < f->symbols.len; i++)
        if (f->symbols.items[i].var == var)
            return true;
    for (size_t i = 0; i < f->p->nparams; i++)
        if (f->p->scalars[i] == var)
            return true;
    return false;
}

/* ---- parameters ------------------------------------------------------------------ */

static void see_symbols(struct front *f, const struct ir_prim_func *prim)
{
    for (size_t i = 0; i < prim->nparams; i++)
        if (prim->params[i].buffer == NULL &&
            dtype_is_int(prim->params[i].var->dtype))
            vec_push(&f->symbols,
                     ((struct vsymbol){prim->params[i].var, (int)i, -1}));
    for (size_t i = 0; i < prim->nparams; i++) {
        const struct ir_buffer *b = prim->params[i].buffer;
        for (size_t d = 0; b != NULL && d < b->rank; d++)
            if (b->shape[d]->kind == IR_VAR_REF &&
                !front_is_symbol(f, b->shape[d]->u.var))
                vec_push(&f->symbols, ((struct vsymbol){b->shape[d]->u.var,
                                                        (int)i, (int)d}));
    }
}

/* Arguments are compact: symbolic strides are those of the shape, and a
 * symbolic offset is 0. */
static void bind_layout(struct front *f, const struct ir_buffer *b)
{
    struct ir_expr *step = fx_index(f, 1);
    for (size_t d = b->rank; d-- > 0;) {
        struct ir_expr *e = b->nstrides == b->rank ? b->strides[d] : NULL;
        if (e != NULL && e->kind == IR_VAR_REF &&
            f->env[e->u.var->id].kind == BOUND_NOT &&
            !front_is_symbol(f, e->u.var))
            front_bind_symbol(f, e->u.var, step);
        step = fx_mul(f, step, fx_wide(f, front_scalar(f, b->shape[d])));
    }
    struct ir_expr *e = b->elem_offset;
    if (e != NULL && e->kind == IR_VAR_REF &&
        f->env[e->u.var->id].kind == BOUND_NOT && !front_is_symbol(f, e->u.var))
        front_bind_expr(f, e->u.var, fx_int(f, e->u.var->dtype, 0));
}

static void bind_params(struct front *f, const struct ir_prim_func *prim)
{
    struct vprog *p = f->p;
    p->nparams = prim->nparams;
    p->params = ARENA_ARRAY(f->arena, prim->nparams, struct vstorage *);
    p->scalars = ARENA_ARRAY(f->arena, prim->nparams, struct ir_var *);
    for (size_t i = 0; i < prim->nparams; i++)
        if (prim->params[i].buffer == NULL)
            p->scalars[i] = prim->params[i].var;
    see_symbols(f, prim);
    for (size_t i = 0; i < prim->nparams; i++) {
        const struct ir_buffer *b = prim->params[i].buffer;
        if (b == NULL) {
            if (dtype_is_handle(prim->params[i].var->dtype))
                front_refuse(f, f->p->func->pos,
                             "parameter '%s' is a pointer without a buffer",
                             prim->params[i].var->name);
            continue;
        }
        bind_layout(f, b);
        struct fstorage *s = front_parameter(f, b, (int)i);
        front_own(f, b, s);
        if (b->elem_offset != NULL &&
            !fx_same(front_scalar(f, b->elem_offset), fx_index(f, 0)))
            front_refuse(f, b->pos, "parameter '%s' has an offset", b->name);
        front_list(f, s);
        p->params[i] = &s->pub;
    }
}

/* ---- passes --------------------------------------------------------------------------- */

/* The statement after which nothing runs: a return there is none. */
static const struct ir_stmt *last_of(const struct ir_stmt *s)
{
    while (s != NULL)
        if (s->kind == IR_SEQ && s->u.seq.n > 0)
            s = s->u.seq.items[s->u.seq.n - 1];
        else if (s->kind == IR_ATTR)
            s = s->u.attr.body;
        else
            break;
    return s;
}

/* R4: storage whose accesses all lie below a parallel loop is that loop's. */
static void decide_moves(struct front *f)
{
    for (uint32_t i = 0; i < f->module->nbuffers; i++) {
        struct facts *x = f->facts[i];
        if (x == NULL || x->at == NULL || x->common == NULL ||
            x->common->depth <= x->at->depth)
            continue;
        x->moved = x->common->stmt;
        f->moves = f->again = true;
    }
}

/* A barrier of the function's own, reached or not, ends those that are implied
 * for its scope (R3). */
static bool see_barrier(void *user, struct ir_expr *e)
{
    struct vprog *p = user;
    if (e->kind != IR_CALL || e->u.call.op != IR_OP_STORAGE_SYNC ||
        e->nargs == 0 || e->args[0]->kind != IR_STRING_IMM)
        return true;
    const char *scope = e->args[0]->u.string.text;
    p->explicit_shared |= strncmp(scope, "shared", 6) == 0;
    p->explicit_warp |= strcmp(scope, "warp") == 0;
    return true;
}

static void pass_begin(struct front *f, struct vprog *p)
{
    if (p->scratch != NULL)
        ir_module_free(p->scratch);
    f->m = p->scratch = ir_module_new();
    f->arena = p->arena = p->scratch->arena;
    f->m->nvars = f->module->nvars;
    f->m->nbuffers = f->module->nbuffers;
    p->unsupported = NULL;
    p->explicit_shared = p->explicit_warp = false;
    struct ir_visitor barriers = {NULL, see_barrier, p};
    ir_visit_stmt(&barriers, p->func->prim.body);
    f->again = false;
    f->env = ARENA_ARRAY(f->arena, f->module->nvars, struct binding);
    f->views = ARENA_ARRAY(f->arena, f->module->nbuffers, struct fview *);
    f->undo.len = f->infos.len = f->scopes.len = f->steps.len = 0;
    f->storages.len = f->loops.len = f->stores.len = f->asserts.len = 0;
    f->barriers.len = f->evals.len = f->symbols.len = f->live.len = 0;
    f->groups.len = 0;
    f->exchanges.len = f->masks.len = f->floors.len = 0;
    f->launch = NULL;
    f->nlaunches = 0;
    for (uint32_t i = 0; i < f->module->nbuffers; i++)
        if (f->facts[i] != NULL) {
            f->facts[i]->launch = 0;
            f->facts[i]->several = false;
        }
    f->par = &f->root;
    f->block_depth = 0;
    f->stmt = NULL;
    f->block_name = NULL;
    f->in_init = f->in_reduction = false;
    f->reducer = NULL;
    front_ranges_begin(f);
}

static void run_pass(struct front *f, struct vprog *p,
                     const struct ir_prim_func *prim)
{
    pass_begin(f, p);
    struct ir_stmt outside = {.kind = IR_SEQ, .pos = p->func->pos};
    f->stmt = &outside;
    bind_params(f, prim);
    f->last = last_of(prim->body);
    front_stmt(f, prim->body);
    front_check_masks(f);
    front_check_floors(f);
    if (!front_failed(f))
        front_ranges_end(f);
    if (f->pass == 0 && !front_failed(f))
        decide_moves(f);
    if (!f->again && !front_failed(f))
        front_check_launches(f);
}

static void front_fini(struct front *f)
{
    for (uint32_t i = 0; i < f->module->nbuffers; i++)
        if (f->facts[i] != NULL)
            vec_fini(&f->facts[i]->ranges);
    vec_fini(&f->undo);
    vec_fini(&f->infos);
    vec_fini(&f->scopes);
    vec_fini(&f->scopes_at);
    vec_fini(&f->steps);
    vec_fini(&f->storages);
    vec_fini(&f->loops);
    vec_fini(&f->stores);
    vec_fini(&f->asserts);
    vec_fini(&f->barriers);
    vec_fini(&f->groups);
    vec_fini(&f->evals);
    vec_fini(&f->symbols);
    vec_fini(&f->live);
    vec_fini(&f->exchanges);
    vec_fini(&f->masks);
    vec_fini(&f->floors);
    arena_free(f->lasting);
}

static struct vprog *make(struct front *f, const struct ir_func *func)
{
    const struct ir_module *module = f->module;
    struct vprog *p = f->p = dc_alloc(sizeof *p);
    f->lasting = arena_new();
    p->module = module;
    p->func = func;
    f->facts = ARENA_ARRAY(f->lasting, module->nbuffers, struct facts *);
    if (func->kind != IR_FUNC_PRIM || func->prim.body == NULL) {
        pass_begin(f, p);
        front_refuse(f, func->pos, "'%s' is no PrimFunc with a body",
                     func->name);
    } else {
        for (f->pass = 0; f->pass < MAX_PASSES; f->pass++) {
            run_pass(f, p, &func->prim);
            if (front_failed(f) || !f->again)
                break;
        }
        if (f->again)
            front_refuse(f, func->pos, "views that do not settle");
        if (f->stores.len > MAX_STORES)
            front_refuse(f, func->pos, "more than %d stores", MAX_STORES);
    }
    if (!front_failed(f))
        front_finish(f);
    front_fini(f);
    return p;
}

struct vprog *vprog_make(const struct ir_module *module,
                         const struct ir_func *func)
{
    struct front f = {.module = module};
    return make(&f, func);
}

#ifdef DC_TEST_OBLIGATIONS
struct vprog *vprog_make_without(const struct ir_module *module,
                                 const struct ir_func *func,
                                 const char *leave_out)
{
    struct front f = {.module = module, .leave_out = leave_out};
    return make(&f, func);
}
#endif

void vprog_free(struct vprog *p)
{
    if (p == NULL)
        return;
    ir_module_free(p->scratch);
    dc_release(p);
}

struct vstorage *vprog_storage(const struct vprog *p,
                               const struct ir_buffer *buffer)
{
    size_t lo = 0, hi = p->nstorages;
    while (lo < hi) { /* ids of canonical buffers ascend */
        size_t mid = lo + (hi - lo) / 2;
        if (p->storages[mid]->buffer->id < buffer->id)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < p->nstorages && p->storages[lo]->buffer == buffer
               ? p->storages[lo]
               : NULL;
}
