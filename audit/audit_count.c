/* SPDX-License-Identifier: Apache-2.0
 *
 * Which way a record is counted: MetaSchedule's by the module of its workload,
 * Ansor's by the text of its task, else by a function's name, else by the loops
 * that its steps tile; AutoTVM's by the task and its arguments. What cannot be
 * counted keeps the reason.
 */
#include "audit/audit.h"
#include "audit/count/count.h"
#include "audit/record/record.h"

enum audit_class audit_class_of(struct dtype t)
{
    if (!dtype_is_float(t))
        return AUDIT_INT;
    return t.bits >= 64 ? AUDIT_F64 : t.bits >= 32 ? AUDIT_F32 : AUDIT_F16;
}

const char *audit_class_name(enum audit_class c)
{
    static const char *const names[AUDIT_NCLASSES] = {"float64", "float32",
                                                      "float16", "integers"};
    return names[c];
}

double audit_flops(const struct audit_count *count)
{
    double n = count->ints;
    for (size_t i = 0; i < AUDIT_CONVERT; i++)
        n += count->ops[i];
    return n;
}

static void count_module(struct audit_record *r, struct arena *arena)
{
    struct diag_sink *sink = diag_sink_new();
    struct ir_module *module = audit_module(r, sink);
    if (module == NULL) {
        const struct diag *d = diag_count(sink) ? diag_at(sink, 0) : NULL;
        r->count.how = arena_strdup(arena, r->workload == NULL
                                               ? "its workload is not at hand"
                                           : d ? d->message
                                               : "no workload");
    } else {
        bool fine = ir_wellformed(module, sink) &&
                    audit_count_module(module, arena, &r->count);
        if (!fine && r->count.how == NULL)
            r->count.how = "its workload is no well-formed module";
    }
    ir_module_free(module);
    diag_sink_free(sink);
}

static void count_ansor(struct audit_record *r, struct arena *arena)
{
    if (r->dag != NULL && audit_count_dag(r->dag, arena, &r->count))
        return;
    if (r->dag == NULL &&
        (audit_count_named(r, arena, &r->count) ||
         (r->count.how == NULL && audit_count_steps(r, arena, &r->count))))
        return;
    if (r->count.how == NULL)
        r->count.how = "neither the text of its task nor what its key names "
                       "is known";
}

void audit_count(struct audit_set *set, size_t i, struct arena *arena)
{
    struct audit_record *r = &set->records.items[i];
    r->count = (struct audit_count){.saving = 1};
    switch (r->format) {
    case AUDIT_METASCHEDULE: count_module(r, arena); break;
    case AUDIT_ANSOR: count_ansor(r, arena); break;
    case AUDIT_AUTOTVM:
        if (!audit_count_autotvm(r, arena, &r->count) && r->count.how == NULL)
            r->count.how = "its arguments are not those of its task";
        break;
    case AUDIT_TABLE:
        if (r->dag != NULL)
            count_ansor(r, arena);
        else
            r->count.how = "the text of its task is not in the file";
        break;
    case AUDIT_NFORMATS: break;
    }
}
