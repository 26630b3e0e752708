/* SPDX-License-Identifier: Apache-2.0
 *
 * Fragments in keyed domains: moved as cells, multiplied by the domain's own
 * operations in intrin_tile.c's order (F14).
 */
#include "interp/fast/coop_vm.h"
#include "interp/fast/keyed_vm.h"
#include "interp/keyed/keyed_lanes.h"
#include "interp/machine/arith.h"

#include <string.h>

#define MAX_TILE 4096

static struct interp_sym *cell(const struct memory *s, int64_t at)
{
    return (struct interp_sym *)(void *)s->data + at;
}

static bool moved(struct vm *v, const struct memory *from, int64_t a,
                  struct memory *to, int64_t b)
{
    if (!(from->state[a] & INTERP_DEFINED))
        return lower_give_up(v->e, "an element that nothing wrote");
    *cell(to, b) = *cell(from, a);
    to->state[b] = INTERP_DEFINED | INTERP_WRITTEN;
    return true;
}

static bool move_tile(struct vm *v, const struct tile_code *t,
                      const struct tile_at *at)
{
    const struct tile *x = t->tile;
    struct memory *frag = fast_memory_of(v, t->frag[0]->store);
    struct memory *memory = fast_memory_of(v, t->memory->store);
    uint8_t same[MAX_TILE];
    int64_t n = x->rows * x->columns;
    bool in = x->kind == TILE_LOAD;
    for (int64_t k = 0; k < n && !in; k++) {
        int64_t to =
            at->memory + k / x->columns * x->row + k % x->columns * x->column;
        same[k] = (memory->state[to] & INTERP_DEFINED) &&
                  memcmp(cell(memory, to), cell(frag, at->frag[0] + k),
                         KEYED_CELL) == 0;
    }
    if (t->memory->look != RACE_LOOK_NOT && !fast_tile_races(v, t, at, same))
        return false;
    memory->sound = memory->sound && in;
    for (int64_t k = 0; k < n; k++) {
        int64_t there =
            at->memory + k / x->columns * x->row + k % x->columns * x->column;
        int64_t here = at->frag[0] + k;
        if (in ? !moved(v, memory, there, frag, here)
               : !moved(v, frag, here, memory, there))
            return false;
    }
    return true;
}

static void fill(struct vm *v, const struct tile_code *t,
                 const struct tile_at *at)
{
    struct memory *s = fast_memory_of(v, t->frag[0]->store);
    const struct interp_sym known = {{t->tile->bits, 0}, 0, 0, 0, 0, 0};
    for (int64_t i = 0; i < t->tile->rows * t->tile->columns; i++) {
        *cell(s, at->frag[0] + i) = known;
        s->state[at->frag[0] + i] = INTERP_DEFINED | INTERP_WRITTEN;
    }
}

/* An operand in the accumulator's type, converted once. */
static bool operand(struct vm *v, const struct store *s, int64_t at, int64_t n,
                    struct dtype to, struct interp_sym *out)
{
    struct machine *m = fast_keyed_machine(v);
    const struct memory *cells = fast_memory_of(v, s);
    struct dtype from = fast_ftype_dtype(s->type);
    bool same = dtype_equal(from, to);
    for (int64_t i = 0; i < n; i++) {
        if (!(cells->state[at + i] & INTERP_DEFINED))
            return lower_give_up(v->e, "an element that nothing wrote");
        out[i] = *cell(cells, at + i);
        if (same)
            continue;
        struct scratch_mark mark = exec_scratch_save(m);
        struct value x = exec_cast(m, from, to, fast_keyed_value_of(&out[i]));
        bool ok = fast_keyed_take(v, x, false, &out[i]);
        exec_scratch_restore(m, mark);
        if (!ok)
            return false;
    }
    return true;
}

static struct value mac(struct machine *m, struct dtype t, struct value a,
                        struct value b, struct value c)
{
    if (dtype_is_float(t)) {
        m->unordered = EXEC_TILE_SUM;
        c = exec_fma(m, t, a, b, c);
        m->unordered = EXEC_ORDERED;
        return c;
    }
    return exec_binary(m, NUM_ADD, t, c, exec_binary(m, NUM_MUL, t, a, b));
}

static bool multiply(struct vm *v, const struct tile_code *t,
                     const struct tile_at *at)
{
    struct machine *m = fast_keyed_machine(v);
    const struct tile *x = t->tile;
    struct memory *d = fast_memory_of(v, t->frag[0]->store);
    const struct memory *c = fast_memory_of(v, t->frag[3]->store);
    struct dtype type = fast_ftype_dtype(t->frag[0]->store->type);
    struct interp_sym *a = dc_alloc(2 * MAX_TILE * sizeof *a);
    struct interp_sym *b = a + MAX_TILE;
    bool ok =
        operand(v, t->frag[1]->store, at->frag[1], x->m * x->k, type, a) &&
        operand(v, t->frag[2]->store, at->frag[2], x->k * x->n, type, b);
    for (int64_t i = 0; i < x->m * x->n && ok; i++) {
        const struct interp_sym *row = a + i / x->n * x->k;
        const struct interp_sym *column = b + i % x->n;
        struct scratch_mark mark = exec_scratch_save(m);
        struct interp_sym start = *cell(c, at->frag[3] + i);
        struct value sum = fast_keyed_value_of(&start);
        if (!(c->state[at->frag[3] + i] & INTERP_DEFINED))
            ok = lower_give_up(v->e, "an element that nothing wrote");
        for (int64_t k = 0; k < x->k && ok; k++)
            sum = mac(m, type, fast_keyed_value_of(&row[k]),
                      fast_keyed_value_of(&column[k * x->n]), sum);
        ok = ok && fast_keyed_take(v, keyed_settle(m, type, sum),
                                   v->e->watch && exec_arith_may_not_wrap(type),
                                   cell(d, at->frag[0] + i));
        d->state[at->frag[0] + i] = INTERP_DEFINED | INTERP_WRITTEN;
        exec_scratch_restore(m, mark);
    }
    dc_release(a);
    return ok;
}

bool fast_keyed_tile(struct vm *v, const struct tile_code *t,
                     const struct tile_at *at)
{
    switch (t->tile->kind) {
    case TILE_FILL: fill(v, t, at); return true;
    case TILE_LOAD:
    case TILE_STORE: return move_tile(v, t, at);
    case TILE_MULTIPLY: return multiply(v, t, at);
    }
    return true;
}
