"""What a live camera asks of a video device, and how long it waits for it. No camera library here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from robot.errors import BadInputError
from robot.ports import Image


class VideoDevice(Protocol):
    """An open device that delivers one picture after the other. One thread uses it, from opening to release.

    Attributes:
        queue: How many pictures the driver may keep; when nobody takes them, it keeps the oldest.
        ended: What it means when no picture comes, in words for a person.
    """

    queue: int
    ended: str

    def grab(self) -> bool:
        """Wait for the next picture, without decoding it; False when none comes any more."""
        ...

    def stamp_s(self) -> float | None:
        """The driver's own monotonic time of the picture grabbed last, or None where it tells none."""
        ...

    def retrieve(self) -> Image | None:
        """The picture grabbed last, (height, width, 3) BGR, an array of its own; None if it cannot be decoded."""
        ...

    def release(self) -> None:
        """Give the device back; may be called twice."""
        ...


# Opens the device anew, resolves its name each time, and raises DeviceError where that fails.
OpenDevice = Callable[[], VideoDevice]


@dataclass(frozen=True)
class Patience:
    """Times of a live camera, in seconds.

    Attributes:
        delay_s: The longest from the beginning of an exposure until the driver stamps the picture or, where it does
            not, has it complete: exposure, readout and transfer. The time of a picture is told as so much earlier.
        capture_s: Deadline of one capture.
        connect_s: Deadline of the first picture after connecting.
        settle_s: From opening until pictures count; exposure and white balance were just set.
        frozen_s: So long the same picture, byte for byte, is no live sensor's: that has noise.
        check_s: How often a picture is decoded when nobody asks for one, to see that the stream lives.
        retry_s: First wait before opening a lost device again; each failure doubles it.
        most_retry_s: Longest such wait.
        close_s: Deadline of closing; OpenCV waits 10 s for a picture that does not come.
    """

    delay_s: float = 0.10
    capture_s: float = 3.0
    connect_s: float = 12.0
    settle_s: float = 0.5
    frozen_s: float = 1.0
    check_s: float = 0.25
    retry_s: float = 0.5
    most_retry_s: float = 8.0
    close_s: float = 12.0

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not 0 <= value < 3600:  # also refuses NaN
                raise BadInputError(f"camera: {name} is {value}, allowed is 0 to 3600 s")
