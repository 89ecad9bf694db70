"""A sync read of seven servos at 1 Mbps, beside dynamixel-sdk and rustypot: time against the wire's own, and CPU.

    python -m benchmarks.bus [--reads 300] [--rounds 7]

The emulated servos answer on pseudo-terminals from a process of their own, each packet when its last byte has gone over
a wire of that speed. The three take turns, round by round, so that what else the machine does hits all of them.
"""

from __future__ import annotations

import argparse
import contextlib
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

import dynamixel_sdk as sdk
import rustypot

from benchmarks.machine import describe
from hardware.dynamixel import OVERHEAD, DynamixelCodec
from hardware.dynamixel_bus import DynamixelBus
from hardware.emulated_bus import EmulatedBus, emulated_servo
from hardware.pseudo_terminal import PseudoTerminal
from hardware.tables import XL330
from hardware.transport import Port
from robot.clock import WallClock

BAUD = 1_000_000
IDS = list(range(1, 8))
READS = {"position, 4 bytes": (132, 4), "current, velocity and position, 10 bytes": (126, 10)}
OVER_WIRE, OVER_FASTER, OF_SDK_CPU = 1.10, 1.05, 0.10
OURS, SDK, RUSTYPOT = "steadyhand", "dynamixel-sdk", "rustypot"
Read = Callable[[int, int], bool]  # a sync read of an address and a length; whether all answers came


@dataclass
class Took:
    """Seconds and CPU seconds of each sync read, round by round."""

    wall_s: list[list[float]] = field(default_factory=list)
    cpu_s: list[float] = field(default_factory=list)
    failed: int = 0

    @property
    def round_s(self) -> list[float]:
        """Of a read, the median of each round."""
        return [statistics.median(times) for times in self.wall_s]

    @property
    def median_s(self) -> float:
        """Of a read, the median of the rounds."""
        return statistics.median(self.round_s)

    @property
    def median_cpu_s(self) -> float:
        """CPU seconds of a read, the median of the rounds."""
        return statistics.median(self.cpu_s)


def serve(n: int) -> None:
    """Serve buses on pseudo-terminals until standard input ends; prints their names."""
    with ExitStack() as stack:
        for _ in range(n):
            servos = [emulated_servo(XL330, number, settings={"return_delay": 0}) for number in IDS]
            terminal = PseudoTerminal(EmulatedBus(servos, WallClock()).answers, baud=BAUD)
            print(stack.enter_context(terminal).path, flush=True)
        sys.stdin.read()


@contextmanager
def served(n: int) -> Iterator[list[str]]:
    """Names of pseudo-terminals with seven servos each, in another process."""
    command = [sys.executable, "-m", "benchmarks.bus", "--serve", str(n)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield [process.stdout.readline().strip() for _ in range(n)]
        process.communicate()


def ours(port: Port) -> Read:
    bus = DynamixelBus(port)

    def read(address: int, length: int) -> bool:
        return all(reply.data is not None for reply in bus.sync_read(IDS, address, length).values())

    return read


def official(path: str) -> Read:
    port, handler = sdk.PortHandler(path), sdk.PacketHandler(2.0)
    port.setBaudRate(BAUD)
    readers: dict[tuple[int, int], sdk.GroupSyncRead] = {}

    def read(address: int, length: int) -> bool:
        if (address, length) not in readers:
            readers[address, length] = sdk.GroupSyncRead(port, handler, address, length)
            for servo in IDS:
                readers[address, length].addParam(servo)
        return bool(readers[address, length].txRxPacket() == sdk.COMM_SUCCESS)

    return read


def rusty(path: str) -> Read:
    controller = rustypot.Xl330PyController(path, BAUD, 1.0)
    controller.set_fast_sync_read(False)

    def read(address: int, length: int) -> bool:
        with contextlib.suppress(RuntimeError):
            return len(controller.sync_read_raw_data(IDS, address, length)) == len(IDS)
        return False

    return read


def measured(read: Read, address: int, length: int, n: int) -> tuple[list[float], int, float]:
    """Seconds of each whole read, how many were not whole, and CPU seconds of one."""
    times, cpu_s = [], time.process_time()
    for _ in range(n):
        begun = time.perf_counter()
        if read(address, length):
            times.append(time.perf_counter() - begun)
    return times, n - len(times), (time.process_time() - cpu_s) / n


def compared(readers: dict[str, Read], address: int, length: int, n: int, rounds: int) -> dict[str, Took]:
    took = {name: Took() for name in readers}
    for read in readers.values():
        measured(read, address, length, 20)
    for _ in range(rounds):
        for name, read in readers.items():
            times, failed, cpu_s = measured(read, address, length, n)
            took[name].wall_s.append(times)
            took[name].failed += failed
            took[name].cpu_s.append(cpu_s)
    return took


def wire_s(address: int, length: int) -> float:
    """How long question and answers take on the wire."""
    n_bytes = len(DynamixelCodec().sync_read(IDS, address, length)) + len(IDS) * (OVERHEAD + length)
    return n_bytes * 10 / BAUD


def told(what: str, value: float, most: float) -> bool:
    print(f"  {what}: {value:.3f}, allowed {most:g}: {'ok' if value <= most else 'MISSED'}")
    return value <= most


def report(what: str, wire: float, took: dict[str, Took]) -> bool:
    """Print one comparison; whether it keeps its targets."""
    print(f"\nsync read of {what} from {len(IDS)} servos, {wire * 1e3:.2f} ms on the wire at {BAUD} bps")
    for name, one in took.items():
        ranked = sorted(t for times in one.wall_s for t in times)
        late = ranked[int(0.99 * len(ranked))] * 1e3
        cpu = one.median_cpu_s * 1e6
        print(
            f"  {name:14} median {one.median_s * 1e3:.3f} ms, 99 % within {late:.2f} ms, CPU {cpu:.0f} us a read"
        )
    mine, theirs, rusts = (took[name].round_s for name in (OURS, SDK, RUSTYPOT))
    faster = [min(pair) for pair in zip(theirs, rusts, strict=True)]
    return all(
        [
            told("time over the wire's own", took[OURS].median_s / wire, OVER_WIRE),
            told("time over the faster of the two, round by round", ratio(mine, faster), OVER_FASTER),
            told(
                "CPU over dynamixel-sdk's, round by round",
                ratio(took[OURS].cpu_s, took[SDK].cpu_s),
                OF_SDK_CPU,
            ),
        ]
    )


def ratio(mine: list[float], theirs: list[float]) -> float:
    """What is typical of one over the other, each pair taken at about the same time."""
    return statistics.median(a / b for a, b in zip(mine, theirs, strict=True))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reads", type=int, default=300, help="a round and library")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--serve", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.serve)
        return 0
    print(f"machine: {describe()}")
    with served(3) as (mine, theirs, rusts), Port(mine) as port:
        readers = {OURS: ours(port), SDK: official(theirs), RUSTYPOT: rusty(rusts)}
        kept = [
            report(what, wire_s(*where), compared(readers, *where, options.reads, options.rounds))
            for what, where in READS.items()
        ]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
