"""What all sections of the settings file have in common."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

MM = 1e-3


def key(default: float, low: float, high: float, text: str) -> Any:
    """A number with its default, its range and what it is for."""
    return Field(default=default, ge=low, le=high, description=text)


class Section(BaseModel):
    """A section: unknown keys, NaN and values of another type are refused."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, strict=True)
