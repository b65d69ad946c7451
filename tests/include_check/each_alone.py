#!/usr/bin/python3
"""Reads each source file by itself, with the flags of its tree, and reports what does not compile.

    each_alone.py COMPILE_COMMANDS      the compiler's errors; exit code 1 if there are any

The trees that people use compile files in batches, where a file sees what those before it include, and with precompiled
headers. This finds the include that is missing. Nothing is generated: names are what matters, not code.
"""

import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import sys


def read_alone(entry):
    """What the compiler says of one file of the list, empty when it finds nothing."""
    words = entry.get("arguments") or shlex.split(entry["command"])
    if "-o" in words:
        at = words.index("-o")
        words = words[:at] + words[at + 2:]
    if os.path.basename(words[0]) == "ccache":
        words = words[1:]
    result = subprocess.run([*words, "-fsyntax-only"], cwd=entry["directory"], capture_output=True, text=True,
                            check=False)
    return result.stderr if result.returncode != 0 else ""


def main():
    entries = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = [text for text in pool.map(read_alone, entries) if text]
    print("".join(found) if found else f"{len(entries)} files compile alone")
    return 1 if found or not entries else 0


if __name__ == "__main__":
    sys.exit(main())
