"""The rewards, by name; each is zero-sum between the seats.

| name | unit | paid |
|---|---|---|
| `settlement` | Rubicon points (au cent: games) | at the end of the partie; 0 if it is drawn |
| `win` | +1, 0, −1 | at the end of the partie |
| `deal_points` | points of the deal, own less the other's | at the end of each deal |
| `equity` | Rubicon points (au cent: games) | at the end of each deal: the change in the expected settlement |

A partie's `equity` rewards add up to the settlement less the expectation at its start. `equity@VERSION` takes another
table than the default: one that is shipped (`piquet_env.equity.shipped_versions()`), or the path of an npz file.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .equity import Equity, equity_of
from .game import Game
from .rules.state import NOBODY
from .rules.variants import Rules

REWARDS = ("settlement", "win", "deal_points", "equity")
ILLEGAL_WIN = -1.0  # an illegal action in the wrapped environment, under the reward `win`
ILLEGAL_POINTS = -500.0  # under the others: more than a lost partie costs


def split_reward(reward: str) -> tuple[str, str | None]:
    """Return the name of a reward and the version behind it; ValueError, in one sentence, for what is no reward."""
    name, at, version = str(reward).partition("@")
    if name not in REWARDS or (at and (name != "equity" or not version)):
        raise ValueError(f"unknown reward {reward!r}; the rewards are {', '.join(REWARDS)} and equity@VERSION")
    return name, version or None


def illegal_reward(reward: str) -> float:
    """Return what an illegal action costs in the wrapped environment; the other seat gets 0."""
    return ILLEGAL_WIN if reward == "win" else ILLEGAL_POINTS


class RewardRule:
    """Computes the rewards of seat 0 for the events of a game; seat 1 gets the opposite.

    reward: one of REWARDS, or `equity@VERSION`
    rules:  of the game; `equity` is refused with a sentence where no table exists
    name:   the reward without the version
    table:  the equity table, None for other rewards
    """

    def __init__(self, reward: str, rules: Rules) -> None:
        self.name, version = split_reward(reward)
        self.table: Equity | None = equity_of(rules, version) if self.name == "equity" else None

    def expectation(self, game: Game) -> float:
        """Return the expected settlement of seat 0 between two deals, from the equity table (0 for other rewards)."""
        if self.table is None:
            return 0.0
        if game.is_over:
            return float(game.returns()[0])
        dealer = NOBODY if game.deal_number == 0 or game.dealer is None else game.dealer
        played = max(game.deal_number - 1, 0)
        facts = (np.array(fact) for fact in ([played], [game.totals], [game.games], [dealer]))
        return float(self.expectations(*facts)[0])

    def expectations(
        self,
        played: npt.NDArray[np.int64],
        totals: npt.NDArray[np.int64],
        games: npt.NDArray[np.int64],
        dealers: npt.NDArray[np.int64],
    ) -> npt.NDArray[np.float64]:
        """Return the expected settlements of seat 0 between deals of parties that go on, float64[N].

        played:        deals played
        totals, games: int64[N, 2], by seat
        dealers:       the seat that deals the next deal; NOBODY while the cut is not decided: either may be elder
        """
        assert self.table is not None, "only the reward equity has expectations"
        values = self.table.seat_values(played, totals, games, dealers == 1)
        undecided = dealers == NOBODY
        if undecided.any():
            younger = self.table.seat_values(played, totals, games, np.zeros(len(totals), dtype=np.bool_))
            elder = self.table.seat_values(played, totals, games, np.ones(len(totals), dtype=np.bool_))
            values = np.where(undecided, (elder + younger) / 2, values)
        return values

    def of_deals(self, game: Game, deals_before: int, expected_before: float) -> float:
        """Return the reward of seat 0 for the deals that have ended since `deals_before`.

        deals_before:    how many deals had ended before the last action
        expected_before: the expectation then
        """
        if self.name == "deal_points":
            return float(sum(first - second for first, second in game.deal_points[deals_before:]))
        if self.name == "equity":
            return self.expectation(game) - expected_before
        if not game.is_over:
            return 0.0
        settlement = game.returns()[0]
        return float((settlement > 0) - (settlement < 0)) if self.name == "win" else settlement
