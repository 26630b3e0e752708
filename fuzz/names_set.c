/* SPDX-License-Identifier: Apache-2.0
 *
 * Other names for everything in a module (names.h): tame ones, and strange ones
 * out of a seed.
 */
#include "fuzz/names.h"

#include <string.h>

const char *names_tame(void *user, size_t object, struct arena *arena)
{
    (void)user;
    return arena_printf(arena, "zq%zu", object);
}

/* ---- strange names --------------------------------------------------------------------- */

/* What ends a comment, a line, a literal, a name; what a terminal obeys; words
 * of the languages and macros. */
static const char *const strange[] = {
    "*/",
    "/*",
    "*/ _Static_assert(0, \"escaped\"); /*",
    "//",
    "a\nb",
    "a\\\nb",
    "a\\",
    "?\?/",
    "?\?/\n*/ x",
    "\"",
    "\"); exit(7); (\"",
    "'",
    "%s%n",
    "\x1b[31mred",
    "\xc2\x9b"
    "31mred",
    "\x9b"
    "31m",
    "\x7f",
    "\r",
    "\t",
    "\xff\xfe",
    "\xc3",
    "\xe2\x80\xae",
    "",
    " ",
    "_",
    "__",
    "__x",
    "0",
    "9a",
    "a.b",
    "*/*",
    "/*/",
    "**//",
    "#define x",
    "MAX_RANK",
    "SEEK_SET",
    "NAN",
    "INFINITY",
    "errno",
    "stdin",
    "M_PI",
    "main",
    "printf",
    "kernel",
    "half",
    "threadIdx",
    "tid",
    "lane",
    "int",
    "float4",
    "class",
    "and",
    "exp",
    "expf",
    "memcpy",
    "add_i32",
    "uint8_t",
    "NULL",
    "linux",
    "i",
    "j",
    "k",
    "from",
    "x",
    "x_1",
};

static const char *random_bytes(uint64_t seed, struct arena *arena)
{
    size_t n = 1 + seed % 40;
    if (seed % 17 == 0)
        n = 500;
    char *text = arena_alloc(arena, n + 1);
    for (size_t i = 0; i < n; i++)
        text[i] = (char)(1 + hash_mix(seed, i) % 255);
    return text;
}

const char *names_wild(void *user, size_t object, struct arena *arena)
{
    const struct names_wild *w = user;
    uint64_t x = hash_mix(w->seed, object), y = hash_mix(x, 1);
    switch (x % 4) {
    case 0:
        if (w->nwords > 0)
            return w->words[y % w->nwords];
        break;
    case 1: return random_bytes(y, arena);
    case 2:
        return arena_printf(arena, "%s%s", strange[y % DC_ARRAY_LEN(strange)],
                            strange[y / 977 % DC_ARRAY_LEN(strange)]);
    default: break;
    }
    return strange[y % DC_ARRAY_LEN(strange)];
}

/* ---- the objects of a module ---------------------------------------------------------------- */

struct renaming {
    struct ir_module *m;
    names_give give;
    void *user;
    size_t first_buffer, first_func, others;
    const char **was; /* names of functions */
    bool called;      /* a string is the name of one */
};

static void put_var(struct renaming *r, struct ir_var *v)
{
    if (v != NULL)
        v->name = r->give(r->user, v->id, r->m->arena);
}

static void put_buffer(struct renaming *r, struct ir_buffer *b)
{
    b->name = r->give(r->user, r->first_buffer + b->id, r->m->arena);
    put_var(r, b->data);
}

static const char *other(struct renaming *r)
{
    return r->give(r->user, r->others++, r->m->arena);
}

static void put_block(struct renaming *r, struct ir_block *b)
{
    b->name = other(r);
    for (size_t i = 0; i < b->niters; i++)
        put_var(r, b->iters[i].var);
    for (size_t i = 0; i < b->nallocs; i++)
        put_buffer(r, b->allocs[i]);
    for (size_t i = 0; i < b->nmatches; i++) {
        put_buffer(r, b->matches[i].buffer);
        put_buffer(r, b->matches[i].source.buffer);
    }
}

static bool see_stmt(void *user, struct ir_stmt *s)
{
    struct renaming *r = user;
    switch (s->kind) {
    case IR_FOR: put_var(r, s->u.loop.var); break;
    case IR_BIND: put_var(r, s->u.bind.var); break;
    case IR_STORE: put_buffer(r, s->u.store.buffer); break;
    case IR_ALLOC:
    case IR_ALLOC_CONST: put_buffer(r, s->u.alloc.buffer); break;
    case IR_DECL_BUFFER: put_buffer(r, s->u.decl.buffer); break;
    case IR_BLOCK: put_block(r, s->u.block); break;
    case IR_ASSERT:
        for (size_t i = 0; i < s->u.assert_.nparts; i++)
            if (s->u.assert_.parts[i]->kind == IR_STRING_IMM)
                s->u.assert_.parts[i]->u.string.text = other(r);
        break;
    default: break;
    }
    return true;
}

static size_t func_named(const struct renaming *r, const char *name)
{
    size_t i = 0;
    while (i < r->m->nfuncs && strcmp(r->was[i], name) != 0)
        i++;
    return i;
}

static bool see_expr(void *user, struct ir_expr *e)
{
    struct renaming *r = user;
    if (e->kind == IR_VAR_REF || e->kind == IR_LET) {
        put_var(r, e->u.var);
    } else if (e->kind == IR_LOAD || e->kind == IR_BUFFER_REF) {
        put_buffer(r, e->u.buffer);
    } else if (e->kind == IR_CALL && e->u.call.op == IR_OP_GLOBAL) {
        size_t i = func_named(r, e->u.call.name);
        if (i < r->m->nfuncs)
            e->u.call.name = r->m->funcs[i]->name;
    }
    return true;
}

static bool calls_by_string(enum ir_op op)
{
    return op == IR_OP_CALL_EXTERN || op == IR_OP_CALL_PURE_EXTERN ||
           op == IR_OP_TVM_CALL_PACKED || op == IR_OP_TVM_CALL_CPACKED ||
           op == IR_OP_TVM_CALL_TRACE_PACKED;
}

static bool see_string(void *user, struct ir_expr *e)
{
    struct renaming *r = user;
    if (e->kind == IR_CALL && calls_by_string(e->u.call.op) && e->nargs > 0 &&
        e->args[0]->kind == IR_STRING_IMM)
        r->called |= func_named(r, e->args[0]->u.string.text) < r->m->nfuncs;
    return true;
}

/* Names by which functions are called tell them apart. */
static void put_functions(struct renaming *r)
{
    struct ir_visitor strings = {NULL, see_string, r};
    for (size_t i = 0; i < r->m->nfuncs; i++)
        r->was[i] = r->m->funcs[i]->name;
    for (size_t i = 0; i < r->m->nfuncs; i++)
        if (r->m->funcs[i]->kind == IR_FUNC_PRIM && r->m->funcs[i]->prim.body)
            ir_visit_stmt(&strings, r->m->funcs[i]->prim.body);
    for (size_t i = 0; i < r->m->nfuncs && !r->called; i++) {
        const char *name = r->give(r->user, r->first_func + i, r->m->arena);
        r->m->funcs[i]->name =
            r->m->nfuncs == 1 ? name
                              : arena_printf(r->m->arena, "%s~%zu", name, i);
    }
}

static void put_param(struct renaming *r, const struct ir_visitor *v,
                      const struct ir_param *p)
{
    struct ir_buffer *b = p->buffer;
    put_var(r, p->var);
    if (b == NULL)
        return;
    put_buffer(r, b);
    for (size_t d = 0; d < b->rank; d++)
        ir_visit_expr(v, b->shape[d]);
    for (size_t d = 0; d < b->nstrides; d++)
        ir_visit_expr(v, b->strides[d]);
    if (b->elem_offset != NULL)
        ir_visit_expr(v, b->elem_offset);
}

size_t names_set(struct ir_module *m, names_give give, void *user)
{
    struct renaming r = {.m = m, .give = give, .user = user};
    struct ir_visitor v = {see_stmt, see_expr, &r};
    r.first_buffer = m->nvars + 1;
    r.first_func = r.first_buffer + m->nbuffers + 1;
    r.others = r.first_func + m->nfuncs;
    r.was = ARENA_ARRAY(m->arena, m->nfuncs + 1, const char *);
    put_functions(&r);
    for (size_t i = 0; i < m->nfuncs; i++) {
        struct ir_func *f = m->funcs[i];
        if (f->kind != IR_FUNC_PRIM)
            continue;
        for (size_t k = 0; k < f->prim.nparams; k++)
            put_param(&r, &v, &f->prim.params[k]);
        if (f->prim.body != NULL)
            ir_visit_stmt(&v, f->prim.body);
    }
    return r.others;
}
