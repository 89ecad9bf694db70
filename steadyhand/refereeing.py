"""What the commands `referee` and `rules` do: a record judged, explained, or followed as it grows.

Each function takes where to write and returns the exit code: 0 for any verdict, 2 for a record or an argument
that cannot be used. Nothing heavy is imported here, so that a verdict is there at once.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from planning.referee import positions
from planning.refusals import RefusalError
from robot.errors import BadInputError
from steadyhand.record_file import growing_lines, judge_file, open_record

DONE, BAD_INPUT = 0, 2
USAGE = "usage: python -m steadyhand.refereeing RECORD.jsonl [--explain | --follow]"


def referee(path: Path | str, out: TextIO, err: TextIO) -> int:
    """Write the verdict on a record as one JSON object."""
    return _refusing(path, err, lambda: _say(out, json.dumps(judge_file(path).verdict())))


def explain(path: Path | str, out: TextIO, err: TextIO) -> int:
    """Write the verdict on a record in plain words."""
    from steadyhand.explaining import explain as explained

    return _refusing(path, err, lambda: _say(out, explained(judge_file(path)).rstrip("\n")))


def rules(edition: str, language: str, out: TextIO, err: TextIO) -> int:
    """Write the rules of an edition for people."""
    from steadyhand.rules_text import rules_text

    return _refusing("", err, lambda: _say(out, rules_text(edition, language).rstrip("\n")))


def follow(
    path: Path | str,
    out: TextIO,
    err: TextIO,
    *,
    sleep: Callable[[float], None] = time.sleep,
    poll_s: float = 0.2,
    patience_s: float | None = None,
) -> int:
    """Write a verdict a line, one for each event of a record that may still be written.

    The events that stand there already come first. It ends with exit code 0 when the tower has ended, when
    nothing new came for `patience_s` (None: it waits for ever), at Ctrl-C, and when nobody reads on; with
    2 at a line that is refused, or where the record was shortened.
    """
    waiting = _Patience(sleep, poll_s, patience_s)
    try:
        return _refusing(path, err, lambda: _follow(path, out, waiting))
    except (KeyboardInterrupt, BrokenPipeError):
        return DONE


class _Patience:
    """Waits for a record to grow, for ever or for so long."""

    def __init__(self, sleep: Callable[[float], None], poll_s: float, patience_s: float | None) -> None:
        self._sleep, self._poll_s, self._patience_s = sleep, poll_s, patience_s
        self._waited_s = 0.0

    def wait(self) -> bool:
        """Wait for one poll; False when patience is out."""
        if self._patience_s is not None and self._waited_s >= self._patience_s:
            return False
        self._sleep(self._poll_s)
        self._waited_s += self._poll_s
        return True

    def renew(self) -> None:
        """Begin to wait anew: something came."""
        self._waited_s = 0.0


def _follow(path: Path | str, out: TextIO, waiting: _Patience) -> None:
    with open_record(path) as record:
        for number, game in enumerate(positions(growing_lines(record, waiting.wait))):
            waiting.renew()
            if number > 0:
                _say(out, json.dumps(game.verdict()))
                out.flush()
            if game.outcome is not None:
                return


def _say(out: TextIO, text: str) -> None:
    out.write(text + "\n")


def _refusing(path: Path | str, err: TextIO, work: Callable[[], None]) -> int:
    """Do the work; say on one line why it could not be done."""
    try:
        work()
    except RefusalError as error:
        _say(err, f"{path}: {error}")
    except BadInputError as error:
        _say(err, str(error))
    else:
        return DONE
    return BAD_INPUT


def main(arguments: list[str], out: TextIO, err: TextIO) -> int:
    """Run as a module: judge, explain or follow one record."""
    flags = [argument for argument in arguments if argument.startswith("--")]
    paths = [argument for argument in arguments if not argument.startswith("--")]
    command = {(): referee, ("--explain",): explain, ("--follow",): follow}.get(tuple(flags))
    if command is None or len(paths) != 1:
        _say(err, USAGE)
        return BAD_INPUT
    return command(paths[0], out, err)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], sys.stdout, sys.stderr))
