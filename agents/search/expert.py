"""`expert`: a policy, and in the play the solver over what that policy makes it believe of the other's hand."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from agents.base import BatchAgent, View
from agents.exploit.agent import whole
from agents.exploit.belief import DealBelief
from agents.exploit.believer import Believer, check_number
from agents.learned.critic import Critic
from piquet_env.rules.actions import KIND_DISCARD, WORD_DRAW
from piquet_env.rules.cards import cards_in
from piquet_env.rules.variants import Rules

from .belief import Belief
from .critic_exchange import CriticExchange
from .exchange_search import Effort
from .play_search import pick_worlds, value_cards
from .seen import Seen
from .solver import Solver
from .stakes import Stakes

KEPT = 512
WORLDS = 100
FROM_CARDS = 8
EFFORT = Effort(guesses=24, candidates=16, worlds=64, finalists=4, final_worlds=256, doubt=1.0)


class ExpertAgent(Believer):
    """Plays a policy, and the cards from some trick on by search.

    It believes that the other plays the same policy: each hand that he can hold weighs as much as the chance that the
    policy would have led to all that has been seen (agents/exploit/belief.py). The cards are valued over these hands
    with both known (agents/search/solver.py), in points, and in equity in the last deal; of cards that are equal it
    plays the policy's, else the lowest.

    In the exchange it tries the policy's discards and others on sampled cards, and asks the policy's critic what they
    are worth (critic_exchange.py).

    policy:     decides all else; it must decide in batches and tell its probabilities
    critic:     for the exchange; None: the policy exchanges
    rules:      of the partie; None: `rubicon`
    kept:       the most worlds that are kept from one decision to the next
    worlds:     the most hands that are solved for a decision
    from_cards: the play is searched when the hand has so many cards or fewer
    equity:     "last": play for equity in the last deal; "always" or "never"
    """

    def __init__(
        self,
        *,
        policy: BatchAgent,
        critic: Critic | None = None,
        rules: Rules | None = None,
        kept: int = KEPT,
        worlds: int = WORLDS,
        from_cards: int = FROM_CARDS,
        equity: str = "last",
        effort: Effort | None = None,
    ) -> None:
        check_number("worlds", worlds, 1, 1_000_000)
        super().__init__(opponent=policy, base=policy, rules=rules, worlds=kept, from_cards=from_cards)
        self.solved = worlds
        self._stakes = Stakes(self.rules, equity)
        self._solver = Solver()
        self._exchange: CriticExchange | None = None
        if critic is not None:
            self._exchange = CriticExchange(self.rules, policy, critic, self._solver, self._stakes, effort or EFFORT)
        self.reset(0)

    @property
    def name(self) -> str:
        """How tables call the agent."""
        return "expert"

    def _forget(self) -> None:
        super()._forget()
        self._plan: int | None = None
        self._is_planned = False

    def _begin_deal(self, observation: npt.NDArray[np.int8]) -> None:
        before = self._deal
        super()._begin_deal(observation)
        if self._deal != before:
            self._plan, self._is_planned = None, False

    def decide(self, view: View, observation: npt.NDArray[np.int8], action: int) -> int:
        """Return the next step of the exchange, in which cards are laid out in ascending order, or `action`."""
        pack, mask = self.rules.pack, view.action_mask
        exchanges = mask[pack : 2 * pack].any() or mask[3 * pack]
        if self._exchange is None or not exchanges:
            return action
        seen = Seen.of(observation, self.rules)
        if not self._is_planned:
            self._plan, self._is_planned = self._exchange.discards(seen), True
        if self._plan is None:
            return action
        left = self._plan & ~seen.mask("discards")
        step = KIND_DISCARD * pack + cards_in(left, self.rules.ranks)[0] if left else 3 * pack + WORD_DRAW
        return step if mask[step] else action

    def choose(self, belief: DealBelief, view: View, observation: npt.NDArray[np.int8], action: int) -> int:  # noqa: ARG002
        """Return the card with the best mean value; `action` is the policy's."""
        seen = Seen.of(observation, self.rules)
        hands, places = np.unique(belief.rows["hands"][:, 1], return_inverse=True)
        weights = np.bincount(places, belief.weights)
        found = Belief(hands.astype(np.int64), whole(weights / weights.max()), belief.is_exact)
        solved, counts = pick_worlds(found, self.solved, float(self.rng.random()))
        values = value_cards(self._solver, seen, self._stakes.terms(seen), solved, counts)
        best = values.cards[values.values == values.values.max()]
        return action if action in best else int(best[0])

    def __getstate__(self) -> dict[str, object]:
        """Leave the solver's table behind: it holds nothing that decides."""
        return {name: value for name, value in self.__dict__.items() if name != "_solver"}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        self._solver = Solver()
