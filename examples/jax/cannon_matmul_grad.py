"""A matrix product on a square of devices (Cannon): blocks of one factor move along rows, of the other along columns; and a second one by
gathers (SUMMA), with the gradient of both through the collectives.
"""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

SIDE, SIZE = 2, 4
mesh = Mesh(np.array(jax.devices()[:SIDE * SIDE]).reshape(SIDE, SIDE), ("row", "col"))
PAIRS = [(r * SIDE + c, r * SIDE + (c - r) % SIDE) for r in range(SIDE) for c in range(SIDE)]
SKEW = [(r * SIDE + c, (r - c) % SIDE * SIDE + c) for r in range(SIDE) for c in range(SIDE)]
BACK = [(i, (i - 1) % SIDE) for i in range(SIDE)]


def cannon(a, b):
    a = jax.lax.ppermute(a, ("row", "col"), PAIRS)
    b = jax.lax.ppermute(b, ("row", "col"), SKEW)

    def step(i, carry):
        a, b, total = carry
        total = total + a @ b
        return jax.lax.ppermute(a, "col", BACK), jax.lax.ppermute(b, "row", BACK), total

    zero = jax.lax.pcast(jnp.zeros((a.shape[0], b.shape[1])), ("row", "col"), to="varying")
    return jax.lax.fori_loop(0, SIDE, step, (a, b, zero))[2]


def summa(a, b):
    return jax.lax.all_gather(a, "col", axis=1, tiled=True) @ jax.lax.all_gather(b, "row", axis=0, tiled=True)


@jax.shard_map(mesh=mesh, in_specs=(P("row", "col"),) * 4, out_specs=(P(), (P("row", "col"), P("row", "col"))))
def sharded(w1, w2, x, y):
    def loss_of(w1, w2):
        out = summa(jnp.sin(cannon(x, w1)), w2)
        return jax.lax.psum(jnp.sum((out - y) ** 2), ("row", "col"))

    return jax.value_and_grad(loss_of, argnums=(0, 1))(w1, w2)


def reference(w1, w2, x, y):
    return jax.value_and_grad(lambda w1, w2: jnp.sum((jnp.sin(x @ w1) @ w2 - y) ** 2), argnums=(0, 1))(w1, w2)


def arguments(rng):
    return {name: rng.normal(size=(SIZE, SIZE)).astype(np.float32) for name in ("w1", "w2", "x", "y")}


WRONG = [
    ("the second factor is not skewed before the first step", 'b = jax.lax.ppermute(b, ("row", "col"), SKEW)', "b = b + 0"),
    ("both gathers are over the axis of the first", 'jax.lax.all_gather(b, "row", axis=0, tiled=True)', 'jax.lax.all_gather(b, "col", axis=0, tiled=True)'),
]
