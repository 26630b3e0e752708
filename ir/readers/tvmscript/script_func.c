/* SPDX-License-Identifier: Apache-2.0
 *
 * Files, modules and functions of TVMScript: headers and imports, dimensions
 * declared with TypeVar, decorators, signatures, function attributes.
 *
 * A file is one module class, or bare functions. The names of a module's
 * functions are bound before any is read, because they may call each other. A
 * public function gets the attribute global_symbol, one of the spelling of
 * TVM >= 0.25 the attribute s_tir when its decorator says so.
 */
#include "ir/readers/tvmscript/script.h"

#include <stdlib.h>
#include <string.h>

/* More attributes than any function has; bounds the search for a second one of
 * the same name. */
#define MAX_ATTRS 256u

/* ---- types and declarations --------------------------------------------- */

const struct sv_type *script_type_of(struct script *s, struct sv *v)
{
    if (!v || s->failed)
        return NULL;
    if (v->kind == SV_TYPE)
        return &v->u.type;
    struct dtype t;
    bool name = v->kind == SV_PATH || v->kind == SV_STRING;
    struct sv_type *type = ARENA_NEW(s->m->arena, struct sv_type);
    struct ir_type *prim = ir_type_make(s->m, IR_TYPE_PRIM);
    type->type = prim;
    const char *last = name ? script_last_name(v->u.string) : "";
    if (v->kind == SV_PATH && strcmp(last, "let") == 0) {
        type->is_let = type->open = true;
        return type;
    }
    if (v->kind == SV_PATH &&
        (strcmp(last, "handle") == 0 || strcmp(last, "Ptr") == 0)) {
        prim->dtype = DTYPE_HANDLE;
        return type;
    }
    if (v->kind == SV_NONE) {
        prim->kind = IR_TYPE_TUPLE;
        return type;
    }
    if (v->kind == SV_PATH &&
        (s->relax || strncmp(v->u.string, "R.", 2) == 0)) {
        struct sv_call call = {.name = v->u.string, .pos = v->pos};
        const struct ir_type *relax = script_relax_type(s, &call);
        type->type = relax ? relax : prim;
        if (relax)
            return type;
    }
    if (name && script_dtype_name(v->u.string, &t)) {
        prim->dtype = t;
        return type;
    }
    return script_fail(s, v->pos, "script.type", "expected a type, not %s",
                       sv_kind_name(v));
}

struct sv *script_declare(struct script *s, const struct sv_type *type,
                          const char *name, struct ir_pos pos)
{
    const struct ir_type *t = type->type;
    if (t->kind != IR_TYPE_PRIM && t->kind != IR_TYPE_POINTER)
        return script_fail(s, pos, "script.type",
                           "'%s' cannot have this type here", name);
    struct dtype dtype = t->kind == IR_TYPE_POINTER ? DTYPE_HANDLE : t->dtype;
    if (dtype.code == DT_VOID)
        return script_fail(s, pos, "script.type",
                           "'%s' cannot be of type 'void', which has no value",
                           name);
    struct ir_var *var = ir_var_make(s->m, name, dtype);
    if (t->kind == IR_TYPE_POINTER)
        var->type = t;
    var->is_size = type->is_size;
    return sv_expr(s, ir_var_ref(s->m, var), pos);
}

bool script_declare_name(struct script *s, uint32_t symbol,
                         const struct sv_type *type, struct ir_pos pos)
{
    struct sv *var =
        script_declare(s, type, script_symbol_text(s, symbol), pos);
    if (var)
        script_bind(s, symbol, var);
    return var != NULL;
}

struct ir_var *script_typevar(struct script *s, struct sv *v)
{
    uint32_t serial = s->func ? s->func->serial : s->serial;
    if (!v->u.typevar.var || v->u.typevar.func != serial) {
        v->u.typevar.var = ir_var_make(s->m, v->u.typevar.name, DTYPE_INT64);
        v->u.typevar.func = serial;
    }
    return v->u.typevar.var;
}

/* ---- signatures --------------------------------------------------------- */

static void bind_param(struct script *s, uint32_t symbol, struct ir_var *var,
                       struct ir_buffer *buffer, struct sv *value)
{
    struct ir_param param = {var, buffer};
    vec_push(&s->func->params, param);
    script_bind(s, symbol, value);
}

/* param := NAME ":" annotation */
static bool parse_param(struct script *s)
{
    struct ir_pos pos = script_pos(s);
    uint32_t symbol;
    const char *name = script_expect_name(s, &symbol);
    if (!name)
        return false;
    if (!script_take_op(s, OP_COLON)) {
        script_fail(s, pos, "script.syntax",
                    "parameter '%s' needs a type annotation", name);
        return false;
    }
    struct sv *v = script_parse_expr(s);
    if (!v)
        return false;
    if (v->kind == SV_BUFFER) {
        struct ir_buffer *b = v->u.buffer;
        b->name = name;
        if (b->data->implicit_data)
            b->data->name = name;
        struct ir_var *var = ir_var_make(
            s->m, arena_printf(s->m->arena, "%s_handle", name), DTYPE_HANDLE);
        bind_param(s, symbol, var, b, sv_buffer(s, b, pos));
        return true;
    }
    const struct sv_type *type = script_type_of(s, v);
    if (!type)
        return false;
    /* A dimension that an earlier quoted shape introduced is this one. */
    struct sv *known = script_find(s, symbol);
    for (size_t i = 0; known && i < s->quoted.len; i++) {
        if (s->quoted.items[i] == symbol && known->kind == SV_EXPR &&
            type->type->kind == IR_TYPE_PRIM &&
            dtype_equal(known->u.expr->dtype, type->type->dtype)) {
            bind_param(s, symbol, known->u.expr->u.var, NULL, known);
            return true;
        }
    }
    struct sv *value = script_declare(s, type, name, pos);
    if (value)
        bind_param(s, symbol, value->u.expr->u.var, NULL, value);
    return value != NULL;
}

/* type_params := "[" NAME ("," NAME)* "]" */
static void parse_type_params(struct script *s)
{
    if (!script_take_op(s, OP_LBRACKET))
        return;
    do {
        uint32_t symbol;
        struct ir_pos pos = script_pos(s);
        const char *name = script_expect_name(s, &symbol);
        if (!name)
            return;
        if (script_take_op(s, OP_COLON))
            script_parse_expr(s);
        struct ir_var *var = ir_var_make(s->m, name, DTYPE_INT64);
        script_bind(s, symbol, sv_expr(s, ir_var_ref(s->m, var), pos));
    } while (script_take_op(s, OP_COMMA));
    script_expect_op(s, OP_RBRACKET);
}

/* signature := "(" [param ("," param)* [","]] ")" ["->" annotation] */
static bool parse_signature(struct script *s, struct ir_prim_func *prim)
{
    s->func->in_signature = true;
    parse_type_params(s);
    script_expect_op(s, OP_LPAREN);
    while (!s->failed && !script_is_op(s, OP_RPAREN)) {
        if (!parse_param(s) || !script_take_op(s, OP_COMMA))
            break;
    }
    script_expect_op(s, OP_RPAREN);
    s->func->in_signature = false;
    if (script_take_op(s, OP_ARROW)) {
        struct sv *v = script_parse_expr(s);
        const struct sv_type *type = script_type_of(s, v);
        if (type)
            prim->ret_type = type->type;
    }
    return !s->failed;
}

/* ---- functions ---------------------------------------------------------- */

/* Attributes of TVM <= 0.22 begin with "tir.", the same ones later with
 * "tirx.". */
static const char *attr_rest(const char *key)
{
    if (strncmp(key, "tir.", 4) == 0)
        return key + 3;
    return strncmp(key, "tirx.", 5) == 0 ? key + 4 : key;
}

static bool has_attr(const struct script_func *f, const char *key)
{
    for (size_t i = 0; i < f->attr_keys.len; i++) {
        if (strcmp(attr_rest(f->attr_keys.items[i]), attr_rest(key)) == 0)
            return true;
    }
    return false;
}

bool script_push_attr(struct script *s, const char *key, struct ir_value *value,
                      struct ir_pos pos)
{
    struct script_func *f = s->func;
    if (has_attr(f, key)) {
        script_fail(s, pos, "script.name",
                    "this function has a second attribute '%s'", key);
        return false;
    }
    if (f->attr_keys.len >= MAX_ATTRS) {
        script_fail(s, pos, "script.limit",
                    "a function has at most %u attributes", MAX_ATTRS);
        return false;
    }
    vec_push(&f->attr_keys, key);
    vec_push(&f->attr_values, value);
    return true;
}

static void finish_attrs(struct script *s, const struct script_decorator *d)
{
    struct script_func *f = s->func;
    if (!d->is_private && !has_attr(f, "global_symbol")) {
        vec_push(&f->attr_keys, "global_symbol");
        vec_push(&f->attr_values, ir_value_string(s->m, f->func->name));
    }
    if (d->s_tir && !has_attr(f, "s_tir")) {
        vec_push(&f->attr_keys, "s_tir");
        vec_push(&f->attr_values, ir_value_bool(s->m, true));
    }
    if (d->persistent && !has_attr(f, "tirx.persistent_kernel")) {
        vec_push(&f->attr_keys, "tirx.persistent_kernel");
        vec_push(&f->attr_values, ir_value_bool(s->m, true));
    }
    f->func->attrs = ir_value_map(s->m, f->attr_keys.len, f->attr_keys.items,
                                  f->attr_values.items);
}

static int compare_functions(const void *a, const void *b)
{
    const struct ir_func *fa = *(struct ir_func *const *)a;
    const struct ir_func *fb = *(struct ir_func *const *)b;
    int order = strcmp(fa->name, fb->name);
    if (order == 0)
        order = fa->pos.line < fb->pos.line ? -1 : 1;
    return order;
}

/* Puts the functions read into the module, sorted by name. */
static bool finish_module(struct script *s)
{
    size_t n = s->funcs.len;
    if (!n) {
        script_fail(s, script_pos(s), "script.syntax",
                    "the text has no function");
        return false;
    }
    qsort(s->funcs.items, n, sizeof(struct ir_func *), compare_functions);
    for (size_t i = 0; i < n; i++) {
        struct ir_func *f = s->funcs.items[i];
        if (ir_module_add(s->m, f))
            continue;
        script_fail(s, f->pos, "script.name",
                    "the module has two functions '%s'", f->name);
        return false;
    }
    return true;
}

static bool parse_prim_body(struct script *s, struct ir_func *func,
                            const struct script_decorator *d)
{
    if (!parse_signature(s, &func->prim))
        return false;
    struct ir_stmt *body = script_parse_suite(s);
    if (body)
        body = script_root_block(s, body);
    if (!body)
        return false;
    struct script_func *f = s->func;
    func->prim.body = body;
    func->prim.nparams = f->params.len;
    func->prim.params = arena_memdup(s->m->arena, f->params.items,
                                     f->params.len * sizeof *f->params.items);
    finish_attrs(s, d);
    return true;
}

/* prim_func := "def" NAME signature suite; the name has been read */
static bool parse_prim_func(struct script *s, const char *name,
                            const struct script_decorator *d, struct ir_pos pos)
{
    struct script_func f = {.serial = ++s->serial, .s_tir = d->s_tir};
    struct ir_func *func = ARENA_NEW(s->m->arena, struct ir_func);
    func->kind = IR_FUNC_PRIM;
    func->name = name;
    func->pos = pos;
    f.func = func;
    s->func = &f;
    size_t mark = script_scope(s);
    s->quoted.len = 0;
    bool ok = parse_prim_body(s, func, d);
    script_scope_close(s, mark);
    s->func = NULL;
    vec_fini(&f.params);
    vec_fini(&f.root_allocs);
    vec_fini(&f.attr_keys);
    vec_fini(&f.attr_values);
    vec_fini(&f.loops);
    vec_fini(&f.threads);
    if (ok)
        vec_push(&s->funcs, func);
    return ok;
}

/* The arguments of decorators by their last name; NULL: none are known. */
static const char *decorator_args(const char *name)
{
    if (strcmp(name, "prim_func") == 0)
        return "| private s_tir persistent check_well_formed";
    if (strcmp(name, "function") == 0)
        return "| private pure check_well_formed";
    return strcmp(name, "ir_module") == 0 ? "| check_well_formed s_tir" : "|";
}

/* One argument of a decorator: NAME "=" expr */
static bool decorator_arg(struct script *s, struct script_decorator *d,
                          const char *decorator)
{
    struct ir_pos pos = script_pos(s);
    const char *key = script_expect_name(s, NULL);
    if (!key || !script_expect_op(s, OP_ASSIGN))
        return false;
    if (!script_takes(decorator_args(decorator), key)) {
        script_fail(s, pos, "script.type", "'%s' has no argument '%s'",
                    decorator, key);
        return false;
    }
    struct sv *v = script_parse_expr(s);
    bool value = v && script_bool_of(s, v, false);
    if (strcmp(key, "private") == 0)
        d->is_private = value;
    else if (strcmp(key, "pure") == 0)
        d->pure = value;
    else if (strcmp(key, "s_tir") == 0)
        d->s_tir = value;
    else if (strcmp(key, "persistent") == 0)
        d->persistent = value;
    return !s->failed;
}

/* decorator := "@" NAME ("." NAME)* ["(" [NAME "=" expr ("," …)*] ")"] NEWLINE
 * Gives the last name of the path. */
static const char *parse_decorator(struct script *s, struct script_decorator *d)
{
    const char *name = NULL;
    s->at++;
    do {
        name = script_expect_name(s, NULL);
    } while (name && script_take_op(s, OP_DOT));
    bool args = name && script_take_op(s, OP_LPAREN);
    while (args && !s->failed && !script_is_op(s, OP_RPAREN)) {
        if (!decorator_arg(s, d, name) || !script_take_op(s, OP_COMMA))
            break;
    }
    if (args)
        script_expect_op(s, OP_RPAREN);
    if (!s->failed)
        script_expect_line_end(s);
    return s->failed ? NULL : name;
}

/* function := decorator "def" NAME …; the decorator has been read */
static bool parse_function(struct script *s, const char *kind,
                           const struct script_decorator *d)
{
    struct ir_pos pos = script_pos(s);
    if (!script_take_word(s, WORD_DEF)) {
        script_fail(s, pos, "script.syntax", "expected 'def' or 'class'");
        return false;
    }
    pos = script_pos(s);
    const char *name = script_expect_name(s, NULL);
    if (!name)
        return false;
    if (ir_script_hides(name)) {
        script_fail(s, pos, "script.name",
                    "a function '%s' would hide what the name means in a "
                    "script",
                    name);
        return false;
    }
    if (strcmp(kind, "prim_func") == 0)
        return parse_prim_func(s, name, d, pos);
    if (strcmp(kind, "function") == 0)
        return script_relax_func(s, name, d, pos);
    script_fail(s, pos, "script.unsupported",
                "functions decorated with '%s' are not supported", kind);
    return false;
}

/* ---- modules ------------------------------------------------------------ */

/* Binds the names of the functions one level inside of the block at s->at. */
static void declare_functions(struct script *s)
{
    size_t depth = 0;
    for (size_t i = s->at; i + 1 < s->tokens.list.len; i++) {
        const struct script_token *t = &s->tokens.list.items[i];
        const struct script_token *name = t + 1;
        if (t->kind == TK_INDENT)
            depth++;
        else if (t->kind == TK_DEDENT && depth-- == 0)
            return;
        bool def = depth == 0 && t->kind == TK_NAME && t->symbol == WORD_DEF &&
                   name->kind == TK_NAME;
        if (!def)
            continue;
        struct ir_pos pos = {name->line, name->col};
        struct sv *v = sv_make(s, SV_GLOBAL, pos);
        v->u.string = script_symbol_text(s, name->symbol);
        script_bind(s, name->symbol, v);
    }
}

/* I.module_attrs({…}), I.module_global_infos({…}) */
static bool module_item(struct script *s)
{
    struct ir_pos pos = script_pos(s);
    const struct script_token *last = script_peek(s, 2);
    bool dotted = script_peek(s, 1)->kind == TK_OP &&
                  script_peek(s, 1)->op == OP_DOT && last->kind == TK_NAME;
    const char *name = dotted ? script_symbol_text(s, last->symbol) : "";
    bool attrs = strcmp(name, "module_attrs") == 0;
    if (!attrs && strcmp(name, "module_global_infos") != 0) {
        char text[64];
        script_fail(s, pos, "script.syntax",
                    "expected a function of the module, not %s",
                    script_describe(s, text));
        return false;
    }
    s->at += 3;
    script_expect_op(s, OP_LPAREN);
    struct sv *v = script_parse_expr(s);
    struct ir_value *map = v ? script_map_of(s, v) : NULL;
    if (attrs ? s->m->attrs : s->m->global_infos) {
        script_fail(s, pos, "script.name", "the module has a second '%s'",
                    name);
        return false;
    }
    if (attrs)
        s->m->attrs = map;
    else
        s->m->global_infos = map;
    return script_expect_op(s, OP_RPAREN) && script_expect_line_end(s);
}

/* module := "class" NAME ["(" … ")"] ":" NEWLINE INDENT item+ DEDENT */
static bool parse_module(struct script *s)
{
    uint32_t symbol;
    struct ir_pos pos = script_pos(s);
    s->at++;
    const char *name = script_expect_name(s, &symbol);
    if (!name)
        return false;
    if (s->funcs.len) {
        script_fail(s, pos, "script.syntax",
                    "the file has more than one module");
        return false;
    }
    script_bind(s, symbol, sv_make(s, SV_MODULE, pos));
    if (!script_expect_op(s, OP_COLON) || !script_expect_line_end(s) ||
        !script_expect_indent(s))
        return false;
    declare_functions(s);
    while (!s->failed && script_peek(s, 0)->kind != TK_DEDENT) {
        struct script_decorator d = {.pure = true};
        if (script_take_word(s, WORD_PASS) ||
            script_peek(s, 0)->kind == TK_STRING) {
            if (script_peek(s, 0)->kind == TK_STRING)
                script_parse_string(s);
            script_expect_line_end(s);
        } else if (script_is_op(s, OP_AT)) {
            const char *kind = parse_decorator(s, &d);
            if (!kind || !parse_function(s, kind, &d))
                return false;
        } else if (!module_item(s)) {
            return false;
        }
    }
    if (!s->failed)
        s->at++;
    return !s->failed;
}

static void skip_line(struct script *s)
{
    while (script_peek(s, 0)->kind != TK_NEWLINE &&
           script_peek(s, 0)->kind != TK_END)
        s->at++;
    script_expect_line_end(s);
}

/* NAME "=" expr at the top: a dimension (TypeVar) or the metadata. */
static bool top_assignment(struct script *s)
{
    struct ir_pos pos = script_pos(s);
    uint32_t symbol;
    if (!script_expect_name(s, &symbol))
        return false;
    if (!script_take_op(s, OP_ASSIGN)) {
        script_fail(s, pos, "script.syntax", "expected a module or a function");
        return false;
    }
    struct sv *v = script_parse_expr(s);
    if (v && v->kind == SV_TYPEVAR)
        script_bind(s, symbol, v);
    else if (v && v->kind != SV_NONE)
        script_fail(s, pos, "script.unsupported",
                    "only 'TypeVar' and metadata are assigned here");
    return v && script_expect_line_end(s);
}

/* top := import | STRING | top_assignment | decorator (module | function) */
static bool parse_top(struct script *s)
{
    if (script_is_word(s, WORD_IMPORT) || script_is_word(s, WORD_FROM)) {
        skip_line(s);
        return !s->failed;
    }
    if (script_peek(s, 0)->kind == TK_STRING)
        return script_parse_string(s) && script_expect_line_end(s);
    if (!script_is_op(s, OP_AT))
        return top_assignment(s);
    struct script_decorator d = {.pure = true};
    const char *kind = parse_decorator(s, &d);
    if (!kind)
        return false;
    if (script_is_word(s, WORD_CLASS))
        return parse_module(s);
    s->m->bare_func = s->funcs.len == 0;
    return parse_function(s, kind, &d);
}

/* file := top* */
bool script_parse_file(struct script *s)
{
    declare_functions(s);
    while (!s->failed && script_peek(s, 0)->kind != TK_END) {
        if (!parse_top(s))
            return false;
    }
    return !s->failed && finish_module(s);
}
