/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as a tuning log: read, linked, counted, judged, printed. Every record
 * has a state with a sentence, and a finding says what to check; no count is
 * negative or no number, none needs more than it has; reading the same bytes again
 * gives the same.
 */
#include "audit/audit.h"
#include "fuzz/fuzz.h"

#include <math.h>
#include <string.h>

static void check_count(const struct audit_record *r)
{
    const struct audit_count *n = &r->count;
    double least = 0;
    for (size_t i = 0; i < AUDIT_NOPS; i++)
        if (!(n->ops[i] >= 0))
            DC_BUG("%g operations of kind %zu", n->ops[i], i);
    for (size_t i = 0; i < AUDIT_NCLASSES; i++)
        least += n->least[i];
    if (!(least >= 0) || !(n->bytes >= 0) || !(n->saving >= 1))
        DC_BUG("%g needed, %g bytes, %g saved", least, n->bytes, n->saving);
    if (least > audit_flops(n) * (1 + 1e-9))
        DC_BUG("%g needed of %g", least, audit_flops(n));
    if (n->source == AUDIT_NOWHERE && n->how == NULL)
        DC_BUG("not counted, and not why");
}

static void check_record(const struct audit_record *r, struct buf *out)
{
    check_count(r);
    if (r->state >= AUDIT_NSTATES || r->why == NULL)
        DC_BUG("a record without a judgement");
    if (audit_is_finding(r->state) != (r->check != NULL))
        DC_BUG("a finding, and not what to check");
    buf_printf(out, "%s:%u %s %s\n", r->file, r->line,
               audit_state_name(r->state), r->why);
    audit_put_steps(out, r, 2);
}

static void read_all(const uint8_t *data, size_t size, struct buf *out)
{
    struct audit_set *set = audit_set_new();
    struct audit_options options = {0};
    struct buf text = {0};
    buf_append(&text, data, size);
    if (audit_set_add(set, "log.json", &text, NULL)) {
        audit_set_link(set);
        for (size_t i = 0; i < set->records.len; i++)
            audit_count(set, i, set->arena);
        audit_judge(set, &options);
        size_t *order = audit_order(set);
        for (size_t i = 0; i < set->records.len; i++)
            check_record(&set->records.items[order[i]], out);
        dc_release(order);
    }
    buf_fini(&text);
    audit_set_free(set);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buf one = {0}, two = {0};
    read_all(data, size, &one);
    read_all(data, size, &two);
    if (one.len != two.len ||
        (one.len > 0 && memcmp(one.data, two.data, one.len) != 0))
        DC_BUG("the same log, read otherwise");
    buf_fini(&one);
    buf_fini(&two);
    return 0;
}
