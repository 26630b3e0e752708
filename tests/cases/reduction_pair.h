/* SPDX-License-Identifier: Apache-2.0
 *
 * Pairs of reductions: rows of terms combined by max, min, a sum, a product,
 * `and` or `or`; the tuned side walks through the terms in another way, and
 * one term, or one of each tile, is lost, doubled or changed. Each pair is a
 * function of its seed.
 *
 * A pair whose fault changes no result (a term doubled under max, min, and,
 * or) is not made.
 */
#ifndef DC_TESTS_CASES_REDUCTION_PAIR_H
#define DC_TESTS_CASES_REDUCTION_PAIR_H

#include "ir/ir.h"
#include "tests/test.h"

#include <string.h>

enum red_op {
    RED_MAX,
    RED_MIN,
    RED_SUM,
    RED_PROD,
    RED_AND,
    RED_OR,
    RED_ARGMAX, /* with its position, by a condition */
    RED_NOPS
};
/* Of the tuned side. */
enum red_form {
    RED_PLAIN,    /* as the untuned one */
    RED_TILED,    /* two loops, the last tile cut off by a guard */
    RED_RFACTOR,  /* partial results of lanes, in scratch, then one of these */
    RED_REVERSED, /* from the last term to the first */
    RED_TWO,      /* even and odd terms in two accumulators */
    RED_FIRST,    /* starts from the first term */
    RED_THREADS,  /* a thread for each lane, partial results are shared */
    RED_NFORMS
};
enum red_fault {
    RED_NONE,
    RED_LOST,     /* one term */
    RED_LOST_GAP, /* the last term of each tile */
    RED_DOUBLED,  /* one term (of sums and products) */
    RED_OTHER,    /* another term in its place */
    RED_ROW,      /* the term of another row in its place */
    RED_SHIFTED,  /* each term is the next one, the last one itself */
    RED_RAISED,   /* its value is one more */
    RED_LOWERED,  /* its value is one less */
    RED_OPERATOR, /* it is combined by another operator */
    RED_NFAULTS
};
struct red_pair {
    uint64_t seed;
    enum red_op op;
    enum red_form form;
    enum red_fault fault;
    const char *type;
    bool weighted; /* terms are products with W[k] */
    bool one_row;  /* the fault is in row `row` alone */
    int rows, naxes, extent[3], terms, tile, row, at, other;
};

static const char *const red_op_names[RED_NOPS] = {
    "max", "min", "sum", "prod", "and", "or", "argmax"};
static const char *const red_form_names[RED_NFORMS] = {
    "plain", "tiled", "rfactor", "reversed", "two", "first", "threads"};
static const char *const red_fault_names[RED_NFAULTS] = {
    "none", "lost",    "lost-gap", "doubled", "other",
    "row",  "shifted", "raised",   "lowered", "operator"};

/* ---- choice ------------------------------------------------------------------- */

static uint64_t red_draw(uint64_t *state, uint64_t n)
{
    *state = hash_mix(*state, 1);
    return (*state >> 11) % n;
}

static bool red_is_float(const struct red_pair *p)
{
    return strstr(p->type, "float") != NULL;
}

static bool red_is_bool(const struct red_pair *p)
{
    return strcmp(p->type, "bool") == 0;
}

static bool red_is_bits(const struct red_pair *p)
{
    return p->op == RED_AND || p->op == RED_OR;
}

static void red_choose_type(struct red_pair *p, uint64_t *s)
{
    static const char *const types[] = {"float32", "int32",  "float16", "int64",
                                        "int8",    "uint8",  "float64", "int16",
                                        "uint32",  "uint16", "bool"};
    do
        p->type = types[red_draw(s, DC_ARRAY_LEN(types))];
    while (red_is_bits(p) ? red_is_float(p) : red_is_bool(p));
}

static void red_choose_shape(struct red_pair *p, uint64_t *s)
{
    static const int rows[] = {1, 2, 3, 8, 64, 257};
    /* the number of terms, even on a scale of powers of two */
    int most = 4 << red_draw(s, 11);
    int terms = most - (most > 4 ? (int)red_draw(s, (uint64_t)most / 2) : 0);
    p->naxes = 1 + (int)red_draw(s, 3);
    p->extent[0] = terms;
    for (int i = 1; i < p->naxes; i++) {
        int part = 2 + (int)red_draw(s, 6);
        if (p->extent[0] / part < 2) {
            p->naxes = i;
            break;
        }
        p->extent[0] /= part;
        p->extent[i] = part;
    }
    p->terms = 1;
    for (int i = 0; i < p->naxes; i++)
        p->terms *= p->extent[i];
    do
        p->rows = rows[red_draw(s, DC_ARRAY_LEN(rows))];
    while (p->rows * p->terms > 65536);
    do
        p->tile = 2 << red_draw(s, 6);
    while (p->tile >= p->terms);
}

/* First, last, the corners of a tile, or any. */
static int red_choose_term(const struct red_pair *p, uint64_t *s)
{
    int tile = (int)red_draw(s, (uint64_t)(p->terms / p->tile)) * p->tile;
    switch (red_draw(s, 8)) {
    case 0: return 0;
    case 1: return p->terms - 1;
    case 2: return tile;
    case 3: return tile + p->tile - 1;
    default: return (int)red_draw(s, (uint64_t)p->terms);
    }
}

static bool red_makes_sense(const struct red_pair *p)
{
    bool adds = p->op == RED_SUM || p->op == RED_PROD;
    bool value = p->fault == RED_RAISED || p->fault == RED_LOWERED;
    if (red_is_bool(p) && value)
        return false;
    /* the first of equal maxima counts, so the order stays */
    if (p->op == RED_ARGMAX &&
        ((p->form != RED_PLAIN && p->form != RED_TILED) ||
         p->fault == RED_OPERATOR))
        return false;
    if (p->fault == RED_NONE || (p->fault == RED_DOUBLED && !adds))
        return false;
    if (p->fault == RED_ROW && p->rows == 1)
        return false;
    /* the term that the accumulator starts with is no update */
    if (p->form == RED_FIRST && p->at == 0 &&
        (p->fault == RED_LOST || p->fault == RED_DOUBLED ||
         p->fault == RED_OPERATOR))
        return false;
    return !(p->weighted && red_is_bits(p));
}

static struct red_pair red_pair_of(uint64_t seed)
{
    struct red_pair p = {.seed = seed};
    uint64_t s = hash_mix(seed, 0x7265);
    do {
        p.op = (enum red_op)red_draw(&s, RED_NOPS);
        red_choose_type(&p, &s);
        red_choose_shape(&p, &s);
        p.form = (enum red_form)red_draw(&s, RED_NFORMS);
        p.fault = (enum red_fault)red_draw(&s, RED_NFAULTS);
        p.weighted = red_draw(&s, 4) == 0;
        p.one_row = red_draw(&s, 3) == 0;
        p.row = (int)red_draw(&s, (uint64_t)p.rows);
        p.at = red_choose_term(&p, &s);
        p.other =
            (p.at + 1 + (int)red_draw(&s, (uint64_t)p.terms - 1)) % p.terms;
    } while (!red_makes_sense(&p));
    return p;
}

/* ---- text ---------------------------------------------------------------------- */

static void red_put_shape(const struct red_pair *p, bool rows, struct buf *out)
{
    buf_putc(out, '(');
    if (rows)
        buf_printf(out, "%d, ", p->rows);
    for (int i = 0; i < p->naxes; i++)
        buf_printf(out, "%d, ", p->extent[i]);
    buf_putc(out, ')');
}

static void red_put_header(const struct red_pair *p, struct buf *out)
{
    buf_puts(out, "from tvm.script import tirx as T\n\n"
                  "@T.prim_func(s_tir=True)\ndef main(A: T.Buffer(");
    red_put_shape(p, true, out);
    buf_printf(out, ", \"%s\")", p->type);
    if (p->weighted) {
        buf_puts(out, ", W: T.Buffer(");
        red_put_shape(p, false, out);
        buf_printf(out, ", \"%s\")", p->type);
    }
    buf_printf(out, ", B: T.Buffer((%d,), \"%s\")", p->rows, p->type);
    if (p->op == RED_ARGMAX)
        buf_printf(out, ", J: T.Buffer((%d,), \"int32\")", p->rows);
    buf_puts(out, "):\n");
}

static void red_put_identity(const struct red_pair *p, struct buf *out)
{
    if (red_is_bool(p)) {
        buf_puts(out, p->op == RED_AND ? "T.bool(True)" : "T.bool(False)");
        return;
    }
    switch (p->op) {
    case RED_ARGMAX:
    case RED_MAX:
        if (red_is_float(p))
            buf_printf(out, "T.%s(\"-inf\")", p->type);
        else
            buf_printf(out, "T.min_value(\"%s\")", p->type);
        break;
    case RED_MIN:
        if (red_is_float(p))
            buf_printf(out, "T.%s(\"inf\")", p->type);
        else
            buf_printf(out, "T.max_value(\"%s\")", p->type);
        break;
    case RED_SUM:
    case RED_OR: buf_printf(out, "T.%s(0)", p->type); break;
    case RED_PROD: buf_printf(out, "T.%s(1)", p->type); break;
    case RED_AND: buf_printf(out, "T.bitwise_not(T.%s(0))", p->type); break;
    case RED_NOPS: break;
    }
}

/* The two combined; changed: by another operator. */
static void red_put_combined(const struct red_pair *p, bool changed,
                             const char *a, const char *b, struct buf *out)
{
    static const char *const forms[2][RED_NOPS] = {
        {"T.max(%s, %s)", "T.min(%s, %s)", "%s + %s", "%s * %s",
         "T.bitwise_and(%s, %s)", "T.bitwise_or(%s, %s)", ""},
        {"T.min(%s, %s)", "T.max(%s, %s)", "%s - %s", "%s + %s",
         "T.bitwise_or(%s, %s)", "T.bitwise_and(%s, %s)", ""}};
    bool both = (p->op == RED_AND) != changed;
    const char *rest = red_is_bool(p) ? both ? "(%s and %s)" : "(%s or %s)"
                                      : forms[changed][p->op];
    const char *at = strstr(rest, "%s");
    buf_append(out, rest, (size_t)(at - rest));
    buf_puts(out, a);
    rest = at + 2;
    at = strstr(rest, "%s");
    buf_append(out, rest, (size_t)(at - rest));
    buf_puts(out, b);
    buf_puts(out, at + 2);
}

static void red_put_load(const struct red_pair *p, const char *name,
                         const char *row, const char *flat, struct buf *out)
{
    int below = p->terms;
    buf_printf(out, "%s[", name);
    if (row != NULL)
        buf_printf(out, "%s, ", row);
    for (int i = 0; i < p->naxes; i++) {
        below /= p->extent[i];
        if (p->naxes == 1)
            buf_puts(out, flat);
        else if (i == 0)
            buf_printf(out, "(%s) // %d", flat, below);
        else if (below == 1)
            buf_printf(out, ", (%s) %% %d", flat, p->extent[i]);
        else
            buf_printf(out, ", (%s) // %d %% %d", flat, below, p->extent[i]);
    }
    buf_putc(out, ']');
}

/* Whether it is the term at fault: "(k == 5 and i == 1)". */
static void red_put_here(const struct red_pair *p, const char *flat,
                         struct buf *out)
{
    buf_printf(out, "%s == %d", flat, p->at);
    if (p->one_row)
        buf_printf(out, " and i == %d", p->row);
}

/* Term number `flat` of row i. */
static void red_put_term(const struct red_pair *p, bool faulty,
                         const char *flat, struct buf *out)
{
    struct buf here = {0}, index = {0}, row = {0}, value = {0};
    enum red_fault fault = faulty ? p->fault : RED_NONE;
    red_put_here(p, flat, &here);
    buf_puts(&index, "");
    if (fault == RED_OTHER)
        buf_printf(&index, "T.if_then_else(%s, %d, %s)", buf_text(&here),
                   p->other, flat);
    else if (fault == RED_SHIFTED)
        buf_printf(&index, "T.min(%s + 1, %d)", flat, p->terms - 1);
    else
        buf_puts(&index, flat);
    if (fault == RED_ROW)
        buf_printf(&row, "T.if_then_else(%s, (i + 1) %% %d, i)",
                   buf_text(&here), p->rows);
    else
        buf_puts(&row, "i");
    red_put_load(p, "A", buf_text(&row), buf_text(&index), &value);
    if (p->weighted) {
        buf_puts(&value, " * ");
        red_put_load(p, "W", NULL, buf_text(&index), &value);
    }
    if (fault == RED_RAISED || fault == RED_LOWERED)
        buf_printf(out, "T.if_then_else(%s, %s %c T.%s(1), %s)",
                   buf_text(&here), buf_text(&value),
                   fault == RED_RAISED ? '+' : '-', p->type, buf_text(&value));
    else
        buf_puts(out, buf_text(&value));
    buf_fini(&here);
    buf_fini(&index);
    buf_fini(&row);
    buf_fini(&value);
}

static void red_put_join(const struct red_pair *p, bool changed, int indent,
                         const char *to, const char *with, struct buf *out)
{
    buf_printf(out, "%*s%s = ", indent, "", to);
    red_put_combined(p, changed, to, with, out);
    buf_putc(out, '\n');
}

/* to = to ⊕ term, under what guards it; at `indent`. */
static void red_put_update(const struct red_pair *p, bool faulty, int indent,
                           const char *to, const char *flat, const char *guard,
                           struct buf *out)
{
    struct buf term = {0}, here = {0};
    enum red_fault fault = faulty ? p->fault : RED_NONE;
    red_put_here(p, flat, &here);
    if (guard != NULL) {
        buf_printf(out, "%*sif %s:\n", indent, "", guard);
        indent += 4;
    }
    if (fault == RED_LOST) {
        buf_printf(out, "%*sif not (%s):\n", indent, "", buf_text(&here));
        indent += 4;
    } else if (fault == RED_LOST_GAP) {
        buf_printf(out, "%*sif (%s) %% %d != %d:\n", indent, "", flat, p->tile,
                   p->tile - 1);
        indent += 4;
    }
    red_put_term(p, faulty, flat, &term);
    if (fault == RED_OPERATOR) {
        buf_printf(out, "%*sif %s:\n", indent, "", buf_text(&here));
        red_put_join(p, true, indent + 4, to, buf_text(&term), out);
        buf_printf(out, "%*selse:\n", indent, "");
        indent += 4;
    }
    if (p->op == RED_ARGMAX)
        buf_printf(out, "%*sif %s > %s:\n%*sJ[i] = %s\n%*s%s = %s\n", indent,
                   "", buf_text(&term), to, indent + 4, "", flat, indent + 4,
                   "", to, buf_text(&term));
    else
        red_put_join(p, false, indent, to, buf_text(&term), out);
    if (fault == RED_DOUBLED) {
        buf_printf(out, "%*sif %s:\n", indent, "", buf_text(&here));
        red_put_join(p, false, indent + 4, to, buf_text(&term), out);
    }
    buf_fini(&term);
    buf_fini(&here);
}

/* ---- bodies ---------------------------------------------------------------------- */

static void red_put_start(const struct red_pair *p, int indent, const char *to,
                          struct buf *out)
{
    buf_printf(out, "%*s%s = ", indent, "", to);
    red_put_identity(p, out);
    buf_putc(out, '\n');
    if (p->op == RED_ARGMAX)
        buf_printf(out, "%*sJ[i] = 0\n", indent, "");
}

/* One loop over all terms, however they are numbered. */
static void red_put_serial(const struct red_pair *p, bool faulty,
                           struct buf *out)
{
    struct buf flat = {0};
    bool first = faulty && p->form == RED_FIRST;
    if (faulty && p->form == RED_REVERSED)
        buf_printf(&flat, "%d - k", p->terms - 1);
    else
        buf_puts(&flat, "k");
    buf_printf(out, "    for i in range(%d):\n", p->rows);
    if (first) {
        buf_puts(out, "        B[i] = ");
        red_put_term(p, faulty, "0", out);
        buf_putc(out, '\n');
    } else {
        red_put_start(p, 8, "B[i]", out);
    }
    buf_printf(out, "        for k in range(%d, %d):\n", first ? 1 : 0,
               p->terms);
    red_put_update(p, faulty, 12, "B[i]", buf_text(&flat), NULL, out);
    buf_fini(&flat);
}

static void red_put_tiled(const struct red_pair *p, struct buf *out)
{
    struct buf flat = {0}, guard = {0};
    buf_printf(&flat, "ko * %d + ki", p->tile);
    if (p->terms % p->tile != 0)
        buf_printf(&guard, "ko * %d + ki < %d", p->tile, p->terms);
    buf_printf(out, "    for i in range(%d):\n", p->rows);
    red_put_start(p, 8, "B[i]", out);
    buf_printf(out, "        for ko, ki in T.grid(%d, %d):\n",
               (p->terms + p->tile - 1) / p->tile, p->tile);
    red_put_update(p, true, 12, "B[i]", buf_text(&flat),
                   guard.len > 0 ? buf_text(&guard) : NULL, out);
    buf_fini(&flat);
    buf_fini(&guard);
}

/* Lane l combines the terms l, l + tile, ...; then the lanes are combined. */
static void red_put_rfactor(const struct red_pair *p, struct buf *out)
{
    struct buf flat = {0}, guard = {0};
    buf_printf(&flat, "ko * %d + l", p->tile);
    buf_printf(&guard, "ko * %d + l < %d", p->tile, p->terms);
    buf_printf(out, "    S = T.alloc_buffer((%d,), \"%s\", scope=\"local\")\n",
               p->tile, p->type);
    buf_printf(out, "    for i in range(%d):\n        for l in range(%d):\n",
               p->rows, p->tile);
    red_put_start(p, 12, "S[l]", out);
    buf_printf(out, "            for ko in range(%d):\n",
               (p->terms + p->tile - 1) / p->tile);
    red_put_update(p, true, 16, "S[l]", buf_text(&flat), buf_text(&guard), out);
    red_put_start(p, 8, "B[i]", out);
    buf_printf(out, "        for l in range(%d):\n", p->tile);
    red_put_join(p, false, 12, "B[i]", "S[l]", out);
    buf_fini(&flat);
    buf_fini(&guard);
}

static void red_put_two(const struct red_pair *p, struct buf *out)
{
    buf_printf(out, "    S = T.alloc_buffer((2,), \"%s\", scope=\"local\")\n",
               p->type);
    buf_printf(out, "    for i in range(%d):\n", p->rows);
    red_put_start(p, 8, "S[0]", out);
    red_put_start(p, 8, "S[1]", out);
    buf_printf(out, "        for k in range(%d):\n", (p->terms + 1) / 2);
    red_put_update(p, true, 12, "S[0]", "k * 2", NULL, out);
    char guard[48];
    (void)snprintf(guard, sizeof guard, "k * 2 + 1 < %d", p->terms);
    red_put_update(p, true, 12, "S[1]", "k * 2 + 1", guard, out);
    buf_puts(out, "        B[i] = ");
    red_put_combined(p, false, "S[0]", "S[1]", out);
    buf_putc(out, '\n');
}

/* A block for each row and a thread for each lane. */
static void red_put_threads(const struct red_pair *p, struct buf *out)
{
    struct buf flat = {0}, guard = {0};
    buf_printf(&flat, "ko * %d + l", p->tile);
    buf_printf(&guard, "ko * %d + l < %d", p->tile, p->terms);
    buf_printf(out,
               "    i = T.launch_thread(\"blockIdx.x\", %d)\n"
               "    S = T.alloc_buffer((%d,), \"%s\", scope=\"shared\")\n"
               "    L = T.alloc_buffer((1,), \"%s\", scope=\"local\")\n"
               "    l = T.launch_thread(\"threadIdx.x\", %d)\n",
               p->rows, p->tile, p->type, p->type, p->tile);
    red_put_start(p, 4, "L[0]", out);
    buf_printf(out, "    for ko in range(%d):\n",
               (p->terms + p->tile - 1) / p->tile);
    red_put_update(p, true, 8, "L[0]", buf_text(&flat), buf_text(&guard), out);
    buf_puts(out, "    S[l] = L[0]\n"
                  "    T.tvm_storage_sync(\"shared\")\n"
                  "    if l == 0:\n");
    red_put_start(p, 8, "L[0]", out);
    buf_printf(out, "        for k in range(%d):\n", p->tile);
    red_put_join(p, false, 12, "L[0]", "S[k]", out);
    buf_puts(out, "        B[i] = L[0]\n");
    buf_fini(&flat);
    buf_fini(&guard);
}

static void red_put(const struct red_pair *p, bool tuned, struct buf *out)
{
    red_put_header(p, out);
    switch (tuned ? p->form : RED_PLAIN) {
    case RED_PLAIN:
    case RED_REVERSED:
    case RED_FIRST: red_put_serial(p, tuned, out); break;
    case RED_TILED: red_put_tiled(p, out); break;
    case RED_RFACTOR: red_put_rfactor(p, out); break;
    case RED_TWO: red_put_two(p, out); break;
    case RED_THREADS: red_put_threads(p, out); break;
    case RED_NFORMS: break;
    }
}

/* "seed 7: max of 3 x 37 float16, tiled by 8, term 5 lost" */
static void red_describe(const struct red_pair *p, struct buf *out)
{
    buf_printf(out, "seed %llu: %s of %d x %d%s %s, %s by %d, %s at %d",
               (unsigned long long)p->seed, red_op_names[p->op], p->rows,
               p->terms, p->weighted ? " weighted" : "", p->type,
               red_form_names[p->form], p->tile, red_fault_names[p->fault],
               p->at);
    if (p->one_row)
        buf_printf(out, " of row %d", p->row);
}

#endif
