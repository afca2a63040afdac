"""Rules, decks, starting positions and styles of play that make the rare things of the game frequent.

Everything is drawn from seeded generators: a partie's plan follows from one integer. The weights below say how often
each deck and each style is drawn; a plain shuffle played at random is only one of them.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate, chain
from typing import Any, Generic, NamedTuple, TypeVar

from piquet_env.rules.actions import action_table
from piquet_env.rules.start import Start, extra_deals
from piquet_env.rules.state import DEAL_OVER, Phase
from piquet_env.rules.variants import OPTIONS, PRESETS, Rules
from tests.comparison import (
    CATEGORY,
    COMPOSING,
    DEAL_NUMBER,
    DEAL_POINTS,
    DEALER,
    DEALS_ENDED,
    HANDS,
    PENDING,
    PHASE,
    TO_ACT,
    Engine,
    Entry,
    engine_log,
)

Drawn = TypeVar("Drawn")
Cards = list[int]
ELDER, YOUNGER = 0, 1


class Wheel(Generic[Drawn]):
    """Things to be drawn, each as often as its weight says."""

    def __init__(self, weights: dict[Drawn, float]) -> None:
        self._things = list(weights)
        self._marks = list(accumulate(weights.values()))

    def draw(self, rng: random.Random) -> Drawn:
        """One of the things."""
        return rng.choices(self._things, cum_weights=self._marks)[0]


# -- rules ------------------------------------------------------------------------------------------------------------

# Values for the options that take any number; the others are drawn from their own values.
NUMBERS: dict[str, tuple[int | None, ...]] = {
    "elder_max": (None, None, 1, 3, 5, 6, 7, 8, 11),
    "deals": (1, 2, 3, 4, 5, 6, 7, 8),
    "rubicon_line": (0, 50, 100, 150),
    "target": (50, 100, 150),
    "lurch": (25, 50, 100),
    "games": (1, 2, 3, 5),
}
SHARE_OF_PRESETS = 0.3  # parties played under a preset as it stands
SHARE_OF_OPTIONS = 0.25  # options drawn at random in the others


def draw_rules(rng: random.Random, presets: Sequence[str]) -> Rules:
    """A preset (always one of `presets` if any are named), or one with some options drawn at random."""
    rules = Rules.preset(rng.choice(list(presets or PRESETS)))
    if presets or rng.random() < SHARE_OF_PRESETS:
        return rules
    # One change at a time: a change that contradicts what stands is skipped, not the whole.
    for option in rng.sample(OPTIONS, len(OPTIONS)):
        if rng.random() < SHARE_OF_OPTIONS:
            value = rng.choice(NUMBERS.get(option.name) or option.values or ())
            try:
                rules = rules.replace(**{option.name: value})
            except ValueError:
                continue
    return rules


# -- decks ------------------------------------------------------------------------------------------------------------


class Deal(NamedTuple):
    """A deck, and for each role the cards to be discarded so that the exchange makes the hands that were planned."""

    deck: Cards
    junk: tuple[frozenset[int], frozenset[int]]


Hands = tuple[Cards, Cards]


class Maker(NamedTuple):
    """A random generator and the ranks of the pack; suits in random order."""

    rng: random.Random
    ranks: int

    def suits(self) -> list[int]:
        """The first cards of the four suits, in random order."""
        return [suit * self.ranks for suit in self.rng.sample(range(4), 4)]

    def window(self, size: int, *, high: bool = False) -> list[int]:
        """A run of `size` neighbouring ranks; `high` ends it at the ace."""
        lowest = self.ranks - size if high else self.rng.randint(0, self.ranks - size)
        return list(range(lowest, lowest + size))

    def pattern(self, size: int) -> list[int]:
        """Some ranks: often a run, otherwise any."""
        if self.rng.random() < 0.6:
            return self.window(size, high=self.rng.random() < 0.4)
        return self.rng.sample(range(self.ranks), size)


def _shuffled(_: Maker) -> Hands:
    return [], []


def _mirrored(make: Maker) -> Hands:
    """Both hold the same ranks in different suits: equal points and sequences, sometimes several of them."""
    suits = make.suits()
    first = make.pattern(make.rng.randint(3, 6))
    second = first if make.rng.random() < 0.5 else make.pattern(make.rng.randint(3, 6))
    mine = [suits[0] + rank for rank in first] + [suits[1] + rank for rank in second]
    return mine, [suits[2] + rank for rank in first] + [suits[3] + rank for rank in second]


def _quatorzes(make: Maker) -> Hands:
    """Three of a kind and more, of three ranks against one or two."""
    ranks = make.rng.sample(range(make.ranks - 5, make.ranks), make.rng.choice((4, 5)))
    sizes = [make.rng.choice((3, 4, 4)) for _ in ranks]
    sets = [
        [suit * make.ranks + rank for suit in make.rng.sample(range(4), size)]
        for rank, size in zip(ranks, sizes, strict=True)
    ]
    return list(chain(*sets[:3])), list(chain(*sets[3:]))


def _long_suits(make: Maker) -> Hands:
    """A suit of six cards or more against one of five or more."""
    suits = make.suits()
    mine = make.rng.sample(range(make.ranks), make.rng.randint(6, make.ranks))
    other = make.rng.sample(range(make.ranks), make.rng.randint(5, make.ranks))
    return [suits[0] + rank for rank in mine], [suits[1] + rank for rank in other]


def _runs(make: Maker) -> Hands:
    """Two runs of three to six cards each, so that a hand may stand wholly in combinations."""
    suits = make.suits()
    hands = []
    for pair in (suits[:2], suits[2:]):
        first = make.rng.randint(3, 6)
        sizes = (first, 12 - first if make.rng.random() < 0.7 and 12 - first <= make.ranks else 3)
        hands.append([suit + rank for suit, size in zip(pair, sizes, strict=True) for rank in make.window(size)])
    return hands[0], hands[1]


def _one_sided(make: Maker) -> Hands:
    """The highest cards, more or less, in one hand: capots, repiques, piques."""
    noise = make.rng.choice((0.0, 0.5, 2.0))
    strength = {card: card % make.ranks + make.rng.gauss(0, noise) for card in range(4 * make.ranks)}
    order = sorted(strength, key=strength.__getitem__, reverse=True)
    return order[:12], (order[-12:] if make.rng.random() < 0.5 else [])


def _one_strong_suit(make: Maker) -> Hands:
    """A high run of five and the best of the rest: about twenty in hand and the tricks to reach thirty."""
    suits = make.suits()
    run = [suits[0] + rank for rank in make.window(5, high=True)]
    others = [suit + make.ranks - high for suit in suits[1:] for high in (1, 2)]
    return run + others, []


def _quatorzes_against_quints(make: Maker) -> Hands:
    """All aces, kings and queens against two quints: under the actual order both a repique and a pique."""
    suits = make.suits()
    high = [suit + make.ranks - below for suit in suits for below in (1, 2, 3)]
    low = [suit + make.ranks - below for suit in suits[:2] for below in (4, 5, 6, 7, 8)]
    return high, low


def _planned(make: Maker, build: Callable[[Maker], Hands]) -> Deal:
    """A deck that makes the hands of `build` after the exchange, if each side discards its junk."""
    rng, pack = make.rng, 4 * make.ranks
    cores = build(make)
    if rng.random() < 0.5:
        cores = (cores[1], cores[0])
    taken = set(cores[0]) | set(cores[1])
    rest = [card for card in rng.sample(range(pack), pack) if card not in taken]
    final = []
    for core in cores:
        missing = 12 - len(core)
        final.append(core + rest[:missing])
        rest = rest[missing:]
    for hand in final:
        rng.shuffle(hand)
    most = pack - 24
    elder_takes = rng.randint(1, min(most - 1, 7 if pack == 36 else 5))
    younger_takes = rng.randint(1, most - elder_takes)
    junk = (rest[:elder_takes], rest[elder_takes : elder_takes + younger_takes])
    left = rest[elder_takes + younger_takes :]
    dealt = [final[role][len(junk[role]) :] + junk[role] for role in range(2)]
    drawn = [final[role][: len(junk[role])] for role in range(2)]
    return Deal([*dealt[0], *dealt[1], *drawn[0], *drawn[1], *left], (frozenset(junk[0]), frozenset(junk[1])))


def _cartes_blanches(make: Maker) -> Deal:
    """A hand without court cards for elder or younger; with 36 cards sometimes for both."""
    rng, pack = make.rng, 4 * make.ranks
    plain = [card for card in range(pack) if card % make.ranks not in range(make.ranks - 4, make.ranks - 1)]
    plain = rng.sample(plain, len(plain))
    others = [card for card in rng.sample(range(pack), pack) if card not in plain[:12]]
    if pack == 36 and rng.random() < 0.5:
        deck = plain + [card for card in others if card not in plain]
    else:
        deck = plain[:12] + others
    if rng.random() < 0.5:
        deck = deck[12:24] + deck[:12] + deck[24:]
    return Deal(deck, (frozenset(), frozenset()))


DECKS: Wheel[Callable[[Maker], Hands] | None] = Wheel(
    {
        _shuffled: 5,
        _mirrored: 5,
        _quatorzes: 2,
        _long_suits: 2,
        _runs: 2,
        _one_sided: 3,
        _one_strong_suit: 2,
        _quatorzes_against_quints: 1,
        None: 1.5,  # cartes blanches, which belong to the hand as dealt
    }
)


def draw_deck(rng: random.Random, pack: int) -> Deal:
    """A deck of one of the kinds above."""
    make = Maker(rng, pack // 4)
    build = DECKS.draw(rng)
    return _cartes_blanches(make) if build is None else _planned(make, build)


# -- styles of play ---------------------------------------------------------------------------------------------------

EXCHANGE = Wheel({"planned": 6.0, "few": 1.0, "any": 2.0})
TALK = Wheel({"any": 3.0, "claim": 2.0, "best": 4.0, "sink": 1.5, "good": 1.0, "equal": 1.5})
CARD_PLAY = Wheel({"any": 3.0, "high": 2.0, "low": 2.0})


class Style(NamedTuple):
    """How a role decides in one deal.

    exchange: "planned" discards the junk of the deck, "few" draws as soon as it may
    talk:     "claim" claims what it can and replies with the most it may; "best" likewise, and calls its best; "sink"
              mostly passes and replies good; "good" and "equal" claim, and reply so where they may
    cards:    "high" plays its highest lawful card, "low" its lowest, now and then another
    Everything else is drawn evenly from what is legal.
    """

    exchange: str
    talk: str
    cards: str


def draw_style(rng: random.Random) -> Style:
    """A style by the weights above."""
    return Style(EXCHANGE.draw(rng), TALK.draw(rng), CARD_PLAY.draw(rng))


class DealPlan(NamedTuple):
    """A deal, the style of each role, and the seed of their choices."""

    deal: Deal
    styles: tuple[Style, Style]
    seed: int


@dataclass
class PartiePlan:
    """The plan of a partie: deals are drawn when they are needed, each from the seed and its number."""

    rules: Rules
    start: Start
    seed: int
    mirrored: int = 0
    """A deal that repeats the plan of the one before it, with the seats exchanged; 0 none."""
    _deals: dict[int, DealPlan] = field(default_factory=dict)

    def deal(self, number: int) -> DealPlan:
        """The plan of one deal."""
        if number not in self._deals:
            if number == self.mirrored:
                self._deals[number] = self.deal(number - 1)
            else:
                rng = random.Random(self.seed * 1000 + number)
                deal = draw_deck(rng, self.rules.pack)
                self._deals[number] = DealPlan(deal, (draw_style(rng), draw_style(rng)), rng.getrandbits(48))
        return self._deals[number]

    def deck(self, number: int) -> Cards:
        """The deck of one deal."""
        return self.deal(number).deal.deck


@lru_cache
def _kinds(pack: int) -> list[str]:
    return [action.kind for action in action_table(pack)]


@lru_cache
def _id_of(words: str, pack: int) -> int:
    return next(action.id for action in action_table(pack) if action.words == words)


class Chooser:
    """Chooses a legal action by the plan; it never looks at totals, so that a rehearsal goes the same way."""

    def __init__(self, plan: PartiePlan) -> None:
        self.plan = plan
        self.pack = plan.rules.pack
        self.ranks = plan.rules.ranks
        self._number = -1
        self._rng = random.Random()
        self._done = _id_of("done", self.pack)
        self._equal = _id_of("equal", self.pack)
        self._draw = _id_of("draw", self.pack)

    def choose(self, cells: list[int], legal: list[int]) -> int:
        """One of the legal ids."""
        plan = self.plan.deal(cells[DEAL_NUMBER])
        if cells[DEAL_NUMBER] != self._number:
            self._number = cells[DEAL_NUMBER]
            self._rng = random.Random(plan.seed)
        if len(legal) == 1:
            return legal[0]
        role = YOUNGER if cells[TO_ACT] == cells[DEALER] else ELDER
        style, phase = plan.styles[role], cells[PHASE]
        if phase == Phase.PLAY:
            return self._choose_card(style.cards, legal)
        if phase == Phase.EXCHANGE:
            return self._choose_discard(style.exchange, legal, plan.deal.junk[role], cells[PENDING])
        if phase in (Phase.REPLY, Phase.DETAIL_REPLY):
            return self._choose_reply(style.talk, legal)
        if phase in (Phase.CALL, Phase.FURTHER, Phase.DECLARE):
            return self._choose_claim(style.talk, legal, cells, role)
        if phase == Phase.CARTE_BLANCHE:
            return legal[self._rng.random() < 0.3]
        return self._rng.choice(legal)

    def _choose_card(self, style: str, legal: list[int]) -> int:
        if style == "any" or self._rng.random() < 0.05:
            return self._rng.choice(legal)
        order = sorted(legal, key=lambda card: card % self.ranks)
        return order[-1 if style == "high" else 0]

    def _choose_discard(self, style: str, legal: list[int], junk: frozenset[int], pending: int) -> int:
        if style == "planned" and junk:
            for action in legal:
                if action - self.pack in junk:
                    return action
        if style != "any" and self._draw in legal and (pending or style == "few"):
            return self._draw
        return self._rng.choice(legal)

    def _choose_reply(self, style: str, legal: list[int]) -> int:
        if style in ("good", "sink"):
            return legal[0]
        if style == "equal" and self._equal in legal:
            return self._equal
        if style == "any":
            return self._rng.choice(legal)
        return legal[-1]

    def _choose_claim(self, style: str, legal: list[int], cells: list[int], role: int) -> int:
        rng, done = self._rng, self._done
        if cells[COMPOSING]:
            # Speak the claim as it stands, or go on withholding.
            whole = style == "best" or rng.random() < 0.4
            return done if whole and done in legal else rng.choice(legal)
        if style == "sink" and done in legal and rng.random() < 0.8:
            return done
        claims = legal if style == "any" else [action for action in legal if action != done]
        if style == "best" and cells[PHASE] == Phase.CALL:
            return max(claims, key=lambda action: self._strength(action, cells[HANDS][role], cells[CATEGORY]))
        return rng.choice(claims)

    def _strength(self, action: int, hand: int, category: int) -> tuple[int, int]:
        """The number of cards of a combination that is held whole, and a number that tells equal ones apart."""
        operand = action_table(self.pack)[action].operand
        cards = [card for card in range(self.pack) if hand >> card & 1]
        names = "6789TJQKA"[9 - self.ranks :]
        if category == 0:
            return sum(card // self.ranks == "SHDC".index(operand) for card in cards), action
        if category == 2:
            return sum(names[card % self.ranks] == operand for card in cards), action
        top = "SHDC".index(operand[0]) * self.ranks + names.index(operand[1])
        lowest = top
        while lowest % self.ranks and hand >> (lowest - 1) & 1:
            lowest -= 1
        return top - lowest, top % self.ranks


# -- plans ------------------------------------------------------------------------------------------------------------


class Rehearsal(NamedTuple):
    """What a deal played by the engine alone came to: its log, its points by seat, and the seat of younger."""

    log: list[Entry]
    points: list[int]
    dealer: int


def rehearse(plan: PartiePlan) -> Rehearsal:
    """Play the first deal of a plan at the engine alone, from no points at all and with no game to be won."""
    rules = plan.rules.replace(target=100_000) if plan.rules.form == "au_cent" else plan.rules
    engine = Engine(rules, plan.start._replace(totals=(0, 0)), plan.deck)
    chooser = Chooser(plan)
    while engine.cells[DEALS_ENDED] == 0:
        if engine.cells[PHASE] == DEAL_OVER:
            engine.deal()
        else:
            engine.apply(chooser.choose(engine.cells, engine.legal()))
    return Rehearsal(engine_log(engine.cells), engine.cells[DEAL_POINTS], engine.cells[DEALER])


def draw_plan(seed: int, presets: Sequence[str] = ()) -> PartiePlan:
    """The plan of a partie; about one in five is steered by a rehearsal to a tie, or to a chosen end of a game."""
    rng = random.Random(seed)
    rules = draw_rules(rng, presets)
    plan = PartiePlan(rules, _draw_start(rng, rules), rng.getrandbits(40))
    if rules.form == "rubicon":
        return _steer_to_tie(rng, plan) if rng.random() < 0.2 else plan
    if rng.random() < 0.6:
        steer = _steer_to_target if rules.au_cent_stop == "immediate" else _steer_to_equal_totals
        return steer(rng, plan)
    return plan


def _draw_start(rng: random.Random, rules: Rules) -> Start:
    """The usual start, or somewhere in the middle; of the seed only the cut is used."""
    usual = Start(rng.getrandbits(40), rng.randrange(100), dealer=rng.choice((None, None, 0, 1)))
    if rng.random() < 0.4:
        return usual
    dealer = rng.randrange(2)
    if rules.form == "au_cent":
        totals = (rng.randrange(rules.target), rng.randrange(rules.target))
        games = (rng.randrange(rules.games), rng.randrange(rules.games))
        return usual._replace(deal_number=rng.randint(1, 9), totals=totals, games=games, dealer=dealer)
    number = rng.randint(1, rules.deals + extra_deals(rules))
    totals = (rng.randrange(40 * number), rng.randrange(40 * number))
    if number == rules.deals + 1:
        totals = (totals[0], totals[0])  # it is played only after a tie
    return usual._replace(deal_number=number, totals=totals, dealer=usual.dealer if number == 1 else dealer)


def _steer_to_tie(rng: random.Random, plan: PartiePlan) -> PartiePlan:
    """Begin at the last deal with totals that it makes equal; half the time the deals that follow are equal, too.

    Two further deals with the same decks and the same choices, seats exchanged, come to nothing. One further deal must
    itself be equal, so some seeds are tried.
    """
    rules = plan.rules
    last = rules.deals
    dealer = rng.randrange(2)
    start = plan.start._replace(deal_number=last, totals=(0, 0), dealer=dealer)
    drawn_again = rng.random() < 0.5
    mirrored = last + 2 if rules.tie_break == "two_deals" and drawn_again else 0
    plan = PartiePlan(rules, start, plan.seed, mirrored)
    if rules.tie_break == "seventh_deal" and drawn_again:
        for _ in range(40):
            extra = start._replace(deal_number=last + 1, dealer=1 - dealer)
            points = rehearse(PartiePlan(rules, extra, plan.seed)).points
            if points[0] == points[1]:
                break
            plan = PartiePlan(rules, start, rng.getrandbits(40))
    points = rehearse(plan).points
    base = max(points) + rng.randrange(100)
    return PartiePlan(rules, start._replace(totals=(base - points[0], base - points[1])), plan.seed, mirrored)


def _steer_to_target(rng: random.Random, plan: PartiePlan) -> PartiePlan:
    """Begin the deal with totals such that a chosen entry of its log brings one of them to the target."""
    log, _, dealer = rehearse(plan)
    kinds = sorted({kind for _, _, kind in log})
    role, (own, other) = _reach_entry(log, rng.choice(kinds), rng)
    target = plan.rules.target
    totals = [target - own, rng.randrange(max(1, target - other))]
    if totals[0] < 0 or other >= target:
        return plan
    seat = dealer if role == "younger" else 1 - dealer
    return PartiePlan(plan.rules, plan.start._replace(totals=_in_seats(totals, seat)), plan.seed)


def _reach_entry(log: Iterable[Entry], kind: str, rng: random.Random) -> tuple[str, tuple[int, int]]:
    """The role of an entry of a class, the points that lead just to it or a little less, and the other's points."""
    points = {"elder": 0, "younger": 0}
    found: list[Any] = []
    for role, worth, entry_kind in log:
        points[role] += worth
        if entry_kind == kind:
            other = points["younger" if role == "elder" else "elder"]
            found.append((role, (points[role] - rng.randrange(worth), other)))
    return rng.choice(found)


def _in_seats(totals: Sequence[int], seat: int) -> tuple[int, int]:
    """The first of two totals at `seat`, the second at the other."""
    return (totals[0], totals[1]) if seat == 0 else (totals[1], totals[0])


def _steer_to_equal_totals(rng: random.Random, plan: PartiePlan) -> PartiePlan:
    """Begin the deal with totals that it makes equal, at the target or above it."""
    points = rehearse(plan).points
    target = plan.rules.target
    level = target + rng.randrange(20)
    totals = (level - points[0], level - points[1])
    if not all(0 <= total < target for total in totals):
        return plan
    return PartiePlan(plan.rules, plan.start._replace(totals=totals), plan.seed)
