/* SPDX-License-Identifier: Apache-2.0
 *
 * Compares two modules through libdiffcheck, one from a file and one from
 * memory, as a compiler would that has it there:
 *
 *     cc use_library.c $(pkg-config --cflags --libs diffcheck) -o compare
 *     ./compare tuned.py untuned.py
 *
 * Prints the verdict and the text report; the exit status is the command's.
 */
#include <diffcheck.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* The whole file, NULL if it cannot be read; the caller frees it. */
static char *contents(const char *path, size_t *len)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t room = 0, n = 1;
    *len = 0;
    while (file && n > 0) {
        char *more = realloc(text, room += 1 << 16);
        if (!more)
            break;
        text = more;
        n = fread(text + *len, 1, room - *len, file);
        *len += n;
    }
    bool whole = file && n == 0 && !ferror(file) && *len > 0;
    if (file)
        (void)fclose(file);
    if (whole)
        return text;
    free(text);
    return NULL;
}

int main(int argc, char **argv)
{
    static const char *const options[] = {"--jobs=1", NULL};
    size_t len;
    if (argc != 3) {
        fprintf(stderr, "usage: compare TUNED UNTUNED\n");
        return 2;
    }
    char *text = contents(argv[1], &len);
    struct diffcheck_module *tuned = diffcheck_load_memory(text, len, argv[1]);
    struct diffcheck_module *untuned = diffcheck_load_file(argv[2]);
    struct diffcheck_result *r = diffcheck_compare(tuned, untuned, options);
    int status = diffcheck_exit_status(r);
    if (diffcheck_error(r))
        fprintf(stderr, "%s\n", diffcheck_error(r));
    else
        printf("verdict: %s\n%s", diffcheck_verdict_name(diffcheck_verdict(r)),
               diffcheck_text(r));
    diffcheck_result_free(r);
    diffcheck_module_free(untuned);
    diffcheck_module_free(tuned);
    free(text);
    return status;
}
