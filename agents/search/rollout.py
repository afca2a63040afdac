"""Deals played on by the base agent: many rows of the game, to the first lead or to the end of the deal.

The rows hold other cards that the seat cannot tell from the true ones. Both seats decide as the base agent would, save
for the exchange or the card that is being tried.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from agents.base import BatchAgent, tells_probabilities
from agents.lockstep import observe_rows
from agents.streams import Streams
from piquet_env.observation import make_scratch, observation_scale, observation_size
from piquet_env.rules.actions import KIND_DISCARD, WORD_DRAW, num_actions
from piquet_env.rules.play import apply, deal_next
from piquet_env.rules.shuffle import shuffle_into
from piquet_env.rules.start import Start, begin_rows
from piquet_env.rules.state import DEAL_OVER, EXCHANGE, NOBODY, PLAY, STATE_DTYPE, role_of
from piquet_env.rules.variants import Rules

from .jit import inner, jit

WAITS, EXCHANGES, ENDED = 0, 1, 2  # what `classify` says of a row

Rows = npt.NDArray[np.int64]


@jit
def fill_decks(
    decks: np.ndarray, unseen: np.ndarray, own: np.ndarray, first: int, seed: int, order: np.ndarray
) -> None:
    """Write decks in which a role has its own cards and the others lie at random.

    decks:  int8[W, pack], overwritten
    unseen: int8[pack - 12], the other cards; own: int8[12]; first: place in the deck of the first own card
    order:  int8[pack - 12], room for a shuffle
    """
    for world in range(decks.shape[0]):
        shuffle_into(seed, world, 1, order)
        next_unseen = 0
        for place in range(decks.shape[1]):
            if first <= place < first + 12:
                decks[world, place] = own[place - first]
            else:
                decks[world, place] = unseen[order[next_unseen]]
                next_unseen += 1


@jit
def deal_rows(rows: np.ndarray, rules: np.ndarray, decks: np.ndarray) -> None:
    """Deal the decks to the rows, which wait for a deal."""
    for index in range(rows.shape[0]):
        deal_next(rows[index], rules[0], decks[index])


@inner
def _stands_before_play(row: np.void) -> bool:
    """Return whether the first card is led and all declarations are made."""
    return row["phase"] == PLAY and row["led"] >= 0


@jit
def classify(rows: np.ndarray, role: int, states: np.ndarray) -> None:
    """Write for each row whether `role` is to exchange, whether it is at its end, or waits for the base agent."""
    for index in range(rows.shape[0]):
        row = rows[index]
        states[index] = WAITS
        if row["phase"] >= DEAL_OVER or _stands_before_play(row):
            states[index] = ENDED
        elif row["phase"] == EXCHANGE and row["to_act"] != NOBODY and role_of(row, row["to_act"]) == role:
            states[index] = EXCHANGES


@jit
def apply_all(rows: np.ndarray, indices: np.ndarray, rules: np.ndarray, actions: np.ndarray) -> None:
    """Apply legal actions in the rows `indices`."""
    for place in range(indices.shape[0]):
        apply(rows[indices[place]], rules[0], actions[place])


@jit
def exchange_all(rows: np.ndarray, rules: np.ndarray, discards: np.ndarray) -> None:
    """Discard the cards of a mask in each row, whose seat to act is to exchange, and draw."""
    pack = rules[0]["pack"]
    for index in range(rows.shape[0]):
        for card in range(pack):
            if discards[index] >> card & 1:
                apply(rows[index], rules[0], KIND_DISCARD * pack + card)
        apply(rows[index], rules[0], 3 * pack + WORD_DRAW)


class Rollout:
    """Rows of the game under one rule set, played on by an agent that decides in batches."""

    def __init__(self, rules: Rules, base: BatchAgent) -> None:
        self._rules = rules
        self._codes = rules.codes()
        self._base = base
        self._words = make_scratch()[0]

    def deal(
        self, own: int, role: int, deal_number: int, totals: tuple[int, int], seed: int, worlds: int
    ) -> np.ndarray:
        """Return rows (STATE_DTYPE[worlds]) at the beginning of a deal; the seat 0 has the hand `own` and plays `role`.

        totals: its own and the other's; seed: of the other cards
        """
        pack, ranks = self._rules.pack, self._rules.ranks
        held = np.array([card for card in range(4 * ranks) if own >> card & 1], dtype=np.int8)
        unseen = np.array([card for card in range(4 * ranks) if not own >> card & 1], dtype=np.int8)
        decks = np.empty((worlds, pack), dtype=np.int8)
        with np.errstate(over="ignore"):
            fill_decks(decks, unseen, held, 12 * role, seed, np.empty(pack - 12, dtype=np.int8))
        start = Start(0, 0, totals=totals, deal_number=deal_number, dealer=0 if role == 1 else 1)
        flat = begin_rows(self._rules, self._codes, start)
        rows = np.tile(flat, (worlds, 1)).view(STATE_DTYPE)[:, 0]
        deal_rows(rows, self._codes, decks)
        return rows

    def run(self, rows: np.ndarray, role: int, seed: int) -> npt.NDArray[np.int64]:
        """Let the base agent decide until each row asks `role` for its exchange or has come to its end.

        Return WAITS, EXCHANGES or ENDED of each row (never WAITS); `seed` is that of the base agent's chance.
        """
        streams = _streams(rows, seed)
        states = np.empty(len(rows), dtype=np.int64)
        while True:
            classify(rows, role, states)
            waiting: Rows = np.flatnonzero(states == WAITS)
            if len(waiting) == 0:
                return states
            self._decide(rows, waiting, streams)

    def play_out(self, rows: np.ndarray, seed: int) -> npt.NDArray[np.int64]:
        """Let the base agent decide for both seats to the end of the deal; return its points, by row and seat."""
        streams = _streams(rows, seed)
        while True:
            waiting: Rows = np.flatnonzero(rows["phase"] < DEAL_OVER)
            if len(waiting) == 0:
                return rows["deal_points"].astype(np.int64)
            self._decide(rows, waiting, streams)

    def play_on(self, rows: np.ndarray, cards: npt.NDArray[np.int64], seed: int) -> npt.NDArray[np.int64]:
        """Return the points of the deal by row, card and seat, int64[W, C, 2], each of the cards being played next.

        cards: int64[C], legal in all rows, which stay as they are
        """
        played = np.repeat(rows, len(cards))
        apply_all(played, np.arange(len(played)), self._codes, np.tile(cards, len(rows)))
        return self.play_out(played, seed).reshape(len(rows), len(cards), 2)

    def likeness(self, rows: np.ndarray, card: int) -> npt.NDArray[np.float64]:
        """Return how likely the base agent is to play a card, by row: 0 or 1 where it does not tell probabilities."""
        observations, masks = self.observe(rows, np.arange(len(rows)))
        if tells_probabilities(self._base):
            return self._base.probabilities(observations, masks)[:, card]
        return (self._base.act_batch(observations, masks, _streams(rows, 0)) == card).astype(np.float64)

    def _decide(self, rows: np.ndarray, waiting: Rows, streams: Streams) -> None:
        """Let the base agent decide once in the rows `waiting`."""
        observations, masks = self.observe(rows, waiting)
        actions = self._base.act_batch(observations, masks, streams.rows(waiting))
        apply_all(rows, waiting, self._codes, actions)

    def observe(self, rows: np.ndarray, places: Rows) -> tuple[np.ndarray, np.ndarray]:
        """Return what the seats to act see in some of the rows, and what they may do."""
        pack = self._rules.pack
        observations = np.empty((len(places), observation_size(pack)), dtype=np.float32)
        masks = np.empty((len(places), num_actions(pack)), dtype=np.int8)
        observe_rows(rows, places, self._codes, self._words, observation_scale(pack), observations, masks)
        return observations, masks

    def exchange(self, rows: np.ndarray, discards: npt.NDArray[np.int64]) -> None:
        """Exchange the cards of a mask in each row, all of which ask for an exchange."""
        exchange_all(rows, self._codes, discards)

    def chosen_discards(self, rows: np.ndarray) -> int:
        """Return the mask of cards that the base agent exchanges in the first row, which asks for an exchange."""
        row = rows[:1]
        first = np.zeros(1, dtype=np.int64)
        pack = self._rules.pack
        while True:
            actions = self._base.act_batch(*self.observe(row, first), Streams([0]))
            if actions[0] == 3 * pack + WORD_DRAW:
                return int(row["pending"][0])
            apply_all(row, first, self._codes, actions)


def _streams(rows: np.ndarray, seed: int) -> Streams:
    """Return a stream of chance for each row."""
    return Streams(np.arange(len(rows), dtype=np.uint64) + np.uint64(seed))
