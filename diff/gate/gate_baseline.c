/* SPDX-License-Identifier: Apache-2.0
 *
 * Accepted findings on disk: a JSON object with a list `accepted`, whose entries
 * name pair, function, rule, verdict and fingerprint of a finding, and say why it
 * is accepted (reason), by whom (author) and until which day (expires).
 *
 * People edit it: a member that is missing, of another type or of no meaning, a
 * name that is no member, a day that there is not, an entry that is there twice
 * are errors that name the entry, since what is misread would pass the gate.
 */
#include "diff/gate/gate.h"
#include "diff/input/words.h"
#include "ir/base/json.h"

#include <stdlib.h>
#include <string.h>

#define MAX_BYTES ((size_t)256 << 20)

struct reading {
    const char *file;
    struct arena *arena;
    struct diag_sink *sink;
    size_t entry;
};

static bool refuse(const struct reading *r, const char *key, const char *wanted)
{
    struct diag_loc loc = {
        .file = r->file,
        .path = arena_printf(r->arena, "/accepted/%zu", r->entry)};
    return diag_error(r->sink, loc, "baseline.entry",
                      "'%s' of an accepted finding %s", key, wanted);
}

/* A text; absent or null where it may be. */
static bool take_text(const struct reading *r, const struct json_value *v,
                      const char *key, bool must, const char **out)
{
    const struct json_value *m = json_find(v, key);
    const char *text = m ? json_string(m) : NULL;
    if (m == NULL || json_type(m) == JSON_NULL)
        return !must || refuse(r, key, "is missing");
    if (text == NULL)
        return refuse(r, key, "is no text");
    if (must && *text == '\0')
        return refuse(r, key, "is empty");
    *out = arena_strdup(r->arena, text);
    return true;
}

static bool check_names(const struct reading *r, const struct json_value *v)
{
    static const char *const names[] = {"pair",    "function",    "rule",
                                        "verdict", "fingerprint", "what",
                                        "reason",  "author",      "expires"};
    for (const struct json_value *m = json_first(v); m != NULL;
         m = json_next(m)) {
        size_t i = 0;
        while (i < DC_ARRAY_LEN(names) && strcmp(names[i], json_key(m)) != 0)
            i++;
        if (i == DC_ARRAY_LEN(names))
            return refuse(r, json_key(m), "is no member that is known");
    }
    return true;
}

static bool is_fingerprint(const char *text)
{
    return strlen(text) == 16 && strspn(text, "0123456789abcdef") == 16;
}

static bool read_entry(const struct reading *r, const struct json_value *v,
                       struct gate_known *k)
{
    const char *verdict = NULL;
    if (json_type(v) != JSON_OBJECT)
        return refuse(r, "accepted", "is no object");
    if (!check_names(r, v) || !take_text(r, v, "pair", true, &k->pair) ||
        !take_text(r, v, "function", true, &k->function) ||
        !take_text(r, v, "rule", true, &k->rule) ||
        !take_text(r, v, "verdict", true, &verdict) ||
        !take_text(r, v, "fingerprint", true, &k->fingerprint) ||
        !take_text(r, v, "what", false, &k->what) ||
        !take_text(r, v, "reason", true, &k->reason) ||
        !take_text(r, v, "author", false, &k->author) ||
        !take_text(r, v, "expires", false, &k->until))
        return false;
    if (!report_verdict_parse(verdict, strlen(verdict), &k->verdict))
        return refuse(r, "verdict", "is no verdict");
    if (!is_fingerprint(k->fingerprint))
        return refuse(r, "fingerprint", "is not 16 hexadecimal digits");
    return k->until == NULL || diff_is_date(k->until) ||
           refuse(r, "expires", "is no date as 2027-02-01");
}

static bool read_all(struct reading *r, const struct json_value *root,
                     struct gate_known_list *out)
{
    const struct json_value *list = json_find(root, "accepted");
    const struct json_value *schema = json_find(root, "schema");
    struct diag_loc loc = {.file = r->file};
    int64_t n = 0;
    if (schema == NULL || json_type(schema) != JSON_NUMBER ||
        !json_int(schema, &n, NULL) || n != 1)
        return diag_error(r->sink, loc, "baseline.format",
                          "is no baseline: 'schema' is not 1");
    if (list == NULL || json_type(list) != JSON_ARRAY)
        return diag_error(r->sink, loc, "baseline.format",
                          "is no baseline: there is no list 'accepted'");
    for (const struct json_value *m = json_first(list); m != NULL;
         m = json_next(m), r->entry++) {
        struct gate_known k = {0};
        if (!read_entry(r, m, &k))
            return false;
        vec_push(out, k);
    }
    return true;
}

static int by_place(const void *a, const void *b)
{
    const struct gate_known *x = a, *y = b;
    int order = strcmp(x->pair, y->pair);
    if (order == 0)
        order = strcmp(x->function, y->function);
    return order != 0 ? order : strcmp(x->fingerprint, y->fingerprint);
}

/* Two dates for one finding: which of them holds nobody can tell. */
static bool check_twice(struct reading *r, struct gate_known_list *list)
{
    if (list->len > 0)
        qsort(list->items, list->len, sizeof *list->items, by_place);
    for (size_t i = 1; i < list->len; i++)
        if (by_place(&list->items[i - 1], &list->items[i]) == 0)
            return diag_error(r->sink, (struct diag_loc){.file = r->file},
                              "baseline.entry",
                              "the same finding of '%s' is accepted twice",
                              list->items[i].pair);
    return true;
}

bool gate_baseline_read(const char *file, struct arena *arena,
                        struct gate_known_list *out, struct diag_sink *sink)
{
    struct reading r = {.file = file, .arena = arena, .sink = sink};
    struct buf text = {0};
    struct json_doc *doc = NULL;
    bool fine = file_read(file, MAX_BYTES, &text, sink);
    if (fine)
        doc = json_parse(buf_text(&text), text.len, file, sink);
    fine = doc != NULL && read_all(&r, json_root(doc), out) &&
           check_twice(&r, out);
    json_free(doc);
    buf_fini(&text);
    return fine;
}

bool gate_baseline_write(const char *file, const struct gate_known_list *list,
                         struct diag_sink *sink)
{
    struct buf text = {0};
    struct json_writer w = {.out = &text, .indent = 2};
    json_begin_object(&w);
    json_put_key(&w, "schema");
    json_put_int(&w, 1);
    json_put_member(&w, "tool", "diffcheck");
    json_put_key(&w, "accepted");
    json_begin_array(&w);
    for (size_t i = 0; i < list->len; i++) {
        const struct gate_known *k = &list->items[i];
        json_begin_object(&w);
        json_put_member(&w, "pair", k->pair);
        json_put_member(&w, "function", k->function);
        json_put_member(&w, "rule", k->rule);
        json_put_member(&w, "verdict", report_verdict_name(k->verdict));
        json_put_member(&w, "fingerprint", k->fingerprint);
        json_put_member(&w, "what", k->what);
        json_put_member(&w, "reason",
                        k->reason ? k->reason
                                  : "there when the baseline was written");
        json_put_member(&w, "author", k->author);
        json_put_member(&w, "expires", k->until);
        json_end_object(&w);
    }
    json_end_array(&w);
    json_end_object(&w);
    buf_putc(&text, '\n');
    bool fine = file_write(file, buf_text(&text), text.len, sink);
    buf_fini(&text);
    return fine;
}
