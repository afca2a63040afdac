"""Lessons for the exchange: what is collected is what the teacher throws, and each example could have been played."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("sb3_contrib")

torch.set_num_threads(1)  # as train.py does

from agents.learned.actor_critic import Perceptron  # noqa: E402
from agents.learned.company import batched_agent  # noqa: E402
from agents.learned.exchange_lessons import (  # noqa: E402
    Exchanges,
    collect_exchanges,
    draw_examples,
    exchange_suits,
    teach_exchange,
)
from agents.learned.reading import reading_of  # noqa: E402
from piquet_env import Rules  # noqa: E402
from piquet_env.game import Game  # noqa: E402
from piquet_env.observation import decode, observation_scale  # noqa: E402


def collect(number: int, rules: Rules, teacher: str = "greedy") -> Exchanges:
    return collect_exchanges(batched_agent(teacher, rules), rules, number, 1)


@pytest.mark.parametrize("name", ["rubicon", "au_cent_36", "swedish"])
def test_what_is_collected_is_what_the_teacher_throws(name: str) -> None:
    rules = Rules.of(name)
    exchanges = collect(300, rules)
    assert len(exchanges.rows) >= 300
    facts = decode(exchanges.rows)
    assert (facts["discards"] == 0).all()
    assert ((facts["hand"] > 0) >= exchanges.sets).all()
    teacher, rng = batched_agent("greedy", rules), np.random.default_rng(1)
    pack, draw = rules.pack, 3 * rules.pack
    for row in range(0, 300, 7):
        seen, laid = exchanges.rows[row : row + 1].copy(), set()
        while True:
            mask = np.zeros((1, 3 * pack + 44), dtype=np.int8)
            allowed = [card for card in range(pack) if decode(seen)["hand"][0, card] and card > max(laid, default=-1)]
            mask[0, [pack + card for card in allowed]] = 1
            mask[0, draw] = len(laid) > 0 or (exchanges.draws[row] and not exchanges.sets[row].any())
            if len(laid) == exchanges.sets[row].sum() and not exchanges.draws[row]:
                break
            action = int(teacher.act_batch(seen, mask, rng)[0])
            if action == draw:
                break
            laid.add(action - pack)
            decode(seen)["discards"][0, action - pack] = 1
        assert laid == set(np.flatnonzero(exchanges.sets[row]).tolist())


def test_examples_have_the_masks_of_the_game() -> None:
    """Elder's exchanges, the suits left alone, are played in a game from the same hand: each example stands there."""
    rules = Rules()
    exchanges = collect(200, rules)
    elder = np.flatnonzero(decode(exchanges.rows)["elder"][:, 0] > 0)[:60]
    compared = 0
    for place in elder.tolist():
        hand = np.flatnonzero(decode(exchanges.rows)["dealt"][place])
        rest = np.setdiff1d(np.arange(32), hand)
        deck = np.concatenate([hand, rest]).astype(np.int8)
        for seed in range(40):
            rng = np.random.default_rng(seed)
            example = draw_examples(exchanges, 32, np.array([place]), rng)
            if (decode(example.rows)["dealt"][0] != decode(exchanges.rows)["dealt"][place]).any():
                continue  # the suits were exchanged
            game = Game(rules, decks=[deck], dealer=1)
            while game.legal_actions() and not game.action_mask(game.to_act)[32:64].any():
                game.apply(game.legal_actions()[-1])
            for card in np.flatnonzero(decode(example.rows)["discards"][0]):
                game.apply(32 + int(card))
            assert (game.action_mask(game.to_act) == example.masks[0]).all()
            seen = np.rint(game.observation(game.to_act) / observation_scale(32)).astype(np.int8)
            for block in ("hand", "dealt", "discards", "unseen", "phase", "elder"):
                assert (decode(seen)[block] == decode(example.rows[0])[block]).all()
            assert example.masks[0, example.actions[0]]
            compared += 1
            break
    assert compared > 20


@pytest.mark.parametrize("name", ["rubicon", "au_cent_36"])
def test_exchanged_suits_are_the_same_hand_in_other_clothes(name: str) -> None:
    rules = Rules.of(name)
    pack, ranks = rules.pack, rules.pack // 4
    exchanges = collect(100, rules)
    suits = np.array([[2, 0, 3, 1]] * len(exchanges.rows))
    rows, sets = exchange_suits(exchanges.rows, exchanges.sets, suits, pack)
    for before, now in ((exchanges.sets, sets), (decode(exchanges.rows)["unseen"], decode(rows)["unseen"])):
        for suit in range(4):
            source = suits[0, suit] * ranks
            assert (now[:, suit * ranks : suit * ranks + ranks] == before[:, source : source + ranks]).all()
    facts, same = decode(rows), decode(exchanges.rows)
    assert all((facts[name] == same[name]).all() for name in ("phase", "elder", "own_taken", "own_total"))


def test_all_steps_of_an_exchange_are_drawn() -> None:
    exchanges = collect(50, Rules())
    examples = draw_examples(exchanges, 32, np.zeros(2000, dtype=np.int64), np.random.default_rng(1))
    done = decode(examples.rows)["discards"].sum(axis=1)
    assert set(done.tolist()) == set(range(int(exchanges.sets[0].sum()) + int(exchanges.draws[0])))
    assert examples.masks[np.arange(2000), examples.actions].all()
    laid = np.where(examples.actions < 96, examples.actions - 32, 99)
    assert (laid > np.where(decode(examples.rows)["discards"] > 0, np.arange(32), -1).max(axis=1)).all()


@pytest.mark.slow
def test_a_network_learns_what_its_teacher_throws() -> None:
    rules, reading = Rules(), reading_of("suits", 32)
    torch.manual_seed(1)
    network = Perceptron(reading.num_own, 64, 2, 140, is_own=True, last_gain=0.01, precision="float32")
    exchanges = collect(6000, rules)
    first = teach_exchange(network, reading, Exchanges(*(part[:200] for part in exchanges)), 1)
    assert teach_exchange(network, reading, exchanges, 1) < 0.5 * first
