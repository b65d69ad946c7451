#!/usr/bin/python3
"""rules_check finds what is planted in a small tree, each kind of violation, and nothing else."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import rules_check

CLEAN = {
    "core/ir/a.cc": 'sink.error("T-shape", where, "...");',
    "apps/isoshard/b.cc": 'sink.error("I-a_b-c", where, "...");',
    "docs/rules.md": "| rule | meaning |\n|---|---|\n| `T-shape` | shapes |\n| `I-a_b-c` | input |",
    "tests/unit/a_test.cc": 'EXPECT_EQ(rule, "T-shape");',
    "tests/files/b.shard": "%x = a   //! error: [I-a_b-c] b",
}
# (file, line added at its end, complaint)
PLANTED = [
    ("core/ir/a.cc", 'error("T-new")', "core/ir/a.cc:2: T-new is not in docs/rules.md"),
    ("core/ir/a.cc", 'error("T-new")', "core/ir/a.cc:2: T-new is in no test"),
    ("core/ir/a.cc", 'error("T-" + name)', "core/ir/a.cc:2: a rule id is put together; write it whole"),
    ("docs/rules.md", "| `T-old` | old |", "docs/rules.md: no source uses T-old"),
    ("docs/rules.md", "| `T-shape` | again |", "docs/rules.md: T-shape has several rows"),
]


def complaints(files):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text + "\n", encoding="utf-8")
        return rules_check.check(root)[0]


class RulesCheck(unittest.TestCase):
    def test_clean_tree(self):
        self.assertEqual([], complaints(CLEAN))

    def test_planted(self):
        for path, line, complaint in PLANTED:
            with self.subTest(line=line):
                self.assertIn(complaint, complaints({**CLEAN, path: CLEAN[path] + "\n" + line}))

    def test_a_longer_id_is_no_test(self):
        files = {**CLEAN, "tests/unit/a_test.cc": '"T-shape-2"'}
        self.assertEqual(["core/ir/a.cc:1: T-shape is in no test"], complaints(files))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
