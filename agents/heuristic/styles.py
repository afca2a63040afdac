"""The styles: changes of one habit each, for tests of how robust another agent is."""

from __future__ import annotations

from typing import NamedTuple

from agents.base import AgentError

from .sinking import LOW, NEVER, WHERE_IT_PAYS


class Style(NamedTuple):
    """What a style changes.

    sinks:        what is left undeclared, see sinking.py
    leaves:       by how many cards less than the full number it exchanges at most
    own_weight, other_weight: by what own points and the other's are multiplied when discards are weighed
    sees_score:   whether it plays to the score
    """

    sinks: int = WHERE_IT_PAYS
    leaves: int = 0
    own_weight: int = 2
    other_weight: int = 2
    sees_score: bool = True


STYLES = {
    "plain": Style(),
    "never_sinks": Style(sinks=NEVER),
    "sinks_low": Style(sinks=LOW),
    "bold": Style(own_weight=3, other_weight=1),
    "timid": Style(own_weight=1, other_weight=3),
    "leaves_cards": Style(leaves=1),
    "blind": Style(sees_score=False),
}


def style_of(name: str) -> Style:
    """Return the style of a name; AgentError, in one sentence, for another."""
    if name not in STYLES:
        raise AgentError(f"heuristic has no style {name!r}; its styles are {', '.join(STYLES)}")
    return STYLES[name]
