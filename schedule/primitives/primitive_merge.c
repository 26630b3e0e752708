/* SPDX-License-Identifier: Apache-2.0
 *
 * merge: nests of loops one behind the other, of equal extents, become one
 * nest, in whose iterations their bodies follow each other. The loops given are
 * the innermost of each nest; a nest begins below the innermost loop or block
 * around all of them, and ends where the last one stood.
 *
 * Legal for chains of loops from 0 in steps of 1 without annotations and
 * threads, as many in each nest and as long. TVM (s_tir/schedule/primitive/
 * loop_transformation.cc) asks no more, though the bodies take turns then.
 * Beyond it: the nests are given in the order of the text and stand in one
 * sequence; what stands between them has nothing to do with them; and where a
 * body touches what an earlier one writes, the iteration before it wrote just
 * that, once: it runs for none of the iterations twice, and they are not those
 * of its reduction.
 */
#include "schedule/schedule_private.h"

#include <string.h>

struct nest {
    struct sched_path path; /* to the loop given */
    size_t top;             /* the outermost of the nest in it */
};

struct merging {
    struct schedule *s;
    size_t n, depth;
    struct ir_stmt *seq;
    struct nest nests[SCHEDULE_MAX_LOOPS];
};

static struct ir_stmt *loop_at(const struct nest *n, size_t level)
{
    return n->path.nodes[n->top + level];
}

/* ---- form ------------------------------------------------------------------ */

/* How many nodes from the root on all paths share. */
static size_t common(const struct merging *m)
{
    size_t n = 0;
    for (;; n++)
        for (size_t i = 0; i < m->n; i++)
            if (n + 1 >= m->nests[i].path.n ||
                m->nests[i].path.nodes[n] != m->nests[0].path.nodes[n])
                return n;
}

static bool check_nest(struct merging *m, struct nest *nest)
{
    for (size_t i = nest->top; i < nest->path.n; i++) {
        const struct ir_stmt *loop = nest->path.nodes[i];
        if (loop->kind != IR_FOR)
            return sched_illegal(m->s,
                                 "the loops are not chains of loops in one "
                                 "sequence");
        const char *name = loop->u.loop.var->name;
        if (loop->u.loop.annotations || loop->u.loop.kind == IR_FOR_THREAD)
            return sched_illegal(m->s, "loop '%s' has annotations or a thread",
                                 name);
        if (loop->u.loop.step || !ir_is_const_int(loop->u.loop.min, 0))
            return sched_illegal(m->s, "loop '%s' does not count from 0 by 1",
                                 name);
    }
    if (nest->path.n - nest->top != m->depth)
        return sched_illegal(m->s, "the nests of loops are not equally deep");
    return true;
}

static bool check_extents(struct merging *m)
{
    struct sched_env *env = dc_alloc(sizeof *env);
    struct sched_path above = m->nests[0].path;
    bool good = true;
    int64_t d;
    above.n = m->nests[0].top;
    sched_env_path(m->s, &above, env);
    for (size_t i = 1; i < m->n && good; i++)
        for (size_t j = 0; j < m->depth && good; j++) {
            const struct ir_stmt *a = loop_at(&m->nests[0], j);
            const struct ir_stmt *b = loop_at(&m->nests[i], j);
            if (!sched_difference(m->s, env, a->u.loop.extent, b->u.loop.extent,
                                  &d) ||
                d != 0)
                good =
                    sched_illegal(m->s, "loops '%s' and '%s' differ in extent",
                                  a->u.loop.var->name, b->u.loop.var->name);
            else if (!dtype_equal(a->u.loop.var->dtype, b->u.loop.var->dtype))
                good = sched_unsupported(m->s,
                                         "the loops count in different types");
        }
    dc_release(env);
    return good;
}

static bool find(struct merging *m, const schedule_ref *refs)
{
    for (size_t i = 0; i < m->n; i++)
        if (!sched_find_loop(m->s, refs[i], &m->nests[i].path))
            return false;
    size_t shared = common(m);
    const struct sched_path *first = &m->nests[0].path;
    if (shared == 0 || first->nodes[shared - 1]->kind != IR_SEQ)
        return sched_illegal(m->s, "the loops are not chains of loops in one "
                                   "sequence");
    m->seq = first->nodes[shared - 1];
    m->depth = first->n - shared;
    for (size_t i = 0; i < m->n; i++)
        m->nests[i].top = shared;
    for (size_t i = 0; i < m->n; i++) {
        for (size_t j = 0; j < i; j++)
            if (loop_at(&m->nests[i], 0) == loop_at(&m->nests[j], 0))
                return sched_illegal(m->s, "two of the loops are in one nest");
        if (!check_nest(m, &m->nests[i]))
            return false;
    }
    return check_extents(m);
}

/* ---- meaning --------------------------------------------------------------- */

static size_t place_of(const struct merging *m, const struct ir_stmt *item)
{
    size_t i = 0;
    while (i < m->seq->u.seq.n && m->seq->u.seq.items[i] != item)
        i++;
    return i;
}

static bool clash(struct ir_stmt *a, struct ir_stmt *b)
{
    struct sched_touch x, y;
    sched_touch(a, &x);
    sched_touch(b, &y);
    bool found = x.opaque || y.opaque;
    for (size_t i = 0; i < x.n; i++)
        found |= ((x.items[i].how | sched_touches(&y, x.items[i].data)) &
                  SCHED_WRITE) &&
                 sched_touches(&y, x.items[i].data);
    return found;
}

/* Statements that a nest passes on its way to the last. */
static bool check_passed(struct merging *m)
{
    size_t last = place_of(m, loop_at(&m->nests[m->n - 1], 0));
    for (size_t i = 0; i + 1 < m->n; i++) {
        struct ir_stmt *nest = loop_at(&m->nests[i], 0);
        size_t at = place_of(m, nest);
        if (!sched_require(m->s, at < place_of(m, loop_at(&m->nests[i + 1], 0)),
                           "loop '%s' stands behind the next one given",
                           nest->u.loop.var->name))
            return false;
        for (size_t j = at + 1; j < last; j++) {
            struct ir_stmt *other = m->seq->u.seq.items[j];
            bool merged = false;
            for (size_t k = 0; k < m->n; k++)
                merged |= loop_at(&m->nests[k], 0) == other;
            if (!sched_require(m->s, merged || !clash(nest, other),
                               "loop '%s' would pass a statement that touches "
                               "the same",
                               nest->u.loop.var->name))
                return false;
        }
    }
    return true;
}

/* An earlier block that a later nest depends on stores each element in one
 * iteration, and for good. */
static bool check_writer(struct merging *m, const struct nest *nest,
                         struct ir_stmt *block)
{
    const struct ir_block *b = block->u.block;
    struct sched_path path;
    bool spatial = true;
    for (size_t i = 0; i < m->depth; i++) {
        const struct ir_var *var = loop_at(nest, i)->u.loop.var;
        spatial &= sched_reaches(b, IR_ITER_SPATIAL, var) &&
                   !sched_reaches(b, IR_ITER_REDUCE, var);
    }
    return sched_require(m->s,
                         spatial && sched_spatial_distinct(block) &&
                             sched_find_stmt(m->s, block, &path) &&
                             sched_is_affine(m->s, &path),
                         "block '%s' may store an element in several "
                         "iterations, which a later nest touches",
                         b->name);
}

static bool check_writers(struct merging *m)
{
    struct sched_children *all = dc_alloc(sizeof *all);
    bool good = true;
    for (size_t i = 0; i < m->n && good; i++) {
        good =
            sched_require(m->s, sched_children(loop_at(&m->nests[i], 0), all),
                          "a statement below loop '%s' stands in no block",
                          loop_at(&m->nests[i], 0)->u.loop.var->name);
        for (size_t k = 0; k < all->n && good; k++)
            for (size_t j = i + 1; j < m->n && good; j++)
                if (clash(all->items[k], loop_at(&m->nests[j], 0)))
                    good = check_writer(m, &m->nests[i], all->items[k]);
    }
    dc_release(all);
    return good;
}

/* ---- the nest -------------------------------------------------------------- */

static struct ir_stmt *build(struct merging *m, struct ir_var **innermost)
{
    struct schedule *s = m->s;
    struct ir_var *vars[SCHED_MAX_PATH];
    struct ir_stmt *body = NULL;
    for (size_t i = 0; i < m->depth; i++) {
        const struct ir_var *old = loop_at(&m->nests[0], i)->u.loop.var;
        vars[i] = sched_var(s, old->dtype, "%s_m", old->name);
    }
    for (size_t i = 0; i < m->n; i++) {
        struct sched_map map = {.s = s};
        for (size_t j = 0; j < m->depth; j++)
            sched_map_add(&map, loop_at(&m->nests[i], j)->u.loop.var,
                          ir_var_ref(s->m, vars[j]));
        struct ir_stmt *loop = sched_path_end(&m->nests[i].path);
        body = sched_seq(s, body, sched_map_stmt(&map, loop->u.loop.body));
    }
    for (size_t i = m->depth; i-- > 0;)
        body = sched_loop_make(s, vars[i],
                               loop_at(&m->nests[0], i)->u.loop.extent, body);
    *innermost = vars[m->depth - 1];
    return body;
}

static bool replace(struct merging *m, struct ir_stmt *nest)
{
    struct schedule *s = m->s;
    struct sched_path path = m->nests[0].path;
    struct ir_stmt *seq = NULL;
    for (size_t i = 0; i < m->seq->u.seq.n; i++) {
        struct ir_stmt *item = m->seq->u.seq.items[i];
        size_t which = 0;
        while (which < m->n && loop_at(&m->nests[which], 0) != item)
            which++;
        if (which < m->n)
            item = which + 1 == m->n ? nest : NULL;
        seq = sched_seq(s, seq, item);
    }
    path.n = m->nests[0].top;
    return sched_commit(s, sched_replace(s, &path, seq));
}

bool schedule_merge(struct schedule *s, size_t n, const schedule_ref *refs,
                    schedule_ref *out)
{
    struct sched_path path;
    struct ir_var *var;
    sched_begin(s);
    if (n < 2 || n > SCHEDULE_MAX_LOOPS)
        return sched_bad(s, "expected 2 to %u loops", SCHEDULE_MAX_LOOPS);
    struct merging *m = dc_alloc(sizeof *m);
    struct schedule_point point = schedule_mark(s);
    m->s = s;
    m->n = n;
    bool good = find(m, refs) && check_passed(m) && check_writers(m) &&
                replace(m, build(m, &var));
    dc_release(m);
    if (!good)
        return false;
    *out = sched_ref_loop(s, var);
    if (sched_find_loop(s, *out, &path) &&
        sched_require_iterations_apart(s, &path))
        return true;
    schedule_return(s, point);
    return false;
}

/* merge(loop, …) */
static bool apply(struct schedule *s, size_t nargs,
                  const struct schedule_arg *args, size_t *nout,
                  schedule_ref *out)
{
    schedule_ref loops[SCHEDULE_MAX_LOOPS];
    if (!sched_arg_refs(s, nargs, args, loops) ||
        !schedule_merge(s, nargs, loops, out))
        return false;
    *nout = 1;
    return true;
}

extern const struct schedule_primitive primitive_merge;
const struct schedule_primitive primitive_merge = {
    .name = "merge",
    .arguments = "loop, ...",
    .source = "loop_transformation.cc",
    .apply = apply,
};
