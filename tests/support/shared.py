"""Material that may lie beside this checkout; a test that needs it is skipped where it is not there, and says so."""

from __future__ import annotations

from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / ".." / "shared"


def shared(name: str) -> Path:
    """A folder of the shared material."""
    folder = FOLDER / name
    if not folder.is_dir():
        pytest.skip(f"the shared {name} are not beside this checkout")
    return folder
