"""The text picture: what it says, that a seat's picture holds nothing hidden, and that it is there in every phase."""

import random
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

from piquet_env.game import Game
from piquet_env.observation import decode, encode_at, observation_size
from piquet_env.render import MOST_WIDTH, combination_in_words, number_in_words, render_observation, render_text
from piquet_env.rules.actions import action_table, first_id, format_action, parse_action
from piquet_env.rules.cards import cards_in, parse_card, parse_hand
from piquet_env.rules.knowledge import VIEW_NAMES
from piquet_env.rules.state import DECLARE, FURTHER
from piquet_env.rules.variants import PRESETS, Rules

ALL_RULES = (
    *PRESETS,
    "rubicon first_dealer=choose tie_break=seventh_deal",
    "rubicon show_scored=never point_call=number_and_pips carte_rouge=20",
    "rubicon sinking=none leftover_reveal=after_last_trick",
    "cavendish sequence_call=length undercall_lock=none younger_declares=in_turn",
    "au_cent_36 sinking=partial au_cent_stop=end_of_deal carte_blanche_show=after_opponent_discards",
)
# No court card among elder's twelve, nor (with younger's version) among younger's.
BLANK_HAND = "S:AT9 H:AT9 D:AT9 C:AT9"


def deck_of_hands(elder: str, younger: str = "", talon: str = "") -> np.ndarray:
    """A deck of 32 cards with these hands; what is not named is dealt in ascending order."""
    dealt = cards_in(parse_hand(elder))
    named = cards_in(parse_hand(younger)) + [parse_card(word) for word in talon.split()]
    rest = [card for card in range(32) if card not in dealt + named]
    hand = cards_in(parse_hand(younger)) or [rest.pop(0) for _ in range(12)]
    return np.array(dealt + hand + [parse_card(word) for word in talon.split()] + rest, dtype=np.int8)


def say(game: Game, *words: str) -> None:
    for word in words:
        game.apply(parse_action(word, game.rules.pack))


def random_game(rules: str, seed: int, **start) -> Iterator[Game]:
    """Yield one game before each of its random actions, and at its end."""
    game, rng = Game(rules, seed=seed, **start), random.Random(seed)
    while not game.is_over:
        yield game
        game.apply(rng.choice(game.legal_actions()))
    yield game


def line_with(text: str, start: str) -> str:
    """The one line of a picture that begins with these words."""
    (line,) = [line for line in text.splitlines() if line.startswith(start)]
    return line


# -- words ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "words"),
    [(0, "zero"), (7, "seven"), (19, "nineteen"), (30, "thirty"), (49, "forty-nine"), (94, "ninety-four")],
)
def test_numbers_in_words(number: int, words: str) -> None:
    assert number_in_words(number) == words


@pytest.mark.parametrize(
    ("combination", "words"),
    [
        ((0, 5, None), "point of five"),
        ((0, 5, 49), "point of five making forty-nine"),
        ((1, 3, 7), "tierce to the king"),
        ((1, 8, None), "huitieme"),
        ((2, 3, 8), "trio of aces"),
        ((2, 4, 4), "quatorze of tens"),
    ],
)
def test_combinations_in_words(combination: tuple[int, int, int | None], words: str) -> None:
    assert combination_in_words(*combination) == words


def test_dialogue_names_suits_only_once_they_are_shown() -> None:
    deck = deck_of_hands("S:KQJT9 H:78 D:78 C:78A", "S:A H:KQJT9 D:9TJQ C:9T", talon="CJ CQ")
    game = Game("rubicon", seed=1, decks=[deck], dealer=1)
    say(game, "discard C7", "draw", "discard C9", "draw", "point S")
    assert line_with(game.text(0), "point") == "point     elder: point of five (SKQJT9)"
    assert line_with(game.text(1), "point") == "point     elder: point of five"
    say(game, "equal")
    said = "elder: point of five{} - younger: equal - elder: forty-nine"
    assert line_with(game.text(0), "point") == "point     " + said.format(" (SKQJT9)")
    assert line_with(game.text(1), "point") == "point     " + said.format("")
    say(game, "good")
    spoken = " - younger: good - elder scores point of five making forty-nine SKQJT9 = 5"
    whole = "point     " + said.format("") + spoken
    assert line_with(game.text(0), "point")[:70] == line_with(game.text(1), "point")[:70] == whole[:70]
    assert spoken[-12:] in game.text(1)


def test_what_elder_saw_and_left_is_for_elder_alone() -> None:
    deck = deck_of_hands("S:KQJT9 H:78 D:78 C:78A", "S:A H:KQJT9 D:9TJQ C:9T", talon="CJ CQ CK HA DA DK S7 S8")
    game = Game("rubicon", seed=1, decks=[deck], dealer=1)
    say(game, "discard C7", "draw", "discard C9", "discard CT", "draw")
    assert "CQ CK HA DA, by elder alone; younger drew CQ CK" in game.text(0)
    assert "by elder alone" not in game.text(1)
    assert "CQ CK ## ## ## ## ## ## ## ## ## ##  (12 cards)" in game.text(0)
    assert "CKQ, to player_0" in game.text(1)


def test_carte_blanche_is_announced_and_shown() -> None:
    game = Game("cavendish", seed=1, decks=[deck_of_hands(BLANK_HAND)], dealer=1)
    before = game.text(1)
    silent = game.clone()
    say(silent, "silent")
    assert silent.text(1) == before
    assert "kept silent" in silent.text(0)
    say(game, "carte blanche")
    assert "carte b.  announced" in game.text(1)
    say(game, "discard ST", "draw")
    assert "1 card laid out, ST; not drawn yet" in game.text(0)
    assert "exchange  1 card\n" in game.text(1)
    say(game, "discard S7", "draw")
    assert f"shown, {BLANK_HAND}" in game.text(1)
    assert "not drawn yet" not in game.text(0)


def test_a_claim_being_put_together_is_for_its_owner_alone() -> None:
    deck = deck_of_hands("S:KQJT9 H:78 D:78 C:78A", "S:A H:KQJT9 D:9TJQ C:9T", talon="CJ CQ")
    game = Game("cavendish", seed=1, decks=[deck], dealer=1)
    say(game, "discard C7", "draw", "discard C9", "draw")
    before = game.text(1)
    say(game, "point S", "withhold S9")
    assert "claim     SKQJT" in game.text(0)
    assert game.text(1) == before
    say(game, "done")
    assert line_with(game.text(1), "point").startswith("point     elder: point of ")


def test_leftovers_turned_up_are_seen_by_both() -> None:
    deck = deck_of_hands("S:KQJT9 H:78 D:78 C:78A", "S:A H:KQJT9 D:9TJQ C:9T", talon="CJ CQ CK HA DA DK S7 S8")
    game = Game("rubicon", seed=1, decks=[deck], dealer=1)
    say(game, "discard C7", "draw", "discard C9", "draw", "done", "done", "done", "play SK")
    while format_action(game.legal_actions()[-1]) != "leave":
        say(game, "done")
    before = game.text(0)
    left = game.clone()
    say(left, "leave")
    assert left.text(0) == before
    say(game, "turn up")
    assert all("turned up S87 HA DAK CK" in game.text(seat) for seat in (0, 1, None))


def test_leftovers_after_the_last_trick_stand_in_the_open_picture_alone() -> None:
    *_, game = random_game("swedish deals=1", seed=3)
    assert "order" in game.text()
    assert "order" not in game.text(0)


@pytest.mark.parametrize("rules", ["rubicon deals=1", "rubicon deals=1 rubicon_line=5", "au_cent", "au_cent_36"])
def test_the_end_of_a_partie_says_who_wins_what(rules: str) -> None:
    for seed in range(4):
        *_, game = random_game(rules, seed)
        text = game.text(0)
        assert game.result is not None
        pays = game.result.settlement
        assert f"player_{int(np.argmax(pays))} wins" in text
        assert f"settlement {max(pays)}" in text
        if game.rules.form == "rubicon":
            loser = int(np.argmin(pays))
            assert ("did not cross" in text) == game.result.rubicon[loser]


def test_a_drawn_partie_says_so() -> None:
    drawn = next(
        game for seed in range(500) for *_, game in [random_game("swedish deals=1", seed)] if game.returns() == (0, 0)
    )
    assert "the partie is drawn and settles for 0" in drawn.text(1)


def test_what_is_needed_counts_the_deal_being_played() -> None:
    game = Game("rubicon", seed=1, totals=(88, 40), deal_number=5, dealer=1)
    assert "player_0 needs 12 more to cross the Rubicon of 100" in game.text(1)
    game = Game("au_cent", seed=1, totals=(88, 40), games=(1, 2), dealer=1)
    assert "player_0 needs 12 more to win the game at 100" in game.text(1)
    assert "player_1 needs 10 more to save the double at 50" in game.text(1)
    assert "games 1 to 2, won with 3" in game.text(1)


def test_suit_symbols_are_optional() -> None:
    game = Game("rubicon", seed=1)
    assert game.text(0).isascii()
    assert "♠:" in game.text(0, unicode=True)
    assert game.text(0, unicode=True).translate(str.maketrans("♠♥♦♣", "SHDC")) == game.text(0)


def test_a_seat_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError, match="a seat is 0 or 1"):
        render_text(Game("rubicon", seed=1), 2)


def test_both_forms_of_the_observation_give_the_same_picture() -> None:
    rules = Rules.preset("rubicon")
    *_, game = random_game("rubicon deals=1", seed=5)
    raw = np.empty(observation_size(32), dtype=np.int8)
    encode_at(game.state.reshape(1), 0, rules.codes(), 0, raw)
    assert render_observation(raw, rules, 0) == render_observation(game.observation(0), rules, 0)


# -- every phase ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", ALL_RULES)
def test_every_picture_of_random_games_fits_the_page(rules: str) -> None:
    for seed in range(2):
        for place, game in enumerate(random_game(rules, seed)):
            if place > 150:
                break
            for seat in (0, 1, None):
                lines = game.text(seat).splitlines()
                assert max(map(len, lines)) <= MOST_WIDTH
                assert all(line.isascii() and line.isprintable() and line == line.rstrip() for line in lines)


def test_every_phase_has_a_picture() -> None:
    starts = [
        ("rubicon first_dealer=choose deals=1", {}),
        ("cavendish deals=1 sequence_call=length", {"decks": [deck_of_hands(BLANK_HAND)], "dealer": 1}),
        ("rubicon deals=1", {}),
        ("rubicon deals=1", {}),
    ]
    seen: set[str] = set()
    for seed in range(12):
        for rules, start in starts:
            for game in random_game(rules, seed, **start):
                seen |= {game.info(seat)["phase"] for seat in (0, 1)}
                game.text(0), game.text(1)
    assert seen == set(VIEW_NAMES)


# -- no leak ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", ALL_RULES)
def test_unspoken_steps_leave_the_other_seats_picture_alone(rules: str) -> None:
    unspoken: Counter[str] = Counter()
    for seed in range(6):
        game, rng = Game(rules, seed=seed), random.Random(seed)
        for _ in range(120):
            if game.is_over:
                break
            seat, state = game.to_act, game.state
            action = rng.choice(game.legal_actions())
            kind = action_table(game.rules.pack)[action].kind
            before = game.text(1 - seat)
            game.apply(action)
            if is_unspoken(kind, state, game.state):
                unspoken[kind] += 1
                assert game.text(1 - seat) == before, format_action(action, game.rules.pack)
    assert unspoken["discard"] > 10


def is_unspoken(kind: str, before: np.void, after: np.void) -> bool:
    """Whether an action says nothing to the other seat."""
    if kind == "done":
        return before["composing"] == 0 and before["phase"] in (FURTHER, DECLARE) and after["phase"] <= DECLARE
    return kind in ("discard", "withhold", "silent", "leave") or (
        kind in ("point", "sequence", "set") and after["composing"] != 0
    )


PUBLIC_FIELDS = (
    *("deal_number", "dealer", "taken", "drawn", "carte_blanche", "status", "call_length", "call_rank_said", "reply"),
    *("second_reply", "shown", "point_scored", "sequences_scored", "sets_scored", "lead_cards", "reply_cards"),
    *("leftover_state",),
)


def public_record(state: np.void) -> list:
    """What both seats have heard, without what only one of them knows."""
    ranks = np.where(state["call_rank_said"], state["call_rank"], 0)
    turned_up = state["leftovers"] if state["leftover_state"] == 1 else 0
    return [state[name].tolist() for name in PUBLIC_FIELDS] + [ranks.tolist(), int(turned_up)]


def replay_with_exchanged_cards(game: Game, seat: int, swap: dict[int, int]) -> Game | None:
    """The same line of play with two cards exchanged that `seat` has not seen; None where it is not the same line."""
    pack = game.rules.pack
    (deck,) = game.start.decks
    other = Game(game.rules, seed=1, decks=[[swap.get(card, card) for card in deck.tolist()]], dealer=game.start.dealer)
    queue = list(game.actions)
    discards = first_id("discard", pack)
    while queue:
        run = 0
        while run < len(queue) and discards <= queue[run] < discards + pack:
            run += 1
        mine = other.to_act == seat
        laid_out = [action - discards for action in queue[:run]]
        cards = laid_out if mine else sorted(swap.get(card, card) for card in laid_out)
        actions = [discards + card for card in cards] or [queue[0]]
        for action in actions:
            if other.is_over or not other.action_mask(other.to_act)[action]:
                return None
            other.apply(action)
        queue = queue[len(actions) :]
    return other


@pytest.mark.parametrize("rules", ALL_RULES)
def test_exchanging_hidden_cards_leaves_a_seats_picture_alone(rules: str) -> None:
    rules = str(Rules.of(rules).replace(first_dealer=0))
    compared: Counter[str] = Counter()
    for seed in range(5):
        rng = random.Random(seed)
        deck = rng.sample(range(Rules.of(rules).pack), Rules.of(rules).pack)
        for game in random_game(rules, seed, decks=[deck], dealer=0):
            if game.deal_number > 1 or game.is_over:
                break
            for seat in (0, 1):
                unseen = np.flatnonzero(decode(game.observation(seat))["unseen"]).tolist()
                if len(unseen) < 2:
                    continue
                one, two = rng.sample(unseen, 2)
                other = replay_with_exchanged_cards(game, seat, {one: two, two: one})
                if other is None or public_record(other.state) != public_record(game.state):
                    continue
                if other.text() != game.text():
                    compared[game.info(seat)["phase"]] += 1
                assert other.text(seat) == game.text(seat)
    assert sum(compared.values()) > 100
    assert compared["lead"] > 10
