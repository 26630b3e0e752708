/* SPDX-License-Identifier: Apache-2.0
 *
 * One small change of a program after another: what a faulty code generator
 * may have made of it. Loops that end early, begin late or leave out one
 * iteration; conditions off by one, negated, with a part dropped; initial
 * values that are not stored or stored late; stores left out; loads next to
 * the right place; the other half of a buffer; + for -, min for max; one literal
 * with fewer digits.
 *
 * What is named by one of them: drift_program.c. Change k is made by a walk that counts the places where one can be made, and
 * copies the nodes on the way to the k-th; the program itself stays as it is.
 */
#include "diff/drift/drift_private.h"

#include <string.h>

/* Loops of more iterations have none of their inner ones left out. */
#define MAX_SINGLE 64
/* Divisors of remainders that choose a part of a buffer. */
#define MAX_PARTS 8

struct walk {
    struct ir_module *m; /* for new nodes */
    size_t left;         /* places to pass before the change is made */
    bool single;         /* single iterations within loops, nothing else */
    bool done;
    unsigned digits;  /* that a literal has now; 0: it is no literal */
    struct buf *text; /* gets what was changed */
};

static bool is_place(struct walk *w, bool single)
{
    if (w->done || w->single != single || w->left-- > 0)
        return false;
    w->done = true;
    return true;
}

/* Whether this is the place. */
static bool here(struct walk *w)
{
    return is_place(w, false);
}

static void tell(struct walk *w, const struct ir_expr *from,
                 const struct ir_expr *to)
{
    buf_puts(w->text, "as if '");
    ir_print_expr(from, w->text);
    if (w->digits > 0) {
        buf_printf(w->text, "' alone were printed with %u digit%s", w->digits,
                   w->digits == 1 ? "" : "s");
        return;
    }
    buf_puts(w->text, "' were '");
    ir_print_expr(to, w->text);
    buf_putc(w->text, '\'');
}

static void tell_stmt(struct walk *w, const char *before,
                      const struct ir_stmt *s, const char *after)
{
    struct buf text = {0};
    ir_print_stmt(s, &text);
    size_t n = strcspn(buf_text(&text), "\n");
    buf_printf(w->text, "%s'%.*s'%s", before, (int)(n < 200 ? n : 200),
               buf_text(&text), after);
    buf_fini(&text);
}

/* ---- expressions ------------------------------------------------------------- */

/* e + d, folded where e is a number. */
static struct ir_expr *plus(struct walk *w, struct ir_expr *e, int64_t d)
{
    if (e->kind == IR_INT_IMM)
        return ir_int(w->m, e->dtype, e->u.int_value + d);
    if (e->dtype.lanes != 1)
        return ir_binary(
            w->m, IR_ADD, e,
            ir_broadcast(w->m, ir_int(w->m, dtype_scalar(e->dtype), d),
                         ir_int(w->m, DTYPE_INT32, (int64_t)e->dtype.lanes)));
    return ir_binary(w->m, d < 0 ? IR_SUB : IR_ADD, e,
                     ir_int(w->m, e->dtype, d < 0 ? -d : d));
}

static bool is_condition(enum ir_expr_kind kind)
{
    return kind >= IR_EQ && kind <= IR_GE;
}

static enum ir_expr_kind negation(enum ir_expr_kind kind)
{
    switch ((int)kind) {
    case IR_EQ: return IR_NE;
    case IR_NE: return IR_EQ;
    case IR_LT: return IR_GE;
    case IR_LE: return IR_GT;
    case IR_GT: return IR_LE;
    default: return IR_LT;
    }
}

/* A comparison of integers off by one, either way, or the other way round. */
static struct ir_expr *change_condition(struct walk *w, struct ir_expr *e)
{
    struct ir_expr *a = e->args[0], *b = e->args[1];
    if (dtype_is_int(dtype_scalar(a->dtype)))
        for (int64_t d = -1; d <= 1; d += 2)
            if (here(w))
                return a->kind == IR_INT_IMM
                           ? ir_binary(w->m, e->kind, plus(w, a, d), b)
                           : ir_binary(w->m, e->kind, a, plus(w, b, d));
    return here(w) ? ir_binary(w->m, negation(e->kind), a, b) : e;
}

/* The operator mistaken for its relative. */
static struct ir_expr *change_operator(struct walk *w, struct ir_expr *e)
{
    static const struct {
        enum ir_expr_kind from, to;
    } pairs[] = {
        {IR_ADD, IR_SUB}, {IR_SUB, IR_ADD}, {IR_MIN, IR_MAX}, {IR_MAX, IR_MIN}};
    bool number = dtype_is_float(dtype_scalar(e->dtype));
    for (size_t i = 0; i < DC_ARRAY_LEN(pairs); i++)
        if (e->kind == pairs[i].from && (number || e->kind >= IR_MIN) &&
            here(w))
            return ir_binary(w->m, pairs[i].to, e->args[0], e->args[1]);
    return e;
}

/* A load one element before or after the right one. */
static struct ir_expr *change_load(struct walk *w, struct ir_expr *e)
{
    for (uint32_t i = 0; i < e->nargs; i++)
        for (int64_t d = -1; d <= 1; d += 2) {
            if (e->args[i]->kind == IR_RAMP || !here(w))
                continue;
            struct ir_expr **args =
                arena_memdup(w->m->arena, e->args, e->nargs * sizeof *args);
            args[i] = plus(w, e->args[i], d);
            return ir_rebuild(w->m, e, args, e->predicate);
        }
    return e;
}

/* One side of a choice whatever the condition says. */
static struct ir_expr *change_choice(struct walk *w, struct ir_expr *e)
{
    if (here(w))
        return e->args[1];
    return here(w) ? e->args[2] : e;
}

/* One literal printed with few digits. */
static struct ir_expr *change_literal(struct walk *w, struct ir_expr *e)
{
    struct dtype t = dtype_scalar(e->dtype);
    unsigned flags = 0;
    uint64_t exact = num_from_double(t, e->u.float_value, &flags);
    for (unsigned d = NUM_NLITERALS - 1; d > 0; d--) {
        struct num_profile p = {{0}};
        p.set[NUM_T_LITERALS] = (uint8_t)d;
        uint64_t bits = num_profile_literal(&p, t, e->u.float_value, &flags);
        if (bits == exact || !here(w))
            continue;
        w->digits = d;
        return ir_float(w->m, e->dtype, num_to_double(t, bits));
    }
    return e;
}

/* What can be made of the node itself. */
static struct ir_expr *change_node(struct walk *w, struct ir_expr *e)
{
    if (e->kind == IR_FLOAT_IMM)
        return change_literal(w, e);
    if (is_condition(e->kind))
        return change_condition(w, e);
    if (e->kind == IR_AND || e->kind == IR_OR)
        return here(w) ? e->args[0] : here(w) ? e->args[1] : e;
    if (e->kind == IR_LOAD)
        return change_load(w, e);
    if (e->kind == IR_SELECT ||
        (e->kind == IR_CALL && e->u.call.op == IR_OP_IF_THEN_ELSE &&
         e->nargs == 3))
        return change_choice(w, e);
    return change_operator(w, e);
}

static struct ir_expr *change_here(void *user, struct ir_expr *e)
{
    struct walk *w = user;
    if (w->done)
        return e;
    struct ir_expr *new = change_node(w, e);
    if (w->done)
        tell(w, e, new);
    return w->done ? new : NULL;
}

static struct ir_expr *change_expr(struct walk *w, struct ir_expr *e)
{
    struct ir_map map = {.m = w->m, .before = change_here, .user = w};
    return ir_map_expr(&map, e);
}

/* ---- parts of buffers ----------------------------------------------------------- */

/* A remainder that may choose one of a few parts. */
static bool chooses_part(const struct ir_expr *e)
{
    int64_t n;
    if ((e->kind == IR_FLOORMOD || e->kind == IR_MOD) &&
        dtype_is_int(e->dtype) && ir_const_int(e->args[1], &n))
        return n >= 2 && n <= MAX_PARTS && e->args[0]->kind != IR_INT_IMM;
    return e->kind == IR_BITAND && dtype_is_int(e->dtype) &&
           ir_const_int(e->args[1], &n) && n == 1;
}

#define MAX_CHOICES 16u
struct choices {
    size_t n;
    const char *texts[MAX_CHOICES]; /* each remainder once */
    struct arena *arena;
};

static const char *text_of(const struct ir_expr *e, struct arena *arena)
{
    struct buf text = {0};
    ir_print_expr(e, &text);
    const char *kept = arena_strdup(arena, buf_text(&text));
    buf_fini(&text);
    return kept;
}

static bool find_choice(void *user, struct ir_expr *e)
{
    struct choices *c = user;
    if (!chooses_part(e) || c->n == MAX_CHOICES)
        return true;
    const char *text = text_of(e, c->arena);
    for (size_t i = 0; i < c->n; i++)
        if (strcmp(c->texts[i], text) == 0)
            return true;
    c->texts[c->n++] = text;
    return true;
}

struct next_part {
    struct walk *w;
    const char *text;
};

/* Each such remainder that reads `text` moved to the next part. */
static struct ir_expr *next_part(void *user, struct ir_expr *e)
{
    struct next_part *x = user;
    if (!chooses_part(e) || strcmp(text_of(e, x->w->m->arena), x->text) != 0)
        return NULL;
    struct ir_expr *args[] = {plus(x->w, e->args[0], 1), e->args[1]};
    return ir_rebuild(x->w->m, e, args, NULL);
}

/* ---- stores -------------------------------------------------------------------------- */

static struct ir_stmt *nothing(struct walk *w)
{
    return ir_evaluate(w->m, ir_int(w->m, DTYPE_INT32, 0));
}

/* The wrong part of what is loaded, or of what is stored to. */
static struct ir_stmt *change_parts(struct walk *w, struct ir_stmt *s)
{
    struct choices read = {.arena = w->m->arena}, written = read;
    struct ir_visitor v = {NULL, find_choice, &read};
    ir_visit_expr(&v, s->u.store.value);
    v.user = &written;
    for (size_t i = 0; i < s->u.store.nindices; i++)
        ir_visit_expr(&v, s->u.store.indices[i]);
    for (size_t k = 0; k < read.n + written.n; k++) {
        bool reads = k < read.n;
        const char *text = reads ? read.texts[k] : written.texts[k - read.n];
        if (!here(w))
            continue;
        struct ir_stmt *copy = ir_stmt_copy(w->m->arena, s);
        struct next_part x = {w, text};
        struct ir_map map = {.m = w->m, .before = next_part, .user = &x};
        if (reads)
            copy->u.store.value = ir_map_expr(&map, s->u.store.value);
        for (size_t i = 0; !reads && i < s->u.store.nindices; i++)
            copy->u.store.indices[i] = ir_map_expr(&map, s->u.store.indices[i]);
        buf_printf(w->text, "as if the wrong part of a buffer were %s ('%s' ",
                   reads ? "read" : "written", text);
        tell_stmt(w, "off by one in ", s, ")");
        return copy;
    }
    return s;
}

static struct ir_stmt *change_store(struct walk *w, struct ir_stmt *s)
{
    if (here(w)) {
        tell_stmt(w, "as if ", s, " were left out");
        return nothing(w);
    }
    struct ir_stmt *new = change_parts(w, s);
    if (w->done)
        return new;
    for (size_t i = 0; i < s->u.store.nindices; i++)
        for (int64_t d = -1; d <= 1; d += 2) {
            if (s->u.store.indices[i]->kind == IR_RAMP || !here(w))
                continue;
            new = ir_stmt_copy(w->m->arena, s);
            new->u.store.indices[i] = plus(w, s->u.store.indices[i], d);
            tell_stmt(w, "as if ", s,
                      d < 0 ? " stored one element before"
                            : " stored one element after");
            return new;
        }
    struct ir_expr *value = change_expr(w, s->u.store.value);
    if (!w->done)
        return s;
    new = ir_stmt_copy(w->m->arena, s);
    new->u.store.value = value;
    return new;
}

/* ---- loops ---------------------------------------------------------------------------- */

/* Loop bounds min + from, n iterations. */
static struct ir_stmt *bounded(struct walk *w, struct ir_stmt *s, int64_t from,
                               int64_t n)
{
    struct ir_stmt *copy = ir_stmt_copy(w->m->arena, s);
    copy->u.loop.extent = ir_int(w->m, s->u.loop.extent->dtype, n);
    if (from != 0)
        copy->u.loop.min = plus(w, s->u.loop.min, from);
    return copy;
}

static struct ir_stmt *when(struct walk *w, struct ir_expr *cond,
                            struct ir_stmt *body)
{
    struct ir_stmt *s = ir_stmt_make(w->m, IR_IF);
    s->u.if_.cond = cond;
    s->u.if_.then_ = body;
    ir_stmt_seal(s);
    return s;
}

static struct ir_stmt *without(struct walk *w, struct ir_stmt *s, int64_t i)
{
    struct ir_stmt *copy = ir_stmt_copy(w->m->arena, s);
    struct ir_expr *cond =
        ir_binary(w->m, IR_NE, ir_var_ref(w->m, s->u.loop.var),
                  plus(w, s->u.loop.min, i));
    copy->u.loop.body = when(w, cond, s->u.loop.body);
    return copy;
}

static struct ir_stmt *change_bounds(struct walk *w, struct ir_stmt *s)
{
    int64_t n;
    const char *name = s->u.loop.var->name;
    if (!ir_const_int(s->u.loop.extent, &n) || n < 2 ||
        s->u.loop.step != NULL || s->u.loop.kind == IR_FOR_THREAD ||
        s->u.loop.kind == IR_FOR_VECTORIZED)
        return s;
    if (here(w)) {
        buf_printf(w->text,
                   "as if loop '%s' ended one iteration early (%lld of %lld)",
                   name, (long long)n - 1, (long long)n);
        return bounded(w, s, 0, n - 1);
    }
    if (here(w)) {
        buf_printf(w->text, "as if loop '%s' left out its first iteration",
                   name);
        return bounded(w, s, 1, n - 1);
    }
    if (here(w)) {
        buf_printf(w->text,
                   "as if loop '%s' ran one iteration too many (%lld of %lld)",
                   name, (long long)n + 1, (long long)n);
        return bounded(w, s, 0, n + 1);
    }
    for (int64_t i = 1; n <= MAX_SINGLE && i < n - 1; i++)
        if (is_place(w, true)) {
            buf_printf(w->text,
                       "as if iteration %lld of %lld of loop '%s' were left "
                       "out",
                       (long long)i + 1, (long long)n, name);
            return without(w, s, i);
        }
    return s;
}

/* ---- blocks ------------------------------------------------------------------------------ */

/* The initial value stored when reduction axis k is at its second value. */
static struct ir_stmt *init_late(struct walk *w, const struct ir_block *b,
                                 size_t k)
{
    struct ir_expr *cond = NULL;
    for (size_t i = 0; i < b->niters; i++) {
        const struct ir_iter_var *v = &b->iters[i];
        if (v->type != IR_ITER_REDUCE || !v->has_dom)
            continue;
        struct ir_expr *at = ir_binary(w->m, IR_EQ, ir_var_ref(w->m, v->var),
                                       plus(w, v->dom.min, i == k));
        cond = cond == NULL ? at : ir_binary(w->m, IR_AND, cond, at);
    }
    struct ir_stmt *both[] = {when(w, cond, b->init), b->body};
    return ir_seq(w->m, 2, both);
}

static void change_init(struct walk *w, struct ir_block *b)
{
    if (b->init == NULL)
        return;
    if (here(w)) {
        b->init = NULL;
        buf_printf(w->text,
                   "as if the initial value of block '%s' were never stored",
                   b->name);
        return;
    }
    for (size_t i = 0; i < b->niters; i++) {
        if (b->iters[i].type != IR_ITER_REDUCE || !b->iters[i].has_dom ||
            !here(w))
            continue;
        b->body = init_late(w, b, i);
        b->init = NULL;
        buf_printf(w->text,
                   "as if the initial value of block '%s' were stored at the "
                   "second value of '%s', not at the first",
                   b->name, b->iters[i].var->name);
        return;
    }
}

static struct ir_stmt *change_block(struct walk *w, struct ir_stmt *s)
{
    struct ir_stmt *copy = ir_stmt_copy(w->m->arena, s);
    struct ir_block *b = copy->u.block;
    if (!ir_is_true(b->predicate) && here(w)) {
        b->predicate = ir_int(w->m, DTYPE_BOOL, 1);
        tell(w, s->u.block->predicate, b->predicate);
    }
    b->predicate = change_expr(w, b->predicate);
    if (!w->done)
        change_init(w, b);
    return copy;
}

/* ---- other statements ------------------------------------------------------------------------ */

static struct ir_stmt *change_if(struct walk *w, struct ir_stmt *s)
{
    if (here(w)) {
        buf_puts(w->text, "as if '");
        ir_print_expr(s->u.if_.cond, w->text);
        buf_puts(w->text, "' always held");
        return s->u.if_.then_;
    }
    struct ir_stmt *copy = ir_stmt_copy(w->m->arena, s);
    copy->u.if_.cond = change_expr(w, s->u.if_.cond);
    return copy;
}

static struct ir_stmt *change_bind(struct walk *w, struct ir_stmt *s)
{
    struct ir_stmt *copy = ir_stmt_copy(w->m->arena, s);
    copy->u.bind.value = change_expr(w, s->u.bind.value);
    return copy;
}

/* The statement changed itself, or NULL: what is below comes next. */
static struct ir_stmt *change_stmt(void *user, struct ir_stmt *s)
{
    struct walk *w = user;
    struct ir_stmt *new = s;
    if (w->done)
        return s;
    switch (s->kind) {
    case IR_SEQ:
    case IR_ATTR: return NULL;
    case IR_FOR: new = change_bounds(w, s); break;
    case IR_IF: new = change_if(w, s); break;
    case IR_BIND: new = change_bind(w, s); break;
    case IR_STORE: new = change_store(w, s); break;
    case IR_BLOCK: new = change_block(w, s); break;
    case IR_WHILE:
    case IR_STORAGE_STMTS:
    case IR_ASSERT:
    case IR_EVALUATE:
    case IR_JUMP_STMTS:
    case IR_NSTMTS: return s;
    }
    return w->done ? new : NULL;
}

const struct ir_func *drift_change(const struct ir_module *module,
                                   const struct ir_func *func, size_t k,
                                   bool single, struct arena *arena,
                                   struct buf *text)
{
    struct ir_module own = *module;
    own.arena = arena;
    struct walk w = {.m = &own, .left = k, .single = single, .text = text};
    struct ir_map map = {.m = &own, .stmt = change_stmt, .user = &w};
    struct ir_stmt *body = ir_map_stmt(&map, func->prim.body);
    if (!w.done)
        return NULL;
    struct ir_func *copy = arena_memdup(arena, func, sizeof *func);
    copy->prim.body = body;
    return copy;
}
