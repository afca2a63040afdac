"""Teachers and opponents in training: who moves, whose decisions the policy learns from, and what it learns."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("sb3_contrib")

torch.set_num_threads(1)  # as train.py does

from agents.base import AgentError  # noqa: E402
from agents.learned.company import Company  # noqa: E402
from agents.learned.objective import Objective  # noqa: E402
from agents.learned.parties import SelfPlayParties  # noqa: E402
from agents.learned.schedules import Schedules  # noqa: E402
from agents.learned.self_play import SelfPlayPPO, build_model  # noqa: E402
from agents.registry import make_agent  # noqa: E402
from piquet_env import Rules  # noqa: E402

RULES = Rules()


def make_model(parties: int = 16, steps: int = 16, **company: object) -> SelfPlayPPO:
    table = SelfPlayParties(parties, RULES, Objective(), seed=9)
    options = {"seed": 1, "hidden": 32, "layers": 2, "precision": "float32", "minibatch": 64, "epochs": 2, "clip": 0.1}
    critic_first = company.pop("critic_first", 0)
    return build_model(
        table,
        Schedules(2e-3, 0.05, 40_000_000),
        Company(parties, RULES, **company),
        rollout=parties * steps,
        discount=1.0,
        trace=0.95,
        critic_first=critic_first,
        **options,
    )


def learn(model: SelfPlayPPO, rollouts: int = 1) -> None:
    each = model.n_steps * model.env.num_envs
    model.learn(rollouts * each, log_interval=1 << 30)


def test_opponents_sit_in_their_share_of_the_parties_in_both_seats() -> None:
    company = Company(400, RULES, opponents=("random", "greedy"), share=0.25)
    assert np.count_nonzero(company.seats >= 0) == 100
    assert np.count_nonzero(company.seats == 0) == np.count_nonzero(company.seats == 1) == 50
    assert [len(held) for _, held in company._opponents] == [50, 50]
    for _, held in company._opponents:
        assert set(company.seats[held].tolist()) == {0, 1}


def test_an_opponent_decides_where_it_sits_and_nowhere_else() -> None:
    parties = SelfPlayParties(64, RULES, Objective(), seed=3)
    parties.reset()
    company = Company(64, RULES, opponents=("greedy",), share=0.5)
    greedy = make_agent("greedy", RULES)
    met = 0
    for _ in range(40):
        buffers = parties.batch.buffers
        of_policy = np.array([int(np.flatnonzero(mask)[-1]) for mask in buffers.action_mask])
        of_greedy = greedy.act_batch(buffers.observation, buffers.action_mask, np.random.default_rng(1))
        actions = of_policy.copy()
        own = company.move(parties.batch, actions, np.random.default_rng(2))
        theirs = buffers.to_act == company.seats
        assert (own == ~theirs).all()
        assert (actions == np.where(theirs, of_greedy, of_policy)).all()
        met += np.count_nonzero(theirs)
        parties.step_async(actions)
        parties.step_wait()
    assert met > 200


def test_the_actor_learns_nothing_from_an_opponents_decisions() -> None:
    """Where an opponent holds every decision of a rollout, the actor's weights stay; the critic's move."""
    model = make_model(opponents=("greedy",), share=1.0)
    model._setup_learn(256, None, True, "run", False)
    actor = [weight.detach().clone() for weight in model.policy.actor.parameters()]
    critic = [weight.detach().clone() for weight in model.policy.critic.parameters()]
    move = model.company.move
    model.company.move = lambda *arguments: np.zeros_like(move(*arguments))  # as if every decision were the opponent's
    learn(model)
    assert all(torch.equal(old, new) for old, new in zip(actor, model.policy.actor.parameters(), strict=True))
    assert not any(torch.equal(old, new) for old, new in zip(critic, model.policy.critic.parameters(), strict=True))


def test_own_decisions_alone_have_advantages() -> None:
    model = make_model(opponents=("greedy",), share=0.5)
    learn(model)
    buffer = model.rollout_buffer
    assert 0 < np.count_nonzero(buffer.own == 0) < buffer.own.size
    assert (buffer.advantages[buffer.own == 0] == 0).all()
    assert np.count_nonzero(buffer.advantages[buffer.own > 0]) > 100


def test_lessons_make_the_policy_decide_like_its_teacher() -> None:
    model = make_model(64, 32, teacher="greedy", lessons=1 << 40)
    greedy = make_agent("greedy", RULES)

    def agreement() -> float:
        table = SelfPlayParties(256, RULES, Objective(), seed=1234)
        table.reset()
        buffers = table.batch.buffers
        taught = greedy.act_batch(buffers.observation, buffers.action_mask, np.random.default_rng(0))
        found = model.policy.forward(
            torch.from_numpy(table.look()), deterministic=True, action_masks=table.action_masks()
        )[0]
        return float((found.numpy() == taught).mean())

    before = agreement()
    learn(model, 25)
    assert agreement() > before + 0.25


def test_after_the_lessons_the_policy_moves_itself() -> None:
    model = make_model(teacher="greedy", lessons=256)
    greedy = make_agent("greedy", RULES)

    def share_of_greedy() -> float:
        buffer = model.rollout_buffer
        own = buffer.observations[:, :, : model.env.batch.observation_size].reshape(
            -1, model.env.batch.observation_size
        )
        masks = buffer.action_masks.reshape(len(own), -1)
        return float((greedy.act_batch(own, masks, np.random.default_rng(0)) == buffer.actions.ravel()).mean())

    learn(model)
    assert share_of_greedy() == 1.0
    model.learn(256, log_interval=1 << 30, reset_num_timesteps=False)
    assert share_of_greedy() < 0.9


def test_the_critic_may_learn_first() -> None:
    model = make_model(critic_first=256)
    actor = [weight.detach().clone() for weight in model.policy.actor.parameters()]
    learn(model)
    assert all(torch.equal(old, new) for old, new in zip(actor, model.policy.actor.parameters(), strict=True))
    model.learn(256, log_interval=1 << 30, reset_num_timesteps=False)
    assert not all(torch.equal(old, new) for old, new in zip(actor, model.policy.actor.parameters(), strict=True))


@pytest.mark.parametrize("company", [{"teacher": "nobody"}, {"opponents": ("nobody",), "share": 0.5}])
def test_an_unknown_agent_is_refused(company: dict[str, object]) -> None:
    with pytest.raises(AgentError, match="unknown agent 'nobody'"):
        Company(8, RULES, **company)
