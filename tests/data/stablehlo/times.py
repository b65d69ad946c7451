#!/usr/bin/python3
"""Prints the table of docs/jax.md: the verdict of each pair, and the seconds of processor time that it takes.

    ISOSHARD_BINARY=build/release/apps/isoshard python3 tests/data/stablehlo/times.py
"""

import json
import os
import pathlib
import resource
import subprocess
import time

HERE = pathlib.Path(__file__).resolve().parent
BINARY = os.environ["ISOSHARD_BINARY"]


def seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.stdout.rstrip().rsplit("\n", 1)[-1], after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def row(name):
    pair = [str(HERE / "cases" / name / f"{side}.mlir") for side in ("sharded", "reference")]
    runs = [seconds([BINARY, "check", *pair]) for _ in range(3)]
    verdict = next(word for word in ("NOT EQUAL", "NOT REFUTED", "EQUAL", "COULD NOT DECIDE") if runs[0][0].startswith(word))
    return f"`{name}` | {verdict} | {min(spent for _, spent in runs):.3f}"


def main():
    names = list(json.loads((HERE / "verdicts.json").read_text(encoding="utf-8")))
    begin = time.monotonic()
    rows = [row(name) for name in names]
    half = (len(rows) + 1) // 2
    print("| pair | verdict | s | pair | verdict | s |\n|---|---|--:|---|---|--:|")
    for left, right in zip(rows[:half], rows[half:] + ["| |"] * (2 * half - len(rows))):
        print(f"| {left} | {right} |")
    print(f"\nall, three times: {time.monotonic() - begin:.1f} s")


if __name__ == "__main__":
    main()
