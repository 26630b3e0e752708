/* SPDX-License-Identifier: Apache-2.0
 *
 * A pair from bytes: a kind, what it draws, and the two texts read back as
 * modules.
 *
 * Programs are made as text, since what they are about (ranges of loops, views,
 * calls of intrinsics) is said shortest so, and since what is kept of a finding
 * is what was made. A text that is not read, or is ill-formed, is a fault of the
 * generator.
 */
#include "fuzz/threads/threads_private.h"

#include <inttypes.h>
#include <string.h>

static const struct {
    const char *name;
    bool (*draw)(struct plan *p);
} kinds[] = {
#define KIND(id, name, draw) {name, draw},
#include "fuzz/threads/threads_kind.def"
#undef KIND
};

const char *threads_kind_name(enum threads_kind kind)
{
    return kinds[kind].name;
}

static char *copied(const struct buf *text)
{
    char *copy = dc_alloc(text->len + 1);
    memcpy(copy, buf_text(text), text->len + 1);
    return copy;
}

static struct ir_module *read_back(const char *text, uint64_t seed)
{
    struct diag_sink *sink = diag_sink_new();
    struct ir_module *m = ir_read(text, strlen(text), "generated.py", sink);
    if (m == NULL || !ir_wellformed(m, sink)) {
        struct buf said = {0};
        diag_render(sink, false, &said);
        DC_BUG("seed %" PRIu64 ": %s\n%s", seed, buf_text(&said), text);
    }
    diag_sink_free(sink);
    return m;
}

bool threads_pair_init(struct threads_pair *pair, const uint8_t *data, size_t n,
                       uint64_t seed)
{
    struct gen_bytes bytes;
    struct plan plan = {.b = &bytes, .arena = arena_new(), .wide = DTYPE_INT32};
    gen_bytes_init(&bytes, data, n, seed);
    memset(pair, 0, sizeof *pair);
    pair->kind = (enum threads_kind)gen_below(&bytes, THREADS_NKINDS);
    bool drawn = kinds[pair->kind].draw(&plan);
    for (unsigned side = 0; side < 2 && drawn; side++)
        pair->text[side] = copied(&plan.out[side]);
    if (drawn) {
        pair->about = copied(&plan.about);
        pair->untuned = read_back(pair->text[0], seed);
        pair->tuned = read_back(pair->text[1], seed);
    }
    for (unsigned side = 0; side < 2; side++)
        buf_fini(&plan.out[side]);
    buf_fini(&plan.about);
    arena_free(plan.arena);
    return drawn;
}

void threads_pair_fini(struct threads_pair *pair)
{
    for (unsigned side = 0; side < 2; side++)
        dc_release(pair->text[side]);
    dc_release(pair->about);
    ir_module_free(pair->untuned);
    ir_module_free(pair->tuned);
    memset(pair, 0, sizeof *pair);
}
