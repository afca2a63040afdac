"""PettingZoo's standard wrappers, with a short way for the usual turn.

The wrappers pass each attribute on through every layer, which costs several times what the game costs. Here the
outermost one speaks to the environment directly where the others have nothing to say: reading, and a legal action of an
agent that lives. Everything else (an illegal action, an agent that has ended, a call before the first reset) goes
through PettingZoo's own wrappers, in their words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pettingzoo.utils import wrappers

if TYPE_CHECKING:
    import numpy as np

    from .aec import raw_env


class StandardWrappers(wrappers.OrderEnforcingWrapper[str, Any, Any]):
    """An environment that ends the episode at an illegal action, and minds the order of calls and the action space.

    raw:            the environment without wrappers
    illegal_reward: what an illegal action pays its agent
    """

    def __init__(self, raw: raw_env, illegal_reward: float) -> None:
        terminating = wrappers.TerminateIllegalWrapper(raw, illegal_reward=illegal_reward)
        super().__init__(wrappers.AssertOutOfBoundsWrapper(terminating))
        self._raw = raw

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Return observation, reward since its last turn, ends and info of the agent to act."""
        if not self._has_reset:
            return super().last(observe)
        return self._raw.last(observe)

    def observe(self, agent: str) -> dict[str, np.ndarray] | None:
        """Return what `agent` may know: its observation, and its mask (zeros when it is not to act)."""
        if not self._has_reset:
            return super().observe(agent)
        return self._raw.observe(agent)

    def step(self, action: Any) -> None:
        """Apply the action of `agent_selection`; an illegal one ends the episode, None is for an agent that ended."""
        raw = self._raw
        if self._has_reset and raw.accepts(action):
            self._has_updated = True
            raw.step(action)
        else:
            super().step(action)

    # Attributes that every loop reads. Before the first reset PettingZoo's wrapper says that it must come first.

    @property
    def agents(self) -> list[str]:
        """The agents that have not left."""
        return self._raw.agents if self._has_reset else self.__getattr__("agents")

    @property
    def agent_selection(self) -> str:
        """The agent to act."""
        return self._raw.agent_selection if self._has_reset else self.__getattr__("agent_selection")

    def __str__(self) -> str:
        return str(self.env)
