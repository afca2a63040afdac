"""The vector environment of Gymnasium."""

import copy
import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest

from agents.random_agent import RandomAgent
from piquet_env import raw_env
from piquet_env.gymnasium_env import PiquetEnv
from piquet_env.observation import observation_scale
from piquet_env.vector_env import AUTORESET_MODES, PiquetVectorEnv
from tests.env.playing import RULES, choose_rows

AutoresetMode = getattr(gymnasium.vector, "AutoresetMode", None)
newer = pytest.mark.skipif(AutoresetMode is None, reason="this Gymnasium has no AutoresetMode")
SEED = 70


def make(count: int, **arguments: Any) -> Any:
    return gymnasium.make_vec("Piquet-v0", num_envs=count, vectorization_mode="vector_entry_point", **arguments)


def actions_for(masks: np.ndarray, rng: np.random.Generator, wrong: float = 0.0) -> np.ndarray:
    """Legal actions, a share of them replaced by actions that may be anything."""
    actions = choose_rows(masks, rng)
    replaced = rng.random(len(actions)) < wrong
    actions[replaced] = rng.integers(0, masks.shape[1], replaced.sum())
    return actions


# -- the same as Gymnasium's own vector environment -------------------------------------------------------------------


@newer
@pytest.mark.parametrize("mode", AUTORESET_MODES)
@pytest.mark.parametrize("opponent", ["greedy", "random"])
@pytest.mark.parametrize(("rules", "reward", "skip"), [("rubicon", "settlement", False), ("finnish", "equity", True)])
def test_it_is_a_sync_vector_env_of_single_environments(
    mode: str, opponent: str, rules: str, reward: str, skip: bool
) -> None:
    """All that both return is equal, step by step, illegal actions included."""
    arguments: dict[str, Any] = {"opponent": opponent, "rules": rules, "reward": reward, "skip_forced": skip}
    mine = make(3, autoreset_mode=mode, **arguments)
    theirs = gymnasium.vector.SyncVectorEnv(
        [lambda: PiquetEnv(**arguments)] * 3, autoreset_mode=getattr(AutoresetMode, mode.upper())
    )
    for name in ("observation_space", "action_space", "single_observation_space", "single_action_space"):
        assert getattr(mine, name) == getattr(theirs, name)
    assert mine.metadata["autoreset_mode"] is theirs.metadata["autoreset_mode"]
    rng = np.random.default_rng(0)
    pairs = [one.reset(seed=SEED) for one in (mine, theirs)]
    assert np.array_equal(pairs[0][0], pairs[1][0])
    ends = illegal = 0
    for _ in range(500):
        actions = actions_for(mine.action_masks(), rng, 0.003)
        one, two = mine.step(actions), theirs.step(actions)
        rewards = np.float32(two[1]).astype(np.float64)  # a batch pays as float32
        for got, wanted in zip(one[:4], (two[0], rewards, *two[2:4]), strict=True):
            assert got.dtype == wanted.dtype
            assert np.array_equal(got, wanted)
        mask, seat = two[4]["action_mask"], two[4]["seat"]
        assert np.array_equal(one[4]["action_mask"], mask)
        assert np.array_equal(mine.action_masks(), mask.astype(bool))
        assert np.array_equal(one[4]["seat"], seat)
        assert one[4]["_action_mask"].all()
        ended = one[2]
        if not ended.any():
            assert set(one[4]) == {"action_mask", "_action_mask", "seat", "_seat"}
            continue
        ends += ended.sum()
        if mode == "same_step":
            for row in range(3):
                got, wanted = one[4]["final_obs"][row], two[4]["final_obs"][row]
                assert (got is None) == (wanted is None) == (not ended[row])
                assert got is None or np.array_equal(got, wanted)
            assert np.array_equal(one[4]["_final_obs"], two[4]["_final_obs"])
            assert np.array_equal(one[4]["_final_info"], two[4]["_final_info"])
        facts = (one[4]["final_info"], two[4]["final_info"]) if mode == "same_step" else (one[4], two[4])
        told = facts[1].get("_illegal", np.zeros(3, dtype=bool))
        assert np.array_equal(facts[0]["illegal"], told)
        illegal += told.sum()
        for row in np.flatnonzero(ended & ~told):
            seat = facts[1]["seat"][row]
            assert facts[0]["_own_settlement"][row]
            assert facts[0]["own_settlement"][row] == facts[1]["settlement"][row][seat]
            by_seat = facts[1]["totals"][row]
            assert facts[0]["own_totals"][row].tolist() == [by_seat[seat], by_seat[1 - seat]]
    assert ends > 3
    assert illegal > 0


@pytest.mark.parametrize("mode", AUTORESET_MODES)
@pytest.mark.parametrize("rules", RULES)
def test_with_both_seats_played_rows_are_aec_environments(mode: str, rules: str) -> None:
    envs = make(3, opponent=None, rules=rules, reward="deal_points", autoreset_mode=mode)
    rows = [raw_env(rules=rules, reward="deal_points") for _ in range(3)]
    for number, row in enumerate(rows):
        row.reset(seed=SEED + number)
    rng = np.random.default_rng(1)
    observations, infos = envs.reset(seed=SEED)
    waiting = np.zeros(3, dtype=bool)
    for _ in range(300):
        for number, row in enumerate(rows):
            if waiting[number]:
                assert infos["to_act"][number] == -1
                assert not infos["action_mask"][number].any()
                continue
            seen, _, _, _, told = row.last()
            assert infos["to_act"][number] == told["seat"]
            assert np.array_equal(observations[number], seen["observation"])
            assert np.array_equal(infos["action_mask"][number], seen["action_mask"])
        actors = infos["to_act"]
        actions = actions_for(infos["action_mask"], rng, 0.004)
        legal = infos["action_mask"][np.arange(3), actions] == 1
        observations, rewards, terminations, truncations, infos = envs.step(actions)
        assert not truncations.any()
        for number, row in enumerate(rows):
            if waiting[number]:
                row.reset()
                waiting[number] = False
                assert rewards[number] == 0
                assert not infos["rewards"][number].any()
                assert not terminations[number]
                continue
            actor = int(actors[number])
            if legal[number]:
                row.step(int(actions[number]))
                both = [row.rewards["player_0"], row.rewards["player_1"]]
                over = row.terminations["player_0"]
            else:
                both, over = [0.0, 0.0], True
                both[actor] = -500.0
            assert infos["rewards"][number].tolist() == both
            assert rewards[number] == both[actor]
            assert terminations[number] == over
            if not over:
                continue
            last = row.observe(f"player_{actor}")["observation"]
            facts = infos if mode == "next_step" else infos["final_info"]
            assert facts["illegal"][number] != legal[number]
            assert facts["own_totals"][number].tolist() == [row.game.totals[actor], row.game.totals[1 - actor]]
            if legal[number]:
                assert facts["own_settlement"][number] == row.result.settlement[actor]
            if mode == "same_step":
                assert np.array_equal(infos["final_obs"][number], last)
                row.reset()
            else:
                assert np.array_equal(observations[number], last)
                waiting[number] = True


# -- Gymnasium's conventions ------------------------------------------------------------------------------------------


@newer
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("mode", AUTORESET_MODES)
def test_make_vec_and_the_modes(mode: str) -> None:
    member = getattr(AutoresetMode, mode.upper())
    for given in (mode, member):
        envs = make(2, opponent="random", autoreset_mode=given)
        assert isinstance(envs, PiquetVectorEnv)
        assert envs.metadata["autoreset_mode"] is member
        assert envs.num_envs == 2
        assert envs.spec.id == "Piquet-v0"
        again = gymnasium.make_vec(envs.spec)
        assert type(again) is type(envs)
        assert again.num_envs == 2
    assert gymnasium.make_vec("Piquet-v0", opponent="random").metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP


@newer
@pytest.mark.parametrize("mode", ["never", "disabled", 3])
def test_other_modes_are_refused(mode: Any) -> None:
    for given in (mode, AutoresetMode.DISABLED):
        with pytest.raises(ValueError, match="unknown autoreset_mode"):
            make(2, autoreset_mode=given)


def test_the_older_gymnasium_gets_a_plain_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("piquet_env.vector_env._Mode", None)
    assert PiquetVectorEnv(1, autoreset_mode="same_step").metadata["autoreset_mode"] == "SameStep"


@pytest.mark.parametrize("opponent", ["greedy", None])
@pytest.mark.parametrize("dtype", ["float32", "int8"])
def test_spaces_hold_what_comes_out(opponent: Any, dtype: str) -> None:
    envs = make(4, opponent=opponent, dtype=dtype, rules="au_cent_36")
    rng = np.random.default_rng(0)
    observations, infos = envs.reset(seed=1)
    plain = make(4, opponent=opponent, rules="au_cent_36").reset(seed=1)[0]
    if dtype == "int8":
        assert np.array_equal(observations * observation_scale(36), plain)
    envs.action_space.seed(1)
    for _ in range(60):
        assert envs.observation_space.contains(observations)
        assert infos["action_mask"].dtype == np.int8
        actions = choose_rows(infos["action_mask"], rng)
        assert envs.action_space.contains(actions)
        observations, rewards, terminations, truncations, infos = envs.step(actions)
        assert (rewards.dtype, terminations.dtype, truncations.dtype) == (np.float64, bool, bool)
        assert rewards.shape == terminations.shape == truncations.shape == (4,)


def test_unmasked_actions_never_raise() -> None:
    """As Gymnasium's checkers and many scripts step."""
    for opponent in ("random", None):
        for mode in AUTORESET_MODES:
            envs = make(5, opponent=opponent, autoreset_mode=mode, reward="win")
            envs.reset(seed=1)
            envs.action_space.seed(1)
            lost = 0
            for _ in range(50):
                _, rewards, terminations, _, _ = envs.step(envs.action_space.sample())
                assert set(rewards[terminations]) <= {-1.0}
                lost += terminations.sum()
            assert lost > 100


def test_what_is_returned_is_the_callers_own() -> None:
    envs = make(2, opponent="greedy")
    rng = np.random.default_rng(0)
    observations, infos = envs.reset(seed=1)
    kept = observations.copy(), infos["action_mask"].copy()
    envs.step(choose_rows(infos["action_mask"], rng))
    assert np.array_equal(observations, kept[0])
    assert np.array_equal(infos["action_mask"], kept[1])
    observations[:] = 7
    assert envs.step(choose_rows(envs.action_masks(), rng))[0].max() <= 1


def test_a_seed_repeats_and_a_reset_without_goes_on() -> None:
    for opponent in ("random", None):
        envs = make(3, opponent=opponent, seed=4)
        first = envs.reset()[0]
        assert np.array_equal(first, envs.reset(seed=4)[0])
        second, infos = envs.reset()
        assert not np.array_equal(first, second)
        if opponent is not None:
            assert infos["seat"].tolist() == [1, 1, 1]
        assert np.array_equal(first[1], envs.reset(seed=5)[0][0])


@pytest.mark.parametrize("actions", [[0], np.zeros((2, 1), dtype=int), [0.0, 1.0], [True, False], ["a", "b"], None, 3])
def test_actions_of_a_wrong_shape_or_kind_are_one_clear_error(actions: Any) -> None:
    envs = make(2, opponent="greedy")
    envs.reset(seed=1)
    before = pickle.dumps(envs.snapshot())
    with pytest.raises(ValueError, match=r"actions must be whole numbers of shape \(2,\)"):
        envs.step(actions)
    assert pickle.dumps(envs.snapshot()) == before


def test_order_and_options() -> None:
    envs = make(2, opponent="greedy")
    with pytest.raises(ValueError, match=r"call reset\(\) first"):
        envs.step(np.zeros(2, dtype=int))
    with pytest.raises(ValueError, match="no options"):
        envs.reset(seed=1, options={"decks": []})
    envs.reset(seed=1, options={})
    envs.close()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"num_envs": 0}, "num_envs"),
        ({"reward": "points"}, "points"),
        ({"opponent": "nobody"}, "nobody"),
        ({"opponent": 5}, "an opponent is"),
        ({"dtype": "float64"}, "float64"),
    ],
)
def test_bad_arguments_are_refused(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        PiquetVectorEnv(**arguments)


@newer
@pytest.mark.parametrize("mode", AUTORESET_MODES)
def test_gymnasiums_wrappers_take_it(mode: str) -> None:
    envs = gymnasium.wrappers.vector.RecordEpisodeStatistics(make(3, opponent="greedy", autoreset_mode=mode))
    listed = gymnasium.wrappers.vector.DictInfoToList(envs)
    rng = np.random.default_rng(0)
    _, infos = listed.reset(seed=1)
    returns = np.zeros(3)
    ended = 0
    for _ in range(260):
        masks = np.array([info["action_mask"] for info in infos])
        _, rewards, terminations, _, infos = listed.step(choose_rows(masks, rng))
        returns += rewards
        for row in np.flatnonzero(terminations):
            told = infos[row]["final_info"] if mode == "same_step" else infos[row]
            told = told if "episode" in told else infos[row]
            assert told["episode"]["r"] == returns[row]
            returns[row] = 0
            ended += 1
    assert ended > 3


@pytest.mark.parametrize("how", ["snapshot", "pickle", "deepcopy"])
@pytest.mark.parametrize("mode", AUTORESET_MODES)
@pytest.mark.parametrize("opponent", [RandomAgent(), None], ids=["opponent", "both seats"])
def test_copies_continue_identically(how: str, mode: str, opponent: Any) -> None:
    envs = make(3, opponent=opponent, autoreset_mode=mode, reward="deal_points", skip_forced=True)
    envs.reset(seed=1)
    rng = np.random.default_rng(0)
    seen_waiting = False
    for _ in range(8):
        for _ in range(41):
            terminations = envs.step(actions_for(envs.action_masks(), rng, 0.01))[2]
            if terminations.any() and mode == "next_step":
                seen_waiting = True
                break
        if how == "snapshot":
            twin = make(3, opponent=opponent, autoreset_mode=mode, reward="deal_points", skip_forced=True, seed=90)
            twin.restore(envs.snapshot())
        else:
            twin = pickle.loads(pickle.dumps(envs)) if how == "pickle" else copy.deepcopy(envs)
        assert np.array_equal(twin.action_masks(), envs.action_masks())
        for _ in range(15):
            actions = actions_for(envs.action_masks(), rng)
            for one, two in zip(envs.step(actions)[:4], twin.step(actions)[:4], strict=True):
                assert np.array_equal(one, two)
    assert seen_waiting or mode == "same_step"
