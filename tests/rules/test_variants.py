"""`Rules`: the table of options, the presets, what is refused, and the text that prints and parses."""

import dataclasses
import pickle
import random

import numpy as np
import pytest
from hypothesis import given

from piquet_env.rules.errors import NotationError
from piquet_env.rules.variants import CONTRADICTIONS, OPTIONS, PRESETS, RULES_DTYPE, Rules
from tests.steering import draw_rules
from tests.strategies import rules as any_rules

# The laws' table of defaults and presets, written out a second time on purpose.
DEFAULTS = {
    "pack": 32,
    "elder_max": 5,
    "first_dealer": "random",
    "carte_blanche_claim": "optional",
    "carte_blanche_show": "immediate",
    "younger_cb_announce": "before_exchange",
    "younger_cb_show": "after_elder_exchange",
    "younger_must_exchange": True,
    "leftover_reveal": "younger_choice_after_lead",
    "sinking": "combination",
    "undercall_lock": "cavendish",
    "point_call": "number",
    "sequence_call": "length",
    "younger_declares": "after_lead",
    "show_scored": "auto",
    "sets_from": "T",
    "bonus_order": "fixed",
    "cards_count_for_pique": False,
    "carte_rouge": 0,
    "lead_point_min_rank": "any",
    "capture_point_min_rank": "any",
    "last_trick_point": 1,
    "form": "rubicon",
    "deals": 6,
    "tie_break": "two_deals",
    "rubicon_line": 100,
    "target": 100,
    "lurch": 50,
    "games": 3,
    "au_cent_stop": "immediate",
}
CHANGES = {
    "rubicon": {},
    "cavendish": {
        "sinking": "partial",
        "carte_blanche_show": "after_opponent_discards",
        "sequence_call": "length_and_top",
    },
    "german": {"bonus_order": "actual"},
    "pagat": {"bonus_order": "actual", "carte_blanche_show": "after_opponent_discards"},
    "finnish": {"sets_from": "J", "cards_count_for_pique": True},
    "swedish": {
        "lead_point_min_rank": "T",
        "younger_must_exchange": False,
        "leftover_reveal": "after_last_trick",
        "tie_break": "draw",
        "younger_declares": "in_turn",
        "younger_cb_show": "immediate",
        "carte_blanche_claim": "automatic",
    },
    "high_cards": {"lead_point_min_rank": "T", "capture_point_min_rank": "T", "last_trick_point": 0},
    "au_cent": {"form": "au_cent", "younger_must_exchange": False},
    "au_cent_36": {"form": "au_cent", "younger_must_exchange": False, "pack": 36, "elder_max": 7},
}


def test_every_option_has_the_default_of_the_laws() -> None:
    assert Rules().as_dict() == DEFAULTS
    assert [option.name for option in OPTIONS] == [field.name for field in dataclasses.fields(Rules)]


@pytest.mark.parametrize("name", CHANGES)
def test_presets_are_those_of_the_laws(name: str) -> None:
    assert Rules.preset(name).as_dict() == {**DEFAULTS, **CHANGES[name]}
    assert str(Rules.preset(name)) == name
    assert Rules.of(name) == Rules.parse(name) == Rules.preset(name)


def test_no_preset_is_missing_or_twice() -> None:
    assert list(PRESETS) == list(CHANGES)
    assert len({Rules.preset(name) for name in PRESETS}) == len(PRESETS)


@given(any_rules())
def test_any_rules_print_parse_copy_and_pickle(rules: Rules) -> None:
    again = Rules.parse(str(rules))
    assert again == rules
    assert hash(again) == hash(rules)
    assert again.hash == rules.hash
    assert str(again) == str(rules)
    assert Rules(**rules.as_dict()) == rules
    assert pickle.loads(pickle.dumps(rules)) == rules
    assert rules.replace() == rules
    assert Rules.of(rules) is rules


def test_the_short_hash_tells_rules_apart_and_never_changes() -> None:
    hashes = {name: Rules.preset(name).hash for name in PRESETS}
    assert len(set(hashes.values())) == len(PRESETS)
    assert (hashes["rubicon"], hashes["cavendish"], hashes["au_cent_36"]) == ("6dc9ceb1", "b4e2ae25", "08a449eb")
    rng = random.Random(3)
    drawn = {draw_rules(rng, ()) for _ in range(500)}
    assert len({rules.hash for rules in drawn}) == len(drawn)


@pytest.mark.nojit
def test_the_kernels_row_holds_each_option() -> None:
    codes = Rules.preset("swedish").replace(carte_rouge=20, first_dealer=1).codes()
    assert codes.dtype == RULES_DTYPE
    assert codes.shape == (1,)
    row = codes[0]
    assert (row["pack"], row["ranks"], row["elder_max"]) == (32, 8, 5)
    assert (row["lead_point_min_rank"], row["capture_point_min_rank"], row["sets_from"]) == (4, 0, 4)
    assert (row["younger_must_exchange"], row["carte_rouge"], row["last_trick_point"]) == (0, 20, 1)
    assert (row["younger_declares"], row["leftover_reveal"], row["tie_break"], row["first_dealer"]) == (1, 1, 1, 3)
    larger = Rules.preset("au_cent_36").codes()[0]
    assert (larger["pack"], larger["ranks"], larger["elder_max"], larger["form"]) == (36, 9, 7, 1)


@given(any_rules())
def test_different_rules_have_different_rows(rules: Rules) -> None:
    for option in OPTIONS:
        for value in option.values or ():
            try:
                other = rules.replace(**{option.name: value})
            except ValueError:
                continue
            if option.name == "pack" and value != rules.pack:
                assert other.ranks != rules.ranks
            # A lead of any rank and one of the lowest rank that scores are two words for one thing.
            if other != rules and {value, getattr(rules, option.name)} != {"any", "7"}:
                assert other.codes().tobytes() != rules.codes().tobytes()


def test_elder_max_follows_the_pack_unless_it_was_set() -> None:
    assert Rules().replace(pack=36).elder_max == 7
    assert Rules.preset("au_cent_36").replace(pack=32).elder_max == 5
    assert Rules(elder_max=3).replace(pack=36).elder_max == 3
    assert Rules().replace(pack=36, elder_max=8).elder_max == 8
    with pytest.raises(ValueError, match="at least one card of the talon"):
        Rules(elder_max=8)
    assert Rules(elder_max=7).elder_max == 7


CONTRADICTORY = [
    ({"younger_cb_announce": "after_elder_exchange", "younger_cb_show": "immediate"}, "younger_cb_show"),
    ({"form": "au_cent", "deals": 4}, "must keep their defaults"),
    ({"form": "au_cent", "tie_break": "draw"}, "must keep their defaults"),
    ({"form": "au_cent", "rubicon_line": 50}, "must keep their defaults"),
    ({"target": 150}, "belong to form='au_cent'"),
    ({"games": 1}, "belong to form='au_cent'"),
    ({"form": "au_cent", "first_dealer": "choose"}, "first_dealer cannot be 'choose'"),
    ({"form": "au_cent", "lurch": 101}, "lurch"),
    ({"elder_max": 8}, "elder_max must leave"),
]


@pytest.mark.parametrize(("options", "words"), CONTRADICTORY)
def test_contradictions_are_refused_in_one_sentence(options: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words) as refused:
        Rules(**options)
    assert str(refused.value).startswith("contradictory rules: ")
    assert "\n" not in str(refused.value)


def test_every_contradiction_is_tried() -> None:
    base = vars(Rules()).copy()
    tried = [{**base, **options} for options, _ in CONTRADICTORY]
    for contradiction in CONTRADICTIONS:
        assert any(contradiction.holds(type("Options", (), options)) for options in tried), contradiction.sentence


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"pack": 52}, "must be one of 32, 36"),
        ({"pack": True}, "must be one of"),
        ({"sinking": "all"}, "must be one of 'combination', 'partial', 'none'"),
        ({"younger_must_exchange": 1}, "must be one of False, True"),
        ({"carte_rouge": 40}, "must be one of 0, 20"),
        ({"deals": 0}, "integer from 1 to"),
        ({"deals": "6"}, "integer from 1 to"),
        ({"deals": 2.0}, "integer from 1 to"),
        ({"rubicon_line": -1}, "integer from 0 to"),
        ({"lead_point_min_rank": "6"}, "must be one of"),
        ({"elder_max": 0}, "integer from 1 to"),
    ],
)
def test_values_that_an_option_does_not_have_are_refused(options: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Rules(**options)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("bridge", "unknown rules preset 'bridge'"),
        ("", "unknown rules preset ''"),
        ("rubicon sinking", "unknown rules option 'sinking'"),
        ("rubicon trumps=S", "unknown rules option 'trumps=S'"),
        ("rubicon sinking=all", "no value 'all'"),
        ("rubicon deals=many", "no value 'many'"),
        ("rubicon younger_must_exchange=yes", "no value 'yes'"),
        ("rubicon deals=0", "integer from 1"),
    ],
)
def test_texts_that_are_no_rules_are_refused(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Rules.parse(text)


def test_what_is_no_rules_at_all_is_refused() -> None:
    with pytest.raises(ValueError, match="not int"):
        Rules.of(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="unknown rules option 'trumps'"):
        Rules().replace(trumps=1)
    with pytest.raises(TypeError):
        Rules(32)  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        Rules().deals = 4  # type: ignore[misc]
    with pytest.raises(NotationError):
        Rules.parse("rubicon deals")


def test_rules_are_values() -> None:
    assert Rules() == Rules.preset("rubicon")
    assert len({Rules(), Rules(), Rules(deals=4)}) == 2
    assert Rules() != Rules(deals=4)
    assert Rules() != "rubicon"
    assert np.array_equal(Rules().codes(), Rules.preset("rubicon").codes())
