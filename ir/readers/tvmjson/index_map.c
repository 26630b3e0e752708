/* SPDX-License-Identifier: Apache-2.0
 *
 * An index map alone: what traces of schedules hold as the text of a file of
 * its own (formats.md 5.2), since TVM 0.9 ("tir.IndexMap", "tirx.IndexMap"
 * since 0.24). Its fields are an array of variables and one of expressions in
 * them; an inverse that is given along is not read, since nothing vouches for
 * it.
 */
#include "ir/base/limits.h"
#include "ir/readers/tvmjson/tvmjson.h"

#include <string.h>

static bool is_index_map(const struct tj *r, uint32_t node)
{
    const char *type = r->nodes[node].type;
    return strcmp(type, "tir.IndexMap") == 0 ||
           strcmp(type, "tirx.IndexMap") == 0;
}

static void decode(struct tj *r, uint32_t node, struct ir_index_map *out)
{
    uint32_t array;
    const uint32_t *items =
        tj_array(r, node, "initial_indices", &out->nvars, &array);
    if (out->nvars > DC_MAX_RANK) {
        tj_fail(r, array, NULL, "more than %u indices", DC_MAX_RANK);
        return;
    }
    out->vars = ARENA_ARRAY(r->arena, out->nvars + 1, struct ir_var *);
    for (size_t i = 0; i < out->nvars && !r->failed; i++) {
        if (items[i] == TJ_NULL || tj_kind(r, items[i]) != TJ_K_VAR)
            tj_fail_at(r, array, i, "expected a variable");
        else
            out->vars[i] = tj_var_node(r, items[i]);
        for (size_t j = 0; j < i && !r->failed; j++)
            if (out->vars[i] == out->vars[j])
                tj_fail_at(r, array, i, "variable '%s' occurs twice",
                           out->vars[i]->name);
    }
    out->out = tj_exprs(r, node, "final_indices", &out->nout);
}

/* What a module knows of its own file stays as it is. */
bool tj_read_index_map(struct ir_module *m, const char *text, size_t len,
                       const char *file, struct diag_sink *sink,
                       struct ir_index_map *out)
{
    struct json_doc *doc = json_parse(text, len, file, sink);
    if (!doc)
        return false;
    const enum ir_era era = m->era;
    const char *version = m->tvm_version;
    struct tj r = {.m = m, .arena = m->arena, .sink = sink, .file = file};
    if (tj_graph_load(&r, doc)) {
        if (is_index_map(&r, r.root_index))
            decode(&r, r.root_index, out);
        else
            tj_fail(&r, r.root_index, NULL,
                    "expected an index map at the root, found '%s'",
                    r.nodes[r.root_index].type);
    } else {
        r.failed = true;
    }
    m->era = era;
    m->tvm_version = version;
    tj_graph_free(&r);
    json_free(doc);
    return !r.failed;
}
