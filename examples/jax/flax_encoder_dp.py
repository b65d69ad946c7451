"""Flax linen: a small encoder (embedding, positions, attention, layer norm) as a classifier; the batch over "data", the mask of
padded tokens from their ids, a weighted mean of the losses over all devices, and a step of SGD with Nesterov momentum.
"""
import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()[:2]), ("data",))
BATCH, LENGTH, VOCAB, WIDTH, CLASSES = 4, 3, 5, 4, 3
optimizer = optax.sgd(0.1, momentum=0.9, nesterov=True)


class Encoder(nn.Module):
    @nn.compact
    def __call__(self, ids):
        mask = ids > 0
        x = nn.Embed(VOCAB, WIDTH)(ids) + self.param("position", nn.initializers.normal(), (LENGTH, WIDTH))
        x = x + nn.MultiHeadDotProductAttention(num_heads=2, use_bias=False)(x, mask=nn.make_attention_mask(mask, mask))
        return nn.Dense(CLASSES)(nn.LayerNorm()(x[:, 0]))


def weighted_losses(params, ids, labels, weights):
    logits = Encoder().apply({"params": params}, ids)
    return weights * optax.softmax_cross_entropy_with_integer_labels(logits, labels)


def step(params, grads):
    updates, _ = optimizer.update(grads, optimizer.init(params))
    return optax.apply_updates(params, updates)


@jax.shard_map(mesh=mesh, in_specs=(P(), P("data"), P("data"), P("data")), out_specs=P(), check_vma=False)
def sharded(params, ids, labels, weights):
    total = jax.lax.psum(weights.sum(), "data")
    loss, grads = jax.value_and_grad(lambda p: weighted_losses(p, ids, labels, weights).sum() / total)(params)
    loss, grads = jax.lax.psum((loss, grads), "data")
    return loss, grads, step(params, grads)


def reference(params, ids, labels, weights):
    loss, grads = jax.value_and_grad(lambda p: weighted_losses(p, ids, labels, weights).sum() / weights.sum())(params)
    return loss, grads, step(params, grads)


def arguments(rng):
    shapes = jax.eval_shape(Encoder().init, jax.random.key(0), np.ones((BATCH, LENGTH), np.int32))["params"]
    params = jax.tree.map(lambda s: rng.normal(size=s.shape).astype(np.float32), shapes)
    ids = np.array([[1, 2, 0], [3, 4, 1], [2, 0, 0], [4, 4, 3]], np.int32)
    return {"params": params, "ids": ids, "labels": rng.integers(0, CLASSES, BATCH).astype(np.int32),
            "weights": rng.uniform(0.5, 1.5, BATCH).astype(np.float32)}


WRONG = [
    ("the weights are summed on each device alone", 'total = jax.lax.psum(weights.sum(), "data")', "total = weights.sum() * 2"),
    ("sums that are parts of a whole already are averaged", 'jax.lax.psum((loss, grads), "data")', 'jax.lax.pmean((loss, grads), "data")'),
]
