"""The command: one table, the JSON of the documentation, one line for a wrong argument, nothing lost."""

import json
import os
import re
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
RUN_KEYS = ["key", "sources_hash", "agents", "command"]
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
    "phases",
    "classes",
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
    assert table.count("±") == 3 + 6
    document = json.loads(output.read_text())
    assert list(document) == [*TOP_KEYS, *RUN_KEYS, "cross_table"]
    assert document["agents"] == [{"spec": "greedy"}, {"spec": "random"}, {"spec": "greedy"}]
    assert document["command"].startswith("python evaluate.py greedy random greedy --parties 21 --seed 5 --output ")
    assert document["cross_table"]["means"][1][0] == -document["matches"][0]["settlement"]["mean"]
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
        for key in MATCH_KEYS[7:-2]:
            assert list(match[key]) == ["a", "b"]
        for key in MATCH_KEYS[-2:]:
            assert [list(match[key][role]) for role in ("elder", "younger")] == [["a", "b"]] * 2
        assert list(match["phases"]["elder"]["a"]) == ["declarations", "bonuses", "play", "cards"]
        assert sum(match["phases"]["younger"]["b"].values()) == pytest.approx(match["younger_points"]["b"], abs=1e-4)
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
        (["greedy", "random", "--sprt", "5,0"], "'5,0' is not LOW,HIGH"),
        (["greedy", "random", "--sprt", "5"], "'5' is not LOW,HIGH"),
        (["greedy", "random", "--sprt", "nan,5"], "'nan,5' is not LOW,HIGH"),
        (["greedy", "random", "--limit", "0"], "'0' is not a positive number of seconds"),
        (["greedy", "random", "--store", f"{STUBS}"], "cannot be used"),
        (["greedy", "random", "--html", "/no/such/folder/x.html"], "cannot be written"),
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
    first = json.loads(output.read_text())
    assert list(first) == [*TOP_KEYS, *RUN_KEYS]
    assert evaluate.main(arguments) == 0  # the same run may write its file again
    for other in (["--seed", "2"], ["--parties", "4"], ["--rules", "german"], ["--sprt", "0,5"], ["--limit", "9"]):
        with pytest.raises(SystemExit):
            evaluate.main([*arguments, *other])
    again = json.loads(output.read_text())
    assert without_times(again) == without_times(first)


def without_times(document: dict) -> dict:
    """A document without what differs from run to run."""
    del document["command"]
    for match in document["matches"]:
        del match["seconds_per_decision"]
    return document


@pytest.mark.slow
def test_a_document_does_not_depend_on_the_number_of_jobs(tmp_path: Path) -> None:
    documents = []
    for jobs in ("1", "2", "3"):
        output = tmp_path / f"{jobs}.json"
        agents = ["greedy", "random", f"{STUBS}:Fails:at=50"]
        arguments = [*agents, "--parties", "140", "--jobs", jobs, "--output", str(output)]
        assert evaluate.main(arguments) == 0
        documents.append(without_times(json.loads(output.read_text())))
        assert len(list(tmp_path.glob(f"{jobs}.failure-*.deal"))) == 20
    assert documents[0] == documents[1] == documents[2]


def test_a_sequential_test_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "x.json"
    assert evaluate.main(["greedy", "random", "--sprt", "0,5", "--output", str(output)]) == 0
    table = capsys.readouterr().out
    match = json.loads(output.read_text())["matches"][0]
    assert match["parties"] == 128
    assert match["sprt"]["decision"] == "high"
    assert (match["sprt"]["low"], match["sprt"]["high"], match["sprt"]["pairs"]) == (0, 5, 64)
    assert match["sprt"]["llr"] > match["sprt"]["bounds"][1] == pytest.approx(2.944439)
    assert f"5 (-2.94 {match['sprt']['llr']:.2f} 2.94)" in table
    assert evaluate.main(["greedy", "greedy", "--sprt=-5,0", "--parties", "200"]) == 0
    assert "undecided (-2.94 – 2.94)" in capsys.readouterr().out


def test_points_are_broken_down(capsys: pytest.CaptureFixture[str]) -> None:
    assert evaluate.main(["greedy", "random", "--parties", "20", "--breakdown"]) == 0
    table = capsys.readouterr().out
    assert "elder A" in table
    assert re.search(r"^declarations +\d+\.\d\d", table, flags=re.MULTILINE)


def test_a_store_is_used_again(tmp_path: Path) -> None:
    store, outputs = tmp_path / "store", [tmp_path / f"{place}.json" for place in range(3)]
    arguments = ["greedy", "random", "greedy:elder_max=4", "--parties", "100", "--store", str(store)]
    assert evaluate.main([*arguments, "--output", str(outputs[0])]) == 0
    assert len(list(store.glob("*/pairs-*.npz"))) == len(list(store.glob("*/match.json"))) == 3
    written = {path: path.stat().st_mtime_ns for path in store.rglob("*")}
    assert evaluate.main([*arguments, "--output", str(outputs[1])]) == 0
    assert {path: path.stat().st_mtime_ns for path in store.rglob("*")} == written
    first, second = (json.loads(output.read_text()) for output in outputs[:2])
    assert first["matches"] == second["matches"]
    assert evaluate.main([*arguments, "--seed", "2", "--output", str(outputs[2])]) == 0
    assert len(list(store.glob("*/pairs-*.npz"))) == 6


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_killed_run_goes_on_to_the_same_table(tmp_path: Path, jobs: str) -> None:
    """Killed three times, each time after some more blocks have been played, then left to end."""
    store, whole, output = tmp_path / "store", tmp_path / "whole.json", tmp_path / "x.json"
    (tmp_path / "mine.py").write_text(
        "import time\n\nfrom agents.random_agent import RandomAgent\n\n"
        "class Slow(RandomAgent):\n"
        "    def act_batch(self, observations, masks, rng):\n"
        "        time.sleep(0.002)\n"
        "        return super().act_batch(observations, masks, rng)\n"
    )
    arguments = ["evaluate.py", f"{tmp_path}/mine.py:Slow", "greedy", "random", "--parties", "1100", "--seed", "3"]
    assert run_script(*arguments, "--output", str(whole)).returncode == 0
    arguments += ["--store", str(store), "--output", str(output), "--jobs", jobs]
    for kill in range(1, 4):
        process = start_script(arguments)
        while len(list(store.glob("*/pairs-*.npz"))) < 2 * kill:
            assert process.poll() is None, process.communicate()[1]
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=60)
        assert not output.exists()
    kept = {path: path.read_bytes() for path in store.glob("*/pairs-*.npz")}
    assert 6 <= len(kept) < 15
    run = run_script(*arguments)
    assert run.returncode == 0, run.stderr
    assert without_times(json.loads(output.read_text())) == without_times(json.loads(whole.read_text()))
    assert all(path.read_bytes() == content for path, content in kept.items())


def start_script(arguments: list[str]) -> subprocess.Popen[str]:
    """A run of a script that can be interrupted with all its processes."""
    return subprocess.Popen(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_ends_an_agent_that_never_answers(tmp_path: Path, jobs: str) -> None:
    begun = tmp_path / "begun"
    (tmp_path / "mine.py").write_text(
        "import time\nfrom pathlib import Path\n\nfrom agents import Agent\n\n"
        "class Hangs(Agent):\n"
        "    def act(self, view):\n"
        f"        Path({str(begun)!r}).touch()\n"
        "        time.sleep(1_000)\n"
    )
    process = start_script(["evaluate.py", f"{tmp_path}/mine.py:Hangs", "greedy", "--parties", "20", "--jobs", jobs])
    while not begun.exists():
        assert process.poll() is None, process.communicate()[1]
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert "Traceback" not in errors


@pytest.mark.slow
def test_what_was_played_before_a_worker_ended_is_not_lost(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "x.json"
    agents = ["greedy", "random", "tests.agents.stub_agents:Kills"]
    assert evaluate.main([*agents, "--parties", "200", "--jobs", "2", "--output", str(output)]) == 2
    assert "a worker process ended in the middle of greedy v" in capfd.readouterr().err
    document = json.loads(output.read_text())
    assert document["complete"] is False
    assert [match["parties"] for match in document["matches"]] == [200]


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
    assert printed.out.count("±") == 2 + 4
    document = json.loads(output.read_text())
    assert list(document) == [*TOP_KEYS, "complete", *RUN_KEYS, "cross_table"]
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
    process = start_script(arguments)
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
