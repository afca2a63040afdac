"""The referee: asks for decisions in words, refuses what is not lawful, and settles a partie or a match au cent.

It is written for clearness and not for speed, in plain strings and lists.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any

from .deal import Deal, Entry
from .holdings import RANK_NUMBER

DEFAULTS: dict[str, Any] = {
    "pack": 32,
    "elder_max": None,
    "bonus_order": "fixed",
    "cards_count_for_pique": False,
    "sets_from": "T",
    "lead_point_min_rank": "any",
    "capture_point_min_rank": "any",
    "last_trick_point": 1,
    "younger_must_exchange": True,
    "leftover_reveal": "younger_choice_after_lead",
    "tie_break": "two_deals",
    "carte_blanche_show": "immediate",
    "younger_cb_show": "after_elder_exchange",
    "carte_blanche_claim": "optional",
    "younger_cb_announce": "before_exchange",
    "younger_declares": "after_lead",
    "sequence_call": "length",
    "point_call": "number",
    "show_scored": "auto",
    "sinking": "combination",
    "undercall_lock": "cavendish",
    "carte_rouge": 0,
    "form": "rubicon",
    "target": 100,
    "lurch": 50,
    "games": 3,
    "au_cent_stop": "immediate",
    "rubicon_line": 100,
    "deals": 6,
    "first_dealer": "random",
}

SeatQuestion = tuple[int, str, list[str]]


def settlement(winner: int, loser: int, line: int = 100) -> int:
    """Rubicon: a hundred and the difference, or the sum of both totals if the loser has not reached the line."""
    return 100 + winner - loser if loser >= line else 100 + winner + loser


class Referee:
    """A partie of Piquet between seats 0 and 1, played word by word."""

    def __init__(
        self,
        rules: Mapping[str, object],
        decks: Callable[[int], Sequence[str]],
        *,
        dealer: int | None = None,
        cut: Sequence[str] | None = None,
        totals: Sequence[int] = (0, 0),
        games: Sequence[int] = (0, 0),
        deal_number: int = 1,
    ) -> None:
        self.rules: dict[str, Any] = {**DEFAULTS, **rules}
        self._check_rules()
        self.decks = decks
        self.cut = list(cut or [])
        self.totals = list(totals)
        self.games = list(games)
        self.lurches = [0, 0]
        self.deal_number = deal_number
        self.dealer = self._given_dealer(dealer)
        self.events: Counter[str] = Counter()
        self.result: dict[str, tuple[int, int]] | None = None
        self.deal: Deal | None = None
        self._previous_log: list[tuple[str, int, str]] = []
        self.phase = "over"
        self.to_act: int | None = None
        self._legal: list[str] = []
        self._asking = self._partie()
        self._ask(None)

    # What the driver of a game sees

    @property
    def over(self) -> bool:
        """Whether the partie has ended."""
        return self.to_act is None

    @property
    def scores(self) -> list[int]:
        """The booked points of the current deal, by seat."""
        points = [0, 0]
        for role, number, _ in self.log():
            points[self._seat(role)] += number
        return points

    def legal(self) -> list[str]:
        """The words that the seat to act may say."""
        return self._legal

    def apply(self, word: str) -> None:
        """Take the decision of the seat to act."""
        if word not in self._legal:
            raise ValueError(
                f"{word!r} is not lawful here; lawful are: {', '.join(self._legal) or 'none, the partie is over'}"
            )
        self._ask(word)

    def log(self) -> list[Entry]:
        """The booked entries (role, points, class) of the current deal in the order of reckoning."""
        return list(self.deal.log()) if self.deal else []

    def previous_log(self) -> list[Entry]:
        """The whole log of the deal before the current one."""
        return list(self._previous_log)

    def record(self, category: str) -> dict[str, Any]:
        """What was publicly said and scored in a category of the current deal."""
        if self.deal is None:
            return {"status": "uncalled", "length": None, "detail": None, "replies": [], "scored": []}
        return self.deal.records[category]

    def shown(self, role: str, category: str) -> set[str]:
        """The cards of a role made public in a category of the current deal."""
        return set(self.deal.public[role, category]) if self.deal else set()

    # The partie

    def _check_rules(self) -> None:
        """Refuse combinations of options that mean nothing."""
        rules = self.rules
        if rules["younger_cb_announce"] == "after_elder_exchange" and rules["younger_cb_show"] == "immediate":
            raise ValueError("Younger's carte blanche cannot be shown before it is announced.")
        if rules["form"] == "au_cent":
            if any(rules[name] != DEFAULTS[name] for name in ("deals", "tie_break", "rubicon_line")):
                raise ValueError("Au cent knows no deals, tie_break or rubicon_line.")
            if rules["first_dealer"] == "choose":
                raise ValueError("Au cent knows no choice of the first deal.")

    def _given_dealer(self, dealer: int | None) -> int:
        """The dealer of the first deal to be played, or -1 while it is still to be chosen."""
        first = self.rules["first_dealer"]
        if dealer is not None:
            return dealer
        if first == "choose":
            return -1
        if first == "random":
            raise ValueError("The referee draws no lots: name the dealer.")
        return (int(first) + self.deal_number - 1) % 2

    def _seat(self, role: str) -> int:
        """Younger hand is the dealer, elder hand the other."""
        return self.dealer if role == "younger" else 1 - self.dealer

    def _ask(self, word: str | None) -> None:
        """Go on to the next decision, or to the end."""
        try:
            self.to_act, self.phase, self._legal = self._asking.send(word)  # type: ignore[arg-type]
        except StopIteration:
            self.to_act, self.phase, self._legal = None, "over", []

    def _partie(self) -> Generator[SeatQuestion, str, None]:
        """Deals in turn, the deal alternating, until the partie is settled."""
        if self.dealer < 0:
            chooser = self._winner_of_cut()
            word = yield chooser, "choose", ["deal first", "deal second"]
            self.dealer = chooser if word == "deal first" else 1 - chooser
        while True:
            yield from self._one_deal()
            finished = self._after_deal_au_cent() if self.rules["form"] == "au_cent" else self._after_deal_rubicon()
            if finished:
                return
            self._previous_log = self.log()
            self.deal_number += 1
            self.dealer = 1 - self.dealer

    def _winner_of_cut(self) -> int:
        """The higher card chooses who deals; equal cards are cut again."""
        for first, second in zip(self.cut[0::2], self.cut[1::2], strict=False):
            if first[1] != second[1]:
                return 0 if RANK_NUMBER[first[1]] > RANK_NUMBER[second[1]] else 1
        raise ValueError("The cut needs two cards of different rank.")

    def _one_deal(self) -> Generator[SeatQuestion, str, None]:
        """Play one deal, passing each question on to the seat that has the role."""
        stops = self.rules["form"] == "au_cent" and self.rules["au_cent_stop"] == "immediate"
        before = {role: self.totals[self._seat(role)] for role in ("elder", "younger")}
        self.deal = Deal(
            self.rules, self.decks(self.deal_number), self.events, self.rules["target"] if stops else None, before
        )
        asking = self.deal.run()
        seats = {role: self._seat(role) for role in ("elder", "younger")}
        try:
            role, phase, legal = next(asking)
            while True:
                word = yield seats[role], phase, legal
                role, phase, legal = asking.send(word)
        except StopIteration:
            return

    def _after_deal_rubicon(self) -> bool:
        """Add the deal; after the last one settle, or go on once if the totals are equal."""
        self.totals = [total + points for total, points in zip(self.totals, self.scores, strict=True)]
        extra = {"two_deals": 2, "seventh_deal": 1, "draw": 0}[self.rules["tie_break"]]
        last = self.rules["deals"]
        tied = self.totals[0] == self.totals[1]
        if self.deal_number < last or last < self.deal_number < last + extra:
            return False
        if self.deal_number == last and tied and extra:
            self.events["tie extended"] += 1
            return False
        self._settle_rubicon()
        return True

    def _settle_rubicon(self) -> None:
        """The loser pays the winner; a drawn partie pays nothing."""
        first, second = self.totals
        paid = settlement(max(self.totals), min(self.totals), self.rules["rubicon_line"])
        if first == second:
            self.events["drawn partie"] += 1
            paid = 0
        gain = paid if first > second else -paid
        self.result = {"totals": (first, second), "settlement": (gain, -gain), "games": (self.games[0], self.games[1])}

    def _after_deal_au_cent(self) -> bool:
        """Add the deal; if a game is won, count it, double if the loser has not reached the lurch."""
        assert self.deal is not None
        self.totals = [total + points for total, points in zip(self.totals, self.scores, strict=True)]
        winner = self._winner_of_game()
        if winner is None:
            return False
        loser = 1 - winner
        lurched = self.totals[loser] < self.rules["lurch"]
        self.games[winner] += 2 if lurched else 1
        if lurched:
            self.lurches[loser] += 1
            self.events["lurch"] += 1
            self.events["double game"] += 1
        if self.games[winner] >= self.rules["games"]:
            gain = self.games[0] - self.games[1]
            self.result = {
                "totals": (self.totals[0], self.totals[1]),
                "settlement": (gain, -gain),
                "games": (self.games[0], self.games[1]),
            }
            return True
        self.totals = [0, 0]
        return False

    def _winner_of_game(self) -> int | None:
        """Who reached the target first, or at the end of the deal the higher total, equal totals going on."""
        assert self.deal is not None
        if self.rules["au_cent_stop"] == "immediate":
            return None if self.deal.winner is None else self._seat(self.deal.winner)
        if max(self.totals) < self.rules["target"]:
            return None
        if self.totals[0] == self.totals[1]:
            self.events["au cent tie goes on"] += 1
            return None
        winner = 0 if self.totals[0] > self.totals[1] else 1
        self.events["au cent won at the end of the deal"] += 1
        return winner
