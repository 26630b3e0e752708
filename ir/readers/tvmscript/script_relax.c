/* SPDX-License-Identifier: Apache-2.0
 *
 * Relax functions in scripts: R.Tensor and other types, R.call_tir and other
 * calls, bindings, dataflow blocks, conditionals.
 *
 * A body is a list of blocks of bindings; `with R.dataflow():` starts a block
 * of its own, whose variables are local to it but for those that R.output
 * names. Types are what the script states; a variable without annotation takes
 * the type of its value where that is known.
 */
#include "ir/readers/tvmscript/script_relax.h"

#include <string.h>

struct rx_builder {
    struct rx_builder *outer;
    struct VEC(struct rx_block) blocks;
    struct VEC(struct rx_binding) bindings; /* of the current block */
    bool dataflow;
    struct rx_expr *result;
};

/* ---- bindings ----------------------------------------------------------- */

static void close_block(struct script *s)
{
    struct rx_builder *b = s->relax;
    size_t n = b->bindings.len;
    struct rx_block block = {b->dataflow, n, NULL};
    if (!n)
        return;
    block.bindings = arena_memdup(s->m->arena, b->bindings.items,
                                  n * sizeof *b->bindings.items);
    vec_push(&b->blocks, block);
    b->bindings.len = 0;
}

/* A variable that is a scalar is a symbol of shapes, too: the one that its type
 * names, or one of its own. */
static const struct ir_type *own_symbol(struct script *s,
                                        const struct ir_type *type,
                                        const char *name, struct ir_var *known)
{
    if (!type || type->kind != IR_TYPE_PRIM || type->prim_value ||
        type->dtype.code == DT_VOID)
        return type;
    struct ir_type *own = ir_type_make(s->m, IR_TYPE_PRIM);
    own->dtype = type->dtype;
    own->prim_value =
        ir_var_ref(s->m, known ? known : ir_var_make(s->m, name, type->dtype));
    return own;
}

/* The dimension that a quoted shape before introduced by this name. */
static struct ir_var *quoted_symbol(struct script *s, uint32_t symbol,
                                    const struct ir_type *type)
{
    struct sv *known = script_find(s, symbol);
    for (size_t i = 0; known && i < s->quoted.len; i++)
        if (s->quoted.items[i] == symbol && known->kind == SV_EXPR &&
            known->u.expr->kind == IR_VAR_REF && type &&
            type->kind == IR_TYPE_PRIM &&
            dtype_equal(known->u.expr->dtype, type->dtype))
            return known->u.expr->u.var;
    return NULL;
}

static bool bind_relax(struct script *s, uint32_t symbol, struct rx_expr *value,
                       const struct ir_type *type, const struct ir_type *match,
                       struct ir_pos pos)
{
    if (!value || s->failed)
        return false;
    const char *name =
        symbol == UINT32_MAX ? "_" : script_symbol_text(s, symbol);
    struct rx_var *var =
        rx_var_make(s->m, name, type ? type : value->type, s->relax->dataflow);
    if (type && !s->relax->dataflow)
        var->type = own_symbol(s, type, name, NULL);
    if (!script_type_fits(s, var->type, pos))
        return false;
    struct rx_binding binding = {var, value, match};
    vec_push(&s->relax->bindings, binding);
    if (symbol != UINT32_MAX) {
        struct rx_expr *ref = script_relax_make(s, RX_VAR, pos);
        ref->var = var;
        ref->type = var->type;
        script_bind(s, symbol,
                    script_relax_value(s, script_relax_checked(s, ref), pos));
    }
    return !s->failed;
}

/* NAME [":" type] "=" expr */
static bool relax_assign(struct script *s)
{
    struct ir_pos pos = script_pos(s);
    uint32_t symbol;
    const struct ir_type *type = NULL;
    if (!script_expect_name(s, &symbol))
        return false;
    if (script_take_op(s, OP_COLON)) {
        const struct sv_type *t = script_type_of(s, script_parse_expr(s));
        type = t ? t->type : NULL;
    }
    if (!script_expect_op(s, OP_ASSIGN))
        return false;
    struct sv *v = script_parse_expr_list(s);
    if (!v)
        return false;
    if (v->kind == SV_MODULE || v->kind == SV_GLOBAL) {
        script_bind(s, symbol, v);
        return true;
    }
    if (v->kind == SV_TYPE && v->u.type.called) {
        for (size_t i = 0; i < s->quoted.len; i++) {
            if (s->quoted.items[i] == symbol && script_find(s, symbol))
                return true;
        }
        return script_declare_name(s, symbol, &v->u.type, pos);
    }
    if (v->kind == SV_CALL && strcmp(v->u.call->name, "match_cast") == 0) {
        struct sv *value = script_arg(v->u.call, 0, "value");
        struct sv *to = script_arg(v->u.call, 1, "struct_info");
        if (!to)
            to = script_arg(v->u.call, SIZE_MAX, "ty");
        const struct sv_type *t = to ? script_type_of(s, to) : NULL;
        if (!value || !t) {
            script_fail(s, pos, "script.type",
                        "'R.match_cast' takes a value and a type");
            return false;
        }
        return bind_relax(s, symbol, script_relax_of(s, value),
                          type ? type : t->type, t->type, pos);
    }
    return bind_relax(s, symbol, script_relax_of(s, v), type, NULL, pos);
}

/* R.output(gv, …): these variables are seen outside of the dataflow block. */
static bool relax_output(struct script *s, const struct sv_call *c)
{
    for (size_t i = 0; i < c->nargs; i++) {
        struct sv *v = c->args[i];
        if (v->kind != SV_RELAX || v->u.relax->kind != RX_VAR) {
            script_fail(s, v->pos, "script.type", "expected a variable");
            return false;
        }
        v->u.relax->var->dataflow = false;
    }
    return true;
}

static bool relax_func_attr(struct script *s, const struct sv_call *c)
{
    struct ir_value *map = script_map_of(s, script_arg(c, 0, "attrs"));
    for (size_t i = 0; map && i < map->n; i++) {
        if (!script_push_attr(s, map->keys[i], map->items[i], c->pos))
            return false;
    }
    return !s->failed;
}

static bool relax_stmts(struct script *s);

static bool relax_suite(struct script *s)
{
    if (!script_expect_op(s, OP_COLON) || !script_expect_line_end(s) ||
        !script_expect_indent(s))
        return false;
    if (!script_enter(s))
        return false;
    bool ok = relax_stmts(s);
    script_leave(s);
    if (ok)
        s->at++; /* the end of the block */
    return ok;
}

/* with := "with" "R.dataflow" "(" ")" suite. Its names stay visible. */
static bool relax_with(struct script *s)
{
    struct ir_pos pos = script_pos(s);
    s->at++;
    struct sv *v = script_parse_expr(s);
    if (!v)
        return false;
    if (v->kind != SV_CALL || strcmp(v->u.call->name, "dataflow") != 0 ||
        s->relax->dataflow) {
        script_fail(s, pos, "script.syntax", "expected 'R.dataflow()'");
        return false;
    }
    close_block(s);
    s->relax->dataflow = true;
    bool ok = relax_suite(s);
    close_block(s);
    s->relax->dataflow = false;
    return ok;
}

static struct rx_expr *finish_seq(struct script *s, struct rx_expr *result,
                                  struct ir_pos pos)
{
    struct rx_builder *b = s->relax;
    close_block(s);
    struct rx_expr *seq = script_relax_make(s, RX_SEQ, pos);
    seq->nblocks = b->blocks.len;
    seq->blocks = arena_memdup(s->m->arena, b->blocks.items,
                               b->blocks.len * sizeof *b->blocks.items);
    seq->nitems = 1;
    seq->items = arena_memdup(s->m->arena, &result, sizeof(struct rx_expr *));
    seq->type = result->type;
    return script_relax_checked(s, seq);
}

/* One branch of a conditional: its last binding is the value; var gets its
 * variable. */
static struct rx_expr *relax_branch(struct script *s, const struct rx_var **var)
{
    struct rx_builder b = {.outer = s->relax};
    struct ir_pos pos = script_pos(s);
    struct rx_expr *seq = NULL;
    size_t mark = script_scope(s);
    s->relax = &b;
    if (relax_suite(s)) {
        if (!b.bindings.len) {
            script_fail(s, pos, "script.syntax",
                        "a branch ends with an assignment");
        } else {
            struct rx_binding last = b.bindings.items[--b.bindings.len];
            *var = last.var;
            if (last.match_type)
                script_fail(s, pos, "script.unsupported",
                            "a branch cannot end with 'R.match_cast'");
            else
                seq = finish_seq(s, last.value, pos);
        }
    }
    script_scope_close(s, mark);
    s->relax = b.outer;
    vec_fini(&b.blocks);
    vec_fini(&b.bindings);
    return seq;
}

/* if := "if" expr suite "else" suite */
static bool relax_if(struct script *s)
{
    struct ir_pos pos = script_pos(s);
    const struct rx_var *then_ = NULL, *else_ = NULL;
    s->at++;
    struct rx_expr *items[3];
    items[0] = script_relax_of(s, script_parse_expr(s));
    items[1] = items[0] ? relax_branch(s, &then_) : NULL;
    if (items[1] && !script_take_word(s, WORD_ELSE))
        script_fail(s, script_pos(s), "script.syntax", "expected 'else'");
    items[2] = items[1] ? relax_branch(s, &else_) : NULL;
    if (!items[2])
        return false;
    const char *name = then_->name;
    if (strcmp(name, else_->name) != 0) {
        script_fail(s, pos, "script.type", "the branches assign '%s' and '%s'",
                    name, else_->name);
        return false;
    }
    struct rx_expr *e = script_relax_make(s, RX_IF, pos);
    e->nitems = 3;
    e->items = arena_memdup(s->m->arena, items, sizeof items);
    e->type = items[1]->type;
    uint32_t symbol = script_intern(&s->symbols, name, strlen(name));
    return bind_relax(s, symbol, script_relax_checked(s, e), then_->type, NULL,
                      pos);
}

static bool relax_stmt(struct script *s)
{
    struct ir_pos pos = script_pos(s);
    if (script_is_word(s, WORD_WITH))
        return relax_with(s);
    if (script_is_word(s, WORD_IF))
        return relax_if(s);
    if (script_take_word(s, WORD_PASS))
        return script_expect_line_end(s);
    if (script_take_word(s, WORD_RETURN)) {
        struct sv *v = script_parse_expr_list(s);
        s->relax->result = script_relax_of(s, v);
        return s->relax->result && script_expect_line_end(s);
    }
    const struct script_token *next = script_peek(s, 1);
    bool name = script_peek(s, 0)->kind == TK_NAME && next->kind == TK_OP &&
                (next->op == OP_ASSIGN || next->op == OP_COLON);
    if (name)
        return relax_assign(s) && script_expect_line_end(s);
    struct sv *v = script_parse_expr(s);
    if (!v)
        return false;
    bool ok;
    if (v->kind == SV_CALL && strcmp(v->u.call->name, "output") == 0)
        ok = relax_output(s, v->u.call);
    else if (v->kind == SV_CALL && strcmp(v->u.call->name, "func_attr") == 0)
        ok = relax_func_attr(s, v->u.call);
    else if (v->kind == SV_STRING)
        ok = true;
    else
        ok = bind_relax(s, UINT32_MAX, script_relax_of(s, v), NULL, NULL, pos);
    return ok && script_expect_line_end(s);
}

static bool relax_stmts(struct script *s)
{
    while (!s->failed) {
        const struct script_token *t = script_peek(s, 0);
        if (t->kind == TK_DEDENT || t->kind == TK_END)
            return true;
        if (!relax_stmt(s))
            return false;
    }
    return false;
}

/* ---- functions ---------------------------------------------------------- */

/* param := NAME [":" type] */
static bool relax_param(struct script *s, struct rx_func *f)
{
    struct ir_pos pos = script_pos(s);
    uint32_t symbol;
    const char *name = script_expect_name(s, &symbol);
    const struct ir_type *type = NULL;
    if (!name)
        return false;
    if (script_take_op(s, OP_COLON)) {
        const struct sv_type *t = script_type_of(s, script_parse_expr(s));
        if (!t)
            return false;
        type = own_symbol(s, t->type, name, quoted_symbol(s, symbol, t->type));
    }
    struct rx_expr *ref = script_relax_make(s, RX_VAR, pos);
    ref->var = rx_var_make(s->m, name, type, false);
    ref->type = type;
    struct rx_var **params =
        ARENA_ARRAY(s->m->arena, f->nparams + 1, struct rx_var *);
    for (size_t i = 0; i < f->nparams; i++)
        params[i] = f->params[i];
    params[f->nparams++] = ref->var;
    f->params = params;
    script_bind(s, symbol,
                script_relax_value(s, script_relax_checked(s, ref), pos));
    return f->nparams <= 4096 && !s->failed;
}

static bool relax_signature(struct script *s, struct rx_func *f)
{
    s->func->in_signature = true;
    script_expect_op(s, OP_LPAREN);
    while (!s->failed && !script_is_op(s, OP_RPAREN)) {
        if (!relax_param(s, f) || !script_take_op(s, OP_COMMA))
            break;
    }
    script_expect_op(s, OP_RPAREN);
    if (script_take_op(s, OP_ARROW)) {
        const struct sv_type *t = script_type_of(s, script_parse_expr(s));
        f->ret_type = t ? t->type : NULL;
    }
    s->func->in_signature = false;
    return !s->failed;
}

static bool relax_body(struct script *s, struct rx_func *f, struct ir_pos pos)
{
    if (!relax_signature(s, f) || !relax_suite(s))
        return false;
    if (!s->relax->result) {
        script_fail(s, pos, "script.syntax", "this function returns nothing");
        return false;
    }
    f->body = finish_seq(s, s->relax->result, pos);
    return f->body != NULL;
}

static void relax_attrs(struct script *s, struct ir_func *func, bool is_private)
{
    struct script_func *f = s->func;
    bool named = is_private;
    for (size_t i = 0; i < f->attr_keys.len; i++)
        named |= strcmp(f->attr_keys.items[i], "global_symbol") == 0;
    if (!named) {
        vec_push(&f->attr_keys, "global_symbol");
        vec_push(&f->attr_values, ir_value_string(s->m, func->name));
    }
    func->attrs = ir_value_map(s->m, f->attr_keys.len, f->attr_keys.items,
                               f->attr_values.items);
}

bool script_relax_func(struct script *s, const char *name,
                       const struct script_decorator *d, struct ir_pos pos)
{
    struct script_func f = {.serial = ++s->serial};
    struct rx_builder b = {.outer = NULL};
    struct ir_func *func = ARENA_NEW(s->m->arena, struct ir_func);
    func->kind = IR_FUNC_RELAX;
    func->name = name;
    func->pos = pos;
    func->relax = ARENA_NEW(s->m->arena, struct rx_func);
    func->relax->pure = d->pure;
    size_t mark = script_scope(s);
    s->quoted.len = 0;
    s->func = &f;
    s->relax = &b;
    f.func = func;
    bool ok = relax_body(s, func->relax, pos);
    if (ok)
        relax_attrs(s, func, d->is_private);
    script_scope_close(s, mark);
    s->func = NULL;
    s->relax = NULL;
    vec_fini(&f.attr_keys);
    vec_fini(&f.attr_values);
    vec_fini(&b.blocks);
    vec_fini(&b.bindings);
    if (ok)
        vec_push(&s->funcs, func);
    return ok;
}
