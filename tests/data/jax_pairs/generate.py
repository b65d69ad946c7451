#!/usr/bin/env python3
"""Writes NAME/sharded.mlir, reference.mlir and wrong_N.mlir of the pairs in pairs.py; README.md says with which versions.

    generate.py [NAME ...]      all pairs when none is named

Every pair runs before its texts are written, with the arguments of pairs.py and with two random draws of its floats, on 8
devices of the CPU: a right program that differs from its reference, or a wrong one that does not, is an error. Only what
is stuck is not run.
"""

import os
import pathlib
import sys

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax  # noqa: E402
import numpy as np  # noqa: E402
import pairs  # noqa: E402

HERE = pathlib.Path(__file__).parent
SAME, OTHER = 5e-5, 1e-3  # the largest difference by the largest value: below is rounding, above is a mistake


def drawn(args, rng):
    """Floats anew; integers stay, since they are indices."""
    return jax.tree.map(lambda x: rng.normal(size=x.shape).astype(x.dtype) if x.dtype.kind == "f" else x, args)


def difference(program, reference, args):
    """The largest difference of one result by its largest value, over the blocks of all devices."""
    worst = 0.0
    for got, want in zip(jax.tree.leaves(jax.jit(program)(*args)), jax.tree.leaves(jax.jit(reference)(*args)), strict=True):
        want = np.asarray(want, np.float64)
        assert np.isfinite(want).all()
        for shard in got.addressable_shards:
            block = np.asarray(shard.data, np.float64)
            assert block.shape == want[shard.index].shape
            distance = np.nan_to_num(np.abs(block - want[shard.index]), nan=np.inf)
            worst = max(worst, float(distance.max(initial=0)) / max(1e-6, float(np.abs(want).max(initial=0))))
    return worst


def write(name, pair):
    draws = [pair.args] + [drawn(pair.args, np.random.default_rng(seed)) for seed in (1, 2)]
    programs = {"sharded": pair.sharded} | {f"wrong_{i}": wrong for i, wrong in enumerate(pair.wrong, 1)}
    for text, program in programs.items():
        worst = max(difference(program, pair.reference, args) for args in draws)
        assert worst < SAME if text == "sharded" else worst > OTHER, (name, text, worst)
    programs |= {f"wrong_{i}": stuck for i, stuck in enumerate(pair.stuck, len(programs))}
    folder = HERE / name
    folder.mkdir(exist_ok=True)
    for text, program in (programs | {"reference": pair.reference}).items():
        lowered = jax.jit(program, keep_unused=True).lower(*pair.args).as_text()
        (folder / f"{text}.mlir").write_text(lowered.rstrip() + "\n", encoding="utf-8")


def main():
    for name, pair in pairs.PAIRS.items():
        if not sys.argv[1:] or name in sys.argv[1:]:
            write(name, pair)
            print(name, flush=True)


if __name__ == "__main__":
    main()
