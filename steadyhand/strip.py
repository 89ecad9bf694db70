"""The picture strip of a turn: what a camera saw at its moments, side by side."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from planning.notes import Note, Phase
from robot.errors import BadInputError
from robot.ports import Camera, Image

_CAPTIONS = {
    Phase.TURN_START: "looks",
    Phase.PROBE_END: "probes",
    Phase.RESTORED: "puts back",
    Phase.EXTRACTED: "draws out",
    Phase.PLACED: "lays on top",
    Phase.SETTLED: "stands",
}
_WIDTH, _HEIGHT, _MOST = 320, 360, 8


class PictureStrip:
    """Keeps a picture of each moment of the newest turn and writes them as one image when the turn is over."""

    def __init__(self, camera: Camera, path: Path) -> None:
        self._camera, self._path = camera, path
        self._tiles: list[tuple[Phase, Image]] = []

    def __call__(self, note: Note) -> None:
        """Listen to a turn."""
        if note.phase is Phase.TURN_START:
            self._tiles = []
        if note.phase in _CAPTIONS:
            slot = f" {note.slot}" if note.slot else ""
            tile = _tile(self._camera.capture().image, _CAPTIONS[note.phase] + slot)
            self._tiles.append((note.phase, tile))
        if note.phase in (Phase.SETTLED, Phase.COLLAPSE) and self._tiles:
            self._write()

    def _write(self) -> None:
        tiles = [tile for _, tile in _newest(self._tiles)]
        if not cv2.imwrite(str(self._path), np.concatenate(tiles, axis=1)):
            raise BadInputError(f"picture strip {self._path}: cannot be written; name another file")


def _newest(tiles: list[tuple[Phase, Image]]) -> list[tuple[Phase, Image]]:
    """The first picture and the last ones, from the beginning of a probe on."""
    if len(tiles) <= _MOST:
        return tiles
    last = tiles[1 - _MOST :]
    begin = next((k for k, (phase, _) in enumerate(last) if phase is Phase.PROBE_END), 0)
    return tiles[:1] + last[begin:]


def _tile(image: Image, caption: str) -> Image:
    """The middle of a picture, cut to the tower and the arm about it, with a caption below."""
    height, width = image.shape[:2]
    cut = image[:, (width - height * _WIDTH // _HEIGHT) // 2 :][:, : height * _WIDTH // _HEIGHT]
    tile = cv2.resize(cut, (_WIDTH, _HEIGHT), interpolation=cv2.INTER_AREA)
    foot = np.full((28, _WIDTH, 3), 32, np.uint8)
    cv2.putText(foot, caption, (10, 19), cv2.FONT_HERSHEY_SIMPLEX, 0.5, (235, 235, 235), 1, cv2.LINE_AA)
    return np.asarray(np.concatenate([tile, foot], axis=0))
