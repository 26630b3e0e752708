/* SPDX-License-Identifier: Apache-2.0
 *
 * A folder given back: the command line that it stands for.
 *
 * A folder comes from anywhere, and what it says is not obeyed but looked at: only
 * options that choose inputs and what is assumed of them are taken, files are those
 * of the folder, and nothing in it names a program to run.
 */
#include "diff/saved/saved.h"
#include "ir/base/json.h"

#include <string.h>
#include <sys/stat.h>

struct reading {
    const char *path; /* of the folder */
    const char *file; /* of its finding.json, for messages */
    struct arena *arena;
    struct diag_sink *sink;
    struct VEC(char *) words;
};

static bool complain(const struct reading *r, const char *text)
{
    return diag_error(r->sink, (struct diag_loc){.file = r->file},
                      "save.finding", "%s", text);
}

static bool is_there(const char *folder, const char *name)
{
    struct buf path = {0};
    struct stat st;
    buf_printf(&path, "%s/%s", folder, name);
    bool there = stat(buf_text(&path), &st) == 0 && S_ISREG(st.st_mode);
    buf_fini(&path);
    return there;
}

bool saved_is(const char *path)
{
    return is_there(path, "finding.json") || is_there(path, "findings.json");
}

static void add(struct reading *r, const char *word)
{
    vec_push(&r->words, arena_strdup(r->arena, word));
}

/* A file of the folder: no way leads out of it. */
static bool is_inside(const char *name)
{
    if (*name == '\0' || *name == '/' || *name == '-')
        return false;
    for (const char *p = name; *p; p += strcspn(p, "/")) {
        p += *p == '/' ? 1 : 0;
        if (strncmp(p, "..", 2) == 0 && (p[2] == '/' || p[2] == '\0'))
            return false;
    }
    return true;
}

static bool add_file(struct reading *r, const char *before, const char *name)
{
    if (!is_inside(name))
        return complain(r, "names a file outside of the folder");
    add(r, arena_printf(r->arena, "%s%s/%s", before, r->path, name));
    return true;
}

/* ---- what it says ------------------------------------------------------------------- */

/* Options and what their values are. */
static const struct {
    const char *name;
    enum { PLAIN, ARRAY, PATH } kind;
} allowed[] = {
    {"--function", PLAIN}, {"--seed", PLAIN},    {"--budget", PLAIN},
    {"--fail-on", PLAIN},  {"--samples", PLAIN}, {"--barriers", PLAIN},
    {"--assume", PLAIN},   {"--shape", PLAIN},   {"--in", ARRAY},
    {"--expect", ARRAY},   {"--extern", PATH},   {"--element", PLAIN},
    {"--pair", PLAIN}};

static bool add_option(struct reading *r, const char *name, const char *value)
{
    for (size_t i = 0; i < DC_ARRAY_LEN(allowed); i++) {
        if (strcmp(allowed[i].name, name) != 0)
            continue;
        add(r, name);
        if (allowed[i].kind == PATH)
            return add_file(r, "", value);
        const char *equals =
            allowed[i].kind == ARRAY ? strchr(value, '=') : NULL;
        if (allowed[i].kind == ARRAY && !equals)
            return complain(r, "has an array without a file");
        if (equals)
            return add_file(
                r, arena_strndup(r->arena, value, (size_t)(equals - value) + 1),
                equals + 1);
        add(r, value);
        return true;
    }
    return complain(r, "has an option in 'replay' that a folder may not set");
}

static bool add_replay(struct reading *r, const struct json_value *root)
{
    const struct json_value *list = json_find(root, "replay");
    if (!list || json_type(list) != JSON_ARRAY)
        return complain(r, "has no list 'replay'");
    for (const struct json_value *v = json_first(list); v; v = json_next(v)) {
        const char *name = json_string(v);
        v = json_next(v);
        const char *value = v ? json_string(v) : NULL;
        if (!name || !value)
            return complain(r, "'replay' holds no pairs of words");
        if (!add_option(r, name, value))
            return false;
    }
    return true;
}

/* The module as it was given, where that is kept. */
static bool add_modules(struct reading *r, const struct json_value *root)
{
    const struct json_value *list = json_find(root, "modules");
    size_t n = list && json_type(list) == JSON_ARRAY ? json_size(list) : 0;
    if (n < 1 || n > NSIDES)
        return complain(r, "has no list 'modules' of one or two");
    for (const struct json_value *v = json_first(list); v; v = json_next(v)) {
        const struct json_value *given = json_find(v, "given");
        const struct json_value *file = json_find(v, "file");
        const char *name = given ? json_string(given) : NULL;
        if (!name)
            name = file ? json_string(file) : NULL;
        if (!name)
            return complain(r, "has a module without a file");
        if (!add_file(r, "", name))
            return false;
    }
    return true;
}

/* One module is compared only with what was recorded of it. */
static bool is_comparison(const struct reading *r)
{
    size_t modules = 0;
    for (size_t i = 2; i < r->words.len && r->words.items[i][0] != '-'; i++)
        modules++;
    for (size_t i = 0; i < r->words.len; i++)
        if (modules == NSIDES || strcmp(r->words.items[i], "--expect") == 0)
            return true;
    return complain(r, "has a parameter that '--in' cannot name, so that what "
                       "the target gave is not judged again");
}

static const char *text_of(const struct json_value *root, const char *key)
{
    const struct json_value *v = json_find(root, key);
    return v ? json_string(v) : NULL;
}

static bool add_all(struct reading *r, const struct json_value *root,
                    const char *command)
{
    const char *tool = text_of(root, "tool");
    const char *own = text_of(root, "command");
    if (!tool || strcmp(tool, "diffcheck") != 0 || !own ||
        (strcmp(own, "compare") != 0 && strcmp(own, "lint") != 0))
        return complain(r, "is none that '--save' has written");
    if (strcmp(own, "lint") == 0 && command && strcmp(command, "bundle") == 0)
        return complain(r, "is a finding of 'lint', about one module: a bundle "
                           "is of two");
    add(r, command ? command : own);
    return add_modules(r, root) && add_replay(r, root) &&
           (strcmp(own, "lint") == 0 || is_comparison(r));
}

/* A folder of folders is no finding: one of them is to be chosen. */
static bool tell_choice(struct reading *r)
{
    struct buf text = {0}, path = {0}, names = {0};
    buf_printf(&path, "%s/findings.json", r->path);
    struct json_doc *doc =
        file_read(buf_text(&path), 0, &text, r->sink)
            ? json_parse(buf_text(&text), text.len, buf_text(&path), r->sink)
            : NULL;
    const struct json_value *list =
        doc ? json_find(json_root(doc), "findings") : NULL;
    for (const struct json_value *v =
             list && json_type(list) == JSON_ARRAY ? json_first(list) : NULL;
         v; v = json_next(v))
        if (json_string(v))
            buf_printf(&names, "%s '%s/%s'", names.len ? "," : "", r->path,
                       json_string(v));
    (void)diag_error(r->sink, (struct diag_loc){.file = r->path},
                     "save.finding", "holds several findings: give one of%s",
                     buf_text(&names));
    json_free(doc);
    buf_fini(&names);
    buf_fini(&path);
    buf_fini(&text);
    return false;
}

char **saved_words(const char *path, const char *program, const char *command,
                   size_t nrest, char *const *rest, struct arena *arena,
                   struct diag_sink *sink)
{
    struct reading r = {
        path, arena_printf(arena, "%s/finding.json", path), arena, sink, {0}};
    struct buf text = {0};
    struct json_doc *doc = NULL;
    char **out = NULL;
    add(&r, program);
    bool fine = is_there(path, "finding.json") || tell_choice(&r);
    fine = fine && file_read(r.file, 0, &text, sink);
    if (fine)
        doc = json_parse(buf_text(&text), text.len, r.file, sink);
    if (doc && add_all(&r, json_root(doc), command)) {
        for (size_t i = 0; i < nrest; i++)
            add(&r, rest[i]);
        vec_push(&r.words, NULL);
        out = arena_memdup(arena, r.words.items,
                           r.words.len * sizeof *r.words.items);
    }
    vec_fini(&r.words);
    json_free(doc);
    buf_fini(&text);
    return out;
}
