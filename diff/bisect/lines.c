/* SPDX-License-Identifier: Apache-2.0
 *
 * What changed from one text to another, line by line: what both begin and end
 * with is set aside, the longest common subsequence of the rest is kept. Texts
 * whose middle parts are too large for that differ in all of them.
 */
#include "diff/bisect/bisect.h"

#include <string.h>

#define AROUND    2u
#define MOST_SIDE 2000u

struct lines {
    struct VEC(const char *) at;
    struct VEC(size_t) len;
};

static void take_lines(struct lines *l, const char *text)
{
    while (*text != '\0') {
        size_t n = strcspn(text, "\n");
        vec_push(&l->at, text);
        vec_push(&l->len, n);
        text += n + (text[n] == '\n');
    }
}

static void fini_lines(struct lines *l)
{
    vec_fini(&l->at);
    vec_fini(&l->len);
}

static bool same(const struct lines *a, size_t i, const struct lines *b,
                 size_t k)
{
    return a->len.items[i] == b->len.items[k] &&
           memcmp(a->at.items[i], b->at.items[k], a->len.items[i]) == 0;
}

/* What stays, goes and comes, in order: ' ' both, '-' of a, '+' of b. */
struct edit {
    char kind;
    size_t line; /* of a, or of b for '+' */
};
struct edits VEC(struct edit);

static void add(struct edits *out, char kind, size_t line)
{
    vec_push(out, ((struct edit){kind, line}));
}

/* Lines [i0, i1) of a against [k0, k1) of b, by the table of lengths. */
static void middle(const struct lines *a, size_t i0, size_t i1,
                   const struct lines *b, size_t k0, size_t k1,
                   struct edits *out)
{
    size_t n = i1 - i0, m = k1 - k0, w = m + 1;
    uint16_t *length = NULL;
    if (n <= MOST_SIDE && m <= MOST_SIDE) {
        length = dc_alloc((n + 1) * w * sizeof *length);
        for (size_t i = n; i-- > 0;)
            for (size_t k = m; k-- > 0;) {
                uint16_t down = length[(i + 1) * w + k];
                uint16_t right = length[i * w + k + 1];
                length[i * w + k] =
                    same(a, i0 + i, b, k0 + k)
                        ? (uint16_t)(length[(i + 1) * w + k + 1] + 1)
                        : (down > right ? down : right);
            }
    }
    size_t i = 0, k = 0;
    while (i < n || k < m) {
        if (length && i < n && k < m && same(a, i0 + i, b, k0 + k)) {
            add(out, ' ', i0 + i++);
            k++;
        } else if (i < n &&
                   (!length || k == m ||
                    length[(i + 1) * w + k] >= length[i * w + k + 1])) {
            add(out, '-', i0 + i++);
        } else {
            add(out, '+', k0 + k++);
        }
    }
    dc_release(length);
}

static void compare(const struct lines *a, const struct lines *b,
                    struct edits *out)
{
    size_t n = a->at.len, m = b->at.len, head = 0, tail = 0;
    while (head < n && head < m && same(a, head, b, head))
        add(out, ' ', head++);
    while (tail < n - head && tail < m - head &&
           same(a, n - 1 - tail, b, m - 1 - tail))
        tail++;
    middle(a, head, n - tail, b, head, m - tail, out);
    for (size_t i = n - tail; i < n; i++)
        add(out, ' ', i);
}

/* Whether a line is near one that changed. */
static bool is_shown(const struct edits *e, size_t at)
{
    size_t from = at > AROUND ? at - AROUND : 0;
    for (size_t i = from; i < e->len && i <= at + AROUND; i++)
        if (e->items[i].kind != ' ')
            return true;
    return false;
}

void bisect_put_lines(struct buf *out, const char *before, const char *after,
                      size_t most)
{
    struct lines a = {0}, b = {0};
    struct edits edits = {0};
    size_t shown = 0, left = 0;
    bool gap = false;
    take_lines(&a, before);
    take_lines(&b, after);
    compare(&a, &b, &edits);
    for (size_t i = 0; i < edits.len; i++) {
        const struct edit *e = &edits.items[i];
        const struct lines *l = e->kind == '+' ? &b : &a;
        if (!is_shown(&edits, i)) {
            gap = shown > 0;
            continue;
        }
        if (shown >= most) {
            left += e->kind != ' ';
            continue;
        }
        if (gap)
            buf_puts(out, "  ...\n");
        gap = false;
        shown++;
        buf_printf(out, "%c %.*s\n", e->kind, (int)l->len.items[e->line],
                   l->at.items[e->line]);
    }
    if (left > 0)
        buf_printf(out, "  (%zu more lines differ)\n", left);
    vec_fini(&edits);
    fini_lines(&a);
    fini_lines(&b);
}
