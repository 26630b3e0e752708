/* SPDX-License-Identifier: Apache-2.0
 *
 * What would make a refused step legal. Two things are looked at: what the step
 * names may be gone since an earlier step, which is then named; and the condition
 * that failed, for which there is a way that people take instead.
 */
#include "schedule/recorded/recorded_private.h"

#include <string.h>

/* By the word of the step ("": any) and a part of its message; the first that
 * fits is given. */
static const struct {
    const char *word, *message, *advice;
} rows[] = {
    {"compute_inline", "is an output",
     "an output cannot be inlined, nothing reads it here: schedule its outer "
     "loops, compute the stages before it at them (compute_at), and inline "
     "what "
     "lies between"},
    {"compute_inline", "is not one store",
     "a reduction cannot be inlined: compute it at a loop of its reader "
     "(compute_at), or inline an element-wise reader into it "
     "(reverse_compute_inline)"},
    {"compute_inline", "written between",
     "compute it at a loop of its reader, before the other block writes"},
    {"reverse_compute_inline", "",
     "compute it at a loop of its producer instead (reverse_compute_at)"},
    {"vectorize", "iterator that is not spatial",
     "lanes of one sum would write one element: vectorize a loop over "
     "elements, "
     "or split the reduction and factor it over the lanes first (rfactor)"},
    {"parallel", "iterator that is not spatial",
     "iterations of one sum would write one element: take a loop over "
     "elements, "
     "or factor the reduction first (rfactor)"},
    {"bind", "iterator that is not spatial",
     "only threadIdx may share a reduction: bind a loop over elements, or "
     "factor "
     "the reduction first (rfactor)"},
    {"bind", "no known reducer from its unit",
     "threads combine partial results from the unit: start from it (0 of a "
     "sum, "
     "1 of a product, the least value of a max), or factor the reduction first "
     "(rfactor)"},
    {"", "would repeat the reduction",
     "the loop adds all terms again in each iteration: take a loop that the "
     "block depends on"},
    {"bind", "is bound to",
     "one axis is one index: fuse the two loops first, or bind another axis"},
    {"split", "may be below the extent",
     "leave one factor open (None), which then is what is needed"},
    {"split", "has annotations or a thread",
     "split before the loop is bound or annotated"},
    {"fuse", "",
     "only loops with nothing between them fuse: reorder, or move the other "
     "block first"},
    {"reorder", "not one chain",
     "only loops with nothing between them change places: compute the other "
     "block elsewhere first, or decompose the reduction later"},
    {"reorder", "no known reducer", "keep the order of the reduction's loops"},
    {"reorder", "before the init",
     "decompose the reduction first (decompose_reduction), then reorder"},
    {"", "its reduction is bound to threads",
     "do this before the reduction is bound to threads"},
    {"decompose_reduction", "of the reduction is above",
     "decompose at the outermost loop of the reduction, or outside of it"},
    {"decompose_reduction", "",
     "decompose at the outermost loop of the reduction"},
    {"compute_at", "outside of loop",
     "all readers must be below the loop: take one that is around all of them, "
     "or move the other readers first"},
    {"compute_at", "is an output",
     "an output is not computed at a loop: move what reads it, or what it "
     "reads"},
    {"reverse_compute_at", "is not done",
     "take a loop outside of the reduction, whose sums are whole below it"},
    {"reverse_compute_at", "not below loop",
     "all blocks that it reads must be below the loop: take one further out"},
    {"cache_read", "several blocks write",
     "cache what one block writes, or decompose the reduction after caching"},
    {"cache_write", "may not store all",
     "pad first (pad_einsum), or choose tiles that divide the extents"},
    {"rfactor", "guard",
     "choose factors that divide the extent: then no guard "
     "depends on the loop"},
    {"rfactor", "is not one of the reduction",
     "take a loop that the reduction's iterators depend on"},
    {"rfactor", "no known reducer from its unit",
     "partial results start from the init: let it be the unit"},
};

/* Steps that take away what they are given. */
static const char *const takers[] = {"split",
                                     "fuse",
                                     "merge",
                                     "loop_partition",
                                     "compute_inline",
                                     "reverse_compute_inline",
                                     "fuse_reduction_epilogue",
                                     "tensorize",
                                     "blockize",
                                     "compute_at",
                                     "reverse_compute_at",
                                     "decompose_padding"};

/* The word of a step, which stands behind "=" if there is one. */
static const char *word_of(const char *step, size_t *len)
{
    const char *eq = strstr(step, " = ");
    const char *word = eq ? eq + 3 : step;
    *len = strcspn(word, " ");
    return word;
}

static bool is_word(const char *word, size_t len, const char *other)
{
    return strlen(other) == len && memcmp(word, other, len) == 0;
}

static bool is_taker(const char *word, size_t len)
{
    for (size_t i = 0; i < DC_ARRAY_LEN(takers); i++)
        if (is_word(word, len, takers[i]))
            return true;
    return false;
}

/* Whether a name is one of those in a text, up to its end. */
static bool names(const char *text, const char *end, const char *name,
                  size_t len)
{
    while (text < end) {
        size_t n = strcspn(text, " ,[]=");
        if (n == len && memcmp(text, name, len) == 0)
            return true;
        text += n + (text + n < end);
    }
    return false;
}

#define MAX_DEPTH 4u /* blocks that are looked up of blocks */

/* The step that took the name away: the last before `at` that takes such things
 * and is given it, unless the name was given anew since. n: there is none. */
static size_t find_taker(const struct schedule_steps *steps, size_t at,
                         const char *name, size_t len, unsigned depth)
{
    if (depth == MAX_DEPTH)
        return steps->n;
    for (size_t i = at; i-- > 0;) {
        const char *step = steps->items[i].text;
        size_t n;
        const char *word = word_of(step, &n);
        if (!names(step, word, name, len)) {
            if (is_taker(word, n) &&
                names(word, step + strlen(step), name, len))
                return i;
            continue;
        }
        /* A loop goes with the block that it was looked up of. */
        const char *block = word + n + (word[n] == ' ');
        size_t by =
            strncmp(word, "get_", 4) == 0
                ? find_taker(steps, at, block, strcspn(block, " ,"), depth + 1)
                : steps->n;
        return by > i ? by : steps->n;
    }
    return steps->n;
}

static bool say_gone(const struct schedule_steps *steps, size_t at,
                     struct buf *out)
{
    size_t n;
    const char *word = word_of(steps->items[at].text, &n), *p = word + n;
    while (*p != '\0') {
        size_t len = strcspn(p, " ,[]");
        size_t by = len > 0 ? find_taker(steps, at, p, len, 0) : steps->n;
        if (by < steps->n) {
            const char *taker = word_of(steps->items[by].text, &n);
            bool inlined = n > 7 && memcmp(taker + n - 7, "_inline", 7) == 0;
            buf_printf(out, "step %zu, '%s', took it away: %s", by + 1,
                       steps->items[by].text,
                       inlined ? "what is inlined has no loops of its own; "
                                 "schedule what it was inlined into"
                               : "use what that step gave");
            return true;
        }
        p += len + (p[len] != '\0');
    }
    return false;
}

static bool is_gone(const char *message)
{
    return strstr(message, "is not there any more") != NULL;
}

enum schedule_refusal schedule_steps_why(const struct schedule *s,
                                         const struct schedule_steps *steps,
                                         size_t at)
{
    enum schedule_refusal why = schedule_why(s);
    struct buf text = {0};
    if (at < steps->n && why == SCHEDULE_BAD_REQUEST &&
        is_gone(schedule_message(s)) && say_gone(steps, at, &text))
        why = SCHEDULE_ILLEGAL;
    buf_fini(&text);
    return why;
}

bool schedule_steps_advise(const struct schedule_steps *steps, size_t at,
                           const char *message, struct buf *out)
{
    size_t n;
    const char *word = word_of(steps->items[at].text, &n);
    if (is_gone(message))
        return say_gone(steps, at, out);
    for (size_t i = 0; i < DC_ARRAY_LEN(rows); i++)
        if ((rows[i].word[0] == '\0' || is_word(word, n, rows[i].word)) &&
            strstr(message, rows[i].message)) {
            buf_puts(out, rows[i].advice);
            return true;
        }
    return false;
}
