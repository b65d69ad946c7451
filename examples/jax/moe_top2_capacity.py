"""A mixture of experts with top-2 routing and a capacity: tokens over "data", an expert on each device, all_to_all there and back.

Each device's tokens have places of their own in each expert (capacity per device), so that the reference routes group by group.
"""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

EXPERTS, TOKENS, WIDTH, HIDDEN, CAPACITY = 4, 4, 4, 4, 3  # tokens of one device
mesh = Mesh(np.array(jax.devices()[:EXPERTS]), ("expert",))


def route(logits):
    """(which place of which expert each token takes, and with what weight): [tokens, experts, capacity] twice."""
    gates, chosen = jax.lax.top_k(jax.nn.softmax(logits), 2)
    gates = gates / gates.sum(-1, keepdims=True)
    choice = jax.nn.one_hot(chosen.T.reshape(-1), EXPERTS, dtype=jnp.int32)  # first choices before second ones
    place = jnp.sum((jnp.cumsum(choice, axis=0) - 1) * choice, axis=-1)
    slot = jax.nn.one_hot(place, CAPACITY)  # nothing where place >= CAPACITY
    taken = (choice[:, :, None] * slot[:, None, :]).reshape(2, TOKENS, EXPERTS, CAPACITY)
    return taken.sum(0), jnp.einsum("ktec,tk->tec", taken, gates)


def expert(w1, w2, x):
    return jax.nn.relu(x @ w1) @ w2


@jax.shard_map(mesh=mesh, in_specs=(P(), P("expert"), P("expert"), P("expert")), out_specs=P("expert"))
def moe(router, w1, w2, x):
    dispatch, combine = route(x @ router)
    sent = jnp.einsum("tec,td->ecd", dispatch, x)
    here = jax.lax.all_to_all(sent, "expert", split_axis=0, concat_axis=1, tiled=True)  # [1, devices * capacity, width]
    back = jax.lax.all_to_all(expert(w1[0], w2[0], here), "expert", split_axis=1, concat_axis=0, tiled=True)
    return jnp.einsum("tec,ecd->td", combine, back)


def plain_moe(router, w1, w2, x):
    def group(x):
        dispatch, combine = route(x @ router)
        return jnp.einsum("tec,ecd->td", combine, jax.vmap(expert)(w1, w2, jnp.einsum("tec,td->ecd", dispatch, x)))

    return jax.vmap(group)(x.reshape(EXPERTS, TOKENS, WIDTH)).reshape(-1, WIDTH)


def sharded(router, w1, w2, x):
    loss = lambda *p: jnp.sum(moe(*p, x) ** 2)
    return moe(router, w1, w2, x), jax.grad(loss, argnums=(0, 1, 2))(router, w1, w2)


def reference(router, w1, w2, x):
    loss = lambda *p: jnp.sum(plain_moe(*p, x) ** 2)
    return plain_moe(router, w1, w2, x), jax.grad(loss, argnums=(0, 1, 2))(router, w1, w2)


def arguments(rng):
    draw = lambda *shape: rng.normal(size=shape).astype(np.float32)
    return {"router": draw(WIDTH, EXPERTS), "w1": draw(EXPERTS, WIDTH, HIDDEN), "w2": draw(EXPERTS, HIDDEN, WIDTH),
            "x": draw(EXPERTS * TOKENS, WIDTH)}


WRONG = [
    ("places are counted from 1: the first of each expert stays empty, and a token too many is dropped",
     "(jnp.cumsum(choice, axis=0) - 1) * choice", "jnp.cumsum(choice, axis=0) * choice"),
    ("the weights of the combination are not the gates: each of the two experts counts fully",
     'jnp.einsum("tec,ecd->td", combine, back)', 'jnp.einsum("tec,ecd->td", dispatch, back)'),
]
