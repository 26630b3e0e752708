/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers and arrays as Python text.
 *
 * Floats are written such that the double that Python reads is the value, so that
 * whatever it is converted to afterwards rounds nothing. An array is zeros and what
 * is not, where that is short, else a list, else a file of the folder.
 */
#include "diff/saved/bundle.h"
#include "ir/base/limits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SET  8u  /* elements that are set one by one */
#define MAX_LIST 32u /* elements of a list */

const char *bundle_type_refused(struct dtype t)
{
    if (t.lanes != 1 || t.scalable)
        return "elements that are vectors";
    if (t.code == DT_HANDLE || t.code == DT_VOID)
        return "a parameter that is a handle";
    if (t.code != DT_BOOL && (t.bits < 8 || t.bits > 64))
        return "a type of fewer than 8 bits, or more than 64";
    return NULL;
}

void bundle_put_double(struct buf *out, double value)
{
    if (isnan(value))
        buf_puts(out, "np.nan");
    else if (isinf(value))
        buf_puts(out, value < 0 ? "-np.inf" : "np.inf");
    else
        buf_put_double(out, value);
}

static void put_float(struct buf *out, struct dtype t, uint64_t bits)
{
    double value = num_to_double(t, bits);
    struct buf text = {0};
    num_put(&text, t, bits);
    if (isfinite(value) && strtod(buf_text(&text), NULL) == value)
        buf_puts(out, buf_text(&text));
    else
        bundle_put_double(out, value);
    buf_fini(&text);
}

void bundle_put_number(struct buf *out, struct dtype t, uint64_t bits)
{
    if (t.code == DT_BOOL)
        buf_puts(out, bits ? "True" : "False");
    else if (dtype_is_float(t))
        put_float(out, t, bits);
    else
        num_put(out, t, bits);
}

void bundle_put_index(struct buf *out, const struct interp_tensor *t,
                      size_t element)
{
    int64_t index[DC_MAX_RANK];
    for (size_t d = t->rank; d-- > 0;) {
        size_t extent = t->shape[d] > 0 ? (size_t)t->shape[d] : 1;
        index[d] = (int64_t)(element % extent);
        element /= extent;
    }
    buf_putc(out, '[');
    for (size_t d = 0; d < t->rank; d++)
        buf_printf(out, "%s%lld", d ? ", " : "", (long long)index[d]);
    buf_puts(out, t->rank ? "]" : "()]");
}

static void put_shape(struct buf *out, const struct interp_tensor *t)
{
    buf_putc(out, '(');
    for (size_t d = 0; d < t->rank; d++)
        buf_printf(out, "%s%lld", d ? ", " : "", (long long)t->shape[d]);
    buf_puts(out, t->rank == 1 ? ",)" : ")");
}

static size_t count_set(const struct interp_tensor *t)
{
    size_t n = 0;
    for (size_t i = 0; i < t->elements; i++)
        n += interp_tensor_get(t, i) != 0;
    return n;
}

static bool is_constant(const struct interp_tensor *t)
{
    for (size_t i = 1; i < t->elements; i++)
        if (interp_tensor_get(t, i) != interp_tensor_get(t, 0))
            return false;
    return t->elements > 0;
}

static void put_zeros(struct buf *out, const char *variable, const char *type,
                      const struct interp_tensor *t)
{
    buf_printf(out, "%s = np.zeros(", variable);
    put_shape(out, t);
    buf_printf(out, ", \"%s\")\n", type);
    for (size_t i = 0; i < t->elements; i++) {
        uint64_t bits = interp_tensor_get(t, i);
        if (bits == 0)
            continue;
        buf_printf(out, "    %s", variable);
        bundle_put_index(out, t, i);
        buf_puts(out, " = ");
        bundle_put_number(out, t->dtype, bits);
        buf_putc(out, '\n');
    }
}

static void put_list(struct buf *out, const char *variable, const char *type,
                     const struct interp_tensor *t)
{
    buf_printf(out, "%s = np.array([", variable);
    for (size_t i = 0; i < t->elements; i++) {
        buf_puts(out, i ? ", " : "");
        bundle_put_number(out, t->dtype, interp_tensor_get(t, i));
    }
    buf_printf(out, "], \"%s\")", type);
    if (t->rank != 1) {
        buf_puts(out, ".reshape(");
        put_shape(out, t);
        buf_putc(out, ')');
    }
    buf_putc(out, '\n');
}

bool bundle_put_array(struct buf *out, const char *variable, const char *folder,
                      const char *file, const struct interp_tensor *t)
{
    char type[48];
    (void)dtype_name(t->dtype, type);
    buf_puts(out, "    ");
    if (count_set(t) <= MAX_SET) {
        put_zeros(out, variable, type, t);
    } else if (is_constant(t)) {
        buf_printf(out, "%s = np.full(", variable);
        put_shape(out, t);
        buf_puts(out, ", ");
        bundle_put_number(out, t->dtype, interp_tensor_get(t, 0));
        buf_printf(out, ", \"%s\")\n", type);
    } else if (t->elements <= MAX_LIST) {
        put_list(out, variable, type, t);
    } else {
        buf_printf(out, "%s = np.load(os.path.join(HERE, \"%s\", \"%s.npy\"))",
                   variable, folder, file);
        if (!npy_is_native(t->dtype))
            buf_printf(out, ".view(\"%s\")", type);
        buf_putc(out, '\n');
        return true;
    }
    return false;
}
