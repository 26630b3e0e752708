/* SPDX-License-Identifier: Apache-2.0
 *
 * Hostile modules: what somebody would write who wants a command to crash, to
 * hang, to take all memory or to touch a file. A case is two texts, tuned and
 * untuned, drawn from bytes and a seed; every command is run on it, both ways
 * round, and is held to what each command promises of any input at all.
 *
 * The same bytes, seed and corpora make the same case, on any machine.
 */
#ifndef DC_FUZZ_HOSTILE_H
#define DC_FUZZ_HOSTILE_H

#include "fuzz/gen.h"

/* ---- cases ------------------------------------------------------------------- */

/* Small modules of the corpora, to begin from. */
struct hostile_seeds {
    struct arena *arena;
    struct VEC(const struct buf *) texts;
};
/* Files below the folder, in the order of names; none where there is no such
 * folder. */
void hostile_seeds_init(struct hostile_seeds *seeds, const char *folder);
void hostile_seeds_fini(struct hostile_seeds *seeds);

struct hostile_case {
    struct buf text[2]; /* tuned, untuned */
    bool symbolic;      /* has a size `n` */
    struct buf label;   /* what was done, in words */
};
/* seeds: NULL is none. */
void hostile_case_init(struct hostile_case *c, const uint8_t *data, size_t n,
                       uint64_t seed, const struct hostile_seeds *seeds);
void hostile_case_fini(struct hostile_case *c);
/* Writes FOLDER/SEED-tuned and FOLDER/SEED-untuned; the folder must be there. */
DC_MUST_USE bool hostile_case_save(const struct hostile_case *c,
                                   const char *folder, uint64_t seed);

/* ---- commands ------------------------------------------------------------------ */

/* Lines that are run on a case, in this order. */
size_t hostile_nlines(void);
const char *hostile_line(size_t line); /* as it is in hostile.def */

/* How a case is run: in this process, with files in a folder of its own. */
struct hostile_room {
    const char *folder;  /* must be there; files of the run are below it */
    bool full;           /* default budgets; else small ones */
    const char *program; /* NULL: in this process; else that executable */
};
/* Writes the case's files, tuned and untuned. */
DC_MUST_USE bool hostile_room_fill(const struct hostile_room *room,
                                   const struct hostile_case *c);
/* Removes the folder and what runs have left in it. */
void hostile_room_clear(const struct hostile_room *room);
/* Runs one line on it. False with the reason: a status that the command does
 * not have, a message missing or half a result, bytes that a terminal obeys,
 * memory that is not given back. *status is the exit status, or -1. */
bool hostile_room_run(const struct hostile_room *room,
                      const struct hostile_case *c, size_t line, int *status,
                      struct buf *why);

/* ---- checks --------------------------------------------------------------------- */

struct hostile_request {
    uint64_t seed, count;
    const char *keep;    /* folder for what is found; NULL: none */
    const char *corpora; /* folder; NULL: "corpora" */
    const char *program; /* NULL: in worker processes */
    uint64_t line;       /* 1 + the only line to run; 0: all */
    uint64_t part;       /* one line in so many, others for each case; 0: all */
    bool all;            /* no lines are left out of some cases */
    bool tell;           /* each case's label */
};
/* Prints what is found, and a table; gives the number of findings. *again: the
 * caller is a worker, which has nothing to do but to end. */
size_t hostile_check(const struct hostile_request *request, bool *again);

#endif
