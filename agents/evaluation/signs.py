"""The signs of an agent's game, beside those of men: what it makes as elder and younger when it plays itself."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from agents.arena import MatchResult
from piquet_env.rules.state import CLASS_NAMES, ELDER, YOUNGER, ScoreClass

# Cavendish's record of ten thousand deals, and of parties, where he gives it.
HUMAN = {
    "elder makes 28 or more": 0.51,
    "younger makes 14 or more": 0.50,
    "elder wins the cards": 0.625,
    "the cards are divided": 0.12,
    "younger wins the cards": 0.25,
    "elder has a repique": 0.035,
    "a partie ends in a rubicon": 0.22,
}


def signs_of(match: MatchResult) -> dict[str, float]:
    """Return the signs of an agent's match against itself: shares, and numbers of cards.

    Shares are of all deals, that of the rubicon of all parties. Sinking is counted by deals in which a seat held
    something better than it said: elder than the call, younger than a call to which nothing was opposed.
    """
    records = _parties(match)
    deals = max(int(records["deals"].sum()), 1)

    def by_role(name: str) -> np.ndarray:
        return np.asarray(records[name].sum(axis=(0, 1)) / deals)  # over parties and agents

    even, left, sunk = by_role("even_deals"), by_role("cards_left"), by_role("sunk_deals")
    won = records["cards_by_role"].sum(axis=(0, 1)) / deals
    return {
        "elder makes 28 or more": float(even[ELDER]),
        "younger makes 14 or more": float(even[YOUNGER]),
        "elder wins the cards": float(won[ELDER]),
        "the cards are divided": float(1 - won.sum()),
        "younger wins the cards": float(won[YOUNGER]),
        "elder has a repique": float(records["elder_repiques"].sum() / deals),
        "a partie ends in a rubicon": float(records["rubicon"].any(axis=1).mean()),
        "elder sinks": float(sunk[ELDER]),
        "younger sinks": float(sunk[YOUNGER]),
        "cards elder leaves": float(left[ELDER]),
        "cards younger leaves": float(left[YOUNGER]),
    }


def points_by_class(match: MatchResult) -> dict[str, tuple[float, float]]:
    """Return elder's and younger's points a deal in an agent's match against itself, by class of the score log."""
    records = _parties(match)
    points = records["class_points"].sum(axis=(0, 1), dtype=np.int64) / max(int(records["deals"].sum()), 1)
    return {CLASS_NAMES[kind]: (float(points[ELDER, kind]), float(points[YOUNGER, kind])) for kind in ScoreClass}


def _parties(match: MatchResult) -> np.ndarray:
    """Return the parties of a match against itself once: both halves of a pair are the same partie."""
    return match.records[match.records["half"] == 0]


def signs_table(agents: Sequence[str], matches: Sequence[MatchResult]) -> tuple[list[str], list[list[str]]]:
    """Return head and rows of a table: a sign a row, an agent a column, the human record last."""
    found = [signs_of(match) for match in matches]
    names = list(found[0]) if found else list(HUMAN)
    rows = [
        [name, *(_text(name, signs[name]) for signs in found), _text(name, HUMAN[name]) if name in HUMAN else "–"]
        for name in names
    ]
    return ["", *(f"`{agent}`" for agent in agents), "men"], rows


def _text(name: str, value: float) -> str:
    return f"{value:.2f}" if name.startswith("cards ") else f"{100 * value:.1f} %"


def points_table(agents: Sequence[str], matches: Sequence[MatchResult]) -> tuple[list[str], list[list[str]]]:
    """Return head and rows of a table: a class a row, an agent a column, elder's and younger's points a deal."""
    found = [points_by_class(match) for match in matches]
    names = [name for name in CLASS_NAMES if any(any(points[name]) for points in found)]
    rows = [[name, *(_points(points[name]) for points in found)] for name in names]
    sums = [tuple(sum(points[name][role] for name in names) for role in (ELDER, YOUNGER)) for points in found]
    return ["", *(f"`{agent}`" for agent in agents)], [*rows, ["all", *map(_points, sums)]]


def _points(points: Sequence[float]) -> str:
    return f"{points[ELDER]:.2f} / {points[YOUNGER]:.2f}"
