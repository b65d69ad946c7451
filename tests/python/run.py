#!/usr/bin/python3
"""Builds the wheel and tests it with pytest, in environments that are thrown away, one per version of JAX.

    run.py WORK                  WORK: a folder for the environments

Exit code 77 says what this machine lacks: headers of Python, or PyPI. NumPy, pytest, JAX and the tools that build the wheel
come from there, by pip.
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
VERSIONS = {"newest": "0.10.2", "oldest": "0.4.35"}
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
    pip = [work / "pip/bin/python", "-m", "pip", "--timeout", "10", "--retries", "1"]
    asked = run(*pip, "download", "--quiet", "--no-deps", "--dest", work / "pip", "scikit-build-core", capture_output=True)
    return f"PyPI gives nothing: {asked.stderr.strip()[-300:]}" if asked.returncode != 0 else None


def test_with(version, wheel, work, name):
    """The tests beside this version of JAX: exit code and output."""
    python = work / name / "bin/python"
    run(sys.executable, "-m", "venv", "--without-pip", work / name)
    told = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    pip = [work / "pip/bin/python", "-m", "pip", "--python", python, "install", "--quiet", "--no-compile"]
    log = run(*pip, "pytest", f"jax=={version}", f"jaxlib=={version}", wheel, **told)
    if log.returncode != 0:
        return log.returncode, log.stdout
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(work / name / "cache")}
    done = run(python, "-m", "pytest", HERE, cwd=work / name, env=environment, **told)
    return done.returncode, done.stdout


def main():
    work = pathlib.Path(sys.argv[1]).resolve()
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    missing = what_is_missing(work)
    if missing:
        print("skipped:", missing)
        return SKIPPED
    built = run(ROOT / "dev", "wheel", stdout=subprocess.PIPE)
    if built.returncode != 0:
        return built.returncode
    wheel = built.stdout.strip().splitlines()[-1]
    print(f"{wheel}: {os.stat(wheel).st_size / 1e6:.1f} MB")
    with concurrent.futures.ThreadPoolExecutor() as pool:
        done = {name: pool.submit(test_with, version, wheel, work, name) for name, version in VERSIONS.items()}
    for name, future in done.items():
        code, output = future.result()
        print(f"--- jax {VERSIONS[name]}, the {name}\n{output}")
    shutil.rmtree(work)
    return max(future.result()[0] for future in done.values())


if __name__ == "__main__":
    sys.exit(main())
