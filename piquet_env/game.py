"""`Game`: one partie without a life cycle, for search, scripts and adapters. The environments hold one.

```python
game = Game("rubicon", seed=7)
while not game.is_over:
    game.apply(game.legal_actions()[0])
print(game.returns(), game.result)
```
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from operator import index
from typing import Any, NamedTuple

import numpy as np

from .observation import encode_float_at, observation_scale
from .render import render_text
from .rules.actions import num_actions
from .rules.errors import IllegalActionError
from .rules.explain import explain_refusal
from .rules.knowledge import NUM_FACTS, VIEW_NAMES, facts_at
from .rules.notation import Record, format_position, format_record, parse_record
from .rules.play import apply_at, deal_at, is_forced_at, mask_at, settlement_at
from .rules.scoring import sort_log
from .rules.start import begin_rows, check_start, deck_at
from .rules.state import (
    CLASS_NAMES,
    DEAL_OVER,
    NOBODY,
    PARTIE_OVER,
    STATE_DTYPE,
    entry_class,
    entry_points,
    entry_role,
    entry_time,
)
from .rules.variants import Rules

_ROLE_NAMES = ("elder", "younger", None)
_MORE_THAN_ACTIONS = 2**31


class LogEntry(NamedTuple):
    """One entry of the score log: in `deal`, `points` to `seat` for `score_class` at `time` of reckoning."""

    deal: int
    seat: int
    points: int
    score_class: str
    time: int


class Result(NamedTuple):
    """How a partie ended, by seat.

    totals:     points of the partie (au cent: of the last game)
    settlement: Rubicon points paid, + for the winner (au cent: difference in games)
    rubicon:    whether the seat lost below the line (au cent: whether it lost a game below the lurch)
    games:      au cent: games won, a double game counting two
    lurches:    au cent: games lost below the lurch
    deals:      deals played
    """

    totals: tuple[int, int]
    settlement: tuple[int, int]
    rubicon: tuple[bool, bool]
    games: tuple[int, int]
    lurches: tuple[int, int]
    deals: int


class Game:
    """A partie of Piquet for two seats, 0 and 1.

    rules:       a `Rules`, a preset's name, or the text of a `Rules`
    seed:        of the decks, 0 to 2**63 - 1; None draws one
    partie:      number of the partie under that seed, from 0
    decks:       decks of the deals from `deal_number` on: int8 permutations of the pack (elder's hand, younger's hand,
                 the talon in drawing order) or `.deal` text; when they run out, the seed continues
    totals:      points by seat with which to begin
    games:       au cent: games won by seat with which to begin
    deal_number: number of the deal with which to begin, from 1
    dealer:      seat that deals that deal; None leaves it to the rules
    Raises ValueError, in one sentence, for a start that is not possible.
    """

    __slots__ = ("_codes", "_deal_logs", "_flat", "_rows", "actions", "deal_points", "rules", "start")

    actions: list[int]  # every decision so far
    deal_points: list[tuple[int, int]]  # points of each ended deal, by seat
    _deal_logs: list[LogEntry]

    def __init__(
        self,
        rules: Rules | str = "rubicon",
        *,
        seed: int | None = None,
        partie: int = 0,
        decks: Iterable[Any] = (),
        totals: Sequence[int] = (0, 0),
        games: Sequence[int] = (0, 0),
        deal_number: int = 1,
        dealer: int | None = None,
    ) -> None:
        self.rules = Rules.of(rules)
        self._codes = self.rules.codes()
        if seed is None:
            seed = secrets.randbits(63)
        self.start = check_start(self.rules, seed, partie, decks, totals, games, deal_number, dealer)
        self._begin()

    # -- the state of play --------------------------------------------------------------------------------------------

    @property
    def to_act(self) -> int | None:
        """The seat to act; None when the partie is over."""
        seat = int(self._rows["to_act"][0])
        return None if seat == NOBODY else seat

    @property
    def is_over(self) -> bool:
        """Whether the partie (au cent: the match) is over."""
        return bool(self._rows["phase"][0] == PARTIE_OVER)

    @property
    def state(self) -> np.void:
        """The whole state, hidden cards included: a copy of the row (fields in rules/state.py)."""
        return self._flat.copy().view(STATE_DTYPE)[0]

    @property
    def dealer(self) -> int | None:
        """The seat that deals this deal (younger); None before the cut is decided."""
        seat = int(self._rows["dealer"][0])
        return None if seat == NOBODY else seat

    @property
    def deal_number(self) -> int:
        """The number of the deal, from 1; 0 before the first deal."""
        return int(self._rows["deal_number"][0])

    def legal_actions(self) -> list[int]:
        """Return the ids of the legal actions of the seat to act, ascending; empty when the partie is over."""
        return np.flatnonzero(self._legal()).tolist()

    def action_mask(self, seat: int) -> np.ndarray:
        """Return the legal actions of `seat` as int8[num_actions]: zeros for a seat that is not to act."""
        seat = check_seat(seat)
        if int(self._rows["to_act"][0]) != seat:
            return np.zeros(num_actions(self.rules.pack), dtype=np.int8)
        return self._legal().copy()

    def apply(self, action: int) -> None:
        """Apply an action of the seat to act.

        Raises IllegalActionError, with the law and the position, for one that is not legal; nothing then changes.
        """
        number = _id_of(action)
        phase = apply_at(self._rows, 0, self._codes, number)
        if phase < 0:
            raise IllegalActionError(self._explain(action if number < 0 else number))
        self.actions.append(number)
        if phase >= DEAL_OVER:
            self._go_on()

    @property
    def is_forced(self) -> bool:
        """Whether the seat to act has just one legal action. Open information: it can tell what that seat holds."""
        return bool(is_forced_at(self._rows, 0))

    def skip_forced(self) -> None:
        """Apply legal actions as long as there is just one."""
        while self.is_forced:
            self.apply(self.legal_actions()[0])

    def observation(self, seat: int) -> np.ndarray:
        """Return what `seat` knows as float32[observation_size], entries in [0, 1]; the table is in observation.py."""
        seat = check_seat(seat)
        scale = observation_scale(self.rules.pack)
        out = np.empty(len(scale), dtype=np.float32)
        encode_float_at(self._rows, 0, self._codes, seat, scale, out)
        return out

    def info(self, seat: int) -> dict[str, Any]:
        """Return small plain facts as `seat` sees them: seat, role, phase, deal, running scores, totals."""
        seat = check_seat(seat)
        return self.infos()[seat]

    def infos(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return `info` of both seats."""
        return self.turn()[:2]

    def turn(self) -> tuple[dict[str, Any], dict[str, Any], np.ndarray]:
        """Return `info` of both seats, and the mask of the seat to act (int8[num_actions]), found together."""
        facts = np.empty((2, NUM_FACTS), dtype=np.int64)
        mask = np.empty(num_actions(self.rules.pack), dtype=np.int8)
        facts_at(self._rows, 0, self._codes, facts, mask)
        first, second = facts.tolist()
        return _info_of(0, first), _info_of(1, second), mask

    def text(self, seat: int | None = None, *, unicode: bool = False) -> str:
        """Return a picture of the table as `seat` sees it, or with all cards (None); `unicode` writes suit symbols."""
        return render_text(self, seat, unicode=unicode)

    # -- the score ----------------------------------------------------------------------------------------------------

    @property
    def log(self) -> tuple[LogEntry, ...]:
        """The score log of the partie so far, each deal in the order of its reckoning. Open information."""
        entries = list(self._deal_logs)
        if self._rows["phase"][0] < DEAL_OVER:
            entries += self._entries_of_deal()
        return tuple(entries)

    @property
    def deal_scores(self) -> tuple[int, int]:
        """Points booked by seat in the deal being played (or, at the end, in the last). Open information."""
        row = self._rows[0]
        by_role = row["score"].tolist()
        return (by_role[1], by_role[0]) if row["dealer"] == 0 else (by_role[0], by_role[1])

    @property
    def totals(self) -> tuple[int, int]:
        """Points by seat from ended deals (au cent: of the game)."""
        first, second = self._rows["totals"][0].tolist()
        return first, second

    @property
    def games(self) -> tuple[int, int]:
        """Au cent: games won by seat, a double game counting two."""
        first, second = self._rows["games"][0].tolist()
        return first, second

    @property
    def result(self) -> Result | None:
        """How the partie ended; None before it has."""
        return self._result() if self.is_over else None

    def returns(self) -> tuple[float, float]:
        """Return the settlement by seat, zeros before the partie is over."""
        result = self.result
        return (0.0, 0.0) if result is None else (float(result.settlement[0]), float(result.settlement[1]))

    # -- copies and text ----------------------------------------------------------------------------------------------

    @classmethod
    def from_text(cls, text: str) -> Game:
        """Return the game that a `.deal` text tells, at its last action (the format is told in rules/notation.py).

        Every line is checked; NotationError names the line that cannot be, and why.
        """
        record = parse_record(text)
        game = cls(record.rules, **record.start._asdict())
        for action in record.actions:
            game.apply(action)
        return game

    def __str__(self) -> str:
        return format_record(Record(self.rules, self.start, tuple(self.actions)))

    def clone(self) -> Game:
        """Return an independent copy, in microseconds."""
        copy = Game.__new__(Game)
        copy.rules = self.rules
        copy.start = self.start
        copy._codes = self._codes
        copy._flat = self._flat.copy()  # field by field a copy would take ten times as long
        copy._rows = copy._flat.view(STATE_DTYPE)
        copy.actions = self.actions.copy()
        copy._deal_logs = self._deal_logs.copy()
        copy.deal_points = self.deal_points.copy()
        return copy

    __copy__ = clone

    def __deepcopy__(self, memo: dict[int, Any]) -> Game:
        return self.clone()

    def __getstate__(self) -> dict[str, Any]:
        return {
            "rules": self.rules,
            "start": self.start,
            "state": self._flat,
            "actions": self.actions,
            "logs": self._deal_logs,
            "deal_points": self.deal_points,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.rules = state["rules"]
        self.start = state["start"]
        self._codes = self.rules.codes()
        self._flat = state["state"]
        self._rows = self._flat.view(STATE_DTYPE)
        self.actions = state["actions"]
        self._deal_logs = state["logs"]
        self.deal_points = state["deal_points"]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        same_state: bool = self._flat.tobytes() == other._flat.tobytes()
        return self.rules == other.rules and same_state and self.actions == other.actions

    __hash__ = None  # type: ignore[assignment]  # a game changes

    # -- inside -------------------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        """Put the row at the start."""
        self._flat = begin_rows(self.rules, self._codes, self.start)
        self._rows = self._flat.view(STATE_DTYPE)
        self.actions = []
        self._deal_logs = []
        self.deal_points = []
        self._go_on()

    def _go_on(self) -> None:
        """Begin the next deal where a deal has ended, and keep the log of the one that ended."""
        while self._rows["phase"][0] >= DEAL_OVER:
            if self._rows["deals_ended"][0] > len(self.deal_points):
                self._deal_logs += self._entries_of_deal()
                first, second = self._rows["deal_points"][0].tolist()
                self.deal_points.append((first, second))
            if self._rows["phase"][0] == PARTIE_OVER:
                return
            deal_at(self._rows, 0, self._codes, deck_at(self.rules, self.start, self.deal_number + 1))

    def _legal(self) -> np.ndarray:
        mask = np.empty(num_actions(self.rules.pack), dtype=np.int8)
        mask_at(self._rows, 0, self._codes, mask)
        return mask

    def _entries_of_deal(self) -> list[LogEntry]:
        row = self._rows[0]
        packed = row["log"][: row["log_size"]].copy()
        sort_log(packed, len(packed))
        deal, dealer = int(row["deal_number"]), int(row["dealer"])
        return [
            LogEntry(
                deal,
                dealer if entry_role(entry) else 1 - dealer,
                int(entry_points(entry)),
                CLASS_NAMES[entry_class(entry)],
                int(entry_time(entry)),
            )
            for entry in packed.tolist()
        ]

    def _result(self) -> Result:
        row = self._rows[0]
        first, second = row["totals"].tolist()
        lurches = row["lurches"].tolist()
        pays = int(settlement_at(self._rows, 0, self._codes))
        line = self.rules.rubicon_line
        if self.rules.form == "rubicon":
            rubicon = (pays < 0 and first < line, pays > 0 and second < line)
        else:
            rubicon = (lurches[0] > 0, lurches[1] > 0)
        games = row["games"].tolist()
        return Result(
            (first, second),
            (pays, -pays),
            rubicon,
            (games[0], games[1]),
            (lurches[0], lurches[1]),
            int(row["deals_ended"]),
        )

    def _explain(self, action: Any) -> str:
        reason = explain_refusal(self._rows[0], self.rules, action)
        return f"{reason}\n\n{format_position(self.rules, self.start, self.actions)}"


def _info_of(seat: int, facts: list[int]) -> dict[str, Any]:
    """Return the facts of `facts_at` with their names."""
    view, turn, role, first, second, first_total, second_total, first_games, second_games, deal = facts
    return {
        "seat": seat,
        "role": _ROLE_NAMES[role],
        "phase": VIEW_NAMES[view],
        "turn": None if turn == NOBODY else turn,
        "deal_number": deal,
        "score": (first, second),
        "totals": (first_total, second_total),
        "games": (first_games, second_games),
    }


def _id_of(action: Any) -> int:
    """Return an action as a plain int, -1 for what is none. numba would compile the game anew for each other kind."""
    if type(action) is not int:
        if isinstance(action, (bool, np.bool_)):
            return -1
        try:
            action = int(index(action))  # NumPy's whole numbers too, also as arrays without dimensions
        except TypeError:
            return -1
    return action if 0 <= action < _MORE_THAN_ACTIONS else -1


def check_seat(seat: Any) -> int:
    """Return a seat as an int; ValueError for anything but the whole numbers 0 and 1."""
    if isinstance(seat, bool) or not isinstance(seat, (int, np.integer)) or seat not in (0, 1):
        raise ValueError(f"a seat is 0 or 1, not {seat!r}")
    return int(seat)
