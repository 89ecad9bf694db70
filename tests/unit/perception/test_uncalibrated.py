"""A tower read from a picture of a camera nobody told of: rendered ones here, real ones beside this checkout."""

from __future__ import annotations

import json
from collections.abc import Callable

import cv2
import numpy as np
import pytest

from perception.uncalibrated import read_uncalibrated
from planning.blockset import load_blockset
from planning.observation import TowerObservation
from planning.tower import Slot
from robot.errors import PerceptionError
from robot.ports import Image
from steadyhand.faces import Rows, faces
from support.pictures import Scene, Shot, expected_slots
from support.shared import shared

BLOCKSET = load_blockset("standard")
GONE = (Slot(3, 2), Slot(5, 1), Slot(8, 2), Slot(11, 3), Slot(12, 1))


@pytest.fixture(scope="module")
def played(scene: Scene) -> Shot:
    return scene.shot(without=GONE)


def marks(rows: Rows) -> dict[tuple[str, int], list[int | None]]:
    """What the ends of each side's rows show, from left to right."""
    return {
        (face["side"], row["layer"]): row["slots_LMR"]  # type: ignore[misc]
        for face in rows
        for row in face["rows"]  # type: ignore[attr-defined]
        if row["shows"] == "ends"
    }


def compared(said: Rows, true: Rows) -> tuple[int, int, int]:
    """How many ends are wrong, how many not said, of how many."""
    told, ends = marks(said), marks(true)
    pairs = [
        (got, is_)
        for key, row in ends.items()
        for got, is_ in zip(told.get(key, [None] * 3), row, strict=True)
        if is_ is not None
    ]
    wrong = sum(got is not None and got != is_ for got, is_ in pairs)
    return wrong, sum(got is None for got, _ in pairs), len(pairs)


def test_what_the_sides_of_a_rendered_tower_show_is_read_without_its_camera(
    scene: Scene, played: Shot
) -> None:
    frame = played.frames[0]
    truth = TowerObservation(0.0, scene.T_world_tower, expected_slots(played), {}, ())
    true = faces("a", scene.cameras[frame.camera], truth, scene.blockset)
    view, seen = read_uncalibrated(frame.image, "a", BLOCKSET)
    said = faces("a", view.camera, seen, BLOCKSET)
    assert max(slot.layer for slot in seen.slots) == 18
    wrong, unknown, ends = compared(said, true)
    assert wrong <= 1
    assert unknown <= 0.3 * ends


def test_larger_picture_says_what_a_small_one_says(played: Shot) -> None:
    image = played.frames[0].image
    large = np.asarray(cv2.resize(image, None, fx=2.5, fy=2.5, interpolation=cv2.INTER_CUBIC), dtype=np.uint8)
    view, seen = read_uncalibrated(large, "a", BLOCKSET)
    assert max(view.camera.size_px) == 1000
    assert max(slot.layer for slot in seen.slots) == 18


def table(scene: Scene, played: Shot) -> Image:
    """The picture without its tower."""
    empty = scene.shot(without=tuple(expected_slots(scene.shot())))
    return empty.frames[0].image


def blurred(scene: Scene, played: Shot) -> Image:
    return np.asarray(cv2.GaussianBlur(played.frames[0].image, (0, 0), 12.0), dtype=np.uint8)


def dark(scene: Scene, played: Shot) -> Image:
    return np.asarray(played.frames[0].image // 40, dtype=np.uint8)


def flat(scene: Scene, played: Shot) -> Image:
    return np.full_like(played.frames[0].image, 130)


def tiny(scene: Scene, played: Shot) -> Image:
    return np.asarray(cv2.resize(played.frames[0].image, (120, 90)), dtype=np.uint8)


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (table, "no-tower"),
        (blurred, "too-blurred"),
        (dark, "too-dark"),
        (flat, "no-contrast"),
        (tiny, "too-small"),
    ],
)
def test_picture_that_shows_no_readable_tower_is_refused_with_the_reason(
    scene: Scene, played: Shot, made: Callable[[Scene, Shot], Image], reason: str
) -> None:
    with pytest.raises(PerceptionError, match="picture") as refused:
        read_uncalibrated(made(scene, played), "a", BLOCKSET)
    assert refused.value.reason == reason


@pytest.mark.parametrize("name", ["amm_tower_out1.jpg", "dirv_IMG_20191218_193110.jpg"])
def test_real_tower_is_read_from_one_photograph(name: str) -> None:
    folder = shared("real-photos")
    label = json.loads((folder / "labels.json").read_text())["files"][name]
    image = np.asarray(cv2.imread(str(folder / name)), dtype=np.uint8)
    view, seen = read_uncalibrated(image, name, BLOCKSET)
    assert max(slot.layer for slot in seen.slots) == label["n_layers"]
    rows: Rows = [{"side": side, "rows": told} for side, told in label["faces"].items()]
    wrong, unknown, ends = compared(faces(name, view.camera, seen, BLOCKSET), rows)
    assert wrong <= 0.05 * ends
    assert unknown <= 0.5 * ends  # of one picture alone; over many it is to be less


@pytest.mark.parametrize("name", ["mo_rawImage.jpg", "jh_distorted.jpg"])
def test_photograph_without_a_straight_tower_is_refused(name: str) -> None:
    image = np.asarray(cv2.imread(str(shared("real-photos") / name)), dtype=np.uint8)
    with pytest.raises(PerceptionError) as refused:
        read_uncalibrated(image, name, BLOCKSET)
    assert refused.value.reason == "no-tower"
