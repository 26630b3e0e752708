/* SPDX-License-Identifier: Apache-2.0
 *
 * The key of a result: SHA-256 over all that it hangs on.
 *
 * That is the bytes of both files, of the texts beside them whose lines a report
 * may name, and of those of --extern, this program (the build id that its linker
 * made of all its bytes, else these), the solver's version, the
 * memory that the system gives, and every option of the command line that may
 * change what is found (diff/input/said.c). Each part goes in with its length, so that no two lists of parts
 * are one text.
 */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include "diff/engine/places.h"
#include "diff/gate/gate.h"
#include "diff/plots/plots.h"
#include "verifier/verifier.h"

#include <elf.h>
#include <link.h>
#include <sha2.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define FORMAT  "diffcheck gate result 2"
#define PROGRAM "/proc/self/exe"

void gate_hash(const void *data, size_t len, unsigned char out[GATE_HASH])
{
    SHA2_CTX c;
    SHA256Init(&c);
    SHA256Update(&c, data, len);
    SHA256Final(out, &c);
}

static void put_part(SHA2_CTX *c, const void *data, size_t len)
{
    unsigned char size[8];
    for (size_t i = 0; i < sizeof size; i++)
        size[i] = (unsigned char)((uint64_t)len >> (8 * i));
    SHA256Update(c, size, sizeof size);
    SHA256Update(c, data, len);
}

static void put_text(SHA2_CTX *c, const char *text)
{
    put_part(c, text, strlen(text));
}

static bool put_file(SHA2_CTX *c, const char *path, size_t max)
{
    struct buf text = {0};
    bool fine = file_read(path, max, &text, NULL);
    put_part(c, buf_text(&text), text.len);
    buf_fini(&text);
    return fine;
}

/* The note of the program, the first of the objects: a hash of all its bytes. */
static int put_build_id(struct dl_phdr_info *info, size_t size, void *user)
{
    static const char owner[] = "GNU";
    (void)size;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        const char *at =
            (const char *)(uintptr_t)(info->dlpi_addr + p->p_vaddr);
        size_t left = p->p_type == PT_NOTE ? p->p_memsz : 0;
        ElfW(Nhdr) note;
        while (left >= sizeof note) {
            memcpy(&note, at, sizeof note);
            size_t name = (note.n_namesz + 3) & ~(size_t)3;
            size_t all =
                sizeof note + name + ((note.n_descsz + 3) & ~(size_t)3);
            if (all > left)
                break;
            if (note.n_type == NT_GNU_BUILD_ID &&
                note.n_namesz == sizeof owner &&
                memcmp(at + sizeof note, owner, sizeof owner) == 0) {
                put_part(user, at + sizeof note + name, note.n_descsz);
                return 1;
            }
            at += all;
            left -= all;
        }
    }
    return -1;
}

/* False: there is no note, and the bytes cannot be read either. */
static bool put_program(SHA2_CTX *c)
{
    return dl_iterate_phdr(put_build_id, c) == 1 ||
           access(PROGRAM, F_OK) != 0 || put_file(c, PROGRAM, SIZE_MAX);
}

bool gate_key_common(const struct diff_options *options,
                     unsigned char out[GATE_HASH])
{
    struct buf solver = {0};
    struct rlimit memory = {0};
    SHA2_CTX c;
    SHA256Init(&c);
    put_text(&c, FORMAT);
    put_text(&c, DC_VERSION);
    bool fine = put_program(&c);
    verifier_put_solver(&solver);
    put_text(&c, buf_text(&solver));
    put_text(&c, plots_wanted(options) ? "plots" : "");
    (void)getrlimit(RLIMIT_AS, &memory);
    put_part(&c, &memory.rlim_cur, sizeof memory.rlim_cur);
    for (size_t i = 0; i < options->nsaid; i++) {
        const struct diff_said *s = &options->said[i];
        if (!diff_option_changes_result(s->id))
            continue;
        put_text(&c, diff_option_table[s->id].name);
        put_text(&c, s->value ? s->value : "");
        if (s->id == DIFF_OPT_EXTERN)
            fine = put_file(&c, s->value, options->max_input_bytes) && fine;
    }
    SHA256Final(out, &c);
    buf_fini(&solver);
    return fine;
}

/* A text whose lines a report may name, if there is one. */
static void put_beside(SHA2_CTX *c, const char *path)
{
    struct arena *arena = arena_new();
    struct diag_sink *silent = diag_sink_new(); /* most have none */
    const char *text = diff_text_beside(arena, path);
    struct buf bytes = {0};
    bool there = text != NULL && file_read(text, 0, &bytes, silent);
    put_part(c, &there, sizeof there);
    put_part(c, buf_text(&bytes), bytes.len);
    buf_fini(&bytes);
    diag_sink_free(silent);
    arena_free(arena);
}

void gate_key(const unsigned char common[GATE_HASH],
              const struct gate_pair *pair, unsigned char out[GATE_HASH])
{
    SHA2_CTX c;
    SHA256Init(&c);
    put_part(&c, common, GATE_HASH);
    put_part(&c, pair->after->hash, GATE_HASH);
    if (pair->before != NULL) {
        put_part(&c, pair->before->hash, GATE_HASH);
        put_beside(&c, pair->after->at);
        put_beside(&c, pair->before->at);
    }
    SHA256Final(out, &c);
}

void gate_key_of_place(unsigned char key[GATE_HASH], const char *path)
{
    SHA2_CTX c;
    SHA256Init(&c);
    put_part(&c, key, GATE_HASH);
    put_text(&c, path);
    SHA256Final(key, &c);
}
