"""`partly`: an agent that decides one part of the game, a reference deciding the rest of its seat."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import numpy.typing as npt

from agents.base import Actions, Agent, View
from agents.pairs import can_batch, check_actions
from agents.registry import make_agent
from agents.streams import RowRandom, Streams
from piquet_env.rules.actions import KIND_DISCARD, WORD_DRAW
from piquet_env.rules.variants import Rules

PARTS = ("exchange", "cards")


def decides(part: str, masks: np.ndarray, pack: int) -> npt.NDArray[np.bool_]:
    """Return in which rows the decision belongs to a part of the game, bool[N].

    part:  "exchange": laying out cards and drawing; "cards": the cards that are played
    masks: int8[N, num_actions]
    """
    if part == "cards":
        return np.asarray(masks[:, :pack].any(axis=1))
    first = KIND_DISCARD * pack
    return np.asarray(masks[:, first : first + pack].any(axis=1) | masks[:, 3 * pack + WORD_DRAW].astype(np.bool_))


def partly(spec: str, reference: str, part: str, rules: Rules) -> Agent:
    """Return an agent that plays `part` as `spec` does, and everything else as `reference` does.

    It decides in batches if both can. Raises AgentError for an agent that cannot be made.
    """
    agent = PartlyAgent(spec, reference, part, rules)
    return PartlyBatchAgent(spec, reference, part, rules) if can_batch((agent.agent, agent.reference)) else agent


class PartlyAgent(Agent):
    """Two agents in one seat: `agent` decides its part, `reference` the rest. Both see everything that the seat sees.

    Pickles and copies as its specs, so that another process makes the agents by itself.
    """

    def __init__(self, spec: str, reference: str, part: str, rules: Rules) -> None:
        self.made_of = spec, reference, part, rules
        self.part, self.rules = part, rules
        self.agent, self.reference = make_agent(spec, rules), make_agent(reference, rules)

    @property
    def name(self) -> str:
        """How tables call the agent: by the spec of the one that is judged."""
        return self.made_of[0]

    def reset(self, seed: int) -> None:
        """Begin a new partie."""
        self.agent.reset(seed)
        self.reference.reset(seed)

    def act(self, view: View) -> int:
        """Return the id of a legal action."""
        mine = decides(self.part, view.action_mask[None, :], self.rules.pack)[0]
        return (self.agent if mine else self.reference).act(view)

    def __reduce__(self) -> tuple[type[PartlyAgent], tuple[str, str, str, Rules]]:
        return type(self), self.made_of


class PartlyBatchAgent(PartlyAgent):
    """Likewise, for two agents that decide in batches."""

    def act_batch(self, observations: np.ndarray, masks: np.ndarray, rng: RowRandom) -> Actions:
        """Return a legal action for each row, int64[N]; each row's agent draws from the row's stream."""
        actions = np.empty(len(masks), dtype=np.int64)
        mine = decides(self.part, masks, self.rules.pack)
        for agent, rows in ((self.agent, np.flatnonzero(mine)), (self.reference, np.flatnonzero(~mine))):
            if len(rows):
                streams = rng.rows(rows) if isinstance(rng, Streams) else rng
                returned = cast(Any, agent).act_batch(observations[rows], masks[rows], streams)
                actions[rows] = check_actions(returned, len(rows))
        return actions
