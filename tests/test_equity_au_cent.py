"""The chances at au cent against the game itself, played with a few known deals by a plain recursion."""

from __future__ import annotations

import copy
import functools
import itertools
import pickle
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from agents.pairs import make_players, play_parties
from piquet_env.equity import AuCentTable, au_cent_table, deal_scores, equity_of, pack_scores
from piquet_env.rules.variants import Rules

# Deals as their points come: role and points.
DEALS: tuple[tuple[tuple[int, int], ...], ...] = (
    ((0, 3), (1, 2), (0, 4)),
    ((1, 5), (0, 1), (1, 1)),
    ((0, 2), (1, 2)),
    ((0, 9), (1, 3)),
    ((1, 1), (0, 1), (1, 2), (0, 6)),
    ((0, 1), (1, 6), (0, 5)),
)


def write_record(path: Path) -> str:
    """A file that holds DEALS."""
    counts = np.zeros((3, 30, 30), dtype=np.int64)
    for deal in DEALS:
        score = [0, 0]
        for role, points in deal:
            for _ in range(points):
                score[role] += 1
                counts[1 + role, score[role], score[1 - role]] += 1
        counts[0, score[0], score[1]] += 1
    path.write_bytes(pack_scores(counts, {"version": "few", "pack": 32, "deals": len(DEALS)}))
    return str(path)


Way = tuple[tuple[int, int, int], Fraction]  # games won by both, who is elder next, and the chance


class PlainMatch:
    """Au cent with DEALS, drawn alike: exact chances by recursion over what can happen, seen from seat 0."""

    def __init__(self, target: int, lurch: int, games: int, stop: str) -> None:
        self.target, self.lurch, self.games, self.stop = target, lurch, games, stop
        self.match = functools.cache(self._match)
        self.game = functools.cache(self._game)

    def after_deal(self, totals: tuple[int, int], elder: int, deal: tuple[tuple[int, int], ...]) -> list[int]:
        now = list(totals)
        for role, points in deal:
            now[elder if role == 0 else 1 - elder] += points
            if self.stop == "immediate" and max(now) >= self.target:
                break
        return now

    def won(self, now: list[int]) -> tuple[int, int] | None:
        """Games that the deal has won, None if the game goes on."""
        if max(now) < self.target or now[0] == now[1]:
            return None
        winner = 0 if now[0] > now[1] else 1
        count = 2 if now[1 - winner] < self.lurch else 1
        return (count, 0) if winner == 0 else (0, count)

    def _game(
        self, totals: tuple[int, int], elder: int, depth: int
    ) -> tuple[tuple[tuple[int, int, int], Fraction], ...]:
        """The ways in which a game can end: games won by both, and who is elder next."""
        ways: dict[tuple[int, int, int], Fraction] = {}
        for deal in DEALS:
            now = self.after_deal(totals, elder, deal)
            won = self.won(now)
            ended: tuple[Way, ...] = ()
            if won is not None:
                ended = (((*won, 1 - elder), Fraction(1)),)
            elif depth < 25:  # level totals from the target on can go on for ever; the tail has no weight
                ended = self.game((now[0], now[1]), 1 - elder, depth + (max(now) >= self.target))
            for way, chance in ended:
                ways[way] = ways.get(way, Fraction(0)) + chance / len(DEALS)
        return tuple(ways.items())

    def _match(self, totals: tuple[int, int], games: tuple[int, int], elder: int) -> tuple[Fraction, Fraction]:
        """The expected difference in games, and the chance of the match."""
        worth = chance = Fraction(0)
        for (first, second, elder_next), weight in self.game(totals, elder, 0):
            now = games[0] + first, games[1] + second
            if max(now) >= self.games:
                after = Fraction(now[0] - now[1]), Fraction(int(now[0] > now[1]))
            else:
                after = self.match((0, 0), now, elder_next)
            worth, chance = worth + weight * after[0], chance + weight * after[1]
        return worth, chance


@pytest.mark.parametrize(
    ("target", "lurch", "games", "stop"),
    [
        (10, 5, 3, "immediate"),
        (10, 5, 3, "end_of_deal"),
        (12, 12, 1, "immediate"),
        (9, 0, 2, "end_of_deal"),
        (1, 1, 2, "immediate"),
    ],
)
def test_chances_are_those_of_the_game(tmp_path: Path, target: int, lurch: int, games: int, stop: str) -> None:
    table = au_cent_table(target, lurch, games, stop, version=write_record(tmp_path / "few.npz"))
    plain = PlainMatch(target, lurch, games, stop)
    totals = [(own, other) for own in range(target) for other in range(target)]
    if stop == "end_of_deal":
        totals += [(target, target), (target + 3, target + 3)]
    for (own, other), first, second, elder in itertools.product(totals, range(games), range(games), range(2)):
        worth, chance = plain.match((own, other), (first, second), elder)
        place = own, other, elder == 0, first, second
        assert table.expected_many(*place) == pytest.approx(float(worth), abs=1e-9)
        assert table.match_chances(*place) == pytest.approx(float(chance), abs=1e-9)
        won = sum(weight for way, weight in plain.game((own, other), elder, 0) if way[0] > way[1])
        assert table.game_chances(own, other, elder == 0) == pytest.approx(float(won), abs=1e-9)


@pytest.fixture(scope="module")
def table() -> AuCentTable:
    shipped = equity_of(Rules.of("au_cent"))
    assert isinstance(shipped, AuCentTable)
    return shipped


@pytest.mark.parametrize("name", ["au_cent", "au_cent au_cent_stop=end_of_deal", "au_cent_36"])
def test_outcomes_are_all_that_can_happen(name: str) -> None:
    table = equity_of(Rules.of(name))
    assert isinstance(table, AuCentTable)
    assert table.chances[:100, :100].sum(axis=-1) == pytest.approx(1, abs=1e-12)
    assert table.chances[100, 100].sum() == pytest.approx(1, abs=1e-12)
    assert (table.chances >= -1e-15).all()
    with pytest.raises(ValueError, match="read-only"):
        table.chances[0, 0, 0] = 1


def test_the_two_seats_see_opposite_values(table: AuCentTable) -> None:
    rng = np.random.default_rng(1)
    own, other = rng.integers(0, 100, (2, 2_000))
    games = rng.integers(0, 3, (2, 2_000))
    elder = rng.random(2_000) < 0.5
    seen = table.expected_many(own, other, elder, *games)
    assert seen == pytest.approx(-table.expected_many(other, own, ~elder, *games[::-1]), abs=1e-12)
    chances = table.match_chances(own, other, elder, *games)
    assert chances + table.match_chances(other, own, ~elder, *games[::-1]) == pytest.approx(1, abs=1e-12)
    assert table.expected_many(50, 50, True) > 0 > table.expected_many(50, 50, False)


def test_a_game_goes_on_as_the_mean_over_its_deals(table: AuCentTable) -> None:
    """The martingale: what a deal leaves, weighed by how often it does, is what the position was worth."""
    scores = deal_scores(table.version)
    for own, other in ((0, 0), (40, 70), (93, 12)):
        x, y = np.indices(scores.joint.shape)
        on = (own + x < 100) & (other + y < 100)
        going_on = (scores.joint[on] * table.game_chances(own + x[on], other + y[on], False)).sum()
        won = scores.elder_passage[100 - own, : 100 - other].sum()
        assert table.game_chances(own, other, True) == pytest.approx(going_on + won, abs=1e-12)


def test_the_last_points_decide(table: AuCentTable) -> None:
    assert table.game_chances(99, 0, True) > 0.97
    assert table.match_chances(99, 99, True, 2, 2) == table.game_chances(99, 99, True)
    assert table.expected_many(99, 49, True, 2, 0) > table.expected_many(99, 50, True, 2, 0)  # a lurch is near


@pytest.mark.slow
def test_parties_of_greedy_agree_with_the_start() -> None:
    """Greedy does not play to the score, so the only assumption of the table holds for it."""
    rules = Rules.of("au_cent first_dealer=1")
    players = make_players(("greedy", "greedy"), rules)
    paid = np.concatenate(
        [
            played.records["settlement"]
            for block in range(8)
            for played in play_parties(players, rules, 5, [(128 * block + row, 0) for row in range(128)])
        ]
    )
    error = paid.std() / np.sqrt(len(paid))
    assert paid.mean() == pytest.approx(equity_of(rules).expected_many(0, 0, True), abs=4 * error)


def test_tables_are_kept_and_shared_by_copies(table: AuCentTable) -> None:
    assert equity_of(Rules.of("au_cent")) is table
    assert copy.deepcopy(table) is table
    assert pickle.loads(pickle.dumps(table)) is table


def test_what_cannot_be_is_refused(table: AuCentTable) -> None:
    for changes, words in (
        ("target=300", "target must be 1 to 200; got 300"),
        ("games=30", "games must be 1 to 24; got 30"),
    ):
        with pytest.raises(ValueError, match=f"no table for these rules: {words}"):
            equity_of(Rules.of(f"au_cent {changes}"))
    with pytest.raises(ValueError, match="does not know the order of points"):
        equity_of(Rules.of("au_cent"), "v0-cavendish")
    with pytest.raises(ValueError, match="totals must be 0 to 99"):
        table.expected_many(100, 0, True)
    with pytest.raises(ValueError, match="totals must be 0 to 99"):
        table.expected_many(-1, 0, True)
    with pytest.raises(ValueError, match="games must be 0 to 2"):
        table.expected_many(0, 0, True, 3, 0)
