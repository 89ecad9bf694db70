"""How the robot plays: distances, speeds and limits of probing, extracting and placing, in SI units.

Defaults come from measurements of whole turns in simulation (docs/physics.md); the settings file changes them.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class ProbeHabits:
    """Of a probe and its restoring.

    Attributes:
        limit_n: Force at which a probe stops, whatever is believed of the block.
        sway_m: How far a probe may make the top of the tower give way, elastically.
        first_look_m: Displacement after which the neighbours are looked at for the first time.
        full_m: Displacement of a whole probe.
        neighbour_m: Motion of another block that rejects the probed one.
        restored_m: Distance from its old place within which a block counts as restored.
        restore_limit_n: Force limit while pushing a block back.
        tries: How often a restore is tried.
    """

    limit_n: float = 0.8
    sway_m: float = 0.0008
    speed_m_s: float = 0.002
    first_look_m: float = 0.002
    full_m: float = 0.006
    neighbour_m: float = 0.0005
    restored_m: float = 0.0005
    restore_limit_n: float = 1.5
    tries: int = 5


@dataclass(frozen=True)
class ExtractHabits:
    """Of drawing a block out.

    Attributes:
        push_out_m: How far the block is pushed out of the tower's far side.
        limit_n: Highest force limit of pushing out and of pulling; that of a block follows from its probe.
        neighbour_m: Motion of another block on the way that ends it.
        grip_m: How far the fingertips reach over the block.
        opening_m: Of the fingers before they close.
        squeeze_m: By how much less than a block's thickness the fingers read when they pinch it.
    """

    push_out_m: float = 0.021
    push_speed_m_s: float = 0.006
    pull_speed_m_s: float = 0.007
    limit_n: float = 1.2
    neighbour_m: float = 0.0009
    grip_m: float = 0.015
    opening_m: float = 0.026
    squeeze_m: float = 0.0001


@dataclass(frozen=True)
class PlaceHabits:
    """Of laying a block on top.

    Attributes:
        overhang_m: How far the block stands out of the tower when it is let go.
        spacing_m: Between the middles of neighbouring blocks of a new layer.
        gap_m: Least room to a neighbour that is there already, wherever that one lies.
        between_m: More room for the second of two side blocks where the middle one is still to come between them.
        bear_m: How far the tool lags behind its command when the block is called borne.
        flush_speed_m_s: Of pushing it flush. It slips and sticks under the finger, and the faster it is pushed the
            farther aside it lands (benchmarks.flush).
        flush_limit_n: Force limit of pushing it flush.
    """

    overhang_m: float = 0.0185
    spacing_m: float = 0.0268
    gap_m: float = 0.0018
    between_m: float = 0.0005
    hover_m: float = 0.030
    lower_speed_m_s: float = 0.030
    bear_speed_m_s: float = 0.005
    bear_m: float = 0.00015
    flush_speed_m_s: float = 0.002
    flush_limit_n: float = 1.2


@dataclass(frozen=True)
class Habits:
    """All of them."""

    probe: ProbeHabits = field(default_factory=ProbeHabits)
    extract: ExtractHabits = field(default_factory=ExtractHabits)
    place: PlaceHabits = field(default_factory=PlaceHabits)
    approach_m_s: float = 0.120
    settled_m: float = 0.0005
    fallen_m: float = 0.010
