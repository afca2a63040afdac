"""`random` and `greedy`: legal everywhere, alike alone and in batches, and frozen."""

import hashlib
import pickle

import numpy as np
import pytest

from agents.base import AgentError, BatchAgent
from agents.greedy_agent import GreedyAgent
from agents.random_agent import RandomAgent
from agents.streams import Streams
from agents.view import View
from piquet_env.game import Game
from piquet_env.observation import observation_scale
from piquet_env.rules.variants import PRESETS, Rules

ALL_RULES = (
    *PRESETS,
    "rubicon sinking=none",
    "rubicon first_dealer=choose sinking=partial undercall_lock=none show_scored=never",
    "rubicon sinking=partial younger_declares=in_turn younger_cb_announce=after_elder_exchange",
    "rubicon elder_max=3 leftover_reveal=after_last_trick",
    "au_cent_36 sinking=partial elder_max=9",
)

# Of 10,000 decisions by `decisions_of_frozen_parties`. These two agents never change: measures are taken against them.
SIGNATURE = "ffb705d1073363fec9ecffc1e917cb3254e22f52418af6bc07c3ff39df6eeea7"

PIPS = {"A": 11, "K": 10, "Q": 10, "J": 10, "T": 10}


def play(rules: Rules, partie: int, agents: tuple[BatchAgent, BatchAgent], decide) -> None:
    """Play a partie; `decide(agent, view)` returns the action."""
    for seat, agent in enumerate(agents):
        agent.reset(100 * partie + seat)
    game = Game(rules, seed=11, partie=partie)
    while not game.is_over:
        view = View(game.observation(game.to_act), game.action_mask(game.to_act), rules)
        game.apply(decide(agents[game.to_act], view))


def gather(rules: Rules, parties: int) -> tuple[np.ndarray, np.ndarray]:
    """Observations and masks of random play, where most that is odd comes to pass, and of greedy play."""
    seen: list[View] = []

    def decide(agent: BatchAgent, view: View) -> int:
        seen.append(view)
        return agent.act(view)

    greedy = GreedyAgent(elder_max=rules.elder_max)
    for partie in range(parties):
        play(rules, partie, ((RandomAgent(), RandomAgent()), (greedy, RandomAgent()))[partie % 2], decide)
    return np.array([view.observation for view in seen]), np.array([view.action_mask for view in seen])


@pytest.mark.parametrize("name", ALL_RULES)
def test_act_and_act_batch_agree_row_by_row(name: str) -> None:
    rules = Rules.of(name)
    observations, masks = gather(rules, 4)
    raw = np.rint(observations / observation_scale(rules.pack)).astype(np.int8)
    seeds = np.arange(len(masks))
    for agent in (RandomAgent(), GreedyAgent(), GreedyAgent(elder_max=rules.elder_max)):
        actions = agent.act_batch(observations, masks, Streams(seeds))
        assert actions.dtype == np.int64
        assert (masks[np.arange(len(masks)), actions] == 1).all()
        assert (agent.act_batch(raw, masks, Streams(seeds)) == actions).all()
        for row in range(len(masks)):
            agent.reset(int(seeds[row]))
            assert agent.act(View(observations[row], masks[row], rules)) == actions[row]


# -- greedy, written once more with lists and sorted ------------------------------------------------------------------


def pips(view: View, cards: list[int]) -> int:
    return sum(PIPS.get(view.text(card)[1]) or int(view.text(card)[1]) for card in cards)


def suits_longest_first(view: View, cards: list[int]) -> list[list[int]]:
    suits = [[card for card in cards if view.suit(card) == suit] for suit in range(4)]
    return sorted((suit for suit in suits if suit), key=lambda suit: (-len(suit), -pips(view, suit), suit[0]))


def greedy_by_hand(view: View) -> str:
    """What greedy's docstring says, in words."""
    legal = [view.words(action) for action in view.legal_actions]
    kinds = {words.split()[0] for words in legal}
    for words in ("carte blanche", "deal first", "leave", "not good", "equal"):
        if words in legal:
            return words
    if "play" in kinds:
        return "play " + view.text(play_by_hand(view))
    if "discard" in kinds:
        return discard_by_hand(view, legal)
    if "withhold" in kinds:
        return "done" if "done" in legal else legal[0]
    for kind in ("point", "sequence", "set"):
        if kind in kinds:
            return claim_by_hand(view, kind, [words for words in legal if words.startswith(kind)])
    return legal[0]


def play_by_hand(view: View) -> int:
    suits = suits_longest_first(view, view.hand)
    if view.table is None:
        masters = [
            (-view.rank(card), place, card)
            for place, suit in enumerate(suits)
            for card in suit
            if not any(view.suit(other) == view.suit(card) and other > card for other in view.unseen)
        ]
        return min(masters)[2] if masters else min(suits[0])
    same = [card for card in view.hand if view.suit(card) == view.suit(view.table)]
    if not same:
        shortest = min(suits, key=lambda suit: (len(suit), pips(view, suit), suit[0]))
        return min(shortest)
    return min([card for card in same if card > view.table] or same)


def discard_by_hand(view: View, legal: list[str]) -> str:
    number = view.rules.elder_max if view.role == "elder" else view.rules.pack - 24 - view.other_taken
    longest = suits_longest_first(view, view.hand)[0]
    others = sorted((card for card in view.hand if card not in longest), key=lambda card: (view.rank(card), card))
    thrown = [*others, *sorted(longest)][:number]
    left = [f"discard {view.text(card)}" for card in sorted(thrown) if card not in view.discards]
    return left[0] if left else "draw"


def claim_by_hand(view: View, kind: str, legal: list[str]) -> str:
    names = [words.split()[1] for words in legal]
    hand = view.text(view.hand).split()
    ranks = "6789TJQKA"

    def run(name: str) -> int:
        top = ranks.index(name[1])
        length = 0
        while top - length >= 0 and name[0] + ranks[top - length] in hand:
            length += 1
        return length

    if kind == "point":
        order = [view.text(suit[0])[0] for suit in suits_longest_first(view, view.hand)]
        return "point " + min(names, key=order.index)
    if kind == "sequence":
        if view.phase == "call":
            return "sequence " + max(names, key=lambda name: (run(name), ranks.index(name[1]), -"SHDC".index(name[0])))
        full = [n for n in names if n[1] == "A" or n[0] + ranks[ranks.index(n[1]) + 1] not in hand]
        return "sequence " + (full or names)[0]
    if view.phase == "call":
        return "set " + max(names, key=lambda rank: (sum(card[1] == rank for card in hand), ranks.index(rank)))
    return "set " + names[0]


@pytest.mark.nojit
@pytest.mark.parametrize("name", ALL_RULES)
def test_greedy_does_what_its_docstring_says(name: str) -> None:
    rules = Rules.of(name)
    phases = set()

    def decide(agent: BatchAgent, view: View) -> int:
        action = agent.act(view)
        if isinstance(agent, GreedyAgent):
            phases.add(view.phase)
            assert view.words(action) == greedy_by_hand(view), view.text(view.hand)
        return action

    greedy = GreedyAgent(elder_max=rules.elder_max)
    for partie in range(6):
        other = (RandomAgent(), greedy)[partie % 3 == 2]
        play(rules, partie, (greedy, other) if partie % 2 else (other, greedy), decide)
    assert {"exchange elder", "exchange younger", "lead", "follow"} <= phases
    assert "sinking=none" in name or {"call", "reply", "declare", "further"} <= phases


def test_greedy_withholds_only_what_may_not_be_spoken() -> None:
    rules = Rules.of("cavendish")
    forced = 0

    def decide(agent: BatchAgent, view: View) -> int:
        nonlocal forced
        words = view.words(GreedyAgent().act(view))
        if words.startswith("withhold"):
            forced += 1
            assert "done" not in [view.words(action) for action in view.legal_actions]
            assert view.legal_actions[0] == view.action(words)
        return agent.act(view)

    for partie in range(40):
        play(rules, partie, (RandomAgent(), RandomAgent()), decide)
    assert forced


def test_greedy_exchanges_the_full_number_that_the_rules_allow() -> None:
    for name, number in (("rubicon", 5), ("rubicon elder_max=3", 3), ("rubicon elder_max=7", 7), ("au_cent_36", 7)):
        game = Game(name, seed=3)
        agent = GreedyAgent(elder_max=game.rules.elder_max)
        while game.state["taken"][0] < 0:
            game.apply(agent.act(View(game.observation(game.to_act), game.action_mask(game.to_act), game.rules)))
        assert game.state["taken"][0] == number


# -- random -----------------------------------------------------------------------------------------------------------


def test_random_is_uniform_over_the_mask() -> None:
    masks = np.zeros((60_000, 140), dtype=np.int8)
    masks[:, [3, 50, 139]] = 1
    actions = RandomAgent().act_batch(np.zeros((60_000, 1)), masks, np.random.default_rng(1))
    found, counts = np.unique(actions, return_counts=True)
    assert found.tolist() == [3, 50, 139]
    assert (abs(counts - 20_000) < 500).all()


def test_a_mask_of_zeros_has_no_action() -> None:
    game = Game("rubicon", seed=1)
    other = 1 - game.to_act
    observations, masks = game.observation(other)[None], game.action_mask(other)[None]
    for agent in (RandomAgent(), GreedyAgent()):
        assert agent.act_batch(observations, masks, Streams([1])).tolist() == [-1]


def test_another_observation_is_refused() -> None:
    with pytest.raises(AgentError, match="7 entries"):
        GreedyAgent().act_batch(np.zeros((1, 7), dtype=np.float32), np.zeros((1, 140), dtype=np.int8), Streams([1]))


# -- both -------------------------------------------------------------------------------------------------------------


def test_they_are_named_and_picklable() -> None:
    for agent in (RandomAgent(), GreedyAgent(elder_max=3)):
        agent.reset(5)
        game = Game("rubicon", seed=2)
        view = View(game.observation(game.to_act), game.action_mask(game.to_act), game.rules)
        copy = pickle.loads(pickle.dumps(agent))
        assert copy.name == agent.name
        assert [copy.act(view) for _ in range(5)] == [agent.act(view) for _ in range(5)]


def decisions_of_frozen_parties(number: int) -> list[int]:
    """The first decisions of parties of greedy and random on fixed decks, over all rules in turn."""
    decisions: list[int] = []
    share = -(-number // len(ALL_RULES))
    for name in ALL_RULES:
        rules = Rules.of(name)
        mine: list[int] = []

        def decide(agent: BatchAgent, view: View, mine: list[int] = mine) -> int:
            mine.append(agent.act(view))
            return mine[-1]

        partie = 0
        while len(mine) < share:
            greedy, other = GreedyAgent(elder_max=rules.elder_max), (RandomAgent(), GreedyAgent())[partie % 3 == 2]
            play(rules, partie, (greedy, other) if partie % 2 else (other, greedy), decide)
            partie += 1
        decisions += mine[:share]
    return decisions[:number]


def test_their_behaviour_is_frozen() -> None:
    decisions = decisions_of_frozen_parties(10_000)
    assert len(decisions) == 10_000
    assert hashlib.sha256(np.array(decisions, dtype="<i2").tobytes()).hexdigest() == SIGNATURE
