/* SPDX-License-Identifier: Apache-2.0
 *
 * Output elements as sums of input elements or of products of two, and a
 * target that is asked what chosen terms sum to.
 *
 * The terms come from a traced run of the interpreter: for each update of an
 * element the input elements that went in, and the value added. An element is
 * a sum here if each of these values is that of one input element or of the
 * product of two, and if each term has an input element that no other term of
 * the element reads: setting that one, and the other to 1, sets the term. What
 * the cell held before may be a term, too; the target tells.
 *
 * One run of the target answers one question for each of many elements, as
 * long as they ask for no two values of one input element: of a matrix product
 * each row or column, of a convolution each channel.
 */
#include "diff/drift/drift_tree_private.h"

#include <math.h>
#include <string.h>

#define ELEMENT_BITS 40
#define OPEN_RUNS    8u
#define CHUNK_RUNS   64u
#define CHUNK_BYTES  (UINT64_C(64) << 20)

static size_t param_of(uint64_t atom)
{
    return (size_t)(atom >> ELEMENT_BITS);
}

static size_t element_of(uint64_t atom)
{
    return (size_t)(atom & ((UINT64_C(1) << ELEMENT_BITS) - 1));
}

/* ---- terms ------------------------------------------------------------------------ */

struct reading {
    struct sums *x;
    const struct drift_case *c;
    struct arena *arena;
};

static struct dtype type_of(const struct reading *r, uint64_t atom)
{
    return dtype_scalar(r->c->in[param_of(atom)].tensor->dtype);
}

static uint64_t bits_of(const struct reading *r, uint64_t atom)
{
    return interp_tensor_get(r->c->in[param_of(atom)].tensor, element_of(atom));
}

/* Whether the value added is the product of the atoms, rounded to the type of
 * the term or to theirs. */
static bool is_product(const struct reading *r, const struct interp_term *t)
{
    struct dtype atom = r->x->atom, type = dtype_scalar(t->dtype);
    unsigned flags = 0;
    uint64_t a = bits_of(r, t->atoms[0]);
    uint64_t wide = num_cast(atom, type, a, &flags);
    uint64_t narrow = a;
    if (t->natoms == 2) {
        uint64_t b = bits_of(r, t->atoms[1]);
        wide = num_binary(NUM_MUL, type, wide, num_cast(atom, type, b, &flags),
                          &flags);
        narrow = num_binary(NUM_MUL, atom, a, b, &flags);
    }
    narrow = num_cast(atom, type, narrow, &flags);
    bool is_wide = num_same(type, wide, t->value);
    bool is_narrow = num_same(type, narrow, t->value);
    r->x->rounds |= is_narrow && !is_wide;
    return is_wide || is_narrow;
}

static const char *check_term(const struct reading *r,
                              const struct interp_term *t)
{
    if (t->natoms == 0 || t->natoms > SUM_ATOMS)
        return "a term is not one input element or a product of two";
    for (size_t i = 0; i < t->natoms; i++) {
        if (r->c->in[param_of(t->atoms[i])].tensor == NULL)
            return "a term is a scalar parameter";
        if (!dtype_equal(type_of(r, t->atoms[i]), r->x->atom))
            return "its terms have several types";
    }
    if (!t->known || !dtype_is_float(t->dtype) || !is_product(r, t))
        return "a term is not one input element or a product of two";
    return NULL;
}

/* Atoms by which the terms are driven, in order, to find one twice. */
static bool drivers_differ(const struct sum_element *e)
{
    size_t cap = 16;
    while (cap < 4 * e->n + 4)
        cap *= 2;
    uint64_t *table = dc_alloc(cap * sizeof *table);
    bool fine = true;
    for (size_t pass = 0; pass < 2; pass++)
        for (size_t k = 0; k < e->n && fine; k++) {
            /* the drivers, each once; then the others, which are none */
            if (pass >= e->terms[k].natoms)
                continue;
            uint64_t key = e->terms[k].atoms[pass] + 1;
            size_t at = (size_t)hash_mix(3, key) & (cap - 1);
            while (table[at] != 0 && table[at] != key)
                at = (at + 1) & (cap - 1);
            fine = table[at] != key;
            if (pass == 0)
                table[at] = key;
        }
    dc_release(table);
    return fine;
}

/* Atom 0 of each term is of the parameter where there is one. */
static bool drive_by(struct sum_element *e, size_t param)
{
    for (size_t k = 0; k < e->n; k++) {
        struct sum_term *t = &e->terms[k];
        if (t->natoms == 2 && param_of(t->atoms[0]) != param &&
            param_of(t->atoms[1]) == param) {
            uint64_t swap = t->atoms[0];
            t->atoms[0] = t->atoms[1];
            t->atoms[1] = swap;
        }
    }
    return drivers_differ(e);
}

static void read_element(const struct reading *r, const struct interp_terms *t,
                         struct sum_element *e)
{
    e->element = t->element;
    e->why = t->truncated ? "it has too many terms"
             : t->n < 2   ? "it has no two terms"
                          : NULL;
    if (e->why != NULL)
        return;
    e->n = t->n;
    e->terms = ARENA_ARRAY(r->arena, t->n + 2, struct sum_term);
    for (size_t k = 0; k < t->n && e->why == NULL; k++) {
        const struct interp_term *from = &t->items[k];
        e->why = check_term(r, from);
        if (e->why != NULL)
            return;
        e->terms[k].natoms = from->natoms;
        e->terms[k].text = from->source != NULL && *from->source != '\0'
                               ? from->source
                               : from->text;
        memcpy(e->terms[k].atoms, from->atoms,
               from->natoms * sizeof *from->atoms);
    }
}

/* The parameter by which most of the elements can be asked in one run: where
 * the first two elements share no driver, if there is a choice. */
static void choose_drivers(struct sums *x)
{
    size_t best = SIZE_MAX, nbest = 0;
    for (size_t p = 0; p < x->s->q->nargs; p++) {
        size_t apart = 0;
        const struct sum_element *last = NULL;
        for (size_t i = 0; i < x->n && i < 64; i++) {
            struct sum_element *e = &x->elements[i];
            if (e->why != NULL || !drive_by(e, p))
                continue;
            apart++;
            if (last != NULL && last->terms[0].atoms[0] != e->terms[0].atoms[0])
                apart++;
            last = e;
        }
        if (best == SIZE_MAX || apart > nbest) {
            best = p;
            nbest = apart;
        }
    }
    for (size_t i = 0; i < x->n; i++)
        if (x->elements[i].why == NULL && !drive_by(&x->elements[i], best))
            x->elements[i].why = "two of its terms read one input element";
}

bool sums_trace(struct drift_study *s, size_t param, size_t n,
                const size_t *elements, struct sums *out, const char **why)
{
    const struct drift_question *q = s->q;
    struct drift_case c = {.in = q->samples[0].in, .out = q->samples[0].out};
    struct interp_terms *terms =
        ARENA_ARRAY(s->arena, n + 1, struct interp_terms);
    memset(out, 0, sizeof *out);
    out->s = s;
    out->param = param;
    out->n = n;
    out->elements = ARENA_ARRAY(s->arena, n + 1, struct sum_element);
    out->result = dtype_scalar(c.in[param].tensor->dtype);
    out->max_runs = q->max_runs > 0 ? q->max_runs : 4096;
    *why = "its terms could not be traced";
    if (!study_trace(s, s->arena, &c, param, n, elements, NULL, terms))
        return false;
    struct reading r = {out, &c, s->arena};
    bool any = false;
    for (size_t i = 0; i < n; i++) {
        const struct interp_terms *t = &terms[i];
        if (!any && t->n > 0 && t->items[0].natoms > 0 &&
            c.in[param_of(t->items[0].atoms[0])].tensor != NULL) {
            out->atom = type_of(&r, t->items[0].atoms[0]);
            out->cell = dtype_scalar(t->items[t->n - 1].type);
        }
        read_element(&r, t, &out->elements[i]);
        if (out->elements[i].why != NULL)
            *why = out->elements[i].why;
        any |= out->elements[i].why == NULL;
    }
    if (!any)
        return false;
    choose_drivers(out);
    any = false;
    for (size_t i = 0; i < n; i++) {
        if (out->elements[i].why != NULL)
            *why = out->elements[i].why;
        any |= out->elements[i].why == NULL;
    }
    return any;
}

/* ---- runs ---------------------------------------------------------------------------- */

/* Values that one run gives to input elements. */
struct demand {
    size_t n, cap;
    struct {
        uint64_t key; /* atom + 1; 0: free */
        double value;
    } * table;
    struct VEC(size_t) probes;
};

static size_t place(const struct demand *d, uint64_t key)
{
    size_t at = (size_t)hash_mix(5, key) & (d->cap - 1);
    while (d->table[at].key != 0 && d->table[at].key != key)
        at = (at + 1) & (d->cap - 1);
    return at;
}

static void put(struct demand *d, uint64_t atom, double value)
{
    if (2 * (d->n + 1) > d->cap) {
        struct demand old = *d;
        d->cap = old.cap > 0 ? 2 * old.cap : 64;
        d->table = dc_alloc(d->cap * sizeof *d->table);
        for (size_t i = 0; i < old.cap; i++)
            if (old.table[i].key != 0)
                d->table[place(d, old.table[i].key)] = old.table[i];
        dc_release(old.table);
    }
    size_t at = place(d, atom + 1);
    d->n += d->table[at].key == 0;
    d->table[at].key = atom + 1;
    d->table[at].value = value;
}

static double value_of(const struct sum_probe *p, size_t term, size_t atom)
{
    return atom == 0 ? p->drive[term] : p->other != NULL ? p->other[term] : 1.0;
}

static bool fits(const struct demand *d, const struct sum_probe *p)
{
    if (d->cap == 0)
        return true;
    for (size_t k = 0; k < p->e->n; k++)
        for (size_t i = 0; i < p->e->terms[k].natoms; i++) {
            size_t at = place(d, p->e->terms[k].atoms[i] + 1);
            if (d->table[at].key != 0 &&
                d->table[at].value != value_of(p, k, i))
                return false;
        }
    return true;
}

/* Whether the run asks about that very element already. */
static bool is_asked(const struct demand *d, const struct sum_probe *probes,
                     const struct sum_probe *p)
{
    for (size_t i = 0; i < d->probes.len; i++)
        if (probes[d->probes.items[i]].e == p->e)
            return true;
    return false;
}

static void add_probe(struct demand *d, const struct sum_probe *probes,
                      size_t which)
{
    const struct sum_probe *p = &probes[which];
    for (size_t k = 0; k < p->e->n; k++)
        for (size_t i = 0; i < p->e->terms[k].natoms; i++)
            put(d, p->e->terms[k].atoms[i], value_of(p, k, i));
    vec_push(&d->probes, which);
}

/* Arguments of a run: the first sample's, but floats that the elements read,
 * and the output, are 0 or what is asked for. */
static struct interp_arg *make_args(const struct sums *x,
                                    const struct demand *d)
{
    const struct drift_question *q = x->s->q;
    struct interp_arg *args = dc_alloc((q->nargs + 1) * sizeof *args);
    bool *reads = dc_alloc(q->nargs + 1);
    reads[x->param] = true;
    for (size_t i = 0; i < d->cap; i++)
        if (d->table[i].key != 0)
            reads[param_of(d->table[i].key - 1)] = true;
    for (size_t i = 0; i < q->nargs; i++) {
        args[i] = q->samples[0].in[i];
        if (args[i].tensor == NULL)
            continue;
        args[i].tensor = interp_tensor_clone(args[i].tensor);
        for (size_t k = 0; reads[i] && k < args[i].tensor->elements; k++)
            interp_tensor_set(args[i].tensor, k, 0);
    }
    for (size_t i = 0; i < d->cap; i++) {
        unsigned flags = 0;
        uint64_t atom = d->table[i].key - 1;
        if (d->table[i].key == 0)
            continue;
        struct interp_tensor *t = args[param_of(atom)].tensor;
        interp_tensor_set(
            t, element_of(atom),
            num_from_double(dtype_scalar(t->dtype), d->table[i].value, &flags));
    }
    dc_release(reads);
    return args;
}

static void free_args(const struct sums *x, struct interp_arg *args)
{
    for (size_t i = 0; i < x->s->q->nargs; i++)
        interp_tensor_free(args[i].tensor);
    dc_release(args);
}

/* The same by the interpreter. */
static bool refer_all(struct sums *x, size_t n, struct interp_arg **args,
                      const char **why)
{
    *why = "the interpreter has no answer";
    for (size_t i = 0; i < n; i++) {
        struct drift_case c = {.in = args[i], .out = args[i]};
        struct interp_arg *got;
        const char *error = x->s->error;
        bool out_of_steps = x->s->out_of_steps;
        bool fine = study_run(x->s, &c, interp_default_options(), NULL, &got);
        x->s->error = error;
        x->s->out_of_steps = out_of_steps;
        if (fine) {
            struct interp_tensor *kept = args[i][x->param].tensor;
            args[i][x->param].tensor = got[x->param].tensor;
            got[x->param].tensor = kept;
        }
        study_free_args(x->s, got);
        if (!fine)
            return false;
    }
    return true;
}

static bool run_all(struct sums *x, size_t n, struct interp_arg **args,
                    const char **why)
{
    const struct drift_question *q = x->s->q;
    if (x->by_reference)
        return refer_all(x, n, args, why);
    bool fine = x->runs + n <= x->max_runs;
    *why = "it would take more runs of the target than are allowed";
    if (!fine)
        return false;
    x->runs += n;
    *why = "the target failed";
    if (q->run_many != NULL)
        fine = q->run_many(q->user, n, args, x->s->arena, why);
    for (size_t i = 0; q->run_many == NULL && i < n && fine; i++)
        fine = q->run(q->user, args[i], x->s->arena, why);
    x->failed |= !fine;
    return fine;
}

static bool run_demands(struct sums *x, size_t n, struct demand *demands,
                        struct sum_probe *probes, const char **why)
{
    uint64_t bytes = 1;
    for (size_t i = 0; i < x->s->q->nargs; i++)
        if (x->s->q->samples[0].in[i].tensor != NULL)
            bytes += x->s->q->samples[0].in[i].tensor->elements * 9;
    size_t chunk = (size_t)(CHUNK_BYTES / bytes) + 1;
    bool fine = true;
    struct interp_arg *args[CHUNK_RUNS];
    chunk = chunk < CHUNK_RUNS ? chunk : CHUNK_RUNS;
    for (size_t from = 0; from < n && fine; from += chunk) {
        size_t count = n - from < chunk ? n - from : chunk;
        for (size_t i = 0; i < count; i++)
            args[i] = make_args(x, &demands[from + i]);
        fine = run_all(x, count, args, why);
        for (size_t i = 0; i < count; i++) {
            const struct demand *d = &demands[from + i];
            for (size_t k = 0; k < d->probes.len && fine; k++) {
                struct sum_probe *p = &probes[d->probes.items[k]];
                p->sum = num_to_double(
                    x->result,
                    interp_tensor_get(args[i][x->param].tensor, p->e->element));
            }
            free_args(x, args[i]);
        }
    }
    return fine;
}

bool sums_ask(struct sums *x, size_t n, struct sum_probe *probes,
              const char **why)
{
    struct VEC(struct demand) demands = {0};
    for (size_t i = 0; i < n; i++) {
        size_t at = demands.len > OPEN_RUNS ? demands.len - OPEN_RUNS : 0;
        while (at < demands.len &&
               (is_asked(&demands.items[at], probes, &probes[i]) ||
                !fits(&demands.items[at], &probes[i])))
            at++;
        if (at == demands.len) {
            struct demand fresh;
            memset(&fresh, 0, sizeof fresh);
            vec_push(&demands, fresh);
        }
        add_probe(&demands.items[at], probes, i);
    }
    bool fine = run_demands(x, demands.len, demands.items, probes, why);
    for (size_t i = 0; i < demands.len; i++) {
        dc_release(demands.items[i].table);
        vec_fini(&demands.items[i].probes);
    }
    vec_fini(&demands);
    return fine;
}

/* ---- what the cell held before ---------------------------------------------------------- */

static void hold_former(struct sums *x, struct sum_element *e)
{
    struct sum_term *terms =
        ARENA_ARRAY(x->s->arena, e->n + 2, struct sum_term);
    memcpy(terms + 1, e->terms, e->n * sizeof *terms);
    terms[0].natoms = 1;
    terms[0].atoms[0] = (uint64_t)x->param << ELEMENT_BITS | e->element;
    terms[0].text = "what it held before";
    e->terms = terms;
    e->n++;
}

bool sums_add_former(struct sums *x, const char **why)
{
    size_t first = 0;
    if (!dtype_equal(x->atom, x->result))
        return true;
    while (first < x->n && x->elements[first].why != NULL)
        first++;
    if (first == x->n)
        return true;
    struct sum_element e = x->elements[first];
    hold_former(x, &e);
    double *drive = ARENA_ARRAY(x->s->arena, e.n + 1, double);
    drive[0] = 1;
    struct sum_probe probe = {&e, drive, NULL, 0};
    if (!sums_ask(x, 1, &probe, why))
        return false;
    for (size_t i = 0; i < x->n && probe.sum == 1; i++)
        if (x->elements[i].why == NULL)
            hold_former(x, &x->elements[i]);
    return true;
}
