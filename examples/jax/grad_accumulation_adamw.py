"""Data parallel with gradient accumulation: a scan over microbatches sums gradients, one pmean after it, then AdamW by optax.
"""
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()[:4]), ("data",))
MICRO = 2
optimizer = optax.adamw(1e-2, weight_decay=0.1)


def loss_of(p, x, y):
    hidden = jax.nn.sigmoid(x @ p["dense"]["kernel"] + p["dense"]["bias"])
    return optax.huber_loss(hidden @ p["out"]["kernel"], y).mean()


@jax.shard_map(mesh=mesh, in_specs=(P(), P("data"), P("data")), out_specs=P(), check_vma=False)
def sharded(params, x, y):
    micro = lambda t: t.reshape(MICRO, -1, *t.shape[1:])

    def accumulate(total, batch):
        loss, grads = jax.value_and_grad(loss_of)(params, *batch)
        return jax.tree.map(jnp.add, total, (loss, grads)), None

    zero = (jnp.zeros(()), jax.tree.map(jnp.zeros_like, params))
    total, _ = jax.lax.scan(accumulate, zero, (micro(x), micro(y)))
    loss, grads = jax.lax.pmean(jax.tree.map(lambda t: t / MICRO, total), "data")
    updates, state = optimizer.update(grads, optimizer.init(params), params)
    return loss, optax.apply_updates(params, updates), state[0].mu


def reference(params, x, y):
    loss, grads = jax.value_and_grad(loss_of)(params, x, y)
    updates, state = optimizer.update(grads, optimizer.init(params), params)
    return loss, optax.apply_updates(params, updates), state[0].mu


def arguments(rng):
    draw = lambda *shape: rng.normal(size=shape).astype(np.float32)
    params = {"dense": {"kernel": draw(4, 4), "bias": draw(4)}, "out": {"kernel": draw(4, 2)}}
    return {"params": params, "x": draw(16, 4), "y": draw(16, 2)}


WRONG = [
    ("the sum over the microbatches is taken for their mean", "lambda t: t / MICRO, total", "lambda t: t, total"),
    ("the mean over the devices is taken of the loss only", 'loss, grads = jax.lax.pmean(jax.tree.map(lambda t: t / MICRO, total), "data")',
     'loss, grads = jax.tree.map(lambda t: t / MICRO, total); loss = jax.lax.pmean(loss, "data")'),
]
