/* SPDX-License-Identifier: Apache-2.0
 *
 * The TVM JSON reader: malformed files (what the message says and where), the
 * eras (three spellings of the same module must be the same module), limits,
 * and the real data: every module there loads. What the modules then mean is
 * judged by TVM itself, in tests/tvm.
 */
#include "ir/base/json.h"
#include "ir/base/limits.h"
#include "ir/ir.h"
#include "tests/test.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- malformed files ------------------------------------------------------------ */

#define MALFORMED "corpora/malformed/tvmjson/"

struct fault {
    const char *file;
    const char *path;    /* JSON path of the message; NULL: a syntax error */
    const char *message; /* a part of it */
};

// clang-format off
static const struct fault faults[] = {
    {"array-element-null", "/nodes/13/data/0", "expected an expression, found null"},
    {"array-index-out-of-range", "/nodes/13/data/0", "no node 77"},
    {"buffer-expected", "/nodes/14/data/source", "expected a buffer, found 'ir.FloatImm'"},
    {"cycle-buffer", "/nodes/12", "contains itself"},
    {"cycle-expression", "/nodes/16", "this expression contains itself"},
    {"dtype-is-number", "/nodes/1/data/dtype", "expected a dtype text, found number"},
    {"duplicate-key", NULL, "duplicate key 'a'"},
    {"expression-as-statement", "/nodes/23/data/body", "expected a statement, found 'prim.Add'"},
    {"field-missing", "/nodes/16/data/b", "no such field"},
    {"field-null", "/nodes/16/data/b", "expected an expression, found null"},
    {"index-is-real", "/nodes/16/data/a", "expected the index of a node"},
    {"index-is-text", "/nodes/16/data/a", "expected the index of a node"},
    {"index-negative", "/nodes/16/data/a", "no node -5"},
    {"index-out-of-range", "/nodes/16/data/b", "no node 1000: the file has 24 nodes"},
    {"int-value-inline", "/nodes/4/data/value", "no node 4000000"},
    {"int-value-real", "/nodes/3", "expected a 64-bit integer"},
    {"invalid-utf8", NULL, "invalid UTF-8"},
    {"lanes-huge", "/nodes/16/data/lanes", "1099511627776 lanes"},
    {"lanes-zero", "/nodes/16/data/lanes", "0 lanes"},
    {"layout", "/nodes/10/data/layout", "tile layout"},
    {"legacy-chain-cycle", "/nodes/2", "contains itself"},
    {"legacy-index", "/nodes/2/attrs/value", "no node 9"},
    {"legacy-overflow", "/nodes/3/attrs/value", "expected an integer"},
    {"legacy-relay", "/nodes/1", "found 'relay.Function'"},
    {"legacy-tensor-index", "/nodes/2/attrs/data", "no tensor 3: the file has 0"},
    {"legacy-type-key-number", "/nodes/3", "node without a 'type_key' text"},
    {"legacy-value-not-number", "/nodes/3/attrs/value", "expected an integer"},
    {"loop-kind", "/nodes/17/data/kind", "unknown loop kind 9"},
    {"loop-over-buffer", "/nodes/17/data/loop_var", "found a buffer"},
    {"map-as-array", "/nodes/23/data/params", "expected an array, found 'ffi.Map'"},
    {"map-odd", "/nodes/19", "pairs of key and value"},
    {"no-nodes", "/nodes", "expected an array of nodes"},
    {"no-root", "/", "no 'root_index'"},
    {"node-not-object", "/nodes/15", "expected a node object, found number"},
    {"node-without-type", "/nodes/15", "node without a 'type' text"},
    {"params-null", "/nodes/18/data/0", "expected a parameter, found null"},
    {"root-negative", "/root_index", "expected the index of a node"},
    {"root-not-a-module", "/nodes/16", "expected a module or a function"},
    {"root-out-of-range", "/root_index", "expected the index of a node"},
    {"statement-as-expression", "/nodes/17/data/value", "found 'tirx.BufferStore'"},
    {"strides-mismatch", "/nodes/10/data/strides", "2 strides for 1 dimensions"},
    {"string-expected", "/nodes/12/data/name", "expected a text"},
    {"tensor-base64", "/nodes/24", "no base64"},
    {"tensor-magic", "/nodes/24", "header"},
    {"tensor-negative", "/nodes/24", "does not match its shape"},
    {"tensor-shape", "/nodes/24", "does not match its shape"},
    {"tensor-short", "/nodes/24", "does not match its shape"},
    {"truncated", NULL, ""},
    {"truth-of-2", "/nodes/99/data/is_pure", "expected true or false, found number"},
    {"unknown-dtype", "/nodes/1/data/dtype", "unknown dtype 'float33'"},
    {"unknown-expression", "/nodes/17/data/value", "'prim.Frobnicate', an unknown node type"},
    {"unknown-statement", "/nodes/23/data/body", "'tirx.TilePrimitiveCall' is not supported"},
};
// clang-format on

static void test_fault(void **state)
{
    const struct fault *f = *state;
    struct buf path = {0};
    struct diag_sink *sink = diag_sink_new();
    buf_printf(&path, MALFORMED "%s.json", f->file);
    assert_null(ir_read_file(buf_text(&path), sink));
    assert_int_equal(diag_error_count(sink), 1);
    const struct diag *d = diag_at(sink, 0);
    assert_string_equal(d->file, buf_text(&path));
    assert_non_null(strstr(d->message, f->message));
    if (f->path) {
        assert_non_null(d->path);
        assert_string_equal(d->path, f->path);
    } else {
        assert_true(d->line > 0);
    }
    diag_sink_free(sink);
    buf_fini(&path);
}

/* Each file in the folder has its row: none is forgotten. */
static void test_all_faults_listed(void **state)
{
    (void)state;
    size_t files = 0;
    DIR *dir = opendir(MALFORMED);
    assert_non_null(dir);
    for (const struct dirent *e = readdir(dir); e; e = readdir(dir))
        files += strstr(e->d_name, ".json") != NULL;
    closedir(dir);
    assert_int_equal(files, DC_ARRAY_LEN(faults));
}

/* ---- limits ----------------------------------------------------------------------- */

/* An era F function that evaluates node `root`, after `extra` nodes from 4. */
static struct ir_module *read_expr(const char *extra, unsigned root,
                                   struct diag_sink *sink)
{
    struct buf text = {0};
    buf_puts(&text,
             "{\"root_index\": 3, \"nodes\": [{\"type\": \"None\"},"
             "{\"type\": \"ir.PrimType\", \"data\": {\"dtype\": \"int32\"}},");
    buf_printf(&text,
               "{\"type\": \"tirx.Evaluate\", \"data\": {\"value\": %u}},"
               "{\"type\": \"tirx.PrimFunc\", \"data\": {\"params\": 0,"
               "\"body\": 2}},"
               "{\"type\": \"int\", \"data\": 1},"
               "{\"type\": \"ir.IntImm\", \"data\": {\"ty\": 1, \"value\": 4}}"
               "%s]}",
               root, extra);
    struct ir_module *m =
        ir_read(buf_text(&text), text.len, "generated.json", sink);
    buf_fini(&text);
    return m;
}

/* n additions, node 6 + i of node 5 + i and `other`. */
static void additions(struct buf *out, unsigned n, bool twice)
{
    for (unsigned i = 0; i < n; i++)
        buf_printf(out,
                   ",{\"type\": \"prim.Add\", \"data\": {\"ty\": 1, \"a\": "
                   "%u, \"b\": %u}}",
                   5 + i, twice ? 5 + i : 5);
}

static void test_deep(void **state)
{
    (void)state;
    static const struct {
        unsigned n;
        bool fits;
    } cases[] = {
        {DC_MAX_DEPTH / 2, true}, {DC_MAX_DEPTH + 1, false}, {10000, false}};
    for (size_t i = 0; i < DC_ARRAY_LEN(cases); i++) {
        struct buf text = {0};
        struct diag_sink *sink = diag_sink_new();
        additions(&text, cases[i].n, false);
        struct ir_module *m = read_expr(buf_text(&text), 5 + cases[i].n, sink);
        assert_int_equal(m != NULL, cases[i].fits);
        if (!m) {
            assert_non_null(strstr(diag_at(sink, 0)->message, "nested"));
            assert_string_equal(diag_at(sink, 0)->code, "read.limit");
        }
        ir_module_free(m);
        diag_sink_free(sink);
        buf_fini(&text);
    }
}

/* 60 doublings: 2^60 nodes as a tree from a few kilobytes. */
static void test_blow_up(void **state)
{
    (void)state;
    struct buf text = {0};
    struct diag_sink *sink = diag_sink_new();
    additions(&text, 60, true);
    assert_null(read_expr(buf_text(&text), 65, sink));
    assert_non_null(strstr(diag_at(sink, 0)->message, "unfolded"));
    diag_clear(sink);
    text.len = 0;
    additions(&text, 10, true);
    struct ir_module *m = read_expr(buf_text(&text), 15, sink);
    assert_non_null(m);
    const struct ir_expr *e = m->funcs[0]->prim.body->u.value;
    assert_int_equal(e->size, 2047); /* 2^11 - 1 */
    assert_ptr_equal(e->args[0], e->args[1]);
    ir_module_free(m);
    diag_sink_free(sink);
    buf_fini(&text);
}

/* Depth that no recursion of the reader reaches: the array names the deep
 * expressions in order, each is decoded from memory of the one before. */
static void test_deep_by_memory(void **state)
{
    (void)state;
    struct buf text = {0};
    struct diag_sink *sink = diag_sink_new();
    const unsigned n = 2 * DC_MAX_DEPTH;
    additions(&text, n, false);
    buf_puts(&text, ",{\"type\": \"ffi.Array\", \"data\": [5");
    for (unsigned i = 0; i < n; i++)
        buf_printf(&text, ",%u", 6 + i);
    buf_puts(&text, "]},{\"type\": \"ir.Op\", \"data\": \"tirx.f\"},");
    buf_printf(&text,
               "{\"type\": \"ir.Call\", \"data\": {\"ty\": 1, \"op\": %u, "
               "\"args\": %u, \"attrs\": 0}}",
               n + 7, n + 6);
    assert_null(read_expr(buf_text(&text), n + 8, sink));
    assert_non_null(strstr(diag_at(sink, 0)->message, "nested"));
    diag_sink_free(sink);
    buf_fini(&text);
}

static void test_huge_string(void **state)
{
    (void)state;
    struct buf text = {0};
    struct diag_sink *sink = diag_sink_new();
    buf_puts(&text, ",{\"type\": \"ffi.String\", \"data\": \"");
    for (size_t i = 0; i < 4u << 20; i++)
        buf_putc(&text, 'x');
    buf_puts(&text, "\"},{\"type\": \"ir.StringImm\", \"data\": {\"value\": "
                    "6}}");
    struct ir_module *m = read_expr(buf_text(&text), 7, sink);
    assert_non_null(m);
    const struct ir_expr *e = m->funcs[0]->prim.body->u.value;
    assert_int_equal(strlen(e->u.string.text), 4u << 20);
    ir_module_free(m);
    diag_sink_free(sink);
    buf_fini(&text);
}

/* ---- numbers that JSON readers like to lose -------------------------------------- */

static void test_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *node;
        int64_t integer;
    } ints[] = {
        {"9223372036854775807", INT64_MAX},
        {"-9223372036854775808", INT64_MIN},
        {"9007199254740993", 9007199254740993}, /* 2^53 + 1 */
    };
    for (size_t i = 0; i < DC_ARRAY_LEN(ints); i++) {
        struct buf text = {0};
        buf_printf(&text,
                   ",{\"type\": \"int\", \"data\": %s},{\"type\": "
                   "\"ir.IntImm\", \"data\": {\"ty\": 1, \"value\": 6}}",
                   ints[i].node);
        struct ir_module *m = read_expr(buf_text(&text), 7, NULL);
        assert_non_null(m);
        assert_true(m->funcs[0]->prim.body->u.value->u.int_value ==
                    ints[i].integer);
        ir_module_free(m);
        buf_fini(&text);
    }
    static const char *const reals[] = {"NaN", "Infinity", "-Infinity"};
    for (size_t i = 0; i < DC_ARRAY_LEN(reals); i++) {
        struct buf text = {0};
        buf_printf(&text,
                   ",{\"type\": \"ir.FloatImm\", \"data\": {\"ty\": 1, "
                   "\"value\": %s}}",
                   reals[i]);
        struct ir_module *m = read_expr(buf_text(&text), 6, NULL);
        assert_non_null(m);
        double v = m->funcs[0]->prim.body->u.value->u.float_value;
        assert_int_equal(v != v, i == 0);
        if (i > 0)
            assert_true(i == 1 ? v > 1e308 : v < -1e308);
        ir_module_free(m);
        buf_fini(&text);
    }
}

/* ---- eras ---------------------------------------------------------------------------- */

static struct ir_module *must_read(const char *path)
{
    struct diag_sink *sink = diag_sink_new();
    struct ir_module *m = ir_read_file(path, sink);
    if (!m) {
        struct buf text = {0};
        diag_render(sink, false, &text);
        fail_msg("%s", buf_text(&text));
    }
    assert_int_equal(diag_error_count(sink), 0);
    diag_sink_free(sink);
    return m;
}

static void must_equal(const struct ir_module *a, const struct ir_module *b)
{
    struct buf where = {0};
    if (!ir_module_equal(a, b, (struct ir_equal_options){0}, &where))
        fail_msg("%s and %s: %s", a->source, b->source, buf_text(&where));
    buf_fini(&where);
}

static void test_old_eras_agree(void **state)
{
    const char *name = *state;
    static const char letters[] = "abc";
    struct ir_module *m[3];
    for (size_t i = 0; i < 3; i++) {
        struct buf path = {0};
        buf_printf(&path, "corpora/eras/%s_%c.json", name, letters[i]);
        m[i] = must_read(buf_text(&path));
        assert_int_equal(m[i]->era, (int)(IR_ERA_A + i));
        buf_fini(&path);
    }
    must_equal(m[0], m[1]);
    must_equal(m[0], m[2]);
    for (size_t i = 0; i < 3; i++)
        ir_module_free(m[i]);
}

/* Statements with bodies become flat, as the file's README describes it. */
static void test_flattened(void **state)
{
    (void)state;
    static const enum ir_stmt_kind outer[] = {
        IR_BIND, IR_ASSERT,      IR_ALLOC,       IR_ALLOC, IR_FOR,
        IR_BIND, IR_ALLOC_CONST, IR_DECL_BUFFER, IR_FOR};
    struct ir_module *m = must_read("corpora/eras/lowered_a.json");
    const struct ir_stmt *body = ir_module_find(m, "main")->prim.body;
    assert_int_equal(body->kind, IR_SEQ);
    assert_int_equal(body->u.seq.n, DC_ARRAY_LEN(outer));
    for (size_t i = 0; i < DC_ARRAY_LEN(outer); i++)
        assert_int_equal(body->u.seq.items[i]->kind, outer[i]);
    const struct ir_buffer *c = body->u.seq.items[2]->u.alloc.buffer;
    assert_string_equal(c->name, "C"); /* merged with its declaration */
    assert_string_equal(c->scope, "shared");
    assert_ptr_equal(c->data->owner, c);
    assert_true(body->u.seq.items[5]->u.bind.value->u.int_value == INT64_MAX);
    const struct ir_tensor *t = body->u.seq.items[6]->u.alloc.data;
    assert_int_equal(t->bytes, 16);
    assert_int_equal(t->data[3], 0x3f); /* 1.0f */
    const struct ir_stmt *last = body->u.seq.items[8];
    int64_t unroll;
    assert_int_equal(ir_value_find(last->u.loop.annotations, "pragma_x")->kind,
                     IR_V_EXPR);
    assert_int_equal(ir_value_find(last->u.loop.annotations, "unroll")->kind,
                     IR_V_INT);
    assert_true(ir_value_as_int(
        ir_value_find(last->u.loop.annotations, "unroll"), &unroll));
    assert_int_equal(unroll, 2);
    const struct ir_stmt *store = last->u.loop.body;
    assert_int_equal(store->u.store.indices[0]->kind, IR_BITAND);
    ir_module_free(m);
}

static void test_bare_function(void **state)
{
    (void)state;
    static const char *const files[] = {"corpora/eras/minimal_a.json",
                                        "corpora/eras/minimal_f.json"};
    for (size_t i = 0; i < DC_ARRAY_LEN(files); i++) {
        struct ir_module *m = must_read(files[i]);
        assert_true(m->bare_func);
        assert_int_equal(m->nfuncs, 1);
        assert_string_equal(m->funcs[0]->name, "main");
        ir_module_free(m);
    }
}

static void test_unknown_text(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {{"", "empty"},
                 {" \n\t ", "empty"},
                 {"\x7f"
                  "ELF\xff",
                  "machine code"},
                 {"\x01\xff", "binary"}};
    for (size_t i = 0; i < DC_ARRAY_LEN(cases); i++) {
        struct diag_sink *sink = diag_sink_new();
        assert_null(ir_read(cases[i].text, strlen(cases[i].text), "x", sink));
        assert_non_null(strstr(diag_at(sink, 0)->message, cases[i].message));
        diag_sink_free(sink);
    }
}

/* ---- real data ----------------------------------------------------------------------- */

#define DATA "../shared/data"

static bool is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static bool ends_with(const char *text, const char *end)
{
    size_t a = strlen(text), b = strlen(end);
    return a >= b && strcmp(text + a - b, end) == 0;
}

/* Calls `visit` on every file below the folder; returns how many it took. */
static size_t walk(const char *folder, size_t (*visit)(const char *path))
{
    size_t n = 0;
    DIR *dir = opendir(folder);
    if (!dir)
        return 0;
    for (const struct dirent *e = readdir(dir); e; e = readdir(dir)) {
        if (e->d_name[0] == '.')
            continue;
        struct buf path = {0};
        buf_printf(&path, "%s/%s", folder, e->d_name);
        n += is_folder(buf_text(&path)) ? walk(buf_text(&path), visit)
                                        : visit(buf_text(&path));
        buf_fini(&path);
    }
    closedir(dir);
    return n;
}

static size_t visit_module(const char *path)
{
    const char *base = strrchr(path, '/') + 1;
    if (!ends_with(base, ".json") ||
        (strncmp(base, "tuned", 5) != 0 && strncmp(base, "untuned", 7) != 0))
        return 0;
    struct ir_module *m = must_read(path);
    /* The era by content must be that of the version in the file. */
    enum ir_era era = strncmp(m->tvm_version, "0.27", 4) == 0   ? IR_ERA_F
                      : strncmp(m->tvm_version, "0.26", 4) == 0 ? IR_ERA_E
                                                                : IR_ERA_D;
    assert_int_equal(m->era, era);
    assert_true(m->nfuncs > 0);
    ir_module_free(m);
    return 1;
}

static void test_real_modules(void **state)
{
    (void)state;
    static const char *const folders[] = {DATA "/tvm", DATA "/live-bugs",
                                          DATA "/models"};
    if (!is_folder(DATA)) {
        print_message("skipped: %s not there\n", DATA);
        skip();
    }
    size_t n = 0;
    for (size_t i = 0; i < DC_ARRAY_LEN(folders); i++)
        n += walk(folders[i], visit_module);
    print_message("%zu modules read\n", n);
    assert_true(n > 1000);
}

/* One line of a workload file: ["hash", "base64 of u64 length and JSON"]. */
static void read_workload(const char *path, const char *line, size_t len)
{
    struct buf text = {0};
    struct diag_sink *sink = diag_sink_new();
    struct json_doc *doc = json_parse(line, len, path, sink);
    assert_non_null(doc);
    const struct json_value *blob = json_next(json_first(json_root(doc)));
    const char *b64 = json_string(blob);
    assert_true(base64_decode(b64, strlen(b64), &text));
    assert_true(text.len > 8);
    struct ir_module *m = ir_read(text.data + 8, text.len - 8, path, sink);
    if (!m)
        fail_msg("%s: %s", path, diag_at(sink, 0)->message);
    const struct ir_func *f = ir_module_find(m, "main");
    assert_non_null(f);
    assert_int_equal(f->kind, IR_FUNC_PRIM);
    assert_true(f->prim.nparams > 0);
    for (size_t i = 0; i < f->prim.nparams; i++)
        assert_non_null(f->prim.params[i].buffer);
    assert_int_equal(f->prim.body->kind, IR_BLOCK);
    assert_string_equal(f->prim.body->u.block->name, "root");
    if (m->tvm_version[2] == '1') /* 0.12.dev0, 0.13.dev0 */
        assert_int_equal(m->era, IR_ERA_A);
    ir_module_free(m);
    json_free(doc);
    diag_sink_free(sink);
    buf_fini(&text);
}

static size_t visit_workloads(const char *path)
{
    struct buf text = {0};
    size_t n = 0, at = 0;
    if (!ends_with(path, "database_workload.json"))
        return 0;
    assert_true(file_read(path, 0, &text, NULL));
    while (at < text.len) {
        const char *end = memchr(text.data + at, '\n', text.len - at);
        size_t len = end ? (size_t)(end - text.data) - at : text.len - at;
        if (len > 0) {
            read_workload(path, text.data + at, len);
            n++;
        }
        at += len + 1;
    }
    buf_fini(&text);
    return n;
}

/* Real files of era A: workloads of tuning databases of TVM 0.12 and 0.13. */
static void test_real_workloads(void **state)
{
    (void)state;
    if (!is_folder(DATA "/logdb")) {
        print_message("skipped: %s not there\n", DATA "/logdb");
        skip();
    }
    size_t n = walk(DATA, visit_workloads);
    print_message("%zu workloads read\n", n);
    assert_true(n >= 60);
}

int main(void)
{
    static char lowered[] = "lowered", blocks[] = "blocks";
    const struct CMUnitTest fixed[] = {
        cmocka_unit_test(test_all_faults_listed),
        cmocka_unit_test(test_deep),
        cmocka_unit_test(test_blow_up),
        cmocka_unit_test(test_deep_by_memory),
        cmocka_unit_test(test_huge_string),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test_prestate(test_old_eras_agree, lowered),
        cmocka_unit_test_prestate(test_old_eras_agree, blocks),
        cmocka_unit_test(test_flattened),
        cmocka_unit_test(test_bare_function),
        cmocka_unit_test(test_unknown_text),
        cmocka_unit_test(test_real_modules),
        cmocka_unit_test(test_real_workloads),
    };
    struct CMUnitTest rows[DC_ARRAY_LEN(faults)] = {{0}};
    for (size_t i = 0; i < DC_ARRAY_LEN(faults); i++) {
        rows[i].name = faults[i].file;
        rows[i].test_func = test_fault;
        rows[i].initial_state = (void *)(uintptr_t)&faults[i];
    }
    int failed = cmocka_run_group_tests(fixed, NULL, NULL);
    return failed + cmocka_run_group_tests_name("malformed", rows, NULL, NULL);
}
