"""What people name as a program: a function, what JAX made of it, a text, a file or a model of the catalogue."""

from __future__ import annotations

import dataclasses
import os
import re
from typing import Any, Mapping, Optional, Tuple

from isoshard._errors import InputError

InputTuple = Tuple[str, Optional[str]]


@dataclasses.dataclass
class Source:
    """A program as the library takes it: its name, and its text where it is no file."""

    name: str
    text: str | None = None
    lowered: Any = None  # of JAX
    arrays: int = 0  # for which a function was lowered here, all of which the text has; 0: nobody says so

    def pair(self) -> InputTuple:
        return self.name, self.text


def _name_of(function: Any) -> str:
    name = getattr(function, "__name__", None) or type(function).__name__
    return "".join(c if c.isalnum() or c == "_" else "_" for c in name).strip("_") or "function"


def _text_of(lowered: Any) -> str:
    """The StableHLO with locations, where this version of JAX has no argument for them by MLIR's own printer."""
    try:
        return lowered.as_text(debug_info=True)
    except TypeError:
        return lowered.compiler_ir("stablehlo").operation.get_asm(enable_debug_info=True)


def _lower(function: Any, args: tuple, kwargs: Mapping[str, Any], mesh: Any) -> Any:
    """A function that asks for the mesh around it, as a shard_map without one, is lowered inside of `mesh`."""
    import jax

    lower = function.lower if hasattr(function, "lower") else jax.jit(function, keep_unused=True).lower
    set_mesh = getattr(jax, "set_mesh", None)
    try:
        return lower(*args, **kwargs)
    except (RuntimeError, ValueError):
        if set_mesh is None or not isinstance(mesh, jax.sharding.Mesh):
            raise
    with set_mesh(mesh):
        return lower(*args, **kwargs)


def _count_of_arrays(args: tuple, kwargs: Mapping[str, Any]) -> int:
    import jax

    return len(jax.tree_util.tree_leaves((args, dict(kwargs))))


def source_of(program: Any, args: tuple, kwargs: Mapping[str, Any], fallback: str, mesh: Any = None) -> Source:
    """`fallback` is what a text without a name is called."""
    if isinstance(program, os.PathLike):
        return Source(os.fspath(program))
    if isinstance(program, str):
        is_text = "\n" in program or program.lstrip().startswith(("module", "isoshard "))
        return Source(fallback, program) if is_text else Source(program)
    if hasattr(program, "as_text"):
        return Source(fallback + ".mlir", _text_of(program), program)
    if callable(program):
        lowered = _lower(program, args, kwargs, mesh)
        may_drop = hasattr(program, "lower")  # what a jitted function does not use, unless it was told to keep it
        arrays = 0 if may_drop else _count_of_arrays(args, kwargs)
        return Source(_name_of(program) + ".mlir", _text_of(lowered), lowered, arrays)
    raise TypeError(
        f"{type(program).__name__} is no program; expected a function, what jax.jit(f).lower(...) gives, a StableHLO "
        "text, a path or the name of a model"
    )


def sizes_of(mesh: Any) -> dict[str, int]:
    """`mesh`: sizes by axis, or a Mesh of JAX, or None."""
    if mesh is None:
        return {}
    shape = mesh if isinstance(mesh, Mapping) else getattr(mesh, "shape", None)
    if not isinstance(shape, Mapping):
        raise TypeError(f"mesh is a {type(mesh).__name__}; expected sizes by axis, as {{'model': 4}}, or a jax Mesh")
    return {str(axis): int(size) for axis, size in shape.items()}


def _meshes_in(text: str) -> list[dict[str, int]]:
    """`sdy.mesh @mesh = <["data"=2, "model"=4]>`, but those without axes."""
    written = re.findall(r"sdy\.mesh @\S+ = <\[([^\]]*)\]", text)
    meshes = [{axis: int(size) for axis, size in re.findall(r'"([^"]*)"=(\d+)', axes)} for axes in written]
    return [mesh for mesh in meshes if mesh]


def _in_words(sizes: Mapping[str, int]) -> str:
    return ", ".join(f"{axis}={size}" for axis, size in sizes.items())


def sizes_for(sources: list[Source], mesh: Any) -> dict[str, int]:
    """The sizes to say: what JAX has lowered now names its mesh itself, but in the older form (GSPMD). An InputError
    where that is another mesh, or where no function has one."""
    sizes = sizes_of(mesh)
    texts = [s.text or "" for s in sources if s.lowered is not None]
    own = [found for text in texts for found in _meshes_in(text)]
    for found in own:
        if sizes and found != sizes:
            raise input_error(
                f"mesh= has {_in_words(sizes)} and the function is for a mesh with {_in_words(found)}; expected the "
                "mesh of its shard_map, or no mesh="
            )
    if own:
        return {}
    if sizes and len(texts) == len(sources) and not any("@SPMDFullToShardShape" in text for text in texts):
        raise input_error(
            f"mesh= has {_in_words(sizes)} and no function is sharded, so nothing would be distributed; expected a "
            "shard_map in one of them, as jax.shard_map(f, mesh=mesh, in_specs=..., out_specs=...), or no mesh="
        )
    return sizes


def arrays_of_both(sharded: Source, reference: Source) -> int:
    """How many arrays both were lowered for, the same ones in one order; 0 where one of them was lowered elsewhere."""
    return sharded.arrays if sharded.arrays == reference.arrays else 0


def distinct(sharded: Source, reference: Source) -> None:
    """Gives two texts of one name two names, which messages tell apart."""
    if sharded.name == reference.name and reference.text is not None:
        stem, dot, suffix = reference.name.partition(".")
        reference.name = stem + "_reference" + dot + suffix


def input_error(message: str) -> InputError:
    return InputError(f"error: {message}")
