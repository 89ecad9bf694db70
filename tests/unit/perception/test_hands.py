"""Hands told from tools, from pictures with known truth; and how looks are counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from perception import hand_net, hands
from perception.hand_net import Palm, hand_chance, palms_in
from perception.hands import Square, hand_in, squares_about, squares_over
from robot.camera_model import CameraModel
from robot.errors import BadInputError
from support.shared import shared

needs_networks = pytest.mark.skipif(
    not hand_net.installed(), reason="the networks that find hands are not installed: make setup fetches them"
)
PICTURES = ("t16_v3", "t17_v1", "t02_v3", "t04_v2", "t07_v3", "t09_v4", "t06_v1")
BLANK = np.full((480, 640, 3), 128, dtype=np.uint8)
SQUARES = [Square(x, 100.0, 200.0, 800.0) for x in (200.0, 220.0, 240.0)]


def truth(name: str) -> dict[str, Any]:
    return json.loads((shared("tower-images") / "gt" / f"{name}.json").read_text())


def picture(name: str) -> np.ndarray:
    image = cv2.imread(str(shared("tower-images") / "images" / f"{name}.jpg"))
    assert image is not None
    return image


@needs_networks
@pytest.mark.parametrize("name", PICTURES)
def test_hand_at_the_tower_is_seen_and_a_tool_is_none(name: str) -> None:
    told = truth(name)
    camera = CameraModel(
        name, (told["width"], told["height"]), *(np.array(told[k]) for k in ("K", "T_world_camera", "dist"))
    )
    about = squares_about(camera, np.array(told["T_world_tower"]), 0.015 * len(told["layers"]))
    assert hand_in(picture(name), about) is told["hand_present"]


@needs_networks
def test_hand_is_found_however_the_picture_is_turned() -> None:
    image = np.ascontiguousarray(np.rot90(picture("t02_v3")))
    palms = [p for row in (0.0, 160.0, 320.0) for p in palms_in(image, 0.0, row, 960.0, 0.5)]
    assert palms
    assert max(hand_chance(image, palm) for palm in palms) > 0.8


def looks(
    monkeypatch: pytest.MonkeyPatch, places: list[tuple[float, float]], side_px: float, said: float
) -> None:
    """Every look finds a palm, one place after another."""
    left = iter(places)
    monkeypatch.setattr(hands, "palms_in", lambda *_: [Palm(1.0, np.array(next(left)), side_px, 0.0)])
    monkeypatch.setattr(hands, "hand_chance", lambda *_: said)


SAME, APART = (
    [(300.0, 200.0), (310.0, 205.0), (305.0, 190.0)],
    [(300.0, 200.0), (500.0, 205.0), (305.0, 400.0)],
)


@pytest.mark.parametrize(
    ("places", "side_px", "said", "hand"),
    [
        (SAME, 64.0, 0.3, True),
        (SAME, 64.0, 0.2, False),
        (APART, 64.0, 0.3, False),
        (SAME, 30.0, 0.9, False),
        (SAME, 120.0, 0.9, False),
    ],
    ids=["three looks agree", "all in doubt", "elsewhere each time", "too small", "too large"],
)
def test_looks_at_one_place_count_together_where_a_palm_has_a_palms_size(
    monkeypatch: pytest.MonkeyPatch,
    places: list[tuple[float, float]],
    side_px: float,
    said: float,
    hand: bool,
) -> None:
    looks(monkeypatch, places, side_px, said)
    assert hand_in(BLANK, SQUARES) is hand


@needs_networks
def test_nothing_is_seen_in_a_blank_picture() -> None:
    assert not hand_in(BLANK, squares_over(BLANK))


@pytest.mark.parametrize("shape", [(480, 640), (1280, 960), (300, 300), (400, 1600)])
def test_squares_cover_a_whole_picture_and_overlap(shape: tuple[int, int]) -> None:
    covered = np.zeros(shape, dtype=int)
    for square in squares_over(np.zeros((*shape, 3), dtype=np.uint8)):
        assert -1e-6 <= square.left_px <= shape[1] - square.side_px + 1e-6
        rows = slice(int(square.top_px), int(np.ceil(square.top_px + square.side_px)))
        covered[rows, int(square.left_px) : int(np.ceil(square.left_px + square.side_px))] += 1
    assert covered.min() >= 2


def test_squares_about_a_tower_reach_beside_and_above_it() -> None:
    K = np.array([[1000.0, 0, 640], [0, 1000.0, 480], [0, 0, 1]])
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]]), (0.0, -0.8, 0.14)
    found = squares_about(CameraModel("a", (1280, 960), K, T), np.eye(4), 0.27)
    assert {round(s.px_per_m) for s in found} == {1250}
    left, top = (min(getattr(s, name) for s in found) for name in ("left_px", "top_px"))
    tower_top = 480 - 0.13 * 1250
    assert left < 640 - 0.4 * 1250
    assert top < tower_top - 0.2 * 1250
    assert max(s.top_px + s.side_px for s in found) > 480 + 0.14 * 1250, "and to its foot"


def test_missing_network_is_told_with_the_remedy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(hand_net, "MODELS", tmp_path)
    hand_net._net.cache_clear()
    with pytest.raises(BadInputError, match=r"palm_detection_full\.tflite is missing; run `make setup`"):
        palms_in(BLANK, 0.0, 0.0, 480.0, 0.1)
