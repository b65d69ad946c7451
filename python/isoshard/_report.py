"""The answer to one claim."""

from __future__ import annotations

import dataclasses
import enum
import functools
import html

import numpy as np

from isoshard import _arrays, _core


class Verdict(str, enum.Enum):
    """What was found about a claim; docs/soundness.md says what each rests on."""

    EQUAL = "EQUAL"
    NOT_EQUAL = "NOT EQUAL"
    NOT_REFUTED = "NOT REFUTED"
    FLOAT_DIFFERS = "EQUAL as formulas, f64 differs"
    COULD_NOT_DECIDE = "COULD NOT DECIDE"
    DEADLOCK = "DEADLOCK"
    RACE = "RACE"

    def __str__(self) -> str:
        return self.value


@dataclasses.dataclass(frozen=True)
class Output:
    """What was found about one output of both programs."""

    name: str
    type: str
    verdict: Verdict
    message: str


class Report:
    """The answer to one claim. It is true where the verdict is EQUAL, and for nothing else."""

    def __init__(self, report: _core.Report, warnings: list[_core.Finding]) -> None:
        self._report = report
        self.warnings = warnings

    @property
    def verdict(self) -> Verdict:
        return Verdict(self._report.verdict())

    @property
    def headline(self) -> str:
        """The last line of the text."""
        return self._report.headline()

    @property
    def exit_code(self) -> int:
        """Of `isoshard check`: 0 the claim holds, 1 it does not, 3 could not decide."""
        return self._report.exit_code()

    @property
    def outputs(self) -> list[Output]:
        return [Output(name, type_, Verdict(verdict), text) for name, type_, verdict, text in self._report.outputs()]

    @functools.cached_property
    def counterexample(self) -> dict[str, np.ndarray]:
        """The inputs on which the programs differ, by name; empty where there are none."""
        return {array[0]: _arrays.to_numpy(array) for array in self._report.counterexample()}

    @property
    def text(self) -> str:
        """What `isoshard check` prints, and before it what it warns of."""
        return "".join(w.text for w in self.warnings) + self._report.text()

    def explain(self) -> str:
        """The text with what each rung said, and what the error bound is made of."""
        return self._report.text(explain=True)

    @property
    def json(self) -> str:
        """The object of this claim in what `isoshard check --json` prints."""
        return self._report.json()

    @property
    def seconds(self) -> float:
        return self._report.seconds()

    def __bool__(self) -> bool:
        return self.verdict is Verdict.EQUAL

    def __str__(self) -> str:
        return self.text.rstrip("\n")

    def __repr__(self) -> str:
        return f"<isoshard.Report {self.headline}>"

    def _repr_html_(self) -> str:
        colour = {Verdict.EQUAL: "green", Verdict.NOT_EQUAL: "firebrick"}.get(self.verdict, "darkorange")
        return (
            f'<div><b style="color: {colour}">{html.escape(self.headline)}</b>'
            f'<pre style="line-height: 1.2">{html.escape(str(self))}</pre></div>'
        )
