/* SPDX-License-Identifier: Apache-2.0
 *
 * Cases: where they begin (generated pairs, pairs of integers, files of the
 * corpora, programs of their own), and which of the ways to spoil them is taken.
 * Both sides are mostly spoiled alike, so that what comparing means is reached.
 */
#include "fuzz/hostile/hostile_private.h"
#include "fuzz/ints/ints.h"
#include "fuzz/names.h"
#include "fuzz/vary.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- draws --------------------------------------------------------------------------- */

int64_t hostile_number(struct gen_bytes *b)
{
    static const int64_t edges[] = {0,
                                    1,
                                    -1,
                                    2,
                                    3,
                                    7,
                                    16,
                                    255,
                                    256,
                                    1000,
                                    32767,
                                    32768,
                                    65535,
                                    65536,
                                    1000000,
                                    16777217,
                                    INT32_MAX,
                                    (int64_t)INT32_MAX + 1,
                                    INT32_MIN,
                                    (int64_t)INT32_MIN - 1,
                                    UINT32_MAX,
                                    (int64_t)UINT32_MAX + 1,
                                    INT64_C(1) << 40,
                                    INT64_C(1) << 53,
                                    INT64_C(1) << 61,
                                    INT64_C(1) << 62,
                                    INT64_MAX,
                                    INT64_MAX - 1,
                                    INT64_MIN,
                                    INT64_MIN + 1};
    return hostile_pick(b, edges);
}

size_t hostile_count(struct gen_bytes *b, size_t most)
{
    static const size_t counts[] = {2,  3,   5,   8,   16,  20,   30,   40,
                                    60, 100, 200, 400, 900, 1010, 3000, 20000};
    size_t n = counts[gen_below(b, gen_chance(b, 1, 4) ? 16 : 9)];
    return n < most ? n : most;
}

/* ---- corpora ------------------------------------------------------------------------------ */

#define MAX_LEVEL 6
#define MAX_BYTES 9000 /* larger files are slow and say no more */

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_file(struct hostile_seeds *seeds, const char *path, off_t size)
{
    struct buf *text = ARENA_NEW(seeds->arena, struct buf);
    struct buf read = {0};
    if (size > MAX_BYTES ||
        !(text_ends_in(path, ".py") || text_ends_in(path, ".json")) ||
        !file_read(path, 0, &read, NULL))
        return;
    text->data = arena_memdup(seeds->arena, buf_text(&read), read.len + 1);
    text->len = read.len;
    vec_push(&seeds->texts, text);
    buf_fini(&read);
}

static void add_folder(struct hostile_seeds *seeds, const char *path, int level)
{
    struct VEC(char *) names = {0};
    struct stat status;
    if (stat(path, &status) != 0 || level > MAX_LEVEL)
        return;
    if (!S_ISDIR(status.st_mode)) {
        add_file(seeds, path, status.st_size);
        return;
    }
    DIR *folder = opendir(path);
    struct dirent *entry;
    while (folder != NULL && (entry = readdir(folder)) != NULL)
        if (entry->d_name[0] != '.')
            vec_push(&names,
                     arena_printf(seeds->arena, "%s/%s", path, entry->d_name));
    if (folder != NULL)
        (void)closedir(folder);
    if (names.len > 0)
        qsort(names.items, names.len, sizeof *names.items, compare_names);
    for (size_t i = 0; i < names.len; i++)
        add_folder(seeds, names.items[i], level + 1);
    vec_fini(&names);
}

void hostile_seeds_init(struct hostile_seeds *seeds, const char *folder)
{
    *seeds = (struct hostile_seeds){.arena = arena_new()};
    add_folder(seeds, folder, 0);
}

void hostile_seeds_fini(struct hostile_seeds *seeds)
{
    vec_fini(&seeds->texts);
    arena_free(seeds->arena);
}

/* ---- sides in memory ----------------------------------------------------------------------- */

/* A module as text or JSON of some era; false where no writer takes it, and it
 * is printed for people. */
static bool put_module(const struct ir_module *m, struct gen_bytes *b,
                       bool json, struct buf *out)
{
    enum ir_era era = (enum ir_era)(IR_ERA_D + gen_below(b, 3));
    if (!json && ir_write_script(m, out, NULL))
        return true;
    out->len = 0;
    if (ir_write_json(m, era, out, NULL))
        return true;
    out->len = 0;
    if (ir_write_json(m, IR_ERA_F, out, NULL))
        return true;
    out->len = 0;
    ir_print_script(m, out); /* as well as it goes */
    return false;
}

/* The module spoiled by the draws that b has from here on. */
static void spoil(struct hostile_case *c, struct ir_module *m,
                  struct gen_bytes *b, size_t side)
{
    struct buf quiet = {0}, *label = side == 0 ? &c->label : &quiet;
    bool memory = gen_chance(b, 3, 4), json = gen_chance(b, 2, 3);
    bool graph = json && (!memory || gen_chance(b, 1, 4));
    struct names_wild wild = {.seed = gen_below(b, UINT64_C(1) << 32)};
    if (gen_chance(b, 1, 6))
        (void)names_set(m, names_wild, &wild);
    if (memory)
        hostile_edit_module(m, b, label);
    if (!put_module(m, b, json, &c->text[side]))
        buf_puts(label, "as well as it goes; ");
    else if (graph)
        hostile_graph_edit(&c->text[side], b, label);
    buf_fini(&quiet);
}

static void spoil_both(struct hostile_case *c, struct ir_module *tuned,
                       struct ir_module *untuned, struct gen_bytes *b)
{
    struct gen_bytes again = *b;
    bool alike = gen_chance(b, 3, 4);
    spoil(c, tuned, b, 0);
    if (alike) {
        (void)gen_chance(&again, 3, 4);
        spoil(c, untuned, &again, 1);
    } else {
        (void)put_module(untuned, b, gen_chance(b, 1, 2), &c->text[1]);
    }
}

static void from_programs(struct hostile_case *c, struct gen_bytes *b)
{
    const struct gen_options options = gen_small_options();
    struct gen_pair pair;
    gen_pair_init(&pair, NULL, 0, gen_below(b, 1000000), &options);
    buf_puts(&c->label, "program: ");
    c->symbolic = pair.symbolic;
    spoil_both(c, pair.tuned, pair.untuned, b);
    gen_pair_fini(&pair);
}

static void from_integers(struct hostile_case *c, struct gen_bytes *b)
{
    struct ints_pair pair;
    if (!ints_pair_init(&pair, NULL, 0, gen_below(b, 1000000))) {
        from_programs(c, b);
        return;
    }
    bool relax =
        pair.relax[0] != NULL && pair.relax[1] != NULL && gen_chance(b, 1, 3);
    buf_printf(&c->label, "integers%s: ", relax ? " of Relax" : "");
    c->symbolic = pair.symbolic;
    if (relax)
        spoil_both(c, pair.relax[0], pair.relax[1], b);
    else
        spoil_both(c, pair.tuned, pair.untuned, b);
    ints_pair_fini(&pair);
}

/* ---- sides from files ------------------------------------------------------------------------- */

/* Its text with tokens exchanged (fuzz/vary.h). */
static void vary_text(const struct buf *from, struct gen_bytes *b,
                      struct buf *out)
{
    struct vary *v = vary_new((const uint8_t *)buf_text(from), from->len);
    vary_random(v, 2, gen_below(b, UINT64_C(1) << 32), out);
    vary_free(v);
}

static void from_file(struct hostile_case *c, struct gen_bytes *b,
                      const struct hostile_seeds *seeds)
{
    size_t k = (size_t)gen_below(b, seeds->texts.len);
    const struct buf *text = seeds->texts.items[k];
    struct ir_module *two[2] = {NULL, NULL};
    buf_printf(&c->label, "file %zu: ", k);
    if (gen_chance(b, 1, 4)) {
        buf_puts(&c->label, "tokens; ");
        vary_text(text, b, &c->text[0]);
        buf_append(&c->text[1], text->data, text->len);
        return;
    }
    for (size_t side = 0; side < 2; side++)
        two[side] = ir_read(text->data, text->len, "file", NULL);
    if (two[0] != NULL && two[1] != NULL) {
        spoil_both(c, two[0], two[1], b);
    } else {
        buf_append(&c->text[0], text->data, text->len);
        hostile_graph_edit(&c->text[0], b, &c->label);
        buf_append(&c->text[1], text->data, text->len);
    }
    ir_module_free(two[0]);
    ir_module_free(two[1]);
}

/* ---- programs of their own ---------------------------------------------------------------------- */

typedef void (*write_text)(struct buf *out, struct gen_bytes *bytes,
                           int constant, struct buf *label);

/* Twice with the same draws: the same program, or one with another constant. */
static void from_writer(struct hostile_case *c, struct gen_bytes *b,
                        write_text writer)
{
    struct buf quiet = {0};
    int constant = (int)gen_below(b, 2);
    struct gen_bytes again = *b;
    writer(&c->text[0], b, 1, &c->label);
    writer(&c->text[1], &again, 1 + constant, &quiet);
    buf_fini(&quiet);
}

/* Nodes of it as JSON. */
static void spoil_nodes(struct hostile_case *c, struct gen_bytes *b)
{
    struct ir_module *m =
        ir_read(buf_text(&c->text[0]), c->text[0].len, "text", NULL);
    struct buf out = {0};
    if (m != NULL && put_module(m, b, true, &out)) {
        hostile_graph_edit(&out, b, &c->label);
        buf_fini(&c->text[0]);
        c->text[0] = out;
        out = (struct buf){0};
    }
    buf_fini(&out);
    ir_module_free(m);
}

void hostile_case_init(struct hostile_case *c, const uint8_t *data, size_t n,
                       uint64_t seed, const struct hostile_seeds *seeds)
{
    struct gen_bytes b;
    *c = (struct hostile_case){.symbolic = false};
    gen_bytes_init(&b, data, n, seed);
    uint64_t kind = gen_below(&b, 20);
    if (kind < 4 && seeds != NULL && seeds->texts.len > 0)
        from_file(c, &b, seeds);
    else if (kind < 8)
        from_integers(c, &b);
    else if (kind < 12)
        from_programs(c, &b);
    else if (kind < 17)
        from_writer(c, &b, hostile_script_write);
    else
        from_writer(c, &b, hostile_many_write);
    if (kind >= 12 && c->text[0].len < 100000 && gen_chance(&b, 1, 10))
        spoil_nodes(c, &b);
}

void hostile_case_fini(struct hostile_case *c)
{
    buf_fini(&c->text[0]);
    buf_fini(&c->text[1]);
    buf_fini(&c->label);
}

bool hostile_case_save(const struct hostile_case *c, const char *folder,
                       uint64_t seed)
{
    static const char *const names[] = {"tuned", "untuned"};
    bool done = true;
    for (size_t i = 0; i < 2 && done; i++) {
        struct buf path = {0};
        buf_printf(&path, "%s/%" PRIu64 "-%s", folder, seed, names[i]);
        done = file_write(buf_text(&path), buf_text(&c->text[i]),
                          c->text[i].len, NULL);
        buf_fini(&path);
    }
    return done;
}
