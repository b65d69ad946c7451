"""A scan over layers with jax.checkpoint around each: tensor-parallel MLPs between residuals, gradients inside of shard_map.
"""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(2, 4), ("data", "model"))
LAYERS, BATCH, WIDTH, HIDDEN = 3, 4, 4, 8
SPECS = {"gain": P(), "up": P(None, None, "model"), "down": P(None, "model", None)}


def layer(reduce, x, p):
    normal = x / jnp.sqrt(jnp.mean(x**2, axis=-1, keepdims=True) + 1e-6) * p["gain"]
    return x + reduce(jax.nn.silu(normal @ p["up"]) @ p["down"]), None


@jax.shard_map(mesh=mesh, in_specs=(SPECS, P("data"), P("data")), out_specs=(P(), SPECS))
def sharded(params, x, y):
    def loss_of(p):
        body = jax.checkpoint(functools.partial(layer, lambda t: jax.lax.psum(t, "model")))
        out, _ = jax.lax.scan(body, x, p)
        return jax.lax.psum(jnp.sum((out - y) ** 2), "data") / (BATCH * WIDTH)

    return jax.value_and_grad(loss_of)(params)


def reference(params, x, y):
    def loss_of(p):
        out, _ = jax.lax.scan(functools.partial(layer, lambda t: t), x, p)
        return jnp.mean((out - y) ** 2)

    return jax.value_and_grad(loss_of)(params)


def arguments(rng):
    draw = lambda *shape: rng.normal(size=shape).astype(np.float32)
    params = {"gain": draw(LAYERS, WIDTH), "up": draw(LAYERS, WIDTH, HIDDEN), "down": draw(LAYERS, HIDDEN, WIDTH)}
    return {"params": params, "x": draw(BATCH, WIDTH), "y": draw(BATCH, WIDTH)}


WRONG = [
    ("the residual is summed with the layer's output", "return x + reduce(jax.nn.silu(normal @ p[\"up\"]) @ p[\"down\"]), None",
     "return reduce(x + jax.nn.silu(normal @ p[\"up\"]) @ p[\"down\"]), None"),
    ("the sum over all devices is divided by the rows of one", "/ (BATCH * WIDTH)", "/ (x.shape[0] * WIDTH)"),
]
