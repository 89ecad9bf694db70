"""Runs the project's Arduino sketches on this machine, against a board and an HX711 made of C++."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

SKETCHES = Path(__file__).parents[2] / "hardware" / "firmware"

# What a sketch asks of the Arduino core. Time passes by asking for it; the HX711 shifts a new value out every
# PERIOD_US and goes to sleep where the clock pin is high for longer than 60 us, as the chip does. Arguments: hx711 and
# values, or pedal and the times in ms at which its contact changes.
BOARD = r"""
#include <cstdio>
#include <cstdlib>
#define HIGH 1
#define LOW 0
#define INPUT 0
#define OUTPUT 1
#define INPUT_PULLUP 2
#define F(text) text
static const unsigned long long PERIOD_US = 12500;
static unsigned long long now_us = 0, clock_high_us = 0;
static int n_values, sent = 0, shifted = 0, clock_pin = LOW;
static char **values;
static bool contact_board = false;
static void pass(unsigned us) { now_us += us; }
static bool done() {
  if (contact_board) return now_us > 1000000;
  return sent >= n_values && now_us > n_values * PERIOD_US + 900000;
}
static bool ready() { return sent < n_values && now_us >= (sent + 1) * PERIOD_US; }
static unsigned long millis() { pass(4); return (unsigned long)(now_us / 1000); }
static void delayMicroseconds(unsigned us) { pass(us); }
static void noInterrupts() {}
static void interrupts() {}
static void pinMode(int, int) {}
static int digitalRead(int) {
  pass(4);
  if (contact_board) {
    bool open = false;
    for (int k = 0; k < n_values; k++) open ^= now_us >= 1000ULL * strtoul(values[k], 0, 10);
    return open ? HIGH : LOW;
  }
  if (shifted == 0) return ready() ? LOW : HIGH;
  if (shifted > 24) return HIGH;
  unsigned long raw = (unsigned long)strtol(values[sent], 0, 10) & 0xFFFFFFUL;
  return (raw >> (24 - shifted)) & 1UL;
}
static void digitalWrite(int, int level) {
  pass(4);
  if (level == HIGH && clock_pin == LOW) { clock_high_us = now_us; if (ready()) shifted++; }
  if (level == LOW && clock_pin == HIGH) {
    if (now_us - clock_high_us > 60) { fprintf(stderr, "HX711 asleep\n"); exit(3); }
    if (shifted == 25) { shifted = 0; sent++; }
  }
  clock_pin = level;
}
struct Port {
  void begin(unsigned long baud) { fprintf(stderr, "baud %lu\n", baud); }
  void print(unsigned long n) { printf("%lu", n); }
  void print(char c) { printf("%c", c); }
  void println(long n) { printf("%ld\r\n", n); }
  void println(const char *text) { printf("%s\r\n", text); }
};
static Port Serial;
void setup();
void loop();
int main(int argc, char **argv) {
  contact_board = argv[1][0] == 'p';
  n_values = argc - 2;
  values = argv + 2;
  setup();
  while (!done()) loop();
  return 0;
}
"""


def compiled(name: str, folder: Path) -> Path:
    """The sketch as a program; the test is skipped, aloud, where there is no compiler."""
    compiler = shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        pytest.skip("no C++ compiler here: the sketch is not tried")
    (folder / "board.h").write_text(BOARD)
    program = folder / name
    # The Arduino builder declares every function of a sketch at its top; here they are in an order that needs none.
    command = [compiler, "-std=c++11", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-x", "c++"]
    sketch = SKETCHES / name / f"{name}.ino"
    subprocess.run(
        [*command, "-include", str(folder / "board.h"), str(sketch), "-o", str(program)],
        check=True,
        timeout=120,
    )
    return program


def said(program: Path, *arguments: str) -> tuple[bytes, str]:
    """What it writes over its port, and at what baud."""
    run = subprocess.run([str(program), *arguments], check=True, capture_output=True, timeout=60)
    return run.stdout, run.stderr.decode()
