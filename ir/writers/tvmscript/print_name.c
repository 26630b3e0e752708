/* SPDX-License-Identifier: Apache-2.0
 *
 * Names for the TVMScript printer. A hint is made a Python identifier that is
 * no keyword and none of the names a script begins with, then made unique with
 * a number: i, i_1, i_2. Each base remembers the next number to try, so that
 * giving n names costs O(n).
 */
#include "ir/writers/tvmscript/print_script.h"

#include <string.h>

static const char *const taken[] = {
    "False",  "None",    "True",     "and",      "as",       "assert", "async",
    "await",  "break",   "class",    "continue", "def",      "del",    "elif",
    "else",   "except",  "finally",  "for",      "from",     "global", "if",
    "import", "in",      "is",       "lambda",   "nonlocal", "not",    "or",
    "pass",   "raise",   "return",   "try",      "while",    "with",   "yield",
    "T",      "R",       "I",        "Tx",       "Axis",     "cls",    "self",
    "Module", "TypeVar", "metadata", "tvm",      "range",    "float",  "int",
    "bool",   "str",     "tuple",    "list",     "dict",     "len",    "min",
    "max",    "sum",     "abs",      "print",    "slice",    "type",
};

/* The first of them are Python's keywords, the rest names of ours. */
enum { KEYWORDS = 35 };

/* Hints of variables are cut to this: they may be any bytes of a file. */
#define LONGEST_NAME 100u

/* ---- the set of words ---------------------------------------------------- */

static size_t word_slot(const struct print_words *w, const char *text)
{
    size_t i = (size_t)hash_bytes(0, text, strlen(text)) & (w->cap - 1);
    while (w->slots[i] && strcmp(w->slots[i], text) != 0)
        i = (i + 1) & (w->cap - 1);
    return i;
}

static void words_grow(struct print_words *w)
{
    struct print_words old = *w;
    w->cap = old.cap ? old.cap * 2 : 256;
    w->slots = dc_alloc(w->cap * sizeof *w->slots);
    w->next = dc_alloc(w->cap * sizeof *w->next);
    for (size_t i = 0; i < old.cap; i++)
        if (old.slots[i]) {
            size_t at = word_slot(w, old.slots[i]);
            w->slots[at] = old.slots[i];
            w->next[at] = old.next[i];
        }
    dc_release(old.slots);
    dc_release(old.next);
}

/* Adds text, which must outlive the table. False when it was there. */
static bool words_add(struct print_words *w, const char *text)
{
    if (w->len * 4 >= w->cap * 3)
        words_grow(w);
    size_t at = word_slot(w, text);
    if (w->slots[at])
        return false;
    w->slots[at] = text;
    w->len++;
    return true;
}

void print_words_fini(struct print_words *words)
{
    dc_release(words->slots);
    dc_release(words->next);
    *words = (struct print_words){0};
}

void print_reserve(struct print_state *p, const char *word)
{
    (void)words_add(&p->words, arena_strdup(p->arena, word));
}

bool print_has_word(struct print_state *p, const char *word)
{
    return p->words.cap && p->words.slots[word_slot(&p->words, word)];
}

void print_names_reset(struct print_state *p)
{
    print_words_fini(&p->words);
    for (size_t i = 0; i < DC_ARRAY_LEN(taken); i++)
        (void)words_add(&p->words, taken[i]);
    ptr_map_fini(&p->names);
    ptr_map_fini(&p->type_vars);
    ptr_map_fini(&p->loops);
    ptr_map_fini(&p->launches);
    ptr_map_fini(&p->late);
    ptr_map_fini(&p->handles);
    ptr_map_fini(&p->views);
    vec_fini(&p->list);
    vec_fini(&p->view_list);
    buf_fini(&p->top);
}

/* ---- identifiers --------------------------------------------------------- */

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_';
}

static const char *identifier(struct print_state *p, const char *hint,
                              size_t max)
{
    size_t len = hint ? strlen(hint) : 0;
    if (len > max)
        len = max;
    bool digit = len && hint[0] >= '0' && hint[0] <= '9';
    char *text = arena_alloc(p->arena, len + 3);
    size_t n = 0;
    if (len == 0 || digit)
        text[n++] = 'v';
    for (size_t i = 0; i < len; i++)
        text[n++] = is_word(hint[i]) ? hint[i] : '_';
    text[n] = '\0';
    /* Python gives "_" and "__x" meanings of their own. */
    if (text[0] == '_')
        text = arena_printf(p->arena, "v%s", text);
    return text;
}

bool print_is_identifier(const char *text, size_t len)
{
    if (!len || (*text >= '0' && *text <= '9'))
        return false;
    for (size_t i = 0; i < len; i++)
        if (!is_word(text[i]))
            return false;
    for (size_t i = 0; i < KEYWORDS; i++)
        if (strlen(taken[i]) == len && strncmp(taken[i], text, len) == 0)
            return false;
    return true;
}

static const char *function_name(struct print_state *p, const char *name)
{
    if (!name || !*name)
        return "main";
    const char *text = identifier(p, name, SIZE_MAX);
    /* Only its own kind of underscore is taken back. */
    if (name[0] == '_' && strcmp(text + 1, name) == 0)
        text = name;
    for (size_t i = 0; i < KEYWORDS; i++)
        if (strcmp(text, taken[i]) == 0)
            return arena_printf(p->arena, "%s_", text);
    return text;
}

const char *print_function_name(struct print_state *p, const char *name)
{
    const char *text = function_name(p, name);
    if (strcmp(text, name ? name : "") != 0)
        print_refuse(p, "'%s' cannot be the name of a function in Python",
                     name ? name : "");
    else if (ir_script_hides(text))
        print_refuse(p,
                     "a function '%s' would hide what the name means in a "
                     "script",
                     text);
    return text;
}

static const char *unique(struct print_state *p, const char *base)
{
    if (words_add(&p->words, base))
        return base;
    for (;;) {
        size_t at = word_slot(&p->words, base);
        const char *text =
            arena_printf(p->arena, "%s_%u", base, ++p->words.next[at]);
        if (words_add(&p->words, text))
            return text;
    }
}

/* ---- objects ------------------------------------------------------------- */

void print_define_as(struct print_state *p, const void *object,
                     const char *text)
{
    struct print_name name = {text, false, false};
    const uint64_t *known = ptr_map_find(&p->names, object, NULL);
    if (known && p->list.items[*known].fixed)
        print_refuse(p,
                     "an attribute of the function names '%s', which is "
                     "defined further down",
                     text);
    ptr_map_put(&p->names, object, NULL, p->list.len);
    vec_push(&p->list, name);
}

const char *print_define(struct print_state *p, const void *object,
                         const char *hint)
{
    const char *text = unique(p, identifier(p, hint, LONGEST_NAME));
    print_define_as(p, object, text);
    return text;
}

const char *print_define_buffer(struct print_state *p,
                                const struct ir_buffer *buffer)
{
    const char *name = print_define(p, buffer, buffer->name);
    const uint64_t *data =
        buffer->data ? ptr_map_find(&p->names, buffer->data, NULL) : NULL;
    if (data && p->list.items[*data].keep && buffer->data->owner == buffer)
        print_refuse(p, "the pointer of buffer '%s' is used before it",
                     buffer->name);
    if (buffer->data && !dtype_is_handle(buffer->data->dtype))
        print_refuse(p, "the pointer of buffer '%s' is no handle",
                     buffer->name);
    if (buffer->data && !print_name_of(p, buffer->data))
        print_define_as(p, buffer->data,
                        arena_printf(p->arena, "%s.data", name));
    return name;
}

const char *print_name_of(const struct print_state *p, const void *object)
{
    const uint64_t *index = ptr_map_find(&p->names, object, NULL);
    return index ? p->list.items[*index].text : NULL;
}

size_t print_scope_open(const struct print_state *p)
{
    return p->list.len;
}

/* Entries stay, so that indices in the map stay valid. */
void print_scope_close(struct print_state *p, size_t mark)
{
    for (size_t i = mark; i < p->list.len; i++)
        if (!p->list.items[i].keep)
            p->list.items[i].text = NULL;
}

/* Puts `name = T.int32()` at the top of the function. */
static const char *declare(struct print_state *p, const struct ir_var *var)
{
    if (ptr_map_find(&p->handles, var, NULL))
        print_refuse(p, "the handle of a buffer, '%s', is used by itself",
                     var->name ? var->name : "");
    if (ptr_map_find(&p->names, var, NULL))
        print_refuse(p, "variable '%s' is used outside of its scope",
                     var->name ? var->name : "");
    const char *name = print_define(p, var, var->name);
    p->list.items[p->list.len - 1].keep = true;
    p->list.items[p->list.len - 1].fixed = p->in_attrs;
    for (unsigned i = 0; i < p->top_indent; i++)
        buf_puts(&p->top, "    ");
    buf_printf(&p->top, "%s = ", name);
    print_put_type(&p->top, var->type, var->dtype);
    if (p->top.data[p->top.len - 1] != ')')
        buf_puts(&p->top, "()");
    buf_putc(&p->top, '\n');
    return name;
}

const char *print_var(struct print_state *p, const struct ir_var *var)
{
    const char *name = print_name_of(p, var);
    if (name)
        return name;
    if (p->loose)
        return var->name ? var->name : "?";
    return declare(p, var);
}

const char *print_buffer(struct print_state *p, const struct ir_buffer *buffer)
{
    const char *name = print_name_of(p, buffer);
    if (name)
        return name;
    if (p->loose)
        return buffer->name ? buffer->name : "?";
    print_refuse(p, "buffer '%s' is used where nothing declares it",
                 buffer->name ? buffer->name : "");
    return print_define(p, buffer, buffer->name);
}
