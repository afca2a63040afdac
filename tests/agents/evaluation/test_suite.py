"""The benchmark suite: duplicate in every set, the reference decides the rest, and the commands say what is wrong."""

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import agents.strength
import agents.suite
from agents.arena import MatchInterrupted, MatchResult
from agents.base import View
from agents.evaluation import strength_page
from agents.evaluation.partly import PartlyAgent, PartlyBatchAgent, decides, partly
from agents.evaluation.suite_blocks import SuiteBlock, load_block
from agents.evaluation.suite_row import count_parameters, format_row, row_dict
from agents.evaluation.suite_sets import (
    SETS,
    Opponent,
    Suite,
    boards_of,
    find_set,
    play_suite_match,
    points_of,
    read_suite,
)
from agents.lockstep import Lockstep
from agents.pairs import FAILURE_SETTLEMENT, can_batch
from agents.registry import make_agent
from agents.streams import Streams
from agents.workers import Workers
from piquet_env.rules.state import NOBODY
from piquet_env.rules.variants import Rules

RULES = Rules()
STUBS = "tests.agents.stub_agents:"
SMALL = Suite(1, RULES, "greedy", (Opponent("random", 6), Opponent("greedy", 6)))


@pytest.fixture(scope="module")
def block() -> SuiteBlock:
    return load_block("train")


def play(a: str, b: str, name: str, block: SuiteBlock, parties: int = 8, **options: object) -> MatchResult:
    with Workers(1) as workers:
        return play_suite_match(a, b, SETS[name], block, SMALL, parties=parties, workers=workers, **options)  # type: ignore[arg-type]


def same(first: MatchResult, second: MatchResult) -> bool:
    return bool((first.records == second.records).all()) and first.failures == second.failures


# -- duplicate --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("agent", ["random", "greedy", "heuristic", STUBS + "Remembers"])
def test_an_agent_against_itself_makes_nothing_on_every_pair(agent: str, name: str, block: SuiteBlock) -> None:
    match = play(agent, agent, name, block)
    halves = match.records["settlement"].reshape(-1, 2)
    assert (halves[:, 0] == -halves[:, 1]).all()
    assert np.abs(halves).max() > 0
    assert match.settlement == (0, 0, 0)
    assert points_of(match) == (0, 0, 0)


def test_the_better_agent_is_ahead_in_every_set(block: SuiteBlock) -> None:
    for name in SETS:
        match = play("heuristic", "random", name, block, parties=100)
        assert match.settlement.low > 0, name
        assert points_of(match).low > 0, name
        assert (match.records["deals"] == 1).all() == SETS[name].is_of_deals


def test_boards_are_played_at_their_totals(block: SuiteBlock) -> None:
    """Only where the last deal ends is a partie lost below the line, by the totals of the board and the deal."""
    match = play("random", "greedy", "deal", block, parties=240)
    points = (match.records["elder_points"] + match.records["younger_points"]).reshape(-1, 2, 2)
    rubicon = match.records["rubicon"].reshape(-1, 2, 2)
    last = 0
    for pair in range(120):
        for half in range(2):
            by_seat = points[pair, half] if half == 0 else points[pair, half][::-1]
            totals = block.deals.totals[pair] + by_seat
            is_last = block.deals.numbers[pair] == 6 and totals[0] != totals[1]
            assert rubicon[pair, half].any() == (is_last and totals.min() < 100)
            last += bool(is_last)
    assert last > 30


# -- the reference decides the rest -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["cards", "exchange"])
@pytest.mark.parametrize("agent", ["random", STUBS + "Plain"])
def test_all_other_decisions_are_the_references(agent: str, name: str, block: SuiteBlock) -> None:
    found, reference = SETS[name], make_agent("greedy", RULES)
    player, spied = partly(agent, "greedy", found.part, RULES), make_agent(agent, RULES)
    boards = boards_of(found, block)
    counts = {"mine": 0, "rest": 0, "differ": 0}
    for board in range(12):
        player.reset(board)
        spied.reset(board)
        table = Lockstep(RULES, 1, [board], boards=boards)
        while table.to_act[0] != NOBODY:
            observations, masks = table.observe(np.array([0]))
            view = View(observations[0], masks[0], RULES)
            action, by_reference = player.act(view), reference.act(view)
            if decides(found.part, masks, 32)[0]:
                assert action == spied.act(view)
                counts["differ"] += action != by_reference
                counts["mine"] += 1
            else:
                assert action == by_reference
                counts["rest"] += 1
            assert table.apply(np.array([0]), np.array([action])).all()
    assert counts["mine"] > 50
    assert counts["rest"] > 0
    assert counts["differ"] > 20


def test_the_parts_are_exchange_and_cards() -> None:
    table = Lockstep(RULES, 3, range(30))
    agent, streams = make_agent("random"), Streams(np.arange(30, dtype=np.uint64))
    seen = set()
    while len(rows := np.flatnonzero(table.to_act != NOBODY)):
        observations, masks = table.observe(rows)
        exchange, cards = decides("exchange", masks, 32), decides("cards", masks, 32)
        for place in range(len(rows)):
            view = View(observations[place], masks[place], RULES)
            kinds = {view.words(action).split()[0] for action in view.legal_actions}
            assert exchange[place] == bool(kinds & {"discard", "draw"})
            assert cards[place] == ("play" in kinds)
            seen |= kinds
        table.apply(rows, agent.act_batch(observations, masks, streams.rows(rows)))
    assert {"discard", "draw", "play", "point"} <= seen


def test_the_reference_in_both_parts_plays_as_it_does_alone(block: SuiteBlock) -> None:
    whole, exchange = play("greedy", "greedy", "deal", block), play("greedy", "greedy", "exchange", block)
    assert same(whole, exchange)


def test_batches_and_single_decisions_play_alike(block: SuiteBlock) -> None:
    assert isinstance(partly("random", "greedy", "cards", RULES), PartlyBatchAgent)
    single = partly(STUBS + "Plain", "greedy", "cards", RULES)
    assert isinstance(single, PartlyAgent)
    assert not can_batch((single, single))
    for name in ("cards", "exchange"):
        assert same(play("random", "greedy", name, block), play(STUBS + "Plain", "greedy", name, block))


def test_a_part_pickles_as_its_specs() -> None:
    agent = partly("heuristic", "greedy", "cards", RULES)
    again = pickle.loads(pickle.dumps(agent))
    assert type(again) is type(agent)
    assert (again.name, again.part, again.rules, again.reference.name) == ("heuristic", "cards", RULES, "greedy")
    assert len(pickle.dumps(agent)) < 2000


@pytest.mark.parametrize("name", SETS)
def test_an_agent_that_fails_loses_its_boards(name: str, block: SuiteBlock) -> None:
    match = play(f"{STUBS}Fails:at=1", "greedy", name, block, parties=4)
    assert match.illegal_or_crashed[0] == 4
    assert match.settlement.mean == points_of(match).mean == FAILURE_SETTLEMENT
    assert [failure.error for failure in match.failures] == ["RuntimeError: lost my head"] * 4
    assert "dealt" in match.failures[0].deal


# -- what results depend on -------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_result_does_not_depend_on_the_number_of_jobs(block: SuiteBlock) -> None:
    with Workers(2) as workers:
        for name in SETS:
            alone = play("random", "greedy", name, block, parties=60)
            shared = play_suite_match("random", "greedy", SETS[name], block, SMALL, parties=60, workers=workers)
            assert same(alone, shared)


def test_what_was_played_is_kept_and_used_again(tmp_path: Path, block: SuiteBlock) -> None:
    first = play("random", "greedy", "exchange", block, parties=60, store=tmp_path)
    (folder,) = tmp_path.iterdir()
    files = sorted(folder.glob("pairs-*.npz"))
    assert len(files) == 3
    files[0].unlink()
    assert same(first, play("random", "greedy", "exchange", block, parties=60, store=tmp_path))
    play("random", "greedy", "deal", block, parties=4, store=tmp_path)
    assert len(list(tmp_path.iterdir())) == 2
    facts = json.loads((folder / "match.json").read_text())
    assert (facts["set"], facts["block"], facts["block_sha256"]) == ("exchange", "train", block.sha256)


def test_no_more_is_played_than_there_are_boards(block: SuiteBlock) -> None:
    assert play("random", "random", "cards", block, parties=10_000).parties == 2 * len(block.plays)


# -- opponents and rows -----------------------------------------------------------------------------------------------


def test_the_frozen_opponents_can_be_made() -> None:
    suite = read_suite()
    specs = ["random", "greedy", "heuristic@1", "search@1", "pretrained", "pretrained:greedy"]
    assert [opponent.spec for opponent in suite.opponents] == specs
    for spec in (suite.reference, *(opponent.spec for opponent in suite.opponents)):
        assert can_batch((make_agent(spec, suite.rules),) * 2)


@pytest.mark.parametrize(
    "text", ["", "[]", '{"suite": 1, "rules": "rubicon", "reference": "greedy", "opponents": [{}]}']
)
def test_a_broken_list_of_opponents_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"opponents.json cannot be read"):
        read_suite(tmp_path)
    (tmp_path / "opponents.json").write_text(text)
    with pytest.raises(ValueError, match="is no list of opponents"):
        read_suite(tmp_path)


def test_a_row_holds_the_figures_of_its_matches(block: SuiteBlock) -> None:
    matches = [play("heuristic", "random", "deal", block, parties=40)]
    row = row_dict("heuristic", SETS["deal"], block, SMALL, matches)
    (opponent,) = row["opponents"]
    assert opponent["equity"]["mean"] == pytest.approx(matches[0].settlement.mean, abs=1e-6)
    own, other = matches[0].deal_points
    assert opponent["points"]["mean"] == pytest.approx(own - other, abs=1e-6)
    assert "settlement" not in opponent
    assert row["ms_per_decision"] > 0
    assert (row["block_sha256"], row["set"], row["reference"]) == (block.sha256, "deal", None)
    assert json.loads(json.dumps(row)) == row
    table = format_row("heuristic", SETS["deal"], matches).splitlines()
    assert [line.count("|") for line in table] == [6, 6, 6]
    assert f"{own - other:+.1f} ±" in table[2]
    in_part = row_dict("heuristic", SETS["cards"], block, SMALL, [play("heuristic", "random", "cards", block)])
    assert in_part["ms_per_decision"] is None
    assert in_part["reference"] == {"spec": "greedy"}


def test_the_parameters_of_a_policy_are_counted(tmp_path: Path) -> None:
    header = {
        "__metadata__": {"format": "x"},
        "w": {"dtype": "F32", "shape": [3, 5]},
        "b": {"dtype": "F32", "shape": [3]},
    }
    text = json.dumps(header).encode()
    path = tmp_path / "policy.safetensors"
    path.write_bytes(len(text).to_bytes(8, "little") + text + bytes(72))
    assert count_parameters(f"policy:{path}") == count_parameters(f"policy:{path}:greedy=true") == 18
    assert count_parameters("greedy") is None


# -- the commands -----------------------------------------------------------------------------------------------------


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (agents.suite, agents.strength):
        monkeypatch.setattr(module, "read_suite", lambda: SMALL)
    monkeypatch.setattr(agents.strength, "OTHERS", ("heuristic:style=timid",))
    monkeypatch.setattr(agents.strength, "SLOW", ())


NAME = "elder makes 28 or more"


@pytest.mark.usefixtures("small")
def test_the_command_prints_and_writes_a_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "row.json"
    arguments = ["heuristic", "--block", "train", "--parties", "6", "--output", str(output)]
    assert agents.suite.main(arguments) == 0
    printed = capsys.readouterr().out
    assert "set partie, block train" in printed
    assert "| `heuristic` | – |" in printed
    row = json.loads(output.read_text())
    assert [opponent["b"] for opponent in row["opponents"]] == ["random", "greedy"]
    assert [opponent["parties"] for opponent in row["opponents"]] == [6, 6]
    assert row["complete"]
    assert agents.suite.main([*arguments, "--force", "--quick"]) == 0
    assert [opponent["parties"] for opponent in json.loads(output.read_text())["opponents"]] == [2, 2]


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["greedy", "--set", "parti"], "unknown set 'parti'; the sets are partie, deal, cards, exchange"),
        (["greedy", "--block", "exam"], "unknown block 'exam'; the blocks are train, dev, test"),
        (["gredy"], "unknown agent 'gredy'; did you mean 'greedy'?"),
        (["gredy", "--set", "cards"], "unknown agent 'gredy'"),
        (["greedy", "--parties", "0"], "'0' is not a whole number from 1 to 1,000,000"),
        (["greedy", "--output", "no/such/row.json"], "there is no folder no/such"),
        (["greedy", "--output", "README.md"], "README.md exists, and results are not overwritten"),
        ([], "the following arguments are required: AGENT"),
    ],
)
def test_a_wrong_argument_gets_one_sentence(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Path(__file__).resolve().parents[3])
    with pytest.raises(SystemExit) as ended:
        agents.suite.main(arguments)
    assert ended.value.code == 2
    error = capsys.readouterr().err
    assert error.startswith("agents.suite: ")
    assert error.count("\n") == 1
    assert sentence in error


@pytest.mark.usefixtures("small")
def test_an_interrupt_keeps_what_was_played(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted_by_greedy(a: str, b: str, *rest: Any, **options: Any) -> MatchResult:
        if b == "greedy":
            raise MatchInterrupted(None)
        return play_suite_match(a, b, *rest, **options)

    monkeypatch.setattr(agents.suite, "play_suite_match", interrupted_by_greedy)
    output = tmp_path / "row.json"
    with pytest.raises(SystemExit) as ended:
        agents.suite.main(["greedy", "--block", "train", "--output", str(output)])
    assert ended.value.code == 130
    printed = capsys.readouterr()
    assert "interrupted" in printed.err
    assert "v `random` (6) | failed" in printed.out
    row = json.loads(output.read_text())
    assert not row["complete"]
    assert [opponent["b"] for opponent in row["opponents"]] == ["random"]


@pytest.mark.usefixtures("small")
def test_the_strength_tables_are_written_between_the_markers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page, output = tmp_path / "page.md", tmp_path / "strength.json"
    page.write_text(f"# Before\n\n{strength_page.BEGIN}\nold\n{strength_page.END}\n\nAfter.\n")
    arguments = ["--block", "train", "--page", str(page), "--output", str(output), "--store", str(tmp_path / "store")]
    assert agents.strength.main(arguments) == 0
    text, document = page.read_text(), json.loads(output.read_text())
    assert text.startswith("# Before\n")
    assert text.endswith("\n\nAfter.\n")
    assert "old" not in text
    for name in SETS:
        assert f"### `{name}`" in text
    assert list(document["sets"]) == list(SETS)
    table = document["sets"]["partie"]["cross_tables"]["settlement"]
    assert table["agents"] == ["random", "greedy"]
    assert (
        table["means"][0][1] == -table["means"][1][0] == document["sets"]["partie"]["matches"][0]["settlement"]["mean"]
    )
    assert f"{table['means'][0][1]:+.1f} ± {table['half_widths'][0][1]:.1f}" in text
    assert set(document["sets"]["cards"]["cross_tables"]) == {"equity", "points"}
    others = document["beside"]["others"]["heuristic:style=timid"]
    assert [match["b"] for match in others] == ["random", "greedy"]
    assert f"| `heuristic:style=timid` | {others[0]['settlement']['mean']:+.1f} ± " in text
    alone = document["beside"]["self_play"]["greedy"]
    signs, points = alone["signs"], alone["points"]
    assert signs["elder wins the cards"] + signs["the cards are divided"] + signs["younger wins the cards"] == 1
    assert f"| {NAME} | {100 * document['beside']['self_play']['random']['signs'][NAME]:.1f} % |" in text
    assert points["cards"][0] > 0
    without_times = text.partition("### Milliseconds")[0]
    assert agents.strength.main(arguments) == 0
    assert page.read_text().partition("### Milliseconds")[0] == without_times


@pytest.mark.usefixtures("small")
def test_a_page_without_markers_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.md"
    page.write_text("# No place\n")
    with pytest.raises(SystemExit) as ended:
        agents.strength.main(["--page", str(page), "--output", str(tmp_path / "x.json")])
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith("agents.strength: the page has no place for the tables")


def test_the_page_of_the_package_holds_the_tables() -> None:
    page = (Path(__file__).resolve().parents[3] / "docs" / "strength.md").read_text(encoding="utf-8")
    tables = page.partition(strength_page.BEGIN)[2].partition(strength_page.END)[0]
    for opponent in read_suite().opponents:
        assert f"| `{opponent.spec}` |" in tables
    for name in SETS:
        assert f"### `{name}`" in tables
    assert load_block("test").sha256[:16] in tables
    assert find_set("cards").part == "cards"
