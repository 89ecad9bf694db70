"""Simulated cameras that another program sees: pictures drawn into a folder. Joins `hardware` and `sim`.

A picture of something new costs 0.2 s of a core, so none is drawn for nobody: one is when somebody asks, and beside
that once all that moved has come to rest, or five seconds after the one before while it does not. They are drawn in a
thread of their own from a copy of the world's state, and the world and its wires go on meanwhile.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from pathlib import Path

import cv2

from hardware.camera_link import CameraLink
from robot.errors import BadInputError, DeviceError
from sim.camera import SimCamera
from sim.simulation import Simulation
from sim.snapshot import Snapshot
from sim.stillness import Stillness
from sim.thrifty import ThriftyRenderer
from sim.world import World
from steadyhand.files import write_whole
from steadyhand.simulating import camera_file

_REST_S, _LONGEST_S = 1.0, 5.0
_NAP_S = 0.01
_END_S = 10.0
_FIRST_S = 60.0  # for the first pictures, on a machine that does other things
_FAST_PNG = (cv2.IMWRITE_PNG_COMPRESSION, 0)  # packing noise takes longer than writing it


class Exposures:
    """Hands moments of a world over to a thread that draws them.

    Attributes:
        snapshot: The newest such moment.
        at_ns: The same on the system's clock.
    """

    def __init__(self, world: World) -> None:
        self.snapshot, self.at_ns = Snapshot(world), time.time_ns()
        self._world = world
        self._wanted, self._taken = threading.Event(), threading.Event()

    def renew(self, within_s: float) -> bool:
        """Have the world's thread take a new one; False where it does not in time."""
        self._taken.clear()
        self._wanted.set()
        return self._taken.wait(within_s)

    def attend(self) -> None:
        """Take one if it is wanted; called by the world's thread all the while, also where the world stands still."""
        if self._wanted.is_set():
            self._wanted.clear()
            self.snapshot.take(self._world)
            self.at_ns = time.time_ns()
            self._taken.set()


class _Eye:
    """A camera, its files, and when its newest picture was exposed on the world's clock."""

    def __init__(self, camera: SimCamera, folder: Path) -> None:
        self.camera, self.link = camera, CameraLink(folder, camera.model.name)
        self.exposed_s = -1.0

    def draw(self, at_ns: int) -> None:
        """Put a picture of the snapshot in place."""
        frame = self.camera.capture()
        self.link.put(cv2.imencode(".png", frame.image, _FAST_PNG)[1].tobytes(), at_ns)
        self.exposed_s = frame.t_s


class EmulatedCameras:
    """Keeps the newest picture of each of a simulated table's cameras in a folder.

    Args:
        table: Whose world is pictured; made with looks.
        folder: Made if it is not there.
        give_up: Called where pictures cannot be drawn any more; `close` then tells why.

    Attributes:
        exposures: The world's thread attends to them.
    """

    def __init__(self, table: Simulation, folder: Path, give_up: Callable[[], None]) -> None:
        self.exposures, self._stillness = Exposures(table.world), Stillness(table.world)
        self._table, self._folder, self._give_up = table, folder, give_up
        self._renderer = ThriftyRenderer()
        plan, seen = table.plan, self.exposures.snapshot
        noise = plan.camera_noise * plan.look.noise
        cameras = [SimCamera(seen, place, self._renderer, noise, plan.seed) for place in table.places]
        self._eyes = [_Eye(camera, folder) for camera in cameras]
        self._ready, self._ended = threading.Event(), threading.Event()
        self._died: Exception | None = None
        self._thread = threading.Thread(target=self._run, name="draws pictures", daemon=True)

    def start(self) -> None:
        """Put camera files and first pictures in place.

        Raises:
            BadInputError: The folder cannot be written in, or there is no OpenGL to draw with.
            DeviceError: No picture comes.
        """
        self._lay_out()
        self._thread.start()
        if not self._ready.wait(_FIRST_S):
            raise DeviceError(
                f"the emulated cameras have drawn nothing into {self._folder} within {_FIRST_S:g} s: end other "
                "programs, or see with `steadyhand sim picture` whether anything is drawn"
            )
        if isinstance(self._died, BadInputError):
            died, self._died = self._died, None
            raise died
        if self._died is not None:
            self.close()

    def close(self) -> None:
        """Draw no more; what was drawn stays, as does what asks. May be called twice.

        Raises:
            DeviceError: Drawing had ended by itself.
        """
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join(_END_S)
        died, self._died = self._died, None
        if died is not None:
            raise DeviceError(f"the emulated cameras' pictures in {self._folder} ended: {died}") from died

    def _lay_out(self) -> None:
        try:
            self._folder.mkdir(exist_ok=True)
        except OSError as error:
            raise BadInputError(
                f"--camera-link {self._folder}: no folder can be made there: {error.strerror}; name another"
            ) from None
        for eye in self._eyes:
            described = camera_file(eye.camera.model, self._table.plan.room.mat)
            write_whole(eye.link.camera_file, (json.dumps(described, indent=1) + "\n").encode())

    def _run(self) -> None:
        try:
            for eye in self._eyes:
                eye.draw(self.exposures.at_ns)
            self._ready.set()
            while not self._ended.wait(_NAP_S):
                self._attend()
        except Exception as error:  # told when it is closed
            self._died = error
            self._give_up()
        finally:
            self._renderer.close()
            self._ready.set()

    def _attend(self) -> None:
        """Draw what is asked for and then what is due, all from one moment."""
        asked = {eye: asks for eye in self._eyes if (asks := eye.link.asked())}
        due = [eye for eye in self._eyes if eye not in asked and self._is_due(eye)]
        if (asked or due) and self.exposures.renew(_END_S):
            for eye in (*asked, *due):
                eye.draw(self.exposures.at_ns)
                for ask in asked.get(eye, []):
                    ask.unlink(missing_ok=True)

    def _is_due(self, eye: _Eye) -> bool:
        now_s, moved_s = self._table.world.now_s(), self._stillness.moved_s
        rested = now_s - moved_s >= _REST_S
        return moved_s > eye.exposed_s and (rested or now_s - eye.exposed_s >= _LONGEST_S)
