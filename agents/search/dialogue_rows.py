"""A decision of the dialogue as rows of the game, one for each hand that the other can hold, from what a seat has seen.

Elder's calls and further claims and younger's replies stand before the first lead, younger's declarations behind it. A
row begins at the first lead (rebuild.py) and is put back into the dialogue, or led to and declared in as the seat has
done. Elder's call is made up by the world where he has said less of it than it holds: his best of that length.
"""

from __future__ import annotations

import numpy as np

from piquet_env.rules.actions import WORD_DONE
from piquet_env.rules.cards import num_cards
from piquet_env.rules.dialogue import late_word, word_of_item
from piquet_env.rules.holdings import item_cards, item_length, item_rank, items_in
from piquet_env.rules.state import (
    CALL,
    CATEGORY_NAMES,
    DECLARE,
    DETAIL_REPLY,
    ELDER,
    FURTHER,
    REPLY,
    UNCALLED,
)

from .jit import jit
from .rebuild import Masks, Record, find_all_legal, play_card, rebuild
from .seen import Seen
from .terms import codes_of

# The phases of the dialogue by their names in an observation.
PHASES = {"call": CALL, "reply": REPLY, "second reply": DETAIL_REPLY, "further": FURTHER, "declare": DECLARE}


def rebuild_dialogue(seen: Seen, hands: Masks, mask: np.ndarray) -> np.ndarray:
    """Return a row a hand, STATE_DTYPE[W], in which seat 0 is before the decision of the dialogue that it has seen.

    hands: int64[W], the other's hand now
    mask:  int8[num_actions], the seat's legal actions
    Rows in which these are not legal are left out, as no hand can be the other's with which it would be so.
    """
    phase, category = PHASES[seen.phase], int(seen.facts["category"].argmax())
    rows = rebuild(seen, hands, Record.of(seen), before_lead=True)
    if phase == DECLARE:
        return declare_again(rows, seen, category)
    rules = seen.rules
    rows["phase"], rows["category"], rows["to_act"] = phase, category, 0
    rows["last_item"] = -1
    if phase in (REPLY, DETAIL_REPLY):
        rows["status"][:, category] = UNCALLED
        write_calls(rows, category, rules.ranks, int(codes_of(rules)["sets_from"][0]))
    elif phase == FURTHER:
        _write_further(rows, seen, category, mask)
    find_all_legal(rows, codes_of(rules))
    return rows


def _write_further(rows: np.ndarray, seen: Seen, category: int, mask: np.ndarray) -> None:
    """Put elder behind his claims in a category that he has won: what he may still add follows from the mask."""
    ranks = seen.rules.ranks
    claimed = seen.mask("own_" + CATEGORY_NAMES[category])
    rows["used"] = claimed
    rows["call_rank"][:, category] = rank_of_call(claimed, category, int(seen.facts["call_length"][category]), ranks)
    first = 3 * seen.rules.pack + word_of_item(category, 0, ranks)
    items = np.flatnonzero(mask[first : first + items_in(category, ranks)])
    rows["last_item"] = int(items[0]) - 1


def declare_again(rows: np.ndarray, seen: Seen, category: int) -> np.ndarray:
    """Let elder lead his card in rows that stand before it, and younger declare what he has declared so far."""
    codes, ranks = codes_of(seen.rules), seen.rules.ranks
    play_card(rows, codes, Record.of(seen).cards[0])
    done = late_word(WORD_DONE, ranks)
    while True:
        row = rows[0]
        now = int(row["category"])
        if row["phase"] != DECLARE or now > category:
            return rows
        claimed = seen.mask("own_" + CATEGORY_NAMES[now])
        word = claim_among(int(row["legal_words"]), claimed, now, int(row["hands"][1 - ELDER]), ranks)
        if word < 0 and now == category:
            return rows
        play_card(rows, codes, 3 * seen.rules.pack + (done if word < 0 else word))


@jit
def claim_among(words: int, claimed: int, category: int, hand: int, ranks: int) -> int:
    """Return the first legal word that names an item of which all cards are among `claimed`; -1 if there is none."""
    for item in range(items_in(category, ranks)):
        word = word_of_item(category, item, ranks)
        if words >> word & 1 and item_cards(category, item, hand, ranks) & ~claimed == 0:
            return word
    return -1


@jit
def rank_of_call(claimed: int, category: int, length: int, ranks: int) -> int:
    """Return the rank of elder's call, the highest of that length that he has claimed: further claims go no higher."""
    best = 0
    for item in range(items_in(category, ranks)):
        if item_length(category, item, claimed, ranks, True, 0) == length:
            best = max(best, item_rank(category, item, item_cards(category, item, claimed, ranks), ranks))
    return best


@jit
def write_calls(rows: np.ndarray, category: int, ranks: int, lowest_set: int) -> None:
    """Write what elder has called in each row: of the length said, and of the rank where it has been said, his best."""
    for index in range(rows.shape[0]):
        row = rows[index]
        hand, length = row["hands"][ELDER], row["call_length"][category]
        best = -1
        for item in range(items_in(category, ranks)):
            cards = item_cards(category, item, hand, ranks)
            rank = item_rank(category, item, cards, ranks)
            if item_length(category, item, hand, ranks, True, lowest_set) != length or num_cards(cards) != length:
                continue
            said = row["call_rank_said"][category] == 0 or rank == row["call_rank"][category]
            if said and rank > best:
                best = rank
                row["composing_item"] = item
                row["claimed"][ELDER, category] = cards
        if best >= 0:
            row["call_rank"][category] = best
