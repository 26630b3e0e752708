/* SPDX-License-Identifier: Apache-2.0
 *
 * Several calls as one PrimFunc, so that what one side computes by a fused
 * function and the other by a chain of functions can be compared.
 *
 * From a call backwards to contents that are known to answer to contents of the
 * other side; what lies between becomes a sequence of blocks, each the body of
 * a callee whose parameters are matched with the storage of its arguments
 * (match_buffer). Contents in between are allocated, what comes in and the one
 * output are parameters. Only callees that write nothing but fresh outputs of
 * known sizes and launch no threads take part.
 */
#include "ir/base/limits.h"
#include "verifier/relax/chain.h"

#define MAX_CONE   12u /* calls */
#define MAX_LEAVES 64u

struct leaf {
    const struct chain_term *terms[2]; /* untuned, tuned */
    unsigned how;
};

struct fusing {
    struct chain_proof *proof;
    const struct verifier_options *options;
    const struct chain *chains;
    struct arena *arena;
    size_t nleaves;
    struct leaf leaves[MAX_LEAVES];
    size_t n[2];
    const struct chain_call *cone[2][MAX_CONE];
};

/* ---- what takes part -------------------------------------------------------- */

static bool is_static(const struct ir_type *t)
{
    int64_t value;
    bool fine = t != NULL && t->kind == IR_TYPE_TENSOR && t->has_dims;
    for (int d = 0; fine && d < t->ndim; d++)
        fine = ir_const_int(t->dims[d], &value) && value >= 1;
    return fine;
}

/* Whether the argument has the rank that the callee declares: where it has
 * not, a call is a fault and a match need not be. (That it has the sizes, a
 * match asserts.) */
static bool same_rank(const struct chain_call *call, size_t i)
{
    const struct chain_arg *a = &call->args[i];
    const struct ir_buffer *b = call->callee->func->prim.params[i].buffer;
    const struct ir_type *t = a->fresh;
    if (a->term != NULL && a->term->kind == CHAIN_CONSTANT)
        return a->term->constant->rank == b->rank;
    if (a->term != NULL)
        t = a->term->type;
    return t != NULL && t->ndim >= 0 && (size_t)t->ndim == b->rank;
}

static bool has_threads(const struct vprog *p)
{
    bool found = p->nbarriers > 0 || p->ngroups > 0;
    for (size_t i = 0; i < p->nloops; i++)
        found |= p->loops[i]->kind == IR_FOR_THREAD;
    return found;
}

static bool is_plain(const struct fusing *f, const struct chain_call *call)
{
    if (has_threads(call->callee->prog))
        return false;
    for (size_t i = 0; i < call->n; i++) {
        if (call->args[i].scalar != NULL ||
            call->callee->func->prim.params[i].buffer == NULL ||
            !OBLIGED_CHAIN(f->options,
                           "chain: arguments have the rank declared",
                           same_rank(call, i)) ||
            (call->after[i] != NULL && call->args[i].fresh == NULL) ||
            (call->args[i].fresh != NULL && !is_static(call->args[i].fresh)))
            return false;
    }
    return true;
}

/* Its one output; false if there are more. */
static bool only_output(const struct chain_call *call, size_t *out)
{
    size_t n = 0;
    for (size_t i = 0; i < call->n; i++)
        if (call->after[i] != NULL) {
            *out = i;
            n++;
        }
    return n == 1;
}

/* ---- the calls on the way --------------------------------------------------- */

static bool add_leaf(struct fusing *f, const struct chain_term *untuned,
                     const struct chain_term *tuned, unsigned how)
{
    for (size_t i = 0; i < f->nleaves; i++) {
        struct leaf *leaf = &f->leaves[i];
        if (untuned != NULL && leaf->terms[0] == untuned &&
            (tuned == NULL || leaf->terms[1] == tuned))
            return true;
        if (tuned != NULL && leaf->terms[1] == tuned)
            return untuned == NULL;
    }
    if (f->nleaves == MAX_LEAVES)
        return false;
    f->leaves[f->nleaves++] = (struct leaf){{untuned, tuned}, how};
    return true;
}

/* The term as a leaf, if its answer on the other side is known; what may be
 * undefined is looked into, since a proof takes what it is given as defined. */
static bool is_leaf(struct fusing *f, size_t side,
                    const struct chain_term *term, bool *fine)
{
    *fine = true;
    if (term->kind == CHAIN_OUTPUT && side == 1) {
        if (term->call->answers == NULL ||
            term->call->answers[term->at] == NULL ||
            !OBLIGED_CHAIN(f->options,
                           "chain: what a sequence is given is defined",
                           chain_all(f->proof, 1, &term, CHAIN_DEFINED)))
            return false;
        *fine = add_leaf(f, term->call->answers[term->at], term,
                         term->call->verdict);
        return true;
    }
    if (term->kind == CHAIN_OUTPUT) {
        for (size_t i = 0; i < f->nleaves; i++)
            if (f->leaves[i].terms[0] == term)
                return true;
        return false;
    }
    /* parameters and constants: matched with the other side's below */
    for (size_t i = 0; i < f->nleaves; i++) {
        struct leaf *leaf = &f->leaves[i];
        const struct chain_term *other = leaf->terms[1 - side];
        if (leaf->terms[side] == term)
            return true;
        if (leaf->terms[side] != NULL || other == NULL ||
            other->kind != term->kind)
            continue;
        if (OBLIGED_CHAIN(
                f->options, "chain: sequences begin with the same",
                term->kind == CHAIN_PARAM
                    ? other->number == term->number
                    : chain_same_constant(other->constant, term->constant))) {
            leaf->terms[side] = term;
            return true;
        }
    }
    *fine = side == 0 ? add_leaf(f, term, NULL, 0) : add_leaf(f, NULL, term, 0);
    return true;
}

/* Every call on the way back from this one, callees before their users. */
static bool find_cone(struct fusing *f, size_t side,
                      const struct chain_call *call, unsigned depth)
{
    for (size_t i = 0; i < f->n[side]; i++)
        if (f->cone[side][i] == call)
            return true;
    if (depth >= MAX_CONE || !is_plain(f, call))
        return false;
    for (size_t i = 0; i < call->n; i++) {
        const struct chain_term *term = call->args[i].term;
        bool fine = true;
        if (term == NULL || is_leaf(f, side, term, &fine)) {
            if (!fine)
                return false;
            continue;
        }
        if (!find_cone(f, side, term->call, depth + 1))
            return false;
    }
    if (f->n[side] >= MAX_CONE)
        return false;
    f->cone[side][f->n[side]++] = call;
    return true;
}

/* ---- building --------------------------------------------------------------- */

struct building {
    struct ir_module *m;
    size_t n, cap;
    struct built {
        const struct chain_term *term;
        struct ir_buffer *buffer;
    } * items;
};

static struct ir_buffer *make_buffer(struct ir_module *m, const char *name,
                                     const struct chain_term *term)
{
    struct ir_expr *shape[DC_MAX_RANK];
    size_t rank = 0;
    struct dtype dtype;
    if (term->kind == CHAIN_CONSTANT) {
        dtype = term->constant->dtype;
        rank = term->constant->rank;
        for (size_t d = 0; d < rank; d++)
            shape[d] = ir_int(m, DTYPE_INT64, term->constant->shape[d]);
    } else {
        dtype = term->type->dtype;
        rank = (size_t)term->type->ndim;
        for (size_t d = 0; d < rank; d++) {
            int64_t extent = 0;
            (void)ir_const_int(term->type->dims[d], &extent);
            shape[d] = ir_int(m, DTYPE_INT64, extent);
        }
    }
    return ir_buffer_make(m, name, dtype, rank, shape, NULL, "global");
}

static struct ir_buffer *storage_of(struct building *b,
                                    const struct chain_term *term)
{
    for (size_t i = 0; i < b->n; i++)
        if (b->items[i].term == term)
            return b->items[i].buffer;
    return NULL;
}

static void keep(struct building *b, const struct chain_term *term,
                 struct ir_buffer *buffer)
{
    b->items[b->n++] = (struct built){term, buffer};
}

static struct ir_stmt *make_block(struct ir_module *m, const char *name,
                                  size_t nallocs, struct ir_buffer **allocs,
                                  size_t nmatches,
                                  struct ir_match_buffer *matches,
                                  struct ir_stmt *body)
{
    struct ir_stmt *s = ir_stmt_make(m, IR_BLOCK);
    struct ir_block *b = ARENA_NEW(m->arena, struct ir_block);
    b->name = name;
    b->predicate = ir_int(m, DTYPE_BOOL, 1);
    b->nallocs = nallocs;
    b->allocs = allocs;
    b->nmatches = nmatches;
    b->matches = matches;
    b->body = body;
    s->u.block = b;
    ir_stmt_seal(s);
    return s;
}

/* The body of a callee, its parameters being the storage of its arguments. */
static struct ir_stmt *make_call(struct building *b,
                                 const struct chain_call *call)
{
    struct ir_module *m = b->m;
    const struct ir_prim_func *prim = &call->callee->func->prim;
    struct ir_match_buffer *matches =
        ARENA_ARRAY(m->arena, call->n + 1, struct ir_match_buffer);
    for (size_t i = 0; i < call->n; i++) {
        struct ir_buffer *source = storage_of(
            b, call->after[i] != NULL ? call->after[i] : call->args[i].term);
        matches[i].buffer = prim->params[i].buffer;
        matches[i].source.buffer = source;
        matches[i].source.nranges = source->rank;
        matches[i].source.ranges =
            ARENA_ARRAY(m->arena, source->rank + 1, struct ir_range);
        for (size_t d = 0; d < source->rank; d++) {
            matches[i].source.ranges[d].min = ir_int(m, DTYPE_INT64, 0);
            matches[i].source.ranges[d].extent = source->shape[d];
        }
    }
    return make_block(m, call->callee->func->name, 0, NULL, call->n, matches,
                      prim->body);
}

static void build(struct fusing *f, size_t side, struct chain_fused *out)
{
    const struct ir_module *from = f->chains[side].module;
    struct ir_module *m = out->modules[side] = ir_module_new();
    struct building b = {.m = m};
    size_t n = f->n[side], nallocs = 0, at = 0;
    const struct chain_call *last = f->cone[side][n - 1];
    m->nvars = from->nvars;
    m->nbuffers = from->nbuffers;
    m->source = from->source;
    (void)only_output(last, &at);
    b.items = ARENA_ARRAY(m->arena, f->nleaves + n + 1, struct built);
    struct ir_param *params =
        ARENA_ARRAY(m->arena, f->nleaves + 2, struct ir_param);
    for (size_t i = 0; i <= f->nleaves; i++) {
        const struct leaf *leaf = i < f->nleaves ? &f->leaves[i] : NULL;
        const struct chain_term *term =
            leaf != NULL ? leaf->terms[side] : last->after[at];
        /* what one side alone is given is there for both */
        const struct chain_term *shape =
            term != NULL ? term : leaf->terms[1 - side];
        const char *name = leaf == NULL             ? "result"
                           : leaf->terms[0] != NULL ? leaf->terms[0]->name
                                                    : leaf->terms[1]->name;
        params[i].buffer = make_buffer(m, name, shape);
        params[i].var = ir_var_make(m, name, DTYPE_HANDLE);
        if (term != NULL)
            keep(&b, term, params[i].buffer);
    }
    struct ir_buffer **allocs =
        ARENA_ARRAY(m->arena, n + 1, struct ir_buffer *);
    struct ir_stmt **items = ARENA_ARRAY(m->arena, n + 1, struct ir_stmt *);
    for (size_t i = 0; i < n; i++) {
        size_t own = 0;
        (void)only_output(f->cone[side][i], &own);
        if (i + 1 < n) {
            const struct chain_term *term = f->cone[side][i]->after[own];
            allocs[nallocs] =
                make_buffer(m, f->cone[side][i]->callee->func->name, term);
            keep(&b, term, allocs[nallocs++]);
        }
        items[i] = make_call(&b, f->cone[side][i]);
    }
    struct ir_func *func = ARENA_NEW(m->arena, struct ir_func);
    func->kind = IR_FUNC_PRIM;
    func->name = last->callee->func->name;
    func->prim.nparams = f->nleaves + 1;
    func->prim.params = params;
    func->prim.body =
        make_block(m, "root", nallocs, allocs, 0, NULL, ir_seq(m, n, items));
    out->funcs[side] = func;
}

/* ---- entry ------------------------------------------------------------------ */

static bool have_one_output(const struct fusing *f, size_t side)
{
    size_t at;
    bool fine = true;
    for (size_t i = 0; i < f->n[side]; i++)
        fine &= only_output(f->cone[side][i], &at);
    return fine;
}

/* What the tuned program is given, and whether overflow in it matters. */
static void list_given(struct fusing *f, struct chain_fused *out)
{
    out->tuned =
        ARENA_ARRAY(f->arena, f->nleaves + 1, const struct chain_term *);
    for (size_t i = 0; i < f->nleaves; i++)
        if (f->leaves[i].terms[1] != NULL)
            out->tuned[out->ngiven++] = f->leaves[i].terms[1];
    for (size_t i = 0; i < f->n[1]; i++)
        out->steered |= chain_is_steered(f->cone[1][i]->callee);
}

bool chain_fuse(struct chain_proof *p, const struct chain_call *tuned,
                const struct chain_call *untuned, struct chain_fused *out)
{
    struct arena *arena = p->out->arena;
    struct fusing *f = ARENA_NEW(arena, struct fusing);
    size_t at[2] = {0, 0};
    f->proof = p;
    f->options = p->options;
    f->chains = p->chains;
    f->arena = arena;
    /* the tuned side first: its leaves say what those of the other are */
    if (!only_output(tuned, &at[1]) || !only_output(untuned, &at[0]) ||
        !find_cone(f, 1, tuned, 0) || !find_cone(f, 0, untuned, 0) ||
        !have_one_output(f, 0) || !have_one_output(f, 1) ||
        f->n[0] + f->n[1] < 3 ||
        !OBLIGED_CHAIN(f->options, "chain: sequences leave one type",
                       chain_same_type(NULL, tuned->args[at[1]].fresh,
                                       untuned->args[at[0]].fresh)))
        return false;
    *out = (struct chain_fused){.nparams = f->nleaves + 1};
    for (size_t i = 0; i < f->nleaves; i++) {
        for (size_t side = 0; side < 2; side++) {
            const struct chain_term *term = f->leaves[i].terms[side];
            if (term != NULL && term->kind != CHAIN_CONSTANT &&
                !is_static(term->type))
                return false;
        }
        out->given =
            f->leaves[i].how > out->given ? f->leaves[i].how : out->given;
    }
    list_given(f, out);
    out->fresh = ARENA_ARRAY(arena, out->nparams + 1, bool);
    out->fresh[out->nparams - 1] = true;
    for (size_t side = 0; side < 2; side++) {
        build(f, side, out);
        out->n[side] = f->n[side];
        out->calls[side] = f->cone[side];
        for (size_t i = 0; i < f->n[side]; i++)
            out->data_control |= f->cone[side][i]->callee->data_control;
    }
    return true;
}

void chain_fused_fini(struct chain_fused *f)
{
    ir_module_free(f->modules[0]);
    ir_module_free(f->modules[1]);
}
