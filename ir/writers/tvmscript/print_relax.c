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

static void put_seq(struct print_state *p, const struct rx_expr *e,
                    const char *assign);

static const char *rx_name(struct print_state *p, const struct rx_var *v)
{
    const char *name = print_name_of(p, v);
    return name ? name : print_define(p, v, v->name);
}

/* ---- types --------------------------------------------------------------- */

/* A symbol that is a parameter further on: quotes introduce it before. */
static bool is_late(struct print_state *p, const struct ir_expr *e)
{
    const uint64_t *late =
        e->kind == IR_VAR_REF ? ptr_map_find(&p->late, e->u.var, NULL) : NULL;
    return late && *late;
}

/* Dimensions are int64; TVM makes plain numbers so. In a signature compound
 * ones are quoted, since Python would otherwise compute them. */
static void put_dim(struct print_state *p, const struct ir_expr *e, bool quoted)
{
    if (e->kind == IR_INT_IMM && dtype_equal(e->dtype, DTYPE_INT64)) {
        buf_printf(p->out, "%" PRId64, e->u.int_value);
    } else if (quoted && (is_late(p, e) ||
                          (e->kind != IR_VAR_REF && e->kind != IR_INT_IMM))) {
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

/* The rank that a shape has by its type; -1: not known. */
static int shape_rank(const struct rx_expr *shape)
{
    const struct ir_type *t = shape->kind == RX_VAR ? shape->var->type : NULL;
    return t && t->kind == IR_TYPE_SHAPE ? t->ndim : -1;
}

static void put_tensor_type(struct print_state *p, const struct ir_type *t,
                            bool quoted)
{
    const char *comma = "(";
    bool ndim = !t->has_dims && t->ndim >= 0;
    buf_puts(p->out, "R.Tensor");
    if (t->has_dims) {
        put_dims(p, t, "((", ")", quoted);
        comma = ", ";
    } else if (t->shape_expr) {
        buf_putc(p->out, '(');
        print_put_rx(p, t->shape_expr);
        comma = ", ";
        ndim &= t->ndim != shape_rank(t->shape_expr);
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
    if (ndim) {
        buf_printf(p->out, "%sndim=%d", comma, t->ndim);
        comma = ", ";
    }
    buf_puts(p->out, *comma == ',' ? ")" : "");
}

static void put_type(struct print_state *p, const struct ir_type *t,
                     bool quoted);

static void put_func_type(struct print_state *p, const struct ir_type *t,
                          bool quoted)
{
    if (t->no_params) {
        bool object = t->ret && t->ret->kind == IR_TYPE_OBJECT;
        buf_puts(p->out, "R.Callable");
        buf_puts(p->out, object && !t->pure ? "" : "(");
        if (!object) {
            buf_puts(p->out, "ret=");
            put_type(p, t->ret, quoted);
        }
        buf_puts(p->out, !object && t->pure ? ", " : "");
        buf_puts(p->out, t->pure ? "purity=True" : "");
        buf_puts(p->out, object && !t->pure ? "" : ")");
        return;
    }
    buf_puts(p->out, "R.Callable((");
    for (size_t i = 0; i < t->nfields; i++) {
        buf_puts(p->out, i ? ", " : "");
        put_type(p, t->fields[i], quoted);
    }
    buf_puts(p->out, t->nfields == 1 ? ",), " : "), ");
    put_type(p, t->ret, quoted);
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
    case IR_TYPE_NONE: buf_puts(p->out, "I.Type()"); break;
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
    case IR_TYPE_FUNC: put_func_type(p, t, quoted); break;
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
        print_put_rx(p, e->items[i]);
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

/* Whether the tuple can have that element, as far as is known of it. */
static bool has_element(const struct rx_expr *get)
{
    const struct rx_expr *tuple = get->nitems ? get->items[0] : NULL;
    if (!tuple || get->index < 0 || get->index >= INT32_MAX)
        return false;
    if (tuple->kind == RX_TUPLE)
        return (size_t)get->index < tuple->nitems;
    const struct ir_type *t =
        tuple->kind == RX_VAR ? tuple->var->type : tuple->type;
    return !t || t->kind != IR_TYPE_TUPLE || (size_t)get->index < t->nfields;
}

void print_put_rx(struct print_state *p, const struct rx_expr *e)
{
    if (!e) {
        print_refuse(p, "a Relax expression is missing");
        buf_puts(p->out, "None");
        return;
    }
    switch (e->kind) {
    case RX_VAR: buf_puts(p->out, rx_name(p, e->var)); break;
    case RX_CONSTANT: put_constant(p, e); break;
    case RX_SHAPE: put_shape(p, e); break;
    case RX_TUPLE: put_rx_items(p, e); break;
    case RX_TUPLE_GET:
        if (!has_element(e))
            print_refuse(p, "a tuple has no element %" PRId64, e->index);
        /* Python would take the item of (a, b)[0] at once. */
        if (e->nitems && e->items[0] && e->items[0]->kind == RX_TUPLE)
            buf_puts(p->out, "R.tuple");
        print_put_rx(p, e->nitems ? e->items[0] : NULL);
        buf_printf(p->out, "[%" PRId64 "]", e->index);
        break;
    case RX_CALL: print_put_rx_call(p, e); break;
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
        p->uses_module = true;
        if (!p->module_name && !ir_module_find(p->module, e->text))
            print_refuse(p, "the module has no function '%s'", e->text);
        buf_printf(p->out, "%s%s", p->module_name ? "cls." : "",
                   print_function_name(p, e->text));
        break;
    case RX_EXTERN:
        buf_puts(p->out, "R.ExternFunc(");
        print_put_string(p->out, e->text);
        buf_putc(p->out, ')');
        break;
    case RX_OP:
        buf_puts(p->out, "R.Op(");
        print_put_string(p->out, e->text);
        buf_putc(p->out, ')');
        break;
    /* These are statements; put_binding takes care of them. */
    case RX_IF:
    case RX_SEQ:
    case RX_FUNCTION:
        print_refuse(p, "text has %s only as the value of a variable",
                     e->kind == RX_IF    ? "a condition"
                     : e->kind == RX_SEQ ? "a sequence"
                                         : "a function");
        buf_puts(p->out, "None");
        break;
    }
}

/* ---- bindings ------------------------------------------------------------ */

/* A scalar is both a Relax variable and the symbol in shapes, if no other
 * variable is that symbol. */
static bool is_own_symbol(struct print_state *p, const struct rx_var *v)
{
    const struct ir_type *t = v->type;
    if (!t || t->kind != IR_TYPE_PRIM || !t->prim_value ||
        t->prim_value->kind != IR_VAR_REF)
        return false;
    const char *name = print_name_of(p, v);
    const char *symbol = print_name_of(p, t->prim_value->u.var);
    return !symbol || (name && strcmp(name, symbol) == 0);
}

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
    if (is_own_symbol(p, v))
        print_define_as(p, v->type->prim_value->u.var, name);
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
        print_put_rx(p, e);
        print_end(p);
    }
    p->indent--;
}

static void put_if(struct print_state *p, const struct rx_expr *e,
                   const char *target)
{
    print_line(p);
    buf_puts(p->out, "if ");
    print_put_rx(p, e->nitems > 0 ? e->items[0] : NULL);
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
    if (value && (value->pos.line || value->pos.col))
        p->pos = value->pos;
    if (value && value->kind == RX_FUNCTION) {
        put_func(p, value->func, rx_name(p, b->var), value->attrs, false);
        return;
    }
    if (value && value->kind == RX_IF) {
        put_if(p, value, target_of(p, b->var));
        return;
    }
    if (value && value->kind == RX_SEQ) {
        print_refuse(p,
                     "text cannot say a sequence as the value of a "
                     "variable, '%s'",
                     b->var->name);
        put_seq(p, value, target_of(p, b->var));
        return;
    }
    struct buf text = {0}, *out = p->out;
    p->out = &text;
    buf_puts(p->out, b->match_type ? "R.match_cast(" : "");
    print_put_rx(p, value);
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
    print_put_rx(p, result);
    print_end(p);
}

/* ---- functions ----------------------------------------------------------- */

static void define_params(struct print_state *p, const struct rx_func *f)
{
    for (size_t i = 0; i < f->nparams; i++) {
        const struct rx_var *v = f->params[i];
        const char *name = print_define(p, v, v->name);
        if (v->dataflow)
            print_refuse(p, "parameter '%s' is a dataflow variable", v->name);
        if (!is_own_symbol(p, v))
            continue;
        print_define_as(p, v->type->prim_value->u.var, name);
        ptr_map_put(&p->late, v->type->prim_value->u.var, NULL, 1);
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
        if (is_own_symbol(p, v)) {
            print_put_type(p->out, v->type, v->type->dtype);
            ptr_map_put(&p->late, v->type->prim_value->u.var, NULL, 0);
        } else {
            put_type(p, v->type, true);
        }
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
    struct buf body = {0}, *out = p->out;
    if (global)
        p->top_indent = p->indent;
    p->uses_module &= !global;
    p->out = &body;
    if (f->body && f->body->kind == RX_SEQ) {
        put_seq(p, f->body, NULL);
    } else {
        print_line(p);
        if (!f->body)
            print_refuse(p, "text has no function without a result");
        buf_puts(p->out, f->body ? "return " : "pass");
        if (f->body)
            print_put_rx(p, f->body);
        print_end(p);
    }
    p->out = out;
    if (global && p->module_name && (p->uses_module || p->module->nfuncs > 1)) {
        print_line(p);
        buf_puts(p->out, "cls = Module\n");
    }
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
