"""A diagonal state-space layer over a sequence that is split: an associative scan on each device, the devices' last states are gathered,
and each adds what comes in from those before. With the gradient.
"""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

DEVICES, LENGTH, STATE = 4, 16, 3
mesh = Mesh(np.array(jax.devices()[:DEVICES]), ("seq",))


def combine(left, right):
    return left[0] * right[0], left[1] * right[0] + right[1]


def gates(p, x):
    return jax.nn.sigmoid(x @ p["decay"]), x @ p["input"]


@jax.shard_map(mesh=mesh, in_specs=(P(), P("seq")), out_specs=P("seq"))
def scan_layer(p, x):
    decay, inner = jax.lax.associative_scan(combine, gates(p, x))
    decays = jax.lax.all_gather(decay[-1], "seq")
    states = jax.lax.all_gather(inner[-1], "seq")
    me = jax.lax.axis_index("seq")
    incoming = jnp.zeros_like(inner[0])
    for device in range(DEVICES - 1):
        incoming = jnp.where(device < me, incoming * decays[device] + states[device], incoming)
    return (inner + decay * incoming) @ p["output"]


def plain_layer(p, x):
    def step(state, gate):
        state = state * gate[0] + gate[1]
        return state, state

    _, states = jax.lax.scan(step, jnp.zeros(STATE), gates(p, x))
    return states @ p["output"]


def sharded(params, x, y):
    return jax.value_and_grad(lambda p: jnp.mean((scan_layer(p, x) - y) ** 2))(params)


def reference(params, x, y):
    return jax.value_and_grad(lambda p: jnp.mean((plain_layer(p, x) - y) ** 2))(params)


def arguments(rng):
    draw = lambda *shape: rng.normal(size=shape).astype(np.float32)
    params = {"decay": draw(2, STATE), "input": draw(2, STATE), "output": draw(STATE, 2)}
    return {"params": params, "x": draw(LENGTH, 2), "y": draw(LENGTH, 2)}


WRONG = [
    ("a device counts its own last state as coming in", "jnp.where(device < me,", "jnp.where(device <= me,"),
    ("what comes in does not decay on the devices between", "incoming * decays[device] + states[device]", "incoming + states[device]"),
]
