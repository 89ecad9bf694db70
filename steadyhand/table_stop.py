"""The stop pedal that the settings name, beside the space bar."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from steadyhand.stopping import HumanStop
from steadyhand.wire_settings import StopSettings


@contextmanager
def pedal_watched(settings: StopSettings, stop: HumanStop) -> Iterator[None]:
    """Take a tread, and a pedal that is lost, for a stop while the block runs; nothing where no port is named.

    Raises:
        DeviceError: The pedal is not there or not at rest: nothing is to move without it.
    """
    if not settings.port:
        yield
        return
    from hardware.stop import watched_pedal
    from hardware.transport import Port

    port = Port(settings.port, settings.baud)
    with watched_pedal(port, settings.pedal, stop.set, closed=settings.at_rest == "closed"):
        yield
