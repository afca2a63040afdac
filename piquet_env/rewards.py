"""The rewards, by name; each is zero-sum between the seats.

| name | unit | paid |
|---|---|---|
| `settlement` | Rubicon points (au cent: games) | at the end of the partie; 0 if it is drawn |
| `win` | +1, 0, −1 | at the end of the partie |
| `deal_points` | points of the deal, own less the other's | at the end of each deal |
| `equity` | Rubicon points | at the end of each deal: the change in the expected settlement |

A partie's `equity` rewards add up to the settlement less the expectation at its start.
"""

from __future__ import annotations

from .equity import EquityTable, equity_table
from .game import Game
from .rules.variants import Rules

REWARDS = ("settlement", "win", "deal_points", "equity")
ILLEGAL_WIN = -1.0  # an illegal action in the wrapped environment, under the reward `win`
ILLEGAL_POINTS = -500.0  # under the others: more than a lost partie costs


def illegal_reward(reward: str) -> float:
    """Return what an illegal action costs in the wrapped environment; the other seat gets 0."""
    return ILLEGAL_WIN if reward == "win" else ILLEGAL_POINTS


class RewardRule:
    """Computes the rewards of seat 0 for the events of a game; seat 1 gets the opposite.

    name:  one of REWARDS
    rules: of the game; `equity` is refused with a sentence where no table exists
    """

    def __init__(self, name: str, rules: Rules) -> None:
        if name not in REWARDS:
            raise ValueError(f"unknown reward {name!r}; the rewards are {', '.join(REWARDS)}")
        self.name = name
        self.table: EquityTable | None = None
        if name == "equity":
            if rules.form != "rubicon" or rules.pack != 32:
                raise ValueError(
                    "the reward 'equity' has a table for Rubicon parties with 32 cards only, not for these rules"
                )
            self.table = equity_table(rules.deals, rules.tie_break, rules.rubicon_line)

    def expectation(self, game: Game) -> float:
        """Return the expected settlement of seat 0 between two deals, from the equity table (0 for other rewards)."""
        if self.table is None:
            return 0.0
        if game.is_over:
            return float(game.returns()[0])
        own, other = game.totals
        if game.deal_number == 0:  # the cut is not decided: either seat may be elder
            as_elder, as_younger = (self.table.expected(0, own, other, elder) for elder in (True, False))
            return float(as_elder + as_younger) / 2
        return float(self.table.expected(game.deal_number - 1, own, other, game.dealer == 1))

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
