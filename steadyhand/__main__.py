"""`python -m steadyhand`, and the `steadyhand` command."""

from __future__ import annotations

import sys

from robot.errors import BadInputError, SteadyhandError


def main() -> None:
    """Run the command line; errors become one line on standard error and an exit code."""
    from steadyhand.cli import app

    try:
        app()
    except BadInputError as error:
        sys.exit(_say(error, 2))
    except SteadyhandError as error:
        sys.exit(_say(error, 3))


def _say(error: SteadyhandError, code: int) -> int:
    sys.stderr.write(f"steadyhand: {error}\n")
    return code


if __name__ == "__main__":
    main()
