/* SPDX-License-Identifier: Apache-2.0
 *
 * Programs for GPUs: each launch of a function is a kernel of its own, and host
 * code around them is C with the same control flow. What the function computes
 * outside of its launches is a kernel of one work item.
 *
 * Host code has names: memory on the device, sizes, scalars, loop variables.
 * A kernel has a parameter for each one that its text mentions, under the same
 * name; all names of a translation are distinct, so that reading the finished
 * text tells which.
 */
#include "diff/emit/emit_private.h"

#include <string.h>

bool emit_is_opencl(const struct emitter *em)
{
    return em->o->language == EMIT_OPENCL;
}

bool emit_is_cuda(const struct emitter *em)
{
    return em->o->language == EMIT_CUDA;
}

bool emit_on_device(const struct emitter *em)
{
    return em->device != NULL && em->device->in_kernel;
}

const char *emit_space_of(struct emitter *em, const struct ir_expr *pointer)
{
    if (!emit_is_opencl(em))
        return "";
    bool choice =
        pointer->kind == IR_SELECT ||
        (pointer->kind == IR_CALL && pointer->u.call.op == IR_OP_IF_THEN_ELSE);
    if (choice && pointer->nargs == 3) {
        const char *a = emit_space_of(em, pointer->args[1]);
        if (strcmp(a, emit_space_of(em, pointer->args[2])) != 0)
            emit_refuse(em, "a choice of pointers to unlike storage");
        return a;
    }
    const struct ir_var *v = emit_pointer_root(pointer);
    return v != NULL && em->space[v->id] != NULL ? em->space[v->id] : "";
}

/* ---- names of the host ------------------------------------------------------------ */

void emit_host_define(struct emitter *em, const char *name, const char *type,
                      bool is_memory)
{
    vec_push(&em->device->names,
             ((struct host_name){
                 .name = name, .type = type, .is_memory = is_memory}));
}

const char *emit_host_memory_type(struct emitter *em, const char *type)
{
    return emit_is_opencl(em) ? "cl_mem" : emit_text_printf(em, "%s *", type);
}

size_t emit_device_message(struct emitter *em, const char *text)
{
    struct device_code *d = em->device;
    if (d->nmessages == EMIT_MAX_FAILURES) {
        emit_refuse(em, "more than %d assertions", EMIT_MAX_FAILURES);
        return 0;
    }
    d->message[d->nmessages++] = text;
    return d->nmessages;
}

void emit_device_init(struct emitter *em, struct device_code *device)
{
    em->device = device;
    device->runtime = emit_is_cuda(em) ? em->runtime : emit_runtime_new();
    emit_need(em, "base");
    emit_need(em, emit_is_cuda(em) ? "cuda" : "opencl");
    emit_host_define(em, "failure", "int32_t",
                     true); /* cuda.inc, opencl_host.inc */
}

void emit_device_fini(struct emitter *em)
{
    struct device_code *d = em->device;
    if (d == NULL)
        return;
    if (d->runtime != em->runtime)
        emit_runtime_free(d->runtime);
    vec_fini(&d->names);
    buf_fini(&d->text);
    buf_fini(&d->tables);
    buf_fini(&d->head);
}

/* ---- what the host can do ------------------------------------------------------------ */

static bool is_device_value(const void *user, const struct ir_expr *e)
{
    (void)user;
    return e->kind == IR_LOAD || dtype_is_float(e->dtype) ||
           (e->kind == IR_CALL &&
            !(ir_op_info(e->u.call.op)->flags & IR_OPF_PURE));
}

bool emit_host_can_compute(const struct ir_expr *e)
{
    return !ir_expr_any(e, is_device_value, NULL);
}

static void want_host(struct emitter *em, const struct ir_expr *e)
{
    if (!emit_host_can_compute(e))
        emit_refuse(em, "a value between launches that comes from memory");
}

/* Calls of other functions, which may launch kernels. */
static bool is_host_call(const struct emitter *em, const struct ir_stmt *s)
{
    return s->kind == IR_EVALUATE && s->u.value->kind == IR_CALL &&
           emit_function_called(em, s->u.value) != NULL;
}

static bool may_launch(const void *em, const struct ir_stmt *s)
{
    return emit_is_launch(em, s) || is_host_call(em, s);
}

static bool holds_launch(const struct emitter *em, const struct ir_stmt *s)
{
    return ir_stmt_any(s, may_launch, NULL, em);
}

/* ---- kernels --------------------------------------------------------------------------- */

void emit_kernel_open(struct emitter *em, struct kernel_frame *frame,
                      const char *groups)
{
    struct device_code *d = em->device;
    *frame = (struct kernel_frame){
        .out = em->out, .indent = em->indent, .nscope = d->names.len};
    frame->name = emit_name_make(
        em,
        emit_text_printf(em, "%s_kernel",
                         em->o->symbol != NULL ? em->o->symbol : em->f->name));
    em->out = &frame->body;
    em->indent = 1;
    d->in_kernel = true;
    d->mark = em->names.len;
    d->barrier_at = SIZE_MAX;
    d->shared_bytes = d->own_bytes = 0;
    d->groups = groups;
}

bool emit_mentions(const char *text, const char *name)
{
    size_t n = strlen(name);
    for (const char *p = text; *p;) {
        if (p[0] == '/' && p[1] == '*') {
            const char *end = strstr(p + 2, "*/");
            p = end != NULL ? end + 2 : p + strlen(p);
        } else if (*p == '"') {
            for (p++; *p != '\0' && *p != '"'; p++)
                p += p[0] == '\\' && p[1] != '\0' ? 1 : 0;
            p += *p == '"' ? 1 : 0;
        } else if (emit_is_word(*p)) {
            size_t k = 0;
            while (emit_is_word(p[k]))
                k++;
            bool member = p > text && (p[-1] == '.' || p[-1] == ':');
            if (k == n && memcmp(p, name, n) == 0 && !member)
                return true;
            p += k;
        } else {
            p++;
        }
    }
    return false;
}

/* A parameter; OpenCL has none of type bool, nor pointers to it. */
static void put_parameter(struct emitter *em, const struct host_name *h,
                          struct buf *signature, struct buf *start)
{
    bool truth = strcmp(h->type, "bool") == 0 && emit_is_opencl(em);
    const char *space = emit_is_opencl(em) ? "__global " : "";
    buf_puts(signature, signature->len > 0 ? ", " : "");
    if (!h->is_memory) {
        buf_printf(signature, "const %s %s", truth ? "uchar" : h->type,
                   h->name);
    } else if (truth) {
        const char *bytes =
            emit_name_make(em, emit_text_printf(em, "%s_bytes", h->name));
        buf_printf(signature, "__global uchar *%s", bytes);
        buf_printf(start,
                   "    __global bool *const %s = (__global bool *)%s;\n",
                   h->name, bytes);
    } else {
        buf_printf(signature, "%s%s *%s", space, h->type, h->name);
    }
}

/* How the host gives it. */
static void put_argument(struct emitter *em, const struct host_name *h,
                         struct buf *arguments)
{
    if (emit_is_cuda(em))
        buf_printf(arguments, "%s%s", arguments->len > 0 ? ", " : "", h->name);
    else if (h->is_memory)
        emit_line(em, "device_memory_argument(%s);", h->name);
    else
        emit_line(em, "device_argument(&%s, sizeof %s);", h->name, h->name);
}

static void put_launch(struct emitter *em, const struct kernel_frame *frame,
                       const bool *used, const char *const grid[3],
                       int64_t threads)
{
    struct device_code *d = em->device;
    struct buf arguments = {0};
    emit_line_comment(em, "blocks of %lld thread%s", (long long)threads,
                      threads == 1 ? "" : "s");
    for (size_t i = 0; i < d->names.len; i++) {
        const struct host_name *h = &d->names.items[i];
        if (used[i] && h->bytes != NULL && emit_is_opencl(em))
            emit_line(em, "cl_mem %s = device_get(%s);", h->name, h->bytes);
        else if (used[i] && h->bytes != NULL)
            emit_line(em, "%s *%s = (%s *)device_get(%s);", h->type, h->name,
                      h->type, h->bytes);
    }
    if (emit_is_opencl(em))
        emit_line(em, "device_kernel(%s);", emit_quoted(em, frame->name));
    for (size_t i = 0; i < d->names.len; i++)
        if (used[i])
            put_argument(em, &d->names.items[i], &arguments);
    if (emit_is_opencl(em)) {
        emit_line(em, "device_launch(%s, %s, %s, %lld);", grid[0], grid[1],
                  grid[2], (long long)threads);
    } else {
        emit_line(em, "if (device_ready(%s, %s, %s)) {", grid[0], grid[1],
                  grid[2]);
        emit_line(
            em,
            "    %s<<<dim3((unsigned)(%s), (unsigned)(%s), (unsigned)(%s)), "
            "%lld>>>(%s);",
            frame->name, grid[0], grid[1], grid[2], (long long)threads,
            buf_text(&arguments));
        emit_line(em, "    device_launched(%s);", emit_quoted(em, frame->name));
        emit_line(em, "}");
    }
    buf_fini(&arguments);
}

void emit_kernel_close(struct emitter *em, struct kernel_frame *frame,
                       const char *const grid[3], int64_t threads)
{
    struct device_code *d = em->device;
    struct buf signature = {0}, start = {0};
    bool *used = ARENA_ARRAY(em->arena, d->names.len + 1, bool);
    em->out = frame->out;
    em->indent = frame->indent;
    d->in_kernel = false;
    for (size_t i = 0; i < d->names.len; i++) {
        const struct host_name *h = &d->names.items[i];
        used[i] = emit_mentions(buf_text(&frame->body), h->name) ||
                  emit_mentions(buf_text(&d->head), h->name);
        if (used[i] && h->absent)
            emit_refuse(em, "storage of threads ('%s') outside of a launch",
                        h->name);
        if (used[i])
            put_parameter(em, h, &signature, &start);
    }
    buf_printf(&d->text,
               emit_is_opencl(em)
                   ? "__kernel __attribute__((reqd_work_group_size(%lld, 1, "
                     "1)))\nvoid %s(%s)\n{\n"
                   : "static __global__ void __launch_bounds__(%lld)\n"
                     "%s(%s)\n{\n",
               (long long)threads, frame->name, buf_text(&signature));
    buf_append(&d->text, buf_text(&start), start.len);
    buf_append(&d->text, buf_text(&d->head), d->head.len);
    buf_append(&d->text, buf_text(&frame->body), frame->body.len);
    buf_puts(&d->text, "}\n\n");
    if (!em->failed)
        put_launch(em, frame, used, grid, threads);
    d->names.len = frame->nscope;
    d->head.len = 0;
    if (d->head.data != NULL)
        d->head.data[0] = '\0';
    buf_fini(&signature);
    buf_fini(&start);
    buf_fini(&frame->body);
}

/* Statements outside of launches: one work item does them. */
static void put_task(struct emitter *em, const struct ir_stmt *s)
{
    static const char *const one[3] = {"1", "1", "1"};
    struct kernel_frame frame;
    emit_kernel_open(em, &frame, "1");
    emit_stmt(em, s);
    emit_kernel_close(em, &frame, one, 1);
}

/* ---- host code ----------------------------------------------------------------------- */

static bool defines(const struct ir_stmt *s)
{
    return s->kind == IR_BIND || s->kind == IR_ALLOC ||
           s->kind == IR_ALLOC_CONST || s->kind == IR_DECL_BUFFER;
}

/* Neighbours that launch nothing are one task. */
static void host_seq(struct emitter *em, const struct ir_stmt *s)
{
    size_t n;
    for (size_t i = 0; i < s->u.seq.n && !em->failed; i += n) {
        struct ir_stmt run = *s;
        for (n = 0; i + n < s->u.seq.n; n++)
            if (defines(s->u.seq.items[i + n]) ||
                holds_launch(em, s->u.seq.items[i + n]))
                break;
        run.u.seq.items = s->u.seq.items + i;
        run.u.seq.n = n;
        if (n > 0) {
            put_task(em, &run);
        } else {
            emit_host(em, s->u.seq.items[i]);
            n = 1;
        }
    }
}

static void host_for(struct emitter *em, const struct ir_stmt *s)
{
    const struct ir_plan_info *facts = emit_plan_info(em, s);
    const char *name = emit_name_make(em, s->u.loop.var->name);
    struct dtype t = s->u.loop.var->dtype;
    size_t scope = em->device->names.len;
    want_host(em, s->u.loop.min);
    want_host(em, s->u.loop.extent);
    want_host(em, s->u.loop.step);
    emit_open_brace(em, "%s", emit_loop_header(em, s, name));
    em->var[s->u.loop.var->id] = name;
    emit_host_define(em, name, t.bits < 32 ? "int" : emit_type_name(em, t),
                     false);
    for (size_t i = 0; facts != NULL && i < facts->nmoved; i++)
        emit_storage(em, facts->moved[i], 1, NULL);
    emit_host(em, s->u.loop.body);
    em->device->names.len = scope;
    emit_close_brace(em);
}

static void host_if(struct emitter *em, const struct ir_stmt *s)
{
    size_t scope = em->device->names.len;
    want_host(em, s->u.if_.cond);
    emit_open_brace(em, "if (%s)",
                    emit_index_text(em, s->u.if_.cond, PREC_ANY));
    emit_host(em, s->u.if_.then_);
    em->device->names.len = scope;
    emit_close_brace(em);
    if (s->u.if_.else_ == NULL)
        return;
    emit_open_brace(em, "else");
    emit_host(em, s->u.if_.else_);
    em->device->names.len = scope;
    emit_close_brace(em);
}

static void host_block_body(struct emitter *em, const struct ir_block *b)
{
    for (size_t i = 0; i < b->nallocs; i++)
        if (!em->plan->moved[b->allocs[i]->id])
            emit_storage(em, b->allocs[i], 1, NULL);
    for (size_t i = 0; i < b->nmatches; i++) {
        const struct ir_match_buffer *x = &b->matches[i];
        for (size_t j = 0; j < x->source.nranges; j++)
            want_host(em, x->source.ranges[j].min);
        emit_match(em, x);
    }
    const char *at_init = b->init != NULL ? emit_block_init_cond(em, b) : NULL;
    if (at_init != NULL)
        emit_open_brace(em, "if (%s)", at_init);
    if (b->init != NULL)
        emit_host(em, b->init);
    if (at_init != NULL)
        emit_close_brace(em);
    emit_host(em, b->body);
}

static void host_block(struct emitter *em, const struct ir_block *b)
{
    size_t scope = em->device->names.len;
    for (size_t i = 0; i < b->niters; i++) {
        const struct ir_var *v = b->iters[i].var;
        want_host(em, b->iter_values[i]);
        em->var[v->id] = emit_define_value(
            em, emit_type_name(em, v->dtype), v->name,
            emit_index_text(em, b->iter_values[i], PREC_ANY), false, NULL);
    }
    want_host(em, b->predicate);
    bool guarded = !ir_is_true(b->predicate);
    if (guarded)
        emit_open_brace(em, "if (%s)",
                        emit_index_text(em, b->predicate, PREC_ANY));
    host_block_body(em, b);
    if (guarded)
        emit_close_brace(em);
    /* storage of the outermost block is in use to the end */
    if (guarded)
        em->device->names.len = scope;
}

void emit_host(struct emitter *em, const struct ir_stmt *s)
{
    if (em->failed)
        return;
    if (s->pos.line != 0 || s->pos.col != 0)
        em->stmt = s;
    if (emit_is_launch(em, s)) {
        emit_thread_stmt(em, s);
        return;
    }
    if (!holds_launch(em, s) && !defines(s)) {
        put_task(em, s);
        return;
    }
    switch (s->kind) {
    case IR_SEQ: host_seq(em, s); return;
    case IR_FOR: host_for(em, s); return;
    case IR_IF: host_if(em, s); return;
    case IR_BLOCK: host_block(em, s->u.block); return;
    case IR_ATTR: emit_host(em, s->u.attr.body); return;
    case IR_BIND:
        if (!dtype_is_handle(s->u.bind.var->dtype))
            want_host(em, s->u.bind.value);
        emit_bind(em, s);
        return;
    case IR_ALLOC: emit_storage(em, s->u.alloc.buffer, 1, NULL); return;
    case IR_ALLOC_CONST: emit_alloc_const(em, s); return;
    case IR_DECL_BUFFER: emit_decl(em, s); return;
    case IR_EVALUATE:
        emit_line_ir(em, emit_ir_text_stmt(em, s), "%s;",
                     emit_expr_text(em, s->u.value, PREC_ANY));
        return;
    case IR_WHILE:
    case IR_ASSERT:
    case IR_BREAK:
    case IR_CONTINUE:
    case IR_RETURN:
    case IR_STORE:
    case IR_NSTMTS:
        emit_refuse(em, "host code of this form around launches");
        return;
    }
}

/* ---- the program ------------------------------------------------------------------------ */

void emit_kernel_source(struct emitter *em, const char *symbol, struct buf *out)
{
    struct device_code *d = em->device;
    if (emit_is_cuda(em)) {
        buf_append(out, buf_text(&d->tables), d->tables.len);
        buf_append(out, buf_text(&d->text), d->text.len);
        return;
    }
    buf_printf(out, "static const char %s_source[] =\n", symbol);
    struct buf all = {0};
    emit_runtime_put(d->runtime, &all);
    buf_append(&all, buf_text(&d->tables), d->tables.len);
    buf_append(&all, buf_text(&d->text), d->text.len);
    emit_quoted_lines(out, buf_text(&all));
    buf_puts(out, "    \"\";\n\n");
    buf_fini(&all);
}

/* Inside of the entry point: data to the device, the function, data back. */
void emit_device_entry(struct emitter *em, const char *symbol)
{
    const struct ir_prim_func *f = &em->f->prim;
    struct device_code *d = em->device;
    struct buf args = {0};
    const char **bytes = ARENA_ARRAY(em->arena, f->nparams + 1, const char *);
    emit_line(em, "static const char *const messages[] = {");
    for (size_t i = 0; i < d->nmessages; i++)
        emit_line(em, "    %s,", emit_quoted(em, d->message[i]));
    emit_line(em, "    \"\"};");
    emit_line(em, "if (!device_begin(%s))",
              emit_is_opencl(em) ? emit_text_printf(em, "%s_source", symbol)
                                 : "");
    emit_line(em, "    return device_end(messages);");
    for (size_t i = 0; i < f->nparams; i++) {
        const struct ir_buffer *b = f->params[i].buffer;
        const char *size = NULL, *name;
        if (b == NULL) {
            name = em->var[f->params[i].var->id];
        } else {
            struct dtype lane = dtype_scalar(b->dtype);
            int64_t n = emit_buffer_size(em, b, &size);
            const char *type = emit_type_name(em, lane);
            if (size == NULL)
                size = emit_text_printf(em, "%lld", (long long)n);
            name = em->var[b->data->id];
            bytes[i] = emit_name_make(em, emit_text_printf(em, "bytes_%zu", i));
            emit_line(em, "const size_t %s = (size_t)(%s) * %zu;", bytes[i],
                      size, dtype_lane_bytes(lane));
            emit_line(em, "%s %s = (%s)device_put(arg[%zu], %s);",
                      emit_host_memory_type(em, type), name,
                      emit_host_memory_type(em, type), i, bytes[i]);
        }
        buf_printf(&args, "%s%s", args.len > 0 ? ", " : "", name);
    }
    for (size_t k = 0; k < em->symbols.len; k++)
        buf_printf(&args, "%s%s", args.len > 0 ? ", " : "",
                   em->symbols.items[k].name);
    emit_line(em, "%s(%s);", symbol, buf_text(&args));
    for (size_t i = 0; i < f->nparams; i++)
        if (f->params[i].buffer != NULL)
            emit_line(em, "device_fetch(arg[%zu], %s, %s);", i,
                      em->var[f->params[i].buffer->data->id], bytes[i]);
    emit_line(em, "return device_end(messages);");
    buf_fini(&args);
}
