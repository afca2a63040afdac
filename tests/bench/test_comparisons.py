"""The ratios between the figures of a run, and the form in which results are kept."""

import json

import pytest

from bench.batches import RULES_ALONE, THREADED_SIZE, batch_series, thread_series
from bench.comparisons import compare, measure_memory
from bench.measure import DECISIONS, Result
from bench.neighbours.openspiel_games import loop_series, observed_series
from bench.rollouts import share_series
from piquet_env.rules.state import STATE_DTYPE


def result(series: str, size: int, *values: float) -> Result:
    return Result("a group", f"{series} {size}", DECISIONS, values, "a note", values, series, size)


RUN = [
    result(batch_series("int8"), 1, 400_000),
    *(result(batch_series("int8"), size, 4_000_000) for size in (64, 256, 4096, 8192)),
    result(batch_series("int8"), 1024, 2_900_000, 3_000_000, 9_000_000),
    result(batch_series("int8"), 16384, 3_200_000),
    *(result(batch_series("float32"), size, 2_000_000 + size) for size in (64, 256, 1024, 4096, 8192)),
    result(RULES_ALONE, 1024, 12_000_000),
    result(observed_series("skat"), 1, 150_000),
    result(loop_series("skat"), 1, 1_000_000),
    result(thread_series("int8", 1), THREADED_SIZE, 3_000_000),
    result(thread_series("int8", 2), THREADED_SIZE, 5_400_000),
    result(share_series("greedy"), 1024, 12.5),
]


def test_ratios_are_those_of_the_medians() -> None:
    found = {line.name: line.median for line in compare(RUN)}
    assert found == pytest.approx(
        {
            "int8, N = 1,024, over OpenSpiel's skat by set_from": 20,
            "rules alone, N = 1,024, over OpenSpiel's skat in C++": 12,
            "int8, the slowest N from 64 to 8,192": 3_000_000,
            "float32, the slowest N from 64 to 8,192": 2_000_064,
            "int8, N = 1": 400_000,
            "cost of a decision, int8: N = 16,384 over N = 64": 1.25,
            "two threads over one, int8, N = 4,096": 1.8,
            "share of PiquetVecEnv in rollouts": 12.5,
        }
    )


def test_what_lacks_a_figure_is_left_out() -> None:
    assert compare([]) == []
    assert compare([Result("a group", "a name", DECISIONS, (), "skipped", series=batch_series("int8"), size=1)]) == []
    names = {line.name for line in compare([line for line in RUN if line.series != observed_series("skat")])}
    assert len(names) == 7
    assert not any("set_from" in name for name in names)
    names = {line.name for line in compare([line for line in RUN if line.size != 256])}
    assert not any("slowest" in name for name in names)


@pytest.mark.parametrize(
    "kept",
    [RUN[4], Result("a group", "a name", "times", (1.5,)), Result("a group", "a name", DECISIONS, (), "skipped")],
)
def test_a_result_survives_its_file(kept: Result) -> None:
    assert Result.from_dict(json.loads(json.dumps(kept.as_dict()))) == kept


def test_the_bytes_of_a_game_hold_its_state_and_its_buffers() -> None:
    int8, float32 = (line.median for line in measure_memory() if line.unit == "bytes a game")
    least = STATE_DTYPE.itemsize + 787 + 140
    assert least < int8 < 2 * least
    assert float32 - int8 == pytest.approx(3 * 787, abs=64)
