/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes through the small decoders of ir/base and ir/num: UTF-8, base64,
 * data type names, decimal text of doubles and numbers of every type. The
 * first byte chooses which; the rest is its input. What one accepts must
 * survive encoding and decoding again.
 */
#include "fuzz/fuzz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void check_utf8(const char *text, size_t size)
{
    size_t bad = 0;

    if (!utf8_valid(text, size, &bad) && bad >= size)
        DC_BUG("bad byte %zu of %zu", bad, size);
}

static void check_base64(const char *text, size_t size)
{
    struct buf bytes = {0}, again = {0};

    if (base64_decode(text, size, &bytes)) {
        base64_encode(bytes.data, bytes.len, &again);
        if (again.len != size || (size && memcmp(again.data, text, size) != 0))
            DC_BUG("base64 of %zu bytes changed", size);
    }
    buf_fini(&bytes);
    bytes = (struct buf){0};
    again.len = 0;
    base64_encode(text, size, &again);
    if (!base64_decode(buf_text(&again), again.len, &bytes) ||
        bytes.len != size || (size && memcmp(bytes.data, text, size) != 0))
        DC_BUG("%zu bytes changed in base64", size);
    buf_fini(&bytes);
    buf_fini(&again);
}

static void check_dtype(const char *text)
{
    struct dtype type, again;
    struct buf name = {0};

    if (!dtype_parse(text, &type))
        return;
    dtype_put(&name, type);
    if (!dtype_parse(buf_text(&name), &again) || !dtype_equal(type, again))
        DC_BUG("data type '%s' printed as '%s'", text, buf_text(&name));
    buf_fini(&name);
}

static void check_double(double value)
{
    struct buf text = {0};

    buf_put_double(&text, value);
    if (isfinite(value)) {
        double again = strtod(buf_text(&text), NULL);

        if (memcmp(&again, &value, sizeof value) != 0)
            DC_BUG("%a printed as '%s'", value, buf_text(&text));
    }
    buf_fini(&text);
}

/* Widening to double and back gives the same value, for every float type of
 * at most 64 bits. */
static void check_number(unsigned code, uint64_t bits)
{
    static const struct {
        enum dtype_code code;
        unsigned bits;
    } types[] = {{DT_FLOAT, 16},        {DT_FLOAT, 32},
                 {DT_FLOAT, 64},        {DT_BFLOAT, 16},
                 {DT_FLOAT8_E4M3FN, 8}, {DT_FLOAT8_E5M2, 8},
                 {DT_FLOAT8_E4M3, 8},   {DT_FLOAT8_E3M4, 8}};
    size_t which = code % DC_ARRAY_LEN(types);
    struct dtype type = dtype_make(types[which].code, types[which].bits, 1);
    unsigned flags = 0;
    struct buf text = {0};
    uint64_t again;

    if (type.bits < 64)
        bits &= ((uint64_t)1 << type.bits) - 1;
    again = num_from_double(type, num_to_double(type, bits), &flags);
    if (!num_same(type, bits, again) || (flags & NUM_INEXACT))
        DC_BUG("type %zu: %llx became %llx", which, (unsigned long long)bits,
               (unsigned long long)again);
    num_put(&text, type, bits);
    buf_fini(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buf text = {0};
    uint64_t word = 0;
    double value;

    if (size == 0)
        return 0;
    buf_append(&text, data + 1, size - 1);
    memcpy(&word, data + 1, size - 1 < sizeof word ? size - 1 : sizeof word);
    memcpy(&value, &word, sizeof value);
    switch (data[0] % 5) {
    case 0: check_utf8((const char *)data + 1, size - 1); break;
    case 1: check_base64((const char *)data + 1, size - 1); break;
    case 2: check_dtype(buf_text(&text)); break;
    case 3: check_double(value); break;
    case 4: check_number(data[0] / 5, word); break;
    }
    buf_fini(&text);
    return 0;
}
