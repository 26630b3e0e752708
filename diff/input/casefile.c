/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading of case files. A line that starts with "-- " opens a section:
 *
 *   -- about                 free text
 *   -- module [FILE]         the untuned module, as text or in a file
 *   -- transformed [FILE]    the tuned one
 *   -- input seed=N fill=KIND
 *   -- contract              a line an item, as after the options of that name:
 *                              assume NAME:LO..HI
 *                              assume NAME:distinct (or sorted, permutation)
 *                              assume overlap=A,B
 *                              barriers explicit (or implied)
 *                              shape NAME=N
 *   -- expect verdict=WORD
 *
 * Each at most once, in any order. Lines of the contract and lines before the
 * first section may be blank or start with '#'.
 */
#include "diff/input/casefile.h"

#include "diff/input/contract.h"
#include "diff/input/input.h"
#include "diff/input/words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool diff_casefile_is(const char *path)
{
    size_t n = strlen(path);
    return n > 5 && strcmp(path + n - 5, ".case") == 0;
}

struct reader {
    struct diff_casefile *c;
    struct arena *arena;
    struct diag_sink *sink;
    const char *text, *end;
    uint32_t line;
    unsigned seen; /* 1 << section */
};

enum section { ABOUT, MODULE, TRANSFORMED, INPUT, CONTRACT, EXPECT, NSECTIONS };
static const char *const section_names[] = {"about", "module",   "transformed",
                                            "input", "contract", "expect"};

DC_PRINTF(3, 4)
static bool complain(const struct reader *r, const char *code, const char *fmt,
                     ...)
{
    struct diag_loc loc = {.file = r->c->path, .line = r->line};
    va_list args;
    va_start(args, fmt);
    bool ok = diag_report(r->sink, DIAG_ERROR, loc, code, fmt, args);
    va_end(args);
    return ok;
}

/* ---- lines and words ----------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* The line at text, trimmed, without a comment line's text. */
static char *this_line(const struct reader *r)
{
    const char *stop = memchr(r->text, '\n', (size_t)(r->end - r->text));
    const char *from = r->text;
    stop = stop ? stop : r->end;
    while (from < stop && is_blank(*from))
        from++;
    while (stop > from && is_blank(stop[-1]))
        stop--;
    return arena_strndup(r->arena, from,
                         from < stop && *from == '#' ? 0
                                                     : (size_t)(stop - from));
}

static void next_line(struct reader *r)
{
    const char *stop = memchr(r->text, '\n', (size_t)(r->end - r->text));
    r->text = stop ? stop + 1 : r->end;
    r->line++;
}

static bool at_section(const struct reader *r)
{
    return r->end - r->text >= 3 && memcmp(r->text, "-- ", 3) == 0;
}

/* Cuts the first word off *rest; "" at the end. */
static char *word(char **rest)
{
    char *from = *rest + strspn(*rest, " \t");
    char *stop = from + strcspn(from, " \t");
    *rest = *stop ? stop + 1 : stop;
    *stop = '\0';
    return from;
}

/* ---- sections --------------------------------------------------------------------- */

static bool read_module(struct reader *r, char *rest, struct diff_casetext *out)
{
    const char *name = word(&rest);
    out->line = r->line;
    next_line(r);
    const char *from = r->text;
    bool any = false;
    for (; r->text < r->end && !at_section(r); next_line(r))
        any = any || *this_line(r) != '\0';
    bool fits = *name ? !any && !*word(&rest) : any;
    if (!fits)
        r->line = out->line;
    if (*name) {
        out->file = path_beside(r->arena, r->c->path, name);
        return fits ||
               complain(r, "case.syntax",
                        "the module is in '%s': no further word or text may "
                        "follow",
                        name);
    }
    if (!any)
        return complain(r, "case.syntax", "the section has no text");
    size_t size = (size_t)(r->text - from);
    char *text = arena_alloc(r->arena, out->line + size + 1);
    memset(text, '\n', out->line);
    memcpy(text + out->line, from, size);
    out->text = text;
    out->len = out->line + size;
    return true;
}

/* KEY=VALUE; NULL: another key. */
static const char *value_of(const char *item, const char *key)
{
    size_t n = strlen(key);
    return strncmp(item, key, n) == 0 && item[n] == '=' ? item + n + 1 : NULL;
}

static bool read_input(struct reader *r, char *rest)
{
    static const char *const fills[] = {"exact", "random", "unit", "boundary",
                                        "range", "tiny",   "zero"};
    for (char *item = word(&rest); *item; item = word(&rest)) {
        const char *seed = value_of(item, "seed");
        const char *fill = value_of(item, "fill");
        char *end;
        if (seed) {
            errno = 0;
            r->c->seed = strtoull(seed, &end, 10);
            r->c->seeded = true;
            if (*seed < '0' || *seed > '9' || *end || errno)
                return complain(r, "case.syntax",
                                "'seed' needs a whole number, not '%s'", seed);
            continue;
        }
        for (size_t i = 0; fill && i < DC_ARRAY_LEN(fills); i++)
            if (strcmp(fill, fills[i]) == 0)
                r->c->fill = fills[i];
        if (!fill || !r->c->fill)
            return complain(r, "case.syntax",
                            "expected seed=N or fill=KIND (exact random unit "
                            "boundary range tiny zero), not '%s'",
                            item);
    }
    return true;
}

static bool read_expect(struct reader *r, char *rest)
{
    const char *item = word(&rest), *verdict = value_of(item, "verdict");
    r->c->expect_line = r->line;
    if (verdict && !*word(&rest) &&
        report_verdict_parse(verdict, strlen(verdict), &r->c->expect))
        return true;
    return complain(r, "case.syntax",
                    "expected verdict=WORD, a verdict, not '%s'", item);
}

#define APPEND(r, list, lines, n, type, item)                            \
    do {                                                                 \
        type *grown = ARENA_ARRAY((r)->arena, (r)->c->n + 1, type);      \
        uint32_t *at = ARENA_ARRAY((r)->arena, (r)->c->n + 1, uint32_t); \
        if ((r)->c->n > 0) {                                             \
            memcpy(grown, (r)->c->list, (r)->c->n * sizeof *grown);      \
            memcpy(at, (r)->c->lines, (r)->c->n * sizeof *at);           \
        }                                                                \
        at[(r)->c->n] = (r)->line;                                       \
        grown[(r)->c->n++] = (item);                                     \
        (r)->c->list = grown;                                            \
        (r)->c->lines = at;                                              \
    } while (0)

static bool twice(const struct reader *r, const char *name, uint32_t line)
{
    return complain(r, "case.contract",
                    "'%s' has been given in line %u already", name,
                    (unsigned)line);
}

static bool read_assume(struct reader *r, const char *text)
{
    struct diff_range range;
    struct diff_overlap overlap;
    struct diff_property property;
    if (diff_contract_is_overlap(text)) {
        if (!diff_contract_overlap(r->arena, text, &overlap))
            return complain(r, "case.contract",
                            "'overlap=' needs two parameters A,B, not '%s'",
                            text + strlen("overlap="));
        APPEND(r, overlaps, overlap_lines, noverlaps, struct diff_overlap,
               overlap);
        return true;
    }
    if (diff_contract_property(r->arena, text, &property)) {
        APPEND(r, properties, property_lines, nproperties, struct diff_property,
               property);
        return true;
    }
    if (!diff_contract_range(r->arena, text, &range))
        return complain(r, "case.contract",
                        "'assume' needs NAME:LO..HI with LO <= HI, "
                        "NAME:distinct, NAME:sorted, NAME:permutation, or "
                        "overlap=A,B, not '%s'",
                        text);
    for (size_t i = 0; i < r->c->nassumes; i++)
        if (strcmp(r->c->assumes[i].name, range.name) == 0)
            return twice(r, range.name, r->c->assume_lines[i]);
    APPEND(r, assumes, assume_lines, nassumes, struct diff_range, range);
    return true;
}

static bool read_shape(struct reader *r, const char *text)
{
    struct interp_symbol shape;
    if (!diff_contract_shape(r->arena, text, &shape))
        return complain(r, "case.contract",
                        "'shape' needs NAME=N with N >= 0, not '%s'", text);
    for (size_t i = 0; i < r->c->nshapes; i++)
        if (strcmp(r->c->shapes[i].name, shape.name) == 0)
            return twice(r, shape.name, r->c->shape_lines[i]);
    APPEND(r, shapes, shape_lines, nshapes, struct interp_symbol, shape);
    return true;
}

static bool read_barriers(struct reader *r, const char *text)
{
    if (r->c->barriers)
        return complain(r, "case.contract",
                        "'barriers' has been given already");
    if (strcmp(text, "explicit") != 0 && strcmp(text, "implied") != 0)
        return complain(r, "case.contract",
                        "'barriers' is 'explicit' or 'implied', not '%s'",
                        text);
    r->c->barriers = text;
    return true;
}

/* All items are read, so that every fault is told at once. */
static bool read_contract(struct reader *r)
{
    bool fine = true;
    for (next_line(r); r->text < r->end && !at_section(r); next_line(r)) {
        char *rest = this_line(r);
        const char *kind = word(&rest), *item = word(&rest);
        if (!*kind)
            continue;
        if (*word(&rest))
            fine = complain(r, "case.contract", "one item a line: '%s %s …'",
                            kind, item);
        else if (strcmp(kind, "assume") == 0)
            fine = read_assume(r, item) && fine;
        else if (strcmp(kind, "shape") == 0)
            fine = read_shape(r, item) && fine;
        else if (strcmp(kind, "barriers") == 0)
            fine = read_barriers(r, item) && fine;
        else
            fine = complain(r, "case.contract",
                            "a contract says 'assume', 'shape' or 'barriers', "
                            "not '%s'",
                            kind);
    }
    return fine;
}

static bool skip_text(struct reader *r)
{
    bool fine = true;
    for (next_line(r); r->text < r->end && !at_section(r); next_line(r))
        if (*this_line(r) && fine)
            fine = complain(r, "case.syntax", "no text belongs here");
    return fine;
}

static bool read_section(struct reader *r)
{
    char *rest = this_line(r) + 2;
    const char *name = word(&rest);
    size_t s = 0;
    while (s < NSECTIONS && strcmp(section_names[s], name) != 0)
        s++;
    if (s == NSECTIONS) {
        const char *near = diff_nearest(name, NSECTIONS, section_names);
        return complain(r, "case.syntax", "unknown section '%s'%s%s%s", name,
                        near ? ", did you mean '" : "", near ? near : "",
                        near ? "'?" : "");
    }
    if (r->seen & 1u << s)
        return complain(r, "case.syntax", "a second section '%s'", name);
    r->seen |= 1u << s;
    switch ((enum section)s) {
    case MODULE: return read_module(r, rest, &r->c->module);
    case TRANSFORMED: return read_module(r, rest, &r->c->transformed);
    case INPUT: return read_input(r, rest) && skip_text(r);
    case EXPECT: return read_expect(r, rest) && skip_text(r);
    case CONTRACT: return read_contract(r);
    case ABOUT:
    case NSECTIONS: break;
    }
    for (next_line(r); r->text < r->end && !at_section(r);)
        next_line(r);
    return true;
}

static bool read_case(struct reader *r)
{
    if (memchr(r->text, '\0', (size_t)(r->end - r->text)))
        return complain(r, "case.syntax", "the file is no text");
    for (; r->text < r->end && !at_section(r); next_line(r))
        if (*this_line(r))
            return complain(r, "case.syntax",
                            "expected a section, a line such as '-- module'");
    while (r->text < r->end)
        if (!read_section(r))
            return false;
    r->line = 1;
    return r->c->module.line ||
           complain(r, "case.syntax", "the case has no section 'module'");
}

/* ---- use ---------------------------------------------------------------------------- */

/* The contract goes before what the line gives: later items win. */
static void apply(const struct diff_casefile *c, struct diff_options *o)
{
    struct diff_range *assumes =
        ARENA_ARRAY(o->arena, c->nassumes + o->nassumes + 1, struct diff_range);
    struct interp_symbol *shapes = ARENA_ARRAY(
        o->arena, c->nshapes + o->nshapes + 1, struct interp_symbol);
    struct diff_overlap *overlaps = ARENA_ARRAY(
        o->arena, c->noverlaps + o->noverlaps + 1, struct diff_overlap);
    struct diff_property *properties = ARENA_ARRAY(
        o->arena, c->nproperties + o->nproperties + 1, struct diff_property);
    for (size_t i = 0; i < c->nproperties + o->nproperties; i++)
        properties[i] = i < c->nproperties ? c->properties[i]
                                           : o->properties[i - c->nproperties];
    for (size_t i = 0; i < c->nassumes + o->nassumes; i++)
        assumes[i] =
            i < c->nassumes ? c->assumes[i] : o->assumes[i - c->nassumes];
    for (size_t i = 0; i < c->nshapes + o->nshapes; i++)
        shapes[i] = i < c->nshapes ? c->shapes[i] : o->shapes[i - c->nshapes];
    for (size_t i = 0; i < c->noverlaps + o->noverlaps; i++)
        overlaps[i] =
            i < c->noverlaps ? c->overlaps[i] : o->overlaps[i - c->noverlaps];
    o->assumes = assumes;
    o->shapes = shapes;
    o->overlaps = overlaps;
    o->properties = properties;
    o->nproperties += c->nproperties;
    if (c->barriers && !o->given[DIFF_OPT_BARRIERS])
        o->explicit_barriers = *c->barriers == 'e';
    o->nassumes += c->nassumes;
    o->nshapes += c->nshapes;
    o->noverlaps += c->noverlaps;
    if (c->seeded && !o->given[DIFF_OPT_SEED])
        o->seed = c->seed;
    if (c->fill && !o->fill)
        o->fill = c->fill;
    o->casefile = c;
}

bool diff_casefile_load(struct diff_options *options, struct diag_sink *sink)
{
    struct diff_casefile *c = ARENA_NEW(options->arena, struct diff_casefile);
    struct reader r = {
        .c = c, .arena = options->arena, .sink = sink, .line = 1};
    struct buf text = {0};
    c->path = options->operands[0];
    bool fine = file_read(c->path, options->max_input_bytes, &text, sink);
    if (fine) {
        r.text = buf_text(&text);
        r.end = r.text + text.len;
        fine = read_case(&r);
    }
    buf_fini(&text);
    if (fine)
        apply(c, options);
    return fine;
}

bool diff_is_named(const struct ir_module *m, const char *name,
                   struct arena *arena)
{
    for (size_t i = 0; i < m->nfuncs; i++) {
        const struct ir_func *f = m->funcs[i];
        struct interp_signature sig;
        for (size_t k = 0; f->kind == IR_FUNC_PRIM && k < f->prim.nparams; k++)
            if (strcmp(f->prim.params[k].var->name, name) == 0)
                return true;
        if (!interp_signature(m, f, NULL, 0, arena, &sig, NULL))
            continue;
        for (size_t k = 0; k < sig.nparams; k++)
            if (strcmp(sig.params[k].name, name) == 0)
                return true;
        if (diff_is_symbol(&sig, name))
            return true;
    }
    return false;
}

static bool check_name(struct reader *r, const struct ir_module *m,
                       const char *name, uint32_t line)
{
    r->line = line;
    return diff_is_named(m, name, r->arena) ||
           complain(r, "case.contract",
                    "no function of the module has a parameter or a size '%s'",
                    name);
}

/* Names are the untuned module's. */
static bool check_names(struct diff_casefile *c, const struct ir_module *m,
                        struct arena *arena, struct diag_sink *sink)
{
    struct reader r = {.c = c, .arena = arena, .sink = sink};
    bool fine = true;
    for (size_t i = 0; i < c->nassumes; i++)
        fine =
            check_name(&r, m, c->assumes[i].name, c->assume_lines[i]) && fine;
    for (size_t i = 0; i < c->nshapes; i++)
        fine = check_name(&r, m, c->shapes[i].name, c->shape_lines[i]) && fine;
    for (size_t i = 0; i < c->noverlaps; i++)
        fine = check_name(&r, m, c->overlaps[i].first, c->overlap_lines[i]) &&
               check_name(&r, m, c->overlaps[i].second, c->overlap_lines[i]) &&
               fine;
    for (size_t i = 0; i < c->nproperties; i++)
        fine = check_name(&r, m, c->properties[i].name, c->property_lines[i]) &&
               fine;
    return fine;
}

struct ir_module *diff_casefile_module(const struct diff_options *options,
                                       const struct diff_casetext *side,
                                       struct diag_sink *sink)
{
    struct diff_casefile c = *options->casefile;
    struct ir_module *m = NULL;
    if (side->line == 0)
        (void)diag_error(sink, (struct diag_loc){.file = c.path, .line = 1},
                         "case.syntax",
                         "the case has no section 'transformed'");
    else if (side->file)
        m = diff_module_read(side->file, options->max_input_bytes, sink);
    else
        m = ir_read(side->text, side->len, c.path, sink);
    if (m && !side->file)
        ir_host_restore(m, sink);
    if (m && side == &options->casefile->module &&
        !check_names(&c, m, options->arena, sink)) {
        ir_module_free(m);
        return NULL;
    }
    return diff_module_complete(options, m, sink);
}
