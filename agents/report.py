"""Matches as a table to read and as a dictionary to write as JSON."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from piquet_env.rules.variants import Rules

from .arena import MatchResult, decks_hash
from .evaluation.breakdown import class_breakdown, phase_breakdown
from .evaluation.identity import version
from .evaluation.sprt import Sprt

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
_TEST_NOTE = (
    "\ntest: the mean that the sequential test has accepted, and its log-likelihood ratio between the two bounds;\n"
    "the mean of a match that stopped by it is biased"
)


def format_table(matches: Sequence[MatchResult]) -> str:
    """Return the matches as one table with a line each, and a note on its columns."""
    tested = any(match.sprt is not None for match in matches)
    headings = (*_HEADINGS, "test") if tested else _HEADINGS
    lines = [headings, *((*_line_of(match), *([_test_cell(match)] if tested else [])) for match in matches)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(headings))]
    table = ["  ".join(_align(line, widths)).rstrip() for line in lines]
    note = _NOTE + (_TEST_NOTE if tested else "")
    return "\n".join([table[0], "-" * max(map(len, table)), *table[1:], "", note])


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
        "version": version(),
        "decks_hash": decks_hash(rules, seed, parties),
        "matches": [match_dict(match) for match in matches],
    }
    return result if complete else {**result, "complete": False}


def match_dict(match: MatchResult) -> dict[str, Any]:
    """Return the figures of a match; where nothing was counted, a number is None."""
    settlement, outcomes = match.settlement, match.outcomes
    result = {
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
        "phases": phase_breakdown(match),
        "classes": class_breakdown(match),
    }
    return result if match.sprt is None else {**result, "sprt": _sprt_dict(match, match.sprt)}


def _sprt_dict(match: MatchResult, sprt: Sprt) -> dict[str, Any]:
    """Return a sequential test and where it stands; `decision` is "high", "low" or None at the cap."""
    ratio = sprt.ratio(match.pair_means)
    return {
        "low": sprt.low,
        "high": sprt.high,
        "alpha": sprt.alpha,
        "beta": sprt.beta,
        "pairs": len(match.pair_means),
        "llr": _rounded(ratio),
        "bounds": [_rounded(bound) for bound in sprt.bounds],
        "decision": sprt.verdict(ratio),
    }


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


def _test_cell(match: MatchResult) -> str:
    """Return what the sequential test of a match says."""
    if match.sprt is None:
        return "–"
    ratio = match.sprt.ratio(match.pair_means)
    lower, upper = match.sprt.bounds
    accepted = {"low": f"{match.sprt.low:g}", "high": f"{match.sprt.high:g}", None: "undecided"}
    told = "–" if ratio is None else f"{ratio:.2f}"
    return f"{accepted[match.sprt.verdict(ratio)]} ({lower:.2f} {told} {upper:.2f})"


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
