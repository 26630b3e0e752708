/* SPDX-License-Identifier: Apache-2.0
 *
 * The programs of both sides as text, in the lines that places of a finding name:
 * the file that was read, if it has lines and is still what was compared; the
 * text beside a file without; else what `diffcheck show` prints. Of a module that
 * holds several functions the one that is compared.
 */
#include "diff/input/casefile.h"
#include "diff/plots/plots.h"
#include "ir/walk.h"

#include <string.h>
#include <sys/stat.h>

/* ---- which text -------------------------------------------------------------------- */

/* The file that the places of the side name, where that is not the module's own:
 * it was found to be equal then. */
static const char *named_file(const struct diff_pair *pair, size_t side)
{
    const struct report_origin *o = pair->out->origin;
    for (size_t i = 0; o != NULL && i < o->nplaces; i++)
        if (o->places[i].tuned == (side == TUNED) && o->places[i].file != NULL)
            return o->places[i].file;
    return NULL;
}

static bool is_script(const struct buf *text)
{
    const char *p = buf_text(text);
    p += strspn(p, " \t\r\n");
    return *p != '\0' && *p != '{';
}

/* To open a pipe once more could wait for ever. */
static bool is_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* The file's text if it is a program: read for the first function that needs it. */
static const char *take_file(const struct diff_pair *pair, size_t side,
                             const char *path, const uint64_t *hash,
                             struct plots_files *files)
{
    const char **of = &files->side[side].path;
    struct buf *text = &files->side[side].text;
    if (*of == NULL || strcmp(*of, path) != 0) {
        *of = arena_strdup(pair->arena, path);
        text->len = 0;
        if (!is_file(path) ||
            !file_read(path, pair->options->max_input_bytes, text, NULL) ||
            !is_script(text))
            text->len = 0;
    }
    bool fine =
        text->len > 0 &&
        (hash == NULL || hash_bytes(0, buf_text(text), text->len) == *hash);
    return fine ? buf_text(text) : NULL;
}

void plots_files_fini(struct plots_files *files)
{
    for (size_t side = 0; side < NSIDES; side++)
        buf_fini(&files->side[side].text);
}

/* The text, of which what is in no file of its own is put into `own`; *name is its
 * name, NULL for what is printed. */
static const char *take_text(const struct diff_pair *pair, size_t side,
                             struct plots_files *files, struct buf *own,
                             const char **name)
{
    const struct ir_module *m = pair->side[side].module;
    const struct diff_casefile *c = pair->options->casefile;
    const struct diff_casetext *part = c == NULL       ? NULL
                                       : side == TUNED ? &c->transformed
                                                       : &c->module;
    const char *named = named_file(pair, side), *text = NULL;
    if (part != NULL && part->file == NULL) {
        *name = c->path;
        buf_append(own, part->text, part->len);
        text = is_script(own) ? buf_text(own) : NULL;
    } else if (named != NULL && strcmp(named, m->source) != 0) {
        *name = named;
        text = take_file(pair, side, named, NULL, files);
    } else if (pair->out->origin == NULL || pair->out->origin->nplaces == 0 ||
               named != NULL) {
        *name = m->source;
        text = take_file(pair, side, m->source, &m->text_hash, files);
    }
    if (text != NULL)
        return text;
    *name = NULL;
    own->len = 0;
    ir_print_script(m, own);
    return buf_text(own);
}

/* ---- which lines --------------------------------------------------------------------- */

static size_t indent_of(const char *line)
{
    return strspn(line, " \t");
}

/* Whether the line begins "def NAME(". */
static bool defines(const char *line, const char *name)
{
    size_t n = strlen(name);
    line += indent_of(line);
    if (strncmp(line, "def ", 4) != 0)
        return false;
    line += 4;
    return strncmp(line, name, n) == 0 && line[n] == '(';
}

static bool is_blank(const char *line)
{
    line += indent_of(line);
    return *line == '\0' || *line == '\n' || *line == '\r';
}

struct range {
    size_t from, to; /* offsets */
    uint32_t first;  /* line of `from` */
};

static const char *next_line(const char *line)
{
    line += strcspn(line, "\n");
    return *line == '\n' ? line + 1 : line;
}

/* From the decorators of the function to the next line that is indented no
 * more. The whole text where it has no such function. */
static struct range find_range(const char *text, size_t len, const char *name)
{
    struct range r = {0, len, 1};
    const char *begin = NULL;
    uint32_t number = 1, first = 1;
    size_t indent = 0;
    const char *line = text;
    for (; *line != '\0'; line = next_line(line), number++) {
        bool decorator = line[indent_of(line)] == '@';
        if (begin == NULL && decorator) {
            begin = line;
            first = number;
        }
        if (defines(line, name))
            break;
        if (!decorator)
            begin = NULL;
    }
    if (*line == '\0')
        return r;
    if (begin == NULL) {
        begin = line;
        first = number;
    }
    indent = indent_of(line);
    for (line = next_line(line);
         *line != '\0' && (is_blank(line) || indent_of(line) > indent ||
                           line[indent_of(line)] == ')');
         line = next_line(line)) {
    }
    r.from = (size_t)(begin - text);
    r.to = (size_t)(line - text);
    r.first = first;
    return r;
}

static void put_line(struct report *report, struct report_source *out,
                     const char *line, size_t len)
{
    while (len > 0 && (line[len - 1] == '\r' || line[len - 1] == ' '))
        len--;
    bool cut = len > REPORT_COLUMNS;
    len = utf8_cut(line, len, REPORT_COLUMNS);
    report_add(report, &out->lines, "%.*s%s", (int)len, line, cut ? "…" : "");
}

static void put_source(struct diff_pair *pair, size_t side,
                       struct plots_files *files, struct report_source *out)
{
    struct buf own = {0};
    const char *name = NULL;
    const char *all = take_text(pair, side, files, &own, &name);
    struct range r = find_range(all, strlen(all), pair->side[side].func->name);
    out->name = name != NULL ? arena_strdup(pair->arena, name) : NULL;
    out->first = r.first;
    for (const char *line = all + r.from;
         line < all + r.to && out->lines.n < REPORT_LINES;
         line = next_line(line))
        put_line(pair->report, out, line, strcspn(line, "\n"));
    size_t lines = 0;
    for (const char *line = all + r.from; line < all + r.to;
         line = next_line(line))
        lines++;
    out->cut = lines > out->lines.n;
    while (out->lines.n > 0 && is_blank(out->lines.items[out->lines.n - 1]))
        out->lines.n--;
    buf_fini(&own);
}

void plots_put_sources(struct diff_pair *pair, struct plots_files *files)
{
    pair->out->sources = ARENA_ARRAY(pair->arena, NSIDES, struct report_source);
    put_source(pair, UNTUNED, files, &pair->out->sources[0]);
    put_source(pair, TUNED, files, &pair->out->sources[1]);
}

/* ---- barriers ------------------------------------------------------------------------- */

struct looking {
    struct diff_pair *pair;
    struct report_plots *out;
};

static bool see(void *user, struct ir_stmt *s)
{
    struct looking *l = user;
    const struct ir_module *m = l->pair->side[TUNED].module;
    struct buf text = {0};
    if (s->kind != IR_EVALUATE || s->u.value->kind != IR_CALL ||
        s->u.value->u.call.op != IR_OP_STORAGE_SYNC ||
        l->out->nbarriers == REPORT_LINES)
        return true;
    struct report_barrier *b = &l->out->barriers[l->out->nbarriers++];
    ir_print_stmt(s, &text);
    b->line = s->pos.line != 0 ? s->pos.line : ir_script_line(m, s);
    b->text = arena_strndup(l->pair->arena, buf_text(&text),
                            strcspn(buf_text(&text), "\n"));
    buf_fini(&text);
    return true;
}

void plots_put_barriers(struct diff_pair *pair, struct report_plots *out)
{
    const struct ir_func *f = pair->side[TUNED].func;
    struct looking l = {pair, out};
    const struct ir_visitor v = {see, NULL, &l};
    if (f->kind != IR_FUNC_PRIM || f->prim.body == NULL)
        return;
    out->barriers =
        ARENA_ARRAY(pair->arena, REPORT_LINES, struct report_barrier);
    ir_visit_stmt(&v, f->prim.body);
}
