#!/usr/bin/python3
"""Writes docs/standard.md, the table of the funcs of std/nn.shard, from that file; with --check fails when it is stale."""

import pathlib
import re
import sys

DOCS = pathlib.Path(__file__).resolve().parent
SOURCE = DOCS.parent / "core" / "text" / "standard" / "nn.shard"
PAGE = DOCS / "standard.md"

HEAD = """\
# The funcs of std/nn.shard

`import "std/nn.shard"` behind the line `isoshard 1` brings in these funcs. They are written in the language
([the file](../core/text/standard/nn.shard)), take values of any shape where nothing else is said, and are called by their names, in
expressions too: `silu(matmul(%x, %w))`. A parameter with a number may be left out. They know nothing of devices: what they compute is
local, so a mean or a softmax over a dimension that is split over devices is another program
([language](language.md#imports)). docs/generate makes this page.

| call | what |
|---|---|"""

FUNC = re.compile(r"^func @(\w+)\((.*)\) \{$")


def comment_of(lines, at):
    """The lines of the comment right above line `at`, as one text."""
    first = at
    while lines[first - 1].startswith("//"):
        first -= 1
    return " ".join(line[2:].strip() for line in lines[first:at])


def result_of(lines, at):
    """What the func that begins in line `at` returns."""
    body = lines[at + 1:lines.index("}", at)]
    return body[-1].strip().removeprefix("return ")


def rows(text):
    lines = text.split("\n")
    result = []
    for at, line in enumerate(lines):
        func = FUNC.match(line)
        if func:
            what = comment_of(lines, at) or f"`{result_of(lines, at)}`"
            result.append(f"| `{func.group(1)}({func.group(2)})` | {what} |")
    return result


def page():
    found = rows(SOURCE.read_text())
    if len(found) != SOURCE.read_text().count("\nfunc @"):
        raise ValueError(f"{SOURCE}: a func that this page does not read")
    return "\n".join([HEAD, *found, ""])


def main(arguments):
    if arguments != ["--check"]:
        PAGE.write_text(page())
    elif PAGE.read_text() != page():
        print("docs/standard.md is stale; run docs/generate and commit it", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
