/* SPDX-License-Identifier: Apache-2.0
 *
 * Recorded traces: ../shared/data/tvm has modules, traces, and the modules that
 * TVM 0.27 made by them. What is made here has the same loops, blocks, kinds,
 * extents, scopes and annotations, and is proved identical to TVM's. Cases in
 * which it is not are listed with reasons in recorded_expected.tsv:
 *
 *   CASE <TAB> refused | shape | proof <TAB> part of what is said <TAB> reason
 *
 * Skipped, and said so, where the data is not there.
 */
#include "schedule/recorded/recorded.h"
#include "tests/test.h"
#include "verifier/verifier.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#define ROOT     "../shared/data/tvm"
#define EXPECTED "tests/cases/recorded_expected.tsv"
#define SKIPPED  77

/* ---- what a function looks like --------------------------------------------- */

struct shape {
    struct buf text;
    unsigned depth;
};

static void put_value(struct buf *out, const struct ir_value *v)
{
    int64_t n;
    if (ir_value_as_int(v, &n)) {
        buf_printf(out, "%lld", (long long)n);
    } else if (ir_value_as_string(v)) {
        buf_put_quoted(out, ir_value_as_string(v), true);
    } else if (v->kind == IR_V_ARRAY || v->kind == IR_V_MAP) {
        buf_putc(out, '[');
        for (size_t i = 0; i < v->n; i++) {
            buf_printf(out, " %s", v->keys ? v->keys[i] : "");
            put_value(out, v->items[i]);
        }
        buf_putc(out, ']');
    } else {
        buf_printf(out, "kind %d", (int)v->kind);
    }
}

static void put_annotations(struct buf *out, const struct ir_value *map)
{
    for (size_t i = 0; map && i < map->n; i++) {
        buf_printf(out, " %s=", map->keys[i]);
        put_value(out, map->items[i]);
    }
}

static void put_block(struct buf *out, const struct ir_block *b)
{
    buf_printf(out, "block %s", b->name);
    for (size_t i = 0; i < b->niters; i++) {
        buf_printf(out, " %c", b->iters[i].type == IR_ITER_SPATIAL ? 'S' : 'R');
        ir_print_expr(b->iters[i].dom.extent, out);
    }
    buf_printf(out, "%s%s", ir_is_const_int(b->predicate, 1) ? "" : " guarded",
               b->init ? " init" : "");
    put_annotations(out, b->annotations);
    for (size_t i = 0; i < b->nallocs; i++) {
        buf_printf(out, " alloc %s", b->allocs[i]->scope);
        for (size_t d = 0; d < b->allocs[i]->rank; d++) {
            buf_putc(out, ' ');
            ir_print_expr(b->allocs[i]->shape[d], out);
        }
    }
}

static bool put_stmt(void *user, struct ir_stmt *stmt)
{
    struct shape *s = user;
    if (stmt->kind == IR_SEQ)
        return true;
    buf_printf(&s->text, "%*s", (int)(2 * s->depth), "");
    if (stmt->kind == IR_FOR) {
        buf_printf(&s->text, "%s %s ", ir_for_kind_name(stmt->u.loop.kind),
                   stmt->u.loop.thread ? stmt->u.loop.thread->thread_tag : "");
        ir_print_expr(stmt->u.loop.extent, &s->text);
        put_annotations(&s->text, stmt->u.loop.annotations);
    } else if (stmt->kind == IR_BLOCK) {
        put_block(&s->text, stmt->u.block);
    } else {
        buf_puts(&s->text, ir_stmt_kind_name(stmt->kind));
    }
    buf_putc(&s->text, '\n');
    s->depth++;
    struct ir_visitor v = {put_stmt, NULL, s};
    ir_visit_below(&v, stmt);
    s->depth--;
    return false;
}

static void put_shape(const struct ir_func *f, struct buf *out)
{
    struct shape s = {{0}, 0};
    struct ir_visitor v = {put_stmt, NULL, &s};
    ir_visit_stmt(&v, f->prim.body);
    buf_append(out, buf_text(&s.text), s.text.len);
    buf_fini(&s.text);
}

/* ---- one case -------------------------------------------------------------- */

enum { FINE, REFUSED, SHAPE, PROOF };
static const char *const words[] = {"fine", "refused", "shape", "proof"};

static struct ir_module *read_module(const char *folder, const char *name,
                                     struct diag_sink *sink)
{
    struct buf path = {0};
    buf_printf(&path, ROOT "/%s/%s", folder, name);
    struct ir_module *m = ir_read_file(buf_text(&path), sink);
    buf_fini(&path);
    if (!m || !ir_wellformed(m, sink))
        fail_msg("%s/%s: %s", folder, name, diag_at(sink, 0)->message);
    return m;
}

/* The first line in which the shapes differ. */
static bool compare_shapes(const struct ir_func *ours,
                           const struct ir_func *tvm, struct buf *said)
{
    struct buf a = {0}, b = {0};
    put_shape(ours, &a);
    put_shape(tvm, &b);
    const char *x = buf_text(&a), *y = buf_text(&b);
    bool same = strcmp(x, y) == 0;
    while (!same && *x != '\0' && *y != '\0') {
        size_t n = strcspn(x, "\n"), m = strcspn(y, "\n");
        if (n != m || strncmp(x, y, n) != 0)
            break;
        x += n + (x[n] == '\n');
        y += m + (y[m] == '\n');
    }
    if (!same)
        buf_printf(said, "'%.*s', TVM: '%.*s'", (int)strcspn(x, "\n"), x,
                   (int)strcspn(y, "\n"), y);
    buf_fini(&a);
    buf_fini(&b);
    return same;
}

static bool is_identical(const struct ir_module *ours, const char *name,
                         const struct ir_module *tvm, struct buf *said)
{
    struct verifier_options options = {0};
    struct verifier_result result = {0};
    verifier_prove(ours, ir_module_find(ours, name), tvm,
                   ir_module_find(tvm, name), &options, &result);
    bool same = result.verdict == VERIFIER_IDENTICAL;
    if (!same)
        buf_puts(said, result.reason ? result.reason : "no reason");
    verifier_result_fini(&result);
    return same;
}

static int judge(const char *folder, const struct ir_module *untuned,
                 const struct schedule_steps *steps,
                 const struct ir_module *tvm, struct buf *said)
{
    struct diag_sink *sink = diag_sink_new();
    const char *name = tvm->funcs[0]->name;
    struct schedule *s = schedule_new(untuned, name, sink);
    int how = FINE;
    if (!s)
        fail_msg("%s: %s", folder, diag_at(sink, 0)->message);
    size_t done = schedule_steps_run(s, steps, NULL, NULL, NULL);
    const struct ir_module *ours = schedule_module(s);
    if (done < steps->n) {
        how = REFUSED;
        buf_printf(said, "%s: %s", steps->items[done].text,
                   schedule_message(s));
    } else if (!compare_shapes(ir_module_find(ours, name), tvm->funcs[0],
                               said)) {
        how = SHAPE;
    } else if (!is_identical(ours, name, tvm, said)) {
        how = PROOF;
    }
    schedule_free(s);
    diag_sink_free(sink);
    return how;
}

static int run_case(const char *folder, const struct buf *trace,
                    struct buf *said)
{
    struct diag_sink *sink = diag_sink_new();
    struct schedule_steps steps = {0};
    struct ir_module *untuned = read_module(folder, "untuned.json", sink);
    struct ir_module *tvm = read_module(folder, "tuned.json", sink);
    int how = REFUSED;
    if (schedule_steps_read(buf_text(trace), trace->len, folder, sink, &steps))
        how = judge(folder, untuned, &steps, tvm, said);
    else
        buf_puts(said, diag_at(sink, 0)->message);
    schedule_steps_fini(&steps);
    ir_module_free(untuned);
    ir_module_free(tvm);
    diag_sink_free(sink);
    return how;
}

/* ---- all of them ----------------------------------------------------------- */

/* Whether the list has the case with that outcome and a part of what was said;
 * each line that is met is struck out. */
static bool is_expected(struct buf *list, const char *folder, int how,
                        const char *said)
{
    char *line = list->data;
    while (line && *line != '\0') {
        char *end = strchr(line, '\n');
        char fields[3][200] = {"", "", ""};
        if (end)
            *end = '\0';
        int n = sscanf(line, "%199[^\t]\t%199[^\t]\t%199[^\t]", fields[0],
                       fields[1], fields[2]);
        bool met = line[0] != '#' && n == 3 && !strcmp(fields[0], folder) &&
                   !strcmp(fields[1], words[how]) && strstr(said, fields[2]);
        if (met)
            line[0] = '#';
        if (end)
            *end = '\n';
        if (met)
            return true;
        line = end ? end + 1 : NULL;
    }
    return false;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

struct counts {
    size_t all, fine, listed, wrong;
};

static void run_folder(const char *family, struct buf *list, struct counts *c)
{
    struct buf path = {0};
    struct dirent **names;
    buf_printf(&path, ROOT "/%s", family);
    int n = scandir(buf_text(&path), &names, NULL, by_name);
    for (int i = 0; i < n; i++) {
        struct buf folder = {0}, trace = {0}, file = {0}, said = {0};
        buf_printf(&folder, "%s/%s", family, names[i]->d_name);
        buf_printf(&file, ROOT "/%s/trace.json", buf_text(&folder));
        if (file_read(buf_text(&file), 0, &trace, NULL)) {
            int how = run_case(buf_text(&folder), &trace, &said);
            c->all++;
            if (how == FINE) {
                c->fine++;
            } else if (is_expected(list, buf_text(&folder), how,
                                   buf_text(&said))) {
                c->listed++;
            } else {
                c->wrong++;
                print_error("%s\t%s\t%s\n", buf_text(&folder), words[how],
                            buf_text(&said));
            }
        }
        buf_fini(&folder);
        buf_fini(&trace);
        buf_fini(&file);
        buf_fini(&said);
        free(names[i]);
    }
    if (n >= 0)
        free(names);
    buf_fini(&path);
}

static void traces_give_what_tvm_made(void **state)
{
    (void)state;
    static const char *const families[] = {"eras", "metaschedule", "schedule",
                                           "seed0"};
    struct buf list = {0};
    struct counts c = {0};
    assert_true(file_read(EXPECTED, 0, &list, NULL));
    for (size_t i = 0; i < DC_ARRAY_LEN(families); i++)
        run_folder(families[i], &list, &c);
    printf("%zu traces, %zu fine, %zu listed, %zu not\n", c.all, c.fine,
           c.listed, c.wrong);
    assert_true(c.all > 100);
    assert_int_equal(c.wrong, 0);
    for (char *line = list.data; line && *line != '\0';) {
        if (*line != '#')
            fail_msg("listed, and not so: %.*s", (int)strcspn(line, "\n"),
                     line);
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    buf_fini(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(traces_give_what_tvm_made),
    };
    DIR *data = opendir(ROOT);
    if (!data) {
        printf("skipped: no " ROOT "\n");
        return SKIPPED;
    }
    (void)closedir(data);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
