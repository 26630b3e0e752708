/* SPDX-License-Identifier: Apache-2.0
 *
 * The ground of the TVMScript reader: messages, the token cursor, scopes of
 * names, and the values of Python expressions with their conversions to the IR.
 *
 * Scopes are one stack of bindings; `bound` gives the visible binding of a
 * symbol, each binding remembers the one it hides. Look-up costs the same
 * however many names there are.
 *
 * Numbers stay Python numbers until an operator or a place that needs an
 * expression gives them a type: int32 and float32 by default, the other
 * operand's type in arithmetic, as in TVM's parser.
 */
#include "ir/base/limits.h"
#include "ir/readers/tvmscript/script.h"

#include <string.h>

/* ---- messages ----------------------------------------------------------- */

void *script_fail(struct script *s, struct ir_pos pos, const char *code,
                  const char *fmt, ...)
{
    if (s->failed)
        return NULL;
    s->failed = true;
    struct diag_loc loc = {s->tokens.file, pos.line, pos.col, NULL};
    va_list args;
    va_start(args, fmt);
    diag_report(s->sink, DIAG_ERROR, loc, code, fmt, args);
    va_end(args);
    return NULL;
}

void script_fini(struct script *s)
{
    script_tokens_fini(&s->tokens);
    script_symbols_fini(&s->symbols);
    ptr_map_fini(&s->types);
    vec_fini(&s->bindings);
    vec_fini(&s->bound);
    vec_fini(&s->quoted);
    vec_fini(&s->funcs);
}

bool script_enter(struct script *s)
{
    if (++s->depth <= DC_MAX_DEPTH)
        return true;
    script_fail(s, script_pos(s), "script.limit",
                "the program nests too deep here");
    return false;
}

void script_leave(struct script *s)
{
    s->depth--;
}

/* ---- tokens ------------------------------------------------------------- */

const struct script_token *script_peek(const struct script *s, size_t ahead)
{
    size_t at = s->at + ahead;
    size_t last = s->tokens.list.len - 1;
    return &s->tokens.list.items[at < last ? at : last];
}

struct ir_pos script_pos(const struct script *s)
{
    const struct script_token *t = script_peek(s, 0);
    return (struct ir_pos){t->line, t->col};
}

bool script_is_op(const struct script *s, enum script_op op)
{
    const struct script_token *t = script_peek(s, 0);
    return t->kind == TK_OP && t->op == op;
}

bool script_is_word(const struct script *s, enum script_word word)
{
    const struct script_token *t = script_peek(s, 0);
    return t->kind == TK_NAME && t->symbol == (uint32_t)word;
}

bool script_take_op(struct script *s, enum script_op op)
{
    if (s->failed || !script_is_op(s, op))
        return false;
    s->at++;
    return true;
}

bool script_take_word(struct script *s, enum script_word word)
{
    if (s->failed || !script_is_word(s, word))
        return false;
    s->at++;
    return true;
}

const char *script_describe(const struct script *s, char text[64])
{
    const struct script_token *t = script_peek(s, 0);
    switch ((enum script_token_kind)t->kind) {
    case TK_END: return "the end of the text";
    case TK_NEWLINE: return "the end of the line";
    case TK_INDENT: return "a deeper indentation";
    case TK_DEDENT: return "the end of the block";
    case TK_NAME:
    case TK_INT:
    case TK_FLOAT:
    case TK_STRING:
    case TK_OP: break;
    }
    int len = t->len > 40 ? 40 : (int)t->len;
    snprintf(text, 64, "'%.*s%s'", len, s->tokens.text + t->offset,
             t->len > 40 ? "…" : "");
    for (char *c = text; *c; c++) {
        if ((unsigned char)*c < 0x20)
            *c = ' ';
    }
    return text;
}

bool script_expect_op(struct script *s, enum script_op op)
{
    if (script_take_op(s, op))
        return true;
    char text[64];
    script_fail(s, script_pos(s), "script.syntax", "expected '%s', not %s",
                script_op_text(op), script_describe(s, text));
    return false;
}

bool script_expect_indent(struct script *s)
{
    if (script_peek(s, 0)->kind != TK_INDENT) {
        script_fail(s, script_pos(s), "script.syntax",
                    "expected an indented block");
        return false;
    }
    s->at++;
    return true;
}

bool script_expect_line_end(struct script *s)
{
    if (s->failed)
        return false;
    if (script_take_op(s, OP_SEMICOLON)) {
        if (script_peek(s, 0)->kind == TK_NEWLINE)
            s->at++;
        return true;
    }
    const struct script_token *t = script_peek(s, 0);
    if (t->kind == TK_NEWLINE) {
        s->at++;
        return true;
    }
    if (t->kind == TK_END)
        return true;
    char text[64];
    script_fail(s, script_pos(s), "script.syntax",
                "expected the end of the statement, not %s",
                script_describe(s, text));
    return false;
}

const char *script_expect_name(struct script *s, uint32_t *symbol)
{
    const struct script_token *t = script_peek(s, 0);
    if (!s->failed && t->kind == TK_NAME && t->symbol >= WORD_COUNT) {
        s->at++;
        if (symbol)
            *symbol = t->symbol;
        return script_symbol_text(s, t->symbol);
    }
    char text[64];
    return script_fail(s, script_pos(s), "script.syntax",
                       "expected a name, not %s", script_describe(s, text));
}

/* ---- scopes ------------------------------------------------------------- */

size_t script_scope(const struct script *s)
{
    return s->bindings.len;
}

void script_scope_close(struct script *s, size_t mark)
{
    while (s->bindings.len > mark) {
        struct script_binding b = s->bindings.items[--s->bindings.len];
        s->bound.items[b.symbol] = b.outer;
    }
}

void script_bind(struct script *s, uint32_t symbol, struct sv *value)
{
    while (s->bound.len <= symbol)
        vec_push(&s->bound, 0);
    struct script_binding b = {symbol, s->bound.items[symbol], value};
    vec_push(&s->bindings, b);
    s->bound.items[symbol] = (uint32_t)s->bindings.len;
}

struct sv *script_find(const struct script *s, uint32_t symbol)
{
    uint32_t index = symbol < s->bound.len ? s->bound.items[symbol] : 0;
    return index ? s->bindings.items[index - 1].value : NULL;
}

const char *script_symbol_text(const struct script *s, uint32_t symbol)
{
    return s->symbols.names.items[symbol];
}

/* ---- making values ------------------------------------------------------ */

struct sv *sv_make(struct script *s, enum sv_kind kind, struct ir_pos pos)
{
    struct sv *v = ARENA_NEW(s->m->arena, struct sv);
    v->kind = kind;
    v->pos = pos;
    return v;
}

struct sv *sv_expr(struct script *s, struct ir_expr *expr, struct ir_pos pos)
{
    if (!expr || s->failed)
        return NULL;
    struct sv *v = sv_make(s, SV_EXPR, pos);
    v->u.expr = expr;
    return v;
}

struct sv *sv_buffer(struct script *s, struct ir_buffer *b, struct ir_pos pos)
{
    if (!b)
        return NULL;
    struct sv *v = sv_make(s, SV_BUFFER, pos);
    v->u.buffer = b;
    return v;
}

struct sv *sv_int(struct script *s, int64_t value, struct ir_pos pos)
{
    struct sv *v = sv_make(s, SV_INT, pos);
    v->u.integer.value = value;
    return v;
}

struct sv *sv_type(struct script *s, const struct ir_type *type,
                   struct ir_pos pos)
{
    if (!type)
        return NULL;
    struct sv *v = sv_make(s, SV_TYPE, pos);
    v->u.type.type = type;
    return v;
}

const char *sv_kind_name(const struct sv *v)
{
    switch (v->kind) {
    case SV_NONE: return "None";
    case SV_BOOL: return "a bool";
    case SV_INT:
    case SV_FLOAT: return "a number";
    case SV_STRING: return "a string";
    case SV_EXPR: return "an expression";
    case SV_BUFFER: return "a buffer";
    case SV_REGION: return "a region";
    case SV_TUPLE: return "a tuple";
    case SV_LIST: return "a list";
    case SV_DICT: return "a dict";
    case SV_SLICE: return "a slice";
    case SV_PATH: return "a name";
    case SV_CALL: return "a statement";
    case SV_METHOD: return "a method";
    case SV_TYPE: return "a type";
    case SV_ITER_VAR: return "an iterator";
    case SV_RANGE: return "a range";
    case SV_REDUCER: return "a reducer";
    case SV_LAMBDA: return "a lambda";
    case SV_VALUE: return "an attribute value";
    case SV_GLOBAL: return "a function";
    case SV_MODULE: return "a module";
    case SV_TYPEVAR: return "a dimension";
    case SV_RELAX: return "a Relax expression";
    }
    return "a value";
}

/* ---- limits ------------------------------------------------------------- */

struct ir_expr *script_checked(struct script *s, struct ir_expr *e,
                               struct ir_pos pos)
{
    if (!e || s->failed)
        return NULL;
    if (e->depth > DC_MAX_DEPTH)
        return script_fail(s, pos, "script.limit",
                           "this expression nests deeper than %u",
                           DC_MAX_DEPTH);
    if (e->size > DC_MAX_TREE_NODES)
        return script_fail(s, pos, "script.limit",
                           "this expression has more than %u nodes",
                           DC_MAX_TREE_NODES);
    if (!e->pos.line)
        e->pos = pos;
    return e;
}

struct ir_stmt *script_checked_stmt(struct script *s, struct ir_stmt *stmt,
                                    struct ir_pos pos)
{
    if (!stmt || s->failed)
        return NULL;
    ir_stmt_seal(stmt);
    if (!stmt->pos.line)
        stmt->pos = pos;
    if (stmt->depth > DC_MAX_DEPTH)
        return script_fail(s, pos, "script.limit",
                           "this statement nests deeper than %u", DC_MAX_DEPTH);
    if (stmt->size > DC_MAX_TREE_NODES)
        return script_fail(s, pos, "script.limit",
                           "this statement has more than %u nodes",
                           DC_MAX_TREE_NODES);
    return stmt;
}

/* ---- conversions -------------------------------------------------------- */

bool script_fits_int64(struct script *s, const struct sv *v)
{
    if (v->kind == SV_INT && v->u.integer.wide)
        script_fail(s, v->pos, "script.type",
                    "this integer does not fit 64 bits; only T.uint64(…) may "
                    "hold it");
    return !s->failed;
}

static struct ir_expr *int_literal(struct script *s, const struct sv *v)
{
    if (!script_fits_int64(s, v))
        return NULL;
    int64_t x = v->u.integer.value;
    bool small = x >= INT32_MIN && x <= INT32_MAX;
    return ir_int(s->m, small ? DTYPE_INT32 : DTYPE_INT64, x);
}

struct ir_expr *script_expr_of(struct script *s, const struct sv *v)
{
    if (!v || s->failed)
        return NULL;
    struct ir_expr *e = NULL;
    switch (v->kind) {
    case SV_BOOL: e = ir_int(s->m, DTYPE_BOOL, v->u.boolean); break;
    case SV_INT: e = int_literal(s, v); break;
    case SV_FLOAT: e = ir_float(s->m, DTYPE_FLOAT32, v->u.number); break;
    case SV_STRING: e = ir_string(s->m, v->u.string); break;
    case SV_EXPR: e = v->u.expr; break;
    case SV_BUFFER: e = ir_buffer_ref(s->m, v->u.buffer); break;
    case SV_REGION: e = script_region_load(s, v); break;
    case SV_ITER_VAR: e = ir_var_ref(s->m, v->u.iter_var->var); break;
    case SV_RELAX:
        if (v->u.relax->kind == RX_PRIM_VALUE)
            e = v->u.relax->prim;
        else if (v->u.relax->kind == RX_VAR && v->u.relax->var->type &&
                 v->u.relax->var->type->kind == IR_TYPE_PRIM)
            e = v->u.relax->var->type->prim_value; /* the symbol it is */
        break;
    case SV_NONE:
    case SV_TUPLE:
    case SV_LIST:
    case SV_DICT:
    case SV_SLICE:
    case SV_PATH:
    case SV_CALL:
    case SV_METHOD:
    case SV_TYPE:
    case SV_RANGE:
    case SV_REDUCER:
    case SV_LAMBDA:
    case SV_VALUE:
    case SV_GLOBAL:
    case SV_MODULE:
    case SV_TYPEVAR: break;
    }
    if (!e)
        return script_fail(s, v->pos, "script.type",
                           "expected an expression, not %s", sv_kind_name(v));
    return script_checked(s, e, v->pos);
}

struct ir_expr *script_expr_as(struct script *s, const struct sv *v,
                               struct dtype t)
{
    if (!v || s->failed)
        return NULL;
    bool number =
        v->kind == SV_INT || v->kind == SV_FLOAT || v->kind == SV_BOOL;
    if (!number)
        return script_expr_of(s, v);
    if (v->kind == SV_INT && v->u.integer.wide && t.code == DT_UINT &&
        t.bits == 64 && t.lanes == 1)
        return ir_int(s->m, t, v->u.integer.value);
    struct ir_expr *e = script_expr_of(s, v);
    if (!e || dtype_is_handle(t) || t.code == DT_VOID)
        return e;
    bool to_int = (dtype_is_int(t) || dtype_is_bool(t));
    if (v->kind == SV_FLOAT && to_int)
        return e; /* a fraction stays a float */
    return script_cast(s, t, e);
}

bool script_has_value(struct script *s, const struct ir_expr *e,
                      struct ir_pos pos)
{
    if (!e || s->failed)
        return false;
    if (e->dtype.code != DT_VOID)
        return true;
    if (e->kind == IR_CALL && e->u.call.op == IR_OP_UNKNOWN)
        script_fail(s, pos, "script.type",
                    "the result type of '%s' is not known here; "
                    "T.call_intrin states it",
                    e->u.call.name);
    else if (e->kind == IR_CALL)
        script_fail(s, pos, "script.type", "the call of '%s' has no value",
                    e->u.call.name);
    else
        script_fail(s, pos, "script.type", "this has no value");
    return false;
}

struct ir_expr *script_index_of(struct script *s, const struct sv *v)
{
    struct ir_expr *e = script_expr_of(s, v);
    if (!e)
        return NULL;
    if (!dtype_is_int(e->dtype) && !dtype_is_bool(e->dtype))
        return script_fail(s, v->pos, "script.type",
                           "expected an integer here");
    return e;
}

bool script_number_bits(struct script *s, struct dtype t, const struct sv *v,
                        uint64_t *bits)
{
    unsigned flags = 0;
    if (v->kind != SV_FLOAT && v->kind != SV_INT && v->kind != SV_BOOL) {
        script_fail(s, v->pos, "script.type", "expected a number, not %s",
                    sv_kind_name(v));
        return false;
    }
    bool uint64 = t.code == DT_UINT && t.bits == 64;
    int64_t value = v->kind == SV_BOOL  ? v->u.boolean
                    : v->kind == SV_INT ? v->u.integer.value
                                        : 0;
    if (v->kind == SV_INT && v->u.integer.wide && uint64)
        *bits = (uint64_t)value;
    else if (!script_fits_int64(s, v))
        return false;
    else if (v->kind == SV_FLOAT)
        *bits = num_from_double(t, v->u.number, &flags);
    else if (dtype_is_float(t))
        *bits = num_from_double(t, (double)value, &flags);
    else
        *bits = num_from_int(t, value, &flags);
    if (flags & (NUM_NO_RULE | NUM_UNDEFINED | NUM_WRAPPED)) {
        char name[48];
        script_fail(s, v->pos, "script.type", "type '%s' has no such number",
                    dtype_name(t, name));
    }
    return !s->failed;
}

bool script_int_of(const struct sv *v, int64_t *out)
{
    if (!v)
        return false;
    if (v->kind == SV_INT && !v->u.integer.wide) {
        *out = v->u.integer.value;
        return true;
    }
    if (v->kind == SV_BOOL) {
        *out = v->u.boolean;
        return true;
    }
    if (v->kind == SV_EXPR && v->u.expr->kind == IR_INT_IMM) {
        *out = v->u.expr->u.int_value;
        return true;
    }
    return false;
}

bool script_bool_of(struct script *s, const struct sv *v, bool fallback)
{
    int64_t value;
    if (!v || v->kind == SV_NONE)
        return fallback;
    if (script_int_of(v, &value) && (value == 0 || value == 1))
        return value != 0;
    script_fail(s, v->pos, "script.type", "expected True or False, not %s",
                sv_kind_name(v));
    return false;
}

const char *script_string_of(struct script *s, const struct sv *v)
{
    if (!v || s->failed)
        return NULL;
    if (v->kind == SV_STRING)
        return v->u.string;
    if (v->kind == SV_EXPR && v->u.expr->kind == IR_STRING_IMM)
        return v->u.expr->u.string.text;
    return script_fail(s, v->pos, "script.type", "expected a string, not %s",
                       sv_kind_name(v));
}

bool script_dtype_of(struct script *s, const struct sv *v, struct dtype *out)
{
    if (!v || s->failed)
        return false;
    if (v->kind == SV_TYPE && v->u.type.type &&
        v->u.type.type->kind == IR_TYPE_PRIM) {
        *out = v->u.type.type->dtype;
        return true;
    }
    if (v->kind == SV_PATH && script_dtype_name(v->u.string, out))
        return true;
    if (v->kind == SV_STRING && dtype_parse(v->u.string, out))
        return true;
    if (v->kind == SV_STRING)
        script_fail(s, v->pos, "script.type", "'%s' is no data type",
                    v->u.string);
    else
        script_fail(s, v->pos, "script.type",
                    "expected a data type such as \"float32\", not %s",
                    sv_kind_name(v));
    return false;
}

bool script_value_dtype_of(struct script *s, const struct sv *v,
                           struct dtype *out)
{
    if (!script_dtype_of(s, v, out))
        return false;
    if (out->code != DT_VOID)
        return true;
    script_fail(s, v->pos, "script.type", "nothing has a value of type 'void'");
    return false;
}

bool script_number_dtype_of(struct script *s, const struct sv *v,
                            struct dtype *out)
{
    if (!script_value_dtype_of(s, v, out))
        return false;
    if (dtype_is_int(*out) || dtype_is_float(*out) || dtype_is_bool(*out))
        return true;
    char name[48];
    script_fail(s, v->pos, "script.type", "'%s' is no type of numbers",
                dtype_name(*out, name));
    return false;
}

size_t script_items(const struct sv *v, struct sv *const **items)
{
    if (v->kind == SV_TUPLE || v->kind == SV_LIST) {
        *items = v->u.list.items;
        return v->u.list.n;
    }
    return SIZE_MAX;
}

struct sv *script_arg(const struct sv_call *c, size_t index, const char *kw)
{
    if (index < c->nargs)
        return c->args[index];
    for (size_t i = 0; kw && i < c->nkw; i++) {
        if (strcmp(c->kw[i], kw) == 0)
            return c->kwargs[i]->kind == SV_NONE ? NULL : c->kwargs[i];
    }
    return NULL;
}

const char *script_last_name(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot ? dot + 1 : path;
}
