#!/usr/bin/python3
"""page.py [--check]: writes docs/causes.md from truth.tsv and said.tsv, or fails when it is stale or the shares are not kept."""

import collections
import re
import sys

from causes import ROOT, judged, key, kind_of, rows

PAGE = ROOT / "docs" / "causes.md"
LEAST_RIGHT, MOST_MISLEADING = 0.80, 0.05
HEAD = """\
# What isoshard says why a program is wrong, against what is wrong

Each row is a `check` that does not hold: of the zoo, of examples/wrong, of the programs that were made to fool the verdict
([tests/causes/attacks](../tests/causes/attacks)) and of those of a new user ([tests/causes/trial](../tests/causes/trial)).
*The mistake* is written by hand, with the kinds of cause that name it and the lines that `where` may point at: the mistake
or its first effect. The rest is recorded, and judged by rule:

* **right**: the place is one of those lines, and the cause is of a kind that names the mistake;
* **silent**: no cause is told, at such a place or at none;
* **misleading**: all others. A cause at another place is, and so is another place without a cause.

The verdict never hangs on a cause. When which cause is told says [spec/diagnosis.md](spec/diagnosis.md). Plans (zoo 45 to 48)
are wrong by their order and have no cause of this kind. This page is made by [tests/causes/page.py](../tests/causes/page.py);
`tests/causes/causes_test.py` runs the programs.
"""


def short(headline):
    """Without the verdict, which all rows share."""
    return re.sub(r"^(DOES NOT HOLD: .*?erased program: )?NOT EQUAL:? ?", "", headline) or "(nothing)"


def cell(text):
    return re.sub(r"([|*_`])", r"\\\1", text)


def table(judgements):
    lines = ["| program | check | the mistake | lines | where | what is said | kind | judged |", "|---|---|---|---|---|---|---|---|"]
    for truth, said, judgement in judgements:
        program = f"[{truth['program']}](../{truth['program']})" + (f" `{truth['options']}`" if truth["options"] else "")
        cells = [program, truth["check"], cell(truth["mistake"]), truth["lines"].replace(",", ", "), said["where"], cell(short(said["headline"])),
                 kind_of(said["headline"]), judgement]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def shares(judgements):
    counts = collections.Counter(judgement for _, _, judgement in judgements)
    total = len(judgements)
    text = ", ".join(f"{counts[j]} {j} ({100 * counts[j] / total:.0f} %)" for j in ("right", "silent", "misleading"))
    return counts["right"] / total, counts["misleading"] / total, f"**{total} checks: {text}.**\n"


def main(arguments):
    said = {key(row): row for row in rows("said.tsv")}
    judgements = [(truth, said[key(truth)], judged(truth, said[key(truth)])) for truth in rows("truth.tsv")]
    right, misleading, text = shares(judgements)
    page = "\n".join([HEAD, text, table(judgements), ""])
    if arguments != ["--check"]:
        PAGE.write_text(page, encoding="utf-8")
    elif PAGE.read_text(encoding="utf-8") != page:
        print("docs/causes.md is stale; run docs/generate and commit it", file=sys.stderr)
        return 1
    if right < LEAST_RIGHT or misleading > MOST_MISLEADING:
        print(f"docs/causes.md: {text.strip()} wanted: {LEAST_RIGHT:.0%} right, at most {MOST_MISLEADING:.0%} misleading", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
