/* SPDX-License-Identifier: Apache-2.0
 *
 * A task of Ansor counted from its text: read, its extents found with the numbers
 * of its key, written as a function, and that is counted. Types are not in the
 * text: it is taken as float32 throughout, which the count says.
 */
#include "audit/count/count.h"
#include "audit/count/dag.h"

#include <stdlib.h>
#include <string.h>

#define MAX_KEY 4096u

/* The numbers of ["hash", [1, 2], …] or ["hash", 1, 2, …], in their order. */
static size_t key_numbers(const char *key, int64_t *out)
{
    size_t n = 0;
    const char *at = strchr(key, ',');
    while (at != NULL && *at != '\0' && n < MAX_KEY) {
        at += strcspn(at, "0123456789\"");
        if (*at == '"') { /* a word: past it */
            const char *close = strchr(at + 1, '"');
            at = close ? close + 1 : NULL;
        } else if (*at != '\0') {
            char *end;
            long long v = strtoll(at, &end, 10);
            out[n++] = v < INT32_MAX ? v : 0;
            at = end;
        }
    }
    return n;
}

bool audit_count_dag(const struct audit_task *task, struct arena *arena,
                     struct audit_count *out)
{
    struct dag dag;
    struct arena *scratch = arena_new();
    int64_t *key = ARENA_ARRAY(scratch, MAX_KEY, int64_t);
    size_t nkey = key_numbers(task->key, key);
    struct ir_module *module = NULL;
    if (dag_parse(task->dag, scratch, &dag) &&
        dag_find_extents(&dag, nkey, key))
        module = dag_build(&dag);
    bool fine = module != NULL && audit_count_module(module, arena, out);
    if (fine) {
        out->source = AUDIT_DAG;
        out->how = arena_printf(arena, "%s, of float32", out->how);
    } else if (module == NULL) {
        *out = (struct audit_count){.saving = 1};
        out->how =
            arena_printf(arena, "the text of its task (%s:%u): %s", task->file,
                         task->line, dag.why ? dag.why : "not understood");
    }
    ir_module_free(module);
    arena_free(scratch);
    return fine;
}
