/* SPDX-License-Identifier: Apache-2.0
 *
 * Terms that differ by their indices alone, as families: "A[0, k] * B[k, 0] for
 * k in 60..63". Texts are compared; numbers count where they stand in brackets.
 */
#include "reports/reports.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NUMBERS 16u
#define MIN_FAMILY  3u /* fewer are written out */

/* A text with its numbers taken out. */
struct shape {
    const char *text;
    size_t n;
    struct {
        size_t at, len; /* in the text */
        int64_t value;
    } number[MAX_NUMBERS];
};

static void find_numbers(const char *text, struct shape *out)
{
    int depth = 0;
    out->text = text;
    out->n = 0;
    for (size_t i = 0; text[i] != '\0';) {
        depth += text[i] == '[';
        depth -= text[i] == ']';
        bool part = i > 0 && (isalnum((unsigned char)text[i - 1]) ||
                              text[i - 1] == '_' || text[i - 1] == '.');
        size_t n = strspn(text + i, "0123456789");
        if (n > 0 && n < 18 && depth > 0 && !part && out->n < MAX_NUMBERS) {
            out->number[out->n].at = i;
            out->number[out->n].len = n;
            out->number[out->n++].value = strtoll(text + i, NULL, 10);
        }
        i += n > 0 ? n : 1;
    }
}

static bool same_shape(const struct shape *a, const struct shape *b)
{
    size_t i = 0, k = 0;
    if (a->n != b->n)
        return false;
    for (size_t j = 0; j <= a->n; j++) {
        size_t na = j < a->n ? a->number[j].at - i : strlen(a->text + i);
        size_t nb = j < b->n ? b->number[j].at - k : strlen(b->text + k);
        if (na != nb || memcmp(a->text + i, b->text + k, na) != 0)
            return false;
        if (j < a->n) {
            i = a->number[j].at + a->number[j].len;
            k = b->number[j].at + b->number[j].len;
        }
    }
    return true;
}

/* Numbers as numbers. */
static int by_numbers(const void *a, const void *b)
{
    const char *x = *(const char *const *)a, *y = *(const char *const *)b;
    while (*x != '\0' && *y != '\0') {
        size_t m = strspn(x, "0123456789"), n = strspn(y, "0123456789");
        if (m > 0 && n > 0) {
            unsigned long long p = strtoull(x, NULL, 10);
            unsigned long long q = strtoull(y, NULL, 10);
            if (p != q)
                return p < q ? -1 : 1;
            x += m;
            y += n;
        } else if (*x != *y) {
            break;
        } else {
            x++;
            y++;
        }
    }
    int order = (unsigned char)*x - (unsigned char)*y;
    return order != 0 ? order : strcmp(x, y);
}

/* ---- one family ----------------------------------------------------------------- */

struct family {
    size_t count;
    int64_t step[MAX_NUMBERS]; /* from one to the next; of the base: above 0 */
    size_t base;               /* the number that counts */
};

/* How many texts from the first on go in equal steps. */
static void measure(const struct shape *list, size_t n, struct family *f)
{
    f->count = 1;
    while (f->count < n && same_shape(&list[0], &list[f->count])) {
        const struct shape *a = &list[f->count - 1], *b = &list[f->count];
        for (size_t i = 0; i < a->n; i++) {
            int64_t step = b->number[i].value - a->number[i].value;
            if (f->count > 1 && step != f->step[i])
                return;
            f->step[i] = step;
        }
        f->count++;
    }
}

/* Chooses the number in which all others can be written; false: none. */
static bool choose_base(const struct shape *s, struct family *f)
{
    for (f->base = 0; f->base < s->n; f->base++) {
        int64_t unit = f->step[f->base];
        bool fits = unit > 0;
        for (size_t i = 0; fits && i < s->n; i++)
            fits = f->step[i] % unit == 0;
        if (fits)
            return true;
    }
    return false;
}

/* "k", "k + 3", "2*k + 1" */
static void put_index(struct buf *out, char name, int64_t factor, int64_t rest)
{
    if (factor != 1)
        buf_printf(out, "%lld*", (long long)factor);
    buf_putc(out, name);
    if (rest != 0)
        buf_printf(out, " %c %lld", rest < 0 ? '-' : '+',
                   (long long)(rest < 0 ? -rest : rest));
}

static void put_family(struct buf *out, const struct shape *s,
                       const struct family *f)
{
    int64_t from = s->number[f->base].value, unit = f->step[f->base];
    int64_t to = from + unit * (int64_t)(f->count - 1);
    char name = strchr(s->text, 'k') != NULL ? 'n' : 'k';
    size_t at = 0;
    for (size_t i = 0; i < s->n; i++) {
        buf_append(out, s->text + at, s->number[i].at - at);
        at = s->number[i].at + s->number[i].len;
        int64_t factor = f->step[i] / unit, value = s->number[i].value;
        if (factor == 0)
            buf_printf(out, "%lld", (long long)value);
        else
            put_index(out, name, factor, value - factor * from);
    }
    buf_printf(out, "%s for %c in %lld..%lld", s->text + at, name,
               (long long)from, (long long)to);
    if (unit != 1)
        buf_printf(out, " step %lld", (long long)unit);
}

static void add(struct arena *arena, struct report_list *list, const char *text)
{
    list->items[list->n++] = arena_strdup(arena, text);
}

void report_find_families(struct arena *arena, const struct report_list *list,
                          struct report_list *out)
{
    const char **sorted = ARENA_ARRAY(arena, list->n + 1, const char *);
    struct shape *shapes = ARENA_ARRAY(arena, list->n + 1, struct shape);
    out->n = 0;
    out->cap = list->n;
    out->items = ARENA_ARRAY(arena, list->n + 1, const char *);
    for (size_t i = 0; i < list->n; i++)
        sorted[i] = list->items[i];
    if (list->n > 0)
        qsort(sorted, list->n, sizeof *sorted, by_numbers);
    for (size_t i = 0; i < list->n; i++)
        find_numbers(sorted[i], &shapes[i]);
    for (size_t i = 0; i < list->n;) {
        struct family f = {0};
        struct buf text = {0};
        measure(&shapes[i], list->n - i, &f);
        if (f.count >= MIN_FAMILY && choose_base(&shapes[i], &f)) {
            put_family(&text, &shapes[i], &f);
            add(arena, out, buf_text(&text));
            i += f.count;
        } else {
            add(arena, out, sorted[i++]);
        }
        buf_fini(&text);
    }
}
