#!/usr/bin/python3
"""Completion scripts and manual pages are made of the options as they are."""

import re
import shutil
import subprocess
import unittest

from isoshard import BAD_INPUT, HOLDS, Case, run


class Completion(Case):
    def completed(self, *words):
        """What bash offers for the last of `words`."""
        script = self.folder / "completion"
        script.write_text(run("completion", "bash")[1])
        quoted = " ".join(f"'{word}'" for word in words)
        done = subprocess.run(
            ["bash", "-c", f"source {script}; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _isoshard; "
                           "printf '%s\\n' \"${COMPREPLY[@]}\""], capture_output=True, check=True)
        self.assertEqual(b"", done.stderr)
        return done.stdout.decode().split()

    def test_bash(self):
        self.assertEqual(["check"], self.completed("isoshard", "ch"))
        self.assertEqual(["--seed", "--set", "--strict", "--sweep", "--sweep-set"],
                         sorted(self.completed("isoshard", "check", "--s")))
        self.assertEqual(["sarif"], self.completed("isoshard", "check", "--format", "sa"))
        self.assertEqual(["always"], self.completed("isoshard", "sim", "--color", "al"))
        self.assertNotIn("--sweep", self.completed("isoshard", "sim", "--s"))

    def test_every_option_is_there(self):
        options = set(re.findall(r"(?m)^  (?:-\w,)?(--[a-z-]+)", run("check", "--help")[1]))
        self.assertGreater(len(options), 15)
        for shell in ("bash", "zsh", "fish"):
            text = run("completion", shell)[1]
            for option in options:
                self.assertIn(f"-l {option[2:]} " if shell == "fish" else option, text)

    def test_zsh_and_fish_read_their_scripts(self):
        for shell in ("zsh", "fish"):
            if shutil.which(shell) is None:
                continue
            script = self.folder / shell
            script.write_text(run("completion", shell)[1])
            done = subprocess.run([shell, "-n", script], capture_output=True, check=False)
            self.assertEqual((0, b""), (done.returncode, done.stderr))

    def test_unknown_shell(self):
        code, out, err = run("completion", "csh")
        self.assertEqual((BAD_INPUT, ""), (code, out))
        self.assertIn('"csh" is not bash, zsh or fish', err)


class Man(Case):
    def test_pages(self):
        for command in ("", "check", "sim", "run", "explain"):
            code, out, err = run("man", *([command] if command else []))
            self.assertEqual((HOLDS, ""), (code, err))
            for section in (".TH ", ".SH NAME\n", ".SH SYNOPSIS\n"):
                self.assertIn(section, out)
        self.assertIn("\\fB\\-\\-sweep\\fR", run("man", "check")[1])

    def test_troff_has_no_complaints(self):
        if shutil.which("groff") is None:
            self.skipTest("no groff")
        done = subprocess.run(["groff", "-man", "-Tascii", "-ww"], input=run("man", "check")[1].encode(),
                              capture_output=True, check=False)
        self.assertEqual(b"", done.stderr)
        self.assertIn(b"--sweep", re.sub(rb"\x1b\[[0-9;]*m|.\x08", b"", done.stdout))

    def test_unknown_command(self):
        self.assertEqual((BAD_INPUT, "", 'error: no command is called "chek"; did you mean "check"?\n'),
                         run("man", "chek"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
