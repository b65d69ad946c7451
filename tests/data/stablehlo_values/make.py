#!/usr/bin/env python3
"""Makes the texts and values of this folder with JAX (0.10.2): groups of devices that are no axes, gradients of pooling,
argmin, labels of which one number is ignored.

Each NAME.mlir has its inputs and results in NAME.json; NAME.reference.mlir is its unsharded twin, NAME.wrong.mlir a wrong one.
"""

import json
import os
import pathlib

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, PartitionSpec as P

HERE = pathlib.Path(__file__).parent
MESH = Mesh(np.array(jax.devices()[:4]), ("i",))
GROUPS, UNEVEN = [[0, 3], [2, 1]], [[0, 3, 1], [2]]
X = np.random.RandomState(0).randint(-9, 10, (8, 4)).astype(np.float32)
IMAGES = np.random.RandomState(1).randint(-3, 4, (4, 5, 5, 1)).astype(np.float32)


def on_mesh(f, out=P("i"), check_vma=False):
    return jax.shard_map(f, mesh=MESH, in_specs=P("i"), out_specs=out, check_vma=check_vma)


def rows(x):
    return x.reshape(4, 2, 4)


def psum_reference(x):
    a, b, c, d = rows(x)
    return jnp.concatenate([a + d, b + c, b + c, a + d])


def pmax_reference(x):
    a, b, c, d = rows(x)
    return jnp.concatenate([jnp.maximum(a, d), jnp.maximum(b, c), jnp.maximum(b, c), jnp.maximum(a, d)])


def uneven_reference(x):
    a, b, c, d = rows(x)
    return jnp.concatenate([a + b + d, a + b + d, c, a + b + d])


def gather_reference(x):
    a, b, c, d = rows(x)
    left, right = jnp.concatenate([a, d], axis=1), jnp.concatenate([c, b], axis=1)
    return jnp.concatenate([left, right, right, left])


def scatter_reference(x):
    a, b, c, d = rows(x)
    left, right = a + d, b + c
    return jnp.concatenate([left[:, :2], right[:, 2:], right[:, :2], left[:, 2:]])


def exchange_reference(x):
    a, b, c, d = rows(x)
    return jnp.concatenate([a[:, :2], d[:, :2], c[:, 2:], b[:, 2:], c[:, :2], b[:, :2], a[:, 2:], d[:, 2:]])


def pooled(x, size, stride, padding, least=False):
    start, reducer = (jnp.inf, lax.min) if least else (-jnp.inf, lax.max)
    return lax.reduce_window(x, start, reducer, (1, size, size, 1), (1, stride, stride, 1), padding)


def loss(x, *window):
    y = pooled(x, *window)
    return (y * (1 + y)).sum()


def pool(*window):
    whole = jax.grad(lambda x: loss(x, *window))
    return jax.grad(lambda x: on_mesh(lambda x: lax.psum(loss(x, *window), "i"), P())(x)), whole


KERNEL = np.random.RandomState(2).randint(-2, 3, (3, 3, 1, 2)).astype(np.float32)


def network(x, padding="SAME"):
    """A convolution, its positive part and pooling, as networks for images begin."""
    y = lax.conv_general_dilated(x, KERNEL, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    return pooled(jax.nn.relu(y), 3, 2, padding)


def network_gradient(f):
    return jax.grad(lambda x: (f(x) ** 2).sum())


def write(name, kind, f, x):
    path = HERE / (f"{name}.mlir" if not kind else f"{name}.{kind}.mlir")
    path.write_text(jax.jit(f).lower(jax.ShapeDtypeStruct(x.shape, x.dtype)).as_text())


def make(name, f, reference, wrong, x):
    write(name, "", f, x)
    write(name, "reference", reference, x)
    write(name, "wrong", wrong, x)
    result = np.asarray(jax.jit(f)(x))
    (HERE / f"{name}.json").write_text(json.dumps({"arg0": x.tolist(), "dtype": x.dtype.name, "result": result.tolist()}) + "\n")


make("psum", on_mesh(lambda x: lax.psum(x, "i", axis_index_groups=GROUPS)), psum_reference,
     on_mesh(lambda x: lax.psum(x, "i", axis_index_groups=[[0, 2], [3, 1]])), X)
make("pmax", on_mesh(lambda x: lax.pmax(x, "i", axis_index_groups=GROUPS)), pmax_reference,
     on_mesh(lambda x: lax.pmin(x, "i", axis_index_groups=GROUPS)), X)
make("psum_uneven", on_mesh(lambda x: lax.psum(x, "i", axis_index_groups=UNEVEN)), uneven_reference,
     on_mesh(lambda x: lax.psum(x, "i", axis_index_groups=[[0, 3], [2, 1]])), X)
make("all_gather", on_mesh(lambda x: lax.all_gather(x, "i", axis=1, tiled=True, axis_index_groups=GROUPS)), gather_reference,
     on_mesh(lambda x: lax.all_gather(x, "i", axis=1, tiled=True, axis_index_groups=[[3, 0], [2, 1]])), X)
make("psum_scatter", on_mesh(lambda x: lax.psum_scatter(x, "i", scatter_dimension=1, tiled=True, axis_index_groups=GROUPS)),
     scatter_reference,
     on_mesh(lambda x: lax.psum_scatter(x, "i", scatter_dimension=1, tiled=True, axis_index_groups=[[3, 0], [2, 1]])), X)
make("all_to_all", on_mesh(lambda x: lax.all_to_all(x, "i", 1, 0, tiled=True, axis_index_groups=GROUPS)), exchange_reference,
     on_mesh(lambda x: lax.all_to_all(x, "i", 1, 0, tiled=True, axis_index_groups=[[0, 3], [1, 2]])), X)
make("max_pool", *pool(2, 2, "VALID"), jax.grad(lambda x: on_mesh(lambda x: lax.pmean(loss(x, 2, 2, "VALID"), "i"), P())(x)), IMAGES)
make("min_pool", *pool(2, 2, "VALID", True), pool(2, 2, "VALID", False)[0], IMAGES)
make("max_pool_apart", *pool(2, 3, "VALID"), pool(2, 2, "VALID")[0], IMAGES)
make("max_pool_same", *pool(3, 2, "SAME"), pool(3, 1, "SAME")[0], IMAGES)
make("network", on_mesh(network), network, on_mesh(lambda x: network(x, ((0, 0), (0, 2), (0, 2), (0, 0)))), IMAGES)
make("network_gradient", network_gradient(on_mesh(network)), network_gradient(network),
     network_gradient(on_mesh(lambda x: network(x, ((0, 0), (0, 2), (0, 2), (0, 0))))), IMAGES)
make("cummax", on_mesh(lambda x: lax.cummax(x, axis=1)), lambda x: lax.cummax(x, axis=1),
     on_mesh(lambda x: lax.cummax(x, axis=1, reverse=True)), X)


def place(x, last=False):
    """Of the least of each row; of equal ones the first, or the last."""
    return (3 - jnp.argmin(x[:, ::-1], axis=1) if last else jnp.argmin(x, axis=1)).astype(jnp.float32)


def place_of_parts(x, offset=2):
    """Of the least of each column, of which each device has a part: the first part whose least is the least of all."""
    least, where = lax.all_gather(jnp.min(x, axis=0), "i"), lax.all_gather(jnp.argmin(x, axis=0) + offset * lax.axis_index("i"), "i")
    return jnp.take_along_axis(where, jnp.argmin(least, axis=0)[None], axis=0)[0].astype(jnp.float32)


make("argmin", on_mesh(place), place, on_mesh(lambda x: place(x, True)), X)
make("argmin_of_parts", on_mesh(place_of_parts, P()), lambda x: jnp.argmin(x, axis=0).astype(jnp.float32),
     on_mesh(lambda x: place_of_parts(x, 1), P()), X)


def picked(labels, values, ignored=-100):
    """The value of each row's label, 0 where it is ignored."""
    safe = jnp.where(labels == -100, 0, labels)
    return jnp.take_along_axis(values, safe[:, None], axis=1)[:, 0] * (labels != ignored)


make("ignored_labels", on_mesh(lambda labels: picked(labels, lax.dynamic_slice_in_dim(jnp.asarray(X), 2 * lax.axis_index("i"), 2))),
     lambda labels: picked(labels, X),
     on_mesh(lambda labels: picked(labels, lax.dynamic_slice_in_dim(jnp.asarray(X), 2 * lax.axis_index("i"), 2), -1)),
     np.array([3, -100, 0, 2, -100, -100, 1, 3], np.int32))
