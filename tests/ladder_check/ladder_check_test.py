#!/usr/bin/python3
"""ladder_check finds what is planted in a small tree, each kind of violation, and nothing else."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import ladder_check

PAGE = "<!-- pairs -->\n\n<!-- end of pairs -->\n<!-- further pairs -->\n\n<!-- end of further pairs -->\n"
FILE = """isoshard 1
//! run: check
//! meshes: s=2 s=3
//! verdict: EQUAL as formulas (rung A,
//! verdict: NOT EQUAL
//! verdict: COULD NOT DECIDE: no law
check @a == @d  // pair: right one
check @b == @d  // pair: wrong one
check @c == @d  // must right: own
"""
# (what is replaced in FILE, by what, the complaint)
PLANTED = [
    ("  // pair: right one", "", "no file has the pair right one"),
    ("pair: wrong one", "pair: right one", "f.shard:8: right one: stands at tests/files/f.shard:7, too"),
    ("(rung A,", "(rung A, 2 lanes), BUT f64 differs", "must be EQUAL; the file expects EQUAL as formulas (rung A, 2 lanes), BUT"),
    ("verdict: NOT EQUAL", "verdict: EQUAL as formulas", "must be NOT EQUAL; the file expects EQUAL"),
    ("(rung A,", "(rung A,", None),
    (" s=3", "", "is checked on 1 meshes; expected at least 2"),
    ("// must right: own", "// pair: own", "own: no such pair"),
    ("  // must right: own", "", "0 further pairs; expected at least 1"),
]


class LadderCheck(unittest.TestCase):
    def setUp(self):
        self.saved = ladder_check.PAIRS, ladder_check.FURTHER
        ladder_check.PAIRS, ladder_check.FURTHER = {"right one": "EQUAL", "wrong one": "NOT EQUAL"}, 1

    def tearDown(self):
        ladder_check.PAIRS, ladder_check.FURTHER = self.saved

    def complaints(self, text, write=True):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "tests/files").mkdir(parents=True)
            (root / "docs").mkdir()
            (root / "docs/ladder.md").write_text(PAGE, encoding="utf-8")
            (root / "tests/files/f.shard").write_text(text, encoding="utf-8")
            found = ladder_check.check(root, write)
            return found + (ladder_check.check(root) if write and not found else [])

    def test_clean_tree(self):
        self.assertEqual([], self.complaints(FILE))

    def test_planted(self):
        for old, new, complaint in PLANTED:
            with self.subTest(new):
                self.assertIn(old, FILE)
                found = self.complaints(FILE.replace(old, new))
                self.assertTrue(any(complaint in line for line in found) if complaint else not found, found)

    def test_old_tables(self):
        self.assertIn("docs/ladder.md: the tables are not those of the files", self.complaints(FILE, write=False)[0])

    def test_a_verdict_of_one_run_only(self):
        text = FILE.replace("check @a", "//! run: check --mesh s=5\n//! verdict: NOT EQUAL\ncheck @a")
        self.assertIn("must be EQUAL; the file expects NOT EQUAL", self.complaints(text)[0])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
