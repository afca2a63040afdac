"""Rows rebuilt from what a seat has seen: with the true hand of the other both seats see what they saw in the game."""

from collections.abc import Iterator

import numpy as np
import pytest

from agents.base import Agent, View
from agents.greedy_agent import GreedyAgent
from agents.heuristic.agent import HeuristicAgent
from agents.random_agent import RandomAgent
from agents.search.continuation import continue_from
from agents.search.rebuild import Record, can_rebuild, play_card, rebuild
from agents.search.rollout import Rollout
from agents.search.seen import Seen
from piquet_env.game import Game
from piquet_env.observation import decode, encode_at, observation_size
from piquet_env.rules.state import ELDER, PLAY
from piquet_env.rules.variants import PRESETS, Rules

REBUILT = [name for name in PRESETS if can_rebuild(Rules.preset(name))]

# What a seat cannot know of the other, and what the other therefore sees otherwise in the rebuilt row.
MADE_UP = ("dealt", "own_point", "own_sequence", "own_set")
# What rests on the cards that one has left for the other, besides.
LEFT = ("discards", "unseen", "talon_seen", "own_known", "other_known")


def positions(rules: Rules, partie: int, agents: tuple[Agent, Agent]) -> Iterator[tuple[np.ndarray, list[np.ndarray]]]:
    """Each decision in the play of a partie: its state, and those of all decisions of the deal's play so far."""
    for seat, agent in enumerate(agents):
        agent.reset(17 + seat)
    game = Game(rules, seed=31, partie=partie)
    past: list[np.ndarray] = []
    deal = 0
    while not game.is_over:
        row = game.state
        if row["deal_number"] != deal:
            past, deal = [], int(row["deal_number"])
        if row["phase"] == PLAY:
            past.append(np.array([row]))
            yield past[-1], past
        view = View(game.observation(game.to_act), game.action_mask(game.to_act), rules)
        game.apply(agents[game.to_act].act(view))


def seen_by(rows: np.ndarray, rules: Rules, seat: int) -> dict[str, np.ndarray]:
    out = np.empty(observation_size(rules.pack), dtype=np.int8)
    encode_at(rows, 0, rules.codes(), seat, out)
    return decode(out)


def differing(rebuilt: np.ndarray, true: np.ndarray, rules: Rules, own: int) -> set[str]:
    """The blocks in which what the seats see differs; the rebuilt row's seat 0 is `own` in the true one."""
    found = set()
    to_act = int(rebuilt["to_act"][0])
    for seat, blocks in enumerate((seen_by(rebuilt, rules, 0), seen_by(rebuilt, rules, 1))):
        others = seen_by(true, rules, own if seat == 0 else 1 - own)
        if seat != to_act and true["tricks_played"][0] == 0:
            continue  # elder hears what younger declares with his first card only
        found |= {name for name in blocks if not np.array_equal(blocks[name], others[name])} - (
            set() if seat == 0 else set(MADE_UP)
        )
    return found


@pytest.mark.parametrize("name", REBUILT)
def test_both_seats_see_what_they_saw(name: str) -> None:
    rules = Rules.preset(name)
    codes = rules.codes()
    compared = 0
    for partie, agents in enumerate(((HeuristicAgent(rules=rules), GreedyAgent()), (RandomAgent(), GreedyAgent()))):
        for number, (true, past) in enumerate(positions(rules, partie, agents)):
            own = int(true["to_act"][0])
            seen = Seen.of(seen_by_vector(true, rules, own), rules)
            record = Record.of(seen)
            hands = true["hands"][:, 1 - seen.role].copy()
            allowed = set() if true["leftovers"][0] == 0 and true["taken"][0, ELDER] == rules.elder_max else set(LEFT)
            rows = rebuild(seen, hands, record, before_lead=True)
            assert differing(rows, past[0], rules, own) <= allowed
            if record.cards:
                rows = rebuild(seen, hands, record, before_lead=False)
                for place, card in enumerate(record.cards[1:], start=1):
                    if number % 5 == 0:
                        assert differing(rows, past[place], rules, own) <= allowed
                    play_card(rows, codes, card)
            assert differing(rows, true, rules, own) <= allowed
            assert rows["legal_cards"][0] == true["legal_cards"][0]
            assert rows["to_act"][0] == 0
            compared += 1
    assert compared > 100


def seen_by_vector(rows: np.ndarray, rules: Rules, seat: int) -> np.ndarray:
    out = np.empty(observation_size(rules.pack), dtype=np.int8)
    encode_at(rows, 0, rules.codes(), seat, out)
    return out


def test_rows_that_differ_in_the_other_hand_look_alike_to_the_seat() -> None:
    rules = Rules()
    compared = 0
    for true, _ in positions(rules, 3, (HeuristicAgent(rules=rules), HeuristicAgent(rules=rules))):
        own = int(true["to_act"][0])
        vector = seen_by_vector(true, rules, own)
        seen = Seen.of(vector, rules)
        hand, hidden = int(true["hands"][0, 1 - seen.role]), seen.mask("unseen")
        free = [card for card in range(32) if hidden & ~hand >> card & 1]
        held = [card for card in range(32) if hidden & hand >> card & 1]
        if free and held:
            other = hand & ~(1 << held[0]) | 1 << free[0]
            rows, _ = continue_from(Rollout(rules, GreedyAgent()), seen, np.array([hand, other]), 0.5)
            for place in range(2):
                again = np.array([rows[place]])
                assert (seen_by_vector(again, rules, 0) == seen_by_vector(np.array([rows[0]]), rules, 0)).all()
            compared += 1
    assert compared > 50


def test_the_base_agents_own_cards_fit_and_others_do_not() -> None:
    rules = Rules()
    base = HeuristicAgent(rules=rules)
    rollout = Rollout(rules, base)
    lower = 0
    for other, is_like in ((HeuristicAgent(rules=rules), True), (RandomAgent(), False)):
        for true, _ in positions(rules, 5, (GreedyAgent(), other)):
            is_whole = true["leftovers"][0] == 0 and true["taken"][0, ELDER] == rules.elder_max
            if true["to_act"][0] == 0 and (is_whole or not is_like):
                seen = Seen.of(seen_by_vector(true, rules, 0), rules)
                _, fits = continue_from(rollout, seen, true["hands"][:, 1 - seen.role].copy(), 0.5)
                assert 0 < fits[0] <= 1
                if is_like:
                    assert fits[0] == 1
                lower += fits[0] < 1
    assert lower > 10
