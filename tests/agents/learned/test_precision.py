"""Which precision `auto` takes: by what the processor has, and by what was measured."""

import pytest

pytest.importorskip("torch")

from agents.learned.precision import TURNS, best_precision, time_layers


@pytest.mark.parametrize(
    ("has", "full", "half", "expected"),
    [
        (True, 1.3, 1.0, "bfloat16"),
        (True, 1.1, 1.0, "float32"),  # a gain, but too small a one
        (True, 0.5, 1.0, "float32"),
        (False, 9.0, 1.0, "float32"),
    ],
)
def test_bfloat16_is_taken_where_it_is_there_and_gains(has: bool, full: float, half: float, expected: str) -> None:
    asked = []

    def measure(precision: str, rows: int, units: int) -> float:
        asked.append((precision, rows, units))
        slow = 1.0 + (len(asked) == 2)  # a moment in which the machine was busy
        return slow * (half if precision == "bfloat16" else full)

    assert best_precision(300, 40, has_bfloat16=lambda: has, measure=measure) == expected
    assert set(asked) == ({("float32", 300, 40), ("bfloat16", 300, 40)} if has else set())


def test_it_is_measured_once_a_process() -> None:
    asked = []

    def has_bfloat16() -> bool:
        return True

    def measure(precision: str, rows: int, units: int) -> float:
        asked.append((precision, rows, units))
        return 1.0

    for _ in range(3):
        best_precision(300, 40, has_bfloat16=has_bfloat16, measure=measure)
    assert len(asked) == 2 * TURNS


def test_layers_take_some_time_in_either_precision() -> None:
    assert time_layers("float32", 64, 16) > 0
    assert time_layers("bfloat16", 64, 16) > 0
