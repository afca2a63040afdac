"""The engine and the referee side by side: one table with one set of cards, and what they must agree about.

`Table` plays the same decisions in both and compares after every one. The engine's row of integers and the referee's
strings are read into the same small dictionary, `view`; the first key that differs is the difference reported.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import prod
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from piquet_env.rules import play
from piquet_env.rules.actions import action_table, num_actions
from piquet_env.rules.cards import RANKS, cards_in, format_card
from piquet_env.rules.notation import Record
from piquet_env.rules.start import Start, begin_rows, deck_at
from piquet_env.rules.state import (
    CATEGORY_NAMES,
    CLASS_NAMES,
    COLUMN_NAMES,
    DEAL_OVER,
    NOBODY,
    PARTIE_OVER,
    STATE_DTYPE,
    TURNED_UP,
    YOUNGER,
    Phase,
    Status,
    entry_class,
    entry_points,
    entry_role,
    entry_time,
)
from piquet_env.rules.variants import Rules
from tests.reference.deal import Deal
from tests.reference.holdings import RANKS as REFEREE_RANKS
from tests.reference.piquet import Referee

ROLES = ("elder", "younger")
Deck = Sequence[int]
Entry = tuple[str, int, str]
View = dict[str, Any]

# -- reading the engine's row -----------------------------------------------------------------------------------------

# The cells of a row are its bytes read as numbers of each width, one list behind the other. A field has its place in
# the list of its own width.
_WIDTHS = (np.int64, np.int16, np.int8)
_COUNTS = [STATE_DTYPE.itemsize // np.dtype(kind).itemsize for kind in _WIDTHS]
_STARTS = {np.dtype(kind): sum(_COUNTS[:place]) for place, kind in enumerate(_WIDTHS)}


def _place_of(name: str) -> tuple[int, tuple[int, ...]]:
    kind, offset = STATE_DTYPE.fields[name][:2]
    return _STARTS[kind.base] + offset // kind.base.itemsize, kind.shape


_PLACES = {name: _place_of(name) for name in STATE_DTYPE.names}


def cells_of(row: np.ndarray | np.void) -> list[int]:
    """The cells of a row, a record or an array over its bytes."""
    raw = np.frombuffer(row.tobytes(), dtype=np.int8)
    return [number for kind in _WIDTHS for number in raw.view(kind).tolist()]


def at(name: str) -> int:
    """The place of a field's first number among the cells of a row."""
    return _PLACES[name][0]


def span(first: str, last: str | None = None) -> slice:
    """The cells of a field, or of all fields from `first` to `last`."""
    start, shape = _PLACES[last or first]
    return slice(at(first), start + prod(shape))


PHASE, TO_ACT, CATEGORY, COMPOSING = at("phase"), at("to_act"), at("category"), at("composing")
DEALER, DEAL_NUMBER, DEALS_ENDED = at("dealer"), at("deal_number"), at("deals_ended")
LEFTOVERS, LEFTOVER_STATE = at("leftovers"), at("leftover_state")
LOG_SIZE, LOG = at("log_size"), at("log")
CARTE_BLANCHE, POINTS = span("carte_blanche"), span("points")
YOUNGER_DREW, PENDING, LED = at("drawn") + YOUNGER, at("pending"), at("led")
HANDS, DISCARDS, SHOWN = span("hands"), span("discards"), span("shown")
TOTALS, GAMES, LURCHES, SCORE = span("totals"), span("games"), span("lurches"), span("score")
DEAL_POINTS, SCORED_CARDS, TRICKS = span("deal_points"), span("scored_cards"), span("tricks_won")
_DIALOGUE = {
    name: span(name)
    for name in (
        *("status", "call_length", "call_rank", "call_rank_said", "reply", "second_reply"),
        *("point_scored", "sequences_scored", "sets_scored"),
    )
}

_STATUS_NAMES = {int(status): status.name.lower() for status in Status}
_REPLY_NAMES = ("", "good", "equal", "not good")
_CARTE_BLANCHE_NAMES = ("none", "none", "announced", "shown")


@lru_cache
def card_names(pack: int) -> tuple[str, ...]:
    """The names of all cards of the pack, by number."""
    return tuple(format_card(card, pack // 4) for card in range(pack))


@lru_cache
def words_of_ids(pack: int) -> tuple[str, ...]:
    """The words of all actions, by id."""
    return tuple(action.words for action in action_table(pack))


@lru_cache
def ids_of_words(pack: int) -> dict[str, int]:
    """The ids of all actions, by their words."""
    return {action.words: action.id for action in action_table(pack)}


@lru_cache
def _bits_of_names(pack: int) -> dict[str, int]:
    return {name: 1 << card for card, name in enumerate(card_names(pack))}


@lru_cache(maxsize=10_000)
def _engine_dialogue(cells: tuple[tuple[int, ...], ...]) -> View:
    """The public record of the three categories, from the cells of the fields _DIALOGUE."""
    fields = dict(zip(_DIALOGUE, cells, strict=True))

    def cell(name: str, place: int) -> int:
        return fields[name][place]

    sequences = [cell("sequences_scored", place) for place in range(4)]
    scored: list[list[tuple[Any, ...]]] = [
        [(cell("point_scored", 0), cell("point_scored", 1))] if cell("point_scored", 0) else [],
        sorted((entry // 16, RANKS[entry % 16]) for entry in sequences if entry),
        sorted((cell("sets_scored", rank), RANKS[rank + 4]) for rank in range(5) if cell("sets_scored", rank)),
    ]
    view: View = {}
    for number, category in enumerate(CATEGORY_NAMES):
        rank = cell("call_rank", number)
        said = rank if category == "point" else RANKS[rank]
        replies = (cell("reply", number), cell("second_reply", number))
        view[category] = {
            "status": _STATUS_NAMES[cell("status", number)],
            "length": cell("call_length", number) or None,
            "detail": said if cell("call_rank_said", number) else None,
            "replies": [_REPLY_NAMES[reply] for reply in replies if reply],
            "scored": scored[number],
        }
    return view


def engine_log(cells: list[int]) -> list[Entry]:
    """The engine's score log in the order of reckoning."""
    timed = sorted(map(_timed_entry, cells[LOG : LOG + cells[LOG_SIZE]]), key=itemgetter(0))  # stable: then as booked
    return [entry for _, entry in timed]


@lru_cache(maxsize=10_000)
def _timed_entry(packed: int) -> tuple[int, Entry]:
    entry = (ROLES[entry_role(packed)], int(entry_points(packed)), CLASS_NAMES[entry_class(packed)])
    return int(entry_time(packed)), entry


def _by_seat(by_role: Sequence[int], dealer: int) -> list[int]:
    """Numbers of elder and younger as numbers of seats 0 and 1; before the cut is decided they are all nothing."""
    return list(by_role) if dealer == 1 else [by_role[1], by_role[0]]


def engine_view(cells: list[int]) -> View:
    """What the engine says of the position."""
    dealer = cells[DEALER]
    return {
        "phase": _engine_phase(cells),
        "to act": None if cells[TO_ACT] == NOBODY else cells[TO_ACT],
        "deal number": cells[DEAL_NUMBER],
        "dealer": dealer,
        "totals": cells[TOTALS],
        "games": cells[GAMES],
        "lurches": cells[LURCHES],
        "scores": _by_seat(cells[SCORE], dealer),
        "log": engine_log(cells),
        "tricks": cells[TRICKS],
        "carte blanche": [_CARTE_BLANCHE_NAMES[said] for said in cells[CARTE_BLANCHE]],
        "cards": _engine_cards(cells),
        **_engine_dialogue(tuple(tuple(cells[place]) for place in _DIALOGUE.values())),
    }


# The sets of cards that are compared, as masks.
CARD_SETS = (
    *(f"shown as {category} by {role}" for role in ROLES for category in CATEGORY_NAMES),
    *(f"scored by {role}" for role in ROLES),
    "turned up",
    # While the exchange goes on the two keep the cards laid out in different places; these follow when it has ended.
    *(f"hand of {role}" for role in ROLES),
    *(f"discards of {role}" for role in ROLES),
    "left",
)


def _engine_cards(cells: list[int]) -> list[int]:
    """The engine's CARD_SETS."""
    left = cells[LEFTOVERS]
    cards = [*cells[SHOWN], *cells[SCORED_CARDS], left if cells[LEFTOVER_STATE] == TURNED_UP else 0]
    return [*cards, *cells[HANDS], *cells[DISCARDS], left] if cells[YOUNGER_DREW] else cards


def _engine_phase(cells: list[int]) -> str:
    """The phase in the referee's words."""
    phase = cells[PHASE]
    if phase not in _DIALOGUE_PHASES:
        return _PLAIN_PHASES[phase]
    return _DIALOGUE_PHASES[phase] + " " + CATEGORY_NAMES[cells[CATEGORY]] + (" withhold" if cells[COMPOSING] else "")


_DIALOGUE_PHASES = {
    Phase.CALL: "call",
    Phase.REPLY: "reply",
    Phase.DETAIL_REPLY: "second reply",
    Phase.FURTHER: "further",
    Phase.DECLARE: "declare",
}
_PLAIN_PHASES = {
    Phase.CUT: "choose",
    Phase.CARTE_BLANCHE: "carte blanche",
    Phase.EXCHANGE: "exchange",
    Phase.PLAY: "play",
    Phase.LEFTOVERS: "leftovers",
    Phase.DEAL_OVER: "between deals",
    Phase.PARTIE_OVER: "over",
}

# -- reading the referee ----------------------------------------------------------------------------------------------


class DealEnd(NamedTuple):
    """What the referee knows at the end of a deal, before the totals of a game that is over are cleared."""

    deal_number: int
    dealer: int
    log: list[Entry]
    columns: list[int]
    points: list[int]
    totals: list[int]


class RecordingReferee(Referee):
    """A referee that keeps the end of every deal; it goes on to the next deal without being asked."""

    def __init__(self, *args: Any, **options: Any) -> None:
        self.ended: list[DealEnd] = []
        super().__init__(*args, **options)

    def _one_deal(self) -> Any:
        yield from super()._one_deal()
        totals = [total + points for total, points in zip(self.totals, self.scores, strict=True)]
        log = self.log()
        self.ended.append(DealEnd(self.deal_number, self.dealer, log, _columns(log), self.scores, totals))


def _columns(log: list[Entry]) -> list[int]:
    """The points of a deal as the engine keeps them in columns, elder's and then younger's."""
    columns = Counter[tuple[str, str]]()
    for role, points, kind in log:
        columns[role, _COLUMN_OF_KIND.get(kind, kind)] += points
    return [columns[role, name] for role in ROLES for name in COLUMN_NAMES]


_COLUMN_OF_KIND = {
    **dict.fromkeys(("repique", "pique"), "bonus"),
    **dict.fromkeys(("lead", "capture", "last trick"), "play"),
    "capot": "cards",
}


def _referee_scored(referee: Referee, category: str) -> list[tuple[Any, ...]]:
    """The combinations scored, as far as the public record tells them, from the strongest to the weakest or back."""
    record = referee.record(category)
    if category != "point":
        return sorted(entry[:2] for entry in record["scored"])
    if not record["scored"] or referee.deal is None:
        return []
    role = record["status"] if record["status"] in ROLES else "younger"  # who declares where elder passed
    claim = referee.deal.scored[role]["point"][0]
    # Pips are public where the cards are; otherwise only if elder had to say them.
    told = record["detail"] or 0 if role == "elder" else 0
    return [(claim.length, claim.detail if referee.rules["show_scored"] == "auto" else told)]


def referee_view(referee: Referee) -> View:
    """What the referee says of the position."""
    deal = referee.deal
    view: View = {
        "phase": referee.phase,
        "to act": referee.to_act,
        "deal number": referee.deal_number if deal else referee.deal_number - 1,
        "dealer": referee.dealer,
        "totals": referee.totals,
        "games": referee.games,
        "lurches": referee.lurches,
        "scores": referee.scores,
        "log": referee.log(),
        "tricks": [deal.tricks[role] if deal else 0 for role in ROLES],
        "carte blanche": [_carte_blanche(deal, role) for role in ROLES],
        "cards": _referee_cards(deal, referee.rules["pack"]),
    }
    for category in CATEGORY_NAMES:
        record = referee.record(category)
        view[category] = {
            "status": record["status"],
            "length": record["length"],
            "detail": record["detail"],
            "replies": record["replies"],
            "scored": _referee_scored(referee, category),
        }
    return view


def _referee_cards(deal: Deal | None, pack: int) -> list[int]:
    """The referee's CARD_SETS."""
    bit = _bits_of_names(pack).__getitem__

    def mask(cards: Iterable[str]) -> int:
        return sum(map(bit, cards))

    if deal is None:
        return [0] * 9
    cards = [mask(deal.public[role, category]) for role in ROLES for category in CATEGORY_NAMES]
    for role in ROLES:
        cards.append(mask({card for claims in deal.scored[role].values() for claim in claims for card in claim.cards}))
    cards.append(mask(deal.turned_up))
    if deal.holdings:
        cards += [mask(deal.hands[role]) for role in ROLES] + [mask(deal.discards[role]) for role in ROLES]
        cards.append(mask(deal.talon))
    return cards


def _carte_blanche(deal: Deal | None, role: str) -> str:
    """What a role has said of a carte blanche; one that was kept silent is none."""
    if deal is None or role not in deal.announced:
        return "none"
    return "shown" if role in deal.cartes_blanches else "announced"


# -- one table --------------------------------------------------------------------------------------------------------


def dealer_by_lot(rules: Rules, start: Start) -> int | None:
    """The dealer that a referee, who draws no lots, must be told; the law of the cut read afresh.

    The higher card deals first, in au cent the lower; equal cards are cut again.
    """
    if start.dealer is not None or rules.first_dealer != "random":
        return start.dealer
    cut = cut_of(rules, start)
    for first, second in zip(cut[0::2], cut[1::2], strict=True):
        ranks = [REFEREE_RANKS.index(card[1]) for card in (first, second)]
        if ranks[0] != ranks[1]:
            higher = 0 if ranks[0] > ranks[1] else 1
            return higher if rules.form == "rubicon" else 1 - higher
    raise ValueError("the cut needs two cards of different rank")


def cut_of(rules: Rules, start: Start) -> list[str]:
    """The cards of the cut, which is the deck of deal 0."""
    return [card_names(rules.pack)[card] for card in deck_at(rules, start, 0)]


class Engine:
    """One row of the engine, driven through its doors for Python."""

    def __init__(self, rules: Rules, start: Start, decks: Callable[[int], Deck]) -> None:
        self.pack = rules.pack
        self.codes = rules.codes()
        self.decks = decks
        self._numbers = begin_rows(rules, self.codes, start)
        self.rows = self._numbers.view(STATE_DTYPE)
        self._mask = np.zeros(num_actions(self.pack), dtype=np.int8)
        self.cells: list[int] = cells_of(self._numbers)

    def deal(self) -> None:
        """Begin the next deal."""
        deck = np.array(self.decks(self.cells[DEAL_NUMBER] + 1), dtype=np.int8)
        play.deal_at(self.rows, 0, self.codes, deck)
        self.cells = cells_of(self._numbers)

    def legal(self) -> list[int]:
        """The legal action ids, ascending."""
        play.mask_at(self.rows, 0, self.codes, self._mask)
        return self._mask.nonzero()[0].tolist()

    def apply(self, action: int) -> bool:
        """Apply an action; False if the engine refuses it."""
        phase = play.apply_at(self.rows, 0, self.codes, action)
        self.cells = cells_of(self._numbers)
        return phase >= 0

    def settlement(self) -> int:
        """What the partie pays to seat 0."""
        return int(play.settlement_at(self.rows, 0, self.codes))


class Mismatch(Exception):
    """The engine and the referee differ; the message is one line, `report` all that is needed to play it again."""

    report: str
    record: Record


@dataclass
class Table:
    """The same partie at the engine and at the referee."""

    rules: Rules
    start: Start
    decks: Callable[[int], Deck]
    words: list[str] = field(default_factory=list)
    actions: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.deal_ends = 0
        self._decks_dealt: dict[int, Deck] = {}
        self.engine = Engine(self.rules, self.start, self.decks)
        self.referee = RecordingReferee(
            self.rules.as_dict(),
            self._deck_in_names,
            dealer=dealer_by_lot(self.rules, self.start),
            cut=cut_of(self.rules, self.start),
            totals=self.start.totals,
            games=self.start.games,
            deal_number=self.start.deal_number,
        )
        self.legal: list[int] = []
        self.compare()

    def _deck_in_names(self, number: int) -> list[str]:
        self._decks_dealt[number] = self.decks(number)
        return [card_names(self.rules.pack)[card] for card in self._decks_dealt[number]]

    @property
    def over(self) -> bool:
        """Whether the engine has ended the partie (the comparison proves that the referee has, too)."""
        return self.engine.cells[PHASE] == PARTIE_OVER

    def apply(self, action: int) -> None:
        """Take a decision at both, let what is forced run its course, and compare."""
        words = words_of_ids(self.rules.pack)[action]
        self.words.append(words)
        self.actions.append(action)
        if not self.engine.apply(action):
            raise self.mismatch(f"the engine refuses {words!r}")
        try:
            self.referee.apply(words)
            if self.rules.sinking == "none":
                self._run_forced_dialogue()
        except ValueError as error:
            raise self.mismatch(f"the referee refuses: {error}") from None
        self.compare()

    def _run_forced_dialogue(self) -> None:
        """Where nothing may be sunk the engine speaks by itself; the referee has one lawful word each time."""
        while self.referee.phase.startswith(("call", "reply", "second", "further", "declare")):
            legal = self.referee.legal()
            if len(legal) != 1:
                raise self.mismatch(f"the referee has more than one lawful word in a forced dialogue: {legal}")
            self.words.append(f"({legal[0]})")
            self.referee.apply(legal[0])

    def compare(self) -> None:
        """Compare everything; a deal that has ended is compared at its end, then the next one is dealt."""
        engine = self.engine
        while engine.cells[PHASE] == DEAL_OVER:
            if engine.cells[DEALS_ENDED] > self.deal_ends:
                self._compare_deal_end()
            engine.deal()
        if engine.cells[PHASE] == PARTIE_OVER:
            self._compare_deal_end()
            self._compare_result()
        ours, theirs = engine_view(engine.cells), referee_view(self.referee)
        if ours != theirs:
            pack = self.rules.pack
            for view in (ours, theirs):
                named = zip(CARD_SETS, view["cards"], strict=False)
                view["cards"] = {
                    name: [card_names(pack)[card] for card in cards_in(mask, pack // 4)] for name, mask in named
                }
            raise self.mismatch(_first_difference(ours, theirs))
        self._compare_legal()

    def _compare_legal(self) -> None:
        words = self.referee.legal()
        ids = ids_of_words(self.rules.pack)
        theirs = sorted(ids.get(word, -1) for word in words)
        ours = self.legal = self.engine.legal()
        if ours != theirs:
            names = [words_of_ids(self.rules.pack)[action] for action in ours]
            only = sorted(set(names) - set(words)), sorted(set(words) - set(names))
            raise self.mismatch(f"legal: only the engine has {only[0]}, only the referee {only[1]}")

    def _compare_deal_end(self) -> None:
        if self.deal_ends >= len(self.referee.ended):
            raise self.mismatch("only the engine has ended the deal")
        cells, end = self.engine.cells, self.referee.ended[self.deal_ends]
        self.deal_ends += 1
        log, columns = engine_log(cells), cells[POINTS]
        ours = DealEnd(cells[DEAL_NUMBER], cells[DEALER], log, columns, cells[DEAL_POINTS], cells[TOTALS])
        if ours != end:
            raise self.mismatch("at the end of the deal, " + _first_difference(ours._asdict(), end._asdict()))

    def _compare_result(self) -> None:
        if self.referee.result is None:
            raise self.mismatch("only the engine has ended the partie")
        cells, paid = self.engine.cells, self.engine.settlement()
        ours = {"totals": tuple(cells[TOTALS]), "settlement": (paid, -paid), "games": tuple(cells[GAMES])}
        if ours != self.referee.result:
            raise self.mismatch("in the result, " + _first_difference(ours, self.referee.result))

    def mismatch(self, difference: str) -> Mismatch:
        """The difference with everything that leads to it."""
        names, decks = card_names(self.rules.pack), self._decks_dealt.items()
        lines = [
            f"difference  {difference}",
            f"rules       {self.rules}",
            f"start       {self.start}",
            f"cut         {' '.join(cut_of(self.rules, self.start))}",
            *(f"deck {number:<6} {' '.join(names[card] for card in deck)}" for number, deck in decks),
            f"actions     {', '.join(self.words) or 'none'}",
        ]
        found = Mismatch(difference)
        found.report = "\n".join(lines)
        found.record = self.record()
        return found

    def record(self) -> Record:
        """The partie so far, which can be written as `.deal` text."""
        decks = tuple(np.array(deck, dtype=np.int8) for deck in self._decks_dealt.values())
        return Record(self.rules, self.start._replace(decks=decks), tuple(self.actions))


def _first_difference(ours: View, theirs: View) -> str:
    """The first key of which the two say different things, down to the innermost one."""
    for key, mine in ours.items():
        other = theirs.get(key)
        if mine != other:
            if isinstance(mine, dict) and isinstance(other, dict):
                return f"{key}, {_first_difference(mine, other)}"
            return f"{key}: engine {mine}, referee {other}"
    return "none"
