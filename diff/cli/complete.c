/* SPDX-License-Identifier: Apache-2.0
 *
 * What a shell may complete: commands, options, their values, names of targets,
 * and names of functions and parameters of the modules on the line. The scripts
 * of packaging/completions ask for it with the words of the line, the last of
 * which is the one to complete, and may be empty.
 *
 * The answer is a line "files", "dirs" or "none", a tab and the part of the
 * word in front of a file's name, and then one candidate a line: the whole
 * word, a tab, and what it means. Whoever completes puts it on a command line
 * unquoted, so that a name of a module is offered only where no shell would
 * take it for anything else. Files that cannot be read offer nothing: there is
 * nobody to tell why.
 */
#include "diff/cli/command.h"
#include "diff/harness/target.h"
#include "diff/input/input.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A larger module takes longer to read than somebody waits who pressed TAB. */
#define MAX_MODULE_BYTES ((size_t)16 << 20)
#define MAX_MODULES      4u

struct completion {
    const struct diff_command *command;
    bool named;    /* the line names it, or there is an operand */
    bool operands; /* behind "--" nothing else is */
    size_t nmodules;
    const char *modules[MAX_MODULES]; /* operands that are files */
    const char *word;                 /* to complete */
    const struct diff_option *option; /* whose value it is, or NULL */
    size_t prefix;                    /* bytes of word in front of the value */
    const char *how;                  /* first line of the answer */
    struct buf *out;
};

static bool is_file(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISREG(s.st_mode);
}

static void add_module(struct completion *c, const char *path)
{
    if (c->nmodules < MAX_MODULES && is_file(path))
        c->modules[c->nmodules++] = path;
}

/* --tuned FILE, --untuned FILE */
static bool names_module(const struct diff_option *o)
{
    return o == &diff_option_table[DIFF_OPT_TUNED] ||
           o == &diff_option_table[DIFF_OPT_UNTUNED];
}

/* Reads the words in front of the last one as the parser would. */
static void read_line(struct completion *c, size_t n, const char *const *words)
{
    size_t noperands = 0;
    c->word = words[n - 1];
    for (size_t i = 0; i + 1 < n; i++) {
        const char *value = NULL, *w = words[i];
        if (!c->operands && strcmp(w, "--") == 0) {
            c->operands = true;
        } else if (!c->operands && w[0] == '-' && w[1]) {
            const struct diff_option *o = diff_option_find(w, &value);
            if (o && o->arg && !value && ++i + 1 == n)
                c->option = o;
            else if (o && names_module(o))
                add_module(c, value ? value : words[i]);
        } else if (noperands++ == 0 && diff_command_find(w)) {
            c->command = diff_command_find(w);
            c->named = true;
        } else {
            add_module(c, w);
        }
    }
    c->named = c->named || noperands > 0;
    if (!c->option && c->word[0] == '-' && !c->operands) {
        const char *value = NULL;
        c->option = diff_option_find(c->word, &value);
        if (!value)
            c->option = NULL;
        else
            c->prefix = (size_t)(value - c->word);
    }
    c->named = c->named || c->operands;
}

/* The candidate prefix + text + end, if the word begins like it. */
static void offer(const struct completion *c, const char *text, size_t len,
                  const char *end, const char *means)
{
    const char *begun = c->word + c->prefix;
    size_t n = strlen(begun);
    if (n > len + strlen(end) || strncmp(begun, text, n < len ? n : len) != 0 ||
        (n > len && strncmp(begun + len, end, n - len) != 0))
        return;
    buf_printf(c->out, "%.*s%.*s%s\t%s\n", (int)c->prefix, c->word, (int)len,
               text, end, means);
}

static void offer_words(const struct completion *c, const char *words)
{
    for (const char *w = words; *w;) {
        size_t len = strcspn(w, " ");
        offer(c, w, len, "", "");
        w += len;
        w += strspn(w, " ");
    }
}

static void offer_commands(const struct completion *c)
{
    for (size_t i = 0; diff_commands[i]; i++)
        if (!diff_commands[i]->hidden)
            offer(c, diff_commands[i]->name, strlen(diff_commands[i]->name), "",
                  diff_commands[i]->summary);
}

static void offer_options(const struct completion *c)
{
    struct buf name = {0};
    for (size_t i = 0; i < DIFF_NOPTIONS; i++) {
        const struct diff_option *o = &diff_option_table[i];
        if (!diff_option_applies(o, c->command))
            continue;
        name.len = 0;
        buf_printf(&name, "--%s", o->name);
        offer(c, buf_text(&name), name.len, "", o->help);
    }
    buf_fini(&name);
}

static void offer_targets(const struct completion *c)
{
    for (size_t i = 0; diff_target_at(i); i++)
        offer(c, diff_target_at(i)->name, strlen(diff_target_at(i)->name), "",
              diff_target_at(i)->summary);
}

/* ---- what stands in modules ----------------------------------------------------- */

static void offer_name(const struct completion *c, const char *name,
                       const char *end)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
    if (*name && *name != '-' && strspn(name, plain) == strlen(name))
        offer(c, name, strlen(name), end, "");
}

static void offer_parameters(const struct completion *c,
                             const struct ir_func *f, const char *end)
{
    for (size_t i = 0; f->kind == IR_FUNC_PRIM && i < f->prim.nparams; i++) {
        const struct ir_param *p = &f->prim.params[i];
        offer_name(c, p->buffer ? p->buffer->name : p->var->name, end);
    }
}

/* Functions, or parameters with `end` behind their name. */
static void offer_names(const struct completion *c, const char *end)
{
    for (size_t i = 0; i < c->nmodules; i++) {
        struct diag_sink *sink = diag_sink_new();
        struct ir_module *m =
            diff_module_read_raw(c->modules[i], MAX_MODULE_BYTES, sink);
        for (size_t k = 0; m && k < m->nfuncs; k++) {
            if (!*end)
                offer_name(c, m->funcs[k]->name, "");
            else
                offer_parameters(c, m->funcs[k], end);
        }
        ir_module_free(m);
        diag_sink_free(sink);
    }
}

/* ---- values ---------------------------------------------------------------------- */

/* Moves the prefix behind the last such character of the word, if there is
 * one. */
static bool is_behind(struct completion *c, char mark)
{
    const char *last = strrchr(c->word + c->prefix, mark);
    if (last)
        c->prefix = (size_t)(last + 1 - c->word);
    return last != NULL;
}

static void offer_values(struct completion *c)
{
    const struct diff_option *o = c->option;
    struct buf words = {0};
    const char *equals = strchr(o->arg, '=');
    bool file = equals && strncmp(equals, "=FILE", 5) == 0;
    if (strcmp(o->words, "@dir") == 0) {
        c->how = "dirs";
    } else if (strcmp(o->words, "@file") == 0 || (file && is_behind(c, '='))) {
        c->how = "files";
    } else if (strcmp(o->words, "@function") == 0) {
        offer_names(c, "");
    } else if (strncmp(o->words, "@parameter", 10) == 0) {
        offer_names(c, o->words + 10);
    } else {
        if (diff_option_is_list(o))
            (void)is_behind(c, ',');
        diff_option_words(o, &words);
        offer_words(c, buf_text(&words));
        if (strncmp(o->words, "@targets", 8) == 0)
            offer_targets(c);
    }
    buf_fini(&words);
}

struct line {
    const char *text;
    size_t len; /* with its end */
};

static int by_bytes(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    int order = memcmp(x->text, y->text, x->len < y->len ? x->len : y->len);
    return order ? order : (x->len > y->len) - (x->len < y->len);
}

/* Each line once, in the order of their bytes: modules have names in common. */
static void sort_lines(const struct buf *text, struct buf *out)
{
    struct VEC(struct line) lines = {0};
    for (const char *p = buf_text(text); *p;) {
        struct line line = {p, strcspn(p, "\n") + 1};
        vec_push(&lines, line);
        p += line.len;
    }
    if (lines.len > 0)
        qsort(lines.items, lines.len, sizeof *lines.items, by_bytes);
    for (size_t i = 0; i < lines.len; i++)
        if (i == 0 || by_bytes(&lines.items[i - 1], &lines.items[i]) != 0)
            buf_append(out, lines.items[i].text, lines.items[i].len);
    vec_fini(&lines);
}

void diff_complete(size_t n, const char *const *words, struct buf *out)
{
    struct buf found = {0};
    struct completion c = {
        .command = diff_command_default(), .how = "none", .out = &found};
    if (n == 0)
        return;
    read_line(&c, n, words);
    if (c.option) {
        offer_values(&c);
    } else if (c.word[0] == '-' && !c.operands) {
        offer_options(&c);
    } else {
        if (!c.named || strcmp(c.command->name, "help") == 0)
            offer_commands(&c);
        if (*c.command->operands && strcmp(c.command->name, "help") != 0)
            c.how = "files";
    }
    buf_printf(out, "%s\t%.*s\n", c.how, (int)c.prefix, c.word);
    sort_lines(&found, out);
    buf_fini(&found);
}
