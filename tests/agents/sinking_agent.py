"""A bot for tests of beliefs: declares and replies at random, sinking often, and plays greedily or at random."""

import numpy as np

from agents.base import Agent, View
from agents.greedy_agent import GreedyAgent

REPLIES = ("good", "equal", "not good")


class Sinker(Agent):
    """Sinks with probability `share` wherever it may; other decisions are greedy's, or random ones with `wild`.

    Sinking is to pass, to stop, to say good, or to choose any claim but greedy's.
    """

    def __init__(self, *, share: float = 0.5, wild: float = 0.2) -> None:
        self.share = share
        self.wild = wild

    def reset(self, seed: int) -> None:
        super().reset(seed)
        self.greedy = GreedyAgent()

    def act(self, view: View) -> int:
        table = [view.words(action) for action in view.legal_actions]
        if view.phase in ("call", "further", "declare", "reply", "second reply") and self.rng.random() < self.share:
            quiet = [
                action for action, words in zip(view.legal_actions, table, strict=True) if words in ("done", "good")
            ]
            if quiet and self.rng.random() < 0.6:
                return quiet[0]
            return int(self.rng.choice(view.legal_actions))
        if self.rng.random() < self.wild:
            return int(self.rng.choice(view.legal_actions))
        return self.greedy.act(view)


def legal_mask(actions: list[int], size: int) -> np.ndarray:
    """The mask of some actions."""
    mask = np.zeros(size, dtype=np.int8)
    mask[actions] = 1
    return mask
