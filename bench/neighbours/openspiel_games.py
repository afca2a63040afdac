"""OpenSpiel's card games: by the fastest route from Python with observations, and by a loop in C++ without.

The route from Python is `Observation.set_from`, which fills one array in place, and `legal_actions`, the list of the
legal actions; `legal_actions_mask` would add to the time. The loop in C++ is `pyspiel.evaluate_bots` with uniformly
random bots of C++, one call a game: of what the package lets Python reach it is the nearest to OpenSpiel's own
benchmark of random simulations, which is a program and not part of the package. It deals, finds legal actions and
applies them, without observations.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from bench.measure import DECISIONS, Plan, Result, Stopwatch, speeds, timed_speeds

GROUP = "OpenSpiel"
GAMES = {
    "skat": "skat",
    "bridge(use_double_dummy_result=false)": "bridge without double dummy",
    "gin_rummy": "gin rummy",
}
_CHANCE = -1  # as pyspiel.PlayerId.CHANCE; players are 0 and more, TERMINAL is lower


def observed_series(game: str) -> str:
    """Return the name of the chart's line for the route from Python."""
    return f"OpenSpiel {GAMES[game]}, set_from"


def loop_series(game: str) -> str:
    """Return the name of the chart's line for the loop in C++."""
    return f"OpenSpiel {GAMES[game]}, C++ loop"


def measure(game: str, plan: Plan) -> list[Result]:
    """Measure a game by both ways."""
    import pyspiel
    from open_spiel.python.observation import make_observation

    loaded = pyspiel.load_game(game)
    if not deals_evenly(loaded):
        raise ValueError(f"the chances of {game} are not all equal, as this loop takes them to be")
    random.seed(1)
    observed = speeds(_observed_play(loaded, make_observation(loaded)), plan)
    looped = timed_speeds(_looped_play(loaded, pyspiel), plan)
    title = GAMES[game]
    return [
        Result(
            GROUP,
            f"{title}, set_from, legal_actions",
            DECISIONS,
            observed.processor,
            wall=observed.wall,
            series=observed_series(game),
            size=1,
        ),
        Result(
            GROUP,
            f"{title}, evaluate_bots in C++",
            DECISIONS,
            looped.processor,
            "random bots, no observations",
            wall=looped.wall,
            series=loop_series(game),
            size=1,
        ),
    ]


def deals_evenly(game: Any) -> bool:
    """Return whether all outcomes of chance are equally likely and all legal, seen in some games of random play."""
    rng = random.Random(1)
    for _ in range(5):
        state = game.new_initial_state()
        while not state.is_terminal():
            legal = state.legal_actions()
            if state.is_chance_node():
                actions, chances = zip(*state.chance_outcomes(), strict=True)
                if list(actions) != legal or max(chances) - min(chances) > 1e-9:
                    return False
            state.apply_action(rng.choice(legal))
    return True


def play_episode(state: Any, observation: Any) -> int:
    """Play `state` to its end by random legal actions, observing at each decision; return the number of decisions."""
    draw = random.random
    decisions = 0
    player = state.current_player()
    while player >= _CHANCE:
        if player != _CHANCE:
            observation.set_from(state, player)
            decisions += 1
        legal = state.legal_actions()
        state.apply_action(legal[int(draw() * len(legal))])
        player = state.current_player()
    return decisions


def _observed_play(game: Any, observation: Any) -> Callable[[], int]:
    def play() -> int:
        return sum(play_episode(game.new_initial_state(), observation) for _ in range(10))

    return play


def _looped_play(game: Any, pyspiel: Any) -> Callable[[Stopwatch], int]:
    bots = [pyspiel.make_uniform_random_bot(player, player + 1) for player in range(game.num_players())]
    seeds = iter(range(1, 1 << 31))

    def play(watch: Stopwatch) -> int:
        states = [game.new_initial_state() for _ in range(50)]
        with watch:
            for state in states:
                pyspiel.evaluate_bots(state, bots, next(seeds))
        return sum(step.player >= 0 for state in states for step in state.full_history())

    return play
