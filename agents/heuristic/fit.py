"""Fit the weights of `heuristic` to deals of self-play and write them beside this file.

    python -m agents.heuristic.fit                 # both packs, as shipped
    python -m agents.heuristic.fit --pack 36 --deals 20000 --output weights.npz

The first round plays like `greedy`; each later round plays with the weights of the round before. Some discards and
cards are exchanged for random ones, so that the fit learns about what the player would not do by itself.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from agents.base import Actions, BatchAgent
from agents.files import write_atomically
from agents.greedy_agent import GreedyAgent
from agents.lockstep import Lockstep
from agents.streams import RowRandom, Streams
from piquet_env.rules.actions import first_id
from piquet_env.rules.variants import Rules

from .agent import HeuristicAgent
from .evaluation import NUM_WEIGHTS, UNIT
from .exchange import QUICK
from .history import LEAD_EXTRA, NUM_EXTRA, hand_rows, play_rows
from .kernel import Tables
from .regression import fit_sums, predict_sums
from .score import no_slopes
from .suits import NUM_CODES, suit_facts
from .tricks import KIND, LEAD, NUM_PLAY_TERMS, NUM_PLAY_WEIGHTS, bonus_table
from .weights import pack_weights, weights_path

SHIPPED = {32: (100_000, 4), 36: (25_000, 3)}  # deals a round and rounds, by pack
CHUNK = 4000
Fitted = tuple[np.ndarray, np.ndarray, np.ndarray]  # weights of hands, of the play, spread of the tricks


class Player(HeuristicAgent):
    """`heuristic` with given weights, blind to the score: a deal alone has none."""

    def __init__(self, fitted: Fitted) -> None:
        super().__init__()
        self._fitted = fitted

    def _settings(self, pack: int) -> np.ndarray:
        settings = super()._settings(pack)
        settings["effort"], settings["line"] = QUICK, -1
        return settings

    def _make_tables(self, pack: int) -> Tables:  # noqa: ARG002  (the weights are of one pack)
        hand, play, spread = self._fitted
        return Tables(suit_facts(), no_slopes(), hand, play, bonus_table(spread))


class Explorer(BatchAgent):
    """Another agent with some of its discards and cards exchanged for random legal ones."""

    def __init__(self, agent: BatchAgent, pack: int, share: float) -> None:
        self._agent, self._pack, self._share = agent, pack, share

    def act_batch(self, observations: np.ndarray, masks: np.ndarray, rng: RowRandom) -> Actions:
        """Return an action for each row, int64[N]."""
        actions = self._agent.act_batch(observations, masks, rng)
        number = rng.random(len(masks))
        cards = actions < first_id("draw", self._pack)
        share = np.where(actions < first_id("discard", self._pack), self._share / 2, self._share)
        rows = np.flatnonzero((number < share) & cards)
        legal = masks[rows, : first_id("draw", self._pack)].astype(np.float64)
        odds = legal.cumsum(axis=1)
        actions[rows] = (odds > (number[rows] / share[rows] * odds[:, -1])[:, None]).argmax(axis=1)
        return actions


def play_deals(agent: BatchAgent, rules: Rules, seed: int, deals: int) -> np.ndarray:
    """Return the ended states of deals that the agent has played with itself, STATE_DTYPE[deals]."""
    states = []
    for start in range(0, deals, CHUNK):
        lockstep = Lockstep(rules, seed, range(start, min(start + CHUNK, deals)))
        streams = Streams(np.arange(start, min(start + CHUNK, deals), dtype=np.uint64) + np.uint64(seed << 32))
        while len(rows := np.flatnonzero(lockstep.to_act >= 0)):
            observations, masks = lockstep.observe(rows)
            assert lockstep.apply(rows, agent.act_batch(observations, masks, streams.rows(rows))).all()
        states.append(lockstep.states)
    return np.concatenate(states)


def fit_hands(states: np.ndarray, pack: int) -> np.ndarray:
    """Return the weights of hands, float64[2, NUM_WEIGHTS, 2]."""
    patterns = 2 * 512
    ridge = np.full(NUM_WEIGHTS + patterns, 20.0)
    ridge[:NUM_CODES] = 60.0
    weights = np.zeros((2, NUM_WEIGHTS, 2))
    for role in range(2):
        terms, targets = hand_rows(states, role, pack)
        fitted = fit_sums(terms, targets, ridge)
        error = targets - predict_sums(terms, fitted)
        print(f"  role {role}: rows {len(terms)}, variance explained {1 - error.var(0) / targets.var(0)}")
        weights[role] = fitted[:NUM_WEIGHTS]
        own, other = patterns_of_codes()
        weights[role, :NUM_CODES] += fitted[NUM_WEIGHTS + own] + fitted[NUM_WEIGHTS + 512 + other]
    return weights


def patterns_of_codes() -> tuple[np.ndarray, np.ndarray]:
    """Return the own and the other's pattern of every code, int64[NUM_CODES] each."""
    codes = np.arange(NUM_CODES)
    digits = codes[:, None] // 3 ** np.arange(9) % 3  # from the ace down
    places = 1 << np.arange(8, -1, -1)
    return (digits == 2) @ places, (digits == 1) @ places


def fit_play(states: np.ndarray, pack: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the weights of the play, float64[NUM_PLAY_WEIGHTS, 3], and the spread of the tricks, float64[13]."""
    terms, targets, lead_terms, lead_targets, cards = play_rows(states, pack)
    own, other = patterns_of_codes()
    ridge = np.full(NUM_PLAY_WEIGHTS + NUM_EXTRA, 20.0)
    ridge[: 4 * NUM_CODES] = 60.0
    fitted = fit_sums(terms, targets, ridge, 40)
    error = targets - predict_sums(terms, fitted)
    print(f"  play: rows {len(terms)}, variance explained {1 - error.var(0) / targets.var(0)}")
    spread = np.array([error[cards == left, 2].std() if (cards == left).any() else 0.0 for left in range(13)])
    for case in range(4):
        first = NUM_PLAY_WEIGHTS + 1024 * case
        fitted[case * NUM_CODES : (case + 1) * NUM_CODES] += fitted[first + own] + fitted[first + 512 + other]
    fitted[NUM_PLAY_WEIGHTS:] = 0
    lead_error = lead_targets - predict_sums(np.ascontiguousarray(lead_terms[:, :NUM_PLAY_TERMS]), fitted)
    added = np.ascontiguousarray(lead_terms[:, NUM_PLAY_TERMS:])
    gains = fit_sums(added, lead_error, ridge, 40)
    rest = lead_error - predict_sums(added, gains)
    print(f"  leads: rows {len(added)}, variance explained {1 - rest.var(0) / lead_error.var(0)}")
    patterns = gains[LEAD_EXTRA:].reshape(2, 512, 9, 3)
    lead = gains[LEAD:KIND].reshape(2, NUM_CODES, 9, 3)
    lead += patterns[0, own] + patterns[1, other]
    return fitted[:NUM_PLAY_WEIGHTS] + gains[:NUM_PLAY_WEIGHTS], spread


def fit_rounds(pack: int, deals: int, rounds: int, share: float, output: Path) -> None:
    """Write weights fitted in several rounds of self-play; the file is replaced after each round."""
    rules = Rules.of("rubicon deals=1 tie_break=draw" if pack == 32 else "rubicon pack=36 deals=1 tie_break=draw")
    agent: BatchAgent = GreedyAgent(elder_max=rules.elder_max)
    pool: list[np.ndarray] = []
    for turn in range(rounds):
        began = time.perf_counter()
        states = play_deals(Explorer(agent, pack, share if turn else 0.25), rules, 7001 + turn, deals)
        points = states["score"].mean(0)
        print(f"round {turn}: {time.perf_counter() - began:.0f} s, elder {points[0]:.2f}, younger {points[1]:.2f}")
        pool = [*pool[-1:], states] if turn > 1 else [states]
        known = np.concatenate(pool)
        hand = fit_hands(known, pack)
        play, spread = fit_play(known, pack)
        fitted = (np.rint(hand * UNIT).astype(np.int32), np.rint(play * UNIT).astype(np.int32), spread)
        write_atomically(output, pack_weights(*fitted))
        agent = Player(fitted)
        agent.elder_max = rules.elder_max
        print(f"  fitted after {time.perf_counter() - began:.0f} s", flush=True)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with these arguments and return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pack", type=int, choices=(32, 36), action="append", help="32 or 36; both if not given")
    parser.add_argument("--deals", type=int, help="deals a round (as shipped)")
    parser.add_argument("--rounds", type=int, help="rounds of play and fit (as shipped)")
    parser.add_argument("--share", type=float, default=0.1, help="share of random cards (0.1)")
    parser.add_argument("--output", type=Path, metavar="FILE.npz", help="where to write (beside this file)")
    options = parser.parse_args(argv)
    for pack in options.pack or (32, 36):
        deals, rounds = SHIPPED[pack]
        output = options.output or weights_path(pack)
        fit_rounds(pack, options.deals or deals, options.rounds or rounds, options.share, output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
