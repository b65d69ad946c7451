#!/usr/bin/python3
"""`isoshard sim NAME --init`: the first parameters by the paths that the original gives them, and their way back in.

The expected numbers are cases of tests/data/jax/tp.json."""

import json
import sys
import unittest

try:
    import numpy
except ImportError:
    print("skipped: python3-numpy is not installed")
    sys.exit(77)

from isoshard import ROOT, Case, run

CASES = {case["name"]: case for case in json.load(open(ROOT / "tests/data/jax/tp.json"))["cases"]}


def array(leaf):
    return numpy.array(leaf["data"], numpy.float32).reshape(leaf["shape"])


class SimInit(Case):
    def compare(self, name, model, settings, mesh):
        case = CASES[name]
        common = [model, "--mesh", mesh, "--set", settings]
        code, out, err = run("sim", *common, "--init", "--key", str(case["seed"]), "--outputs", "params.npz",
                             cwd=self.folder)
        self.assertEqual((0, ""), (code, err), out)
        params = dict(numpy.load(self.folder / "params.npz"))
        self.assertEqual({leaf["path"] for leaf in case["init"]}, set(params))
        for leaf in case["init"]:
            numpy.testing.assert_allclose(params[leaf["path"]], array(leaf), rtol=0, atol=5e-7)
        trial = case["runs"][0]
        shape = trial["x"]["shape"]
        local = [numpy.array(x, numpy.float32).reshape(shape) for x in trial["x"]["per_device"]]
        numpy.savez(self.folder / "in.npz", x=numpy.concatenate(local, axis=1), **params)
        code, out, err = run("sim", *common, "--inputs", "in.npz", "--outputs", "out.npz", cwd=self.folder)
        self.assertEqual((0, ""), (code, err), out)
        y = [numpy.array(part, numpy.float32).reshape(trial["y"]["shape"]) for part in trial["y"]["per_device"]]
        numpy.testing.assert_allclose(numpy.load(self.folder / "out.npz")["y"], numpy.concatenate(y, axis=1),
                                      rtol=1e-5, atol=1e-6)

    def test_gather(self):
        self.compare("TPDense/gather/tp2/in2_out3", "tp_dense", "in=2,features=3,b=2", "model=2")

    def test_scatter(self):
        self.compare("TPDense/scatter/tp4/in2_out3", "tp_dense", "mode=scatter,in=2,features=12,b=2", "model=4")

    def test_one_device(self):
        self.compare("TPDense/gather/tp1/in2_out3", "tp_dense", "in=2,features=3,b=2", "model=1")

    def test_async(self):
        self.compare("TPAsyncDense/scatter_split/tp4/in2_out3", "tp_async_dense",
                     "mode=scatter,bidirectional=1,in=2,features=3,b=2", "model=4")

    def test_a_run_begins_with_the_first_values(self):
        """--key draws what --init shows, and --inputs go before it."""
        model = ["tp_dense", "--set", "in=2,features=3,b=2", "--mesh", "model=2"]
        self.assertEqual(0, run("sim", *model, "--init", "--key", 5, "--outputs", "params.npz", cwd=self.folder)[0])
        params = dict(numpy.load(self.folder / "params.npz"))
        x = numpy.ones((2, 4), numpy.float32)
        numpy.savez(self.folder / "x.npz", x=x)
        numpy.savez(self.folder / "all.npz", x=x, **params)
        results = []
        for inputs in (["x.npz", "--key", 5], ["all.npz"], ["all.npz", "--key", 6], ["x.npz", "--key", 6]):
            code, out, err = run("sim", *model, "--outputs", "y.npz", "--inputs", *inputs, cwd=self.folder)
            self.assertEqual((0, ""), (code, err), out)
            archive = numpy.load(self.folder / "y.npz")
            self.assertEqual(["y"], archive.files)
            results.append(archive["y"].tobytes())
        self.assertEqual([True, True, False], [r == results[0] for r in results[1:]])

    def test_programs_without_modules(self):
        self.rejects(
            "error: --key: @tp_mlp has no program @tp_mlp_init that draws its parameters; expected a model made of "
            "modules, as tp_dense, or leave --key out: what is not given is drawn from --seed [I-init]\n", "sim",
            "tp_mlp", "--key", "1")
        self.rejects(
            "error: --init: @tp_mlp has no program @tp_mlp_init that draws its parameters; expected a model made of "
            "modules, as tp_dense, or leave --init out: what is not given is drawn from --seed [I-init]\n", "sim", "tp_mlp",
            "--init")


if __name__ == "__main__":
    unittest.main()
