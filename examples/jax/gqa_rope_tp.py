"""Grouped-query attention: eight query heads and two key heads on four devices, so that two devices share a key head; rope, a causal
window, and the gradient inside of shard_map. The shared projections are replicated and indexed by the device.
"""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

DEVICES, HEADS, KV, HEAD, LENGTH, WIDTH, WINDOW = 4, 8, 2, 2, 6, 4, 3
mesh = Mesh(np.array(jax.devices()[:DEVICES]), ("model",))
SPECS = {"q": P(None, "model"), "k": P(), "v": P(), "out": P("model")}


def rope(x):
    position = jnp.arange(LENGTH, dtype=jnp.float32)
    sin, cos = jnp.sin(position)[:, None, None], jnp.cos(position)[:, None, None]
    return jnp.concatenate([x[..., :1] * cos - x[..., 1:] * sin, x[..., 1:] * cos + x[..., :1] * sin], axis=-1)


def attend(q, k, v, out):
    """q: [tokens, kv heads, group, head]; k, v: [tokens, kv heads, head]."""
    scores = jnp.einsum("qkge,tke->kgqt", q, k) / HEAD**0.5
    distance = jnp.arange(LENGTH)[:, None] - jnp.arange(LENGTH)
    scores = jnp.where((distance >= 0) & (distance < WINDOW), scores, jnp.finfo(jnp.float32).min)
    mixed = jnp.einsum("kgqt,tke->qkge", jax.nn.softmax(scores, axis=-1), v)
    return mixed.reshape(LENGTH, -1, HEAD), out


def project(x, w):
    return jnp.einsum("td,dhe->the", x, w)


@jax.shard_map(mesh=mesh, in_specs=(SPECS, P(), P()), out_specs=(P(), SPECS))
def sharded(params, x, y):
    own = jax.lax.axis_index("model") // (DEVICES // KV)

    def loss_of(p):
        q = rope(project(x, p["q"]))[:, None]  # one key head, a group of HEADS / DEVICES queries
        pick = lambda w: jax.lax.dynamic_slice_in_dim(w, own, 1, axis=1)
        mixed, out = attend(q, rope(project(x, pick(p["k"]))), project(x, pick(p["v"])), p["out"])
        result = jax.lax.psum(jnp.einsum("the,hed->td", mixed, out), "model")
        return jnp.mean((result - y) ** 2)

    return jax.value_and_grad(loss_of)(params)


def reference(params, x, y):
    def loss_of(p):
        q = rope(project(x, p["q"])).reshape(LENGTH, KV, HEADS // KV, HEAD)
        mixed, out = attend(q, rope(project(x, p["k"])), project(x, p["v"]), p["out"])
        return jnp.mean((jnp.einsum("the,hed->td", mixed, out) - y) ** 2)

    return jax.value_and_grad(loss_of)(params)


def arguments(rng):
    draw = lambda *shape: rng.normal(size=shape).astype(np.float32)
    params = {"q": draw(WIDTH, HEADS, HEAD), "k": draw(WIDTH, KV, HEAD), "v": draw(WIDTH, KV, HEAD), "out": draw(HEADS, HEAD, WIDTH)}
    return {"params": params, "x": draw(LENGTH, WIDTH), "y": draw(LENGTH, WIDTH)}


WRONG = [
    ("devices take the key heads in turns, not in blocks", '// (DEVICES // KV)', '% KV'),
    ("values are taken from the first key head on every device", 'project(x, pick(p["v"]))', 'project(x, p["v"][:, :1])'),
]
