"""The engine against the referee over some twenty thousand steered deals, and that the comparison itself can fail."""

import json
from pathlib import Path

import pytest

from tests import differential
from tests.comparison import Mismatch, Table
from tests.differential import CHUNK_DEALS, REQUIRED, Findings, Run, main, play_chunk, play_partie
from tests.reference import deal as referee_deal
from tests.steering import draw_plan

SEED = 1
DEALS = 20_000


@pytest.mark.slow
def test_engine_and_referee_agree_and_nothing_rare_is_left_out() -> None:
    found = Findings()
    for chunk in range(DEALS // CHUNK_DEALS):
        found.add(play_chunk(SEED, chunk))
        assert not found.reports, found.reports[0]
    assert found.deals >= DEALS
    assert found.missing(1) == {}


@pytest.mark.nojit
def test_engine_and_referee_agree_at_first_sight() -> None:
    found = play_chunk(SEED + 1, 0, deals=100)
    assert not found.reports, found.reports[0]
    assert found.deals >= 100


def test_a_plan_follows_from_its_number() -> None:
    first, again = (play_partie(draw_plan(99)) for _ in range(2))
    assert first == again
    assert first != play_partie(draw_plan(98))


def test_required_events_are_named_once() -> None:
    assert len(set(REQUIRED)) == len(REQUIRED)


def test_a_wrong_value_is_found_and_reported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    right = referee_deal.value_of

    def wrong(category: str, length: int) -> int:
        return 4 if category == "set" and length == 3 else right(category, length)

    monkeypatch.setattr(referee_deal, "value_of", wrong)
    found = play_chunk(SEED, 0, deals=50)
    assert found.reports
    for heading in ("difference", "rules", "start", "cut", "deck", "actions", "partie"):
        assert any(line.startswith(heading) for line in found.reports[0].splitlines())
    assert "scores: engine" in found.reports[0]
    # The number in the report plays the partie again, and writes it as text.
    number = found.reports[0].split()[1]
    assert main(["--partie", number]) == 1
    printed = capsys.readouterr().out
    assert found.reports[0].partition("\n")[2] in printed
    assert "\ntalon " in printed


def test_a_missing_word_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    legal = Table.__dict__["_compare_legal"]

    def without_good(table: Table) -> None:
        table.referee._legal = [word for word in table.referee.legal() if word != "good"]
        legal(table)

    monkeypatch.setattr(Table, "_compare_legal", without_good)
    with pytest.raises(Mismatch, match=r"only the engine has \['good'\]"):
        play_partie(draw_plan(1))


@pytest.fixture
def short_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    def play_short(job: tuple[int, int, tuple[str, ...]]) -> Findings:
        return play_chunk(*job, deals=5)

    monkeypatch.setattr(differential, "_play_job", play_short)


def read_state(folder: Path) -> dict[str, object]:
    return {name: value for name, value in json.loads((folder / "state.json").read_text()).items() if name != "seconds"}


@pytest.mark.usefixtures("short_chunks")
def test_a_run_goes_on_where_it_was_stopped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stopped, whole = tmp_path / "stopped", tmp_path / "whole"
    assert main(["--deals", str(2 * CHUNK_DEALS), "--state", str(stopped), "--presets", "german", "swedish"]) == 0
    assert main(["--deals", str(3 * CHUNK_DEALS), "--state", str(stopped), "--presets", "german", "swedish"]) == 0
    assert "going on behind" in capsys.readouterr().out
    assert main(["--deals", str(3 * CHUNK_DEALS), "--state", str(whole), "--presets", "german", "swedish"]) == 0
    assert read_state(stopped) == read_state(whole)
    assert [path.name for path in stopped.iterdir()] == ["state.json"]


@pytest.mark.usefixtures("short_chunks")
@pytest.mark.parametrize("name", ["digest", "seed", "presets"])
def test_a_run_is_not_resumed_under_other_conditions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    arguments = ["--deals", str(2 * CHUNK_DEALS), "--state", str(tmp_path)]
    run = Run(1, (), differential.digest_all(), chunks=1)
    setattr(run, name, {"digest": "0", "seed": 2, "presets": ("german",)}[name])
    run.save(tmp_path / "state.json")
    assert main(arguments) == 2
    assert "a run with other" in capsys.readouterr().err
    assert main([*arguments, "--restart"]) == 0


def test_mismatches_and_missing_events_set_the_exit_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(differential, "_play_job", lambda job: Findings(deals=5, reports=["difference  none at all"]))
    assert main(["--deals", "5", "--state", str(tmp_path)]) == 1
    assert "difference  none at all" in capsys.readouterr().out
    monkeypatch.setattr(differential, "_play_job", lambda job: Findings(deals=5))
    assert main(["--deals", "5", "--state", str(tmp_path), "--least", "1"]) == 1
    assert "seen only 0 times: repique elder" in capsys.readouterr().out
