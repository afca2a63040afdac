"""Where the parties of a batch begin: a row that begins inside a partie is a `Game` that begins there."""

import pickle
from typing import Any

import numpy as np
import pytest

from piquet_env import Game, PiquetBatch, Rules
from piquet_env.batch import AUTORESET_MODES
from piquet_env.rewards import RewardRule
from tests.env.playing import BLANCHE, RULES, choose_rows, has_equity

SEED = 70
ROWS = 4


def starts_of(rules: Rules, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Return places for ROWS parties to begin; the last row begins with the cut."""
    last = rules.deals if rules.form == "rubicon" else 12
    numbers = rng.integers(2, last + 1, ROWS)
    totals = rng.integers(0, 130 if rules.form == "rubicon" else rules.target, (ROWS, 2))
    dealers = rng.integers(0, 2, ROWS)
    numbers[-1], dealers[-1] = 1, -1
    return {"totals": totals, "deal_numbers": numbers, "dealers": dealers}


def game_of(rules: Rules, row: int, partie: int, starts: dict[str, np.ndarray]) -> Game:
    dealer = int(starts["dealers"][row])
    return Game(
        rules,
        seed=SEED + row,
        partie=partie,
        totals=starts["totals"][row].tolist(),
        deal_number=int(starts["deal_numbers"][row]),
        dealer=None if dealer < 0 else dealer,
    )


def compare(batch: PiquetBatch, games: list[Game]) -> None:
    for row, game in enumerate(games):
        seat = game.to_act
        assert seat is not None
        assert batch.buffers.to_act[row] == seat
        assert np.array_equal(batch.buffers.observation[row], game.observation(seat))
        assert np.array_equal(batch.buffers.action_mask[row], game.action_mask(seat))


@pytest.mark.slow
@pytest.mark.parametrize("rules", RULES)
def test_a_row_begins_where_a_game_does(rules: str) -> None:
    rng = np.random.default_rng(3)
    own = Rules.of(rules)
    starts = starts_of(own, rng)
    batch = PiquetBatch(ROWS, own, reward="equity" if has_equity(rules) else "deal_points", seed=SEED)
    rule = RewardRule(batch.reward, own)
    batch.set_starts(np.arange(ROWS), **starts)
    batch.reset()
    games, parties = [game_of(own, row, 0, starts) for row in range(ROWS)], [0] * ROWS
    ended = 0
    while ended < 6:
        compare(batch, games)
        actions = choose_rows(batch.buffers.action_mask, rng)
        paid = []
        for row, game in enumerate(games):
            before, deals = rule.expectation(game), len(game.deal_points)
            game.apply(int(actions[row]))
            paid.append(rule.of_deals(game, deals, before) if len(game.deal_points) > deals else 0.0)
            if not game.is_over:
                continue
            ended += 1
            parties[row] += 1
            games[row] = game_of(own, row, parties[row], starts)
        batch.step(actions)
        assert batch.buffers.rewards[:, 0].tolist() == np.float32(paid).tolist()
    assert max(parties) > 1


@pytest.mark.nojit
def test_a_row_begins_where_a_game_does_at_first_sight() -> None:
    rules = Rules()
    starts = starts_of(rules, np.random.default_rng(5))
    batch = PiquetBatch(ROWS, rules, seed=SEED)
    batch.set_starts(np.arange(ROWS), **starts)
    before = [Game(rules, seed=SEED + row) for row in range(ROWS)]
    compare(batch, before)  # nothing changes until a partie begins
    batch.reset_rows([1, 3])
    after = [before[0], game_of(rules, 1, 1, starts), before[2], game_of(rules, 3, 1, starts)]
    compare(batch, after)


@pytest.mark.parametrize("autoreset", AUTORESET_MODES)
def test_parties_begin_there_however_they_are_reset(autoreset: str) -> None:
    rng = np.random.default_rng(4)
    batch = PiquetBatch(1, "rubicon", seed=SEED, autoreset=autoreset)
    batch.set_starts([0], totals=np.array([[40, 90]]), deal_numbers=np.array([6]), dealers=np.array([1]))
    while not batch.buffers.terminated[0]:
        batch.step(choose_rows(batch.buffers.action_mask, rng))
    if autoreset == "disabled":
        batch.reset_rows([0])
    elif autoreset == "next_step":
        batch.step(choose_rows(batch.buffers.action_mask, rng))
    states = batch.states(np.arange(1))
    assert states["totals"][0].tolist() == [40, 90]
    assert (states["deal_number"][0], states["dealer"][0]) == (6, 1)
    assert batch.buffers.to_act[0] == 0  # elder, who does not deal


def test_a_snapshot_keeps_where_parties_begin() -> None:
    batch, twin = PiquetBatch(3, seed=1), PiquetBatch(3, seed=2)
    batch.set_starts([2], totals=np.array([[50, 60]]), deal_numbers=np.array([4]), dealers=np.array([0]))
    twin.restore(batch.snapshot())
    copied = pickle.loads(pickle.dumps(batch))
    for one in (batch, twin, copied):
        one.reset_rows([2])
        assert one.totals(np.arange(3)).tolist() == [[0, 0], [0, 0], [50, 60]]


def test_a_snapshot_from_before_begins_at_nothing() -> None:
    batch, twin = PiquetBatch(3, seed=1), PiquetBatch(3, seed=1)
    batch.set_starts([2], totals=np.array([[50, 60]]), deal_numbers=np.array([4]), dealers=np.array([0]))
    snapshot = twin.snapshot()
    del snapshot["starts"]
    batch.restore(snapshot)
    batch.reset_rows([2])
    assert batch.totals(np.array([2])).tolist() == [[0, 0]]


@pytest.mark.parametrize(
    ("rules", "changes", "words"),
    [
        ("rubicon", {"deal_numbers": [1, 7]}, "deal_numbers must lie between 1 and 6; at place 1 stand totals"),
        ("rubicon", {"deal_numbers": [0, 1]}, "between 1 and 6"),
        ("rubicon", {"totals": [[-1, 0], [0, 0]]}, "totals must lie between 0 and 500000"),
        ("rubicon", {"dealers": [2, 0]}, "dealers must be 0 or 1, or -1"),
        ("rubicon", {"dealers": np.array([2**64 - 1, 0], dtype=np.uint64)}, "dealers must be 0 or 1, or -1"),
        ("rubicon", {"dealers": [0, -1], "deal_numbers": [2, 2]}, "place 1 stand totals .0, 0., deal 2, dealer -1"),
        ("rubicon", {"totals": [0, 0]}, r"totals must be whole numbers of shape \(2, 2\)"),
        ("rubicon", {"dealers": [0.0, 1.0]}, "dealers must be whole numbers"),
        ("au_cent", {"totals": [[0, 100], [0, 0]]}, "totals must lie between 0 and 99"),
    ],
)
def test_what_no_partie_can_come_to_is_refused(rules: str, changes: dict[str, Any], words: str) -> None:
    batch = PiquetBatch(3, rules)
    before = pickle.dumps(batch.snapshot())
    starts: dict[str, Any] = {"totals": [[0, 0], [0, 0]], "deal_numbers": [2, 2], "dealers": [0, 1]} | changes
    with pytest.raises(ValueError, match=words):
        batch.set_starts([0, 2], **starts)
    assert pickle.dumps(batch.snapshot()) == before
    with pytest.raises(ValueError, match="distinct"):
        batch.set_starts([1, 1], totals=[[0, 0]] * 2, deal_numbers=[1, 1], dealers=[0, 0])


AT_ONCE = "au_cent carte_blanche_claim=automatic games="
BLANCHE_SEED = 2112  # elder has a carte blanche in the first deal of partie 1
START: dict[str, Any] = {"totals": [[95, 95]], "deal_numbers": [1], "dealers": [1]}


@pytest.mark.parametrize("autoreset", AUTORESET_MODES)
def test_a_partie_that_a_carte_blanche_ends_at_once_holds_nothing_up(autoreset: str) -> None:
    batch = PiquetBatch(1, AT_ONCE + "1", decks=BLANCHE[None, None], autoreset=autoreset)
    batch.set_starts([0], **START)
    batch.reset()
    assert batch.buffers.rewards[0].tolist() == [1, -1]  # as `raw_env` pays it with the reset
    if autoreset != "same_step":
        assert (batch.buffers.to_act[0], batch.buffers.terminated[0], batch.finals.settlement[0]) == (-1, True, 1)
    if autoreset == "disabled":
        batch.reset_rows([0])
    elif autoreset == "next_step":
        batch.step([0])
    game = Game(AT_ONCE + "1", seed=0, partie=1, totals=(95, 95), dealer=1)
    compare(batch, [game])
    batch.step([int(batch.buffers.action_mask[0].argmax())])


@pytest.mark.parametrize("games", [1, 3])
@pytest.mark.parametrize("autoreset", AUTORESET_MODES)
def test_equity_is_paid_from_behind_a_deal_that_ended_at_once(autoreset: str, games: int) -> None:
    """The rewards of each partie add up to its settlement less what is expected where somebody can first act."""
    batch = PiquetBatch(1, f"{AT_ONCE}{games}", reward="equity", seed=BLANCHE_SEED, autoreset=autoreset)
    rule, rng = RewardRule("equity", batch.rules), np.random.default_rng(1)
    batch.set_starts([0], **START)
    batch.reset()
    seen = 0
    for partie in range(3):
        game = Game(batch.rules, seed=BLANCHE_SEED, partie=partie, totals=(95, 95), dealer=1)
        seen += bool(game.deal_points)
        if partie and autoreset != "same_step":
            batch.step([0]) if autoreset == "next_step" else batch.reset_rows([0])
            assert not batch.buffers.rewards.any()
        if game.is_over:
            continue
        compare(batch, [game])
        expected, paid = rule.expectation(game), 0.0
        while not game.is_over:
            action = choose_rows(batch.buffers.action_mask, rng)
            game.apply(int(action[0]))
            batch.step(action)
            paid += float(batch.buffers.rewards[0, 0])
        assert paid == pytest.approx(game.returns()[0] - expected, abs=1e-5)
    assert seen == 1
