/* SPDX-License-Identifier: Apache-2.0
 *
 * Storage of a run: typed cells and a state byte each, as tensors have them.
 * What a run only reads it borrows. What it writes is a copy that takes the
 * place of the argument's own cells when all has ended well, or, where nothing
 * can keep it from ending well (steady.c), the argument itself.
 */
#include "interp/fast/keyed_vm.h"

#include <string.h>

#define MAX_LIVE ((size_t)3 << 30) /* bytes of all storage together */

/* ---- arguments in -------------------------------------------------------------- */

/* NaNs other than the canonical one would come out of an operation with other
 * bits, but out of a copy with their own: they are left to the walker. */
static bool look_at(struct engine *e, struct store *s)
{
    const struct interp_tensor *t = e->args[s->param].tensor;
    const struct kernels *k = kernels_choose();
    const unsigned known =
        INTERP_DEFINED | INTERP_INEXACT | INTERP_WRITTEN | INTERP_SKIPPED;
    uint8_t all = 0xff, any = 0, all_bools, any_bool;
    k->scan(t->state, t->elements, &all, &any);
    if (any & ~known)
        return lower_give_up(e, "an argument of another domain");
    s->defined = (all & INTERP_DEFINED) != 0;
    s->sound = s->defined && !(any & INTERP_INEXACT);
    if (t->odd_nans)
        return lower_give_up(e, "an argument with a NaN of its own");
    if (s->type == T_BOOL) {
        k->scan(t->cells, t->elements, &all_bools, &any_bool);
        if (any_bool > 1)
            return lower_give_up(e, "a bool that is neither 0 nor 1");
    }
    return true;
}

/* Code is steady with arguments all of which are defined: then nothing can end
 * the run before its time, and it may change the caller's tensors as it
 * goes. */
static void look_at_steady(struct engine *e)
{
    for (size_t i = 0; i < e->stores.len; i++)
        if (e->stores.items[i]->param >= 0)
            e->steady = e->steady && e->stores.items[i]->defined;
}

static void make_storage(struct engine *e, struct store *s, size_t cell)
{
    size_t n = (size_t)s->elements * s->lanes;
    s->data = dc_alloc(n > 0 ? n * cell : 1);
    s->state = dc_alloc(n > 0 ? n : 1);
    if (fast_keyed_domain(e->options) || s->param < 0)
        return;
    const struct interp_tensor *t = e->args[s->param].tensor;
    memcpy(s->data, t->cells, n * cell);
    memcpy(s->state, t->state, n);
}

static void borrow(const struct engine *e, struct store *s)
{
    struct interp_tensor *t = e->args[s->param].tensor;
    s->data = t->cells;
    s->state = t->state;
    s->borrowed = true;
}

/* Two parameters in one tensor: the walker gives each a copy. */
static bool all_apart(struct engine *e)
{
    for (size_t i = 0; i < e->nargs; i++)
        for (size_t j = 0; j < i && e->args[i].tensor != NULL; j++)
            if (e->args[i].tensor == e->args[j].tensor)
                return lower_give_up(e, "an argument that is given twice");
    return true;
}

bool fast_stores_fill(struct engine *e)
{
    bool keyed = fast_keyed_domain(e->options);
    size_t live = 0;
    if (!all_apart(e))
        return false;
    for (size_t i = 0; i < e->stores.len && !keyed; i++)
        if (e->stores.items[i]->param >= 0 && !look_at(e, e->stores.items[i]))
            return false;
    if (!keyed)
        look_at_steady(e);
    for (size_t i = 0; i < e->stores.len; i++) {
        struct store *s = e->stores.items[i];
        size_t n = (size_t)s->elements * s->lanes;
        size_t cell = keyed ? KEYED_CELL : fast_ftype_bytes(s->type);
        live += n * (cell + 1);
        if (live > MAX_LIVE || !dc_memory_fits(n * (cell + 1) + 64))
            return lower_give_up(e, "too much storage");
        if (s->param >= 0 && !keyed && (s->read_only || e->steady))
            borrow(e, s);
        else
            make_storage(e, s, cell);
        if (s->param >= 0 && keyed)
            fast_keyed_fill(e, s);
    }
    return true;
}

/* ---- and back ---------------------------------------------------------------------- */

/* The tensor takes the storage for its own. */
static void hand_over(struct store *s, struct interp_tensor *t)
{
    dc_release(t->cells);
    dc_release(t->state);
    t->cells = s->data;
    t->state = s->state;
    s->data = s->state = NULL;
}

void fast_stores_back(struct engine *e)
{
    for (size_t k = 0; k < e->stores.len; k++) {
        struct store *s = e->stores.items[k];
        if (s->param < 0 || s->read_only || s->borrowed)
            continue;
        struct interp_tensor *t = e->args[s->param].tensor;
        if (fast_keyed_domain(e->options))
            fast_keyed_back(s, t);
        else
            hand_over(s, t);
    }
}

void fast_stores_free(struct engine *e)
{
    for (size_t i = 0; i < e->stores.len; i++) {
        struct store *s = e->stores.items[i];
        if (s->borrowed)
            continue;
        dc_release(s->data);
        dc_release(s->state);
    }
    vec_fini(&e->stores);
}
