"""Frozen versions play as they did, whatever becomes of the code around them."""

import json
from pathlib import Path

import pytest

from agents import freeze, versions
from agents.base import AgentError
from agents.registry import make_agent, split_spec


@pytest.mark.slow
@pytest.mark.parametrize("key", sorted(versions.versions()))
def test_a_frozen_version_plays_as_it_did(key: str) -> None:
    entry = versions.versions()[key]
    assert freeze.signature(key, entry["parties"], entry["seed"]) == entry["signature"]


def test_a_signature_tells_agents_apart() -> None:
    assert freeze.signature("greedy", 3, 1) == freeze.signature("greedy", 3, 1)
    found = {freeze.signature(name, 3, 1) for name in ("greedy", "heuristic", "heuristic:style=bold", "random")}
    assert len(found) == 4
    assert freeze.signature("greedy", 3, 2) != freeze.signature("greedy", 3, 1)


def test_freezing_adds_the_next_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(versions, "PATH", tmp_path / "versions.json")
    monkeypatch.setattr(freeze, "PARTIES", {"greedy": 2})
    versions.PATH.write_text("{}")
    assert freeze.main(["greedy"]) == 0
    assert freeze.main(["greedy"]) == 0
    found = json.loads(versions.PATH.read_text())
    assert sorted(found) == ["greedy@1", "greedy@2"]
    assert make_agent("greedy@2").name == "greedy"
    assert freeze.main([]) == 0
    found["greedy@1"]["signature"] = "0" * 16
    versions.PATH.write_text(json.dumps(found))
    assert freeze.main([]) == 1


@pytest.mark.parametrize("spec", ["heuristic@99", "heuristic@", "heuristic@x", "greedy@1"])
def test_versions_that_are_not_frozen_are_refused(spec: str) -> None:
    with pytest.raises(AgentError, match=f"there is no {spec}"):
        make_agent(spec)


def test_specs_with_versions_and_switches_are_split() -> None:
    assert split_spec("search@1:worlds=30") == ("search", {"worlds": 30})
    assert split_spec("pretrained:greedy") == ("pretrained", {"greedy": True})
    assert split_spec("lbr@1:worlds=3,against=search:ms=4") == ("lbr", {"worlds": 3, "against": "search:ms=4"})
