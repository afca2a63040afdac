"""Earlier selves at the table: snapshots of the policy, some of which hold a seat in part of the parties.

A policy that meets itself alone may turn in a circle and lose again to what it was. The snapshots are kept in half
precision; of those drawn for a rollout the layers are unpacked, and nothing more. They are part of the checkpoint.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from piquet_env.rules.actions import num_actions
from piquet_env.rules.variants import Rules

from .policy import NetworkAgent, check_tensors, layers_of, prefix_of, prefixes_of
from .reading import Reading

AT_ONCE = 4  # snapshots in a rollout: enough to meet several, few enough to decide in batches and in little memory

_HIGHEST = float(np.finfo(np.float16).max)


class Snapshot(NamedTuple):
    """The policy as it was: the decisions made until then, and its layers by name, float16."""

    decisions: int
    weights: dict[str, npt.NDArray[np.float16]]


class Pool:
    """The last snapshots of the policy.

    size:    snapshots that are kept; an older one gives way
    every:   decisions between two of them
    rules, reading: what they play, and how they read it
    """

    def __init__(self, size: int, every: int, rules: Rules, reading: Reading) -> None:
        self.size, self.every = size, every
        self.rules, self.reading = rules, reading
        self.snapshots: list[Snapshot] = []

    def is_due(self, decisions: int, lessons: int) -> bool:
        """Return whether a snapshot is to be taken; the first is, so many decisions after the lessons."""
        newest = self.snapshots[-1].decisions if self.snapshots else lessons
        return decisions - newest >= self.every

    def take(self, weights: Mapping[str, npt.NDArray[np.float32]], decisions: int) -> None:
        """Add a snapshot; weights: as `policy_weights` returns them."""
        half = {name: tensor.clip(-_HIGHEST, _HIGHEST).astype(np.float16) for name, tensor in weights.items()}
        self.snapshots = [*self.snapshots, Snapshot(decisions, half)][-self.size :]

    def draw(self, rng: np.random.Generator) -> list[NetworkAgent]:
        """Return up to `AT_ONCE` snapshots as agents, each another one."""
        chosen = rng.permutation(len(self.snapshots))[:AT_ONCE]
        return [self._as_agent(self.snapshots[number]) for number in chosen]

    def state(self) -> list[dict[str, Any]]:
        """Return what `restore` takes: the snapshots as plain dictionaries."""
        return [snapshot._asdict() for snapshot in self.snapshots]

    def restore(self, state: Sequence[Mapping[str, Any]]) -> None:
        """Take over the last snapshots of another pool; AgentError for what could not play."""
        snapshots = [Snapshot(int(kept["decisions"]), dict(kept["weights"])) for kept in state]
        for snapshot in snapshots:
            self._check(snapshot.weights)
        self.snapshots = snapshots[-self.size :]

    def _check(self, weights: Mapping[str, npt.NDArray[np.float16]]) -> None:
        for prefix in prefixes_of(weights):
            own = {name.removeprefix(prefix): weights[name] for name in weights if prefix_of(name) == prefix}
            full = {name: tensor.astype(np.float32) for name, tensor in own.items()}
            check_tensors(full, _layers_in(own), self.reading.num_read, num_actions(self.rules.pack))

    def _as_agent(self, snapshot: Snapshot) -> NetworkAgent:
        weights = {name: tensor.astype(np.float32) for name, tensor in snapshot.weights.items()}
        prefixes = prefixes_of(weights)
        layers = _layers_in(name for name in weights if not prefix_of(name))
        return NetworkAgent(
            self.rules, self.reading, {prefix: layers_of(weights, layers, prefix) for prefix in prefixes}
        )


def _layers_in(names: Iterable[str]) -> int:
    """Return how many layers the tensors of one network make."""
    return sum(1 for name in names if name.endswith(".bias"))
