/* SPDX-License-Identifier: Apache-2.0
 *
 * Times reading and writing modules.
 *
 *   bench_readers FILE…       modules in any format that diffcheck reads
 *
 * For each file: parsing its text as bare JSON (or, for TVMScript, checking it
 * as UTF-8), which is the yardstick of the same run; reading it to a module;
 * printing TVMScript; writing JSON of era F. Each is repeated until a quarter
 * of a second is spent and the mean is printed, in milliseconds of processor
 * time, with the ratio of reading to the yardstick.
 */
#include "ir/base/json.h"
#include "ir/ir.h"

#include <string.h>
#include <time.h>

struct job {
    const char *path;
    const struct buf *text;
    const struct ir_module *module; /* NULL until read */
};

static void yardstick(const struct job *job)
{
    size_t bad;
    if (job->text->data[0] == '{')
        json_free(json_parse(job->text->data, job->text->len, job->path, NULL));
    else if (!utf8_valid(job->text->data, job->text->len, &bad))
        printf("(invalid UTF-8)\n");
}

static void read_module(const struct job *job)
{
    ir_module_free(ir_read(job->text->data, job->text->len, job->path, NULL));
}

static void print_script(const struct job *job)
{
    struct buf out = {0};
    ir_print_script(job->module, &out);
    buf_fini(&out);
}

static void write_json(const struct job *job)
{
    struct buf out = {0};
    if (!ir_write_json(job->module, IR_ERA_F, &out, NULL))
        printf("(cannot be written)\n");
    buf_fini(&out);
}

static double mean_ms(void (*run)(const struct job *), const struct job *job)
{
    const clock_t enough = CLOCKS_PER_SEC / 4;
    clock_t start = clock(), now;
    unsigned n = 0;
    do {
        run(job);
        n++;
        now = clock();
    } while (now - start < enough);
    return (double)(now - start) * 1e3 / (double)CLOCKS_PER_SEC / n;
}

static bool time_file(const char *path)
{
    struct diag_sink *sink = diag_sink_new();
    struct buf text = {0};
    struct ir_module *module = NULL;
    if (file_read(path, 0, &text, sink) && text.len)
        module = ir_read(text.data, text.len, path, sink);
    bool fine = module != NULL;
    if (fine) {
        struct job job = {path, &text, module};
        double bare = mean_ms(yardstick, &job);
        double read = mean_ms(read_module, &job);
        printf("%9zu %9.3f %9.3f %6.1f %9.3f %9.3f  %s\n", text.len, bare, read,
               read / bare, mean_ms(print_script, &job),
               mean_ms(write_json, &job), path);
    } else {
        struct buf errors = {0};
        diag_render(sink, false, &errors);
        fputs(buf_text(&errors), stderr);
        buf_fini(&errors);
    }
    ir_module_free(module);
    buf_fini(&text);
    diag_sink_free(sink);
    return fine;
}

int main(int argc, char **argv)
{
    bool fine = argc > 1;
    printf("    bytes   bare ms   read ms  ratio  print ms   json ms\n");
    for (int i = 1; i < argc; i++)
        fine = time_file(argv[i]) && fine;
    return fine ? 0 : 2;
}
