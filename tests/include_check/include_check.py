#!/usr/bin/python3
"""Checks that #include lines follow the arrows of the house (docs/architecture.md).

    include_check.py ROOT        prints one `file:line: reason` per violation; exit code 1 if there is one

A box includes itself and the boxes of the layers below it, never another box of its own layer nor one that APART names.
The public headers, <isoshard/...>, are for PUBLIC and include nothing but each other.
Inside of boxes, too, no folder includes one that includes it, by whatever way, and no unit (a header with its source)
another one: a cycle is printed with the line of each of its arrows. `core/ir` is one folder with those below it. A header
that says `#pragma once  // internal` is included from its folder and from tests only, and by no header that others may
include, through which all would read it. Quoted includes start at the repository root. Threads, clocks, GPUs and BLAS
stay out of the boxes that FORBIDDEN names.
"""

import collections
import functools
import pathlib
import re
import sys

LAYERS = [
    ["include"],
    ["core/support"],
    ["core/value", "core/schedule"],
    ["core/ir"],
    ["core/transform"],
    ["core/plan"],
    ["core/text", "core/import"],
    ["parallel", "sim", "exec"],
    ["catalogue", "verify"],
    ["library", "pictures"],
    ["command_line"],
    ["apps", "bench", "tests", "python"],
]
LAYER_OF = {box: layer for layer, boxes in enumerate(LAYERS) for box in boxes}
APART = {("verify", "parallel"), ("catalogue", "sim"), ("verify", "exec"), ("catalogue", "exec"),
         ("library", "exec"), ("pictures", "parallel"), ("pictures", "sim"), ("pictures", "exec"), ("pictures", "catalogue")}  # but for the layers
APART |= {(user, box) for user in ("apps", "python") for boxes in LAYERS for box in boxes}  # they have <isoshard/...> and nothing else
PUBLIC = {"include", "library", "command_line", "apps", "bench", "tests", "python"}  # who may include <isoshard/...>

THREADS = r"(atomic|barrier|condition_variable|future|latch|mutex|semaphore|shared_mutex|stop_token|thread|pthread\.h|omp\.h)"
CLOCKS = r"(chrono|sys/time\.h)"
GPU = r"(cuda|cublas|cudnn|cub/|thrust/|nccl|nvrtc|nvml|hip/|rccl).*"
BLAS = r"(cblas|f77blas|lapack|openblas|blis|mkl|Eigen/|dnnl).*"
FORBIDDEN = [  # (folder, what, pattern of the whole include path)
    ("core/", "thread", THREADS),
    ("core/", "clock", CLOCKS),
    ("core/", "GPU", GPU),
    ("parallel/", "thread", THREADS),
    ("parallel/", "GPU", GPU),
    ("catalogue/", "GPU", GPU),
    ("sim/", "GPU", GPU),
    ("verify/", "GPU", GPU),
    ("core/", "BLAS", BLAS),
    ("sim/", "BLAS", BLAS),
]
ALLOWED = {("core/support/shared.h", "atomic")}  # counts owners, which may be on several threads; starts none

INCLUDE = re.compile(r'\s*#\s*include\s*(["<])([^">]+)[">]')
INTERNAL = re.compile(r"^#pragma once  // internal$", re.M)
SUFFIXES = {".h", ".cc", ".cu", ".cuh", ".inc"}


def box_of(path):
    """The box of a path relative to the root, or None."""
    parts = path.split("/")
    box = "/".join(parts[:2]) if parts[0] == "core" else parts[0]
    return box if box in LAYER_OF and len(parts) > len(box.split("/")) else None


def folder_of(path):
    folder = path.rsplit("/", 1)[0]
    return "core/ir" if folder.startswith("core/ir/") else folder


def unit_of(path):
    return path.rsplit(".", 1)[0]


@functools.cache
def is_internal(file):
    return INTERNAL.search(file.read_text(encoding="utf-8")) is not None


def public_violation(root, source, included):
    """The reason why the box `source` may not include <included>, or None."""
    if not included.startswith("isoshard/"):
        return None
    if source not in PUBLIC:
        return f"{source} may not include what users include, <{included}>"
    file = root / "include" / included
    return None if file.is_file() or file.with_suffix(".h.in").is_file() else f"<{included}> is no public header"


def violation(root, path, quote, included):
    """The reason why `path` may not include `included`, or None."""
    for folder, what, pattern in FORBIDDEN:
        if path.startswith(folder) and re.fullmatch(pattern, included) and (path, included) not in ALLOWED:
            return f"{folder} includes no {what} header, but here is {included}"
    source, target = box_of(path), box_of(included)
    if quote == "<":
        return public_violation(root, source, included)
    if target == "include":
        return f'"{included}" is public; say <{included.removeprefix("include/")}>'
    if target is None or not (root / included).is_file():
        return f'"{included}" is no file of the repository; quoted includes start at its root'
    below = LAYER_OF[target] < LAYER_OF[source] and (source, target) not in APART
    if source != target and not below:
        return f'{source} may not include {target} ("{included}")'
    if source == "tests" or not is_internal(root / included):
        return None
    if folder_of(path) != folder_of(included):
        return f'"{included}" is internal to {folder_of(included)}'
    if path.endswith(".h") and not is_internal(root / path):
        return f'"{included}" is internal, and {path} is not: whoever includes it reads both'
    return None


def source_paths(root):
    """The paths of all sources, relative to the root."""
    tops = sorted({box.split("/")[0] for box in LAYER_OF})
    return sorted(f.relative_to(root).as_posix() for top in tops for f in (root / top).rglob("*") if f.suffix in SUFFIXES)


def way_back(arrows, start):
    """The shortest way from `start` to itself, as nodes, or None."""
    before, queue = {}, collections.deque([start])
    while queue:
        node = queue.popleft()
        for following in sorted(arrows[node]):
            if following == start:
                way = [start, node]
                while node != start:
                    node = before[node]
                    way.append(node)
                return way[::-1]
            if following not in before:
                before[following] = node
                queue.append(following)
    return None


def cycles(kind, arrows):
    """A line of text for each shortest cycle; `arrows[a][b]` is where `a` includes `b`."""
    found, seen = [], set()
    for start in sorted(arrows):
        way = way_back(arrows, start)
        if way is None or frozenset(way) in seen:
            continue
        seen.add(frozenset(way))
        steps = ", ".join(f"{arrows[a][b]} includes {b}" for a, b in zip(way, way[1:]))
        found.append(f"{arrows[way[0]][way[1]]}: a cycle of {kind}: {' -> '.join(way)} ({steps})")
    return found


def check(root):
    """All violations below `root`, as lines of text, and the number of files read."""
    found, count = [], 0
    folders, units = collections.defaultdict(dict), collections.defaultdict(dict)
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
            if match is None or match.group(1) == "<" or reason:
                continue
            for arrows, node in ((folders, folder_of), (units, unit_of)):
                if node(path) != node(match.group(2)):
                    arrows[node(path)].setdefault(node(match.group(2)), f"{path}:{number}")
    for kind, arrows in (("folders", folders), ("units", units)):
        for node in [to for some in arrows.values() for to in some]:
            arrows[node]  # those that include nothing, too
        found += cycles(kind, arrows)
    return found, count


def main():
    found, count = check(pathlib.Path(sys.argv[1]))
    print("\n".join(found) if found else f"{count} files follow the arrows")
    return 1 if found or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
