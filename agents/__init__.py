"""Agents that play Piquet, and the arena and statistics that compare them."""

from .arena import MatchInterrupted, MatchResult, play_match
from .base import Agent, AgentError, BatchAgent, View
from .registry import make_agent

__all__ = [
    "Agent",
    "AgentError",
    "BatchAgent",
    "MatchInterrupted",
    "MatchResult",
    "View",
    "make_agent",
    "play_match",
]
