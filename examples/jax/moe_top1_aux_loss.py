"""Switch transformer: top-1 routing, experts split over "expert" and tokens replicated; each device computes its own experts' tokens, and a
sum puts them together. The loss for balance takes shares of tokens and of probability over "data".
"""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()[:4]).reshape(2, 2), ("data", "expert"))
EXPERTS, OWN, TOKENS, WIDTH, HIDDEN = 4, 2, 6, 3, 4
SPECS = {"router": P(), "w1": P("expert"), "w2": P("expert")}


def routed(p, x):
    probability = jax.nn.softmax(x @ p["router"])
    chosen = jnp.argmax(probability, axis=-1)
    return probability, jax.nn.one_hot(chosen, EXPERTS)


def experts(w1, w2, weight, x):
    hidden = jax.nn.relu(jnp.einsum("td,edh->eth", x, w1))
    return jnp.einsum("eth,ehd,te->td", hidden, w2, weight)


@jax.shard_map(mesh=mesh, in_specs=(SPECS, P("data"), P("data")), out_specs=(P(), SPECS))
def sharded(params, x, y):
    first = jax.lax.axis_index("expert") * OWN

    def loss_of(p):
        probability, choice = routed(p, x)
        own = jax.lax.dynamic_slice_in_dim(choice * probability, first, OWN, axis=1)
        out = jax.lax.psum(experts(p["w1"], p["w2"], own, x), "expert")
        shares = jax.lax.pmean(choice.mean(0), "data") * jax.lax.pmean(probability.mean(0), "data")
        return jax.lax.pmean(jnp.mean((out - y) ** 2), "data") + 0.01 * EXPERTS * shares.sum()

    return jax.value_and_grad(loss_of)(params)


def reference(params, x, y):
    def loss_of(p):
        probability, choice = routed(p, x)
        out = experts(p["w1"], p["w2"], choice * probability, x)
        return jnp.mean((out - y) ** 2) + 0.01 * EXPERTS * (choice.mean(0) * probability.mean(0)).sum()

    return jax.value_and_grad(loss_of)(params)


def arguments(rng):
    draw = lambda *shape: rng.normal(size=shape).astype(np.float32)
    params = {"router": draw(WIDTH, EXPERTS), "w1": draw(EXPERTS, WIDTH, HIDDEN), "w2": draw(EXPERTS, HIDDEN, WIDTH)}
    return {"params": params, "x": draw(TOKENS, WIDTH), "y": draw(TOKENS, WIDTH)}


WRONG = [
    ("the balance is that of each device's tokens, averaged afterwards: a product of means is not the mean of products",
     'jax.lax.pmean(choice.mean(0), "data") * jax.lax.pmean(probability.mean(0), "data")', 'jax.lax.pmean(choice.mean(0) * probability.mean(0), "data")'),
    ("the own experts begin at the device's index, not at its first expert", 'jax.lax.axis_index("expert") * OWN', 'jax.lax.axis_index("expert")'),
]
