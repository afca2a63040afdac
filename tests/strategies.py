"""Strategies for hypothesis, and lines of play: hands, rules, whole games from one number."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import numpy as np
from hypothesis import strategies as st

from piquet_env.game import Game
from piquet_env.rules.start import Start
from piquet_env.rules.variants import PRESETS, Rules
from tests import comparison
from tests.steering import Chooser, PartiePlan, draw_rules

SEEDS = st.integers(0, 2**40)


def masks(pack: int) -> st.SearchStrategy[int]:
    """Any set of cards of a pack."""
    return st.integers(0, 2**pack - 1)


@st.composite
def hands(draw: st.DrawFn, pack: int = 32, size: int = 12) -> int:
    """The mask of a hand."""
    cards = draw(st.lists(st.integers(0, pack - 1), min_size=size, max_size=size, unique=True))
    return sum(1 << card for card in cards)


@st.composite
def rules(draw: st.DrawFn) -> Rules:
    """A preset as it stands, or one with some options changed."""
    name = draw(st.sampled_from(sorted(PRESETS)))
    seed = draw(SEEDS)
    return Rules.preset(name) if seed % 3 == 0 else draw_rules(random.Random(seed), ())


def plan_of(rules: Rules, seed: int, **start: object) -> PartiePlan:
    """The plan of a partie with steered decks and styles of play, from one number."""
    usual = Start(seed=seed, dealer=seed % 2)
    return PartiePlan(rules, usual._replace(**start), seed)


def begin(plan: PartiePlan, deals: int = 1) -> Game:
    """The game of a plan, with its decks for the first deals."""
    first = plan.start.deal_number
    if plan.rules.form == "rubicon":
        deals = min(deals, plan.rules.deals - first + 1)
    planned = [np.array(plan.deck(number), dtype=np.int8) for number in range(first, first + deals)]
    return Game(plan.rules, **{**plan.start._asdict(), "decks": planned})


def cells_of(game: Game) -> list[int]:
    """The row of a game as the numbers that a `Chooser` reads."""
    return comparison.cells_of(game.state)


def chooser_of(plan: PartiePlan) -> Callable[[Game], int]:
    """A function that chooses a legal action by the plan."""
    chooser = Chooser(plan)
    return lambda game: chooser.choose(cells_of(game), game.legal_actions())


def steps(plan: PartiePlan, deals: int = 1) -> Iterator[tuple[Game, int | None]]:
    """Yield the game before each decision with the action that comes next, and at last with None.

    It ends with the partie, or when `deals` have been played.
    """
    game, choose = begin(plan, deals), chooser_of(plan)
    while not game.is_over and len(game.deal_points) < deals:
        action = choose(game)
        yield game, action
        game.apply(action)
    yield game, None


def played(plan: PartiePlan, deals: int = 1) -> Game:
    """The game at the end of some deals of a plan."""
    for game, _ in steps(plan, deals):
        last = game
    return last
