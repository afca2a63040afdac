"""How a network reads an observation: as lists of inputs that are not zero.

An observation is mostly zeros, and the first layer of a network is two thirds of its work; so rows are read into lists
of places and values, once for actor and critic. A *reading* says which inputs there are:

| reading | inputs |
|---|---|
| `plain` | the entries of the observation, times their scale |
| `suits` | the same with the suits in an order of their own, and what follows from the cards of a suit |
| `tricks` | and each card played with its trick, and whether it was led, followed suit or was thrown |

Nothing in Piquet tells one suit from another, but a network that reads cards by number has to learn everything four
times over. Under `suits` the longest suit of the hand stands first (of equally long ones the higher cards), so that a
suit's place means something; actions are numbered in that order too. In the exchange, where cards are laid out in
ascending order of the real suits, these are kept, and inputs of their own stand for that phase. Each suit is also
read as a whole: own cards and the cards that may be against it as patterns, numbers and winners, and the other's
voids; before the play each rank by how many are held and how many may be against them; points and tricks also by
number. All of it is computed from the observation.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from agents.jit import inner, jit
from piquet_env.observation import decode, observation_scale, observation_size
from piquet_env.rules.actions import (
    KIND_DISCARD,
    KIND_PLAY,
    KIND_WITHHOLD,
    WORD_POINT,
    WORD_SEQUENCE,
    num_actions,
)
from piquet_env.rules.knowledge import VIEW_NAMES

READINGS = ("plain", "suits", "tricks")
WORD = 8  # entries looked at together; a row is padded to whole words

CARD_BLOCKS = int(decode(np.arange(observation_size(32)))["elder"][0]) // 32  # they stand first
_HIDDEN_BLOCKS = 3  # the other's hand, the other's discards, place in the talon
_AS_ONE = ("talon_seen", "own_trick", "other_trick")  # blocks by card whose numbers are read as marks
EXCHANGES = ("cut", "carte blanche", "exchange elder", "exchange younger")
PLAYS = ("lead", "follow", "over")
_ORDERS = list(itertools.permutations(range(4)))
_KEPT = len(_ORDERS)  # the order of the exchange
_MOST_OF_SUIT = 10  # 0 to 9 cards
_MOST_OF_RANK = 5  # 0 to 4 cards
_POINTS = 64
_TRICKS = 13
_CARDS_PLAYED = 24
_WAYS = 3  # led, followed suit, thrown
# Inputs that a row may have beyond its entries: nine a suit, two a rank, seven by number, some to spare, cards played.
_DERIVED = 72 + _CARDS_PLAYED

# Which number of a list of places in `Layout.starts` is what.
_OWN_PATTERN, _AGAINST_PATTERN, _COUNTS, _VOIDS, _NUMBERS, _RANKS, _HIDDEN_PATTERN, _HIDDEN_COUNTS, _PLAYED = range(9)
_PARTS = 9


class Inputs(NamedTuple):
    """The inputs of N rows that are not zero, one list behind the other.

    starts: int64[N + 1], where each row's list begins; own_ends: int64[N], where what the seat may see ends
    places: int32, the inputs; values: float32
    orders: int64[N], the order of the suits in each row, for `Reading.actions`
    exchanges: int64[N], 1 where cards are exchanged, else 0
    """

    starts: npt.NDArray[np.int64]
    own_ends: npt.NDArray[np.int64]
    places: npt.NDArray[np.int32]
    values: npt.NDArray[np.float32]
    orders: npt.NDArray[np.int64]
    exchanges: npt.NDArray[np.int64]


def join_inputs(parts: Sequence[Inputs]) -> Inputs:
    """Return the rows of several parts as one, in their order."""
    sizes = [int(part.starts[-1]) for part in parts]
    firsts = np.concatenate([[0], np.cumsum(sizes)])
    before = list(zip(parts, firsts.tolist(), strict=False))
    return Inputs(
        np.concatenate([part.starts[:-1] + first for part, first in before] + [firsts[-1:]]),
        np.concatenate([part.own_ends + first for part, first in before]),
        np.concatenate([part.places[:size] for part, size in zip(parts, sizes, strict=True)]),
        np.concatenate([part.values[:size] for part, size in zip(parts, sizes, strict=True)]),
        np.concatenate([part.orders for part in parts]),
        np.concatenate([part.exchanges for part in parts]),
    )


class Reading:
    """A reading of the observations of a pack, with or without the hidden cards behind them.

    num_own, num_all: inputs of an actor, and of a critic that sees the hidden cards; whole words
    num_read:         inputs of an actor without the padding behind them, as its file holds them
    row_size:         entries of a row with the hidden cards: the observation and the hidden part, each padded to words
    actions:          int64[orders, A], for each action its number among a network's outputs
    Raises ValueError for an unknown name.
    """

    def __init__(self, name: str, pack: int) -> None:
        if name not in READINGS:
            raise ValueError(f"unknown reading {name!r}; it is one of {', '.join(READINGS)}")
        self.name, self.pack = name, pack
        self.own_size, self.row_size = padded(observation_size(pack)), padded(observation_size(pack)) + padded(3 * pack)
        self._is_by_suit = name != "plain"
        ranks = pack // 4
        if self._is_by_suit:
            self._places, self._starts, self.num_own, self.num_all = _suit_places(pack, with_tricks=name == "tricks")
            self.num_read = self.num_own
        else:
            self._places = np.arange(self.row_size, dtype=np.int32)[None, :]
            self._starts = np.zeros(_PARTS, dtype=np.int64)
            self.num_own, self.num_all, self.num_read = self.own_size, self.row_size, observation_size(pack)
        self._scale = _scale(pack, self.own_size, self.row_size, as_ones=self._is_by_suit)
        self._blocks = _block_places(pack)
        self.actions = _actions(pack) if self._is_by_suit else np.arange(num_actions(pack))[None, :]
        self._ranks = ranks

    def columns_of(self, other: Reading) -> npt.NDArray[np.int64]:
        """Return the input that stands here for each input of another reading, int64[other.num_all]; -1 for padding.

        ValueError unless it is the same reading, or this one has all of its inputs and more: `tricks` those of `suits`.
        """
        if other is self:
            return np.arange(self.num_all)
        if (self.name, other.name, self.pack) != ("tricks", "suits", other.pack):
            raise ValueError(f"the reading {self.name!r} does not have the inputs of {other.name!r}")
        columns = np.arange(other.num_all)
        columns[other.num_own :] += self.num_own - other.num_own
        columns[self._starts[_PLAYED] : other.num_own] = -1
        return columns

    def rows(self, observations: np.ndarray) -> npt.NDArray[np.int8]:
        """Return observations, float32 or int8, as rows without hidden cards: int8[N, own_size]."""
        size = observation_size(self.pack)
        rows = np.zeros((len(observations), self.own_size), dtype=np.int8)
        if observations.dtype.kind == "f":
            np.rint(observations / observation_scale(self.pack), out=rows[:, :size], casting="unsafe")
        else:
            rows[:, :size] = observations
        return rows

    def read(self, rows: npt.NDArray[np.int8]) -> Inputs:
        """Return the inputs of rows, int8[N, own_size] or int8[N, row_size]."""
        words = np.ascontiguousarray(rows).view(np.int64)
        most = int(np.count_nonzero(rows)) + (_DERIVED * len(rows) if self._is_by_suit else 0)
        found = Inputs(
            np.empty(len(rows) + 1, dtype=np.int64),
            np.empty(len(rows), dtype=np.int64),
            np.empty(most, dtype=np.int32),
            np.empty(most, dtype=np.float32),
            np.zeros(len(rows), dtype=np.int64),
            np.zeros(len(rows), dtype=np.int64),
        )
        list_inputs(
            words,
            self.own_size // WORD,
            self._is_by_suit,
            self._ranks,
            self._places,
            self._scale,
            self._blocks,
            self._starts,
            _ORDER_NUMBERS,
            *found,
        )
        return found


@lru_cache
def reading_of(name: str, pack: int) -> Reading:
    """Return a reading; they hold nothing that changes."""
    return Reading(name, pack)


def padded(size: int) -> int:
    """Return a number of entries rounded up to whole words."""
    return (size + WORD - 1) // WORD * WORD


# -- the tables of a reading ------------------------------------------------------------------------------------------


def _order_numbers() -> npt.NDArray[np.int64]:
    """Return the number of an order of suits, by its suits written as digits to the base 4."""
    numbers = np.zeros(256, dtype=np.int64)
    for number, order in enumerate(_ORDERS):
        numbers[sum(suit * 4**slot for slot, suit in enumerate(order))] = number
    return numbers


_ORDER_NUMBERS = _order_numbers()


def _slots() -> list[tuple[int, ...]]:
    """Return for each order, the exchange's last, the slot of each suit."""
    return [tuple(order.index(suit) for suit in range(4)) for order in _ORDERS] + [(0, 1, 2, 3)]


def _suit_places(pack: int, *, with_tricks: bool) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64], int, int]:
    """Return the input of each entry by order, where the derived inputs begin, and the numbers of inputs."""
    ranks, size = pack // 4, observation_size(pack)
    own_size, row_size = padded(size), padded(size) + padded(_HIDDEN_BLOCKS * pack)
    cards, facts = CARD_BLOCKS * pack, size - CARD_BLOCKS * pack
    patterns = 4 << ranks
    sizes = {
        _OWN_PATTERN: 2 * patterns,  # in the exchange, and behind it
        _AGAINST_PATTERN: patterns,
        _COUNTS: 2 * 4 * 4 * _MOST_OF_SUIT,
        _VOIDS: 4,
        _NUMBERS: 2 * _POINTS + 3 * _TRICKS,
        _RANKS: 2 * 2 * ranks * _MOST_OF_RANK,  # in the exchange and in the dialogue
    }
    starts = np.zeros(_PARTS, dtype=np.int64)
    end = 2 * cards + facts
    if with_tricks:
        sizes[_PLAYED] = 2 * _WAYS * (_TRICKS - 1) * pack
    for part, inputs in sizes.items():
        starts[part] = end
        end += inputs
    num_own = padded(end)
    hidden = num_own
    starts[_HIDDEN_PATTERN] = hidden + 2 * _HIDDEN_BLOCKS * pack
    starts[_HIDDEN_COUNTS] = starts[_HIDDEN_PATTERN] + 2 * patterns
    num_all = padded(int(starts[_HIDDEN_COUNTS]) + 2 * 4 * _MOST_OF_SUIT)
    places = np.zeros((len(_ORDERS) + 1, row_size), dtype=np.int32)
    for number, slots in enumerate(_slots()):
        bank = number == _KEPT
        card = np.array([slots[place // ranks] * ranks + place % ranks for place in range(pack)])
        for block in range(CARD_BLOCKS):
            places[number, block * pack : (block + 1) * pack] = bank * cards + block * pack + card
        places[number, cards:size] = 2 * cards + np.arange(facts)
        for block in range(_HIDDEN_BLOCKS):
            first = own_size + block * pack
            places[number, first : first + pack] = hidden + (bank * _HIDDEN_BLOCKS + block) * pack + card
    return places, starts, num_own, num_all


def _scale(pack: int, own_size: int, row_size: int, *, as_ones: bool) -> npt.NDArray[np.float32]:
    """Return the factor of each entry, 0 for padding; negative where any number is read as 1."""
    scale = np.zeros(row_size, dtype=np.float32)
    scale[: observation_size(pack)] = observation_scale(pack)
    if as_ones:
        places = decode(np.arange(observation_size(pack)))
        for block in _AS_ONE:
            scale[places[block]] = -1
    scale[own_size : own_size + 2 * pack] = 1  # the other's hand and discards
    scale[own_size + 2 * pack : own_size + 3 * pack] = 1 / 12  # place in the talon
    return scale


# Entries that derived inputs are computed from, by their number in `_block_places`.
_HAND, _UNSEEN, _KNOWN, _OWN_TRICK, _OTHER_TRICK, _LED, _PHASES, _OWN_POINTS, _OTHER_POINTS, _WON = range(10)
_NUM_EXCHANGES, _FIRST_PLAY, _END_PLAY = range(10, 13)  # phases
_NAMES = ("hand", "unseen", "other_known", "own_trick", "other_trick", "tricks_led", "phase")
_BLOCK_NAMES = (*_NAMES, "own_points", "other_points", "tricks_won")


def _block_places(pack: int) -> npt.NDArray[np.int64]:
    """Return where the blocks begin from which inputs are derived; then how many phases exchange, and which play."""
    places = decode(np.arange(observation_size(pack)))
    assert VIEW_NAMES[: len(EXCHANGES)] == EXCHANGES
    first = VIEW_NAMES.index(PLAYS[0])
    assert VIEW_NAMES[first : first + len(PLAYS)] == PLAYS
    phases = (len(EXCHANGES), first, first + len(PLAYS))
    return np.array([*(places[name][0] for name in _BLOCK_NAMES), *phases], dtype=np.int64)


def _actions(pack: int) -> npt.NDArray[np.int64]:
    """Return for each order the output of each action: int64[orders, A]."""
    ranks, actions = pack // 4, num_actions(pack)
    found = np.tile(np.arange(actions), (len(_ORDERS) + 1, 1))
    point, sequences, tops = 3 * pack + WORD_POINT, 3 * pack + WORD_SEQUENCE, ranks - 2
    for number, slots in enumerate(_slots()):
        for kind in (KIND_PLAY, KIND_DISCARD, KIND_WITHHOLD):
            for suit in range(4):
                own, theirs = kind * pack + suit * ranks, kind * pack + slots[suit] * ranks
                found[number, own : own + ranks] = theirs + np.arange(ranks)
        for suit in range(4):
            found[number, point + suit] = point + slots[suit]
            own, theirs = sequences + suit * tops, sequences + slots[suit] * tops
            found[number, own : own + tops] = theirs + np.arange(tops)
    return found


# -- the kernel -------------------------------------------------------------------------------------------------------


@inner
def _pattern(entries: np.ndarray, row: int, first: int, suit: int, ranks: int) -> int:
    """Return the cards of a suit that are marked in a block, lowest rank in bit 0."""
    pattern = 0
    for rank in range(ranks):
        if entries[row, first + suit * ranks + rank] != 0:
            pattern |= 1 << rank
    return pattern


@inner
def _count(pattern: int) -> int:
    count = 0
    while pattern:
        pattern &= pattern - 1
        count += 1
    return count


@inner
def _winners(own: int, against: int) -> int:
    """Return how many cards of a suit are above all that are against them."""
    highest = 0
    while against >> highest:
        highest += 1
    return _count(own >> highest)


@inner
def _voids(entries: np.ndarray, row: int, blocks: np.ndarray, ranks: int) -> int:
    """Return the suits that the other has not followed to, as a mask."""
    voids = 0
    for card in range(4 * ranks):
        trick = entries[row, blocks[_OWN_TRICK] + card]
        if trick == 0 or entries[row, blocks[_LED] + trick - 1] == 0:
            continue
        for answer in range(4 * ranks):
            if entries[row, blocks[_OTHER_TRICK] + answer] == trick and answer // ranks != card // ranks:
                voids |= 1 << card // ranks
    return voids


@inner
def _sorted_suits(entries: np.ndarray, row: int, blocks: np.ndarray, ranks: int) -> int:
    """Return the suits, the longest of the hand of twelve first, as digits to the base 4."""
    digits = 0
    taken = 0
    for slot in range(4):
        best, most = -1, -1
        for suit in range(4):
            if taken >> suit & 1:
                continue
            held = _pattern(entries, row, blocks[_HAND], suit, ranks)
            held |= _pattern(entries, row, blocks[_OWN_TRICK], suit, ranks)
            key = _count(held) << ranks | held
            if key > most:
                best, most = suit, key
        taken |= 1 << best
        digits |= best << 2 * slot
    return digits


@inner
def _add(places: np.ndarray, values: np.ndarray, found: int, place: int) -> int:
    places[found] = place
    values[found] = np.float32(1.0)
    return found + 1


@inner
def _derive_played(
    entries: np.ndarray,
    row: int,
    digits: int,
    ranks: int,
    blocks: np.ndarray,
    start: int,
    places: np.ndarray,
    values: np.ndarray,
    found: int,
) -> int:
    """Add an input for each card played: by whom, in which trick, in which way; return how many there are now."""
    suits = 0  # the suit of the card that each trick was led with, as digits to the base 4
    for card in range(4 * ranks):
        for side in range(2):
            trick = int(entries[row, blocks[_OWN_TRICK + side] + card])
            if trick > 0 and (entries[row, blocks[_LED] + trick - 1] == 0) == (side == 1):
                suits |= card // ranks << 2 * (trick - 1)
    for slot in range(4):
        suit = digits >> 2 * slot & 3
        for rank in range(ranks):
            card = suit * ranks + rank
            for side in range(2):
                trick = int(entries[row, blocks[_OWN_TRICK + side] + card])
                if trick == 0:
                    continue
                if (entries[row, blocks[_LED] + trick - 1] == 0) == (side == 1):
                    way = 0
                else:
                    way = 1 if suits >> 2 * (trick - 1) & 3 == suit else 2
                place = ((side * _WAYS + way) * (_TRICKS - 1) + trick - 1) * 4 * ranks + slot * ranks + rank
                found = _add(places, values, found, start + place)
    return found


@inner
def _derive_own(
    entries: np.ndarray,
    row: int,
    digits: int,
    bank: int,
    is_before_play: bool,
    ranks: int,
    blocks: np.ndarray,
    starts: np.ndarray,
    places: np.ndarray,
    values: np.ndarray,
    found: int,
) -> int:
    """Add the inputs that follow from what the seat sees; return how many there are now."""
    voids = _voids(entries, row, blocks, ranks)
    for slot in range(4):
        suit = digits >> 2 * slot & 3
        own = _pattern(entries, row, blocks[_HAND], suit, ranks)
        unseen = _pattern(entries, row, blocks[_UNSEEN], suit, ranks)
        against = unseen | _pattern(entries, row, blocks[_KNOWN], suit, ranks)
        found = _add(places, values, found, starts[_OWN_PATTERN] + ((bank * 4 + slot) << ranks) + own)
        if bank == 0:
            found = _add(places, values, found, starts[_AGAINST_PATTERN] + (slot << ranks) + against)
            if voids >> suit & 1:
                found = _add(places, values, found, starts[_VOIDS] + slot)
        first = starts[_COUNTS] + (bank * 4 + slot) * 4 * _MOST_OF_SUIT
        found = _add(places, values, found, first + _count(own))
        found = _add(places, values, found, first + _MOST_OF_SUIT + _count(against))
        found = _add(places, values, found, first + 2 * _MOST_OF_SUIT + _winners(own, against))
        found = _add(places, values, found, first + 3 * _MOST_OF_SUIT + _winners(against, own))
    own_points, other_points, held = 0, 0, 0
    for column in range(8):
        own_points += entries[row, blocks[_OWN_POINTS] + column]
        other_points += entries[row, blocks[_OTHER_POINTS] + column]
    for card in range(4 * ranks):
        held += entries[row, blocks[_HAND] + card]
    if is_before_play:
        for rank in range(ranks):
            mine, theirs = 0, 0
            for suit in range(4):
                card = suit * ranks + rank
                mine += entries[row, blocks[_HAND] + card]
                theirs += entries[row, blocks[_UNSEEN] + card] | entries[row, blocks[_KNOWN] + card]
            first = starts[_RANKS] + (bank * ranks + rank) * 2 * _MOST_OF_RANK
            found = _add(places, values, found, first + mine)
            found = _add(places, values, found, first + _MOST_OF_RANK + theirs)
    first = starts[_NUMBERS]
    found = _add(places, values, found, first + min(max(own_points, 0), _POINTS - 1))
    found = _add(places, values, found, first + _POINTS + min(max(other_points, 0), _POINTS - 1))
    first += 2 * _POINTS
    found = _add(places, values, found, first + min(held, _TRICKS - 1))
    found = _add(places, values, found, first + _TRICKS + entries[row, blocks[_WON]])
    found = _add(places, values, found, first + 2 * _TRICKS + entries[row, blocks[_WON] + 1])
    if bank == 0 and starts[_PLAYED] > 0:
        found = _derive_played(entries, row, digits, ranks, blocks, starts[_PLAYED], places, values, found)
    return found


@inner
def _derive_hidden(
    entries: np.ndarray,
    row: int,
    digits: int,
    bank: int,
    ranks: int,
    blocks: np.ndarray,
    starts: np.ndarray,
    hidden: int,
    places: np.ndarray,
    values: np.ndarray,
    found: int,
) -> int:
    """Add the inputs that follow from the other's hand; return how many there are now."""
    for slot in range(4):
        suit = digits >> 2 * slot & 3
        own = _pattern(entries, row, blocks[_HAND], suit, ranks)
        theirs = _pattern(entries, row, hidden, suit, ranks)
        found = _add(places, values, found, starts[_HIDDEN_PATTERN] + ((bank * 4 + slot) << ranks) + theirs)
        first = starts[_HIDDEN_COUNTS] + 2 * slot * _MOST_OF_SUIT
        found = _add(places, values, found, first + _winners(own, theirs))
        found = _add(places, values, found, first + _MOST_OF_SUIT + _winners(theirs, own))
    return found


@jit
def list_inputs(
    words: np.ndarray,
    own_words: int,
    is_by_suit: bool,
    ranks: int,
    places_of: np.ndarray,
    scale: np.ndarray,
    blocks: np.ndarray,
    parts: np.ndarray,
    order_numbers: np.ndarray,
    starts: np.ndarray,
    own_ends: np.ndarray,
    places: np.ndarray,
    values: np.ndarray,
    orders: np.ndarray,
    exchanges: np.ndarray,
) -> None:
    """Fill the arrays of `Inputs` from rows of int8 entries that are read as int64[N, W] words.

    places_of: int32[orders, entries], scale: float32[entries], blocks, parts: int64, the tables of a `Reading`
    """
    entries = words.view(np.int8)
    found = 0
    for row in range(words.shape[0]):
        starts[row] = found
        digits, bank, order, before = 0, 0, 0, False
        for phase in range(blocks[_NUM_EXCHANGES]):
            exchanges[row] |= entries[row, blocks[_PHASES] + phase]
        if is_by_suit:
            bank = exchanges[row]
            before = True
            for phase in range(blocks[_FIRST_PLAY], blocks[_END_PLAY]):
                before &= entries[row, blocks[_PHASES] + phase] == 0
            digits = 228 if bank else _sorted_suits(entries, row, blocks, ranks)  # 228: the suits as they stand
            order = _KEPT if bank else order_numbers[digits]
        orders[row] = order
        for word in range(words.shape[1]):
            if word == own_words:
                if is_by_suit:
                    found = _derive_own(entries, row, digits, bank, before, ranks, blocks, parts, places, values, found)
                own_ends[row] = found
            if words[row, word] == 0:
                continue
            for entry in range(WORD * word, WORD * word + WORD):
                if entries[row, entry] != 0:
                    places[found] = places_of[order, entry]
                    factor = scale[entry]
                    values[found] = np.float32(entries[row, entry]) * factor if factor >= 0 else np.float32(1.0)
                    found += 1
        if own_words >= words.shape[1]:
            if is_by_suit:
                found = _derive_own(entries, row, digits, bank, before, ranks, blocks, parts, places, values, found)
            own_ends[row] = found
        elif is_by_suit:
            hidden = WORD * own_words
            found = _derive_hidden(entries, row, digits, bank, ranks, blocks, parts, hidden, places, values, found)
    starts[words.shape[0]] = found
