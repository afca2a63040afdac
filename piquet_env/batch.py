"""`PiquetBatch`: N parties in lock-step over one array of states, for training and evaluation.

One call of `step` is one fused pass of compiled code: it applies an action to every row, pays, deals, restarts ended
parties, and fills the caller's buffers in place. Row i plays the parties of seed `seed + i`, one after the other: the
same as `raw_env().reset(seed=seed + i)` followed by resets without a seed, whatever N and the number of threads are.

```python
batch = PiquetBatch(1024, seed=7)
out = batch.reset()
while True:
    actions = choose(out.observation, out.action_mask)   # one a row, for the seat out.to_act
    out = batch.step(actions)                            # the same buffers, filled anew
```
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from typing import Any, NamedTuple

import numba
import numpy as np

from .batch_kernel import (
    CHECK,
    CHECK_AND_STEP,
    DISABLED,
    LOOK,
    NEXT_STEP,
    RESTART,
    SAME_STEP,
    START_DEALER,
    START_PLAYED,
    STEP,
    run_rows,
)
from .observation import make_scratch, observation_scale, observation_size
from .rewards import REWARDS, RewardRule
from .rules.actions import num_actions
from .rules.start import MOST_SEED, check_decks, check_starts
from .rules.state import NOBODY, PARTIE_OVER, STATE_DTYPE
from .rules.variants import Rules

_AUTORESETS = {"same_step": SAME_STEP, "next_step": NEXT_STEP, "disabled": DISABLED}
AUTORESET_MODES = tuple(_AUTORESETS)
DTYPES = ("float32", "int8")
_IS_COMPILED = not numba.config.DISABLE_JIT
_FIRST_DEAL = np.array([[0, 0, 0, NOBODY]], dtype=np.int64)  # totals, deals played, dealer
CRITIC_BLOCKS = (
    ("other_hand", "by card: the other's hand"),
    ("other_discards", "by card: the other's discards"),
    ("talon", "by card: place in the talon as dealt, from 1; as float32 divided by 12"),
)


class Buffers(NamedTuple):
    """What a step fills in place; every array has one row an environment.

    observation:  float32 or int8 [N, observation_size], of the seat to act (docs/observation.md)
    action_mask:  int8 [N, num_actions]; all zeros where nobody is to act
    to_act:       int8 [N], the seat to act; -1 where a partie has ended and waits
    rewards:      float32 [N, 2], by seat, of this step
    terminated:   bool [N], whether a partie ended in this step
    """

    observation: np.ndarray
    action_mask: np.ndarray
    to_act: np.ndarray
    rewards: np.ndarray
    terminated: np.ndarray


class Finals(NamedTuple):
    """How the last ended partie of each row ended; written when it ends, kept until the next one ends.

    observation: as the buffers' [N, 2, observation_size], by seat (None unless `keep_final_observation`)
    rewards:     float32 [N, 2]
    totals:      int64 [N, 2]
    settlement:  int64 [N], to seat 0
    """

    observation: np.ndarray | None
    rewards: np.ndarray
    totals: np.ndarray
    settlement: np.ndarray


class PiquetBatch:
    """N parties in lock-step.

    num_envs:    N
    rules:       preset name, text or `Rules`, for all rows
    reward:      `settlement`, `win`, `deal_points` or `equity` (piquet_env/rewards.py)
    seed:        row i plays the parties of seed + i
    dtype:       "float32" (entries in [0, 1]) or "int8" (whole numbers) for observations
    skip_forced: play decisions with one legal action by itself
    autoreset:   "same_step" (the next partie begins in the step that ends one), "next_step" (in the step after, whose
                 action is ignored), "disabled" (an ended row must be reset with `reset_rows`)
    threads:     threads that share the rows; the results are the same for any number
    critic:      also fill `critic_observation`: the hidden cards, for critics in training, never for an actor
    keep_final_observation: also keep the observations at the end of each partie
    decks:       int8 [N, D, pack]: decks of the first D deals of each row's first partie
    buffers:     arrays of the caller's to fill instead of new ones
    """

    def __init__(
        self,
        num_envs: int,
        rules: Rules | str = "rubicon",
        *,
        reward: str = "settlement",
        seed: int = 0,
        dtype: str = "float32",
        skip_forced: bool = False,
        autoreset: str = "same_step",
        threads: int = 1,
        critic: bool = False,
        keep_final_observation: bool = False,
        decks: np.ndarray | None = None,
        buffers: Buffers | None = None,
    ) -> None:
        self.rules = Rules.of(rules)
        self._arguments: dict[str, Any] = {
            "num_envs": num_envs,
            "rules": self.rules,
            "reward": reward,
            "seed": seed,
            "dtype": dtype,
            "skip_forced": skip_forced,
            "autoreset": autoreset,
            "threads": threads,
            "critic": critic,
            "keep_final_observation": keep_final_observation,
            "decks": decks,
        }
        self.num_envs = _whole_number("num_envs", num_envs, 1, 2**31)
        self.threads = _whole_number("threads", threads, 1, 1024)
        self.reward, self.dtype, self.autoreset, self.skip_forced = reward, dtype, autoreset, skip_forced
        _one_of("dtype", dtype, DTYPES)
        if not isinstance(skip_forced, bool):
            raise ValueError(f"skip_forced must be True or False, not {skip_forced!r}")
        _one_of("autoreset", autoreset, AUTORESET_MODES)
        self.num_actions = num_actions(self.rules.pack)
        self.observation_size = observation_size(self.rules.pack)
        self._codes = self.rules.codes()
        self._reward_rule = RewardRule(reward, self.rules)
        self._states = np.zeros(self.num_envs, dtype=STATE_DTYPE)
        self._expected = np.zeros(self.num_envs, dtype=np.float64)  # of seat 0; used by the reward `equity`
        self._deals = np.zeros(self.num_envs, dtype=np.int64)  # deals ended in this step
        self._decks = self._check_decks(decks)
        self.buffers = self._check_buffers(buffers)
        float_dtype = np.dtype(dtype)
        size = (self.num_envs, 3 * self.rules.pack) if critic else (0, 0)
        self.critic_observation = np.zeros(size, dtype=float_dtype)
        kept = 2 * self.num_envs if keep_final_observation else 0
        final_observation = np.zeros((kept, self.observation_size), dtype=float_dtype)
        final_scores = np.zeros((self.num_envs, 3), dtype=np.int64)
        self.finals = Finals(
            final_observation.reshape(self.num_envs, 2, -1) if kept else None,
            np.zeros((self.num_envs, 2), dtype=np.float32),
            final_scores[:, :2],
            final_scores[:, 2],
        )
        self._scale = observation_scale(self.rules.pack) if dtype == "float32" else np.ones(1, dtype=np.int8)
        self._all_rows = np.arange(self.num_envs, dtype=np.int64)
        self._legal = np.zeros((self.num_envs, 2), dtype=np.int64)  # what the next actions may be, by row
        self._starts = np.tile(_FIRST_DEAL, (self.num_envs, 1))  # where the next partie of each row begins
        self._shares = np.zeros((self.threads if self.threads > 1 else 0, 2), dtype=np.int64)  # see `run_rows`
        # What every pass is given behind the rows and actions; each thread has a deck and scratch of its own.
        before = (
            self._states,
            self._codes,
            self._legal,
            self._starts,
            REWARDS.index(self._reward_rule.name),
            skip_forced,
            _AUTORESETS[autoreset],
            self._decks,
        )
        behind = (
            self._scale,
            *self.buffers,
            self.critic_observation,
            final_observation,
            self.finals.rewards,
            final_scores,
            self._deals,
        )
        decks_of_threads = np.zeros((self.threads, self.rules.pack), dtype=np.int8)
        scratch = make_scratch(self.threads)
        self._settings = [
            (part, self._shares, *before, decks_of_threads[part], scratch[part], *behind)
            for part in range(self.threads)
        ]
        self._actions = np.zeros(self.num_envs, dtype=np.int64)
        self._pool: ThreadPoolExecutor | None = None
        self._pool_process = 0  # a fork inherits the pool without its threads
        self._seed = _whole_number("seed", seed, 0, MOST_SEED - self.num_envs)
        self.reset(seed)

    # -- playing ------------------------------------------------------------------------------------------------------

    def reset(self, seed: int | None = None) -> Buffers:
        """Begin anew in every row: row i with the first partie of `seed + i` (None: of the seed given before)."""
        if seed is not None:
            self._seed = _whole_number("seed", seed, 0, MOST_SEED - self.num_envs)
        states = self._states
        states["seed"] = self._seed + self._all_rows
        states["partie"] = -1
        return self.reset_rows(self._all_rows)

    def reset_rows(self, rows: np.ndarray | Sequence[int]) -> Buffers:
        """Begin the next partie of some rows (each row's next under its own seed)."""
        rows = self._check_rows(rows)
        self._forget_others(rows)
        self._run(RESTART, rows, self._actions)
        if self._reward_rule.table is not None:
            self._expect(rows)
        return self.buffers

    def step(self, actions: np.ndarray | Sequence[int], rows: np.ndarray | Sequence[int] | None = None) -> Buffers:
        """Apply one action a row; with `rows`, to those rows alone (distinct, in any order).

        actions: whole numbers [N] (or [len(rows)]), each legal for the seat to act in its row
        Raises ValueError, naming the rows, for actions of a wrong shape or kind or that are not legal; nothing changes.
        """
        chosen = self._all_rows if rows is None else self._check_rows(rows)
        actions = self._check_actions(actions, len(chosen))
        parties = self._states["partie"][chosen] if self._reward_rule.table is not None else None
        if self._run(CHECK_AND_STEP, chosen, actions) >= 0:
            raise ValueError(self._explain(self._illegal_places(chosen, actions), chosen, actions))
        if rows is not None:
            self._forget_others(chosen)
        if parties is not None:
            self._pay_equity(chosen, self._states["partie"][chosen] != parties)
        return self.buffers

    def set_starts(
        self, rows: np.ndarray | Sequence[int], *, totals: np.ndarray, deal_numbers: np.ndarray, dealers: np.ndarray
    ) -> None:
        """Say where the next parties of some rows begin, until it is said anew; the present ones go on as they are.

        `reset`, `reset_rows` and autoreset begin them there. The last deal of a partie at 93 : 80, seat 1 dealing:

            batch.set_starts([0], totals=[[93, 80]], deal_numbers=[6], dealers=[1])
            batch.reset_rows([0])

        rows:         distinct, M of them
        totals:       whole numbers [M, 2], points by seat from the deals before, or given ahead
        deal_numbers: whole numbers [M], of the first deal, from 1 to the last planned one (in au cent to 5,000)
        dealers:      whole numbers [M], the seat that deals it; -1 leaves it to the cut, in a first deal alone
        A row begins then as a `Game` does with the same totals, deal_number and dealer; `decks` that the batch was
        given are still those of the first, second, third deal of a partie, also where it begins with the sixth.
        Raises ValueError for what no partie can come to; nothing changes.
        """
        rows = self._check_rows(rows)
        starts = np.zeros((len(rows), 4), dtype=np.int64)
        for name, value, part in (
            ("totals", totals, starts[:, :2]),
            ("deal_numbers", deal_numbers, starts[:, START_PLAYED]),
            ("dealers", dealers, starts[:, START_DEALER]),
        ):
            array = np.asarray(value)
            if array.shape != part.shape or (array.dtype.kind not in "iu" and array.size):
                raise ValueError(
                    f"{name} must be whole numbers of shape {part.shape}, not {array.dtype} of {array.shape}"
                )
            # Unsigned numbers too large for the cells would come out negative, and stand for the cut.
            part[:] = np.minimum(array, MOST_SEED) if array.dtype.kind == "u" else array
        check_starts(self.rules, starts[:, :2], starts[:, START_PLAYED], starts[:, START_DEALER])
        starts[:, START_PLAYED] -= 1
        self._starts[rows] = starts

    # -- the whole batch as data --------------------------------------------------------------------------------------

    def snapshot(self) -> dict[str, Any]:
        """Return everything that the batch goes on from, as arrays and text; `restore` continues bit for bit."""
        return {
            "rules": str(self.rules),
            "reward": self.reward,
            "skip_forced": str(self.skip_forced),
            "seed": self._seed,
            "states": self._states.view(np.int64).reshape(self.num_envs, -1).copy(),
            "expected": self._expected.copy(),
            "decks": self._decks.copy(),
            "starts": self._starts.copy(),
            "to_act": self.buffers.to_act.copy(),
        }

    def restore(self, snapshot: dict[str, Any]) -> Buffers:
        """Take the place of the batch that made `snapshot`.

        Raises ValueError if rules, reward, skip_forced, decks or size differ, or if it is no snapshot; nothing changes.
        """
        mine = {"rules": str(self.rules), "reward": self.reward, "skip_forced": str(self.skip_forced)}
        for name, value in mine.items():
            if snapshot.get(name, value) != value:
                raise ValueError(f"the snapshot has {name} {snapshot[name]!r}, this batch {value!r}")
        size = (self.num_envs, STATE_DTYPE.itemsize // 8)
        parts = {}
        expected = (("states", size, "i"), ("expected", (self.num_envs,), "f"), ("starts", self._starts.shape, "i"))
        for name, shape, kind in expected:
            fallback = np.tile(_FIRST_DEAL, (self.num_envs, 1)) if name == "starts" else None  # none were kept once
            part = np.asarray(snapshot.get(name, fallback))
            if part.shape != shape or part.dtype.kind != kind:
                raise ValueError(
                    f"the snapshot holds {name} of shape {part.shape}, not of this batch of {self.num_envs}"
                )
            parts[name] = part
        if not np.array_equal(snapshot.get("decks", self._decks), self._decks):
            raise ValueError("the snapshot is of a batch with other decks; give this one the same")
        self._seed = _whole_number("seed", snapshot.get("seed"), 0, MOST_SEED - self.num_envs)
        self._states.view(np.int64).reshape(size)[:] = parts["states"]
        self._expected[:] = parts["expected"]
        self._starts[:] = parts["starts"]
        self._run(LOOK, self._all_rows, self._actions)
        return self.buffers

    def __getstate__(self) -> dict[str, Any]:
        return {"arguments": self._arguments, "snapshot": self.snapshot()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state["arguments"])  # type: ignore[misc]  # threads and scratch are made anew
        self.restore(state["snapshot"])

    def seeds_and_parties(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the seeds of some rows and the numbers (from 0) of their parties under them: int64[len(rows)] each."""
        states = self._states[rows]
        return states["seed"].copy(), states["partie"].copy()

    def states(self, rows: np.ndarray) -> np.ndarray:
        """Return copies of the whole states of some rows, hidden cards included: STATE_DTYPE[len(rows)].

        For critics and search in training: nothing that plays may see them.
        """
        return self._states[rows]

    def totals(self, rows: np.ndarray) -> np.ndarray:
        """Return the points by seat from ended deals of the parties being played in some rows: int64[len(rows), 2]."""
        return self._states["totals"][rows]

    def deals_ended(self) -> np.ndarray:
        """Return how many deals ended in the last step, by row: int64[N], a view."""
        return self._deals[:]

    # -- inside -------------------------------------------------------------------------------------------------------

    def _run(self, task: int, rows: np.ndarray, actions: np.ndarray) -> int:
        """Let the threads share `rows`; return the first place with an illegal action, where nothing is done, or -1."""
        if self.threads == 1:
            return self._run_part(task, rows, actions, 0, len(rows), 0)
        if task == CHECK_AND_STEP:  # before any thread changes anything
            place = self._run_part(CHECK, rows, actions, 0, len(rows), 0)
            if place >= 0:
                return place
            task = STEP
        if self._pool is None or self._pool_process != os.getpid():
            self._pool, self._pool_process = ThreadPoolExecutor(self.threads - 1), os.getpid()
        edges = np.linspace(0, len(rows), self.threads + 1).astype(np.int64)
        self._shares[:, 0], self._shares[:, 1] = edges[:-1], edges[1:]
        jobs = [self._pool.submit(self._run_part, task, rows, actions, 0, 0, part) for part in range(1, self.threads)]
        self._run_part(task, rows, actions, 0, 0, 0)
        for job in jobs:  # one that has not begun by now would find nothing left to do
            if not job.cancel():
                job.result()
        return -1

    def _run_part(self, task: int, rows: np.ndarray, actions: np.ndarray, first: int, end: int, part: int) -> int:
        if _IS_COMPILED:
            return run_rows(task, rows, actions, first, end, *self._settings[part])
        with np.errstate(over="ignore"):  # the shuffle is meant to wrap
            return run_rows(task, rows, actions, first, end, *self._settings[part])

    def _forget_others(self, rows: np.ndarray) -> None:
        """Take back the rewards and ends of the last step in the rows that have no part in this one."""
        others = np.ones(self.num_envs, dtype=bool)
        others[rows] = False
        self.buffers.rewards[others] = 0
        self.buffers.terminated[others] = False

    def _expectations(self, rows: np.ndarray) -> np.ndarray:
        """Return the expected settlement of seat 0 between two deals, where it goes on: float64[len(rows)]."""
        states = self._states
        played = np.maximum(states["deal_number"][rows] - 1, 0)
        return self._reward_rule.expectations(
            played, states["totals"][rows], states["games"][rows], states["dealer"][rows]
        )

    def _expect(self, rows: np.ndarray) -> None:
        """Note what is expected of the parties in some rows; nothing of one that a carte blanche ended at once."""
        lasting = rows[self._states["phase"][rows] != PARTIE_OVER]
        self._expected[lasting] = self._expectations(lasting)

    def _pay_equity(self, rows: np.ndarray, has_begun: np.ndarray) -> None:
        """Pay the change of the expected settlement to the rows in which a deal has ended.

        has_begun: bool[len(rows)], where another partie has begun in this step; deals that ended before anybody acted
                   in it belong to its start
        """
        is_paid = self._deals[rows] > 0
        if self.autoreset != "same_step":
            is_paid &= ~has_begun
        ended = rows[is_paid]
        over = self.buffers.terminated[ended]
        after = np.where(over, self.finals.settlement[ended], 0).astype(np.float64)
        going_on = ended[~over]
        after[~over] = self._expectations(going_on)
        change = after - self._expected[ended]
        self.buffers.rewards[ended, 0] = change
        self.buffers.rewards[ended, 1] = -change
        self.finals.rewards[ended[over]] = self.buffers.rewards[ended[over]]
        self._expected[going_on] = after[~over]
        begun = rows[has_begun | (self._states["deals_ended"][rows] == 0)]
        if len(begun):
            self._expect(begun)

    # -- checks -------------------------------------------------------------------------------------------------------

    def _check_rows(self, rows: np.ndarray | Sequence[int]) -> np.ndarray:
        chosen = np.asarray(rows)
        if chosen is self._all_rows:
            return chosen
        if chosen.ndim != 1 or (chosen.dtype.kind not in "iu" and len(chosen)):
            raise ValueError("rows must be a flat array of whole numbers")
        chosen = chosen.astype(np.int64)
        if len(chosen) and (chosen.min() < 0 or chosen.max() >= self.num_envs):
            raise ValueError(f"rows must lie between 0 and {self.num_envs - 1}")
        if len(np.unique(chosen)) != len(chosen):
            raise ValueError("rows must be distinct")
        return chosen

    def _check_actions(self, actions: np.ndarray | Sequence[int], size: int) -> np.ndarray:
        # What the batch hands out are views or other kinds of numbers, so an array of its own is the caller's alone.
        if type(actions) is np.ndarray and actions.dtype == np.int64 and actions.shape == (size,):
            if actions.flags.owndata:
                return actions
        given = np.asarray(actions)
        if given.shape != (size,):
            raise ValueError(f"actions must have shape ({size},), not {given.shape}")
        if given.dtype.kind not in "iu" and size:
            raise ValueError(f"actions must be whole numbers, not {given.dtype}")
        copied = self._actions[:size]
        copied[:] = given
        return copied

    def _illegal_places(self, rows: np.ndarray, actions: np.ndarray) -> np.ndarray:
        places = range(len(rows))
        bad = [place for place in places if self._run_part(CHECK, rows, actions, place, place + 1, 0) >= 0]
        return np.array(bad, dtype=np.int64)

    def _explain(self, places: np.ndarray, rows: np.ndarray, actions: np.ndarray) -> str:
        """Return one sentence that names the rows with illegal actions."""
        shown = ", ".join(f"row {rows[place]}: action {actions[place]}" for place in places[:8].tolist())
        more = f" and {len(places) - 8} more" if len(places) > 8 else ""
        ended = self.buffers.to_act[rows[places]] == NOBODY
        hint = "; a row whose partie has ended must be reset first" if ended.any() else ""
        return f"illegal actions, nothing was changed: {shown}{more}{hint}"

    def _check_decks(self, decks: np.ndarray | None) -> np.ndarray:
        pack = self.rules.pack
        if decks is None:
            return np.zeros((self.num_envs, 0, pack), dtype=np.int8)
        given = np.asarray(decks)
        if given.ndim != 3 or given.shape[0] != self.num_envs or given.shape[2] != pack:
            raise ValueError(f"decks must have shape ({self.num_envs}, deals, {pack}), not {given.shape}")
        for deck in given.reshape(-1, pack):
            check_decks(deck, pack)
        return np.array(given, dtype=np.int8, order="C")

    def _check_buffers(self, buffers: Buffers | None) -> Buffers:
        n = self.num_envs
        wanted = {
            "observation": ((n, self.observation_size), np.dtype(self.dtype)),
            "action_mask": ((n, self.num_actions), np.dtype(np.int8)),
            "to_act": ((n,), np.dtype(np.int8)),
            "rewards": ((n, 2), np.dtype(np.float32)),
            "terminated": ((n,), np.dtype(bool)),
        }
        if buffers is None:
            return Buffers(**{name: np.zeros(shape, dtype=dtype) for name, (shape, dtype) in wanted.items()})
        given = [getattr(buffers, name, None) for name in wanted]
        for (name, (shape, dtype)), array in zip(wanted.items(), given, strict=True):
            if (
                not isinstance(array, np.ndarray)
                or array.shape != shape
                or array.dtype != dtype
                or not array.flags.c_contiguous
                or not array.flags.writeable
            ):
                raise ValueError(f"buffer {name} must be a writable C-ordered {dtype} array of shape {shape}")
        if any(np.may_share_memory(one, other) for one, other in combinations(given, 2)):
            raise ValueError("buffers must not share memory with each other")
        return buffers


def _whole_number(name: str, value: Any, low: int, high: int) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not low <= value <= high:
        raise ValueError(f"{name} must be a whole number from {low} to {high}, not {value!r}")
    return int(value)


def _one_of(name: str, value: str, values: tuple[str, ...]) -> None:
    if value not in values:
        raise ValueError(f"unknown {name} {value!r}; it is one of {', '.join(values)}")
