"""Golden playthroughs: one deal a file, step by step, with the pictures of a few moments; reviewed as a difference.

`pytest tests/test_playthroughs.py --update-golden` writes them afresh.
"""

import random
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import pytest

from piquet_env.game import Game
from piquet_env.rules.actions import action_table, format_action
from piquet_env.rules.cards import cards_in, parse_hand
from piquet_env.rules.variants import PRESETS, Rules

FOLDER = Path(__file__).parent / "playthroughs"
MOST_SIZE = 150_000  # of the whole folder: what a person can review


class Playthrough(NamedTuple):
    """What is played: rules, seed of decks and choices, hand dealt to elder (empty: the seed's), totals and games."""

    rules: str
    seed: int
    elder: str = ""
    totals: tuple[int, int] = (0, 0)
    games: tuple[int, int] = (0, 0)


PLAYTHROUGHS = {
    "rubicon": Playthrough("rubicon deals=1", 3),
    "cavendish": Playthrough("cavendish deals=1", 4),
    "german": Playthrough("german deals=1", 5),
    "pagat": Playthrough("pagat deals=1", 6, elder="S:AT98 H:AT8 D:AT9 C:A9"),
    "finnish": Playthrough("finnish deals=1", 7),
    "swedish": Playthrough("swedish deals=1", 8),
    "high_cards": Playthrough("high_cards deals=1", 9),
    "au_cent": Playthrough("au_cent", 10, totals=(78, 41), games=(2, 1)),
    "au_cent_36": Playthrough("au_cent_36", 11, totals=(30, 88), games=(2, 2)),
    "cut_for_the_deal": Playthrough("rubicon deals=1 first_dealer=choose sinking=none", 12),
    "nothing_shown": Playthrough("rubicon deals=1 show_scored=never point_call=number_and_pips carte_rouge=20", 13),
}


def deck_with(elder: str, pack: int, rng: random.Random) -> list[int]:
    """A deck with this hand for elder, the rest at random."""
    hand = cards_in(parse_hand(elder, pack // 4))
    return hand + sorted((card for card in range(pack) if card not in hand), key=lambda _: rng.random())


def choose(game: Game, rng: random.Random) -> int:
    """An action: lively in the dialogue, low cards laid out, any card played.

    Only `random()` is drawn, whose values are the same in every version of Python.
    """
    table = action_table(game.rules.pack)
    legal = game.legal_actions()
    kinds = {table[action].kind for action in legal}
    if "discard" in kinds:
        low = [action for action in legal if table[action].operand[1:] in ("6", "7", "8", "9")]
        legal = low + [action for action in legal if table[action].kind == "draw"] or legal
    elif "done" in kinds and rng.random() < 0.8:
        legal = [action for action in legal if table[action].kind != "done"] or legal
    elif "silent" in kinds:
        legal = legal[:1]
    return legal[int(len(legal) * rng.random())]


def legal_in_words(game: Game) -> str:
    """The legal actions, those of one kind together: `play SA SK H7 | done`."""
    table = action_table(game.rules.pack)
    groups = groupby((table[action] for action in game.legal_actions()), key=lambda action: action.kind)
    return " | ".join(" ".join([kind, *(action.operand for action in actions)]).strip() for kind, actions in groups)


def record(play: Playthrough) -> Iterator[str]:
    """Yield the text of a playthrough: a line a step, pictures where the phase is of interest, the end."""
    rules = Rules.of(play.rules)
    rng = random.Random(play.seed)
    decks = [deck_with(play.elder, rules.pack, rng)] if play.elder else []
    game = Game(rules, seed=play.seed, decks=decks, totals=play.totals, games=play.games)
    yield f"rules {rules}, seed {play.seed}{f', elder dealt {play.elder}' if play.elder else ''}\n"
    yield f"start totals {game.totals}, games {game.games}\n\n{game.text()}\n"
    drawn: set[str] = set()
    deal = max(game.deal_number, 1)
    while not game.is_over and game.deal_number <= deal:
        moment = moment_of(game)
        if moment and moment not in drawn:
            drawn.add(moment)
            for seat in (0, 1):
                yield f"\n--- {moment}, as player_{seat} sees it\n{game.text(seat)}\n"
            yield "\n"
        action, seat, legal = choose(game, rng), game.to_act, legal_in_words(game)
        yield f"player_{seat}: {format_action(action, rules.pack)}    of: {legal}\n"
        game.apply(action)
    yield f"\n--- the end\n{game.text()}\n\n" if game.is_over else "\n--- the deal is over\n"
    for entry in game.log:
        if entry.deal == deal:
            yield f"at {entry.time:>4} player_{entry.seat} {entry.points:>3} {entry.score_class}\n"
    yield f"deal {game.deal_points[0]}, result {game.result}\n"


def moment_of(game: Game) -> str:
    """The name of the moment if it is one to draw: the middle of the dialogue, the first reply, the fifth trick."""
    phase = game.info(game.to_act or 0)["phase"]
    tricks = int(game.state["tricks_played"])
    if phase == "reply" and game.state["category"] == 1:
        return "the reply to the sequence"
    if phase == "follow" and tricks == 0:
        return "the first card to follow"
    return "the fifth trick" if tricks == 4 else ""


@pytest.mark.parametrize("name", PLAYTHROUGHS)
def test_playthrough_is_as_recorded(name: str, update_golden: bool) -> None:
    path, text = FOLDER / f"{name}.txt", "".join(record(PLAYTHROUGHS[name]))
    if update_golden:
        FOLDER.mkdir(exist_ok=True)
        path.write_bytes(text.encode())
    assert path.read_bytes().decode() == text, (
        "if the change is meant: pytest --update-golden, and review the difference"
    )


def test_every_preset_has_a_playthrough() -> None:
    played = {name for name, play in PLAYTHROUGHS.items() if play.rules.split()[0] == name}
    assert set(PRESETS) <= played


def test_the_folder_holds_what_is_played_and_no_more() -> None:
    files = {path.name: path.stat().st_size for path in FOLDER.iterdir()}
    assert set(files) == {f"{name}.txt" for name in PLAYTHROUGHS}
    assert sum(files.values()) < MOST_SIZE
