"""The prints for the fingers as a sheet: true size, and every square where the fingers' model has it."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from robot.lfinger import LFinger
from robot.sleeve import printed_faces
from steadyhand.sheets import Rectangle, encoded
from steadyhand.sleeve_sheet import in_order, sleeve_sheet

LINE_MM = 0.2


def cells(black: list[Rectangle]) -> list[Rectangle]:
    return [r for r in black if r[2] > LINE_MM and r[3] > LINE_MM]


@pytest.mark.parametrize("leg_mm", [90, 100])
def test_all_black_squares_are_there_at_true_size(leg_mm: int) -> None:
    finger = LFinger(leg_m=leg_mm / 1e3)
    faces = list(printed_faces(finger, 0.0))
    drawn = cells(list(sleeve_sheet(finger).black))
    assert len(drawn) == sum(int((face.white == 0).sum()) for face in faces)
    area = sum(
        float(np.linalg.norm(f.down_m) * np.linalg.norm(f.right_m)) * 1e6 * (f.white == 0).mean()
        for f in faces
    )
    assert sum(w * h for _, _, w, h in drawn) == pytest.approx(area)


@pytest.mark.parametrize("left", [True, False])
def test_a_strip_goes_round_the_leg_edge_to_edge(left: bool) -> None:
    strip = in_order([face for face in printed_faces(LFinger(), 0.0) if face.left == left])
    assert len(strip) == 3
    for face, beside in itertools.pairwise(strip):
        assert np.abs((face.corner_m + face.right_m - beside.corner_m)[1:]).max() < 5e-4
    turn = np.cross(strip[0].normal, strip[1].normal) @ strip[0].down_m
    assert turn * (np.cross(strip[1].normal, strip[2].normal) @ strip[1].down_m) > 0, "always the same way"


def test_two_strips_do_not_overlap_and_stay_on_the_page() -> None:
    sheet = sleeve_sheet(LFinger())
    lefts = sorted(r[0] for r in cells(list(sheet.black)))
    gaps = np.diff(lefts)
    assert gaps.max() > 20
    assert all(x > 0 and x + w < sheet.size_mm[0] and y > 0 for x, y, w, _ in sheet.black)
    assert encoded(sheet, ".pdf").startswith(b"%PDF")
