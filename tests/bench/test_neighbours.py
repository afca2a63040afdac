"""The neighbours' part of the benchmarks: what is missing, wrong or hanging is one line, and the loops play legally."""

import random
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from bench.measure import Plan
from bench.neighbours import LIBRARIES, measure_here, measure_neighbours
from bench.neighbours.__main__ import main
from bench.neighbours.openspiel_games import deals_evenly, play_episode
from bench.neighbours.pgx_games import bridge_table, choose

SHORT = Plan(2, 0.0005, largest=4)
NEEDED = {"pettingzoo": "pettingzoo.classic", "rlcard": "rlcard", "openspiel": "pyspiel", "pgx": "jax"}
GAMES = [(library, game) for library, module in LIBRARIES.items() for game in module.GAMES]

WORKING = """
print("a greeting on standard output")
class Environment:
    def reset(self):
        self.left = 5
        return {"legal_actions": {0: None}}, 0
    def is_over(self):
        return self.left == 0
    def step(self, action):
        self.left -= 1
        return {"legal_actions": {0: None}}, 0
def make(game, config):
    return Environment()
"""


def fake_library(folder: Path, source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a module `rlcard` where the neighbours' interpreters find it first."""
    (folder / "rlcard.py").write_text(source, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(folder))


def measure_rlcard(timeout: float = 60.0) -> tuple[list, list[str]]:
    said: list[str] = []
    return measure_neighbours(SHORT, said.append, ["rlcard"], timeout), said


@pytest.mark.parametrize(("library", "game"), GAMES)
def test_a_library_that_is_not_installed_is_one_line(library: str, game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith(NEEDED[library] + ".")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, NEEDED[library], None)
    if library == "pgx":
        monkeypatch.setitem(sys.modules, "pgx", None)
    (line,) = measure_here(library, game, SHORT)
    assert line.values == ()
    assert line.note.startswith("not installed: skipped (")
    assert line.name == LIBRARIES[library].GAMES[game]


def test_a_library_that_raises_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def make(game: str, config: dict) -> None:
        raise RuntimeError("no cards left\nand more")

    monkeypatch.setitem(sys.modules, "rlcard", SimpleNamespace(make=make))
    (line,) = measure_here("rlcard", "uno", SHORT)
    assert line.values == ()
    assert line.note == "failed: RuntimeError: no cards left"


def test_each_game_has_an_interpreter_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_library(tmp_path, WORKING, monkeypatch)
    results, said = measure_rlcard()
    assert [result.name for result in results] == ["Uno", "gin rummy"]
    assert all(len(result.values) == len(result.wall) == SHORT.repetitions for result in results)
    assert said == ["measuring: rlcard uno", "measuring: rlcard gin-rummy"]


def test_a_crash_is_one_line_and_the_run_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    crash = "import os\ndef crash(game):\n    if game == 'uno':\n        os.abort()\n    return Environment()\n"
    fake_library(tmp_path, WORKING + crash + "def make(game, config):\n    return crash(game)\n", monkeypatch)
    (first, second), _ = measure_rlcard()
    assert first.values == ()
    assert "SIGABRT" in first.note or "code" in first.note  # signals are a word of POSIX alone
    assert second.values


def test_an_interpreter_that_is_ended_says_its_last_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_library(tmp_path, "import sys\nprint('out of luck', file=sys.stderr)\nsys.exit(3)\n", monkeypatch)
    results, _ = measure_rlcard()
    assert [result.note for result in results] == ["failed: ended with code 3: out of luck"] * 2


def test_a_game_that_hangs_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_library(tmp_path, "import time\ntime.sleep(600)\n", monkeypatch)
    results, _ = measure_rlcard(timeout=0.2)
    assert [result.note for result in results] == ["failed: no result within 0.2 seconds"] * 2


def test_an_unknown_game_is_one_clear_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["rlcard", "poker"])
    assert "rlcard has no game 'poker' here; it has uno, gin-rummy" in capsys.readouterr().err


# -- the loops --------------------------------------------------------------------------------------------------------


class FakeState:
    """A game in OpenSpiel's manner: two chance nodes, then seven decisions by two players."""

    def __init__(self, chances: Callable[[int], list[tuple[int, float]]]) -> None:
        self.moves: list[int] = []
        self.chances = chances

    def current_player(self) -> int:
        count = len(self.moves)
        return -1 if count < 2 else -4 if self.is_terminal() else count % 2

    def is_terminal(self) -> bool:
        return len(self.moves) == 9

    def is_chance_node(self) -> bool:
        return self.current_player() == -1

    def legal_actions(self) -> list[int]:
        return [10, 11, 12] if self.is_chance_node() else list(range(len(self.moves)))

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return self.chances(len(self.moves))

    def apply_action(self, action: int) -> None:
        assert action in self.legal_actions()
        self.moves.append(action)


def evenly(_: int) -> list[tuple[int, float]]:
    return [(10, 1 / 3), (11, 1 / 3), (12, 1 / 3)]


def test_openspiel_is_observed_at_every_decision_and_at_no_chance() -> None:
    random.seed(3)
    state = FakeState(evenly)
    observed: list[tuple[int, int]] = []
    observation = SimpleNamespace(set_from=lambda at, player: observed.append((len(at.moves), player)))
    assert play_episode(state, observation) == 7
    assert observed == [(count, count % 2) for count in range(2, 9)]


@pytest.mark.parametrize(
    ("chances", "even"),
    [
        (evenly, True),
        (lambda _: [(10, 0.5), (11, 0.25), (12, 0.25)], False),
        (lambda count: evenly(count)[: 2 + count], False),
    ],
)
def test_uneven_chances_are_noticed(chances: Callable[[int], list[tuple[int, float]]], even: bool) -> None:
    assert deals_evenly(SimpleNamespace(new_initial_state=lambda: FakeState(chances))) is even


def test_rlcard_gets_legal_actions_and_its_decisions_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("fake")
    exec(WORKING, module.__dict__)
    from bench.neighbours.rlcard_games import play_episode as play_rlcard

    assert play_rlcard(module.make("uno", {})) == 5


def test_every_hand_of_a_made_up_bridge_table_has_thirteen_cards() -> None:
    deals, results = bridge_table(50)
    owners = (deals[:, :, None] >> np.arange(24, -1, -2)) & 3  # as PGX unpacks them
    for deal in owners.reshape(50, 52):
        assert np.bincount(deal, minlength=4).tolist() == [13] * 4
    assert not results.any()


def test_pgx_chooses_uniformly_among_the_legal() -> None:
    jax = pytest.importorskip("jax", reason="jax is part of the extra `bench`")
    mask = np.zeros((4000, 7), dtype=bool)
    mask[:, [1, 4, 6]] = True
    counts = np.bincount(np.asarray(choose(jax.numpy.asarray(mask), jax.random.PRNGKey(1))), minlength=7)
    assert counts[[0, 2, 3, 5]].sum() == 0
    assert counts[[1, 4, 6]].min() > 1200
