#!/usr/bin/python3
"""Loops of StableHLO texts that count, upwards and downwards, and numbers of texts that fit nothing."""

from isoshard import BAD_INPUT, DOES_NOT_HOLD, HOLDS, ROOT, Case

LOOP = """module @m {{
  func.func public @main(%x: tensor<4xf32>) -> (tensor<{dtype}>, tensor<4xf32>) {{
    %start = stablehlo.constant dense<{start}> : tensor<{dtype}>
    %0:2 = stablehlo.while(%i = %start, %y = %x) : tensor<{dtype}>, tensor<4xf32>
    cond {{
      %limit = stablehlo.constant dense<{limit}> : tensor<{dtype}>
      %goes = stablehlo.compare {test}, %i, %limit : (tensor<{dtype}>, tensor<{dtype}>) -> tensor<i1>
      stablehlo.return %goes : tensor<i1>
    }} do {{
      %step = stablehlo.constant dense<{step}> : tensor<{dtype}>
      %next = stablehlo.{by} {order} : tensor<{dtype}>
      %one = stablehlo.convert %i : (tensor<{dtype}>) -> tensor<f32>
      %all = stablehlo.broadcast_in_dim %one, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %sum = stablehlo.multiply %y, %all : tensor<4xf32>
      stablehlo.return %next, %sum : tensor<{dtype}>, tensor<4xf32>
    }}
    return %0#0, %0#1 : tensor<{dtype}>, tensor<4xf32>
  }}
}}
"""
WRITTEN_OUT = """module @m {{
  func.func public @main(%x: tensor<4xf32>) -> (tensor<{dtype}>, tensor<4xf32>) {{
    %last = stablehlo.constant dense<{last}> : tensor<{dtype}>
    %product = stablehlo.constant dense<{product}.0> : tensor<4xf32>
    %y = stablehlo.multiply %x, %product : tensor<4xf32>
    return %last, %y : tensor<{dtype}>, tensor<4xf32>
  }}
}}
"""


def loop(start, test, limit, by, step, dtype="i32", order="%i, %step"):
    return LOOP.format(start=start, test=test, limit=limit, by=by, step=step, dtype=dtype, order=order)


MAIN = """module @m {{
  sdy.mesh @mesh = <["a"=2]>
  func.func public @main(%x: tensor<4x4xf32>, %n: tensor<3x1xi32>) -> tensor<{type}> {{
    {op}
    return %r : tensor<{type}>
  }}
}}
"""
PICK = """%r = "stablehlo.gather"(%x, %n) <{{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [{collapsed}], \
start_index_map = [{map}], index_vector_dim = {vector}>, slice_sizes = array<i64: {sizes}>}}> : (tensor<4x4xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>"""


def pick(collapsed=0, map="0", vector=1, sizes="1, 4"):
    return PICK.format(collapsed=collapsed, map=map, vector=vector, sizes=sizes)


class StableHloLoops(Case):
    def check(self, left, right):
        self.write("a.mlir", left)
        self.write("b.mlir", right)
        return self.run_here("check", "a.mlir", "b.mlir")

    def test_a_loop_counts_up_and_down(self):
        for text, last, product in [(loop(1, "LT", 5, "add", 1), 5, 24), (loop(1, "LE", 5, "add", 2), 7, 15),
                                    (loop(5, "GT", 0, "subtract", 1), 0, 120), (loop(8, "GE", 1, "subtract", 3), -1, 80),
                                    (loop(5, "GT", 0, "add", -1), 0, 120), (loop(5, "GT", 0, "add", -1, order="%step, %i"), 0, 120),
                                    (loop(0, "GT", 5, "subtract", 1), 0, 1),
                                    (loop(5, "GE", 2, "subtract", 1, dtype="ui8"), 1, 120),
                                    (loop(125, "LT", 127, "add", 1, dtype="i8"), 127, 125 * 126)]:
            dtype = next(dtype for dtype in ("ui8", "i8", "i32") if f"<{dtype}>" in text)
            for wrong in (0, 1):
                with self.subTest(text, wrong=wrong):
                    code, out, err = self.check(text, WRITTEN_OUT.format(dtype=dtype, last=last - wrong, product=product))
                    self.assertEqual((DOES_NOT_HOLD if wrong else HOLDS, ""), (code, err), out)
        self.assertEqual(DOES_NOT_HOLD, self.check(loop(5, "GT", 0, "subtract", 1), WRITTEN_OUT.format(dtype="i32", last=0, product=60))[0])

    def test_a_loop_whose_counter_wraps_around_or_goes_the_other_way_is_refused(self):
        for text in [loop(0, "LE", 2147483647, "add", 1), loop(0, "LT", 2147483647, "add", 2), loop(0, "GE", 0, "subtract", 1, dtype="ui32"),
                     loop(100, "LT", 127, "add", 5, dtype="i8"), loop(0, "LT", 5, "subtract", 1), loop(5, "GT", 0, "add", 1),
                     loop(0, "LT", 5, "add", 0), loop(5, "NE", 0, "subtract", 1), loop("5.0", "GT", "0.0", "subtract", "1.0", dtype="f32"),
                     loop(5, "GT", 0, "subtract", 1, order="%step, %i"), loop(5, "GT", 0, "multiply", 1)]:
            with self.subTest(text):
                code, out, err = self.check(text, text)
                self.assertEqual((BAD_INPUT, ""), (code, out))
                self.assertIn(".mlir:4:12: error: not supported: a while of which nothing bounds the trips: its condition, or a part of it that is "
                              "joined by `and`, is to compare (LT or LE upwards, GT or GE downwards) a loop value, to which the body adds a constant, with a constant", err)

    def test_loops_side_by_side_whose_body_goes_on_otherwise_than_they_ask_are_refused(self):
        text = (ROOT / "tests/data/jax_pairs/while_vmap/reference.mlir").read_text(encoding="utf-8")
        condition, body = text.split("} do {")
        line = [line for line in body.splitlines() if "stablehlo.select" in line][2]
        name, (_, new, old) = line.split()[0], line[line.index("select "):].split(" : ")[0].split(", ")
        returned = body[body.index("stablehlo.return"):].split(" : ")[0]
        for wrong in [condition + "} do {" + body.replace("dense<6>", "dense<5>"), condition.replace("dense<6>", "dense<5>") + "} do {" + body,
                      condition + "} do {" + body.replace("compare LT", "compare LE"), text.replace("applies stablehlo.or", "applies stablehlo.and"),
                      condition.replace("stablehlo.and", "stablehlo.or") + "} do {" + body, text.replace(returned, returned.replace(name, new)),
                      text.replace(f", {new}, {old}", f", {old}, {new}")]:
            with self.subTest(wrong):
                self.assertNotEqual(text, wrong)
                self.write("a.mlir", wrong)
                code, out, err = self.run_here("show", "a.mlir")
                self.assertEqual((BAD_INPUT, ""), (code, out))
                self.assertIn("error: not supported: a while of which nothing bounds the trips", err)

    def test_numbers_that_fit_nothing_are_refused_with_their_place(self):
        padded = '%z = stablehlo.constant dense<0.0> : tensor<f32>\n    %r = stablehlo.pad %x, %z, low = [{}], high = [{}], interior = [{}] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>'
        fits = "dimension numbers that the operands do not have, or one of them twice"
        pad = "a pad of 2^31 or more, or with a negative interior"
        for op, result, message in [(pick(), "3x4xf32", None), (pick(map="2"), "3x4xf32", fits), (pick(map="-1"), "3x4xf32", fits), (pick(collapsed=7), "3x4xf32", fits),
                                    (pick(vector=9), "3x4xf32", fits), (pick(vector=-1), "3x4xf32", fits),
                                    (pick(sizes="9, 4"), "3x4xf32", "windows that are larger than the operand"), (pick(sizes="-1, 4"), "3x4xf32", "windows that are larger"),
                                    (pick(sizes="1, 9"), "3x4xf32", "slice: the range 0..9 step 1 does not fit dim 1 with size 4"),
                                    (padded.format("0, 0", "0, 0", "0, 0"), "4x4xf32", None), (padded.format("0, 0", "0, 0", "0, -1"), "4x4xf32", pad),
                                    (padded.format("0, -9223372036854775808", "0, 0", "0, 0"), "4x4xf32", pad),
                                    (padded.format("0, 0", "0, 0", "9223372036854775807, 0"), "4x4xf32", pad),
                                    (padded.format("0, 0", "0, 0", "0"), "4x4xf32", "a pad with other than one low, high and interior per dimension"),
                                    ("%r = stablehlo.slice %x [0:4, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>", "4x4xf32", "a range of a slice; expected start:limit"),
                                    ('"stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> ()', "4x4xf32", "without a result; expected one, as in %0 = stablehlo.iota"),
                                    ("%r = stablehlo.iota dim = 0 : tensor<4x9223372036854775807xf32>", "4x4xf32",
                                     "tensor<4x9223372036854775807xf32>; expected at most 2^40 elements")]:
            with self.subTest(op):
                self.write("a.mlir", MAIN.format(op=op, type=result))
                code, out, err = self.run_here("show", "a.mlir")
                if message is None:
                    self.assertEqual((HOLDS, ""), (code, err))
                else:
                    self.assertEqual((BAD_INPUT, ""), (code, out))
                    self.assertRegex(err, r"^a\.mlir:\d+:\d+: error: ")
                    self.assertIn(message, err)


if __name__ == "__main__":
    import unittest
    unittest.main()
