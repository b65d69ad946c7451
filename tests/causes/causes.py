"""What isoshard says why wrong programs are wrong, against what is wrong in them.

`truth.tsv` is written by hand: a row per wrong `check` with the mistake in words, the kinds of cause that name it, and the
lines that a `where` may point at: the mistake, or its first effect. `said.tsv` is recorded (ISOSHARD_BLESS=1)."""

import csv
import pathlib
import re

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]

# What a headline claims; the first that fits.
KINDS = (
    ("padding", r"padding of"),
    ("maximum", r"relative to different maxima|does not cancel"),
    ("sum", r"missing all_reduce"),
    ("twice", r"too many:|is added on every device"),
    ("axis", r"wrong axis"),
    ("order", r"shard order|ring runs the wrong way"),
    ("own", r"has its own|divides its term of a sum by its own"),
    ("place", r"the place of the device is missing"),
    ("field", r"has \{"),
    ("op", r"stands where| is not %"),
    ("term", r"lacks a term"),
    ("terms", r"lacks \d+ of the|terms? more than"),
    ("random", r"random numbers"),
    ("element", r"off by one|takes [@%][^()]*\[[\d, ]+\] instead of|takes (0|a constant) instead of [@%]"),
    ("number", r"takes (about )?-?[\d.]+(e-?\d+)? instead of"),
    ("operand", r"takes [@%].* instead of"),
    ("weights", r"\bcount\b"),
    ("factor", r"too large|too small|the right value|too often|too little|the wrong sign"),
    ("zero", r"is 0 everywhere"),
    ("value", r"is %.*, not %"),
    ("nan", r"is nan where"),
    ("input", r"differs where @"),
)


def kind_of(headline):
    """The kind of cause that a headline claims; `none` where it claims none."""
    return next((kind for kind, pattern in KINDS if re.search(pattern, headline)), "none")


def rows(name):
    with open(HERE / name, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def judged(truth, said):
    """`right`, `silent` or `misleading`.

    Right: the place is that of the mistake or its first effect, and the cause is of a kind that names it. Silent: no
    cause, at such a place or at none. All others mislead: another cause, or another place."""
    kind = kind_of(said["headline"])
    at = said["where"] in truth["lines"].split(",") if said["where"] else True
    if kind == "none":
        return "silent" if at else "misleading"
    return "right" if at and kind in truth["kinds"].split(",") else "misleading"


def key(row):
    return row["program"], row["options"], row["check"]
