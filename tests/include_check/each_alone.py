#!/usr/bin/python3
"""Reads each source file by itself, with the flags of its tree, and reports what does not compile.

    each_alone.py COMPILE_COMMANDS      the compiler's errors; exit code 1 if there are any

The trees that people use compile files in batches, where a file sees what those before it include, and with precompiled
headers. This finds the include that is missing. Nothing is generated: names are what matters, not code. Only the test
libraries are read once for all tests: they are most of what a test reads.
"""

import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

TEST_LIBRARIES = "#include <gtest/gtest.h>\n#include <rapidcheck/gtest.h>\n"


def flags(entry):
    """The compiler and its flags, without what it would write."""
    words = entry.get("arguments") or shlex.split(entry["command"])
    if "-o" in words:
        at = words.index("-o")
        words = words[:at] + words[at + 2:]
    return words[1:] if os.path.basename(words[0]) == "ccache" else words


def is_test(entry):
    """In the folder `tests`, whose files may all include the test libraries."""
    return "tests" in pathlib.Path(os.path.relpath(entry["file"])).parts[:1]


def precompile(entry, folder):
    """The options with which a test takes the test libraries from one file, as `entry` would read them."""
    header, result = folder / "test_libraries.h", folder / "test_libraries.pch"
    header.write_text(TEST_LIBRARIES, encoding="utf-8")
    words = [word for word in flags(entry) if word not in ("-c", entry["file"])]
    level = "-O0"  # one that all targets have
    subprocess.run([*words, level, "-x", "c++-header", header, "-o", result], cwd=entry["directory"], check=True)
    return [level, "-include-pch", str(result)]


def read_alone(entry, options=()):
    """What the compiler says of one file of the list, empty when it finds nothing."""
    result = subprocess.run([*flags(entry), *options, "-fsyntax-only"], cwd=entry["directory"], capture_output=True,
                            text=True, check=False)
    return result.stderr if result.returncode != 0 else ""


def main():
    entries = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    tests = [entry for entry in entries if is_test(entry)]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        of_tests = precompile(tests[0], pathlib.Path(folder)) if tests else []
        options = [of_tests if is_test(entry) else [] for entry in entries]
        found = [text for text in pool.map(read_alone, entries, options) if text]
    print("".join(found) if found else f"{len(entries)} files compile alone")
    return 1 if found or not entries else 0


if __name__ == "__main__":
    sys.exit(main())
