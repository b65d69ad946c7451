"""What can go wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from isoshard._core import Finding
    from isoshard._report import Report


class InputError(ValueError):
    """The input is wrong; `findings` say where: rule, file, line, column, message. str() is what the command line prints."""

    def __init__(self, text: str, findings: list[Finding] | None = None) -> None:
        super().__init__(text)
        self.findings: list[Finding] = findings or []


class RunError(InputError):
    """A program was run and did not come to its end."""


class LibraryError(RuntimeError):
    """A bug of isoshard, which says nothing about the input."""

    def __init__(self, text: str, findings: list[Finding] | None = None) -> None:
        super().__init__(text)


class NotEquivalentError(AssertionError):
    """Programs are not proved equal; `report` says what was found, and so does str()."""

    def __init__(self, report: Report) -> None:
        super().__init__("\n" + str(report))
        self.report = report
