"""Each row draws from its own stream, whatever the batch."""

import numpy as np
import pytest

from agents.streams import Streams

pytestmark = pytest.mark.nojit

SEEDS = [0, 1, 7, 2**63 - 1, 2**64 - 1]


def test_a_row_draws_the_same_numbers_alone_and_in_any_batch() -> None:
    together = Streams(SEEDS)
    drawn = np.array([together.random(len(SEEDS)) for _ in range(20)])
    for row, seed in enumerate(SEEDS):
        alone = Streams([seed])
        assert [alone.random(1)[0] for _ in range(20)] == drawn[:, row].tolist()


def test_part_of_the_rows_draws_on() -> None:
    whole, parted = Streams(SEEDS), Streams(SEEDS)
    expected = np.array([whole.random(5) for _ in range(2)])
    first = parted.rows(np.array([3, 1]))
    assert first.random(2).tolist() == [expected[0, 3], expected[0, 1]]
    assert parted.random(5).tolist() == [expected[0, 0], expected[1, 1], expected[0, 2], expected[1, 3], expected[0, 4]]


def test_restoring_takes_numbers_back() -> None:
    streams = Streams(SEEDS).rows(np.array([2, 4]))
    saved = streams.save()
    first = streams.random(2).tolist()
    streams.restore(saved)
    assert streams.random(2).tolist() == first


def test_numbers_lie_below_one_and_spread() -> None:
    numbers = np.array([Streams(np.arange(1000)).random(1000) for _ in range(1)]).ravel()
    assert numbers.min() >= 0
    assert numbers.max() < 1
    assert abs(numbers.mean() - 0.5) < 0.05


def test_the_number_of_rows_must_agree() -> None:
    with pytest.raises(ValueError, match="5 rows"):
        Streams(SEEDS).random(4)
