/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls in Relax functions. R.name(x, axis=1) is what TVM parses: an operator
 * of the namespace "relax." whose attributes are of the type that TVM gives
 * them (relax_attrs.def). What Python cannot spell so is said in our own way:
 *   R.Op("any name")(x)       an operator by its name, whatever it is
 *   R.f(x, attrs=value)       all attributes as one value
 * TVM knows neither these operators nor such attributes.
 */
#include "ir/writers/tvmscript/print_script.h"

#include <string.h>

/* ---- names and attributes ------------------------------------------------ */

/* "relax.vm.f" can be written R.vm.f. */
static bool is_dotted(const char *name)
{
    for (;;) {
        size_t n = strcspn(name, ".");
        if (!print_is_identifier(name, n))
            return false;
        if (!name[n])
            return true;
        name += n + 1;
    }
}

/* Keywords that a call of R takes for itself. */
static bool is_reserved(const char *key)
{
    static const char *const keys[] = {"ty_args", "sinfo_args", "attrs"};
    for (size_t i = 0; i < DC_ARRAY_LEN(keys); i++)
        if (strcmp(keys[i], key) == 0)
            return true;
    return false;
}

/* dtype="float32" is a data type where TVM knows the attributes. */
static bool is_dtype(const char *key)
{
    return strcmp(key, "dtype") == 0 || strcmp(key, "out_dtype") == 0;
}

/* The attributes of a call of this operator can be keywords: their object is
 * the one that follows from the operator, their names are names. */
static bool attrs_are_plain(const struct ir_value *attrs, const char *op)
{
    const char *type = op ? rx_op_attrs(op) : NULL;
    if (!attrs || (attrs->n == 0 && attrs->kind == IR_V_MAP))
        return true;
    if (attrs->kind != (type ? IR_V_OBJECT : IR_V_MAP) || attrs->n > 200 ||
        (attrs->n && !attrs->keys))
        return false;
    if (type && strcmp(attrs->u.string, type) != 0)
        return false;
    for (size_t i = 0; i < attrs->n; i++) {
        const char *key = attrs->keys[i];
        bool text = attrs->items[i] && attrs->items[i]->kind == IR_V_STRING;
        if (!print_is_identifier(key, strlen(key)) || is_reserved(key) ||
            (type && text && is_dtype(key)))
            return false;
    }
    return true;
}

static void put_attrs(struct print_state *p, const struct ir_value *attrs,
                      const char *op, const char **comma)
{
    if (!attrs || (attrs->n == 0 && attrs->kind == IR_V_MAP))
        return;
    if (!attrs_are_plain(attrs, op)) {
        buf_printf(p->out, "%sattrs=", *comma);
        *comma = ", ";
        print_put_value(p, attrs);
        return;
    }
    for (size_t i = 0; i < attrs->n; i++) {
        const struct ir_value *v = attrs->items[i];
        buf_printf(p->out, "%s%s=", *comma, attrs->keys[i]);
        *comma = ", ";
        if (attrs->kind == IR_V_OBJECT && v && v->kind == IR_V_DTYPE &&
            is_dtype(attrs->keys[i]))
            print_put_dtype(p->out, v->u.dtype);
        else
            print_put_value(p, v);
    }
}

/* ---- R.call_tir(f, (x, y), out_ty=…) ------------------------------------- */

/* Whether the value is a tuple for its reader, which makes one of anything
 * else. */
static bool is_tuple(const struct rx_expr *e)
{
    if (!e)
        return false;
    const struct ir_type *t = e->kind == RX_VAR && e->var ? e->var->type : NULL;
    return e->kind == RX_TUPLE || (t && t->kind == IR_TYPE_TUPLE);
}

static bool is_dps(const struct rx_expr *e)
{
    const char *op = e->callee->text;
    if (rx_op_form(op) != RX_FORM_RESULT || e->ntype_args != 1 ||
        !e->type_args[0] || e->nitems < 2 || e->nitems > 3 || !e->items[0] ||
        !is_tuple(e->items[1]) || !attrs_are_plain(e->attrs, op))
        return false;
    if (e->nitems == 3 && (!e->items[2] || e->items[2]->kind != RX_SHAPE))
        return false;
    for (size_t i = 0; e->attrs && i < e->attrs->n; i++)
        if (!rx_op_takes(op, e->attrs->keys[i]))
            return false;
    return true;
}

static void put_callee(struct print_state *p, const struct rx_expr *e)
{
    if (e && e->kind == RX_EXTERN)
        print_put_string(p->out, e->text);
    else
        print_put_rx(p, e);
}

/* The result type is an argument; several results are a list. */
static void put_dps(struct print_state *p, const struct rx_expr *e)
{
    const struct ir_type *out = e->type_args[0];
    const char *comma = ", ";
    buf_printf(p->out, "R.%s(", e->callee->text + strlen("relax."));
    put_callee(p, e->items[0]);
    buf_puts(p->out, ", ");
    print_put_rx(p, e->items[1]);
    if (e->nitems > 2) {
        buf_puts(p->out, ", tir_vars=");
        print_put_rx(p, e->items[2]);
    }
    buf_puts(p->out, ", out_ty=");
    if (out->kind == IR_TYPE_TUPLE && out->nfields) {
        buf_putc(p->out, '[');
        for (size_t i = 0; i < out->nfields; i++) {
            buf_puts(p->out, i ? ", " : "");
            print_put_rx_type(p, out->fields[i]);
        }
        buf_putc(p->out, ']');
    } else {
        print_put_rx_type(p, out);
    }
    put_attrs(p, e->attrs, e->callee->text, &comma);
    buf_putc(p->out, ')');
}

/* ---- any call ------------------------------------------------------------ */

/* What is called, up to the parenthesis. */
static void put_head(struct print_state *p, const struct rx_expr *f,
                     const char **comma)
{
    if (f && f->kind == RX_EXTERN) {
        buf_puts(p->out, "R.call_packed(");
        print_put_string(p->out, f->text);
        *comma = ", ";
    } else if (f && f->kind == RX_OP && rx_op_form(f->text) == RX_FORM_PLAIN &&
               is_dotted(f->text) && strlen(f->text) < 150) {
        buf_printf(p->out, "R.%s(", f->text + strlen("relax."));
    } else if (f && f->kind == RX_TUPLE) {
        print_refuse(p, "text cannot say the call of a tuple");
    } else {
        print_put_rx(p, f);
        buf_putc(p->out, '(');
    }
}

void print_put_rx_call(struct print_state *p, const struct rx_expr *e)
{
    const struct rx_expr *f = e->callee;
    const char *op = f && f->kind == RX_OP ? f->text : NULL;
    if (op && is_dps(e)) {
        put_dps(p, e);
        return;
    }
    const char *comma = "";
    put_head(p, f, &comma);
    for (size_t i = 0; i < e->nitems; i++) {
        buf_puts(p->out, comma);
        comma = ", ";
        if (i == 0 && op && rx_op_form(op) == RX_FORM_PLAIN &&
            strstr(op, "packed"))
            put_callee(p, e->items[i]);
        else
            print_put_rx(p, e->items[i]);
    }
    put_attrs(p, e->attrs, op, &comma);
    if (e->ntype_args) {
        buf_printf(p->out, "%sty_args=(", comma);
        for (size_t i = 0; i < e->ntype_args; i++) {
            print_put_rx_type(p, e->type_args[i]);
            buf_puts(p->out, ", ");
        }
        buf_putc(p->out, ')');
    }
    buf_putc(p->out, ')');
}
