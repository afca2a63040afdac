"""Advantages against the definition, written as sums over the rest of an episode by loops of its own."""

import numpy as np
import pytest

from agents.learned.advantages import MOST, explained_variance, generalised_advantages, normalise_by_group


def by_definition(rewards, values, last_values, ends, discount, trace):
    """Sum the discounted surprises of one partie from each decision to the end of its episode or of the rollout."""
    steps = len(rewards)
    surprises = []
    for step in range(steps):
        following = 0.0 if ends[step] else values[step + 1] if step + 1 < steps else last_values
        surprises.append(rewards[step] + discount * following - values[step])
    sums = []
    for step in range(steps):
        total, weight = 0.0, 1.0
        for later in range(step, steps):
            total += weight * surprises[later]
            if ends[later]:
                break
            weight *= discount * trace
        sums.append(total)
    return sums


@pytest.mark.parametrize(("discount", "trace"), [(1.0, 0.95), (0.98, 0.9), (1.0, 0.0), (1.0, 1.0)])
def test_advantages_are_the_sums_of_the_definition(discount: float, trace: float) -> None:
    rng = np.random.default_rng(3)
    shape = (40, 6)
    rewards, values = rng.normal(size=shape).astype(np.float32), rng.normal(size=shape).astype(np.float32)
    ends, last = rng.random(shape) < 0.15, rng.normal(size=6).astype(np.float32)
    mine = generalised_advantages(rewards, values, last, ends, discount, trace)
    for row in range(6):
        expected = by_definition(rewards[:, row], values[:, row], last[row], ends[:, row], discount, trace)
        assert mine[:, row] == pytest.approx(expected, abs=1e-5)


def test_the_seat_that_moves_twice_running_keeps_its_sign() -> None:
    # One deal: seat 0 leads, seat 1 wins the trick, leads and leads again, and the deal pays seat 0 two points.
    # The critic expects nothing; with lambda 1 all of it falls to every decision, and only the sign tells the seats.
    signs = np.array([1, -1, -1, -1, 1], dtype=np.float32)[:, None]
    rewards = np.array([0, 0, 0, 0, 2], dtype=np.float32)[:, None]
    ends = np.array([0, 0, 0, 0, 1], dtype=bool)[:, None]
    raw = generalised_advantages(rewards, np.zeros_like(rewards), np.zeros(1, np.float32), ends, 1.0, 1.0)
    assert (raw * signs).ravel().tolist() == [2, -2, -2, -2, 2]


def test_nothing_is_bootstrapped_across_an_end() -> None:
    values = np.array([[0.5], [100.0]], dtype=np.float32)
    rewards = np.array([[1.0], [0.0]], dtype=np.float32)
    ends = np.array([[True], [False]])
    raw = generalised_advantages(rewards, values, np.array([300.0], np.float32), ends, 1.0, 0.95)
    assert raw[0, 0] == 0.5  # the next deal's hundreds have no part in it
    assert raw[1, 0] == 200.0  # a deal that the rollout cuts is worth what the critic says


def test_groups_are_normalised_apart_and_small_ones_are_silent() -> None:
    rng = np.random.default_rng(5)
    groups = np.array([0] * 50 + [1] * 50 + [2] + [3] * 4)
    raw = np.concatenate([rng.normal(7, 3, 50), rng.normal(-2, 0.1, 50), [4.0], [1.0] * 4]).astype(np.float32)
    normalised = normalise_by_group(raw, groups, 5)
    for group in (0, 1):
        assert normalised[groups == group].mean() == pytest.approx(0, abs=1e-5)
        assert normalised[groups == group].std() == pytest.approx(1, abs=1e-5)
    assert (normalised[groups >= 2] == 0).all()
    assert np.isfinite(normalised).all()


def test_an_outlier_is_cut() -> None:
    raw = np.zeros(1000, dtype=np.float32)
    raw[0] = 1e6
    assert normalise_by_group(raw, np.zeros(1000, dtype=np.int64), 1).max() == MOST


def test_explained_variance() -> None:
    returns = np.array([1.0, 2.0, 3.0, 4.0])
    assert explained_variance(returns, returns) == 1
    assert explained_variance(np.zeros(4), returns) == 0
    assert np.isnan(explained_variance(np.zeros(4), np.ones(4)))
    assert np.isnan(explained_variance(np.zeros(0), np.zeros(0)))
