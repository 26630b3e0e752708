/* SPDX-License-Identifier: Apache-2.0
 *
 * Storage of the evaluator: bytes, and of each whether it is defined and
 * whether an overflowed integer went into it (R9: through memory, too).
 *
 * A cell is an address (R4): indices go through the buffer's strides and
 * offset, and what leaves the storage is a fault, whatever the declared shape
 * says. Where iterations or threads promise independence, each byte knows who
 * met it since the last barrier; two that meet, one writing, are a race unless
 * all write the same and each reader wrote before it read (R28).
 */
#include "fuzz/ints/ints_machine.h"

#include <string.h>

enum { DEFINED = 1, OVERFLOWED = 2 };

/* ---- layouts --------------------------------------------------------------- */

const struct ints_layout *ints_layout_of(struct ints_machine *m,
                                         const struct ir_buffer *b)
{
    struct ints_layout *l = &m->layouts[b->id];
    if (l->run == m->run)
        return l;
    int64_t step = 1;
    if (b->rank > INTS_MAX_RANK || !ints_is_type(b->dtype)) {
        (void)ints_stop_run(m, INTS_STUCK, "a buffer of another kind");
        return NULL;
    }
    for (size_t d = b->rank; d-- > 0;) {
        int64_t n;
        l->stride[d] = step;
        if (!ints_eval_index(m, b->shape[d], &n))
            return NULL;
        step *= n > 0 ? n : 0;
        if (step > (int64_t)INTS_MAX_BYTES) {
            (void)ints_stop_run(m, INTS_STUCK, "a large buffer");
            return NULL;
        }
    }
    for (size_t d = 0; b->nstrides == b->rank && d < b->rank; d++)
        if (!ints_eval_index(m, b->strides[d], &l->stride[d]))
            return NULL;
    l->offset = 0;
    if (b->elem_offset != NULL &&
        !ints_eval_index(m, b->elem_offset, &l->offset))
        return NULL;
    l->unit = dtype_lane_bytes(b->dtype);
    l->run = m->run;
    return l;
}

size_t ints_extent_of(struct ints_machine *m, const struct ir_buffer *b)
{
    const struct ints_layout *l = ints_layout_of(m, b);
    int64_t last = 0, n;
    for (size_t d = 0; l != NULL && d < b->rank; d++) {
        if (!ints_eval_index(m, b->shape[d], &n))
            return 0;
        if (n <= 0)
            return 0;
        if (l->stride[d] > 0)
            last += (n - 1) * l->stride[d];
    }
    if (l == NULL || last + l->offset < 0 ||
        (size_t)(last + l->offset + 1) * l->unit > INTS_MAX_BYTES) {
        (void)ints_stop_run(m, INTS_STUCK, "a large buffer");
        return 0;
    }
    return (size_t)(last + l->offset + 1) * l->unit;
}

/* ---- storage --------------------------------------------------------------- */

static bool is_each(const struct ints_machine *m, const struct ir_buffer *b)
{
    return m->threads > 1 && strncmp(b->scope, "shared", 6) != 0;
}

bool ints_store_make(struct ints_machine *m, const struct ir_buffer *b)
{
    struct ints_store *s = &m->stores[b->data->id];
    size_t size = ints_extent_of(m, b);
    bool each = is_each(m, b);
    size_t room = each ? size * m->threads : size;
    if (m->stop != INTS_GOES)
        return false;
    if (room > s->room) {
        s->bytes = dc_realloc(s->bytes, room);
        s->state = dc_realloc(s->state, room);
        dc_release(s->met);
        s->met = NULL;
        s->room = room;
    }
    m->owner[b->data->id] = b->data->id;
    s->live = true;
    s->size = size;
    s->each = each;
    s->shared = strncmp(b->scope, "shared", 6) == 0;
    size_t from = each ? size * m->thread : 0;
    if (size > 0) {
        memset(s->bytes + from, 0, size);
        memset(s->state + from, 0, size);
    }
    return true;
}

/* The bytes of one element; NULL after a stop. */
static struct ints_store *find(struct ints_machine *m,
                               const struct ir_buffer *b, size_t n,
                               const int64_t *index, size_t *at, size_t *unit)
{
    const struct ints_layout *l = ints_layout_of(m, b);
    if (l == NULL)
        return NULL;
    struct ints_store *s = &m->stores[m->owner[b->data->id]];
    int64_t sum = l->offset, part;
    if (!s->live || n != b->rank) {
        (void)ints_stop_run(m, INTS_STUCK, "a buffer that is not there");
        return NULL;
    }
    for (size_t d = 0; d < n; d++)
        if (__builtin_mul_overflow(index[d], l->stride[d], &part) ||
            __builtin_add_overflow(sum, part, &sum)) {
            (void)ints_stop_run(m, INTS_FAULTS, "an address out of bounds");
            return NULL;
        }
    if (sum < 0 || (uint64_t)sum >= s->size / l->unit) {
        (void)ints_stop_run(m, INTS_FAULTS, "an address out of bounds");
        return NULL;
    }
    *unit = l->unit;
    *at = (size_t)sum * l->unit + (s->each ? s->size * m->thread : 0);
    return s;
}

/* ---- races ----------------------------------------------------------------- */

static struct ints_met *met_at(struct ints_machine *m, struct ints_store *s,
                               size_t at)
{
    if (s->met == NULL)
        s->met = dc_alloc((s->room + 1) * sizeof *s->met);
    struct ints_met *met = &s->met[at];
    uint64_t epoch = s->shared ? m->shared_epoch : m->epoch;
    if (met->epoch != epoch) {
        memset(met, 0, sizeof *met);
        met->epoch = epoch;
    }
    return met;
}

/* Readers had not written before: only one alone may have written since. */
static void check_met(struct ints_machine *m, const struct ints_met *met)
{
    bool alone = (met->writers & (met->writers - 1)) == 0;
    bool read = met->writers != 0 && met->readers != 0 &&
                (met->readers != met->writers || !alone);
    if (read || (!alone && met->mixed))
        (void)ints_stop_run(m, m->implied ? INTS_STUCK : INTS_FAULTS, "a race");
}

/* What is undefined is equal to nothing. */
static void meet(struct ints_machine *m, struct ints_store *s, size_t at,
                 bool write, uint8_t value, bool defined)
{
    if (!m->apart || s->each)
        return;
    uint64_t self = UINT64_C(1) << m->thread;
    struct ints_met *met = met_at(m, s, at);
    if (write) {
        met->mixed = met->mixed || !defined ||
                     (met->writers != 0 && met->value != value);
        met->value = value;
        met->writers |= self;
    } else if (!(met->writers & self)) {
        met->readers |= self;
    }
    check_met(m, met);
}

/* ---- accesses -------------------------------------------------------------- */

struct ints_cell ints_load(struct ints_machine *m, const struct ir_buffer *b,
                           size_t n, const int64_t *index)
{
    struct ints_cell r = {0, 0};
    size_t at, unit;
    struct ints_store *s = find(m, b, n, index, &at, &unit);
    if (s == NULL)
        return r;
    for (size_t i = 0; i < unit; i++) {
        meet(m, s, at + i, false, 0, true);
        r.bits |= (uint64_t)s->bytes[at + i] << (8 * i);
        if (!(s->state[at + i] & DEFINED))
            r.flags |= INTS_UNDEF;
        if (s->state[at + i] & OVERFLOWED)
            r.flags |= INTS_OVER;
    }
    r.bits =
        dtype_is_bool(b->dtype) ? r.bits != 0 : ints_wrap(b->dtype, r.bits);
    if (r.flags & INTS_UNDEF)
        r.bits = 0;
    return r;
}

void ints_store(struct ints_machine *m, const struct ir_buffer *b, size_t n,
                const int64_t *index, struct ints_cell value)
{
    size_t at, unit;
    struct ints_store *s = find(m, b, n, index, &at, &unit);
    if (s == NULL)
        return;
    uint8_t state = (uint8_t)((value.flags & INTS_UNDEF ? 0 : DEFINED) |
                              (value.flags & INTS_OVER ? OVERFLOWED : 0));
    for (size_t i = 0; i < unit; i++) {
        uint8_t byte = (uint8_t)(value.bits >> (8 * i));
        meet(m, s, at + i, true, byte, (state & DEFINED) != 0);
        s->bytes[at + i] = byte;
        s->state[at + i] = state;
    }
}
