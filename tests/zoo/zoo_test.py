#!/usr/bin/python3
"""The zoo of documented bugs: `zoo_test.py ENTRY` judges one entry, `controls` the negative controls,
`numbers` all of them together, `page` docs/zoo.md; `zoo_test.py` alone all of these.

A wrong program is rejected with exactly the report of expected.txt (ISOSHARD_BLESS=1 rewrites the reports and `seconds`),
also in every mesh of an `also:` line, and passes at the sizes of its `hidden:` lines. Its right twin passes everywhere.
"""

import difflib
import os
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
import blessing
import page
from entries import NUMBERS, ZOO, Entry, entries

BINARY = os.path.abspath(os.environ["ISOSHARD_BINARY"])
BLESS = bool(os.environ.get("ISOSHARD_BLESS"))
EQUAL, NOT_EQUAL = 0, 1
MOST_CHANGED = 24  # lines of code that a fix may add, remove or change


def check(folder, file, options=()):
    """(exit code, report without its time, seconds) of `isoshard check FILE OPTIONS`; errors stand where they are printed."""
    environment = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "CLICOLOR_FORCE")}
    start = time.monotonic()
    done = subprocess.run([BINARY, "check", file, *options], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, check=False)
    seconds = time.monotonic() - start
    report = re.sub(r"^  time  .*\n", "", done.stdout.decode(errors="replace"), flags=re.MULTILINE)
    return done.returncode, report, seconds


def difference(name, expected, found):
    return "\n".join(difflib.unified_diff(expected.splitlines(), found.splitlines(), f"{name}, expected", "found", "", "", 9, ""))


class Judge:
    """Runs one entry and collects what is wrong with it."""

    def __init__(self, entry):
        self.entry, self.problems, self.reports, self.seconds = entry, list(entry.problems), {}, 0

    def expect(self, code, file, options=()):
        found, report, seconds = check(self.entry.folder, file, options)
        if found != code:
            shown = " ".join(["isoshard check", file, *options])
            self.problems.append(f"{shown}: exit code {found}, expected {code}\n{report}")
        return report, seconds

    def wrong(self):
        for file in self.entry.wrong():
            self.reports[file], seconds = self.expect(self.entry.exit_code(), file)
            self.seconds = max(self.seconds, seconds)
            for run in self.entry.runs["also"]:
                self.expect(NOT_EQUAL, file, run.options)
        for run in self.entry.runs["hidden"]:
            if not run.why:
                self.problems.append(f"hidden: {run}: say why it does not show there: `{run} | ...`")
            self.expect(EQUAL, self.entry.judged_by_values(), run.options)

    def right(self):
        self.expect(EQUAL, self.entry.right())
        for run in self.entry.runs["hidden"] + self.entry.runs["also"]:
            self.expect(EQUAL, self.entry.right(), run.options)

    def twins(self):
        """The right twin is the wrong program with a fix, not another program."""
        texts = [re.sub(r"\s*//.*", "", self.entry.text(file)).split("\n") for file in (self.entry.wrong()[0], self.entry.right())]
        changed = [line for line in difflib.ndiff(*texts) if line[:2] in ("- ", "+ ") and line[2:].strip()]
        if not 0 < len(changed) <= MOST_CHANGED:
            self.problems.append(f"the right twin differs from the wrong one in {len(changed)} lines; expected 1 to {MOST_CHANGED}")

    def judge(self):
        self.wrong()
        self.right()
        self.twins()
        refused = [reason for file, report in self.reports.items() if (reason := blessing.refusal(
            self.entry.reports.get(file, "").splitlines(), report.splitlines()))]
        if BLESS and not self.problems and not refused:
            self.bless()
        elif self.reports != self.entry.reports:
            for file in sorted({*self.reports, *self.entry.reports}):
                self.problems.append(difference(file, self.entry.reports.get(file, ""), self.reports.get(file, "")))
            self.problems += refused if BLESS else []
        return [problem for problem in self.problems if problem]

    def bless(self):
        path = self.entry.folder / "expected.txt"
        head = path.read_text().partition("\n== ")[0].rstrip("\n")
        head = re.sub(r"^seconds:.*$", f"seconds: {self.seconds:.2f}", head, flags=re.MULTILINE)
        path.write_text(head + "\n" + "".join(f"== {file}\n{report}" for file, report in self.reports.items()))


def controls():
    """Programs that look wrong and are right: a checker that rejects them is of no use."""
    files = sorted((ZOO / "controls").glob("*.shard"))
    problems = [] if len(files) >= 5 else [f"{len(files)} negative controls; expected 5 or more"]
    for file in files:
        code, report, _ = check(file.parent, file.name)
        if code != EQUAL:
            problems.append(f"{file.name}: exit code {code}, expected {EQUAL}\n{report}")
        if not file.read_text().startswith("isoshard 1\n// RIGHT: "):
            problems.append(f"{file.name}: a comment says what looks wrong and is right: `// RIGHT: ...`")
    return problems


def numbers():
    """All entries are there, under their numbers, and no two of them have the same sizes."""
    all_entries = entries()
    found = [int(entry.number) for entry in all_entries]
    problems = [f"no entry {number}" for number in NUMBERS if number not in found]
    problems += [f"{entry.name}: its number is {entry.number}" for entry in all_entries
                 if not entry.name.startswith(f"{int(entry.number):02}_") or int(entry.number) not in NUMBERS]
    sizes = {}
    for entry in all_entries:
        sizes.setdefault(entry.sizes(), []).append(entry.name)
    return problems + [f"{' and '.join(names)} have the same sizes {shared}" for shared, names in sizes.items() if names[1:]]


def stale_page():
    """docs/zoo.md is the page that the entries make."""
    return [] if page.main(["--check"]) == 0 else ["docs/zoo.md is not what docs/generate makes of the entries"]


SUITES = {"controls": controls, "numbers": numbers, "page": stale_page}


def run(name):
    problems = SUITES.get(name, lambda: Judge(Entry(ZOO / name)).judge())()
    print("\n\n".join(problems) if problems else f"{name}: as expected")
    return 1 if problems else 0


def main(names):
    """Those of `names`; without names, all of them."""
    known = [entry.name for entry in entries()] + list(SUITES)
    for name in names:
        if name not in known:
            sys.exit(f"{name}: no such entry or suite; there are {', '.join(known)}")
    return max(run(name) for name in names or known)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
