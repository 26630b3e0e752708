/* SPDX-License-Identifier: Apache-2.0
 *
 * Races of a kernel whose threads run in lanes (rules 4, 17 to 19, 28), where
 * coop.c could not tell beforehand. The clock is race.c's: it moves at each
 * launch, block and barrier, and an element remembers when and by which thread
 * it was written and read. What may be a race is never reported from here: the
 * walker runs and says so. What is no race here is none there:
 *
 *  - of readers the last is kept, and whether there were several since the last
 *    barrier, or some in an earlier block: a write by a thread that is not the
 *    only reader is a conflict then;
 *  - of writers likewise; several that write equal bits are fine as long as
 *    none of them had written something else since the barrier and nobody reads
 *    before the next one.
 *
 * That needs 16 bytes an element, of storage that is looked at only.
 */
#include "interp/fast/coop_vm.h"

#include <string.h>

/* A mark: time, flags, and the thread's number from 1 in the low bits. */
#define MARK_BITS    18
#define MARK_ID      ((UINT64_C(1) << 15) - 1)
#define MARK_SEVERAL MARK_ID             /* instead of a thread */
#define MARK_EARLIER (UINT64_C(1) << 15) /* also in an earlier block */
#define MARK_OTHER   (UINT64_C(1) << 16) /* wrote twice since the barrier */
#define MARK_BEFORE  (UINT64_C(1) << 17) /* also in an earlier iteration */

_Static_assert(LANES < MARK_ID, "threads fit a mark");

void shadow_launch(struct vm *v)
{
    v->launched = ++v->now;
    v->first_block = true;
}

void shadow_block(struct vm *v)
{
    v->first_block = v->first_block && v->block_start < v->launched;
    v->block_start = ++v->now;
    memset(v->synced, 0, sizeof v->synced);
    memset(v->implied, 0, sizeof v->implied);
}

void shadow_barrier(struct vm *v, const struct node *barrier)
{
    ++v->now;
    for (unsigned s = 0; s < IR_NSCOPES; s++)
        if (barrier->scopes >> s & 1) {
            bool implied = barrier->implied != NULL;
            (implied ? v->implied : v->synced)[s] = v->now;
            if (!implied)
                continue;
            v->implied_at[s] = barrier->implied;
            v->implied_noted[s] = false;
        }
}

/* Whether it still matters which implied barriers are needed, as in race.c. */
static bool counts_implied(const struct vm *v)
{
    return v->first_block || v->needed.len == 0;
}

/* As implied_needed of race.c. */
static void implied_needed(struct vm *v, enum ir_scope scope)
{
    v->implied_noted[scope] = true;
    for (size_t i = 0; i < v->needed.len; i++)
        if (v->needed.items[i] == v->implied_at[scope])
            return;
    vec_push(&v->needed, v->implied_at[scope]);
}

bool shadow_loop(struct vm *v)
{
    if (v->nloops == DC_ARRAY_LEN(v->loops))
        return lower_give_up(v->e, "parallel loops in one another");
    v->now++;
    v->loops[v->nloops].start = v->loops[v->nloops].iteration = v->now;
    v->nloops++;
    return true;
}

void shadow_iteration(struct vm *v)
{
    v->loops[v->nloops - 1].iteration = ++v->now;
}

/* As in_other_iteration of race.c: whether the time falls, for the outermost
 * loop that began before it, before the iteration that is going on. */
static bool other_iteration(const struct vm *v, uint64_t time)
{
    for (uint32_t i = 0; i < v->nloops; i++) {
        if (time < v->loops[i].start)
            return false;
        if (time < v->loops[i].iteration)
            return true;
    }
    return false;
}

void shadow_birth(struct vm *v, const struct store *s)
{
    struct shadow *x = &fast_memory_of(v, s)->shadow;
    if (!s->kept || x->birth < v->block_start)
        x->birth = ++v->now;
}

static uint64_t *marks(const struct store *s, uint64_t **at)
{
    if (*at == NULL)
        *at = dc_alloc((size_t)s->elements * s->lanes * sizeof **at);
    return *at;
}

/* Whether the access marked is of this launch and this life of the storage. */
static bool is_recent(const struct vm *v, const struct store *s, uint64_t mark)
{
    uint64_t time = mark >> MARK_BITS;
    return mark != 0 && time >= fast_memory_of(v, s)->shadow.birth &&
           time >= v->launched;
}

/* Whether it is concurrent with what thread `id` does now. */
static bool is_concurrent(struct vm *v, const struct store *s, uint64_t mark,
                          uint64_t id)
{
    uint64_t time = mark >> MARK_BITS;
    if (!is_recent(v, s, mark))
        return false;
    if (time < v->block_start || (mark & MARK_EARLIER))
        return true;
    if (v->nloops > 0 && ((mark & MARK_ID) == id || (mark & MARK_BEFORE)) &&
        (other_iteration(v, time) ||
         ((mark & MARK_BEFORE) && time >= v->loops[0].start)))
        return true;
    if ((mark & MARK_ID) == id && id != MARK_SEVERAL)
        return false;
    if (time < v->synced[s->scope])
        return false;
    if (time < v->implied[s->scope]) {
        if (!v->implied_noted[s->scope] && counts_implied(v))
            implied_needed(v, s->scope);
        return false;
    }
    return true;
}

/* The mark of an access by `id`, after one with the mark `last`. */
static uint64_t next_mark(const struct vm *v, const struct store *s,
                          uint64_t last, uint64_t id)
{
    uint64_t time = last >> MARK_BITS, mark = v->now << MARK_BITS;
    if (!is_recent(v, s, last))
        return mark | id;
    if (time < v->block_start)
        return mark | MARK_EARLIER | id;
    mark |= last & MARK_EARLIER;
    if (v->nloops > 0 && (other_iteration(v, time) ||
                          ((last & MARK_BEFORE) && time >= v->loops[0].start)))
        mark |= MARK_BEFORE;
    if (time < v->synced[s->scope] || time < v->implied[s->scope])
        return mark | id;
    return mark | ((last & MARK_ID) == id ? id : MARK_SEVERAL);
}

static bool race(struct vm *v)
{
    return lower_give_up(v->e, "what may be a race");
}

static inline bool read_one(struct vm *v, const struct store *s, int64_t at,
                            uint64_t id)
{
    struct shadow *x = &fast_memory_of(v, s)->shadow;
    const uint64_t *write = x->write;
    if (write != NULL && write[at] != 0 && is_concurrent(v, s, write[at], id))
        return race(v);
    x->read[at] = next_mark(v, s, x->read[at], id);
    return true;
}

bool shadow_read(struct vm *v, const struct store *s, enum race_look look,
                 const int64_t *at, uint32_t lo, uint32_t n)
{
    bool all = look == RACE_LOOK_ALL || counts_implied(v);
    if (!all)
        return true;
    (void)marks(s, &fast_memory_of(v, s)->shadow.read);
    for (uint32_t i = 0; i < n; i++)
        if (!read_one(v, s, at[i], lo + i + 1))
            return false;
    return true;
}

bool shadow_read_all(struct vm *v, const struct store *s, enum race_look look,
                     int64_t at)
{
    bool all = look == RACE_LOOK_ALL || counts_implied(v);
    if (!all)
        return true;
    (void)marks(s, &fast_memory_of(v, s)->shadow.read);
    return read_one(v, s, at, MARK_SEVERAL);
}

bool shadow_write(struct vm *v, const struct store *s, const int64_t *at,
                  const uint8_t *same, uint32_t lo, uint32_t n)
{
    uint64_t *write = marks(s, &fast_memory_of(v, s)->shadow.write);
    const uint64_t *read = fast_memory_of(v, s)->shadow.read;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t id = lo + i + 1, *w = &write[at[i]];
        if (read != NULL && is_concurrent(v, s, read[at[i]], id))
            return race(v);
        if (is_concurrent(v, s, *w, id)) {
            if (!same[i] || (*w & MARK_OTHER))
                return race(v);
        }
        uint64_t mark = next_mark(v, s, *w, id);
        bool again = is_recent(v, s, *w) && (mark & MARK_ID) == id &&
                     (*w & MARK_ID) == id && *w >> MARK_BITS >= v->block_start;
        if (again || (*w >> MARK_BITS >= v->block_start &&
                      is_recent(v, s, *w) && (*w & MARK_OTHER)))
            mark |= MARK_OTHER;
        *w = mark;
    }
    return true;
}
