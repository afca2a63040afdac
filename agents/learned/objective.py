"""What the learner is paid: a reward of the environment, or deal points that turn into equity as the run goes on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from piquet_env.rewards import REWARDS, split_reward
from piquet_env.rules.variants import Rules

# Brings what an episode pays to the order of 1. A point a deal is worth about three and a half settlement points, so
# points and equity are of one size and the critic need not learn another when the one turns into the other.
SCALE = {"deal_points": 0.03, "equity": 0.01, "settlement": 0.005, "win": 1.0}
SCALE_OF_GAMES = 0.3  # au cent settles in games
BY_DEAL = ("deal_points", "equity")


@dataclass(frozen=True)
class Objective:
    """A reward and its schedule.

    reward:      `deal_points`, `equity`, `settlement` or `win` (piquet_env/rewards.py); a version behind an "@"
                 is the batch's affair
    equity_from: with `deal_points`: the decision from which on the payment turns into equity; 0 for never
    equity_over: over how many decisions it turns
    Raises ValueError for what cannot be.
    """

    reward: str = "deal_points"
    equity_from: int = 0
    equity_over: int = 1

    def __post_init__(self) -> None:
        if self.name not in REWARDS:
            raise ValueError(f"unknown reward {self.reward!r}; the rewards are {', '.join(REWARDS)}")
        split_reward(self.reward)  # a version belongs to equity alone
        if self.equity_from and self.name != "deal_points":
            raise ValueError(f"only the reward 'deal_points' can turn into equity, not {self.reward!r}")

    @property
    def name(self) -> str:
        """The reward without a version."""
        return self.reward.partition("@")[0]

    @property
    def is_by_deal(self) -> bool:
        """Whether a deal is an episode of its own, so that nothing is bootstrapped across its end."""
        return self.name in BY_DEAL

    def batch_reward(self, rules: Rules) -> str:
        """Return what the batch must pay.

        Where there is an equity table, that is equity also for points, which are then read off the totals: a run that
        was begun on points may be gone on with on equity.
        """
        if self.equity_from and not can_turn(rules):
            raise ValueError("points turn into equity only in Rubicon parties with 32 cards, not under these rules")
        return "equity" if self.name == "deal_points" and can_turn(rules) else self.reward

    def equity_weight(self, decisions: int) -> float:
        """Return the share of equity, 0 to 1, after so many decisions."""
        if not self.equity_from:
            return float(self.name == "equity")
        return float(np.clip((decisions - self.equity_from) / max(self.equity_over, 1), 0, 1))

    def paid_at(self, decisions: int) -> str:
        """Return in what a critic has learnt to speak that has made so many decisions: the reward, or a mixture."""
        weight = self.equity_weight(decisions) if self.equity_from else 0.0
        return self.reward if weight == 0 else "equity" if weight == 1 else f"{self.reward} turning into equity"

    def scaled(self, paid: np.ndarray, rules: Rules) -> np.ndarray:
        """Return what the batch has paid as the learner gets it: float32."""
        in_games = rules.form == "au_cent" and self.name in {"equity", "settlement"}
        return paid * np.float32(SCALE_OF_GAMES if in_games else SCALE[self.name])

    def mixed(self, points: np.ndarray, equity: np.ndarray, weight: float) -> np.ndarray:
        """Return points and equity of ended deals as the learner gets them: float64, one a deal."""
        return (1 - weight) * SCALE["deal_points"] * points + weight * SCALE["equity"] * equity


def can_turn(rules: Rules) -> bool:
    """Whether points can turn into equity: there is a table, and the totals run on through the partie."""
    return rules.form == "rubicon" and rules.pack == 32
