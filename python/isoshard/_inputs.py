"""What people name as a program: a function, what JAX made of it, a text, a file or a model of the catalogue."""

from __future__ import annotations

import dataclasses
import os
from typing import Any, Mapping, Optional, Tuple

from isoshard._errors import InputError

InputTuple = Tuple[str, Optional[str]]


@dataclasses.dataclass
class Source:
    """A program as the library takes it: its name, and its text where it is no file."""

    name: str
    text: str | None = None
    lowered: Any = None  # of JAX

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


def _lower(function: Any, args: tuple, kwargs: Mapping[str, Any]) -> Any:
    if hasattr(function, "lower"):
        return function.lower(*args, **kwargs)
    import jax

    return jax.jit(function, keep_unused=True).lower(*args, **kwargs)


def source_of(program: Any, args: tuple, kwargs: Mapping[str, Any], fallback: str) -> Source:
    """`fallback` is what a text without a name is called."""
    if isinstance(program, os.PathLike):
        return Source(os.fspath(program))
    if isinstance(program, str):
        is_text = "\n" in program or program.lstrip().startswith(("module", "isoshard "))
        return Source(fallback, program) if is_text else Source(program)
    if hasattr(program, "as_text"):
        return Source(fallback + ".mlir", _text_of(program), program)
    if callable(program):
        lowered = _lower(program, args, kwargs)
        return Source(_name_of(program) + ".mlir", _text_of(lowered), lowered)
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


def sizes_for(sources: list[Source], mesh: Any) -> dict[str, int]:
    """The sizes to say: what JAX has lowered now names its mesh itself, but in the older form (GSPMD)."""
    sizes = sizes_of(mesh)
    lowered = [s for s in sources if s.lowered is not None]
    if lowered and any("sdy.mesh" in (s.text or "") for s in lowered):
        return {}
    return sizes


def distinct(sharded: Source, reference: Source) -> None:
    """Gives two texts of one name two names, which messages tell apart."""
    if sharded.name == reference.name and reference.text is not None:
        stem, dot, suffix = reference.name.partition(".")
        reference.name = stem + "_reference" + dot + suffix


def input_error(message: str) -> InputError:
    return InputError(f"error: {message}")
