"""The command `see`, the reading of the tower itself replaced: that is perception's."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from perception.stack import mean_size, nominal_stack
from perception.views import View
from planning.blockset import BlockSet
from planning.observation import Seen, TowerObservation, as_stacked
from planning.tower import Slot, Tower
from robot.camera_model import CameraModel
from robot.errors import PerceptionError
from steadyhand.__main__ import main
from support.geometry import BLOCKSET, camera, painted

KEYS = ["refused", "hand", "text", "n_layers", "T_world_tower", "layers", "faces", "wall_ms"]
SQUARE = np.array([[-0.02, 0.02, 0.0], [0.02, 0.02, 0.0], [0.02, -0.02, 0.0], [-0.02, -0.02, 0.0]])
MODEL = camera(np.array([0.5, -0.5, 0.35]), np.array([0.0, 0.0, 0.02]))


def observation() -> TowerObservation:
    """Three layers: 1.3 is empty, 2.1 not known, 3.1 pushed by 4 mm, and nobody knows how far 3.2 was."""
    seen = as_stacked(Tower.parse("110/011/111"), mean_size(BLOCKSET))
    blocks = dict(seen.blocks)
    blocks[Slot(3, 1)] = replace(blocks[Slot(3, 1)], out_m=0.004)
    blocks[Slot(3, 2)] = replace(blocks[Slot(3, 2)], sd_m=0.01)
    slots = {**seen.slots, Slot(2, 1): Seen.UNKNOWN}
    return replace(seen, slots=slots, blocks=blocks, unseen=("2.1: not clear in any view",))


SEEN = observation()


@dataclass
class Said:
    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self.out)
        assert list(answer) == KEYS
        assert answer["wall_ms"] > 0
        return answer


See = Callable[..., Said]


@pytest.fixture
def views() -> list[View]:
    """What was handed over to be read."""
    return []


@pytest.fixture
def see(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], views: list[View]
) -> See:
    """Run the command in this process, in a folder with a picture `a.png` and its camera file `a.json`."""

    def read(given: Sequence[View], blockset: BlockSet, base_z_m: float) -> TowerObservation:
        views.extend(given)
        return SEEN

    def command(*arguments: str) -> Said:
        monkeypatch.setattr(sys, "argv", ["steadyhand", "see", *arguments])
        with pytest.raises(SystemExit) as left:
            main()
        code = left.value.code if isinstance(left.value.code, int) else 0
        return Said(code, *capsys.readouterr())

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("perception.reading.read_tower", read)
    write("a.png", painted(MODEL, nominal_stack(np.eye(4), range(1, 4), BLOCKSET)).image)
    describe("a.json", MODEL)
    return command


def write(name: str, image: np.ndarray) -> None:
    assert cv2.imwrite(name, image)


SHEET = {"0": [[0.0, 0.04, 0.0], [0.04, 0.04, 0.0], [0.04, 0.0, 0.0], [0.0, 0.0, 0.0]]}


def describe(name: str, model: CameraModel, **changes: object) -> None:
    values = {
        "width": model.size_px[0],
        "height": model.size_px[1],
        "K": model.K.tolist(),
        "dist": model.distortion.tolist(),
        "T_world_camera": model.T_world_camera.tolist(),
        "markers": None,
    }
    Path(name).write_text(json.dumps(values | changes))


# What is printed


def test_tower_is_printed_as_one_json_object(see: See) -> None:
    said = see("a.png", "--camera", "a.json", "--json")
    answer = said.json
    assert said.code == 0
    assert answer["refused"] is None
    assert answer["hand"] is False
    assert answer["text"] == "110/?11/111"
    assert answer["n_layers"] == 3
    assert answer["T_world_tower"] == np.eye(4).tolist()
    assert [layer["axis"] for layer in answer["layers"]] == ["x", "y", "x"]
    assert answer["layers"][0]["top_m"] == pytest.approx(0.0148, abs=1e-5)
    assert answer["layers"][0]["slots"] == ["block", "block", "gap"]
    assert answer["layers"][1]["slots"] == ["unknown", "block", "block"]
    assert [(f["image"], f["side"]) for f in answer["faces"]] == [("a.png", "left"), ("a.png", "right")]


def test_tower_is_read_without_the_networks_that_find_hands_and_that_is_said(
    see: See, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("perception.hand_net.MODELS", tmp_path)
    said = see("a.png", "--camera", "a.json", "--json")
    assert (said.code, said.json["hand"]) == (0, False)
    assert "hands are not looked for" in said.err
    assert "make setup" in said.err


def test_how_far_a_block_stands_out_is_null_where_it_is_not_known(see: See) -> None:
    layers = see("a.png", "--camera", "a.json", "--json").json["layers"]
    assert layers[0]["protrusion_mm"] == [0.0, 0.0, None]
    assert layers[1]["protrusion_mm"] == [None, 0.0, 0.0]
    assert layers[2]["protrusion_mm"] == [4.0, None, 0.0]


def test_people_are_told_a_line_a_layer_from_the_top(see: See) -> None:
    said = see("a.png", "--camera", "a.json")
    assert said.code == 0
    assert said.out.startswith("3 layers; block: 7, gap: 1, unknown: 1\n")
    lines = [line.split() for line in said.out.splitlines()]
    assert lines[2] == ["3", "x", "block", "+4.0", "block", "block", "+0.0"]
    assert lines[3] == ["2", "y", "unknown", "block", "+0.0", "block", "+0.0"]
    assert lines[4] == ["1", "x", "block", "+0.0", "block", "+0.0", "gap"]
    assert lines[5][0] == "2.1:"


def test_every_picture_is_read_with_its_own_camera(see: See, views: list[View]) -> None:
    other = camera(np.array([-0.5, -0.5, 0.35]), np.array([0.0, 0.0, 0.02]), size_px=(300, 200))
    write("b.png", painted(other, nominal_stack(np.eye(4), range(1, 4), BLOCKSET)).image)
    describe("b.json", other)
    answer = see("a.png", "b.png", "--camera", "a.json", "--camera", "b.json", "--json").json
    assert [view.camera.size_px for view in views] == [MODEL.size_px, (300, 200)]
    assert views[1].camera.T_world_camera == pytest.approx(other.T_world_camera)
    assert views[1].image.shape == (200, 300, 3)
    assert [face["image"] for face in answer["faces"]] == ["a.png", "a.png", "b.png", "b.png"]


# Markers


def marked() -> tuple[np.ndarray, CameraModel]:
    """A marker of 40 mm at the origin seen from one side, and the camera."""
    model = camera(np.array([0.12, -0.18, 0.3]), np.zeros(3))
    code = cv2.aruco.generateImageMarker(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50), 3, 240)
    corners = np.array([[0, 0], [240, 0], [240, 240], [0, 240]], np.float32) - 0.5
    H = cv2.getPerspectiveTransform(corners, model.project(SQUARE).astype(np.float32))
    grey = cv2.warpPerspective(code, H, model.size_px, borderMode=cv2.BORDER_CONSTANT, borderValue=(220,))
    return np.repeat(cv2.blur(grey, (3, 3))[..., None], 3, axis=2), model


def describe_markers(model: CameraModel, dictionary: str = "DICT_4X4_50", *more: int) -> None:
    """A camera file with marker 3 at the origin, and others beside it."""
    corners = {str(n): (SQUARE + 0.1 * k).tolist() for k, n in enumerate((3, *more))}
    markers = {"dictionary": dictionary, "size_m": 0.04, "corners_world_m": corners}
    describe("a.json", model, T_world_camera=None, markers=markers)


def test_camera_file_may_be_in_ros_form(see: See, views: list[View]) -> None:
    from perception.calibration_camera import Lens
    from steadyhand.camera_info import text_of

    lens = Lens(MODEL.size_px, MODEL.K, MODEL.distortion)
    Path("a.yaml").write_text(text_of(lens, "eye", MODEL.T_world_camera))
    assert see("a.png", "--camera", "a.yaml", "--json").code == 0
    assert views[0].camera.K.tolist() == MODEL.K.tolist()
    assert views[0].camera.T_world_camera == pytest.approx(MODEL.T_world_camera)


def test_camera_is_placed_by_its_markers(see: See, views: list[View]) -> None:
    image, model = marked()
    write("a.png", image)
    describe_markers(model)
    assert see("a.png", "--camera", "a.json", "--json").code == 0
    placed = views[0].camera
    assert placed.project(SQUARE) == pytest.approx(model.project(SQUARE), abs=1.0)
    assert placed.position_m() == pytest.approx(model.position_m(), abs=0.02)


def test_marker_in_a_mirror_and_no_marker_are_refused(see: See) -> None:
    image, model = marked()
    describe_markers(model)
    for picture, reason in ((image[:, ::-1], "mirrored"), (cv2.blur(image, (61, 61)), "camera-moved")):
        write("a.png", picture)
        said = see("a.png", "--camera", "a.json", "--json")
        assert (said.code, said.json["refused"]["reason"]) == (1, reason)


@pytest.mark.parametrize(("dictionary", "number"), [("DICT_3X3", 4), ("DICT_4X4_50", 77)])
def test_marker_that_the_dictionary_does_not_have_is_bad_input(
    see: See, dictionary: str, number: int
) -> None:
    image, model = marked()
    write("a.png", image)
    describe_markers(model, dictionary, number)
    said = see("a.png", "--camera", "a.json", "--json")
    assert (said.code, said.out) == (2, "")
    assert "camera file a.json: marker" in said.err


# Refusals


def refuse(monkeypatch: pytest.MonkeyPatch, reason: str) -> None:
    def read(given: Sequence[View], blockset: BlockSet, base_z_m: float) -> TowerObservation:
        raise PerceptionError("nothing stands there; put a tower up", reason=reason)

    monkeypatch.setattr("perception.reading.read_tower", read)


def test_refusal_is_still_json_with_all_keys(see: See, monkeypatch: pytest.MonkeyPatch) -> None:
    refuse(monkeypatch, "no-tower")
    said = see("a.png", "--camera", "a.json", "--json", "--draw", "seen.png")
    answer = said.json
    assert said.code == 1
    assert answer["refused"] == {"reason": "no-tower", "detail": "nothing stands there; put a tower up"}
    assert [answer[key] for key in KEYS[1:-1]] == [False, "", None, None, [], []]
    assert not Path("seen.png").exists()


def test_people_are_told_what_was_refused_and_what_to_do(see: See, monkeypatch: pytest.MonkeyPatch) -> None:
    refuse(monkeypatch, "not-standing")
    said = see("a.png", "--camera", "a.json")
    assert said.code == 1
    assert said.out == "refused (not-standing): nothing stands there; put a tower up\n"


def test_picture_of_another_size_than_the_camera_file_says_is_refused(see: See) -> None:
    describe("a.json", MODEL, width=640, height=480)
    said = see("a.png", "--camera", "a.json", "--json")
    assert (said.code, said.json["refused"]["reason"]) == (1, "wrong-resolution")
    assert "a.png" in said.json["refused"]["detail"]


def test_file_that_is_no_picture_is_refused(see: See) -> None:
    for content in (b"no picture", Path("a.png").read_bytes()[:-20], b""):
        Path("a.png").write_bytes(content)
        said = see("a.png", "--camera", "a.json", "--json")
        assert (said.code, said.json["refused"]["reason"]) == (1, "unreadable-file")


def test_one_of_several_pictures_whose_camera_cannot_be_placed_is_left_out_and_named(
    see: See, views: list[View]
) -> None:
    write("b.png", cv2.imread("a.png"))  # it shows no markers
    markers = {"dictionary": "DICT_4X4_50", "size_m": 0.04, "corners_world_m": SHEET}
    describe("b.json", MODEL, T_world_camera=None, markers=markers)
    said = see("b.png", "a.png", "--camera", "b.json", "--camera", "a.json", "--json")
    assert said.code == 0
    assert [view.camera.name for view in views] == ["a.png"]
    assert {face["image"] for face in said.json["faces"]} == {"a.png"}


def test_dark_picture_is_refused_for_its_light_and_not_for_its_markers(see: See) -> None:
    describe_markers(MODEL)
    write("a.png", np.zeros((240, 320, 3), np.uint8))
    assert see("a.png", "--camera", "a.json", "--json").json["refused"]["reason"] == "too-dark"


# Without a camera file


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reading of a picture by itself replaced."""

    def read(image: np.ndarray, name: str, blockset: BlockSet) -> tuple[View, TowerObservation]:
        return View(MODEL, image, image[..., 0].astype(np.float64)), SEEN

    monkeypatch.setattr("perception.uncalibrated.read_uncalibrated", read)


@pytest.mark.usefixtures("alone")
def test_picture_without_a_camera_file_tells_sides_and_no_lengths(see: See) -> None:
    said = see("a.png", "--json")
    assert said.code == 0
    answer = said.json
    assert (answer["n_layers"], answer["text"], answer["T_world_tower"]) == (3, SEEN.text(), None)
    for layer in answer["layers"]:
        assert (layer["axis"], layer["top_m"], layer["protrusion_mm"]) == (None, None, [None] * 3)
    assert {face["side"] for face in answer["faces"]} <= {"left", "right", "front"}
    assert any(None in row["slots_LMR"] for face in answer["faces"] for row in face["rows"])


@pytest.mark.usefixtures("alone")
def test_people_are_told_what_each_side_shows(see: See) -> None:
    first, sides, *rows = see("a.png", "--draw", "seen.png").out.splitlines()
    assert first.startswith("3 layers; a picture without a camera file")
    assert sides.split()[1:] == ["left", "right"]
    assert [row.split()[0] for row in rows] == ["3", "2", "1"]
    assert "unknown" in rows[1]
    assert "side" in rows[0]
    assert Path("seen.png").is_file()


def test_picture_without_a_camera_file_that_cannot_be_read_is_refused(see: See) -> None:
    write("a.png", np.zeros((240, 320, 3), np.uint8))
    said = see("a.png", "--json")
    assert said.code == 1
    assert said.json["refused"]["reason"] == "too-dark"


# Bad input


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["a.png", "a.png"], "2 pictures, but 0 camera files: a.png has none, and only a single picture"),
        (["a.png", "b.png", "--camera", "a.json"], "b.png has none"),
        (["a.png", "--camera", "a.json", "--camera", "b.json"], "b.json belongs to none"),
        (["no.png", "--camera", "a.json"], "picture no.png: no such file"),
        (["a.png", "--camera", "no.json"], "camera file no.json: no such file"),
        (["a.png", "--camera", "a.png"], "camera file a.png: is no JSON"),
        (["a.png", "--camera", "a.json", "--blockset", "oak"], "block set 'oak' is not known"),
        (["a.png", "--camera", "a.json", "--draw", "seen.gif"], "'.gif' is no picture format"),
        (["a.png", "--camera", "a.json", "--draw", "no/seen.png"], "there is no folder no"),
    ],
)
def test_what_cannot_be_used_at_all_is_bad_input(
    see: See, views: list[View], arguments: list[str], why: str
) -> None:
    said = see(*arguments, "--json")
    assert (said.code, said.out, views) == (2, "", [])
    assert why in said.err


def test_no_picture_is_bad_usage(see: See) -> None:
    said = see("--json")
    assert said.code == 2
    assert "IMAGE" in said.err


def test_drawing_is_written_and_told_nothing_of(see: See) -> None:
    said = see("a.png", "a.png", "--camera", "a.json", "--camera", "a.json", "--draw", "seen.JPG", "--json")
    assert (said.code, said.json["text"]) == (0, "110/?11/111")
    image = cv2.imread("seen.JPG")
    assert image is not None
    assert image.shape == (240, 640, 3)


def test_height_of_what_the_tower_stands_on_is_told_in_mm(see: See, monkeypatch: pytest.MonkeyPatch) -> None:
    heights: list[float] = []

    def read(given: Sequence[View], blockset: BlockSet, base_z_m: float) -> TowerObservation:
        heights.append(base_z_m)
        return SEEN

    monkeypatch.setattr("perception.reading.read_tower", read)
    see("a.png", "--camera", "a.json", "--base-mm", "100")
    assert heights == [0.1]
