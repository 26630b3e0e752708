/* SPDX-License-Identifier: Apache-2.0
 *
 * The state of a schedule: the function as it stands, what references name,
 * and the two ways to change the tree, replacing a statement and removing one.
 *
 * Statements are never changed once a step is done. A step copies the path
 * from the root to what it changes, so that older bodies stay valid; the
 * module's arena only grows. Blocks are told apart by the address of their
 * name: it moves along with every copy of a block, and each block gets a name
 * of its own when the schedule is made.
 */
#include "schedule/schedule_private.h"

#include <string.h>

/* ---- refusals -------------------------------------------------------------- */

DC_PRINTF(3, 0)
static bool refuse(struct schedule *s, enum schedule_refusal why,
                   const char *fmt, va_list args)
{
    s->why = why;
    s->message.len = 0;
    buf_vprintf(&s->message, fmt, args);
    return false;
}

bool sched_illegal(struct schedule *s, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    (void)refuse(s, SCHEDULE_ILLEGAL, fmt, args);
    va_end(args);
    return false;
}

bool sched_bad(struct schedule *s, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    (void)refuse(s, SCHEDULE_BAD_REQUEST, fmt, args);
    va_end(args);
    return false;
}

bool sched_unsupported(struct schedule *s, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    (void)refuse(s, SCHEDULE_UNSUPPORTED, fmt, args);
    va_end(args);
    return false;
}

bool sched_require(struct schedule *s, bool holds, const char *fmt, ...)
{
    va_list args;
    if (holds)
        return true;
    va_start(args, fmt);
    if (s->unchecked) {
        if (s->violation.len == 0)
            buf_vprintf(&s->violation, fmt, args);
    } else {
        (void)refuse(s, SCHEDULE_ILLEGAL, fmt, args);
    }
    va_end(args);
    return s->unchecked;
}

void sched_tvm_fault(struct schedule *s, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    if (s->fault.len == 0)
        buf_vprintf(&s->fault, fmt, args);
    va_end(args);
}

const char *schedule_tvm_fault(const struct schedule *s)
{
    return s->why == SCHEDULE_DONE && s->fault.len > 0 ? buf_text(&s->fault)
                                                       : NULL;
}

void schedule_set_limit(struct schedule *s, uint64_t work)
{
    s->limit = work;
}

void schedule_set_unchecked(struct schedule *s, bool unchecked)
{
    s->unchecked = unchecked;
}

const char *schedule_violation(const struct schedule *s)
{
    return s->violation.len > 0 ? buf_text(&s->violation) : NULL;
}

enum schedule_refusal schedule_why(const struct schedule *s)
{
    return s->why;
}

const char *schedule_message(const struct schedule *s)
{
    return buf_text(&s->message);
}

/* ---- small constructors ---------------------------------------------------- */

char *sched_text(struct schedule *s, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    char *copy = arena_vprintf(s->m->arena, fmt, args);
    va_end(args);
    return copy;
}

struct ir_var *sched_var(struct schedule *s, struct dtype dtype,
                         const char *fmt, ...)
{
    struct buf text = {0};
    va_list args;
    va_start(args, fmt);
    buf_vprintf(&text, fmt, args);
    va_end(args);
    struct ir_var *var = ir_var_make(s->m, buf_text(&text), dtype);
    buf_fini(&text);
    return var;
}

struct ir_stmt *sched_with_body(struct schedule *s, const struct ir_stmt *stmt,
                                struct ir_stmt *body)
{
    struct ir_stmt *copy = ir_stmt_copy(s->m->arena, stmt);
    switch ((int)stmt->kind) {
    case IR_FOR: copy->u.loop.body = body; break;
    case IR_WHILE: copy->u.while_.body = body; break;
    case IR_ATTR: copy->u.attr.body = body; break;
    case IR_BLOCK: copy->u.block->body = body; break;
    default: DC_BUG("a %s has no body", ir_stmt_kind_name(stmt->kind));
    }
    ir_stmt_seal(copy);
    return copy;
}

struct ir_stmt *sched_loop_make(struct schedule *s, struct ir_var *var,
                                struct ir_expr *extent, struct ir_stmt *body)
{
    struct ir_stmt *loop = ir_stmt_make(s->m, IR_FOR);
    loop->u.loop.var = var;
    loop->u.loop.min = ir_int(s->m, var->dtype, 0);
    loop->u.loop.extent = extent;
    loop->u.loop.kind = IR_FOR_SERIAL;
    loop->u.loop.body = body;
    ir_stmt_seal(loop);
    return loop;
}

static void flatten(struct ir_stmt *stmt, struct ir_stmt **items, size_t *n)
{
    if (!stmt)
        return;
    if (stmt->kind != IR_SEQ) {
        if (items)
            items[*n] = stmt;
        (*n)++;
        return;
    }
    for (size_t i = 0; i < stmt->u.seq.n; i++)
        flatten(stmt->u.seq.items[i], items, n);
}

struct ir_stmt *sched_seq(struct schedule *s, struct ir_stmt *a,
                          struct ir_stmt *b)
{
    size_t n = 0, at = 0;
    flatten(a, NULL, &n);
    flatten(b, NULL, &n);
    if (n == 0)
        return NULL;
    struct ir_stmt **items = ARENA_ARRAY(s->m->arena, n, struct ir_stmt *);
    flatten(a, items, &at);
    flatten(b, items, &at);
    return n == 1 ? items[0] : ir_seq(s->m, n, items);
}

/* ---- paths ----------------------------------------------------------------- */

/* Whether a statement is what is looked for. */
struct search {
    const struct ir_stmt *stmt; /* this one, */
    const struct ir_var *loop;  /* or the loop of this variable, */
    const char *block;          /* or the block with this very name */
    struct sched_path *path;
};

static bool is_found(const struct search *f, const struct ir_stmt *stmt)
{
    if (f->stmt)
        return stmt == f->stmt;
    if (f->loop)
        return stmt->kind == IR_FOR && stmt->u.loop.var == f->loop;
    return stmt->kind == IR_BLOCK && stmt->u.block->name == f->block;
}

/* Statements within a block's init are not part of the schedule. */
static bool search(struct search *f, struct ir_stmt *stmt)
{
    struct ir_stmt *x;
    if (!stmt || f->path->n == SCHED_MAX_PATH)
        return false;
    f->path->nodes[f->path->n++] = stmt;
    bool found = is_found(f, stmt);
    for (size_t i = 0; !found && (x = ir_stmt_below(stmt, i)) != NULL; i++)
        found = (stmt->kind != IR_BLOCK || x == stmt->u.block->body) &&
                search(f, x);
    if (!found)
        f->path->n--;
    return found;
}

static bool run_search(struct schedule *s, struct search f)
{
    f.path->n = 0;
    return search(&f, s->func->prim.body);
}

/* A search stops when it has found; what is below the statement found must
 * not be on the path: search returns at once, so it is not. */
bool sched_find_stmt(struct schedule *s, const struct ir_stmt *stmt,
                     struct sched_path *path)
{
    return run_search(s, (struct search){stmt, NULL, NULL, path});
}

bool sched_find_in(struct ir_stmt *root, const struct ir_stmt *stmt,
                   struct sched_path *path)
{
    struct search f = {stmt, NULL, NULL, path};
    path->n = 0;
    return search(&f, root);
}

bool sched_find_named(struct ir_stmt *root, const char *name,
                      struct sched_path *path)
{
    struct search f = {NULL, NULL, name, path};
    path->n = 0;
    return search(&f, root);
}

static const struct sched_name *name_of(struct schedule *s, schedule_ref ref)
{
    return ref > 0 && ref <= s->nrefs ? &s->names[ref] : NULL;
}

bool sched_find_loop(struct schedule *s, schedule_ref ref,
                     struct sched_path *path)
{
    const struct sched_name *name = name_of(s, ref);
    if (!name || !name->loop)
        return sched_bad(s, "not a loop");
    if (!run_search(s, (struct search){NULL, name->loop, NULL, path}))
        return sched_bad(s, "loop '%s' is not there any more",
                         name->loop->name);
    return true;
}

bool sched_find_block(struct schedule *s, schedule_ref ref,
                      struct sched_path *path)
{
    const struct sched_name *name = name_of(s, ref);
    if (!name || name->loop)
        return sched_bad(s, "not a block");
    if (!run_search(s, (struct search){NULL, NULL, name->block, path}))
        return sched_bad(s, "block '%s' is not there any more", name->block);
    return true;
}

bool sched_find(struct schedule *s, schedule_ref ref, struct sched_path *path)
{
    const struct sched_name *name = name_of(s, ref);
    return name && name->loop ? sched_find_loop(s, ref, path)
                              : sched_find_block(s, ref, path);
}

struct ir_stmt *sched_path_end(const struct sched_path *path)
{
    return path->nodes[path->n - 1];
}

size_t sched_path_scope(const struct sched_path *path)
{
    size_t at = path->n - 1;
    while (at > 0 && path->nodes[at - 1]->kind != IR_BLOCK)
        at--;
    return at > 0 ? at - 1 : 0;
}

const struct ir_stmt *schedule_stmt(struct schedule *s, schedule_ref ref)
{
    const struct sched_name *name = name_of(s, ref);
    struct sched_path path;
    if (!name ||
        !run_search(s, (struct search){NULL, name->loop, name->block, &path}))
        return NULL;
    return sched_path_end(&path);
}

/* ---- references ------------------------------------------------------------ */

static schedule_ref add_name(struct schedule *s, struct sched_name name)
{
    for (uint32_t i = 1; i <= s->nrefs; i++)
        if (s->names[i].loop == name.loop && s->names[i].block == name.block)
            return i;
    if (s->nrefs + 1 >= s->room) {
        size_t room = 2 * s->room + 16;
        struct sched_name *names =
            ARENA_ARRAY(s->m->arena, room, struct sched_name);
        if (s->nrefs)
            memcpy(names, s->names, (s->nrefs + 1) * sizeof *names);
        s->names = names;
        s->room = room;
    }
    s->names[++s->nrefs] = name;
    return s->nrefs;
}

schedule_ref sched_ref_loop(struct schedule *s, const struct ir_var *var)
{
    return add_name(s, (struct sched_name){var, NULL});
}

schedule_ref sched_ref_block(struct schedule *s, const struct ir_block *block)
{
    return add_name(s, (struct sched_name){NULL, block->name});
}

/* A table that a mark may hold is not changed: the renamed one is a copy. */
void sched_rename(struct schedule *s, const char *from, const char *to)
{
    s->names = arena_memdup(s->m->arena, s->names, s->room * sizeof *s->names);
    for (uint32_t i = 1; i <= s->nrefs; i++)
        if (!s->names[i].loop && s->names[i].block == from)
            s->names[i].block = to;
}

/* ---- replacing ------------------------------------------------------------- */

/* The sequence with an item replaced, or left out. */
static struct ir_stmt *replace_item(struct schedule *s,
                                    const struct ir_stmt *seq,
                                    const struct ir_stmt *old,
                                    struct ir_stmt *new_)
{
    struct ir_stmt *out = NULL;
    size_t n = 0;
    struct ir_stmt **items =
        ARENA_ARRAY(s->m->arena, seq->u.seq.n, struct ir_stmt *);
    for (size_t i = 0; i < seq->u.seq.n; i++) {
        struct ir_stmt *item =
            seq->u.seq.items[i] == old ? new_ : seq->u.seq.items[i];
        if (item)
            items[n++] = item;
    }
    if (n > 0)
        out = ir_seq(s->m, n, items);
    return sched_seq(s, out, NULL);
}

static struct ir_stmt *replace_child(struct schedule *s, struct ir_stmt *parent,
                                     const struct ir_stmt *old,
                                     struct ir_stmt *new_)
{
    if (parent->kind == IR_SEQ)
        return replace_item(s, parent, old, new_);
    if (parent->kind == IR_IF) {
        struct ir_stmt *copy = ir_stmt_copy(s->m->arena, parent);
        if (parent->u.if_.then_ == old)
            copy->u.if_.then_ = new_;
        else
            copy->u.if_.else_ = new_;
        if (!copy->u.if_.then_)
            copy->u.if_.then_ = ir_evaluate(s->m, ir_int(s->m, DTYPE_INT32, 0));
        ir_stmt_seal(copy);
        return copy;
    }
    return new_ ? sched_with_body(s, parent, new_) : NULL;
}

struct ir_stmt *sched_replace_below(struct schedule *s,
                                    const struct sched_path *path, size_t top,
                                    struct ir_stmt *stmt)
{
    for (size_t at = path->n - 1; at > top; at--)
        stmt = replace_child(s, path->nodes[at - 1], path->nodes[at], stmt);
    return stmt;
}

struct ir_stmt *sched_replace_at(struct schedule *s,
                                 const struct sched_path *path, size_t at,
                                 struct ir_stmt *stmt)
{
    while (at > 0) {
        stmt = replace_child(s, path->nodes[at - 1], path->nodes[at], stmt);
        at--;
    }
    return stmt;
}

struct ir_stmt *sched_replace(struct schedule *s, const struct sched_path *path,
                              struct ir_stmt *stmt)
{
    return sched_replace_at(s, path, path->n - 1, stmt);
}

static void set_func(struct schedule *s, struct ir_func *func)
{
    for (size_t i = 0; i < s->m->nfuncs; i++)
        if (s->m->funcs[i] == s->func)
            s->m->funcs[i] = func;
    s->func = func;
}

bool sched_commit(struct schedule *s, struct ir_stmt *body)
{
    return sched_commit_params(s, body, s->func->prim.params);
}

bool sched_commit_params(struct schedule *s, struct ir_stmt *body,
                         struct ir_param *params)
{
    struct ir_func *old = s->func;
    struct ir_func *func = arena_memdup(s->m->arena, old, sizeof *old);
    if (!body)
        return sched_unsupported(s, "nothing would be left");
    struct diag_sink *sink = diag_sink_new();
    func->prim.body = body;
    func->prim.params = params;
    set_func(s, func);
    bool good = ir_wellformed(s->m, sink);
    if (!good) {
        set_func(s, old);
        const struct diag *first = diag_at(sink, 0);
        for (size_t i = 0; i < diag_count(sink); i++)
            if (diag_at(sink, i)->severity == DIAG_ERROR) {
                first = diag_at(sink, i);
                break;
            }
        (void)sched_unsupported(s, "the result is not well-formed: %s",
                                first->message);
    }
    diag_sink_free(sink);
    return good;
}

/* ---- making one ------------------------------------------------------------ */

static struct ir_stmt *own_names(struct schedule *s, struct ir_stmt *stmt);

static struct ir_stmt *own_name(void *user, struct ir_stmt *stmt)
{
    struct schedule *s = user;
    if (stmt->kind != IR_BLOCK)
        return NULL;
    struct ir_stmt *copy =
        sched_with_body(s, stmt, own_names(s, stmt->u.block->body));
    copy->u.block->name = arena_strdup(s->m->arena, stmt->u.block->name);
    return copy;
}

/* The statements, each block with a name of its own. */
static struct ir_stmt *own_names(struct schedule *s, struct ir_stmt *stmt)
{
    struct ir_map map = {.m = s->m, .stmt = own_name, .user = s};
    return ir_map_stmt(&map, stmt);
}

/* Loops are told apart by their variables. */
struct uniqueness {
    size_t n;
    const struct ir_var *vars[1024];
    bool good;
};

static bool note_loop(void *user, struct ir_stmt *stmt)
{
    struct uniqueness *u = user;
    if (stmt->kind != IR_FOR)
        return u->good;
    for (size_t i = 0; i < u->n; i++)
        if (u->vars[i] == stmt->u.loop.var)
            u->good = false;
    if (u->n == DC_ARRAY_LEN(u->vars))
        u->good = false;
    else
        u->vars[u->n++] = stmt->u.loop.var;
    return u->good;
}

static const char *not_schedulable(const struct ir_func *func)
{
    if (func->kind != IR_FUNC_PRIM)
        return "is no tensor function";
    struct ir_stmt *body = func->prim.body;
    if (body->kind != IR_BLOCK || body->u.block->niters > 0 ||
        body->u.block->init)
        return "has no root block";
    struct uniqueness *u = dc_alloc(sizeof *u);
    u->good = true;
    struct ir_visitor visitor = {note_loop, NULL, u};
    ir_visit_stmt(&visitor, body);
    bool good = u->good;
    dc_release(u);
    return good ? NULL : "has two loops of one variable, or too many loops";
}

static const struct ir_func *pick(const struct ir_module *m, const char *name)
{
    const struct ir_func *only = NULL;
    if (name)
        return ir_module_find(m, name);
    for (size_t i = 0; i < m->nfuncs; i++) {
        if (m->funcs[i]->kind != IR_FUNC_PRIM)
            continue;
        if (only)
            return NULL;
        only = m->funcs[i];
    }
    return only;
}

struct schedule *schedule_new(const struct ir_module *module, const char *name,
                              struct diag_sink *sink)
{
    const struct ir_func *func = pick(module, name);
    struct diag_loc loc = {.file = module->source};
    const char *why = func ? not_schedulable(func) : "is not there, or not one";
    if (why) {
        (void)diag_error(sink, loc, "ir.schedule",
                         "cannot schedule: function '%s' %s",
                         func   ? func->name
                         : name ? name
                                : "",
                         why);
        return NULL;
    }
    struct schedule *s = dc_alloc(sizeof *s);
    struct ir_module *m = ir_module_new();
    struct arena *arena = m->arena;
    *m = *module;
    m->arena = arena;
    m->funcs = ARENA_ARRAY(arena, module->nfuncs, struct ir_func *);
    memcpy(m->funcs, module->funcs, module->nfuncs * sizeof *m->funcs);
    s->source = module;
    s->limit = SCHED_MAX_WORK;
    s->m = m;
    struct ir_func *copy = arena_memdup(arena, func, sizeof *func);
    for (size_t i = 0; i < m->nfuncs; i++)
        if (m->funcs[i] == func)
            m->funcs[i] = copy;
    s->func = copy;
    copy->prim.body = own_names(s, func->prim.body);
    return s;
}

void schedule_free(struct schedule *s)
{
    if (!s)
        return;
    ir_module_free(s->m);
    vec_fini(&s->intrinsics);
    buf_fini(&s->message);
    buf_fini(&s->violation);
    buf_fini(&s->fault);
    dc_release(s);
}

const struct ir_module *schedule_module(const struct schedule *s)
{
    return s->m;
}

struct schedule_point schedule_mark(const struct schedule *s)
{
    return (struct schedule_point){s->func->prim.body, s->func->prim.params,
                                   s->nrefs, s->names};
}

void schedule_return(struct schedule *s, struct schedule_point point)
{
    struct ir_func *func = arena_memdup(s->m->arena, s->func, sizeof *s->func);
    func->prim.body = point.body;
    func->prim.params = point.params;
    set_func(s, func);
    /* Only sched_rename and growing leave a table for another one; the first
     * point.nrefs names of an old table are still what they were. */
    union {
        const void *in;
        struct sched_name *out;
    } names = {point.names};
    if (s->names != names.out) {
        s->names = names.out;
        s->room = point.nrefs + 1;
    }
    s->nrefs = point.nrefs;
}
