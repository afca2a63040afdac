"""The average of a run's policies: what enters it and with which weight, and that it disturbs nothing."""

import math

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("sb3_contrib")

torch.set_num_threads(1)  # as train.py does

from agents.learned.averaging import Average  # noqa: E402
from agents.learned.company import Company  # noqa: E402
from agents.learned.objective import Objective  # noqa: E402
from agents.learned.parties import SelfPlayParties  # noqa: E402
from agents.learned.schedules import Schedules  # noqa: E402
from agents.learned.self_play import SelfPlayPPO, actor_weights, build_model, policy_weights  # noqa: E402
from piquet_env import Rules  # noqa: E402

ROLLOUT = 256


def make_model(average: int, exchange_hidden: int = 8) -> SelfPlayPPO:
    parties = SelfPlayParties(16, Rules(), Objective(), seed=9)
    options = {"hidden": 8, "layers": 1, "precision": "float32", "rollout": ROLLOUT, "minibatch": 64}
    options |= {"epochs": 1, "clip": 0.1, "discount": 1.0, "trace": 0.95, "seed": 1}
    options |= {"average": average, "exchange_hidden": exchange_hidden}
    return build_model(parties, Schedules(2e-3, 0.05, 40_000_000), Company(16, Rules()), **options)


def last_weights(model: SelfPlayPPO) -> dict[str, np.ndarray]:
    return actor_weights(model.policy.actor, model.policy.reading)


def learn(model: SelfPlayPPO, updates: int) -> list[dict[str, np.ndarray]]:
    """Return the actor's weights after each of some updates."""
    found = []
    for _ in range(updates):
        model.learn(ROLLOUT, reset_num_timesteps=model.num_timesteps == 0)
        found.append(last_weights(model))
    return found


def test_the_first_updates_count_the_same_and_later_ones_fade() -> None:
    decisions = 2 * ROLLOUT
    model = make_model(decisions)
    policies = learn(model, 6)
    share = 1 - math.exp(-ROLLOUT / decisions)  # 0.39: from the third update on more than an equal share
    for name, weights in policy_weights(model).items():
        mean = (policies[0][name].astype(np.float64) + policies[1][name]) / 2
        for policy in policies[2:]:
            mean += share * (policy[name] - mean)
        np.testing.assert_allclose(weights, mean, rtol=0, atol=1e-6)
        assert not np.array_equal(weights, policies[-1][name])


def test_what_is_learnt_does_not_depend_on_the_average() -> None:
    averaged, plain = make_model(1000), make_model(0)
    for mine, theirs in zip(learn(averaged, 3), learn(plain, 3), strict=True):
        assert all(np.array_equal(mine[name], theirs[name]) for name in theirs)
    assert all(np.array_equal(policy_weights(plain)[name], weights) for name, weights in last_weights(plain).items())


def test_an_average_is_restored_with_its_weight() -> None:
    model = make_model(ROLLOUT * 50)
    learn(model, 3)
    assert model.average is not None
    state = {name: tensor.clone() for name, tensor in model.average.state().items()}
    other = Average(make_model(0).policy.actor, ROLLOUT * 50)
    other.restore(state)
    assert other.updates == 3
    learn(model, 1)
    other.take(model.policy.actor, ROLLOUT)
    for mine, theirs in zip(other.actor.parameters(), model.average.actor.parameters(), strict=True):
        assert torch.equal(mine, theirs)


def test_the_average_of_another_network_is_refused() -> None:
    model = make_model(ROLLOUT)
    assert model.average is not None
    other = Average(make_model(0, exchange_hidden=0).policy.actor, ROLLOUT)
    with pytest.raises(RuntimeError, match="exchange"):
        other.restore(model.average.state())
    with pytest.raises(KeyError):
        other.restore({})
