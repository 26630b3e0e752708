/* SPDX-License-Identifier: Apache-2.0
 *
 * Times proofs.
 *
 *   bench_prove DIFFCHECK TUNED UNTUNED [TUNED UNTUNED ...]
 *
 * For each pair, in milliseconds: `DIFFCHECK prove TUNED UNTUNED -j 1` as a
 * process, reading and reporting included, by the wall's clock and in processor
 * time; the latter as a multiple of that of a process that does nothing but make
 * a Z3 context and a solver and ask it one question (`bench_prove --empty`), in
 * the same run; and the proof alone, in this process, in processor time, of
 * every function that both modules have (a new prover each time, its solver
 * included). Each is repeated until a quarter of a second is spent; the least is
 * printed, for other work on the machine only adds.
 */
#include "ir/ir.h"
#include "verifier/verifier.h"

#include <z3.h>

#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ENOUGH_MS 250.0

/* ---- the empty process ------------------------------------------------------- */

static int ask_nothing(void)
{
    Z3_config config = Z3_mk_config();
    Z3_context z3 = Z3_mk_context(config);
    Z3_del_config(config);
    Z3_solver solver = Z3_mk_simple_solver(z3);
    Z3_solver_inc_ref(z3, solver);
    Z3_ast x = Z3_mk_const(z3, Z3_mk_int_symbol(z3, 0), Z3_mk_int_sort(z3));
    Z3_ast zero = Z3_mk_int(z3, 0, Z3_mk_int_sort(z3));
    Z3_solver_assert(z3, solver, Z3_mk_lt(z3, x, zero));
    bool fine = Z3_solver_check(z3, solver) == Z3_L_TRUE;
    Z3_solver_dec_ref(z3, solver);
    Z3_del_context(z3);
    return fine ? 0 : 1;
}

static double ms_of(struct timeval t)
{
    return (double)t.tv_sec * 1e3 + (double)t.tv_usec / 1e3;
}

struct process_time {
    double cpu, wall; /* ms; negative: it could not be run */
};

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* One run with its output thrown away; *status as waitpid gives it. */
static struct process_time run_process(char *const *argv, int *status)
{
    const struct process_time failed = {-1, -1};
    struct rusage before, after;
    fflush(stdout);
    getrusage(RUSAGE_CHILDREN, &before);
    double start = now_ms();
    pid_t child = fork();
    if (child == 0) {
        if (freopen("/dev/null", "w", stdout) &&
            freopen("/dev/null", "w", stderr))
            execv(argv[0], argv);
        raise(SIGKILL); /* no such program: not to be timed */
    }
    if (child < 0 || waitpid(child, status, 0) != child)
        return failed;
    struct process_time spent = {.wall = now_ms() - start};
    getrusage(RUSAGE_CHILDREN, &after);
    spent.cpu = ms_of(after.ru_utime) + ms_of(after.ru_stime) -
                ms_of(before.ru_utime) - ms_of(before.ru_stime);
    return spent;
}

static struct process_time least_process(char *const *argv, int *status)
{
    struct process_time least = {-1, -1};
    double spent = 0;
    while (spent < ENOUGH_MS) {
        struct process_time t = run_process(argv, status);
        if (t.cpu < 0 || !WIFEXITED(*status))
            return (struct process_time){-1, -1};
        if (least.cpu < 0 || t.cpu < least.cpu)
            least.cpu = t.cpu;
        if (least.wall < 0 || t.wall < least.wall)
            least.wall = t.wall;
        spent += t.wall > 1 ? t.wall : 1;
    }
    return least;
}

/* ---- proofs ------------------------------------------------------------------ */

static struct ir_module *read_module(const char *path)
{
    struct diag_sink *sink = diag_sink_new();
    struct ir_module *m = ir_read_file(path, sink);
    if (m) {
        ir_host_restore(m, sink);
    } else {
        struct buf errors = {0};
        diag_render(sink, false, &errors);
        fputs(buf_text(&errors), stderr);
        buf_fini(&errors);
    }
    diag_sink_free(sink);
    return m;
}

static const char *verdict_name(enum verifier_verdict v)
{
    switch (v) {
    case VERIFIER_IDENTICAL: return "identical";
    case VERIFIER_ORDER_ONLY: return "order-only";
    case VERIFIER_PRECISION: return "precision";
    case VERIFIER_CANDIDATE: return "candidate";
    case VERIFIER_UNKNOWN: break;
    }
    return "unknown";
}

struct proof_time {
    double ms;
    size_t queries;
    const char *verdict;
};

static struct proof_time least_proof(const struct ir_module *tuned,
                                     const struct ir_func *t,
                                     const struct ir_module *untuned,
                                     const struct ir_func *u)
{
    const struct verifier_options options = {0};
    struct proof_time best = {.ms = -1};
    double spent = 0;
    while (spent < ENOUGH_MS) {
        struct verifier_result r = {0};
        clock_t start = clock();
        verifier_prove(tuned, t, untuned, u, &options, &r);
        double ms = (double)(clock() - start) * 1e3 / (double)CLOCKS_PER_SEC;
        best.queries = r.queries;
        best.verdict = verdict_name(r.verdict);
        verifier_result_fini(&r);
        if (best.ms < 0 || ms < best.ms)
            best.ms = ms;
        spent += ms > 0.01 ? ms : 0.01;
    }
    return best;
}

static bool time_pair(char *diffcheck, char *tuned_path, char *untuned_path,
                      const struct process_time *empty)
{
    struct ir_module *tuned = read_module(tuned_path);
    struct ir_module *untuned = read_module(untuned_path);
    bool fine = tuned && untuned;
    char command[] = "prove", one[] = "-j1";
    char *const argv[] = {diffcheck,    command, tuned_path,
                          untuned_path, one,     NULL};
    int status = 0;
    struct process_time whole = {-1, -1};
    if (fine)
        whole = least_process(argv, &status);
    for (size_t i = 0; fine && i < tuned->nfuncs; i++)
        for (size_t k = 0; k < untuned->nfuncs; k++) {
            const struct ir_func *t = tuned->funcs[i], *u = untuned->funcs[k];
            if (t->relax || u->relax || strcmp(t->name, u->name) != 0)
                continue;
            struct proof_time p = least_proof(tuned, t, untuned, u);
            printf("%8.1f %8.1f %6.1f %8.2f %8zu  %-10s  %s %s\n", whole.wall,
                   whole.cpu, whole.cpu / empty->cpu, p.ms, p.queries,
                   p.verdict, t->name, tuned_path);
        }
    ir_module_free(tuned);
    ir_module_free(untuned);
    return fine && whole.cpu >= 0;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--empty") == 0)
        return ask_nothing();
    if (argc < 4 || argc % 2 != 0) {
        fputs("usage: bench_prove DIFFCHECK TUNED UNTUNED ...\n", stderr);
        return 2;
    }
    char empty[] = "--empty";
    char *const self[] = {argv[0], empty, NULL};
    int status = 0;
    struct process_time empty_process = least_process(self, &status);
    if (empty_process.cpu < 0 || WEXITSTATUS(status) != 0) {
        fputs("the empty process fails\n", stderr);
        return 2;
    }
    printf("%8.1f %8.1f    1.0: a process that makes a solver and asks it "
           "once\n",
           empty_process.wall, empty_process.cpu);
    printf(" wall ms   cpu ms  ratio proof ms  queries  verdict     "
           "function\n");
    bool fine = true;
    for (int i = 2; i + 1 < argc; i += 2)
        fine = time_pair(argv[1], argv[i], argv[i + 1], &empty_process) && fine;
    return fine ? 0 : 2;
}
