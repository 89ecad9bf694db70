"""Procedural pictures for the simulated room: wood, a table top and the marker mat."""

from __future__ import annotations

import numpy as np

from robot.mat import DICTIONARY, Mat

Image = np.ndarray  # (rows, columns, 3), uint8, RGB

_SIDE = 0.74  # share of a wood texture's width that shows side grain; the rest is end grain


def wood(rng: np.random.Generator, size: int = 512) -> Image:
    """A wood texture (size, size, 3) that repeats vertically: side grain on the left, end grain on the right."""
    columns = int(size * _SIDE)
    side = _stripes(rng, size, columns)
    end = _rings(rng, size, size - columns)
    tone = np.concatenate([side, end], axis=1)[..., None]
    light, dark = np.array([222.0, 184.0, 135.0]), np.array([170.0, 122.0, 76.0])
    colour = light + (dark - light) * tone
    colour[:, columns:] *= 0.9
    grain = rng.normal(0.0, 3.0, (size, size, 1))
    return np.asarray(np.clip(colour + grain, 0, 255).astype(np.uint8))


def _stripes(rng: np.random.Generator, rows: int, columns: int) -> np.ndarray:
    """Tone (rows, columns) in 0..1: bands along the columns that waver slowly and repeat over the rows."""
    v = np.linspace(0, 2 * np.pi, rows, endpoint=False)[:, None]
    u = np.linspace(0, 1, columns)[None]
    wave = 0.25 * np.sin(2 * np.pi * (u * rng.uniform(0.5, 1.2) + rng.uniform()))
    tone = np.zeros((rows, columns))
    for frequency in (3, 7, 13, 29):
        tone += np.sin(frequency * (v + wave) + rng.uniform(0, 2 * np.pi)) / np.sqrt(frequency)
    return np.clip(0.35 + 0.16 * tone, 0, 1)


def _rings(rng: np.random.Generator, rows: int, columns: int) -> np.ndarray:
    """Tone (rows, columns) in 0..1: growth rings that repeat over the rows."""
    v = np.linspace(0, 2 * np.pi, rows, endpoint=False)[:, None]
    u = np.linspace(0, 1, columns)[None]
    bend = 2.0 * np.cos(v + rng.uniform(0, 2 * np.pi))
    tone = np.sin(2 * np.pi * (7 * u + bend)) + 0.5 * np.sin(2 * np.pi * (17 * u + 2 * bend))
    return np.clip(0.45 + 0.15 * tone, 0, 1)


def paint(rng: np.random.Generator, size: int = 256) -> Image:
    """White paint (size, size, 3) with a little wood showing through."""
    return np.asarray((255 - (255 - wood(rng, size)) * 0.22).astype(np.uint8))


def printed(rng: np.random.Generator, size: int = 256) -> Image:
    """A cover or a page (size, size, 3): a ground, a coloured field and lines of something like text."""
    page = np.full((size, size, 3), rng.uniform(120, 245, 3) if rng.uniform() < 0.5 else 240.0)
    page[size // 12 : size // 3, size // 12 : -size // 12] = rng.uniform(30, 220, 3)
    ink = rng.uniform(10, 90, 3)
    for row in range(size * 2 // 5, size - size // 12, size // 20):
        letters = rng.uniform(size=size // 4).repeat(4) < 0.6
        letters[: size // 12] = letters[int(size * rng.uniform(0.6, 0.92)) :] = False
        page[row : row + size // 40, letters[:size]] = ink
    return np.asarray(np.clip(page, 0, 255).astype(np.uint8))


def table_top(rng: np.random.Generator, size: int = 512) -> Image:
    """A plain grey-green table cover with a little speckle."""
    base = np.array([92.0, 104.0, 100.0]) + rng.normal(0, 4.0, (size, size, 1))
    return np.clip(base, 0, 255).astype(np.uint8)


def mat_sheet(mat: Mat, pixels: int = 1024) -> Image:
    """The printed mat (pixels, pixels, 3), its first row the printed top."""
    import cv2

    dictionary = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, DICTIONARY))
    sheet = np.full((pixels, pixels), 245, np.uint8)
    scale = pixels / mat.size_m
    side = round(mat.marker_m * scale)
    for number, (x, y) in mat.centres_m.items():
        row, column = pixels / 2 - x * scale - side / 2, pixels / 2 - y * scale - side / 2
        marker = cv2.aruco.generateImageMarker(dictionary, number, side)
        sheet[round(row) : round(row) + side, round(column) : round(column) + side] = marker
    return np.repeat(sheet[..., None], 3, axis=2)
