"""The settings of how the arm probes, draws out and lays down, from millimetres to SI units."""

from __future__ import annotations

from pydantic import Field

from planning.habits import ExtractHabits, PlaceHabits, ProbeHabits
from steadyhand.settings_section import MM, Section, key


class ProbeSettings(Section):
    """Probing and restoring."""

    limit_n: float = key(
        0.8,  # draws of hard blocks took up to 1.5 times what their probe took, and extract.limit_n allows 1.2
        0.02,
        2.0,
        "highest force limit of a probe, and the most that a block may take to be called loose",
    )
    sway_mm: float = key(
        0.8, 0.1, 3, "how far a probe may make the top of the tower give way; upper layers get less force"
    )
    speed_mm_s: float = key(2.0, 0.2, 2.0, "speed of the push")
    first_look_mm: float = key(2.0, 0.5, 10, "displacement after which the neighbours are looked at first")
    full_mm: float = key(6.0, 2, 15, "displacement of a whole probe")
    neighbour_mm: float = key(0.5, 0.2, 3, "motion of another block that rejects the probed one")
    restored_mm: float = key(
        0.5, 0.1, 1.0, "distance from its place within which a block needs no further push"
    )
    restore_limit_n: float = key(1.5, 0.2, 3.0, "highest force limit of pushing a block back")
    tries: int = Field(
        default=5, ge=1, le=10, description="how often a restore is tried before the robot concedes"
    )

    def habits(self) -> ProbeHabits:
        """In SI units."""
        return ProbeHabits(
            limit_n=self.limit_n,
            sway_m=self.sway_mm * MM,
            speed_m_s=self.speed_mm_s * MM,
            first_look_m=self.first_look_mm * MM,
            full_m=self.full_mm * MM,
            neighbour_m=self.neighbour_mm * MM,
            restored_m=self.restored_mm * MM,
            restore_limit_n=self.restore_limit_n,
            tries=self.tries,
        )


class ExtractSettings(Section):
    """Drawing a block out."""

    push_out_mm: float = key(21.0, 15, 40, "how far the block is pushed out of the far side")
    push_speed_mm_s: float = key(6.0, 0.5, 10, "speed of pushing out")
    pull_speed_mm_s: float = key(7.0, 0.5, 10, "speed of pulling")
    limit_n: float = key(1.2, 0.1, 3.0, "highest force limit of pushing out and pulling")
    neighbour_mm: float = key(
        0.9, 0.2, 0.95, "motion of another block on the way that ends it; 1 would be a shift"
    )
    grip_mm: float = key(15.0, 8, 30, "how far the fingertips reach over the block")
    opening_mm: float = key(26.0, 18, 60, "of the fingers before they close")
    squeeze_mm: float = key(
        0.1, -1, 1, "by how much less than a block's thickness the fingers read when they pinch it"
    )

    def habits(self) -> ExtractHabits:
        """In SI units."""
        return ExtractHabits(
            push_out_m=self.push_out_mm * MM,
            push_speed_m_s=self.push_speed_mm_s * MM,
            pull_speed_m_s=self.pull_speed_mm_s * MM,
            limit_n=self.limit_n,
            neighbour_m=self.neighbour_mm * MM,
            grip_m=self.grip_mm * MM,
            opening_m=self.opening_mm * MM,
            squeeze_m=self.squeeze_mm * MM,
        )


class PlaceSettings(Section):
    """Laying a block on top."""

    overhang_mm: float = key(
        18.5, 10, 32, "how far the block stands out when it is let go; more than the grip"
    )
    spacing_mm: float = key(26.8, 25.0, 28.0, "between the middles of neighbouring blocks of a new layer")
    gap_mm: float = key(1.8, 0.5, 3.0, "least room to a neighbour that is there already")
    hover_mm: float = key(30.0, 15, 80, "height above the layer from which the block goes straight down")
    flush_speed_mm_s: float = key(2.0, 0.5, 10, "speed of pushing the block flush; faster, it drifts aside")
    flush_limit_n: float = key(1.2, 0.1, 3.0, "force limit of pushing the block flush")

    def habits(self) -> PlaceHabits:
        """In SI units."""
        return PlaceHabits(
            overhang_m=self.overhang_mm * MM,
            spacing_m=self.spacing_mm * MM,
            gap_m=self.gap_mm * MM,
            hover_m=self.hover_mm * MM,
            flush_speed_m_s=self.flush_speed_mm_s * MM,
            flush_limit_n=self.flush_limit_n,
        )
