/* SPDX-License-Identifier: Apache-2.0
 *
 * The command that gives the same result again: every option that can change a
 * verdict, quoted for the shell.
 */
#include "diff/engine/engine.h"
#include "diff/engine/properties.h"
#include "diff/input/casefile.h"
#include "diff/input/words.h"

#include <inttypes.h>
#include <string.h>

/* Which function is meant, where it need not be the only one. */
static void put_function(struct buf *text, const struct diff_pair *pair)
{
    bool renamed = pair->out->tuned_function && pair->options->nrenames > 0;
    if (pair->out->tuned_function == NULL || renamed) {
        buf_puts(text, " --function ");
        diff_put_word(text, pair->out->function);
    }
    if (renamed)
        diff_put_option(text, "--pair", "%s=%s", pair->out->tuned_function,
                        pair->out->function);
}

static void put_targets(struct buf *text, const struct diff_options *o)
{
    if (o->targets && strcmp(o->targets, "none") != 0)
        buf_printf(text, " --targets %s", o->targets);
    if (o->require_targets)
        buf_printf(text, " --require-target %s", o->require_targets);
    for (size_t i = 0; i < o->nrunners; i++) {
        diff_put_option(text, "--runner", "%s=%s", o->runners[i].name,
                        o->runners[i].value);
    }
    for (size_t i = 0; i < o->ntvm_targets; i++) {
        diff_put_option(text, "--tvm-target", "%s=%s", o->tvm_targets[i].name,
                        o->tvm_targets[i].value);
    }
    for (size_t i = 0; i < DC_ARRAY_LEN(o->libraries); i++) {
        if (!o->libraries[i])
            continue;
        diff_put_option(text, "--library", "%s=%s",
                        i == TUNED ? "tuned" : "untuned", o->libraries[i]);
    }
    if (o->python) {
        buf_puts(text, " --python ");
        diff_put_word(text, o->python);
    }
}

const char *diff_command_line(const struct diff_pair *pair)
{
    const struct diff_options *o = pair->options;
    const struct diff_casefile *c = o->casefile; /* which says it itself */
    struct buf text = {0};
    if (o->check_file != NULL) {
        buf_puts(&text, "diffcheck check-certificate ");
        diff_put_word(&text, o->check_file);
        buf_putc(&text, ' ');
    } else {
        buf_puts(&text, o->proof_only ? "diffcheck prove " : "diffcheck ");
    }
    diff_put_word(&text, pair->report->tuned ? pair->report->tuned : "TUNED");
    if (!c && o->noperands != 1) {
        buf_putc(&text, ' ');
        diff_put_word(&text, pair->report->untuned ? pair->report->untuned
                                                   : "UNTUNED");
    }
    put_function(&text, pair);
    buf_printf(&text, " --seed %" PRIu64, o->seed);
    if (o->given[DIFF_OPT_BUDGET])
        buf_printf(&text, " --budget %" PRIu64, o->budget);
    if (o->given[DIFF_OPT_SAMPLES])
        buf_printf(&text, " --samples %zu", o->samples);
    if (o->given[DIFF_OPT_BARRIERS])
        buf_printf(&text, " --barriers %s",
                   o->explicit_barriers ? "explicit" : "implied");
    for (size_t i = c ? c->nshapes : 0; i < o->nshapes; i++)
        diff_put_option(&text, "--shape", "%s=%" PRId64, o->shapes[i].name,
                        o->shapes[i].value);
    for (size_t i = c ? c->nassumes : 0; i < o->nassumes; i++)
        diff_put_option(&text, "--assume", "%s:%s", o->assumes[i].name,
                        o->assumes[i].text);
    for (size_t i = c ? c->nproperties : 0; i < o->nproperties; i++)
        diff_put_option(&text, "--assume", "%s:%s", o->properties[i].name,
                        diff_property_word(o->properties[i].kinds));
    for (size_t i = c ? c->noverlaps : 0; i < o->noverlaps; i++)
        diff_put_option(&text, "--assume", "overlap=%s,%s",
                        o->overlaps[i].first, o->overlaps[i].second);
    for (size_t i = 0; i < o->nexterns; i++) {
        buf_puts(&text, " --extern ");
        diff_put_word(&text, o->externs[i]);
    }
    for (size_t i = 0; i < o->nins; i++)
        diff_put_option(&text, "--in", "%s=%s", o->ins[i].name,
                        o->ins[i].value);
    for (size_t i = 0; i < o->nexpects; i++)
        diff_put_option(&text, "--expect", "%s=%s", o->expects[i].name,
                        o->expects[i].value);
    for (size_t i = 0; i < o->nelements; i++)
        diff_put_option(&text, "--element", "%s", o->elements[i]);
    put_targets(&text, o);
    const char *out = arena_strdup(pair->arena, buf_text(&text));
    buf_fini(&text);
    return out;
}
