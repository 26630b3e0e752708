/* SPDX-License-Identifier: Apache-2.0
 *
 * A lambda alone, as the index map it is to a schedule's steps:
 * `lambda i, j: (j, i // 4, i % 4)`. Its parameters are int64, as TVM's
 * IndexMap.from_func makes them; who applies the map gives them the type of
 * what they stand for.
 */
#include "ir/readers/tvmscript/script.h"

/* The parameters as variables, bound to their names. */
static bool parameters(struct script *s, const struct sv *lambda,
                       struct ir_index_map *out)
{
    size_t n = script_lambda_arity(s, lambda);
    out->vars = ARENA_ARRAY(s->m->arena, n + 1, struct ir_var *);
    s->at = lambda->u.token;
    for (out->nvars = 0; out->nvars < n && !s->failed; out->nvars++) {
        uint32_t symbol;
        if (out->nvars > 0 && !script_expect_op(s, OP_COMMA))
            return false;
        struct ir_pos pos = script_pos(s);
        const char *name = script_expect_name(s, &symbol);
        if (!name)
            return false;
        if (script_find(s, symbol))
            script_fail(s, pos, "script.syntax",
                        "two parameters are called '%s'", name);
        struct ir_var *var = ir_var_make(s->m, name, DTYPE_INT64);
        out->vars[out->nvars] = var;
        script_bind(s, symbol, sv_expr(s, ir_var_ref(s->m, var), pos));
    }
    return script_expect_op(s, OP_COLON);
}

static bool results(struct script *s, struct ir_index_map *out)
{
    const struct sv *body = script_parse_expr(s);
    struct sv *const *items;
    if (!body || !script_expect_line_end(s))
        return false;
    size_t n = script_items(body, &items);
    bool one = n == SIZE_MAX;
    out->nout = one ? 1 : n;
    out->out = ARENA_ARRAY(s->m->arena, out->nout + 1, struct ir_expr *);
    for (size_t i = 0; i < out->nout && !s->failed; i++)
        out->out[i] = script_expr_of(s, one ? body : items[i]);
    return !s->failed;
}

bool script_read_lambda(struct ir_module *m, const char *text, size_t len,
                        const char *file, struct diag_sink *sink,
                        struct ir_index_map *out)
{
    struct script s = {.sink = sink, .m = m, .tirx = true};
    script_symbols_init(&s.symbols, m->arena);
    bool good = script_lex(text, len, file, &s.symbols, sink, &s.tokens);
    if (good) {
        const struct sv *v = script_parse_expr(&s);
        if (v && v->kind != SV_LAMBDA)
            script_fail(&s, v->pos, "script.type", "expected a lambda");
        good = v && !s.failed && parameters(&s, v, out) && results(&s, out);
    }
    script_fini(&s);
    return good;
}
