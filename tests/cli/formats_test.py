#!/usr/bin/python3
"""`check --format=github|sarif`, the summary of several inputs, and the help texts in 80 columns."""

import fcntl
import json
import os
import pty
import struct
import subprocess
import termios
import unittest

from isoshard import BAD_INPUT, BINARY, DOES_NOT_HOLD, HOLDS, ROOT, UNDECIDED, Case, run

WRONG = "docs/rules/S-linear.wrong.shard"
COMMANDS = ["check", "sim", "run", "show", "import", "models", "make", "fmt", "ops", "explain", "help", "completion", "man"]


class Sarif(Case):
    def sarif(self, *arguments, code, cwd=ROOT):
        got, out, _ = run("check", *arguments, "--format=sarif", cwd=cwd)
        self.assertEqual(code, got)
        log = json.loads(out)
        self.validate(log)
        return log["runs"][0]

    def validate(self, log):
        """What the schema of SARIF 2.1.0 (OASIS, sarif-schema-2.1.0.json) requires of the objects that are written."""
        self.assertEqual("2.1.0", log["version"])
        self.assertLessEqual(set(log), {"$schema", "version", "runs"})
        for one in log["runs"]:
            self.assertLessEqual(set(one), {"tool", "columnKind", "results"})
            self.assertIn(one["columnKind"], ("utf16CodeUnits", "unicodeCodePoints"))
            driver = one["tool"]["driver"]
            self.assertEqual("isoshard", driver["name"])
            ids = [rule["id"] for rule in driver["rules"]]
            self.assertEqual(len(ids), len(set(ids)))
            for result in one["results"]:
                self.assertIn(result["level"], ("none", "note", "warning", "error"))
                self.assertTrue(result["message"]["text"])
                self.assertEqual(result["ruleId"], ids[result["ruleIndex"]])
                for place in result.get("locations", []) + result.get("relatedLocations", []):
                    self.validate_place(place["physicalLocation"])

    def validate_place(self, place):
        uri, region = place["artifactLocation"]["uri"], place["region"]
        self.assertRegex(uri, r"\A[A-Za-z0-9._~/%:-]+\Z")
        self.assertGreaterEqual(region["startLine"], 1)
        self.assertGreaterEqual(region.get("startColumn", 1), 1)
        self.assertGreater(region.get("endColumn", 2**31), region.get("startColumn", 1))

    def test_a_state_error_and_its_verdict(self):
        results = self.sarif(WRONG, code=DOES_NOT_HOLD)["results"]
        self.assertEqual(["S-linear", "not-equal"], [result["ruleId"] for result in results])
        place = results[0]["locations"][0]["physicalLocation"]
        self.assertEqual(WRONG, place["artifactLocation"]["uri"])
        line = (ROOT / WRONG).read_text().splitlines()[place["region"]["startLine"] - 1]
        region = place["region"]
        self.assertEqual("add %s, %w", line[region["startColumn"] - 1:region["endColumn"] - 1])

    def test_what_holds_has_no_result(self):
        self.assertEqual([], self.sarif("examples/tp_mlp.shard", code=HOLDS)["results"])

    def test_warnings_are_results(self):
        (result,) = self.sarif("docs/rules/W-unused-value.wrong.shard", code=HOLDS)["results"]
        self.assertEqual(("warning", "W-unused-value"), (result["level"], result["ruleId"]))

    def test_bad_input(self):
        results = self.sarif("tests/files/rejected/unknown_op.shard", code=BAD_INPUT)["results"]
        self.assertIn(("E-op", "error"), [(result["ruleId"], result["level"]) for result in results])
        self.assertNotIn("not-equal", [result["ruleId"] for result in results])

    def test_a_file_that_is_not_there_has_no_location(self):
        (result,) = self.sarif("none.shard", code=BAD_INPUT)["results"]
        self.assertNotIn("locations", result)

    def test_rules_say_what_they_mean(self):
        rules = self.sarif(WRONG, code=DOES_NOT_HOLD)["tool"]["driver"]["rules"]
        self.assertTrue(rules[0]["shortDescription"]["text"].startswith("the operands of a sum"))
        self.assertTrue(all("shortDescription" in rule for rule in rules))

    def test_paths_are_escaped_and_relative(self):
        self.write("a b.shard", (ROOT / "docs/rules/W-unused-value.wrong.shard").read_text())
        (result,) = self.sarif(self.folder / "a b.shard", code=HOLDS, cwd=self.folder)["results"]
        self.assertEqual("a%20b.shard", result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"])

    def test_of_many_meshes(self):
        """One result for a place that many meshes find wrong, none for a sweep that holds."""
        (run_of_tool,) = json.loads(run("check", "examples/wrong/unscaled_mean.shard", "--sweep", "data=1,2,4",
                                        "--format", "sarif")[1])["runs"]
        (result,) = run_of_tool["results"]
        self.assertEqual("not-equal", result["ruleId"])
        self.assertTrue(result["message"]["text"].endswith(" (on data=2 and 1 more of the sweep)"), result)
        code, out, err = run("check", "examples/tp_mlp.shard", "--sweep", "model=1..2", "--format", "sarif")
        self.assertEqual((HOLDS, "", []), (code, err, json.loads(out)["runs"][0]["results"]))


class Github(Case):
    def test_of_many_meshes(self):
        """The table as always, then what it finds, once."""
        code, out, err = run("check", "examples/wrong/unscaled_mean.shard", "--sweep", "data=1,2,4", "--format", "github")
        self.assertEqual((DOES_NOT_HOLD, ""), (code, err))
        self.assertTrue(out.startswith("sweep examples/wrong/unscaled_mean.shard\n"))
        (annotation,) = [line for line in out.splitlines() if line.startswith("::")]
        self.assertRegex(annotation, r"\A::error file=examples/wrong/unscaled_mean\.shard,.*title=not-equal::"
                                     r".*\(on data=2 and 1 more of the sweep\)\Z")

    def test_errors_of_all_meshes(self):
        """Told once, also where all meshes are skipped."""
        self.write("p.shard", "isoshard 1\nmesh @m [a=2]\nglobal @x : f32[7] input\nprogram @p on @m {\n"
                              "  %x = view @x [a]\n  return @y = %x [a]\n}\nprogram @q {\n  %x = view @x [-]\n"
                              "  return @y = %x [-]\n}\ncheck @p == @q\n")
        code, out, err = self.run_here("check", "p.shard", "--sweep", "a=2..4", "--format", "github")
        self.assertEqual((BAD_INPUT, ""), (code, err))
        self.assertRegex(out, r"\A::error file=p\.shard,line=5,[^\n]*title=T-divide::[^\n]*\n\Z")

    def test_annotations(self):
        code, out, err = run("check", WRONG, "--format=github")
        self.assertEqual((DOES_NOT_HOLD, ""), (code, err))
        annotations = [line for line in out.splitlines() if line.startswith("::")]
        self.assertEqual(2, len(annotations), out)
        self.assertRegex(annotations[0], r"\A::error file=docs/rules/S-linear\.wrong\.shard,line=9,col=8,endColumn=17,"
                                         r"title=S-linear::add: ")
        self.assertRegex(annotations[1], r"\A::error file=.*,title=not-equal::check @sharded == @dense: DOES NOT HOLD")

    def test_undecided_is_a_warning(self):
        self.write("p.shard", (ROOT / WRONG).read_text().split("check ")[0])
        code, out, _ = self.run_here("check", "p.shard", "--format=github")
        self.assertEqual(UNDECIDED, code)
        self.assertRegex(out, r"\A::error::p\.shard has no `check` line")

    def test_what_holds_has_none(self):
        self.assertNotIn("::", run("check", "examples/tp_mlp.shard", "--format=github")[1])

    def test_nothing_breaks_out_of_a_message(self):
        self.write("a,b:c.shard", "isoshard 1\nprogram @p {\n")
        out = self.run_here("check", "a,b:c.shard", "--format=github")[1]
        self.assertRegex(out, r"\A::error file=a%2Cb%3Ac\.shard,line=")


class Summary(Case):
    def test_of_several_inputs(self):
        code, out, _ = run("check", "examples/tp_mlp.shard", "examples/wrong/unscaled_mean.shard")
        self.assertEqual((DOES_NOT_HOLD, "2 inputs, 3 checks: 2 EQUAL, 1 NOT EQUAL"), (code, out.splitlines()[-1]))
        out = run("check", "examples/tp_mlp.shard", "docs/rules/W-unused-value.wrong.shard")[1]
        self.assertEqual("2 inputs, 2 checks: 2 EQUAL; 1 warning", out.splitlines()[-1])

    def test_inputs_with_errors_are_counted(self):
        code, out, _ = run("check", "examples/tp_mlp.shard", "none.shard")
        self.assertEqual((BAD_INPUT, "2 inputs, 1 of them with errors, 1 check: 1 EQUAL"), (code, out.splitlines()[-1]))

    def test_not_of_one(self):
        self.assertTrue(run("check", "examples/tp_mlp.shard")[1].splitlines()[-1].startswith("EQUAL as formulas"))


class Help(Case):
    def test_80_columns(self):
        for arguments in (["--help"], *([command, "--help"] for command in COMMANDS)):
            code, out, err = run(*arguments)
            self.assertEqual((HOLDS, ""), (code, err))
            self.assertEqual([], [line for line in out.splitlines() if len(line) > 80], arguments)

    def test_lists_are_as_wide_as_the_terminal_and_one_line_elsewhere(self):
        for command in ("ops", "models"):
            leader, follower = pty.openpty()
            fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
            with subprocess.Popen([BINARY, command], stdout=follower) as process:
                os.close(follower)
                shown = b""
                while True:
                    try:
                        shown += os.read(leader, 4096)
                    except OSError:  # the other end is closed
                        break
                self.assertEqual(HOLDS, process.wait(timeout=60))
            os.close(leader)
            lines = shown.decode().replace("\r\n", "\n").splitlines()
            self.assertEqual([], [line for line in lines if len(line) > 80])
            piped = run(command)[1].splitlines()
            self.assertEqual([], [line for line in piped if line.startswith(" ")])
            self.assertGreater(len(lines), len(piped))
            self.assertEqual(" ".join(piped).split(), " ".join(lines).split())

    def test_help_is_a_command(self):
        self.assertEqual(run("--help"), run("help"))
        self.assertEqual(run("check", "--help"), run("help", "check"))
        self.assertEqual((BAD_INPUT, "", 'error: no command is called "chek"; did you mean "check"?\n'),
                         run("help", "chek"))

    def test_version(self):
        self.assertEqual(run("version"), run("-V"))
        self.assertEqual(run("version"), run("--version"))

    def test_standard_input(self):
        with open(ROOT / "examples/tp_mlp.shard", encoding="utf-8") as text:
            code, out, err = run("check", "-", stdin=text)
        self.assertEqual((HOLDS, ""), (code, err))
        self.assertTrue(out.startswith("check @tp_mlp == @mlp  (<stdin>:"), out)


if __name__ == "__main__":
    unittest.main(verbosity=2)
