/* SPDX-License-Identifier: Apache-2.0
 *
 * Properties of every module that a reader returns, whatever the bytes were.
 *
 * The readers, the printer, the JSON writer, equality and the well-formedness
 * check were written apart; here each tests the others. An ill-formed module
 * only has to be printed without harm, since its text may well be refused.
 * Large modules (a small DAG can unfold to millions of nodes) are left to the
 * first checks, so that one input stays well below the time limit.
 */
#include "fuzz/fuzz.h"

#include <string.h>

#define MAX_NODES 20000u

/* TVM's own pass output names a loop variable in an attribute around the loop
 * (pragma_loop_partition_hint), so free variables may correspond. */
static const struct ir_equal_options same = {.map_free_vars = true};

static uint64_t module_size(const struct ir_module *module)
{
    uint64_t size = 0;

    for (size_t i = 0; i < module->nfuncs; i++) {
        const struct ir_func *func = module->funcs[i];

        if (func->kind == IR_FUNC_PRIM && func->prim.body)
            size += func->prim.body->size;
        else if (func->relax && func->relax->body)
            size += func->relax->body->size;
    }
    return size;
}

/* The text was printed by us from a well-formed module: it must read back, and
 * equal where the form can say all that the module says (another era may need
 * other statements, such as a Bind for the pointer of a view, and text of the
 * old dialects may use views that nothing declares). `form` names it
 * in the message. */
static void check_reread(const struct ir_module *module, const char *form,
                         const struct buf *text, bool equal)
{
    struct diag_sink *sink = diag_sink_new();
    struct buf where = {0};
    struct ir_module *again = ir_read(buf_text(text), text->len, form, sink);

    if (!again) {
        struct buf errors = {0};

        diag_render(sink, false, &errors);
        DC_BUG("%s does not read back: %s\n%s", form, buf_text(&errors),
               buf_text(text));
    }
    if (equal && !ir_module_equal(module, again, same, &where))
        DC_BUG("%s reads back different: %s\n%s", form, buf_text(&where),
               buf_text(text));
    if (equal && ir_module_hash(module) != ir_module_hash(again))
        DC_BUG("%s: equal modules, different hashes", form);
    buf_fini(&where);
    ir_module_free(again);
    diag_sink_free(sink);
}

void fuzz_check_module(const struct ir_module *module)
{
    static const enum ir_era eras[] = {IR_ERA_D, IR_ERA_E, IR_ERA_F};
    struct diag_sink *sink = diag_sink_new();
    bool good = ir_wellformed(module, sink);
    struct buf text = {0};
    enum ir_era own = module->era; /* none for text */

    if (!good && diag_error_count(sink) == 0)
        DC_BUG("ir_wellformed refuses a module without an error");
    if (good && diag_error_count(sink) != 0)
        DC_BUG("ir_wellformed accepts a module but reports an error");
    if (!ir_module_equal(module, module, same, NULL))
        DC_BUG("a module does not equal itself");
    if (module_size(module) <= MAX_NODES) {
        ir_print_script(module, &text);
        if (good)
            check_reread(module, "script", &text, true);
        for (size_t i = 0; i < DC_ARRAY_LEN(eras); i++) {
            text.len = 0;
            diag_clear(sink);
            if (ir_write_json(module, eras[i], &text, sink) && good)
                check_reread(module, ir_era_name(eras[i]), &text,
                             eras[i] == own);
        }
    }
    buf_fini(&text);
    diag_sink_free(sink);
}

void fuzz_read(const char *format, const uint8_t *data, size_t size)
{
    const struct ir_reader *reader = NULL;
    struct diag_sink *sink;
    struct ir_module *module;
    struct buf rendered = {0};

    for (size_t i = 0; ir_readers[i]; i++)
        if (strcmp(ir_readers[i]->name, format) == 0)
            reader = ir_readers[i];
    if (!reader)
        DC_BUG("no reader '%s'", format);
    (void)reader->detect((const char *)data, size);
    sink = diag_sink_new();
    diag_set_source(sink, "input", (const char *)data, size);
    module = reader->read((const char *)data, size, "input", sink);
    if (!module && diag_error_count(sink) == 0)
        DC_BUG("the reader refuses its input without an error");
    diag_render(sink, false, &rendered);
    if (module)
        fuzz_check_module(module);
    ir_module_free(module);
    buf_fini(&rendered);
    diag_sink_free(sink);
}
