"""The decisions of `greedy`, compiled: one function a kind of decision. Their definition is in greedy_agent.py.

A float32 observation divides each block by its largest value, so a mark is any entry above zero in both of its forms;
only `other_taken` is read as a number.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from piquet_env.observation import decode, observation_scale, observation_size
from piquet_env.rules.actions import KINDS, first_id
from piquet_env.rules.cards import pattern_cards, pattern_of
from piquet_env.rules.holdings import item_top, set_size
from piquet_env.rules.knowledge import VIEW_NAMES
from piquet_env.rules.tables import DOWN_RUN, PATTERN_PIPS

from .jit import inner, jit

_BLOCKS = ("hand", "unseen", "table", "elder", "other_taken")
_IDS = tuple("id " + kind.name for kind in KINDS)
LAYOUT_DTYPE = np.dtype([(name, np.int64) for name in (*_BLOCKS, *_IDS, "calling", "pack", "ranks")])


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


def taken_scale(observations: np.ndarray) -> float:
    """Return by what an entry of `other_taken` is multiplied to become a number of cards plus one."""
    if observations.dtype.kind != "f":
        return 1.0
    pack = 32 if observations.shape[-1] == observation_size(32) else 36
    return float(1 / decode(observation_scale(pack))["other_taken"][0])


@jit
def choose_greedily(
    observations: np.ndarray, masks: np.ndarray, layouts: np.ndarray, scale: float, elder_max: int, actions: np.ndarray
) -> None:
    """Write greedy's action for each row into `actions`, int64[N].

    observations: float32 or int8[N, observation_size]; masks: int8[N, num_actions]
    layouts: see `layout_of`; scale: see `taken_scale`; elder_max: the most cards elder may exchange
    """
    for row in range(observations.shape[0]):
        actions[row] = _choose(observations[row], masks[row], layouts[0], scale, elder_max)


@inner
def _choose(observation: np.ndarray, mask: np.ndarray, layout: np.void, scale: float, elder_max: int) -> int:
    """Return greedy's action: the kinds of decision are told apart by what is legal."""
    first = _first_legal(mask, 0, mask.shape[0])
    if first < 0:
        return -1
    hand = _read_cards(observation, layout["hand"], layout["pack"])
    if first < layout["id discard"]:
        led = _read_cards(observation, layout["table"], layout["pack"])
        if led:
            return _follow(hand, led, layout)
        return _lead(hand, _read_cards(observation, layout["unseen"], layout["pack"]), layout)
    if first < layout["id withhold"]:
        return _discard(mask, hand, _full_number(observation, layout, scale, elder_max), layout, first)
    if first < layout["id draw"] and mask[layout["id done"]]:
        return layout["id done"]
    if layout["id point"] <= first < layout["id done"]:
        return _claim(mask, hand, observation[layout["calling"]] > 0, layout, first)
    # What is left are pairs and triples of words, and draws, claims and withholdings that come first.
    if mask[layout["id not good"]]:
        return layout["id not good"]
    if mask[layout["id equal"]]:
        return layout["id equal"]
    if mask[layout["id leave"]]:
        return layout["id leave"]
    return first


@inner
def _first_legal(mask: np.ndarray, start: int, end: int) -> int:
    """Return the first legal action from `start` and before `end`; -1 if there is none."""
    for action in range(start, end):
        if mask[action]:
            return action
    return -1


@inner
def _read_cards(observation: np.ndarray, start: int, pack: int) -> int:
    """Return a block by card as a mask of cards."""
    cards = 0
    for card in range(pack):
        if observation[start + card] > 0:
            cards |= 1 << card
    return cards


# -- suits ------------------------------------------------------------------------------------------------------------


@inner
def _weight_of_suit(hand: int, suit: int, ranks: int) -> int:
    """Return a number that is larger for the longer suit: cards, then pips."""
    pattern = pattern_of(hand, suit, ranks)
    return 1000 * pattern_cards(pattern) + PATTERN_PIPS[pattern]


@inner
def _longest_suit(hand: int, ranks: int) -> int:
    """Return the longest suit."""
    longest = 0
    for suit in range(1, 4):
        if _weight_of_suit(hand, suit, ranks) > _weight_of_suit(hand, longest, ranks):
            longest = suit
    return longest


@inner
def _shortest_suit(hand: int, ranks: int) -> int:
    """Return the shortest suit of which the hand holds a card."""
    shortest, least = 0, 1_000_000
    for suit in range(4):
        weight = _weight_of_suit(hand, suit, ranks)
        if 0 < weight < least:
            shortest, least = suit, weight
    return shortest


@inner
def _lowest_of_suit(hand: int, suit: int, ranks: int) -> int:
    """Return the lowest card of a suit that is held."""
    card = suit * ranks
    while hand >> card & 1 == 0:
        card += 1
    return card


# -- the exchange -----------------------------------------------------------------------------------------------------


@inner
def _full_number(observation: np.ndarray, layout: np.void, scale: float, elder_max: int) -> int:
    """Return how many cards this seat may exchange."""
    if observation[layout["elder"]] > 0:
        return elder_max
    taken_by_elder = int(observation[layout["other_taken"]] * scale + 0.5) - 1
    return layout["pack"] - 24 - taken_by_elder


@inner
def _worst_cards(hand: int, number: int, ranks: int) -> int:
    """Return the `number` cards to throw: the lowest of the other suits, then the lowest of the longest."""
    longest = _longest_suit(hand, ranks)
    thrown = 0
    for keeps in range(2):
        for rank in range(ranks):
            for suit in range(4):
                card = 1 << (suit * ranks + rank)
                if number > 0 and hand & card and (suit == longest) == (keeps == 1):
                    thrown |= card
                    number -= 1
    return thrown


@inner
def _discard(mask: np.ndarray, hand: int, number: int, layout: np.void, first: int) -> int:
    """Return the next discard in ascending order; the draw when all are laid out.

    The mask offers only cards behind those laid out, so the first of the plan that it offers is the next.
    """
    thrown = _worst_cards(hand, number, layout["ranks"])
    for card in range(layout["pack"]):
        if thrown >> card & 1 and mask[layout["id discard"] + card]:
            return layout["id discard"] + card
    return layout["id draw"] if mask[layout["id draw"]] else first


# -- the dialogue -----------------------------------------------------------------------------------------------------


@inner
def _claim(mask: np.ndarray, hand: int, calling: bool, layout: np.void, first: int) -> int:
    """Return the claim to make: the best as a call and of points, else the first full one."""
    if first < layout["id sequence"]:
        return _best_point(mask, hand, layout)
    if first < layout["id set"]:
        return _best_sequence(mask, hand, layout) if calling else _first_full_run(mask, hand, layout, first)
    return _best_set(mask, hand, layout) if calling else first


@inner
def _best_point(mask: np.ndarray, hand: int, layout: np.void) -> int:
    """Return the legal point of the longest suit."""
    best, best_weight = -1, -1
    for suit in range(4):
        weight = _weight_of_suit(hand, suit, layout["ranks"])
        if mask[layout["id point"] + suit] and weight > best_weight:
            best, best_weight = suit, weight
    return layout["id point"] + best


@inner
def _run_length(hand: int, item: int, ranks: int) -> int:
    """Return the length of the run that goes down from the top of a sequence."""
    return DOWN_RUN[pattern_of(hand, item // (ranks - 2), ranks), item_top(item, ranks)]


@inner
def _best_sequence(mask: np.ndarray, hand: int, layout: np.void) -> int:
    """Return the legal sequence that is longest, then has the highest top."""
    ranks = layout["ranks"]
    best, best_weight = -1, -1
    for item in range(layout["id set"] - layout["id sequence"]):
        weight = 10 * _run_length(hand, item, ranks) + item_top(item, ranks)
        if mask[layout["id sequence"] + item] and weight > best_weight:
            best, best_weight = item, weight
    return layout["id sequence"] + best


@inner
def _first_full_run(mask: np.ndarray, hand: int, layout: np.void, first: int) -> int:
    """Return the first legal sequence with which a full run is claimed, else `first`."""
    ranks = layout["ranks"]
    for item in range(layout["id set"] - layout["id sequence"]):
        if mask[layout["id sequence"] + item]:
            top = item_top(item, ranks)
            pattern = pattern_of(hand, item // (ranks - 2), ranks)
            if top == 8 or pattern >> (top + 1) & 1 == 0:
                return layout["id sequence"] + item
    return first


@inner
def _best_set(mask: np.ndarray, hand: int, layout: np.void) -> int:
    """Return the legal set that is largest, then of the highest rank."""
    best, best_weight = -1, -1
    for item in range(5):
        weight = 10 * set_size(hand, item + 4, layout["ranks"]) + item
        if mask[layout["id set"] + item] and weight > best_weight:
            best, best_weight = item, weight
    return layout["id set"] + best


# -- the play ---------------------------------------------------------------------------------------------------------


@inner
def _lead(hand: int, unseen: int, layout: np.void) -> int:
    """Return the lead: the highest card that no unseen card beats, else the lowest of the longest suit."""
    ranks = layout["ranks"]
    for rank in range(8, 8 - ranks, -1):
        best, best_weight = -1, -1
        for suit in range(4):
            holds = pattern_of(hand, suit, ranks) >> rank & 1
            weight = _weight_of_suit(hand, suit, ranks)
            if holds and pattern_of(unseen, suit, ranks) >> rank == 0 and weight > best_weight:
                best, best_weight = suit, weight
        if best >= 0:
            return best * ranks + rank - (9 - ranks)
    return _lowest_of_suit(hand, _longest_suit(hand, ranks), ranks)


@inner
def _follow(hand: int, led: int, layout: np.void) -> int:
    """Return the answer to the card led (as a mask of one card)."""
    ranks = layout["ranks"]
    card = 0
    while led >> card & 1 == 0:
        card += 1
    suit = card // ranks
    if pattern_of(hand, suit, ranks) == 0:
        return _lowest_of_suit(hand, _shortest_suit(hand, ranks), ranks)
    for higher in range(card + 1, (suit + 1) * ranks):
        if hand >> higher & 1:
            return higher
    return _lowest_of_suit(hand, suit, ranks)
