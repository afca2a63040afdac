"""The equity of a match at au cent: the chances of the game and of the match from totals and games.

A game is played in deals until a total comes to the target, and the match until a seat has won enough games; a loser
below the lurch loses a double game. The expectation in games, the winner's less the loser's at the end of the match, is
the unit of the settlement at au cent.

The chances of a game are summed backwards over its totals, from a record of deals that knows the order of points
(piquet_env/equity/scores.py): under `au_cent_stop="immediate"` the game goes to whoever comes to the target first in
the order of reckoning, and what the loser has at that moment decides whether it is a double game. Both are exact for
deals scored like those of the record; that players play to the score is left out.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .scores import DealScores, deal_scores

MAX_TARGET = 200
MAX_GAMES = 24

# How a game can end, from the seat that is elder in the next deal: it is won (0) or lost (1), single (0) or double (1),
# and in the first deal of the next game this seat is elder (0) or younger (1).
OUTCOMES = tuple((lost, double, younger) for lost in range(2) for double in range(2) for younger in range(2))
_MIRROR = [OUTCOMES.index((1 - lost, double, 1 - younger)) for lost, double, younger in OUTCOMES]

_Floats = npt.NDArray[np.float64]
_Ints = npt.NDArray[np.int64]


def au_cent_table(
    target: int = 100, lurch: int = 50, games: int = 3, stop: str = "immediate", *, version: str
) -> AuCentTable:
    """Return the table of a form of au cent; tables are built once and kept.

    target:  points that win a game, 1 to 200
    lurch:   points below which the loser loses a double game, 0 to target
    games:   games that win the match, 1 to 24
    stop:    "immediate" or "end_of_deal"
    version: of the record of deals (see `deal_scores`)
    Raises ValueError if an argument is outside its range, or the record does not know the order of points.
    """
    if not 1 <= target <= MAX_TARGET:
        raise ValueError(f"target must be 1 to {MAX_TARGET}; got {target}")
    if not 0 <= lurch <= target:
        raise ValueError(f"lurch must be 0 to {target}; got {lurch}")
    if not 1 <= games <= MAX_GAMES:
        raise ValueError(f"games must be 1 to {MAX_GAMES}; got {games}")
    if stop not in ("immediate", "end_of_deal"):
        raise ValueError(f"stop must be immediate or end_of_deal; got {stop!r}")
    if deal_scores(version).elder_passage is None:
        raise ValueError(f"the table {version!r} does not know the order of points, which au cent needs")
    return _build_table(target, lurch, games, stop, version)


@dataclass(frozen=True, eq=False, slots=True)
class AuCentTable:
    """The chances of a match, seen from a seat between two deals.

    chances: float64[target + 1, target + 1, 8], read-only: of each of OUTCOMES for the seat that is elder in the next
             deal, by its total and the other's. The last cell of the diagonal stands for equal totals from the target
             on; the rest of the last row and column is not used.
    games_after, matches_after: float64[games, games, 8], read-only: what an outcome of the game is worth to that seat,
             by games won before, in games and as the chance of the match
    """

    version: str
    target: int
    lurch: int
    games: int
    stop: str
    chances: _Floats
    games_after: _Floats
    matches_after: _Floats

    def expected_many(
        self,
        own: npt.ArrayLike,
        other: npt.ArrayLike,
        own_is_elder_next: npt.ArrayLike,
        own_games: npt.ArrayLike = 0,
        other_games: npt.ArrayLike = 0,
    ) -> _Floats:
        """Return the expected settlement of a seat in games, float64 of the arguments' broadcast shape.

        own, other:             totals of the game, below the target, or equal
        own_is_elder_next:      true where the seat is elder in the next deal
        own_games, other_games: games won before, fewer than end the match
        Raises ValueError if a number is out of range.
        """
        elder = np.asarray(own_is_elder_next, dtype=np.bool_)
        value = self._weigh(self.games_after, own, other, elder, own_games, other_games)
        return np.asarray(np.where(elder, value, -value), dtype=np.float64)

    def match_chances(
        self,
        own: npt.ArrayLike,
        other: npt.ArrayLike,
        own_is_elder_next: npt.ArrayLike,
        own_games: npt.ArrayLike = 0,
        other_games: npt.ArrayLike = 0,
    ) -> _Floats:
        """Return the chance that a seat wins the match; arguments as in `expected_many`."""
        elder = np.asarray(own_is_elder_next, dtype=np.bool_)
        chance = self._weigh(self.matches_after, own, other, elder, own_games, other_games)
        return np.asarray(np.where(elder, chance, 1 - chance), dtype=np.float64)

    def game_chances(self, own: npt.ArrayLike, other: npt.ArrayLike, own_is_elder_next: npt.ArrayLike) -> _Floats:
        """Return the chance that a seat wins the game; arguments as in `expected_many`."""
        elder = np.asarray(own_is_elder_next, dtype=np.bool_)
        won = np.broadcast_to([1.0 - lost for lost, _, _ in OUTCOMES], self.games_after.shape)
        chance = self._weigh(won, own, other, elder, 0, 0)
        return np.asarray(np.where(elder, chance, 1 - chance), dtype=np.float64)

    def seat_values(self, played: npt.ArrayLike, totals: _Ints, games: _Ints, is_elder: npt.ArrayLike) -> _Floats:  # noqa: ARG002  (deals do not count)
        """Return the expected settlements of seat 0 between deals, float64[N].

        played: deals played, not used here; totals, games: int64[N, 2] by seat
        is_elder: whether seat 0 is elder in the next deal
        """
        return self.expected_many(totals[:, 0], totals[:, 1], is_elder, games[:, 0], games[:, 1])

    def __reduce__(self) -> tuple[Callable[..., AuCentTable], tuple[int, int, int, str, str]]:
        """Copy and pickle by arguments, so that copies of a game share the kept table."""
        return _of_arguments, (self.target, self.lurch, self.games, self.stop, self.version)

    def _weigh(
        self,
        worth: _Floats,
        own: npt.ArrayLike,
        other: npt.ArrayLike,
        elder: npt.NDArray[np.bool_],
        own_games: npt.ArrayLike,
        other_games: npt.ArrayLike,
    ) -> _Floats:
        """Return the mean worth of the game's outcomes to the seat that is elder next."""
        totals = np.asarray(own, dtype=np.int64), np.asarray(other, dtype=np.int64)
        won = np.asarray(own_games, dtype=np.int64), np.asarray(other_games, dtype=np.int64)
        level = (totals[0] == totals[1]) & (totals[0] >= self.target) & (self.stop == "end_of_deal")
        for total in totals:
            if np.any((total < 0) | ((total >= self.target) & ~level)):
                raise ValueError(f"totals must be 0 to {self.target - 1}, or equal at the end of a deal")
        for count in won:
            if np.any((count < 0) | (count >= self.games)):
                raise ValueError(f"games must be 0 to {self.games - 1}")
        cells = [np.where(level, self.target, total) for total in totals]
        row, column = np.where(elder, cells[0], cells[1]), np.where(elder, cells[1], cells[0])
        first, second = np.where(elder, won[0], won[1]), np.where(elder, won[1], won[0])
        return np.asarray((self.chances[row, column] * worth[first, second]).sum(axis=-1), dtype=np.float64)


def _of_arguments(target: int, lurch: int, games: int, stop: str, version: str) -> AuCentTable:
    return au_cent_table(target, lurch, games, stop, version=version)


@functools.lru_cache(maxsize=8)
def _build_table(target: int, lurch: int, games: int, stop: str, version: str) -> AuCentTable:
    """Build a table: the chances of a game, and from those at its start what games are worth."""
    scores = deal_scores(version)
    chances = _game_chances(scores, target, lurch, stop)
    games_after, matches_after = _worth_of_games(chances[0, 0], games)
    for array in (chances, games_after, matches_after):
        array.setflags(write=False)
    return AuCentTable(version, target, lurch, games, stop, chances, games_after, matches_after)


def _game_chances(scores: DealScores, target: int, lurch: int, stop: str) -> _Floats:
    """Return the chances of a game's outcomes by totals (see `AuCentTable.chances`), from high totals down to none."""
    ends = _ends_at_once(scores, target, lurch) if stop == "immediate" else _ends_with_deal(scores, target, lurch)
    joint = _padded(scores.joint, target)[:target, :target]
    chances = np.zeros((target + 1, target + 1, len(OUTCOMES)))
    chances[target, target] = _level_chances(scores)
    # after[a, b]: the same chances for the seat that will be younger, with a points of its own
    after = np.zeros_like(chances)
    for total in range(2 * target - 2, -1, -1):
        for elder in range(max(0, total - target + 1), min(total, target - 1) + 1):
            younger = total - elder
            going_on = joint[: target - elder, : target - younger]
            chances[elder, younger] = ends[elder, younger]
            chances[elder, younger] += np.tensordot(going_on, after[elder:target, younger:target], 2)
            if stop == "end_of_deal":
                level = _level_probability(scores.joint, elder, younger, target)
                chances[elder, younger] += level * chances[target, target][_MIRROR]
            after[younger, elder] = chances[elder, younger][_MIRROR]
    return chances


def _ends_at_once(scores: DealScores, target: int, lurch: int) -> _Floats:
    """Return the chances that a game ends in this deal, at the point that decides it: [total, total, outcome]."""
    ends = np.zeros((target, target, len(OUTCOMES)))
    for lost, passage in enumerate((scores.elder_passage, scores.younger_passage)):
        assert passage is not None
        # before[n, k]: the winner comes to n points while the loser has fewer than k
        before = np.zeros((target + 1, target + 1))
        before[:, 1:] = _padded(passage, target + 1)[: target + 1, :target].cumsum(axis=1)
        needs = target - np.arange(target)
        any_end = before[needs[:, None], needs[None, :]]  # by the winner's total and the loser's
        lurch_left = np.clip(lurch - np.arange(target), 0, needs)
        double = before[needs[:, None], lurch_left[None, :]]
        by_elder = (lambda table: table) if lost == 0 else np.transpose
        ends[:, :, OUTCOMES.index((lost, 0, 1))] = by_elder(any_end - double)
        ends[:, :, OUTCOMES.index((lost, 1, 1))] = by_elder(double)
    return ends


def _ends_with_deal(scores: DealScores, target: int, lurch: int) -> _Floats:
    """Return the chances that a game ends with this deal, won by the higher total: [total, total, outcome]."""
    ends = np.zeros((target, target, len(OUTCOMES)))
    elder_points, younger_points = np.nonzero(scores.joint)
    chances = scores.joint[elder_points, younger_points]
    for elder in range(target):
        first = elder + elder_points
        for younger in range(target):
            second = younger + younger_points
            ended = (np.maximum(first, second) >= target) & (first != second)
            # The outcome's place: lost, then double, and always younger in the next deal.
            places = 4 * (second > first) + 2 * (np.minimum(first, second) < lurch) + 1
            ends[elder, younger] = np.bincount(places[ended], chances[ended], len(OUTCOMES))
    return ends


def _level_probability(joint: _Floats, elder: int, younger: int, target: int) -> float:
    """Return the chance that a deal leaves both seats with equal totals from the target on."""
    reached = range(target, min(elder + joint.shape[0], younger + joint.shape[1]))
    return float(sum(joint[total - elder, total - younger] for total in reached))


def _level_chances(scores: DealScores) -> _Floats:
    """Return the chances at equal totals from the target on: the next deal that is not equal decides, singly.

    With e and y the chances that elder and younger make more, and q that both make the same, elder wins at last with
    e + q y + q² e + … — the roles alternate — and the next game's roles follow from how many deals it took.
    """
    joint = scores.joint
    size = max(joint.shape)
    square = np.zeros((size, size))
    square[: joint.shape[0], : joint.shape[1]] = joint
    elder, younger, equal = np.tril(square, -1).sum(), np.triu(square, 1).sum(), np.trace(square)
    chances = np.zeros(len(OUTCOMES))
    odd, even = 1 / (1 - equal**2), equal / (1 - equal**2)  # deals until it is decided
    chances[OUTCOMES.index((0, 0, 1))] = elder * odd
    chances[OUTCOMES.index((1, 0, 1))] = younger * odd
    chances[OUTCOMES.index((0, 0, 0))] = younger * even
    chances[OUTCOMES.index((1, 0, 0))] = elder * even
    return chances


def _worth_of_games(start: _Floats, games: int) -> tuple[_Floats, _Floats]:
    """Return what the outcomes of a game are worth by games won before: in games, and as the chance of the match.

    start: the chances of the outcomes at the start of a game
    """
    worth, chance = np.zeros((2, games, games, len(OUTCOMES)))
    for total in range(2 * games - 2, -1, -1):
        for own in range(max(0, total - games + 1), min(total, games - 1) + 1):
            for place, (lost, double, younger) in enumerate(OUTCOMES):
                mine, theirs = own + (1 - lost) * (1 + double), total - own + lost * (1 + double)
                if max(mine, theirs) >= games:
                    worth[own, total - own, place], chance[own, total - own, place] = mine - theirs, 1 - lost
                elif younger:
                    worth[own, total - own, place] = -(start @ worth[theirs, mine])
                    chance[own, total - own, place] = 1 - start @ chance[theirs, mine]
                else:
                    worth[own, total - own, place] = start @ worth[mine, theirs]
                    chance[own, total - own, place] = start @ chance[mine, theirs]
    return worth, chance


def _padded(table: _Floats, size: int) -> _Floats:
    """Return a table with zeros behind it, at least `size` in both directions."""
    padded = np.zeros((max(size, table.shape[0]), max(size, table.shape[1])))
    padded[: table.shape[0], : table.shape[1]] = table
    return padded
