"""What search believes: the true hand is always among the hands, and the hands are those that brute force leaves."""

import itertools
from math import comb

import pytest

from agents.base import Agent
from agents.greedy_agent import GreedyAgent
from agents.random_agent import RandomAgent
from agents.search.belief import believe, sample_places
from agents.search.seen import Seen
from agents.view import View
from piquet_env.game import Game
from piquet_env.rules.cards import cards_in
from piquet_env.rules.variants import PRESETS, Rules
from tests.agents.sinking_agent import Sinker

MORE_RULES = (
    "rubicon sinking=none",
    "rubicon show_scored=never",
    "rubicon sinking=partial younger_declares=in_turn point_call=number_and_pips undercall_lock=none",
    "cavendish show_scored=never sets_from=J",
)
BOTS = (RandomAgent, GreedyAgent, Sinker, lambda: Sinker(share=0.9, wild=0.0))


def believing_positions(rules: Rules, parties: range, pairs=None):
    """Yield (seen, the other's true hand) at every decision of both seats behind the exchanges."""
    for partie in parties:
        first, second = (pairs or list(itertools.product(BOTS, BOTS)))[partie % 16]
        agents: list[Agent] = [first(), second()]
        for seat, agent in enumerate(agents):
            agent.reset(2 * partie + seat)
        game = Game(rules, seed=5, partie=partie)
        while not game.is_over:
            seat = game.to_act
            view = View(game.observation(seat), game.action_mask(seat), rules)
            state = game.state
            if state["drawn"].all():
                other = 0 if state["dealer"] == seat else 1  # a role: elder, where this seat deals
                yield Seen.of(view.observation, rules), int(state["hands"][other])
            game.apply(agents[seat].act(view))


def check_positions(rules: Rules, parties: range) -> int:
    positions = 0
    for seen, hand in believing_positions(rules, parties):
        belief = believe(seen)
        assert hand in belief.hands or not belief.exact
        assert (belief.weights > 0).all()
        assert len(set(belief.hands.tolist())) == len(belief.hands)
        positions += 1
    return positions


@pytest.mark.parametrize("name", [*PRESETS, *MORE_RULES])
def test_the_true_hand_is_never_excluded(name: str) -> None:
    assert check_positions(Rules.of(name), range(2)) > 100


@pytest.mark.thorough
@pytest.mark.parametrize("name", [*PRESETS, *MORE_RULES])
def test_the_true_hand_is_never_excluded_at_length(name: str) -> None:
    """Some 100,000 positions over all presets, every bot against every other."""
    assert check_positions(Rules.of(name), range(64)) > 6_000


# -- brute force: the default rules once more, with strings and lists -------------------------------------------------

RANKS = "789TJQKA"
PIPS = {"7": 7, "8": 8, "9": 9, "T": 10, "J": 10, "Q": 10, "K": 10, "A": 11}


def suits_of(hand: set[str]) -> list[str]:
    """The ranks held of each suit, from the lowest."""
    return ["".join(rank for rank in RANKS if suit + rank in hand) for suit in "SHDC"]


def points_of(hand: set[str]) -> list[tuple[int, int]]:
    """The longest suits: cards and pips."""
    suits = suits_of(hand)
    longest = max(len(suit) for suit in suits)
    return [(longest, sum(PIPS[rank] for rank in suit)) for suit in suits if len(suit) == longest >= 3]


def runs_of(hand: set[str]) -> list[tuple[int, int]]:
    """The unbroken runs of three and more: cards and top (seven 1 … ace 8)."""
    runs = []
    for suit in suits_of(hand):
        for start, end in itertools.combinations(range(9), 2):
            whole = RANKS[start:end]
            longer = [RANKS[max(start - 1, 0) : end], RANKS[start : end + 1]]
            if end - start >= 3 and whole in suit and not any(more in suit and more != whole for more in longer):
                runs.append((end - start, end))
    return runs


def sets_of(hand: set[str]) -> list[tuple[int, int]]:
    """The trios and quatorzes: cards and rank (ten 4 … ace 8)."""
    counts = [(sum(suit + rank in hand for suit in "SHDC"), place) for place, rank in enumerate("TJQKA", start=4)]
    return [(size, rank) for size, rank in counts if size >= 3]


def shows_all(category: int, hand: set[str], shown: set[str]) -> bool:
    """Whether nothing is missing from what has been shown: whole suits, whole runs, all of a rank."""
    hidden = hand - shown
    for card in shown:
        place = RANKS.index(card[1])
        near = [RANKS[other] for other in (place - 1, place + 1) if 0 <= other < 8]
        for other in hidden:
            same_suit = other[0] == card[0]
            if (same_suit, same_suit and other[1] in near, other[1] == card[1])[category]:
                return False
    return True


def could_say(hand: set[str], seen: Seen) -> bool:
    """Whether the holder of a hand could lawfully have said what the other has said."""
    facts = seen.facts
    for category, holdings in enumerate((points_of(hand), runs_of(hand), sets_of(hand))):
        name = ("point", "sequence", "set")[category]
        length, rank = int(facts["call_length"][category]), int(facts["call_rank"][category])
        rank = rank - (1 if category else 0) if rank else None
        if not shows_all(category, hand, named(seen.cards("other_" + name))):
            return False
        if seen.role == 1:
            if length and not any(size == length and rank in (None, top) for size, top in holdings):
                return False
            continue
        first = facts["reply"][3 * category : 3 * category + 3].tolist()
        second = facts["second_reply"][3 * category : 3 * category + 3].tolist()
        longer = any(size > length for size, _ in holdings)
        if category == 2:
            if first == [0, 0, 1] and not any((size, top) > (length, rank) for size, top in holdings):
                return False
            continue
        if first == [0, 0, 1] and not longer:
            return False
        if first == [0, 1, 0] and not any(size == length for size, _ in holdings):
            return False
        if second == [0, 0, 1] and not any(size == length and top > rank for size, top in holdings):
            return False
        if second == [0, 1, 0] and (length, rank) not in holdings:
            return False
    return True


def named(cards) -> set[str]:
    return {"SHDC"[card // 8] + RANKS[card % 8] for card in cards}


def follows(hand: set[str], seen: Seen) -> bool:
    """Whether the holder of a hand has followed suit where he could."""
    own, other = seen.facts["own_trick"].tolist(), seen.facts["other_trick"].tolist()
    held = set(hand)
    for trick in range(1, max(other) + 1):
        answer = other.index(trick)
        if seen.facts["tricks_led"][trick - 1]:
            asked = own.index(trick) // 8
            if answer // 8 != asked and any(card[0] == "SHDC"[asked] for card in held):
                return False
        held -= named([answer])
    return True


@pytest.mark.parametrize("pair", range(4))
def test_the_hands_are_those_that_brute_force_leaves(pair: int) -> None:
    rules = Rules()
    compared = 0
    bots = [(BOTS[pair], BOTS[3 - pair])] * 16
    for place, (seen, _) in enumerate(believing_positions(rules, range(2), bots)):
        free, known = cards_in(seen.mask("unseen")), cards_in(seen.mask("other_known"))
        played = cards_in(seen.mask("other_trick"))
        chosen = seen.cards_of_other - len(known)
        dealt = named(cards_in(seen.mask("other_dealt")))
        if place % 3 or comb(len(free), chosen) > 3000:
            continue
        expected = set()
        for extra in itertools.combinations(free, chosen):
            hand = named([*known, *extra, *played])
            kept = not dealt or len(hand & dealt) == 13 - int(seen.facts["other_taken"][0])
            if kept and could_say(hand, seen) and follows(hand, seen):
                expected.add(sum(1 << card for card in (*known, *extra)))
        belief = believe(seen)
        assert belief.exact
        assert set(belief.hands.tolist()) == expected
        compared += 1
    assert compared > 20


def test_the_numbers_of_hands_are_those_of_the_books() -> None:
    """Elder who drew five can meet 455 hands, younger who drew three 6,188: before a word is said."""
    counts = {}
    for seen, _ in believing_positions(Rules(), range(4), [(GreedyAgent, GreedyAgent)] * 16):
        if seen.phase in ("call", "reply") and seen.facts["call_length"].sum() <= seen.facts["call_length"][0]:
            counts.setdefault(seen.role, comb(len(seen.cards("unseen")), 12))
    assert counts == {0: 455, 1: 6188}


def test_many_choices_are_sampled_evenly() -> None:
    for seen, _ in believing_positions(Rules(), range(1), [(GreedyAgent, GreedyAgent)] * 16):
        if seen.phase == "reply":
            whole, part = believe(seen), believe(seen, most=500)
            assert whole.exact
            assert not part.exact
            assert set(part.hands.tolist()) <= set(whole.hands.tolist())
            assert 0 < len(part.hands) <= 500
            again = believe(seen, most=500)
            assert (again.hands == part.hands).all()
            assert (again.weights == part.weights).all()
            places, counts = sample_places(whole.weights, 64, 0.5)
            assert counts.sum() == 64
            share = whole.weights[places] / whole.weights.sum()
            assert (abs(counts - 64 * share) <= 1).all()
            return
