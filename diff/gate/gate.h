/* SPDX-License-Identifier: Apache-2.0
 *
 * The pre-merge gate: which modules changed, what is known of them from earlier
 * runs, which findings were accepted. Private to diff/.
 */
#ifndef DC_DIFF_GATE_GATE_H
#define DC_DIFF_GATE_GATE_H

#include "diff/input/options.h"

#define GATE_HASH 32u /* bytes of a SHA-256 */

/* ---- gate_find.c: modules of both sides -------------------------------------- */

struct gate_file {
    const char *path; /* below the side's root, as reports name it */
    const char *at;   /* to open */
    unsigned char hash[GATE_HASH]; /* of a case with the files that it names */
    size_t size;                   /* bytes that the hash is of */
    bool is_module; /* by its text; one that cannot be read counts as one */
    bool unread;    /* it could not be read: the hash is of nothing */
    bool paired;
};
/* Sorted by path, each once. */
struct gate_files VEC(struct gate_file);

/* One module that both sides have. */
struct gate_pair {
    const char *name; /* the path without its last suffix, where that tells */
    const struct gate_file *before, *after; /* a case: before is NULL */
};
struct gate_pairs VEC(struct gate_pair);

/* One side: a folder, of which the paths (of files or folders; none: all) are
 * searched. */
struct gate_side {
    const char *root;
    size_t npaths;
    const char *const *paths; /* below the root; "" is the root */
    size_t max_bytes;         /* of one file, 0: the built-in limit */
};
/* Reads all files of the side. False with diagnostics where the root or a folder
 * cannot be read. there[i] is set where the i-th path is there; it may be NULL.
 * Files are the caller's to vec_fini, what they point to is in the arena. */
DC_MUST_USE bool gate_find(struct arena *arena, const struct gate_side *side,
                           bool *there, struct gate_files *out,
                           struct diag_sink *sink);
/* Reads and hashes one file, which may be a case. */
struct gate_file gate_file_read(const char *path, size_t max_bytes);
/* Whether the file still holds what was hashed. */
bool gate_is_same(const struct gate_file *file, size_t max_bytes);
/* prefix/path without "." and ".."; NULL if it leads out of the top. */
const char *gate_path(struct arena *arena, const char *prefix,
                      const char *path);
/* Pairs by path, and by content what was moved; sets `paired`. In the order of
 * paths of the after side. */
void gate_match(struct arena *arena, struct gate_files *before,
                struct gate_files *after, struct gate_pairs *out);
/* The path without its last suffix. */
const char *gate_stem(struct arena *arena, const char *path);
/* Modules without a partner; added, removed names as those of pairs. */
void gate_alone(struct arena *arena, const struct gate_files *files,
                struct report_list *out);

/* ---- gate_rev.c: git revisions ------------------------------------------------ */

struct gate_repository {
    const char *top;    /* of the work tree */
    const char *folder; /* .git, absolute */
    bool at_top;        /* is the working directory */
    const char *own;    /* a private folder that goes with it; NULL: none yet */
    size_t npaths;
    const char **paths; /* the operands, below the top */
};
/* The repository around the working directory. False with diagnostics
 * (gate.git). gate_repository_close in any case. */
DC_MUST_USE bool gate_repository_open(struct arena *arena, size_t noperands,
                                      const char *const *operands,
                                      struct gate_repository *out,
                                      struct diag_sink *sink);
/* Puts those of the paths that the revision has into a private folder, through
 * an index of its own: neither work tree nor index of the user are touched, and
 * no hook is run. NULL with diagnostics. */
const char *gate_repository_take(struct arena *arena,
                                 struct gate_repository *repository,
                                 const char *revision, const char *name,
                                 struct diag_sink *sink);
void gate_repository_close(struct gate_repository *repository);

/* ---- gate_key.c: under what a result is kept ------------------------------------ */

/* SHA-256 of the bytes. */
void gate_hash(const void *data, size_t len, unsigned char out[GATE_HASH]);

/* A part of what is hashed, with its length: no two lists of parts are one text. */
void gate_put_part(struct buf *out, const void *data, size_t len);
/* A text whose lines a report on the file may name, if there is one. */
void gate_put_beside(struct buf *out, const char *path);

/* What all keys of a run have in common: program, solver, options, files of
 * --extern. False where that cannot be told (a file cannot be read): nothing is
 * to be kept then. */
DC_MUST_USE bool gate_key_common(const struct diff_options *options,
                                 unsigned char out[GATE_HASH]);
void gate_key(const unsigned char common[GATE_HASH],
              const struct gate_pair *pair, unsigned char out[GATE_HASH]);
/* Makes a key one of this path, too. */
void gate_key_of_place(unsigned char key[GATE_HASH], const char *path);

/* ---- gate_store.c: results on disk ------------------------------------------------ */

struct gate_store;

/* The store in the file, made if there is none; NULL: results.sqlite in the folder
 * of the build cache. A file given by name that cannot be used is an error
 * (NULL, gate.store); otherwise *out is NULL after a warning, and the gate works
 * without. One that cannot be written is read, with a warning. */
DC_MUST_USE bool gate_store_open(const char *file, struct gate_store **out,
                                 struct diag_sink *sink);
/* Whether the key has a value, which is appended to *out. What was damaged has
 * none. A warning the first time that something goes wrong. */
bool gate_store_get(struct gate_store *store,
                    const unsigned char key[GATE_HASH], struct buf *out,
                    struct diag_sink *sink);
/* Keeps the value; on disk, as far as a kill of this process goes, when this
 * returns. What fails is a warning once, and the value is not kept. */
void gate_store_put(struct gate_store *store,
                    const unsigned char key[GATE_HASH], const struct buf *value,
                    struct diag_sink *sink);
void gate_store_close(struct gate_store *store); /* NULL is fine */

/* ---- gate_kept.c: reports in the store -------------------------------------------- */

struct gate_names {
    const char *tuned, *untuned;           /* as reports name the files */
    const char *tuned_word, *untuned_word; /* in commands, quoted */
};
extern const struct gate_names gate_kept_names;
struct gate_names gate_names_of(struct arena *arena, const char *tuned,
                                const char *untuned);
/* Gives the files of the report, which are `from`, other names. */
void gate_rename(struct report *report, const struct gate_names *from,
                 const struct gate_names *to);

/* Whether results may be kept: what targets give hangs on what is installed. */
bool gate_may_keep(const struct diff_options *options);
struct gate_keeper {
    const struct diff_options *options;
    struct gate_store *store; /* or NULL: nothing is kept */
    struct diag_sink *sink;
    bool keyed;
    unsigned char common[GATE_HASH];
};
void gate_keeper_init(struct gate_keeper *keeper,
                      const struct diff_options *options,
                      struct gate_store *store, struct diag_sink *sink);
/* The pair's result in the store, the caller's to free, and its text appended to
 * *text; NULL: it has none. The key is for gate_keeper_put. */
struct report *gate_keeper_get(const struct gate_keeper *keeper,
                               const struct gate_pair *pair,
                               unsigned char key[GATE_HASH], struct buf *text);
/* Appends the report, whose files have the kept names, to *text, and keeps it if
 * that may be. */
void gate_keeper_put(const struct gate_keeper *keeper,
                     const struct gate_pair *pair,
                     const unsigned char key[GATE_HASH],
                     const struct report *report, struct buf *text);
/* A kept report; NULL where the text is none. */
struct report *gate_kept_report(const char *text, size_t len);

/* ---- gate_shard.c: a part of the pairs -------------------------------------------- */

/* The shard that this run is: of --shard, else of a Slurm array or a job of
 * Kubernetes that it runs in, of which a line is said to the sink; *count is 0
 * where it is none. False with diagnostics (gate.shard). */
DC_MUST_USE bool gate_shard_choose(const struct diff_options *options,
                                   size_t *index, size_t *count,
                                   struct diag_sink *sink);
/* Which of the shards, from 1, each pair is of: the same for the same contents. */
void gate_shard_split(size_t n, const struct gate_pair *pairs, size_t count,
                      size_t *shards);
/* Names of the whole: program, options and set of *out. False where that cannot be
 * told (gate.shard). */
struct gate_whole {
    const char *command;
    size_t n;
    const struct gate_pair *pairs;
    size_t nlists; /* further names */
    const struct report_list *const *lists;
};
DC_MUST_USE bool gate_shard_name(const struct diff_options *options,
                                 const struct gate_whole *whole,
                                 struct report_shard *out,
                                 struct diag_sink *sink);

/* ---- gate_run.c: the comparisons -------------------------------------------------- */

struct gate_result {
    struct report *report; /* NULL: not done, an interrupt came or another
                              shard has it */
    double time_s;
    bool stored, unseen;
};
struct gate_run {
    const struct diff_options *options;
    struct gate_store *store; /* or NULL */
    size_t n;
    const struct gate_pair *pairs; /* whose sides differ */
    const struct gate_names *names;
    const bool *others; /* those of other shards, not to be done; or NULL */
    struct gate_result *results;
    struct diag_sink *sink;
};
/* Fills results: from the store, else by comparing; false when interrupted. */
bool gate_run(struct gate_run *run);

/* ---- gate_judge.c: what was accepted ---------------------------------------------- */

/* A finding that is known: accepted in a baseline, or of another report. */
struct gate_known {
    const char *pair, *function; /* of the pair: as entries name it */
    const char *rule, *fingerprint;
    const char *what; /* a sentence; NULL: not said */
    enum report_verdict verdict;
    const char *reason, *author; /* or NULL */
    const char *until;           /* YYYY-MM-DD, the last day; or NULL */
    const char *also;            /* as in reports.h; or NULL */
    bool matched;                /* a finding of this run has the place */
    bool gone;                   /* gate_collect_gone found it to be */
};
struct gate_known_list VEC(struct gate_known);

/* A report to be judged. */
struct gate_case {
    const char *pair;
    struct report *report; /* may be NULL where unseen */
    bool unseen; /* nothing is known of it: what was accepted stays so */
};
/* Sorts the list; marks the findings of the reports that it has as known, and
 * says of those why they are findings again that it has for another cause, or
 * until a day that has passed. Exit statuses follow. */
void gate_judge(struct gate_known_list *known, const char *today, size_t n,
                struct gate_case *cases);
/* Pairs that are no cases. */
struct gate_others {
    struct report_list same; /* names of those whose sides are equal; sorted */
    const char *absent; /* what is said of the rest: "the module is gone" */
    /* Where paths were asked for, nothing is said of what is not below one. */
    size_t npaths;
    const char *const *paths;
};
/* What of the list no finding has, and what became of it. */
void gate_collect_gone(struct gate_known_list *known, size_t n,
                       const struct gate_case *cases,
                       const struct gate_others *others, struct arena *arena,
                       struct report_gate *out);
/* The findings of a report, for a baseline or another report. */
void gate_collect(const char *pair, const struct report *report,
                  struct arena *arena, struct gate_known_list *out);

/* ---- gate_baseline.c: accepted findings on disk ------------------------------------ */

/* False with diagnostics (baseline.*) that name the entry. */
DC_MUST_USE bool gate_baseline_read(const char *file, struct arena *arena,
                                    struct gate_known_list *out,
                                    struct diag_sink *sink);
DC_MUST_USE bool gate_baseline_write(const char *file,
                                     const struct gate_known_list *list,
                                     struct diag_sink *sink);

#endif
