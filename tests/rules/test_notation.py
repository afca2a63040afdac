"""The `.deal` text: whatever can be played can be written and read again, and what is wrong is named with its line."""

import random
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from piquet_env.game import Game
from piquet_env.rules import notation
from piquet_env.rules.actions import action_table, format_action, parse_action
from piquet_env.rules.cards import cards_in, format_card, format_hand, parse_card, parse_hand
from piquet_env.rules.errors import NotationError
from piquet_env.rules.notation import Record, decks_of, format_position, format_record, parse_record
from piquet_env.rules.start import Start
from piquet_env.rules.variants import PRESETS, Rules
from tests.rules.positions import LineOfPlay
from tests.steering import draw_rules

DEALS = Path(__file__).resolve().parent.parent / "deals"
NORWEGIAN = (DEALS / "norwegian_worked_deal.deal").read_text(encoding="utf-8")
UNDERCALL = (DEALS / "tierce_called_from_a_quart.deal").read_text(encoding="utf-8")
seeds = st.integers(0, 2**40)

# -- round trips ------------------------------------------------------------------------------------------------------


@given(seeds, st.integers(0, 200))
def test_a_text_plays_back_to_the_same_game(seed: int, steps: int) -> None:
    line = LineOfPlay(seed)
    line.step(steps)
    text = str(line.game)
    again = Game.from_text(text)
    assert again == line.game
    assert again.start._replace(decks=()) == line.game.start._replace(decks=())
    assert len(again.start.decks) == len(line.game.start.decks)
    assert str(again) == text


@given(seeds)
def test_a_text_plays_back_at_every_point_of_a_deal(seed: int) -> None:
    line = LineOfPlay(seed)
    line.step(line.rng.randrange(150))
    for _ in range(20):
        if line.game.is_over:
            break
        assert Game.from_text(str(line.game)) == line.game
        line.step()


@given(seeds, st.integers(0, 200))
def test_a_position_by_itself_goes_on_as_the_whole_partie_does(seed: int, steps: int) -> None:
    line = LineOfPlay(seed)
    line.step(steps)
    game = line.game
    alone = Game.from_text(format_position(game.rules, game.start, game.actions))
    for _ in range(30):
        assert alone.legal_actions() == game.legal_actions()
        assert (alone.deal_number, alone.dealer, alone.totals, alone.games) == (
            game.deal_number,
            game.dealer,
            game.totals,
            game.games,
        )
        assert alone.deal_scores == game.deal_scores
        if game.is_over:
            break
        before = len(game.actions)
        line.step()
        alone.apply(game.actions[before])


@pytest.mark.parametrize("preset", PRESETS)
def test_a_whole_partie_of_every_preset_plays_back(preset: str) -> None:
    game = Game(preset, seed=5)
    rng = random.Random(preset)
    while not game.is_over:
        game.apply(rng.choice(game.legal_actions()))
    assert Game.from_text(str(game)) == game
    assert str(game).splitlines()[0] == f"rules     {preset}"


def test_the_text_before_the_cut_is_decided() -> None:
    game = Game("rubicon first_dealer=choose", seed=3, decks=[np.arange(32)])
    assert Game.from_text(str(game)) == game
    game.apply(game.legal_actions()[0])
    assert "cut       seat" in str(game)
    assert Game.from_text(str(game)) == game


@given(seeds)
def test_rules_print_and_parse(seed: int) -> None:
    rules = draw_rules(random.Random(seed), ())
    assert Rules.parse(str(rules)) == rules


def test_rules_name_the_most_that_elder_takes_where_the_pack_would_change_it() -> None:
    rules = Rules(pack=36, elder_max=5)
    assert Rules.parse(str(rules)) == rules
    assert str(rules) != str(Rules(pack=36))


def test_laws_stand_in_a_record() -> None:
    record = Record(Rules(), Start(seed=1, dealer=0), (), (19, 25))
    text = format_record(record)
    assert text.startswith("laws      19 25\nrules     rubicon\n")
    assert parse_record(text).laws == (19, 25)


@pytest.mark.parametrize("ranks", [8, 9])
def test_all_cards_print_and_parse(ranks: int) -> None:
    assert [parse_card(format_card(card, ranks), ranks) for card in range(4 * ranks)] == list(range(4 * ranks))


@given(st.integers(0, 2**36 - 1), st.sampled_from([8, 9]))
def test_hands_print_and_parse(mask: int, ranks: int) -> None:
    hand = mask & ((1 << 4 * ranks) - 1)
    assert parse_hand(format_hand(hand, ranks), ranks) == hand


@pytest.mark.parametrize("pack", [32, 36])
def test_all_actions_print_and_parse(pack: int) -> None:
    for action in action_table(pack):
        assert parse_action(format_action(action.id, pack), pack) == action.id


def test_the_example_of_the_module_is_true() -> None:
    example = (notation.__doc__ or "").split("```")[1].strip("\n")
    game = Game.from_text(example)
    assert game.returns() == (270, -270)
    written = [line for line in str(game).splitlines() if line]
    assert [line for line in example.splitlines() if line and not line.startswith(("#", "laws"))] == written


# -- decks ------------------------------------------------------------------------------------------------------------


def test_decks_of_a_text_are_those_of_its_deals() -> None:
    deck = decks_of(NORWEGIAN)[0]
    assert deck.dtype == np.int8
    assert not deck.flags.writeable
    assert sorted(deck.tolist()) == list(range(32))
    game = Game("rubicon", seed=9, decks=[NORWEGIAN])
    assert int(game.state["dealt"][0]) == sum(1 << card for card in deck.tolist()[:12])
    assert [format_card(card) for card in deck.tolist()[24:]] == ["SA", "HA", "DA", "CA", "DT", "HT", "CT", "DQ"]


def test_decks_need_no_rules_and_no_actions() -> None:
    cards = "\n".join(line for line in NORWEGIAN.splitlines() if line.startswith(("dealt", "  ", "talon")))
    cards = cards.split("\n          D")[0].split("\n          H")[0]
    kept = [line for line in cards.splitlines() if not re.match(r" +(HQ|DA)", line)][:3]
    assert len(decks_of("\n".join(kept))) == 1


def test_decks_of_several_deals_and_of_the_seed() -> None:
    text = (DEALS / "deal_alternates.deal").read_text(encoding="utf-8")
    assert len(decks_of(text)) == 2
    seeded = decks_of((DEALS / "partie_of_six_deals.deal").read_text(encoding="utf-8"))
    assert len(seeded) == 6
    short = decks_of("start     seed 11\ndeal      1, from the seed\ndeal      2, from the seed\n")
    assert [deck.tolist() for deck in short] == [Game(seed=11).start.decks or d.tolist() for d in short]


def test_decks_of_another_pack_are_refused() -> None:
    with pytest.raises(NotationError, match="deals with 32 cards, the rules have 36"):
        decks_of(NORWEGIAN, 36)


# -- what may be left out ---------------------------------------------------------------------------------------------


def test_checks_may_be_left_out() -> None:
    keys = ("repique", "tricks", "cards", "log", "score", "totals", "settlement", "#", "laws")
    bare = "\n".join(line for line in NORWEGIAN.splitlines() if not line.startswith(keys))
    bare = bare.replace(" dealer 1\ndealt", "\ndealt").replace(" (41)", "").replace("good 14", "good")
    bare = bare.replace("  takes SA HA DA CA DT", "").replace("tierce H:JT9 3", "tierce H:JT9")
    assert Game.from_text(bare) == Game.from_text(NORWEGIAN)


def test_under_no_sinking_the_dialogue_may_be_left_out() -> None:
    text = (DEALS / "nothing_can_be_sunk.deal").read_text(encoding="utf-8")
    bare = "\n".join(line for line in text.splitlines() if not line.startswith(("point", "sequence", "set")))
    assert Game.from_text(bare) == Game.from_text(text)


# -- what is wrong ----------------------------------------------------------------------------------------------------


def line_of(text: str, part: str) -> int:
    return text[: text.index(part)].count("\n") + 1


WRONG = {
    "card twice in a hand": ("S:KQJT87 H:KQ87", "S:KQJT877 H:KQ87", "dealt: card S7 stands twice"),
    "card in both hands": ("S:9 H:J9 D:KJ87", "S:K H:J9 D:KJ87", "dealt: card SK stands in both hands"),
    "card in hand and talon": ("talon     SA", "talon     SK", "talon: card SK stands twice in the deal"),
    "thirteen cards": ("S:KQJT87 H:KQ87", "S:KQJT987 H:KQ87", "dealt: elder holds 13 cards, not 12"),
    "thirty-one cards": ("talon     SA HA", "talon     HA", "talon: there are 7 cards, not 8"),
    "a card of the other pack": ("S:9 H:J9 D:KJ87", "S:6 H:J9 D:KJ87", "dealt: 'S6' is not a card of the pack of 32"),
    "no card at all": ("talon     SA", "talon     XA", "talon: 'XA' is not a card of the pack of 32"),
    "a word for a hand": ("S:KQJT87 H:KQ87", "spades H:KQ87", "dealt: 'spades' is not a suit with its cards"),
    "another role": ("point     elder", "point     dealer", "point: 'dealer' is not a role"),
    "a discard not held": ("exchange  elder   S:T87", "exchange  elder   S:987", r"exchange: elder does not hold S9"),
    "too many discards": (
        "elder   S:T87 H:87",
        "elder   S:T87 H:87 C:7",
        r"exchange: elder has laid out 5 cards.*law 14",
    ),
    "another card drawn": (
        "takes SA HA",
        "takes HA SA",
        "exchange: text says takes HA SA DA CA DT, the engine says takes SA",
    ),
    "elder leaves nothing": ("takes SA HA DA CA DT", "leaves SA", "exchange: it is not elder who leaves cards"),
    "younger first": (
        "exchange  elder",
        "exchange  younger",
        "exchange: younger is not asked for this now: it is elder's",
    ),
    "a claim not held": ("point     elder   S:AKQJ", "point     elder   S:AKQT", "point: elder does not hold ST"),
    "part of a suit": (
        "point     elder   S:AKQJ",
        "point     elder   S:AKQ",
        r"only the whole of it.*S:AKQJ \(law 35\)",
    ),
    "a shorter suit": ("point     elder   S:AKQJ (41)", "point     elder   H:AKQ", r"longest suit, of 4 cards.*law 35"),
    "other pips": ("(41)", "(40)", "point: text says 40 pips, the engine says 41 pips"),
    "another name": ("quart S:AKQJ", "quint S:AKQJ", "sequence: text says quint, the engine says quart"),
    "no sequence": ("quart S:AKQJ", "quart S:AKQT", "sequence: elder does not hold ST"),
    "two suits": ("quart S:AKQJ", "quart S:AK", "sequence: .*cannot be claimed|only the whole of it"),
    "a set not held": (
        "set       elder   quatorze A",
        "set       elder   quatorze Q",
        "set: a set is three or four of a rank",
    ),
    "a wrong reply": (
        "(41)  not good",
        "(41)  equal",
        r"point: younger holds nothing that equals the point of 4.*law 25",
    ),
    "no reply": ("(41)  not good", "(41)  better", "point: 'better' is not a reply"),
    "a wrong value": ("quatorze A  good 14", "quatorze A  good 3", "set: text says 3, the engine says 14"),
    "a value after not good": ("(41)  not good", "(41)  not good 4", "point: text says 4, the engine says 0"),
    "a pass in the wrong category": (
        "point     elder   S:AKQJ (41)  not good",
        "set       elder   passes",
        "set: elder has nothing to end here",
    ),
    "an early card": ("lead      SA", "play      SA SK", "play: .*law 30"),
    "a pass after not good": (
        "point     younger C:KQJT9 (49) 5",
        "point     younger passes",
        r"point: younger said .not good. .*law 31",
    ),
    "a revoke": ("HA H9", "HA CK", r"play: younger must follow hearts and holds H:JT9; tried 'play CK' \(law 52\)"),
    "a card played twice": ("HQ HJ", "HQ H9", "play: younger does not hold H9"),
    "another lead": ("play      SA S9", "play      SK S9", "play: text says SK, the engine says SA"),
    "tricks": ("tricks    10 2", "tricks    9 3", "tricks: text says 9 3, the engine says 10 2"),
    "cards": ("cards     elder   10", "cards     younger 10", "cards: text says 10, the engine says 0"),
    "a repique that is none": ("score     14 0", "repique   elder   60", "repique: text says 60, the engine says 0"),
    "score": ("score     36 30", "score     36 31", "score: text says 36 31, the engine says 36 30"),
    "log": ("younger play 2; elder cards", "younger play 3; elder cards", "log: text says .*, the engine says"),
    "totals": ("totals    36 30", "totals    30 36", "totals: text says 30 36, the engine says 36 30"),
    "settlement": ("settlement 166 -166", "settlement 106 -106", "settlement: text says 106 -106"),
    "rubicon": (", rubicon seat 1", ", rubicon seat 0", "settlement: text says 166 -166, rubicon seat 0"),
    "an unknown key": ("tricks    10 2", "trick     10 2", "'trick' is not a key"),
    "unknown rules": ("rules     rubicon", "rules     bezique", "rules: unknown rules preset 'bezique'"),
    "no rules": ("rules     rubicon deals=1\n", "", "a text needs a line `rules`"),
    "an unknown start": ("start     dealer 1", "start     elder 1", "start: 'elder 1' is not a start"),
    "a dealer at no seat": (
        "start     dealer 1",
        "start     dealer 2",
        "start: dealer must be a whole number from 0 to 1",
    ),
    "another dealer": (
        "deal      1 dealer 1",
        "deal      1 dealer 0",
        "deal: text says dealer 0, the engine says dealer 1",
    ),
    "another number": (
        "deal      1 dealer 1",
        "deal      9 dealer 1",
        "start: deal_number must be a whole number from 1 to 3",
    ),
    "other cards than the seed's": (
        "deal      1 dealer 1",
        "deal      1 dealer 1, from the seed",
        "dealt: text says S:KQJT87",
    ),
    "a rule behind the deal": ("tricks    10 2", "rules     cavendish", "rules: stands behind a deal"),
    "a space first": ("# NO's", " NO's", "a text cannot begin with a space"),
    "an early settlement": ("score     14 0", "settlement 0 0", "settlement: the partie is not over"),
    "a word for a number": ("score     14 0", "score     14 none", "score: '14 none' is not 2 whole numbers"),
    "an action behind the end": ("settlement 166", "play      SA\nsettlement 166", "play: the partie is over"),
    "legal": ("score     14 0", "legal     elder   play SA", "legal: text says play SA, the engine says play SJ"),
    "shown": ("score     14 0", "shown     elder   S:A", "shown: text says S:A, the engine says S:A H:A D:A C:A"),
    "no such action": ("score     14 0", "then      sneeze", "then: 'sneeze' is not an action"),
}


@pytest.mark.parametrize("name", WRONG)
def test_one_clear_error_names_the_line(name: str) -> None:
    right, wrong, message = WRONG[name]
    assert NORWEGIAN.count(right) >= 1
    text = NORWEGIAN.replace(right, wrong, 1)
    with pytest.raises(NotationError, match=message) as caught:
        Game.from_text(text)
    said = str(caught.value)
    assert "\n" not in said
    if wrong:
        # A deck is read as a whole, so what its cards have wrong may be told of either hand.
        number = int(re.match(r"line (\d+): ", said)[1])  # type: ignore[index]
        assert abs(number - line_of(text, wrong)) <= 2


def test_a_wrong_line_is_told_as_in_the_handbook() -> None:
    text = NORWEGIAN.replace("score     14 0", "repique   elder   60")
    with pytest.raises(NotationError) as caught:
        Game.from_text(text)
    assert str(caught.value) == f"line {line_of(text, 'repique')}: repique: text says 60, the engine says 0"


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("tierce S:987", "quart S:T987", r"sequence: .*law 38"),
        ("tierce S:987", "tierce S:T98", r"sequence: .*law 38"),
        ("tierce S:987", "tierce S:98", "sequence: .* is not a sequence|cannot be claimed"),
        ("tierce H:987", "tierce H:Q98", r"sequence: elder holds no sequence of hearts to the queen.*law 20"),
        ("tierce H:987", "tierce H:Q97", r"sequence: elder holds no sequence of hearts to the queen.*law 20"),
        ("S:QT987 (44)", "S:Q7", r"point: .*\(law 36\)"),
        ("quatorze Q", "trio Q", "set: text says trio, the engine says quatorze"),
        ("quatorze Q", "quatorze Q without SQ", "set: text says quatorze, the engine says trio"),
    ],
)
def test_wrong_under_calls(right: str, wrong: str, message: str) -> None:
    assert right in UNDERCALL
    with pytest.raises(NotationError, match=message):
        Game.from_text(UNDERCALL.replace(right, wrong, 1))


def test_a_lie_under_no_sinking_is_found_though_the_dialogue_runs_by_itself() -> None:
    text = (DEALS / "nothing_can_be_sunk.deal").read_text(encoding="utf-8")
    with pytest.raises(NotationError, match=r"'good', but under sinking='none' it can only be 'not good' \(law 37\)"):
        Game.from_text(text.replace("(41)  not good", "(41)  good"))


TEXTS = [path.read_text(encoding="utf-8") for path in sorted(DEALS.glob("*.deal"))]


@given(st.sampled_from(TEXTS), st.integers(0, 2**32), st.integers(1, 3))
def test_a_damaged_text_is_refused_in_one_line_or_still_true(text: str, seed: int, damages: int) -> None:
    """Words dropped, doubled, exchanged or replaced: the reader says which line is wrong, and never breaks."""
    rng = random.Random(seed)
    words = re.split(r"(\s+)", text)
    for _ in range(damages):
        first, second = rng.randrange(len(words)), rng.randrange(len(words))
        kind = rng.randrange(4)
        if kind == 0:
            words[first] = ""
        elif kind == 1:
            words[first] += " " + words[first]
        elif kind == 2:
            words[first], words[second] = words[second], words[first]
        else:
            words[first] = rng.choice(
                ["SA", "7", "elder", "done", ",", "-", "(", "\n", " ", "S:AKQ", "not", "also", "set"]
            )
    refusal = ""
    try:
        game = Game.from_text("".join(words))
    except NotationError as error:
        refusal = str(error)
    if refusal:
        assert re.fullmatch(r"(line \d+: |a text needs a line `rules`).*", refusal)  # and no line break in it
    else:
        assert Game.from_text(str(game)) == game


def test_cards_of_a_deal_that_has_not_begun_stand_without_actions() -> None:
    game = Game("rubicon", seed=1, decks=[np.arange(32), np.arange(32)[::-1]], dealer=0)
    text = str(game)
    assert [line for line in text.splitlines() if line.startswith("deal ")] == ["deal      1 dealer 0", "deal      2"]
    with pytest.raises(NotationError, match="deal 2 has not begun: the deal before it is not over"):
        Game.from_text(text + "exchange  elder   S:7\n")


def test_a_given_deal_cannot_follow_one_from_the_seed() -> None:
    cards = "\n".join(str(Game("rubicon", seed=1, decks=[np.arange(32)], dealer=0)).splitlines()[4:])
    text = f"rules     rubicon\nstart     dealer 0\ndeal      1, from the seed\ndeal      2\n{cards}\n"
    with pytest.raises(NotationError, match="cannot follow one from the seed"):
        Game.from_text(text)


def test_cards_in_a_text_go_by_their_mask() -> None:
    game = Game("au_cent_36", seed=4)
    assert len(cards_in(int(game.state["dealt"][0]), 9)) == 12
    assert Game.from_text(str(game)) == game
