/* SPDX-License-Identifier: Apache-2.0
 *
 * What is known of a mutant by running it: mutants one after the other, the
 * right side's runs kept, the wrong side's beside them, and enclosures of both
 * where bits alone do not tell a wrong value from another rounding.
 */
#include "fuzz/gen_check.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* ---- mutants --------------------------------------------------------------- */

/* Times that each kind is tried on a module, at another place each. */
#define PLACES 4u

struct ir_module *gen_next_mutant(const struct gen_pair *pair, uint64_t seed,
                                  struct gen_mutation *mutation,
                                  struct buf *where)
{
    while (mutation->next < PLACES * MUTATE_NKINDS) {
        unsigned k = mutation->next++, round = k / MUTATE_NKINDS;
        mutation->kind = (enum mutate_kind)((seed + k) % MUTATE_NKINDS);
        uint64_t choice = seed / MUTATE_NKINDS;
        if (round > 0)
            choice = hash_mix(seed, round);
        struct ir_module *m =
            mutate_module(pair->tuned, mutation->kind, choice, where);
        if (m)
            return m;
    }
    return NULL;
}

/* ---- truth ----------------------------------------------------------------- */

static struct interp_options plain_options(void)
{
    struct interp_options options = interp_default_options();
    options.max_steps = GEN_MAX_STEPS;
    options.engine = INTERP_ENGINE_WALK;
    return options;
}

void gen_reference_init(struct gen_reference *reference,
                        const struct ir_module *module)
{
    const struct interp_options options = plain_options();
    reference->module = module;
    for (size_t i = 0; i < GEN_NINPUTS; i++) {
        struct gen_input input = gen_input_at(i);
        gen_run_init(&reference->runs[i], module, &input, &options);
    }
}

void gen_reference_fini(struct gen_reference *reference)
{
    for (size_t i = 0; i < GEN_NINPUTS; i++)
        gen_run_fini(&reference->runs[i]);
}

/* Whether sums and products of such inputs stay far from overflow. */
static bool is_moderate(enum interp_fill fill)
{
    return fill == INTERP_FILL_EXACT || fill == INTERP_FILL_RANDOM;
}

static void note_difference(struct gen_truth *truth,
                            const struct gen_difference *d, bool moderate)
{
    truth->bits |= d->bits;
    for (unsigned l = 0; l < GEN_NLEVELS; l++) {
        if (l > GEN_ANY && !moderate)
            continue;
        truth->values[l] |= d->values_of[l];
        truth->exact[l] |= d->exact_of[l];
    }
}

struct gen_truth gen_find_truth(const struct gen_reference *reference,
                                const struct ir_module *other)
{
    struct gen_truth truth = {0};
    const struct interp_options options = plain_options();
    for (size_t i = 0; i < GEN_NINPUTS; i++) {
        const struct gen_run *a = &reference->runs[i];
        struct gen_input input = gen_input_at(i);
        struct gen_run b;
        if (truth.fault || truth.exact[GEN_FINITE])
            break;
        if (a->result.fault != INTERP_OK)
            continue;
        gen_run_init(&b, other, &input, &options);
        truth.fault |= interp_is_fault(b.result.fault);
        if (b.result.fault == INTERP_OK) {
            struct gen_difference d = gen_compare(a, &b);
            note_difference(&truth, &d, is_moderate(input.fill));
        }
        gen_run_fini(&b);
    }
    return truth;
}

static bool runs_apart(const struct gen_run *a, const struct gen_run *b)
{
    for (size_t p = 0; p < a->n && p < b->n; p++) {
        const struct interp_tensor *x = a->args[p].tensor;
        const struct interp_tensor *y = b->args[p].tensor;
        if (!x || !y || !dtype_is_float(x->dtype))
            continue;
        for (size_t i = 0; i < x->elements && i < y->elements; i++)
            if ((x->state[i] & y->state[i] & INTERP_DEFINED) &&
                num_interval_disjoint(x->box[i].range, y->box[i].range))
                return true;
    }
    return false;
}

bool gen_find_apart(const struct gen_reference *reference,
                    const struct ir_module *other)
{
    struct interp_options options = plain_options();
    bool apart = false;
    options.domain = INTERP_INTERVAL;
    for (size_t i = 0; i < GEN_NINPUTS && !apart; i++) {
        struct gen_input input = gen_input_at(i);
        struct gen_run a, b;
        if (reference->runs[i].result.fault != INTERP_OK)
            continue;
        gen_run_init(&a, reference->module, &input, &options);
        gen_run_init(&b, other, &input, &options);
        apart = a.result.fault == INTERP_OK && b.result.fault == INTERP_OK &&
                runs_apart(&a, &b);
        gen_run_fini(&a);
        gen_run_fini(&b);
    }
    return apart;
}

/* ---- files ----------------------------------------------------------------- */

bool gen_make_folder(const char *path)
{
    struct stat info;
    if (mkdir(path, 0777) == 0)
        return true;
    return errno == EEXIST && stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static bool write_module(const char *folder, const char *name,
                         const struct ir_module *m)
{
    struct buf path = {0}, text = {0};
    buf_printf(&path, "%s/%s", folder, name);
    bool done = ir_write_json(m, IR_ERA_F, &text, NULL) &&
                file_write(buf_text(&path), text.data, text.len, NULL);
    buf_fini(&path);
    buf_fini(&text);
    return done;
}

bool gen_save_pair(const char *folder, const struct ir_module *untuned,
                   const struct ir_module *tuned)
{
    return gen_make_folder(folder) &&
           write_module(folder, "untuned.json", untuned) &&
           write_module(folder, "tuned.json", tuned);
}
