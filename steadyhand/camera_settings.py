"""The settings of one camera on the table: a section `[cameras.NAME]` for each."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from steadyhand.settings_section import Section


def _optional(low: float, high: float, text: str) -> Any:
    return Field(default=None, ge=low, le=high, description=f"{text}; left out, the device decides")


class CameraSettings(Section):
    """A camera on the table, by a name of your own."""

    device: str = Field(
        min_length=1,
        description="stable name under /dev/v4l/by-id or by-path; also a recorded video, an address, or the folder of "
        "`emulate --camera-link`",
    )
    calibration: str = Field(min_length=1, description="camera file with its lens and where it stands")
    fps: float | None = _optional(1, 240, "pictures a second")
    exposure_ms: float | None = _optional(0.1, 1000, "time of exposure")
    gain: float | None = _optional(0, 10_000, "in the device's own steps")
    focus: float | None = _optional(0, 10_000, "in the device's own steps")
    white_balance_k: float | None = _optional(1000, 20_000, "colour temperature of the light")
    delay_ms: float = Field(
        default=100.0,
        ge=0,
        le=2000,
        description="longest from the beginning of an exposure until the driver stamps the picture, or has it complete",
    )


# What stands in an example file under [cameras]; each key is explained below it.
_EXAMPLE = {
    "device": '"/dev/v4l/by-id/usb-MAKER_TYPE_SERIAL-video-index0"',
    "calibration": '"left.json"',
    "fps": "30",
    "exposure_ms": "10",
    "gain": "20",
    "focus": "35",
    "white_balance_k": "4500",
    "delay_ms": "100",
}


def example_lines() -> list[str]:
    """A section of one camera with every key and what it is for, as comments: there is no camera that everybody has."""
    lines = ["# [cameras.left]"]
    for key, info in CameraSettings.model_fields.items():
        bounds = {type(m).__name__: m for m in info.metadata}
        allowed = f" ({bounds['Ge'].ge:g} to {bounds['Le'].le:g})" if {"Ge", "Le"} <= bounds.keys() else ""
        lines += [f"# # {info.description}{allowed}", f"# {key} = {_EXAMPLE[key]}"]
    return lines
