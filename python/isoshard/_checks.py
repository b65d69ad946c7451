"""`check` and its relatives."""

from __future__ import annotations

from typing import Any, Callable, Mapping, Sequence

from isoshard import _core
from isoshard._errors import NotEquivalentError
from isoshard._inputs import arrays_of_both, distinct, input_error, sizes_for, sizes_of, source_of
from isoshard._report import Report

Progress = Callable[[str], None]


def _range_text(numbers: range | str) -> str:
    """`0..8` of range(8), and texts as they are: `0..8,-100`."""
    if not isinstance(numbers, range):
        return str(numbers)
    if numbers.step != 1:
        raise input_error(f"{numbers} has gaps; expected a step of 1, or a text as '0..8,-100'")
    return f"{numbers.start}..{numbers.stop}"


def _load(
    sharded: Any,
    reference: Any,
    args: tuple,
    kwargs: Mapping[str, Any],
    mesh: Any,
    settings: Mapping[str, Any] | None,
    ranges: Mapping[str, range | str] | None = None,
) -> _core.Programs:
    left = source_of(sharded, args, kwargs, "sharded", mesh)
    if reference is not None:
        right = source_of(reference, args, kwargs, "reference", mesh)
        distinct(left, right)
        if settings:
            raise input_error("settings are for .shard files and models of the catalogue; leave them out")
        numbers = {name: _range_text(each) for name, each in (ranges or {}).items()}
        sizes, arrays = sizes_for([left, right], mesh), arrays_of_both(left, right)
        return _core.load_pair(left.pair(), right.pair(), sizes, numbers, arrays)
    if ranges:
        raise input_error("ranges are for two programs of JAX; a .shard file declares those of its globals itself")
    if left.lowered is not None or args or kwargs:
        raise input_error("one program is no claim; name its reference, too: check(sharded, reference, *args)")
    return _core.load(left.pair(), sizes_of(mesh), 0, {name: str(value) for name, value in (settings or {}).items()})


def _ask(programs: _core.Programs, claim: int, options: Mapping[str, Any]) -> Report:
    defaults = dict(
        seed=0, workers=0, gradients=False, accept_sampled=False, error_exponent=0, progress=None
    )
    return Report(programs.check(claim, **(defaults | dict(options))), programs.warnings())


def check(
    sharded: Any,
    reference: Any = None,
    *args: Any,
    mesh: Any = None,
    settings: Mapping[str, Any] | None = None,
    ranges: Mapping[str, range | str] | None = None,
    kwargs: Mapping[str, Any] | None = None,
    claim: int | None = None,
    seed: int = 0,
    workers: int = 0,
    error_exponent: int = 0,
    progress: Progress | None = None,
) -> Report:
    """Decides whether `sharded` equals `reference`.

    Each is a function, which JAX lowers with `args` (and `kwargs`), or what `jax.jit(f).lower(...)` gives, or a StableHLO
    text, or a path of one. A `.shard` file or a model of the catalogue brings its claim, and stands alone; of several
    claims `claim` is the one that is meant. `mesh`: sizes by axis, or a Mesh of JAX, in which functions are lowered that
    ask for the mesh around them. Arguments of two functions pair by position, as in `sharded(*args)`. `ranges`: the numbers
    that integer arguments may have, by name, `{"labels": range(8)}` or `"0..8,-100"`; beyond them nothing is said.
    `error_exponent`: a wrong EQUAL may have probability 2^-this, 20 to 240. `progress` hears of each part of the work.

    Raises InputError, and KeyboardInterrupt on Ctrl-C.
    """
    programs = _load(sharded, reference, args, kwargs or {}, mesh, settings, ranges)
    count = len(programs.claims())
    if claim is None and count > 1:
        raise input_error(f"there are {count} claims; say which with claim=0 to {count - 1}, or ask check_all")
    options = {"seed": seed, "workers": workers, "error_exponent": error_exponent, "progress": progress}
    return _ask(programs, claim or 0, options)


def check_all(
    program: Any, *, mesh: Any = None, settings: Mapping[str, Any] | None = None, **options: Any
) -> list[Report]:
    """Decides all claims of a `.shard` file or model; `options` are those of check."""
    programs = _load(program, None, (), {}, mesh, settings)
    return [_ask(programs, claim, options) for claim in range(max(1, len(programs.claims())))]


def _gradient(function: Callable[..., Any], argnums: int | Sequence[int]) -> Callable[..., Any]:
    import jax

    if not callable(function):
        raise TypeError(f"check_grad takes functions, not {type(function).__name__}: gradients are JAX's to derive")
    gradient = jax.grad(function, argnums=argnums, allow_int=True)
    gradient.__name__ = "grad_of_" + getattr(function, "__name__", "function")
    return gradient


def check_grad(
    sharded: Callable[..., Any],
    reference: Callable[..., Any],
    *args: Any,
    argnums: int | Sequence[int] = 0,
    mesh: Any = None,
    **options: Any,
) -> Report:
    """Decides whether two functions with a scalar result have equal gradients (jax.grad) by the arguments `argnums`.

    This asks about what JAX derives of the sharded function, which check of the functions themselves does not. `options`
    are those of check.
    """
    return check(_gradient(sharded, argnums), _gradient(reference, argnums), *args, mesh=mesh, **options)


def assert_equivalent(sharded: Any, reference: Any = None, *args: Any, **options: Any) -> Report:
    """check, with a NotEquivalentError, an AssertionError whose text is the report, where the verdict is not EQUAL."""
    __tracebackhide__ = True
    report = check(sharded, reference, *args, **options)
    if not report:
        raise NotEquivalentError(report)
    return report


