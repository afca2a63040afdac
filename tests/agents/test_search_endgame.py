"""The last cards as a game of imperfect information: against the open-hand solver and all plain strategies."""

import itertools
import random
from collections.abc import Iterator

import numpy as np
import pytest

from agents.base import View
from agents.heuristic.agent import HeuristicAgent
from agents.search.agent import SearchAgent
from agents.search.belief import believe
from agents.search.endgame import EndgameSearch, EndgameSolver, Ranges, legal_cards
from agents.search.rollout import Rollout
from agents.search.seen import Seen
from agents.search.solver import Solver
from agents.search.stakes import Stakes
from agents.search.terms import MOST_TO_COME, Terms
from piquet_env.game import Game
from piquet_env.rules.variants import Rules
from tests.agents.open_hand_reference import final, laws_of, legal, play

NOTHING = np.zeros((1, 1), dtype=np.int64)
FAR = ((9, 9), (False, False), (0, 0))  # from a pique


def position(rng: random.Random, left: int, hands: int) -> Ranges:
    """Some hands of `left` cards a side out of few cards, and chances of pairs; the first pair is possible."""
    cards = rng.sample(range(32), 2 * left + 2)
    first, second = set(), set()
    first_own = tuple(sorted(cards[:left]))
    own, other = [first_own], [tuple(sorted(cards[left : 2 * left]))]
    first.add(own[0])
    second.add(other[0])
    for _ in range(20):
        hand = tuple(sorted(rng.sample(cards, left)))
        if len(own) < hands and hand not in first:
            own.append(hand)
            first.add(hand)
        hand = tuple(sorted(rng.sample([card for card in cards if card not in own[0]], left)))
        if len(other) < hands and hand not in second:
            other.append(hand)
            second.add(hand)
    weights = np.array([[0.0 if set(a) & set(b) else rng.random() for b in other] for a in own])
    return Ranges(np.array([mask(hand) for hand in own]), np.array([mask(hand) for hand in other]), weights)


def mask(cards: tuple[int, ...]) -> int:
    return sum(1 << card for card in cards)


def terms_at_random(rng: random.Random, rules: Rules, *, by_table: bool) -> tuple[Terms, np.ndarray, np.ndarray]:
    """Terms, the same as laws, and the table of what points are worth."""
    towards, may, booked = rng.choice([FAR, ((27, 0), (True, False), (0, 0)), ((0, 28), (True, True), (0, 0))])
    equity = np.random.default_rng(rng.getrandbits(30)).integers(-99, 99, (MOST_TO_COME + 1, MOST_TO_COME + 1))
    terms = Terms(rules=rules, towards=towards, may_pique=may, booked=booked, equity=equity if by_table else None)
    return terms, laws_of(rules, towards, may, booked), equity if by_table else NOTHING


@pytest.mark.parametrize("rules", ["rubicon", "high_cards", "swedish"])
def test_with_one_hand_a_side_it_is_the_open_hand_solver(rules: str) -> None:
    rng = random.Random(3)
    solver, open_hands = EndgameSolver(rounds=300), Solver(table_bits=12)
    for place in range(24):
        left = 1 + place % 4
        ranges = position(rng, left, 1)
        terms, _, _ = terms_at_random(rng, Rules.of(rules), by_table=place % 3 == 0)
        won, leads = rng.randint(0, 12 - left), place % 2 == 0
        found = solver.solve(ranges, led=None, own_moves=leads, won=won, terms=terms)
        own, other = int(ranges.own[0]), int(ranges.other[0])
        value = open_hands.value(own, other, own_leads=leads, won=won, terms=terms)
        assert found is not None
        assert found.gap <= 0.05
        assert found.value == pytest.approx(value, abs=0.05)


@pytest.mark.nojit
def test_two_cards_a_side_uncompiled() -> None:
    rng = random.Random(9)
    ranges, terms = position(rng, 2, 1), Terms(rules=Rules())
    found = EndgameSolver(rounds=60).solve(ranges, led=None, own_moves=True, won=5, terms=terms)
    value = Solver(table_bits=8).value(int(ranges.own[0]), int(ranges.other[0]), own_leads=True, won=5, terms=terms)
    assert found is not None
    assert found.value == pytest.approx(value, abs=0.1)


def test_it_comes_closer_to_equilibrium_with_every_round() -> None:
    for seed in range(3):
        ranges = position(random.Random(seed), 3, 6)
        gaps = []
        for rounds in (4, 40, 400):
            found = EndgameSolver(rounds).solve(ranges, led=None, own_moves=True, won=4, terms=Terms(rules=Rules()))
            assert found is not None
            gaps.append(found.gap)
        assert gaps[0] > gaps[2] or gaps[0] < 1e-9
        assert -1e-9 <= gaps[2] < 0.01


# -- against every plain strategy, without the tree ------------------------------------------------------------------


class Table:
    """A game over pairs of hands as a table of all plain strategies, played out by the laws of the reference."""

    def __init__(self, ranges: Ranges, laws: np.ndarray, equity: np.ndarray, won: int) -> None:
        self.laws, self.equity, self.won, self.ranges = laws, equity, won, ranges
        self.choices: tuple[dict, dict] = ({}, {})
        for a, b in itertools.product(range(len(ranges.own)), range(len(ranges.other))):
            if ranges.weights[a, b]:
                self._visit((a, b), int(ranges.own[a]), int(ranges.other[b]), -1, 0, ())
        plans = [
            [dict(zip(choices, plan, strict=True)) for plan in itertools.product(*choices.values())]
            for choices in self.choices
        ]
        self.payoffs = np.array([[self._worth(first, second) for second in plans[1]] for first in plans[0]])

    def _cards(self, hand: int, led: int) -> list[int]:
        found = int(legal(hand, led, 8))
        return [card for card in range(32) if found >> card & 1]

    def _visit(self, pair: tuple[int, int], own: int, other: int, led: int, mover: int, played: tuple) -> None:
        """Find all choices that can come: by side, a hand and the cards played, with the cards to choose from."""
        hand = (own, other)[mover]
        cards = self._cards(hand, led)
        if len(cards) > 1:
            self.choices[mover][pair[mover], played] = cards
        for card in cards:
            after = [own, other]
            after[mover] = hand & ~(1 << card)
            following = 1 - mover
            if led >= 0:
                following = mover if card // 8 == led // 8 and card > led else 1 - mover
            if after[0] or after[1]:
                self._visit(pair, *after, -1 if led >= 0 else card, following, (*played, card))

    def _worth(self, first: dict, second: dict) -> float:
        """The mean worth to side 0 when both follow a plan."""
        total = 0.0
        for (a, own), (b, other) in itertools.product(enumerate(self.ranges.own), enumerate(self.ranges.other)):
            if self.ranges.weights[a, b]:
                worth = self._play_out((a, b), [int(own), int(other)], (first, second))
                total += self.ranges.weights[a, b] * worth
        return total / self.ranges.weights.sum()

    def _play_out(self, pair: tuple[int, int], hands: list[int], plans: tuple[dict, dict]) -> float:
        mover, won, points, piques, played = 0, self.won, (0, 0), 0, ()
        while hands[0]:
            left, leader, cards = hands[0].bit_count(), mover, []
            for side in (leader, 1 - leader):
                options = self._cards(hands[side], cards[0] if cards else -1)
                card = plans[side][pair[side], played] if len(options) > 1 else options[0]
                hands[side] &= ~(1 << card)
                cards.append(card)
                played = (*played, card)
            mover, won, *score, piques = play(self.laws, leader, won, left, *points, piques, *cards)
            points = tuple(score)
        return final(self.laws, self.equity, len(self.equity) > 1, *points, piques, won)


def value_of(payoffs: np.ndarray) -> tuple[float, float]:
    """Bounds of the value of a table to the side that chooses rows, by fictitious play on both sides."""
    rows, columns = np.zeros(len(payoffs)), np.zeros(payoffs.shape[1])
    row, low, high = 0, -np.inf, np.inf
    against_rows, against_columns = np.zeros(payoffs.shape[1]), np.zeros(len(payoffs))
    for turn in range(1, 20_001):
        rows[row] += 1
        against_rows += payoffs[row]
        column = int(against_rows.argmin())
        columns[column] += 1
        against_columns += payoffs[:, column]
        row = int(against_columns.argmax())
        low, high = max(low, against_rows.min() / turn), min(high, against_columns.max() / turn)
    return float(low), float(high)


@pytest.mark.parametrize("seed", range(8))
def test_the_value_is_that_of_the_table_of_all_plain_strategies(seed: int) -> None:
    rng = random.Random(seed)
    ranges = position(rng, 2, 3)
    terms, laws, equity = terms_at_random(rng, Rules(), by_table=seed % 2 == 0)
    won = rng.randint(4, 6)
    found = EndgameSolver(rounds=4000).solve(ranges, led=None, own_moves=True, won=won, terms=terms)
    low, high = value_of(Table(ranges, laws, equity, won).payoffs)
    assert found is not None
    scale = max(1.0, abs(high), abs(low))
    assert high - low < 0.1 * scale
    assert low - 0.02 * scale <= found.value <= high + 0.02 * scale


# -- in the game ------------------------------------------------------------------------------------------------------


def last_cards(rules: Rules, parties: int, most: int) -> Iterator[tuple[np.ndarray, Seen]]:
    """Each choice among the last cards of parties of the heuristic agent: its state, and what the seat sees."""
    agent = HeuristicAgent(rules=rules)
    agent.reset(5)
    for partie in range(parties):
        game = Game(rules, seed=35, partie=partie)
        while not game.is_over:
            view = View(game.observation(game.to_act), game.action_mask(game.to_act), rules)
            if len(view.hand) <= most and np.count_nonzero(view.action_mask[: rules.pack]) > 1:
                yield np.array([game.state]), Seen.of(view.observation, rules)
            game.apply(agent.act(view))


def search_of(rules: Rules, cards: int) -> EndgameSearch:
    rollout = Rollout(rules, HeuristicAgent(rules=rules))
    return EndgameSearch(rules, rollout, Stakes(rules, "always"), cards=cards, unlike=0.05)


def test_both_sides_reckon_with_what_can_be() -> None:
    rules = Rules()
    search = search_of(rules, 4)
    looked_at, several = 0, 0
    for state, seen in last_cards(rules, 3, 4):
        ranges = search.ranges(seen, 0.3)
        assert ranges is not None
        own = seen.mask("hand")
        assert ranges.own[0] == own == state["hands"][0, seen.role]
        assert (ranges.weights[0] > 0).all()
        belief = believe(seen)
        assert np.isin(ranges.other, belief.hands).all()
        played = seen.mask("own_trick") | seen.mask("other_trick")
        for hand, row in zip(ranges.own.tolist(), ranges.weights, strict=True):
            assert hand.bit_count() == own.bit_count()
            assert hand & played == 0
            assert hand & seen.mask("own_known") == seen.mask("own_known")  # the other knows these
            assert all(
                (hand & other == 0) or not weight for other, weight in zip(ranges.other.tolist(), row, strict=True)
            )
        several += len(ranges.own) > 1
        looked_at += 1
    assert looked_at > 20
    assert several > 10


def test_the_true_hands_row_weighs_the_others_hands_as_the_belief_does() -> None:
    rules = Rules()
    for _, seen in last_cards(rules, 1, 3):
        search = EndgameSearch(
            rules, Rollout(rules, HeuristicAgent(rules=rules)), Stakes(rules, "always"), cards=3, unlike=1
        )
        ranges, belief = search.ranges(seen, 0.3), believe(seen)
        assert ranges is not None
        if len(belief.hands) <= len(ranges.other):
            expected = belief.weights / belief.weights.sum()
            assert np.allclose(ranges.weights[0] / ranges.weights[0].sum(), expected, atol=1e-6)


def test_it_decides_from_what_the_seat_sees_and_alike_again() -> None:
    rules = Rules()
    first, second = search_of(rules, 3), search_of(rules, 3)
    cards = [
        (first.card(seen, 0.25), second.card(seen, 0.25), legal_cards(seen)) for _, seen in last_cards(rules, 2, 3)
    ]
    assert len(cards) > 10
    for card, again, legal_now in cards:
        assert card == again
        assert card in legal_now


def test_a_tree_without_room_is_no_solution() -> None:
    solver = EndgameSolver(rounds=1)
    solver._leaves = solver._leaves[:2]
    ranges = position(random.Random(1), 3, 4)
    assert solver.solve(ranges, led=None, own_moves=True, won=5, terms=Terms(rules=Rules())) is None


def test_the_agent_takes_it_where_it_is_told_to() -> None:
    rules = Rules()
    agent = SearchAgent(base=HeuristicAgent(rules=rules), rules=rules, worlds=8, endgame=3)
    agent.reset(2)
    asked = []
    card = agent._endgame_search.card
    agent._endgame_search.card = lambda seen, offset: asked.append(len(seen.cards("hand"))) or card(seen, offset)
    game = Game(rules.replace(deals=1), seed=36)
    while not game.is_over:
        game.apply(agent.act(View(game.observation(game.to_act), game.action_mask(game.to_act), rules)))
    assert asked
    assert max(asked) == 3
