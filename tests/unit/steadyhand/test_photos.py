from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from robot.errors import BadInputError, PerceptionError
from steadyhand.photos import decoded, file_bytes

PATH = Path("a.jpg")
IMAGE = np.random.default_rng(4).integers(0, 255, (60, 80, 3)).astype(np.uint8)


def encoded(ending: str, *options: int) -> bytes:
    return bytes(cv2.imencode(ending, IMAGE, options)[1].tobytes())


def test_picture_is_read_as_it_was_written() -> None:
    assert (decoded(PATH, encoded(".png")) == IMAGE).all()
    assert decoded(PATH, encoded(".jpg")).shape == (60, 80, 3)
    assert decoded(PATH, encoded(".bmp")).shape == (60, 80, 3)


def test_grey_picture_becomes_one_of_three_channels() -> None:
    data = cv2.imencode(".png", IMAGE[..., 0])[1].tobytes()
    assert decoded(PATH, data).shape == (60, 80, 3)


@pytest.mark.parametrize("progressive", [0, 1])
@pytest.mark.parametrize("share", [0.3, 0.7, 0.99])
def test_jpeg_that_is_cut_off_is_refused(progressive: int, share: float) -> None:
    data = encoded(".jpg", cv2.IMWRITE_JPEG_PROGRESSIVE, progressive)
    assert decoded(PATH, data).shape == (60, 80, 3)
    with pytest.raises(PerceptionError, match=r"a\.jpg is cut off: .* copy it again") as refused:
        decoded(PATH, data[: int(share * len(data))])
    assert refused.value.reason == "unreadable-file"


def test_png_that_is_cut_off_is_refused() -> None:
    with pytest.raises(PerceptionError, match="is cut off"):
        decoded(PATH, encoded(".png")[:-10])


def test_end_of_a_small_picture_within_a_jpeg_is_not_taken_for_its_own() -> None:
    data, preview = encoded(".jpg"), encoded(".jpg", cv2.IMWRITE_JPEG_QUALITY, 5)
    segment = b"\xff\xe1" + (len(preview) + 2).to_bytes(2, "big") + preview
    whole = data[:2] + segment + data[2:]
    assert decoded(PATH, whole).shape == (60, 80, 3)
    with pytest.raises(PerceptionError, match="is cut off"):
        decoded(PATH, whole[:-20])


def test_what_a_phone_appends_to_a_jpeg_does_no_harm() -> None:
    assert decoded(PATH, encoded(".jpg") + b"\0" * 5000).shape == (60, 80, 3)


def test_camera_turned_on_its_side_does_not_turn_the_picture() -> None:
    tag = b"\x12\x01\x03\x00\x01\x00\x00\x00\x06\x00\x00\x00"  # orientation: a quarter turn
    exif = b"Exif\0\0II*\x00\x08\x00\x00\x00\x01\x00" + tag + b"\0\0\0\0"
    data = encoded(".jpg")
    turned = data[:2] + b"\xff\xe1" + (len(exif) + 2).to_bytes(2, "big") + exif + data[2:]
    assert cv2.imdecode(np.frombuffer(turned, np.uint8), cv2.IMREAD_COLOR).shape == (80, 60, 3)
    assert decoded(PATH, turned).shape == (60, 80, 3)


@pytest.mark.parametrize("data", [b"", b"a tower", b"\x89PNG IEND\xaeB`\x82"])
def test_bytes_that_are_no_picture_are_refused(data: bytes) -> None:
    with pytest.raises(PerceptionError, match=f"no picture that can be read: {len(data)} bytes") as refused:
        decoded(PATH, data)
    assert refused.value.reason == "unreadable-file"


def test_path_without_a_file_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"no\.jpg: no such file; name one"):
        file_bytes(tmp_path / "no.jpg")
    with pytest.raises(BadInputError, match="cannot be read: Is a directory"):
        file_bytes(tmp_path)


@pytest.mark.parametrize(("upright", "shape"), [(True, (80, 60, 3)), (False, (60, 80, 3))])
def test_picture_is_turned_by_what_the_file_says_only_where_asked(
    upright: bool, shape: tuple[int, ...]
) -> None:
    data = encoded(".jpg")
    tiff = b"MM\0*\0\0\0\x08" + b"\0\x01" + b"\x01\x12\0\x03\0\0\0\x01\0\x06\0\0" + b"\0\0\0\0"
    segment = b"\xff\xe1" + (len(tiff) + 8).to_bytes(2, "big") + b"Exif\0\0" + tiff
    assert decoded(PATH, data[:2] + segment + data[2:], upright=upright).shape == shape
