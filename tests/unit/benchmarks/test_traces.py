"""Reading published probes of a real tower."""

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.traces import COLUMNS, peaks_n, read_heights_m, read_probes
from robot.errors import BadInputError


def row(
    block: int, force_n: object, height_mm: object = 112.0, action: object = 1, moved_mm: object = 0.1
) -> str:
    return f"run,{block},{force_n},{moved_mm},{height_mm},{action}"


def written(tmp_path: Path, *rows: str, header: str = ",".join(COLUMNS)) -> Path:
    path = tmp_path / "traces.csv"
    path.write_text("\n".join([header, *rows, ""]), encoding="utf-8")
    return path


def test_a_probe_is_its_rows(tmp_path: Path) -> None:
    rows = [row(1, 0.0), row(1, 0.3, moved_mm=0.7), row(1, 0.2, action=0)]
    (probe,) = read_probes(written(tmp_path, *rows))
    assert (probe.level, probe.peak_n, probe.extracted) == (7, 0.3, False)
    assert probe.moved_m == pytest.approx(0.7e-3)


def test_a_block_given_up_before_the_first_push_is_no_probe(tmp_path: Path) -> None:
    assert read_probes(written(tmp_path, row(1, 0.0, action=0), row(2, 0.0), row(2, 0.1))) != []
    assert read_probes(written(tmp_path, row(1, 0.0, action=0))) == []


def test_level_is_that_of_the_rows_after_the_first(tmp_path: Path) -> None:
    rows = [row(1, 0.0, 299.99), row(1, 0.1, 53.0), row(1, 0.1, 52.9)]
    assert read_probes(written(tmp_path, *rows))[0].level == 3


@pytest.mark.parametrize(
    "bad",
    [
        row(1, ""),
        row(1, "nan"),
        row(1, "inf"),
        row(1, "soft"),
        row(1, 0.1, height_mm=""),
        row(1, 0.1, action=2),
        row(1, 0.1, moved_mm="nan"),
        "run,1,0.1",
    ],
)
def test_a_bad_row_is_named(tmp_path: Path, bad: str) -> None:
    with pytest.raises(BadInputError, match=r"traces\.csv: line 3: "):
        read_probes(written(tmp_path, row(1, 0.0), bad))


def test_a_missing_column_or_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="no force_N"):
        read_probes(written(tmp_path, "run,1", header="run,block_run"))
    with pytest.raises(BadInputError, match="cannot be read"):
        read_probes(tmp_path / "none.csv")


def test_peaks_of_one_label(tmp_path: Path) -> None:
    rows = [text for k in range(11) for text in (row(k, 0.0), row(k, k / 10))]
    probes = read_probes(written(tmp_path, *rows))
    assert peaks_n(probes, extracted=True) == pytest.approx([0.1, 0.5, 0.9])
    assert np.isnan(peaks_n(probes, extracted=False)).all()


def test_heights_are_millimetres(tmp_path: Path) -> None:
    path = tmp_path / "sizes.json"
    path.write_text(
        json.dumps({"0": {"height": 14.76, "width": 25}, "1": {"height": 15.1}}), encoding="utf-8"
    )
    assert read_heights_m(path) == pytest.approx([0.01476, 0.0151])


@pytest.mark.parametrize("text", ["", "[1]", '{"0": 3}', '{"0": {"width": 1}}', '{"0": {"height": 0.0148}}'])
def test_sizes_that_are_none_are_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "sizes.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadInputError, match="block sizes"):
        read_heights_m(path)
