"""Flax: a convolution and a batch norm with statistics of the whole batch (axis_name), running averages, and a step of SGD with momentum.
"""
import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()[:4]), ("data",))
CLASSES = 3
optimizer = optax.sgd(0.1, momentum=0.9)


class Net(nn.Module):
    axis_name: str | None = None

    @nn.compact
    def __call__(self, x):
        x = nn.Conv(4, (3,), name="conv")(x)
        x = nn.BatchNorm(use_running_average=False, momentum=0.9, axis_name=self.axis_name, name="norm")(x)
        return nn.Dense(CLASSES, name="head")(nn.relu(x).mean(axis=1))


def losses(net, params, stats, x, labels):
    logits, changed = net.apply({"params": params, "batch_stats": stats}, x, mutable=["batch_stats"])
    return optax.softmax_cross_entropy_with_integer_labels(logits, labels), changed["batch_stats"]


@jax.shard_map(mesh=mesh, in_specs=(P(), P(), P(), P("data"), P("data")), out_specs=(P(), P(), P(), P()))
def sharded(params, stats, state, x, labels):
    def loss_of(p):
        each, changed = losses(Net(axis_name="data"), p, stats, x, labels)
        return jax.lax.pmean(each.mean(), "data"), changed

    (loss, stats), grads = jax.value_and_grad(loss_of, has_aux=True)(params)
    updates, state = optimizer.update(grads, state)
    return optax.apply_updates(params, updates), stats, state, loss


def reference(params, stats, state, x, labels):
    def loss_of(p):
        each, changed = losses(Net(), p, stats, x, labels)
        return each.mean(), changed

    (loss, stats), grads = jax.value_and_grad(loss_of, has_aux=True)(params)
    updates, state = optimizer.update(grads, state)
    return optax.apply_updates(params, updates), stats, state, loss


def arguments(rng):
    x = rng.normal(size=(8, 4, 2)).astype(np.float32)
    shapes = jax.eval_shape(Net().init, jax.random.key(0), x)
    draw = lambda s: rng.normal(size=s.shape).astype(np.float32)
    params = jax.tree.map(draw, shapes["params"])
    stats = jax.tree.map(lambda s: np.abs(draw(s)), shapes["batch_stats"])
    state = jax.tree.map(draw, jax.eval_shape(optimizer.init, params))
    return {"params": params, "stats": stats, "state": state, "x": x, "labels": rng.integers(0, CLASSES, 8).astype(np.int32)}


WRONG = [
    ("each device normalises by its own statistics; only their running averages are made the same",
     'losses(Net(axis_name="data"), p, stats, x, labels)\n', 'losses(Net(), p, stats, x, labels); changed = jax.lax.pmean(changed, "data")\n'),
    ("the gradient is averaged twice: the loss is a mean already", "updates, state = optimizer.update(grads, state)\n    return optax.apply_updates(params, updates), stats, state, loss\n\n\ndef reference",
     "updates, state = optimizer.update(jax.tree.map(lambda g: g / 4, grads), state)\n    return optax.apply_updates(params, updates), stats, state, loss\n\n\ndef reference"),
]
