"""`search`: legal under every preset, the same for the same seed, and better than its base."""

import pickle

import numpy as np
import pytest

from agents.arena import play_match
from agents.base import Agent, AgentError, View
from agents.greedy_agent import GreedyAgent
from agents.random_agent import RandomAgent
from agents.registry import make_agent
from agents.search.agent import SearchAgent
from agents.search.exchange_search import Effort
from agents.search.rebuild import can_rebuild
from agents.streams import Streams
from piquet_env.game import Game
from piquet_env.rules.actions import format_action
from piquet_env.rules.variants import PRESETS, Rules

QUICK = Effort(guesses=6, rounds=((4, 4), (2, 8)))
MORE_RULES = ("rubicon sinking=none", "rubicon deals=1", "rubicon elder_max=3", "cavendish younger_declares=in_turn")


def quick(rules: Rules | None = None, **options) -> SearchAgent:
    """A search that looks at little."""
    base = GreedyAgent(elder_max=None if rules is None else rules.elder_max)
    return SearchAgent(base=base, rules=rules, **{"worlds": 6, "exchange": True, "effort": QUICK, **options})


def decisions(agent: Agent, rules: Rules, other: Agent, *, partie: int = 0) -> list[int]:
    """What an agent does in a partie as seat 0; every action is checked by the game."""
    agent.reset(3)
    other.reset(4)
    game = Game(rules, seed=21, partie=partie)
    done = []
    while not game.is_over:
        seat = game.to_act
        view = View(game.observation(seat), game.action_mask(seat), rules)
        action = (agent, other)[seat].act(view)
        game.apply(action)
        if seat == 0:
            done.append(action)
    return done


@pytest.mark.parametrize("name", [*PRESETS, *MORE_RULES])
def test_it_plays_any_rules(name: str) -> None:
    rules = Rules.of(name)
    for partie, other in enumerate((GreedyAgent(elder_max=rules.elder_max), RandomAgent())):
        assert decisions(quick(rules), rules, other, partie=partie)


@pytest.mark.parametrize("name", ["rubicon", "au_cent_36", "rubicon sinking=partial", *MORE_RULES])
def test_words_and_last_cards_are_lawful_under_any_rules(name: str) -> None:
    rules = Rules.of(name)
    agent = quick(rules, dialogue=True, endgame=3, exchange=False)
    assert decisions(agent, rules, RandomAgent())
    assert (agent.asked["word"] > 0) == (can_rebuild(rules) and rules.sinking == "combination")


def test_it_decides_alike_alone_and_in_batches_and_again() -> None:
    rules = Rules()
    seen: list[View] = []

    class Watches(SearchAgent):
        def act(self, view: View) -> int:
            seen.append(view)
            return super().act(view)

    decisions(Watches(base=GreedyAgent(), worlds=6, effort=QUICK), rules, GreedyAgent())
    observations = np.array([view.observation for view in seen])
    masks = np.array([view.action_mask for view in seen])
    seeds = np.arange(len(seen))
    together = quick().act_batch(observations, masks, Streams(seeds))
    backwards = quick().act_batch(observations[::-1], masks[::-1], Streams(seeds[::-1]))[::-1]
    assert (together == backwards).all()
    for row in range(0, len(seen), 7):
        one = quick().act_batch(observations[row : row + 1], masks[row : row + 1], Streams(seeds[row : row + 1]))
        assert one[0] == together[row]


def test_a_copy_decides_alike() -> None:
    agent = quick()
    first = decisions(agent, Rules(), GreedyAgent())
    assert decisions(pickle.loads(pickle.dumps(agent)), Rules(), GreedyAgent()) == first


def test_it_takes_over_where_it_is_told_to() -> None:
    rules = Rules()
    assert decisions(quick(from_cards=0, exchange=False), rules, RandomAgent()) == decisions(
        GreedyAgent(), rules, RandomAgent()
    )
    base = GreedyAgent()
    agent = quick(from_cards=5, exchange=False)
    game = Game(rules, seed=22)
    changed = set()
    while not game.is_over:
        seat = game.to_act
        view = View(game.observation(seat), game.action_mask(seat), rules)
        action = agent.act(view)
        if action != base.act(view):
            assert format_action(action).startswith("play")
            changed.add(len(view.hand))
        game.apply(action)
    assert changed
    assert max(changed) <= 5


@pytest.mark.parametrize("options", [{"leaf": "solver"}, {"leaf": "solver", "unlike": 1}])
def test_it_may_solve_the_worlds(options: dict) -> None:
    first = decisions(quick(**options), Rules(), GreedyAgent())
    assert first == decisions(quick(**options), Rules(), GreedyAgent())
    assert first != decisions(quick(), Rules(), GreedyAgent())


def test_the_clock_only_limits_the_worlds() -> None:
    assert decisions(quick(ms=0.01), Rules(), GreedyAgent())


@pytest.mark.parametrize(
    ("spec", "part"),
    [
        ("search:worlds=0", "worlds is a whole number from 1"),
        ("search:worlds=2.5", "worlds is a whole number from 1"),
        ("search:ms=0", "ms is a number of milliseconds above 0"),
        ("search:ms=soon", "ms is a number of milliseconds above 0"),
        ("search:from_cards=13", "from_cards is a whole number from 0 to 12"),
        ("search:equity=sometimes", "equity must be one of last, always, never"),
        ("search:leaf=guess", "leaf must be one of base, solver"),
        ("search:endgame=6", "endgame is a whole number from 0 to 5"),
        ("search:ms=20,dialogue=true", "dialogue and endgame of search look at no clock"),
        ("search:ms=20,endgame=3", "dialogue and endgame of search look at no clock"),
        ("search:unlike=0", "unlike is a number above 0 and up to 1"),
        ("search:unlike=1.5", "unlike is a number above 0 and up to 1"),
        ("search:base=nobody", "unknown agent 'nobody'"),
        (
            "search:depth=3",
            "its arguments are base, worlds, ms, from_cards, exchange, dialogue, endgame, equity, leaf, unlike",
        ),
    ],
)
def test_options_that_cannot_be(spec: str, part: str) -> None:
    with pytest.raises(AgentError) as caught:
        make_agent(spec)
    assert part in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_base_that_knows_no_batches_is_refused() -> None:
    with pytest.raises(AgentError, match="must decide in batches"):
        SearchAgent(base=Agent())


def test_other_packs_are_refused() -> None:
    game = Game("au_cent_36", seed=1)
    view = View(game.observation(game.to_act), game.action_mask(game.to_act), game.rules)
    with pytest.raises(AgentError, match="pack of 32"):
        quick().act(view)


# What it does in one deal, looking at little; the same with and without compiled kernels.
ONE_DEAL = [
    34,
    41,
    57,
    96,
    134,
    134,
    134,
    135,
    135,
    114,
    120,
    129,
    130,
    131,
    29,
    6,
    23,
    15,
    7,
    22,
    14,
    30,
    21,
    13,
    16,
    18,
]


@pytest.mark.nojit
def test_it_decides_alike_uncompiled() -> None:
    rules = Rules.of("rubicon deals=1")
    effort = Effort(guesses=2, rounds=((1, 1), (1, 3)))
    agent = SearchAgent(base=GreedyAgent(), rules=rules, worlds=1, from_cards=3, exchange=True, effort=effort)
    assert decisions(agent, rules, GreedyAgent()) == ONE_DEAL


@pytest.mark.slow
def test_it_beats_its_base() -> None:
    result = play_match("search:worlds=20", "greedy", parties=40, seed=7)
    assert result.settlement.low > 50


@pytest.mark.slow
def test_it_beats_the_agent_on_which_it_plays() -> None:
    result = play_match("search:worlds=32", "heuristic", parties=100, seed=8)
    assert result.settlement.low > 15
