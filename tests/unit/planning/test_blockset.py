from __future__ import annotations

from pathlib import Path

import pytest

from planning.blockset import BUILT_IN, built_in_names, load_blockset
from robot.errors import BadInputError

STANDARD = (BUILT_IN / "standard.toml").read_text(encoding="utf-8")


def written(tmp_path: Path, text: str) -> str:
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_built_in_sets_are_known_by_their_names() -> None:
    assert built_in_names() == ["heavy", "loose", "slick", "standard", "tight"]
    for name in built_in_names():
        assert load_blockset(name).name == name


def test_file_of_a_set_is_the_set(tmp_path: Path) -> None:
    assert load_blockset(written(tmp_path, STANDARD)) == load_blockset("standard")


def test_millimetres_and_grams_become_si_units(tmp_path: Path) -> None:
    text = (
        STANDARD + "taper_mm = 0.05\ngap_mm = 0.2\noffset_mm = 0.4\nyaw_deg = 0.5\nfriction_block_sd = 0.02\n"
    )
    it = load_blockset(written(tmp_path, text))
    assert (it.length_m.mean, it.width_m.mean, it.height_m.mean) == pytest.approx((0.07503, 0.02494, 0.0148))
    assert (it.length_m.sd, it.width_m.sd, it.height_m.sd) == pytest.approx((0.28e-3, 0.21e-3, 0.17e-3))
    assert (it.mass_kg.mean, it.mass_kg.sd) == pytest.approx((0.01927, 0.00141))
    assert (it.taper_m, it.gap_m, it.offset_m) == pytest.approx((5e-5, 2e-4, 4e-4))
    assert it.yaw_rad == pytest.approx(0.00872665)
    assert it.friction_block_sd == 0.02


@pytest.mark.parametrize("name", ["nope", "", "Standard", "nope.toml", "no/such/file.toml", "standard.toml"])
def test_unknown_set_is_refused_with_those_that_are_known(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        BadInputError, match=rf"block set '{name}' is not known: choose one of heavy, loose, slick"
    ):
        load_blockset(name)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (("height_mm = 14.80", "height_mm = -3"), r"height_mm: Input should be greater than 1, got -3"),
        (("height_mm = 14.80", ""), r"height_mm: Field required"),
        (("height_mm = 14.80", "height_mm = '15'"), r"height_mm: Input should be a valid number, got '15'"),
        (("height_mm = 14.80", "height_mm = inf"), r"height_mm: .*finite"),
        (("height_mm = 14.80", "hight_mm = 15"), r"known keys are name, length_mm"),
        (
            ("height_mm = 14.80", "height_mm = 14.8\ncolour = 'red'"),
            r"colour: Extra inputs are not permitted",
        ),
        (("mass_g = 19.27", "mass_g = 0"), r"mass_g: Input should be greater than 0\.5"),
        (
            ("friction_sd = 0.04", "friction_sd = -0.1"),
            r"friction_sd: Input should be greater than or equal to 0",
        ),
        (("friction = 0.25", "friction = 0.5"), r"friction = 0\.5 must lie between friction_low = 0\.2 and"),
        (
            ("friction_low = 0.20", "friction_low = 0.45"),
            r"friction = 0\.25 must lie between friction_low = 0\.45",
        ),
        (('name = "standard"', "name = 3"), r"name: Input should be a valid string"),
        (('name = "standard"', "name = "), r"cannot be read: Invalid value"),
    ],
)
def test_wrong_file_is_refused_with_the_key_and_what_is_allowed(
    tmp_path: Path, change: tuple[str, str], why: str
) -> None:
    assert change[0] in STANDARD
    with pytest.raises(BadInputError, match=rf"block set '.*mine\.toml'.*{why}"):
        load_blockset(written(tmp_path, STANDARD.replace(*change)))


def test_folder_and_bytes_are_no_block_set(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="cannot be read"):
        load_blockset(f"{tmp_path}/")
    (tmp_path / "bytes.toml").write_bytes(b"\xff\x00")
    with pytest.raises(BadInputError, match="cannot be read"):
        load_blockset(str(tmp_path / "bytes.toml"))
