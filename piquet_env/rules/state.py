"""The state of a partie: one structured row of named whole numbers, and the phases it passes through.

Sets of cards are masks. Fields of two entries go by role (0 elder, 1 younger) unless a seat is named; a *seat* is a
player for the whole partie, a *role* is what that player is in the deal. Only the functions of the phases write to a
row.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import numpy as np

from .jit import inner, jit

ELDER, YOUNGER = 0, 1
NOBODY = -1
POINT, SEQUENCE, SET = 0, 1, 2  # the categories, in the order in which they are called
CATEGORY_NAMES = ("point", "sequence", "set")


class Phase(IntEnum):
    """The kinds of decision, in the order in which a deal meets them; the last two ask nobody."""

    CUT = 0
    CARTE_BLANCHE = 1
    EXCHANGE = 2
    CALL = 3
    REPLY = 4
    DETAIL_REPLY = 5
    FURTHER = 6
    PLAY = 7
    DECLARE = 8
    LEFTOVERS = 9
    DEAL_OVER = 10
    PARTIE_OVER = 11


# The kernels compare with plain integers, which numba freezes into the machine code.
CUT, CARTE_BLANCHE, EXCHANGE, CALL, REPLY, DETAIL_REPLY, FURTHER = 0, 1, 2, 3, 4, 5, 6
PLAY, DECLARE, LEFTOVERS, DEAL_OVER, PARTIE_OVER = 7, 8, 9, 10, 11


class Status(IntEnum):
    """What has become of a category."""

    UNCALLED = 0
    PASSED = 1
    DEAD = 2
    ELDER = 3
    YOUNGER = 4


UNCALLED, PASSED, DEAD, TO_ELDER, TO_YOUNGER = 0, 1, 2, 3, 4
NO_REPLY, GOOD, EQUAL, NOT_GOOD = 0, 1, 2, 3  # replies as they stand in a row
CB_NONE, CB_SILENT, CB_ANNOUNCED, CB_SHOWN = 0, 1, 2, 3  # what a role has said of a carte blanche
NOT_ASKED, TURNED_UP, LEFT_DOWN = 0, 1, 2  # the leftovers


class ScoreClass(IntEnum):
    """The kinds of entry in the score log."""

    CARTE_BLANCHE = 0
    POINT = 1
    SEQUENCE = 2
    SET = 3
    REPIQUE = 4
    PIQUE = 5
    CARTE_ROUGE = 6
    LEAD = 7
    CAPTURE = 8
    LAST_TRICK = 9
    CARDS = 10
    CAPOT = 11


(CLASS_CARTE_BLANCHE, CLASS_POINT, CLASS_SEQUENCE, CLASS_SET, CLASS_REPIQUE, CLASS_PIQUE, CLASS_CARTE_ROUGE) = range(7)
(CLASS_LEAD, CLASS_CAPTURE, CLASS_LAST_TRICK, CLASS_CARDS, CLASS_CAPOT) = range(7, 12)
CLASS_NAMES = tuple(score_class.name.lower().replace("_", " ") for score_class in ScoreClass)

MOST_TALON = 12
LOG_SIZE = 48  # a deal books at most 44 entries

_Fields = tuple[tuple[str, tuple[int, ...], str], ...]
_FIELDS: _Fields = (
    # -- the partie
    ("deal_number", (), "counted from 1"),
    ("planned_deals", (), "deals of the partie, extra deals after a tie included; 0 in au cent"),
    ("dealer", (), "seat of younger; NOBODY before the cut is decided"),
    ("totals", (2,), "by seat: points of the partie (au cent: of the game) from ended deals"),
    ("games", (2,), "by seat: games won, a double game counting two"),
    ("deals_ended", (), "deals ended since the reset"),
    ("phase", (), "Phase"),
    ("category", (), "category of the dialogue"),
    ("to_act", (), "seat to act; NOBODY when none is"),
    # -- legal actions, found once a decision
    ("legal_kind", (), "which copy of the cards is meant by legal_cards: 0 play, 1 discard, 2 withhold"),
    ("legal_cards", (), "mask of legal cards"),
    ("legal_words", (), "bits of legal actions behind the cards, from `draw` on"),
    # -- the cards
    ("dealt", (2,), "hand as dealt"),
    ("hands", (2,), "hand now; cards laid out for discarding are still in it"),
    ("pending", (), "cards laid out by the seat that is discarding"),
    ("discards", (2,), "cards discarded"),
    ("taken", (2,), "how many cards each exchanged; -1 until it is said"),
    ("drawn", (2,), "1 once the cards are drawn"),
    ("leftovers", (), "cards left in the talon after both exchanges"),
    ("leftover_state", (), "NOT_ASKED, TURNED_UP or LEFT_DOWN"),
    ("carte_blanche", (2,), "CB_NONE … CB_SHOWN"),
    ("known", (2,), "cards that the other knows to be in the hand"),
    # -- the dialogue; by category where three
    ("call_length", (3,), "length or size that elder called; 0 none"),
    ("call_rank", (3,), "pips, top or rank of the call"),
    ("claimed", (2, 3), "cards called, claimed or equal: known to the owner"),
    ("shown", (2, 3), "of these, what has become public"),
    ("scored_cards", (2,), "cards in scored combinations"),
    ("composing", (), "cards of the claim being put together; 0 none"),
    ("composing_item", (), "suit, sequence or set of that claim, by place among the actions of its kind"),
    ("withheld_to", (), "withholding goes on above this card"),
    ("used", (), "cards of runs and ranks already claimed in the category"),
    ("last_item", (), "further claims come in ascending order behind this one"),
    ("beaten", (), "1 when younger has claimed something that beats the call"),
    ("reckoned", (), "1 when younger's declarations have ended"),
    ("held_bonus", (2,), "bonus booked at their end, which elder sees only with younger's first card"),
    ("held_rouge", (2,), "likewise carte rouge"),
    # -- the tricks
    ("tricks_played", (), "tricks ended"),
    ("leader", (), "role that leads the trick"),
    ("led", (), "card on the table; -1 none"),
    ("leaders", (), "bit t: younger led trick t"),
    ("winners", (), "bit t: younger won trick t"),
    ("tricks_won", (2,), "tricks won"),
    ("played", (2,), "cards played"),
    # -- the score of the deal
    ("score", (2,), "points booked"),
    ("has_repique", (2,), "1 when booked"),
    ("has_pique", (2,), "1 when booked"),
    ("stopped", (), "1 when a game of au cent has ended inside the deal"),
    ("log_size", (), "entries in the log"),
)
# Small numbers in narrow fields, since a row is read from memory at every decision; only those with which nothing is
# multiplied or shifted, which uncompiled code would do in the narrow type. By category where three.
_NARROW_FIELDS: tuple[tuple[str, type[np.signedinteger[Any]], tuple[int, ...], str], ...] = (
    ("point_scored", np.int16, (2,), "public: length and pips (0 if unsaid) of the point scored"),
    ("sequences_scored", np.int16, (4,), "public: 16 * length + top of the sequences scored, highest first"),
    ("points", np.int16, (2, 8), "points booked by column: see COLUMN_OF_CLASS"),
    ("status", np.int8, (3,), "Status"),
    ("call_rank_said", np.int8, (3,), "1 when those have been said"),
    ("reply", np.int8, (3,), "younger's reply to the length"),
    ("second_reply", np.int8, (3,), "younger's reply to pips or top"),
    ("declared", np.int8, (3,), "1 when younger has no more to say in the category"),
    ("sets_scored", np.int8, (5,), "public: size of the set scored, by rank from the ten"),
    ("lead_cards", np.int8, (12,), "card led to each trick; -1 not yet"),
    ("reply_cards", np.int8, (12,), "card that answered; -1 not yet"),
)
# Read seldom, and therefore behind what a step fetches ahead (HOT_BYTES).
_COLD_FIELDS: _Fields = (
    ("seed", (), "seed of the decks"),
    ("partie", (), "number of the partie under that seed; with the deal's number it gives the deck"),
    ("chooser", (), "seat that won the cut"),
    ("lurches", (2,), "by seat: games lost below the lurch"),
    ("game_over", (), "1 when the ended deal has ended a game of au cent"),
    ("deal_points", (2,), "by seat: points of the deal that ended last"),
    ("talon", (MOST_TALON,), "cards in drawing order"),
    ("log", (LOG_SIZE,), "entries packed by `pack_entry`, as booked"),
)


def _wide(fields: _Fields) -> list[Any]:
    return [(name, np.int64, shape) if shape else (name, np.int64) for name, shape, _ in fields]


_HOT = _wide(_FIELDS) + [(name, kind, shape) for name, kind, shape, _ in _NARROW_FIELDS]
STATE_DTYPE = np.dtype(_HOT + _wide(_COLD_FIELDS))
HOT_BYTES = np.dtype(_HOT).itemsize  # what nearly every decision reads
FIELD_MEANINGS = {name: meaning for name, *_, meaning in (*_FIELDS, *_NARROW_FIELDS, *_COLD_FIELDS)}

COLUMN_NAMES = ("carte blanche", "point", "sequence", "set", "bonus", "carte rouge", "play", "cards")
COLUMN_BONUS, COLUMN_ROUGE, COLUMN_PLAY, COLUMN_CARDS = 4, 5, 6, 7
COLUMN_OF_CLASS = np.array([0, 1, 2, 3, 4, 4, 5, 6, 6, 6, 7, 7], dtype=np.int64)

# The moments of the reckoning, the `time` of a log entry. A bonus has the moment behind the points that reach it.
TIME_CARTE_BLANCHE = 0  # elder; younger 1
TIME_CATEGORY = 10  # 10 point, 20 sequence, 30 set
TIME_ROUGE = 40
TIME_TRICK = 100  # trick t (from 1): its lead at 100 t, its end at 100 t + 50
TIME_TRICK_END = 50
TIME_DEAL_END = 1400


@jit
def pack_entry(role: int, points: int, score_class: int, time: int) -> int:
    """Return a log entry as one integer; its order as an integer says nothing."""
    return role | score_class << 1 | points << 5 | time << 12


@jit
def entry_role(entry: int) -> int:
    """Return the role of a packed entry."""
    return entry & 1


@jit
def entry_class(entry: int) -> int:
    """Return the class of a packed entry."""
    return entry >> 1 & 15


@jit
def entry_points(entry: int) -> int:
    """Return the points of a packed entry."""
    return entry >> 5 & 127


@jit
def entry_time(entry: int) -> int:
    """Return the moment of a packed entry."""
    return entry >> 12


@inner
def seat_of(row: np.void, role: int) -> int:
    """Return the seat that plays `role` in this deal."""
    return row["dealer"] if role == YOUNGER else 1 - row["dealer"]


@inner
def role_of(row: np.void, seat: int) -> int:
    """Return the role of `seat` in this deal."""
    return YOUNGER if row["dealer"] == seat else ELDER
