"""LoRA on tensor-parallel layers: frozen weights, A replicated where the weight splits columns and split where it splits rows.
Only A and B learn; a step of Adam by optax from its first state.
"""
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()[:4]), ("model",))
BATCH, WIDTH, HIDDEN, RANK, ALPHA = 3, 4, 8, 2, 4.0
FROZEN = {"up": P(None, "model"), "down": P("model", None)}
LORA = {"up_a": P(), "up_b": P(None, "model"), "down_a": P("model", None), "down_b": P()}
optimizer = optax.adam(1e-2)


def forward(w, p, x, reduce):
    scale = ALPHA / RANK
    hidden = jax.nn.gelu(x @ w["up"] + scale * (x @ p["up_a"]) @ p["up_b"])
    return reduce(hidden @ w["down"]) + scale * reduce(hidden @ p["down_a"]) @ p["down_b"]


def step(grads, lora):
    updates, _ = optimizer.update(grads, optimizer.init(lora))
    return optax.apply_updates(lora, updates)


@jax.shard_map(mesh=mesh, in_specs=(FROZEN, LORA, P(), P()), out_specs=(P(), LORA, LORA))
def sharded(frozen, lora, x, y):
    def loss_of(p):
        return jnp.mean((forward(frozen, p, x, lambda t: jax.lax.psum(t, "model")) - y) ** 2)

    loss, grads = jax.value_and_grad(loss_of)(lora)
    return loss, grads, step(grads, lora)


def reference(frozen, lora, x, y):
    loss, grads = jax.value_and_grad(lambda p: jnp.mean((forward(frozen, p, x, lambda t: t) - y) ** 2))(lora)
    return loss, grads, step(grads, lora)


def arguments(rng):
    draw = lambda *shape: rng.normal(size=shape).astype(np.float32)
    frozen = {"up": draw(WIDTH, HIDDEN), "down": draw(HIDDEN, WIDTH)}
    lora = {"up_a": draw(WIDTH, RANK), "up_b": draw(RANK, HIDDEN), "down_a": draw(HIDDEN, RANK), "down_b": draw(RANK, WIDTH)}
    return {"frozen": frozen, "lora": lora, "x": draw(BATCH, WIDTH), "y": draw(BATCH, WIDTH)}


WRONG = [
    ("the second layer's low-rank path is summed over the devices twice, once before B and once with the frozen weight's sum",
     'reduce(hidden @ w["down"]) + scale * reduce(hidden @ p["down_a"]) @ p["down_b"]', 'reduce(hidden @ w["down"] + scale * reduce(hidden @ p["down_a"]) @ p["down_b"])'),
    ("check_vma sums the gradient of the replicated A already; summed again it is four times too large",
     "return loss, grads, step(grads, lora)\n\n\ndef reference", "grads[\"up_a\"] = jax.lax.psum(grads[\"up_a\"], \"model\"); return loss, grads, step(grads, lora)\n\n\ndef reference"),
]
