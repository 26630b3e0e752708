/* SPDX-License-Identifier: Apache-2.0
 *
 * Foreign programs: compilers, emulators, kernels, runners. None is trusted:
 * each runs in a process group of its own with limits on time, memory and the
 * size of files, no shell in between, and whatever becomes of it is a value.
 * Private to diff/.
 */
#ifndef DC_DIFF_HARNESS_PROCESS_H
#define DC_DIFF_HARNESS_PROCESS_H

#include "ir/base/base.h"

/* 0: no limit. */
struct diff_limits {
    /* A safety net: decides no outcome but `error`, and on a busy machine no
     * more than on an idle one: ten times as long for what has had less of
     * processors, and gets some. */
    double wall_s;
    unsigned cpu_s; /* of all threads of one process */
    size_t memory;  /* bytes of data of one process */
    size_t file;    /* bytes of one file that it writes */
};

struct diff_process {
    const char *const *argv; /* NULL-terminated; argv[0] is a path */
    const char *folder;      /* to run in, or NULL */
    const char *const *env; /* further "NAME=VALUE", NULL-terminated, or NULL */
    /* Folders, NULL-terminated: it writes nothing outside of them and has no
     * network, as far as the system can see to that (confine.h). NULL: not
     * confined. */
    const char *const *writable;
    struct diff_limits limits;
};

enum diff_end {
    DIFF_END_EXIT,   /* number: the exit status */
    DIFF_END_SIGNAL, /* number: the signal */
    DIFF_END_TIME,   /* killed when its time was used up */
    DIFF_END_START   /* never ran; number: errno */
};

struct diff_ended {
    enum diff_end kind;
    int number;
    struct buf text; /* what it printed, both streams, the first of it */
    bool cut;        /* it printed more */
};

/* Runs the program to its end and kills what is left of its group, and on Linux
 * what has left the group. */
void diff_process_run(const struct diff_process *process,
                      struct diff_ended *out);
void diff_ended_fini(struct diff_ended *ended);
/* Whether it ended by itself with exit status 0. */
bool diff_ended_well(const struct diff_ended *ended);
/* "exit status 1: kernel.c:3:1: error: …": how it ended and the first telling
 * line that it printed. */
void diff_ended_put(struct buf *out, const struct diff_ended *ended);

/* The path of a program as the shell would find it in PATH (a name with a '/'
 * is a path already); NULL if there is none that can be executed. */
char *diff_program_find(const char *name, struct arena *arena);

/* Seconds, on a clock that never goes back. */
double diff_seconds(void);

#endif
