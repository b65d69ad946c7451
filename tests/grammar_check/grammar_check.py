#!/usr/bin/python3
"""The TextMate grammar docs/isoshard.tmLanguage.json is made from the sources: ops, dtypes, functions and words.

    grammar_check.py ROOT            exit code 1 when the file is not what the sources say
    grammar_check.py ROOT --write    writes it
"""

import json
import pathlib
import re
import sys

DOCUMENT = "docs/isoshard.tmLanguage.json"
EXPANDED_OPS = {"einsum", "grad", "sum"}  # written like an op, elaborated to others
NO_KEYWORDS = {"I", "x", "size", "isoshard"}  # a state, `[1]x[0]`, a function, the version line


def read(root, pattern):
    paths = sorted(root.glob(pattern))
    if not paths:
        sys.exit(f"{pattern}: there is no such source")
    return "\n".join(path.read_text(encoding="utf-8") for path in paths)


def find(pattern, text, what):
    """The distinct words that `pattern` finds, sorted; none is an error: the sources have changed."""
    words = sorted(set(re.findall(pattern, text)))
    if not words:
        sys.exit(f"the sources declare no {what}; adapt grammar_check.py")
    return words


def table(text, name):
    """The initializer of the array `name`."""
    match = re.search(name + r"\[\] = \{(.*?)\};", text, re.DOTALL)
    if not match:
        sys.exit(f"the sources have no table {name}; adapt grammar_check.py")
    return match.group(1)


def declared(root):
    """The words of the language by kind, as the sources declare them."""
    parser = read(root, "core/text/syntax/*.cc")
    items = find(r'"(\w+)"', table(parser, "kItemWords"), "items")
    words = find(r'(?:is|accept)_word\((?:reader, )?"(\w+)"\)', parser, "keywords")
    functions = find(r'"(\w+)"', table(parser, "kFunctions"), "functions")
    return {
        "op": sorted(set(find(r'kName = "(\w+)"', read(root, "core/ir/ops/*.h"), "ops")) | EXPANDED_OPS),
        "dtype": find(r'"(\w+)", \d', table(read(root, "core/value/dtype.h"), "kDTypes"), "dtypes"),
        "function": sorted({*functions, "rank", "shape", "size"}),
        "item": items,
        "keyword": [word for word in words if word not in {*items, *NO_KEYWORDS}],
    }


def any_of(words):
    return "(?:" + "|".join(words) + ")"


def grammar(words):
    """The grammar as a dictionary, in the order in which it is written."""
    names = r"[A-Za-z0-9_]+(?:\.[A-Za-z0-9_]+)*"
    rules = {
        "comment": ("comment.line.double-slash", r"//.*$"),
        "version": ("keyword.control.version", r"^isoshard\s+\d+"),
        "op": ("support.function.op", rf"(?<==\s){any_of(words['op'])}\b"),
        "function": ("support.function.integer", rf"\b{any_of(words['function'])}(?=\()"),
        "dtype": ("storage.type", rf"\b{any_of(words['dtype'])}(?=\[)"),
        "item": ("keyword.declaration", rf"^\s*{any_of(words['item'])}\b(?:\s+program\b)?"),
        "keyword": ("keyword.control", rf"(?<![=%@.])\b{any_of(words['keyword'])}\b(?!=)"),
        "value": ("variable.other.value", rf"%{names}"),
        "global": ("entity.name.global", rf"@[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*"),
        "number": ("constant.numeric", r"\b\d+(?:\.\d+)?(?:[eE][-+]?\d+)?\b"),
        "state": ("constant.language.state", r"(?<![\w.%@])[RIVP](?=\s*[:{])|(?<=to=)[RIVP]\b"),
        "field": ("variable.parameter.field", r"\b[a-z_]+(?==(?!=))"),
    }
    return {
        "$schema": "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json",
        "name": "isoshard",
        "scopeName": "source.shard",
        "fileTypes": ["shard"],
        "patterns": [{"include": f"#{rule}"} for rule in rules],
        "repository": {rule: {"name": f"{scope}.shard", "match": match} for rule, (scope, match) in rules.items()},
    }


def text(root):
    return json.dumps(grammar(declared(root)), indent=2) + "\n"


def uncoloured_ops(root, made):
    """Ops of the examples that the grammar does not recognise."""
    op = re.compile(made["repository"]["op"]["match"])
    lines = read(root, "examples/**/*.shard").splitlines()
    written = [line for line in lines if re.match(r"\s*%[^/]* = [a-z]\w*(?![\w(])", line)]
    return [line for line in written if not op.search(line)]


def main():
    root = pathlib.Path(sys.argv[1])
    wanted = text(root)
    if "--write" in sys.argv[2:]:
        (root / DOCUMENT).write_text(wanted, encoding="utf-8")
    try:
        present = (root / DOCUMENT).read_text(encoding="utf-8")
    except FileNotFoundError:
        present = ""
    complaints = [f"the grammar does not see the op: {line}" for line in uncoloured_ops(root, json.loads(wanted))]
    if present != wanted:
        complaints.append(f"{DOCUMENT} is not what the sources declare; run tests/grammar_check/grammar_check.py . --write")
    print("\n".join(complaints) if complaints else "ok")
    sys.exit(1 if complaints else 0)


if __name__ == "__main__":
    main()
