#!/usr/bin/python3
"""What constants of StableHLO texts mean, and what is computed of them while a text is read."""

import unittest

from isoshard import BAD_INPUT, DOES_NOT_HOLD, HOLDS, Case

FUNCTION = """module @m {{
  func.func public @main(%x: tensor<4x{dtype}>, %n: tensor<4xi32>) -> tensor<4x{dtype}> {{
{ops}
    return %r : tensor<4x{dtype}>
  }}
}}
"""


def times(name, factor, dtype="f32"):
    return (f"    %c{name} = stablehlo.constant dense<{factor}> : tensor<4x{dtype}>\n"
            f"    %{name} = stablehlo.multiply %x, %c{name} : tensor<4x{dtype}>\n")


class StableHloConstants(Case):
    def check(self, left, right, dtype="f32"):
        self.write("a.mlir", FUNCTION.format(dtype=dtype, ops=left))
        self.write("b.mlir", FUNCTION.format(dtype=dtype, ops=right))
        return self.run_here("check", "a.mlir", "b.mlir")

    def test_a_float_is_the_shortest_decimal_that_rounds_to_it(self):
        for dtype, long, short in [("f32", "0.899999976", "0.9"), ("f32", "0x3F666666", "0.9"), ("f64", "0.90000000000000002", "0.9"),
                                   ("bf16", "8.984380e-01", "0.9"), ("f16", "8.999020e-01", "0.9"),
                                   ("f32", "1.1920929E-7", "0x34000000"), ("f32", "4.2949673E+9", "4294967296.0")]:
            with self.subTest(long):
                code, out, _ = self.check(times("r", long, dtype), times("r", short, dtype), dtype)
                self.assertEqual(HOLDS, code, out)

    def test_decimals_add_up(self):
        parts = times("p", "0.899999976") + times("q", "1.000000e-01") + "    %r = stablehlo.add %p, %q : tensor<4xf32>"
        whole = times("r", "1.0")
        self.assertEqual(HOLDS, self.check(parts, whole)[0])
        self.assertEqual(DOES_NOT_HOLD, self.check(parts.replace("0.899999976", "0.899999"), whole)[0])

    def test_small_multiples_of_powers_of_two_are_themselves(self):
        """2^-23, whose shortest decimal as an f32 is 1.1920929e-07, times 2^23 is 1."""
        product = ("    %c = stablehlo.constant dense<8388608.0> : tensor<4xf32>\n" + times("p", "1.1920929E-7") +
                   "    %r = stablehlo.multiply %p, %c : tensor<4xf32>")
        self.assertEqual(HOLDS, self.check(product, times("r", "1.0"))[0])

    def choice(self, degrees):
        """x.var(ddof=degrees) of 4 elements asks whether any are left, and has NaN where not."""
        return f"""    %c = stablehlo.constant dense<{degrees}> : tensor<i32>
    %d = stablehlo.convert %c : (tensor<i32>) -> tensor<f32>
    %size = stablehlo.constant dense<4.0> : tensor<f32>
    %left = stablehlo.subtract %size, %d : tensor<f32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %any = stablehlo.compare GT, %left, %zero, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %all = stablehlo.broadcast_in_dim %any, dims = [] : (tensor<i1>) -> tensor<4xi1>
    %none = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %nan = stablehlo.broadcast_in_dim %none, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %r = stablehlo.select %all, %x, %nan : tensor<4xi1>, tensor<4xf32>"""

    def test_choices_by_constants_are_made(self):
        self.assertEqual(HOLDS, self.check(self.choice(1), times("r", "1.0"))[0])
        self.assertNotEqual(HOLDS, self.check(self.choice(4), times("r", "1.0"))[0])

    def test_different_floats_are_different_numbers(self):
        """Which MLIR prints with nine digits, and of which the shorter text would stand for both."""
        self.assertEqual(HOLDS, self.check(times("r", "0.333333343"), times("r", "0.33333334"))[0])
        self.assertEqual(DOES_NOT_HOLD, self.check(times("r", "0.333333343"), times("r", "0.333333313"))[0])

    def test_a_total_order_is_not_folded(self):
        """In it -0 is below 0."""
        ops = """    %a = stablehlo.constant dense<-0.0> : tensor<f32>
    %b = stablehlo.constant dense<0.0> : tensor<f32>
    %c = stablehlo.compare LT, %a, %b, ORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %all = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<4xi1>
    %t = stablehlo.add %x, %x : tensor<4xf32>
    %r = stablehlo.select %all, %t, %x : tensor<4xi1>, tensor<4xf32>"""
        self.assertEqual(HOLDS, self.check(ops.replace("ORDER", "FLOAT"), times("r", "1.0"))[0])
        code, _, err = self.check(ops.replace("ORDER", "TOTALORDER"), times("r", "1.0"))
        self.assertEqual(BAD_INPUT, code)
        self.assertIn("a comparison by TOTALORDER outside of a sort, but of numbers whose zeros and nans are made alike before, as jnp.searchsorted does [M-unsupported]", err)

    def test_what_a_dtype_does_not_hold_is_not_folded(self):
        """In f32 2^24 + 1 is 2^24; the verdict is about real numbers, and says so: 1 is left."""
        ops = """    %a = stablehlo.constant dense<16777216.0> : tensor<f32>
    %b = stablehlo.constant dense<1.0> : tensor<f32>
    %c = stablehlo.add %a, %b : tensor<f32>
    %s = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %r = stablehlo.add %x, %s : tensor<4xf32>"""
        self.write("a.mlir", FUNCTION.format(dtype="f32", ops=ops))
        code, out, _ = self.run_here("show", "a.mlir")
        self.assertEqual(HOLDS, code)
        self.assertEqual(2, out.count(" = add "), out)
        self.write("a.mlir", FUNCTION.format(dtype="f32", ops=ops.replace("16777216.0", "7.0")))
        self.assertEqual(1, self.run_here("show", "a.mlir")[1].count(" = add "))

    def test_indices_that_are_clipped_are_inside(self):
        """`0 <= clip(n, 0, 3) <= 3` holds for any n, so that no NaN of jnp.take is left."""
        ops = """    %zero = stablehlo.constant dense<0> : tensor<4xi32>
    %three = stablehlo.constant dense<3> : tensor<4xi32>
    %up = stablehlo.maximum %zero, %n : tensor<4xi32>
    %i = stablehlo.minimum %three, %up : tensor<4xi32>
    %inside = stablehlo.compare LE, %i, %THREE, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %nan = stablehlo.constant dense<0x7FC00000> : tensor<4xf32>
    %r = stablehlo.select %inside, %x, %nan : tensor<4xi1>, tensor<4xf32>"""
        self.assertEqual(HOLDS, self.check(ops.replace("THREE", "three"), times("r", "1.0"))[0])
        self.assertNotEqual(HOLDS, self.check(ops.replace("THREE", "zero"), times("r", "1.0"))[0])

    def test_the_larger_of_a_number_and_minus_infinity_is_the_number(self):
        for op, number, code in [("maximum", "0xFF800000", HOLDS), ("minimum", "0x7F800000", HOLDS), ("minimum", "0xFF800000", DOES_NOT_HOLD)]:
            ops = (f"    %c = stablehlo.constant dense<{number}> : tensor<4xf32>\n    %r = stablehlo.{op} %c, %x : tensor<4xf32>")
            with self.subTest(f"{op} {number}"):
                found, out, _ = self.check(ops, times("r", "1.0"))
                self.assertEqual(code, found, out)

    def test_a_function_may_return_nothing(self):
        """What is left of a call whose results nobody uses, with its location behind `return`."""
        ops = "    call @none(%x) : (tensor<4xf32>) -> ()\n" + times("r", "1.0")
        text = FUNCTION.format(dtype="f32", ops=ops)
        nothing = "  func.func private @none(%a: tensor<4xf32>) {\n    return loc(#loc)\n  }\n}\n#loc = loc(unknown)\n"
        self.write("a.mlir", text.rstrip()[:-1] + nothing)
        self.write("b.mlir", FUNCTION.format(dtype="f32", ops=times("r", "1.0")))
        code, out, err = self.run_here("check", "a.mlir", "b.mlir")
        self.assertEqual(HOLDS, code, out + err)
        self.write("a.mlir", (text.rstrip()[:-1] + nothing).replace("return loc", "return %b : tensor<4xf32> loc"))
        self.assertEqual(BAD_INPUT, self.run_here("check", "a.mlir", "b.mlir")[0])

    def test_places_are_lines_of_the_user(self):
        """Of a call where an op has none, and none of a package."""
        ops = ('    %r = call @twice(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("train.py":7:3)\n')
        twice = ("  func.func private @twice(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
                 "    %s = stablehlo.add %a, %a : tensor<4xf32> loc(#loc1)\n    return %s : tensor<4xf32>\n  }\n}\n"
                 '#loc1 = loc("/usr/lib/python3/site-packages/flax/linear.py":9:1)\n')
        self.write("a.mlir", FUNCTION.format(dtype="f32", ops=ops).rstrip()[:-1] + twice)
        self.write("b.mlir", FUNCTION.format(dtype="f32", ops=times("r", "3.0")))
        _, out, _ = self.run_here("check", "a.mlir", "b.mlir")
        self.assertIn(" at train.py:7:3", out)
        self.write("a.mlir", (FUNCTION.format(dtype="f32", ops=ops).rstrip()[:-1] + twice).replace(' loc("train.py":7:3)', ""))
        _, out, _ = self.run_here("check", "a.mlir", "b.mlir")
        self.assertIn("flax/linear.py:9:1", out)


if __name__ == "__main__":
    unittest.main()
