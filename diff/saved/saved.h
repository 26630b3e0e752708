/* SPDX-License-Identifier: Apache-2.0
 *
 * Counterexample folders: what a finding is seen with, as files (README.md has the
 * layout). Private to diff/.
 */
#ifndef DC_DIFF_SAVED_SAVED_H
#define DC_DIFF_SAVED_SAVED_H

#include "diff/engine/engine.h"
#include "diff/engine/lint_runs.h"

/* ---- saved_folder.c: a folder that is there whole or not at all ----------------- */

struct saved_folder {
    const char *path; /* as given */
    bool archive;     /* it becomes one file instead, a zip archive */
    const char *temp; /* where it is made, beside path; NULL: not begun */
    size_t n;         /* findings in it */
    const char **names;
};

/* Whether its path can become the folder: it is not there, empty, or holds nothing
 * but what was written here; for an archive, that it is one that was, and that
 * nobody has changed since. False with a diagnostic; what else is there is left what
 * it is. */
DC_MUST_USE bool saved_folder_check(const struct saved_folder *f,
                                    struct diag_sink *sink);
/* A folder for one more finding of that name, made different from the others';
 * NULL with a diagnostic. */
const char *saved_folder_add(struct saved_folder *f, const char *name,
                             struct arena *arena, struct diag_sink *sink);
/* Puts it in its place: the only finding itself, or a folder of folders with a
 * list. Nothing where there is none. */
DC_MUST_USE bool saved_folder_finish(struct saved_folder *f,
                                     struct diag_sink *sink);
/* Removes what was not put in its place. */
void saved_folder_drop(struct saved_folder *f);

/* ---- saved_zip.c: a folder as one file -------------------------------------------- */

/* Appends a zip archive in which the folder goes by the name `top`, letters and
 * digits; shown is the path that messages name. False with a diagnostic. */
DC_MUST_USE bool saved_zip_put(struct buf *out, const char *folder,
                               const char *top, const char *shown,
                               struct diag_sink *sink);
/* Whether the file is such an archive, and as it was written. */
bool saved_zip_is_own(const char *path);

/* ---- saved_write.c: one finding -------------------------------------------------- */

/* A module as it was given: the bytes of its file or section. */
struct saved_module {
    const char *name;               /* "tuned", "untuned", "module" */
    const char *path;               /* as the user named it */
    bool taken;                     /* its text has been looked for */
    struct buf text;                /* owned; len 0: there is none */
    const struct ir_module *module; /* as it was compared */
};

/* Where a value is that both sides have, or the tuned one alone lacks. */
struct saved_element {
    bool known;
    size_t output, element;
};

/* What `bundle` says beside. Names of files stand without their folders in all of
 * it. */
struct saved_bundle {
    enum diff_finding_kind kind;
    const struct report *whole;
    const struct report_pair *pair;
    const struct report_target
        *outcome;           /* of a target; NULL: it is not about one */
    const char *built_with; /* the compiler, its version and flags; or NULL */
    const char *runs_on;    /* TVM's target as JSON, where it is one; or NULL */
    const char *tvm;        /* its version, where it is one of TVM's; or NULL */
};

struct saved_finding {
    const char *command; /* that takes the folder: "compare", "lint" */
    const struct report_origin *origin; /* or NULL */
    const struct saved_bundle *bundle;  /* NULL: `--save` alone */
    const struct diff_options *options;
    const char *verdict, *rule, *reason, *function, *tuned_function;
    const char *fail_on;       /* without which it is no finding; or NULL */
    const char *fault, *where; /* or NULL */
    const struct report_witness *witness;
    const struct report_list *assumptions;
    const char *report; /* text, without what the folder adds */
    size_t nmodules;
    const struct saved_module *modules;
    /* The input; sig NULL: nothing was run. */
    const struct interp_signature *sig;
    const struct diff_args *in;
    const char *input; /* in words */
    uint64_t seed;
    bool minimised;
    size_t nsymbols;
    const struct interp_symbol *symbols;
    /* By module, what was run: its parameters are those of sig. */
    const struct ir_func *funcs[NSIDES];
    /* Outputs by module, in its order, NULL: it gives none. Of a Relax function
     * they are made by it, else by position of the parameter. */
    bool relax;
    size_t noutputs;
    struct interp_tensor *const *outputs[NSIDES];
    struct saved_element element;
    /* What a target gave; NULL: it is not about one. */
    const char *target;
    struct interp_tensor *const *recorded;
};

/* Writes everything into an empty folder; shown is its path in the end. */
DC_MUST_USE bool saved_write(const char *folder, const char *shown,
                             const struct saved_finding *f,
                             struct diag_sink *sink);

/* ---- saved_call.c: how TVM calls a function --------------------------------------- */

/* The function as its module has it differs from the one that was run where sizes
 * of shapes left its parameters or became some (diff_align_params), and where what
 * it returns became an output (diff_store_returned). */
struct saved_argument {
    bool is_number;
    int64_t number;
    size_t position; /* else: in sig */
};
struct saved_call {
    size_t n;
    struct saved_argument *args;
    bool returns;
    size_t returned; /* the position of what it returns */
};
/* Of module k, in the arena; NULL: all parameters in their order, and nothing
 * returned. */
const struct saved_call *saved_call_make(const struct saved_finding *f,
                                         size_t k, struct arena *arena);
/* The name of the function at fault in module k. */
const char *saved_function(const struct saved_finding *f, size_t k);

/* ---- saved_orders.c: parallel loops in orders that they allow ---------------------- */

/* "forwards", "backwards", "in-step"; NULL: there are no more. */
const char *saved_order_name(size_t i);
/* The module with its parallel loops in that order, NULL where it has none; what is
 * made anew lies in the arena of the owner, whose functions are those of m. */
const struct ir_module *saved_order_make(struct ir_module *owner,
                                         const struct ir_module *m, size_t i);

/* ---- saved_json.c ----------------------------------------------------------------- */

/* finding.json; files[i] is the name of parameter or output i without folder and
 * ending, given[k] the name of module k's own text or NULL, whole[k] whether it
 * could be written for TVM. */
struct saved_names {
    const char **params, **outputs;
    const char **given;
    bool *whole, *ordered; /* the orders of its loops are there, too */
    const bool
        *masked[NSIDES]; /* outputs with a file that says what is known */
};
void saved_put_finding(struct buf *out, const struct saved_finding *f,
                       const struct saved_names *names);

/* ---- saved_parts.c ---------------------------------------------------------------- */

struct saver;
struct diff_casetext;
/* The bytes that m->module was read from, once. There are none where they are not
 * to be had again: of standard input and pipes, and, with a warning, of a file that
 * is another one by now. section NULL: path is no case file. */
void saved_take_text(struct saved_module *m, const struct diff_options *options,
                     const char *path, const struct diff_casetext *section,
                     struct diag_sink *sink);
/* The tensors among args that the function stores to, NULL for the others. */
struct interp_tensor **saved_outputs(struct arena *arena,
                                     const struct interp_signature *sig,
                                     const struct diff_args *args);
/* Whether no operation rounded that the element of the finding hangs on, on any
 * side: then its value is one for all orders. */
bool saved_is_exact(const struct saved_finding *f);
/* Whether the element was computed and is defined, and the same of all, as bool;
 * the caller frees it. */
bool saved_is_known(const struct interp_tensor *t, size_t i);
struct interp_tensor *saved_known(const struct interp_tensor *t);
/* What bundles say of a comparison (README.md): copies in the arena in which files
 * go by their names alone, which the report is made of, too. */
struct report *saved_without_paths(const struct report *report,
                                   struct arena *arena);
struct report_pair *saved_pair_without_paths(const struct report_pair *pair,
                                             const struct report *report,
                                             struct arena *arena);
const char *saved_bare_name(const char *path);
/* A folder for the finding, with everything in it. */
DC_MUST_USE bool saved_put(struct saver *s, const char *name,
                           const struct saved_finding *f,
                           struct diag_sink *sink);

/* ---- saved_pair.c ------------------------------------------------------------------ */

/* What --save asks for, over all pairs of a command. */
struct diff_harness;
struct saver {
    struct saved_folder folder;
    const struct diff_harness
        *harness; /* that targets are of; NULL: there are none */
    struct saved_module modules[NSIDES];
    struct arena *arena;
};
/* NULL where nothing is to be saved, or, with a diagnostic, where the folder
 * cannot be. */
struct saver *saved_new(const struct diff_options *options,
                        struct diag_sink *sink);
/* What the finished pair has found, its targets included. */
DC_MUST_USE bool saved_pair(struct saver *s, struct diff_pair *pair,
                            struct diag_sink *sink);
/* A function that lint has found to be unsafe; report is its text. */
DC_MUST_USE bool saved_lint(struct saver *s, struct lint *l,
                            struct lint_finding *f, const char *report,
                            struct diag_sink *sink);
/* Puts the folder in its place, or says that there is nothing to save. */
DC_MUST_USE bool saved_finish(struct saver *s, struct diag_sink *sink);
void saved_free(struct saver *s); /* NULL is fine */

/* ---- saved_read.c -------------------------------------------------------------------- */

/* Whether the path is a folder with findings. */
bool saved_is(const char *path);
/* The command line that the folder stands for: program, command, modules, the
 * options of its run with its files, and then `rest`. In the arena, NULL at its
 * end; NULL with a diagnostic where it is none of ours. */
char **saved_words(const char *path, const char *program, const char *command,
                   size_t nrest, char *const *rest, struct arena *arena,
                   struct diag_sink *sink);

#endif
