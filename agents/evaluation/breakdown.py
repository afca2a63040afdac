"""Where the points of a deal come from: by role, by phase, and by class of the score log."""

from __future__ import annotations

from agents.arena import MatchResult
from piquet_env.rules.state import CLASS_NAMES, ScoreClass

ROLES = ("elder", "younger")
PHASES: dict[str, tuple[ScoreClass, ...]] = {
    "declarations": (
        ScoreClass.CARTE_BLANCHE,
        ScoreClass.POINT,
        ScoreClass.SEQUENCE,
        ScoreClass.SET,
        ScoreClass.CARTE_ROUGE,
    ),
    "bonuses": (ScoreClass.REPIQUE, ScoreClass.PIQUE),
    "play": (ScoreClass.LEAD, ScoreClass.CAPTURE, ScoreClass.LAST_TRICK),
    "cards": (ScoreClass.CARDS, ScoreClass.CAPOT),
}

Breakdown = dict[str, dict[str, dict[str, float]]]


def class_breakdown(match: MatchResult) -> Breakdown:
    """Return mean points a deal by role, agent ("a", "b") and class of the score log."""
    means = match.class_points
    return {
        role: {
            agent: {_key(kind): round(float(means[place, number, kind]), 6) for kind in ScoreClass}
            for place, agent in enumerate("ab")
        }
        for number, role in enumerate(ROLES)
    }


def phase_breakdown(match: MatchResult) -> Breakdown:
    """Return mean points a deal by role, agent ("a", "b") and phase: the sums of their classes."""
    return {
        role: {
            agent: {phase: round(sum(points[_key(kind)] for kind in PHASES[phase]), 6) for phase in PHASES}
            for agent, points in by_agent.items()
        }
        for role, by_agent in class_breakdown(match).items()
    }


def breakdown_rows(match: MatchResult) -> list[tuple[str, bool, list[float]]]:
    """Return the lines of the breakdown: name, whether it is a sum of those below it, and means (ROLES by agent).

    Classes in which nobody has scored are left out.
    """
    classes, phases = class_breakdown(match), phase_breakdown(match)
    columns = [(role, agent) for role in ROLES for agent in "ab"]
    rows: list[tuple[str, bool, list[float]]] = []
    for phase, kinds in PHASES.items():
        rows.append((phase, True, [phases[role][agent][phase] for role, agent in columns]))
        for kind in kinds:
            means = [classes[role][agent][_key(kind)] for role, agent in columns]
            if any(means):
                rows.append((CLASS_NAMES[kind], False, means))
    rows.append(("all", True, [sum(phases[role][agent].values()) for role, agent in columns]))
    return rows


def format_breakdown(match: MatchResult) -> str:
    """Return the breakdown of a match as a table."""
    heads = "".join(f"{f'{role} {agent}':>11}" for role in ROLES for agent in "AB")
    lines = [f"points a deal, A {match.a}, B {match.b}", "", f"{'':<18}{heads}"]
    for name, is_sum, means in breakdown_rows(match):
        label = name if is_sum else f"  {name}"
        lines.append(f"{label:<18}" + "".join(f"{mean:>11.2f}" for mean in means))
    return "\n".join(lines)


def _key(kind: ScoreClass) -> str:
    return CLASS_NAMES[kind].replace(" ", "_")
