/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes → names, and a generated pair. What must hold: emitted as C, OpenCL and
 * CUDA, both sides are the same programs as under tame names (fuzz/names.h).
 *
 * The first byte picks the language, the second the pair; the rest is cut at
 * NUL bytes, and each object gets one of the pieces.
 */
#include "fuzz/fuzz.h"
#include "fuzz/gen.h"
#include "fuzz/names.h"

#include <string.h>

struct pieces {
    const uint8_t *data;
    size_t size;
};

/* The piece that begins at the object's place; wild where there is none. */
static const char *give(void *user, size_t object, struct arena *arena)
{
    const struct pieces *p = user;
    struct names_wild wild = {.seed = p->size};
    size_t at = 0;
    for (size_t i = 0; i < object && at < p->size; i++) {
        const uint8_t *end = memchr(p->data + at, 0, p->size - at);
        at = end == NULL ? p->size : (size_t)(end - p->data) + 1;
    }
    if (at >= p->size)
        return names_wild(&wild, object, arena);
    const uint8_t *end = memchr(p->data + at, 0, p->size - at);
    size_t len = end == NULL ? p->size - at : (size_t)(end - p->data) - at;
    return arena_strndup(arena, (const char *)p->data + at, len);
}

static bool emit(const struct ir_module *m, enum emit_language language,
                 struct buf *out)
{
    struct emit_options options = {.main_program = true, .language = language};
    return m->nfuncs > 0 && emit_c(m, m->funcs[0], &options, out, NULL);
}

static void check(struct ir_module *m, enum emit_language language,
                  struct pieces *names)
{
    struct buf tame = {0}, other = {0}, why = {0};
    names_set(m, names_tame, NULL);
    bool first = emit(m, language, &tame);
    names_set(m, give, names);
    bool second = emit(m, language, &other);
    if (first != second)
        DC_BUG("a refusal depends on names");
    if (first && !names_same_program(buf_text(&tame), buf_text(&other), &why))
        DC_BUG("names change the program: %s", buf_text(&why));
    buf_fini(&tame);
    buf_fini(&other);
    buf_fini(&why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct gen_options options = gen_small_options();
    struct pieces names = {data + (size < 2 ? size : 2),
                           size < 2 ? 0 : size - 2};
    enum emit_language language =
        (enum emit_language)(size > 0 ? data[0] % 3 : 0);
    struct gen_pair pair;
    gen_pair_init(&pair, NULL, 0, size > 1 ? data[1] : 0, &options);
    check(pair.untuned, language, &names);
    check(pair.tuned, language, &names);
    gen_pair_fini(&pair);
    return 0;
}
