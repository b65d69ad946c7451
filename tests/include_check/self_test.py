#!/usr/bin/python3
"""The include check finds what is planted in a small tree, each kind of violation, and nothing else."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import include_check

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
    ("core/text/parser.cc", '#include "core/transform/dce.h"', "core/text may not include core/transform"),
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


def violations(files):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text + "\n", encoding="utf-8")
        return include_check.check(root)[0]


class IncludeCheck(unittest.TestCase):
    def test_clean_tree(self):
        self.assertEqual(violations(CLEAN), [])

    def test_planted(self):
        for path, line, reason in PLANTED:
            with self.subTest(path=path, line=line):
                text = CLEAN.get(path, "").split("\n") + [line]
                found = violations({**CLEAN, path: "\n".join(text)})
                self.assertEqual(len(found), 1, found)
                self.assertIn(reason, found[0])
                if path in CLEAN:
                    self.assertTrue(found[0].startswith(f"{path}:{len(text)}: "), found[0])


if __name__ == "__main__":
    unittest.main()
