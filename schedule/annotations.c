/* SPDX-License-Identifier: Apache-2.0
 *
 * What annotations for later passes ask of a loop or block, as it stands when
 * it is annotated.
 *
 * software_pipeline_stage, _order: the statements of the loop's body overlap
 * across iterations: iteration i runs the statements of stage s at time i + s,
 * and at one time they run in the given order. Storage that each iteration
 * makes anew gets as many copies as needed. So
 *   - there is a number for each statement; orders are 0 … n - 1, each once;
 *   - a statement that reads what another one made before it is in no earlier
 *     stage, and behind it in the same one;
 *   - what is not made anew in each iteration is used in one stage, in the
 *     order of the text.
 * A block in the body that is a sequence counts with its statements. Where
 * passes before that will make statements (a pipeline within, a local stage)
 * the numbers cannot be told yet, and only their form is looked at.
 * software_pipeline_async_stages: stages that there are.
 * double_buffer_scope: which of its writes a block gets two copies of.
 * manifest_shared_memory_local_stage: of a block that writes one buffer.
 *
 * Source: TVM, s_tir/transform/inject_software_pipeline.cc, and
 * manifest_shared_memory_local_stage.cc. These look at claims, and at what is
 * read after it is written alone; here bodies are looked at, and what
 * iterations share. Made anew: the first statement that uses it writes it, and
 * nothing outside of the loop uses it; whether it writes all of it is not
 * looked at.
 */
#include "schedule/schedule_private.h"

#include <string.h>

#define MAX_STATEMENTS 64u
#define STAGE          "software_pipeline_stage"
#define ORDER          "software_pipeline_order"
#define LOCAL_STAGE    "manifest_shared_memory_local_stage"

static bool is_key(const char *key, const char *name)
{
    const char *dot = strrchr(key, '.');
    return strcmp(dot ? dot + 1 : key, name) == 0;
}

/* ---- numbers ---------------------------------------------------------------- */

static bool numbers_of(struct schedule *s, const char *key,
                       const struct ir_value *value, size_t *n, int64_t *out)
{
    bool good = value->kind == IR_V_ARRAY && value->n <= MAX_STATEMENTS;
    for (size_t i = 0; good && i < value->n; i++)
        good = ir_value_as_int(value->items[i], &out[i]) && out[i] >= 0 &&
               out[i] < 1024;
    *n = good ? value->n : 0;
    return good || sched_bad(s, "'%s' has to be a list of up to %u numbers",
                             key, MAX_STATEMENTS);
}

static bool check_orders(struct schedule *s, size_t n, const int64_t *orders)
{
    for (size_t i = 0; i < n; i++) {
        bool again = false;
        for (size_t j = 0; j < i; j++)
            again |= orders[i] == orders[j];
        if (again || (uint64_t)orders[i] >= n)
            return sched_illegal(s,
                                 "orders of a pipeline are 0 to %zu, each "
                                 "once; %d is %s",
                                 n - 1, (int)orders[i],
                                 again ? "there twice" : "none of them");
    }
    return true;
}

/* ---- statements of a pipeline ------------------------------------------------- */

struct pipeline {
    const struct ir_stmt *loop;
    size_t n;
    struct ir_stmt *items[MAX_STATEMENTS];
    bool settled; /* no pass will make more statements of them */
};

static bool makes_more(const void *unused, const struct ir_stmt *stmt)
{
    const struct ir_value *a = stmt->kind == IR_FOR ? stmt->u.loop.annotations
                               : stmt->kind == IR_BLOCK
                                   ? stmt->u.block->annotations
                                   : NULL;
    (void)unused;
    for (size_t i = 0; a && a->keys && i < a->n; i++)
        if (is_key(a->keys[i], STAGE) || is_key(a->keys[i], LOCAL_STAGE))
            return true;
    return false;
}

static void add_item(struct pipeline *p, struct ir_stmt *stmt)
{
    if (p->n < MAX_STATEMENTS)
        p->items[p->n] = stmt;
    p->n++;
    p->settled &= !ir_stmt_any(stmt, makes_more, NULL, NULL);
}

static bool is_sequence_block(const struct ir_stmt *stmt)
{
    return stmt->kind == IR_BLOCK && ir_is_true(stmt->u.block->predicate) &&
           stmt->u.block->body->kind == IR_SEQ;
}

static bool list_statements(struct schedule *s, struct pipeline *p)
{
    const struct ir_stmt *body = p->loop->u.loop.body;
    if (body->kind == IR_BLOCK)
        body = body->u.block->body;
    if (body->kind != IR_SEQ)
        return sched_illegal(s,
                             "loop '%s' holds one statement: there is nothing "
                             "to overlap",
                             p->loop->u.loop.var->name);
    p->settled = true;
    for (size_t i = 0; i < body->u.seq.n; i++) {
        struct ir_stmt *item = body->u.seq.items[i];
        if (!is_sequence_block(item)) {
            add_item(p, item);
            continue;
        }
        const struct ir_stmt *seq = item->u.block->body;
        for (size_t j = 0; j < seq->u.seq.n; j++)
            add_item(p, seq->u.seq.items[j]);
    }
    return true;
}

/* ---- dependences ---------------------------------------------------------------- */

struct elsewhere {
    const struct ir_stmt *loop;
    const struct ir_var *data;
    bool found, made; /* used outside of the loop; made in the function */
};

static bool see_expr(void *user, struct ir_expr *e)
{
    struct elsewhere *x = user;
    if ((e->kind == IR_LOAD || e->kind == IR_BUFFER_REF) &&
        e->u.buffer->data == x->data)
        x->found = true;
    if (e->kind == IR_VAR_REF && e->u.var == x->data)
        x->found = true;
    return true;
}

static bool see_stmt(void *user, struct ir_stmt *stmt)
{
    struct elsewhere *x = user;
    if (stmt == x->loop)
        return false;
    if (stmt->kind == IR_STORE && stmt->u.store.buffer->data == x->data)
        x->found = true;
    if (stmt->kind == IR_BLOCK) {
        const struct ir_block *b = stmt->u.block;
        for (size_t i = 0; i < b->nallocs; i++)
            x->made |= b->allocs[i]->data == x->data;
        for (size_t i = 0; i < b->nmatches; i++)
            x->found |= b->matches[i].source.buffer->data == x->data;
    }
    return true;
}

/* Each iteration makes it anew: nothing else uses it, and it is written before
 * it is read. */
static bool is_anew(struct schedule *s, const struct pipeline *p,
                    const struct ir_var *data)
{
    struct elsewhere x = {p->loop, data, false, false};
    struct ir_visitor visitor = {see_stmt, see_expr, &x};
    struct sched_touch t;
    ir_visit_stmt(&visitor, s->func->prim.body);
    for (size_t i = 0; i < p->n; i++) {
        sched_touch(p->items[i], &t);
        unsigned how = sched_touches(&t, data);
        if (how != 0)
            return x.made && !x.found && how == SCHED_WRITE;
    }
    return false;
}

static const char *name_of(const struct ir_var *data)
{
    return data->owner ? data->owner->name : data->name;
}

static const char *label_of(const struct ir_stmt *stmt)
{
    while (stmt->kind == IR_FOR || stmt->kind == IR_ATTR)
        stmt = stmt->kind == IR_FOR ? stmt->u.loop.body : stmt->u.attr.body;
    return stmt->kind == IR_BLOCK ? stmt->u.block->name
                                  : ir_stmt_kind_name(stmt->kind);
}

struct timing {
    const int64_t *stages, *orders;
};

/* Of what statement i and a later one, j, both touch. */
static bool check_pair(struct schedule *s, const struct pipeline *p,
                       const struct timing *t, size_t i, size_t j)
{
    struct sched_touch a, b;
    const char *first = label_of(p->items[i]), *second = label_of(p->items[j]);
    sched_touch(p->items[i], &a);
    sched_touch(p->items[j], &b);
    for (size_t k = 0; k < a.n && !a.opaque && !b.opaque; k++) {
        const struct ir_var *data = a.items[k].data;
        unsigned other = sched_touches(&b, data);
        if (!other || !((a.items[k].how | other) & SCHED_WRITE))
            continue;
        if (!sched_require(s, t->stages[i] <= t->stages[j],
                           "block '%s' uses buffer '%s' in stage %d, before "
                           "block '%s' is done with it in stage %d",
                           second, name_of(data), (int)t->stages[j], first,
                           (int)t->stages[i]) ||
            !sched_require(
                s, t->stages[i] != t->stages[j] || t->orders[i] < t->orders[j],
                "blocks '%s' and '%s' of one stage use buffer '%s', "
                "and may not be reordered",
                first, second, name_of(data)) ||
            !sched_require(s,
                           t->stages[i] == t->stages[j] || is_anew(s, p, data),
                           "buffer '%s' is used in stages %d and %d, and not "
                           "made anew in each iteration",
                           name_of(data), (int)t->stages[i], (int)t->stages[j]))
            return false;
    }
    return true;
}

static bool check_timing(struct schedule *s, const struct pipeline *p,
                         const struct timing *t)
{
    for (size_t i = 0; i < p->n; i++)
        for (size_t j = i + 1; j < p->n; j++)
            if (!check_pair(s, p, t, i, j))
                return false;
    return true;
}

static bool check_pipeline(struct schedule *s, const struct ir_stmt *loop,
                           const char *key, const struct ir_value *value)
{
    bool stages = is_key(key, STAGE);
    const struct ir_value *other =
        ir_value_find(loop->u.loop.annotations, stages ? ORDER : STAGE);
    int64_t numbers[2][MAX_STATEMENTS];
    struct pipeline p = {.loop = loop};
    size_t n, m;
    if (!numbers_of(s, key, value, &n, numbers[0]) ||
        (!stages && !check_orders(s, n, numbers[0])) || !list_statements(s, &p))
        return false;
    if (!p.settled)
        return true;
    if (p.n != n)
        return sched_illegal(s,
                             "loop '%s' holds %zu statements, and '%s' has %zu "
                             "numbers",
                             loop->u.loop.var->name, p.n, key, n);
    if (!other)
        return true;
    struct timing t = {numbers[!stages], numbers[stages]};
    return numbers_of(s, key, other, &m, numbers[1]) &&
           (m == n || sched_illegal(s,
                                    "loop '%s' has another number of stages "
                                    "than of orders",
                                    loop->u.loop.var->name)) &&
           check_timing(s, &p, &t);
}

static bool check_async(struct schedule *s, const struct ir_stmt *loop,
                        const char *key, const struct ir_value *value)
{
    const struct ir_value *stages =
        ir_value_find(loop->u.loop.annotations, STAGE);
    int64_t numbers[2][MAX_STATEMENTS];
    size_t n, m;
    if (!numbers_of(s, key, value, &n, numbers[0]))
        return false;
    if (!stages)
        return true;
    if (!numbers_of(s, STAGE, stages, &m, numbers[1]))
        return false;
    for (size_t i = 0; i < n; i++) {
        bool found = false;
        for (size_t j = 0; j < m; j++)
            found |= numbers[0][i] == numbers[1][j];
        if (!found)
            return sched_illegal(s, "loop '%s' has no stage %d",
                                 loop->u.loop.var->name, (int)numbers[0][i]);
    }
    return true;
}

/* ---- blocks ---------------------------------------------------------------------- */

static bool check_double(struct schedule *s, const struct ir_block *b,
                         const struct ir_value *value)
{
    int64_t index = -1;
    if (!ir_value_as_int(value, &index) || index < 0 ||
        (uint64_t)index >= b->nwrites)
        return sched_illegal(s, "block '%s' has no write %d to be doubled",
                             b->name, (int)index);
    return true;
}

bool schedule_check_annotation(struct schedule *s, schedule_ref ref,
                               const char *key, const struct ir_value *value)
{
    const struct ir_stmt *stmt = schedule_stmt(s, ref);
    bool pipeline = is_key(key, STAGE) || is_key(key, ORDER);
    bool async = is_key(key, "software_pipeline_async_stages");
    bool twice = is_key(key, "double_buffer_scope");
    bool local = is_key(key, LOCAL_STAGE);
    sched_begin(s);
    if (!stmt)
        return sched_bad(s, "not a loop or block");
    if ((pipeline || async) && stmt->kind != IR_FOR)
        return sched_illegal(s, "'%s' is for loops", key);
    if ((twice || local) && stmt->kind != IR_BLOCK)
        return sched_illegal(s, "'%s' is for blocks", key);
    if (pipeline)
        return check_pipeline(s, stmt, key, value);
    if (async)
        return check_async(s, stmt, key, value);
    if (twice)
        return check_double(s, stmt->u.block, value);
    if (local && stmt->u.block->nwrites != 1)
        return sched_illegal(s, "block '%s' does not write one buffer",
                             stmt->u.block->name);
    return true;
}
