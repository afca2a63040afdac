"""Fit how likely hands are kept to exchanges of self-play, and write the weights beside this file.

    python -m agents.search.fit                                  # the pack of 32 cards, as shipped
    python -m agents.search.fit --deals 5000 --output keeping.npz

The model tells the hand that was kept from other hands that could have been kept of the same cards (a conditional logit
with sampled alternatives).
"""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from agents.base import BatchAgent
from agents.files import write_atomically
from agents.registry import make_agent
from piquet_env.rules.cards import cards_in
from piquet_env.rules.start import Start, begin_rows
from piquet_env.rules.state import NOBODY, PLAY, STATE_DTYPE
from piquet_env.rules.variants import Rules

from .jit import jit
from .keeping import NUM_TERMS, NUM_WEIGHTS, STEPS, weights_path, write_keeping_terms
from .rollout import Rollout, deal_rows

DEALS = 60_000
CHUNK = 1000
ALTERNATIVES = 96
RATES = (0.05, 0.05, 0.03, 0.02, 0.01, 0.004)  # of Adam, by epoch
BATCH = 512
RIDGE = 4e-5
TOTALS = (8, 14, 20, 28, 36, 60)  # points of earlier deals are drawn from these

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with these arguments (None: those of the process) and return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deals", type=int, default=DEALS)
    parser.add_argument("--seed", type=int, default=77)
    parser.add_argument("--output", type=Path, default=weights_path(32))
    options = parser.parse_args(argv)
    rules = Rules()
    rng = np.random.default_rng(options.seed)
    player = make_agent("heuristic", rules)
    assert isinstance(player, BatchAgent), "heuristic decides in batches"
    hands, discards = play_exchanges(rules, player, options.deals, rng)
    weights = np.stack([fit_role(hands[:, role], discards[:, role], rules, rng) for role in range(2)])
    content = io.BytesIO()
    np.savez_compressed(content, weights=np.rint(STEPS / np.log(2) * weights).astype(np.int16))
    write_atomically(options.output, content.getvalue())
    return 0


def play_exchanges(rules: Rules, player: BatchAgent, deals: int, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Return the hands and the discards of both roles behind the exchange, masks of cards: int64[N, 2] each."""
    codes = rules.codes()
    rollout = Rollout(rules, player)
    hands, discards = [], []
    for chunk in range(-(-deals // CHUNK)):
        number = int(rng.integers(1, rules.deals + 1))
        first, second = rng.choice(TOTALS, size=(2, number - 1)).sum(axis=1).tolist()
        size = min(CHUNK, deals - CHUNK * chunk)
        start = Start(totals=(int(first), int(second)), deal_number=number, dealer=chunk % 2)
        rows = np.tile(begin_rows(rules, codes, start), (size, 1)).view(STATE_DTYPE)[:, 0]
        deal_rows(rows, codes, rng.permuted(np.tile(np.arange(rules.pack, dtype=np.int8), (size, 1)), axis=1))
        rollout.run(rows, NOBODY, int(rng.integers(1 << 62)))
        rows = rows[rows["phase"] == PLAY]
        held = rows["hands"].copy()
        held[:, 0] |= np.int64(1) << rows["led"]
        hands.append(held)
        discards.append(rows["discards"])
    return np.concatenate(hands), np.concatenate(discards)


def fit_role(hands: Ints, discards: Ints, rules: Rules, rng: np.random.Generator) -> Floats:
    """Return the weights of one role in natural logarithms, float64[NUM_WEIGHTS].

    Prints the loss on the tenth that is held out, after each epoch.
    """
    number = int(np.bincount(np.bitwise_count(discards)).argmax())
    usual = np.bitwise_count(discards) == number
    hands, discards = hands[usual], discards[usual]
    terms, same = terms_of(hands, discards, number, rules, rng)
    held_out = len(hands) // 10
    weights, mean, square, step = np.zeros(NUM_WEIGHTS), np.zeros(NUM_WEIGHTS), np.zeros(NUM_WEIGHTS), 0
    for rate in RATES:
        order = held_out + rng.permutation(len(hands) - held_out)
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            slope = slope_of(weights, terms[batch], same[batch]) + RIDGE * weights
            step += 1
            mean += 0.1 * (slope - mean)
            square += 0.001 * (slope * slope - square)
            weights -= rate * mean / (1 - 0.9**step) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
        loss = -np.log(chances(weights, terms[:held_out], same[:held_out])[:, 0]).mean()
        print(f"loss {loss:.4f} where {np.log(1 + ALTERNATIVES):.4f} is no knowledge", flush=True)
    return weights


def terms_of(
    hands: Ints, discards: Ints, number: int, rules: Rules, rng: np.random.Generator
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.bool_]]:
    """Return the places of the weights of each hand and its alternatives, and which of these are the hand again.

    int32[N, 1 + ALTERNATIVES, NUM_TERMS] and bool[N, 1 + ALTERNATIVES]; the first is the hand itself.
    """
    pools = hands | discards
    cards = np.array([cards_in(pool, rules.ranks) for pool in pools.tolist()], dtype=np.int64)
    out = np.empty((len(hands), 1 + ALTERNATIVES), dtype=np.int64)
    out[:, 0] = discards
    for place in range(1, 1 + ALTERNATIVES):
        picks = rng.random(cards.shape).argpartition(number, axis=1)[:, :number]
        out[:, place] = (np.int64(1) << np.take_along_axis(cards, picks, axis=1)).sum(axis=1)
    terms = np.empty((*out.shape, NUM_TERMS), dtype=np.int32)
    write_all_terms(pools, out, rules.ranks, terms)
    same = out == discards[:, None]
    same[:, 0] = False
    return terms, same


def chances(weights: Floats, terms: npt.NDArray[np.int32], same: npt.NDArray[np.bool_]) -> Floats:
    """Return how likely each alternative is by the model, float64[N, 1 + ALTERNATIVES]."""
    sums = weights[terms].sum(axis=2)
    sums[same] = -np.inf
    odds = np.exp(sums - sums.max(axis=1, keepdims=True))
    return odds / odds.sum(axis=1, keepdims=True)


def slope_of(weights: Floats, terms: npt.NDArray[np.int32], same: npt.NDArray[np.bool_]) -> Floats:
    """Return the derivative of the mean loss by each weight."""
    error = chances(weights, terms, same)
    error[:, 0] -= 1
    spread = np.repeat(error.ravel() / len(terms), NUM_TERMS)
    return np.bincount(terms.ravel(), weights=spread, minlength=NUM_WEIGHTS).astype(np.float64)


@jit
def write_all_terms(pools: np.ndarray, out: np.ndarray, ranks: int, terms: np.ndarray) -> None:
    """Write the places of the weights of all hands; pools: int64[N], out: int64[N, M], masks of cards."""
    room = np.zeros(NUM_TERMS, dtype=np.int64)
    for row in range(out.shape[0]):
        for place in range(out.shape[1]):
            write_keeping_terms(pools[row] & ~out[row, place], out[row, place], ranks, room)
            for term in range(NUM_TERMS):
                terms[row, place, term] = room[term]


if __name__ == "__main__":
    sys.exit(main())
