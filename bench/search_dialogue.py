"""Measure what the search of the dialogue gives: where it departs from its base, both words are tried on fresh hands.

    python -m bench.search_dialogue
    python -m bench.search_dialogue --base pretrained --positions 400

It departs so seldom that a match tells little. Here whole parties are played by the base agent for both seats, and each
choice of the dialogue is searched. Where the choices agree the gain is zero; elsewhere it is the mean, in expected
settlement points, over another sample of hands, the deals being played on by the base.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from agents.base import BatchAgent, View
from agents.registry import make_agent
from agents.search.agent import DIALOGUE_DOUBT, WORLDS
from agents.search.dialogue_rows import PHASES
from agents.search.dialogue_search import DialogueSearch, choose
from agents.search.rollout import Rollout
from agents.search.seen import Seen
from agents.search.stakes import FINE_STEPS, Stakes
from agents.statistics import mean_interval
from piquet_env.game import Game
from piquet_env.rules.actions import KIND_WITHHOLD
from piquet_env.rules.variants import Rules


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with these arguments (None: those of the process) and return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", default="heuristic")
    parser.add_argument("--positions", type=int, default=400, help="rounded up to whole parties")
    parser.add_argument("--worlds", type=int, default=WORLDS)
    parser.add_argument("--fresh", type=int, default=192)
    parser.add_argument("--doubt", type=float, default=DIALOGUE_DOUBT)
    parser.add_argument("--seed", type=int, default=777)
    options = parser.parse_args(argv)
    rules = Rules()
    base = make_agent(options.base, rules)
    if not isinstance(base, BatchAgent):
        parser.error(f"{options.base} does not decide in batches")
    base.reset(1)
    stakes = Stakes(rules, "always")
    search = DialogueSearch(Rollout(rules, base), stakes, worlds=options.worlds, doubt=options.doubt)
    rng = np.random.default_rng(5)
    gains: list[float] = []
    departed: Counter[str] = Counter()
    seconds = 0.0
    for view, action in words(base, rules, options.seed):
        if action is None:
            if len(gains) >= options.positions:
                break
            continue
        seen, actions = Seen.of(view.observation, rules), np.flatnonzero(view.action_mask)
        began = time.process_time()
        rows, weights = search.worlds(seen, view.action_mask, options.worlds, float(rng.random()))
        chosen = choose(actions, search.values(seen, rows, actions, 3), weights, action, options.doubt)
        seconds += time.process_time() - began
        rows, weights = search.worlds(seen, view.action_mask, options.fresh, float(rng.random()))
        values = search.values(seen, rows, actions, 4)
        gain = values[:, actions == chosen] - values[:, actions == action]
        gains.append(float(weights @ gain[:, 0]) / float(weights.sum()) / FINE_STEPS)
        departed[seen.phase] += chosen != action
    found = mean_interval(gains)
    half = 0.0 if found.high is None else found.high - found.mean
    print(f"gain a word {found.mean:+.2f} ± {half:.2f} settlement points; other words in {departed.total()}")
    print(f"of {len(gains)} choices ({+departed}); {1000 * seconds / len(gains):.0f} ms of processor time a word")
    return 0


def words(base: BatchAgent, rules: Rules, seed: int) -> Iterator[tuple[View, int | None]]:
    """Yield each choice of the dialogue in endless parties of the base agent, with its word; None ends a partie."""
    first = (KIND_WITHHOLD + 1) * rules.pack
    partie = 0
    while True:
        game = Game(rules, seed=seed, partie=partie)
        while (seat := game.to_act) is not None:
            view = View(game.observation(seat), game.action_mask(seat), rules)
            action = base.act(view)
            is_choice = np.count_nonzero(view.action_mask[first:]) > 1
            if is_choice and Seen.of(view.observation, rules).phase in PHASES:
                yield view, action
            game.apply(action)
        yield view, None
        partie += 1


if __name__ == "__main__":
    sys.exit(main())
