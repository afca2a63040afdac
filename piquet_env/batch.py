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
from typing import Any, NamedTuple

import numpy as np

from .observation import encode_float32, encode_int8, make_scratch, observation_scale, observation_size
from .rewards import REWARDS, RewardRule
from .rules.actions import num_actions
from .rules.jit import inner, jit
from .rules.masks import write_mask
from .rules.partie import settlement_of, start_partie
from .rules.play import apply, deal_next, find_legal, is_forced, only_legal
from .rules.shuffle import shuffle_into
from .rules.start import MOST_SEED, check_decks
from .rules.state import DEAL_OVER, NOBODY, PARTIE_OVER, STATE_DTYPE
from .rules.variants import Rules

AUTORESET_MODES = ("same_step", "next_step", "disabled")
DTYPES = ("float32", "int8")
_SETTLEMENT, _WIN, _DEAL_POINTS, _EQUITY = range(len(REWARDS))
_STEP, _RESTART, _LOOK = range(3)  # what a pass does with each row
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
        finals = (self.num_envs, 2, self.observation_size) if keep_final_observation else (0, 2, self.observation_size)
        self._final_observation = np.zeros(finals, dtype=float_dtype)
        self.finals = Finals(
            self._final_observation if keep_final_observation else None,
            np.zeros((self.num_envs, 2), dtype=np.float32),
            np.zeros((self.num_envs, 2), dtype=np.int64),
            np.zeros(self.num_envs, dtype=np.int64),
        )
        self._scale = observation_scale(self.rules.pack) if dtype == "float32" else np.ones(1, dtype=np.int8)
        # Scratch for each thread: a deck, and an observation as whole numbers.
        self._deck_scratch = np.zeros((self.threads, self.rules.pack), dtype=np.int8)
        self._scratch = make_scratch(self.threads)
        self._all_rows = np.arange(self.num_envs, dtype=np.int64)
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
        self.buffers.rewards[:] = 0
        self.buffers.terminated[:] = False
        self._run(_RESTART, rows, self._actions)
        if self._reward_rule.table is not None:
            self._expected[rows] = self._expectations(rows)
        return self.buffers

    def step(self, actions: np.ndarray | Sequence[int], rows: np.ndarray | Sequence[int] | None = None) -> Buffers:
        """Apply one action a row; with `rows`, to those rows alone (distinct, in any order).

        actions: whole numbers [N] (or [len(rows)]), each legal for the seat to act in its row
        Raises ValueError, naming the rows, for actions of a wrong shape or kind or that are not legal; nothing changes.
        """
        chosen = self._all_rows if rows is None else self._check_rows(rows)
        actions = self._check_actions(actions, len(chosen))
        bad = np.empty(0, dtype=np.int64)
        if _first_illegal(self._states, self._codes, chosen, actions, self.autoreset == "next_step") >= 0:
            bad = self._illegal_rows(chosen, actions)
            raise ValueError(self._explain(bad, chosen, actions))
        self.buffers.rewards[:] = 0
        self.buffers.terminated[:] = False
        self._run(_STEP, chosen, actions)
        if self._reward_rule.table is not None:
            self._pay_equity(chosen)
        return self.buffers

    # -- the whole batch as data --------------------------------------------------------------------------------------

    def snapshot(self) -> dict[str, Any]:
        """Return everything that the batch goes on from, as arrays and text; `restore` continues bit for bit."""
        return {
            "rules": str(self.rules),
            "reward": self.reward,
            "seed": self._seed,
            "states": self._states.view(np.int64).reshape(self.num_envs, -1).copy(),
            "expected": self._expected.copy(),
            "to_act": self.buffers.to_act.copy(),
        }

    def restore(self, snapshot: dict[str, Any]) -> Buffers:
        """Take the place of the batch that made `snapshot`; ValueError if rules, reward or size differ."""
        for name, mine in (("rules", str(self.rules)), ("reward", self.reward)):
            if snapshot.get(name) != mine:
                raise ValueError(f"the snapshot has {name} {snapshot.get(name)!r}, this batch {mine!r}")
        states = np.asarray(snapshot["states"], dtype=np.int64)
        if states.shape != (self.num_envs, STATE_DTYPE.itemsize // 8):
            raise ValueError(f"the snapshot holds states of shape {states.shape}, not of this batch of {self.num_envs}")
        self._states.view(np.int64).reshape(self.num_envs, -1)[:] = states
        self._expected[:] = snapshot["expected"]
        self._seed = int(snapshot["seed"])
        self.buffers.rewards[:] = 0
        self.buffers.terminated[:] = False
        self._run(_LOOK, self._all_rows, self._actions)
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

    def totals(self, rows: np.ndarray) -> np.ndarray:
        """Return the points by seat from ended deals of the parties being played in some rows: int64[len(rows), 2]."""
        return self._states["totals"][rows]

    def deals_ended(self) -> np.ndarray:
        """Return how many deals ended in the last step, by row: int64[N], a view."""
        return self._deals

    # -- inside -------------------------------------------------------------------------------------------------------

    def _run(self, task: int, rows: np.ndarray, actions: np.ndarray) -> None:
        """Let the threads share `rows`."""
        if self.threads == 1:
            self._run_part(task, rows, actions, 0, len(rows), 0)
            return
        if self._pool is None or self._pool_process != os.getpid():
            self._pool, self._pool_process = ThreadPoolExecutor(self.threads), os.getpid()
        edges = np.linspace(0, len(rows), self.threads + 1).astype(np.int64).tolist()
        jobs = [
            self._pool.submit(self._run_part, task, rows, actions, edges[part], edges[part + 1], part)
            for part in range(self.threads)
        ]
        for job in jobs:
            job.result()

    def _run_part(self, task: int, rows: np.ndarray, actions: np.ndarray, first: int, end: int, part: int) -> None:
        out = self.buffers
        with np.errstate(over="ignore"):  # the shuffle is meant to wrap; only uncompiled code would warn
            self._run_compiled(task, rows, actions, first, end, part, out)

    def _run_compiled(
        self, task: int, rows: np.ndarray, actions: np.ndarray, first: int, end: int, part: int, out: Buffers
    ) -> None:
        _run_chunk(
            task,
            self._states,
            self._codes,
            rows,
            actions,
            first,
            end,
            REWARDS.index(self._reward_rule.name),
            self.skip_forced,
            AUTORESET_MODES.index(self.autoreset),
            self._decks,
            self._deck_scratch[part],
            self._scratch[part],
            self._scratch[part].view(np.int8),
            self._scale,
            out.observation,
            out.action_mask,
            out.to_act,
            out.rewards,
            out.terminated,
            self.critic_observation,
            self._final_observation,
            self.finals.rewards,
            self.finals.totals,
            self.finals.settlement,
            self._deals,
        )

    def _expectations(self, rows: np.ndarray) -> np.ndarray:
        """Return the expected settlement of seat 0 between two deals, where it goes on: float64[len(rows)]."""
        states = self._states
        played = np.maximum(states["deal_number"][rows] - 1, 0)
        return self._reward_rule.expectations(
            played, states["totals"][rows], states["games"][rows], states["dealer"][rows]
        )

    def _pay_equity(self, rows: np.ndarray) -> None:
        """Pay the change of the expected settlement to the rows in which a deal has ended."""
        ended = rows[self._deals[rows] > 0]
        over = self.buffers.terminated[ended]
        after = np.where(over, self.finals.settlement[ended], 0).astype(np.float64)
        going_on = ended[~over]
        after[~over] = self._expectations(going_on)
        change = after - self._expected[ended]
        self.buffers.rewards[ended, 0] = change
        self.buffers.rewards[ended, 1] = -change
        self.finals.rewards[ended[over]] = self.buffers.rewards[ended[over]]
        self._expected[going_on] = after[~over]
        restarted = rows[(self._states["deals_ended"][rows] == 0) & (self._states["deal_number"][rows] <= 1)]
        if len(restarted):
            self._expected[restarted] = self._expectations(restarted)

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
        given = np.asarray(actions)
        if given.shape != (size,):
            raise ValueError(f"actions must have shape ({size},), not {given.shape}")
        if given.dtype.kind not in "iu" and size:
            raise ValueError(f"actions must be whole numbers, not {given.dtype}")
        copied = self._actions[:size]
        copied[:] = given
        return copied

    def _illegal_rows(self, rows: np.ndarray, actions: np.ndarray) -> np.ndarray:
        restarts = self.autoreset == "next_step"
        places = [
            place
            for place in range(len(rows))
            if _first_illegal(self._states, self._codes, rows[place : place + 1], actions[place : place + 1], restarts)
            >= 0
        ]
        return np.array(places, dtype=np.int64)

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
        return np.ascontiguousarray(given, dtype=np.int8)

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
        for name, (shape, dtype) in wanted.items():
            array = getattr(buffers, name)
            if (
                array.shape != shape
                or array.dtype != dtype
                or not array.flags.c_contiguous
                or not array.flags.writeable
            ):
                raise ValueError(f"buffer {name} must be a writable C-ordered {dtype} array of shape {shape}")
        return buffers


def _whole_number(name: str, value: Any, low: int, high: int) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not low <= value <= high:
        raise ValueError(f"{name} must be a whole number from {low} to {high}, not {value!r}")
    return int(value)


def _one_of(name: str, value: str, values: tuple[str, ...]) -> None:
    if value not in values:
        raise ValueError(f"unknown {name} {value!r}; it is one of {', '.join(values)}")


# -- the compiled pass ------------------------------------------------------------------------------------------------


@jit
def _first_illegal(states: np.ndarray, rules: np.ndarray, rows: np.ndarray, actions: np.ndarray, restarts: bool) -> int:
    """Return the first place whose action is not legal in its row, or -1. Rows that restart take any action."""
    pack = rules[0]["pack"]
    for place in range(len(rows)):
        row = states[rows[place]]
        action = actions[place]
        if row["phase"] == PARTIE_OVER and restarts:
            continue
        if action < 0 or action >= 3 * pack + 63:
            return place
        if action < 3 * pack:
            if action // pack != row["legal_kind"] or row["legal_cards"] >> (action % pack) & 1 == 0:
                return place
        elif row["legal_words"] >> (action - 3 * pack) & 1 == 0:
            return place
    return -1


@inner
def _pay(row: np.void, rules: np.void, reward: int, index: int, rewards: np.ndarray) -> None:
    """Add the reward of a deal that has ended, and of the partie if it has."""
    if reward == _DEAL_POINTS:
        points = row["deal_points"][0] - row["deal_points"][1]
    elif row["phase"] != PARTIE_OVER or reward == _EQUITY:
        return
    else:
        points = settlement_of(row, rules)
        if reward == _WIN:
            points = 1 if points > 0 else -1 if points < 0 else 0
    rewards[index, 0] += points
    rewards[index, 1] -= points


@inner
def _deal(row: np.void, rules: np.void, index: int, decks: np.ndarray, deck: np.ndarray) -> None:
    """Begin the next deal from the given decks, or from the row's seed."""
    number = row["deal_number"] + 1
    if row["partie"] == 0 and number <= decks.shape[1]:
        deck[:] = decks[index, number - 1]
    else:
        shuffle_into(row["seed"], row["partie"], number, deck)
    deal_next(row, rules, deck)


@inner
def _go_on(
    row: np.void,
    rules: np.void,
    index: int,
    deals: int,
    reward: int,
    skip_forced: bool,
    decks: np.ndarray,
    deck: np.ndarray,
    rewards: np.ndarray,
    ended: np.ndarray,
) -> None:
    """Pay for ended deals, deal anew and play forced decisions, until a decision is asked or the partie is over.

    deals: how many deals had ended before
    """
    while True:
        if row["deals_ended"] > deals:
            deals += 1
            ended[index] += 1
            _pay(row, rules, reward, index, rewards)
        if row["phase"] == PARTIE_OVER:
            return
        if row["phase"] == DEAL_OVER:
            _deal(row, rules, index, decks, deck)
        elif skip_forced and is_forced(row):
            apply(row, rules, only_legal(row, rules))
        else:
            return


@inner
def _restart(
    row: np.void,
    rules: np.void,
    index: int,
    reward: int,
    skip_forced: bool,
    decks: np.ndarray,
    deck: np.ndarray,
    rewards: np.ndarray,
    ended: np.ndarray,
) -> None:
    """Begin the row's next partie."""
    row["partie"] += 1
    shuffle_into(row["seed"], row["partie"], 0, deck)
    start_partie(row, rules, NOBODY, deck)
    find_legal(row, rules)
    _go_on(row, rules, index, 0, reward, skip_forced, decks, deck, rewards, ended)


@inner
def _write_observation(
    row: np.void, rules: np.void, seat: int, words: np.ndarray, raw: np.ndarray, scale: np.ndarray, out: np.ndarray
) -> None:
    """Write the observation of `seat` in the form of `out`: int8 as it is, float32 scaled."""
    if len(scale) == 1:
        encode_int8(row, rules, seat, words, raw, out)
    else:
        encode_float32(row, rules, seat, words, raw, scale, out)


@inner
def _write_critic(row: np.void, rules: np.void, seat: int, scaled: bool, out: np.ndarray) -> None:
    """Write the cards hidden from `seat`: the other's hand, the other's discards, the talon's order (CRITIC_BLOCKS)."""
    pack = rules["pack"]
    other = 0 if row["dealer"] == seat else 1  # the other's role
    for card in range(pack):
        out[card] = row["hands"][other] >> card & 1
        out[pack + card] = row["discards"][other] >> card & 1
        out[2 * pack + card] = 0
    for place in range(pack - 24):
        out[2 * pack + row["talon"][place]] = (place + 1) / 12 if scaled else place + 1


@inner
def _look(
    row: np.void,
    rules: np.void,
    index: int,
    words: np.ndarray,
    raw: np.ndarray,
    scale: np.ndarray,
    observation: np.ndarray,
    mask: np.ndarray,
    to_act: np.ndarray,
    critic: np.ndarray,
) -> None:
    """Fill the buffers of a row for the seat to act."""
    seat = row["to_act"]
    to_act[index] = seat
    write_mask(row, rules, mask[index])
    viewer = seat if seat != NOBODY else 0
    _write_observation(row, rules, viewer, words, raw, scale, observation[index])
    if critic.shape[0]:
        _write_critic(row, rules, viewer, len(scale) > 1, critic[index])


@jit
def _run_chunk(
    task: int,
    states: np.ndarray,
    codes: np.ndarray,
    rows: np.ndarray,
    actions: np.ndarray,
    first: int,
    end: int,
    reward: int,
    skip_forced: bool,
    autoreset: int,
    decks: np.ndarray,
    deck: np.ndarray,
    words: np.ndarray,
    raw: np.ndarray,
    scale: np.ndarray,
    observation: np.ndarray,
    mask: np.ndarray,
    to_act: np.ndarray,
    rewards: np.ndarray,
    terminated: np.ndarray,
    critic: np.ndarray,
    final_observation: np.ndarray,
    final_rewards: np.ndarray,
    final_totals: np.ndarray,
    final_settlement: np.ndarray,
    ended: np.ndarray,
) -> None:
    """Step, restart or look at the rows from place `first` to `end`, and fill their buffers.

    One function for the three tasks: each of its own would compile the whole game once more.
    """
    rules = codes[0]
    for place in range(first, end):
        index = rows[place]
        row = states[index]
        ended[index] = 0
        # Under autoreset 'next_step' an ended row restarts and its action is ignored.
        if task == _RESTART or (task == _STEP and row["phase"] == PARTIE_OVER):
            _restart(row, rules, index, reward, skip_forced, decks, deck, rewards, ended)
        elif task == _STEP:
            deals = row["deals_ended"]
            apply(row, rules, actions[place])
            _go_on(row, rules, index, deals, reward, skip_forced, decks, deck, rewards, ended)
            if row["phase"] == PARTIE_OVER:
                terminated[index] = True
                for seat in range(2):
                    final_rewards[index, seat] = rewards[index, seat]
                    final_totals[index, seat] = row["totals"][seat]
                    if final_observation.shape[0]:
                        _write_observation(row, rules, seat, words, raw, scale, final_observation[index, seat])
                final_settlement[index] = settlement_of(row, rules)
                if autoreset == 0:
                    _restart(row, rules, index, reward, skip_forced, decks, deck, rewards, ended)
        _look(row, rules, index, words, raw, scale, observation, mask, to_act, critic)
