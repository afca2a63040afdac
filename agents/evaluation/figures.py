"""The figures of a report, as SVG text; drawn by matplotlib without a display, the same for the same figures."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.style import context

from agents.arena import MatchResult
from agents.lockstep import BIN_POINTS, NUM_BINS
from piquet_env.equity import ELDER_DEALS, YOUNGER_DEALS

from .breakdown import PHASES, ROLES, phase_breakdown
from .cross_table import MOST_NAME, CrossTable, cell_text

STYLE = {
    "svg.hashsalt": "piquet",  # the names inside the SVG would differ from run to run
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
}
COLOUR_A, COLOUR_B, COLOUR_HUMAN = "#1f5fa8", "#c8641e", "#b9b9b9"
SETTLEMENT_BIN = 25
HUMAN = {"elder": ELDER_DEALS, "younger": YOUNGER_DEALS}


def settlement_figure(match: MatchResult) -> Figure:
    """Draw how often each settlement of a partie came, and the means of pairs."""
    figure = Figure(figsize=(8.2, 2.7), layout="constrained")
    parties, pairs = figure.subplots(1, 2)
    rubicon = match.rules.form == "rubicon"
    width, unit = (SETTLEMENT_BIN, f"Rubicon points of A, bins of {SETTLEMENT_BIN}") if rubicon else (1, "games of A")
    for axes, values, title in (
        (parties, match.records["settlement"], "settlement of a partie"),
        (pairs, match.pair_means, "mean of a duplicate pair"),
    ):
        most = width * (int(np.abs(values).max()) // width + 1)
        edges = np.arange(-most, most + 1, width)
        counts, _ = np.histogram(values, edges)
        colours = np.where(edges[:-1] >= 0, COLOUR_A, COLOUR_B)
        axes.bar(edges[:-1], counts / len(values), width, align="edge", color=colours, linewidth=0)
        axes.axvline(float(values.mean()), color="black", linewidth=1, linestyle="--")
        axes.set_title(f"{title}; mean {values.mean():+.1f}, SD {values.std():.3g}", fontsize=9)
        axes.set_xlabel(unit)
        axes.set_ylabel("share")
    return figure


def points_figure(match: MatchResult) -> Figure:
    """Draw the deals of both agents by their points as elder and as younger, beside Cavendish's record."""
    figure = Figure(figsize=(8.2, 2.7), layout="constrained")
    edges = BIN_POINTS * np.arange(NUM_BINS)
    for number, (axes, role) in enumerate(zip(figure.subplots(1, 2, sharey=True), ROLES, strict=True)):
        human = np.array(HUMAN[role], dtype=np.float64)
        axes.bar(
            edges, human / human.sum(), 0.9 * BIN_POINTS, align="edge", color=COLOUR_HUMAN, label="Cavendish’s record"
        )
        for agent, (name, colour) in enumerate(((match.a, COLOUR_A), (match.b, COLOUR_B))):
            counts = match.score_bins[agent, number]
            shares = counts / max(int(counts.sum()), 1)
            style = "-" if agent == 0 else "--"
            axes.step(
                [*edges.tolist(), BIN_POINTS * NUM_BINS],
                [*shares.tolist(), float(shares[-1])],
                style,
                where="post",
                color=colour,
                label=f"{'AB'[agent]} {_short(name)}",
            )
        axes.set_title(f"{role}'s points of a deal", fontsize=9)
        axes.set_xlabel(f"points, bins of {BIN_POINTS}; the last is open")
        axes.legend(frameon=False, fontsize=8)
    figure.axes[0].set_ylabel("share of deals")
    return figure


def phases_figure(match: MatchResult) -> Figure:
    """Draw where the points of a deal come from, by role and agent."""
    figure = Figure(figsize=(8.2, 1.9), layout="constrained")
    axes: Axes = figure.subplots()
    means = phase_breakdown(match)
    bars = [(role, agent) for role in ROLES for agent in "ab"]
    left = np.zeros(len(bars))
    shades = ("#26456e", "#a23b3b", "#5f9e6e", "#d9a441")
    for phase, shade in zip(PHASES, shades, strict=True):
        widths = np.array([means[role][agent][phase] for role, agent in bars])
        axes.barh(range(len(bars)), widths, left=left, color=shade, label=phase, height=0.7)
        left += widths
    axes.set_yticks(range(len(bars)), [f"{role} {agent.upper()}" for role, agent in bars])
    axes.invert_yaxis()
    axes.set_xlabel("points a deal")
    axes.legend(frameon=False, fontsize=8, ncols=len(PHASES), loc="lower center", bbox_to_anchor=(0.5, 1.0))
    return figure


def cross_table_figure(table: CrossTable) -> Figure:
    """Draw the cross-table as a heat map: what the row's agent makes against the column's."""
    count = len(table.agents)
    figure = Figure(figsize=(max(4.0, 1.5 * count + 2), max(2.2, 0.55 * count + 1.4)), layout="constrained")
    axes: Axes = figure.subplots()
    means = np.array([[np.nan if mean is None else mean for mean in row] for row in table.means])
    most = max(1.0, float(np.nanmax(np.abs(means))) if np.isfinite(means).any() else 1.0)
    axes.imshow(means, cmap="RdBu", vmin=-most, vmax=most, aspect="auto")
    for row in range(count):
        for column in range(count):
            value = means[row, column]
            dark = np.isfinite(value) and abs(value) > 0.6 * most
            text = cell_text(table.means[row][column], table.half_widths[row][column])
            axes.text(column, row, text, ha="center", va="center", fontsize=8, color="white" if dark else "black")
    names = [f"{number} {_short(name)}" for number, name in enumerate(table.agents, 1)]
    axes.set_xticks(range(count), names, rotation=20 if count > 3 else 0, ha="right" if count > 3 else "center")
    axes.set_yticks(range(count), names)
    for side in ("left", "bottom"):
        axes.spines[side].set_visible(False)
    axes.tick_params(length=0)
    return figure


def svg_of(draw: Callable[..., Figure], *arguments: object) -> str:
    """Return the SVG element of the figure that `draw(*arguments)` makes, for use inside a page."""
    with context(STYLE):
        figure = draw(*arguments)
        content = io.StringIO()
        figure.savefig(content, format="svg", metadata={"Date": None, "Creator": None})
    text = content.getvalue()
    return text[text.index("<svg") :]


def figures_of(match: MatchResult) -> Sequence[str]:
    """Return the figures of a match as SVG."""
    return [svg_of(draw, match) for draw in (settlement_figure, points_figure, phases_figure)]


def _short(name: str) -> str:
    """Return a name, or the end of one that is too long; matplotlib must not take it for mathematics."""
    return (name if len(name) <= MOST_NAME else "…" + name[1 - MOST_NAME :]).replace("$", r"\$")
