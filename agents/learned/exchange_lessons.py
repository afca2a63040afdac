"""Lessons for a network of its own for the exchange: what a teacher throws, in all four suits' clothes.

Hands are dealt and exchanged by the teacher, and nothing is played. What he throws from a hand he would throw from the
same hand with the suits exchanged, so each exchange teaches two dozen; and since cards are laid out in ascending
order, each of these comes about by steps of its own, one of which is drawn whenever the exchange is looked at.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from agents.base import BatchAgent
from piquet_env.batch import PiquetBatch
from piquet_env.observation import decode
from piquet_env.rules.actions import KIND_DISCARD, WORD_DRAW, num_actions
from piquet_env.rules.variants import Rules

from .actor_critic import Perceptron
from .masked import weigh_choices
from .reading import CARD_BLOCKS, Reading

DEALS_AT_ONCE = 1024
MINIBATCH = 2048
EXCHANGES_A_STEP = 20  # so many exchanges of the teacher are worth a step of the fit
LEARNING_RATE = 2e-3
_DECKS = 1 << 42  # the decks of these lessons, apart from those of training and evaluation


class Exchanges(NamedTuple):
    """What a teacher has thrown.

    rows:  int8[N, observation_size], what he saw before he laid out a card
    sets:  bool[N, pack], the cards thrown
    draws: bool[N], whether he had to say that he was done, because he might have thrown more
    """

    rows: npt.NDArray[np.int8]
    sets: npt.NDArray[np.bool_]
    draws: npt.NDArray[np.bool_]


class Examples(NamedTuple):
    """Steps of exchanges: observations (int8[N, observation_size]), masks (int8[N, A]) and actions (int64[N])."""

    rows: npt.NDArray[np.int8]
    masks: npt.NDArray[np.int8]
    actions: npt.NDArray[np.int64]


def collect_exchanges(teacher: BatchAgent, rules: Rules, number: int, seed: int) -> Exchanges:
    """Return at least `number` exchanges of the teacher, those of both seats in first deals."""
    rng = np.random.default_rng((seed, 1))
    pack, batch = rules.pack, PiquetBatch(DEALS_AT_ONCE, rules, dtype="int8", skip_forced=True)
    draw = 3 * pack + WORD_DRAW
    parts: list[Exchanges] = []
    found = 0
    for block in itertools.count():
        if found >= number:
            break
        batch.reset(_DECKS + seed * 1_000_003 + block * DEALS_AT_ONCE)
        while True:
            masks = batch.buffers.action_mask
            rows = np.flatnonzero(masks[:, pack : 2 * pack].any(axis=1) | (masks[:, draw] > 0))
            if len(rows) == 0:
                break
            seen = batch.buffers.observation[rows].copy()
            actions = teacher.act_batch(seen, masks[rows], rng)
            batch.step(actions, rows)
            laid = decode(seen)["discards"] > 0
            cards = actions != draw
            laid[np.flatnonzero(cards), actions[cards] - KIND_DISCARD * pack] = True
            # The exchange is over where he says so, or where drawing was all that was left and has been done for him.
            over = ~cards | ~np.isin(rows, _still_exchanging(batch, seen, rows))
            decode(seen)["discards"][:] = 0
            parts.append(Exchanges(seen[over], laid[over], ~cards[over]))
            found += int(np.count_nonzero(over))
    return Exchanges(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def _still_exchanging(batch: PiquetBatch, seen: np.ndarray, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the rows in which the same seat goes on laying out cards."""
    now = decode(batch.buffers.observation[rows])
    before = decode(seen)
    same = (now["dealt"] == before["dealt"]).all(axis=1) & (now["discards"] != 0).any(axis=1)
    same &= (now["phase"] == before["phase"]).all(axis=1)
    return rows[same]


def draw_examples(exchanges: Exchanges, pack: int, places: npt.NDArray[np.int64], rng: np.random.Generator) -> Examples:
    """Return a step of each exchange of `places`, with the suits exchanged at random."""
    suits = rng.permuted(np.tile(np.arange(4), (len(places), 1)), axis=1)
    rows, sets = exchange_suits(exchanges.rows[places], exchanges.sets[places], suits, pack)
    sizes, draws = sets.sum(axis=1), exchanges.draws[places]
    done = (rng.random(len(places)) * (sizes + draws)).astype(np.int64)  # cards laid out before the step
    order = np.cumsum(sets, axis=1)
    laid = sets & (order <= done[:, None])
    following = (sets & (order == done[:, None] + 1)).argmax(axis=1)
    draw = 3 * pack + WORD_DRAW
    facts = decode(rows)
    facts["discards"][:] = laid
    masks = np.zeros((len(places), num_actions(pack)), dtype=np.int8)
    last = np.where(done > 0, pack - 1 - laid[:, ::-1].argmax(axis=1), -1)
    first = KIND_DISCARD * pack
    masks[:, first : first + pack] = (facts["hand"] > 0) & (np.arange(pack) > last[:, None])
    masks[:, draw] = (done > 0) | (draws & (sizes == 0))
    return Examples(rows, masks, np.where(done < sizes, first + following, draw))


def exchange_suits(
    rows: npt.NDArray[np.int8], sets: npt.NDArray[np.bool_], suits: npt.NDArray[np.int64], pack: int
) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.bool_]]:
    """Return copies in which suit s of row i holds what suit suits[i, s] held."""
    ranks, cards = pack // 4, CARD_BLOCKS * pack
    source = (suits[:, :, None] * ranks + np.arange(ranks)).reshape(len(rows), pack)
    everywhere = (np.arange(CARD_BLOCKS)[None, :, None] * pack + source[:, None, :]).reshape(len(rows), cards)
    exchanged = rows.copy()
    exchanged[:, :cards] = np.take_along_axis(rows[:, :cards], everywhere, axis=1)
    return exchanged, np.take_along_axis(sets, source, axis=1)


def teach_exchange(network: Perceptron, reading: Reading, exchanges: Exchanges, seed: int) -> float:
    """Fit a network to exchanges; return the mean loss of the last hundred steps, in nats a step.

    One in `EXCHANGES_A_STEP` exchanges makes a step of Adam on a minibatch; the learning rate falls to nothing.
    """
    rng = np.random.default_rng((seed, 2))
    outputs = torch.from_numpy(reading.actions)
    optimizer = torch.optim.Adam(network.parameters(), lr=LEARNING_RATE, eps=1e-5, fused=True)
    steps = max(len(exchanges.rows) // EXCHANGES_A_STEP, 1)
    losses = []
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = LEARNING_RATE * (1 - step / steps)
        places = rng.integers(len(exchanges.rows), size=MINIBATCH)
        examples = draw_examples(exchanges, reading.pack, places, rng)
        found = reading.read(reading.rows(examples.rows))
        logits = network(found).gather(1, outputs[torch.from_numpy(found.orders)])
        log_probs, _ = weigh_choices(logits, torch.from_numpy(examples.masks), torch.from_numpy(examples.actions))
        loss = -log_probs.mean()
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]  # torch has no types here
        torch.nn.utils.clip_grad_norm_(network.parameters(), 0.5)
        optimizer.step()
        losses.append(float(loss.detach()))
    return float(np.mean(losses[-100:]))
