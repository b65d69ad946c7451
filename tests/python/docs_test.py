"""The examples of README.md and docs/python.md run and print what stands below them; the time aside.

The ```python blocks of a page are one program; what a block prints is the ```text block behind it. ISOSHARD_BLESS=1 rewrites
these.
"""

import contextlib
import io
import os
import re

import pytest

jax = pytest.importorskip("jax")
BLOCKS = re.compile(r"(```python\n(.*?)```\n\n```text\n)(.*?)(```\n)", re.DOTALL)


def run_blocks(page):
    """The page as it should be."""
    names = {"__name__": "__main__"}

    def run(match):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(match.group(2), "example.py", "exec"), names)
        text = re.sub(r"^  time .*\n", "", printed.getvalue(), flags=re.MULTILINE)
        return match.group(1) + text + match.group(4)

    return BLOCKS.sub(run, page)


@pytest.mark.skipif(jax.__version_info__ < (0, 7), reason="the examples are for versions of JAX that write the mesh")
@pytest.mark.parametrize("name", ["README.md", "docs/python.md"])
def test_page(root, name):
    page = (root / name).read_text()
    assert BLOCKS.search(page)
    right = run_blocks(page)
    if os.environ.get("ISOSHARD_BLESS"):
        (root / name).write_text(right)
    else:
        assert right == page
