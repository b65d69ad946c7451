#!/usr/bin/python3
"""Installs a build tree into a folder of its own and uses what is there, as a stranger does.

    install_test.py BUILD        BUILD: the tree, which has been built

The program user.cc is built twice from copies outside of the tree, by find_package and by pkg-config, as C++17 and
C++20, and is asked about a right pair, its wrong twin and a file with an error. What is installed may name no path of
the tree, and headers may include nothing but each other and the standard library.
"""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
CXX = os.environ.get("CXX", "c++")
CASES = ROOT / "tests/data/stablehlo/cases"


def run(*command, **options):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False, **options)


def must(*command, **options):
    done = run(*command, **options)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


class InstallTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="isoshard install "))  # with a blank, which people have
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        # It is moved once it is there: nothing may know where it was put first.
        must("cmake", "--install", BUILD, "--prefix", cls.folder / "first")
        cls.prefix = (cls.folder / "first").rename(cls.folder / "prefix")
        cls.library = next(cls.prefix.rglob("libisoshard.so")).parent
        cls.source = cls.folder / "source"
        cls.source.mkdir()
        for name in ("user.cc", "CMakeLists.txt"):
            shutil.copy(HERE / name, cls.source)

    def ask(self, program, *inputs):
        environment = {**os.environ, "LD_LIBRARY_PATH": str(self.library)}
        return run(program, *inputs, env=environment, cwd=self.folder)

    def pkg_config(self, *options):
        environment = {**os.environ, "PKG_CONFIG_PATH": str(self.library / "pkgconfig")}
        return must("pkg-config", *options, "isoshard", env=environment)

    def use(self, program):
        right = self.ask(program, ROOT / "examples/tp_mlp.shard")
        self.assertEqual((right.returncode, right.stdout.splitlines()[1]), (0, "y f32[24,60]: EQUAL"), right)
        self.assertIn("... rung A\n", right.stderr)
        pair = "wrong_tp_grad_factor"
        wrong = self.ask(program, CASES / pair / "sharded.mlir", CASES / pair / "reference.mlir")
        self.assertEqual(wrong.returncode, 1, wrong)
        self.assertRegex(wrong.stdout, r"^NOT EQUAL: .*4x")
        self.assertIn("differs for arg0, f32 of ", wrong.stdout)
        (self.folder / "bad.shard").write_text("isoshard 1\nmesh @m [x=0]\n")
        bad = self.ask(program, "bad.shard")
        self.assertEqual(bad.returncode, 2, bad)
        self.assertRegex(bad.stdout, r"^bad\.shard:2:\d+: .")

    def test_find_package(self):
        build = self.folder / "build"
        must("cmake", "-S", self.source, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DCMAKE_CXX_COMPILER={CXX}")
        must("cmake", "--build", build)
        self.use(build / "user")

    def test_the_example_of_the_page(self):
        page = (ROOT / "docs/library.md").read_text()
        source = self.folder / "example.cc"
        source.write_text(re.search(r"```cpp\n(.*?)```", page, re.DOTALL).group(1))
        flags = shlex.split(self.pkg_config("--cflags", "--libs"))
        must(CXX, "-std=c++17", source, "-o", self.folder / "example", *flags)
        environment = {**os.environ, "LD_LIBRARY_PATH": str(self.library)}
        printed = must(self.folder / "example", env=environment, cwd=ROOT)
        self.assertRegex(printed, r"^EQUAL as formulas")

    def test_other_minor_versions_are_refused(self):
        text = (self.source / "CMakeLists.txt").read_text().replace("isoshard 0.1", "isoshard 0.2")
        other = self.folder / "other"
        other.mkdir()
        (other / "CMakeLists.txt").write_text(text)
        done = run("cmake", "-S", other, "-B", other / "build", f"-DCMAKE_PREFIX_PATH={self.prefix}")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("isoshard", done.stderr)

    def test_pkg_config(self):
        flags = shlex.split(self.pkg_config("--cflags", "--libs"))
        for standard in ("-std=c++17", "-std=c++20"):
            program = self.folder / "by_pkg_config"
            warnings = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]
            must(CXX, standard, *warnings, self.source / "user.cc", "-o", program, *flags)
        self.use(program)

    def test_the_program_is_installed(self):
        version = self.pkg_config("--modversion").strip()
        printed = must(self.prefix / "bin/isoshard", "--version")
        self.assertTrue(printed.startswith(f"isoshard {version},"), printed)

    def test_the_program_is_a_main_over_the_library(self):
        """Whoever compiles its one source against what is installed has it, with every command and exit code."""
        own = self.folder / "own"
        must(CXX, "-std=c++17", ROOT / "apps/isoshard/main.cc", "-o", own, *shlex.split(self.pkg_config("--cflags", "--libs")))
        right, wrong = ROOT / "examples/tp_mlp.shard", ROOT / "examples/wrong/missing_all_reduce.shard"
        for arguments, code in (
            (["check", "-q", right], 0),
            (["check", "-q", wrong], 1),
            (["check", self.folder / "missing.shard"], 2),
            (["show", "--plan", right], 0),
            (["explain", "S-linear"], 0),
            (["check"], 2),
        ):
            installed, linked = run(self.prefix / "bin/isoshard", *arguments), self.ask(own, *arguments)
            self.assertEqual((linked.returncode, linked.stdout, linked.stderr), (code, installed.stdout, installed.stderr), arguments)
        self.assertLess((self.prefix / "bin/isoshard").stat().st_size, 1 << 20)

    def test_headers_stand_alone(self):
        headers = sorted((self.prefix / "include/isoshard").glob("*"))
        self.assertIn("isoshard.h", [header.name for header in headers])
        for header in headers:
            self.assertEqual(header.suffix, ".h")
            for included in re.findall(r'#include\s+(["<].*)', header.read_text()):
                self.assertRegex(included, r"^<(isoshard/\w+\.h|\w+)>$", header.name)
            must(CXX, "-std=c++17", "-fsyntax-only", "-I", self.prefix / "include", "-x", "c++", header)

    def test_no_path_of_the_tree_is_left(self):
        for file in self.prefix.rglob("*"):
            if file.is_file() and not file.is_symlink():
                for path in (str(ROOT), str(self.folder / "first")):
                    self.assertNotIn(path.encode(), file.read_bytes(), file.name)

    def test_only_the_interface_is_exported(self):
        printed = must("nm", "-DC", "--defined-only", self.library / "libisoshard.so")
        names = [line.split(maxsplit=2)[2] for line in printed.splitlines()]
        self.assertGreater(len(names), 20)
        for name in names:
            self.assertRegex(name, r"^((typeinfo|typeinfo name|vtable) for )?isoshard::v1::")


if __name__ == "__main__":
    unittest.main()
