/* SPDX-License-Identifier: Apache-2.0
 *
 * Generated schedules: a program in blocks, and random steps of schedule/ on
 * it. What a step claims is that it keeps what the program computes, so the
 * pair relates as `identical`, unless some floating reduction then has its
 * terms in another order.
 *
 * Steps are drawn without regard to their conditions; refused ones are part of
 * what is generated, so that verdicts on legality can be compared with those
 * of others. Each is a few lines of text that stand alone: they look up
 * their block by name first.
 */
#include "fuzz/gen_schedule.h"

#include <inttypes.h>
#include <string.h>

#define MAX_BLOCKS 40u

struct drawer {
    struct gen_schedule *g;
    struct gen_bytes *b;
    struct schedule_names *names;
    schedule_ref block;
    const char *name; /* of the block */
    size_t n;         /* its loops, called l<serial>_<i> */
    schedule_ref loops[SCHEDULE_MAX_LOOPS];
    unsigned serial;
    bool threads; /* some loop is bound */
    bool moved;   /* a reduction was cut up */
};

static bool run(struct drawer *d, const char *fmt, ...) DC_PRINTF(2, 3);

static bool run(struct drawer *d, const char *fmt, ...)
{
    struct buf line = {0};
    va_list args;
    va_start(args, fmt);
    buf_vprintf(&line, fmt, args);
    va_end(args);
    bool done = schedule_run_line(d->g->schedule, d->names, buf_text(&line));
    buf_printf(&d->g->steps, "%s\n", buf_text(&line));
    buf_fini(&line);
    return done;
}

static bool is_reduction(struct drawer *d)
{
    const struct ir_stmt *stmt = schedule_stmt(d->g->schedule, d->block);
    for (size_t i = 0; i < stmt->u.block->niters; i++)
        if (stmt->u.block->iters[i].type == IR_ITER_REDUCE)
            return true;
    return false;
}

/* Whether it writes what the function allocates. */
static bool is_internal(struct drawer *d)
{
    const struct ir_func *f =
        ir_module_find(schedule_module(d->g->schedule), "main");
    const struct ir_block *root = f->prim.body->u.block;
    const struct ir_block *b = schedule_stmt(d->g->schedule, d->block)->u.block;
    for (size_t i = 0; i < root->nallocs; i++)
        for (size_t j = 0; j < b->nwrites; j++)
            if (b->writes[j].buffer == root->allocs[i])
                return true;
    return false;
}

/* Whether the other block reads what the block writes, or the reverse. */
static bool is_related(struct drawer *d, schedule_ref other)
{
    const struct ir_block *a = schedule_stmt(d->g->schedule, d->block)->u.block;
    const struct ir_block *b = schedule_stmt(d->g->schedule, other)->u.block;
    for (unsigned side = 0; side < 2; side++) {
        const struct ir_block *w = side ? b : a, *r = side ? a : b;
        for (size_t i = 0; i < w->nwrites; i++)
            for (size_t j = 0; j < r->nreads; j++)
                if (w->writes[i].buffer == r->reads[j].buffer && a != b)
                    return true;
    }
    return false;
}

/* ---- where ----------------------------------------------------------------- */

/* A random block; one that is wanted, if a few tries give one. */
static bool pick_block(struct drawer *d, bool (*wanted)(struct drawer *d))
{
    schedule_ref blocks[MAX_BLOCKS];
    size_t n = schedule_blocks(d->g->schedule, MAX_BLOCKS, blocks);
    if (n == 0 || n > MAX_BLOCKS)
        return false;
    for (unsigned tries = 0; tries < 6; tries++) {
        d->block = blocks[gen_below(d->b, n)];
        if (!wanted || wanted(d))
            break;
    }
    d->name = schedule_stmt(d->g->schedule, d->block)->u.block->name;
    if (schedule_block(d->g->schedule, d->name) == 0)
        return false; /* several of that name */
    d->serial++;
    d->n =
        schedule_loops(d->g->schedule, d->block, SCHEDULE_MAX_LOOPS, d->loops);
    if (d->n == 0 || d->n > 12 ||
        !run(d, "b%u = get_block \"%s\"", d->serial, d->name))
        return false;
    struct buf line = {0};
    for (size_t i = 0; i < d->n; i++)
        buf_printf(&line, "%sl%u_%zu", i ? ", " : "", d->serial, i);
    bool done = run(d, "%s = get_loops b%u", buf_text(&line), d->serial);
    buf_fini(&line);
    return done;
}

/* A second block, called c<serial>, with its loops m<serial>_<i>. */
static size_t pick_other(struct drawer *d)
{
    schedule_ref blocks[MAX_BLOCKS], loops[SCHEDULE_MAX_LOOPS];
    size_t n = schedule_blocks(d->g->schedule, MAX_BLOCKS, blocks);
    if (n == 0 || n > MAX_BLOCKS)
        return 0;
    schedule_ref other = 0;
    for (unsigned tries = 0; tries < 6; tries++) {
        other = blocks[gen_below(d->b, n)];
        if (is_related(d, other))
            break;
    }
    const char *name = schedule_stmt(d->g->schedule, other)->u.block->name;
    if (schedule_block(d->g->schedule, name) == 0)
        return 0;
    size_t m = schedule_loops(d->g->schedule, other, SCHEDULE_MAX_LOOPS, loops);
    if (m == 0 || m > 12 || !run(d, "c%u = get_block \"%s\"", d->serial, name))
        return 0;
    struct buf line = {0};
    for (size_t i = 0; i < m; i++)
        buf_printf(&line, "%sm%u_%zu", i ? ", " : "", d->serial, i);
    bool done = run(d, "%s = get_loops c%u", buf_text(&line), d->serial);
    buf_fini(&line);
    return done ? m : 0;
}

/* ---- steps ----------------------------------------------------------------- */

static bool draw_split(struct drawer *d)
{
    struct buf line = {0};
    size_t n = 2 + gen_chance(d->b, 1, 4), open = gen_below(d->b, n);
    for (size_t i = 0; i < n; i++)
        if (i == open)
            buf_puts(&line, " None");
        else
            buf_printf(&line, " %d", 1 + (int)gen_below(d->b, 5));
    size_t loop = gen_below(d->b, d->n);
    bool done = run(d, "split l%u_%zu%s", d->serial, loop, buf_text(&line));
    buf_fini(&line);
    return done;
}

static bool draw_fuse(struct drawer *d)
{
    size_t first = gen_below(d->b, d->n);
    size_t n = 2 + gen_chance(d->b, 1, 4);
    struct buf line = {0};
    for (size_t i = first; i < first + n && i < d->n; i++)
        buf_printf(&line, " l%u_%zu", d->serial, i);
    bool done = run(d, "fuse%s", buf_text(&line));
    buf_fini(&line);
    return done;
}

static bool draw_reorder(struct drawer *d)
{
    size_t order[12];
    struct buf line = {0};
    for (size_t i = 0; i < d->n; i++)
        order[i] = i;
    for (size_t i = d->n; i > 1; i--) {
        size_t j = gen_below(d->b, i), t = order[i - 1];
        order[i - 1] = order[j];
        order[j] = t;
    }
    size_t n = d->n < 2 ? d->n : 2 + gen_below(d->b, d->n - 1);
    for (size_t i = 0; i < n; i++)
        buf_printf(&line, " l%u_%zu", d->serial, order[i]);
    bool done = run(d, "reorder%s", buf_text(&line));
    buf_fini(&line);
    return done;
}

static bool draw_kind(struct drawer *d)
{
    static const char *const words[] = {"parallel", "vectorize", "unroll"};
    static const char *const tags[] = {"blockIdx.x", "threadIdx.x",
                                       "threadIdx.y"};
    size_t loop = gen_below(d->b, d->n), word = gen_below(d->b, 4);
    if (word < 3)
        return run(d, "%s l%u_%zu", words[word], d->serial, loop);
    bool done = run(d, "bind l%u_%zu \"%s\"", d->serial, loop,
                    tags[gen_below(d->b, DC_ARRAY_LEN(tags))]);
    d->threads |= done;
    return done;
}

static bool draw_cache(struct drawer *d)
{
    const char *word = gen_chance(d->b, 1, 2) ? "cache_read" : "cache_write";
    return run(d, "%s b%u %d \"global\"", word, d->serial,
               (int)gen_below(d->b, 2));
}

static bool draw_decompose(struct drawer *d)
{
    return run(d, "decompose_reduction b%u l%u_%zu", d->serial, d->serial,
               (size_t)gen_below(d->b, d->n));
}

static bool draw_inline(struct drawer *d)
{
    return run(d, "%s b%u",
               gen_chance(d->b, 2, 3) ? "compute_inline"
                                      : "reverse_compute_inline",
               d->serial);
}

static bool draw_compute_at(struct drawer *d)
{
    const char *word =
        gen_chance(d->b, 1, 2) ? "compute_at" : "reverse_compute_at";
    size_t m = pick_other(d);
    if (m == 0)
        return false;
    if (!run(d, "%s b%u m%u_%zu", word, d->serial, d->serial,
             (size_t)gen_below(d->b, m)))
        return false;
    if (gen_chance(d->b, 1, 4))
        (void)run(d, "double_buffer b%u", d->serial);
    return true;
}

static bool draw_rfactor(struct drawer *d)
{
    bool done =
        run(d, "rfactor l%u_%zu 0", d->serial, (size_t)gen_below(d->b, d->n));
    d->moved |= done;
    return done;
}

static bool draw_double_buffer(struct drawer *d)
{
    return run(d, "double_buffer b%u", d->serial);
}

/* ---- layouts --------------------------------------------------------------- */

/* A lambda over n indices, one to one but for padding or a rare fault: some are
 * cut in two, two may be put together, all come in any order. */
static void draw_map(struct drawer *d, size_t n, struct ir_expr *const *sizes,
                     struct buf *out)
{
    struct buf parts[16];
    size_t order[16], count = 0;
    memset(parts, 0, sizeof parts);
    buf_puts(out, "lambda");
    for (size_t i = 0; i < n; i++)
        buf_printf(out, "%s x%zu", i ? "," : "", i);
    buf_puts(out, ": (");
    for (size_t i = 0; i < n; i++) {
        int64_t size = 0;
        size_t cut = 1 + gen_below(d->b, 4);
        if (cut > 1 && gen_chance(d->b, 1, 2)) {
            buf_printf(&parts[count++], "x%zu // %zu", i, cut);
            buf_printf(&parts[count++], "x%zu %% %zu", i, cut);
        } else if (i + 1 < n && gen_chance(d->b, 1, 4) &&
                   ir_const_int(sizes[i + 1], &size)) {
            size += gen_chance(d->b, 1, 12);
            buf_printf(&parts[count++], "x%zu * %" PRId64 " + x%zu", i, size,
                       i + 1);
            i++;
        } else {
            buf_printf(&parts[count++], "x%zu", i);
        }
    }
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    for (size_t i = count; i > 1 && gen_chance(d->b, 2, 3); i--) {
        size_t j = gen_below(d->b, i), last = order[i - 1];
        order[i - 1] = order[j];
        order[j] = last;
    }
    for (size_t i = 0; i < count; i++) {
        buf_printf(out, "%s,", buf_text(&parts[order[i]]));
        buf_fini(&parts[order[i]]);
    }
    buf_puts(out, ")");
}

static bool draw_buffer_layout(struct drawer *d)
{
    const struct ir_block *b = schedule_stmt(d->g->schedule, d->block)->u.block;
    struct buf map = {0};
    if (b->nwrites == 0 || b->writes[0].buffer->rank > 5)
        return false;
    draw_map(d, b->writes[0].buffer->rank, b->writes[0].buffer->shape, &map);
    bool whole = dtype_equal(b->writes[0].buffer->dtype, DTYPE_INT32);
    bool done =
        is_internal(d) &&
        run(d, "transform_layout b%u [\"write\" 0] \"%s\"%s", d->serial,
            buf_text(&map), whole && gen_chance(d->b, 2, 3) ? " 3" : "");
    buf_fini(&map);
    return done;
}

static bool draw_mapped(struct drawer *d)
{
    const struct ir_block *b = schedule_stmt(d->g->schedule, d->block)->u.block;
    struct ir_expr *sizes[6];
    struct buf map = {0};
    bool done = false;
    if (b->niters > 6)
        return false;
    for (size_t i = 0; i < b->niters; i++)
        sizes[i] = b->iters[i].dom.extent;
    draw_map(d, b->niters, sizes, &map);
    switch (gen_below(d->b, 3)) {
    case 0:
        done = run(d, "transform_block_layout b%u \"%s\"", d->serial,
                   buf_text(&map));
        d->moved |= done;
        break;
    case 1:
        done = run(d, "reindex_cache_read b%u 0 \"global\" \"%s\"", d->serial,
                   buf_text(&map));
        break;
    default:
        done = run(d, "reindex_cache_write b%u 0 \"global\" \"%s\"", d->serial,
                   buf_text(&map));
        break;
    }
    buf_fini(&map);
    return done;
}

static bool draw_padding(struct drawer *d)
{
    const struct ir_block *b = schedule_stmt(d->g->schedule, d->block)->u.block;
    struct buf list = {0};
    bool done;
    switch (gen_below(d->b, 5)) {
    case 0:
        return run(d, "reindex b%u [\"%s\" %d]", d->serial,
                   gen_chance(d->b, 1, 2) ? "read" : "write",
                   (int)gen_below(d->b, 2));
    case 1: return run(d, "reindex b%u [\"write\" 0]", d->serial);
    case 2:
        return run(d, "decompose_padding b%u l%u_%zu", d->serial, d->serial,
                   (size_t)gen_below(d->b, d->n));
    case 3: return run(d, "rolling_buffer b%u 0", d->serial);
    default: break;
    }
    for (size_t i = 0; i < b->niters; i++)
        buf_printf(&list, " %d", 1 + (int)gen_below(d->b, 4));
    done = run(d, "pad_einsum b%u [%s]", d->serial, buf_text(&list));
    buf_fini(&list);
    return done;
}

/* A step and how often it is drawn; `word`: drawn only if there is such a
 * primitive; bound: not once loops are threads, since buffers then would have
 * to be shared. */
static const struct {
    const char *word;
    unsigned weight;
    bool unbound;
    bool (*wanted)(struct drawer *d);
    bool (*draw)(struct drawer *d);
} steps[] = {
    {"split", 22, false, NULL, draw_split},
    {"fuse", 12, false, NULL, draw_fuse},
    {"reorder", 16, false, NULL, draw_reorder},
    {"parallel", 8, false, NULL, draw_kind},
    {"decompose_reduction", 8, false, is_reduction, draw_decompose},
    {"cache_read", 8, true, NULL, draw_cache},
    {"compute_inline", 8, true, is_internal, draw_inline},
    {"compute_at", 14, true, NULL, draw_compute_at},
    {"rfactor", 6, true, is_reduction, draw_rfactor},
    {"double_buffer", 4, true, is_internal, draw_double_buffer},
    {"transform_layout", 8, true, is_internal, draw_buffer_layout},
    {"transform_block_layout", 10, true, NULL, draw_mapped},
    {"pad_einsum", 12, true, NULL, draw_padding},
};

static void draw_step(struct drawer *d)
{
    unsigned total = 0;
    size_t i = 0;
    for (size_t k = 0; k < DC_ARRAY_LEN(steps); k++)
        total += steps[k].weight;
    unsigned at = (unsigned)gen_below(d->b, total);
    while (at >= steps[i].weight)
        at -= steps[i++].weight;
    if (!schedule_primitive_find(steps[i].word) ||
        (steps[i].unbound && d->threads) || !pick_block(d, steps[i].wanted))
        return;
    if (steps[i].draw(d))
        d->g->done++;
    else
        d->g->refused++;
}

/* ---- the claim ------------------------------------------------------------- */

static bool is_floating(const struct ir_block *b)
{
    for (size_t i = 0; i < b->nwrites; i++)
        if (dtype_is_float(b->writes[i].buffer->dtype))
            return true;
    return false;
}

static enum gen_claim find_claim(struct drawer *d)
{
    schedule_ref blocks[MAX_BLOCKS];
    struct schedule *s = d->g->schedule;
    size_t n = schedule_blocks(s, MAX_BLOCKS, blocks);
    if (n > MAX_BLOCKS)
        return GEN_ORDER_ONLY;
    for (size_t i = 0; i < n; i++) {
        d->block = blocks[i];
        if (!is_reduction(d) ||
            !is_floating(schedule_stmt(s, d->block)->u.block))
            continue;
        if (d->moved || !schedule_keeps_terms(s, d->block, 5))
            return GEN_ORDER_ONLY;
    }
    return GEN_IDENTICAL;
}

/* ---- all of it ------------------------------------------------------------- */

bool gen_schedule_init(struct gen_schedule *g, const uint8_t *data, size_t n,
                       uint64_t seed, const struct gen_options *options)
{
    struct gen_bytes bytes;
    struct drawer d = {.g = g, .b = &bytes};
    memset(g, 0, sizeof *g);
    gen_bytes_init(&bytes, data, n, seed);
    struct gen_program *program = gen_program_new(&bytes, options);
    g->untuned = gen_module(program, GEN_BLOCKS);
    gen_program_free(program);
    g->schedule = schedule_new(g->untuned, "main", NULL);
    buf_puts(&g->steps, "");
    if (!g->schedule)
        return false;
    d.names = schedule_names_new();
    for (size_t i = 0, k = 3 + gen_below(&bytes, 8); i < k; i++)
        draw_step(&d);
    g->claim = find_claim(&d);
    schedule_names_free(d.names);
    return true;
}

void gen_schedule_fini(struct gen_schedule *g)
{
    schedule_free(g->schedule);
    ir_module_free(g->untuned);
    buf_fini(&g->steps);
    memset(g, 0, sizeof *g);
}
