#!/usr/bin/python3
"""`run --products library`: what is added to a product is part of the call of cuBLASLt, and within the bounds of `--check`.

Each dtype runs with threads and with processes, call by call and as a graph. What of a run is no sum behind a product, or
is read by others, too, stays a kernel.
"""

import pathlib
import re
import unittest

from isoshard import BINARY, DOES_NOT_HOLD, HOLDS, Case

BACKEND = pathlib.Path(BINARY).resolve().parent / "libisoshard_exec_standin.so"
QUICK = {"STANDIN_QUERY_MS": "3"}

LAYERS = """isoshard 1
mesh @m [x=2]
global @x : {dtype}[16, 24] input
global @w : {dtype}[24, 40] input
global @b : {dtype}[40] input
global @v : {dtype}[40, 24] input
program @p on @m {{
  %x = view @x [x, -]
  %w = view @w [-, -]
  %b = view @b [-]
  %v = view @v [-, -]
  %z = dot_general %x, %w {{contract=[1]x[0]}}
  %bs = broadcast_in_dim %b {{dims=[1], shape=[8, 40]}}
  %h = add %z, %bs
  %p = dot_general %h, %v {{contract=[1]x[0]}}
  %y = add %x, %p
  return @y = %y [x, -]
{more}}}
"""


class Epilogues(Case):
    def setUp(self):
        super().setUp()
        if not BACKEND.exists():
            self.skipTest("the backend of the stand-in is not built")

    def products(self, dtype="f32", more="", *options):
        """The product calls of rank 0, without places."""
        self.write("p.shard", LAYERS.format(dtype=dtype, more=more))
        code, out, err = self.run_here("run", "p.shard", "--products", "library", "--print-calls", "--rank", "0", *options)
        self.assertEqual((HOLDS, ""), (code, err))
        return [re.sub(r" (arena|@\w+)\S*", "", line) for line in re.findall(r"product .*(?=  // )", out)]

    def checked(self, *options):
        code, out, err = self.run_here("run", "p.shard", "--products", "library", "--device", "cpu-standin", "--check",
                                       *options, env=QUICK)
        self.assertEqual((HOLDS, ""), (code, err))
        self.assertRegex(out, r"\nEQUAL to sim(, bit for bit| within the bounds of rounding)\n$")
        return out

    def test_are_within_the_bounds(self):
        for dtype in ("f32", "bf16", "f16"):
            with self.subTest(dtype):
                self.assertEqual([f"product {dtype} b,m,n,k=[1,8,40,24] bias to {dtype}",
                                  f"product {dtype} b,m,n,k=[1,8,24,40] residual to {dtype}"], self.products(dtype))
                for options in ((), ("--launcher", "processes"), ("--repeat", "3", "--graph", "on"), ("--seed", "7")):
                    self.checked(*options)

    def test_of_f64_are_matrices_only(self):
        self.assertEqual(["product f64 b,m,n,k=[1,8,40,24] to f64", "product f64 b,m,n,k=[1,8,24,40] residual to f64"],
                         self.products("f64"))
        self.checked()

    def test_of_what_others_read_are_kernels(self):
        self.assertEqual(["product f32 b,m,n,k=[1,8,40,24] to f32", "product f32 b,m,n,k=[1,8,24,40] residual to f32"],
                         self.products(more="  return @z = %z [x, -]\n"))
        self.checked()

    def test_without_fusion_there_are_none(self):
        for line in self.products("f32", "", "--fuse", "off"):
            self.assertRegex(line, r" to f32$")
            self.assertNotRegex(line, "bias|residual")
        self.checked("--fuse", "off")

    def test_algorithms_are_for_an_epilogue(self):
        self.products()
        for said in ("2 kinds of product, 0 known, 2 chosen", "2 kinds of product, 2 known, 0 chosen"):
            self.assertIn(said, self.checked("--algorithms", "a.txt"))
        text = (self.folder / "a.txt").read_text()
        self.assertIn(" epilogue=bias ", text)
        self.assertIn(" epilogue=residual ", text)
        self.assertIn("0 known, 2 chosen", self.checked("--algorithms", "a.txt", "--fuse", "off"))
        self.write("a.txt", text.replace("=bias", "=relu"))
        code, out, err = self.run_here("run", "p.shard", "--products", "library", "--device", "cpu-standin", "--algorithms",
                                       "a.txt", env=QUICK)
        self.assertEqual((2, ""), (code, out))
        self.assertIn('error: "relu"; expected none, bias or residual [I-algorithms]', err)


class Mistakes(Case):
    """An issuer that gives cuBLASLt another bias, or another matrix to add (tests/standin/mutant)."""

    def test_are_named(self):
        mutant = pathlib.Path(BINARY).resolve().parent.parent / "tests" / "mutant"
        if not (mutant / "libisoshard_exec_standin.so").exists():
            self.skipTest("the mutant backend is not built")
        self.write("p.shard", LAYERS.format(dtype="f32", more=""))
        for mistake, said in (("bias", "14:8: add h: issued cublasLtMatmul with bias arena"),
                              ("added", "16:8: add y: issued cublasLtMatmul with C arena"),
                              ("no_beta", "16:8: add y: issued cublasLtMatmul with beta 0, expected 1")):
            with self.subTest(mistake):
                code, out, err = self.run_here("run", "p.shard", "--products", "library", "--device", "cpu-standin", "--check",
                                               env={**QUICK, "ISOSHARD_EXEC_PATH": str(mutant), "ISOSHARD_MUTANT": mistake + " 0"})
                self.assertEqual((DOES_NOT_HOLD, ""), (code, out))
                self.assertRegex(err, "^error: rank [01]: p.shard:" + said)  # each takes itself for 0 where nobody meets
                self.assertIn("[R-issued]", err)


if __name__ == "__main__":
    unittest.main()
