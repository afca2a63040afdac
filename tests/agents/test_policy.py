"""A policy's file: round trip, decisions beside a plain forward pass, and every damage named."""

import json
import pickle
import struct
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("safetensors")

from agents.arena import play_match
from agents.base import AgentError, View
from agents.learned.policy import PolicyAgent, policy_metadata, save_policy
from agents.registry import make_agent
from agents.streams import Streams
from piquet_env.game import Game
from piquet_env.observation import observation_scale, observation_size
from piquet_env.rules.actions import num_actions
from piquet_env.rules.variants import Rules


def make_weights(rules: Rules, hidden: tuple[int, ...] = (16, 12), seed: int = 1) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    sizes = [observation_size(rules.pack), *hidden, num_actions(rules.pack)]
    weights = {}
    for layer in range(len(sizes) - 1):
        shape = (sizes[layer + 1], sizes[layer])
        weights[f"layer{layer}.weight"] = (rng.normal(size=shape) / np.sqrt(shape[1]) * 3).astype(np.float32)
        weights[f"layer{layer}.bias"] = rng.normal(size=shape[0]).astype(np.float32)
    return weights


def save(path: Path, rules: str = "rubicon", activation: str = "tanh", changes: dict[str, str] | None = None) -> Path:
    metadata = policy_metadata(Rules.of(rules), activation, 3)
    save_policy(path, make_weights(Rules.of(rules)), metadata | (changes or {}))
    return path


def positions(rules: str, number: int) -> tuple[np.ndarray, np.ndarray]:
    views: list[View] = []
    agent = make_agent("random")
    for partie in range(1000):
        game = Game(rules, seed=8, partie=partie)
        while not game.is_over and len(views) < number:
            views.append(View(game.observation(game.to_act), game.action_mask(game.to_act), game.rules))
            game.apply(agent.act(views[-1]))
    return np.array([view.observation for view in views]), np.array([view.action_mask for view in views])


def plain_logits(weights: dict[str, np.ndarray], observations: np.ndarray, activation: str) -> np.ndarray:
    values = observations.astype(np.float64)
    for layer in range(3):
        values = values @ weights[f"layer{layer}.weight"].T.astype(np.float64) + weights[f"layer{layer}.bias"]
        if layer < 2:
            values = np.tanh(values) if activation == "tanh" else np.maximum(values, 0)
    return values


@pytest.mark.parametrize("activation", ["tanh", "relu"])
@pytest.mark.parametrize("rules", ["rubicon", "au_cent_36"])
def test_decisions_are_those_of_a_plain_forward_pass(activation: str, rules: str, tmp_path: Path) -> None:
    path = save(tmp_path / "p.safetensors", rules, activation)
    observations, masks = positions(rules, 400)
    logits = np.where(masks > 0, plain_logits(make_weights(Rules.of(rules)), observations, activation), -np.inf)
    best = PolicyAgent(path=path, greedy=True).act_batch(observations, masks, Streams(np.arange(400)))
    assert (best == logits.argmax(axis=1)).all()
    probabilities = np.exp(logits - logits.max(axis=1, keepdims=True))
    reached = np.cumsum(probabilities / probabilities.sum(axis=1, keepdims=True), axis=1)
    expected = (reached > Streams(np.arange(400)).random(400)[:, None]).argmax(axis=1)
    agent = make_agent(f"policy:{path}", rules)
    drawn = agent.act_batch(observations, masks, Streams(np.arange(400)))
    assert (drawn == expected).all()
    raw = np.rint(observations / observation_scale(Rules.of(rules).pack)).astype(np.int8)
    assert (agent.act_batch(raw, masks, Streams(np.arange(400))) == expected).all()
    for row in range(0, 400, 7):
        agent.reset(row)
        assert agent.act(View(observations[row], masks[row], Rules.of(rules))) == expected[row]


def test_the_spec_and_the_agent(tmp_path: Path) -> None:
    path = save(tmp_path / "p.safetensors")
    agent = make_agent(f"policy:{path}")
    assert agent.name == f"policy:{path}"
    assert make_agent(f"policy:{path}:greedy=true").greedy is True
    copy = pickle.loads(pickle.dumps(agent))
    observations, masks = positions("rubicon", 5)
    assert (
        copy.act_batch(observations, masks, Streams(range(5)))
        == agent.act_batch(observations, masks, Streams(range(5)))
    ).all()


def test_matches_do_not_depend_on_the_batch(tmp_path: Path) -> None:
    path = save(tmp_path / "p.safetensors")
    first = play_match(f"policy:{path}", "greedy", parties=12)
    second = play_match(f"policy:{path}", "greedy", parties=12, pairs_at_once=1)
    assert (first.records == second.records).all()
    assert first.illegal_or_crashed == (0, 0)


def test_other_rules_are_refused(tmp_path: Path) -> None:
    path = save(tmp_path / "p.safetensors")
    with pytest.raises(AgentError, match="trained for the rules 'rubicon', not for 'cavendish'"):
        make_agent(f"policy:{path}", "cavendish")
    large = positions("au_cent_36", 2)
    with pytest.raises(AgentError, match="reads"):
        PolicyAgent(path=path).act_batch(*large, Streams([1, 2]))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "other"}, "format is 'other'"),
        ({"rules": "nonsense"}, "rules cannot be read"),
        ({"rules_hash": "00000000"}, "hash"),
        ({"observation_version": "99"}, "observation_version is 99"),
        ({"observation_size": "5"}, "observation_size is 5"),
        ({"num_actions": "5"}, "num_actions is 5"),
        ({"activation": "sine"}, "activation is 'sine'"),
        ({"layers": "2"}, "holds the tensors"),
        ({"layers": "many"}, "'many' layers"),
        ({"layers": "0"}, "'0' layers"),
    ],
)
def test_metadata_that_does_not_fit_is_named(changes: dict[str, str], message: str, tmp_path: Path) -> None:
    import safetensors.numpy

    path = tmp_path / "p.safetensors"
    with pytest.raises(AgentError, match=message):
        save(path, changes=changes)
    assert not path.exists()
    metadata = policy_metadata(Rules.of("rubicon"), "tanh", 3) | changes
    safetensors.numpy.save_file(make_weights(Rules.of("rubicon")), path, metadata)
    with pytest.raises(AgentError, match=message) as caught:
        PolicyAgent(path=path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("name", "tensor", "message"),
    [
        ("layer1.weight", np.zeros((12, 15), np.float32), "layer 1 has shapes"),
        ("layer1.bias", np.zeros(11, np.float32), "layer 1 has shapes"),
        ("layer2.bias", np.full(140, np.nan, np.float32), "finite"),
        ("layer3.bias", np.zeros(1, np.float32), "holds the tensors"),
    ],
)
def test_tensors_that_do_not_fit_are_named(name: str, tensor: np.ndarray, message: str, tmp_path: Path) -> None:
    rules = Rules.of("rubicon")
    with pytest.raises(AgentError, match=message):
        save_policy(tmp_path / "p.safetensors", make_weights(rules) | {name: tensor}, policy_metadata(rules, "tanh", 3))


def test_files_that_are_no_policy(tmp_path: Path) -> None:
    import safetensors.numpy

    path = save(tmp_path / "p.safetensors")
    whole = path.read_bytes()
    for content in (b"", b"hello", whole[:-10], whole[: len(whole) // 2], b"\xff" * 100, whole + b"x"):
        path.write_bytes(content)
        with pytest.raises(AgentError, match="cannot be read") as caught:
            make_agent(f"policy:{path}")
        assert "\n" not in str(caught.value)
    safetensors.numpy.save_file({"x": np.zeros(3, np.float32)}, path)
    with pytest.raises(AgentError, match="format is None"):
        make_agent(f"policy:{path}")
    header = json.dumps({"x": {"dtype": "BF16", "shape": [2], "data_offsets": [0, 4]}}).encode()
    path.write_bytes(struct.pack("<Q", len(header)) + header + b"\0" * 4)
    with pytest.raises(AgentError):
        make_agent(f"policy:{path}")
    (tmp_path / "policy.safetensors").touch()
    with pytest.raises(AgentError, match=r"no policy file .*; .*policy.safetensors is the policy of the run"):
        PolicyAgent(path=tmp_path)
    (tmp_path / "checkpoint.pt").touch()
    with pytest.raises(AgentError, match=r"checkpoint.pt is a checkpoint, to go on from"):
        PolicyAgent(path=tmp_path / "checkpoint.pt")
    with pytest.raises(AgentError, match="no policy file"):
        make_agent(f"policy:{tmp_path}")


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = save(tmp_path / "p.safetensors")
    before = path.read_bytes()
    with pytest.raises(AgentError):
        save(path, changes={"format": "other"})
    assert path.read_bytes() == before
    save(path, changes={"note": "another run"})
    assert path.read_bytes() != before
    assert [file.name for file in tmp_path.iterdir()] == ["p.safetensors"]
    with pytest.raises(OSError, match="no"):
        save(tmp_path / "no" / "p.safetensors")


def test_without_safetensors_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = save(tmp_path / "p.safetensors")
    monkeypatch.setitem(sys.modules, "safetensors", None)
    monkeypatch.setitem(sys.modules, "safetensors.numpy", None)
    with pytest.raises(AgentError, match=r"piquet-env\[train\]"):
        make_agent(f"policy:{path}")
