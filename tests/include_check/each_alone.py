#!/usr/bin/python3
"""Reads each source file by itself, with the flags of its tree, and reports what does not compile.

    each_alone.py COMPILE_COMMANDS [WORD SHARE]     the compiler's errors; exit code 1 if there are any

With a WORD, one of SHARE files is read, and which one the word decides: CI, whose time is short, takes the name of the
commit, so that in the long run it reads all.

The trees that people use compile files in batches, where a file sees what those before it include, and with precompiled
headers. This finds the include of the repository's own files that is missing. Nothing is generated: names are what
matters, not code. The standard library and, for tests, the test libraries are read once for all files: they are most of
what a file reads (standard_includes.py checks the former).
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

import standard_includes

# Not <filesystem>, with which comes std::quoted: argument-dependent lookup then finds it in calls of our own.
STANDARD = sorted({*standard_includes.NAMES, "cassert", "cfloat", "cinttypes", "concepts", "cstddef", "cstdint", "ctime"} -
                  {"filesystem"})
TEST_LIBRARIES = ["gtest/gtest.h", "gmock/gmock.h", "rapidcheck/gtest.h"]


def flags(entry):
    """The compiler and its flags, without what it would write."""
    words = entry.get("arguments") or shlex.split(entry["command"])
    if "-o" in words:
        at = words.index("-o")
        words = words[:at] + words[at + 2:]
    return words[1:] if os.path.basename(words[0]) == "ccache" else words


def is_test(entry):
    """Whether its target has the test libraries, whose flags all files read with one precompiled header must share."""
    return any(word.startswith("-DGTEST_") for word in flags(entry))


def precompile(entry, headers, folder):
    """The options with which a file takes `headers` from one file, which is made as `entry` would read them."""
    header = folder / f"{len(headers)}_headers.h"
    result = header.with_suffix(".pch")
    header.write_text("".join(f"#include <{name}>\n" for name in headers), encoding="utf-8")
    words = [word for word in flags(entry) if word not in ("-c", entry["file"])]
    level = "-O0"  # one that all targets have
    subprocess.run([*words, level, "-x", "c++-header", header, "-o", result], cwd=entry["directory"], check=True)
    return [level, "-include-pch", str(result)]


def read_alone(entry, options=()):
    """What the compiler says of one file of the list, empty when it finds nothing."""
    result = subprocess.run([*flags(entry), *options, "-fsyntax-only"], cwd=entry["directory"], capture_output=True,
                            text=True, check=False)
    if result.returncode == 0:
        return ""
    return read_alone(entry) if options else result.stderr  # it may have other flags than what was precompiled


def chosen(entries, root, word, share):
    """One of `share` files, by their names from `root` and the word."""
    def number(entry):
        name = os.path.relpath(os.path.join(entry["directory"], entry["file"]), root)
        return int.from_bytes(hashlib.sha256(f"{word} {name}".encode()).digest()[:8], "big")
    return [entry for entry in entries if number(entry) % share == 0]


def main():
    entries = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    if len(sys.argv) > 2:
        entries = chosen(entries, pathlib.Path(__file__).parents[2], sys.argv[2], int(sys.argv[3]))
    tests = [entry for entry in entries if is_test(entry)]
    others = [entry for entry in entries if not is_test(entry)]
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        folder, found = pathlib.Path(name), []
        for files, headers in ((others, STANDARD), (tests, STANDARD + TEST_LIBRARIES)):
            options = precompile(files[0], headers, folder) if files else []
            found += [text for text in pool.map(lambda entry: read_alone(entry, options), files) if text]
    print("".join(found) if found else f"{len(entries)} files compile alone")
    return 1 if found or not entries else 0


if __name__ == "__main__":
    sys.exit(main())
