"""The policy of the package: its files, its card, how it plays, and the command that packages a run."""

import hashlib
import json
import pickle
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("safetensors")

from agents.arena import play_match
from agents.base import AgentError
from agents.learned.critic import Critic
from agents.learned.policy import PolicyAgent, read_network
from agents.learned.pretrained import CRITIC, FOLDER, POLICY, PretrainedAgent, card, main
from agents.registry import make_agent
from piquet_env import Rules


def test_the_card_is_that_of_the_files() -> None:
    found = card()
    for path in (POLICY, CRITIC):
        assert found["sha256"][path.name] == hashlib.sha256(path.read_bytes()).hexdigest()
    agent = PretrainedAgent()
    assert found["rules_hash"] == agent.rules.hash == Rules().hash
    assert found["parameters"] == sum(w.size + b.size for layers in agent.layers.values() for w, b in layers)
    assert Critic(path=CRITIC).rules == agent.rules
    assert {"recipe", "decisions", "options"} <= set(found)
    assert {match["b"] for match in found["strength"]} >= {"random", "greedy", "heuristic@1"}


def test_the_files_are_small_enough_to_be_shipped() -> None:
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 12e6


@pytest.mark.parametrize(("spec", "name"), [("pretrained", "pretrained"), ("pretrained:greedy", "pretrained:greedy")])
def test_the_spec_makes_the_agent(spec: str, name: str) -> None:
    agent = make_agent(spec, "rubicon")
    assert agent.name == name
    assert pickle.loads(pickle.dumps(agent)).name == name
    with pytest.raises(AgentError, match="was trained for the rules 'rubicon', not for 'german'"):
        make_agent(spec, "german")


@pytest.mark.slow
def test_it_beats_greedy_by_a_hundred_points() -> None:
    match = play_match("pretrained", "greedy", parties=400, seed=3)
    assert match.illegal_or_crashed == (0, 0)
    assert match.settlement.low > 100


@pytest.mark.slow
def test_expert_plays_legally_and_alike_for_the_same_seed() -> None:
    found = [play_match("expert:worlds=8", "pretrained", parties=2, seed=5) for _ in range(2)]
    assert found[0].illegal_or_crashed == (0, 0)
    assert np.array_equal(found[0].records, found[1].records)


def test_a_run_is_packaged(tmp_path: Path) -> None:
    run, folder = tmp_path / "run", tmp_path / "packaged"
    run.mkdir()
    for path in (POLICY, CRITIC):
        (run / path.name).write_bytes(path.read_bytes())
    (run / "config.json").write_text('{"seed": 3, "run_dir": "somewhere"}')
    matches = [{"b": "greedy", "parties": 2, "settlement": {}, "deal_points": {}, "rubicon_against": {}, "a": "x"}]
    (run / "evaluation.json").write_text(json.dumps({"matches": matches}))
    options = [
        "--before",
        "5",
        "--recipe",
        "as in the test",
        "--evaluation",
        str(run / "evaluation.json"),
        "--folder",
        str(folder),
    ]
    assert main([str(run), *options]) == 0
    written = json.loads((folder / "card.json").read_text())
    assert written["recipe"] == "as in the test"
    assert written["options"] == {"seed": 3}
    assert written["decisions"] == 5 + int(read_network(POLICY)[1]["decisions"])
    assert written["strength"] == [{name: value for name, value in matches[0].items() if name != "a"}]
    first, second = PolicyAgent(path=folder / "policy.safetensors"), PretrainedAgent()
    pairs = zip(first.layers[""], second.layers[""], strict=True)
    assert all(np.array_equal(mine, theirs) for one, two in pairs for mine, theirs in zip(one, two, strict=True))


def test_what_is_no_run_is_not_packaged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([str(tmp_path), "--recipe", "none", "--folder", str(tmp_path / "packaged")])
    assert "cannot be packaged" in capsys.readouterr().err
    assert not (tmp_path / "packaged").exists()
