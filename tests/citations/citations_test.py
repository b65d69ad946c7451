#!/usr/bin/python3
"""citations.py finds what is planted in a small tree, each kind of violation in its line, and nothing else."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import citations

CLEAN = {
    "README.md": "[types](docs/types.md#the-five-states), [mail](mailto:a@b.c), [here](#usage)\n# Usage\n`[no](link.md)`",
    "docs/types.md": "# Types\n## The five states\n```\n# no heading\n```\n**Bound.** Words.\n[ADR 3](adr/0003-states.md)",
    "docs/adr/0003-states.md": "[types.md](../types.md), \"The five\nstates\" and docs/types.md.",
    "core/ir/types/type.h": "// docs/types.md, \"Bound\" and \"The five\n/// states\"; types.md; docs/adr/0003-states.md",
    "tests/data/README.md": "Made by `make.py`; see docs/types.md, \"`Types`\".",
    "tests/citations/citations_test.py": "seeds.md",
    "build/note.md": "seeds.md",
}

# (file, line planted at its end, the reason)
PLANTED = [
    ("core/ir/types/type.h", "// spec/seeds.md 1.1", "spec/seeds.md is no document of this repository"),
    ("core/ir/types/type.h", "/// (equivalence.md 4)", "equivalence.md is no document of this repository"),
    ("core/ir/types/type.h", "/// a state (design 4.2)", "`design 4.2` is no section of a document of this repository"),
    ("core/ir/types/type.h", "/// (../neighbour.md)", "../neighbour.md is no document of this repository"),
    ("core/ir/types/type.h", "// docs/states.md, \"Types\"", "docs/states.md is no document of this repository"),
    ("core/ir/types/type.h", "// docs/types.md, \"Bounds\"", "docs/types.md has no section Bounds"),
    ("core/ir/types/type.h", "// `docs/types.md`, \"Types\" and \"no heading\"", "docs/types.md has no section no heading"),
    ("core/ir/types/type.h", "// ADR 4", "there is no ADR 4"),
    ("core/ir/types/type.h", "// docs/adr/0004", "there is no ADR 4"),
    ("docs/types.md", "[a](types.md#bound)", "types.md has no heading for #bound"),
    ("docs/types.md", "[a](#five)", "types.md has no heading for #five"),
    ("docs/types.md", "[a](../core/ir/value.h)", "the link ../core/ir/value.h leads to no file"),
    ("docs/types.md", "[a](types.md#types), \"Kinds\"", "types.md has no section Kinds"),
]


class Citations(unittest.TestCase):
    def found(self, files):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "neighbour.md").write_text("# Outside\n", encoding="utf-8")
            root = pathlib.Path(folder) / "tree"
            for path, text in files.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text + "\n", encoding="utf-8")
            return citations.check(root)[0]

    def test_clean_tree(self):
        self.assertEqual(self.found(CLEAN), [])

    def test_planted(self):
        for path, line, reason in PLANTED:
            with self.subTest(path=path, line=line):
                number = CLEAN[path].count("\n") + 2
                self.assertEqual(self.found({**CLEAN, path: CLEAN[path] + "\n" + line}), [f"{path}:{number}: {reason}"])

    def test_lines_of_a_comment(self):
        text = "\n/// Words (docs/types.md,\n  /// \"The five\n  /// stages\") here."
        self.assertEqual(self.found({**CLEAN, "core/a.cc": text}),
                         ["core/a.cc:2: docs/types.md has no section The five stages"])

    def test_link_to_no_document(self):
        found = self.found({**CLEAN, "docs/a.md": "[a](b.md)"})
        self.assertEqual(found, ["docs/a.md:1: the link b.md leads to no file"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
