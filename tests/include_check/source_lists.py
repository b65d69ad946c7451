#!/usr/bin/python3
"""Checks the source lists of CMake: every source file is listed, each list is sorted.

    source_lists.py ROOT         prints one line per violation; exit code 1 if there is one

A test that no list names would never run, and nobody would notice.
"""

import pathlib
import re
import sys

TOPS = ["core", "parallel", "catalogue", "sim", "verify", "exec", "library", "pictures", "command_line", "apps", "bench", "tests"]
APART = {"tests/install/user.cc"}  # of a project of its own
SUFFIXES = {".cc", ".cu"}
ENTRY = re.compile(r"\s*([\w./-]+\.(?:cc|cu))\)?\s*")


def check(root):
    found, count = [], 0
    for top in TOPS:
        listed, previous = set(), None
        lists = root / top / "CMakeLists.txt"
        for number, line in enumerate(lists.read_text(encoding="utf-8").splitlines(), 1):
            match = ENTRY.fullmatch(line)
            entry = match and match.group(1)
            if entry and previous and entry < previous:
                found.append(f"{top}/CMakeLists.txt:{number}: {entry} stands after {previous}; the lists are sorted")
            previous = entry
            listed.update([entry] if entry else [])
        files = {f.relative_to(root / top).as_posix() for f in (root / top).rglob("*") if f.suffix in SUFFIXES}
        files -= {file.removeprefix(f"{top}/") for file in APART}
        found += [f"{top}/{file}:1: in no list of {top}/CMakeLists.txt" for file in sorted(files - listed)]
        count += len(files)
    return found, count


def main():
    found, count = check(pathlib.Path(sys.argv[1]))
    print("\n".join(found) if found else f"{count} sources are listed")
    return 1 if found or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
