"""Discards weighed by the critic: each is followed by what the game makes of it, and the policy moves to the better."""

from types import SimpleNamespace

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("sb3_contrib")

torch.set_num_threads(1)  # as train.py does

from agents.learned.objective import Objective  # noqa: E402
from agents.learned.parties import SelfPlayParties  # noqa: E402
from agents.learned.schedules import Schedules  # noqa: E402
from agents.learned.self_play import SelfPlayPPO, all_gains, build_model  # noqa: E402
from agents.learned.weighing import advantages_of, exchanging_rows, weigh_actions  # noqa: E402


def make_model(parties: SelfPlayParties, steps: int = 16) -> SelfPlayPPO:
    options = {"hidden": 32, "layers": 2, "precision": "float32", "minibatch": 64, "epochs": 2, "clip": 0.1}
    rollout = steps * parties.num_envs
    schedules = Schedules(1e-2, 0.0, 1 << 40)
    return build_model(
        parties, schedules, seed=1, rollout=rollout, discount=1.0, trace=0.95, weigh_exchange=True, **options
    )


def test_each_action_is_followed_by_the_position_that_it_leads_to() -> None:
    """What the judge is shown is, action by action, what the batch itself shows behind that action."""
    parties = SelfPlayParties(24, "rubicon", Objective(), seed=5)
    parties.reset()
    twin = SelfPlayParties(24, "rubicon", Objective(), seed=5)
    twin.reset()
    weights = np.random.default_rng(3).normal(size=parties.num_all)
    compared = 0
    for _ in range(12):
        rows, masks = exchanging_rows(parties.batch), parties.action_masks()
        movers = parties.batch.buffers.to_act.copy()
        values = weigh_actions(parties.batch, rows, parties.reading, lambda seen: (seen @ weights).astype(np.float32))
        assert ((values != 0) <= (masks[rows] > 0)).all()
        actions = np.array([np.flatnonzero(mask)[-1] for mask in masks])
        for choice in range(2):
            actions[rows] = [np.flatnonzero(mask)[choice % np.count_nonzero(mask)] for mask in masks[rows]]
            twin.restore(parties.snapshot())
            twin.step_async(actions)
            seen = twin.step_wait()[0]
            sign = np.where(twin.batch.buffers.to_act == movers, 1, -1)
            expected = (seen @ weights * sign)[rows]
            assert values[np.arange(len(rows)), actions[rows]] == pytest.approx(expected, rel=1e-4, abs=1e-3)
            compared += len(rows)
        parties.step_async(actions)
        parties.step_wait()
    assert compared > 60


def test_advantages_have_the_policys_mean_zero_and_deviation_one() -> None:
    rng = np.random.default_rng(2)
    chances = rng.dirichlet(np.ones(6), 500).astype(np.float32)
    chances[:, 0] = 0
    chances /= chances.sum(axis=1, keepdims=True)
    found = advantages_of(rng.normal(3, 2, chances.shape).astype(np.float32), chances)
    assert (found * chances).sum(axis=1) == pytest.approx(0, abs=1e-4)
    assert (found**2).sum() / (5 * 500) == pytest.approx(1, rel=1e-3)
    assert (found[:, 0] == 0).all()
    assert np.isfinite(advantages_of(np.zeros((3, 4), np.float32), np.full((3, 4), 0.25, np.float32))).all()


def test_a_rare_action_is_pushed_as_much_as_a_frequent_one_within_what_is_felt() -> None:
    logits = torch.tensor([[5.0, 0.0, -1.0, 9.0], [20.0, 0.0, 0.0, 0.0]], requires_grad=True)
    masks = torch.tensor([[1, 1, 1, 0], [1, 1, 1, 1]], dtype=torch.int8)
    advantages = torch.tensor([[0.0, 1.0, -1.0, 5.0], [1.0, -1.0, 2.0, 0.0]])
    batch = SimpleNamespace(weighed=torch.tensor([0, 1]), action_masks=masks, all_advantages=advantages)
    all_gains(logits, batch).sum().backward()
    assert logits.grad[0].tolist() == pytest.approx([0, 1 / 3, -1 / 3, 0])
    # The first action is as good as certain, the second as good as never taken: neither is pushed any further.
    assert logits.grad[1].tolist() == pytest.approx([-0.125, -0.125, 0.375, -0.125])


def test_the_policy_learns_the_discards_that_the_critic_prefers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A critic that likes whoever holds clubs teaches both seats to keep them."""
    parties = SelfPlayParties(64, "rubicon", Objective(), seed=2)
    model = make_model(parties)

    def likes_clubs(seen: torch.Tensor) -> torch.Tensor:
        return seen[:, 24:32].float().sum(1) - seen[:, parties.num_own + 24 : parties.num_own + 32].float().sum(1)

    monkeypatch.setattr(model.policy, "predict_values", likes_clubs)

    def share_of_clubs() -> float:
        laid = model.rollout_buffer.actions[model.rollout_buffer.places >= 0]
        laid = laid[(laid >= 32) & (laid < 64)]
        return float((laid >= 56).mean())

    model.learn(1024, log_interval=1 << 30)
    first = share_of_clubs()
    model.learn(30 * 1024, log_interval=1 << 30, reset_num_timesteps=False)
    assert first > 0.15
    assert share_of_clubs() < 0.5 * first


def test_what_is_weighed_belongs_to_its_decision() -> None:
    parties = SelfPlayParties(32, "rubicon", Objective(), seed=2)
    model = make_model(parties)
    model.learn(512, log_interval=1 << 30)
    buffer = model.rollout_buffer
    batch = next(buffer.minibatches(256, np.random.default_rng(1)))
    assert len(batch.weighed) > 20
    masks = batch.action_masks[batch.weighed]
    assert ((masks[:, 32:64].sum(1) > 0) | (masks[:, 96] > 0)).all()
    assert torch.allclose(batch.chances.sum(1), torch.ones(len(batch.weighed)), atol=1e-4)
    assert (batch.chances[masks == 0] == 0).all()
    taken = batch.chances.gather(1, batch.actions[batch.weighed][:, None]).flatten()
    assert torch.allclose(taken.log(), batch.old_log_probs[batch.weighed], atol=1e-3)
