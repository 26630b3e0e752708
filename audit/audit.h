/* SPDX-License-Identifier: Apache-2.0
 *
 * Tuning logs and databases: records of all formats as one model, what each
 * claims to have computed counted from its workload, and whether the device it
 * names can be that fast.
 *
 *   struct audit_set *set = audit_set_new();
 *   audit_set_add(set, "tune.json", &text);      for each file
 *   audit_set_link(set);
 *   audit_count(set, i);                         for each record, by any thread
 *   audit_judge(set, &options);
 *   … set->records.items[i].state, .why …
 *   audit_set_free(set);
 *
 * A record is never changed by what others say but by audit_judge; the same
 * files give the same records and states. Whether what a record makes of its
 * workload is right is nothing that this folder knows: for that its trace is
 * replayed on the module that audit_module gives.
 *
 * Sources: the formats follow TVM (src/meta_schedule/database/json_database.cc
 * of 0.9 to 0.23, src/auto_scheduler/measure_record.cc and compute_dag.cc,
 * python/tvm/autotvm/record.py of 0.7 to 0.18).
 */
#ifndef DC_AUDIT_AUDIT_H
#define DC_AUDIT_AUDIT_H

#include "ir/base/json.h"
#include "ir/ir.h"

/* ---- records ----------------------------------------------------------------- */

enum audit_format {
    AUDIT_METASCHEDULE, /* a line of database_tuning_record.json */
    AUDIT_ANSOR,        /* a line of an auto_scheduler log */
    AUDIT_AUTOTVM,      /* a line of an AutoTVM or TopHub log */
    AUDIT_TABLE,        /* a row of Ansor's table of tasks */
    AUDIT_NFORMATS
};
const char *audit_format_name(enum audit_format format);

/* A tensor that a task takes or gives. */
struct audit_shape {
    bool typed; /* the type is known */
    struct dtype dtype;
    size_t rank;
    int64_t *dims; /* -1: symbolic */
};

/* Where the operations were counted. */
enum audit_source {
    AUDIT_NOWHERE,
    AUDIT_IR,    /* the workload's module */
    AUDIT_DAG,   /* the text of a ComputeDAG */
    AUDIT_TASK,  /* the name of the task and its arguments */
    AUDIT_STEPS, /* the loops that the steps split */
    AUDIT_NSOURCES
};
const char *audit_source_name(enum audit_source source);

/* Classes of types with a peak of their own. */
enum audit_class {
    AUDIT_F64,
    AUDIT_F32,
    AUDIT_F16, /* float16, bfloat16 and narrower */
    AUDIT_INT, /* integers that are data */
    AUDIT_NCLASSES
};
enum audit_class audit_class_of(struct dtype t);
const char *audit_class_name(enum audit_class c); /* "float32", … */

enum audit_op {
    AUDIT_MUL,
    AUDIT_ADD, /* and subtract */
    AUDIT_DIV,
    AUDIT_COMPARE, /* comparisons, minima, maxima, choices */
    AUDIT_CALL,    /* exp, sqrt, … */
    AUDIT_CONVERT, /* between types; no operation of `flops` */
    AUDIT_NOPS
};

/* Numbers are whole, and exact up to 2^53. */
struct audit_count {
    enum audit_source source; /* of the operations */
    double ops[AUDIT_NOPS];   /* of floats, as the workload writes them */
    double ints;              /* operations on integers that are data */
    /* What any implementation has to do at least, by class: without what padding
     * multiplies by zero, what does not depend on a loop once for all its turns,
     * Winograd's saving taken. */
    double least[AUDIT_NCLASSES];
    bool has_bytes;
    double bytes;     /* that have to be read or written at least once */
    bool exact_bytes; /* they are that; else there may be more */
    const char *how; /* in words: "2 * 20736 * 348 …", or why there is none */
    double saving;   /* direct operations by those of Winograd; else 1 */
};
/* All operations that a speed is of: without conversions. */
double audit_flops(const struct audit_count *count);

/* Worst first. */
enum audit_state {
    AUDIT_UNREADABLE,    /* no record could be made of the line */
    AUDIT_IMPOSSIBLE,    /* faster than the device can be, or no time at all */
    AUDIT_CONTRADICTORY, /* the same again, with another time */
    AUDIT_OUTLIER,       /* faster than all that it can be held against */
    AUDIT_UNJUDGED,      /* nothing to hold it against */
    AUDIT_FAILED,        /* the record says that it was not measured */
    AUDIT_CONSISTENT,    /* no device is named; with the others it agrees */
    AUDIT_PLAUSIBLE,     /* its device can be that fast */
    AUDIT_NSTATES
};
const char *audit_state_name(enum audit_state state);
bool audit_is_finding(enum audit_state state);

struct audit_device;
struct audit_workload;

struct audit_record {
    enum audit_format format;
    const char *file;
    uint32_t line;
    const char *text; /* the line itself */
    size_t len;
    const char *version; /* of the log: "v0.6", "0.2"; NULL: it has none */
    const char *task;    /* for people: "conv2d_nchw.cuda", "main" */
    const char *key;     /* the same for all records of one task */
    const char *target;  /* as the record has it, a dictionary as JSON; or "" */
    size_t nargs;        /* tensors, where the record tells */
    struct audit_shape *args;
    size_t nseconds;
    double *seconds;
    int64_t error; /* 0: none, else that of enum MeasureErrorNo */
    int64_t cores; /* that the record says the device has; 0: it does not */
    size_t nsteps; /* of its trace or schedule */
    uint64_t steps_hash;                   /* of what they say */
    const struct audit_workload *workload; /* MetaSchedule; or NULL */
    const struct audit_task *dag;          /* Ansor; or NULL */
    double said_gflops;                    /* of a table; 0: none */

    struct audit_count count; /* audit_count */

    /* audit_judge */
    enum audit_state state;
    const struct audit_device *device; /* NULL: none is known */
    const char *device_name; /* "NVIDIA V100"; NULL: the target names none */
    double time;             /* mean of seconds; 0: none */
    double peak;             /* GFLOPS for what it computes; 0: not known */
    double bandwidth;        /* GB/s; 0: not known */
    const char *why;         /* the judgement in a sentence, with its numbers */
    const char *check;       /* of a finding: what is to be done; or NULL */
};

/* A workload of MetaSchedule: base64 of a module. */
struct audit_workload {
    const char *file;
    uint32_t line;
    const char *hash; /* as the database has it, decimal */
    const char *base64;
    size_t len;
};

/* A task of Ansor: its key and the text of its ComputeDAG. */
struct audit_task {
    const char *file;
    uint32_t line; /* of the heading */
    const char *key;
    const char *dag;
    const char *id; /* "5", as the heading says; or "" */
};

/* A line that is none of the records it stands among. */
struct audit_fault {
    const char *file;
    uint32_t line;
    const char *message;
};

struct audit_file {
    const char *name;
    struct buf text;
    size_t nrecords, nworkloads, ntasks;
};

struct audit_set {
    struct arena *arena;
    struct VEC(struct audit_file) files;
    struct VEC(struct audit_record) records;
    struct VEC(struct audit_workload) workloads;
    struct VEC(struct audit_task) tasks;
    struct VEC(struct audit_fault) faults;
};

struct audit_set *audit_set_new(void);
void audit_set_free(struct audit_set *set); /* NULL is fine */
/* Reads all records of a file; takes the text over, which is empty then. Lines
 * that are no records are faults of the set. False, and nothing was read, where
 * no line is of a known format: it is no log; *why (may be NULL) then says what it
 * is, if that is known, else NULL. */
DC_MUST_USE bool audit_set_add(struct audit_set *set, const char *name,
                               struct buf *text, const char **why);
/* Finds each record's workload or task, when all files are there. Pointers to
 * records, workloads and tasks are stable from then on. */
void audit_set_link(struct audit_set *set);

/* The line as a document, which the caller frees; NULL with diagnostics. Trace of
 * MetaSchedule ([instructions, decisions]), steps of Ansor, entity of AutoTVM. */
struct json_doc *audit_record_parse(const struct audit_record *record,
                                    struct diag_sink *sink) DC_MUST_USE;
const struct json_value *audit_record_steps(const struct audit_record *record,
                                            const struct json_doc *doc);
/* The module of the record's workload, as its database has it, which the caller
 * frees; NULL with diagnostics (audit.workload, and those of ir_read) where there
 * is none. A replay of the trace begins here. */
struct ir_module *audit_module(const struct audit_record *record,
                               struct diag_sink *sink) DC_MUST_USE;
/* The steps for people, one a line, each behind `indent` blanks. */
void audit_put_steps(struct buf *out, const struct audit_record *record,
                     int indent);

/* Counts what record i does. Only that record is written to; the rest of the set
 * is looked at alone, and may be by others. */
void audit_count(struct audit_set *set, size_t i, struct arena *arena);

/* ---- devices ------------------------------------------------------------------- */

/* What a device can do at most; figures of its vendor. */
struct audit_device {
    const char *name;
    const char *match; /* see devices.def */
    bool cpu;
    bool family;                   /* the fastest of several */
    double gflops[AUDIT_NCLASSES]; /* of a CPU's core at 1 GHz; 0: not known */
    double ghz;                    /* of a CPU: the most that a core does */
    double cores;                  /* of a CPU: the most that there are */
    double gbs;                    /* main memory */
    double cache;                  /* MB on the chip */
    const char *source;
};
/* The device that a target names, or NULL: it names none that is known. *cores:
 * how many of a CPU it says there are; 0: it does not. */
const struct audit_device *audit_device_find(const char *target,
                                             int64_t *cores);

/* ---- judgement ------------------------------------------------------------------ */

struct audit_options {
    double peak;      /* GFLOPS, in place of the device's; 0: the device's */
    double bandwidth; /* GB/s, likewise */
};
void audit_judge(struct audit_set *set, const struct audit_options *options);
/* Indices of the records, the worst first, else as the files have them: the
 * caller's to release. */
size_t *audit_order(const struct audit_set *set);

#endif
