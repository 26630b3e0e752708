/* SPDX-License-Identifier: Apache-2.0
 *
 * Substitution into affs, and their text. The image of each atom is
 * remembered for the time of one substitution (a stamp), so that definitions
 * that are shared are rebuilt once.
 */
#include "verifier/affine/space.h"

#include <inttypes.h>

/* Maps up to this length are searched for what they replace. */
#define LONG_MAP 100u

static const struct aff *image(struct aff_space *s, const struct aff *a,
                               const struct aff_map *map, uint64_t bloom);

/* What the atom becomes; NULL: itself. */
static const struct aff *atom_image(struct aff_space *s, atom_id id,
                                    const struct aff_map *map, uint64_t bloom)
{
    struct atom_meta *meta = &s->atoms.items[id];
    if (meta->stamp == s->stamp)
        return meta->image;
    const struct atom *info = meta->atom;
    const struct aff *to = NULL;
    if (!info->def) {
        to = aff_map_at(map, id);
    } else if (meta->bloom & bloom) {
        const struct aff *def = image(s, info->def, map, bloom);
        const struct aff *other =
            info->other ? image(s, info->other, map, bloom) : NULL;
        if (def == info->def && other == info->other)
            to = NULL;
        else if (info->kind == ATOM_PRODUCT)
            to = aff_mul(s, def, other);
        else if (other)
            to = aff_floordiv_sym(s, def, other);
        else
            to = aff_floordiv(s, def, info->divisor);
    }
    meta = &s->atoms.items[id]; /* may have moved */
    meta->stamp = s->stamp;
    meta->image = to;
    return to;
}

static const struct aff *image(struct aff_space *s, const struct aff *a,
                               const struct aff_map *map, uint64_t bloom)
{
    if (!(aff_bloom(s, a) & bloom))
        return a;
    const struct aff *sum = a;
    for (uint32_t i = 0; i < a->n; i++) {
        const struct aff *to = atom_image(s, a->terms[i].atom, map, bloom);
        if (!to)
            continue;
        const struct aff *self = aff_of_atom(s, a->terms[i].atom);
        sum = aff_axpy(s, sum, -a->terms[i].coef, self);
        sum = aff_axpy(s, sum, a->terms[i].coef, to);
    }
    return sum;
}

uint64_t aff_subst_begin(struct aff_space *s, const struct aff_map *map)
{
    uint64_t bloom = 0;
    s->stamp++;
    if (map->n > LONG_MAP) /* looking at what is replaced costs less */
        return ~bloom;
    for (size_t i = 0; i < map->n; i++)
        if (map->to[i])
            bloom |= s->atoms.items[map->first + i].bloom;
    return bloom;
}

uint64_t aff_subst_begin_one(struct aff_space *s, atom_id atom)
{
    s->stamp++;
    return s->atoms.items[atom].bloom;
}

const struct aff *aff_subst_within(struct aff_space *s, const struct aff *a,
                                   const struct aff_map *map, uint64_t bloom)
{
    return image(s, a, map, bloom);
}

const struct aff *aff_subst(struct aff_space *s, const struct aff *a,
                            const struct aff_map *map)
{
    return image(s, a, map, aff_subst_begin(s, map));
}

/* ---- text ------------------------------------------------------------------ */

static void print_atom(const struct aff_space *s, atom_id a, struct buf *out)
{
    const struct atom *info = s->atoms.items[a].atom;
    switch (info->kind) {
    case ATOM_VAR:
    case ATOM_OPAQUE:
        if (info->name)
            buf_puts(out, info->name);
        else
            buf_printf(out, "v%" PRIu32, a);
        break;
    case ATOM_FLOOR:
        buf_putc(out, '(');
        if (info->def->n > 1 || info->def->constant)
            buf_putc(out, '(');
        aff_print(s, info->def, out);
        if (info->def->n > 1 || info->def->constant)
            buf_putc(out, ')');
        buf_puts(out, " floordiv ");
        if (info->divisor) {
            buf_printf(out, "%" PRId64, info->divisor);
        } else {
            buf_putc(out, '(');
            aff_print(s, info->other, out);
            buf_putc(out, ')');
        }
        buf_putc(out, ')');
        break;
    case ATOM_PRODUCT:
        aff_print(s, info->def, out);
        buf_putc(out, '*');
        aff_print(s, info->other, out);
        break;
    }
}

void aff_print(const struct aff_space *s, const struct aff *a, struct buf *out)
{
    for (uint32_t i = 0; i < a->n; i++) {
        int64_t k = a->terms[i].coef;
        if (i)
            buf_puts(out, k < 0 ? " - " : " + ");
        else if (k < 0)
            buf_putc(out, '-');
        if (k != 1 && k != -1)
            buf_printf(out, "%" PRId64 "*", k < 0 ? -k : k);
        print_atom(s, a->terms[i].atom, out);
    }
    if (!a->n)
        buf_printf(out, "%" PRId64, a->constant);
    else if (a->constant)
        buf_printf(out, " %c %" PRId64, a->constant < 0 ? '-' : '+',
                   a->constant < 0 ? -a->constant : a->constant);
}
