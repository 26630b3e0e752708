/* SPDX-License-Identifier: Apache-2.0
 *
 * Texts of rules as trees, by recursive descent, each time a rule is used:
 *
 *   choice := or ['?' choice ':' choice]          a Select
 *   or, and, comparison, |, ^, &, shift, sum, product: as in C, with
 *            / % rounded to zero, // %% rounded down
 *   unary  := ('-' | '~' | '!') unary | atom
 *   atom   := number | letter | '{' constant '}' | '(' choice ')'
 *           | CAPITAL '(' choice ')'               a conversion to that type
 *           | name '(' choice {',' choice} ')'     min max abs if bits, a call,
 *                                               at row: what a table holds
 *
 * A small letter is a value or a constant, as the rule's names say; MIN, MAX,
 * TOP and BITS are those of the type T, ROW the elements in a table's row. What stands in braces is worked out
 * here, as an integer of 64 bits.
 */
#include "fuzz/ints/ints_tree.h"

#include <string.h>

struct text {
    const struct ints_names *names;
    const char *at;
    bool bad;
};

static const struct ix *choice(struct text *t);

static void skip(struct text *t)
{
    while (*t->at == ' ')
        t->at++;
}

/* Takes the token if it is next and not the start of a longer one. */
static bool take(struct text *t, const char *token)
{
    size_t n = strlen(token);
    skip(t);
    if (strncmp(t->at, token, n) != 0)
        return false;
    char last = token[n - 1], next = t->at[n];
    if (strchr("<>&|/%", last) != NULL && next == last)
        return false;
    if ((strcmp(token, "<") == 0 || strcmp(token, ">") == 0 ||
         strcmp(token, "!") == 0) &&
        next == '=')
        return false;
    t->at += n;
    return true;
}

static const struct ix *fail(struct text *t)
{
    t->bad = true;
    return NULL;
}

static void need(struct text *t, const char *token)
{
    if (!take(t, token))
        DC_BUG("rule: '%s' is expected before '%s'", token, t->at);
}

/* ---- atoms ----------------------------------------------------------------- */

static bool is_small(char c)
{
    return c >= 'a' && c <= 'z';
}

static bool is_capital(char c)
{
    return c >= 'A' && c <= 'Z';
}

static const struct ix *number(struct text *t)
{
    int64_t v = 0;
    while (*t->at >= '0' && *t->at <= '9')
        v = v * 10 + (*t->at++ - '0');
    return ix_const(t->names->arena, DTYPE_VOID, v);
}

/* MIN, MAX, TOP, BITS, ROW */
static const struct ix *limit(struct text *t)
{
    struct dtype type = t->names->types['T' - 'A'];
    struct arena *arena = t->names->arena;
    static const char *const words[] = {"MIN", "MAX", "TOP", "BITS", "ROW"};
    if (type.code == DT_VOID)
        return fail(t);
    for (size_t i = 0; i < DC_ARRAY_LEN(words); i++) {
        size_t n = strlen(words[i]);
        if (strncmp(t->at, words[i], n) != 0)
            continue;
        t->at += n;
        switch (i) {
        case 0: return ix_const(arena, type, ints_least(type));
        case 1: return ix_const(arena, type, ints_most(type));
        case 2:
            return ix_const(arena, DTYPE_VOID,
                            (int64_t)(UINT64_C(1) << (type.bits - 1)));
        case 3: return ix_const(arena, DTYPE_VOID, type.bits);
        default: return ix_const(arena, DTYPE_VOID, t->names->row);
        }
    }
    DC_BUG("rule: '%s' is no word", t->at);
}

static const struct ix *conversion(struct text *t)
{
    struct dtype type = t->names->types[*t->at - 'A'];
    t->at += 2;
    const struct ix *a = choice(t);
    need(t, ")");
    if (type.code == DT_VOID)
        return fail(t);
    return ix_cast(t->names->arena, type, a);
}

/* A call of one operand; false: its name is none of one. */
static bool unary_call(struct text *t, const struct ix **out)
{
    static const struct {
        const char *word;
        enum ir_op op;
    } calls[] = {{"floor(", IR_OP_FLOOR},
                 {"ceil(", IR_OP_CEIL},
                 {"trunc(", IR_OP_TRUNC},
                 {"round(", IR_OP_ROUND},
                 {"nearest(", IR_OP_NEARBYINT},
                 {"sqrt(", IR_OP_SQRT},
                 {"isnan(", IR_OP_ISNAN},
                 {"isinf(", IR_OP_ISINF},
                 {"isfinite(", IR_OP_ISFINITE},
                 {"popcount(", IR_OP_POPCOUNT},
                 {"clz(", IR_OP_CLZ}};
    for (size_t i = 0; i < DC_ARRAY_LEN(calls); i++) {
        size_t n = strlen(calls[i].word);
        if (strncmp(t->at, calls[i].word, n) != 0)
            continue;
        t->at += n;
        const struct ix *a = choice(t);
        need(t, ")");
        *out = ix_call(t->names->arena, calls[i].op, a);
        return true;
    }
    return false;
}

static const struct ix *function(struct text *t)
{
    static const char *const words[] = {"min(",  "max(", "abs(", "if(",
                                        "bits(", "at(",  "row("};
    struct arena *arena = t->names->arena;
    const struct ix *a[3] = {NULL, NULL, NULL}, *out;
    size_t k = 0, n = 0;
    if (unary_call(t, &out))
        return out;
    while (k < DC_ARRAY_LEN(words) &&
           strncmp(t->at, words[k], strlen(words[k])) != 0)
        k++;
    if (k == DC_ARRAY_LEN(words))
        DC_BUG("rule: '%s' is no function", t->at);
    t->at += strlen(words[k]);
    struct dtype to = DTYPE_VOID;
    if (k == 4) { /* bits(U, x) */
        to = t->names->types[*t->at - 'A'];
        t->at++;
        need(t, ",");
        if (to.code == DT_VOID)
            t->bad = true;
    }
    do
        a[n++] = choice(t);
    while (n < 3 && take(t, ","));
    need(t, ")");
    switch (k) {
    case 0: return ix_binary(arena, IR_MIN, a[0], a[1]);
    case 1: return ix_binary(arena, IR_MAX, a[0], a[1]);
    case 2: return ix_unary(arena, IX_ABS, a[0]);
    case 3: return ix_choose(arena, IX_LAZY, a[0], a[1], a[2]);
    case 4: return t->bad ? NULL : ix_bits(arena, to, a[0]);
    default:
        return ix_at(arena, t->names->types['T' - 'A'], t->names->tables[k - 5],
                     (unsigned)k - 4, a);
    }
}

static const struct ix *letter(struct text *t)
{
    unsigned k = (unsigned)(*t->at++ - 'a');
    if (t->names->known[k])
        return ix_const(t->names->arena, DTYPE_VOID, t->names->constants[k]);
    return t->names->values[k] != NULL ? t->names->values[k] : fail(t);
}

static const struct ix *atom(struct text *t)
{
    skip(t);
    char c = *t->at;
    if (take(t, "(") || take(t, "{")) {
        const struct ix *e = choice(t);
        need(t, c == '(' ? ")" : "}");
        if (c == '{' && (e == NULL || e->kind != IX_CONST))
            return fail(t);
        return e;
    }
    if (c >= '0' && c <= '9')
        return number(t);
    if (is_capital(c))
        return t->at[1] == '(' ? conversion(t) : limit(t);
    if (!is_small(c))
        DC_BUG("rule: '%s' is not understood", t->at);
    return is_small(t->at[1]) ? function(t) : letter(t);
}

/* ---- operators ------------------------------------------------------------- */

/* Of constants of no type yet: worked out. */
static const struct ix *combine(struct text *t, enum ir_expr_kind op,
                                const struct ix *a, const struct ix *b)
{
    struct arena *arena = t->names->arena;
    if (a == NULL || b == NULL)
        return NULL;
    if (a->kind != IX_CONST || b->kind != IX_CONST || a->t.code != DT_VOID ||
        b->t.code != DT_VOID)
        return ix_binary(arena, op, a, b);
    const struct ix wide[] = {
        {.kind = IX_CONST, .t = DTYPE_INT64, .value = a->value},
        {.kind = IX_CONST, .t = DTYPE_INT64, .value = b->value}};
    const struct ix *r = ix_binary(arena, op, &wide[0], &wide[1]);
    if (r == NULL || r->kind != IX_CONST || ix_is_compare(op))
        return fail(t);
    return ix_const(arena, DTYPE_VOID, r->value);
}

static const struct ix *unary(struct text *t)
{
    struct arena *arena = t->names->arena;
    if (take(t, "-")) {
        const struct ix *a = unary(t);
        return combine(t, IR_SUB, ix_const(arena, DTYPE_VOID, 0), a);
    }
    if (take(t, "~"))
        return ix_unary(arena, IX_BITNOT, unary(t));
    if (take(t, "!"))
        return ix_unary(arena, IX_NOT, unary(t));
    return atom(t);
}

struct level {
    const char *token;
    enum ir_expr_kind op;
    unsigned rank;
};
#define RANKS 9u
static const struct level levels[] = {
    {"||", IR_OR, 0},    {"&&", IR_AND, 1},      {"==", IR_EQ, 2},
    {"!=", IR_NE, 2},    {"<=", IR_LE, 2},       {">=", IR_GE, 2},
    {"<", IR_LT, 2},     {">", IR_GT, 2},        {"|", IR_BITOR, 3},
    {"^", IR_BITXOR, 4}, {"&", IR_BITAND, 5},    {"<<", IR_SHL, 6},
    {">>", IR_SHR, 6},   {"+", IR_ADD, 7},       {"-", IR_SUB, 7},
    {"*", IR_MUL, 8},    {"//", IR_FLOORDIV, 8}, {"%%", IR_FLOORMOD, 8},
    {"/", IR_DIV, 8},    {"%", IR_MOD, 8},
};

static const struct ix *climb(struct text *t, unsigned rank)
{
    if (rank == RANKS)
        return unary(t);
    const struct ix *a = climb(t, rank + 1);
    for (;;) {
        size_t i = 0;
        while (i < DC_ARRAY_LEN(levels) &&
               (levels[i].rank != rank || !take(t, levels[i].token)))
            i++;
        if (i == DC_ARRAY_LEN(levels))
            return a;
        const struct ix *b = climb(t, rank + 1);
        a = combine(t, levels[i].op, a, b);
    }
}

static const struct ix *choice(struct text *t)
{
    const struct ix *c = climb(t, 0);
    if (!take(t, "?"))
        return c;
    const struct ix *a = choice(t);
    need(t, ":");
    const struct ix *b = choice(t);
    return ix_choose(t->names->arena, IX_SELECT, c, a, b);
}

const struct ix *ints_read(const struct ints_names *names, const char *text)
{
    struct text t = {.names = names, .at = text};
    const struct ix *e = choice(&t);
    skip(&t);
    if (*t.at != '\0')
        DC_BUG("rule: '%s' stands behind the end of '%s'", t.at, text);
    if (t.bad || e == NULL || e->t.code == DT_VOID)
        return NULL;
    return e;
}
