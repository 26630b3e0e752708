/* SPDX-License-Identifier: Apache-2.0
 *
 * Values as text for people: the shortest decimal that reads back.
 *
 * For types narrower than double the digits are searched by growing
 * precision; a decimal reads back if, taken as a double (as TVM stores
 * literals) and rounded once to the type, it gives the same bits. At most nine
 * digits are ever needed (fp32). The double nearest that decimal has the same
 * shortest text, so buf_put_double does the writing for all types alike.
 */
#include "ir/num/num_private.h"

#include <stdlib.h>

static void put_float(struct buf *out, const struct float_format *f,
                      uint64_t bits)
{
    double value = float_decode(f, bits);
    if (isnan(value)) {
        buf_puts(out, "nan");
        return;
    }
    if (isfinite(value) && f != &float_format_fp64) {
        for (int digits = 0; digits < 16; digits++) {
            char text[40];
            unsigned ignored = 0;
            snprintf(text, sizeof text, "%.*e", digits, value);
            double read = strtod(text, NULL);
            if (float_round(f, read, &ignored) == bits) {
                value = read;
                break;
            }
        }
    }
    buf_put_double(out, value);
}

void num_put(struct buf *out, struct dtype t, uint64_t bits)
{
    const struct float_format *f = float_format_of(t);
    if (f != NULL) {
        put_float(out, f, bits);
        return;
    }
    switch ((enum dtype_code)t.code) {
    case DT_INT: buf_printf(out, "%lld", (long long)(int64_t)bits); break;
    case DT_BOOL: buf_puts(out, bits != 0 ? "true" : "false"); break;
    case DT_UINT: buf_printf(out, "%llu", (unsigned long long)bits); break;
    default: buf_printf(out, "0x%llx", (unsigned long long)bits); break;
    }
}
