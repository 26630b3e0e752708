/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a finding comes from. Values: both sides run once more for the one
 * element, this time keeping the operations it is made of; what separates the
 * two is named with the statements on the way. Faults: the statement and its
 * variables are in the result; of a race the other access is looked for in
 * another run.
 */
#include "diff/engine/origin.h"

#include "diff/engine/suspects.h"
#include "diff/why/why.h"
#include "ir/walk.h"

#include <string.h>

#define MAX_NODES   400000u /* of a formula, all stores of a run together */
#define MAX_FORMULA 400u    /* bytes of it that are kept as text */
/* One element of a pair without a finding is followed below so many elements of
 * one side, which are all made for it, for so many steps. */
#define DRIFT_ELEMENTS 2000000u
#define DRIFT_STEPS    2000000u
/* A whole run for what else was stored goes on for so many. */
#define WHOLE_STEPS 2000000u
#define OTHERS      64u /* elements that are looked at beside one */

/* ---- values ------------------------------------------------------------------------ */

/* `out->whole`: of the whole run, not of what the element needs alone. */
static bool trace(struct diff_pair *pair, size_t side,
                  const struct diff_finding *f, struct interp_formula *out)
{
    struct diff_run run;
    struct diff_case c = pair->cases[f->case_index];
    struct diff_ask ask = {.formula = out};
    out->param = f->output;
    out->element = f->element;
    out->max = MAX_NODES;
    if (!out->whole)
        diff_demand_one(pair, &c, f->output, f->element);
    diff_run_asking(pair, &c, side, &f->recipe, INTERP_IEEE, &ask, &run);
    bool fine = run.result.fault == INTERP_OK && !out->truncated;
    diff_run_fini(&run);
    return fine;
}

static const char *taken(struct diff_pair *pair, struct buf *text)
{
    const char *out =
        text->len > 0 ? arena_strdup(pair->arena, buf_text(text)) : NULL;
    buf_fini(text);
    return out;
}

static const char *form_text(struct diff_pair *pair,
                             const struct interp_form *form,
                             const struct interp_signature *sig)
{
    struct buf text = {0};
    why_put_form(&text, form, sig, MAX_FORMULA);
    return taken(pair, &text);
}

/* Terms of a reduction over threads are what threads gave, each of them one: where
 * the formulas say otherwise, they are right. */
static void drop_terms(struct diff_pair *pair, const struct why *why)
{
    struct report_witness *w = pair->out->witness;
    if (w == NULL || !why->lists ||
        !((why->missing.n == 0 && w->missing.n > 0) ||
          (why->extra.n == 0 && w->extra.n > 0)))
        return;
    memset(&w->missing, 0, sizeof w->missing);
    memset(&w->extra, 0, sizeof w->extra);
}

static void tell_difference(struct diff_pair *pair,
                            const struct diff_finding *f, const struct why *why,
                            const struct why_blame *blame,
                            struct report_origin *w)
{
    const struct interp_signature *sig = pair->cases[f->case_index].sig;
    struct diff_scene scenes[DIFF_SUSPECTS];
    struct buf cause = {0};
    size_t n = diff_list_suspects(pair, why, blame, scenes);
    diff_put_places(pair, w, scenes, n);
    why_put_cause(&cause, why, sig);
    w->cause = taken(pair, &cause);
    w->formula_untuned = form_text(pair, why->at[WHY_UNTUNED], &sig[UNTUNED]);
    w->formula_tuned = form_text(pair, why->at[WHY_TUNED], &sig[TUNED]);
}

/* One side alone stores to the element. */
static void tell_missing_store(struct diff_pair *pair,
                               const struct diff_finding *f,
                               const struct interp_form *have, size_t side,
                               struct report_origin *w)
{
    const struct interp_signature *sig = pair->cases[f->case_index].sig;
    /* what was stored has a store */
    struct why_store store = {have->made, have->made->values,
                              have->made->values};
    size_t other = side == TUNED ? UNTUNED : TUNED;
    struct diff_scene made = {side, have->made->stmt,
                              diff_vars_text(pair, &store), NULL, NULL};
    struct diff_scene none = {.side = other,
                              .stmt = diff_last_store(pair, other, f->output)};
    struct diff_scene scenes[] = {side == TUNED ? made : none,
                                  side == TUNED ? none : made};
    diff_put_places(pair, w, scenes, NSIDES);
    w->cause = arena_printf(pair->arena, "the %s module never stores to it",
                            diff_side_name(other));
    const char *text = form_text(pair, have, &sig[side]);
    if (side == TUNED)
        w->formula_tuned = text;
    else
        w->formula_untuned = text;
}

/* The formulas of some elements of the output, the last that were stored. */
static void last_of(const struct interp_formula *run, size_t bytes,
                    const size_t *elements, size_t n,
                    const struct interp_form **out)
{
    for (size_t i = 0; i < run->nstores; i++) {
        const struct interp_made *made = run->stores[i]->made;
        for (size_t k = 0; k < n && made->storage == run->root->made->storage;
             k++)
            if (made->offset == elements[k] * bytes)
                out[k] = run->stores[i];
    }
}

/* What is read from the wrong place may as well have been put there: if the right
 * value of another element lies nowhere, who made that one is to blame. */
static void check_others(struct diff_pair *pair, const struct diff_finding *f,
                         const struct interp_formula *right,
                         const struct interp_formula *all, struct arena *arena,
                         struct why_blame *out)
{
    const struct interp_param *p =
        &pair->cases[f->case_index].sig[TUNED].params[f->output];
    const struct interp_form *u[OTHERS] = {0}, *t[OTHERS] = {0};
    size_t elements, at[OTHERS];
    if (!diff_param_elements(p, &elements) || elements == 0)
        return;
    size_t n = elements < OTHERS ? elements : OTHERS;
    for (size_t i = 0; i < n; i++)
        at[i] = i * (elements / n);
    last_of(right, dtype_lane_bytes(p->dtype), at, n, u);
    last_of(all, dtype_lane_bytes(p->dtype), at, n, t);
    for (size_t i = 0; i < n; i++) {
        struct why_blame other;
        if (u[i] != NULL && t[i] != NULL &&
            why_find_blame(u[i], t[i], all, arena, &other) &&
            other.taken_from == NULL && other.store[WHY_TUNED].made != NULL &&
            other.store[WHY_TUNED].made->stmt == out->taken_from->stmt) {
            *out = other;
            return;
        }
    }
}

/* Which statements are to blame for an element with these formulas. The tuned
 * side is run once more, whole, for what else it stored. */
static void find_blame(struct diff_pair *pair, const struct diff_finding *f,
                       const struct interp_form *u, const struct interp_form *t,
                       struct arena *arena, struct why_blame *out)
{
    struct interp_formula all = {.arena = arena, .whole = true};
    uint64_t kept = pair->steps_left;
    pair->steps_left = pair->options->budget < WHOLE_STEPS
                           ? pair->options->budget
                           : WHOLE_STEPS;
    bool fine = trace(pair, TUNED, f, &all) && all.root != NULL;
    why_find_blame(u, fine ? all.root : t, fine ? &all : NULL, arena, out);
    if (fine && out->taken_from != NULL) {
        struct interp_formula right = {.arena = arena, .whole = true};
        if (trace(pair, UNTUNED, f, &right) && right.root != NULL)
            check_others(pair, f, &right, &all, arena, out);
    }
    pair->steps_left = kept;
}

/* False: the two are the same, or cannot be followed. */
static bool trace_both(struct diff_pair *pair, const struct diff_finding *f,
                       uint64_t budget)
{
    struct arena *arena = arena_new();
    struct interp_formula u = {.arena = arena}, t = {.arena = arena};
    struct report_origin *w = ARENA_NEW(pair->arena, struct report_origin);
    struct why why;
    uint64_t kept = pair->steps_left;
    pair->steps_left = budget;
    bool fine = trace(pair, UNTUNED, f, &u) && trace(pair, TUNED, f, &t);
    pair->steps_left = kept;
    if (fine && why_compare(u.root, t.root, arena, &why)) {
        struct why_blame blame;
        find_blame(pair, f, u.root, t.root, arena, &blame);
        why.undefined = blame.undefined;
        if (u.met || t.met)
            drop_terms(pair, &why);
        tell_difference(pair, f, &why, &blame, w);
    } else if (fine && u.root != NULL && t.root == NULL)
        tell_missing_store(pair, f, u.root, UNTUNED, w);
    else if (fine && u.root == NULL && t.root != NULL)
        tell_missing_store(pair, f, t.root, TUNED, w);
    else
        fine = false;
    if (fine)
        pair->out->origin = w;
    arena_free(arena);
    return fine;
}

/* What can be said of an element that could not be followed. */
static void tell_last_stores(struct diff_pair *pair, size_t output)
{
    struct report_origin *w = ARENA_NEW(pair->arena, struct report_origin);
    const struct diff_scene scenes[] = {
        {.side = TUNED, .stmt = diff_last_store(pair, TUNED, output)},
        {.side = UNTUNED, .stmt = diff_last_store(pair, UNTUNED, output)}};
    diff_put_places(pair, w, scenes, NSIDES);
    if (w->nplaces > 0)
        pair->out->origin = w;
}

void diff_trace_value(struct diff_pair *pair, const struct diff_finding *f)
{
    if (!pair->relax && f->kind != DIFF_FAULT &&
        !trace_both(pair, f, pair->options->budget))
        tell_last_stores(pair, f->output);
}

/* ---- undefined variables --------------------------------------------------------------- */

struct mention {
    const char *name;
    const struct ir_stmt *found;
};

static bool is_named(const void *user, const struct ir_expr *e)
{
    const struct mention *m = user;
    return e->kind == IR_VAR_REF && strcmp(e->u.var->name, m->name) == 0;
}

/* The innermost statement that mentions it, the last of several. */
static bool see_mention(void *user, struct ir_stmt *s)
{
    struct mention *m = user;
    if (!ir_stmt_any(s, NULL, is_named, m))
        return false;
    if (s->kind != IR_SEQ)
        m->found = s;
    return true;
}

void diff_trace_variable(struct diff_pair *pair, const char *name)
{
    const struct ir_func *func = pair->side[TUNED].func;
    struct report_origin *w = ARENA_NEW(pair->arena, struct report_origin);
    struct mention m = {.name = name};
    const struct ir_visitor v = {see_mention, NULL, &m};
    if (func->kind != IR_FUNC_PRIM || func->prim.body == NULL)
        return;
    ir_visit_stmt(&v, func->prim.body);
    struct diff_scene scene = {.side = TUNED, .stmt = m.found};
    diff_put_places(pair, w, &scene, 1);
    if (w->nplaces > 0)
        pair->out->origin = w;
}

/* One element may not show what others do, and on another input a condition may
 * be taken; what is told is true of this one. */
void diff_trace_drift(struct diff_pair *pair)
{
    struct buf text = {0};
    if (pair->relax || pair->ncases == 0 ||
        pair->cases[0].elements > DRIFT_ELEMENTS)
        return;
    const struct diff_case *c = &pair->cases[0];
    struct diff_finding f = {.kind = DIFF_VALUE,
                             .recipe = {.fill = INTERP_FILL_EXACT,
                                        .seed = pair->options->seed,
                                        .ranges = c->ranges}};
    for (f.output = 0; f.output < c->sig[UNTUNED].nparams; f.output++) {
        const struct interp_param *p = &c->sig[UNTUNED].params[f.output];
        size_t elements;
        if (!p->is_tensor || !p->stored || p->dtype.lanes > 1 ||
            !diff_param_elements(p, &elements) || elements == 0)
            continue;
        f.element = elements / 2;
        if (!trace_both(pair, &f, DRIFT_STEPS))
            continue;
        struct interp_tensor shape = {
            .dtype = p->dtype, .rank = p->rank, .shape = p->shape};
        buf_puts(&text, p->name);
        interp_put_index(&text, &shape, f.element);
        pair->out->origin->element = taken(pair, &text);
        return;
    }
}

/* ---- faults ------------------------------------------------------------------------- */

static const char *kept_text(struct diff_pair *pair, const char *text)
{
    return text != NULL ? arena_strdup(pair->arena, text) : NULL;
}

static struct diff_scene scene_of(struct diff_pair *pair,
                                  const struct interp_scene *s)
{
    return (struct diff_scene){.side = TUNED,
                               .stmt = s->stmt,
                               .vars = kept_text(pair, s->vars),
                               .thread = kept_text(pair, s->thread)};
}

/* The other access of a race, by a run that looks out for it. */
static bool find_other(struct diff_pair *pair, const struct diff_finding *f,
                       const struct diff_run *run, struct diff_scene *out)
{
    const struct diff_case *c = &pair->cases[f->case_index];
    struct interp_access watch = run->result.race;
    struct diff_ask ask = {.watch = &watch};
    struct diff_run again;
    uint64_t kept = pair->steps_left;
    if (run->result.fault != INTERP_RACE || watch.time == 0 || pair->relax)
        return false;
    pair->steps_left = pair->options->budget;
    diff_run_asking(pair, c, TUNED, &f->recipe, f->domain, &ask, &again);
    pair->steps_left = kept;
    bool found = again.result.other.stmt != NULL;
    if (found)
        *out = scene_of(pair, &again.result.other);
    diff_run_fini(&again);
    return found;
}

/* The last number stored that depends on an operation that overflowed, and of
 * what it was made of the first such one: there it overflowed. Of the turns of
 * that statement the first. */
static const struct interp_form *overflowed(const struct interp_formula *all)
{
    const struct interp_form *found = NULL;
    struct VEC(const struct interp_form *) open = {0};
    for (size_t i = all->nstores; i-- > 0 && found == NULL;)
        if (all->stores[i]->made->wrapped)
            found = all->stores[i];
    if (found != NULL)
        vec_push(&open, found);
    for (size_t looked = 0; open.len > 0 && looked < MAX_NODES; looked++) {
        const struct interp_form *f = open.items[--open.len];
        if (f->made != NULL && f->made->wrapped) {
            found = f;
            open.len = 0;
        }
        for (uint32_t i = 0; i < f->nargs; i++)
            if (f->args[i]->made == NULL || f->args[i]->made->wrapped)
                vec_push(&open, f->args[i]);
    }
    vec_fini(&open);
    for (size_t i = 0; found != NULL; i++)
        if (all->stores[i]->made->wrapped &&
            all->stores[i]->made->stmt == found->made->stmt)
            return all->stores[i];
    return NULL;
}

/* Of an overflow that went through memory: who stored it, by another run. */
static bool find_overflow(struct diff_pair *pair, const struct diff_finding *f,
                          const struct diff_run *run, struct diff_scene *out)
{
    struct arena *arena = arena_new();
    struct interp_formula all = {.arena = arena, .whole = true};
    uint64_t kept = pair->steps_left;
    const struct interp_form *form = NULL;
    if (run->result.fault == INTERP_INDEX_OVERFLOW && !pair->relax) {
        pair->steps_left = WHOLE_STEPS;
        (void)trace(pair, TUNED, f, &all);
        pair->steps_left = kept;
        form = overflowed(&all);
    }
    bool found = form != NULL && form->made->stmt != run->result.scene.stmt;
    if (found) {
        struct why_store store = {form->made, form->made->values,
                                  form->made->values};
        *out = (struct diff_scene){.side = TUNED,
                                   .stmt = form->made->stmt,
                                   .vars = diff_vars_text(pair, &store)};
    }
    arena_free(arena);
    return found;
}

/* "two threads use A_shared[0] and nothing orders them" */
static const char *race_text(struct diff_pair *pair, const struct diff_run *run,
                             const struct diff_scene scenes[2])
{
    const struct interp_result *r = &run->result;
    bool threads = scenes[0].thread != NULL && scenes[1].thread != NULL &&
                   strcmp(scenes[0].thread, scenes[1].thread) != 0;
    return arena_printf(pair->arena,
                        "two %s use %s[%zu] and nothing orders them",
                        threads ? "threads" : "iterations",
                        r->buffer != NULL ? r->buffer : "memory",
                        r->race.size > 0 ? r->race.offset / r->race.size : 0);
}

void diff_trace_fault(struct diff_pair *pair, const struct diff_finding *f,
                      const struct diff_run *run)
{
    const struct interp_result *r = &run->result;
    struct report_origin *w = ARENA_NEW(pair->arena, struct report_origin);
    struct diff_scene scenes[2];
    size_t n = 1;
    scenes[0] = scene_of(pair, &r->scene);
    if (find_other(pair, f, run, &scenes[1])) {
        scenes[0].access = r->race_writes ? "write" : "read";
        scenes[1].access = r->race.write ? "write" : "read";
        n = 2;
        w->cause = race_text(pair, run, scenes);
    }
    if (find_overflow(pair, f, run, &scenes[1])) {
        const struct diff_scene used = scenes[0];
        scenes[0] = scenes[1];
        scenes[1] = used;
        n = 2;
    }
    diff_put_places(pair, w, scenes, n);
    pair->out->origin = w;
}
