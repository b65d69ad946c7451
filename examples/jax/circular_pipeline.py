"""A circular pipeline: four layers on two stages, so that each microbatch goes around twice; the layers of a device are picked by round.
The gradient is taken outside of shard_map, with momentum.
"""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

STAGES, ROUNDS, MICRO, ROWS, WIDTH = 2, 2, 2, 2, 3
mesh = Mesh(np.array(jax.devices()[:STAGES]), ("pipe",))


def layer(w, b, x):
    return x + jax.nn.sigmoid(x @ w + b)


@jax.shard_map(mesh=mesh, in_specs=(P(None, "pipe"), P(None, "pipe"), P()), out_specs=P("pipe"), check_vma=False)
def pipeline(w, b, x):
    """w: [rounds, stages, ...]; x: [microbatches, ...]. MICRO = STAGES, so that a microbatch comes around when its place is free."""
    stage = jax.lax.axis_index("pipe")
    state, outs = jnp.zeros_like(x[0]), jnp.zeros_like(x)
    for tick in range(MICRO * ROUNDS + STAGES - 1):
        if tick < MICRO:
            state = jnp.where(stage == 0, x[tick], state)
        turn = jnp.clip((tick - stage) // MICRO, 0, ROUNDS - 1)
        pick = lambda t: jax.lax.dynamic_index_in_dim(t[:, 0], turn, keepdims=False)
        state = layer(pick(w), pick(b), state)
        if tick >= MICRO * (ROUNDS - 1) + STAGES - 1:
            outs = outs.at[tick - MICRO * (ROUNDS - 1) - STAGES + 1].set(state)
        state = jax.lax.ppermute(state, "pipe", [(i, (i + 1) % STAGES) for i in range(STAGES)])
    return outs[None]


def plain(w, b, x):
    for turn in range(ROUNDS):
        for stage in range(STAGES):
            x = layer(w[turn, stage], b[turn, stage], x)
    return x


def train(apply, params, velocity, x, y):
    loss, grads = jax.value_and_grad(lambda p: jnp.mean((apply(p["w"], p["b"], x) - y) ** 2))(params)
    velocity = jax.tree.map(lambda v, g: 0.9 * v + g, velocity, grads)
    return loss, jax.tree.map(lambda p, v: p - 0.1 * v, params, velocity), velocity


def sharded(params, velocity, x, y):
    return train(lambda *p: pipeline(*p)[-1], params, velocity, x, y)


def reference(params, velocity, x, y):
    return train(plain, params, velocity, x, y)


def arguments(rng):
    draw = lambda *shape: rng.normal(size=shape).astype(np.float32)
    params, velocity = ({"w": draw(ROUNDS, STAGES, WIDTH, WIDTH), "b": draw(ROUNDS, STAGES, WIDTH)} for _ in range(2))
    return {"params": params, "velocity": velocity, "x": draw(MICRO, ROWS, WIDTH), "y": draw(MICRO, ROWS, WIDTH)}


WRONG = [
    ("the round is that of the first stage on all stages: the others change layers a tick too early", "(tick - stage) // MICRO", "(tick + 0 * stage) // MICRO"),
    ("the outputs are those of the first device", "train(lambda *p: pipeline(*p)[-1],", "train(lambda *p: pipeline(*p)[0],"),
]
