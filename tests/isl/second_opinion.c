/* SPDX-License-Identifier: Apache-2.0
 *
 * second_opinion FILE...: the obligations of certificates, asked again of isl.
 *
 * Each obligation is an SMT-LIB script (QF_LIA and free truth values) that has
 * to be unsatisfiable. It is read here from its text alone and made a set of
 * integer points, whose emptiness isl decides exactly and without the solver
 * that proved it. What takes isl too many operations stays undecided and is
 * counted; scripts of bit vectors and floats are no integer sets and counted. Exit status: 0 all decided ones are empty, and there is at least
 * one; 1 a set has a point (shown), or nothing was decided; 2 a file cannot be
 * read as obligations.
 */
#include <isl/aff.h>
#include <isl/constraint.h>
#include <isl/ctx.h>
#include <isl/options.h>
#include <isl/set.h>
#include <isl/space.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* isl's own count of work for one obligation. */
#define MAX_OPERATIONS 2000000ul
#define MAX_NAMES      400
#define MAX_DEPTH      200
#define OF_BITS        "(set-logic QF_BVFP)"

/* ---- text ------------------------------------------------------------------ */

struct reader {
    const char *file, *at;
    size_t n; /* names declared */
    struct {
        const char *text;
        size_t len;
        bool truth;
    } names[MAX_NAMES];
};

/* A word, "(", ")", or nothing at the end; |quoted| names keep their bars. */
struct token {
    const char *text;
    size_t len;
};

static struct token look(const struct reader *r)
{
    const char *p = r->at;
    for (;;) {
        while (*p == ' ' || *p == '\n' || *p == '\t')
            p++;
        if (*p != ';')
            break;
        while (*p != '\0' && *p != '\n')
            p++;
    }
    const char *end = p;
    if (*p == '(' || *p == ')') {
        end++;
    } else if (*p == '|') {
        end = strchr(p + 1, '|');
        end = end != NULL ? end + 1 : p;
    } else {
        end += strcspn(p, " \t\n();");
    }
    return (struct token){p, (size_t)(end - p)};
}

static struct token next(struct reader *r)
{
    struct token t = look(r);
    r->at = t.text + t.len;
    return t;
}

static bool is(struct token t, const char *word)
{
    return t.len == strlen(word) && memcmp(t.text, word, t.len) == 0;
}

static _Noreturn void refuse(const struct reader *r, const char *wanted)
{
    (void)fprintf(stderr, "%s: expected %s at '%.40s'\n", r->file, wanted,
                  r->at);
    exit(2);
}

static void expect(struct reader *r, const char *word)
{
    if (!is(next(r), word))
        refuse(r, word);
}

static size_t find_name(struct reader *r, struct token t)
{
    for (size_t i = 0; i < r->n; i++)
        if (r->names[i].len == t.len &&
            memcmp(r->names[i].text, t.text, t.len) == 0)
            return i;
    refuse(r, "a declared name before this place");
}

/* ---- sums ------------------------------------------------------------------ */

static long long number(struct reader *r)
{
    struct token t = next(r);
    if (is(t, "(")) {
        expect(r, "-");
        long long v = -number(r);
        expect(r, ")");
        return v;
    }
    char *end;
    long long v = strtoll(t.text, &end, 10);
    if (t.len == 0 || end != t.text + t.len)
        refuse(r, "a number");
    return v;
}

static bool starts_number(struct reader *r)
{
    struct reader ahead = *r;
    struct token t = next(&ahead);
    if (is(t, "("))
        return is(next(&ahead), "-");
    return t.len > 0 && t.text[0] >= '0' && t.text[0] <= '9';
}

static isl_aff *var(isl_local_space *ls, size_t i)
{
    return isl_aff_var_on_domain(isl_local_space_copy(ls), isl_dim_set,
                                 (unsigned)i);
}

static isl_aff *constant(isl_local_space *ls, long long v)
{
    isl_ctx *ctx = isl_local_space_get_ctx(ls);
    return isl_aff_val_on_domain(isl_local_space_copy(ls),
                                 isl_val_int_from_si(ctx, (long)v));
}

static isl_aff *sum(struct reader *r, isl_local_space *ls, int depth)
{
    if (depth > MAX_DEPTH)
        refuse(r, "less nesting");
    if (starts_number(r))
        return constant(ls, number(r));
    struct token t = next(r);
    if (!is(t, "("))
        return var(ls, find_name(r, t));
    t = next(r);
    if (is(t, "*")) {
        long long k = number(r);
        isl_aff *a = sum(r, ls, depth + 1);
        expect(r, ")");
        return isl_aff_scale_val(
            a, isl_val_int_from_si(isl_local_space_get_ctx(ls), (long)k));
    }
    if (!is(t, "+"))
        refuse(r, "a linear sum");
    isl_aff *a = sum(r, ls, depth + 1);
    while (!is(look(r), ")"))
        a = isl_aff_add(a, sum(r, ls, depth + 1));
    expect(r, ")");
    return a;
}

/* ---- formulas -------------------------------------------------------------- */

static isl_set *whole(isl_local_space *ls)
{
    return isl_set_universe(isl_local_space_get_space(ls));
}

static isl_set *nothing(isl_local_space *ls)
{
    return isl_set_empty(isl_local_space_get_space(ls));
}

static isl_set *zero_set(isl_aff *a)
{
    return isl_set_from_basic_set(isl_aff_zero_basic_set(a));
}

static isl_set *nonneg_set(isl_aff *a)
{
    return isl_set_from_basic_set(
        isl_basic_set_from_constraint(isl_inequality_from_aff(a)));
}

/* a > 0 */
static isl_set *positive(isl_aff *a)
{
    return nonneg_set(isl_aff_add_constant_si(a, -1));
}

static isl_set *comparison(struct reader *r, isl_local_space *ls, bool equal,
                           bool negated)
{
    isl_aff *a = sum(r, ls, 0);
    isl_aff *d = isl_aff_sub(a, sum(r, ls, 0));
    expect(r, ")");
    if (!equal)
        return negated ? positive(isl_aff_neg(d)) : nonneg_set(d);
    if (!negated)
        return zero_set(d);
    isl_set *below = positive(isl_aff_neg(isl_aff_copy(d)));
    return isl_set_union(below, positive(d));
}

static isl_set *formula(struct reader *r, isl_local_space *ls, bool negated,
                        int depth);

/* The operands of a conjunction or disjunction, negation pushed inwards. */
static isl_set *list(struct reader *r, isl_local_space *ls, bool conjunction,
                     bool negated, int depth)
{
    bool meet = conjunction != negated;
    isl_set *all = meet ? whole(ls) : nothing(ls);
    while (!is(look(r), ")")) {
        isl_set *one = formula(r, ls, negated, depth + 1);
        all = meet ? isl_set_intersect(all, one) : isl_set_union(all, one);
    }
    expect(r, ")");
    return all;
}

static isl_set *formula(struct reader *r, isl_local_space *ls, bool negated,
                        int depth)
{
    if (depth > MAX_DEPTH)
        refuse(r, "less nesting");
    struct token t = next(r);
    if (is(t, "true") || is(t, "false"))
        return is(t, "true") != negated ? whole(ls) : nothing(ls);
    if (!is(t, "(")) {
        size_t i = find_name(r, t);
        if (!r->names[i].truth)
            refuse(r, "a truth value before this place");
        isl_aff *v = var(ls, i);
        return zero_set(negated ? v : isl_aff_add_constant_si(v, -1));
    }
    t = next(r);
    if (is(t, "not")) {
        isl_set *s = formula(r, ls, !negated, depth + 1);
        expect(r, ")");
        return s;
    }
    if (is(t, "and") || is(t, "or"))
        return list(r, ls, is(t, "and"), negated, depth);
    if (is(t, ">=") || is(t, "="))
        return comparison(r, ls, is(t, "="), negated);
    refuse(r, "and, or, not, = or >=");
}

/* ---- obligations ----------------------------------------------------------- */

struct tally {
    size_t empty, undecided, points;
    size_t bits; /* scripts of bit vectors, which are no integer sets */
};

static void declare(struct reader *r)
{
    struct token name = next(r), sort = next(r);
    if (r->n == MAX_NAMES)
        refuse(r, "fewer names");
    r->names[r->n].text = name.text;
    r->names[r->n].len = name.len;
    r->names[r->n++].truth = is(sort, "Bool");
    if (!is(sort, "Int") && !is(sort, "Bool"))
        refuse(r, "Int or Bool");
    expect(r, ")");
}

/* Truth values are 0 or 1. */
static isl_set *truth_ranges(const struct reader *r, isl_local_space *ls)
{
    isl_set *s = whole(ls);
    for (size_t i = 0; i < r->n; i++)
        if (r->names[i].truth) {
            isl_aff *v = var(ls, i);
            s = isl_set_intersect(s, nonneg_set(isl_aff_copy(v)));
            v = isl_aff_add_constant_si(isl_aff_neg(v), 1);
            s = isl_set_intersect(s, nonneg_set(v));
        }
    return s;
}

static isl_set *assertions(struct reader *r, isl_ctx *ctx)
{
    isl_space *space = isl_space_set_alloc(ctx, 0, (unsigned)r->n);
    isl_local_space *ls = isl_local_space_from_space(space);
    isl_set *all = truth_ranges(r, ls);
    for (struct token t = next(r); !is(t, "check-sat"); t = next(r)) {
        if (!is(t, "assert"))
            refuse(r, "assert or check-sat");
        all = isl_set_intersect(all, formula(r, ls, false, 0));
        expect(r, ")");
        expect(r, "(");
    }
    expect(r, ")");
    isl_local_space_free(ls);
    return all;
}

/* From (set-logic …) to (check-sat). */
static void ask(struct reader *r, isl_ctx *ctx, struct tally *tally)
{
    const char *start = r->at;
    r->n = 0;
    expect(r, "(");
    expect(r, "set-logic");
    expect(r, "QF_LIA");
    expect(r, ")");
    expect(r, "(");
    while (is(look(r), "declare-const")) {
        (void)next(r);
        declare(r);
        expect(r, "(");
    }
    isl_ctx_reset_error(ctx);
    isl_ctx_reset_operations(ctx);
    isl_set *all = assertions(r, ctx);
    isl_bool empty = isl_set_is_empty(all);
    if (empty == isl_bool_error) {
        tally->undecided++;
    } else if (empty == isl_bool_true) {
        tally->empty++;
    } else {
        tally->points++;
        (void)printf("%s: not empty:\n%.*s", r->file, (int)(r->at - start),
                     start);
    }
    isl_set_free(all);
    isl_ctx_reset_error(ctx);
}

static char *contents(const char *path)
{
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    size_t n = 0, cap = 0, got;
    if (f == NULL) {
        perror(path);
        exit(2);
    }
    do {
        cap = cap == 0 ? 65536 : cap * 2;
        text = realloc(text, cap + 1);
        if (text == NULL)
            exit(2);
        got = fread(text + n, 1, cap - n, f);
        n += got;
    } while (got > 0);
    (void)fclose(f);
    text[n] = '\0';
    return text;
}

static size_t ask_file(const char *path, isl_ctx *ctx, struct tally *tally)
{
    char *text = contents(path);
    struct reader r = {.file = path};
    size_t n = 0;
    for (const char *p = text; (p = strstr(p, "(set-logic")) != NULL; n++) {
        if (strncmp(p, OF_BITS, strlen(OF_BITS)) == 0) {
            tally->bits++;
            p += strlen(OF_BITS);
            continue;
        }
        r.at = p;
        ask(&r, ctx, tally);
        p = r.at;
    }
    free(text);
    return n;
}

int main(int argc, char **argv)
{
    struct tally tally = {0};
    size_t asked = 0;
    isl_ctx *ctx = isl_ctx_alloc();
    isl_options_set_on_error(ctx, ISL_ON_ERROR_CONTINUE);
    isl_ctx_set_max_operations(ctx, MAX_OPERATIONS);
    for (int i = 1; i < argc; i++)
        asked += ask_file(argv[i], ctx, &tally);
    isl_ctx_free(ctx);
    (void)printf("%zu obligations in %d files: %zu confirmed, %zu undecided, "
                 "%zu contradicted; %zu of bits not asked\n",
                 asked - tally.bits, argc - 1, tally.empty, tally.undecided,
                 tally.points, tally.bits);
    return tally.points > 0 || tally.empty == 0;
}
