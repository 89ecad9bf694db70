"""What a figure was measured on."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path


def describe() -> str:
    """Processor, cores, load and versions, in one line."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [
            line.split(":", 1)[1].strip() for line in info.read_text().splitlines() if "model name" in line
        ]
        model = names[0] if names else model
    load = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "?"
    versions = ", ".join(f"{name} {version(name)}" for name in ("mujoco", "numpy", "opencv-python-headless"))
    return f"{model}, {os.cpu_count()} cores, load {load}, Python {platform.python_version()}, {versions}"
