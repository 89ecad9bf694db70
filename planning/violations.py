"""The rules that can be broken, and the breaches that a game has seen so far."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, get_args, overload

from planning.events import Event

Rule = Literal[
    "turn-order",
    "source-layer",
    "one-hand",
    "off-hand",
    "restore-first",
    "restore-hand",
    "no-testing",
    "retest",
    "put-back",
    "wrong-slot",
    "wrong-axis",
    "second-block",
    "relocate-top",
    "align-top",
    "brace",
    "turn-limit",
    "prompt-open",
    "material",
    "climb-count",
    "peg-in-block",
]
RULES: tuple[Rule, ...] = get_args(Rule)  # breaches of one event are listed in this order


@dataclass(frozen=True)
class Violation:
    """A rule that a player broke, when, and by which event."""

    t_s: float
    player: str
    rule: Rule
    event: Event

    def as_verdict(self) -> dict[str, object]:
        """Return the three keys that a verdict shows."""
        return {"t": self.t_s, "player": self.player, "rule": self.rule}


class Violations(Sequence[Violation]):
    """The breaches so far, in order; adding one returns a longer list and leaves this one as it is.

    Lists that grew from one another share their memory: each sees a beginning of the same store, so that a
    long record costs no copying. Only where two lists grow apart from the same one is anything copied.
    """

    __slots__ = ("_count", "_store")

    def __init__(self, store: list[Violation] | None = None) -> None:
        self._store: list[Violation] = [] if store is None else store
        self._count = len(self._store)

    def plus(self, new: Iterable[Violation]) -> Violations:
        """Return the list with these breaches at its end."""
        store = self._store if self._count == len(self._store) else self._store[: self._count]
        store.extend(new)
        return Violations(store)

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> Violation: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Violation, ...]: ...

    def __getitem__(self, index: int | slice) -> Violation | tuple[Violation, ...]:
        if isinstance(index, slice):
            return tuple(self._store[k] for k in range(*index.indices(self._count)))
        return self._store[range(self._count)[index]]

    def __iter__(self) -> Iterator[Violation]:
        return iter(self[:])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Violations) and self[:] == other[:]

    def __hash__(self) -> int:
        return hash(self[:])

    def __repr__(self) -> str:
        return f"Violations({list(self)!r})"
