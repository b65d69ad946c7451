#!/usr/bin/python3
"""Checks that #include lines follow the arrows between the boxes of the source tree (docs/architecture.md).

    include_check.py ROOT        prints one `file:line: reason` per violation; exit code 1 if there is one

A box includes itself and the boxes of the layers below it, never another box of its own layer, with one exception
(EXCEPTIONS). Quoted includes start at the repository root. Threads, clocks, GPUs and BLAS stay out of the boxes that
FORBIDDEN names.
"""

import pathlib
import re
import sys

LAYERS = [
    ["core/support"],
    ["core/value", "core/schedule"],
    ["core/ir"],
    ["core/transform"],
    ["core/text"],
    ["core/plan"],
    ["core/parallel", "core/import"],
    ["sim", "verify", "exec"],
    ["apps", "bench", "tests"],
]
LAYER_OF = {box: layer for layer, boxes in enumerate(LAYERS) for box in boxes}
EXCEPTIONS = {("verify", "sim")}

THREADS = r"(atomic|barrier|condition_variable|future|latch|mutex|semaphore|shared_mutex|stop_token|thread|pthread\.h|omp\.h)"
CLOCKS = r"(chrono|sys/time\.h)"
GPU = r"(cuda|cublas|cudnn|cub/|thrust/|nccl|nvrtc|nvml|hip/|rccl).*"
BLAS = r"(cblas|f77blas|lapack|openblas|blis|mkl|Eigen/|dnnl).*"
FORBIDDEN = [  # (folder, what, pattern of the whole include path)
    ("core/", "thread", THREADS),
    ("core/", "clock", CLOCKS),
    ("core/", "GPU", GPU),
    ("sim/", "GPU", GPU),
    ("verify/", "GPU", GPU),
    ("core/", "BLAS", BLAS),
    ("sim/", "BLAS", BLAS),
]

INCLUDE = re.compile(r'\s*#\s*include\s*(["<])([^">]+)[">]')
SUFFIXES = {".h", ".cc", ".cu", ".cuh", ".inc"}


def box_of(path):
    """The box of a path relative to the root, or None."""
    parts = path.split("/")
    box = "/".join(parts[:2]) if parts[0] == "core" else parts[0]
    return box if box in LAYER_OF and len(parts) > len(box.split("/")) else None


def violation(root, path, quote, included):
    """The reason why `path` may not include `included`, or None."""
    for folder, what, pattern in FORBIDDEN:
        if path.startswith(folder) and re.fullmatch(pattern, included):
            return f"{folder} includes no {what} header, but here is {included}"
    if quote == "<":
        return None
    source, target = box_of(path), box_of(included)
    if target is None or not (root / included).is_file():
        return f'"{included}" is no file of the repository; quoted includes start at its root'
    if source == target or (source, target) in EXCEPTIONS or LAYER_OF[target] < LAYER_OF[source]:
        return None
    return f'{source} may not include {target} ("{included}")'


def source_paths(root):
    """The paths of all sources, relative to the root."""
    tops = sorted({box.split("/")[0] for box in LAYER_OF})
    return sorted(f.relative_to(root).as_posix() for top in tops for f in (root / top).rglob("*") if f.suffix in SUFFIXES)


def check(root):
    """All violations below `root`, as lines of text, and the number of files read."""
    found, count = [], 0
    for path in source_paths(root):
        file, count = root / path, count + 1
        if box_of(path) is None:
            found.append(f"{path}:1: this folder is in no box; add it to LAYERS of {pathlib.Path(__file__).name}")
            continue
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            match = INCLUDE.match(line)
            reason = match and violation(root, path, *match.groups())
            if reason:
                found.append(f"{path}:{number}: {reason}")
    return found, count


def main():
    found, count = check(pathlib.Path(sys.argv[1]))
    print("\n".join(found) if found else f"{count} files follow the arrows")
    return 1 if found or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
