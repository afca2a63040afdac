"""The critic's file: what it says is what the learner's critic says, and damage is named."""

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("sb3_contrib")
pytest.importorskip("safetensors")

torch.set_num_threads(1)  # as train.py does

from agents.base import AgentError  # noqa: E402
from agents.learned.critic import Critic, save_critic  # noqa: E402
from agents.learned.objective import Objective  # noqa: E402
from agents.learned.parties import SelfPlayParties  # noqa: E402
from agents.learned.policy import PolicyAgent, policy_metadata, save_policy  # noqa: E402
from agents.learned.schedules import Schedules  # noqa: E402
from agents.learned.self_play import SelfPlayPPO, build_model, network_weights, policy_weights  # noqa: E402
from piquet_env import Rules  # noqa: E402


def make_model(rules: str) -> SelfPlayPPO:
    parties = SelfPlayParties(64, rules, Objective("win"), seed=3)
    options = {"hidden": 32, "layers": 2, "precision": "float32", "rollout": 1024, "minibatch": 256, "epochs": 1}
    model = build_model(parties, Schedules(1e-2, 0.01, 1 << 40), seed=1, clip=0.1, discount=1.0, trace=0.95, **options)
    for layer in model.policy.critic.others:
        torch.nn.init.normal_(layer.weight, std=0.3)
    return model


def save(folder: Path, model: SelfPlayPPO, rules: str, *, half: bool = False, **changes: str) -> Path:
    path = folder / "critic.safetensors"
    metadata = policy_metadata(Rules.of(rules), "relu", 3, "suits") | {"reward": "win"} | changes
    save_critic(path, network_weights(model.policy.critic), metadata, half=half)
    return path


@pytest.mark.parametrize("rules", ["rubicon", "au_cent_36"])
def test_values_are_those_of_the_learners_critic(tmp_path: Path, rules: str) -> None:
    """At the positions of a batch: the file is given the states, the learner the rows that the batch wrote."""
    model = make_model(rules)
    parties = model.env
    rows = parties.reset()
    expected = model.policy.predict_values(torch.from_numpy(rows)).detach().numpy()
    states = parties.batch.states(np.arange(64))
    critic = Critic(path=save(tmp_path, model, rules), rules=Rules.of(rules))
    assert critic.values(states) == pytest.approx(expected, abs=2e-3)
    assert np.std(expected) > 0.05
    halved = Critic(path=save(tmp_path, model, rules, half=True))
    assert halved.values(states) == pytest.approx(expected, abs=0.02)


def test_a_policy_in_half_the_space_decides_alike(tmp_path: Path) -> None:
    model = make_model("rubicon")
    rows, masks = model.env.reset(), model.env.action_masks()
    sizes, probabilities = [], []
    for half in (False, True):
        path = tmp_path / f"{half}.safetensors"
        save_policy(path, policy_weights(model), policy_metadata(Rules(), "relu", 3, "suits"), half=half)
        sizes.append(path.stat().st_size)
        probabilities.append(PolicyAgent(path=path).probabilities(model.env.batch.buffers.observation, masks))
    assert sizes[1] < 0.51 * sizes[0]
    assert probabilities[1] == pytest.approx(probabilities[0], abs=0.01)
    logits = model.policy.logits(model.policy.list_rows(torch.from_numpy(rows)))
    expected = torch.softmax(logits.masked_fill(torch.from_numpy(masks) == 0, -torch.inf), dim=1).detach().numpy()
    assert probabilities[0] == pytest.approx(expected, abs=1e-4)


def test_other_files_are_refused(tmp_path: Path) -> None:
    model = make_model("rubicon")
    path = save(tmp_path, model, "rubicon")
    with pytest.raises(AgentError, match="was trained for the rules 'rubicon', not for 'german'"):
        Critic(path=path, rules=Rules.of("german"))
    with pytest.raises(AgentError, match="its reading is 'braille'"):
        save(tmp_path, model, "rubicon", reading="braille")
    with pytest.raises(AgentError, match="its observation_version is 99"):
        save(tmp_path, model, "rubicon", observation_version="99")
    policy = tmp_path / "policy.safetensors"
    save_policy(policy, policy_weights(model), policy_metadata(Rules(), "relu", 3, "suits"))
    with pytest.raises(AgentError, match="its format is 'piquet-policy-2', not 'piquet-critic-1'"):
        Critic(path=policy)
    with pytest.raises(AgentError, match="its format is 'piquet-critic-1', not 'piquet-policy-2'"):
        PolicyAgent(path=path)
