"""Snapshots of the policy at the table: which are kept, where they sit, how they decide, and that they come back."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("sb3_contrib")
safetensors = pytest.importorskip("safetensors.numpy")

torch.set_num_threads(1)  # as train.py does

from agents.base import AgentError  # noqa: E402
from agents.learned.company import Company  # noqa: E402
from agents.learned.objective import Objective  # noqa: E402
from agents.learned.parties import SelfPlayParties  # noqa: E402
from agents.learned.policy import PolicyAgent, policy_metadata, save_policy  # noqa: E402
from agents.learned.pool import AT_ONCE, Pool  # noqa: E402
from agents.learned.reading import reading_of  # noqa: E402
from agents.learned.schedules import Schedules  # noqa: E402
from agents.learned.self_play import SelfPlayPPO, build_model, policy_weights  # noqa: E402
from piquet_env import Rules  # noqa: E402
from piquet_env.rules.actions import num_actions  # noqa: E402

RULES = Rules()
READING = reading_of("suits", 32)


def make_weights(seed: int, hidden: int = 8, inputs: int = READING.num_read) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    sizes = {"layer0.weight": (hidden, inputs), "layer0.bias": (hidden,)}
    sizes |= {"layer1.weight": (num_actions(32), hidden), "layer1.bias": (num_actions(32),)}
    return {name: rng.normal(size=size).astype(np.float32) for name, size in sizes.items()}


def make_pool(size: int = 3, taken: int = 0, every: int = 100) -> Pool:
    pool = Pool(size, every, RULES, READING)
    for number in range(taken):
        pool.take(make_weights(number), every * (number + 1))
    return pool


def make_model(company: Company, parties: int = 16, steps: int = 16) -> SelfPlayPPO:
    table = SelfPlayParties(parties, RULES, Objective(), seed=9)
    options = {"hidden": 8, "layers": 1, "precision": "float32", "rollout": parties * steps, "minibatch": 64}
    options |= {"epochs": 1, "clip": 0.1, "discount": 1.0, "trace": 0.95, "seed": 1}
    return build_model(table, Schedules(2e-3, 0.05, 40_000_000), company, **options)


def test_the_last_snapshots_are_kept_in_half_the_space() -> None:
    pool = make_pool(3, taken=5)
    assert [snapshot.decisions for snapshot in pool.snapshots] == [300, 400, 500]
    for number, snapshot in zip((2, 3, 4), pool.snapshots, strict=True):
        weights = make_weights(number)
        assert snapshot.weights.keys() == weights.keys()
        for name, tensor in weights.items():
            assert snapshot.weights[name].nbytes * 2 == tensor.nbytes
            assert snapshot.weights[name] == pytest.approx(tensor, abs=4e-3)


def test_a_weight_beyond_half_precision_stays_finite() -> None:
    pool = make_pool()
    pool.take(make_weights(1) | {"layer0.bias": np.full(8, -1e9, dtype=np.float32)}, 1)
    assert (pool.snapshots[0].weights["layer0.bias"] == np.finfo(np.float16).min).all()


def test_snapshots_are_due_by_the_decisions_since_the_last_or_since_the_lessons() -> None:
    pool = make_pool(every=100)
    assert [pool.is_due(at, 50) for at in (0, 149, 150, 1000)] == [False, False, True, True]
    pool.take(make_weights(1), 170)
    assert [pool.is_due(at, 50) for at in (269, 270)] == [False, True]


def test_a_draw_takes_some_snapshots_once_each_and_follows_the_seed() -> None:
    pool = make_pool(AT_ONCE + 3, taken=AT_ONCE + 3)

    def drawn(seed: int) -> list[bytes]:
        return [agent._networks[0].rest[0].tobytes() for agent in pool.draw(np.random.default_rng(seed))]

    assert len(set(drawn(1))) == len(drawn(1)) == AT_ONCE
    assert drawn(1) == drawn(1)
    assert len({tuple(drawn(seed)) for seed in range(5)}) == 5
    assert len(make_pool(3, taken=2).draw(np.random.default_rng(1))) == 2


def test_snapshots_and_opponents_sit_in_rows_of_their_own() -> None:
    company = Company(400, RULES, opponents=("greedy",), share=0.25, pool=make_pool(4, taken=4), pool_share=0.5)
    opponents = company.seats.copy()
    assert np.count_nonzero(opponents >= 0) == 100
    company.begin_rollout(np.random.default_rng(1))
    assert (company.seats[opponents >= 0] == opponents[opponents >= 0]).all()
    added = (company.seats >= 0) & (opponents < 0)
    assert np.count_nonzero(added) == 200
    assert np.count_nonzero(company.seats[added] == 0) == 100
    assert [len(rows) for _, rows in company._guests] == [50] * 4
    for _, rows in company._guests:
        assert added[rows].all()
        assert set(company.seats[rows].tolist()) == {0, 1}


def test_nobody_sits_there_before_the_first_snapshot() -> None:
    company = Company(40, RULES, pool=make_pool(), pool_share=1.0)
    company.begin_rollout(np.random.default_rng(1))
    assert (company.seats == -1).all()


def test_a_snapshot_decides_as_its_policy_file_where_it_sits_and_nowhere_else(tmp_path) -> None:
    parties = SelfPlayParties(64, RULES, Objective(), seed=3)
    parties.reset()
    pool = make_pool(1, taken=1)
    company = Company(64, RULES, pool=pool, pool_share=0.5)
    company.begin_rollout(np.random.default_rng(1))
    path = tmp_path / "policy.safetensors"
    save_policy(path, pool.snapshots[0].weights, policy_metadata(RULES, "relu", 2, "suits"))
    agent = PolicyAgent(path=path)
    met = 0
    for step in range(20):
        buffers = parties.batch.buffers
        asked = np.flatnonzero(buffers.to_act == company.seats)
        own_choice = np.array([int(np.flatnonzero(mask)[-1]) for mask in buffers.action_mask])
        expected = own_choice.copy()
        given = (buffers.observation[asked], buffers.action_mask[asked], np.random.default_rng(step))
        expected[asked] = agent.act_batch(*given)
        actions = own_choice.copy()
        own = company.move(parties.batch, actions, np.random.default_rng(step))
        assert (np.flatnonzero(~own) == asked).all()
        assert (actions == expected).all()
        met += np.count_nonzero(actions != own_choice)
        parties.step_async(actions)
        parties.step_wait()
    assert met > 50


def test_the_learner_takes_its_snapshots_and_learns_from_its_own_decisions_alone() -> None:
    pool = Pool(2, 256, RULES, READING)
    model = make_model(Company(16, RULES, pool=pool, pool_share=0.5))
    assert (model.learn(256).rollout_buffer.own == 1).all()
    weights = policy_weights(model)
    model.learn(256, reset_num_timesteps=False)
    assert [snapshot.decisions for snapshot in pool.snapshots] == [256]
    for name, tensor in weights.items():
        assert (pool.snapshots[0].weights[name] == tensor.astype(np.float16)).all()
    own = model.rollout_buffer.own
    assert 0 < np.count_nonzero(own == 0) < own.size / 2
    assert set(np.flatnonzero((own == 0).any(axis=0)).tolist()) <= set(model.company._pool_rows.tolist())
    assert (model.rollout_buffer.advantages[own == 0] == 0).all()
    model.learn(512, reset_num_timesteps=False)
    assert [snapshot.decisions for snapshot in pool.snapshots] == [512, 768]


def test_a_pool_is_restored_and_a_smaller_one_keeps_the_last() -> None:
    pool = make_pool(3, taken=3)
    same, smaller = make_pool(3), make_pool(2)
    same.restore(pool.state())
    smaller.restore(pool.state())
    assert [snapshot.decisions for snapshot in same.snapshots] == [100, 200, 300]
    assert [snapshot.decisions for snapshot in smaller.snapshots] == [200, 300]
    for mine, theirs in zip(same.snapshots, pool.snapshots, strict=True):
        assert all((mine.weights[name] == theirs.weights[name]).all() for name in theirs.weights)


def test_a_snapshot_that_could_not_play_is_refused() -> None:
    pool = make_pool(2)
    pool.take(make_weights(1, inputs=READING.num_read + 8), 1)
    with pytest.raises(AgentError, match="layer 0 has shapes"):
        make_pool(2).restore(pool.state())
