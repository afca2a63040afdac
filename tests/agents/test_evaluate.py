"""The command: one table, the JSON of the documentation, one line for a wrong argument, nothing lost."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import evaluate
from piquet_env.game import Game

ROOT = Path(__file__).resolve().parent.parent.parent
STUBS = f"{ROOT}/tests/agents/stub_agents.py"

TOP_KEYS = ["rules", "rules_hash", "seed", "version", "decks_hash", "matches"]
MATCH_KEYS = [
    "a",
    "b",
    "parties",
    "settlement",
    "wins_a",
    "draws",
    "wins_b",
    "deal_points",
    "rubicon_against",
    "elder_points",
    "younger_points",
    "repiques",
    "piques",
    "capots",
    "cards_won",
    "seconds_per_decision",
    "illegal_or_crashed",
]


def run_script(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def test_the_table_and_the_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "x.json"
    assert evaluate.main(["greedy", "random", "greedy", "--parties", "21", "--seed", "5", "--output", str(output)]) == 0
    table = capsys.readouterr().out
    assert table.count("±") == 3
    document = json.loads(output.read_text())
    assert list(document) == TOP_KEYS
    assert (document["rules"], document["seed"], len(document["rules_hash"])) == ("rubicon", 5, 8)
    matches = document["matches"]
    assert [(match["a"], match["b"]) for match in matches] == [
        ("greedy", "random"),
        ("greedy", "greedy"),
        ("random", "greedy"),
    ]
    for match in matches:
        assert list(match) == MATCH_KEYS
        assert match["parties"] == 22
        assert list(match["settlement"]) == ["mean", "ci95"]
        assert len(match["settlement"]["ci95"]) == 2
        for key in MATCH_KEYS[7:]:
            assert list(match[key]) == ["a", "b"]
        assert match["wins_a"] + match["draws"] + match["wins_b"] == pytest.approx(1)
    first, last = matches[0]["settlement"], matches[2]["settlement"]
    assert first["mean"] == -last["mean"] > 0
    assert matches[1]["settlement"] == {"mean": 0, "ci95": [0, 0]}
    assert list(tmp_path.iterdir()) == [output]


def test_one_pair_has_no_interval(tmp_path: Path) -> None:
    output = tmp_path / "x.json"
    assert evaluate.main(["greedy", "random", "--parties", "1", "--output", str(output)]) == 0
    assert json.loads(output.read_text())["matches"][0]["settlement"]["ci95"] == [None, None]


def test_quick_ranks_random_below_greedy(capsys: pytest.CaptureFixture[str]) -> None:
    assert evaluate.main(["--quick"]) == 0
    assert evaluate.main(["greedy", "random", "--quick", "--parties", "20"]) == 1
    assert "random does not clearly beat greedy" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "at least two agents"),
        (["greedy"], "at least two agents"),
        (["greedy", "greedi"], "did you mean 'greedy'"),
        (["greedy", "random", "--parties", "0"], "whole number from 1 to"),
        (["greedy", "random", "--parties", "many"], "'many' is not a whole number"),
        (["greedy", "random", "--seed", "-1"], "not a whole number from 0"),
        (["greedy", "random", "--jobs", "0"], "whole number from 1 to"),
        (["greedy", "random", "--rules", "bridge"], "unknown rules preset 'bridge'"),
        (["greedy", "random", "--rules", "rubicon deals=none"], "deals"),
        (["greedy", "random", "--output", "/no/such/folder/x.json"], "cannot be written"),
        (["greedy", "random", "--output", str(ROOT)], "cannot be written"),
        (["greedy", "random", "--speed", "9"], "unrecognized arguments: --speed 9"),
        (["greedy", "policy:none.safetensors"], "no policy file"),
        (["greedy", f"{STUBS}:CannotBeMade"], "size 1 is not possible"),
    ],
)
def test_a_wrong_argument_gets_one_line(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        evaluate.main(arguments)
    assert caught.value.code == 2
    printed = capsys.readouterr()
    assert message in printed.err
    assert printed.err.count("\n") == 1
    assert printed.out == ""


def test_results_are_not_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "x.json"
    output.write_text("mine")
    arguments = ["greedy", "random", "--parties", "2", "--output", str(output)]
    with pytest.raises(SystemExit) as caught:
        evaluate.main(arguments)
    assert caught.value.code == 2
    assert "not overwritten" in capsys.readouterr().err
    assert output.read_text() == "mine"
    assert evaluate.main([*arguments, "--force"]) == 0
    assert list(json.loads(output.read_text())) == TOP_KEYS


def test_a_failing_agent_is_reported_with_its_deal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "x.json"
    arguments = ["greedy", f"{STUBS}:Fails:at=3", "--parties", "14"]
    assert evaluate.main([*arguments, "--output", str(output)]) == 0
    printed = capsys.readouterr().err
    assert "RuntimeError: lost my head" in printed
    assert "and 4 more parties" in printed
    match = json.loads(output.read_text())["matches"][0]
    assert match["illegal_or_crashed"] == {"a": 0, "b": 14}
    assert match["settlement"] == {"mean": 500, "ci95": [500, 500]}
    deals = sorted(tmp_path.glob("x.failure-*.deal"))
    assert len(deals) == 10
    assert len(Game.from_text(deals[0].read_text()).actions) >= 3
    assert "Traceback" in deals[0].with_suffix(".txt").read_text()
    assert evaluate.main(arguments) == 0
    assert "lost my head" in capsys.readouterr().err


def test_an_interrupt_keeps_what_was_played(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.py").write_text(
        "from agents import Agent\n\n"
        "class Interrupts(Agent):\n"
        "    parties = 0\n\n"
        "    def reset(self, seed):\n"
        "        self.parties += 1\n"
        "        if self.parties == 6:\n"
        "            raise KeyboardInterrupt\n\n"
        "    def act(self, view):\n"
        "        return view.legal_actions[0]\n"
    )
    output = tmp_path / "x.json"
    arguments = ["random", "greedy", f"{tmp_path}/mine.py:Interrupts", "--parties", "20", "--output", str(output)]
    assert evaluate.main(arguments) == 130
    printed = capsys.readouterr()
    assert "interrupted" in printed.err
    assert printed.out.count("±") == 2
    document = json.loads(output.read_text())
    assert list(document) == [*TOP_KEYS, "complete"]
    assert document["complete"] is False
    assert [match["parties"] for match in document["matches"]] == [20, 4]


@pytest.mark.slow
def test_ctrl_c_with_jobs_ends_in_order(tmp_path: Path) -> None:
    output, begun = tmp_path / "x.json", tmp_path / "begun"
    (tmp_path / "mine.py").write_text(
        "from pathlib import Path\n\nfrom agents.random_agent import RandomAgent\n\n"
        "class Tells(RandomAgent):\n"
        "    act_batch = None\n"
        "    parties = 0\n\n"
        "    def reset(self, seed):\n"
        "        self.parties += 1\n"
        "        if self.parties == 5:  # two pairs are played\n"
        f"            Path({str(begun)!r}).touch()\n\n"
        "    def act(self, view):\n"
        "        return view.legal_actions[-1]\n"
    )
    agents = [f"{tmp_path}/mine.py:Tells", "greedy"]
    arguments = ["evaluate.py", *agents, "--parties", "1000000", "--jobs", "2", "--output", str(output)]
    process = subprocess.Popen(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    while not begun.exists():
        assert process.poll() is None, process.communicate()[1]
        time.sleep(0.1)
    time.sleep(1)
    os.killpg(process.pid, signal.SIGINT)  # what a terminal does: parent and workers get it
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert "Traceback" not in errors
    document = json.loads(output.read_text())
    assert document["complete"] is False
    assert document["matches"][0]["parties"] > 0


def test_the_example_runs() -> None:
    run = run_script("examples/write_your_own_agent.py")
    assert run.returncode == 0, run.stderr
    assert "high cards" in run.stdout
    mean = float(run.stdout.split("±")[0].split()[-1])
    assert mean > 200
    lines = (ROOT / "examples" / "write_your_own_agent.py").read_text().splitlines()
    assert len(lines) <= 50
