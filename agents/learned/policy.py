"""A trained policy as a file and as an agent.

The file is a `.safetensors` file of a multilayer perceptron from the inputs of a reading (reading.py) to one logit an
action: tensors `layer0.weight` [out, in], `layer0.bias` [out], `layer1.weight` … The metadata, text to text, says what
it is for:

| key | meaning |
|---|---|
| `format` | `piquet-policy-2` |
| `rules`, `rules_hash` | the rules it was trained for, as text and as digest |
| `observation_version`, `observation_size`, `num_actions` | the layout that it reads and writes |
| `reading` | `plain` or `suits`: how observations become inputs |
| `activation` | `tanh` or `relu`, between the layers |
| `layers` | number of layers |

With tensors `exchange.layer0.weight` … it holds a second perceptron of as many layers, which decides the exchange.

Other keys are the trainer's own. It is read without a learning library, with the package safetensors alone.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.base import Actions, AgentError, BatchAgent, Probabilities, certain
from agents.files import write_atomically
from agents.streams import RowRandom, Streams
from piquet_env.observation import OBSERVATION_VERSION, observation_size
from piquet_env.rules.actions import num_actions
from piquet_env.rules.variants import Rules

from .network import decide_rows, multiply_rows, weigh_rows
from .reading import READINGS, Inputs, Reading, reading_of

FORMAT = "piquet-policy-2"
ACTIVATIONS = ("tanh", "relu")
EXCHANGE = "exchange."  # stands before the names of the tensors of a network for the exchange

Layer = tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]


class NetworkAgent(BatchAgent):
    """Plays networks: sampled from the softmax of the legal logits, or the most probable action.

    rules, reading: what is played, and how its observations are read
    layers:         of each network by its prefix, as in a file: that of the main one first
    activation:     between the layers
    greedy:         whether to play the most probable action; a policy that mixes plays worse that way, and can be
                    found out
    """

    def __init__(
        self,
        rules: Rules,
        reading: Reading,
        layers: Mapping[str, list[Layer]],
        *,
        activation: str = "relu",
        greedy: bool = False,
    ) -> None:
        self.rules, self.reading, self.greedy = rules, reading, greedy
        self._networks = [Network(of_one, activation) for of_one in layers.values()]

    def act_batch(self, observations: np.ndarray, masks: np.ndarray, rng: RowRandom) -> Actions:
        """Return a legal action for each row, int64[N]; `rng` is used unless the policy plays greedily."""
        found = self._read(observations)
        numbers = np.zeros(len(masks)) if self.greedy else rng.random(len(masks))
        actions = np.empty(len(masks), dtype=np.int64)
        for network, rows in self._share(found):
            decided = np.empty(len(rows), dtype=np.int64)
            given = (found.orders[rows], self.reading.actions, masks[rows], *network.rest)
            decide_rows(network.begin(found, rows), *given, self.greedy, numbers[rows], network.room, decided)
            actions[rows] = decided
        return actions

    def probabilities(self, observations: np.ndarray, masks: np.ndarray) -> Probabilities:
        """Return the softmax of the legal logits, float64[N, num_actions]; 1 for the one action of a greedy policy."""
        if self.greedy:
            return certain(self.act_batch(observations, masks, Streams([])), masks.shape[1])
        probabilities = np.zeros(masks.shape, dtype=np.float64)
        found = self._read(observations)
        for network, rows in self._share(found):
            weighed = np.zeros((len(rows), masks.shape[1]), dtype=np.float64)
            given = (found.orders[rows], self.reading.actions, masks[rows], *network.rest)
            weigh_rows(network.begin(found, rows), *given, network.room, weighed)
            probabilities[rows] = weighed
        return probabilities

    def _read(self, observations: np.ndarray) -> Inputs:
        """Return the inputs of observations of either form."""
        size = observation_size(self.rules.pack)
        if observations.shape[-1] != size:
            raise AgentError(f"{self.name} reads {size} entries, and the observation has {observations.shape[-1]}")
        return self.reading.read(self.reading.rows(observations))

    def _share(self, found: Inputs) -> list[tuple[Network, npt.NDArray[np.int64]]]:
        """Return each network with the rows that it decides."""
        if len(self._networks) == 1:
            return [(self._networks[0], np.arange(len(found.orders)))]
        return [(network, np.flatnonzero(found.exchanges == place)) for place, network in enumerate(self._networks)]


class PolicyAgent(NetworkAgent):
    """Plays a policy read from a file.

    path:   of the `.safetensors` file
    greedy: whether to play the most probable action
    rules:  what it shall play, if that is to be checked
    Raises AgentError for a file that is missing, damaged, foreign, or made for other rules or another layout.
    """

    def __init__(self, *, path: str | Path, greedy: bool = False, rules: Rules | None = None) -> None:
        self.path = str(path)
        tensors, metadata = read_network(Path(path))
        try:
            own = check_policy(tensors, metadata)
        except AgentError as error:
            raise AgentError(f"the policy {path} cannot be used: {error}") from None
        if rules is not None and rules != own:
            raise AgentError(f"the policy {path} was trained for the rules '{own}', not for '{rules}'")
        reading = reading_of(metadata["reading"], own.pack)
        self.layers = {prefix: layers_of(tensors, int(metadata["layers"]), prefix) for prefix in prefixes_of(tensors)}
        super().__init__(own, reading, self.layers, activation=metadata["activation"], greedy=greedy)

    @property
    def name(self) -> str:
        """How tables call the agent."""
        return f"policy:{self.path}"


class Network:
    """A perceptron as the kernels read it.

    layers: weight [out, in] and bias of each; activation: between them
    rest:   parameters behind the first layer, sizes, and whether tanh stands between them, for the kernels
    """

    def __init__(self, layers: list[Layer], activation: str) -> None:
        self._first, self._bias = np.ascontiguousarray(layers[0][0].T), layers[0][1]
        sizes = np.array([len(bias) for _, bias in layers], dtype=np.int64)
        parts = itertools.chain.from_iterable((weight.T.ravel(), bias) for weight, bias in layers[1:])
        parameters = np.concatenate([np.empty(0, dtype=np.float32), *parts])
        self.rest = (parameters, sizes, activation == "tanh")
        self.room = np.empty((3, sizes.max()), dtype=np.float32)

    def begin(self, found: Inputs, rows: npt.NDArray[np.int64], *, own: bool = True) -> npt.NDArray[np.float32]:
        """Return what the first layer makes of some rows, float32[rows, H]. own: of what the seat may see alone."""
        firsts = np.empty((len(rows), len(self._bias)), dtype=np.float32)
        ends = found.own_ends if own else found.starts[1:]
        multiply_rows(found.starts[rows], ends[rows], found.places, found.values, self._first, self._bias, firsts)
        return firsts


def policy_metadata(rules: Rules, activation: str, layers: int, reading: str = "plain") -> dict[str, str]:
    """Return the metadata that a policy's file must have; a trainer may add its own keys."""
    return {
        "format": FORMAT,
        "rules": str(rules),
        "rules_hash": rules.hash,
        "observation_version": str(OBSERVATION_VERSION),
        "observation_size": str(observation_size(rules.pack)),
        "num_actions": str(num_actions(rules.pack)),
        "reading": reading,
        "activation": activation,
        "layers": str(layers),
    }


def save_policy(
    path: str | Path, weights: Mapping[str, npt.ArrayLike], metadata: Mapping[str, str], *, half: bool = False
) -> None:
    """Write a policy to `path`, whole or not at all.

    weights:  `layer0.weight` [out, in], `layer0.bias` [out], …; written as float32
    metadata: at least what `policy_metadata` returns
    half:     write float16, in half the space; it is computed with float32 all the same
    Raises AgentError for what `PolicyAgent` could not read, OSError where it cannot be written.
    """
    tensors = {name: np.ascontiguousarray(tensor, dtype=np.float32) for name, tensor in weights.items()}
    check_policy(tensors, metadata)
    write_network(path, tensors, metadata, half=half)


def write_network(
    path: str | Path, tensors: Mapping[str, np.ndarray], metadata: Mapping[str, str], *, half: bool
) -> None:
    """Write tensors and metadata as a safetensors file, whole or not at all."""
    kept = {name: tensor.astype(np.float16) for name, tensor in tensors.items()} if half else dict(tensors)
    content: bytes = _safetensors().numpy.save(kept, dict(metadata))
    write_atomically(Path(path), content)


def check_policy(tensors: Mapping[str, np.ndarray], metadata: Mapping[str, str]) -> Rules:
    """Return the rules of a policy; AgentError says, in one sentence, what is wrong with it."""
    if metadata.get("format") != FORMAT:
        raise AgentError(f"its format is {metadata.get('format')!r}, not {FORMAT!r}")
    rules = rules_of(metadata)
    check_layout(metadata, rules)
    inputs, actions = reading_of(metadata["reading"], rules.pack).num_read, num_actions(rules.pack)
    for prefix in prefixes_of(tensors):
        own = {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if prefix_of(name) == prefix}
        check_tensors(own, int(metadata["layers"]), inputs, actions)
    return rules


def prefix_of(name: str) -> str:
    """Return what stands before the layer in a tensor's name."""
    return EXCHANGE if name.startswith(EXCHANGE) else ""


def prefixes_of(tensors: Mapping[str, np.ndarray]) -> list[str]:
    """Return the prefixes of a policy's networks, that of the main one first."""
    return ["", EXCHANGE] if any(prefix_of(name) for name in tensors) else [""]


def layers_of(tensors: Mapping[str, np.ndarray], layers: int, prefix: str = "") -> list[Layer]:
    """Return weight [out, in] and bias of each layer of a network of so many."""
    return [(tensors[f"{prefix}layer{n}.weight"], tensors[f"{prefix}layer{n}.bias"]) for n in range(layers)]


def check_layout(metadata: Mapping[str, str], rules: Rules) -> None:
    """Raise AgentError unless the metadata of a network fits the layouts of this version of the environment."""
    layers = metadata.get("layers", "")
    if not layers.isdecimal() or int(layers) < 1:
        raise AgentError(f"it names {layers!r} layers")
    expected = policy_metadata(rules, "", int(layers))
    for key in ("observation_version", "observation_size", "num_actions"):
        if metadata.get(key) != expected[key]:
            raise AgentError(
                f"its {key} is {metadata.get(key)}, and this version of the environment has {expected[key]}"
            )
    if metadata.get("activation") not in ACTIVATIONS:
        raise AgentError(f"its activation is {metadata.get('activation')!r}, which is none of {', '.join(ACTIVATIONS)}")
    if metadata.get("reading") not in READINGS:
        raise AgentError(f"its reading is {metadata.get('reading')!r}, which is none of {', '.join(READINGS)}")


def rules_of(metadata: Mapping[str, str]) -> Rules:
    """Return the rules that the metadata names."""
    try:
        rules = Rules.of(metadata.get("rules", ""))
    except ValueError as error:
        raise AgentError(f"its rules cannot be read: {error}") from None
    if rules.hash != metadata.get("rules_hash"):
        raise AgentError(
            f"its rules '{rules}' have the hash {rules.hash} here and {metadata.get('rules_hash')} in the file"
        )
    return rules


def check_tensors(tensors: Mapping[str, np.ndarray], layers: int, num_inputs: int, num_outputs: int) -> None:
    """Raise AgentError unless the tensors are those of a perceptron from inputs to outputs."""
    names = [f"layer{layer}.{part}" for layer in range(layers) for part in ("weight", "bias")]
    if sorted(tensors) != sorted(names):
        raise AgentError(f"it holds the tensors {', '.join(sorted(tensors)) or 'none'}, not {', '.join(names)}")
    width = num_inputs
    for layer in range(layers):
        weight, bias = tensors[f"layer{layer}.weight"], tensors[f"layer{layer}.bias"]
        if weight.ndim != 2 or weight.shape[1] != width or bias.shape != weight.shape[:1]:
            raise AgentError(f"layer {layer} has shapes {weight.shape} and {bias.shape} behind {width} inputs")
        if not all(tensor.dtype == np.float32 and np.isfinite(tensor).all() for tensor in (weight, bias)):
            raise AgentError(f"layer {layer} does not hold finite float32 numbers")
        width = weight.shape[0]
    if width != num_outputs:
        raise AgentError(f"its last layer has {width} logits for {num_outputs} actions")


def read_network(path: Path) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """Return tensors, as float32, and metadata of a safetensors file."""
    if not path.is_file():
        inside = path / "policy.safetensors"
        hint = f"; {inside} is the policy of the run in that folder" if inside.is_file() else ""
        raise AgentError(f"there is no policy file {path}{hint}")
    if path.suffix == ".pt":
        raise AgentError(f"{path} is a checkpoint, to go on from; what plays is the policy.safetensors beside it")
    safetensors = _safetensors()
    try:
        with safetensors.safe_open(str(path), framework="numpy") as file:
            found = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  (no dict)
            halves = {name: found[name].astype(np.float32) for name in found if found[name].dtype == np.float16}
            return found | halves, file.metadata() or {}
    except (safetensors.SafetensorError, OSError, TypeError, ValueError) as error:
        raise AgentError(f"the policy file {path} cannot be read: {error}") from None


def _safetensors() -> Any:
    """Return the package safetensors, which belongs to the extra `train`."""
    try:
        import safetensors.numpy
    except ImportError:
        raise AgentError(
            "trained policies need the package safetensors, which is not installed: pip install 'piquet-env[train]'"
        ) from None
    return safetensors
