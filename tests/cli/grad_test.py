#!/usr/bin/python3
"""`check --grad`: gradients in place of values, of files and models; and programs of gradients in show, sim and JSON."""

import json
import unittest

from isoshard import BAD_INPUT, DOES_NOT_HOLD, HOLDS, Case, run

# Every kind of layer, ring and loss of the catalogue; those left out share no float input, or take seconds.
MODELS = [
    "tp_attention", "sp_norm", "embedding", "vocab_parallel_cross_entropy", "scan_mlp", "tp_dense", "tp_async_dense",
    "tp_async_mlp", "toy_model", "model_parallelism_wrapper", "stack_params", "unstack_params", "execute_pipeline",
    "pipeline_module", "shrew_pipeline", "async_gather", "async_gather_bidirectional", "async_gather_split",
    "async_scatter", "async_scatter_split"
]

PAIR = """isoshard 1
mesh @m [t=2]
global @x : f32[4] input
global @W : f32[4] param
global @V : f32[4] param
program @a on @m {
  %x = view @x [t]
  %W = view @W [t]
  %y = multiply %x, %W
  update @W = %y [t]
  return @y = %y [t]
}
program @b {
  %x = view @x [-]
  %V = view @V [-]
  %y = multiply %x, %V
  update @W = %y [-]
  return @y = %y [-]
}
check @a == @b {steps=2, map @V = @W}
"""


class Grad(Case):
    def test_gradients_of_the_catalogue_are_equal(self):
        code, out, err = run("check", "--grad", *MODELS)
        verdicts = [line for line in out.splitlines() if line.startswith(("EQUAL", "NOT", "COULD", "DOES"))]
        self.assertEqual((HOLDS, ""), (code, err), out)
        self.assertEqual(len(MODELS), len(verdicts))
        self.assertTrue(all(line.startswith(("EQUAL as formulas (rung", "EQUAL as formulas for @")) for line in verdicts), verdicts)

    def test_on_many_meshes(self):
        code, out, err = run("check", "tp_mlp", "--grad", "--set", "d=24,f=24", "--sweep", "data=1..2,model=1,3")
        self.assertEqual((HOLDS, ""), (code, err))
        self.assertTrue(out.endswith("4 meshes, 4 checks: 4 EQUAL\n"), out)

    def test_what_has_no_gradient(self):
        code, out, err = run("check", "fold_rng_over_axis", "--grad")
        self.assertEqual((BAD_INPUT, ""), (code, out))
        self.assertIn("@fold_rng_over_axis and @keys_of_all share no param or input of a float dtype; expected one to "
                      "differentiate by [A-wrt]", err)

    def test_untyped_programs_have_none(self):
        code, out, err = run("check", "examples/wrong/wrong_axis.untyped.shard", "--grad")
        self.assertEqual((BAD_INPUT, ""), (code, out))
        self.assertIn("is untyped: gradients follow from the states of values", err)

    def test_state_errors_come_first(self):
        code, out, err = run("check", "examples/wrong/doubled_all_reduce.shard", "--grad")
        self.assertEqual((DOES_NOT_HOLD, ""), (code, err))
        self.assertIn("[S-all_reduce]", out)
        self.assertIn("DOES NOT HOLD: 1 state error; erased program: NOT EQUAL: one all_reduce over `model` too many: 4x too large "
                      "(= size(model))", out)

    def test_maps_pair_globals_and_updates_are_left_out(self):
        code, out, err = self.run_here("check", self.write("pair.shard", PAIR), "--grad")
        self.assertEqual((HOLDS, ""), (code, err), out)
        for name in ("@x f32[4]", "@W f32[4]"):
            self.assertIn(name, out)
        self.assertNotIn("after step", out)

    def test_it_excludes_nothing_else(self):
        code, out, err = run("check", "tp_dense", "--grad", "--json", "--explain")
        self.assertEqual((HOLDS, ""), (code, err))
        check = json.loads(out)["checks"][0]
        self.assertEqual("tp_dense.vjp", check["left"]["name"])


class Programs(Case):
    def test_printed_programs_are_checked_like_written_ones(self):
        code, text, err = run("show", "examples/gradient_check.shard")
        self.assertEqual((HOLDS, ""), (code, err))
        code, out, err = self.run_here("check", self.write("gradients.shard", text))
        self.assertEqual((HOLDS, ""), (code, err))
        self.assertIn("check @tp.grad == @dense.grad", out)

    def test_json_has_the_programs_of_gradients(self):
        code, text, err = run("show", "--json", "examples/gradient_check.shard")
        self.assertEqual((HOLDS, ""), (code, err))
        module = json.loads(text)
        sides = [(module["programs"][check["left"]]["name"], module["programs"][check["right"]]["name"])
                 for check in module["checks"]]
        self.assertIn(("tp.grad", "dense.grad"), sides)

    def test_gradients_can_be_simulated(self):
        code, out, err = run("sim", "examples/gradient_check.shard", "--program", "tp.grad", "--domain", "f64")
        self.assertEqual((HOLDS, ""), (code, err))
        for name in ("@x", "@W1", "@b1", "@W2", "@b2"):
            self.assertIn(name, out)


if __name__ == "__main__":
    unittest.main()
