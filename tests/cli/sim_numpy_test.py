#!/usr/bin/python3
"""`isoshard sim tp_mlp` against NumPy: the committed pair of files, and arrays that NumPy writes now.

Tolerances, relative to the largest output: an output is a sum of about d + f = 1680 rounded terms. In f32 (6e-8 for
each, signs as they fall) 1e-5 is a few times what is expected and far below any mistake; in f64 the same is 1e-13.
"""

import sys
import unittest

from isoshard import HOLDS, ROOT, Case

try:
    import numpy as np
except ImportError:
    print("skipped: python3-numpy is not installed")
    sys.exit(77)

sys.path.insert(0, str(ROOT / "tests/data/sim"))
from make import SHAPES, draw, gelu, mlp, silu

TOLERANCE = {"f32": 1e-5, "f64": 1e-13}
SMALL = ["--set", "b=8,d=12,f=48"]
DEFAULT_SHAPES = {"x": (8, 840), "W1": (840, 840), "b1": (840,), "W2": (840, 840), "b2": (840,)}


class SimNumpy(Case):
    def sim(self, inputs, *options, model="tp_mlp", told=""):
        """The outputs that `sim` writes for an archive, and what it tells besides."""
        code, _, err = self.run_here("sim", model, "--inputs", inputs, "--outputs", "out.npz", *options)
        self.assertEqual((HOLDS, told), (code, err))
        with np.load(self.folder / "out.npz", allow_pickle=False) as archive:
            outputs = {name: archive[name] for name in archive.files}
        self.assertEqual(["y"], list(outputs))
        return outputs["y"]

    def assert_close(self, expected, actual, domain="f32"):
        self.assertEqual(expected.shape, actual.shape)
        self.assertEqual(np.dtype({"f32": np.float32, "f64": np.float64}[domain]), actual.dtype)
        error = np.max(np.abs(actual - expected)) / np.max(np.abs(expected))
        self.assertLess(error, TOLERANCE[domain])

    def test_committed_pair(self):
        data = ROOT / "tests/data/sim"
        with np.load(data / "tp_mlp_out.npz", allow_pickle=False) as archive:
            expected = archive["y"]
        self.assert_close(expected, self.sim(data / "tp_mlp_in.npz", *SMALL))

    def test_committed_pair_is_what_its_script_writes(self):
        data = ROOT / "tests/data/sim"
        with np.load(data / "tp_mlp_in.npz", allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        self.assertEqual(SHAPES, {name: array.shape for name, array in arrays.items()})
        with np.load(data / "tp_mlp_out.npz", allow_pickle=False) as archive:
            np.testing.assert_allclose(archive["y"], mlp(arrays, gelu), rtol=1e-6)

    def test_default_sizes(self):
        arrays = draw(DEFAULT_SHAPES, seed=1)
        np.savez(self.folder / "in.npz", **arrays)
        self.assert_close(mlp(arrays, gelu), self.sim("in.npz"))
        self.assert_close(mlp(arrays, gelu), self.sim("in.npz", "--domain", "f64"), "f64")

    def test_deflated_and_fortran_order(self):
        arrays = draw(SHAPES, seed=2)
        arrays["W1"] = np.asfortranarray(arrays["W1"])
        np.savez_compressed(self.folder / "in.npz", **arrays)
        self.assert_close(mlp(arrays, gelu), self.sim("in.npz", *SMALL))

    def test_meshes_activations_and_workers(self):
        arrays = draw(SHAPES, seed=3)
        np.savez(self.folder / "in.npz", **arrays)
        for activation, name in ((gelu, "gelu"), (silu, "silu")):
            for mesh in ("data=1,model=1", "data=1,model=3", "data=2,model=4", "data=4,model=2", "data=8,model=1"):
                with self.subTest(mesh=mesh, activation=name):
                    setting = ["--mesh", mesh, *SMALL, "--set", f"activation={name}"]
                    first = self.sim("in.npz", *setting, "--workers", "1")
                    self.assert_close(mlp(arrays, activation), first)
                    again = self.sim("in.npz", *setting, "--workers", "3", "--interleave-seed", "5")
                    np.testing.assert_array_equal(first, again)

    def test_biases_matter(self):
        """The comparison sees a bias that is counted twice: 1 is far above the tolerance."""
        arrays = draw(SHAPES, seed=4)
        np.savez(self.folder / "in.npz", **arrays)
        wrong = mlp({**arrays, "b2": 2 * arrays["b2"]}, gelu)
        with self.assertRaises(AssertionError):
            self.assert_close(wrong, self.sim("in.npz", *SMALL))

    def test_missing_parameters_are_drawn(self):
        """Without b1 and b2 the model's own init, zeros, is used."""
        arrays = draw(SHAPES, seed=5)
        np.savez(self.folder / "in.npz", x=arrays["x"], W1=arrays["W1"], W2=arrays["W2"])
        zeros = {"b1": np.zeros(48, np.float32), "b2": np.zeros(12, np.float32)}
        told = "note: in.npz has no @b1, @b2, params, which are drawn from --seed 0 [I-drawn]\n"
        self.assert_close(mlp({**arrays, **zeros}, gelu), self.sim("in.npz", *SMALL, told=told))


if __name__ == "__main__":
    unittest.main(verbosity=2)
