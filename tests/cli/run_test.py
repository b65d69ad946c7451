#!/usr/bin/python3
"""`isoshard run`: its options, what each rank would issue, and what it says where there is nothing to run on."""

import pathlib
import unittest

from isoshard import BAD_INPUT, BINARY, HOLDS, Case

NO_DEVICE = 77

GATHER = """isoshard 1
mesh @m [data=2, model=2]
global @x : f32[4, 6] input
program @p on @m {
  %x = view @x [data, model]
  return @x = %x [data, model]
}
"""


def library(name):
    return any((pathlib.Path(BINARY).resolve().parent / folder / name).exists() for folder in (".", "../lib"))


class Options(Case):
    def test_number_of_ranks(self):
        self.write("p.shard", GATHER)
        self.rejects(
            "error: -n 8: @p is for the mesh @m (data=2, model=2), so that there are 4 ranks; expected -n 4, or another "
            "--mesh [I-ranks]\n", "run", "p.shard", "-n", "8")
        self.rejects(
            "error: --rank 4: @p is for the mesh @m (data=2, model=2), so that there are 4 ranks; expected 0 to 3 "
            "[I-ranks]\n", "run", "p.shard", "--print-calls", "--rank", "4")
        code, _, _ = self.run_here("run", "p.shard", "-n", "4", "--print-calls")
        self.assertEqual(HOLDS, code)

    def test_steps_of_what_updates_nothing(self):
        self.write("p.shard", GATHER)
        self.rejects("error: --steps 2: @p updates no global, so that all steps would be alike; leave --steps out "
                     "[I-steps]\n", "run", "p.shard", "--steps", "2")

    def test_values(self):
        self.write("p.shard", GATHER)
        for arguments, said in ((["--device", "cdua"], "did you mean cuda?"), (["-n", "0"], '"0" is not an integer'),
                                (["--rank", "1"], "--print-calls"), (["--print-calls", "--check"], "--check"),
                                (["--deadline", "x"], '"x" is not an integer'), (["--repeet", "2"], "--repeat"),
                                (["--products", "cublas"], "exact or library"), (["--domain", "f64"], "--domain")):
            with self.subTest(arguments):
                code, out, err = self.run_here("run", "p.shard", *arguments)
                self.assertEqual((BAD_INPUT, ""), (code, out))
                self.assertIn(said, err)

    def test_states_and_files(self):
        code, _, err = self.run_here("run", "none.shard")
        self.assertEqual(BAD_INPUT, code)
        self.assertIn("none.shard", err)
        self.write("p.shard", GATHER.replace("[data, model]\n}", "[data, -]\n}"))
        code, _, err = self.run_here("run", "p.shard", "--print-calls")
        self.assertEqual(BAD_INPUT, code, err)


class Calls(Case):
    def test_equal_lists_once(self):
        self.write("p.shard", GATHER)
        code, out, err = self.run_here("run", "p.shard", "--print-calls")
        self.assertEqual((HOLDS, ""), (code, err))
        self.assertRegex(out, r"^ranks? [0-9.]+(, [0-9.]+)*:\n")
        named = [line for line in out.splitlines() if line.startswith("rank") and line.endswith(":")]
        self.assertTrue(named)

    def test_of_one_rank(self):
        self.write("p.shard", GATHER)
        _, all_of_them, _ = self.run_here("run", "p.shard", "--print-calls")
        code, out, err = self.run_here("run", "p.shard", "--print-calls", "--rank", "3")
        self.assertEqual((HOLDS, ""), (code, err))
        self.assertTrue(out)
        self.assertIn(out, all_of_them)

    def test_of_a_plan_file(self):
        self.write("p.shard", GATHER)
        _, plan, _ = self.run_here("show", "p.shard", "--plan")
        self.write("p.plan", plan)
        self.assertEqual(
            self.run_here("run", "p.shard", "--print-calls")[0], self.run_here("run", "p.plan", "--print-calls")[0])


class NoDevice(Case):
    def says_why(self, device, name, what):
        if library(name):
            self.skipTest(f"{name} is there")
        self.write("p.shard", GATHER)
        code, out, err = self.run_here("run", "p.shard", "--device", device, env={"ISOSHARD_EXEC_PATH": str(self.folder)})
        self.assertEqual((NO_DEVICE, ""), (code, out))
        self.assertTrue(err.startswith(f"error: there is no backend for {what}: {name} is in none of {self.folder}, "), err)
        self.assertTrue(err.endswith("or name its folder in ISOSHARD_EXEC_PATH [R-device]\n"), err)

    def test_without_cuda(self):
        self.says_why("cuda", "libisoshard_exec_cuda.so", "CUDA")

    def test_without_standin(self):
        self.says_why("cpu-standin", "libisoshard_exec_standin.so", "the stand-in of CUDA on the CPU")

    def test_broken_library(self):
        self.write("p.shard", GATHER)
        for device, name in (("cuda", "libisoshard_exec_cuda.so"), ("cpu-standin", "libisoshard_exec_standin.so")):
            self.write(name, "this is no library")
            code, out, err = self.run_here("run", "p.shard", "--device", device,
                                           env={"ISOSHARD_EXEC_PATH": str(self.folder)})
            self.assertEqual((NO_DEVICE, ""), (code, out))
            self.assertIn(f"{name} cannot be loaded: ", err)


if __name__ == "__main__":
    unittest.main()
