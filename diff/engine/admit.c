/* SPDX-License-Identifier: Apache-2.0
 *
 * An input on which the untuned module leaves an output undefined is outside
 * the class (rule 10), and what shows on it is no finding. Mostly a few of its
 * elements are to blame: a shift count, a float that no integer holds. They are
 * made 0, and what is left may show the same.
 *
 * All elements 0 come first; then blocks of them are filled again as long as
 * the untuned module leaves nothing undefined, halves of those where it does.
 * Elements that address something, and those that an assumption confines, stay
 * as they are.
 */
#include "diff/engine/engine.h"

#include <string.h>

#define MAX_UNITS 65536u /* elements of all parameters */
#define MAX_TRIES 128u
#define MAX_STEPS 3000000.0 /* of all tries together, about */

struct admitting {
    struct diff_pair *pair;
    const struct diff_case *c;
    struct diff_recipe *recipe;
    size_t tries, most;
    uint8_t **state; /* by parameter; NULL: untouched */
    uint8_t **units; /* all that may change */
    size_t n;
};

bool diff_is_free(const struct diff_pair *pair, const struct diff_case *c,
                  size_t param)
{
    const struct interp_param *u = &c->sig[UNTUNED].params[param];
    return u->is_tensor && !u->indexes &&
           !c->sig[TUNED].params[param].indexes &&
           !diff_assume_find(pair->options, u->name);
}

static bool find_units(struct admitting *a)
{
    size_t nparams = a->c->sig[UNTUNED].nparams, elements;
    a->state = ARENA_ARRAY(a->pair->arena, nparams + 1, uint8_t *);
    a->units = ARENA_ARRAY(a->pair->arena, MAX_UNITS, uint8_t *);
    for (size_t i = 0; i < nparams; i++) {
        if (!diff_is_free(a->pair, a->c, i))
            continue;
        if (!diff_param_elements(&a->c->sig[UNTUNED].params[i], &elements) ||
            elements > MAX_UNITS - a->n)
            return false;
        a->state[i] = ARENA_ARRAY(a->pair->arena, elements + 1, uint8_t);
        for (size_t e = 0; e < elements; e++)
            a->units[a->n++] = a->state[i] + e;
    }
    return a->n > 0;
}

/* Whether the untuned module runs and leaves nothing undefined. */
static bool is_defined(struct admitting *a)
{
    a->tries++;
    return diff_is_borne(a->pair, a->c, a->recipe);
}

static void set_units(struct admitting *a, size_t first, size_t n,
                      enum diff_sparse_state state)
{
    for (size_t i = first; i < first + n; i++)
        *a->units[i] = (uint8_t)state;
}

/* Fills what can be of these units beside the others. */
static void fill_units(struct admitting *a, size_t first, size_t n)
{
    if (n == 0 || a->tries >= a->most)
        return;
    set_units(a, first, n, DIFF_AS_FILLED);
    if (is_defined(a))
        return;
    set_units(a, first, n, DIFF_ZERO);
    if (n > 1) {
        fill_units(a, first, n / 2);
        fill_units(a, first + n / 2, n - n / 2);
    }
}

bool diff_admit(struct diff_pair *pair, size_t case_index,
                struct diff_recipe *recipe)
{
    const struct diff_case *c = &pair->cases[case_index];
    struct admitting *a = ARENA_NEW(pair->arena, struct admitting);
    struct diff_sparse *sparse = ARENA_NEW(pair->arena, struct diff_sparse);
    double paid = MAX_STEPS / (c->whole > 1 ? c->whole : 1);
    *a = (struct admitting){.pair = pair, .c = c, .recipe = recipe};
    a->most = paid < MAX_TRIES ? (size_t)paid : MAX_TRIES;
    if (c->sliced || recipe->sparse || a->most < 2)
        return false;
    for (size_t i = 0; i < c->sig[UNTUNED].nparams; i++)
        if (c->sig[UNTUNED].params[i].dtype.lanes > 1)
            return false;
    if (!find_units(a))
        return false;
    sparse->state = (const uint8_t *const *)a->state;
    recipe->sparse = sparse;
    if (!is_defined(a))
        return false;
    fill_units(a, 0, a->n / 2);
    fill_units(a, a->n / 2, a->n - a->n / 2);
    return true;
}
