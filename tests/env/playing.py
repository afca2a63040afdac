"""What the tests of the environments share: legal play, and a position in every phase."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from piquet_env import Game, Rules
from piquet_env.rules.state import Phase
from piquet_env.rules.variants import PRESETS

RULES = tuple(PRESETS)
REWARDS = ("settlement", "win", "deal_points", "equity")
ASKING = tuple(phase for phase in Phase if phase < Phase.DEAL_OVER)
# Asks for the cut, withholds, and asks for every reply.
TALKATIVE = Rules.preset("cavendish").replace(first_dealer="choose", sequence_call="length")
# Elder holds neither king, queen nor jack.
BLANCHE = np.array(
    [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19] + [card for card in range(32) if card % 8 > 3 or card > 23]
)


class Position(NamedTuple):
    """A position as the reset and the actions that lead to it."""

    phase: Phase
    rules: Rules
    seed: int
    options: dict[str, Any]
    actions: tuple[int, ...]

    def lead(self, environment: Any) -> None:
        """Lead an environment of these rules to the position."""
        environment.reset(seed=self.seed, options=self.options)
        for action in self.actions:
            environment.step(action)


def has_equity(rules: str | Rules) -> bool:
    """Whether the reward `equity` has a table for these rules."""
    rules = Rules.of(rules)
    return rules.deals <= 24 and rules.rubicon_line <= 1000 and rules.target <= 200 and rules.games <= 24


def choose(mask: np.ndarray, rng: np.random.Generator) -> int:
    """A uniformly drawn legal action."""
    legal = np.flatnonzero(mask)
    return int(legal[rng.integers(len(legal))])


def choose_rows(masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A legal action a row; 0 for a row without any."""
    return np.argmax(rng.random(masks.shape) * (masks != 0), axis=1)


def play_out(environment: Any, rng: np.random.Generator) -> int:
    """Play an AEC environment to the end with legal actions, dead steps included; return the number of decisions."""
    decisions = 0
    for _ in environment.agent_iter():
        _, _, termination, truncation, info = environment.last(observe=False)
        if termination or truncation:
            environment.step(None)
        else:
            environment.step(choose(info["action_mask"], rng))
            decisions += 1
    return decisions


def state_of(game: Game) -> bytes:
    """The whole state, hidden cards included."""
    return game.state.tobytes()


def positions() -> dict[Phase, Position]:
    """One position for each phase that asks somebody."""
    found: dict[Phase, Position] = {}
    for position in _walk():
        found.setdefault(position.phase, position)
        if len(found) == len(ASKING):
            return found
    raise AssertionError(f"no position in {set(ASKING) - set(found)}")


def _walk() -> Iterator[Position]:
    rng = np.random.default_rng(1)
    for seed in range(300):
        options = {"decks": [BLANCHE]} if seed % 2 else {}
        game = Game(TALKATIVE, seed=seed, **options)
        while not game.is_over and game.deal_number < 3:
            phase = Phase(int(game.state["phase"]))
            yield Position(phase, TALKATIVE, seed, options, tuple(game.actions))
            game.apply(choose(game.action_mask(game.to_act), rng))
