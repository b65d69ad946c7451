#!/usr/bin/python3
"""Ranks of the stand-in that are processes (`run --launcher processes`): they issue what threads issue, and however one of them, the
process of their devices or their parent ends, the run ends, says why, and leaves no process behind.
"""

import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time
import unittest

from isoshard import BINARY, DOES_NOT_HOLD, HOLDS, ROOT

MLP = ("examples/tp_mlp.shard", "--mesh", "data=1,model=2")
SUM = "examples/tp_mlp.shard:34:8: all_reduce r"
GONE = r".*remote error \(rank 1 is gone\)"
MUTANT = pathlib.Path(BINARY).resolve().parent.parent / "tests" / "mutant"
PROBLEMS = 70


def command(*arguments, launcher="processes", deadline=30):
    return [BINARY, "run", *arguments, "--device", "cpu-standin", "--check", "--deadline", str(deadline), "--launcher", launcher]


def run(*arguments, strict="1", environment=(), **options):
    given = {**os.environ, "STANDIN_QUERY_MS": "3", **dict(environment)}
    done = subprocess.run(command(*arguments, **options), cwd=ROOT, capture_output=True, text=True, timeout=120, check=False,
                          env={**given, **({"STANDIN_STRICT": strict} if strict else {})})
    return done.returncode, done.stdout, done.stderr


def state_of(process):
    """`S` where it sleeps; nothing where it has ended."""
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return "Z"


class Started:
    """A run whose rank 1 hangs in its first sum."""

    def __init__(self):
        self.process = subprocess.Popen(command(*MLP, deadline=60), cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        env={**os.environ, "STANDIN_FAULT": "1:ncclAllReduce:hang"})
        assert "hang" in self.process.stderr.readline()
        pid = self.process.pid
        self.children = [int(child) for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    def end(self):
        _, err = self.process.communicate(timeout=60)
        return self.process.returncode, err

    def all_ended(self):
        for _ in range(500):
            if all(state_of(child) == "Z" for child in self.children):
                return True
            time.sleep(0.02)
        return False


class Same(unittest.TestCase):
    def calls_seen(self, launcher, *arguments):
        """What the stand-in was called with, by rank, in its own words; bytes of kernels are not the same in each run (padding)."""
        with tempfile.TemporaryDirectory() as folder:
            code, _, err = run(*arguments, launcher=launcher, environment={"STANDIN_CALLS": folder, "STANDIN_SEED": "5"})
            self.assertEqual(HOLDS, code, err)
            return {path.name: re.sub(r"(?m)^kernel \d+", "kernel", path.read_text()) for path in pathlib.Path(folder).iterdir()}

    def test_calls(self):
        for program in ((*MLP, "--products", "library"), ("examples/train_step.shard", "--graph", "on", "--steps", "3"),
                        ("examples/pipeline_1f1b.shard",)):
            with self.subTest(program):
                threads = self.calls_seen("threads", *program)
                self.assertGreater(len(threads), 1)
                self.assertEqual(threads, self.calls_seen("processes", *program))

    def test_wrong_calls_are_named(self):
        if not (MUTANT / "libisoshard_exec_standin.so").exists():
            self.skipTest("the mutant backend is not built")
        for mistake, message in (("count 1", f"{SUM}: issued ncclAllReduce with count 1439, expected 1440 (call 13 of 19 of step 1)"),
                                 ("drop_wait 1", f"{SUM}: issued ncclAllReduce of send ")):
            code, out, err = run(*MLP, strict="", environment={"ISOSHARD_EXEC_PATH": str(MUTANT), "ISOSHARD_MUTANT": mistake})
            self.assertEqual((DOES_NOT_HOLD, ""), (code, out))
            self.assertIn(f"error: rank 1: {message}", err)
            self.assertTrue(err.endswith("[R-issued]\n"), err)

    def test_a_deadlock_names_the_call(self):
        code, _, err = run("tests/zoo/45_interleaved_send_order/wrong.plan", strict="")
        self.assertEqual(DOES_NOT_HOLD, code)
        self.assertRegex(err, r"error: rank \d: tests/zoo/45_interleaved_send_order/wrong.plan:\d+:5: (send|recv).*\[R-failed\]")

    def test_memory_outlives_what_uses_it(self):
        """A step that times out leaves work behind, which ends with its process."""
        code, _, err = run("pp_training", "--set", "b=64", deadline=1)
        self.assertEqual(DOES_NOT_HOLD, code, err)
        self.assertIn("R-deadline", err)


class Killed(unittest.TestCase):
    def test_a_rank(self):
        """Before, in and behind a collective, and when it meets or leaves the others; what these say may come too late to be told."""
        for call, others in (("cudaMalloc", "ncclCommInitRankConfig: .*"), ("ncclCommSplit", f"ncclComm(Split|InitRankConfig): {GONE}"),
                             ("cudaStreamWaitEvent", f"{SUM}: {GONE}"), ("ncclAllReduce", f"{SUM}: {GONE}"),
                             ("cudaStreamQuery", f"{SUM}: {GONE}"), ("cudaEventElapsedTime", ""),
                             ("ncclCommFinalize", f"ncclCommFinalize: {GONE}")):
            with self.subTest(call):
                code, out, err = run(*MLP, environment={"STANDIN_FAULT": f"1:{call}:kill"})
                self.assertEqual((DOES_NOT_HOLD, ""), (code, out), err)
                self.assertRegex(err, rf"^stand-in fault: {call}, call \d+ of rank 1: kill\n")
                self.assertRegex(err, rf"(?m)^error: rank 1 was killed by signal 9 \(Killed\)( \(rank 0: {others}\))? \[R-failed\]$")

    def test_one_that_is_not_reached_holds(self):
        code, out, err = run(*MLP, environment={"STANDIN_FAULT": "1:99999:kill"})
        self.assertEqual(HOLDS, code, err)
        self.assertRegex(err, r"^stand-in fault: not reached, rank 1 made \d+ calls\n$")
        self.assertTrue(out.endswith("EQUAL to sim, bit for bit\n"))

    def test_threads_cannot_be(self):
        code, _, err = run(*MLP, launcher="threads", environment={"STANDIN_FAULT": "1:ncclAllReduce:kill"})
        self.assertEqual(PROBLEMS, code)
        self.assertIn("a fault of kind kill: expected ranks that are processes", err)

    def test_from_outside(self):
        with Started() as started:
            self.assertEqual(3, len(started.children))  # the devices, and two ranks
            os.kill(started.children[2], signal.SIGKILL)
            code, err = started.end()
            self.assertEqual(DOES_NOT_HOLD, code)
            self.assertRegex(err, rf"^error: rank 1 was killed by signal 9 \(Killed\)( \(rank 0: {SUM}: {GONE}\))? \[R-failed\]\n$")
            self.assertTrue(started.all_ended())

    def test_the_devices(self):
        with Started() as started:
            os.kill(started.children[0], signal.SIGKILL)
            code, err = started.end()
            self.assertEqual(DOES_NOT_HOLD, code)
            self.assertRegex(err, r"^error: rank [01]: .*\[R-failed\]\n")
            self.assertTrue(started.all_ended())

    def test_the_parent(self):
        for sent, code in ((signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 128 + signal.SIGINT), (signal.SIGTERM, 128 + signal.SIGTERM)):
            with self.subTest(sent), Started() as started:
                self.assertFalse(any(state_of(child) == "Z" for child in started.children))
                os.kill(started.process.pid, sent)
                self.assertEqual(code, started.end()[0])
                self.assertTrue(started.all_ended())


class Versions(unittest.TestCase):
    """What is loaded has to be able to do what the backend was compiled for; it is asked before anything else."""

    def test_a_driver_that_is_too_old(self):
        for launcher in ("threads", "processes"):
            code, out, err = run(*MLP, launcher=launcher, environment={"STANDIN_DRIVER": "12080"})
            self.assertEqual((DOES_NOT_HOLD, "", "error: the driver is for CUDA 12.8, and this program needs CUDA 13.0; expected a newer driver, "
                              "or a build with an older toolkit [R-failed]\n"), (code, out, err))
        self.assertEqual(HOLDS, run(*MLP, environment={"STANDIN_DRIVER": "14010"})[0])
        code, out, err = run(*MLP, environment={"STANDIN_DRIVER": "0"})
        self.assertEqual((77, "", "error: there is no driver of a GPU [R-device]\n"), (code, out, err))

    def test_a_library_of_nccl_that_does_not_match_its_header(self):
        for version, words in (("22707", "2.27.7"), ("30000", "3.0.0"), ("22808", "2.28.8")):
            code, out, err = run(*MLP, environment={"STANDIN_NCCL": version})
            self.assertEqual((DOES_NOT_HOLD, "", f"error: the library of NCCL is version {words}, and this program was compiled with the header "
                              "of 2.28.9; expected that library or a newer one of the same major version (LD_LIBRARY_PATH) [R-failed]\n"),
                             (code, out, err))
        self.assertEqual(HOLDS, run(*MLP, environment={"STANDIN_NCCL": "22900"})[0])

    def test_one_device_for_two_ranks(self):
        code, out, err = run(*MLP, strict="", environment={"STANDIN_DEVICES": "1"})
        self.assertEqual((DOES_NOT_HOLD, ""), (code, out))
        self.assertRegex(err, r"(?m)^error: rank [01]: ncclCommInitRankConfig: .*\[R-failed\]$")


class Hangs(unittest.TestCase):
    def test_in_a_call(self):
        code, _, err = run(*MLP, deadline=1, environment={"STANDIN_FAULT": "1:ncclAllReduce:hang"})
        self.assertEqual(DOES_NOT_HOLD, code)
        self.assertRegex(err, rf"(?m)^error: rank 0: {SUM}: call 1 of 1 on communicator model \(member 0 of 2\) in step 1 has not ended in time \(rank 1 says nothing, as where a call does not return\) "
                         r"\[R-deadline\]$")

    def test_a_failing_call(self):
        code, _, err = run(*MLP, environment={"STANDIN_FAULT": "1:ncclAllReduce:error"})
        self.assertEqual(DOES_NOT_HOLD, code)
        self.assertRegex(err, rf"(?m)^error: rank 1: {SUM}: a collective.*\[R-failed\]$")


if __name__ == "__main__":
    unittest.main()
