"""A Dynamixel X without hardware: what the e-manual says its firmware does with its registers.

Where the manual is silent the unkinder behaviour is taken: switching torque on keeps the old goal, and does nothing
after a shutdown. Where it contradicts itself, profiles act in current-based position mode too. A profile has no
acceleration here.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from hardware.dynamixel import ALERT
from hardware.emulated_servo import EmulatedServo, Glide, rad_of, ticks_of
from hardware.registers import Register
from hardware.tables import CURRENT, CURRENT_POSITION, EXTENDED, POSITION, TICKS, VELOCITY

_FAIL_RANGE, _FAIL_LENGTH, _FAIL_LIMIT, _FAIL_ACCESS = 4, 5, 6, 7
_VOLTAGE, _HEAT = 0x01, 0x04
_REVERSE, _BY_TIME, _TORQUE_BY_GOAL = 0x01, 0x04, 0x08
_TRIPPED = -1
_NO_SHADOW = 253
_LIMITS = {
    "goal_pwm": "pwm_limit",
    "goal_current": "current_limit",
    "goal_velocity": "velocity_limit",
}
_GOALS = {*_LIMITS, "goal_position"}


class EmulatedDynamixel(EmulatedServo):
    """One servo of the X series."""

    size = 662
    boot_s = 0.3

    @property
    def shadows(self) -> int | None:
        """Whose orders it obeys too, without answering."""
        shadow = self.get("shadow_id")
        return shadow if shadow < _NO_SHADOW else None

    def read(self, address: int, length: int) -> tuple[int, bytes]:
        """Error number and bytes."""
        if address + length > self.size:
            return _FAIL_ACCESS, bytes(length)
        return super().read(address, length)

    def write(self, address: int, data: bytes) -> int:
        """Take bytes if all of them are allowed; the error number."""
        touched = self._touched(address, len(data))
        covered = sum(register.size for register in touched)
        if covered != len(data) or not touched:
            partly = covered > len(data)
            return _FAIL_LENGTH if partly else _FAIL_ACCESS
        counts = {
            register: register.decode(data[register.address - address : register.end - address])
            for register in touched
        }
        for register, count in counts.items():
            error = self._refused(register, count)
            if error:
                return error
        for register, count in counts.items():
            self.put(register.name, count)
            self._act_on(register.name)
        return 0

    def error_byte(self, number: int) -> int:
        """The error number, with the alert bit over it while register 70 tells an alarm."""
        return number | (ALERT if self.get("hardware_error") else 0)

    def answers(self, level: int) -> bool:
        """As its status level says."""
        return level <= self.get("status_level")

    def count_of(self, angle_rad: float) -> int:
        """Ticks since power-on within its turn, counted on from there, plus the homing offset."""
        return self._raw(angle_rad) - self._base + self._offset()

    def angle_of(self, count: int) -> float:
        """The angle of the horn for a goal."""
        return self._sense() * rad_of(count - self._offset() + self._base)

    def boot(self) -> None:
        """Start anew, within one turn."""
        self.clear_turns()
        super().boot()
        self._to_limits()
        self.put("goal_position", self.count_of(self.motor.position_rad()))

    def clear_turns(self) -> None:
        """Have the position within one turn."""
        self._base = self._raw(self.motor.position_rad()) // TICKS * TICKS

    def tick(self, now_s: float) -> None:
        """Go on to this moment, the bus watchdog first."""
        self._now_s = now_s
        watchdog = self.get("bus_watchdog")
        if (
            self.torque
            and watchdog > 0
            and now_s - self._heard_s > watchdog * self.table["bus_watchdog"].unit
        ):
            self.put("bus_watchdog", _TRIPPED)
            self.put("profile_velocity", 0)
            self.put("profile_acceleration", 0)
            self._glide = self._held()
        super().tick(now_s)

    def _offset(self) -> int:
        """In position mode more than a quarter turn is ignored."""
        offset = self.get("homing_offset")
        return 0 if self.get("operating_mode") == POSITION and abs(offset) > TICKS // 4 else offset

    def _raw(self, angle_rad: float) -> int:
        return ticks_of(self._sense() * angle_rad)

    def _sense(self) -> int:
        return -1 if self.get("drive_mode") & _REVERSE else 1

    def _touched(self, address: int, length: int) -> list[Register]:
        found = [r for r in self.table.registers.values() if r.end > address and r.address < address + length]
        return sorted(found, key=lambda register: register.address)

    def _refused(self, register: Register, count: int) -> int:
        """The error number of writing this, or 0."""
        if not register.writable or (register.address < self.table.stored and self.torque):
            return _FAIL_ACCESS
        if register.name in _GOALS and self.get("bus_watchdog") == _TRIPPED:
            return _FAIL_RANGE
        if not register.low <= count <= register.high or self._lacks(register, count):
            return _FAIL_RANGE
        return _FAIL_LIMIT if self._beyond_limit(register.name, count) else 0

    def _lacks(self, register: Register, count: int) -> bool:
        return register.name == "operating_mode" and count not in self.table.modes

    def _beyond_limit(self, name: str, count: int) -> bool:
        if name in _LIMITS:
            return abs(count) > self.get(_LIMITS[name])
        if name == "goal_position" and self.get("operating_mode") == POSITION:
            return not self.get("min_position") <= count <= self.get("max_position")
        return False

    def _act_on(self, name: str) -> None:
        mode = self.get("operating_mode")
        if name == "operating_mode":
            self._to_limits()
        elif name == "torque_enable":
            self._switch()
        elif name == "goal_position" and mode in (POSITION, EXTENDED, CURRENT_POSITION):
            if self.get("drive_mode") & _TORQUE_BY_GOAL and not self._shut_down():
                self.put("torque_enable", 1)
            self._start()
        elif name == "goal_velocity" and mode == VELOCITY:
            self._spin()
        elif name == "bus_watchdog":
            self._heard_s = self._now_s

    def _to_limits(self) -> None:
        """What a change of the mode resets."""
        self.put("profile_velocity", 0)
        self.put("profile_acceleration", 0)
        for goal, limit in (("goal_pwm", "pwm_limit"), ("goal_current", "current_limit")):
            if goal in self.table:
                self.put(goal, self.get(limit))

    def _switch(self) -> None:
        if self._shut_down():
            self.put("torque_enable", 0)
        elif self.torque:
            self._heard_s = self._now_s
            self._glide = self._held()
            if self.get("operating_mode") in (POSITION, EXTENDED, CURRENT_POSITION):
                self._start()

    def _shut_down(self) -> bool:
        return bool(self.get("hardware_error") & self.get("shutdown"))

    def _start(self) -> None:
        """Send the goal on its way, by time or by speed."""
        goal_rad, profile = self.angle_of(self.get("goal_position")), self.get("profile_velocity")
        if self.get("drive_mode") & _BY_TIME:
            self._glide_to(goal_rad, profile * 1e-3)
            return
        start_rad = self._glide.at(self._now_s)[0] if self.torque else self.motor.position_rad()
        speed = profile * self.table["profile_velocity"].unit
        self._glide_to(goal_rad, abs(goal_rad - start_rad) / speed if speed else 0.0)

    def _spin(self) -> None:
        """Velocity mode: a way so long that it does not end."""
        here_rad = self._glide.at(self._now_s)[0]
        rate = self._sense() * self.get("goal_velocity") * self.table["goal_velocity"].unit
        endless_s = 1e6
        self._glide = Glide(here_rad, here_rad + rate * endless_s, self._now_s, endless_s if rate else 0.0)

    def _limit_nm(self) -> float | None:
        """The torque that the current ceiling allows; of a servo without one, what its PWM ceiling does."""
        if self.table.torque_nm_per_a is None:
            return self.table.stall_nm * abs(self.get("goal_pwm")) / self.table["goal_pwm"].high
        bound = self.get("operating_mode") in (CURRENT, CURRENT_POSITION)
        register = self.table["goal_current" if bound else "current_limit"]
        ampere = abs(self.get(register.name)) * register.unit
        return min(self.table.stall_nm, self.table.torque_nm_per_a * max(0.0, ampere - self.table.friction_a))

    def _check(self) -> None:
        volts = self.table["voltage"].to_counts(self.voltage_v)
        if not self.get("min_voltage") <= volts <= self.get("max_voltage"):
            self.fail(_VOLTAGE)
        if self.temperature_c > self.get("temperature_limit"):
            self.fail(_HEAT)

    def _sensors(self) -> dict[str, Callable[[], int]]:
        return super()._sensors() | {
            "velocity_trajectory": lambda: self._clipped(
                "velocity_trajectory", self._sense() * self._glide.at(self._now_s)[1]
            ),
            "position_trajectory": lambda: self.count_of(self._glide.at(self._now_s)[0]),
            "tick": lambda: int(self._now_s * 1000) % 32768 if math.isfinite(self._now_s) else 0,
            "registered": lambda: int(self.registered is not None),
        }
