"""The local best response: its belief is Bayes' over every hidden card, and it plays by it."""

from __future__ import annotations

import itertools
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from agents.arena import play_match
from agents.base import AgentError, BatchAgent, Probabilities, certain
from agents.evaluation.identity import identity
from agents.exploit.agent import LocalBestResponse
from agents.exploit.belief import DealBelief, sample_evenly
from agents.exploit.worlds import Hidden
from agents.greedy_agent import GreedyAgent
from agents.random_agent import RandomAgent
from agents.registry import make_agent, split_spec
from agents.streams import RowRandom
from agents.view import View
from piquet_env.game import Game
from piquet_env.rules.cards import cards_in
from piquet_env.rules.shuffle import deck_of
from piquet_env.rules.variants import PRESETS, Rules


class Mixed(BatchAgent):
    """Plays as `greedy` in three cases of four, else the highest legal action."""

    def __init__(self) -> None:
        self.greedy = GreedyAgent()

    def act_batch(self, observations: np.ndarray, masks: np.ndarray, rng: RowRandom) -> np.ndarray:
        best = self.greedy.act_batch(observations, masks, rng)
        highest = masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)
        return np.where(rng.random(len(masks)) < 0.75, best, highest)

    def probabilities(self, observations: np.ndarray, masks: np.ndarray) -> Probabilities:
        size = masks.shape[1]
        highest = size - 1 - masks[:, ::-1].argmax(axis=1)
        return 0.75 * self.greedy.probabilities(observations, masks) + 0.25 * certain(highest, size)


# -- brute force: every deck, every hidden action, one game at a time -------------------------------------------------


def decks_alike(deck: list[int], is_elder: bool, elder_max: int) -> list[list[int]]:
    """Every deck that a seat cannot tell from `deck` once both have drawn all they may; their order is nothing."""
    if is_elder:
        hidden, drawn = deck[12:24] + deck[24 + elder_max :], deck[24 : 24 + elder_max]
        own = deck[:12]
    else:
        hidden, drawn = deck[:12] + deck[24 : 24 + elder_max], deck[24 + elder_max :]
        own = deck[12:24]
    found = []
    for hand in itertools.combinations(sorted(hidden), 12):
        rest = sorted(set(hidden) - set(hand))
        found.append([*own, *hand, *drawn, *rest] if is_elder else [*hand, *own, *rest, *drawn])
    return found


def brute_force(
    rules: Rules,
    seat: int,
    dealer: int,
    decks: list[list[int]],
    steps: list,
    observation: np.ndarray,
    other: BatchAgent,
) -> dict[tuple[int, int], float]:
    """The chance of each (hand, discards) of the other, by Bayes' rule over all that he may have done."""
    chances: Counter = Counter()

    def follow(game: Game, number: int, chance: float) -> None:
        if game.is_over or game.deal_number > 1:
            return
        if game.to_act == seat:
            seen = steps[number][0] if number < len(steps) else observation
            if not np.array_equal(game.observation(seat), seen):
                return
            if number == len(steps):
                role = 0 if dealer == seat else 1
                state = game.state
                chances[int(state["hands"][role]), int(state["discards"][role])] += chance
                return
            following = game.clone()
            following.apply(steps[number][1])
            follow(following, number + 1, chance)
            return
        told = other.probabilities(game.observation(1 - seat)[None], game.action_mask(1 - seat)[None])[0]
        for action in np.flatnonzero(told).tolist():
            following = game.clone()
            following.apply(action)
            follow(following, number, chance * float(told[action]))

    for deck in decks:
        follow(Game(rules, seed=0, decks=[np.array(deck)], dealer=dealer), 0, 1.0)
    whole = sum(chances.values())
    return {key: chance / whole for key, chance in chances.items()}


def collect(belief: DealBelief, role: int) -> dict[tuple[int, int], float]:
    chances: Counter = Counter()
    rows = belief.rows
    for hand, discards, weight in zip(rows["hands"][:, role], rows["discards"][:, role], belief.weights, strict=True):
        chances[int(hand), int(discards)] += float(weight)
    whole = sum(chances.values())
    return {key: chance / whole for key, chance in chances.items()}


@pytest.mark.parametrize("other", [RandomAgent, Mixed, GreedyAgent])
@pytest.mark.parametrize(
    ("text", "is_elder"),
    [
        ("rubicon elder_max=7", True),  # the talon leaves one card that elder does not see
        ("rubicon elder_max=1", False),
        ("rubicon elder_max=1 sinking=partial younger_declares=in_turn", False),
    ],
)
def test_weights_are_those_of_bayes_rule(text: str, is_elder: bool, other: type[BatchAgent]) -> None:
    rules = Rules.of(text)
    elder_max = int(rules.elder_max)
    dealer = 1 if is_elder else 0
    checked = 0
    for seed in range(2):
        deck = deck_of(seed, 3, 1).tolist()
        opponent = other()
        opponent.reset(seed)
        lbr = LocalBestResponse(
            opponent=other(), base=GreedyAgent(elder_max=elder_max), rules=rules, worlds=100_000, games=4
        )
        lbr.reset(seed)
        game = Game(rules, seed=0, decks=[np.array(deck)], dealer=dealer)
        steps: list = []
        while game.deal_number == 1:
            seat = game.to_act
            view = View(game.observation(seat), game.action_mask(seat), rules)
            if seat == 1:
                game.apply(opponent.act(view))
                continue
            if view.phase in ("lead", "follow") and len(view.hand) in (12, 11, 8, 3):
                belief = lbr.belief(view)
                assert belief.is_exact
                decks = decks_alike(deck, is_elder, elder_max)
                if not is_elder and int(view.facts["other_taken"][0]) - 1 < elder_max:
                    continue
                expected = brute_force(rules, 0, dealer, decks, steps, view.observation, other())
                found = collect(belief, 1 - (0 if is_elder else 1))
                assert found.keys() == expected.keys()
                assert all(np.isclose(found[key], expected[key], rtol=1e-9) for key in expected)
                checked += 1
            action = lbr.act(view)
            steps.append((view.observation.copy(), action))
            game.apply(action)
    assert checked >= 6


@pytest.mark.parametrize(("labels", "ways"), [([0, 0, 1], 3), ([0, 0, 1, 1, 2], 30), ([0, 1, 2, 3], 24), ([2, 2], 1)])
def test_every_arrangement_is_listed_once(labels: list[int], ways: int) -> None:
    from agents.exploit.worlds import Layout

    size = len(labels)
    hidden = Hidden(np.arange(size, dtype=np.int8), np.arange(size), np.array(labels))
    decks, is_whole = Layout(np.full(size, -1, dtype=np.int8), (hidden,)).decks(100, 1)
    groups = {tuple(tuple(sorted(d[np.array(labels) == label])) for label in sorted(set(labels))) for d in decks}
    assert is_whole
    assert hidden.ways() == len(decks) == len(groups) == ways
    assert all(sorted(deck) == list(range(size)) for deck in decks.tolist())


def test_an_even_sample_is_in_proportion() -> None:
    weights = np.array([1.0, 0.0, 2.0, 5.0])
    for offset in (0.0, 0.3, 0.99):
        assert np.bincount(sample_evenly(weights, 16, offset), minlength=4).tolist() == [2, 0, 4, 10]


# -- play -------------------------------------------------------------------------------------------------------------


def play_and_check(rules: Rules, other: str, seed: int, worlds: int) -> int:
    """Play a partie; check at each card that the true hand is believed in, if nothing is sampled."""
    opponent = make_agent(other, rules)
    lbr = LocalBestResponse(
        opponent=make_agent(other, rules), base=make_agent("greedy", rules), rules=rules, worlds=worlds, games=2
    )
    opponent.reset(seed)
    lbr.reset(seed)
    game, exact = Game(rules, seed=seed), 0
    while not game.is_over:
        seat = game.to_act
        view = View(game.observation(seat), game.action_mask(seat), rules)
        if seat == 0 and view.phase in ("lead", "follow"):
            belief, state = lbr.belief(view), game.state
            role = 0 if state["dealer"] == 0 else 1
            found = belief.rows["hands"][:, role] == state["hands"][role]
            found &= belief.rows["discards"][:, role] == state["discards"][role]
            assert found.any() or not belief.is_exact
            assert (belief.weights > 0).all()
            assert {len(cards_in(int(hand), rules.ranks)) for hand in belief.rows["hands"][:, role]} <= {
                len(cards_in(int(state["hands"][role]), rules.ranks))
            }
            exact += belief.is_exact
        game.apply((lbr if seat == 0 else opponent).act(view))
    return exact


@pytest.mark.parametrize("name", PRESETS)
def test_the_true_hand_is_always_believed_in(name: str) -> None:
    rules = Rules.preset(name)
    if rules.form == "rubicon":
        assert play_and_check(rules.replace(deals=2), "greedy", 4, 8192) == 24
    else:
        assert play_and_check(rules.replace(games=1), "greedy", 4, 8192) > 12


def test_a_sampled_belief_holds_only_hands_that_can_be() -> None:
    """`random` exchanges few cards: elder sees and leaves some, younger leaves others unseen."""
    for text in ("rubicon elder_max=7 younger_must_exchange=False", "rubicon elder_max=2"):
        play_and_check(Rules.of(text).replace(deals=2), "random", 2, 2_000)


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("other", ["greedy", "random"])
def test_it_plays_legally(name: str, other: str) -> None:
    match = play_match(
        f"lbr:worlds=100,games=2,base=greedy,continuation=greedy,against={other}", other, name, parties=2
    )
    assert match.illegal_or_crashed == (0, 0)


def test_the_same_seed_gives_the_same_match() -> None:
    spec = "lbr:worlds=200,games=4,base=greedy,continuation=random,against=random"
    first, second = (play_match(spec, "random", "rubicon deals=2", parties=4, seed=3) for _ in range(2))
    assert (first.records == second.records).all()


def test_it_takes_the_card_that_its_opponent_answers_worst() -> None:
    """Against an opponent that it knows card for card it gains on the very agent that decides all else for it."""
    spec = "lbr:worlds=1000,games=8,base=greedy,continuation=greedy,against=greedy"
    match = play_match(spec, "greedy", "rubicon", parties=12, seed=2)
    own, other = match.deal_points
    assert own > other + 3


# -- specs ------------------------------------------------------------------------------------------------------------


def test_the_others_spec_takes_all_behind_its_name() -> None:
    assert split_spec("lbr:against=greedy") == ("lbr", {"against": "greedy"})
    assert split_spec("lbr:worlds=9,base=random,against=heuristic:style=bold") == (
        "lbr",
        {"worlds": 9, "base": "random", "against": "heuristic:style=bold"},
    )
    assert split_spec("lbr:against=policy:runs/lr=1/p.safetensors:greedy=true")[1] == {
        "against": "policy:runs/lr=1/p.safetensors:greedy=true"
    }
    agent = make_agent("lbr:games=3,against=heuristic:style=bold")
    assert agent.name == "lbr:against=heuristic:style=bold"
    assert agent.games == 3


def test_the_others_file_belongs_to_its_identity(tmp_path: Path) -> None:
    path = tmp_path / "p.safetensors"
    path.write_bytes(b"1")
    spec = f"lbr:games=3,against=policy:{path}"
    before = identity(spec)
    path.write_bytes(b"2")
    assert set(before) == {"spec", str(path)}
    assert identity(spec) != before


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("lbr", "against"),
        ("lbr:against=search", "lbr cannot answer search, which does not tell its probabilities"),
        ("lbr:against=lbr:against=greedy", "does not tell its probabilities"),
        ("lbr:worlds=0,against=greedy", "worlds is a whole number from 1 to 1000000, not 0"),
        ("lbr:from_cards=13,against=greedy", "from_cards"),
        ("lbr:against=nobody", "unknown agent 'nobody'"),
        ("lbr:continuation=lbr,against=greedy", "against"),
    ],
)
def test_what_cannot_be_is_refused(spec: str, message: str) -> None:
    with pytest.raises(AgentError, match=message):
        make_agent(spec)
