/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes → a hostile case (fuzz/hostile), or the module itself where the bytes
 * are text. What must hold: every command ends with one of its statuses, says
 * why where that is 2, and gives back all memory; on the files as they are, both
 * ways round, with small budgets.
 *
 * Bytes that begin with NUL are the generator's choices; anything else is the
 * tuned module, and what follows a NUL byte the untuned one (else the same).
 */
#include "fuzz/fuzz.h"
#include "fuzz/hostile/hostile.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void make(struct hostile_case *c, const uint8_t *data, size_t size)
{
    if (size > 0 && data[0] == 0) {
        hostile_case_init(c, data + 1, size - 1, 1, NULL);
        return;
    }
    const uint8_t *end = size > 0 ? memchr(data, 0, size) : NULL;
    size_t first = end != NULL ? (size_t)(end - data) : size;
    *c = (struct hostile_case){.symbolic = false};
    buf_append(&c->text[0], size > 0 ? (const char *)data : "", first);
    if (end != NULL)
        buf_append(&c->text[1], end + 1, size - first - 1);
    else
        buf_append(&c->text[1], size > 0 ? (const char *)data : "", first);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *place = getenv("TMPDIR");
    struct buf folder = {0}, why = {0};
    struct hostile_case c;
    int status;
    buf_printf(&folder, "%s/diffcheck-fuzz-%ld", place ? place : "/tmp",
               (long)getpid());
    (void)mkdir(buf_text(&folder), 0700);
    struct hostile_room room = {.folder = buf_text(&folder)};
    make(&c, data, size);
    if (!hostile_room_fill(&room, &c))
        DC_BUG("cannot write below '%s'", buf_text(&folder));
    for (size_t line = 0; line < hostile_nlines(); line++)
        if (strstr(hostile_line(line), "--targets gcc") == NULL &&
            !hostile_room_run(&room, &c, line, &status, &why))
            DC_BUG("%s: %s", hostile_line(line), buf_text(&why));
    hostile_room_clear(&room);
    hostile_case_fini(&c);
    buf_fini(&folder);
    buf_fini(&why);
    return 0;
}
