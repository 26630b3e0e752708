/* SPDX-License-Identifier: Apache-2.0
 *
 * Storage: allocations of bytes with one shadow byte each, and loads and stores
 * of one lane.
 *
 * The shadow says of every byte whether it is defined, inexact, written, and
 * what a value loaded from it depends on; a value stored and loaded again
 * comes back with its flags, whatever type it is read under (rule 29). What
 * is no bits (enclosures, values of keyed domains) lives in a box beside the
 * bytes, at its first byte. Its bytes are marked MEM_BOXED, all but the first
 * MEM_BOX_TAIL too, so that a load sees whether it meets exactly one store:
 * what was overwritten in part, or is read under another type, is refused.
 *
 * Before lowering, buffers that each thread uses a corner of still have their
 * full shape; so large storage made inside a kernel is a hash of pages.
 *
 * Every access is checked against the storage's size and, when others may
 * reach the storage, handed to the race detector.
 */
#include "interp/machine/exec.h"
#include "interp/machine/sym.h"
#include "ir/base/limits.h"

#include <string.h>

/* Storage that one run may hold at a time, shadows included. */
#define MAX_LIVE_BYTES ((size_t)12 << 30)

/* ---- allocations ----------------------------------------------------------- */

static uint32_t slot_take(struct machine *m, struct alloc *a)
{
    if (m->free_slots.len > 0) {
        uint32_t slot = m->free_slots.items[--m->free_slots.len];
        m->allocs.items[slot] = a;
        return slot;
    }
    vec_push(&m->allocs, a);
    return (uint32_t)(m->allocs.len - 1);
}

/* A page holds PAGE bytes, their shadow, and in boxed domains their boxes. */
#define PAGE        ((size_t)128)
#define SPARSE_FROM ((size_t)8 << 10)

struct mem_page {
    size_t index;
    union interp_box *box; /* PAGE / box_unit; or NULL */
    uint32_t box_unit;
    uint8_t bytes[2 * PAGE];
};

struct alloc *mem_alloc_make(struct machine *m, const struct ir_buffer *buffer,
                             size_t size)
{
    if (m->failed)
        return NULL;
    bool sparse =
        size > SPARSE_FROM && (m->kernel != NULL || m->thread->loops.len > 0);
    if (size > DC_MAX_BUFFER_BYTES || m->live_bytes > MAX_LIVE_BYTES ||
        (!sparse && 2 * size > MAX_LIVE_BYTES - m->live_bytes) ||
        m->allocs.len >= (1u << 26)) {
        exec_fault(m, INTERP_BUDGET, buffer, NULL, "needs %zu bytes, too many",
                   size);
        return NULL;
    }
    if (dc_memory_low() || (!sparse && !dc_memory_fits(2 * size))) {
        exec_fault(m, INTERP_BUDGET, buffer, NULL,
                   "needs %zu bytes, more than '--max-memory' leaves", size);
        return NULL;
    }
    struct alloc *a = dc_alloc(sizeof *a);
    a->buffer = buffer;
    a->size = size;
    if (!sparse) {
        a->bytes = dc_alloc(size > 0 ? 2 * size : 1);
        m->live_bytes += 2 * size;
    }
    a->lane = dtype_scalar(buffer->dtype);
    a->scope = ir_scope_of(buffer->scope);
    a->refs = 1;
    a->birth = m->now;
    a->param = -1;
    a->slot = slot_take(m, a);
    return a;
}

void mem_alloc_clear(struct alloc *a)
{
    a->again = true;
    if (a->bytes != NULL)
        memset(a->bytes + a->size, 0, a->size);
    for (size_t i = 0; i < a->page_cap; i++)
        if (a->pages[i] != NULL)
            memset(a->pages[i]->bytes + PAGE, 0, PAGE);
}

static void page_free(struct machine *m, struct mem_page *page)
{
    m->live_bytes -= sizeof *page;
    if (page->box != NULL)
        m->live_bytes -= (PAGE / page->box_unit + 1) * sizeof *page->box;
    dc_release(page->box);
    dc_release(page);
}

static void alloc_free(struct machine *m, struct alloc *a)
{
    m->allocs.items[a->slot] = NULL;
    vec_push(&m->free_slots, a->slot);
    if (a->bytes != NULL)
        m->live_bytes -= 2 * a->size;
    if (a->box != NULL)
        m->live_bytes -= (a->size / a->box_unit + 1) * sizeof *a->box;
    for (size_t i = 0; i < a->page_cap; i++)
        if (a->pages[i] != NULL)
            page_free(m, a->pages[i]);
    exec_race_table_free(a->race);
    dc_release(a->pages);
    dc_release(a->box);
    dc_release(a->bytes);
    dc_release(a);
}

/* ---- pages ------------------------------------------------------------------- */

static size_t page_slot(const struct alloc *a, size_t index)
{
    size_t mask = a->page_cap - 1;
    size_t i = (size_t)hash_mix(0, index) & mask;
    while (a->pages[i] != NULL && a->pages[i]->index != index)
        i = (i + 1) & mask;
    return i;
}

static void pages_grow(struct alloc *a)
{
    struct mem_page **old = a->pages;
    size_t cap = a->page_cap;
    a->page_cap = cap == 0 ? 16 : 2 * cap;
    a->pages = dc_alloc(a->page_cap * sizeof *a->pages);
    for (size_t i = 0; i < cap; i++)
        if (old[i] != NULL)
            a->pages[page_slot(a, old[i]->index)] = old[i];
    dc_release(old);
}

static struct mem_page *page_find(const struct alloc *a, size_t offset)
{
    return a->page_cap == 0 ? NULL : a->pages[page_slot(a, offset / PAGE)];
}

static struct mem_page *page_take(struct machine *m, struct alloc *a,
                                  size_t offset)
{
    struct mem_page *page = page_find(a, offset);
    if (page != NULL)
        return page;
    if (2 * a->npages >= a->page_cap)
        pages_grow(a);
    page = dc_alloc(sizeof *page);
    page->index = offset / PAGE;
    a->pages[page_slot(a, page->index)] = page;
    a->npages++;
    m->live_bytes += sizeof *page;
    if (m->live_bytes > MAX_LIVE_BYTES)
        exec_fault(m, INTERP_BUDGET, a->buffer, NULL,
                   "needs more memory than a run may hold");
    else if (dc_memory_low())
        exec_fault(m, INTERP_BUDGET, a->buffer, NULL,
                   "needs more memory than '--max-memory' leaves");
    return page;
}

/* n bytes in place, their shadow `*gap` bytes further on. An access that
 * straddles pages gives NULL: the caller goes byte by byte. */
static const uint8_t *bytes_at(const struct alloc *a, size_t offset, size_t n,
                               size_t *gap)
{
    static const uint8_t untouched[2 * PAGE];
    if (a->bytes != NULL) {
        *gap = a->size;
        return a->bytes + offset;
    }
    *gap = PAGE;
    if (offset / PAGE != (offset + n - 1) / PAGE)
        return NULL;
    const struct mem_page *page = page_find(a, offset);
    return (page == NULL ? untouched : page->bytes) + offset % PAGE;
}

uint8_t mem_shadow_at(const struct alloc *a, size_t offset)
{
    size_t gap;
    const uint8_t *p = bytes_at(a, offset, 1, &gap);
    return p[gap];
}

void mem_set_marks(struct alloc *a, size_t offset, size_t n, unsigned state)
{
    const unsigned mask = MEM_WRITTEN | MEM_SKIPPED;
    for (size_t i = 0; i < n && a->bytes != NULL; i++) {
        uint8_t *s = &a->bytes[a->size + offset + i];
        *s = (uint8_t)((*s & ~mask) | (state & mask));
    }
}

bool mem_holds(const struct alloc *a, size_t offset, uint8_t value)
{
    size_t gap;
    const uint8_t *p = bytes_at(a, offset, 1, &gap);
    return ((p[gap] & MEM_DEFINED) || a->again) && p[0] == value;
}

/* Copies raw bytes and one shadow for all of them in; no checks but bounds. */
static void mem_fill(struct machine *m, struct alloc *a, size_t offset,
                     const uint8_t *bytes, size_t n, uint8_t shadow)
{
    if (a->bytes != NULL) {
        memcpy(a->bytes + offset, bytes, n);
        memset(a->bytes + a->size + offset, shadow, n);
        return;
    }
    while (n > 0) {
        size_t part = PAGE - offset % PAGE;
        if (part > n)
            part = n;
        uint8_t *p = page_take(m, a, offset)->bytes + offset % PAGE;
        memcpy(p, bytes, part);
        memset(p + PAGE, shadow, part);
        offset += part;
        bytes += part;
        n -= part;
    }
}

void mem_alloc_adopt(struct machine *m, const struct alloc *from,
                     struct alloc *to)
{
    size_t gap;
    for (size_t i = 0; i < from->size; i++) {
        const uint8_t *p = bytes_at(from, i, 1, &gap);
        if (p[0] != 0)
            mem_fill(m, to, i, p, 1, 0);
    }
    to->again = true;
}

void mem_alloc_drop(struct machine *m, struct alloc *a)
{
    if (a != NULL && --a->refs == 0)
        alloc_free(m, a);
}

/* ---- one lane ------------------------------------------------------------------ */

static bool in_bounds(struct machine *m, const struct alloc *a, int64_t offset,
                      size_t n, const char *what)
{
    if (offset >= 0 && (uint64_t)offset + n <= a->size)
        return true;
    exec_fault(m, INTERP_OUT_OF_BOUNDS, a->buffer, NULL,
               "%s of %zu bytes at byte %lld, outside its %zu bytes of storage",
               what, n, (long long)offset, a->size);
    return false;
}

/* What n bytes and their shadow hold, copied out. */
struct raw {
    uint8_t bytes[8];
    unsigned all, any; /* and, or of the shadow */
};

static void raw_read(const struct alloc *a, size_t offset, size_t n,
                     struct raw *out)
{
    size_t gap;
    const uint8_t *p = bytes_at(a, offset, n, &gap);
    if (p == NULL) { /* across two pages */
        out->all = 0xff;
        out->any = 0;
        for (size_t i = 0; i < n; i++) {
            p = bytes_at(a, offset + i, 1, &gap);
            out->bytes[i] = p[0];
            out->all &= p[gap];
            out->any |= p[gap];
        }
        return;
    }
    out->all = out->any = p[gap];
    out->bytes[0] = p[0];
    for (size_t i = 1; i < n; i++) {
        out->bytes[i] = p[i];
        out->all &= p[gap + i];
        out->any |= p[gap + i];
    }
}

static uint32_t flags_from_shadow(unsigned all, unsigned any)
{
    return (~all & MEM_DEFINED ? V_UNDEF : 0u) |
           (any & MEM_INEXACT ? V_INEXACT : 0u) |
           (any & MEM_DATA ? V_DATA : 0u) |
           (any & MEM_WRAPPED ? V_WRAPPED : 0u);
}

static uint8_t shadow_from_flags(const struct machine *m, uint32_t flags)
{
    unsigned s = MEM_WRITTEN;
    if (!(flags & V_UNDEF))
        s |= MEM_DEFINED;
    if ((flags & V_INEXACT) || m->control_tainted)
        s |= MEM_INEXACT;
    if (flags & V_DATA)
        s |= MEM_DATA;
    if (flags & V_WRAPPED)
        s |= MEM_WRAPPED;
    return (uint8_t)s;
}

/* Boxes for n bytes, one per unit; the old ones keep their places. NULL after
 * a fault. */
static union interp_box *boxes_make(struct machine *m, struct alloc *a,
                                    size_t n, uint32_t unit,
                                    union interp_box *old, uint32_t old_unit)
{
    size_t count = n / unit + 1;
    if (count * sizeof *old > MAX_LIVE_BYTES - m->live_bytes) {
        exec_fault(m, INTERP_BUDGET, a->buffer, NULL,
                   "needs too much memory for boxes");
        return NULL;
    }
    if (!dc_memory_fits(count * sizeof *old)) {
        exec_fault(m, INTERP_BUDGET, a->buffer, NULL,
                   "needs more memory for boxes than '--max-memory' leaves");
        return NULL;
    }
    m->live_bytes += count * sizeof *old;
    union interp_box *fresh = dc_alloc(count * sizeof *fresh);
    if (old == NULL)
        return fresh;
    for (size_t i = 0; i < n / old_unit; i++)
        fresh[i * (old_unit / unit)] = old[i];
    m->live_bytes -= (n / old_unit + 1) * sizeof *old;
    dc_release(old);
    return fresh;
}

/* The largest unit of which the access is a multiple, at most that in use. */
static uint32_t fine_unit(uint32_t have, size_t offset, uint32_t n)
{
    uint32_t unit = have != 0 && have < n ? have : n;
    while (unit > 1 && offset % unit != 0)
        unit /= 2;
    return unit;
}

/* The box of a value of n bytes; NULL after a fault. Boxes stand as close as
 * the finest access so far asks for. */
static union interp_box *box_at(struct machine *m, struct alloc *a,
                                size_t offset, uint32_t n)
{
    union interp_box **box = &a->box;
    uint32_t *unit = &a->box_unit;
    size_t span = a->size, at = offset;
    if (a->bytes == NULL) {
        struct mem_page *page = page_take(m, a, offset);
        box = &page->box;
        unit = &page->box_unit;
        span = PAGE;
        at = offset % PAGE;
    }
    uint32_t want = fine_unit(*unit, at, n);
    if (*box == NULL || want != *unit) {
        union interp_box *fresh = boxes_make(m, a, span, want, *box, *unit);
        if (fresh == NULL)
            return NULL;
        *box = fresh;
        *unit = want;
    }
    return &(*box)[at / *unit];
}

/* Whether n bytes are the whole of one box. */
static bool one_box(const struct alloc *a, size_t offset, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        unsigned s = mem_shadow_at(a, offset + i);
        if (!(s & MEM_BOXED) || !(s & MEM_BOX_TAIL) != (i == 0))
            return false;
    }
    return offset + n >= a->size ||
           !(mem_shadow_at(a, offset + n) & MEM_BOX_TAIL);
}

static struct value load_boxed(struct machine *m, struct alloc *a,
                               size_t offset, uint32_t n, const struct raw *raw)
{
    uint32_t flags = flags_from_shadow(raw->all, raw->any);
    if (flags & V_UNDEF)
        return exec_value_undefined();
    if (!(raw->all & MEM_BOXED)) {
        exec_fault(m, INTERP_UNDECIDED, a->buffer, NULL,
                   "holds integers that are read as floats");
        return exec_value_undefined();
    }
    if (!one_box(a, offset, n)) {
        exec_fault(m, INTERP_UNDECIDED, a->buffer, NULL,
                   "is used under two float types of different size");
        return exec_value_undefined();
    }
    union interp_box *box = box_at(m, a, offset, n);
    return box == NULL ? exec_value_undefined()
                       : exec_value_box(m, *box, flags);
}

static struct value load_keyed(struct machine *m, struct alloc *a,
                               size_t offset, struct dtype lane,
                               const struct raw *raw)
{
    uint32_t flags = flags_from_shadow(raw->all, raw->any);
    size_t n = dtype_lane_bytes(lane);
    if (flags & V_UNDEF)
        return exec_value_undefined();
    const union interp_box *box =
        one_box(a, offset, n) ? box_at(m, a, offset, (uint32_t)n) : NULL;
    if (box != NULL && box->sym.type == keyed_type(lane))
        return exec_value_box(m, *box, flags);
    char text[48];
    exec_fault(m, INTERP_UNDECIDED, a->buffer, NULL,
               "holds data that are read as %s but were stored as another "
               "type or in parts",
               dtype_name(dtype_scalar(lane), text));
    return exec_value_undefined();
}

static struct value load_bytes(struct machine *m, struct alloc *a,
                               size_t offset, struct dtype lane, size_t n)
{
    struct raw raw = {{0}, 0, 0};
    raw_read(a, offset, n, &raw);
    if (m->boxed && dtype_is_float(lane))
        return load_boxed(m, a, offset, (uint32_t)n, &raw);
    if (m->keyed != NULL && (raw.any & MEM_BOXED))
        return load_keyed(m, a, offset, lane, &raw);
    if (raw.any & MEM_BOXED) {
        exec_fault(m, INTERP_UNDECIDED, a->buffer, NULL,
                   "holds floats that are read as %s",
                   dtype_is_bool(lane) ? "bool" : "integers");
        return exec_value_undefined();
    }
    uint32_t flags = flags_from_shadow(raw.all, raw.any);
    if (flags & V_UNDEF)
        return exec_value_scalar(0, flags);
    if (dtype_is_bool(lane) && raw.bytes[0] > 1)
        return exec_value_scalar(0, flags | V_UNDEF);
    return exec_value_scalar(num_load(lane, raw.bytes), flags);
}

static void store_boxed(struct machine *m, struct alloc *a, size_t offset,
                        uint32_t n, struct value v)
{
    static const uint8_t nothing[8];
    uint8_t shadow = shadow_from_flags(m, v.flags);
    if (!(v.flags & V_UNDEF)) {
        union interp_box *box = box_at(m, a, offset, n);
        if (box == NULL)
            return;
        *box = *v.u.box;
        shadow |= MEM_BOXED;
    }
    mem_fill(m, a, offset, nothing, 1, shadow);
    if (shadow & MEM_BOXED)
        shadow |= MEM_BOX_TAIL;
    mem_fill(m, a, offset + 1, nothing, n - 1, shadow);
}

/* Handles have no form in memory. */
static bool storable(struct machine *m, const struct alloc *a,
                     struct dtype lane, struct value v)
{
    if (v.flags & (V_POINTER | V_VECTOR) || dtype_lane_bytes(lane) == 0 ||
        dtype_lane_bytes(lane) > 8) {
        exec_fault(m, INTERP_UNSUPPORTED, a->buffer, NULL,
                   "stores a value that has no form in memory");
        return false;
    }
    if (v.flags & V_MAYBE) {
        exec_fault(m, INTERP_UNDECIDED, a->buffer, NULL,
                   "stores a comparison that the enclosures do not decide");
        return false;
    }
    return true;
}

static struct value load_mode(struct machine *m, struct alloc *a,
                              int64_t offset, struct dtype lane, unsigned mode,
                              bool checked)
{
    size_t n = dtype_lane_bytes(lane);
    if (m->failed || n == 0 || n > 8 || !in_bounds(m, a, offset, n, "is read"))
        return exec_value_undefined();
    size_t at = (size_t)offset;
    if (checked && m->async_pending > 0)
        intrin_async_access(m, a, at, n, mode);
    if (checked && m->racing)
        exec_race_access(m, a, at, n, mode, NULL);
    struct value v = load_bytes(m, a, at, lane, n);
    if (checked && m->hooks.loaded != NULL && !m->failed)
        m->hooks.loaded(m, a, at, lane, v);
    return v;
}

/* Whether a store changes what keyed domains know of the n bytes; the race
 * detector can only compare bytes. */
static bool keyed_changes(struct machine *m, struct alloc *a, size_t at,
                          size_t n, struct value v)
{
    if (m->keyed == NULL)
        return false;
    unsigned s = mem_shadow_at(a, at);
    if (!(v.flags & V_BOX) || !(s & MEM_BOXED))
        return (v.flags & V_BOX) || (s & MEM_BOXED);
    if (!one_box(a, at, n))
        return true;
    const union interp_box *box = box_at(m, a, at, (uint32_t)n);
    return box == NULL || box->sym.type != v.u.box->sym.type ||
           !keyed_equal(keyed_element(box->sym), keyed_element(v.u.box->sym));
}

static void store_mode(struct machine *m, struct alloc *a, int64_t offset,
                       struct dtype lane, struct value v, unsigned mode,
                       bool checked)
{
    size_t n = dtype_lane_bytes(lane);
    if (m->failed || !storable(m, a, lane, v) ||
        !in_bounds(m, a, offset, n, "is written"))
        return;
    size_t at = (size_t)offset;
    bool boxed = (m->boxed && dtype_is_float(lane)) || (v.flags & V_BOX);
    uint8_t bytes[8] = {0};
    if (!boxed && !(v.flags & V_UNDEF))
        num_store(lane, bytes, v.u.bits);
    if (checked && m->async_pending > 0)
        intrin_async_access(m, a, at, n, mode);
    if (checked && m->racing)
        exec_race_access(
            m, a, at, n,
            mode | (keyed_changes(m, a, at, n, v) ? RACE_CHANGES : 0u),
            boxed ? NULL : bytes);
    if (boxed)
        store_boxed(m, a, at, (uint32_t)n, v);
    else
        mem_fill(m, a, at, bytes, n, shadow_from_flags(m, v.flags));
    if (checked && m->hooks.stored != NULL && !m->failed)
        m->hooks.stored(m, a, at, lane, v);
}

struct value mem_load(struct machine *m, struct alloc *a, int64_t offset,
                      struct dtype lane)
{
    return load_mode(m, a, offset, lane, RACE_READ, true);
}

void mem_store(struct machine *m, struct alloc *a, int64_t offset,
               struct dtype lane, struct value v)
{
    store_mode(m, a, offset, lane, v, RACE_WRITE, true);
}

struct value mem_load_atomic(struct machine *m, struct alloc *a, int64_t offset,
                             struct dtype lane)
{
    m->result.has_atomics = true;
    return load_mode(m, a, offset, lane, RACE_ATOMIC, true);
}

void mem_store_atomic(struct machine *m, struct alloc *a, int64_t offset,
                      struct dtype lane, struct value v)
{
    m->result.has_atomics = true;
    store_mode(m, a, offset, lane, v, RACE_WRITE | RACE_ATOMIC, true);
}

struct value mem_peek(struct machine *m, struct alloc *a, int64_t offset,
                      struct dtype lane)
{
    return load_mode(m, a, offset, lane, RACE_READ, false);
}

void mem_poke(struct machine *m, struct alloc *a, int64_t offset,
              struct dtype lane, struct value v)
{
    store_mode(m, a, offset, lane, v, RACE_WRITE, false);
    if (!m->failed && a->race != NULL)
        exec_race_forget(m, a, (size_t)offset, dtype_lane_bytes(lane));
}
