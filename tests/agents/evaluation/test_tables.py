"""Cross-tables, breakdowns, progress and the report say what the matches say."""

from __future__ import annotations

import io
import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest

import evaluate
from agents.arena import MatchResult, play_match
from agents.evaluation.breakdown import PHASES, class_breakdown, format_breakdown, phase_breakdown
from agents.evaluation.cross_table import cross_table, cross_table_dict, format_cross_table
from agents.evaluation.progress import Progress
from piquet_env.rules.state import ScoreClass

AGENTS = ["greedy", "random", "greedy:elder_max=4"]


@pytest.fixture(scope="module")
def matches() -> list[MatchResult]:
    pairs = ((0, 1), (0, 2), (1, 2))
    return [play_match(AGENTS[i], AGENTS[j], parties=60, seed=2) for i, j in pairs]


def test_a_cross_table_shows_every_match_from_both_sides(matches: list[MatchResult]) -> None:
    table = cross_table(AGENTS, matches)
    for place, (i, j) in enumerate(((0, 1), (0, 2), (1, 2))):
        mean, low, _ = matches[place].settlement
        assert table.means[i][j] == mean == -table.means[j][i]
        assert table.half_widths[i][j] == table.half_widths[j][i] == mean - low
    assert [table.means[i][i] for i in range(3)] == [None] * 3
    assert table.averages[0] == pytest.approx((table.means[0][1] + table.means[0][2]) / 2)
    text = format_cross_table(table)
    assert text.count("±") == 6
    assert f"{table.means[1][0]:+.1f} ± {table.half_widths[0][1]:.1f}" in text
    assert json.loads(json.dumps(cross_table_dict(table)))["means"][2][1] == pytest.approx(table.means[2][1], abs=1e-6)


def test_a_cross_table_may_be_unfinished(matches: list[MatchResult]) -> None:
    table = cross_table(AGENTS, matches[:1])
    assert table.means[1][2] is None
    assert table.averages[2] is None
    assert "–" in format_cross_table(table)


def test_phases_are_all_classes_once() -> None:
    assert sorted(kind for kinds in PHASES.values() for kind in kinds) == sorted(ScoreClass)


def test_a_breakdown_adds_up_to_the_points(matches: list[MatchResult]) -> None:
    for match in matches:
        phases, classes = phase_breakdown(match), class_breakdown(match)
        for role, points in (("elder", match.elder_points), ("younger", match.younger_points)):
            for agent, total in zip("ab", points, strict=True):
                assert sum(phases[role][agent].values()) == pytest.approx(total, abs=1e-4)
                assert sum(classes[role][agent].values()) == pytest.approx(total, abs=1e-4)
        assert f"{phases['elder']['a']['declarations']:.2f}" in format_breakdown(match)


def test_deals_are_counted_by_score(matches: list[MatchResult]) -> None:
    for match in matches:
        bins = match.score_bins
        assert bins.sum() == 2 * match.deals
        least = (bins * 10 * np.arange(16)).sum(axis=2)
        for agent in range(2):
            deals = bins[agent].sum(axis=1)
            means = np.array([match.elder_points[agent], match.younger_points[agent]])
            assert (least[agent] / deals <= means).all()
            assert (means < least[agent] / deals + 10).all()


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_told_on_a_terminal_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for stream in (Terminal(), io.StringIO()):
        for bar in (True, False):
            if not bar:
                monkeypatch.setattr("agents.evaluation.progress._rich_bar", lambda stream: None)
            with Progress(100, stream) as progress:
                progress.begin("a v b")
                for played in (10, 20, 100):
                    progress._shown = 0
                    progress.show(played)
            if stream.isatty():
                assert "a v b: 100/100 parties, 0 s left" in progress.line
                assert stream.getvalue()
            else:
                assert stream.getvalue() == ""
            monkeypatch.undo()


class Page(HTMLParser):
    """Reads a page: that its elements close, and what they refer to."""

    VOID = ("meta", "br", "path", "use", "rect", "stop", "image")

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.references: list[str] = []
        self.text = ""
        self.figures = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in self.VOID:
            self.open.append(tag)
        self.figures += tag == "svg"
        self.references += [value or "" for name, value in attrs if name in ("src", "href", "xlink:href")]

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.slow
def test_the_report_is_one_page(tmp_path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    page, output = tmp_path / "x.html", tmp_path / "x.json"
    arguments = ["greedy", "random", "greedy:elder_max=4", "--parties", "140", "--sprt", "0,40"]
    assert evaluate.main([*arguments, "--html", str(page), "--output", str(output)]) == 0
    text = page.read_text()
    read = Page()
    read.feed(text)
    assert read.open == []
    assert read.figures == 1 + 3 * 3
    assert read.references
    assert all(reference.startswith(("#", "data:image/png;base64,")) for reference in read.references)
    assert "@import" not in text
    assert "url(http" not in text
    document = json.loads(output.read_text())
    data = re.search(r'<script type="application/json" id="results">\n(.*)\n</script>', text, flags=re.DOTALL)
    assert data is not None
    assert json.loads(data.group(1)) == document
    for match in document["matches"]:
        assert f"{match['settlement']['mean']:+.1f}" in read.text
    assert document["key"] in read.text
    assert "The sequential test" in read.text
    first = page.read_text()
    assert evaluate.main([*arguments, "--html", str(page), "--output", str(output)]) == 0  # the same key
    capsys.readouterr()
    seconds = re.compile(r'"seconds_per_decision": \{[^}]*\}')
    assert seconds.sub("", page.read_text()) == seconds.sub("", first)
    with pytest.raises(SystemExit):
        evaluate.main([*arguments, "--seed", "2", "--html", str(page)])
    assert "not overwritten" in capsys.readouterr().err
