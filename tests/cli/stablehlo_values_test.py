#!/usr/bin/python3
"""Texts of tests/data/stablehlo_values, which JAX has run: their values, their unsharded twins and a wrong one of each."""

import json
import re

import numpy as np

from isoshard import DOES_NOT_HOLD, HOLDS, ROOT, Case, run

DATA = ROOT / "tests/data/stablehlo_values"
NAMES = sorted(path.stem for path in DATA.glob("*.json"))


ARGMIN = """module @m {
  func.func public @main(%arg0: tensor<3x4xDTYPE>) -> (tensor<3xDTYPE>, tensor<3xi32>) {
    %0 = stablehlo.iota dim = 1 : tensor<3x4xi32>
    %c = stablehlo.constant dense<INITIAL> : tensor<DTYPE>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.reduce(%arg0 init: %c), (%0 init: %c_0) across dimensions = [1] : (tensor<3x4xDTYPE>, tensor<3x4xi32>, tensor<DTYPE>, tensor<i32>) -> (tensor<3xDTYPE>, tensor<3xi32>)
     reducer(%a: tensor<DTYPE>, %b: tensor<DTYPE>) (%i: tensor<i32>, %j: tensor<i32>)  {
      %2 = stablehlo.compare LT, %a, %b, SIGN : (tensor<DTYPE>, tensor<DTYPE>) -> tensor<i1>
      %3 = stablehlo.compare NE, %a, %a, SIGN : (tensor<DTYPE>, tensor<DTYPE>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %a, %b, SIGN : (tensor<DTYPE>, tensor<DTYPE>) -> tensor<i1>
      %6 = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %a, %b : tensor<i1>, tensor<DTYPE>
      %10 = stablehlo.select %8, %i, %j : tensor<i1>, tensor<i32>
      stablehlo.return %9, %10 : tensor<DTYPE>, tensor<i32>
    }
    return %1#0, %1#1 : tensor<3xDTYPE>, tensor<3xi32>
  }
}
"""


class StableHloValues(Case):
    def test_values_are_those_of_jax(self):
        self.assertEqual(17, len(NAMES))
        for name in NAMES:
            with self.subTest(name):
                known = json.loads((DATA / f"{name}.json").read_text())
                np.savez(self.folder / "in.npz", arg0=np.array(known["arg0"], known["dtype"]))
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

    def test_a_label_that_is_ignored_is_a_number_beside_the_rows(self):
        right, reference = DATA / "ignored_labels.mlir", DATA / "ignored_labels.reference.mlir"
        for options in ((), ("--range", "arg0=0..4,-100")):
            out = run("check", right, reference, *options)[1]
            self.assertIn("EQUAL as formulas for @arg0 in 0..4 and -100 (", out)
        guard = re.compile(r"(%c\S*) = stablehlo.constant dense<-100> : tensor<i32>")
        text = reference.read_text()
        self.assertIsNotNone(guard.search(text))
        self.write("other.mlir", guard.sub(r"\1 = stablehlo.constant dense<-7> : tensor<i32>", text))  # of all guards
        code, out, err = self.run_here("check", right, "other.mlir")
        self.assertEqual((DOES_NOT_HOLD, ""), (code, err), out)
        self.assertIn("for @arg0 in 0..4 and -7 (", self.run_here("check", "other.mlir", "other.mlir")[1])

    def test_argmin_of_integers_knows_the_least_of_them(self):
        for dtype, compare, least, greatest in [("i8", "SIGNED", -128, 127), ("ui8", "UNSIGNED", 0, 255), ("i32", "SIGNED", -(2**31), 2**31 - 1)]:
            self.write("a.mlir", ARGMIN.replace("DTYPE", dtype).replace("SIGN", compare).replace("INITIAL", str(greatest)))
            x = np.array([[greatest, least, least + 1, least], [greatest, greatest, greatest, greatest - 1], [3, 2, 3, 2]])
            np.savez(self.folder / "in.npz", arg0=x.astype({"i8": np.int8, "ui8": np.uint8, "i32": np.int32}[dtype]))
            with self.subTest(dtype):
                self.assertEqual((HOLDS, ""), self.run_here("sim", "a.mlir", "--inputs", "in.npz", "--outputs", "out.npz")[::2])
                found = np.load(self.folder / "out.npz")
                values, places = found.values()
                np.testing.assert_array_equal(values, [least, greatest - 1, 2])
                np.testing.assert_array_equal(places, [1, 3, 1])
                self.write("b.mlir", ARGMIN.replace("DTYPE", dtype).replace("SIGN", compare).replace("INITIAL", "5"))
                code, _, err = self.run_here("show", "b.mlir")
                self.assertEqual(2, code)
                self.assertIn("a reduction of several operands that is no argmax or argmin over an iota", err)

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

    def test_axes_of_groups_that_are_none_are_refused(self):
        """The form of jax 0.11 and later, changed."""
        text = (DATA / "named_axes.mlir").read_text()
        axes = 'axes = [#stablehlo.axis_ref<name = "model">, #stablehlo.axis_ref<name = "data">]'
        form = "replica_groups without a mesh of the text or without axes; expected as in mesh = @mesh, axes = "
        for old, new, message in [
            (axes, axes.replace("model", "modal"), 'the axis "modal", which the mesh does not have'),
            (axes, axes.replace("data", "model"), 'replica_groups over the axis "model" twice'),
            (axes, axes.replace('"data"', '"data", sub_axis_info = #stablehlo.sub_axis_info<(1)2>'),
             'not supported: replica_groups over a part of the axis "data"'),
            (axes, axes.replace("name", "nome", 1), "replica_groups of an axis without a name"),
            (axes, "axes = []", form),
            ("mesh = @mesh_0, " + axes, "mesh = @other, " + axes, form),
            ('"model"=4]>', '"model"=4], device_ids=[1, 0, 2, 3, 4, 5, 6, 7]>', "not supported: a mesh with another order of its devices"),
        ]:
            with self.subTest(message):
                self.assertIn(old, text)
                self.write("wrong.mlir", text.replace(old, new, 1))
                code, out, err = self.run_here("show", "wrong.mlir")
                self.assertEqual((2, ""), (code, out))
                self.assertRegex(err, r"^wrong\.mlir:\d+:\d+: error: ")
                self.assertIn(message, err)
        self.write("same.mlir", text.replace('"model"=4]>', '"model"=4], device_ids=[0, 1, 2, 3, 4, 5, 6, 7]>', 1))
        self.assertEqual(0, self.run_here("show", "same.mlir")[0])


if __name__ == "__main__":
    import unittest
    unittest.main()
