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

PERMUTE = ('%1 = "stablehlo.collective_permute"(%arg2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = '
           "dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<2x8xf32>) -> tensor<2x8xf32>")
SUM = """%1 = "stablehlo.all_reduce"(%arg2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
      ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
        %2 = stablehlo.add %arg3, %arg4 : tensor<f32>
        stablehlo.return %2 : tensor<f32>
      }) : (tensor<2x8xf32>) -> tensor<2x8xf32>"""

# (what is replaced in MAIN, by what, where and what `check` says)
REFUSED = [
    ("%1 = stablehlo.add %arg2, %arg2", "%1 = stablehlo.fft %arg2", '5:12: error: not supported: the op "stablehlo.fft" [M-unsupported]'),
    ("    return %0 : tensor<4x8xf32>\n  }\n}\n", "", '8:1: error: the end of the file here; expected an operation, as in '
     "stablehlo.add %0, %1 : tensor<4xf32> [M-syntax]"),
    ("%arg2, %arg2 :", "%arg2, %arg9 :", "5:33: error: nothing before defines %arg9; the text may be cut or mixed up [M-value]"),
    ("%arg2, %arg2 :", "%arg2 :", None),
    ("return %0 : tensor", "return %0, %0 : tensor", "8:5: error: @main returns 2 values and is written with 1 results; expected as many [M-type]"),
    ("      sdy.return %1 :", "      sdy.return %arg2 : tensor<2x8xf32>\n      sdy.return %1 :", '6:7: error: "sdy.return" before the end of its region; '
     "expected nothing behind it [M-syntax]"),
    ("sdy.return %1", "stable.return %1", '6:7: error: "stable.return" at the end of a region; expected a return [M-syntax]'),
    ("    return %0", "    %9 = return %0", '8:10: error: "func.return" with a result; expected none of a return [M-syntax]'),
    ("%1 = stablehlo.add %arg2, %arg2", "%1 = func.call @nobody(%arg2)", "5:12: error: a call of @nobody, which the text does not have [M-call]"),
    ('"x"=2', '"y"=2', '4:10: error: the axis "x", which the mesh does not have [M-mesh]'),
    ('"x"=2', '"x"=0', '2:12: error: the axis "x" of size 0; expected sizes of at least 1, and at most 2^20 devices [M-mesh]'),
    ('"x"=2', '"x"=2, "x"=1', '2:12: error: a second axis "x"; expected names that differ in their letters and digits [M-mesh]'),
    ("tensor<i32>)", "tensor<?xi32>)", None),
    ("tensor<i32>)", "complex<f32>)", None),
    ("tensor<i32>)", "tensor<2xcomplex<f32>>)", '3:64: error: not supported: elements "complex<f32>" of tensor<2xcomplex<f32>>; expected f64'),
    ("%1 = stablehlo.add %arg2, %arg2", "%1 = stablehlo.custom_call @ragged_all_to_all(%arg2, %arg2)",
     '5:12: error: not supported: the custom_call @ragged_all_to_all [M-unsupported]'),
    ("%1 = stablehlo.add %arg2, %arg2 : tensor<2x8xf32>", "%2 = stablehlo.bitcast_convert %arg2 : (tensor<2x8xf32>) -> tensor<2x8xi32>\n      %1 = stablehlo.add %arg2, %arg2 : tensor<2x8xf32>",
     "5:12: error: not supported: bitcast_convert but of integers to integers of one width"),
    ("in_shardings=[<@mesh, [{\"x\"}, {}]>]", "in_shardings=[]", '4:10: error: "in_shardings" has 0 shardings; expected 1 [M-attribute]'),
    ("%1 = stablehlo.add %arg2, %arg2 : tensor<2x8xf32>", "%1 = stablehlo.add %arg2, %arg2 : tensor<2x9xf32>",
     '5:12: error: operand 0 of "stablehlo.add" is f32[2,8] and is written with f32[2,9]; expected the type that it was made with [M-type]'),
    ("%1 = stablehlo.add %arg2, %arg2 :", "%1 = stablehlo.reshape :", '5:12: error: "stablehlo.reshape" has 0 operands; expected more [M-operands]'),
    ("%arg1: tensor<i32>)", "%arg1: tensor<f32>)", None),
    ("%1 = stablehlo.add %arg2, %arg2", "%arg2 = stablehlo.add %arg2, %arg2", "5:15: error: %arg2 is defined a second time; expected a new name [M-value]"),
    ("return %0 : tensor<4x8xf32>", "return %0 : tensor<4x9xf32>", '8:5: error: operand 0 of "func.return" is f32[4,8] and is written with '
     "f32[4,9]; expected the type that it was made with [M-type]"),
    ('-> (tensor<4x8xf32> {jax', '-> (tensor<4x8xf64> {jax', "8:5: error: result 0 of @main is f32[4,8] and is written with f64[4,8]; expected "
     "the type of what it returns [M-type]"),
    ("%1 = stablehlo.add %arg2, %arg2 :", "%1 = stablehlo.convert %arg2, %arg2 :", '5:12: error: "stablehlo.convert" has 2 operands; expected one [M-operands]'),
    ("%1 = stablehlo.add %arg2, %arg2 :", "%1 = stablehlo.constant dense<2> :", '5:12: error: the elements "2" of f32[2,8]; expected 16 numbers, or one for all'),
    ("%1 = stablehlo.add %arg2, %arg2 : tensor<2x8xf32>", PERMUTE.replace("handle = 1", "handle = 0"), '5:12: error: "stablehlo.collective_permute" '
     "without a channel; expected channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, or XLA takes its groups for those of replicas [M-attribute]"),
    ("%1 = stablehlo.add %arg2, %arg2 : tensor<2x8xf32>", SUM, '5:12: error: "stablehlo.all_reduce" without use_global_device_ids; expected '
     "channel_handle"),
]


class StableHlo(Case):
    def pair(self, name):
        return [DATA / "cases" / name / f"{side}.mlir" for side in ("sharded", "reference")]

    def verdict(self, name):
        code, out, err = run("check", *self.pair(name))
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
                    expected = HOLDS if case["verdict"] == "equal" else DOES_NOT_HOLD
                    self.assertEqual((expected, ""), (code, err), out)
        self.assertEqual(26, compared)

    def test_bounds_that_are_looked_up_in_lists_of_sizes(self):
        folder = DATA / "cases/vocab_parallel_embedding"
        text = (folder / "sharded.jax0435.mlir").read_text(encoding="utf-8")
        rows = "%c_3 = stablehlo.constant dense<4> : tensor<i32>\n    %6"
        for right, other, verdict in [(rows, rows.replace("<4>", "<3>"), DOES_NOT_HOLD),  # the last row is beyond
                                      ("concatenate %16, %17", "concatenate %17, %16", DOES_NOT_HOLD),  # all are
                                      ("concatenate %6, %7", "concatenate %7, %6", HOLDS)]:  # a bound that no index meets
            with self.subTest(other):
                self.assertEqual(1, text.count(right))
                self.write("other.mlir", text.replace(right, other))
                code, out, err = self.run_here("check", "other.mlir", folder / "reference.jax0435.mlir", "--mesh", "model=4")
                self.assertEqual((verdict, ""), (code, err), out)

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
            values = json.loads((DATA / "cases" / name / "values.json").read_text(encoding="utf-8"))
            for side in ("sharded", "reference"):
                if side == "sharded" and "replicas_disagree" in json.dumps(values):
                    continue
                with self.subTest(f"{name} {side}"):
                    self.values(name, side, values)
                    compared += 1
        self.assertGreater(compared, 118)

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
                two = rule == "M-results"
                text = REFERENCE.replace("return %1 : tensor<4x8xf32>", "return %1, %1 : tensor<4x8xf32>, tensor<4x8xf32>") if two else REFERENCE
                self.write("b.mlir", text.replace(old, new, 1))
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
        self.assertIn("a reduction of several operands that is no argmax or argmin over an iota", err)
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

    def one_op(self, types, lines, result):
        """A program of arguments %arg0, %arg1, ... of these types."""
        arguments = ", ".join(f"%arg{i}: tensor<{type}>" for i, type in enumerate(types))
        body = "".join(f"    {line}\n" for line in lines)
        name = lines[-1].split(" ")[0]
        return (f"module @m {{\n  func.func public @main({arguments}) -> (tensor<{result}>) {{\n{body}"
                f"    return {name} : tensor<{result}>\n  }}\n}}\n")

    def compare(self, code, left, right):
        self.write("a.mlir", left)
        self.write("b.mlir", right)
        actual, out, err = self.run_here("check", "a.mlir", "b.mlir")
        self.assertEqual(code, actual, out + err)
        return out

    def test_functions_of_floats_have_their_symmetries_and_no_others(self):
        f = "tensor<4xf32>"
        unary = lambda op: [f"%0 = {op} %arg0 : {f}" + (f" -> {f}" if op.startswith("chlo") else "")]
        turned = lambda op: [f"%0 = stablehlo.negate %arg0 : {f}",
                             f"%1 = {op} %0 : {f}" + (f" -> {f}" if op.startswith("chlo") else ""), f"%2 = stablehlo.negate %1 : {f}"]
        for op, odd in [("chlo.erf", True), ("stablehlo.cbrt", True), ("stablehlo.round_nearest_even", True),
                        ("stablehlo.round_nearest_afz", True), ("chlo.erfc", False), ("stablehlo.ceil", False),
                        ("stablehlo.exponential_minus_one", False)]:
            with self.subTest(op):
                self.compare(HOLDS if odd else DOES_NOT_HOLD, self.one_op(["4xf32"], turned(op), "4xf32"),
                             self.one_op(["4xf32"], unary(op), "4xf32"))

    def test_integers_divide_and_shift_as_xla_has_them(self):
        sim = lambda lines, x, y: self.numbers(lines, np.array(x, np.int32), np.array(y, np.int32))
        both = lambda op: [f"%0 = stablehlo.{op} %arg0, %arg1 : tensor<6xi32>"]
        least = -2**31
        x, y = [7, -7, 7, -7, 5, least], [2, 2, -2, -2, 0, -1]
        self.assertEqual([3, -3, -3, 3, -1, least], sim(both("divide"), x, y))
        self.assertEqual([1, -1, 1, -1, 5, 0], sim(both("remainder"), x, y))
        x, y = [1, -1, least, 3, 5, -5], [31, 1, 1, 40, -1, 70]
        self.assertEqual([least, -2, 0, 0, 0, 0], sim(both("shift_left"), x, y))
        self.assertEqual([0, -1, -2**30, 0, 0, -1], sim(both("shift_right_arithmetic"), x, y))
        self.assertEqual([0, 2**31 - 1, 2**30, 0, 0, 0], sim(both("shift_right_logical"), x, y))
        x = [0, 1, -1, 255, least, 2**30]
        one = lambda op: [f"%1 = stablehlo.{op} %arg0 : tensor<6xi32>", "%0 = stablehlo.add %1, %arg1 : tensor<6xi32>"]
        self.assertEqual([0, 1, 32, 8, 1, 1], sim(one("popcnt"), x, [0] * 6))
        self.assertEqual([32, 31, 0, 24, 0, 1], sim(one("count_leading_zeros"), x, [0] * 6))

    def numbers(self, lines, *arrays):
        """What `sim` makes of arrays of one type and shape."""
        kinds = {np.dtype(np.int32): "i32", np.dtype(np.float32): "f32"}
        shape = lambda a: "x".join(map(str, a.shape)) + "x" + kinds[a.dtype]
        text = self.one_op([shape(a) for a in arrays], lines, lines[-1].rsplit("tensor<", 1)[1].rstrip(">"))
        self.write("a.mlir", text)
        np.savez(self.folder / "in.npz", **{f"arg{i}": a for i, a in enumerate(arrays)})
        code, _, err = self.run_here("sim", "a.mlir", "--inputs", "in.npz", "--outputs", "out.npz")
        self.assertEqual((HOLDS, ""), (code, err))
        with np.load(self.folder / "out.npz", allow_pickle=False) as archive:
            return archive[archive.files[0]].tolist()

    def test_windows_pool(self):
        def pool(op, start, more):
            return [f"%cst = stablehlo.constant dense<{start}> : tensor<f32>",
                    f'%0 = "stablehlo.reduce_window"(%arg0, %cst) <{{{more}}}> ({{\n    ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n'
                    f"      %1 = stablehlo.{op} %a, %b : tensor<f32>\n      stablehlo.return %1 : tensor<f32>\n"
                    "    }) : (tensor<4x5xf32>, tensor<f32>) -> tensor<2x3xf32>"]
        more = ("padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>, window_dimensions = array<i64: 2, 3>, "
                "window_strides = array<i64: 2, 2>")
        x = np.arange(20, dtype=np.float32).reshape(4, 5) * np.float32(-0.5)
        around = lambda fill: np.pad(x, [(0, 0), (1, 1)], constant_values=fill)
        by = lambda reduce, fill: [[float(reduce(around(fill)[2 * i:2 * i + 2, 2 * j:2 * j + 3])) for j in range(3)]
                                   for i in range(2)]
        pooled = lambda *args: self.pooled(pool(*args), x)
        self.assertEqual(by(np.max, -np.inf), pooled("maximum", "0xFF800000", more))
        self.assertEqual(by(np.min, np.inf), pooled("minimum", "0x7F800000", more))
        self.assertEqual(by(np.sum, 0), pooled("add", "0.0", more))
        text = lambda lines: self.one_op(["4x5xf32"], lines, "2x3xf32")
        self.compare(HOLDS, text(pool("add", "0.0", more)), text(pool("add", "0.0", more)))
        other = more.replace("[[0, 0], [1, 1]]", "[[0, 0], [2, 0]]")
        self.compare(DOES_NOT_HOLD, text(pool("add", "0.0", more)), text(pool("add", "0.0", other)))
        for start, extra, said in [("1.0", more, "does not begin with what its reducer leaves as it is"),
                                   ("0.0", more + ", base_dilations = array<i64: 2, 1>", "with base_dilations")]:
            self.write("a.mlir", text(pool("add", start, extra)))
            code, _, err = self.run_here("show", "a.mlir")
            self.assertEqual(BAD_INPUT, code)
            self.assertIn(said, err)

    def pooled(self, lines, x):
        self.write("a.mlir", self.one_op(["4x5xf32"], lines, "2x3xf32"))
        np.savez(self.folder / "in.npz", arg0=x)
        self.assertEqual((HOLDS, ""), self.run_here("sim", "a.mlir", "--inputs", "in.npz", "--outputs", "out.npz")[::2])
        with np.load(self.folder / "out.npz", allow_pickle=False) as archive:
            return archive[archive.files[0]].tolist()

    def sorting(self, direction="LT", dim=0, stable="true", compared=("%a", "%b"), result=1, second="%arg1"):
        x, y = compared
        return f"""module @m {{
  func.func public @main(%arg0: tensor<4x3xf32>, %arg1: tensor<4x3xi32>) -> (tensor<4x3x{"f32" if result == 0 else "i32"}>) {{
    %i = stablehlo.iota dim = {dim} : tensor<4x3xi32>
    %0:2 = "stablehlo.sort"(%arg0, {second}) <{{dimension = {dim} : i64, is_stable = {stable}}}> ({{
    ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
      %1 = stablehlo.compare {direction}, {x}, {y} : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }}) : (tensor<4x3xf32>, tensor<4x3xi32>) -> (tensor<4x3xf32>, tensor<4x3xi32>)
    return %0#{result} : tensor<4x3x{"f32" if result == 0 else "i32"}>
  }}
}}
"""

    def test_sorts_of_several_arrays_keep_the_order_of_equal_ones(self):
        x = np.array([[3, 1, 2], [3, 0, 2], [-1, 1, 2], [5, 0, -2]], np.float32)
        y = np.arange(12, dtype=np.int32).reshape(4, 3)
        np.savez(self.folder / "in.npz", arg0=x, arg1=y)
        for direction in ("LT", "GT"):
            for dim in (0, 1):
                order = np.argsort(x if direction == "LT" else -x, axis=dim, kind="stable")
                for second, of in [("%arg1", y), ("%i", np.indices(x.shape)[dim])]:
                    self.write("a.mlir", self.sorting(direction, dim, second=second))
                    actual = self.run_here("sim", "a.mlir", "--inputs", "in.npz", "--outputs", "out.npz")
                    self.assertEqual(HOLDS, actual[0], actual[2])
                    with np.load(self.folder / "out.npz", allow_pickle=False) as archive:
                        expected = np.take_along_axis(of, order, dim)
                        self.assertEqual(expected.tolist(), archive[archive.files[0]].tolist(), (direction, dim, second))
        for text, said in [(self.sorting(stable="false"), "a sort of several arrays that is not stable"),
                           (self.sorting("NE"), "a sort that is not by less or greater of the elements of one array")]:
            self.write("a.mlir", text)
            code, _, err = self.run_here("show", "a.mlir")
            self.assertEqual(BAD_INPUT, code)
            self.assertIn(said, err)

    def test_comparators_that_were_made_to_look_like_less(self):
        """Equal to less on -1, 0 and 1, and another order beyond."""
        for constant in ("5.0", "0xFF800000"):
            text = self.sorting().replace("      %1 = stablehlo.compare LT, %a, %b : ", f"""      %k = stablehlo.constant dense<{constant}> : tensor<f32>
      %2 = stablehlo.compare GT, %a, %k : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %3 = stablehlo.select %2, %b, %a : tensor<i1>, tensor<f32>
      %1 = stablehlo.compare LT, %3, %b : """)
            self.assertIn("stablehlo.select %2", text)
            self.write("a.mlir", text)
            code, _, err = self.run_here("show", "a.mlir")
            self.assertEqual(BAD_INPUT, code)
            self.assertIn("a sort that is not by less or greater", err)

    def test_random_floats_are_made_of_bits(self):
        lines = lambda shift, exponent: [
            f"%c = stablehlo.constant dense<{shift}> : tensor<4xui32>", f"%e = stablehlo.constant dense<{exponent}> : tensor<4xui32>",
            "%1 = stablehlo.shift_right_logical %arg0, %c : tensor<4xui32>", "%2 = stablehlo.or %1, %e : tensor<4xui32>",
            "%0 = stablehlo.bitcast_convert %2 : (tensor<4xui32>) -> tensor<4xf32>"]
        text = lambda *args: self.one_op(["4xui32"], lines(*args), "4xf32")
        bits = np.array([0, 2**32 - 1, 12345678, 2**31], np.uint32)
        np.savez(self.folder / "in.npz", arg0=bits)
        for exponent in (127, 130, 1):
            self.write("a.mlir", text(9, exponent << 23))
            code, _, err = self.run_here("sim", "a.mlir", "--inputs", "in.npz", "--outputs", "out.npz")
            self.assertEqual((HOLDS, ""), (code, err))
            with np.load(self.folder / "out.npz", allow_pickle=False) as archive:
                self.assertEqual((bits >> 9 | np.uint32(exponent << 23)).view(np.float32).tolist(), archive[archive.files[0]].tolist())
        self.compare(DOES_NOT_HOLD, text(9, 127 << 23), text(10, 127 << 23))
        for shift, exponent in [(8, 127 << 23), (9, 255 << 23), (9, 0), (9, (127 << 23) + 1)]:
            self.write("a.mlir", text(shift, exponent))
            code, _, err = self.run_here("show", "a.mlir")
            self.assertEqual(BAD_INPUT, code)
            self.assertIn("not supported: bitcast_convert", err)

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

    def test_axes_may_have_any_names(self):
        self.write("a.mlir", MAIN.replace('"x"', '"tensor-parallel"'))
        self.write("b.mlir", REFERENCE)
        self.assertEqual(HOLDS, self.run_here("check", "a.mlir", "b.mlir")[0])
        self.assertIn("mesh @mesh [tensor_parallel=2]", self.run_here("show", "a.mlir")[1])


if __name__ == "__main__":
    unittest.main()
