"""Is somebody there? Told by change: between looks, and against the scene as it was when nobody was there.

A hand, a sleeve, a person or a tool comes in from the picture's border and changes what is seen there in substance.
Light does not (`watching_change`). What the tower itself does is left to those who read it: its blocks may be taken and
laid while nobody looks, so that changes close to it count for nothing unless they go on to the border.

A single picture is asked only where there is nothing to compare it with, or where something new lies still.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from perception.boxes import Bools
from perception.views import View, views_of
from perception.watching_change import Change, changed
from perception.watching_patches import Outlook, Patch, arm_in, outlook
from robot.camera_model import CameraModel
from robot.frames import Array
from robot.ports import Frame

SOMEBODY_M2 = 0.0045  # of changed substance, as large as at the tower: half a palm
BESIDE_M2 = 0.0020  # beside the arm, which hides much of who stands behind it; its shadows make half of that
STIRS_M2 = 0.0030  # of any change between two looks
SWAYS_M2 = 0.0003  # of scattered change between two looks: nobody holds an arm stiller, and noise makes a tenth of it
GREY_M2 = 0.0040  # of a change of brightness alone that reaches the border: a shadow, or a grey sleeve
EVERYWHERE = 0.35  # share of a picture whose substance changed: that is the camera, not a hand
# How long nothing may stir before the scene is taken to be empty:
BEGIN_S = 1.0  # where there is no empty scene to compare with
LEFT_S = 3.0  # where something lies that does not reach the border
GREY_S = 5.0  # where brightness alone has changed, up to the border
GAP_S = 2.0  # between looks so far apart anything may have stirred


@dataclass(frozen=True)
class Sighting:
    """What a look says. Cameras are named.

    Attributes:
        somebody: Where something new reaches in from outside.
        thing: Where something new lies by itself.
        grey: Where brightness alone has changed, up to the border.
        stirs: Where something has changed since the look before.
        blind: Where the whole picture is another one: the camera was moved or covered.
        frozen: Whose picture is the one before, bit by bit, or an older one.
        still_s: How long nothing has stirred, nor swayed a little.
        known: Whether there is an empty scene to compare with.
    """

    t_s: float
    somebody: tuple[str, ...] = ()
    thing: tuple[str, ...] = ()
    grey: tuple[str, ...] = ()
    stirs: tuple[str, ...] = ()
    blind: tuple[str, ...] = ()
    frozen: tuple[str, ...] = ()
    still_s: float = 0.0
    known: bool = True

    @property
    def why(self) -> str | None:
        """Why nobody can be said to be away, or None."""
        for cameras, what in (
            (self.frozen, "the picture stands still, bit by bit; is the camera still connected? Camera"),
            (self.blind, "the whole picture has changed: was the camera moved or covered? Camera"),
            (self.somebody, "somebody or something reaches into the picture of camera"),
            (self.stirs, "something moves in the picture of camera"),
        ):
            if cameras:
                return f"{what} {', '.join(cameras)}"
        return self._not_still_yet()

    def _not_still_yet(self) -> str | None:
        for need_s, holds, what in (
            (LEFT_S, self.thing, f"something new lies in the picture of camera {', '.join(self.thing)}"),
            (
                GREY_S,
                self.grey,
                f"light or shade has changed in the picture of camera {', '.join(self.grey)}",
            ),
            (BEGIN_S, not self.known, "the table has not been watched for long enough"),
        ):
            if holds and self.still_s < need_s:
                return f"{what} ({self.still_s:.1f} of {need_s:g} s)"
        return None


class Watch:
    """Looks again and again, and remembers the scene with nobody in it.

    Args:
        cameras: Calibration by camera name.
        T_world_tower: Where the tower stands (4, 4).
        height_m: How high it is, or will be.
        hand_in: Says of a single look's views whether a hand is in one; asked only as a last resort.
        live: Whether pictures have noise, so that two that are the same, bit by bit, are one picture.
    """

    def __init__(
        self,
        cameras: Mapping[str, CameraModel],
        T_world_tower: Array,
        height_m: float,
        hand_in: Callable[[Sequence[View]], bool],
        *,
        live: bool = True,
    ) -> None:
        self._cameras, self._hand_in, self._live = cameras, hand_in, live
        self._outlooks = {n: outlook(camera, T_world_tower, height_m) for n, camera in cameras.items()}
        self._empty: dict[str, View] = {}
        self._last: dict[str, tuple[float, View]] = {}
        self._since_s = -np.inf  # the last stir
        self._kept = False
        self._parked: Sequence[Array] = ()

    def look(self, frames: Sequence[Frame]) -> Sighting:
        """Take the pictures of one moment in; where they show nobody, they are the empty scene from now on.

        Raises:
            PerceptionError: A picture cannot be read: too dark, of another size, without calibration.
        """
        views = {
            frame.camera: view for frame, view in zip(frames, views_of(frames, self._cameras), strict=True)
        }
        seen = self._sighting(frames, views)
        self._last |= {frame.camera: (frame.t_s, views[frame.camera]) for frame in frames}
        if seen.why is None and (not seen.known or seen.thing) and self._hand_in(list(views.values())):
            return Sighting(seen.t_s, somebody=tuple(views), still_s=seen.still_s, known=seen.known)
        if seen.why is None:
            self._empty |= views
        return seen

    def reaching_in(self, frames: Sequence[Frame], arm: Sequence[Array]) -> str | None:
        """Why the arm must not go on, though it is in the picture itself: somebody reaches in beside it; or None.

        Nothing is known before an empty scene was kept.

        Args:
            frames: Of one moment.
            arm: Points (n, 3) of each of its parts there, world frame, in whose convex hull it lies.

        Raises:
            PerceptionError: A picture cannot be read.
        """
        views = [view for view in views_of(frames, self._cameras) if view.camera.name in self._empty]
        seen = [view.camera.name for view in views if self._beside(view, arm).reaches_in(BESIDE_M2)]
        return Sighting(0.0, somebody=tuple(seen)).why if seen else None

    def _beside(self, view: View, arm: Sequence[Array]) -> _Compared:
        name = view.camera.name
        hidden = arm_in(view.camera, arm) | arm_in(view.camera, self._parked)
        return _Compared.of(changed(self._empty[name], view), self._outlooks[name], hidden)

    def keep(self, frames: Sequence[Frame], arm: Sequence[Array] = ()) -> None:
        """Pictures with the arm parked and the tower read, just after nobody was there: the empty scene from now on.

        `arm` is where its parts are, as in `reaching_in`. Where they show somebody after all, the empty scene stays;
        the first time it was perhaps the arm on its way to park, and there is no empty scene until one has been seen.
        """
        views = {view.camera.name: view for view in views_of(frames, self._cameras)}
        came = any(
            self._compared(self._empty[n], view).somebody for n, view in views.items() if n in self._empty
        )
        if not came:
            self._empty |= views
        elif not self._kept:
            self._empty = {}
        self._kept, self._parked = True, arm
        self._last |= {frame.camera: (frame.t_s, views[frame.camera]) for frame in frames}

    def _sighting(self, frames: Sequence[Frame], views: Mapping[str, View]) -> Sighting:
        t_s = max(frame.t_s for frame in frames)
        watched = all(n in self._last and t_s - self._last[n][0] <= GAP_S for n in views)
        since = {n: self._compared(self._last[n][1], view) for n, view in views.items() if watched}
        against = {n: self._compared(self._empty[n], view) for n, view in views.items() if n in self._empty}
        stirs = tuple(n for n, found in since.items() if found.stirs)
        if not watched or any(found.stirs or found.sways for found in since.values()):
            self._since_s = t_s
        return Sighting(
            t_s,
            somebody=tuple(n for n, found in against.items() if found.somebody),
            thing=tuple(n for n, found in against.items() if found.thing),
            grey=tuple(n for n, found in against.items() if found.grey),
            stirs=stirs,
            blind=tuple(n for n, found in against.items() if found.blind),
            frozen=tuple(frame.camera for frame in frames if self._stale(frame)),
            still_s=t_s - self._since_s,
            known=len(against) == len(views),
        )

    def _compared(self, before: View, after: View) -> _Compared:
        return _Compared.of(changed(before, after), self._outlooks[after.camera.name])

    def _stale(self, frame: Frame) -> bool:
        if frame.camera not in self._last:
            return False
        t_s, view = self._last[frame.camera]
        return frame.t_s < t_s or (self._live and np.array_equal(frame.image, view.image))


@dataclass(frozen=True)
class _Compared:
    """What a change of one picture may be."""

    patches: tuple[Patch, ...]
    scattered_m2: float
    share: float

    @classmethod
    def of(cls, change: Change, beside: Outlook, hidden: Bools | None = None) -> _Compared:
        share = float(change.substance.mean())
        return cls(tuple(beside.patches(change, hidden)), beside.scattered_m2(change), share)

    @property
    def blind(self) -> bool:
        return self.share > EVERYWHERE

    @property
    def somebody(self) -> bool:
        return self.reaches_in(SOMEBODY_M2)

    def reaches_in(self, least_m2: float) -> bool:
        return any(patch.substance_m2 >= least_m2 and patch.at_border for patch in self.patches)

    @property
    def thing(self) -> bool:
        return any(patch.substance_m2 >= SOMEBODY_M2 and not patch.at_border for patch in self.patches)

    @property
    def grey(self) -> bool:
        return any(patch.area_m2 >= GREY_M2 and patch.at_border for patch in self.patches)

    @property
    def stirs(self) -> bool:
        return any(patch.area_m2 >= STIRS_M2 for patch in self.patches)

    @property
    def sways(self) -> bool:
        return self.scattered_m2 >= SWAYS_M2
