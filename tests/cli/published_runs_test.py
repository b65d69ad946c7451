#!/usr/bin/python3
"""`isoshard sim tp_training|pp_training|dp_training --steps K --key N` against tests/data/jax/curves.json: the training
runs of the original, step by step. docs/originals.md has the numbers.

Always: the small runs. The published sizes take seconds to minutes each and run where ISOSHARD_NIGHTLY is set
(`./dev test --nightly`).
"""

import importlib.util
import json
import os
import pty
import select
import signal
import subprocess
import time
import unittest

from isoshard import BINARY, HOLDS, ROOT, Case, run

CASES = {case["name"]: case for case in json.load(open(ROOT / "tests/data/jax/curves.json"))["cases"]}
SMALL = ["--mesh", "data=2,model=2", "--set", "b=16,features=12,hidden=16,classes=4,layers=2"]


def command(case, steps=None):
    """The options with which a case runs."""
    model, sizes = case["model"], case["mesh"]["shape"]
    settings = [f"b={case['batch']}"] + [f"{name}={model[name]}" for name in ("features", "hidden", "classes")]
    if model["kind"] == "tp_classifier":
        settings += [f"mlp={model['variant']}", f"layers={model['layers']}"]
    elif model["kind"] == "pp_classifier":
        settings += [f"layers={model['layers'] // sizes[-1]}", f"micro_batches={model['num_microbatches']}"]
    else:
        settings += [f"minibatches={model['num_minibatches']}"]
        if model["fsdp_min_weight_size"] is not None:
            settings += ["params=sharded", f"min_weight_size={model['fsdp_min_weight_size']}"]
    if "dropout" in model:
        settings += [f"dropout={model['dropout']:g}"]
    name = model["kind"].removesuffix("classifier") + "training"
    mesh = ",".join(f"{axis}={size}" for axis, size in zip(case["mesh"]["axes"], sizes))
    steps = steps or len(case["loss"]["data"])
    return [name, "--mesh", mesh, "--set", ",".join(settings), "--key", case["seed"], "--steps", steps,
            "--domain", model["dtype"]]


def simulate(*options):
    done = subprocess.run([BINARY, "sim", *map(str, options), "--json"], capture_output=True, timeout=1200, check=False)
    assert done.returncode == HOLDS, done.stderr.decode()
    return json.loads(done.stdout)["history"]


def other_placements(archive, one_device, looping, loops):
    """Writes the parameters of a pipeline, `archive`, as those of one device with all layers and of a looping pipeline
    on the same devices: its stage r * devices + d stands on device d in round r."""
    import numpy as np
    first, again = {}, {}
    for name, value in np.load(archive).items():
        devices = value.shape[0]
        if name.startswith("pipeline/"):
            layers = value.reshape(-1, *value.shape[2:])
            first[name] = layers[None]
            again[name] = np.swapaxes(layers.reshape(loops, devices, -1, *layers.shape[1:]), 0, 1)
        else:  # the first device takes the input, the last one gives the logits
            first[name] = value[:1] if name.startswith("input") else value[-1:]
            again[name] = value
    np.savez(one_device, **first)
    np.savez(looping, **again)


class PublishedRuns(Case):
    def second_phases(self, steps, placed):
        """The losses of `steps` steps of a pipeline with the parameters of self.folder, on a looping one and on one
        device; `placed` are the options of these three."""
        archive, one_device, looping = (self.folder / f"{name}.npz" for name in ("params", "one", "looping"))
        other_placements(archive, one_device, looping, 2)
        return [[step["loss"] for step in simulate("pp_training", *options, "--steps", steps, "--inputs", inputs)]
                for options, inputs in zip(placed, (archive, looping, one_device))]

    @unittest.skipUnless(importlib.util.find_spec("numpy"), "python3-numpy is not installed")
    def test_the_second_phase_on_other_placements(self):
        sizes = "b=16,features=12,hidden=16,classes=4,micro_batches=4,dropout=0,"
        mesh = ["--key", 3, "--mesh", "data=2,model=2", "--set"]
        simulate("pp_training", *mesh, sizes + "layers=2", "--steps", 4, "--outputs", self.folder / "params.npz")
        one = ["--key", 3, "--mesh", "data=1,model=1", "--set", sizes + "layers=4"]
        losses = self.second_phases(3, ([*mesh, sizes + "layers=2"], [*mesh, sizes + "layers=1,loops=2"], one))
        for other in losses[1:]:
            for a, b in zip(losses[0], other):
                self.assertAlmostEqual(a, b, delta=1e-6 * a)
        # Layers in another order are another network.
        import numpy as np
        arrays = {name: value[:, ::-1] if name.startswith("pipeline/") else value
                  for name, value in np.load(self.folder / "one.npz").items()}
        np.savez(self.folder / "reversed.npz", **arrays)
        wrong = simulate("pp_training", *one, "--steps", 2, "--inputs", self.folder / "reversed.npz")
        self.assertGreater(abs(wrong[0]["loss"] - losses[0][0]), 1e-4 * losses[0][0])

    def compare(self, case):
        history = simulate(*command(case))
        self.assertEqual(len(case["loss"]["data"]), len(history))
        for step, loss, accuracy in zip(history, case["loss"]["data"], case["accuracy"]):
            self.assertAlmostEqual(loss, step["loss"], delta=1e-5 + 1e-3 * loss, msg=step)
            self.assertAlmostEqual(accuracy, step["accuracy"], delta=1e-5, msg=step)

    def test_small_runs(self):
        names = [name for name, case in CASES.items() if "init" in case]
        self.assertEqual(6, len(names))
        for name in names:
            with self.subTest(name):
                self.compare(CASES[name])

    @unittest.skipUnless(os.environ.get("ISOSHARD_NIGHTLY"), "minutes: set ISOSHARD_NIGHTLY")
    def test_published_sizes(self):
        names = [name for name, case in CASES.items() if "init" not in case and case["model"]["dtype"] == "f32"]
        self.assertEqual(7, len(names))
        for name in names:
            with self.subTest(name):
                self.compare(CASES[name])

    @unittest.skipUnless(os.environ.get("ISOSHARD_NIGHTLY"), "minutes: set ISOSHARD_NIGHTLY")
    def test_published_sizes_in_bf16(self):
        """1 % where the layers are dense layers; beside norms and rings the rounding of XLA differs by more from its own
        with --xla_allow_excess_precision=false (docs/originals.md)."""
        for name, limit in (("dp_bf16/8_H512_A4", 0.01), ("fsdp_bf16/8_H512_A4", 0.01),
                            ("tp_async_bf16/2x4_H512_L3", 0.03), ("tp_sync_bf16/2x4_H512_L3", 0.08)):
            case = CASES[name]
            with self.subTest(name):
                for step, loss in zip(simulate(*command(case)), case["loss"]["data"]):
                    self.assertAlmostEqual(loss, step["loss"], delta=limit * loss, msg=step)

    def test_the_second_phase(self):
        """The archive of a first phase begins a second one: the same parameters and data, a fresh optimizer."""
        settings = "b=16,features=12,hidden=16,classes=4,layers=1,micro_batches=2,dropout=0"
        small = ["pp_training", "--mesh", "data=2,model=2", "--set", settings, "--key", 3]
        code, _, err = run("sim", *small, "--steps", 4, "--outputs", "params.npz", cwd=self.folder)
        self.assertEqual((HOLDS, ""), (code, err))
        second = simulate(*small, "--steps", 3, "--inputs", self.folder / "params.npz")
        whole = simulate(*small, "--steps", 7)
        self.assertEqual(whole[4]["loss"], second[0]["loss"])
        self.assertNotEqual(whole[5]["loss"], second[1]["loss"])

    @unittest.skipUnless(os.environ.get("ISOSHARD_NIGHTLY"), "minutes: set ISOSHARD_NIGHTLY")
    def test_the_published_second_phase(self):
        case = CASES["pp_dropout0.1_then_fresh_optimizer/2x4_H512_L8_M8"]
        archive = self.folder / "params.npz"
        simulate(*command(case), "--outputs", archive)
        expected = case["second_phase_loss"]["data"]
        settings = command(case)
        settings[4] = settings[4].replace("dropout=0.1", "dropout=0")
        second = simulate(*settings[:-4], "--steps", len(expected), "--inputs", archive)
        for loss, step in zip(expected, second):
            self.assertAlmostEqual(loss, step["loss"], delta=1e-5 + 1e-3 * loss)

    @unittest.skipUnless(os.environ.get("ISOSHARD_NIGHTLY"), "minutes: set ISOSHARD_NIGHTLY")
    @unittest.skipUnless(importlib.util.find_spec("numpy"), "python3-numpy is not installed")
    def test_the_published_second_phase_is_that_of_one_device(self):
        case = CASES["pp_dropout0.1_then_fresh_optimizer/2x4_H512_L8_M8"]
        simulate(*command(case), "--outputs", self.folder / "params.npz")
        key = ["--key", case["seed"], "--set"]
        losses = self.second_phases(3, ([*key, "dropout=0"], [*key, "dropout=0,loops=2,layers=1"],
                                        ["--mesh", "data=1,model=1", *key, "dropout=0,layers=8,b=128,hidden=512"]))
        for own in losses:
            self.assertEqual(0.002235, round(sum(own) / 3, 6))
            for loss, expected in zip(own, case["second_phase_loss"]["data"]):
                self.assertAlmostEqual(loss, expected, delta=1e-5 + 1e-3 * loss)

    def test_train_step_learns_its_batch(self):
        for model in ("mlp", "transformer"):
            options = ["train_step", "--set", f"model={model}", "--steps", 17, "--key"]
            history = simulate(*options, 42)
            self.assertEqual(17, len(history))
            self.assertLess(history[-1]["loss"], 0.9 * history[0]["loss"], model)
            self.assertEqual(history, simulate(*options, 42))
            self.assertNotEqual(history[0], simulate(*options, 43)[0])
            rounded = simulate(*options, 42, "--domain", "bf16")
            self.assertEqual(17, len(rounded))
            for exact, step in zip(history, rounded):
                self.assertNotEqual(exact["loss"], step["loss"])
                self.assertAlmostEqual(exact["loss"], step["loss"], delta=0.02 * exact["loss"], msg=(model, step))
        self.rejects(
            "error: --domain bf16: pp_training has no setting dtype=bf16, so that nothing says which of its values are "
            "bf16; expected a model that has one, as tp_training, or a program that converts by itself in the domain "
            "f32, which takes every dtype as it is written [I-domain]\n", "sim", "pp_training", "--domain", "bf16")

    def test_bf16_is_another_curve_close_by(self):
        exact = simulate("tp_training", *SMALL, "--steps", 5, "--key", 3)
        rounded = simulate("tp_training", *SMALL, "--steps", 5, "--key", 3, "--domain", "bf16")
        for a, b in zip(exact, rounded):
            self.assertNotEqual(a["loss"], b["loss"])
            self.assertAlmostEqual(a["loss"], b["loss"], delta=0.01 * a["loss"])

    def test_progress_only_on_a_terminal_and_only_of_long_runs(self):
        arguments = [BINARY, "sim", "tp_training", *SMALL, "--key", "3", "--steps"]
        quick = subprocess.run([*arguments, "2"], capture_output=True, timeout=60, check=True)
        self.assertEqual(b"", quick.stderr)
        reader, writer = pty.openpty()
        with subprocess.Popen([*arguments, "1000000"], stdout=subprocess.DEVNULL, stderr=writer) as process:
            os.close(writer)
            shown, end = b"", time.monotonic() + 50
            while b" of 1000000, @tp_training, loss " not in shown and time.monotonic() < end:
                if select.select([reader], [], [], 1)[0]:
                    shown += os.read(reader, 4096)
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=30)
        os.close(reader)
        self.assertIn(b"\rstep ", shown.replace(b"\x1b[K", b""))
        self.assertIn(b" of 1000000, @tp_training, loss ", shown)


if __name__ == "__main__":
    unittest.main()
