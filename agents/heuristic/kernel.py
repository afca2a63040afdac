"""The dispatch: which decision a row asks for, told from the actions that are legal."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .belief import possible_cards
from .claims import choose_further_sequence, choose_point, choose_sequence, choose_set, first_legal
from .exchange import MOST_CARDS, MOST_DRAWS, MOST_SETS, best_discards
from .follow import choose_follow
from .jit import inner, jit
from .lead import choose_lead
from .reading import SEAT_DTYPE, read_seat
from .score import write_slopes


class Tables(NamedTuple):
    """What the decisions look up.

    facts:  see suits.py; equity: see score.py
    hand:   int32[2, NUM_WEIGHTS, 2], elder's and younger's weights, see evaluation.py
    play, bonus: see tricks.py
    """

    facts: np.ndarray
    equity: np.ndarray
    hand: np.ndarray
    play: np.ndarray
    bonus: np.ndarray


class Room(NamedTuple):
    """Scratch of the kernel, so that nothing is allocated a decision."""

    seats: np.ndarray
    sets: np.ndarray
    sums: np.ndarray
    draws: np.ndarray
    terms: np.ndarray
    slopes: np.ndarray


SETTINGS_DTYPE = np.dtype([("elder_max", np.int64), ("bias", np.int64), ("own", np.int64), ("other", np.int64)])


def make_room() -> Room:
    """Return scratch for one thread."""
    return Room(
        np.zeros(1, dtype=SEAT_DTYPE),
        np.zeros(MOST_SETS, dtype=np.int64),
        np.zeros(MOST_SETS, dtype=np.int64),
        np.zeros((MOST_DRAWS, MOST_CARDS + 1), dtype=np.int64),
        np.zeros(36, dtype=np.int64),
        np.zeros(2, dtype=np.int64),
    )


@jit
def choose_actions(
    observations: np.ndarray,
    highs: np.ndarray,
    masks: np.ndarray,
    layouts: np.ndarray,
    settings: np.ndarray,
    tables: Tables,
    room: Room,
    actions: np.ndarray,
) -> None:
    """Write the action for each row into `actions`, int64[N]; -1 for a mask of zeros.

    observations: float32[N, observation_size]; highs: see `highs_of`; masks: int8[N, num_actions]
    """
    for row in range(observations.shape[0]):
        first = first_legal(masks[row], 0, masks.shape[1])
        if first < 0 or first_legal(masks[row], first + 1, masks.shape[1]) < 0:
            actions[row] = first
        else:
            actions[row] = _choose(
                observations[row], highs, masks[row], layouts[0], settings[0], tables, room, first
            )


@inner
def _choose(
    observation: np.ndarray,
    highs: np.ndarray,
    mask: np.ndarray,
    layout: np.void,
    settings: np.void,
    tables: Tables,
    room: Room,
    first: int,
) -> int:
    seat = room.seats[0]
    read_seat(observation, highs, layout, seat)
    write_slopes(tables.equity, seat, room.slopes)
    if first < layout["id discard"]:
        other = possible_cards(seat)
        if seat["table"]:
            return choose_follow(
                mask, seat, other, tables.facts, tables.play, tables.bonus, room.slopes, room.terms
            )
        return choose_lead(mask, seat, other, tables.facts, tables.play, tables.bonus, room.slopes, room.terms)
    if first < layout["id withhold"] or (first == layout["id draw"] and seat["own_trick"] == 0):
        return _discard(mask, layout, settings, tables, room, first)
    return _speak(mask, layout, seat, first)


@inner
def _discard(
    mask: np.ndarray, layout: np.void, settings: np.void, tables: Tables, room: Room, first: int
) -> int:
    """Return the next discard in ascending order; the draw when all are laid out."""
    seat = room.seats[0]
    most = settings["elder_max"] if seat["elder"] else layout["pack"] - 24 - seat["other_taken"]
    least = 0 if mask[layout["id draw"]] else 1
    thrown = best_discards(
        seat["hand"],
        seat["discards"],
        seat["unseen"] | seat["other_known"],
        least,
        most,
        layout["ranks"],
        tables.facts,
        tables.hand[1 - seat["elder"]],
        room.slopes[0],
        room.slopes[1],
        settings["bias"] * room.slopes[0],
        room.sets,
        room.sums,
        room.draws,
        room.terms,
    )
    for card in range(layout["pack"]):
        if thrown >> card & 1 and mask[layout["id discard"] + card]:
            return layout["id discard"] + card
    return layout["id draw"] if mask[layout["id draw"]] else first


@inner
def _speak(mask: np.ndarray, layout: np.void, seat: np.void, first: int) -> int:
    """Return a claim, a reply or another word."""
    if first < layout["id draw"]:
        return layout["id done"] if mask[layout["id done"]] else first
    if layout["id point"] <= first < layout["id done"]:
        if first < layout["id sequence"]:
            return choose_point(mask, seat["hand"], layout)
        if first < layout["id set"]:
            action = choose_sequence(mask, seat["hand"], layout)
            further = choose_further_sequence(mask, seat["hand"], layout)
            return action if mask[further] and further == action else further
        return choose_set(mask, seat["hand"], layout)
    for word in (layout["id not good"], layout["id equal"], layout["id leave"]):
        if mask[word]:
            return word
    return first
