#!/usr/bin/python3
"""page.py [--check]: writes docs/zoo.md from the entries of the zoo, or fails when it is stale."""

import re
import sys
import textwrap

from entries import ZOO, entries

PAGE = ZOO.parents[1] / "docs" / "zoo.md"
HEAD = """\
# The zoo: documented bugs, and what isoshard says of them

Each entry is a bug that people shipped, written as a small program (`wrong.shard`) with its mended twin (`right.shard`), under
[tests/zoo](../tests/zoo). `isoshard check` rejects every wrong program, with the report below, and accepts every right one;
the test suite runs all of them. The programs have the mechanism of the bug, not the code of the project that had it.

Every wrong program is right at some sizes: one device, one micro-batch, equal counts, one step. There `isoshard check` says
EQUAL, because there is nothing wrong there, and a test at such sizes finds nothing. Each entry lists them: **test at sizes
that are all different, do not divide, and are at least 2, with at least 3 micro-batches and 2 steps.**

Bugs of order (45 to 48) are Plans, `wrong.plan` and `right.plan`: what every rank does in which order, which programs leave to
isoshard. Their values say nothing, and sizes hide nothing.

The programs of [tests/zoo/controls](../tests/zoo/controls) look wrong and are right; `isoshard check` accepts them.

*JAX check_vma*: what the types of `jax.shard_map` say of the same bug, where it was tried. *seconds*: the whole run of
`isoshard check wrong.shard` on the machine that wrote the entry, start of the process included.

This page is made by [tests/zoo/page.py](../tests/zoo/page.py).
"""
COLUMNS = ("", "bug", "source", "why it hides", "what isoshard says", "JAX check_vma", "seconds")


def linked(source):
    """`owner/repository #1234` and `owner/repository@0123abc` become links to GitHub."""
    source = re.sub(r"\b([\w.-]+/[\w.-]+) #(\d+)", r"[\1 #\2](https://github.com/\1/issues/\2)", source)
    return re.sub(r"\b([\w.-]+/[\w.-]+)@([0-9a-f]{7,40})\b", r"[\1@\2](https://github.com/\1/commit/\2)", source)


def wrapped(paragraph):
    return textwrap.fill(paragraph, 120, break_on_hyphens=False, break_long_words=False)


def lines_of(report, name):
    return re.findall(rf"^  {name:<10} (.*)$", report, re.MULTILINE)


def says(entry):
    """The verdict, its rung, and the ratio or the first value that differs."""
    report = entry.reports[entry.judged_by_values()]
    rung = re.search(r"differ on (rungs? [A-D](?: and [A-D])*)", report)
    lines = entry.reports[entry.wrong()[0]].rstrip("\n").split("\n")
    parts = [(error_of(lines[0]) if entry.exit_code() == 2 else lines[-1]) + (f" ({rung[1]})" if rung else "")]
    parts += lines_of(report, "ratio")[:1] or first_value(report)
    return "; ".join(parts)


def error_of(line):
    """`error: ...` without the place."""
    return re.sub(r"^.*?(?=error: )", "", line)


def first_value(report):
    """The output that differs in the earliest step, where, and by what."""
    outputs = re.findall(r"^  (?:outputs|          )  *(@.*?) \S+\[.*?\]  *NOT EQUAL  (at .*?) \(", report, re.MULTILINE)

    def step(output):
        number = re.search(r" step (\d+)$", output[0])
        return int(number[1]) if number else 0

    return [" ".join(min(outputs, key=step))] if outputs else []


def row(cells):
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def table(all_entries):
    rows = [row(COLUMNS), "|" + "---|" * len(COLUMNS)]
    for entry in all_entries:
        link = f"[{entry.bug}](#{anchor(entry)})"
        rows.append(row([entry.number, link, linked(entry.source), entry.hides, says(entry), entry.jax, entry.seconds]))
    return "\n".join(rows)


def title(entry):
    return f"{entry.number}. {entry.bug}"


def anchor(entry):
    return re.sub(r"[^\w -]", "", title(entry).lower()).replace(" ", "-")


def section(entry):
    files = [*entry.wrong(), entry.right()]
    links = ", ".join(f"[{file}](../tests/zoo/{entry.name}/{file})" for file in files)
    parts = [f"## {title(entry)}", wrapped(entry.mechanism()), f"Programs: {links}. Source: {linked(entry.source)}."]
    if entry.runs["hidden"]:
        parts.append("It does not show with\n\n" + "\n".join(f"* `{run}`: {run.why}" for run in entry.runs["hidden"]))
    if entry.runs["also"]:
        parts.append("It shows as well with " + ", ".join(f"`{run}`" for run in entry.runs["also"]) + ".")
    for file, report in entry.reports.items():
        parts.append(f"`isoshard check {file}`:\n\n```\n{report}```")
    return "\n\n".join([*parts, wrapped(f"**What to do:** {entry.do}.")])


def page():
    all_entries = entries()
    return "\n".join([HEAD, table(all_entries), "", "\n\n".join(map(section, all_entries)), ""])


def main(arguments):
    if arguments != ["--check"]:
        PAGE.write_text(page())
    elif PAGE.read_text() != page():
        print("docs/zoo.md is stale; run docs/generate and commit it", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
