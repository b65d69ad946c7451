#!/usr/bin/python3
"""The checks of this folder find what is planted in a small tree, each kind of violation, and nothing else."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import include_check
import source_lists

CLEAN = {
    "core/support/check.h": "#include <string>",
    "core/value/tensor.h": '#include "core/support/check.h"\n#include "core/value/dtype.h"',
    "core/value/dtype.h": "",
    "core/ir/mesh.h": '#include "core/value/tensor.h"',
    "core/text/parser.cc": '#include "core/ir/mesh.h"',
    "core/transform/dce.h": "",
    "core/plan/plan.h": '#include "core/transform/dce.h"\n#include "core/ir/mesh.h"',
    "sim/engine.h": '#include "core/plan/plan.h"\n#include <atomic>\n#include <chrono>',
    "verify/equivalence.cc": '#include "sim/engine.h"',
    "exec/stream.cc": "#include <cuda_runtime.h>\n#include <nccl.h>",
    "apps/isoshard/main.cc": '#include "verify/report.h"',
    "verify/report.h": "",
    "tests/unit/engine_test.cc": '#include "sim/engine.h"\n#include "tests/unit/programs.h"',
    "tests/unit/programs.h": "",
}

# (file, line planted at its end, words of the reason)
PLANTED = [
    ("core/support/check.h", '#include "core/value/tensor.h"', "core/support may not include core/value"),
    ("core/value/tensor.h", '#include "core/ir/mesh.h"', "core/value may not include core/ir"),
    ("core/ir/mesh.h", '#  include "core/plan/plan.h"', "core/ir may not include core/plan"),
    ("core/transform/dce.h", '#include "core/text/parser.cc"', "core/transform may not include core/text"),
    ("core/plan/plan.h", '#include "sim/engine.h"', "core/plan may not include sim"),
    ("sim/engine.h", '#include "verify/report.h"', "sim may not include verify"),
    ("sim/engine.h", '#include "exec/stream.h"', "no file of the repository"),
    ("exec/stream.cc", '#include "sim/engine.h"', "exec may not include sim"),
    ("verify/report.h", '#include "tests/unit/programs.h"', "verify may not include tests"),
    ("apps/isoshard/main.cc", '#include "tests/unit/programs.h"', "apps may not include tests"),
    ("tests/unit/engine_test.cc", '#include "programs.h"', "no file of the repository"),
    ("core/ir/mesh.h", "#include <thread>", "no thread header"),
    ("core/plan/plan.h", "#include <atomic>", "no thread header"),
    ("core/plan/plan.h", "#include <chrono>", "no clock header"),
    ("core/value/tensor.h", "#include <cuda_runtime.h>", "no GPU header"),
    ("sim/engine.h", "#include <nccl.h>", "no GPU header"),
    ("core/value/tensor.h", "#include <cblas.h>", "no BLAS header"),
    ("core/lonely.h", "", "in no box"),
]


def violations(check, files):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text + "\n", encoding="utf-8")
        return check(root)[0]


class IncludeCheck(unittest.TestCase):
    def test_clean_tree(self):
        self.assertEqual(violations(include_check.check, CLEAN), [])

    def test_planted(self):
        for path, line, reason in PLANTED:
            with self.subTest(path=path, line=line):
                text = CLEAN.get(path, "").split("\n") + [line]
                found = violations(include_check.check, {**CLEAN, path: "\n".join(text)})
                self.assertEqual(len(found), 1, found)
                self.assertIn(reason, found[0])
                if path in CLEAN:
                    self.assertTrue(found[0].startswith(f"{path}:{len(text)}: "), found[0])


LISTS = {f"{top}/CMakeLists.txt": "" for top in source_lists.TOPS} | {
    "core/CMakeLists.txt": "library(a\n  SOURCES\n    ir/b.cc\n    ir/c.cc)\nlibrary(b\n  SOURCES\n    ir/a.cc)",
    "core/ir/a.cc": "",
    "core/ir/b.cc": "",
    "core/ir/c.cc": "",
}


class SourceLists(unittest.TestCase):
    def test_clean_tree(self):
        self.assertEqual(violations(source_lists.check, LISTS), [])

    def test_unlisted(self):
        found = violations(source_lists.check, {**LISTS, "tests/unit/forgotten_test.cc": ""})
        self.assertEqual(found, ["tests/unit/forgotten_test.cc:1: in no list of tests/CMakeLists.txt"])

    def test_unsorted(self):
        found = violations(source_lists.check, {**LISTS, "core/CMakeLists.txt": "  ir/c.cc\n  ir/a.cc\n  ir/b.cc"})
        self.assertEqual(found, ["core/CMakeLists.txt:2: ir/a.cc stands after ir/c.cc; the lists are sorted"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
