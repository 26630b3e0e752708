/* SPDX-License-Identifier: Apache-2.0
 *
 * diffcheck-gen: generated pairs as files, and the checks that use them.
 *
 *   diffcheck-gen [--seed N] [--count K] [--mutate] --out DIR
 *     DIR/SEED/untuned.json and tuned.json for K seeds from N on, case.json
 *     with what is known of the pair, and a line each in DIR/labels.txt
 *   diffcheck-gen --check-engines | --check-verdicts [--seed N] [--count K]
 *
 * Exit status: 0 done, nothing found; 1 something contradicts; 2 usage, or a
 * file cannot be written. The same command writes the same bytes.
 */
#include "fuzz/gen_check.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct request {
    uint64_t seed, count;
    bool mutate, engines, verdicts;
    const char *out;
};

static int usage(void)
{
    (void)fprintf(stderr,
                  "usage: diffcheck-gen [--seed N] [--count K] [--mutate] "
                  "--out DIR\n"
                  "       diffcheck-gen --check-engines|--check-verdicts "
                  "[--seed N] [--count K]\n");
    return 2;
}

static bool number(const char *text, uint64_t *out)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    *out = value;
    return errno == 0 && *end == '\0' && text[0] >= '0' && text[0] <= '9';
}

static bool parse(int argc, char **argv, struct request *r)
{
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        if (strcmp(word, "--mutate") == 0)
            r->mutate = true;
        else if (strcmp(word, "--check-engines") == 0)
            r->engines = true;
        else if (strcmp(word, "--check-verdicts") == 0)
            r->verdicts = true;
        else if (i + 1 >= argc)
            return false;
        else if (strcmp(word, "--out") == 0)
            r->out = argv[++i];
        else if (strcmp(word, "--seed") != 0 && strcmp(word, "--count") != 0)
            return false;
        else if (!number(argv[++i],
                         strcmp(word, "--seed") == 0 ? &r->seed : &r->count))
            return false;
    }
    return r->engines || r->verdicts || r->out;
}

/* ---- files ----------------------------------------------------------------- */

static bool make_folder(const char *path)
{
    struct stat info;
    if (mkdir(path, 0777) == 0)
        return true;
    return errno == EEXIST && stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static bool write_module(const char *folder, const char *name,
                         const struct ir_module *m)
{
    struct buf path = {0}, text = {0};
    buf_printf(&path, "%s/%s", folder, name);
    bool done = ir_write_json(m, IR_ERA_F, &text, NULL) &&
                file_write(buf_text(&path), text.data, text.len, NULL);
    buf_fini(&path);
    buf_fini(&text);
    return done;
}

/* What a comparison should say, where it is known; else NULL. */
static const char *expectation(const struct gen_pair *pair,
                               const struct ir_module *mutant)
{
    if (!mutant)
        return gen_claim_name(pair->tuning.claim);
    struct gen_truth truth = gen_find_truth(pair->untuned, mutant);
    return truth.fault ? "unsafe" : truth.exact ? "different" : NULL;
}

static bool write_case(const char *folder, const char *expect,
                       const char *label)
{
    struct buf path = {0}, text = {0};
    buf_printf(&path, "%s/case.json", folder);
    buf_puts(&text, "{\n");
    if (expect)
        buf_printf(&text, " \"expect\": \"%s\",\n", expect);
    buf_printf(&text, " \"label\": \"%s\"\n}\n", label);
    bool done = file_write(buf_text(&path), text.data, text.len, NULL);
    buf_fini(&path);
    buf_fini(&text);
    return done;
}

static bool write_pair(const struct request *r, uint64_t seed,
                       struct buf *labels)
{
    struct gen_options options = gen_default_options();
    struct gen_pair pair;
    struct buf folder = {0}, label = {0};
    enum mutate_kind kind = MUTATE_NKINDS;
    gen_pair_init(&pair, NULL, 0, seed, &options);
    struct ir_module *mutant =
        r->mutate ? gen_mutant(&pair, seed, &kind, NULL) : NULL;
    buf_printf(&folder, "%s/%" PRIu64, r->out, seed);
    if (mutant)
        buf_printf(&label, "mutation=%s class=%s of ", mutate_name(kind),
                   mutate_class_name(mutate_class_of(kind)));
    gen_pair_label(&pair, &label);
    buf_printf(labels, "%" PRIu64 " %s\n", seed, buf_text(&label));
    bool done = make_folder(buf_text(&folder)) &&
                write_module(buf_text(&folder), "untuned.json", pair.untuned) &&
                write_module(buf_text(&folder), "tuned.json",
                             mutant ? mutant : pair.tuned) &&
                write_case(buf_text(&folder), expectation(&pair, mutant),
                           buf_text(&label));
    ir_module_free(mutant);
    gen_pair_fini(&pair);
    buf_fini(&folder);
    buf_fini(&label);
    return done;
}

static bool write_pairs(const struct request *r)
{
    struct buf labels = {0}, path = {0};
    bool done = make_folder(r->out);
    for (uint64_t k = 0; k < r->count && done; k++)
        done = write_pair(r, r->seed + k, &labels);
    buf_printf(&path, "%s/labels.txt", r->out);
    done = done &&
           file_write(buf_text(&path), buf_text(&labels), labels.len, NULL);
    buf_fini(&labels);
    buf_fini(&path);
    return done;
}

int main(int argc, char **argv)
{
    struct request r = {0, 1, false, false, false, NULL};
    size_t found = 0;
    if (!parse(argc, argv, &r))
        return usage();
    if (r.out && !write_pairs(&r)) {
        (void)fprintf(stderr, "diffcheck-gen: cannot write below '%s'\n",
                      r.out);
        return 2;
    }
    if (r.engines)
        found += gen_check_engines(r.seed, r.count);
    if (r.verdicts)
        found += gen_check_verdicts(r.seed, r.count);
    return found > 0;
}
