/* SPDX-License-Identifier: Apache-2.0
 *
 * The reader of TVM's JSON, eras A to F (formats.md 1): the entry point and
 * how the format is recognised. The work is done in ../tvmjson.
 */
#include "ir/readers/tvmjson/tvmjson.h"

#include <string.h>

extern const struct ir_reader read_tvmjson;

/* A JSON object that has a node list. Scripts never start with a brace. */
static bool detect(const char *text, size_t len)
{
    size_t i = 0;
    if (len >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
        i = 3;
    while (i < len && strchr(" \t\r\n", text[i]) && text[i] != '\0')
        i++;
    return i < len && (text[i] == '{' || text[i] == '[');
}

static struct ir_module *read_json(const char *text, size_t len,
                                   const char *file, struct diag_sink *sink)
{
    struct json_doc *doc = json_parse(text, len, file, sink);
    if (!doc)
        return NULL;
    struct tj r = {.m = ir_module_new(), .sink = sink, .file = file};
    r.arena = r.m->arena;
    r.m->source = arena_strdup(r.arena, file ? file : "");
    bool ok = tj_graph_load(&r, doc) && tj_module(&r);
    tj_graph_free(&r);
    json_free(doc);
    if (ok && !r.failed)
        return r.m;
    ir_module_free(r.m);
    return NULL;
}

const struct ir_reader read_tvmjson = {
    .name = "tvmjson",
    .summary = "JSON as TVM 0.7 to 0.27 saves modules and functions",
    .detect = detect,
    .read = read_json,
};
