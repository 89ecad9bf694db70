"""Write the printable L-finger of the settings: both STL files, a drawing, and the print that goes round the fingers.

Run from the checkout: `.venv/bin/python tools/finger.py [--settings steadyhand.toml] [-o FOLDER]`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from svg import Drawing

from robot.errors import BadInputError
from robot.lfinger import LFinger
from steadyhand.files import write_whole
from steadyhand.finger_solid import (
    BAR_BACK_MM,
    Box,
    Finger,
    Print,
    finger_of,
    mirrored,
    stl,
    strain_of,
    triangles,
)
from steadyhand.settings_file import load_settings
from steadyhand.sheets import encoded
from steadyhand.sleeve_sheet import sleeve_sheet

FOLDER = Path("docs/printing")
SCALE = 4.0  # units of the drawing a millimetre
SIDE_AT, TIP_AT = (170.0, 80.0), (470.0, 80.0)


def main() -> int:
    asked = arguments()
    try:
        settings = load_settings(asked.settings)
        finger = settings.finger
        made = Print(
            finger.stiffness_n_mm, asked.modulus_mpa, asked.hole_mm, asked.holes_apart_mm, asked.leaf_width_mm
        )
        solid = write(asked.output, finger.fingers(), made)
    except BadInputError as error:
        sys.stderr.write(f"finger: {error}\n")
        return 2
    print(f"{asked.output}: two leaves of {solid.leaf_mm[0]:.2f} mm a finger")
    for force_n in (settings.probe.limit_n, settings.force.ceiling_n):
        gives_mm, stress_mpa = strain_of(solid, made, force_n)
        print(f"{force_n:g} N bend them by {gives_mm:.1f} mm, {stress_mpa:.0f} MPa; PETG yields at about 50")
    return 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--settings", type=Path, help="settings file whose [finger] is printed")
    parser.add_argument("-o", "--output", type=Path, default=FOLDER, help="folder to write into")
    parser.add_argument(
        "--modulus-mpa", type=float, default=2000.0, help="of the material; PETG 2000, PLA 3000"
    )
    parser.add_argument("--hole-mm", type=float, default=3.2, help="diameter of the screw holes")
    parser.add_argument("--holes-apart-mm", type=float, default=8.0, help="between their middles")
    parser.add_argument("--leaf-width-mm", type=float, default=4.0, help="width of the springs' leaves")
    return parser.parse_args()


def write(folder: Path, finger: LFinger, made: Print) -> Finger:
    """Write all four files; what was made."""
    solid = finger_of(finger, made)
    surface = triangles(solid)
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / "finger.stl", stl(surface, "steadyhand finger, mm"))
    write_whole(folder / "finger-mirrored.stl", stl(mirrored(surface), "steadyhand finger, mirrored, mm"))
    drawing(finger, made, solid).write(folder / "finger.svg")
    write_whole(folder / "finger-prints.pdf", encoded(sleeve_sheet(finger), ".pdf"))
    return solid


def drawing(finger: LFinger, made: Print, solid: Finger) -> Drawing:
    """The finger from the side (x to the right, z down) and towards its pinching face's edge (y to the right)."""
    it = Drawing(640, 690, "L-finger")
    it.text(
        20,
        24,
        "L-finger, all in mm. Print it lying on its pinching face, mirrored for the other side.",
        "head",
    )
    it.text(SIDE_AT[0], 52, "from outside: x to the right, z (the leg) down", "small", "middle")
    it.text(TIP_AT[0] + 16, 52, "from the gripper: y (pinch) to the right", "small", "middle")
    for box in solid.added:
        _draw(it, box, SIDE_AT, 0, "solid")
        _draw(it, box, TIP_AT, 1, "solid")
    for (x0, x1), (y0, y1), (z0, z1) in solid.cut[:1]:
        _draw(it, ((x0, x1), (y0, y1), (z0, z1)), SIDE_AT, 0, "box")
    for x, z, diameter in solid.holes:
        it.circle(SIDE_AT[0] + SCALE * x, SIDE_AT[1] + SCALE * (z + 8), SCALE * diameter / 2)
    _dimensions(it, finger, made, solid)
    return it


def _draw(it: Drawing, box: Box, at: tuple[float, float], axis: int, kind: str) -> None:
    (a0, a1), (z0, z1) = box[axis], box[2]
    it.rect(at[0] + SCALE * a0, at[1] + SCALE * (z0 + 8), SCALE * (a1 - a0), SCALE * (z1 - z0), kind)


def _dimensions(it: Drawing, finger: LFinger, made: Print, solid: Finger) -> None:
    x0, y0 = SIDE_AT
    leg, slim, half = finger.leg_m * 1e3, finger.slim_m * 1e3, finger.root_width_m * 500
    nose, z0 = finger.nose_width_m * 500, y0 + SCALE * 8
    end = z0 + SCALE * leg
    it.up(z0, end, x0 + SCALE * half + 14, f"{leg:g} from the gripper's axis")
    it.up(end - SCALE * slim, end, x0 - SCALE * half - 40, f"{slim:g}")
    it.across(x0 - SCALE * nose, x0 + SCALE * nose, end + 20, f"{2 * nose:g}")
    it.across(x0 - SCALE * half, x0 + SCALE * half, y0 - 8, f"{2 * half:g}")
    it.across(x0 - SCALE * BAR_BACK_MM, x0, z0 + SCALE * 8 + 30, f"{BAR_BACK_MM:g}")
    leaf, length = solid.leaf_mm
    it.text(
        20, end + 60, f"2 leaves {leaf:.2f} thick, {made.leaf_width_mm:g} wide, {length:g} long:", "small"
    )
    it.text(20, end + 74, f"{made.stiffness_n_mm:g} N/mm for the closed pair", "small")
    it.text(20, end + 88, f"at {made.modulus_mpa:g} MPa (PETG 2000, PLA 3000)", "small")
    it.text(340, end + 60, f"2 holes {made.hole_mm:g}, {made.holes_apart_mm:g} apart:", "small")
    it.text(340, end + 74, "measure your gripper's carriage", "small")
    x1 = TIP_AT[0]
    thick, slim_thick = finger.root_thickness_m * 1e3, finger.nose_thickness_m * 1e3
    it.across(x1, x1 + SCALE * thick, y0 - 8, f"{thick:g}")
    it.across(x1, x1 + SCALE * slim_thick, end + 20, f"{slim_thick:g}")
    it.text(x1 - 12, z0 + 200, "pinching face", "small", "end")


if __name__ == "__main__":
    sys.exit(main())
