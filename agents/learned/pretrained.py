"""`pretrained`: the trained policy that comes with the package.

`agents/data/pretrained/policy.safetensors` is the policy, `card.json` beside it says how it was made and how it plays.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from piquet_env.rules.variants import Rules

from .policy import PolicyAgent

FOLDER = Path(__file__).parent.parent / "data" / "pretrained"
POLICY = FOLDER / "policy.safetensors"
CRITIC = FOLDER / "critic.safetensors"


def card() -> dict[str, Any]:
    """Return the card of the policy: layout, rules, recipe, cost and strength."""
    content: dict[str, Any] = json.loads((FOLDER / "card.json").read_text(encoding="utf-8"))
    return content


class PretrainedAgent(PolicyAgent):
    """Plays the policy of the package: sampled, or the most probable action.

    greedy: whether to play the most probable action
    rules:  what it shall play, if that is to be checked; the policy is one for Rubicon Piquet
    Raises AgentError for other rules.
    """

    def __init__(self, *, greedy: bool = False, rules: Rules | None = None) -> None:
        super().__init__(path=POLICY, greedy=greedy, rules=rules)

    @property
    def name(self) -> str:
        """How tables call the agent."""
        return "pretrained:greedy" if self.greedy else "pretrained"
