"""Boards: a row that begins at one is the `Game` that begins there, and a single deal pays the change of equity."""

import numpy as np
import pytest

from agents.arena import play_match
from agents.boards import Boards
from agents.lockstep import Lockstep
from agents.random_agent import RandomAgent
from agents.streams import Streams
from piquet_env.game import Game
from piquet_env.rewards import RewardRule
from piquet_env.rules.shuffle import deck_of
from piquet_env.rules.state import NOBODY
from piquet_env.rules.variants import Rules

RULES = Rules()


def some_boards(*, one_deal: bool, decks: int = 1, pack: int = 32) -> Boards:
    return Boards(
        decks=np.array([[deck_of(77, board, deal, pack) for deal in range(decks)] for board in range(4)]),
        numbers=np.array([1, 3, 5, 6]),
        dealers=np.array([0, 1, 1, 0]),
        totals=np.array([[0, 0], [40, 75], [95, 20], [88, 99]]),
        actions=np.zeros((4, 0), dtype=np.int16),
        lengths=np.zeros(4, dtype=np.int64),
        one_deal=one_deal,
    )


def game_of(boards: Boards, board: int, seed: int) -> Game:
    return Game(RULES, **boards.start(board, seed)._asdict())


@pytest.mark.nojit
@pytest.mark.parametrize("one_deal", [False, True])
def test_every_row_is_the_game_of_its_board(one_deal: bool) -> None:
    boards = some_boards(one_deal=one_deal, decks=1 if one_deal else 2)
    rows_of = [2, 0, 3, 1, 3]
    table = Lockstep(RULES, 5, rows_of, boards=boards)
    games = [game_of(boards, board, 5) for board in rows_of]
    rule = RewardRule("equity", RULES)
    before = [rule.expectation(game) for game in games]
    agent, streams = RandomAgent(), Streams(np.arange(5, dtype=np.uint64))
    while len(rows := np.flatnonzero(table.to_act != NOBODY)):
        observations, masks = table.observe(rows)
        actions = agent.act_batch(observations, masks, streams.rows(rows))
        for place, row in enumerate(rows.tolist()):
            game = games[row]
            assert (observations[place] == game.observation(game.to_act)).all()
            assert (masks[place] == game.action_mask(game.to_act)).all()
            game.apply(int(actions[place]))
        assert table.apply(rows, actions).all()
    for row, game in enumerate(games):
        assert table.game(row) == game
        points = table.tallies["elder_points"][row] + table.tallies["younger_points"][row]
        assert points.tolist() == np.sum(game.deal_points, axis=0).tolist()
        if one_deal:
            assert len(game.deal_points) == 1
            assert table.settlement(row) == rule.expectation(game) - before[row]
            assert table.below_the_line(row) == ((False, False) if game.result is None else game.result.rubicon)
        else:
            assert game.is_over
            assert table.settlement(row) == game.returns()[0]
            assert table.below_the_line(row) == game.result.rubicon


def test_decisions_that_have_been_made_stand_at_the_beginning() -> None:
    boards = some_boards(one_deal=True)
    table = Lockstep(RULES, 5, range(4), boards=boards)
    made = [[], [0, 1], [0], [0, 1, 2, 3]]  # the lowest legal actions, so many decisions
    for row, steps in enumerate(made):
        game = table.game(row)
        for place in range(len(steps)):
            steps[place] = game.legal_actions()[0]
            game.apply(steps[place])
    actions = np.full((4, 4), -1, dtype=np.int16)
    for row, steps in enumerate(made):
        actions[row, : len(steps)] = steps
    lengths = np.array([len(steps) for steps in made])
    later = Lockstep(RULES, 5, range(4), boards=with_actions(boards, actions, lengths))
    for row, steps in enumerate(made):
        assert later.decisions(row) == steps
        game = game_of(boards, row, 5)
        for action in steps:
            game.apply(action)
        assert later.states[row].tobytes() == game.state.tobytes()
    actions[2, 0] = 139
    with pytest.raises(ValueError, match="board 2 holds a decision that is not legal"):
        Lockstep(RULES, 5, range(4), boards=with_actions(boards, actions, lengths))


def with_actions(boards: Boards, actions: np.ndarray, lengths: np.ndarray) -> Boards:
    return Boards(**{**vars(boards), "actions": actions, "lengths": lengths})


def test_a_match_on_boards_is_duplicate() -> None:
    for one_deal in (False, True):
        match = play_match("random", "random", parties=8, boards=some_boards(one_deal=one_deal))
        halves = match.records["settlement"].reshape(-1, 2)
        assert (halves[:, 0] == -halves[:, 1]).all()
        assert np.abs(halves).min() > 0
        assert (match.records["deals"] == 1).all() == one_deal


def test_boards_that_do_not_fit_are_refused_in_one_sentence() -> None:
    with pytest.raises(ValueError, match="4 boards are not enough for 9 parties"):
        play_match("random", "random", parties=9, boards=some_boards(one_deal=True))
    with pytest.raises(ValueError, match="these boards have 36 cards, and the rules 'rubicon' 32"):
        play_match("random", "random", parties=8, boards=some_boards(one_deal=True, pack=36))
