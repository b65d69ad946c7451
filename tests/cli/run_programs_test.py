#!/usr/bin/python3
"""All examples and all models run on the stand-in for CUDA and NCCL, and give what sim gives.

Each runs on its own mesh, with ranks that are threads, and on another one, with ranks that are processes. Floats may have other
bits where NCCL chooses the order of a sum of more than two terms; then each element has to be within the bound of what rounding can do. Where there is no bound,
since floats that are close are compared, a run is UNDECIDED; which ones that are is said here.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from isoshard import BINARY, HOLDS, ROOT, STRIDE, UNDECIDED

# What compares floats that rounding may exchange, a mask of a softmax, dropout; or has many layers, with which bounds grow.
MAY_BE_UNDECIDED = {"scan_layers.shard", "tp_transformer_block", "tp_transformer", "tp_training", "dp_training"}
# Training in the sizes that are published takes half a minute here; these are smaller.
SMALLER = {
    "tp_training": ("--set", "b=16,features=49,hidden=32"),
    "pp_training": ("--set", "b=16,features=49,hidden=32"),
    "dp_training": ("--set", "features=49,hidden=32"),
}
LAUNCHERS = ("processes", "threads")
EXAMPLES = sorted(path.name for path in (ROOT / "examples").glob("*.shard"))
PLANS = sorted(path.name for path in (ROOT / "examples" / "plans").glob("*.plan"))


def run_on_standin(program, *options, seed=0, strict="1", deadline="250", launcher="threads"):
    return subprocess.run(
        [BINARY, "run", program, "--device", "cpu-standin", "--launcher", launcher, "--check", "--deadline", deadline, *options],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "STANDIN_SEED": str(seed), "STANDIN_QUERY_MS": "3", **({"STANDIN_STRICT": strict} if strict else {})},
        timeout=300,
    )


def smaller_mesh(text):
    """`data=2,model=2` of the first mesh `[data=2, model=4]` of a file."""
    axes = re.search(r"^mesh @\w+ \[([^\]]*)\]", text, re.M).group(1)
    return ",".join(f"{name}={min(int(size), 2)}" for name, size in re.findall(r"(\w+)=(\d+)", axes))


def models():
    """The names of the catalogue."""
    listed = subprocess.run([BINARY, "models"], capture_output=True, text=True, check=True).stdout
    return [line.split()[0] for line in listed.splitlines()]


def other_mesh(model):
    """Axes of at most two devices; where the model's own are that, the first one that is split is not."""
    page = subprocess.run([BINARY, "models", model], capture_output=True, text=True, check=True).stdout
    axes = re.findall(r"^  (\w+) +(\d+) ", page.split("\naxes ")[1].split("\n\n")[0], re.M)
    sizes = {name: min(int(size), 2) for name, size in axes}
    if all(sizes[name] == int(size) for name, size in axes):
        sizes[next(name for name, size in axes if size != "1")] = 1
    return ",".join(f"{name}={size}" for name, size in sizes.items())


class RunProgramsTest(unittest.TestCase):
    def holds(self, result, program):
        self.assertIn(result.returncode, (HOLDS, UNDECIDED) if program in MAY_BE_UNDECIDED else (HOLDS,), result.stderr + result.stdout)
        self.assertRegex(result.stdout, r"\nissued as listed: \d+ calls? of CUDA, NCCL and cuBLASLt\n")
        last = result.stdout.splitlines()[-1]
        self.assertRegex(last, "^(EQUAL to sim|UNDECIDED)")

    def test_examples(self):
        for seed, name in enumerate(EXAMPLES[::STRIDE]):
            with self.subTest(name):
                self.holds(run_on_standin(f"examples/{name}", seed=seed), name)

    def test_examples_on_smaller_meshes(self):
        for seed, name in enumerate(EXAMPLES[STRIDE // 2 :: STRIDE]):
            mesh = smaller_mesh((ROOT / "examples" / name).read_text())
            with self.subTest(name, mesh=mesh):
                self.holds(run_on_standin(f"examples/{name}", "--mesh", mesh, seed=seed, launcher="processes"), name)

    def test_plans(self):
        for seed, name in enumerate(PLANS):
            with self.subTest(name):
                self.holds(run_on_standin(f"examples/plans/{name}", seed=seed, launcher=LAUNCHERS[seed % 2]), name)

    def test_models(self):
        names = models()
        self.assertGreater(len(names), 40)
        for seed, name in enumerate(names[::STRIDE]):
            with self.subTest(name):
                self.holds(run_on_standin(name, *SMALLER.get(name, ()), seed=seed), name)

    def test_models_on_other_meshes(self):
        for seed, name in enumerate(models()[STRIDE // 2 :: STRIDE]):
            mesh = other_mesh(name)
            with self.subTest(name, mesh=mesh):
                result = run_on_standin(name, "--mesh", mesh, *SMALLER.get(name, ()), seed=seed, launcher="processes")
                self.holds(result, name)

    def test_copies_that_differ_in_sim_too(self):
        """Each rank adds the blocks of a ring in an order of its own."""
        ring = run_on_standin("examples/plans/ring_product.plan")
        self.assertIn("so do those of sim, with the same bits; the first copy counts [R-replicas]", ring.stderr)
        self.assertEqual(HOLDS, ring.returncode)

    def test_steps_graphs_and_products(self):
        for number, (program, *options) in enumerate((
            ("examples/train_step.shard", "--steps", "3", "--graph", "on"),
            ("examples/pipeline_1f1b.shard", "--repeat", "3", "--graph", "on"),
            ("examples/sgd_momentum.shard", "--steps", "3"),
            ("examples/tp_mlp.shard", "--products", "library"),
            ("looping_pipeline", "--products", "library"),
            ("train_step", "--products", "library", "--mesh", "dp=1,fsdp=1,pp=2,tp=2", "--steps", "2"),
            *(("pipeline", "--set", f"schedule={name}", "--repeat", "2") for name in ("GPipe", "1F1B", "ZB-H1")),
            ("train_step", "--mesh", "dp=1,fsdp=1,pp=2,tp=2", "--steps", "2"),
            ("train_step", "--mesh", "dp=2,fsdp=1,pp=1,tp=1", "--set", "zero=2", "--steps", "2"),
            ("train_step", "--mesh", "dp=4,fsdp=1,pp=1,tp=1", "--set", "zero=3", "--steps", "2"),
            ("train_step", "--mesh", "dp=1,fsdp=2,pp=1,tp=2", "--set", "model=transformer", "--steps", "2"),
        )):
            with self.subTest(program, options=options):
                self.holds(run_on_standin(program, *options, launcher=LAUNCHERS[number % 2]), program)

    def test_training_steps_under_each_schedule(self):
        """Two steps of gradient descent on the model `pipeline`, on 8 ranks and on 2; the steps are those of one device."""
        for number, schedule in enumerate(("GPipe", "1F1B", "ZB-H1")):
            for mesh, ranks in (("data=2,pp=4", "8"), ("data=1,pp=2", "2")):
                with self.subTest(schedule, mesh=mesh), tempfile.TemporaryDirectory() as folder:
                    program = pathlib.Path(folder, "steps.shard")
                    program.write_text(self.with_descent("pipeline", "--mesh", mesh, "--set", f"schedule={schedule},micro_batches=4"))
                    checked = subprocess.run([BINARY, "check", program], capture_output=True, text=True, check=False)
                    self.assertEqual(HOLDS, checked.returncode, checked.stdout + checked.stderr)
                    result = run_on_standin(str(program), "-n", ranks, "--steps", "2", seed=number, launcher=LAUNCHERS[number % 2])
                    self.holds(result, "steps.shard")

    def with_descent(self, *model):
        """The text of a model that gives gradients, which has updates in their place: @w - @dw / 4."""
        made = subprocess.run([BINARY, "make", *model], capture_output=True, text=True, check=True).stdout
        text, updates = re.subn(r"  return @d(\w) = %(\w+) (\[.*\])\n", r"  %step.\1 = multiply %\2, 0.25\n  %next.\1 = subtract %\1, %step.\1\n"
                                r"  update @\1 = %next.\1 \3\n", made)
        self.assertEqual(4, updates)
        return text

    def test_tf32_loses_bits_within_its_bounds(self):
        """Far more than another order of the sum does."""
        for program in ("examples/tp_mlp.shard", "examples/ring_matmul.shard"):
            relative = {}
            for products in ("library", "tf32"):
                result = run_on_standin(program, "--products", products)
                self.holds(result, program)
                self.assertEqual("EQUAL to sim within the bounds of rounding", result.stdout.splitlines()[-1])
                relative[products] = max(float(x) for x in re.findall(r" relative ([0-9.e+-]+),", result.stdout))
            self.assertGreater(relative["tf32"], 20 * relative["library"])

    def test_a_graph_pays_from_8_steps_on(self):
        for graph, options, made in (("auto", ("--steps", "7"), False), ("auto", ("--steps", "8"), True),
                                     ("auto", ("--steps", "2", "--repeat", "4"), True), ("off", ("--steps", "8"), False),
                                     ("on", ("--steps", "2"), True)):
            with self.subTest(graph=graph, options=options):
                result = run_on_standin("examples/sgd_momentum.shard", *options, "--graph", graph)
                self.holds(result, "sgd_momentum.shard")
                self.assertEqual(made, " steps, a graph from the second step on, " in result.stdout)
                issued = re.search(r"issued as listed: \d+ calls", result.stdout).group()
                eager = run_on_standin("examples/sgd_momentum.shard", *options, "--graph", "off")
                self.assertEqual(made, issued not in eager.stdout)

    def test_attacks(self):
        """Programs that fooled a check, or that it wronged: what each is has to be said, EQUAL or nothing."""
        for name, inputs, expected in (
            ("nanmore", "nanmore", "EQUAL to sim, bit for bit"),  # NCCL's max passes over a nan
            ("nz", "negzero", "EQUAL to sim, bit for bit"),  # and picks either zero
            ("negzero", "negzero", "EQUAL to sim, bit for bit"),
            ("copies", "copies", "EQUAL to sim, bit for bit"),  # copies differ by a select, and on each rank as in sim
            ("deep", None, "UNDECIDED"),  # a bound of 24 layers is larger than what it bounds
            ("overflow", "overflow", "UNDECIDED"),  # a partial sum is infinite in one order only
            ("f16native", "f16o", "UNDECIDED"),
            ("signzero", "signzero", "UNDECIDED"),  # 1 / -0
            ("tieint", "tieint", "UNDECIDED"),  # an integer that rounding decides
        ):
            folder = "tests/cli/run_attacks"
            options = ["--inputs", f"{folder}/{inputs}.npz"] if inputs else []
            with self.subTest(name):
                result = run_on_standin(f"{folder}/{name}.shard", *options)
                self.assertTrue(result.stdout.splitlines()[-1].startswith(expected), result.stdout + result.stderr)

    def test_a_deadlock_names_the_call(self):
        result = run_on_standin("tests/zoo/45_interleaved_send_order/wrong.plan", strict="")
        self.assertEqual(1, result.returncode)
        self.assertRegex(result.stderr, r"error: rank \d: tests/zoo/45_interleaved_send_order/wrong.plan:\d+:5: (send|recv).*\[R-failed\]")

    def test_memory_outlives_what_uses_it(self):
        """A step that times out leaves work behind, which the end of a rank waits for before it frees the memory."""
        for seed in range(2):
            result = run_on_standin("pp_training", "--set", "b=64", seed=seed, deadline="1")
            self.assertEqual(1, result.returncode, result.stderr)
            self.assertIn("R-deadline", result.stderr)

    def test_orders(self):
        """Another order of everything that streams, events and communicators leave open."""
        for seed in range(8):
            with self.subTest(seed=seed):
                self.holds(run_on_standin("examples/ring_both_ways.shard", "--mesh", "model=3", seed=seed), "ring_both_ways.shard")


if __name__ == "__main__":
    unittest.main()
