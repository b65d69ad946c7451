#!/usr/bin/env python3
"""Writes the texts of this folder from examples/jax/*.py; README.md says which versions, and how the sources are built.

    generate.py [NAME ...]      all programs when none is named; run it from anywhere

Every program runs before its text is written, with two draws of its arguments on 8 devices of the CPU: each device's block
of each result is compared with the reference. A right program that differs, or a wrong one that does not, is an error.
"""

import json
import os
import pathlib
import re
import sys
import types

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
os.environ["JAX_PLATFORMS"] = "cpu"
ROOT = pathlib.Path(__file__).resolve().parents[3]
os.chdir(ROOT)

import jax  # noqa: E402
import numpy as np  # noqa: E402
from jax._src import source_info_util  # noqa: E402

source_info_util.register_exclusion(__file__)  # locations are those of the examples, whatever calls them

HERE = pathlib.Path("tests/data/jax_programs")
SAME, OTHER = 5e-5, 1e-3  # the largest difference by the largest value: below is rounding, above is a mistake
LIBRARIES = re.compile(r'loc\("/[^"]*?/(?:site-packages|lib/python3\.\d+)/')
HIDDEN = re.compile(r'loc\("/')


def load(name, source):
    module = types.ModuleType(name)
    exec(compile(source, f"examples/jax/{name}.py", "exec"), module.__dict__)
    return module


def twins(source, module):
    """{file name: source}: each wrong twin is the program with one place written otherwise, and the same lines."""
    found = {"sharded": source, "reference": source}
    for number, (_, old, new) in enumerate(module.WRONG, 1):
        body = source[:source.index("\nWRONG")]
        assert body.count(old) == 1, (module.__name__, number, body.count(old))
        assert old.count("\n") == new.count("\n"), (module.__name__, number)
        found[f"wrong_{number}"] = source.replace(old, new, 1)
    return found


def names_of(tree, head):
    return [head + jax.tree_util.keystr(path) for path, _ in jax.tree_util.tree_flatten_with_path(tree)[0]]


def difference(got, want):
    """The largest difference of one result by its largest value, over the blocks of all devices."""
    want = np.asarray(want, np.float64)
    scale = max(1e-6, float(np.max(np.abs(want), initial=0)))
    blocks = [(np.asarray(shard.data, np.float64), want[shard.index]) for shard in got.addressable_shards]
    worst = 0.0
    for block, expected in blocks:
        assert block.shape == expected.shape and np.isfinite(block).all() and np.isfinite(want).all()
        worst = max(worst, float(np.max(np.abs(block - expected), initial=0)) / scale)
    return worst


def differing(program, module, limit):
    """Names of the results that are not those of the reference, for one of two draws of the arguments."""
    found = set()
    for seed in (0, 1):
        args = module.arguments(np.random.default_rng(seed))
        want = jax.jit(module.reference)(*args.values())
        got = jax.jit(program)(*args.values())
        for name, x, y in zip(names_of(want, "result"), jax.tree.leaves(got), jax.tree.leaves(want), strict=True):
            if difference(x, y) > limit:
                found.add(name)
    return sorted(found)


def text_of(function, args):
    return portable(jax.jit(function, keep_unused=True).lower(*args.values()).as_text(debug_info=True))


def portable(text):
    """Without folders of this machine."""
    text = text.rstrip() + "\n"
    text = LIBRARIES.sub('loc("', text.replace(f'loc("{ROOT}/', 'loc("'))
    assert not HIDDEN.search(text), HIDDEN.search(text).string[HIDDEN.search(text).start():][:99]
    return text


def write(path):
    name, source = path.stem, path.read_text(encoding="utf-8")
    module = load(name, source)
    folder = HERE / name
    folder.mkdir(exist_ok=True)
    if hasattr(module, "texts"):  # no program and its twins
        for text_name, text in module.texts():
            (folder / f"{text_name}.mlir").write_text(portable(text), encoding="utf-8")
        return
    args = module.arguments(np.random.default_rng(0))
    wrong = []
    for twin, text in twins(source, module).items():
        changed = load(name, text)
        function = changed.reference if twin == "reference" else changed.sharded
        results = [] if twin == "reference" else differing(function, module, SAME if twin == "sharded" else OTHER)
        assert bool(results) == twin.startswith("wrong"), (name, twin, results)
        (folder / f"{twin}.mlir").write_text(text_of(function, args), encoding="utf-8")
        if results:
            why, old, new = module.WRONG[int(twin[-1]) - 1]
            changed_at = [i for i, (a, b) in enumerate(zip(source.splitlines(), text.splitlines()), 1) if a != b]
            wrong.append({"text": twin, "verdict": "not_equal", "why": why, "lines": changed_at,
                          "wrong_results": results})
    case = {"name": name, "about": " ".join(module.__doc__.split()), "mesh": dict(module.mesh.shape),
            "verdict": "equal", "wrong": wrong}
    (folder / "case.json").write_text(json.dumps(case, indent=1) + "\n", encoding="utf-8")
    print(f"{name:28s}", *(f"{p.stem} {len(p.read_text()) // 1024}K" for p in sorted(folder.glob("*.mlir"))), flush=True)


def main():
    only = set(sys.argv[1:])
    failed = []
    for path in sorted(pathlib.Path("examples/jax").glob("*.py")):
        if only and path.stem not in only:
            continue
        try:
            write(path)
        except Exception as error:  # one report for all programs
            failed.append(path.stem)
            print(f"{path.stem}: {type(error).__name__}: {str(error)[:1500]}", flush=True)
    sys.exit(f"failed: {failed}" if failed else 0)


if __name__ == "__main__":
    main()
