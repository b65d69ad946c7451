#!/usr/bin/python3
"""`run --check` names the first value that is not as in sim, where it is not, and `--check-every` leaves steps out.

Bits of what comes to a rank are flipped by the stand-in, once (spoil) or from a call on (corrupt).
"""

import pathlib
import re
import unittest

from isoshard import BAD_INPUT, BINARY, DOES_NOT_HOLD, HOLDS, Case, run

BACKEND = pathlib.Path(BINARY).resolve().parent / "libisoshard_exec_standin.so"
MLP = ("examples/tp_mlp.shard", "--mesh", "data=1,model=2")


class Difference(Case):
    def setUp(self):
        super().setUp()
        if not BACKEND.exists():
            self.skipTest("the backend of the stand-in is not built")

    def checked(self, *arguments, fault=""):
        environment = {"STANDIN_QUERY_MS": "3", **({"STANDIN_FAULT": fault} if fault else {})}
        return run("run", *arguments, "--device", "cpu-standin", "--check", env=environment)

    def names(self, first, *arguments, fault):
        code, out, err = self.checked(*arguments, fault=fault)
        self.assertEqual(DOES_NOT_HOLD, code, out + err)
        self.assertIn("corrupt" if "corrupt" in fault else "spoil", err)
        lines = [line for line in (out + err).splitlines() if "first difference: " in line]
        self.assertEqual(1, len(lines), out + err)
        self.assertIn("first difference: " + first, lines[0])
        self.assertEqual("R-replicas" in err, lines[0].endswith("[R-first]"))

    def test_the_first_value_that_differs(self):
        self.names("rank 1: examples/tp_mlp.shard:34:8: all_reduce r: [0, 0] is ", *MLP, fault="1:ncclAllReduce:corrupt")
        self.names("rank 2: examples/train_step.shard:41:10: all_gather tp_loss.grad.0.all: [0, 0] is ",
                   "examples/train_step.shard", fault="2:ncclAllGather:corrupt")
        self.names("rank 1: examples/pipeline_1f1b.shard:41:18: recv 0F0.received: [0, 0] is ",
                   "examples/pipeline_1f1b.shard", fault="1:ncclGroupStart:corrupt")

    def test_inside_a_loop_with_the_iteration(self):
        self.names("rank 1: examples/ring_matmul.shard:", "examples/ring_matmul.shard", fault="1:ncclGroupStart:corrupt")

    def test_a_later_step(self):
        self.names("rank 2: examples/train_step.shard:", "examples/train_step.shard", "--steps", "3",
                   fault="2:ncclAllGather:corrupt")

    def test_what_does_not_come_again(self):
        self.names("none that shows when the step is done again with copies of ", *MLP, fault="1:ncclAllReduce:spoil")

    def test_what_calls_write_is_what_sim_makes(self):
        """All values of a step are looked at, since none differs the second time."""
        for program, call, most in (("canonical", "ncclAllReduce", 100), ("convolution", "ncclAllReduce", 80),
                                    ("pipeline_interleaved", "ncclAllReduce", 600), ("ring_attention", "ncclGroupStart", 200),
                                    ("quantized", "ncclAllReduce", 40), ("scan_layers", "ncclAllReduce", 100),
                                    ("sgd_step", "ncclAllReduce", 200), ("uneven_rows", "ncclAllReduce", 20)):
            with self.subTest(program):
                code, out, err = self.checked(f"examples/{program}.shard", fault=f"1:{call}:spoil")
                self.assertEqual(DOES_NOT_HOLD, code)
                found = re.search(r"first difference: none that shows when .* with copies of (\d+) values", out + err)
                self.assertIsNotNone(found, out + err)
                self.assertGreaterEqual(int(found[1]), most)

    def test_a_right_run_names_nothing(self):
        code, out, err = self.checked(*MLP)
        self.assertEqual((HOLDS, ""), (code, err))
        self.assertNotIn("first difference", out)

    def test_some_steps(self):
        for every, looked in (("1", None), ("2", 3), ("3", 3), ("4", 2), ("7", 2)):
            code, out, err = self.checked("examples/train_step.shard", "--steps", "5", "--check-every", every)
            self.assertEqual((HOLDS, ""), (code, err))
            head = "compared with sim" + (f", {looked} of 5 steps" if looked else "") + ":"
            self.assertIn(head, out.splitlines())
            self.assertIn(f"in these {looked} steps" if looked else "in all 5 steps", out)

    def test_a_rate_without_a_check(self):
        code, _, err = run("run", *MLP, "--device", "cpu-standin", "--check-every", "2")
        self.assertEqual(BAD_INPUT, code)
        self.assertIn("--check-every requires --check", err)


if __name__ == "__main__":
    unittest.main()
