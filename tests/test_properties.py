"""What holds of every line of play, whatever the rules and the cards.

Lines come from steered plans (tests/steering.py), so that rare things are frequent; hypothesis chooses rules and plans.
"""

from __future__ import annotations

import copy
import hashlib
import os
import pickle
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from piquet_env.aec import AGENTS, raw_env
from piquet_env.game import Game
from piquet_env.observation import decode, observation_size
from piquet_env.rewards import REWARDS
from piquet_env.rules.actions import action_table, first_id, num_actions
from piquet_env.rules.errors import IllegalActionError
from piquet_env.rules.play import apply_at
from piquet_env.rules.state import DECLARE, EXCHANGE, FURTHER, POINT, STATE_DTYPE
from piquet_env.rules.variants import PRESETS, Rules
from tests.hearing import best_of, holder_of
from tests.steering import PartiePlan
from tests.strategies import SEEDS, begin, plan_of, played, rules, steps

ROOT = Path(__file__).resolve().parent.parent
FEWER = settings(max_examples=settings().max_examples // 3)  # for the properties that take long
NOT_ACTIONS = (-1, 156, 10**6, 2**40, -(2**63), 2**64, None, "play SA", 1.0, 1.5, True, np.bool_(True), [3], object())


def snapshot(game: Game) -> tuple[Any, ...]:
    """Everything of a game that a decision could change."""
    return game.state.tobytes(), tuple(game.actions), game.log, tuple(game.deal_points)


def mask_of(cards: Any) -> int:
    """The mask of an array of cards, -1 standing for none."""
    return sum(1 << int(card) for card in cards if card >= 0)


# -- cards, masks and ends ---------------------------------------------------------------------------------------------


def assert_cards_are_a_partition(game: Game) -> None:
    """Assert that every card is dealt once, and now in one place: a hand, the discards, a trick, or the talon."""
    row, pack = game.state, game.rules.pack
    if row["dealer"] < 0:
        return
    talon = row["talon"][: pack - 24].tolist()
    places = [int(row["dealt"][0]), int(row["dealt"][1]), mask_of(talon)]
    assert sum(place.bit_count() for place in places) == pack
    assert places[0] | places[1] | places[2] == (1 << pack) - 1
    drawn = row["drawn"].tolist()
    first = int(row["taken"][0]) if drawn[0] else 0
    after = first + (int(row["taken"][1]) if drawn[1] else 0)
    tricks = mask_of(row["lead_cards"]) | mask_of(row["reply_cards"])
    now = [int(row["hands"][0]), int(row["hands"][1]), tricks, mask_of(talon[after:])]
    for role in (0, 1):
        discards = int(row["discards"][role])
        if drawn[role]:
            now.append(discards)
        else:  # laid out, but still counted with the hand until the draw
            assert discards & ~now[role] == 0
    assert sum(place.bit_count() for place in now) == pack
    assert int(row["pending"]) & ~(now[0] | now[1]) == 0
    assert (int(row["leftovers"]) == mask_of(talon[after:])) or not drawn[1]


@given(rules(), SEEDS)
def test_the_cards_are_always_a_partition(drawn: Rules, seed: int) -> None:
    for game, _ in steps(plan_of(drawn, seed)):
        assert_cards_are_a_partition(game)


@given(rules(), SEEDS)
def test_legal_actions_end_with_the_partie_and_not_before(drawn: Rules, seed: int) -> None:
    plan = plan_of(drawn.replace(deals=2) if drawn.form == "rubicon" else drawn, seed)
    for game, action in steps(plan, deals=2):
        legal = game.legal_actions()
        assert game.is_over == (legal == []) == (game.to_act is None) == (game.result is not None)
        assert action is None or action in legal
        for seat in (0, 1):
            mask = game.action_mask(seat)
            assert mask.dtype == np.int8
            assert np.flatnonzero(mask).tolist() == (legal if seat == game.to_act else [])


@given(rules(), SEEDS)
@FEWER
def test_every_legal_action_succeeds_and_every_other_is_refused_by_the_kernel(drawn: Rules, seed: int) -> None:
    codes = drawn.codes()
    for game, _ in steps(plan_of(drawn, seed)):
        before = game.state.tobytes()
        row = np.frombuffer(bytearray(before), dtype=STATE_DTYPE)
        legal = set(game.legal_actions())
        for action in range(-3, num_actions(drawn.pack) + 3):
            if action in legal:
                game.clone().apply(action)
            else:
                assert apply_at(row, 0, codes, action) == -1
        assert row.tobytes() == game.state.tobytes() == before


@pytest.mark.parametrize("name", PRESETS)
def test_an_illegal_action_raises_and_changes_nothing(name: str) -> None:
    rng = random.Random(name)
    chosen = Rules.preset(name)
    for game, _ in steps(plan_of(chosen, rng.getrandbits(30))):
        if rng.random() > 0.15 and game.to_act is not None:
            continue
        before, legal = snapshot(game), set(game.legal_actions())
        illegal = [action for action in range(num_actions(chosen.pack)) if action not in legal]
        for action in (*rng.sample(illegal, 8), *NOT_ACTIONS):
            with pytest.raises(IllegalActionError):
                game.apply(action)  # type: ignore[arg-type]
        assert snapshot(game) == before


@pytest.mark.thorough
@pytest.mark.parametrize("name", PRESETS)
def test_every_illegal_action_raises_everywhere(name: str) -> None:
    chosen = Rules.preset(name)
    for game, _ in steps(plan_of(chosen, 3)):
        before, legal = snapshot(game), set(game.legal_actions())
        for action in range(num_actions(chosen.pack)):
            if action not in legal:
                with pytest.raises(IllegalActionError):
                    game.apply(action)
        assert snapshot(game) == before


def test_nothing_is_legal_when_the_partie_is_over() -> None:
    game = played(plan_of(Rules(deals=1, tie_break="draw"), 1))
    assert game.is_over
    before = snapshot(game)
    for action in range(num_actions()):
        with pytest.raises(IllegalActionError, match="the partie is over"):
            game.apply(action)
    assert snapshot(game) == before


# -- the exchange reaches every set of discards, each on one path ------------------------------------------------------


def count_discards(game: Game) -> Counter[int]:
    """The sets of discards that end in "draw", by size, found by walking all masks; each must be reached once."""
    draw = first_id("draw", game.rules.pack)
    reached: Counter[int] = Counter()

    def walk(at: Game) -> None:
        for action in at.legal_actions():
            if action == draw:
                reached[int(at.state["pending"])] += 1
            else:
                after = at.clone()
                after.apply(action)
                walk(after)

    walk(game)
    assert set(reached.values()) == {1}
    return Counter(pending.bit_count() for pending in reached)


def test_elder_reaches_every_set_of_one_to_five_discards() -> None:
    sizes = count_discards(Game("rubicon", seed=1))
    assert sizes == {1: 12, 2: 66, 3: 220, 4: 495, 5: 792}
    assert sizes.total() == 1585


@pytest.mark.parametrize(("name", "total"), [("rubicon", 298), ("au_cent", 299)])
def test_younger_reaches_every_set_of_discards_where_three_cards_are_left(name: str, total: int) -> None:
    game = Game(name, seed=1)
    for _ in range(5):
        game.apply(game.legal_actions()[0])
    game.apply(first_id("draw"))
    sizes = count_discards(game)
    assert sizes.total() == total
    assert sizes[0] == total - 298
    assert (sizes[1], sizes[2], sizes[3]) == (12, 66, 220)


@pytest.mark.parametrize("taken", [1, 2, 3, 4])
def test_younger_may_take_all_that_elder_left(taken: int) -> None:
    game = Game("rubicon", seed=2)
    for _ in range(taken):
        game.apply(game.legal_actions()[0])
    game.apply(first_id("draw"))
    assert max(count_discards(game)) == 8 - taken


# -- symmetries --------------------------------------------------------------------------------------------------------


class Renaming:
    """Four suits under other names; cards and actions follow.

    suits: the new number of each suit
    """

    def __init__(self, suits: tuple[int, ...], pack: int) -> None:
        self.suits, self.pack, self.ranks = suits, pack, pack // 4

    def card(self, card: int) -> int:
        return self.suits[card // self.ranks] * self.ranks + card % self.ranks

    def deck(self, deck: list[int]) -> list[int]:
        return [self.card(card) for card in deck]

    def action(self, action: int) -> int:
        """The action that says the same with the new names."""
        if action < 3 * self.pack:
            return action - action % self.pack + self.card(action % self.pack)
        word = action_table(self.pack)[action]
        first = first_id(word.kind, self.pack)
        if word.kind == "point":
            return first + self.suits[action - first]
        if word.kind == "sequence":
            tops = self.ranks - 2
            return first + self.suits[(action - first) // tops] * tops + (action - first) % tops
        return action


class Segment(NamedTuple):
    """Decisions of one role that follow one another in one phase and category of one deal, and what was seen before."""

    deal: int
    seat: int
    phase: int
    category: int
    actions: tuple[int, ...]
    seen: tuple[np.ndarray, ...]


def segments_of(plan: PartiePlan, deals: int) -> tuple[list[Segment], Game]:
    """The decisions of a plan's line in their segments, and the game at its end."""
    decided = []
    for game, action in steps(plan, deals):
        if action is not None:
            row = game.state
            at = (int(row["deal_number"]), game.to_act, int(row["phase"]), int(row["category"]))
            decided.append((at, action, (game.observation(0), game.observation(1))))
    segments = []
    for at, group in groupby(decided, key=lambda decision: decision[0]):
        members = list(group)
        segments.append(Segment(*at, tuple(action for _, action, _ in members), members[0][2]))
    return segments, game


def assert_seen_renamed(game: Game, seen: tuple[np.ndarray, ...], renaming: Renaming) -> None:
    """Assert that both seats see the same as before, with the cards renamed."""
    order = [renaming.card(card) for card in range(renaming.pack)]
    for seat in (0, 1):
        mine, theirs = decode(seen[seat]), decode(game.observation(seat))
        for name, block in mine.items():
            other = theirs[name][order] if block.size == renaming.pack else theirs[name]
            assert np.array_equal(block, other), name


def claims_of(segment: Segment, pack: int) -> list[list[int]]:
    """The claims of a segment of further claims or declarations, each with its withholding and its "done"."""
    claims: list[list[int]] = []
    first, done = first_id("point", pack), first_id("done", pack)
    for action in segment.actions:
        if first <= action < done:
            claims.append([action])
        elif claims and claims[-1][-1] != done:
            claims[-1].append(action)
    return claims


def play_renamed(game: Game, segment: Segment, renaming: Renaming, *, partial: bool) -> None:
    """Play a segment with the new names: discards and claims come in the ascending order of their new numbers."""
    if segment.phase == EXCHANGE:
        for action in sorted(renaming.action(action) for action in segment.actions):
            game.apply(action)
        return
    if segment.phase not in (FURTHER, DECLARE):
        for action in segment.actions:
            game.apply(renaming.action(action))
        return
    claims = claims_of(segment, game.rules.pack) if partial else [[action] for action in segment.actions]
    done = first_id("done", game.rules.pack)
    renamed = sorted([renaming.action(action) for action in claim] for claim in claims if claim != [done])
    for claim in renamed:
        for action in claim:
            game.apply(action)
    # Behind the last claim in the new order there may be others that were passed over, or no longer any.
    row = game.state
    if (row["phase"], row["category"], row["deal_number"]) == (segment.phase, segment.category, segment.deal):
        game.apply(done)


def points_tie(game: Game) -> bool:
    """Whether a hand before the first lead holds two points that `sinking="none"` tells apart by suit alone."""
    row = game.state
    for role in (0, 1):
        played_cards = row["lead_cards"].tolist() + row["reply_cards"].tolist()
        drawn = int(row["dealt"][0]) | int(row["dealt"][1]) | mask_of(row["talon"][: game.rules.pack - 24])
        assert drawn == (1 << game.rules.pack) - 1
        hand = int(row["hands"][role]) | mask_of(card for card in played_cards if played_by(row, role, card))
        claims = holder_of(game.rules).claims(POINT, hand)
        if claims:
            best = best_of(claims)
            if sum(claim[:2] == best[:2] for claim in claims) > 1:
                return True
    return False


def played_by(row: np.void, role: int, card: int) -> bool:
    """Whether a role has played a card."""
    if card < 0:
        return False
    for trick in range(12):
        leader = int(row["leaders"]) >> trick & 1
        if (row["lead_cards"][trick] == card and leader == role) or (
            row["reply_cards"][trick] == card and leader == 1 - role
        ):
            return True
    return False


@given(rules(), SEEDS, st.permutations(range(4)))
def test_suits_have_no_rank(drawn: Rules, seed: int, suits: list[int]) -> None:
    """Renaming the suits in deck and decisions changes no score, no result and no turn, and only renames what is seen.

    What the order of suits does decide is only the order in which discards, further claims and declarations are named,
    so they are put in the order of their new names, and the entries of one moment of the log are compared without their
    order. Under sinking="none" it also picks one of several points equal in length and pips: this changes no points,
    except that carte rouge asks which cards were scored; that has a test of its own.
    """
    if drawn.sinking == "none":
        drawn = drawn.replace(carte_rouge=0)
    check_renaming(drawn, seed, suits)


def check_renaming(drawn: Rules, seed: int, suits: list[int]) -> None:
    plan = plan_of(drawn, seed)
    renaming = Renaming(tuple(suits), drawn.pack)
    segments, end = segments_of(plan, deals=1)
    deck = np.array(renaming.deck(plan.deck(plan.start.deal_number)), dtype=np.int8)
    game = Game(drawn, **{**plan.start._asdict(), "decks": [deck]})
    for segment in segments:
        row = game.state
        at = (int(row["deal_number"]), game.to_act, int(row["phase"]), int(row["category"]))
        assert at == segment[:4]
        if drawn.sinking != "none":
            assert_seen_renamed(game, segment.seen, renaming)
        play_renamed(game, segment, renaming, partial=drawn.sinking == "partial")
    assert sorted(game.log) == sorted(end.log)
    assert game.deal_points == end.deal_points
    assert (game.totals, game.games, game.result) == (end.totals, end.games, end.result)


def test_suits_have_no_rank_without_sinking_and_with_carte_rouge() -> None:
    """Under sinking="none" carte rouge too is the same where no two points of a hand are equal in length and pips."""
    chosen = Rules(sinking="none", carte_rouge=20, deals=1, tie_break="draw")
    compared = 0
    for seed in range(150):
        if not points_tie(before_first_lead(chosen, seed)):
            check_renaming(chosen, seed, random.Random(seed).sample(range(4), 4))
            compared += 1
    assert compared > 75


def before_first_lead(chosen: Rules, seed: int) -> Game:
    """The game of a plan behind the exchange, before the first card."""
    for game, action in steps(plan_of(chosen, seed)):
        if action is not None and action < chosen.pack:
            return game
    raise AssertionError("no card was led")


def exchange_seats(start: dict[str, Any]) -> dict[str, Any]:
    """The start of a partie with its seats exchanged."""
    swapped = {**start, "dealer": 1 - start["dealer"]}
    for name in ("totals", "games"):
        swapped[name] = tuple(reversed(start[name]))
    return swapped


@given(rules(), SEEDS)
def test_seats_have_no_rank(drawn: Rules, seed: int) -> None:
    """With seats, totals and dealer exchanged the same decisions give the same game, seen from the other seats."""
    rng = random.Random(seed)
    start: dict[str, Any] = {"totals": (rng.randrange(40), rng.randrange(40))}
    if drawn.form == "au_cent":
        start["games"] = (rng.randrange(drawn.games), rng.randrange(drawn.games))
    plan = plan_of(drawn, seed, **start)
    other: Game | None = None
    for game, action in steps(plan, deals=2):
        if other is None:
            decks = begin(plan, 2).start.decks
            other = Game(drawn, **{**exchange_seats(plan.start._asdict()), "decks": decks})
        assert other.to_act == (None if game.to_act is None else 1 - game.to_act)
        for seat in (0, 1):
            assert np.array_equal(game.observation(seat), other.observation(1 - seat))
            assert np.array_equal(game.action_mask(seat), other.action_mask(1 - seat))
        if action is not None:
            other.apply(action)
    assert other is not None
    assert [entry._replace(seat=1 - entry.seat) for entry in other.log] == list(game.log)
    assert other.totals == tuple(reversed(game.totals))
    assert other.returns() == tuple(reversed(game.returns()))
    if game.result is not None and other.result is not None:
        mine = [tuple(reversed(value)) for value in game.result[:-1]]
        assert [tuple(value) for value in other.result[:-1]] == mine


# -- the score ---------------------------------------------------------------------------------------------------------


def main_game(drawn: Rules) -> Rules:
    """The rules with every lead, every capture and the last trick scoring one, and no au cent that ends in a deal."""
    if drawn.form == "au_cent":
        drawn = drawn.replace(target=100_000)
    return drawn.replace(lead_point_min_rank="any", capture_point_min_rank="any", last_trick_point=1)


@given(rules(), SEEDS)
def test_play_points_are_thirteen_and_the_captures(drawn: Rules, seed: int) -> None:
    """Twelve leads, one for the last trick, and one for each trick won against the lead."""
    chosen = main_game(drawn)
    answers = captures = 0
    for game, action in steps(plan_of(chosen, seed)):
        led = int(game.state["led"])
        if action is not None and led >= 0 and action < chosen.pack:
            answers += 1
            captures += action > led and action // chosen.ranks == led // chosen.ranks
    points = Counter[str]()
    for entry in game.log:
        points[entry.score_class] += entry.points
    assert answers == 12
    assert (points["lead"], points["last trick"], points["capture"]) == (12, 1, captures)


@given(rules(), SEEDS)
def test_scores_never_fall_within_a_deal(drawn: Rules, seed: int) -> None:
    """The one exception: a game of au cent that stops counts nothing behind the deciding point (law 61)."""
    before: dict[int, list[int]] = {}
    for game, _ in steps(plan_of(drawn, seed)):
        row = game.state
        if game.deal_points:
            break
        score = row["score"].tolist()
        assert all(was <= now for was, now in zip(before.get(game.deal_number, [0, 0]), score, strict=True))
        assert score == row["points"].sum(axis=1).tolist()
        entries = Counter[int]()
        for entry in game.log:
            entries[entry.seat] += entry.points
            assert entry.points > 0
        assert tuple(entries[seat] for seat in (0, 1)) == game.deal_scores
        before[game.deal_number] = score


@given(rules(), SEEDS)
@FEWER
def test_deals_add_up(drawn: Rules, seed: int) -> None:
    """Points of deals are those of the log; in a Rubicon partie they add up to the totals."""
    rubicon = drawn.form == "rubicon"
    chosen = drawn.replace(deals=min(drawn.deals, 3)) if rubicon else drawn
    game = played(plan_of(chosen, seed), deals=3)
    by_deal: dict[int, list[int]] = {}
    for entry in game.log:
        by_deal.setdefault(entry.deal, [0, 0])[entry.seat] += entry.points
    for number, points in enumerate(game.deal_points, start=1):
        assert tuple(by_deal.get(number, [0, 0])) == points
    if rubicon:
        assert game.totals == tuple(sum(points[seat] for points in game.deal_points) for seat in (0, 1))


@pytest.mark.parametrize(
    ("name", "reward"),
    [(name, reward) for name in ("rubicon", "swedish", "au_cent") for reward in (*REWARDS, "equity@v1-greedy")],
)
def test_rewards_are_zero_sum_and_add_up_as_they_say(name: str, reward: str) -> None:
    env = raw_env(rules=name, reward=reward)
    for seed in range(5):
        rng = random.Random(seed)
        env.reset(seed=seed)
        start = env.infos[AGENTS[0]].get("expected_settlement", 0.0)
        total = env.rewards[AGENTS[0]]
        while not env.game.is_over:
            env.step(rng.choice(env.game.legal_actions()))
            first, second = (env.rewards[agent] for agent in AGENTS)
            assert first == -second
            total += first
        result = env.result
        assert result is not None
        pays = result.settlement[0]
        points = sum(own - other for own, other in env.game.deal_points)
        expected = {
            "settlement": pays,
            "win": (pays > 0) - (pays < 0),
            "deal_points": points,
            "equity": pays - start,
        }
        assert total == pytest.approx(expected[reward.partition("@")[0]], abs=1e-9)


# -- copies, texts and replays -----------------------------------------------------------------------------------------

COPIES = (Game.clone, copy.copy, copy.deepcopy, lambda game: pickle.loads(pickle.dumps(game)))


@given(rules(), SEEDS)
@FEWER
def test_copies_are_equal_and_independent_at_every_point(drawn: Rules, seed: int) -> None:
    for place, (game, action) in enumerate(steps(plan_of(drawn, seed))):
        before = snapshot(game)
        twin = COPIES[(place + seed) % len(COPIES)](game)
        assert twin == game
        assert snapshot(twin) == before
        assert twin.rules == game.rules
        for seat in (0, 1):
            assert np.array_equal(twin.observation(seat), game.observation(seat))
        if action is None:
            continue
        rng = random.Random(place)
        for _ in range(4):
            if not twin.is_over:
                twin.apply(rng.choice(twin.legal_actions()))
        assert snapshot(game) == before
        assert twin != game


@given(rules(), SEEDS)
@FEWER
def test_a_copy_goes_on_as_the_original(drawn: Rules, seed: int) -> None:
    plan = plan_of(drawn, seed)
    end = played(plan, deals=2)
    middle = len(end.actions) // 2
    for make in COPIES:
        game = begin(plan, 2)
        for action in end.actions[:middle]:
            game.apply(action)
        game = make(game)
        for action in end.actions[middle:]:
            game.apply(action)
        assert snapshot(game) == snapshot(end)


@given(rules(), SEEDS)
@FEWER
def test_replaying_the_decisions_gives_the_same_bytes(drawn: Rules, seed: int) -> None:
    plan = plan_of(drawn, seed)
    game = begin(plan, 2)
    for other, action in steps(plan, deals=2):
        assert other.state.tobytes() == game.state.tobytes()
        if action is not None:
            game.apply(action)
    assert snapshot(game) == snapshot(other)
    assert game == other


@given(rules(), SEEDS)
@FEWER
def test_the_text_of_a_game_is_the_game(drawn: Rules, seed: int) -> None:
    rng = random.Random(seed)
    for game, _ in steps(plan_of(drawn, seed)):
        if rng.random() < 0.1:
            again = Game.from_text(str(game))
            assert str(again) == str(game)
            assert again == game


@given(rules(), SEEDS)
@FEWER
def test_observations_have_their_size_and_bounds(drawn: Rules, seed: int) -> None:
    for game, _ in steps(plan_of(drawn, seed)):
        for seat in (0, 1):
            vector = game.observation(seat)
            assert vector.shape == (observation_size(drawn.pack),)
            assert vector.dtype == np.float32
            assert vector.min() >= 0
            assert vector.max() <= 1


# -- compiled and plain ------------------------------------------------------------------------------------------------

DIGESTED = (
    *PRESETS,
    "rubicon sinking=none carte_rouge=20",
    "rubicon sinking=partial undercall_lock=none show_scored=never",
    "cavendish younger_declares=in_turn sequence_call=length point_call=number_and_pips",
    "au_cent_36 first_dealer=0 carte_blanche_show=after_opponent_discards younger_cb_announce=after_elder_exchange",
)


def digest_of_play(names: tuple[str, ...] = DIGESTED) -> str:
    """Digest everything that a deal or two under each of these rules goes through: rows, masks, facts, observations."""
    digest = hashlib.sha256()
    for name in names:
        for game, _ in steps(plan_of(Rules.parse(name), len(name)), deals=2):
            digest.update(game.state.tobytes())
            for seat in (0, 1):
                digest.update(game.observation(seat).tobytes())
                digest.update(game.action_mask(seat).tobytes())
                digest.update(repr(game.info(seat)).encode())
    return digest.hexdigest()


@pytest.mark.slow
def test_compiled_and_plain_kernels_play_the_same_bytes() -> None:
    """The same lines with and without compilation, in two processes; whichever this one is, the other is the other."""
    code = "from tests.test_properties import digest_of_play; print(digest_of_play())"
    compiled = os.environ.get("NUMBA_DISABLE_JIT", "0") == "0"
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1" if compiled else "0", "PYTHONPATH": str(ROOT)}
    other = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    assert other.stdout.strip() == digest_of_play()


@pytest.mark.thorough
@pytest.mark.parametrize(
    "check",
    [
        test_the_cards_are_always_a_partition,
        test_legal_actions_end_with_the_partie_and_not_before,
        test_every_legal_action_succeeds_and_every_other_is_refused_by_the_kernel,
        test_suits_have_no_rank,
        test_seats_have_no_rank,
        test_play_points_are_thirteen_and_the_captures,
        test_scores_never_fall_within_a_deal,
        test_deals_add_up,
        test_copies_are_equal_and_independent_at_every_point,
        test_a_copy_goes_on_as_the_original,
        test_replaying_the_decisions_gives_the_same_bytes,
        test_the_text_of_a_game_is_the_game,
        test_observations_have_their_size_and_bounds,
    ],
)
def test_properties_at_length(check: Callable[[], None]) -> None:
    """The same with as many examples as the profile `thorough` asks for."""
    check()


@pytest.mark.nojit
@pytest.mark.parametrize("name", DIGESTED)
def test_a_deal_at_first_sight(name: str) -> None:
    """The properties above on one line each, for the run without compilation."""
    plan = plan_of(Rules.parse(name), 11)
    for game, action in steps(plan):
        assert_cards_are_a_partition(game)
        assert action is None or action in game.legal_actions()
        assert all(0 <= entry <= 1 for entry in game.observation(0))
    assert played(plan) == game
    assert pickle.loads(pickle.dumps(game)) == game
