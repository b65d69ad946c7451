"""Top-k sampling from logits whose vocabulary is split: top-k of each part, a gather of the candidates, top-k of these, then Gumbel
noise (an argument) chooses. Ids are global.
"""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()[:2]), ("model",))
BATCH, WIDTH, VOCAB, K = 2, 3, 6, 2
PART = VOCAB // 2


@jax.shard_map(mesh=mesh, in_specs=(P(None, "model"), P(), P()), out_specs=(P(), P()), check_vma=False)
def sharded(head, x, noise):
    values, ids = jax.lax.top_k(x @ head, K)
    ids = ids + jax.lax.axis_index("model") * PART
    values = jax.lax.all_gather(values, "model", axis=1, tiled=True)
    ids = jax.lax.all_gather(ids, "model", axis=1, tiled=True)
    best, at = jax.lax.top_k(values, K)
    ids = jnp.take_along_axis(ids, at, axis=1)
    return best, jnp.take_along_axis(ids, jnp.argmax(best + noise, axis=1)[:, None], axis=1)


def reference(head, x, noise):
    best, ids = jax.lax.top_k(x @ head, K)
    return best, jnp.take_along_axis(ids, jnp.argmax(best + noise, axis=1)[:, None], axis=1)


def arguments(rng):
    draw = lambda *shape: rng.normal(size=shape).astype(np.float32)
    return {"head": draw(WIDTH, VOCAB), "x": draw(BATCH, WIDTH), "noise": draw(BATCH, K)}


WRONG = [
    ("ids are those of the device's part", '    ids = ids + jax.lax.axis_index("model") * PART\n', "    ids = ids + 0\n"),
    ("the part begins at the number of candidates, not at that of its tokens", '* PART\n', "* K\n"),
]
