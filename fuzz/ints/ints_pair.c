/* SPDX-License-Identifier: Apache-2.0
 *
 * Pairs from bytes: names of classes and places, and the order in which things
 * are drawn. The same bytes and seed give the same modules on any machine.
 */
#include "fuzz/ints/ints_private.h"

const char *ints_class_name(enum ints_class class)
{
    static const char *const names[] = {
#define CLASS(id, name, about) name,
#include "fuzz/ints/ints_class.def"
#undef CLASS
    };
    return names[class];
}

const char *ints_place_name(enum ints_place place)
{
    static const char *const names[] = {
#define PLACE(id, name) name,
#include "fuzz/ints/ints_place.def"
#undef PLACE
    };
    return names[place];
}

bool ints_pair_init(struct ints_pair *pair, const uint8_t *data, size_t n,
                    uint64_t seed)
{
    struct gen_bytes bytes;
    struct draw *d = dc_alloc(sizeof *d);
    static const int64_t trips[] = {1, 2, 4, 4, 8};
    *pair = (struct ints_pair){.arena = arena_new()};
    gen_bytes_init(&bytes, data, n, seed);
    d->b = &bytes;
    d->arena = pair->arena;
    d->indices = gen_chance(&bytes, 1, 4);
    d->calls = !d->indices && gen_chance(&bytes, 1, 8);
    d->state = !d->calls && gen_chance(&bytes, 1, 10);
    d->in_place = !d->calls && !d->state && gen_chance(&bytes, 1, 10);
    d->symbolic = !d->calls && gen_chance(&bytes, 1, 8);
    d->size = gen_chance(&bytes, 3, 4) ? DTYPE_INT32 : DTYPE_INT64;
    d->row = INT64_C(2) << gen_below(&bytes, 4);
    d->n = trips[gen_below(&bytes, DC_ARRAY_LEN(trips))];
    bool done = gen_chance(&bytes, 1, 5) ? stride_pair(&bytes, pair)
                                         : draw_pair(d) && place_pair(d, pair);
    dc_release(d);
    if (!done)
        ints_pair_fini(pair);
    return done;
}

void ints_pair_fini(struct ints_pair *pair)
{
    ir_module_free(pair->untuned);
    ir_module_free(pair->tuned);
    ir_module_free(pair->relax[0]);
    ir_module_free(pair->relax[1]);
    arena_free(pair->arena);
    *pair = (struct ints_pair){0};
}
