"""The critic of a run as a file, and what it says of positions with all cards known.

The file is that of a policy (policy.py) with the format `piquet-critic-1`, one output, and the key `reward`: what its
values are in. They are what is still to come in the deal for the seat to act, as the learner was paid. Search asks it
for the value of cards that it deals itself; nobody who plays may show it the true ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt

from agents.base import AgentError
from agents.jit import jit
from piquet_env.batch_kernel import write_hidden
from piquet_env.observation import encode_int8, make_scratch
from piquet_env.rules.variants import Rules

from .network import evaluate_rows
from .policy import Network, check_layout, check_tensors, layers_of, read_network, rules_of, write_network
from .reading import reading_of

FORMAT = "piquet-critic-1"


class Critic:
    """The critic in a file.

    path:  of the `.safetensors` file
    rules: what is played, if that is to be checked
    `reward` is what it was paid in, "" if the file does not say.
    Raises AgentError for a file that is missing, damaged, foreign, or made for other rules or another layout.
    """

    def __init__(self, *, path: str | Path, rules: Rules | None = None) -> None:
        tensors, metadata = read_network(Path(path))
        try:
            self.rules = check_critic(tensors, metadata)
        except AgentError as error:
            raise AgentError(f"the critic {path} cannot be used: {error}") from None
        if rules is not None and rules != self.rules:
            raise AgentError(f"the critic {path} was trained for the rules '{self.rules}', not for '{rules}'")
        self.reading = reading_of(metadata["reading"], self.rules.pack)
        self.layers = layers_of(tensors, int(metadata["layers"]))
        self.reward = metadata.get("reward", "")
        self._network = Network(self.layers, metadata["activation"])
        self._codes = self.rules.codes()
        self._words = make_scratch()[0]

    def values(self, states: np.ndarray) -> npt.NDArray[np.float32]:
        """Return the value of each state (STATE_DTYPE[N]) to the seat to act, float32[N], as the learner was paid."""
        rows = np.zeros((len(states), self.reading.row_size), dtype=np.int8)
        look_at_all(states, self._codes, self._words, rows, rows[:, self.reading.own_size :])
        found = self.reading.read(rows)
        values = np.empty(len(states), dtype=np.float32)
        network = self._network
        evaluate_rows(network.begin(found, np.arange(len(states)), own=False), *network.rest, network.room, values)
        return values


@jit
def look_at_all(states: np.ndarray, rules: np.ndarray, words: np.ndarray, rows: np.ndarray, hidden: np.ndarray) -> None:
    """Write what the seat to act sees of each state into `rows`, and what is hidden from it into `hidden`."""
    for index in range(states.shape[0]):
        seat = states[index]["to_act"]
        encode_int8(states[index], rules[0], seat, words, words.view(np.int8), rows, index)
        write_hidden(states[index], rules[0], seat, False, hidden, index)


def save_critic(
    path: str | Path, weights: Mapping[str, npt.ArrayLike], metadata: Mapping[str, str], *, half: bool = False
) -> None:
    """Write a critic to `path`, whole or not at all.

    weights:  as for `agents.learned.policy.save_policy`
    metadata: what `policy_metadata` returns, and `reward`; the format is put in
    """
    tensors = {name: np.ascontiguousarray(tensor, dtype=np.float32) for name, tensor in weights.items()}
    metadata = {**metadata, "format": FORMAT}
    check_critic(tensors, metadata)
    write_network(path, tensors, metadata, half=half)


def check_critic(tensors: Mapping[str, np.ndarray], metadata: Mapping[str, str]) -> Rules:
    """Return the rules of a critic; AgentError says, in one sentence, what is wrong with it."""
    if metadata.get("format") != FORMAT:
        raise AgentError(f"its format is {metadata.get('format')!r}, not {FORMAT!r}")
    rules = rules_of(metadata)
    check_layout(metadata, rules)
    check_tensors(tensors, int(metadata["layers"]), reading_of(metadata["reading"], rules.pack).num_all, 1)
    return rules
