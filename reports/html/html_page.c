/* SPDX-License-Identifier: Apache-2.0
 *
 * What all pages have: the head, with the policy that allows the one style sheet
 * and the one script that stand in the page and nothing else, and the end with the
 * script.
 */
#include "reports/html/html.h"

extern const char html_style[], html_style_hash[];
extern const char html_script[], html_script_hash[];

void html_begin_page(struct buf *out, const char *title)
{
    buf_puts(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
                  "<meta charset=\"utf-8\">\n");
    buf_printf(out,
               "<meta http-equiv=\"Content-Security-Policy\" content=\""
               "default-src 'none'; style-src '%s'; script-src '%s'; "
               "base-uri 'none'; form-action 'none'\">\n",
               html_style_hash, html_script_hash);
    buf_puts(out, "<meta name=\"viewport\" content=\"width=device-width, "
                  "initial-scale=1\">\n<meta name=\"color-scheme\" "
                  "content=\"light dark\">\n<meta name=\"referrer\" "
                  "content=\"no-referrer\">\n");
    buf_printf(out, "<meta name=\"generator\" content=\"diffcheck %s\">\n",
               DC_VERSION);
    buf_puts(out, "<title>");
    html_put(out, title);
    buf_printf(out, "</title>\n<style>%s</style>\n</head>\n<body>\n",
               html_style);
}

void html_end_page(struct buf *out)
{
    buf_printf(out, "<script>%s</script>\n</body>\n</html>\n", html_script);
}
