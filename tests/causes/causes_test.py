#!/usr/bin/python3
"""causes_test.py [PART/PARTS]: runs the wrong programs of truth.tsv and compares what is said with said.tsv, and what that is
judged with docs/causes.md. ISOSHARD_BLESS=1 records what is said; then docs/generate writes the page."""

import collections
import csv
import json
import os
import subprocess
import sys

from causes import HERE, ROOT, judged, key, rows

BINARY = os.path.abspath(os.environ["ISOSHARD_BINARY"])
COLUMNS = ("program", "options", "check", "where", "headline")


def said_of(program, options):
    """Of each check that does not hold: where and what."""
    done = subprocess.run([BINARY, "check", "--json", program, *options.split()], cwd=ROOT, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=240, check=False)
    found = {}
    for number, check in enumerate(json.loads(done.stdout)["checks"], 1):
        place = check.get("diagnosis", {}).get("location", "").rsplit(":", 2)
        found[str(number)] = {"program": program, "options": options, "check": str(number),
                              "where": place[1] if len(place) == 3 else "", "headline": check["headline"]}
    return found


def part_of(truths, argument):
    part, parts = map(int, argument.split("/"))
    programs = list(dict.fromkeys((t["program"], t["options"]) for t in truths))
    mine = set(programs[part - 1::parts])
    return [t for t in truths if (t["program"], t["options"]) in mine]


def bless(found):
    known = {key(row): row for row in rows("said.tsv")} if (HERE / "said.tsv").exists() else {}
    known.update(found)
    order = [key(t) for t in rows("truth.tsv")]
    with open(HERE / "said.tsv", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, delimiter="\t", lineterminator="\n", quoting=csv.QUOTE_NONE)
        writer.writeheader()
        writer.writerows(known[k] for k in order if k in known)


def main(arguments):
    truths = rows("truth.tsv")
    mine = part_of(truths, arguments[0]) if arguments else truths
    runs, found, failures = {}, {}, []
    for truth in mine:
        run = (truth["program"], truth["options"])
        if run not in runs:
            runs[run] = said_of(*run)
        found[key(truth)] = runs[run][truth["check"]]
    if os.environ.get("ISOSHARD_BLESS"):
        bless(found)
    recorded = {key(row): row for row in rows("said.tsv")}
    for k, row in found.items():
        if recorded.get(k) != row:
            failures.append(f"{k}: said.tsv has {recorded.get(k)}, isoshard says {row}")
    counts = collections.Counter(judged(t, found[key(t)]) for t in mine)
    for failure in failures:
        print(failure)
    print(f"{len(mine)} checks: " + ", ".join(f"{counts[j]} {j}" for j in ("right", "silent", "misleading")))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
