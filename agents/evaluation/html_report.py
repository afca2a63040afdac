"""A report of an evaluation as one self-contained page: tables, figures, and how they were made."""

from __future__ import annotations

import json
import platform
from collections.abc import Sequence
from html import escape
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from agents.arena import MatchResult

from .breakdown import ROLES, breakdown_rows
from .cross_table import cross_table
from .figures import cross_table_figure, figures_of, svg_of

PACKAGES = ("piquet-env", "numpy", "numba", "torch")

_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; color: #222; max-width: 68rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; border-bottom: 1px solid #ccc; }
table { border-collapse: collapse; font-size: 0.82rem; font-variant-numeric: tabular-nums; margin: 0.8rem 0; }
th, td { padding: 0.2rem 0.5rem; text-align: right; white-space: nowrap; border-bottom: 1px solid #eee; }
th:first-child, td:first-child { text-align: left; }
.matches :is(th, td):nth-child(2) { text-align: left; }
tr.sum td { font-weight: 600; } tr.part td:first-child { padding-left: 1.6rem; }
.wide { overflow-x: auto; } svg { max-width: 100%; height: auto; }
code, pre { font-size: 0.85rem; background: #f5f5f5; } pre { padding: 0.6rem; overflow-x: auto; }
.note { color: #666; font-size: 0.85rem; }
"""


def html_report(document: dict[str, Any], matches: Sequence[MatchResult]) -> str:
    """Return the page.

    document: what evaluate.py writes as JSON; it stands in the page as data, too
    matches:  those of the document, in its order
    """
    names = [identity["spec"] for identity in document["agents"]]
    parts = [_summary(document)]
    if len(names) > 2:
        parts += ["<h2>Cross-table</h2>", svg_of(cross_table_figure, cross_table(names, matches))]
        parts.append('<p class="note">Settlement a partie of the row’s agent against the column’s.</p>')
    for figures, match in zip(document["matches"], matches, strict=True):
        parts += _match_section(figures, match)
    parts.append(_provenance(document))
    data = json.dumps(document, indent=1).replace("</", r"<\/")
    parts.append(f'<script type="application/json" id="results">\n{data}\n</script>')
    title = escape(" · ".join(dict.fromkeys(names)))
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n" + "\n".join(parts) + "\n</body>\n</html>\n"
    )


def _summary(document: dict[str, Any]) -> str:
    """Return the table of all matches."""
    heads = ("A", "B", "parties", "settlement of A", "95 % interval", "won", "drawn", "lost", "rubicon A / B", "failed")
    rows = []
    for match in document["matches"]:
        low, high = match["settlement"]["ci95"]
        rows.append(
            (
                match["a"],
                match["b"],
                str(match["parties"]),
                f"{match['settlement']['mean']:+.1f}",
                "–" if low is None else f"{low:+.1f} … {high:+.1f}",
                *(f"{100 * match[key]:.1f} %" for key in ("wins_a", "draws", "wins_b")),
                " / ".join(f"{100 * match['rubicon_against'][agent]:.1f} %" for agent in "ab"),
                " / ".join(str(match["illegal_or_crashed"][agent]) for agent in "ab"),
            )
        )
    ended = "" if document.get("complete", True) else "<p><strong>The run was ended before all was played.</strong></p>"
    note = (
        f'<p class="note">Rules <code>{escape(document["rules"])}</code>, duplicate parties: the same decks twice with '
        "the seats exchanged; intervals are taken over the means of pairs.</p>"
    )
    return ended + f'<div class="matches">{_table(heads, rows)}</div>' + note


def _match_section(figures: dict[str, Any], match: MatchResult) -> list[str]:
    """Return what is told of one match."""
    parts = [f"<h2>{escape(match.a)} (A) v {escape(match.b)} (B)</h2>"]
    if "sprt" in figures:
        parts.append(f"<p>{_test_sentence(figures['sprt'])}</p>")
    parts += figures_of(match)
    heads = ("points a deal", *(f"{role} {agent}" for role in ROLES for agent in "AB"))
    rows = [(name, *(f"{mean:.2f}" for mean in means)) for name, _, means in breakdown_rows(match)]
    classes = ["sum" if is_sum else "part" for _, is_sum, _ in breakdown_rows(match)]
    parts.append(_table(heads, rows, classes))
    return parts


def _test_sentence(test: dict[str, Any]) -> str:
    """Return what the sequential test of a match says."""
    lower, upper = test["bounds"]
    ratio = "undefined" if test["llr"] is None else f"{test['llr']:.2f}"
    verdict = "has not decided" if test["decision"] is None else f"accepts {test[test['decision']]:g}"
    return (
        f"The sequential test of a mean of {test['low']:g} against {test['high']:g} {verdict} after {test['pairs']} "
        f"pairs: log-likelihood ratio {ratio}, bounds {lower:.2f} and {upper:.2f}. The mean of a match that was "
        "stopped by it is biased."
    )


def _provenance(document: dict[str, Any]) -> str:
    """Return how the page was made."""
    versions = [("Python", platform.python_version()), *((name, _version(name)) for name in PACKAGES)]
    facts = [(key, str(document[key])) for key in ("rules_hash", "seed", "decks_hash", "sources_hash", "key")]
    agents = [
        (f"agent {number}", ", ".join(f"{name} {digest}" if name != "spec" else digest for name, digest in one.items()))
        for number, one in enumerate(document["agents"], 1)
    ]
    rows = [*facts, *agents, *versions]
    return f"<h2>How it was made</h2>\n<pre>{escape(document['command'])}</pre>\n" + _table(("", ""), rows)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], classes: Sequence[str] = ()) -> str:
    """Return a table; `classes` are those of the rows."""
    head = "".join(f"<th>{escape(cell)}</th>" for cell in heads)
    lines = []
    for number, row in enumerate(rows):
        mark = f' class="{classes[number]}"' if classes else ""
        lines.append(f"<tr{mark}>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>")
    return f'<div class="wide"><table><tr>{head}</tr>\n' + "\n".join(lines) + "\n</table></div>"
