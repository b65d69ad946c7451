#!/usr/bin/python3
"""Tables of exec_bench (bench/gpu/programs), on the stand-in: their form, what is checked, and how they end. The times
mean nothing there."""

import json
import os
import pathlib
import subprocess
import unittest

from isoshard import BINARY, ROOT, Case

APPS = pathlib.Path(BINARY).resolve().parent
BENCH = APPS.parent / "bench" / "exec_bench"
COLLECTIVES = ["all_reduce", "all_gather", "reduce_scatter", "all_to_all", "sendrecv"]
BUS = {"all_reduce": 2 * 2 / 3, "all_gather": 2 / 3, "reduce_scatter": 2 / 3, "all_to_all": 2 / 3, "sendrecv": 1}
# What by_hand compares: the most of the time by hand, or microseconds, call by call and in a graph.
PAIRS = {"tp_mlp": (1.03, None), "product": (1 / 0.9, None), "chain": (1 / 0.85, None), "softmax": (1 / 0.85, None),
         "layer_norm": (1 / 0.85, None), "launch": (None, (2.5, 1))}
HAS_IN_PLACE = COLLECTIVES[:3]


class ExecBench(Case):
    def setUp(self):
        super().setUp()
        if not BENCH.exists() or not (APPS / "libisoshard_exec_standin.so").exists():
            self.skipTest("exec_bench or the backend of the stand-in is not built")
        self.rows = self.folder / "rows.json"

    def bench(self, *arguments, **variables):
        environment = {**os.environ, "ISOSHARD_EXEC_PATH": str(APPS), "STANDIN_QUERY_MS": "3", **variables}
        done = subprocess.run([BENCH, *arguments], cwd=ROOT, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120, check=False)
        return done.returncode, done.stdout, done.stderr

    def timed(self, *arguments, **variables):
        """What a run says that has to end well."""
        code, out, err = self.bench(*arguments, "--device", "cpu-standin", "-s", "3", "-w", "1", "--json", self.rows,
                                    **variables)
        self.assertEqual((0, ""), (code, err))
        return out.splitlines(), json.loads(self.rows.read_text())["rows"]

    def test_collectives(self):
        lines, rows = self.timed("collectives", "-n", "3", "-b", "768", "-e", "3K", "-f", "4", "-m", "2")
        self.assertRegex(lines[0], r"^# exec_bench \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ, stand-in, .*CUDA .*driver .*NCCL .*"
                                   r"median of 3 steps behind 1.*times of the stand-in mean nothing$")
        self.assertEqual("# Out of bounds values : 0 OK", lines[-1])
        self.assertEqual(COLLECTIVES, [line[2:] for line in lines[1:-1] if line[2:] in COLLECTIVES])
        table = [line.split() for line in lines if not line.startswith("#")]
        self.assertEqual([(name, size) for name in COLLECTIVES for size in (768, 3072)],
                         [(row["collective"], row["bytes"]) for row in rows])
        self.assertEqual(len(rows), len(table))
        for row, cells in zip(rows, table):
            self.assertEqual([str(row["bytes"]), str(row["bytes"] // 4), "f32", row["redop"], "-1"], cells[:5])
            self.assertEqual(row["collective"] in HAS_IN_PLACE, row["in_place"] is not None)
            for side, of_side in ((row["out_of_place"], cells[5:10]), (row["in_place"], cells[10:])):
                if side is None:
                    self.assertEqual(5 * ["N/A"], of_side)
                    continue
                self.assertEqual(0, side["wrong"])
                self.assertAlmostEqual(row["bytes"] / side["time_us"] / 1e3, side["algbw_gb_s"])
                self.assertAlmostEqual(BUS[row["collective"]] * side["algbw_gb_s"], side["busbw_gb_s"])
                self.assertLessEqual(side["time_us"], side["p99_us"])
                numbers = ("time_us", "algbw_gb_s", "busbw_gb_s", "wrong", "p99_us")
                self.assertEqual([f"{side[key]:.2f}" if key != "wrong" else "0" for key in numbers], of_side)

    def test_narrow_floats(self):
        for dtype in ("bf16", "f16", "f64"):
            _, rows = self.timed("collectives", "-n", "2", "-b", "256", "-e", "256", "-d", dtype, "-m", "1")
            self.assertEqual(len(COLLECTIVES) * [dtype], [row["type"] for row in rows])

    def test_wrong_elements_are_counted(self):
        code, out, _ = self.bench("collectives", "--device", "cpu-standin", "-n", "2", "-b", "1K", "-e", "1K", "-m", "1",
                                  "-s", "1", "-w", "0", "--only", "all_reduce",
                                  STANDIN_FAULT="1:ncclAllReduce:spoil")
        self.assertEqual(1, code)
        self.assertRegex(out.splitlines()[-1], r"^# Out of bounds values : [1-9][0-9]* FAILED$")

    def test_a_rank_that_fails(self):
        code, out, err = self.bench("collectives", "--device", "cpu-standin", "-n", "2", "--only", "all_reduce",
                                    "-e", "1K", STANDIN_FAULT="1:ncclAllReduce:error")
        self.assertEqual(1, code)
        self.assertIn("error: rank 1: ", err)
        self.assertNotIn("Out of bounds", out)

    def test_overlap(self):
        lines, rows = self.timed("overlap", "tp_mlp", "--mesh", "data=1,model=2", "--set", "b=8")
        self.assertEqual(["program", "mesh", "calls", "both", "p99", "compute", "p99", "comm", "p99", "exposed"],
                         lines[1].lstrip("#").split())
        table = [line.split() for line in lines if not line.startswith("#")]
        self.assertEqual([["tp_mlp", "data=1,model=2", "eager"], ["tp_mlp", "data=1,model=2", "graph"]],
                         [cells[:3] for cells in table])
        for row, cells in zip(rows, table):
            self.assertAlmostEqual(row["both_us"] - row["compute_us"], row["exposed_us"])
            self.assertEqual([f"{row[key]:.1f}" for key in ("both_us", "both_p99_us", "compute_us", "compute_p99_us",
                                                            "communication_us", "communication_p99_us", "exposed_us")],
                             cells[3:])
            self.assertGreater(row["both_us"], row["communication_us"])
            self.assertGreater(row["communication_us"], 0)

    def test_a_training_step_and_a_ring(self):
        for arguments in (("ring_matmul", "--mesh", "model=2"), ("train_step", "--mesh", "tp=2,dp=1,pp=1"),
                          ("train_step", "--mesh", "tp=2,dp=1,pp=1", "--set", "model=transformer")):
            _, rows = self.timed("overlap", *arguments)
            self.assertEqual([False, True], [row["graph"] for row in rows])

    SMALL = ("--batch", "8", "--features", "16", "--hidden", "32", "--rows", "8", "--columns", "64", "-m", "3", "--launches", "5")

    def test_by_hand(self):
        """All pairs, in both dtypes: outputs that both compute agree, and the table is what the rows say."""
        for dtype in ("f32", "bf16"):
            lines, rows = self.timed("by_hand", "-n", "2", "-d", dtype, *self.SMALL)
            self.assertEqual(["what", "shape", "type", "calls", "times", "planned", "p99", "by", "hand", "p99", "ratio", "target",
                              "difference"], lines[1].lstrip("#").split())
            self.assertEqual("# outputs by hand: as planned", lines[-1])
            self.assertEqual([(name, graph) for name in PAIRS for graph in (False, True)],
                             [(row["what"], row["graph"]) for row in rows])
            table = [line.split() for line in lines if not line.startswith("#")]
            for row, cells in zip(rows, table, strict=True):
                self.assertEqual([row["what"], row["shape"], dtype, "graph" if row["graph"] else "eager", str(row["times"])],
                                 cells[:5])
                self.assertEqual([f"{row[key]:.2f}" for key in ("planned_us", "planned_p99_us", "by_hand_us", "by_hand_p99_us")],
                                 cells[5:9])
                self.assertAlmostEqual(row["planned_us"] / row["by_hand_us"], row["ratio"])
                self.assertLessEqual(row["planned_us"], row["planned_p99_us"])
                ratio, us = PAIRS[row["what"]]
                self.assertAlmostEqual(ratio or us[row["graph"]], row["target_ratio" if ratio else "target_us"])
                if row["what"] != "tp_mlp":
                    self.assertEqual(row["times"], row["calls"], row)  # what is fused is one kernel, and no view is left
                if row["what"] in ("tp_mlp", "product"):
                    self.assertLess(row["difference"], 2 ** -6 if dtype == "bf16" else 2 ** -20)
                else:
                    self.assertIsNone(row["difference"])

    def test_by_hand_on_one_rank(self):
        """There the second bias and the residual are in the product's epilogue, and nothing communicates."""
        _, rows = self.timed("by_hand", "--only", "tp_mlp", "-d", "f32", *self.SMALL)
        self.assertEqual(["8x16x32", 1], [rows[0]["shape"], rows[0]["ranks"]])
        self.assertLess(rows[0]["difference"], 2 ** -20)

    def test_outputs_by_hand_that_differ(self):
        """Other bits in the first sum of rank 1, of what was planned and of what is by hand."""
        code, out, _ = self.bench("by_hand", "--only", "tp_mlp", "-n", "2", "--device", "cpu-standin", "-s", "1", "-w", "0", *self.SMALL,
                                  STANDIN_FAULT="1:ncclAllReduce:spoil")
        self.assertEqual(1, code)
        self.assertEqual("# outputs by hand: DIFFERENT", out.splitlines()[-1])

    def test_by_hand_that_fails(self):
        for fault, said in (("1:ncclAllReduce:error", "error: rank 1: "), ("0:cudaMalloc:memory", "error: rank 0: by hand: cudaMalloc")):
            code, out, err = self.bench("by_hand", "--only", "tp_mlp", "-n", "2", "--device", "cpu-standin", *self.SMALL, STANDIN_FAULT=fault)
            self.assertEqual(1, code)
            self.assertIn(said, err)
            self.assertNotIn("# outputs", out)

    def test_sizes_that_do_not_suit(self):
        small = ("--device", "cpu-standin", "--only", "tp_mlp", "-n", "2", "--batch", "2", "--features", "16")
        code, _, err = self.bench("by_hand", *small, "--hidden", "33")
        self.assertEqual(2, code)
        self.assertIn("error: tp_mlp: ", err)
        code, _, err = self.bench("by_hand", *small, "--hidden", "6")
        self.assertEqual(1, code)
        self.assertIn("rows of 16 and 3 elements; expected multiples of 16 bytes", err)

    def test_bad_arguments(self):
        for arguments, message in (
            (("collectives", "-n", "1"), "--ranks: Value 1 not in range"),
            (("collectives", "--only", "all_gossip"), "--only: all_gossip not in"),
            (("overlap", "tp_mpl"), "tp_mpl"),
            (("overlap", "tp_mlp", "--mesh", "model"), "expected NAME=VALUE"),
            (("overlap", "tp_mlp", "--mesh", "model=-2"), "expected a number of devices"),
            (("overlap", "tp_mlp", "--set", "b=x"), "x"),
            (("by_hand", "--only", "mlp"), "--only: mlp not in"),
            (("by_hand", "-d", "f64"), "f64"),
            (("by_hand", "--batch", "0"), "--batch: Value 0 not in range"),
            ((), "A subcommand is required"),
        ):
            code, _, err = self.bench(*arguments)
            self.assertEqual(2, code, arguments)
            self.assertIn(message, err)

    def test_no_device(self):
        code, _, err = self.bench("collectives", "-n", "2", ISOSHARD_EXEC_PATH="/nonexistent")
        self.assertEqual(77, code)
        self.assertTrue(err.startswith("error: "), err)


if __name__ == "__main__":
    unittest.main()
