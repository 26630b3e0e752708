/* SPDX-License-Identifier: Apache-2.0
 *
 * Blocks: `with T.block("C"):` (T.sblock since TVM 0.24), their iterators
 * (T.axis.*), claimed regions (T.reads, T.writes), predicate (T.where) and
 * annotations; and the root block that authors and printers leave out.
 *
 * Regions that a block does not state are worked out from its body when it is
 * complete (script_region.c). A root block is put around a function that
 * allocates buffers outside of blocks or whose outermost block is no root.
 */
#include "ir/readers/tvmscript/script.h"

#include <string.h>

/* ---- claims ------------------------------------------------------------- */

bool script_is_block_stmt(const char *name)
{
    return strcmp(name, "reads") == 0 || strcmp(name, "writes") == 0 ||
           strcmp(name, "where") == 0 || strcmp(name, "block_attr") == 0 ||
           strcmp(name, "sblock_attr") == 0;
}

/* T.reads(A[i], B[0:4]); also with one list of them */
static bool set_regions(struct script *s, const struct sv_call *c,
                        struct ir_region **out, size_t *count)
{
    struct sv *const *items = c->args;
    size_t n = c->nargs;
    if (n == 1) {
        size_t inner = script_items(c->args[0], &items);
        if (inner != SIZE_MAX)
            n = inner;
        else
            items = c->args;
    }
    *out = ARENA_ARRAY(s->m->arena, n, struct ir_region);
    *count = n;
    for (size_t i = 0; i < n; i++) {
        if (!script_region_of(s, items[i], &(*out)[i]))
            return false;
    }
    return true;
}

static bool set_predicate(struct script *s, const struct sv_call *c,
                          struct ir_block *b)
{
    struct sv *v = script_arg(c, 0, "predicate");
    int64_t value;
    struct ir_expr *e = NULL;
    if (v && (v->kind == SV_INT || v->kind == SV_BOOL) &&
        script_int_of(v, &value) && (value == 0 || value == 1))
        e = ir_int(s->m, DTYPE_BOOL, value);
    else if (v)
        e = script_expr_of(s, v);
    if (!e || !dtype_is_bool(e->dtype)) {
        script_fail(s, c->pos, "script.type",
                    "'T.where' takes a condition of type bool");
        return false;
    }
    b->predicate = e;
    return true;
}

bool script_block_stmt(struct script *s, const struct sv_call *c)
{
    struct script_block *b = s->func->block;
    if (!b) {
        script_fail(s, c->pos, "script.syntax",
                    "'T.%s' stands outside of a block", c->name);
        return false;
    }
    if (strcmp(c->name, "reads") == 0) {
        b->has_reads = true;
        return set_regions(s, c, &b->block->reads, &b->block->nreads);
    }
    if (strcmp(c->name, "writes") == 0) {
        b->has_writes = true;
        return set_regions(s, c, &b->block->writes, &b->block->nwrites);
    }
    if (strcmp(c->name, "where") == 0)
        return set_predicate(s, c, b->block);
    struct ir_value *map = script_map_of(s, script_arg(c, 0, "attrs"));
    if (b->block->annotations && map) {
        script_fail(s, c->pos, "script.syntax",
                    "this block has a second 'T.%s'", c->name);
        return false;
    }
    b->block->annotations = map;
    return !s->failed;
}

/* ---- iterators ---------------------------------------------------------- */

static bool axis_type(const char *name, enum ir_iter_type *out)
{
    static const struct {
        const char *name;
        enum ir_iter_type type;
    } types[] = {{"spatial", IR_ITER_SPATIAL},
                 {"S", IR_ITER_SPATIAL},
                 {"reduce", IR_ITER_REDUCE},
                 {"R", IR_ITER_REDUCE},
                 {"scan", IR_ITER_SCAN},
                 {"opaque", IR_ITER_OPAQUE},
                 /* no words of TVM's: what our printer calls the others */
                 {"thread", IR_ITER_THREAD},
                 {"unrolled", IR_ITER_UNROLLED},
                 {"vectorized", IR_ITER_VECTORIZED},
                 {"parallelized", IR_ITER_PARALLEL},
                 {"tensorized", IR_ITER_TENSORIZED}};
    for (size_t i = 0; i < DC_ARRAY_LEN(types); i++) {
        if (strcmp(types[i].name, name) == 0) {
            *out = types[i].type;
            return true;
        }
    }
    return false;
}

static struct sv *push_iter(struct script *s, const struct ir_iter_var *iter,
                            struct ir_expr *value, uint32_t symbol,
                            struct ir_pos pos)
{
    struct script_block *b = s->func->block;
    vec_push(&b->iters, *iter);
    vec_push(&b->values, value);
    struct sv *v = sv_expr(s, ir_var_ref(s->m, iter->var), pos);
    if (symbol != UINT32_MAX)
        script_bind(s, symbol, v);
    return v;
}

/* The domain n, (lo, hi) or T.Range(…). */
static bool axis_domain(struct script *s, struct sv *v, struct ir_range *out)
{
    struct sv *const *items;
    if (v->kind == SV_RANGE) {
        *out = v->u.range;
        return true;
    }
    size_t n = script_items(v, &items);
    if (n == 2) {
        struct ir_expr *lo = script_index_of(s, items[0]);
        struct ir_expr *hi = script_index_of(s, items[1]);
        if (!lo || !hi)
            return false;
        if (lo->kind == IR_INT_IMM && lo->dtype.bits < hi->dtype.bits)
            lo = script_cast(s, hi->dtype, lo);
        *out = (struct ir_range){lo, script_difference(s, hi, lo)};
        return out->extent != NULL;
    }
    out->extent = script_index_of(s, v);
    if (!out->extent)
        return false;
    out->min = ir_int(s->m, out->extent->dtype, 0);
    return true;
}

static bool is_scalar_int(struct script *s, struct dtype t, struct ir_pos pos)
{
    if (dtype_is_int(t) && t.lanes == 1 && !t.scalable)
        return true;
    script_fail(s, pos, "script.type", "expected an integer type");
    return false;
}

/* v = T.axis.spatial(16, i) */
static struct sv *single_axis(struct script *s, const struct sv_call *c,
                              enum ir_iter_type type, uint32_t symbol)
{
    struct sv *dom = script_arg(c, 0, "dom");
    struct sv *binding = script_arg(c, 1, "binding");
    struct sv *least = script_arg(c, 2, "dtype");
    struct ir_iter_var iter = {.has_dom = true, .type = type, .thread_tag = ""};
    if (!dom || !binding)
        return script_fail(s, c->pos, "script.type",
                           "'T.%s' takes a domain and a binding", c->name);
    if (!axis_domain(s, dom, &iter.dom))
        return NULL;
    struct dtype t = iter.dom.extent->dtype;
    if (iter.dom.min->dtype.bits > t.bits)
        t = iter.dom.min->dtype;
    struct dtype wide = DTYPE_INT32; /* it has at least these bits */
    if (least && (!script_value_dtype_of(s, least, &wide) ||
                  !is_scalar_int(s, wide, least->pos)))
        return NULL;
    if (t.bits < wide.bits)
        t = wide;
    struct ir_expr *value = script_expr_as(s, binding, t);
    if (!value)
        return NULL;
    const char *name =
        symbol == UINT32_MAX ? "v" : script_symbol_text(s, symbol);
    iter.var = ir_var_make(s->m, name, t);
    return push_iter(s, &iter, value, symbol, c->pos);
}

static const struct script_loop *find_loop(const struct script *s,
                                           const struct ir_expr *e)
{
    for (size_t i = s->func->loops.len; i-- > 0;) {
        const struct script_loop *loop = &s->func->loops.items[i];
        if (e->kind == IR_VAR_REF && loop->var == e->u.var)
            return loop;
    }
    return NULL;
}

/* vi, vj = T.axis.remap("SR", [i, j]) */
static struct sv *remap_axes(struct script *s, const struct sv_call *c,
                             size_t nnames, const uint32_t *names)
{
    struct sv *kinds = script_arg(c, 0, "kinds");
    struct sv *least = script_arg(c, 2, "dtype");
    struct sv *list = script_arg(c, 1, "bindings");
    const char *text = kinds ? script_string_of(s, kinds) : NULL;
    struct sv *const *items;
    size_t n = list ? script_items(list, &items) : SIZE_MAX;
    if (least)
        return script_fail(s, least->pos, "script.unsupported",
                           "'T.axis.remap' takes the types of its loops here");
    if (!text || n != strlen(text) || n == 0)
        return script_fail(s, c->pos, "script.type",
                           "'T.axis.remap' takes one letter a loop, such as "
                           "\"SR\", and a list of loops");
    struct sv *tuple = sv_make(s, SV_TUPLE, c->pos);
    tuple->u.list.n = n;
    tuple->u.list.items = ARENA_ARRAY(s->m->arena, n, struct sv *);
    for (size_t i = 0; i < n; i++) {
        struct ir_expr *e = script_expr_of(s, items[i]);
        const struct script_loop *loop = e ? find_loop(s, e) : NULL;
        if (!e)
            return NULL;
        if (!loop)
            return script_fail(s, items[i]->pos, "script.type",
                               "expected the variable of an enclosing loop");
        if (text[i] != 'S' && text[i] != 'R')
            return script_fail(s, kinds->pos, "script.type",
                               "expected 'S' or 'R', not '%c'", text[i]);
        struct ir_iter_var iter = {.has_dom = true,
                                   .dom = loop->range,
                                   .type = text[i] == 'S' ? IR_ITER_SPATIAL
                                                          : IR_ITER_REDUCE,
                                   .thread_tag = ""};
        uint32_t symbol = i < nnames ? names[i] : UINT32_MAX;
        iter.var = ir_var_make(
            s->m, symbol == UINT32_MAX ? "v" : script_symbol_text(s, symbol),
            loop->var->dtype);
        tuple->u.list.items[i] = push_iter(s, &iter, e, symbol, c->pos);
    }
    return n == 1 ? tuple->u.list.items[0] : tuple;
}

struct sv *script_axis(struct script *s, const struct sv_call *c, size_t nnames,
                       const uint32_t *names)
{
    const char *kind = c->name + strlen("axis.");
    enum ir_iter_type type;
    if (!s->func || !s->func->block)
        return script_fail(s, c->pos, "script.syntax",
                           "'T.%s' stands outside of a block", c->name);
    if (strcmp(kind, "remap") == 0)
        return remap_axes(s, c, nnames, names);
    if (axis_type(kind, &type))
        return single_axis(s, c, type, nnames ? names[0] : UINT32_MAX);
    return script_fail(s, c->pos, "script.unsupported", "there is no 'T.%s'",
                       c->name);
}

/* ---- blocks ------------------------------------------------------------- */

static struct ir_stmt *finish_block(struct script *s, struct script_block *b,
                                    struct ir_pos pos)
{
    struct arena *arena = s->m->arena;
    struct ir_block *block = b->block;
    block->niters = b->iters.len;
    block->iters = arena_memdup(arena, b->iters.items,
                                b->iters.len * sizeof *b->iters.items);
    block->iter_values = arena_memdup(arena, b->values.items,
                                      b->values.len * sizeof *b->values.items);
    block->nallocs = b->allocs.len;
    block->allocs = arena_memdup(arena, b->allocs.items,
                                 b->allocs.len * sizeof *b->allocs.items);
    block->nmatches = b->matches.len;
    block->matches = arena_memdup(arena, b->matches.items,
                                  b->matches.len * sizeof *b->matches.items);
    struct ir_stmt *stmt = ir_stmt_make(s->m, IR_BLOCK);
    stmt->u.block = block;
    if (!script_checked_stmt(s, stmt, pos))
        return NULL;
    s->func->claims_reads = b->has_reads;
    s->func->claims_writes = b->has_writes;
    if ((!b->has_reads || !b->has_writes) &&
        !script_complete_block(s, block, !b->has_reads, !b->has_writes))
        return NULL;
    return stmt;
}

/* block := "with" "T.block" "(" NAME ")" suite */
struct ir_stmt *script_block(struct script *s, struct sv_call *c)
{
    struct sv *name = script_arg(c, 0, "name");
    struct sv *bare = script_arg(c, 1, "no_realize");
    struct script_block b = {.outer = s->func->block};
    if (script_bool_of(s, bare, false))
        return script_fail(s, c->pos, "script.unsupported",
                           "a block without bindings is not supported");
    b.block = ARENA_NEW(s->m->arena, struct ir_block);
    b.block->name = name ? script_string_of(s, name) : "";
    b.block->predicate = ir_int(s->m, DTYPE_BOOL, 1);
    if (!b.block->name)
        return NULL;
    s->func->block = &b;
    s->func->has_block = true;
    struct ir_stmt *stmt = NULL;
    b.block->body = script_parse_suite(s);
    if (b.block->body)
        stmt = finish_block(s, &b, c->pos);
    s->func->block = b.outer;
    vec_fini(&b.iters);
    vec_fini(&b.values);
    vec_fini(&b.allocs);
    vec_fini(&b.matches);
    return stmt;
}

struct ir_stmt *script_root_block(struct script *s, struct ir_stmt *body)
{
    struct script_func *f = s->func;
    bool is_block = body->kind == IR_BLOCK;
    bool wanted = f->root_allocs.len || (is_block && body->u.block->niters) ||
                  (!is_block && f->has_block);
    if (!wanted && is_block) {
        /* It is the root itself, and the root claims only what is stated. */
        if (!f->claims_reads)
            body->u.block->nreads = 0;
        if (!f->claims_writes)
            body->u.block->nwrites = 0;
    }
    if (!wanted)
        return body;
    struct ir_block *root = ARENA_NEW(s->m->arena, struct ir_block);
    root->name = "root";
    root->predicate = ir_int(s->m, DTYPE_BOOL, 1);
    root->nallocs = f->root_allocs.len;
    root->allocs =
        arena_memdup(s->m->arena, f->root_allocs.items,
                     f->root_allocs.len * sizeof *f->root_allocs.items);
    root->body = body;
    struct ir_stmt *stmt = ir_stmt_make(s->m, IR_BLOCK);
    stmt->u.block = root;
    return script_checked_stmt(s, stmt, body->pos);
}
