"""Which device a camera's name means. Stable names come first: /dev/video0 is another camera after the next start."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from robot.errors import DeviceError

STABLE = Path("/dev/v4l")  # by-id: maker, type and serial number; by-path: the USB port it is plugged into
_BY = ("by-id", "by-path")


class Kind(Enum):
    """What pictures come from."""

    CAMERA = "camera"
    RECORDING = "recording"
    ADDRESS = "address"


@dataclass(frozen=True)
class DeviceName:
    """A device that is there.

    Attributes:
        path: What to open.
        stable: Whether the same camera has the same name tomorrow.
    """

    path: str
    kind: Kind
    stable: bool = True


def device_named(name: str, root: Path = STABLE) -> DeviceName:
    """What a name in the settings means now; cameras are looked up anew each time, since they may be plugged in again.

    Args:
        name: A file or bare name under /dev/v4l/by-id or by-path; an address with `://`; a recorded video; or, as the
            last resort, a number or /dev/video file, which may mean another camera tomorrow.
        root: Where the system lists stable names.

    Raises:
        DeviceError: There is none; the message lists those that are there.
    """
    if "://" in name:
        return DeviceName(name, Kind.ADDRESS)
    if name.isascii() and name.isdigit():
        return _camera(Path(f"/dev/video{int(name)}"), name, root, stable=False)
    for folder in _BY:
        if "/" not in name and (root / folder / name).exists():
            return DeviceName(str(root / folder / name), Kind.CAMERA)
    path = Path(name)
    if path.is_file():
        return DeviceName(name, Kind.RECORDING)
    return _camera(path, name, root, stable=root in path.parents)


def cameras_there(root: Path = STABLE) -> list[str]:
    """Stable names of the cameras plugged in, by-id first; of a camera's devices `index0` is the one with pictures."""
    names = [path for folder in _BY for path in sorted((root / folder).glob("*"))]
    return [str(path) for path in names if not path.name.endswith(tuple("123456789"))]


def _camera(path: Path, name: str, root: Path, *, stable: bool) -> DeviceName:
    if not path.is_char_device():
        there = ", ".join(cameras_there(root)) or f"none under {root}"
        raise DeviceError(
            f"device {name!r} is not there; cameras that are: {there}. Plug it in, or correct its name"
        )
    return DeviceName(str(path), Kind.CAMERA, stable)
