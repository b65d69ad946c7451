"""Programs of JAX in small: each sharded over "x", its reference, and wrong twins. generate.py makes the texts of this folder."""

import dataclasses
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, PartitionSpec as P

MESH = Mesh(np.array(jax.devices()[:4]), ("x",))
RNG = np.random.default_rng(0)
PAIRS = {}


@dataclasses.dataclass
class Pair:
    sharded: Callable
    reference: Callable
    args: tuple
    wrong: list


def pair(name, local, reference, args, ins, outs, wrong):
    """`local` and each of `wrong` is what a device does."""
    over = lambda f: jax.shard_map(f, mesh=MESH, in_specs=ins, out_specs=outs, check_vma=False)
    PAIRS[name] = Pair(over(local), reference, args, [over(f) for f in wrong])


def floats(*shape):
    return RNG.normal(size=shape).astype(np.float32)


def integers(low, high, *shape):
    return RNG.integers(low, high, shape).astype(np.int32)


X, W, IDS = floats(16, 6), floats(6, 6), np.array([0, 5, 2, 2, 1, 4, 3, 0, 5, 5, 1, 2, 4, 3, 0, 1], np.int32)
NUMBERS = integers(-50, 50, 16, 6)
rank = lambda: lax.axis_index("x")


# Maxima over split rows.
def running_maximum(x, below=-jnp.inf, before=lambda k, i: k < i):
    own = lax.cummax(x, 0)
    last = lax.all_gather(own[-1], "x")
    return jnp.maximum(own, jnp.where(before(jnp.arange(4)[:, None], rank()), last, below).max(0))


pair("cummax", running_maximum, lambda x: lax.cummax(x, 0), (X,), P("x"), P("x"),
     [lambda x: running_maximum(x, 0.0), lambda x: lax.cummax(x, 0), lambda x: running_maximum(x, before=lambda k, i: k > i)])


def pool_with_halo(x, outside=-jnp.inf):
    above = lax.ppermute(x[:, -1:], "x", [(i, i + 1) for i in range(3)])
    below = lax.ppermute(x[:, :1], "x", [(i + 1, i) for i in range(3)])
    rows = [jnp.where(rank() == 0, outside, above), x, jnp.where(rank() == 3, outside, below)]
    return lax.reduce_window(jnp.concatenate(rows, 1), -jnp.inf, lax.max, (1, 3, 3), (1, 1, 1), ((0, 0), (0, 0), (1, 1)))


def pool(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3), (1, 1, 1), "SAME")


pair("max_pool_halo", pool_with_halo, pool, (floats(2, 16, 4),), P(None, "x"), P(None, "x"),
     [lambda x: pool_with_halo(x, 0.0), pool])


def masked_maximum(x, w, rows=13, below=-jnp.inf):  # the last rows are padding
    return lax.pmax(jnp.where(jnp.arange(4)[:, None] + 4 * rank() < rows, x @ w, below).max(0), "x")


pair("padded_max", masked_maximum, lambda x, w: (x @ w)[:13].max(0), (X, W), (P("x"), P()), P(),
     [lambda x, w: masked_maximum(x, w, 9), lambda x, w: -masked_maximum(-x, w)])

pair("largest_integer", lambda i: lax.pmax(i.max(0), "x"), lambda i: i.max(0), (NUMBERS,), P("x"), P(),
     [lambda i: lax.pmax(i[1:].max(0), "x"), lambda i: lax.pmax(i.min(0), "x"), lambda i: lax.pmax(jnp.roll(i, 1, 1).max(0), "x")])
pair("share_of_largest", lambda i, x: lax.psum(jnp.where(i == lax.pmax(i.max(0), "x"), x, 0).sum(0), "x"),
     lambda i, x: jnp.where(i == i.max(0), x, 0).sum(0), (NUMBERS, X), (P("x"), P("x")), P(),
     [lambda i, x: lax.psum(jnp.where(i == i.max(0), x, 0).sum(0), "x")])


# The logarithm of a sum of exponentials, beside jax.nn.logsumexp.
def logsumexp(x, top=lambda x: lax.pmax(x.max(0), "x")):
    largest = lax.stop_gradient(top(x))
    return jnp.log(lax.psum(jnp.exp(x - largest).sum(0), "x")) + largest


pair("logsumexp", lambda x, w: logsumexp(x @ w), lambda x, w: jax.nn.logsumexp(x @ w, 0), (X, W), (P("x"), P()), P(),
     [lambda x, w: logsumexp((x @ w)[1:]), lambda x, w: logsumexp(x @ w, lambda x: x.max(0))])
pair("largest_probability", lambda x: lax.pmax(jnp.exp(x - logsumexp(x)).max(0), "x"), lambda x: jax.nn.softmax(x, 0).max(0), (X,),
     P("x"), P(), [lambda x: lax.pmax(jnp.exp(x - logsumexp(x))[1:].max(0), "x")])


# x.at[...] at indices that JAX does not know to be different.
def on_rows(name, reference, wrong):
    pair(name, reference, reference, (X, IDS), (P("x"), P("x")), P("x"), wrong)


rows = lambda x: jnp.arange(x.shape[0])
on_rows("at_set", lambda x, i: x.at[rows(x), i].set(x[:, 0] * 2), [lambda x, i: x.at[rows(x), i].set(x[:, 0])])
on_rows("at_set_number", lambda x, i: x.at[rows(x), i].set(1.0), [lambda x, i: x.at[rows(x), i].set(0.0)])
on_rows("at_add", lambda x, i: x.at[rows(x), i].add(-1.0), [lambda x, i: x.at[rows(x), i].add(1.0)])
on_rows("at_columns", lambda x, i: x.at[:, jnp.array([0, 2])].set(7.0).at[:, 1].multiply(x[:, 0]),
        [lambda x, i: x.at[:, jnp.array([0, 3])].set(7.0).at[:, 1].multiply(x[:, 0]),
         lambda x, i: x.at[:, jnp.array([0, 2])].set(7.0).at[:, 1].add(x[:, 0])])
pair("at_mask", lambda x, i: x.at[:, i].set(0.0), lambda x, i: x.at[:, i].set(0.0), (X, IDS[:3]), (P("x"), P()), P("x"),
     [lambda x, i: x.at[:, i[:2]].set(0.0)])
pair("cache_update", lambda c, v, i: c.at[rows(c), i].set(v), lambda c, v, i: c.at[jnp.arange(16), i].set(v),
     (floats(16, 6, 2), floats(16, 2), IDS), (P("x"), P("x"), P("x")), P("x"),
     [lambda c, v, i: c.at[rows(c), i].add(v), lambda c, v, i: c.at[rows(c), i].set(jnp.roll(v, 1, 0))])
