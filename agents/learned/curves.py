"""The curves of a run as a PNG, from its CSV files."""

from __future__ import annotations

import io
import math
from pathlib import Path

from agents.files import write_atomically

from .parties import PHASES
from .run_log import DECISIONS, read_rows

_FIGURES = (
    ("entropy", "entropy, share of the most possible"),
    ("explained_variance", "explained variance of the critic"),
    ("approx_kl", "divergence an update"),
)
_MOST_POINTS = 400


def draw_curves(folder: Path) -> Path | None:
    """Draw `curves.png` from a run's CSV files; return its path, or None without matplotlib or without figures."""
    progress, strength = read_rows(folder / "progress.csv"), read_rows(folder / "strength.csv")
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        return None
    if not progress:
        return None
    figure = Figure(figsize=(11, 7), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(2, 2).ravel()
    for bot in dict.fromkeys(row["against"] for row in strength):
        rows = [row for row in strength if row["against"] == bot]
        at = [int(row[DECISIONS]) / 1e6 for row in rows]
        means = [float(row["settlement"]) for row in rows]
        axes[0].errorbar(at, means, [float(row["half_width"] or 0) for row in rows], marker=".", label=bot)
    axes[0].axhline(0, color="grey", linewidth=0.5)
    axes[0].set_title("settlement a partie, with 95 % intervals")
    thinned = progress[:: math.ceil(len(progress) / _MOST_POINTS)]
    for axis, (name, title) in zip(axes[1:], _FIGURES, strict=True):
        for phase in PHASES:
            points = [(row[DECISIONS], row.get(f"{phase}/{name}", "")) for row in thinned]
            drawn = [(int(at) / 1e6, float(value)) for at, value in points if value not in {"", "nan"}]
            axis.plot(*zip(*drawn, strict=True) if drawn else ([], []), label=phase)
        axis.set_title(title)
    for axis in axes:
        axis.set_xlabel("million decisions")
        if axis.get_legend_handles_labels()[0]:
            axis.legend()
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=110)
    path = folder / "curves.png"
    write_atomically(path, picture.getvalue())
    return path
