"""Greedy decoding with a cache of keys and values: grouped queries, heads over "model", the batch over "data"; a loop over the new tokens.

The head's vocabulary is split too: the next token is an argmax over devices.
"""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()[:4]).reshape(2, 2), ("data", "model"))
BATCH, CACHE, STEPS, WIDTH, KV, GROUP, HEAD, VOCAB = 2, 6, 3, 4, 2, 2, 2, 6
PROMPT = CACHE - STEPS
SPECS = {"q": P(None, "model"), "k": P(None, "model"), "v": P(None, "model"), "out": P("model"), "head": P(None, "model")}


def attend(p, cache, x, position, reduce):
    k, v = cache
    write = lambda c, w: jax.lax.dynamic_update_slice_in_dim(c, jnp.einsum("bd,dge->bge", x, w)[:, None], position, axis=1)
    k, v = write(k, p["k"]), write(v, p["v"])
    q = jnp.einsum("bd,dgne->bgne", x, p["q"])
    scores = jnp.einsum("bgne,btge->bgnt", q, k) / HEAD**0.5
    scores = jnp.where(jnp.arange(CACHE) <= position, scores, -jnp.inf)
    out = jnp.einsum("bgnt,btge->bgne", jax.nn.softmax(scores), v)
    return (k, v), x + reduce(jnp.einsum("bgne,gned->bd", out, p["out"]))


@jax.shard_map(mesh=mesh, in_specs=(SPECS, P(), P("data", None, "model"), P("data")),
               out_specs=(P("data"), P("data", None, "model"), P("data", "model")), check_vma=False)
def sharded(params, table, cache, x):
    def step(carry, i):
        cache, x = carry
        cache, y = attend(params, cache, x, PROMPT + i, lambda t: jax.lax.psum(t, "model"))
        logits = y @ params["head"]
        whole = jax.lax.all_gather(logits, "model", axis=1, tiled=True)
        return (cache, table[jnp.argmax(whole, axis=-1)]), (logits, x)

    (cache, _), (logits, inputs) = jax.lax.scan(step, (cache, x), jnp.arange(STEPS))
    return inputs.swapaxes(0, 1), cache, logits[0]


def reference(params, table, cache, x):
    def step(carry, i):
        cache, x = carry
        cache, y = attend(params, cache, x, PROMPT + i, lambda t: t)
        logits = y @ params["head"]
        return (cache, table[jnp.argmax(logits, axis=-1)]), (logits, x)

    (cache, _), (logits, inputs) = jax.lax.scan(step, (cache, x), jnp.arange(STEPS))
    return inputs.swapaxes(0, 1), cache, logits[0]


def arguments(rng):
    draw = lambda *shape: rng.normal(size=shape).astype(np.float32)
    params = {"q": draw(WIDTH, KV, GROUP, HEAD), "k": draw(WIDTH, KV, HEAD), "v": draw(WIDTH, KV, HEAD),
              "out": draw(KV, GROUP, HEAD, WIDTH), "head": draw(WIDTH, VOCAB)}
    cache = (draw(BATCH, CACHE, KV, HEAD), draw(BATCH, CACHE, KV, HEAD))
    return {"params": params, "table": draw(VOCAB, WIDTH), "cache": cache, "x": draw(BATCH, WIDTH)}


WRONG = [
    ("the cache is written one place too late", "x, PROMPT + i, lambda t: jax.lax.psum", "x, PROMPT + i + 1, lambda t: jax.lax.psum"),
    ("each device takes the best token of its own part of the vocabulary",
     'jax.lax.all_gather(logits, "model", axis=1, tiled=True)', "logits"),
]
