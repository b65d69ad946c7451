#!/usr/bin/python3
"""What ranks issue for each model of the catalogue stays what it is: tests/cli/calls has a line for each model, and the
calls of one rank of two small ones in full.

A line has how many lists of calls differ between ranks, what rank 0 issues by kind, its waits and the digest of all lists. Models are C++,
whose compilers evaluate the arguments of a call in an order of their own, and with them the ops of a model: digests and the
number of maps are what g++ gives, and sanitized trees, which clang compiles, compare the rest. ISOSHARD_BLESS=1 writes the lines anew: look at
`isoshard run NAME --print-calls` before and after.
"""

import collections
import hashlib
import os
import pathlib
import re
import subprocess
import unittest

from isoshard import BINARY, HOLDS, run

FOLDER = pathlib.Path(__file__).parent / "calls"
IN_FULL = {"tp_mlp": "model=2,data=1", "ring_matmul": "model=3"}


def summary(name):
    code, text, errors = run("run", name, "--print-calls")
    assert code == HOLDS, errors
    lists = re.split(r"^ranks? [\d.,  ]+:\n", text, flags=re.M)[1:]
    calls = collections.Counter(re.match(r"[^:]*: (\w+)", line).group(1) for line in lists[0].splitlines() if "  // #" in line)
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(calls.items()))
    order = re.search(r"\d+ tokens, \d+ waits, \d+ events", lists[0]).group(0)
    return f"{name}: {len(lists)} lists; rank 0: {kinds}; {order}; {hashlib.sha256(text.encode()).hexdigest()[:16]}"


def of_any_compiler(text):
    """Without the digests, and without the maps, which are fused by the order of ops."""
    return re.sub(r"; [0-9a-f]{16}$|\d+ map, ", "", text, flags=re.M)


class CallsTest(unittest.TestCase):
    maxDiff = None

    def compare(self, path, text):
        if os.environ.get("ISOSHARD_BLESS"):
            path.write_text(text)
        self.assertEqual(path.read_text(), text)

    def test_models(self):
        listed = subprocess.run([BINARY, "models"], capture_output=True, text=True, check=True).stdout
        models = [line.split()[0] for line in listed.splitlines()]
        text = "".join(summary(name) + "\n" for name in models)
        if not os.environ.get("ISOSHARD_SANITIZE"):
            return self.compare(FOLDER / "models.txt", text)
        self.assertEqual(of_any_compiler((FOLDER / "models.txt").read_text()), of_any_compiler(text))

    def test_in_full(self):
        for name, mesh in IN_FULL.items():
            with self.subTest(name):
                code, text, _ = run("run", name, "--mesh", mesh, "--print-calls", "--rank", "1")
                self.assertEqual(HOLDS, code)
                self.compare(FOLDER / f"{name}.txt", text)


if __name__ == "__main__":
    unittest.main()
