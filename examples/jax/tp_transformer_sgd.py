"""A pre-norm transformer block with rope, heads and hidden units over "model", the batch over "data", and a step of SGD.

The gradient is taken inside of shard_map; what is replicated has its gradient summed by JAX (check_vma).
"""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(2, 4), ("data", "model"))
BATCH, LENGTH, WIDTH, HEADS, HEAD, HIDDEN = 4, 4, 8, 4, 2, 8
SPECS = {"norm1": P(), "qkv": P(None, None, "model", None), "out": P("model", None, None),
         "norm2": P(), "up": P(None, "model"), "down": P("model", None)}


def rms_norm(x, gain):
    return x * jax.lax.rsqrt(jnp.mean(x * x, axis=-1, keepdims=True) + 1e-5) * gain


def rope(x):
    half = x.shape[-1] // 2
    angle = jnp.arange(LENGTH)[:, None] * 10000.0 ** (-jnp.arange(half) / half)
    sin, cos = jnp.sin(angle)[:, None], jnp.cos(angle)[:, None]
    a, b = x[..., :half], x[..., half:]
    return jnp.concatenate([a * cos - b * sin, b * cos + a * sin], axis=-1)


def attention(x, qkv, out):
    q, k, v = jnp.einsum("btd,cdhe->cbthe", x, qkv)
    scores = jnp.einsum("bqhe,bkhe->bhqk", rope(q), rope(k)) / HEAD**0.5
    scores = jnp.where(jnp.tril(jnp.ones((LENGTH, LENGTH), bool)), scores, -jnp.inf)
    return jnp.einsum("bhqk,bkhe,hed->bqd", jax.nn.softmax(scores, axis=-1), v, out)


def block(p, x, reduce):
    x = x + reduce(attention(rms_norm(x, p["norm1"]), p["qkv"], p["out"]))
    return x + reduce(jax.nn.silu(rms_norm(x, p["norm2"]) @ p["up"]) @ p["down"])


@jax.shard_map(mesh=mesh, in_specs=(SPECS, P("data"), P("data")), out_specs=(P(), SPECS))
def sharded(params, x, y):
    def loss_of(p):
        error = block(p, x, lambda t: jax.lax.psum(t, "model")) - y
        return jax.lax.pmean(jnp.mean(error**2), "data")

    loss, grads = jax.value_and_grad(loss_of)(params)
    return loss, jax.tree.map(lambda w, g: w - 0.1 * g, params, grads)


def reference(params, x, y):
    loss, grads = jax.value_and_grad(lambda p: jnp.mean((block(p, x, lambda t: t) - y) ** 2))(params)
    return loss, jax.tree.map(lambda w, g: w - 0.1 * g, params, grads)


def arguments(rng):
    shapes = {"norm1": (WIDTH,), "qkv": (3, WIDTH, HEADS, HEAD), "out": (HEADS, HEAD, WIDTH),
              "norm2": (WIDTH,), "up": (WIDTH, HIDDEN), "down": (HIDDEN, WIDTH)}
    params = {k: rng.normal(size=s).astype(np.float32) for k, s in shapes.items()}
    x, y = rng.normal(size=(2, BATCH, LENGTH, WIDTH)).astype(np.float32)
    return {"params": params, "x": x, "y": y}


WRONG = [
    ("the loss is summed over the batch's devices, so all gradients are twice too large",
     'jax.lax.pmean(jnp.mean(error**2), "data")', 'jax.lax.psum(jnp.mean(error**2), "data")'),
    ("the mean over the devices of a model group, whose terms belong to one sum",
     'lambda t: jax.lax.psum(t, "model")', 'lambda t: jax.lax.pmean(t, "model")'),
]
