# SPDX-License-Identifier: Apache-2.0
"""Holds JSON documents of diffcheck against its schema, with python3-jsonschema.

    check_schema.py SCHEMA check FILE...     each must be valid; prints what kinds
                                             of values they have, for the caller
    check_schema.py SCHEMA refuse FILE...    each changed in every place must not be

`refuse`: of each object an unknown member is added and each member removed, and each
value gets another type. Members that may be absent are named in OPTIONAL, here, so
that the schema cannot call one optional without this list.
"""

import copy
import json
import sys

import jsonschema

ABSENT = "no such member"

# By the object that has them: a document, or the member that it is the value of.
OPTIONAL = {
    "report": "only_tuned only_untuned environment",
    "error": "tuned untuned options",
    "pairs": "tuned_function exit_because suspect steps again expired origin drift"
    " holds_for explanation certificate_sha256 known plots sources rounding",
    "witness": "message where line buffer every_input smallest differing_before terms"
    " dtype untuned tuned extent fault",
    "terms": "order",
    "origin": "element cause untuned tuned",
    "places": "file line statement variables access thread",
    "errors": "column line path file",
    "targets": "reason hypothesis part detail not_run compiler version emulator"
    " emulator_version expects may",
    "kernel": "reason hypothesis",
    "known": "reason author until also",
    "set": "gate shard",
    "rounding": "untuned tuned",
    "plots": "output dtype input element operation heat ulps bound barriers",
    "absent": "heat ulps bound growth trees",
    "reduction": "order",
    "source": "file",
}


def kind_of(path, value):
    """Where a value of OPTIONAL's stands."""
    names = [p for p in path if isinstance(p, str)]
    if not names:
        return "set" if "reports" in value else "error" if "error" in value else "report"
    if names[-1] in ("tuned", "untuned") and "targets" in names:
        return "kernel"
    if names[-1] in ("tuned", "untuned") and "plots" in names:
        return "reduction"
    if names[-1] in ("tuned", "untuned") and "sources" in names:
        return "source"
    return names[-1]


def places(value, path=()):
    """Every value in the document with its path, the document itself first."""
    yield path, value
    if isinstance(value, dict):
        for key in value:
            yield from places(value[key], path + (key,))
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from places(item, path + (i,))


def changed(document, path, new):
    """The document with one value replaced, or taken away."""
    out = copy.deepcopy(document)
    at = out
    for key in path[:-1]:
        at = at[key]
    if new is ABSENT:
        del at[path[-1]]
    else:
        at[path[-1]] = new
    return out


def changes(document):
    """(what was done, the document that must be refused)"""
    for path, value in places(document):
        name = "/" + "/".join(map(str, path))
        if isinstance(value, dict):
            yield name + ": member added", changed(
                document, path + ("no_such_member",), "x"
            )
            optional = OPTIONAL.get(kind_of(path, value), "").split()
            for key in value:
                # sizes have names of their own
                if key not in optional and not (path and path[-1] == "shapes"):
                    yield name + ": no " + key, changed(document, path + (key,), ABSENT)
        if path:
            other = True if isinstance(value, (dict, list)) else {}
            yield name + ": another type", changed(document, path, other)


def report(what, error):
    best = jsonschema.exceptions.best_match([error])
    where = "/".join(map(str, best.absolute_path))
    print("%s: /%s: %s" % (what, where, best.message[:300]))


def main(schema, action, *files):
    with open(schema, encoding="utf-8") as file:
        text = json.load(file)
    jsonschema.Draft202012Validator.check_schema(text)
    validator = jsonschema.Draft202012Validator(text)
    wrong = 0
    seen = set()
    tried = 0
    for name in files:
        with open(name, encoding="utf-8") as file:
            document = json.load(file)
        for error in validator.iter_errors(document):
            report(name, error)
            wrong += 1
        if action == "check":
            for path, value in places(document):
                if path and path[-1] in ("verdict", "outcome", "rule", "evidence"):
                    seen.add("%s=%s" % (path[-1], value))
            continue
        for what, document in changes(document):
            tried += 1
            if validator.is_valid(document):
                print("%s: is valid, too: %s" % (name, what))
                wrong += 1
    print("\n".join(sorted(seen)) if action == "check" else "%d refused" % tried)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
