/* SPDX-License-Identifier: Apache-2.0
 *
 * The options that there are, and as they were said: which of them may change what
 * is found. Results are kept under these, and a report names them.
 *
 * Every option does but those of the list below: one that is new counts until it
 * is entered there.
 */
#include "diff/input/options.h"

const struct diff_option diff_option_table[DIFF_NOPTIONS] = {
#define OPTION(id, name, letter, arg, commands, words, help) \
    {name, letter, arg, commands, words, help},
#include "diff/input/options.def"
#undef OPTION
};

/* Options that change what is looked at, printed or kept, not what is found. */
static const enum diff_option_id without[] = {
    DIFF_OPT_AFTER,      DIFF_OPT_AFTER_REV,  DIFF_OPT_BASELINE,
    DIFF_OPT_BEFORE,     DIFF_OPT_BEFORE_REV, DIFF_OPT_CACHE,
    DIFF_OPT_CACHE_SIZE, DIFF_OPT_COLOR,      DIFF_OPT_FORMAT,
    DIFF_OPT_JOBS,       DIFF_OPT_JSON,       DIFF_OPT_MAX_WORK,
    DIFF_OPT_NO_STORE,   DIFF_OPT_NO_TIMES,   DIFF_OPT_OUT,
    DIFF_OPT_PARTIAL,    DIFF_OPT_QUIET,      DIFF_OPT_RESUME,
    DIFF_OPT_SAVE,       DIFF_OPT_SHARD,      DIFF_OPT_STORE,
    DIFF_OPT_TODAY,      DIFF_OPT_VERBOSE,    DIFF_OPT_WRITE_BASELINE,
};

bool diff_option_changes_result(enum diff_option_id id)
{
    for (size_t i = 0; i < DC_ARRAY_LEN(without); i++)
        if (without[i] == id)
            return false;
    return true;
}

void diff_sort_said(struct diff_options *options)
{
    struct diff_said *said =
        ARENA_ARRAY(options->arena, options->nsaid + 1, struct diff_said);
    size_t n = 0;
    for (int id = 0; id < DIFF_NOPTIONS; id++)
        for (size_t i = 0; i < options->nsaid; i++)
            if ((int)options->said[i].id == id)
                said[n++] = options->said[i];
    options->said = said;
}

void diff_put_options(const struct diff_options *options, struct report *report)
{
    report->options.n = 0;
    for (size_t i = 0; i < options->nsaid; i++) {
        const struct diff_said *s = &options->said[i];
        if (!diff_option_changes_result(s->id))
            continue;
        report_add(report, &report->options, "--%s%s%s",
                   diff_option_table[s->id].name, s->value ? "=" : "",
                   s->value ? s->value : "");
    }
}
