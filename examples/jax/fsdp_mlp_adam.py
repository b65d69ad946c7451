"""FSDP: each device has a part of each weight and of Adam's moments, gathers the weights in the forward pass, and its gradient is what
the transpose of the gather, a psum_scatter, leaves of the sum over the batch's devices. Optax's state is an argument.
"""
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()[:4]), ("fsdp",))
optimizer = optax.adam(1e-2)
PARAMS = {"w1": P("fsdp"), "b1": P("fsdp"), "w2": P("fsdp")}
STATE = (optax.ScaleByAdamState(count=P(), mu=PARAMS, nu=PARAMS), optax.EmptyState())


def forward(p, x):
    return jax.nn.gelu(x @ p["w1"] + p["b1"]) @ p["w2"]


@jax.shard_map(mesh=mesh, in_specs=(PARAMS, STATE, P("fsdp"), P("fsdp")), out_specs=(PARAMS, STATE, P()), check_vma=False)
def sharded(params, state, x, y):
    def loss_of(shards):
        full = jax.tree.map(lambda w: jax.lax.all_gather(w, "fsdp", axis=0, tiled=True), shards)
        return jnp.mean((forward(full, x) - y) ** 2)

    loss, grads = jax.value_and_grad(loss_of)(params)
    grads = jax.tree.map(lambda g: g / 4, grads)
    updates, state = optimizer.update(grads, state)
    return optax.apply_updates(params, updates), state, jax.lax.pmean(loss, "fsdp")


def reference(params, state, x, y):
    loss, grads = jax.value_and_grad(lambda p: jnp.mean((forward(p, x) - y) ** 2))(params)
    updates, state = optimizer.update(grads, state)
    return optax.apply_updates(params, updates), state, loss


def arguments(rng):
    draw = lambda *shape: rng.normal(size=shape).astype(np.float32)
    params = {"w1": draw(8, 8), "b1": draw(8), "w2": draw(8, 4)}
    moments = {k: draw(*w.shape) for k, w in params.items()}
    state = (optax.ScaleByAdamState(np.int32(3), moments, jax.tree.map(lambda m: m * m, moments)), optax.EmptyState())
    return {"params": params, "state": state, "x": draw(8, 8), "y": draw(8, 4)}


WRONG = [
    ("gradients are those of the sum of the devices' means, four times too large, which Adam's first steps hide",
     "lambda g: g / 4, grads", "lambda g: g / 1, grads"),
    ("the moments are updated by the mean of the gradients' parts, which belong to other rows of the weights on each device",
     "lambda g: g / 4, grads", 'lambda g: jax.lax.pmean(g, "fsdp"), grads'),
]
