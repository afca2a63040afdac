"""Writing a partie as `.deal` text: the actions are played again, and each step is told in the words of the table."""

from __future__ import annotations

from .actions import action_table
from .cards import cards_in
from .deal_lines import format_cards, format_claim, format_held, format_line, format_log
from .replay import ROLES, Replay
from .state import (
    CALL,
    CARTE_BLANCHE,
    CATEGORY_NAMES,
    CB_ANNOUNCED,
    CB_NONE,
    CB_SHOWN,
    CUT,
    DEAD,
    DECLARE,
    DETAIL_REPLY,
    ELDER,
    EXCHANGE,
    FURTHER,
    LEFTOVERS,
    PARTIE_OVER,
    POINT,
    REPLY,
    SEQUENCE,
    TURNED_UP,
    YOUNGER,
)
from .tables import SEQUENCE_VALUE, SET_VALUE

TRICKS_A_LINE = 6
_BONUSES = ("repique", "pique", "carte rouge")


def value_of_claim(category: int, length: int) -> int:
    """Return the points of a combination by its length or size."""
    if category == POINT:
        return length
    return SEQUENCE_VALUE[length] if category == SEQUENCE else SET_VALUE[length]


class DealWriter:
    """Plays actions again and writes what happens; `text` is the whole of it at any point."""

    def __init__(self, replay: Replay) -> None:
        self.replay = replay
        self.ranks = replay.rules.ranks
        self.lines: list[str] = []
        self._words = action_table(replay.rules.pack)
        self._dealt = 0  # deals written
        self._clear()
        self._deal()

    def _clear(self) -> None:
        """Forget what belongs to one deal."""
        self._open = ""  # a line of the dialogue that may still grow
        self._pending: list[int] = []  # steps on the way to a draw or to a claim
        self._told: set[tuple[int, str]] = set()  # bonuses written, by role and class
        self._lead = -1  # elder's first lead, while it waits for a line
        self._lead_line = False  # whether it has got a line of its own
        self._cards: list[int] = []  # cards played, for the lines of tricks
        self._note()

    def _note(self) -> None:
        """Remember the score as it stands: what closes a line is told as it was before the next step."""
        self._log = self.replay.log()
        self._score = self.replay.row["score"].tolist()

    def add(self, action: int) -> None:
        """Write one action, and the words that the dialogue then speaks by itself."""
        self._step(action)
        while (word := self.replay.forced) is not None:
            self._step(word)

    def text(self) -> str:
        """Return the lines, and the given decks of deals that are still to come."""
        self._end_text()
        start = self.replay.start
        for place in range(self._dealt, len(start.decks)):
            deck = start.decks[place].tolist()
            self.lines += ["", format_line("deal", str(start.deal_number + place))]
            self._write_deck(sum(1 << card for card in deck[:12]), sum(1 << card for card in deck[12:24]), deck[24:])
        return "\n".join(self.lines) + "\n"

    # -- steps --------------------------------------------------------------------------------------------------------

    def _step(self, action: int) -> None:
        """Apply one action and write it."""
        replay, row = self.replay, self.replay.row
        phase, role, category = replay.phase, replay.role, int(row["category"])
        seat, composing = int(row["to_act"]), int(row["composing"])
        item, used = int(row["composing_item"]), int(row["used"])
        hand, laid_out = replay.hand(max(role, 0)), int(row["pending"])
        blanche, drawn = row["carte_blanche"].tolist(), row["drawn"].tolist()
        replay.apply(action)
        kind, words = self._words[action].kind, self._words[action].words
        inline = -1
        if phase == CUT:
            self._put("cut", f"seat {seat}", words)
        elif phase == EXCHANGE:
            if kind == "draw":
                inline = role if row["drawn"][role] else -1
                self._write_exchange(role, laid_out)
            else:
                self._pending.append(action)
        elif phase in (REPLY, DETAIL_REPLY):
            space = " " if phase == DETAIL_REPLY else "  "
            self._open = (
                f"{self._open}{space}{words}" if self._open else format_line(CATEGORY_NAMES[category], "younger", words)
            )
            if kind == "good":
                self._open += f" {value_of_claim(category, int(row['call_length'][category]))}"
        elif phase in (CALL, FURTHER, DECLARE):
            if kind == "done" and not composing:
                self._write_done(phase, category, "done" if used else "passes")
            else:
                self._write_claim_step(phase, category, action, hand, composing, item)
        elif phase == LEFTOVERS:
            cards = cards_in(int(row["leftovers"]), self.ranks) if row["leftover_state"] == TURNED_UP else []
            left = [card for card in replay.talon(0) if card in cards]
            self._close()
            self._put_lead()
            self._put("leftovers", words, format_cards(left, self.ranks))
        elif phase != CARTE_BLANCHE:
            self._write_card(action)
        self._write_changes(blanche, drawn, inline)
        self._write_equality(phase, category)
        self._note()
        if replay.phase >= PARTIE_OVER or replay.waits_for_deal:
            if phase != CUT:
                self._end_deal()
            self._deal()

    def _deal(self) -> None:
        """Deal as long as a deal is due, and write it."""
        while self.replay.waits_for_deal:
            self.replay.deal()
            self._clear()
            row, start = self.replay.row, self.replay.start
            origin = "" if self._dealt < len(start.decks) else ", from the seed"
            self._dealt += 1
            self.lines += ["", format_line("deal", str(row["deal_number"]), f"dealer {row['dealer']}{origin}")]
            self._write_deck(int(row["dealt"][ELDER]), int(row["dealt"][YOUNGER]), self.replay.talon(0))
            self._write_changes([CB_NONE, CB_NONE], [0, 0], -1)
            self._note()
            if self.replay.phase >= PARTIE_OVER or self.replay.waits_for_deal:
                self._end_deal()

    def _write_deck(self, elder: int, younger: int, talon: list[int]) -> None:
        self.lines.append(format_line("dealt", "elder", format_held(elder, self.ranks)))
        self.lines.append(format_line("", "younger", format_held(younger, self.ranks)))
        self.lines.append(format_line("talon", format_cards(talon, self.ranks)))

    def _put(self, key: str, *parts: str) -> None:
        """Write a line behind what is still open."""
        self._close()
        self.lines.append(format_line(key, *parts))

    def _close(self) -> None:
        """Write the line of the dialogue that is open, then the bonuses that have been entered."""
        if self._open:
            self.lines.append(self._open)
            self._open = ""
        new = [entry for entry in self._log if entry[2] in _BONUSES and (entry[0], entry[2]) not in self._told]
        if new:
            self._put_lead()
        for role, points, score_class in new:
            self._told.add((role, score_class))
            self.lines.append(format_line(score_class, ROLES[role], str(points)))

    # -- the exchange -------------------------------------------------------------------------------------------------

    def _write_exchange(self, role: int, laid_out: int) -> None:
        self._pending.clear()
        parts = [format_held(laid_out, self.ranks)]
        if self.replay.row["drawn"][role]:
            parts.append(self._drawn(role))
        self._close()
        key = "" if self.lines[-1].startswith("exchange") else "exchange"
        self._put(key, ROLES[role], "  ".join(parts))

    def _drawn(self, role: int) -> str:
        """Return what a role has drawn, and what elder has seen or younger has left."""
        replay = self.replay
        first = 0 if role == ELDER else int(replay.row["taken"][ELDER])
        end = first + int(replay.row["taken"][role])
        rest = replay.talon(end, replay.rules.elder_max) if role == ELDER else replay.talon(end)
        parts = [f"takes {format_cards(replay.talon(first, end), self.ranks)}"] if end > first else []
        if rest:
            parts.append(f"{'sees' if role == ELDER else 'leaves'} {format_cards(rest, self.ranks)}")
        return "  ".join(parts)

    def _write_changes(self, blanche: list[int], drawn: list[int], inline: int) -> None:
        """Write what has become of the cartes blanches, and who has drawn after both have laid out."""
        row = self.replay.row
        for role in range(2):
            before, now = blanche[role], int(row["carte_blanche"][role])
            if now != before:
                said = [] if before == CB_ANNOUNCED else ["claimed" if now >= CB_ANNOUNCED else "silent"]
                self._put("carte blanche", ROLES[role], ", ".join([*said, *(["shown 10"] if now == CB_SHOWN else [])]))
            if row["drawn"][role] > drawn[role] and role != inline and (told := self._drawn(role)):
                self._put("draws", ROLES[role], told)

    # -- the dialogue -------------------------------------------------------------------------------------------------

    def _write_claim_step(self, phase: int, category: int, action: int, hand: int, composing: int, item: int) -> None:
        """Write a claim that is spoken; steps of composing wait until it is."""
        kind = self._words[action].kind
        if self.replay.rules.sinking == "partial":
            if kind != "done":
                self._pending.append(action)
                return
            self._pending.clear()
        else:
            item = action - self.replay.choice(category, 0)
        whole = self.replay.cards_of(category, item, hand)
        self._write_claim(phase, category, composing or whole, whole)

    def _write_claim(self, phase: int, category: int, cards: int, whole: int) -> None:
        claim = format_claim(category, cards, whole, self.ranks)
        value = value_of_claim(category, len(cards_in(cards, self.ranks)))
        name = CATEGORY_NAMES[category]
        role = ROLES[YOUNGER if phase == DECLARE else ELDER]
        if phase == CALL:
            self._close()
            self._open = format_line(name, "elder", claim)
        elif self.replay.row["status"][category] == DEAD:
            self._put_lead()
            self._put(name, "younger", f"shows {claim}")
        elif self._open.startswith(format_line(name, role)):
            also = "" if " also " in self._open else "also "
            self._open += f", {also}{claim} {value}"
        else:
            self._close()
            self._put_lead()
            self._open = format_line(name, role, f"{claim} {value}")

    def _write_done(self, phase: int, category: int, word: str) -> None:
        role = YOUNGER if phase == DECLARE else ELDER
        if phase != CALL and self._open.startswith(format_line(CATEGORY_NAMES[category], ROLES[role])):
            self._open += ", done"
            return
        self._close()
        self._put_lead()
        self._open = format_line(CATEGORY_NAMES[category], ROLES[role], word)

    def _write_equality(self, phase: int, last: int) -> None:
        """Write younger's combination that equals the call, where it has been shown without a question."""
        row = self.replay.row
        for category in range(3):
            cards = int(row["shown"][YOUNGER, category])
            if row["status"][category] == DEAD and cards and (YOUNGER, CATEGORY_NAMES[category]) not in self._told:
                self._told.add((YOUNGER, CATEGORY_NAMES[category]))
                if phase != DECLARE or last != category:
                    self._close()
                    self._put_lead()
                    claim = format_claim(category, cards, cards, self.ranks)
                    self._put(CATEGORY_NAMES[category], "younger", f"shows {claim}")

    # -- the play -----------------------------------------------------------------------------------------------------

    def _write_card(self, card: int) -> None:
        if self._lead < 0:
            self._close()
            self._write_score()
            self._lead = card
            return
        if not self._cards:
            self._close()
            if self._lead_line:
                self._write_score()
            self._cards.append(self._lead)
        self._cards.append(card)

    def _put_lead(self) -> None:
        """Give elder's first lead a line of its own, before what younger says to it."""
        if self._lead >= 0 and not self._lead_line and not self._cards:
            self._lead_line = True
            self.lines.append(format_line("lead", format_cards([self._lead], self.ranks)))

    def _write_score(self) -> None:
        if any(self._score):
            self.lines.append(format_line("score", "{} {}".format(*self._score)))

    def _write_tricks(self) -> None:
        cards = self._cards
        if not cards and self._lead >= 0 and not self._lead_line:
            cards = [self._lead]
        for first in range(0, len(cards), 2 * TRICKS_A_LINE):
            line = cards[first : first + 2 * TRICKS_A_LINE]
            pairs = [format_cards(line[place : place + 2], self.ranks) for place in range(0, len(line), 2)]
            self.lines.append(format_line("play" if first == 0 else "", "  ".join(pairs)))
        self._lead_line = self._lead_line or bool(cards)

    # -- ends ---------------------------------------------------------------------------------------------------------

    def _end_deal(self) -> None:
        """Write the reckoning of a deal that is over, and the settlement of a partie that is."""
        row, rules = self.replay.row, self.replay.rules
        if self._open:
            self.lines.append(self._open)
            self._open = ""
        self._write_tricks()
        if self._cards:
            self.lines.append(format_line("tricks", "{} {}".format(*row["tricks_won"])))
        self._close()
        for role, points, score_class in self.replay.log():
            if score_class in ("cards", "capot"):
                self.lines.append(format_line(score_class, ROLES[role], str(points)))
        self.lines.append(format_line("log", format_log(self.replay.log())))
        self.lines.append(format_line("score", "{} {}".format(*row["score"])))
        self.lines.append(format_line("totals", "{} {}".format(*row["totals"])))
        if rules.form == "au_cent":
            self.lines.append(format_line("games", "{} {}".format(*row["games"])))
        if self.replay.phase == PARTIE_OVER:
            self.lines.append(format_line("settlement", format_settlement(self.replay)))

    def _end_text(self) -> None:
        """Write what an unfinished deal has come to."""
        if self.replay.phase >= PARTIE_OVER:
            return
        if self._open:
            self.lines.append(self._open)
            self._open = ""
        if not self._cards:
            self._close()
        self._write_tricks()
        self._close()
        if self._pending:
            self.lines.append(format_line("then", ", ".join(self._words[action].words for action in self._pending)))


def format_settlement(replay: Replay) -> str:
    """Return what a partie that is over pays by seat, and who has not reached the line."""
    first = replay.settlement()
    line = replay.rules.rubicon_line
    said = f"{first} {-first}"
    if replay.rules.form == "rubicon" and first:
        loser = 1 if first > 0 else 0
        if replay.row["totals"][loser] < line:
            said += f", rubicon seat {loser}"
    return said
