#!/usr/bin/python3
"""The main function of the GoogleTest programs runs the cases of one file, and refuses cases that no test would run.

    self_test.py RIGHT WRONG     programs of the files in samples/
"""

import subprocess
import sys
import unittest


def run(program, *options):
    """(exit code, stdout, stderr) of a program."""
    done = subprocess.run([program, *options], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


class RunFile(unittest.TestCase):
    def test_cases_of_one_file(self):
        code, out, _ = run(RIGHT, "--file=unit/sample_test.cc")
        self.assertEqual(0, code, out)
        self.assertIn("[  PASSED  ] 4 tests.", out)
        code, out, _ = run(RIGHT, "--file=other_unit/sample_test.cc", "--gtest_brief=1")
        self.assertEqual(1, code, out)
        self.assertIn("on purpose", out)
        self.assertIn("1 test from 1 test suite ran", out)

    def test_all_cases(self):
        code, out, _ = run(RIGHT)
        self.assertEqual(1, code, out)
        self.assertIn("5 tests from 2 test suites ran", out)

    def test_files_without_cases(self):
        for file in ["t/sample_test.cc", "sample", "unit/other_test.cc", ""]:
            code, _, err = run(RIGHT, f"--file={file}")
            self.assertEqual(2, code, err)
            self.assertIn(f"stands in {file}", err)

    def test_other_arguments(self):
        for arguments in [["unit/sample_test.cc"], ["--file", "unit/sample_test.cc"], ["--file=a", "--file=b"]]:
            code, _, err = run(RIGHT, *arguments)
            self.assertEqual(2, code, err)
            self.assertIn("usage: ", err)

    def test_cases_that_no_test_would_run(self):
        for options in [[], ["--file=unit/sample_test.cc"]]:
            code, _, err = run(WRONG, *options)
            self.assertEqual(2, code, err)
            self.assertRegex(err, r"RunFile\.Strays stands in .*/samples/stray\.cc: ctest runs the cases")
            self.assertRegex(err, r"_test\.cc: two cases have the name RunFile\.HasASeed\n")
            self.assertEqual(2, err.count("\n"), err)


if __name__ == "__main__":
    RIGHT, WRONG = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
