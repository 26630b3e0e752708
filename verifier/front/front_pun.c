/* SPDX-License-Identifier: Apache-2.0
 *
 * One array of bytes that holds several buffers (merged shared memory): it
 * falls apart into the ranges of bytes that accesses meet in, found from the
 * bounds of their indices. A range that is used under one type only is a
 * storage of its own.
 */
#include "verifier/front/front.h"

#include <stdlib.h>

static int by_start(const void *a, const void *b)
{
    const struct byte_range *x = a, *y = b;
    return x->lo < y->lo ? -1 : x->lo > y->lo;
}

void front_ranges_begin(struct front *f)
{
    for (uint32_t i = 0; i < f->module->nbuffers; i++)
        if (f->facts[i] != NULL && f->facts[i]->punned &&
            !f->facts[i]->ranges_done) {
            f->facts[i]->ranges.len = 0;
            f->facts[i]->collecting = true;
        }
}

/* Joins ranges that overlap; a joint range of two types has none. */
static void ranges_join(struct facts *x)
{
    struct byte_range *r = x->ranges.items;
    size_t n = 0;
    if (x->ranges.len > 0)
        qsort(r, x->ranges.len, sizeof *r, by_start);
    for (size_t i = 0; i < x->ranges.len; i++) {
        if (n == 0 || r[i].lo >= r[n - 1].hi) {
            r[n++] = r[i];
            continue;
        }
        if (r[i].hi > r[n - 1].hi)
            r[n - 1].hi = r[i].hi;
        if (!dtype_equal(r[i].type, r[n - 1].type))
            r[n - 1].type = DTYPE_VOID;
    }
    x->ranges.len = n;
}

void front_ranges_end(struct front *f)
{
    for (uint32_t i = 0; i < f->module->nbuffers; i++) {
        struct facts *x = f->facts[i];
        if (x == NULL || !x->collecting)
            continue;
        ranges_join(x);
        x->collecting = false;
        f->again = x->ranges_done = true;
    }
}

static struct fstorage *part_take(struct front *f, struct fstorage *s, size_t k)
{
    const struct byte_range *r = &s->facts->ranges.items[k];
    int64_t bytes = (int64_t)dtype_lane_bytes(r->type);
    if (s->parts == NULL) {
        s->nparts = s->facts->ranges.len;
        s->parts = ARENA_ARRAY(f->arena, s->nparts, struct fstorage *);
    }
    if (s->parts[k] != NULL)
        return s->parts[k];
    struct fstorage *part = ARENA_NEW(f->arena, struct fstorage);
    *part = *s;
    part->parts = NULL;
    part->listed = false;
    part->scalar = r->type;
    part->lanes = 1;
    part->flat = true;
    part->rank = 0;
    part->total = fx_index(f, (r->hi - r->lo) / bytes);
    s->parts[k] = part;
    return part;
}

bool front_access_part(struct front *f, struct fstorage *s, struct dtype t,
                       struct ir_expr *at, struct faccess *out)
{
    int64_t lo, hi, bytes = (int64_t)dtype_lane_bytes(t);
    front_touch(f, s);
    out->storage = s;
    out->n = 0;
    if (!fx_range(f, at, &lo, &hi) || lo < 0 || hi > INT32_MAX) {
        front_refuse(f, f->stmt->pos,
                     "'%s' is used under several types, and an access to it "
                     "has no bounds",
                     s->source->name);
        return false;
    }
    int64_t total;
    if (s->total == NULL || !ir_const_int(s->total, &total) ||
        total > INT32_MAX ||
        (hi + 1) * bytes > total * (int64_t)dtype_lane_bytes(s->scalar)) {
        front_refuse(f, f->stmt->pos,
                     "'%s' is used under several types, and an access to it "
                     "may be past its end",
                     s->source->name);
        return false;
    }
    struct facts *x = s->facts;
    if (!x->ranges_done) {
        vec_push(&x->ranges,
                 ((struct byte_range){lo * bytes, (hi + 1) * bytes, t}));
        f->again = true;
        return true;
    }
    for (size_t k = 0; k < x->ranges.len; k++) {
        const struct byte_range *r = &x->ranges.items[k];
        if (lo * bytes < r->lo || lo * bytes >= r->hi)
            continue;
        if (!dtype_equal(r->type, t) || r->lo % bytes != 0)
            break;
        struct fstorage *part = part_take(f, s, k);
        front_list(f, part);
        out->storage = part;
        out->index = ARENA_ARRAY(f->arena, part->nprefix + 1, struct ir_expr *);
        for (size_t i = 0; i < part->nprefix; i++)
            out->index[out->n++] = part->prefix[i];
        out->index[out->n++] = fx_sub(f, at, fx_index(f, r->lo / bytes));
        return true;
    }
    front_refuse(f, f->stmt->pos, "bytes of '%s' are used under several types",
                 s->source->name);
    return false;
}
