#!/usr/bin/python3
"""Checks that the cases of each tests/**/X_test.cc stand in a namespace isoshard::X_test or isoshard::...::X_test.

    test_namespaces.py ROOT      prints one line per violation; exit code 1 if there is one

Files that a unity build puts in one translation unit share the anonymous namespace of isoshard, where helpers of the
same name collide.
"""

import pathlib
import re
import sys

NAMESPACE = re.compile(r"namespace (isoshard(?:::\w+)*) \{")
CASE = re.compile(r"(?:(?:TYPED_)?TEST(?:_[FP])?|RC_GTEST_(?:FIXTURE_)?PROP)\(")


def violation(file):
    """(number of the line, reason) of the first case of a file that stands elsewhere, or None."""
    namespace = ""
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        opened = NAMESPACE.fullmatch(line)
        if opened:
            namespace = opened.group(1)
        elif CASE.match(line) and namespace.split("::")[-1] != file.stem:
            return number, f"this case stands in namespace `{namespace}`, which must end with ::{file.stem}"
    return None


def check(root):
    files = sorted((root / "tests").rglob("*_test.cc"))
    found = [(file.relative_to(root).as_posix(), violation(file)) for file in files]
    return [f"{path}:{wrong[0]}: {wrong[1]}" for path, wrong in found if wrong], len(files)


def main():
    found, count = check(pathlib.Path(sys.argv[1]))
    print("\n".join(found) if found else f"{count} files of cases have namespaces of their own")
    return 1 if found or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
