"""Pictures of all cameras at one moment in, the tower as a `TowerObservation` out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from perception.appearance import appearance
from perception.coarse import find_tower
from perception.hypotheses import Look
from perception.paint import window_of
from perception.refine import refined
from perception.report import observation
from perception.slots import MOST_LAYERS, build
from perception.stack import nominal_stack
from perception.views import views_of
from planning.blockset import BlockSet
from planning.observation import TowerObservation
from robot.camera_model import CameraModel
from robot.errors import PerceptionError
from robot.frames import Array
from robot.ports import Frame

REACHES_PX = (2.0, 1.6, 1.6)
MARGIN_PX = 70  # kept around the tower: a block may stand out by its half
LAYERS = 12  # of a nominal tower, from which its looks are learned
LEAST_SCORE = 2.5  # mean brightness step on the lines of a nominal tower, below which there is none


def observe(
    frames: Sequence[Frame],
    cameras: Mapping[str, CameraModel],
    blockset: BlockSet,
    expected: Array | TowerObservation,
) -> TowerObservation:
    """The tower as all cameras see it at one moment.

    Args:
        frames: One picture a camera, BGR.
        cameras: Calibration by camera name.
        blockset: What the blocks are like.
        expected: `T_world_tower` (4, 4) to within 15 mm and 5 degrees, or what was seen of this tower before.

    Raises:
        PerceptionError: A picture cannot be read, or shows no tower; `reason` says why.
    """
    views = views_of(frames, cameras)
    nominal = expected.T_world_tower if isinstance(expected, TowerObservation) else expected
    T_world_tower, score = find_tower(views, blockset, nominal)
    if score < LEAST_SCORE:
        raise PerceptionError(
            f"no tower within 20 mm of where it should be: its lines show steps of {score:.1f} grey levels, at least "
            f"{LEAST_SCORE} are needed; put the tower on its place or correct its nominal pose",
            reason="no-tower",
        )
    lowest = nominal_stack(T_world_tower, range(1, LAYERS + 1), blockset)
    whole = nominal_stack(T_world_tower, range(1, MOST_LAYERS + 1), blockset).boxes
    views = [view.cropped(window_of(view.camera, whole, MARGIN_PX)) for view in views]
    looks = [Look(view, appearance(view, lowest)) for view in views]
    stack, odds = build(looks, blockset, T_world_tower)
    if len(stack) == 0:
        raise PerceptionError(
            "no block lies in the lowest layer of where the tower should be", reason="no-tower"
        )
    fitted = refined(views, stack, blockset, REACHES_PX)
    return observation(max(frame.t_s for frame in frames), fitted, odds, blockset)
