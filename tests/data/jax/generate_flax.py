"""Writes flax.json: layers of Flax itself, and attention and transformer blocks made of them as
docs/spec/originals.md describes them ("Model parallelism", "Asynchronous dense layers", "Transformer"). Nothing of
xlstm_jax is used: the wrapper and the rings below are ours, and `devices` are a vmap.

    pip install jax==0.4.35 jaxlib==0.4.35 flax==0.10.0 numpy==2.1.3 && python generate_flax.py > flax.json
"""

import functools
import json
from typing import Callable

import jax
import jax.numpy as jnp
import numpy as np
from flax import linen as nn

jax.config.update("jax_default_matmul_precision", "highest")
AXIS = "tp"


class Wrapper(nn.Module):
    """ModelParallelismWrapper: the device's index is folded into the base key before paths are hashed."""

    module_fn: Callable

    @nn.compact
    def __call__(self, x):
        if self.is_initializing():
            base = self.scope.rngs["params"]
            self.scope.rngs["params"] = base.replace(rng=jax.random.fold_in(base.rng, jax.lax.axis_index(AXIS)))
        return self.module_fn(name="sharded")(x)


def send_on(x, devices):
    return jax.tree.map(lambda v: jax.lax.ppermute(v, AXIS, [(d, (d + 1) % devices) for d in range(devices)]), x)


class AsyncDense(nn.Module):
    dense_fn: Callable
    mode: str
    devices: int

    @nn.compact
    def __call__(self, x):
        n = self.devices
        if n == 1:
            return self.dense_fn(kernel_init=nn.initializers.lecun_normal(), use_bias=True, name="shard_0")(x)
        lecun = nn.initializers.lecun_normal()

        def init(*args):
            return n**-0.5 * lecun(*args)

        def shard(k):
            return Wrapper(functools.partial(self.dense_fn, kernel_init=init, use_bias=k == 0), name=f"shard_{k}")

        if self.mode == "gather":
            y = shard(0)(x)
            for k in range(1, n):
                x = send_on(x, n)
                y = jax.tree.map(jnp.add, y, shard(k)(x))
            return y
        ys = [shard(k)(x) for k in range(n)]
        y = ys[0]
        for k in range(1, n):
            y = send_on(y, n) + ys[k]
        return y


class QKV(nn.Module):
    heads: int
    head_dim: int
    normalize: bool
    kernel_init: Callable
    use_bias: bool

    @nn.compact
    def __call__(self, x):
        dense = functools.partial(
            nn.DenseGeneral, (self.heads, self.head_dim), kernel_init=self.kernel_init, use_bias=False)
        q, k, v = dense(name="query")(x), dense(name="key")(x), dense(name="value")(x)
        if self.normalize:
            q, k = nn.RMSNorm(name="query_norm")(q), nn.RMSNorm(name="key_norm")(k)
        return q, k, v


class Out(nn.Module):
    features: int
    kernel_init: Callable
    use_bias: bool

    @nn.compact
    def __call__(self, x):
        return nn.DenseGeneral(
            self.features, axis=(-2, -1), kernel_init=self.kernel_init, use_bias=self.use_bias, name="out")(x)


class Mlp(nn.Module):
    features: int
    active: bool
    kernel_init: Callable
    use_bias: bool

    @nn.compact
    def __call__(self, x):
        x = nn.silu(x) if self.active else x
        return nn.Dense(self.features, kernel_init=self.kernel_init, use_bias=self.use_bias, name="dense")(x)


class Block(nn.Module):
    """x + attn(x), then that plus mlp(that)."""

    devices: int
    heads: int
    head_dim: int
    causal: bool
    normalize: bool
    hidden: int

    @nn.compact
    def __call__(self, x):
        x = x + Attention(self.devices, self.heads, self.head_dim, self.causal, self.normalize, name="attn")(x)
        return x + MlpBlock(self.devices, self.hidden, name="mlp")(x)


class ParallelIn(nn.Module):
    heads: int
    head_dim: int
    normalize: bool
    hidden: int
    kernel_init: Callable
    use_bias: bool

    @nn.compact
    def __call__(self, x):
        init = {"kernel_init": self.kernel_init, "use_bias": self.use_bias}
        h = Mlp(self.hidden, False, **init, name="mlp")(x)
        return h, QKV(self.heads, self.head_dim, self.normalize, **init, name="qkv")(x)


class ParallelOut(nn.Module):
    features: int
    kernel_init: Callable
    use_bias: bool

    @nn.compact
    def __call__(self, x):
        init = {"kernel_init": self.kernel_init, "use_bias": self.use_bias}
        h, heads = x
        return Mlp(self.features, True, **init, name="mlp")(h) + Out(self.features, **init, name="attn")(heads)


class ParallelBlock(nn.Module):
    """x + attention and MLP of one norm of x."""

    devices: int
    heads: int
    head_dim: int
    causal: bool
    normalize: bool
    hidden: int

    @nn.compact
    def __call__(self, x):
        n = self.devices
        inner = functools.partial(ParallelIn, self.heads // n, self.head_dim, self.normalize, self.hidden // n)
        h, qkv = AsyncDense(inner, "gather", n, name="hqkv")(
            Wrapper(functools.partial(nn.RMSNorm, axis_name=AXIS), name="pre_norm")(x))
        y = attend(*qkv, self.causal)
        return x + AsyncDense(functools.partial(ParallelOut, x.shape[-1]), "scatter", n, name="out")((h, y))


def attend(q, k, v, causal):
    scores = jnp.einsum("bqhd,bkhd->bhqk", q * q.shape[-1] ** -0.5, k)
    if causal:
        scores = jnp.where(jnp.tril(jnp.ones(scores.shape[-2:], bool)), scores, jnp.finfo(jnp.float32).min)
    return jnp.einsum("bhqk,bkhd->bqhd", nn.softmax(scores), v)


class Attention(nn.Module):
    devices: int
    heads: int
    head_dim: int
    causal: bool
    normalize: bool

    @nn.compact
    def __call__(self, x):
        n = self.devices
        h = Wrapper(functools.partial(nn.RMSNorm, axis_name=AXIS), name="pre_norm")(x)
        qkv = functools.partial(QKV, self.heads // n, self.head_dim, self.normalize)
        q, k, v = AsyncDense(qkv, "gather", n, name="qkv")(h)
        return AsyncDense(functools.partial(Out, x.shape[-1]), "scatter", n, name="out")(attend(q, k, v, self.causal))


class MlpBlock(nn.Module):
    devices: int
    hidden: int

    @nn.compact
    def __call__(self, x):
        n = self.devices
        h = Wrapper(functools.partial(nn.RMSNorm, axis_name=AXIS), name="pre_norm")(x)
        h = AsyncDense(functools.partial(Mlp, self.hidden // n, False), "gather", n, name="input")(h)
        return AsyncDense(functools.partial(Mlp, x.shape[-1], True), "scatter", n, name="output")(h)


class Layers(nn.Module):
    layers: int
    block: Callable

    @nn.compact
    def __call__(self, x):
        scan = nn.scan(lambda block, carry, _: (block(carry), None), variable_axes={"params": 0},
                       split_rngs={"params": True}, length=self.layers, metadata_params={"partition_name": None})
        return scan(self.block(name="block"), x, ())[0]


class InputEmbedding(nn.Module):
    devices: int
    vocabulary: int
    features: int
    sinusoidal: bool

    @nn.compact
    def __call__(self, ids):
        x = nn.Embed(self.vocabulary, self.features, embedding_init=nn.initializers.normal(1.0), name="token_emb")(ids)
        return x + Positions(self.devices, self.sinusoidal, name="pos_enc")(x)


class Positions(nn.Module):
    devices: int
    sinusoidal: bool

    @nn.compact
    def __call__(self, x):
        positions, features = x.shape[-2:]
        if not self.sinusoidal:
            return self.param("pos_emb", nn.initializers.normal(0.02), (positions, features))
        first = jax.lax.axis_index(AXIS) * features
        rates = jnp.exp((first + 2 * jnp.arange(features // 2)) * (-np.log(10000.0) / (self.devices * features)))
        angles = jnp.arange(positions, dtype=jnp.float32)[:, None] * rates
        return jnp.stack([jnp.sin(angles), jnp.cos(angles)], axis=-1).reshape(positions, features)


class WrappedEmbedding(nn.Module):
    module_fn: Callable

    @nn.compact
    def __call__(self, ids):
        return Wrapper(self.module_fn, name="module")(ids)


class Output(nn.Module):
    devices: int
    outputs: int
    cap: float

    @nn.compact
    def __call__(self, x):
        x = jax.lax.all_gather(x, AXIS, axis=-1, tiled=True)
        block = x.shape[1] // self.devices
        x = jax.lax.dynamic_slice_in_dim(x, jax.lax.axis_index(AXIS) * block, block, axis=1)
        x = nn.Dense(self.outputs, use_bias=self.cap == 0, name="output_layer")(nn.RMSNorm(name="out_norm")(x))
        return self.cap * jnp.tanh(x / self.cap) if self.cap else x


class Transformer(nn.Module):
    devices: int
    vocabulary: int
    features: int
    sinusoidal: bool
    cap: float
    layers: int
    block: Callable

    @nn.compact
    def __call__(self, ids):
        inner = functools.partial(InputEmbedding, self.devices, self.vocabulary, self.features, self.sinusoidal)
        x = WrappedEmbedding(inner, name="input_embedding")(ids)
        x = Layers(self.layers, self.block, name="backbone")(x)
        return Output(self.devices, self.vocabulary, self.cap, name="output_layer")(x)


def number(v, kind):
    if kind == "i32":
        return int(v)
    short = float(str(np.float32(v)))
    return short if np.float32(short) == np.float32(v) else float(v)


def array(x):
    x = np.asarray(x)
    kind = {"float32": "f32", "int32": "i32"}[str(x.dtype)]
    return {"dtype": kind, "shape": list(x.shape), "data": [number(v, kind) for v in x.reshape(-1)]}


def per_device(x):
    x = np.asarray(x)
    kind = {"float32": "f32", "int32": "i32"}[str(x.dtype)]
    return {"dtype": kind, "shape": list(x.shape[1:]),
            "per_device": [[number(v, kind) for v in one.reshape(-1)] for one in x]}


def tree(params, leaf):
    flat = jax.tree_util.tree_flatten_with_path(params)[0]
    named = {"/".join(key.key for key in path): value for path, value in flat}
    return [{"path": path, "names": None, **leaf(named[path])} for path in sorted(named)]


def run(module, x, seed):
    """Local parameters and outputs of all devices."""
    devices = jax.vmap(lambda v: module.init_with_output(jax.random.PRNGKey(seed), v), axis_name=AXIS)
    y, variables = devices(x)
    return y, variables["params"]


def small(*shape):
    return jnp.asarray(np.random.default_rng(sum(shape)).standard_normal(shape), jnp.float32)


def cases():
    for vocabulary, features in [(7, 4), (1, 3), (50, 7), (3, 1)]:
        ids = jnp.asarray(np.arange(6).reshape(2, 3) % vocabulary, jnp.int32)
        y, v = nn.Embed(vocabulary, features).init_with_output(jax.random.PRNGKey(42), ids)
        yield {"name": f"embed/{vocabulary}x{features}", "op": "embed", "seed": 42, "num_embeddings": vocabulary,
               "features": features, "ids": array(ids), "init": tree(v["params"], array), "y": array(y)}
    for shape, contracted, features in [((2, 4), 1, (3, 5)), ((2, 3, 4), 2, (5,)), ((3, 4), 2, (2, 3)), ((4, 5), 1, (6,))]:
        x = small(*shape)
        layer = nn.DenseGeneral(features, axis=tuple(range(-contracted, 0)))
        y, v = layer.init_with_output(jax.random.PRNGKey(7), x)
        yield {"name": f"dense_general/{len(shape)}_{contracted}_{len(features)}", "op": "dense_general", "seed": 7,
               "contracted": contracted, "features": list(features), "x": array(x), "init": tree(v["params"], array),
               "y": array(y)}
    for devices in [1, 2, 4]:
        for parallel, layers, causal, normalize in [(0, 1, True, False), (0, 2, True, True), (0, 2, False, False),
                                                    (1, 2, True, True), (1, 1, False, False)]:
            block = functools.partial(ParallelBlock if parallel else Block, devices, 2 * devices, 3, causal, normalize, 4 * devices)
            x = small(devices, 2, 5, 3)
            y, params = run(Layers(layers, block), x, 42)
            yield {"name": f"transformer_block/tp{devices}/parallel{parallel}_layers{layers}_causal{int(causal)}_norms{int(normalize)}",
                   "op": "transformer_block", "mesh": {"axes": [AXIS], "shape": [devices]}, "seed": 42,
                   "parallel": bool(parallel), "layers": layers,
                   "heads": 2 * devices, "head_dim": 3, "hidden": 4 * devices, "causal": causal, "normalize_qk": normalize,
                   "x": per_device(x), "init": tree(params, per_device), "y": per_device(y)}
        for sinusoidal, cap in [(False, 0), (True, 3)]:
            ids = jnp.asarray(np.arange(2 * 4).reshape(2, 4) * 5 % 7, jnp.int32)
            block = functools.partial(Block, devices, devices, 4, True, False, 4 * devices)
            model = Transformer(devices, 7, 4, sinusoidal, cap, 2, block)
            y, params = run(model, jnp.stack([ids] * devices), 11)
            yield {"name": f"transformer/tp{devices}/{'sinusoidal' if sinusoidal else 'learned'}_cap{cap}",
                   "op": "transformer", "mesh": {"axes": [AXIS], "shape": [devices]}, "seed": 11, "vocabulary": 7,
                   "features": 4, "sinusoidal": sinusoidal, "cap": cap, "layers": 2, "heads": devices, "head_dim": 4,
                   "hidden": 4 * devices, "ids": array(ids), "init": tree(params, per_device), "y": per_device(y)}


meta = {"family": "flax", "versions": {"jax": jax.__version__, "flax": "0.10.0"}, "threefry_partitionable": False}
print('{"meta": ' + json.dumps(meta) + ',\n"cases": [\n' + ",\n".join(json.dumps(c) for c in cases()) + "\n]}")
