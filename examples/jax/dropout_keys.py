"""Dropout under data parallel: a key for each example, folded from one key by the example's global index, so that the masks do not depend
on the mesh. With the gradient and SGD.
"""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()[:4]), ("data",))
BATCH, WIDTH, RATE = 8, 4, 0.25


def loss_of(p, key, index, x, y):
    """The sum over these examples; index: their places in the whole batch."""
    def one(i, x, y):
        hidden = jnp.tanh(x @ p["w1"])
        keep = jax.random.bernoulli(jax.random.fold_in(key, i), 1 - RATE, hidden.shape)
        hidden = jnp.where(keep, hidden / (1 - RATE), 0.0)
        return jnp.sum((hidden @ p["w2"] - y) ** 2)

    return jnp.sum(jax.vmap(one)(index, x, y))


@jax.shard_map(mesh=mesh, in_specs=(P(), P(), P("data"), P("data")), out_specs=P(), check_vma=False)
def sharded(params, key, x, y):
    rows = x.shape[0]
    index = jax.lax.axis_index("data") * rows + jnp.arange(rows)
    loss, grads = jax.value_and_grad(loss_of)(params, key, index, x, y)
    loss, grads = jax.lax.psum((loss, grads), "data")
    return loss / BATCH, jax.tree.map(lambda w, g: w - 0.1 * g / BATCH, params, grads)


def reference(params, key, x, y):
    loss, grads = jax.value_and_grad(loss_of)(params, key, jnp.arange(BATCH), x, y)
    return loss / BATCH, jax.tree.map(lambda w, g: w - 0.1 * g / BATCH, params, grads)


def arguments(rng):
    draw = lambda *shape: rng.normal(size=shape).astype(np.float32)
    key = rng.integers(0, 2**32, 2, dtype=np.uint32)
    return {"params": {"w1": draw(WIDTH, WIDTH), "w2": draw(WIDTH, 2)}, "key": key, "x": draw(BATCH, WIDTH), "y": draw(BATCH, 2)}


WRONG = [
    ("all devices draw the same masks", 'index = jax.lax.axis_index("data") * rows + jnp.arange(rows)', "index = jnp.arange(rows)"),
    ("keys are folded from the device's index instead of from the example's", 'index = jax.lax.axis_index("data") * rows + jnp.arange(rows)',
     'index = jax.lax.axis_index("data") + jnp.arange(rows)'),
]
