/* SPDX-License-Identifier: Apache-2.0
 *
 * The calls of Z3. One context and one simple solver for all queries, made at
 * the first one that needs them; each query is a push, its assertions, a
 * check and a pop. Terms are made once for each inner formula. Nothing depends
 * on time: seeds are fixed and budgets are Z3's resource units.
 */
#include "verifier/smt/smt_state.h"
#include "verifier/verifier.h"

#include <string.h>

/* Errors are looked for where answers are; the default handler would end the
 * process. */
static void on_error(Z3_context c, Z3_error_code e)
{
    (void)c;
    (void)e;
}

Z3_context solver_context(bool models)
{
    solver_memory_mark();
    Z3_config config = Z3_mk_config();
    if (config == NULL)
        return NULL;
    if (models)
        Z3_set_param_value(config, "model", "true");
    Z3_context z3 = Z3_mk_context(config);
    Z3_del_config(config);
    if (z3 != NULL)
        Z3_set_error_handler(z3, on_error);
    return z3;
}

void verifier_put_solver(struct buf *out)
{
    buf_printf(out, "Z3 %s", Z3_get_full_version());
}

static bool is_fine(Z3_context z3)
{
    return Z3_get_error_code(z3) == Z3_OK;
}

/* After a call that has no answer: each one resets the error of the last. */
static void look(struct smt_solver *z)
{
    if (!is_fine(z->z3))
        z->failed = true;
}

/* A term that was made now. */
static Z3_ast made(struct smt_solver *z, Z3_ast ast)
{
    if (ast != NULL && is_fine(z->z3))
        return ast;
    z->failed = true;
    return z->any;
}

/* ---- parameters -------------------------------------------------------------- */

struct setting {
    const char *name;
    unsigned value;
    bool truth; /* a value of its own kind */
};

/* False: some could not be set. */
static bool set_all(Z3_context z3, Z3_solver solver, size_t n,
                    const struct setting *settings)
{
    Z3_params params = Z3_mk_params(z3);
    if (params == NULL || !is_fine(z3))
        return false;
    Z3_params_inc_ref(z3, params);
    bool fine = is_fine(z3);
    for (size_t i = 0; i < n && fine; i++) {
        Z3_symbol name = Z3_mk_string_symbol(z3, settings[i].name);
        fine = name != NULL && is_fine(z3);
        if (fine && settings[i].truth)
            Z3_params_set_bool(z3, params, name, settings[i].value != 0);
        else if (fine)
            Z3_params_set_uint(z3, params, name, settings[i].value);
        fine = fine && is_fine(z3);
    }
    if (fine)
        Z3_solver_set_params(z3, solver, params);
    fine = fine && is_fine(z3);
    Z3_params_dec_ref(z3, params);
    return fine;
}

static bool set_up(struct smt *smt)
{
    struct smt_solver *z = &smt->z3;
    z->integer = Z3_mk_int_sort(z->z3);
    if (z->integer == NULL || !is_fine(z->z3))
        return false;
    z->any = Z3_mk_int64(z->z3, 0, z->integer);
    if (z->any == NULL || !is_fine(z->z3))
        return false;
    z->solver = Z3_mk_simple_solver(z->z3);
    if (z->solver == NULL || !is_fine(z->z3))
        return false;
    Z3_solver_inc_ref(z->z3, z->solver);
    /* The older of Z3's solvers for linear integers: on hard obligations of
     * unrolled kernels it is thirty times as fast. The newer one gives the
     * second opinion. */
    const struct setting settings[] = {
        {"random_seed", smt->variant == 0 ? 0 : 7, false},
        {"rlimit", smt->rlimit_query, false},
        {"arith.solver", smt->variant == 0 ? 2 : 6, false},
        {"ctrl_c", 0, true},
    };
    return is_fine(z->z3) &&
           set_all(z->z3, z->solver, DC_ARRAY_LEN(settings), settings);
}

/* Once: what failed is not tried again. */
static bool start(struct smt *smt)
{
    struct smt_solver *z = &smt->z3;
    if (z->z3 == NULL && !z->failed) {
        z->z3 = solver_context(true);
        z->failed = z->z3 == NULL || !set_up(smt);
    }
    return !z->failed;
}

void solver_fini(struct smt_solver *z)
{
    if (z->z3 && z->solver)
        Z3_solver_dec_ref(z->z3, z->solver);
    if (z->z3)
        Z3_del_context(z->z3);
    if (z->scripts)
        Z3_del_context(z->scripts);
    if (z->z3 || z->scripts)
        solver_memory_count();
    vec_fini(&z->vars);
    vec_fini(&z->forms);
    vec_fini(&z->asserted);
    vec_fini(&z->used);
}

void solver_begin(struct smt *smt)
{
    smt->z3.asserted.len = 0;
    smt->z3.used.len = 0;
}

/* ---- terms ----------------------------------------------------------------- */

static Z3_ast numeral(struct smt_solver *z, int64_t value)
{
    return made(z, Z3_mk_int64(z->z3, value, z->integer));
}

/* Variables are named by numbers. */
static Z3_ast named(struct smt_solver *z, uint32_t id, Z3_sort sort)
{
    Z3_symbol name = Z3_mk_int_symbol(z->z3, (int)id);
    if (name == NULL || sort == NULL || !is_fine(z->z3))
        return made(z, NULL);
    return made(z, Z3_mk_const(z->z3, name, sort));
}

static struct inner_var *var_at(struct smt *smt, atom_id a)
{
    struct smt_solver *z = &smt->z3;
    while (z->vars.len <= a)
        vec_push(&z->vars, (struct inner_var){0});
    struct inner_var *v = &z->vars.items[a];
    if (v->ast)
        return v;
    const struct atom *info = aff_atom_info(smt->enc.inner, a);
    v->ast = named(z, a, z->integer);
    if (info->lo != AFF_NO_LOWER)
        v->lower = made(z, Z3_mk_ge(z->z3, v->ast, numeral(z, info->lo)));
    if (info->hi != AFF_NO_BOUND)
        v->upper = made(z, Z3_mk_le(z->z3, v->ast, numeral(z, info->hi)));
    return v;
}

/* The sum of the terms, without the constant. */
static Z3_ast sum_of(struct smt *smt, const struct aff *a)
{
    struct smt_solver *z = &smt->z3;
    Z3_ast few[16], *parts = few;
    if (a->n > DC_ARRAY_LEN(few))
        parts = dc_alloc(a->n * sizeof *parts);
    for (uint32_t i = 0; i < a->n; i++) {
        Z3_ast v = var_at(smt, a->terms[i].atom)->ast;
        if (a->terms[i].coef != 1) {
            Z3_ast factors[2] = {numeral(z, a->terms[i].coef), v};
            v = made(z, Z3_mk_mul(z->z3, 2, factors));
        }
        parts[i] = v;
    }
    Z3_ast sum = a->n == 1 ? parts[0] : made(z, Z3_mk_add(z->z3, a->n, parts));
    if (parts != few)
        dc_release(parts);
    return sum;
}

static Z3_ast term_of(struct smt *smt, const struct form *f);

static Z3_ast term_make(struct smt *smt, const struct form *f)
{
    struct smt_solver *z = &smt->z3;
    Z3_ast left, right;
    switch (f->kind) {
    case FORM_TRUE: return made(z, Z3_mk_true(z->z3));
    case FORM_FALSE: return made(z, Z3_mk_false(z->z3));
    case FORM_GE0:
    case FORM_EQ0:
    case FORM_NOT_EQ0:
        left = sum_of(smt, f->a);
        right = numeral(z, -f->a->constant);
        if (f->kind == FORM_GE0)
            return made(z, Z3_mk_ge(z->z3, left, right));
        left = made(z, Z3_mk_eq(z->z3, left, right));
        return f->kind == FORM_EQ0 ? left : made(z, Z3_mk_not(z->z3, left));
    case FORM_PRED:
        if (f->negated)
            return made(
                z, Z3_mk_not(z->z3, term_of(smt, form_not(smt->enc.inner, f))));
        return named(z, f->id, Z3_mk_bool_sort(z->z3));
    case FORM_AND:
    case FORM_OR: break;
    }
    Z3_ast *args = dc_alloc(f->n * sizeof *args);
    for (uint32_t i = 0; i < f->n; i++)
        args[i] = term_of(smt, f->args[i]);
    Z3_ast r = f->kind == FORM_AND ? Z3_mk_and(z->z3, f->n, args)
                                   : Z3_mk_or(z->z3, f->n, args);
    dc_release(args);
    return made(z, r);
}

static Z3_ast term_of(struct smt *smt, const struct form *f)
{
    struct smt_solver *z = &smt->z3;
    while (z->forms.len <= f->id)
        vec_push(&z->forms, NULL);
    if (!z->forms.items[f->id]) {
        Z3_ast made = term_make(smt, f);
        z->forms.items[f->id] = made;
    }
    return z->forms.items[f->id];
}

/* ---- queries --------------------------------------------------------------- */

static void assert_ast(struct smt_solver *z, Z3_ast ast)
{
    vec_push(&z->asserted, ast);
}

static void use_aff(struct smt *smt, const struct aff *a)
{
    struct smt_solver *z = &smt->z3;
    for (uint32_t i = 0; i < a->n; i++) {
        struct inner_var *v = var_at(smt, a->terms[i].atom);
        if (v->query == smt->enc.query)
            continue;
        v->query = smt->enc.query;
        vec_push(&z->used, a->terms[i].atom);
        if (v->lower)
            assert_ast(z, v->lower);
        if (v->upper)
            assert_ast(z, v->upper);
    }
}

static void use_form(struct smt *smt, const struct form *f)
{
    if (f->a)
        use_aff(smt, f->a);
    for (uint32_t i = 0; i < f->n; i++)
        use_form(smt, f->args[i]);
}

void solver_assert(struct smt *smt, const struct form *f)
{
    if (f->kind == FORM_TRUE)
        return;
    if (!start(smt))
        return;
    use_form(smt, f);
    assert_ast(&smt->z3, term_of(smt, f));
}

/* Adds what the solver took since the last time; false after an error. */
static bool count_work(struct smt *smt, Z3_context z3, Z3_solver solver,
                       uint64_t *counted)
{
    uint64_t count = 0;
    Z3_stats stats = Z3_solver_get_statistics(z3, solver);
    if (stats == NULL || !is_fine(z3))
        return false;
    Z3_stats_inc_ref(z3, stats);
    unsigned n = Z3_stats_size(z3, stats);
    bool fine = is_fine(z3);
    for (unsigned i = 0; i < n && fine; i++) {
        const char *key = Z3_stats_get_key(z3, stats, i);
        fine = key != NULL && is_fine(z3);
        if (fine && strcmp(key, "rlimit count") == 0 &&
            Z3_stats_is_uint(z3, stats, i))
            count = Z3_stats_get_uint_value(z3, stats, i);
        fine = fine && is_fine(z3);
    }
    Z3_stats_dec_ref(z3, stats);
    if (count > *counted) {
        smt->resources += count - *counted;
        *counted = count;
    }
    smt->exhausted |= smt->resources >= smt->rlimit_total;
    return fine;
}

static void keep_values(struct smt *smt)
{
    struct smt_solver *z = &smt->z3;
    Z3_model model = Z3_solver_get_model(z->z3, z->solver);
    if (!model)
        return;
    Z3_model_inc_ref(z->z3, model);
    for (size_t i = 0; i < z->used.len; i++) {
        struct inner_var *v = &z->vars.items[z->used.items[i]];
        Z3_ast value = NULL;
        v->has_value = Z3_model_eval(z->z3, model, v->ast, true, &value) &&
                       value != NULL &&
                       Z3_get_numeral_int64(z->z3, value, &v->value);
    }
    Z3_model_dec_ref(z->z3, model);
    smt->has_model = true;
    smt->model++;
}

static void assert_now(struct smt_solver *z, Z3_ast ast)
{
    Z3_solver_assert(z->z3, z->solver, ast);
    look(z);
}

/* Nothing that failed on the way may count: a formula that was left out makes
 * what is impossible possible, one that stays behind the reverse. */
static enum solver_answer check(struct smt *smt, Z3_ast more)
{
    struct smt_solver *z = &smt->z3;
    Z3_lbool answer = Z3_L_UNDEF;
    if (!start(smt) || smt->exhausted)
        return SOLVER_UNKNOWN;
    Z3_solver_push(z->z3, z->solver);
    look(z);
    for (size_t i = 0; i < z->asserted.len && !z->failed; i++)
        assert_now(z, z->asserted.items[i]);
    if (more && !z->failed)
        assert_now(z, more);
    if (z->failed)
        return SOLVER_UNKNOWN;
    answer = Z3_solver_check(z->z3, z->solver);
    smt->queries++;
    look(z);
    if (z->failed)
        answer = Z3_L_UNDEF;
    else if (answer == Z3_L_TRUE)
        keep_values(smt);
    z->failed |= !count_work(smt, z->z3, z->solver, &z->counted);
    Z3_solver_pop(z->z3, z->solver, 1);
    look(z);
    solver_memory_count();
    return answer == Z3_L_TRUE    ? SOLVER_SAT
           : answer == Z3_L_FALSE ? SOLVER_UNSAT
                                  : SOLVER_UNKNOWN;
}

enum solver_answer solver_check(struct smt *smt)
{
    return check(smt, NULL);
}

enum solver_answer solver_refine(struct smt *smt, const struct form *more)
{
    if (more->kind == FORM_FALSE)
        return SOLVER_UNSAT;
    if (!start(smt))
        return SOLVER_UNKNOWN;
    size_t asserted = smt->z3.asserted.len;
    use_form(smt, more);
    Z3_ast ast = term_of(smt, more);
    enum solver_answer answer = check(smt, ast);
    if (answer == SOLVER_SAT)
        assert_ast(&smt->z3, ast);
    else
        smt->z3.asserted.len = asserted;
    return answer;
}

/* ---- scripts ----------------------------------------------------------------- */

/* A solver that is made for bit vectors and floats, for one script; `effort` times
 * the usual budget. */
static Z3_solver script_solver(struct smt *smt, unsigned effort)
{
    unsigned rlimit = smt->rlimit_query + smt->rlimit_query / 4;
    const struct setting settings[] = {
        {"random_seed", smt->variant == 0 ? 0 : 7, false},
        {"rlimit", rlimit * effort, false},
        {"ctrl_c", 0, true},
    };
    Z3_context z3 = smt->z3.scripts;
    Z3_symbol logic = Z3_mk_string_symbol(z3, "QF_BVFP");
    Z3_solver s = logic != NULL ? Z3_mk_solver_for_logic(z3, logic) : NULL;
    if (s == NULL || !is_fine(z3))
        return NULL;
    Z3_solver_inc_ref(z3, s);
    if (is_fine(z3) && set_all(z3, s, DC_ARRAY_LEN(settings), settings))
        return s;
    Z3_solver_dec_ref(z3, s);
    return NULL;
}

/* Z3 does not count what reading takes: for a small question it is most of the
 * time. In its resource units, measured, as time: about so many for any script
 * (its declarations and tactics are set up anew), and for a byte. */
#define READING_SCRIPT 10000u
#define READING_BYTE   4u

/* What the script asserts; NULL after an error. The caller's reference. */
static Z3_ast_vector script_read(struct smt *smt, const char *text)
{
    struct smt_solver *z = &smt->z3;
    smt->resources += READING_SCRIPT + READING_BYTE * (uint64_t)strlen(text);
    Z3_ast_vector all =
        Z3_parse_smtlib2_string(z->scripts, text, 0, NULL, NULL, 0, NULL, NULL);
    if (all == NULL || !is_fine(z->scripts))
        return NULL;
    Z3_ast_vector_inc_ref(z->scripts, all);
    return all;
}

static bool script_assert(struct smt_solver *z, Z3_solver s, Z3_ast_vector all)
{
    unsigned n = Z3_ast_vector_size(z->scripts, all);
    bool fine = is_fine(z->scripts);
    for (unsigned i = 0; i < n && fine; i++) {
        Z3_ast ast = Z3_ast_vector_get(z->scripts, all, i);
        fine = ast != NULL && is_fine(z->scripts);
        if (fine)
            Z3_solver_assert(z->scripts, s, ast);
        fine = fine && is_fine(z->scripts);
    }
    return fine;
}

static Z3_lbool script_check(struct smt *smt, Z3_solver s, Z3_ast_vector all)
{
    struct smt_solver *z = &smt->z3;
    z->erred |= !script_assert(z, s, all);
    if (z->erred)
        return Z3_L_UNDEF;
    Z3_lbool answer = Z3_solver_check(z->scripts, s);
    smt->queries++;
    z->erred |= !is_fine(z->scripts);
    if (z->erred)
        answer = Z3_L_UNDEF;
    z->erred |= !count_work(smt, z->scripts, s, &z->scripts_counted);
    return answer;
}

enum smt_answer solver_script(struct smt *smt, const char *text,
                              unsigned effort)
{
    struct smt_solver *z = &smt->z3;
    Z3_lbool answer = Z3_L_UNDEF;
    if (!z->scripts && !z->erred)
        z->scripts = solver_context(true);
    z->erred |= z->scripts == NULL;
    if (z->failed || z->erred || smt->exhausted)
        return SMT_UNKNOWN;
    Z3_ast_vector all = script_read(smt, text);
    Z3_solver s = all != NULL ? script_solver(smt, effort) : NULL;
    z->erred |= s == NULL;
    if (s != NULL)
        answer = script_check(smt, s, all);
    if (s != NULL)
        Z3_solver_dec_ref(z->scripts, s);
    if (all != NULL)
        Z3_ast_vector_dec_ref(z->scripts, all);
    solver_memory_count();
    return answer == Z3_L_FALSE  ? SMT_PROVED
           : answer == Z3_L_TRUE ? SMT_REFUTED
                                 : SMT_UNKNOWN;
}
