#!/usr/bin/python3
"""Prints the CPythons of this machine from 3.10 on that a wheel can be built for: one per version, oldest first.

They are looked for as python3.N in PATH and among the versions of pyenv, and need the header Python.h and venv. Builds
without a global interpreter lock are left out: they have no stable interface.

    interpreters.py [--to-build]     --to-build: one of those from 3.12 on, the oldest: its wheel serves all of these
"""

import os
import pathlib
import shutil
import subprocess
import sys

FIRST, STABLE, LAST = 10, 12, 29  # STABLE: wheel.py-api of pyproject.toml
ASKED = """
import os, platform, sys, sysconfig, venv, ensurepip
header = os.path.join(sysconfig.get_path("include"), "Python.h")
locked = not sysconfig.get_config_var("Py_GIL_DISABLED")
if platform.python_implementation() == "CPython" and locked and os.path.isfile(header):
    print(sys.version_info.minor)
"""


def candidates(minor):
    """Paths that may be python3.MINOR; those of PATH first."""
    name = f"python3.{minor}"
    for folder in os.get_exec_path():
        found = shutil.which(name, path=folder)
        if found:
            yield found
    root = pathlib.Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser()
    yield from sorted(root.glob(f"versions/3.{minor}.*/bin/{name}"), reverse=True)


def serves(python, minor):
    """Whether this is python3.MINOR with what a wheel needs; a shim of pyenv fails for versions that are not chosen."""
    asked = subprocess.run([python, "-c", ASKED], capture_output=True, text=True, check=False)
    return asked.returncode == 0 and asked.stdout.strip() == str(minor)


def interpreters():
    """{minor version: path}, oldest first."""
    found = {}
    for minor in range(FIRST, LAST + 1):
        python = next((path for path in candidates(minor) if serves(path, minor)), None)
        if python:
            found[minor] = str(python)
    return found


def to_build(found):
    """The paths whose wheels serve all that were found."""
    stable = [minor for minor in found if minor >= STABLE]
    return [path for minor, path in found.items() if minor not in stable[1:]]


if __name__ == "__main__":
    everything = interpreters()
    print(*(to_build(everything) if "--to-build" in sys.argv[1:] else everything.values()), sep="\n")
