/* SPDX-License-Identifier: Apache-2.0
 *
 * Expressions. Python's operators where TVM's parser gives the same node back,
 * the constructors T.Add(…), T.Mul(…), … where it would fold constants
 * (x + 0, 2 * 3, x // 1, …). Parentheses follow Python's precedences; chains
 * of comparisons are always parenthesised, since Python reads them otherwise.
 */
#include "ir/writers/tvmscript/print_script.h"

#include <inttypes.h>
#include <string.h>

/* Python's precedences, low to high. */
enum precedence {
    PREC_NONE,
    PREC_OR,
    PREC_AND,
    PREC_NOT,
    PREC_COMPARE,
    PREC_BITOR,
    PREC_BITXOR,
    PREC_BITAND,
    PREC_SHIFT,
    PREC_ADD,
    PREC_MUL,
    PREC_UNARY,
    PREC_ATOM
};

/* How a binary kind is spelt. infix NULL: only the function form. */
struct spelling {
    const char *infix, *function;
    enum precedence precedence;
};

static struct spelling spelling_of(enum ir_expr_kind kind)
{
    switch (kind) {
    case IR_ADD: return (struct spelling){"+", "T.Add", PREC_ADD};
    case IR_SUB: return (struct spelling){"-", "T.Sub", PREC_ADD};
    case IR_MUL: return (struct spelling){"*", "T.Mul", PREC_MUL};
    case IR_DIV: return (struct spelling){"/", "T.Div", PREC_MUL};
    case IR_MOD: return (struct spelling){NULL, "T.Mod", PREC_ATOM};
    case IR_FLOORDIV: return (struct spelling){"//", "T.FloorDiv", PREC_MUL};
    case IR_FLOORMOD: return (struct spelling){"%", "T.FloorMod", PREC_MUL};
    case IR_MIN: return (struct spelling){NULL, "T.Min", PREC_ATOM};
    case IR_MAX: return (struct spelling){NULL, "T.Max", PREC_ATOM};
    case IR_BITAND: return (struct spelling){"&", "T.BitwiseAnd", PREC_BITAND};
    case IR_BITOR: return (struct spelling){"|", "T.BitwiseOr", PREC_BITOR};
    case IR_BITXOR: return (struct spelling){"^", "T.BitwiseXor", PREC_BITXOR};
    case IR_SHL: return (struct spelling){"<<", "T.LShift", PREC_SHIFT};
    case IR_SHR: return (struct spelling){">>", "T.RShift", PREC_SHIFT};
    case IR_EQ: return (struct spelling){"==", "T.EQ", PREC_COMPARE};
    case IR_NE: return (struct spelling){"!=", "T.NE", PREC_COMPARE};
    case IR_LT: return (struct spelling){"<", "T.LT", PREC_COMPARE};
    case IR_LE: return (struct spelling){"<=", "T.LE", PREC_COMPARE};
    case IR_GT: return (struct spelling){">", "T.GT", PREC_COMPARE};
    case IR_GE: return (struct spelling){">=", "T.GE", PREC_COMPARE};
    case IR_AND: return (struct spelling){"and", "T.And", PREC_AND};
    case IR_OR: return (struct spelling){"or", "T.Or", PREC_OR};
    case IR_LEAF_KINDS:
    case IR_OTHER_KINDS: break;
    }
    return (struct spelling){NULL, NULL, PREC_ATOM};
}

static bool is_immediate(const struct ir_expr *e)
{
    return e->kind == IR_INT_IMM || e->kind == IR_FLOAT_IMM;
}

static bool is_number(const struct ir_expr *e, int value)
{
    return (e->kind == IR_INT_IMM && e->u.int_value == value) ||
           (e->kind == IR_FLOAT_IMM && e->u.float_value == value);
}

bool print_same_leaf(const struct ir_expr *a, const struct ir_expr *b)
{
    return a == b ||
           (a != NULL && (a->kind == IR_INT_IMM || a->kind == IR_VAR_REF) &&
            ir_expr_same(a, b));
}

/* Whether TVM's parser may turn the operator into something else: it folds
 * constants and neutral elements, and divides by them. */
static bool would_fold(const struct ir_expr *e)
{
    const struct ir_expr *a = e->args[0], *b = e->args[1];
    if (is_immediate(a) && is_immediate(b))
        return true;
    if (!dtype_equal(a->dtype, b->dtype))
        return true; /* it would insert casts */
    switch (e->kind) {
    case IR_ADD: return is_number(a, 0) || is_number(b, 0);
    case IR_SUB: return is_number(b, 0);
    case IR_MUL:
        return is_number(a, 0) || is_number(a, 1) || is_number(b, 0) ||
               is_number(b, 1);
    case IR_DIV:
    case IR_MOD:
    case IR_FLOORDIV:
    case IR_FLOORMOD:
        return is_number(a, 0) || is_number(b, 0) || is_number(b, 1);
    case IR_SHL:
    case IR_SHR:
        return is_immediate(b) && (b->u.int_value <= 0 ||
                                   b->u.int_value >= (int64_t)e->dtype.bits);
    case IR_MIN:
    case IR_MAX: return print_same_leaf(a, b);
    case IR_LEAF_KINDS:
    case IR_BITAND:
    case IR_BITOR:
    case IR_BITXOR:
    case IR_COMPARE_KINDS:
    case IR_AND:
    case IR_OR:
    case IR_OTHER_KINDS: return false;
    }
    return false;
}

/* The operator has no infix form that Python code can use for these types. */
static bool needs_function(const struct ir_expr *e)
{
    struct dtype t = e->args[0]->dtype;
    switch (e->kind) {
    case IR_DIV: return !dtype_is_float(t);
    case IR_FLOORDIV:
    case IR_FLOORMOD: return !dtype_is_int(t);
    case IR_BITAND:
    case IR_BITOR:
    case IR_BITXOR: return !dtype_is_int(t) && !dtype_is_bool(t);
    case IR_SHL:
    case IR_SHR: return !dtype_is_int(t);
    case IR_AND:
    case IR_OR: return !dtype_is_bool(t) || t.lanes != 1 || t.scalable;
    case IR_MOD:
    case IR_MIN:
    case IR_MAX: return true;
    case IR_ADD:
    case IR_SUB:
    case IR_MUL: return dtype_is_handle(t) || dtype_is_bool(t);
    case IR_COMPARE_KINDS: return dtype_is_handle(t);
    case IR_LEAF_KINDS:
    case IR_OTHER_KINDS: return false;
    }
    return false;
}

static void put_prec(struct print_state *p, const struct ir_expr *e,
                     enum precedence outer);

static const char *function_name(const struct ir_expr *e, bool folds)
{
    if (!folds && e->kind == IR_MIN)
        return "T.min";
    if (!folds && e->kind == IR_MAX)
        return "T.max";
    if (!folds && e->kind == IR_MOD)
        return "T.truncmod";
    return spelling_of(e->kind).function;
}

static void put_binary(struct print_state *p, const struct ir_expr *e,
                       enum precedence outer)
{
    struct spelling s = spelling_of(e->kind);
    bool folds = !p->loose && would_fold(e);
    if (!s.infix || folds || (!p->loose && needs_function(e))) {
        buf_printf(p->out, "%s(", function_name(e, folds));
        print_put_exprs(p, 2, e->args);
        buf_putc(p->out, ')');
        return;
    }
    bool paren = s.precedence < outer;
    enum precedence left = s.precedence;
    if (left == PREC_COMPARE)
        left = PREC_BITOR;
    buf_puts(p->out, paren ? "(" : "");
    put_prec(p, e->args[0], left);
    buf_printf(p->out, " %s ", s.infix);
    put_prec(p, e->args[1], (enum precedence)(s.precedence + 1));
    buf_puts(p->out, paren ? ")" : "");
}

/* ---- literals ------------------------------------------------------------ */

static void put_int_digits(struct buf *out, const struct ir_expr *e)
{
    if (e->dtype.code == DT_UINT && e->u.int_value < 0)
        buf_printf(out, "%" PRIu64, (uint64_t)e->u.int_value);
    else
        buf_printf(out, "%" PRId64, e->u.int_value);
}

static void put_int(struct print_state *p, const struct ir_expr *e)
{
    struct dtype t = e->dtype;
    if (t.code == DT_INT && t.bits == 32 && t.lanes == 1) {
        put_int_digits(p->out, e);
    } else if (dtype_is_bool(t) && t.lanes == 1 && !t.scalable &&
               (e->u.int_value == 0 || e->u.int_value == 1)) {
        buf_puts(p->out, e->u.int_value ? "T.bool(True)" : "T.bool(False)");
    } else if (dtype_is_int(t) && t.lanes == 1 && print_dtype_has_name(t)) {
        buf_puts(p->out, "T.");
        dtype_put(p->out, t);
        buf_putc(p->out, '(');
        put_int_digits(p->out, e);
        buf_putc(p->out, ')');
    } else {
        buf_puts(p->out, "T.IntImm(");
        print_put_dtype(p->out, t);
        buf_puts(p->out, ", ");
        put_int_digits(p->out, e);
        buf_putc(p->out, ')');
    }
}

static void put_float(struct print_state *p, const struct ir_expr *e)
{
    if (e->dtype.lanes == 1 && print_dtype_has_name(e->dtype) &&
        dtype_is_float(e->dtype)) {
        buf_puts(p->out, "T.");
        dtype_put(p->out, e->dtype);
        buf_putc(p->out, '(');
    } else {
        buf_puts(p->out, "T.FloatImm(");
        print_put_dtype(p->out, e->dtype);
        buf_puts(p->out, ", ");
    }
    print_put_number(p->out, e->u.float_value);
    buf_putc(p->out, ')');
}

/* ---- the rest ------------------------------------------------------------ */

static void put_function(struct print_state *p, const char *name,
                         const struct ir_expr *e)
{
    buf_printf(p->out, "%s(", name);
    print_put_exprs(p, e->nargs, e->args);
    buf_putc(p->out, ')');
}

static void put_cast(struct print_state *p, const struct ir_expr *e)
{
    buf_puts(p->out, "T.Cast(");
    print_put_dtype(p->out, e->dtype);
    buf_puts(p->out, ", ");
    print_put_exprs(p, e->nargs, e->args);
    buf_putc(p->out, ')');
}

static void put_shuffle(struct print_state *p, const struct ir_expr *e)
{
    size_t n = e->u.nvectors <= e->nargs ? e->u.nvectors : e->nargs;
    buf_puts(p->out, "T.Shuffle([");
    print_put_exprs(p, n, e->args);
    buf_puts(p->out, "], [");
    if (e->nargs > n)
        print_put_exprs(p, e->nargs - n, e->args + n);
    buf_puts(p->out, "])");
}

static void put_load(struct print_state *p, const struct ir_expr *e)
{
    const char *name = print_buffer(p, e->u.buffer);
    if (e->predicate) {
        buf_printf(p->out, "%s.vload([", name);
        print_put_exprs(p, e->nargs, e->args);
        buf_puts(p->out, "], predicate=");
        print_put_expr(p, e->predicate);
        buf_putc(p->out, ')');
        return;
    }
    buf_printf(p->out, "%s[", name);
    if (e->nargs)
        print_put_exprs(p, e->nargs, e->args);
    else
        buf_puts(p->out, "()");
    buf_putc(p->out, ']');
}

/* The variable is declared at the top, as TVM does: its name is its own. */
static void put_let(struct print_state *p, const struct ir_expr *e)
{
    const char *name = print_var(p, e->u.var);
    buf_puts(p->out, "T.Let(");
    print_put_expr(p, e->args[1]);
    buf_printf(p->out, ", where={%s: ", name);
    print_put_expr(p, e->args[0]);
    buf_puts(p->out, "})");
}

static void put_unary(struct print_state *p, const struct ir_expr *e,
                      enum precedence outer)
{
    bool is_not = e->kind == IR_NOT;
    enum precedence own = is_not ? PREC_NOT : PREC_UNARY;
    if (!p->loose && (is_immediate(e->args[0]) ||
                      (is_not && e->args[0]->dtype.lanes != 1))) {
        put_function(p, is_not ? "T.Not" : "T.BitwiseNot", e);
        return;
    }
    bool paren = own < outer;
    buf_puts(p->out, paren ? "(" : "");
    buf_puts(p->out, is_not ? "not " : "~");
    put_prec(p, e->args[0], own);
    buf_puts(p->out, paren ? ")" : "");
}

static void put_prec(struct print_state *p, const struct ir_expr *e,
                     enum precedence outer)
{
    if (!e) {
        buf_puts(p->out, "None");
        return;
    }
    switch (e->kind) {
    case IR_INT_IMM: put_int(p, e); break;
    case IR_FLOAT_IMM: put_float(p, e); break;
    case IR_STRING_IMM: print_put_string(p->out, e->u.string.text); break;
    case IR_VAR_REF: buf_puts(p->out, print_var(p, e->u.var)); break;
    case IR_BUFFER_REF: buf_puts(p->out, print_buffer(p, e->u.buffer)); break;
    case IR_BINARY_KINDS: put_binary(p, e, outer); break;
    case IR_NOT:
    case IR_BITNOT: put_unary(p, e, outer); break;
    case IR_CAST: put_cast(p, e); break;
    case IR_SELECT: put_function(p, "T.Select", e); break;
    case IR_RAMP: put_function(p, "T.Ramp", e); break;
    case IR_BROADCAST: put_function(p, "T.Broadcast", e); break;
    case IR_SHUFFLE: put_shuffle(p, e); break;
    case IR_LOAD: put_load(p, e); break;
    case IR_CALL: print_put_call(p, e); break;
    case IR_LET: put_let(p, e); break;
    case IR_NKINDS: break;
    }
}

void print_put_expr(struct print_state *p, const struct ir_expr *e)
{
    put_prec(p, e, PREC_NONE);
}

void print_put_exprs(struct print_state *p, size_t n,
                     struct ir_expr *const *list)
{
    for (size_t i = 0; i < n; i++) {
        buf_puts(p->out, i ? ", " : "");
        print_put_expr(p, list[i]);
    }
}

void print_put_sum(struct print_state *p, const struct ir_expr *lo,
                   const struct ir_expr *extent)
{
    int64_t sum;
    if (lo->kind == IR_INT_IMM && extent->kind == IR_INT_IMM &&
        !__builtin_add_overflow(lo->u.int_value, extent->u.int_value, &sum)) {
        struct ir_expr e = *extent;
        struct dtype t = dtype_scalar(e.dtype);
        unsigned flags = 0;
        /* narrow and unsigned types wrap, as they do when it is read (R9) */
        if (dtype_is_int(t))
            sum = (int64_t)num_from_int(t, sum, &flags);
        if ((flags & NUM_WRAPPED) && t.code == DT_INT && t.bits >= 32)
            print_refuse(p, "the end of a range does not fit its type");
        e.u.int_value = sum;
        put_int(p, &e);
    } else if (is_number(lo, 0)) {
        print_put_expr(p, extent);
    } else {
        put_prec(p, lo, PREC_ADD);
        buf_puts(p->out, " + ");
        put_prec(p, extent, PREC_MUL);
    }
}

void print_put_region(struct print_state *p, const struct ir_region *region,
                      bool slices)
{
    buf_printf(p->out, "%s[", print_buffer(p, region->buffer));
    if (!region->nranges)
        buf_puts(p->out, "()");
    if (!region->nranges && slices)
        print_refuse(p, "a region of a scalar is no value in text");
    for (size_t i = 0; i < region->nranges; i++) {
        const struct ir_range *r = &region->ranges[i];
        buf_puts(p->out, i ? ", " : "");
        print_put_expr(p, r->min);
        if (r->extent && (slices || !is_number(r->extent, 1))) {
            struct ir_expr extent = *r->extent;
            bool one_type = dtype_equal(r->min->dtype, extent.dtype);
            if (extent.kind == IR_INT_IMM) /* its type does not count */
                extent.dtype = r->min->dtype;
            else if (!one_type)
                print_refuse(p, "a region has ends of two types");
            buf_putc(p->out, ':');
            print_put_sum(p, r->min, &extent);
        }
    }
    buf_putc(p->out, ']');
}
