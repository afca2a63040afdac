"""The vector environment of Stable-Baselines3."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from piquet_env.gymnasium_env import PiquetEnv
from tests.env.playing import choose_rows

pytest.importorskip("stable_baselines3")
sb3_contrib = pytest.importorskip("sb3_contrib")

from sb3_contrib.common.maskable.evaluation import evaluate_policy  # noqa: E402
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported  # noqa: E402
from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize  # noqa: E402

from piquet_env.sb3_vec_env import PiquetVecEnv  # noqa: E402

SEED = 30


@pytest.mark.parametrize(("opponent", "skip"), [("greedy", False), ("random", True)])
def test_it_is_a_dummy_vec_env_of_single_environments(opponent: str, skip: bool) -> None:
    """All that both return is equal, step by step."""
    mine = PiquetVecEnv(3, opponent, seed=SEED, skip_forced=skip)
    theirs = DummyVecEnv([lambda: PiquetEnv(opponent=opponent, skip_forced=skip)] * 3)
    theirs.seed(SEED)
    assert mine.observation_space == theirs.observation_space
    assert mine.action_space == theirs.action_space
    assert np.array_equal(mine.reset(), theirs.reset())
    rng = np.random.default_rng(0)
    lengths, ends = np.zeros(3, dtype=int), 0
    for _ in range(400):
        masks = get_action_masks(mine)
        assert masks.dtype == bool
        assert np.array_equal(masks, get_action_masks(theirs))
        one, two = step_both(mine, theirs, choose_rows(masks, rng))
        lengths += 1
        for got, wanted in zip(one[:3], two[:3], strict=True):
            assert np.array_equal(got, wanted)
        for row in range(3):
            if not one[2][row]:
                assert one[3][row] == {}
                continue
            ends += 1
            info, told = one[3][row], two[3][row]
            assert np.array_equal(info["terminal_observation"], told["terminal_observation"])
            assert info["TimeLimit.truncated"] is told["TimeLimit.truncated"] is False
            assert info["own_settlement"] == told["settlement"][told["seat"]] == info["episode"]["r"]
            assert info["own_totals"] == (told["totals"][told["seat"]], told["totals"][1 - told["seat"]])
            assert info["episode"]["l"] == lengths[row]
            lengths[row] = 0
    assert ends > 3


def step_both(mine: Any, theirs: Any, actions: np.ndarray) -> tuple[Any, Any]:
    return mine.step(actions), theirs.step(actions)


def test_masks_come_in_every_way_that_is_asked_for() -> None:
    envs = PiquetVecEnv(4, "random", seed=1)
    envs.reset()
    assert is_masking_supported(envs)
    masks = envs.action_masks()
    assert np.array_equal(get_action_masks(envs), masks)
    assert np.array_equal(envs.env_method("action_masks", indices=[2, 0]), masks[[2, 0]])
    assert np.array_equal(np.stack([function() for function in envs.get_attr("action_masks")]), masks)
    assert np.array_equal(envs.get_attr("action_masks", indices=1)[0](), masks[1])
    assert envs.get_attr("reward_scale") == [1.0] * 4
    assert envs.has_attr("parties")
    assert not envs.has_attr("nothing_of_the_kind")
    envs.set_attr("reward_scale", 0.5)
    assert envs.reward_scale == 0.5
    envs.close()


def test_observations_are_copies() -> None:
    envs = PiquetVecEnv(2, "greedy", seed=1)
    first = envs.reset()
    kept = first.copy()
    second, _, _, _ = envs.step(choose_rows(envs.action_masks(), np.random.default_rng(0)))
    assert np.array_equal(first, kept)
    assert second is not first


def test_seeds() -> None:
    envs = PiquetVecEnv(2, "random", seed=5)
    first = envs.reset()
    assert not np.array_equal(first, envs.reset()), "goes on to the next parties"
    envs.seed(5)
    assert np.array_equal(first, envs.reset())
    envs.seed(6)
    assert np.array_equal(first[1], envs.reset()[0])


def test_the_reward_scale_leaves_the_record_alone() -> None:
    envs = PiquetVecEnv(4, "greedy", seed=1, reward_scale=0.01)
    envs.reset()
    rng = np.random.default_rng(0)
    totals, ended = np.zeros(4), 0
    while ended < 4:
        _, rewards, dones, infos = envs.step(choose_rows(envs.action_masks(), rng))
        assert rewards.dtype == np.float32
        totals += rewards
        for row in np.flatnonzero(dones):
            assert infos[row]["episode"]["r"] == infos[row]["own_settlement"]
            assert totals[row] == pytest.approx(infos[row]["own_settlement"] / 100)
            totals[row] = 0
            ended += 1


def test_an_illegal_action_raises_and_changes_nothing() -> None:
    envs = PiquetVecEnv(2, "greedy", seed=1)
    envs.reset()
    before = pickle.dumps(envs.snapshot())
    with pytest.raises(ValueError, match="row 0"):
        envs.step(np.argmin(envs.action_masks(), axis=1))
    assert pickle.dumps(envs.snapshot()) == before


@pytest.mark.parametrize("how", ["snapshot", "pickle", "deepcopy"])
def test_copies_continue_identically(how: str) -> None:
    envs = PiquetVecEnv(3, "random", seed=1, dtype="int8")
    envs.reset()
    rng = np.random.default_rng(0)
    for _ in range(70):
        envs.step(choose_rows(envs.action_masks(), rng))
    if how == "snapshot":
        twin = PiquetVecEnv(3, "random", seed=50, dtype="int8")
        twin.restore(envs.snapshot())
    else:
        twin = pickle.loads(pickle.dumps(envs)) if how == "pickle" else copy.deepcopy(envs)
    for _ in range(120):
        one, two = step_both(envs, twin, choose_rows(envs.action_masks(), rng))
        for got, wanted in zip(one[:3], two[:3], strict=True):
            assert np.array_equal(got, wanted)
        assert [info.get("episode", {}).get("r") for info in one[3]] == [
            info.get("episode", {}).get("r") for info in two[3]
        ]


def test_wrappers_take_it() -> None:
    envs = VecNormalize(PiquetVecEnv(3, "greedy", seed=1), norm_obs=False)
    envs.reset()
    rng = np.random.default_rng(0)
    seen = 0
    for _ in range(150):
        _, _, dones, infos = envs.step(choose_rows(get_action_masks(envs), rng))
        seen += sum("episode" in infos[row] for row in np.flatnonzero(dones))
    assert seen > 0


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["float32", "int8"])
def test_maskable_ppo_learns_in_it(dtype: str) -> None:
    envs = PiquetVecEnv(8, "random", seed=1, dtype=dtype, reward="deal_points", reward_scale=0.01)
    model = sb3_contrib.MaskablePPO("MlpPolicy", envs, n_steps=64, batch_size=128, n_epochs=1, seed=1)
    model.learn(1024)
    assert model.num_timesteps == 1024
    assert len(model.ep_info_buffer) > 0
    assert all(value.isfinite().all() for value in model.policy.state_dict().values())
    mean, _ = evaluate_policy(model, envs, n_eval_episodes=4)  # warns of environments without a monitor
    assert -200 < mean < 200
    observations = envs.reset()
    actions, _ = model.predict(observations, action_masks=envs.action_masks(), deterministic=True)
    assert envs.action_masks()[np.arange(8), actions].all()
