"""The leaderboard row of an agent: what it makes in a set against each frozen opponent, as markdown and as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from agents.arena import MatchResult
from agents.registry import split_spec
from agents.report import match_dict
from agents.statistics import MeanInterval

from .identity import identity, sources_hash, version
from .suite_blocks import EQUITY, SuiteBlock
from .suite_sets import SEED, Suite, SuiteSet, points_of


def row_dict(
    agent: str,
    found: SuiteSet,
    block: SuiteBlock,
    suite: Suite,
    matches: Sequence[MatchResult],
    *,
    complete: bool = True,
) -> dict[str, Any]:
    """Return a row as JSON holds it; `complete` says whether every opponent was met."""
    return {
        "agent": identity(agent),
        "parameters": count_parameters(agent),
        "ms_per_decision": ms_per_decision(found, matches),
        "suite": suite.number,
        "set": found.name,
        "block": block.name,
        "block_sha256": block.sha256,
        "rules": str(suite.rules),
        "rules_hash": suite.rules.hash,
        "reference": None if found.part is None else identity(suite.reference),
        "equity": EQUITY if found.is_of_deals else None,
        "seed": SEED,
        "version": version(),
        "sources_hash": sources_hash(),
        "complete": complete,
        "opponents": [opponent_dict(found, match) for match in matches],
    }


def opponent_dict(found: SuiteSet, match: MatchResult) -> dict[str, Any]:
    """Return a match as JSON holds it; single deals have `equity` and `points` in place of the settlement."""
    figures = {"identity": identity(match.b), **match_dict(match)}
    if found.is_of_deals:
        figures["equity"] = figures.pop("settlement")
        mean, *bounds = points_of(match)
        rounded = [None if bound is None else round(bound, 6) for bound in bounds]
        figures["points"] = {"mean": round(mean, 6), "ci95": rounded}
    return figures


def format_row(agent: str, found: SuiteSet, matches: Sequence[MatchResult]) -> str:
    """Return a row as a markdown table with its heading."""
    time, parameters = ms_per_decision(found, matches), count_parameters(agent)
    head = [
        "agent",
        "parameters",
        "ms a decision",
        *(f"v `{match.b}` ({match.parties})" for match in matches),
        "failed",
    ]
    cells = [
        f"`{agent}`",
        "–" if parameters is None else f"{parameters:,}",
        "–" if time is None else f"{time:.3g}",
        *(format_figures(found, match) for match in matches),
        str(sum(match.illegal_or_crashed[0] for match in matches)),
    ]
    return "\n".join([markdown_line(head), markdown_line(["---"] * len(head)), markdown_line(cells)])


def format_figures(found: SuiteSet, match: MatchResult) -> str:
    """Return what A makes against B: the settlement and rubicons of both, or equity and points."""
    if found.is_of_deals:
        return f"{format_interval(match.settlement)} equity, {format_interval(points_of(match))} points"
    lost, won = match.share_of_parties("rubicon")
    assert lost is not None, "a match has parties"
    assert won is not None, "likewise"
    return f"{format_interval(match.settlement)}, rubicon {100 * lost:.1f} / {100 * won:.1f} %"


def format_interval(figure: MeanInterval) -> str:
    """Return a mean and half the width of its interval."""
    mean, low, _ = figure
    return f"{mean + 0.0:+.1f} ± {'?' if low is None else f'{mean - low:.1f}'}"


def markdown_line(cells: Sequence[str]) -> str:
    """Return a line of a markdown table."""
    return f"| {' | '.join(cells)} |"


def ms_per_decision(found: SuiteSet, matches: Sequence[MatchResult]) -> float | None:
    """Return the mean time of A's decisions in milliseconds, as measured on one core.

    None where a reference decides a part, and where nothing was measured.
    """
    decisions = sum(int(match.records["decisions"][:, 0].sum()) for match in matches)
    if found.part is not None or not decisions:
        return None
    return float(f"{1000 * sum(match.seconds[0] for match in matches) / decisions:.3g}")


def count_parameters(spec: str) -> int | None:
    """Return how many numbers a policy's file holds; None for other agents."""
    _, arguments = split_spec(spec)
    path = Path(str(arguments.get("path", "")))
    if path.suffix != ".safetensors" or not path.is_file():
        return None
    with path.open("rb") as file:  # eight bytes with the length of a header in JSON, and the header
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
    return sum(math.prod(tensor["shape"]) for name, tensor in header.items() if name != "__metadata__")
