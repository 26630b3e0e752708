/* SPDX-License-Identifier: Apache-2.0
 *
 * One record: names of what it is, its line read again for who wants more than
 * the model holds (a database of many thousand traces would not fit otherwise),
 * the module of its workload, and its steps for people.
 */
#include "audit/audit.h"
#include "audit/record/record.h"

#include <string.h>

const char *audit_format_name(enum audit_format format)
{
    static const char *const names[AUDIT_NFORMATS] = {"metaschedule", "ansor",
                                                      "autotvm", "table"};
    return names[format];
}

const char *audit_source_name(enum audit_source source)
{
    static const char *const names[AUDIT_NSOURCES] = {"none", "module", "dag",
                                                      "task", "steps"};
    return names[source];
}

const char *audit_state_name(enum audit_state state)
{
    static const char *const names[AUDIT_NSTATES] = {
        "unreadable", "impossible", "contradictory", "outlier",
        "unjudged",   "failed",     "consistent",    "plausible"};
    return names[state];
}

bool audit_is_finding(enum audit_state state)
{
    return state == AUDIT_IMPOSSIBLE || state == AUDIT_CONTRADICTORY ||
           state == AUDIT_OUTLIER;
}

struct json_doc *audit_record_parse(const struct audit_record *record,
                                    struct diag_sink *sink)
{
    return json_parse(record->text, record->len, record->file, sink);
}

const struct json_value *audit_record_steps(const struct audit_record *record,
                                            const struct json_doc *doc)
{
    const struct json_value *root = json_root(doc), *in, *config;
    switch (record->format) {
    case AUDIT_METASCHEDULE: return audit_json_at(audit_json_at(root, 1), 0);
    case AUDIT_ANSOR:
        return audit_json_at(audit_json_at(json_find(root, "i"), 1), 1);
    case AUDIT_AUTOTVM:
        in = audit_json_either(root, "input", "i");
        config = json_find(root, "config");
        if (config == NULL)
            config = audit_json_at(in, 5);
        return config ? audit_json_either(config, "entity", "e") : NULL;
    case AUDIT_TABLE:
    case AUDIT_NFORMATS: break;
    }
    return NULL;
}

/* Eight bytes, the length of the rest, little endian. */
#define PREFIX 8u

struct ir_module *audit_module(const struct audit_record *record,
                               struct diag_sink *sink)
{
    const struct audit_workload *w = record->workload;
    struct diag_loc loc = {.file = record->file, .line = record->line};
    struct buf text = {0};
    struct ir_module *module = NULL;
    uint64_t length = 0;
    if (w == NULL) {
        (void)diag_error(sink, loc, "audit.workload",
                         "the record has no workload beside it: give the "
                         "database's file of workloads, too");
        return NULL;
    }
    loc = (struct diag_loc){.file = w->file, .line = w->line};
    bool fine = base64_decode(w->base64, w->len, &text) && text.len > PREFIX;
    for (size_t i = 0; fine && i < PREFIX; i++)
        length |= (uint64_t)(unsigned char)text.data[i] << (8 * i);
    if (!fine || length != text.len - PREFIX)
        (void)diag_error(sink, loc, "audit.workload",
                         "the workload is cut off or damaged: its base64 does "
                         "not hold as many bytes as it says");
    else
        module = ir_read(text.data + PREFIX, text.len - PREFIX, w->file, sink);
    buf_fini(&text);
    return module;
}

/* ---- steps for people ---------------------------------------------------------- */

static const char *word_at(const struct json_value *v, size_t i)
{
    const char *word = audit_json_word(audit_json_at(v, i));
    return word ? word : "?";
}

static void put_at(struct buf *out, const struct json_value *v, size_t i)
{
    const struct json_value *part = audit_json_at(v, i);
    if (part != NULL)
        audit_json_put(out, part);
    else
        buf_putc(out, '?');
}

/* ["SP", stage, iterator, extent, [lengths], inner to outer] and so on: words of
 * formats.md of the project, 6.1. %1 is the first element behind the stage. */
static const struct ansor_word {
    const char *code, *says;
} ansor_words[] = {
    {"AN", "annotate loop %1 as %2"},
    {"FU", "fuse loops %1"},
    {"PR", "pragma on loop %1: %2"},
    {"RE", "reorder loops to %1"},
    {"SP", "split loop %1 of %2 by %3"},
    {"FSP", "split loop %1 as step %2 does, in %3"},
    {"FFSP", "split loop %1 as steps %2 together do, level %3"},
    {"SA", "align storage at loop %1: factor %2, offset %3"},
    {"CA", "compute at stage %1, loop %2"},
    {"CI", "inline"},
    {"CR", "compute at the root"},
    {"CHR", "cache what is read in %1 for stages %2"},
    {"CHW", "cache what is written in %1"},
    {"RF", "factor the reduction of loop %1, new axis at %2"},
};

static const char *const annotations[] = {
    "none",        "unroll",     "vectorize",   "parallel",
    "vthread",     "blockIdx.x", "threadIdx.x", "blockIdx.y",
    "threadIdx.y", "blockIdx.z", "threadIdx.z", "tensorize"};

static void put_ansor(struct buf *out, const struct json_value *step)
{
    const char *code = word_at(step, 0), *says = NULL;
    for (size_t i = 0; i < DC_ARRAY_LEN(ansor_words); i++)
        if (strcmp(code, ansor_words[i].code) == 0)
            says = ansor_words[i].says;
    if (says == NULL) {
        audit_json_put(out, step);
        return;
    }
    buf_puts(out, "stage ");
    put_at(out, step, 1);
    buf_puts(out, ": ");
    for (const char *p = says; *p; p++) {
        int64_t kind = audit_json_whole(audit_json_at(step, 3), -1);
        if (*p != '%')
            buf_putc(out, *p);
        else if (*++p == '2' && strcmp(code, "AN") == 0 && kind >= 0 &&
                 kind < (int64_t)DC_ARRAY_LEN(annotations))
            buf_puts(out, annotations[kind]);
        else
            put_at(out, step, (size_t)(*p - '0') + 1);
    }
}

/* ["tile_x", "sp", [-1, 2, 16]] */
static void put_autotvm(struct buf *out, const struct json_value *knob)
{
    static const struct {
        const char *type, *says;
    } kinds[] = {{"sp", "split by"},
                 {"re", "in the order"},
                 {"an", "annotated"},
                 {"ot", "="}};
    const char *type = word_at(knob, 1), *says = type;
    for (size_t i = 0; i < DC_ARRAY_LEN(kinds); i++)
        if (strcmp(type, kinds[i].type) == 0)
            says = kinds[i].says;
    buf_printf(out, "%s %s ", word_at(knob, 0), says);
    put_at(out, knob, 2);
}

/* [name, inputs, attributes, outputs] and, where one was taken, its decision. */
static void put_instruction(struct buf *out, const struct json_value *inst,
                            const struct json_value **decisions, size_t index)
{
    const char *between = "";
    const struct json_value *outputs = audit_json_at(inst, 3);
    if (outputs != NULL && json_first(outputs) != NULL) {
        for (const struct json_value *v = json_first(outputs); v;
             v = json_next(v)) {
            buf_puts(out, between);
            buf_puts(out, audit_json_word(v) ? audit_json_word(v) : "?");
            between = ", ";
        }
        buf_puts(out, " = ");
    }
    buf_puts(out, word_at(inst, 0));
    between = "(";
    for (size_t part = 1; part <= 2; part++) {
        const struct json_value *list = audit_json_at(inst, part);
        for (const struct json_value *v = list ? json_first(list) : NULL; v;
             v = json_next(v)) {
            buf_puts(out, between);
            if (audit_json_word(v))
                buf_puts(out, audit_json_word(v));
            else
                audit_json_put(out, v);
            between = ", ";
        }
    }
    buf_puts(out, *between == '(' ? "()" : ")");
    /* Decisions stand in the order of their instructions. */
    while (*decisions != NULL &&
           audit_json_whole(audit_json_at(*decisions, 0), -1) < (int64_t)index)
        *decisions = json_next(*decisions);
    if (*decisions != NULL &&
        audit_json_whole(audit_json_at(*decisions, 0), -1) == (int64_t)index) {
        buf_puts(out, "  -> ");
        put_at(out, *decisions, 1);
    }
}

void audit_put_steps(struct buf *out, const struct audit_record *record,
                     int indent)
{
    struct json_doc *doc = audit_record_parse(record, NULL);
    const struct json_value *steps =
                                doc ? audit_record_steps(record, doc) : NULL,
                            *decisions = NULL;
    size_t index = 0;
    if (steps != NULL && record->format == AUDIT_METASCHEDULE) {
        decisions = audit_json_at(steps, 1);
        decisions = decisions ? json_first(decisions) : NULL;
        steps = audit_json_at(steps, 0);
    }
    if (!audit_json_is(steps, JSON_ARRAY))
        steps = NULL;
    for (const struct json_value *v = steps ? json_first(steps) : NULL; v;
         v = json_next(v), index++) {
        buf_printf(out, "%*s", indent, "");
        if (record->format == AUDIT_METASCHEDULE)
            put_instruction(out, v, &decisions, index);
        else if (record->format == AUDIT_ANSOR)
            put_ansor(out, v);
        else
            put_autotvm(out, v);
        buf_putc(out, '\n');
    }
    json_free(doc);
}
