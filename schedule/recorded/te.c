/* SPDX-License-Identifier: Apache-2.0
 *
 * Steps as people write them for tensor expressions:
 *
 *   n, h, w, c = s[conv].op.axis
 *   co, ci = s[conv].split(c, factor=8)      nparts=8: the other way round
 *   s[conv].reorder(n, co, h, w, ci)
 *   s[conv].vectorize(ci)
 *   s[pad].compute_at(s[conv], co)
 *   s[pad].compute_inline()
 *   s[conv].tile(h, w, 4, 4), .fuse(a, b), .parallel, .unroll, .bind(x, "...")
 *
 * A stage is the block of its name; X.op.axis[0] and X.op.reduce_axis[0] are the
 * loops of its iterators, looked up before the first step of that stage, since
 * a split takes them away. te.thread_axis("threadIdx.x") is the string in it.
 * Semantics: TVM 0.7 to 0.18, python/tvm/te/schedule.py.
 */
#include "schedule/recorded/recorded_private.h"

#include <ctype.h>
#include <string.h>

#define MAX_STAGES 64u
#define MAX_ARGS   16u
#define NAME_BYTES 64u

struct te {
    struct schedule_steps *steps;
    struct diag_sink *sink;
    struct diag_loc at;
    const char *text; /* of the whole file, for axes used later */
    size_t nstages;
    char stages[MAX_STAGES][NAME_BYTES]; /* that were looked up */
};

DC_PRINTF(2, 3)
static bool fail(struct te *t, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    bool ok =
        diag_report(t->sink, DIAG_ERROR, t->at, "schedule.trace", fmt, args);
    va_end(args);
    return ok;
}

/* ---- scanning -------------------------------------------------------------- */

static void skip_blanks(const char **at)
{
    *at += strspn(*at, " \t\r");
}

static bool eat(const char **at, const char *what)
{
    size_t n = strlen(what);
    skip_blanks(at);
    if (strncmp(*at, what, n) != 0)
        return false;
    *at += n;
    return true;
}

static bool take_name(const char **at, char *out)
{
    size_t n = 0;
    skip_blanks(at);
    while (isalnum((unsigned char)(*at)[n]) || (*at)[n] == '_')
        n++;
    if (n == 0 || n >= NAME_BYTES || isdigit((unsigned char)**at))
        return false;
    memcpy(out, *at, n);
    out[n] = '\0';
    *at += n;
    return true;
}

/* s[NAME], or a NAME alone in front of .op. */
static bool take_stage(const char **at, char *name)
{
    const char *p = *at;
    if (eat(&p, "s[")) {
        if (!take_name(&p, name) || !eat(&p, "]"))
            return false;
    } else if (!take_name(&p, name) || strncmp(p, ".op.", 4) != 0) {
        return false;
    }
    *at = p;
    return true;
}

bool sched_is_te(const char *line)
{
    char name[NAME_BYTES];
    const char *p = strchr(line, '=');
    if (p && p[1] != '=' && take_stage(&(const char *){p + 1}, name))
        return true;
    p = line;
    return take_stage(&p, name) && *p == '.';
}

/* ---- stages and axes ------------------------------------------------------- */

static void add_step(struct te *t, const char *fmt, ...) DC_PRINTF(2, 3);
static void add_step(struct te *t, const char *fmt, ...)
{
    struct buf text = {0};
    va_list args;
    va_start(args, fmt);
    buf_vprintf(&text, fmt, args);
    va_end(args);
    schedule_steps_add(t->steps, &text, t->at.line, 0);
    buf_fini(&text);
}

/* How many axes of the kind the file names by number. */
static unsigned axes_used(const struct te *t, const char *stage,
                          const char *kind)
{
    unsigned most = 0;
    for (const char *p = t->text; (p = strstr(p, stage)) != NULL;) {
        const char *q = p + strlen(stage);
        bool whole =
            p == t->text || (!isalnum((unsigned char)p[-1]) && p[-1] != '_');
        p = q;
        q += *q == ']';
        size_t n = strlen(kind);
        if (whole && strncmp(q, ".op.", 4) == 0 &&
            strncmp(q + 4, kind, n) == 0 && q[4 + n] == '[' &&
            isdigit((unsigned char)q[5 + n]) && q[6 + n] == ']' &&
            (unsigned)(q[5 + n] - '0') + 1 > most)
            most = (unsigned)(q[5 + n] - '0') + 1;
    }
    return most;
}

static bool look_up(struct te *t, const char *stage)
{
    for (size_t i = 0; i < t->nstages; i++)
        if (strcmp(t->stages[i], stage) == 0)
            return true;
    if (t->nstages == MAX_STAGES)
        return fail(t, "more than %u stages", MAX_STAGES);
    memcpy(t->stages[t->nstages++], stage, NAME_BYTES);
    add_step(t, "s.%s = get_block \"%s\"", stage, stage);
    for (unsigned i = 0; i < axes_used(t, stage, "axis"); i++)
        add_step(t, "%s.axis.%u = get_axis s.%s \"spatial\" %u", stage, i,
                 stage, i);
    for (unsigned i = 0; i < axes_used(t, stage, "reduce_axis"); i++)
        add_step(t, "%s.reduce_axis.%u = get_axis s.%s \"reduce\" %u", stage, i,
                 stage, i);
    return true;
}

/* ---- arguments ------------------------------------------------------------- */

struct te_args {
    size_t n;
    char key[MAX_ARGS][NAME_BYTES]; /* "" : by position */
    struct buf text[MAX_ARGS];      /* as a step has it */
};

/* The end of X.op. : axis or reduce_axis, in *kind. */
static bool take_axis_kind(const char **at, const char **kind)
{
    *kind = eat(at, ".op.axis")          ? "axis"
            : eat(at, ".op.reduce_axis") ? "reduce_axis"
                                         : NULL;
    return *kind != NULL;
}

static bool take_string(const char **at, struct buf *out)
{
    char quote = **at;
    const char *end = strchr(*at + 1, quote);
    if (!end)
        return false;
    struct buf text = {0};
    buf_append(&text, *at + 1, (size_t)(end - *at - 1));
    buf_put_quoted(out, buf_text(&text), false);
    buf_fini(&text);
    *at = end + 1;
    return true;
}

static bool take_value(struct te *t, const char **at, struct buf *out)
{
    char name[NAME_BYTES];
    const char *kind, *p = *at;
    skip_blanks(&p);
    if (eat(&p, "te.thread_axis(") || eat(&p, "tvm.thread_axis(")) {
        skip_blanks(&p);
        *at = p;
        return (*p == '"' || *p == '\'') && take_string(at, out) &&
               eat(at, ")");
    }
    *at = p;
    if (*p == '"' || *p == '\'')
        return take_string(at, out);
    if (isdigit((unsigned char)*p) || *p == '-') {
        size_t n = 1 + strspn(p + 1, "0123456789");
        buf_append(out, p, n);
        *at = p + n;
        return true;
    }
    if (take_stage(&p, name)) {
        if (!look_up(t, name))
            return false;
        *at = p;
        if (!take_axis_kind(at, &kind)) {
            buf_printf(out, "s.%s", name);
            return true;
        }
        if (!eat(at, "[") || !isdigit((unsigned char)**at))
            return false;
        buf_printf(out, "%s.%s.%c", name, kind, *(*at)++);
        return eat(at, "]");
    }
    if (!take_name(at, name))
        return false;
    buf_puts(out, name);
    return true;
}

static void fini_args(struct te_args *a)
{
    for (size_t i = 0; i < MAX_ARGS; i++)
        buf_fini(&a->text[i]);
}

static bool take_args(struct te *t, const char **at, struct te_args *a)
{
    if (!eat(at, "("))
        return fail(t, "expected arguments in parentheses");
    while (!eat(at, ")")) {
        const char *p = *at;
        if (a->n == MAX_ARGS || (a->n > 0 && !eat(at, ",")))
            return fail(t, "expected a comma or the end of the arguments");
        p = *at;
        if (!take_name(&p, a->key[a->n]) || !eat(&p, "=") || *p == '=')
            a->key[a->n][0] = '\0';
        else
            *at = p;
        if (!take_value(t, at, &a->text[a->n]))
            return fail(t, "argument %zu is no axis, stage, number or string",
                        a->n + 1);
        a->n++;
    }
    return true;
}

/* The argument by name, or at a place; NULL: it is not there. */
static const char *argument(const struct te_args *a, const char *key,
                            size_t place)
{
    for (size_t i = 0; i < a->n; i++)
        if (strcmp(a->key[i], key) == 0)
            return buf_text(&a->text[i]);
    return place < a->n && a->key[place][0] == '\0' ? buf_text(&a->text[place])
                                                    : NULL;
}

/* ---- steps ----------------------------------------------------------------- */

/* factor: of the inner loop, nparts: of the outer one. */
static bool put_split(struct te *t, const char *left, const struct te_args *a)
{
    const char *axis = argument(a, "parent", 0);
    const char *factor = argument(a, "factor", 1);
    const char *parts = argument(a, "nparts", 2);
    if (!axis || (factor == NULL) == (parts == NULL))
        return fail(t, "split takes an axis and factor= or nparts=");
    if (factor)
        add_step(t, "%s = split %s None %s", left, axis, factor);
    else
        add_step(t, "%s = split %s %s None", left, axis, parts);
    return true;
}

static bool put_tile(struct te *t, const char *left, const struct te_args *a)
{
    char to[4][NAME_BYTES];
    const char *p = left;
    for (size_t i = 0; i < 4; i++)
        if ((i > 0 && !eat(&p, ",")) || !take_name(&p, to[i]))
            return fail(t, "tile gives four axes");
    const char *x = argument(a, "x_parent", 0), *y = argument(a, "y_parent", 1);
    const char *fx = argument(a, "x_factor", 2);
    const char *fy = argument(a, "y_factor", 3);
    if (!x || !y || !fx || !fy)
        return fail(t, "tile takes two axes and two factors");
    add_step(t, "%s, %s = split %s None %s", to[0], to[2], x, fx);
    add_step(t, "%s, %s = split %s None %s", to[1], to[3], y, fy);
    add_step(t, "reorder %s %s %s %s", to[0], to[1], to[2], to[3]);
    return true;
}

/* Words that are those of steps; `stage` goes in front where it is what they are
 * about, a leading stage among the arguments is left out. */
static const struct {
    const char *word;
    bool stage;
} same[] = {
    {"compute_at", true},
    {"compute_inline", true},
    {"fuse", false},
    {"reorder", false},
    {"vectorize", false},
    {"parallel", false},
    {"unroll", false},
    {"bind", false},
    {"reverse_compute_at", true},
};

static bool put_same(struct te *t, const char *left, const char *stage,
                     const char *word, const struct te_args *a)
{
    for (size_t k = 0; k < DC_ARRAY_LEN(same); k++) {
        if (strcmp(same[k].word, word) != 0)
            continue;
        struct buf text = {0};
        buf_printf(&text, "%s%s%s", left, left[0] != '\0' ? " = " : "", word);
        if (same[k].stage)
            buf_printf(&text, " s.%s", stage);
        for (size_t i = 0; i < a->n; i++)
            if (strncmp(buf_text(&a->text[i]), "s.", 2) != 0)
                buf_printf(&text, " %s", buf_text(&a->text[i]));
        schedule_steps_add(t->steps, &text, t->at.line, 0);
        buf_fini(&text);
        return true;
    }
    return fail(t, "'%s' is no step that is known here", word);
}

static bool put_call(struct te *t, const char *left, const char *stage,
                     const char *at)
{
    char word[NAME_BYTES];
    struct te_args a = {0};
    bool good = eat(&at, ".") && take_name(&at, word);
    if (!good)
        return fail(t, "expected s[STAGE].STEP(...)");
    good = take_args(t, &at, &a);
    skip_blanks(&at);
    if (good && *at != '\0' && *at != '#')
        good = fail(t, "more than one step");
    if (good && strcmp(word, "split") == 0)
        good = put_split(t, left, &a);
    else if (good && strcmp(word, "tile") == 0)
        good = put_tile(t, left, &a);
    else if (good)
        good = put_same(t, left, stage, word, &a);
    fini_args(&a);
    return good;
}

static bool put_line(struct te *t, const char *line)
{
    char stage[NAME_BYTES];
    const char *at = line, *kind, *eq = strchr(line, '=');
    struct buf left = {0};
    const char *p = line;
    if (eq && !take_stage(&p, stage)) {
        buf_append(&left, line, (size_t)(eq - line));
        while (left.len > 0 && left.data[left.len - 1] == ' ')
            left.data[--left.len] = '\0';
        at = eq + 1;
    }
    bool good = take_stage(&at, stage) ? look_up(t, stage)
                                       : fail(t, "expected s[STAGE].STEP(...)");
    if (good && left.len > 0 && take_axis_kind(&at, &kind))
        add_step(t, "%s = get_axes s.%s \"%s\"", buf_text(&left), stage,
                 strcmp(kind, "axis") == 0 ? "spatial" : "reduce");
    else if (good)
        good = put_call(t, buf_text(&left), stage, at);
    buf_fini(&left);
    return good;
}

bool sched_te_read(const struct schedule_steps *lines, const char *text,
                   const char *file, struct diag_sink *sink,
                   struct schedule_steps *out)
{
    struct te *t = dc_alloc(sizeof *t);
    bool good = true;
    t->steps = out;
    t->sink = sink;
    t->text = text;
    for (size_t i = 0; i < lines->n && good; i++) {
        t->at = (struct diag_loc){.file = file, .line = lines->items[i].line};
        good = put_line(t, lines->items[i].text);
    }
    dc_release(t);
    return good;
}
