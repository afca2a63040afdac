"""The parties of the learner and its buffer: whose reward, whose decision, where an episode ends."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("sb3_contrib")

torch.set_num_threads(1)  # as train.py does

from agents.learned.objective import SCALE, Objective  # noqa: E402
from agents.learned.parties import PHASES, SelfPlayParties  # noqa: E402
from agents.learned.reading import READINGS  # noqa: E402
from agents.learned.schedules import Schedules  # noqa: E402
from agents.learned.self_play import SelfPlayPPO, build_model, clip_gradient, policy_weights  # noqa: E402
from piquet_env import PiquetBatch  # noqa: E402
from piquet_env.observation import decode, observation_size  # noqa: E402
from piquet_env.rules.knowledge import VIEW_NAMES  # noqa: E402


def make_parties(number: int = 16, objective: Objective | None = None, rules: str = "rubicon") -> SelfPlayParties:
    return SelfPlayParties(number, rules, objective or Objective(), seed=9)


def make_model(parties: SelfPlayParties, rollout: int = 256, **options: object) -> SelfPlayPPO:
    settings = {"seed": 1, "hidden": 32, "layers": 2, "precision": "float32", "rollout": rollout, "minibatch": 64}
    settings |= {"epochs": 2, "clip": 0.1, "discount": 1.0, "trace": 0.95}
    return build_model(parties, Schedules(2e-3, 0.05, 40_000_000), **(settings | options))


def play(parties: SelfPlayParties, steps: int, seed: int = 1):
    """Play random legal actions; yield what was asked before each step, and what came of it."""
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        signs, masks = parties.signs, parties.action_masks()
        parties.step_async((rng.random(masks.shape) * masks).argmax(1))
        yield signs, *parties.step_wait()[:3]


def test_the_rows_are_staggered() -> None:
    parties = make_parties(64)
    parties.reset()
    assert set(parties.phases.tolist()) == set(range(len(PHASES)))
    assert len(set(decode(parties.batch.buffers.observation)["deal_number"][:, 0].tolist())) > 1


def test_phases_are_told_from_the_observation() -> None:
    parties = make_parties(32)
    parties.reset()
    for _ in play(parties, 60):
        views = decode(parties.batch.buffers.observation)["phase"].argmax(1)
        for phase, view in zip(parties.phases.tolist(), views.tolist(), strict=True):
            assert (VIEW_NAMES[view] in {"lead", "follow"}) == (PHASES[phase] == "play")
            assert ("exchange" in VIEW_NAMES[view] or "blanche" in VIEW_NAMES[view]) == (PHASES[phase] == "exchange")


def test_seat_0_is_paid_what_the_batch_pays_it() -> None:
    parties, twin = make_parties(8), PiquetBatch(8, reward="deal_points", seed=9, skip_forced=True)
    parties.reset()
    twin.restore(parties.batch.snapshot() | {"reward": "deal_points"})
    rng = np.random.default_rng(4)
    paid = 0
    for _ in range(150):
        masks = parties.action_masks()
        actions = (rng.random(masks.shape) * masks).argmax(1)
        assert (parties.signs == np.where(twin.buffers.to_act == 0, 1, -1)).all()
        parties.step_async(actions)
        _, rewards, ends, _ = parties.step_wait()
        out = twin.step(actions)
        assert rewards == pytest.approx(SCALE["deal_points"] * out.rewards[:, 0])
        assert (ends == (twin.deals_ended() > 0)).all()
        paid += np.count_nonzero(rewards)
    assert paid > 10


@pytest.mark.parametrize("reward", ["settlement", "win"])
def test_a_partie_is_one_episode_where_only_its_end_pays(reward: str) -> None:
    parties = make_parties(8, Objective(reward))
    parties.reset()
    deals = ended = 0
    for _, _, rewards, ends in play(parties, 500):
        deals += np.count_nonzero(parties.batch.deals_ended())
        ended += np.count_nonzero(ends)
        assert (rewards[~ends] == 0).all()
    assert 0 < ended < deals / 4


def test_points_turn_into_equity() -> None:
    points, equity, mixed = (
        make_parties(32, objective)
        for objective in (Objective(), Objective("equity"), Objective(equity_from=100, equity_over=100))
    )
    assert [mixed.objective.equity_weight(at) for at in (0, 100, 150, 200, 999)] == [0, 0, 0.5, 1, 1]
    for parties in (points, equity, mixed):
        parties.reset()
    paid = 0
    for weight in (0.0, 0.25, 1.0):
        mixed.equity_weight = weight
        runs = [play(parties, 250, seed=7) for parties in (points, equity, mixed)]
        for (_, _, by_points, _), (_, _, by_equity, _), (_, _, rewards, _) in zip(*runs, strict=True):
            assert rewards == pytest.approx((1 - weight) * by_points + weight * by_equity, abs=1e-4)
            paid += np.count_nonzero(rewards)
    assert paid > 100


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(("money",), "unknown reward"), (("win", 10), "only the reward 'deal_points' can turn")],
)
def test_an_objective_that_cannot_be(arguments: tuple, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Objective(*arguments)


def test_a_rollout_turns_the_sign_of_the_seat_that_moved_and_nothing_else() -> None:
    parties = make_parties(32)
    model = make_model(parties, rollout=32 * 64, minibatch=512)
    model.learn(32 * 64)
    buffer = model.rollout_buffer
    for number in range(len(PHASES)):
        chosen = buffer.phases == number
        raw = (buffer.returns - buffer.values)[chosen] * buffer.signs[chosen]
        expected = ((raw - raw.mean()) / raw.std()).clip(-10, 10)
        assert buffer.advantages[chosen] == pytest.approx(expected, abs=1e-3)
    assert 0.3 < (buffer.signs > 0).mean() < 0.7
    twice = (buffer.signs[1:] == buffer.signs[:-1]) & ~buffer.ends[:-1]
    assert twice.mean() > 0.1  # seats do move several times in a row
    batch = next(buffer.minibatches(512, np.random.default_rng(1)))
    assert all(len(part) == 512 for part in batch[1:])


def test_a_minibatch_names_the_lists_of_its_rows() -> None:
    parties = make_parties(32)
    model = make_model(parties, rollout=32 * 8, minibatch=64)
    model.learn(32 * 8)
    buffer = model.rollout_buffer
    batch = next(buffer.minibatches(64, np.random.default_rng(1)))
    again = parties.reading.read(buffer.observations.reshape(-1, parties.num_all))
    for kept, expected in zip(batch.found, again, strict=True):
        assert (kept == expected[: len(kept)]).all()
    assert (batch.actions.numpy() == buffer.actions.ravel()[batch.rows]).all()


def test_a_gradient_is_shortened_as_torch_does_it() -> None:
    for size in (0.1, 1.0):
        one, other = torch.nn.Linear(9, 9), torch.nn.Linear(9, 9)
        for layer in (one, other):
            layer.weight.grad = torch.full((9, 9), size / 9)
        clip_gradient(one, 0.5)
        torch.nn.utils.clip_grad_norm_(other.parameters(), 0.5)
        assert torch.equal(one.weight.grad, other.weight.grad)
        assert float(one.weight.grad.norm()) == pytest.approx(min(size, 0.5), abs=1e-5)


def test_a_seat_that_loses_gets_a_negative_return_in_either_seat() -> None:
    parties = make_parties(32)
    model = make_model(parties, rollout=32 * 64, minibatch=2048)
    model.learn(32 * 64)
    buffer = model.rollout_buffer
    ends = np.argwhere(buffer.ends)
    assert len(ends) > 20
    batch = next(buffer.minibatches(2048, np.random.default_rng(1)))
    own = (buffer.returns * buffer.signs).ravel()
    assert np.sort(batch.returns.numpy()) == pytest.approx(np.sort(own))
    for step, row in ends.tolist():
        paid = buffer.rewards[step, row]
        assert buffer.returns[step, row] == pytest.approx(paid, abs=1e-5)  # no value of the next deal in it
        assert (buffer.returns * buffer.signs)[step, row] == pytest.approx(paid * buffer.signs[step, row], abs=1e-5)


@pytest.mark.parametrize("reading", READINGS)
def test_the_policy_file_holds_the_actor_alone(reading: str) -> None:
    parties = SelfPlayParties(16, "rubicon", Objective(), reading=reading, seed=9)
    weights = policy_weights(make_model(parties))
    sizes = [weights[f"layer{layer}.weight"].shape for layer in range(3)]
    inputs = observation_size() if reading == "plain" else parties.reading.num_own
    assert sizes == [(32, inputs), (32, 32), (140, 32)]
    assert len(weights) == 6


def test_the_critic_takes_hidden_cards_and_the_actor_does_not() -> None:
    parties = make_parties(32)
    rows = parties.reset()
    model = make_model(parties)
    torch.nn.init.normal_(model.policy.actor.main.others[-1].weight)
    hidden = rows.copy()
    hidden[:, parties.num_own : parties.num_own + 64] ^= 1
    masks, numbers = parties.action_masks(), np.random.default_rng(1).random(32)
    one, other = (model.policy.act(parties.reading.read(given), masks, numbers) for given in (rows, hidden))
    assert (one[0] == other[0]).all()
    assert (one[1] == other[1]).all()
    assert (one[2] != other[2]).all()


def test_stable_baselines_own_calls_work() -> None:
    parties = make_parties()
    model = make_model(parties)
    rows, masks = parties.reset(), parties.action_masks()
    actions, _ = model.predict(rows, action_masks=masks, deterministic=True)
    assert (masks[np.arange(16), actions] == 1).all()
    drawn, values, log_probs = model.policy(torch.from_numpy(rows), action_masks=masks)
    assert (masks[np.arange(16), drawn.numpy()] == 1).all()
    again, logs, _ = model.policy.evaluate_actions(torch.from_numpy(rows), drawn, torch.from_numpy(masks))
    assert torch.allclose(again, values)
    assert torch.allclose(logs, log_probs, atol=1e-5)


def test_two_threads_change_no_bit() -> None:
    weights = []
    for threads in (1, 2):
        model = make_model(make_parties(64), rollout=1024, minibatch=256, threads=threads, precision="bfloat16")
        model.learn(2048)
        weights.append(model.policy.state_dict())
    assert all(torch.equal(weights[0][name], weights[1][name]) for name in weights[0])


def test_a_callback_stops_the_run() -> None:
    from stable_baselines3.common.callbacks import BaseCallback

    class Stop(BaseCallback):
        def _on_step(self) -> bool:
            return self.n_calls < 3

    model = make_model(make_parties())
    model.learn(10_000, callback=Stop())
    assert model.num_timesteps == 3 * 16


@pytest.mark.parametrize("rules", ["au_cent_36", "german", "rubicon sinking=partial"])
def test_other_rules_train(rules: str) -> None:
    parties = make_parties(8, rules=rules)
    model = make_model(parties, rollout=64, minibatch=32)
    model.learn(128)
    assert model.num_timesteps == 128
    assert all(np.isfinite(tensor).all() for tensor in policy_weights(model).values())


def test_schedules_fall_with_the_decisions() -> None:
    schedules = Schedules(1e-3, 0.05, 100)
    assert schedules.learning_rate_now(1.0) == 1e-3
    schedules.decisions = 300
    assert schedules.learning_rate_now(0.0) == pytest.approx(0.5e-3)
    assert schedules.entropy_now() == pytest.approx(0.025)
    schedules.cooling = 0.1
    assert schedules.learning_rate_now(0.5) == pytest.approx(0.5e-4)


def test_points_without_a_table_are_the_batchs_own() -> None:
    assert Objective().batch_reward(make_parties(2, rules="au_cent").rules) == "deal_points"
    assert Objective().batch_reward(make_parties(2).rules) == "equity"
    for rules in ("au_cent", "rubicon pack=36"):
        with pytest.raises(ValueError, match="points turn into equity only in Rubicon parties"):
            make_parties(2, Objective(equity_from=10), rules=rules)
