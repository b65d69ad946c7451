"""FSDP over a scan of layers: each step gathers one layer's weights and drops them (jax.checkpoint); the transpose scatters its gradient.
AdaGrad on the device's own part; loss and state with check_vma.
"""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

DEVICES, LAYERS, BATCH, WIDTH = 4, 2, 8, 4
mesh = Mesh(np.array(jax.devices()[:DEVICES]), ("fsdp",))
SPECS = {"w": P(None, "fsdp"), "b": P(None, "fsdp")}


def layer(x, p):
    return x + jnp.tanh(x @ p["w"] + p["b"]), None


def gathered_layer(x, p):
    return layer(x, jax.tree.map(lambda t: jax.lax.all_gather(t, "fsdp", tiled=True), p))


def adagrad(p, total, g):
    total = total + g**2
    return p - 0.1 * g / jnp.sqrt(total + 1e-6), total


@jax.shard_map(mesh=mesh, in_specs=(SPECS, SPECS, P("fsdp"), P("fsdp")), out_specs=(P(), SPECS, SPECS))
def sharded(params, totals, x, y):
    def loss_of(p):
        out, _ = jax.lax.scan(jax.checkpoint(gathered_layer), x, p)
        return jax.lax.pmean(jnp.mean((out - y) ** 2), "fsdp")

    loss, grads = jax.value_and_grad(loss_of)(params)
    new = {k: adagrad(params[k], totals[k], grads[k]) for k in params}
    return loss, {k: v[0] for k, v in new.items()}, {k: v[1] for k, v in new.items()}


def reference(params, totals, x, y):
    def loss_of(p):
        out, _ = jax.lax.scan(layer, x, p)
        return jnp.mean((out - y) ** 2)

    loss, grads = jax.value_and_grad(loss_of)(params)
    new = {k: adagrad(params[k], totals[k], grads[k]) for k in params}
    return loss, {k: v[0] for k, v in new.items()}, {k: v[1] for k, v in new.items()}


def arguments(rng):
    draw = lambda *shape: rng.normal(size=shape).astype(np.float32)
    params = {"w": draw(LAYERS, WIDTH, WIDTH), "b": draw(LAYERS, WIDTH)}
    return {"params": params, "totals": {k: draw(*v.shape) ** 2 for k, v in params.items()}, "x": draw(BATCH, WIDTH), "y": draw(BATCH, WIDTH)}


WRONG = [
    ("the gradient is scattered as a sum and scattered again as a mean: divided by the devices once too often",
     "loss, grads = jax.value_and_grad(loss_of)(params)\n    new = {k: adagrad(params[k], totals[k], grads[k]) for k in params}\n    return loss, {k: v[0] for k, v in new.items()}, {k: v[1] for k, v in new.items()}\n\n\ndef reference",
     "loss, grads = jax.value_and_grad(loss_of)(params)\n    new = {k: adagrad(params[k], totals[k], grads[k] / DEVICES) for k in params}\n    return loss, {k: v[0] for k, v in new.items()}, {k: v[1] for k, v in new.items()}\n\n\ndef reference"),
    ("the scan's body closes over all layers' weights and takes the first layer's in each step",
     "jax.lax.scan(jax.checkpoint(gathered_layer), x, p)", "jax.lax.scan(jax.checkpoint(lambda x, _: gathered_layer(x, jax.tree.map(lambda t: t[0], p))), x, p)"),
]
