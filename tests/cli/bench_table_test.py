#!/usr/bin/python3
"""bench_table, the table of targets: every row works at a small size. No time is judged."""

import json
import os
import pathlib
import subprocess
import sys
import unittest

from isoshard import BAD_INPUT, BINARY, DOES_NOT_HOLD, HOLDS, Case, ordinary_only

TABLE = pathlib.Path(BINARY).resolve().parents[1] / "bench/bench_table"
if not TABLE.exists():
    print("skipped: this tree has no benchmarks")
    sys.exit(77)

# What the rows of the table begin with: none may get lost.
SUBJECTS = [
    "own products", "ring products", "passes over", "engine", "ring of 4096", "collectives", "MLP forward", "MLP value", "GPipe",
    "start to verdict, values", "start to verdict, small", "JAX programs", "training step", "transformer stack", "sweep",
    "tables of soft integers", "lists of ring functions", "parse and verify"]


def table(*arguments, **environment):
    done = subprocess.run([TABLE, *arguments], env={**os.environ, **environment}, capture_output=True, text=True, timeout=150,
                          check=False)
    return done.returncode, done.stdout, done.stderr


class BenchTable(Case):
    @ordinary_only
    def test_every_row_works(self):
        path = self.folder / "rows.json"
        code, out, err = table("--quick", "--json", path)
        self.assertEqual(HOLDS, code, out + err)
        rows = json.loads(path.read_text(encoding="utf-8"))["rows"]
        self.assertEqual(len(rows), len({(row["subject"], row["name"]) for row in rows}))
        for subject in SUBJECTS:
            self.assertTrue(any(row["subject"].startswith(subject) for row in rows), subject)
        for row in rows:
            if row["verdict"] != "not measured":
                self.assertGreater(row["value"], 0, row)
                self.assertGreater(row["peak_MB"], 0, row)

    @ordinary_only
    def test_every_growth_works(self):
        code, out, err = table("--quick", "--growth")
        self.assertEqual(HOLDS, code, out + err)
        self.assertEqual(6, out.count("| exponent |"), out)

    def test_a_row_that_does_not_end_is_a_miss(self):
        code, out, _ = table("--quick", "--only", "transformer stack", "--deadline", "0.0001")
        self.assertEqual(DOES_NOT_HOLD, code)
        self.assertIn("| MISS | not done in 0.0001 s |", out)

    def test_a_row_that_isoshard_cannot_do_says_so(self):
        code, out, _ = table("--quick", "--only", "transformer stack", ISOSHARD_BINARY="/bin/false")
        self.assertEqual(DOES_NOT_HOLD, code)
        self.assertIn("| MISS | not supported: isoshard check -q tp_transformer_block", out)
        self.assertIn("ends with exit code 1, expected 0 |", out)

    def test_numbers_of_peers_are_those_of_compare(self):
        compared = self.folder / "compare.json"
        compared.write_text('{"date": "2026-01-02", "peers": {"jax/gpipe/8": {"least_ms": 1e9}}}', encoding="utf-8")
        path = self.folder / "rows.json"
        table("--quick", "--only", "GPipe", "--json", path, ISOSHARD_COMPARE=str(compared))
        row = json.loads(path.read_text(encoding="utf-8"))["rows"][0]
        self.assertEqual(1e9, row["parts"]["peer_ms"])
        self.assertIn("jax: bench/compare, 2026-01-02", row["note"])
        table("--quick", "--only", "GPipe", "--json", path, ISOSHARD_COMPARE=str(self.folder / "none"))
        row = json.loads(path.read_text(encoding="utf-8"))["rows"][0]
        self.assertIn("jax: recorded, another machine", row["note"])

    def test_bad_arguments(self):
        code, _, err = table("--only", "no such row")
        self.assertEqual(BAD_INPUT, code)
        self.assertIn('no row has "no such row" in its name', err)
        code, _, err = table("--quick", "--only", "10 MB", "--json", str(self.folder / "none" / "rows.json"))
        self.assertEqual(BAD_INPUT, code)
        self.assertIn("cannot be written", err)


if __name__ == "__main__":
    unittest.main()
