"""`search`: exchanges and plays the cards by looking ahead, and leaves the rest to another agent."""

from __future__ import annotations

from collections import Counter

import numpy as np

from agents.base import Actions, Agent, AgentError, BatchAgent
from agents.streams import RowRandom
from piquet_env.observation import observation_size
from piquet_env.rules.actions import KIND_DISCARD, WORD_DRAW
from piquet_env.rules.cards import cards_in
from piquet_env.rules.variants import Rules

from .continuation import UNLIKE
from .critic_exchange import Critic, CriticExchange
from .dialogue_search import DialogueSearch
from .endgame import MOST_CARDS, EndgameSearch
from .exchange_search import Effort, ExchangeSearch, seed_of
from .play_search import PlaySearch
from .rollout import Rollout
from .seen import Seen
from .solver import Solver
from .stakes import Stakes

WORLDS = 64
DIALOGUE_DOUBT = 2.0  # standard errors by which a word must be better than the base agent's
LEAVES = ("base", "solver")
_EXCHANGES_KEPT = 4096
# Of some twenty decisions of a deal about nine cards are searched, and one exchange: the mean stays below the limit.
_EXCHANGE_SHARE = 8
_LEAST_FOR_EXCHANGE = 8  # milliseconds: below it the base agent exchanges


class SearchAgent(BatchAgent):
    """Plays by search, from the observation, the mask and one number a decision.

    In the exchange it tries the most promising discards on sampled cards (agents/search/exchange_search.py).
    In the play it lists the hands that the other can hold (agents/search/belief.py), weighs them by how well the cards
    that he has played fit to them, lets the base agent play the deal on for both seats behind every legal card
    (agents/search/play_search.py), and plays the card with the best mean. Of cards that are equal it plays the base
    agent's, else the lowest. All other decisions are the base agent's.

    base:       the agent that does what search does not; it must decide in batches
    rules:      of the partie; None: `rubicon`
    worlds:     the most hands of the other that a decision looks at
    ms:         mean limit of a decision in milliseconds, on which the exchange draws eightfold (below 8 the base agent
                exchanges); None: no limit. The one option with which results depend on the clock.
    from_cards: the play is searched when the hand has so many cards or fewer
    equity:     the deals played for equity instead of points: "always", "last" or "never"
    exchange:   whether the exchange is searched
    leaf:       what values a world: "base", the deal played on by the base agent, or "solver", both hands known
    unlike:     the factor for a hand of the other with which the base agent would not have played the card that he has
                played; 1 weighs hands by what has been said alone
    effort:     how much the search for an exchange looks at
    dialogue:   whether calls, replies, further claims and declarations are searched (agents/search/dialogue_search.py);
                not with `ms`
    endgame:    with so many cards in hand or fewer the rest is solved as a game of imperfect information
                (agents/search/endgame.py), not with `ms`; 0: never
    critic:     values exchanges instead of deals played on (agents/search/critic_exchange.py); None: none does
    asked, departed: how many decisions of the play ("card") and of the dialogue ("word") were searched so far, and in
                how many of them something else was done than the base agent's choice
    """

    def __init__(
        self,
        *,
        base: Agent,
        rules: Rules | None = None,
        worlds: int = WORLDS,
        ms: float | None = None,
        from_cards: int = 12,
        equity: str = "always",
        exchange: bool = False,
        dialogue: bool = False,
        endgame: int = 0,
        leaf: str = "base",
        unlike: float = UNLIKE,
        effort: Effort | None = None,
        critic: Critic | None = None,
    ) -> None:
        _check_number("worlds", worlds, 1, 1_000_000)
        _check_number("from_cards", from_cards, 0, 12)
        _check_number("endgame", endgame, 0, MOST_CARDS)
        _check_ms(ms)
        if ms is not None and (dialogue or endgame):
            raise AgentError("dialogue and endgame of search look at no clock; leave out ms, or them")
        _check_share("unlike", unlike)
        if leaf not in LEAVES:
            raise AgentError(f"leaf must be one of {', '.join(LEAVES)}, not {leaf!r}")
        if not isinstance(base, BatchAgent):
            raise AgentError(f"the base of search must decide in batches, and {base.name} does not")
        self.base = base
        self.rules = Rules() if rules is None else rules
        self.worlds = worlds
        self.ms = ms
        self.from_cards = from_cards
        self.exchange = exchange
        self.dialogue = dialogue
        self.endgame = endgame
        self.leaf = leaf
        self.unlike = unlike
        self.effort = effort or Effort()
        self.critic = critic
        self.label = "search"  # how tables call it
        self.asked: Counter[str] = Counter()
        self.departed: Counter[str] = Counter()
        self._stakes = Stakes(self.rules, equity)
        self._make_searches()

    def _make_searches(self) -> None:
        """Make what holds no decisions: the solver with its table, and what was found of exchanges."""
        self._solver = Solver()
        rollout = Rollout(self.rules, self.base)
        self._play_search = PlaySearch(
            self.rules,
            rollout,
            self._solver,
            self._stakes,
            worlds=self.worlds,
            unlike=self.unlike,
            solves=self.leaf == "solver",
        )
        self._exchange_search = (
            ExchangeSearch(self.rules, rollout, self._solver, self._stakes, self.effort, solves=self.leaf == "solver")
            if self.critic is None
            else CriticExchange(self.rules, rollout, self.critic, self._solver, self._stakes)
        )
        self._dialogue_search = DialogueSearch(
            rollout, self._stakes, worlds=self.worlds, unlike=self.unlike, doubt=DIALOGUE_DOUBT
        )
        self._endgame_search = EndgameSearch(self.rules, rollout, self._stakes, cards=self.endgame, unlike=self.unlike)
        self._exchanges: dict[int, int | None] = {}  # by position: one exchange is a handful of decisions

    @property
    def name(self) -> str:
        """How tables call the agent."""
        return self.label

    def act_batch(self, observations: np.ndarray, masks: np.ndarray, rng: RowRandom) -> Actions:
        """Return a legal action for each row, int64[N]."""
        pack = self.rules.pack
        if observations.shape[-1] != observation_size(pack):
            raise AgentError(f"search was made for {self.rules.name} and its pack of {pack} cards")
        offsets = rng.random(len(masks))
        actions = self.base.act_batch(observations, masks, rng)
        choices = np.count_nonzero(masks[:, :pack], axis=1)
        words = np.count_nonzero(masks[:, 3 * pack :], axis=1)
        exchanging = masks[:, pack : 2 * pack].any(axis=1) | masks[:, 3 * pack].astype(bool)
        exchanging &= self.exchange and (self.ms is None or self.ms >= _LEAST_FOR_EXCHANGE)
        for row in range(len(masks)):
            if exchanging[row]:
                actions[row] = self._exchange(observations[row], masks[row], int(actions[row]))
            elif choices[row] > 1:
                actions[row] = self._play(observations[row], int(actions[row]), float(offsets[row]))
            elif self.dialogue and words[row] > 1:
                actions[row] = self._word(observations[row], masks[row], int(actions[row]), float(offsets[row]))
        return actions

    def _play(self, observation: np.ndarray, action: int, offset: float) -> int:
        """Return the card to play; `action` is the base agent's."""
        seen = Seen.of(observation, self.rules)
        if int(np.count_nonzero(seen.facts["hand"])) > self.from_cards:
            return action
        if self._endgame_search.decides(seen):
            card = self._endgame_search.card(seen, offset)
            if card is not None:
                return self._count("card", card, action)
        seconds = None if self.ms is None else self.ms / 1000
        return self._count("card", self._play_search.card(seen, action, offset, seconds), action)

    def _word(self, observation: np.ndarray, mask: np.ndarray, action: int, offset: float) -> int:
        """Return the word of the dialogue; `action` is the base agent's, which also answers all other questions."""
        seen = Seen.of(observation, self.rules)
        if not self._dialogue_search.decides(seen):
            return action
        return self._count("word", self._dialogue_search.word(seen, mask, action, offset), action)

    def _count(self, kind: str, found: int, action: int) -> int:
        """Count a searched decision and return it; `action` is the base agent's."""
        self.asked[kind] += 1
        self.departed[kind] += found != action
        return found

    def _exchange(self, observation: np.ndarray, mask: np.ndarray, action: int) -> int:
        """Return the next step of the exchange: cards are laid out one at a time in ascending order, then drawn."""
        seen = Seen.of(observation, self.rules)
        position = seed_of(seen)
        if position not in self._exchanges:
            if len(self._exchanges) == _EXCHANGES_KEPT:
                self._exchanges.clear()
            seconds = None if self.ms is None else _EXCHANGE_SHARE * self.ms / 1000
            self._exchanges[position] = self._exchange_search.discards(seen, seconds)
        plan = self._exchanges[position]
        if plan is None:
            return action
        left = plan & ~seen.mask("discards")
        pack = self.rules.pack
        step = KIND_DISCARD * pack + cards_in(left, self.rules.ranks)[0] if left else 3 * pack + WORD_DRAW
        return step if mask[step] else action

    def __getstate__(self) -> dict[str, object]:
        """Leave the solver's table behind: it holds nothing that decides."""
        made = ("_solver", "_play_search", "_exchange_search", "_dialogue_search", "_endgame_search", "_exchanges")
        return {name: value for name, value in self.__dict__.items() if name not in made}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        self._make_searches()


def _check_number(name: str, value: object, low: int, high: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise AgentError(f"{name} is a whole number from {low} to {high}, not {value!r}")


def _check_share(name: str, value: object) -> None:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value <= 1:
        raise AgentError(f"{name} is a number above 0 and up to 1, not {value!r}")


def _check_ms(ms: object) -> None:
    is_number = isinstance(ms, int | float) and not isinstance(ms, bool)
    if ms is not None and not (is_number and 0 < ms < float("inf")):  # type: ignore[operator]
        raise AgentError(f"ms is a number of milliseconds above 0, not {ms!r}")
