"""Parties that begin inside a partie: where, in which rows, and that they go on after a restore."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("sb3_contrib")

from agents.learned.inside import ASIDE, NEAR, InsideStarts  # noqa: E402
from agents.learned.objective import Objective  # noqa: E402
from agents.learned.parties import SelfPlayParties  # noqa: E402
from piquet_env import Rules  # noqa: E402
from piquet_env.equity import equity_of  # noqa: E402

PARTIES = 64
EVERY = np.arange(PARTIES)


def make(inside: float, rules: str = "rubicon", reward: str = "equity") -> SelfPlayParties:
    parties = SelfPlayParties(PARTIES, rules, Objective(reward), seed=9, inside=inside)
    parties.reset()
    return parties


def play(parties: SelfPlayParties, steps: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Play by chance; return where parties ended and what was paid, [steps, N] each."""
    rng = np.random.default_rng(seed)
    ended, paid = [], []
    for _ in range(steps):
        masks = parties.action_masks()
        parties.step_async((rng.random(masks.shape) * masks).argmax(axis=1))
        paid.append(parties.step_wait()[1])
        ended.append(parties.batch.buffers.terminated.copy())
    return np.array(ended), np.array(paid)


def firsts(parties: SelfPlayParties, parts: int = 300) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return rows, deal numbers, totals and dealers of parties as they begin."""
    found: list[tuple[np.ndarray, ...]] = []
    for part in range(parts):
        ended, _ = play(parties, 1, seed=part)
        rows = np.flatnonzero(ended[0])
        states = parties.batch.states(rows)
        found.append((rows, states["deal_number"], states["totals"], states["dealer"]))
    rows, numbers, totals, dealers = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
    return rows, numbers, totals, dealers


def test_a_share_of_the_rows_begins_inside_half_of_it_near_the_line() -> None:
    parties = make(0.25)
    rows, numbers, totals, dealers = firsts(parties)
    inside = np.isin(rows, parties._inside.rows)
    assert len(parties._inside.rows) == PARTIES // 4
    assert (totals[~inside] == 0).all()
    assert (numbers[~inside] <= 1).all()
    assert np.count_nonzero(inside) > 50
    near = (numbers == 6) & (np.abs(totals - 100) <= NEAR).all(axis=1)
    assert 0.35 < near[inside].mean() < 0.75
    beside = inside & ~near
    assert (numbers[beside] > 1).all()
    assert len(set(numbers[beside].tolist())) >= 4
    assert totals[beside].mean() < 100 - NEAR / 2
    assert set(dealers[inside].tolist()) == {0, 1}


def test_the_others_begin_beside_a_row_that_is_being_played() -> None:
    parties = make(0.5)
    play(parties, 120)
    states = parties.batch.states(EVERY)
    met = {(int(state["deal_number"]), int(state["dealer"])): [] for state in states}
    for state in states:
        met[int(state["deal_number"]), int(state["dealer"])].append(state["totals"])
    parties._inside.begin(parties.batch)
    parties.batch.reset_rows(parties._inside.rows)
    begun, count = parties.batch.states(parties._inside.rows), 0
    for state in begun:
        totals, place = state["totals"], (int(state["deal_number"]), int(state["dealer"]))
        if place[0] == 6 and (np.abs(totals - 100) <= NEAR).all():
            continue
        count += 1
        assert min(np.abs(totals - other).max() for other in met[place]) <= ASIDE
    assert count > 5


def test_equity_is_paid_from_there() -> None:
    parties = make(1.0)
    table = equity_of(Rules())
    assert table is not None
    before = parties.batch.states(EVERY)
    ended, paid = play(parties, 1)
    for step in range(400):
        row = np.flatnonzero(ended[0] & (before["deals_ended"] == 0))  # a partie of one deal
        if len(row):
            break
        before = parties.batch.states(EVERY)
        ended, paid = play(parties, 1, seed=step)
    place = int(row[0])
    state = before[place]
    facts = [np.array([fact]) for fact in (state["deal_number"] - 1, state["totals"], state["games"])]
    expected = table.seat_values(*facts, np.array([state["dealer"] == 1]))[0]
    settlement = parties.batch.finals.settlement[place]
    assert paid[0, place] == pytest.approx(0.01 * (settlement - expected), abs=1e-4)


def test_a_restored_table_goes_on() -> None:
    parties, twin = make(0.5), make(0.5)
    play(parties, 150)
    twin.restore(parties.snapshot())
    for mine, theirs in zip(play(parties, 200, seed=3), play(twin, 200, seed=3), strict=True):
        assert np.array_equal(mine, theirs)
    assert np.array_equal(parties.batch.states(EVERY), twin.batch.states(EVERY))


def test_a_reset_begins_the_same_again() -> None:
    parties, other = make(0.5), make(0.5)
    first = parties.look()
    play(parties, 150)
    assert np.array_equal(parties.reset(), first)
    for mine, theirs in zip(play(parties, 150), play(other, 150), strict=True):
        assert np.array_equal(mine, theirs)
    other.seed(10)  # a learner's seed is not that of the decks
    assert np.array_equal(other.reset(), first)
    another = SelfPlayParties(PARTIES, "rubicon", Objective("equity"), seed=10, inside=0.5)
    assert not np.array_equal(another.reset(), first)
    assert not np.array_equal(other.batch.totals(EVERY), another.batch.totals(EVERY))


def test_rows_no_longer_inside_begin_at_nothing() -> None:
    parties, twin = make(1.0), make(0.0)
    twin.restore(parties.snapshot())
    twin.batch.reset_rows(EVERY)
    assert not twin.batch.totals(EVERY).any()


def test_there_is_no_inside_in_au_cent() -> None:
    with pytest.raises(ValueError, match="not in au cent"):
        make(0.5, rules="au_cent", reward="deal_points")
    assert len(InsideStarts(8, Rules.of("au_cent"), 0.0, 1).rows) == 0


def test_parties_of_one_deal_begin_near_the_line() -> None:
    parties = make(1.0, rules="rubicon deals=1", reward="settlement")
    _, numbers, totals, _ = firsts(parties, 60)
    assert (numbers == 1).all()
    assert (np.abs(totals - 100) <= NEAR).all()
