/* SPDX-License-Identifier: Apache-2.0
 *
 * Steps as text, one a line, for tests, files and people:
 *
 *   line  = [ name { "," name } "=" ] word { argument }
 *   argument = name | integer | "None" | '"' characters '"'
 *
 *   b = get_block "C"
 *   i, j, k = get_loops b
 *   i0, i1 = split i None 4
 *   reorder j i1
 *
 * Words are those of the primitives, and get_block and get_loops. Names stand
 * for references; assigning one again replaces it. Commas count as blanks; an
 * empty line, or one that starts with '#', does nothing.
 */
#include "schedule/schedule_private.h"

#include <stdlib.h>
#include <string.h>

#define MAX_WORDS 80u

struct schedule_names {
    struct VEC(char *) names;
    struct VEC(schedule_ref) refs;
};

struct schedule_names *schedule_names_new(void)
{
    return dc_alloc(sizeof(struct schedule_names));
}

void schedule_names_free(struct schedule_names *names)
{
    if (!names)
        return;
    for (size_t i = 0; i < names->names.len; i++)
        dc_release(names->names.items[i]);
    vec_fini(&names->names);
    vec_fini(&names->refs);
    dc_release(names);
}

static schedule_ref *find(struct schedule_names *names, const char *name)
{
    for (size_t i = 0; i < names->names.len; i++)
        if (!strcmp(names->names.items[i], name))
            return &names->refs.items[i];
    return NULL;
}

static void set(struct schedule_names *names, const char *name,
                schedule_ref ref)
{
    schedule_ref *old = find(names, name);
    if (old) {
        *old = ref;
        return;
    }
    size_t n = strlen(name) + 1;
    char *copy = dc_alloc(n);
    memcpy(copy, name, n);
    vec_push(&names->names, copy);
    vec_push(&names->refs, ref);
}

/* ---- words ----------------------------------------------------------------- */

struct words {
    size_t n, assigned; /* words before "=" */
    bool quoted[MAX_WORDS];
    char *items[MAX_WORDS];
};

static bool split_words(struct schedule *s, char *text, struct words *w)
{
    char *at = text;
    w->n = w->assigned = 0;
    for (;;) {
        at += strspn(at, " \t,\r\n");
        if (*at == '\0')
            return true;
        if (w->n == MAX_WORDS)
            return sched_bad(s, "more than %u words", MAX_WORDS);
        if (*at == '=') {
            w->assigned = w->n;
            at++;
            continue;
        }
        w->quoted[w->n] = *at == '"';
        at += w->quoted[w->n];
        w->items[w->n] = at;
        at += strcspn(at, w->quoted[w->n] ? "\"" : " \t,\r\n=");
        if (w->quoted[w->n] && *at == '\0')
            return sched_bad(s, "a string that does not end");
        w->n++;
        bool assigns = *at == '=';
        if (*at != '\0')
            *at++ = '\0';
        if (assigns)
            w->assigned = w->n;
    }
}

static bool argument(struct schedule *s, struct schedule_names *names,
                     const char *word, bool quoted, struct schedule_arg *out)
{
    char *end;
    schedule_ref *ref = quoted ? NULL : find(names, word);
    if (quoted) {
        out->kind = SCHEDULE_STRING;
        out->u.string = word;
    } else if (ref) {
        out->kind = SCHEDULE_REF;
        out->u.ref = *ref;
    } else if (!strcmp(word, "None")) {
        out->kind = SCHEDULE_NONE;
    } else {
        out->kind = SCHEDULE_INT;
        out->u.integer = strtoll(word, &end, 10);
        if (end == word || *end != '\0')
            return sched_bad(s, "'%s' is no name of anything", word);
    }
    return true;
}

/* ---- one line -------------------------------------------------------------- */

static bool look(struct schedule *s, const char *word, size_t nargs,
                 const struct schedule_arg *args, size_t *nout,
                 schedule_ref *out)
{
    sched_begin(s);
    if (!strcmp(word, "get_block")) {
        if (!sched_arg_kinds(s, nargs, args, "s"))
            return false;
        *nout = 1;
        return (out[0] = schedule_block(s, args[0].u.string)) != 0;
    }
    if (!sched_arg_kinds(s, nargs, args, "r"))
        return false;
    *nout = schedule_loops(s, args[0].u.ref, SCHEDULE_MAX_LOOPS, out);
    if (*nout > SCHEDULE_MAX_LOOPS)
        return sched_unsupported(s, "more than %u loops", SCHEDULE_MAX_LOOPS);
    return s->why == SCHEDULE_DONE;
}

static bool run_words(struct schedule *s, struct schedule_names *names,
                      struct words *w)
{
    struct schedule_arg args[MAX_WORDS];
    schedule_ref out[SCHEDULE_MAX_LOOPS];
    size_t first = w->assigned, nargs = 0, nout = 0;
    if (first >= w->n)
        return sched_bad(s, "nothing to do");
    const char *word = w->items[first];
    for (size_t i = first + 1; i < w->n; i++)
        if (!argument(s, names, w->items[i], w->quoted[i], &args[nargs++]))
            return false;
    bool looks = !strcmp(word, "get_block") || !strcmp(word, "get_loops");
    bool done = looks ? look(s, word, nargs, args, &nout, out)
                      : schedule_apply(s, word, nargs, args, &nout, out);
    if (!done)
        return false;
    if (first > 0 && first != nout)
        return sched_bad(s, "%zu results for %zu names", nout, first);
    for (size_t i = 0; i < first; i++)
        set(names, w->items[i], out[i]);
    return true;
}

bool schedule_run_line(struct schedule *s, struct schedule_names *names,
                       const char *line)
{
    struct words w;
    size_t n = strlen(line) + 1;
    char *text = dc_alloc(n);
    sched_begin(s);
    memcpy(text, line, n);
    bool good = split_words(s, text, &w);
    if (good && w.n > 0 && w.items[0][0] != '#')
        good = run_words(s, names, &w);
    dc_release(text);
    return good;
}
