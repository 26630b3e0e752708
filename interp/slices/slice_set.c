/* SPDX-License-Identifier: Apache-2.0
 *
 * The data structures under slices: a bitmap with levels of summary bits, in
 * which the next member is found in a few steps however sparse it is; boxes
 * of row-major cells; and integer intervals.
 *
 * A box meets a set is decided by leapfrogging: the next member at or after a
 * place, then the next place of the box at or after that member, and so on.
 * After MAX_LEAPS without an answer the answer is "may", so callers must take
 * true as a possibility.
 */
#include "interp/slices/slice_set.h"

#define MAX_LEAPS 512
/* Rows of a box that are added one by one; beyond, its whole span is. */
#define MAX_ROWS ((size_t)1 << 22)

/* ---- cells ------------------------------------------------------------------ */

void cell_set_init(struct cell_set *set, size_t n)
{
    *set = (struct cell_set){.n = n};
    size_t words = n;
    do {
        words = words / 64 + 1;
        set->nwords[set->nlevels] = words;
        set->level[set->nlevels++] = dc_alloc(words * sizeof(uint64_t));
    } while (words > 1 && set->nlevels < DC_ARRAY_LEN(set->level));
}

void cell_set_fini(struct cell_set *set)
{
    for (unsigned i = 0; i < set->nlevels; i++)
        dc_release(set->level[i]);
    set->nlevels = 0;
}

bool cell_set_has(const struct cell_set *set, size_t cell)
{
    return cell < set->n && (set->level[0][cell / 64] >> (cell % 64) & 1) != 0;
}

static void summarise(struct cell_set *set, size_t word)
{
    for (unsigned i = 1; i < set->nlevels; i++) {
        uint64_t bit = UINT64_C(1) << (word % 64);
        word /= 64;
        if (set->level[i][word] & bit)
            return;
        set->level[i][word] |= bit;
    }
}

static unsigned bit_count(uint64_t w)
{
    unsigned n = 0;
    for (; w != 0; w &= w - 1)
        n++;
    return n;
}

bool cell_set_add_range(struct cell_set *set, size_t first, size_t last)
{
    bool fresh = false;
    if (set->n == 0)
        return false;
    if (last >= set->n)
        last = set->n - 1;
    for (size_t cell = first; cell <= last;) {
        size_t word = cell / 64, from = cell % 64;
        size_t width =
            last - cell + 1 < 64 - from ? last - cell + 1 : 64 - from;
        uint64_t mask =
            width == 64 ? UINT64_MAX : ((UINT64_C(1) << width) - 1) << from;
        uint64_t added = mask & ~set->level[0][word];
        if (added != 0) {
            fresh = true;
            set->level[0][word] |= added;
            set->count += bit_count(added);
            summarise(set, word);
        }
        cell += width;
    }
    return fresh;
}

static unsigned lowest_bit(uint64_t w)
{
    unsigned n = 0;
    for (unsigned step = 32; step != 0; step /= 2) {
        if ((w & ((UINT64_C(1) << step) - 1)) == 0) {
            w >>= step;
            n += step;
        }
    }
    return n;
}

/* Smallest member >= from; SIZE_MAX when there is none. */
static size_t next_member(const struct cell_set *set, size_t from)
{
    size_t at = from;
    for (unsigned i = 0; i < set->nlevels; i++) {
        if (at / 64 >= set->nwords[i])
            return SIZE_MAX;
        uint64_t word = set->level[i][at / 64] >> (at % 64);
        if (word != 0) {
            at += lowest_bit(word);
            while (i-- > 0)
                at = at * 64 + lowest_bit(set->level[i][at]);
            return at;
        }
        at = at / 64 + 1; /* the words after this one, a level up */
    }
    return SIZE_MAX;
}

/* ---- boxes -------------------------------------------------------------------- */

static bool box_is_empty(const struct cell_box *box)
{
    for (size_t k = 0; k < box->rank; k++)
        if (box->lo[k] > box->hi[k])
            return true;
    return false;
}

static int64_t box_end(const struct cell_box *box, const int64_t *x)
{
    int64_t cell = box->base;
    for (size_t k = 0; k < box->rank; k++)
        cell += x[k] * box->stride[k];
    return cell;
}

/* The coordinates of the first cell of the box at or after `cell`; false when
 * there is none. x[] gets them. */
static bool next_in_box(const struct cell_box *box, int64_t cell, int64_t *x)
{
    int64_t rest = cell - box->base;
    size_t k = 0;
    for (; k < box->rank; k++) {
        x[k] = rest / box->stride[k];
        if (rest < 0)
            x[k] = -1;
        if (x[k] < box->lo[k] || x[k] > box->hi[k])
            break;
        rest -= x[k] * box->stride[k];
    }
    if (k == box->rank && rest <= 0)
        return true;
    if (k < box->rank && x[k] < box->lo[k]) {
        for (; k < box->rank; k++)
            x[k] = box->lo[k];
        return true;
    }
    /* past the end of dimension k, or between two cells: carry */
    while (k-- > 0) {
        if (x[k] < box->hi[k]) {
            x[k]++;
            for (size_t j = k + 1; j < box->rank; j++)
                x[j] = box->lo[j];
            return true;
        }
    }
    return false;
}

bool cell_box_meets(const struct cell_box *box, const struct cell_set *set)
{
    int64_t x[CELL_BOX_RANK];
    if (box_is_empty(box) || set->count == 0)
        return false;
    int64_t first = box_end(box, box->lo), last = box_end(box, box->hi);
    if (last < 0)
        return false;
    size_t at = first < 0 ? 0 : (size_t)first;
    for (int leap = 0; leap < MAX_LEAPS; leap++) {
        at = next_member(set, at);
        if (at > (size_t)last)
            return false;
        if (!next_in_box(box, (int64_t)at, x))
            return false;
        int64_t place = box_end(box, x);
        if (place <= (int64_t)at)
            return true;
        at = (size_t)place;
    }
    return true;
}

bool cell_box_add(const struct cell_box *box, struct cell_set *set)
{
    int64_t x[CELL_BOX_RANK];
    if (box_is_empty(box))
        return false;
    /* dimensions from `row` on are one run of cells */
    size_t row = box->rank;
    int64_t run = 1;
    while (row > 0 && box->stride[row - 1] == run) {
        row--;
        run *= box->hi[row] - box->lo[row] + 1;
        if (row > 0 && run != box->stride[row - 1])
            break;
    }
    size_t rows = 1;
    for (size_t k = 0; k < row; k++) {
        size_t width = (size_t)(box->hi[k] - box->lo[k] + 1);
        rows = width > MAX_ROWS / rows ? MAX_ROWS + 1 : rows * width;
        if (rows > MAX_ROWS)
            break;
        x[k] = box->lo[k];
    }
    for (size_t k = 0; k < box->rank; k++)
        x[k] = box->lo[k];
    int64_t first = box_end(box, box->lo), last = box_end(box, box->hi);
    if (rows > MAX_ROWS)
        return last >= 0 &&
               cell_set_add_range(set, first < 0 ? 0 : (size_t)first,
                                  (size_t)last);
    bool fresh = false;
    for (;;) {
        int64_t cell = box_end(box, x), end = cell + run - 1;
        if (end >= 0 &&
            cell_set_add_range(set, cell < 0 ? 0 : (size_t)cell, (size_t)end))
            fresh = true;
        size_t k = row;
        while (k > 0 && x[k - 1] == box->hi[k - 1]) {
            x[k - 1] = box->lo[k - 1];
            k--;
        }
        if (k == 0)
            return fresh;
        x[k - 1]++;
    }
}

/* ---- intervals -------------------------------------------------------------------- */

struct span slice_span_make(int64_t lo, int64_t hi)
{
    struct span s = {lo, hi};
    return lo <= hi && slice_span_known(s) ? s : slice_span_unknown();
}

struct span slice_span_hull(struct span a, struct span b)
{
    return slice_span_make(a.lo < b.lo ? a.lo : b.lo,
                           a.hi > b.hi ? a.hi : b.hi);
}

static struct span span_mul(struct span a, struct span b)
{
    const int64_t x[2] = {a.lo, a.hi}, y[2] = {b.lo, b.hi};
    int64_t lo = INT64_MAX, hi = INT64_MIN;
    for (int i = 0; i < 4; i++) {
        int64_t p = x[i / 2], q = y[i % 2];
        uint64_t m = p < 0 ? 0 - (uint64_t)p : (uint64_t)p;
        uint64_t n = q < 0 ? 0 - (uint64_t)q : (uint64_t)q;
        if (m != 0 && n > (uint64_t)SPAN_LIMIT / m)
            return slice_span_unknown();
        int64_t r = p * q;
        lo = r < lo ? r : lo;
        hi = r > hi ? r : hi;
    }
    return slice_span_make(lo, hi);
}

static struct span span_divide(struct span a, struct span b, bool floors)
{
    if (b.lo <= 0)
        return slice_span_unknown(); /* divisors are positive in practice */
    int64_t lo = INT64_MAX, hi = INT64_MIN;
    for (int i = 0; i < 4; i++) {
        int64_t p = i / 2 ? a.hi : a.lo, q = i % 2 ? b.hi : b.lo;
        int64_t r = floors ? int_floor_div(p, q) : p / q;
        lo = r < lo ? r : lo;
        hi = r > hi ? r : hi;
    }
    return slice_span_make(lo, hi);
}

static struct span span_modulo(struct span a, struct span b, bool floors)
{
    if (!slice_span_is_point(b) || b.lo <= 0)
        return b.lo > 0 && (floors || a.lo >= 0) ? slice_span_make(0, b.hi - 1)
                                                 : slice_span_unknown();
    int64_t m = b.lo;
    if (floors || a.lo >= 0) {
        int64_t q = int_floor_div(a.lo, m);
        if (q == int_floor_div(a.hi, m))
            return slice_span_make(a.lo - q * m, a.hi - q * m);
        return slice_span_make(0, m - 1);
    }
    if (slice_span_is_point(a))
        return slice_span_point(a.lo % m);
    return slice_span_make(1 - m, m - 1);
}

static struct span span_truth(bool surely, bool never)
{
    return surely  ? slice_span_point(1)
           : never ? slice_span_point(0)
                   : slice_span_make(0, 1);
}

/* Both operands points, neither negative: what bit operations are used on. */
static struct span span_bits(enum ir_expr_kind kind, struct span a,
                             struct span b)
{
    if (a.lo < 0 || b.lo < 0)
        return slice_span_unknown();
    bool points = slice_span_is_point(a) && slice_span_is_point(b);
    if (kind == IR_SHL && points && b.lo < 60 && a.lo <= SPAN_LIMIT >> b.lo)
        return slice_span_point(a.lo * ((int64_t)1 << b.lo));
    if (kind == IR_SHR && slice_span_is_point(b) && b.lo < 63)
        return slice_span_make(a.lo >> b.lo, a.hi >> b.lo);
    if (kind == IR_BITAND)
        return points ? slice_span_point(a.lo & b.lo)
                      : slice_span_make(0, a.hi < b.hi ? a.hi : b.hi);
    if (kind == IR_BITOR && points)
        return slice_span_point(a.lo | b.lo);
    if (kind == IR_BITXOR && points)
        return slice_span_point(a.lo ^ b.lo);
    return slice_span_unknown();
}

struct span slice_span_binary(enum ir_expr_kind kind, struct span a,
                              struct span b)
{
    bool truth = (kind >= IR_EQ && kind <= IR_GE);
    if (!slice_span_known(a) || !slice_span_known(b)) {
        if (kind == IR_FLOORMOD && slice_span_known(b) && b.lo > 0)
            return slice_span_make(0, b.hi - 1);
        if (kind == IR_AND && (a.hi == 0 || b.hi == 0))
            return slice_span_point(0);
        return truth || kind == IR_AND || kind == IR_OR ? slice_span_make(0, 1)
                                                        : slice_span_unknown();
    }
    // clang-format off
    if (kind == IR_ADD) return slice_span_make(a.lo + b.lo, a.hi + b.hi);
    if (kind == IR_SUB) return slice_span_make(a.lo - b.hi, a.hi - b.lo);
    if (kind == IR_MUL) return span_mul(a, b);
    if (kind == IR_DIV) return span_divide(a, b, false);
    if (kind == IR_FLOORDIV) return span_divide(a, b, true);
    if (kind == IR_MOD) return span_modulo(a, b, false);
    if (kind == IR_FLOORMOD) return span_modulo(a, b, true);
    if (kind == IR_MIN) return slice_span_make(a.lo < b.lo ? a.lo : b.lo,
                                         a.hi < b.hi ? a.hi : b.hi);
    if (kind == IR_MAX) return slice_span_make(a.lo > b.lo ? a.lo : b.lo,
                                         a.hi > b.hi ? a.hi : b.hi);
    if (kind == IR_LT) return span_truth(a.hi < b.lo, a.lo >= b.hi);
    if (kind == IR_LE) return span_truth(a.hi <= b.lo, a.lo > b.hi);
    if (kind == IR_GT) return span_truth(a.lo > b.hi, a.hi <= b.lo);
    if (kind == IR_GE) return span_truth(a.lo >= b.hi, a.hi < b.lo);
    bool apart = a.hi < b.lo || b.hi < a.lo;
    bool same = slice_span_is_point(a) && slice_span_is_point(b) && a.lo == b.lo;
    if (kind == IR_EQ) return span_truth(same, apart);
    if (kind == IR_NE) return span_truth(apart, same);
    if (kind == IR_AND) return span_truth(a.lo > 0 && b.lo > 0,
                                          a.hi == 0 || b.hi == 0);
    if (kind == IR_OR) return span_truth(a.lo > 0 || b.lo > 0,
                                         a.hi == 0 && b.hi == 0);
    // clang-format on
    return span_bits(kind, a, b);
}
