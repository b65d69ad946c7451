"""Linear attention with a decay, in chunks: within a chunk by scores, between chunks by a state that is carried. Chunks are split over
devices, whose states go from each to the next (a ppermute for each device), inside of a scan over a device's chunks.
"""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

DEVICES, CHUNKS, CHUNK, HEAD, DECAY = 2, 2, 2, 3, 0.5  # CHUNKS of one device
LENGTH = DEVICES * CHUNKS * CHUNK
mesh = Mesh(np.array(jax.devices()[:DEVICES]), ("seq",))


def chunks(state, q, k, v):
    """(outputs, the state behind the last chunk); q, k, v: [chunks, CHUNK, HEAD]."""
    steps = jnp.arange(CHUNK)
    inside = jnp.where(steps[:, None] >= steps, DECAY ** jnp.abs(steps[:, None] - steps), 0.0)

    def step(state, qkv):
        q, k, v = qkv
        out = (q @ k.T * inside) @ v + DECAY ** (steps[:, None] + 1) * (q @ state)
        state = DECAY**CHUNK * state + (k * DECAY ** (CHUNK - 1 - steps[:, None])).T @ v
        return state, out

    return jax.lax.scan(step, state, (q, k, v))


@jax.shard_map(mesh=mesh, in_specs=(P("seq"), P("seq"), P("seq")), out_specs=P("seq"), check_vma=False)
def sharded(q, k, v):
    split = [t.reshape(CHUNKS, CHUNK, HEAD) for t in (q, k, v)]
    state = jnp.zeros((HEAD, HEAD))
    for device in range(DEVICES - 1):
        after, _ = chunks(state, *split)
        state = jax.lax.ppermute(after, "seq", [(i, i + 1) for i in range(DEVICES - 1)])
    _, out = chunks(state, *split)
    return out.reshape(-1, HEAD)


def reference(q, k, v):
    def step(state, qkv):
        q, k, v = qkv
        state = DECAY * state + jnp.outer(k, v)
        return state, q @ state

    return jax.lax.scan(step, jnp.zeros((HEAD, HEAD)), (q, k, v))[1]


def arguments(rng):
    return {name: rng.normal(size=(LENGTH, HEAD)).astype(np.float32) for name in "qkv"}


WRONG = [
    ("the state of before decays a step too little in each row of a chunk", "DECAY ** (steps[:, None] + 1)", "DECAY ** steps[:, None]"),
    ("the last device's state goes around to the first", "[(i, i + 1) for i in range(DEVICES - 1)]", "[(i, (i + 1) % DEVICES) for i in range(DEVICES)]"),
]
