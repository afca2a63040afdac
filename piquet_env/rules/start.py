"""Where a partie begins: everything but the rules that, with the actions, makes the game.

A start is checked once, in Python; `begin_rows` then puts a row of state at it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from .cards import format_card
from .play import begin_at
from .shuffle import deck_of
from .state import NOBODY, STATE_DTYPE
from .variants import Rules

MOST_SEED = 2**63 - 1
EXTRA_DEALS = {"two_deals": 2, "seventh_deal": 1, "draw": 0}  # added once after equal totals, by tie_break (law 59)
MOST_DEAL_NUMBER = 5_000  # in au cent, where it runs on: the observation holds four digits
MOST_TOTAL = 500_000  # the observation holds six digits


class Start(NamedTuple):
    """Where a partie begins; totals and games go by seat, decks are those of the deals from `deal_number` on."""

    seed: int = 0
    partie: int = 0
    decks: tuple[np.ndarray, ...] = ()
    totals: tuple[int, int] = (0, 0)
    games: tuple[int, int] = (0, 0)
    deal_number: int = 1
    dealer: int | None = None


def begin_rows(rules: Rules, codes: np.ndarray, start: Start) -> np.ndarray:
    """Return int64 cells whose view as STATE_DTYPE is one row at the start of a partie.

    codes: `rules.codes()`
    The row is in phase CUT, or DEAL_OVER waiting for its first deal.
    """
    flat = np.zeros(STATE_DTYPE.itemsize // 8, dtype=np.int64)
    rows = flat.view(STATE_DTYPE)
    row = rows[0]
    row["seed"], row["partie"] = start.seed, start.partie
    begin_at(rows, 0, codes, NOBODY if start.dealer is None else start.dealer, deck_at(rules, start, 0))
    row["totals"] = start.totals
    row["games"] = start.games
    row["deal_number"] = start.deal_number - 1
    if rules.form == "rubicon" and start.deal_number > rules.deals:
        row["planned_deals"] = rules.deals + extra_deals(rules)
    return flat


def deck_at(rules: Rules, start: Start, deal_number: int) -> np.ndarray:
    """Return the deck of a deal: given, or of the seed. Deal 0 is the cut."""
    place = deal_number - start.deal_number
    if deal_number > 0 and 0 <= place < len(start.decks):
        return start.decks[place]
    return deck_of(start.seed, start.partie, deal_number, rules.pack)


def extra_deals(rules: Rules) -> int:
    """Return how many deals can follow equal totals."""
    return EXTRA_DEALS[rules.tie_break]


def check_start(
    rules: Rules,
    seed: int,
    partie: int,
    decks: Iterable[Any],
    totals: Sequence[int],
    games: Sequence[int],
    deal_number: int,
    dealer: int | None,
) -> Start:
    """Return the start of a partie; ValueError, in one sentence, says what cannot be."""
    _check_number("seed", seed, 0, MOST_SEED)
    _check_number("partie", partie, 0, MOST_SEED)
    most_deal = rules.deals + extra_deals(rules) if rules.form == "rubicon" else MOST_DEAL_NUMBER
    _check_number("deal_number", deal_number, 1, most_deal)
    if dealer is not None:
        _check_number("dealer", dealer, 0, 1)
    elif deal_number > 1:
        raise ValueError(f"deal_number={deal_number} begins inside a partie, so dealer must say which seat deals it")
    points = _check_pair("totals", totals, 0, MOST_TOTAL)
    won = _check_pair("games", games, 0, rules.games - 1)
    if rules.form == "rubicon" and won != (0, 0):
        raise ValueError("games belong to form='au_cent'; under these rules no games are won")
    goes_on = rules.au_cent_stop == "end_of_deal" and points[0] == points[1]  # law 62
    if rules.form == "au_cent" and max(points) >= rules.target and not goes_on:
        raise ValueError(f"totals={points} have already won the game: au cent ends at {rules.target}")
    if rules.form == "rubicon" and deal_number == rules.deals + 1 and points[0] != points[1]:
        raise ValueError(f"deal {deal_number} is played only after equal totals, not {points}")
    entries = [decks] if isinstance(decks, str) else decks
    if not isinstance(entries, Iterable):
        raise ValueError(f"decks must be a list of decks, or the text of deals, not {decks!r}")
    checked = tuple(deck for given in entries for deck in check_decks(given, rules.pack))
    if rules.form == "rubicon" and len(checked) > most_deal - deal_number + 1:
        raise ValueError(f"{len(checked)} decks are more than the deals that can follow deal {deal_number}")
    seat = None if dealer is None else int(dealer)
    return Start(int(seed), int(partie), checked, points, won, int(deal_number), seat)


def check_starts(rules: Rules, totals: np.ndarray, deal_numbers: np.ndarray, dealers: np.ndarray) -> None:
    """Raise ValueError, naming the first place, where parties of a batch cannot begin.

    totals: int64[M, 2]; deal_numbers, dealers: int64[M], a dealer of NOBODY being left to the cut
    """
    is_rubicon = rules.form == "rubicon"
    last = rules.deals if is_rubicon else MOST_DEAL_NUMBER
    most = MOST_TOTAL if is_rubicon else rules.target - 1
    checks = (
        ((deal_numbers < 1) | (deal_numbers > last), f"deal_numbers must lie between 1 and {last}"),
        (((totals < 0) | (totals > most)).any(axis=1), f"totals must lie between 0 and {most}"),
        ((dealers < NOBODY) | (dealers > 1), "dealers must be 0 or 1, or -1 for the cut"),
        (
            (dealers == NOBODY) & (deal_numbers > 1),
            "dealers must be 0 or 1 where a partie begins behind its first deal",
        ),
    )
    for is_wrong, sentence in checks:
        if is_wrong.any():
            place = int(np.flatnonzero(is_wrong)[0])
            start = f"totals {totals[place].tolist()}, deal {deal_numbers[place]}, dealer {dealers[place]}"
            raise ValueError(f"{sentence}; at place {place} stand {start}")


def check_decks(given: Any, pack: int) -> list[np.ndarray]:
    """Return the decks that an entry of `decks` stands for: one array, or all deals of a `.deal` text."""
    if isinstance(given, str):
        from .notation import decks_of

        return decks_of(given, pack)
    return [check_deck(given, pack)]


def check_deck(given: Any, pack: int) -> np.ndarray:
    """Return a deck as a read-only int8 array; ValueError names what is not a permutation of the pack."""
    deck = np.asarray(given)
    if deck.ndim != 1 or deck.dtype.kind not in "iu":
        raise ValueError("a deck is a flat array of whole numbers, or the text of a deal")
    if len(deck) != pack:
        raise ValueError(f"a deck holds {pack} cards under these rules, not {len(deck)}")
    counts = np.bincount(deck[(deck >= 0) & (deck < pack)].astype(np.int64), minlength=pack)
    for card in deck.tolist():
        if not 0 <= card < pack:
            raise ValueError(f"card {card} of a deck is not between 0 and {pack - 1}")
        if counts[card] > 1:
            raise ValueError(f"card {format_card(card, pack // 4)} stands twice in a deck")
    checked = deck.astype(np.int8)
    checked.setflags(write=False)
    return checked


def _check_number(name: str, value: Any, low: int, high: int) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not low <= value <= high:
        raise ValueError(f"{name} must be a whole number from {low} to {high}, not {value!r}")


def _check_pair(name: str, values: Any, low: int, high: int) -> tuple[int, int]:
    try:
        if isinstance(values, (set, frozenset, dict)):
            raise TypeError
        first, second = values
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be two numbers, one a seat, not {values!r}") from None
    _check_number(name, first, low, high)
    _check_number(name, second, low, high)
    return int(first), int(second)
