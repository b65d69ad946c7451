"""GPipe: four stages on four devices, microbatches through them by scan and ppermute; the gradient runs the pipeline backwards.
"""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

STAGES, MICRO, ROWS, WIDTH = 4, 4, 2, 4
mesh = Mesh(np.array(jax.devices()[:STAGES]), ("pipe",))


def layer(w, b, x):
    return x + jnp.tanh(x @ w + b)


@jax.shard_map(mesh=mesh, in_specs=(P("pipe"), P("pipe"), P()), out_specs=P(), check_vma=False)
def pipeline(w, b, x):
    stage = jax.lax.axis_index("pipe")

    def tick(state, t):
        fed = jax.lax.dynamic_index_in_dim(x, jnp.minimum(t, MICRO - 1), keepdims=False)
        out = layer(w[0], b[0], jnp.where(stage == 0, fed, state))
        return jax.lax.ppermute(out, "pipe", [(i, i + 1) for i in range(STAGES - 1)]), out

    _, outs = jax.lax.scan(tick, jnp.zeros((ROWS, WIDTH)), jnp.arange(MICRO + STAGES - 1))
    last = jnp.where(stage == STAGES - 1, outs[STAGES - 1:], 0.0)
    return jax.lax.psum(last, "pipe")


def plain(w, b, x):
    return jax.lax.scan(lambda h, p: (layer(*p, h), None), x, (w, b))[0]


def sharded(w, b, x, y):
    return jax.value_and_grad(lambda w, b: jnp.mean((pipeline(w, b, x) - y) ** 2), argnums=(0, 1))(w, b)


def reference(w, b, x, y):
    return jax.value_and_grad(lambda w, b: jnp.mean((plain(w, b, x) - y) ** 2), argnums=(0, 1))(w, b)


def arguments(rng):
    draw = lambda *shape: rng.normal(size=shape).astype(np.float32)
    return {"w": draw(STAGES, WIDTH, WIDTH), "b": draw(STAGES, WIDTH), "x": draw(MICRO, ROWS, WIDTH), "y": draw(MICRO, ROWS, WIDTH)}


WRONG = [
    ("the results are read a tick too early, when the last stage still has the bubble",
     "outs[STAGES - 1:], 0.0)", "outs[STAGES - 2:-1], 0.0)"),
    ("the microbatch of the wrong tick is fed: the first one twice, the last one never",
     "jnp.minimum(t, MICRO - 1)", "jnp.clip(t - 1, 0, MICRO - 1)"),
]
