"""Which serial port a name means. Stable names come first: /dev/ttyUSB0 is another device after the next plugging."""

from __future__ import annotations

from pathlib import Path

STABLE = Path("/dev/serial")  # by-id: maker, type and serial number; by-path: the USB port it is plugged into
_BY = ("by-id", "by-path")


def port_named(name: str, root: Path = STABLE) -> str:
    """What to open for a name in the settings; looked up anew each time, since a port may come back elsewhere.

    Args:
        name: A bare name under /dev/serial/by-id or by-path, a device file, or an address with `://`.
        root: Where the system lists stable names.
    """
    for folder in _BY:
        if "/" not in name and (root / folder / name).exists():
            return str(root / folder / name)
    return name


def ports_there(root: Path = STABLE) -> list[str]:
    """Stable names of the serial ports plugged in, by-id first."""
    return [str(path) for folder in _BY for path in sorted((root / folder).glob("*"))]
