/* SPDX-License-Identifier: Apache-2.0
 *
 * `diffcheck show MODULE`: the module as TVMScript, as TVM JSON of a chosen
 * generation, or as counts. Reads whatever any reader reads, so it also
 * converts between generations.
 */
#include "diff/cli/command.h"
#include "diff/emit/emit.h"
#include "diff/input/input.h"

#include <string.h>

struct stats {
    size_t stmts[IR_NSTMTS];
    size_t loops[IR_FOR_THREAD + 1];
    size_t loads, calls;
    struct {
        const char *name;
        size_t n;
    } ops[IR_NOPS];
};

static bool count_stmt(void *user, struct ir_stmt *s)
{
    struct stats *stats = user;
    stats->stmts[s->kind]++;
    if (s->kind == IR_FOR)
        stats->loops[s->u.loop.kind]++;
    return true;
}

static bool count_expr(void *user, struct ir_expr *e)
{
    struct stats *stats = user;
    if (e->kind == IR_LOAD)
        stats->loads++;
    if (e->kind == IR_CALL) {
        stats->calls++;
        stats->ops[e->u.call.op].n++;
    }
    return true;
}

static void put_stats(const struct ir_func *f, struct buf *out)
{
    struct stats *stats = dc_alloc(sizeof *stats);
    struct ir_visitor v = {count_stmt, count_expr, stats};
    buf_put_visible(out, f->name, strlen(f->name), "");
    buf_printf(out, ": %zu parameters\n", f->prim.nparams);
    if (f->prim.body)
        ir_visit_stmt(&v, f->prim.body);
    for (size_t i = 0; i < IR_NSTMTS; i++) {
        if (stats->stmts[i] && i != IR_FOR)
            buf_printf(out, "  %-20s%zu\n",
                       ir_stmt_kind_name((enum ir_stmt_kind)i),
                       stats->stmts[i]);
    }
    for (size_t i = 0; i <= IR_FOR_THREAD; i++) {
        if (stats->loops[i])
            buf_printf(out, "  For %-16s%zu\n",
                       ir_for_kind_name((enum ir_for_kind)i), stats->loops[i]);
    }
    if (stats->loads)
        buf_printf(out, "  %-20s%zu\n", "loads", stats->loads);
    for (size_t i = 0; i < IR_NOPS; i++) {
        if (stats->ops[i].n)
            buf_printf(out, "  call %-15s%zu\n",
                       ir_op_info((enum ir_op)i)->name, stats->ops[i].n);
    }
    dc_release(stats);
}

/* A module of the one function, sharing its nodes; the arena stays with the
 * module it was read into. */
static bool keep_function(struct ir_module *module, const char *name,
                          struct diag_sink *sink)
{
    struct ir_func *f = diff_function_choose(module, name, sink);
    if (!f)
        return false;
    module->funcs[0] = f;
    module->nfuncs = 1;
    return true;
}

static void put_module_stats(const struct ir_module *module, struct buf *out)
{
    buf_printf(out, "era %s, TVM %s, %zu function%s\n",
               ir_era_name(module->era),
               module->tvm_version ? module->tvm_version : "not named",
               module->nfuncs, module->nfuncs == 1 ? "" : "s");
    for (size_t i = 0; i < module->nfuncs; i++) {
        const struct ir_func *f = module->funcs[i];
        if (f->kind == IR_FUNC_PRIM)
            put_stats(f, out);
        else
            buf_printf(out, "%s: %s\n", f->name,
                       f->kind == IR_FUNC_RELAX ? "Relax function"
                                                : "external function");
    }
}

static bool is_program(const struct diff_options *options)
{
    return options->c || options->opencl || options->cuda;
}

/* The function as a program; needs the module as engines read it. */
static bool put_c(const struct ir_module *module,
                  const struct diff_options *options, struct buf *out,
                  struct diag_sink *sink)
{
    struct emit_options how = {.main_program = true,
                               .language = options->opencl ? EMIT_OPENCL
                                           : options->cuda ? EMIT_CUDA
                                                           : EMIT_C};
    const struct ir_func *f =
        diff_function_choose(module, options->function, sink);
    return f && ir_wellformed(module, sink) &&
           emit_c(module, f, &how, out, sink);
}

static int run_show(const struct diff_options *options)
{
    struct diag_sink *sink = diag_sink_new();
    struct buf out = {0};
    const char *path = options->operands[0];
    size_t max = options->max_input_bytes;
    struct ir_module *module = is_program(options)
                                   ? diff_module_read(path, max, sink)
                                   : diff_module_read_raw(path, max, sink);
    bool fine = module != NULL;
    if (fine && options->function && !is_program(options))
        fine = keep_function(module, options->function, sink);
    if (fine && options->stats)
        put_module_stats(module, &out);
    else if (fine && is_program(options))
        fine = put_c(module, options, &out, sink);
    else if (fine)
        fine = diff_put_module(module, options, &out, sink);
    if (fine)
        diff_print(&out);
    diff_print_diags(sink);
    buf_fini(&out);
    ir_module_free(module);
    diag_sink_free(sink);
    return fine ? DIFF_EXIT_NOTHING : DIFF_EXIT_USAGE;
}

const struct diff_command cmd_show = {
    .name = "show",
    .operands = "MODULE",
    .summary = "print a module as TVMScript, JSON or C, or count what is in it",
    .about =
        "MODULE is a file of any format that is read: TVM's JSON of any\n"
        "version since 0.7, or TVMScript; '-' is standard input.\n\n"
        "  diffcheck show examples/dense/tuned.json  # as TVMScript\n"
        "  diffcheck show examples/old.json --json --era F >new.json\n"
        "  diffcheck show examples/conv/tuned.py --stats  # counts of node "
        "kinds\n"
        "  diffcheck show examples/conv/tuned.py --c >kernel.c  # as a C "
        "program\n"
        "\n"
        "What is printed as TVMScript or JSON reads back as the same module;\n"
        "one that the form asked for cannot say is refused.\n",
    .one_function = true,
    .min_operands = 1,
    .max_operands = 1,
    .run = run_show,
};
