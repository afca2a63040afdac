"""One deal of Piquet: carte blanche, exchange, calls, play, and the reckoning.

The deal is a generator: it asks a role for a decision by yielding (role, phase, legal words), and receives the word
chosen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Sequence
from typing import Any

from .holdings import (
    CATEGORIES,
    RANK_NUMBER,
    RANKS,
    Cards,
    Choice,
    Claim,
    Holdings,
    ascending,
    good_against_the_cards,
    is_carte_blanche,
    pack_of,
    spoken_detail,
    value_of,
)

Question = tuple[str, str, list[str]]
Entry = tuple[str, int, str]
Asking = Generator[Question, str, Any]
Options = dict[str, list[tuple[Cards, Claim]]]

ROLES = ("elder", "younger")
OTHER = {"elder": "younger", "younger": "elder"}


class GameWon(Exception):
    """Au cent: a player has reached the target, and the deal is abandoned."""


class Deal:
    """The state of one deal; everything is told by role (elder, younger), never by seat."""

    def __init__(
        self,
        rules: dict[str, Any],
        deck: Sequence[str],
        events: Counter[str],
        target: int | None = None,
        before: dict[str, int] | None = None,
    ) -> None:
        self.rules = rules
        self.events = events
        self.target = target
        self.before = before or {"elder": 0, "younger": 0}
        self.dealt = {"elder": ascending(deck[:12]), "younger": ascending(deck[12:24])}
        self.hands = {role: list(self.dealt[role]) for role in ROLES}
        self.talon = list(deck[24:])
        self.discards: dict[str, list[str]] = {"elder": [], "younger": []}
        self.announced: set[str] = set()
        self.cartes_blanches: set[str] = set()
        self.holdings: dict[str, Holdings] = {}
        self.records: dict[str, dict[str, Any]] = {
            category: {"status": "uncalled", "length": None, "detail": None, "replies": [], "scored": []}
            for category in CATEGORIES
        }
        self.calls: dict[str, Claim] = {}
        self.scored: dict[str, dict[str, list[Claim]]] = {
            role: {category: [] for category in CATEGORIES} for role in ROLES
        }
        self.public: dict[tuple[str, str], set[str]] = {
            (role, category): set() for role in ROLES for category in CATEGORIES
        }
        self.repiques: dict[str, str] = {}
        self.piques: set[str] = set()
        self.cartes_rouges: set[str] = set()
        self.first_lead: list[Entry] = []
        self.play: list[Entry] = []
        self.tricks = {"elder": 0, "younger": 0}
        self.ten_booked = False
        self.turned_up: list[str] = []
        self.winner: str | None = None
        self.in_turn = rules["younger_declares"] == "in_turn"
        self.as_they_occur = rules["bonus_order"] == "actual" and not self.in_turn
        self.elder_max: int = rules["elder_max"] or (7 if rules["pack"] == 36 else 5)
        self._log: list[Entry] | None = None

    def run(self) -> Asking:
        """The whole deal from the first question to the last card, or to the event that wins a game au cent."""
        try:
            yield from self._carte_blanche("elder")
            if self.rules["younger_cb_announce"] == "before_exchange":
                yield from self._carte_blanche("younger")
            yield from self._exchange()
            for role in ROLES:
                self.holdings[role] = Holdings(self.hands[role], self.rules["sinking"], self.rules["sets_from"])
            for category in CATEGORIES:
                yield from self._elder_calls(category)
                if self.in_turn:
                    yield from self._younger_declares(category)
            if self.in_turn:
                self._declarations_end()
            yield from self._play_the_hands()
            self._reckon_cards()
        except GameWon:
            pass

    # Carte blanche and the exchange

    def _carte_blanche(self, role: str) -> Asking:
        """Who has been dealt no court card may announce carte blanche; kept silent it is forfeited."""
        if not is_carte_blanche(self.dealt[role]):
            return
        if self.rules["carte_blanche_claim"] == "optional":
            word = yield role, "carte blanche", ["carte blanche", "silent"]
            if word == "silent":
                self.events["carte blanche silent"] += 1
                return
        self.announced.add(role)
        if self.rules["carte_blanche_show" if role == "elder" else "younger_cb_show"] == "immediate":
            self._show_carte_blanche(role)

    def _show_carte_blanche(self, role: str) -> None:
        """The ten points are booked when the hand is shown."""
        self.cartes_blanches.add(role)
        self.events["carte blanche " + role] += 1
        if len(self.cartes_blanches) == 2:
            self.events["carte blanche both"] += 1
        self._log = None
        self._reckon_game()

    def _exchange(self) -> Asking:
        """Elder exchanges, then younger.

        Cavendish, law 20: elder's carte blanche is shown only when younger has laid out his discards; until then elder
        has only said how many cards he takes.
        """
        late = "elder" in self.announced and "elder" not in self.cartes_blanches
        yield from self._lay_out("elder", 1, self.elder_max)
        least = 1 if self.rules["younger_must_exchange"] else 0
        most = len(self.talon) - len(self.discards["elder"])
        if late:
            yield from self._lay_out("younger", least, most)
            self.events["late carte blanche show"] += 1
            self._show_carte_blanche("elder")
            self._draw("elder")
            yield from self._younger_shows_carte_blanche()
        else:
            self._draw("elder")
            yield from self._younger_shows_carte_blanche()
            yield from self._lay_out("younger", least, most)
        if len(self.discards["younger"]) < len(self.talon):
            self.events["younger left cards"] += 1
        if not self.discards["younger"]:
            self.events["younger took none"] += 1
        self._draw("younger")

    def _younger_shows_carte_blanche(self) -> Asking:
        """Younger's carte blanche is shown when elder has finished exchanging (or announced only then)."""
        if self.rules["younger_cb_announce"] == "after_elder_exchange":
            yield from self._carte_blanche("younger")
        if "younger" in self.announced and "younger" not in self.cartes_blanches:
            self._show_carte_blanche("younger")

    def _lay_out(self, role: str, least: int, most: int) -> Asking:
        """Lay out discards one by one in ascending order; "draw" ends it."""
        hand, gone = self.hands[role], self.discards[role]
        may_go = list(hand)
        while True:
            legal = ["discard " + card for card in may_go] if len(gone) < most else []
            if len(gone) >= least:
                legal.append("draw")
            word = yield role, "exchange", legal
            if word == "draw":
                return
            card = word[-2:]
            may_go = may_go[may_go.index(card) + 1 :]
            hand.remove(card)
            gone.append(card)

    def _draw(self, role: str) -> None:
        """Take as many cards from the top of the talon as were laid out."""
        number = len(self.discards[role])
        self.hands[role] = ascending(self.hands[role] + self.talon[:number])
        self.talon = self.talon[number:]
        if role == "elder" and number < self.elder_max:
            self.events["elder left cards"] += 1

    # Calls and replies

    def _options(self, choices: Sequence[Choice], lawful: Callable[[Claim], bool] | None = None) -> Options:
        """The choices that can still end in a lawful claim, each with its lawful claims only."""
        if lawful is None:
            return {choice.word: choice.ways for choice in choices}
        found = {choice.word: [way for way in choice.ways if lawful(way[1])] for choice in choices}
        return {word: ways for word, ways in found.items() if ways}

    def _claim(self, role: str, phase: str, options: Options, may_stop: bool, strongest: bool) -> Asking:
        """Let a role choose a combination and, where under-calling is allowed, withhold cards until "done" speaks it.

        Without sinking there is no choice: the strongest, or the next in order, is claimed.  Returns (word, claim), or
        None if the role stops or passes.
        """
        if self.rules["sinking"] == "none" and options:
            word = max(options, key=lambda option: options[option][0][1].strength) if strongest else next(iter(options))
            options, may_stop = {word: options[word]}, False
        word = yield role, phase, [*options, *(["done"] if may_stop or not options else [])]
        if word == "done":
            return None
        ways = options[word]
        if self.rules["sinking"] != "partial":
            return word, ways[0][1]
        withheld: Cards = ()
        while True:
            said = len(withheld)
            ways = [way for way in ways if way[0][:said] == withheld]
            legal = [
                "withhold " + card for card in ascending(list({gone[said] for gone, _ in ways if len(gone) > said}))
            ]
            finished = [claim for gone, claim in ways if gone == withheld]
            step = yield role, phase + " withhold", legal + (["done"] if finished else [])
            if step == "done":
                return word, finished[0]
            withheld = (*withheld, step[-2:])

    def _elder_calls(self, category: str) -> Asking:
        """Elder calls or passes, younger replies, elder scores what is good."""
        record = self.records[category]
        choices = self.holdings["elder"].choices(category)
        said = yield from self._claim("elder", "call " + category, self._options(choices), True, True)
        if said is None:
            record["status"] = "passed"
            if choices:
                self.events[f"sunk {category} by elder"] += 1
            return
        word, call = said
        self.calls[category] = call
        if any(claim.strength > call.strength for claim in self.holdings["elder"].claims(category)):
            self.events["undercall " + category] += 1
        record["length"] = call.length
        told = self._tells_all(category)
        if told:
            record["detail"] = spoken_detail(category, call)
        reply = yield from self._reply(category, "all" if told else "length")
        if reply == "equal" and not told:
            self.events[f"{category} equal length"] += 1
            record["detail"] = spoken_detail(category, call)
            reply = yield from self._reply(category, "detail")
        if reply == "equal":
            self.events[f"{category} equal end"] += 1
            record["status"] = "dead"
            self._make_public("elder", category, call)
        elif reply == "not good":
            record["status"] = "younger"
        else:
            record["status"] = "elder"
            self._score("elder", category, call)
            if category != "point":
                yield from self._elder_goes_on(category, word)

    def _tells_all(self, category: str) -> bool:
        """Whether the call says pips, top card or rank at once, so that a single reply decides."""
        if category == "point":
            return bool(self.rules["point_call"] == "number_and_pips")
        return category == "set" or self.rules["sequence_call"] == "length_and_top"

    def _reply(self, category: str, asked: str) -> Asking:
        """Younger says good, equal or not good; the last two only if he has a claim that makes it true."""
        call = self.calls[category]
        claims = self.holdings["younger"].claims(category)
        if asked == "length":
            equal = any([claim.length == call.length for claim in claims])
            better = any([claim.length > call.length for claim in claims])
        elif asked == "all":
            equal = any([claim.strength == call.strength for claim in claims])
            better = any([claim.strength > call.strength for claim in claims])
        else:
            equal = any([claim.length == call.length and claim.detail == call.detail for claim in claims])
            better = any([claim.length == call.length and claim.detail > call.detail for claim in claims])
        legal = ["good", *(["equal"] if equal else []), *(["not good"] if better else [])]
        if self.rules["sinking"] == "none":
            legal = legal[-1:]
        word = yield "younger", ("second reply " if asked == "detail" else "reply ") + category, legal
        self.records[category]["replies"].append(word)
        if word == "good" and (equal or better):
            self.events["good though equal or better"] += 1
        if word == "equal" and better and asked == "length":
            self.events["equal with longer"] += 1
        return word

    def _elder_goes_on(self, category: str, called: str) -> Asking:
        """After "good" elder may score all his other combinations, but nothing superior to an under-call."""
        choices = self.holdings["elder"].choices(category)
        used = {choice.uses for choice in choices if choice.word == called}
        call = self.calls[category]
        bound = self._bound_by_call(category)
        free = [choice for choice in choices if choice.uses not in used]
        while True:
            options = self._options(free, (lambda claim: claim.strength <= call.strength) if bound else None)
            if bound and len(options) < len(free):
                self.events["undercall lock binds"] += 1
            if not options:
                return
            said = yield from self._claim("elder", "further " + category, options, True, False)
            if said is None:
                self.events[f"sunk further {category} by elder"] += 1
                return
            word, claim = said
            if claim.strength > call.strength:
                self.events["superior to the call scored"] += 1
            self._score("elder", category, claim)
            free = self._after(free, word)

    def _after(self, choices: list[Choice], word: str) -> list[Choice]:
        """What is left when claims are made in ascending order and each maximal combination serves once."""
        at = next(number for number, choice in enumerate(choices) if choice.word == word)
        return [choice for choice in choices[at + 1 :] if choice.uses != choices[at].uses]

    def _bound_by_call(self, category: str) -> bool:
        """Whether holdings superior to the call are lost.

        Cavendish, law 49: they score only if the call was good against the cards.  Au cent: never.  A whole combination
        that was passed over for a lesser one is sunk.
        """
        lock = self.rules["undercall_lock"]
        if lock == "none":
            return False
        if lock == "cavendish" and self.rules["sinking"] == "partial":
            known = {*self.hands["elder"], *self.discards["elder"]}
            unseen = [card for card in pack_of(self.rules["pack"]) if card not in known]
            call = self.calls[category]
            if good_against_the_cards(category, call, unseen, self.rules["sets_from"]):
                if any(claim.strength > call.strength for claim in self.holdings["elder"].claims(category)):
                    self.events["undercall good against the cards"] += 1
                return False
        return True

    # Younger's declarations

    def _beats_call(self, category: str) -> Callable[[Claim], bool]:
        """What redeems "not good": longer if only the length was said, else longer or as long with more.

        After "equal" on the length younger may not count more cards than the call (Cavendish, law 46).
        """
        call = self.calls[category]
        if "equal" in self.records[category]["replies"]:
            return lambda claim: claim.length == call.length and claim.detail > call.detail
        if self._tells_all(category):
            return lambda claim: claim.strength > call.strength
        return lambda claim: claim.length > call.length

    def _younger_declares(self, category: str) -> Asking:
        """Younger names what he won or what elder passed, or shows what was equal to the end."""
        status = self.records[category]["status"]
        if status == "dead":
            yield from self._younger_shows_equal(category)
        elif status in ("younger", "passed"):
            yield from self._younger_claims(category, promised=status == "younger")

    def _younger_shows_equal(self, category: str) -> Asking:
        """A combination equal to the end is shown on demand; of several that match younger names one."""
        if self.rules["show_scored"] == "never":
            return
        call = self.calls[category]
        options = self._options(
            self.holdings["younger"].choices(category), lambda claim: claim.strength == call.strength
        )
        matches = [claim for ways in options.values() for _, claim in ways]
        claim = matches[0]
        if len(matches) > 1:
            self.events["named among several equal"] += 1
            _, claim = yield from self._claim("younger", "declare " + category, options, False, False)
        self._make_public("younger", category, claim)

    def _younger_claims(self, category: str, promised: bool) -> Asking:
        """Claims in ascending order, each optional; after "not good" one of them must beat elder's call."""
        free = self.holdings["younger"].choices(category)
        held = bool(free)
        beats = self._beats_call(category) if promised else None
        longest = self.calls[category].length if "equal" in self.records[category]["replies"] else 99
        beaten = not promised
        while True:
            options: Options = {}
            for choice in free:
                ways = [way for way in choice.ways if way[1].length <= longest]
                if beats is not None and not beaten:
                    later = category != "point" and any(
                        way[1].length <= longest and beats(way[1])
                        for other in self._after(free, choice.word)
                        for way in other.ways
                    )
                    ways = ways if later else [way for way in ways if beats(way[1])]
                if ways:
                    options[choice.word] = ways
            if not options:
                break
            said = yield from self._claim("younger", "declare " + category, options, beaten, category == "point")
            if said is None:
                break
            word, claim = said
            if beats is not None and beats(claim):
                beaten = True
            self._score("younger", category, claim)
            if category == "point":
                break
            free = self._after(free, word)
        if held and not self.scored["younger"][category]:
            self.events[f"sunk {category} by younger"] += 1

    # Booking

    def _make_public(self, role: str, category: str, claim: Claim) -> None:
        """Combinations scored or called equal to the end are shown on demand (Cavendish, law 55)."""
        if self.rules["show_scored"] == "auto":
            self.public[role, category].update(claim.cards)

    def _score(self, role: str, category: str, claim: Claim) -> None:
        """Book a combination, and a repique as soon as the public record allows it."""
        self.scored[role][category].append(claim)
        suit = claim.cards[0][0] if self.rules["show_scored"] == "auto" else None
        if category == "point":
            named: tuple[Any, ...] = (claim.length, suit)
        elif category == "sequence":
            named = (claim.length, RANKS[claim.detail], suit)
        else:
            named = (claim.length, RANKS[claim.detail])
        self.records[category]["scored"].append(named)
        self._make_public(role, category, claim)
        self._log = None
        reached = self._repique_class(role)
        if reached is None or role in self.repiques:
            return
        up_to_it = CATEGORIES[: CATEGORIES.index(reached) + 1]
        if role == "younger" or all(self.records[earlier]["status"] in ("elder", "dead") for earlier in up_to_it):
            self._book_repique(role, reached)

    def _repique_class(self, role: str) -> str | None:
        """The class in which a role reaches thirty while the opponent has nothing in that class or an earlier one.

        The classes are carte blanche, point, sequences, sets (Cavendish, law 67); play is of no account here.
        """
        if OTHER[role] in self.cartes_blanches:
            return None
        total = 10 if role in self.cartes_blanches else 0
        for category in CATEGORIES:
            if self.scored[OTHER[role]][category]:
                return None
            total += sum([value_of(category, claim.length) for claim in self.scored[role][category]])
            if total >= 30:
                return category
        return None

    def _book_repique(self, role: str, category: str) -> None:
        """Sixty for repique, once."""
        self.repiques[role] = category
        self.events["repique " + role] += 1
        self._log = None

    def _declarations_end(self) -> None:
        """What waited for younger's last word: elder's repique, carte rouge, the pique of the first lead."""
        reached = self._repique_class("elder")
        if reached is not None and "elder" not in self.repiques:
            self.events["repique late"] += 1
            self._book_repique("elder", reached)
        if self.rules["carte_rouge"]:
            for role in ROLES:
                used = {card for claims in self.scored[role].values() for claim in claims for card in claim.cards}
                if used.issuperset(self.holdings[role].hand):
                    self.cartes_rouges.add(role)
                    self.events["carte rouge " + role] += 1
        self._log = None
        if not self.in_turn:
            self._book_piques(self.first_lead)
        self._reckon_game()

    def _book_piques(self, block: list[Entry]) -> None:
        """Thirty for pique: thirty reached in hand and play before the opponent has scored anything."""
        for role in ROLES:
            if role in self.repiques or role in self.piques or not self._reaches_thirty_alone(role):
                continue
            self.piques.add(role)
            self.events["pique " + role] += 1
            if self.repiques:
                self.events["both repique and pique actual"] += 1
            block.append((role, 30, "pique"))
            self._log = None

    def _reaches_thirty_alone(self, role: str) -> bool:
        """Read the score from its beginning; carte rouge counts on neither side."""
        total = 0
        for scorer, points, kind in self.log():
            if kind == "carte rouge":
                continue
            if scorer != role:
                return False
            total += points
            if total >= 30:
                return True
        return False

    def _hand_entries(self, role: str, category: str) -> list[Entry]:
        """A role's combinations of one class, and the repique that was reached in it."""
        entries = [(role, value_of(category, claim.length), category) for claim in self.scored[role][category]]
        if self.repiques.get(role) == category:
            entries.append((role, 60, "repique"))
        return entries

    def log(self) -> list[Entry]:
        """All that is booked, in the order of reckoning."""
        if self._log is not None:
            return self._log
        log = [(role, 10, "carte blanche") for role in ROLES if role in self.cartes_blanches]
        rouge = [(role, self.rules["carte_rouge"], "carte rouge") for role in ROLES if role in self.cartes_rouges]
        if self.as_they_occur:
            log += [entry for category in CATEGORIES for entry in self._hand_entries("elder", category)]
            log += self.first_lead
            log += [entry for category in CATEGORIES for entry in self._hand_entries("younger", category)]
            log += rouge
        else:
            log += [entry for category in CATEGORIES for role in ROLES for entry in self._hand_entries(role, category)]
            log += rouge + self.first_lead
        self._log = log + self.play
        return self._log

    def _reckon_game(self) -> None:
        """Au cent: read the score in order; the first total to reach the target ends the game at that entry."""
        if self.target is None:
            return
        totals = dict(self.before)
        log = self.log()
        for number, (role, points, kind) in enumerate(log):
            totals[role] += points
            if totals[role] >= self.target:
                self._log = log[: number + 1]
                self.winner = role
                self.events["au cent won at " + kind] += 1
                raise GameWon

    # Play

    def _play_the_hands(self) -> Asking:
        """Twelve tricks; after the first lead younger declares, and may turn up the cards that he left."""
        leader = "elder"
        for number in range(1, 13):
            led = yield from self._play_card(leader, None)
            block = self.first_lead if number == 1 else self.play
            self._book_in_play(block, leader, "lead", led, self.rules["lead_point_min_rank"])
            if number == 1 and not self.in_turn:
                for category in CATEGORIES:
                    yield from self._younger_declares(category)
                self._declarations_end()
            else:
                self._book_piques(block)
                self._reckon_game()
            if number == 1:
                yield from self._turn_up()
            answered = yield from self._play_card(OTHER[leader], led[0])
            taken = answered[0] == led[0] and RANK_NUMBER[answered[1]] > RANK_NUMBER[led[1]]
            if taken:
                leader = OTHER[leader]
                self._book_in_play(self.play, leader, "capture", answered, self.rules["capture_point_min_rank"])
            self.tricks[leader] += 1
            if number == 12 and self.rules["last_trick_point"]:
                self._append(leader, self.rules["last_trick_point"], "last trick")
            if self.rules["cards_count_for_pique"] and self.tricks[leader] == 7 and not self.ten_booked:
                self.ten_booked = True
                self._append(leader, 10, "cards")
            self._book_piques(self.play)
            self._reckon_game()

    def _play_card(self, role: str, suit: str | None) -> Asking:
        """Any card to lead; in reply a card of the suit led, or any card from a hand without it."""
        hand = self.hands[role]
        legal = [card for card in hand if card[0] == suit] or hand
        word = yield role, "play", ["play " + card for card in legal]
        hand.remove(word[-2:])
        return word[-2:]

    def _turn_up(self) -> Asking:
        """Younger may turn up for both, before he plays to the first trick, the cards that he left in the talon."""
        if not self.talon or self.rules["leftover_reveal"] != "younger_choice_after_lead":
            return
        word = yield "younger", "leftovers", ["turn up", "leave"]
        if word == "turn up":
            self.turned_up = list(self.talon)
        self.events["leftovers turned up" if word == "turn up" else "leftovers kept"] += 1

    def _book_in_play(self, block: list[Entry], role: str, kind: str, card: str, lowest: str) -> None:
        """One for a lead, one for a trick taken from the leader, if the card is high enough to count."""
        if lowest != "any" and RANK_NUMBER[card[1]] < RANK_NUMBER[lowest]:
            return
        if block is self.play:
            self._append(role, 1, kind)
        else:
            block.append((role, 1, kind))
            self._log = None

    def _append(self, role: str, points: int, kind: str) -> None:
        """Add an entry of the play; the play is always the end of the log."""
        self.play.append((role, points, kind))
        if self._log is not None:
            self._log.append((role, points, kind))

    def _reckon_cards(self) -> None:
        """Ten for seven tricks or more, forty instead for all twelve, nothing when they are divided."""
        for role in ROLES:
            if self.tricks[role] == 12:
                self.events["capot " + role] += 1
                self._append(role, 30 if self.ten_booked else 40, "capot")
            elif self.tricks[role] >= 7 and not self.ten_booked:
                self._append(role, 10, "cards")
        if self.tricks["elder"] == 6:
            self.events["cards divided"] += 1
        self._reckon_game()
