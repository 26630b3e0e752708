/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of the IR in emitted programs: whatever they are, the program is the
 * same but for a renaming of identifiers, once comments and string literals
 * are taken away. The words of a text are found by a small lexer of its own,
 * which shares nothing with diff/emit.
 */
#ifndef DC_FUZZ_NAMES_H
#define DC_FUZZ_NAMES_H

#include "diff/emit/emit.h"

/* Gives the name of an object, numbered from 0 in the order in which a module
 * has them; any bytes but NUL, in the arena. */
typedef const char *(*names_give)(void *user, size_t object,
                                  struct arena *arena);

/* Names like no word of a program: zq0, zq1, …; user is not used. */
const char *names_tame(void *user, size_t object, struct arena *arena);

/* Strange names from a seed, among them the words given. */
struct names_wild {
    uint64_t seed;
    const char *const *words;
    size_t nwords;
};
const char *names_wild(void *user, size_t object, struct arena *arena);

/* Renames all variables, buffers, blocks, functions and messages of assertions
 * of the module, and calls of its functions. Number of objects. */
size_t names_set(struct ir_module *m, names_give give, void *user);

/* Whether two texts are the same program but for names; else why has what
 * differs. `tame` was written under names_tame. */
DC_MUST_USE bool names_same_program(const char *tame, const char *other,
                                    struct buf *why);

/* The identifiers of a text that hold no name of names_tame, each once. */
struct names_words {
    struct VEC(const char *) list;
};
void names_collect(const char *text, struct arena *arena,
                   struct names_words *words);

/* All of it for each function of the module, which is renamed: it is emitted
 * in the language under tame names, and under `rounds` sets of wild ones. A
 * refusal must be one under all names. Number of texts compared; on a
 * difference why has it. */
size_t names_check(struct ir_module *m, enum emit_language language,
                   uint64_t seed, size_t rounds, struct buf *why);

#endif
