"""The observation: one table of blocks, from which the vector, its named views, the `Box` and docs/observation.md come.

The vector is the seat's information state with perfect recall of the deal, seen from that seat (self first). Every
entry is a small whole number; `encode` writes them as int8, and the float32 form divides each by the block's `high`,
so that all entries lie in [0, 1].
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from .rules.jit import inline, inner, jit
from .rules.knowledge import VIEW_NAMES, hears, is_pique_open, is_repique_open, view_of
from .rules.state import (
    CATEGORY_NAMES,
    CB_ANNOUNCED,
    CB_SHOWN,
    CB_SILENT,
    COLUMN_BONUS,
    COLUMN_NAMES,
    COLUMN_ROUGE,
    DEAL_OVER,
    ELDER,
    NOBODY,
    TO_ELDER,
    TO_YOUNGER,
    TURNED_UP,
    YOUNGER,
    role_of,
)

OBSERVATION_VERSION = 1
TOTAL_STEPS = 16  # thermometer of a total: ten points a step


class Block(NamedTuple):
    """One row of the table: a named part of the vector. `size` is the number of entries, `high` the largest value."""

    name: str
    size: int
    high: int
    meaning: str


_CARD_BLOCKS = (
    ("hand", 1, "own hand; cards laid out for the exchange stay in it until the draw"),
    ("dealt", 1, "own hand as dealt"),
    ("discards", 1, "own discards, those being laid out included"),
    ("talon_seen", 12, "elder: place in the talon (from 1) of the cards that he saw and left"),
    ("leftovers", 1, "cards left in the talon that younger has turned up"),
    ("own_known", 1, "own cards that the other knows to be in this hand"),
    ("other_known", 1, "cards known to be in the other's hand"),
    ("unseen", 1, "cards whose place this seat does not know"),
    ("composing", 1, "own claim being put together (sinking='partial')"),
    ("own_point", 1, "own cards called or scored as the point, kept for the whole deal"),
    ("own_sequence", 1, "likewise in sequences"),
    ("own_set", 1, "likewise in sets"),
    ("other_point", 1, "cards that the other has shown for the point, kept for the whole deal"),
    ("other_sequence", 1, "likewise in sequences"),
    ("other_set", 1, "likewise in sets"),
    ("other_dealt", 1, "the other's twelve dealt cards, once a carte blanche has shown them"),
    ("own_trick", 12, "number of the trick (from 1) to which this seat played the card"),
    ("other_trick", 12, "number of the trick (from 1) to which the other played the card"),
    ("table", 1, "the card led to the trick now on the table"),
)
_STATUS_NAMES = ("uncalled", "passed", "dead", "own", "other")
_COLUMNS = ", ".join(COLUMN_NAMES)
_FACT_BLOCKS = (
    Block("elder", 1, 1, "this seat is elder"),
    Block("turn", 1, 1, "it is this seat's turn, as far as has been said"),
    Block("phase", len(VIEW_NAMES), 1, "one of: " + ", ".join(VIEW_NAMES)),
    Block("category", 3, 1, "one of: " + ", ".join(CATEGORY_NAMES) + "; none outside the dialogue"),
    Block("own_taken", 1, 12, "cards exchanged by this seat, plus one; 0 until it is said"),
    Block("other_taken", 1, 12, "cards exchanged by the other, plus one; 0 until it is said"),
    Block("own_carte_blanche", 3, 1, "one of: kept silent, announced, shown"),
    Block("other_carte_blanche", 2, 1, "one of: announced, shown"),
    Block("status", 15, 1, "for point, sequence, set: one of " + ", ".join(_STATUS_NAMES)),
    Block("call_length", 3, 9, "by category: cards that elder has called; 0 none"),
    Block(
        "call_rank", 3, 100, "by category: pips of the point, top or rank (six 0 … ace 8) plus one, once said; else 0"
    ),
    Block("reply", 9, 1, "for point, sequence, set: one of good, equal, not good"),
    Block("second_reply", 9, 1, "for point, sequence, set: one of good, equal, not good, to pips or top"),
    Block("point_scored", 2, 100, "cards and pips (0 if unsaid) of the point scored"),
    Block(
        "sequences_scored",
        8,
        10,
        "for up to four sequences scored, best first: cards, and top (six 0 … ace 8) plus one",
    ),
    Block("sets_scored", 5, 4, "cards of the set scored, for T J Q K A"),
    Block("own_points", 8, 60, "own points of the deal: " + _COLUMNS),
    Block("other_points", 8, 60, "the other's points of the deal: " + _COLUMNS),
    Block("repique_open", 2, 1, "the record still allows a repique: own, the other's"),
    Block("pique_open", 2, 1, "the record still allows a pique: own, the other's"),
    Block("tricks_won", 2, 12, "tricks won: own, the other's"),
    Block("tricks_led", 12, 1, "by trick: led by this seat"),
    Block("tricks_taken", 12, 1, "by trick: won by this seat"),
    Block("deal", 8, 1, "one of: first deal of the partie … seventh, eighth or later"),
    Block("deal_number", 2, 99, "number of the deal: units and hundreds (below and above 100)"),
    Block("deals_left", 1, 99, "deals that will follow this one, as planned (at most 99); 0 in au cent"),
    Block("extra_deals", 1, 1, "the deals that break a tie are being played"),
    Block("own_total", 3, 99, "own points from ended deals: two digits below 100, the next two, the rest"),
    Block("other_total", 3, 99, "likewise the other's"),
    Block("own_total_steps", TOTAL_STEPS, 1, "own points from ended deals have reached 10, 20 … 160"),
    Block("other_total_steps", TOTAL_STEPS, 1, "likewise the other's"),
    Block("own_games", 2, 99, "au cent: games won, two digits and the rest"),
    Block("other_games", 2, 99, "likewise the other's"),
)


@lru_cache
def observation_table(pack: int = 32) -> tuple[Block, ...]:
    """Return the blocks of the observation of a pack, in the order of the vector."""
    return tuple(Block(name, pack, high, f"by card: {meaning}") for name, high, meaning in _CARD_BLOCKS) + _FACT_BLOCKS


@lru_cache
def observation_size(pack: int = 32) -> int:
    """Return the number of entries of the vector."""
    return sum(block.size for block in observation_table(pack))


@lru_cache
def _slices(pack: int) -> dict[str, slice]:
    places: dict[str, slice] = {}
    start = 0
    for block in observation_table(pack):
        places[block.name] = slice(start, start + block.size)
        start += block.size
    return places


@lru_cache
def observation_scale(pack: int = 32) -> np.ndarray:
    """Return the factor of every entry between the int8 and the float32 form: float32[observation_size], read-only."""
    scale = np.concatenate([np.full(block.size, 1 / block.high, dtype=np.float32) for block in observation_table(pack)])
    scale.setflags(write=False)
    return scale


def decode(observation: np.ndarray) -> dict[str, np.ndarray]:
    """Return the named views of an observation (last axis: the vector), int8 or float32; no copies.

    Raises ValueError for a vector of another length.
    """
    for pack in (32, 36):
        if observation.shape[-1] == observation_size(pack):
            return {name: observation[..., place] for name, place in _slices(pack).items()}
    raise ValueError(
        f"an observation has {observation_size(32)} or {observation_size(36)} entries, not {observation.shape[-1]}"
    )


_CARDS = len(_CARD_BLOCKS)
# The blocks of cards in the order of the table.
(_HAND, _DEALT, _DISCARDS, _TALON_SEEN, _LEFTOVERS, _OWN_KNOWN, _OTHER_KNOWN, _UNSEEN, _COMPOSING) = range(9)
_OWN_CLAIMS, _OTHER_CLAIMS = 9, 12  # three blocks each: point, sequence, set
(_OTHER_DEALT, _OWN_TRICK, _OTHER_TRICK, _TABLE) = range(15, _CARDS)
# Where the facts begin behind the card blocks, frozen into the kernel.
_OFFSETS = {name: place.start - _CARDS * 32 for name, place in _slices(32).items()}
_ELDER, _TURN, _PHASE, _CATEGORY = _OFFSETS["elder"], _OFFSETS["turn"], _OFFSETS["phase"], _OFFSETS["category"]
_OWN_TAKEN, _OTHER_TAKEN = _OFFSETS["own_taken"], _OFFSETS["other_taken"]
_OWN_CB, _OTHER_CB = _OFFSETS["own_carte_blanche"], _OFFSETS["other_carte_blanche"]
_STATUS, _CALL_LENGTH, _CALL_RANK = _OFFSETS["status"], _OFFSETS["call_length"], _OFFSETS["call_rank"]
_REPLY, _SECOND_REPLY = _OFFSETS["reply"], _OFFSETS["second_reply"]
_POINT_SCORED, _SEQUENCES, _SETS = _OFFSETS["point_scored"], _OFFSETS["sequences_scored"], _OFFSETS["sets_scored"]
_OWN_POINTS, _OTHER_POINTS = _OFFSETS["own_points"], _OFFSETS["other_points"]
_REPIQUE, _PIQUE = _OFFSETS["repique_open"], _OFFSETS["pique_open"]
_TRICKS_WON, _LED, _TAKEN = _OFFSETS["tricks_won"], _OFFSETS["tricks_led"], _OFFSETS["tricks_taken"]
_DEAL, _DEAL_NUMBER, _LEFT, _EXTRA = (_OFFSETS[name] for name in ("deal", "deal_number", "deals_left", "extra_deals"))
_OWN_TOTAL, _OTHER_TOTAL = _OFFSETS["own_total"], _OFFSETS["other_total"]
_OWN_STEPS, _OTHER_STEPS = _OFFSETS["own_total_steps"], _OFFSETS["other_total_steps"]
_OWN_GAMES, _OTHER_GAMES = _OFFSETS["own_games"], _OFFSETS["other_games"]


# The vector is put together in a scratch of eight-byte words: first the facts, then the blocks of cards, each of which
# begins with a word: four words for 32 cards, five for 36. Such a block is written by as many table look-ups, far
# faster than card by card. Arrays are handed on whole, with an index, because a slice would count references.
_BITS = np.array([[byte >> bit & 1 for bit in range(8)] for byte in range(256)], dtype=np.int8)
_WORD_OF_BYTE = np.ascontiguousarray(_BITS).view(np.int64).ravel()
_STEPS_REACHED = np.tri(TOTAL_STEPS + 1, TOTAL_STEPS, -1, dtype=np.int8)  # row r: r ones, then zeros
_FACTS = sum(block.size for block in _FACT_BLOCKS)
_FACT_WORDS = (_FACTS + 7) // 8
_SCRATCH_WORDS = _FACT_WORDS + _CARDS * 5
_WORDS_APART = 32  # 256 bytes, at least two lines of a cache


def make_scratch(rows: int = 1) -> np.ndarray:
    """Return room for putting observations together, one row a thread: int64[rows, words].

    The rows lie so far apart that no two processors write to one line of a cache.
    """
    return np.zeros((rows, _SCRATCH_WORDS + _WORDS_APART), dtype=np.int64)[:, :_SCRATCH_WORDS]


@inner
def _write_cards(words: np.ndarray, block: int, cards: int, pack: int) -> None:
    """Write a mask of cards as a block of zeros and ones."""
    if pack == 32:
        first = _FACT_WORDS + 4 * block
    else:
        first = _FACT_WORDS + 5 * block
        words[first + 4] = _WORD_OF_BYTE[cards >> 32 & 15]
    words[first] = _WORD_OF_BYTE[cards & 255]
    words[first + 1] = _WORD_OF_BYTE[cards >> 8 & 255]
    words[first + 2] = _WORD_OF_BYTE[cards >> 16 & 255]
    words[first + 3] = _WORD_OF_BYTE[cards >> 24 & 255]


@inner
def _block_start(block: int, pack: int) -> int:
    """Return where a block of cards begins in the scratch, in bytes."""
    return 8 * _FACT_WORDS + (32 if pack == 32 else 40) * block


@inner
def _encode(row: np.void, rules: np.void, seat: int, words: np.ndarray, raw: np.ndarray) -> None:
    """Put together in the scratch what `seat` may know of the row.

    words: int64, one row of `make_scratch`
    raw:   int8 view of it
    Unchecked. Before the first deal only the partie is known.
    """
    for word in range(words.shape[0]):  # a loop becomes one call of memset, a slice would not
        words[word] = 0
    _encode_phase(row, rules, seat, raw)
    _encode_partie(row, rules, seat, raw)
    if row["deal_number"] == 0 or row["dealer"] == NOBODY:
        return
    _encode_cards(row, rules, seat, words, raw)
    _encode_tricks(row, rules, seat, raw)
    _encode_dialogue(row, seat, raw)
    _encode_score(row, rules, seat, raw)


@inline
def encode_int8(
    row: np.void, rules: np.void, seat: int, words: np.ndarray, raw: np.ndarray, out: np.ndarray, index: int
) -> None:
    """Write what `seat` may know of the row into `out[index]` (int8[observation_size], overwritten). Unchecked.

    words, raw: one row of `make_scratch` and its int8 view
    """
    _encode(row, rules, seat, words, raw)
    if rules["pack"] == 32:  # constant bounds and offsets: each loop becomes one call of memcpy
        for place in range(_CARDS * 32):
            out[index, place] = raw[8 * _FACT_WORDS + place]
        for place in range(_FACTS):
            out[index, _CARDS * 32 + place] = raw[place]
        return
    for block in range(_CARDS):
        for card in range(36):
            out[index, 36 * block + card] = raw[8 * _FACT_WORDS + 40 * block + card]
    for place in range(_FACTS):
        out[index, _CARDS * 36 + place] = raw[place]


@inline
def encode_float32(
    row: np.void,
    rules: np.void,
    seat: int,
    words: np.ndarray,
    raw: np.ndarray,
    scale: np.ndarray,
    out: np.ndarray,
    index: int,
) -> None:
    """Write what `seat` may know of the row into `out[index]` (float32[observation_size], in [0, 1]). Unchecked.

    scale: `observation_scale`; words, raw: one row of `make_scratch` and its int8 view
    """
    _encode(row, rules, seat, words, raw)
    if rules["pack"] == 32:  # constant bounds and offsets, for vector code
        for place in range(_CARDS * 32):
            out[index, place] = raw[8 * _FACT_WORDS + place] * scale[place]
        for place in range(_FACTS):
            out[index, _CARDS * 32 + place] = raw[place] * scale[_CARDS * 32 + place]
        return
    for block in range(_CARDS):
        for card in range(36):
            place = 36 * block + card
            out[index, place] = raw[8 * _FACT_WORDS + 40 * block + card] * scale[place]
    for place in range(_FACTS):
        out[index, _CARDS * 36 + place] = raw[place] * scale[_CARDS * 36 + place]


@inner
def _encode_phase(row: np.void, rules: np.void, seat: int, facts: np.ndarray) -> None:
    view, category, turn = view_of(row, rules, seat)
    facts[_PHASE + view] = 1
    if category != NOBODY:
        facts[_CATEGORY + category] = 1
    facts[_TURN] = 1 if turn == seat else 0
    facts[_ELDER] = 1 if row["dealer"] == 1 - seat else 0


@inner
def _encode_cards(row: np.void, rules: np.void, seat: int, words: np.ndarray, raw: np.ndarray) -> None:
    pack = rules["pack"]
    role = role_of(row, seat)
    other = 1 - role
    discards = row["discards"][role]
    composing = 0
    if row["to_act"] == seat:
        discards |= row["pending"]
        composing = row["composing"]
    located = row["hands"][role] | discards | row["known"][other] | row["played"][0] | row["played"][1]
    if role == ELDER and row["drawn"][ELDER]:
        first = _block_start(_TALON_SEEN, pack)
        for place in range(row["taken"][ELDER], rules["elder_max"]):
            card = row["talon"][place]
            raw[first + card] = place + 1
            located |= 1 << card
    if row["leftover_state"] == TURNED_UP:
        _write_cards(words, _LEFTOVERS, row["leftovers"], pack)
        located |= row["leftovers"]
    _write_cards(words, _HAND, row["hands"][role], pack)
    _write_cards(words, _DEALT, row["dealt"][role], pack)
    _write_cards(words, _DISCARDS, discards, pack)
    _write_cards(words, _OWN_KNOWN, row["known"][role], pack)
    _write_cards(words, _OTHER_KNOWN, row["known"][other], pack)
    _write_cards(words, _UNSEEN, ~located & ((1 << pack) - 1), pack)
    _write_cards(words, _COMPOSING, composing, pack)
    for category in range(3):
        _write_cards(words, _OWN_CLAIMS + category, row["claimed"][role, category], pack)
        _write_cards(words, _OTHER_CLAIMS + category, row["shown"][other, category], pack)
    if row["carte_blanche"][other] == CB_SHOWN:
        _write_cards(words, _OTHER_DEALT, row["dealt"][other], pack)


@inner
def _encode_tricks(row: np.void, rules: np.void, seat: int, facts: np.ndarray) -> None:
    role = role_of(row, seat)
    own = _block_start(_OWN_TRICK, rules["pack"])
    size = _block_start(_OTHER_TRICK, rules["pack"]) - own
    played = row["tricks_played"]
    for trick in range(played):
        led_by_other = row["leaders"] >> trick & 1 ^ role
        facts[own + led_by_other * size + row["lead_cards"][trick]] = trick + 1
        facts[own + (1 - led_by_other) * size + row["reply_cards"][trick]] = trick + 1
        facts[_LED + trick] = 1 - led_by_other
        facts[_TAKEN + trick] = 1 - (row["winners"] >> trick & 1 ^ role)
    if row["led"] >= 0:
        led_by_other = row["leaders"] >> played & 1 ^ role
        facts[own + led_by_other * size + row["led"]] = played + 1
        facts[_LED + played] = 1 - led_by_other
        facts[_block_start(_TABLE, rules["pack"]) + row["led"]] = 1
    facts[_TRICKS_WON] = row["tricks_won"][role]
    facts[_TRICKS_WON + 1] = row["tricks_won"][1 - role]


@inner
def _encode_dialogue(row: np.void, seat: int, facts: np.ndarray) -> None:
    role = role_of(row, seat)
    facts[_OWN_TAKEN] = row["taken"][role] + 1
    facts[_OTHER_TAKEN] = row["taken"][1 - role] + 1
    own, other = row["carte_blanche"][role], row["carte_blanche"][1 - role]
    if own >= CB_SILENT:
        facts[_OWN_CB + own - CB_SILENT] = 1
    if other >= CB_ANNOUNCED:
        facts[_OTHER_CB + other - CB_ANNOUNCED] = 1
    for category in range(3):
        status = row["status"][category]
        if status >= TO_ELDER:
            owner = ELDER if status == TO_ELDER else YOUNGER
            status = 3 if owner == role else TO_YOUNGER
        facts[_STATUS + 5 * category + status] = 1
        facts[_CALL_LENGTH + category] = row["call_length"][category]
        rank = row["call_rank"][category] + (1 if category else 0)
        facts[_CALL_RANK + category] = rank if row["call_rank_said"][category] else 0
        reply, second_reply = row["reply"][category], row["second_reply"][category]
        for place in range(3):  # an entry each, written without a branch that would be guessed wrongly
            facts[_REPLY + 3 * category + place] = 1 if reply == place + 1 else 0
            facts[_SECOND_REPLY + 3 * category + place] = 1 if second_reply == place + 1 else 0
    for place in range(2):
        facts[_POINT_SCORED + place] = row["point_scored"][place]
    for place in range(4):
        scored = row["sequences_scored"][place]
        facts[_SEQUENCES + 2 * place] = scored >> 4
        facts[_SEQUENCES + 2 * place + 1] = (scored & 15) + (1 if scored else 0)
    for place in range(5):
        facts[_SETS + place] = row["sets_scored"][place]


@inner
def _encode_score(row: np.void, rules: np.void, seat: int, facts: np.ndarray) -> None:
    role = role_of(row, seat)
    for column in range(8):
        facts[_OWN_POINTS + column] = row["points"][role, column]
        facts[_OTHER_POINTS + column] = row["points"][1 - role, column]
    if hears(row, rules, seat):
        for place in range(2):
            first, whose = (_OWN_POINTS, role) if place == 0 else (_OTHER_POINTS, 1 - role)
            facts[first + COLUMN_BONUS] -= row["held_bonus"][whose]
            facts[first + COLUMN_ROUGE] -= row["held_rouge"][whose]
    if row["phase"] >= DEAL_OVER:
        return
    for place in range(2):
        whose = role if place == 0 else 1 - role
        facts[_REPIQUE + place] = 1 if is_repique_open(row, rules, seat, whose) else 0
        facts[_PIQUE + place] = 1 if is_pique_open(row, rules, seat, whose) else 0


@inner
def _encode_partie(row: np.void, rules: np.void, seat: int, facts: np.ndarray) -> None:
    number, planned = row["deal_number"], row["planned_deals"]
    facts[_DEAL + min(max(number, 1), 8) - 1] = 1
    if number < 100:  # divisions are not free
        facts[_DEAL_NUMBER] = number
    else:
        facts[_DEAL_NUMBER] = number % 100
        facts[_DEAL_NUMBER + 1] = number // 100 % 100
    facts[_LEFT] = min(max(planned - number, 0), 99)
    facts[_EXTRA] = 1 if rules["form"] == 0 and number > rules["deals"] else 0
    _encode_total(facts, _OWN_TOTAL, _OWN_STEPS, row["totals"][seat])
    _encode_total(facts, _OTHER_TOTAL, _OTHER_STEPS, row["totals"][1 - seat])
    if rules["form"] != 0:
        facts[_OWN_GAMES] = row["games"][seat] % 100
        facts[_OWN_GAMES + 1] = row["games"][seat] // 100
        facts[_OTHER_GAMES] = row["games"][1 - seat] % 100
        facts[_OTHER_GAMES + 1] = row["games"][1 - seat] // 100


@inner
def _encode_total(facts: np.ndarray, digits: int, steps: int, total: int) -> None:
    if total < 100:
        facts[digits] = total
    else:
        facts[digits] = total % 100
        facts[digits + 1] = total // 100 % 100
        facts[digits + 2] = total // 10_000
    reached = min(total // 10, TOTAL_STEPS)
    for step in range(TOTAL_STEPS):  # constant bounds: one copy, where a count of steps would be guessed wrongly
        facts[steps + step] = _STEPS_REACHED[reached, step]


@jit
def encode_at(rows: np.ndarray, index: int, rules: np.ndarray, seat: int, out: np.ndarray) -> None:
    """Write the int8 observation of `seat` in row `index` into `out`."""
    words = np.zeros(_SCRATCH_WORDS, dtype=np.int64)
    encode_int8(rows[index], rules[0], seat, words, words.view(np.int8), out.reshape(1, -1), 0)


@jit
def encode_float_at(
    rows: np.ndarray, index: int, rules: np.ndarray, seat: int, scale: np.ndarray, out: np.ndarray
) -> None:
    """Write the float32 observation of `seat` in row `index` into `out`; scale: `observation_scale`."""
    words = np.zeros(_SCRATCH_WORDS, dtype=np.int64)
    encode_float32(rows[index], rules[0], seat, words, words.view(np.int8), scale, out.reshape(1, -1), 0)
