#!/usr/bin/python3
"""`isoshard sim --steps` on examples/sgd_momentum.shard against NumPy.

Relative to the largest element: 1e-5 in f32 and 1e-13 in f64 are a few times what the sums of 24 terms round.
"""

import json
import sys
import unittest

from isoshard import BAD_INPUT, HOLDS, ROOT, Case

try:
    import numpy as np
except ImportError:
    print("skipped: python3-numpy is not installed")
    sys.exit(77)

EXAMPLE = ROOT / "examples/sgd_momentum.shard"
TOLERANCE = {"f32": 1e-5, "f64": 1e-13}


def train(x, t, W, v, steps):
    """The loss of the last step, and W and v after it."""
    for _ in range(steps):
        e = x @ W - t
        loss = np.sum(e * e) / len(x)
        v = 0.9 * v + x.T @ e / (10 * len(x))
        W = W - v
    return {"loss": loss, "W": W, "v": v}


class SimSteps(Case):
    def arrays(self):
        rng = np.random.default_rng(3)
        shapes = {"x": (24, 24), "t": (24, 48), "W": (24, 48), "v": (24, 48)}
        arrays = {name: rng.standard_normal(shape) for name, shape in shapes.items()}
        np.savez(self.folder / "in.npz", **{name: a.astype(np.float32) for name, a in arrays.items()})
        return {name: a.astype(np.float32).astype(np.float64) for name, a in arrays.items()}

    def sim(self, *options):
        code, _, err = self.run_here("sim", EXAMPLE, "--inputs", "in.npz", "--outputs", "out.npz", *options)
        self.assertEqual((HOLDS, ""), (code, err))
        with np.load(self.folder / "out.npz", allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}

    def test_against_numpy(self):
        arrays = self.arrays()
        for domain in ["f32", "f64"]:
            for steps, program in [(1, "@sharded"), (3, "@sharded"), (3, "@dense")]:
                actual = self.sim("--domain", domain, "--steps", str(steps), "--program", program)
                expected = train(**arrays, steps=steps)
                self.assertEqual(["loss", "W", "v"], list(actual))
                for name, array in expected.items():
                    error = np.max(np.abs(actual[name] - array)) / np.max(np.abs(array))
                    self.assertLess(error, TOLERANCE[domain], (name, domain, steps, program))

    def test_two_steps_are_one_step_twice(self):
        arrays = self.arrays()
        first = self.sim()
        inputs = {"x": arrays["x"], "t": arrays["t"], "W": first["W"], "v": first["v"]}
        both = self.sim("--steps", "2")
        np.savez(self.folder / "in.npz", **{name: a.astype(np.float32) for name, a in inputs.items()})
        second = self.sim()
        for name, array in both.items():
            self.assertEqual(array.tobytes(), second[name].tobytes(), name)

    def test_steps_are_shown(self):
        self.arrays()
        code, out, err = self.run_here("sim", EXAMPLE, "--inputs", "in.npz", "--steps", "4")
        self.assertEqual((HOLDS, ""), (code, err))
        self.assertIn("@sharded on 8 virtual devices, domain as written, 4 steps, ", out)

    def test_the_scalars_of_each_step_are_a_table(self):
        arrays = self.arrays()
        losses = [train(**arrays, steps=k)["loss"] for k in (1, 2, 3)]
        code, out, err = self.run_here("sim", EXAMPLE, "--inputs", "in.npz", "--steps", "3", "--domain", "f64")
        self.assertEqual((HOLDS, ""), (code, err))
        rows = [line.split() for line in out.splitlines()[1:5]]
        self.assertEqual([["step", "loss"]] + [[str(k + 1), f"{loss:.6g}"] for k, loss in enumerate(losses)], rows)
        self.assertNotIn("@loss", out)
        code, out, err = self.run_here("sim", EXAMPLE, "--inputs", "in.npz", "--steps", "3", "--json")
        self.assertEqual((HOLDS, ""), (code, err))
        history = json.loads(out)["history"]
        self.assertEqual([1, 2, 3], [step["step"] for step in history])
        np.testing.assert_allclose([step["loss"] for step in history], losses, rtol=1e-5)

    def test_one_step_has_no_table(self):
        self.arrays()
        code, out, _ = self.run_here("sim", EXAMPLE, "--inputs", "in.npz", "--json")
        self.assertEqual(HOLDS, code)
        self.assertNotIn("history", json.loads(out))

    def test_wrong_steps(self):
        code, _, err = self.run_here("sim", EXAMPLE, "--steps", "0")
        self.assertEqual(BAD_INPUT, code)
        self.assertIn("--steps", err)
        code, _, err = self.run_here("sim", EXAMPLE, "--domain", "f16")
        self.assertEqual(BAD_INPUT, code)
        self.assertIn("--domain", err)
        self.rejects(
            "error: --domain bf16: tp_mlp has no setting dtype=bf16, so that nothing says which of its values are bf16; "
            "expected a model that has one, as tp_training, or a program that converts by itself in the domain f32, "
            "which takes every dtype as it is written [I-domain]\n", "sim", "tp_mlp", "--domain", "bf16")
        code, _, err = self.run_here("sim", "tp_mlp", "--steps", "2")
        self.assertEqual(BAD_INPUT, code)
        self.assertIn(
            "error: --steps 2: @tp_mlp updates no global, so that all steps would be alike; leave --steps out [I-steps]",
            err,
        )


if __name__ == "__main__":
    unittest.main()
