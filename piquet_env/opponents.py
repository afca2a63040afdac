"""Opponents for the single-learner views: an agent object, or a spec string resolved by the agents' registry."""

from __future__ import annotations

from typing import Any

from .rules.variants import Rules


def resolve_opponent(opponent: Any, rules: Rules) -> Any:
    """Return the agent that `opponent` stands for: an object with `reset` and `act`, or a spec string such as `greedy`.

    Raises ValueError for anything else. The import of the registry is the only one that runs upward.
    """
    if isinstance(opponent, str):
        from agents.registry import make_agent

        return make_agent(opponent, rules)
    if not (callable(getattr(opponent, "act", None)) and callable(getattr(opponent, "reset", None))):
        raise ValueError(f"an opponent is a spec string or an agent with reset() and act(), not {opponent!r}")
    return opponent


def view_for(observation: Any, mask: Any, rules: Rules) -> Any:
    """Return the view that an agent's `act` reads."""
    from agents.base import View

    return View(observation, mask, rules)
