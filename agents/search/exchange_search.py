"""The exchange: candidates tried on the same sampled cards, and a doubt before one displaces the base agent's own.

The best of many noisy means is too good to be true, so there are two rounds: the first chooses few candidates of many,
the second values these on fresh cards; and the base agent's choice stands unless another is better by more than the
noise of their difference.
"""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from agents.base import BatchAgent
from piquet_env.rules.state import ELDER, YOUNGER
from piquet_env.rules.variants import Rules

from .candidates import all_discards, guess_all
from .outcome import value_outcomes
from .rollout import EXCHANGES, Rollout
from .seen import Seen
from .solver import Solver
from .stakes import Stakes

import json, os
X = dict(rounds=[[14, 32], [6, 64], [3, 160]], ex_doubt=1.5, log=0, ex_leaf="play")
X.update(json.loads(os.environ.get("SX", "{}")))
CHUNK = 8  # worlds between two looks at the clock


@dataclass(frozen=True, kw_only=True)
class Effort:
    """How much the search for an exchange looks at.

    guesses:    worlds of the quick guess
    candidates: sets that come to the first round; worlds: its worlds
    finalists:  sets that come to the second round; final_worlds: its worlds
    doubt:      standard errors by which a set must be better than the base agent's
    """

    guesses: int = 24
    candidates: int = 14
    rounds: tuple = tuple(map(tuple, X["rounds"]))
    doubt: float = X["ex_doubt"]


class ExchangeSearch:
    """Finds the discards of a seat, the same for the same position."""

    def __init__(self, rules: Rules, base: BatchAgent, solver: Solver, stakes: Stakes, effort: Effort) -> None:
        self._rules = rules
        self._stakes = stakes
        self._base = base
        self._rollout = Rollout(rules, base)
        self._solver = solver
        self._effort = effort

    def discards(self, seen: Seen, seconds: float | None = None) -> int | None:
        """Return the mask of cards to exchange; None where search has nothing to say and the base agent decides.

        seconds: stop after about so long; None: look at all worlds of the effort
        """
        until = None if seconds is None else time.perf_counter() + seconds
        facts = seen.facts
        if facts["own_carte_blanche"].any() or facts["other_carte_blanche"].any() or seen.deal_number == 0:
            return None
        hand, seed = seen.mask("dealt"), seed_of(seen)
        effort = self._effort
        worlds = self._worlds(seen, hand, seed, effort.guesses)
        base_set = self._set_of_base(worlds)
        if base_set is None:
            return None
        sets = self._promising(seen, hand, worlds, base_set)
        if len(sets) == 1:
            return int(sets[0])
        worlds = self._worlds(seen, hand, seed + 2, sum(number for _, number in effort.rounds))
        if len(worlds) < 2:
            return base_set
        sums = np.zeros(len(sets))
        met = 0
        kept = np.arange(len(sets))
        late = []
        start = 0
        for number, (most, _) in enumerate(effort.rounds):
            if number:
                order = np.argsort(-sums[kept], kind="stable")[:most]
                of_base = np.flatnonzero(sets[kept] == base_set)
                chosen = np.union1d(order, of_base)
                kept = kept[chosen]
                late = [part[:, chosen] for part in late]
            if len(kept) == 1:
                return base_set
            end = len(worlds) * sum(n for _, n in effort.rounds[: number + 1]) // sum(n for _, n in effort.rounds)
            values = self._values(seen, worlds[start:end], sets[kept], seed + 3, until)
            start = end
            sums[kept] += values.sum(axis=0)
            if number:
                late.append(values)
            if number and until is not None and time.perf_counter() > until:
                break
        values = np.concatenate(late)
        of_base = int(np.flatnonzero(sets[kept] == base_set)[0])
        gains = values - values[:, [of_base]]
        best = int(gains.sum(axis=0).argmax())
        if X["log"]:
            g = gains[:, best]
            print("EX", seen.role, len(g), round(g.mean(), 2), round(g.std() , 2), g.mean() / (g.std() / len(g) ** .5 + 1e-9), flush=True)
        return int(sets[kept][best]) if _is_more_than_noise(gains[:, best], effort.doubt) else base_set

    def _worlds(self, seen: Seen, hand: int, seed: int, worlds: int) -> np.ndarray:
        """Return rows that ask for this seat's exchange, alike to it as far as the other's exchange tells."""
        rows = self._rollout.deal(hand, seen.role, seen.deal_number, seen.totals, seed, worlds)
        states = self._rollout.run(rows, seen.role, seed)
        fits = states == EXCHANGES
        if seen.role == YOUNGER:
            fits &= rows["taken"][:, ELDER] == int(seen.facts["other_taken"][0]) - 1
        return rows[fits]

    def _set_of_base(self, worlds: np.ndarray) -> int | None:
        """Return what the base agent would exchange; it sees the same in all worlds."""
        if len(worlds) < 2:
            return None
        return self._rollout.chosen_discards(worlds[:1].copy())

    def _promising(self, seen: Seen, hand: int, worlds: np.ndarray, base_set: int) -> npt.NDArray[np.int64]:
        """Return the sets with the best guesses, the base agent's among them."""
        role, rules = seen.role, self._rules
        taken = 0 if role == ELDER else int(seen.facts["other_taken"][0]) - 1
        most = int(rules.elder_max or 5) if role == ELDER else rules.pack - 24 - taken
        least = 0 if role == YOUNGER and not rules.younger_must_exchange else 1
        sets = all_discards(hand, max(least, most - 2), most)
        values = np.empty(len(sets))
        draws = np.ascontiguousarray(worlds["talon"][:, taken:])
        guess_all(
            hand, sets, draws, np.ascontiguousarray(worlds["hands"][:, 1 - role]), rules.ranks,
            int(rules.codes()["sets_from"][0]), values,
        )  # fmt: skip
        order = np.argsort(-values, kind="stable")
        return np.unique(np.append(sets[order[: self._effort.candidates]], base_set))

    def _values(
        self, seen: Seen, worlds: np.ndarray, sets: npt.NDArray[np.int64], seed: int, until: float | None
    ) -> npt.NDArray[np.float64]:
        """Return the value of each set in each world, float64[W, S]; fewer worlds where the time is up."""
        worth = self._stakes.worth(seen)
        size = max(1, len(worlds)) if until is None else CHUNK
        values = []
        for start in range(0, len(worlds), size):
            part = worlds[start : start + size]
            rows = np.repeat(part, len(sets))
            self._rollout.exchange(rows, np.tile(sets, len(part)))
            self._rollout.run(rows, seen.role, seed + start)
            if X["ex_leaf"] == "play":
                self._rollout.run_out(rows, seed + start)
                points = rows["deal_points"].astype(np.int64)
                found = self._stakes.worth_of_points(seen)(points)
                values.append(found.reshape(len(part), len(sets)))
                continue
            found = value_outcomes(self._solver, self._rules, rows, seen.role, worth)
            values.append(found.reshape(len(part), len(sets)))
            if until is not None and time.perf_counter() > until:
                break
        return np.concatenate(values)


def _is_more_than_noise(gains: npt.NDArray[np.float64], doubt: float) -> bool:
    """Return whether the mean of paired gains is above `doubt` of its standard errors.

    Gains are whole numbers, so the sums are exact and the answer is the same on every machine.
    """
    number, total, squares = len(gains), float(gains.sum()), float((gains * gains).sum())
    if number < 2 or total <= 0:
        return False
    variance = (squares - total * total / number) / (number - 1)
    return total > doubt * float(np.sqrt(max(variance, 0.0) * number))


def seed_of(seen: Seen) -> int:
    """Return the seed of a decision: a digest of what the seat sees at its exchange, so that it decides alike again."""
    numbers = [seen.mask("dealt"), seen.role, seen.deal_number, *seen.totals, int(seen.facts["other_taken"][0])]
    digest = hashlib.sha256(" ".join(map(str, numbers)).encode()).digest()
    return int.from_bytes(digest[:7], "little")
