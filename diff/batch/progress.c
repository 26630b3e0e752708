/* SPDX-License-Identifier: Apache-2.0
 *
 * How far a run over many pairs is. Results are on standard output and do not
 * depend on this; a bar is drawn on a terminal, over and over in one line, and
 * elsewhere a line a minute is enough for a log.
 */
#include "diff/batch/batch.h"
#include "diff/harness/process.h"

#include <unistd.h>

#define BAR_WIDTH 20u
#define EACH_BAR  0.2  /* seconds */
#define EACH_LINE 60.0 /* seconds */

void batch_progress_begin(struct batch_progress *p, size_t total, bool quiet)
{
    *p = (struct batch_progress){
        .quiet = quiet, .total = total, .what = "pairs"};
    p->bar = !quiet && diag_has_escapes(STDERR_FILENO);
    p->started = p->told = diff_seconds();
}

static void put_left(struct buf *out, const struct batch_progress *p,
                     double spent)
{
    double left;
    if (p->done == 0)
        return;
    left = spent / (double)p->done * (double)(p->total - p->done);
    buf_puts(out, "  ");
    report_put_time(out, left);
    buf_puts(out, " left");
}

static void put_bar(struct buf *out, const struct batch_progress *p,
                    double spent)
{
    size_t full = p->total ? BAR_WIDTH * p->done / p->total : 0;
    buf_puts(out, "\r [");
    for (size_t i = 0; i < BAR_WIDTH; i++)
        buf_putc(out, i < full ? '=' : i == full ? '>' : ' ');
    buf_printf(out, "]  %zu/%zu", p->done, p->total);
    if (spent > 0 && p->done > 0)
        buf_printf(out, "  %.3g/s", (double)p->done / spent);
    put_left(out, p, spent);
    if (p->findings > 0)
        buf_printf(out, "  %zu finding%s", p->findings,
                   p->findings == 1 ? "" : "s");
    buf_puts(out, "\033[K");
}

void batch_progress_show(struct batch_progress *p)
{
    double now = diff_seconds();
    struct buf text = {0};
    if (p->quiet || now - p->told < (p->bar ? EACH_BAR : EACH_LINE))
        return;
    p->told = now;
    if (p->bar) {
        put_bar(&text, p, now - p->started);
        p->drawn = true;
    } else {
        buf_printf(&text, "%zu of %zu %s", p->done, p->total, p->what);
        put_left(&text, p, now - p->started);
        buf_printf(&text, ", %zu finding%s\n", p->findings,
                   p->findings == 1 ? "" : "s");
    }
    (void)fwrite(text.data, 1, text.len, stderr);
    (void)fflush(stderr);
    buf_fini(&text);
}

void batch_progress_clear(struct batch_progress *p)
{
    if (!p->drawn)
        return;
    fputs("\r\033[K", stderr);
    (void)fflush(stderr);
    p->drawn = false;
}
