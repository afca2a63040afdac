"""Measure what a decision among the last cards takes, and how far its strategies are from equilibrium.

    python -m bench.search_endgame
    python -m bench.search_endgame --cards 5 --positions 100

Whole parties are played by `heuristic` for both seats; each choice of a card with so few cards in hand is searched as a
game of hidden hands, and by playing deals on. What the first gains is a matter for `python -m bench.search_parts`.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence

import numpy as np

from agents.base import BatchAgent, View
from agents.registry import make_agent
from agents.search.agent import WORLDS
from agents.search.continuation import UNLIKE
from agents.search.endgame import EndgameSearch, EndgameSolver, legal_cards
from agents.search.play_search import PlaySearch
from agents.search.rollout import Rollout
from agents.search.seen import Seen
from agents.search.solver import Solver
from agents.search.stakes import EQUITY_STEPS, Stakes
from piquet_env.game import Game
from piquet_env.rules.variants import Rules

MIXED = 0.95  # a card that is played with less than this chance is one of several


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with these arguments (None: those of the process) and return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cards", type=int, default=4)
    parser.add_argument("--positions", type=int, default=300)
    options = parser.parse_args(argv)
    rules = Rules()
    base = make_agent("heuristic", rules)
    assert isinstance(base, BatchAgent), "heuristic decides in batches"
    base.reset(1)
    rollout, stakes = Rollout(rules, base), Stakes(rules, "always")
    endgame = EndgameSearch(rules, rollout, stakes, cards=options.cards, unlike=UNLIKE)
    plain = PlaySearch(rules, rollout, Solver(), stakes, worlds=WORLDS, unlike=UNLIKE, solves=False)
    solver, rng = EndgameSolver(), np.random.default_rng(5)
    clock = np.zeros((options.positions, 3))
    gaps: list[float] = []
    alike, mixed, unsolved = 0, 0, 0
    for place, (view, action) in zip(range(options.positions), choices(base, rules, options.cards), strict=False):
        seen, offset = Seen.of(view.observation, rules), float(rng.random())
        times = [time.process_time()]
        ranges = endgame.ranges(seen, offset)
        times.append(time.process_time())
        assert ranges is not None, "the belief is exact among so few cards"
        terms = stakes.terms(seen)
        found = solver.solve(ranges, led=seen.led, own_moves=True, won=seen.tricks_won[0], terms=terms)
        times.append(time.process_time())
        card = plain.card(seen, action, offset)
        times.append(time.process_time())
        clock[place] = np.diff(times)
        if found is None or found.chances is None:
            unsolved += 1
            continue
        gaps.append(found.gap / (EQUITY_STEPS if terms.equity is not None else 1))
        alike += legal_cards(seen)[int(found.chances.argmax())] == card
        mixed += found.chances.max() < MIXED
    mean, most = 1000 * clock[1:].mean(axis=0), 1000 * clock[1:].max(axis=0)  # the first one loads the kernels
    print(f"processor time of a decision: hands {mean[0]:.1f} ms, solution {mean[1]:.1f} ms (at most {most[1]:.0f}),")
    print(f"plain search {mean[2]:.1f} ms; without room {unsolved} of {options.positions}")
    print(f"gap of the strategies {np.mean(gaps):.4f} settlement points, at most {max(gaps):.4f};")
    print(f"the likeliest card is plain search's in {alike} of {len(gaps)}, several cards are played in {mixed}")
    return 0


def choices(base: BatchAgent, rules: Rules, cards: int) -> Iterator[tuple[View, int]]:
    """Yield each choice of a card with at most so many in hand in endless parties of the base agent, and its card."""
    partie = 0
    while True:
        game = Game(rules, seed=778, partie=partie)
        while (seat := game.to_act) is not None:
            view = View(game.observation(seat), game.action_mask(seat), rules)
            action = base.act(view)
            if np.count_nonzero(view.action_mask[: rules.pack]) > 1 and len(view.hand) <= cards:
                yield view, action
            game.apply(action)
        partie += 1


if __name__ == "__main__":
    sys.exit(main())
