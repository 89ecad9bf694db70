"""A folder through which one program's emulated cameras are seen by another: what lies in it, and who puts it there.

Beside each camera's picture `left.png` lies its camera file `left.camera.json`. A picture is put in place whole, in
one step, and its file's time is when it was exposed. Who wants a new one leaves an empty file `.left.ask-…`; it is
taken away again when a picture is in place that was exposed after it had been found. So no two clocks need to agree,
and several programs may ask at once.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

PICTURE, CAMERA_FILE = ".png", ".camera.json"


@dataclass(frozen=True)
class Mark:
    """Which file a picture is; another one after every exposure."""

    inode: int
    changed_ns: int


class CameraLink:
    """One camera's files in the folder.

    Attributes:
        picture: The newest one, a PNG.
        camera_file: Its calibration.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self.picture, self.camera_file = folder / f"{name}{PICTURE}", folder / f"{name}{CAMERA_FILE}"
        self._folder, self._asks = folder, f".{name}.ask-"

    def ask(self) -> Path:
        """Ask for a new picture; the file that is there until one has come.

        Raises:
            OSError: The folder cannot be written in.
        """
        ask = self._folder / f"{self._asks}{os.getpid()}-{time.monotonic_ns()}"
        ask.touch(exist_ok=False)
        return ask

    def asked(self) -> list[Path]:
        """Who waits for a picture that is exposed from now on."""
        return [Path(entry.path) for entry in os.scandir(self._folder) if entry.name.startswith(self._asks)]

    def put(self, png: bytes, exposed_ns: int) -> None:
        """Put a picture in place.

        Args:
            png: All of the file.
            exposed_ns: When it was exposed, on the system's clock.

        Raises:
            OSError: It cannot be written.
        """
        fresh = self._folder / f".{self.picture.name}.{os.getpid()}"
        fresh.write_bytes(png)
        os.utime(fresh, ns=(exposed_ns, exposed_ns))
        fresh.replace(self.picture)

    def mark(self) -> Mark:
        """Which picture is in place.

        Raises:
            OSError: None is.
        """
        found = self.picture.stat()
        return Mark(found.st_ino, found.st_mtime_ns)

    def read(self) -> tuple[bytes, Mark]:
        """The picture in place, and which it is.

        Raises:
            OSError: It cannot be read.
        """
        with self.picture.open("rb") as file:
            found = os.fstat(file.fileno())
            return file.read(), Mark(found.st_ino, found.st_mtime_ns)


def cameras_in(folder: Path) -> list[str]:
    """Names of the cameras whose pictures a folder keeps."""
    names = [path.name.removesuffix(CAMERA_FILE) for path in folder.glob(f"*{CAMERA_FILE}")]
    return sorted(name for name in names if (folder / f"{name}{PICTURE}").is_file())
