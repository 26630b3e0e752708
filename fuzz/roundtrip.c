/* SPDX-License-Identifier: Apache-2.0
 *
 * Properties of every module that a reader returns, whatever the bytes were.
 *
 * The readers, the printer, the JSON writer, equality and the well-formedness
 * check were written apart; here each tests the others. What a writer does not
 * refuse of a well-formed module reads back; of an ill-formed one the writers do
 * not know all, and ir_check_reread has to.
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

/* Reads what we wrote, which must be possible. */
static struct ir_module *reread(const char *form, const struct buf *text)
{
    struct diag_sink *sink = diag_sink_new();
    struct ir_module *again = ir_read(buf_text(text), text->len, form, sink);

    if (!again) {
        struct buf errors = {0};

        diag_render(sink, false, &errors);
        DC_BUG("%s does not read back: %s\n%s", form, buf_text(&errors),
               buf_text(text));
    }
    diag_sink_free(sink);
    return again;
}

static void check_equal(const struct ir_module *module,
                        const struct ir_module *again, const char *form,
                        const struct buf *text)
{
    struct buf where = {0};

    if (!ir_module_equal(module, again, same, &where))
        DC_BUG("%s reads back different: %s\n%s", form, buf_text(&where),
               buf_text(text));
    if (ir_module_hash(module) != ir_module_hash(again))
        DC_BUG("%s: equal modules, different hashes\n%s", form, buf_text(text));
    buf_fini(&where);
}

/* What was read from text says the same text for ever. (What was read from JSON
 * may lack a type that the first text gave it.) */
static void check_stable(const struct ir_module *module, struct diag_sink *sink)
{
    struct buf first = {0}, second = {0};
    struct ir_module *again;

    if (!ir_write_script(module, &first, sink))
        DC_BUG("script: what came from its text is refused");
    again = reread("script", &first);
    if (!ir_write_script(again, &second, sink))
        DC_BUG("script: refused the second time\n%s", buf_text(&first));
    if (strcmp(buf_text(&first), buf_text(&second)) != 0)
        DC_BUG("script: another text the second time\n%s%s", buf_text(&first),
               buf_text(&second));
    ir_module_free(again);
    buf_fini(&first);
    buf_fini(&second);
}

/* What is written reads back equal, and is then written the same. A writer
 * that refuses says why, and leaves nothing; of a well-formed module that came
 * from text it refuses nothing, since text says all that its own reader can
 * give. */
static void check_script(const struct ir_module *module, bool good)
{
    struct diag_sink *sink = diag_sink_new();
    struct buf text = {0};

    if (ir_write_script(module, &text, sink) &&
        (good || ir_check_reread(module, &text, true, sink))) {
        struct ir_module *again = reread("script", &text);

        check_equal(module, again, "script", &text);
        if (good)
            check_stable(again, sink);
        ir_module_free(again);
    } else if (diag_error_count(sink) == 0) {
        DC_BUG("script: refused without an error");
    } else if (good && module->era == IR_ERA_NONE) {
        struct buf errors = {0};

        diag_render(sink, false, &errors);
        ir_print_script(module, &text);
        DC_BUG("script: what came from text is refused: %s\n%s",
               buf_text(&errors), buf_text(&text));
    }
    buf_fini(&text);
    diag_sink_free(sink);
}

/* An object that the language has no form for keeps the fields that the node
 * of that name has in the era it was read from: as JSON of another era it may
 * not read. */
static bool holds_objects(const struct ir_module *module)
{
    struct buf text = {0};
    bool holds;

    ir_print_script(module, &text);
    holds = strstr(buf_text(&text), "I.object(") != NULL;
    buf_fini(&text);
    return holds;
}

/* In its own era, and from text in the newest, a module is the same; another
 * era may have another form for a thing. */
static void check_json(const struct ir_module *module, enum ir_era era,
                       bool good)
{
    struct diag_sink *sink = diag_sink_new();
    struct buf text = {0};
    bool own =
        era == module->era || (module->era == IR_ERA_NONE && era == IR_ERA_F);

    if (ir_write_json(module, era, &text, sink) &&
        ((good && (own || !holds_objects(module))) ||
         ir_check_reread(module, &text, own, sink))) {
        struct ir_module *again = reread(ir_era_name(era), &text);

        if (own)
            check_equal(module, again, ir_era_name(era), &text);
        ir_module_free(again);
    } else if (diag_error_count(sink) == 0) {
        DC_BUG("JSON: refused without an error");
    }
    buf_fini(&text);
    diag_sink_free(sink);
}

void fuzz_check_module(const struct ir_module *module)
{
    static const enum ir_era eras[] = {IR_ERA_D, IR_ERA_E, IR_ERA_F};
    struct diag_sink *sink = diag_sink_new();
    bool good = ir_wellformed(module, sink);

    if (!good && diag_error_count(sink) == 0)
        DC_BUG("ir_wellformed refuses a module without an error");
    if (good && diag_error_count(sink) != 0)
        DC_BUG("ir_wellformed accepts a module but reports an error");
    if (!ir_module_equal(module, module, same, NULL))
        DC_BUG("a module does not equal itself");
    (void)ir_module_hash(module);
    if (module_size(module) <= MAX_NODES) {
        check_script(module, good);
        for (size_t i = 0; i < DC_ARRAY_LEN(eras); i++)
            check_json(module, eras[i], good);
    }
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
