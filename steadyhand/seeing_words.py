"""What was seen of a tower, or why nothing was, as JSON and for people."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, cast

from planning.blockset import BlockSet
from planning.observation import BlockSeen, Seen, TowerObservation
from planning.tower import Slot, axis_of, row
from robot.camera_model import CameraModel
from robot.errors import PerceptionError
from steadyhand.faces import faces

HAND = "a hand is in the picture"
_END = {1: Seen.BLOCK.value, 0: Seen.GAP.value, None: Seen.UNKNOWN.value}
UNSURE_M = 2e-3  # how far a block stands out is not known where its error is larger


def as_json(
    seen: TowerObservation,
    images: Sequence[str],
    cameras: Sequence[CameraModel],
    blockset: BlockSet,
    *,
    hand: bool,
) -> dict[str, object]:
    """The command's answer, all but the time it took.

    Args:
        seen: The tower.
        images: The pictures' names.
        cameras: Their cameras.
        blockset: How large the blocks are.
        hand: Whether a hand is in a picture.
    """
    n_layers = max((slot.layer for slot in seen.slots), default=0)
    return {
        "refused": None,
        "hand": hand,
        "text": seen.text(),
        "n_layers": n_layers,
        "T_world_tower": [[round(float(v), 6) for v in line] for line in seen.T_world_tower],
        "layers": [_layer(seen, layer) for layer in range(1, n_layers + 1)],
        "faces": [
            side
            for image, camera in zip(images, cameras, strict=True)
            for side in faces(image, camera, seen, blockset)
        ],
    }


def without_place(answer: Mapping[str, object]) -> dict[str, object]:
    """An answer without what a picture alone does not tell: where the tower stands, its axes, and lengths."""
    layers = cast(Sequence[Mapping[str, object]], answer["layers"])
    unknown = {"axis": None, "top_m": None, "protrusion_mm": [None] * 3}
    known = [{key: unknown.get(key, value) for key, value in layer.items()} for layer in layers]
    return {**answer, "T_world_tower": None, "layers": known}


def sides_text(answer: Mapping[str, object], *, hand: bool) -> str:
    """A line a layer, the top one first: what each side shows, from left to right as in the picture."""
    faces = cast(Sequence[Mapping[str, Any]], answer["faces"])
    lines = [
        f"{answer['n_layers']} layers; a picture without a camera file tells what its sides show, no lengths"
    ]
    lines.append("layer  " + "  ".join(f"{face['side']:<22}" for face in faces).rstrip())
    for rows in reversed(list(zip(*(face["rows"] for face in faces), strict=True))):
        lines.append(f"{rows[0]['layer']:5}  " + "  ".join(f"{_shown(row):<22}" for row in rows).rstrip())
    return "\n".join([*lines, *([HAND] if hand else [])]) + "\n"


def _shown(row: Mapping[str, Any]) -> str:
    if row["shows"] != "ends":
        return str(row["shows"])
    return " ".join(f"{_END[mark]:<7}" for mark in row["slots_LMR"])


def refused_json(error: PerceptionError, *, hand: bool) -> dict[str, object]:
    """The answer where the pictures cannot be read."""
    return {
        "refused": {"reason": error.reason, "detail": str(error)},
        "hand": hand,
        "text": "",
        "n_layers": None,
        "T_world_tower": None,
        "layers": [],
        "faces": [],
    }


def _layer(seen: TowerObservation, layer: int) -> dict[str, object]:
    top_m = seen.layer_top_m[layer - 1] if layer <= len(seen.layer_top_m) else math.nan
    return {
        "layer": layer,
        "axis": axis_of(layer),
        "top_m": round(float(top_m), 5) if math.isfinite(top_m) else None,
        "slots": [_slot(seen, slot).value for slot in row(layer)],
        "protrusion_mm": [_out_mm(seen, slot) for slot in row(layer)],
    }


def _slot(seen: TowerObservation, slot: Slot) -> Seen:
    return seen.slots.get(slot, Seen.GAP)


def _out_mm(seen: TowerObservation, slot: Slot) -> float | None:
    """How far a block stands out; None where there is none or that is not known."""
    block: BlockSeen | None = seen.blocks.get(slot)
    if block is None or _slot(seen, slot) is not Seen.BLOCK:
        return None
    known = math.isfinite(block.out_m) and block.sd_m <= UNSURE_M
    return round(float(block.out_m) * 1e3, 2) if known else None


def as_text(seen: TowerObservation, *, hand: bool) -> str:
    """A line a layer, the top one first: what each slot holds, and how far its block stands out [mm]; then the rest."""
    n_layers = max((slot.layer for slot in seen.slots), default=0)
    count = {it: sum(value is it for value in seen.slots.values()) for it in Seen}
    counts = f"{n_layers} layers; " + ", ".join(f"{it.value}: {number}" for it, number in count.items())
    lines = [counts, "layer  along  slots 1, 2, 3; mm that a block stands out"]
    for layer in range(n_layers, 0, -1):
        slots = "  ".join(_words(seen, slot) for slot in row(layer))
        lines.append(f"{layer:5}  {axis_of(layer):>5}  {slots}".rstrip())
    return "\n".join([*lines, *seen.unseen, *([HAND] if hand else [])]) + "\n"


def _words(seen: TowerObservation, slot: Slot) -> str:
    out_mm = _out_mm(seen, slot)
    return f"{_slot(seen, slot).value:<7}{'' if out_mm is None else f'{out_mm:+.1f}':>5}"


def refused_text(error: PerceptionError, *, hand: bool) -> str:
    """What was refused, and what to do."""
    return f"refused ({error.reason}): {error}\n" + (f"{HAND}\n" if hand else "")
