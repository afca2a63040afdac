"""The charts: every figure of a file is drawn, no two labels overlap, and a wrong file is one clear sentence."""

import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.__main__ import parse_arguments
from bench.batches import DTYPES, RULES_ALONE, SIZES, batch_series
from bench.chart import draw, draw_decisions, draw_parts, find_lines, find_parts, main, spread_labels
from bench.measure import DECISIONS, Result
from bench.parts import PARTS, UNIT, parts_group

matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is part of the extras `train` and `bench`")


def point(group: str, series: str, size: int, rate: float) -> Result:
    return Result(group, f"{series}, N = {size}", DECISIONS, (rate, 1.1 * rate, 0.9 * rate), "", (rate,), series, size)


LINES = [
    *(point("ours", RULES_ALONE, size, 1e7) for size in reversed(SIZES)),
    *(point("ours", batch_series(dtype), size, 3e6 * size / (size + 20)) for dtype in DTYPES for size in SIZES),
    *(point("PGX", "PGX bridge bidding", size, 2e5 * size / (size + 9)) for size in SIZES),
    *(point("OpenSpiel", f"OpenSpiel {game}, set_from", 1, 1.5e5) for game in ("skat", "bridge", "gin rummy")),
    *(point("RLCard", f"RLCard {game}", 1, 1.4e5) for game in ("Uno", "gin rummy")),
    *(point("PettingZoo", f"PettingZoo {game}", 1, 4e3) for game in ("Hanabi", "Leduc hold'em", "Texas hold'em")),
]
OTHERS = [
    Result("threads", "two threads", DECISIONS, (1.0,), "", (), "two threads", 4096),
    Result("PGX", "Leduc", DECISIONS, (), "not installed: skipped"),
    Result("single calls", "reset()", "microseconds", (70.0,), "", (70.0,)),
]
PARTS_MEASURED = [
    Result(parts_group(dtype), f"N = {size}: {part}", UNIT, (time,), series=part, size=size)
    for dtype in DTYPES
    for size in (64, 16384)
    for part, time in zip(PARTS, (90.0, -2.0, 300.0), strict=True)
]
CONTENT = {
    "machine": {"processor": "A Processor", "python": "CPython 3.11"},
    "results": [result.as_dict() for result in LINES + OTHERS + PARTS_MEASURED],
}


def texts_of(figure: Any) -> list[Any]:
    """The visible texts of a drawn figure, with their extents in pixels."""
    figure.canvas.draw()
    texts = [text for text in figure.findobj(matplotlib.text.Text) if text.get_visible() and text.get_text().strip()]
    return [(text.get_text(), text.get_window_extent()) for text in texts]


def test_lines_hold_the_medians_by_rising_size_and_leave_out_what_is_not_theirs() -> None:
    lines = {line.label: line for line in find_lines(LINES + OTHERS + PARTS_MEASURED)}
    assert len(lines) == 3 + 1 + 3 + 2 + 3
    assert lines[RULES_ALONE].sizes == SIZES
    assert lines["PGX bridge bidding"].rates[0] == pytest.approx(2e4)
    assert len({line.colour for line in lines.values()}) == 5


def test_parts_are_found_only_where_all_are_measured() -> None:
    found = find_parts(PARTS_MEASURED[:-1])
    assert list(found) == [("int8", 64), ("int8", 16384), ("float32", 64)]
    assert found["int8", 64] == (90.0, -2.0, 300.0)


def test_no_two_texts_overlap() -> None:
    for figure in (
        draw_decisions(find_lines(LINES), "A Processor"),
        draw_parts(find_parts(PARTS_MEASURED), "A Processor"),
    ):
        texts = texts_of(figure)
        assert len(texts) > 8
        for (first, where), (second, there) in itertools.combinations(texts, 2):
            assert not where.overlaps(there), (first, second)


def test_the_command_writes_png_and_svg_and_the_same_bytes_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "speeds.json"
    file.write_text(json.dumps(CONTENT), encoding="utf-8")
    assert main([str(file), "--output", str(tmp_path)]) == 0
    names = ["decisions.png", "decisions.svg", "parts.png", "parts.svg"]
    assert [Path(line).name for line in capsys.readouterr().out.splitlines()] == names
    written = {name: (tmp_path / name).read_bytes() for name in names}
    assert all(written[name].startswith(b"\x89PNG") for name in names[::2])
    assert all(b"<svg" in written[name] for name in names[1::2])
    draw(CONTENT, tmp_path)
    assert {name: (tmp_path / name).read_bytes() for name in names} == written


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "cannot be read"),
        ("{", "cannot be read"),
        ("[]", "is not what"),
        (json.dumps(CONTENT | {"results": []}), "no results that the charts show"),
        (json.dumps(CONTENT | {"results": [{"group": 3}]}), "the results cannot be read: KeyError: 'name'"),
        (json.dumps(CONTENT | {"machine": {}}), "the results cannot be read: KeyError: 'processor'"),
    ],
)
def test_a_wrong_file_is_one_clear_sentence(
    content: str | None, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "speeds.json"
    if content is not None:
        file.write_text(content, encoding="utf-8")
    assert main([str(file), "--output", str(tmp_path)]) == 2
    errors = capsys.readouterr().err
    assert said in errors
    assert errors.count("\n") == 1


def test_a_missing_folder_is_one_clear_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "speeds.json"
    file.write_text(json.dumps(CONTENT), encoding="utf-8")
    assert main([str(file), "--output", str(tmp_path / "none")]) == 2
    assert "there is no folder" in capsys.readouterr().err
    for option in ("--chart", "--output"):
        with pytest.raises(SystemExit, match="2"):
            parse_arguments([option, str(tmp_path / "none" / "below")])
        assert "there is no folder" in capsys.readouterr().err


def test_only_a_quick_run_leaves_the_neighbours_out_unasked() -> None:
    for arguments, expected in (
        ([], True),
        (["--quick"], False),
        (["--quick", "--neighbours"], True),
        (["--no-neighbours"], False),
    ):
        assert parse_arguments(arguments).neighbours is expected


@given(st.lists(st.floats(0, 1), max_size=20), st.floats(0.01, 0.1))
def test_labels_lie_apart_in_the_order_of_what_they_label(heights: list[float], gap: float) -> None:
    places = spread_labels(heights, gap)
    assert len(places) == len(heights)
    ordered = sorted(zip(heights, places, strict=True))
    for (_, below), (_, above) in itertools.pairwise(sorted(ordered, key=lambda pair: pair[1])):
        assert above - below > gap - 1e-9
    for (low, below), (high, above) in itertools.combinations(ordered, 2):
        assert low == high or below < above


def test_labels_with_room_stay_where_they_are() -> None:
    assert spread_labels([0.9, 0.1, 0.5], gap=0.1) == [0.9, 0.1, 0.5]
    assert spread_labels([0.5, 0.5], gap=0.1) == pytest.approx([0.45, 0.55])
