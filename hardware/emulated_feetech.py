"""A Feetech STS without hardware: what its owners measured its firmware to do with its registers.

Never refuses, drops writes to stored registers while locked, switches its torque on by itself when a goal comes (so
feetech-cli found), tells its position less the offset, and has no watchdog.
"""

from __future__ import annotations

from hardware.emulated_servo import EmulatedServo, Glide, rad_of, ticks_of
from hardware.feetech import MULTI_TURN, RECENTRE
from hardware.tables import CENTRE, TICKS

_VOLTAGE, _HEAT = 0x01, 0x04
_POSITION, _WHEEL = 0, 1


class EmulatedFeetech(EmulatedServo):
    """One servo of the STS series."""

    size = 256

    def write(self, address: int, data: bytes) -> int:
        """Take what is not locked, and say nothing of the rest."""
        for offset, byte in enumerate(data):
            at = address + offset
            if at < self.size and self._takes(at):
                self.memory[at] = byte
        self._counts.clear()
        for register in self.table.registers.values():
            if register.end > address and register.address < address + len(data):
                self._act_on(register.name)
        return 0

    def error_byte(self, number: int) -> int:
        """The alarms; there are no error numbers."""
        del number
        return self.get("hardware_error")

    def answers(self, level: int) -> bool:
        """Writes only at status level 1."""
        return level < 2 or self.get("status_level") > 0

    def clear_turns(self) -> None:
        """It counts none."""

    def count_of(self, angle_rad: float) -> int:
        """Ticks less the offset, within one turn unless the phase counts turns."""
        ticks = ticks_of(angle_rad) - self.get("homing_offset")
        most = (1 << 15) - 1
        return max(-most, min(most, ticks)) if self.get("phase") & MULTI_TURN else ticks % TICKS

    def angle_of(self, count: int) -> float:
        """The angle of the horn for a goal."""
        ticks = count + self.get("homing_offset")
        return rad_of(ticks if self.get("phase") & MULTI_TURN else ticks % TICKS)

    def boot(self) -> None:
        """Start anew, locked, with the stored torque limit."""
        super().boot()
        self.put("torque_limit", self.get("max_torque"))
        self.put("goal_position", self.count_of(self.motor.position_rad()))

    def _takes(self, address: int) -> bool:
        if address < self.table.stored and self.get("lock"):
            return False
        known = [r for r in self.table.registers.values() if r.address <= address < r.end]
        return all(register.writable for register in known)

    def _act_on(self, name: str) -> None:
        if name == "torque_enable":
            self._switch()
        elif name == "goal_position" and self.get("operating_mode") == _POSITION:
            self._start()
        elif name == "profile_velocity" and self.get("operating_mode") == _WHEEL and self.torque:
            self._spin()

    def _switch(self) -> None:
        if self.get("torque_enable") == RECENTRE:
            offset = ticks_of(self.motor.position_rad()) % TICKS - CENTRE
            self.put("homing_offset", max(-CENTRE + 1, offset))
            self.put("torque_enable", 0)
        elif self.torque:
            if self.get("hardware_error") & self.get("shutdown"):
                self.put("torque_enable", 0)
                return
            self._glide = self._held()
            if self.get("operating_mode") == _POSITION:
                self._start()

    def _start(self) -> None:
        if self.get("hardware_error") & self.get("shutdown"):
            return
        if not self.torque:
            self._glide = self._held()
            self.put("torque_enable", 1)
        goal_rad, speed = self.angle_of(self._goal()), self.get("profile_velocity")
        start_rad = self._glide.at(self._now_s)[0]
        rate = abs(speed) * self.table["profile_velocity"].unit
        self._glide_to(goal_rad, abs(goal_rad - start_rad) / rate if rate else 0.0)

    def _goal(self) -> int:
        """The goal within the stored limits; both 0 means none."""
        low, high, goal = self.get("min_position"), self.get("max_position"), self.get("goal_position")
        return goal if low == high == 0 else max(low, min(high, goal))

    def _spin(self) -> None:
        here_rad = self._glide.at(self._now_s)[0]
        rate, endless_s = self.get("profile_velocity") * self.table["profile_velocity"].unit, 1e6
        self._glide = Glide(here_rad, here_rad + rate * endless_s, self._now_s, endless_s if rate else 0.0)

    def _limit_nm(self) -> float | None:
        return self.table.stall_nm * min(self.get("torque_limit"), self.get("max_torque")) / 1000

    def _check(self) -> None:
        """Unlike a Dynamixel's, an alarm ends with its reason."""
        reasons = 0
        volts = self.table["voltage"].to_counts(self.voltage_v)
        if not self.get("min_voltage") <= volts <= self.get("max_voltage"):
            reasons |= _VOLTAGE
        if self.temperature_c > self.get("temperature_limit"):
            reasons |= _HEAT
        self.put("hardware_error", self._alarms & ~(_VOLTAGE | _HEAT))
        if reasons:
            self.fail(reasons)
