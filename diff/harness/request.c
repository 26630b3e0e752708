/* SPDX-License-Identifier: Apache-2.0
 *
 * What a user's runner is told: docs/runner-protocol.md.
 *
 * Each folder is complete in itself, so that it can be copied to the machine
 * that has the device: the module in two forms and as C where there is any,
 * the arguments, and request.json, which says which is which.
 */
#include "diff/emit/emit.h"
#include "diff/harness/measure.h"
#include "ir/base/json.h"

#include <string.h>

static const char *copy(struct arena *arena, struct buf *text)
{
    const char *kept = arena_strdup(arena, buf_text(text));
    buf_fini(text);
    return kept;
}

void diff_request_texts(const struct diff_side *side, size_t which,
                        struct arena *arena, struct diff_texts *out)
{
    const struct emit_options options = {.main_program = true};
    struct diag_sink *sink = diag_sink_new();
    struct buf script = {0}, json = {0}, c = {0};
    out->function = arena_strdup(arena, side->func->name);
    out->side = diff_side_name(which);
    ir_print_script(side->module, &script);
    out->script = copy(arena, &script);
    bool fine = ir_write_json(side->module, IR_ERA_F, &json, sink);
    out->json = copy(arena, &json);
    if (!fine)
        out->json = NULL;
    fine = emit_c(side->module, side->func, &options, &c, sink);
    out->c = copy(arena, &c);
    if (!fine)
        out->c = NULL;
    diag_sink_free(sink);
}

static void put_argument(struct json_writer *w,
                         const struct interp_signature *sig,
                         const struct diff_args *args, size_t i)
{
    const struct interp_tensor *t = args->args[i].tensor;
    struct dtype type = t ? t->dtype : args->args[i].dtype;
    char name[48], file[32];
    json_begin_object(w);
    json_put_member(w, "name", sig->params[i].name);
    json_put_member(w, "kind", t ? "tensor" : "scalar");
    json_put_member(w, "dtype", dtype_name(type, name));
    json_put_key(w, "shape");
    json_begin_array(w);
    for (size_t d = 0; t && d < t->rank; d++)
        json_put_int(w, t->shape[d]);
    json_end_array(w);
    (void)snprintf(file, sizeof file, "arg%zu.npy", i);
    json_put_member(w, "in", file);
    (void)snprintf(file, sizeof file, "out%zu.npy", i);
    json_put_member(w, "out", t && sig->params[i].stored ? file : NULL);
    json_end_object(w);
}

static bool put_file(const char *folder, const char *name, const char *text,
                     struct buf *why)
{
    struct diag_sink *sink = diag_sink_new();
    struct buf path = {0};
    buf_printf(&path, "%s/%s", folder, name);
    bool fine = !text || file_write(buf_text(&path), text, strlen(text), sink);
    if (!fine)
        buf_printf(why, "%s: %s", name,
                   diag_count(sink) > 0 ? diag_at(sink, 0)->message : "");
    buf_fini(&path);
    diag_sink_free(sink);
    return fine;
}

bool diff_request_put(const char *folder, const struct diff_texts *texts,
                      const struct interp_signature *sig,
                      const struct diff_args *args, struct buf *why)
{
    struct buf text = {0};
    struct json_writer w = {.out = &text, .indent = 2};
    json_begin_object(&w);
    json_put_key(&w, "protocol");
    json_put_int(&w, 1);
    json_put_member(&w, "function", texts->function);
    json_put_member(&w, "side", texts->side);
    json_put_member(&w, "module", texts->json ? "module.json" : NULL);
    json_put_member(&w, "script", "module.py");
    json_put_member(&w, "c", texts->c ? "kernel.c" : NULL);
    json_put_key(&w, "arguments");
    json_begin_array(&w);
    for (size_t i = 0; i < sig->nparams; i++)
        put_argument(&w, sig, args, i);
    json_end_array(&w);
    json_end_object(&w);
    buf_putc(&text, '\n');
    bool fine = put_file(folder, "request.json", buf_text(&text), why) &&
                put_file(folder, "module.json", texts->json, why) &&
                put_file(folder, "module.py", texts->script, why) &&
                put_file(folder, "kernel.c", texts->c, why);
    buf_fini(&text);
    return fine;
}
