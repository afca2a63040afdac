"""RLCard's games as its users play them: `rlcard.make`, `reset`, and `step`, which returns the next player's state."""

from __future__ import annotations

import random
from typing import Any

from bench.measure import DECISIONS, Plan, Result, speeds

GROUP = "RLCard"
GAMES = {"uno": "Uno", "gin-rummy": "gin rummy"}


def measure(game: str, plan: Plan) -> list[Result]:
    """Measure a game; a state holds the observation and the legal actions."""
    import rlcard

    environment = rlcard.make(game, config={"seed": 1})
    random.seed(1)
    found = speeds(lambda: play_episode(environment), plan)
    title = GAMES[game]
    return [Result(GROUP, title, DECISIONS, found.processor, wall=found.wall, series=f"RLCard {title}", size=1)]


def play_episode(environment: Any) -> int:
    """Play one episode by random legal actions; return the number of decisions."""
    draw = random.random
    state, _ = environment.reset()
    decisions = 0
    while not environment.is_over():
        legal = list(state["legal_actions"])
        state, _ = environment.step(legal[int(draw() * len(legal))])
        decisions += 1
    return decisions
