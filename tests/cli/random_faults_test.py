#!/usr/bin/python3
"""Random faults of CUDA, NCCL and cuBLASLt: `isoshard run` never hangs, never crashes and never says EQUAL of spoiled numbers.

The stand-in makes one call of one rank fail, or the rank die or hang there, or spoils what communication brings to it. Of every
fourth run ranks are processes, and where one dies there it may be killed. A
run that this reaches has to end in time and to say which rank failed in what; one that it does not reach has to hold.
A run may hold in spite of a fault only where that came after the results, in a call that gives something back, or where
what was spoiled is not looked at; then outputs are compared with those of `sim` here, by NumPy.

50 faults; 500 with ISOSHARD_NIGHTLY, 10 with sanitizers. ISOSHARD_FAULTS=BEGIN:END runs others of the same sequence.
"""

import concurrent.futures
import functools
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time
import unittest

from isoshard import BAD_INPUT, BINARY, DOES_NOT_HOLD, HOLDS, ROOT

try:
    import numpy as np
except ImportError:
    print("skipped: python3-numpy is not installed")
    sys.exit(77)

SANITIZED = bool(os.environ.get("ISOSHARD_SANITIZE"))
COUNT = 10 if SANITIZED else 500 if os.environ.get("ISOSHARD_NIGHTLY") else 50
BEGIN, END = map(int, os.environ.get("ISOSHARD_FAULTS", f"0:{COUNT}").split(":"))
DEADLINE = 20 if SANITIZED else 5
# The caller gives ranks 10 s more than they have, and waits 2 s for threads.
BOUND = (DEADLINE + 12) * 2

NO_DEVICE = 77
NEVER = 10**12

# (program, ranks, options)
PROGRAMS = (
    ("examples/tp_mlp.shard", 2, ("--mesh", "data=1,model=2")),
    ("examples/tp_mlp.shard", 4, ("--mesh", "data=2,model=2", "--products", "library")),
    ("examples/embedding.shard", 8, ()),
    ("examples/native_all_reduce.shard", 4, ()),
    ("examples/pipeline_1f1b.shard", 4, ()),
    ("examples/quantized.shard", 4, ()),
    ("examples/ring_attention.shard", 2, ("--mesh", "seq=2")),
    ("examples/ring_both_ways.shard", 3, ("--mesh", "model=3")),
    ("examples/ring_matmul.shard", 4, ("--products", "library")),
    ("examples/sgd_momentum.shard", 8, ("--steps", "2")),
    ("examples/train_step.shard", 4, ("--steps", "3")),
    ("examples/uneven_rows.shard", 3, ()),
    ("examples/plans/one_f_one_b.plan", 2, ()),
    ("examples/plans/ring_all_reduce.plan", 4, ()),
    ("examples/plans/tied_embeddings.plan", 3, ()),
    ("async_gather_bidirectional", 4, ()),
    ("pipeline", 4, ()),
    ("scan_mlp", 8, ()),
    ("tp_dense", 4, ()),
    ("top1_moe", 4, ()),
)
KINDS = ("error",) * 7 + ("memory",) * 3 + ("gone",) * 4 + ("spoil",) * 5 + ("hang",)
# Calls that give something back, or wait for what is given back: a rank that is done ignores what they answer.
GIVING_BACK = {"ncclCommAbort", "cudaFree", "cudaEventDestroy", "cudaStreamDestroy", "cudaDeviceSynchronize",
               "cudaGraphDestroy", "cudaGraphExecDestroy", "cublasLtDestroy", "cublasLtMatmulDescDestroy",
               "cublasLtMatrixLayoutDestroy", "cublasLtMatmulPreferenceDestroy"}


class Fault:
    """The `number`-th of the sequence."""

    def __init__(self, number):
        draw = random.Random(number)
        self.number = number
        self.program, ranks, options = draw.choice(PROGRAMS)
        self.options = options
        self.graph = draw.random() < 0.4
        if self.graph:
            self.options += ("--graph", "on") + (() if "--steps" in options else ("--repeat", "3"))
        self.seed = draw.randrange(1000)
        self.kind = draw.choice(KINDS)
        self.rank = draw.randrange(ranks)
        self.at = draw.random() * 1.05  # of all calls of the rank
        if draw.random() < 0.04 and self.kind != "hang":  # threads that are no ranks: who asks for devices and the meeting point
            self.rank = -1
        self.launcher = "processes" if number % 4 == 3 else "threads"
        if self.launcher == "processes" and self.kind == "gone" and self.rank >= 0 and draw.random() < 0.7:
            self.kind = "kill"

    def deadline(self):
        return 1 if self.kind == "hang" and not SANITIZED else DEADLINE

    @functools.cached_property
    def call(self):
        return max(1, round(self.at * calls_of(self.program, self.options, self.rank)))

    def environment(self):
        return f"{self.rank}:{self.call}:{self.kind}"

    def __str__(self):
        return (f"fault {self.number}: STANDIN_FAULT={self.environment()} STANDIN_SEED={self.seed} isoshard run {self.program} "
                f"--device cpu-standin --launcher {self.launcher} --check --deadline {self.deadline()} {' '.join(self.options)}")


class Run:
    """What a run with a fault did."""

    def __init__(self, fault, folder):
        outputs = pathlib.Path(folder) / f"{fault.number}.npz"
        begin = time.monotonic()
        self.code, self.out, self.err = run(fault.program, *fault.options, "--outputs", outputs, seed=fault.seed,
                                            fault=fault.environment(), deadline=fault.deadline(), launcher=fault.launcher)
        self.seconds = time.monotonic() - begin
        self.outputs = outputs if outputs.exists() else None
        told = re.search(r"^stand-in fault: (.*)$", self.err, re.M)
        self.reached = told is not None and not told.group(1).startswith("not reached")
        self.where = told.group(1).split(",")[0] if self.reached else None
        self.problems = re.findall(r"^stand-in: (.*)$", self.err, re.M)
        self.errors = re.findall(r"^error: (.*)$", self.err, re.M)
        self.holds = bool(re.search(r"^EQUAL to sim", self.out, re.M))

    def __str__(self):
        return f"exit code {self.code} after {self.seconds:.1f} s\n{self.out}{self.err}"


def run(program, *options, seed=0, fault, deadline, launcher="threads"):
    done = subprocess.run([BINARY, "run", program, "--device", "cpu-standin", "--launcher", launcher, "--check", "--deadline", str(deadline),
                           *options],
                          cwd=ROOT, capture_output=True, text=True, timeout=BOUND, check=False,
                          env={**os.environ, "STANDIN_SEED": str(seed), "STANDIN_QUERY_MS": "3", "STANDIN_STRICT": "1",
                               "STANDIN_FAULT": fault})
    return done.returncode, done.stdout, done.stderr


@functools.lru_cache(None)
def calls_of(program, options, rank):
    """How many calls the rank makes when nothing fails; the run has to hold."""
    code, out, err = run(program, *options, fault=f"{rank}:{NEVER}:error", deadline=DEADLINE)
    made = re.search(r"^stand-in fault: not reached, rank -?\d+ made (\d+) calls$", err, re.M)
    if code != HOLDS or not made or "EQUAL to sim" not in out:
        raise AssertionError(f"{program} {' '.join(options)} without a fault: exit code {code}\n{out}{err}")
    return int(made.group(1))


def close(x, y):
    """Bit for bit but for floats, which are added in other orders; bf16 is no dtype of NumPy."""
    if x.dtype.kind not in "fV":
        return x.tobytes() == y.tobytes()
    tolerance = 1e-4
    if x.dtype.kind == "V":
        x, y = ((z.view(np.uint16).astype(np.uint32) << 16).view(np.float32) for z in (x, y))
        tolerance = 0.05
    return np.allclose(x, y, rtol=tolerance, atol=tolerance * float(np.max(np.abs(y), initial=0)), equal_nan=True)


def same_numbers(ours, theirs):
    with np.load(ours) as a, np.load(theirs) as b:
        return sorted(a.files) == sorted(b.files) and all(
            a[name].dtype == b[name].dtype and a[name].shape == b[name].shape and close(a[name], b[name]) for name in a.files)


def named_in_messages(call):
    """What an error message says of a call that failed, beside the instruction that it was made for."""
    if call.startswith("cublas"):
        return "cuBLASLt status"
    if call.startswith(("ncclSend", "ncclRecv", "ncclGroup")):
        return "a group of messages"
    if call in ("ncclAllReduce", "ncclAllGather", "ncclReduceScatter", "ncclAlltoAll"):
        return "a collective"
    if call in ("ncclCommCount", "ncclCommUserRank"):  # for the record of what was issued
        return "ncclCommSplit"
    return "" if call == "ncclCommGetAsyncError" else call.removesuffix("WithFlags")  # which is asked of others


class RandomFaults(unittest.TestCase):
    maxDiff = None

    def test_bad_values_are_refused(self):
        for value in ("x", "1:2", "1:0:error", "-2:1:error", "1:3:errors", "1:3:", "1:3 error", "1:cuda Malloc:gone", ""):
            with self.subTest(value):
                code, out, err = run("examples/uneven_rows.shard", fault=value, deadline=DEADLINE)
                self.assertEqual((70, ""), (code, out))
                self.assertTrue(err.startswith(f"stand-in: STANDIN_FAULT={value}: expected RANK:CALL:KIND, "), err)

    def test_each_call_by_name(self):
        """Whatever fails first, the message names the rank and the call. Once it said only `made: unknown error`."""
        for call in ("cudaSetDevice", "cudaMemGetInfo", "cudaMalloc", "cudaMemset", "cudaStreamCreateWithPriority",
                     "cudaEventCreateWithFlags", "ncclCommInitRankConfig", "ncclCommSplit", "cudaMemcpy", "cudaDeviceSynchronize",
                     "cudaEventRecord", "cudaStreamWaitEvent", "cublasLtMatmul", "ncclAllReduce", "cudaStreamQuery",
                     "cudaEventElapsedTime", "cudaStreamBeginCapture", "cudaStreamEndCapture", "cudaGraphInstantiate",
                     "cudaGraphLaunch", "ncclCommFinalize", "ncclCommDestroy"):
            with self.subTest(call):
                code, _, err = run("examples/tp_mlp.shard", "--mesh", "data=1,model=2", "--graph", "on", "--repeat", "3",
                                   "--products", "library", fault=f"1:{call}:error", deadline=DEADLINE)
                self.assertEqual(DOES_NOT_HOLD, code, err)
                self.assertRegex(err, rf"(?m)^stand-in fault: {call}, call \d+ of rank 1: error$")
                self.assertRegex(err, rf"(?m)^error: rank 1: (examples/tp_mlp.shard:\d+:\d+: .*)?{named_in_messages(call)}.*\[R-failed\]$")

    def test_random_faults(self):
        with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            self.folder = folder
            faults = [Fault(number) for number in range(BEGIN, END)]
            results = pool.map(lambda fault: self.done(fault), faults)
            reached = 0
            for fault, result in zip(faults, results):
                with self.subTest(str(fault)):
                    if isinstance(result, BaseException):
                        raise result
                    self.judge(fault, result)
                    reached += result.reached
        if END - BEGIN >= 50:
            self.assertGreater(reached, (END - BEGIN) // 2)

    def done(self, fault):
        try:
            fault.call
            return Run(fault, self.folder)
        except (AssertionError, subprocess.TimeoutExpired) as error:
            return error

    def judge(self, fault, done):
        self.assertIn(done.code, (HOLDS, DOES_NOT_HOLD, BAD_INPUT, NO_DEVICE if fault.rank < 0 else HOLDS), done)
        self.assertEqual([], done.problems, done)
        self.assertLess(done.seconds, BOUND, done)
        self.assertEqual(done.holds, done.code == HOLDS, done)
        if not done.reached:
            self.assertEqual((HOLDS, []), (done.code, done.errors), done)
        if done.code == HOLDS:
            self.assertTrue(same_numbers(done.outputs, self.of_sim(fault)), done)
        if done.reached:
            (self.judge_spoiled if fault.kind == "spoil" else self.judge_failed)(fault, done)

    def judge_spoiled(self, fault, done):
        if done.code == HOLDS:
            return
        if not done.errors:
            self.assertIn("NOT EQUAL to sim", done.out, done)
        for error in done.errors:
            self.assertRegex(error, r"^output @\S+ .*\[R-(replicas|repeat)\]$", done)

    def judge_failed(self, fault, done):
        if done.code == HOLDS:
            return self.assertIn(done.where, GIVING_BACK, done)
        self.assertEqual(1, len(done.errors), done)
        error = done.errors[0]
        if fault.kind == "hang":
            self.assertRegex(error, rf"\brank {fault.rank} .*, as where a call does not return.*\[R-deadline\]$", done)
            return
        if fault.kind == "kill":
            self.assertEqual(DOES_NOT_HOLD, done.code, done)
            self.assertRegex(error, rf"^rank {fault.rank} was killed by signal 9 \(Killed\)( \(.*\))? \[R-failed\]$", done)
            return
        no_memory = (fault.kind, done.where) == ("memory", "cudaMalloc")
        self.assertEqual(BAD_INPUT if no_memory else DOES_NOT_HOLD, done.code, done)
        self.assertRegex(error, r"\[D-memory\]$" if no_memory else r"\[R-failed\]$", done)
        if fault.rank >= 0:
            self.assertRegex(error, rf"^rank {fault.rank}: ", done)
        if fault.kind != "gone" and not no_memory:
            self.assertIn(named_in_messages(done.where), error, done)

    def of_sim(self, fault):
        path = pathlib.Path(self.folder) / f"sim.{fault.number}.npz"
        options = [option for option in fault.options]
        for name in ("--graph", "--repeat", "--products"):
            if name in options:
                at = options.index(name)
                del options[at : at + 2]
        subprocess.run([BINARY, "sim", fault.program, *options, "--outputs", path], cwd=ROOT, capture_output=True, check=True)
        return path


if __name__ == "__main__":
    unittest.main()
