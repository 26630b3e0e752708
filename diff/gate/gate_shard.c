/* SPDX-License-Identifier: Apache-2.0
 *
 * Which part of the pairs this run is to look at, where several machines share
 * the work: no machine asks another, each comes to the same partition by itself.
 *
 * Pairs are given out by what they are expected to cost, the dearest first, each
 * to the shard that has the least so far. The cost is an estimate from the
 * contents alone (bytes, and what every pair takes), so that it is the same on
 * every machine and in every year; ties go by position.
 *
 * The whole has a name, three hashes: program, options, and names and contents of
 * all pairs. Shards of other names are not put together.
 */
#include "diff/gate/gate.h"
#include "diff/input/words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SHARDS UINT64_C(1000000)
#define BASE_COST   8192u /* bytes: what a pair takes however small it is */

/* ---- which one this is ----------------------------------------------------------- */

static bool read_number(const char *text, uint64_t *out)
{
    char *end;
    errno = 0;
    *out = *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : 0;
    return *text >= '0' && *text <= '9' && *end == '\0' && errno == 0 &&
           *out <= UINT32_MAX;
}

/* A variable that is a number. False with a diagnostic for what is none, or
 * absent. */
static bool number_of(const char *name, uint64_t *out, struct diag_sink *sink)
{
    const char *text = getenv(name);
    if (text != NULL && read_number(text, out))
        return true;
    return diag_error(sink, (struct diag_loc){0}, "gate.shard",
                      "%s is %s%s%s: give '--shard I/N', or '--shard 1/1' for "
                      "all pairs",
                      name, text ? "no number, '" : "not set", text ? text : "",
                      text ? "'" : "");
}

DC_PRINTF(2, 3)
static void tell(struct diag_sink *sink, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    (void)diag_report(sink, DIAG_NOTE, (struct diag_loc){0}, "gate.shard", fmt,
                      args);
    va_end(args);
}

/* Tasks of an array need not begin at 0 or be neighbours; they must be evenly
 * spaced, since a task knows the ends of the list and not what is between. */
static bool of_slurm(size_t *index, size_t *count, struct diag_sink *sink)
{
    uint64_t id, least, n, most, step;
    if (!number_of("SLURM_ARRAY_TASK_ID", &id, sink) ||
        !number_of("SLURM_ARRAY_TASK_MIN", &least, sink) ||
        !number_of("SLURM_ARRAY_TASK_MAX", &most, sink) ||
        !number_of("SLURM_ARRAY_TASK_COUNT", &n, sink) ||
        !number_of("SLURM_ARRAY_TASK_STEP", &step, sink))
        return false;
    if (step == 0 || n == 0 || n > MOST_SHARDS || id < least || id > most ||
        (id - least) % step != 0 || (most - least) / step + 1 != n)
        return diag_error(sink, (struct diag_loc){0}, "gate.shard",
                          "tasks of this Slurm array are not evenly spaced "
                          "(task %llu, %llu tasks from %llu to %llu): give "
                          "'--shard I/N'",
                          (unsigned long long)id, (unsigned long long)n,
                          (unsigned long long)least, (unsigned long long)most);
    *index = (size_t)((id - least) / step) + 1;
    *count = (size_t)n;
    tell(sink,
         "shard %zu of %zu, as the task of a Slurm array ('--shard 1/1': all "
         "pairs)",
         *index, *count);
    return true;
}

/* A job does not tell its pods how many completions it wants. */
static bool of_kubernetes(size_t *index, size_t *count, struct diag_sink *sink)
{
    uint64_t id, n;
    if (getenv("DIFFCHECK_SHARDS") == NULL) {
        diag_warn(sink, (struct diag_loc){0}, "gate.shard",
                  "JOB_COMPLETION_INDEX is set and DIFFCHECK_SHARDS, the "
                  "number of shards, is not: all pairs are compared");
        return true;
    }
    if (!number_of("JOB_COMPLETION_INDEX", &id, sink) ||
        !number_of("DIFFCHECK_SHARDS", &n, sink))
        return false;
    if (id >= n || n > MOST_SHARDS)
        return diag_error(sink, (struct diag_loc){0}, "gate.shard",
                          "JOB_COMPLETION_INDEX %llu is no index below "
                          "DIFFCHECK_SHARDS %llu",
                          (unsigned long long)id, (unsigned long long)n);
    *index = (size_t)id + 1;
    *count = (size_t)n;
    tell(sink,
         "shard %zu of %zu, by JOB_COMPLETION_INDEX and DIFFCHECK_SHARDS "
         "('--shard 1/1': all pairs)",
         *index, *count);
    return true;
}

bool gate_shard_choose(const struct diff_options *options, size_t *index,
                       size_t *count, struct diag_sink *sink)
{
    *index = options->shard_index;
    *count = options->shard_count;
    if (*count > 0)
        return true;
    if (getenv("SLURM_ARRAY_TASK_ID") != NULL)
        return of_slurm(index, count, sink);
    return getenv("JOB_COMPLETION_INDEX") == NULL ||
           of_kubernetes(index, count, sink);
}

/* ---- who does what --------------------------------------------------------------- */

struct dear {
    uint64_t cost;
    size_t at;
};

static int by_cost(const void *a, const void *b)
{
    const struct dear *x = a, *y = b;
    if (x->cost != y->cost)
        return x->cost > y->cost ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* A heap of shards, the one with the least load, then index, on top. */
struct load {
    uint64_t sum;
    size_t shard;
};

static bool is_less(const struct load *a, const struct load *b)
{
    return a->sum != b->sum ? a->sum < b->sum : a->shard < b->shard;
}

static void sink_top(struct load *heap, size_t n)
{
    for (size_t at = 0;;) {
        size_t least = at, left = 2 * at + 1;
        for (size_t k = left; k < left + 2 && k < n; k++)
            if (is_less(&heap[k], &heap[least]))
                least = k;
        if (least == at)
            return;
        struct load swap = heap[at];
        heap[at] = heap[least];
        heap[least] = swap;
        at = least;
    }
}

void gate_shard_split(size_t n, const struct gate_pair *pairs, size_t count,
                      size_t *shards)
{
    struct dear *order = dc_alloc((n + 1) * sizeof *order);
    /* with more shards than pairs the first ones get one each */
    size_t used = count < n ? count : n;
    struct load *heap = dc_alloc((used + 1) * sizeof *heap);
    for (size_t i = 0; i < n; i++) {
        const struct gate_pair *p = &pairs[i];
        order[i].at = i;
        order[i].cost = BASE_COST + (uint64_t)p->after->size +
                        (p->before ? p->before->size : 0);
    }
    for (size_t k = 0; k < used; k++)
        heap[k].shard = k + 1;
    if (n > 0)
        qsort(order, n, sizeof *order, by_cost);
    for (size_t i = 0; i < n; i++) {
        shards[order[i].at] = heap[0].shard;
        heap[0].sum += order[i].cost;
        sink_top(heap, used);
    }
    dc_release(order);
    dc_release(heap);
}

/* ---- the name of the whole ------------------------------------------------------- */

/* The digest of the parts, which are emptied. */
static const char *hex_of(struct arena *arena, struct buf *parts)
{
    struct buf hex = {0};
    diff_put_digest(&hex, buf_text(parts), parts->len);
    const char *text = arena_strdup(arena, buf_text(&hex));
    buf_fini(&hex);
    parts->len = 0;
    return text;
}

static void put_set(struct buf *out, const struct gate_whole *whole)
{
    static const unsigned char none[GATE_HASH] = {0};
    gate_put_part(out, whole->command, strlen(whole->command));
    buf_printf(out, "%zu;", whole->n);
    for (size_t i = 0; i < whole->n; i++) {
        unsigned char key[GATE_HASH];
        gate_key(none, &whole->pairs[i], key);
        gate_put_part(out, whole->pairs[i].name, strlen(whole->pairs[i].name));
        gate_put_part(out, key, GATE_HASH);
    }
    for (size_t i = 0; i < whole->nlists; i++) {
        buf_printf(out, "%zu;", whole->lists[i]->n);
        for (size_t k = 0; k < whole->lists[i]->n; k++)
            gate_put_part(out, whole->lists[i]->items[k],
                          strlen(whole->lists[i]->items[k]));
    }
}

/* Options that change what is said of findings, beside those of the key. */
static bool put_judging(struct buf *out, const struct diff_options *o)
{
    struct buf text = {0};
    bool fine = o->baseline == NULL || file_read(o->baseline, 0, &text, NULL);
    gate_put_part(out, buf_text(&text), text.len);
    if (o->baseline != NULL && o->today != NULL)
        gate_put_part(out, o->today, strlen(o->today));
    buf_fini(&text);
    return fine;
}

bool gate_shard_name(const struct diff_options *options,
                     const struct gate_whole *whole, struct report_shard *out,
                     struct diag_sink *sink)
{
    struct diff_options plain = *options, bare;
    unsigned char program[GATE_HASH], all[GATE_HASH];
    struct buf parts = {0};
    plain.nformats = 0; /* merge writes others, whatever a shard wrote */
    bare = plain;
    bare.nsaid = 0;
    bool fine = gate_key_common(&bare, program) && gate_key_common(&plain, all);
    gate_put_part(&parts, program, GATE_HASH);
    out->program = hex_of(options->arena, &parts);
    gate_put_part(&parts, all, GATE_HASH);
    fine = put_judging(&parts, options) && fine;
    out->options = hex_of(options->arena, &parts);
    put_set(&parts, whole);
    out->set = hex_of(options->arena, &parts);
    buf_fini(&parts);
    return fine ||
           diag_error(sink, (struct diag_loc){0}, "gate.shard",
                      "the run cannot be named, so that its shards could not "
                      "be told from others: a file of '--extern' or "
                      "'--baseline', or the program, cannot be read");
}
