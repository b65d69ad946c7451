"""One peer case in JAX on forced CPU devices, timed: what bench/compare runs, a process for each case.

    jax_case.py forward|step gathered|ring DEVICES    the MLP of bench/table/programs/tp_mlp.shard and tp_mlp_step.shard
    jax_case.py gpipe - STAGES                        the pipeline of gpipe.shard
    jax_case.py all_reduce - DEVICES                  16 MiB of each device
    jax_case.py verdict gathered|ring DEVICES         values and gradients, sharded and not, and allclose

Prints one JSON object: least_ms and median_ms of its repetitions, or of `verdict` whether all was close. XLA_FLAGS says how many
devices there are, so that it must be set before the process starts.
"""

import json
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import NamedSharding, PartitionSpec as P

FORWARD = (512, 1024, 4096)  # rows, features, hidden features
STEP = (128, 512, 2048)
STAGE = (16, 512, 2048)
MICRO_BATCHES = 8


def numbers(seed, *shape):
    return jnp.asarray(np.random.default_rng(seed).standard_normal(shape, dtype=np.float32) / shape[0] ** 0.5)


def mesh_of(devices, axis):
    return jax.make_mesh((devices,), (axis,))


def sharded(body, mesh, inputs, outputs):
    return jax.shard_map(body, mesh=mesh, in_specs=inputs, out_specs=outputs, check_vma=False)


def placed(arrays, mesh, specs):
    return [jax.device_put(a, NamedSharding(mesh, s)) for a, s in zip(arrays, specs)]


def next_devices(n):
    return [(i, (i + 1) % n) for i in range(n)]


def gathered_mlp(n):
    def body(x, w1, b1, w2):
        h = jax.nn.silu(lax.all_gather(x, "tp", axis=1, tiled=True) @ w1 + b1)
        return lax.psum_scatter(h @ w2, "tp", scatter_dimension=1, tiled=True)
    return body


def ring_mlp(n):
    """Both collectives as rings of permutes with a block product in each hop."""
    def body(x, w1, b1, w2):
        me, width = lax.axis_index("tp"), x.shape[1]
        z = b1
        for k in range(n):
            z = z + x @ lax.dynamic_slice_in_dim(w1, (me - k) % n * width, width, 0)
            if k < n - 1:
                x = lax.ppermute(x, "tp", next_devices(n))
        h = jax.nn.silu(z)
        total = None
        for k in range(n):
            term = h @ lax.dynamic_slice_in_dim(w2, (me - 1 - k) % n * width, width, 1)
            total = term if total is None else lax.ppermute(total, "tp", next_devices(n)) + term
        return total
    return body


def dense_mlp(x, w1, b1, w2):
    return jax.nn.silu(x @ w1 + b1) @ w2


def mlp_arrays(sizes):
    b, d, f = sizes
    return [numbers(0, b, d), numbers(1, d, f), numbers(2, f), numbers(3, f, d)]


MLP_SPECS = (P(None, "tp"), P(None, "tp"), P("tp"), P("tp", None))


def mlp(collectives, n):
    return {"gathered": gathered_mlp, "ring": ring_mlp}[collectives](n)


def forward(collectives, n):
    mesh = mesh_of(n, "tp")
    return sharded(mlp(collectives, n), mesh, MLP_SPECS, P(None, "tp")), placed(mlp_arrays(FORWARD), mesh, MLP_SPECS)


def loss_and_gradients(apply):
    def loss(parameters, x, t):
        e = apply(x, *parameters) - t
        return jnp.sum(e * e) / t.shape[0]
    return lambda x, t, *parameters: jax.value_and_grad(loss)(parameters, x, t)


def step(collectives, n):
    mesh = mesh_of(n, "tp")
    local = loss_and_gradients(mlp(collectives, n))

    def body(*arrays):
        value, gradients = local(*arrays)
        return lax.psum(value, "tp"), gradients
    x, *parameters = mlp_arrays(STEP)
    specs = (MLP_SPECS[0], MLP_SPECS[0], *MLP_SPECS[1:])
    arrays = placed([x, numbers(4, *x.shape), *parameters], mesh, specs)
    return sharded(body, mesh, specs, (P(), MLP_SPECS[1:])), arrays


def gpipe(_, n):
    rows, d, f = STAGE
    mesh = mesh_of(n, "pp")
    specs = (P("pp"), P("pp"), P())
    arrays = placed([numbers(0, n, d, f), numbers(1, n, f, d), numbers(2, MICRO_BATCHES, rows, d)], mesh, specs)

    def body(w1, w2, x):
        me = lax.axis_index("pp")
        feed = jnp.concatenate([x, jnp.zeros((n - 1, rows, d), x.dtype)])

        def tick(carry, fresh):
            h = jnp.where(me == 0, fresh, carry)
            y = h + jax.nn.silu(h @ w1[0]) @ w2[0]
            return lax.ppermute(y, "pp", next_devices(n)), y
        return lax.scan(tick, jnp.zeros((rows, d), x.dtype), feed)[1][n - 1:][None]
    return sharded(body, mesh, specs, P("pp")), arrays


def all_reduce(_, n):
    mesh = mesh_of(n, "d")
    x = jnp.ones((n * (16 << 20) // 4,), jnp.float32)
    return sharded(lambda v: lax.psum(v, "d"), mesh, (P("d"),), P("d")), placed([x], mesh, (P("d"),))


def times(program, arrays, budget=2.0):
    compiled = jax.jit(program).lower(*arrays).compile()
    jax.block_until_ready(compiled(*arrays))
    runs = []
    while len(runs) < 5 or sum(runs) < budget:
        start = time.perf_counter()
        jax.block_until_ready(compiled(*arrays))
        runs.append(time.perf_counter() - start)
    runs.sort()
    return {"least_ms": 1e3 * runs[0], "median_ms": 1e3 * runs[len(runs) // 2]}


def verdict(collectives, n):
    program, arrays = step(collectives, n)
    x, *parameters = mlp_arrays(STEP)
    whole = jax.jit(loss_and_gradients(dense_mlp))(x, numbers(4, *x.shape), *parameters)
    parts = jax.jit(program)(*arrays)
    return all(np.allclose(a, b, rtol=1e-3, atol=1e-5) for a, b in zip(jax.tree.leaves(whole), jax.tree.leaves(parts)))


def main():
    kind, collectives, n = sys.argv[1], sys.argv[2], int(sys.argv[3])
    if kind == "verdict":
        print(json.dumps({"close": bool(verdict(collectives, n)), "jax": jax.__version__}))
        return
    program, arrays = {"forward": forward, "step": step, "gpipe": gpipe, "all_reduce": all_reduce}[kind](collectives, n)
    print(json.dumps({**times(program, arrays), "jax": jax.__version__}))


if __name__ == "__main__":
    main()
