#!/usr/bin/python3
"""Builds the wheel and tests it with pytest, in environments that are thrown away, one per version of Python and JAX.

    run.py WORK                  the wheel of this Python; WORK: a folder for the environments
    run.py WORK --all            the wheels of all Pythons that python/interpreters.py finds; takes minutes, so only
                                 where ISOSHARD_NIGHTLY is set

Exit code 77 says why nothing was tested: no headers of Python, no PyPI, no night. NumPy, pytest, JAX and the tools that build
the wheel come from there, by pip.
"""

import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "python"))
import interpreters

# By minor version of Python: the newest JAX that it can have, and where the oldest supported one is tested, that.
OLDEST, NEWEST = "0.4.35", "0.12.0.1"
VERSIONS = {10: ("0.6.2", OLDEST), 11: ("0.10.2", OLDEST)}
SKIPPED = 77


def run(*command, **options):
    return subprocess.run([str(part) for part in command], text=True, check=False, **options)


def what_is_missing(work):
    """Why the wheel can not be built here, or None."""
    header = pathlib.Path(sysconfig.get_path("include")) / "Python.h"
    if not header.is_file():
        return f"there is no {header} (Debian: python3-dev)"
    if run(sys.executable, "-m", "venv", work / "pip", capture_output=True).returncode != 0:
        return "there is no venv (Debian: python3-venv)"
    newer = [work / "pip/bin/python", "-m", "pip", "--timeout", "10", "--retries", "1", "install", "--quiet", "--upgrade", "pip"]
    asked = run(*newer, capture_output=True)  # that of Debian 12 cannot install for Python 3.12
    return f"PyPI gives nothing: {asked.stderr.strip()[-300:]}" if asked.returncode != 0 else None


def wheel_for(minor, wheels):
    """The one of these wheels that Python 3.MINOR takes."""
    tag = f"-cp3{minor}-cp3{minor}-" if minor < interpreters.STABLE else f"-cp3{interpreters.STABLE}-abi3-"
    (wheel,) = (path for path in wheels if tag in path)
    return wheel


def test_with(python, version, wheel, work):
    """The tests beside this version of JAX: exit code and output."""
    own = work / "bin/python"
    made = run(python, "-m", "venv", "--without-pip", work, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if made.returncode != 0:
        return made.returncode, made.stdout
    told = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    pip = [work.parent / "pip/bin/python", "-m", "pip", "--python", own, "install", "--quiet", "--no-compile"]
    log = run(*pip, "pytest", f"jax=={version}", f"jaxlib=={version}", wheel, **told)
    if log.returncode != 0:
        return log.returncode, log.stdout
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(work / "cache")}
    done = run(own, "-m", "pytest", HERE, cwd=work, env=environment, **told)
    return done.returncode, done.stdout


def test_wheels(pythons, wheels, work):
    """All environments, two at a time; the worst exit code."""
    done = {}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for minor, python in pythons.items():
            for version in VERSIONS.get(minor, (NEWEST,)):
                folder = work / f"3.{minor}-{version}"
                done[minor, version] = pool.submit(test_with, python, version, wheel_for(minor, wheels), folder)
    for (minor, version), future in done.items():
        print(f"--- Python 3.{minor}, jax {version}, {pathlib.Path(wheel_for(minor, wheels)).name}\n{future.result()[1]}")
    return max(future.result()[0] for future in done.values())


def main():
    everything = sys.argv[2:] == ["--all"]
    if everything and not os.environ.get("ISOSHARD_NIGHTLY"):
        print("skipped: takes minutes; ISOSHARD_NIGHTLY=1, or ./dev test --nightly, runs it")
        return SKIPPED
    work = pathlib.Path(sys.argv[1]).resolve()
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    missing = what_is_missing(work)
    if missing:
        print("skipped:", missing)
        return SKIPPED
    pythons = interpreters.interpreters() if everything else {sys.version_info.minor: sys.executable}
    built = run(ROOT / "dev", "wheel", *interpreters.to_build(pythons), stdout=subprocess.PIPE)
    if built.returncode != 0:
        return built.returncode
    wheels = built.stdout.split()
    for wheel in wheels:
        print(f"{wheel}: {os.stat(wheel).st_size / 1e6:.1f} MB")
    code = test_wheels(pythons, wheels, work)
    shutil.rmtree(work)
    return code


if __name__ == "__main__":
    sys.exit(main())
