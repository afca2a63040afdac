"""Actor and critic: two perceptrons of their own, one on what the seat to act may see, one on all the cards."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.type_aliases import Schedule

from .belief import BeliefHead
from .masked import sample_rows, weigh_choices
from .policy import EXCHANGE
from .reading import Inputs, Reading
from .side_by_side import SideBySide
from .sparse_layer import SparseLinear

PRECISIONS = ("float32", "bfloat16")


class Perceptron(torch.nn.Module):
    """Linear layers with ReLU between them over listed rows; the first is sparse and exact, the others may be bfloat16.

    inputs:  entries that are read; is_own: whether they are those that the seat to act may see
    hidden, layers: units in a hidden layer, and hidden layers
    outputs: units of the last layer; last_gain: of its first weights
    """

    def __init__(
        self, inputs: int, hidden: int, layers: int, outputs: int, *, is_own: bool, last_gain: float, precision: str
    ) -> None:
        super().__init__()
        self.first = SparseLinear(inputs, hidden, is_own=is_own)
        sizes = [hidden] * layers + [outputs]
        self.others = torch.nn.ModuleList(torch.nn.Linear(before, units) for before, units in itertools.pairwise(sizes))
        for number, layer in enumerate(self.linear_layers()[1:]):
            torch.nn.init.orthogonal_(layer[0], gain=last_gain if number == layers - 1 else 2**0.5)
            torch.nn.init.zeros_(layer[1])
        self.is_half = precision == "bfloat16"

    def forward(self, found: Inputs, rows: np.ndarray | None = None) -> torch.Tensor:
        """Return float32[N, outputs], or that of some rows."""
        return self.decide(self.think(found, rows))

    def think(self, found: Inputs, rows: np.ndarray | None = None) -> torch.Tensor:
        """Return the last hidden layer, behind its ReLU: [N, hidden] of the precision, or that of some rows."""
        values: torch.Tensor = self.first(found, rows)
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=self.is_half):
            for layer in itertools.islice(self.others, len(self.others) - 1):
                values = layer(torch.relu_(values))  # in place: nothing needs what was below zero
        return torch.relu_(values)

    def decide(self, values: torch.Tensor) -> torch.Tensor:
        """Return the outputs, float32[N, outputs], that follow from the last hidden layer."""
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=self.is_half):
            outputs: torch.Tensor = self.others[-1](values)
        return outputs.float()

    def linear_layers(self) -> list[tuple[torch.Tensor, torch.Tensor]]:
        """Return weight [out, in] and bias [out] of every layer, as views of the parameters."""
        first = (self.first.weight.T, self.first.bias)
        return [first, *((layer.weight, layer.bias) for layer in self.others)]  # type: ignore[list-item]


class Actor(torch.nn.Module):
    """The policy's network: one perceptron, or two, of which one decides the exchange and the other all else.

    belief: what learns from the main network's last hidden layer where the hidden cards are (belief.py)

    A discard is another kind of decision than a card in the play, and the rarer one; a network of its own forgets
    nothing for the sake of the rest, and can be taught by itself (exchange_lessons.py).
    """

    def __init__(self, main: Perceptron, exchange: Perceptron | None, belief: BeliefHead | None = None) -> None:
        super().__init__()
        self.main = main
        self.exchange = exchange
        self.belief = belief

    def forward(self, found: Inputs, rows: np.ndarray | None = None) -> torch.Tensor:
        """Return float32[N, outputs], or that of some rows."""
        return self.think(found, rows)[0]

    def think(self, found: Inputs, rows: np.ndarray | None = None) -> tuple[torch.Tensor, torch.Tensor, np.ndarray]:
        """Return the outputs, float32[N, outputs], the main network's last hidden layer, and where it decides.

        rows: of `found`, for some of them alone
        The hidden layer is [M, hidden], for as many of these rows, by number among them: int64[M]. That is all of them
        unless the exchange has a network of its own.
        """
        rows = np.arange(len(found.orders)) if rows is None else rows
        if self.exchange is None:
            hidden = self.main.think(found, rows)
            return self.main.decide(hidden), hidden, np.arange(len(rows))
        exchanged = found.exchanges[rows]
        outputs = torch.zeros(len(rows), self.main.others[-1].out_features)  # type: ignore[call-overload]
        decided, others = np.flatnonzero(exchanged == 0), np.flatnonzero(exchanged)
        hidden = self.main.think(found, rows[decided])
        if len(decided):
            outputs = outputs.index_copy(0, torch.from_numpy(decided), self.main.decide(hidden))
        if len(others):
            outputs = outputs.index_copy(0, torch.from_numpy(others), self.exchange(found, rows[others]))
        return outputs, hidden, decided

    def networks(self) -> dict[str, Perceptron]:
        """Return the perceptrons, by what stands before the names of their layers in a policy's file."""
        return {"": self.main} if self.exchange is None else {"": self.main, EXCHANGE: self.exchange}


class SelfPlayPolicy(MaskableActorCriticPolicy):
    """The policy of both seats and the critic, as MaskablePPO holds them.

    Values are those of the seat to act; who keeps one stream turns their sign where seat 1 is to act.
    reading: how rows are read; the actor reads only what the seat to act may see
    exchange_hidden: units in a hidden layer of a network of its own for the exchange; 0: there is none
    has_belief: whether a head learns beside the decisions where the hidden cards are
    critic_sees: "all" the cards, or "own": what the actor sees
    side_by_side: how actor and critic share the processors
    """

    def __init__(
        self,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        lr_schedule: Schedule,
        *,
        reading: Reading,
        critic_sees: str,
        exchange_hidden: int,
        has_belief: bool,
        hidden: int,
        layers: int,
        precision: str,
        side_by_side: SideBySide,
    ) -> None:
        self.reading, self.side_by_side = reading, side_by_side
        self.outputs = torch.from_numpy(reading.actions)
        self.shape = (hidden, layers, precision)
        self.exchange_hidden, self.has_belief = exchange_hidden, has_belief
        self.is_critic_blind = critic_sees == "own"
        super().__init__(observation_space, action_space, lr_schedule)

    def _build(self, lr_schedule: Schedule) -> None:
        hidden, layers, precision = self.shape
        actions = int(self.action_space.n)  # type: ignore[attr-defined]
        own, blind = self.reading.num_own, self.is_critic_blind
        judged = own if blind else self.reading.num_all

        def make(units: int) -> Perceptron:
            return Perceptron(own, units, layers, actions, is_own=True, last_gain=0.01, precision=precision)

        belief = BeliefHead(hidden, self.reading) if self.has_belief else None
        self.actor = Actor(make(hidden), make(self.exchange_hidden) if self.exchange_hidden else None, belief)
        self.critic = Perceptron(judged, hidden, layers, 1, is_own=blind, last_gain=1.0, precision=precision)
        self.optimizer = torch.optim.Adam(self.parameters(), lr=lr_schedule(1), eps=1e-5, fused=True)

    def list_rows(self, rows: torch.Tensor) -> Inputs:
        """Return int8 rows as both networks read them."""
        return self.reading.read(rows.numpy())

    def logits(self, found: Inputs, rows: np.ndarray | None = None) -> torch.Tensor:
        """Return the actor's logits, by action: float32[N, A], or those of some rows."""
        return self.by_action(self.actor(found, rows), found, rows)

    def by_action(self, outputs: torch.Tensor, found: Inputs, rows: np.ndarray | None = None) -> torch.Tensor:
        """Return the actor's outputs in the order of the actions; `rows` of `found`, if they are those of some."""
        if len(self.outputs) == 1:
            return outputs
        orders = found.orders if rows is None else found.orders[rows]
        return outputs.gather(1, self.outputs[torch.from_numpy(orders)])

    def act(self, found: Inputs, masks: np.ndarray, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Draw legal actions by one number a row.

        found: N rows; masks: int8[N, A]; numbers: float64[N] in [0, 1)
        Returns actions int64[N], the logarithms of their probabilities and the values to the seat to act, float32[N].
        """
        actions, log_probs = np.empty(len(masks), dtype=np.int64), np.empty(len(masks), dtype=np.float32)

        def choose() -> None:
            with torch.no_grad():
                logits = self.logits(found).numpy()
            sample_rows(logits, masks, numbers, actions, log_probs)

        def judge() -> np.ndarray:
            with torch.no_grad():
                values: np.ndarray = self.critic(found).flatten().numpy()
            return values

        _, values = self.side_by_side(choose, judge)
        return actions, log_probs, values

    def forward(
        self, obs: torch.Tensor, deterministic: bool = False, action_masks: np.ndarray | None = None
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return actions, values to the seat to act, and logarithms of the probabilities."""
        assert action_masks is not None
        masks = np.asarray(action_masks, dtype=np.int8)
        if deterministic:
            found = self.list_rows(obs)
            logits = self.logits(found).masked_fill(torch.from_numpy(masks) == 0, -torch.inf)
            chosen = logits.argmax(1)
            log_probs, _ = weigh_choices(logits, torch.from_numpy(masks), chosen)
            return chosen, self.critic(found).flatten(), log_probs
        numbers = torch.rand(len(obs), dtype=torch.float64).numpy()
        actions, logs, values = self.act(self.list_rows(obs), masks, numbers)
        return torch.from_numpy(actions), torch.from_numpy(values), torch.from_numpy(logs)

    def evaluate_actions(
        self, obs: torch.Tensor, actions: torch.Tensor, action_masks: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return values to the seat to act, log-probabilities of the actions, and entropies as `weigh_choices` does."""
        assert action_masks is not None
        found = self.list_rows(obs)
        log_probs, entropies = weigh_choices(self.logits(found), action_masks, actions)
        return self.critic(found).flatten(), log_probs, entropies

    def predict_values(self, obs: torch.Tensor) -> torch.Tensor:  # type: ignore[override]
        """Return the critic's values to the seat to act: float32[N]."""
        values: torch.Tensor = self.critic(self.list_rows(obs)).flatten()
        return values

    def _predict(  # type: ignore[override]  # as in MaskableActorCriticPolicy
        self, observation: torch.Tensor, deterministic: bool = False, action_masks: np.ndarray | None = None
    ) -> torch.Tensor:
        return self.forward(observation, deterministic, action_masks)[0]
