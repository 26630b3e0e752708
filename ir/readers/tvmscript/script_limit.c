/* SPDX-License-Identifier: Apache-2.0
 *
 * Limits of what names can share. `b = [a, a]` costs a line and doubles what b
 * unfolds to; a few dozen such lines are more than any walk could visit. So
 * every part of a list that becomes a value of the module, and every part of a
 * type that a variable gets, counts each time that it is used, over the whole
 * text. Nesting is limited in the same way. (Expressions and statements count
 * their own size, script_checked.)
 */
#include "ir/base/limits.h"
#include "ir/readers/tvmscript/script.h"

/* Parts of values and types of one text; the module prints in proportion. */
#define MAX_PARTS ((uint64_t)1 << 22)

bool script_charge(struct script *s, uint64_t parts, struct ir_pos pos)
{
    s->parts += parts < MAX_PARTS ? parts : MAX_PARTS;
    if (s->parts > MAX_PARTS)
        script_fail(s, pos, "script.limit",
                    "the values and types of this text have more than %u parts",
                    (unsigned)MAX_PARTS);
    return !s->failed;
}

/* Parts and depth of a type, one word: parts in the low 32 bits. */
static uint64_t measure(struct script *s, const struct ir_type *t)
{
    if (!t)
        return 0;
    const uint64_t *known = ptr_map_find(&s->types, t, NULL);
    if (known)
        return *known;
    uint64_t parts = 1, depth = 0;
    for (size_t i = 0; i <= t->nfields; i++) {
        uint64_t m = measure(s, i < t->nfields ? t->fields[i] : t->ret);
        parts += m & UINT32_MAX;
        depth = m >> 32 > depth ? m >> 32 : depth;
    }
    parts = parts < MAX_PARTS ? parts : MAX_PARTS;
    ptr_map_put(&s->types, t, NULL, parts | (depth + 1) << 32);
    return parts | (depth + 1) << 32;
}

bool script_type_fits(struct script *s, const struct ir_type *t,
                      struct ir_pos pos)
{
    uint64_t m = measure(s, t);
    if (m >> 32 > DC_MAX_DEPTH / 2) {
        script_fail(s, pos, "script.limit", "this type nests deeper than %u",
                    DC_MAX_DEPTH / 2);
        return false;
    }
    return script_charge(s, m & UINT32_MAX, pos);
}
