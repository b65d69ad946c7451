#!/usr/bin/python3
"""Checks the rule ids: those of the sources, of docs/rules.md and of the tests are the same.

    rules_check.py ROOT          prints one line per violation; exit code 1 if there is one

An id is a string literal like "S-linear" in core, sim, verify or apps. Each stands in the table of docs/rules.md, where
no other id may stand, and in at least one test. Ids are written whole, never put together, so that they can be found.
"""

import pathlib
import re
import sys

TOPS = ["core", "parallel", "catalogue", "sim", "verify", "exec", "library", "pictures", "command_line", "apps"]
ID = r"[A-Z]-[a-z0-9]+(?:[_-][a-z0-9]+)*"
LITERAL = re.compile(f'"({ID})"')
PART = re.compile(r'"[A-Z]-"|"[A-Z]-[a-z0-9_-]*[_-]"')
ROW = re.compile(rf"^\| `({ID})` \| \S", re.MULTILINE)
WORD = re.compile(rf"(?<![\w-]){ID}(?![\w-])")
DOCUMENT = "docs/rules.md"


def sources(root):
    """id -> the first place that uses it; and the complaints about ids that are put together."""
    used, complaints = {}, []
    for top in TOPS:
        for path in sorted((root / top).rglob("*")):
            if path.suffix not in {".h", ".cc", ".cu"}:
                continue
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                place = f"{path.relative_to(root).as_posix()}:{number}"
                for rule in LITERAL.findall(line):
                    used.setdefault(rule, place)
                if PART.search(line):
                    complaints.append(f"{place}: a rule id is put together; write it whole")
    return used, complaints


def tested(root):
    """The ids that occur in tests."""
    found = set()
    for path in sorted((root / "tests").rglob("*")):
        if path.suffix in {".cc", ".py", ".shard", ".expect"} and "rules_check" not in path.parts:
            found.update(WORD.findall(path.read_text(encoding="utf-8", errors="replace")))
    return found


def check(root):
    used, complaints = sources(root)
    rows = ROW.findall((root / DOCUMENT).read_text(encoding="utf-8"))
    in_tests = tested(root)
    for rule, place in sorted(used.items()):
        if rule not in rows:
            complaints.append(f"{place}: {rule} is not in {DOCUMENT}")
        if rule not in in_tests:
            complaints.append(f"{place}: {rule} is in no test")
    for rule in sorted(set(rows)):
        if rule not in used:
            complaints.append(f"{DOCUMENT}: no source uses {rule}")
        if rows.count(rule) > 1:
            complaints.append(f"{DOCUMENT}: {rule} has several rows")
    return complaints, len(used)


def main():
    complaints, count = check(pathlib.Path(sys.argv[1]))
    print("\n".join(complaints) if complaints else f"{count} rules are documented and tested")
    return 1 if complaints or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
