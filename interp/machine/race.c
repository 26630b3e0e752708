/* SPDX-License-Identifier: Apache-2.0
 *
 * The race detector (rules 4, 6, 17-20, 24, 28): for each cell of storage the
 * last writer and up to two readers, each as (time, thread).
 *
 * Why times suffice. Host code and each thread run their parallel loops depth
 * first, one iteration after the other. So an earlier access of the same
 * thread at time s is
 *   - ordered before everything inside a loop that started after s;
 *   - concurrent if it fell into an earlier iteration of an active loop;
 *   - else in the same iteration: look at the next inner loop.
 * Loops that have ended need no memory: their accesses look like accesses of
 * the surrounding iteration, which is right. Blocks of a kernel are such a
 * loop too. An earlier access of another thread of the same block is ordered
 * if a barrier that covers both came later, else concurrent.
 *
 * Why two readers suffice: the two kept are concurrent with each other and,
 * where possible, of different warps, so a later write that is ordered after
 * both is ordered after every reader that was dropped. The write before the
 * last is kept too where the last does not stand for it: another thread's of
 * equal bits, or the same thread's of other bits.
 *
 * A cell is as wide as the storage's lane; an access that does not fit the
 * grid makes cells of one byte. Tables are paged and made on first use. Most
 * cells are written in one iteration and that is all, or read once or twice
 * besides; so pages come in three sizes of cells, and one grows as soon as what
 * a cell has to hold does not fit. What is kept is the same in each.
 *
 * Benign races (rule 28): equal bits, and the reader has itself written the
 * cell; which threads have is noted only for cells written by several.
 */
#include "interp/machine/exec.h"

#include <string.h>

#define PAGE_CELLS 64u
#define NO_TIME    0u

struct race_mark {
    uint32_t time;   /* machine.now; NO_TIME = none */
    uint32_t thread; /* id, and the bits below */
};
#define MARK_ATOMIC 0x80000000u
#define MARK_WROTE  0x40000000u /* a reader that had written the cell itself */
#define MARK_OTHER  0x40000000u /* an earlier write: of other bits, or atomic */
#define MARK_THREAD 0x3fffffffu

struct race_cell {
    struct race_mark write, earlier, read[2];
};

/* Writers of a cell that several threads wrote with equal bits. */
struct race_owner {
    size_t cell;
    uint32_t thread, time; /* time NO_TIME = free entry */
};

/* How a page holds its cells. */
enum page_form {
    PAGE_ONE,  /* a write, a read or both, at one time by one thread */
    PAGE_FEW,  /* no earlier write; times and threads of not too many bits */
    PAGE_WHOLE /* as they are */
};
static const size_t form_words[] = {1, 2, 4}; /* 64 bits each, a cell */

struct race_page {
    uint64_t form; /* enum page_form */
    uint64_t words[];
};

struct race_table {
    size_t unit; /* bytes a cell */
    size_t npages;
    struct race_page **pages;
    struct race_owner *owners; /* open addressing; capacity a power of 2 */
    size_t nowners, owner_cap;
};

static struct race_table *table_new(size_t size, size_t unit)
{
    struct race_table *t = dc_alloc(sizeof *t);
    t->unit = unit;
    t->npages = size / unit / PAGE_CELLS + 1;
    t->pages = dc_alloc(t->npages * sizeof *t->pages);
    return t;
}

void exec_race_table_free(struct race_table *t)
{
    if (t == NULL)
        return;
    for (size_t i = 0; i < t->npages; i++)
        dc_release(t->pages[i]);
    dc_release(t->pages);
    dc_release(t->owners);
    dc_release(t);
}

/* ---- cells ---------------------------------------------------------------------- */

#define ONE_THREAD  0xfffffu /* of PAGE_ONE, below the bits of what is there */
#define ONE_WRITE   ((uint64_t)1 << 20)
#define ONE_READ    ((uint64_t)1 << 21)
#define ONE_FLAGS   22 /* two bits of the write's, two of the read's */
#define FEW_TIME    29 /* bits of PAGE_FEW's marks: time, thread, flags */
#define FEW_THREAD  11
#define FEW_MARK    (FEW_TIME + FEW_THREAD + 2)
#define LOW_BITS(n) (((uint64_t)1 << (n)) - 1)

static uint32_t id_of(struct race_mark m)
{
    return m.thread & MARK_THREAD;
}

static bool is_empty(struct race_mark m)
{
    return m.time == NO_TIME;
}

/* Whether the cell can be held so; a mark that is empty is all zeros. */
static bool fits(const struct race_cell *c, enum page_form form)
{
    const struct race_mark *few[] = {&c->write, &c->read[0], &c->read[1]};
    if (form == PAGE_WHOLE)
        return true;
    if (!is_empty(c->earlier))
        return false;
    if (form == PAGE_ONE)
        return is_empty(c->read[1]) && id_of(c->write) <= ONE_THREAD &&
               id_of(c->read[0]) <= ONE_THREAD &&
               (is_empty(c->write) || is_empty(c->read[0]) ||
                (c->write.time == c->read[0].time &&
                 id_of(c->write) == id_of(c->read[0])));
    for (size_t i = 0; i < 3; i++)
        if (few[i]->time > LOW_BITS(FEW_TIME) ||
            id_of(*few[i]) > LOW_BITS(FEW_THREAD))
            return false;
    return true;
}

static uint64_t few_mark(struct race_mark m)
{
    return m.time | (uint64_t)id_of(m) << FEW_TIME |
           (uint64_t)(m.thread >> 30) << (FEW_TIME + FEW_THREAD);
}

static struct race_mark mark_few(uint64_t x)
{
    uint64_t id = x >> FEW_TIME & LOW_BITS(FEW_THREAD);
    uint64_t flags = x >> (FEW_TIME + FEW_THREAD) & 3;
    return (struct race_mark){(uint32_t)(x & LOW_BITS(FEW_TIME)),
                              (uint32_t)(id | flags << 30)};
}

static void cell_pack(const struct race_cell *c, enum page_form form,
                      uint64_t *to)
{
    if (form == PAGE_WHOLE) {
        memcpy(to, c, sizeof *c);
    } else if (form == PAGE_FEW) {
        uint64_t read = few_mark(c->read[0]);
        to[0] = few_mark(c->write) | read << FEW_MARK;
        to[1] = read >> (64 - FEW_MARK) | few_mark(c->read[1]) << 20;
    } else {
        struct race_mark any = is_empty(c->write) ? c->read[0] : c->write;
        uint64_t low = id_of(any);
        low |= is_empty(c->write) ? 0 : ONE_WRITE;
        low |= is_empty(c->read[0]) ? 0 : ONE_READ;
        low |= (uint64_t)(c->write.thread >> 30) << ONE_FLAGS;
        low |= (uint64_t)(c->read[0].thread >> 30) << (ONE_FLAGS + 2);
        *to = (uint64_t)any.time << 32 | low;
    }
}

static struct race_cell cell_unpack(enum page_form form, const uint64_t *from)
{
    struct race_cell c = {{0, 0}, {0, 0}, {{0, 0}, {0, 0}}};
    if (form == PAGE_WHOLE) {
        memcpy(&c, from, sizeof c);
    } else if (form == PAGE_FEW) {
        c.write = mark_few(from[0]);
        c.read[0] = mark_few(from[0] >> FEW_MARK | from[1] << (64 - FEW_MARK));
        c.read[1] = mark_few(from[1] >> 20);
    } else {
        uint32_t time = (uint32_t)(*from >> 32), low = (uint32_t)*from;
        uint32_t id = low & ONE_THREAD, flags = low >> ONE_FLAGS;
        if (low & ONE_WRITE)
            c.write = (struct race_mark){time, id | (flags & 3) << 30};
        if (low & ONE_READ)
            c.read[0] = (struct race_mark){time, id | (flags >> 2 & 3) << 30};
    }
    return c;
}

static struct race_page *page_new(enum page_form form)
{
    struct race_page *page =
        dc_alloc(sizeof *page + PAGE_CELLS * form_words[form] * 8);
    page->form = (uint64_t)form;
    return page;
}

static uint64_t *words_of(struct race_page *page, size_t cell)
{
    return &page->words[cell % PAGE_CELLS * form_words[page->form]];
}

static struct race_cell cell_get(const struct race_table *t, size_t cell)
{
    struct race_page *page = t->pages[cell / PAGE_CELLS];
    if (page == NULL)
        return (struct race_cell){{0, 0}, {0, 0}, {{0, 0}, {0, 0}}};
    return cell_unpack((enum page_form)page->form, words_of(page, cell));
}

static void cell_put(struct race_table *t, size_t cell,
                     const struct race_cell *c)
{
    struct race_page **page = &t->pages[cell / PAGE_CELLS], *old = *page;
    enum page_form form = old != NULL ? (enum page_form)old->form : PAGE_ONE;
    while (!fits(c, form))
        form++;
    if (old == NULL || form != (enum page_form)old->form) {
        *page = page_new(form);
        for (size_t i = 0; i < PAGE_CELLS && old != NULL; i++) {
            struct race_cell x =
                cell_unpack((enum page_form)old->form, words_of(old, i));
            cell_pack(&x, form, words_of(*page, i));
        }
        dc_release(old);
    }
    cell_pack(c, form, words_of(*page, cell));
}

/* ---- owners -------------------------------------------------------------------- */

static struct race_owner *owner_slot(struct race_table *t, size_t cell,
                                     uint32_t thread)
{
    size_t mask = t->owner_cap - 1;
    size_t i = (size_t)hash_mix(hash_mix(1, cell), thread) & mask;
    while (t->owners[i].time != NO_TIME &&
           (t->owners[i].cell != cell || t->owners[i].thread != thread))
        i = (i + 1) & mask;
    return &t->owners[i];
}

static void owners_grow(struct race_table *t)
{
    struct race_owner *old = t->owners;
    size_t cap = t->owner_cap;
    t->owner_cap = cap == 0 ? 64 : 2 * cap;
    t->owners = dc_alloc(t->owner_cap * sizeof *t->owners);
    for (size_t i = 0; i < cap; i++)
        if (old[i].time != NO_TIME)
            *owner_slot(t, old[i].cell, old[i].thread) = old[i];
    dc_release(old);
}

static void owner_note(struct race_table *t, size_t cell, uint32_t thread,
                       uint32_t time)
{
    if (2 * t->nowners >= t->owner_cap)
        owners_grow(t);
    struct race_owner *o = owner_slot(t, cell, thread);
    if (o->time == NO_TIME)
        t->nowners++;
    *o = (struct race_owner){cell, thread, time};
}

static uint32_t owner_time(struct race_table *t, size_t cell, uint32_t thread)
{
    return t->owner_cap == 0 ? NO_TIME : owner_slot(t, cell, thread)->time;
}

/* Splits the cells of a table into bytes; what each knew holds for its bytes. */
static struct race_table *table_split(struct race_table *old, size_t size)
{
    struct race_table *t = table_new(size, 1);
    for (size_t p = 0; p < old->npages; p++)
        for (size_t i = 0; old->pages[p] != NULL && i < PAGE_CELLS; i++) {
            const struct race_cell c = cell_get(old, p * PAGE_CELLS + i);
            if (c.write.time == NO_TIME && c.read[0].time == NO_TIME)
                continue;
            size_t first = (p * PAGE_CELLS + i) * old->unit;
            for (size_t b = 0; b < old->unit && first + b < size; b++)
                cell_put(t, first + b, &c);
        }
    for (size_t i = 0; i < old->owner_cap; i++)
        for (size_t b = 0; old->owners[i].time != NO_TIME && b < old->unit; b++)
            owner_note(t, old->owners[i].cell * old->unit + b,
                       old->owners[i].thread, old->owners[i].time);
    exec_race_table_free(old);
    return t;
}

void exec_race_hand_on(struct alloc *from, struct alloc *to)
{
    struct race_table *t = from->race;
    from->race = NULL;
    to->birth = from->birth;
    to->race = t;
    if (t == NULL)
        return;
    size_t n = to->size / t->unit + 1;
    n = n / PAGE_CELLS + 1;
    struct race_page **pages =
        dc_alloc((n > t->npages ? n : t->npages) * sizeof *pages);
    memcpy(pages, t->pages, t->npages * sizeof *pages);
    dc_release(t->pages);
    t->pages = pages;
    t->npages = n > t->npages ? n : t->npages;
}

/* ---- order ------------------------------------------------------------------------ */

/* Whether an access of the same thread, or of host code, at time s is
 * concurrent with the present one. */
static bool in_other_iteration(const struct thread *t, uint32_t s)
{
    for (size_t i = 0; i < t->loops.len; i++) {
        if (s < t->loops.items[i].start)
            return false;
        if (s < t->loops.items[i].iteration)
            return true;
    }
    return false;
}

/* Keeps that the last implied barrier of the scope orders two accesses. */
static void implied_needed(struct machine *m, enum ir_scope scope)
{
    const struct ir_plan_info *at = m->kernel->implied_at[scope];
    m->result.implicit_barriers = m->kernel->implied_noted[scope] = true;
    for (size_t i = 0; i < m->implied.len; i++)
        if (m->implied.items[i] == at)
            return;
    vec_push(&m->implied, at);
}

/* What orders an earlier access before the present one. */
enum order { ORDER_NONE, ORDER_PROGRAM, ORDER_IMPLIED };

/* An access of thread `id` of the running block, made at s, before one of
 * another thread: by a barrier. */
static enum order barrier_between(const struct machine *m,
                                  const struct alloc *a, uint32_t id,
                                  uint32_t s)
{
    const struct kernel *k = m->kernel;
    if (s < k->synced[a->scope])
        return ORDER_PROGRAM;
    uint32_t warp = k->threads[id].warp;
    if (warp == m->thread->warp && s < k->warp_synced[warp][a->scope])
        return ORDER_PROGRAM;
    return s < k->implied[a->scope] ? ORDER_IMPLIED : ORDER_NONE;
}

static enum order order_of(const struct machine *m, const struct alloc *a,
                           struct race_mark mark)
{
    const struct thread *loops = m->thread;
    const struct kernel *k = m->kernel;
    if (mark.time == NO_TIME || mark.time < a->birth)
        return ORDER_PROGRAM;
    if (k != NULL && mark.time < k->launched)
        loops = &m->host;
    else if (k != NULL && mark.time < k->block_start)
        return ORDER_NONE;
    else if (k != NULL && (mark.thread & MARK_THREAD) != m->thread->id)
        return barrier_between(m, a, mark.thread & MARK_THREAD, mark.time);
    return in_other_iteration(loops, mark.time) ? ORDER_NONE : ORDER_PROGRAM;
}

/* Whether nothing orders an access before the present one. */
static bool unordered(const struct machine *m, const struct alloc *a,
                      struct race_mark mark)
{
    return order_of(m, a, mark) == ORDER_NONE;
}

/* The same where the two conflict: an implied barrier that orders them is
 * needed. */
static bool concurrent(struct machine *m, const struct alloc *a,
                       struct race_mark mark)
{
    const struct kernel *k = m->kernel;
    enum order order = order_of(m, a, mark);
    /* looked for in the first block; in another one if none is known yet */
    if (order == ORDER_IMPLIED && !k->implied_noted[a->scope] &&
        (k->block_start == k->first_start || m->implied.len == 0))
        implied_needed(m, a->scope);
    return order == ORDER_NONE;
}

static uint32_t warp_of(const struct machine *m, struct race_mark mark)
{
    uint32_t id = mark.thread & MARK_THREAD;
    return m->kernel != NULL && id < m->kernel->nthreads
               ? m->kernel->threads[id].warp
               : 0;
}

/* with: the other access, which is a write or a read. */
static void report(struct machine *m, const struct alloc *a, size_t offset,
                   const char *what, struct race_mark with, bool with_write)
{
    size_t unit = dtype_lane_bytes(a->lane);
    m->result.race = (struct interp_access){.time = with.time,
                                            .thread = id_of(with),
                                            .slot = a->slot,
                                            .offset = offset,
                                            .size = a->race->unit,
                                            .write = with_write};
    m->result.race_writes = *what != 'r';
    exec_fault(m, INTERP_RACE, a->buffer, NULL,
               "element %zu: a %s, and nothing orders the two",
               unit > 0 ? offset / unit : offset, what);
}

/* ---- accesses ------------------------------------------------------------------------ */

struct access {
    size_t cell, offset, size; /* of the cell, and its bytes */
    struct race_mark self;
    bool same_bits; /* a write that changes nothing */
};

static void note_read(struct machine *m, struct alloc *a, struct race_cell *c,
                      struct access x)
{
    bool wrote = false;
    bool races = !(x.self.thread & c->write.thread & MARK_ATOMIC) &&
                 concurrent(m, a, c->write);
    bool earlier = !(x.self.thread & c->earlier.thread & MARK_ATOMIC) &&
                   concurrent(m, a, c->earlier);
    if (races || earlier) {
        uint32_t id = x.self.thread & MARK_THREAD;
        uint32_t own = owner_time(a->race, x.cell, id);
        wrote = own != NO_TIME && !(x.self.thread & MARK_ATOMIC) &&
                own >= (m->kernel != NULL ? m->kernel->block_start : 0) &&
                !in_other_iteration(m->thread, own);
        if (!wrote || (earlier && (c->earlier.thread & MARK_OTHER))) {
            report(m, a, x.offset,
                   "read of what another thread or iteration "
                   "writes",
                   races ? c->write : c->earlier, true);
            return;
        }
    } else if ((c->write.thread & MARK_THREAD) ==
                   (x.self.thread & MARK_THREAD) &&
               c->write.time != NO_TIME && !unordered(m, a, c->write) &&
               c->write.time >= a->birth) {
        wrote = m->kernel == NULL || c->write.time >= m->kernel->block_start;
    }
    if (wrote)
        x.self.thread |= MARK_WROTE;
    for (size_t i = 0; i < 2; i++)
        if (!unordered(m, a, c->read[i])) {
            c->read[i] = x.self;
            return;
        }
    if (warp_of(m, c->read[0]) == warp_of(m, c->read[1]) &&
        warp_of(m, x.self) != warp_of(m, c->read[0]))
        c->read[1] = x.self;
}

/* Keeps the last write when the new one does not stand for it. */
static void keep_earlier(struct machine *m, const struct alloc *a,
                         struct race_cell *c, struct access x)
{
    if (c->write.time == NO_TIME)
        return;
    bool atomic = ((c->write.thread | x.self.thread) & MARK_ATOMIC) != 0;
    bool other = atomic || !x.same_bits;
    if (!other && !unordered(m, a, c->write))
        return;
    c->earlier = c->write;
    c->earlier.thread |= other ? MARK_OTHER : 0u;
}

static void note_write(struct machine *m, struct alloc *a, struct race_cell *c,
                       struct access x)
{
    bool atomic = (x.self.thread & MARK_ATOMIC) != 0;
    for (size_t i = 0; i < 2; i++) {
        struct race_mark r = c->read[i];
        if ((atomic && (r.thread & MARK_ATOMIC)) || !concurrent(m, a, r) ||
            (x.same_bits && (r.thread & MARK_WROTE)))
            continue;
        report(m, a, x.offset,
               "write of what another thread or iteration reads", r, false);
        return;
    }
    bool earlier = !(atomic && (c->earlier.thread & MARK_ATOMIC)) &&
                   concurrent(m, a, c->earlier) &&
                   (!x.same_bits || (c->earlier.thread & MARK_OTHER));
    bool last = !(atomic && (c->write.thread & MARK_ATOMIC)) &&
                concurrent(m, a, c->write);
    if (last || earlier) {
        if (!x.same_bits || earlier) {
            report(m, a, x.offset,
                   "second write of another value by another "
                   "thread or iteration",
                   last ? c->write : c->earlier, true);
            return;
        }
        owner_note(a->race, x.cell, c->write.thread & MARK_THREAD,
                   c->write.time);
        owner_note(a->race, x.cell, x.self.thread & MARK_THREAD, x.self.time);
    }
    keep_earlier(m, a, c, x);
    c->write = x.self;
}

/* Whether the bytes about to be stored are there already, defined. Enclosures
 * are not compared: the run in bits has done that. */
static bool stores_same(const struct alloc *a, size_t offset, size_t n,
                        const uint8_t *bytes)
{
    for (size_t i = 0; i < n && bytes != NULL; i++)
        if (!mem_holds(a, offset + i, bytes[i]))
            return false;
    return true;
}

/* The access that an earlier run told of: where it is made. */
static void look_out(struct machine *m, const struct alloc *a, size_t offset,
                     size_t size, bool write)
{
    const struct interp_access *w = m->options.watch;
    if (w->time == m->now && w->thread == m->thread->id && w->slot == a->slot &&
        w->write == write && offset < w->offset + w->size &&
        w->offset < offset + size)
        exec_scene(m, &m->result.other);
}

void exec_race_access(struct machine *m, struct alloc *a, size_t offset,
                      size_t size, unsigned mode, const uint8_t *bytes)
{
    if (a->read_only || m->failed)
        return;
    const struct thread *t = m->thread;
    if (a->private_ && t->loops.len == 0)
        return;
    if (m->options.watch != NULL)
        look_out(m, a, offset, size, (mode & RACE_WRITE) != 0);
    if (a->race == NULL) {
        size_t unit = dtype_lane_bytes(a->lane);
        a->race = table_new(a->size, unit == 0 ? 1 : unit);
    }
    size_t unit = a->race->unit;
    if (offset % unit != 0 || size % unit != 0) {
        a->race = table_split(a->race, a->size);
        unit = 1;
    }
    struct access x = {0};
    x.self.time = m->now;
    x.self.thread = t->id | (mode & RACE_ATOMIC ? MARK_ATOMIC : 0u);
    for (size_t i = 0; i < size && !m->failed; i += unit) {
        x.offset = offset + i;
        x.cell = x.offset / unit;
        struct race_cell c = cell_get(a->race, x.cell);
        if (mode & RACE_WRITE) {
            x.same_bits = !(mode & RACE_CHANGES) &&
                          stores_same(a, x.offset, unit,
                                      bytes != NULL ? bytes + i : NULL);
            note_write(m, a, &c, x);
        } else {
            note_read(m, a, &c, x);
        }
        cell_put(a->race, x.cell, &c);
    }
}

void exec_race_forget(struct machine *m, struct alloc *a, size_t offset,
                      size_t size)
{
    (void)m;
    if (a->race == NULL || size == 0)
        return;
    size_t first = offset / a->race->unit;
    size_t last = (offset + size - 1) / a->race->unit;
    const struct race_cell none = {{0, 0}, {0, 0}, {{0, 0}, {0, 0}}};
    for (size_t i = first; i <= last; i++)
        if (a->race->pages[i / PAGE_CELLS] != NULL)
            cell_put(a->race, i, &none);
}

void exec_race_tick(struct machine *m)
{
    if (m->now == UINT32_MAX)
        exec_fault(m, INTERP_BUDGET, NULL, NULL,
                   "too many parallel iterations to order");
    else
        m->now++;
}
