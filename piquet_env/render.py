"""A text picture of a game, from one seat or open: a table that a player can read and play from.

A seat's picture is painted from its observation vector, the rules and the points of ended deals, and from nothing else,
so it tells no more than the seat knows. The open picture lays the observations of both seats side by side and adds the
talon.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from .observation import decode, observation_scale
from .rules.cards import SUITS, TEN, format_card, format_hand
from .rules.knowledge import View
from .rules.scoring import settlement
from .rules.state import CATEGORY_NAMES, COLUMN_NAMES, ELDER, YOUNGER, Status
from .rules.tables import SEQUENCE_NAMES, SEQUENCE_VALUE, SET_NAMES, SET_VALUE
from .rules.variants import Rules

if TYPE_CHECKING:
    from .game import Game

MOST_WIDTH = 100
ROLE_NAMES = ("elder", "younger")
REPLY_NAMES = ("good", "equal", "not good")
CARTE_BLANCHE_NAMES = ("kept silent", "announced", "shown")
RANK_NAMES = ("six", "seven", "eight", "nine", "ten", "jack", "queen", "king", "ace")
UNICODE_SUITS = "♠♥♦♣"
BACK = "##"
NO_BREAK = "\u00a0"  # a space at which no line is broken
_ONES = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("zero", "ten", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_POINT, _SEQUENCE, _SET = range(3)

_TURNS = {  # what is waited for; {who} is the role and the player to act
    View.CARTE_BLANCHE: "{who} holds a carte blanche, and claims it or keeps it silent",
    View.EXCHANGE_ELDER: "{who} exchanges",
    View.EXCHANGE_YOUNGER: "{who} exchanges",
    View.CALL: "{who} calls a {category} or passes",
    View.REPLY: "{who} replies to the {category}",
    View.SECOND_REPLY: "{who} replies to the {detail}",
    View.FURTHER: "{who} may add to the {category}",
    View.LEFTOVERS: "{who} may turn up the cards left in the talon",
    View.LEAD: "{who} leads to trick {trick}",
    View.FOLLOW: "{who} follows to {led}",
}


def render_text(game: Game, seat: int | None = None, *, unicode: bool = False) -> str:
    """Return the picture of `game` as `seat` (0 or 1) sees it, or the open one (None) with all cards.

    unicode: suit symbols in place of the letters S H D C
    Lines have at most 100 columns. Raises ValueError for a seat that does not exist.
    """
    rules, deals = game.rules, _ended_deals(game)
    if seat is None:
        views = {each: _whole_numbers(game.observation(each), rules) for each in (0, 1)}
        talon = tuple(game.state["talon"][: rules.pack - 24].tolist())
        # The seat to act sees the true phase; both see all of the dialogue.
        return _Painter(rules, views, game.to_act or 0, deals, talon, unicode=unicode).paint()
    return render_observation(game.observation(seat), rules, seat, deals, unicode=unicode)


def render_observation(
    observation: np.ndarray,
    rules: Rules,
    seat: int,
    deals: Mapping[int, tuple[int, int]] = MappingProxyType({}),
    *,
    unicode: bool = False,
) -> str:
    """Return the picture that an observation of `seat` holds.

    observation: float32[observation_size] or the int8 form, as from `Game.observation(seat)`
    deals:       points by seat of ended deals, by the deal's number
    """
    return _Painter(rules, {seat: _whole_numbers(observation, rules)}, seat, deals, unicode=unicode).paint()


def _ended_deals(game: Game) -> dict[int, tuple[int, int]]:
    """Return the points by seat of the deals of a game that have ended, by number."""
    return dict(enumerate(game.deal_points, start=game.start.deal_number))


def _whole_numbers(observation: np.ndarray, rules: Rules) -> dict[str, list[int]]:
    """Return the blocks of an observation as lists of whole numbers."""
    if observation.dtype.kind == "f":
        observation = np.rint(observation / observation_scale(rules.pack))
    return {name: block.astype(np.int64).tolist() for name, block in decode(observation).items()}


def number_in_words(number: int) -> str:
    """Return a number below one hundred in words: `forty-nine`."""
    if number < 20:
        return _ONES[number]
    ones = f"-{_ONES[number % 10]}" if number % 10 else ""
    return _TENS[number // 10] + ones


def combination_in_words(category: int, length: int, rank: int | None) -> str:
    """Return a combination as it is called: `point of five`, `tierce to the king`, `trio of aces`.

    rank: pips of the point, top of the sequence (six 0 … ace 8), rank of the set; None if unsaid
    """
    if category == _POINT:
        return f"point of {number_in_words(length)}" + ("" if rank is None else f" making {number_in_words(rank)}")
    if category == _SEQUENCE:
        return SEQUENCE_NAMES[length] + ("" if rank is None else f" to the {RANK_NAMES[rank]}")
    return SET_NAMES[length] + ("" if rank is None else f" of {RANK_NAMES[rank]}s")


def _wrap(label: str, text: str, indent: int) -> list[str]:
    """Return `label` and `text` as lines, the text set in at `indent` and broken at the greatest width."""
    first = f"{label:<{indent}}"
    return textwrap.wrap(text, MOST_WIDTH, initial_indent=first, subsequent_indent=" " * indent, break_on_hyphens=False)


class _Painter:
    """One picture.

    views: the decoded observations that it may use, by seat: one of them, or both for the open picture
    main:  the seat whose view tells what is public
    deals: points by seat of ended deals, by number
    talon: the talon in drawing order, for the open picture alone
    """

    def __init__(
        self,
        rules: Rules,
        views: Mapping[int, dict[str, list[int]]],
        main: int,
        deals: Mapping[int, tuple[int, int]],
        talon: tuple[int, ...] | None = None,
        *,
        unicode: bool,
    ) -> None:
        self.rules = rules
        self.views = views
        self.main = main
        self.public = views[main]
        self.deals = deals
        self.talon = talon
        self.unicode = unicode
        self.phase = View(self.public["phase"].index(1))
        self.deal_number = self.public["deal_number"][0] + 100 * self.public["deal_number"][1]
        elder = main if self.public["elder"][0] else 1 - main
        self.seats = (elder, 1 - elder)  # by role

    def paint(self) -> str:
        """Return the whole picture."""
        lines = self._heading()
        if self.deal_number:
            lines += ["", *self._player(ELDER), *self._player(YOUNGER), *self._talon()]
            lines += self._dialogue() + self._tricks() + self._score()
        lines += ["", *self._partie()]
        return "\n".join(line.rstrip() for line in lines).replace(NO_BREAK, " ")

    # -- reading the observations -------------------------------------------------------------------------------------

    def _about(self, seat: int, block: str) -> list[int]:
        """Return a block that exists for both sides, `own_…` and `other_…`, as the main view has it of `seat`."""
        return self.public[("own_" if seat == self.main else "other_") + block]

    def _of_pair(self, seat: int, block: str) -> int:
        """Return the entry for `seat` of a block of two entries, own and the other's."""
        return self.public[block][0 if seat == self.main else 1]

    def _own(self, seat: int, block: str) -> int:
        """Return a block of cards that only `seat` knows as a mask; 0 where the picture may not use it."""
        return _mask(self.views[seat][block]) if seat in self.views else 0

    def _taken(self, seat: int) -> int | None:
        """Return how many cards a seat exchanged; None until it is said."""
        said = self._about(seat, "taken")[0]
        return said - 1 if said else None

    def _total(self, seat: int) -> int:
        """Return the points of the partie (au cent: of the game), those of the deal being played included."""
        units, hundreds, rest = self._about(seat, "total")
        total = units + 100 * hundreds + 10_000 * rest
        return total if self.phase == View.OVER else total + sum(self._about(seat, "points"))

    def _games(self, seat: int) -> int:
        units, hundreds = self._about(seat, "games")
        return units + 100 * hundreds

    def _category(self) -> int | None:
        return self.public["category"].index(1) if any(self.public["category"]) else None

    def _status(self, category: int) -> Status:
        """Return what has become of a category, in terms of elder and younger."""
        status = self.public["status"][5 * category : 5 * category + 5].index(1)
        if status < Status.ELDER:
            return Status(status)
        owner = self.main if status == 3 else 1 - self.main
        return Status.ELDER if owner == self.seats[ELDER] else Status.YOUNGER

    def _combination_cards(self, seat: int, category: int) -> int:
        """Return the cards that `seat` has called or scored in a category, as far as the picture may show them."""
        name = CATEGORY_NAMES[category]
        return self._own(seat, f"own_{name}") if seat in self.views else _mask(self.public[f"other_{name}"])

    # -- words --------------------------------------------------------------------------------------------------------

    def _suits(self, text: str) -> str:
        """Return a text of cards with the suits of this picture."""
        return text.translate(str.maketrans(SUITS, UNICODE_SUITS)) if self.unicode else text

    def _card(self, card: int) -> str:
        return self._suits(format_card(card, self.rules.ranks))

    def _hand(self, cards: int) -> str:
        return self._suits(format_hand(cards, self.rules.ranks))

    def _cards(self, cards: int) -> str:
        """Return cards closed up suit by suit, as in docs/rules.md: `SAKQ HT`."""
        suits = format_hand(cards, self.rules.ranks).replace(":", "").split()
        return self._suits(" ".join(suit for suit in suits if not suit.endswith("-")))

    def _role(self, seat: int) -> str:
        return ROLE_NAMES[self.seats.index(seat)]

    def _player_name(self, seat: int) -> str:
        return f"player_{seat}" + (" (you)" if self.talon is None and seat == self.main else "")

    # -- the parts of the picture -------------------------------------------------------------------------------------

    def _heading(self) -> list[str]:
        """Return the lines of the rules, the deal, and whose turn it is."""
        if self.deal_number == 0:
            chooser = self.main if self.public["turn"][0] else 1 - self.main
            return [
                *_wrap("", f"Piquet, rules {self.rules}", 0),
                f"player_{chooser} has won the cut and says who deals first",
            ]
        deal = f"deal {self.deal_number}"
        if self.rules.form == "rubicon":
            extra = self.public["extra_deals"][0]
            deal += f" of {self.deal_number + self.public['deals_left'][0] if extra else self.rules.deals}"
            deal += ", to break a tie" if extra else ""
        heading = f"Piquet, rules {self.rules} - {deal} - dealt by player_{self.seats[YOUNGER]}"
        return _wrap("", heading, 0) + _wrap("", self._turn(), 0)

    def _turn(self) -> str:
        """Return what is waited for."""
        if self.phase == View.OVER:
            return "the partie is over" if self._is_partie_over() else "the deal is over"
        seat = self.main if self.public["turn"][0] else 1 - self.main
        who = f"{self._role(seat)} ({self._player_name(seat).replace(' (you)', ', you')})"
        category = self._category()
        name = "" if category is None else CATEGORY_NAMES[category]
        if self.phase == View.DECLARE:
            return f"{who} declares" + (f": {name}" if name else ", or plays to the first trick")
        table = _mask(self.public["table"])
        return _TURNS[self.phase].format(
            who=who,
            category=name,
            detail="pips" if category == _POINT else "top card",
            trick=self._trick_number(),
            led=self._cards(table),
        )

    def _player(self, role: int) -> list[str]:
        """Return the lines of one player: hand, exchange, carte blanche, and what the other knows."""
        seat = self.seats[role]
        rows = [("hand", self._hand_row(seat))]
        exchange = self._exchange_row(seat)
        if exchange:
            rows.append(("exchange", exchange))
        carte_blanche = self._carte_blanche_row(seat)
        if carte_blanche:
            rows.append(("carte b.", carte_blanche))
        composing = self._own(seat, "composing")
        if composing:
            rows.append(("claim", f"{self._cards(composing)} is being put together"))
        if seat in self.views and self._own(seat, "own_known"):
            rows.append(("known", f"{self._cards(self._own(seat, 'own_known'))}, to player_{1 - seat}"))
        lines: list[str] = []
        for name, row in rows:
            label = "" if lines else f"{ROLE_NAMES[role]:<8} {self._player_name(seat)}"
            lines += _wrap(f"{label:<24}{name}", row, 34)
        return lines

    def _hand_row(self, seat: int) -> str:
        """Return a hand: by suits if the picture shows it, else the cards known and the backs."""
        if seat in self.views:
            return self._hand(self._own(seat, "hand"))
        size = 12 - sum(1 for trick in self._about(seat, "trick") if trick)
        known = [self._card(card) for card, is_known in enumerate(self.public["other_known"]) if is_known]
        return " ".join([*known, *[BACK] * (size - len(known)), f" ({size} cards)"])

    def _exchange_row(self, seat: int) -> str:
        """Return what a seat has laid out and taken; nothing before it has begun."""
        taken = self._taken(seat)
        discards, hand = self._own(seat, "discards"), self._own(seat, "hand")
        if taken is None:
            return f"laying out {self._cards(discards)}" if discards else ""
        count = f"{taken} cards" if taken != 1 else "1 card"
        if not discards:
            return count
        if discards & hand:  # elder's carte blanche is to be shown before anybody draws
            return f"{count} laid out, {self._cards(discards)}; not drawn yet"
        held = hand | _mask(self._about(seat, "trick"))
        return f"{count}: {self._cards(discards)} for {self._cards(held & ~self._own(seat, 'dealt'))}"

    def _carte_blanche_row(self, seat: int) -> str:
        """Return what a seat has said of a carte blanche, with its cards once shown; empty if nothing."""
        said = self._about(seat, "carte_blanche")
        names = CARTE_BLANCHE_NAMES[-len(said) :]
        if not any(said):
            return "kept silent" if self._kept_silent(seat) else ""
        name = names[said.index(1)]
        cards = self._own(seat, "dealt") or _mask(self.public["other_dealt"])
        return f"{name}, {self._hand(cards)}" if name == "shown" else name

    def _kept_silent(self, seat: int) -> bool:
        """Whether a seat whose view the picture may use has kept its carte blanche silent."""
        return seat in self.views and bool(self.views[seat]["own_carte_blanche"][0])

    def _talon(self) -> list[str]:
        """Return the lines of the talon: how many cards are left, which of them are turned up or were seen."""
        size = self.rules.pack - 24
        taken = [self._taken(seat) for seat in self.seats]
        left = size - sum(count or 0 for count in taken)
        text = f"{left} of {size} cards" + (" left" if left < size else "")
        lines = _wrap("talon", text, 34)
        if self.talon is not None:
            lines += _wrap(f"{'':<24}order", " ".join(map(self._card, self.talon)), 34)
        seen = self._seen_and_left()
        if seen:
            lines += _wrap(f"{'':<24}seen", seen, 34)
        if _mask(self.public["leftovers"]):
            lines += _wrap(f"{'':<24}turned up", self._cards(_mask(self.public["leftovers"])), 34)
        return lines

    def _seen_and_left(self) -> str:
        """Return the cards of the talon that elder saw and left, from the top, and which of them younger drew."""
        elder, younger = self.seats
        if elder not in self.views:
            return ""
        cards = sorted((place, card) for card, place in enumerate(self.views[elder]["talon_seen"]) if place)
        if not cards:
            return ""
        last_drawn = (self._taken(elder) or 0) + (self._taken(younger) or 0)
        drawn = [self._card(card) for place, card in cards if place <= last_drawn]
        seen = " ".join(self._card(card) for _, card in cards)
        return f"{seen}, by elder alone" + (f"; younger drew {' '.join(drawn)}" if drawn else "")

    # -- the dialogue -------------------------------------------------------------------------------------------------

    def _dialogue(self) -> list[str]:
        """Return what has been said in each category, in words; nothing before the first call."""
        lines: list[str] = []
        for category, name in enumerate(CATEGORY_NAMES):
            said = self._spoken(category)
            if said:
                lines += _wrap(name, " - ".join(said), 10)
        return ["", *lines] if lines else []

    def _spoken(self, category: int) -> list[str]:
        """Return the speeches of a category in their order."""
        status = self._status(category)
        speeches = self._call_and_replies(category)
        if status == Status.PASSED:
            speeches.append("elder: passes")
        if status == Status.DEAD:
            speeches.append("nobody scores" + self._equal_cards(category))
        scored = self._scored(category, ELDER if status == Status.ELDER else YOUNGER)
        if scored:
            speeches.append(f"{'elder' if status == Status.ELDER else 'younger'} scores " + ", ".join(scored))
        elif status == Status.YOUNGER and self.phase != View.OVER:
            speeches.append("younger has yet to name it")
        return speeches

    def _call_and_replies(self, category: int) -> list[str]:
        """Return elder's call and what followed it."""
        length, said = self.public["call_length"][category], self.public["call_rank"][category]
        if not length:
            return []
        rank = None if not said else said if category == _POINT else said - 1
        replies = [_chosen(self.public[block], category) for block in ("reply", "second_reply")]
        at_once = self._says_rank_at_once(category)
        call = combination_in_words(category, length, rank if at_once else None)
        if self._status(category) in (Status.UNCALLED, Status.YOUNGER):
            cards = self._cards(self._combination_cards(self.seats[ELDER], category))
            call += f" ({cards})" if cards else ""
        speeches = [f"elder: {call}"]
        if replies[0]:
            speeches.append(f"younger: {replies[0]}")
        if rank is not None and not at_once:
            speeches.append(f"elder: {number_in_words(rank) if category == _POINT else f'to the {RANK_NAMES[rank]}'}")
        if replies[1]:
            speeches.append(f"younger: {replies[1]}")
        return speeches

    def _says_rank_at_once(self, category: int) -> bool:
        """Whether a call says pips or top together with the length."""
        if category == _POINT:
            return self.rules.point_call == "number_and_pips"
        return category == _SET or self.rules.sequence_call == "length_and_top"

    def _equal_cards(self, category: int) -> str:
        """Return the combinations that were shown as equal."""
        cards = [self._cards(self._combination_cards(seat, category)) for seat in self.seats]
        shown = [f"{name} {held}" for name, held in zip(ROLE_NAMES, cards, strict=True) if held]
        return f" ({', '.join(shown)})" if shown else ""

    def _scored(self, category: int, role: int) -> list[str]:
        """Return the combinations scored in a category, the best first, with their cards and points."""
        cards = self._combination_cards(self.seats[role], category)
        if category == _POINT:
            length, pips = self.public["point_scored"]
            return [self._item(category, length, pips or None, cards, length)] if length else []
        if category == _SET:
            sizes = enumerate(self.public["sets_scored"], start=TEN)
            sets = sorted(((size, rank) for rank, size in sizes if size), reverse=True)
            return [self._item(_SET, size, rank, self._of_rank(cards, rank), SET_VALUE[size]) for size, rank in sets]
        words: list[str] = []
        flat = self.public["sequences_scored"]
        for length, top in zip(flat[::2], flat[1::2], strict=True):
            if length:
                run = self._run_in(cards, length, top - 1)
                cards &= ~run
                words.append(self._item(category, length, top - 1, run, SEQUENCE_VALUE[length]))
        return words

    def _item(self, category: int, length: int, rank: int | None, cards: int, points: int) -> str:
        held = self._cards(cards)
        item = f"{combination_in_words(category, length, rank)}{f' {held}' if held else ''} = {points}"
        return item.replace(" ", NO_BREAK)

    def _of_rank(self, cards: int, rank: int) -> int:
        """Return the cards of a rank (six 0 … ace 8)."""
        ranks = self.rules.ranks
        return cards & sum(1 << (suit * ranks + rank - 9 + ranks) for suit in range(4))

    def _run_in(self, cards: int, length: int, top: int) -> int:
        """Return the first run of `length` down from `top` that `cards` hold; 0 where none is shown."""
        ranks = self.rules.ranks
        for suit in range(4):
            highest = suit * ranks + top - 9 + ranks
            run = sum(1 << (highest - below) for below in range(length))
            if cards & run == run:
                return run
        return 0

    # -- tricks, score and partie -------------------------------------------------------------------------------------

    def _trick_number(self) -> int:
        """Return the number of the trick being played, from 1."""
        return min(sum(self.public["tricks_won"]) + 1, 12)

    def _tricks(self) -> list[str]:
        """Return the tricks as a table, a column each; nothing before the first lead."""
        cards = {seat: _by_number(self._about(seat, "trick")) for seat in self.seats}
        if not any(cards.values()):
            return []
        lines = [
            "",
            "tricks     (> leads, * wins)",
            " " * 11 + "".join(f"{trick:>6}" for trick in range(1, 13)) + "    won",
        ]
        for seat in self.seats:
            row = "".join(f"{self._trick_card(seat, cards, trick):>6}" for trick in range(1, 13))
            lines.append(f"  {self._role(seat):<9}{row}{self._of_pair(seat, 'tricks_won'):>7}")
        return lines

    def _trick_card(self, seat: int, cards: Mapping[int, Mapping[int, int]], trick: int) -> str:
        """Return one cell of the tricks: `>SA*` led and won, ` S7 ` neither."""
        if trick not in cards[seat]:
            return "    "
        led = self.public["tricks_led"][trick - 1] == (seat == self.main)
        answered = trick in cards[1 - seat]
        won = answered and self.public["tricks_taken"][trick - 1] == (seat == self.main)
        return (">" if led else " ") + self._card(cards[seat][trick]) + ("*" if won else " ")

    def _score(self) -> list[str]:
        """Return the table of the score of the deal by class, and which bonuses are open."""
        columns = [place for place, name in enumerate(COLUMN_NAMES) if name != "carte rouge" or self.rules.carte_rouge]
        head = "".join(f"{COLUMN_NAMES[place]:>{len(COLUMN_NAMES[place]) + 2}}" for place in columns)
        lines = ["", f"{'score':<11}{head}   deal  total"]
        for seat in self.seats:
            points = self._about(seat, "points")
            row = "".join(f"{points[place]:>{len(COLUMN_NAMES[place]) + 2}}" for place in columns)
            lines.append(f"  {self._role(seat):<9}{row}{sum(points):>7}{self._total(seat):>7}")
        bonuses = []
        for bonus in ("repique", "pique"):
            whose = [self._role(seat) for seat in self.seats if self._of_pair(seat, f"{bonus}_open")]
            if whose:
                bonuses.append(f"{bonus} to {' and '.join(whose)}")
        return lines + [f"  still open: {', '.join(bonuses)}"] * (len(bonuses) > 0)

    def _is_partie_over(self) -> bool:
        if self.rules.form == "rubicon":
            return self.public["deals_left"][0] == 0
        return max(map(self._games, (0, 1))) >= self.rules.games

    def _partie(self) -> list[str]:
        """Return how the partie stands, or how it ended."""
        totals = [self._total(seat) for seat in (0, 1)]
        lines = [f"partie    player_0 {totals[0]}, player_1 {totals[1]}"]
        if self.rules.form == "au_cent":
            lines[0] = lines[0].replace("partie", "game  ")
            lines.append(f"match     games {self._games(0)} to {self._games(1)}, won with {self.rules.games}")
        if self.deals:
            points = [f"deal {number}: {first}-{second}" for number, (first, second) in self.deals.items()]
            lines += _wrap("", ", ".join(entry.replace(" ", NO_BREAK) for entry in points[-12:]), 10)
        if self.phase == View.OVER and self._is_partie_over():
            return lines + [f"result    {sentence}" for sentence in self._result(totals)]
        for seat, total in enumerate(totals):
            lines += [f"          {sentence}" for sentence in self._needs(seat, total)]
        return lines

    def _needs(self, seat: int, total: int) -> list[str]:
        """Return what a seat still needs for the lines that matter."""
        rules = self.rules
        lines = [(rules.target, "win the game at"), (rules.lurch, "save the double at")]
        if rules.form == "rubicon":
            lines = [(rules.rubicon_line, "cross the Rubicon of")]
        return [f"player_{seat} needs {line - total} more to {words} {line}" for line, words in lines if total < line]

    def _result(self, totals: list[int]) -> list[str]:
        """Return the result of an ended partie in sentences."""
        rules = self.rules
        if rules.form == "au_cent":
            games = [self._games(seat) for seat in (0, 1)]
            pays = games[0] - games[1]
        else:
            pays = int(settlement(totals[0], totals[1], rules.rubicon_line))
        if pays == 0:
            return ["the partie is drawn and settles for 0"]
        winner = 0 if pays > 0 else 1
        if rules.form == "au_cent":
            last = 0 if totals[0] > totals[1] else 1
            below = f"the last game is double: player_{1 - last} is below {rules.lurch}"
            sentences = [f"player_{winner} wins the match, games {games[0]} to {games[1]}; settlement {abs(pays)}"]
            return sentences + ([below] if totals[1 - last] < rules.lurch else [])
        crossed = "crossed" if totals[1 - winner] >= rules.rubicon_line else "did not cross"
        return [
            f"player_{winner} wins the partie; settlement {abs(pays)}",
            f"player_{1 - winner} {crossed} the Rubicon of {rules.rubicon_line}",
        ]


def _mask(block: list[int]) -> int:
    """Return a block of cards as a mask."""
    return sum(1 << card for card, entry in enumerate(block) if entry)


def _by_number(block: list[int]) -> dict[int, int]:
    """Return the cards of a block of trick numbers by number."""
    return {trick: card for card, trick in enumerate(block) if trick}


def _chosen(block: list[int], category: int) -> str:
    """Return the reply that stands in a block of three replies a category; empty if none."""
    replies = block[3 * category : 3 * category + 3]
    return REPLY_NAMES[replies.index(1)] if any(replies) else ""
