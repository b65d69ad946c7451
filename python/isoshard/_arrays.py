"""Arrays of NumPy, JAX, PyTorch (DLPack) as name, dtype, shape and bytes, and back."""

from __future__ import annotations

from typing import Any, Tuple

import numpy as np

ArrayTuple = Tuple[str, str, "list[int]", bytes]

_NAMES = {  # of NumPy and of ml_dtypes, by which JAX names what NumPy lacks
    "bool": "pred",
    "int8": "i8",
    "uint8": "u8",
    "int32": "i32",
    "uint32": "u32",
    "int64": "i64",
    "uint64": "u64",
    "float8_e4m3fn": "f8e4m3",
    "float8_e5m2": "f8e5m2",
    "bfloat16": "bf16",
    "float16": "f16",
    "float32": "f32",
    "float64": "f64",
}
_NUMPY = {name: numpy for numpy, name in _NAMES.items()} | {"key": "uint64"}


def _as_numpy(array: Any) -> np.ndarray:
    foreign = hasattr(array, "__dlpack__") and not isinstance(array, np.ndarray) and not hasattr(array, "__array__")
    return np.from_dlpack(array) if foreign else np.asarray(array)


def to_tuple(name: str, array: Any) -> ArrayTuple:
    """`array`, anything that NumPy takes or that has DLPack; a TypeError where isoshard has no such dtype."""
    numbers = _as_numpy(array)
    dtype = _NAMES.get(numbers.dtype.name)
    if dtype is None:
        raise TypeError(f"the array {name} is of {numbers.dtype}; expected one of {', '.join(_NAMES)}")
    little = numbers.astype(numbers.dtype.newbyteorder("<"), copy=False)
    return name, dtype, list(numbers.shape), little.tobytes()


def dtype_of(name: str) -> np.dtype:
    """NumPy's dtype; where ml_dtypes is not installed, floats that NumPy lacks are bytes, as in an archive (`V2`)."""
    numpy = _NUMPY[name]
    if numpy == "bfloat16" or numpy.startswith("float8"):
        try:
            import ml_dtypes  # comes with JAX
        except ImportError:
            return np.dtype("V2" if numpy == "bfloat16" else "V1")
        return np.dtype(getattr(ml_dtypes, numpy))
    return np.dtype(numpy).newbyteorder("<")


def to_numpy(array: ArrayTuple) -> np.ndarray:
    """An array of its own, which can be written and handed on by DLPack."""
    _, dtype, shape, data = array
    return np.frombuffer(data, dtype_of(dtype)).reshape(shape).copy()
