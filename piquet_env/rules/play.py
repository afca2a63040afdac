"""The transition function: `find_legal` and `apply` over all phases, one pair of functions a phase.

`apply` is unchecked: it is what environments, batches and search call after they have used the mask.
"""

from __future__ import annotations

import numpy as np

from .actions import KIND_DISCARD, KIND_WITHHOLD, WORD_DRAW
from .dialogue import apply_claim, apply_reply, apply_withhold, find_legal_claim, find_legal_reply, start_calls
from .exchange import (
    apply_carte_blanche,
    apply_discard,
    apply_draw,
    find_legal_carte_blanche,
    find_legal_exchange,
)
from .jit import inner, jit
from .masks import write_mask
from .partie import apply_cut, end_deal, find_legal_cut, settlement_of, start_deal, start_partie
from .state import (
    CALL,
    CARTE_BLANCHE,
    CUT,
    DEAL_OVER,
    DECLARE,
    DETAIL_REPLY,
    EXCHANGE,
    FURTHER,
    LEFTOVERS,
    NOBODY,
    PLAY,
    REPLY,
)
from .tricks import apply_leftovers, apply_play, find_legal_leftovers, find_legal_play
from .variants import NONE


@inner
def find_legal(row: np.void, rules: np.void) -> None:
    """Write the legal actions of the seat to act into the row (nothing where nobody is to act)."""
    row["legal_kind"] = 0
    row["legal_cards"] = 0
    row["legal_words"] = 0
    phase = row["phase"]
    if phase == PLAY:
        find_legal_play(row, rules)
    elif phase == EXCHANGE:
        find_legal_exchange(row, rules)
    elif phase == CALL or phase == FURTHER or phase == DECLARE:
        find_legal_claim(row, rules)
    elif phase == REPLY or phase == DETAIL_REPLY:
        find_legal_reply(row, rules)
    elif phase == CARTE_BLANCHE:
        find_legal_carte_blanche(row, rules)
    elif phase == LEFTOVERS:
        find_legal_leftovers(row, rules)
    elif phase == CUT:
        find_legal_cut(row, rules)


@inner
def _apply_once(row: np.void, rules: np.void, action: int) -> None:
    """Apply one action and settle what follows from it without a decision."""
    pack = rules["pack"]
    phase = row["phase"]
    if phase == PLAY:
        apply_play(row, rules, action)
        if row["tricks_played"] == 12:
            end_deal(row, rules)
    elif phase == EXCHANGE:
        if action < (KIND_DISCARD + 1) * pack:
            apply_discard(row, rules, action - KIND_DISCARD * pack)
        else:
            apply_draw(row, rules)
    elif phase == CALL or phase == FURTHER or phase == DECLARE:
        if action < 3 * pack:
            apply_withhold(row, rules, action - KIND_WITHHOLD * pack)
        else:
            apply_claim(row, rules, action - 3 * pack)
    elif phase == REPLY or phase == DETAIL_REPLY:
        apply_reply(row, rules, action - 3 * pack)
    elif phase == CARTE_BLANCHE:
        apply_carte_blanche(row, rules, action - 3 * pack)
    elif phase == LEFTOVERS:
        apply_leftovers(row, rules, action - 3 * pack)
    elif phase == CUT:
        apply_cut(row, rules, action - 3 * pack)
    if row["stopped"] and row["phase"] < DEAL_OVER:
        end_deal(row, rules)
    if row["phase"] == EXCHANGE and row["to_act"] == NOBODY:
        start_calls(row, rules)
    find_legal(row, rules)


@jit
def is_dialogue(phase: int) -> bool:
    """Return whether a phase belongs to the calls, replies and declarations."""
    return CALL <= phase <= FURTHER or phase == DECLARE


@inner
def apply(row: np.void, rules: np.void, action: int) -> None:
    """Apply a legal action id. Unchecked.

    Under sinking='none' the dialogue then runs by itself. At the end of a deal the row waits in phase DEAL_OVER for
    `deal_next`, or rests in PARTIE_OVER.
    """
    _apply_once(row, rules, action)
    run_forced_dialogue(row, rules)


@inner
def run_forced_dialogue(row: np.void, rules: np.void) -> None:
    """Let the dialogue run by itself where nothing may be sunk."""
    while rules["sinking"] == NONE and is_dialogue(row["phase"]):
        _apply_once(row, rules, only_legal(row, rules))


@inner
def only_legal(row: np.void, rules: np.void) -> int:
    """Return the lowest legal action id; the only one where the decision is forced."""
    cards = row["legal_cards"]
    if cards:
        card = 0
        while cards >> card & 1 == 0:
            card += 1
        return row["legal_kind"] * rules["pack"] + card
    words = row["legal_words"]
    word = WORD_DRAW
    while words >> word & 1 == 0:
        word += 1
    return 3 * rules["pack"] + word


@inner
def is_forced(row: np.void) -> bool:
    """Return whether just one action is legal."""
    cards, words = row["legal_cards"], row["legal_words"]
    if cards == 0:
        return words != 0 and words & (words - 1) == 0
    return words == 0 and cards & (cards - 1) == 0


@inner
def is_legal(row: np.void, rules: np.void, action: int) -> bool:
    """Return whether an action id is legal; false for anything outside the table."""
    pack = rules["pack"]
    if action < 0 or action >= 3 * pack + 63:
        return False
    if action < 3 * pack:
        return action // pack == row["legal_kind"] and row["legal_cards"] >> (action % pack) & 1 != 0
    return row["legal_words"] >> (action - 3 * pack) & 1 != 0


@inner
def deal_next(row: np.void, rules: np.void, deck: np.ndarray) -> None:
    """Begin the next deal of a row that waits in phase DEAL_OVER."""
    start_deal(row, rules, deck)
    if row["stopped"]:
        end_deal(row, rules)
    find_legal(row, rules)


# -- the doors for Python: a structured array and an index, the cheapest way into compiled code ----------------------


@jit
def begin_at(rows: np.ndarray, index: int, rules: np.ndarray, dealer: int, cut: np.ndarray) -> None:
    """Begin a partie in row `index` (see `start_partie`)."""
    start_partie(rows[index], rules[0], dealer, cut)
    find_legal(rows[index], rules[0])


@jit
def deal_at(rows: np.ndarray, index: int, rules: np.ndarray, deck: np.ndarray) -> None:
    """Begin the next deal in row `index`."""
    deal_next(rows[index], rules[0], deck)


@jit
def apply_at(rows: np.ndarray, index: int, rules: np.ndarray, action: int) -> int:
    """Apply `action` in row `index` if it is legal; return the phase, or -1 for a refusal that changed nothing."""
    row = rows[index]
    if not is_legal(row, rules[0], action):
        return -1
    apply(row, rules[0], action)
    return row["phase"]


@jit
def mask_at(rows: np.ndarray, index: int, rules: np.ndarray, mask: np.ndarray) -> None:
    """Overwrite `mask` with the legal actions of row `index`."""
    write_mask(rows[index], rules[0], mask.reshape(1, -1), 0)


@jit
def settlement_at(rows: np.ndarray, index: int, rules: np.ndarray) -> int:
    """Return what the ended partie of row `index` pays to seat 0."""
    return settlement_of(rows[index], rules[0])


@jit
def is_forced_at(rows: np.ndarray, index: int) -> bool:
    """Return whether just one action is legal in row `index`."""
    return is_forced(rows[index])
