from __future__ import annotations

from pathlib import Path

from robot.compiled import compiled, state_of


def sources(folder: Path, **texts: str) -> list[Path]:
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text)
    return list(folder.glob("*.py"))


def test_change_of_any_compiled_source_makes_another_state(tmp_path: Path) -> None:
    head = "from robot.compiled import compiled\n"
    before = state_of(sources(tmp_path, one=head, two=head + "a = 1\n", plain="b = 1\n"))
    assert state_of(sources(tmp_path, plain="b = 2\n")) == before
    assert state_of(sources(tmp_path, two=head + "a = 2\n")) != before
    assert state_of(sources(tmp_path, two=head + "a = 1\n")) == before


def test_compiled_function_says_what_it_said() -> None:
    @compiled
    def twice(number: int) -> int:
        return 2 * number

    assert twice(21) == 42
