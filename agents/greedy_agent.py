"""`greedy`: keeps its longest suit, declares everything, wins what it can. A fixed opponent that never changes."""

from __future__ import annotations

import numpy as np

from piquet_env.observation import observation_size
from piquet_env.rules.variants import ELDER_MAX

from .base import Actions, AgentError, BatchAgent, Probabilities, certain, check_elder_max
from .greedy_kernel import choose_greedily, layout_of, taken_scale
from .streams import RowRandom


class GreedyAgent(BatchAgent):
    """Plays by a few fixed rules, without chance, from the observation and the mask alone.

    The *longer* of two suits of a hand has more cards, then more pips (ace 11, court cards and ten 10), then comes
    first in the order S H D C. *Unseen* are the cards of the observation's block of that name.

    * Carte blanche is claimed; it deals first where it may choose; leftovers are left face down.
    * Exchange: the full number that it may take: elder five (with 36 cards seven), younger all that is left. It keeps
      its longest suit and throws the lowest cards of the others, by rank, then in suit order; where they are too few,
      the lowest of the longest suit follow. Cards go one at a time in ascending order, then it draws.
    * Calls, and the point in any case: the best it may claim: most cards, then most pips or the highest top or rank,
      then the first suit.
    * Further combinations: all it may claim, in ascending order, each at its full run; only where no full run may be
      claimed, the first that may be.
    * Nothing is withheld, unless the claim may not be spoken as it is: then the lowest card that may be.
    * Replies: not good if it may say so, else equal, else good.
    * Leads: a card that no unseen card of its suit is higher than, of the highest rank, then of the longest suit;
      without one, the lowest card of its longest suit.
    * Follows: with the lowest card that wins, else the lowest of the suit, else the lowest of its shortest suit (fewest
      cards, then fewest pips, then suit order).

    elder_max: the most cards elder may exchange, where the rules change it: the observation does not hold that number
    """

    def __init__(self, *, elder_max: int | None = None) -> None:
        self.elder_max = check_elder_max(elder_max)

    @property
    def name(self) -> str:
        """How tables call the agent."""
        return "greedy"

    def act_batch(self, observations: np.ndarray, masks: np.ndarray, rng: RowRandom) -> Actions:  # noqa: ARG002  (no chance)
        """Return a legal action for each row, int64[N]; -1 for a mask of zeros. Nothing is drawn from `rng`."""
        return self._decide(observations, masks)

    def probabilities(self, observations: np.ndarray, masks: np.ndarray) -> Probabilities:
        """Return 1 for the action that it takes in each row, float64[N, num_actions]."""
        return certain(self._decide(observations, masks), masks.shape[1])

    def _decide(self, observations: np.ndarray, masks: np.ndarray) -> Actions:
        actions = np.empty(len(masks), dtype=np.int64)
        pack = _pack_of(observations)
        elder_max = min(self.elder_max or ELDER_MAX[pack], pack - 25)  # younger is left a card
        choose_greedily(observations, masks, layout_of(pack), taken_scale(observations), elder_max, actions)
        return actions


def _pack_of(observations: np.ndarray) -> int:
    """Return the number of cards in the pack, from the width of the observations."""
    for pack in (32, 36):
        if observations.shape[-1] == observation_size(pack):
            return pack
    raise AgentError(f"no pack has observations of {observations.shape[-1]} entries")
