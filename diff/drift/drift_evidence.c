/* SPDX-License-Identifier: Apache-2.0
 *
 * How much speaks for an accusation.
 *
 * A search that tries hundreds of settings outside of what a target declares,
 * or thousands of changed programs, finds one for any few bits: where two
 * elements differ, some setting gives both by chance. A next float up or down
 * is one of two or three that rounding might give, so that so many elements as
 * here, which the hypothesis gives and nothing declared does, leave chances of
 * 10^-7 and less. Where the inputs have fewer, fresh ones are added; where these
 * do not suffice either, nothing is claimed.
 */
#include "diff/drift/drift_private.h"

#define ENOUGH   24u /* elements */
#define RIVALS   3u  /* declared settings that it is held against */
#define PATIENCE 8u  /* fresh inputs in a row that bring no element */

/* Adds the elements of a case that a profile does not give, of those picked for
 * screening, which differ if any do. False: the run did not finish. */
static bool add_missed(struct drift_study *s, const struct num_profile *p,
                       size_t which, size_t *missed)
{
    struct drift_score score = {0};
    bool ran = study_screen_case(s, &s->cases[which], p, &score);
    *missed += score.compared - score.equal;
    return ran;
}

/* What the target declares, and the nearest of what was tried within that. */
static size_t find_rivals(const struct drift_study *s,
                          const struct drift_answer *a, struct num_profile *out)
{
    size_t n = 0;
    out[n++] = s->q->declared.base;
    for (size_t i = 0; i < a->ntrials && n < RIVALS; i++)
        if (a->trials[i].declared &&
            !num_profile_equal(&out[0], &a->trials[i].profile))
            out[n++] = a->trials[i].profile;
    return n;
}

enum drift_evidence drift_tell(struct drift_study *s,
                               const struct drift_answer *a,
                               const struct num_profile *claimed,
                               size_t *evidence)
{
    struct num_profile rivals[RIVALS];
    size_t n = find_rivals(s, a, rivals), counts[RIVALS] = {0};
    size_t given = s->ncases, contrary = 0, idle = 0;
    *evidence = 0;
    for (size_t i = 0; i < s->ncases || study_prove_more(s); i++) {
        size_t least = SIZE_MAX;
        for (size_t k = 0; k < n; k++) {
            if (!add_missed(s, &rivals[k], i, &counts[k]))
                return DRIFT_TOO_LITTLE;
            least = counts[k] < least ? counts[k] : least;
        }
        if (claimed != NULL && i >= given &&
            (!add_missed(s, claimed, i, &contrary) || contrary > 0))
            return DRIFT_REFUTED;
        idle = least > *evidence ? 0 : idle + (i >= given);
        *evidence = least;
        if (least >= ENOUGH)
            return DRIFT_TOLD;
        if (idle == PATIENCE)
            break;
    }
    return DRIFT_TOO_LITTLE;
}
