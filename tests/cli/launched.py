"""Runs whose ranks are started by somebody else: processes with the variables of a launcher, on the stand-in."""

import os
import pathlib
import socket
import subprocess
import tempfile

from isoshard import BINARY, ROOT

MLP = ("examples/tp_mlp.shard", "--mesh", "data=1,model=2")

# What launchers set, which must not come from whoever runs the tests.
OF_LAUNCHERS = ("ISOSHARD_", "OMPI_", "PMIX_", "PMI_", "SLURM_", "FLUX_", "PALS_", "TORCHELASTIC_", "MPI_", "STANDIN_")
NAMES = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "GROUP_RANK", "MASTER_ADDR", "MASTER_PORT")


def clean_environment():
    kept = ("ISOSHARD_SANITIZE", "ISOSHARD_NIGHTLY")
    return {name: value for name, value in os.environ.items()
            if name in kept or not (name.startswith(OF_LAUNCHERS) or name in NAMES)} | {"STANDIN_QUERY_MS": "3"}


def free_port():
    """One that nobody listens at, and the system gives to nobody who asks for any."""
    for port in range(61440 + os.getpid() * 7 % 4000, 65536):
        with socket.socket() as tried:
            try:
                tried.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise AssertionError("no free port")


def command(*arguments, deadline=20):
    return [BINARY, "run", *map(str, arguments), "--device", "cpu-standin", "--check", "--deadline", str(deadline)]


class Job:
    """Ranks that were started, each with `environment(rank)` and the arguments of `command(rank)`."""

    def __init__(self, ranks, arguments=MLP, environment=lambda rank: {}, store=None, deadline=20, prefix=lambda rank: (), own=None, start=None):
        self.store = store or f"127.0.0.1:{free_port()}"
        self.folder = tempfile.TemporaryDirectory()
        self.ranks = list(range(ranks)) if start is None else list(start)
        self.processes = []
        self.files = []
        for rank in self.ranks:
            given = arguments(rank) if callable(arguments) else arguments
            variables = {"ISOSHARD_RANK": rank, "ISOSHARD_SIZE": ranks, "ISOSHARD_LOCAL_RANK": rank, "ISOSHARD_STORE": self.store}
            if own is not None:
                variables = own(rank)
            variables = {**clean_environment(), "TMPDIR": self.folder.name, **{k: str(v) for k, v in variables.items()}, **environment(rank)}
            out, err = (open(pathlib.Path(self.folder.name) / f"{kind}.{rank}", "w+b") for kind in ("out", "err"))
            self.files.append((out, err))
            self.processes.append(subprocess.Popen([*prefix(rank), *command(*given, deadline=deadline)], cwd=ROOT, env=variables,
                                                   stdin=subprocess.DEVNULL, stdout=out, stderr=err))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.wait()
        for out, err in self.files:
            out.close()
            err.close()
        self.folder.cleanup()

    def err(self, rank):
        return (pathlib.Path(self.folder.name) / f"err.{rank}").read_text()

    def ends(self, seconds=90):
        """[(exit code, stdout, stderr)] of all ranks."""
        for process in self.processes:
            process.wait(timeout=seconds)
        return [(process.returncode, (pathlib.Path(self.folder.name) / f"out.{rank}").read_text(), self.err(rank))
                for rank, process in zip(self.ranks, self.processes)]


def run(ranks, arguments=MLP, **options):
    with Job(ranks, arguments, **options) as job:
        return job.ends()
