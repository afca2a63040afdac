"""The equity table against the laws, direct summation and the figures of Cavendish's deals."""

from __future__ import annotations

import copy
import itertools
import pickle

import numpy as np
import numpy.typing as npt
import pytest

from piquet_env.equity import (
    CAVENDISH,
    ELDER_DEALS,
    YOUNGER_DEALS,
    EquityTable,
    deal_scores,
    equity_of,
    equity_table,
    rubicon,
    rubicon_settlement,
)
from piquet_env.rules.variants import Rules

Floats = npt.NDArray[np.float64]
Form = tuple[int, str, int, str]

GREEDY = "v1-greedy"
FORMS: list[Form] = [
    (6, "two_deals", 100, CAVENDISH),
    (6, "two_deals", 100, GREEDY),
    (6, "seventh_deal", 100, CAVENDISH),
    (6, "draw", 100, CAVENDISH),
    (4, "two_deals", 150, CAVENDISH),
    (4, "two_deals", 150, "v1-greedy-36"),
    (1, "draw", 0, CAVENDISH),
]


@pytest.fixture(scope="module")
def table() -> EquityTable:
    return equity_table()


def sum_over_deal(table: EquityTable, deals_played: int, own: int, other: int, own_is_elder: bool) -> float:
    """Phi before a deal from Phi after it, summed over both scores."""
    joint = deal_scores(table.version).joint
    scores = joint if own_is_elder else joint.T
    own_points, other_points = np.indices(scores.shape)
    after = table.expected_many(deals_played + 1, own + own_points, other + other_points, not own_is_elder)
    return float((scores * after).sum())


def distribution_after_six() -> Floats:
    """Own total (rows) by other total (columns) after six deals.

    Each seat is elder three times, so both totals have one distribution and are independent.
    """
    elder, younger = deal_scores(CAVENDISH).marginals
    two = np.convolve(elder, younger)
    six = np.convolve(np.convolve(two, two), two)
    return np.outer(six, six)


def distribution_with_extra_deals() -> Floats:
    """Own total by other total at the end of the partie, where two more deals follow equal totals."""
    two = np.convolve(*deal_scores(CAVENDISH).marginals)
    after_six = distribution_after_six()
    equal = np.diag(after_six)
    finished = np.pad(after_six - np.diag(equal), (0, len(two) - 1))
    for total, probability in enumerate(equal):
        finished[total : total + len(two), total : total + len(two)] += probability * np.outer(two, two)
    return finished


@pytest.mark.parametrize(
    ("own", "other", "line", "paid"),
    [
        (150, 120, 100, 130),  # both home: 100 and the difference
        (150, 100, 100, 150),  # exactly 100 is safe
        (150, 99, 100, 349),  # rubiconed: 100 and the sum
        (99, 80, 100, 279),  # also where the winner is below the line
        (120, 120, 100, 0),
        (0, 0, 100, 0),
        (150, 120, 150, 370),
    ],
)
def test_settlement_follows_the_laws(own: int, other: int, line: int, paid: int) -> None:
    assert rubicon_settlement(own, other, line) == paid
    assert rubicon_settlement(other, own, line) == -paid


def test_deal_scores_are_cavendishs() -> None:
    elder, younger = deal_scores(CAVENDISH).marginals
    points = np.arange(151)
    for scores, bins in ((elder, ELDER_DEALS), (younger, YOUNGER_DEALS)):
        assert sum(bins) == 10_000
        assert scores.shape == points.shape
        assert scores.sum() == pytest.approx(1, abs=1e-12)
    assert elder @ points == pytest.approx(33.1, abs=0.1)
    assert younger @ points == pytest.approx(17.9, abs=0.1)
    # Cavendish's even chances are 28 and 14; the even spread within a bin moves them a little.
    assert elder[28:].sum() == pytest.approx(0.5, abs=0.05)
    assert younger[14:].sum() == pytest.approx(0.5, abs=0.05)


def test_values_have_the_documented_form(table: EquityTable) -> None:
    assert table.version == CAVENDISH == "v0-cavendish"
    assert table.values.shape == (9, 401, 401)
    assert table.values.dtype == np.float64
    assert table.last_deal == 8
    with pytest.raises(ValueError, match="read-only"):
        table.values[0, 0, 0] = 1.0


@pytest.mark.parametrize("form", FORMS)
def test_the_two_seats_see_opposite_values(form: Form) -> None:
    table = equity_table(*form)
    rng = np.random.default_rng(1)
    own, other = rng.integers(0, 900, (2, 5_000))
    played = rng.integers(0, table.last_deal + 1, 5_000)
    elder = rng.random(5_000) < 0.5
    seen = table.expected_many(played, own, other, elder)
    seen_opposite = table.expected_many(played, other, own, ~elder)
    np.testing.assert_allclose(seen, -seen_opposite, rtol=0, atol=1e-9)


@pytest.mark.parametrize("form", FORMS)
def test_the_end_is_the_exact_settlement(form: Form) -> None:
    deals, _, line, _ = form
    table = equity_table(*form)
    totals = [0, line - 1, line, line + 1, line + 299, line + 300, line + 301, 777, 2_000]
    for own, other in itertools.product((total for total in totals if total >= 0), repeat=2):
        settlement = rubicon_settlement(own, other, line)
        for elder in (True, False):
            assert table.expected(table.last_deal, own, other, elder) == settlement
            if own != other:
                assert table.expected(deals, own, other, elder) == settlement


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("totals", [(85, 85), (99, 100), (100, 99), (130, 70), (20, 140), (390, 395)])
def test_each_deal_is_the_mean_over_its_scores(form: Form, totals: tuple[int, int]) -> None:
    """The martingale: what a deal leaves is on the mean what the position was worth, in any layer."""
    table = equity_table(*form)
    for played in {0, table.deals // 2, table.deals - 1}:
        for elder in (True, False):
            assert table.expected(played, *totals, elder) == pytest.approx(
                sum_over_deal(table, played, *totals, elder), abs=1e-8
            )


def test_a_tie_is_worth_its_extra_deals(table: EquityTable) -> None:
    for total in (60, 95, 140):
        seventh = equity_table(tie_break="seventh_deal")
        assert table.expected(6, total, total, True) == pytest.approx(sum_over_deal(table, 6, total, total, True))
        assert seventh.expected(6, total, total, True) == pytest.approx(sum_over_deal(seventh, 6, total, total, True))
        assert seventh.expected(6, total, total, True) > 0
        assert equity_table(tie_break="draw").expected(6, total, total, True) == 0
        assert table.expected(8, total, total, True) == 0


def test_the_edge_of_the_grid_hardly_matters(table: EquityTable) -> None:
    """A wider grid gives the same values, nearly exactly where the totals can be reached."""
    wide = rubicon._build_table(6, "two_deals", 100, CAVENDISH, 700)
    size = table.values.shape[1]
    for played, narrow in enumerate(table.values):
        error = np.abs(wide.values[played, :size, :size] - narrow)
        reached = 170 * played + 1
        assert error.max() < 0.011
        assert error[:reached, :reached].max() < 1e-4


def test_beyond_the_grid_a_point_won_is_a_point_paid(table: EquityTable) -> None:
    assert table.expected(3, 450, 60, True) == pytest.approx(table.expected(3, 400, 60, True) + 50)
    assert table.expected(3, 60, 450, True) == pytest.approx(table.expected(3, 60, 400, True) - 50)
    assert table.expected(3, 1_480, 1_450, True) == pytest.approx(table.expected(3, 400, 370, True))


def test_whole_partie_has_cavendishs_statistics(table: EquityTable) -> None:
    finished = distribution_with_extra_deals()
    own, other = np.indices(finished.shape)
    paid = table.expected_many(table.last_deal, own, other, True)
    rubicon = (np.minimum(own, other) < 100) & (own != other)
    assert finished.sum() == pytest.approx(1, abs=1e-9)
    assert 190 < (finished * np.abs(paid)).sum() < 200  # Cavendish: a partie averages 200
    assert 0.22 < finished[rubicon].sum() < 0.24  # Cavendish: 7 to 2 against a rubicon
    assert np.sqrt((finished * paid**2).sum()) == pytest.approx(216, abs=1)
    assert table.expected(0, 0, 0, True) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("advantage", [1, 30, 100])
def test_the_first_layer_equals_the_whole_partie(advantage: int) -> None:
    table = equity_table(tie_break="draw")
    after_six = distribution_after_six()
    own, other = np.indices(after_six.shape)
    mean = (after_six * table.expected_many(6, own + advantage, other, True)).sum()
    assert table.expected(0, advantage, 0, True) == pytest.approx(mean, abs=1e-3)


def test_simulated_parties_agree_with_the_start(table: EquityTable) -> None:
    rng = np.random.default_rng(20)
    elder, younger = deal_scores(CAVENDISH).marginals
    parties = 40_000
    own, other = np.full(parties, 40), np.full(parties, 60)
    for deal in range(1, 6):
        elder_scores = rng.choice(151, parties, p=elder)
        younger_scores = rng.choice(151, parties, p=younger)
        own += younger_scores if deal % 2 else elder_scores
        other += elder_scores if deal % 2 else younger_scores
    paid = table.expected_many(6, own, other, True)
    standard_error = paid.std() / np.sqrt(parties)
    assert table.expected(1, 40, 60, False) == pytest.approx(paid.mean(), abs=4 * standard_error)


@pytest.mark.parametrize(
    ("own", "other", "elder", "per_own_point", "per_other_point"),
    [
        (85, 85, False, 9.5, -7.8),
        (85, 85, True, 7.8, -9.5),
        (110, 110, True, 4.3, -4.3),
        (130, 70, False, 1.5, -5.4),
        (20, 140, False, -0.95, -1.0),  # beyond saving: one's own points are paid to the winner
    ],
)
def test_slopes_of_the_last_deal(
    table: EquityTable, own: int, other: int, elder: bool, per_own_point: float, per_other_point: float
) -> None:
    above, below = table.expected(5, own + 5, other, elder), table.expected(5, own - 5, other, elder)
    assert (above - below) / 10 == pytest.approx(per_own_point, abs=0.06)
    above, below = table.expected(5, own, other + 5, elder), table.expected(5, own, other - 5, elder)
    assert (above - below) / 10 == pytest.approx(per_other_point, abs=0.06)


@pytest.mark.parametrize(("deals_played", "value"), [(1, -47), (3, -56), (5, -60)])
def test_value_of_being_younger_next_at_equal_scores(table: EquityTable, deals_played: int, value: float) -> None:
    total = 20 * deals_played
    assert table.expected(deals_played, total, total, False) == pytest.approx(value, abs=3)


def test_arrays_broadcast_and_equal_the_scalar_form(table: EquityTable) -> None:
    own = np.array([[10, 120, 500]], dtype=np.int16)
    played = np.array([[0], [5]])
    values = table.expected_many(played, own, 90, [[True], [False]])
    assert values.shape == (2, 3)
    assert values.dtype == np.float64
    assert values[1, 2] == table.expected(5, 500, 90, False)
    assert table.expected_many(np.zeros(0, dtype=np.int64), 0, 0, True).shape == (0,)


def test_tables_are_kept_and_shared_by_copies(table: EquityTable) -> None:
    assert equity_table(6, "two_deals", rubicon_line=100) is table
    assert copy.deepcopy(table) is table
    assert pickle.loads(pickle.dumps(table)) is table
    assert equity_table(tie_break="draw") is not table
    other = equity_table(version=GREEDY)
    assert other is not table
    assert pickle.loads(pickle.dumps(other)) is other


def test_rules_choose_their_table() -> None:
    assert equity_of(Rules.of("rubicon")) is equity_table()
    assert equity_of(Rules.of("cavendish"), GREEDY) is equity_table(version=GREEDY)
    assert equity_of(Rules.of("rubicon pack=36 tie_break=draw")).version == "v1-greedy-36"
    with pytest.raises(ValueError, match="'v0-cavendish' is for 32 cards, not for 36"):
        equity_of(Rules.of("rubicon pack=36"), CAVENDISH)
    with pytest.raises(ValueError, match="no table for these rules: deals must be 1 to 24; got 30"):
        equity_of(Rules.of("rubicon deals=30"))


def test_arguments_out_of_range_are_refused(table: EquityTable) -> None:
    with pytest.raises(ValueError, match="tie_break must be one of two_deals, seventh_deal, draw; got 'coin'"):
        equity_table(tie_break="coin")
    with pytest.raises(ValueError, match="deals must be 1 to 24; got 0"):
        equity_table(deals=0)
    with pytest.raises(ValueError, match="rubicon_line must be 0 to 1000; got -1"):
        equity_table(rubicon_line=-1)
    with pytest.raises(ValueError, match="deals_played must be 0 to 8; got 9 to 9"):
        table.expected(9, 0, 0, True)
    with pytest.raises(ValueError, match="totals must be 0 or more; got -3"):
        table.expected_many([0, 1], [5, -3], [0, 0], True)
    with pytest.raises(TypeError):
        table.expected_many(0, 1.5, 0, True)
