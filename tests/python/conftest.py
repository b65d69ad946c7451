"""What the tests share: the root of the repository, and eight devices for JAX."""

import os
import pathlib

import pytest

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
os.environ["JAX_PLATFORMS"] = "cpu"


@pytest.fixture(scope="session")
def root():
    return pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def cases(root):
    return root / "tests/data/stablehlo/cases"
