"""The open-hand solver against plain minimax, against a full search that remembers, and against the game itself."""

import random

import numpy as np
import pytest

from agents.search.solver import NO_VALUE, Solver
from agents.search.terms import MOST_TO_COME, Terms
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


@pytest.mark.slow
def test_values_are_those_of_plain_minimax() -> None:
    """A thousand positions of up to eight cards, one solver for all, so that its table is tested as well."""
    solver = Solver(table_bits=12)
    live = 0
    for position in positions(1000, seed=3, most=8):
        value = solver.value(
            int(position.hands[0]),
            int(position.hands[1]),
            own_leads=position.leader == 0,
            won=position.won,
            terms=position.terms,
        )
        assert value == position.truth()
        live += int(position.terms.codes()["live"][0])
    assert live > 100  # else the pique would not have been tested


@pytest.mark.slow
def test_whole_hands_agree_with_a_full_search_that_remembers() -> None:
    rng = random.Random(4)
    solver = Solver()
    for place in range(24):
        position = Position(rng, Rules(), 12, by_table=False, leads=place % 2 == 0)
        laws, terms = laws_of(Rules(), (0, 0), (False, False), (0, 0)), Terms(rules=Rules())
        own, other = position.hands.tolist()
        value = solver.value(own, other, own_leads=position.leader == 0, won=0, terms=terms)
        assert value == remembered(laws, position.hands, position.leader)
