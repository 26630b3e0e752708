/* SPDX-License-Identifier: Apache-2.0
 *
 * Affs and atoms: hash-consing, sums, products, searches. Each aff is filed
 * under a hash of its terms, so that equal ones are one pointer; atoms are
 * filed under what defines them. Sums merge two sorted lists of terms.
 */
#include "verifier/affine/affine.h"
#include "verifier/affine/space.h"

#include <string.h>

/* ---- tables ---------------------------------------------------------------- */

size_t table_first(const struct id_table *t, uint64_t hash)
{
    return t->cap ? (size_t)hash & (t->cap - 1) : 0;
}

bool table_next(const struct id_table *t, uint64_t hash, size_t *pos,
                uint32_t *id)
{
    if (!t->cap)
        return false;
    while (t->slots[*pos].id1) {
        const struct id_slot *slot = &t->slots[*pos];
        *pos = (*pos + 1) & (t->cap - 1);
        if (slot->hash == hash) {
            *id = slot->id1 - 1;
            return true;
        }
    }
    return false;
}

void table_add(struct id_table *t, uint64_t hash, uint32_t id)
{
    if (2 * (t->n + 1) > t->cap) {
        struct id_table old = *t;
        t->cap = old.cap ? 2 * old.cap : 64;
        t->n = 0;
        t->slots = dc_alloc(t->cap * sizeof *t->slots);
        for (size_t i = 0; i < old.cap; i++)
            if (old.slots[i].id1)
                table_add(t, old.slots[i].hash, old.slots[i].id1 - 1);
        dc_release(old.slots);
    }
    size_t i = (size_t)hash & (t->cap - 1);
    while (t->slots[i].id1)
        i = (i + 1) & (t->cap - 1);
    t->slots[i].hash = hash;
    t->slots[i].id1 = id + 1;
    t->n++;
}

/* ---- the space ------------------------------------------------------------- */

struct aff_space *aff_space_new(void)
{
    struct aff_space *s = dc_alloc(sizeof *s);
    s->arena = arena_new();
    s->marks = dc_alloc(sizeof *s->marks);
    return s;
}

void aff_space_free(struct aff_space *s)
{
    if (!s)
        return;
    vec_fini(&s->affs);
    vec_fini(&s->atoms);
    vec_fini(&s->forms);
    vec_fini(&s->divs);
    vec_fini(&s->scratch);
    dc_release(s->aff_table.slots);
    dc_release(s->atom_table.slots);
    dc_release(s->form_table.slots);
    dc_release(s->div_table.slots);
    dc_release(s->marks->mark);
    dc_release(s->marks);
    arena_free(s->arena);
    dc_release(s);
}

struct arena *aff_arena(struct aff_space *s)
{
    return s->arena;
}

bool aff_overflowed(const struct aff_space *s)
{
    return s->overflow;
}

size_t aff_natoms(const struct aff_space *s)
{
    return s->atoms.len;
}

const struct atom *aff_atom_info(const struct aff_space *s, atom_id a)
{
    return s->atoms.items[a].atom;
}

void aff_atom_set_user(struct aff_space *s, atom_id a, void *user)
{
    s->atoms.items[a].atom->user = user;
}

/* ---- atoms ----------------------------------------------------------------- */

static atom_id atom_add(struct aff_space *s, const struct atom *info)
{
    atom_id id = (atom_id)s->atoms.len;
    struct atom_meta meta = {
        .atom = arena_memdup(s->arena, info, sizeof *info),
        .bloom = UINT64_C(1) << (id & 63),
    };
    const struct aff *parts[2] = {info->def, info->other};
    meta.weight = 1;
    if (info->def)
        meta.bloom = 0;
    for (int p = 0; p < 2; p++)
        for (uint32_t i = 0; parts[p] && i < parts[p]->n; i++) {
            const struct atom_meta *in =
                &s->atoms.items[parts[p]->terms[i].atom];
            meta.bloom |= in->bloom;
            meta.weight += in->weight; /* bounded: see atom_intern */
            if (meta.depth < in->depth + 1)
                meta.depth = in->depth + 1;
        }
    if (meta.depth > ATOM_DEPTH_MAX)
        s->overflow = true;
    vec_push(&s->atoms, meta);
    return id;
}

atom_id aff_var_make(struct aff_space *s, const char *name, int64_t lo,
                     int64_t hi, const struct aff *lower,
                     const struct aff *upper)
{
    struct atom info = {.kind = ATOM_VAR,
                        .name = name ? arena_strdup(s->arena, name) : NULL,
                        .lo = lo,
                        .hi = hi,
                        .lower = lower,
                        .upper = upper};
    return atom_add(s, &info);
}

/* The atom of this kind with equal defining fields, or a new one. */
static atom_id atom_intern(struct aff_space *s, const struct atom *info)
{
    uint64_t hash = hash_mix(info->kind, info->key);
    hash = hash_mix(hash, info->def ? info->def->id + 1 : 0);
    hash = hash_mix(hash, info->other ? info->other->id + 1 : 0);
    hash = hash_mix(hash, (uint64_t)info->divisor);
    size_t pos = table_first(&s->atom_table, hash);
    uint32_t id;
    while (table_next(&s->atom_table, hash, &pos, &id)) {
        const struct atom *o = s->atoms.items[id].atom;
        if (o->kind == info->kind && o->key == info->key &&
            o->def == info->def && o->other == info->other &&
            o->divisor == info->divisor)
            return id;
    }
    id = atom_add(s, info);
    table_add(&s->atom_table, hash, id);
    return id;
}

/* Whether an atom over both may be made; else the space has overflowed. */
static bool may_combine(struct aff_space *s, const struct aff *a,
                        const struct aff *b)
{
    const struct aff *parts[2] = {a, b};
    uint64_t weight = 1;
    for (int p = 0; p < 2; p++)
        for (uint32_t i = 0; parts[p] && i < parts[p]->n; i++)
            weight += s->atoms.items[parts[p]->terms[i].atom].weight;
    if (weight <= ATOM_WEIGHT_MAX)
        return true;
    s->overflow = true;
    return false;
}

atom_id aff_opaque_make(struct aff_space *s, uint64_t key, const char *name,
                        int64_t lo, int64_t hi)
{
    struct atom info = {
        .kind = ATOM_OPAQUE, .name = name, .lo = lo, .hi = hi, .key = key};
    size_t before = s->atoms.len;
    atom_id id = atom_intern(s, &info);
    if (s->atoms.len > before && name)
        s->atoms.items[id].atom->name = arena_strdup(s->arena, name);
    return id;
}

const struct aff *aff_floor_atom(struct aff_space *s, const struct aff *def,
                                 int64_t divisor, const struct aff *other,
                                 struct span span)
{
    if (!may_combine(s, def, other))
        return aff_const(s, 0);
    struct atom info = {.kind = ATOM_FLOOR,
                        .lo = span.lo,
                        .hi = span.hi,
                        .def = def,
                        .other = other,
                        .divisor = divisor};
    return aff_of_atom(s, atom_intern(s, &info));
}

/* ---- affs ------------------------------------------------------------------ */

static bool too_large(int64_t c)
{
    return c > COEF_MAX || c < -COEF_MAX;
}

const struct aff *aff_intern(struct aff_space *s, int64_t constant, size_t n,
                             const struct aff_term *terms)
{
    bool bad = too_large(constant);
    uint64_t hash = hash_mix(n, (uint64_t)constant), bloom = 0;
    for (size_t i = 0; i < n; i++) {
        bad |= too_large(terms[i].coef);
        hash = hash_mix(hash, terms[i].atom);
        hash = hash_mix(hash, (uint64_t)terms[i].coef);
        bloom |= s->atoms.items[terms[i].atom].bloom;
    }
    if (bad) {
        s->overflow = true;
        return aff_const(s, 0);
    }
    size_t pos = table_first(&s->aff_table, hash);
    uint32_t id;
    while (table_next(&s->aff_table, hash, &pos, &id)) {
        const struct aff *o = s->affs.items[id].aff;
        bool same = o->constant == constant && o->n == n;
        for (size_t i = 0; same && i < n; i++)
            same = o->terms[i].atom == terms[i].atom &&
                   o->terms[i].coef == terms[i].coef;
        if (same)
            return o;
    }
    struct aff *a = ARENA_NEW(s->arena, struct aff);
    a->constant = constant;
    a->n = (uint32_t)n;
    a->id = (uint32_t)s->affs.len;
    struct aff_term *copy = ARENA_ARRAY(s->arena, n, struct aff_term);
    if (n)
        memcpy(copy, terms, n * sizeof *copy);
    a->terms = copy;
    struct aff_meta meta = {.aff = a, .bloom = bloom};
    vec_push(&s->affs, meta);
    table_add(&s->aff_table, hash, a->id);
    return a;
}

const struct aff *aff_const(struct aff_space *s, int64_t c)
{
    return aff_intern(s, c, 0, NULL);
}

const struct aff *aff_of_atom(struct aff_space *s, atom_id a)
{
    if (!s->atoms.items[a].self) {
        struct aff_term term = {a, 1};
        const struct aff *self = aff_intern(s, 0, 1, &term);
        s->atoms.items[a].self = self;
    }
    return s->atoms.items[a].self;
}

/* x + k * y, with the overflow flag set where that leaves the limits. */
static int64_t madd(struct aff_space *s, int64_t x, int64_t k, int64_t y)
{
    int64_t product, sum;
    if (__builtin_mul_overflow(k, y, &product) ||
        __builtin_add_overflow(x, product, &sum) || too_large(sum)) {
        s->overflow = true;
        return 0;
    }
    return sum;
}

const struct aff *aff_axpy(struct aff_space *s, const struct aff *a, int64_t k,
                           const struct aff *b)
{
    if (k == 0)
        return a;
    s->scratch.len = 0;
    uint32_t i = 0, j = 0;
    while (i < a->n || j < b->n) {
        struct aff_term term;
        if (j == b->n || (i < a->n && a->terms[i].atom < b->terms[j].atom)) {
            term = a->terms[i++];
        } else if (i == a->n || b->terms[j].atom < a->terms[i].atom) {
            term.atom = b->terms[j].atom;
            term.coef = madd(s, 0, k, b->terms[j++].coef);
        } else {
            term.atom = a->terms[i].atom;
            term.coef = madd(s, a->terms[i++].coef, k, b->terms[j].coef);
            j++;
        }
        if (term.coef)
            vec_push(&s->scratch, term);
    }
    return aff_intern(s, madd(s, a->constant, k, b->constant), s->scratch.len,
                      s->scratch.items);
}

const struct aff *aff_add(struct aff_space *s, const struct aff *a,
                          const struct aff *b)
{
    return aff_axpy(s, a, 1, b);
}

const struct aff *aff_sub(struct aff_space *s, const struct aff *a,
                          const struct aff *b)
{
    return a == b ? aff_const(s, 0) : aff_axpy(s, a, -1, b);
}

const struct aff *aff_scale(struct aff_space *s, const struct aff *a, int64_t k)
{
    return k == 1 ? a : aff_axpy(s, aff_const(s, 0), k, a);
}

const struct aff *aff_addc(struct aff_space *s, const struct aff *a, int64_t c)
{
    if (c == 0)
        return a;
    return aff_intern(s, madd(s, a->constant, 1, c), a->n, a->terms);
}

const struct aff *aff_exact_div(struct aff_space *s, const struct aff *a,
                                int64_t g)
{
    if (g == 1)
        return a;
    s->scratch.len = 0;
    for (uint32_t i = 0; i < a->n; i++) {
        struct aff_term term = {a->terms[i].atom, a->terms[i].coef / g};
        vec_push(&s->scratch, term);
    }
    return aff_intern(s, int_floor_div(a->constant, g), s->scratch.len,
                      s->scratch.items);
}

/* ---- products -------------------------------------------------------------- */

size_t aff_factors(const struct aff_space *s, atom_id a, atom_id *out,
                   size_t max)
{
    const struct atom *info = s->atoms.items[a].atom;
    size_t n = 0;
    while (info->kind == ATOM_PRODUCT && n + 1 < max) {
        out[n++] = info->other->terms[0].atom;
        a = info->def->terms[0].atom;
        info = s->atoms.items[a].atom;
    }
    out[n++] = a;
    for (size_t i = 0; i < n / 2; i++) {
        atom_id swap = out[i];
        out[i] = out[n - 1 - i];
        out[n - 1 - i] = swap;
    }
    return n;
}

/* The product of two atoms: all factors in ascending order, multiplied from
 * the left, so that any order of multiplication gives the same atom. */
static const struct aff *atom_product(struct aff_space *s, atom_id a, atom_id b)
{
    atom_id f[2 * AFF_MAX_FACTORS];
    size_t na = aff_factors(s, a, f, AFF_MAX_FACTORS);
    size_t n = na + aff_factors(s, b, f + na, AFF_MAX_FACTORS);
    if (n > AFF_MAX_FACTORS) {
        s->overflow = true;
        return aff_const(s, 0);
    }
    for (size_t i = 1; i < n; i++)
        for (size_t j = i; j > 0 && f[j] < f[j - 1]; j--) {
            atom_id swap = f[j];
            f[j] = f[j - 1];
            f[j - 1] = swap;
        }
    const struct aff *product = aff_of_atom(s, f[0]);
    for (size_t i = 1; i < n; i++) {
        const struct aff *factor = aff_of_atom(s, f[i]);
        struct span span = span_mul(aff_span(s, product), aff_span(s, factor));
        if (f[i] == f[i - 1] && span.lo < 0 && i == 1)
            span.lo = 0; /* a square */
        struct atom info = {.kind = ATOM_PRODUCT,
                            .lo = span.lo,
                            .hi = span.hi,
                            .def = product,
                            .other = factor};
        if (!may_combine(s, product, factor))
            return aff_const(s, 0);
        product = aff_of_atom(s, atom_intern(s, &info));
    }
    return product;
}

const struct aff *aff_mul(struct aff_space *s, const struct aff *a,
                          const struct aff *b)
{
    if (a->n == 0)
        return aff_scale(s, b, a->constant);
    if (b->n == 0)
        return aff_scale(s, a, b->constant);
    const struct aff *sum =
        aff_addc(s, aff_scale(s, b, a->constant),
                 0); /* a's constant times all of b, then term by term */
    for (uint32_t i = 0; i < a->n; i++) {
        const struct aff *x = aff_of_atom(s, a->terms[i].atom);
        sum = aff_axpy(s, sum, madd(s, 0, a->terms[i].coef, b->constant), x);
        for (uint32_t j = 0; j < b->n; j++) {
            int64_t k = madd(s, 0, a->terms[i].coef, b->terms[j].coef);
            sum = aff_axpy(s, sum, k,
                           atom_product(s, a->terms[i].atom, b->terms[j].atom));
        }
    }
    return sum;
}

/* ---- looking into affs ----------------------------------------------------- */

bool aff_is_const(const struct aff *a, int64_t *out)
{
    if (a->n)
        return false;
    if (out)
        *out = a->constant;
    return true;
}

int64_t aff_coef(const struct aff *a, atom_id atom)
{
    uint32_t lo = 0, hi = a->n;
    while (lo < hi) {
        uint32_t mid = (lo + hi) / 2;
        if (a->terms[mid].atom < atom)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < a->n && a->terms[lo].atom == atom ? a->terms[lo].coef : 0;
}

uint64_t aff_bloom(const struct aff_space *s, const struct aff *a)
{
    return s->affs.items[a->id].bloom;
}

/* The bloom filter answers most questions; the marks keep a search through
 * shared definitions linear. */
static bool mentions(const struct aff_space *s, const struct aff *a,
                     atom_id atom, uint64_t bit)
{
    if (bit && !(s->affs.items[a->id].bloom & bit))
        return false;
    for (uint32_t i = 0; i < a->n; i++) {
        atom_id t = a->terms[i].atom;
        if (t == atom)
            return true;
        struct marks *m = s->marks;
        if (m->mark[t] == m->now)
            continue;
        m->mark[t] = m->now;
        const struct atom *info = s->atoms.items[t].atom;
        if (info->def && mentions(s, info->def, atom, bit))
            return true;
        if (info->other && mentions(s, info->other, atom, bit))
            return true;
    }
    return false;
}

bool aff_mentions(const struct aff_space *s, const struct aff *a, atom_id atom)
{
    const struct atom_meta *meta = &s->atoms.items[atom];
    uint64_t bit = meta->atom->def ? 0 : meta->bloom;
    if (bit && !(aff_bloom(s, a) & bit))
        return false;
    struct marks *m = s->marks;
    if (m->cap < s->atoms.len) {
        size_t old = m->cap;
        m->mark = dc_vec_grow(m->mark, &m->cap, s->atoms.len, sizeof *m->mark);
        memset(m->mark + old, 0, (m->cap - old) * sizeof *m->mark);
    }
    if (++m->now == 0) { /* wrapped: forget all */
        memset(m->mark, 0, m->cap * sizeof *m->mark);
        m->now = 1;
    }
    return mentions(s, a, atom, bit);
}
