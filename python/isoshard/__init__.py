"""Proves that sharded programs equal the unsharded ones, and runs them on virtual devices.

    report = isoshard.check(sharded_step, plain_step, *args)   # two JAX functions
    report = isoshard.check("sharded.mlir", "reference.mlir")  # their StableHLO texts, as files or strings
    report = isoshard.check("program.shard")                   # a file with a claim
    print(report); report.counterexample
"""

from isoshard._checks import assert_equivalent, check, check_all, check_grad
from isoshard._core import Finding, version
from isoshard._errors import InputError, LibraryError, NotEquivalentError, RunError
from isoshard._report import Output, Report, Verdict
from isoshard._simulate import simulate

__version__ = version()
__all__ = [
    "Finding",
    "InputError",
    "LibraryError",
    "NotEquivalentError",
    "Output",
    "Report",
    "RunError",
    "Verdict",
    "assert_equivalent",
    "check",
    "check_all",
    "check_grad",
    "simulate",
]
