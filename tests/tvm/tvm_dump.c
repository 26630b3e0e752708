/* SPDX-License-Identifier: Apache-2.0
 *
 * tvm_dump ERA OUT FILE-OR-FOLDER...: writes what diffcheck prints of every
 * module of one era, for the TVM of that era to check.
 *
 * Every module (*.json but the files that describe cases) below the folders
 * that is of the era asked for, D, E or F (TVM 0.25, 0.26, 0.27), is read and
 * printed to
 *   OUT/<n>.json   TVM JSON of the same era
 *   OUT/<n>.py     TVMScript of the newest dialect
 * and gets a line in each of
 *   OUT/json.tsv     original TAB OUT/<n>.json
 *   OUT/script.tsv   original TAB OUT/<n>.py TAB original (as its name)
 * A module that cannot be read or written is an error, told by name; the
 * others still go on. Exit status 1 then; 77 when no module was found.
 */
#include "ir/ir.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_LEVEL 8

struct dump {
    enum ir_era era;
    const char *out;
    struct buf json, script; /* the manifests */
    size_t done, failed;
};

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);

    return n >= m && strcmp(text + n - m, end) == 0;
}

/* What stands beside modules in the data folders. */
static bool is_module_name(const char *path)
{
    static const char *const others[] = {
        "/case.json",       "/trace.json",         "/index.json",
        "/node-types.json", "_tuning_record.json", "_workload.json"};

    for (size_t i = 0; i < DC_ARRAY_LEN(others); i++)
        if (ends_with(path, others[i]))
            return false;
    return ends_with(path, ".json");
}

static void fail(struct dump *d, const char *path, struct diag_sink *sink)
{
    struct buf text = {0};

    diag_render(sink, false, &text);
    printf("FAILED %s\n%s\n", path, buf_text(&text));
    d->failed++;
    buf_fini(&text);
}

static bool write_both(struct dump *d, const char *path,
                       const struct ir_module *module, struct diag_sink *sink)
{
    struct buf json = {0}, script = {0}, json_name = {0}, script_name = {0};
    bool good = ir_write_json(module, d->era, &json, sink);

    ir_print_script(module, &script);
    buf_printf(&json_name, "%s/%zu.json", d->out, d->done);
    buf_printf(&script_name, "%s/%zu.py", d->out, d->done);
    good = good &&
           file_write(buf_text(&json_name), json.data, json.len, sink) &&
           file_write(buf_text(&script_name), script.data, script.len, sink);
    if (good) {
        buf_printf(&d->json, "%s\t%s\n", path, buf_text(&json_name));
        buf_printf(&d->script, "%s\t%s\t%s\n", path, buf_text(&script_name),
                   path);
    }
    buf_fini(&json);
    buf_fini(&script);
    buf_fini(&json_name);
    buf_fini(&script_name);
    return good;
}

static void dump_file(struct dump *d, const char *path)
{
    struct diag_sink *sink = diag_sink_new();
    struct buf text = {0};
    struct ir_module *module = NULL;

    if (!file_read(path, 0, &text, sink)) {
        fail(d, path, sink);
    } else {
        module = ir_read(buf_text(&text), text.len, path, sink);
        if (!module) {
            fail(d, path, sink);
        } else if (module->era == d->era) {
            if (write_both(d, path, module, sink))
                d->done++;
            else
                fail(d, path, sink);
        }
    }
    ir_module_free(module);
    buf_fini(&text);
    diag_sink_free(sink);
}

static void dump_path(struct dump *d, const char *path, int level)
{
    struct stat status;
    struct dirent **entries;
    int n;

    if (stat(path, &status) != 0) {
        printf("skipped: '%s' not there\n", path);
        return;
    }
    if (!S_ISDIR(status.st_mode)) {
        if (is_module_name(path))
            dump_file(d, path);
        return;
    }
    n = level < MAX_LEVEL ? scandir(path, &entries, NULL, alphasort) : 0;
    for (int i = 0; i < n; i++) {
        struct buf name = {0};

        if (entries[i]->d_name[0] != '.') {
            buf_printf(&name, "%s/%s", path, entries[i]->d_name);
            dump_path(d, buf_text(&name), level + 1);
        }
        buf_fini(&name);
        free(entries[i]);
    }
    if (n > 0)
        free(entries);
}

static bool write_manifest(const struct dump *d, const char *name,
                           const struct buf *text)
{
    struct diag_sink *sink = diag_sink_new();
    struct buf path = {0};
    bool good;

    buf_printf(&path, "%s/%s", d->out, name);
    good = file_write(buf_text(&path), buf_text(text), text->len, sink);
    if (!good)
        printf("cannot write '%s'\n", buf_text(&path));
    buf_fini(&path);
    diag_sink_free(sink);
    return good;
}

int main(int argc, char **argv)
{
    struct dump d = {.era = IR_ERA_NONE};
    bool good;

    if (argc >= 4)
        for (int era = IR_ERA_D; era <= IR_ERA_F; era++)
            if (strcmp(argv[1], ir_era_name((enum ir_era)era)) == 0)
                d.era = (enum ir_era)era;
    if (d.era == IR_ERA_NONE) {
        fprintf(stderr, "usage: tvm_dump D|E|F OUT FILE-OR-FOLDER...\n");
        return 2;
    }
    d.out = argv[2];
    for (int i = 3; i < argc; i++)
        dump_path(&d, argv[i], 0);
    good = write_manifest(&d, "json.tsv", &d.json) &&
           write_manifest(&d, "script.tsv", &d.script);
    printf("%zu modules of era %s written, %zu failed\n", d.done, argv[1],
           d.failed);
    if (d.done + d.failed == 0)
        printf("skipped: no module of era %s here\n", argv[1]);
    buf_fini(&d.json);
    buf_fini(&d.script);
    if (!good || d.failed)
        return 1;
    return d.done ? 0 : 77;
}
