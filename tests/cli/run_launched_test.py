#!/usr/bin/python3
"""Ranks that are started one by one, as launchers start them: they meet in a store, have the numbers of ranks that `run` starts, and
end together, with a message of rank 0, however one of them ends.
"""

import os
import pathlib
import random
import re
import shlex
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest

from isoshard import BAD_INPUT, DOES_NOT_HOLD, HOLDS, ROOT
from launched import MLP, Job, clean_environment, command, free_port, run

SUM = "examples/tp_mlp.shard:34:8: all_reduce r"
GONE = r".*remote error \(rank 1 is gone\)"
NO_DEVICE = 77


def fault(text):
    """Of the stand-in, whose devices are a process of rank 0's."""
    return lambda rank: {"STANDIN_FAULT": text} if rank == 0 else {}


def error(text):
    return rf"(?m)^error: {text} \[R-failed\]$"


class Case(unittest.TestCase):
    maxDiff = None

    def fails(self, ended, message, code=DOES_NOT_HOLD):
        """Rank 0 alone says why, and no rank has exit code 0."""
        self.assertEqual([code] + [DOES_NOT_HOLD] * (len(ended) - 1), [one[0] for one in ended], ended)
        self.assertEqual([""] * len(ended), [one[1] for one in ended], ended)
        self.assertRegex(ended[0][2], message)
        self.assertEqual([""] * (len(ended) - 1), [one[2] for one in ended[1:]])


class Same(Case):
    def of_one_process(self, *arguments, outputs):
        done = subprocess.run([*command(*arguments), "--launcher", "processes", "--outputs", outputs], cwd=ROOT, capture_output=True,
                              text=True, check=False, env=clean_environment())
        return done.returncode, re.sub(r", [0-9.]+ ms$", "", done.stdout, flags=re.M)

    def test_outputs(self):
        """What rank 0 prints and writes is what `run` does that starts its ranks; the others print nothing."""
        with tempfile.TemporaryDirectory() as folder:
            for number, (ranks, arguments) in enumerate((
                    (2, MLP), (4, ("examples/tp_mlp.shard", "--mesh", "data=2,model=2", "--products", "library")),
                    (4, ("examples/train_step.shard", "--graph", "on", "--steps", "3", "--repeat", "2")),
                    (1, ("examples/tp_mlp.shard", "--mesh", "data=1,model=1")))):
                with self.subTest(arguments):
                    ours, theirs = (os.path.join(folder, f"{number}.{name}.npz") for name in ("ours", "theirs"))
                    ended = run(ranks, (*arguments, "--outputs", ours))
                    self.assertEqual([HOLDS] * ranks, [one[0] for one in ended], ended)
                    self.assertEqual(["", ""], [ended[0][2], "".join(out + err for _, out, err in ended[1:])])
                    self.assertEqual(self.of_one_process(*arguments, outputs=theirs),
                                     (HOLDS, re.sub(r", [0-9.]+ ms$", "", ended[0][1], flags=re.M)))
                    self.assertEqual(pathlib.Path(ours).read_bytes(), pathlib.Path(theirs).read_bytes())

    def test_boxes_of_many_frames(self):
        """Outputs and updated inputs of more than a MiB on a rank."""
        ended = run(2, ("examples/train_step.shard", "--mesh", "data=1,tp=2", "--set", "d=768,f=1536", "--steps", "2"))
        self.assertEqual([HOLDS, HOLDS], [one[0] for one in ended], ended)

    def test_a_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(2):
                ended = run(4, ("examples/tp_mlp.shard", "--mesh", "data=2,model=2"), store=f"file://{folder}")
                self.assertEqual([HOLDS] * 4, [one[0] for one in ended], ended)
                self.assertEqual([], os.listdir(folder))

    def test_a_folder_of_a_job_that_was_killed(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "store").write_bytes(b"\0\0\0\0K")
            pathlib.Path(folder, "present.0").touch()
            pathlib.Path(folder, "down.1.0").write_bytes(b"\0\0\0\0X")
            ended = run(2, store=f"file://{folder}")
            self.assertEqual([HOLDS] * 2, [one[0] for one in ended], ended)

    def test_the_secret(self):
        ended = run(2, environment=lambda rank: {"ISOSHARD_TOKEN": "a secret"})
        self.assertEqual([HOLDS] * 2, [one[0] for one in ended], ended)


class FullDisk(Case):
    """A store in a folder of a file system with so many KiB, in namespaces of its own."""

    RANKS = """mount -t tmpfs -o size={size}k tmpfs {folder} || exit 66
    for rank in 0 1; do
      ISOSHARD_RANK=$rank ISOSHARD_SIZE=2 ISOSHARD_LOCAL_RANK=$rank ISOSHARD_STORE=file://{folder} {command} >{logs}/out.$rank 2>{logs}/err.$rank &
      pids+=($!)
    done
    wait ${{pids[0]}}; first=$?; wait ${{pids[1]}}; echo $first $?; ls {folder} | wc -l"""

    def ends(self, size, *arguments, deadline=20):
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as logs:
            script = self.RANKS.format(size=size, folder=folder, logs=logs, command=shlex.join(command(*arguments, deadline=deadline)))
            done = subprocess.run(["unshare", "--user", "--map-root-user", "--mount", "bash", "-c", script], cwd=ROOT, capture_output=True, text=True,
                                  check=False, timeout=90, env=clean_environment())
            if done.returncode == 66 or "unshare" in done.stderr:
                self.skipTest(f"no file system can be mounted here: {done.stderr.strip()}")
            codes, left = done.stdout.splitlines()
            logs = [pathlib.Path(logs, f"{kind}.{rank}").read_text() for rank in (0, 1) for kind in ("out", "err")]
            return [int(code) for code in codes.split()], int(left), logs

    STEP = ("examples/train_step.shard", "--mesh", "data=1,tp=2", "--set", "d=256,f=512")

    def test_room_enough(self):
        codes, left, logs = self.ends(16384, *self.STEP)
        self.assertEqual(([HOLDS, HOLDS], 0), (codes, left), logs)

    def test_outputs_without_room(self):
        """The rank that has no room says so, where, and what to do; rank 0 does not wait for it, and nothing is said to be EQUAL."""
        codes, _, (out, err, other_out, other_err) = self.ends(64, *self.STEP)
        self.assertEqual([DOES_NOT_HOLD] * 2, codes, err + other_err)
        self.assertEqual(["", ""], [out, other_out])
        self.assertRegex(other_err, r"error: rank 1: /.*/up\.1\.\d+ cannot be written: No space left on device; expected a folder with room")
        self.assertRegex(err, r"error: rank 1 has ended without a word")

    def test_no_room_at_all(self):
        codes, _, logs = self.ends(4, *self.STEP, deadline=3)
        self.assertEqual([DOES_NOT_HOLD] * 2, codes, logs)
        self.assertRegex("".join(logs), r"cannot be written: No space left on device; expected a folder with room")


class Killed(Case):
    def test_a_rank(self):
        """Before, in and behind a collective, by a fault of the stand-in."""
        for call, others in (("cudaMalloc", "ncclCommInitRankConfig: .*"), ("ncclAllReduce", f"{SUM}: {GONE}"),
                             ("cudaStreamQuery", f"{SUM}: {GONE}"), ("cudaEventElapsedTime", ""), ("ncclCommFinalize", f"ncclCommFinalize: {GONE}")):
            with self.subTest(call):
                ended = run(2, environment=fault(f"1:{call}:kill"))
                self.fails(ended, error(rf"rank 1 was killed by signal 9 \(Killed\)( \(rank 0: {others}\))?"))

    def hanging(self, **options):
        job = Job(2, environment=fault("1:ncclAllReduce:hang"), deadline=60, **options)
        for _ in range(1000):
            if "hang" in job.err(0):
                return job
            time.sleep(0.02)
        raise AssertionError(job.ends(1))

    def test_what_a_launcher_started(self):
        for where in ("port", "folder"):
            with self.subTest(where), tempfile.TemporaryDirectory() as folder:
                with self.hanging(store=f"file://{folder}" if where == "folder" else None) as job:
                    job.processes[1].kill()
                    first, second = job.ends()
                    how = "has ended without a word" if where == "folder" else "has closed its connection"
                    self.assertEqual((DOES_NOT_HOLD, -signal.SIGKILL), (first[0], second[0]))
                    self.assertRegex(first[2], error(rf"rank 1 {how}( \(rank 0: {SUM}: {GONE}\))?"))

    def test_rank_0(self):
        for where in ("port", "folder"):
            with self.subTest(where), tempfile.TemporaryDirectory() as folder:
                with self.hanging(store=f"file://{folder}" if where == "folder" else None) as job:
                    job.processes[0].kill()
                    _, second = job.ends()
                    how = "has ended without a word" if where == "folder" else "has closed its connection"
                    self.assertEqual(DOES_NOT_HOLD, second[0])
                    self.assertRegex(second[2], error(rf"rank 1: rank 0 {how}( \(before: .*\))?"))

    def test_a_process_that_is_interrupted(self):
        with self.hanging() as job:
            job.processes[1].send_signal(signal.SIGINT)
            first, second = job.ends()
            self.assertEqual((DOES_NOT_HOLD, 128 + signal.SIGINT), (first[0], second[0]))
            self.assertRegex(first[2], error(rf"rank 1 has closed its connection( \(rank 0: {SUM}: {GONE}\))?"))


class Fails(Case):
    def test_a_call(self):
        ended = run(2, environment=fault("1:ncclAllReduce:error"))
        self.fails(ended, error(rf"rank 1: {SUM}: a collective.*"))

    def test_a_call_that_hangs(self):
        ended = run(2, environment=fault("1:ncclAllReduce:hang"), deadline=2)
        self.fails(ended, rf"(?m)^error: rank 0: {SUM}: call 1 of 1 on communicator model \(member 0 of 2\) in step 1 has not ended in time \(rank 1 says nothing, as where a call does not return\) "
                   r"\[R-deadline\]$")

    def test_a_slow_rank(self):
        """One that is stopped for a while is waited for; one that is stopped for longer is named."""
        for seconds, deadline, code in ((1, 20, HOLDS), (30, 2, DOES_NOT_HOLD)):
            with self.subTest(seconds), Job(2, start=(0,), deadline=deadline) as job:
                with Job(2, start=(1,), store=job.store, deadline=deadline) as other:
                    other.processes[0].send_signal(signal.SIGSTOP)
                    threading.Timer(seconds, lambda process=other.processes[0]: process.send_signal(signal.SIGCONT)).start()
                    ended = job.ends()[0]
                    self.assertEqual(code, ended[0], ended)
                    if code != HOLDS:
                        self.assertRegex(ended[2], r"^error: ranks? .*1.* \[R-deadline\]\n$")

    def test_no_memory(self):
        ended = run(2, environment=lambda rank: {"STANDIN_BYTES": "1000"})
        self.fails(ended, r"^error: rank \d: needs 459776 bytes of its device \(250112 arena, 100800 @W1, 100800 @W2, .*\); 1000 of 1000 are free.*\[D-memory\]\n$",
                   code=BAD_INPUT)


class Differs(Case):
    def test_the_first_difference(self):
        """Rank 0 looks for it, as `run` alone does, with ranks of its own when the launched ones have ended: behind outputs of which
        ranks have other copies, and behind a sum that is wrong on all ranks."""
        ended = run(2, environment=fault("1:ncclAllReduce:corrupt"))
        self.assertEqual([DOES_NOT_HOLD] * 2, [one[0] for one in ended], ended)
        self.assertRegex(ended[0][2], r"(?m)^error: output @y: ranks 0 and 1 hold different copies after step 1, .* \[R-replicas\]$")
        self.assertRegex(ended[0][2], rf"(?m)^warning: first difference: rank 1: {SUM}: .*, in sim .* \[R-first\]$")
        self.assertEqual("", ended[1][2])
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder, "apart.shard")
            program.write_text("isoshard 1\nmesh @m [data=2]\nglobal @x : f32[4] input\nprogram @p on @m {\n  %x = view @x [data]\n"
                               "  %y = all_gather %x {axis=data, dim=0, to=R}\n  %z = slice %y {start=[0], limit=[2]}\n  return @z = %z [-]\n}\n")
            ended = run(2, (str(program), "--check"), environment=fault("1:ncclAllGather:corrupt"))
            self.assertIn(DOES_NOT_HOLD, [ended[0][0]], ended)
            self.assertRegex(ended[0][2], r"first difference: rank 1: .*: all_gather y: ")


class Random(Case):
    CALLS = 60  # of a rank, and a few more

    def test_faults(self):
        """One call of one rank fails, dies or hangs: no run hangs or says EQUAL of it, and the message begins with that rank."""
        draw = random.Random(22)
        reached = 0
        for number in range(60 if os.environ.get("ISOSHARD_NIGHTLY") else 12):
            rank, call, kind = draw.randrange(2), draw.randint(1, self.CALLS), draw.choice(("error", "gone", "kill", "hang", "memory"))
            with self.subTest(f"STANDIN_FAULT={rank}:{call}:{kind}"), tempfile.TemporaryDirectory() as folder:
                ended = run(2, environment=fault(f"{rank}:{call}:{kind}"), deadline=1 if kind == "hang" else 20,
                            store=f"file://{folder}" if number % 3 == 2 else None)
                told = re.search(r"(?m)^stand-in fault: (.*)$", ended[0][2])
                if told is None or told.group(1).startswith("not reached") or ended[0][0] == HOLDS:
                    self.assertEqual([HOLDS, HOLDS], [one[0] for one in ended], ended)
                    self.assertIn("EQUAL to sim", ended[0][1])
                    if told is not None and not told.group(1).startswith("not reached"):
                        self.assertRegex(told.group(1), r"^(cuda\w*(Destroy|Free|Synchronize)|ncclCommAbort)")  # what gives back
                    continue
                reached += 1
                self.assertIn(ended[0][0], (DOES_NOT_HOLD, BAD_INPUT), ended)
                self.assertEqual((DOES_NOT_HOLD, ""), ended[1][:2], ended)
                self.assertNotIn("EQUAL", ended[0][1])
                self.assertRegex(ended[0][2], rf"(?m)^error: .*\brank {rank}\b.*\[(R-failed|R-deadline|D-memory)\]$")
        self.assertGreater(reached, 3)


class Different(Case):
    def test_another_mesh(self):
        ended = run(2, lambda rank: ("examples/tp_mlp.shard", "--mesh", ("data=1,model=2", "data=2,model=1")[rank]))
        self.fails(ended, error("rank 1 has another mesh than rank 0: data=2,model=1 and data=1,model=2; expected the same command, and the "
                                "same files, for all ranks"))

    def test_another_program(self):
        with tempfile.TemporaryDirectory() as folder:
            text = pathlib.Path(ROOT, "examples/tp_mlp.shard").read_text()
            other = pathlib.Path(folder, "tp_mlp.shard")
            other.write_text(text.replace("logistic", "tanh", 1))
            self.assertNotEqual(text, other.read_text())
            ended = run(2, lambda rank: (("examples/tp_mlp.shard", other)[rank], "--mesh", "data=1,model=2"))
            self.fails(ended, error(r"rank 1 has another program than rank 0: @tp_mlp \(digest of its calls [0-9a-f]{16}\) and @tp_mlp "
                                    r"\(digest of its calls [0-9a-f]{16}\); expected the same command, and the same files, for all ranks"))

    def test_other_inputs(self):
        ended = run(2, lambda rank: (*MLP, "--seed", rank))
        self.fails(ended, error("rank 1 has another set of inputs than rank 0: .*"))

    def test_other_options(self):
        ended = run(2, lambda rank: (*MLP, "--products", ("exact", "library")[rank]))
        self.fails(ended, error("rank 1 has another set of options than rank 0: .*--products library.* and .*--products exact.*"))

    def test_the_same_device(self):
        ended = run(2, environment=lambda rank: {"STANDIN_DEVICES": "1"})
        self.fails(ended, r"^error: ranks 0 and 1 have the same GPU, ffff:00:00.0 of \S+: expected one for each rank, or --oversubscribe, with "
                   r"which timings mean nothing \[R-device\]\n$", code=NO_DEVICE)


class Meeting(Case):
    def test_ranks_that_do_not_come(self):
        ended = run(4, ("examples/tp_mlp.shard", "--mesh", "data=2,model=2"), start=(0, 2), deadline=1)
        self.fails(ended, r"^error: ranks 1, 3 of 4 did not come to the store at 127.0.0.1:\d+ in 1 s; a longer --deadline gives them more "
                   r"time \[R-deadline\]\n$")

    def test_rank_0_does_not_come(self):
        for store, why in ((f"127.0.0.1:{free_port()}", ": Connection refused"), ("file:///tmp", "")):
            ended = run(2, start=(1,), deadline=1, store=store)
            self.assertEqual((DOES_NOT_HOLD, ""), ended[0][:2])
            self.assertEqual(f"error: rank 1: the store at {store}: this rank found nobody in time{why}; expected rank 0 of the same job there "
                             "(ISOSHARD_STORE names another place, ISOSHARD_TOKEN the job) [R-deadline]\n", ended[0][2])

    def test_another_token(self):
        ended = run(2, environment=lambda rank: {"ISOSHARD_TOKEN": f"secret {rank}"}, deadline=2)
        self.assertEqual([DOES_NOT_HOLD] * 2, [one[0] for one in ended])
        self.assertRegex(ended[0][2], r"^error: rank 1 of 2 did not come to the store at \S+ in 2 s \(but another token from 127.0.0.1\); a "
                         r"longer --deadline gives them more time \[R-deadline\]\n$")
        self.assertRegex(ended[1][2], r"^error: rank 1: the store at \S+: this rank was refused as another token; expected rank 0 of the same "
                         r"job there .* \[R-failed\]\n$")

    def test_a_port_in_use(self):
        with socket.socket() as used:
            used.bind(("127.0.0.1", 0))
            used.listen()
            store = f"127.0.0.1:{used.getsockname()[1]}"
            ended = run(2, start=(0,), store=store)
            self.assertEqual((DOES_NOT_HOLD, "", f"error: the store at {store}: Address already in use; expected an address of this machine and "
                              "a port that is free; ISOSHARD_STORE names another [R-failed]\n"), ended[0])

    def test_somebody_else_at_the_port(self):
        with socket.socket() as used:
            used.bind(("127.0.0.1", 0))
            used.listen()
            store = f"127.0.0.1:{used.getsockname()[1]}"
            with Job(2, start=(1,), store=store) as job:
                connection, _ = used.accept()
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                ended = job.ends()
                connection.close()
            self.assertEqual(DOES_NOT_HOLD, ended[0][0])
            self.assertRegex(ended[0][2], r"^error: rank 1: the store at \S+: this rank (was answered by something that is no store of "
                             r"isoshard|was hung up on before it was answered); expected rank 0 of the same job there .*\[R-failed\]\n$")

    def test_garbage_and_silence(self):
        """Strangers at the port of rank 0 keep nobody from meeting."""
        with Job(2, start=(0,)) as job:
            host, port = job.store.split(":")
            strangers = []
            for sent in (b"", b"\0", b"GET / HTTP/1.1\r\n\r\n", os.urandom(100000), b"\xff\xff\xff\xffH"):
                for _ in range(500):
                    try:
                        strangers.append(socket.create_connection((host, int(port))))
                        break
                    except ConnectionRefusedError:
                        time.sleep(0.02)
                try:
                    strangers[-1].sendall(sent)
                except OSError:
                    pass
            ended = [job, Job(2, start=(1,), store=job.store)]
            with ended[1]:
                ended = [one.ends()[0] for one in ended]
            for stranger in strangers:
                stranger.close()
            self.assertEqual([(HOLDS, ""), (HOLDS, "")], [(one[0], one[2]) for one in ended])

    @unittest.skipUnless(shutil.which("prlimit"), "there is no prlimit")
    def test_a_full_disk(self):
        with tempfile.TemporaryDirectory() as folder:
            ended = run(2, store=f"file://{folder}", deadline=5, prefix=lambda rank: ("prlimit", "--fsize=200") if rank == 1 else ())
            self.assertEqual([(DOES_NOT_HOLD, "")] * 2, [one[:2] for one in ended], ended)
            self.assertEqual("error: rank 1 has ended without a word before all ranks had come [R-failed]\n", ended[0][2])
            self.assertEqual(f"error: rank 1: {folder}/up.1.1 cannot be written: File too large; expected a folder with room for what ranks "
                             "send (ISOSHARD_STORE) [R-failed]\n", ended[1][2])

    def test_no_such_folder(self):
        ended = run(2, start=(0,), store="file:///no/such/folder")
        self.assertEqual((DOES_NOT_HOLD, "", "error: the store at file:///no/such/folder: there is no such folder; expected one that all ranks "
                          "see [R-failed]\n"), ended[0])

    def test_one_rank_twice(self):
        with Job(2, start=(0,), deadline=3, arguments=MLP, environment=fault("0:ncclCommSplit:hang")) as first:
            with Job(2, start=(1,), store=first.store, deadline=3) as second:
                for _ in range(500):
                    if "hang" in first.err(0):
                        break
                    time.sleep(0.02)
                with Job(2, start=(1,), store=first.store, deadline=3) as third:
                    ended = third.ends()[0]
                    self.assertEqual(DOES_NOT_HOLD, ended[0])
                    self.assertIn("this rank was refused as a second rank 1; expected each rank once", ended[2])
                second.ends()


class Environment(Case):
    def refused(self, message, variables, arguments=MLP):
        ended = run(1, arguments, own=lambda rank: variables)
        self.assertEqual((BAD_INPUT, "", message), ended[0])

    HINT = "; with --launcher processes `run` starts all ranks itself [I-launcher]\n"

    def test_incomplete(self):
        self.refused("error: RANK=1 is set, as by torchrun, and WORLD_SIZE is not; expected all of RANK, WORLD_SIZE and LOCAL_RANK, or none of "
                     "them" + self.HINT, {"RANK": 1})
        self.refused("error: ISOSHARD_SIZE=2 is set, as by isoshard, and ISOSHARD_RANK is not; expected all of ISOSHARD_RANK, ISOSHARD_SIZE and "
                     "ISOSHARD_LOCAL_RANK, or none of them" + self.HINT, {"ISOSHARD_SIZE": 2})

    def test_contradictions(self):
        own = {"ISOSHARD_RANK": 2, "ISOSHARD_SIZE": 2, "ISOSHARD_LOCAL_RANK": 0, "ISOSHARD_STORE": "h:1"}
        self.refused("error: ISOSHARD_RANK=2 is no rank of ISOSHARD_SIZE=2; expected 0 to 1" + self.HINT, own)
        self.refused("error: ISOSHARD_LOCAL_RANK=2 is more than ISOSHARD_RANK=1; expected the rank among those of its machine" + self.HINT,
                     {**own, "ISOSHARD_RANK": 1, "ISOSHARD_LOCAL_RANK": 2})
        self.refused("error: ISOSHARD_SIZE=two: expected a number from 1 on" + self.HINT, {**own, "ISOSHARD_SIZE": "two"})
        self.refused('error: ISOSHARD_STORE: "here" is no address of a store: expected HOST:PORT with a port from 1 to 65535, or file://FOLDER' +
                     self.HINT, {**own, "ISOSHARD_RANK": 0, "ISOSHARD_STORE": "here"})

    def test_another_number_than_the_mesh(self):
        ended = run(3)
        message = ("isoshard has started 3 ranks: @tp_mlp is for a mesh of 2 devices; expected as many ranks, or another --mesh; with --launcher "
                   "processes `run` starts all ranks itself [I-ranks]\n")
        self.assertEqual([(BAD_INPUT, "", f"error: {who}{message}") for who in ("", "rank 1: ", "rank 2: ")], ended)

    def test_a_batch_script_is_no_rank(self):
        """sbatch sets SLURM_PROCID, too, and starts no ranks: `run` does."""
        ended = run(1, own=lambda rank: {"SLURM_PROCID": 0, "SLURM_NTASKS": 2, "SLURM_LOCALID": 0, "SLURM_JOB_ID": 7})
        self.assertEqual((HOLDS, ""), (ended[0][0], ended[0][2]))

    def test_the_ranks_of_run(self):
        ended = run(1, (*MLP, "--launcher", "processes"), own=lambda rank: {"RANK": 1})
        self.assertEqual((HOLDS, ""), (ended[0][0], ended[0][2]))


if __name__ == "__main__":
    unittest.main()
