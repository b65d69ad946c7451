#!/usr/bin/python3
"""What is said of StableHLO texts on the command line: ranges, names of arguments, standard input; and `import`."""

import re
import subprocess
import unittest

from isoshard import BAD_INPUT, BINARY, DOES_NOT_HOLD, HOLDS, ROOT, Case

DATA = ROOT / "tests/data/stablehlo/cases"

LOOKUP = """module @m {{
  func.func public @main(%t: tensor<4xf32>{t}, %n: tensor<3xi32>{n}) -> tensor<3xf32> {{
{ops}
    return %r : tensor<3xf32>
  }}
}}
"""
# x[clip(n)] by a comparison with each number, which is 0 for others
ONE_HOT = """    %numbers = stablehlo.iota dim = 1 : tensor<3x4xi32>
    %each = stablehlo.broadcast_in_dim %n, dims = [0] : (tensor<3xi32>) -> tensor<3x4xi32>
    %is = stablehlo.compare EQ, %each, %numbers, SIGNED : (tensor<3x4xi32>, tensor<3x4xi32>) -> tensor<3x4xi1>
    %hot = stablehlo.convert %is : (tensor<3x4xi1>) -> tensor<3x4xf32>
    %r = stablehlo.dot_general %hot, %t, contracting_dims = [1] x [0] : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3xf32>"""
CLIPPED = """    %zero = stablehlo.constant dense<0> : tensor<3xi32>
    %three = stablehlo.constant dense<3> : tensor<3xi32>
    %up = stablehlo.maximum %n, %zero : tensor<3xi32>
    %clip = stablehlo.minimum %up, %three : tensor<3xi32>
""" + ONE_HOT.replace("%n,", "%clip,")
NAMES = {"t": ' loc("table")', "n": ' loc("n")'}
UNUSED = """module @m {{
  func.func public @main({arguments}) -> tensor<4xf32> {{
    %r = stablehlo.add %x, %b : tensor<4xf32>
    return %r : tensor<4xf32>
  }}
}}
"""


def numbered(text):
    """The text with its values numbered in the order in which they stand."""
    numbers = {}
    return re.sub(r"%[\w.]+", lambda found: f"%{numbers.setdefault(found[0], len(numbers))}", text)


class StableHloOptions(Case):
    def pair(self, left, right, names=None):
        self.write("a.mlir", LOOKUP.format(ops=left, **(names or NAMES)))
        self.write("b.mlir", LOOKUP.format(ops=right, **(names or NAMES)))

    def test_a_range_says_which_numbers_an_argument_has(self):
        self.pair(CLIPPED, ONE_HOT)
        self.assertEqual(DOES_NOT_HOLD, self.run_here("check", "a.mlir", "b.mlir")[0])
        for text, code in [("n=0..4", HOLDS), ("n=1..3,0", HOLDS), ("n=0..5", DOES_NOT_HOLD), ("n=0..4,-1", DOES_NOT_HOLD)]:
            with self.subTest(text):
                found, out, err = self.run_here("check", "a.mlir", "b.mlir", "--range", text)
                self.assertEqual((code, ""), (found, err), out)
        self.assertIn("for @n in 0..4 (", self.run_here("check", "a.mlir", "b.mlir", "--range", "n=0..4")[1])

    def test_wrong_ranges_are_refused(self):
        self.pair(CLIPPED, ONE_HOT)
        for text, message in [("n", 'error: --range "n": expected NAME=LOW..HIGH, from LOW to before HIGH, and further numbers behind commas'),
                              ("n=4..4", '--range "n=4..4": expected NAME=LOW..HIGH'),
                              ("n=0..9999999999", "--range n: the range is 0..9999999999 for i32[3]; expected integers from -2147483648"),
                              ("n=0..4,9999999999", "--range n: the range is 0..4, 9999999999 for i32[3]; expected integers from"), ("n=0..x", '--range "n=0..x": expected'),
                              ("m=0..4", "--range m: no argument has this name; expected one of the integers n [M-range]"),
                              ("table=0..4", "--range table: the argument is f32[4]; expected one of the integers n [M-range]")]:
            code, out, err = self.run_here("check", "a.mlir", "b.mlir", "--range", text)
            self.assertEqual((BAD_INPUT, ""), (code, out))
            self.assertIn(message, err)
        code, _, err = self.run_here("check", "a.mlir", "b.mlir", "--range", "n=0..4", "--range", "n=0..8")
        self.assertEqual(BAD_INPUT, code)
        self.assertIn("--range n: a second range; expected one for each argument [M-range]", err)
        self.write("c.shard", "isoshard 1\n")
        code, _, err = self.run_here("check", "c.shard", "--range", "n=0..4")
        self.assertEqual(BAD_INPUT, code)
        self.assertIn("--range: c.shard is no StableHLO text, and names its globals itself; expected the range there", err)
        code, _, err = self.run_here("show", "tp_mlp", "--args", "x")
        self.assertEqual(BAD_INPUT, code)
        self.assertIn("--args: tp_mlp is no StableHLO text", err)

    def test_names_tell_which_arguments_jax_has_dropped(self):
        """x + b and x + c are the same text where c and b are dropped."""
        self.write("a.mlir", UNUSED.format(arguments="%x: tensor<4xf32>, %b: tensor<4xf32>"))
        self.write("b.mlir", UNUSED.format(arguments="%x: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>"))
        code, _, err = self.run_here("check", "a.mlir", "b.mlir")
        self.assertEqual(BAD_INPUT, code)
        self.assertIn("or name the arguments of each text with --args [M-arguments]", err)
        code, out, err = self.run_here("check", "a.mlir", "b.mlir", "--args", "x,b", "--args", "x,b,c")
        self.assertEqual((HOLDS, ""), (code, err), out)
        self.assertNotIn("assumes", out)
        code, out, _ = self.run_here("check", "a.mlir", "b.mlir", "--args", "x,c", "--args", "x,b,c")
        self.assertEqual(DOES_NOT_HOLD, code, out)

    def test_without_names_a_verdict_says_what_it_assumes(self):
        self.pair(ONE_HOT, ONE_HOT, {"t": "", "n": ""})
        code, out, _ = self.run_here("check", "a.mlir", "b.mlir")
        self.assertEqual(HOLDS, code)
        self.assertIn("assumes    that arguments without names are the same, one by one, in both texts", out)
        self.assertIn('"assumes"', self.run_here("check", "a.mlir", "b.mlir", "--json")[1])
        code, out, _ = self.run_here("check", "a.mlir", "b.mlir", "--args", "t,n")
        self.assertEqual(HOLDS, code)
        self.assertNotIn("assumes", out)

    def test_wrong_names_are_refused(self):
        self.pair(ONE_HOT, ONE_HOT, {"t": "", "n": ""})
        for arguments, message in [(["t"], "--args has 1 names, and main 2 arguments; expected a name for each, in order"),
                                   (["t,t"], 'two arguments are called "t"'), (["t,3"], '"3" is no name; expected letters'),
                                   (["t,n", "n,t"], "expected the same arguments in the same order"),
                                   (["t,n"] * 3, "--args is given 3 times for 2 texts; expected it once for all texts, or once for each")]:
            options = [word for names in arguments for word in ("--args", names)]
            code, _, err = self.run_here("check", "a.mlir", "b.mlir", *options)
            self.assertEqual(BAD_INPUT, code, err)
            self.assertIn(message, err)

    def test_options_that_are_not_for_texts_are_refused(self):
        """None is ignored, which would be an answer to another question: `--grad` least of all."""
        self.pair(ONE_HOT, ONE_HOT)
        for options, message in [(["--set", "d=3"], "--set: a StableHLO text has no `let` and no setting"),
                                 (["--against", "x@y"], "--against: a.mlir is no Plan"),
                                 (["--sweep", "model=1..2"], "--sweep is for files that one can elaborate for many meshes"),
                                 (["--grad"], "@a is untyped: gradients follow from the states of values, and it has none")]:
            with self.subTest(options[0]):
                code, out, err = self.run_here("check", "a.mlir", "b.mlir", *options)
                self.assertEqual((BAD_INPUT, ""), (code, out), err)
                self.assertIn(message, err)
        sharded = DATA / "row_parallel_matmul/sharded.mlir"
        for inputs in ([sharded, DATA / "row_parallel_matmul/reference.mlir"], [sharded]):
            code, _, err = self.run_here("check", *inputs, "--devices", "7")
            self.assertEqual(BAD_INPUT, code)
            self.assertIn("--devices 7: the mesh @mesh of @sharded is (model=4), 4 devices", err)
        self.assertEqual(BAD_INPUT, self.run_here("show", sharded, "--set", "d=3")[0])

    def test_import_writes_a_file_of_the_language(self):
        self.pair(CLIPPED, ONE_HOT)
        self.assertEqual(HOLDS, self.run_here("import", "a.mlir", "b.mlir", "--range", "n=0..4", "-o", "pair.shard")[0])
        code, out, err = self.run_here("check", "pair.shard")
        self.assertEqual((HOLDS, ""), (code, err), out)
        self.assertIn("for @n in 0..4 (", out)
        code, out, _ = self.run_here("import", "a.mlir")
        shown = self.run_here("show", "a.mlir")[1]
        self.assertEqual((HOLDS, numbered(shown)), (code, numbered(out)))
        self.assertNotEqual(shown, out)
        code, _, err = self.run_here("import", "pair.shard", "-o", "other.shard")
        self.assertEqual(BAD_INPUT, code)
        self.assertIn("pair.shard is no StableHLO text; expected what `jax.jit(f).lower(...).as_text(debug_info=True)` gives [M-text]", err)
        self.assertFalse((self.folder / "other.shard").exists())
        code, _, err = self.run_here("import", "a.mlir", "-o", "no/such/folder.shard")
        self.assertEqual(BAD_INPUT, code)
        self.assertIn("cannot write", err)

    def test_imported_values_are_named_after_arguments_ops_and_lines(self):
        for folder in (ROOT / "tests/data/jax_programs/ring_attention", ROOT / "tests/data/jax_programs/topk_sampling"):
            with self.subTest(folder.name):
                code, out, err = self.run_here("import", folder / "sharded.mlir")
                self.assertEqual((HOLDS, ""), (code, err))
                self.write("names.shard", out)
                self.assertEqual((HOLDS, out, ""), self.run_here("show", "names.shard"))  # reads back, with these names
                self.assertEqual(numbered(self.run_here("show", folder / "sharded.mlir")[1]), numbered(out))
                made = re.findall(r"%(\w+)", "".join(re.findall(r"^ *((?:%\w+, )*%\w+) = ", out, re.MULTILINE)))
                self.assertEqual(len(made), len(set(made)))
                self.assertTrue(all(re.match(r"[A-Za-z_]", name) for name in made), made)
        self.assertIn("  %x = view @x [-, -] incomplete\n", out)
        self.assertIn("  %sharded_dot_general_16 = dot_general %x, %head ", out)
        self.assertIn("  %sharded_top_k_16, %sharded_top_k_16_2 = top_k %sharded_dot_general_16 {k=2}\n", out)
        self.write("odd.mlir", (DATA / "row_parallel_matmul/sharded.mlir").read_text().replace('"arg0"', '"7.x-y"'))
        self.assertEqual(HOLDS, self.run_here("import", "odd.mlir", "-o", "odd.shard")[0])
        self.assertEqual(HOLDS, self.run_here("show", "odd.shard")[0])

    def test_standard_input_is_a_text(self):
        self.pair(ONE_HOT, ONE_HOT)
        text = (self.folder / "a.mlir").read_bytes()
        done = subprocess.run([BINARY, "check", "-", "b.mlir"], input=text, capture_output=True, cwd=self.folder, check=False)
        self.assertEqual(HOLDS, done.returncode, done.stderr)
        self.assertIn(b"<stdin>:2:", done.stdout)
        done = subprocess.run([BINARY, "show", "-"], input=b"isoshard 1\nprogram", capture_output=True, cwd=self.folder, check=False)
        self.assertEqual(BAD_INPUT, done.returncode)
        self.assertIn(b"<stdin>:2:", done.stderr)
        done = subprocess.run([BINARY, "check", "-", "-"], input=text, capture_output=True, cwd=self.folder, check=False)
        self.assertEqual(BAD_INPUT, done.returncode)
        self.assertIn(b"- is standard input, which can be read once", done.stderr)


if __name__ == "__main__":
    unittest.main()
