/* SPDX-License-Identifier: Apache-2.0
 *
 * The files that make a bundle of the folder of a finding: report.md, reproduce.py,
 * reproduce.sh, environment.txt.
 *
 * They go to somebody else: no path, user or name of this machine is in them, and
 * no time, so that the same finding is the same bytes.
 */
#include "diff/saved/bundle.h"

#include "diff/input/words.h"
#include "verifier/verifier.h"

#include <string.h>
#include <sys/utsname.h>

#define MAX_SYSTEM_FILE ((size_t)1 << 20)

static const char reproduce_sh[] =
    "#!/bin/sh\n"
    "# reproduce.py under the TVM of $PYTHON (else python3) and, where "
    "diffcheck "
    "is\n"
    "# installed, the comparison. Exit status: 1 the fault is there, 0 it is "
    "not,\n"
    "# 2 it cannot be told, 3 it is a GPU kernel and there is no GPU.\n"
    "cd \"$(dirname \"$0\")\" || exit 2\n"
    "status=0\n"
    "\"${PYTHON:-python3}\" reproduce.py || status=$?\n"
    "[ \"$status\" -le 3 ] || status=2\n"
    "if command -v diffcheck >/dev/null 2>&1; then\n"
    "    diffcheck . || true\n"
    "fi\n"
    "exit \"$status\"\n";

/* ---- environment.txt -------------------------------------------------------------- */

static void put_row(struct buf *out, const char *label, const char *text)
{
    buf_printf(out, "%-12s", label);
    buf_put_visible(out, text, strlen(text), "");
    buf_putc(out, '\n');
}

/* What follows `key` on the first line that begins so, without quotes. */
static void put_value_of(struct buf *out, const char *file, const char *key)
{
    struct buf text = {0};
    size_t n = strlen(key);
    if (file_read(file, MAX_SYSTEM_FILE, &text, NULL))
        for (const char *line = buf_text(&text); *line;) {
            size_t len = strcspn(line, "\n");
            if (len > n && strncmp(line, key, n) == 0) {
                const char *from = line + n + strspn(line + n, " \t:=\"");
                buf_append(out, from, strcspn(from, "\"\n"));
                break;
            }
            line += len + (line[len] == '\n');
        }
    buf_fini(&text);
}

static void put_system(struct buf *out)
{
    struct utsname name;
    struct buf text = {0};
    put_value_of(&text, "/etc/os-release", "PRETTY_NAME=");
    if (uname(&name) == 0)
        buf_printf(&text, "%s%s %s %s", text.len ? ", " : "", name.sysname,
                   name.release, name.machine);
    put_row(out, "system", buf_text(&text));
    text.len = 0;
    put_value_of(&text, "/proc/cpuinfo", "model name");
    if (text.len > 0)
        put_row(out, "processor", buf_text(&text));
    buf_fini(&text);
}

/* Of this machine or of nobody else: files, programs, and what changes no result. */
static bool is_private(enum diff_option_id id)
{
    static const char *const kinds[] = {"@file", "@dir", "@parameter="};
    static const enum diff_option_id not_said[] = {
        DIFF_OPT_COMPONENT, DIFF_OPT_LIBRARY, DIFF_OPT_PAIR,
        DIFF_OPT_RUNNER,    DIFF_OPT_STEP,    DIFF_OPT_TVM_VERSION};
    const char *words = diff_option_table[id].words;
    for (size_t i = 0; i < DC_ARRAY_LEN(kinds); i++)
        if (strncmp(words, kinds[i], strlen(kinds[i])) == 0)
            return true;
    for (size_t i = 0; i < DC_ARRAY_LEN(not_said); i++)
        if (id == not_said[i])
            return true;
    return !diff_option_changes_result(id);
}

static void put_options(struct buf *out, const struct diff_options *o)
{
    struct buf text = {0};
    for (size_t i = 0; i < o->nsaid; i++) {
        const struct diff_said *s = &o->said[i];
        if (is_private(s->id))
            continue;
        buf_printf(&text, "%s--%s", text.len ? " " : "",
                   diff_option_table[s->id].name);
        if (s->value) {
            buf_putc(&text, ' ');
            diff_put_word(&text, s->value);
        }
    }
    put_row(out, "options", text.len ? buf_text(&text) : "none");
    buf_fini(&text);
}

static void put_environment(struct buf *out, const struct saved_finding *f)
{
    struct buf solver = {0};
    const char *version = bundle_version(f);
    verifier_put_solver(&solver);
    put_row(out, "diffcheck", DC_VERSION);
    put_row(out, "solver", buf_text(&solver));
    if (version)
        put_row(out, "TVM", version);
    if (f->bundle->built_with)
        put_row(out, "target", f->bundle->built_with);
    put_options(out, f->options);
    put_system(out);
    buf_fini(&solver);
}

/* ---- all --------------------------------------------------------------------------- */

static bool put_file(const char *folder, const char *name,
                     const struct buf *text, struct diag_sink *sink)
{
    struct buf path = {0};
    buf_printf(&path, "%s/%s", folder, name);
    bool fine =
        file_write_one(buf_text(&path), buf_text(text), text->len, sink);
    buf_fini(&path);
    return fine;
}

/* Both as functions alone, or both as modules: they are run by one function. */
static void describe(const struct saved_finding *f,
                     const struct ir_module *const *m, struct arena *arena,
                     struct bundle_module *out)
{
    bool alone = true;
    for (int again = 0; again < 2; again++) {
        bool all = true;
        for (size_t k = 0; k < f->nmodules; k++) {
            const char *side = f->modules[k].name;
            bundle_describe(m[k], saved_function(f, k), side, alone, arena,
                            &out[k]);
            all = all && out[k].bare;
        }
        if (all)
            return;
        alone = false;
    }
}

bool bundle_write(const char *folder, const struct saved_finding *f,
                  const struct saved_names *names,
                  const struct ir_module *const *modules,
                  struct diag_sink *sink)
{
    struct arena *arena = arena_new();
    struct bundle_module both[NSIDES];
    struct buf python = {0}, report = {0}, shell = {0}, environment = {0};
    describe(f, modules, arena, both);
    bundle_put_python(&python, f, names, both);
    bundle_put_report(&report, f, both, buf_text(&python));
    put_environment(&environment, f);
    buf_puts(&shell, reproduce_sh);
    bool fine = put_file(folder, "reproduce.py", &python, sink) &&
                put_file(folder, "report.md", &report, sink) &&
                put_file(folder, "reproduce.sh", &shell, sink) &&
                put_file(folder, "environment.txt", &environment, sink);
    buf_fini(&environment);
    buf_fini(&shell);
    buf_fini(&report);
    buf_fini(&python);
    arena_free(arena);
    return fine;
}
