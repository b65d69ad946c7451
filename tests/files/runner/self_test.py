#!/usr/bin/python3
"""The runner of test files fails where it must: wrong expectations of each kind, and files that expect nothing.

    self_test.py FILE_TEST       $ISOSHARD_BINARY is the program
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = """isoshard 1
global @x : f32[4] input
program @a {
  %x = view @x [-]
  return @y = %x [-]
}
program @b {
  %x = view @x [-]
  %y = multiply %x, 2
  return @y = %y [-]
}
check @a == @b
"""
OPERANDS = "[V-operands] multiply: has 3 operands; expected 2"
BAD = PROGRAM.replace("multiply %x, 2", "multiply %x, %x, %x")


class Runner(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name) / "t.shard"

    def run_file(self, text, *options, **env):
        """(exit code, output) of the runner on a file with this text."""
        self.file.write_text(text, encoding="utf-8")
        done = subprocess.run([RUNNER, *options, self.file], env={**os.environ, **env}, capture_output=True,
                              check=False)
        return done.returncode, done.stdout.decode()

    def accepts(self, text, *options):
        self.assertEqual((0, ""), self.run_file(text, *options))

    def rejects(self, text, words, *options):
        code, out = self.run_file(text, *options)
        self.assertNotEqual(0, code, out)
        self.assertIn(words, out)

    def test_verdicts(self):
        self.accepts(PROGRAM + "//! run: check\n//! verdict: NOT EQUAL\n")
        self.rejects(PROGRAM + "//! run: check\n//! verdict: EQUAL\n", "exit code 1, expected 0")
        self.rejects(PROGRAM + "//! run: check\n//! verdict: EQUAL\n", "verdicts differ")
        self.rejects(PROGRAM + "//! run: check\n//! verdict: NOT EQUAL: because\n", "verdicts differ")
        self.rejects(PROGRAM + "//! run: check\n//! verdict: NOT EQUAL\n//! verdict: NOT EQUAL\n", "verdicts differ")

    def test_says(self):
        run = PROGRAM + "//! run: check\n//! verdict: NOT EQUAL\n"
        self.accepts(run + "//! says: programs   @a on 1 device\n")
        self.rejects(run + "//! says: nothing like it\n", "does not say `nothing like it`")

    def test_errors(self):
        run = "//! run: check\n//! exit: 2\n"
        right = BAD.replace("%x, %x, %x", f"%x, %x, %x //! error: {OPERANDS}")
        self.accepts(right + run)
        self.accepts(BAD + run + f"//! error at `%x, %x, %x`: {OPERANDS}\n")
        self.rejects(BAD + run, "not expected on line 9")
        self.rejects(right.replace("has 3", "has 4") + run, "missing on line 9")
        self.rejects(right.replace("V-operands", "V-operand") + run, "missing on line 9")
        self.rejects(BAD + run + f"//! error at `program @b`: {OPERANDS}\n", "missing on line 7")
        self.rejects(BAD + run + f"//! error: {OPERANDS}\n", "missing on line 0")
        self.rejects(right + run + f"//! error at `%x, %x, %x`: {OPERANDS}\n", "missing on line 9")

    def test_files_that_expect_nothing(self):
        self.rejects(PROGRAM, "there is no `//! run: COMMAND`")
        self.rejects(PROGRAM + "//! run: check\n", "this run needs `//! verdict: ...`")
        self.rejects(PROGRAM + "//! run: check\n//! verdit: NOT EQUAL\n", "`verdit` is no directive")
        self.rejects(PROGRAM + "//! verdict: NOT EQUAL\n", "before the first `//! run: COMMAND`")
        self.rejects(PROGRAM + "//! error at `nowhere`: [A-b] c\n//! run: check\n//! exit: 2\n", "stands nowhere")
        self.rejects(PROGRAM + "//! error at `%x = view`: [A-b] c\n//! run: check\n//! exit: 2\n",
                     "stands on lines 4 and 8")

    def test_golden_blocks(self):
        text = PROGRAM + "//! run: show\n//! exit: 0\n//! prints:\n//! stderr:\n//| a\n"
        self.rejects(text, "ISOSHARD_BLESS=1 rewrites it")
        self.assertEqual(text, self.file.read_text())
        self.assertEqual(1, self.run_file(text, ISOSHARD_BLESS="1")[0])
        blessed = self.file.read_text()
        self.assertIn("//! prints:\n//| isoshard 1\n", blessed)
        self.assertTrue(blessed.endswith("//! stderr:\n"), blessed)
        self.accepts(blessed)
        self.rejects(blessed.replace("//| isoshard 1", "//| isoshard 2"), "stdout differs")

    def test_golden_blocks_keep_their_decisions(self):
        """Another verdict or rule is not blessed: a person says what is right."""
        text = PROGRAM + "//! run: check\n//! verdict: NOT EQUAL\n//! prints:\n//| EQUAL as formulas (rung A)\n"
        self.rejects(text, "a verdict or rule is another one, so rewrite it by hand")
        self.assertEqual(1, self.run_file(text, ISOSHARD_BLESS="1")[0])
        self.assertEqual(text, self.file.read_text())

    def test_several_files(self):
        """Each is run and each failure is named, whatever stands before it."""
        folder = self.file.parent
        run = PROGRAM + "//! run: check\n//! verdict: "
        for name, text in [("a", PROGRAM), ("b", run + "EQUAL\n"), ("c", run + "NOT EQUAL\n")]:
            (folder / f"{name}.shard").write_text(text, encoding="utf-8")
        for names, expected in [("abc", 2), ("cb", 1), ("bc", 1), ("cc", 0), ("cbcb", 1)]:
            files = [folder / f"{name}.shard" for name in names]
            done = subprocess.run([RUNNER, *files], capture_output=True, text=True, check=False)
            self.assertEqual(expected, done.returncode, done.stdout)
            failed = [line for line in done.stdout.splitlines() if line.startswith("FAILED: ")]
            self.assertEqual([f"FAILED: {file}" for file in files if file.stem != "c"], failed)

    def test_fixpoint(self):
        self.accepts(PROGRAM + "//! run: check\n//! verdict: NOT EQUAL\n", "--fixpoint")
        self.rejects(BAD + f"//! run: check\n//! exit: 2\n//! error: {OPERANDS}\n", "belongs into rejected/",
                     "--fixpoint")
        self.rejects(BAD + "//! run: check\n//! verdict: EQUAL\n", "fails:", "--fixpoint")


if __name__ == "__main__":
    RUNNER = sys.argv[1]
    unittest.main(argv=sys.argv[:1])
