#!/usr/bin/python3
"""Writes tp_mlp_in.npz and tp_mlp_out.npz: inputs of the model tp_mlp and what NumPy makes of them.

The sizes are those of `--set b=8,d=12,f=48`. Everything is f32; the outputs are computed in f64 and rounded once.
"""

import pathlib

import numpy as np

HERE = pathlib.Path(__file__).parent
SHAPES = {"x": (8, 12), "W1": (12, 48), "b1": (48,), "W2": (48, 12), "b2": (12,)}


def gelu(h):
    """In tanh form, with the decimals of the model: 0.7978845608 is sqrt(2/pi)."""
    return 0.5 * h * (1 + np.tanh(0.7978845608 * (h + 0.044715 * h**3)))


def silu(h):
    return h / (1 + np.exp(-h))


def draw(shapes, seed):
    """Arrays of normal numbers whose products stay of size 1."""
    rng = np.random.default_rng(seed)
    scale = {name: 1 / np.sqrt(shape[0]) if len(shape) == 2 and name != "x" else 1 for name, shape in shapes.items()}
    return {name: (scale[name] * rng.standard_normal(shape)).astype(np.float32) for name, shape in shapes.items()}


def mlp(arrays, activation):
    """The dense MLP with a residual, in f64."""
    a = {name: array.astype(np.float64) for name, array in arrays.items()}
    return activation(a["x"] @ a["W1"] + a["b1"]) @ a["W2"] + a["b2"] + a["x"]


def main():
    arrays = draw(SHAPES, seed=0)
    np.savez(HERE / "tp_mlp_in.npz", **arrays)
    np.savez_compressed(HERE / "tp_mlp_out.npz", y=mlp(arrays, gelu).astype(np.float32))


if __name__ == "__main__":
    main()
