"""The facts that a seat sees, read from an observation into one structured row."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from piquet_env.observation import decode, observation_scale, observation_size
from piquet_env.rules.actions import KINDS, first_id
from piquet_env.rules.cards import suit_of
from piquet_env.rules.knowledge import VIEW_NAMES

from .jit import inner

_CARD_BLOCKS = (
    "hand",
    "dealt",
    "discards",
    "talon_seen",
    "leftovers",
    "own_known",
    "other_known",
    "unseen",
    "own_trick",
    "other_trick",
    "table",
)
_SINGLE = ("elder", "own_taken", "other_taken", "deals_left", "extra_deals")
_LISTS = (
    "call_length",
    "category",
    "own_points",
    "other_points",
    "pique_open",
    "tricks_won",
    "tricks_led",
    "own_total",
    "other_total",
)
_BLOCKS = (*_CARD_BLOCKS, *_SINGLE, *_LISTS)
_IDS = tuple("id " + kind.name for kind in KINDS)
LAYOUT_DTYPE = np.dtype([(name, np.int64) for name in (*_BLOCKS, *_IDS, "calling", "pack", "ranks")])

SEAT_DTYPE = np.dtype(
    [(name, np.int64) for name in (*_CARD_BLOCKS, *_SINGLE)]
    + [
        ("own_score", np.int64),
        ("other_score", np.int64),
        ("own_tricks", np.int64),
        ("other_tricks", np.int64),
        ("own_pique_open", np.int64),
        ("other_pique_open", np.int64),
        ("own_sum", np.int64),  # totals of the partie
        ("other_sum", np.int64),
        ("void", np.int64),  # mask of the cards of suits in which the other has shown that he has none
        ("pack", np.int64),
        ("ranks", np.int64),
    ]
)


@lru_cache
def layout_of(pack: int) -> np.ndarray:
    """Return where blocks begin in the observation and kinds among the actions: a structured array of shape (1,)."""
    places = decode(np.arange(observation_size(pack)))
    layout = np.zeros(1, dtype=LAYOUT_DTYPE)
    for name in _BLOCKS:
        layout[name] = places[name][0]
    for kind in KINDS:
        layout["id " + kind.name] = first_id(kind.name, pack)
    layout["calling"] = places["phase"][VIEW_NAMES.index("call")]
    layout["pack"] = pack
    layout["ranks"] = pack // 4
    return layout


@lru_cache
def highs_of(pack: int, *, is_float: bool) -> np.ndarray:
    """Return by what each entry is multiplied to become a whole number: float32[observation_size]."""
    if not is_float:
        return np.ones(observation_size(pack), dtype=np.float32)
    return np.asarray(1 / observation_scale(pack), dtype=np.float32)


@inner
def read_number(observation: np.ndarray, highs: np.ndarray, place: int) -> int:
    """Return an entry as a whole number."""
    return int(observation[place] * highs[place] + 0.5)


@inner
def _cards(observation: np.ndarray, start: int, pack: int) -> int:
    """Return a block by card as a mask of cards."""
    cards = 0
    for card in range(pack):
        if observation[start + card] > 0:
            cards |= 1 << card
    return cards


@inner
def read_seat(observation: np.ndarray, highs: np.ndarray, layout: np.void, seat: np.void) -> None:
    """Write what the observation says into the row `seat` (SEAT_DTYPE)."""
    pack = layout["pack"]
    seat["pack"], seat["ranks"] = pack, layout["ranks"]
    seat["hand"] = _cards(observation, layout["hand"], pack)
    seat["dealt"] = _cards(observation, layout["dealt"], pack)
    seat["discards"] = _cards(observation, layout["discards"], pack)
    seat["talon_seen"] = _cards(observation, layout["talon_seen"], pack)
    seat["leftovers"] = _cards(observation, layout["leftovers"], pack)
    seat["own_known"] = _cards(observation, layout["own_known"], pack)
    seat["other_known"] = _cards(observation, layout["other_known"], pack)
    seat["unseen"] = _cards(observation, layout["unseen"], pack)
    seat["own_trick"] = _cards(observation, layout["own_trick"], pack)
    seat["other_trick"] = _cards(observation, layout["other_trick"], pack)
    seat["table"] = _cards(observation, layout["table"], pack)
    seat["elder"] = read_number(observation, highs, layout["elder"])
    seat["own_taken"] = read_number(observation, highs, layout["own_taken"]) - 1
    seat["other_taken"] = read_number(observation, highs, layout["other_taken"]) - 1
    seat["deals_left"] = read_number(observation, highs, layout["deals_left"])
    seat["extra_deals"] = read_number(observation, highs, layout["extra_deals"])
    seat["own_score"], seat["other_score"] = 0, 0
    for column in range(8):
        seat["own_score"] += read_number(observation, highs, layout["own_points"] + column)
        seat["other_score"] += read_number(observation, highs, layout["other_points"] + column)
    seat["own_tricks"] = read_number(observation, highs, layout["tricks_won"])
    seat["other_tricks"] = read_number(observation, highs, layout["tricks_won"] + 1)
    seat["own_pique_open"] = read_number(observation, highs, layout["pique_open"])
    seat["other_pique_open"] = read_number(observation, highs, layout["pique_open"] + 1)
    seat["own_sum"], seat["other_sum"] = 0, 0
    for place in range(2, -1, -1):
        seat["own_sum"] = 100 * seat["own_sum"] + read_number(observation, highs, layout["own_total"] + place)
        seat["other_sum"] = 100 * seat["other_sum"] + read_number(observation, highs, layout["other_total"] + place)
    seat["void"] = _read_voids(observation, highs, layout, seat)


@inner
def _read_voids(observation: np.ndarray, highs: np.ndarray, layout: np.void, seat: np.void) -> int:
    """Return the cards of the suits that this seat has led and the other has not followed."""
    if seat["own_trick"] == 0:
        return 0
    pack, ranks = layout["pack"], layout["ranks"]
    cards = 0
    for own in range(pack):
        if seat["own_trick"] >> own & 1:
            trick = read_number(observation, highs, layout["own_trick"] + own)
            if observation[layout["tricks_led"] + trick - 1] > 0:
                for other in range(pack):
                    if read_number(observation, highs, layout["other_trick"] + other) == trick:
                        suit = suit_of(own, ranks)
                        if suit_of(other, ranks) != suit:
                            cards |= ((1 << ranks) - 1) << (suit * ranks)
    return cards
