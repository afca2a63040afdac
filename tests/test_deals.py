"""The worked deals in tests/deals: every line of each is played by the engine, and every step by the referee as well.

Each file shows one situation and names the laws of docs/rules.md that it shows. Together they name every law but those
that docs/rules.md marks as definitions, which no single deal can show.
"""

import re
from pathlib import Path

import pytest

from piquet_env.game import Game
from piquet_env.rules.deal_lines import split_lines
from piquet_env.rules.errors import NotationError
from piquet_env.rules.notation import parse_record
from piquet_env.rules.start import deck_at
from tests.comparison import Table

ROOT = Path(__file__).resolve().parent
DEALS = sorted((ROOT / "deals").glob("*.deal"))
by_name = pytest.mark.parametrize("path", DEALS, ids=lambda path: path.stem)

LAW = re.compile(r"^### Law (\d+)\. .*?(\(definition\))?$", re.MULTILINE)
RULES_TEXT = (ROOT.parent / "docs" / "rules.md").read_text(encoding="utf-8")
LAWS = {int(number): bool(definition) for number, definition in LAW.findall(RULES_TEXT)}


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@pytest.mark.nojit
@by_name
def test_every_line_holds_in_the_engine(path: Path) -> None:
    game = Game.from_text(read(path))
    assert game.actions
    assert Game.from_text(str(game)) == game


@by_name
def test_the_referee_agrees_at_every_step(path: Path) -> None:
    record = parse_record(read(path))
    table = Table(record.rules, record.start, lambda number: deck_at(record.rules, record.start, number).tolist())
    for action in record.actions:
        table.apply(action)


@by_name
def test_the_score_of_every_deal_stands_in_the_file(path: Path) -> None:
    text = read(path)
    written = [line.key for line in split_lines(str(Game.from_text(text)))]
    keys = [line.key for line in split_lines(text)]
    for key in ("tricks", "log", "totals", "games", "settlement"):
        assert keys.count(key) == written.count(key)


@by_name
def test_the_head_tells_the_situation_and_the_laws(path: Path) -> None:
    text = read(path)
    assert text.startswith("# ")
    assert re.fullmatch(r"[a-z_]+", path.stem)
    laws = parse_record(text).laws
    assert laws
    assert list(laws) == sorted(set(laws))
    assert [law for law in laws if law not in LAWS or LAWS[law]] == []


def test_every_law_is_shown_by_a_deal() -> None:
    named = {law for path in DEALS for law in parse_record(read(path)).laws}
    assert [law for law, is_definition in LAWS.items() if not is_definition and law not in named] == []


def test_laws_are_numbered_without_a_gap_or_a_repetition() -> None:
    assert list(LAWS) == list(range(1, len(LAWS) + 1))


@pytest.mark.parametrize("key", ["score", "tricks", "totals", "settlement", "log", "capot", "repique"])
def test_a_wrong_figure_is_found_wherever_it_stands(key: str) -> None:
    text = read(ROOT / "deals" / "greatest_score_of_a_deal.deal")
    lines = text.splitlines()
    places = [place for place, line in enumerate(lines) if line.startswith(key + " ")]
    assert places
    for place in places:
        wrong = lines.copy()
        wrong[place] = re.sub(r"\d+", lambda number: str(int(number[0]) + 1), lines[place], count=1)
        with pytest.raises(NotationError, match=rf"^line {place + 1}: {key}: text says .*, the engine says "):
            Game.from_text("\n".join(wrong))
