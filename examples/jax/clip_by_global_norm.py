"""A tensor-parallel MLP, gradients clipped by their global norm: squares of split weights are summed over "model", those of replicated
ones are not. Momentum after it.
"""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(2, 4), ("data", "model"))
SPECS = {"gain": P(), "w1": P(None, "model"), "b1": P("model"), "w2": P("model"), "b2": P()}
SPLIT = ("w1", "b1", "w2")


def mlp(p, x, reduce):
    return reduce(jnp.tanh(x * p["gain"] @ p["w1"] + p["b1"]) @ p["w2"]) + p["b2"]


def clipped(grads, square, limit):
    scale = limit / jnp.maximum(jnp.sqrt(square), limit)
    return jax.tree.map(lambda g: g * scale, grads)


@jax.shard_map(mesh=mesh, in_specs=(SPECS, SPECS, P("data"), P("data"), P()), out_specs=(SPECS, SPECS, P()))
def sharded(params, velocity, x, y, limit):
    def loss_of(p):
        return jax.lax.pmean(jnp.mean((mlp(p, x, lambda t: jax.lax.psum(t, "model")) - y) ** 2), "data")

    grads = jax.grad(loss_of)(params)
    split = sum(jnp.sum(grads[k] ** 2) for k in SPLIT)
    whole = sum(jnp.sum(g**2) for k, g in grads.items() if k not in SPLIT)
    square = jax.lax.psum(split, "model") + whole
    grads = clipped(grads, square, limit)
    velocity = jax.tree.map(lambda v, g: 0.9 * v + g, velocity, grads)
    return jax.tree.map(lambda w, v: w - 0.1 * v, params, velocity), velocity, jnp.sqrt(square)


def reference(params, velocity, x, y, limit):
    grads = jax.grad(lambda p: jnp.mean((mlp(p, x, lambda t: t) - y) ** 2))(params)
    square = sum(jnp.sum(g**2) for g in jax.tree.leaves(grads))
    grads = clipped(grads, square, limit)
    velocity = jax.tree.map(lambda v, g: 0.9 * v + g, velocity, grads)
    return jax.tree.map(lambda w, v: w - 0.1 * v, params, velocity), velocity, jnp.sqrt(square)


def arguments(rng):
    draw = lambda *shape: rng.normal(size=shape).astype(np.float32)
    shapes = {"gain": (4,), "w1": (4, 8), "b1": (8,), "w2": (8, 4), "b2": (4,)}
    params, velocity = ({k: draw(*s) for k, s in shapes.items()} for _ in range(2))
    return {"params": params, "velocity": velocity, "x": draw(4, 4), "y": draw(4, 4), "limit": np.float32(0.5)}


WRONG = [
    ("the squares of split weights are averaged over their devices", 'jax.lax.psum(split, "model") + whole', 'jax.lax.pmean(split, "model") + whole'),
    ("the gradients of replicated weights are counted once for each device", 'jax.lax.psum(split, "model") + whole', 'jax.lax.psum(split + whole, "model")'),
]
