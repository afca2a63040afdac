"""Positions that a seed leads to: rules, start and choices are drawn, rare things more often than by chance."""

import random

import numpy as np

from piquet_env.game import Game
from piquet_env.rules.start import extra_deals
from tests.steering import Chooser, draw_plan


class LineOfPlay:
    """A partie that is played step by step; everything in it follows from the seed. Some of its decks are given."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        plan = draw_plan(seed)
        start = plan.start
        most = 3
        if plan.rules.form == "rubicon":
            most = min(3, plan.rules.deals + extra_deals(plan.rules) - start.deal_number + 1)
        decks = [np.array(plan.deck(start.deal_number + place)) for place in range(self.rng.randint(0, most))]
        self.game = Game(plan.rules, **{**start._asdict(), "decks": decks})
        self._chooser = Chooser(plan)

    def step(self, most: int = 1) -> None:
        """Play some steps, or as many as there are."""
        for _ in range(most):
            if self.game.is_over:
                return
            cells = np.frombuffer(self.game.state.tobytes(), dtype=np.int64).tolist()
            self.game.apply(self._chooser.choose(cells, self.game.legal_actions()))


def line_of_play(seed: int, steps: int) -> Game:
    """The game after some steps of the line that the seed gives."""
    line = LineOfPlay(seed)
    line.step(steps)
    return line.game
