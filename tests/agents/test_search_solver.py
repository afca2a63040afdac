"""The open-hand solver against plain minimax, against a full search that remembers, and against the game itself."""

import random

import numpy as np
import pytest

from agents.greedy_agent import GreedyAgent
from agents.search.seen import Seen
from agents.search.solver import NO_VALUE, Solver
from agents.search.stakes import terms_of
from agents.search.terms import MOST_TO_COME, Terms
from agents.view import View
from piquet_env.game import Game
from piquet_env.rules.state import Phase
from piquet_env.rules.variants import Rules
from tests.agents.open_hand_reference import laws_of, remembered, truth

ALL_RULES = ("rubicon", "finnish", "swedish", "high_cards", "au_cent_36", "high_cards pack=36 capture_point_min_rank=Q")
NOTHING = np.zeros((1, 1), dtype=np.int64)


class Position:
    """A random position at the beginning of a trick, with a random score."""

    def __init__(self, rng: random.Random, rules: Rules, left: int, *, by_table: bool, leads: bool = True) -> None:
        self.rules, self.left = rules, left
        cards = rng.sample(range(rules.pack), 2 * left)
        self.hands = np.array([sum(1 << card for card in cards[side::2]) for side in range(2)], dtype=np.int64)
        self.won = rng.randint(0, 12 - left)
        self.leader = 0 if leads else 1
        towards = rng.choice([(0, 0), (rng.randint(15, 30), 0), (0, rng.randint(15, 30)), (5, 9)])
        may = (rng.random() < 0.8, rng.random() < 0.8)
        early = rules.cards_count_for_pique
        booked = tuple(10 if early and tricks > 6 else 0 for tricks in (self.won, 12 - left - self.won))
        towards = tuple(max(towards[side], booked[side]) for side in range(2))
        self.equity = NOTHING
        if by_table:
            draws = np.random.default_rng(rng.getrandbits(32))
            self.equity = draws.integers(-600, 600, (MOST_TO_COME + 1, MOST_TO_COME + 1))
        self.by_table = by_table
        self.laws = laws_of(rules, towards, may, booked)
        self.terms = Terms(
            rules=rules, towards=towards, may_pique=may, booked=booked, equity=self.equity if by_table else None
        )

    def truth(self) -> int:
        return truth(self.laws, self.equity, self.by_table, self.hands, self.leader, self.won)


def positions(number: int, seed: int, most: int) -> list[Position]:
    rng = random.Random(seed)
    found = []
    for place in range(number):
        rules = Rules.of(ALL_RULES[place % len(ALL_RULES)] if place % 2 else "rubicon")
        left = min(most, rng.choice([1, 2, 3, 4, 4, 5, 5, 6, 6, 7])) if place % 20 else most
        found.append(Position(rng, rules, left, by_table=place % 3 == 0, leads=rng.random() < 0.5))
    return found


def check_against_minimax(number: int, most: int) -> None:
    """One solver for all positions, so that its table is tested as well."""
    solver = Solver(table_bits=12)
    live = 0
    for position in positions(number, seed=3, most=most):
        own, other = position.hands.tolist()
        leads = position.leader == 0
        value = solver.value(own, other, own_leads=leads, won=position.won, terms=position.terms)
        assert value == position.truth()
        live += int(position.terms.codes()["live"][0])
    assert live > number // 10  # else the pique would not have been tested


@pytest.mark.slow
def test_values_are_those_of_plain_minimax() -> None:
    check_against_minimax(number=150, most=6)


@pytest.mark.thorough
def test_values_are_those_of_plain_minimax_at_length() -> None:
    check_against_minimax(number=1000, most=8)


@pytest.mark.slow
def test_whole_hands_agree_with_a_full_search_that_remembers() -> None:
    rng = random.Random(4)
    solver = Solver()
    for place in range(20):
        position = Position(rng, Rules(), 12, by_table=False, leads=place % 2 == 0)
        laws, terms = laws_of(Rules(), (0, 0), (False, False), (0, 0)), Terms(rules=Rules())
        own, other = position.hands.tolist()
        value = solver.value(own, other, own_leads=position.leader == 0, won=0, terms=terms)
        assert value == remembered(laws, position.hands, position.leader)


# -- against the game -------------------------------------------------------------------------------------------------

PLAYED = (
    "rubicon",
    "german",
    "finnish",
    "swedish",
    "high_cards",
    "au_cent au_cent_stop=end_of_deal",
    "au_cent_36 au_cent_stop=end_of_deal",
    "rubicon cards_count_for_pique=True lead_point_min_rank=T capture_point_min_rank=J",
)


def reach_play(rules: Rules, partie: int, rng: random.Random) -> Game:
    """A game some tricks behind the declarations of a deal, greedily declared and played at random."""
    game = Game(rules, seed=8, partie=partie)
    agents = [GreedyAgent(elder_max=rules.elder_max) for _ in range(2)]
    tricks = rng.choice([0, 0, 1, 3, 5])
    while not (game.state["phase"] == Phase.PLAY and game.state["reckoned"] and game.state["tricks_played"] >= tricks):
        if game.state["phase"] == Phase.PLAY and game.state["tricks_played"] > 0:
            game.apply(rng.choice(game.legal_actions()))
        else:
            seat = game.to_act
            game.apply(agents[seat].act(View(game.observation(seat), game.action_mask(seat), rules)))
    return game


def open_values(game: Game, solver: Solver) -> dict[int, int]:
    """The value of each legal card for the seat to act, the other's hand being known to it."""
    seat = game.to_act
    seen = Seen.of(game.observation(seat), game.rules)
    other = int(game.state["hands"][1 - seen.role])
    values = solver.moves(
        seen.mask("hand"), np.array([other]), led=seen.led, won=seen.tricks_won[0], terms=terms_of(seen)
    )[0]
    assert [card for card in range(game.rules.pack) if values[card] != NO_VALUE] == game.legal_actions()
    return {card: int(values[card]) for card in game.legal_actions()}


@pytest.mark.parametrize("name", PLAYED)
def test_values_are_what_the_game_then_books(name: str) -> None:
    rules = Rules.of(name)
    rng = random.Random(6)
    solver = Solver(table_bits=14)
    live = 0
    for partie in range(150):
        game = reach_play(rules, partie, rng)
        is_live = bool(terms_of(Seen.of(game.observation(game.to_act), rules)).codes()["live"][0])
        if partie >= 8 and not is_live:
            continue
        live += is_live
        seat, deals = game.to_act, len(game.deal_points)
        before = game.deal_scores[seat] - game.deal_scores[1 - seat]
        values = open_values(game, solver)
        card = rng.choice(list(values))
        game.apply(card)
        while len(game.deal_points) == deals:
            now = open_values(game, solver)
            game.apply(max(now, key=now.__getitem__))
        points = game.deal_points[deals]
        assert points[seat] - points[1 - seat] - before == values[card]
    assert live > 3  # else nothing was said about piques


def test_values_do_not_depend_on_what_was_asked_before() -> None:
    used = Solver(table_bits=8)
    for position in positions(40, seed=9, most=7):
        question = {"own_leads": position.leader == 0, "won": position.won, "terms": position.terms}
        own, other = position.hands.tolist()
        assert used.value(own, other, **question) == Solver(table_bits=8).value(own, other, **question)
    assert used.values(np.empty((0, 2), dtype=np.int64), own_leads=True, won=0, terms=Terms(rules=Rules())).size == 0


@pytest.mark.nojit
def test_uncompiled_values_are_those_of_plain_minimax() -> None:
    solver = Solver(table_bits=8)
    for position in positions(30, seed=12, most=4):
        own, other = position.hands.tolist()
        value = solver.value(own, other, own_leads=position.leader == 0, won=position.won, terms=position.terms)
        assert value == position.truth()
