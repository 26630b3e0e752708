/* SPDX-License-Identifier: Apache-2.0
 *
 * Which statements are named for an element that differs: the one to blame
 * (diff/why/why_blame.c), and of those that it came through one that copies. Of
 * a value that was read before it was written no run tells whether the reader is
 * wrong or who should have written it: both are named. Of an operation on many
 * that was only begun it is who should have gone on.
 */
#include "diff/engine/suspects.h"

#include "ir/plan/plan.h"
#include "ir/walk.h"

#define TUNED_STORES 2u

const char *diff_vars_text(struct diff_pair *pair,
                           const struct why_store *store)
{
    struct buf text = {0};
    why_put_vars(&text, store);
    const char *out =
        text.len > 0 ? arena_strdup(pair->arena, buf_text(&text)) : NULL;
    buf_fini(&text);
    return out;
}

/* ---- statements by what they store ------------------------------------------------ */

struct last_store {
    const uint32_t *class_of; /* of storage, by variable */
    uint32_t class;
    const struct ir_stmt *but; /* not this one */
    bool updates;              /* that reads what it stores to */
    const struct ir_stmt *found;
};

static bool is_load_of(const void *user, const struct ir_expr *e)
{
    const struct last_store *l = user;
    return e->kind == IR_LOAD && l->class_of[e->u.buffer->data->id] == l->class;
}

static bool see_store(void *user, struct ir_stmt *s)
{
    struct last_store *l = user;
    if (s->kind == IR_STORE && s != l->but &&
        l->class_of[s->u.store.buffer->data->id] == l->class &&
        (!l->updates || ir_expr_any(s->u.store.value, is_load_of, l)))
        l->found = s;
    return true;
}

/* The last store to the storage of that variable, under whatever name. */
static const struct ir_stmt *last_store(const struct diff_pair *pair,
                                        size_t side, const struct ir_var *data,
                                        struct last_store l)
{
    const struct diff_side *s = &pair->side[side];
    const struct ir_visitor v = {see_store, NULL, &l};
    l.class_of = ir_storage_classes(s->module, s->func->prim.body, pair->arena);
    l.class = l.class_of[data->id];
    ir_visit_stmt(&v, s->func->prim.body);
    return l.found;
}

const struct ir_stmt *diff_last_store(const struct diff_pair *pair, size_t side,
                                      size_t output)
{
    const struct ir_prim_func *prim = &pair->side[side].func->prim;
    if (output >= prim->nparams || prim->params[output].buffer == NULL)
        return NULL;
    return last_store(pair, side, prim->params[output].buffer->data,
                      (struct last_store){0});
}

/* The first storage that the statement reads and that is no parameter's. */
struct first_read {
    const struct ir_prim_func *prim;
    const struct ir_var *data;
};

static bool see_read(void *user, struct ir_expr *e)
{
    struct first_read *r = user;
    if (e->kind != IR_LOAD || r->data != NULL)
        return true;
    for (size_t i = 0; i < r->prim->nparams; i++)
        if (r->prim->params[i].buffer != NULL &&
            r->prim->params[i].buffer->data == e->u.buffer->data)
            return true;
    r->data = e->u.buffer->data;
    return true;
}

/* Who writes what the statement reads. */
static const struct ir_stmt *writer_for(const struct diff_pair *pair,
                                        const struct ir_stmt *reader)
{
    struct first_read r = {.prim = &pair->side[TUNED].func->prim};
    const struct ir_visitor v = {NULL, see_read, &r};
    if (reader->kind != IR_STORE)
        return NULL;
    ir_visit_expr(&v, reader->u.store.value);
    return r.data == NULL ? NULL
                          : last_store(pair, TUNED, r.data,
                                       (struct last_store){.but = reader});
}

/* Who goes on with what the statement begins. */
static const struct ir_stmt *update_of(const struct diff_pair *pair,
                                       const struct ir_stmt *begins)
{
    if (begins->kind != IR_STORE)
        return NULL;
    return last_store(pair, TUNED, begins->u.store.buffer->data,
                      (struct last_store){.updates = true});
}

/* ---- the list --------------------------------------------------------------------- */

struct suspects {
    struct diff_pair *pair;
    const struct why *why;
    struct diff_scene *out;
    size_t n, most;
};

static void add(struct suspects *s, size_t side, const struct ir_stmt *stmt,
                const struct why_store *store)
{
    if (stmt == NULL || s->n >= s->most)
        return;
    for (size_t i = 0; i < s->n; i++)
        if (s->out[i].side == side && s->out[i].stmt == stmt)
            return;
    s->out[s->n++] = (struct diff_scene){
        .side = side,
        .stmt = stmt,
        .vars = store != NULL ? diff_vars_text(s->pair, store) : NULL};
}

static void add_stores(struct suspects *s, size_t side)
{
    for (size_t i = 0; i < s->why->nstores[side]; i++) {
        const struct why_store *store = &s->why->stores[side][i];
        add(s, side, store->made->stmt, store);
    }
}

/* In all of its turns, if they are known. */
static void add_blamed(struct suspects *s, size_t side,
                       const struct why_store *store)
{
    for (size_t i = 0; i < s->why->nstores[side]; i++)
        if (s->why->stores[side][i].made->stmt == store->made->stmt)
            store = &s->why->stores[side][i];
    add(s, side, store->made->stmt, store);
}

size_t diff_list_suspects(struct diff_pair *pair, const struct why *why,
                          const struct why_blame *blame,
                          struct diff_scene out[DIFF_SUSPECTS])
{
    struct suspects s = {pair, why, out, 0, TUNED_STORES};
    const struct interp_made *made = blame->store[WHY_TUNED].made;
    if (made != NULL && blame->began_only)
        add(&s, TUNED, update_of(pair, made->stmt), NULL);
    if (made != NULL)
        add_blamed(&s, TUNED, &blame->store[WHY_TUNED]);
    if (made != NULL && blame->undefined)
        add(&s, TUNED, writer_for(pair, made->stmt), NULL);
    add_stores(&s, TUNED);
    s.most = s.n + 1;
    if (blame->store[WHY_UNTUNED].made != NULL)
        add_blamed(&s, UNTUNED, &blame->store[WHY_UNTUNED]);
    add_stores(&s, UNTUNED);
    return s.n;
}
