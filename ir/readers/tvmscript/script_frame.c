/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls in the T namespace that are statements: loops, allocations, attributes,
 * thread launches, bindings.
 *
 * Many of them may open a scope in two ways: `with T.attr(…):` around an
 * indented suite, and as a plain statement around the rest of the block. Both
 * end in the same IR: an attribute wraps its body; allocations, bindings and
 * assertions are flat statements followed by it (ir.h, normal form).
 */
#include "ir/readers/tvmscript/script_frame.h"

#include <string.h>

/* ---- attributes and threads --------------------------------------------- */

static struct ir_stmt *attr_stmt(struct script *s, struct ir_value *node,
                                 const char *key, struct ir_expr *value)
{
    if (!node || !key || !value)
        return NULL;
    struct ir_stmt *attr = ir_stmt_make(s->m, IR_ATTR);
    attr->u.attr.node = node;
    attr->u.attr.key = key;
    attr->u.attr.value = value;
    return attr;
}

/* The attributes that T.attr(…) opens, outermost first; false on failure. */
static bool open_attr(struct script *s, const struct sv_call *c, size_t *n,
                      struct ir_stmt ***out)
{
    struct sv *first = script_arg(c, 0, "node");
    bool dict = first && first->kind == SV_DICT && c->nargs == 1;
    *n = dict ? first->u.list.n / 2 : 1;
    *out = ARENA_ARRAY(s->m->arena, *n, struct ir_stmt *);
    if (!dict) {
        struct sv *key = script_arg(c, 1, "attr_key");
        struct sv *value = script_arg(c, 2, "value");
        if (!first || !key || !value) {
            script_fail(s, c->pos, "script.type",
                        "'T.attr' takes a node, a key and a value");
            return false;
        }
        (*out)[0] =
            attr_stmt(s, script_value_of(s, first), script_string_of(s, key),
                      script_expr_of(s, value));
        return (*out)[0] != NULL;
    }
    for (size_t i = 0; i < *n; i++) {
        (*out)[i] =
            attr_stmt(s, ir_value_int(s->m, 0),
                      script_string_of(s, first->u.list.items[2 * i]),
                      script_expr_of(s, first->u.list.items[2 * i + 1]));
        if (!(*out)[i])
            return false;
    }
    return true;
}

/* bx = T.env_thread("blockIdx.x") */
static bool stmt_env_thread(struct script *s, const struct sv_call *c,
                            uint32_t symbol)
{
    struct sv *tag = script_arg(c, 0, "thread_tag");
    struct sv *type = script_arg(c, 1, "dtype");
    struct script_env_thread t = {NULL, NULL};
    struct dtype dtype = DTYPE_INT32;
    t.tag = tag ? script_string_of(s, tag) : NULL;
    if (!t.tag || (type && !script_number_dtype_of(s, type, &dtype))) {
        script_fail(s, c->pos, "script.type", "expected a thread tag");
        return false;
    }
    t.var = ir_var_make(s->m, script_target_name(s, symbol, t.tag), dtype);
    vec_push(&s->func->threads, t);
    script_bind_value(s, symbol, sv_expr(s, ir_var_ref(s->m, t.var), c->pos));
    return true;
}

/* tx = T.launch_thread("threadIdx.x", 16), T.launch_thread(tx, 16) */
static struct ir_stmt *open_thread(struct script *s, const struct sv_call *c,
                                   uint32_t symbol)
{
    struct sv *thread = script_arg(c, 0, "thread");
    struct sv *size = script_arg(c, 1, "extent");
    struct ir_expr *extent = size ? script_index_of(s, size) : NULL;
    struct ir_iter_var *iv = ARENA_NEW(s->m->arena, struct ir_iter_var);
    if (!thread || !extent)
        return script_fail(s, c->pos, "script.type",
                           "'T.launch_thread' takes a thread and its extent");
    if (thread->kind == SV_STRING) {
        iv->thread_tag = thread->u.string;
        iv->var =
            ir_var_make(s->m, script_target_name(s, symbol, thread->u.string),
                        extent->dtype);
    } else {
        struct ir_expr *e = script_expr_of(s, thread);
        for (size_t i = 0; e && i < s->func->threads.len; i++) {
            struct script_env_thread *t = &s->func->threads.items[i];
            if (e->kind == IR_VAR_REF && e->u.var == t->var) {
                iv->thread_tag = t->tag;
                iv->var = t->var;
            }
        }
        if (!iv->var)
            return script_fail(s, thread->pos, "script.type",
                               "expected a thread tag or the result of "
                               "'T.env_thread'");
    }
    iv->type = IR_ITER_THREAD;
    iv->has_dom = true;
    iv->dom.min = ir_int(s->m, extent->dtype, 0);
    iv->dom.extent = extent;
    script_bind_value(s, symbol, sv_expr(s, ir_var_ref(s->m, iv->var), c->pos));
    struct ir_value *node = ir_value_make(s->m, IR_V_ITER_VAR);
    node->u.iter_var = iv;
    bool virtual_thread = strncmp(iv->thread_tag, "vthread", 7) == 0;
    return attr_stmt(
        s, node, virtual_thread ? "virtual_thread" : "thread_extent", extent);
}

/* The attributes that a call opens around what follows; *n 0: none. */
static bool open_scope(struct script *s, const struct sv_call *c,
                       uint32_t symbol, size_t *n, struct ir_stmt ***out)
{
    *n = 0;
    if (strcmp(c->name, "attr") == 0)
        return open_attr(s, c, n, out);
    if (strcmp(c->name, "launch_thread") != 0)
        return true;
    *n = 1;
    *out = ARENA_ARRAY(s->m->arena, 1, struct ir_stmt *);
    (*out)[0] = open_thread(s, c, symbol);
    return (*out)[0] != NULL;
}

static struct ir_stmt *close_scope(struct script *s, size_t n,
                                   struct ir_stmt *const *opened,
                                   struct ir_stmt *inner, struct ir_pos pos)
{
    for (size_t i = n; inner && i-- > 0;) {
        opened[i]->u.attr.body = inner;
        inner = script_checked_stmt(s, opened[i], pos);
    }
    return inner;
}

/* ---- bindings, assertions, attributes of the function ------------------- */

static bool emit_bind(struct script *s, struct script_body *body,
                      struct ir_var *var, struct ir_expr *value,
                      struct ir_pos pos)
{
    if (!var || !value)
        return false;
    struct ir_stmt *bind = ir_stmt_make(s->m, IR_BIND);
    bind->u.bind.var = var;
    bind->u.bind.value = value;
    script_emit(s, body, bind, pos);
    return !s->failed;
}

/* x = T.bind(value, type), T.LetStmt(value, var=x), T.let(x, value) */
static bool stmt_bind(struct script *s, struct script_body *body,
                      const struct sv_call *c, uint32_t symbol)
{
    bool old = strcmp(c->name, "let") == 0;
    struct sv *value = script_arg(c, old ? 1 : 0, "value");
    struct sv *var =
        old ? script_arg(c, 0, "var") : script_arg(c, SIZE_MAX, "var");
    struct sv *annotation = old ? NULL : script_arg(c, 1, "type_annotation");
    struct ir_expr *e = value ? script_expr_of(s, value) : NULL;
    struct ir_var *target = NULL;
    if (!e) {
        script_fail(s, c->pos, "script.type", "expected the value to bind");
        return false;
    }
    if (annotation && annotation->kind != SV_NONE) {
        const struct sv_type *type = script_type_of(s, annotation);
        var = type ? script_declare(s, type, script_target_name(s, symbol, "v"),
                                    c->pos)
                   : NULL;
        if (!var)
            return false;
    }
    if (!script_has_value(s, e, c->pos))
        return false;
    if (var && var->kind == SV_EXPR && var->u.expr->kind == IR_VAR_REF) {
        target = var->u.expr->u.var;
        e = script_expr_as(s, value, target->dtype);
    } else {
        target =
            ir_var_make(s->m, script_target_name(s, symbol, "v"), e->dtype);
    }
    script_bind_value(s, symbol, sv_expr(s, ir_var_ref(s->m, target), c->pos));
    return emit_bind(s, body, target, e, c->pos);
}

static bool stmt_assert(struct script *s, struct script_body *body,
                        const struct sv_call *c)
{
    struct sv *kind = script_arg(c, 2, "error_kind");
    struct sv *message = script_arg(c, 1, "message");
    struct ir_expr *cond = script_expr_of(s, script_arg(c, 0, "condition"));
    if (!cond || !message) {
        script_fail(s, c->pos, "script.type",
                    "an assertion has a condition and a message");
        return false;
    }
    struct ir_stmt *a = ir_stmt_make(s->m, IR_ASSERT);
    a->u.assert_.cond = cond;
    a->u.assert_.error_kind = kind ? script_string_of(s, kind) : "RuntimeError";
    struct sv *const *items;
    size_t n = script_items(message, &items);
    bool one = n == SIZE_MAX;
    if (one)
        n = 1;
    a->u.assert_.nparts = n;
    a->u.assert_.parts = ARENA_ARRAY(s->m->arena, n, struct ir_expr *);
    for (size_t i = 0; i < n; i++) {
        a->u.assert_.parts[i] = script_expr_of(s, one ? message : items[i]);
        if (!a->u.assert_.parts[i])
            return false;
    }
    script_emit(s, body, a, c->pos);
    return !s->failed;
}

static bool stmt_func_attr(struct script *s, const struct sv_call *c)
{
    struct ir_value *map = script_map_of(s, script_arg(c, 0, "attrs"));
    for (size_t i = 0; map && i < map->n; i++) {
        if (!script_push_attr(s, map->keys[i], map->items[i], c->pos))
            return false;
    }
    return !s->failed;
}

static bool stmt_evaluate(struct script *s, struct script_body *body,
                          const struct sv_call *c)
{
    struct ir_expr *e = script_expr_of(s, script_arg(c, 0, "value"));
    if (!e) {
        script_fail(s, c->pos, "script.type", "expected an expression");
        return false;
    }
    script_emit(s, body, ir_evaluate(s->m, e), c->pos);
    return !s->failed;
}

/* T.Return(v), T.Break(), T.Continue() */
static bool stmt_leave(struct script *s, struct script_body *body,
                       const struct sv_call *c)
{
    enum ir_stmt_kind kind = strcmp(c->name, "Return") == 0  ? IR_RETURN
                             : strcmp(c->name, "Break") == 0 ? IR_BREAK
                                                             : IR_CONTINUE;
    struct ir_stmt *stmt = ir_stmt_make(s->m, kind);
    if (kind == IR_RETURN && c->nargs)
        stmt->u.value = script_expr_of(s, c->args[0]);
    script_emit(s, body, stmt, c->pos);
    return !s->failed;
}

/* ---- dispatch ----------------------------------------------------------- */

bool script_is_frame_call(const char *name)
{
    static const char *const names[] = {"grid",
                                        "serial",
                                        "parallel",
                                        "vectorized",
                                        "unroll",
                                        "unrolled",
                                        "thread_binding",
                                        "block",
                                        "sblock",
                                        "init",
                                        "alloc_buffer",
                                        "sblock_alloc_buffer",
                                        "alloc_shared",
                                        "alloc_local",
                                        "smem",
                                        "allocate",
                                        "allocate_const",
                                        "decl_buffer",
                                        "match_buffer",
                                        "attr",
                                        "launch_thread",
                                        "env_thread",
                                        "func_attr",
                                        "evaluate",
                                        "Assert",
                                        "LetStmt",
                                        "Bind",
                                        "bind",
                                        "store",
                                        "buffer_store",
                                        "preflattened_buffer",
                                        "Return",
                                        "Break",
                                        "Continue",
                                        "While"};
    for (size_t i = 0; i < DC_ARRAY_LEN(names); i++) {
        if (strcmp(names[i], name) == 0)
            return true;
    }
    return script_is_block_stmt(name) || strncmp(name, "axis.", 5) == 0;
}

/* Statements that need no body; false with *known false: another one. */
static bool flat_stmt(struct script *s, struct script_body *body,
                      struct sv_call *c, uint32_t symbol, bool *known)
{
    const char *name = c->name;
    *known = true;
    if (strcmp(name, ".vstore") == 0)
        return script_stmt_vstore(s, body, c);
    if (strcmp(name, ".view") == 0)
        return script_stmt_view(s, body, c, symbol);
    if (strcmp(name, "store") == 0 || strcmp(name, "buffer_store") == 0)
        return script_stmt_store(s, body, c);
    if (strcmp(name, "decl_buffer") == 0)
        return script_stmt_decl_buffer(s, body, c, symbol);
    if (strcmp(name, "match_buffer") == 0)
        return script_stmt_match_buffer(s, c, symbol);
    if (strcmp(name, "allocate") == 0)
        return script_stmt_allocate(s, body, c, symbol);
    if (strcmp(name, "allocate_const") == 0)
        return script_stmt_allocate_const(s, body, c, symbol);
    if (strstr(name, "alloc_") || strcmp(name, "smem") == 0)
        return script_stmt_alloc_buffer(s, body, c, symbol);
    if (strcmp(name, "env_thread") == 0)
        return stmt_env_thread(s, c, symbol);
    if (strcmp(name, "func_attr") == 0)
        return stmt_func_attr(s, c);
    if (strcmp(name, "evaluate") == 0)
        return stmt_evaluate(s, body, c);
    if (strcmp(name, "Assert") == 0)
        return stmt_assert(s, body, c);
    if (strcmp(name, "LetStmt") == 0 || strcmp(name, "Bind") == 0 ||
        strcmp(name, "bind") == 0 || strcmp(name, "let") == 0)
        return stmt_bind(s, body, c, symbol);
    if (strcmp(name, "Return") == 0 || strcmp(name, "Break") == 0 ||
        strcmp(name, "Continue") == 0)
        return stmt_leave(s, body, c);
    if (strcmp(name, "preflattened_buffer") == 0)
        return true;
    *known = false;
    return false;
}

bool script_frame_stmt(struct script *s, struct script_body *body,
                       struct sv_call *c, uint32_t symbol)
{
    size_t n;
    struct ir_stmt **opened;
    bool known;
    if (script_is_block_stmt(c->name))
        return script_block_stmt(s, c);
    if (!open_scope(s, c, symbol, &n, &opened))
        return false;
    if (n) {
        if (!script_expect_line_end(s))
            return false;
        struct ir_stmt *rest = script_parse_rest(s);
        rest = close_scope(s, n, opened, rest, c->pos);
        if (rest)
            script_emit(s, body, rest, c->pos);
        return !s->failed;
    }
    if (flat_stmt(s, body, c, symbol, &known))
        return true;
    if (!known)
        script_fail(s, c->pos, "script.syntax",
                    "'T.%s' cannot stand alone as a statement", c->name);
    return false;
}

static struct ir_stmt *with_while(struct script *s, const struct sv_call *c)
{
    struct ir_stmt *loop = ir_stmt_make(s->m, IR_WHILE);
    loop->u.while_.cond = script_expr_of(s, script_arg(c, 0, "condition"));
    loop->u.while_.body = script_parse_suite(s);
    return loop->u.while_.cond && loop->u.while_.body
               ? script_checked_stmt(s, loop, c->pos)
               : NULL;
}

/* with T.init(): suite */
static struct ir_stmt *with_init(struct script *s, const struct sv_call *c)
{
    struct script_block *b = s->func->block;
    if (!b)
        return script_fail(s, c->pos, "script.syntax",
                           "'T.init' stands outside of a block");
    if (b->block->init)
        return script_fail(s, c->pos, "script.syntax",
                           "this block has a second 'T.init'");
    b->block->init = script_parse_suite(s);
    return b->block->init ? ir_seq(s->m, 0, NULL) : NULL;
}

struct ir_stmt *script_frame_with(struct script *s, struct sv_call *c,
                                  uint32_t symbol)
{
    if (strcmp(c->name, "block") == 0 || strcmp(c->name, "sblock") == 0)
        return script_block(s, c);
    if (strcmp(c->name, "init") == 0)
        return with_init(s, c);
    if (strcmp(c->name, "While") == 0)
        return with_while(s, c);
    size_t n;
    struct ir_stmt **opened;
    bool known;
    struct script_body body = {0};
    struct ir_stmt *result = NULL;
    if (!open_scope(s, c, symbol, &n, &opened))
        return NULL;
    if (n)
        return close_scope(s, n, opened, script_parse_suite(s), c->pos);
    if (flat_stmt(s, &body, c, symbol, &known)) {
        struct ir_stmt *rest = script_parse_suite(s);
        if (rest)
            script_emit(s, &body, rest, c->pos);
        result = script_body_finish(s, &body);
    } else if (!known) {
        script_fail(s, c->pos, "script.syntax",
                    "'T.%s' cannot stand in a 'with' statement", c->name);
    }
    vec_fini(&body.list);
    return result;
}
