/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the text of a ComputeDAG, a stage a line:
 *
 *   stage := NAME " = PLACEHOLDER [" sizes "]"
 *          | NAME "(" axes ")" [".v" digits] how expr
 *   how   := "=" | "+=" | "max=" | "min=" | "select(" … ")=" | "reduce"
 *   expr  := "(" expr op expr ")" | "(" TYPE ")" number | "!" expr
 *          | "(let " NAME " = " expr " in " expr ")"
 *          | NAME "(" exprs ")" | NAME "[" exprs "]" | NAME | number
 *          | "{" NAME "|" … "}" | "?" | string
 *
 * The text holds neither types nor extents, behind `reduce` not even what is
 * reduced, and names may repeat: a read is of the latest stages of its name and
 * rank, so many as the line has different reads of them, in their order.
 *
 * Follows src/auto_scheduler/compute_dag.cc (PrintDAG) of TVM 0.7 to 0.18 and the
 * printer of expressions of the same versions.
 */
#include "audit/count/dag.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH  200u
#define MAX_ARGS   256u
#define MAX_STAGES 1000u

struct parser {
    struct dag *dag;
    const char *at, *end;
    unsigned depth;
};

static void *fail(struct parser *p, const char *why)
{
    if (p->dag->why == NULL)
        p->dag->why = arena_printf(p->dag->arena, "%s at '%.20s'", why, p->at);
    return NULL;
}

static void skip(struct parser *p)
{
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\t'))
        p->at++;
}

static bool take(struct parser *p, const char *text)
{
    size_t n = strlen(text);
    skip(p);
    if ((size_t)(p->end - p->at) < n || memcmp(p->at, text, n) != 0)
        return false;
    p->at += n;
    return true;
}

static bool is_name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '@';
}

static const char *take_name(struct parser *p)
{
    const char *from;
    skip(p);
    from = p->at;
    if (p->at >= p->end || isdigit((unsigned char)*p->at))
        return NULL;
    while (p->at < p->end && is_name_char(*p->at))
        p->at++;
    return p->at > from
               ? arena_strndup(p->dag->arena, from, (size_t)(p->at - from))
               : NULL;
}

static struct dag_expr *make(struct parser *p, enum dag_kind kind,
                             const char *name, size_t nargs)
{
    struct dag_expr *e = ARENA_NEW(p->dag->arena, struct dag_expr);
    e->kind = kind;
    e->name = name;
    e->nargs = nargs;
    e->args = ARENA_ARRAY(p->dag->arena, nargs + 1, struct dag_expr *);
    return e;
}

static struct dag_expr *parse_expr(struct parser *p);

/* 12, -1, 0.5h, 1.5f, 1e-05f, nan, inf */
static struct dag_expr *parse_number(struct parser *p, const char *type)
{
    struct dag_expr *e = make(p, DAG_NUMBER, NULL, 0);
    char text[64], *end;
    size_t n = 0;
    bool fraction = false;
    skip(p);
    while (p->at < p->end && n + 1 < sizeof text &&
           (isdigit((unsigned char)*p->at) || strchr(".-+", *p->at) ||
            ((*p->at == 'e' || *p->at == 'E') && n > 0)) &&
           *p->at != '\0') {
        if ((*p->at == '-' || *p->at == '+') && n > 0 &&
            tolower((unsigned char)text[n - 1]) != 'e')
            break;
        fraction = fraction || strchr(".eE", *p->at) != NULL;
        text[n++] = *p->at++;
    }
    text[n] = '\0';
    e->number = strtod(text, &end);
    if (n == 0 || *end != '\0')
        return fail(p, "no number");
    bool half = p->at < p->end && *p->at == 'h',
         single = p->at < p->end && *p->at == 'f';
    p->at += half || single;
    e->whole = !fraction && !half && !single;
    e->value = e->whole ? (int64_t)strtoll(text, NULL, 10) : 0;
    e->type = type       ? type
              : half     ? "float16"
              : single   ? "float32"
              : e->whole ? "int32"
                         : "float64";
    return e;
}

static bool parse_list(struct parser *p, const char *close, size_t *n,
                       struct dag_expr **out)
{
    *n = 0;
    if (take(p, close))
        return true;
    do {
        if (*n == MAX_ARGS)
            return fail(p, "too many operands") != NULL;
        if ((out[*n] = parse_expr(p)) == NULL)
            return false;
        (*n)++;
    } while (take(p, ","));
    return take(p, close) || fail(p, "an operand does not end") != NULL;
}

static struct dag_expr *parse_applied(struct parser *p, enum dag_kind kind,
                                      const char *name, const char *close)
{
    struct dag_expr *args[MAX_ARGS];
    size_t n;
    if (!parse_list(p, close, &n, args))
        return NULL;
    struct dag_expr *e = make(p, kind, name, n);
    if (n > 0)
        memcpy(e->args, args, n * sizeof *args);
    return e;
}

/* Behind "(": a type and a number, let, or a binary operation. */
static struct dag_expr *parse_group(struct parser *p)
{
    static const char *const ops[] = {"&&", "||", "==", "!=", "<=", ">=", "<",
                                      ">",  "+",  "-",  "*",  "/",  "%"};
    static const char *const types[] = {"int64",  "int32",   "int16",  "int8",
                                        "uint64", "uint32",  "uint16", "uint8",
                                        "bool",   "bfloat16"};
    const char *before = p->at;
    for (size_t i = 0; i < DC_ARRAY_LEN(types); i++) {
        if (take(p, types[i]) && take(p, ")"))
            return parse_number(p, types[i]);
        p->at = before;
    }
    if (take(p, "let ")) {
        const char *name = take_name(p);
        struct dag_expr *e = make(p, DAG_LET, name, 2);
        if (name == NULL || !take(p, "=") ||
            (e->args[0] = parse_expr(p)) == NULL || !take(p, "in ") ||
            (e->args[1] = parse_expr(p)) == NULL || !take(p, ")"))
            return fail(p, "no let");
        return e;
    }
    struct dag_expr *left = parse_expr(p);
    if (left == NULL || take(p, ")"))
        return left;
    for (size_t i = 0; i < DC_ARRAY_LEN(ops); i++)
        if (take(p, ops[i])) {
            struct dag_expr *e = make(p, DAG_BINARY, ops[i], 2);
            e->args[0] = left;
            e->args[1] = parse_expr(p);
            return e->args[1] == NULL ? NULL
                   : take(p, ")")     ? e
                                      : fail(p, "a group does not end");
        }
    return fail(p, "no operator");
}

static struct dag_expr *parse_primary(struct parser *p)
{
    skip(p);
    if (p->at >= p->end)
        return fail(p, "an expression is missing");
    if (take(p, "("))
        return parse_group(p);
    if (take(p, "!")) {
        struct dag_expr *e = make(p, DAG_NOT, NULL, 1);
        e->args[0] = parse_expr(p);
        return e->args[0] ? e : NULL;
    }
    if (take(p, "?"))
        return make(p, DAG_UNKNOWN, "?", 0);
    if (take(p, "{")) { /* {n|n>=0} */
        const char *name = take_name(p);
        while (p->at < p->end && *p->at != '}')
            p->at++;
        return take(p, "}") && name ? make(p, DAG_UNKNOWN, name, 0)
                                    : fail(p, "no size");
    }
    if (*p->at == '"') {
        const char *close =
            memchr(p->at + 1, '"', (size_t)(p->end - p->at) - 1);
        if (close == NULL)
            return fail(p, "a string does not end");
        p->at = close + 1;
        return make(p, DAG_UNKNOWN, "a string", 0);
    }
    if (isdigit((unsigned char)*p->at) || *p->at == '-' || *p->at == '.')
        return parse_number(p, NULL);
    const char *name = take_name(p);
    if (name == NULL)
        return fail(p, "no expression");
    if (take(p, "["))
        return parse_applied(p, DAG_READ, name, "]");
    if (p->at < p->end && *p->at == '(') {
        p->at++;
        return parse_applied(p, DAG_CALL, name, ")");
    }
    return make(p, DAG_VAR, name, 0);
}

static struct dag_expr *parse_expr(struct parser *p)
{
    if (p->depth >= MAX_DEPTH)
        return fail(p, "it nests too deeply");
    p->depth++;
    struct dag_expr *e = parse_primary(p);
    p->depth--;
    return e;
}

/* ---- stages ----------------------------------------------------------------------- */

static bool parse_placeholder(struct parser *p, struct dag_stage *s)
{
    s->placeholder = true;
    if (take(p, "]"))
        return true;
    do {
        struct dag_expr *size = parse_expr(p);
        if (size == NULL)
            return false;
        if (s->naxes == DC_MAX_RANK)
            return fail(p, "too many dimensions") != NULL;
        s->extent[s->naxes++] = size->kind == DAG_NUMBER && size->whole &&
                                        size->value > 0 &&
                                        size->value < INT32_MAX
                                    ? size->value
                                    : 0;
    } while (take(p, ","));
    return take(p, "]") || fail(p, "the sizes do not end") != NULL;
}

static bool parse_how(struct parser *p, struct dag_stage *s)
{
    static const char *const ways[] = {"+=", "max=", "min=", "="};
    if (take(p, ".v")) /* one of several values */
        while (p->at < p->end && isdigit((unsigned char)*p->at))
            p->at++;
    if (take(p, "reduce")) {
        s->how = "reduce";
        p->at = p->end; /* the reducer alone is there, not what it takes */
        return true;
    }
    for (size_t i = 0; i < DC_ARRAY_LEN(ways); i++)
        if (take(p, ways[i])) {
            s->how = ways[i];
            return (s->value = parse_expr(p)) != NULL;
        }
    /* select(cond, a, b)= (source, source) */
    if (take(p, "select(")) {
        struct dag_expr *args[MAX_ARGS];
        size_t n;
        s->how = "select";
        if (!parse_list(p, ")", &n, args) || !take(p, "=") || !take(p, "(") ||
            !parse_list(p, ")", &n, args) || n == 0)
            return fail(p, "no reduction") != NULL;
        s->value = args[0];
        return true;
    }
    return fail(p, "no computation") != NULL;
}

static bool parse_stage(struct parser *p, struct dag_stage *s)
{
    s->name = take_name(p);
    if (s->name == NULL)
        return fail(p, "no stage") != NULL;
    if (take(p, "= PLACEHOLDER")) {
        return take(p, "[") ? parse_placeholder(p, s)
                            : fail(p, "no sizes") != NULL;
    }
    if (!take(p, "("))
        return fail(p, "no stage") != NULL;
    while (!take(p, ")")) {
        const char *axis = take_name(p);
        if (axis == NULL || s->naxes == DC_MAX_RANK)
            return fail(p, "no axis") != NULL;
        s->axes[s->naxes++] = axis;
        (void)take(p, ",");
    }
    if (!parse_how(p, s))
        return false;
    skip(p);
    return p->at == p->end || fail(p, "more than an expression") != NULL;
}

/* ---- names ------------------------------------------------------------------------- */

static bool is_axis(const struct dag_stage *s, const char *name)
{
    for (size_t i = 0; i < s->naxes; i++)
        if (s->axes[i] && strcmp(s->axes[i], name) == 0)
            return true;
    for (size_t i = 0; i < s->nsums; i++)
        if (strcmp(s->sums[i], name) == 0)
            return true;
    return false;
}

static bool same_expr(const struct dag_expr *a, const struct dag_expr *b)
{
    if (a->kind != b->kind || a->nargs != b->nargs || a->value != b->value ||
        a->whole != b->whole || (a->name == NULL) != (b->name == NULL) ||
        (a->name && strcmp(a->name, b->name) != 0))
        return false;
    for (size_t i = 0; i < a->nargs; i++)
        if (!same_expr(a->args[i], b->args[i]))
            return false;
    return true;
}

struct reads VEC(struct dag_expr *);

/* Names that a let binds around. */
struct bound {
    const struct bound *up;
    const char *name;
};

static bool is_bound(const struct bound *b, const char *name)
{
    while (b != NULL && strcmp(b->name, name) != 0)
        b = b->up;
    return b != NULL;
}

/* Reads in their order; variables that are not bound are summed over. */
static bool collect(struct dag_stage *s, struct dag_expr *e,
                    const struct bound *bound, struct reads *reads)
{
    struct bound own = {bound, e->name};
    if (e->kind == DAG_VAR && !is_axis(s, e->name) &&
        !is_bound(bound, e->name)) {
        if (s->nsums == DC_MAX_RANK)
            return false;
        s->sums[s->nsums++] = e->name;
    }
    if (e->kind == DAG_READ)
        vec_push(reads, e);
    for (size_t i = 0; i < e->nargs; i++)
        if (!collect(s, e->args[i], e->kind == DAG_LET && i == 1 ? &own : bound,
                     reads))
            return false;
    return true;
}

/* The stage before `limit` of the name and rank, `back` of them passed over. */
static struct dag_stage *stage_before(struct dag *dag, size_t limit,
                                      const struct dag_expr *read, size_t back)
{
    struct dag_stage *last = NULL;
    while (limit-- > 0) {
        struct dag_stage *s = &dag->stages[limit];
        if (strcmp(s->name, read->name) != 0 || s->naxes != read->nargs)
            continue;
        last = s;
        if (back-- == 0)
            break;
    }
    return last;
}

static bool resolve(struct dag *dag, size_t index)
{
    struct dag_stage *s = &dag->stages[index];
    struct reads reads = {0};
    bool fine = collect(s, s->value, NULL, &reads);
    for (size_t i = 0; i < reads.len && fine; i++) {
        struct dag_expr *read = reads.items[i];
        size_t later = 0; /* other reads of that name and rank behind it */
        for (size_t k = 0; k < i && read->from == NULL; k++)
            if (same_expr(reads.items[k], read))
                read->from = reads.items[k]->from;
        for (size_t k = i + 1; k < reads.len; k++) {
            const struct dag_expr *other = reads.items[k];
            bool again = false;
            for (size_t j = 0; j < k; j++)
                again = again || same_expr(reads.items[j], other);
            later += !again && other->nargs == read->nargs &&
                     strcmp(other->name, read->name) == 0;
        }
        if (read->from == NULL)
            read->from = stage_before(dag, index, read, later);
        fine = read->from != NULL;
        if (!fine)
            dag->why = arena_printf(dag->arena, "no stage '%s' of rank %zu",
                                    read->name, read->nargs);
        else
            read->from->read = true;
    }
    if (!fine && dag->why == NULL)
        dag->why = "too many variables";
    vec_fini(&reads);
    return fine;
}

bool dag_parse(const char *text, struct arena *arena, struct dag *out)
{
    *out = (struct dag){.arena = arena};
    out->stages = ARENA_ARRAY(arena, MAX_STAGES, struct dag_stage);
    for (const char *line = text; *line;) {
        size_t len = strcspn(line, "\n");
        struct parser p = {.dag = out, .at = line, .end = line + len};
        if (out->n == MAX_STAGES) {
            out->why = "too many stages";
            return false;
        }
        if (!parse_stage(&p, &out->stages[out->n]))
            return false;
        out->n++;
        line += len + (line[len] == '\n');
    }
    for (size_t i = 0; i < out->n; i++)
        if (out->stages[i].value != NULL && !resolve(out, i))
            return false;
    if (out->n == 0)
        out->why = "it has no text";
    return out->n > 0;
}
