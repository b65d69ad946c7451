"""Three axes: the batch over "data", hidden units over "model", two stages over "pipe", with microbatches by scan; SGD inside of shard_map.
"""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(2, 2, 2), ("data", "model", "pipe"))
STAGES, MICRO, ROWS, WIDTH, HIDDEN = 2, 2, 2, 4, 4  # rows of a microbatch, over all devices
SPECS = {"up": P("pipe", None, "model"), "down": P("pipe", "model")}


def layer(up, down, x, reduce):
    return x + reduce(jax.nn.relu(x @ up) @ down)


@jax.shard_map(mesh=mesh, in_specs=(SPECS, P(None, "data"), P(None, "data")), out_specs=(P(), SPECS), check_vma=False)
def sharded(params, x, y):
    stage = jax.lax.axis_index("pipe")

    def loss_of(p):
        def tick(state, t):
            fed = x[jnp.clip(t, 0, MICRO - 1)]
            out = layer(p["up"][0], p["down"][0], jnp.where(stage == 0, fed, state), lambda v: jax.lax.psum(v, "model"))
            return jax.lax.ppermute(out, "pipe", [(0, 1)]), out

        _, outs = jax.lax.scan(tick, jnp.zeros_like(x[0]), jnp.arange(MICRO + STAGES - 1))
        error = jnp.sum((outs[STAGES - 1:] - y) ** 2) / (MICRO * ROWS * WIDTH)
        return jnp.where(stage == STAGES - 1, error, 0.0)

    loss, grads = jax.value_and_grad(loss_of)(params)
    # each device of "model" differentiates its own copy of the loss, and psum's transpose sums them: one too many
    grads = jax.tree.map(lambda g: jax.lax.psum(g, "data") / 2, grads)
    return jax.lax.psum(loss, ("data", "pipe")), jax.tree.map(lambda w, g: w - 0.1 * g, params, grads)


def reference(params, x, y):
    def loss_of(p):
        out = x
        for i in range(STAGES):
            out = layer(p["up"][i], p["down"][i], out, lambda v: v)
        return jnp.mean((out - y) ** 2)

    loss, grads = jax.value_and_grad(loss_of)(params)
    return loss, jax.tree.map(lambda w, g: w - 0.1 * g, params, grads)


def arguments(rng):
    draw = lambda *shape: rng.normal(size=shape).astype(np.float32)
    params = {"up": draw(STAGES, WIDTH, HIDDEN), "down": draw(STAGES, HIDDEN, WIDTH)}
    return {"params": params, "x": draw(MICRO, ROWS, WIDTH), "y": draw(MICRO, ROWS, WIDTH)}


WRONG = [
    ("the gradient is summed over the wrong axis", 'jax.lax.psum(g, "data") / 2, grads', 'jax.lax.psum(g, "pipe") / 2, grads'),
    ("the stage passes its input on, not its output", 'return jax.lax.ppermute(out, "pipe", [(0, 1)]), out', 'return jax.lax.ppermute(jnp.where(stage == 0, fed, state), "pipe", [(0, 1)]), out'),
]
