"""Runs the program of $ISOSHARD_BINARY as a process, for the tests of this folder."""

import contextlib
import os
import pathlib
import subprocess
import tempfile
import unittest

BINARY = os.environ["ISOSHARD_BINARY"]
ROOT = pathlib.Path(__file__).resolve().parents[2]

# Of tests that cut files everywhere: a process of a sanitized program takes long to start.
STRIDE = 7 if os.environ.get("ISOSHARD_SANITIZE") else 1

# Of tests that run no code that others do not, for half a minute and more under AddressSanitizer: the ordinary build runs them.
ordinary_only = unittest.skipIf("address" in os.environ.get("ISOSHARD_SANITIZE", ""), "slow under AddressSanitizer")

HOLDS, DOES_NOT_HOLD, BAD_INPUT, UNDECIDED = 0, 1, 2, 3


def run(*arguments, cwd=ROOT, env=None, stdin=subprocess.DEVNULL, prefix=()):
    """(exit code, stdout, stderr) of `isoshard ARGUMENTS`; a negative exit code is the signal that ended it."""
    environment = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "CLICOLOR_FORCE")}
    environment.update(env or {})
    done = subprocess.run([*prefix, BINARY, *map(str, arguments)], cwd=cwd, env=environment, stdin=stdin,
                          capture_output=True, timeout=60, check=False)
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


@contextlib.contextmanager
def throwaway_counts():
    """Where a tree that counts lines writes instead of to its own files, which a limit or a signal could cut short."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        yield {"GCOV_PREFIX": folder}


class Case(unittest.TestCase):
    """A test with a folder of its own, in which the program runs unless told otherwise."""

    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return name

    def run_here(self, *arguments, **options):
        return run(*arguments, cwd=self.folder, **options)

    def rejects(self, message, *arguments, **options):
        """Bad input: exit code 2, nothing on stdout, exactly `message` on stderr."""
        self.assertEqual((BAD_INPUT, "", message), self.run_here(*arguments, **options))

    @contextlib.contextmanager
    def as_nobody(self):
        """Options with which the program runs as a user who may do nothing; skips where that user cannot run it."""
        nobody = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
        with throwaway_counts() as counts:
            if run("version", prefix=nobody, env=counts)[0] != HOLDS:
                self.skipTest("nobody cannot run the program where it is")
            yield {"prefix": nobody, "env": counts}
