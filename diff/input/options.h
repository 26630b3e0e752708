/* SPDX-License-Identifier: Apache-2.0
 *
 * The command line as data: options.def is the one table of options, this is
 * what parsing gives. Private to diff/.
 */
#ifndef DC_DIFF_INPUT_OPTIONS_H
#define DC_DIFF_INPUT_OPTIONS_H

#include "interp/interp.h"
#include "ir/num/profile.h"
#include "reports/reports.h"

/* Exit statuses. */
enum diff_exit {
    DIFF_EXIT_NOTHING = REPORT_EXIT_NOTHING,
    DIFF_EXIT_FINDING = REPORT_EXIT_FINDING,
    DIFF_EXIT_USAGE = REPORT_EXIT_USAGE,
    DIFF_EXIT_INTERNAL = REPORT_EXIT_INTERNAL,
    DIFF_EXIT_UNDECIDED = REPORT_EXIT_UNDECIDED
};

struct diff_command;
struct diff_casefile;

enum diff_option_id {
#define OPTION(id, name, letter, arg, commands, words, help) DIFF_OPT_##id,
#include "diff/input/options.def"
#undef OPTION
    DIFF_NOPTIONS
};

struct diff_option {
    const char *name;
    char letter;          /* 0: none */
    const char *arg;      /* NULL: a flag */
    const char *commands; /* blank-separated names, or "*" */
    const char *words;    /* for completion, see options.def */
    const char *help;
};
extern const struct diff_option diff_option_table[DIFF_NOPTIONS];
/* Whether the value is a comma-separated list of them. */
bool diff_option_is_list(const struct diff_option *option);
/* The option that a word of the line names, -x or --name, and its value where
 * that stands in the same word, else NULL. NULL: it names none. */
const struct diff_option *diff_option_find(const char *word,
                                           const char **value);
/* Words that the option's value may be, with blanks between; none for files. */
void diff_option_words(const struct diff_option *option, struct buf *out);
bool diff_option_applies(const struct diff_option *option,
                         const struct diff_command *command);

/* NAME:LO..HI, NAME=N and NAME=FILE arguments. */
struct diff_range {
    const char *name;
    int64_t lo, hi;     /* the integers in the range; lo > hi: none */
    const char *text;   /* "LO..HI" as given; NULL: found, not given */
    double least, most; /* as given, for floats */
};
/* --assume overlap=A,B */
struct diff_overlap {
    const char *first, *second;
};
/* --assume NAME:KIND, of properties.h */
struct diff_property {
    const char *name;
    unsigned kinds;
};
struct diff_binding {
    const char *name, *value;
};
/* --pair TUNED=UNTUNED: functions */
struct diff_rename {
    const char *tuned, *untuned;
};
struct diff_said {
    enum diff_option_id id;
    const char *value; /* NULL: a flag */
};
struct diff_format {
    const struct report_writer *writer;
    const char *file; /* "-": standard output */
};

enum diff_color { DIFF_COLOR_AUTO, DIFF_COLOR_ALWAYS, DIFF_COLOR_NEVER };

#define DIFF_DEFAULT_BUDGET     UINT64_C(600000000)
#define DIFF_DEFAULT_SAMPLES    64u
#define DIFF_DEFAULT_TIME_LIMIT 300u
#define DIFF_DEFAULT_CACHE_MIB  512u
#define DIFF_DEFAULT_MEMORY     ((size_t)4 << 30)

/* Everything the command line says, defaults filled in; in one arena. */
struct diff_options {
    struct arena *arena;
    /* Set by diff_casefile_load: the operand is a case, and the first
     * nassumes, nshapes, noverlaps and nproperties below are its contract. */
    const struct diff_casefile *casefile;
    const char *program; /* argv[0]'s last component */
    const struct diff_command *command;
    bool named; /* the line names the command */
    size_t noperands;
    const char **operands;
    bool help, version;
    bool given[DIFF_NOPTIONS];
    size_t nfunctions;
    const char **functions;      /* of --function, each once */
    const char *function;        /* the first of them, or NULL */
    const char *tuned, *untuned; /* --tuned, --untuned: operands, too */
    const char *out, *fill, *domain;
    struct num_profile arithmetic; /* of --arithmetic; else the reference */
    uint64_t seed, budget;
    size_t max_input_bytes, samples;
    size_t max_memory; /* bytes, of dc_memory_limit */
    unsigned jobs;     /* threads; 0: as one */
    enum ir_era era;
    enum diff_color color;
    bool man, json_schema, json, stats, legal, steps, c, opencl, cuda,
        strict_ieee;
    bool no_proof, cross_check, explain;
    bool quiet, verbose;
    bool many; /* one of many pairs: options name what some of them have */
    bool explicit_barriers;  /* rule 3: none is implied */
    bool proof_only;         /* the command is `prove` */
    const char *cache;       /* folder of built kernels, or NULL */
    const char *certificate; /* file, or NULL */
    const struct buf *check; /* check-certificate: the text; or NULL */
    const char *check_file;  /* and where it is from */
    enum report_evidence require;
    bool finding[REPORT_NVERDICTS]; /* --fail-on, --allow applied */
    bool allowed[REPORT_NVERDICTS];
    bool outcome_finding[REPORT_NOUTCOMES]; /* the same of targets' outcomes */
    bool outcome_allowed[REPORT_NOUTCOMES];
    bool drift_finding;          /* --fail-on drift */
    bool wider_allowed;          /* --allow wider, of `precision` */
    const char *targets;         /* comma-separated; NULL: none */
    const char *require_targets; /* the same */
    uint64_t cache_bytes;        /* that the cache of builds may hold */
    unsigned time_limit;         /* seconds, of one foreign process */
    size_t nrunners;
    struct diff_binding *runners; /* --runner NAME=COMMAND */
    size_t ntvm_targets;
    struct diff_binding *tvm_targets; /* --tvm-target NAME=TARGET */
    const char *libraries[2];         /* --library, by enum of engine.h */
    const char *python;               /* --python, or NULL */
    size_t nassumes, nshapes, nins, nexpects, nformats, nexterns, nelements;
    const char **elements; /* of --element */
    const char **externs;  /* files of --extern */
    size_t noverlaps, nproperties;
    struct diff_overlap *overlaps;
    struct diff_property *properties;
    struct diff_range *assumes;
    struct interp_symbol *shapes;
    size_t nrenames;
    struct diff_rename *renames;                /* --pair */
    struct diff_binding *ins;                   /* --in NAME=FILE */
    struct diff_binding *expects;               /* --expect NAME=FILE */
    const char *save;                           /* --save, or NULL */
    bool bundle;                                /* it is to be a bundle: */
    const char *component, *step, *tvm_version; /* or NULL */
    struct diff_format *formats;                /* at least one after parsing */
    /* gate */
    const char *before, *after, *before_rev, *after_rev;
    const char *store, *baseline, *write_baseline;
    const char *today; /* YYYY-MM-DD, or NULL */
    bool no_store, no_replay;
    uint64_t max_work;           /* UINT64_MAX: no limit */
    double peak, peak_bandwidth; /* db: GFLOPS and GB/s; 0: not said */
    /* batch, gate, merge */
    size_t shard_index, shard_count; /* from 1; 0: all, or by the environment */
    bool resume, no_times, partial;
    bool one_sided;  /* a function of one side alone is no error */
    bool needs_pair; /* unless none is on both */
    /* All options with their values, in the order of the line: what a result
     * is kept under. */
    size_t nsaid;
    struct diff_said *said;
};

/* Parses argv; false with diagnostics (codes usage.*) on a wrong line. What
 * was understood before the fault is in *out, so that the caller still knows
 * the formats asked for. */
DC_MUST_USE bool diff_options_parse(int argc, char *const *argv,
                                    struct arena *arena,
                                    struct diff_options *out,
                                    struct diag_sink *sink);
/* said.c: whether the option may change what is found, and those of the line that
 * may, into the report. */
bool diff_option_changes_result(enum diff_option_id id);
/* What was said in the order of the table, that of one option as it was said: the
 * order of others means nothing. */
void diff_sort_said(struct diff_options *options);
void diff_put_options(const struct diff_options *options,
                      struct report *report);
/* Whether a JSON report is due on standard output, whatever else is wrong. */
bool diff_options_want_json(int argc, char *const *argv);

#endif
