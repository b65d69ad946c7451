"""Programs of JAX in small: each sharded over "x", its reference, and wrong twins. generate.py makes the texts of this folder."""

import dataclasses
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, PartitionSpec as P

MESH = Mesh(np.array(jax.devices()[:4]), ("x",))
RNG = np.random.default_rng(0)
PAIRS = {}


@dataclasses.dataclass
class Pair:
    sharded: Callable
    reference: Callable
    args: tuple
    wrong: list
    stuck: list  # wrong, too, and not to be run: devices wait for each other


def pair(name, local, reference, args, ins, outs, wrong, stuck=()):
    """`local` and each of `wrong` is what a device does."""
    over = lambda f: jax.shard_map(f, mesh=MESH, in_specs=ins, out_specs=outs, check_vma=False)
    PAIRS[name] = Pair(over(local), reference, args, [over(f) for f in wrong], [over(f) for f in stuck])


def floats(*shape):
    return RNG.normal(size=shape).astype(np.float32)


def integers(low, high, *shape):
    return RNG.integers(low, high, shape).astype(np.int32)


X, W, IDS = floats(16, 6), floats(6, 6), np.array([0, 5, 2, 2, 1, 4, 3, 0, 5, 5, 1, 2, 4, 3, 0, 1], np.int32)
NUMBERS = integers(-50, 50, 16, 6)
rank = lambda: lax.axis_index("x")


# Maxima over split rows.
def running_maximum(x, below=-jnp.inf, before=lambda k, i: k < i):
    own = lax.cummax(x, 0)
    last = lax.all_gather(own[-1], "x")
    return jnp.maximum(own, jnp.where(before(jnp.arange(4)[:, None], rank()), last, below).max(0))


pair("cummax", running_maximum, lambda x: lax.cummax(x, 0), (X,), P("x"), P("x"),
     [lambda x: running_maximum(x, 0.0), lambda x: lax.cummax(x, 0), lambda x: running_maximum(x, before=lambda k, i: k > i)])


def pool_with_halo(x, outside=-jnp.inf):
    above = lax.ppermute(x[:, -1:], "x", [(i, i + 1) for i in range(3)])
    below = lax.ppermute(x[:, :1], "x", [(i + 1, i) for i in range(3)])
    rows = [jnp.where(rank() == 0, outside, above), x, jnp.where(rank() == 3, outside, below)]
    return lax.reduce_window(jnp.concatenate(rows, 1), -jnp.inf, lax.max, (1, 3, 3), (1, 1, 1), ((0, 0), (0, 0), (1, 1)))


def pool(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3), (1, 1, 1), "SAME")


pair("max_pool_halo", pool_with_halo, pool, (floats(2, 16, 4),), P(None, "x"), P(None, "x"),
     [lambda x: pool_with_halo(x, 0.0), pool])


def masked_maximum(x, w, rows=13, below=-jnp.inf):  # the last rows are padding
    return lax.pmax(jnp.where(jnp.arange(4)[:, None] + 4 * rank() < rows, x @ w, below).max(0), "x")


pair("padded_max", masked_maximum, lambda x, w: (x @ w)[:13].max(0), (X, W), (P("x"), P()), P(),
     [lambda x, w: masked_maximum(x, w, 9), lambda x, w: -masked_maximum(-x, w)])

pair("largest_integer", lambda i: lax.pmax(i.max(0), "x"), lambda i: i.max(0), (NUMBERS,), P("x"), P(),
     [lambda i: lax.pmax(i[1:].max(0), "x"), lambda i: lax.pmax(i.min(0), "x"), lambda i: lax.pmax(jnp.roll(i, 1, 1).max(0), "x")])
pair("share_of_largest", lambda i, x: lax.psum(jnp.where(i == lax.pmax(i.max(0), "x"), x, 0).sum(0), "x"),
     lambda i, x: jnp.where(i == i.max(0), x, 0).sum(0), (NUMBERS, X), (P("x"), P("x")), P(),
     [lambda i, x: lax.psum(jnp.where(i == i.max(0), x, 0).sum(0), "x")])


# The logarithm of a sum of exponentials, beside jax.nn.logsumexp.
def logsumexp(x, top=lambda x: lax.pmax(x.max(0), "x")):
    largest = lax.stop_gradient(top(x))
    return jnp.log(lax.psum(jnp.exp(x - largest).sum(0), "x")) + largest


pair("logsumexp", lambda x, w: logsumexp(x @ w), lambda x, w: jax.nn.logsumexp(x @ w, 0), (X, W), (P("x"), P()), P(),
     [lambda x, w: logsumexp((x @ w)[1:]), lambda x, w: logsumexp(x @ w, lambda x: x.max(0))])
pair("largest_probability", lambda x: lax.pmax(jnp.exp(x - logsumexp(x)).max(0), "x"), lambda x: jax.nn.softmax(x, 0).max(0), (X,),
     P("x"), P(), [lambda x: lax.pmax(jnp.exp(x - logsumexp(x))[1:].max(0), "x")])


# x.at[...] at indices that JAX does not know to be different.
def on_rows(name, reference, wrong):
    pair(name, reference, reference, (X, IDS), (P("x"), P("x")), P("x"), wrong)


rows = lambda x: jnp.arange(x.shape[0])
on_rows("at_set", lambda x, i: x.at[rows(x), i].set(x[:, 0] * 2), [lambda x, i: x.at[rows(x), i].set(x[:, 0])])
on_rows("at_set_number", lambda x, i: x.at[rows(x), i].set(1.0), [lambda x, i: x.at[rows(x), i].set(0.0)])
on_rows("at_add", lambda x, i: x.at[rows(x), i].add(-1.0), [lambda x, i: x.at[rows(x), i].add(1.0)])
on_rows("at_columns", lambda x, i: x.at[:, jnp.array([0, 2])].set(7.0).at[:, 1].multiply(x[:, 0]),
        [lambda x, i: x.at[:, jnp.array([0, 3])].set(7.0).at[:, 1].multiply(x[:, 0]),
         lambda x, i: x.at[:, jnp.array([0, 2])].set(7.0).at[:, 1].add(x[:, 0])])
pair("at_mask", lambda x, i: x.at[:, i].set(0.0), lambda x, i: x.at[:, i].set(0.0), (X, IDS[:3]), (P("x"), P()), P("x"),
     [lambda x, i: x.at[:, i[:2]].set(0.0)])
pair("cache_update", lambda c, v, i: c.at[rows(c), i].set(v), lambda c, v, i: c.at[jnp.arange(16), i].set(v),
     (floats(16, 6, 2), floats(16, 2), IDS), (P("x"), P("x"), P("x")), P("x"),
     [lambda c, v, i: c.at[rows(c), i].add(v), lambda c, v, i: c.at[rows(c), i].set(jnp.roll(v, 1, 0))])


# Loops that end early, in the error of all devices, and loops of a traced number of trips.
total = lambda x: lax.psum(x, "x")
alone = lambda x: x


def relaxed(x, bound=5, tolerance=30.0, error=total, both=total):
    def step(state):
        i, y, _ = state
        z = 0.5 * y + 0.1 * jnp.tanh(both(y.sum(0)))
        return i + 1, z, error(jnp.abs(z - y).sum())

    i, y, _ = lax.while_loop(lambda s: (s[0] < bound) & (s[2] > tolerance), step, (0, x, jnp.float32(1000.0)))
    return y, i.astype(jnp.float32)


def unsummed(error):
    return lambda x: relaxed(x, error=error)


pair("while_error", unsummed(total), lambda x: relaxed(x, error=alone, both=alone), (X,), P("x"), (P("x"), P()),
     [unsummed(alone), unsummed(lambda e: lax.pmax(e, "x") / 4), lambda x: relaxed(x, 1), lambda x: relaxed(x, both=alone)])


def around(error):
    terms = [error]
    for _ in range(3):
        terms.append(lax.ppermute(terms[-1], "x", [(i, (i + 1) % 4) for i in range(4)]))
    return sum(terms)


pair("while_ring_error", unsummed(around), lambda x: relaxed(x, error=alone, both=alone), (X,), P("x"), (P("x"), P()),
     [lambda x: relaxed(x, 1, error=around)])


def layers(x, w, n, whole=lambda y: lax.all_gather(y, "x", axis=1, tiled=True)):
    return lax.fori_loop(0, jnp.clip(n, 0, 5), lambda i, y: jnp.tanh(whole(y @ w)) * (i + 1), x)


pair("fori_traced", layers, lambda x, w, n: layers(x, w, n, alone), (floats(3, 8), floats(8, 8), np.int32(4)), (P(), P(None, "x"), P()), P(),
     [lambda x, w, n: layers(x, w, n + 1), lambda x, w, n: layers(x, w, n - 1)])


def branch(x, sum_of=total, asked=total):
    return lax.cond(asked(x.sum()) > 0, lambda x: sum_of(x.sum(0)) + x, lambda x: x * 2, x)


pair("cond_sum", branch, lambda x: branch(x, alone, alone), (X,), P("x"), P("x"), [lambda x: branch(x, alone), lambda x: -branch(-x)],
     stuck=[lambda x: branch(x, asked=alone)])


# Orders of floats, numbers that are never nan, and segments.
BINS, SEGMENTS = np.sort(floats(7)), integers(0, 5, 16)
pair("searchsorted", jnp.searchsorted, jnp.searchsorted, (BINS, X[:, 0]), (P(), P("x")), P("x"),
     [lambda b, x: jnp.searchsorted(b, x) + 1, lambda b, x: jnp.searchsorted(b[:-1], x), lambda b, x: jnp.searchsorted(b, x + 1)])
pair("histogram", lambda b, x: total(jnp.histogram(x, b)[0]), lambda b, x: jnp.histogram(x, b)[0], (BINS, X[:, 0]), (P(), P("x")), P(),
     [lambda b, x: jnp.histogram(x, b)[0], lambda b, x: total(jnp.histogram(x, b + 1)[0])])
pair("median", lambda x: jnp.median(x, 1), lambda x: jnp.median(x, 1), (X,), P("x"), P("x"), [lambda x: x.mean(1), lambda x: jnp.median(x[:, 1:], 1)])
pair("percentile", lambda x: jnp.percentile(x, 30, 1), lambda x: jnp.percentile(x, 30, 1), (X,), P("x"), P("x"), [lambda x: jnp.percentile(x, 70, 1)])
pair("cumlogsumexp", lambda x: lax.cumlogsumexp(x, 1), lambda x: lax.cumlogsumexp(x, 1), (X,), P("x"), P("x"),
     [lambda x: lax.cumlogsumexp(x, 0), lambda x: lax.cumlogsumexp(x, 1, reverse=True)])
pair("segment_prod", lambda x, s: lax.all_gather(jax.ops.segment_prod(x, s, 5), "x").prod(0), lambda x, s: jax.ops.segment_prod(x, s, 5), (X, SEGMENTS),
     (P("x"), P("x")), P(), [lambda x, s: jax.ops.segment_prod(x, s, 5), lambda x, s: total(jax.ops.segment_prod(x, s, 5))])


# Attention in blocks: the logarithms of sums of blocks are added, and one step of decoding looks back as far as it is.
def merged(q, k, v, own=lambda block, new, old: block - new):
    out = last = None
    for _ in range(4):
        scores = q @ k.T / 2
        here, block = jax.nn.softmax(scores, -1) @ v, jax.nn.logsumexp(scores, -1)
        if out is None:
            out, last = here, block
        else:
            new = jnp.logaddexp(last, block)
            out = out * jnp.exp(last - new)[:, None] + here * jnp.exp(own(block, new, last))[:, None]
            last = new
        k, v = (lax.ppermute(t, "x", [(i, (i + 1) % 4) for i in range(4)]) for t in (k, v))
    return out


pair("ring_logaddexp", merged, lambda q, k, v: jax.nn.softmax(q @ k.T / 2, -1) @ v, (floats(16, 4), floats(16, 4), floats(16, 4)), (P("x"),) * 3, P("x"),
     [lambda q, k, v: merged(q, k, v, lambda block, new, old: block - old), lambda q, k, v: merged(q, v, k)])


def decoded(q, keys, values, position, first=lambda: 4 * rank(), all_of=total):
    scores = jnp.where(jnp.arange(4) + first() <= position, keys @ q, -jnp.inf)
    e = jnp.exp(scores - lax.pmax(scores.max(), "x"))
    return total(e @ values) / all_of(e.sum())


def decode(q, keys, values, position):
    positions = jnp.arange(16)  # an index of the cache, as its update is
    last = jnp.take(positions, position, mode="clip")
    return jax.nn.softmax(jnp.where(positions <= last, keys @ q, -jnp.inf)) @ values


pair("decode_masked", decoded, decode, (floats(4), floats(16, 4), floats(16, 4), np.int32(5)), (P(), P("x"), P("x"), P()), P(),
     [lambda *a: decoded(*a, all_of=alone), lambda *a: decoded(*a, first=lambda: 0)])


# An index of own rows, and another row where it is none.
def own_logit(x, i, width=2, first=lambda: 2 * rank()):
    k = i - first()
    own = (k >= 0) & (k < width)
    return total(jnp.where(own, jnp.take_along_axis(x, jnp.where(own, k, 0)[:, None], 1)[:, 0], 0))


pair("own_logit", own_logit, lambda x, i: jnp.take_along_axis(x, i[:, None], 1)[:, 0], (floats(16, 8), IDS), (P(None, "x"), P()), P(),
     [lambda x, i: own_logit(x, i, 1), lambda x, i: own_logit(x, i, first=lambda: 0)])


# Derivatives of what is written for floats: of logsumexp beside one by hand, softplus and the exact gelu.
@jax.custom_vjp
def summed(x):
    return total(x)


summed.defvjp(lambda x: (total(x), None), lambda _, g: (g,))


def split_logsumexp(z, all_of=summed):
    top = lax.pmax(lax.stop_gradient(z).max(-1), "x")
    return jnp.log(all_of(jnp.exp(z - top[:, None]).sum(-1))) + top


def gradient(loss):
    return lambda x, w: jax.grad(lambda w: loss(x @ w).mean())(w)


pair("logsumexp_gradient", gradient(split_logsumexp), gradient(lambda z: jax.nn.logsumexp(z, -1)), (X, floats(6, 8)), (P(), P(None, "x")), P(None, "x"),
     [gradient(lambda z: split_logsumexp(z, total)), gradient(lambda z: split_logsumexp(z) ** 2)])


def summed_gradient(f, over=total):
    return lambda x, w: over(jax.grad(lambda w: f(x @ w).sum())(w))


softplus, gelu = jax.nn.softplus, lambda x: jax.nn.gelu(x, approximate=False)
pair("softplus_gradient", summed_gradient(softplus), summed_gradient(softplus, alone), (X, W), (P("x"), P()), P(),
     [summed_gradient(softplus, alone), summed_gradient(jax.nn.elu)])
pair("gelu_gradient", summed_gradient(gelu), summed_gradient(gelu, alone), (X, W), (P("x"), P()), P(),
     [summed_gradient(gelu, alone), summed_gradient(jax.nn.silu)])


# Indices that are compared with the first of a device's own rows, and a list of different ones.
def between(x, i, width=2):
    own = (i >= 2 * rank()) & (i < 2 * rank() + width)
    return total(jnp.where(own, jnp.take_along_axis(x, jnp.where(own, i - 2 * rank(), 0)[:, None], 1)[:, 0], 0))


pair("own_logit_between", between, lambda x, i: jnp.take_along_axis(x, i[:, None], 1)[:, 0], (floats(16, 8), IDS), (P(None, "x"), P()), P(),
     [lambda x, i: between(x, i, 1), lambda x, i: between(x, i, 3)])
LIST = np.array([3, 0, 2, 1])
pair("at_list", lambda x, v: x.at[jnp.array(LIST)].set(v), lambda x, v: v[np.argsort(LIST)], (floats(4, 8), floats(4, 8)), (P(None, "x"), P(None, "x")), P(None, "x"),
     [lambda x, v: x.at[jnp.array(LIST[::-1])].set(v), lambda x, v: x.at[jnp.array(LIST)].add(v)])


# Attention in blocks that begins with -inf.
def online(q, k, v, rescaled=True):
    def step(state, _):
        k, v, top, below, out = state
        scores = q @ k.T / 2
        new = jnp.maximum(top, scores.max(-1))
        old, e = jnp.exp(top - new) if rescaled else 1.0, jnp.exp(scores - new[:, None])
        below, out = below * old + e.sum(-1), (out.T * old).T + e @ v
        k, v = (lax.ppermute(t, "x", [(i, (i + 1) % 4) for i in range(4)]) for t in (k, v))
        return (k, v, new, below, out), None

    (_, _, _, below, out), _ = lax.scan(step, (k, v, jnp.full(4, -jnp.inf), jnp.zeros(4), jnp.zeros((4, 4))), None, length=4)
    return out / below[:, None]


pair("ring_from_minus_infinity", online, lambda q, k, v: jax.nn.softmax(q @ k.T / 2, -1) @ v, (floats(16, 4), floats(16, 4), floats(16, 4)), (P("x"),) * 3, P("x"),
     [lambda q, k, v: online(q, k, v, False), lambda q, k, v: online(k, q, v)])


# Loops side by side: jax.vmap runs all while one of them does.
def newton(x, bound=6, tolerance=0.2):
    def step(state):
        z = 0.5 * (state[1] + 1 / (1 + state[1] ** 2))
        return state[0] + 1, z, z - state[1]

    return lax.while_loop(lambda s: (s[0] < bound) & (jnp.abs(s[2]) > tolerance), step, (0, x, jnp.float32(1)))[1]


pair("while_vmap", jax.vmap(newton), jax.vmap(newton), (floats(8),), P("x"), P("x"),
     [jax.vmap(lambda x: newton(x, 1)), jax.vmap(lambda x: newton(x, tolerance=1.5))])


def by_row(x, w, whole=alone):
    def loop(row):
        def step(state):
            z = jnp.tanh(whole(state[1] @ w))
            return state[0] + 1, z, jnp.abs(z - state[1]).sum()

        return lax.while_loop(lambda s: (s[0] < 4) & (s[2] > 1.0), step, (0, row, jnp.float32(2)))[1]

    return jax.vmap(loop)(x)


def gathered(y):
    return lax.all_gather(y, "x", axis=0, tiled=True)


pair("while_vmap_gather", lambda x, w: by_row(x, w, gathered), by_row, (floats(3, 8), floats(8, 8)), (P(), P(None, "x")), P(),
     [lambda x, w: by_row(x, 2 * w, gathered)])
pair("while_vmap_rows", by_row, by_row, (X, W), (P("x"), P()), P("x"), [lambda x, w: by_row(x, w.T)],
     stuck=[lambda x, w: by_row(x, w, lambda y: y + 0 * total(y))])


# Causal attention round a ring: blocks without a score, masks and beginnings of -inf, -1e30 and -1e9, fewer heads of keys.
def scored(q, k, first_row, first_key, below):
    rows, keys = first_row + jnp.arange(q.shape[1]), first_key + jnp.arange(k.shape[1])
    return jnp.where(rows[:, None] >= keys, jnp.einsum("htd,hsd->hts", q, k) / 2, below)


def causal(below):
    def dense(q, k, v):
        k, v = (jnp.repeat(t, q.shape[0] // t.shape[0], 0) for t in (k, v))
        return jax.nn.softmax(scored(q, k, 0, 0, below), -1) @ v

    return dense


def around_causal(q, k, v, below, first, loop=lax.fori_loop, rescaled=True, block=lambda r, i: (r - i) % 4, safe=False):
    h, t, d = q.shape

    def step(i, state):
        k, v, top, total, out = state
        many = lambda x: jnp.repeat(x, h // x.shape[0], 0)
        s = scored(q, many(k), rank() * t, block(rank(), i) * t, below)
        new = jnp.maximum(top, s.max(-1))
        shift = jnp.where(new == -jnp.inf, 0.0, new) if safe else new
        e, old = jnp.exp(s - shift[..., None]), jnp.exp(top - shift) if rescaled else 1.0
        k, v, last = *(lax.ppermute(x, "x", [(i, (i + 1) % 4) for i in range(4)]) for x in (k, v)), many(v)
        return k, v, new, total * old + e.sum(-1), (out.T * jnp.asarray(old).T).T + e @ last

    state = loop(0, 4, step, (k, v, jnp.full((h, t), first), jnp.zeros((h, t)), jnp.zeros((h, t, d))))
    return state[4] / state[3][..., None]


def unrolled(low, high, step, state):
    for i in range(low, high):
        state = step(i, state)
    return state


def on_ring(name, below, first, heads=2, wrong=(), **how):
    program = lambda **other: lambda q, k, v: around_causal(q, k, v, below, first, **(how | other))
    pair(name, program(), causal(below), (floats(2, 8, 4), floats(heads, 8, 4), floats(heads, 8, 4)), P(None, "x"), P(None, "x"),
         [program(rescaled=False), program(block=lambda r, i: (r + i) % 4), *(program(**other) for other in wrong)])


on_ring("ring_causal", -jnp.inf, -1e30)
on_ring("ring_causal_unrolled", -jnp.inf, -jnp.inf, 1, loop=unrolled)
on_ring("ring_causal_large", -1e9, -jnp.inf)
on_ring("ring_causal_safe", -jnp.inf, -jnp.inf, safe=True)


# Decoding with a position in each row of a batch: the cache is written there, split over heads, rows or positions.
def written(cache, new, at):
    return jax.vmap(lambda c, n, i: lax.dynamic_update_slice(c, n[None], (i, 0, 0)))(cache, new, at)


def looked_up(q, k, v, keys, values, at, below, seen):
    keys, values = written(keys, k, at), written(values, v, at)
    s = jnp.where(seen(jnp.arange(keys.shape[1]), at[:, None])[:, None], jnp.einsum("bhd,bthd->bht", q, keys), below)
    return jnp.einsum("bht,bthd->bhd", jax.nn.softmax(s, -1), values), keys, values


def step_of_rows(below, seen=lambda i, at: i <= at):
    return lambda *arrays: looked_up(*arrays, below, seen)


def step_of_positions(below, inside=lambda i, n: (i >= 0) & (i < n), all_of=total):
    def step(q, k, v, keys, values, at):
        n = keys.shape[1]
        own = at - rank() * n
        put = lambda c, new: jnp.where(inside(own, n)[:, None, None, None], written(c, new, jnp.clip(own, 0, n - 1)), c)
        keys, values = put(keys, k), put(values, v)
        s = jnp.einsum("bhd,bthd->bht", q, keys)
        s = jnp.where((jnp.arange(n) + rank() * n <= at[:, None])[:, None], s, below)
        e = jnp.exp(s - lax.pmax(s.max(-1), "x")[..., None])
        return total(jnp.einsum("bht,bthd->bhd", e, values)) / all_of(e.sum(-1))[..., None], keys, values

    return step


AT = np.array([3, 6], np.int32)


def cached(heads, rows=2):
    return *(floats(rows, heads, 2) for _ in range(3)), *(floats(rows, 8, heads, 2) for _ in range(2))


for name, below in (("", -jnp.inf), ("_large", -1e9)):
    before, here = step_of_rows(below, lambda i, at: i < at + (at == 0)), (P(),) * 3 + (P(None, "x"),) * 2
    pair("decode_heads" + name, step_of_rows(below), step_of_rows(below), (*cached(4), AT), (P(None, "x"),) * 3 + (P(None, None, "x"),) * 2 + (P(),),
         (P(None, "x"), P(None, None, "x"), P(None, None, "x")), [before])
    pair("decode_positions" + name, step_of_positions(below), step_of_rows(below), (*cached(2), AT), (*here, P()), (P(), P(None, "x"), P(None, "x")),
         [step_of_positions(below, lambda i, n: i >= 0), step_of_positions(below, all_of=alone)])
pair("decode_rows", step_of_rows(-1e9), step_of_rows(-1e9), (*cached(2, 4), np.array([3, 6, 0, 7], np.int32)), P("x"), P("x"),
     [step_of_rows(-1e9, lambda i, at: i < at + (at == 0))])


# Guards of attention in blocks: a sum that is 0 where a row has no score, a maximum that is -inf there, and devices
# beyond the end of a cache, which have no score at all.
def or_1(total):
    return jnp.where(total == 0, 1.0, total)


def where_finite(top, other=0.0):
    return jnp.where(jnp.isfinite(top), top, other)


def guarded(q, k, v, rescaled=True, guard=or_1, block=lambda r, i: (r - i) % 4, shift_of=where_finite):
    def step(i, state):
        k, v, top, total, out = state
        s = scored(q[None], k[None], rank() * 4, block(rank(), i) * 4, -jnp.inf)[0]
        new = jnp.maximum(top, s.max(-1))
        shift = shift_of(new)
        e, old = jnp.exp(s - shift[:, None]), jnp.exp(top - shift) if rescaled else jnp.ones(4)
        k, v, last = *(lax.ppermute(x, "x", [(i, (i + 1) % 4) for i in range(4)]) for x in (k, v)), v
        return k, v, new, total * old + e.sum(-1), out * old[:, None] + e @ last

    state = lax.fori_loop(0, 4, step, (k, v, jnp.full(4, -jnp.inf), jnp.zeros(4), jnp.zeros((4, 4))))
    return state[4] / guard(state[3])[:, None]


pair("ring_guarded", guarded, lambda q, k, v: causal(-jnp.inf)(q[None], k[None], v[None])[0], (floats(16, 4), floats(16, 4), floats(16, 4)), (P("x"),) * 3, P("x"),
     [lambda q, k, v: guarded(q, k, v, rescaled=False), lambda q, k, v: guarded(q, k, v, guard=lambda total: jnp.where(total > 1, 1.0, total)),
      lambda q, k, v: guarded(q, k, v, block=lambda r, i: (r + i) % 4)])


def decoded_in_parts(q, keys, values, position, guard=or_1, first=lambda: 4 * rank(), all_of=total):
    scores = jnp.where(jnp.arange(4) + first() <= position, keys @ q, -jnp.inf)
    shift = where_finite(scores.max())
    e = jnp.exp(scores - shift)
    out, below = e @ values / guard(e.sum()), jnp.where(e.sum() == 0, -jnp.inf, shift + jnp.log(guard(e.sum())))
    weight = jnp.exp(below - lax.pmax(below, "x"))
    return total(out * weight) / all_of(weight)


pair("decode_in_parts", decoded_in_parts, decode, (floats(4), floats(16, 4), floats(16, 4), np.int32(5)), (P(), P("x"), P("x"), P()), P(),
     [lambda *a: decoded_in_parts(*a, all_of=alone), lambda *a: decoded_in_parts(*a, first=lambda: 0),
      lambda *a: decoded_in_parts(*a, guard=lambda total: jnp.where(total > 0, 1.0, total))])


# Experts: gates stand at the places of the largest, which are different in each row.
def gates(logits, k=2, normal=True):
    p = jax.nn.softmax(logits, -1)
    gate, at = lax.top_k(p, k)
    if normal:
        gate = gate / gate.sum(-1, keepdims=True)
    return jnp.zeros_like(p).at[jnp.arange(p.shape[0])[:, None], at].set(gate)


def experts(x, router, w, gate=gates, first=lambda n: rank() * n):
    own = lax.dynamic_slice_in_dim(gate(x @ router), first(w.shape[0]), w.shape[0], 1)
    return total(jnp.einsum("te,etd->td", own, jax.nn.silu(jnp.einsum("td,edf->etf", x, w))))


pair("experts_at", experts, lambda x, router, w: jnp.einsum("te,etd->td", gates(x @ router), jax.nn.silu(jnp.einsum("td,edf->etf", x, w))),
     (floats(6, 4), floats(4, 4), floats(4, 4, 3)), (P(), P(), P("x")), P(),
     [lambda *a: experts(*a, gate=lambda x: gates(x, 1)), lambda *a: experts(*a, gate=lambda x: gates(x, normal=False)), lambda *a: experts(*a, first=lambda n: 0)])


# Tokens sorted by their expert and put back, as without a capacity: each device sorts its own.
def sorted_experts(x, w, ids, back=jnp.argsort, order=jnp.argsort, of=lambda ids, order: ids[order]):
    at = order(ids)
    return jax.nn.silu(jnp.einsum("td,tdf->tf", x[at], w[of(ids, at)]))[back(at)]


def put_at(x, w, ids):
    at = jnp.argsort(ids)
    y = jax.nn.silu(jnp.einsum("td,tdf->tf", x[at], w[ids[at]]))
    return jnp.zeros_like(y).at[at].set(y)


def unsorted_experts(x, w, ids):
    return jax.nn.silu(jnp.einsum("td,tdf->tf", x, w[ids]))


SORTED = (floats(12, 3), floats(4, 3, 4), integers(0, 4, 12)), (P("x"), P(), P("x")), P("x")
pair("experts_sorted", sorted_experts, unsorted_experts, *SORTED,
     [lambda *a: sorted_experts(*a, back=lambda at: at), lambda *a: sorted_experts(*a, of=lambda ids, at: ids), lambda *a: sorted_experts(*a, back=lambda at: jnp.argsort(-at))])
pair("experts_put_at", put_at, unsorted_experts, *SORTED, [lambda *a: sorted_experts(*a, back=lambda at: at[::-1])])


def routed(x, router, w, order=lambda e: jnp.argsort(e, descending=True), **how):
    return sorted_experts(x, w, jnp.argmax(x @ router, -1), order=order, **how)


pair("experts_routed", routed, lambda x, router, w: unsorted_experts(x, w, jnp.argmax(x @ router, -1)),
     (floats(12, 3), floats(3, 4), floats(4, 3, 4)), (P("x"), P(), P()), P("x"),
     [lambda *a: routed(*a, back=lambda at: at), lambda *a: routed(*a, of=lambda ids, at: ids)])


# The next token of a vocabulary that is split over devices: the largest logit, also with noise.
def next_token(x, values=lambda x: x, first=lambda n: rank() * n, other=16):
    x = values(x)
    largest, at = x.max(-1), jnp.argmax(x, -1) + first(x.shape[-1])
    return lax.pmin(jnp.where(largest == lax.pmax(largest, "x"), at, other), "x")


def embedded(x, table, token):
    return table[token(x)]


pair("next_token", lambda x, table: embedded(x, table, next_token), lambda x, table: embedded(x, table, lambda x: jnp.argmax(x, -1)), (floats(3, 16), floats(16, 4)), (P(None, "x"), P()), P(),
     [lambda x, table: embedded(x, table, lambda x: next_token(x, first=lambda n: 0)), lambda x, table: embedded(x, table, lambda x: next_token(x, other=2)),
      lambda x, table: embedded(x, table, lambda x: next_token(x, lambda x: -x))])
KEY = np.array([0, 42], np.uint32)


def noise(key, first=lambda: 4 * rank(), make=jax.random.gumbel):
    return lambda x: x + lax.dynamic_slice_in_dim(make(key, (x.shape[0], 16)), first(), x.shape[1], 1)


def sampled(key, x, table, values=noise):
    return embedded(x, table, lambda x: next_token(x, values(key)))


pair("sampled_token", sampled, lambda key, x, table: embedded(x, table, lambda x: jax.random.categorical(key, x)), (KEY, floats(8, 16), floats(16, 4)), (P(), P(None, "x"), P()), P(),
     [lambda *a: sampled(*a, values=lambda key: noise(key, lambda: 0)), lambda *a: sampled(*a, values=lambda key: noise(key, make=jax.random.normal))])


# Functions of which the language has no op of their own.
def angles(x):
    near = jnp.tanh(x) / 2
    return jnp.tan(near) + jnp.sinh(near) * jnp.cosh(near) + jnp.arctan(x) + jnp.arccos(near) + jnp.arcsinh(x) + jnp.arccosh(2 + near) + jnp.arctanh(near)


pair("angles", lambda x, w: angles(total(x @ w)), lambda x, w: angles(x @ w), (floats(4, 8), floats(8, 3)), (P(None, "x"), P("x")), P(),
     [lambda x, w: total(angles(x @ w)), lambda x, w: angles(-total(x @ w))])

INFINITE = lambda top: jnp.where(jnp.isinf(top), 0.0, top)
pair("ring_isinf", lambda q, k, v: guarded(q, k, v, shift_of=INFINITE), lambda q, k, v: causal(-jnp.inf)(q[None], k[None], v[None])[0],
     (floats(16, 4), floats(16, 4), floats(16, 4)), (P("x"),) * 3, P("x"),
     [lambda q, k, v: guarded(q, k, v, False, shift_of=INFINITE), lambda q, k, v: guarded(q, k, v, block=lambda r, i: (r + i) % 4, shift_of=INFINITE)])


# The loss of a vocabulary that is split over devices, as it is trained: labels that count, smoothed, with a bound of the logarithm's size.
def mean_loss(total, own, sum_of_logits, label):
    loss = 0.9 * (total - own) + 0.1 * (total - sum_of_logits / 16) + 1e-3 * total**2
    return jnp.where(label != -100, loss, 0.0).sum() / jnp.maximum((label != -100).sum(), 1)


def vocabulary_loss(h, table, label, first=lambda n: rank() * n, all_of=total):
    logits = h @ table.T
    n = logits.shape[1]
    top = lax.pmax(lax.stop_gradient(logits.max(-1)), "x")
    place = jnp.where(label != -100, label, 0) - first(n)
    own = jnp.take_along_axis(logits, jnp.clip(place, 0, n - 1)[:, None], 1)[:, 0]
    return mean_loss(jnp.log(total(jnp.exp(logits - top[:, None]).sum(-1))) + top, total(jnp.where((place >= 0) & (place < n), own, 0.0)),
                     all_of(logits.sum(-1)), label)


def whole_loss(h, table, label):
    logits = h @ table.T
    own = jnp.take_along_axis(logits, jnp.where(label != -100, label, 0)[:, None], 1)[:, 0]
    return mean_loss(jax.nn.logsumexp(logits, -1), own, logits.sum(-1), label)


def trained(loss, sum_of=lambda g: g):
    def step(h, table, label):
        value, (of_h, of_table) = jax.value_and_grad(loss, (0, 1))(h, table, label)
        return value, sum_of(of_h), of_table

    return step


def in_parts(**how):  # what each device has of the gradient, since its loss is that of all
    return trained(lambda *a: vocabulary_loss(*a, **how) / 4, **({} if how.get("all_of") is alone else {"sum_of": total}))


pair("vocabulary_loss", lambda *a: (lambda v, g, t: (4 * v, g, t))(*in_parts()(*a)), trained(whole_loss),
     (floats(8, 4), floats(16, 4), np.array([1, 3, -100, 7, 15, 0, 2, -100], np.int32)), (P(), P("x"), P()), (P(), P(), P("x")),
     [lambda *a: in_parts()(*a), lambda *a: (lambda v, g, t: (4 * v, g, t))(*in_parts(first=lambda n: 0)(*a)),
      lambda *a: (lambda v, g, t: (4 * v, g, t))(*in_parts(all_of=alone)(*a))])
