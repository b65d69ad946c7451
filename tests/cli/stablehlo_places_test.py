#!/usr/bin/python3
"""What reports say of the user's source: functions, callers, and what JAX calls the code that a text does not have."""

import unittest

from isoshard import BAD_INPUT, DOES_NOT_HOLD, HOLDS, ROOT, Case

# w(x) * s twice, by a method that two lines of step call; the layout is jax 0.12's
LAYERS = """\
module @jit_step {{
  func.func public @main(%arg0: tensor<4xf32> loc("x")) -> (tensor<4xf32> {{jax.result_info = "result"}}) {{
    %c = stablehlo.constant dense<{first}> : tensor<4xf32> loc(#mul1)
    %0 = stablehlo.multiply %arg0, %c : tensor<4xf32> loc(#mul1)
    %d = stablehlo.constant dense<{second}> : tensor<4xf32> loc(#mul2)
    %1 = stablehlo.{op} %0, %d : tensor<4xf32> loc(#mul2)
    return %1 : tensor<4xf32> loc(#end)
  }} loc(#end)
}} loc(#end)
#file = loc("/home/me/model.py":5:15 to :20)
#layer = loc("Layer.__call__"(#file))
#inner = loc("Layer.scale.<locals>.<lambda>"(#file))
#site1 = loc("step"("/home/me/model.py":9:8 to :20))
#site2 = loc("step"("/home/me/model.py":10:8 to :20))
#package = loc("run"("/usr/lib/python3.12/runpy.py":1:0 to :1))
#top = loc("<module>"("/home/me/main.py":3:0 to :9))
#call1 = loc(callsite(#layer at callsite(#site1 at callsite(#package at #top))))
#call2 = loc(callsite(#inner at callsite(#layer at callsite(#site2 at #site2))))
#mul1 = loc("jit(step)/mul"(#call1))
#mul2 = loc("jit(step)/mul"(#call2))
#end = loc("jit(step)"(#top))
"""
CUSTOM = """module @jit_f {{
  func.func public @main(%arg0: tensor<4x4xf32> loc("x")) -> (tensor<4x4xf32> {{jax.result_info = "result"}}) {{
    {call} {{has_side_effect = true, operand_layouts = [dense<[1, 0]> : tensor<2xindex>], result_layouts = [], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], []) {{i=4, j=4, k=4, l=4}}, custom>}} : (tensor<4x4xf32>) -> {type} loc(#op)
    %1 = stablehlo.add %arg0, {result} : tensor<4x4xf32>
    return %1 : tensor<4x4xf32>
  }}
}}
#line = loc("f"("/home/me/model.py":6:4 to :30))
#op = loc("{name}"(#line))
"""
PYTHON = "xla_ffi_python_cpu_callback"
# t[n + shift] or t[max(n, 0)], as jnp.take_along_axis does it: nan where the index lies outside
INDEXED = """module @m {{
  func.func public @main(%t: tensor<4xf32> loc("t"), %n: tensor<3xi32> loc("n")) -> tensor<3xf32> {{
    %zero = stablehlo.constant dense<0> : tensor<3xi32>
    %one = stablehlo.constant dense<1> : tensor<3xi32>
    %size = stablehlo.constant dense<4> : tensor<3xi32>
    %least = stablehlo.constant dense<0> : tensor<3x1xi32>
    %most = stablehlo.constant dense<3> : tensor<3x1xi32>
    %nan = stablehlo.constant dense<0x7FC00000> : tensor<3xf32>
    %true = stablehlo.constant dense<true> : tensor<i1>
    %index = stablehlo.{index} : tensor<3xi32>
    %negative = stablehlo.compare LT, %index, %zero, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %behind = stablehlo.add %index, %size : tensor<3xi32>
    %wrapped = stablehlo.select %negative, %behind, %index : tensor<3xi1>, tensor<3xi32>
    %start = stablehlo.reshape %wrapped : (tensor<3xi32>) -> tensor<3x1xi32>
    %ge = stablehlo.compare GE, %start, %least, SIGNED : (tensor<3x1xi32>, tensor<3x1xi32>) -> tensor<3x1xi1>
    %le = stablehlo.compare LE, %start, %most, SIGNED : (tensor<3x1xi32>, tensor<3x1xi32>) -> tensor<3x1xi1>
    %both = stablehlo.and %ge, %le : tensor<3x1xi1>
    %in = stablehlo.reduce(%both init: %true) applies stablehlo.and across dimensions = [1] : (tensor<3x1xi1>, tensor<i1>) -> tensor<3xi1>
    %row = "stablehlo.gather"(%t, %start) <{{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}}> : (tensor<4xf32>, tensor<3x1xi32>) -> tensor<3xf32>
    %r = stablehlo.select %in, %row, %nan : tensor<3xi1>, tensor<3xf32>
    return %r : tensor<3xf32>
  }}
}}
"""
# the same by comparisons with each number, 0 where none fits
COMPARED = """module @m {{
  func.func public @main(%t: tensor<4xf32> loc("t"), %n: tensor<3xi32> loc("n")) -> tensor<3xf32> {{
    %zero = stablehlo.constant dense<0> : tensor<3xi32>
    %one = stablehlo.constant dense<1> : tensor<3xi32>
    %index = stablehlo.{index} : tensor<3xi32>
    %numbers = stablehlo.iota dim = 1 : tensor<3x4xi32>
    %each = stablehlo.broadcast_in_dim %index, dims = [0] : (tensor<3xi32>) -> tensor<3x4xi32>
    %is = stablehlo.compare EQ, %each, %numbers, SIGNED : (tensor<3x4xi32>, tensor<3x4xi32>) -> tensor<3x4xi1>
    %hot = stablehlo.convert %is : (tensor<3x4xi1>) -> tensor<3x4xf32>
    %r = stablehlo.dot_general %hot, %t, contracting_dims = [1] x [0] : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3xf32>
    return %r : tensor<3xf32>
  }}
}}
"""


class StableHloPlaces(Case):
    def custom(self, target, name, gives="%0"):
        defined, kind = (f"{gives} = ", "tensor<4x4xf32>") if gives == "%0" else ("", "()")
        call = f"{defined}stablehlo.custom_call @{target}(%arg0)"
        self.write("a.mlir", CUSTOM.format(call=call, name=name, type=kind, result=gives))

    def test_a_wrong_value_is_told_with_its_function_and_its_callers(self):
        self.write("a.mlir", LAYERS.format(first="2.0", second="3.0", op="multiply"))
        self.write("b.mlir", LAYERS.format(first="2.0", second="3.0", op="add"))
        code, out, _ = self.run_here("check", "a.mlir", "b.mlir")
        self.assertEqual(DOES_NOT_HOLD, code, out)
        self.assertIn(" at /home/me/model.py:5:15 in Layer.scale.<lambda>, all that differs", out)
        self.assertIn("called from /home/me/model.py:5:15 in Layer.__call__\n", out)
        self.assertIn("called from /home/me/model.py:10:8 in step\n", out)
        self.assertNotIn("model.py:9", out, "the other call of the same line")
        self.assertNotIn("runpy", out)

    def test_without_locations_a_value_is_told_as_its_text_has_it(self):
        folder = ROOT / "tests/data/stablehlo/cases/wrong_missing_psum"
        out = self.run_here("check", folder / "sharded.mlir", folder / "reference.mlir")[1]
        self.assertIn("NOT EQUAL: missing all_reduce of `%1 = stablehlo.dot_general` over `model` before add", out)

    def test_imported_values_are_named_after_functions(self):
        self.write("a.mlir", LAYERS.format(first="2.0", second="3.0", op="multiply"))
        out = self.run_here("import", "a.mlir")[1]
        self.assertIn("%Layer_multiply_5 = multiply %x, %Layer_constant_5", out)
        self.assertIn("%scale_multiply_5 = multiply %Layer_multiply_5, %scale_constant_5", out)

    def test_a_name_around_a_line_without_an_op_is_that_of_the_op(self):  # jax before 0.7
        text = LAYERS.format(first="2.0", second="3.0", op="multiply")
        self.write("a.mlir", text.replace('#mul1 = loc("jit(step)/mul"(#call1))', '#mul1 = loc("jit(step)/mul"(#file))'))
        self.assertIn("%multiply_5 = multiply %x, %constant_5", self.run_here("import", "a.mlir")[1])

    def test_callbacks_without_results_are_left_out(self):
        for name, words in [("debug_print:", "jax.debug.print"), ("jit(f)/io_callback", "jax.experimental.io_callback")]:
            with self.subTest(name):
                self.custom(PYTHON, name, gives="%arg0")
                code, out, err = self.run_here("show", "a.mlir")
                self.assertEqual(HOLDS, code, err)
                self.assertIn(f"/home/me/model.py:6:4: warning: {words} is left out: ", err)
                self.assertIn("[W-left-out]\n  in f\n", err)
                self.assertEqual(1, err.count("W-left-out"))

    def test_what_runs_outside_is_refused_by_the_name_that_people_know(self):
        for target, name, words in [
            (PYTHON, "jit(f)/pure_callback", "jax.pure_callback"),
            ("lapack_spotrf_ffi", "jit(f)/cholesky", '"cholesky" of JAX'),
            ("lapack_sgetrf_ffi", "layer/jit(solve)/lu", '"lu" of JAX'),
        ]:
            with self.subTest(name):
                self.custom(target, name)
                code, _, err = self.run_here("show", "a.mlir")
                self.assertEqual(BAD_INPUT, code)
                self.assertIn(f"/home/me/model.py:6:4: error: not supported: {words} (custom_call @{target})", err)
                self.assertIn("  in f\n", err)

    def test_indices_that_are_computed_give_their_arguments_ranges(self):
        ranges = [
            ("subtract %n, %one", "subtract %n, %zero", "1..5"),
            ("add %n, %one", "subtract %n, %one", "-1..3"),
            ("maximum %n, %zero", "maximum %n, %one", "-2147483648..4"),
        ]
        for index, wrong, said in ranges:
            with self.subTest(index):
                self.write("a.mlir", COMPARED.format(index=index))
                self.write("b.mlir", INDEXED.format(index=index))
                code, out, err = self.run_here("check", "a.mlir", "b.mlir")
                self.assertEqual((HOLDS, ""), (code, err), out)
                self.assertIn(f"EQUAL as formulas for @n in {said} (", out)
                self.write("a.mlir", COMPARED.format(index=wrong))
                self.assertEqual(DOES_NOT_HOLD, self.run_here("check", "a.mlir", "b.mlir")[0])


if __name__ == "__main__":
    unittest.main()
