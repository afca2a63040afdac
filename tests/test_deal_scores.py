"""Records of deals: the shipped files, the counting of deals, and what is refused."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.equity_table import count_block, main
from agents.greedy_agent import GreedyAgent
from agents.lockstep import COUNT_SIZE
from agents.pairs import agent_seed, deck_seed, make_players, play_parties
from agents.view import View
from piquet_env.equity import CAVENDISH, deal_scores, load_scores, pack_scores, shipped_versions
from piquet_env.game import Game
from piquet_env.rules.variants import Rules


def counted_by_hand(rules: Rules, parties: int, seed: int) -> np.ndarray:
    """The counts of greedy's self-play, from the score logs of plain games."""
    counts = np.zeros((3, COUNT_SIZE, COUNT_SIZE), dtype=np.int64)
    for partie in range(parties):
        game = Game(rules, seed=deck_seed(seed), partie=partie)
        seats = [GreedyAgent(elder_max=rules.elder_max) for _ in range(2)]
        for seat in range(2):
            seats[seat].reset(agent_seed(seed, partie, seat))
        elders = {}
        while not game.is_over:
            elders[game.deal_number] = 1 - game.dealer
            seat = game.to_act
            game.apply(seats[seat].act(View(game.observation(seat), game.action_mask(seat), rules)))
        for deal, elder in elders.items():
            score = [0, 0]
            for entry in (entry for entry in game.log if entry.deal == deal):
                role = 0 if entry.seat == elder else 1
                for _ in range(entry.points):
                    score[role] += 1
                    other = score[1 - role]
                    counts[1 + role, score[role], other] += 1
            counts[0, score[0], score[1]] += 1
    return counts


@pytest.mark.slow
@pytest.mark.parametrize("name", ["rubicon", "rubicon pack=36"])
def test_deals_are_counted_as_their_logs_say(name: str) -> None:
    rules = Rules.of(name)
    counts = count_block("greedy", rules, 3, 0)
    assert (counts == counted_by_hand(rules, 128, 3)).all()


@pytest.mark.nojit
def test_a_partie_is_counted_as_its_log_says() -> None:
    rules = Rules.of("german deals=1")
    (table,) = play_parties(make_players(("greedy", "greedy"), rules), rules, 3, [(0, 0)], count_deals=True)
    assert table.games.counts[0].sum() == 1
    assert (table.games.counts == counted_by_hand(rules, 1, 3)).all()


@pytest.mark.parametrize("version", shipped_versions())
def test_a_record_holds_probabilities(version: str) -> None:
    scores = deal_scores(version)
    assert scores.version == version
    assert scores.joint.sum() == pytest.approx(1, abs=1e-12)
    assert (scores.joint >= 0).all()
    assert scores.metadata["deals"] >= 10_000
    if version == CAVENDISH:
        assert scores.elder_passage is None
        return
    elder, younger = scores.marginals
    assert scores.elder_passage.sum(axis=1)[1:] == pytest.approx(elder[::-1].cumsum()[::-1][1:], abs=1e-12)
    assert scores.younger_passage.sum(axis=1)[1:] == pytest.approx(younger[::-1].cumsum()[::-1][1:], abs=1e-12)
    assert set(scores.metadata) == {
        *("agent", "deals", "format", "package_version", "pack", "parties", "parties_at_once", "rules", "rules_hash"),
        *("seed", "version"),
    }
    assert scores.metadata["rules_hash"] == Rules.of(scores.metadata["rules"]).hash


def test_versions_that_do_not_exist_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no equity table 'v9'; the tables are v0-cavendish, v1-greedy"):
        deal_scores("v9")
    with pytest.raises(ValueError, match="there is no file"):
        deal_scores(str(tmp_path / "none.npz"))


def small_counts() -> np.ndarray:
    """Two deals: elder 2 then younger 1 then elder 1; and younger 2."""
    counts = np.zeros((3, 5, 5), dtype=np.int64)
    counts[0, 3, 1] = counts[0, 0, 2] = 1
    counts[1, 1, 0] = counts[1, 2, 0] = counts[1, 3, 1] = 1
    counts[2, 1, 2] = counts[2, 1, 0] = counts[2, 2, 0] = 1
    return counts


METADATA = {"version": "mine", "pack": 32, "deals": 2}


def test_a_file_gives_back_what_was_packed(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    path.write_bytes(pack_scores(small_counts(), METADATA))
    scores = load_scores(path)
    assert (scores.version, scores.pack) == ("mine", 32)
    assert scores.metadata == {**METADATA, "format": 1}
    assert (scores.joint * 2 == small_counts()[0, :4, :3]).all()
    assert (scores.elder_passage * 2 == small_counts()[1, :4, :3]).all()
    assert (scores.younger_passage * 2 == small_counts()[2, :3, :4]).all()
    assert pack_scores(small_counts(), METADATA) == path.read_bytes()


@pytest.mark.parametrize(
    ("metadata", "change", "words"),
    [
        ({"deals": 3}, {}, "not as many"),
        ({"format": 2}, {}, "has format 2"),
        ({}, {"joint": np.array([[0, 1], [1, 0]])}, "do not fit"),
        ({}, {"elder_passage": np.zeros((4, 3), dtype=np.int64)}, "contradicts"),
        ({}, {"joint": np.zeros((4, 3))}, "not tables of counts"),
        ({}, {"joint": None}, "joint"),
        ({}, {"joint": np.array([[None]])}, "Object arrays cannot be loaded"),
    ],
)
def test_a_file_that_contradicts_itself_is_refused(
    tmp_path: Path, metadata: dict[str, Any], change: dict[str, Any], words: str
) -> None:
    with np.load(io.BytesIO(pack_scores(small_counts(), METADATA))) as arrays:
        content = dict(arrays.items())
    content["metadata"] = np.array(json.dumps({**json.loads(str(content["metadata"])), **metadata}))
    content = {name: array for name, array in {**content, **change}.items() if array is not None}
    np.savez(tmp_path / "x.npz", **content)
    with pytest.raises(ValueError, match=words):
        load_scores(tmp_path / "x.npz")


def test_what_is_no_npz_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.npz").write_text("mine")
    with pytest.raises(ValueError, match="no record of deal scores"):
        load_scores(tmp_path / "x.npz")


def test_the_command_writes_a_record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "scores-mine.npz"
    arguments = ["greedy", "--deals", "800", "--seed", "4", "--output", str(output)]
    assert main(arguments) == 0
    content = output.read_bytes()
    written = load_scores(output).metadata
    assert (written["version"], written["agent"], written["parties"]) == ("mine", "greedy", 256)
    assert written["deals"] >= 6 * 256
    assert f"mine, {written['deals']} deals of greedy" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(arguments)
    assert "exists" in capsys.readouterr().err
    assert main([*arguments, "--force", "--jobs", "2"]) == 0
    assert output.read_bytes() == content


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nobody"], "unknown agent"),
        (["greedy", "--deals", "0"], "at least 1"),
        (["greedy", "--rules", "au_cent"], "Rubicon parties"),
    ],
)
def test_a_wrong_argument_gets_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    with pytest.raises(SystemExit) as caught:
        main([*arguments, "--output", str(tmp_path / "x.npz")])
    assert caught.value.code == 2
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1
