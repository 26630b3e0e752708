/* SPDX-License-Identifier: Apache-2.0
 *
 * What the command line chooses: targets by name or group, and users' runners.
 *
 * Toolchains are tried once for all pairs of a command. A runner is taken as
 * it is; it is tried by the first kernel that it is given.
 */
#include "diff/harness/harness.h"

#include "diff/harness/route.h"

#include <stdlib.h>
#include <string.h>

static bool list_names(const char *list, const char *name)
{
    for (const char *p = list; p && *p;) {
        size_t n = strcspn(p, ",");
        if (strlen(name) == n && memcmp(p, name, n) == 0)
            return true;
        p += n + (p[n] ? 1 : 0);
    }
    return false;
}

/* Where the arithmetic is not known, anything is allowed. */
#define ANY                                                                  \
    "contract=* forward=* half=* keep=* keep-type=* product=* lanes=* "      \
    "interleave=* "                                                          \
    "combine=* start=* order=* flush-half=* flush-single=* divide=* sqrt=* " \
    "functions=* matrix=*"

static const struct diff_target any_arithmetic = {
    .name = "runner", .may = ANY " qfloat=*", /* a phone has it */
};

/* --library: whoever built them. */
static const struct diff_target library_target = {
    .name = "library",
    .summary = "functions of shared libraries that TVM exported",
    .group = "library",
    .may = ANY,
    .route = &diff_route_library,
};

/* --expect: what some device gave. */
static const struct diff_target recorded_target = {
    .name = "recorded",
    .summary = "outputs that files give",
    .group = "recorded",
    .may = ANY " qfloat=*",
};

/* --tvm-target NAME=TARGET: of a kind that is shipped, its arithmetic; with
 * leave for fast math, any. */
static const struct diff_target *tvm_target(const struct diff_binding *given,
                                            struct arena *arena)
{
    struct diff_target *t = ARENA_NEW(arena, struct diff_target);
    const char *like = diff_tvm_is(given->value, "c")      ? "tvm-c"
                       : diff_tvm_is(given->value, "cuda") ? "tvm-cuda"
                                                           : "tvm-llvm-native";
    *t = *diff_target_find(like);
    t->name = given->name;
    t->code = given->value;
    t->machine = NULL;
    if (strstr(given->value, "fast-math")) {
        t->may = ANY;
        t->unsigned_zeros = t->finite_only = true;
    }
    return t;
}

struct find {
    struct diff_harness *harness;
    struct arena **arenas;
};

static void find_one(void *user, size_t i)
{
    const struct find *f = user;
    struct diff_choice *c = &f->harness->choices[i];
    if (c->arithmetic != &any_arithmetic && !c->recorded)
        diff_target_try(c->arithmetic, f->harness->python, f->harness->cache,
                        f->arenas[i], &c->tools);
}

static int by_name(const void *a, const void *b)
{
    const struct diff_choice *x = a, *y = b;
    return strcmp(x->name, y->name);
}

static const char *const *words_of(const char *text, struct arena *arena)
{
    size_t n = 0;
    const char **words = ARENA_ARRAY(arena, strlen(text) + 1, const char *);
    for (const char *p = text + strspn(text, " "); *p; p += strspn(p, " ")) {
        size_t len = strcspn(p, " ");
        words[n++] = arena_strndup(arena, p, len);
        p += len;
    }
    const char *path = n ? diff_program_find(words[0], arena) : NULL;
    if (path)
        words[0] = path;
    return words;
}

static void choose(struct diff_harness *h)
{
    const struct diff_options *o = h->options;
    size_t most = o->nrunners + o->ntvm_targets + 2;
    for (size_t i = 0; diff_target_at(i); i++)
        most++;
    h->choices = ARENA_ARRAY(h->arena, most + 1, struct diff_choice);
    for (size_t i = 0; diff_target_at(i); i++) {
        const struct diff_target *t = diff_target_at(i);
        bool required = diff_target_listed(t, o->require_targets);
        if (required || diff_target_listed(t, o->targets))
            h->choices[h->n++] = (struct diff_choice){
                .name = t->name, .required = required, .arithmetic = t};
    }
    for (size_t i = 0; i < o->ntvm_targets; i++)
        h->choices[h->n++] = (struct diff_choice){
            .name = o->tvm_targets[i].name,
            .required = list_names(o->require_targets, o->tvm_targets[i].name),
            .arithmetic = tvm_target(&o->tvm_targets[i], h->arena)};
    if (o->libraries[UNTUNED] || o->libraries[TUNED])
        h->choices[h->n++] = (struct diff_choice){
            .name = library_target.name,
            .required = list_names(o->require_targets, library_target.name),
            .absent = {[UNTUNED] = !o->libraries[UNTUNED],
                       [TUNED] = !o->libraries[TUNED]},
            .arithmetic = &library_target};
    for (size_t i = 0; i < o->nrunners; i++)
        h->choices[h->n++] = (struct diff_choice){
            .name = o->runners[i].name,
            .required = list_names(o->require_targets, o->runners[i].name),
            .runner = words_of(o->runners[i].value, h->arena),
            .arithmetic = &any_arithmetic};
    if (o->nexpects > 0)
        h->choices[h->n++] =
            (struct diff_choice){.name = recorded_target.name,
                                 .recorded = true,
                                 .absent = {[UNTUNED] = true},
                                 .arithmetic = &recorded_target};
    qsort(h->choices, h->n, sizeof *h->choices, by_name);
}

bool diff_harness_allowed(const struct diff_options *options,
                          struct diag_sink *sink)
{
    struct diff_harness h = {.options = options, .arena = arena_new()};
    choose(&h);
    bool builds = false;
    for (size_t i = 0; i < h.n; i++)
        builds = builds || !h.choices[i].recorded;
    bool fine = !builds || diff_cache_trusted(options->cache, sink);
    arena_free(h.arena);
    return fine;
}

struct diff_harness *diff_harness_new(const struct diff_options *options)
{
    struct diff_harness *h = dc_alloc(sizeof *h);
    h->options = options;
    h->arena = arena_new();
    choose(h);
    if (h->n == 0) {
        diff_harness_free(h);
        return NULL;
    }
    h->cache = diff_cache_new(options->cache, options->cache_bytes);
    h->python = diff_python_new(options->python);
    struct find f = {h, ARENA_ARRAY(h->arena, h->n, struct arena *)};
    for (size_t i = 0; i < h->n; i++)
        f.arenas[i] = arena_new();
    diff_share(options->jobs, h->n, find_one, &f);
    for (size_t i = 0; i < h->n; i++)
        arena_absorb(h->arena, f.arenas[i]);
    return h;
}

void diff_harness_free(struct diff_harness *harness)
{
    if (!harness)
        return;
    diff_cache_free(harness->cache);
    diff_python_free(harness->python);
    arena_free(harness->arena);
    dc_release(harness);
}
