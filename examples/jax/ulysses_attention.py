"""DeepSpeed-Ulysses: an all_to_all makes of tokens split over "seq" heads split over "seq", and back after the attention; with gradients.
"""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(2, 4), ("data", "seq"))
BATCH, LENGTH, HEADS, HEAD, WIDTH = 2, 8, 4, 2, 4


def attend(q, k, v, heads):
    distance = jnp.abs(jnp.arange(LENGTH)[:, None] - jnp.arange(LENGTH))
    slopes = 0.5 ** (heads + 1)  # ALiBi, to both sides
    scores = jnp.einsum("bqhe,bkhe->bhqk", q, k) / HEAD**0.5 - slopes[:, None, None] * distance
    return jnp.einsum("bhqk,bkhe->bqhe", jax.nn.softmax(scores), v)


def to_heads(x):
    return jax.lax.all_to_all(x, "seq", split_axis=2, concat_axis=1, tiled=True)


def to_tokens(x):
    return jax.lax.all_to_all(x, "seq", split_axis=1, concat_axis=2, tiled=True)


@jax.shard_map(mesh=mesh, in_specs=(P(), P(), P("data", "seq"), P("data", "seq")), out_specs=(P(), (P(), P())))
def sharded(qkv, out, x, y):
    def loss_of(qkv, out):
        heads = jax.lax.axis_index("seq") * (HEADS // 4) + jnp.arange(HEADS // 4)
        q, k, v = (to_heads(t) for t in jnp.einsum("btd,cdhe->cbthe", x, qkv))
        result = jnp.einsum("bthe,hed->btd", to_tokens(attend(q, k, v, heads)), out)
        return jax.lax.psum(jnp.sum((result - y) ** 2), ("data", "seq")) / (BATCH * LENGTH)

    return jax.value_and_grad(loss_of, argnums=(0, 1))(qkv, out)


def reference(qkv, out, x, y):
    def loss_of(qkv, out):
        q, k, v = jnp.einsum("btd,cdhe->cbthe", x, qkv)
        return jnp.sum((jnp.einsum("bthe,hed->btd", attend(q, k, v, jnp.arange(HEADS)), out) - y) ** 2) / (BATCH * LENGTH)

    return jax.value_and_grad(loss_of, argnums=(0, 1))(qkv, out)


def arguments(rng):
    draw = lambda *shape: rng.normal(size=shape).astype(np.float32)
    return {"qkv": draw(3, WIDTH, HEADS, HEAD), "out": draw(HEADS, HEAD, WIDTH),
            "x": draw(BATCH, LENGTH, WIDTH), "y": draw(BATCH, LENGTH, WIDTH)}


WRONG = [
    ("each device takes its heads for the first ones: their slopes",
     'jax.lax.axis_index("seq") * (HEADS // 4) + jnp.arange(HEADS // 4)', "jnp.arange(HEADS // 4)"),
    ("the loss is summed over the sequence's devices only", 'psum(jnp.sum((result - y) ** 2), ("data", "seq"))',
     'pmean(jax.lax.psum(jnp.sum((result - y) ** 2), "seq"), "data")'),
]
