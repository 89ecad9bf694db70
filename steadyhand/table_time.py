"""Whose time a table has: the wall's, or that of the emulated world that its cameras see."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from robot.clock import WallClock
from robot.errors import SettingsError
from robot.ports import Clock
from steadyhand.settings import Settings
from steadyhand.table_cameras import is_linked

_EMULATED_S = 0.5  # its world stands still meanwhile, so that a busy machine may take its time


@dataclass(frozen=True)
class TableTime:
    """The time of a table.

    Attributes:
        clock: What tells it.
        patience_s: How long a servo's answer may take beyond the time of its bytes; None for the wire's own.
    """

    clock: Clock
    patience_s: float | None = None


@contextmanager
def table_time(settings: Settings) -> Iterator[TableTime]:
    """The wall's time; the emulated world's where the cameras are drawn by `emulate`, which waits for who plays.

    Raises:
        SettingsError: The cameras are of several worlds.
        DeviceError: The emulated world tells no time, or another program plays in it.
    """
    folders = {name: camera.device for name, camera in settings.cameras.items() if is_linked(camera)}
    if not folders:
        yield TableTime(WallClock())
        return
    if len(set(folders.values())) > 1 or len(folders) < len(settings.cameras):
        devices = ", ".join(f"{name}.device = {it.device!r}" for name, it in settings.cameras.items())
        raise SettingsError(
            f"cameras: {devices}: all must see one world: name the folder of one `emulate --camera-link` for each, or "
            "devices for all"
        )
    from hardware.clock_link import LinkedClock

    with LinkedClock(Path(next(iter(folders.values())))) as clock:
        yield TableTime(clock, _EMULATED_S)
