"""A view says in Python values what the observation says, and holds nothing more."""

import numpy as np
import pytest

from agents.random_agent import RandomAgent
from agents.view import View
from piquet_env.game import Game
from piquet_env.observation import observation_scale, observation_table
from piquet_env.rules.cards import cards_in, parse_card
from piquet_env.rules.state import ELDER, YOUNGER
from piquet_env.rules.variants import Rules


def role_in(game: Game, seat: int) -> int:
    return YOUNGER if game.dealer == seat else ELDER


RULES = ("rubicon", "cavendish", "swedish", "au_cent_36")


def positions(rules: str, parties: int = 2):
    """Every position of a few random parties, with the view of the seat to act."""
    agent = RandomAgent()
    for partie in range(parties):
        agent.reset(partie)
        game = Game(rules, seed=5, partie=partie)
        while not game.is_over:
            view = View(game.observation(game.to_act), game.action_mask(game.to_act), game.rules)
            yield game, view
            game.apply(agent.act(view))


@pytest.mark.parametrize("rules", RULES)
def test_the_view_agrees_with_the_state(rules: str) -> None:
    for game, view in positions(rules):
        seat, row, ranks = game.to_act, game.state, game.rules.ranks
        role = role_in(game, seat)
        info = game.info(seat)
        assert view.legal_actions == game.legal_actions()
        assert view.hand == cards_in(row["hands"][role], ranks)
        assert view.role == info["role"]
        assert view.phase == info["phase"]
        assert view.deal_number == info["deal_number"]
        assert (view.own_total, view.other_total) == (game.totals[seat], game.totals[1 - seat])
        assert (view.own_games, view.other_games) == (game.games[seat], game.games[1 - seat])
        assert (view.own_score, view.other_score) == (info["score"][seat], info["score"][1 - seat])
        assert (view.own_tricks_won, view.other_tricks_won) == (row["tricks_won"][role], row["tricks_won"][1 - role])
        assert view.table == (None if row["led"] < 0 else row["led"])
        for taken, whose in ((view.own_taken, role), (view.other_taken, 1 - role)):
            assert taken == (None if row["taken"][whose] < 0 else row["taken"][whose])
        if role == ELDER and row["drawn"][ELDER]:
            places = range(row["taken"][ELDER], game.rules.elder_max)
            assert view.talon_seen == [row["talon"][place] for place in places]
        else:
            assert view.talon_seen == []


@pytest.mark.parametrize("rules", RULES)
def test_the_tricks_are_those_played(rules: str) -> None:
    seen = 0
    for game, view in positions(rules):
        row, role = game.state, role_in(game, game.to_act)
        expected = []
        for trick in range(12):
            if row["lead_cards"][trick] < 0:
                break
            answer = row["reply_cards"][trick]
            led_by_self = (row["leaders"] >> trick & 1) == role
            won = None if answer < 0 else (row["winners"] >> trick & 1) == role
            expected.append((led_by_self, row["lead_cards"][trick], None if answer < 0 else answer, won))
        assert view.tricks == expected
        seen = max(seen, len(expected))
    assert seen == 12


def test_the_dialogue_is_told_in_words() -> None:
    replies, ranks = set(), set()
    for game, view in positions("rubicon", 8):
        row = game.state
        for place, spoken in enumerate(view.dialogue.values()):
            assert spoken.call_length == (row["call_length"][place] or None)
            said = bool(row["call_rank_said"][place])
            assert spoken.call_rank == (row["call_rank"][place] if said else None)
            assert spoken.reply == (None, "good", "equal", "not good")[row["reply"][place]]
            assert spoken.second_reply == (None, "good", "equal", "not good")[row["second_reply"][place]]
            status = ("uncalled", "passed", "dead", "elder", "younger")[row["status"][place]]
            if status in ("elder", "younger"):
                status = "own" if status == view.role else "other"
            assert spoken.status == status
            replies.add(spoken.reply)
            ranks.add(spoken.call_rank)
    assert replies == {None, "good", "equal", "not good"}
    assert len(ranks) > 5


@pytest.mark.parametrize("rules", RULES)
def test_the_int8_form_gives_the_same_facts(rules: str) -> None:
    for _, view in positions(rules, 1):
        raw = np.rint(view.observation / observation_scale(view.rules.pack)).astype(np.int8)
        same = View(raw, view.action_mask, view.rules)
        for block in observation_table(view.rules.pack):
            assert (view.facts[block.name] == same.facts[block.name]).all()


def test_actions_and_cards_have_words() -> None:
    _, view = next(positions("rubicon"))
    assert view.phase == "exchange elder"
    assert view.legal("discard") == view.legal_actions
    assert [view.card_of(action) for action in view.legal("discard")] == view.hand
    action = view.action(f"discard {view.text(view.hand[0])}")
    assert view.words(action) == f"discard {view.text(view.hand[0])}"
    assert len(view.text(view.hand).split()) == 12
    ace = parse_card("HA")
    assert (view.suit(ace), view.rank(ace), view.text(ace)) == (1, 8, "HA")
    with pytest.raises(ValueError, match="names no card"):
        view.card_of(view.action("draw"))
    with pytest.raises(ValueError, match="not an action"):
        view.action("fold")


def test_a_view_holds_observation_mask_and_rules_alone() -> None:
    assert set(View.__slots__) == {"observation", "action_mask", "rules", "_facts"}
    _, view = next(positions("rubicon"))
    assert view.rules == Rules.of("rubicon")
    assert view.decode()["hand"].sum() == 12
