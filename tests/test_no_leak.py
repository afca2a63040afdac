"""Nothing that a seat sees tells it more than the laws do.

Every deal is played twice and more: in the true world, and in worlds with other hidden cards and other unspoken
decisions in which a seat has seen and heard the same (tests/worlds.py). Its observation, mask, info and picture must
then be the same to the bit, at every point of the deal, whether it is to act or not.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import pytest

from piquet_env.aec import AGENTS, raw_env
from piquet_env.game import Game
from piquet_env.observation import decode
from piquet_env.rules.actions import first_id, parse_action
from piquet_env.rules.cards import cards_in, parse_hand
from piquet_env.rules.shuffle import deck_of
from piquet_env.rules.state import DECLARE, Phase
from piquet_env.rules.variants import PRESETS, Rules
from tests.hearing import Entry, Holder, peek
from tests.steering import draw_rules
from tests.worlds import Finder, Goal, Line, Point, play_line, walk

RULE_SETS = (
    *PRESETS,
    "rubicon sinking=partial",
    "rubicon sinking=none",
    "rubicon sinking=none younger_declares=in_turn show_scored=never",
    "rubicon show_scored=never carte_rouge=20",
    "rubicon point_call=number_and_pips sequence_call=length_and_top",
    "cavendish show_scored=never younger_declares=in_turn",
    "cavendish sequence_call=length point_call=number_and_pips undercall_lock=none",
    "swedish sinking=partial carte_blanche_claim=optional show_scored=never carte_rouge=20",
    "german leftover_reveal=after_last_trick younger_cb_announce=after_elder_exchange",
    "au_cent carte_blanche_claim=automatic sinking=partial undercall_lock=absolute",
    "au_cent_36 carte_blanche_show=after_opponent_discards younger_cb_announce=after_elder_exchange",
    "au_cent_36 sinking=partial au_cent_stop=end_of_deal show_scored=never",
)
INFO_KEYS = {"seat", "role", "phase", "turn", "deal_number", "score", "totals", "games"}


class Sight(NamedTuple):
    """All that a seat sees at one point, as bytes and plain values."""

    observation: bytes
    mask: bytes
    info: tuple[tuple[str, Any], ...]
    text: str


class LeakError(AssertionError):
    """Something that a seat sees differs between two worlds that it cannot tell apart."""


def see(game: Game, seat: int, *, text: bool) -> Sight:
    """What a seat sees of a game; the picture takes most of the time and is left out where it is not wanted."""
    return Sight(
        game.observation(seat).tobytes(),
        game.action_mask(seat).tobytes(),
        tuple(game.info(seat).items()),
        game.text(seat) if text else "",
    )


Heard = tuple[Entry, ...]
Key = tuple[Heard, bool]  # what a seat has heard, and whether it is to act


class Truth(NamedTuple):
    """What the seat cannot see: the other's hand, what was dealt and laid out, and whether the other has a choice."""

    hand: int
    others: tuple[Any, ...]
    forced: bool | None


class Tally:
    """What has been exchanged.

    cuts, worlds: points at which other worlds were looked for, and worlds found, by phase and whether the seat acts
    points:       points compared at which other cards are hidden; of these `hands` with another hand of the other
    forced:       of these, decisions of the other that are forced in one of the two worlds only
    waiting:      points compared at which the seat acts in one world and waits in the other
    unspoken:     decisions of the other that have not been heard, by phase
    """

    def __init__(self) -> None:
        self.cuts: Counter[tuple[str, bool]] = Counter()
        self.worlds: Counter[tuple[str, bool]] = Counter()
        self.points: Counter[tuple[str, bool]] = Counter()
        self.unspoken: Counter[str] = Counter()
        self.hands = self.other_steps = self.forced = self.waiting = 0

    def add(self, other: Tally) -> None:
        """Add what another tally has counted."""
        for name in ("cuts", "worlds", "points", "unspoken", "hands", "other_steps", "forced", "waiting"):
            setattr(self, name, getattr(self, name) + getattr(other, name))


class Story:
    """A line with what a seat sees at each of its points.

    sights: by what it has heard, whether it is to act or waits, for the other's unspoken steps change nothing; it sees
            only that it is itself asked about its carte blanche
    masks, truths: by what it has heard and whether it is to act
    """

    def __init__(self, line: Line, seat: int, tally: Tally) -> None:
        self.line, self.seat, self.tally = line, seat, tally
        self.role = line.roles[seat]
        self.sights: dict[tuple[Heard, bool], Sight] = {}
        self.masks: dict[Key, bytes] = {}
        self.truths: dict[Key, Truth] = {}
        self.phases: list[str] = []
        self.keys: list[Key] = []
        for place, point in enumerate(walk(line)):
            self._enter(place, point)

    def _enter(self, place: int, point: Point) -> None:
        key, phase = self.key(point), phase_of(point)
        if self.keys and key == self.keys[-1]:
            self.tally.unspoken[self.phases[-1]] += 1
        first = self.sights.get(self.place_of(point))
        sight = see(point.game, self.seat, text=first.text != "" if first else place % 5 == 0)
        self.sights.setdefault(self.place_of(point), sight)
        self.masks.setdefault(key, sight.mask)
        self.check(point, sight)
        if any(sight.mask) != key[1] and not point.is_over:
            raise LeakError(f"{phase}: the mask is not that of a seat that {'acts' if key[1] else 'waits'}")
        self.truths[key] = self.truth(point)
        self.keys.append(key)
        self.phases.append(phase)

    def key(self, point: Point) -> Key:
        """What the seat has heard at a point, and whether it is to act."""
        return point.hearing.heard[self.role], point.acts(self.seat)

    def place_of(self, point: Point) -> tuple[Heard, bool]:
        """What the seat has heard, and whether it is asked about its carte blanche."""
        heard, acts = self.key(point)
        return heard, acts and phase_of(point) == "CARTE_BLANCHE"

    def truth(self, point: Point) -> Truth:
        """What the seat cannot see at a point."""
        hearing, other = point.hearing, 1 - self.role
        waits = point.is_over or point.acts(self.seat)
        others = (hearing.dealt[other], hearing.discards[other], hearing.talon)
        return Truth(hearing.hands[other], others, None if waits else point.game.is_forced)

    def check(self, point: Point, sight: Sight) -> None:
        """Raise LeakError where a sight is not the one that belongs to what has been heard."""
        mine = self.sights[self.place_of(point)]
        if sight._replace(mask=mine.mask) != mine:
            raise LeakError(f"{phase_of(point)}: {describe_difference(mine, sight)}")
        if self.masks.get(self.key(point), sight.mask) != sight.mask:
            raise LeakError(f"{phase_of(point)}: mask")

    def compare(self, world: Line) -> None:
        """Compare every point of another world that is a point of this one."""
        for point in walk(world, seed=self.line.start.seed + 1):
            mine = self.sights.get(self.place_of(point))
            if mine is None:
                continue
            self.check(point, see(point.game, self.seat, text=mine.text != ""))
            key, here = self.key(point), self.truth(point)
            truth = self.truths.get(key)
            if truth is not None and truth[:2] != here[:2]:
                self.tally.points[phase_of(point), key[1]] += 1
                self.tally.hands += truth.hand != here.hand
                self.tally.forced += truth.forced != here.forced
            self.tally.waiting += truth is None


def phase_of(point: Point) -> str:
    """The true phase of a point."""
    return "OVER" if point.is_over else Phase(int(peek(point.game)["phase"])).name


def describe_difference(mine: Sight, other: Sight) -> str:
    """Return in words where two sights differ."""
    found = []
    if mine.observation != other.observation:
        one, two = (decode(np.frombuffer(sight.observation, dtype=np.float32)) for sight in (mine, other))
        found += [f"{name} {one[name]} {two[name]}" for name in one if not np.array_equal(one[name], two[name])]
    found += [f"{one} {two}" for one, two in zip(mine.info, other.info, strict=True) if one != two]
    if mine.text != other.text:
        found.append(f"text\n{mine.text}\n{other.text}")
    return "; ".join(found)


def draw_cuts(story: Story, rng: random.Random, most: int) -> list[int]:
    """Points of a story, of as many kinds as there are: by phase and whether the seat is to act."""
    kinds: dict[tuple[str, bool, int], list[int]] = {}
    for place, (phase, key) in enumerate(zip(story.phases, story.keys, strict=True)):
        # The play is long: its thirds are kinds of their own.
        third = sum(entry[0] == "plays" for entry in key[0]) // 4 if phase == "PLAY" else 0
        kinds.setdefault((phase, key[1], third), []).append(place)
    chosen = [rng.choice(places) for places in kinds.values()]
    return sorted(rng.sample(chosen, min(most, len(chosen))))


Choose = Callable[[Story, random.Random, int], list[int]]


def prove_line(
    line: Line, rng: random.Random, tally: Tally, *, cuts: int = 6, proposals: int = 8, choose: Choose = draw_cuts
) -> None:
    """Compare other worlds for both seats at some points of a line; at some also what the environment gives."""
    for seat in (0, 1):
        story = Story(line, seat, tally)
        chosen = choose(story, rng, cuts)
        for place, point in enumerate(walk(line)):
            if place not in chosen:
                continue
            goal = Goal(seat, *story.keys[place])
            kind = (story.phases[place], goal.acts)
            own_turns = {heard for heard, acts in story.keys if acts}
            found = list(Finder(line, goal, point, rng, own_turns).worlds(proposals))
            for world in found[-3:]:
                story.compare(world)
                tally.other_steps += len(world.actions) != place
            tally.cuts[kind] += 1
            tally.worlds[kind] += len(found[-3:])
            if found and rng.random() < 0.15:
                here = line._replace(actions=line.actions[:place])
                assert environment_sight(found[-1], seat) == environment_sight(here, seat)


def environment_sight(line: Line, seat: int) -> tuple[Any, ...]:
    """What the AEC environment gives to a seat at the end of a line, as bytes and plain values."""
    game = line.begin()
    env = raw_env(rules=line.rules, render_mode="ansi", render_seat=seat)
    start = {name: getattr(game.start, name) for name in ("decks", "totals", "games", "deal_number", "dealer")}
    env.reset(seed=1, options=start)
    for action in line.actions:
        env.step(action)
    agent = AGENTS[seat]
    observed, info = env.observe(agent), dict(env.infos[agent])
    assert info["action_mask"].tobytes() == observed["action_mask"].tobytes()
    assert info.keys() - {"settlement", "crossed_rubicon"} == INFO_KEYS | {"action_mask"}
    info["action_mask"] = observed["action_mask"].tobytes()
    return observed["observation"].tobytes(), tuple(info.items()), env.render()


@lru_cache
def tally_of(name: str, lines: int) -> Tally:
    """Prove some lines under some rules; a leak raises."""
    return prove_lines(Rules.parse(name), random.Random(name), lines)


def prove_lines(rules: Rules, rng: random.Random, lines: int) -> Tally:
    """Prove some lines that are drawn under these rules."""
    tally = Tally()
    for _ in range(lines):
        prove_line(play_line(rules, rng), rng, tally)
    return tally


LINES = 6  # deals for each set of rules


@pytest.mark.slow
@pytest.mark.parametrize("name", RULE_SETS)
def test_other_worlds_look_the_same(name: str) -> None:
    tally = tally_of(name, LINES)
    assert tally.worlds.total() >= 40
    assert tally.points.total() >= 300
    assert tally.hands >= 200


ACTING = ("CARTE_BLANCHE", "EXCHANGE", "CALL", "REPLY", "DETAIL_REPLY", "FURTHER", "DECLARE", "LEFTOVERS", "PLAY")


@pytest.mark.slow
def test_no_phase_is_left_out() -> None:
    total = Tally()
    for name in RULE_SETS:
        total.add(tally_of(name, LINES))
    print_tally(total)
    for phase in ACTING:
        for acts in (True, False):
            assert total.worlds[phase, acts] >= 10, (phase, acts)
            assert total.points[phase, acts] >= 30, (phase, acts)
    assert total.worlds["OVER", False] >= 20
    # Neither the number of decisions nor whether one was forced can be told from what is seen.
    assert total.other_steps >= 100
    assert total.forced >= 100
    assert total.waiting >= 10
    for phase in ("EXCHANGE", "CALL", "DECLARE", "FURTHER", "LEFTOVERS"):
        assert total.unspoken[phase] >= 10, phase


def print_tally(tally: Tally) -> None:
    """Print what has been exchanged, for `pytest -s`."""
    print(f"\n{'phase':<16}{'acts':<7}{'cuts':>6}{'worlds':>8}{'points':>8}")
    for kind in sorted(tally.points):
        print(f"{kind[0]:<16}{kind[1]!s:<7}{tally.cuts[kind]:>6}{tally.worlds[kind]:>8}{tally.points[kind]:>8}")
    print(f"points with another hand {tally.hands}, another number of decisions {tally.other_steps}")
    print(
        f"acting in one world only {tally.waiting}, forced in one only {tally.forced}; not heard {dict(tally.unspoken)}"
    )


@pytest.mark.slow
def test_other_worlds_look_the_same_under_any_rules() -> None:
    rng, tally = random.Random(0), Tally()
    for _ in range(40):
        prove_line(play_line(draw_rules(rng, ()), rng), rng, tally, cuts=4)
    assert tally.worlds.total() >= 200


def holds_a_bonus(line: Line) -> bool:
    """Whether something is booked before younger's first card of which elder may not yet hear."""
    game = line.begin()
    for action in line.actions:
        game.apply(action)
        row = peek(game)
        if row["tricks_played"] == 0 and row["led"] >= 0 and (row["held_bonus"].any() or row["held_rouge"].any()):
            return True
    return False


def draw_cuts_behind_lead(story: Story, rng: random.Random, most: int) -> list[int]:
    """Points at which elder has led to the first trick and waits for younger's answer."""
    pack = story.line.rules.pack
    waits = []
    for place, (heard, acts) in enumerate(story.keys):
        has_led = any(entry[0] == "I" and entry[1] < pack for entry in heard)
        if story.role == 0 and has_led and not acts and not any(entry[0] == "plays" for entry in heard):
            waits.append(place)
    return sorted(rng.sample(waits, min(most, len(waits))))


def lines_with_a_held_bonus(name: str, tries: int) -> list[Line]:
    """The lines among `tries` in which a bonus rests on younger's silence."""
    rng = random.Random(name)
    lines = (play_line(Rules.parse(name), rng) for _ in range(tries))
    return [line for line in lines if holds_a_bonus(line)]


def prove_behind_lead(lines: list[Line], rng: random.Random, tally: Tally) -> None:
    """Compare other worlds where elder waits for younger's answer."""
    for line in lines:
        prove_line(line, rng, tally, cuts=3, proposals=12, choose=draw_cuts_behind_lead)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["rubicon", "german", "rubicon show_scored=never carte_rouge=20", "cavendish bonus_order=actual"]
)
def test_a_bonus_that_rests_on_silence_is_not_heard_early(name: str) -> None:
    lines, rng, tally = lines_with_a_held_bonus(name, 400), random.Random(1), Tally()
    assert len(lines) >= 3
    prove_behind_lead(lines[:12], rng, tally)
    assert tally.worlds.total() >= 5


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(20))
def test_other_worlds_look_the_same_at_length(seed: int) -> None:
    rng, tally = random.Random(seed + 1000), Tally()
    for _ in range(100):
        rules = Rules.parse(rng.choice(RULE_SETS)) if rng.random() < 0.5 else draw_rules(rng, ())
        prove_line(play_line(rules, rng), rng, tally, cuts=10, proposals=12)
    print_tally(tally)


@pytest.mark.nojit
def test_other_worlds_look_the_same_at_first_sight() -> None:
    rng, tally = random.Random(1), Tally()
    prove_line(play_line(Rules.preset("cavendish"), rng), rng, tally, cuts=3, proposals=3)
    assert tally.worlds.total() >= 3


def test_the_choice_of_the_dealer_sees_no_card() -> None:
    games = [Game("rubicon first_dealer=choose", seed=3, decks=[deck_of(seed, 0, 1)]) for seed in range(20)]
    for seat in (0, 1):
        assert len({see(game, seat, text=True) for game in games}) == 1


# -- steps that are not heard -----------------------------------------------------------------------------------------

BLANK = "S:AT9 H:AT9 D:AT9 C:AT9"  # a carte blanche


def game_with(rules: str, elder: str, younger: str = "", *, seed: int = 1) -> Game:
    """A game in which seat 0 is elder, with some cards in the two hands and any others."""
    ranks = Rules.of(rules).ranks
    named = [cards_in(parse_hand(hand, ranks), ranks) for hand in (elder, younger)]
    rest = [card for card in deck_of(seed, 0, 1, 4 * ranks).tolist() if card not in named[0] + named[1]]
    hands = []
    for cards in named:
        missing = 12 - len(cards)
        hands += cards + rest[:missing]
        rest = rest[missing:]
    return Game(rules, seed=1, decks=[np.array(hands + rest, dtype=np.int8)], dealer=1)


def say(game: Game, *words: str) -> None:
    """Apply actions in words."""
    for word in words:
        game.apply(parse_action(word, game.rules.pack))


def exchange(game: Game, card: str) -> None:
    """Exchange one card."""
    say(game, f"discard {card}", "draw")


def test_carte_blanche_kept_silent_is_not_heard() -> None:
    game = game_with("rubicon", BLANK)
    before = see(game, 1, text=True)
    say(game, "silent")
    assert see(game, 1, text=True) == before
    other = game_with("rubicon", "S:K", seed=2)
    assert not other.action_mask(0)[first_id("silent")]


def test_being_asked_for_a_carte_blanche_is_not_heard() -> None:
    game = game_with("rubicon", "S:KQJ", BLANK)
    before = see(game, 0, text=True)
    assert game.to_act == 1
    assert game.info(0)["phase"] == "exchange elder"
    assert game.info(0)["turn"] == 0
    say(game, "silent")
    assert game.to_act == 0
    after = see(game, 0, text=True)
    assert after._replace(mask=b"") == before._replace(mask=b"")  # the mask alone is that of a seat to act


def test_discards_being_laid_out_are_not_heard() -> None:
    game = game_with("rubicon", "S:789TJ")
    before = see(game, 1, text=True)
    for card in ("S7", "S8", "S9"):
        say(game, f"discard {card}")
        assert see(game, 1, text=True) == before
    say(game, "draw")
    assert see(game, 1, text=False) != before._replace(text="")


def test_a_claim_being_composed_is_not_heard() -> None:
    game = game_with("rubicon sinking=partial", "S:AKQJT9 C:7", "D:7")
    exchange(game, "C7")
    exchange(game, "D7")
    before = see(game, 1, text=True)
    for words in ("point S", "withhold S9", "withhold SK"):
        say(game, words)
        assert see(game, 1, text=True) == before
    say(game, "done")
    assert decode(game.observation(1))["call_length"][0] * 9 == pytest.approx(4)


def test_a_further_claim_considered_and_declined_is_not_heard() -> None:
    game = game_with("rubicon", "S:AKQJ H:J987 C:AKQ7", "D:789TJQKA")
    exchange(game, "C7")
    exchange(game, "D7")
    say(game, "done", "sequence SA", "good")
    assert peek(game)["phase"] == Phase.FURTHER
    before = see(game, 1, text=True)
    assert game.info(1)["phase"] == "call"
    say(game, "done")
    assert peek(game)["phase"] == Phase.CALL
    assert see(game, 1, text=True) == before


def test_a_declaration_considered_and_declined_is_not_heard() -> None:
    game = game_with("rubicon", "S:AKQ H:AKQ C:AKQ7", "D:789TJQKA C:T H:TJ")
    exchange(game, "C7")
    exchange(game, "D7")
    say(game, "done", "done", "done", "play SA")  # elder sinks all of it
    before = see(game, 0, text=True)
    silences = 0
    while peek(game)["phase"] == DECLARE:
        say(game, "done")
        silences += 1
        assert see(game, 0, text=True) == before
    assert silences == 3
    assert game.info(0)["phase"] == "declare"


def test_the_order_of_scoring_tells_no_suit() -> None:
    """Without showing, two sequences of younger's look the same whichever comes first in the order of suits."""
    elder = cards_in(parse_hand("S:AK H:AKQ9 D:AK C:AKQ7"))
    sights = []
    for low, high in (("S", "D"), ("D", "S")):
        younger = cards_in(parse_hand(f"{low}:987 {high}:QJT H:JT7 C:JT8"))
        talon = cards_in(parse_hand("C:9")) + cards_in(parse_hand("H:8"))
        rest = [card for card in range(32) if card not in elder + younger + talon]
        deck = np.array(elder + younger + talon + rest, dtype=np.int8)
        game = Game("rubicon show_scored=never elder_max=1", seed=1, decks=[deck], dealer=1)
        exchange(game, "C7")
        exchange(game, "H7")
        say(game, "done", "done", "done", "play CA", "done", "sequence S" + ("9" if low == "S" else "Q"))
        say(game, "sequence D" + ("Q" if low == "S" else "9"), "done")
        sights.append(see(game, 0, text=True))
    assert "tierce to the queen = 3, tierce to the nine = 3" in sights[0].text
    assert sights[0] == sights[1]


# -- forced decisions and counts --------------------------------------------------------------------------------------


def test_info_holds_plain_facts_and_no_count() -> None:
    game = Game("rubicon", seed=5)
    for seat in (0, 1):
        info = game.info(seat)
        assert info.keys() == INFO_KEYS
        assert all(isinstance(value, (int, str, tuple, type(None))) for value in info.values())


def decisions_of(
    name: str, seed: int, *, skip_forced: bool, choose: Callable[[list[int]], int]
) -> list[tuple[Any, ...]]:
    """What the environment gives to the agents at decisions that are not forced, in one partie."""
    env = raw_env(rules=name, skip_forced=skip_forced, reward="deal_points")
    env.reset(seed=seed)
    seen = []
    rewards = Counter[str]()
    while not env.game.is_over:
        legal = env.game.legal_actions()
        for agent, reward in env.rewards.items():
            rewards[agent] += reward
        if len(legal) > 1:
            agent = env.agent_selection
            observed, info = env.observe(agent), dict(env.infos[agent])
            info["action_mask"] = info["action_mask"].tobytes()
            seen.append((agent, observed["observation"].tobytes(), tuple(info.items()), dict(rewards)))
        env.step(choose(legal) if len(legal) > 1 else legal[0])
    return seen


@pytest.mark.parametrize("name", ["rubicon", "cavendish", "swedish", "au_cent_36"])
def test_skipping_forced_decisions_changes_nothing_that_is_seen(name: str) -> None:
    plain, skipping = (
        decisions_of(name, 4, skip_forced=skip, choose=random.Random(4).choice) for skip in (False, True)
    )
    assert len(plain) > 100
    assert plain == skipping


# -- that a leak is found ---------------------------------------------------------------------------------------------

Leak = Callable[[Game, int, dict[str, np.ndarray]], None]


def tell_the_hand(game: Game, seat: int, blocks: dict[str, np.ndarray]) -> None:
    """The other's hand as cards known to be there."""
    other = game.state["hands"][other_role(game, seat)]
    blocks["other_known"][:] = [int(other) >> card & 1 for card in range(game.rules.pack)]


def tell_the_lost_sequence(game: Game, seat: int, blocks: dict[str, np.ndarray]) -> None:
    """The status of the sequences shows whether younger held one when he said that elder's is good."""
    ranks = game.rules.ranks
    holder = Holder(game.rules)
    younger = int(game.state["hands"][1])
    if blocks["reply"][3] and holder.claims(1, younger) and ranks:
        blocks["status"][5] = 1


def tell_the_discards(game: Game, seat: int, blocks: dict[str, np.ndarray]) -> None:
    """How many cards the other has laid out so far."""
    pending = bin(int(game.state["pending"])).count("1")
    if game.to_act != seat:
        blocks["other_taken"][:] = max(blocks["other_taken"][0], pending / 12)


def tell_the_phase(game: Game, seat: int, blocks: dict[str, np.ndarray]) -> None:
    """The true phase in place of the public one, while elder considers a further claim."""
    if game.state["phase"] == Phase.FURTHER:
        blocks["phase"][:] = 0
        blocks["phase"][7] = 1


def tell_the_talon(game: Game, seat: int, blocks: dict[str, np.ndarray]) -> None:
    """The card at the bottom of the talon, seen by younger alone."""
    if blocks["elder"][0] == 0:
        blocks["leftovers"][int(game.state["talon"][game.rules.pack - 25])] = 1


def tell_the_steps(game: Game, seat: int, blocks: dict[str, np.ndarray]) -> None:
    """Whether the number of decisions so far is odd."""
    blocks["deals_left"][:] = len(game.actions) % 2


def other_role(game: Game, seat: int) -> int:
    """The role of the other seat."""
    return 1 if game.dealer != seat else 0


@pytest.mark.parametrize(
    "leak",
    [tell_the_hand, tell_the_lost_sequence, tell_the_discards, tell_the_phase, tell_the_talon, tell_the_steps],
)
def test_a_leak_of_the_observation_is_found(leak: Leak, monkeypatch: pytest.MonkeyPatch) -> None:
    observation = Game.observation

    def leaky(self: Game, seat: int) -> np.ndarray:
        vector = observation(self, seat)
        leak(self, seat, decode(vector))
        return vector

    monkeypatch.setattr(Game, "observation", leaky)
    assert_found()


def test_a_leak_of_the_mask_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def leaky(self: Game, seat: int) -> np.ndarray:
        return self.turn()[2]

    monkeypatch.setattr(Game, "action_mask", leaky)
    assert_found()


def test_a_leak_of_the_info_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    info = Game.info

    def leaky(self: Game, seat: int) -> dict[str, Any]:
        return {**info(self, seat), "score": self.deal_scores}  # with a bonus that rests on younger's silence

    monkeypatch.setattr(Game, "info", leaky)
    lines, rng = lines_with_a_held_bonus("german", 400), random.Random(1)
    with pytest.raises(LeakError, match="score"):
        prove_behind_lead(lines, rng, Tally())


def assert_found() -> None:
    """Assert that some lines of the proof find the leak that has been made."""
    with pytest.raises(LeakError):
        prove_lines(Rules.preset("rubicon"), random.Random(8), 60)
