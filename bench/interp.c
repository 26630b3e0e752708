/* SPDX-License-Identifier: Apache-2.0
 *
 * Times the interpreter on the relax#294 modules, full size.
 *
 *   bench_interp [STEPS]      (from the source root; default 300000000)
 *
 * For each module and domain: a run that stops after STEPS steps, which gives
 * the speed of the tree walker; and a run that computes 64 output elements
 * alone, spread over the output, as `diffcheck` does above its budget. Prints
 * one row each: steps, seconds of processor time, millions of steps a second,
 * and the peak memory of the process so far. Times are those of one machine at
 * one moment and go to docs/performance.md by hand, with the machine.
 */
#include "interp/interp.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define NPARAMS 3
#define OUTPUT  2
#define SAMPLES 64

static double cpu_seconds(void)
{
    return (double)clock() / (double)CLOCKS_PER_SEC;
}

static double peak_mib(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024.0;
}

static void time_run(const char *name, const struct ir_module *module,
                     struct interp_arg *args, uint64_t max_steps,
                     enum interp_domain_kind domain, const uint8_t *demand)
{
    const uint8_t *demands[NPARAMS] = {NULL, NULL, demand};
    struct interp_options options = interp_default_options();
    struct interp_result result;
    double start = cpu_seconds(), seconds;

    options.domain = domain;
    options.engine = INTERP_ENGINE_WALK;
    options.max_steps = demand ? 0 : max_steps;
    options.demand = demand ? demands : NULL;
    result = interp_run(module, module->funcs[0], NPARAMS, args, &options);
    seconds = cpu_seconds() - start;
    printf("%-10s %-9s %-8s %12llu %8.2f %9.1f %9.0f  %s\n", name,
           domain == INTERP_IEEE ? "ieee" : "interval",
           demand ? "64 cells" : "prefix", (unsigned long long)result.steps,
           seconds, (double)result.steps / 1e6 / (seconds + 1e-9), peak_mib(),
           interp_fault_name(result.fault));
    interp_result_fini(&result);
}

static bool make_args(const struct ir_module *module, struct arena *arena,
                      struct interp_arg *args, struct diag_sink *sink)
{
    struct interp_signature signature = {0};

    if (!interp_signature(module, module->funcs[0], NULL, 0, arena, &signature,
                          sink))
        return false;
    if (signature.nparams != NPARAMS)
        return diag_error(sink, (struct diag_loc){0}, "bench.params",
                          "expected %d parameters", NPARAMS);
    for (size_t i = 0; i < NPARAMS; i++) {
        const struct interp_param *p = &signature.params[i];

        args[i].tensor = interp_tensor_new(p->dtype, p->rank, p->shape);
        interp_fill_tensor(args[i].tensor, INTERP_FILL_EXACT, 1, i, 1, 0);
    }
    return true;
}

static bool bench_module(const char *name, uint64_t steps,
                         struct diag_sink *sink)
{
    struct interp_arg args[NPARAMS] = {{0}};
    struct arena *arena = arena_new();
    struct buf path = {0};
    struct ir_module *module;
    bool good = false;

    buf_printf(&path, "corpora/relax294/%s.py", name);
    module = ir_read_file(buf_text(&path), sink);
    if (module && make_args(module, arena, args, sink)) {
        size_t elements = args[OUTPUT].tensor->elements;
        uint8_t *demand = dc_alloc(elements);

        for (size_t i = 0; i < SAMPLES; i++)
            demand[i * (elements / SAMPLES) + i % 7] = 1;
        time_run(name, module, args, steps, INTERP_IEEE, NULL);
        time_run(name, module, args, steps, INTERP_IEEE, demand);
        for (size_t i = 0; i < NPARAMS; i++)
            interp_tensor_to_box(args[i].tensor);
        time_run(name, module, args, steps, INTERP_INTERVAL, NULL);
        time_run(name, module, args, steps, INTERP_INTERVAL, demand);
        dc_release(demand);
        good = true;
    }
    for (size_t i = 0; i < NPARAMS; i++)
        interp_tensor_free(args[i].tensor);
    ir_module_free(module);
    arena_free(arena);
    buf_fini(&path);
    return good;
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"untuned", "reordered", "tuned"};
    uint64_t steps = argc > 1 ? strtoull(argv[1], NULL, 10) : 300000000u;
    struct diag_sink *sink = diag_sink_new();
    struct buf text = {0};
    int status = 0;

    printf("%-10s %-9s %-8s %12s %8s %9s %9s  %s\n", "module", "domain", "run",
           "steps", "cpu s", "Msteps/s", "peak MiB", "end");
    for (size_t i = 0; i < DC_ARRAY_LEN(names); i++)
        if (!bench_module(names[i], steps, sink))
            status = 1;
    diag_render(sink, false, &text);
    fputs(buf_text(&text), stderr);
    buf_fini(&text);
    diag_sink_free(sink);
    return status;
}
