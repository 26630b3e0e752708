/* SPDX-License-Identifier: Apache-2.0
 *
 * The key of a result: SHA-256 over all that it hangs on.
 *
 * That is the bytes of both files, of the texts beside them whose lines a report
 * may name, and of those of --extern, this program (the build id that its linker
 * made of all its bytes, else these), the solver's version, the
 * memory that the system gives, and every option of the command line that may
 * change what is found, in the order of the table (diff/input/said.c).
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

#define FORMAT  "diffcheck gate result 3"
#define PROGRAM "/proc/self/exe"

void gate_hash(const void *data, size_t len, unsigned char out[GATE_HASH])
{
    SHA2_CTX c;
    SHA256Init(&c);
    SHA256Update(&c, data, len);
    SHA256Final(out, &c);
}

void gate_put_part(struct buf *out, const void *data, size_t len)
{
    buf_printf(out, "%zu:", len);
    buf_append(out, data, len);
}

static void put_text(struct buf *out, const char *text)
{
    gate_put_part(out, text, strlen(text));
}

static bool put_file(struct buf *out, const char *path, size_t max)
{
    struct buf text = {0};
    bool fine = file_read(path, max, &text, NULL);
    gate_put_part(out, buf_text(&text), text.len);
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
                gate_put_part(user, at + sizeof note + name, note.n_descsz);
                return 1;
            }
            at += all;
            left -= all;
        }
    }
    return -1;
}

/* False: there is no note, and the bytes cannot be read either. */
static bool put_program(struct buf *out)
{
    return dl_iterate_phdr(put_build_id, out) == 1 ||
           access(PROGRAM, F_OK) != 0 || put_file(out, PROGRAM, SIZE_MAX);
}

/* The hash of the parts, which are released. */
static void close_parts(struct buf *parts, unsigned char out[GATE_HASH])
{
    gate_hash(buf_text(parts), parts->len, out);
    buf_fini(parts);
}

bool gate_key_common(const struct diff_options *options,
                     unsigned char out[GATE_HASH])
{
    struct buf parts = {0}, solver = {0};
    struct rlimit memory = {0};
    put_text(&parts, FORMAT);
    put_text(&parts, DC_VERSION);
    bool fine = put_program(&parts);
    verifier_put_solver(&solver);
    put_text(&parts, buf_text(&solver));
    put_text(&parts, plots_wanted(options) ? "plots" : "");
    (void)getrlimit(RLIMIT_AS, &memory);
    gate_put_part(&parts, &memory.rlim_cur, sizeof memory.rlim_cur);
    for (size_t i = 0; i < options->nsaid; i++) {
        const struct diff_said *s = &options->said[i];
        if (!diff_option_changes_result(s->id))
            continue;
        put_text(&parts, diff_option_table[s->id].name);
        put_text(&parts, s->value ? s->value : "");
        if (s->id == DIFF_OPT_EXTERN)
            fine = put_file(&parts, s->value, options->max_input_bytes) && fine;
    }
    close_parts(&parts, out);
    buf_fini(&solver);
    return fine;
}

void gate_put_beside(struct buf *out, const char *path)
{
    struct arena *arena = arena_new();
    struct diag_sink *silent = diag_sink_new(); /* most have none */
    const char *text = diff_text_beside(arena, path);
    struct buf bytes = {0};
    bool there = text != NULL && file_read(text, 0, &bytes, silent);
    put_text(out, there ? "beside" : "");
    gate_put_part(out, buf_text(&bytes), bytes.len);
    buf_fini(&bytes);
    diag_sink_free(silent);
    arena_free(arena);
}

void gate_key(const unsigned char common[GATE_HASH],
              const struct gate_pair *pair, unsigned char out[GATE_HASH])
{
    struct buf parts = {0};
    gate_put_part(&parts, common, GATE_HASH);
    gate_put_part(&parts, pair->after->hash, GATE_HASH);
    if (pair->before != NULL) {
        gate_put_part(&parts, pair->before->hash, GATE_HASH);
        gate_put_beside(&parts, pair->after->at);
        gate_put_beside(&parts, pair->before->at);
    }
    close_parts(&parts, out);
}

void gate_key_of_place(unsigned char key[GATE_HASH], const char *path)
{
    struct buf parts = {0};
    gate_put_part(&parts, key, GATE_HASH);
    put_text(&parts, path);
    close_parts(&parts, key);
}
