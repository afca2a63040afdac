"""Other worlds: deals that a seat cannot tell from the true one, found without the code that makes observations.

A `Finder` puts other hidden cards in place of the true ones and lets the other seat decide otherwise, until the seat
has heard the same (tests/hearing.py) and has decided the same.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from piquet_env.game import Game
from piquet_env.rules.start import Start, extra_deals
from piquet_env.rules.state import Phase
from piquet_env.rules.variants import Rules
from tests.comparison import cells_of
from tests.hearing import ELDER, YOUNGER, Entry, Hearing, cards_of, mask_of, moment_of, peek
from tests.steering import Chooser, PartiePlan

# -- one deal as it was played ----------------------------------------------------------------------------------------


class Line(NamedTuple):
    """One deal: the rules, its start (the deck stands apart), the deck, and the decisions made in it."""

    rules: Rules
    start: Start
    deck: tuple[int, ...]
    actions: tuple[int, ...]

    def begin(self, **changes: Any) -> Game:
        """The game at the start of the deal."""
        settings = {**self.start._asdict(), **changes}
        following = settings.pop("decks")
        return Game(self.rules, decks=[np.array(self.deck, dtype=np.int8), *following], **settings)

    @property
    def roles(self) -> tuple[int, int]:
        """The role of each seat."""
        return (YOUNGER, ELDER) if self.start.dealer == 0 else (ELDER, YOUNGER)


class Point(NamedTuple):
    """One point of a line: the game there (the same object all along), and what the seats have heard."""

    game: Game
    hearing: Hearing
    is_over: bool

    def acts(self, seat: int) -> bool:
        """Whether the seat is to act in this deal."""
        return not self.is_over and self.game.to_act == seat


def apply(game: Game, hearing: Hearing, roles: tuple[int, int], action: int) -> bool:
    """Apply a decision and let it be heard; return whether it has ended the deal."""
    before = moment_of(game)
    seat = game.to_act
    assert seat is not None
    ended_before = len(game.deal_points)
    game.apply(action)
    ended = len(game.deal_points) > ended_before
    points = game.deal_points[ended_before] if ended else (0, 0)
    hearing.hear(roles[seat], action, before, moment_of(game), points)
    return ended


def walk(line: Line, **changes: Any) -> Iterator[Point]:
    """Yield every point of a line, from before the first decision to behind the last."""
    game, hearing = line.begin(**changes), Hearing(line.rules, line.deck)
    ended = game.is_over or bool(game.deal_points)
    yield Point(game, hearing, ended)
    for action in line.actions:
        ended = apply(game, hearing, line.roles, action)
        yield Point(game, hearing, ended)


def play_line(rules: Rules, rng: random.Random) -> Line:
    """One deal played from a steered plan, anywhere in a partie."""
    dealer = rng.randrange(2)
    start = Start(rng.getrandbits(40), rng.randrange(50), dealer=dealer)
    if rng.random() < 0.5:
        totals = (rng.randrange(100), rng.randrange(100))
        number = rng.choice((2, rules.deals)) if rules.form == "rubicon" and rules.deals > 1 else 1
        start = start._replace(deal_number=number, totals=totals)
        if rules.form == "au_cent":
            games = (rng.randrange(rules.games), rng.randrange(rules.games))
            below = (min(totals[0], rules.target - 1), min(totals[1], rules.target - 1))
            start = start._replace(deal_number=rng.randint(1, 9), games=games, totals=below)
    plan = PartiePlan(rules, start, rng.getrandbits(40))
    number = start.deal_number
    # The next deal is part of what is seen when this one has ended, so its deck does not come from the seed.
    goes_on = rules.form == "au_cent" or number < rules.deals + extra_deals(rules)
    following = (np.array(plan.deck(number + 1), dtype=np.int8),) if goes_on else ()
    line = Line(rules, start._replace(decks=following), tuple(plan.deck(number)), ())
    game, chooser, actions = line.begin(), Chooser(plan), []
    while not game.deal_points and not game.is_over:
        cells = cells_of(peek(game))
        actions.append(chooser.choose(cells, game.legal_actions()))
        game.apply(actions[-1])
    return line._replace(actions=tuple(actions))


# -- other worlds -----------------------------------------------------------------------------------------------------


class Goal(NamedTuple):
    """What another world must come to: what `seat` has heard, and whether it is to act."""

    seat: int
    heard: tuple[Entry, ...]
    acts: bool


class MaskLeak(AssertionError):
    """An own action that was legal is not legal in a world that the seat cannot tell from the true one."""


class Hidden(NamedTuple):
    """The cards that a seat does not see: the deck, and the places in it of the cards that the other discards."""

    deck: tuple[int, ...]
    discarded: frozenset[int]

    def cards(self, *, discarded: bool) -> tuple[Any, ...]:
        """What is dealt, discarded (if anything is yet) and left in order: two worlds of the same are one."""
        laid = frozenset(self.deck[place] for place in self.discarded) if discarded else frozenset()
        return frozenset(self.deck[:12]), frozenset(self.deck[12:24]), self.deck[24:], laid


class Finder:
    """Finds worlds that `goal.seat` cannot tell from a line at one of its points.

    line:      the true deal
    point:     the point of it at which the goal stands
    own_turns: what the seat has heard at each of its own turns: there its mask is known
    """

    budget = 250  # decisions of the other that one proposal may try

    def __init__(
        self, line: Line, goal: Goal, point: Point, rng: random.Random, own_turns: Iterable[tuple[Entry, ...]]
    ) -> None:
        self.line, self.goal, self.rng = line, goal, rng
        self.role = line.roles[goal.seat]
        self.other = 1 - self.role
        hearing = point.hearing
        self.taken = hearing.taken[self.other]
        self.places = self._hidden_places(hearing)
        self.must_hold = mask_of(self._seen_in_other_hand())
        self.drawn = self._drawn_places(hearing)
        self.true = Hidden(line.deck, self._true_discards(hearing))
        self.own_turns = frozenset(own_turns)
        self._tries = 0
        self._laid: list[int] = []

    def _dealt_places(self) -> range:
        return range(12 * self.other, 12 * self.other + 12)

    def _hidden_places(self, hearing: Hearing) -> list[int]:
        """The places of the deck whose cards the seat does not know."""
        places = set(self._dealt_places()) | set(range(24, len(self.line.deck)))
        taken_elder, taken_younger = hearing.taken
        for entry in self.goal.heard:
            if entry[0] == "shows dealt":
                places -= set(self._dealt_places())
            elif entry[0] == "drew":
                first = 24 if self.role == ELDER else 24 + (taken_elder or 0)
                size = sum(len(cards) for cards in entry[1:])
                places -= set(range(first, first + size))
            elif entry[0] == "turned up":
                first = 24 + (taken_elder or 0) + (taken_younger or 0)
                places -= set(range(first, len(self.line.deck)))
        return sorted(places)

    def _seen_in_other_hand(self) -> Iterator[int]:
        """Cards that must be in the other's hand behind the exchange."""
        for entry in self.goal.heard:
            if entry[0] == "plays":
                yield entry[1]
            elif entry[0] == "equal":
                yield from cards_of(entry[2])
            elif entry[0] == "scores":
                for item in entry[2]:
                    yield from cards_of(item[2] or 0)

    def _drawn_places(self, hearing: Hearing) -> list[int]:
        """The places of the cards that the other has drawn."""
        if not hearing.drawn[self.other]:
            return []
        first = 24 if self.other == ELDER else 24 + (hearing.taken[ELDER] or 0)
        return list(range(first, first + (self.taken or 0)))

    def _true_discards(self, hearing: Hearing) -> frozenset[int]:
        held = hearing.discards[self.other]
        if self.taken is None:
            return self._draw_discards()
        return frozenset(place for place in self._dealt_places() if held >> self.line.deck[place] & 1)

    def _draw_discards(self) -> frozenset[int]:
        """Places to be discarded, where nothing has been said of them."""
        most = self.line.rules.elder_max or 5
        if self.other == YOUNGER:
            most = 1
        return frozenset(self.rng.sample(self._dealt_places(), self.rng.randint(1, most)))

    # -- proposals ----------------------------------------------------------------------------------------------------

    def propose(self, now: Hidden) -> Hidden:
        """A neighbour of a world: some hidden cards exchanged, or two suits among them, or other cards discarded."""
        deck, discarded = list(now.deck), now.discarded
        draw = self.rng.random()
        if draw < 0.25 and len(self.places) > 1:
            self._exchange_suits(deck)
        elif draw < 0.4 or len(self.places) < 2:
            discarded = self._other_discards(discarded)
        else:
            for _ in range(self.rng.choice((1, 1, 1, 2, 3, 5))):
                first, second = self.rng.sample(self.places, 2)
                deck[first], deck[second] = deck[second], deck[first]
        return Hidden(tuple(deck), discarded)

    def _exchange_suits(self, deck: list[int]) -> None:
        ranks = self.line.rules.pack // 4
        first, second = self.rng.sample(range(4), 2)
        place_of = {deck[place]: place for place in self.places}
        share = self.rng.choice((0.3, 1.0))
        for rank in range(ranks):
            one, two = place_of.get(first * ranks + rank), place_of.get(second * ranks + rank)
            if one is not None and two is not None and self.rng.random() < share:
                deck[one], deck[two] = deck[two], deck[one]

    def _other_discards(self, discarded: frozenset[int]) -> frozenset[int]:
        if self.taken is None:
            return self._draw_discards()
        if not discarded:
            return discarded
        kept = [place for place in self._dealt_places() if place not in discarded]
        return discarded - {self.rng.choice(sorted(discarded))} | {self.rng.choice(kept)}

    def _holds_what_was_seen(self, hidden: Hidden) -> bool:
        kept = [place for place in self._dealt_places() if place not in hidden.discarded]
        hand = mask_of(hidden.deck[place] for place in [*kept, *self.drawn])
        return self.must_hold & ~hand == 0

    # -- the search for decisions that fit ----------------------------------------------------------------------------

    def worlds(self, proposals: int) -> Iterator[Line]:
        """Yield worlds that fit, each some accepted exchanges away from the true one."""
        now = self.true
        truth = self._cards(now)
        for _ in range(proposals):
            hidden = self._promising(now)
            if hidden is None:
                return
            actions = self.decisions(hidden)
            if actions is not None:
                now = hidden
                if self._cards(now) != truth:
                    yield self.line._replace(deck=now.deck, actions=tuple(actions))

    def _cards(self, hidden: Hidden) -> tuple[Any, ...]:
        return hidden.cards(discarded=self.taken is not None)

    def _promising(self, now: Hidden) -> Hidden | None:
        """A proposal that is another deal and leaves what has been seen in the other's hand; None if none comes."""
        for _ in range(60):
            hidden = self.propose(now)
            if self._holds_what_was_seen(hidden) and self._cards(hidden) != self._cards(now):
                return hidden
        return None

    def decisions(self, hidden: Hidden) -> list[int] | None:
        """All decisions of a line with these hidden cards that comes to the goal; None if none is found."""
        line = self.line._replace(deck=hidden.deck)
        # Another seed: nothing that a seat sees comes from it.
        game, hearing = line.begin(seed=line.start.seed + 1), Hearing(line.rules, hidden.deck)
        if game.deal_points or not self._fits(hearing):
            return None
        self._tries = 0
        self._laid = sorted(hidden.deck[place] for place in hidden.discarded)
        return self._search(game, hearing, ended=False)

    def _fits(self, hearing: Hearing) -> bool:
        """Whether what has been heard can still become what shall be heard."""
        heard, target = hearing.heard[self.role], self.goal.heard
        size = len(heard)
        if size > len(target) or heard[: size - 1] != target[: size - 1]:
            return False
        last, wanted = heard[-1], target[size - 1]
        if last == wanted:
            return True
        if last[:2] != wanted[:2] or last[0] != "scores":
            return False
        rest = list(wanted[2])
        return all(item in rest and not rest.remove(item) for item in last[2])

    def _search(self, game: Game, hearing: Hearing, *, ended: bool) -> list[int] | None:
        heard = hearing.heard[self.role]
        if heard == self.goal.heard and (ended or (game.to_act == self.goal.seat) == self.goal.acts):
            return []
        if ended:
            return None
        options = self._options(game, hearing)
        for place, action in enumerate(options):
            self._tries += 1
            if self._tries > self.budget:
                return None
            last = place == len(options) - 1
            next_game, next_hearing = (game, hearing) if last else (game.clone(), hearing.clone())
            over = apply(next_game, next_hearing, self.line.roles, action)
            if self._fits(next_hearing):
                rest = self._search(next_game, next_hearing, ended=over)
                if rest is not None:
                    return [action, *rest]
        return None

    def _options(self, game: Game, hearing: Hearing) -> list[int]:
        """The decisions to try: the seat's own one, or those of the other."""
        legal = game.legal_actions()
        if game.to_act == self.goal.seat:
            heard = hearing.heard[self.role]
            wanted = self.goal.heard[len(heard)] if len(heard) < len(self.goal.heard) else ("nothing",)
            if wanted[0] != "I" or heard[-1] != self.goal.heard[len(heard) - 1]:
                return []
            if wanted[1] not in legal:
                if heard in self.own_turns:
                    raise MaskLeak(f"action {wanted[1]} is not legal in the other world")
                return []
            return [wanted[1]]
        if peek(game)["phase"] == Phase.EXCHANGE:
            laid = cards_of(int(peek(game)["pending"]))
            step = self._laid[len(laid)] + game.rules.pack if len(laid) < len(self._laid) else 3 * game.rules.pack
            return [step] if step in legal else []
        self.rng.shuffle(legal)
        return legal
