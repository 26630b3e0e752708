/* SPDX-License-Identifier: Apache-2.0
 *
 * `diffcheck targets`: every target, whether it can be used on this machine,
 * and what is missing if not.
 */
#include "diff/cli/command.h"
#include "diff/harness/cache.h"
#include "diff/harness/confine.h"
#include "diff/harness/harness.h"
#include "diff/harness/route.h"
#include "ir/base/json.h"

#include <string.h>

static void put_text(struct json_writer *w, const char *key, const char *text)
{
    if (text)
        json_put_member(w, key, text);
}

static const char *state_of(const struct diff_toolchain *t)
{
    return t->missing   ? t->broken ? "broken" : "missing"
           : t->not_run ? "builds"
                        : "usable";
}

static void put_json(const struct diff_toolchain *tools, size_t n,
                     struct buf *out)
{
    struct json_writer w = {.out = out, .indent = 2};
    json_begin_object(&w);
    report_put_head(&w);
    json_put_key(&w, "exit");
    json_put_int(&w, DIFF_EXIT_NOTHING);
    json_put_key(&w, "targets");
    json_begin_array(&w);
    for (size_t i = 0; i < n; i++) {
        const struct diff_toolchain *t = &tools[i];
        json_begin_object(&w);
        put_text(&w, "target", t->target->name);
        put_text(&w, "group", t->target->group);
        put_text(&w, "summary", t->target->summary);
        put_text(&w, "state", state_of(t));
        put_text(&w, "missing", t->missing);
        put_text(&w, "not_run", t->not_run);
        put_text(&w, "compiler", t->compiler);
        put_text(&w, "version", t->version);
        put_text(&w, "emulator", t->run_path);
        put_text(&w, "emulator_version", t->run_version);
        put_text(&w, "expects", t->target->expects);
        put_text(&w, "may", t->target->may);
        json_end_object(&w);
    }
    json_end_array(&w);
    json_end_object(&w);
    buf_putc(out, '\n');
}

static void put_table(const struct diff_toolchain *tools, size_t n,
                      struct buf *out)
{
    size_t usable = 0;
    for (size_t i = 0; i < n; i++) {
        const struct diff_toolchain *t = &tools[i];
        buf_printf(out, "%-20s %-8s %s\n", t->target->name, state_of(t),
                   t->target->summary);
        if (t->missing)
            buf_printf(out, "%-29s %s\n", "", t->missing);
        else if (t->not_run)
            buf_printf(out, "%-29s %s; compiles, but %s\n", "", t->version,
                       t->not_run);
        else
            buf_printf(out, "%-29s %s%s%s\n", "", t->version,
                       t->run_version ? "; " : "",
                       t->run_version ? t->run_version : "");
        usable += t->missing || t->not_run ? 0 : 1;
    }
    buf_printf(out,
               "\n%zu of %zu targets can be used here; choose with --targets "
               "LIST (names, groups, all, none)\n",
               usable, n);
    const char *lacks = diff_confine_lacks();
    if (lacks)
        buf_printf(out,
                   "emitted C and exported libraries are not kept from: %s\n",
                   lacks);
    else
        buf_puts(out,
                 "emitted C and exported libraries write only to their own "
                 "folder, and have no network\n");
}

static int run_targets(const struct diff_options *options)
{
    struct diag_sink *sink = diag_sink_new();
    bool fine = diff_cache_trusted(options->cache, sink);
    diff_print_diags(sink);
    if (!fine && options->json)
        diff_print_errors(sink, DIFF_EXIT_USAGE);
    diag_sink_free(sink);
    if (!fine)
        return DIFF_EXIT_USAGE;
    struct arena *arena = arena_new();
    struct diff_cache *cache =
        diff_cache_new(options->cache, options->cache_bytes);
    size_t n;
    struct diff_python *python = diff_python_new(options->python);
    const struct diff_toolchain *tools =
        diff_toolchains_find(options->jobs, python, cache, arena, &n);
    struct buf text = {0};
    if (options->json)
        put_json(tools, n, &text);
    else
        put_table(tools, n, &text);
    diff_print(&text);
    buf_fini(&text);
    diff_python_free(python);
    diff_cache_free(cache);
    arena_free(arena);
    return DIFF_EXIT_NOTHING;
}

const struct diff_command cmd_targets = {
    .name = "targets",
    .operands = "",
    .summary = "which targets can be used here, and what the others lack",
    .about =
        "Lists every target that kernels can be built for and run on. For "
        "each\n"
        "a small program is compiled and run, so that 'usable' means that the\n"
        "compiler, its libraries, the emulator and the processor's "
        "instruction\n"
        "sets are there. 'missing' says what is not; 'broken' is a compiler "
        "or\n"
        "emulator that crashes or hangs.\n\n"
        "  diffcheck targets\n"
        "  diffcheck targets --json\n",
    .min_operands = 0,
    .max_operands = 0,
    .run = run_targets,
};
