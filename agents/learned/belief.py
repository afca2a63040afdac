"""What the actor believes of the other's hand: a linear layer on its last hidden layer, which exists in training alone.

For each card whose place the seat does not know, the head says how likely the other holds it, and learns from the hands
that the critic sees. What it learns of reading a hand, the layers below it share with the decisions. It answers outside
the exchange, where one network decides in every run: before elder has exchanged, every unseen card is equally likely
whatever he thinks, and in the exchange the suits stand in another order. No decision depends on the head, and a
policy's file does not hold it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from piquet_env.observation import decode, observation_size
from piquet_env.rules.actions import KIND_PLAY

from .reading import Reading


class Unseen(NamedTuple):
    """The cards that M decisions leave in doubt, by their real numbers.

    rows:     int64[M], which of the decisions given
    cards:    float32[M, pack], 1 for a card whose place the seat does not know
    held:     float32[M, pack], 1 for such a card in the other's hand
    chances:  float32[M], the share of these cards that the other holds: what every one of them is worth to a seat that
              knows how many cards he has and no more
    """

    rows: npt.NDArray[np.int64]
    cards: torch.Tensor
    held: torch.Tensor
    chances: torch.Tensor


class BeliefHead(torch.nn.Module):
    """From the last hidden layer of the main network to a logarithm of odds for each card.

    hidden: units of that layer
    Everything begins at zero, so that the belief begins as the prior: every unseen card equally likely.
    """

    def __init__(self, hidden: int, reading: Reading) -> None:
        super().__init__()
        pack = reading.pack
        self.weight = torch.nn.Parameter(torch.zeros(pack, hidden))
        self.bias = torch.nn.Parameter(torch.zeros(pack))
        first = KIND_PLAY * pack  # a card's output among the cards is that of its play among the actions
        self.outputs = torch.from_numpy(reading.actions[:, first : first + pack] - first)
        self.is_ordered = len(reading.actions) > 1

    def forward(self, hidden: torch.Tensor, orders: npt.NDArray[np.int64], chances: torch.Tensor) -> torch.Tensor:
        """Return the logarithms of the odds that the other holds each card, by its real number: float32[M, pack].

        hidden: [M, units]; orders: int64[M], of the suits; chances: float32[M], what the prior says of a card
        """
        found = torch.nn.functional.linear(hidden.float(), self.weight, self.bias)
        if self.is_ordered:
            found = found.gather(1, self.outputs[torch.from_numpy(orders)])
        return found + torch.logit(chances)[:, None]


def find_unseen(
    observations: npt.NDArray[np.int8],
    exchanges: npt.NDArray[np.int64],
    reading: Reading,
    among: npt.NDArray[np.bool_],
) -> Unseen:
    """Return what some decisions leave in doubt: those outside the exchange where a card may be here or there.

    observations: int8[N, row_size], with the hidden cards; exchanges: int64[N], as in `Inputs`
    among:        which are asked for
    """
    pack = reading.pack
    unseen = observations[:, decode(np.arange(observation_size(pack)))["unseen"]] != 0
    held = unseen & (observations[:, reading.own_size : reading.own_size + pack] != 0)
    many, holds = unseen.sum(axis=1), held.sum(axis=1)
    rows = np.flatnonzero(among & (exchanges == 0) & (holds > 0) & (holds < many))
    return Unseen(
        rows,
        torch.from_numpy(unseen[rows].astype(np.float32)),
        torch.from_numpy(held[rows].astype(np.float32)),
        torch.from_numpy((holds[rows] / many[rows]).astype(np.float32)),
    )


def cross_entropy(log_odds: torch.Tensor, unseen: Unseen) -> torch.Tensor:
    """Return the mean binary cross-entropy of a belief, in nats a card in doubt; 0 where there is none."""
    losses = torch.nn.functional.binary_cross_entropy_with_logits(log_odds, unseen.held, reduction="none")
    return (losses * unseen.cards).sum() / unseen.cards.sum().clamp(min=1)


class BeliefFigures:
    """How well the belief fits, beside the prior, over some minibatches.

    cross_entropy: mean nats a card in doubt
    found:         share of the cards of the other's hand in doubt among as many as are thought the likeliest
    """

    def __init__(self) -> None:
        self._nats = np.zeros(2)  # of the belief, of the prior
        self._found = np.zeros(2)
        self._cards = self._held = 0.0

    def add(self, log_odds: torch.Tensor, unseen: Unseen) -> None:
        """Count a minibatch; `log_odds` float32[M, pack]."""
        with torch.no_grad():
            prior = torch.logit(unseen.chances)[:, None].expand_as(log_odds)
            cards, held = float(unseen.cards.sum()), unseen.held.sum(1)
            self._nats += [float(cross_entropy(odds, unseen)) * cards for odds in (log_odds, prior)]
            likeliest = log_odds.masked_fill(unseen.cards == 0, -torch.inf).argsort(dim=1, descending=True, stable=True)
            named = torch.arange(log_odds.shape[1])[None, :] < held[:, None]
            hits = float((unseen.held.gather(1, likeliest) * named).sum())
            self._found += [hits, float((held * unseen.chances).sum())]  # as many names at random hit that many
            self._cards += cards
            self._held += float(held.sum())

    def means(self) -> dict[str, float]:
        """Return the figures by name; NaN where no card was in doubt."""
        with np.errstate(invalid="ignore"):
            nats, found = (self._nats / np.float64(self._cards)), (self._found / np.float64(self._held))
        names = ("cross_entropy", "prior_cross_entropy", "found", "prior_found")
        return dict(zip(names, (*nats.tolist(), *found.tolist()), strict=True))
