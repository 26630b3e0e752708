/* SPDX-License-Identifier: Apache-2.0
 *
 * libdiffcheck: does a tuned kernel still compute what the untuned one did?
 *
 * UNSTABLE: names, types and meaning may change with each version until 1.0.
 *
 *     struct diffcheck_module *tuned = diffcheck_load_file("tuned.json");
 *     struct diffcheck_module *untuned = diffcheck_load_file("untuned.json");
 *     struct diffcheck_result *r = diffcheck_compare(tuned, untuned, NULL);
 *     if (r && !diffcheck_error(r))
 *         puts(diffcheck_text(r));
 *     diffcheck_result_free(r);
 *     diffcheck_module_free(untuned);
 *     diffcheck_module_free(tuned);
 *
 * The library neither ends nor disturbs its host, whatever it is given: a
 * module is read, and two are compared, by the program `diffcheck`, which is
 * started for each call. An internal error, a fault, or memory that runs out
 * there become an error of the module or the result. The program has the
 * host's environment, folder and limits, none of its descriptors, and ends with
 * the thread that waits for it. It is looked for in the folders bin and ../bin
 * beside the library's folder, in that folder itself, and where it was to be
 * installed; it must be of the library's version.
 *
 * Threads: any function may be called by any number of threads at a time.
 * Modules and results never change once they are made; whoever frees one must
 * know that nobody uses it.
 *
 * Ownership: what a function returns as struct pointer belongs to the caller,
 * who frees it with the function named. Strings belong to the module or result
 * that they were got from, and live as long; texts given to the library are
 * copied.
 *
 * Memory: NULL is returned only where malloc has none left; all functions
 * accept NULL, and give an error or nothing for it.
 */
#ifndef DC_DIFF_API_DIFFCHECK_H
#define DC_DIFF_API_DIFFCHECK_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define DIFFCHECK_API __attribute__((visibility("default")))
#else
#define DIFFCHECK_API
#endif

/* What is claimed about a pair of functions (docs/verdicts.md), worst first. */
enum diffcheck_verdict {
    DIFFCHECK_NONE = -1, /* there is none: an error */
    DIFFCHECK_UNSAFE,
    DIFFCHECK_DIFFERENT,
    DIFFCHECK_PRECISION,
    DIFFCHECK_UNKNOWN,
    DIFFCHECK_AGREES,
    DIFFCHECK_ALGEBRAIC,
    DIFFCHECK_ORDER_ONLY,
    DIFFCHECK_IDENTICAL
};

struct diffcheck_module; /* a module of TVM tensor IR */
struct diffcheck_result; /* what came of comparing two */

/* "0.1.0": the version of the library in use. */
DIFFCHECK_API const char *diffcheck_version(void);

/* A module from a file, or from len bytes of text, in any form that diffcheck
 * reads: TVM's JSON or TVMScript. `name` is what reports call it. A text that
 * cannot be read, or is no module, gives a module with an error. */
DIFFCHECK_API struct diffcheck_module *diffcheck_load_file(const char *path);
DIFFCHECK_API struct diffcheck_module *
diffcheck_load_memory(const void *text, size_t len, const char *name);
/* What is wrong, with file and position, in lines; NULL: nothing. */
DIFFCHECK_API const char *
diffcheck_module_error(const struct diffcheck_module *module);
DIFFCHECK_API void diffcheck_module_free(struct diffcheck_module *module);

/* Compares the functions of both modules. `options` are those of `diffcheck
 * compare` as on its command line, NULL at their end, or NULL for none: words
 * such as "--no-proof", "--budget=10M", "--jobs=1". Reports are had from the
 * result: --format is refused, as --help and --version are. Takes as long as
 * its budget lasts. */
DIFFCHECK_API struct diffcheck_result *
diffcheck_compare(const struct diffcheck_module *tuned,
                  const struct diffcheck_module *untuned,
                  const char *const *options);
DIFFCHECK_API void diffcheck_result_free(struct diffcheck_result *result);

/* Why nothing was compared; NULL: it was. */
DIFFCHECK_API const char *
diffcheck_error(const struct diffcheck_result *result);
/* The worst verdict of all pairs of functions. */
DIFFCHECK_API enum diffcheck_verdict
diffcheck_verdict(const struct diffcheck_result *result);
/* "different"; "none" for what is no verdict. */
DIFFCHECK_API const char *
diffcheck_verdict_name(enum diffcheck_verdict verdict);
/* As of the command: 0 nothing found, 1 a finding, 2 wrong options, unreadable
 * input or no memory left for it, 3 an internal error, 4 undecided. */
DIFFCHECK_API int diffcheck_exit_status(const struct diffcheck_result *result);
/* The report for people, without colours, and as JSON (docs/verdicts.md has
 * its keys). Where there is an error the text is empty, and the JSON may be. */
DIFFCHECK_API const char *diffcheck_text(const struct diffcheck_result *result);
DIFFCHECK_API const char *diffcheck_json(const struct diffcheck_result *result);

#ifdef __cplusplus
}
#endif

#endif
