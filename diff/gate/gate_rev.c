/* SPDX-License-Identifier: Apache-2.0
 *
 * Revisions of a git repository as folders.
 *
 * `git checkout REV -- PATH` with a work tree and an index of its own gives the
 * files as they would lie in the user's work tree, line ends and filters
 * included, so that they compare with what lies there; `git archive` would leave
 * out and rewrite what attributes say. Nothing of the user's is touched: objects
 * are read, HEAD, index and work tree stay, and hooks are switched off. Paths are
 * literal, a revision is made an object name first, and everything is an argument
 * of its own: no shell sees any of it.
 */
#include "diff/gate/gate.h"
#include "diff/harness/cache.h"
#include "diff/harness/process.h"

#include <string.h>

#define MAX_WORDS  16u
#define ASK_NOBODY "GIT_TERMINAL_PROMPT=0" /* of a clone that lacks objects */

DC_PRINTF(2, 3)
static bool fail(struct diag_sink *sink, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    bool no = diag_report(sink, DIAG_ERROR, (struct diag_loc){0}, "gate.git",
                          fmt, args);
    va_end(args);
    return no;
}

/* What git prints, in the arena; NULL with what it said in *why. */
static const char *ask_all(struct arena *arena, const char *folder,
                           const char *const *words, size_t nwords,
                           const char *const *env, struct buf *why)
{
    static const char *const quiet[] = {ASK_NOBODY, NULL};
    const char **argv = ARENA_ARRAY(arena, nwords + 2, const char *);
    struct diff_process p = {
        .argv = argv, .folder = folder, .env = env ? env : quiet};
    struct diff_ended ended;
    const char *text = NULL;
    argv[0] = diff_program_find("git", arena);
    if (argv[0] == NULL) {
        buf_puts(why, "there is no program 'git'");
        return NULL;
    }
    memcpy(argv + 1, words, nwords * sizeof *words);
    diff_process_run(&p, &ended);
    if (diff_ended_well(&ended))
        text = arena_strdup(arena, buf_text(&ended.text));
    else
        diff_ended_put(why, &ended);
    diff_ended_fini(&ended);
    return text;
}

/* The next line, and *text behind it. */
static const char *take_line(struct arena *arena, const char **text)
{
    size_t n = strcspn(*text, "\n");
    const char *line = arena_strndup(arena, *text, n);
    *text += n + ((*text)[n] == '\n');
    return line;
}

/* The first line of it. */
static const char *ask(struct arena *arena, const char *folder,
                       const char *const *words, size_t nwords,
                       const char *const *env, struct buf *why)
{
    const char *text = ask_all(arena, folder, words, nwords, env, why);
    return text ? take_line(arena, &text) : NULL;
}

const char *gate_path(struct arena *arena, const char *prefix, const char *path)
{
    struct buf out = {0};
    bool inside = true;
    for (const char *part = arena_printf(arena, "%s/%s", prefix, path);
         *part && inside;) {
        size_t n = strcspn(part, "/");
        if (n == 2 && memcmp(part, "..", 2) == 0) {
            inside = out.len > 0;
            while (out.len > 0 && out.data[out.len - 1] != '/')
                out.len--;
            out.len -= out.len > 0;
        } else if (n > 0 && !(n == 1 && *part == '.')) {
            if (out.len > 0)
                buf_putc(&out, '/');
            buf_append(&out, part, n);
        }
        part += n + (part[n] == '/');
    }
    const char *found =
        inside ? arena_strndup(arena, buf_text(&out), out.len) : NULL;
    buf_fini(&out);
    return found;
}

static bool take_operands(struct arena *arena, size_t n,
                          const char *const *operands, const char *prefix,
                          struct gate_repository *out, struct diag_sink *sink)
{
    static const char *const here[] = {"."};
    const char *const *all = n > 0 ? operands : here;
    size_t top = strlen(out->top);
    n = n > 0 ? n : 1;
    out->paths = ARENA_ARRAY(arena, n, const char *);
    for (size_t i = 0; i < n; i++) {
        const char *path = all[i];
        bool below = strncmp(path, out->top, top) == 0 &&
                     (path[top] == '/' || path[top] == '\0');
        if (*path == '/' && !below)
            return fail(sink, "'%s' is not in the repository", path);
        path = *path == '/' ? gate_path(arena, "", path + top)
                            : gate_path(arena, prefix, path);
        if (path == NULL)
            return fail(sink, "'%s' is not in the repository", all[i]);
        out->paths[out->npaths++] = path;
    }
    return true;
}

bool gate_repository_open(struct arena *arena, size_t noperands,
                          const char *const *operands,
                          struct gate_repository *out, struct diag_sink *sink)
{
    static const char *const words[] = {"rev-parse", "--show-toplevel",
                                        "--absolute-git-dir", "--show-prefix"};
    struct buf why = {0};
    *out = (struct gate_repository){0};
    const char *text =
        ask_all(arena, NULL, words, DC_ARRAY_LEN(words), NULL, &why);
    bool fine =
        text != NULL || fail(sink, "no git repository: %s", buf_text(&why));
    buf_fini(&why);
    if (!fine)
        return false;
    out->top = take_line(arena, &text);
    out->folder = take_line(arena, &text);
    const char *prefix = take_line(arena, &text);
    out->at_top = *prefix == '\0';
    return take_operands(arena, noperands, operands, prefix, out, sink);
}

/* The words of `git checkout TREE -- PATH…` for the paths that the tree has;
 * NULL if it has none. */
static const char **checkout(struct arena *arena,
                             const struct gate_repository *r, const char *tree,
                             size_t *nwords)
{
    static const char *const start[] = {"-c",
                                        "core.hooksPath=/dev/null",
                                        "-c",
                                        "core.fsmonitor=false",
                                        "-c",
                                        "core.sparseCheckout=false",
                                        "--literal-pathspecs",
                                        "checkout",
                                        "--quiet",
                                        "--no-recurse-submodules"};
    const char **words =
        ARENA_ARRAY(arena, MAX_WORDS + r->npaths, const char *);
    size_t n = DC_ARRAY_LEN(start), fixed;
    memcpy(words, start, sizeof start);
    words[n++] = tree;
    words[n++] = "--";
    fixed = n;
    for (size_t i = 0; i < r->npaths; i++) {
        struct buf why = {0};
        const char *is_there[] = {
            "cat-file", "-e", arena_printf(arena, "%s:%s", tree, r->paths[i])};
        if (ask(arena, NULL, is_there, DC_ARRAY_LEN(is_there), NULL, &why))
            words[n++] = *r->paths[i] ? r->paths[i] : ".";
        buf_fini(&why);
    }
    *nwords = n;
    return n > fixed ? words : NULL;
}

const char *gate_repository_take(struct arena *arena, struct gate_repository *r,
                                 const char *revision, const char *name,
                                 struct diag_sink *sink)
{
    struct buf why = {0};
    const char *find[] = {"rev-parse", "--verify", "--quiet",
                          "--end-of-options",
                          arena_printf(arena, "%s^{tree}", revision)};
    const char *tree = ask(arena, NULL, find, DC_ARRAY_LEN(find), NULL, &why);
    const char *into = NULL, **words = NULL;
    size_t n = 0;
    if (tree == NULL)
        (void)fail(sink, "'%s' is no revision of the repository", revision);
    if (tree != NULL && r->own == NULL)
        r->own = diff_folder_new(arena, &why);
    if (tree != NULL && r->own != NULL)
        into = arena_printf(arena, "%s/%s", r->own, name);
    if (into != NULL && !diff_folders_make(into)) {
        buf_printf(&why, "cannot make the folder '%s'", into);
        into = NULL;
    }
    if (into != NULL)
        words = checkout(arena, r, tree, &n);
    if (words != NULL) {
        const char *env[] = {
            arena_printf(arena, "GIT_DIR=%s", r->folder),
            arena_printf(arena, "GIT_WORK_TREE=%s", into),
            arena_printf(arena, "GIT_INDEX_FILE=%s.index", into), ASK_NOBODY,
            NULL};
        if (ask(arena, into, words, n, env, &why) == NULL)
            into = NULL;
    }
    if (tree != NULL && into == NULL)
        (void)fail(sink, "cannot check out: %s", buf_text(&why));
    buf_fini(&why);
    return into;
}

void gate_repository_close(struct gate_repository *r)
{
    if (r->own != NULL)
        folder_remove(r->own);
    r->own = NULL;
}
