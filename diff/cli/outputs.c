/* SPDX-License-Identifier: Apache-2.0
 *
 * Outputs of `diffcheck run`: one line an output, or .npy files. What a value
 * is, and so what there is to show of it, depends on the domain.
 */
#include "diff/cli/outputs.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- lines ----------------------------------------------------------------------- */

static void put_extremes(const struct interp_tensor *t, struct buf *out)
{
    struct dtype type = dtype_scalar(t->dtype);
    size_t undefined = 0, nan = 0;
    bool any = false;
    uint64_t lo = 0, hi = 0;
    unsigned flags = 0;
    for (size_t i = 0; i < t->elements; i++) {
        uint64_t v = interp_tensor_get(t, i);
        if (!(t->state[i] & INTERP_DEFINED)) {
            undefined++;
            continue;
        }
        if (dtype_is_float(type) && num_is_nan(type, v)) {
            nan++;
            continue;
        }
        if (!any || num_binary(NUM_LT, type, v, lo, &flags))
            lo = v;
        if (!any || num_binary(NUM_GT, type, v, hi, &flags))
            hi = v;
        any = true;
    }
    if (any) {
        buf_puts(out, "  min ");
        num_put(out, type, lo);
        buf_puts(out, "  max ");
        num_put(out, type, hi);
    }
    if (nan)
        buf_printf(out, "  nan %zu", nan);
    if (undefined)
        buf_printf(out, "  undefined %zu", undefined);
}

static void put_widest(const struct interp_tensor *t, struct buf *out)
{
    double widest = 0;
    for (size_t i = 0; i < t->elements; i++) {
        double width = t->box[i].range.hi - t->box[i].range.lo;
        if (width > widest)
            widest = width;
    }
    buf_puts(out, "  widest enclosure ");
    buf_put_double(out, widest);
}

/* Elements of which nothing is known are counted and left out. */
static void put_bounds(const struct interp_tensor *t, struct buf *out)
{
    double error = 0, terms = 0;
    size_t unbounded = 0;
    for (size_t i = 0; i < t->elements; i++) {
        const struct interp_bound *b = &t->box[i].bound;
        if (!(t->state[i] & INTERP_DEFINED))
            continue;
        if (isinf(b->error)) {
            unbounded++;
            continue;
        }
        error = b->error > error ? b->error : error;
        terms = b->terms > terms ? b->terms : terms;
    }
    buf_puts(out, "  largest error ");
    buf_put_double(out, error);
    buf_puts(out, "  largest sum of terms ");
    buf_put_double(out, terms);
    if (unbounded)
        buf_printf(out, "  without a bound %zu", unbounded);
}

static uint64_t content_hash(const struct interp_tensor *t)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < t->elements; i++) {
        bool defined = t->state[i] & INTERP_DEFINED;
        bool nan = defined && dtype_is_float(t->dtype) &&
                   num_is_nan(dtype_scalar(t->dtype), interp_tensor_get(t, i));
        hash = hash_mix(hash, defined ? (nan ? 1 : 2) : 0);
        hash = hash_mix(hash, defined && !nan ? interp_tensor_get(t, i) : 0);
    }
    return hash;
}

static void put_print(const struct interp_tensor *t,
                      const struct interp_options *options, struct buf *out)
{
    struct interp_keyed *k = interp_keyed_new(options);
    uint64_t hash = 0;
    size_t undefined = 0;
    for (size_t i = 0; i < t->elements; i++) {
        uint64_t print = interp_keyed_print(k, t, i);
        hash = hash_mix(hash, print);
        undefined += print == 0;
    }
    interp_keyed_free(k);
    if (undefined)
        buf_printf(out, "  undefined %zu", undefined);
    buf_printf(out, "  fingerprint %016" PRIx64, hash);
}

void diff_put_output(const char *name, const struct interp_tensor *t,
                     const struct interp_options *options, struct buf *out)
{
    char type[48];
    bool boxes = t->box && dtype_is_float(t->dtype);
    buf_put_visible(out, name, strlen(name), "");
    buf_printf(out, "  %s[", dtype_name(t->dtype, type));
    for (size_t d = 0; d < t->rank; d++)
        buf_printf(out, "%s%" PRId64, d ? ", " : "", t->shape[d]);
    buf_putc(out, ']');
    if (interp_domain_is_keyed(options->domain)) {
        put_print(t, options, out);
    } else if (boxes && options->domain == INTERP_INTERVAL) {
        put_widest(t, out);
    } else {
        put_extremes(t, out);
        if (boxes && options->domain == INTERP_BOUND)
            put_bounds(t, out);
        buf_printf(out, "  hash %016" PRIx64, content_hash(t));
    }
    buf_putc(out, '\n');
}

/* ---- files ----------------------------------------------------------------------- */

/* A number of another type for each element. */
struct column {
    const char *suffix;
    struct dtype type;
    uint64_t (*of)(const struct interp_tensor *t, size_t i,
                   struct interp_keyed *k);
};

static uint64_t double_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static uint64_t low(const struct interp_tensor *t, size_t i,
                    struct interp_keyed *k)
{
    const struct num_interval *r = &t->box[i].range;
    (void)k;
    return double_bits(r->nan ? (double)NAN : r->lo);
}

static uint64_t high(const struct interp_tensor *t, size_t i,
                     struct interp_keyed *k)
{
    const struct num_interval *r = &t->box[i].range;
    (void)k;
    return double_bits(r->nan ? (double)NAN : r->hi);
}

static uint64_t error_of(const struct interp_tensor *t, size_t i,
                         struct interp_keyed *k)
{
    (void)k;
    return double_bits(t->box[i].bound.error);
}

static uint64_t terms_of(const struct interp_tensor *t, size_t i,
                         struct interp_keyed *k)
{
    (void)k;
    return double_bits(t->box[i].bound.terms);
}

static uint64_t print_of(const struct interp_tensor *t, size_t i,
                         struct interp_keyed *k)
{
    return interp_keyed_print(k, t, i);
}

static bool write_tensor(const char *dir, const char *name, const char *suffix,
                         const struct interp_tensor *t, struct diag_sink *sink)
{
    struct buf path = {0};
    buf_printf(&path, "%s/%s%s.npy", dir, name, suffix);
    bool fine = npy_write(buf_text(&path), t, sink);
    buf_fini(&path);
    return fine;
}

static bool write_column(const char *dir, const char *name,
                         const struct column *c, const struct interp_tensor *t,
                         struct interp_keyed *k, struct diag_sink *sink)
{
    struct dtype type = dtype_with_lanes(c->type, t->dtype.lanes);
    struct interp_tensor *made = interp_tensor_new(type, t->rank, t->shape);
    for (size_t i = 0; i < made->elements; i++) {
        bool defined = t->state[i] & INTERP_DEFINED;
        interp_tensor_set(made, i,
                          defined ? c->of(t, i, k)
                          : dtype_is_float(made->dtype)
                              ? double_bits((double)NAN)
                              : 0);
        made->state[i] = INTERP_DEFINED;
    }
    bool fine = write_tensor(dir, name, c->suffix, made, sink);
    interp_tensor_free(made);
    return fine;
}

bool diff_write_output(const char *dir, const char *name,
                       const struct interp_tensor *t,
                       const struct interp_options *options,
                       struct diag_sink *sink)
{
    struct dtype f64 = dtype_make(DT_FLOAT, 64, 1);
    const struct column ends[] = {{".lo", f64, low}, {".hi", f64, high}};
    const struct column sizes[] = {{".error", f64, error_of},
                                   {".terms", f64, terms_of}};
    const struct column print = {"", dtype_make(DT_UINT, 64, 1), print_of};
    bool boxes = t->box && dtype_is_float(t->dtype);
    if (interp_domain_is_keyed(options->domain)) {
        struct interp_keyed *k = interp_keyed_new(options);
        bool fine = write_column(dir, name, &print, t, k, sink);
        interp_keyed_free(k);
        return fine;
    }
    if (boxes && options->domain == INTERP_INTERVAL)
        return write_column(dir, name, &ends[0], t, NULL, sink) &&
               write_column(dir, name, &ends[1], t, NULL, sink);
    if (boxes && options->domain == INTERP_BOUND &&
        !(write_column(dir, name, &sizes[0], t, NULL, sink) &&
          write_column(dir, name, &sizes[1], t, NULL, sink)))
        return false;
    return write_tensor(dir, name, "", t, sink);
}

/* ---- terms ------------------------------------------------------------------------- */

/* What an intrinsic combines can be a line of any length. */
static void put_cut(struct buf *out, const char *text)
{
    const size_t most = 160;
    size_t n = strlen(text);
    for (size_t k = most; n > most && k > 0; k--) {
        if (text[k] == ' ') { /* between words, so between characters */
            n = k;
            break;
        }
    }
    buf_append(out, text, n);
    if (text[n])
        buf_puts(out, " …");
}

static void put_term(const struct interp_term *term, size_t number,
                     struct buf *out)
{
    const char *source = *term->source ? term->source : term->text;
    size_t from = out->len;
    buf_printf(out, "  %4zu  ", number);
    put_cut(out, source);
    while (out->len - from < 40)
        buf_putc(out, ' ');
    if (term->known) {
        buf_puts(out, "  = ");
        num_put(out, term->dtype, term->value);
    }
    buf_puts(out, "  makes ");
    num_put(out, term->type, term->bits);
    if (strcmp(source, term->text) != 0) {
        buf_puts(out, "  from ");
        put_cut(out, term->text);
    }
    buf_putc(out, '\n');
}

void diff_put_terms(const char *name, const struct interp_tensor *t,
                    const struct interp_terms *terms, struct buf *out)
{
    buf_puts(out, name);
    interp_put_index(out, t, terms->element);
    buf_puts(out, " = ");
    if (t->state[terms->element] & INTERP_DEFINED)
        num_put(out, dtype_scalar(t->dtype),
                interp_tensor_get(t, terms->element));
    else
        buf_puts(out, "undefined");
    buf_printf(out, ", %zu term%s%s\n", terms->n, terms->n == 1 ? "" : "s",
               terms->truncated ? " and more" : "");
    for (size_t i = 0; i < terms->n; i++)
        put_term(&terms->items[i], i + 1, out);
}
