#!/usr/bin/python3
"""What every command promises: exit codes, help with one example, colours only on a terminal, JSON that parses."""

import json
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import time
import unittest

from isoshard import BAD_INPUT, BINARY, DOES_NOT_HOLD, HOLDS, ROOT, UNDECIDED, Case, ordinary_only, run, throwaway_counts

COMMANDS = ["check", "sim", "show", "models", "make", "fmt", "version"]
WRONG = "examples/wrong/unscaled_mean.shard"
NO_CHECK = "isoshard 1\nglobal @x : f32[4] input\nprogram @a {\n  %x = view @x [-]\n  return @y = %x [-]\n}\n"


class Experts(Case):
    """`check` on one rung, in so many lanes, with so small an error."""

    def last(self, *options):
        code, out, err = run("check", *options)
        self.assertEqual("", err)
        return code, out.splitlines()[-1]

    def refused(self, *options):
        code, out, err = run("check", "tp_mlp", *options)
        self.assertEqual((BAD_INPUT, ""), (code, out))
        return err.removesuffix("; `isoshard check --help` explains it\n")

    def test_rung(self):
        ring = "examples/ring_attention.shard"
        code, line = self.last(ring, "--rung", "E")
        self.assertEqual(HOLDS, code)
        self.assertIn("EQUAL as formulas (rung E, ", line)
        code, line = self.last("examples/tp_mlp.shard", "--rung", "A")
        self.assertEqual(HOLDS, code)
        self.assertEqual('error: check --rung: "C" is not A, B, E or Eh', self.refused("--rung", "C"))

    def test_lanes(self):
        self.assertEqual((HOLDS, "EQUAL as formulas (rung A, 5 lanes, "),
                         (lambda code, line: (code, line[:36]))(*self.last("examples/tp_mlp.shard", "--lanes", "5")))
        self.assertIn("1 lane, ", self.last("ring_matmul", "--lanes", "1")[1])
        for wrong in ("0", "9", "two", "-1", "2.5"):
            with self.subTest(wrong=wrong):
                self.assertEqual(f'error: check --lanes: "{wrong}" is not an integer from 1 to 8',
                                 self.refused("--lanes", wrong))

    @ordinary_only
    def test_error(self):
        code, line = self.last("ring_matmul", "--error", "2^-100")
        self.assertEqual(HOLDS, code)
        self.assertGreaterEqual(int(re.search(r"error <= 2\^-(\d+)", line).group(1)), 100)
        code, line = self.last("ring_matmul", "--error", "2^-100", "--lanes", "2")
        self.assertEqual(UNDECIDED, code)
        self.assertTrue(line.endswith("in 2 lanes; 2^-100 is the most that is accepted"), line)
        for wrong in ("2^-19", "2^-241", "2^40", "0.001", "2^-", "2^-4x", "-60", "2^--60"):
            with self.subTest(wrong=wrong):
                self.assertEqual(f'error: check --error: "{wrong}" is not 2^-N with N from 20 to 240',
                                 self.refused("--error", wrong))

    def test_explain(self):
        code, out, _ = run("check", "examples/ring_attention.shard", "--explain")
        self.assertEqual(HOLDS, code)
        self.assertIn("\n  rungs      A: ", out)
        self.assertIn("\n  bounds     output  rung", out)
        self.assertTrue(out.splitlines()[-1].startswith("EQUAL as formulas"))
        self.assertNotIn("bounds", run("check", "examples/ring_attention.shard")[1])
        self.assertEqual(
            (BAD_INPUT, "", "error: check --explain explains one mesh and --sweep checks many; leave one of them out\n"),
            run("check", "ring_matmul", "--explain", "--sweep", "model=1..2"))


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
        """A reader that goes away, as `head` does, ends the program by SIGPIPE, without a word."""
        for command in ("make tp_mlp", "check tp_mlp ring_matmul", "sim tp_mlp", "--help"):
            with self.subTest(command=command):
                line = f"{shlex.quote(BINARY)} {command} | true; echo ${{PIPESTATUS[0]}}"
                done = subprocess.run(["bash", "-c", line], cwd=ROOT, capture_output=True, check=False)
                self.assertIn((done.stdout, done.stderr), [(b"0\n", b""), (b"141\n", b"")])
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run([BINARY, "make", "tp_mlp"], stdout=writer, stderr=subprocess.PIPE, check=False)
        os.close(writer)
        self.assertEqual((-signal.SIGPIPE, b""), (done.returncode, done.stderr))

    def test_full_disk(self):
        for command in (["make", "tp_mlp"], ["show", "tp_mlp"], ["models"], ["version"], ["check", "ring_matmul"],
                        ["check", "ring_matmul", "--sweep", "model=1"], ["sim", "ring_matmul", "--json"]):
            with self.subTest(command=command), open("/dev/full", "wb") as full:
                done = subprocess.run([BINARY, *command], stdout=full, stderr=subprocess.PIPE, check=False)
                self.assertEqual(
                    (BAD_INPUT, b"error: the output cannot be written (No space left on device)\n"),
                    (done.returncode, done.stderr))

    def test_file_size_limit(self):
        """`show > FILE` past a quota is an error of the write, not a signal."""
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))
        with open(self.folder / "out.shard", "wb") as out, throwaway_counts() as counts:
            done = subprocess.run([BINARY, "make", "tp_mlp"], stdout=out, stderr=subprocess.PIPE, preexec_fn=limit,
                                  env={**os.environ, **counts}, check=False)
        self.assertEqual((BAD_INPUT, b"error: the output cannot be written (File too large)\n"),
                         (done.returncode, done.stderr))


class Interrupts(Case):
    def test_while_it_works(self):
        """SIGTERM ends with 143, at once and without a word."""
        with throwaway_counts() as counts, subprocess.Popen(
                [BINARY, "check", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                env={**os.environ, **counts}) as process:
            time.sleep(0.3)
            process.send_signal(signal.SIGTERM)
            out, err = process.communicate(timeout=60)
        self.assertEqual((128 + signal.SIGTERM, b"", b""), (process.returncode, out, err))

    def test_while_it_writes(self):
        """A signal between the first and the last byte of a file leaves the old file, and no other."""
        self.write("p.shard", "isoshard 1\nglobal @x : f32[8388608] input init=ones\nprogram @a {\n"
                              "  %x = view @x [-]\n  return @y = %x [-]\n}\n")
        interrupted = 0
        for _ in range(5):
            self.write("out.npz", "old")
            with throwaway_counts() as counts, subprocess.Popen(
                    [BINARY, "sim", "p.shard", "--outputs", "out.npz"], cwd=self.folder, stdout=subprocess.PIPE,
                    env={**os.environ, **counts}) as process:
                while process.poll() is None and not any(self.folder.glob(".isoshard-*")):
                    pass
                process.send_signal(signal.SIGINT)
                process.communicate(timeout=60)
            self.assertEqual(["out.npz", "p.shard"], sorted(os.listdir(self.folder)))
            size = (self.folder / "out.npz").stat().st_size
            self.assertIn((process.returncode, size > 3), {(130, False), (130, True), (HOLDS, True)})
            interrupted += size == 3
        self.assertGreater(interrupted, 0)

    def test_what_the_caller_ignores_stays_ignored(self):
        """As under nohup."""
        process = subprocess.Popen([BINARY, "check", "tp_mlp", "--sweep", "model=1,2"], stdout=subprocess.DEVNULL,
                                   preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        time.sleep(0.1)
        process.send_signal(signal.SIGHUP)
        self.assertEqual(HOLDS, process.wait(timeout=60))


class Memory(Case):
    def test_refused_up_front(self):
        numbers = r"about [0-9.]+ .iB \(\d+ bytes: globals [0-9.]+ TiB, values of the devices [0-9.]+ .iB\)"
        for command in ("sim", "check"):
            code, out, err = run(command, "tp_mlp", "--set", "d=1000000,f=840000")
            self.assertEqual((BAD_INPUT, ""), (code, out))
            self.assertRegex(err, r"\Aerror: (check: )?@tp_mlp on 8 virtual devices needs " + numbers +
                             r"; this machine gives [0-9.]+ .iB \(\d+ bytes, .*\); try smaller sizes \(--set\) or "
                             r"fewer devices \(--mesh\) \[D-memory\]\n\Z")

    @unittest.skipIf("address" in os.environ.get("ISOSHARD_SANITIZE", ""), "AddressSanitizer reserves terabytes")
    def test_limits_of_the_shell(self):
        """What `ulimit -v` allows is what there is."""
        limit = ("prlimit", "--as=600000000")
        code, _, err = run("check", "tp_mlp", "--set", "d=8400,f=840", prefix=limit)
        self.assertEqual(BAD_INPUT, code)
        self.assertIn("this machine gives 572 MiB (600000000 bytes, the limit of `ulimit -v`)", err)
        self.assertEqual(HOLDS, run("check", "ring_matmul", "--workers", "1", prefix=limit)[0])


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
        message = 'cannot read "none.shard": No such file or directory'
        self.assertEqual(
            {"isoshard": 1, "exit_code": BAD_INPUT, "checks": [],
             "diagnostics": [{"severity": "error", "rule": "P-file", "location": None, "message": message,
                              "notes": []}]},
            json.loads(out))
        self.assertEqual('error: cannot read "none.shard": No such file or directory [P-file]\n', err)
        self.assertEqual(BAD_INPUT, code)


class SimJson(Case):
    PROGRAM = """isoshard 1
mesh @m [p=2]
global @x : f32[2, 3] input
global @z : f64[2]    input init=zeros
global @big : f32[1001] input init=ones
program @a on @m {
  %x = view @x [-, -]
  %z = view @z [p]
  %one = constant {value=1, dtype=f64, shape=[1]}
  %inf = divide %one, %z
  %big = view @big [-]
  return @x = %x [-, -]
  return @inf = %inf [p]
  return @big = %big [-]
}
"""

    def sim(self, *arguments):
        code, out, err = self.run_here("sim", *arguments, "--json")
        report = json.loads(out)
        self.assertEqual((1, code), (report["isoshard"], report["exit_code"]))
        return report, err

    def test_outputs(self):
        self.write("p.shard", self.PROGRAM)
        report, err = self.sim("p.shard", "--seed", "3")
        self.assertEqual("", err)
        self.assertEqual((HOLDS, "p.shard", "a", 2, 3),
                         tuple(report[key] for key in ("exit_code", "input", "program", "devices", "seed")))
        x, inf, big = report["outputs"]
        self.assertEqual(("x", "f32", [2, 3], True), (x["name"], x["dtype"], x["shape"], x["finite"]))
        self.assertEqual(6, len(x["values"]))
        self.assertAlmostEqual(x["mean"], sum(x["values"]) / 6, places=12)
        self.assertEqual(x["largest"], max(map(abs, x["values"])))
        self.assertEqual({"name": "inf", "dtype": "f64", "shape": [2], "finite": False, "values": ["inf", "inf"]}, inf)
        self.assertEqual({"name": "big", "dtype": "f32", "shape": [1001], "finite": True, "mean": 1, "largest": 1}, big)

    def test_bad_input(self):
        report, err = self.sim("none.shard")
        self.assertEqual(BAD_INPUT, report["exit_code"])
        self.assertEqual([("error", "P-file")], [(d["severity"], d["rule"]) for d in report["diagnostics"]])
        self.assertEqual('error: cannot read "none.shard": No such file or directory [P-file]\n', err)

    def test_a_path_that_is_no_text(self):
        """JSON is UTF-8 whatever the file is called."""
        name = os.fsdecode(b"gr\xf6\xdfe.shard")
        (self.folder / name).write_text("isoshard 1\nmesh 3\n")
        report, _ = self.sim(name)
        self.assertEqual("gr\ufffd\ufffde.shard:2:6", report["diagnostics"][0]["location"])
        check = json.loads(self.run_here("check", name, "--json")[1])
        self.assertEqual("gr\ufffd\ufffde.shard:2:6", check["diagnostics"][0]["location"])

    def test_warnings(self):
        code, out, _ = run("sim", "tests/files/check/replicas.shard", "--json")
        report = json.loads(out)
        self.assertEqual(HOLDS, code)
        self.assertEqual([("warning", "I-replicas")], [(d["severity"], d["rule"]) for d in report["diagnostics"]])


class DeviceMemory(Case):
    """`sim --memory`: what a device holds, without a run."""

    def test_json(self):
        code, out, err = run("sim", "examples/tp_mlp.shard", "--memory", "--json")
        self.assertEqual((HOLDS, ""), (code, err))
        report = json.loads(out)
        self.assertEqual("tp_mlp", report["program"])
        (group,) = report["memory"]
        peak = group["peak"]
        self.assertEqual(8, group["devices"])
        self.assertEqual(peak["bytes"], sum(value["bytes"] for value in peak["held"]))
        self.assertEqual(peak["globals"], sum(value["bytes"] for value in peak["held"] if "global" in value))
        self.assertEqual(sorted((value["bytes"] for value in peak["held"]), reverse=True),
                         [value["bytes"] for value in peak["held"]])
        self.assertRegex(peak["at"]["location"], r"^examples/tp_mlp\.shard:\d+:\d+$")
        for arena in group["arena"].values():
            self.assertEqual(0, arena["bytes"] % 256)
            self.assertLessEqual(arena["live"], arena["bytes"])
            self.assertLess(abs(arena["bytes"] - peak["bytes"]), 0.01 * peak["bytes"])
        code, out, _ = run("sim", "pipeline", "--memory", "--json")
        for group in json.loads(out)["memory"]:
            self.assertLess(group["arena"]["tokens"]["bytes"], group["arena"]["ordered"]["bytes"],
                            "receives have bytes of their own where nothing orders them")

    @ordinary_only
    def test_all_models(self):
        """Nothing is allocated: a model that no machine could run is measured as well."""
        names = [line.split()[0] for line in run("models")[1].splitlines()]
        for name in names:
            with self.subTest(name=name):
                code, out, err = run("sim", name, "--memory")
                self.assertEqual((HOLDS, ""), (code, err))
                self.assertRegex(out, r"peak .*bytes")
                self.assertRegex(out, r"arena .*bytes\)?; where tokens order reuse .*bytes")
        code, out, _ = run("sim", "tp_mlp", "--memory", "--set", "d=840000,f=840000")
        self.assertEqual(HOLDS, code)
        self.assertIn("TiB", out)

    def test_what_needs_a_run(self):
        for option in (["--steps", "2"], ["--inputs", "x.npz"], ["--domain", "f64"], ["--per-device"]):
            with self.subTest(option=option):
                code, _, err = run("sim", "tp_mlp", "--memory", *option)
                self.assertEqual(BAD_INPUT, code)
                self.assertIn("excludes", err)

    def test_bad_input(self):
        code, out, err = run("sim", "none.shard", "--memory", "--json")
        self.assertEqual(BAD_INPUT, code)
        self.assertEqual(["P-file"], [d["rule"] for d in json.loads(out)["diagnostics"]])


class Replicas(Case):
    def test_sim_warns(self):
        """Copies that disagree are no error of the run, but they are told."""
        code, _, err = run("sim", "tests/files/check/replicas.shard")
        self.assertEqual(HOLDS, code)
        self.assertEqual(
            "warning: output @r: the devices at positions 0 and 1 of mesh @grid hold different copies, "
            "first at [0, 0]; the first copy is written [I-replicas]\n", err)


class Catalogue(Case):
    @ordinary_only
    def test_models(self):
        code, out, err = run("models")
        self.assertEqual((HOLDS, ""), (code, err))
        names = [line.split()[0] for line in out.splitlines()]
        self.assertEqual(
            ["tp_mlp", "ring_matmul", "tp_attention", "sp_norm", "embedding", "vocab_parallel_cross_entropy",
             "moe_all_to_all", "scan_mlp", "ring_attention", "flash_merge", "top1_moe", "silu_two_ways",
             "fold_rng_over_axis", "scale_init", "tp_dense", "tp_async_dense",
             "tp_layouts", "tp_async_mlp", "tp_classifier", "tp_transformer_block", "tp_transformer",
             "toy_model", "llm_toy_model",
             "model_parallelism_wrapper", "stack_params", "unstack_params",
             "execute_pipeline", "pipeline_module", "looping_pipeline", "shrew_pipeline", "pipeline", "pp_classifier",
             "split_array_over_mesh", "train_step", "tp_training", "pp_training", "dp_training",
             "shard_module_params", "gather_array_with_mean_grads", "sync_gradients",
             "async_gather", "async_gather_bidirectional", "async_gather_split", "async_scatter", "async_scatter_split"], names)
        for name in names:
            self.assertEqual(HOLDS, run("models", name)[0])

    @ordinary_only
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
