/* SPDX-License-Identifier: Apache-2.0
 *
 * Hashes of formulas whatever the order in which sums, products, minima and
 * maxima take their operands together. An operation on many is the sum of the
 * hashes of its operands, a difference that of what is added less that of what
 * is subtracted; of a nest of one operation the sums add up, so that each part
 * is looked at once.
 */
#include "diff/why/why_operands.h"

#define SEED 0x6ba9u

/* Of a nest the sum of its operands, of all else the hash. */
static uint64_t raw(const struct why_bags *bags, const struct interp_form *form)
{
    const uint64_t *at = ptr_map_find(&bags->known, why_bare(form), NULL);
    return at != NULL ? *at : 0;
}

static uint64_t begin(const struct interp_form *f)
{
    uint64_t op = f->op == IR_SUB ? IR_ADD : f->op;
    uint64_t type = (uint64_t)f->dtype.code << 8 | f->dtype.bits;
    return hash_mix(hash_mix(SEED, op), type);
}

static uint64_t of_known(const struct why_bags *bags,
                         const struct interp_form *form)
{
    form = why_bare(form);
    uint64_t r = raw(bags, form);
    return why_is_nest(form) ? hash_mix(begin(form), r) : r;
}

static uint64_t sum_of(const struct why_bags *bags, const struct interp_form *f)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < f->nargs; i++) {
        const struct interp_form *a = why_bare(f->args[i]);
        uint64_t part = why_is_neutral(f, a) ? 0
                        : why_is_nest(a) && why_is_same_operation(a, f)
                            ? raw(bags, a)
                            : hash_mix(SEED + 1, of_known(bags, a));
        sum += f->op == IR_SUB && i > 0 ? 0 - part : part;
    }
    return sum;
}

static uint64_t mix_of(const struct why_bags *bags, const struct interp_form *f)
{
    uint64_t hash = begin(f);
    if (f->kind != INTERP_FORM_OP)
        return f->hash;
    for (const char *p = f->name; p != NULL && *p != '\0'; p++)
        hash = hash_mix(hash, (unsigned char)*p);
    for (uint32_t i = 0; i < f->nargs; i++)
        hash = hash_mix(hash, of_known(bags, f->args[i]));
    return hash;
}

uint64_t why_bag(struct why_bags *bags, const struct interp_form *form)
{
    struct VEC(const struct interp_form *) open = {0};
    form = why_bare(form);
    vec_push(&open, form);
    while (open.len > 0) {
        const struct interp_form *f = open.items[open.len - 1];
        size_t before = open.len;
        bool known = ptr_map_find(&bags->known, f, NULL) != NULL;
        for (uint32_t i = 0; i < f->nargs && !known; i++) {
            const struct interp_form *a = why_bare(f->args[i]);
            if (ptr_map_find(&bags->known, a, NULL) == NULL)
                vec_push(&open, a);
        }
        if (open.len > before)
            continue;
        open.len--;
        if (!known)
            ptr_map_put(&bags->known, f, NULL,
                        why_is_nest(f) ? sum_of(bags, f) : mix_of(bags, f));
    }
    vec_fini(&open);
    return of_known(bags, form);
}

void why_bags_fini(struct why_bags *bags)
{
    ptr_map_fini(&bags->known);
}
