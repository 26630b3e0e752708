/* SPDX-License-Identifier: Apache-2.0
 *
 * Edits of the nodes of a module's JSON. The text is cut into the elements of
 * its array "nodes", by brackets and strings alone; a reference is a number in
 * one, and what node it means is its value.
 */
#include "fuzz/hostile/hostile_private.h"

#include <stdlib.h>
#include <string.h>

struct graph {
    struct arena *arena;
    const char *head, *tail;
    struct VEC(const char *) nodes;
};

/* ---- cutting ----------------------------------------------------------------------------- */

static const char *string_end(const char *p)
{
    for (p++; *p != '\0' && *p != '"'; p++)
        if (*p == '\\' && p[1] != '\0')
            p++;
    return *p == '"' ? p + 1 : p;
}

/* The end of the value that begins here: a ',' or closing bracket of the array
 * it is in. */
static const char *value_end(const char *p)
{
    size_t depth = 0;
    while (*p != '\0') {
        if (*p == '"') {
            p = string_end(p);
            continue;
        }
        if (depth == 0 && (*p == ',' || *p == ']' || *p == '}'))
            return p;
        depth += *p == '[' || *p == '{';
        depth -= *p == ']' || *p == '}';
        p++;
    }
    return p;
}

static bool cut(struct graph *g, const char *text)
{
    const char *at = strstr(text, "\"nodes\":");
    const char *p = at == NULL ? NULL : strchr(at, '[');
    if (p == NULL)
        return false;
    p++;
    g->head = arena_strndup(g->arena, text, (size_t)(p - text));
    while (*p != '\0' && *p != ']') {
        const char *end = value_end(p);
        vec_push(&g->nodes, arena_strndup(g->arena, p, (size_t)(end - p)));
        p = *end == ',' ? end + 1 : end;
    }
    g->tail = arena_strdup(g->arena, p);
    return g->nodes.len > 1;
}

static void join(const struct graph *g, struct buf *out)
{
    out->len = 0;
    buf_puts(out, g->head);
    for (size_t i = 0; i < g->nodes.len; i++) {
        buf_puts(out, i > 0 ? "," : "");
        buf_puts(out, g->nodes.items[i]);
    }
    buf_puts(out, g->tail);
}

/* ---- parts of a node ------------------------------------------------------------------------- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The k-th number outside of strings, counted round; NULL: there is none. */
static const char *number_in(const char *node, uint64_t k)
{
    size_t n = 0;
    for (int round = 0; round < 2; round++) {
        size_t seen = 0;
        for (const char *p = node; *p != '\0'; p++) {
            if (*p == '"') {
                p = string_end(p) - 1;
                continue;
            }
            if (!is_digit(*p) ||
                (p > node && (is_digit(p[-1]) || p[-1] == '.')))
                continue;
            if (round == 1 && seen == k % n)
                return p;
            seen++;
        }
        n = seen;
        if (n == 0)
            return NULL;
    }
    return NULL;
}

/* The value of a string key of the node, or "". */
static const char *text_of(const struct graph *g, size_t k, const char *key)
{
    struct buf quoted = {0};
    buf_printf(&quoted, "\"%s\":\"", key);
    const char *p = strstr(g->nodes.items[k], buf_text(&quoted));
    const char *out = "";
    if (p != NULL) {
        p += quoted.len;
        out = arena_strndup(g->arena, p, strcspn(p, "\""));
    }
    buf_fini(&quoted);
    return out;
}

static const char *type_of(const struct graph *g, size_t k)
{
    return text_of(g, k, "type");
}

static size_t some_node(const struct graph *g, struct gen_bytes *b)
{
    return (size_t)gen_below(b, g->nodes.len);
}

/* Another node of the same type, if some draws find one. */
static size_t like(const struct graph *g, struct gen_bytes *b, size_t k)
{
    const char *type = k < g->nodes.len ? type_of(g, k) : "";
    for (int i = 0; i < 30; i++) {
        size_t other = some_node(g, b);
        if (strcmp(type_of(g, other), type) == 0)
            return other;
    }
    return some_node(g, b);
}

/* The node with bytes [at, at + len) replaced. */
static void put_in(struct graph *g, size_t k, const char *at, size_t len,
                   const char *by)
{
    const char *node = g->nodes.items[k];
    g->nodes.items[k] = arena_printf(g->arena, "%.*s%s%s", (int)(at - node),
                                     node, by, at + len);
}

static size_t digits(const char *p)
{
    size_t n = 0;
    while (is_digit(p[n]))
        n++;
    return n;
}

/* ---- edits ---------------------------------------------------------------------------------- */

static void redirect(struct graph *g, struct gen_bytes *b)
{
    size_t k = some_node(g, b);
    const char *at = number_in(g->nodes.items[k], gen_below(b, 1000));
    if (at == NULL)
        return;
    size_t old = (size_t)strtoul(at, NULL, 10), to = old;
    switch (gen_below(b, 8)) {
    case 0: to = k; break;
    case 1: to = some_node(g, b); break;
    case 2: to = g->nodes.len + (size_t)gen_below(b, 2); break;
    case 3:
        put_in(g, k, at, digits(at),
               arena_printf(g->arena, "%lld", (long long)hostile_number(b)));
        return;
    default: to = like(g, b, old); break;
    }
    put_in(g, k, at, digits(at), arena_printf(g->arena, "%zu", to));
}

/* All references to one node go to another. */
static void redirect_all(struct graph *g, struct gen_bytes *b)
{
    size_t from = some_node(g, b), to = like(g, b, from);
    for (size_t k = 0; k < g->nodes.len; k++) {
        for (uint64_t i = 0; i < 8; i++) {
            const char *at = number_in(g->nodes.items[k], i);
            if (at != NULL && strtoul(at, NULL, 10) == from && k != to)
                put_in(g, k, at, digits(at), arena_printf(g->arena, "%zu", to));
        }
    }
}

/* New nodes at the end, each the one before twice; what pointed to the first
 * points to the last. */
static void tower(struct graph *g, struct gen_bytes *b)
{
    static const char *const kinds[] = {"Add", "Mul", "Max", "Sub", "FloorMod"};
    const char *kind = hostile_pick(b, kinds);
    size_t n = hostile_count(b, 1010), base = SIZE_MAX;
    for (int i = 0; i < 60 && base == SIZE_MAX; i++) {
        size_t k = some_node(g, b);
        const char *type = type_of(g, k);
        if (strstr(type, "Imm") || strstr(type, "Load") ||
            strstr(type, ".Var") || strstr(type, ".Add"))
            base = k;
    }
    if (base == SIZE_MAX)
        return;
    const char *p = strstr(g->nodes.items[base], "\"ty\":");
    const char *dtype = text_of(g, base, "dtype");
    size_t last = base;
    for (size_t i = 0; i < n; i++) {
        const char *node =
            p != NULL ? arena_printf(g->arena,
                                     "{\"type\":\"prim.%s\",\"data\":{\"span\":"
                                     "0,\"ty\":%lu,\"a\":%zu,\"b\":%zu}}",
                                     kind, strtoul(p + 5, NULL, 10), last, last)
                      : arena_printf(g->arena,
                                     "{\"type\":\"tirx.%s\",\"data\":{\"span\":"
                                     "0,\"dtype\":\"%s\",\"a\":%zu,\"b\":%zu}}",
                                     kind, dtype, last, last);
        vec_push(&g->nodes, node);
        last = g->nodes.len - 1;
    }
    size_t old = g->nodes.len - n;
    for (int tries = 0; tries < 4; tries++) {
        size_t at_node = (size_t)gen_below(b, old);
        for (size_t k = at_node; k < old; k++) {
            const char *at = number_in(g->nodes.items[k], 1 + gen_below(b, 3));
            if (at == NULL || strtoul(at, NULL, 10) != base)
                continue;
            put_in(g, k, at, digits(at), arena_printf(g->arena, "%zu", last));
            return;
        }
    }
}

/* An array that names one node again and again. */
static void repeat(struct graph *g, struct gen_bytes *b)
{
    size_t n = hostile_count(b, 20000);
    for (int i = 0; i < 60; i++) {
        size_t k = some_node(g, b);
        const char *p = strstr(g->nodes.items[k], "\"data\":[");
        if (p == NULL || !is_digit(p[8]))
            continue;
        struct buf list = {0};
        for (size_t j = 0; j < n; j++)
            buf_printf(&list, "%.*s,", (int)digits(p + 8), p + 8);
        put_in(g, k, p + 8, 0, buf_text(&list));
        buf_fini(&list);
        return;
    }
}

static void number(struct graph *g, struct gen_bytes *b)
{
    static const char *const odd[] = {"-1",
                                      "null",
                                      "true",
                                      "1e400",
                                      "1.5",
                                      "\"7\"",
                                      "[]",
                                      "{}",
                                      "-0",
                                      "NaN",
                                      "18446744073709551616",
                                      "0.0",
                                      "\"\""};
    size_t k = some_node(g, b);
    const char *at = number_in(g->nodes.items[k], gen_below(b, 1000));
    if (at == NULL)
        return;
    const char *by =
        gen_chance(b, 1, 2)
            ? hostile_pick(b, odd)
            : arena_printf(g->arena, "%lld", (long long)hostile_number(b));
    put_in(g, k, at, digits(at), by);
}

static void string(struct graph *g, struct gen_bytes *b)
{
    static const char *const odd[] = {"",
                                      "float32",
                                      "int32",
                                      "int64",
                                      "handle",
                                      "bool",
                                      "float32x4",
                                      "float32x65536",
                                      "int0",
                                      "int999",
                                      "uint64",
                                      "bfloat16",
                                      "float8_e4m3fn",
                                      "float4_e2m1fn",
                                      "vscalex4",
                                      "float32xvscalex4",
                                      "global",
                                      "shared",
                                      "local",
                                      "main",
                                      "tirx.Var",
                                      "tirx.For",
                                      "ffi.Array",
                                      "ffi.Map",
                                      "int",
                                      "None",
                                      "ir.IntImm",
                                      "relax.expr.Call",
                                      "tirx.exp",
                                      "threadIdx.x",
                                      "\\u0000",
                                      "\\u001b[31m",
                                      "../../x",
                                      "/tmp/x",
                                      "%s%n"};
    size_t k = some_node(g, b);
    const char *node = g->nodes.items[k];
    size_t n = 0;
    for (const char *p = strchr(node, '"'); p != NULL;
         p = strchr(string_end(p), '"'))
        n++;
    if (n == 0)
        return;
    uint64_t which = gen_below(b, n);
    const char *p = strchr(node, '"');
    for (uint64_t i = 0; i < which; i++)
        p = strchr(string_end(p), '"');
    const char *by = gen_chance(b, 1, 3) ? type_of(g, some_node(g, b))
                                         : hostile_pick(b, odd);
    put_in(g, k, p, (size_t)(string_end(p) - p),
           arena_printf(g->arena, "\"%s\"", by));
}

static void exchange(struct graph *g, struct gen_bytes *b)
{
    size_t i = some_node(g, b), j = like(g, b, i);
    const char *node = g->nodes.items[i];
    g->nodes.items[i] = g->nodes.items[j];
    if (gen_chance(b, 1, 2))
        g->nodes.items[j] = node;
}

static void drop(struct graph *g, struct gen_bytes *b)
{
    size_t k = some_node(g, b);
    const char *node = g->nodes.items[k];
    const char *comma = strchr(node, ',');
    if (gen_chance(b, 1, 4) || comma == NULL) {
        g->nodes.items[k] = "{}";
        return;
    }
    /* a field, at one of its commas */
    for (uint64_t n = gen_below(b, 6); n > 0 && strchr(comma + 1, ','); n--)
        comma = strchr(comma + 1, ',');
    put_in(g, k, comma, (size_t)(value_end(comma + 1) - comma),
           gen_chance(b, 1, 2) ? "" : ",\"span\":0");
}

static void root(struct graph *g, struct gen_bytes *b)
{
    const char *at = number_in(g->head, 0);
    if (at != NULL)
        g->head =
            arena_printf(g->arena, "%.*s%lld%s", (int)(at - g->head), g->head,
                         gen_chance(b, 1, 2) ? (long long)some_node(g, b)
                                             : (long long)hostile_number(b),
                         at + digits(at));
}

void hostile_graph_edit(struct buf *text, struct gen_bytes *bytes,
                        struct buf *label)
{
    static const struct {
        const char *name;
        void (*edit)(struct graph *, struct gen_bytes *);
    } edits[] = {{"reference", redirect},
                 {"reference", redirect},
                 {"reference", redirect},
                 {"reference", redirect},
                 {"references", redirect_all},
                 {"references", redirect_all},
                 {"tower", tower},
                 {"tower", tower},
                 {"repeated", repeat},
                 {"number", number},
                 {"number", number},
                 {"string", string},
                 {"string", string},
                 {"exchanged", exchange},
                 {"exchanged", exchange},
                 {"dropped", drop},
                 {"root", root}};
    struct graph g = {.arena = arena_new()};
    if (cut(&g, buf_text(text))) {
        for (uint64_t n = 1 + gen_below(bytes, 4); n > 0; n--) {
            size_t k = (size_t)gen_below(bytes, DC_ARRAY_LEN(edits));
            edits[k].edit(&g, bytes);
            buf_printf(label, "node: %s; ", edits[k].name);
        }
        join(&g, text);
    }
    vec_fini(&g.nodes);
    arena_free(g.arena);
}
