from __future__ import annotations

import os
from pathlib import Path

import pytest

from robot.errors import BadInputError
from steadyhand import files
from steadyhand.files import PICTURES, need_place, write_whole


def test_file_is_written_whole_and_replaces_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "scene.xml"
    write_whole(path, b"one")
    write_whole(path, b"two")
    assert path.read_bytes() == b"two"
    assert path.stat().st_mode & 0o777 == 0o644
    assert [it.name for it in tmp_path.iterdir()] == ["scene.xml"]


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("folder", "it is a folder; name a file in it"),
        ("missing/scene.xml", "there is no folder .*missing; make it, or name another"),
        ("file/scene.xml", "there is no folder"),
    ],
)
def test_place_where_nothing_can_be_written_is_refused(tmp_path: Path, name: str, why: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("")
    for attempt in (need_place, lambda path: write_whole(path, b"")):
        with pytest.raises(BadInputError, match=f"{name}: cannot be written: {why}"):
            attempt(tmp_path / name)
    assert sorted(it.name for it in tmp_path.iterdir()) == ["file", "folder"]


def test_place_without_leave_to_write_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)  # tests may run as root, who may write anywhere
    with pytest.raises(BadInputError, match=r"a\.xml: cannot be written: not allowed"):
        need_place(tmp_path / "a.xml")


def test_picture_must_end_like_one() -> None:
    with pytest.raises(
        BadInputError, match=r"a\.gif: '\.gif' is no picture format; use \.png or \.jpg or \.jpeg"
    ):
        need_place(Path("a.gif"), PICTURES)
    with pytest.raises(BadInputError, match="'' is no picture format"):
        need_place(Path("a"), PICTURES)
    need_place(Path("a.PNG"), PICTURES)


def test_failure_on_the_way_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_self: Path, _target: Path) -> None:
        raise OSError(28, "No space left on device")

    path = tmp_path / "scene.xml"
    path.write_bytes(b"old")
    monkeypatch.setattr(files.Path, "replace", full)
    with pytest.raises(BadInputError, match=r"scene\.xml: cannot be written: No space left on device"):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"
    assert [it.name for it in tmp_path.iterdir()] == ["scene.xml"]
