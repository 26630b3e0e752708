/* SPDX-License-Identifier: Apache-2.0
 *
 * Steps as text, one a line, for tests, files and people:
 *
 *   line  = [ name { "," name } "=" ] word { argument }
 *   argument = name | integer | "None" | '"' characters '"'
 *            | "[" { argument } "]"
 *   characters: \" \\ \n \t \r \xNN as in Python
 *
 *   b = get_block "C"
 *   i, j, k = get_loops b
 *   i0, i1 = split i None 4
 *   reorder j i1
 *   transform_layout b ["write" 0] "lambda i, j: (j, i // 4, i % 4)"
 *
 * A string that is a lambda, or an index map in JSON, is that map; before the
 * JSON numbers may stand for variables that it leaves open, "v27=8,v28=1;{...}". Words are
 * those of the primitives, and get_block, get_loops, get_child_blocks,
 * get_producers, get_consumers and get_output_blocks. Names stand for references;
 * assigning one again replaces it. Commas count as blanks; an empty line, or one
 * that starts with '#', does nothing.
 */
#include "schedule/schedule_private.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MAX_WORDS 80u

struct schedule_names {
    struct VEC(char *) names;
    struct VEC(schedule_ref) refs;
};

struct schedule_names *schedule_names_new(void)
{
    return dc_alloc(sizeof(struct schedule_names));
}

void schedule_names_free(struct schedule_names *names)
{
    if (!names)
        return;
    for (size_t i = 0; i < names->names.len; i++)
        dc_release(names->names.items[i]);
    vec_fini(&names->names);
    vec_fini(&names->refs);
    dc_release(names);
}

static schedule_ref *find(struct schedule_names *names, const char *name)
{
    for (size_t i = 0; i < names->names.len; i++)
        if (!strcmp(names->names.items[i], name))
            return &names->refs.items[i];
    return NULL;
}

static void set(struct schedule_names *names, const char *name,
                schedule_ref ref)
{
    schedule_ref *old = find(names, name);
    if (old) {
        *old = ref;
        return;
    }
    size_t n = strlen(name) + 1;
    char *copy = dc_alloc(n);
    memcpy(copy, name, n);
    vec_push(&names->names, copy);
    vec_push(&names->refs, ref);
}

/* ---- words ----------------------------------------------------------------- */

struct words {
    size_t n, assigned; /* words before "=" */
    bool quoted[MAX_WORDS];
    const char *items[MAX_WORDS];
};

/* Brackets of lists, told from what is quoted by their address. */
static const char open_list[] = "[", close_list[] = "]";

static bool add_word(struct schedule *s, struct words *w, const char *word,
                     bool quoted)
{
    if (w->n == MAX_WORDS)
        return sched_bad(s, "more than %u words", MAX_WORDS);
    w->quoted[w->n] = quoted;
    w->items[w->n++] = word;
    return true;
}

/* What a character that ends a word does besides. */
static bool end_word(struct schedule *s, struct words *w, char c)
{
    if (c == '=')
        w->assigned = w->n;
    if (c == '[' || c == ']')
        return add_word(s, w, c == '[' ? open_list : close_list, false);
    return true;
}

/* Up to the quote that ends a string, or the end of the line. */
static size_t quoted_length(const char *text)
{
    size_t n = 0;
    while (text[n] != '"' && text[n] != '\0')
        n += text[n] == '\\' && text[n + 1] != '\0' ? 2 : 1;
    return n;
}

/* Characters for what stands for them, in place: as buf_put_quoted writes them
 * for Python. */
static bool unescape(char *text)
{
    static const char letters[] = "\"\\ntr", meant[] = "\"\\\n\t\r";
    char *to = text;
    for (const char *from = text; *from != '\0'; from++) {
        const char *letter;
        if (*from != '\\') {
            *to++ = *from;
            continue;
        }
        from++;
        if (*from == 'x' && isxdigit((unsigned char)from[1]) &&
            isxdigit((unsigned char)from[2]) &&
            (from[1] != '0' || from[2] != '0')) {
            const char hex[] = {from[1], from[2], '\0'};
            *to++ = (char)strtoul(hex, NULL, 16);
            from += 2;
        } else if (*from != '\0' && (letter = strchr(letters, *from))) {
            *to++ = meant[letter - letters];
        } else {
            return false;
        }
    }
    *to = '\0';
    return true;
}

static bool split_words(struct schedule *s, char *text, struct words *w)
{
    char *at = text;
    w->n = w->assigned = 0;
    for (;;) {
        at += strspn(at, " \t,\r\n");
        if (*at == '\0')
            return true;
        bool quoted = *at == '"';
        at += quoted;
        size_t len = quoted ? quoted_length(at) : strcspn(at, " \t,\r\n=[]");
        char end = at[len];
        if (quoted && end == '\0')
            return sched_bad(s, "a string that does not end");
        at[len] = '\0';
        if (quoted && !unescape(at))
            return sched_bad(s, "an escape in a string that is not known");
        if ((len > 0 || quoted) && !add_word(s, w, at, quoted))
            return false;
        if (!quoted && !end_word(s, w, end))
            return false;
        if (end == '\0')
            return true;
        at += len + 1;
    }
}

/* ---- arguments ------------------------------------------------------------- */

struct arguments {
    struct schedule_names *names;
    const struct words *w;
    size_t at;                            /* the next word */
    struct schedule_arg items[MAX_WORDS]; /* of all lists together */
    size_t used;
};

/* Where the map begins: behind the numbers that stand for its variables. */
static const char *map_text(const char *word)
{
    const char *brace = strchr(word, '{');
    size_t n = strspn(word, "v0123456789=,;-");
    return brace && word + n == brace && (n == 0 || brace[-1] == ';') ? brace
                                                                      : word;
}

/* As Python says it, or as a trace holds it. */
static bool is_index_map(const char *word)
{
    const char *text = map_text(word);
    return text[0] == '{' ? strstr(text, "IndexMap\"") != NULL
                          : !strncmp(word, "lambda", 6) && strchr(word, ':');
}

/* The number that is given for a variable's name in front of the map. */
static bool number_given(const char *word, const char *end, const char *name,
                         int64_t *out)
{
    size_t len = strlen(name);
    for (const char *p = word; p < end; p += strcspn(p, ",;") + 1)
        if (strncmp(p, name, len) == 0 && p[len] == '=') {
            *out = strtoll(p + len + 1, NULL, 10);
            return true;
        }
    return false;
}

struct given {
    struct schedule *s;
    const char *word, *end;
};

static struct ir_expr *put_number(void *user, struct ir_expr *e)
{
    struct given *g = user;
    int64_t number;
    if (e->kind != IR_VAR_REF ||
        !number_given(g->word, g->end, e->u.var->name, &number))
        return NULL;
    return ir_int(g->s->m, e->dtype, number);
}

/* Of the module, as the step may keep what it says. */
static bool index_map(struct schedule *s, const char *word,
                      struct schedule_arg *out)
{
    struct diag_sink *sink = diag_sink_new();
    struct schedule_index_map *map =
        ARENA_NEW(s->m->arena, struct schedule_index_map);
    struct ir_index_map read;
    const char *text = map_text(word);
    bool good = ir_read_index_map(s->m, text, strlen(text), NULL, sink, &read);
    const struct diag *first = diag_at(sink, 0);
    struct given given = {s, word, text};
    struct ir_map numbers = {.m = s->m, .before = put_number, .user = &given};
    if (!good)
        (void)sched_bad(s, "'%s': %s", word, first ? first->message : "");
    for (size_t i = 0; good && text > word && i < read.nout; i++)
        read.out[i] =
            sched_simplify(s, NULL, ir_map_expr(&numbers, read.out[i]));
    *map =
        (struct schedule_index_map){read.nvars, read.nout, read.vars, read.out};
    diag_sink_free(sink);
    out->kind = SCHEDULE_MAP;
    out->u.map = map;
    return good;
}

static bool argument(struct schedule *s, struct schedule_names *names,
                     const char *word, bool quoted, struct schedule_arg *out)
{
    char *end;
    schedule_ref *ref = quoted ? NULL : find(names, word);
    if (quoted && is_index_map(word)) {
        return index_map(s, word, out);
    } else if (quoted) {
        out->kind = SCHEDULE_STRING;
        out->u.string = word;
    } else if (ref) {
        out->kind = SCHEDULE_REF;
        out->u.ref = *ref;
    } else if (!strcmp(word, "None")) {
        out->kind = SCHEDULE_NONE;
    } else {
        out->kind = SCHEDULE_INT;
        out->u.integer = strtoll(word, &end, 10);
        if (end == word || *end != '\0')
            return sched_bad(s, "'%s' is no name of anything", word);
    }
    return true;
}

#define MAX_DEPTH 8u

/* Arguments up to the end of the list, or of the line at depth 0. */
static bool arguments(struct schedule *s, struct arguments *a, unsigned depth,
                      size_t *n, const struct schedule_arg **out)
{
    struct schedule_arg list[MAX_WORDS];
    *n = 0;
    if (depth == MAX_DEPTH)
        return sched_bad(s, "lists nested more than %u deep", MAX_DEPTH);
    for (; a->at < a->w->n; (*n)++) {
        const char *word = a->w->items[a->at];
        struct schedule_arg *arg = &list[*n];
        if (word == close_list)
            break;
        if (word != open_list) {
            if (!argument(s, a->names, word, a->w->quoted[a->at], arg))
                return false;
            a->at++;
            continue;
        }
        a->at++;
        arg->kind = SCHEDULE_LIST;
        if (!arguments(s, a, depth + 1, &arg->u.list.n, &arg->u.list.items))
            return false;
        if (a->at++ == a->w->n)
            return sched_bad(s, "a list that does not end");
    }
    if (depth == 0 && a->at < a->w->n)
        return sched_bad(s, "']' where no list began");
    if (*n > 0)
        memcpy(&a->items[a->used], list, *n * sizeof *list);
    *out = &a->items[a->used];
    a->used += *n;
    return true;
}

/* ---- one line -------------------------------------------------------------- */

/* The loops that iterators of a kind are bound to as they are, all of them or
 * the one at a place. */
static bool look_axes(struct schedule *s, size_t nargs,
                      const struct schedule_arg *args, size_t *nout,
                      schedule_ref *out)
{
    if (!sched_arg_kinds(s, nargs, args, nargs == 3 ? "rsi" : "rs"))
        return false;
    bool reduce = strcmp(args[1].u.string, "reduce") == 0;
    if (!reduce && strcmp(args[1].u.string, "spatial") != 0)
        return sched_bad(s, "axes are \"spatial\" or \"reduce\"");
    size_t n = sched_axes(s, args[0].u.ref,
                          reduce ? IR_ITER_REDUCE : IR_ITER_SPATIAL, out);
    if (s->why != SCHEDULE_DONE)
        return false;
    *nout = n;
    if (nargs < 3)
        return true;
    int64_t at = args[2].u.integer;
    if (at < 0 || (uint64_t)at >= n)
        return sched_bad(s, "there are %zu such axes", n);
    out[0] = out[at];
    *nout = 1;
    return true;
}

/* Places that are no loops: where a block is, and in those that read it. */
#define AT_ROOT UINT32_MAX
#define INLINED (UINT32_MAX - 1)

/* Where TVM's sampling computes a block: -1 where it is, -2 in its readers, else
 * at a loop around the first of them, by number (CollectComputeLocation in
 * src/s_tir/schedule/primitive/sampling.cc). */
static bool look_location(struct schedule *s, size_t nargs,
                          const struct schedule_arg *args, size_t *nout,
                          schedule_ref *out)
{
    schedule_ref reader;
    if (!sched_arg_kinds(s, nargs, args, "ri"))
        return false;
    int64_t at = args[1].u.integer;
    *nout = 1;
    if (at == -1 || at == -2) {
        out[0] = at == -1 ? AT_ROOT : INLINED;
        return true;
    }
    if (schedule_consumers(s, args[0].u.ref, 1, &reader) == 0)
        return s->why == SCHEDULE_DONE &&
               sched_bad(s, "nothing reads the block");
    size_t n = schedule_loops(s, reader, SCHEDULE_MAX_LOOPS, out);
    if (at < 0 || (uint64_t)at >= n || n > SCHEDULE_MAX_LOOPS)
        return sched_bad(s, "the reader has %zu loops", n);
    out[0] = out[at];
    return true;
}

/* A step at a place that is no loop: nothing, or inlining. False: it is none. */
static bool is_elsewhere(const char *word, size_t nargs,
                         const struct schedule_arg *args)
{
    return (!strcmp(word, "compute_at") ||
            !strcmp(word, "reverse_compute_at")) &&
           nargs >= 2 && args[1].kind == SCHEDULE_REF &&
           args[1].u.ref >= INLINED;
}

static bool do_elsewhere(struct schedule *s, const char *word,
                         const struct schedule_arg *args, size_t *nout,
                         schedule_ref *out)
{
    sched_begin(s);
    if (args[1].u.ref == AT_ROOT)
        return true;
    return schedule_apply(
        s, word[0] == 'c' ? "compute_inline" : "reverse_compute_inline", 1,
        args, nout, out);
}

static bool look(struct schedule *s, const char *word, size_t nargs,
                 const struct schedule_arg *args, size_t *nout,
                 schedule_ref *out)
{
    sched_begin(s);
    if (!strcmp(word, "enter_postproc"))
        return sched_arg_kinds(s, nargs, args, "");
    if (!strcmp(word, "get_block")) {
        if (!sched_arg_kinds(s, nargs, args, nargs == 2 ? "ss" : "s"))
            return false;
        if (nargs == 2 && strcmp(args[1].u.string, s->func->name) != 0)
            return sched_bad(s, "the function is called '%s', not '%s'",
                             s->func->name, args[1].u.string);
        *nout = 1;
        return (out[0] = schedule_block(s, args[0].u.string)) != 0;
    }
    if (!strcmp(word, "sample_compute_location"))
        return look_location(s, nargs, args, nout, out);
    if (!strcmp(word, "get_axes") || !strcmp(word, "get_axis"))
        return look_axes(s, nargs, args, nout, out);
    return sched_look_up(s, word, nargs, args, nout, out);
}

static bool run_words(struct schedule *s, struct schedule_names *names,
                      struct words *w)
{
    struct arguments a = {.names = names, .w = w, .at = w->assigned + 1};
    schedule_ref out[SCHEDULE_MAX_LOOPS];
    const struct schedule_arg *args;
    size_t first = w->assigned, nargs, nout = 0;
    if (first >= w->n)
        return sched_bad(s, "nothing to do");
    const char *word = w->items[first];
    if (!arguments(s, &a, 0, &nargs, &args))
        return false;
    bool looks = !strncmp(word, "get_", 4) || !strncmp(word, "sample_", 7) ||
                 !strcmp(word, "enter_postproc");
    bool done = looks ? look(s, word, nargs, args, &nout, out)
                : is_elsewhere(word, nargs, args)
                    ? do_elsewhere(s, word, args, &nout, out)
                    : schedule_apply(s, word, nargs, args, &nout, out);
    if (!done)
        return false;
    if (first > 0 && first != nout)
        return sched_bad(s, "%zu results for %zu names", nout, first);
    for (size_t i = 0; i < first; i++)
        set(names, w->items[i], out[i]);
    return true;
}

bool schedule_run_line(struct schedule *s, struct schedule_names *names,
                       const char *line)
{
    struct words w;
    size_t n = strlen(line) + 1;
    char *text = dc_alloc(n);
    sched_begin(s);
    memcpy(text, line, n);
    s->work += 1 + (uint64_t)s->func->prim.body->size;
    if (s->work > s->limit) {
        dc_release(text);
        return sched_unsupported(s,
                                 "steps and statements are too many together");
    }
    bool good = split_words(s, text, &w);
    if (good && w.n > 0 && w.items[0][0] != '#')
        good = run_words(s, names, &w);
    dc_release(text);
    return good;
}
