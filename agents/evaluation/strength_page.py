"""The cross-tables of the benchmark suite, as JSON and as the generated part of docs/strength.md."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from agents.arena import MatchResult
from agents.statistics import MeanInterval

from .cross_table import CrossTable, cell_text, cross_table, cross_table_dict, settlement_of
from .identity import sources_hash, version
from .signs import points_by_class, points_table, signs_of, signs_table
from .suite_blocks import EQUITY, load_block
from .suite_row import markdown_line, opponent_dict
from .suite_sets import SETS, Suite, SuiteSet, pairs_of, points_of

BEGIN = "<!-- written by python -m agents.strength -->"
END = "<!-- end -->"

Figure = Callable[[MatchResult], MeanInterval]


def figures_of(found: SuiteSet) -> dict[str, Figure]:
    """Return what the matches of a set are measured by, by name."""
    if found.is_of_deals:
        return {"equity": settlement_of, "points": points_of}
    return {"settlement": settlement_of}


def set_dict(found: SuiteSet, agents: Sequence[str], matches: Sequence[MatchResult]) -> dict[str, Any]:
    """Return the matches of a set and its cross-tables as JSON holds them."""
    return {
        "equity_version": EQUITY if found.is_of_deals else None,
        "cross_tables": {
            name: cross_table_dict(cross_table(agents, matches, figure)) for name, figure in figures_of(found).items()
        },
        "matches": [opponent_dict(found, match) for match in matches],
    }


def replace_tables(page: str, tables: str) -> str:
    """Return a page with other tables between its markers; ValueError for a page without them."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the page has no place for the tables: it must hold {BEGIN} and {END}")
    return f"{before}{BEGIN}\n\n{tables}\n\n{END}{after}"


class Beside(NamedTuple):
    """What is played beside the sets.

    others: agents that are not of the suite, by spec, with their matches of parties against each of its opponents
    alone:  agents by spec, with their match against themselves
    """

    others: dict[str, list[MatchResult]]
    alone: dict[str, MatchResult]


def tables_page(suite: Suite, block: str, sets: dict[str, list[MatchResult]], beside: Beside) -> str:
    """Return the tables of all sets and of what is played beside them as markdown, with what they were made from."""
    agents = [opponent.spec for opponent in suite.opponents]
    made = (
        f"Suite {suite.number}, block `{block}` (SHA-256 `{load_block(block).sha256[:16]}`), rules `{suite.rules}`, "
        f"version {version()}, sources `{sources_hash()}`, reference `{suite.reference}`."
    )
    parts = [made]
    for name, matches in sets.items():
        found = SETS[name]
        unit = "Deals" if found.is_of_deals else "Parties"
        for figure, measure in figures_of(found).items():
            parts += [f"### `{name}`: {figure}", format_table(cross_table(agents, matches, measure))]
        parts.append(f"{unit} played: {counts_text(suite, matches)}.")
        if not found.is_of_deals:
            parts += [
                "Lost below the Rubicon line, by the row's agent against the column's:",
                rubicons(agents, suite, matches),
            ]
    parts += beside_parts(agents, beside)
    parts += ["### Milliseconds a decision", times([*agents, *beside.others], sets, beside)]
    return "\n\n".join(parts)


def beside_parts(agents: Sequence[str], beside: Beside) -> list[str]:
    """Return the sections on other agents, and on the signs of each agent's game."""
    parts = []
    if beside.others:
        head = ["", *(f"`{name}`" for name in agents), "parties"]
        rows = [
            [f"`{name}`", *map(settlement_text, matches), " / ".join(map(str, sorted({m.parties for m in matches})))]
            for name, matches in beside.others.items()
        ]
        parts += ["### `partie`, others: settlement", _markdown(head, rows)]
    if beside.alone:
        given = list(beside.alone), list(beside.alone.values())
        counts = ", ".join(f"{match.parties // 2} of `{name}`" for name, match in beside.alone.items())
        parts += [
            "### Self-play: signs",
            _markdown(*signs_table(*given)),
            "### Self-play: points a deal, elder / younger",
            _markdown(*points_table(*given)),
            f"Parties of self-play: {counts}.",
        ]
    return parts


def settlement_text(match: MatchResult) -> str:
    """Return what A makes against B, as the cross-tables have it."""
    mean, low, _ = match.settlement
    return cell_text(mean, None if low is None else mean - low)


def beside_dict(beside: Beside) -> dict[str, Any]:
    """Return what is played beside the sets as JSON holds it."""
    partie = SETS["partie"]
    return {
        "others": {name: [opponent_dict(partie, match) for match in found] for name, found in beside.others.items()},
        "self_play": {
            name: {"parties": match.parties // 2, "signs": signs_of(match), "points": points_by_class(match)}
            for name, match in beside.alone.items()
        },
    }


def format_table(table: CrossTable) -> str:
    """Return a cross-table as markdown: a row holds what its agent makes against those of the columns."""
    rows = [
        [f"`{name}`", *(cell_text(mean, width) for mean, width in zip(row, widths, strict=True))]
        for name, row, widths in zip(table.agents, table.means, table.half_widths, strict=True)
    ]
    return _markdown(["", *(f"`{name}`" for name in table.agents)], rows)


def rubicons(agents: Sequence[str], suite: Suite, matches: Sequence[MatchResult]) -> str:
    """Return the shares of parties that were lost below the line, as markdown."""
    shares: dict[tuple[str, str], float | None] = {}
    for (first, second), match in zip(pairs_of(suite), matches, strict=True):
        shares[first.spec, second.spec], shares[second.spec, first.spec] = match.share_of_parties("rubicon")
    found = {pair: "–" if share is None else f"{100 * share:.1f} %" for pair, share in shares.items()}
    rows = [[f"`{row}`", *(found.get((row, column), "–") for column in agents)] for row in agents]
    return _markdown(["", *(f"`{name}`" for name in agents)], rows)


def counts_text(suite: Suite, matches: Sequence[MatchResult]) -> str:
    """Return how many parties were played by whom: the usual number, and those that differ."""
    counts = {match.parties for match in matches}
    usual = max(counts)
    few: dict[int, list[str]] = {}
    for (first, second), match in zip(pairs_of(suite), matches, strict=True):
        if match.parties != usual:
            few.setdefault(match.parties, []).append(f"`{first.spec}` v `{second.spec}`")
    told = [f"{count} in {', '.join(pairs)}" for count, pairs in sorted(few.items())]
    return "; ".join([f"{usual} a match", *told])


def times(agents: Sequence[str], sets: dict[str, list[MatchResult]], beside: Beside) -> str:
    """Return the mean time of a decision on one core, over the matches in which agents decide everything."""
    played = [match for name, matches in sets.items() if SETS[name].part is None for match in matches]
    played += [match for matches in beside.others.values() for match in matches]
    rows = []
    for name in agents:
        seconds, decisions = 0.0, 0
        for match in played:
            for place, agent in enumerate((match.a, match.b)):
                if agent == name:
                    seconds += match.seconds[place]
                    decisions += int(match.records["decisions"][:, place].sum())
        rows.append([f"`{name}`", f"{1000 * seconds / decisions:.3g}" if decisions else "–"])
    return _markdown(["agent", "ms"], rows)


def _markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(map(markdown_line, [head, ["---"] * len(head), *rows]))
