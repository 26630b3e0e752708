/* SPDX-License-Identifier: Apache-2.0
 *
 * Arrays in NumPy's .npy files: the magic "\x93NUMPY", a version, the length
 * of a header, the header (a Python dict literal with the keys 'descr',
 * 'fortran_order' and 'shape', padded with blanks to a line feed) and the raw
 * elements. Versions 1.0, 2.0 and 3.0 are read; 1.0 is written.
 *
 * Types that NumPy lacks (bfloat16, float8, 4-bit integers) travel as their bit
 * patterns: an unsigned or void item of the same size, which the reader's
 * caller names with `as`. Vector elements are one more, innermost dimension.
 *
 * The header is parsed by a small scanner of its own, not evaluated; messages
 * give the byte at which it fails.
 */
#include "interp/interp.h"
#include "ir/base/limits.h"

#include <string.h>

#define MAGIC       "\x93NUMPY"
#define MAGIC_BYTES 6

/* The text of the header; pos and len are bytes of the whole file. */
struct scan {
    const char *path;
    const char *data;
    size_t pos, len;
    struct diag_sink *sink;
};

struct header {
    char order, kind; /* '<', '>', '|', '='; 'f', 'i', … */
    unsigned size;    /* bytes of one item */
    bool fortran;
    size_t rank;
    int64_t shape[DC_MAX_RANK + 1];
    bool has_descr, has_order, has_shape;
};

static bool fail(const struct scan *s, const char *code, const char *message)
{
    return diag_error(s->sink, (struct diag_loc){.file = s->path}, code,
                      "%s at byte %zu", message, s->pos);
}

static void skip_blanks(struct scan *s)
{
    while (s->pos < s->len &&
           (s->data[s->pos] == ' ' || s->data[s->pos] == '\n' ||
            s->data[s->pos] == '\t'))
        s->pos++;
}

static bool accept(struct scan *s, char c)
{
    skip_blanks(s);
    if (s->pos >= s->len || s->data[s->pos] != c)
        return false;
    s->pos++;
    return true;
}

static bool expect(struct scan *s, char c)
{
    if (accept(s, c))
        return true;
    char text[] = "expected '?' in the header";
    text[10] = c;
    return fail(s, "npy.header", text);
}

/* A string literal without escapes into text (size bytes). */
static bool scan_string(struct scan *s, char *text, size_t size)
{
    char quote = accept(s, '"') ? '"' : '\'';
    if (quote == '\'' && !accept(s, '\''))
        return fail(s, "npy.header", "expected a string in the header");
    size_t n = 0;
    while (s->pos < s->len && s->data[s->pos] != quote) {
        if (n + 1 >= size || s->data[s->pos] == '\\')
            return fail(s, "npy.header", "unexpected string in the header");
        text[n++] = s->data[s->pos++];
    }
    text[n] = '\0';
    return expect(s, quote);
}

/* 'descr': '<f4'. Structured types (a list) end here. */
static bool scan_descr(struct scan *s, struct header *h)
{
    char text[16];
    skip_blanks(s);
    if (s->pos < s->len && s->data[s->pos] == '[')
        return fail(s, "npy.dtype", "structured element types are not read");
    size_t start = s->pos;
    if (!scan_string(s, text, sizeof text))
        return false;
    const char *p = text;
    h->order = strchr("<>|=", *p) != NULL && *p != '\0' ? *p++ : '|';
    h->kind = *p != '\0' ? *p++ : '?';
    h->size = 0;
    for (; *p >= '0' && *p <= '9' && h->size < 1000; p++)
        h->size = h->size * 10 + (unsigned)(*p - '0');
    s->pos = *p != '\0' ? start : s->pos;
    h->has_descr = true;
    return *p == '\0' || fail(s, "npy.dtype", "unknown element type");
}

static bool scan_word(struct scan *s, const char *word)
{
    size_t n = strlen(word);
    skip_blanks(s);
    if (s->len - s->pos < n || memcmp(s->data + s->pos, word, n) != 0)
        return false;
    s->pos += n;
    return true;
}

static bool scan_order(struct scan *s, struct header *h)
{
    h->has_order = true;
    h->fortran = scan_word(s, "True");
    return h->fortran || scan_word(s, "False") ||
           fail(s, "npy.header", "expected True or False");
}

static bool scan_int(struct scan *s, int64_t *out)
{
    skip_blanks(s);
    size_t start = s->pos;
    int64_t value = 0;
    for (; s->pos < s->len; s->pos++) {
        char c = s->data[s->pos];
        if (c < '0' || c > '9')
            break;
        if (value > (INT64_MAX - 9) / 10)
            return fail(s, "npy.shape", "dimension is too large");
        value = value * 10 + (c - '0');
    }
    (void)accept(s, 'L'); /* Python 2 wrote long integers so */
    *out = value;
    return s->pos > start || fail(s, "npy.shape", "expected a dimension");
}

/* (), (3,), (3, 4) */
static bool scan_shape(struct scan *s, struct header *h)
{
    h->has_shape = true;
    h->rank = 0;
    if (!expect(s, '('))
        return false;
    while (!accept(s, ')')) {
        if (h->rank > DC_MAX_RANK)
            return fail(s, "npy.shape", "too many dimensions");
        if (!scan_int(s, &h->shape[h->rank++]))
            return false;
        if (!accept(s, ',')) {
            if (!expect(s, ')'))
                return false;
            break;
        }
    }
    return true;
}

static bool scan_dict(struct scan *s, struct header *h)
{
    if (!expect(s, '{'))
        return false;
    while (!accept(s, '}')) {
        char key[24];
        if (!scan_string(s, key, sizeof key) || !expect(s, ':'))
            return false;
        bool fine = false;
        if (strcmp(key, "descr") == 0)
            fine = scan_descr(s, h);
        else if (strcmp(key, "fortran_order") == 0)
            fine = scan_order(s, h);
        else if (strcmp(key, "shape") == 0)
            fine = scan_shape(s, h);
        else
            return fail(s, "npy.header", "unknown key in the header");
        if (!fine)
            return false;
        if (!accept(s, ',')) {
            if (!expect(s, '}'))
                return false;
            break;
        }
    }
    skip_blanks(s);
    if (s->pos != s->len)
        return fail(s, "npy.header", "unexpected text after the header");
    if (!h->has_descr || !h->has_order || !h->has_shape)
        return fail(s, "npy.header",
                    "header lacks descr, fortran_order or "
                    "shape");
    return true;
}

/* Magic, version and header length; gives the place where the data start. */
static bool scan_preamble(struct scan *s, size_t *data_start)
{
    size_t total = s->len;
    if (total < MAGIC_BYTES + 4 || memcmp(s->data, MAGIC, MAGIC_BYTES) != 0)
        return fail(s, "npy.magic", "not a .npy file: no magic number");
    unsigned major = (unsigned char)s->data[MAGIC_BYTES];
    size_t width = major == 1 ? 2 : 4, length = 0;
    s->pos = MAGIC_BYTES;
    if (major < 1 || major > 3)
        return fail(s, "npy.version", "unknown version of the format");
    s->pos = MAGIC_BYTES + 2;
    if (total < s->pos + width)
        return fail(s, "npy.header", "file ends in the header");
    for (size_t i = width; i-- > 0;)
        length = length << 8 | (unsigned char)s->data[s->pos + i];
    s->pos += width;
    if (length > total - s->pos)
        return fail(s, "npy.header", "file ends in the header");
    *data_start = s->pos + length;
    s->len = *data_start;
    return true;
}

/* The type that the file itself names; DT_VOID when it has none of ours. */
static struct dtype natural_type(const struct header *h)
{
    unsigned bits = h->size * 8;
    bool whole = h->size == 1 || h->size == 2 || h->size == 4 || h->size == 8;
    if (h->kind == 'b' && h->size == 1)
        return DTYPE_BOOL;
    if (h->kind == 'i' && whole)
        return dtype_make(DT_INT, bits, 1);
    if (h->kind == 'u' && whole)
        return dtype_make(DT_UINT, bits, 1);
    if (h->kind == 'f' && whole && h->size != 1)
        return dtype_make(DT_FLOAT, bits, 1);
    return DTYPE_VOID;
}

bool npy_is_native(struct dtype t)
{
    unsigned bits = t.bits;
    bool whole = bits == 8 || bits == 16 || bits == 32 || bits == 64;
    return t.code == DT_BOOL || (dtype_is_int(t) && whole) ||
           t.code == DT_FLOAT;
}

/* Decides the element type from the header and the caller's wish. */
static bool choose_type(const struct scan *s, const struct header *h,
                        struct dtype as, struct dtype *out)
{
    struct dtype own = natural_type(h);
    char text[48];
    struct diag_loc loc = {.file = s->path};
    *out = own;
    if (as.code == DT_VOID)
        return own.code != DT_VOID ||
               diag_error(s->sink, loc, "npy.dtype",
                          "element type '%c%u' has no counterpart: expected "
                          "bool, int, uint or float",
                          h->kind, h->size);
    struct dtype want = dtype_scalar(as);
    *out = want;
    if (dtype_equal(own, want))
        return true;
    bool raw = h->kind == 'u' || h->kind == 'V' ||
               (h->kind == 'f' && h->size == 1) ||
               (h->kind == 'i' && want.code == DT_INT);
    if (!npy_is_native(want) && raw && h->size <= 8 &&
        h->size == dtype_lane_bytes(want))
        return true;
    struct buf found = {0};
    if (own.code != DT_VOID)
        buf_puts(&found, dtype_name(own, text));
    else
        buf_printf(&found, "'%c%u'", h->kind, h->size);
    bool fine = diag_error(s->sink, loc, "npy.dtype",
                           "element type is %s, expected %s%s",
                           buf_text(&found), dtype_name(want, text),
                           npy_is_native(want) ? "" : " or its bit pattern");
    buf_fini(&found);
    return fine;
}

/* One element; big-endian items are turned round first. */
static bool read_element(const struct header *h, struct dtype t,
                         const unsigned char *p, uint64_t *out)
{
    unsigned char item[8] = {0};
    for (unsigned i = 0; i < h->size; i++)
        item[i] = p[h->order == '>' ? h->size - 1 - i : i];
    *out = num_load(t, item);
    return t.code != DT_BOOL || item[0] <= 1;
}

/* Of an element in memory, with its state; a third for what is made of it. */
#define ELEMENT_BYTES 12u

/* Whether the file holds as many bytes as the shape needs, and these fit: asked
 * before anything of that size is made. */
static bool check_size(const struct scan *s, const struct header *h,
                       size_t bytes)
{
    struct diag_loc loc = {.file = s->path};
    size_t n = 1;
    bool empty = false, fits = bytes % h->size == 0;
    for (size_t d = 0; d < h->rank; d++)
        empty = empty || h->shape[d] == 0;
    for (size_t d = 0; d < h->rank && !empty && fits; d++) {
        fits = (uint64_t)h->shape[d] <= bytes / h->size / n;
        n *= fits ? (size_t)h->shape[d] : 1;
    }
    if (!fits || (empty ? 0 : n) != bytes / h->size)
        return diag_error(s->sink, loc, "npy.size",
                          "file holds %zu bytes of data, not what its shape "
                          "needs",
                          bytes);
    return dc_memory_fits(n * ELEMENT_BYTES) ||
           diag_error(s->sink, loc, "npy.memory",
                      "the array does not fit what '--max-memory' leaves");
}

static struct interp_tensor *read_data(struct scan *s, struct header *h,
                                       struct dtype scalar, struct dtype as,
                                       size_t start, size_t total)
{
    unsigned lanes = as.code != DT_VOID && as.lanes > 1 ? as.lanes : 1;
    struct diag_loc loc = {.file = s->path};
    if (lanes > 1 && (h->rank == 0 || h->shape[h->rank - 1] != lanes)) {
        diag_error(s->sink, loc, "npy.shape",
                   "innermost dimension is not the %u lanes of the type",
                   lanes);
        return NULL;
    }
    size_t rank = h->rank - (lanes > 1);
    if (!check_size(s, h, total - start))
        return NULL;
    struct interp_tensor *t =
        interp_tensor_new(dtype_with_lanes(scalar, lanes), rank, h->shape);
    if (t == NULL) {
        diag_error(s->sink, loc, "npy.size",
                   "array of more dimensions or elements than are read");
        return NULL;
    }
    const unsigned char *p = (const unsigned char *)s->data + start;
    for (size_t i = 0; i < t->elements; i++, p += h->size) {
        t->state[i] = INTERP_DEFINED;
        uint64_t bits = 0;
        if (read_element(h, scalar, p, &bits)) {
            interp_tensor_set(t, i, bits);
            continue;
        }
        diag_error(s->sink, loc, "npy.bool",
                   "bool element %zu is neither 0 nor 1", i);
        interp_tensor_free(t);
        return NULL;
    }
    return t;
}

struct interp_tensor *npy_read(const char *path, struct dtype as,
                               struct diag_sink *sink)
{
    struct buf text = {0};
    struct interp_tensor *t = NULL;
    struct header h = {0};
    struct dtype scalar;
    size_t start = 0;
    if (!file_read(path, 0, &text, sink))
        goto out;
    struct scan s = {path, buf_text(&text), 0, text.len, sink};
    if (!scan_preamble(&s, &start) || !scan_dict(&s, &h))
        goto out;
    if (h.fortran) {
        diag_error(sink, (struct diag_loc){.file = path}, "npy.order",
                   "array is in Fortran order, expected C order");
        goto out;
    }
    if (choose_type(&s, &h, as, &scalar))
        t = read_data(&s, &h, scalar, as, start, text.len);
out:
    buf_fini(&text);
    return t;
}

/* "<f4", or an unsigned item for what NumPy cannot name. */
static void put_descr(struct buf *out, struct dtype t)
{
    size_t size = dtype_lane_bytes(t);
    char kind = 'u';
    if (t.code == DT_BOOL)
        kind = 'b';
    else if (t.code == DT_INT)
        kind = 'i';
    else if (t.code == DT_FLOAT)
        kind = 'f';
    buf_printf(out, "%c%c%zu", size == 1 ? '|' : '<', kind, size);
}

static void put_header(struct buf *out, const struct interp_tensor *t)
{
    struct buf dict = {0};
    size_t rank = t->rank + (t->dtype.lanes > 1);
    buf_puts(&dict, "{'descr': '");
    put_descr(&dict, dtype_scalar(t->dtype));
    buf_puts(&dict, "', 'fortran_order': False, 'shape': (");
    for (size_t i = 0; i < rank; i++)
        buf_printf(
            &dict, "%s%lld", i == 0 ? "" : ", ",
            (long long)(i < t->rank ? t->shape[i] : (int64_t)t->dtype.lanes));
    buf_puts(&dict, rank == 1 ? ",), }" : "), }");
    while ((MAGIC_BYTES + 4 + dict.len + 1) % 64 != 0)
        buf_putc(&dict, ' ');
    buf_putc(&dict, '\n');
    buf_append(out, MAGIC "\x01\x00", MAGIC_BYTES + 2);
    buf_putc(out, (char)(dict.len & 255));
    buf_putc(out, (char)(dict.len >> 8 & 255));
    buf_append(out, dict.data, dict.len);
    buf_fini(&dict);
}

bool npy_write(const char *path, const struct interp_tensor *t,
               struct diag_sink *sink)
{
    struct dtype scalar = dtype_scalar(t->dtype);
    size_t size = dtype_lane_bytes(scalar);
    char name[48];
    if (size != 1 && size != 2 && size != 4 && size != 8)
        return diag_error(sink, (struct diag_loc){.file = path}, "npy.dtype",
                          "elements of type %s have no .npy form",
                          dtype_name(scalar, name));
    struct buf out = {0};
    put_header(&out, t);
    for (size_t i = 0; i < t->elements; i++) {
        unsigned char item[8] = {0};
        num_store(scalar, item, interp_tensor_get(t, i));
        buf_append(&out, item, size);
    }
    bool fine = file_write_one(path, out.data, out.len, sink);
    buf_fini(&out);
    return fine;
}
