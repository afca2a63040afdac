"""An identity changes with everything that decides how an agent plays, and with nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.evaluation import identity as module
from agents.evaluation.identity import identity, sources_hash
from agents.registry import make_agent

AGENT = """from agents.random_agent import RandomAgent
import {helper}


class Mine(RandomAgent):
    def __init__(self, *, file: str = "", size: int = 1) -> None:
        self.file = file
"""


def test_a_named_agent_is_its_spec() -> None:
    assert identity("greedy:elder_max=4") == {"spec": "greedy:elder_max=4"}


def test_the_sources_have_one_digest(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    before = sources_hash()
    assert len(before) == 16
    (tmp_path / "more.py").write_text("x = 1\n")
    monkeypatch.setattr(module, "_ROOTS", (*module._ROOTS, tmp_path))
    sources_hash.cache_clear()
    assert sources_hash() != before
    monkeypatch.undo()
    sources_hash.cache_clear()
    assert sources_hash() == before


def test_files_of_a_users_agent_belong_to_it(tmp_path: Path) -> None:
    (tmp_path / "helps_identity.py").write_text("x = 1\n")
    (tmp_path / "unused.py").write_text("x = 1\n")
    own, data = tmp_path / "identity_agent.py", tmp_path / "weights.bin"
    own.write_text(AGENT.format(helper="helps_identity"))
    data.write_bytes(b"1")
    spec = f"{own}:Mine:file={data}"
    make_agent(spec)
    before = identity(spec)
    assert set(before) == {"spec", str(data), "helps_identity", "identity_agent.py"}
    for path in (own, data, tmp_path / "helps_identity.py"):
        content = path.read_bytes()
        path.write_bytes(content + b"\n")
        assert identity(spec) != before
        path.write_bytes(content)
    (tmp_path / "unused.py").write_text("x = 2\n")
    assert identity(spec) == before


def test_the_modules_of_a_package_belong_to_it() -> None:
    make_agent("tests.agents.stub_agents:Plain")
    assert "tests.agents.stub_agents" in identity("tests.agents.stub_agents:Plain")
