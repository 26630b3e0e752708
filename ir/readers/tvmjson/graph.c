/* SPDX-License-Identifier: Apache-2.0
 *
 * The node graph of a TVM JSON file: which TVM wrote it, its nodes by index,
 * and the memory of decoded nodes.
 *
 * Two containers exist (formats.md 1.1, 1.2, 1.5): {root, nodes, b64ndarrays,
 * attrs} of TVM <= 0.21, all fields texts, and {root_index, nodes, metadata}
 * of TVM >= 0.22. The era within them is told by what occurs, not by the
 * version text, which development builds get wrong; the text decides only
 * where nothing else does.
 *
 * Graphs come from outside: indices are checked, decoding is limited in depth,
 * a node met while it is being decoded is a cycle, and the size that the graph
 * would have as a tree is limited, so that a small file cannot stand for an
 * astronomically large module.
 */
#include "ir/base/limits.h"
#include "ir/readers/tvmjson/tvmjson.h"

#include <inttypes.h>
#include <string.h>

static bool file_error(struct tj *r, const char *path, const char *message)
{
    struct diag_loc loc = {.file = r->file, .path = path};
    r->failed = true;
    return diag_error(r->sink, loc, "json.graph", "%s", message);
}

/* ---- era ------------------------------------------------------------------ */

/* Features of the node types that tell the eras apart. */
struct features {
    bool prim;      /* prim.* or other node types of 0.27 */
    bool imm_ref;   /* all integer constants name an int node */
    bool imm_plain; /* some integer constant does not */
    bool typed;     /* ir.Var, BufferType, a field "ty" */
    bool tirx;
    bool core; /* ir.* or ffi.* keys */
};

static bool starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static void int_imm_features(const struct tj *r, const struct tj_node *node,
                             struct features *f)
{
    int64_t value;
    const struct json_value *v = json_find(node->fields, "value");
    if (v && json_int(v, &value, NULL) && value >= 0 &&
        (uint64_t)value < r->nnodes && r->nodes[value].row->kind == TJ_K_INT)
        f->imm_ref = true;
    else
        f->imm_plain = true;
}

static struct features graph_features(const struct tj *r)
{
    static const char *const newest[] = {"s_tir.SBlock",    "ir.TensorLoad",
                                         "ir.TensorRegion", "te.CommReducer",
                                         "ir.StringImm",    "ir.Tuple"};
    static const char *const typed[] = {"ir.Var", "tirx.BufferType", "ir.Call"};
    struct features f = {0};
    for (size_t i = 0; i < r->nnodes; i++) {
        const struct tj_node *node = &r->nodes[i];
        f.prim |= starts_with(node->type, "prim.");
        f.tirx |= starts_with(node->type, "tirx.");
        f.core |=
            starts_with(node->type, "ir.") || starts_with(node->type, "ffi.");
        for (size_t k = 0; k < DC_ARRAY_LEN(newest); k++)
            f.prim |= strcmp(node->type, newest[k]) == 0;
        for (size_t k = 0; k < DC_ARRAY_LEN(typed); k++)
            f.typed |= strcmp(node->type, typed[k]) == 0;
        if (node->row->kind == TJ_K_INT_IMM)
            int_imm_features(r, node, &f);
        if (node->row->kind == TJ_K_GLOBAL_VAR ||
            node->row->kind == TJ_K_INT_IMM)
            f.typed |= json_find(node->fields, "ty") != NULL;
    }
    return f;
}

/* Minor version behind "0.27.0.post1"; -1 when there is none. */
static int minor_version(const char *version)
{
    int minor = 0;
    if (!version || strncmp(version, "0.", 2) != 0 || version[2] < '0' ||
        version[2] > '9')
        return -1;
    for (const char *p = version + 2; *p >= '0' && *p <= '9' && minor < 1000;
         p++)
        minor = minor * 10 + (*p - '0');
    return minor;
}

static enum ir_era find_era(const struct tj *r)
{
    struct features f = graph_features(r);
    int minor = minor_version(r->m->tvm_version);
    if (r->legacy)
        return f.core ? IR_ERA_B : IR_ERA_A;
    if (f.prim || (f.typed && f.imm_ref && !f.imm_plain))
        return IR_ERA_F;
    if (f.typed)
        return minor >= 27 && !f.imm_plain ? IR_ERA_F : IR_ERA_E;
    if (f.tirx)
        return IR_ERA_D;
    return minor == 24 || minor == 25 ? IR_ERA_D : IR_ERA_C;
}

/* ---- loading ----------------------------------------------------------------- */

static bool load_node(struct tj *r, uint32_t index,
                      const struct json_value *value)
{
    struct tj_node *node = &r->nodes[index];
    const char *key = r->legacy ? "type_key" : "type";
    const struct json_value *type = json_find(value, key);
    node->row = tj_row_find("?");
    if (json_type(value) != JSON_OBJECT)
        return tj_fail(r, index, NULL, "expected a node object, found %s",
                       json_type_name(json_type(value))) != NULL;
    if (!type || json_type(type) != JSON_STRING)
        return tj_fail(r, index, NULL, "node without a '%s' text", key) != NULL;
    node->type = json_string(type);
    node->row = tj_row_find(node->type);
    node->data = json_find(value, "data");
    if (r->legacy) {
        node->fields = json_find(value, "attrs");
        node->keys = json_find(value, "keys");
        const struct json_value *repr = json_find(value, "repr_str");
        if (!repr)
            repr = json_find(value, "repr_b64");
        if (!node->data)
            node->data = repr;
    } else {
        node->fields = node->data;
    }
    if (node->fields && json_type(node->fields) != JSON_OBJECT)
        node->fields = NULL;
    return true;
}

static bool load_nodes(struct tj *r)
{
    const struct json_value *nodes = json_find(r->root, "nodes");
    if (!nodes || json_type(nodes) != JSON_ARRAY)
        return file_error(r, "/nodes", "expected an array of nodes");
    r->nnodes = json_size(nodes);
    if (r->nnodes > DC_MAX_JSON_NODES)
        return file_error(r, "/nodes", "more nodes than this tool reads");
    r->nodes = dc_alloc((r->nnodes + 1) * sizeof *r->nodes);
    r->memo = dc_alloc((r->nnodes + 1) * sizeof *r->memo);
    uint32_t i = 0;
    for (const struct json_value *v = json_first(nodes); v;
         v = json_next(v), i++)
        if (!load_node(r, i, v))
            return false;
    return true;
}

static void load_blobs(struct tj *r)
{
    const struct json_value *blobs = json_find(r->root, "b64ndarrays");
    if (!blobs || json_type(blobs) != JSON_ARRAY)
        return;
    size_t n = json_size(blobs);
    r->blobs = dc_alloc((n + 1) * sizeof *r->blobs);
    for (const struct json_value *v = json_first(blobs); v; v = json_next(v))
        r->blobs[r->nblobs++] = v;
}

bool tj_graph_load(struct tj *r, const struct json_doc *doc)
{
    r->root = json_root(doc);
    const struct json_value *index = json_find(r->root, "root_index");
    r->legacy = !index;
    if (!index)
        index = json_find(r->root, "root");
    if (!index)
        return file_error(r, "/", "no 'root_index': not a TVM module");
    if (!load_nodes(r))
        return false;
    load_blobs(r);
    const struct json_value *meta =
        json_find(r->root, r->legacy ? "attrs" : "metadata");
    const struct json_value *version = json_find(meta, "tvm_version");
    if (version && json_string(version))
        r->m->tvm_version = arena_strdup(r->arena, json_string(version));
    int64_t root;
    if (!json_int(index, &root, NULL) || root < 0 ||
        (uint64_t)root >= r->nnodes)
        return file_error(r, r->legacy ? "/root" : "/root_index",
                          "expected the index of a node");
    r->root_index = (uint32_t)root;
    r->era = find_era(r);
    r->m->era = r->era;
    return true;
}

void tj_graph_free(struct tj *r)
{
    dc_release(r->nodes);
    dc_release(r->memo);
    dc_release(r->blobs);
}

/* ---- messages ------------------------------------------------------------------- */

DC_PRINTF(4, 0)
static void *fail(struct tj *r, const char *path, const char *code,
                  const char *fmt, va_list args)
{
    if (r->failed)
        return NULL;
    r->failed = true;
    struct diag_loc loc = {.file = r->file, .path = path};
    diag_report(r->sink, DIAG_ERROR, loc, code, fmt, args);
    return NULL;
}

void *tj_fail(struct tj *r, uint32_t node, const char *field, const char *fmt,
              ...)
{
    char path[160];
    va_list args;
    if (field)
        snprintf(path, sizeof path, "/nodes/%" PRIu32 "/%s/%s", node,
                 r->legacy ? "attrs" : "data", field);
    else
        snprintf(path, sizeof path, "/nodes/%" PRIu32, node);
    va_start(args, fmt);
    fail(r, path, "json.graph", fmt, args);
    va_end(args);
    return NULL;
}

void *tj_fail_at(struct tj *r, uint32_t node, size_t index, const char *fmt,
                 ...)
{
    char path[80];
    va_list args;
    snprintf(path, sizeof path, "/nodes/%" PRIu32 "/data/%zu", node, index);
    va_start(args, fmt);
    fail(r, path, "json.graph", fmt, args);
    va_end(args);
    return NULL;
}

/* Input that is too much for this tool, rather than wrong. */
DC_PRINTF(3, 4)
static void *limit(struct tj *r, uint32_t node, const char *fmt, ...)
{
    char path[40];
    va_list args;
    snprintf(path, sizeof path, "/nodes/%" PRIu32, node);
    va_start(args, fmt);
    fail(r, path, "read.limit", fmt, args);
    va_end(args);
    return NULL;
}

void *tj_mismatch(struct tj *r, uint32_t node, const char *field, uint32_t ref,
                  const char *what)
{
    const struct tj_row *row = r->nodes[ref].row;
    const char *type = r->nodes[ref].type;
    if (row->kind == TJ_K_UNSUPPORTED)
        return tj_fail(r, node, field, "'%s' is not supported: %s", type,
                       row->why);
    return tj_fail(r, node, field, "expected %s, found '%s'%s", what, type,
                   row->kind == TJ_K_OTHER ? ", an unknown node type" : "");
}

/* ---- memory of decoded nodes ------------------------------------------------------- */

static const char *const role_names[TJ_NROLES] = {
    [TJ_EXPR] = "expression",
    [TJ_STMT] = "statement",
    [TJ_TYPE] = "type",
    [TJ_VAR] = "variable",
    [TJ_BUFFER] = "buffer",
    [TJ_ITER_VAR] = "iteration variable",
    [TJ_VALUE] = "value",
    [TJ_RX] = "Relax expression",
    [TJ_RX_VAR] = "Relax variable"};

static const struct tj_memo *memo_find(const struct tj *r, uint32_t node,
                                       enum tj_role role)
{
    const struct tj_memo *memo = &r->memo[node];
    while (memo && !(memo->ptr && memo->role == role))
        memo = memo->more;
    return memo;
}

void *tj_seen(const struct tj *r, uint32_t node, enum tj_role role)
{
    const struct tj_memo *memo = memo_find(r, node, role);
    return memo ? memo->ptr : NULL;
}

/* Adds a child to the frame of the node being decoded. Definitions count as
 * one: they are referred to by address and never unfolded. */
static void frame_add(struct tj *r, const struct tj_memo *memo)
{
    bool definition = memo->role == TJ_VAR || memo->role == TJ_BUFFER ||
                      memo->role == TJ_ITER_VAR || memo->role == TJ_RX_VAR;
    uint32_t size = definition ? 1 : memo->size;
    r->frame_size =
        size > UINT32_MAX - r->frame_size ? UINT32_MAX : r->frame_size + size;
    if (memo->depth > r->frame_depth)
        r->frame_depth = memo->depth;
}

static struct tj_memo *memo_store(struct tj *r, uint32_t node,
                                  enum tj_role role, void *ptr)
{
    struct tj_memo *memo = &r->memo[node];
    if (memo->ptr) {
        struct tj_memo *more = ARENA_NEW(r->arena, struct tj_memo);
        more->more = memo->more;
        memo->more = more;
        memo = more;
    }
    memo->ptr = ptr;
    memo->role = (uint8_t)role;
    memo->size = r->frame_size < UINT32_MAX ? r->frame_size + 1 : UINT32_MAX;
    memo->depth = (uint16_t)(r->frame_depth + 1);
    return memo;
}

bool tj_link(struct tj *r, uint32_t node)
{
    if (r->links < DC_MAX_TREE_NODES) {
        r->links++;
        return true;
    }
    limit(r, node, "more than %u references to follow", DC_MAX_TREE_NODES);
    return false;
}

void *tj_once(struct tj *r, uint32_t node, enum tj_role role, tj_decode decode)
{
    if (r->failed || !tj_link(r, node))
        return NULL;
    const struct tj_memo *known = memo_find(r, node, role);
    if (known) {
        frame_add(r, known);
        return known->ptr;
    }
    unsigned bit = 1u << role;
    if (r->memo[node].busy & bit)
        return tj_fail(r, node, NULL, "this %s contains itself",
                       role_names[role]);
    if (r->depth >= DC_MAX_DEPTH)
        return limit(r, node, "nested deeper than %u levels", DC_MAX_DEPTH);
    uint32_t size = r->frame_size, depth = r->frame_depth;
    r->frame_size = r->frame_depth = 0;
    r->memo[node].busy = (uint16_t)(r->memo[node].busy | bit);
    r->depth++;
    void *ptr = decode(r, node, r->nodes[node].row);
    r->depth--;
    r->memo[node].busy = (uint16_t)(r->memo[node].busy & ~bit);
    if (r->failed || !ptr)
        return tj_fail(r, node, NULL, "cannot read this %s", role_names[role]);
    if (r->frame_depth >= DC_MAX_DEPTH)
        return limit(r, node, "nested deeper than %u levels", DC_MAX_DEPTH);
    if (r->frame_size > DC_MAX_TREE_NODES)
        return limit(r, node, "stands for more than %u nodes when unfolded",
                     DC_MAX_TREE_NODES);
    const struct tj_memo *memo = memo_store(r, node, role, ptr);
    r->frame_size = size;
    r->frame_depth = depth;
    frame_add(r, memo);
    return ptr;
}

struct ir_pos tj_pos(uint32_t node)
{
    return (struct ir_pos){.line = 0, .col = node};
}
