"""Functions of JAX, as its newest and its oldest supported version lower them."""

import functools

import numpy as np
import pytest

import isoshard

jax = pytest.importorskip("jax")
import jax.numpy as jnp
from jax.sharding import Mesh, PartitionSpec as P

try:
    from jax import shard_map

    unchecked = functools.partial(shard_map, check_vma=False)
except ImportError:
    from jax.experimental.shard_map import shard_map

    unchecked = functools.partial(shard_map, check_rep=False)

MESH = Mesh(np.array(jax.devices()).reshape(2, 4), ("data", "model"))
check = functools.partial(isoshard.check, mesh=MESH)


def arrays():
    rng = np.random.default_rng(0)
    return tuple(rng.normal(size=shape).astype(np.float32) for shape in ((4, 8), (8, 16), (16, 8)))


def mlp(x, w1, w2):
    return jnp.tanh(x @ w1) @ w2


@functools.partial(
    shard_map, mesh=MESH, in_specs=(P("data"), P(None, "model"), P("model")), out_specs=P("data")
)
def tp_mlp(x, w1, w2):
    return jax.lax.psum(jnp.tanh(x @ w1) @ w2, "model")


@functools.partial(
    unchecked, mesh=MESH, in_specs=(P("data"), P(None, "model"), P("model")), out_specs=P("data")
)
def lost_sum(x, w1, w2):
    return jnp.tanh(x @ w1) @ w2


@functools.partial(
    shard_map, mesh=MESH, in_specs=(P("data"), P(None, "model"), P("model")), out_specs=P("data")
)
def doubled(x, w1, w2):
    return jax.lax.psum(jnp.tanh(x @ w1) @ (2 * w2), "model")


def test_functions():
    report = check(tp_mlp, mlp, *arrays())
    assert report, report
    assert not report.warnings, "with locations arguments have names"
    wrong = check(lost_sum, mlp, *arrays())
    assert wrong.verdict == "NOT EQUAL" and set(wrong.counterexample) == {"x", "w1", "w2"}
    report = check(doubled, mlp, *arrays())
    assert report.verdict == "NOT EQUAL" and "jax_test.py:" in str(report), "the line of this file"


def test_jitted_and_lowered():
    jitted, plain = jax.jit(tp_mlp), jax.jit(mlp)
    assert check(jitted, plain, *arrays())
    assert check(jitted.lower(*arrays()), plain.lower(*arrays()))
    assert check(jitted.lower(*arrays()), mlp, *arrays())


def test_shapes_are_enough():
    shapes = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in arrays()]
    assert check(tp_mlp, mlp, *shapes)


def test_functions_of_one_name():
    def step(x):
        return x * 2

    other = step

    def step(x):
        return x + x

    report = isoshard.check(other, step, np.float32([1, 2]))
    assert report and "@step_reference" in str(report)


def test_arguments_that_are_not_used():
    def left(x, b, c):
        return x + b

    def right(x, b, c):
        return x + c

    x = np.float32([1, 2])
    assert isoshard.check(left, left, x, x, x)
    assert isoshard.check(left, right, x, x, x).verdict == "NOT EQUAL"


def test_trees_and_keyword_arguments():
    def left(params, *, x):
        return {"y": params["w"] * x, "z": x}

    report = isoshard.check(left, left, {"w": np.float32([1])}, kwargs={"x": np.float32([2])})
    assert report and len(report.outputs) == 2


def test_one_function_is_no_claim():
    with pytest.raises(isoshard.InputError, match="name its reference"):
        isoshard.check(mlp, None, *arrays())


def test_gradients():
    def loss(f):
        return lambda *args: jnp.mean(f(*args) ** 2)

    report = isoshard.check_grad(loss(tp_mlp), loss(mlp), *arrays(), argnums=(0, 1, 2), mesh=MESH)
    assert report and len(report.outputs) == 3, report
    wrong = isoshard.check_grad(loss(tp_mlp), loss(lambda *a: 2 * mlp(*a)), *arrays(), argnums=1, mesh=MESH)
    assert wrong.verdict == "NOT EQUAL"
    with pytest.raises(TypeError, match="takes functions"):
        isoshard.check_grad("a.mlir", mlp)


def test_gradients_with_integers():
    def loss(ids, w):
        return jnp.sum(w[ids])

    assert isoshard.check_grad(loss, loss, np.int32([1, 2]), np.ones((4, 3), np.float32), argnums=(0, 1))


def test_simulate_gives_what_jax_gives():
    result = isoshard.simulate(tp_mlp, *arrays(), mesh=MESH)
    assert np.allclose(result, mlp(*arrays()), atol=1e-5)
    tree = isoshard.simulate(lambda p: {"a": p["x"] + 1, "b": (p["x"],)}, {"x": np.float32([1])})
    assert tree["a"] == [2] and tree["b"][0] == [1]


def test_bf16_in_and_out():
    x = jnp.array([1, 2, 3], jnp.bfloat16)
    result = isoshard.simulate(lambda x: x * x, x)
    assert result.dtype == x.dtype and result.tolist() == [1, 4, 9]


def test_assert_equivalent():
    isoshard.assert_equivalent(tp_mlp, mlp, *arrays(), mesh=MESH)
    with pytest.raises(isoshard.NotEquivalentError, match="NOT EQUAL"):
        isoshard.assert_equivalent(lost_sum, mlp, *arrays(), mesh=MESH)


def test_ranges_of_integers():
    """Of labels that are only compared nothing is taken for granted."""
    labels = np.zeros(3, np.int32)

    def plain(logits, labels):
        return jnp.sum(jax.nn.one_hot(labels, 4) * logits)

    def clipped(logits, labels):
        return jnp.sum(jax.nn.one_hot(jnp.clip(labels, 0, 3), 4) * logits)

    arguments = np.ones((3, 4), np.float32), labels
    assert not isoshard.check(clipped, plain, *arguments)
    for numbers in (range(4), "0..4"):
        report = isoshard.check(clipped, plain, *arguments, ranges={"labels": numbers})
        assert report, report
        assert "@labels in 0..4" in report.headline
    assert not isoshard.check(clipped, plain, *arguments, ranges={"labels": "0..4,-100"})
    for wrong in ({"label": range(4)}, {"logits": range(4)}, {"labels": range(0, 4, 2)}, {"labels": "4"}):
        with pytest.raises(isoshard.InputError):
            isoshard.check(clipped, plain, *arguments, ranges=wrong)


def test_parameters_pair_by_position():
    def plain(w, x):  # other names, and swapped ones: the arrays say what is what
        return w - 2 * x

    def local(x, w):
        return x - 2 * w

    split = shard_map(local, mesh=MESH, in_specs=(P("data"), P("data")), out_specs=P("data"))
    x = np.float32([[1], [2]])
    assert check(split, plain, x, x)
    assert check(split, lambda *arrays: arrays[0] - 2 * arrays[1], x, x)
    wrong = check(split, lambda *arrays: arrays[1] - 2 * arrays[0], x, x)
    assert wrong.verdict == "NOT EQUAL" and set(wrong.counterexample) == {"x", "w"}
    with pytest.raises(isoshard.InputError, match="is none of these"):
        check(jax.jit(split), jax.jit(lambda a, b: a - 2 * b), x, x)  # may have dropped one


def test_a_mesh_that_means_nothing_is_refused():
    with pytest.raises(isoshard.InputError, match="no function is sharded"):
        check(mlp, mlp, *arrays())
    if "sdy.mesh" in jax.jit(tp_mlp).lower(*arrays()).as_text():
        with pytest.raises(isoshard.InputError, match="mesh= has model=8 and the function is for a mesh with data=2"):
            isoshard.check(tp_mlp, mlp, *arrays(), mesh={"model": 8})


@pytest.mark.skipif(not hasattr(jax, "set_mesh"), reason="this JAX has no mesh around functions")
def test_the_mesh_around_functions():
    specs = dict(in_specs=(P("data"), P(None, "model"), P("model")), out_specs=P("data"))
    assert check(shard_map(lambda *a: jax.lax.psum(mlp(*a), "model"), **specs), mlp, *arrays())
    twice = shard_map(lambda *a: 2 * jax.lax.psum(mlp(*a), "model"), **specs)
    assert check(twice, mlp, *arrays()).verdict == "NOT EQUAL"


def test_callbacks():
    def loud(x):
        jax.debug.print("x {}", x)
        return x * 2

    def called(x):
        return jax.pure_callback(lambda x: x, jax.ShapeDtypeStruct(x.shape, x.dtype), x)

    x = np.float32([1, 2])
    if hasattr(jax, "shard_map"):  # older ones hand on a token or a pointer, and are refused
        report = isoshard.check(loud, lambda x: x + x, x)
        assert report and ["W-left-out"] == [found.rule for found in report.warnings]
        assert isoshard.check(loud, lambda x: x * 3, x).verdict == "NOT EQUAL"
        with pytest.raises(isoshard.InputError, match=r"jax_test.py:\d+:\d+: error: not supported: jax.pure_callback"):
            isoshard.check(called, called, x)
        with pytest.raises(isoshard.InputError, match='"cholesky" of JAX'):
            isoshard.check(jnp.linalg.cholesky, jnp.linalg.cholesky, np.eye(2, dtype=np.float32))
