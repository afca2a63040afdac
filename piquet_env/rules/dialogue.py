"""The dialogue: elder's calls, younger's replies, further claims, sinking, and younger's declarations after the lead.

A claim is bounded from above (the *cap*: an under-call binds elder, a first "equal" binds younger) and, where younger
has said "not good", from below (what it must *beat*). All legal claims of all kinds of sinking follow from these two
bounds.
"""

from __future__ import annotations

import numpy as np

from .actions import (
    KIND_WITHHOLD,
    WORD_DONE,
    WORD_EQUAL,
    WORD_GOOD,
    WORD_NOT_GOOD,
    WORD_POINT,
    WORD_SEQUENCE,
    WORD_SET,
    WORDS_BY_SIX,
)
from .cards import lowest_bit, mask_of, num_cards, pattern_cards, pattern_of
from .holdings import (
    NO_CAP,
    NO_RANK_CAP,
    best_item,
    could_be_beaten,
    count_parts,
    is_better,
    is_capped,
    item_cards,
    item_family,
    item_length,
    item_rank,
    items_held,
    part_of_suit,
)
from .jit import inner, jit
from .scoring import book_claim, end_declarations
from .state import (
    CALL,
    DEAD,
    DECLARE,
    DETAIL_REPLY,
    ELDER,
    EQUAL,
    FURTHER,
    GOOD,
    LEFTOVERS,
    NOT_ASKED,
    PASSED,
    PLAY,
    POINT,
    REPLY,
    SEQUENCE,
    SET,
    TO_ELDER,
    TO_YOUNGER,
    YOUNGER,
    seat_of,
)
from .variants import CAVENDISH, NO_LOCK, NONE, PARTIAL, YOUNGER_CHOICE


@jit
def word_of_item(category: int, item: int, ranks: int) -> int:
    """Return the word (bit behind the cards) that names an item."""
    if category == POINT:
        return WORD_POINT + item
    return WORD_SEQUENCE + item if category == SEQUENCE else late_word(WORD_SET, ranks) + item


@jit
def late_word(word: int, ranks: int) -> int:
    """Return the bit of a word that stands behind the sequences, of which the larger pack has more."""
    return word + (ranks - 8) * WORDS_BY_SIX


@inner
def _items_of(row: np.void, rules: np.void, role: int, category: int) -> int:
    """Return, as bits, the items that `role` may claim under the sinking in force, but for the bounds."""
    whole = rules["sinking"] != PARTIAL
    return items_held(category, row["hands"][role], rules["ranks"], whole, rules["sets_from"])


@inner
def _length_of(row: np.void, rules: np.void, role: int, category: int, item: int) -> int:
    """Return the most cards with which `role` may claim one of `_items_of`."""
    return item_length(category, item, row["hands"][role], rules["ranks"], False, 0)


# -- bounds -----------------------------------------------------------------------------------------------------------


@inner
def _says_rank_at_once(rules: np.void, category: int) -> bool:
    """Return whether a call says pips or top at once, so that one reply decides (a set always says its rank)."""
    if category == POINT:
        return rules["point_call"] == 1
    return category == SET or rules["sequence_call"] == 1


@inner
def _is_equality(row: np.void, category: int) -> bool:
    """Return whether younger names a combination equal to the call, in a category dead by equality."""
    return row["phase"] == DECLARE and row["status"][category] == DEAD


@inner
def _must_beat(row: np.void, category: int) -> bool:
    """Return whether the claims in hand are bound from below and have not yet met it."""
    promised = row["phase"] == DECLARE and row["status"][category] == TO_YOUNGER
    return (promised and row["beaten"] == 0) or _is_equality(row, category)


@inner
def _cap_of(row: np.void, rules: np.void, category: int) -> tuple[int, int]:
    """Return the (length, rank) above which no claim is lawful now."""
    length, rank = row["call_length"][category], row["call_rank"][category]
    if row["phase"] == FURTHER:
        if rules["undercall_lock"] == NO_LOCK:
            return NO_CAP, NO_RANK_CAP
        if rules["sinking"] == PARTIAL and rules["undercall_lock"] == CAVENDISH:
            own = row["hands"][ELDER] | row["discards"][ELDER]
            unseen = ~own & ((1 << rules["pack"]) - 1)
            if not could_be_beaten(category, unseen, length, rank, rules["ranks"], rules["sets_from"]):
                return NO_CAP, NO_RANK_CAP
        return length, rank
    if row["phase"] == DECLARE:
        if _is_equality(row, category):
            return length, rank
        if row["status"][category] == TO_YOUNGER and row["reply"][category] == EQUAL:
            return length, NO_RANK_CAP
    return NO_CAP, NO_RANK_CAP


@inner
def _beat_of(row: np.void, category: int) -> tuple[int, int]:
    """Return the (length, rank) that a bound claim must be better than."""
    length, rank = row["call_length"][category], row["call_rank"][category]
    if _is_equality(row, category):
        return length, rank - 1
    if row["call_rank_said"][category]:
        return length, rank
    return length, NO_RANK_CAP  # only the length was said: better means longer


# -- which claims are legal -------------------------------------------------------------------------------------------


@jit
def _most_length(length: int, rank: int, cap_length: int, cap_rank: int, partial: bool) -> int:
    """Return the most cards of an item (sequence or set of a rank) that the cap lets through; 0 none."""
    if is_capped(length, rank, cap_length, cap_rank):
        return length
    if not partial:
        return 0
    lower = cap_length if rank <= cap_rank else cap_length - 1
    return lower if lower >= 3 else 0


@inner
def _beats_later(row: np.void, rules: np.void, role: int, category: int, item: int, used: int) -> bool:
    """Return whether an item behind `item`, outside `used`, could still beat the call within the cap."""
    ranks = rules["ranks"]
    cap_length, cap_rank = _cap_of(row, rules, category)
    beat_length, beat_rank = _beat_of(row, category)
    items = _items_of(row, rules, role, category) >> (item + 1) << (item + 1)
    while items:
        later = lowest_bit(items)
        items &= items - 1
        if item_cards(category, later, row["hands"][role], ranks) & used == 0:
            length = _length_of(row, rules, role, category, later)
            rank = item_rank(category, later, 0, ranks)
            most = _most_length(length, rank, cap_length, cap_rank, rules["sinking"] == PARTIAL)
            if most and is_better(most, rank, beat_length, beat_rank):
                return True
    return False


@inner
def _is_legal_point(row: np.void, rules: np.void, role: int, suit: int) -> bool:
    """Return whether the point in `suit`, one of `_items_of`, may be chosen: a lawful part lies within the bounds."""
    ranks = rules["ranks"]
    cap_length, cap_rank = _cap_of(row, rules, POINT)
    beat_length, beat_rank = _beat_of(row, POINT) if _must_beat(row, POINT) else (-1, -1)
    pattern = pattern_of(row["hands"][role], suit, ranks)
    if rules["sinking"] == PARTIAL:
        return part_of_suit(pattern, 0, cap_length, cap_rank, beat_length, beat_rank)
    return part_of_suit(0, pattern, cap_length, cap_rank, beat_length, beat_rank)


@inner
def _is_legal_item(row: np.void, rules: np.void, role: int, category: int, item: int) -> bool:
    """Return whether a sequence or set, one of `_items_of`, may be chosen as the next claim."""
    ranks = rules["ranks"]
    if item <= row["last_item"]:
        return False
    if item_cards(category, item, row["hands"][role], ranks) & row["used"]:
        return False
    length, rank = _length_of(row, rules, role, category, item), item_rank(category, item, 0, ranks)
    cap_length, cap_rank = _cap_of(row, rules, category)
    most = _most_length(length, rank, cap_length, cap_rank, rules["sinking"] == PARTIAL)
    if most == 0:
        return False
    if not _must_beat(row, category):
        return True
    beat_length, beat_rank = _beat_of(row, category)
    if is_better(most, rank, beat_length, beat_rank):
        return True
    if _is_equality(row, category):
        return False
    used = row["used"] | item_family(category, item, row["hands"][role], ranks)
    return _beats_later(row, rules, role, category, item, used)


@inner
def _legal_items(row: np.void, rules: np.void, role: int, category: int) -> int:
    """Return the words of the items that may be chosen as the next claim."""
    ranks = rules["ranks"]
    words = 0
    items = _items_of(row, rules, role, category)
    while items:
        item = lowest_bit(items)
        items &= items - 1
        if category == POINT:
            legal = _is_legal_point(row, rules, role, item)
        else:
            legal = _is_legal_item(row, rules, role, category, item)
        if legal:
            words |= 1 << word_of_item(category, item, ranks)
    return words


@inner
def _honest_words(row: np.void, rules: np.void, role: int, category: int, words: int) -> int:
    """Return, of several claims, the one that `sinking='none'` makes: the best point or call, else the first."""
    if words == 0:
        return 0
    if row["phase"] == CALL or category == POINT:
        best = best_item(category, row["hands"][role], rules["ranks"], rules["sets_from"])
        word = 1 << word_of_item(category, best, rules["ranks"])
        if words & word:
            return word
    return words & -words


# -- putting a claim together (partial sinking) -----------------------------------------------------------------------


@inner
def _current_is_lawful(row: np.void, rules: np.void, role: int, cards: int) -> bool:
    """Return whether the claim may be spoken with just `cards`."""
    ranks, category, item = rules["ranks"], row["category"], row["composing_item"]
    length = num_cards(cards)
    rank = item_rank(category, item, cards, ranks)
    cap_length, cap_rank = _cap_of(row, rules, category)
    if length < 3 or not is_capped(length, rank, cap_length, cap_rank):
        return False
    if not _must_beat(row, category):
        return True
    beat_length, beat_rank = _beat_of(row, category)
    if is_better(length, rank, beat_length, beat_rank):
        return True
    if category == POINT or _is_equality(row, category):
        return False
    used = row["used"] | item_family(category, item, row["hands"][role], ranks)
    return _beats_later(row, rules, role, category, item, used)


@inner
def _can_withhold(row: np.void, rules: np.void, role: int, card: int) -> bool:
    """Return whether `card` may be taken out of the claim being put together and a lawful claim remains possible."""
    ranks, category = rules["ranks"], row["category"]
    cards = row["composing"] & ~(1 << card)
    if category == POINT:
        suit = row["composing_item"]
        above = ~((1 << card) * 2 - 1)
        cap_length, cap_rank = _cap_of(row, rules, POINT)
        beat_length, beat_rank = _beat_of(row, POINT) if _must_beat(row, POINT) else (-1, -1)
        free = pattern_of(cards & above, suit, ranks)
        fixed = pattern_of(cards & ~above, suit, ranks)
        return part_of_suit(free, fixed, cap_length, cap_rank, beat_length, beat_rank)
    if category == SET:
        return num_cards(row["composing"]) == 4 and _current_is_lawful(row, rules, role, cards)
    if row["composing"] & ((1 << card) - 1):  # a sequence is shortened from below only
        return False
    while num_cards(cards) >= 3:
        if _current_is_lawful(row, rules, role, cards):
            return True
        cards &= cards - 1
    return False


@inner
def _find_legal_composing(row: np.void, rules: np.void, role: int) -> None:
    """Write what may be withheld, and whether the claim may be spoken as it is."""
    row["legal_kind"] = KIND_WITHHOLD
    for card in range(rules["pack"]):
        if row["composing"] >> card & 1 and card > row["withheld_to"] and _can_withhold(row, rules, role, card):
            row["legal_cards"] |= 1 << card
    if _current_is_lawful(row, rules, role, row["composing"]):
        row["legal_words"] = 1 << late_word(WORD_DONE, rules["ranks"])


@inner
def find_legal_claim(row: np.void, rules: np.void) -> None:
    """Write the legal actions of a seat that calls, adds or declares combinations."""
    role = YOUNGER if row["phase"] == DECLARE else ELDER
    category = row["category"]
    if row["composing"]:
        _find_legal_composing(row, rules, role)
        return
    words = _legal_items(row, rules, role, category)
    if rules["sinking"] == NONE:
        words = _honest_words(row, rules, role, category, words)
        row["legal_words"] = words if words else 1 << late_word(WORD_DONE, rules["ranks"])
        return
    if not _must_beat(row, category):
        words |= 1 << late_word(WORD_DONE, rules["ranks"])
    row["legal_words"] = words


@inner
def apply_claim(row: np.void, rules: np.void, word: int) -> None:
    """Choose a combination, speak the one put together, pass, or stop adding."""
    ranks, category = rules["ranks"], row["category"]
    role = YOUNGER if row["phase"] == DECLARE else ELDER
    if word == late_word(WORD_DONE, ranks):
        if row["composing"]:
            _speak_claim(row, rules, role)
        else:
            _end_claims(row, rules)
        return
    item = word - word_of_item(category, 0, ranks)
    row["composing"] = item_cards(category, item, row["hands"][role], ranks)
    row["composing_item"] = item
    row["withheld_to"] = -1
    if rules["sinking"] != PARTIAL:
        _speak_claim(row, rules, role)


@inner
def apply_withhold(row: np.void, rules: np.void, card: int) -> None:
    """Take a card out of the claim being put together."""
    row["composing"] &= ~(1 << card)
    row["withheld_to"] = card


@inner
def _speak_claim(row: np.void, rules: np.void, role: int) -> None:
    """Speak the claim: as elder's call, or as a combination scored or shown."""
    ranks, category, item = rules["ranks"], row["category"], row["composing_item"]
    cards = row["composing"]
    row["composing"] = 0
    length, rank = num_cards(cards), item_rank(category, item, cards, ranks)
    if row["phase"] == CALL:
        row["call_length"][category] = length
        row["call_rank"][category] = rank
        row["call_rank_said"][category] = 1 if _says_rank_at_once(rules, category) else 0
        row["claimed"][ELDER, category] = cards
        row["composing_item"] = item
        row["phase"] = REPLY
        row["to_act"] = seat_of(row, YOUNGER)
        return
    if _is_equality(row, category):
        _show(row, rules, YOUNGER, category, cards)
        _end_claims(row, rules)
        return
    beat_length, beat_rank = _beat_of(row, category)
    if row["phase"] == DECLARE and is_better(length, rank, beat_length, beat_rank):
        row["beaten"] = 1
    row["used"] |= item_family(category, item, row["hands"][role], ranks)
    row["last_item"] = item
    _score_claim(row, rules, role, category, cards, length, rank)
    if category == POINT or _legal_items(row, rules, role, category) == 0:
        _end_claims(row, rules)


# -- scoring and showing ----------------------------------------------------------------------------------------------


@inner
def _show(row: np.void, rules: np.void, role: int, category: int, cards: int) -> None:
    """Make the cards of a combination public, and remember them as the owner's claim."""
    row["claimed"][role, category] |= cards
    if rules["show_scored"] == 0:
        row["shown"][role, category] |= cards
        row["known"][role] |= cards & row["hands"][role]


@inner
def _score_claim(row: np.void, rules: np.void, role: int, category: int, cards: int, length: int, rank: int) -> None:
    """Score a combination: book it, show it, and write what is publicly known of it."""
    if category == POINT:
        row["point_scored"][0] = length
        said = rules["show_scored"] == 0 or (role == ELDER and row["call_rank_said"][POINT])
        row["point_scored"][1] = rank if said else 0
    elif category == SEQUENCE:
        # Highest first, whatever the order of speaking: where no cards are shown that order would tell suits.
        entry = 16 * length + rank
        for place in range(4):
            if entry > row["sequences_scored"][place]:
                lower = row["sequences_scored"][place]
                row["sequences_scored"][place] = entry
                entry = lower
    else:
        row["sets_scored"][rank - 4] = length
    row["scored_cards"][role] |= cards
    _show(row, rules, role, category, cards)
    book_claim(row, rules, role, category, length)


# -- replies ----------------------------------------------------------------------------------------------------------


@inner
def _holds_equal(row: np.void, rules: np.void, category: int, length: int, rank: int) -> bool:
    """Return whether younger has a lawful claim of just `length` (and, if `rank` is not negative, just that rank)."""
    ranks, hand = rules["ranks"], row["hands"][YOUNGER]
    partial = rules["sinking"] == PARTIAL
    items = _items_of(row, rules, YOUNGER, category)
    while items:
        item = lowest_bit(items)
        items &= items - 1
        held = _length_of(row, rules, YOUNGER, category, item)
        if held == length or (partial and held > length):
            if rank < 0:
                return True
            if category == POINT and partial:
                if count_parts(pattern_of(hand, item, ranks), length, rank):
                    return True
            elif item_rank(category, item, item_cards(category, item, hand, ranks), ranks) == rank:
                return True
    return False


@inner
def _holds_better(row: np.void, rules: np.void, category: int, length: int, rank: int, longer: bool) -> bool:
    """Return whether younger has a lawful claim better than (length, rank): longer (if `longer`), or as long, higher.

    A negative rank asks for longer ones alone.
    """
    ranks, hand = rules["ranks"], row["hands"][YOUNGER]
    partial = rules["sinking"] == PARTIAL
    items = _items_of(row, rules, YOUNGER, category)
    while items:
        item = lowest_bit(items)
        items &= items - 1
        held = _length_of(row, rules, YOUNGER, category, item)
        if longer and held > length:
            return True
        if rank >= 0 and (held == length or (partial and held > length)):
            if category == POINT and partial:
                if part_of_suit(pattern_of(hand, item, ranks), 0, length, NO_RANK_CAP, length, rank):
                    return True
            elif item_rank(category, item, item_cards(category, item, hand, ranks), ranks) > rank:
                return True
    return False


@inner
def find_legal_reply(row: np.void, rules: np.void) -> None:
    """Write younger's lawful replies to the length, or to pips or top."""
    category = row["category"]
    length = row["call_length"][category]
    rank = row["call_rank"][category] if row["call_rank_said"][category] else -1
    second = row["phase"] == DETAIL_REPLY
    better = _holds_better(row, rules, category, length, rank, not second)
    equal = category != SET and _holds_equal(row, rules, category, length, rank)
    ranks = rules["ranks"]
    good, same, not_good = late_word(WORD_GOOD, ranks), late_word(WORD_EQUAL, ranks), late_word(WORD_NOT_GOOD, ranks)
    if rules["sinking"] == NONE:
        row["legal_words"] = 1 << (not_good if better else same if equal else good)
        return
    words = 1 << good
    if equal:
        words |= 1 << same
    if better:
        words |= 1 << not_good
    row["legal_words"] = words


@inner
def apply_reply(row: np.void, rules: np.void, word: int) -> None:
    """Answer elder's call, and go on as the answer says."""
    category = row["category"]
    reply = GOOD + word - late_word(WORD_GOOD, rules["ranks"])
    decides = row["phase"] == DETAIL_REPLY or _says_rank_at_once(rules, category)
    if row["phase"] == DETAIL_REPLY:
        row["second_reply"][category] = reply
    else:
        row["reply"][category] = reply
    if reply == EQUAL and not decides:
        row["call_rank_said"][category] = 1
        row["phase"] = DETAIL_REPLY
    elif reply == GOOD:
        row["status"][category] = TO_ELDER
        _score_call(row, rules, category)
    elif reply == EQUAL:
        row["status"][category] = DEAD
        _show(row, rules, ELDER, category, row["claimed"][ELDER, category])
        _end_elder_part(row, rules, category)
    else:
        row["status"][category] = TO_YOUNGER
        _end_elder_part(row, rules, category)


@inner
def _score_call(row: np.void, rules: np.void, category: int) -> None:
    """Score the call that is good, then let elder add to it where there is something to add."""
    row["phase"] = FURTHER
    row["to_act"] = seat_of(row, ELDER)
    row["last_item"] = -1
    row["used"] = item_family(category, row["composing_item"], row["hands"][ELDER], rules["ranks"])
    _score_claim(
        row,
        rules,
        ELDER,
        category,
        row["claimed"][ELDER, category],
        row["call_length"][category],
        row["call_rank"][category],
    )
    if category == POINT or _legal_items(row, rules, ELDER, category) == 0:
        _end_elder_part(row, rules, category)


# -- the order of the dialogue ----------------------------------------------------------------------------------------


@inner
def start_calls(row: np.void, rules: np.void) -> None:
    """Begin the dialogue with elder's call of the point."""
    _ask_call(row, POINT)


@inner
def _ask_call(row: np.void, category: int) -> None:
    row["phase"] = CALL
    row["category"] = category
    row["to_act"] = seat_of(row, ELDER)
    row["composing"] = 0
    # The same card may serve in every category, so nothing is used up by what was claimed before.
    row["used"] = 0
    row["last_item"] = -1


@inner
def _end_claims(row: np.void, rules: np.void) -> None:
    """Leave a call by passing, elder's further claims, or younger's declarations in a category."""
    category = row["category"]
    if row["phase"] == CALL:
        row["status"][category] = PASSED
        _end_elder_part(row, rules, category)
    elif row["phase"] == FURTHER:
        _end_elder_part(row, rules, category)
    else:
        row["declared"][category] = 1
        _go_on_declaring(row, rules, category + 1)


@inner
def _end_elder_part(row: np.void, rules: np.void, category: int) -> None:
    """Go on behind elder's part of a category: younger in turn, elder's next call, or the lead."""
    if rules["younger_declares"] == 1:
        if not _ask_declaration(row, rules, category):
            row["declared"][category] = 1
            _after_in_turn(row, rules, category)
    else:
        _ask_next_call(row, rules, category)


@inner
def _ask_next_call(row: np.void, rules: np.void, category: int) -> None:
    if category < SET:
        _ask_call(row, category + 1)
    else:
        row["phase"] = PLAY
        row["to_act"] = seat_of(row, ELDER)


@inner
def _after_in_turn(row: np.void, rules: np.void, category: int) -> None:
    """Go on behind younger's declaration in turn."""
    if category == SET:
        end_declarations(row, rules)
    if not row["stopped"]:
        _ask_next_call(row, rules, category)


@inner
def start_declarations(row: np.void, rules: np.void) -> None:
    """Begin what follows elder's first lead: younger's declarations, the leftovers, his card."""
    if rules["younger_declares"] == 1:
        ask_leftovers(row, rules)
    else:
        _go_on_declaring(row, rules, POINT)


@inner
def _go_on_declaring(row: np.void, rules: np.void, category: int) -> None:
    """Ask younger in the next category where he has something to say, from `category` on."""
    if rules["younger_declares"] == 1:
        _after_in_turn(row, rules, category - 1)
        return
    for later in range(category, 3):
        if _ask_declaration(row, rules, later):
            return
        row["declared"][later] = 1
    end_declarations(row, rules)
    if not row["stopped"]:
        ask_leftovers(row, rules)


@inner
def _ask_declaration(row: np.void, rules: np.void, category: int) -> bool:
    """Put younger before his claims in a category; return False where there are none to choose from."""
    status = row["status"][category]
    if status == TO_ELDER:
        return False
    row["phase"] = DECLARE
    row["category"] = category
    row["to_act"] = seat_of(row, YOUNGER)
    row["last_item"] = -1
    row["used"] = 0
    row["beaten"] = 0
    row["composing"] = 0
    if status == DEAD:
        return rules["show_scored"] == 0 and not _show_only_equal(row, rules, category)
    return _legal_items(row, rules, YOUNGER, category) != 0


@inner
def _show_only_equal(row: np.void, rules: np.void, category: int) -> bool:
    """Show younger's combination that equals the call, if there is just one; return False if he must name one."""
    ranks, hand = rules["ranks"], row["hands"][YOUNGER]
    length, rank = row["call_length"][category], row["call_rank"][category]
    partial = rules["sinking"] == PARTIAL
    matches = 0
    only = 0
    items = _items_of(row, rules, YOUNGER, category)
    while items:
        item = lowest_bit(items)
        items &= items - 1
        held = _length_of(row, rules, YOUNGER, category, item)
        if held < length or (held > length and not partial):
            continue
        cards = item_cards(category, item, hand, ranks)
        if category == POINT and partial:
            found = count_parts(pattern_of(hand, item, ranks), length, rank)
            if found == 1:
                cards = _part_with_pips(hand, item, length, rank, ranks)
        else:
            found = 1 if item_rank(category, item, cards, ranks) == rank else 0
            while num_cards(cards) > length:
                cards &= cards - 1
        matches += found
        if found == 1:
            only = cards
    if matches == 1:
        _show(row, rules, YOUNGER, category, only)
    return matches == 1


@jit
def _part_with_pips(hand: int, suit: int, length: int, pips: int, ranks: int) -> int:
    """Return the mask of the one set of `length` cards of `suit` that makes just `pips`."""
    pattern = pattern_of(hand, suit, ranks)
    part = pattern
    while part:
        cards = mask_of(part, suit, ranks)
        if pattern_cards(part) == length and item_rank(POINT, suit, cards, ranks) == pips:
            return cards
        part = (part - 1) & pattern
    return 0


@inner
def ask_leftovers(row: np.void, rules: np.void) -> None:
    """Let younger turn up what is left in the talon, where the rules leave it to him, or play."""
    row["to_act"] = seat_of(row, YOUNGER)
    asks = rules["leftover_reveal"] == YOUNGER_CHOICE and row["leftovers"] and row["leftover_state"] == NOT_ASKED
    row["phase"] = LEFTOVERS if asks else PLAY
