/* SPDX-License-Identifier: Apache-2.0
 *
 * Names run no code: programs emitted under strange names are those under tame
 * ones but for a renaming (fuzz/names.h), and what such a name says is not
 * compiled. The macros and functions of the headers are asked of the compiler
 * that is there.
 */
#include "diff/emit/emit.h"
#include "diff/harness/process.h"
#include "fuzz/gen.h"
#include "fuzz/names.h"
#include "tests/test.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GENERATED 24 /* pairs */

static const char *const languages[] = {"C", "OpenCL", "CUDA"};

static struct ir_module *module_of(const char *text)
{
    struct diag_sink *sink = diag_sink_new();
    struct buf shown = {0};
    struct ir_module *m = ir_read(text, strlen(text), "test.py", sink);
    diag_render(sink, false, &shown);
    if (m == NULL)
        fail_msg("%s", buf_text(&shown));
    buf_fini(&shown);
    diag_sink_free(sink);
    return m;
}

/* All languages, with as many sets of names. Number of texts compared. */
static size_t check(struct ir_module *m, const char *label, size_t rounds)
{
    size_t n = 0;
    for (size_t language = 0; language < DC_ARRAY_LEN(languages); language++) {
        struct buf why = {0};
        n += names_check(m, (enum emit_language)language,
                         hash_bytes(language, label, strlen(label)), rounds,
                         &why);
        if (why.len > 0)
            fail_msg("%s in %s: %s", label, languages[language],
                     buf_text(&why));
        buf_fini(&why);
    }
    return n;
}

/* ---- the same program ------------------------------------------------------------------- */

static const char script[] =
    "from tvm.script import tir as T\n"
    "@T.prim_func\n"
    "def main(A: T.Buffer((4, 8), \"float32\"), C: T.Buffer((4,), "
    "\"float32\"),\n"
    "         s: T.int32):\n"
    "    assert s < 100, \"message\"\n"
    "    B = T.alloc_buffer((4, 8), \"float32\")\n"
    "    v: T.int32 = s + 1\n"
    "    for i, j in T.grid(4, 8):\n"
    "        with T.block(\"copy\"):\n"
    "            vi, vj = T.axis.remap(\"SS\", [i, j])\n"
    "            B[vi, vj] = A[vi, vj] + T.Cast(\"float32\", v)\n"
    "    for i, j in T.grid(4, 8):\n"
    "        with T.block(\"sum\"):\n"
    "            vi, vj = T.axis.remap(\"SR\", [i, j])\n"
    "            with T.init():\n"
    "                C[vi] = T.float32(0)\n"
    "            C[vi] = C[vi] + B[vi, vj]\n";

/* A message of an assertion, a let, a reduction, an allocation. */
static void one_program_keeps_its_text(void **state)
{
    struct ir_module *m = module_of(script);
    (void)state;
    assert_int_equal(check(m, "script", 50), 150);
    ir_module_free(m);
}

static void generated_programs_keep_their_text(void **state)
{
    const struct gen_options options = gen_small_options();
    size_t n = 0;
    (void)state;
    for (uint64_t seed = 0; seed < GENERATED; seed++) {
        struct gen_pair pair;
        char label[32];
        gen_pair_init(&pair, NULL, 0, seed, &options);
        snprintf(label, sizeof label, "pair %d", (int)seed);
        n += check(pair.untuned, label, 3);
        n += check(pair.tuned, label, 3);
        gen_pair_fini(&pair);
    }
    assert_true(n > GENERATED * 6);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static bool is_module(const char *name)
{
    size_t n = strlen(name);
    return (n > 3 && strcmp(name + n - 3, ".py") == 0) ||
           (n > 10 && strcmp(name + n - 10, "tuned.json") == 0);
}

/* Modules of a folder, every so many-th. */
static size_t check_folder(const char *folder, size_t every, size_t *seen)
{
    struct dirent **entries = NULL;
    int n = scandir(folder, &entries, NULL, by_name);
    size_t compared = 0;
    for (int i = 0; i < n; i++) {
        struct buf path = {0};
        const char *name = entries[i]->d_name;
        buf_printf(&path, "%s/%s", folder, name);
        struct ir_module *m = NULL;
        if (is_module(name) && (*seen)++ % every == 0)
            m = ir_read_file(buf_text(&path), NULL);
        else if (strchr(name, '.') == NULL) /* a folder */
            compared += check_folder(buf_text(&path), every, seen);
        if (m != NULL)
            compared += check(m, buf_text(&path), 2);
        ir_module_free(m);
        buf_fini(&path);
        free(entries[i]);
    }
    free(entries);
    return compared;
}

static void corpora_keep_their_text(void **state)
{
    size_t seen = 0;
    (void)state;
    assert_true(check_folder("corpora/litmus", 1, &seen) > 300);
    assert_true(check_folder("corpora/pairs", 3, &seen) > 300);
}

/* ---- the comparison can fail ----------------------------------------------------------- */

static void comparison_sees_faults(void **state)
{
    static const struct {
        const char *tame, *other, *why; /* NULL: the same program */
    } rows[] = {
        {"int f(int zq1) { return zq1; }", "int f(int a) { return a; }", NULL},
        {"int f(int zq1) { return zq1; } /* zq1 */",
         "int f(int a) { return a; } /* \\ */", NULL},
        {"f(\"zq1\");", "f(\"a\\\"); g(\\\"\");", NULL},
        {"int f(int zq1) { int x = zq1; }", "int f(int x) { int x = x; }",
         "'x' stands for 'x'"},
        {"f(zq1, zq2);", "f(a, a);", "'zq2' stands for 'a'"},
        {"f(zq1, zq1);", "f(a, b);", "'zq1' stands for 'b'"},
        {"abs(zq1);", "abs_1(a);", "'abs' became 'abs_1'"},
        {"int zq1; /* zq1 */", "int a; /* */ b; /* */", "became"},
        {"int zq1; /* zq1 */", "int a; /* a /* */", "holds another"},
        {"f(\"zq1\");", "f(\"a\"); g(\"\");", "became"},
        {"f(\"zq1\");", "f(\"a\n\");", "a literal"},
        {"zq1;", "a\\\nb;", "a backslash"},
        {"zq1; /* ? */", "a; /* ?\?/ */", "a trigraph"},
        {"zq1; /* zq1 */", "a; /* \x1b[1m */", "byte 1b"},
        {"zq1; /* zq1 */", "a; /* \xc2\x9b */", "byte c2"},
        {"zq1;", "a; // b", "end of the line"},
        {"zq1 + 1;", "a + 2;", "'1' became '2'"},
        {"s = \"__kernel void zq1();\\n\";", "s = \"__kernel int a();\\n\";",
         "'void' became 'int'"},
    };
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(rows); i++) {
        struct buf why = {0};
        bool same = names_same_program(rows[i].tame, rows[i].other, &why);
        if (same != (rows[i].why == NULL) ||
            (!same && strstr(buf_text(&why), rows[i].why) == NULL))
            fail_msg("row %zu: %s", i, buf_text(&why));
        buf_fini(&why);
    }
}

/* ---- words that become code are from closed lists ------------------------------------------ */

struct change {
    const char *scope, *operand; /* in place of the one that is there */
};

static bool change_stmt(void *user, struct ir_stmt *s)
{
    struct change *c = user;
    for (size_t i = 0; s->kind == IR_BLOCK && i < s->u.block->nallocs; i++) {
        struct ir_buffer *b = s->u.block->allocs[i];
        if (c->scope != NULL && strncmp(b->scope, "wmma.", 5) == 0)
            b->scope = c->scope;
    }
    if (s->kind == IR_ALLOC && c->scope != NULL &&
        strncmp(s->u.alloc.buffer->scope, "wmma.", 5) == 0)
        s->u.alloc.buffer->scope = c->scope;
    return true;
}

static bool change_expr(void *user, struct ir_expr *e)
{
    struct change *c = user;
    if (e->kind == IR_STRING_IMM && c->operand != NULL)
        e->u.string.text = c->operand;
    return true;
}

/* The message of the refusal; NULL: it is emitted. */
static char *refusal(const char *path, struct change c,
                     enum emit_language language)
{
    struct diag_sink *sink = diag_sink_new();
    struct ir_module *m = ir_read_file(path, sink);
    struct emit_options options = {.main_program = true, .language = language};
    struct ir_visitor v = {change_stmt, change_expr, &c};
    struct buf text = {0}, why = {0};
    assert_non_null(m);
    ir_visit_stmt(&v, m->funcs[0]->prim.body);
    if (!emit_c(m, m->funcs[0], &options, &text, sink))
        buf_puts(&why, diag_at(sink, 0)->message);
    buf_fini(&text);
    ir_module_free(m);
    diag_sink_free(sink);
    return why.data;
}

static void foreign_words_are_refused(void **state)
{
    static const char load[] = "corpora/litmus/g34-wmma-load-right.py";
    static const struct change none = {NULL, NULL};
    static const struct change layout = {NULL, "row_major, x"};
    static const struct change scope = {"wmma.accumulator, 1> x; //", NULL};
    (void)state;
    for (size_t l = 0; l < DC_ARRAY_LEN(languages); l++) {
        assert_null(refusal(load, none, (enum emit_language)l));
        char *why = refusal(load, layout, (enum emit_language)l);
        assert_non_null(why);
        assert_non_null(strstr(why, "the layout 'row_major, x'"));
        dc_release(why);
    }
    char *why = refusal(load, scope, EMIT_CUDA);
    assert_non_null(why);
    assert_non_null(strstr(why, "a fragment in scope 'wmma.accumulator, 1>"));
    dc_release(why);
}

/* ---- what a compiler says --------------------------------------------------------------------- */

struct place {
    char folder[64];
    char source[96], out[96];
    struct arena *arena;
    char *compiler; /* NULL: none */
};

static void place_init(struct place *p)
{
    snprintf(p->folder, sizeof p->folder, "/tmp/diffcheck-names-XXXXXX");
    assert_non_null(mkdtemp(p->folder));
    snprintf(p->source, sizeof p->source, "%s/a.c", p->folder);
    snprintf(p->out, sizeof p->out, "%s/out", p->folder);
    p->arena = arena_new();
    p->compiler = diff_program_find("gcc", p->arena);
    if (p->compiler == NULL)
        p->compiler = diff_program_find("cc", p->arena);
}

static void place_fini(struct place *p)
{
    (void)unlink(p->source);
    (void)unlink(p->out);
    (void)rmdir(p->folder);
    arena_free(p->arena);
}

static bool run(const char *const *argv, struct buf *why)
{
    struct diff_process process = {.argv = argv, .limits = {.wall_s = 600}};
    struct diff_ended ended;
    diff_process_run(&process, &ended);
    bool fine = diff_ended_well(&ended);
    if (!fine)
        diff_ended_put(why, &ended);
    diff_ended_fini(&ended);
    return fine;
}

/* What the compiler makes of the text: under "-E -dD" its words, under "-c" an
 * object, else a program. */
static bool build(struct place *p, const char *text, const char *how,
                  const char *more, struct buf *why)
{
    const char *const argv[] = {
        p->compiler, "-std=gnu11", "-D_GNU_SOURCE", "-w",  "-x", "c", how, more,
        p->source,   "-o",         p->out,          "-lm", NULL};
    assert_true(file_write(p->source, text, strlen(text), NULL));
    return run(argv, why);
}

/* A module with n loops, in each of which the functions stand that a loop's
 * name could hide; n / 8 tensors. */
static struct ir_module *wide_module(size_t n)
{
    struct buf text = {0};
    buf_puts(&text, "from tvm.script import tir as T\n"
                    "@T.prim_func\ndef main(");
    for (size_t i = 0; i < n / 8 + 1; i++)
        buf_printf(&text, "p%zu: T.Buffer((4,), \"float32\"), ", i);
    buf_puts(&text, "s: T.int32):\n");
    for (size_t i = 0; i < n; i++)
        buf_printf(&text,
                   "    for i%zu in range(4):\n"
                   "        p%zu[i%zu] = T.exp(p0[i%zu]) + T.sqrt(p0[i%zu]) + "
                   "T.Cast(\"float32\", T.floordiv(s, i%zu - 9))\n",
                   i, i / 8, i, i, i, i);
    struct ir_module *m = module_of(buf_text(&text));
    buf_fini(&text);
    return m;
}

static void emit(const struct ir_module *m, struct buf *out)
{
    struct emit_options options = {.main_program = true};
    struct diag_sink *sink = diag_sink_new();
    if (!emit_c(m, m->funcs[0], &options, out, sink))
        fail_msg("%s", diag_at(sink, 0)->message);
    diag_sink_free(sink);
}

static const char *give_word(void *user, size_t object, struct arena *arena)
{
    const struct names_words *words = user;
    (void)arena;
    return words->list.items[object % words->list.len];
}

static bool by_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* All words of a text, each once in a sorted list. */
static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void all_words(const char *text, struct arena *arena,
                      struct names_words *words)
{
    for (const char *p = text; *p != '\0';) {
        size_t n = 0;
        while (by_letter(p[n]) || (n > 0 && p[n] >= '0' && p[n] <= '9'))
            n++;
        if (n > 0)
            vec_push(&words->list, arena_strndup(arena, p, n));
        p += n > 0 ? n : 1;
    }
    qsort(words->list.items, words->list.len, sizeof *words->list.items,
          by_text);
    size_t kept = 0;
    for (size_t i = 0; i < words->list.len; i++)
        if (kept == 0 ||
            strcmp(words->list.items[kept - 1], words->list.items[i]) != 0)
            words->list.items[kept++] = words->list.items[i];
    words->list.len = kept;
}

/* Whatever word the headers hold or define, a loop may have it. */
static void words_of_headers_compile(void **state)
{
    struct place p;
    struct buf first = {0}, words_text = {0}, text = {0}, why = {0};
    struct names_words words = {0};
    (void)state;
    place_init(&p);
    if (p.compiler == NULL) {
        place_fini(&p);
        skip();
    }
    struct ir_module *m = wide_module(1);
    emit(m, &first);
    ir_module_free(m);
    assert_true(build(&p, buf_text(&first), "-E", "-dD", &why));
    assert_true(file_read(p.out, 0, &words_text, NULL));
    all_words(buf_text(&words_text), p.arena, &words);
    assert_true(words.list.len > 1000);
    m = wide_module(words.list.len);
    names_set(m, give_word, &words);
    emit(m, &text);
    if (!build(&p, buf_text(&text), "-c", "-O0", &why))
        fail_msg("%s", buf_text(&why));
    ir_module_free(m);
    vec_fini(&words.list);
    buf_fini(&first);
    buf_fini(&words_text);
    buf_fini(&text);
    buf_fini(&why);
    place_fini(&p);
}

/* Each would not compile, or would end the program with status 7, if a part of
 * it were code. */
static const char *const canaries[] = {
    "*/ _Static_assert(0, \"escaped\"); /*",
    "*/ __attribute__((constructor)) static void f(void) { _Exit(7); } /*",
    "a\n_Static_assert(0, \"escaped\");",
    "a \\\n */ _Static_assert(0, \"escaped\"); /*",
    "?\?/\n*/ _Static_assert(0, \"escaped\"); /*",
    "\"); _Static_assert(0, \"escaped\"); (\"",
    "*\\\n/ _Static_assert(0, \"escaped\"); /*",
    "#error escaped",
    "\n#error escaped\n",
    "//\n_Static_assert(0, \"escaped\");",
    "%n%s*/*/ escaped /*",
};

static const char *give_canary(void *user, size_t object, struct arena *arena)
{
    (void)user;
    (void)arena;
    return canaries[object % DC_ARRAY_LEN(canaries)];
}

static void names_run_no_code(void **state)
{
    struct place p;
    struct buf text = {0}, why = {0};
    (void)state;
    place_init(&p);
    if (p.compiler == NULL) {
        place_fini(&p);
        skip();
    }
    struct ir_module *m = module_of(script);
    for (size_t i = 0; i < DC_ARRAY_LEN(canaries); i++) {
        const char *const program[] = {p.out, NULL};
        const char *rest[DC_ARRAY_LEN(canaries)];
        for (size_t k = 0; k < DC_ARRAY_LEN(canaries); k++)
            rest[k] = canaries[(i + k) % DC_ARRAY_LEN(canaries)];
        struct names_words words = {{(const char **)rest, 1, 0}};
        names_set(m, give_word, &words); /* one name for all */
        buf_fini(&text);
        emit(m, &text);
        if (!build(&p, buf_text(&text), "-O0", "-g0", &why) ||
            !run(program, &why))
            fail_msg("canary %zu: %s", i, buf_text(&why));
    }
    names_set(m, give_canary, NULL);
    buf_fini(&text);
    emit(m, &text);
    assert_true(build(&p, buf_text(&text), "-O0", "-g0", &why));
    /* and they would be seen */
    buf_printf(&text, "/* %s */\n", canaries[0]);
    assert_false(build(&p, buf_text(&text), "-O0", "-g0", &why));
    assert_non_null(strstr(buf_text(&why), "escaped"));
    ir_module_free(m);
    buf_fini(&text);
    buf_fini(&why);
    place_fini(&p);
}

/* Names of the program that are made from the function's. */
static void names_of_the_program_stay(void **state)
{
    struct emit_options options = {.main_program = true,
                                   .language = EMIT_OPENCL};
    struct buf text = {0};
    struct ir_module *m =
        module_of("@T.prim_func\n"
                  "def main(A: T.Buffer((4,), \"int32\"), kernel_main_source: "
                  "T.int32, kernel_main_entry: T.int32, bytes_0: T.int32):\n"
                  "    for i in range(4):\n"
                  "        A[i] = kernel_main_source + kernel_main_entry + "
                  "bytes_0\n");
    (void)state;
    assert_true(emit_c(m, m->funcs[0], &options, &text, NULL));
    assert_non_null(
        strstr(buf_text(&text), "device_begin(kernel_main_source)"));
    assert_non_null(strstr(buf_text(&text), "int32_t kernel_main_source_1 ="));
    assert_non_null(strstr(buf_text(&text), "int32_t kernel_main_entry_1 ="));
    assert_non_null(strstr(buf_text(&text), "size_t bytes_0_1 ="));
    ir_module_free(m);
    buf_fini(&text);
}

/* Many objects of one name take no more than some tries each. */
static void namesakes_are_told_apart(void **state)
{
    static const char *same[] = {"x"};
    struct names_words words = {{same, 1, 0}};
    struct ir_module *m = wide_module(20000);
    struct buf text = {0};
    (void)state;
    names_set(m, give_word, &words);
    emit(m, &text);
    assert_non_null(strstr(buf_text(&text), "x_20000"));
    ir_module_free(m);
    buf_fini(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comparison_sees_faults),
        cmocka_unit_test(one_program_keeps_its_text),
        cmocka_unit_test(generated_programs_keep_their_text),
        cmocka_unit_test(corpora_keep_their_text),
        cmocka_unit_test(foreign_words_are_refused),
        cmocka_unit_test(words_of_headers_compile),
        cmocka_unit_test(names_run_no_code),
        cmocka_unit_test(names_of_the_program_stay),
        cmocka_unit_test(namesakes_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
