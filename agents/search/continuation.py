"""The play seen through the base agent: how well its choices explain the other's, and what its play makes of a card."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from agents.base import BatchAgent, tells_probabilities
from agents.lockstep import observe_rows
from agents.streams import Streams
from piquet_env.observation import make_scratch, observation_scale, observation_size
from piquet_env.rules.actions import num_actions
from piquet_env.rules.play import apply
from piquet_env.rules.state import DEAL_OVER, ELDER
from piquet_env.rules.variants import Rules

from .jit import jit
from .rebuild import Masks, Record, play_card, rebuild
from .seen import Seen

UNLIKE = 0.05


class Continuation:
    """Rows of the play in which the base agent decides, for the other or for both seats."""

    def __init__(self, rules: Rules, base: BatchAgent, unlike: float = UNLIKE) -> None:
        self._rules = rules
        self._codes = rules.codes()
        self._base = base
        self._unlike = unlike
        self._words = make_scratch()[0]

    def rows(self, seen: Seen, hands: Masks) -> tuple[np.ndarray, npt.NDArray[np.float64]]:
        """Return the present position with each hand of the other, and how well his cards so far fit to each.

        Return STATE_DTYPE[W] and float64[W], from 0 to 1: a factor for each of his cards, 1 where the base agent would
        have played it, and `unlike` where not.
        """
        record = Record.of(seen)
        other = 1 - seen.role
        fits = np.ones(len(hands))
        if other == ELDER or not record.cards:
            rows = rebuild(seen, hands, record, before_lead=True)
            if not record.cards:
                return rows, fits
            fits *= self._likeness(rows, record.cards[0])
        rows = rebuild(seen, hands, record, before_lead=False)
        for role, card in zip(record.roles[1:], record.cards[1:], strict=True):
            if role == other:
                fits *= self._likeness(rows, card)
            play_card(rows, self._codes, card)
        return rows, fits

    def _likeness(self, rows: np.ndarray, card: int) -> npt.NDArray[np.float64]:
        """Return by row how like the base agent it is to play a card there."""
        observations, masks = self._observe(rows, np.arange(len(rows)))
        if tells_probabilities(self._base):
            like = self._base.probabilities(observations, masks)[:, card]
        else:
            like = self._base.act_batch(observations, masks, Streams(np.arange(len(rows), dtype=np.uint64))) == card
        return self._unlike + (1 - self._unlike) * like

    def points(self, rows: np.ndarray, cards: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the deal's points behind each card in each row, the own seat's and the other's: int64[W, C, 2]."""
        played = np.repeat(rows, len(cards))
        apply_each(played, self._codes, np.tile(cards, len(rows)))
        streams = Streams(np.arange(len(played), dtype=np.uint64))
        while True:
            waiting = np.flatnonzero(played["phase"] < DEAL_OVER)
            if len(waiting) == 0:
                return played["deal_points"].reshape(len(rows), len(cards), 2)
            observations, masks = self._observe(played, waiting)
            actions = self._base.act_batch(observations, masks, streams.rows(waiting))
            apply_at_rows(played, waiting, self._codes, actions)

    def _observe(self, rows: np.ndarray, places: npt.NDArray[np.int64]) -> tuple[np.ndarray, np.ndarray]:
        pack = self._rules.pack
        observations = np.empty((len(places), observation_size(pack)), dtype=np.float32)
        masks = np.empty((len(places), num_actions(pack)), dtype=np.int8)
        observe_rows(rows, places, self._codes, self._words, observation_scale(pack), observations, masks)
        return observations, masks


@jit
def apply_each(rows: np.ndarray, rules: np.ndarray, actions: np.ndarray) -> None:
    """Apply an action, which is legal, in each row."""
    for index in range(rows.shape[0]):
        apply(rows[index], rules[0], actions[index])


@jit
def apply_at_rows(rows: np.ndarray, places: np.ndarray, rules: np.ndarray, actions: np.ndarray) -> None:
    """Apply an action, which is legal, in each of the rows `places`."""
    for index in range(places.shape[0]):
        apply(rows[places[index]], rules[0], actions[index])
