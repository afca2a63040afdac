"""The dialogue by search: rows before a word, in which seats see what they saw, and departures beyond doubt alone."""

from collections.abc import Iterator

import numpy as np
import pytest

from agents.base import Agent, BatchAgent, View
from agents.greedy_agent import GreedyAgent
from agents.heuristic.agent import HeuristicAgent
from agents.random_agent import RandomAgent
from agents.search.agent import SearchAgent
from agents.search.belief import believe
from agents.search.dialogue_rows import PHASES, rebuild_dialogue
from agents.search.dialogue_search import DialogueSearch, choose
from agents.search.rebuild import can_rebuild
from agents.search.rollout import Rollout
from agents.search.seen import Seen
from agents.search.stakes import Stakes
from agents.streams import RowRandom
from piquet_env.game import Game
from piquet_env.observation import decode
from piquet_env.rules.actions import format_action
from piquet_env.rules.variants import PRESETS, Rules
from tests.agents.test_search_rebuild import LEFT, MADE_UP, seen_by_vector

REBUILT = [*(name for name in PRESETS if can_rebuild(Rules.preset(name))), "rubicon undercall_lock=none"]


def words(rules: Rules, parties: int, agents: tuple[Agent, Agent]) -> Iterator[tuple[np.ndarray, View]]:
    """Each decision of the dialogue with a choice: its state, and what the seat sees."""
    for seat, agent in enumerate(agents):
        agent.reset(11 + seat)
    for partie in range(parties):
        game = Game(rules, seed=33, partie=partie)
        while not game.is_over:
            seat = game.to_act
            view = View(game.observation(seat), game.action_mask(seat), rules)
            if Seen.of(view.observation, rules).phase in PHASES and np.count_nonzero(view.action_mask) > 1:
                yield np.array([game.state]), view
            game.apply(agents[seat].act(view))


@pytest.mark.parametrize("name", REBUILT)
def test_both_seats_see_what_they_saw(name: str) -> None:
    rules = Rules.of(name)
    rollout = Rollout(rules, GreedyAgent())
    phases = set()
    allowed = {*MADE_UP, *LEFT}
    for agents in ((RandomAgent(), RandomAgent()), (HeuristicAgent(rules=rules), RandomAgent())):
        for true, view in words(rules, 4, agents):
            own = int(true["to_act"][0])
            seen = Seen.of(view.observation, rules)
            rows = rebuild_dialogue(seen, true["hands"][:, 1 - seen.role].copy(), view.action_mask)
            assert (rollout.observe(rows, np.zeros(1, dtype=np.int64))[1][0] == view.action_mask).all()
            for seat, ours in enumerate((own, 1 - own)):
                rebuilt, seen_then = (
                    decode(seen_by_vector(*pair)) for pair in ((rows, rules, seat), (true, rules, ours))
                )
                differing = {block for block in rebuilt if not np.array_equal(rebuilt[block], seen_then[block])}
                assert differing <= (allowed if seat else set())
            phases.add(seen.phase)
    assert phases >= {"call", "reply", "further", "declare"}


def test_every_hand_of_the_belief_gives_the_seat_the_same_view() -> None:
    rules = Rules()
    search = DialogueSearch(Rollout(rules, GreedyAgent()), Stakes(rules, "always"), worlds=12, doubt=2.0)
    looked_at = 0
    for state, view in words(rules, 2, (HeuristicAgent(rules=rules), RandomAgent())):
        seen = Seen.of(view.observation, rules)
        rows, weights = search.worlds(seen, view.action_mask, 12, 0.4)
        assert len(rows) == len(believe(seen).hands) or weights.sum() == 12  # no hand of the belief is left out
        true = seen_by_vector(state, rules, int(state["to_act"][0]))
        for place in range(len(rows)):
            assert (seen_by_vector(rows[place : place + 1], rules, 0) == true).all()
        looked_at += 1
    assert looked_at > 12


class Silent(GreedyAgent):
    """Sinks all that it may, and plays as `greedy`."""

    def act_batch(self, observations: np.ndarray, masks: np.ndarray, rng: RowRandom) -> np.ndarray:
        actions = super().act_batch(observations, masks, rng)
        done = np.flatnonzero([format_action(action) == "done" for action in range(masks.shape[1])])[0]
        return np.where(masks[:, done] == 1, done, actions)


def said(base: BatchAgent, **options: object) -> tuple[list[str], SearchAgent]:
    """What a search on `base` says at decisions with a choice."""
    rules = Rules()
    agent = SearchAgent(base=base, rules=rules, worlds=24, from_cards=0, **options)
    agent.reset(1)
    spoken = [
        format_action(agent.act(view)) for _, view in words(rules, 2, (HeuristicAgent(rules=rules), GreedyAgent()))
    ]
    return spoken, agent


def test_it_declares_what_its_base_would_sink() -> None:
    silent, agent = said(Silent())
    assert not agent.asked
    spoken, agent = said(Silent(), dialogue=True)
    assert agent.asked["word"] == len(spoken) == len(silent)
    assert agent.departed["word"] == sum(a != b for a, b in zip(spoken, silent, strict=True))
    assert spoken.count("done") < silent.count("done") / 2


def test_it_says_the_same_again() -> None:
    assert said(Silent(), dialogue=True)[0] == said(Silent(), dialogue=True)[0]


@pytest.mark.parametrize(
    ("gains", "weights", "doubt", "departs"),
    [
        ([4, 4, 4, 4], [1, 1, 1, 1], 2.0, True),  # without noise
        ([0, 0, 0, 0], [1, 1, 1, 1], 0.0, False),
        ([9, -8, 9, -8], [1, 1, 1, 1], 2.0, False),  # half a point, whose error is near five
        ([9, -8, 9, -8], [1, 1, 1, 1], 0.05, True),
        ([9, -1, 9, -1], [1, 50, 1, 50], 0.0, False),  # by weight it loses
        ([3, 5, 4, 4], [1000, 1, 1, 1], 20.0, False),  # one heavy world is hardly more than one
    ],
)
def test_a_word_must_be_better_beyond_doubt(gains: list, weights: list, doubt: float, departs: bool) -> None:
    values = np.array([[100, 100 + gain] for gain in gains])
    found = choose(np.array([7, 9]), values, np.array(weights), 7, doubt)
    assert found == (9 if departs else 7)
