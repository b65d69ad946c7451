#!/usr/bin/python3
"""What every command promises: exit codes, help with one example, colours only on a terminal, JSON that parses."""

import json
import os
import re
import shlex
import shutil
import subprocess
import unittest

from isoshard import BAD_INPUT, BINARY, DOES_NOT_HOLD, HOLDS, ROOT, UNDECIDED, Case, run

COMMANDS = ["check", "sim", "show", "models", "make", "fmt", "version"]
WRONG = "examples/wrong/unscaled_mean.shard"
NO_CHECK = "isoshard 1\nglobal @x : f32[4] input\nprogram @a {\n  %x = view @x [-]\n  return @y = %x [-]\n}\n"


class ExitCodes(Case):
    def test_holds(self):
        self.assertEqual(HOLDS, run("check", "examples/tp_mlp.shard")[0])

    def test_does_not_hold(self):
        self.assertEqual(DOES_NOT_HOLD, run("check", WRONG)[0])

    def test_bad_input_wins(self):
        """With several inputs a file that cannot be read is told, whatever the others say."""
        self.assertEqual(BAD_INPUT, run("check", "examples/tp_mlp.shard", "none.shard")[0])

    def test_several_files(self):
        self.assertEqual(DOES_NOT_HOLD, run("check", "tp_mlp", WRONG)[0])
        self.assertEqual(HOLDS, run("check", "examples/tp_mlp.shard", "ring_matmul")[0])

    def test_file_without_a_check(self):
        self.write("p.shard", NO_CHECK)
        code, out, err = self.run_here("check", "p.shard")
        self.assertEqual(UNDECIDED, code)
        self.assertEqual("", out)
        self.assertEqual(
            "error: p.shard has no `check` line, so nothing was decided; add `check @sharded == @reference`\n", err)

    def test_state_error_in_sim(self):
        code, out, err = run("sim", "examples/wrong/missing_all_reduce.shard", "--program", "wrong")
        self.assertEqual((BAD_INPUT, ""), (code, out))
        self.assertIn("[S-linear]", err)

    def test_closed_output(self):
        """A reader that goes away is no crash; `show | head -1` ends quietly."""
        command = f"{shlex.quote(BINARY)} make tp_mlp | true; echo ${{PIPESTATUS[0]}}"
        done = subprocess.run(["bash", "-c", command], capture_output=True, check=False)
        self.assertIn(done.stdout.decode().strip(), {str(HOLDS), str(BAD_INPUT)})

    def test_full_disk(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([BINARY, "make", "tp_mlp"], stdout=full, stderr=subprocess.PIPE, check=False)
        self.assertEqual(BAD_INPUT, done.returncode)


class Help(Case):
    def test_overview(self):
        code, out, err = run("--help")
        self.assertEqual((HOLDS, ""), (code, err))
        for command in COMMANDS:
            self.assertRegex(out, rf"(?m)^  {command} ")
        self.assertIn("Exit codes: 0 holds, 1 does not hold, 2 bad input, 3 could not decide.", out)

    def test_each_command_has_one_example_that_works(self):
        for command in COMMANDS[:-1]:
            with self.subTest(command=command):
                code, out, _ = run(command, "--help")
                self.assertEqual(HOLDS, code)
                examples = re.findall(r"(?m)^Example: isoshard (.*)$", out)
                self.assertEqual(1, len(examples), out)
                if command != "sim":  # its example needs in.npz; sim_numpy_test.py runs it
                    self.assertEqual(HOLDS, run(*examples[0].split())[0], examples[0])

    def test_options_tell_their_defaults(self):
        for command in ("check", "sim"):
            for line in re.findall(r"(?m)^  --(?!json|help).*(?:\n {10,}.*)*", run(command, "--help")[1]):
                with self.subTest(command=command, option=line.split()[0]):
                    self.assertIn("default", line)

    def test_version(self):
        code, out, err = run("version")
        self.assertEqual((HOLDS, ""), (code, err))
        self.assertRegex(out, r"\Aisoshard \d+\.\d+\.\d+, \.shard format 1\n\Z")
        self.assertEqual((HOLDS, out, ""), run("--version"))


class Colour(Case):
    def on_a_terminal(self, *arguments, **env):
        """What `isoshard ARGUMENTS` writes when stdout and stderr are a terminal."""
        command = shlex.join(["script", "-qec", shlex.join([BINARY, *arguments]), "/dev/null"])
        environment = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "CLICOLOR_FORCE")}
        environment.update({"TERM": "xterm", **env})
        return subprocess.run(command, shell=True, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, check=False).stdout

    def test_pipe_has_none(self):
        for file in ("examples/tp_mlp.shard", WRONG, "none.shard"):
            _, out, err = run("check", file, env={"TERM": "xterm"})
            self.assertNotIn("\033", out + err)

    @unittest.skipUnless(shutil.which("script"), "needs script(1)")
    def test_terminal(self):
        for file in ("examples/tp_mlp.shard", WRONG, "none.shard"):
            with self.subTest(file=file):
                self.assertIn(b"\033[", self.on_a_terminal("check", file))
                self.assertNotIn(b"\033[", self.on_a_terminal("check", file, NO_COLOR="1"))
                self.assertNotIn(b"\033[", self.on_a_terminal("check", file, TERM="dumb"))
                self.assertNotIn(b"\033[", self.on_a_terminal("check", file, "--color", "never"))

    def test_always(self):
        _, out, _ = run("check", WRONG, "--color", "always", env={"NO_COLOR": "1"})
        self.assertIn("\033[", out)


class Json(Case):
    def check(self, *inputs):
        code, out, err = run("check", *inputs, "--json")
        self.assertEqual("", err)
        report = json.loads(out)
        self.assertEqual((1, code), (report["isoshard"], report["exit_code"]))
        return report["checks"]

    def test_equal(self):
        (check,) = self.check("examples/tp_mlp.shard")
        self.assertEqual("examples/tp_mlp.shard", check["input"])
        self.assertEqual(("EQUAL", HOLDS), (check["verdict"], check["exit_code"]))
        self.assertEqual([("y", "f32[24,60]", "EQUAL")],
                         [(output["name"], output["type"], output["verdict"]) for output in check["outputs"]])
        self.assertEqual([], check["state_errors"])

    def test_not_equal(self):
        right, wrong = self.check(WRONG)
        self.assertEqual(("EQUAL", HOLDS), (right["verdict"], right["exit_code"]))
        self.assertEqual(("NOT EQUAL", DOES_NOT_HOLD), (wrong["verdict"], wrong["exit_code"]))
        self.assertIn("4x too large (= size(data))", wrong["headline"])

    def test_state_errors(self):
        _, wrong = self.check("examples/wrong/missing_all_reduce.shard")
        self.assertEqual(["S-linear"], [error["rule"] for error in wrong["state_errors"]])

    def test_bad_input_is_told_on_stderr(self):
        code, out, err = run("check", "none.shard", "--json")
        self.assertEqual({"isoshard": 1, "exit_code": BAD_INPUT, "checks": []}, json.loads(out))
        self.assertEqual('error: cannot read "none.shard": No such file or directory [P-file]\n', err)
        self.assertEqual(BAD_INPUT, code)


class Replicas(Case):
    def test_sim_warns(self):
        """Copies that disagree are no error of the run, but they are told."""
        code, _, err = run("sim", "tests/files/check/replicas.shard")
        self.assertEqual(HOLDS, code)
        self.assertEqual(
            "warning: output @r: the devices at positions 0 and 1 of mesh @grid hold different copies, "
            "first at [0, 0]; the first copy is written [I-replicas]\n", err)


class Catalogue(Case):
    def test_models(self):
        code, out, err = run("models")
        self.assertEqual((HOLDS, ""), (code, err))
        names = [line.split()[0] for line in out.splitlines()]
        self.assertEqual(["tp_mlp", "ring_matmul"], names)
        for name in names:
            self.assertEqual(HOLDS, run("models", name)[0])

    def test_make_can_be_checked(self):
        for name in ("tp_mlp", "ring_matmul"):
            for mesh in ("data=1,model=1", "data=2,model=3", "data=3,model=2", "data=1,model=8"):
                with self.subTest(name=name, mesh=mesh):
                    code, out, err = run("make", name, "--mesh", mesh)
                    self.assertEqual((HOLDS, ""), (code, err))
                    self.write("made.shard", out)
                    self.assertEqual(HOLDS, self.run_here("check", "made.shard")[0])
                    self.assertEqual((HOLDS, out, ""), self.run_here("show", "made.shard"))

    def test_show_one_program(self):
        wrong = "examples/wrong/missing_all_reduce.shard"
        for program in ("right", "@right"):
            for kind in ([], ["--types"], ["--plan"]):
                with self.subTest(program=program, kind=kind):
                    code, out, err = run("show", wrong, "--program", program, *kind)
                    self.assertEqual((HOLDS, ""), (code, err))
                    self.assertIn("@right", out)
                    self.assertNotIn("@dense", out)
                    self.assertNotIn("@wrong", out)
        code, out, err = run("show", wrong, "--program", "wrong", "--types")
        self.assertEqual(HOLDS, code)
        self.assertIn("[S-linear]", err)


if __name__ == "__main__":
    unittest.main(verbosity=2)
