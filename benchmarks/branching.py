"""A game that goes on several ways: a fork of this process whose files, pipes and wires are its own.

What was played until then is played once. Linux only: it finds open handles under `/proc/self/fd`. Pictures can be
drawn on after a fork where one thread draws them; `alone` sees to that, before anything is drawn.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import stat
import struct
import termios
import time
import tty
from collections.abc import Iterator, Sequence
from pathlib import Path

import cv2

from hardware.pseudo_terminal import PseudoTerminal

_TIOCGPTN = 0x80045430
_ARRIVAL_S = 1.0


def alone() -> None:
    """Have OpenGL and OpenCV work in the calling thread: a fork has no other."""
    os.environ |= {"LP_NUM_THREADS": "0", "MESA_SHADER_CACHE_DISABLE": "true", "mesa_glthread": "false"}
    cv2.setNumThreads(0)


def branch(folder: Path, served: Sequence[PseudoTerminal]) -> tuple[int, dict[str, str]]:
    """Fork; in the child, 0 comes back and all that was open is its own, with the new names of terminals.

    Args:
        folder: Of the child: what this process is writing, as far as it is written, goes on there. It must not exist.
        served: Terminals that a thread serves; in the child it is a new one.
    """
    folder.mkdir()
    waiting = {number: _waiting(far) for number, _, far in list(_terminals())}
    child = os.fork()
    if child:
        return child, {}
    _own_pipes()
    _own_files(folder)
    _served_anew(served)
    return 0, _own_terminals(waiting)


def _handles() -> Iterator[tuple[int, str]]:
    for entry in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):  # the listing's own is gone
            yield int(entry.name), str(entry.readlink())


def _take(handle: int, fresh: int) -> None:
    """Have a handle mean what a fresh one means, with the flags that it has."""
    flags = fcntl.fcntl(handle, fcntl.F_GETFL)
    os.dup2(fresh, handle)
    os.close(fresh)
    fcntl.fcntl(handle, fcntl.F_SETFL, flags)


def _own_pipes() -> None:
    """Pipes with both ends in this process."""
    ends: dict[str, dict[int, int]] = {}
    for handle, name in list(_handles()):
        if name.startswith("pipe:"):
            ends.setdefault(name, {})[fcntl.fcntl(handle, fcntl.F_GETFL) & os.O_ACCMODE] = handle
    for pair in ends.values():
        if len(pair) == 2:
            out, into = os.pipe()
            _take(pair[os.O_RDONLY], out)
            _take(pair[os.O_WRONLY], into)


def _own_files(folder: Path) -> None:
    """Files that are being written, beside the folder of the child."""
    for handle, name in list(_handles()):
        flags = fcntl.fcntl(handle, fcntl.F_GETFL)
        if not stat.S_ISREG(os.fstat(handle).st_mode) or flags & os.O_ACCMODE == os.O_RDONLY:
            continue
        if Path(name).parent == folder.parent.resolve():
            at, copy = os.lseek(handle, 0, os.SEEK_CUR), folder / Path(name).name
            shutil.copy(name, copy)
            _take(handle, os.open(copy, flags))
            os.lseek(handle, at, os.SEEK_SET)


def _served_anew(served: Sequence[PseudoTerminal]) -> None:
    """Terminals whose thread stayed behind; whoever has one open finds the new one in its place."""
    for terminal in served:
        old = terminal.path
        terminal.close()
        terminal.start()
        for handle, name in list(_handles()):
            if name == old:
                _take(handle, _opened(terminal.path))


def _terminals() -> Iterator[tuple[int, int, int]]:
    """The number, the near and a far handle of each terminal that is open at both ends."""
    handles = list(_handles())
    for near, name in handles:
        if name.endswith("ptmx"):
            number = struct.unpack("I", fcntl.ioctl(near, _TIOCGPTN, b"\0" * 4))[0]
            far = next((handle for handle, other in handles if other == f"/dev/pts/{number}"), None)
            if far is not None:
                yield number, near, far


def _own_terminals(waiting: dict[int, bytes]) -> dict[str, str]:
    """All others, with what had come over them and was not read yet; their new names by the old ones."""
    names = {}
    for number, near, _ in [each for each in _terminals() if each[0] in waiting]:
        fresh, far = os.openpty()
        tty.setraw(far)
        old, new = f"/dev/pts/{number}", os.ttyname(far)
        for handle, name in list(_handles()):
            if name == old:
                _take(handle, _opened(new))
        _take(near, fresh)
        os.close(far)
        _hand_over(near, waiting[number])
        names[old] = new
    return names


def _waiting(far: int) -> bytes:
    """What waits to be read, which stays there."""
    number = _readable(far)
    if not number:
        return b""
    data = os.read(far, number)
    for _, near, other in _terminals():
        if other == far:
            _hand_over(near, data)
    return data


def _hand_over(near: int, data: bytes) -> None:
    """Bytes that can be read at the far end afterwards."""
    if not data:
        return
    os.write(near, data)
    far = next(far for _, other, far in _terminals() if other == near)
    until_s = time.monotonic() + _ARRIVAL_S
    while _readable(far) < len(data) and time.monotonic() < until_s:
        time.sleep(0)


def _readable(far: int) -> int:
    count: int = struct.unpack("i", fcntl.ioctl(far, termios.FIONREAD, b"\0" * 4))[0]
    return count


def _opened(path: str) -> int:
    return os.open(path, os.O_RDWR | os.O_NOCTTY)
