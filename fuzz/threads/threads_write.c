/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines of programs: headers, loops and launches, conditions, barriers.
 *
 * A launch is a nest of loops bound to threads, blocks outermost, with the
 * threads' numbers in types and from minima that were drawn; on the untuned side
 * it is loops over the same numbers, which do not wrap there if they are wide.
 */
#include "fuzz/threads/threads_private.h"

#include <inttypes.h>

void th_put(struct writer *w, const char *fmt, ...)
{
    struct buf *out = &w->p->out[w->side];
    va_list args;
    for (unsigned i = 0; i < w->level; i++)
        buf_puts(out, "    ");
    va_start(args, fmt);
    buf_vprintf(out, fmt, args);
    va_end(args);
    buf_putc(out, '\n');
}

void th_tell(struct plan *p, const char *fmt, ...)
{
    va_list args;
    if (p->about.len > 0)
        buf_puts(&p->about, ", ");
    va_start(args, fmt);
    buf_vprintf(&p->about, fmt, args);
    va_end(args);
}

void th_begin(struct writer *w, struct plan *p, unsigned side, int64_t na,
              int64_t nb, int64_t nc)
{
    *w = (struct writer){.p = p, .side = side};
    th_put(w, "@T.prim_func(s_tir=True)");
    th_put(w,
           "def main(A: T.Buffer((%" PRId64 ",), \"%s\"), "
           "B: T.Buffer((%" PRId64 ",), \"%s\"), "
           "C: T.Buffer((%" PRId64 ",), \"%s\")):",
           na, p->data, nb, p->data, nc, p->data);
    w->level = 1;
}

/* The first number and the one after the last, as the side has them. */
static void ends_of(struct writer *w, const struct var *v, const char **first,
                    const char **stop)
{
    struct dtype t = w->side == 0 ? v->plain : v->t;
    int64_t end = v->min + v->count * v->step;
    *first = te_number(w->p, t, v->min);
    *stop = te_number(w->p, t, te_wrap(t, end));
}

void th_open_loop(struct writer *w, enum var_kind kind)
{
    const struct var *v = &w->p->vars[kind];
    struct dtype t = w->side == 0 ? v->plain : v->t;
    const char *first, *stop;
    ends_of(w, v, &first, &stop);
    if (v->step == 1)
        th_put(w, "for %s in T.serial(%s, %s):", v->name, first, stop);
    else
        th_put(w, "for %s in T.serial(%s, %s, step=%s):", v->name, first, stop,
               te_number(w->p, t, v->step));
    w->level++;
}

static void open_thread(struct writer *w, enum var_kind kind)
{
    static const char *const tags[NVARS] = {"threadIdx.x", "threadIdx.y",
                                            "blockIdx.x", "vthread"};
    const struct var *v = &w->p->vars[kind];
    const char *first, *stop;
    ends_of(w, v, &first, &stop);
    th_put(w, "for %s in T.thread_binding(%s, %s, thread=\"%s\"):", v->name,
           first, stop, tags[kind]);
    w->level++;
}

static void open_each(struct writer *w, unsigned set, bool threads)
{
    bool inner_y = w->p->inner_y;
    const enum var_kind order[] = {VAR_BX, inner_y ? VAR_TX : VAR_TY,
                                   inner_y ? VAR_TY : VAR_TX, VAR_K};
    for (unsigned i = 0; i < DC_ARRAY_LEN(order); i++) {
        if (!(set & BIT(order[i])) || !w->p->vars[order[i]].used)
            continue;
        if (threads && order[i] != VAR_K)
            open_thread(w, order[i]);
        else
            th_open_loop(w, order[i]);
    }
}

void th_open_loops(struct writer *w, unsigned set)
{
    open_each(w, set, false);
}

void th_open_threads(struct writer *w, unsigned set)
{
    open_each(w, set, w->side == 1);
}

const char *th_at(struct writer *w, const struct place *place)
{
    return te_text(w->p, place->e[w->side], w->side, place->wide[w->side]);
}

void th_open_if(struct writer *w, const struct place *cond)
{
    if (cond->e[0] == NULL)
        return;
    th_put(w, "if %s:", th_at(w, cond));
    w->level++;
}

void th_barrier(struct writer *w, const char *scope)
{
    th_put(w, "T.evaluate(T.tvm_storage_sync(\"%s\"))", scope);
}
