#!/usr/bin/python3
"""The examples in README.md and docs/ run and print what stands below them.

A ```shard block is a whole file. The ```console block behind it says how it runs, and its first argument that ends in
`.shard` is the name of that file. Each line `$ COMMAND` is a shell command in a folder with all files of the page so far,
the program as `isoshard`, `examples/` and `tests/`; the lines below it are exactly what it prints, errors included.
ISOSHARD_BLESS=1 rewrites them. A block that is no whole file says ```shard fragment and is not run.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
import blessing
from isoshard import BINARY, HOLDS, ROOT, run

FENCE = re.compile(r"^```(\S*) *(.*)$")
FILE = re.compile(r"(?<![\w/.])[\w.]+\.shard\b")


class Block:
    """A fenced block: `lines` without its fences, the first of which stands at index `start` of the page."""

    def __init__(self, language, word, start):
        self.language, self.word, self.start, self.lines = language, word, start, []


def blocks_of(lines):
    blocks, block = [], None
    for at, line in enumerate(lines):
        fence = FENCE.match(line)
        if block is not None and line == "```":
            blocks.append(block)
            block = None
        elif block is not None:
            block.lines.append(line)
        elif fence:
            block = Block(fence.group(1), fence.group(2), at + 1)
    if block is not None:
        raise ValueError(f"line {block.start}: the block has no end")
    return blocks


class Page:
    """Runs the blocks of one page; `errors` says what is wrong with it, `blessed()` is the page with all outputs."""

    def __init__(self, text, folder):
        self.lines, self.folder, self.errors, self.outputs, self.runs = text.split("\n"), folder, [], [], 0
        (folder / "bin").mkdir()
        (folder / "bin" / "isoshard").symlink_to(pathlib.Path(BINARY).resolve())
        (folder / "examples").symlink_to(ROOT / "examples")
        (folder / "tests").symlink_to(ROOT / "tests")
        blocks = blocks_of(self.lines)
        for block, following in zip(blocks, blocks[1:] + [None]):
            self.read(block, following)

    def error(self, block, message):
        self.errors.append(f"line {block.start}: {message}")

    def read(self, block, following):
        whole = block.lines[:1] == ["isoshard 1"]
        if block.language == "console":
            self.run(block)
        elif block.language != "shard" and whole:
            self.error(block, "a `.shard` file in a block that is not ```shard")
        elif block.language == "shard" and block.word == "fragment":
            if whole:
                self.error(block, "a whole file is no fragment")
        elif block.language == "shard":
            self.write(block, following)

    def write(self, block, following):
        name = FILE.search(" ".join(following.lines[:1])) if following and following.language == "console" else None
        if not name:
            self.error(block, "no ```console block behind it says how this file runs; is it a ```shard fragment?")
            return
        (self.folder / name.group()).write_text("\n".join(block.lines) + "\n")

    def run(self, block):
        commands = [at for at, line in enumerate(block.lines) if line.startswith("$ ")]
        if commands[:1] != [0]:
            self.error(block, "a ```console block starts with `$ COMMAND`")
            return
        result = []
        for at, end in zip(commands, commands[1:] + [len(block.lines)]):
            self.runs += 1
            printed, written = self.execute(block.lines[at][2:]), block.lines[at + 1:end]
            refused = blessing.refusal(written, printed)
            result += [block.lines[at], *(written if refused else printed)]
            if printed != written:
                shown, how = "\n".join(printed), refused or "ISOSHARD_BLESS=1 writes it into the page"
                self.error(block, f"{block.lines[at]}\n  prints ({how})\n{shown}")
        self.outputs.append((block, result))

    def execute(self, command):
        environment = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "CLICOLOR_FORCE")}
        environment["PATH"] = f"{self.folder}/bin:{environment['PATH']}"
        done = subprocess.run(["sh", "-c", command], cwd=self.folder, env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=240, check=False)
        return done.stdout.decode(errors="replace").splitlines()

    def blessed(self):
        lines = list(self.lines)
        for block, result in reversed(self.outputs):
            lines[block.start:block.start + len(block.lines)] = result
        return "\n".join(lines)


class Docs(unittest.TestCase):
    def page(self, text):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return Page(text, pathlib.Path(folder.name))

    @unittest.skipIf(os.environ.get("ISOSHARD_SANITIZE"), "minutes; the release tree runs them")
    def test_pages(self):
        runs = 0
        for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
            page = self.page(path.read_text())
            if os.environ.get("ISOSHARD_BLESS") and page.blessed() != path.read_text():
                path.write_text(page.blessed())
            with self.subTest(path.relative_to(ROOT)):
                self.assertEqual([], page.errors, "\n" + "\n\n".join(page.errors))
            runs += page.runs
        self.assertGreater(runs, 50)

    def test_types_name_every_op_and_show_every_rule(self):
        types = (ROOT / "docs" / "types.md").read_text()
        table = "\n".join(line for line in types.split("\n") if line.startswith("|"))
        code, ops, _ = run("ops")
        self.assertEqual(HOLDS, code)
        names = [line.split()[0] for line in ops.splitlines() if line.strip()]
        self.assertGreater(len(names), 50)
        self.assertEqual([], [name for name in names if not re.search(rf"`{name}\b", table)])
        rules = set(re.findall(r"^\| `(S-\w+)`", (ROOT / "docs" / "rules.md").read_text(), re.MULTILINE))
        self.assertGreater(len(rules), 15)
        self.assertEqual(set(), rules - set(re.findall(r"\[(S-\w+)\]", types)), "each state error has an example")

    def test_language_names_every_op(self):
        language = (ROOT / "docs" / "language.md").read_text()
        _, ops, _ = run("ops")
        names = [line.split()[0] for line in ops.splitlines() if line.strip()]
        self.assertEqual([], [name for name in names if not re.search(rf"`{name}\b", language)])

    RIGHT = """\
Text.
```shard
isoshard 1
let a = 1/2
```
```console
$ isoshard check half.shard
half.shard:2:9: error: `1/2` = 1 / 2 is not exact: it leaves a remainder of 1; choose numbers that divide [E-divide]
    let a = 1/2
            ^^^
$ ls examples | grep tp_mlp
tp_mlp.shard
```
"""

    def test_a_page(self):
        page = self.page(self.RIGHT)
        self.assertEqual(([], 2, self.RIGHT), (page.errors, page.runs, page.blessed()))

    def test_a_changed_output_is_found_and_rewritten(self):
        for wrong in (self.RIGHT.replace("remainder of 1", "remainder of 2"), self.RIGHT.replace("            ^^^\n", ""),
                      self.RIGHT.replace("tp_mlp.shard\n", "tp_mlp.shard\nmore\n")):
            self.assertNotEqual(self.RIGHT, wrong)
            page = self.page(wrong)
            self.assertEqual(1, len(page.errors), page.errors)
            self.assertEqual(self.RIGHT, page.blessed())

    def test_blocks_that_nothing_runs(self):
        def errors(text):
            return len(self.page(text).errors)

        self.assertEqual(1, errors("```shard\nisoshard 1\n```\n"))
        self.assertEqual(1, errors("```shard\nisoshard 1\n```\n```\n$ isoshard check a.shard\n```\n"))
        self.assertEqual(1, errors("```shard fragment\nisoshard 1\n```\n"))
        self.assertEqual(1, errors("```\nisoshard 1\n```\n"))
        self.assertEqual(1, errors("```console\nisoshard check a.shard\n```\n"))
        self.assertEqual(0, errors("```shard fragment\n%y = add %a, %b\n```\n```\nanything\n```\n"))
        with self.assertRaises(ValueError):
            self.page("```\nno end\n")


if __name__ == "__main__":
    unittest.main(verbosity=2)
