/* SPDX-License-Identifier: Apache-2.0
 *
 * Sums of one term. Where terms are many, an error bound hides much of what a
 * target does to each: another start, a digit lost on the way. Where all but one
 * are 0 nothing rounds, in any order and in any wider type, so that the term has
 * to come out as it went in. It is asked of elements that differ, when nothing
 * has explained them and their errors look like rounding.
 */
#include "diff/drift/drift_tree_private.h"

#include <math.h>

#define MAX_ELEMENTS 8u  /* of an output */
#define MAX_TERMS    64u /* of an element, spread over all */
#define NTURNS       3u  /* numbers of a term */
#define MAX_CHECKED  8u  /* of what is off, by the interpreter */

/* Bits of the significand. */
static int digits_of(struct dtype t)
{
    return 1 - ilogb(2 * drift_unit_roundoff(t));
}

/* The largest exponent that leaves room for a sum; up to 2^9. */
static int room_of(struct dtype t)
{
    int room = ilogb(num_to_double(t, num_max_value(t))) - 4;
    return room < 0 ? 0 : room > 9 ? 9 : room;
}

/* For term k a number with an odd last digit in the narrowest of the types,
 * which each of the types holds; scales take turns, since what is added to a sum
 * shows where it is half of the last digit. */
static double lone_value(const struct sums *x, size_t k, size_t turn)
{
    const struct dtype types[] = {x->atom, x->cell, x->result};
    int digits = 53, room = 9;
    for (size_t i = 0; i < DC_ARRAY_LEN(types); i++) {
        digits = digits_of(types[i]) < digits ? digits_of(types[i]) : digits;
        room = room_of(types[i]) < room ? room_of(types[i]) : room;
    }
    int low = room > 2 ? -2 : 0;
    int scale = (int)((k * NTURNS + turn) % (size_t)(room - low + 1)) + low;
    double value = digits > 2 ? 1.5 + ldexp(1, 1 - digits) : 1.5;
    return ldexp(k % 2 != 0 ? -value : value, scale);
}

/* Elements of the output that differ on some input, spread over all of them. */
static size_t choose(const struct drift_study *s, size_t param,
                     size_t elements[MAX_ELEMENTS])
{
    size_t size = s->cases[0].in[param].tensor->elements, n = 0, seen = 0;
    struct dtype t = dtype_scalar(s->cases[0].in[param].tensor->dtype);
    for (int pass = 0; pass < 2; pass++) {
        size_t step = seen > MAX_ELEMENTS ? seen / MAX_ELEMENTS : 1, at = 0;
        for (size_t i = 0; i < size && n < MAX_ELEMENTS; i++) {
            bool differs = false;
            for (size_t k = 0; k < s->ncases && !differs; k++) {
                const struct drift_case *c = &s->cases[k];
                uint64_t want = interp_tensor_get(c->want[param].tensor, i);
                uint64_t have = interp_tensor_get(c->out[param].tensor, i);
                bool same = num_same(t, want, have);
                differs = !same && study_counts(c->want[param].tensor, i, same);
            }
            seen += differs && pass == 0;
            if (differs && pass == 1 && at++ % step == 0)
                elements[n++] = i;
        }
    }
    return n;
}

struct lone {
    struct sum_probe *probes;
    size_t *terms;
    size_t n;
};

static void add_probes(struct lone *l, const struct sums *x,
                       const struct sum_element *e, struct arena *arena)
{
    size_t step = e->n > MAX_TERMS ? e->n / MAX_TERMS : 1;
    for (size_t k = 0; k < e->n && k / step < MAX_TERMS; k += step)
        for (size_t turn = 0; turn < NTURNS; turn++) {
            double *drive = ARENA_ARRAY(arena, e->n + 1, double);
            drive[k] = lone_value(x, k, turn);
            l->terms[l->n] = k;
            l->probes[l->n++] = (struct sum_probe){e, drive, NULL, 0};
        }
}

static bool is_odd(const struct lone *l, size_t i)
{
    return l->probes[i].sum != l->probes[i].drive[l->terms[i]];
}

static const char *tell(const struct drift_study *s, const struct sums *x,
                        const struct lone *l, size_t which)
{
    const struct sum_probe *p = &l->probes[which];
    const struct sum_term *term = &p->e->terms[l->terms[which]];
    const struct ir_param *param = &s->q->func->prim.params[x->param];
    struct buf text = {0};
    unsigned flags = 0;
    buf_puts(&text, param->buffer ? param->buffer->name : param->var->name);
    interp_put_index(&text, s->cases[0].in[x->param].tensor, p->e->element);
    buf_puts(&text, " is ");
    num_put(&text, x->result, num_from_double(x->result, p->sum, &flags));
    buf_printf(&text, " where %s is ", term->text);
    num_put(&text, x->result,
            num_from_double(x->result, p->drive[l->terms[which]], &flags));
    buf_printf(&text, " and the other %zu terms are 0, which nothing rounds",
               p->e->n - 1);
    const char *kept = arena_strdup(s->arena, buf_text(&text));
    buf_fini(&text);
    return kept;
}

/* What comes out otherwise than it went in; NULL: nothing. The program may round
 * a term itself, where no trace shows it: the interpreter has the last word. */
static const char *judge(const struct drift_study *s, struct sums *x,
                         const struct lone *l)
{
    struct sum_probe again[MAX_CHECKED];
    size_t which[MAX_CHECKED], n = 0, odd = 0, at = 0;
    const char *why;
    for (size_t i = 0; i < l->n; i++)
        odd += is_odd(l, i);
    size_t step = odd > MAX_CHECKED ? odd / MAX_CHECKED : 1;
    for (size_t i = 0; i < l->n && n < MAX_CHECKED; i++)
        if (is_odd(l, i) && at++ % step == 0) {
            again[n] = l->probes[i];
            which[n++] = i;
        }
    x->by_reference = true;
    bool fine = sums_ask(x, n, again, &why);
    x->by_reference = false;
    for (size_t k = 0; k < n && fine; k++)
        if (again[k].sum == again[k].drive[l->terms[which[k]]])
            return tell(s, x, l, which[k]);
    return NULL;
}

static const char *ask_output(struct drift_study *s, size_t param)
{
    size_t elements[MAX_ELEMENTS], n = choose(s, param, elements);
    struct sums x;
    const char *why, *odd = NULL;
    if (n == 0 || !sums_trace(s, param, n, elements, &x, &why) ||
        !sums_add_former(&x, &why))
        return NULL;
    struct arena *arena = arena_new();
    struct lone l = {
        ARENA_ARRAY(arena, n * MAX_TERMS * NTURNS + 1, struct sum_probe),
        ARENA_ARRAY(arena, n * MAX_TERMS * NTURNS + 1, size_t), 0};
    for (size_t i = 0; i < x.n; i++)
        if (x.elements[i].why == NULL)
            add_probes(&l, &x, &x.elements[i], arena);
    if (sums_ask(&x, l.n, l.probes, &why))
        odd = judge(s, &x, &l);
    arena_free(arena);
    return odd;
}

const char *drift_lone(struct drift_study *s)
{
    const char *odd = NULL;
    /* qfloat holds no number as it is (A17) */
    if (s->q->run == NULL || drift_resembles_qfloat(s))
        return NULL;
    for (size_t o = 0; o < s->noutputs && odd == NULL; o++) {
        const struct interp_tensor *t = s->cases[0].in[s->outputs[o]].tensor;
        if (t->elements > 0 && dtype_is_float(t->dtype))
            odd = ask_output(s, s->outputs[o]);
    }
    return odd;
}
