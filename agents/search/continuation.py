"""The present position with each hand that the other can hold, and how well the cards that he has played fit to it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from piquet_env.rules.state import ELDER

from .rebuild import Masks, Record, play_card, rebuild
from .rollout import Rollout
from .seen import Seen
from .terms import codes_of

UNLIKE = 0.05


def continue_from(
    rollout: Rollout, seen: Seen, hands: Masks, unlike: float
) -> tuple[np.ndarray, npt.NDArray[np.float64]]:
    """Return the position with each hand of the other, STATE_DTYPE[W], and how well his cards so far fit to it.

    A fit is a product over his cards, float64[W]: of 1 where the base agent would have played the card with this hand,
    of `unlike` where it would not, and of what lies between by its probability.
    """
    codes = codes_of(seen.rules)
    record = Record.of(seen)
    other = 1 - seen.role
    fits = np.ones(len(hands))
    if other == ELDER or not record.cards:
        rows = rebuild(seen, hands, record, before_lead=True)
        if not record.cards:
            return rows, fits
        fits *= unlike + (1 - unlike) * rollout.likeness(rows, record.cards[0])
    rows = rebuild(seen, hands, record, before_lead=False)
    for role, card in zip(record.roles[1:], record.cards[1:], strict=True):
        if role == other and unlike < 1:
            fits *= unlike + (1 - unlike) * rollout.likeness(rows, card)
        play_card(rows, codes, card)
    return rows, fits
