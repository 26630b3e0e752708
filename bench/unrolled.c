/* SPDX-License-Identifier: Apache-2.0
 *
 * Times everything that happens to a large unrolled function on its way to a
 * run: what is linear stays so, and what is not shows.
 *
 *   bench_unrolled [STATEMENTS]     (default 200000)
 *
 * One row for each shape of program: STATEMENTS stores, blocks, loops, or
 * let-variables of which each uses the one before, or a quarter as many
 * buffers. Columns are milliseconds of processor time.
 */
#include "interp/interp.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now_ms(void)
{
    return (double)clock() * 1e3 / (double)CLOCKS_PER_SEC;
}

/* ---- programs ------------------------------------------------------------------ */

static void put_stores(struct buf *out, int n)
{
    for (int i = 0; i < n; i++)
        buf_printf(out, "    C[%d] = A[%d] * T.float32(%d) + C[%d]\n", i % 4096,
                   (i * 7 + 3) % 4096, i % 100, (i * 3) % 4096);
}

static void put_blocks(struct buf *out, int n)
{
    for (int i = 0; i < n; i += 2)
        buf_printf(out,
                   "    with T.sblock(\"b%d\"):\n"
                   "        v%d = T.axis.spatial(4096, %d)\n"
                   "        C[v%d] = A[v%d] + T.float32(1)\n",
                   i, i, i % 4096, i, i);
}

static void put_loops(struct buf *out, int n)
{
    for (int i = 0; i < n; i += 2)
        buf_printf(out,
                   "    for i%d in range(4):\n"
                   "        C[i%d * 3 + %d] = A[i%d + %d]\n",
                   i, i, i % 4000, i, (i * 7) % 4000);
}

static void put_lets(struct buf *out, int n)
{
    buf_puts(out, "    x0 = A[0]\n");
    for (int i = 1; i < n / 2; i++)
        buf_printf(out, "    x%d = x%d + A[%d]\n    C[%d] = x%d\n", i, i - 1,
                   i % 4096, i % 4096, i);
}

static void put_buffers(struct buf *out, int n)
{
    for (int i = 0; i < n / 4; i++)
        buf_printf(out,
                   "    B%d = T.alloc_buffer((4,))\n"
                   "    B%d[1] = A[%d]\n"
                   "    C[%d] = B%d[1]\n",
                   i, i, i % 4096, i % 4096, i);
}

static const struct {
    const char *name;
    void (*put)(struct buf *out, int n);
} shapes[] = {
    {"stores", put_stores}, {"blocks", put_blocks},   {"loops", put_loops},
    {"lets", put_lets},     {"buffers", put_buffers},
};

/* ---- stages ----------------------------------------------------------------------- */

static void column(double *start)
{
    double now = now_ms();
    printf(" %8.0f", now - *start);
    fflush(stdout);
    *start = now_ms();
}

static struct ir_module *through_json(const struct ir_module *m, double *start,
                                      struct diag_sink *sink)
{
    struct buf json = {0};
    struct ir_module *out = NULL;
    if (ir_write_json(m, IR_ERA_F, &json, sink)) {
        column(start);
        out = ir_read(json.data, json.len, "json", sink);
        column(start);
    }
    buf_fini(&json);
    return out;
}

static void run(const struct ir_module *m, double *start,
                struct diag_sink *sink)
{
    struct arena *arena = arena_new();
    struct interp_signature sig;
    struct interp_arg args[2];
    struct interp_options o = interp_default_options();
    const struct ir_func *f = m->funcs[0];
    memset(args, 0, sizeof args);
    if (interp_signature(m, f, NULL, 0, arena, &sig, sink)) {
        column(start);
        for (size_t i = 0; i < 2; i++) {
            args[i].tensor =
                interp_tensor_new(sig.params[i].dtype, 1, sig.params[i].shape);
            interp_fill_tensor(args[i].tensor, INTERP_FILL_EXACT, 1, i, 1, 0);
        }
        (void)interp_speed(m, f, 2, args, &o);
        column(start);
        struct interp_result r = interp_run(m, f, 2, args, &o);
        column(start);
        if (r.fault != INTERP_OK)
            printf("  %s", r.message);
        interp_result_fini(&r);
        o.engine = INTERP_ENGINE_WALK;
        r = interp_run(m, f, 2, args, &o);
        column(start);
        interp_result_fini(&r);
        for (size_t i = 0; i < 2; i++)
            interp_tensor_free(args[i].tensor);
    }
    arena_free(arena);
}

static bool time_shape(size_t k, int n, struct diag_sink *sink)
{
    struct buf text = {0};
    struct arena *arena = arena_new();
    const char **names;
    buf_puts(&text, "from tvm.script import tirx as T\n\n"
                    "@T.prim_func(s_tir=True)\n"
                    "def main(A: T.Buffer((4096,), \"float32\"), "
                    "C: T.Buffer((16384,), \"float32\")):\n");
    shapes[k].put(&text, n);
    printf("%-8s", shapes[k].name);
    double start = now_ms();
    struct ir_module *m = ir_read(text.data, text.len, shapes[k].name, sink);
    column(&start);
    bool fine = m != NULL;
    if (fine) {
        struct ir_equal_options equal = {0};
        struct ir_module *again = through_json(m, &start, sink);
        fine = again != NULL;
        ir_host_restore(m, sink);
        fine = fine && ir_wellformed(m, sink);
        (void)ir_undefined_vars(m->funcs[0], arena, &names);
        column(&start);
        fine = fine && ir_module_equal(m, again, equal, NULL) &&
               ir_module_hash(m) == ir_module_hash(again);
        column(&start);
        if (fine)
            run(m, &start, sink);
        ir_module_free(again);
    }
    printf("%s\n", fine ? "" : "  failed");
    ir_module_free(m);
    arena_free(arena);
    buf_fini(&text);
    return fine;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 200000;
    struct diag_sink *sink = diag_sink_new();
    struct buf text = {0};
    int status = 0;
    printf("%-8s %8s %8s %8s %8s %8s %8s %8s %8s %8s\n", "shape", "read",
           "json", "re-read", "check", "equal", "params", "compile", "run",
           "walker");
    for (size_t k = 0; k < DC_ARRAY_LEN(shapes); k++)
        if (!time_shape(k, n, sink))
            status = 1;
    diag_render(sink, false, &text);
    fputs(buf_text(&text), stderr);
    buf_fini(&text);
    diag_sink_free(sink);
    return status;
}
