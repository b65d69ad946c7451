"""Flax nnx: a module split into its graph and its state, whose kernels are split over "model" and whose batch is over "data".
The gradient by the state, inside of shard_map, and an Adam step by optax.
"""
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(2, 4), ("data", "model"))
WIDTH, HIDDEN = 4, 8
optimizer = optax.adam(1e-2)


class Block(nnx.Module):
    def __init__(self, rngs):
        self.norm = nnx.RMSNorm(WIDTH, rngs=rngs)
        self.up = nnx.Linear(WIDTH, HIDDEN, rngs=rngs)
        self.down = nnx.Linear(HIDDEN, WIDTH, use_bias=False, rngs=rngs)

    def __call__(self, x, reduce):
        return x + reduce(self.down(nnx.silu(self.up(self.norm(x)))))


graph, shapes = nnx.split(nnx.eval_shape(lambda: Block(nnx.Rngs(0))))
SPLIT = {("up", "kernel"): P(None, "model"), ("up", "bias"): P("model"), ("down", "kernel"): P("model", None)}
SPECS = jax.tree_util.tree_map_with_path(lambda path, _: SPLIT.get(tuple(k.key for k in path[:2]), P()), shapes)


def update(state, grads):
    changes, _ = optimizer.update(grads, optimizer.init(state))
    return optax.apply_updates(state, changes)


@jax.shard_map(mesh=mesh, in_specs=(SPECS, P("data"), P("data")), out_specs=(P(), SPECS, SPECS))
def sharded(state, x, y):
    def loss_of(state):
        out = nnx.merge(graph, state)(x, lambda t: jax.lax.psum(t, "model"))
        return jax.lax.pmean(jnp.mean((out - y) ** 2), "data")

    loss, grads = jax.value_and_grad(loss_of)(state)
    return loss, grads, update(state, grads)


def reference(state, x, y):
    loss, grads = jax.value_and_grad(lambda state: jnp.mean((nnx.merge(graph, state)(x, lambda t: t) - y) ** 2))(state)
    return loss, grads, update(state, grads)


def arguments(rng):
    draw = lambda s: rng.normal(size=s.shape).astype(np.float32)
    x, y = rng.normal(size=(2, 4, WIDTH)).astype(np.float32)
    return {"state": jax.tree.map(draw, shapes), "x": x, "y": y}


WRONG = [
    ("the gradient is divided by the number of data-parallel devices, which pmean did already", "return loss, grads, update(state, grads)\n\n\ndef reference",
     'grads = jax.tree.map(lambda g: g / jax.lax.axis_size("data"), grads); return loss, grads, update(state, grads)\n\n\ndef reference'),
    ("the sum over \"model\" is taken of the MLP's and of the residual's sum", 'out = nnx.merge(graph, state)(x, lambda t: jax.lax.psum(t, "model"))',
     'out = jax.lax.psum(nnx.merge(graph, state)(x, lambda t: t), "model")'),
]
