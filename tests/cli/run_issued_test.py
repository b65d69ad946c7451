#!/usr/bin/python3
"""`run --check` compares what each rank issued with its list of calls (R-issued).

The backend of these tests is the stand-in's with an issuer that makes one mistake (tests/standin/mutant): each has to be
named, with the rank and the place in the program, and the same run without it has to pass.
"""

import os
import pathlib
import subprocess
import unittest

from isoshard import BINARY, DOES_NOT_HOLD, HOLDS, ROOT

MUTANT = pathlib.Path(BINARY).resolve().parent.parent / "tests" / "mutant"
MLP = ("examples/tp_mlp.shard", "--mesh", "data=1,model=2")
SUM = "examples/tp_mlp.shard:34:8: all_reduce r: issued ncclAllReduce with "


def run_mutant(mistake, *arguments):
    return subprocess.run(
        [BINARY, "run", *arguments, "--device", "cpu-standin", "--check", "--deadline", "60"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "ISOSHARD_EXEC_PATH": str(MUTANT), "ISOSHARD_MUTANT": mistake, "STANDIN_QUERY_MS": "3"},
        timeout=120,
        check=False,
    )


class RunIssuedTest(unittest.TestCase):
    def setUp(self):
        if not (MUTANT / "libisoshard_exec_standin.so").exists():
            self.skipTest("the mutant backend is not built")

    def finds(self, message, mistake, *arguments):
        with self.subTest(mistake):
            result = run_mutant(mistake, *arguments)
            self.assertEqual((DOES_NOT_HOLD, ""), (result.returncode, result.stdout), result.stderr)
            self.assertIn("error: rank " + mistake.split()[1] + ": " + message, result.stderr)
            self.assertTrue(result.stderr.endswith("[R-issued]\n"), result.stderr)

    def test_a_right_issuer_passes(self):
        for program in (MLP, (*MLP, "--products", "library"), ("examples/train_step.shard", "--graph", "on", "--steps", "3"),
                        ("examples/pipeline_1f1b.shard",), ("examples/sgd_step.shard",)):
            with self.subTest(program):
                result = run_mutant("none 0", *program)
                self.assertEqual((HOLDS, ""), (result.returncode, result.stderr))
                self.assertRegex(result.stdout, r"\nissued as listed: \d+ calls of CUDA, NCCL and cuBLASLt\n")

    def test_collectives(self):
        self.finds(SUM + "count 1439, expected 1440 (call 13 of 19 of step 1)", "count 1", *MLP)
        self.finds(SUM + "type ncclInt32, expected ncclFloat32", "dtype 1", *MLP)
        self.finds(SUM + "op ncclMax, expected ncclSum", "op 1", *MLP)
        self.finds(SUM + "receive arena+5892, expected arena+5888", "offset 1", *MLP)
        self.finds(SUM + 'stream "compute", expected "comm model"', "stream 1", *MLP)
        self.finds("examples/sgd_step.shard:", "communicator 2", "examples/sgd_step.shard")
        self.finds("examples/train_step.shard:62:11: all_reduce loss: issued cudaEventRecord of event behind call 71",
                   "swap 0", "examples/train_step.shard")

    def test_messages_and_communicators(self):
        self.finds("examples/pipeline_1f1b.shard:41:18: send: issued ncclSend with peer 0, expected 1", "peer 0",
                   "examples/pipeline_1f1b.shard")
        result = run_mutant("color 1", *MLP)  # which leaves each rank alone: the other one sees it, too
        self.assertEqual(DOES_NOT_HOLD, result.returncode)
        self.assertRegex(result.stderr, r"^error: rank (0: issued ncclCommSplit with|1: issued ncclCommSplit with color 1, "
                         r"expected 0,) size 1, expected 2.* \(call 2 of 2 of its opening\).* \[R-issued\]\n$")

    def test_events(self):
        self.finds('examples/tp_mlp.shard:34:8: all_reduce r: issued ncclAllReduce of send arena+5888, receive arena+5888, '
                   'count 1440, type ncclFloat32, op ncclSum, communicator model, stream "comm model"; expected '
                   'cudaStreamWaitEvent of stream "comm model", event 0', "drop_wait 1", *MLP)
        self.finds('examples/tp_mlp.shard:33:8: dot_general p: issued cudaStreamWaitEvent of stream "comm model", event 0; '
                   'expected cudaEventRecord of event 0, stream "compute"', "drop_record 1", *MLP)
        self.finds("examples/tp_mlp.shard:34:8: all_reduce r: issued cudaStreamWaitEvent with event of the begin, expected 0",
                   "event 1", *MLP)

    def test_kernels_and_products(self):
        data = "issued a kernel with data of digest "
        self.finds("examples/tp_mlp.shard:21:8: view x: " + data, "drop_kernel 1", *MLP)
        self.finds("examples/tp_mlp.shard:22:9: view W1: " + data, "twice 1", *MLP)
        self.finds("examples/tp_mlp.shard:21:8: view x: " + data, "kernel 1", *MLP)
        library = (*MLP, "--products", "library")
        self.finds("examples/tp_mlp.shard:30:8: add h: issued cublasLtMatmul with A arena, expected arena+5888, "
                   "B arena+5888, expected arena", "operands 0", *library)
        self.finds("examples/tp_mlp.shard:30:8: add h: issued cublasLtMatmul with beta 1, expected 0", "beta 0", *library)

    def test_a_graph(self):
        """A mistake that is made in the second step, while it is captured."""
        graph = (*MLP, "--repeat", "3", "--graph", "on")
        result = run_mutant("late_wait 0", *graph)
        self.assertEqual(DOES_NOT_HOLD, result.returncode)
        self.assertRegex(result.stderr, r'^error: rank 0: issued a kernel of kind map, .*; expected cudaStreamWaitEvent of stream '
                         r'"comm model", event of the begin \(call 3 of 25 of step 2\) \[R-issued\]\n$')

    def test_without_check_nothing_is_compared(self):
        result = subprocess.run(
            [BINARY, "run", *MLP, "--device", "cpu-standin"], capture_output=True, text=True, cwd=ROOT, check=False,
            env={**os.environ, "ISOSHARD_EXEC_PATH": str(MUTANT), "ISOSHARD_MUTANT": "twice 1", "STANDIN_QUERY_MS": "3"})
        self.assertEqual((HOLDS, ""), (result.returncode, result.stderr))
        self.assertNotIn("issued", result.stdout)


if __name__ == "__main__":
    unittest.main()
