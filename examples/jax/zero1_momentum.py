"""ZeRO-1: parameters are replicated, the momentum of each is split. The gradient of all parameters is one vector (ravel_pytree), padded
and scattered by a psum_scatter; each device updates its part of the parameters, which are gathered again.
"""
import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()[:4]), ("data",))
SIZE, PADDED, PART = 27, 28, 7  # of all parameters, and of a device's part


def loss_of(p, x, y):
    hidden = jax.nn.relu(x @ p["w1"] + p["b1"])
    return jnp.mean((hidden @ p["w2"] - y) ** 2)


@jax.shard_map(mesh=mesh, in_specs=(P(), P("data"), P("data"), P("data"), P()), out_specs=(P(), P("data"), P()), check_vma=False)
def sharded(params, momentum, x, y, rate):
    loss, grads = jax.value_and_grad(loss_of)(params, x, y)
    flat_grads, _ = ravel_pytree(grads)
    flat, unravel = ravel_pytree(params)
    own = jax.lax.psum_scatter(jnp.pad(flat_grads, (0, PADDED - SIZE)), "data", tiled=True) / 4
    momentum = 0.9 * momentum + own
    start = jax.lax.axis_index("data") * PART
    part = jax.lax.dynamic_slice(jnp.pad(flat, (0, PADDED - SIZE)), (start,), (PART,)) - rate * momentum
    flat = jax.lax.all_gather(part, "data", tiled=True)[:SIZE]
    return unravel(flat), momentum, jax.lax.pmean(loss, "data")


def reference(params, momentum, x, y, rate):
    loss, grads = jax.value_and_grad(loss_of)(params, x, y)
    flat_grads, _ = ravel_pytree(grads)
    flat, unravel = ravel_pytree(params)
    momentum = 0.9 * momentum + jnp.pad(flat_grads, (0, PADDED - SIZE))
    return unravel(flat - rate * momentum[:SIZE]), momentum, loss


def arguments(rng):
    draw = lambda *shape: rng.normal(size=shape).astype(np.float32)
    params = {"w1": draw(4, 3), "b1": draw(3), "w2": draw(3, 4)}
    return {"params": params, "momentum": draw(PADDED), "x": draw(8, 4), "y": draw(8, 4), "rate": np.float32(0.1)}


WRONG = [
    ("the part begins at the device's index times the unpadded size of a part",
     'jax.lax.axis_index("data") * PART', 'jax.lax.axis_index("data") * (SIZE // 4)'),
    ("the parameters move by the momentum before the step",
     "    momentum = 0.9 * momentum + own\n    start = jax.lax.axis_index(\"data\") * PART\n    part = jax.lax.dynamic_slice(jnp.pad(flat, (0, PADDED - SIZE)), (start,), (PART,)) - rate * momentum\n",
     "    start = jax.lax.axis_index(\"data\") * PART\n    part = jax.lax.dynamic_slice(jnp.pad(flat, (0, PADDED - SIZE)), (start,), (PART,)) - rate * momentum\n    momentum = 0.9 * momentum + own\n"),
]
