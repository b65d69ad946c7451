#!/usr/bin/python3
"""Texts of tests/data/stablehlo_values, which JAX has run: their values, their unsharded twins and a wrong one of each."""

import json

import numpy as np

from isoshard import DOES_NOT_HOLD, HOLDS, ROOT, Case, run

DATA = ROOT / "tests/data/stablehlo_values"
NAMES = sorted(path.stem for path in DATA.glob("*.json"))


class StableHloValues(Case):
    def test_values_are_those_of_jax(self):
        self.assertEqual(13, len(NAMES))
        for name in NAMES:
            with self.subTest(name):
                known = json.loads((DATA / f"{name}.json").read_text())
                np.savez(self.folder / "in.npz", arg0=np.array(known["arg0"], np.float32))
                found = self.run_here("sim", DATA / f"{name}.mlir", "--inputs", "in.npz", "--outputs", "out.npz")
                self.assertEqual((HOLDS, ""), (found[0], found[2]))
                np.testing.assert_array_equal(np.load(self.folder / "out.npz")["result"], np.array(known["result"], np.float32))

    def test_each_equals_its_twin_and_not_the_wrong_one(self):
        for name in NAMES:
            with self.subTest(name):
                code, out, err = run("check", DATA / f"{name}.mlir", DATA / f"{name}.reference.mlir")
                self.assertEqual((HOLDS, ""), (code, err), out)
                code, out, err = run("check", DATA / f"{name}.wrong.mlir", DATA / f"{name}.reference.mlir")
                self.assertEqual((DOES_NOT_HOLD, ""), (code, err), out)

    def test_groups_that_are_no_partition_are_refused(self):
        text = (DATA / "psum.mlir").read_text()
        gather = (DATA / "all_gather.mlir").read_text()
        for groups, of, message in [("[[0, 3], [2, 2]]", text, "replica_groups with 2 in two places; expected each of the devices 0 to 3 once"),
                                    ("[[0, 3], [2, 4]]", text, "replica_groups with 4; expected each of the devices 0 to 3 once"),
                                    ("[[0, 3], [2, -1]]", text, "replica_groups without 1; expected each of the devices 0 to 3 once"),
                                    ("[[0, 3, 1], [2, -1, -1]]", gather, "in groups of different sizes; only an all_reduce has them")]:
            with self.subTest(groups):
                columns = groups.split("]")[0].count(",") + 1
                self.write("wrong.mlir", of.replace("[[0, 3], [2, 1]]", groups).replace("tensor<2x2xi64>", f"tensor<2x{columns}xi64>"))
                code, out, err = self.run_here("show", "wrong.mlir")
                self.assertEqual((2, ""), (code, out))
                self.assertRegex(err, r"^wrong\.mlir:5:\d+: error: ")
                self.assertIn(message, err)


if __name__ == "__main__":
    import unittest
    unittest.main()
