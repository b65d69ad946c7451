"""For pytest: a failure of assert_equivalent is its report, without a traceback of internals."""

from __future__ import annotations

from typing import Any, Generator

import pytest

from isoshard._errors import NotEquivalentError


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, None]:
    outcome = yield
    error = call.excinfo.value if call.excinfo is not None else None
    if not isinstance(error, NotEquivalentError):
        return
    frames = [entry for entry in call.excinfo.traceback if str(entry.path) == str(item.path)]
    where = f"{frames[-1].path}:{frames[-1].lineno + 1}: not equivalent\n" if frames else ""
    outcome.get_result().longrepr = where + str(error.report)
