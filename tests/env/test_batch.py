"""The batch: row i is one AEC environment, step by step; and what a batch promises beside."""

import copy
import pickle
import sys
from concurrent.futures import Future
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import pytest

from agents.random_agent import RandomAgent
from agents.streams import Streams
from piquet_env import Game, IllegalActionError, PiquetBatch, raw_env
from piquet_env.batch import AUTORESET_MODES, CRITIC_BLOCKS, Buffers
from piquet_env.gymnasium_env import PiquetEnv
from piquet_env.learner_batch import LearnerBatch
from piquet_env.observation import observation_scale
from piquet_env.rules.variants import Rules
from tests.env.playing import REWARDS, RULES, choose, choose_rows, has_equity

AGENTS = ("player_0", "player_1")
SEED = 40
CASES = [(rules, reward) for rules in RULES for reward in REWARDS if reward != "equity" or has_equity(rules)]
CASES.append(("au_cent target=5 lurch=3", "deal_points"))  # games end after a few decisions


# -- row i is one AEC environment -------------------------------------------------------------------------------------


class Step(NamedTuple):
    """One decision in the AEC environment: what the seat to act saw, what it did, what both were paid."""

    observation: np.ndarray
    mask: np.ndarray
    to_act: int
    action: int
    rewards: tuple[float, float]
    over: bool
    final_observations: tuple[np.ndarray, np.ndarray] | None
    totals: tuple[int, int]
    settlement: int


@lru_cache(maxsize=256)
def record(rules: str, reward: str, seed: int, decisions: int, skip: bool = False) -> list[Step]:
    """Play `raw_env` from `seed` on, party after party."""
    environment = raw_env(rules=rules, reward=reward, skip_forced=skip)
    rng = np.random.default_rng(seed)
    environment.reset(seed=seed)
    steps = []
    for _ in range(decisions):
        observation, _, _, _, info = environment.last()
        seat = info["seat"]
        action = choose(info["action_mask"], rng)
        environment.step(action)
        over = environment.terminations["player_0"]
        result = environment.result
        steps.append(
            Step(
                observation["observation"],
                observation["action_mask"],
                seat,
                action,
                (environment.rewards["player_0"], environment.rewards["player_1"]),
                over,
                tuple(environment.observe(agent)["observation"] for agent in AGENTS) if over else None,
                result.totals if over else (0, 0),
                result.settlement[0] if over else 0,
            )
        )
        if over:
            environment.reset()
    return steps


def decisions_of(rules: str) -> int:
    """Enough for a partie and a half."""
    return 1300 if Rules.of(rules).form == "au_cent" else 360


def compare(batch: PiquetBatch, rows: list[list[Step]]) -> int:
    """Drive a batch through the recordings, one a row, and compare everything; return how many parties ended."""
    count, scale = batch.num_envs, observation_scale(batch.rules.pack)
    places, ends = [0] * count, 0
    waiting = np.zeros(count, dtype=bool)
    out = batch.buffers
    while max(places) < len(rows[0]):
        for row in range(count):
            step = rows[row][places[row]]
            if waiting[row]:
                assert out.to_act[row] == -1
                assert not out.action_mask[row].any()
                continue
            assert out.to_act[row] == step.to_act
            assert np.array_equal(out.action_mask[row], step.mask)
            seen = out.observation[row]
            if batch.dtype == "int8":
                seen = seen * scale
            assert np.array_equal(seen, step.observation)
        actions = np.array([rows[row][places[row]].action for row in range(count)])
        if batch.autoreset == "disabled" and waiting.any():
            batch.reset_rows(np.flatnonzero(waiting))
            waiting[:] = False
            continue
        actions[waiting] = -7  # ignored
        assert batch.step(actions) is out
        for row in range(count):
            if waiting[row]:
                waiting[row] = False
                assert not out.rewards[row].any()
                assert not out.terminated[row]
                continue
            step = rows[row][places[row]]
            places[row] += 1
            assert np.array_equal(out.rewards[row], np.float32(step.rewards))
            assert out.terminated[row] == step.over
            if step.over:
                ends += 1
                waiting[row] = batch.autoreset != "same_step"
                finals = batch.finals
                assert np.array_equal(finals.rewards[row], np.float32(step.rewards))
                assert tuple(finals.totals[row]) == step.totals
                assert finals.settlement[row] == step.settlement
                if finals.observation is not None:
                    last = finals.observation[row] * (scale if batch.dtype == "int8" else 1)
                    assert np.array_equal(last, step.final_observations)
    return ends


@pytest.mark.slow
@pytest.mark.parametrize(("rules", "reward"), CASES)
def test_rows_are_aec_environments(rules: str, reward: str) -> None:
    decisions = decisions_of(rules)
    rows = [record(rules, reward, SEED + row, decisions) for row in range(3)]
    for autoreset, dtype, threads in zip(AUTORESET_MODES, ("float32", "int8", "float32"), (1, 2, 1), strict=True):
        batch = PiquetBatch(
            3,
            rules,
            reward=reward,
            seed=SEED,
            dtype=dtype,
            autoreset=autoreset,
            threads=threads,
            keep_final_observation=True,
        )
        assert compare(batch, rows) > 0, "no partie has ended"


@pytest.mark.parametrize("rules", RULES)
def test_rows_that_skip_forced_decisions_are_aec_environments(rules: str) -> None:
    rows = [record(rules, "deal_points", SEED + row, 150, True) for row in range(2)]
    compare(PiquetBatch(2, rules, reward="deal_points", seed=SEED, skip_forced=True), rows)


@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 64])
@pytest.mark.parametrize("threads", [1, 2])
def test_the_size_and_the_threads_change_nothing(count: int, threads: int) -> None:
    rows = [record("cavendish", "equity", SEED + row, 300) for row in range(count)]
    for dtype in ("float32", "int8"):
        batch = PiquetBatch(count, "cavendish", reward="equity", seed=SEED, dtype=dtype, threads=threads)
        compare(batch, rows)


@pytest.mark.nojit
def test_rows_are_aec_environments_at_first_sight() -> None:
    rows = [record("cavendish", "deal_points", SEED + row, 70) for row in range(2)]
    compare(PiquetBatch(2, "cavendish", reward="deal_points", seed=SEED, threads=2), rows)


class Asleep:
    """A pool whose threads never wake."""

    def __init__(self, threads: int) -> None:
        pass

    def submit(self, *arguments: Any) -> Future[int]:
        return Future()


@pytest.mark.parametrize("asleep", [False, True])
def test_threads_that_take_rows_from_each_other_change_nothing(asleep: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if asleep:  # the caller's own thread plays all rows
        monkeypatch.setattr("piquet_env.batch.ThreadPoolExecutor", Asleep)
    one, three = (PiquetBatch(500, seed=SEED, dtype="int8", threads=threads) for threads in (1, 3))
    rng = np.random.default_rng(1)
    for step in range(80):
        rows = None if step % 2 else rng.permutation(500)[:333]
        actions = choose_rows(one.buffers.action_mask, rng)
        for batch in (one, three):
            batch.step(actions if rows is None else actions[rows], rows)
        for part, same in zip(one.buffers, three.buffers, strict=True):
            assert np.array_equal(part, same)
    assert one.states(np.arange(500)).tobytes() == three.states(np.arange(500)).tobytes()


def test_given_decks_are_dealt() -> None:
    rng = np.random.default_rng(0)
    decks = np.array([[rng.permutation(32) for _ in range(2)] for _ in range(3)])
    environments = []
    for row in range(3):
        environment = raw_env()
        environment.reset(seed=SEED + row, options={"decks": list(decks[row])})
        environments.append(environment)
    batch = PiquetBatch(3, seed=SEED, decks=decks)
    out = batch.buffers
    for _ in range(150):  # into the third deal, which comes from the seed
        actions = []
        for row, environment in enumerate(environments):
            observation = environment.last()[0]
            assert np.array_equal(out.observation[row], observation["observation"])
            actions.append(choose(observation["action_mask"], rng))
            environment.step(actions[-1])
        batch.step(actions)
    assert all(environment.game.deal_number > 2 for environment in environments)
    # The second partie comes from the seed.
    fresh = PiquetBatch(3, seed=SEED)
    for one in (batch, fresh):
        one.reset(SEED)
        one.reset_rows(range(3))
    assert np.array_equal(batch.buffers.observation, fresh.buffers.observation)
    assert batch.buffers.observation is not fresh.buffers.observation


# -- rows by themselves -----------------------------------------------------------------------------------------------


def run(batch: PiquetBatch, steps: int, seed: int = 0) -> list[bytes]:
    """Play random legal actions; return all that the buffers showed."""
    rng = np.random.default_rng(seed)
    seen = []
    for _ in range(steps):
        out = batch.step(choose_rows(batch.buffers.action_mask, rng))
        seen.append(b"".join(array.tobytes() for array in out))
    return seen


def test_rows_are_independent() -> None:
    """Other actions in other rows change nothing in this one."""
    batches = [PiquetBatch(8, "cavendish", seed=3) for _ in range(2)]
    own, others = np.random.default_rng(0), np.random.default_rng(1)
    for _ in range(300):
        masks = [batch.buffers.action_mask for batch in batches]
        assert np.array_equal(masks[0][5], masks[1][5])
        action = choose(masks[0][5], own)
        for batch, mask in zip(batches, masks, strict=True):
            actions = choose_rows(mask, others)
            actions[5] = action
            batch.step(actions)
        first, second = (batch.buffers for batch in batches)
        for one, two in zip(first, second, strict=True):
            assert np.array_equal(one[5], two[5])
    assert not np.array_equal(batches[0].buffers.observation, batches[1].buffers.observation)


def test_some_rows_can_be_stepped_alone() -> None:
    batch, whole = PiquetBatch(6, seed=3, reward="deal_points"), PiquetBatch(6, seed=3, reward="deal_points")
    rng = np.random.default_rng(0)
    for _ in range(200):
        actions = choose_rows(whole.buffers.action_mask, rng)
        whole.step(actions)
        rows = rng.permutation(6)
        before = [array.copy() for array in batch.buffers]
        out = batch.step(actions[rows[:4]], rows[:4])
        rest = rows[4:]
        for kept, array in zip(before[:3], out[:3], strict=True):
            assert np.array_equal(kept[rest], array[rest])
        assert not out.rewards[rest].any()
        assert not out.terminated[rest].any()
        batch.step(actions[rest], rest.tolist())
        for mine, theirs in zip(batch.buffers[:3], whole.buffers[:3], strict=True):
            assert np.array_equal(mine, theirs)
    before = [array.copy() for array in batch.buffers[:3]]
    batch.step([], [])
    assert all(np.array_equal(kept, array) for kept, array in zip(before, batch.buffers[:3], strict=True))


def test_a_seed_repeats_and_rows_go_on_to_their_next_parties() -> None:
    batch = PiquetBatch(4, seed=9)
    first = run(batch, 60)
    batch.reset(9)
    assert run(batch, 60) == first
    batch.reset()
    assert run(batch, 60) == first
    batch.reset(10)
    shifted = PiquetBatch(1, seed=11)
    assert np.array_equal(batch.buffers.observation[1], shifted.buffers.observation[0])
    batch.reset_rows([2])
    seeds, parties = batch.seeds_and_parties(np.arange(4))
    assert seeds.tolist() == [10, 11, 12, 13]
    assert parties.tolist() == [0, 0, 1, 0]


# -- errors -----------------------------------------------------------------------------------------------------------


def everything(batch: PiquetBatch) -> bytes:
    return pickle.dumps((batch.snapshot(), batch.buffers, batch.finals))


BAD_ACTIONS: dict[str, tuple[Any, Any, str]] = {
    "too few": ([0, 0], None, r"shape \(4,\), not \(2,\)"),
    "two axes": (np.zeros((4, 1), dtype=int), None, r"shape \(4,\), not \(4, 1\)"),
    "a number": (3, None, r"shape \(4,\)"),
    "fractions": (np.zeros(4), None, "whole numbers, not float64"),
    "truths": (np.zeros(4, dtype=bool), None, "whole numbers, not bool"),
    "words": (["a"] * 4, None, "whole numbers"),
    "outside": ([-1, 140, 10**12, -(10**12)], None, "row 0: action -1, row 1: action 140, row 2: .*, row 3"),
    "rows twice": ([0, 0], [1, 1], "distinct"),
    "rows outside": ([0], [4], "between 0 and 3"),
    "rows below": ([0], [-1], "between 0 and 3"),
    "rows fractional": ([0], [1.0], "whole numbers"),
    "rows too few": ([0, 0], [1], r"shape \(1,\)"),
}


@pytest.mark.parametrize("name", BAD_ACTIONS)
@pytest.mark.parametrize("threads", [1, 2])
def test_bad_actions_are_one_clear_error_and_change_nothing(name: str, threads: int) -> None:
    actions, rows, words = BAD_ACTIONS[name]
    batch = PiquetBatch(4, seed=1, threads=threads)
    run(batch, 5)
    before = everything(batch)
    with pytest.raises(ValueError, match=words) as caught:
        batch.step(actions, rows)
    assert len(str(caught.value).splitlines()) == 1
    assert everything(batch) == before


def test_illegal_actions_name_their_rows_and_change_nothing() -> None:
    batch = PiquetBatch(32, seed=1)
    rng = np.random.default_rng(0)
    for _ in range(250):
        masks = batch.buffers.action_mask
        legal = choose_rows(masks, rng)
        wrong = np.sort(rng.permutation(32)[: rng.integers(1, 4)])
        actions = legal.copy()
        actions[wrong] = choose_rows(1 - masks, rng)[wrong]
        before = everything(batch)
        with pytest.raises(ValueError, match="nothing was changed") as caught:
            batch.step(actions)
        for row in wrong:
            assert f"row {row}: action {actions[row]}" in str(caught.value)
        assert str(caught.value).count("row ") == len(wrong)
        assert everything(batch) == before
        batch.step(legal)
    with pytest.raises(ValueError, match="and 24 more"):
        batch.step(np.full(32, -1))


def test_an_ended_row_must_be_reset_where_nothing_does_it() -> None:
    batch = PiquetBatch(2, seed=1, autoreset="disabled")
    rng = np.random.default_rng(0)
    while not batch.buffers.terminated.any():
        batch.step(choose_rows(batch.buffers.action_mask, rng))
    row = int(np.flatnonzero(batch.buffers.terminated)[0])
    with pytest.raises(ValueError, match=f"row {row}: .*must be reset first"):
        batch.step(choose_rows(batch.buffers.action_mask, rng))
    batch.reset_rows([row])
    batch.step(choose_rows(batch.buffers.action_mask, rng))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"num_envs": 0}, "num_envs"),
        ({"num_envs": 2.0}, "num_envs"),
        ({"num_envs": True}, "num_envs"),
        ({"threads": 0}, "threads"),
        ({"reward": "points"}, "points"),
        ({"dtype": "float64"}, "float64"),
        ({"autoreset": "never"}, "never"),
        ({"seed": -1}, "seed"),
        ({"seed": 1.5}, "seed"),
        ({"seed": 2**63 - 1}, "seed"),
        ({"rules": "bridge"}, "bridge"),
        ({"rules": "au_cent games=99", "reward": "equity"}, "equity"),
        ({"decks": np.zeros((3, 1, 32), dtype=np.int8)}, r"shape \(2, deals, 32\)"),
        ({"decks": np.zeros((2, 1, 32), dtype=np.int8)}, "stands twice"),
        ({"decks": np.arange(32)}, "shape"),
    ],
)
def test_bad_arguments_are_refused(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        PiquetBatch(**{"num_envs": 2, **arguments})


# -- the batch as data ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["restore", "pickle", "deepcopy"])
@pytest.mark.parametrize("autoreset", AUTORESET_MODES[:2])
def test_copies_continue_bit_for_bit(how: str, autoreset: str) -> None:
    arguments: dict[str, Any] = {
        "rules": "cavendish",
        "reward": "equity",
        "dtype": "int8",
        "autoreset": autoreset,
        "threads": 2,
        "critic": True,
        "keep_final_observation": True,
        "skip_forced": True,
    }
    batch = PiquetBatch(5, seed=2, **arguments)
    for steps in (0, 37, 130):
        run(batch, steps)
        if how == "restore":
            twin = PiquetBatch(5, seed=99, **arguments)
            twin.restore(batch.snapshot())
        else:
            twin = pickle.loads(pickle.dumps(batch)) if how == "pickle" else copy.deepcopy(batch)
        for mine, theirs in zip(batch.buffers[:3], twin.buffers[:3], strict=True):
            assert np.array_equal(mine, theirs)
            assert mine is not theirs
        kept = batch.snapshot()
        assert run(batch, 150, seed=steps) == run(twin, 150, seed=steps)
        assert np.array_equal(batch.critic_observation, twin.critic_observation)
        assert np.array_equal(batch.finals.settlement, twin.finals.settlement)
        batch.restore(kept)


def test_a_snapshot_of_another_batch_is_refused() -> None:
    snapshot = PiquetBatch(2, seed=1).snapshot()
    for other, words in (
        (PiquetBatch(3), "3"),
        (PiquetBatch(2, "german"), "rules"),
        (PiquetBatch(2, reward="win"), "reward"),
        (PiquetBatch(2, skip_forced=True), "skip_forced"),
        (PiquetBatch(2, decks=np.tile(np.arange(32), (2, 1, 1))), "decks"),
    ):
        before = everything(other)
        with pytest.raises(ValueError, match=words):
            other.restore(snapshot)
        assert everything(other) == before


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("states", None),
        ("states", np.zeros((4, 3), dtype=np.int64)),
        ("expected", np.zeros(1)),
        ("expected", None),
        ("seed", "x"),
        ("seed", -5),
    ],
)
def test_what_is_no_snapshot_is_refused_and_changes_nothing(name: str, value: Any) -> None:
    batch = PiquetBatch(4, seed=1)
    broken = PiquetBatch(4, seed=2).snapshot() | {name: value}
    before = everything(batch)
    with pytest.raises(ValueError, match=name):
        batch.restore(broken)
    assert everything(batch) == before


def test_given_decks_are_the_batchs_own() -> None:
    decks = np.tile(np.arange(32, dtype=np.int8), (2, 6, 1))
    batch, other = (PiquetBatch(2, seed=1, decks=given) for given in (decks, decks.copy()))
    decks[:] = 0
    for _ in range(80):
        actions = other.buffers.action_mask.argmax(axis=1)
        batch.step(actions)
        other.step(actions)
    assert everything(batch) == everything(other)


def test_what_the_batch_hands_out_may_be_actions() -> None:
    batch, other = PiquetBatch(3, seed=1), PiquetBatch(3, seed=1)
    for array in (batch.deals_ended(), batch.finals.settlement):
        array[:] = batch.buffers.action_mask.argmax(axis=1)
        copied = array.copy()
        batch.step(array)
        other.step(copied)
        assert np.array_equal(batch.buffers.observation, other.buffers.observation)


def test_buffers_that_share_memory_are_refused() -> None:
    shared = np.zeros(4, dtype=np.int8)
    buffers = PiquetBatch(4).buffers._replace(to_act=shared, terminated=shared.view(bool))
    with pytest.raises(ValueError, match="share memory"):
        PiquetBatch(4, buffers=buffers)


def test_the_callers_buffers_are_filled_in_place() -> None:
    plain = PiquetBatch(4, seed=1)
    block = np.zeros((2, 4, plain.observation_size), dtype=np.float32)
    mine = Buffers(block[1], *(np.zeros_like(array) for array in plain.buffers[1:]))
    batch = PiquetBatch(4, seed=1, buffers=mine)
    rng = np.random.default_rng(0)
    for _ in range(100):
        actions = choose_rows(mine.action_mask, rng)
        assert batch.step(actions) is mine
        plain.step(actions)
        assert not block[0].any()
        for own, theirs in zip(mine, plain.buffers, strict=True):
            assert np.array_equal(own, theirs)


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("observation", np.zeros((4, 7), dtype=np.float32)),
        ("observation", np.zeros((4, 1), dtype=np.float64)),
        ("action_mask", np.zeros((4, 140), dtype=bool)),
        ("to_act", np.zeros(4, dtype=np.int64)),
        ("rewards", np.zeros((2, 4), dtype=np.float32).T),
        ("terminated", np.zeros(3, dtype=bool)),
    ],
)
def test_buffers_of_another_form_are_refused(name: str, array: np.ndarray) -> None:
    buffers = PiquetBatch(4).buffers._replace(**{name: array})
    with pytest.raises(ValueError, match=f"buffer {name} must be"):
        PiquetBatch(4, buffers=buffers)


def test_the_critic_sees_the_hidden_cards() -> None:
    batch = PiquetBatch(2, seed=5, critic=True, dtype="int8")
    scaled = PiquetBatch(2, seed=5, critic=True)
    rng = np.random.default_rng(0)
    game = Game(seed=5)
    for _ in range(150):
        parts = dict(zip((name for name, _ in CRITIC_BLOCKS), batch.critic_observation[0].reshape(3, 32), strict=True))
        state, other = game.state, 0 if game.dealer == game.to_act else 1
        for name, field in (("other_hand", "hands"), ("other_discards", "discards")):
            assert sum(1 << int(card) for card in np.flatnonzero(parts[name])) == state[field][other]
        assert np.argsort(-parts["talon"], kind="stable")[:8][::-1].tolist() == state["talon"][:8].tolist()
        high = np.repeat([1, 1, 12], 32)
        assert np.allclose(scaled.critic_observation[0] * high, batch.critic_observation[0])
        actions = choose_rows(batch.buffers.action_mask, rng)
        game.apply(int(actions[0]))
        batch.step(actions)
        scaled.step(actions)


# -- one learner ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("opponent", ["greedy", "random"])
@pytest.mark.parametrize("autoreset", ["same_step", "next_step"])
@pytest.mark.parametrize(
    ("rules", "reward", "skip"),
    [
        ("rubicon", "settlement", False),
        ("cavendish", "equity", True),
        ("au_cent_36", "deal_points", True),
        ("au_cent target=5 lurch=3", "deal_points", True),  # games end after a few decisions
    ],
)
def test_learner_rows_are_single_learner_environments(
    opponent: str, autoreset: str, rules: str, reward: str, skip: bool
) -> None:
    arguments: dict[str, Any] = {"rules": rules, "reward": reward, "skip_forced": skip}
    parties = LearnerBatch(3, opponent, seed=SEED, autoreset=autoreset, **arguments)
    rows = [PiquetEnv(opponent=opponent, **arguments) for _ in range(3)]
    current = [row.reset(seed=SEED + number)[0] for number, row in enumerate(rows)]
    rng = np.random.default_rng(0)
    ends = 0
    for _ in range(500 if rules == "au_cent_36" else 260):
        actions = np.zeros(3, dtype=np.int64)
        waiting = parties.waiting.copy()
        for number, row in enumerate(rows):
            assert np.array_equal(parties.observation[number], current[number])
            assert np.array_equal(parties.action_mask[number], row.action_masks())
            assert parties.seats[number] == row.learner_seat
            actions[number] = choose(parties.action_mask[number], rng) if not waiting[number] else -1
        parties.step(actions)
        for number, row in enumerate(rows):
            if waiting[number]:
                current[number] = row.reset()[0]
                assert parties.rewards[number] == 0
                assert not parties.terminated[number]
                continue
            observation, value, over, _, _ = row.step(actions[number])
            assert parties.rewards[number] == np.float32(value)
            assert parties.terminated[number] == over
            if over:
                ends += 1
                seat, result = row.learner_seat, row.result
                assert np.array_equal(parties.final_observation[number], observation)
                assert parties.final_settlement[number] == result.settlement[seat]
                assert parties.final_totals[number].tolist() == [result.totals[seat], result.totals[1 - seat]]
                if autoreset == "same_step":
                    observation = row.reset()[0]
            current[number] = observation
    assert ends > 2


def test_a_learner_batch_is_saved_and_goes_on() -> None:
    for autoreset in ("same_step", "next_step"):
        parties = LearnerBatch(4, "random", seed=1, autoreset=autoreset, skip_forced=True)
        twin = LearnerBatch(4, "random", seed=8, autoreset=autoreset, skip_forced=True)
        rng = np.random.default_rng(0)
        ended = 0
        for number in range(220):
            if number % 20 == 0 or parties.waiting.any():
                twin.restore(parties.snapshot())
            for name in ("observation", "action_mask", "seats", "waiting"):
                assert np.array_equal(getattr(parties, name), getattr(twin, name))
            actions = choose_rows(parties.action_mask, rng)
            for one in (parties, twin):
                one.step(actions)
            assert np.array_equal(parties.rewards, twin.rewards)
            ended += parties.terminated.sum()
        assert ended > 0


def test_illegal_learner_actions_name_their_rows_and_change_nothing() -> None:
    parties = LearnerBatch(3, "greedy", seed=1)
    before = pickle.dumps(parties.snapshot())
    actions = np.argmax(parties.action_mask, axis=1)
    actions[2] = int(np.argmin(parties.action_mask[2]))
    with pytest.raises(ValueError, match="row 2"):
        parties.step(actions)
    assert pickle.dumps(parties.snapshot()) == before


class Failing(RandomAgent):
    """Answers wrongly."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def act_batch(self, observations: np.ndarray, masks: np.ndarray, rng: Any) -> Any:
        if isinstance(self.answer, Exception):
            raise self.answer
        return np.full(len(masks), self.answer)


@pytest.mark.parametrize(
    ("answer", "error", "words"),
    [
        (-1, IllegalActionError, "the opponent random chose wrongly: illegal actions"),
        (0.5, IllegalActionError, "the opponent random chose wrongly: actions must be whole numbers"),
        (KeyError("lost"), RuntimeError, "the opponent random failed with KeyError: 'lost'"),
    ],
)
def test_a_batched_opponent_that_fails_gives_one_clear_error(answer: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        LearnerBatch(64, Failing(answer), seed=1)


def test_an_opponent_that_decides_no_batches_is_refused() -> None:
    class Single:
        def reset(self, seed: int) -> None: ...

        def act(self, view: Any) -> int:
            return 0

    with pytest.raises(ValueError, match="act_batch"):
        LearnerBatch(2, Single())


# -- at length --------------------------------------------------------------------------------------------------------


def resident_megabytes() -> float:
    """Memory of this process now."""
    with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123  (not a file on a disk)
        return int(file.read().split()[1]) * 4096 / 1e6


def check_memory(decisions: int) -> None:
    batch = PiquetBatch(512, seed=1, threads=2, keep_final_observation=True, critic=True)
    agent, streams = RandomAgent(), Streams(np.arange(512, dtype=np.uint64))
    out = batch.buffers
    after_warm_up = 0.0
    ended = 0
    for step in range(decisions // 512):
        batch.step(agent.act_batch(out.observation, out.action_mask, streams))
        ended += int(out.terminated.sum())
        if step == 700:  # every row has written each of its buffers
            after_warm_up = resident_megabytes()
    assert ended > decisions / 500
    assert resident_megabytes() - after_warm_up < 4


linux_only = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")


@linux_only
def test_memory_does_not_grow() -> None:
    check_memory(700_000)


@linux_only
@pytest.mark.thorough
def test_memory_does_not_grow_in_ten_million_decisions() -> None:
    check_memory(10_000_000)
