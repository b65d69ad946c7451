#!/usr/bin/python3
"""The checks of this folder find what is planted in a small tree, each kind of violation, and nothing else."""

import pathlib
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import each_alone
import include_check
import internal_names
import source_lists
import standard_includes
import test_namespaces

CLEAN = {
    "core/support/check.h": "#include <string>",
    "core/support/shared.h": "#include <atomic>",
    "core/value/tensor.h": '#include "core/support/check.h"\n#include "core/value/dtype.h"',
    "core/value/dtype.h": "",
    "core/ir/types/mesh.h": '#include "core/value/tensor.h"',
    "core/ir/program.h": '#include "core/ir/ops/view.h"',
    "core/ir/ops/view.h": '#include "core/ir/types/mesh.h"',
    "core/transform/dce.h": "",
    "core/transform/dce.cc": '#include "core/transform/dce.h"\n#include "core/transform/uses/uses.h"',
    "core/transform/uses/uses.h": '#include "core/ir/program.h"',
    "core/plan/plan.h": '#include "core/transform/dce.h"\n#include "core/ir/types/mesh.h"',
    "core/plan/lower.cc": '#include "core/plan/steps.h"',
    "core/plan/private.h": "#pragma once  // internal",
    "core/plan/private_too.h": '#pragma once  // internal\n#include "core/plan/private.h"',
    "core/plan/private.cc": '#include "core/plan/private.h"',
    "core/plan/steps.h": '#pragma once  // internal\n#include "core/plan/plan.h"',
    "core/text/print/plan_json.cc": '#include "core/plan/plan.h"',
    "core/text/syntax/parser.cc": '#include "core/ir/types/mesh.h"',
    "parallel/layers/dense.h": '#include "core/plan/plan.h"',
    "catalogue/tensor_parallel/tp_mlp.cc": '#include "parallel/layers/dense.h"',
    "sim/engine/engine.h": '#include "core/plan/plan.h"\n#include <atomic>\n#include <chrono>',
    "verify/equivalence.cc": '#include "sim/engine/engine.h"',
    "exec/stream.cc": "#include <cuda_runtime.h>\n#include <nccl.h>",
    "include/isoshard/report.h": "#include <isoshard/version.h>\n#include <string>",
    "include/isoshard/version.h.in": "",
    "library/report.cc": '#include <isoshard/report.h>\n#include "verify/report/report.h"',
    "python/module.cc": "#include <isoshard/version.h>",
    "apps/isoshard/main.cc": "#include <isoshard/report.h>",
    "command_line/sarif.cc": '#include <isoshard/report.h>\n#include "exec/stream.cc"\n#include "verify/report/report.h"',
    "verify/report/report.h": "",
    "tests/unit/engine_test.cc": '#include "sim/engine/engine.h"\n#include "tests/unit/programs.h"',
    "tests/unit/steps_test.cc": '#include "core/plan/steps.h"',
    "tests/unit/programs.h": "",
}

# (file, line planted at its end, words of the reason)
PLANTED = [
    ("core/support/check.h", '#include "core/value/tensor.h"', "core/support may not include core/value"),
    ("core/value/tensor.h", '#include "core/ir/types/mesh.h"', "core/value may not include core/ir"),
    ("core/ir/types/mesh.h", '#  include "core/plan/plan.h"', "core/ir may not include core/plan"),
    ("core/transform/dce.h", '#include "core/text/syntax/parser.cc"', "core/transform may not include core/text"),
    ("core/plan/plan.h", '#include "core/text/syntax/parser.cc"', "core/plan may not include core/text"),
    ("core/plan/plan.h", '#include "sim/engine/engine.h"', "core/plan may not include sim"),
    ("core/text/syntax/parser.cc", '#include "parallel/layers/dense.h"', "core/text may not include parallel"),
    ("parallel/layers/dense.h", '#include "sim/engine/engine.h"', "parallel may not include sim"),
    ("parallel/layers/dense.h", '#include "catalogue/tensor_parallel/tp_mlp.cc"', "parallel may not include catalogue"),
    ("catalogue/tensor_parallel/tp_mlp.cc", '#include "sim/engine/engine.h"', "catalogue may not include sim"),
    ("sim/engine/engine.h", '#include "verify/report/report.h"', "sim may not include verify"),
    ("sim/engine/engine.h", '#include "exec/stream.h"', "no file of the repository"),
    ("exec/stream.cc", '#include "sim/engine/engine.h"', "exec may not include sim"),
    ("verify/equivalence.cc", '#include "parallel/layers/dense.h"', "verify may not include parallel"),
    ("verify/equivalence.cc", '#include "catalogue/tensor_parallel/tp_mlp.cc"', "verify may not include catalogue"),
    ("verify/equivalence.cc", '#include "exec/stream.cc"', "verify may not include exec"),
    ("verify/report/report.h", '#include "tests/unit/programs.h"', "verify may not include tests"),
    ("apps/isoshard/main.cc", '#include "tests/unit/programs.h"', "apps may not include tests"),
    ("apps/isoshard/main.cc", '#include "command_line/sarif.cc"', "apps may not include command_line"),
    ("apps/isoshard/main.cc", '#include "verify/report/report.h"', "apps may not include verify"),
    ("library/report.cc", '#include "command_line/sarif.cc"', "library may not include command_line"),
    ("tests/unit/engine_test.cc", '#include "programs.h"', "no file of the repository"),
    ("include/isoshard/report.h", '#include "core/plan/plan.h"', "include may not include core/plan"),
    ("library/report.cc", '#include "exec/stream.cc"', "library may not include exec"),
    ("library/report.cc", '#include "include/isoshard/report.h"', "say <isoshard/report.h>"),
    ("library/report.cc", "#include <isoshard/reports.h>", "no public header"),
    ("verify/report/report.h", "#include <isoshard/report.h>", "verify may not include what users include"),
    ("verify/report/report.h", '#include "library/report.cc"', "verify may not include library"),
    ("python/module.cc", '#include "core/plan/plan.h"', "python may not include core/plan"),
    ("core/ir/types/mesh.h", "#include <thread>", "no thread header"),
    ("core/plan/plan.h", "#include <atomic>", "no thread header"),
    ("core/support/check.h", "#include <atomic>", "no thread header"),
    ("core/support/shared.h", "#include <mutex>", "no thread header"),
    ("core/plan/plan.h", "#include <chrono>", "no clock header"),
    ("parallel/layers/dense.h", "#include <mutex>", "no thread header"),
    ("core/value/tensor.h", "#include <cuda_runtime.h>", "no GPU header"),
    ("sim/engine/engine.h", "#include <nccl.h>", "no GPU header"),
    ("core/value/tensor.h", "#include <cblas.h>", "no BLAS header"),
    ("core/lonely.h", "", "in no box"),
    ("core/plan/plan.h", '#include "core/plan/private.h"', '"core/plan/private.h" is internal, and core/plan/plan.h is not'),
    ("sim/engine/engine.h", '#include "core/plan/steps.h"', '"core/plan/steps.h" is internal to core/plan'),
    ("core/text/print/plan_json.cc", '#include "core/plan/steps.h"', '"core/plan/steps.h" is internal to core/plan'),
]

# (files beside the clean ones, the kind of the cycle and its way)
CYCLES = [
    ({"core/plan/a.h": '#include "core/plan/b.h"', "core/plan/b.h": '#include "core/plan/a.h"'},
     "units: core/plan/a -> core/plan/b -> core/plan/a"),
    ({"core/plan/a.h": "", "core/plan/a.cc": '#include "core/plan/a.h"\n#include "core/plan/b.h"',
      "core/plan/b.h": '#include "core/plan/a.h"'},
     "units: core/plan/a -> core/plan/b -> core/plan/a"),
    ({"sim/a.h": '#include "sim/b.h"', "sim/b.h": '#include "sim/c.h"', "sim/c.h": "", "sim/c.cc": '#include "sim/a.h"'},
     "units: sim/a -> sim/b -> sim/c -> sim/a"),
    ({"core/ir/ops/a.h": "", "core/ir/ops/a.cc": '#include "core/ir/b.h"', "core/ir/b.h": '#include "core/ir/ops/a.h"'},
     "units: core/ir/b -> core/ir/ops/a -> core/ir/b"),
    ({"tests/unit/a.h": '#include "tests/unit/b.h"', "tests/unit/b.h": '#include "tests/unit/a.h"'},
     "units: tests/unit/a -> tests/unit/b -> tests/unit/a"),
    ({"core/transform/uses/a.cc": '#include "core/transform/dce.h"'},
     "folders: core/transform -> core/transform/uses -> core/transform"),
    ({"sim/run/a.h": '#include "sim/engine/engine.h"', "sim/engine/a.cc": '#include "sim/run/b.h"', "sim/run/b.h": ""},
     "folders: sim/engine -> sim/run -> sim/engine"),
    ({"tests/unit/a.h": '#include "tests/golden/a.h"', "tests/golden/a.h": "", "tests/golden/b.h":
      '#include "tests/unit/programs.h"'},
     "folders: tests/golden -> tests/unit -> tests/golden"),
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

    def test_cycles(self):
        for files, way in CYCLES:
            with self.subTest(way=way):
                found = violations(include_check.check, {**CLEAN, **files})
                self.assertEqual(len(found), 1, found)
                self.assertIn(f": a cycle of {way} (", found[0])

    def test_lines_of_a_cycle(self):
        found = violations(include_check.check, CYCLES[1][0])
        self.assertEqual(found, ["core/plan/a.cc:2: a cycle of units: core/plan/a -> core/plan/b -> core/plan/a "
                                 "(core/plan/a.cc:2 includes core/plan/b, core/plan/b.h:1 includes core/plan/a)"])

    def test_two_cycles(self):
        files = {**CYCLES[0][0], **CYCLES[2][0]}
        self.assertEqual(len(violations(include_check.check, {**CLEAN, **files})), 2)


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


HEADER = """
#pragma once
namespace isoshard {
struct Rank { int rank() const; };
template <class T> struct Box {};
int size(const Rank& rank);
inline constexpr int kLeast = 1, kMost = 2;
namespace scalar { double fused(double x); }
}  // namespace isoshard
template <>
struct std::hash<isoshard::Rank> {};
"""
FIRST = """
#include "core/ir/rank.h"
#define FIRST_MACRO(x) \\
  (x)
namespace isoshard {
namespace {
using scalar::fused;
using Ids = std::vector<int>;  // int other_comment();
constexpr const char* kFirst = "int text() {";
struct Close final { void other_member(); };
template <class T, int kSize = 2>
std::map<T, int> first_of(const std::function<void(int)>& other_parameter) { int other_local; return {}; }
int (*chosen(int which))(int) { return nullptr; }
int Rank::rank() const { return 0; }
}  // namespace
int seen();
static int hidden() { return 1; }
}  // namespace isoshard
"""
UNITY = {f"{top}/CMakeLists.txt": "" for top in internal_names.TOPS} | {
    "core/CMakeLists.txt": "isoshard_add_library(a\n  SOURCES\n    ir/a.cc\n    ir/b.cc\n    ir/c_test.cc\n  DEPENDS\n"
                           "    x)\nisoshard_add_library(b\n  SOURCES\n    ir/d.cc)",
    "core/ir/rank.h": HEADER,
    "core/ir/a.cc": FIRST,
    "core/ir/b.cc": "namespace isoshard {\nnamespace {\n",
    "core/ir/c_test.cc": FIRST,
    "core/ir/d.cc": FIRST,
}

# (what stands in an anonymous namespace of core/ir/b.cc, the name that is found)
INTERNAL = [
    ("int fused(int x) { return x; }", "fused"),
    ("struct Ids {\n  int x;\n};", "Ids"),
    ("constexpr int kNew = 1, kFirst = 2;", "kFirst"),
    ("enum class Close : uint8_t { yes, no };", "Close"),
    ("template <class... T>\nvoid first_of(T...) {}", "first_of"),
    ("std::vector<std::pair<int, int>> chosen;", "chosen"),
    ("namespace hidden = std::chrono;", "hidden"),
    ("}\n#  define FIRST_MACRO 1\nnamespace {", "FIRST_MACRO"),
    ("[[nodiscard]] bool size(const int* x, int n) { return n == *x; }", "size"),
    ("int kMost[2]{1, 2};", "kMost"),
    ("class Box {};", "Box"),
    ("}\nstatic int kLeast() { return 1; }\nnamespace {", "kLeast"),
]
FREE = [
    "using scalar::fused;",
    "int other_comment(); int other_member(); int other_parameter(); int other_local(); int text();",
    "struct New { Ids ids; int first_of() const { return kFirst; } };",
    "int Rank::rank() const { return 0; }",
    "int rank(int x) { return x; }",
    "int hash() { return 1; }",
    "}\nint hidden();\nnamespace {",
    "int seen(int x) { return x; }",
]


class InternalNames(unittest.TestCase):
    def planted(self, text):
        source = UNITY["core/ir/b.cc"] + text + "\n}  // namespace\n}  // namespace isoshard"
        return violations(internal_names.check, {**UNITY, "core/ir/b.cc": '#include "core/ir/rank.h"\n' + source})

    def test_clean_tree(self):
        self.assertEqual(self.planted(""), [])

    def test_free(self):
        for text in FREE:
            with self.subTest(text=text):
                self.assertEqual(self.planted(text), [])

    def test_planted(self):
        for text, name in INTERNAL:
            with self.subTest(text=text):
                found = self.planted(text)
                self.assertEqual(len(found), 1, found)
                self.assertRegex(found[0], rf"^core/ir/b\.cc:\d+: {name} of a is (internal to|declared by) core/ir/")

    def test_line(self):
        found = self.planted("\nint chosen() {}")
        self.assertEqual(found, ["core/ir/b.cc:5: chosen of a is internal to core/ir/a.cc, too"])


OWN = """namespace isoshard {
void PrintTo(const Mesh& mesh, std::ostream* out);
}  // namespace isoshard

namespace isoshard::sim::engine_test {
namespace {

TEST(Engine, Runs) {}
RC_GTEST_PROP(Engine, Ends, ()) {}"""


class TestNamespaces(unittest.TestCase):
    def found(self, text):
        return violations(test_namespaces.check, {"tests/unit/engine_test.cc": text, "tests/unit/programs.cc": "TEST("})

    def test_clean_tree(self):
        self.assertEqual(self.found(OWN), [])

    def test_planted(self):
        reason = "must end with ::engine_test"
        for name in ["isoshard", "isoshard::sim", "isoshard::my_engine_test", "isoshard::engine_test::parts"]:
            for case in ["TEST(A, B) {", "TEST_F(A, B) {", "TEST_P(A, B) {", "TYPED_TEST(A, B) {",
                         "RC_GTEST_PROP(A, B, ()) {"]:
                with self.subTest(name=name, case=case):
                    self.assertEqual(self.found(f"namespace {name} {{\nnamespace {{\n{case}"), [
                        f"tests/unit/engine_test.cc:3: this case stands in namespace `{name}`, which {reason}"])
        self.assertEqual(self.found("TEST(A, B) {}"), [
            f"tests/unit/engine_test.cc:1: this case stands in namespace ``, which {reason}"])


class StandardIncludes(unittest.TestCase):
    def found(self, text, **others):
        with tempfile.TemporaryDirectory() as name:
            for path, content in {"sim/a.cc": text, **{f"sim/{key}.h": value for key, value in others.items()}}.items():
                file = pathlib.Path(name) / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(content, encoding="utf-8")
            return standard_includes.Tree(name).violations("sim/a.cc")

    def test_clean(self):
        self.assertEqual(self.found("#include <vector>\nstd::vector<int> x;"), [])
        self.assertEqual(self.found('#include "sim/b.h"\nstd::vector<int> x;', b="#include <vector>"), [])
        self.assertEqual(self.found('#include "sim/b.h"\nstd::map<int, int> x;', b='#include "sim/c.h"',
                                    c="#include <map>"), [])
        self.assertEqual(self.found('// std::vector\nconst char* x = "std::map";'), [])

    def test_planted(self):
        self.assertEqual(self.found("#include <string>\n\nstd::vector<int> x;\nstd::vector<int> y;"),
                         ["sim/a.cc:3: std::vector needs <vector>"])
        self.assertEqual(self.found('#include "sim/b.h"\nint x = std::max(1, 2);', b="#include <vector>"),
                         ["sim/a.cc:2: std::max needs <algorithm>"])


class EachAlone(unittest.TestCase):
    def said(self, text):
        """What is said of a file with this text, whose list names an output and a compiler cache."""
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "a.cc").write_text(text, encoding="utf-8")
            return each_alone.read_alone({"directory": folder, "command": "/usr/bin/ccache c++ -o a.o -c a.cc"})

    def test_complete(self):
        self.assertEqual(self.said("#include <string>\nstd::string text;\n"), "")

    def test_missing_include(self):
        self.assertIn("a.cc:1:", self.said("std::string text;\n"))

    def test_chosen(self):
        entries = [{"directory": "/clone/build", "file": f"../core/{number}.cc"} for number in range(100)]
        elsewhere = [{"directory": "/other/build", "file": f"/other/core/{number}.cc"} for number in range(100)]
        parts = [each_alone.chosen(entries, "/clone", str(word), 5) for word in range(60)]
        self.assertTrue(all(5 < len(part) < 40 for part in parts))
        self.assertEqual({entry["file"] for part in parts for entry in part}, {entry["file"] for entry in entries})
        self.assertEqual([entry["file"][2:] for entry in parts[0]],
                         [entry["file"][6:] for entry in each_alone.chosen(elsewhere, "/other", "0", 5)])

    @unittest.skipUnless(shutil.which("clang++-14"), "no clang")
    def test_precompiled(self):
        with tempfile.TemporaryDirectory() as name:
            entry = {"directory": name, "file": "a.cc", "command": "/usr/bin/clang++-14 -std=c++20 -o a.o -c a.cc"}
            (pathlib.Path(name) / "a.cc").write_text("std::string text = other();\n", encoding="utf-8")
            options = each_alone.precompile(entry, ["string"], pathlib.Path(name))
            self.assertIn("undeclared identifier 'other'", each_alone.read_alone(entry, options))
            (pathlib.Path(name) / "a.cc").write_text("std::string text;\n", encoding="utf-8")
            self.assertEqual(each_alone.read_alone(entry, options), "")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
