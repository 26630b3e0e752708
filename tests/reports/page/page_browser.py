# SPDX-License-Identifier: Apache-2.0
"""page_browser.py FOLDER: the pages that page.sh made, in Chromium: nothing on the
console, nothing asked for, no page wider than its window, light and dark, all
reached by the keyboard, readable without scripts, filter, sort, fold and copy, ten
thousand rows, A4, and no script but the page's own."""

import re
import sys

from browser import Browser, find_chromium

PAGES = ("wrong", "race", "sums", "functions", "error", "many")
folder = sys.argv[1]
bad = 0


def want(condition, text):
    global bad
    if not condition:
        print("FAILED: " + text)
        bad = 1


def same(have, wanted, text):
    want(have == wanted, "%s: %r, not %r" % (text, have, wanted))


CONTRAST = """
(function () {
    function light(name) {
        var e = document.createElement('i');
        e.className = 'probe';
        document.body.append(e);
        var value = getComputedStyle(document.documentElement)
            .getPropertyValue(name).trim();
        e.remove();
        if (value.length === 4)
            value = '#' + value.slice(1).replace(/./g, '$&$&');
        return [1, 3, 5].map(function (at) {
            var c = parseInt(value.slice(at, at + 2), 16) / 255;
            return c <= 0.04045 ? c / 12.92 : Math.pow((c + 0.055) / 1.055, 2.4);
        }).reduce(function (sum, c, i) {
            return sum + c * [0.2126, 0.7152, 0.0722][i];
        }, 0);
    }
    function ratio(a, b) {
        var x = light(a), y = light(b);
        return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
    }
    var out = {};
    ['ink', 'soft', 'link', 'bad', 'open', 'good', 'known'].forEach(
        function (name) {
            ['paper', 'panel'].forEach(function (on) {
                out[name + ' on ' + on] = ratio('--' + name, '--' + on);
            });
        });
    out['ink on guilty'] = ratio('--ink', '--guilty');
    out['ink on moved'] = ratio('--ink', '--moved');
    out['ink on own'] = ratio('--ink', '--own');
    return out;
})()
"""


def look(browser, name):
    path = "%s/%s.html" % (folder, name)
    papers = set()
    for width, dark, mobile in ((1280, False, False), (1280, True, False),
                                (390, False, True)):
        page = browser.open(path, width=width, dark=dark, mobile=mobile)
        where = "%s, %d wide%s" % (name, width, ", dark" if dark else "")
        same(page.messages, [], where + ": messages")
        wide = page.evaluate("document.documentElement.scrollWidth")
        want(wide <= width, "%s: the page is %d wide" % (where, wide))
        papers.add(page.evaluate(
            "getComputedStyle(document.body).backgroundColor"))
        if name == "wrong" and not mobile:
            for what, ratio in page.evaluate(CONTRAST).items():
                want(ratio >= 4.5, "%s: contrast of %s is %.2f"
                     % (where, what, ratio))
        page.close()
    same(len(papers), 2, name + ": papers, light and dark")


def reached_by_keyboard(browser):
    page = browser.open(folder + "/wrong.html")
    page.evaluate("""
        document.querySelectorAll('details').forEach(d => d.open = true);
        window.all = [...document.querySelectorAll(
            'a[href], button, input, select, summary, [tabindex="0"]')]
            .filter(e => e.checkVisibility());
        window.seen = new Set();
        document.addEventListener('focusin', e => seen.add(e.target));0""")
    for _ in range(page.evaluate("all.length") + 3):
        page.key("Tab")
    same(page.evaluate("all.filter(e => !seen.has(e)).map(e => e.outerHTML"
                       ".slice(0, 80))"), [], "not reached by the keyboard")
    same(page.evaluate("new Set(all.map(e => e.tagName)).size >= 4"), True,
         "links, buttons, summaries, boxes that scroll")
    page.close()


def folds_and_copies(browser):
    page = browser.open(folder + "/wrong.html")
    page.evaluate("document.getElementById('s1').open = false")
    page.evaluate("document.querySelector('#rows a').click()")
    page.evaluate("new Promise(r => setTimeout(r, 200))")
    same(page.evaluate("document.getElementById('s1').open"), True,
         "a link unfolds its section")
    same(page.evaluate("document.querySelector('button.copy').hidden"), False,
         "the button is there")
    page.evaluate("document.querySelector('button.copy').click()")
    page.evaluate("new Promise(r => setTimeout(r, 300))")
    label = page.evaluate("document.querySelector('button.copy').textContent")
    want(label in ("Copied", "Selected: press Ctrl-C"),
         "the button says %r" % label)
    page.close()


def without_scripts(browser):
    page = browser.open("%s/many.html" % folder, scripts=False)
    same(page.evaluate("document.getElementById('controls').hidden"), True,
         "no controls without scripts")
    same(page.evaluate("document.getElementById('rows').rows.length"), 500,
         "rows without scripts")
    page.evaluate("document.querySelector('#more > summary').click()")
    want(page.evaluate("document.getElementById('more').open"),
         "the others unfold without scripts")
    page.close()


FILTER = """
(function () {
    var started = performance.now();
    %s
    void document.body.offsetHeight;
    return performance.now() - started;
})()
"""
SET = """
    (function (id, value) {
        var e = document.getElementById(id);
        e.value = value;
        e.dispatchEvent(new Event('input', {bubbles: true}));
    })(%r, %r);
"""


def ten_thousand(browser):
    page = browser.open("%s/many.html" % folder)
    times = []

    def choose(name, value):
        times.append(page.evaluate(FILTER % (SET % (name, value))))

    def rows(part):
        return page.evaluate("[...document.getElementById(%r).rows].map("
                             "r => r.cells[0].textContent)" % part)

    print("10 000 findings: loaded in %.1f s" % page.seconds)
    same(page.evaluate("document.getElementById('shown').textContent"),
         "10000 pairs", "count")
    first = rows("rows")
    same((len(first), first[0], first[1]),
         (500, "kernel_00000", "kernel_00010"), "worst first")
    same(len(rows("more-rows")), 9500, "rows that unfold")
    choose("f-text", "kernel_09999")
    same(rows("rows"), ["kernel_09999"], "filter")
    same(page.evaluate("document.getElementById('more').hidden"), True,
         "nothing more")
    same(page.evaluate("document.querySelectorAll("
                       "'.pair:not([hidden])').length <= 1"), True,
         "sections of others are hidden")
    choose("f-text", "")
    choose("f-verdict", "unsafe")
    same((len(rows("rows")), len(rows("more-rows"))), (500, 500), "verdict")
    choose("f-verdict", "")
    choose("f-sort", "name")
    same(rows("rows")[:3], ["kernel_0000%d" % i for i in range(3)], "by name")
    choose("f-sort", "time")
    seconds = page.evaluate("[...document.getElementById('rows').rows].map("
                            "r => Number(r.dataset.ms))")
    same(seconds, sorted(seconds, reverse=True), "slowest first")
    same(seconds[0], 10006, "the slowest")
    choose("f-text", "UNSAFE kernel_0123")
    same(rows("rows"), ["kernel_01230"], "two words")
    print("10 000 findings: filtered and sorted in at most %.0f ms"
          % max(times))
    want(max(times) < 5000, "too slow")
    same(page.messages, [], "messages")
    page.close()


def on_paper(browser):
    page = browser.open(folder + "/wrong.html")
    path = folder + "/wrong.pdf"
    page.paper(path)
    with open(path, "rb") as f:
        data = f.read()
    boxes = re.findall(rb"/MediaBox\s*\[\s*0\s+0\s+([0-9.]+)\s+([0-9.]+)", data)
    want(len(boxes) > 0, "the print has pages")
    for width, height in boxes: # A4 in points
        want(abs(float(width) - 595.3) < 1.5 and
             abs(float(height) - 841.9) < 1.5, "a page of %s by %s"
             % (width, height))
    page.close()


def no_other_script(browser):
    page = browser.open(folder + "/wrong.html")
    page.evaluate("""
        var s = document.createElement('script');
        s.textContent = 'window.intruder = 1';
        document.body.append(s);
        var i = new Image();
        i.src = 'data:image/gif;base64,R0lGODlhAQABAAAAACw=';
        document.body.append(i);0""")
    page.evaluate("new Promise(r => setTimeout(r, 200))")
    same(page.evaluate("typeof window.intruder"), "undefined",
         "a script that is not the page's")
    want(any("Content Security Policy" in m for m in page.messages),
         "the policy is not told of")
    page.close()


def main():
    with Browser(find_chromium()) as browser:
        for name in PAGES:
            look(browser, name)
        reached_by_keyboard(browser)
        folds_and_copies(browser)
        without_scripts(browser)
        ten_thousand(browser)
        on_paper(browser)
        no_other_script(browser)
    if not bad:
        print("ok")
    sys.exit(bad)


main()
