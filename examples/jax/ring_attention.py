"""Causal ring attention: queries stay, keys and values go around, a running maximum and sum hold the softmax. Its gradient goes around too.
"""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

DEVICES, LENGTH, HEADS, HEAD = 4, 8, 2, 4
mesh = Mesh(np.array(jax.devices()[:DEVICES]), ("seq",))
CHUNK = LENGTH // DEVICES


@jax.shard_map(mesh=mesh, in_specs=P("seq"), out_specs=P("seq"))
def ring_attention(q, k, v):
    me = jax.lax.axis_index("seq")
    rows = me * CHUNK + jnp.arange(CHUNK)

    def step(carry, i):
        k, v, top, total, out = carry
        columns = ((me - i) % DEVICES) * CHUNK + jnp.arange(CHUNK)
        scores = jnp.einsum("qhe,khe->hqk", q, k) / HEAD**0.5
        scores = jnp.where(rows[:, None] >= columns, scores, -1e30)
        new_top = jnp.maximum(top, scores.max(-1))
        p = jnp.exp(scores - new_top[..., None])
        scale = jnp.exp(top - new_top)
        total = total * scale + p.sum(-1)
        out = out * scale.T[..., None] + jnp.einsum("hqk,khe->qhe", p, v)
        k, v = (jax.lax.ppermute(t, "seq", [(j, (j + 1) % DEVICES) for j in range(DEVICES)]) for t in (k, v))
        return (k, v, new_top, total, out), None

    varying = functools.partial(jax.lax.pcast, axis_name="seq", to="varying")
    start = (k, v, varying(jnp.full((HEADS, CHUNK), -1e30)), varying(jnp.zeros((HEADS, CHUNK))), jnp.zeros_like(q))
    (_, _, _, total, out), _ = jax.lax.scan(step, start, jnp.arange(DEVICES))
    return out / total.T[..., None]


def attention(q, k, v):
    scores = jnp.einsum("qhe,khe->hqk", q, k) / HEAD**0.5
    scores = jnp.where(jnp.tril(jnp.ones((LENGTH, LENGTH), bool)), scores, -jnp.inf)
    return jnp.einsum("hqk,khe->qhe", jax.nn.softmax(scores, axis=-1), v)


def sharded(q, k, v, weight):
    loss = lambda *args: jnp.sum(weight * ring_attention(*args))
    return jax.value_and_grad(loss, argnums=(0, 1, 2))(q, k, v)


def reference(q, k, v, weight):
    loss = lambda *args: jnp.sum(weight * attention(*args))
    return jax.value_and_grad(loss, argnums=(0, 1, 2))(q, k, v)


def arguments(rng):
    return {name: rng.normal(size=(LENGTH, HEADS, HEAD)).astype(np.float32) for name in ("q", "k", "v", "weight")}


WRONG = [
    ("the ring goes the other way than the columns that the mask believes", "[(j, (j + 1) % DEVICES)", "[(j, (j - 1) % DEVICES)"),
    ("the sum of the softmax is not rescaled when the maximum rises", "total = total * scale + p.sum(-1)", "total = total + p.sum(-1)"),
]
