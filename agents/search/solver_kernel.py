"""The open-hand search: alpha-beta over whole tricks with a transposition table, exact.

A *node* is a position in which a trick is to be led. Its value is what is still to come, for the leader: the difference
of points, or (by a table of equity) the worth of the end of the deal. A trick is searched in two steps, the lead for
the highest value and the answer for the lowest.

`plies` is room for one path, a row for each number of tricks left: codes of the four suits in ascending order, the
leads to try, the answers to try. A *move* is 16 * suit + place.

The table keeps 2**n entries of four integers: two of key, the bounds with the best lead, and one unused that fills a
cache line. A key holds everything that the value depends on but the terms, for which the caller counts a *generation*.
"""

from __future__ import annotations

import numpy as np

from .jit import inner, jit
from .positions import (
    CODE_BITS,
    OWNED,
    WINNERS,
    choices_of,
    code_of,
    place_of,
    remove_card,
    scores_when_capturing,
    scores_when_led,
    string_of,
)
from .terms import TERMS_DTYPE  # noqa: F401  (the row that the functions read)

PIQUE_POINTS = 30
INFINITE = 1 << 20
NO_VALUE = -(1 << 30)  # of a card that may not be played
_BIAS = 1 << 21
_VALUE_MASK = (1 << 22) - 1
_LOW_BITS = (1 << 31) - 1
_LEADS, _ANSWERS = 4, 20  # where the moves begin in a row of `plies`
PLY_SIZE = 36


# -- the score along a path -------------------------------------------------------------------------------------------


@inner
def new_pique(terms: np.void, first: int, second: int, won: int, ended: int) -> int:
    """Return the side that has just come to a pique, plus one; 0 for none.

    first, second: points from play of sides 0 and 1 since the root
    won, ended:    tricks of the deal, of side 0 and in all
    """
    if won > 6:
        first += terms["early_cards"][0]
    if ended - won > 6:
        second += terms["early_cards"][1]
    if second == 0 and first >= terms["lacks"][0]:
        return 1
    if first == 0 and second >= terms["lacks"][1]:
        return 2
    return 0


@inner
def _is_live(terms: np.void, first: int, second: int, piqued: int) -> bool:
    """Return whether a pique may still come."""
    if terms["live"] == 0 or piqued:
        return False
    first_may = terms["lacks"][0] < 99 and second == 0
    return first_may or (terms["lacks"][1] < 99 and first == 0)


@inner
def end_value(terms: np.void, equity: np.ndarray, won: int, first: int, second: int, piqued: int) -> int:
    """Return what the end of the deal adds for side 0: cards and capot, or the worth of all points to come."""
    first_cards, second_cards = terms["cards"][0, won], terms["cards"][1, won]
    if terms["by_table"] == 0:
        return first_cards - second_cards
    own = first + first_cards + (PIQUE_POINTS if piqued == 1 else 0)
    return equity[own, second + second_cards + (PIQUE_POINTS if piqued == 2 else 0)]


@inner
def _bounds(terms: np.void, plies: np.ndarray, left: int, leader: int, won: int, live: bool) -> tuple[int, int]:
    """Return limits of the difference of points still to come, for the leader.

    The most is all the tricks; the least, the winners that can be cashed at once and nothing else.
    """
    sign = 1 - 2 * leader
    sure = 0
    if terms["plain"]:
        for suit in range(4):
            sure += WINNERS[leader, string_of(plies[left, suit])]
        sure = min(sure, left)
    all_won = won + left if leader == 0 else won
    least_won = won + sure if leader == 0 else won + left - sure
    most = left + terms["last_trick"] + sign * (terms["cards"][0, all_won] - terms["cards"][1, all_won])
    least = sign * (terms["cards"][0, least_won] - terms["cards"][1, least_won])
    if sure == left:
        least += left + terms["last_trick"]
    else:
        # Where not every card scores, a lead may be lost for nothing.
        least += sure - (left - sure - terms["plain"]) - terms["last_trick"]
    if live:
        return least - PIQUE_POINTS, most + PIQUE_POINTS
    return least, most


# -- moves ------------------------------------------------------------------------------------------------------------


@inner
def _list_leads(plies: np.ndarray, left: int, leader: int, best: int) -> int:
    """Write the leads to try, one of each group, and return their number: `best` (if any), winners, the others."""
    number = _LEADS
    if best >= 0:
        plies[left, number] = best
        number += 1
    for wins in range(1, -1, -1):
        for suit in range(4):
            code = plies[left, suit]
            choices = choices_of(code, leader)
            against = OWNED[1 - leader, string_of(code)]
            place = 0
            while choices:
                if choices & 1 and (against >> place == 0) == (wins == 1) and 16 * suit + place != best:
                    plies[left, number] = 16 * suit + place
                    number += 1
                choices >>= 1
                place += 1
    return number - _LEADS


@inner
def _list_answers(plies: np.ndarray, left: int, follower: int, lead: int) -> int:
    """Write the answers to a lead, one of each group, and return their number: the cheapest winner first."""
    number = _ANSWERS
    suit, led = lead >> 4, lead & 15
    if OWNED[follower, string_of(plies[left, suit])]:
        choices = choices_of(plies[left, suit], follower)
        for place in range(led + 1, 9):
            if choices >> place & 1:
                plies[left, number] = 16 * suit + place
                number += 1
        for place in range(led):
            if choices >> place & 1:
                plies[left, number] = 16 * suit + place
                number += 1
        return number - _ANSWERS
    for other in range(4):
        choices = choices_of(plies[left, other], follower)
        place = 0
        while choices:
            if choices & 1:
                plies[left, number] = 16 * other + place
                number += 1
            choices >>= 1
            place += 1
    return number - _ANSWERS


@inner
def _sort_suits(plies: np.ndarray, left: int) -> None:
    """Bring the suits of a row into ascending order, so that positions that differ by suits' names are one."""
    first, second, third, fourth = plies[left, 0], plies[left, 1], plies[left, 2], plies[left, 3]
    first, second = min(first, second), max(first, second)
    third, fourth = min(third, fourth), max(third, fourth)
    first, third = min(first, third), max(first, third)
    second, fourth = min(second, fourth), max(second, fourth)
    plies[left, 0], plies[left, 3] = first, fourth
    plies[left, 1], plies[left, 2] = min(second, third), max(second, third)


@inner
def _write_child(plies: np.ndarray, left: int, lead: int, answer: int) -> None:
    """Write the suits as they are behind a trick into the next row of `plies`, in ascending order."""
    for suit in range(4):
        plies[left - 1, suit] = plies[left, suit]
    suit, led = lead >> 4, lead & 15
    other, place = answer >> 4, answer & 15
    plies[left - 1, suit] = remove_card(plies[left - 1, suit], led)
    if other == suit and place > led:
        place -= 1
    plies[left - 1, other] = remove_card(plies[left - 1, other], place)
    _sort_suits(plies, left - 1)


# -- the search -------------------------------------------------------------------------------------------------------


@inner
def _play_trick(
    terms: np.void,
    plies: np.ndarray,
    left: int,
    leader: int,
    won: int,
    first: int,
    second: int,
    piqued: int,
    lead: int,
    answer: int,
    lead_booked: bool,
) -> tuple[int, int, int, int, int, int]:
    """Play a trick; return (gain of the leader, next leader, tricks of side 0, points of side 0 and 1, pique).

    lead_booked: the lead's own point, and the pique that it may have made, stand already
    """
    suit, led, place = lead >> 4, lead & 15, answer & 15
    captures = answer >> 4 == suit and place > led
    ended = 12 - left
    gain, new = 0, 0
    if not lead_booked and scores_when_led(plies[left, suit], led):
        gain = 1
        first += 1 - leader
        second += leader
        if terms["live"] and piqued == 0:
            new = new_pique(terms, first, second, won, ended)
    winner = 1 - leader if captures else leader
    points = terms["last_trick"] if left == 1 else 0
    if captures and scores_when_capturing(plies[left, suit], place):
        points += 1
    first += points * (1 - winner)
    second += points * winner
    gain += points if winner == leader else -points
    won += 1 - winner
    if terms["live"] and piqued == 0 and new == 0:
        new = new_pique(terms, first, second, won, ended + 1)
    if new:
        piqued = new
        gain += PIQUE_POINTS if new - 1 == leader else -PIQUE_POINTS
    return gain, winner, won, first, second, piqued


@inner
def _key_of(plies: np.ndarray, left: int) -> int:
    """Return the first part of the key: three of the suits."""
    return plies[left, 0] | plies[left, 1] << CODE_BITS | plies[left, 2] << 2 * CODE_BITS


@inner
def _second_key(fourth: int, leader: int, won: int, path: int, generation: int) -> int:
    """Return the second part: the fourth suit, leader, tricks, what matters of the path, and the generation."""
    return fourth | (leader | won << 1 | path << 5) << CODE_BITS | generation << 34


@inner
def _place_in_table(key: int, second_key: int, size: int) -> int:
    """Return the entry of a key in a table of `size` entries, a power of two."""
    # In parts below 32 bits, so that no product overflows and uncompiled code counts alike.
    mixed = (key & _LOW_BITS) * 0x9E3779B1 ^ (key >> 31) * 0x85EBCA6B
    mixed ^= (second_key & _LOW_BITS) * 0xC2B2AE35 ^ (second_key >> 31) * 0x27D4EB2F
    return (mixed >> 24 ^ mixed >> 5) & (size - 1)


@inner
def _enter(table: np.ndarray, entry: int, key: int, second_key: int, lower: int, upper: int, best_lead: int) -> None:
    """Write an entry of the table, whatever stood there."""
    table[entry, 0] = key
    table[entry, 1] = second_key
    table[entry, 2] = (lower + _BIAS) | (upper + _BIAS) << 22 | (best_lead + 1) << 44


@inner
def _range_in_table(table: np.ndarray, entry: int, key: int, second_key: int) -> tuple[int, int, int]:
    """Return what the table knows of a node: lower and upper bound, and the best lead (-1: none)."""
    if table[entry, 0] == key and table[entry, 1] == second_key:
        found = table[entry, 2]
        return (found & _VALUE_MASK) - _BIAS, (found >> 22 & _VALUE_MASK) - _BIAS, (found >> 44) - 1
    return -INFINITE, INFINITE, -1


@inner
def search_node(
    table: np.ndarray,
    plies: np.ndarray,
    terms: np.void,
    equity: np.ndarray,
    generation: int,
    left: int,
    leader: int,
    won: int,
    first: int,
    second: int,
    piqued: int,
    alpha: int,
    beta: int,
) -> int:
    """Return the value of a node for its leader, exact between `alpha` and `beta` and a bound outside them.

    left: tricks still to play; won: tricks of side 0 of the deal; first, second: points of sides 0 and 1 since the root
    (in the units of `_play_trick`); piqued: the side that has made its pique since the root plus one, 0 none
    """
    by_table = terms["by_table"]
    if left == 0:
        value = end_value(terms, equity, won, first, second, piqued)
        return value if leader == 0 else -value
    live = _is_live(terms, first, second, piqued)
    if by_table == 0:
        least, most = _bounds(terms, plies, left, leader, won, live)
        if least >= beta or least == most:
            return least
        if most <= alpha:
            return most
    path = first | second << 4 | piqued << 8 if by_table or live else 0
    key = _key_of(plies, left)
    second_key = _second_key(plies[left, 3], leader, won, path, generation)
    entry = _place_in_table(key, second_key, table.shape[0])
    lower, upper, best_lead = _range_in_table(table, entry, key, second_key)
    if lower >= beta or lower == upper:
        return lower
    if upper <= alpha:
        return upper
    floor = max(alpha, lower)
    best = -INFINITE
    for number in range(_list_leads(plies, left, leader, best_lead)):
        lead = plies[left, _LEADS + number]
        worst = INFINITE
        for place in range(_list_answers(plies, left, 1 - leader, lead)):
            answer = plies[left, _ANSWERS + place]
            gain, winner, new_won, new_first, new_second, new_piqued = _play_trick(
                terms, plies, left, leader, won, first, second, piqued, lead, answer, False
            )
            _write_child(plies, left, lead, answer)
            gain *= 1 - by_table
            low, high = floor - gain, min(beta, worst) - gain
            if winner != leader:
                low, high = -high, -low
            value = search_node(
                table,
                plies,
                terms,
                equity,
                generation,
                left - 1,
                winner,
                new_won,
                new_first,
                new_second,
                new_piqued,
                low,
                high,
            )
            value = gain + (value if winner == leader else -value)
            worst = min(worst, value)
            if worst <= floor:
                break
        if worst > best:
            best = worst
            best_lead = lead
            floor = max(floor, best)
            if best >= beta:
                break
    if best > alpha:
        lower = max(lower, best)
    if best < beta:
        upper = min(upper, best)
    _enter(table, entry, key, second_key, lower, upper, best_lead)
    return best


# -- the moves at the root --------------------------------------------------------------------------------------------


@inner
def _write_root(terms: np.void, plies: np.ndarray, left: int, own: int, other: int) -> None:
    """Write the suits of a position, in their own order, from two masks of patterns (nine bits a suit)."""
    for suit in range(4):
        own_suit, other_suit = own >> 9 * suit & 511, other >> 9 * suit & 511
        plies[left, suit] = code_of(own_suit, other_suit, terms["lead_rank"], terms["capture_rank"])


@inner
def _move_of(own: int, other: int, card: int) -> int:
    """Return the move of a card (by its bit in the masks) in the position of two masks."""
    suit, rank = card // 9, card % 9
    return 16 * suit + place_of((own | other) >> 9 * suit & 511, rank)


@inner
def _value_of_trick(
    table: np.ndarray,
    plies: np.ndarray,
    terms: np.void,
    equity: np.ndarray,
    generation: int,
    left: int,
    leader: int,
    won: int,
    lead: int,
    answer: int,
    lead_booked: bool,
) -> int:
    """Return the exact value for side 0 of a trick played at the root, and all behind it."""
    gain, winner, new_won, first, second, piqued = _play_trick(
        terms, plies, left, leader, won, 0, 0, 0, lead, answer, lead_booked
    )
    _write_child(plies, left, lead, answer)
    value = search_node(
        table, plies, terms, equity, generation, left - 1, winner, new_won, first, second, piqued, -INFINITE, INFINITE
    )
    if terms["by_table"]:
        gain = 0
    return (gain if leader == 0 else -gain) + (value if winner == 0 else -value)


@inner
def _value_of_lead(
    table: np.ndarray,
    plies: np.ndarray,
    terms: np.void,
    equity: np.ndarray,
    generation: int,
    left: int,
    won: int,
    lead: int,
) -> int:
    """Return the value for side 0 of a card that it leads at the root."""
    worst = INFINITE
    for place in range(_list_answers(plies, left, 1, lead)):
        answer = plies[left, _ANSWERS + place]
        value = _value_of_trick(table, plies, terms, equity, generation, left, 0, won, lead, answer, False)
        worst = min(worst, value)
    return worst


@jit
def value_moves(
    table: np.ndarray,
    plies: np.ndarray,
    all_terms: np.ndarray,
    equity: np.ndarray,
    generation: int,
    own: int,
    others: np.ndarray,
    led: int,
    legal: int,
    won: int,
    left: int,
    values: np.ndarray,
) -> None:
    """Write the value for side 0 of each of its legal cards in every world.

    own:    its hand, as a mask of patterns (nine bits a suit)
    others: int64[W], the other's hand in each world, without the card on the table
    led:    the card on the table (bit of the masks), led by the other; -1: side 0 leads
    legal:  mask of the cards it may play
    won:    tricks that side 0 has won; left: cards that it holds
    values: int64[W, 36], overwritten; NO_VALUE for other cards
    """
    terms = all_terms[0]
    for world in range(others.shape[0]):
        other = others[world]
        if led >= 0:
            other |= 1 << led
        for card in range(36):
            values[world, card] = NO_VALUE
        tried = 0
        for card in range(36):
            if legal >> card & 1 == 0:
                continue
            _write_root(terms, plies, left, own, other)
            move = _move_of(own, other, card)
            suit, place = move >> 4, move & 15
            if choices_of(plies[left, suit], 0) >> place & 1 == 0 and tried >> (card // 9) & 1:
                # Equivalent to the card below it in the hand, which has its value already.
                lower = card - 1
                while values[world, lower] == NO_VALUE:
                    lower -= 1
                values[world, card] = values[world, lower]
                continue
            tried |= 1 << (card // 9)
            if led >= 0:
                lead = _move_of(own, other, led)
                value = _value_of_trick(table, plies, terms, equity, generation, left, 1, won, lead, move, True)
            else:
                value = _value_of_lead(table, plies, terms, equity, generation, left, won, move)
            values[world, card] = value


@jit
def value_positions(
    table: np.ndarray,
    plies: np.ndarray,
    all_terms: np.ndarray,
    equity: np.ndarray,
    generation: int,
    hands: np.ndarray,
    leader: int,
    won: int,
    left: int,
    values: np.ndarray,
) -> None:
    """Write the value for side 0 of positions in which a side is to lead.

    hands:  int64[N, 2], masks of patterns; leader: side to lead
    values: int64[N], overwritten
    """
    terms = all_terms[0]
    for place in range(hands.shape[0]):
        _write_root(terms, plies, left, hands[place, 0], hands[place, 1])
        _sort_suits(plies, left)
        value = search_node(table, plies, terms, equity, generation, left, leader, won, 0, 0, 0, -INFINITE, INFINITE)
        values[place] = value if leader == 0 else -value
