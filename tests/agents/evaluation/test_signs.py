"""The signs of an agent's game: each is what the records of its parties say."""

import numpy as np
import pytest

from agents.arena import MatchResult, play_match
from agents.evaluation.signs import HUMAN, points_by_class, signs_of, signs_table
from agents.lockstep import BIN_POINTS
from piquet_env.rules.state import ELDER, YOUNGER
from piquet_env.rules.variants import Rules
from tests.agents.sinking_agent import Sinker


def against_itself(spec: str, parties: int = 60) -> MatchResult:
    return play_match(spec, spec, Rules(), parties=parties, seed=3)


@pytest.fixture(scope="module")
def match() -> MatchResult:
    return against_itself("heuristic")


def test_halves_of_a_match_against_itself_are_one_partie(match: MatchResult) -> None:
    first, second = (match.records[match.records["half"] == half] for half in range(2))
    for name in ("elder_points", "even_deals", "cards_left", "sunk_deals"):
        assert (first[name] == second[name][:, ::-1]).all()


def test_shares_are_counts_of_deals(match: MatchResult) -> None:
    signs = signs_of(match)
    records = match.records[match.records["half"] == 0]
    bins, deals = records["score_bins"].sum(axis=(0, 1)), records["deals"].sum()
    for name, role, points in (("elder makes 28 or more", ELDER, 28), ("younger makes 14 or more", YOUNGER, 14)):
        low, high = bins[role, points // BIN_POINTS + 1 :].sum(), bins[role, points // BIN_POINTS :].sum()
        assert low < signs[name] * deals < high
    assert (records["cards_by_role"].sum(axis=2) == records["cards_won"]).all()
    assert (records["elder_repiques"] <= records["repiques"]).all()
    assert 0 < signs["a partie ends in a rubicon"] < 1


def test_points_of_the_classes_are_those_of_the_deals(match: MatchResult) -> None:
    points = np.array(list(points_by_class(match).values())).sum(axis=0)
    assert points == pytest.approx([match.elder_points[0], match.younger_points[0]])


def test_who_never_sinks_has_not_sunk_and_who_sinks_has() -> None:
    never = signs_of(against_itself("heuristic:style=never_sinks"))
    often = signs_of(play_match(Sinker(), Sinker(), Rules(), parties=10, seed=3))
    assert never["elder sinks"] == never["younger sinks"] == 0
    assert often["elder sinks"] > 0.3
    assert often["younger sinks"] > 0.1


def test_who_leaves_cards_is_seen_to(match: MatchResult) -> None:
    leaves = signs_of(against_itself("heuristic:style=leaves_cards"))
    for role in ("elder", "younger"):
        assert leaves[f"cards {role} leaves"] > signs_of(match)[f"cards {role} leaves"]


def test_the_table_has_men_beside_the_agents(match: MatchResult) -> None:
    head, rows = signs_table(["heuristic"], [match])
    assert head == ["", "`heuristic`", "men"]
    assert {name for name, _, men in rows if men != "–"} == set(HUMAN)
    assert all(len(row) == len(head) for row in rows)
