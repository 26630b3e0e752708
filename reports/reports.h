/* SPDX-License-Identifier: Apache-2.0
 *
 * The model of a report: what a comparison found, as plain data, and the
 * writers that turn it into text for people or machines.
 *
 * The engine fills the model; writers only read it, so that all formats say
 * the same. Everything a report points to lives in its arena or outlives it.
 */
#ifndef DC_REPORTS_REPORTS_H
#define DC_REPORTS_REPORTS_H

#include "ir/base/json.h"
#include "ir/ir.h"

/* Worst first: the verdict of several pairs is the smallest of theirs. */
enum report_verdict {
    REPORT_UNSAFE,
    REPORT_DIFFERENT,
    REPORT_PRECISION,
    REPORT_UNKNOWN,
    REPORT_AGREES,
    REPORT_ALGEBRAIC,
    REPORT_ORDER_ONLY,
    REPORT_IDENTICAL,
    REPORT_NVERDICTS
};
const char *report_verdict_name(enum report_verdict verdict);
/* One sentence for people: what the verdict claims. */
const char *report_verdict_meaning(enum report_verdict verdict);
DC_MUST_USE bool report_verdict_parse(const char *text, size_t len,
                                      enum report_verdict *out);

enum report_evidence {
    REPORT_NO_EVIDENCE,
    REPORT_RUN,
    REPORT_FINGERPRINT,
    REPORT_PROOF
};
const char *report_evidence_name(enum report_evidence evidence);

/* Exit statuses: what a pair, or all, call for. */
enum report_exit {
    REPORT_EXIT_NOTHING = 0,
    REPORT_EXIT_FINDING = 1,
    REPORT_EXIT_USAGE = 2, /* wrong command line or unreadable input */
    REPORT_EXIT_INTERNAL = 3,
    REPORT_EXIT_UNDECIDED = 4
};

/* A growing list of strings in the report's arena. */
struct report_list {
    size_t n, cap;
    const char **items;
};

/* One side's value of the element that a witness names. */
enum report_value_kind {
    REPORT_V_NONE,      /* not known */
    REPORT_V_BITS,      /* a number of type dtype */
    REPORT_V_BOX,       /* an enclosure lo..hi */
    REPORT_V_NOTHING,   /* no real number: log of a negative, 0 / 0, … */
    REPORT_V_UNDEFINED, /* uninitialised or undefined */
};
struct report_value {
    enum report_value_kind kind;
    struct dtype dtype;
    uint64_t bits;
    double lo, hi;
};

struct report_dim {
    const char *name;
    int64_t value;
};

/* A statement that has to do with a finding. */
struct report_place {
    bool tuned; /* of the tuned module, else of the untuned one */
    const char
        *file;     /* NULL: that side's module as `diffcheck show` prints it */
    uint32_t line; /* in it; 0: not known */
    const char *text;   /* the statement, one line */
    const char *vars;   /* "vx = 0, vr = 0..8"; "": none */
    const char *access; /* of a race: "read", "write"; else NULL */
    const char *thread; /* of a race: "blockIdx.x 3, threadIdx.x 0", or NULL */
};

/* What separates the two modules, of one element or of a fault. */
struct report_origin {
    /* Guilty statements first; of races both accesses. */
    size_t nplaces;
    struct report_place *places;
    /* In a few words, and as formulas of the smallest parts that differ; NULL:
     * not known. */
    const char *cause, *formula_untuned, *formula_tuned;
    const char *element; /* "C[0, 3]", where no witness names it; or NULL */
};

/* The input that shows a finding, and what it shows. */
struct report_witness {
    const char *kind;  /* "value", "enclosure", "uninitialised", "fault",
                          "undefined-variable" */
    const char *input; /* fill: "exact", …; NULL when no run was needed */
    uint64_t seed;
    size_t ndims; /* symbolic sizes, sorted by name */
    struct report_dim *dims;
    const char *parameter; /* name of the output, NULL if none */
    size_t position;       /* its position in the parameter list */
    size_t nindex;
    int64_t *index; /* of the element */
    struct report_value untuned, tuned;
    /* How many elements of that output differ on this input, of those computed
     * (0: not known), and the smallest box that holds them, nindex ends each. */
    size_t compared, differing;
    int64_t *from, *to; /* the first and the last */
    /* Faults. */
    const char *fault, *message, *where, *buffer;
    uint32_t line;    /* of that statement in the tuned file; 0: not known */
    bool every_input; /* a fault that depends on no data */
    /* Where the input was made smaller: it in words, and how many elements
     * differ on the one that it was made from (0: not known). */
    const char *smallest;
    size_t before_differing;
    /* Terms combined into the element, where they could be traced. */
    bool traced;
    bool trace_truncated;
    size_t terms_untuned, terms_tuned;
    struct report_list missing; /* terms of the untuned side only */
    struct report_list extra;   /* terms of the tuned side only */
    const char *order; /* same terms: where their order first differs */
};

/* ---- targets: numeric outcomes, worst first -------------------------------- */

enum report_outcome {
    REPORT_WRONG,            /* differs where no operation rounds */
    REPORT_NONDETERMINISTIC, /* equal inputs, other bits */
    REPORT_DEVIATES,         /* reproduced by arithmetic that is not declared */
    REPORT_UNEXPLAINED,      /* differs, for no reason found */
    REPORT_ERROR,            /* the target did not deliver */
    REPORT_WITHIN_BOUND,
    REPORT_EXPLAINED,
    REPORT_SKIPPED, /* cannot be used here */
    REPORT_EXACT,
    REPORT_NOUTCOMES
};
const char *report_outcome_name(enum report_outcome outcome);
DC_MUST_USE bool report_outcome_parse(const char *text, size_t len,
                                      enum report_outcome *out);

/* How far values are from each other, over the inputs of realistic scale. */
struct report_distance {
    uint64_t elements, differing;
    double max_abs, mean_abs; /* of finite differences; mean of all elements */
    uint64_t max_ulp;
};

/* One side's kernel on a target against the interpreter. */
struct report_kernel {
    enum report_outcome outcome;
    const char *reason;     /* NULL if there is nothing to say */
    const char *hypothesis; /* "contract=left", or NULL */
    size_t outputs; /* that the hypothesis reproduces on each input; 0: not
                       the same number on all */
    struct report_distance from_reference;
};

struct report_target {
    const char *target;
    enum report_outcome outcome; /* the worse of both kernels */
    const char *reason;          /* one sentence, or NULL */
    const char *hypothesis;      /* or NULL */
    bool part;                   /* of the kernel alone was run */
    bool ran;                    /* the rest is known */
    size_t inputs;
    struct report_kernel tuned, untuned;
    struct report_distance between; /* tuned and untuned, on the target */
    const char *detail;             /* several lines, or NULL */
    double time_s;
};

/* ---- plots: what a page draws, kept small; only where a writer asks for it ------ */

#define REPORT_CELLS   64u  /* a side of a grid, at most */
#define REPORT_CLASSES 33u  /* of distances of one sign */
#define REPORT_STEPS   200u /* kept of a reduction */
#define REPORT_LEAVES  256u /* of a tree */
#define REPORT_LINES   400u /* of a program, and its */
#define REPORT_COLUMNS 240u /* bytes a line */

/* Cells row by row. */
struct report_grid {
    size_t rows, columns;
    uint64_t *cells;
};
/* Where the output differs: over its last two axes, cells of several elements if
 * these are long, the worst of all other indices. */
struct report_heat {
    int64_t down, across;    /* the axes' extents */
    int64_t folded;          /* product of the others */
    struct report_grid seen; /* elements that were compared */
    struct report_grid ulp;  /* the largest distance; UINT64_MAX: NaN on one
                                side */
};
/* How many elements: below[0] and above[0] differ by 1 ulp, [k] by more than
 * 2^(k-1) and up to 2^k, the last by anything more. */
struct report_histogram {
    uint64_t equal, odd; /* odd: NaN or undefined on one side */
    uint64_t below[REPORT_CLASSES], above[REPORT_CLASSES];
};
/* |difference| against the sum of both sides' error bounds, as powers of 2: the
 * first column's bound is in 2^left..2^(left + step), the first row's
 * difference in 2^bottom..2^(bottom + step). */
struct report_bound {
    int left, bottom;
    unsigned step;
    struct report_grid count;
    uint64_t elements;         /* that were looked at: all, or a sample */
    uint64_t equal, unbounded; /* not in the grid */
    uint64_t beyond; /* above the bound; without a cell where that is 0 */
};
/* One partial result of a reduction. */
struct report_step {
    uint64_t at;  /* terms combined so far */
    double value; /* as computed */
    double error; /* of it, from the value over the real numbers */
};
/* How one side combines the terms of the element. */
struct report_reduction {
    const char *order; /* "sequential", …; NULL: not known */
    size_t terms;
    size_t n; /* the tree in postfix: numbers of terms, -1: combine two */
    int64_t *tree;
    size_t nsteps;
    struct report_step *steps;
};
/* A barrier of the tuned module. */
struct report_barrier {
    uint32_t line; /* of places[].file; 0: not known */
    const char *text;
};
enum report_plot {
    REPORT_PLOT_HEAT,
    REPORT_PLOT_ULPS,
    REPORT_PLOT_BOUND,
    REPORT_PLOT_GROWTH,
    REPORT_PLOT_TREES,
    REPORT_NPLOTS
};
const char *report_plot_name(enum report_plot plot);
struct report_plots {
    const char *why[REPORT_NPLOTS]; /* there is none of it; NULL: there is */
    const char *output, *dtype, *input; /* "D", "float16", "random, seed 1" */
    const char *element;   /* whose reduction: "D[0, 3]"; NULL: none */
    const char *operation; /* "sum", "product", "minimum", "maximum" */
    struct report_heat *heat;
    struct report_histogram *ulps;
    struct report_bound *bound;
    struct report_list terms; /* by number; of the untuned side first */
    struct report_reduction untuned, tuned;
    size_t nbarriers;
    struct report_barrier *barriers;
};
/* The part of a module's text that holds the function. */
struct report_source {
    const char *name; /* of the file; NULL: what `diffcheck show` prints */
    uint32_t first;   /* number of the first line */
    struct report_list lines;
    bool cut; /* there is more of it */
};

/* What was accepted before: with it a finding is none of this run. */
struct report_known {
    const char *reason, *author; /* NULL: not said */
    const char *until;           /* YYYY-MM-DD, the last day; NULL: for ever */
    const char *also; /* in place of all three: "in old.json, too"; or NULL */
    int exit_code;    /* that the finding would call for */
};

/* Of `precision`: what keeps the sides apart. */
struct report_rounding {
    bool wider; /* intermediates of the tuned side are of wider types, that is
                   all: what --allow wider allows */
    const char *reason;          /* why, or why that is not known */
    const char *untuned, *tuned; /* "float16, float32": what intermediates are
                                    rounded to; NULL: not known */
};

struct report_pair {
    const char *function;
    const char *tuned_function; /* when its name is another one, else NULL */
    enum report_verdict verdict;
    enum report_evidence evidence;
    int exit_code;            /* that this pair calls for, targets included */
    const char *exit_because; /* the option that asks for it; NULL: none does */
    double time_s;
    uint64_t
        steps; /* of the interpreter, that it took; 0: none, or not known */
    const struct report_known *known; /* NULL: it is not accepted */
    const char *again; /* why what was known is a finding again, or NULL: */
    bool expired;      /* its day has passed; else it has another cause */
    const struct report_known *lapsed; /* that which has; not in JSON */
    const char *reason;
    const char
        *suspect; /* why the operands may be in the wrong order; or NULL */
    struct report_witness *witness;   /* NULL if none */
    struct report_origin *origin;     /* NULL if not known */
    struct report_rounding *rounding; /* of `precision`, else NULL */
    struct report_list assumptions;   /* sorted when the report is finished */
    struct report_list holds_for;     /* restrictions of an `agrees` */
    struct report_list warnings;
    struct report_list notes;
    struct report_list drift; /* what all targets say, in sentences */
    const char *command;      /* reproduces this pair */
    const char *explanation;  /* text of several lines; NULL: not asked for */
    const char *certificate;  /* of a proof, for a file of its own; or NULL */
    const char *certificate_hash; /* SHA-256 of its text, in hexadecimal */
    size_t ntargets;
    struct report_target *targets; /* in order of name */
    struct report_plots *plots;    /* NULL: not asked for */
    struct report_source *sources; /* untuned, tuned; NULL: not asked for */
};

/* One of the reasons why there is no verdict, as a diagnostic has it. */
struct report_error {
    const char *code, *message;
    const char *file;   /* NULL: it is of no file */
    uint32_t line, col; /* in it; 0: not known */
    const char *path;   /* in JSON: "/nodes/12/data/body"; or NULL */
};

struct report {
    struct arena *arena;
    const char *tuned, *untuned; /* paths as given */
    /* Of the command line, in its order, those that may change what is found:
     * "--seed=3", "--strict-ieee". */
    struct report_list options;
    const char *error; /* exit 2 and 3: why there is no verdict */
    size_t nerrors;    /* with error: that one and what else was wrong */
    struct report_error *errors;
    int exit_code;
    size_t npairs;
    struct report_pair *pairs;
    /* Functions that one side alone has, where that is no error. */
    struct report_list only_tuned, only_untuned;
    struct report_list environment; /* "Z3 4.8.12"; where plots are asked for */
};

struct report *report_new(void);
void report_free(struct report *report);
/* Appends the formatted text. */
void report_add(struct report *report, struct report_list *list,
                const char *fmt, ...) DC_PRINTF(3, 4);
/* Makes it one without a verdict, of the exit status: an error of no file, or
 * those of the sink, which may be none where nobody said what is wrong. */
void report_fail(struct report *report, int exit_code, const char *code,
                 const char *message);
void report_refuse(struct report *report, int exit_code,
                   const struct diag_sink *sink);
/* One a line: "file.py:4:9: message [code]". */
void report_put_errors(struct buf *out, const struct report *report);
/* Makes all that the clock gave 0, for reports that are to be the same bytes every
 * time. Writers show no time that is 0, but for JSON and JUnit, where it is 0. */
void report_forget_times(struct report *report);
/* Sorts and removes repeats. */
void report_list_sort(struct report_list *list);
/* The distance with one more element of the type in it. */
void report_distance_add(struct report_distance *d, struct dtype t,
                         uint64_t want, uint64_t have);
/* The worst verdict of all pairs; false when there is none (an error). */
bool report_worst(const struct report *report, enum report_verdict *out);

/* The first members of every JSON document: schema, tool, version. */
void report_put_head(struct json_writer *w);
/* The object of schema 1 (docs/verdicts.md), and back: NULL with a diagnostic
 * (report.member) for what is none. Certificates are not in it. `file` is for
 * messages. */
void report_put_object(struct json_writer *w, const struct report *report);
struct report *report_read(const struct json_value *v, const char *file,
                           struct diag_sink *sink) DC_MUST_USE;
/* report_plots.c: the members "plots" and "sources" of a pair, where it has
 * them. */
void report_put_plots(struct json_writer *w, const struct report_pair *pair);

/* The texts sorted, numbers as numbers, and those that differ in equal steps of
 * their indices as one: "A[0, k] * B[k, 0] for k in 60..63". In the arena. */
void report_find_families(struct arena *arena, const struct report_list *list,
                          struct report_list *out);

/* The same with its cause: "B[0] is 99, should be 100: 1 is not added". True:
 * it begins with a name, which is not to be capitalised. */
bool report_put_finding(struct buf *out, const struct report_pair *pair);
/* What was found in one sentence without a full stop: "B[0] is 99, should be
 * 100"; the reason where there is no value to name. */
void report_put_sentence(struct buf *out, const struct report_pair *pair);

/* ---- report_finding.c: what a finding is known by --------------------------------- */

/* "unsafe/out-of-bounds", "target/wrong", "undecided": in the arena, or constant. */
const char *report_rule(struct arena *arena, const struct report_pair *p);
/* "unsafe/out-of-bounds" of the fault "out of bounds", in the arena. */
const char *report_fault_rule(struct arena *arena, const char *fault);
/* 16 hexadecimal digits over function, rule and cause: the same as long as the
 * same statement is at fault, wherever it stands. In the arena. */
const char *report_fingerprint(struct arena *arena,
                               const struct report_pair *p);
void report_put_hash(struct buf *out, const char *rule, const char *function,
                     const char *cause);

/* ---- many: what a run over pairs of files found -------------------------------- */

struct report_entry {
    const char *name; /* of the pair of files, as people know it */
    const struct report *report;
    double time_s;
};
/* What was accepted, or found before, and is not there any more. */
struct report_gone {
    const char *name, *function;
    enum report_verdict was;
    const char *now; /* "IDENTICAL", "the module is gone" */
};
/* What is known of a run beside its reports: of many modules, which were looked
 * at (gate), or which findings another run had (diff). */
struct report_gate {
    const char *before; /* diff: "OLD.json: 225 pairs, 3 findings"; else NULL */
    size_t kernels;   /* modules that both sides have, renamed ones included */
    size_t unchanged; /* of them: equal on both sides, or in the store */
    size_t stored;    /* of these: in the store */
    size_t checked;   /* compared in this run */
    size_t unseen;    /* neither, --max-work was used up */
    struct report_list added, removed; /* modules that one side alone has */
    size_t ngone;
    struct report_gone *gone;
};
/* Part of a run over many pairs, which another machine may have the rest of. */
struct report_shard {
    /* SHA-256, in hexadecimal: of the program, of all options that may change a
     * report, of the names and contents of all pairs. */
    const char *program, *options, *set;
    size_t index, count;     /* from 1 */
    size_t total;            /* pairs of files in all shards */
    size_t own;              /* of these, this shard's, done or not */
    const size_t *positions; /* of each entry among all, ascending, from 0 */
};
struct report_set {
    bool many; /* entries have names that are worth printing */
    size_t n;
    const struct report_entry *entries;
    double time_s;                    /* of all, by the clock */
    const struct report_gate *gate;   /* NULL: another command */
    const struct report_shard *shard; /* NULL: these are all pairs */
};
/* A whole JSON report read back, of one comparison (its only name is NULL) or of
 * many. False with diagnostics; report_set_fini in any case. */
struct report_named {
    const char *name; /* in the report's arena */
    struct report *report;
    double time_s; /* of many; else 0 */
};
struct report_read_set VEC(struct report_named);
DC_MUST_USE bool report_set_read(const char *text, size_t len, const char *file,
                                 struct report_read_set *out,
                                 struct diag_sink *sink);
void report_set_fini(struct report_read_set *set);
/* The JSON report of a shard read back, with what a gate says of itself. */
struct report_shard_file {
    struct report_read_set reports;
    struct report_shard shard;
    bool gated; /* the gate is known */
    struct report_gate gate;
    double time_s;
};
/* False with diagnostics (report.member, report.shard: it is none, or one that
 * contradicts itself); fini of the reports in any case, the rest is in the
 * arena. */
DC_MUST_USE bool report_shard_read(const char *text, size_t len,
                                   const char *file, struct arena *arena,
                                   struct report_shard_file *out,
                                   struct diag_sink *sink);
void report_put_shard_object(struct json_writer *w,
                             const struct report_set *set);
/* "shard 2 of 4: 57 of 225 pairs" */
void report_put_shard(struct buf *out, const struct report_set *set);
/* One report as a set, in an entry of the caller's. */
struct report_set report_set_of_one(const struct report *report,
                                    struct report_entry *entry);
/* How many there are of each. A pair of files that could not be compared counts
 * as an error, every pair of functions of the others by its verdict. */
struct report_counts {
    size_t verdict[REPORT_NVERDICTS];
    size_t pairs; /* of functions, and of files with an error */
    size_t errors, findings, undecided, fine;
    size_t known;  /* accepted: in none of these */
    size_t broken; /* of the findings: an internal error */
};
void report_count(const struct report_set *set, struct report_counts *out);
/* The worst exit status of all: internal error, usage, finding, undecided,
 * nothing. */
int report_exit_of(const struct report_set *set);
int report_exit_worst(int a, int b);
struct report_style {
    bool colour;
    bool verbose;     /* text of many: a row for what is fine, too */
    unsigned columns; /* that a line may have; 0: 100 */
};
/* One line a pair of functions that is no plain success (of all, if verbose):
 * name, verdict, sentence, time. `width` is that of the longest name. */
size_t report_name_width(const char *name, size_t width);
void report_put_rows(struct buf *out, const struct report_entry *entry,
                     size_t width, struct report_style style);
/* "12 ms", "7.9 s" */
void report_put_time(struct buf *out, double seconds);
/* The last two lines: counts and time, passed and failed. */
void report_put_closing(struct buf *out, const struct report_set *set);
/* The text report of a gate, or of two reports compared: a head line, a line a
 * finding, new or known or fixed, a line of counts. */
void report_put_gate(struct buf *out, const struct report_set *set,
                     struct report_style style);
/* "1 new finding, 1 known, 1 fixed" */
void report_put_gate_counts(struct buf *out, const struct report_set *set);
/* By all that is said of them, so that the order does not hang on who found which. */
void report_sort_gone(struct report_gate *gate);
/* "225 kernels, 220 unchanged (stored), 5 checked": no time, no newline. */
void report_put_gate_head(struct buf *out, const struct report_set *set);
/* "accepted until 2027-02-01: page tables, see #812" */
void report_put_known(struct buf *out, const struct report_known *known);
/* "was UNSAFE, now IDENTICAL" */
void report_put_gone(struct buf *out, const struct report_gone *gone);
/* "225 pairs: 219 identical, 4 order-only, 1 agrees, 1 different" */
void report_put_counts(struct buf *out, const struct report_counts *counts);

/* How a value is shown: "13.0", "[0.5, 0.75]", "undefined". */
void report_put_value(struct buf *out, const struct report_value *value);
/* "5 of 64 elements of C differ on this input, all in C[0..3, 7]"; false and
 * nothing where it is not known. */
bool report_put_extent(struct buf *out, const struct report_witness *w);
/* The line of the guilty statement in the tuned file; 0: not known. */
uint32_t report_line(const struct report *report,
                     const struct report_pair *pair);
/* "exact, seed 7", or the smallest input where that is known, and the sizes: ", n =
 * 4"; the input is there. */
void report_put_input(struct buf *out, const struct report_witness *w,
                      bool smallest);
/* Two accesses that nothing orders. */
bool report_is_race(const struct report_origin *origin);
/* "threadIdx.x 3" of "blockIdx.x 0, threadIdx.x 3": axes at 0 are left out;
 * "thread 0" where all are. */
void report_put_thread(struct buf *out, const char *thread);
/* "[0, 3, 1]" */
void report_put_index(struct buf *out, const struct report_witness *w);

/* ---- one function by itself: what `lint` found ---------------------------------- */

struct report_lint {
    const char *function, *state; /* "SAFE", "UNSAFE", "UNKNOWN" */
    int exit_code;                /* that it calls for */
    const char *reason;
    const char *where; /* the statement at fault, or NULL */
    const char *file;  /* it stands in, and */
    uint32_t line;     /* where; 0: not known */
    struct report_list notes, assumes, barriers;
    const char *command; /* shows the fault; or NULL */
};
/* Its first screen. */
void report_put_lint(struct buf *out, const struct report_lint *l,
                     struct report_style style);

/* ---- what is no comparison: a schedule, a search for a step ---------------------- */

enum report_fact_form {
    REPORT_FACT_TEXT, /* wrapped between words */
    REPORT_FACT_CUT /* lines of a program, each cut at the end of the line, below
                         the label */
};
struct report_fact {
    const char *label, *text;
    enum report_fact_form form;
};
struct report_facts {
    const char *verdict; /* "ILLEGAL" */
    const char *about;   /* "main: step 6 of 9" */
    int exit_code;       /* that it calls for */
    struct VEC(struct report_fact) items;
};
/* Its screen. */
void report_put_facts(struct buf *out, const struct report_facts *f,
                      struct report_style style);

/* ---- html/html_audit.c: what records of tuning claim (`db`) -------------------- */

/* 0: not known. */
struct report_claim {
    const char *record, *task, *state, *why;
    const char *check;  /* what is to be done, or NULL */
    const char *device; /* or NULL */
    bool finding;
    double flops, seconds, gflops, peak; /* GFLOPS */
    double bytes, bandwidth;             /* GB/s */
};
/* A page: a roofline with all of them, and a row each, in their order. */
void report_put_claims(struct buf *out, const char *counts, size_t n,
                       const struct report_claim *claims);

/* ---- markup.c: text of the input in Markdown -------------------------------- */

/* Prose: nothing in it is markup, or calls anybody. */
void report_put_escaped(struct buf *out, const char *text);
/* A block of code, of the language ("": none). Control characters are left. */
void report_put_fenced(struct buf *out, const char *language, const char *text);

/* ---- writers: one file each in reports/writers, registered by the build ---- */

struct report_writer {
    const char *name;    /* as in --format NAME */
    const char *summary; /* one line for --help */
    bool machine;        /* also written when there is no verdict */
    bool plots;          /* draws them, so that they are computed */
    void (*write)(const struct report_set *set, struct report_style style,
                  struct buf *out);
};
extern const struct report_writer *const report_writers[]; /* NULL at end */
const struct report_writer *report_writer_find(const char *name, size_t len);
/* Writes one report: a set of one. */
void report_write_one(const struct report_writer *writer,
                      const struct report *report, struct report_style style,
                      struct buf *out);
/* The text report of one pair of it, without colours. */
void report_put_screen(struct buf *out, const struct report *report,
                       struct report_pair *pair);

#endif
