"""Reading `.deal` text: the start and the cards are gathered, then every line is played or checked in its order."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .actions import first_id, format_action, parse_action
from .cards import cards_in
from .deal_blocks import Block, deck_of_block, read_rules, read_start, split_blocks
from .deal_lines import Line, format_cards, format_held, format_log, parse_claim, pips_of, split_lines
from .deal_writer import format_settlement, value_of_claim
from .errors import NotationError
from .explain import explain_refusal, legal_ids
from .replay import ROLES, Replay
from .start import Start, check_start
from .state import (
    CARTE_BLANCHE,
    CATEGORY_NAMES,
    CB_ANNOUNCED,
    CB_SHOWN,
    CUT,
    DEAD,
    DETAIL_REPLY,
    ELDER,
    EXCHANGE,
    LEFTOVERS,
    NOBODY,
    PARTIE_OVER,
    PLAY,
    POINT,
    REPLY,
    SEQUENCE,
    TO_ELDER,
    YOUNGER,
)
from .tables import SEQUENCE_NAMES, SET_NAMES
from .variants import Rules

_REPLIES = ("good", "equal", "not good")


class DealReader:
    """Reads a text on construction: `rules`, `start` and `laws` as written, and `replay` behind its last action."""

    def __init__(self, text: str) -> None:
        header, blocks = split_blocks(split_lines(text))
        rules = read_rules(header, required=True)
        assert rules is not None
        self.rules: Rules = rules
        self.ranks = rules.ranks
        self.laws = tuple(
            number
            for line in header
            if line.key == "laws"
            for number in line.numbers(line.rest.split(), len(line.rest.split()))
        )
        self.start = self._check_start(header, blocks)
        self.replay = Replay(rules, self.start)
        self._lead_told = False
        for line in header:
            if line.key == "cut":
                self._read_cut(line)
        for place, block in enumerate(blocks):
            self._read_block(block, self.start.deal_number + place)
        self._run_dialogue()

    # -- what is given ------------------------------------------------------------------------------------------------

    def _check_start(self, header: list[Line], blocks: list[Block]) -> Start:
        """Return the start, its decks those of the blocks that are not of the seed."""
        seed, partie, totals, games, dealer = read_start(header)
        given: list[np.ndarray] = []
        for block, before in zip(blocks, [None, *blocks], strict=False):
            if block.from_seed:
                continue
            if before is not None and before.from_seed:
                block.line.fail("a deal with cards of its own cannot follow one from the seed")
            given.append(deck_of_block(block, self.rules.pack))
        number = (blocks[0].number or 1) if blocks else 1
        try:
            return check_start(self.rules, seed, partie, given, totals, games, number, dealer)
        except ValueError as error:
            line = next(
                (line for line in header if line.key == "start"), blocks[0].line if blocks else Line(1, "start", "")
            )
            line.fail(str(error))

    def _read_cut(self, line: Line) -> None:
        """Play `seat 1 deal first`."""
        row = self.replay.row
        words = line.rest.split()
        if self.replay.phase != CUT:
            line.fail("nobody is asked who deals first here (law 5)")
        if words[:1] != ["seat"]:
            line.fail("write: seat 0 deal first")
        line.check(words[1:2], [str(row["to_act"])])
        self._take_words(line, " ".join(words[2:]))

    def _read_block(self, block: Block, number: int) -> None:
        """Deal a block and read its lines, or leave the cards for later where the deal is not yet due."""
        replay = self.replay
        if block.number is not None:
            block.line.check(f"deal {block.number}", f"deal {number}")
        if not replay.waits_for_deal:
            if block.lines or block.dealer is not None or block.from_seed:
                line = block.lines[0] if block.lines else block.line
                over = "the partie is over" if replay.phase == PARTIE_OVER else "the deal before it is not over"
                line.fail(f"deal {number} has not begun: {over}")
            return
        self._lead_told = False
        replay.deal()
        if block.dealer is not None:
            block.line.check(f"dealer {block.dealer}", f"dealer {replay.row['dealer']}")
        self._check_cards(block)
        for line in block.lines:
            _HANDLERS[line.key](self, line)

    def _check_cards(self, block: Block) -> None:
        """Compare cards that stand in a deal from the seed."""
        if not block.from_seed or not block.has_cards:
            return
        deck = deck_of_block(block, self.rules.pack).tolist()
        row = self.replay.row
        for role, line in enumerate(block.hands):
            if line is not None:
                hand = sum(1 << card for card in deck[12 * role : 12 * role + 12])
                line.check(format_held(hand, self.ranks), format_held(int(row["dealt"][role]), self.ranks))
        if block.talon is not None:
            block.talon.check(format_cards(deck[24:], self.ranks), format_cards(self.replay.talon(0), self.ranks))

    # -- actions ------------------------------------------------------------------------------------------------------

    def _run_dialogue(self) -> None:
        """Under sinking='none', let the dialogue speak what the text has left out."""
        self._run_dialogue_until(lambda: False)

    def _run_dialogue_until(self, is_true: Callable[[], bool]) -> None:
        """Likewise, but only as long as a check does not come true."""
        while (word := self.replay.forced) is not None and not is_true():
            self.replay.apply(word)

    def _take(self, line: Line, action: int) -> None:
        """Play an action, or refuse it with the reason."""
        replay = self.replay
        forced = replay.forced
        if forced is not None and action != forced:
            said, true = (format_action(word, self.rules.pack) for word in (action, forced))
            line.fail(f"text says {said!r}, but under sinking='none' it can only be {true!r} (law 37)")
        if not replay.apply(action):
            line.fail(explain_refusal(replay.row, self.rules, action))

    def _take_words(self, line: Line, words: str) -> None:
        """Play an action given in the words of the table."""
        try:
            action = parse_action(words, self.rules.pack)
        except NotationError as error:
            line.fail(str(error))
        self._take(line, action)

    def _expect(self, line: Line, role: int, phases: tuple[int, ...]) -> None:
        """Refuse a line whose role is not to act, or not in one of these phases."""
        replay = self.replay
        if replay.role != role or replay.phase not in phases:
            line.fail(f"{ROLES[role]} is not asked for this now: {describe_turn(replay)}")

    def _read_carte_blanche(self, line: Line) -> None:
        """Play or check `elder claimed, shown 10`."""
        role, rest = line.role()
        for said in rest.split(","):
            state = int(self.replay.row["carte_blanche"][role])
            asked = self.replay.phase == CARTE_BLANCHE and self.replay.role == role
            word, *points = said.split() or [""]
            if word == "silent" and asked:
                self._take_words(line, "silent")
            elif word == "claimed" and asked:
                self._take_words(line, "carte blanche")
            elif word == "claimed" or word == "silent":
                line.check(word, "claimed" if state >= CB_ANNOUNCED else "nothing of a carte blanche")
            elif word == "shown":
                line.check(word, "shown" if state == CB_SHOWN else "not shown")
                if points:
                    self._check_points(line, role, "carte blanche", points)
            else:
                line.fail(f"{said.strip()!r} is not claimed, silent or shown")

    def _read_exchange(self, line: Line) -> None:
        """Play `elder S:87 C:8  takes CK CQ DA  sees DK DQ`."""
        role, rest = line.role()
        self._expect(line, role, (EXCHANGE,))
        laid_out, told = _split_at(rest.split(), ("takes", "sees", "leaves"))
        mask = 0 if laid_out == ["nothing"] else line.hand(laid_out, self.ranks)
        strange = mask & ~self.replay.hand(role)
        if strange:
            line.fail(f"{ROLES[role]} does not hold {format_cards(cards_in(strange, self.ranks), self.ranks)} (law 14)")
        for card in cards_in(mask, self.ranks):
            self._take(line, first_id("discard", self.rules.pack) + card)
        self._take(line, first_id("draw", self.rules.pack))
        self._check_drawn(line, role, told)

    def _read_draws(self, line: Line) -> None:
        """Check `elder takes CK CQ DA  sees DK DQ`."""
        role, rest = line.role()
        none, told = _split_at(rest.split(), ("takes", "sees", "leaves"))
        if none:
            line.fail(f"{none[0]!r} is not takes, sees or leaves")
        self._check_drawn(line, role, told)

    def _check_drawn(self, line: Line, role: int, told: dict[str, list[str]]) -> None:
        """Compare what was taken from the talon, what elder saw there, and what younger left."""
        row = self.replay.row
        if told and not row["drawn"][role]:
            line.fail(f"{ROLES[role]} has not drawn yet")
        first = 0 if role == ELDER else int(row["taken"][ELDER])
        end = first + max(int(row["taken"][role]), 0)
        for word, cards in told.items():
            if word == "takes":
                true = self.replay.talon(first, end)
            elif word == "sees" and role == ELDER:
                true = self.replay.talon(end, self.rules.elder_max)
            elif word == "leaves" and role == YOUNGER:
                true = self.replay.talon(end)
            else:
                line.fail(f"it is not {ROLES[role]} who {word} cards of the talon")
            said = format_cards(line.cards(cards, self.ranks), self.ranks)
            line.check(f"{word} {said}", f"{word} {format_cards(true, self.ranks)}")

    # -- the dialogue -------------------------------------------------------------------------------------------------

    def _read_category(self, line: Line) -> None:
        """Play a line of the dialogue in one category."""
        role, rest = line.role()
        category = CATEGORY_NAMES.index(line.key)
        first, *further = [part.split() for part in rest.split(",")]
        if first[:1] == ["shows"] and role == YOUNGER:
            self._read_equality(line, category, first[1:])
        elif first == ["passes"]:
            self._end_claims(line, category, role)
        elif role == YOUNGER and first[:1] and first[0] in {"good", "equal", "not"}:
            self._read_replies(line, first)
            self._check_value(line, category, ELDER, int(self.replay.row["call_length"][category]), first)
        else:
            self._read_claim(line, category, role, first)
        for part in further:
            self._read_claim(line, category, role, part)

    def _read_claim(self, line: Line, category: int, role: int, words: list[str]) -> None:
        """Play a claim with the replies to it, or the end of the claims."""
        if words == ["done"]:
            self._end_claims(line, category, role)
            return
        if words[:1] == ["also"]:
            words.pop(0)
        length = self._claim(line, category, role, words)
        if role == ELDER:
            self._read_replies(line, words)
        self._check_value(line, category, role, length, words)

    def _end_claims(self, line: Line, category: int, role: int) -> None:
        if not self.replay.is_claim_in(category, role):
            line.fail(f"{ROLES[role]} has nothing to end here: {describe_turn(self.replay)}")
        self._take(line, first_id("done", self.rules.pack))

    def _claim(self, line: Line, category: int, role: int, words: list[str]) -> int:
        """Speak the claim at the front of `words`; return its length."""
        replay, ranks = self.replay, self.ranks
        said = parse_claim(line, category, words, ranks)
        if not replay.is_claim_in(category, role):
            line.fail(f"{ROLES[role]} is not to claim this now: {describe_turn(replay)}")
        hand = replay.hand(role)
        named = 0 if category > SEQUENCE else said.cards
        if named & ~hand:
            missing = format_cards(cards_in(named & ~hand, ranks), ranks)
            line.fail(f"{ROLES[role]} does not hold {missing} (law 23)")
        whole = replay.cards_of(category, said.item, hand)
        cards = whole & ~said.cards if category > SEQUENCE else said.cards
        partial = self.rules.sinking == "partial"
        choice = replay.choice(category, said.item)
        if choice not in legal_ids(replay.row, self.rules.pack):
            self._take(line, choice)
        if cards != whole and not partial:
            said_cards, all_cards = format_held(cards, ranks), format_held(whole, ranks)
            line.fail(f"text claims {said_cards}, but only the whole of it can be: {all_cards} (law 35)")
        if cards & ~whole or len(cards_in(cards, ranks)) < 3 <= len(cards_in(whole, ranks)):
            line.fail(f"{format_held(cards, ranks)} cannot be claimed out of {format_held(whole, ranks)} (law 36)")
        self._check_names(line, category, cards, said.name, said.pips)
        self._take(line, choice)
        if partial:
            for card in cards_in(whole & ~cards, ranks):
                self._take(line, first_id("withhold", self.rules.pack) + card)
            self._take(line, first_id("done", self.rules.pack))
        return len(cards_in(cards, ranks))

    def _check_names(self, line: Line, category: int, cards: int, name: str, pips: int | None) -> None:
        size = len(cards_in(cards, self.ranks))
        if category == POINT:
            if pips is not None:
                line.check(f"{pips} pips", f"{pips_of(cards, self.ranks)} pips")
        else:
            line.check(name, (SEQUENCE_NAMES if category == SEQUENCE else SET_NAMES)[size])

    def _read_replies(self, line: Line, words: list[str]) -> None:
        """Play younger's replies at the front of `words`."""
        while words and not words[0].isdigit():
            reply = " ".join(words[:2]) if words[0] == "not" else words[0]
            if reply not in _REPLIES:
                line.fail(f"{reply!r} is not a reply (good, equal or not good)")
            del words[: len(reply.split())]
            self._expect(line, YOUNGER, (REPLY, DETAIL_REPLY))
            self._take_words(line, reply)

    def _check_value(self, line: Line, category: int, role: int, length: int, words: list[str]) -> None:
        """Compare the points of a claim of `role` that has just been spoken; a call scores when it is good."""
        if words:
            (points,) = line.numbers(words, 1)
            scores = role == YOUNGER or self.replay.row["status"][category] == TO_ELDER
            line.check(points, value_of_claim(category, length) if scores else 0)

    def _read_equality(self, line: Line, category: int, words: list[str]) -> None:
        """Play or check `younger shows S:AKQ (31)`: what was equal to the end."""
        row = self.replay.row
        if row["status"][category] != DEAD:
            line.fail("nothing was equal to the end here (law 27)")
        if self.replay.is_claim_in(category, YOUNGER):
            self._claim(line, category, YOUNGER, words)
            return
        said = parse_claim(line, category, words, self.ranks)
        shown = int(row["shown"][YOUNGER, category])
        line.check(format_held(said.cards, self.ranks), format_held(shown, self.ranks))
        self._check_names(line, category, said.cards, said.name, said.pips)

    # -- the play -----------------------------------------------------------------------------------------------------

    def _read_lead(self, line: Line) -> None:
        """Play elder's first lead."""
        self._run_dialogue()
        if self.replay.phase == PLAY and (self.replay.row["tricks_played"] or self.replay.row["led"] >= 0):
            line.fail("the first card has been led; cards stand in `play` lines")
        self._take(line, line.card(line.rest, self.ranks))
        self._lead_told = True

    def _read_leftovers(self, line: Line) -> None:
        """Play `turn up CJ C9` or `leave`."""
        self._run_dialogue()
        words = line.rest.split()
        self._expect(line, YOUNGER, (LEFTOVERS,))
        turns_up = words[:2] == ["turn", "up"]
        self._take_words(line, "turn up" if turns_up else line.rest)
        if turns_up and words[2:]:
            said = line.cards(words[2:], self.ranks)
            first = int(self.replay.row["taken"].sum())
            line.check(format_cards(said, self.ranks), format_cards(self.replay.talon(first), self.ranks))

    def _read_play(self, line: Line) -> None:
        """Play cards; the first of all may repeat the lead that has a line of its own."""
        self._run_dialogue()
        for card in line.cards(line.rest.split(), self.ranks):
            if self._lead_told:
                self._lead_told = False
                led = [int(self.replay.row["led"])]
                line.check(format_cards([card], self.ranks), format_cards(led, self.ranks))
            else:
                self._take(line, card)
                self._run_dialogue()

    def _read_then(self, line: Line) -> None:
        """Play actions in the words of the table."""
        for words in line.rest.split(","):
            self._take_words(line, words)

    # -- checks -------------------------------------------------------------------------------------------------------

    def _check_points(self, line: Line, role: int, score_class: str, words: list[str]) -> None:
        """Compare the points of a class with the log as it stands."""
        (points,) = line.numbers(words, 1)
        line.check(points, self._points(role, score_class))

    def _points(self, role: int, score_class: str) -> int:
        return sum(entry[1] for entry in self.replay.log() if entry[0] == role and entry[2] == score_class)

    def _check_bonus(self, line: Line) -> None:
        """Compare the points that a role has of the class that is the line's key."""
        role, rest = line.role()
        self._run_dialogue_until(lambda: rest == str(self._points(role, line.key)))
        self._check_points(line, role, line.key, rest.split())

    def _check_pair(self, line: Line) -> None:
        """Compare two numbers, by role or by seat, with the field of the row that the line's key names."""
        field = self.replay.row[{"tricks": "tricks_won"}.get(line.key, line.key)]
        said = line.numbers(line.rest.split(), 2)
        self._run_dialogue_until(lambda: list(said) == field.tolist())
        line.check("{} {}".format(*said), "{} {}".format(*field.tolist()))

    def _check_log(self, line: Line) -> None:
        self._run_dialogue()
        line.check(line.rest, format_log(self.replay.log()))

    def _check_settlement(self, line: Line) -> None:
        if self.replay.phase != PARTIE_OVER:
            line.fail("the partie is not over")
        numbers, comma, _ = line.rest.partition(",")
        true = format_settlement(self.replay)
        line.check(line.rest if comma else numbers.strip(), true if comma else true.partition(",")[0])

    def _check_legal(self, line: Line) -> None:
        """Compare the legal actions of the role to act, in any order."""
        self._run_dialogue()
        role, rest = line.role()
        if self.replay.role != role:
            line.fail(f"{ROLES[role]} is not to act: {describe_turn(self.replay)}")
        said = sorted(" ".join(words.split()) for words in rest.split(","))
        true = [format_action(action, self.rules.pack) for action in legal_ids(self.replay.row, self.rules.pack)]
        if said != sorted(true):
            line.check(rest, ", ".join(true))

    def _check_shown(self, line: Line) -> None:
        """Compare the cards that a role's declarations have made public in this deal."""
        self._run_dialogue()
        role, rest = line.role()
        shown = 0
        for cards in self.replay.row["shown"][role].tolist():
            shown |= cards
        line.check(" ".join(rest.split()), format_held(shown, self.ranks))


def _split_at(words: list[str], names: tuple[str, ...]) -> tuple[list[str], dict[str, list[str]]]:
    """Return the words before the first of `names`, and those behind each of them."""
    before: list[str] = []
    parts: dict[str, list[str]] = {}
    here = before
    for word in words:
        if word in names:
            here = parts.setdefault(word, [])
        else:
            here.append(word)
    return before, parts


def describe_turn(replay: Replay) -> str:
    """Return whose turn it is, and what is legal, in words."""
    legal = legal_ids(replay.row, replay.rules.pack)
    if not legal or replay.role == NOBODY:
        return "nobody is to act"
    words = ", ".join(format_action(action, replay.rules.pack) for action in legal)
    return f"it is {ROLES[replay.role]}'s turn ({words})"


_HANDLERS: dict[str, Callable[[DealReader, Line], None]] = {
    "carte blanche": DealReader._read_carte_blanche,
    "exchange": DealReader._read_exchange,
    "draws": DealReader._read_draws,
    **dict.fromkeys(CATEGORY_NAMES, DealReader._read_category),
    "lead": DealReader._read_lead,
    "leftovers": DealReader._read_leftovers,
    "play": DealReader._read_play,
    "then": DealReader._read_then,
    **dict.fromkeys(("repique", "pique", "carte rouge", "cards", "capot"), DealReader._check_bonus),
    **dict.fromkeys(("tricks", "score", "totals", "games"), DealReader._check_pair),
    "log": DealReader._check_log,
    "settlement": DealReader._check_settlement,
    "legal": DealReader._check_legal,
    "shown": DealReader._check_shown,
}
