"""The short way of `env` does what PettingZoo's own wrappers do, step by step, whatever is called."""

from __future__ import annotations

import copy
import pickle
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pettingzoo.utils import wrappers

from piquet_env import piquet_v0
from piquet_env.rewards import illegal_reward


def plain_env(**arguments: Any) -> Any:
    """Return the environment with PettingZoo's wrappers alone."""
    raw = piquet_v0.raw_env(**arguments)
    terminating = wrappers.TerminateIllegalWrapper(raw, illegal_reward=illegal_reward(raw.reward))
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(terminating))


def outcome(call: Callable[[], Any]) -> Any:
    """Return what a call returns, or the kind and the words of what it raises, with the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = call()
        except BaseException as error:  # noqa: BLE001  (SystemExit too: what is raised is what is compared)
            value = (type(error), str(error))
    return plain(value), [str(warning.message) for warning in caught]


def plain(value: Any) -> Any:
    """Return a value with its arrays as bytes, to compare."""
    if isinstance(value, np.ndarray):
        return value.tobytes()
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return tuple(plain(item) for item in value) if isinstance(value, (tuple, list)) else value


def picture(env: Any) -> list[Any]:
    """Return all that can be read of an environment, but for `last` when nobody is left, which says so better here."""
    names = ("agents", "agent_selection", "rewards", "terminations", "truncations", "infos", "num_agents")
    read = [outcome(lambda name=name: getattr(env, name)) for name in names]
    left = getattr(env, "agents", None) == []
    reads = [] if left else [outcome(env.last), outcome(lambda: env.last(observe=False))]
    return (
        read
        + reads
        + [outcome(env.state)]
        + [outcome(lambda agent=agent: env.observe(agent)) for agent in env.possible_agents]
    )


def draw_action(env: Any, rng: np.random.Generator) -> Any:
    """Return an action: mostly a legal one, now and then any odd thing."""
    mask = env.unwrapped._mask
    legal = np.flatnonzero(mask)
    if rng.random() < 0.99 and env.agents and not env.terminations[env.agent_selection] and len(legal):
        action = rng.choice(legal)
        return int(action) if rng.random() < 0.5 else action
    odd = (None, -1, len(mask), 3.0, "draw", True, np.int8(5), np.int64(5), int(rng.integers(len(mask))))
    return odd[rng.integers(len(odd))]


@pytest.mark.parametrize("seed", range(12))
def test_same_as_pettingzoo_whatever_is_called(seed: int) -> None:
    rng = np.random.default_rng(seed)
    ours, theirs = piquet_v0.env(reward="deal_points"), plain_env(reward="deal_points")
    ended = refused = 0
    for episode in range(3):
        assert outcome(lambda: ours.reset(seed=seed + episode)) == outcome(lambda: theirs.reset(seed=seed + episode))  # noqa: B023
        for _ in range(260):
            if rng.random() < 0.2:
                assert picture(ours) == picture(theirs)
            action = draw_action(ours, rng)
            mine = outcome(lambda: ours.step(action))  # noqa: B023
            assert mine == outcome(lambda: theirs.step(action))  # noqa: B023
            refused += mine != (None, [])
            ended += not ours.agents
        assert picture(ours) == picture(theirs)
    assert refused
    assert ended or seed  # the first seed at least comes to an end


def test_same_loop_as_pettingzoo() -> None:
    seen = []
    for env in (piquet_v0.env(), plain_env()):
        rng = np.random.default_rng(5)
        env.reset(seed=5)
        trace = []
        for agent in env.agent_iter():
            observation, reward, termination, truncation, info = env.last()
            trace.append((agent, plain(observation), reward, termination, truncation, plain(info)))
            env.step(None if termination or truncation else int(rng.choice(np.flatnonzero(info["action_mask"]))))
        seen.append(trace)
    assert len(seen[0]) > 100
    assert seen[0] == seen[1]


def test_before_the_first_reset() -> None:
    ours, theirs = piquet_v0.env(), plain_env()
    assert picture(ours) == picture(theirs)
    assert outcome(lambda: ours.step(0)) == outcome(lambda: theirs.step(0))
    assert outcome(ours.agent_iter) == outcome(theirs.agent_iter)


def test_a_loop_without_steps_is_noticed() -> None:
    env = piquet_v0.env()
    env.reset(seed=1)
    turns = iter(env.agent_iter())
    next(turns)
    with pytest.raises(AssertionError, match="step"):
        next(turns)


def test_copies_are_independent() -> None:
    env = piquet_v0.env()
    env.reset(seed=3)
    for other in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        before = plain(env.last())
        other.step(int(np.flatnonzero(other.last()[4]["action_mask"])[0]))
        assert plain(env.last()) == before
        assert plain(other.last()) != before
