"""Specs make agents, and every failure is one clear sentence."""

from pathlib import Path

import pytest

from agents.base import Agent, AgentError
from agents.greedy_agent import GreedyAgent
from agents.random_agent import RandomAgent
from agents.registry import make_agent

STUBS = "tests/agents/stub_agents.py"
MODULE = "tests.agents.stub_agents"


def message_of(spec: str) -> str:
    with pytest.raises(AgentError) as caught:
        make_agent(spec)
    message = str(caught.value)
    assert message
    assert "\n" not in message
    return message


def test_names() -> None:
    assert isinstance(make_agent("random"), RandomAgent)
    assert isinstance(make_agent(" greedy "), GreedyAgent)
    assert make_agent("greedy").name == "greedy"


def test_greedy_is_told_what_its_observation_does_not_hold() -> None:
    assert make_agent("greedy", "rubicon elder_max=3").elder_max == 3
    assert make_agent("greedy:elder_max=4").elder_max == 4
    assert make_agent("greedy").elder_max is None


@pytest.mark.parametrize("where", [STUBS, MODULE])
def test_classes_of_files_and_modules_with_arguments(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).resolve().parent.parent.parent)
    assert type(make_agent(f"{where}:Plain")).__name__ == "Plain"
    assert make_agent(f"{where}:Greets").said == ("hello", 1, False)
    assert make_agent(f"{where}:Greets:word=good day, times=3,loud=true").said == ("good day", 3, True)
    assert make_agent(f"{where}:Greets:word='7',loud=False").said == ("7", 1, False)


def test_a_file_may_import_what_stands_beside_it(tmp_path: Path) -> None:
    folder = tmp_path / "lr=1"  # an equals sign in a path is no keyword
    folder.mkdir()
    (folder / "helper_of_mine.py").write_text("NAME = 'beside'\n")
    (folder / "mine.py").write_text(
        "from agents import Agent\nfrom helper_of_mine import NAME\n\nclass Mine(Agent):\n    name = NAME\n"
    )
    assert make_agent(f"{folder}/mine.py:Mine").name == "beside"


@pytest.mark.parametrize(
    ("spec", "parts"),
    [
        ("", ["empty"]),
        ("  ", ["empty"]),
        (
            "greedi",
            ["unknown agent 'greedi'", "did you mean 'greedy'", "expert, greedy, heuristic, lbr, policy"],
        ),
        (
            "zzz",
            [
                "unknown agent 'zzz'",
                "expert, greedy, heuristic, lbr, policy, pretrained, random, search",
                "file.py:ClassName",
            ],
        ),
        ("greedy:64", ["key=value", "'64'"]),
        ("greedy:worlds=64", ["worlds", "its arguments are elder_max"]),
        ("greedy:elder_max=-3", ["elder_max", "from 1 to 11", "-3"]),
        ("heuristic:elder_max=99", ["elder_max", "from 1 to 11", "99"]),
        ("heuristic:elder_max=x", ["elder_max", "'x'"]),
        ("search:base=search", ["base of search", "search"]),
        ("random:worlds=64", ["worlds", "takes no arguments"]),
        ("greedy:elder_max=1,elder_max=2", ["elder_max twice"]),
        ("policy", ["names no file"]),
        ("policy:", ["names no file"]),
        ("policy:no/such.safetensors", ["no policy file no/such.safetensors"]),
        ("runs/mine/policy.safetensors", ["names a file and no agent", "write policy:runs/mine/policy.safetensors"]),
        ("policy:x.safetensors:speed=1", ["speed", "path, greedy"]),
        ("nothing/here.py:Mine", ["no file nothing/here.py"]),
        (STUBS, ["names no class", f"{STUBS}:ClassName"]),
        (f"{STUBS}:Nobody", ["no class 'Nobody'", "Plain, Remembers"]),
        (f"{STUBS}:np", ["no class 'np'"]),
        (f"{STUBS}:NoAgent", ["makes no agent", "agents.base.Agent"]),
        (f"{STUBS}:CannotBeMade", ["RuntimeError: size 1 is not possible"]),
        (f"{STUBS}:Fails:speed=1", ["speed", "how, at"]),
        (f"{MODULE}:Nobody", ["no class 'Nobody'"]),
        ("no.such.module:Mine", ["no module 'no.such.module'"]),
        ("tests.agents.nothing:Mine", ["no module 'tests.agents.nothing'"]),
        ("some/folder:Mine", ["some/folder", "file.py:ClassName"]),
    ],
)
def test_each_failure_is_one_sentence(spec: str, parts: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).resolve().parent.parent.parent)
    message = message_of(spec)
    for part in parts:
        assert part in message


@pytest.mark.parametrize(
    ("source", "error"),
    [
        ("1 / 0\n", "ZeroDivisionError"),
        ("def broken(:\n", "SyntaxError"),
        ("import no_such_module\n", "No module named 'no_such_module'"),
        ("raise SystemExit(3)\n", "SystemExit"),
    ],
)
def test_a_file_that_raises_at_import(source: str, error: str, tmp_path: Path) -> None:
    file = tmp_path / "broken.py"
    file.write_text(source)
    message = message_of(f"{file}:Mine")
    assert str(file) in message
    assert error in message


def test_a_module_that_lacks_a_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lacks_something.py").write_text("import no_such_module\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert "No module named 'no_such_module'" in message_of("lacks_something:Mine")


def test_an_agent_error_is_a_value_error() -> None:
    assert issubclass(AgentError, ValueError)
    assert issubclass(RandomAgent, Agent)
