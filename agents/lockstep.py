"""Many parties side by side: one array of states, advanced to the next decision by compiled loops.

A row is a whole partie without a life cycle: deals follow one another by themselves, and the figures of each deal are
added up as it ends. Row for row it plays as a `Game` with the same rules, seed and partie does. With boards
(agents/boards.py) a row begins where its board says, and may be a single deal.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from piquet_env.equity import Equity, equity_of
from piquet_env.game import Game
from piquet_env.observation import encode_float32, make_scratch, observation_scale, observation_size
from piquet_env.rules.actions import num_actions
from piquet_env.rules.exchange import most_discards
from piquet_env.rules.holdings import best_item, is_better, item_cards, item_length, item_rank
from piquet_env.rules.masks import write_mask
from piquet_env.rules.partie import start_partie
from piquet_env.rules.play import apply, deal_next, find_legal, is_legal, settlement_at
from piquet_env.rules.shuffle import shuffle_into
from piquet_env.rules.start import Start, begin_rows
from piquet_env.rules.state import (
    CLASS_CAPOT,
    CLASS_CARDS,
    CLASS_NAMES,
    CLASS_PIQUE,
    CLASS_REPIQUE,
    DEAL_OVER,
    ELDER,
    NOBODY,
    NOT_GOOD,
    PARTIE_OVER,
    STATE_DTYPE,
    YOUNGER,
    entry_class,
    entry_points,
    entry_role,
    entry_time,
    seat_of,
)
from piquet_env.rules.variants import Rules

from .boards import Boards
from .jit import inner, jit

Rows = npt.NDArray[np.int64]

BIN_POINTS = 10  # deals are counted by score in bins of ten, as Cavendish counted them; the last of them is open
NUM_BINS = 16
EVEN_CHANCES = (28, 14)  # Cavendish: elder and younger make so many or more in half of the deals

# What is added up over the ended deals of a partie, by seat. A deal's points are those of its score log.
TALLY_FIELDS: tuple[tuple[str, type[np.integer], tuple[int, ...]], ...] = (
    ("elder_deals", np.int64, (2,)),
    ("elder_points", np.int64, (2,)),
    ("younger_points", np.int64, (2,)),
    ("repiques", np.int64, (2,)),
    ("piques", np.int64, (2,)),
    ("capots", np.int64, (2,)),
    ("cards_won", np.int64, (2,)),
    ("class_points", np.int32, (2, 2, len(CLASS_NAMES))),  # by seat, role and class of the score log
    ("score_bins", np.int32, (2, 2, NUM_BINS)),  # deals by seat, role and score
    ("elder_repiques", np.int64, (2,)),
    ("cards_by_role", np.int64, (2, 2)),  # deals by seat and role in which it won the cards
    ("even_deals", np.int64, (2, 2)),  # deals by seat and role with the points of EVEN_CHANCES or more
    ("cards_left", np.int64, (2, 2)),  # cards by seat and role that might have been exchanged and were not
    ("sunk_deals", np.int64, (2, 2)),  # deals by seat and role in which something better was held than was said
)
TALLY_DTYPE = np.dtype(list(TALLY_FIELDS))

# Deals counted by their scores: `joint[elder's, younger's]`; and for each role `passage[points, other's]`: how often,
# in the order of reckoning, it came to that many points while the other had so many. Scores end at the last index.
COUNT_KINDS = ("joint", "elder_passage", "younger_passage")
COUNT_SIZE = 256

_FIRST_CAPACITY = 640  # actions recorded a partie before the record grows; six deals have about 250


class Lockstep:
    """Parties under one rule set and seed, row by row.

    parties: the numbers of the parties under the seed, one a row; the same number may stand in several rows
    boards:  where the parties begin, by their numbers; None: at nothing, with the decks of the seed
    tallies: TALLY_DTYPE[N], the figures of the ended deals
    counts:  int64[3, COUNT_SIZE, COUNT_SIZE], the ended deals of all rows by score (COUNT_KINDS), with `count_deals`;
             else of shape [3, 0, 0]
    """

    def __init__(
        self,
        rules: Rules,
        seed: int,
        parties: npt.ArrayLike,
        *,
        boards: Boards | None = None,
        count_deals: bool = False,
    ) -> None:
        self.rules = rules
        self.seed = seed
        self.boards = boards
        self.parties = np.array(parties, dtype=np.int64)
        self.states = np.zeros(len(self.parties), dtype=STATE_DTYPE)
        self.tallies = np.zeros(len(self.parties), dtype=TALLY_DTYPE)
        size = COUNT_SIZE if count_deals else 0
        self.counts = np.zeros((len(COUNT_KINDS), size, size), dtype=np.int64)
        self._codes = rules.codes()
        self._decks, self._firsts, self._lasts = self._given()
        self._deck = np.empty(rules.pack, dtype=np.int8)
        self._words = make_scratch()[0]
        self._history = np.empty((len(self.parties), _FIRST_CAPACITY), dtype=np.int16)
        self._lengths = np.zeros(len(self.parties), dtype=np.int64)
        self._equity: Equity | None = None
        self._begin()

    def _given(self) -> tuple[npt.NDArray[np.int8], Rows, Rows]:
        """Return by row the decks that are given, the number of the first of these deals, and that of the last deal."""
        count = len(self.parties)
        if self.boards is None:
            return (
                np.zeros((count, 0, self.rules.pack), dtype=np.int8),
                np.ones(count, np.int64),
                np.zeros(count, np.int64),
            )
        firsts = self.boards.numbers[self.parties]
        lasts = firsts if self.boards.one_deal else np.zeros_like(firsts)
        return np.ascontiguousarray(self.boards.decks[self.parties]), firsts, lasts

    def _begin(self) -> None:
        """Put every row at its first decision."""
        self.states["seed"] = self.seed
        self.states["partie"] = self.parties
        if self.boards is not None:
            for row, board in enumerate(self.parties.tolist()):
                start = self.boards.start(board, self.seed)
                self.states[row] = begin_rows(self.rules, self._codes, start).view(STATE_DTYPE)[0]
        with np.errstate(over="ignore"):  # the shuffle's stream is meant to wrap; only uncompiled code would warn
            start_rows(
                self.states,
                self._codes,
                self.boards is None,
                self._decks,
                self._firsts,
                self._lasts,
                self.tallies,
                self.counts,
                self._deck,
            )
        if self.boards is not None:
            self._catch_up(self.boards)

    def _catch_up(self, boards: Boards) -> None:
        """Apply the decisions that have been made on the boards."""
        lengths = boards.lengths[self.parties]
        for step in range(int(lengths.max(initial=0))):
            rows = np.flatnonzero(lengths > step)
            legal = self.apply(rows, boards.actions[self.parties[rows], step].astype(np.int64))
            if not legal.all():
                board = int(self.parties[rows[~legal][0]])
                raise ValueError(f"board {board} holds a decision that is not legal under the rules '{self.rules}'")

    @property
    def to_act(self) -> Rows:
        """The seat to act, by row; NOBODY where the partie is over."""
        return self.states["to_act"]

    def observe(self, rows: Rows) -> tuple[np.ndarray, np.ndarray]:
        """Return what the seats to act in `rows` see: float32[n, observation_size] and int8[n, num_actions]."""
        pack = self.rules.pack
        observations = np.empty((len(rows), observation_size(pack)), dtype=np.float32)
        masks = np.empty((len(rows), num_actions(pack)), dtype=np.int8)
        observe_rows(self.states, rows, self._codes, self._words, observation_scale(pack), observations, masks)
        return observations, masks

    def apply(self, rows: Rows, actions: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Apply an action in each of `rows`; return where it was legal, bool[n]. Elsewhere nothing changes."""
        if len(rows) and self._lengths[rows].max() == self._history.shape[1]:
            self._history = np.concatenate([self._history, np.empty_like(self._history)], axis=1)
        legal = np.empty(len(rows), dtype=np.bool_)
        with np.errstate(over="ignore"):
            apply_rows(
                self.states,
                rows,
                self._codes,
                actions,
                self._history,
                self._lengths,
                self._decks,
                self._firsts,
                self._lasts,
                self.tallies,
                self.counts,
                self._deck,
                legal,
            )
        return legal

    def settlement(self, row: int) -> float:
        """Return what the ended partie of a row pays to seat 0; a board of one deal pays the change of equity."""
        if self.boards is None or not self.boards.one_deal:
            return int(settlement_at(self.states, row, self._codes))
        if self._equity is None:
            self._equity = equity_of(self.rules, self.boards.equity)
        state, start = self.states[row], self.boards.start(int(self.parties[row]), self.seed)
        after: float
        if state["phase"] == PARTIE_OVER:
            after = int(settlement_at(self.states, row, self._codes))
        else:
            after = self._expected(start.deal_number, state["totals"], int(state["dealer"]) == 0)
        before = self._expected(start.deal_number - 1, np.array(start.totals), start.dealer == 1)
        return after - before

    def _expected(self, played: int, totals: np.ndarray, is_elder: bool) -> float:
        """Return what seat 0 can expect between two deals."""
        assert self._equity is not None, "made by `settlement`"
        none = np.zeros((1, 2), dtype=np.int64)
        return float(
            self._equity.seat_values([played], totals[None, :].astype(np.int64), none, np.array([is_elder]))[0]
        )

    def below_the_line(self, row: int) -> tuple[bool, bool]:
        """Return which seat lost the ended partie below the line (au cent: lost a game below the lurch)."""
        state = self.states[row]
        if state["phase"] != PARTIE_OVER:
            return False, False
        if self.rules.form == "au_cent":
            first, second = (state["lurches"] > 0).tolist()
            return first, second
        pays, line = int(settlement_at(self.states, row, self._codes)), self.rules.rubicon_line
        return pays < 0 and state["totals"][0] < line, pays > 0 and state["totals"][1] < line

    def game(self, row: int) -> Game:
        """Return the partie of a row as a `Game`, played to where it stands."""
        number = int(self.parties[row])
        start = Start(self.seed, number) if self.boards is None else self.boards.start(number, self.seed)
        game = Game(self.rules, **start._asdict())
        for action in self.decisions(row):
            game.apply(action)
        return game

    def decisions(self, row: int) -> list[int]:
        """Return every decision of a row so far, those that were made on its board included."""
        return self._history[row, : self._lengths[row]].tolist()


@inner
def _has_sunk(row: np.void, rules: np.void, role: int) -> bool:
    """Return whether a role held something better than it said, by the twelve cards that it has played.

    Elder sinks what is better than the call, younger what is better than a call to which nothing was opposed.
    """
    for category in range(3):
        hand = row["played"][role]
        best = best_item(category, hand, rules["ranks"], rules["sets_from"])
        if best < 0 or (role == YOUNGER and row["call_length"][category] == 0):
            continue
        if role == YOUNGER and (row["reply"][category] == NOT_GOOD or row["second_reply"][category] == NOT_GOOD):
            continue
        length = item_length(category, best, hand, rules["ranks"], False, rules["sets_from"])
        rank = item_rank(category, best, item_cards(category, best, hand, rules["ranks"]), rules["ranks"])
        if is_better(length, rank, row["call_length"][category], row["call_rank"][category]):
            return True
    return False


@inner
def _tally_deal(row: np.void, rules: np.void, tally: np.void) -> None:
    """Add the figures of the deal that has just ended."""
    for role in range(2):
        seat = seat_of(row, role)
        tally["even_deals"][seat, role] += row["score"][role] >= EVEN_CHANCES[role]
        tally["cards_left"][seat, role] += most_discards(row, rules, role) - row["taken"][role]
        if row["tricks_played"] == 12:
            tally["sunk_deals"][seat, role] += _has_sunk(row, rules, role)
        if role == YOUNGER:
            tally["younger_points"][seat] += row["score"][role]
        else:
            tally["elder_deals"][seat] += 1
            tally["elder_points"][seat] += row["score"][role]
        tally["score_bins"][seat, role, min(row["score"][role] // BIN_POINTS, NUM_BINS - 1)] += 1
        repique, pique, capot, cards = 0, 0, 0, 0
        for place in range(row["log_size"]):
            entry = row["log"][place]
            if entry_role(entry) == role:
                kind = entry_class(entry)
                tally["class_points"][seat, role, kind] += entry_points(entry)
                if kind == CLASS_REPIQUE:
                    repique = 1
                elif kind == CLASS_PIQUE:
                    pique = 1
                elif kind == CLASS_CAPOT:
                    capot, cards = 1, 1
                elif kind == CLASS_CARDS:
                    cards = 1
        tally["repiques"][seat] += repique
        tally["piques"][seat] += pique
        tally["capots"][seat] += capot
        tally["cards_won"][seat] += cards
        tally["cards_by_role"][seat, role] += cards
        if role == ELDER:
            tally["elder_repiques"][seat] += repique


@inner
def _count_deal(row: np.void, counts: np.ndarray) -> None:
    """Count the deal that has just ended by its scores; its log is read in the order of reckoning."""
    last = counts.shape[1] - 1
    elder, younger = min(row["score"][ELDER], last), min(row["score"][YOUNGER], last)
    counts[0, elder, younger] += 1
    elder, younger = 0, 0
    before_time, before_place = -1, -1
    for _ in range(row["log_size"]):
        place = _next_entry(row, before_time, before_place)
        entry = row["log"][place]
        before_time, before_place = entry_time(entry), place
        points = entry_points(entry)
        if entry_role(entry) == ELDER:
            for total in range(elder + 1, min(elder + points, last) + 1):
                counts[1, total, min(younger, last)] += 1
            elder += points
        else:
            for total in range(younger + 1, min(younger + points, last) + 1):
                counts[2, total, min(elder, last)] += 1
            younger += points


@inner
def _next_entry(row: np.void, time: int, place: int) -> int:
    """Return the place of the log entry that reckons next: by moment, and as booked within a moment."""
    following = -1
    for candidate in range(row["log_size"]):
        moment = entry_time(row["log"][candidate])
        if moment > time or (moment == time and candidate > place):
            if following < 0 or moment < entry_time(row["log"][following]):
                following = candidate
    return following


@inner
def _end_deal(row: np.void, rules: np.void, tally: np.void, counts: np.ndarray) -> None:
    """Enter the deal that has just ended."""
    _tally_deal(row, rules, tally)
    if counts.shape[1] > 0:
        _count_deal(row, counts)


@inner
def _deal_until_decision(
    row: np.void,
    rules: np.void,
    decks: np.ndarray,
    first: int,
    last: int,
    tally: np.void,
    counts: np.ndarray,
    deck: np.ndarray,
) -> None:
    """Deal on where a deal has ended, until a seat is to act, the partie is over, or the deal `last` has ended.

    decks: int8[D, pack], of the deals from `first` on; when they run out, the seed continues
    """
    while row["phase"] == DEAL_OVER:
        if row["deals_ended"] > 0:
            _end_deal(row, rules, tally, counts)
            if row["deal_number"] == last:
                return
        place = row["deal_number"] + 1 - first
        if 0 <= place < decks.shape[0]:
            deal_next(row, rules, decks[place])
        else:
            shuffle_into(row["seed"], row["partie"], row["deal_number"] + 1, deck)
            deal_next(row, rules, deck)
    if row["phase"] == PARTIE_OVER:
        _end_deal(row, rules, tally, counts)


@jit
def start_rows(
    rows: np.ndarray,
    rules: np.ndarray,
    is_new: bool,
    decks: np.ndarray,
    firsts: np.ndarray,
    lasts: np.ndarray,
    tallies: np.ndarray,
    counts: np.ndarray,
    deck: np.ndarray,
) -> None:
    """Put all rows at their first decision; `deck` is room for a deck.

    is_new: whether the rows are zeros but for seed and partie, and begin at nothing; else they stand at their start
    """
    for index in range(rows.shape[0]):
        row = rows[index]
        if is_new:
            shuffle_into(row["seed"], row["partie"], 0, deck)
            start_partie(row, rules[0], NOBODY, deck)
        find_legal(row, rules[0])
        _deal_until_decision(row, rules[0], decks[index], firsts[index], lasts[index], tallies[index], counts, deck)


@jit
def observe_rows(
    rows: np.ndarray,
    indices: np.ndarray,
    rules: np.ndarray,
    words: np.ndarray,
    scale: np.ndarray,
    observations: np.ndarray,
    masks: np.ndarray,
) -> None:
    """Write observation and mask of the seats to act in the rows `indices`; `words` is a row of `make_scratch`."""
    for place in range(indices.shape[0]):
        row = rows[indices[place]]
        encode_float32(row, rules[0], row["to_act"], words, words.view(np.int8), scale, observations, place)
        write_mask(row, rules[0], masks, place)


@jit
def apply_rows(
    rows: np.ndarray,
    indices: np.ndarray,
    rules: np.ndarray,
    actions: np.ndarray,
    history: np.ndarray,
    lengths: np.ndarray,
    decks: np.ndarray,
    firsts: np.ndarray,
    lasts: np.ndarray,
    tallies: np.ndarray,
    counts: np.ndarray,
    deck: np.ndarray,
    legal: np.ndarray,
) -> None:
    """Apply `actions` in the rows `indices` where they are legal, record them, and go on to the next decision."""
    for place in range(indices.shape[0]):
        index = indices[place]
        row = rows[index]
        legal[place] = is_legal(row, rules[0], actions[place])
        if legal[place]:
            history[index, lengths[index]] = actions[place]
            lengths[index] += 1
            apply(row, rules[0], actions[place])
            _deal_until_decision(row, rules[0], decks[index], firsts[index], lasts[index], tallies[index], counts, deck)
