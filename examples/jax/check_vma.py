"""One function, and `check_vma` on and off: without the check JAX transposes psum to psum, and the gradient is four times too large.

Run it to write checked.mlir, unchecked.mlir and reference.mlir, for `isoshard check` (docs/jax.md).
"""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()[:4]), ("model",))


def step(x, w):  # both split along what is summed
    loss = lambda w: jnp.sum(jnp.tanh(jax.lax.psum(x @ w, "model")))
    return jax.value_and_grad(loss)(w)


def sharded(check_vma):
    return jax.shard_map(step, mesh=mesh, in_specs=(P(None, "model"), P("model")), out_specs=(P(), P("model")), check_vma=check_vma)


def reference(x, w):
    return jax.value_and_grad(lambda w: jnp.sum(jnp.tanh(x @ w)))(w)


def texts():
    args = np.ones((4, 8), np.float32), np.ones((8, 2), np.float32)
    for name, function in [("checked", sharded(True)), ("unchecked", sharded(False)), ("reference", reference)]:
        yield name, jax.jit(function, keep_unused=True).lower(*args).as_text(debug_info=True)


if __name__ == "__main__":
    for name, text in texts():
        with open(f"{name}.mlir", "w", encoding="utf-8") as file:
            file.write(text)
