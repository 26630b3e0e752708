/* SPDX-License-Identifier: Apache-2.0
 *
 * From statements to files and lines. TVM's JSON has no lines: a text beside it
 * is taken for what it is made from only if it reads as an equal module, and
 * statements then answer to each other by their number.
 */
#include "diff/engine/places.h"

#include "ir/walk.h"

#include <string.h>

/* ---- a text beside a file without lines ----------------------------------------- */

const char *diff_text_beside(struct arena *arena, const char *path)
{
    size_t n = path != NULL ? strlen(path) : 0;
    if (n < 6 || strcmp(path + n - 5, ".json") != 0)
        return NULL;
    return arena_printf(arena, "%.*s.py", (int)(n - 5), path);
}

struct counting {
    enum ir_stmt_kind kind; /* statements of this kind are counted */
    const struct ir_stmt *want;
    size_t n, at; /* at: number of the one that is wanted, from 1 */
    const struct ir_stmt *found;
};

static bool is_it(const struct ir_stmt *s, const struct ir_stmt *want)
{
    return s == want ||
           (s->kind == want->kind && s->pos.col != 0 &&
            s->pos.col == want->pos.col && s->pos.line == want->pos.line);
}

/* Statements of one kind, in order: equal modules may differ in sequences, and in
 * blocks that say nothing. */
static bool count(void *user, struct ir_stmt *s)
{
    struct counting *c = user;
    if (s->kind != c->kind)
        return true;
    c->n++;
    if (c->want != NULL && c->found == NULL && is_it(s, c->want)) {
        c->found = s;
        c->at = c->n;
    } else if (c->want == NULL && c->n == c->at) {
        c->found = s;
    }
    return true;
}

static void count_in(const struct ir_module *m, struct counting *c)
{
    const struct ir_visitor v = {count, NULL, c};
    for (size_t i = 0; i < m->nfuncs; i++)
        if (m->funcs[i]->kind == IR_FUNC_PRIM && m->funcs[i]->prim.body != NULL)
            ir_visit_stmt(&v, m->funcs[i]->prim.body);
}

struct twin {
    bool tried;
    struct ir_module *module; /* NULL: there is none that is equal */
    const char *path;
};

static void find_twin(struct diff_pair *pair, size_t side, struct twin *t)
{
    const struct ir_equal_options options = {.map_free_vars = true};
    const struct ir_module *m = pair->side[side].module;
    t->tried = true;
    t->path = diff_text_beside(pair->arena, m->source);
    if (t->path == NULL)
        return;
    struct diag_sink *silent = diag_sink_new(); /* most have none */
    t->module =
        diff_module_read(t->path, pair->options->max_input_bytes, silent);
    diag_sink_free(silent);
    if (t->module != NULL && !ir_module_equal(m, t->module, options, NULL)) {
        ir_module_free(t->module);
        t->module = NULL;
    }
}

static uint32_t line_in(const struct twin *t, const struct ir_module *m,
                        const struct ir_stmt *stmt)
{
    struct counting here = {.kind = stmt->kind, .want = stmt};
    struct counting there = {.kind = stmt->kind};
    count_in(m, &here);
    there.at = here.at;
    if (here.found != NULL)
        count_in(t->module, &there);
    return there.found != NULL && there.n == here.n ? there.found->pos.line : 0;
}

/* ---- places ----------------------------------------------------------------------- */

/* One line; what follows its first is left out. */
static const char *text_of(struct arena *arena, const struct ir_stmt *s)
{
    struct buf text = {0};
    ir_print_stmt(s, &text);
    const char *p = buf_text(&text);
    p += strspn(p, " \n");
    const char *out = arena_strndup(arena, p, strcspn(p, "\n"));
    buf_fini(&text);
    return out;
}

static void put_place(struct diff_pair *pair, struct twin twins[NSIDES],
                      const struct diff_scene *s, struct report_place *out)
{
    const struct ir_module *m = pair->side[s->side].module;
    struct twin *t = &twins[s->side];
    out->tuned = s->side == TUNED;
    out->text = text_of(pair->arena, s->stmt);
    out->vars = s->vars != NULL ? s->vars : "";
    out->access = s->access;
    out->thread = s->thread;
    out->line = s->stmt->pos.line;
    if (out->line != 0) {
        out->file = arena_strdup(pair->arena, m->source);
        return;
    }
    if (!t->tried)
        find_twin(pair, s->side, t);
    if (t->module != NULL)
        out->line = line_in(t, m, s->stmt);
    if (out->line != 0)
        out->file = t->path;
    else
        out->line = ir_script_line(m, s->stmt);
}

void diff_put_places(struct diff_pair *pair, struct report_origin *w,
                     const struct diff_scene *scenes, size_t n)
{
    struct twin twins[NSIDES] = {{0}};
    w->places = ARENA_ARRAY(pair->arena, n + 1, struct report_place);
    for (size_t i = 0; i < n; i++)
        if (scenes[i].stmt != NULL)
            put_place(pair, twins, &scenes[i], &w->places[w->nplaces++]);
    for (size_t side = 0; side < NSIDES; side++)
        if (twins[side].module != NULL)
            ir_module_free(twins[side].module);
}
