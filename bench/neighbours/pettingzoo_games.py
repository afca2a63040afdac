"""PettingZoo's own card games, in the loop in which this environment is measured: last, choice, step."""

from __future__ import annotations

import importlib
import warnings

from bench.environments import episode_speeds
from bench.measure import DECISIONS, Plan, Result

GROUP = "PettingZoo"
GAMES = {
    "hanabi_v5": "Hanabi",
    "leduc_holdem_v4": "Leduc hold'em",
    "texas_holdem_v4": "Texas hold'em",
}


def measure(game: str, plan: Plan) -> list[Result]:
    """Measure a game without and with PettingZoo's wrappers."""
    results = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of old names and ways
        module = importlib.import_module(f"pettingzoo.classic.{game}")
        for kind in ("raw_env", "env"):
            found = episode_speeds(getattr(module, kind)(), plan)
            charted = kind == "raw_env"
            results.append(
                Result(
                    GROUP,
                    f"{GAMES[game]}, {kind}",
                    DECISIONS,
                    found.processor,
                    wall=found.wall,
                    series=f"PettingZoo {GAMES[game]}" if charted else "",
                    size=int(charted),
                )
            )
    return results
