#!/usr/bin/python3
"""`isoshard run`: its options, what each rank would issue, and what it says where there is nothing to run on."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import time
import unittest

from isoshard import BAD_INPUT, BINARY, DOES_NOT_HOLD, HOLDS, UNDECIDED, Case

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

    @unittest.skipUnless(library("libisoshard_exec_standin.so"), "no stand-in")
    def test_quiet(self):
        """Outputs are written, errors are told."""
        self.write("p.shard", GATHER)
        arguments = ["run", "p.shard", "--device", "cpu-standin", "--check", "--quiet"]
        self.assertEqual((HOLDS, "", ""), self.run_here(*arguments, "--outputs", "out.npz"))
        self.assertTrue((self.folder / "out.npz").exists())
        code, out, err = self.run_here(*arguments, "-n", "8")
        self.assertEqual((BAD_INPUT, ""), (code, out))
        self.assertIn("[I-ranks]", err)

    def test_values(self):
        self.write("p.shard", GATHER)
        for arguments, said in ((["--device", "cdua"], "did you mean cuda?"), (["-n", "0"], '"0" is not an integer'),
                                (["--rank", "1"], "--print-calls"), (["--print-calls", "--check"], "--check"),
                                (["--launcher", "mpirun"], "processes or threads"), (["--print-calls", "--launcher", "threads"], "--launcher"),
                                (["--deadline", "x"], '"x" is not an integer'), (["--repeet", "2"], "--repeat"),
                                (["--products", "cublas"], "exact, library or tf32"), (["--domain", "f64"], "--domain")):
            with self.subTest(arguments):
                code, out, err = self.run_here("run", "p.shard", *arguments)
                self.assertEqual((BAD_INPUT, ""), (code, out))
                self.assertIn(said, err)

    def test_threads_on_cuda(self):
        """Threads are started as processes are: where there is no GPU that is what is said."""
        self.write("p.shard", GATHER)
        said = {}
        for launcher in ("threads", "processes"):
            code, _, said[launcher] = self.run_here("run", "p.shard", "--launcher", launcher, env={"CUDA_VISIBLE_DEVICES": ""})
            self.assertEqual(NO_DEVICE, code)
        self.assertEqual(said["processes"], said["threads"])

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

    def test_what_is_linked(self):
        """The program starts where there is nothing of CUDA, and its library where there is no driver."""
        def needed(path):
            text = subprocess.run(["readelf", "-d", path], capture_output=True, text=True, check=True).stdout
            return re.findall(r"\(NEEDED\)[^\[]*\[([^\]]*)\]", text)

        self.assertEqual([], [name for name in needed(BINARY) if re.match("lib(cu|nccl|nv)", name)])
        self.assertIn("libc.so.6", needed(BINARY))
        backend = pathlib.Path(BINARY).resolve().parent / "libisoshard_exec_cuda.so"
        if backend.exists():
            self.assertEqual([], [name for name in needed(backend) if name.startswith("libcuda.so")])

    def test_broken_library(self):
        self.write("p.shard", GATHER)
        for device, name in (("cuda", "libisoshard_exec_cuda.so"), ("cpu-standin", "libisoshard_exec_standin.so")):
            self.write(name, "this is no library")
            code, out, err = self.run_here("run", "p.shard", "--device", device,
                                           env={"ISOSHARD_EXEC_PATH": str(self.folder)})
            self.assertEqual((NO_DEVICE, ""), (code, out))
            self.assertIn(f"{name} cannot be loaded: ", err)


COUNTS = """isoshard 1
mesh @m [data=2]
global @t : i32[] state in 0..8
program @p on @m {
  %t = view @t []
  %new = add %t, 1
  update @t = %new []
}
"""


class AsSimDoes(Case):
    """What sim says of a run before it starts, and of what a step hands on."""

    def setUp(self):
        super().setUp()
        if not library("libisoshard_exec_standin.so"):
            self.skipTest("the stand-in is not built")

    def on_standin(self, *arguments, **environment):
        return self.run_here("run", *arguments, "--device", "cpu-standin", env={"STANDIN_STRICT": "1", **environment})

    def test_memory_of_the_machine(self):
        for options in ((), ("--check",)):
            code, out, err = self.on_standin("tp_mlp", "--set", "d=1000000,f=840000", *options)
            self.assertEqual((BAD_INPUT, ""), (code, out))
            self.assertRegex(err, r"\Aerror: @tp_mlp on 8 ranks needs about [0-9.]+ .iB \(\d+ bytes: globals [0-9.]+ TiB, values of the "
                             r"devices [0-9.]+ .iB\); this machine gives [0-9.]+ .iB \(\d+ bytes, .*\); try smaller sizes "
                             r"\(--set\) or fewer devices \(--mesh\) \[D-memory\]\n\Z")
        code, _, err = self.on_standin("tp_mlp", "--check")
        self.assertEqual((HOLDS, ""), (code, err))

    def test_memory_of_a_device(self):
        self.write("p.shard", GATHER)
        _, calls, _ = self.run_here("run", "p.shard", "--print-calls")
        needed = max(int(line.split(" bytes at ")[0].split()[-1]) + int(line.split(" at ")[1])
                     for line in calls.splitlines() if " bytes at " in line)
        code, out, err = self.on_standin("p.shard", "--check", STANDIN_BYTES=str(needed // 2))
        self.assertEqual((BAD_INPUT, ""), (code, out))
        self.assertRegex(err, rf"^error: rank \d: needs \d+ bytes of its device \(\d+ \S+.*\); {needed // 2} of {needed // 2} "
                         r"are free( \(.* failed, too\))?; try smaller sizes \(--set\) or more devices \(--mesh\) \[D-memory\]\n$")
        code, _, err = self.on_standin("p.shard", "--check", STANDIN_BYTES=str(needed + 1024))
        self.assertEqual((HOLDS, ""), (code, err))

    def test_integers_that_leave_their_range(self):
        self.write("p.shard", COUNTS)
        warning = ("p.shard:3:8: warning: updated @t has 8 at [] after step 3; expected integers in 0..8 at the start of every "
                   "step [I-range]")
        for steps in ("9", "2"):
            ours = self.on_standin("p.shard", "--check", "--repeat", "2", "--steps", steps)
            _, _, of_sim = self.run_here("sim", "p.shard", "--steps", steps)
            self.assertEqual((HOLDS, of_sim), (ours[0], ours[2]))
            self.assertEqual(of_sim.split("\n")[0], warning if steps == "9" else "")


# Faults of tests/unit/exec/fake_rank.h.
NONE, SAYS_SO, TIMES_OUT, DIES, EXITS, CANNOT, THROWS, HANGS, DIFFERS = range(9)

UPDATE = """isoshard 1
mesh @m [data=2]
global @w : f32[4] param
program @p on @m {
  %w = view @w [-]
  update @w = %w [-]
}
"""


class Fake(Case):
    """With a backend whose steps give back their inputs."""

    def setUp(self):
        super().setUp()
        found = list((pathlib.Path(BINARY).resolve().parent.parent / "tests" / "fake").glob("libisoshard_fake_backend.so"))
        if not found:
            self.skipTest("the fake backend is not built")
        for name in ("libisoshard_exec_cuda.so", "libisoshard_exec_standin.so"):
            shutil.copy(found[0], self.folder / name)
        self.write("p.shard", GATHER)
        self.write("update.shard", UPDATE)

    def environment(self, devices=4, rank=0, fault=NONE, step=1):
        return {"ISOSHARD_EXEC_PATH": str(self.folder), "ISOSHARD_FAKE": f"{devices} {rank} {fault} {step}"}

    def runs(self, *arguments, **fake):
        return self.run_here("run", *arguments, env=self.environment(**fake))

    def test_outputs_are_those_of_sim(self):
        for device in ("cuda", "cpu-standin"):
            with self.subTest(device):
                code, out, err = self.runs("p.shard", "--device", device, "--check", "--repeat", "2", "--time",
                                           "--outputs", "run.npz")
                self.assertEqual((HOLDS, ""), (code, err))
                head, *lines = out.splitlines()
                self.assertRegex(head, r"^@p on 4 ranks, a fake, NCCL 2.28.9, [0-9.]+ ms$")
                _, sim, _ = self.run_here("sim", "p.shard", "--outputs", "sim.npz")
                self.assertEqual(sim.splitlines()[1:], lines[:1])
                self.assertEqual(["  step 1  4.000 ms  time 1", "  step 1  4.000 ms  time 2", "the same bits 2 times",
                                  "issued: not compared, the backend has no record of any call",
                                  "compared with sim:", "  @x  equal bit for bit", "EQUAL to sim, bit for bit"],
                                 lines[1:])
                self.assertEqual((self.folder / "sim.npz").read_bytes(), (self.folder / "run.npz").read_bytes())

    def test_steps(self):
        code, out, err = self.runs("update.shard", "--steps", "3", "--check")
        self.assertEqual((HOLDS, ""), (code, err))
        self.assertIn("@p on 2 ranks, a fake, NCCL 2.28.9, 3 steps, ", out)
        self.assertIn("  @w  equal bit for bit in all 3 steps\n", out)

    def test_fewer_gpus_than_ranks(self):
        code, out, err = self.runs("p.shard", devices=1)
        self.assertEqual(
            (NO_DEVICE, "", "error: 4 ranks on 1 GPU: expected a GPU for each rank, a smaller --mesh, or --oversubscribe, "
             "with which timings mean nothing [R-device]\n"), (code, out, err))
        code, _, err = self.runs("p.shard", "--oversubscribe", devices=1)
        self.assertEqual((HOLDS, "oversubscribed: 4 ranks on 1 GPU; timings mean nothing\n"), (code, err))
        code, _, err = self.runs("p.shard", devices=0)
        self.assertEqual((NO_DEVICE, "error: there is no GPU on this machine [R-device]\n"), (code, err))

    def test_failures(self):
        for fault, code, message in (
                (SAYS_SO, DOES_NOT_HOLD, "rank 2: p.shard:3:5: all_reduce %h: unhandled system error [R-failed]"),
                (TIMES_OUT, DOES_NOT_HOLD, "rank 2: p.shard:3:5: all_reduce %h did not end [R-deadline]"),
                (DIES, DOES_NOT_HOLD, "rank 2 was killed by signal 9 (Killed) [R-failed]"),
                (EXITS, DOES_NOT_HOLD, "rank 2 ended with exit code 7 [R-failed]"),
                (CANNOT, UNDECIDED, "rank 2: p.shard:3:5: no kernel for this [R-unsupported]"),
                (THROWS, DOES_NOT_HOLD, "rank 2: an exception: no more memory [R-failed]")):
            with self.subTest(message):
                self.assertEqual((code, "", f"error: {message}\n"), self.runs("p.shard", rank=2, fault=fault))

    def test_copies_that_differ(self):
        code, out, err = self.runs("update.shard", "--device", "cpu-standin", rank=1, fault=DIFFERS)
        self.assertEqual((DOES_NOT_HOLD, ""), (code, out))
        self.assertRegex(
            err, r"^error: output @w: ranks 0 and 1 hold different copies after step 1, first at \[0\]: \S+ \(0x\w+\) "
            r"and \S+ \(0x\w+\); expected the same bits \[R-replicas\]\n$")

    def test_bits_that_change(self):
        code, out, err = self.runs("p.shard", "--repeat", "3", rank=1, fault=DIFFERS, step=2)
        self.assertEqual(
            (DOES_NOT_HOLD, "", "error: output @x: time 2 gave other bits than time 1 in step 1; expected the same, as "
             "nothing in a Plan is left to chance [R-repeat]\n"), (code, out, err))

    def test_a_wrong_output(self):
        code, out, err = self.runs("p.shard", "--check", rank=1, fault=DIFFERS)
        self.assertEqual((DOES_NOT_HOLD, ""), (code, err))
        self.assertRegex(out, r"  @x  DIFFERS, first at \[0, 3\]: 1 element with other bits, largest difference ")
        self.assertRegex(out, r"\nNOT EQUAL to sim\nfirst difference: .*\n$")

    def test_a_rank_that_hangs(self):
        begin = time.monotonic()
        code, out, err = self.runs("p.shard", "--deadline", "1", rank=3, fault=HANGS)
        self.assertEqual((DOES_NOT_HOLD, ""), (code, out))
        self.assertEqual("error: rank 3 of 4 did not finish a step in 11 s, as where a call does not return; a longer --deadline "
                         "gives them more time [R-deadline]\n", err)
        self.assertLess(time.monotonic() - begin, 40)

    def test_interrupt_ends_all_ranks(self):
        environment = {**os.environ, **self.environment(rank=3, fault=HANGS)}
        process = subprocess.Popen([BINARY, "run", "p.shard"], cwd=self.folder, env=environment,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
        ranks = []
        for _ in range(500):
            ranks = children.read_text().split()
            if len(ranks) == 4:
                break
            time.sleep(0.02)
        self.assertEqual(4, len(ranks))
        process.send_signal(signal.SIGINT)
        self.assertEqual(128 + signal.SIGINT, process.wait(20))
        for _ in range(500):
            if not any(self.is_running(rank) for rank in ranks):
                return
            time.sleep(0.02)
        self.fail("a rank goes on")

    @staticmethod
    def is_running(process):
        try:
            return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
        except OSError:
            return False


if __name__ == "__main__":
    unittest.main()
