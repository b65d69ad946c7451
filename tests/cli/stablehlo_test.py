#!/usr/bin/python3
"""StableHLO texts of JAX programs: verdicts of all pairs, values against JAX's own, and texts that are refused."""

import json
import os
import sys
import unittest

from isoshard import BAD_INPUT, DOES_NOT_HOLD, HOLDS, ROOT, STRIDE, UNDECIDED, Case, ordinary_only, run

try:
    import numpy as np
except ImportError:
    print("skipped: python3-numpy is not installed")
    sys.exit(77)

DATA = ROOT / "tests/data/stablehlo"
VERDICTS = json.loads((DATA / "verdicts.json").read_text(encoding="utf-8"))
NIGHTLY = bool(os.environ.get("ISOSHARD_NIGHTLY"))

# What is not read or not proven yet (docs/jax.md, "What is missing").
UNSUPPORTED = {
    "chlo_functions": 'not supported: the op "chlo.erfc" [M-unsupported]',
    "dropout_threefry": "not supported: shift_left by what is no constant below the width of its numbers [M-unsupported]",
    "elementwise_functions": 'not supported: the op "stablehlo.cbrt" [M-unsupported]',
    "index_arithmetic": "not supported: a division of integers, but of partition_id by a constant [M-unsupported]",
}
NO_BOUNDS = {("vocab_parallel_embedding", "sharded.jax0435.mlir")}  # of jnp.take, computed from arrays of shapes
SLOW = set()
if os.environ.get("ISOSHARD_SANITIZE"):
    SLOW |= {"moe_top1", "flax_dp_classifier", "tied_embedding_lm_grad", "vocab_parallel_xent"}  # seconds and more

UNNAMED = "that arguments without names are the same, one by one, in both texts"

MAIN = """module @jit_f {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%arg0: tensor<4x8xf32>, %arg1: tensor<i32>) -> (tensor<4x8xf32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg2: tensor<2x8xf32>) {
      %1 = stablehlo.add %arg2, %arg2 : tensor<2x8xf32>
      sdy.return %1 : tensor<2x8xf32>
    } : (tensor<4x8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
}
"""
REFERENCE = """module @jit_g {
  func.func public @main(%arg0: tensor<4x8xf32>, %arg1: tensor<i32>) -> (tensor<4x8xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %1 = stablehlo.multiply %0, %arg0 : tensor<4x8xf32>
    return %1 : tensor<4x8xf32>
  }
}
"""

# (what is replaced in MAIN, by what, where and what `check` says)
REFUSED = [
    ("%1 = stablehlo.add %arg2, %arg2", "%1 = stablehlo.fft %arg2", '5:12: error: not supported: the op "stablehlo.fft" [M-unsupported]'),
    ("    return %0 : tensor<4x8xf32>\n  }\n}\n", "", '8:1: error: the end of the file here; expected an operation, as in '
     "stablehlo.add %0, %1 : tensor<4xf32> [M-syntax]"),
    ("%arg2, %arg2 :", "%arg2, %arg9 :", "5:33: error: nothing before defines %arg9; the text may be cut or mixed up [M-value]"),
    ("%arg2, %arg2 :", "%arg2 :", None),
    ("return %0 : tensor", "return %0, %0 : tensor", "8:5: error: @main returns other than its results [M-type]"),
    ("%1 = stablehlo.add %arg2, %arg2", "%1 = func.call @nobody(%arg2)", "5:12: error: a call of @nobody, which the text does not have [M-call]"),
    ('"x"=2', '"y"=2', '4:10: error: the axis "x", which the mesh does not have [M-mesh]'),
    ('"x"=2', '"x"=0', '2:12: error: the axis "x" of size 0; expected sizes of at least 1, and at most 2^20 devices [M-mesh]'),
    ("tensor<i32>)", "tensor<?xi32>)", None),
    ("tensor<i32>)", "complex<f32>)", None),
    ("in_shardings=[<@mesh, [{\"x\"}, {}]>]", "in_shardings=[]", '4:10: error: "in_shardings" has 0 shardings; expected 1 [M-attribute]'),
    ("%1 = stablehlo.add %arg2, %arg2 : tensor<2x8xf32>", "%1 = stablehlo.add %arg2, %arg2 : tensor<2x9xf32>",
     '5:12: error: "stablehlo.add" gives f32[2,8] and is written with f32[2,9]; expected the type of its operands and attributes [M-type]'),
    ("%1 = stablehlo.add %arg2, %arg2 :", "%1 = stablehlo.reshape :", '5:12: error: "stablehlo.reshape" has 0 operands; expected more [M-operands]'),
    ("%arg1: tensor<i32>)", "%arg1: tensor<f32>)", None),
]


class StableHlo(Case):
    def pair(self, name):
        return [DATA / "cases" / name / f"{side}.mlir" for side in ("sharded", "reference")]

    def verdict(self, name):
        code, out, err = run("check", *self.pair(name))
        if name in UNSUPPORTED:
            self.assertEqual(BAD_INPUT, code)
            self.assertIn(UNSUPPORTED[name], err)
            return
        self.assertEqual("", err)
        self.assertEqual(HOLDS if VERDICTS[name]["verdict"] == "equal" else DOES_NOT_HOLD, code, out)
        self.assertEqual(code == HOLDS, UNNAMED in out)

    def test_all_pairs_have_the_verdict_that_jax_gives_by_running_them(self):
        self.assertEqual(68, len(VERDICTS))
        for name in list(VERDICTS)[::STRIDE]:
            if name in SLOW and not NIGHTLY:
                continue
            with self.subTest(name):
                self.verdict(name)

    @ordinary_only
    def test_older_forms_of_texts_have_the_same_verdicts(self):
        compared = 0
        for name, case in VERDICTS.items():
            folder = DATA / "cases" / name
            for sharded, reference in [("sharded.gspmd.mlir", "reference.mlir"),
                                       ("sharded.jax0435.mlir", "reference.jax0435.mlir")]:
                if not (folder / sharded).exists():
                    continue
                with self.subTest(f"{name} {sharded}"):
                    compared += 1
                    code, out, err = run("check", folder / sharded, folder / reference, "--mesh", case["mesh"])
                    if (name, sharded) in NO_BOUNDS:
                        self.assertEqual(UNDECIDED, code, out)
                        continue
                    expected = HOLDS if case["verdict"] == "equal" else DOES_NOT_HOLD
                    self.assertEqual((expected, ""), (code, err), out)
        self.assertEqual(26, compared)

    def test_older_forms_of_texts_need_a_mesh(self):
        text = DATA / "cases/mesh_2d_matmul/sharded.gspmd.mlir"
        code, _, err = run("show", text)
        self.assertEqual(BAD_INPUT, code)
        self.assertIn("a text that names no mesh; say it, as in --mesh data=2,model=4 [M-mesh]", err)
        code, _, err = run("show", text, "--mesh", "data=4,model=4")
        self.assertEqual(BAD_INPUT, code)
        self.assertIn("is --mesh the mesh of the program? [M-unsupported]", err)

    @ordinary_only
    def test_values_are_those_of_jax(self):
        compared = 0
        for name in VERDICTS:
            if name in UNSUPPORTED:
                continue
            values = json.loads((DATA / "cases" / name / "values.json").read_text(encoding="utf-8"))
            for side in ("sharded", "reference"):
                if side == "sharded" and "replicas_disagree" in json.dumps(values):
                    continue
                with self.subTest(f"{name} {side}"):
                    self.values(name, side, values)
                    compared += 1
        self.assertGreater(compared, 110)

    def values(self, name, side, values):
        dtypes = {"f32": np.float32, "bf16": np.float32, "i32": np.int32, "ui32": np.uint32, "bool": np.bool_, "i1": np.bool_}
        arrays = {f"arg{i}": np.array(x["data"], dtypes[x["dtype"]]).reshape(x["shape"])
                  for i, x in enumerate(values["inputs"])}
        for i, x in enumerate(values["inputs"]):
            if x["dtype"] == "bf16":  # the upper half of an f32
                arrays[f"arg{i}"] = (arrays[f"arg{i}"].view(np.uint32) >> 16).astype(np.uint16).view("V2")
        np.savez(self.folder / "in.npz", **arrays)
        text = DATA / "cases" / name / f"{side}.mlir"
        code, _, err = self.run_here("sim", text, "--inputs", "in.npz", "--outputs", "out.npz")
        self.assertEqual((HOLDS, ""), (code, err))
        with np.load(self.folder / "out.npz", allow_pickle=False) as archive:
            outputs = [archive[key] for key in archive.files]
        outputs = [(x.view(np.uint16).astype(np.uint32) << 16).view(np.float32) if x.dtype.kind == "V" else x
                   for x in outputs]
        expected = values[f"{side}_outputs"]
        self.assertEqual(len(expected), len(outputs))
        for one, actual in zip(expected, outputs):
            wanted = np.array(one["data"], np.float64).reshape(one["shape"])
            tolerance = 2e-2 if one["dtype"] == "bf16" or name.startswith("bf16") else 2e-4 if "f" in one["dtype"] else 0
            largest = max(1.0, float(np.max(np.abs(wanted), initial=0)))
            self.assertLessEqual(float(np.max(np.abs(actual.astype(np.float64) - wanted), initial=0)), tolerance * largest)

    def test_the_two_programs_of_this_test_are_equal(self):
        self.write("a.mlir", MAIN)
        self.write("b.mlir", REFERENCE)
        code, out, err = self.run_here("check", "a.mlir", "b.mlir")
        self.assertEqual((HOLDS, ""), (code, err))
        self.assertRegex(out, r"check @a == @b  \(a.mlir:3:20\)")

    def test_texts_are_recognised_by_how_they_begin(self):
        self.write("./a.txt", "// a comment\n" + MAIN)
        self.assertEqual(HOLDS, self.run_here("show", "./a.txt")[0])

    def test_wrong_texts_are_refused_with_their_place(self):
        self.write("b.mlir", REFERENCE)
        for old, new, message in REFUSED:
            with self.subTest(new):
                self.assertIn(old, MAIN)
                self.write("a.mlir", MAIN.replace(old, new, 1))
                code, out, err = self.run_here("check", "a.mlir", "b.mlir")
                self.assertEqual((BAD_INPUT, ""), (code, out), err)
                self.assertRegex(err, r"error: .* \[[A-Z]-[a-z0-9-]+\]")
                if message is not None:
                    self.assertIn("a.mlir:" + message, err)

    def test_arguments_and_results_have_to_fit(self):
        self.write("a.mlir", MAIN)
        for old, new, rule in [("%arg1: tensor<i32>)", "%arg1: tensor<f32>)", "M-arguments"),
                               (", %arg1: tensor<i32>)", ")", "M-arguments"),
                               ('-> (tensor<4x8xf32> {jax.result_info = "result"})', "-> (tensor<4x8xf32>, tensor<4x8xf32>)",
                                "M-results")]:
            with self.subTest(rule):
                self.write("b.mlir", REFERENCE.replace(old, new, 1))
                code, _, err = self.run_here("check", "a.mlir", "b.mlir")
                self.assertEqual(BAD_INPUT, code)
                self.assertIn(f"[{rule}]", err)

    def test_an_argument_that_jax_has_dropped_is_found_by_its_name(self):
        self.write("a.mlir", MAIN.replace("tensor<4x8xf32>, %arg1: tensor<i32>", 'tensor<4x8xf32> loc("w"), %arg1: tensor<i32> loc("n")'))
        self.write("b.mlir", REFERENCE.replace("tensor<4x8xf32>, %arg1: tensor<i32>", 'tensor<4x8xf32> loc("w")'))
        code, out, err = self.run_here("check", "a.mlir", "b.mlir")
        self.assertEqual((HOLDS, ""), (code, err), out)

    def test_programs_that_were_made_to_fool_the_reader(self):
        """Each pair is wrong, and was EQUAL: a mistake in how an op was read."""
        repeated = """
    %0 = stablehlo.iota dim = 1 : tensor<4x1xi32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<4x1xi32>) -> tensor<4x8xi32>"""
        reduce = """
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2:2 = stablehlo.reduce(%arg0 init: %cst), (%1 init: %c) across dimensions = [1] : (tensor<4x8xf32>, tensor<4x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
     reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>)  {
      %3 = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %4 = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %5 = stablehlo.or %3, %4 : tensor<i1>
      %6 = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %7 = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %8 = stablehlo.and %6, %7 : tensor<i1>
      %9 = stablehlo.or %5, %8 : tensor<i1>
      %10 = stablehlo.select %5, %a, %b : tensor<i1>, tensor<f32>
      %11 = stablehlo.select %9, %i, %j : tensor<i1>, tensor<i32>
      stablehlo.return %10, %11 : tensor<f32>, tensor<i32>
    }
    return %2#1 : tensor<4xi32>
  }
}
"""
        head = "module @m {\n  func.func public @main(%arg0: tensor<4x8xf32>) -> (tensor<4xi32>) {"
        right = "\n    %1 = stablehlo.iota dim = 1 : tensor<4x8xi32>"
        self.write("b.mlir", head + right + reduce)
        self.assertEqual(HOLDS, self.run_here("check", "b.mlir", "b.mlir")[0])
        self.write("a.mlir", head + repeated + reduce)
        code, _, err = self.run_here("check", "a.mlir", "b.mlir")
        self.assertEqual(BAD_INPUT, code)
        self.assertIn("a reduction of several operands that is no argmax over an iota", err)
        running_sum = """module @m {
  func.func public @main(%arg0: tensor<4xf32>) -> (tensor<4xf32>) {
    %cst = stablehlo.constant dense<NUMBER> : tensor<f32>
    %0 = "stablehlo.reduce_window"(%arg0, %cst) <{padding = dense<[[3, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 4>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
"""
        self.write("b.mlir", running_sum.replace("NUMBER", "0.0"))
        self.assertEqual(HOLDS, self.run_here("check", "b.mlir", "b.mlir")[0])
        self.write("a.mlir", running_sum.replace("NUMBER", "1.0"))
        self.assertEqual(BAD_INPUT, self.run_here("check", "a.mlir", "b.mlir")[0])
        text = "module @m {\n  func.func public @main(%arg0: tensor<4xf32>) -> (tensor<4xf32>) {\n    %c = stablehlo.constant dense<NUMBER> : tensor<4xi32>\n"
        choose = """    %0 = stablehlo.convert %c : (tensor<4xi32>) -> tensor<4xi1>
    %cst = stablehlo.constant dense<0.0> : tensor<4xf32>
    %1 = stablehlo.select %0, %arg0, %cst : tensor<4xi1>, tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}
"""
        for number, other, code in [("-3", "0", DOES_NOT_HOLD), ("-3", "7", HOLDS)]:
            self.write("a.mlir", text.replace("NUMBER", number) + choose)
            self.write("b.mlir", text.replace("NUMBER", other) + choose)
            self.assertEqual(code, self.run_here("check", "a.mlir", "b.mlir")[0])

    def test_arguments_of_other_names_do_not_pair(self):
        names = 'tensor<4x8xf32> loc("w"), %arg1: tensor<i32> loc("n")'
        self.write("a.mlir", MAIN.replace("tensor<4x8xf32>, %arg1: tensor<i32>", names))
        for there, code in [(names, HOLDS), (names.replace('"n"', '"m"'), BAD_INPUT)]:
            self.write("b.mlir", REFERENCE.replace("tensor<4x8xf32>, %arg1: tensor<i32>", there))
            actual, _, err = self.run_here("check", "a.mlir", "b.mlir")
            self.assertEqual(code, actual, err)
        self.assertIn('argument 1, "m", is none of these', err)

    def test_two_arguments_never_pair_with_one(self):
        """Read as one, x + y would be 2 x."""
        types = "%arg0: tensor<4xf32>{}, %arg1: tensor<4xf32>{}"
        text = ("module @m {{\n  func.func public @main({}) -> (tensor<4xf32>) {{\n"
                "    %0 = stablehlo.add %arg0, {} : tensor<4xf32>\n    return %0 : tensor<4xf32>\n  }}\n}}\n")
        self.write("a.mlir", text.format(types.format(' loc("x")', ' loc("y")'), "%arg0"))
        self.write("b.mlir", text.format(types.format("", ' loc("x")'), "%arg1"))
        code, _, err = self.run_here("check", "a.mlir", "b.mlir")
        self.assertEqual(BAD_INPUT, code)
        self.assertIn('argument 1, "x", pairs with one of the other text that another argument has', err)

    def test_one_text_alone_is_no_claim(self):
        self.write("a.mlir", MAIN)
        code, _, err = self.run_here("check", "a.mlir")
        self.assertEqual(UNDECIDED, code)
        self.assertIn("name its reference, too: check sharded.mlir reference.mlir", err)

    def test_a_text_that_is_cut_anywhere_is_refused(self):
        text = (DATA / "cases/ring_all_reduce/sharded.mlir").read_text(encoding="utf-8")
        for end in range(0, len(text) - 3, max(1, len(text) // 40)):
            self.write("a.mlir", text[:end])
            code, out, err = self.run_here("show", "a.mlir")
            self.assertEqual((BAD_INPUT, ""), (code, out), err)
            self.assertIn("a.mlir:", err)

    def test_meshes_are_those_of_the_text(self):
        self.write("a.mlir", MAIN)
        code, _, err = self.run_here("show", "a.mlir", "--mesh", "x=4")
        self.assertEqual(BAD_INPUT, code)
        self.assertIn("[M-mesh]", err)


if __name__ == "__main__":
    unittest.main()
