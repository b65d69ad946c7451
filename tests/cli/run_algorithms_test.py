#!/usr/bin/python3
"""`run --algorithms FILE`: algorithms of cuBLASLt that were chosen before, on the stand-in, which has three of them.

The first is what its heuristic proposes; the second adds each sum in two parts, which other bits show; the third rounds
these parts to the dtype of the result, which exec must not take.
"""

import pathlib
import unittest

from isoshard import BAD_INPUT, BINARY, DOES_NOT_HOLD, HOLDS, ROOT, Case, run

MLP = ("examples/tp_mlp.shard", "--mesh", "data=1,model=2")
HEADER = "isoshard algorithms 1\n"
BACKEND = pathlib.Path(BINARY).resolve().parent / "libisoshard_exec_standin.so"


def with_algorithm(text, number):
    """The same file with another algorithm for each product."""
    lines = text.splitlines()[1:]
    return HEADER + "".join(line[:line.rindex("=") + 1] + f"{number:016x}" + 112 * "0" + "\n" for line in lines)


class Algorithms(Case):
    def setUp(self):
        super().setUp()
        if not BACKEND.exists():
            self.skipTest("the backend of the stand-in is not built")
        self.path = self.folder / "algorithms.txt"

    def start(self, *arguments, products="library", **options):
        options.setdefault("env", {"STANDIN_QUERY_MS": "3"})
        return run("run", *MLP, "--device", "cpu-standin", "--products", products, "--algorithms", self.path, *arguments,
                   **options)

    def runs(self, *arguments, **options):
        code, out, err = self.start(*arguments, **options)
        self.assertEqual((HOLDS, ""), (code, err))
        return out

    def said(self, out):
        line = next(line for line in out.splitlines() if line.startswith("algorithms of "))
        return line.removeprefix(f"algorithms of {self.path}: ")

    def outputs(self):
        """Bytes of the outputs of a run."""
        archive = self.folder / "out.npz"
        self.runs("--outputs", archive)
        return archive.read_bytes()

    def made(self):
        self.runs()
        return self.path.read_text()

    def test_are_chosen_once(self):
        self.assertEqual("2 kinds of product, 0 known, 2 chosen and written", self.said(self.runs("--check")))
        text = self.path.read_text()
        self.assertEqual(3, len(text.splitlines()))
        self.assertIn('device="stand-in" cublaslt=130100 operands=f32 result=f32 tf32=0 batch=1 m=24 n=420 k=60 ', text)
        before = self.path.stat()
        for arguments in ((), ("--launcher", "processes"), ("--graph", "on")):
            self.assertEqual("2 kinds of product, 2 known, 0 chosen and written", self.said(self.runs(*arguments)))
        after = self.path.stat()
        self.assertEqual((before.st_ino, before.st_mtime_ns), (after.st_ino, after.st_mtime_ns))

    def test_are_left_by_processes(self):
        text = self.made()
        self.path.unlink()
        self.assertEqual("2 kinds of product, 0 known, 2 chosen and written", self.said(self.runs("--launcher", "processes")))
        self.assertEqual(text, self.path.read_text())

    def test_tf32_is_another_kind(self):
        first = self.made()
        out = self.runs(products="tf32")
        self.assertEqual("2 kinds of product, 0 known, 2 chosen and written", self.said(out))
        self.assertTrue(self.path.read_text().startswith(first))

    def test_what_the_file_says_is_used(self):
        text = self.made()
        of_first = self.outputs()
        self.path.write_text(with_algorithm(text, 2))
        self.assertNotEqual(of_first, self.outputs())
        out = self.runs("--check")
        self.assertEqual("2 kinds of product, 2 known, 0 chosen and written", self.said(out))
        self.assertIn("EQUAL to sim within the bounds of rounding", out)
        self.assertEqual(with_algorithm(text, 2), self.path.read_text())

    def test_what_cublaslt_refuses_or_no_bound_holds_for_is_chosen_again(self):
        text = self.made()
        for number in (0, 3, 4):
            with self.subTest(number):
                self.path.write_text(with_algorithm(text, number))
                self.assertEqual(
                    "2 kinds of product, 0 known, 0 chosen and written; chosen again, since cuBLASLt refuses those of the "
                    "file: 2", self.said(self.runs()))
                self.assertEqual(text, self.path.read_text())

    def test_other_devices_and_versions_are_ignored_and_kept(self):
        text = self.made()
        lines = with_algorithm(text, 2).splitlines()[1:]
        others = HEADER + lines[0].replace("stand-in", "other") + "\n" + lines[1].replace("130100", "130000") + "\n"
        self.path.write_text(others)
        self.assertEqual(
            "2 kinds of product, 0 known, 2 chosen and written; ignored, of another device or version: 2 lines, the first is "
            "line 2 (other, cuBLASLt 130100)", self.said(self.runs()))
        self.assertEqual(others + text.removeprefix(HEADER), self.path.read_text())

    def test_garbage_is_told_at_its_place_before_anything_runs(self):
        text = self.made()
        for garbage, place, said in (("\0\1\2", "1:1", "expected the line `isoshard algorithms 1`"),
                                     (text.replace("m=24", "m=-1", 1), "2:76", '"-1"; expected an integer from 1 to'),
                                     (text + "x\n", "4:1", '"x"; expected device='),
                                     (text[:-2], "3:", "; expected 128 digits of base 16"),
                                     (text + text.splitlines()[1] + "\n", "4:1", "the algorithm of line 2 is for the same")):
            with self.subTest(said):
                self.path.write_text(garbage)
                code, out, err = self.start()
                self.assertEqual((BAD_INPUT, ""), (code, out))
                self.assertTrue(err.startswith(f"{self.path}:{place}"), err)
                self.assertIn("error: ", err)
                self.assertIn(said, err)
                self.assertIn("[I-algorithms]", err)
                self.assertEqual(garbage, self.path.read_text())

    def test_a_file_is_never_half_written(self):
        self.path.write_text(HEADER)
        code, out, err = self.start(prefix=("prlimit", f"--fsize={len(HEADER) + 10}", "--"))
        self.assertEqual((BAD_INPUT, ""), (code, out))
        self.assertIn("it cannot be written: ", err)
        self.assertEqual(HEADER, self.path.read_text())
        self.assertEqual([self.path], list(self.folder.iterdir()))

    def test_what_was_chosen_is_kept_where_the_run_fails(self):
        text = self.made()
        self.path.unlink()
        code, _, err = self.start(env={"STANDIN_QUERY_MS": "3", "STANDIN_FAULT": "1:ncclAllReduce:error"})
        self.assertEqual(DOES_NOT_HOLD, code, err)
        self.assertEqual(text, self.path.read_text())


class Options(Case):
    def test_without_products_of_cublaslt(self):
        code, out, err = run("run", *MLP, "--device", "cpu-standin", "--algorithms", self.folder / "a.txt")
        self.assertEqual((BAD_INPUT, ""), (code, out))
        self.assertEqual("error: --algorithms: with --products exact no product is cuBLASLt's; expected --products library or "
                         "tf32 [I-algorithms]\n", err)
        self.assertEqual([], list(self.folder.iterdir()))

    def test_without_a_run(self):
        code, out, err = run("run", *MLP, "--print-calls", "--algorithms", self.folder / "a.txt")
        self.assertEqual((BAD_INPUT, ""), (code, out))
        self.assertIn("--algorithms", err)

    def test_a_folder(self):
        code, out, err = run("run", *MLP, "--device", "cpu-standin", "--products", "library", "--algorithms", ROOT)
        self.assertEqual((BAD_INPUT, ""), (code, out))
        self.assertIn("it is no ordinary file that can be read [I-algorithms]", err)


if __name__ == "__main__":
    unittest.main()
