/* SPDX-License-Identifier: Apache-2.0
 *
 * replay_X [--random N] [--single STEP] FILE-OR-FOLDER...: runs a fuzz target
 * over stored inputs without libFuzzer, so that the normal tests, with any
 * compiler, go through every input that once mattered. Then over variants of
 * them (fuzz/vary.h): N random ones, taken from the files in turn, and of all
 * single replacements every STEP-th. Nothing depends on time, load or the
 * order in which a folder lists its files.
 *
 * Folders are walked to a depth of 8, in the order of names. Each input is
 * handed over in heap memory of exactly its size, so that AddressSanitizer sees
 * a read past the end. An input that breaks a property is named, and written to
 * the folder in DC_REPLAY_FINDINGS if that is set; for one that crashes,
 * DC_REPLAY_VERBOSE names each input before it is run. Exit status 1 when there
 * was no input at all: a replay of nothing is a mistake of the caller.
 */
#include "fuzz/fuzz.h"
#include "fuzz/vary.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_LEVEL 8
/* Variants are made of files up to this size: large ones are slow and say no
 * more. */
#define MAX_VARIED 20000u

/* Of the campaign of variants; the same for all machines. */
#define SEED 1u

struct files VEC(char *);

struct input {
    const char *path;
    const char *how; /* NULL: the file itself */
    size_t k;
    const struct buf *bytes;
};

/* The input being run, for the handler of broken properties, which has no
 * other way to it. */
static struct input current;

static void put_finding(const struct input *in)
{
    const char *folder = getenv("DC_REPLAY_FINDINGS");
    struct buf path = {0};
    struct diag_sink *sink = diag_sink_new();

    if (folder && in->how) {
        buf_printf(&path, "%s/%s-%zu-%s", folder, in->how, in->k,
                   path_name(in->path));
        if (file_write(buf_text(&path), in->bytes->data, in->bytes->len, sink))
            fprintf(stderr, "replay: the input is in '%s'\n", buf_text(&path));
    }
    buf_fini(&path);
    diag_sink_free(sink);
}

static void on_bug(const char *message)
{
    (void)message;
    if (!current.path)
        return;
    if (current.how)
        fprintf(stderr, "replay: variant '%s' %zu of %s\n", current.how,
                current.k, current.path);
    else
        fprintf(stderr, "replay: %s\n", current.path);
    put_finding(&current);
}

static void run(const char *path, const char *how, size_t k,
                const struct buf *bytes)
{
    uint8_t *exact = dc_alloc(bytes->len ? bytes->len : 1);

    current = (struct input){path, how, k, bytes};
    if (getenv("DC_REPLAY_VERBOSE"))
        fprintf(stderr, "%s %s %zu\n", path, how ? how : "", k);
    if (bytes->len)
        memcpy(exact, bytes->data, bytes->len);
    LLVMFuzzerTestOneInput(exact, bytes->len);
    dc_release(exact);
    current = (struct input){0};
}

/* ---- the files ------------------------------------------------------------- */

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void find_files(const char *path, int level, struct files *out)
{
    struct files names = {0};
    struct dirent *entry;
    struct stat status;
    DIR *folder;

    if (stat(path, &status) != 0) {
        printf("skipped: '%s' not there\n", path);
        return;
    }
    if (!S_ISDIR(status.st_mode)) {
        struct buf copy = {0};

        buf_puts(&copy, path);
        vec_push(out, copy.data);
        return;
    }
    folder = level < MAX_LEVEL ? opendir(path) : NULL;
    while (folder && (entry = readdir(folder))) {
        struct buf name = {0};

        if (entry->d_name[0] == '.')
            continue;
        buf_printf(&name, "%s/%s", path, entry->d_name);
        vec_push(&names, name.data);
    }
    if (folder)
        closedir(folder);
    if (names.len)
        qsort(names.items, names.len, sizeof *names.items, compare_names);
    for (size_t i = 0; i < names.len; i++) {
        find_files(names.items[i], level + 1, out);
        dc_release(names.items[i]);
    }
    vec_fini(&names);
}

/* Reads the file; false, with a message, when that cannot be. */
static bool read_input(const char *path, struct buf *out)
{
    struct diag_sink *sink = diag_sink_new();
    bool fine = file_read(path, 0, out, sink);

    if (!fine)
        printf("replay: cannot read '%s'\n", path);
    diag_sink_free(sink);
    return fine;
}

static size_t replay(const struct files *files)
{
    size_t count = 0;

    for (size_t i = 0; i < files->len; i++) {
        struct buf bytes = {0};

        if (read_input(files->items[i], &bytes)) {
            run(files->items[i], NULL, 0, &bytes);
            count++;
        }
        buf_fini(&bytes);
    }
    return count;
}

/* ---- variants -------------------------------------------------------------- */

/* Random variants of one file: those of the campaign that fall to it. */
static size_t random_of(const struct files *files, size_t file, size_t n,
                        const struct vary *v)
{
    struct buf out = {0};
    size_t count = 0;

    for (size_t k = file; k < n; k += files->len, count++) {
        vary_random(v, SEED, k, &out);
        run(files->items[file], "random", k, &out);
    }
    buf_fini(&out);
    return count;
}

static size_t singles_of(const char *path, size_t step, const struct vary *v)
{
    struct buf out = {0};
    size_t count = 0, all = step ? vary_count(v) : 0;

    for (size_t k = 0; k < all; k += step, count++) {
        vary_single(v, k, &out);
        run(path, "single", k, &out);
    }
    buf_fini(&out);
    return count;
}

static size_t vary_files(const struct files *files, size_t random, size_t step)
{
    size_t count = 0;

    for (size_t i = 0; i < files->len && (random || step); i++) {
        struct buf bytes = {0};

        if (read_input(files->items[i], &bytes) && bytes.len <= MAX_VARIED) {
            struct vary *v =
                vary_new((const uint8_t *)buf_text(&bytes), bytes.len);

            count += random_of(files, i, random, v);
            count += singles_of(files->items[i], step, v);
            vary_free(v);
        }
        buf_fini(&bytes);
    }
    return count;
}

int main(int argc, char **argv)
{
    struct files files = {0};
    size_t random = 0, step = 0, count, variants;
    int i = 1;

    dc_set_bug_handler(on_bug);
    for (; i + 1 < argc && argv[i][0] == '-'; i += 2) {
        if (strcmp(argv[i], "--random") == 0)
            random = strtoul(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--single") == 0)
            step = strtoul(argv[i + 1], NULL, 10);
    }
    for (; i < argc; i++)
        find_files(argv[i], 0, &files);
    count = replay(&files);
    variants = vary_files(&files, random, step);
    printf("%zu inputs replayed, %zu variants\n", count, variants);
    for (size_t k = 0; k < files.len; k++)
        dc_release(files.items[k]);
    vec_fini(&files);
    return count ? 0 : 1;
}
