/* SPDX-License-Identifier: Apache-2.0
 *
 * What `bundle` adds to the folder of a finding, for somebody who maintains TVM and
 * has no diffcheck. Private to diff/saved/.
 */
#ifndef DC_DIFF_SAVED_BUNDLE_H
#define DC_DIFF_SAVED_BUNDLE_H

#include "diff/saved/saved.h"

/* ---- bundle_module.c: the functions at fault ------------------------------------- */

/* One side, for a script and for people; texts in the arena. */
struct bundle_module {
    const char *side;     /* "tuned", "untuned", "module" */
    const char *function; /* its name in the module */
    const char *shown;    /* TVMScript of the function and what it calls */
    const char *script;   /* the same as Python, which leaves it in a variable
                             named as the side; NULL: text cannot say it */
    const char *json;     /* TVM's JSON of it; NULL: there is none */
    bool bare;            /* of script: a function, not a module */
    bool relax, sizes;    /* it needs relax, TypeVar */
    bool gpu;
};

/* The module without the functions that `function` does not reach; m itself where
 * that is none. In the arena, sharing what m has. */
const struct ir_module *bundle_minimal(const struct ir_module *m,
                                       const char *function,
                                       struct arena *arena);
/* m is minimal. As a function alone where `alone` is set and it is one. */
void bundle_describe(const struct ir_module *m, const char *function,
                     const char *side, bool alone, struct arena *arena,
                     struct bundle_module *out);

/* ---- bundle_values.c: numbers and arrays as Python -------------------------------- */

/* NULL, or why Python has no array of the type. */
const char *bundle_type_refused(struct dtype t);
/* A number, such that Python's is the same one. */
void bundle_put_number(struct buf *out, struct dtype t, uint64_t bits);
void bundle_put_double(struct buf *out, double value);
/* "[0, 3]"; "[()]" of no index. */
void bundle_put_index(struct buf *out, const struct interp_tensor *t,
                      size_t element);
/* Lines that make the array and leave it in the variable; true: they read `file`
 * of the folder in HERE. */
bool bundle_put_array(struct buf *out, const char *variable, const char *folder,
                      const char *file, const struct interp_tensor *t);

/* ---- bundle_python.c, bundle_run.c ---------------------------------------------------------------- */

/* reproduce.py. */
void bundle_put_python(struct buf *out, const struct saved_finding *f,
                       const struct saved_names *names,
                       const struct bundle_module *modules);

/* ---- bundle_report.c ---------------------------------------------------------------- */

/* report.md; python is the text of reproduce.py. */
void bundle_put_report(struct buf *out, const struct saved_finding *f,
                       const struct bundle_module *modules, const char *python);
/* The version of TVM that the user names, or that the modules do; NULL. */
const char *bundle_version(const struct saved_finding *f);
/* What is wrong, in one sentence without a full stop. */
void bundle_put_headline(struct buf *out, const struct saved_finding *f);

/* ---- bundle_paths.c: without what is of this machine ---------------------------------- */

/* Whether the text names the user's home. */
bool bundle_is_private(const char *text);

/* ---- bundle.c ------------------------------------------------------------------------ */

/* The files that are added, in the folder. */
DC_MUST_USE bool bundle_write(const char *folder, const struct saved_finding *f,
                              const struct saved_names *names,
                              const struct ir_module *const *modules,
                              struct diag_sink *sink);

#endif
