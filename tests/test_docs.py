"""The generated documents are what the code prints, and docs/rules.md names the options and presets of `Rules`."""

import ast
import re
from pathlib import Path

import pytest

from piquet_env import tables
from piquet_env.rules.variants import ELDER_MAX, OPTIONS, PRESETS, RANK_LIMITS, Rules

RULES_PAGE = (tables.DOCS / "rules.md").read_text(encoding="utf-8")


def section(heading: str) -> str:
    """The text of docs/rules.md under a heading, up to the next of the same kind."""
    (body,) = re.findall(rf"^## {heading}\n(.*?)(?=^## |\Z)", RULES_PAGE, flags=re.MULTILINE | re.DOTALL)
    return body


def rows_of(heading: str) -> dict[str, list[str]]:
    """The rows of the table under a heading, by the name in the first column."""
    cells = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in section(heading).splitlines() if "|" in line
    ]
    return {row[0].strip("`"): row[1:] for row in cells[2:]}


@pytest.mark.parametrize("name", tables.PAGES)
def test_generated_document_is_up_to_date(name: str) -> None:
    assert (tables.DOCS / name).read_bytes() == tables.PAGES[name]().encode(), "run python -m piquet_env.tables"


def test_tables_writes_what_is_out_of_date_and_check_only_says_so(tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.setattr(tables, "DOCS", tmp_path)
    (tmp_path / "actions.md").write_bytes(tables.actions_page().encode())
    assert tables.main(["--check"]) == 1
    assert not (tmp_path / "observation.md").exists()
    assert "observation.md is out of date" in capsys.readouterr().out
    assert tables.main([]) == 0
    assert tables.main(["--check"]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["actions.md", "observation.md"]


def test_rules_page_names_every_option() -> None:
    assert set(rows_of("The options")) == {option.name for option in OPTIONS}


def test_rules_page_says_how_many_cards_elder_may_exchange() -> None:
    assert rows_of("The options")["elder_max"][1] == f"{ELDER_MAX[32]}; {ELDER_MAX[36]} with 36 cards"


@pytest.mark.parametrize(
    "option", [option for option in OPTIONS if option.name != "elder_max"], ids=lambda option: option.name
)
def test_rules_page_gives_values_and_default(option) -> None:
    values, default, *_ = rows_of("The options")[option.name]
    assert ast.literal_eval(default) == getattr(Rules(), option.name)
    if option.values is None:
        assert "number" in values
    elif option.values == RANK_LIMITS:
        assert values == '"any" or a rank'
    else:
        named = ast.literal_eval(f"[{values}]")
        assert sorted(map(repr, named)) == sorted(map(repr, option.values))
        assert repr(named[0]) == repr(ast.literal_eval(default))


def test_rules_page_gives_the_presets() -> None:
    page = {
        name: {key: ast.literal_eval(value) for key, value in re.findall(r"`(\w+)=([^`]+)`", changes)}
        for name, (changes, *_) in rows_of("The presets").items()
    }
    assert page == PRESETS
    assert list(page) == list(PRESETS)
