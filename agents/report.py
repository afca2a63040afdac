"""Matches as a table to read and as a dictionary to write as JSON."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable, Sequence
from typing import Any

from piquet_env.rules.variants import Rules

from .arena import MatchResult, decks_hash

MOST_NAME = 32  # characters of an agent's name in the table

_Both = tuple[float | None, float | None]

_HEADINGS = (
    "A",
    "B",
    "parties",
    "settlement of A",
    "won",
    "drawn",
    "lost",
    "rubicon",
    "deal",
    "elder",
    "younger",
    "failed",
)
_NOTE = (
    "settlement: a partie, mean and 95 % interval over duplicate pairs; rubicon: parties lost below the line, A / B\n"
    "deal, elder, younger: points a deal, A / B; failed: parties lost by a crash or an illegal action, A / B"
)


def format_table(matches: Sequence[MatchResult]) -> str:
    """Return the matches as one table with a line each, and a note on its columns."""
    lines = [_HEADINGS, *(_line_of(match) for match in matches)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(_HEADINGS))]
    table = ["  ".join(_align(line, widths)).rstrip() for line in lines]
    return "\n".join([table[0], "-" * max(map(len, table)), *table[1:], "", _NOTE])


def results(
    matches: Sequence[MatchResult], rules: Rules, seed: int, parties: int, *, complete: bool = True
) -> dict[str, Any]:
    """Return the matches as the dictionary that evaluate.py writes.

    parties: as planned for each match, which fixes the decks
    complete: whether all of them were played; a partial result has the key `complete` with False
    """
    result = {
        "rules": str(rules),
        "rules_hash": rules.hash,
        "seed": seed,
        "version": _version(),
        "decks_hash": decks_hash(rules, seed, parties),
        "matches": [match_dict(match) for match in matches],
    }
    return result if complete else {**result, "complete": False}


def match_dict(match: MatchResult) -> dict[str, Any]:
    """Return the figures of a match; where nothing was counted, a number is None."""
    settlement, outcomes = match.settlement, match.outcomes
    return {
        "a": match.a,
        "b": match.b,
        "parties": match.parties,
        "settlement": {
            "mean": _rounded(settlement.mean),
            "ci95": [_rounded(settlement.low), _rounded(settlement.high)],
        },
        "wins_a": _rounded(outcomes.wins_a),
        "draws": _rounded(outcomes.draws),
        "wins_b": _rounded(outcomes.wins_b),
        "deal_points": _by_agent(match.deal_points),
        "rubicon_against": _by_agent(match.share_of_parties("rubicon")),
        "elder_points": _by_agent(match.elder_points),
        "younger_points": _by_agent(match.younger_points),
        "repiques": _by_agent(match.share_of_deals("repiques")),
        "piques": _by_agent(match.share_of_deals("piques")),
        "capots": _by_agent(match.share_of_deals("capots")),
        "cards_won": _by_agent(match.share_of_deals("cards_won")),
        "seconds_per_decision": _by_agent(match.seconds_per_decision, _three_digits),
        "illegal_or_crashed": {"a": match.illegal_or_crashed[0], "b": match.illegal_or_crashed[1]},
    }


def _version() -> str:
    """Return the version of the installed package."""
    try:
        return importlib.metadata.version("piquet-env")
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 6)


def _three_digits(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.3g}")


def _by_agent(both: _Both, write: Callable[[float | None], float | None] = _rounded) -> dict[str, float | None]:
    return {"a": write(both[0]), "b": write(both[1])}


def _line_of(match: MatchResult) -> tuple[str, ...]:
    """Return the cells of a match."""
    mean, low, _ = match.settlement
    half_width = "?" if low is None else f"{mean - low:.1f}"
    return (
        _short(match.a),
        _short(match.b),
        str(match.parties),
        f"{mean:+.1f} ± {half_width}",
        *(f"{100 * share:.1f} %" for share in match.outcomes),
        _cells(match.share_of_parties("rubicon"), lambda share: f"{100 * share:.1f} %"),
        _cells(match.deal_points, "{:.1f}".format),
        _cells(match.elder_points, "{:.1f}".format),
        _cells(match.younger_points, "{:.1f}".format),
        _cells(match.illegal_or_crashed, str),
    )


def _short(name: str) -> str:
    """Return a name, or the end of one that would make the table too wide."""
    return name if len(name) <= MOST_NAME else "…" + name[1 - MOST_NAME :]


def _cells(both: tuple[Any, Any], write: Callable[[Any], str]) -> str:
    return " / ".join("–" if value is None else write(value) for value in both)


def _align(line: tuple[str, ...], widths: list[int]) -> list[str]:
    """Return the cells of a line, names to the left and figures to the right."""
    return [
        cell.ljust(width) if column < 2 else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(line, widths, strict=True))
    ]
