"""What every test stands on: Hypothesis draws the same examples each time, and pictures are drawn without a screen."""

from __future__ import annotations

import os

from hypothesis import settings as hypothesis_settings

os.environ.setdefault("MUJOCO_GL", "osmesa")
# Derandomised, so that a failure on one machine is a failure on all; no deadline, because machines are shared.
hypothesis_settings.register_profile("fixed", derandomize=True, deadline=None, print_blob=True)
hypothesis_settings.load_profile("fixed")


def pytest_report_header() -> str:
    return "seeds: Hypothesis derandomised, simulations at the seeds named in the tests"
