"""A row of a lock-step plays as a `Game` does."""

import numpy as np
import pytest

from agents.lockstep import Lockstep
from agents.random_agent import RandomAgent
from agents.streams import Streams
from piquet_env.game import Game
from piquet_env.rules.state import NOBODY
from piquet_env.rules.variants import PRESETS, Rules


@pytest.mark.nojit
@pytest.mark.parametrize("name", [*PRESETS, "rubicon first_dealer=choose sinking=none deals=2"])
def test_every_row_is_the_game_of_its_partie(name: str) -> None:
    rules, parties = Rules.of(name), [4, 0]
    table = Lockstep(rules, 5, parties)
    games = [Game(rules, seed=5, partie=partie) for partie in parties]
    agent, streams = RandomAgent(), Streams([1, 2])
    while (table.to_act != NOBODY).any():
        rows = np.flatnonzero(table.to_act != NOBODY)
        observations, masks = table.observe(rows)
        actions = agent.act_batch(observations, masks, streams.rows(rows))
        for place, row in enumerate(rows.tolist()):
            game = games[row]
            assert table.to_act[row] == game.to_act
            assert (observations[place] == game.observation(game.to_act)).all()
            assert (masks[place] == game.action_mask(game.to_act)).all()
            game.apply(int(actions[place]))
        assert table.apply(rows, actions).all()
    for row, game in enumerate(games):
        assert game.is_over
        assert table.states[row].tobytes() == game.state.tobytes()
        assert table.settlement(row) == game.returns()[0]
        assert table.below_the_line(row) == game.result.rubicon
        assert table.tallies["elder_deals"][row].sum() == game.result.deals
        assert table.game(row) == game


def test_an_illegal_action_changes_nothing() -> None:
    table = Lockstep(Rules.of("rubicon"), 5, [0, 1, 2])
    before = table.states.copy()
    legal = table.apply(np.array([0, 2]), np.array([-1, 0]))
    assert legal.tolist() == [False, False]
    assert table.states.tobytes() == before.tobytes()


def test_the_record_grows_with_a_long_partie() -> None:
    rules = Rules.of("rubicon deals=30")
    table = Lockstep(rules, 5, [3])
    rows, agent, streams = np.array([0]), RandomAgent(), Streams([9])
    while table.to_act[0] != NOBODY:
        table.apply(rows, agent.act_batch(*table.observe(rows), streams))
    game = table.game(0)
    assert len(game.actions) > 640
    assert game.is_over
