"""The arena: exact pairing, results that depend on nothing but seed and agents, figures recounted, failures kept."""

import copy
import pickle

import numpy as np
import pytest

from agents.arena import MatchInterrupted, MatchResult, decks_hash, play_match
from agents.base import Agent, AgentError, View
from agents.greedy_agent import GreedyAgent
from agents.pairs import FAILURE_SETTLEMENT, agent_seed, deck_seed
from agents.random_agent import RandomAgent
from agents.workers import Workers
from piquet_env.game import Game
from piquet_env.rules.state import CLASS_NAMES, TIME_DEAL_END
from piquet_env.rules.variants import PRESETS, Rules
from tests.agents.stub_agents import BatchFails, Fails, Plain, Remembers

RECOUNTED = ("rubicon", "finnish", "swedish", "au_cent", "au_cent_36", "rubicon first_dealer=choose deals=2")


def same(first: MatchResult, second: MatchResult) -> bool:
    return bool((first.records == second.records).all()) and first.failures == second.failures


# -- pairs ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", [*PRESETS, "rubicon first_dealer=choose"])
def test_greedy_against_itself_draws_every_pair(rules: str) -> None:
    match = play_match("greedy", "greedy", rules, parties=40, seed=3)
    halves = match.records["settlement"].reshape(-1, 2)
    assert (halves[:, 0] == -halves[:, 1]).all()
    assert np.abs(halves).sum() > 0
    assert match.settlement == (0, 0, 0)
    assert match.deal_points[0] == match.deal_points[1]


def test_an_agent_against_itself_has_the_same_luck_in_both_halves() -> None:
    agent = Remembers()
    match = play_match(agent, agent, parties=10)
    assert match.settlement.mean == 0
    assert (match.records["settlement"] != 0).any()


def test_odd_numbers_of_parties_are_rounded_up_to_pairs() -> None:
    match = play_match("greedy", "random", parties=5)
    assert match.parties == 6
    assert match.records["pair"].tolist() == [0, 0, 1, 1, 2, 2]
    assert match.records["half"].tolist() == [0, 1, 0, 1, 0, 1]


# -- what results depend on -------------------------------------------------------------------------------------------


def test_a_result_does_not_depend_on_how_parties_are_played() -> None:
    whole = play_match("random", "greedy", parties=40, seed=9)
    for pairs_at_once in (1, 3, 20):
        assert same(whole, play_match("random", "greedy", parties=40, seed=9, pairs_at_once=pairs_at_once))
    singly = play_match(Plain(), GreedyAgent(), parties=40, seed=9)
    assert same(whole, singly)
    assert same(play_match("random", "greedy", parties=20, seed=9), _first(whole, 20))


@pytest.mark.slow
def test_a_result_does_not_depend_on_the_number_of_jobs() -> None:
    alone = play_match("random", "greedy", parties=24, seed=2)
    assert same(alone, play_match("random", "greedy", parties=24, seed=2, jobs=2))
    assert same(alone, play_match(Plain(), "greedy", parties=24, seed=2, jobs=2))


def test_another_seed_plays_other_parties() -> None:
    assert not same(
        play_match("greedy", "random", parties=4, seed=1), play_match("greedy", "random", parties=4, seed=2)
    )


def _first(match: MatchResult, parties: int) -> MatchResult:
    return MatchResult(match.a, match.b, match.rules, match.seed, match.records[:parties])


# -- figures, recounted from the score log ----------------------------------------------------------------------------


def play_by_hand(rules: Rules, seed: int, pair: int, half: int, agents: tuple[Agent, Agent]) -> tuple[Game, list[int]]:
    """Play one partie the plain way; return the game and the seat that dealt each deal."""
    seats = [copy.deepcopy(agents[seat if half == 0 else 1 - seat]) for seat in range(2)]
    for seat in range(2):
        seats[seat].reset(agent_seed(seed, pair, seat))
    game = Game(rules, seed=deck_seed(seed), partie=pair)
    dealers: list[int] = []
    while not game.is_over:
        if game.deal_number > len(dealers):
            first = game.dealer if not dealers else dealers[0]
            dealers = [first if deal % 2 == 0 else 1 - first for deal in range(game.deal_number)]
        seat = game.to_act
        game.apply(seats[seat].act(View(game.observation(seat), game.action_mask(seat), rules)))
    first = game.dealer if not dealers else dealers[0]
    return game, [first if deal % 2 == 0 else 1 - first for deal in range(game.result.deals)]


@pytest.mark.parametrize("name", RECOUNTED)
def test_figures_are_those_of_the_score_log(name: str) -> None:
    rules, pairs, seed = Rules.of(name), 12, 4
    match = play_match("greedy", "random", rules, parties=2 * pairs, seed=seed)
    deals = 0
    counts = {key: [0, 0] for key in ("repique", "pique", "capot", "cards", "elder", "younger", "rubicon", "wins")}
    class_points = np.zeros((2, 2, len(CLASS_NAMES)))
    score_bins = np.zeros((2, 2, 16), dtype=int)
    elder_deals = [0, 0]
    settlements = []
    for pair in range(pairs):
        for half in range(2):
            game, dealers = play_by_hand(rules, seed, pair, half, (GreedyAgent(), RandomAgent()))
            agent_in = (0, 1) if half == 0 else (1, 0)
            deals += game.result.deals
            settlements.append(game.returns()[half])
            for deal, dealer in enumerate(dealers, 1):
                entries = [entry for entry in game.log if entry.deal == deal]
                for seat in range(2):
                    agent, mine = agent_in[seat], [entry for entry in entries if entry.seat == seat]
                    elder_deals[agent] += dealer != seat
                    score = sum(entry.points for entry in mine)
                    role = 1 if dealer == seat else 0
                    counts[("elder", "younger")[role]][agent] += score
                    score_bins[agent, role, min(score // 10, 15)] += 1
                    for entry in mine:
                        class_points[agent, role, CLASS_NAMES.index(entry.score_class)] += entry.points
                    classes = {entry.score_class for entry in mine}
                    assert "capot" not in classes or max(entry.time for entry in mine) == TIME_DEAL_END
                    for key in ("repique", "pique", "capot"):
                        counts[key][agent] += key in classes
                    counts["cards"][agent] += bool(classes & {"cards", "capot"})
            for seat in range(2):
                counts["rubicon"][agent_in[seat]] += game.result.rubicon[seat]
                counts["wins"][agent_in[seat]] += game.result.settlement[seat] > 0
    assert match.records["settlement"].tolist() == settlements
    assert match.deals == deals
    assert match.outcomes.wins_a * match.parties == pytest.approx(counts["wins"][0])
    assert match.outcomes.wins_b * match.parties == pytest.approx(counts["wins"][1])
    for agent in range(2):
        assert match.share_of_deals("repiques")[agent] == pytest.approx(counts["repique"][agent] / deals)
        assert match.share_of_deals("piques")[agent] == pytest.approx(counts["pique"][agent] / deals)
        assert match.share_of_deals("capots")[agent] == pytest.approx(counts["capot"][agent] / deals)
        assert match.share_of_deals("cards_won")[agent] == pytest.approx(counts["cards"][agent] / deals)
        assert match.share_of_parties("rubicon")[agent] == pytest.approx(counts["rubicon"][agent] / match.parties)
        points = counts["elder"][agent] + counts["younger"][agent]
        assert match.deal_points[agent] == pytest.approx(points / deals)
        assert match.elder_points[agent] == pytest.approx(counts["elder"][agent] / elder_deals[agent])
        assert match.younger_points[agent] == pytest.approx(counts["younger"][agent] / elder_deals[1 - agent])
        for role, role_deals in enumerate((elder_deals[agent], elder_deals[1 - agent])):
            assert match.class_points[agent, role] == pytest.approx(class_points[agent, role] / role_deals)
    assert (match.score_bins == score_bins).all()
    assert match.illegal_or_crashed == (0, 0)
    assert all(seconds > 0 for seconds in match.seconds_per_decision)


def test_random_loses_to_greedy() -> None:
    match = play_match("random", "greedy", parties=200)
    assert match.settlement.high < -300
    assert match.outcomes.wins_b > 0.95


def test_the_hash_names_the_decks() -> None:
    rubicon, large = Rules.of("rubicon"), Rules.of("au_cent_36")
    assert decks_hash(rubicon, 1, 4) == decks_hash(rubicon, 1, 3) == decks_hash(Rules.of("cavendish"), 1, 4)
    hashes = [decks_hash(rubicon, 1, 4), decks_hash(rubicon, 2, 4), decks_hash(rubicon, 1, 6), decks_hash(large, 1, 4)]
    assert len(set(hashes)) == 4
    assert hashes[0] == "ab2f2d0975d0bcea"


# -- agents that fail -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("how", "error"),
    [
        ("raise", "RuntimeError: lost my head"),
        ("exit", "SystemExit: 0"),
        ("dumb", "Dumb, which cannot be shown as text"),
        ("reset", "RuntimeError: cannot begin"),
        ("negative", "action -1 is not legal"),
        ("large", "action 10000 is not legal"),
        ("huge", "outside the table"),
        ("illegal", "is not legal"),
        ("float", "must return a whole number, not 1.0"),
        ("bool", "must return a whole number, not True"),
        ("none", "must return a whole number, not None"),
    ],
)
def test_an_agent_that_fails_loses_its_parties(how: str, error: str) -> None:
    for agents, loser in (((Fails(how=how), "greedy"), 0), (("greedy", Fails(how=how)), 1)):
        match = play_match(*agents, parties=4)
        assert (match.records["settlement"] == (FAILURE_SETTLEMENT if loser == 0 else -FAILURE_SETTLEMENT)).all()
        assert match.illegal_or_crashed[loser] == 4
        assert match.illegal_or_crashed[1 - loser] == 0
        assert match.share_of_parties("rubicon") == (0, 0)
        assert [failure.agent for failure in match.failures] == [loser] * 4
        for failure in match.failures:
            assert error in failure.error
            assert ("Traceback" in failure.trace) == ("is not legal" not in error and how != "dumb")
            played = Game("rubicon", seed=deck_seed(1), partie=failure.pair)
            assert type(failure.deal) is str
            assert how == "reset" or failure.deal != str(played)


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_an_agent_that_is_too_slow_loses_its_parties(jobs: int) -> None:
    sleepy = "tests.agents.stub_agents:Sleeps:seconds=0.02"
    match = play_match(sleepy, "greedy", "rubicon deals=1", parties=4, limit=0.0005, jobs=jobs)
    assert (match.records["settlement"] == FAILURE_SETTLEMENT).all()
    assert match.illegal_or_crashed == (4, 0)
    assert all("too slow" in failure.error for failure in match.failures)
    patient = play_match(sleepy, "greedy", "rubicon deals=1", parties=4, limit=1, jobs=jobs)
    assert patient.illegal_or_crashed == (0, 0)
    assert same(patient, play_match(Plain(), "greedy", "rubicon deals=1", parties=4))


def test_a_slow_batch_is_reckoned_by_its_rows() -> None:
    sleepy = "tests.agents.stub_agents:SleepsInBatches:seconds=0.05"
    match = play_match(sleepy, "greedy", "rubicon deals=1", parties=200, limit=0.001)
    assert match.illegal_or_crashed == (0, 0)
    match = play_match(sleepy, "greedy", "rubicon deals=1", parties=2, limit=0.001)
    assert match.illegal_or_crashed == (2, 0)


@pytest.mark.slow
def test_failures_are_the_same_for_any_number_of_jobs() -> None:
    alone = play_match("tests.agents.stub_agents:Fails:at=30", "greedy", parties=12, seed=8)
    assert alone.illegal_or_crashed == (12, 0)
    assert same(alone, play_match("tests.agents.stub_agents:Fails:at=30", "greedy", parties=12, seed=8, jobs=2))


@pytest.mark.slow
def test_a_worker_that_ends_is_told(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(AgentError, match=r"a worker process ended in the middle of .*Kills v greedy"):
        play_match("tests.agents.stub_agents:Kills", "greedy", parties=8, jobs=2)


@pytest.mark.slow
def test_workers_serve_several_matches() -> None:
    with Workers(2) as workers:
        first = play_match("random", "greedy", parties=300, seed=2, workers=workers)
        second = play_match("random", "greedy", parties=300, seed=3, workers=workers)
        third = play_match("greedy", "random", "rubicon deals=1", parties=300, seed=3, workers=workers)
    assert same(first, play_match("random", "greedy", parties=300, seed=2))
    assert same(second, play_match("random", "greedy", parties=300, seed=3))
    assert same(third, play_match("greedy", "random", "rubicon deals=1", parties=300, seed=3))


def test_only_the_points_of_ended_deals_count_in_a_lost_partie() -> None:
    match = play_match(Fails(at=0), "greedy", parties=2)
    assert match.deals == 0
    assert match.deal_points == (None, None)
    assert play_match(Fails(at=60), "greedy", parties=2).deals > 0


@pytest.mark.parametrize("how", ["raise", "illegal"])
def test_in_a_batch_only_the_parties_that_fail_are_lost(how: str) -> None:
    rules = "rubicon deals=1"
    whole = play_match("random", "greedy", rules, parties=40, seed=6)
    broken = play_match(BatchFails(how=how), "greedy", rules, parties=40, seed=6)
    failed = broken.records["failed"][:, 0]
    assert 0 < failed.sum() < 40
    assert (broken.records["settlement"][failed] == FAILURE_SETTLEMENT).all()
    assert len(broken.failures) == failed.sum()
    assert (whole.records[~failed] == broken.records[~failed]).all()
    assert same(broken, play_match(BatchFails(how=how), "greedy", rules, parties=40, seed=6, pairs_at_once=1))


def test_what_act_batch_returns_is_checked() -> None:
    match = play_match(BatchFails(how="shape"), "random", parties=2)
    assert "must return 1 whole numbers" in match.failures[0].error


def test_the_game_of_a_failure_is_written_to_the_position() -> None:
    failure = play_match(Fails(at=3), "greedy", parties=2).failures[0]
    game = Game.from_text(failure.deal)
    assert not game.is_over
    assert str(game) == failure.deal


def test_what_is_no_agent_is_refused() -> None:
    with pytest.raises(AgentError, match=r"derive from agents\.base\.Agent"):
        play_match(object(), "random")
    with pytest.raises(AgentError, match="unknown agent"):
        play_match("nobody", "random")
    with pytest.raises(ValueError, match="at least one partie"):
        play_match("greedy", "random", parties=0)


def test_an_interrupt_keeps_the_pairs_that_were_played() -> None:
    class Interrupted(Plain):
        pairs = 0

        def reset(self, seed: int) -> None:
            super().reset(seed)
            Interrupted.pairs += 1
            if Interrupted.pairs == 7:
                raise KeyboardInterrupt

    with pytest.raises(MatchInterrupted) as caught:
        play_match(Interrupted(), "random", parties=20, seed=5)
    assert caught.value.result is not None
    assert same(caught.value.result, play_match("random", "random", parties=6, seed=5))
    with pytest.raises(KeyboardInterrupt) as first:
        play_match(Fails(how="interrupt"), "random", parties=20)
    assert first.value.result is None


def test_progress_is_told() -> None:
    told: list[int] = []
    play_match("greedy", "random", parties=12, pairs_at_once=2, progress=told.append)
    assert told == [4, 8, 12]


def test_results_are_picklable() -> None:
    match = play_match(Fails(), "greedy", parties=2)
    assert same(pickle.loads(pickle.dumps(match)), match)
