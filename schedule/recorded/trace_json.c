/* SPDX-License-Identifier: Apache-2.0
 *
 * A trace [instructions, decisions] as steps. An instruction is [kind, inputs,
 * attributes, outputs]; its outputs are random variables named by a letter and
 * a running number, which later inputs are: b blocks, l loops, v numbers. What
 * draws numbers becomes no step: the numbers stand where they are used. Strings
 * among inputs are names, or literals within quotes of their own, or, from '{'
 * on, an object as JSON.
 */
#include "schedule/recorded/recorded_private.h"

#include <stdlib.h>
#include <string.h>

#define MAX_VARIABLES 100000u
#define MAX_DEPTH     8u

struct reader {
    struct schedule_steps *steps;
    struct diag_sink *sink;
    struct diag_loc at;
    uint32_t instruction;
    const char *kind;                   /* of the instruction, once known */
    struct VEC(const char *) variables; /* by number: how it is written */
    struct VEC(const char *) names;     /* and the name, NULL: none */
    struct VEC(const struct json_value *) decisions; /* by instruction */
};

DC_PRINTF(2, 3)
static bool fail(struct reader *r, const char *fmt, ...)
{
    struct buf text = {0};
    va_list args;
    buf_printf(&text, "instruction %u%s%s: ", r->instruction,
               r->kind ? " " : "", r->kind ? r->kind : "");
    va_start(args, fmt);
    buf_vprintf(&text, fmt, args);
    va_end(args);
    (void)diag_error(r->sink, r->at, "schedule.trace", "%s", buf_text(&text));
    buf_fini(&text);
    return false;
}

/* ---- variables ------------------------------------------------------------- */

/* The number in a name such as l12; false for other strings. */
static bool number_of(const char *name, size_t *out)
{
    size_t n = 0;
    if (name[0] == '\0' || !strchr("blv", name[0]) || name[1] == '\0')
        return false;
    for (const char *c = name + 1; *c != '\0'; c++) {
        if (*c < '0' || *c > '9' || n > MAX_VARIABLES)
            return false;
        n = 10 * n + (size_t)(*c - '0');
    }
    *out = n;
    return n < MAX_VARIABLES;
}

static const char *variable(const struct reader *r, const char *name)
{
    size_t n;
    if (!number_of(name, &n) || n >= r->names.len || !r->names.items[n] ||
        strcmp(r->names.items[n], name) != 0)
        return NULL;
    return r->variables.items[n];
}

static bool define(struct reader *r, const struct json_value *name,
                   const char *written)
{
    const char *text = json_string(name);
    size_t n;
    if (!text || !number_of(text, &n))
        return fail(r, "expected outputs such as \"b0\", \"l1\" or \"v2\"");
    while (r->names.len <= n) {
        vec_push(&r->names, NULL);
        vec_push(&r->variables, NULL);
    }
    if (r->names.items[n])
        return fail(r, "'%s' is an output already", text);
    r->names.items[n] = arena_strdup(r->steps->arena, text);
    r->variables.items[n] =
        written ? arena_strdup(r->steps->arena, written) : r->names.items[n];
    return true;
}

/* ---- values ---------------------------------------------------------------- */

/* The text between the quotes of a literal: \" and \\ stand for themselves. */
static void put_literal(struct buf *out, const char *text)
{
    struct buf plain = {0};
    size_t len = strlen(text);
    for (size_t i = 1; i + 1 < len; i++) {
        if (text[i] == '\\' && i + 2 < len)
            i++;
        buf_putc(&plain, text[i]);
    }
    buf_put_quoted(out, buf_text(&plain), false);
    buf_fini(&plain);
}

/* An object, with the numbers that it names in front: v27=8,v28=1;{...} What is
 * named is found in one pass, as names in quotes. */
static void put_object(const struct reader *r, const char *text,
                       struct buf *out)
{
    struct buf all = {0};
    for (const char *p = text; (p = strstr(p, "\"v")) != NULL; p++) {
        size_t n = strspn(p + 2, "0123456789");
        char name[16];
        if (n == 0 || n > 8 || p[2 + n] != '"')
            continue;
        memcpy(name, p + 1, n + 1);
        name[n + 1] = '\0';
        const char *number = variable(r, name);
        if (number)
            buf_printf(&all, "%s%s=%s", all.len > 0 ? "," : "", name, number);
    }
    buf_puts(&all, all.len > 0 ? ";" : "");
    buf_puts(&all, text);
    buf_put_quoted(out, buf_text(&all), false);
    buf_fini(&all);
}

static bool put_string(struct reader *r, const char *text, bool input,
                       struct buf *out)
{
    size_t len = strlen(text);
    const char *known = input ? variable(r, text) : NULL;
    if (known)
        buf_puts(out, known);
    else if (input && len >= 2 && text[0] == '"' && text[len - 1] == '"')
        put_literal(out, text);
    else if (input && strcmp(text, "None") == 0)
        buf_puts(out, text);
    else if (text[0] == '{')
        put_object(r, text, out);
    else if (!input)
        buf_put_quoted(out, text, false);
    else
        return fail(r, "'%s' is no output of an earlier one", text);
    return true;
}

static bool put_value(struct reader *r, const struct json_value *v, bool input,
                      unsigned depth, struct buf *out)
{
    const struct json_value *item;
    switch (json_type(v)) {
    case JSON_STRING: return put_string(r, json_string(v), input, out);
    case JSON_NUMBER: buf_puts(out, json_number_token(v)); return true;
    case JSON_BOOL: buf_puts(out, json_bool(v) ? "1" : "0"); return true;
    case JSON_NULL: buf_puts(out, "None"); return true;
    case JSON_ARRAY:
        if (depth == MAX_DEPTH)
            return fail(r, "lists nested more than %u deep", MAX_DEPTH);
        buf_putc(out, '[');
        for (item = json_first(v); item; item = json_next(item)) {
            if (item != json_first(v))
                buf_putc(out, ' ');
            if (!put_value(r, item, input, depth + 1, out))
                return false;
        }
        buf_putc(out, ']');
        return true;
    case JSON_OBJECT: break;
    }
    return fail(r, "expected numbers, strings and lists, found an object");
}

static const struct json_value *element(const struct json_value *list, size_t n)
{
    const struct json_value *v = json_first(list);
    while (v && n-- > 0)
        v = json_next(v);
    return v;
}

/* ---- what draws numbers ---------------------------------------------------- */

static const struct json_value *decision_of(struct reader *r)
{
    const struct json_value *d = r->instruction < r->decisions.len
                                     ? r->decisions.items[r->instruction]
                                     : NULL;
    if (!d)
        (void)fail(r, "the trace has no decision for it");
    return d;
}

static bool define_number(struct reader *r, const struct json_value *name,
                          const struct json_value *number)
{
    int64_t ignored;
    if (!number || json_type(number) != JSON_NUMBER ||
        !json_int(number, &ignored, NULL))
        return fail(r, "the decision is no whole number");
    return define(r, name, json_number_token(number));
}

/* One of the candidates, by its index. */
static bool draw_choice(struct reader *r, const struct json_value *attrs,
                        const struct json_value *outputs)
{
    const struct json_value *d = decision_of(r);
    const struct json_value *candidates = element(attrs, 0);
    int64_t index;
    if (!d)
        return false;
    if (json_type(d) != JSON_NUMBER || !json_int(d, &index, NULL) ||
        !candidates || json_type(candidates) != JSON_ARRAY || index < 0 ||
        (uint64_t)index >= json_size(candidates))
        return fail(r, "the decision is the index of no candidate");
    if (json_size(outputs) != 1)
        return fail(r, "expected one output");
    return define_number(r, json_first(outputs),
                         element(candidates, (size_t)index));
}

static bool draw_numbers(struct reader *r, const struct json_value *outputs)
{
    const struct json_value *d = decision_of(r);
    if (!d)
        return false;
    if (json_type(d) != JSON_ARRAY || json_size(d) != json_size(outputs))
        return fail(r, "the decision has not one number for each output");
    const struct json_value *v = json_first(d);
    for (const struct json_value *o = json_first(outputs); o;
         o = json_next(o), v = json_next(v))
        if (!define_number(r, o, v))
            return false;
    return true;
}

/* ---- instructions ---------------------------------------------------------- */

struct instruction {
    const struct sched_kind *kind;
    const struct json_value *inputs, *attrs, *outputs;
};

/* One argument, as kinds.c writes it: its text, and whether it is the default
 * one. */
static bool put_argument(struct reader *r, const struct instruction *in,
                         const char *spec, struct buf *out, bool *is_default)
{
    size_t len = strcspn(spec, " "), eq = strcspn(spec, "= ");
    const struct json_value *v = NULL;
    *is_default = false;
    if (spec[0] == 'd')
        v = decision_of(r);
    else
        v = element(spec[0] == 'i' ? in->inputs : in->attrs,
                    (size_t)(spec[1] - '0'));
    if (!v && eq == len)
        return spec[0] == 'd'
                   ? false
                   : fail(r, "%s %c is missing",
                          spec[0] == 'i' ? "input" : "attribute", spec[1]);
    if (v && !put_value(r, v, spec[0] == 'i', 0, out))
        return false;
    if (eq < len) {
        size_t n = len - eq - 1;
        if (!v)
            buf_append(out, spec + eq + 1, n);
        *is_default =
            out->len == n && strncmp(buf_text(out), spec + eq + 1, n) == 0;
    }
    return true;
}

/* All inputs; where a flag behind them is not the default, those that the flag
 * is not about (all but a leading loop of split and partition) in a list. */
static bool put_inputs(struct reader *r, const struct instruction *in,
                       bool list, struct buf *out)
{
    bool open = false;
    const struct json_value *v = json_first(in->inputs);
    if (list && strncmp(in->kind->word, "fuse", 4) != 0 && v) {
        buf_putc(out, ' ');
        if (!put_value(r, v, true, 0, out))
            return false;
        v = json_next(v);
    }
    for (; v; v = json_next(v)) {
        buf_puts(out, list && !open ? " [" : " ");
        open = true;
        if (!put_value(r, v, true, 0, out))
            return false;
    }
    if (list)
        buf_puts(out, open ? "]" : " []");
    return true;
}

static bool put_arguments(struct reader *r, const struct instruction *in,
                          struct buf *out)
{
    const char *spec = in->kind->arguments;
    struct buf inputs = {0}, rest = {0};
    size_t keep = 0; /* bytes of rest up to the last that is no default */
    bool all = strncmp(spec, "i*", 2) == 0, good = true;
    if (all)
        spec += 2 + (spec[2] == ' ');
    while (*spec != '\0' && good) {
        struct buf one = {0};
        bool is_default;
        good = put_argument(r, in, spec, &one, &is_default);
        buf_putc(&rest, ' ');
        buf_append(&rest, buf_text(&one), one.len);
        if (!is_default)
            keep = rest.len;
        buf_fini(&one);
        spec += strcspn(spec, " ");
        spec += *spec == ' ';
    }
    if (good && all)
        good = put_inputs(r, in, keep > 0, &inputs);
    buf_append(out, buf_text(&inputs), inputs.len);
    buf_append(out, buf_text(&rest), keep);
    buf_fini(&inputs);
    buf_fini(&rest);
    return good;
}

static bool put_step(struct reader *r, const struct instruction *in)
{
    struct buf text = {0};
    for (const struct json_value *o = json_first(in->outputs); o;
         o = json_next(o)) {
        if (!define(r, o, NULL)) {
            buf_fini(&text);
            return false;
        }
        buf_printf(&text, "%s%s", text.len > 0 ? ", " : "", json_string(o));
    }
    buf_printf(&text, "%s%s", text.len > 0 ? " = " : "", in->kind->word);
    bool good = put_arguments(r, in, &text);
    if (good)
        schedule_steps_add(r->steps, &text, 0, r->instruction);
    buf_fini(&text);
    return good;
}

static bool read_instruction(struct reader *r, const struct json_value *v)
{
    struct instruction in = {NULL, element(v, 1), element(v, 2), element(v, 3)};
    const char *name = json_string(json_first(v));
    r->kind = NULL;
    if (json_type(v) != JSON_ARRAY || json_size(v) != 4 || !name ||
        json_type(in.inputs) != JSON_ARRAY ||
        json_type(in.attrs) != JSON_ARRAY ||
        json_type(in.outputs) != JSON_ARRAY)
        return fail(r, "expected [kind, inputs, attributes, outputs]");
    r->kind = name;
    in.kind = sched_kind_find(name);
    if (!in.kind)
        return fail(r, "no instruction of TVM 0.8 to 0.27 is called so");
    if (in.kind->word)
        return put_step(r, &in);
    return in.kind->arguments[0] == 'c' ? draw_choice(r, in.attrs, in.outputs)
                                        : draw_numbers(r, in.outputs);
}

/* ---- the trace ------------------------------------------------------------- */

static bool read_decisions(struct reader *r, const struct json_value *list,
                           size_t n)
{
    while (r->decisions.len < n)
        vec_push(&r->decisions, NULL);
    for (const struct json_value *v = json_first(list); v; v = json_next(v)) {
        int64_t index = -1;
        if (json_type(v) != JSON_ARRAY || json_size(v) != 2 ||
            json_type(json_first(v)) != JSON_NUMBER ||
            !json_int(json_first(v), &index, NULL) || index < 0 ||
            (uint64_t)index >= n)
            return diag_error(r->sink, r->at, "schedule.trace",
                              "expected decisions [index of an instruction, "
                              "decision]");
        r->decisions.items[index] = element(v, 1);
    }
    return true;
}

bool schedule_steps_of_trace(const struct json_value *trace, struct diag_loc at,
                             struct diag_sink *sink, struct schedule_steps *out)
{
    struct reader r = {.steps = out, .sink = sink, .at = at};
    const struct json_value *list = element(trace, 0);
    const struct json_value *decisions = element(trace, 1);
    if (!out->arena)
        out->arena = arena_new();
    if (json_type(trace) != JSON_ARRAY || json_size(trace) != 2 ||
        json_type(list) != JSON_ARRAY || json_type(decisions) != JSON_ARRAY)
        return diag_error(sink, at, "schedule.trace",
                          "expected a trace [instructions, decisions]");
    bool good = read_decisions(&r, decisions, json_size(list));
    for (const struct json_value *v = json_first(list); v && good;
         v = json_next(v), r.instruction++)
        good = read_instruction(&r, v);
    vec_fini(&r.variables);
    vec_fini(&r.names);
    vec_fini(&r.decisions);
    return good && schedule_steps_are_few(out, at, sink);
}
