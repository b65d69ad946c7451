#!/usr/bin/python3
"""Ranks that real launchers start, each where it is installed: mpirun of OpenMPI, srun of a Slurm that this test starts, and the variables
that torchrun and Flux document. Two machines are two network namespaces, where this process may make some.
"""

import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time
import unittest

from isoshard import BAD_INPUT, DOES_NOT_HOLD, HOLDS, ROOT
from launched import MLP, Job, clean_environment, command, free_port, run

GRID = ("examples/tp_mlp.shard", "--mesh", "data=2,model=2")


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def started(self, launcher, *arguments, deadline=30, **environment):
        done = subprocess.run([*launcher, *command(*arguments, deadline=deadline)], cwd=ROOT, capture_output=True, text=True, check=False,
                              timeout=120, stdin=subprocess.DEVNULL,
                              env={**clean_environment(), "TMPDIR": str(self.folder), **environment})
        return done.returncode, done.stdout, done.stderr

    def holds(self, done):
        """Rank 0 alone has printed, once."""
        code, out, err = done
        self.assertEqual((HOLDS, 1), (code, out.count("EQUAL to sim")), done)
        self.assertEqual(1, out.count("@tp_mlp on "), done)
        self.assertNotIn("error:", err)

    def fails(self, done):
        """A rank that was killed is told, and the launcher ends."""
        code, out, err = done
        self.assertNotEqual(HOLDS, code)
        self.assertNotIn("EQUAL", out)
        self.assertRegex(err, r"(?m)error: rank 1 was killed by signal 9 \(Killed\)( \(rank 0: .*\))? \[R-failed\]$")


@unittest.skipUnless(shutil.which("mpirun"), "OpenMPI is not installed: there is no mpirun")
class OpenMpi(Case):
    # It warns where its session folder is long; and binds to cores that a test machine may lack.
    MPIRUN = ("mpirun", "--oversubscribe", "--allow-run-as-root", "--bind-to", "none", "--mca", "orte_tmpdir_base", "/tmp")

    def test_ranks(self):
        self.holds(self.started((*self.MPIRUN, "-n", "2"), *MLP))
        self.holds(self.started((*self.MPIRUN, "-n", "4"), *GRID))

    def test_a_rank_that_is_killed(self):
        self.fails(self.started((*self.MPIRUN, "-n", "2"), *MLP, STANDIN_FAULT="1:ncclAllReduce:kill"))

    def test_another_number_than_the_mesh(self):
        code, out, err = self.started((*self.MPIRUN, "-n", "3"), *MLP)
        self.assertEqual(BAD_INPUT, code, err)
        self.assertNotIn("@tp_mlp on ", out)
        self.assertIn("OpenMPI has started 3 ranks: @tp_mlp is for a mesh of 2 devices", err)

    def test_two_jobs_at_once(self):
        jobs = [subprocess.Popen([*self.MPIRUN, "-n", "2", *command(*MLP)], cwd=ROOT, text=True, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                                 env={**clean_environment(), "TMPDIR": str(self.folder)}) for _ in range(2)]
        for job in jobs:
            out, err = job.communicate(timeout=120)
            self.holds((job.returncode, out, err))


@unittest.skipUnless(all(map(shutil.which, ("srun", "slurmctld", "slurmd", "munged"))), "Slurm is not installed: srun, slurmctld, slurmd, munged")
@unittest.skipUnless(os.geteuid() == 0, "not root, as who slurmd and munged are started")
class Slurm(Case):
    """A cluster of one node, which is this machine, in a folder of its own."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.home = pathlib.Path(folder.name)
        host = socket.gethostname().split(".")[0]
        key = cls.home / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o600)
        (cls.home / "state").mkdir()
        (cls.home / "spool").mkdir()
        cls.configuration = cls.home / "slurm.conf"
        cls.configuration.write_text(f"""ClusterName=one
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={cls.home}/munge.sock
CredType=cred/munge
SlurmctldPort={free_port()}
SlurmdPort={free_port() + 1}
StateSaveLocation={cls.home}/state
SlurmdSpoolDir={cls.home}/spool
SlurmctldPidFile={cls.home}/slurmctld.pid
SlurmdPidFile={cls.home}/slurmd.pid
SlurmctldLogFile={cls.home}/slurmctld.log
SlurmdLogFile={cls.home}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
MpiDefault=none
SwitchType=switch/none
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
NodeName={host} NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES OverSubscribe=FORCE:4 State=UP
SlurmdParameters=config_overrides
""")
        cls.environment = {**os.environ, "SLURM_CONF": str(cls.configuration)}
        started = [("munged", "--force", "--foreground", f"--socket={cls.home}/munge.sock", f"--key-file={key}", f"--pid-file={cls.home}/munge.pid",
                    f"--log-file={cls.home}/munge.log", f"--seed-file={cls.home}/munge.seed"), ("slurmctld", "-c", "-D"), ("slurmd", "-D")]
        for daemon in started:
            process = subprocess.Popen(daemon, env=cls.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            cls.addClassCleanup(cls.end, process)
            time.sleep(0.5)
        for _ in range(100):
            state = subprocess.run(["sinfo", "-h", "-o", "%T"], env=cls.environment, capture_output=True, text=True, check=False).stdout
            if state.strip() == "idle":
                return
            time.sleep(0.2)
        logs = "".join(path.read_text()[-500:] for path in cls.home.glob("*.log"))
        raise unittest.SkipTest(f"Slurm does not start here:\n{logs}")

    @staticmethod
    def end(process):
        process.terminate()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def srun(self, ranks, *arguments, **environment):
        return self.started(("srun", "--overcommit", "-n", str(ranks)), *arguments, SLURM_CONF=str(self.configuration), **environment)

    def test_ranks(self):
        self.holds(self.srun(2, *MLP))
        self.holds(self.srun(4, *GRID))

    def test_a_rank_that_is_killed(self):
        self.fails(self.srun(2, *MLP, STANDIN_FAULT="1:ncclAllReduce:kill"))


@unittest.skipUnless(shutil.which("torchrun"), "PyTorch is not installed: there is no torchrun")
class Torchrun(Case):
    TORCHRUN = ("torchrun", "--no-python", "--standalone", "--nproc-per-node")

    def test_ranks(self):
        self.holds(self.started((*self.TORCHRUN, "2"), *MLP))
        self.holds(self.started((*self.TORCHRUN, "4"), *GRID))

    def test_a_rank_that_is_killed(self):
        self.fails(self.started((*self.TORCHRUN, "2"), *MLP, STANDIN_FAULT="1:ncclAllReduce:kill"))


class Documented(Case):
    """What launchers document that they set, for where they are not installed."""

    def test_torchrun(self):
        port = free_port()
        with socket.socket() as agent:  # which listens at MASTER_PORT
            agent.bind(("127.0.0.1", port))
            agent.listen()
            ended = run(4, GRID, own=lambda rank: {
                "RANK": rank, "WORLD_SIZE": 4, "LOCAL_RANK": rank % 2, "LOCAL_WORLD_SIZE": 2, "GROUP_RANK": rank // 2, "MASTER_ADDR": "127.0.0.1",
                "MASTER_PORT": port, "TORCHELASTIC_USE_AGENT_STORE": "True", "TORCHELASTIC_RUN_ID": "none", "TORCHELASTIC_MAX_RESTARTS": 0,
                "TORCHELASTIC_RESTART_COUNT": 0, "OMP_NUM_THREADS": 1})
        self.assertEqual([HOLDS] * 4, [one[0] for one in ended], ended)

    def test_flux(self):
        ended = run(2, own=lambda rank: {"FLUX_TASK_RANK": rank, "FLUX_JOB_SIZE": 2, "FLUX_TASK_LOCAL_ID": rank, "FLUX_JOB_NNODES": 1,
                                         "FLUX_JOB_ID": free_port()})
        self.assertEqual([HOLDS] * 2, [one[0] for one in ended], ended)

    def test_mpich(self):
        store = f"127.0.0.1:{free_port()}"
        ended = run(2, own=lambda rank: {"PMI_RANK": rank, "PMI_SIZE": 2, "MPI_LOCALRANKID": rank, "ISOSHARD_STORE": store})
        self.assertEqual([HOLDS] * 2, [one[0] for one in ended], ended)


def may_make_namespaces():
    if shutil.which("ip") is None or os.geteuid() != 0:
        return False
    name = f"isoshard-try-{os.getpid()}"
    made = subprocess.run(["ip", "netns", "add", name], capture_output=True, check=False).returncode == 0
    if made:
        subprocess.run(["ip", "netns", "del", name], check=False)
    return made


@unittest.skipUnless(may_make_namespaces(), "no permission for network namespaces (ip netns)")
class TwoMachines(Case):
    """Two namespaces with a wire between them: two ranks in each, which reach the other two only over it."""

    def setUp(self):
        super().setUp()
        self.names = [f"isoshard-{os.getpid()}-{i}" for i in range(2)]
        for name in self.names:
            self.ip("netns", "add", name)
            self.addCleanup(self.ip, "netns", "del", name)
        ends = [f"iso{os.getpid() % 100000}{i}" for i in range(2)]
        self.ip("link", "add", ends[0], "type", "veth", "peer", "name", ends[1])
        for i, (name, end) in enumerate(zip(self.names, ends)):
            self.ip("link", "set", end, "netns", name)
            self.ip("-n", name, "addr", "add", f"10.213.77.{i + 1}/24", "dev", end)
            self.ip("-n", name, "link", "set", end, "up")
            self.ip("-n", name, "link", "set", "lo", "up")
        self.ends = ends

    def ip(self, *arguments):
        subprocess.run(["ip", *arguments], check=True)

    def job(self, **options):
        return Job(4, GRID, store="10.213.77.1:29500", prefix=lambda rank: ("ip", "netns", "exec", self.names[rank // 2]), **options)

    def test_ranks(self):
        with self.job(environment=lambda rank: {"ISOSHARD_LOCAL_RANK": str(rank % 2)}) as job:
            ended = job.ends()
        self.assertEqual([HOLDS] * 4, [one[0] for one in ended], ended)
        self.assertIn("EQUAL to sim", ended[0][1])

    def test_the_variables_of_two_machines(self):
        """As torchrun sets them on two nodes."""
        with self.job(own=lambda rank: {"RANK": rank, "WORLD_SIZE": 4, "LOCAL_RANK": rank % 2, "LOCAL_WORLD_SIZE": 2, "GROUP_RANK": rank // 2,
                                        "MASTER_ADDR": "10.213.77.1", "MASTER_PORT": 29500}) as job:
            ended = job.ends()
        self.assertEqual([HOLDS] * 4, [one[0] for one in ended], ended)

    @unittest.skipUnless(shutil.which("torchrun"), "PyTorch is not installed: there is no torchrun")
    def test_torchrun(self):
        """One on each machine, which start two ranks each."""
        nodes = [subprocess.Popen(["ip", "netns", "exec", name, "torchrun", "--no-python", "--nnodes", "2", "--node-rank", str(node),
                                   "--nproc-per-node", "2", "--master-addr", "10.213.77.1", "--master-port", "29500", *command(*GRID)],
                                  cwd=ROOT, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  env={**clean_environment(), "TMPDIR": str(self.folder)}) for node, name in enumerate(self.names)]
        ended = [node.communicate(timeout=120) for node in nodes]
        self.assertEqual([HOLDS, HOLDS], [node.returncode for node in nodes], ended)
        self.assertEqual([1, 0], [out.count("EQUAL to sim") for out, _ in ended])

    @unittest.skipUnless(os.environ.get("ISOSHARD_NIGHTLY"), "a minute, in which TCP finds out")
    def test_the_wire_is_cut_in_a_step(self):
        with self.job(environment=lambda rank: {"STANDIN_FAULT": "3:ncclAllReduce:hang"} if rank == 0 else {}, deadline=120) as job:
            while "hang" not in job.err(0):
                self.assertIsNone(job.processes[0].poll())
                time.sleep(0.05)
            self.ip("-n", self.names[1], "link", "set", self.ends[1], "down")
            begin = time.monotonic()
            ended = job.ends()
        self.assertLess(time.monotonic() - begin, 90)
        self.assertEqual([DOES_NOT_HOLD] * 4, [one[0] for one in ended], ended)
        self.assertRegex(ended[0][2], r"(?m)^error: rank [23] has closed its connection( \(.*\))? \[R-failed\]$")
        for rank in (2, 3):
            self.assertRegex(ended[rank][2], rf"^error: rank {rank}: rank 0 has closed its connection( \(before: .*\))? \[R-failed\]\n$")

    def test_a_rank_of_the_other_machine_is_killed(self):
        with self.job(environment=lambda rank: {"STANDIN_FAULT": "3:ncclAllReduce:kill"} if rank == 0 else {}) as job:
            ended = job.ends()
        self.assertEqual([DOES_NOT_HOLD] * 4, [one[0] for one in ended], ended)
        self.assertRegex(ended[0][2], r"(?m)^error: rank 3 was killed by signal 9 \(Killed\)( \(.*\))? \[R-failed\]$")

    def test_the_wire_is_cut_before_they_meet(self):
        self.ip("-n", self.names[1], "link", "set", self.ends[1], "down")
        with self.job(deadline=3) as job:
            ended = job.ends()
        self.assertEqual([DOES_NOT_HOLD] * 4, [one[0] for one in ended], ended)
        self.assertRegex(ended[0][2], r"^error: ranks 2, 3 of 4 did not come to the store at 10.213.77.1:29500 in 3 s.*\[R-deadline\]\n$")
        for rank in (2, 3):
            self.assertRegex(ended[rank][2], rf"^error: rank {rank}: the store at 10.213.77.1:29500: this rank found nobody in time: .*"
                             r"\[R-deadline\]\n$")


if __name__ == "__main__":
    unittest.main()
