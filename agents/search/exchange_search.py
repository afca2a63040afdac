"""The exchange: candidates tried on the same sampled cards, and a doubt before one displaces the base agent's own.

There are rounds of ever fewer sets on ever more cards. The best of many noisy means is too good to be true, so the
first round, which chooses among most, does not count in the end; and the base agent's choice stands unless another is
better by more than the noise of their difference.
"""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from piquet_env.rules.state import ELDER, YOUNGER
from piquet_env.rules.variants import Rules

from .candidates import all_discards, guess_all
from .outcome import value_outcomes
from .rollout import EXCHANGES, Rollout
from .seen import Seen
from .solver import Solver
from .stakes import Stakes

CHUNK = 8  # worlds between two looks at the clock


@dataclass(frozen=True, kw_only=True)
class Effort:
    """How much the search for an exchange looks at.

    guesses: worlds of the quick guess
    rounds:  by round, how many sets come to it, and the worlds on which they are tried in it
    doubt:   standard errors by which a set must be better than the base agent's
    """

    guesses: int = 24
    rounds: tuple[tuple[int, int], ...] = ((14, 32), (6, 64), (3, 160))
    doubt: float = 1.5


class ExchangeSearch:
    """Finds the discards of a seat, the same for the same position.

    solves: whether the play is solved with both hands known; otherwise the deal is played on by the base agent
    """

    def __init__(
        self, rules: Rules, rollout: Rollout, solver: Solver, stakes: Stakes, effort: Effort, *, solves: bool
    ) -> None:
        self._rules = rules
        self._stakes = stakes
        self._rollout = rollout
        self._solver = solver
        self._effort = effort
        self._solves = solves

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
        worlds = self.worlds(seen, hand, seed, effort.guesses)
        base_set = self._set_of_base(worlds)
        if base_set is None:
            return None
        sets = self._promising(seen, hand, worlds, base_set)
        if len(sets) == 1:
            return int(sets[0])
        worlds = self.worlds(seen, hand, seed + 2, sum(number for _, number in effort.rounds))
        if len(worlds) < 2 * len(effort.rounds):
            return base_set
        return self._try_sets(seen, worlds, sets, base_set, seed + 3, until)

    def _try_sets(
        self,
        seen: Seen,
        worlds: np.ndarray,
        sets: npt.NDArray[np.int64],
        base_set: int,
        seed: int,
        until: float | None,
    ) -> int:
        """Return the set to exchange: the base agent's, or one that is better beyond doubt."""
        ends = np.cumsum([number for _, number in self._effort.rounds])
        ends = len(worlds) * ends // ends[-1]
        values = self.values(seen, worlds[: ends[0]], sets, seed, until)
        counted = values[:0]
        for (most, _), start, end in zip(self._effort.rounds[1:], ends, ends[1:], strict=False):
            kept = np.argsort(-values.mean(axis=0), kind="stable")[:most]
            kept = np.union1d(kept, np.flatnonzero(sets == base_set))
            sets = sets[kept]
            if len(sets) == 1:
                return base_set
            fresh = self.values(seen, worlds[start:end], sets, seed + int(start), until)
            values = np.concatenate([values[:, kept], fresh])
            counted = np.concatenate([counted[:, kept], fresh])
            if until is not None and time.perf_counter() > until:
                break
        gains = counted - counted[:, sets == base_set]
        best = int(gains.sum(axis=0).argmax())
        return int(sets[best]) if _is_more_than_noise(gains[:, best], self._effort.doubt) else base_set

    def worlds(self, seen: Seen, hand: int, seed: int, worlds: int) -> np.ndarray:
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
        return np.unique(np.append(sets[order[: self._effort.rounds[0][0]]], base_set))

    def values(
        self, seen: Seen, worlds: np.ndarray, sets: npt.NDArray[np.int64], seed: int, until: float | None
    ) -> npt.NDArray[np.float64]:
        """Return the value of each set in each world, float64[W, S]; fewer worlds where the time is up."""
        size = max(1, len(worlds)) if until is None else CHUNK
        values = []
        for start in range(0, len(worlds), size):
            part = worlds[start : start + size]
            rows = np.repeat(part, len(sets))
            self._rollout.exchange(rows, np.tile(sets, len(part)))
            values.append(self._worth_of(seen, rows, seed + start).reshape(len(part), len(sets)))
            if until is not None and time.perf_counter() > until:
                break
        return np.concatenate(values)

    def _worth_of(self, seen: Seen, rows: np.ndarray, seed: int) -> npt.NDArray[np.float64]:
        """Return what each row, whose seats have exchanged or are about to, is worth, float64[N]."""
        if not self._solves:
            worth = self._stakes.worth_of_points(seen)
            return worth(self._rollout.play_out(rows, seed)).astype(np.float64)
        self._rollout.run(rows, seen.role, seed)
        return value_outcomes(self._solver, self._rules, rows, seen.role, self._stakes.worth(seen))


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
