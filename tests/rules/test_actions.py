"""The action table: sizes, order, words, and the bits by which the kernels know the actions."""

from collections import Counter

import pytest

from piquet_env.rules import actions
from piquet_env.rules.actions import KINDS, action_table, first_id, format_action, num_actions, parse_action
from piquet_env.rules.dialogue import late_word, word_of_item
from piquet_env.rules.errors import NotationError
from piquet_env.rules.holdings import items_in
from piquet_env.rules.state import POINT, SEQUENCE, SET

PACKS = (32, 36)
SIZES = {
    "play": (32, 36),
    "discard": (32, 36),
    "withhold": (32, 36),
    "draw": (1, 1),
    "carte blanche": (1, 1),
    "silent": (1, 1),
    "point": (4, 4),
    "sequence": (24, 28),
    "set": (5, 5),
    "done": (1, 1),
    "good": (1, 1),
    "equal": (1, 1),
    "not good": (1, 1),
    "turn up": (1, 1),
    "leave": (1, 1),
    "deal first": (1, 1),
    "deal second": (1, 1),
}


@pytest.mark.parametrize(("pack", "size"), [(32, 140), (36, 156)])
def test_table_has_its_size_and_order(pack: int, size: int) -> None:
    table = action_table(pack)
    assert num_actions(pack) == len(table) == size
    assert [action.id for action in table] == list(range(size))
    assert list(dict.fromkeys(action.kind for action in table)) == list(SIZES)
    assert Counter(action.kind for action in table) == {kind: sizes[PACKS.index(pack)] for kind, sizes in SIZES.items()}


def test_the_rows_say_their_own_sizes() -> None:
    assert {kind.name: (kind.size_32, kind.size_36) for kind in KINDS} == SIZES


@pytest.mark.parametrize("pack", PACKS)
def test_every_action_prints_and_parses(pack: int) -> None:
    words = [format_action(action.id, pack) for action in action_table(pack)]
    assert len(set(words)) == len(words)
    assert [parse_action(word, pack) for word in words] == list(range(len(words)))
    assert parse_action("  not   good ", pack) == first_id("not good", pack)


def test_some_actions_by_their_words() -> None:
    assert format_action(7) == "play SA"
    assert format_action(32 + 31) == "discard CA"
    assert format_action(96) == "draw"
    assert parse_action("sequence S9") == first_id("sequence")
    assert parse_action("sequence S8", 36) == first_id("sequence", 36)
    assert parse_action("set A") == first_id("done") - 1


@pytest.mark.parametrize("words", ["", "play", "play S6", "sequence S8", "PLAY SA", "set 9", "point", "point S H"])
def test_what_is_no_action_is_refused(words: str) -> None:
    with pytest.raises(NotationError, match="is not an action of the pack of 32 cards"):
        parse_action(words)


@pytest.mark.parametrize("pack", PACKS)
def test_words_fit_in_the_bits_of_a_row(pack: int) -> None:
    assert num_actions(pack) - 3 * pack < 63


@pytest.mark.nojit
@pytest.mark.parametrize("pack", PACKS)
def test_the_kernels_words_are_the_tables(pack: int) -> None:
    ranks = pack // 4
    first_word = first_id("draw", pack)
    assert first_word == 3 * pack
    early = {"draw": actions.WORD_DRAW, "carte blanche": actions.WORD_CARTE_BLANCHE, "silent": actions.WORD_SILENT}
    for kind, word in early.items():
        assert first_word + word == first_id(kind, pack)
    for kind in ("done", "good", "equal", "not good", "turn up", "leave", "deal first", "deal second"):
        word = getattr(actions, f"WORD_{kind.upper().replace(' ', '_')}")
        assert first_word + late_word(word, ranks) == first_id(kind, pack)
    for category, kind in ((POINT, "point"), (SEQUENCE, "sequence"), (SET, "set")):
        items = items_in(category, ranks)
        assert items == SIZES[kind][PACKS.index(pack)]
        words = [first_word + word_of_item(category, item, ranks) for item in range(items)]
        assert words == [first_id(kind, pack) + item for item in range(items)]
