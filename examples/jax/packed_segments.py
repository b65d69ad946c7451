"""Packed sequences: tokens attend to their own segment only, segment 0 is padding; tokens are split over "seq", keys and values (and
segment ids) are gathered; the loss is a mean over the tokens of all devices that are no padding.
"""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()[:4]), ("seq",))
LENGTH, WIDTH, HEAD = 8, 4, 4


def attend(p, x, all_x, segments, all_segments, positions):
    q, k, v = x @ p["q"], all_x @ p["k"], all_x @ p["v"]
    same = (segments[:, None] == all_segments) & (positions[:, None] >= jnp.arange(LENGTH))
    scores = jnp.where(same, q @ k.T / HEAD**0.5, -1e9)
    return jax.nn.softmax(scores) @ v


@jax.shard_map(mesh=mesh, in_specs=(P(), P("seq"), P("seq"), P("seq")), out_specs=P())
def sharded(params, x, segments, y):
    gather = lambda t: jax.lax.all_gather(t, "seq", tiled=True)
    positions = jax.lax.axis_index("seq") * x.shape[0] + jnp.arange(x.shape[0])
    valid = (segments > 0).astype(jnp.float32)
    count = jax.lax.psum(valid.sum(), "seq")

    def loss_of(p):
        out = attend(p, x, gather(x), segments, gather(segments), positions)
        return jax.lax.psum(jnp.sum((out - y) ** 2 * valid[:, None]), "seq") / count

    return jax.value_and_grad(loss_of)(params)


def reference(params, x, segments, y):
    valid = (segments > 0).astype(jnp.float32)

    def loss_of(p):
        out = attend(p, x, x, segments, segments, jnp.arange(LENGTH))
        return jnp.sum((out - y) ** 2 * valid[:, None]) / valid.sum()

    return jax.value_and_grad(loss_of)(params)


def arguments(rng):
    draw = lambda *shape: rng.normal(size=shape).astype(np.float32)
    params = {name: draw(WIDTH, HEAD) for name in "qkv"}
    return {"params": params, "x": draw(LENGTH, WIDTH), "segments": np.array([1, 1, 1, 2, 2, 2, 2, 0], np.int32), "y": draw(LENGTH, HEAD)}


WRONG = [
    ("padding counts in the mean", 'jax.lax.psum(valid.sum(), "seq")', "LENGTH"),
    ("tokens do not see themselves: the edge of the causal mask", "positions = jax.lax.axis_index(\"seq\") * x.shape[0] + jnp.arange(x.shape[0])",
     "positions = jax.lax.axis_index(\"seq\") * x.shape[0] + jnp.arange(x.shape[0]) - 1"),
]
