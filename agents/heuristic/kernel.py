"""The dispatch: which decision a row asks for, told from the actions that are legal."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .belief import possible_cards
from .claims import choose_point, choose_sequence, choose_set, first_legal
from .exchange import MOST_CARDS, MOST_DRAWS, MOST_SETS, PLAN_DTYPE, PLANS, planned_discards
from .follow import choose_follow
from .jit import inner, jit
from .lead import choose_lead
from .reading import SEAT_DTYPE, read_number, read_seat
from .replies import choose_reply
from .score import PLAIN, is_lost_below, write_slopes
from .sinking import is_sunk


class Tables(NamedTuple):
    """What the decisions look up.

    facts:  see suits.py; slopes: see score.py
    hand:   int32[2, NUM_WEIGHTS, 2], elder's and younger's weights, see evaluation.py
    play, bonus: see tricks.py
    """

    facts: np.ndarray
    slopes: np.ndarray
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
    plans: np.ndarray


SETTINGS = ("elder_max", "least", "line", "effort", "sinks", "leaves", "own_weight", "other_weight")
SETTINGS_DTYPE = np.dtype([(name, np.int64) for name in SETTINGS])


def make_room() -> Room:
    """Return scratch for one thread."""
    return Room(
        np.zeros(1, dtype=SEAT_DTYPE),
        np.zeros(MOST_SETS, dtype=np.int64),
        np.zeros(MOST_SETS, dtype=np.int64),
        np.zeros((MOST_DRAWS, MOST_CARDS + 1), dtype=np.int64),
        np.zeros(36, dtype=np.int64),
        np.zeros(2, dtype=np.int64),
        np.zeros(PLANS, dtype=PLAN_DTYPE),
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
            actions[row] = _choose(observations[row], highs, masks[row], layouts[0], settings[0], tables, room, first)


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
    write_slopes(tables.slopes, seat, room.slopes)
    if first < layout["id withhold"] and first >= layout["id discard"]:
        return _discard(mask, layout, settings, tables, room, first)
    if is_lost_below(seat, settings["line"], tables.facts):
        room.slopes[0], room.slopes[1] = -PLAIN, -PLAIN
    if first < layout["id discard"]:
        other = possible_cards(seat)
        if seat["table"]:
            return choose_follow(mask, seat, other, tables.facts, tables.play, tables.bonus, room.slopes, room.terms)
        return choose_lead(mask, seat, other, tables.facts, tables.play, tables.bonus, room.slopes, room.terms)
    return _speak(observation, highs, mask, layout, settings, room, first)


@inner
def _discard(mask: np.ndarray, layout: np.void, settings: np.void, tables: Tables, room: Room, first: int) -> int:
    """Return the next discard in ascending order; the draw when all are laid out."""
    seat = room.seats[0]
    most = settings["elder_max"] if seat["elder"] else layout["pack"] - 24 - seat["other_taken"]
    thrown = planned_discards(
        seat["hand"],
        seat["discards"],
        seat["unseen"],
        seat["other_known"],
        settings["least"] if seat["elder"] == 0 else 1,
        max(most - settings["leaves"], 1),
        seat["elder"],
        layout["ranks"],
        tables.facts,
        tables.hand[1 - seat["elder"]],
        room.slopes[0] * settings["own_weight"],
        room.slopes[1] * settings["other_weight"],
        settings["effort"],
        room.sets,
        room.sums,
        room.draws,
        room.terms,
        room.plans,
    )
    for card in range(layout["pack"]):
        if thrown >> card & 1 and mask[layout["id discard"] + card]:
            return layout["id discard"] + card
    return layout["id draw"] if mask[layout["id draw"]] else first


@inner
def _claim(
    mask: np.ndarray, layout: np.void, settings: np.void, hand: int, calling: bool, first: int, slopes: np.ndarray
) -> int:
    """Return the claim to make, or that none is made."""
    if first < layout["id sequence"]:
        action = choose_point(mask, hand, layout)
    elif first < layout["id set"]:
        action = choose_sequence(mask, hand, calling, layout)
    else:
        action = choose_set(mask, hand, calling, layout)
    if mask[layout["id done"]] and is_sunk(action, hand, layout, settings["sinks"], slopes):
        return layout["id done"]
    return action


@inner
def _speak(
    observation: np.ndarray,
    highs: np.ndarray,
    mask: np.ndarray,
    layout: np.void,
    settings: np.void,
    room: Room,
    first: int,
) -> int:
    """Return a claim, a reply or another word."""
    if first < layout["id draw"]:
        return layout["id done"] if mask[layout["id done"]] else first
    if layout["id point"] <= first < layout["id done"]:
        calling = observation[layout["calling"]] > 0
        return _claim(mask, layout, settings, room.seats[0]["hand"], calling, first, room.slopes)
    if layout["id good"] <= first <= layout["id not good"]:
        category = 0
        while category < 2 and observation[layout["category"] + category] == 0:
            category += 1
        length = read_number(observation, highs, layout["call_length"] + category)
        return choose_reply(mask, layout, category, length, room.slopes)
    return layout["id leave"] if mask[layout["id leave"]] else first
