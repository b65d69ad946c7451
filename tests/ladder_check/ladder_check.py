#!/usr/bin/python3
"""Checks that every pair of the ladder is a test, with the verdict it must have, and that docs/ladder.md lists it.

    ladder_check.py ROOT            prints one line per violation; exit code 1 if there is one
    ladder_check.py ROOT --write    rewrites the tables of docs/ladder.md

A `check` line below tests/files that ends in `// pair: NAME` is one of the pairs of PAIRS; one that ends in
`// must VERDICT: NAME` is a further pair (`not EQUAL`: a wrong program that may stay undecided). The `verdict:` directives
of the file say what isoshard says about them, and the runs of these files are tests themselves, so a verdict that stands
there was seen.
"""

import pathlib
import re
import sys

# Right pairs that rest on orders alone: orders are drawn, which is NOT REFUTED (docs/soundness.md).
ORDERS_ALONE = {
    "softplus with and without abs",
    "argmax of blocks",
    "median of three in another order",
    "relu mask from input or output",
    "argmax by halves",
    "top2 softmax masked or selected",
}

# The pairs on which the rules of the ladder were found, and the verdict that each must have. "right" is a right program
# that needs a law which no rung has: EQUAL or COULD NOT DECIDE.
PAIRS = {
    "tp mlp gelu bias on rank 0": "EQUAL",
    "tp mlp bias on every rank": "NOT EQUAL",
    "relu before all reduce": "NOT EQUAL",
    "sequence parallel norm grad": "EQUAL",
    "sequence parallel norm grad not reduced": "NOT EQUAL",
    "rmsnorm hidden axis sharded": "EQUAL",
    "attention heads split": "EQUAL",
    "vocab parallel cross entropy": "EQUAL",
    "mean cross entropy naive lse": "EQUAL",
    "vocab parallel ce sum not reduced": "NOT EQUAL",
    "z loss with lse merge": "EQUAL",
    "ring attention online softmax": "EQUAL",
    "ring attention no rescale": "NOT EQUAL",
    "sharded softmax all max against unshifted": "EQUAL",
    "lse merge of two blocks": "EQUAL",
    "three prenorm layers ring attention": "EQUAL",
    "three prenorm layers value not reduced": "NOT EQUAL",
    "swapped query beside symmetric side path": "NOT EQUAL",
    "cross attention stack swapped query": "NOT EQUAL",
    "relu6 gradient data parallel": "EQUAL",
    "relu6 gradient not reduced": "NOT EQUAL",
    "relu mask from output ge 0": "NOT EQUAL",
    "relu mask from input or output": "EQUAL",
    "adam step sharded grads": "EQUAL",
    "adam step sum instead of mean": "NOT EQUAL",
    "clip by global norm": "EQUAL",
    "clip by local norm": "NOT EQUAL",
    "doubled all reduce before clip": "NOT EQUAL",
    "clip by min or by cases": "right",
    "accumulation mean of means": "NOT EQUAL",
    "accumulation global token count": "EQUAL",
    "dropout by logical coordinates": "EQUAL",
    "dropout by local coordinates": "NOT EQUAL",
    "moe top1": "EQUAL",
    "moe top1 wrong expert order": "NOT EQUAL",
    "hinge margin moved across": "EQUAL",
    "leaky relu by max or select": "right",
    "max tree against max chain": "EQUAL",
    "causal mask 1e30 against skipped": "EQUAL",
    "causal mask split keys masked block": "EQUAL",
    "causal mask 1e4 against skipped": "EQUAL",
    "causal mask off by one": "NOT EQUAL",
    "mean scale before or after": "EQUAL",
    "pipeline micro batches": "EQUAL",
    "silu by hand or logistic": "EQUAL",
    "tanh gelu factored": "EQUAL",
    "tanh gelu as logistic": "EQUAL",
    "tanh gelu decimal or f32 text": "EQUAL",
    "attention scale constant or sqrt": "EQUAL",
    "uneven shards padding ignored": "EQUAL",
    "uneven shards padding summed": "NOT EQUAL",
    "embedding vocabulary parallel": "EQUAL",
    "embedding vocabulary parallel, no mask": "NOT EQUAL",
    "softmax grad stop gradient of max": "EQUAL",
    "top2 softmax masked or selected": "EQUAL",
    "z loss sum of block lse": "NOT EQUAL",
    "mean ce divided twice": "NOT EQUAL",
    "lse merge without max": "NOT EQUAL",
    "hinge margin dropped": "NOT EQUAL",
    "tanh gelu as logistic without 2": "NOT EQUAL",
    "attention scale of local heads": "NOT EQUAL",
    "masked block merged with equal weight": "NOT EQUAL",
    "softmax local max not shared": "NOT EQUAL",
}
FURTHER = 40
MAY = {
    "EQUAL": ["EQUAL as formulas"],
    "NOT EQUAL": ["NOT EQUAL"],
    "not EQUAL": ["NOT EQUAL", "COULD NOT DECIDE"],
    "right": ["EQUAL as formulas", "COULD NOT DECIDE"],
}
DIRECTIVE = re.compile(r"//! (run|meshes|verdict): ?(.*)")
NAMED = re.compile(r"check .*// (?:pair|must (EQUAL|NOT EQUAL|not EQUAL|right)): (.*)")


class Pair:
    """A named check of a file: its verdicts, one per run, and the meshes of these runs."""

    def __init__(self, file, line, must, name):
        self.file, self.line, self.must, self.name = file, line, must, name
        self.verdicts, self.meshes = [], set()


def read(path, name):
    """The named checks of one file."""
    runs, checks, found = [], 0, []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        directive = DIRECTIVE.fullmatch(line)
        if directive:
            key, value = directive.groups()
            if key == "run":
                runs.append(([], re.findall(r"--mesh (\S+)", value)))
            elif runs:
                runs[-1][0 if key == "verdict" else 1].extend([value] if key == "verdict" else value.split())
        elif line.startswith("check "):
            match = NAMED.fullmatch(line)
            if match:
                pair = Pair(name, number, match.group(1) or PAIRS.get(match.group(2)), match.group(2))
                pair.further = match.group(1) is not None
                found.append((checks, pair))
            checks += 1
    for index, pair in found:
        for verdicts, meshes in runs:
            if index < len(verdicts):
                pair.verdicts.append(verdicts[index])
                pair.meshes.update(meshes)
    return [pair for _, pair in found]


def collect(root):
    files = sorted((root / "tests" / "files").rglob("*.shard"))
    return [pair for file in files for pair in read(file, file.relative_to(root).as_posix())]


def complaints(pairs):
    found, seen = [], {}
    for pair in pairs:
        where = f"{pair.file}:{pair.line}: {pair.name}"
        if pair.name in seen:
            found.append(f"{where}: stands at {seen[pair.name]}, too")
        seen[pair.name] = f"{pair.file}:{pair.line}"
        if pair.must is None:
            found.append(f"{where}: no such pair; a further one says `// must VERDICT: NAME`")
            continue
        if len(pair.meshes) < 2:
            found.append(f"{where}: is checked on {len(pair.meshes)} meshes; expected at least 2")
        for verdict in pair.verdicts:
            differs = "BUT f64 differs" in verdict
            if differs and pair.must == "not EQUAL":
                continue
            if pair.name in ORDERS_ALONE and verdict.startswith("NOT REFUTED"):
                continue
            if differs or not any(verdict.startswith(may) for may in MAY[pair.must]):
                found.append(f"{where}: must be {pair.must}; the file expects {verdict}")
    found += [f"no file has the pair {name}" for name in PAIRS if name not in seen]
    further = sum(pair.further for pair in pairs)
    if further < FURTHER:
        found.append(f"{further} further pairs; expected at least {FURTHER}")
    return found


def row(pair):
    short = {verdict.split(":")[0].split(",")[0].strip() for verdict in pair.verdicts}
    got = " / ".join(sorted(v.replace("EQUAL as formulas (", "EQUAL (") + ")" * ("(" in v) for v in short))
    file = pair.file.split("/")[-1]
    return f"| {pair.name} | [{file}](../{pair.file}) | {pair.must} | {got} | {len(pair.meshes)} |"


def tables(pairs):
    """The two tables, each between its title's marker and the next."""
    head = ["| pair | file | must be | verdict | meshes |", "|---|---|---|---|---|"]
    order = {name: number for number, name in enumerate(PAIRS)}
    old = sorted((p for p in pairs if not p.further), key=lambda p: order.get(p.name, 0))
    return ["\n".join(head + [row(p) for p in old]), "\n".join(head + [row(p) for p in pairs if p.further])]


def with_tables(text, pairs):
    for marker, table in zip(("pairs", "further pairs"), tables(pairs)):
        begin, end = f"<!-- {marker} -->\n", f"\n<!-- end of {marker} -->"
        if begin not in text or end not in text:
            raise ValueError(f"docs/ladder.md lacks `{begin.strip()}` or `{end.strip()}`")
        text = text[: text.index(begin) + len(begin)] + table + text[text.index(end) :]
    return text


def check(root, write=False):
    pairs = collect(root)
    found = complaints(pairs)
    page = root / "docs" / "ladder.md"
    text = page.read_text(encoding="utf-8")
    new = with_tables(text, pairs)
    if write:
        page.write_text(new, encoding="utf-8")
    elif new != text:
        found.append("docs/ladder.md: the tables are not those of the files; run ladder_check.py . --write")
    return found


if __name__ == "__main__":
    lines = check(pathlib.Path(sys.argv[1]), "--write" in sys.argv[2:])
    print("\n".join(lines) or "ladder_check: every pair is a test")
    sys.exit(1 if lines else 0)
