"""The mean of the last policies of a run, as weights: what a run plays and keeps, while what it learns with goes on.

Each update leaves the weights a little beside where many updates together would have them, the further the higher the
learning rate. The moving average of the weights lies nearer, so it plays better than the policies that it is made of,
and the learning rate need not fall for that.
"""

from __future__ import annotations

import copy
import math

import torch

from .actor_critic import Actor


class Average:
    """The moving average of an actor's weights, taken after every update.

    actor:     with whose weights it begins
    decisions: after so many the weight of an update has fallen to 1/e; as long as there were fewer, all updates count
               the same
    `actor` is the average, a network like the other; `updates` how many it is made of.
    """

    def __init__(self, actor: Actor, decisions: int) -> None:
        self.decisions, self.updates = decisions, 0
        self.actor = copy.deepcopy(actor)
        self.actor.requires_grad_(False)

    def take(self, actor: Actor, rollout: int) -> None:
        """Let the actor's weights, learnt from `rollout` more decisions, enter the average."""
        self.updates += 1
        share = max(-math.expm1(-rollout / self.decisions), 1 / self.updates)
        with torch.no_grad():
            for mean, weight in zip(self.actor.parameters(), actor.parameters(), strict=True):
                mean.lerp_(weight, share)

    def state(self) -> dict[str, torch.Tensor]:
        """Return what `restore` takes, for a checkpoint."""
        return {**self.actor.state_dict(), "updates": torch.tensor(self.updates)}

    def restore(self, state: dict[str, torch.Tensor]) -> None:
        """Take the place of the average that gave `state`; RuntimeError or KeyError for that of another network.

        ValueError for a number of updates that cannot be.
        """
        weights = dict(state)
        updates = int(weights.pop("updates"))
        if updates < 0:
            raise ValueError(f"the average is of {updates} updates")
        self.updates = updates
        self.actor.load_state_dict(weights)
