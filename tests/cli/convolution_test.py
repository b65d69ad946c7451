#!/usr/bin/python3
"""`convolution` and its derivative against NumPy, attribute by attribute and all of them at random.

`convolution` here is the text of StableHLO's specification: split, pad, slice, reverse, dot product, concatenate. The
gradients are read off its linearity: the derivative by one element is the convolution of the array that is 1 there. All
numbers are small integers, so f64 is exact and results are compared for equality.
"""

import itertools
import random
import sys
import unittest

from isoshard import HOLDS, Case

try:
    import numpy as np
except ImportError:
    print("skipped: python3-numpy is not installed")
    sys.exit(77)


class Attributes:
    """One convolution: roles as lists of names ("b", "f", "o", "i" or a spatial dimension), the rest per dimension."""

    def __init__(self, lhs, rhs, roles=None, **lists):
        self.lhs, self.rhs, spatial = tuple(lhs), tuple(rhs), len(lhs) - 2
        numbers = [str(i) for i in range(spatial)]
        self.roles = roles or (["b", "f", *numbers], ["o", "i", *numbers], ["b", "f", *numbers])
        self.written = {name: value for name, value in lists.items() if value is not None}
        defaults = {"strides": 1, "low": 0, "high": 0, "lhs_dilation": 1, "rhs_dilation": 1, "reversal": 0}
        for name, value in defaults.items():
            setattr(self, name, lists.get(name) or [value] * spatial)
        self.feature_groups = lists.get("feature_groups") or 1
        self.batch_groups = lists.get("batch_groups") or 1

    def places(self, which, first, second):
        """The dimension of each of two roles and of the spatial ones."""
        names = self.roles[which]
        return names.index(first), names.index(second), [names.index(str(i)) for i in range(len(names) - 2)]

    def text(self):
        lists = ["[" + ", ".join(role) + "]" for role in self.roles]
        fields = [f"dims={lists[0]}x{lists[1]}->{lists[2]}", *(f"{name}={value}" for name, value in self.written.items())]
        return "convolution %x, %w {" + ", ".join(fields) + "}"


def in_one_group(lhs, rhs, a):
    """The dot product of each window, as the specification says it for one group."""
    batch, feature, spatial = a.places(0, "b", "f")
    out_feature, in_feature, window = a.places(1, "o", "i")
    for i, dim in enumerate(spatial):
        lhs = padded(lhs, dim, a.low[i], a.high[i], a.lhs_dilation[i])
    sizes = [rhs.shape[dim] for dim in window]
    counts = []
    for i, dim in enumerate(spatial):
        span = (sizes[i] - 1) * a.rhs_dilation[i] + 1 if sizes[i] else 0
        room = lhs.shape[dim]
        counts.append(0 if room == 0 or span > room else (room - span) // a.strides[i] + 1)
    result = np.zeros([lhs.shape[batch], rhs.shape[out_feature], *counts], lhs.dtype)
    for index in itertools.product(*map(range, counts)):
        part = [slice(None)] * lhs.ndim
        for i, dim in enumerate(spatial):
            start = index[i] * a.strides[i]
            part[dim] = slice(start, start + (sizes[i] - 1) * a.rhs_dilation[i] + 1 if sizes[i] else start, a.rhs_dilation[i])
        taken = np.flip(lhs[tuple(part)], [spatial[i] for i in range(len(spatial)) if a.reversal[i]])
        terms = np.tensordot(taken, rhs, ([*spatial, feature], [*window, in_feature]))
        result[(slice(None), slice(None), *index)] = terms
    batch, feature, spatial = a.places(2, "b", "f")
    order = [0] * result.ndim
    for place, dim in enumerate([batch, feature, *spatial]):
        order[dim] = place
    return result.transpose(order)


def padded(x, dim, low, high, dilation):
    """StableHLO's pad along one dimension, element by element: gaps between elements and negative edges."""
    x = np.moveaxis(x, dim, 0)
    spread = (len(x) - 1) * dilation + 1 if len(x) else 0
    result = np.zeros([max(low + spread + high, 0), *x.shape[1:]], x.dtype)
    for i, element in enumerate(x):
        if 0 <= low + i * dilation < len(result):
            result[low + i * dilation] = element
    return np.moveaxis(result, 0, dim)


def convolution(lhs, rhs, a):
    batch, feature, _ = a.places(0, "b", "f")
    out_feature = a.places(1, "o", "i")[0]
    groups = max(a.feature_groups, a.batch_groups)
    if groups == 1:
        return in_one_group(lhs, rhs, a)
    lefts = np.split(lhs, groups, feature if a.feature_groups > 1 else batch)
    rights = np.split(rhs, groups, out_feature)
    return np.concatenate([in_one_group(x, w, a) for x, w in zip(lefts, rights)], a.places(2, "b", "f")[1])


def gradient(shape, of):
    """<of(e), g> for each unit array e."""
    result = np.zeros(shape)
    for index in np.ndindex(*shape):
        unit = np.zeros(shape)
        unit[index] = 1
        result[index] = of(unit)
    return result


def sizes(shape):
    return "[" + ", ".join(map(str, shape)) + "]"


def source(a, out, dtype="f64"):
    types = {name: f"{dtype}{sizes(shape)}" for name, shape in (("x", a.lhs), ("w", a.rhs), ("g", out))}
    views = [f"  %{name} = view @{name} [{', '.join('-' * len(out))}]" for name in types]
    lines = ["isoshard 1", *(f"global @{name} : {kind} input" for name, kind in types.items())]
    lines += ["func @sum(" + ", ".join(f"%{n}: {kind}" for n, kind in types.items()) + f") -> {dtype}[] {{",
              f"  %y = {a.text()}", "  %p = multiply %y, %g",
              f"  %s = reduce %p {{op=add, dims={list(range(len(out)))}}}", "  return %s", "}"]
    lines += ["program @all {", *views, f"  %y = {a.text()}"]
    outputs = ["y"]
    if dtype == "f64":
        lines.append("  %s, %dx, %dw = grad @sum(%x, %w, %g) {wrt=[0, 1]}")
        outputs += ["dx", "dw"]
    lines += [f"  return @{name} = %{name} [{', '.join('-' * len(out))}]" for name in outputs]
    return "\n".join([*lines, "}", ""])


def at_random(dice):
    """Every attribute at random, of a size that a loop over elements can do."""
    spatial = dice.randint(0, 3)
    groups = dice.choice([1, 1, 2, 3])
    of_batch = dice.random() < 0.5 and groups > 1
    numbers = [str(i) for i in range(spatial)]
    roles = (["b", "f", *numbers], ["o", "i", *numbers], ["b", "f", *numbers])
    for role in roles:
        dice.shuffle(role)
    inputs = dice.randint(1, 2)
    kernel = {str(i): dice.randint(1, 3) for i in range(spatial)}
    image = {str(i): dice.randint(1, 5 if spatial < 3 else 3) for i in range(spatial)}
    lists = {name: [dice.randint(low, high) for _ in range(spatial)] if spatial and dice.random() < 0.7 else None
             for name, low, high in (("strides", 1, 3), ("low", -2, 3), ("high", -2, 3), ("lhs_dilation", 1, 3),
                                     ("rhs_dilation", 1, 2), ("reversal", 0, 1))}
    lists["batch_groups" if of_batch else "feature_groups"] = groups if groups > 1 else None
    kernel |= {"o": groups * dice.randint(1, 2), "i": inputs}
    image |= {"b": dice.randint(1, 2) * (groups if of_batch else 1), "f": inputs * (1 if of_batch else groups)}
    return Attributes([image[name] for name in roles[0]], [kernel[name] for name in roles[1]], roles, **lists)


CHANNELS_LAST = (["b", "0", "1", "f"], ["0", "1", "i", "o"], ["b", "0", "1", "f"])
BY_HAND = {
    "plain": Attributes((2, 3, 5), (4, 3, 2)),
    "no spatial dimension": Attributes((2, 3), (4, 3)),
    "1x1": Attributes((2, 3, 4, 5), (2, 3, 1, 1)),
    "strides": Attributes((1, 2, 7, 6), (2, 2, 3, 2), strides=[2, 3]),
    "same padding": Attributes((1, 2, 5, 5), (2, 2, 3, 3), low=[1, 1], high=[1, 1]),
    "one edge": Attributes((1, 1, 5), (1, 1, 3), low=[2]),
    "negative padding": Attributes((1, 2, 7), (2, 2, 2), low=[-2], high=[-1]),
    "an edge cut into the other's zeros": Attributes((1, 1, 2), (1, 1, 2), low=[-3], high=[6]),
    "input spread": Attributes((1, 2, 3), (1, 2, 3), lhs_dilation=[3], low=[1], high=[2]),
    "a gap cut": Attributes((1, 2, 3), (1, 2, 2), lhs_dilation=[3], low=[-1], high=[-2]),
    "kernel spread": Attributes((1, 2, 9), (1, 2, 3), rhs_dilation=[3]),
    "reversed": Attributes((1, 2, 4, 5), (2, 2, 3, 2), reversal=[1, 0]),
    "reversed and spread": Attributes((1, 1, 7), (1, 1, 3), reversal=[1], rhs_dilation=[2], strides=[2]),
    "a kernel larger than its windows": Attributes((1, 2, 9), (2, 2, 5), strides=[3], low=[1]),
    "the same reversed and spread": Attributes((1, 2, 12), (2, 2, 4), strides=[3], rhs_dilation=[2], reversal=[1]),
    "channels last": Attributes((2, 4, 5, 3), (2, 3, 3, 4), CHANNELS_LAST),
    "depthwise": Attributes((2, 4, 5), (4, 1, 3), feature_groups=4),
    "feature groups": Attributes((2, 6, 5), (4, 3, 3), feature_groups=2),
    "batch groups": Attributes((6, 2, 5), (4, 2, 3), batch_groups=2),
    "no window fits": Attributes((1, 1, 2), (1, 1, 3)),
    "cut to less than nothing": Attributes((1, 1, 2), (1, 1, 1), low=[-3], high=[-3]),
    "an empty batch": Attributes((0, 2, 5), (2, 2, 3), low=[1]),
    "an empty kernel": Attributes((1, 2, 5), (2, 2, 0)),
    "no features": Attributes((1, 0, 5), (2, 0, 3)),
    "an empty image with padding": Attributes((1, 2, 0), (2, 2, 2), low=[2], high=[1]),
}


class Convolution(Case):
    def outputs(self, a, arrays, dtype="f64"):
        self.write("c.shard", source(a, arrays["g"].shape, dtype))
        np.savez(self.folder / "in.npz", **arrays)
        domain = [] if dtype != "f64" else ["--domain", "f64"]
        code, _, err = self.run_here("sim", "c.shard", "--program", "@all", "--inputs", "in.npz", "--outputs", "out.npz", *domain)
        self.assertEqual((HOLDS, ""), (code, err))
        with np.load(self.folder / "out.npz", allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}

    def check(self, a, seed):
        dice = np.random.default_rng(seed)
        x, w = (dice.integers(-8, 9, shape).astype(float) for shape in (a.lhs, a.rhs))
        y = convolution(x, w, a)
        g = dice.integers(-8, 9, y.shape).astype(float)
        made = self.outputs(a, {"x": x, "w": w, "g": g})
        np.testing.assert_array_equal(made["y"], y)
        np.testing.assert_array_equal(made["dx"], gradient(a.lhs, lambda unit: np.sum(convolution(unit, w, a) * g)))
        np.testing.assert_array_equal(made["dw"], gradient(a.rhs, lambda unit: np.sum(convolution(x, unit, a) * g)))

    def test_by_hand(self):
        for name, a in BY_HAND.items():
            with self.subTest(name):
                self.check(a, seed=len(name))

    def test_at_random(self):
        for seed in range(60):
            a = at_random(random.Random(seed))
            with self.subTest(seed=seed, text=a.text()):
                self.check(a, seed)

    def test_integers(self):
        a = BY_HAND["feature groups"]
        dice = np.random.default_rng(1)
        x, w = (dice.integers(-(2**31), 2**31, shape).astype(np.int32) for shape in (a.lhs, a.rhs))
        y = convolution(x, w, a)
        np.testing.assert_array_equal(self.outputs(a, {"x": x, "w": w, "g": y}, "i32")["y"], y)

    def test_example_of_the_specification(self):
        a = Attributes((1, 4, 4, 1), (3, 3, 1, 1), CHANNELS_LAST, strides=[4, 4], lhs_dilation=[2, 2])
        x = np.array([1, 2, 5, 6, 3, 4, 7, 8, 10, 11, 14, 15, 12, 13, 16, 17], np.int32).reshape(a.lhs)
        made = self.outputs(a, {"x": x, "w": np.ones(a.rhs, np.int32), "g": np.ones((1, 2, 2, 1), np.int32)}, "i32")
        np.testing.assert_array_equal(made["y"].reshape(2, 2), [[10, 26], [46, 62]])


if __name__ == "__main__":
    unittest.main(verbosity=2)
