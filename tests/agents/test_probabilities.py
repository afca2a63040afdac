"""What agents tell of their probabilities is what they do."""

from pathlib import Path

import numpy as np
import pytest

from agents.base import AgentError, BatchAgent, tells_probabilities
from agents.registry import make_agent
from agents.streams import Streams
from piquet_env.game import Game
from piquet_env.rules.variants import Rules
from tests.agents.stub_agents import Plain

BOTS = ("random", "greedy", "heuristic")
SAMPLES = 4_000


def positions(rules: str, number: int) -> tuple[np.ndarray, np.ndarray]:
    """Observations and masks of one game of random play."""
    game, agent = Game(rules, seed=17), make_agent("random")
    observations, masks = [], []
    while not game.is_over and len(masks) < number:
        observations.append(game.observation(game.to_act))
        masks.append(game.action_mask(game.to_act))
        game.apply(int(agent.act_batch(observations[-1][None], masks[-1][None], Streams([len(masks)]))[0]))
    return np.array(observations), np.array(masks)


def check(agent: BatchAgent, rules: str) -> None:
    observations, masks = positions(rules, 60)
    found = agent.probabilities(observations, masks)
    assert found.shape == masks.shape
    assert found.dtype == np.float64
    assert np.allclose(found.sum(axis=1), 1.0)
    assert (found >= 0).all()
    assert (found[masks == 0] == 0).all()
    for row in range(0, len(masks), 6):
        repeated = (np.repeat(part[row : row + 1], SAMPLES, axis=0) for part in (observations, masks))
        actions = agent.act_batch(*repeated, Streams(np.arange(SAMPLES) + SAMPLES * row))
        shares = np.bincount(actions, minlength=masks.shape[1]) / SAMPLES
        deviation = np.sqrt(found[row] * (1 - found[row]) / SAMPLES)
        assert (np.abs(shares - found[row]) <= 5 * deviation + 1e-9).all()


@pytest.mark.parametrize("rules", ["rubicon", "au_cent_36"])
@pytest.mark.parametrize("name", BOTS)
def test_bots_take_actions_as_often_as_they_say(name: str, rules: str) -> None:
    check(make_agent(name, rules), rules)


@pytest.mark.parametrize("greedy", [False, True])
def test_policies_take_actions_as_often_as_they_say(greedy: bool, tmp_path: Path) -> None:
    pytest.importorskip("safetensors")
    from tests.agents.test_policy import save

    save(tmp_path / "p.safetensors")
    agent = make_agent(f"policy:{tmp_path / 'p.safetensors'}:greedy={str(greedy).lower()}", "rubicon")
    check(agent, "rubicon")


@pytest.mark.parametrize("name", BOTS)
def test_a_mask_of_zeros_has_no_probabilities(name: str) -> None:
    observations, masks = positions("rubicon", 3)
    assert (make_agent(name).probabilities(observations, np.zeros_like(masks)) == 0).all()


def test_who_tells_is_known() -> None:
    rules = Rules()
    assert all(tells_probabilities(make_agent(name, rules)) for name in BOTS)
    assert not tells_probabilities(make_agent("search", rules))
    assert not tells_probabilities(Plain())
    with pytest.raises(AgentError, match="search does not tell its probabilities"):
        make_agent("search", rules).probabilities(np.zeros((1, 1)), np.zeros((1, 1)))
