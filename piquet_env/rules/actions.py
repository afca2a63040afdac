"""The action table: id <-> meaning <-> words. Every size comes from it, and docs/actions.md is printed from it.

An action id is a place in one `Discrete` space. The first three blocks name cards (play, discard, withhold), the rest
are the *words*, counted from `draw`. The kernel holds legal actions as a mask of cards and a mask of words, see
state.py.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from .cards import RANKS, SUITS, format_card
from .errors import NotationError

KIND_PLAY, KIND_DISCARD, KIND_WITHHOLD = 0, 1, 2  # copies of the cards, in the order of the ids

# The words, as bits behind the cards. Sequences differ with the pack, so all behind them is found by `word_offsets`.
WORD_DRAW = 0
WORD_CARTE_BLANCHE = 1
WORD_SILENT = 2
WORD_POINT = 3  # + suit
WORD_SEQUENCE = 7  # + suit * tops + (top - lowest top)


class Kind(NamedTuple):
    """One row of the table: a kind of action."""

    name: str
    size_32: int
    size_36: int
    when: str


KINDS = (
    Kind("play", 32, 36, "play a card to a trick"),
    Kind("discard", 32, 36, "lay out a card for the exchange, in ascending order"),
    Kind(
        "withhold",
        32,
        36,
        "sinking='partial' only: take a card out of the combination being claimed, in ascending order",
    ),
    Kind("draw", 1, 1, "end the discarding"),
    Kind("carte blanche", 1, 1, "claim the carte blanche that is held"),
    Kind("silent", 1, 1, "keep it silent"),
    Kind("point", 4, 4, "the point in a suit: the call, younger's claim, or naming which of several equal ones"),
    Kind("sequence", 24, 28, "the sequence in a suit with a top card, likewise"),
    Kind("set", 5, 5, "the three or four of a rank, likewise"),
    Kind("done", 1, 1, "sink the category, stop adding combinations, or (sinking='partial') speak the claim"),
    Kind("good", 1, 1, "reply: elder's call stands"),
    Kind("equal", 1, 1, "reply: younger has as much"),
    Kind("not good", 1, 1, "reply: younger has better"),
    Kind("turn up", 1, 1, "turn up the cards left in the talon, for both"),
    Kind("leave", 1, 1, "leave them face down"),
    Kind("deal first", 1, 1, "first_dealer='choose': deal the first deal"),
    Kind("deal second", 1, 1, "first_dealer='choose': let the other deal first"),
)


class Action(NamedTuple):
    """One action: its id, its kind, what it names (a card, suit, sequence or rank as text, or nothing), its words."""

    id: int
    kind: str
    operand: str
    words: str


def _operands(kind: Kind, ranks: int) -> list[str]:
    """Return what the actions of a kind name, in the order of their ids."""
    if kind.name in ("play", "discard", "withhold"):
        return [format_card(card, ranks) for card in range(4 * ranks)]
    if kind.name == "point":
        return list(SUITS)
    if kind.name == "sequence":
        return [suit + top for suit in SUITS for top in RANKS[11 - ranks :]]
    if kind.name == "set":
        return list("TJQKA")
    return [""]


@lru_cache
def action_table(pack: int = 32) -> tuple[Action, ...]:
    """Return every action of the pack, in the order of ids: 140 with 32 cards, 156 with 36."""
    table: list[Action] = []
    for kind in KINDS:
        operands = _operands(kind, pack // 4)
        for operand in operands:
            table.append(Action(len(table), kind.name, operand, f"{kind.name} {operand}".rstrip()))
    return tuple(table)


def num_actions(pack: int = 32) -> int:
    """Return the number of action ids of the pack."""
    return len(action_table(pack))


@lru_cache
def first_id(kind: str, pack: int = 32) -> int:
    """Return the first id of a kind of action."""
    return next(action.id for action in action_table(pack) if action.kind == kind)


@lru_cache
def _ids_by_words(pack: int) -> dict[str, int]:
    return {action.words: action.id for action in action_table(pack)}


def format_action(action: int, pack: int = 32) -> str:
    """Return the words of an action id: `play SA`, `not good`."""
    return action_table(pack)[action].words


def parse_action(words: str, pack: int = 32) -> int:
    """Return the id of an action written in words; NotationError says what cannot be read."""
    found = _ids_by_words(pack).get(" ".join(words.split()))
    if found is None:
        raise NotationError(f"{words!r} is not an action of the pack of {pack} cards (see docs/actions.md)")
    return found


# The kernels' view of the table: where each kind of word begins. One row a pack, by number of ranks (8, 9).
_WORDS = ("set", "done", "good", "equal", "not good", "turn up", "leave", "deal first", "deal second")
TOPS_IN_SUIT = (6, 7)  # sequences in a suit, by pack: tops 9 to A, with the sixes 8 to A
_LATE = tuple(tuple(first_id(name, pack) - first_id("draw", pack) for name in _WORDS) for pack in (32, 36))
# From the sets on, the words of the larger pack stand four places further on.
(
    WORD_SET,
    WORD_DONE,
    WORD_GOOD,
    WORD_EQUAL,
    WORD_NOT_GOOD,
    WORD_TURN_UP,
    WORD_LEAVE,
    WORD_DEAL_FIRST,
    WORD_DEAL_SECOND,
) = _LATE[0]
WORDS_BY_SIX = 4
assert all(late + WORDS_BY_SIX == later for late, later in zip(*_LATE, strict=True)), (
    "the packs differ by their sequences alone"
)
