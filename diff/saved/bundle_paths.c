/* SPDX-License-Identifier: Apache-2.0
 *
 * What goes to others names no folder of the user's: files by their names alone, and
 * the command is that of the folder.
 */
#include "diff/saved/bundle.h"

#include <stdlib.h>
#include <string.h>

/* A home that is everybody's tells nothing. */
#define MIN_HOME 3u

bool bundle_is_private(const char *text)
{
    const char *home = getenv("HOME");
    return home && strlen(home) >= MIN_HOME && strstr(text, home) != NULL;
}

const char *saved_bare_name(const char *path)
{
    return path ? path_name(path) : NULL;
}

/* The text with each of these paths by its name alone, and ~ for the home. */
static const char *bare(const char *text, const struct report *report,
                        struct arena *arena)
{
    const char *home = getenv("HOME");
    const char *paths[] = {report->tuned, report->untuned, home};
    struct buf out = {0};
    if (!text)
        return NULL;
    while (*text) {
        size_t n = 0;
        for (size_t i = 0; i < DC_ARRAY_LEN(paths) && n == 0; i++) {
            const char *p = paths[i];
            size_t len = p ? strlen(p) : 0;
            if (len < MIN_HOME || !strchr(p, '/') || strncmp(text, p, len) != 0)
                continue;
            buf_puts(&out, p == home ? "~" : saved_bare_name(p));
            n = len;
        }
        if (n == 0)
            buf_putc(&out, *text);
        text += n > 0 ? n : 1;
    }
    const char *kept = arena_strdup(arena, buf_text(&out));
    buf_fini(&out);
    return kept;
}

struct report *saved_without_paths(const struct report *report,
                                   struct arena *arena)
{
    struct report *out = arena_memdup(arena, report, sizeof *report);
    out->tuned = saved_bare_name(report->tuned);
    out->untuned = saved_bare_name(report->untuned);
    return out;
}

static struct report_list bare_list(const struct report_list *list,
                                    const struct report *report,
                                    struct arena *arena)
{
    struct report_list out = {list->n, list->n,
                              ARENA_ARRAY(arena, list->n + 1, const char *)};
    for (size_t i = 0; i < list->n; i++)
        out.items[i] = bare(list->items[i], report, arena);
    return out;
}

static struct report_origin *bare_origin(const struct report_origin *origin,
                                         struct arena *arena)
{
    struct report_origin *out = arena_memdup(arena, origin, sizeof *origin);
    out->places = ARENA_ARRAY(arena, origin->nplaces + 1, struct report_place);
    for (size_t i = 0; i < origin->nplaces; i++) {
        out->places[i] = origin->places[i];
        out->places[i].file = saved_bare_name(origin->places[i].file);
    }
    return out;
}

struct report_pair *saved_pair_without_paths(const struct report_pair *pair,
                                             const struct report *report,
                                             struct arena *arena)
{
    struct report_pair *out = arena_memdup(arena, pair, sizeof *pair);
    out->reason = bare(pair->reason, report, arena);
    out->warnings = bare_list(&pair->warnings, report, arena);
    out->notes = bare_list(&pair->notes, report, arena);
    out->drift = bare_list(&pair->drift, report, arena);
    out->command = "diffcheck .";
    if (pair->origin)
        out->origin = bare_origin(pair->origin, arena);
    out->targets = ARENA_ARRAY(arena, pair->ntargets + 1, struct report_target);
    for (size_t i = 0; i < pair->ntargets; i++) {
        struct report_target *t = &out->targets[i];
        *t = pair->targets[i];
        t->reason = bare(t->reason, report, arena);
        t->detail = bare(t->detail, report, arena);
        t->tuned.reason = bare(t->tuned.reason, report, arena);
        t->untuned.reason = bare(t->untuned.reason, report, arena);
    }
    return out;
}
