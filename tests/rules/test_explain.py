"""What a refused action is told: the reason, the law by its number, the legal actions, and the position as text."""

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from piquet_env.game import Game
from piquet_env.rules.actions import num_actions, parse_action
from piquet_env.rules.errors import IllegalActionError
from tests.rules.positions import line_of_play

DEALS = Path(__file__).resolve().parent.parent / "deals"
ROOT = DEALS.parent.parent
LAWS = {
    int(number) for number in re.findall(r"^### Law (\d+)\.", (ROOT / "docs" / "rules.md").read_text(), re.MULTILINE)
}


def position(name: str, before: str, then: str = "") -> Game:
    """The game of a worked deal up to the line that begins with `before`, and then some words of the action table."""
    text = (DEALS / f"{name}.deal").read_text(encoding="utf-8")
    head = text[: text.index("\n" + before)] if before else text
    game = Game.from_text(head)
    for words in filter(None, then.split(", ")):
        game.apply(parse_action(words))
    return game


REFUSALS = {
    "not held": (
        "norwegian_worked_deal",
        "exchange",
        "",
        "discard SA",
        14,
        "elder does not hold SA, but S:KQJT87 H:KQ87 D:9 C:7",
    ),
    "laid out twice": (
        "norwegian_worked_deal",
        "exchange",
        "discard S7",
        "discard S7",
        14,
        "elder has laid out S7 already",
    ),
    "descending": (
        "norwegian_worked_deal",
        "exchange",
        "discard S8",
        "discard S7",
        14,
        "discards are named in ascending order, and S8 is laid out",
    ),
    "drawing first": (
        "norwegian_worked_deal",
        "exchange",
        "",
        "draw",
        14,
        "elder lays out at least one card before drawing",
    ),
    "six discards": (
        "norwegian_worked_deal",
        "exchange",
        "discard S7, discard S8, discard ST, discard SJ, discard SQ",
        "discard SK",
        14,
        "elder has laid out 5 cards, as many as may be exchanged",
    ),
    "carte blanche unasked": (
        "norwegian_worked_deal",
        "exchange",
        "",
        "carte blanche",
        8,
        "elder is not asked about a carte blanche now",
    ),
    "playing while exchanging": ("norwegian_worked_deal", "exchange", "", "play SK", 6, "elder is exchanging"),
    "carte blanche first": (
        "carte_blanche_makes_a_repique",
        "carte",
        "",
        "discard S7",
        8,
        "elder holds a carte blanche and first says whether it is claimed",
    ),
    "a shorter suit": (
        "norwegian_worked_deal",
        "point",
        "",
        "point H",
        35,
        "the point is a longest suit, of 4 cards, and elder holds 3 of this one",
    ),
    "another category": ("norwegian_worked_deal", "point", "", "set A", 23, "elder is calling the point"),
    "no sequence": (
        "norwegian_worked_deal",
        "sequence",
        "",
        "sequence DA",
        20,
        "elder holds no sequence of diamonds to the ace",
    ),
    "part of a run": (
        "norwegian_worked_deal",
        "sequence",
        "",
        "sequence SK",
        35,
        "a sequence is claimed at its full run, and SA holds it|elder holds SA too",
    ),
    "no set": ("norwegian_worked_deal", "set ", "", "set K", 21, "elder holds S:K H:K of the kings"),
    "tens do not count": ("tens_do_not_count", "set       younger", "", "set T", 21, "sets count from the jacks up"),
    "withholding": (
        "norwegian_worked_deal",
        "point",
        "",
        "withhold SJ",
        36,
        "cards are withheld only with sinking='partial'",
    ),
    "nothing equal": (
        "norwegian_worked_deal",
        "point",
        "point S",
        "equal",
        25,
        "younger holds nothing that equals the point of 4",
    ),
    "nothing better": (
        "fifty_one_beats_forty_nine",
        "point",
        "point S",
        "not good",
        25,
        "younger holds nothing that is better: elder called a point of 5",
    ),
    "a set is never equal": ("norwegian_worked_deal", "set", "set A", "equal", 25, "a set is never equal"),
    "nothing equal in pips": (
        "fifty_one_beats_forty_nine",
        "point",
        "point S, equal",
        "equal",
        26,
        "nothing that equals the point of 5 in pips or top",
    ),
    "speaking out of turn": (
        "norwegian_worked_deal",
        "point",
        "point S",
        "done",
        25,
        "elder has called a point of 4, and younger replies",
    ),
    "superior to the call": (
        "tierce_called_sinks_the_quart",
        "sequence",
        "sequence HJ, good",
        "sequence SK",
        23,
        "elder is calling the set",
    ),
    "superior and locked": (
        "undercall_locked_for_good",
        "legal",
        "",
        "sequence ST",
        38,
        "quart S:T987 is superior to the tierce called",
    ),
    "out of order": (
        "claim_passed_over_is_given_up",
        "sequence",
        "sequence HA, good, sequence DQ",
        "sequence SJ",
        28,
        "further claims come in ascending order",
    ),
    "used up": ("norwegian_worked_deal", "set ", "", "set T", 21, "elder holds D:T of the tens"),
    "bound by not good": (
        "not_good_must_be_made_true",
        "legal",
        "",
        "done",
        31,
        'younger said "not good" and has still to claim something that beats the tierce',
    ),
    "bound by equal": ("equal_then_not_good", "sequence  younger tierce", "", "done", 31, 'younger said "not good"'),
    "several equal": (
        "one_of_two_equal_points_is_named",
        "legal",
        "",
        "done",
        40,
        "several claims equal the call, and younger names one of them",
    ),
    "declaring before playing": (
        "norwegian_worked_deal",
        "point     younger",
        "",
        "play S9",
        30,
        "younger first declares in the category point",
    ),
    "composing something else": (
        "under_called_point",
        "point",
        "point S",
        "draw",
        36,
        "elder is putting S:AKQJT7 together",
    ),
    "withheld in order": (
        "under_called_point",
        "point",
        "point S, withhold SK",
        "withhold SQ",
        36,
        "cards are withheld in ascending order, and SK has been",
    ),
    "not in the claim": ("under_called_point", "point", "point S", "withhold HA", 36, "HA is not among S:AKQJT7"),
    "from below": (
        "under_called_point",
        "sequence",
        "sequence SA",
        "withhold SQ",
        36,
        "a sequence is shortened from below, and S:AKQJT goes further down",
    ),
    "too few": (
        "under_called_point",
        "point",
        "point S, withhold S7, withhold SQ, withhold SK",
        "withhold SA",
        36,
        "without SA no lawful claim would be left",
    ),
    "must be reduced": (
        "tierce_called_from_a_quart",
        "legal",
        "",
        "sequence ST",
        38,
        "quart S:T987 is superior to the tierce called",
    ),
    "leftovers first": (
        "leftovers_turned_up",
        "leftovers",
        "",
        "play S7",
        18,
        "younger first turns up the cards left in the talon, or leaves them",
    ),
    "revoke": (
        "suit_must_be_followed",
        "play      H9",
        "",
        "play CK",
        52,
        "younger must follow hearts and holds H:JT9",
    ),
    "card played": ("suit_must_be_followed", "play      H9", "", "play S9", 52, "younger does not hold S9"),
    "talking at play": ("suit_must_be_followed", "play      H9", "", "good", 6, "younger is to play a card"),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_a_refusal_names_reason_law_and_legal_actions(name: str) -> None:
    deal, before, then, words, law, reason = REFUSALS[name]
    game = position(deal, before, then)
    with pytest.raises(IllegalActionError, match=reason) as caught:
        game.apply(parse_action(words))
    sentence = str(caught.value).split("\n")[0]
    assert f"; tried '{words}' (law {law}). Legal: " in sentence


def test_the_cut_is_decided_first() -> None:
    game = Game("rubicon first_dealer=choose", seed=2)
    with pytest.raises(
        IllegalActionError, match=r"seat 0 has won the cut and chooses who deals first; tried 'draw' \(law 5\)"
    ):
        game.apply(parse_action("draw"))


@pytest.mark.parametrize("action", ["play SA", None, 3.0, True, -1, 140, 10**30])
def test_what_is_no_action_is_told_so(action: object) -> None:
    game = Game(seed=1)
    with pytest.raises(IllegalActionError, match="is not an action: an action is a whole number from 0 to 139"):
        game.apply(action)  # type: ignore[arg-type]


def test_nothing_is_done_after_the_end() -> None:
    game = position("greatest_score_of_a_deal", "")
    assert game.is_over
    with pytest.raises(
        IllegalActionError, match="the partie is over, so nothing can be done any more; tried 'play SA'"
    ):
        game.apply(parse_action("play SA"))


@given(st.integers(0, 2**40), st.integers(0, 120), st.data())
def test_every_illegal_action_is_refused_with_a_law_and_changes_nothing(
    seed: int, steps: int, data: st.DataObject
) -> None:
    game = line_of_play(seed, steps)
    legal = set(game.legal_actions())
    before = game.clone()
    tried = [action for action in range(num_actions(game.rules.pack)) if action not in legal]
    for action in data.draw(st.lists(st.sampled_from(tried), min_size=1, max_size=12)):
        with pytest.raises(IllegalActionError) as caught:
            game.apply(np.int64(action))
        sentence, _, text = str(caught.value).partition("\n\n")
        assert "\n" not in sentence
        if not game.is_over:
            assert int(re.search(r"\(law (\d+)\)", sentence)[1]) in LAWS  # type: ignore[index]
    assert game == before
    assert game.log == before.log
    assert Game.from_text(text).legal_actions() == game.legal_actions()
