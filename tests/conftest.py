"""What every test stands on: Hypothesis draws the same examples each time, and pictures are drawn without a screen."""

from __future__ import annotations

from contextlib import suppress

from hypothesis import settings as hypothesis_settings

from robot.errors import BadInputError
from steadyhand.opengl import choose_backend

with suppress(BadInputError):  # where there is none, the tests that draw say so
    choose_backend()  # what this machine has, before MuJoCo loads
# Derandomised, so that a failure on one machine is a failure on all; no deadline, because machines are shared.
hypothesis_settings.register_profile("fixed", derandomize=True, deadline=None, print_blob=True)
hypothesis_settings.load_profile("fixed")


def pytest_report_header() -> str:
    return "seeds: Hypothesis derandomised, simulations at the seeds named in the tests"
