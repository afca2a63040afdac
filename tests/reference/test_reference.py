"""The referee against printed deals and figures and constructed cases; random playouts check what always holds."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest

from .deal import Deal
from .holdings import PIPS, RANK_NUMBER, claim_of, pack_of, runs_held, value_of
from .piquet import Referee, settlement

CAVENDISH = {"sinking": "partial", "carte_blanche_show": "after_opponent_discards", "sequence_call": "length_and_top"}
FINNISH = {"sets_from": "J", "cards_count_for_pique": True}
SWEDISH = {
    "lead_point_min_rank": "T",
    "younger_must_exchange": False,
    "leftover_reveal": "after_last_trick",
    "tie_break": "draw",
    "younger_declares": "in_turn",
    "younger_cb_show": "immediate",
    "carte_blanche_claim": "automatic",
}
ACTUAL = {"bonus_order": "actual"}
AU_CENT = {"form": "au_cent", "younger_must_exchange": False}


def cards(text: str) -> list[str]:
    """Read "SAK HT7" as four cards."""
    return [word[0] + rank for word in text.split() for rank in word[1:]]


def tricks(text: str) -> list[str]:
    """Read "AS-9S KS-9C" (rank before suit, the leader first) as words."""
    return ["play " + card[::-1] for pair in text.split() for card in pair.split("-")]


def deck_for(elder: str, younger: str, gone: tuple[list[str], list[str]], size: int = 32) -> list[str]:
    """A deck that ends in these hands when these cards are discarded; the cards drawn are low ones where possible."""
    dealt, drawn = [], []
    for hand, discards in zip((cards(elder), cards(younger)), gone, strict=True):
        new = sorted(hand, key=lambda card: card[1] in "KQJ")[: len(discards)]
        dealt += [card for card in hand if card not in new] + discards
        drawn += new
    return dealt + drawn + [card for card in pack_of(size) if card not in dealt + drawn]


def start(
    elder: str,
    younger: str,
    rules: dict[str, Any] | None = None,
    elder_gone: str = "",
    younger_gone: str = "",
    **more: Any,
) -> Referee:
    """A partie of one deal, seat 0 elder, brought to elder's first call with these two hands."""
    rest = [card for card in pack_of(32) if card not in cards(elder) + cards(younger)]
    first = cards(elder_gone) or [card for card in rest if card not in cards(younger_gone)][:5]
    second = cards(younger_gone) or [card for card in rest if card not in first]
    deck = deck_for(elder, younger, (first, second))
    forms = {} if (rules or {}).get("form") == "au_cent" else {"deals": more.get("deal_number", 1), "tie_break": "draw"}
    referee = Referee({**forms, **(rules or {})}, lambda number: deck, dealer=1, **more)
    exchange(referee, first, second)
    assert referee.deal is not None
    assert sorted(referee.deal.hands["elder"]) == sorted(cards(elder))
    assert sorted(referee.deal.hands["younger"]) == sorted(cards(younger))
    return referee


def exchange(referee: Referee, first: list[str], second: list[str]) -> None:
    """Discard these cards, keeping every carte blanche silent."""
    while referee.phase in ("carte blanche", "exchange"):
        if referee.phase == "carte blanche":
            referee.apply("silent")
            continue
        going = [word for word in referee.legal() if word[-2:] in (first if referee.to_act == 0 else second)]
        referee.apply(going[0] if going else "draw")


def say(referee: Referee, *words: str) -> Referee:
    """Apply words in turn; a word may also be several separated by commas."""
    for word in ",".join(words).split(","):
        referee.apply(word.strip())
    return referee


def kinds(referee: Referee) -> list[tuple[str, int, str]]:
    """The log without leads, captures and the last trick."""
    return [entry for entry in referee.log() if entry[2] not in ("lead", "capture", "last trick")]


# Whole deals


def test_a1_norwegian_example() -> None:
    referee = start("SAKQJ HAKQ DAT9 CA7", "S9 HJT9 DKQJ CKQJT9")
    say(referee, "point S, not good, sequence SA, not good, set A, good")
    plays = tricks("AS-9S KS-9C QS-TC JS-QD AH-9H KH-TH QH-JH AD-JD TD-KD KC-AC 9D-QC 7C-JC")
    say(referee, plays[0], "point C, sequence HJ, sequence DK, sequence CK")
    assert referee.scores == [15, 26]
    say(referee, *plays[1:])
    assert referee.over
    assert referee.scores == [36, 30]


@pytest.mark.parametrize(("rules", "declared", "total"), [({}, [9, 17], [28, 23]), (FINNISH, [9, 3], [28, 9])])
def test_a2_cavendish_example_with_its_exchange(rules: dict[str, Any], declared: list[int], total: list[int]) -> None:
    deck = cards("SAKJ HAQJ8 CJ87 D98 ST7 HT97 CKQT DAQJT S98 HK C9 DK SQ CA D7")
    referee = Referee({"deals": 1, **rules}, lambda number: deck, dealer=1)
    exchange(referee, cards("SK C87 D98"), cards("S7 H97"))
    say(referee, "point H, equal")
    assert referee.record("point")["detail"] == 49
    say(referee, "good, sequence HA, good, set J, not good")
    plays = tricks("AH-TH KH-7D QH-TD JH-JD 8H-QD KD-AD AC-9C KC-JC QC-8S TC-9S QS-AS JS-TS")
    say(referee, plays[0], *(["set Q"] if rules else ["set T", "set Q"]))
    assert referee.scores == [declared[0] + 1, declared[1]]
    say(referee, *plays[1:])
    assert referee.scores == total


@pytest.mark.parametrize(
    ("play", "scores", "totals", "paid"),
    [
        ("AS-8S KS-TS AH-7H AD-JD KD-QD QH-KH TC-9S 9C-8H KC-9H QC-TH AC-JH QS-JS", [60, 18], (130, 100), 130),
        ("AH-7H QH-KH AC-9S KC-JS QC-8H TC-9H 9C-TH QS-AS KS-TS JH-8S AD-JD KD-QD", [32, 7], (102, 89), 291),
    ],
)
def test_a4_foregoing_a_pique(play: str, scores: list[int], totals: tuple[int, int], paid: int) -> None:
    referee = start("SAKJ9 HAQJT98 DAK", "SQT8 HK7 CAKQT9 DQJ", elder_gone="CJ87 DT8", totals=(70, 82), deal_number=6)
    say(referee, "point H, good, sequence HQ, good, set A, good")
    words = tricks(play)
    say(referee, words[0])
    while not referee.over:
        remaining = [word for word in words if word in referee.legal()]
        say(referee, remaining[0])
    assert referee.scores == scores
    assert referee.result == {"totals": totals, "settlement": (paid, -paid), "games": (0, 0)}


def test_a5_capot_by_sinking() -> None:
    referee = start(
        "SAK HAK CAKT8 DAKQ7", "SQJT9 HQJ98 CQJ97", CAVENDISH, "S87 HT7 D9", "DJT8", totals=(43, 90), deal_number=6
    )
    say(referee, "point D, done, equal")
    assert referee.record("point")["detail"] == 38
    say(referee, "not good, done, set K, done, good, set A, withhold CA, done")
    plays = tricks("AD-9S KD-8H QD-7C 7D-9C AC-JC KC-QC TC-TS 8C-9H AS-JS KS-QS AH-JH KH-QH")
    say(referee, plays[0], "point S, done")
    say(referee, "sequence SQ, done", *plays[1:])
    assert referee.scores == [70, 8]
    assert referee.result is not None
    assert referee.result["totals"] == (113, 98)
    assert referee.result["settlement"] == (311, -311)
    assert referee.shown("elder", "set") == set(cards("SAK HAK CK DAK"))


def test_a8_equal_points() -> None:
    referee = start("ST9 HKQ7 CAKQT DK98", "SAKQJ HAJ9 CJ98 DAQ", {}, "S87 HT8 DJ")
    say(referee, "point C, equal, equal, sequence CA, not good, set K, not good")
    assert referee.record("point")["status"] == "dead"
    assert referee.shown("younger", "point") == set()
    plays = tricks("AC-8C KC-9C QC-JC TC-9H KH-AH AS-9S KS-TS QS-8D JS-9D JH-QH 7H-QD KD-AD")
    say(referee, plays[0], "sequence SA, set J, set A")
    assert referee.shown("younger", "point") == set(cards("SAKQJ"))
    say(referee, *plays[1:])
    assert referee.scores == [8, 18]


def test_a11_sinking_six_cards() -> None:
    referee = start("SKT HAQ CQJT DAQJT8", "SAQJ987 HK CAK DK97", {}, "H987 C87", totals=(78, 104), deal_number=6)
    say(referee, "point D, good, sequence DQ, good, sequence CQ, set Q, not good")
    plays = tricks("AD-7D QD-KD AS-TS QS-KS JD-9D TD-7S 8D-8S QC-KC AC-TC JS-JC 9S-QH KH-AH")
    say(referee, plays[0], "set K")
    assert referee.scores == [12, 3]
    say(referee, *plays[1:])
    assert referee.result == {"totals": (98, 115), "settlement": (-313, 313), "games": (0, 0)}


def test_a14_greatest_deal() -> None:
    deck = deck_for("SAKQ HAKQ DAKQ CAKQ", "SJT9 HJT9 DJT9 CJT9", (["S7"], ["S8"]))
    referee = Referee({"deals": 1}, lambda number: deck, dealer=1)
    exchange(referee, ["S7"], ["S8"])
    say(
        referee,
        "point S, equal, good, sequence SA, equal, good, sequence HA, sequence DA, sequence CA",
        "set A, good, set Q, set K",
    )
    assert referee.log()[-1] == ("elder", 60, "repique")
    say(referee, "play SA, leave")
    while not referee.over:
        say(referee, referee.legal()[-1] if referee.to_act == 0 else referee.legal()[0])
    assert referee.scores == [170, 0]
    assert referee.log()[-1] == ("elder", 40, "capot")


# Declarations with printed figures


def test_b1_repique_by_younger_in_spite_of_four_aces() -> None:
    referee = start("SA HA87 DAQJ7 CAQT9", "SKQJT9 HKQJT9 DT C8")
    say(referee, "done, done, set A, good, play HA, point S, sequence SK")
    assert referee.scores == [15, 20]
    say(referee, "sequence HK")
    assert referee.scores == [15, 95]
    assert referee.log()[-1] == ("elder", 1, "lead")
    assert referee.log()[3] == ("younger", 60, "repique")


def test_b2_all_sequences_of_the_winner() -> None:
    referee = start("SKQJT9 HQJT D87 C87", "DAKQJ CAKQ HA9 S87 H8")
    say(referee, "point S, good, sequence SK, good, sequence HQ, done, play SK")
    assert [entry for entry in referee.log() if entry[2] == "sequence"] == [
        ("elder", 15, "sequence"),
        ("elder", 3, "sequence"),
    ]


def test_b3_b6_pips_of_points() -> None:
    printed = {"AKQJT": 51, "KQJT9": 49, "AKT97": 47, "AQJT8": 49, "AKQT9": 50, "AKQT8": 49}
    for ranks, pips in printed.items():
        assert claim_of("point", tuple("S" + rank for rank in ranks)).detail == pips


def test_b4_german_words() -> None:
    referee = start("SKQJT9 HAK DA8 CA8 C7", "DQJT97 CKQJT HT9 S8", {"sequence_call": "length_and_top"})
    say(referee, "point S, equal")
    assert referee.record("point") == {
        "status": "uncalled",
        "length": 5,
        "detail": 49,
        "replies": ["equal"],
        "scored": [],
    }
    say(referee, "good, sequence SK")
    assert (referee.record("sequence")["length"], referee.record("sequence")["detail"]) == (5, "K")
    say(referee, "good, set A, good")
    assert referee.scores == [23, 0]


def test_b5_b8_repique() -> None:
    referee = start("SAKQJT HK98 DK7 CK9", "HAQJT DQJT9 CAQJT", {})
    say(referee, "point S, good, sequence SA, good")
    assert referee.scores == [20, 0]
    say(referee, "set K, good")
    assert referee.scores == [94, 0]


def test_b7_pique() -> None:
    referee = start("SAKQJT HAK DA97 C87", "HQJT9 DKQJT CQJT9")
    say(referee, "point S, good, sequence SA, good, set A, good")
    plays = tricks("AS-9C KS-9H QS-TC JS-TH TS-JC AH-JH KH-QH")
    say(referee, *plays[:12])
    assert referee.scores == [29, 0]
    say(referee, plays[12])
    assert referee.scores == [60, 0]
    assert referee.log()[-2:] == [("elder", 1, "lead"), ("elder", 30, "pique")]


@pytest.mark.parametrize(("rules", "scores"), [({}, [30, 3]), (ACTUAL, [60, 3]), (FINNISH, [60, 0])])
def test_b9_three_tens_and_the_order(rules: dict[str, Any], scores: list[int]) -> None:
    referee = start("SAKQJT987 HAKQ C9", "HT87 DT987 CTKQ87", rules)
    say(referee, "point S, good, sequence SA, good, sequence HA, done, play SA")
    if rules != FINNISH:
        say(referee, "set T")
    assert referee.scores == scores


def test_b10_no_repique_without_the_point() -> None:
    referee = start("SJT987 HQJT DJ7 CJ7", "DAKQ98 CAKQ98 SKQ")
    say(referee, "point S, equal, not good, sequence SJ, good, sequence HQ, set J, good, play SJ, point D")
    assert referee.scores == [33, 5]
    assert not referee.deal.repiques  # type: ignore[union-attr]


def test_b11_capot_without_pique() -> None:
    referee = start("SAKQJ8 HAKJT87 DA", "ST97 HQ9 DKQJ CAKQ9")
    say(referee, "point H, good, sequence SA, good, set A, good, play SA")
    while not referee.over:
        order = cards("SAKQJ8 HAKJT87 DA")
        say(
            referee,
            min(referee.legal(), key=lambda word: order.index(word[-2:]))
            if referee.to_act == 0
            else referee.legal()[0],
        )
    assert referee.scores == [66, 0]


def test_b12_equality_is_no_score() -> None:
    referee = start("SKQJT9 HK98 DK CK98", "DAQJT8 HAQJ CAQJ S8")
    say(referee, "point S, equal, equal, sequence SK, good, set K, good")
    assert referee.scores == [29, 0]
    assert referee.shown("elder", "point") == set(cards("SKQJT9"))
    say(referee, "play SK")
    assert referee.scores == [60, 0]
    assert referee.shown("younger", "point") == set(cards("DAQJT8"))


def test_b13_quart_and_tierce() -> None:
    referee = start("SQJT9 H987 DAK CAK7", "CJT98 DQJT9 HAKT S8")
    say(referee, "done, sequence SQ, equal")
    assert referee.record("sequence")["detail"] == "Q"
    assert referee.legal() == ["good", "equal"]
    referee = start("SQJT9 H987 DAK CAK7", "CJT98 DQJ97 HAKT S8")
    say(referee, "done, sequence SQ, equal")
    assert referee.legal() == ["good"]
    say(referee, "good, sequence H9")
    assert referee.scores == [7, 0]


def test_b14_equal_tierces_kill_the_second_ones() -> None:
    referee = start("SAKQ H987 DA98 CA87", "DKQJ CKQJ SJT9 HAKQ")
    say(referee, "done, sequence SA, equal, equal, done, play SA")
    assert referee.record("sequence")["status"] == "dead"
    say(referee, "done")
    assert referee.shown("younger", "sequence") == set(cards("HAKQ"))
    assert not any(entry[2] == "sequence" for entry in referee.log())


@pytest.mark.parametrize(("rules", "scores"), [({}, [17, 0]), (FINNISH, [0, 3])])
def test_b15_tens_count_or_not(rules: dict[str, Any], scores: list[int]) -> None:
    referee = start("STJ HTJ DTJ CT987 S8 H8", "SA9 HA9 DA98 CKQJ DK HQ", rules)
    if rules:
        say(referee, "done, done, set J, not good, play SJ, done, done, set A")
        assert referee.scores == [1, 3]
    else:
        say(referee, "done, done, set T, good, set J")
        assert referee.scores == scores


@pytest.mark.parametrize(
    ("lock", "gone", "further"),
    [
        ("cavendish", "", ["sequence S9", "done"]),
        ("absolute", "HT CT D987", ["sequence S9", "done"]),
        ("cavendish", "HT CT D987", ["sequence S9", "sequence ST", "done"]),
        ("none", "", ["sequence S9", "sequence ST", "done"]),
    ],
)
def test_b16_tierce_called_with_a_quart_in_hand(lock: str, gone: str, further: list[str]) -> None:
    younger = "SAKJ HAKJ DAKJ CAKJ" if gone else "SAKJ HAKT DKJ CJT98"
    referee = start(
        "ST987 H987 SQ HQ DQ CQ DT", younger, {"sinking": "partial", "undercall_lock": lock}, elder_gone=gone
    )
    say(referee, "done, sequence H9, done, good")
    assert referee.legal() == further
    say(referee, "sequence S9, done")
    assert referee.scores == [6, 0]


def test_b16_reduced_claims_respect_the_call() -> None:
    referee = start("SKQJT HJT9 DA7 CA87", "SA98 HAKQ DKQJ CKQJ", {"sinking": "partial"})
    say(referee, "done, sequence HJ, done, good")
    assert referee.phase == "call set"
    referee = start("SKQJT HJT9 DA7 CA87", "SA98 HAKQ DKQJ CKQJ", {"sinking": "partial"})
    say(referee, "done, sequence SK, withhold ST, done")
    assert referee.record("sequence")["length"] == 3
    say(referee, "good")
    assert referee.legal() == ["sequence HJ", "done"]


def test_under_called_points() -> None:
    referee = start("SAKQJT7 HAK DA9 CA9", "HQJT98 DKQJT CQJT", {"sinking": "partial"})
    say(referee, "point S")
    assert referee.legal() == [f"withhold S{rank}" for rank in "7TJQKA"] + ["done"]
    say(referee, "withhold SK")
    assert referee.legal() == ["withhold SA", "done"]
    say(referee, "done, equal")
    assert referee.record("point")["detail"] == 48
    assert referee.legal() == ["good"]
    say(referee, "good")
    assert referee.scores == [5, 0]
    assert referee.shown("elder", "point") == set(cards("SAQJT7"))


def test_younger_must_beat_after_not_good() -> None:
    referee = start("SAK87 HA98 DA8 CA87", "SQJT HKQJT DQJT9 CQ", {})
    say(referee, "done, done, set A, good, play SA, done")
    assert referee.legal() == ["sequence SQ", "sequence HK", "sequence DQ", "done"]
    referee = start("SAKQ HA98 DA87 CA87", "SJT9 HKQJT DQJT9 CQ", {"sinking": "partial"})
    say(referee, "done, sequence SA, done, not good, done, play SA, done")
    assert "done" not in referee.legal()
    assert referee.legal() == ["sequence SJ", "sequence HQ", "sequence HK", "sequence DQ"]
    say(referee, "sequence HQ, done")
    assert referee.legal() == ["sequence DQ"]
    say(referee, "sequence DQ")
    assert referee.legal() == ["done"]
    say(referee, "done")
    assert referee.record("sequence")["scored"] == [(3, "Q", "H"), (4, "Q", "D")]


def test_younger_after_equal_counts_nothing_longer() -> None:
    referee = start("SAKQ HA98 DA87 CA87", "SJT9 HKQJT DQJT9 CQ", {"sinking": "partial"})
    say(referee, "done, sequence SA, done, equal")
    assert referee.legal() == ["good"]
    referee = start("SQJT HA98 DA87 CA87", "SK98 HKQJT DQJT9 CQ", {"sinking": "partial"})
    say(referee, "done, sequence SQ, done, equal, not good, done, play SQ, done")
    assert referee.legal() == ["sequence HK"]
    say(referee, "sequence HK")
    assert referee.legal() == ["withhold HT"]
    say(referee, "withhold HT, done")
    assert referee.legal() == ["sequence DJ", "sequence DQ", "done"]
    say(referee, "sequence DQ")
    assert referee.legal() == ["withhold D9"]
    say(referee, "withhold D9, done")
    assert referee.scores == [1, 6]


# Settlement


def test_c_settlements() -> None:
    printed = {
        (154, 113): 141,
        (154, 93): 347,
        (120, 99): 319,
        (120, 101): 119,
        (320, 240): 180,
        (131, 113): 118,
        (125, 81): 306,
    }
    for (winner, loser), paid in printed.items():
        assert settlement(winner, loser) == paid
    assert settlement(90, 80) == 270
    assert settlement(101, 100) == 101


def test_ties_are_played_off_once() -> None:
    deck = deck_for("SAKQJ HAKQ DAT9 CA7", "S9 HJT9 DKQJ CKQJT9", (cards("ST87 H87"), cards("D87 C8")))
    for tie_break, deals in (("two_deals", 8), ("seventh_deal", 7), ("draw", 6)):
        first = play_first_words(Referee({"deals": 1, "tie_break": "draw"}, lambda number: deck, dealer=1))
        scores = first.scores
        referee = Referee(
            {"tie_break": tie_break}, lambda number: deck, dealer=1, totals=(scores[1], scores[0]), deal_number=6
        )
        play_first_words(referee)
        assert referee.deal_number == deals
        assert referee.result is not None
        if tie_break == "seventh_deal":
            assert referee.result["totals"][0] != referee.result["totals"][1]
        else:
            assert referee.result["settlement"] == (0, 0)


def play_first_words(referee: Referee) -> Referee:
    """Always take the first lawful word."""
    while not referee.over:
        referee.apply(referee.legal()[0])
    return referee


# Constructed cases of repique and pique

PLAIN_SEVENS = "S87 H87 D87 C87"
VECTORS: dict[str, tuple[str, str, str, list[int], list[int]]] = {
    "V1": (
        "SAQJT98 HAK DAK CAK",
        "HQJ987 DQJ9 CQJ97",
        "done,sequence SQ,good,set A,good,set K,play SA,point H",
        [33, 5],
        [63, 5],
    ),
    "V4": (
        "SKJ9 HKJ9 DKJ9 CQJ9",
        "SAQT HAQT DAQT CAKT",
        "done,done,done,play SK,done,set T,set Q,set A",
        [1, 91],
        [1, 91],
    ),
    "V5": (
        "SAKQJT987 HQJT C7",
        "HAK987 DAK CAKQJ DQ",
        "point S,good,sequence SA,good,sequence HQ,done,play SA,done",
        [60, 0],
        [60, 0],
    ),
    "V6": (
        "SAK9 HAK9 DAK9 CAK9",
        "SQJT HQJT DQJT CQJT",
        "done,done,set A,good,set K,play S9,done,done,play ST",
        [29, 1],
        [29, 1],
    ),
    "V9": (
        "SAK HAK98 DAK9 CAK9",
        "SQJT987 HQJ DQJ CQJ",
        "done,done,set A,good,set K,play SA,point S,sequence SQ",
        [29, 22],
        [29, 22],
    ),
    "V10": (
        "SAKQ HAKQ DAKQ CAK9",
        "SJT987 HJT9 DJT9 CQ",
        "done,done,set A,good,set Q,set K,play SA,point S,sequence SJ,done",
        [32, 20],
        [62, 20],
    ),
    "V11": (
        "SAKQ HAKQ DAKQ CAKQ",
        "SJT987 HJT987 DJ CJ",
        "done,done,set A,good,set Q,set K,play SA,point S,sequence SJ,sequence HJ",
        [43, 95],
        [73, 95],
    ),
}


@pytest.mark.parametrize("name", VECTORS)
def test_vectors(name: str) -> None:
    elder, younger, words, fixed, actual = VECTORS[name]
    assert say(start(elder, younger), words).scores == fixed
    assert say(start(elder, younger, ACTUAL), words).scores == actual


def test_v11_log_in_both_orders() -> None:
    elder, younger, words, _, _ = VECTORS["V11"]
    sets = [("elder", 14, "set")] * 3
    own = [
        ("younger", 5, "point"),
        ("younger", 15, "sequence"),
        ("younger", 15, "sequence"),
        ("younger", 60, "repique"),
    ]
    assert say(start(elder, younger), words).log() == [*own, *sets, ("elder", 1, "lead")]
    assert say(start(elder, younger, ACTUAL), words).log() == [
        *sets,
        ("elder", 1, "lead"),
        ("elder", 30, "pique"),
        *own,
    ]


@pytest.mark.parametrize("rules", [{}, ACTUAL])
def test_v2_carte_blanche_stops_both(rules: dict[str, Any]) -> None:
    deck = deck_for("SAKQJT HKQ7 DKJ7 CK", "HAT98 DAQT9 CAQJ7", (cards("HJ D8 C8 C9 CT"), cards("S987")))
    younger, talon = cards("S987 HAT98 DAT9 CA7"), cards("DQ CQ CJ")
    deck = deck[:12] + younger + deck[24:29] + talon
    referee = Referee({"deals": 1, **rules}, lambda number: deck, dealer=1)
    say(referee, "carte blanche")
    assert referee.scores == [0, 0]
    say(referee, "discard HJ,discard D8,discard C8,discard C9,discard CT,draw")
    assert referee.scores == [0, 10]
    say(referee, "discard S7,discard S8,discard S9,draw,point S,good,sequence SA,good,set K,good,play SA")
    assert referee.scores == [45 - 10, 10]


@pytest.mark.parametrize("show", ["immediate", "after_opponent_discards"])
def test_v3_carte_blanche_begins_a_repique(show: str) -> None:
    deck = cards("ST987 HA98 DA9 CA98 SAKQ HJT7 DJT87 CJ7 SJ HKQ DK CK DQ CQT")
    referee = Referee({"deals": 1, "carte_blanche_show": show}, lambda number: deck, dealer=1)
    say(referee, "carte blanche")
    assert referee.scores == ([10, 0] if show == "immediate" else [0, 0])
    say(referee, "discard H8,discard H9,discard D9,discard C8,discard C9,draw")
    assert referee.to_act == 1
    say(referee, "discard D7,discard D8,discard C7,draw")
    assert referee.scores == [10, 0]
    say(referee, "point S,good,sequence SJ,good")
    assert referee.scores == [90, 0]
    assert referee.log()[-1] == ("elder", 60, "repique")


@pytest.mark.parametrize("rules", [{}, ACTUAL])
def test_v7_a_trio_of_younger_stops_pique(rules: dict[str, Any]) -> None:
    referee = start("SAKQJT9 HA8 DA8 C98", "HKQJT DKQJT CAKQJ", rules)
    say(referee, "point S,good,sequence SA,good,done,play SA,set J,set Q,set K")
    say(
        referee,
        *tricks("AS-TH KS-JH QS-TD JS-JD TS-JC 9S-QC AH-QH")[1:],
        "play DA",
    )
    assert referee.scores == [30, 9]


@pytest.mark.parametrize("rules", [{}, ACTUAL])
def test_v8_ten_leads(rules: dict[str, Any]) -> None:
    referee = start("SAKQJT HAK9 DAK CAK", "HQJT DQJT9 CQJT9 S9", rules)
    say(referee, "point S,good,sequence SA,good,done")
    plays = tricks("AS-9S KS-9D QS-9C JS-TC TS-TD AH-TH KH-JH AD-JD KD-QD AC-JC")
    say(referee, plays[0], "done", *plays[1:18])
    assert referee.scores == [29, 0]
    say(referee, plays[18])
    assert referee.scores == [60, 0]


def test_repique_waits_when_elder_passed_a_category() -> None:
    referee = start("SAKQJT9 HK8 DK7 CK9", "HAQJT DQJT9 CAQJT", {})
    say(referee, "done, sequence SA, good, set K, good")
    assert referee.scores == [30, 0]
    say(referee, "play SA")
    assert referee.scores == [31, 0]
    say(referee, "done")
    assert referee.scores == [91, 0]


# Other options


def test_the_ten_is_booked_at_the_seventh_trick() -> None:
    referee = start("SAKQJT98 HAK DA C98", "HQJT9 DKQJ CKQJT S7", {"cards_count_for_pique": True})
    say(referee, "done, done, done, play SA, done, done, done")
    plays = tricks("AS-7S KS-JD QS-QD JS-KD TS-TC 9S-JC 8S-QC")
    say(referee, *plays[1:])
    assert referee.scores == [17, 0]
    assert referee.log()[-1] == ("elder", 10, "cards")
    say(referee, *tricks("AH-9H KH-TH AD-JH 9C-KC QH-8C"))
    assert referee.log()[-1] == ("younger", 1, "last trick")
    assert referee.scores == [21, 3]


def test_carte_rouge() -> None:
    referee = start("SAKQJT HAKQ DAKQ CA", "S9 HJT9 DJT9 CKQJT9", {"carte_rouge": 20})
    say(
        referee,
        "point S, equal, good, sequence SA, equal, good, sequence HA, sequence DA, set A, good, set Q, set K, play SA",
    )
    assert ("elder", 20, "carte rouge") in referee.log()
    assert referee.log()[-2:] == [("elder", 20, "carte rouge"), ("elder", 1, "lead")]


def test_in_turn_and_high_leads() -> None:
    referee = start("SAKQJ HAKQ DAT9 CA7", "S9 HJT9 DKQJ CKQJT9", SWEDISH)
    say(
        referee,
        "point S, not good, point C, sequence SA, not good, sequence HJ, sequence DK, sequence CK",
        "set A, good, play D9",
    )
    assert referee.scores == [14, 26]
    assert referee.phase == "play"


def test_younger_announces_after_elders_exchange() -> None:
    deck = cards("SKQJ HKQJ DKQJ CKQJ SAT98 HAT98 DAT98 S7 H7 D7 C7 CA CT98")
    referee = Referee({"deals": 1, "younger_cb_announce": "after_elder_exchange"}, lambda number: deck, dealer=0)
    say(referee, "discard SJ,draw")
    assert (referee.to_act, referee.legal()) == (0, ["carte blanche", "silent"])
    say(referee, "carte blanche")
    assert referee.scores == [10, 0]
    assert referee.phase == "exchange"
    assert "draw" not in referee.legal()


def test_both_cartes_blanches_in_the_larger_pack() -> None:
    low = cards("SAT9876 HAT9876")
    other = cards("DAT9876 CAT9876")
    deck = low + other + [card for card in pack_of(36) if card not in low + other]
    late = {
        "carte_blanche_show": "after_opponent_discards",
        "younger_cb_show": "immediate",
        "carte_blanche_claim": "automatic",
    }
    referee = Referee({"deals": 1, "pack": 36, **late}, lambda number: deck, dealer=1)
    assert referee.scores == [0, 10]
    say(referee, "discard S6,draw")
    assert referee.scores == [0, 10]
    say(referee, *[f"discard {card}" for card in cards("D6789 C6789")[:11]])
    say(referee, "draw")
    assert referee.scores == [10, 10]
    assert referee.log() == [("elder", 10, "carte blanche"), ("younger", 10, "carte blanche")]
    assert referee.phase == "call point"


def test_au_cent_is_won_by_carte_blanche() -> None:
    deck = cards("ST987 HA98 DA9 CA98 SAKQ HJT7 DJT87 CJ7 SJ HKQ DK CK DQ CQT")
    referee = Referee({**AU_CENT, "games": 1}, lambda number: deck, dealer=1, totals=(90, 99))
    say(referee, "carte blanche")
    assert referee.over
    assert referee.result == {"totals": (100, 99), "settlement": (1, -1), "games": (1, 0)}


def test_younger_may_have_a_pique_where_low_leads_score_nothing() -> None:
    rules = {"lead_point_min_rank": "T"}
    referee = start("S987 H987 D987 C987", "SAKQ HAKQ DAKQ CAKQ", rules)
    say(referee, "done, done, done, play S9, done, done, set Q, set K, done")
    assert referee.scores == [0, 28]
    say(referee, "play SA")
    assert referee.scores == [0, 29]
    say(referee, "play SK")
    assert referee.scores == [0, 60]
    assert referee.log()[-1] == ("younger", 30, "pique")


def test_never_shown() -> None:
    referee = start("SAKQJT HK98 DK7 CK9", "HAQJT DQJT9 CAQJT", {"show_scored": "never"})
    say(referee, "point S, good, sequence SA, good, set K, good")
    assert referee.record("sequence")["scored"] == [(5, "A", None)]
    assert referee.shown("elder", "sequence") == set()


def test_forced_dialogue_has_one_path() -> None:
    referee = start("SAKQJ HAKQ DAT9 CA7", "S9 HJT9 DKQJ CKQJT9", {"sinking": "none"})
    while referee.phase != "play" or referee.to_act == 1:
        assert len(referee.legal()) == 1
        say(referee, referee.legal()[0])
    say(referee, "play SA")
    while referee.phase != "play":
        assert len(referee.legal()) == 1
        say(referee, referee.legal()[0])
    assert referee.scores == [15, 26]


def test_cut_and_choice() -> None:
    deck = pack_of(32)
    referee = Referee({"first_dealer": "choose"}, lambda number: deck, cut=cards("SA HA D9 CT"))
    assert referee.to_act == 1
    assert referee.deal is None
    say(referee, "deal second")
    assert referee.dealer == 0
    assert referee.to_act == 1


@pytest.mark.parametrize(
    ("rules", "totals", "games", "lurches", "moment"),
    [
        ({}, (70, 96), [0, 1], [0, 0], "point"),
        ({}, (40, 96), [0, 2], [1, 0], "point"),
        (ACTUAL, (70, 96), [1, 0], [0, 0], "set"),
        ({}, (70, 20), [2, 0], [0, 1], "set"),
    ],
)
def test_au_cent_ends_at_the_event(
    rules: dict[str, Any], totals: tuple[int, int], games: list[int], lurches: list[int], moment: str
) -> None:
    elder, younger, words, _, _ = VECTORS["V1"]
    referee = say(start(elder, younger, {**AU_CENT, **rules}, totals=totals), words)
    assert referee.deal_number == 2
    assert referee.totals == [0, 0]
    assert referee.lurches == lurches
    assert referee.games == games
    assert referee.previous_log()[-1][2] == moment


# Random playouts

CHOICES: dict[str, tuple[Any, ...]] = {
    "pack": (32, 36),
    "bonus_order": ("fixed", "actual"),
    "cards_count_for_pique": (False, True),
    "sets_from": ("T", "J"),
    "lead_point_min_rank": ("any", "T"),
    "capture_point_min_rank": ("any", "T"),
    "last_trick_point": (1, 0),
    "younger_must_exchange": (True, False),
    "leftover_reveal": ("younger_choice_after_lead", "after_last_trick", "never"),
    "carte_blanche_show": ("immediate", "after_opponent_discards"),
    "carte_blanche_claim": ("optional", "automatic"),
    "younger_cb_announce": ("before_exchange", "after_elder_exchange"),
    "younger_declares": ("after_lead", "in_turn"),
    "sequence_call": ("length", "length_and_top"),
    "point_call": ("number", "number_and_pips"),
    "show_scored": ("auto", "never"),
    "sinking": ("combination", "partial", "none"),
    "undercall_lock": ("cavendish", "absolute", "none"),
    "carte_rouge": (0, 20),
    "form": ("rubicon", "au_cent"),
    "au_cent_stop": ("immediate", "end_of_deal"),
}


def check_deal(referee: Referee, log: list[tuple[str, int, str]], deal: Deal) -> None:
    """What holds for every finished deal."""
    rules = referee.rules
    assert all(points > 0 for _, points, _ in log)
    kinds_of = [kind for _, _, kind in log]
    assert kinds_of.count("repique") <= 1
    assert kinds_of.count("pique") <= 1
    for category in ("point", "sequence", "set"):
        assert len({role for role, _, kind in log if kind == category}) <= 1
    ended_early = deal.winner is not None
    plain = rules["lead_point_min_rank"] == rules["capture_point_min_rank"] == "any" and rules["last_trick_point"] == 1
    if plain and not ended_early:
        play = sum(points for _, points, kind in log if kind in ("lead", "capture", "last trick"))
        assert play == 13 + kinds_of.count("capture")
        assert kinds_of.count("lead") == 12
    if not ended_early:
        assert sum(deal.tricks.values()) == 12


@pytest.mark.parametrize("seed", range(150))
def test_random_parties(seed: int) -> None:
    rng = random.Random(seed)
    rules = {name: rng.choice(values) for name, values in CHOICES.items()}
    pack = pack_of(rules["pack"])
    weak = [card for card in pack if card[1] not in "KQJ"]

    def deck(number: int) -> list[str]:
        """A shuffled pack; now and then one that deals carte blanche."""
        shuffled = rng.sample(pack, len(pack))
        if rng.random() < 0.2:
            blank = rng.sample(weak, 12)
            others = [card for card in shuffled if card not in blank]
            shuffled = blank + others if rng.random() < 0.5 else others[:12] + blank + others[12:]
        return shuffled

    referee = Referee(rules, deck, dealer=rng.randrange(2))
    number, deal = referee.deal_number, referee.deal
    while not referee.over:
        assert referee.to_act in (0, 1)
        assert referee.legal()
        assert len(set(referee.legal())) == len(referee.legal())
        if rules["sinking"] == "none" and referee.phase.split()[0] in ("call", "reply", "second", "further", "declare"):
            assert len(referee.legal()) == 1
        before = referee.scores
        with pytest.raises(ValueError, match="lawful"):
            referee.apply("nonsense")
        referee.apply(rng.choice(referee.legal()))
        if referee.deal_number == number:
            assert all(old <= new for old, new in itertools.pairwise((before, referee.scores))) or referee.deal.winner  # type: ignore[union-attr]
        elif referee.deal_number == number + 1:
            assert deal is not None
            check_deal(referee, referee.previous_log(), deal)
        number, deal = referee.deal_number, referee.deal
    assert referee.result is not None
    assert sum(referee.result["settlement"]) == 0
    assert deal is not None
    check_deal(referee, referee.log(), deal)


def test_sequences_are_maximal_and_valued_by_the_laws() -> None:
    assert [value_of("sequence", length) for length in range(3, 10)] == [3, 4, 15, 16, 17, 18, 19]
    assert runs_held(cards("SAKQ S987 HAK H7")) == [("S7", "S8", "S9"), ("SQ", "SK", "SA")]
    assert PIPS["A"] == 11
    assert RANK_NUMBER["A"] > RANK_NUMBER["K"]
