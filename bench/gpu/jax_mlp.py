"""The dense MLP of examples/tp_mlp.shard in JAX on one GPU: milliseconds of a step, the median of batches of ten.

    jax_mlp.py BATCH FEATURES HIDDEN      a row for f32, tf32 and bf16, forward, and forward with all gradients
"""

import statistics
import sys
import time

import jax
import jax.numpy as jnp


def mlp(x, w1, b1, w2, b2):
    z = x @ w1 + b1
    return (z * jax.nn.sigmoid(z)) @ w2 + b2 + x


def loss(*arrays):
    return jnp.sum(mlp(*arrays).astype(jnp.float32) ** 2)


def milliseconds(step, arrays, count=10, batches=7):
    jax.block_until_ready(step(*arrays))

    def batch():
        begin = time.perf_counter()
        results = [step(*arrays) for _ in range(count)]
        jax.block_until_ready(results)
        return (time.perf_counter() - begin) / count * 1e3

    return statistics.median(batch() for _ in range(batches))


def main():
    batch, features, hidden = map(int, sys.argv[1:])
    print(f"jax {jax.__version__} on {jax.devices()[0].device_kind}: {batch} x {features} x {hidden}")
    shapes = ((batch, features), (features, hidden), (hidden,), (hidden, features), (features,))
    keys = jax.random.split(jax.random.key(0), len(shapes))
    for name, dtype, precision in (("f32", jnp.float32, "float32"), ("tf32", jnp.float32, "tensorfloat32"), ("bf16", jnp.bfloat16, "default")):
        arrays = [jax.random.normal(key, shape, dtype) * 0.03 for key, shape in zip(keys, shapes)]
        with jax.default_matmul_precision(precision):
            forward = milliseconds(jax.jit(mlp), arrays)
            gradients = milliseconds(jax.jit(jax.grad(loss, argnums=range(5))), arrays)
        print(f"  {name}: forward {forward:.3f} ms, gradients {gradients:.3f} ms", flush=True)


if __name__ == "__main__":
    main()
