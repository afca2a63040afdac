"""The readings: what a network is given, that it is what the observation says, and that suits are alike."""

import itertools

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("sb3_contrib")

from agents.learned.objective import Objective  # noqa: E402
from agents.learned.parties import SelfPlayParties  # noqa: E402
from agents.learned.reading import READINGS, Inputs, reading_of  # noqa: E402
from piquet_env import Rules  # noqa: E402
from piquet_env.observation import decode, observation_scale, observation_size  # noqa: E402
from piquet_env.rules.actions import format_action, num_actions  # noqa: E402
from piquet_env.rules.knowledge import VIEW_NAMES  # noqa: E402

CARD_BLOCKS = 19


def some_rows(rules: str, steps: int = 40, number: int = 32, reading: str = "suits") -> tuple[np.ndarray, np.ndarray]:
    """Return rows with hidden cards, and masks, of parties played at random."""
    parties = SelfPlayParties(number, rules, Objective(), reading=reading, seed=5)
    rng = np.random.default_rng(2)
    rows, masks = [parties.reset()], [parties.action_masks()]
    for _ in range(steps):
        parties.step_async((rng.random(masks[-1].shape) * masks[-1]).argmax(1))
        rows.append(parties.step_wait()[0])
        masks.append(parties.action_masks())
    return np.concatenate(rows), np.concatenate(masks)


def listed(found: Inputs, row: int, *, own: bool) -> dict[int, float]:
    end = found.own_ends[row] if own else found.starts[row + 1]
    part = slice(found.starts[row], end)
    places = found.places[part].tolist()
    assert len(set(places)) == len(places)
    return dict(zip(places, found.values[part].tolist(), strict=True))


def exchange_suits(rows: np.ndarray, pack: int, order: tuple[int, ...]) -> np.ndarray:
    """Return rows in which suit s has become suit order[s]."""
    ranks, own = pack // 4, (observation_size(pack) + 7) // 8 * 8
    exchanged = rows.copy()
    blocks = [block * pack for block in range(CARD_BLOCKS)]
    blocks += [own + block * pack for block in range(3)] if rows.shape[1] > own else []
    for first, suit in itertools.product(blocks, range(4)):
        there = first + order[suit] * ranks
        exchanged[:, there : there + ranks] = rows[:, first + suit * ranks : first + suit * ranks + ranks]
    return exchanged


def is_exchange(rows: np.ndarray, pack: int) -> np.ndarray:
    views = decode(rows[:, : observation_size(pack)])["phase"].argmax(1)
    return np.array([VIEW_NAMES[view] in {"cut", "carte blanche"} or "exchange" in VIEW_NAMES[view] for view in views])


def test_the_plain_reading_is_the_observation() -> None:
    rows, _ = some_rows("rubicon", 10, reading="plain")
    reading = reading_of("plain", 32)
    found = reading.read(rows)
    size = observation_size(32)
    for row in range(len(rows)):
        dense = np.zeros(reading.num_all, dtype=np.float32)
        for place, value in listed(found, row, own=False).items():
            dense[place] = value
        assert dense[:size] == pytest.approx(rows[row, :size] * observation_scale(32))
        assert (
            dense[reading.own_size : reading.own_size + 64] == rows[row, reading.own_size : reading.own_size + 64]
        ).all()
        assert max(listed(found, row, own=True)) < reading.num_own
    assert (reading.actions == np.arange(num_actions(32))).all()


@pytest.mark.parametrize("name", READINGS)
@pytest.mark.parametrize("rules", ["rubicon", "au_cent_36"])
def test_an_actor_reads_nothing_hidden(name: str, rules: str) -> None:
    """With other cards in the hidden part the own inputs are the same, and the same as without that part."""
    pack = Rules.of(rules).pack
    reading = reading_of(name, pack)
    rows, _ = some_rows(rules, 10, reading=name)
    other = rows.copy()
    hidden_part = slice(reading.own_size, reading.own_size + 3 * pack)
    other[:, hidden_part] = np.random.default_rng(1).permuted(rows[:, hidden_part], axis=1)
    found, exchanged, own = (reading.read(given) for given in (rows, other, rows[:, : reading.own_size]))
    differs = 0
    for row in range(len(rows)):
        assert listed(found, row, own=True) == listed(exchanged, row, own=True) == listed(own, row, own=True)
        assert max(listed(found, row, own=True)) < reading.num_own
        hidden = [place for place in listed(found, row, own=False) if place >= reading.num_own]
        assert all(place < reading.num_all for place in hidden)
        differs += listed(found, row, own=False) != listed(exchanged, row, own=False)
    assert differs > len(rows) / 2


@pytest.mark.parametrize("rules", ["rubicon", "au_cent_36"])
@pytest.mark.parametrize("name", ["suits", "tricks"])
@pytest.mark.parametrize("order", [(1, 0, 2, 3), (2, 3, 1, 0), (3, 2, 1, 0)])
def test_behind_the_exchange_suits_are_alike(rules: str, name: str, order: tuple[int, ...]) -> None:
    """With the suits exchanged a network is given the same inputs, and its outputs mean the exchanged actions."""
    pack = Rules.of(rules).pack
    reading = reading_of(name, pack)
    rows, _ = some_rows(rules)
    rows = rows[~is_exchange(rows, pack)]
    found, exchanged = reading.read(rows), reading.read(exchange_suits(rows, pack, order))
    letters = "SHDC"
    rename = str.maketrans(letters, "".join(letters[order[suit]] for suit in range(4)))
    words = [format_action(action, pack) for action in range(num_actions(pack))]
    number = {text: action for action, text in enumerate(words)}
    renamed = [number[_with_suit(text, rename)] for text in words]
    alike = 0
    for row in range(len(rows)):
        if _has_equal_suits(rows[row], pack):  # which of them stands first is a matter of their order
            continue
        alike += 1
        assert listed(found, row, own=False) == listed(exchanged, row, own=False)
        assert (reading.actions[found.orders[row]] == reading.actions[exchanged.orders[row]][renamed]).all()
    assert alike > 300


def _with_suit(words: str, rename: dict[int, int]) -> str:
    """Exchange the suit in an action's words: it is the first letter of the last word, or its last."""
    *before, last = words.split(" ")
    if not before or before[0] not in {"play", "discard", "withhold", "point", "sequence"}:
        return words
    return " ".join([*before, last[0].translate(rename) + last[1:]])


def _has_equal_suits(row: np.ndarray, pack: int) -> bool:
    facts = decode(row[: observation_size(pack)])
    held = ((facts["hand"] != 0) | (facts["own_trick"] != 0)).reshape(4, pack // 4)
    return len({tuple(suit) for suit in held.tolist()}) < 4


def test_in_the_exchange_suits_stay_where_they_are() -> None:
    reading = reading_of("suits", 32)
    rows, _ = some_rows("rubicon")
    rows = rows[is_exchange(rows, 32)]
    assert len(rows) > 50
    found = reading.read(rows)
    assert (reading.actions[found.orders] == np.arange(num_actions(32))).all()
    other = reading.read(exchange_suits(rows, 32, (1, 0, 2, 3)))
    assert any(listed(found, row, own=True) != listed(other, row, own=True) for row in range(len(rows)))


@pytest.mark.parametrize("rules", ["rubicon", "au_cent_36"])
def test_every_order_of_actions_is_a_permutation(rules: str) -> None:
    actions = reading_of("suits", Rules.of(rules).pack).actions
    assert len(actions) == 25
    for order in actions:
        assert sorted(order.tolist()) == list(range(actions.shape[1]))


def plain_inputs(row: np.ndarray, pack: int) -> dict[str, object]:
    """Compute what is derived from an observation, in the slowest way."""
    facts = decode(row[: observation_size(pack)].astype(np.int64))
    ranks = pack // 4
    hand = facts["hand"].reshape(4, ranks)
    held = hand | (facts["own_trick"].reshape(4, ranks) > 0)
    against = (facts["unseen"] | facts["other_known"]).reshape(4, ranks)
    suits = sorted(range(4), key=lambda suit: (-held[suit].sum(), [-one for one in held[suit][::-1]]))
    voids = set()
    for card, answer in itertools.product(range(pack), repeat=2):
        trick = facts["own_trick"][card]
        if trick and facts["other_trick"][answer] == trick and facts["tricks_led"][trick - 1]:
            if card // ranks != answer // ranks:
                voids.add(card // ranks)

    def winners(own: np.ndarray, other: np.ndarray) -> int:
        return sum(1 for rank in range(ranks) if own[rank] and not other[rank:].any())

    bits = 1 << np.arange(ranks)
    is_play = VIEW_NAMES[int(facts["phase"].argmax())] in {"lead", "follow", "over"}
    return {
        "ranks": [] if is_play else [(hand[:, r].sum(), against[:, r].sum()) for r in range(ranks)],
        "voids": {suits.index(suit) for suit in voids},
        "counts": [
            (hand[s].sum(), against[s].sum(), winners(hand[s], against[s]), winners(against[s], hand[s])) for s in suits
        ],
        "patterns": [(int(hand[s] @ bits), int(against[s] @ bits)) for s in suits],
        "numbers": (
            min(max(facts["own_points"].sum(), 0), 63),
            min(max(facts["other_points"].sum(), 0), 63),
            hand.sum(),
            *facts["tricks_won"],
        ),
    }


@pytest.mark.parametrize("rules", ["rubicon", "au_cent_36"])
def test_what_is_derived_is_what_a_slow_reader_finds(rules: str) -> None:
    pack = Rules.of(rules).pack
    ranks, reading = pack // 4, reading_of("suits", pack)
    rows, _ = some_rows(rules, 60)
    rows = rows[~is_exchange(rows, pack)]
    found = reading.read(rows)
    first = 2 * CARD_BLOCKS * pack + observation_size(pack) - CARD_BLOCKS * pack
    against, counts = first + (8 << ranks), first + (12 << ranks)
    voids, numbers = counts + 320, counts + 324
    met = dialogues = 0
    for row in range(len(rows)):
        expected = plain_inputs(rows[row], pack)
        places = {place for place in listed(found, row, own=True) if place >= first}
        right = {voids + slot for slot in expected["voids"]}
        met += len(right)
        for slot in range(4):
            right |= {first + (slot << ranks) + expected["patterns"][slot][0]}
            right |= {against + (slot << ranks) + expected["patterns"][slot][1]}
            right |= {counts + 40 * slot + 10 * part + int(expected["counts"][slot][part]) for part in range(4)}
        own, other, held, won, lost = (int(number) for number in expected["numbers"])
        right |= {numbers + own, numbers + 64 + other, numbers + 128 + held, numbers + 141 + won, numbers + 154 + lost}
        ranked = numbers + 167
        for rank, (mine, theirs) in enumerate(expected["ranks"]):
            right |= {ranked + 10 * rank + int(mine), ranked + 10 * rank + 5 + int(theirs)}
        dialogues += bool(expected["ranks"])
        assert places == right
    assert met > 20
    assert 20 < dialogues < len(rows) - 20


def played_inputs(row: np.ndarray, pack: int) -> set[tuple[int, int, int, int]]:
    """Return side (own 0), way (led, followed, thrown), trick from 0 and real card of each card played."""
    facts, ranks = decode(row[: observation_size(pack)]), pack // 4
    played = [
        {int(facts[side][card]): card for card in np.flatnonzero(facts[side])} for side in ("own_trick", "other_trick")
    ]
    found = set()
    for side, cards in enumerate(played):
        for trick, card in cards.items():
            led = bool(facts["tricks_led"][trick - 1]) == (side == 0)
            way = 0 if led else 1 if played[1 - side][trick] // ranks == card // ranks else 2
            found.add((side, way, trick - 1, card))
    return found


@pytest.mark.parametrize("rules", [pytest.param("rubicon", marks=pytest.mark.nojit), "au_cent_36"])
def test_tricks_reads_when_and_how_each_card_was_played(rules: str) -> None:
    pack = Rules.of(rules).pack
    suits, tricks = reading_of("suits", pack), reading_of("tricks", pack)
    rows, _ = some_rows(rules, 200)
    found, plain = tricks.read(rows), suits.read(rows)
    columns = tricks.columns_of(suits)
    known = set(columns.tolist())
    ways = np.zeros(3, dtype=np.int64)
    starts = set()
    for row in range(len(rows)):
        mine = listed(found, row, own=False)
        theirs = {int(columns[place]): value for place, value in listed(plain, row, own=False).items()}
        assert -1 not in theirs
        extra = mine.keys() - theirs.keys()
        assert {place: mine[place] for place in theirs} == theirs
        assert not extra & known
        if is_exchange(rows[row : row + 1], pack)[0]:
            assert not extra
            continue
        slots = list(tricks.actions[found.orders[row], :pack])  # the slot's number of each real card
        right = {
            ((side * 3 + way) * 12 + trick) * pack + int(slots[card])
            for side, way, trick, card in played_inputs(rows[row], pack)
        }
        ways += np.bincount([place // pack // 12 % 3 for place in right], minlength=3)
        if right:
            starts.add(min(extra) - min(right))
        assert {place - min(starts, default=0) for place in extra} == right
    assert len(starts) == 1
    assert (ways > 100).all()


def test_no_reading_takes_the_place_of_another_with_other_inputs() -> None:
    suits, tricks = reading_of("suits", 32), reading_of("tricks", 32)
    assert (suits.columns_of(suits) == np.arange(suits.num_all)).all()
    for own, other in ((suits, tricks), (tricks, reading_of("plain", 32)), (tricks, reading_of("suits", 36))):
        with pytest.raises(ValueError, match="does not have the inputs"):
            own.columns_of(other)


def test_an_unknown_reading_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown reading 'braille'; it is one of plain, suits"):
        reading_of("braille", 32)
