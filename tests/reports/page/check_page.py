# SPDX-License-Identifier: Apache-2.0
"""check_page.py PAGE: whether a page of `--format html` is sound: nested as
written, names unique, what is referred to there, drawings with title and words,
nothing from elsewhere, script and style those that the policy names. Prints what is
on it, a fact a line, for shell tests; exits 1 with what is wrong."""

import base64
import hashlib
import html.parser
import re
import sys

VOID = {"meta", "br", "input", "link", "img", "hr"}
SHAPES = {"path", "rect"} # of SVG, which close themselves
REFERS = ("for", "aria-labelledby", "aria-describedby", "data-copy")
NUMBER = re.compile(r"-?\d+(\.\d)?")


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.wrong = []
        self.stack = []
        self.ids = {}
        self.refers = []
        self.policy = ""
        self.texts = {}       # of the elements that are kept, by tag, in order
        self.drawings = []    # [attributes, title, desc, caption]
        self.rows = []
        self.heading = 0
        self.counts = {}
        self.classes = {}

    def fault(self, text):
        self.wrong.append("line %d: %s" % (self.getpos()[0], text))

    def handle_startendtag(self, tag, attrs):
        if tag not in SHAPES:
            self.fault("<%s/> closes itself" % tag)
        self.handle_starttag(tag, attrs)
        self.stack.pop()

    def handle_starttag(self, tag, attrs):
        names = [name for name, _ in attrs]
        if len(set(names)) != len(names):
            self.fault("<%s> has an attribute twice" % tag)
        a = dict(attrs)
        self.counts[tag] = self.counts.get(tag, 0) + 1
        for name in (a.get("class") or "").split():
            self.classes[name] = self.classes.get(name, 0) + 1
        self.look(tag, a)
        if tag not in VOID:
            self.stack.append((tag, a))
        if tag in ("style", "script", "title", "desc", "figcaption", "pre",
                   "code", "caption", "summary", "h1"):
            self.texts.setdefault(tag, []).append("")
        if tag == "svg" and a.get("aria-hidden") != "true":
            self.drawings.append([a, "", "", ""])
            if a.get("role") != "img":
                self.fault("a drawing is no role=img")
        if tag == "tr" and "data-v" in a:
            self.rows.append(a)
        if re.fullmatch(r"h\d", tag):
            level = int(tag[1])
            if level > self.heading + 1:
                self.fault("<%s> after <h%d>" % (tag, self.heading))
            self.heading = level

    def look(self, tag, a):
        name = a.get("id")
        if name is not None:
            if name in self.ids:
                self.fault("id '%s' is there twice" % name)
            self.ids[name] = tag
        for key in a:
            if key.startswith("on") or key == "style":
                self.fault("<%s> has the attribute '%s'" % (tag, key))
            if key in ("src", "action", "srcset", "formaction", "xlink:href"):
                self.fault("<%s> has the attribute '%s'" % (tag, key))
            if key in REFERS:
                for each in (a[key] or "").split():
                    self.refers.append((self.getpos()[0], key, each))
        if "href" in a:
            if not a["href"].startswith("#"):
                self.fault("a link leads to '%s'" % a["href"])
            self.refers.append((self.getpos()[0], "href", a["href"][1:]))
        if tag == "meta" and a.get("http-equiv"):
            self.policy = a["content"]
        if tag == "th" and "scope" not in a:
            self.fault("<th> without scope")
        if tag in ("a", "button", "summary") and a.get("tabindex") == "-1":
            self.fault("<%s> is not reached by the keyboard" % tag)
        if tag in ("iframe", "object", "embed", "link", "base", "form", "img"):
            self.fault("<%s> has no place here" % tag)
        self.look_at_numbers(tag, a)

    def look_at_numbers(self, tag, a):
        for key in ("x", "y", "width", "height"):
            if key in a and not NUMBER.fullmatch(a[key]):
                self.fault("%s of <%s> is '%s'" % (key, tag, a[key]))
        if tag == "path" and not re.fullmatch(
                r"[MLHVhvlmCzZ](?:[MLHVhvlmCzZ ]|-?\d+(?:\.\d)?)*", a["d"]):
            self.fault("a path is '%s'" % a["d"][:60])

    def handle_endtag(self, tag):
        if not self.stack or self.stack[-1][0] != tag:
            self.fault("</%s> closes %s" % (tag, self.stack[-1][0]
                                            if self.stack else "nothing"))
            return
        self.stack.pop()

    def handle_data(self, data):
        inside = [tag for tag, _ in self.stack]
        if not inside:
            if data.strip():
                self.fault("text outside of all: '%s'" % data.strip()[:40])
            return
        for tag in set(inside):
            if tag in self.texts:
                self.texts[tag][-1] += data
        if self.drawings:
            where = {"title": 1, "desc": 2, "figcaption": 3}.get(inside[-1])
            if "figcaption" in inside:
                where = 3
            if where and ("svg" in inside or where == 3):
                self.drawings[-1][where] += data

    def close(self):
        super().close()
        for tag, _ in self.stack:
            self.wrong.append("<%s> is never closed" % tag)
        for line, key, name in self.refers:
            if name not in self.ids:
                self.wrong.append("line %d: %s '%s' is not there"
                                  % (line, key, name))
        for a, title, desc, caption in self.drawings:
            if not title.strip() or not desc.strip():
                self.wrong.append("a drawing without title or words")
            elif title not in caption or desc not in caption:
                self.wrong.append("'%s' does not say below what it says to "
                                  "screen readers" % title)
        self.look_at_policy()

    def look_at_policy(self):
        for tag in ("style", "script"):
            texts = self.texts.get(tag, [])
            if len(texts) != 1:
                self.wrong.append("%d <%s>" % (len(texts), tag))
                continue
            digest = hashlib.sha256(texts[0].encode()).digest()
            own = "%s-src 'sha256-%s'" % (tag, base64.b64encode(digest).decode())
            if own not in self.policy:
                self.wrong.append("the policy is not of this <%s>: %s"
                                  % (tag, self.policy))
        if not self.policy.startswith("default-src 'none';") or \
                "unsafe" in self.policy:
            self.wrong.append("the policy allows more: " + self.policy)
        style = self.texts["style"][0]
        if "url(" in style or "@import" in style:
            self.wrong.append("the style sheet loads something")


def main():
    with open(sys.argv[1], encoding="utf-8", newline="") as f:
        text = f.read()
    page = Page()
    page.feed(text)
    page.close()
    if not text.startswith("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
                           "<meta charset=\"utf-8\">\n"):
        page.wrong.append("it does not begin as a page does")
    for wrong in page.wrong[:20]:
        print("wrong: " + wrong)
    print("title:", page.texts["title"][0])
    print("rows:", len(page.rows))
    print("verdicts:", " ".join(row["data-v"] for row in page.rows[:20]))
    print("sections:", page.classes.get("pair", 0))
    print("drawings:", " ".join(
        a["aria-describedby"].split("-")[1] for a, *_ in page.drawings))
    for _, _, desc, _ in page.drawings:
        print("words:", " ".join(desc.split()))
    for name in ("guilty", "moved", "own", "same"):
        print("%s: %d" % (name, page.classes.get(name, 0)))
    for name in ("pre", "code"):
        for each in page.texts.get(name, []):
            print("%s: %s" % (name, each.replace("\n", "\n     ")))
    sys.exit(1 if page.wrong else 0)


main()
