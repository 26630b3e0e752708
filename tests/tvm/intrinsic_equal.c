/* SPDX-License-Identifier: Apache-2.0
 *
 * intrinsic_equal DIR: the tensor intrinsics that schedule/ makes by itself
 * against those that TVM registers, saved in DIR as NAME.registered.desc.json
 * and NAME.registered.impl.json (check_intrinsics.py): equal as TVM's
 * StructuralEqual has it. A line for each that differs, or that is not there.
 * The last line is "N intrinsics, N failed"; exit status 1 if any failed.
 */
#include "schedule/schedule.h"

#include <string.h>

static bool is_equal(const char *path, const struct ir_module *ours,
                     const char *function)
{
    const struct ir_equal_options options = {.ignore_symbol = true};
    struct diag_sink *sink = diag_sink_new();
    struct buf where = {0};
    struct ir_module *m = ir_read_file(path, sink);
    if (m)
        ir_host_restore(m, sink); /* LLVM's instructions by name */
    const struct ir_func *theirs = m ? ir_module_find(m, "main") : NULL;
    struct ir_func *mine = ir_module_find(ours, function);
    bool good = theirs && ir_wellformed(ours, sink);
    if (good) {
        mine->attrs = theirs->attrs; /* a name that the file gives alone */
        good = ir_func_equal(mine, theirs, options, &where);
        mine->attrs = NULL;
    }
    if (!theirs || !good) {
        diag_render(sink, false, &where);
        printf("FAILED: %s: %s\n", function, buf_text(&where));
    }
    ir_module_free(m);
    buf_fini(&where);
    diag_sink_free(sink);
    return good;
}

int main(int argc, char **argv)
{
    size_t n = 0, failed = 0;
    if (argc != 2) {
        (void)fprintf(stderr, "usage: intrinsic_equal DIR\n");
        return 2;
    }
    for (const char *name; (name = schedule_intrinsic_name(n)) != NULL; n++) {
        static const char *const parts[] = {"desc", "impl"};
        struct ir_module *m = schedule_intrinsic(name);
        for (size_t i = 0; i < 2; i++) {
            struct buf path = {0}, function = {0};
            buf_printf(&path, "%s/%s.registered.%s.json", argv[1], name,
                       parts[i]);
            buf_printf(&function, "%s_%s", name, parts[i]);
            failed += !is_equal(buf_text(&path), m, buf_text(&function));
            buf_fini(&path);
            buf_fini(&function);
        }
        ir_module_free(m);
    }
    printf("%zu intrinsics, %zu failed\n", n, failed);
    return failed > 0;
}
