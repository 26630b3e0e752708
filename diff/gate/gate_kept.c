/* SPDX-License-Identifier: Apache-2.0
 *
 * Results that are kept, of a gate or of a batch that is to go on where it
 * stopped: from a report to what the store holds, and back.
 *
 * What is kept is the JSON object of a report with its files called TUNED and
 * UNTUNED; those who read it put in the names of their run. A case names files
 * in places of its own: it is kept under its path as well, and as it is. An error
 * is never kept: it may be of this machine at this time.
 */
#include "diff/engine/places.h"
#include "diff/gate/gate.h"
#include "diff/input/words.h"
#include "ir/base/json.h"

#include <string.h>

/* ---- names --------------------------------------------------------------------- */

const struct gate_names gate_kept_names = {"TUNED", "UNTUNED", "TUNED",
                                           "UNTUNED"};

static void put_command(struct buf *out, const struct gate_names *names)
{
    buf_printf(out, "diffcheck %s %s", names->tuned_word, names->untuned_word);
}

/* The text beside a file without lines, whose lines are named in its place. That
 * there is one is of the key: what is kept is read back for such a file again. */
static const char *beside_of(struct arena *arena, const char *name)
{
    if (name == gate_kept_names.tuned)
        return "TUNED.py";
    return name == gate_kept_names.untuned ? "UNTUNED.py"
                                           : diff_text_beside(arena, name);
}

static const char *renamed(struct arena *arena, const char *file, bool tuned,
                           const struct gate_names *from,
                           const struct gate_names *to)
{
    const char *old = tuned ? from->tuned : from->untuned;
    const char *new = tuned ? to->tuned : to->untuned;
    if (file == NULL || strcmp(file, old) == 0)
        return file == NULL ? NULL : new;
    old = beside_of(arena, old);
    new = beside_of(arena, new);
    return old != NULL && new != NULL &&strcmp(file, old) == 0 ? new : file;
}

static void rename_files(struct report *r, struct report_pair *pair,
                         const struct gate_names *from,
                         const struct gate_names *to)
{
    struct report_origin *o = pair->origin;
    for (size_t i = 0; o != NULL && i < o->nplaces; i++)
        o->places[i].file =
            renamed(r->arena, o->places[i].file, o->places[i].tuned, from, to);
    for (int tuned = 0; pair->sources != NULL && tuned < 2; tuned++)
        pair->sources[tuned].name =
            renamed(r->arena, pair->sources[tuned].name, tuned != 0, from, to);
}

static void rename_errors(struct report *r, const struct gate_names *from,
                          const struct gate_names *to)
{
    for (size_t i = 0; i < r->nerrors; i++) {
        struct report_error *e = &r->errors[i];
        if (e->file != NULL && strcmp(e->file, from->tuned) == 0)
            e->file = to->tuned;
        else if (e->file != NULL && strcmp(e->file, from->untuned) == 0)
            e->file = to->untuned;
    }
}

void gate_rename(struct report *r, const struct gate_names *from,
                 const struct gate_names *to)
{
    struct buf old = {0}, new = {0};
    put_command(&old, from);
    put_command(&new, to);
    r->tuned = to->tuned;
    r->untuned = to->untuned;
    rename_errors(r, from, to);
    for (size_t i = 0; i < r->npairs; i++) {
        const char *c = r->pairs[i].command;
        rename_files(r, &r->pairs[i], from, to);
        if (c != NULL && strncmp(c, buf_text(&old), old.len) == 0)
            r->pairs[i].command =
                arena_printf(r->arena, "%s%s", buf_text(&new), c + old.len);
    }
    buf_fini(&old);
    buf_fini(&new);
}

struct gate_names gate_names_of(struct arena *arena, const char *tuned,
                                const char *untuned)
{
    struct buf t = {0}, u = {0};
    diff_put_word(&t, tuned);
    diff_put_word(&u, untuned);
    struct gate_names names = {tuned, untuned,
                               arena_strdup(arena, buf_text(&t)),
                               arena_strdup(arena, buf_text(&u))};
    buf_fini(&t);
    buf_fini(&u);
    return names;
}

/* ---- the store ----------------------------------------------------------------- */

bool gate_may_keep(const struct diff_options *o)
{
    return !(o->given[DIFF_OPT_TARGETS] || o->given[DIFF_OPT_REQUIRE_TARGET] ||
             o->nrunners > 0 || o->ntvm_targets > 0);
}

void gate_keeper_init(struct gate_keeper *k, const struct diff_options *options,
                      struct gate_store *store, struct diag_sink *sink)
{
    *k = (struct gate_keeper){.options = options, .store = store, .sink = sink};
    k->keyed = store != NULL && gate_key_common(options, k->common);
}

struct report *gate_kept_report(const char *text, size_t len)
{
    struct json_doc *doc = json_parse(text, len, "a result", NULL);
    struct report *report =
        doc ? report_read(json_root(doc), "a result", NULL) : NULL;
    json_free(doc);
    return report;
}

static bool may_keep(const struct gate_keeper *k, const struct gate_pair *pair)
{
    return k->keyed && !pair->after->unread &&
           (pair->before == NULL || !pair->before->unread);
}

static void key_of(const unsigned char common[GATE_HASH],
                   const struct gate_pair *pair, unsigned char out[GATE_HASH])
{
    gate_key(common, pair, out);
    if (pair->before == NULL)
        gate_key_of_place(out, pair->after->at);
}

struct report *gate_keeper_get(const struct gate_keeper *k,
                               const struct gate_pair *pair,
                               unsigned char key[GATE_HASH], struct buf *text)
{
    if (!may_keep(k, pair))
        return NULL;
    key_of(k->common, pair, key);
    return gate_store_get(k->store, key, text, k->sink)
               ? gate_kept_report(buf_text(text), text->len)
               : NULL;
}

/* Whether all that the key is of is still what it was: the comparison has read
 * it since. */
static bool is_unchanged(const struct gate_keeper *k,
                         const struct gate_pair *pair,
                         const unsigned char was[GATE_HASH])
{
    size_t max = k->options->max_input_bytes;
    unsigned char common[GATE_HASH], key[GATE_HASH];
    if (!gate_key_common(k->options, common))
        return false;
    key_of(common, pair, key);
    return memcmp(key, was, GATE_HASH) == 0 &&
           (pair->before == NULL || gate_is_same(pair->before, max)) &&
           gate_is_same(pair->after, max);
}

void gate_keeper_put(const struct gate_keeper *k, const struct gate_pair *pair,
                     const unsigned char key[GATE_HASH],
                     const struct report *report, struct buf *text)
{
    struct json_writer w = {.out = text};
    bool sound = report->error == NULL;
    for (size_t i = 0; i < report->npairs; i++)
        sound = sound && report->pairs[i].exit_code != REPORT_EXIT_INTERNAL;
    report_put_object(&w, report);
    if (sound && may_keep(k, pair) && is_unchanged(k, pair, key))
        gate_store_put(k->store, key, text, k->sink);
}
