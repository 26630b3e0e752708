/* SPDX-License-Identifier: Apache-2.0
 *
 * Relax functions. Every binding is annotated with its type, so that nothing
 * depends on what a parser infers. A symbol that a parameter's shape defines
 * is a type variable; one that a match_cast defines is declared at the top of
 * the function.
 */
#include "ir/writers/tvmscript/print_script.h"

#include <inttypes.h>
#include <string.h>

static void put_rx(struct print_state *p, const struct rx_expr *e);
static void put_seq(struct print_state *p, const struct rx_expr *e,
                    const char *assign);

static const char *rx_name(struct print_state *p, const struct rx_var *v)
{
    const char *name = print_name_of(p, v);
    return name ? name : print_define(p, v, v->name);
}

/* ---- types --------------------------------------------------------------- */

/* Dimensions are int64; TVM makes plain numbers so. In a signature compound
 * ones are quoted, since Python would otherwise compute them. */
static void put_dim(struct print_state *p, const struct ir_expr *e, bool quoted)
{
    if (e->kind == IR_INT_IMM && dtype_equal(e->dtype, DTYPE_INT64)) {
        buf_printf(p->out, "%" PRId64, e->u.int_value);
    } else if (quoted && e->kind != IR_VAR_REF && e->kind != IR_INT_IMM) {
        struct buf text = {0}, *out = p->out;
        p->out = &text;
        print_put_expr(p, e);
        p->out = out;
        print_put_string(out, buf_text(&text));
        buf_fini(&text);
    } else {
        print_put_expr(p, e);
    }
}

static void put_dims(struct print_state *p, const struct ir_type *t,
                     const char *open, const char *close, bool quoted)
{
    buf_puts(p->out, open);
    for (int i = 0; i < t->ndim; i++) {
        buf_puts(p->out, i ? ", " : "");
        put_dim(p, t->dims[i], quoted);
    }
    buf_puts(p->out, *close == ')' && t->ndim == 1 ? "," : "");
    buf_puts(p->out, close);
}

static void put_tensor_type(struct print_state *p, const struct ir_type *t,
                            bool quoted)
{
    const char *comma = "(";
    buf_puts(p->out, "R.Tensor");
    if (t->has_dims) {
        put_dims(p, t, "((", ")", quoted);
        comma = ", ";
    } else if (t->shape_expr) {
        buf_putc(p->out, '(');
        put_rx(p, t->shape_expr);
        comma = ", ";
    }
    if (t->dtype.code != DT_VOID) {
        buf_printf(p->out, "%sdtype=", comma);
        print_put_dtype(p->out, t->dtype);
        comma = ", ";
    }
    if (t->vdevice) {
        buf_printf(p->out, "%svdevice=", comma);
        print_put_value(p, t->vdevice);
        comma = ", ";
    }
    if (!t->has_dims && !t->shape_expr && t->ndim >= 0) {
        buf_printf(p->out, "%sndim=%d", comma, t->ndim);
        comma = ", ";
    }
    buf_puts(p->out, *comma == ',' ? ")" : "");
}

static void put_type(struct print_state *p, const struct ir_type *t,
                     bool quoted);

static void put_func_type(struct print_state *p, const struct ir_type *t)
{
    if (t->no_params) {
        bool object = !t->ret || t->ret->kind == IR_TYPE_OBJECT;
        buf_puts(p->out, "R.Callable");
        buf_puts(p->out, object && !t->pure ? "" : "(");
        if (!object) {
            buf_puts(p->out, "ret=");
            put_type(p, t->ret, false);
        }
        buf_puts(p->out, !object && t->pure ? ", " : "");
        buf_puts(p->out, t->pure ? "purity=True" : "");
        buf_puts(p->out, object && !t->pure ? "" : ")");
        return;
    }
    buf_puts(p->out, "R.Callable((");
    for (size_t i = 0; i < t->nfields; i++) {
        buf_puts(p->out, i ? ", " : "");
        put_type(p, t->fields[i], false);
    }
    buf_puts(p->out, t->nfields == 1 ? ",), " : "), ");
    put_type(p, t->ret, false);
    buf_puts(p->out, t->pure ? ", True)" : ", False)");
}

/* T.int64, or R.Prim(value=n) where the value is known. A symbol that is not
 * named yet is the one that this variable itself stands for. */
static void put_prim_type(struct print_state *p, const struct ir_type *t)
{
    const struct ir_expr *value = t->prim_value;
    if (!value ||
        (value->kind == IR_VAR_REF && !print_name_of(p, value->u.var))) {
        print_put_type(p->out, t, t->dtype);
        return;
    }
    buf_puts(p->out, "R.Prim(value=");
    print_put_expr(p, value);
    buf_putc(p->out, ')');
}

static void put_type(struct print_state *p, const struct ir_type *t,
                     bool quoted)
{
    switch (t ? t->kind : IR_TYPE_NONE) {
    case IR_TYPE_NONE:
    case IR_TYPE_OBJECT: buf_puts(p->out, "R.Object"); break;
    case IR_TYPE_STRING: buf_puts(p->out, "I.StringType()"); break;
    case IR_TYPE_PRIM: put_prim_type(p, t); break;
    case IR_TYPE_POINTER: print_put_type(p->out, t, t->dtype); break;
    case IR_TYPE_TUPLE:
        buf_puts(p->out, "R.Tuple(");
        for (size_t i = 0; i < t->nfields; i++) {
            buf_puts(p->out, i ? ", " : "");
            put_type(p, t->fields[i], quoted);
        }
        buf_putc(p->out, ')');
        break;
    case IR_TYPE_FUNC: put_func_type(p, t); break;
    case IR_TYPE_TENSOR: put_tensor_type(p, t, quoted); break;
    case IR_TYPE_SHAPE:
        buf_puts(p->out, "R.Shape");
        if (t->has_dims)
            put_dims(p, t, "([", "])", quoted);
        else if (t->ndim >= 0)
            buf_printf(p->out, "(ndim=%d)", t->ndim);
        break;
    }
}

void print_put_rx_type(struct print_state *p, const struct ir_type *type)
{
    put_type(p, type, false);
}

/* ---- calls --------------------------------------------------------------- */

static bool is_dps(const char *name)
{
    static const char *const names[] = {
        "relax.call_tir", "relax.call_tir_inplace", "relax.call_dps_packed",
        "relax.call_tir_with_grad"};
    for (size_t i = 0; i < DC_ARRAY_LEN(names); i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static void put_callee(struct print_state *p, const struct rx_expr *e)
{
    if (e && e->kind == RX_EXTERN)
        print_put_string(p->out, e->text);
    else
        put_rx(p, e);
}

static void put_attrs(struct print_state *p, const struct ir_value *attrs)
{
    if (!attrs || !attrs->keys)
        return;
    for (size_t i = 0; i < attrs->n; i++) {
        buf_printf(p->out, ", %s=", attrs->keys[i]);
        print_put_value(p, attrs->items[i]);
    }
}

/* R.call_tir(f, (x, y), out_ty=…): the result type is an argument; several
 * results are a list. */
static void put_dps(struct print_state *p, const struct rx_expr *e)
{
    buf_printf(p->out, "R.%s(", e->callee->text + strlen("relax."));
    for (size_t i = 0; i < e->nitems; i++) {
        buf_puts(p->out, i == 2 ? ", tir_vars=" : i ? ", " : "");
        if (i == 0)
            put_callee(p, e->items[i]);
        else
            put_rx(p, e->items[i]);
    }
    const struct ir_type *out = e->ntype_args ? e->type_args[0] : NULL;
    buf_puts(p->out, ", out_ty=");
    if (out && out->kind == IR_TYPE_TUPLE) {
        buf_putc(p->out, '[');
        for (size_t i = 0; i < out->nfields; i++) {
            buf_puts(p->out, i ? ", " : "");
            put_type(p, out->fields[i], false);
        }
        buf_putc(p->out, ']');
    } else {
        put_type(p, out, false);
    }
    put_attrs(p, e->attrs);
    buf_putc(p->out, ')');
}

static void put_call_head(struct print_state *p, const struct rx_expr *e,
                          const char **comma)
{
    const struct rx_expr *f = e->callee;
    if (f && f->kind == RX_EXTERN) {
        buf_puts(p->out, "R.call_packed(");
        print_put_string(p->out, f->text);
        *comma = ", ";
    } else if (f && f->kind == RX_OP) {
        bool relax = strncmp(f->text, "relax.", 6) == 0;
        buf_printf(p->out, "%s%s(", relax ? "R." : "",
                   relax ? f->text + 6 : f->text);
    } else {
        put_rx(p, f);
        buf_putc(p->out, '(');
    }
}

static void put_call(struct print_state *p, const struct rx_expr *e)
{
    if (e->callee && e->callee->kind == RX_OP && is_dps(e->callee->text)) {
        put_dps(p, e);
        return;
    }
    const char *comma = "";
    put_call_head(p, e, &comma);
    for (size_t i = 0; i < e->nitems; i++) {
        buf_puts(p->out, comma);
        comma = ", ";
        if (i == 0)
            put_callee(p, e->items[i]);
        else
            put_rx(p, e->items[i]);
    }
    if (e->attrs && e->attrs->keys) {
        for (size_t i = 0; i < e->attrs->n; i++) {
            buf_printf(p->out, "%s%s=", comma, e->attrs->keys[i]);
            comma = ", ";
            print_put_value(p, e->attrs->items[i]);
        }
    }
    if (e->ntype_args) {
        buf_printf(p->out, "%sty_args=(", comma);
        for (size_t i = 0; i < e->ntype_args; i++) {
            put_type(p, e->type_args[i], false);
            buf_puts(p->out, ", ");
        }
        buf_putc(p->out, ')');
    }
    buf_putc(p->out, ')');
}

/* ---- expressions --------------------------------------------------------- */

static void put_constant(struct print_state *p, const struct rx_expr *e)
{
    buf_puts(p->out, "R.const(");
    print_put_tensor(p, e->tensor);
    buf_puts(p->out, ", ");
    print_put_dtype(p->out, e->tensor->dtype);
    buf_putc(p->out, ')');
}

static void put_rx_items(struct print_state *p, const struct rx_expr *e)
{
    if (!e->nitems) {
        buf_puts(p->out, "R.tuple()");
        return;
    }
    buf_putc(p->out, '(');
    for (size_t i = 0; i < e->nitems; i++) {
        buf_puts(p->out, i ? ", " : "");
        put_rx(p, e->items[i]);
    }
    buf_puts(p->out, e->nitems == 1 ? ",)" : ")");
}

static void put_shape(struct print_state *p, const struct rx_expr *e)
{
    buf_puts(p->out, "R.shape([");
    for (size_t i = 0; i < e->ndims; i++) {
        buf_puts(p->out, i ? ", " : "");
        put_dim(p, e->dims[i], false);
    }
    buf_puts(p->out, "])");
}

static void put_rx(struct print_state *p, const struct rx_expr *e)
{
    if (!e) {
        buf_puts(p->out, "None");
        return;
    }
    switch (e->kind) {
    case RX_VAR: buf_puts(p->out, rx_name(p, e->var)); break;
    case RX_CONSTANT: put_constant(p, e); break;
    case RX_SHAPE: put_shape(p, e); break;
    case RX_TUPLE: put_rx_items(p, e); break;
    case RX_TUPLE_GET:
        put_rx(p, e->nitems ? e->items[0] : NULL);
        buf_printf(p->out, "[%" PRId64 "]", e->index);
        break;
    case RX_CALL: put_call(p, e); break;
    case RX_PRIM_VALUE:
        buf_puts(p->out, "R.prim_value(");
        print_put_expr_value(p, e->prim);
        buf_putc(p->out, ')');
        break;
    case RX_STRING:
        buf_puts(p->out, "R.str(");
        print_put_string(p->out, e->text);
        buf_putc(p->out, ')');
        break;
    case RX_DTYPE:
        buf_puts(p->out, "R.dtype(");
        print_put_dtype(p->out, e->dtype);
        buf_putc(p->out, ')');
        break;
    case RX_GLOBAL:
        buf_printf(p->out, "%s%s", p->module_name ? "cls." : "",
                   print_function_name(p, e->text));
        break;
    case RX_EXTERN:
        buf_puts(p->out, "R.ExternFunc(");
        print_put_string(p->out, e->text);
        buf_putc(p->out, ')');
        break;
    case RX_OP: print_put_string(p->out, e->text); break;
    /* These are statements; put_binding takes care of them. */
    case RX_IF:
    case RX_SEQ:
    case RX_FUNCTION: buf_puts(p->out, "None"); break;
    }
}

/* ---- bindings ------------------------------------------------------------ */

/* "name: type = ", in parts so that it can stand in both arms of an if. */
static const char *target_of(struct print_state *p, const struct rx_var *v)
{
    struct buf text = {0}, *out = p->out;
    const char *name = rx_name(p, v);
    p->out = &text;
    buf_puts(p->out, name);
    if (v->type && v->type->kind != IR_TYPE_NONE) {
        buf_puts(p->out, ": ");
        put_type(p, v->type, false);
    }
    p->out = out;
    const char *copy = arena_strdup(p->arena, buf_text(&text));
    buf_fini(&text);
    return copy;
}

static void put_branch(struct print_state *p, const struct rx_expr *e,
                       const char *target)
{
    p->indent++;
    if (e && e->kind == RX_SEQ) {
        put_seq(p, e, target);
    } else {
        print_line(p);
        buf_printf(p->out, "%s = ", target);
        put_rx(p, e);
        print_end(p);
    }
    p->indent--;
}

static void put_if(struct print_state *p, const struct rx_expr *e,
                   const char *target)
{
    print_line(p);
    buf_puts(p->out, "if ");
    put_rx(p, e->nitems > 0 ? e->items[0] : NULL);
    buf_puts(p->out, ":\n");
    put_branch(p, e->nitems > 1 ? e->items[1] : NULL, target);
    print_line(p);
    buf_puts(p->out, "else:\n");
    put_branch(p, e->nitems > 2 ? e->items[2] : NULL, target);
}

static void put_func(struct print_state *p, const struct rx_func *f,
                     const char *name, const struct ir_value *attrs,
                     bool global);

static void put_binding(struct print_state *p, const struct rx_binding *b)
{
    const struct rx_expr *value = b->value;
    if (value && value->kind == RX_FUNCTION) {
        put_func(p, value->func, rx_name(p, b->var), value->attrs, false);
        return;
    }
    if (value && value->kind == RX_IF) {
        put_if(p, value, target_of(p, b->var));
        return;
    }
    if (value && value->kind == RX_SEQ) {
        put_seq(p, value, target_of(p, b->var));
        return;
    }
    struct buf text = {0}, *out = p->out;
    p->out = &text;
    buf_puts(p->out, b->match_type ? "R.match_cast(" : "");
    put_rx(p, value);
    if (b->match_type) {
        buf_puts(p->out, ", ");
        put_type(p, b->match_type, false);
        buf_putc(p->out, ')');
    }
    p->out = out;
    print_line(p);
    buf_printf(out, "%s = %s\n", target_of(p, b->var), buf_text(&text));
    buf_fini(&text);
}

static void put_block(struct print_state *p, const struct rx_block *b)
{
    if (b->dataflow) {
        print_line(p);
        buf_puts(p->out, "with R.dataflow():\n");
        p->indent++;
    }
    for (size_t i = 0; i < b->n; i++)
        put_binding(p, &b->bindings[i]);
    if (!b->dataflow)
        return;
    print_line(p);
    buf_puts(p->out, "R.output(");
    const char *comma = "";
    for (size_t i = 0; i < b->n; i++) {
        if (b->bindings[i].var->dataflow)
            continue;
        buf_printf(p->out, "%s%s", comma, rx_name(p, b->bindings[i].var));
        comma = ", ";
    }
    buf_puts(p->out, ")\n");
    p->indent--;
}

/* The blocks, then `assign = result` or, without assign, `return result`. */
static void put_seq(struct print_state *p, const struct rx_expr *e,
                    const char *assign)
{
    for (size_t i = 0; i < e->nblocks; i++)
        put_block(p, &e->blocks[i]);
    const struct rx_expr *result = e->nitems ? e->items[0] : NULL;
    if (assign && result && result->kind == RX_IF) {
        put_if(p, result, assign);
        return;
    }
    print_line(p);
    if (assign)
        buf_printf(p->out, "%s = ", assign);
    else
        buf_puts(p->out, "return ");
    put_rx(p, result);
    print_end(p);
}

/* ---- functions ----------------------------------------------------------- */

/* A scalar parameter is both a Relax variable and the symbol in shapes. */
static bool is_own_symbol(const struct ir_type *t)
{
    return t && t->kind == IR_TYPE_PRIM && t->prim_value &&
           t->prim_value->kind == IR_VAR_REF;
}

static void define_params(struct print_state *p, const struct rx_func *f)
{
    for (size_t i = 0; i < f->nparams; i++) {
        const struct rx_var *v = f->params[i];
        const char *name = print_define(p, v, v->name);
        if (is_own_symbol(v->type))
            print_define_as(p, v->type->prim_value->u.var, name);
    }
}

static void put_signature(struct print_state *p, const struct rx_func *f,
                          const char *name)
{
    print_line(p);
    buf_printf(p->out, "def %s(", print_function_name(p, name));
    define_params(p, f);
    for (size_t i = 0; i < f->nparams; i++) {
        const struct rx_var *v = f->params[i];
        buf_printf(p->out, "%s%s: ", i ? ", " : "", rx_name(p, v));
        if (is_own_symbol(v->type))
            print_put_type(p->out, v->type, v->type->dtype);
        else
            put_type(p, v->type, true);
    }
    buf_putc(p->out, ')');
    if (f->ret_type && f->ret_type->kind != IR_TYPE_NONE) {
        buf_puts(p->out, " -> ");
        put_type(p, f->ret_type, true);
    }
    buf_puts(p->out, ":\n");
}

static void put_func(struct print_state *p, const struct rx_func *f,
                     const char *name, const struct ir_value *attrs,
                     bool global)
{
    const char *skip[] = {NULL, NULL};
    const char *symbol =
        ir_value_as_string(ir_value_find(attrs, "global_symbol"));
    bool private = global && !symbol;
    if (global && symbol && strcmp(symbol, name) == 0)
        skip[0] = "global_symbol";
    print_line(p);
    buf_printf(p->out, "@R.function%s%s%s%s\n", !f->pure || private ? "(" : "",
               f->pure   ? ""
               : private ? "pure=False, "
                         : "pure=False",
               private ? "private=True" : "", !f->pure || private ? ")" : "");
    put_signature(p, f, name);
    p->indent++;
    if (attrs && attrs->n > (skip[0] ? 1u : 0u)) {
        print_line(p);
        buf_puts(p->out, "R.func_attr(");
        print_put_map(p, attrs, skip);
        buf_puts(p->out, ")\n");
    }
    if (global && p->module_name && p->module->nfuncs > 1) {
        print_line(p);
        buf_puts(p->out, "cls = Module\n");
    }
    struct buf body = {0}, *out = p->out;
    if (global)
        p->top_indent = p->indent;
    p->out = &body;
    if (f->body && f->body->kind == RX_SEQ) {
        put_seq(p, f->body, NULL);
    } else {
        print_line(p);
        buf_puts(p->out, f->body ? "return " : "pass");
        if (f->body)
            put_rx(p, f->body);
        print_end(p);
    }
    p->out = out;
    if (global)
        buf_append(out, buf_text(&p->top), p->top.len);
    buf_append(out, buf_text(&body), body.len);
    buf_fini(&body);
    p->indent--;
}

void print_put_rx_func(struct print_state *p, const struct ir_func *f)
{
    if (f->relax)
        put_func(p, f->relax, f->name, f->attrs, true);
}
