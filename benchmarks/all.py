"""Every benchmark, one after another, each in a process of its own."""

from __future__ import annotations

import subprocess
import sys

MODULES = (
    "referee",
    "bus",
    "force",
    "physics",
    "mechanics",
    "belief",
    "probing",
    "outcomes",
    "wood",
    "turn",
    "perception",
    "reading",
    "seeing",
    "steering",
    "watching",
    "at_work",
    "restoring",
    "giving_back",
    "reach",
    "five_joints",
    "flush",
    "play",
    "faults",
)


def main() -> int:
    """Run them; the worst exit code."""
    codes = []
    for name in MODULES:
        print(f"\n== {name}", flush=True)
        codes.append(subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], check=False).returncode)
    return max(codes)


if __name__ == "__main__":
    sys.exit(main())
