"""An arm's joints from its URDF: read strictly, so that nothing moves by a file that is damaged.

Only the chain of joints is read here, with the standard library; shapes are left to who checks collisions. The format:
https://wiki.ros.org/urdf/XML (lengths in metres, angles in radians, rpy about fixed axes).
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from robot.errors import BadInputError
from robot.frames import Array, pose, rot_rpy

_KINDS = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
_LEAST_AXIS = 1e-6


@dataclass(frozen=True)
class UrdfJoint:
    """One joint: `child` stands in `parent` at `T_parent_joint`, and turns or slides along `axis` (3,) of that frame.

    Attributes:
        kind: What the URDF calls its type.
        range_rad: Lowest and highest value; None where the URDF gives none.
        follows: Joint that it mimics; empty for none.
    """

    name: str
    kind: str
    parent: str
    child: str
    T_parent_joint: Array
    axis: Array
    range_rad: tuple[float, float] | None
    follows: str = ""

    @property
    def moves(self) -> bool:
        """Whether its child can move."""
        return self.kind != "fixed"


@dataclass(frozen=True)
class Urdf:
    """A tree of links.

    Attributes:
        path: Its file.
        text: What stands there.
        root: The link that is nobody's child.
        links: Names.
        above: The joint by which a link hangs on another, by the link's name.
    """

    path: Path
    text: str
    root: str
    links: tuple[str, ...]
    above: dict[str, UrdfJoint]

    def chain(self, tip: str) -> tuple[UrdfJoint, ...]:
        """All joints from the root to a link, fixed ones too.

        Raises:
            BadInputError: There is no such link.
        """
        if tip not in self.links:
            raise BadInputError(
                f"URDF {self.path}: it has no link {tip!r}; its links are {', '.join(self.links)}"
            )
        joints = list[UrdfJoint]()
        while tip != self.root:
            joints.append(self.above[tip])
            tip = joints[-1].parent
        return tuple(reversed(joints))


def read_urdf(path: Path) -> Urdf:
    """A URDF file.

    Raises:
        BadInputError: It cannot be read, is no whole URDF, or its links do not form one tree; the message says where.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise BadInputError(f"URDF {path}: no such file; it is looked for beside the arm's file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise BadInputError(f"URDF {path}: cannot be read: {error}") from None
    reader = _Reader(path)
    robot = reader.root(text)
    links = reader.names(robot, "link")
    reader.names(robot, "joint")
    joints = [reader.joint(element) for element in robot.findall("joint")]
    above = reader.above(joints, links)
    return Urdf(path, text, reader.top(links, above), tuple(links), above)


class _Reader:
    """Turns elements into joints; every complaint names the file, the thing, the value and what is allowed."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def _bad(self, what: str) -> BadInputError:
        return BadInputError(f"URDF {self._path}: {what}")

    def root(self, text: str) -> ET.Element:
        """The robot element of a whole file."""
        try:
            robot = ET.fromstring(text)
        except ET.ParseError as error:
            raise self._bad(
                f"is no whole XML: {error}; fetch it anew from the arm's maker, or export it again"
            ) from None
        if robot.tag != "robot":
            raise self._bad(f"begins with <{robot.tag}>, a URDF begins with <robot>; name the arm's URDF")
        if any("xacro" in element.tag for element in robot.iter() if isinstance(element.tag, str)):
            raise self._bad(
                "is a xacro file, not yet a URDF: run `xacro FILE > arm.urdf` and name what it writes"
            )
        return robot

    def names(self, robot: ET.Element, tag: str) -> list[str]:
        """The names of all elements of a kind."""
        names = [element.get("name") or "" for element in robot.findall(tag)]
        if not names or "" in names:
            raise self._bad(f'a {tag} has no name, or there is none; every one needs name="…"')
        twice = [name for name, count in Counter(names).items() if count > 1]
        if twice:
            raise self._bad(f"two {tag}s are called {twice[0]!r}; names must differ")
        return names

    def joint(self, element: ET.Element) -> UrdfJoint:
        """One joint."""
        name, kind = str(element.get("name")), element.get("type") or ""
        if kind not in _KINDS:
            raise self._bad(f"joint {name!r}: type {kind!r} is not known; allowed are {', '.join(_KINDS)}")
        parent, child = (self._link(element, name, role) for role in ("parent", "child"))
        axis = self._numbers(element.find("axis"), "xyz", (1.0, 0.0, 0.0), f"joint {name!r}: axis")
        length = math.hypot(*axis)
        if kind != "fixed" and length < _LEAST_AXIS:
            raise self._bad(
                f"joint {name!r}: axis xyz={axis} has no length; give the direction it turns about"
            )
        mimic = element.find("mimic")
        return UrdfJoint(
            name,
            kind,
            parent,
            child,
            self._origin(element, name),
            np.array(axis) / max(length, _LEAST_AXIS),
            self._range(element, name, kind),
            "" if mimic is None else mimic.get("joint") or "?",
        )

    def _link(self, element: ET.Element, name: str, role: str) -> str:
        found = element.find(role)
        link = None if found is None else found.get("link")
        if not link:
            raise self._bad(f'joint {name!r}: it has no <{role} link="…"/>; every joint needs one')
        return link

    def _origin(self, element: ET.Element, name: str) -> Array:
        origin, what = element.find("origin"), f"joint {name!r}: origin"
        roll, pitch, yaw = self._numbers(origin, "rpy", (0.0, 0.0, 0.0), what)
        place = self._numbers(origin, "xyz", (0.0, 0.0, 0.0), what)
        return pose(rot_rpy(roll, pitch, yaw), place)

    def _numbers(
        self, element: ET.Element | None, key: str, otherwise: Sequence[float], what: str
    ) -> tuple[float, ...]:
        """Three finite numbers of an attribute."""
        text = None if element is None else element.get(key)
        if text is None:
            return tuple(otherwise)
        try:
            numbers = tuple(float(word) for word in text.split())
        except ValueError:
            numbers = ()
        if len(numbers) != len(otherwise) or not all(map(math.isfinite, numbers)):
            raise self._bad(
                f"{what} {key}={text!r}: allowed are {len(otherwise)} finite numbers; correct it there"
            )
        return numbers

    def _range(self, element: ET.Element, name: str, kind: str) -> tuple[float, float] | None:
        limit = element.find("limit")
        if kind == "continuous" or limit is None or limit.get("lower") is limit.get("upper") is None:
            return None
        what = f"joint {name!r}: limit"
        low, high = (self._numbers(limit, key, (0.0,), what)[0] for key in ("lower", "upper"))
        if kind in ("revolute", "prismatic") and low >= high:
            raise self._bad(f"{what} lower={low:g} must be below upper={high:g}; correct it there")
        return low, high

    def above(self, joints: Sequence[UrdfJoint], links: Sequence[str]) -> dict[str, UrdfJoint]:
        """The one joint by which each link hangs."""
        known, above = set(links), dict[str, UrdfJoint]()
        for joint in joints:
            for role, link in (("parent", joint.parent), ("child", joint.child)):
                if link not in known:
                    raise self._bad(f"joint {joint.name!r}: its {role} {link!r} is no link of the file")
            if joint.child in above:
                raise self._bad(
                    f"link {joint.child!r} hangs on two joints, {above[joint.child].name!r} and {joint.name!r}; "
                    "allowed is one: cut the loop open"
                )
            above[joint.child] = joint
        return above

    def top(self, links: Sequence[str], above: dict[str, UrdfJoint]) -> str:
        """The one link that all others hang on."""
        tops = [link for link in links if link not in above]
        if len(tops) > 1:
            raise self._bad(
                f"links {', '.join(map(repr, tops))} hang on nothing; allowed is one, the arm's base"
            )
        for link in links:
            seen, at = {link}, link
            while at in above:
                at = above[at].parent
                if at in seen:
                    raise self._bad(f"link {at!r} hangs on itself: its joints form a loop; cut it open")
                seen.add(at)
        return tops[0]
