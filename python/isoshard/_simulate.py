"""`simulate`."""

from __future__ import annotations

from typing import Any, Callable, Mapping

from isoshard import _arrays, _core
from isoshard._inputs import Source, input_error, sizes_for, source_of


def _named(programs: _core.Programs, arrays: tuple, named: Mapping[str, Any]) -> list[_arrays.ArrayTuple]:
    names = [name for name, _, _ in programs.globals()]
    if len(arrays) > len(names):
        raise input_error(f"there are {len(arrays)} arrays for {len(names)} globals: {', '.join(names)}")
    given = dict(zip(names, arrays))
    for name, array in named.items():
        if name in given:
            raise input_error(f"the array {name} is given twice, by its position and by its name")
        given[name] = array
    return [_arrays.to_tuple(name, array) for name, array in given.items()]


def simulate(
    program: Any,
    *arrays: Any,
    inputs: Mapping[str, Any] | None = None,
    mesh: Any = None,
    settings: Mapping[str, Any] | None = None,
    which: str = "",
    seed: int = 0,
    workers: int = 0,
    steps: int = 1,
    f64: bool = False,
    progress: Callable[[str], None] | None = None,
) -> Any:
    """Runs a program on virtual devices; `program` is what check takes.

    A function of JAX is lowered with `arrays`, its arguments, and the result has the form of its own. Of all others
    `arrays` are the globals in their order and `inputs` those by name (what is not given is drawn from `seed`), and the
    result is a dict of the outputs. `which` names one of several programs. `f64`: all floats as f64.
    """
    source = source_of(program, arrays, {}, "program", mesh)
    programs = _core.load(
        source.pair(), sizes_for([source], mesh), 0, {name: str(value) for name, value in (settings or {}).items()}
    )
    given = _leaves(arrays) if source.lowered is not None else arrays
    outputs = programs.simulate(
        _named(programs, given, inputs or {}),
        program=which,
        seed=seed,
        workers=workers,
        steps=steps,
        f64=f64,
        progress=progress,
    )
    if source.lowered is None:
        return {array[0]: _arrays.to_numpy(array) for array in outputs}
    return _as_function_gives(source, [_arrays.to_numpy(array) for array in outputs])


def _leaves(arrays: tuple) -> tuple:
    import jax

    return tuple(jax.tree_util.tree_leaves(arrays))


def _as_function_gives(source: Source, arrays: list) -> Any:
    import jax

    return jax.tree_util.tree_unflatten(source.lowered.out_tree, arrays)
