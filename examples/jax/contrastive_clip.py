"""The contrastive loss of CLIP: features of the whole batch are gathered, each device scores its own rows against all, both ways.
"""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()[:4]), ("data",))
BATCH, INPUT, WIDTH = 8, 4, 4


def normalise(x):
    return x / jnp.sqrt(jnp.sum(x * x, axis=-1, keepdims=True) + 1e-6)


def features(p, images, texts):
    return normalise(images @ p["image"]), normalise(jnp.tanh(texts @ p["text"]))


def cross_entropy(logits, labels):
    picked = jnp.sum(logits * jax.nn.one_hot(labels, BATCH), axis=-1)
    return jnp.mean(jax.nn.logsumexp(logits, axis=-1) - picked)


@jax.shard_map(mesh=mesh, in_specs=(P(), P("data"), P("data")), out_specs=P())
def sharded(params, images, texts):
    def loss_of(p):
        image, text = features(p, images, texts)
        all_image = jax.lax.all_gather(image, "data", tiled=True)
        all_text = jax.lax.all_gather(text, "data", tiled=True)
        labels = jax.lax.axis_index("data") * image.shape[0] + jnp.arange(image.shape[0])
        scale = jnp.exp(p["temperature"])
        loss = cross_entropy(scale * image @ all_text.T, labels) + cross_entropy(scale * text @ all_image.T, labels)
        return jax.lax.pmean(loss / 2, "data")

    return jax.value_and_grad(loss_of)(params)


def reference(params, images, texts):
    def loss_of(p):
        image, text = features(p, images, texts)
        logits = jnp.exp(p["temperature"]) * image @ text.T
        labels = jnp.arange(BATCH)
        return (cross_entropy(logits, labels) + cross_entropy(logits.T, labels)) / 2

    return jax.value_and_grad(loss_of)(params)


def arguments(rng):
    draw = lambda *shape: rng.normal(size=shape).astype(np.float32)
    params = {"image": draw(INPUT, WIDTH), "text": draw(INPUT, WIDTH), "temperature": np.float32(0.7)}
    return {"params": params, "images": draw(BATCH, INPUT), "texts": draw(BATCH, INPUT)}


WRONG = [
    ("the labels are those of the first device's rows on every device", 'jax.lax.axis_index("data") * image.shape[0] + jnp.arange(image.shape[0])',
     "jnp.arange(image.shape[0])"),
    ("no gradient flows through the gathered features", 'jax.lax.all_gather(text, "data", tiled=True)',
     'jax.lax.stop_gradient(jax.lax.all_gather(text, "data", tiled=True))'),
]
