"""Tensor and sequence parallel (Megatron): between the layers tokens are split over "model", inside of them heads and hidden units.

Each layer gathers the tokens and scatters its sums. The gradient is taken outside of shard_map.
"""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()[:4]), ("model",))
LENGTH, WIDTH, HEADS, HEAD, HIDDEN = 8, 8, 4, 2, 8
SPECS = {"scale": P(), "bias": P(), "q": P(None, "model"), "k": P(None, "model"), "v": P(None, "model"),
         "out": P("model"), "up": P(None, "model"), "up_bias": P("model"), "down": P("model"), "down_bias": P()}


def layer_norm(x, scale, bias):
    mean = x.mean(-1, keepdims=True)
    return (x - mean) / jnp.sqrt(x.var(-1, keepdims=True) + 1e-5) * scale + bias


def attention(p, x):
    q, k, v = (jnp.einsum("td,dhe->hte", x, p[name]) for name in "qkv")
    scores = q @ k.mT / HEAD**0.5
    causal = jnp.arange(LENGTH)[:, None] >= jnp.arange(LENGTH)
    return jnp.einsum("hte,hed->td", jax.nn.softmax(jnp.where(causal, scores, -1e9)) @ v, p["out"])


def mlp(p, x):
    return jnp.tanh(x @ p["up"] + p["up_bias"]) @ p["down"]


def gather(x):
    return jax.lax.all_gather(x, "model", axis=0, tiled=True)


def scatter(x):
    return jax.lax.psum_scatter(x, "model", scatter_dimension=0, tiled=True)


@jax.shard_map(mesh=mesh, in_specs=(SPECS, P("model")), out_specs=P("model"))
def block(p, x):
    x = x + scatter(attention(p, gather(layer_norm(x, p["scale"], p["bias"]))))
    return x + scatter(mlp(p, gather(layer_norm(x, p["scale"], p["bias"])))) + p["down_bias"]


def plain_block(p, x):
    x = x + attention(p, layer_norm(x, p["scale"], p["bias"]))
    return x + mlp(p, layer_norm(x, p["scale"], p["bias"])) + p["down_bias"]


def sharded(params, x, y):
    return jax.value_and_grad(lambda p: jnp.mean((block(p, x) - y) ** 2))(params)


def reference(params, x, y):
    return jax.value_and_grad(lambda p: jnp.mean((plain_block(p, x) - y) ** 2))(params)


def arguments(rng):
    shapes = {"scale": (WIDTH,), "bias": (WIDTH,), "q": (WIDTH, HEADS, HEAD), "k": (WIDTH, HEADS, HEAD), "v": (WIDTH, HEADS, HEAD),
              "out": (HEADS, HEAD, WIDTH), "up": (WIDTH, HIDDEN), "up_bias": (HIDDEN,), "down": (HIDDEN, WIDTH), "down_bias": (WIDTH,)}
    params = {k: rng.normal(size=s).astype(np.float32) for k, s in shapes.items()}
    x, y = rng.normal(size=(2, LENGTH, WIDTH)).astype(np.float32)
    return {"params": params, "x": x, "y": y}


WRONG = [
    ("the bias of the second layer is added before the sum over the devices, and counts four times",
     'scatter(mlp(p, gather(layer_norm(x, p["scale"], p["bias"])))) + p["down_bias"]',
     'scatter(mlp(p, gather(layer_norm(x, p["scale"], p["bias"]))) + p["down_bias"])'),
    ("the MLP reads the tokens from before the attention: a stale residual",
     'x = x + scatter(attention(p, gather(layer_norm(x, p["scale"], p["bias"]))))\n    return x + scatter',
     'h = x + scatter(attention(p, gather(layer_norm(x, p["scale"], p["bias"]))))\n    return h + scatter'),
]
