"""What search believes: the true hand is always among the hands, and the hands are those that brute force leaves."""

import itertools

import numpy as np
import pytest

from agents.base import Agent
from agents.greedy_agent import GreedyAgent
from agents.random_agent import RandomAgent
from agents.search.belief import believe
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
                other = 0 if state["dealer"] == seat else 1
                role = 1 - other
                assert other == (0 if role == 1 else 1)
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
