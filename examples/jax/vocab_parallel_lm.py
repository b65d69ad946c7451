"""A language model whose embedding and head are split over the vocabulary, with label smoothing and padded tokens left out of the mean.

The embedding looks up what is its own and sums; the cross entropy takes a maximum, a sum and the target's logit over "model".
"""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(2, 4), ("data", "model"))
BATCH, LENGTH, WIDTH, VOCAB, SMOOTH = 4, 3, 4, 8, 0.1
PART = VOCAB // 4
SPECS = {"embed": P("model"), "mix": P(), "head": P(None, "model")}


def embed(table, ids):
    local = ids - jax.lax.axis_index("model") * PART
    own = (local >= 0) & (local < PART)
    rows = jnp.where(own[..., None], table[jnp.where(own, local, 0)], 0.0)
    return jax.lax.psum(rows, "model")


def cross_entropy(logits, labels):
    top = jax.lax.pmax(jax.lax.stop_gradient(logits.max(-1)), "model")
    log_sum = jnp.log(jax.lax.psum(jnp.exp(logits - top[..., None]).sum(-1), "model")) + top
    local = labels - jax.lax.axis_index("model") * PART
    own = (local >= 0) & (local < PART)
    picked = jnp.take_along_axis(logits, jnp.clip(local, 0, PART - 1)[..., None], axis=-1)[..., 0]
    target = jax.lax.psum(jnp.where(own, picked, 0.0), "model")
    mean = jax.lax.psum(logits.sum(-1), "model") / VOCAB
    return log_sum - (1 - SMOOTH) * target - SMOOTH * mean


@jax.shard_map(mesh=mesh, in_specs=(SPECS, P("data"), P("data"), P("data")), out_specs=(P(), SPECS))
def sharded(params, ids, labels, mask):
    def loss_of(p):
        logits = jnp.tanh(embed(p["embed"], ids) @ p["mix"]) @ p["head"]
        losses = cross_entropy(logits, labels) * mask
        return jax.lax.psum(losses.sum(), "data") / jax.lax.psum(mask.sum(), "data")

    return jax.value_and_grad(loss_of)(params)


def reference(params, ids, labels, mask):
    def loss_of(p):
        logits = jnp.tanh(p["embed"][ids] @ p["mix"]) @ p["head"]
        log_probability = jax.nn.log_softmax(logits)
        target = jnp.take_along_axis(log_probability, labels[..., None], axis=-1)[..., 0]
        losses = -((1 - SMOOTH) * target + SMOOTH * log_probability.mean(-1)) * mask
        return losses.sum() / mask.sum()

    return jax.value_and_grad(loss_of)(params)


def arguments(rng):
    draw = lambda *shape: rng.normal(size=shape).astype(np.float32)
    tokens = lambda: rng.integers(0, VOCAB, (BATCH, LENGTH)).astype(np.int32)
    params = {"embed": draw(VOCAB, WIDTH), "mix": draw(WIDTH, WIDTH), "head": draw(WIDTH, VOCAB)}
    mask = np.array([[1, 1, 1], [1, 1, 0], [1, 0, 0], [1, 1, 0]], np.float32)
    return {"params": params, "ids": tokens(), "labels": tokens(), "mask": mask}


WRONG = [
    ("the mean of the devices' means: a device with fewer tokens counts as much as one with more",
     'jax.lax.psum(losses.sum(), "data") / jax.lax.psum(mask.sum(), "data")', 'jax.lax.pmean(losses.sum() / mask.sum(), "data")'),
    ("the smoothing divides by the device's part of the vocabulary",
     'jax.lax.psum(logits.sum(-1), "model") / VOCAB', 'jax.lax.psum(logits.sum(-1), "model") / logits.shape[-1]'),
]
