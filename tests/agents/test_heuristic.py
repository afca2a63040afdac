"""`heuristic`: legal everywhere, alike alone and in batches, and sensible where the right choice is known."""

import pickle

import numpy as np
import pytest

from agents.base import AgentError, BatchAgent
from agents.heuristic.agent import HeuristicAgent
from agents.heuristic.evaluation import NUM_WEIGHTS
from agents.heuristic.regression import fit_sums, predict_sums
from agents.heuristic.styles import STYLES
from agents.heuristic.suits import CODE_OF_PATTERN, OTHER_RUN, OWN_CARDS, OWN_RUN, OWN_SEQUENCE, suit_facts
from agents.heuristic.weights import load_weights, pack_weights, read_weights
from agents.random_agent import RandomAgent
from agents.registry import make_agent
from agents.streams import Streams
from agents.view import View
from piquet_env.game import Game
from piquet_env.observation import observation_scale
from piquet_env.rules.cards import RANKS, cards_in, parse_card, parse_hand
from piquet_env.rules.variants import PRESETS, Rules

ALL_RULES = (
    *PRESETS,
    "rubicon sinking=none",
    "rubicon sinking=partial first_dealer=choose undercall_lock=none show_scored=never",
    "rubicon sinking=partial younger_declares=in_turn younger_cb_announce=after_elder_exchange",
    "rubicon elder_max=3 leftover_reveal=after_last_trick",
    "rubicon deals=9 tie_break=seventh_deal rubicon_line=50",
    "rubicon pack=36",
    "au_cent_36 sinking=partial elder_max=9",
)


def view_of(game: Game) -> View:
    assert game.to_act is not None
    return View(game.observation(game.to_act), game.action_mask(game.to_act), game.rules)


def gather(rules: Rules, parties: int, style: str = "plain") -> list[View]:
    """Positions of parties of `heuristic` with itself and with random play, which goes where it would not go."""
    seen: list[View] = []
    for partie in range(parties):
        heuristic = HeuristicAgent(rules=rules, style=style)
        agents: tuple[BatchAgent, ...] = ((RandomAgent(), heuristic), (heuristic, heuristic))[partie % 2]
        for seat, agent in enumerate(agents):
            agent.reset(100 * partie + seat)
        game = Game(rules, seed=12, partie=partie)
        while not game.is_over:
            seen.append(view_of(game))
            game.apply(agents[game.to_act].act(seen[-1]))
    return seen


def stack(seen: list[View]) -> tuple[np.ndarray, np.ndarray]:
    return np.array([view.observation for view in seen]), np.array([view.action_mask for view in seen])


@pytest.mark.parametrize("name", ALL_RULES)
def test_it_is_legal_and_alike_in_batches_of_any_size(name: str) -> None:
    rules = Rules.of(name)
    observations, masks = stack(gather(rules, 4))
    assert len(masks) > 500
    agent = HeuristicAgent(rules=rules)
    actions = agent.act_batch(observations, masks, Streams(np.arange(len(masks))))
    assert actions.dtype == np.int64
    assert (masks[np.arange(len(masks)), actions] == 1).all()
    raw = np.rint(observations / observation_scale(rules.pack)).astype(np.int8)
    assert (agent.act_batch(raw, masks, Streams(np.arange(len(masks)))) == actions).all()
    fresh = HeuristicAgent(rules=rules)
    order = np.random.default_rng(1).permutation(len(masks))
    for rows in np.array_split(order, [1, 2, 5, 90]):
        assert (fresh.act_batch(observations[rows], masks[rows], Streams(rows)) == actions[rows]).all()


@pytest.mark.nojit
@pytest.mark.parametrize("name", ["rubicon", "cavendish", "au_cent_36"])
def test_a_deal_is_played_uncompiled_too(name: str) -> None:
    rules = Rules.of(name)
    agent, game, phases = HeuristicAgent(rules=rules), Game(rules, seed=4), set()
    while not game.is_over and game.deal_number == 1:
        view = view_of(game)
        action = agent.act(view)
        assert view.action_mask[action]
        phases.add(view.phase)
        game.apply(action)
    assert {"exchange elder", "exchange younger", "call", "reply", "lead", "follow"} <= phases


def test_a_mask_of_zeros_has_no_action() -> None:
    game = Game("rubicon", seed=1)
    other = 1 - game.to_act
    observations, masks = game.observation(other)[None], game.action_mask(other)[None]
    assert HeuristicAgent().act_batch(observations, masks, Streams([1])).tolist() == [-1]


def test_it_is_named_and_picklable() -> None:
    agent = HeuristicAgent(style="bold")
    view = view_of(Game("rubicon", seed=2))
    action = agent.act(view)
    copy = pickle.loads(pickle.dumps(agent))
    assert copy.act(view) == action
    assert (agent.name, HeuristicAgent().name) == ("heuristic:style=bold", "heuristic")
    assert len(pickle.dumps(agent)) < 10_000


def test_the_registry_makes_it_for_the_rules() -> None:
    assert make_agent("heuristic", "rubicon elder_max=3").elder_max == 3
    assert make_agent("heuristic:elder_max=4").elder_max == 4
    assert make_agent("heuristic:style=timid").style == "timid"
    with pytest.raises(AgentError, match="its styles are plain, "):
        make_agent("heuristic:style=wild")
    with pytest.raises(AgentError, match="its arguments are style, elder_max"):
        make_agent("heuristic:bold=true")


def test_another_observation_is_refused() -> None:
    with pytest.raises(AgentError, match="7 entries"):
        HeuristicAgent().act_batch(np.zeros((1, 7), dtype=np.float32), np.zeros((1, 140), dtype=np.int8), Streams([1]))


# -- positions where the right choice is known ------------------------------------------------------------------------


def deck(elder: str, younger: str, talon: str) -> list[int]:
    """A deck from two hands of twelve and the talon in drawing order."""
    cards = [*cards_in(parse_hand(elder)), *cards_in(parse_hand(younger)), *[parse_card(c) for c in talon.split()]]
    assert sorted(cards) == list(range(32))
    return cards


def discards(elder: str, younger: str, talon: str, role: str, **start) -> set[str]:
    """What heuristic lays out as elder, or as younger after its own discards as elder."""
    game = Game("rubicon", seed=1, decks=[deck(elder, younger, talon)], dealer=1, **start)
    laid: set[str] = set()
    agent = HeuristicAgent(rules=game.rules)
    while game.state["drawn"][0 if role == "elder" else 1] == 0:
        view = view_of(game)
        action = agent.act(view)
        if view.role == role and view.words(action).startswith("discard"):
            laid.add(view.words(action).split()[1])
        game.apply(action)
    return laid


def test_elder_keeps_a_quint_major_and_an_ace_and_throws_low_cards() -> None:
    thrown = discards("S:AKQJT H:A87 D:97 C:98", "S:98 H:KQ D:AKQ C:AKQJT", "S7 H9 HT HJ D8 DT DJ C7", "elder")
    assert len(thrown) == 5
    assert not {card for card in thrown if card[0] == "S" or card == "HA"}


def test_elder_keeps_four_aces() -> None:
    thrown = discards("S:A97 H:AT7 D:A98 C:AJ8", "S:KQJ H:KQJ D:KQJ C:KQT", "S8 ST H8 H9 D7 DT C7 C9", "elder")
    assert not {card for card in thrown if card[1] == "A"}


def test_elder_with_a_point_of_seven_good_against_the_cards_keeps_it() -> None:
    thrown = discards("S:AKQJ987 H:Q7 D:J8 C:9", "S:T H:AKJ D:AKQ C:AKQJT", "H8 H9 HT D7 D9 DT C7 C8", "elder")
    assert not {card for card in thrown if card[0] == "S"}


def test_younger_keeps_his_guards() -> None:
    thrown = discards("S:AKQJ9 H:A7 D:A97 C:A7", "S:T87 H:K98 D:KQJ C:KQ9", "C8 HJ D8 HQ CT HT DT CJ", "younger")
    assert not {card for card in thrown if card[1] in "AKQJ"}
    assert not {"H8", "H9"} <= thrown


@pytest.mark.parametrize(("totals", "sinks"), [((0, 290), True), ((70, 290), False), ((0, 10), False)])
def test_a_seat_that_can_neither_win_nor_reach_the_line_sinks_all(totals: tuple[int, int], sinks: bool) -> None:
    """In the last deal each point of such a seat would be paid for: elder's point of four and trio stay unsaid."""
    pack = deck("S:AKJ9 H:A87 D:97 C:T98", "S:87 H:KQ D:AKQJ C:AKQJ", "ST H9 HT HJ SQ D8 DT C7")
    game = Game("rubicon", seed=1, decks=[pack], dealer=1, totals=totals, deal_number=6)
    while view_of(game).phase != "call":
        game.apply(
            view_of(game).legal_actions[0] if view_of(game).legal("discard") else view_of(game).legal_actions[-1]
        )
    view = view_of(game)
    assert view.role == "elder"
    assert (view.words(HeuristicAgent(rules=game.rules).act(view)) == "done") is sinks
    for style in ("blind", "never_sinks"):
        assert view.words(HeuristicAgent(rules=game.rules, style=style).act(view)).startswith("point")


def test_styles_differ_from_plain_play_and_from_each_other() -> None:
    rules = Rules.of("rubicon")
    seen = gather(rules, 6)
    observations, masks = stack(seen)
    choices = {
        name: HeuristicAgent(rules=rules, style=name).act_batch(observations, masks, Streams(np.arange(len(masks))))
        for name in STYLES
    }
    names = sorted(STYLES)
    for place, name in enumerate(names):
        for other in names[:place]:
            if {name, other} != {"plain", "never_sinks"}:  # these differ at rare scores: see the test before
                assert (choices[name] != choices[other]).any(), (name, other)


def mean_taken(style: str) -> float:
    """The mean number of cards that a style exchanges as elder."""
    rules = Rules.of("rubicon")
    taken = []
    for partie in range(20):
        game, agent = Game(rules, seed=5, partie=partie), HeuristicAgent(rules=rules, style=style)
        while game.state["drawn"][0] == 0:
            game.apply(agent.act(view_of(game)))
        taken.append(game.state["taken"][0])
    return float(np.mean(taken))


def test_the_style_that_leaves_cards_takes_four_at_most_and_plain_play_nearly_all() -> None:
    assert mean_taken("leaves_cards") <= 4
    assert mean_taken("plain") > 4.5


def test_a_style_that_sinks_low_combinations_calls_no_tierce_and_no_trio() -> None:
    for view in gather(Rules.of("rubicon"), 6, "sinks_low"):
        words = view.words(HeuristicAgent(style="sinks_low").act(view))
        if words.startswith("set") and view.legal("done"):  # after "not good" something must be claimed
            assert len([card for card in view.hand if view.text(card)[1] == words[-1]]) == 4


# -- the tables -------------------------------------------------------------------------------------------------------


def code(own: str, other: str) -> int:
    pattern = [sum(1 << RANKS.index(rank) for rank in cards) for cards in (own, other)]
    return int(2 * CODE_OF_PATTERN[pattern[0]] + CODE_OF_PATTERN[pattern[1]])


@pytest.mark.parametrize(
    ("own", "other", "run", "other_run"),
    [
        ("AKQ", "JT987", 3, 0),
        ("AQJ", "K87", 1, 0),
        ("AKT7", "QJ", 4, 0),  # both of the other's fall under ace and king
        ("K87", "AQJT9", 0, 1),  # the ace, then the king stops the queen
        ("", "AKQ", 0, 3),
        ("87", "", 2, 0),
        ("QJT", "AK987", 0, 2),
    ],
)
def test_runs_of_winners(own: str, other: str, run: int, other_run: int) -> None:
    fact = suit_facts()[code(own, other)]
    assert fact[OWN_RUN] == run
    assert fact[OTHER_RUN] == other_run


def test_facts_of_a_suit() -> None:
    fact = suit_facts()[code("AQJT8", "K97")]
    assert fact[OWN_CARDS] == 5
    assert fact[OWN_SEQUENCE] == 16 * 3 + RANKS.index("Q")


def test_weights_are_read_back_and_others_refused(tmp_path) -> None:
    hand, play, _ = load_weights(32)
    path = tmp_path / "weights.npz"
    path.write_bytes(pack_weights(hand, play, np.ones(13)))
    again = read_weights(path)
    assert (again[0] == hand).all()
    assert (again[1] == play).all()
    path.write_bytes(b"nothing")
    with pytest.raises(AgentError, match="cannot be read"):
        read_weights(path)
    path.write_bytes(pack_weights(hand[:, : NUM_WEIGHTS - 1], play, np.ones(13)))
    with pytest.raises(AgentError, match="other shapes"):
        read_weights(path)


def test_the_fit_finds_the_weights_that_made_the_targets() -> None:
    rng = np.random.default_rng(3)
    terms = np.stack([rng.integers(0, 20, 5000), rng.integers(20, 50, 5000)], axis=1).astype(np.int32)
    true = rng.normal(size=(50, 2))
    targets = predict_sums(terms, true)
    fitted = fit_sums(terms, targets, np.full(50, 1e-6), 200)
    assert np.allclose(predict_sums(terms, fitted), targets, atol=1e-3)
    assert np.allclose(targets, true[terms[:, 0]] + true[terms[:, 1]])
