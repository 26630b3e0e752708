/* SPDX-License-Identifier: Apache-2.0
 *
 * replay_X FILE-OR-FOLDER...: runs a fuzz target over stored inputs without
 * libFuzzer, so that the normal tests, with any compiler, go through every
 * input that once mattered.
 *
 * Folders are walked to a depth of 8. Each input is handed over in heap memory
 * of exactly its size, so that AddressSanitizer sees a read past the end; the
 * name is printed first when DC_REPLAY_VERBOSE is set, to find the culprit.
 * Exit status 1 when there was no input at all: a replay of nothing is a
 * mistake of the caller.
 */
#include "fuzz/fuzz.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_LEVEL 8

static size_t replay_file(const char *path)
{
    struct diag_sink *sink = diag_sink_new();
    struct buf text = {0};
    uint8_t *exact;

    if (!file_read(path, 0, &text, sink)) {
        printf("replay: cannot read '%s'\n", path);
        diag_sink_free(sink);
        return 0;
    }
    if (getenv("DC_REPLAY_VERBOSE"))
        fprintf(stderr, "%s\n", path);
    exact = dc_alloc(text.len ? text.len : 1);
    if (text.len)
        memcpy(exact, text.data, text.len);
    LLVMFuzzerTestOneInput(exact, text.len);
    dc_release(exact);
    buf_fini(&text);
    diag_sink_free(sink);
    return 1;
}

static size_t replay(const char *path, int level)
{
    struct stat status;
    struct dirent *entry;
    size_t count = 0;
    DIR *folder;

    if (stat(path, &status) != 0) {
        printf("skipped: '%s' not there\n", path);
        return 0;
    }
    if (!S_ISDIR(status.st_mode))
        return replay_file(path);
    folder = level < MAX_LEVEL ? opendir(path) : NULL;
    if (!folder)
        return 0;
    while ((entry = readdir(folder))) {
        struct buf name = {0};

        if (entry->d_name[0] == '.')
            continue;
        buf_printf(&name, "%s/%s", path, entry->d_name);
        count += replay(buf_text(&name), level + 1);
        buf_fini(&name);
    }
    closedir(folder);
    return count;
}

int main(int argc, char **argv)
{
    size_t count = 0;

    for (int i = 1; i < argc; i++)
        count += replay(argv[i], 0);
    printf("%zu inputs replayed\n", count);
    return count ? 0 : 1;
}
