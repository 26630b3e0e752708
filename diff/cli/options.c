/* SPDX-License-Identifier: Apache-2.0
 *
 * Parsing of the command line from the table in options.def.
 *
 * Accepted: --name VALUE, --name=VALUE, -x VALUE, -xVALUE, "--" ends options,
 * "-" is an operand (standard input). The first operand names the command if
 * it is one; otherwise the command is `compare` and the operand its first. A
 * value is checked where it is read, so that the message can name the option;
 * an unknown name is answered with the nearest known one.
 */
#include "diff/input/options.h"

#include "diff/cli/command.h"
#include "diff/harness/target.h"
#include "diff/input/casefile.h"
#include "diff/input/contract.h"
#include "diff/input/words.h"
#include "diff/saved/saved.h"

#include <errno.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* TUNED and UNTUNED, which options name, too. */
#define NAMED_OPERANDS 2u

DC_PRINTF(3, 4)
static bool usage(struct diag_sink *sink, const char *code, const char *fmt,
                  ...)
{
    struct diag_loc nowhere = {0};
    va_list args;
    va_start(args, fmt);
    bool ok = diag_report(sink, DIAG_ERROR, nowhere, code, fmt, args);
    va_end(args);
    return ok;
}

/* Whether `word` is one of the blank-separated words of `list`. */
static bool has_word(const char *list, const char *word, size_t len)
{
    for (const char *p = list; *p;) {
        size_t n = strcspn(p, " ");
        if (n == len && memcmp(p, word, len) == 0)
            return true;
        p += n;
        p += strspn(p, " ");
    }
    return false;
}

bool diff_option_applies(const struct diff_option *option,
                         const struct diff_command *command)
{
    const char *name = command->name, *like = command->like;
    if (strcmp(option->commands, "*") == 0 ||
        has_word(option->commands, name, strlen(name)))
        return true;
    return like && option != &diff_option_table[DIFF_OPT_SAVE] &&
           has_word(option->commands, like, strlen(like));
}

/* ---- values ---------------------------------------------------------------- */

struct parse {
    struct diff_options *o;
    struct diag_sink *sink;
};

static bool parse_uint(struct parse *p, const char *option, const char *text,
                       uint64_t *out)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno)
        return usage(p->sink, "usage.number",
                     "'%s' needs a whole number, not '%s'", option, text);
    *out = value;
    return true;
}

#define APPEND(p, list, count, type, item)                                 \
    do {                                                                   \
        type *grown = ARENA_ARRAY((p)->o->arena, (p)->o->count + 1, type); \
        if ((p)->o->count > 0)                                             \
            memcpy(grown, (p)->o->list, (p)->o->count * sizeof *grown);    \
        grown[(p)->o->count++] = (item);                                   \
        (p)->o->list = grown;                                              \
    } while (0)

/* NAME:LO..HI, NAME:distinct and the like, or overlap=A,B */
static bool parse_assume(struct parse *p, const char *text)
{
    struct diff_range range;
    struct diff_overlap overlap;
    struct diff_property property;
    if (diff_contract_is_overlap(text)) {
        if (!diff_contract_overlap(p->o->arena, text, &overlap))
            return usage(p->sink, "usage.assume",
                         "'--assume overlap=' needs two parameters A,B, not "
                         "'%s'",
                         text + strlen("overlap="));
        APPEND(p, overlaps, noverlaps, struct diff_overlap, overlap);
        return true;
    }
    if (diff_contract_property(p->o->arena, text, &property)) {
        APPEND(p, properties, nproperties, struct diff_property, property);
        return true;
    }
    if (!diff_contract_range(p->o->arena, text, &range))
        return usage(p->sink, "usage.assume",
                     "'--assume' needs NAME:LO..HI with LO <= HI, "
                     "NAME:distinct, NAME:sorted, NAME:permutation, or "
                     "overlap=A,B, not '%s'",
                     text);
    APPEND(p, assumes, nassumes, struct diff_range, range);
    return true;
}

static bool parse_shape(struct parse *p, const char *text)
{
    struct interp_symbol symbol;
    if (!diff_contract_shape(p->o->arena, text, &symbol))
        return usage(p->sink, "usage.shape",
                     "'--shape' needs NAME=N with N >= 0, not '%s'", text);
    APPEND(p, shapes, nshapes, struct interp_symbol, symbol);
    return true;
}

/* NAME=FILE.npy of --in or --expect */
static bool parse_array(struct parse *p, enum diff_option_id id,
                        const char *text)
{
    const char *equals = strchr(text, '=');
    struct diff_binding array = {0};
    if (!equals || equals == text || !equals[1])
        return usage(p->sink, "usage.in", "'--%s' needs NAME=FILE, not '%s'",
                     diff_option_table[id].name, text);
    array.name = arena_strndup(p->o->arena, text, (size_t)(equals - text));
    array.value = equals + 1;
    if (id == DIFF_OPT_IN)
        APPEND(p, ins, nins, struct diff_binding, array);
    else
        APPEND(p, expects, nexpects, struct diff_binding, array);
    return true;
}

/* One that the command writes: not all of them have pairs of functions. */
static bool find_format(struct parse *p, const char *text, size_t len,
                        struct diff_format *out)
{
    struct buf words = {0};
    const char *some = p->o->command->formats;
    out->writer = report_writer_find(text, len);
    if (out->writer != NULL && (!some || has_word(some, text, len)))
        return true;
    diff_option_words(&diff_option_table[DIFF_OPT_FORMAT], &words);
    bool known = usage(
        p->sink, "usage.format", "%s report format '%.*s', expected one of %s",
        out->writer ? "no" : "unknown", (int)(len < 40 ? len : 40), text,
        some ? some : buf_text(&words));
    buf_fini(&words);
    return known;
}

static bool parse_format(struct parse *p, const char *text)
{
    size_t len = strcspn(text, "=");
    struct diff_format format = {0};
    if (!find_format(p, text, len, &format))
        return false;
    format.file = text[len] ? text + len + 1 : "-";
    if (!*format.file)
        return usage(p->sink, "usage.format",
                     "'--format %s' names no file after '='", text);
    APPEND(p, formats, nformats, struct diff_format, format);
    return true;
}

static bool is_bound(size_t n, const struct diff_binding *all, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(all[i].name, name) == 0)
            return true;
    return false;
}

/* NAME=VALUE with a name that no target has. */
static bool parse_named(struct parse *p, const char *option, const char *what,
                        const char *text, struct diff_binding *out)
{
    const char *equals = strchr(text, '=');
    size_t len = equals ? (size_t)(equals - text) : 0;
    if (len == 0 || strspn(equals + 1, " ") == strlen(equals + 1) ||
        memchr(text, ',', len) || memchr(text, ' ', len))
        return usage(p->sink, "usage.runner", "'%s' needs NAME=%s, not '%s'",
                     option, what, text);
    out->name = arena_strndup(p->o->arena, text, len);
    out->value = equals + 1 + strspn(equals + 1, " ");
    if (is_bound(p->o->nrunners, p->o->runners, out->name) ||
        is_bound(p->o->ntvm_targets, p->o->tvm_targets, out->name))
        return usage(p->sink, "usage.runner", "'%s %s' is given twice", option,
                     out->name);
    if (diff_target_find(out->name) || strcmp(out->name, "library") == 0 ||
        strcmp(out->name, "recorded") == 0)
        return usage(p->sink, "usage.runner",
                     "'%s' is the name of a target, choose another", out->name);
    return true;
}

/* NAME=COMMAND */
static bool parse_runner(struct parse *p, const char *text)
{
    struct diff_binding runner;
    if (!parse_named(p, "--runner", "COMMAND", text, &runner))
        return false;
    APPEND(p, runners, nrunners, struct diff_binding, runner);
    return true;
}

/* NAME=TARGET, as TVM calls it */
static bool parse_tvm_target(struct parse *p, const char *text)
{
    struct diff_binding target;
    if (!parse_named(p, "--tvm-target", "TARGET", text, &target))
        return false;
    if (*target.value == '-')
        return usage(p->sink, "usage.runner",
                     "'--tvm-target' needs a TARGET that starts with its kind, "
                     "as 'llvm -mcpu=x', not '%s'",
                     target.value);
    APPEND(p, tvm_targets, ntvm_targets, struct diff_binding, target);
    return true;
}

/* tuned=FILE, untuned=FILE */
static bool parse_library(struct parse *p, const char *text)
{
    static const char *const sides[] = {"untuned=", "tuned="};
    for (size_t i = 0; i < DC_ARRAY_LEN(sides); i++) {
        size_t len = strlen(sides[i]);
        if (strncmp(text, sides[i], len) != 0 || !text[len])
            continue;
        if (p->o->libraries[i])
            return usage(p->sink, "usage.runner",
                         "'--library %s' is given twice", sides[i]);
        p->o->libraries[i] = text + len;
        return true;
    }
    return usage(p->sink, "usage.runner",
                 "'--library' needs tuned=FILE or untuned=FILE, not '%s'",
                 text);
}

/* TUNED=UNTUNED, each function once on its side */
static bool parse_pair(struct parse *p, const char *text)
{
    const char *equals = strchr(text, '=');
    struct diff_rename pair;
    if (!equals || equals == text || !equals[1])
        return usage(p->sink, "usage.pair",
                     "'--pair' needs TUNED=UNTUNED, two functions, not '%s'",
                     text);
    pair.tuned = arena_strndup(p->o->arena, text, (size_t)(equals - text));
    pair.untuned = equals + 1;
    for (size_t i = 0; i < p->o->nrenames; i++) {
        const struct diff_rename *r = &p->o->renames[i];
        bool tuned = strcmp(r->tuned, pair.tuned) == 0;
        if (tuned || strcmp(r->untuned, pair.untuned) == 0)
            return usage(p->sink, "usage.pair",
                         "'--pair' has the %s function '%s' twice",
                         tuned ? "tuned" : "untuned",
                         tuned ? pair.tuned : pair.untuned);
    }
    APPEND(p, renames, nrenames, struct diff_rename, pair);
    return true;
}

/* I/N */
static bool parse_shard(struct parse *p, const char *text)
{
    const char *slash = strchr(text, '/');
    char *first =
        arena_strndup(p->o->arena, text, slash ? (size_t)(slash - text) : 0);
    uint64_t index = 0, count = 0;
    bool numbers = slash && strspn(first, "0123456789") == strlen(first) &&
                   *first && slash[1] &&
                   strspn(slash + 1, "0123456789") == strlen(slash + 1);
    if (!numbers || !parse_uint(p, "--shard", first, &index) ||
        !parse_uint(p, "--shard", slash + 1, &count) || index == 0 ||
        index > count || count > 1000000)
        return usage(p->sink, "usage.shard",
                     "'--shard' needs I/N with I from 1 to N, not '%s'", text);
    p->o->shard_index = (size_t)index;
    p->o->shard_count = (size_t)count;
    return true;
}

/* VERDICT[,VERDICT…]: sets the flag of each verdict or outcome, and one more of
 * the option's own `word`: "drift" of --fail-on, the outcomes that are
 * differences with a cause; "wider" of --allow, a part of `precision`. */
static bool parse_verdicts(struct parse *p, const char *option,
                           const char *text, bool *flags, bool *outcomes,
                           const char *word, bool *own)
{
    for (const char *s = text;;) {
        size_t len = strcspn(s, ",");
        enum report_verdict verdict;
        enum report_outcome outcome;
        if (report_verdict_parse(s, len, &verdict))
            flags[verdict] = true;
        else if (report_outcome_parse(s, len, &outcome))
            outcomes[outcome] = true;
        else if (strlen(word) == len && memcmp(s, word, len) == 0)
            *own = true;
        else
            return usage(p->sink, "usage.verdict",
                         "'%s' needs a list of verdicts or outcomes, '%.*s' "
                         "is neither",
                         option, (int)(len < 40 ? len : 40), s);
        if (!s[len])
            return true;
        s += len + 1;
    }
}

void diff_option_words(const struct diff_option *option, struct buf *out)
{
    if (strcmp(option->words, "@domain") == 0)
        interp_domain_names(out);
    else if (strcmp(option->words, "@format") == 0)
        for (size_t i = 0; report_writers[i] != NULL; i++)
            buf_printf(out, "%s%s", i ? " " : "", report_writers[i]->name);
    else if (diff_option_is_list(option))
        buf_puts(out, strchr(option->words, ' ') + 1);
    else if (option->words[0] != '@')
        buf_puts(out, option->words);
}

bool diff_option_is_list(const struct diff_option *option)
{
    return strncmp(option->words, "@list ", 6) == 0 ||
           strncmp(option->words, "@targets ", 9) == 0;
}

/* Whether text is one of the option's words, or a message listing them. */
static bool parse_word(struct parse *p, enum diff_option_id id,
                       const char *text)
{
    const struct diff_option *option = &diff_option_table[id];
    struct buf words = {0};
    diff_option_words(option, &words);
    bool fine = has_word(buf_text(&words), text, strlen(text)) ||
                usage(p->sink, "usage.word", "'--%s' is one of %s, not '%s'",
                      option->name, buf_text(&words), text);
    buf_fini(&words);
    return fine;
}

static bool is_same_word(const char *text, const char *word, size_t len)
{
    return strlen(text) == len && memcmp(text, word, len) == 0;
}

/* Whether some target, group or runner has the name. */
static bool is_target(const struct diff_options *o, const char *word,
                      size_t len)
{
    for (size_t i = 0; diff_target_at(i); i++)
        if (diff_target_matches(diff_target_at(i), word, len))
            return true;
    for (size_t i = 0; i < o->nrunners; i++)
        if (is_same_word(o->runners[i].name, word, len))
            return true;
    for (size_t i = 0; i < o->ntvm_targets; i++)
        if (is_same_word(o->tvm_targets[i].name, word, len))
            return true;
    return (o->libraries[0] || o->libraries[1]) &&
           is_same_word("library", word, len);
}

static bool unknown_target(struct parse *p, const char *option,
                           const char *word, size_t len)
{
    const char *names[256];
    size_t n = 0;
    for (size_t i = 0; diff_target_at(i) && n < DC_ARRAY_LEN(names); i++)
        names[n++] = diff_target_at(i)->name;
    char *name = arena_strndup(p->o->arena, word, len);
    const char *near = diff_nearest(name, n, names);
    return usage(p->sink, "usage.targets",
                 "'--%s': unknown target '%.*s'%s%s%s, see '%s targets'",
                 option, (int)(len < 40 ? len : 40), word,
                 near ? ", did you mean '" : "", near ? near : "",
                 near ? "'?" : "", p->o->program);
}

/* LIST of --targets and --require-target, when all runners are known. */
static bool check_targets(struct parse *p, const char *option, const char *text)
{
    for (const char *s = text; s;) {
        size_t len = strcspn(s, ",");
        if (strcmp(text, "none") != 0 && !is_target(p->o, s, len))
            return unknown_target(p, option, s, len);
        s = s[len] ? s + len + 1 : NULL;
    }
    return true;
}

static bool parse_arithmetic(struct parse *p, const char *text)
{
    const char *bad = text;
    if (num_profile_parse(text, &p->o->arithmetic, &bad))
        return true;
    return usage(p->sink, "usage.arithmetic",
                 "no arithmetic has the setting '%.*s'; docs/semantics.md, "
                 "rules A1 to A21, lists them",
                 (int)strcspn(bad, " ,"), bad);
}

/* BYTES, or a number of KiB, MiB or GiB with its letter. */
static bool parse_memory(struct parse *p, const char *text)
{
    static const char units[] = "KMG";
    char *end;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    const char *unit = *end ? strchr(units, *end) : NULL;
    unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    if (*text < '0' || *text > '9' || errno || (*end && (!unit || end[1])) ||
        n == 0 || n > SIZE_MAX >> shift)
        return usage(p->sink, "usage.number",
                     "'--max-memory' needs a number of bytes, or of KiB, MiB "
                     "or GiB as in 512M, not '%s'",
                     text);
    p->o->max_memory = (size_t)n << shift;
    return true;
}

#define MAX_CACHE_MIB (UINT64_C(1) << 30)

/* Steps: 600000000, 600M or 6e8. */
static bool parse_steps(struct parse *p, const char *option, const char *text,
                        uint64_t *out)
{
    static const char units[] = "KMG";
    char *end = NULL;
    uint64_t n;
    unsigned zeros = 0;
    errno = 0;
    n = strtoull(text, &end, 10);
    bool fine = *text >= '0' && *text <= '9' && errno == 0;
    const char *unit = fine && *end ? strchr(units, *end) : NULL;
    if (unit) {
        zeros = 3 * (unsigned)(unit - units + 1);
        end++;
    } else if (fine && *end == 'e' && end[1] >= '0' && end[1] <= '9') {
        zeros = (unsigned)strtoul(end + 1, &end, 10);
    }
    for (; fine && zeros > 0 && n > 0; zeros--) {
        fine = n <= UINT64_MAX / 10;
        n *= 10;
    }
    *out = n;
    return (fine && *end == '\0') ||
           usage(p->sink, "usage.number",
                 "'%s' needs a number of steps, as 600000000, 600M or 6e8, "
                 "not '%s'",
                 option, text);
}

/* Each function once, however often it is named. */
static bool parse_function(struct parse *p, const char *text)
{
    struct diff_options *o = p->o;
    for (size_t i = 0; i < o->nfunctions; i++)
        if (strcmp(o->functions[i], text) == 0)
            return true;
    APPEND(p, functions, nfunctions, const char *, text);
    o->function = o->functions[0];
    return true;
}

/* FILE of --tuned or --untuned */
static bool parse_side(struct parse *p, const char *option, const char *text,
                       const char **out)
{
    if (*out != NULL)
        return usage(p->sink, "usage.operands", "'%s' is given twice", option);
    *out = text;
    return true;
}

/* YYYY-MM-DD */
static bool parse_date(struct parse *p, const char *text)
{
    p->o->today = text;
    return diff_is_date(text) ||
           usage(p->sink, "usage.date",
                 "'--today' needs a date as 2027-02-01, not '%s'", text);
}

static bool apply_limits(struct parse *p, enum diff_option_id id, const char *v)
{
    struct diff_options *o = p->o;
    uint64_t n = 0;
    const char *names[DIFF_NOPTIONS] = {
        [DIFF_OPT_BUDGET] = "--budget",
        [DIFF_OPT_MAX_INPUT_BYTES] = "--max-input-bytes",
        [DIFF_OPT_SAMPLES] = "--samples",
        [DIFF_OPT_SEED] = "--seed",
        [DIFF_OPT_JOBS] = "--jobs",
        [DIFF_OPT_TIME_LIMIT] = "--time-limit",
        [DIFF_OPT_CACHE_SIZE] = "--cache-size",
    };
    if (id == DIFF_OPT_BUDGET ? !parse_steps(p, "--budget", v, &n)
                              : !parse_uint(p, names[id], v, &n))
        return false;
    if (id != DIFF_OPT_SEED && n == 0)
        return usage(p->sink, "usage.number", "'%s' must be at least 1",
                     names[id]);
    if (id == DIFF_OPT_BUDGET)
        o->budget = n;
    else if (id == DIFF_OPT_SEED)
        o->seed = n;
    else if (id == DIFF_OPT_MAX_INPUT_BYTES)
        o->max_input_bytes = (size_t)n;
    else if (id == DIFF_OPT_TIME_LIMIT)
        o->time_limit = n < 1000000 ? (unsigned)n : 1000000;
    else if (id == DIFF_OPT_CACHE_SIZE)
        o->cache_bytes = (n < MAX_CACHE_MIB ? n : MAX_CACHE_MIB) << 20;
    else if (id == DIFF_OPT_SAMPLES)
        o->samples = n < 1000000 ? (size_t)n : 1000000;
    else
        o->jobs = n < DC_MAX_THREADS ? (unsigned)n : DC_MAX_THREADS;
    return true;
}

static void apply_word(struct diff_options *o, enum diff_option_id id,
                       const char *v)
{
    if (id == DIFF_OPT_COLOR)
        o->color = strcmp(v, "always") == 0  ? DIFF_COLOR_ALWAYS
                   : strcmp(v, "never") == 0 ? DIFF_COLOR_NEVER
                                             : DIFF_COLOR_AUTO;
    else if (id == DIFF_OPT_ERA)
        o->era = *v == 'D' ? IR_ERA_D : *v == 'E' ? IR_ERA_E : IR_ERA_F;
    else if (id == DIFF_OPT_REQUIRE)
        o->require = *v == 'p'   ? REPORT_PROOF
                     : *v == 'f' ? REPORT_FINGERPRINT
                                 : REPORT_RUN;
    else if (id == DIFF_OPT_BARRIERS)
        o->explicit_barriers = *v == 'e';
    else if (id == DIFF_OPT_FILL)
        o->fill = v;
    else if (id == DIFF_OPT_DOMAIN)
        o->domain = v;
}

/* One option with its value (NULL for flags). */
static bool apply(struct parse *p, enum diff_option_id id, const char *v)
{
    struct diff_options *o = p->o;
    o->given[id] = true;
    APPEND(p, said, nsaid, struct diff_said, ((struct diff_said){id, v}));
    switch (id) {
    case DIFF_OPT_HELP: o->help = true; return true;
    case DIFF_OPT_VERSION: o->version = true; return true;
    case DIFF_OPT_JSON: o->json = true; return true;
    case DIFF_OPT_JSON_SCHEMA: o->json_schema = true; return true;
    case DIFF_OPT_MAN: o->man = true; return true;
    case DIFF_OPT_CHECK: o->legal = true; return true;
    case DIFF_OPT_STEPS: o->steps = true; return true;
    case DIFF_OPT_STATS: o->stats = true; return true;
    case DIFF_OPT_C: o->c = true; return true;
    case DIFF_OPT_CUDA: o->cuda = true; return true;
    case DIFF_OPT_OPENCL: o->opencl = true; return true;
    case DIFF_OPT_STRICT_IEEE: o->strict_ieee = true; return true;
    case DIFF_OPT_NO_PROOF: o->no_proof = true; return true;
    case DIFF_OPT_CROSS_CHECK: o->cross_check = true; return true;
    case DIFF_OPT_EXPLAIN: o->explain = true; return true;
    case DIFF_OPT_QUIET: o->quiet = true; return true;
    case DIFF_OPT_VERBOSE: o->verbose = true; return true;
    case DIFF_OPT_CACHE: o->cache = v; return true;
    case DIFF_OPT_CERTIFICATE: o->certificate = v; return true;
    case DIFF_OPT_FUNCTION: return parse_function(p, v);
    case DIFF_OPT_TUNED: return parse_side(p, "--tuned", v, &o->tuned);
    case DIFF_OPT_UNTUNED: return parse_side(p, "--untuned", v, &o->untuned);
    case DIFF_OPT_BEFORE: o->before = v; return true;
    case DIFF_OPT_BEFORE_REV: o->before_rev = v; return true;
    case DIFF_OPT_AFTER: o->after = v; return true;
    case DIFF_OPT_AFTER_REV: o->after_rev = v; return true;
    case DIFF_OPT_STORE: o->store = v; return true;
    case DIFF_OPT_NO_REPLAY: o->no_replay = true; return true;
    case DIFF_OPT_NO_STORE: o->no_store = true; return true;
    case DIFF_OPT_NO_TIMES: o->no_times = true; return true;
    case DIFF_OPT_PARTIAL: o->partial = true; return true;
    case DIFF_OPT_RESUME: o->resume = true; return true;
    case DIFF_OPT_SHARD: return parse_shard(p, v);
    case DIFF_OPT_PAIR: return parse_pair(p, v);
    case DIFF_OPT_PEAK:
        return diff_read_peak(v, &o->peak, &o->peak_bandwidth) ||
               usage(p->sink, "usage.number",
                     "'--peak' needs GFLOPS or GFLOPS,GB/s, not '%s'", v);
    case DIFF_OPT_BASELINE: o->baseline = v; return true;
    case DIFF_OPT_WRITE_BASELINE: o->write_baseline = v; return true;
    case DIFF_OPT_TODAY: return parse_date(p, v);
    case DIFF_OPT_OUT: o->out = v; return true;
    case DIFF_OPT_EXTERN:
        APPEND(p, externs, nexterns, const char *, v);
        return true;
    case DIFF_OPT_ELEMENT:
        APPEND(p, elements, nelements, const char *, v);
        return true;
    case DIFF_OPT_ARITHMETIC: return parse_arithmetic(p, v);
    case DIFF_OPT_MAX_MEMORY: return parse_memory(p, v);
    case DIFF_OPT_ASSUME: return parse_assume(p, v);
    case DIFF_OPT_SHAPE: return parse_shape(p, v);
    case DIFF_OPT_IN:
    case DIFF_OPT_EXPECT: return parse_array(p, id, v);
    case DIFF_OPT_SAVE: o->save = v; return true;
    case DIFF_OPT_COMPONENT: o->component = v; return true;
    case DIFF_OPT_STEP: o->step = v; return true;
    case DIFF_OPT_TVM_VERSION: o->tvm_version = v; return true;
    case DIFF_OPT_FORMAT: return parse_format(p, v);
    case DIFF_OPT_TARGETS: o->targets = v; return true;
    case DIFF_OPT_REQUIRE_TARGET: o->require_targets = v; return true;
    case DIFF_OPT_RUNNER: return parse_runner(p, v);
    case DIFF_OPT_TVM_TARGET: return parse_tvm_target(p, v);
    case DIFF_OPT_LIBRARY: return parse_library(p, v);
    case DIFF_OPT_PYTHON: o->python = v; return true;
    case DIFF_OPT_FAIL_ON:
        return parse_verdicts(p, "--fail-on", v, o->finding, o->outcome_finding,
                              "drift", &o->drift_finding);
    case DIFF_OPT_ALLOW:
        return parse_verdicts(p, "--allow", v, o->allowed, o->outcome_allowed,
                              "wider", &o->wider_allowed);
    case DIFF_OPT_BARRIERS:
    case DIFF_OPT_COLOR:
    case DIFF_OPT_DOMAIN:
    case DIFF_OPT_ERA:
    case DIFF_OPT_FILL:
    case DIFF_OPT_REQUIRE:
        if (!parse_word(p, id, v))
            return false;
        apply_word(o, id, v);
        return true;
    case DIFF_OPT_MAX_WORK:
        return parse_steps(p, "--max-work", v, &o->max_work);
    case DIFF_OPT_BUDGET:
    case DIFF_OPT_JOBS:
    case DIFF_OPT_MAX_INPUT_BYTES:
    case DIFF_OPT_SAMPLES:
    case DIFF_OPT_TIME_LIMIT:
    case DIFF_OPT_CACHE_SIZE:
    case DIFF_OPT_SEED: return apply_limits(p, id, v);
    case DIFF_NOPTIONS: break;
    }
    return false;
}

/* ---- words of the line ------------------------------------------------------- */

static bool unknown_option(struct parse *p, const char *word, size_t len)
{
    const char *names[DIFF_NOPTIONS];
    size_t n = 0;
    for (size_t i = 0; i < DIFF_NOPTIONS; i++) {
        if (!p->o->command ||
            diff_option_applies(&diff_option_table[i], p->o->command))
            names[n++] = diff_option_table[i].name;
    }
    char *name = arena_strndup(p->o->arena, word + 2, len - 2);
    const char *near = diff_nearest(name, n, names);
    if (near)
        return usage(p->sink, "usage.option",
                     "unknown option '--%s', did you mean '--%s'?", name, near);
    return usage(p->sink, "usage.option",
                 "unknown option '--%s', see '%s help'", name, p->o->program);
}

/* The option that argv[i] names, its inline value if any. */
static int find_option(const char *word, const char **value)
{
    *value = NULL;
    for (int i = 0; i < DIFF_NOPTIONS; i++) {
        const struct diff_option *option = &diff_option_table[i];
        if (word[1] != '-') {
            if (option->letter == word[1]) {
                if (word[2])
                    *value = word[2] == '=' ? word + 3 : word + 2;
                return i;
            }
            continue;
        }
        size_t len = strcspn(word + 2, "=");
        if (strlen(option->name) == len &&
            memcmp(option->name, word + 2, len) == 0) {
            if (word[2 + len])
                *value = word + 3 + len;
            return i;
        }
    }
    return -1;
}

const struct diff_option *diff_option_find(const char *word, const char **value)
{
    int id = find_option(word, value);
    return id < 0 ? NULL : &diff_option_table[id];
}

/* argv[*i] starts with '-'. Reports and goes on, so that every fault of the
 * line is told at once. */
static bool parse_option(struct parse *p, int argc, char *const *argv, int *i)
{
    const char *word = argv[*i];
    const char *value;
    int id = find_option(word, &value);
    if (id < 0 && word[1] != '-')
        return usage(p->sink, "usage.option",
                     "unknown option '%s', see '%s help'", word, p->o->program);
    if (id < 0)
        return unknown_option(p, word, strcspn(word, "="));
    const struct diff_option *option = &diff_option_table[id];
    if (!option->arg && value)
        return usage(p->sink, "usage.value", "'--%s' takes no value",
                     option->name);
    if (option->arg && !value) {
        if (*i + 1 >= argc)
            return usage(p->sink, "usage.value", "'--%s' needs a value: %s",
                         option->name, option->arg);
        value = argv[++*i];
    }
    if (!diff_option_applies(option, p->o->command))
        return usage(p->sink, "usage.option",
                     "'--%s' is no option of '%s', see '%s %s --help'",
                     option->name, p->o->command->name, p->o->program,
                     p->o->command->name);
    return apply(p, (enum diff_option_id)id, value);
}

/* The command is settled before options are checked against it: the first
 * operand decides, wherever it stands. */
static int find_command(int argc, char *const *argv,
                        const struct diff_command **command)
{
    *command = diff_command_default();
    for (int i = 1; i < argc; i++) {
        const char *value;
        if (strcmp(argv[i], "--") == 0)
            return -1;
        if (argv[i][0] == '-' && argv[i][1]) {
            int id = find_option(argv[i], &value);
            if (id >= 0 && diff_option_table[id].arg && !value)
                i++;
            continue;
        }
        const struct diff_command *found = diff_command_find(argv[i]);
        if (!found)
            return -1;
        *command = found;
        return i;
    }
    return -1;
}

static void defaults(struct diff_options *o, struct arena *arena,
                     const char *argv0)
{
    memset(o, 0, sizeof *o);
    o->arena = arena;
    o->program = argv0 ? path_name(argv0) : "diffcheck";
    o->seed = 1;
    o->budget = DIFF_DEFAULT_BUDGET;
    o->max_work = UINT64_MAX;
    o->samples = DIFF_DEFAULT_SAMPLES;
    o->jobs = dc_cpus();
    o->max_memory = DIFF_DEFAULT_MEMORY;
    o->time_limit = DIFF_DEFAULT_TIME_LIMIT;
    o->cache_bytes = (uint64_t)DIFF_DEFAULT_CACHE_MIB << 20;
    o->era = IR_ERA_F;
    o->finding[REPORT_UNSAFE] = true;
    o->finding[REPORT_DIFFERENT] = true;
    o->finding[REPORT_PRECISION] = true;
    o->outcome_finding[REPORT_WRONG] = true;
    o->outcome_finding[REPORT_NONDETERMINISTIC] = true;
    o->outcome_finding[REPORT_DEVIATES] = true;
    o->outcome_finding[REPORT_UNEXPLAINED] = true;
}

/* A first word that is no file, and nearly a command. */
static bool check_command(struct parse *p)
{
    const struct diff_options *o = p->o;
    const char *names[64], *near = NULL;
    size_t n = 0;
    for (size_t i = 0; diff_commands[i] && n < DC_ARRAY_LEN(names); i++)
        if (!diff_commands[i]->hidden)
            names[n++] = diff_commands[i]->name;
    if (!o->named && o->noperands > 0 && !strpbrk(o->operands[0], "./") &&
        access(o->operands[0], F_OK) != 0)
        near = diff_nearest(o->operands[0], n, names);
    return near == NULL ||
           usage(p->sink, "usage.command",
                 "no command '%s' and no such file, did you mean '%s'?",
                 o->operands[0], near);
}

/* Makes operands of --tuned and --untuned, which stand for the last two. */
static bool name_operands(struct parse *p)
{
    struct diff_options *o = p->o;
    size_t others = o->command->min_operands - NAMED_OPERANDS;
    if (!o->tuned && !o->untuned)
        return true;
    if (!o->tuned || !o->untuned)
        return usage(p->sink, "usage.operands",
                     "'--tuned' and '--untuned' name the operands together: "
                     "'--%s FILE' is missing",
                     o->tuned ? "untuned" : "tuned");
    if (o->noperands > others)
        return usage(p->sink, "usage.operands",
                     "'--tuned' and '--untuned' stand in place of the "
                     "operands TUNED UNTUNED: '%s' is one too many",
                     o->operands[others]);
    o->operands[o->noperands++] = o->tuned;
    o->operands[o->noperands++] = o->untuned;
    return true;
}

/* Commands that look at one function. */
static bool check_functions(struct parse *p)
{
    const struct diff_options *o = p->o;
    return o->nfunctions < 2 || !o->command->one_function ||
           usage(p->sink, "usage.function",
                 "'%s' looks at one function: '--function' is given with '%s' "
                 "and '%s'",
                 o->command->name, o->functions[0], o->functions[1]);
}

static bool check_operands(struct parse *p)
{
    const struct diff_options *o = p->o;
    const struct diff_command *c = o->command;
    if (o->help || o->version)
        return true;
    if (!check_command(p) || !name_operands(p) || !check_functions(p))
        return false;
    if (c->takes_case && o->noperands == 1 && diff_casefile_is(o->operands[0]))
        return true;
    if (c->takes_recorded && o->noperands == 1 && o->nexpects > 0)
        return strcmp(o->operands[0], "-") != 0 ||
               usage(p->sink, "usage.stdin",
                     "one module is read for both sides: give a file");
    if (o->noperands < c->min_operands)
        return usage(p->sink, "usage.operands",
                     "'%s' needs %s, got %zu operand%s; see '%s %s --help'",
                     c->name, c->operands, o->noperands,
                     o->noperands == 1 ? "" : "s", o->program, c->name);
    if (o->noperands > c->max_operands)
        return usage(p->sink, "usage.operands",
                     "'%s' takes %s, '%s' is one operand too many", c->name,
                     *c->operands ? c->operands : "no operands",
                     o->operands[c->max_operands]);
    size_t stdins = 0;
    for (size_t i = 0; i < o->noperands; i++) {
        stdins += strcmp(o->operands[i], "-") == 0 ? 1 : 0;
        if (diff_casefile_is(o->operands[i]) && !c->takes_many)
            return usage(p->sink, "usage.operands",
                         c->takes_case
                             ? "'%s' is a case, which holds both "
                               "modules: give it alone"
                             : "'%s' is a case; only compare, batch, prove and "
                               "run take one",
                         o->operands[i]);
    }
    if (stdins > 1)
        return usage(p->sink, "usage.stdin",
                     "standard input ('-') can be read only once");
    return true;
}

/* The only operand, if it is a folder of --save; -1: it is not. */
static int find_folder(int argc, char *const *argv, int command)
{
    int found = -1;
    for (int i = 1; i < argc; i++) {
        const char *value;
        int id =
            argv[i][0] == '-' && argv[i][1] ? find_option(argv[i], &value) : -1;
        if (i == command)
            continue;
        if (strcmp(argv[i], "--") == 0)
            return -1;
        if (argv[i][0] == '-' && argv[i][1]) {
            i += id >= 0 && diff_option_table[id].arg && !value ? 1 : 0;
            continue;
        }
        if (found >= 0)
            return -1;
        found = i;
    }
    return found >= 0 && saved_is(argv[found]) ? found : -1;
}

/* Puts the words that a folder stands for in the place of the line, what the line
 * says besides behind them. False with diagnostics. */
static bool expand_folder(int *argc, char *const **argv, struct arena *arena,
                          struct diag_sink *sink)
{
    const struct diff_command *command;
    int at = find_command(*argc, *argv, &command);
    int folder = find_folder(*argc, *argv, at);
    size_t n = 0;
    if (folder < 0 || !command->takes_folder)
        return true;
    char **rest = ARENA_ARRAY(arena, (size_t)*argc, char *);
    for (int i = 1; i < *argc; i++)
        if (i != at && i != folder)
            rest[n++] = (*argv)[i];
    char **words =
        saved_words((*argv)[folder], (*argv)[0], at >= 0 ? command->name : NULL,
                    n, rest, arena, sink);
    if (!words)
        return false;
    *argv = words;
    for (*argc = 0; words[*argc]; (*argc)++)
        ;
    return true;
}

bool diff_options_parse(int argc, char *const *argv, struct arena *arena,
                        struct diff_options *out, struct diag_sink *sink)
{
    struct parse p = {out, sink};
    defaults(out, arena, argc > 0 ? argv[0] : NULL);
    if (!expand_folder(&argc, &argv, arena, sink))
        return false;
    int at = find_command(argc, argv, &out->command);
    out->named = at >= 0;
    size_t most = argc > 0 ? (size_t)argc : 1;
    out->operands = ARENA_ARRAY(arena, most + NAMED_OPERANDS, const char *);
    bool fine = true, only_operands = false;
    for (int i = 1; i < argc; i++) {
        if (i == at)
            continue;
        if (!only_operands && strcmp(argv[i], "--") == 0)
            only_operands = true;
        else if (!only_operands && argv[i][0] == '-' && argv[i][1])
            fine = parse_option(&p, argc, argv, &i) && fine;
        else
            out->operands[out->noperands++] = argv[i];
    }
    diff_sort_said(out);
    if (out->nformats == 0) {
        struct diff_format text = {report_writer_find("text", 4), "-"};
        APPEND(&p, formats, nformats, struct diff_format, text);
    }
    for (size_t i = 0; i < REPORT_NVERDICTS; i++)
        out->finding[i] = out->finding[i] && !out->allowed[i];
    for (size_t i = 0; i < REPORT_NOUTCOMES; i++)
        out->outcome_finding[i] =
            out->outcome_finding[i] && !out->outcome_allowed[i];
    fine = check_targets(&p, "targets", out->targets) && fine;
    fine = check_targets(&p, "require-target", out->require_targets) && fine;
    return fine && check_operands(&p);
}

bool diff_options_want_json(int argc, char *const *argv)
{
    const struct diff_command *command = NULL;
    (void)find_command(argc, argv, &command);
    bool shows = strcmp(command->name, "show") == 0; /* a module as JSON */
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--") == 0)
            return false;
        if (strcmp(argv[i], "--format=json") == 0 ||
            strcmp(argv[i], "--format=json=-") == 0 ||
            (strcmp(argv[i], "--json") == 0 && !shows))
            return true;
        if (i + 1 < argc && strcmp(argv[i], "--format") == 0 &&
            (strcmp(argv[i + 1], "json") == 0 ||
             strcmp(argv[i + 1], "json=-") == 0))
            return true;
    }
    return false;
}
