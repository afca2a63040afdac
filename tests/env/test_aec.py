"""The AEC environment: PettingZoo's own tests, the life cycle, illegal actions, options, copies."""

import copy
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pettingzoo
import pytest
from gymnasium.utils.env_checker import data_equivalence
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, precondition, rule
from pettingzoo.test import api_test, render_test, seed_test

from piquet_env import Game, IllegalActionError, Rules, decode, env, raw_env
from piquet_env.rules.actions import num_actions
from piquet_env.rules.state import Phase
from tests.env.playing import (
    ASKING,
    BLANCHE,
    REWARDS,
    RULES,
    Position,
    choose,
    has_equity,
    play_out,
    positions,
    state_of,
)

ROOT = Path(__file__).resolve().parents[2]
AGENTS = ("player_0", "player_1")
MAKERS = {"env": env, "raw_env": raw_env}
ILLEGAL = {"settlement": -500.0, "win": -1.0, "deal_points": -500.0, "equity": -500.0}


@pytest.fixture(scope="module")
def everywhere() -> dict[Phase, Position]:
    return positions()


# -- PettingZoo's own tests -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("maker", MAKERS)
def test_api(maker: str, rules: str, capsys: pytest.CaptureFixture[str]) -> None:
    api_test(MAKERS[maker](rules=rules))
    assert "Passed" in capsys.readouterr().out


@pytest.mark.parametrize("reward", REWARDS)
def test_api_with_every_reward_and_forced_decisions_skipped(reward: str) -> None:
    api_test(env(reward=reward, skip_forced=True))


@pytest.mark.parametrize("maker", MAKERS)
def test_seeds(maker: str) -> None:
    for rules in RULES:
        seed_test(lambda rules=rules: MAKERS[maker](rules=rules))


@pytest.mark.parametrize("maker", MAKERS)
def test_rendering(maker: str, capsys: pytest.CaptureFixture[str]) -> None:
    render_test(MAKERS[maker])
    assert "player_0" in capsys.readouterr().out


def test_registered_with_pettingzoo() -> None:
    if not hasattr(pettingzoo, "make"):
        pytest.skip("this PettingZoo has no registry")
    made = pettingzoo.make("aec", "piquet_v0", rules="german", reward="win")
    assert made.unwrapped.rules == Rules.preset("german")
    assert type(made) is type(env())
    assert str(made) == "piquet_v0"


# -- a partie ---------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_every_partie_ends_in_order() -> None:
    """500 parties: the rewards are the acting agent's own, and each agent gets one last() with its final reward."""
    rng = np.random.default_rng(5)
    for number in range(500):
        rules = RULES[number % len(RULES)]
        reward = REWARDS[number % 3]
        skip = number % 5 == 4
        check_partie(raw_env(rules=rules, reward=reward, skip_forced=skip), number, rng)


@pytest.mark.nojit
def test_a_partie_ends_in_order() -> None:
    check_partie(env(reward="deal_points"), 3, np.random.default_rng(1))


def check_partie(environment: Any, seed: int, rng: np.random.Generator) -> None:
    raw = environment.unwrapped
    environment.reset(seed=seed)
    paid, due, finals, acted = [0.0, 0.0], [0.0, 0.0], [], []
    assert environment.result is None
    for agent in environment.agent_iter():
        seat = AGENTS.index(agent)
        _, reward, termination, truncation, info = environment.last(observe=False)
        assert not truncation
        assert reward == due[seat], "the reward is what its seat has earned since its own last turn"
        assert info is environment.infos[agent]
        paid[seat] += reward
        if termination:
            finals.append(agent)
            assert not info["action_mask"].any()
            for other in environment.agents:
                told = environment.infos[other]
                assert told["settlement"] == raw.game.result.settlement
                assert told["totals"] == raw.game.result.totals
                line = raw.rules.rubicon_line
                assert told["crossed_rubicon"] == tuple(total >= line for total in raw.game.result.totals)
            environment.step(None)
            continue
        acted.append(agent)
        assert environment.agents == list(AGENTS)
        environment.step(choose(info["action_mask"], rng))
        assert sum(raw.rewards.values()) == 0
        due[seat] = 0.0
        for place, name in enumerate(AGENTS):
            due[place] += raw.rewards[name]
    assert sorted(finals) == list(AGENTS), "each agent has one last turn"
    assert finals[-1] == acted[-1], "the one that acted last leaves last"
    assert environment.agents == []
    result = environment.result
    assert result == raw.game.result
    assert result.settlement[0] == -result.settlement[1]
    if raw.reward == "settlement":
        assert tuple(paid) == result.settlement
    elif raw.reward == "win":
        assert paid[0] == np.sign(result.settlement[0])
    assert paid[0] == -paid[1]
    environment.reset(seed=seed)
    assert environment.result is None


@pytest.mark.parametrize("rules", [rules for rules in RULES if has_equity(rules)])
def test_equity_adds_up_to_the_settlement_less_the_expectation(rules: str) -> None:
    environment = raw_env(rules=rules, reward="equity")
    rng = np.random.default_rng(2)
    for seed in range(3):
        environment.reset(seed=seed)
        start = environment.infos["player_0"]["expected_settlement"]
        assert environment.infos["player_1"]["expected_settlement"] == -start
        total = 0.0
        for _ in environment.agent_iter():
            _, _, termination, _, info = environment.last(observe=False)
            environment.step(None if termination else choose(info["action_mask"], rng))
            total += environment.rewards.get("player_0", 0.0) if not termination else 0.0
        assert total == pytest.approx(environment.result.settlement[0] - start)


def test_equity_is_refused_where_there_is_no_table() -> None:
    for rules in ("au_cent target=500", "rubicon deals=30"):
        with pytest.raises(ValueError, match="the reward 'equity' has no table for these rules"):
            raw_env(rules=rules, reward="equity")
    for reward in ("equity@", "equity@v9", "win@v0-cavendish"):
        with pytest.raises(ValueError, match=r"unknown reward|no equity table"):
            raw_env(reward=reward)


def test_equity_tells_its_table() -> None:
    for reward, version in (("equity", "v0-cavendish"), ("equity@v1-greedy", "v1-greedy")):
        environment = raw_env(reward=reward)
        environment.reset(seed=1)
        assert environment.infos["player_0"]["equity_version"] == version


def test_reset_with_a_seed_repeats_and_without_goes_on() -> None:
    environment = env()
    assert trace(environment, 7) == trace(environment, 7) == trace(env(), 7)
    environment.reset(seed=7)
    decks = [environment.game.start]
    for _ in range(3):
        environment.reset()
        decks.append(environment.game.start)
    assert [(start.seed, start.partie) for start in decks] == [(7, 0), (7, 1), (7, 2), (7, 3)]
    environment.reset(seed=7)
    assert environment.game.start.partie == 0
    fresh = [env(), env()]
    for one in fresh:
        one.reset()
    assert fresh[0].game.start.seed != fresh[1].game.start.seed


def trace(environment: Any, seed: int, decisions: int = 60) -> list[bytes]:
    """What both agents see during a few decisions."""
    rng = np.random.default_rng(seed)
    environment.reset(seed=seed)
    seen = []
    for _ in range(decisions):
        for agent in AGENTS:
            observation = environment.observe(agent)
            seen += [observation["observation"].tobytes(), observation["action_mask"].tobytes()]
            seen.append(repr({**environment.infos[agent], "action_mask": None}).encode())
        environment.step(choose(environment.infos[environment.agent_selection]["action_mask"], rng))
    return seen


def test_the_order_of_hashes_changes_nothing() -> None:
    code = (
        "import hashlib, sys; from tests.env.test_aec import trace; from piquet_env import env;"
        "print(hashlib.sha256(b''.join(trace(env(rules='cavendish'), 11))).hexdigest())"
    )
    printed = set()
    for hash_seed in ("0", "1", "4242"):
        run = subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert run.returncode == 0, run.stderr
        printed.add(run.stdout)
    assert len(printed) == 1


def test_a_seeded_reset_keeps_the_configuration() -> None:
    environment = env(rules="finnish", reward="deal_points", skip_forced=True)
    before = (environment.unwrapped.rules, environment.unwrapped.reward, environment.unwrapped.skip_forced)
    spaces = [environment.action_space(agent) for agent in AGENTS]
    for seed in (1, 2, None):
        environment.reset(seed=seed)
    assert (environment.unwrapped.rules, environment.unwrapped.reward, environment.unwrapped.skip_forced) == before
    assert all(environment.action_space(agent) is space for agent, space in zip(AGENTS, spaces, strict=True))


# -- illegal actions --------------------------------------------------------------------------------------------------


def test_every_phase_is_tried(everywhere: dict[Phase, Position]) -> None:
    assert set(everywhere) == set(ASKING)


@pytest.mark.parametrize("phase", ASKING, ids=[phase.name for phase in ASKING])
@pytest.mark.parametrize("reward", ["settlement", "win"])
def test_an_illegal_action_loses_in_the_wrapped_environment(
    phase: Phase, reward: str, everywhere: dict[Phase, Position]
) -> None:
    position = everywhere[phase]
    environment = env(rules=position.rules, reward=reward)
    position.lead(environment)
    offender = environment.agent_selection
    mask = environment.last()[0]["action_mask"]
    environment.step(int(np.flatnonzero(mask == 0)[0]))
    seen = {}
    for agent in environment.agent_iter():
        observation, value, termination, truncation, info = environment.last()
        # PettingZoo's wrapper sets both.
        assert termination
        assert truncation
        assert not observation["action_mask"].any()
        assert not info["action_mask"].any()
        seen[agent] = value
        environment.step(None)
    other = AGENTS[1 - AGENTS.index(offender)]
    assert seen == {offender: ILLEGAL[reward], other: 0.0}
    assert environment.result is None
    for agent in AGENTS:
        assert not environment.observe(agent)["action_mask"].any()
    environment.reset(seed=1)
    assert environment.agent_selection == environment.unwrapped.agent_selection
    assert play_out(environment, np.random.default_rng(0)) > 100
    assert environment.result is not None


@pytest.mark.parametrize("phase", ASKING, ids=[phase.name for phase in ASKING])
def test_an_illegal_action_changes_nothing_in_the_raw_environment(
    phase: Phase, everywhere: dict[Phase, Position]
) -> None:
    position = everywhere[phase]
    environment = raw_env(rules=position.rules)
    position.lead(environment)
    mask = environment.observe(environment.agent_selection)["action_mask"]
    before, seen = pickle.dumps(environment.game), snapshot(environment)
    for action in [*np.flatnonzero(mask == 0).tolist(), -1, len(mask), 2**31, 2**70, -(2**70)]:
        with pytest.raises(IllegalActionError) as caught:
            environment.step(action)
        assert "\nrules " in str(caught.value), "the message holds the position"
        assert pickle.dumps(environment.game) == before
    assert snapshot(environment) == seen
    environment.step(choose(mask, np.random.default_rng(0)))


def snapshot(environment: Any) -> tuple[Any, ...]:
    """Everything that an environment shows."""
    return (
        environment.agent_selection,
        repr(environment.rewards),
        repr(environment._cumulative_rewards),
        repr(environment.terminations),
        repr(environment.infos),
        [environment.observe(agent)["observation"].tobytes() for agent in AGENTS],
    )


@pytest.mark.parametrize("nonsense", [None, "x", 3.0, True, np.bool_(True), np.array([3]), [3]])
def test_what_is_no_action_is_refused(nonsense: Any) -> None:
    environment = raw_env()
    environment.reset(seed=1)
    before = state_of(environment.game)
    with pytest.raises(IllegalActionError, match="is not an action"):
        environment.step(nonsense)
    assert state_of(environment.game) == before


@pytest.mark.parametrize("kind", [int, np.int16, np.uint8, np.int32, np.int64, np.array])
@pytest.mark.parametrize("maker", MAKERS)
def test_every_kind_of_whole_number_is_an_action(maker: str, kind: Any) -> None:
    environment = MAKERS[maker]()
    environment.reset(seed=1)
    for _ in range(5):
        environment.step(kind(environment.unwrapped.game.legal_actions()[0]))
    assert all(type(action) is int for action in environment.game.actions)


def test_other_kinds_of_numbers_compile_nothing_new() -> None:
    from piquet_env.rules.play import apply_at

    if not hasattr(apply_at, "signatures"):
        pytest.skip("kernels are not compiled here")
    environment = raw_env()
    environment.reset(seed=1)
    environment.step(environment.game.legal_actions()[0])
    before = len(apply_at.signatures)
    environment.step(np.uint8(environment.game.legal_actions()[0]))
    assert len(apply_at.signatures) == before


# -- before and after -------------------------------------------------------------------------------------------------


def test_before_the_first_reset_there_is_one_clear_error() -> None:
    raw = raw_env(render_mode="ansi")
    for call in (
        lambda: raw.step(0),
        raw.last,
        lambda: raw.observe("player_0"),
        raw.render,
        raw.state,
        lambda: raw.result,
    ):
        with pytest.raises(ValueError, match=r"call reset\(\) first"):
            call()
    wrapped = env(render_mode="ansi")
    for call in (lambda: wrapped.step(0), lambda: wrapped.observe("player_0"), wrapped.render, wrapped.state):
        with pytest.raises(AssertionError, match="reset"):
            call()
    with pytest.raises(AttributeError, match="before reset"):
        wrapped.last()


def test_after_the_end_a_step_is_refused_and_everything_can_still_be_seen() -> None:
    raw = raw_env(render_mode="ansi")
    raw.reset(seed=4)
    play_out(raw, np.random.default_rng(4))
    before = state_of(raw.game)
    for action in (None, 0):
        with pytest.raises(IllegalActionError, match=r"call reset\(\)"):
            raw.step(action)
    with pytest.raises(ValueError, match=r"call reset\(\)"):
        raw.last()
    assert state_of(raw.game) == before
    for agent in AGENTS:
        observation = raw.observe(agent)
        assert raw.observation_space(agent).contains(observation)
        assert not observation["action_mask"].any()
    assert raw.render()
    assert raw.state_space.contains(raw.state())
    assert raw.result.deals >= 6


def test_a_dead_agent_takes_only_none() -> None:
    environment = raw_env()
    environment.reset(seed=4)
    rng = np.random.default_rng(4)
    while not environment.terminations["player_0"]:
        environment.step(choose(environment.infos[environment.agent_selection]["action_mask"], rng))
    with pytest.raises(ValueError, match="None"):
        environment.step(0)
    environment.step(None)
    environment.step(None)
    assert environment.agents == []


# -- observations -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", RULES)
def test_spaces_hold_what_is_seen_and_masks_are_the_acting_agents(rules: str) -> None:
    environment = env(rules=rules)
    rng = np.random.default_rng(0)
    for seed in range(2):
        environment.reset(seed=seed)
        while True:
            acting = environment.agent_selection
            over = all(environment.terminations.values())
            for agent in AGENTS:
                observation = environment.observe(agent)
                info = environment.infos[agent]
                assert environment.observation_space(agent).contains(observation)
                assert observation["action_mask"].dtype == np.int8
                assert np.array_equal(observation["action_mask"], info["action_mask"])
                assert observation["action_mask"].any() == (agent == acting and not over)
                assert info["seat"] == AGENTS.index(agent)
                assert decode(observation["observation"])["elder"][0] == (info["role"] == "elder")
            assert environment.unwrapped.state_space.contains(environment.state())
            if over:
                break
            space = environment.action_space(acting)
            action = space.sample(environment.last(observe=False)[4]["action_mask"])
            assert environment.infos[acting]["action_mask"][action]
            environment.step(int(environment.unwrapped.sample_legal(rng)))
    for agent in AGENTS:
        assert environment.observation_space(agent) is environment.observation_space(agent)
        assert environment.action_space(agent) is environment.action_space(agent)
        assert environment.action_space(agent).n == num_actions(Rules.of(rules).pack)


def test_what_is_handed_out_is_the_callers_own() -> None:
    environment = raw_env()
    environment.reset(seed=1)
    agent = environment.agent_selection
    first = environment.observe(agent)
    kept = copy.deepcopy(first)
    for array in first.values():
        array[:] = 0
    environment.infos[agent]["action_mask"][:] = 0
    assert data_equivalence(environment.observe(agent), kept)
    environment.step(choose(kept["action_mask"], np.random.default_rng(0)))


def test_state_holds_the_hidden_cards_and_changes_with_them() -> None:
    environment = raw_env()
    environment.reset(seed=1)
    state = environment.state()
    assert state.dtype == np.float32
    assert np.array_equal(state[: len(state) // 2 - 16], environment.observe("player_0")["observation"])
    environment.reset(seed=2)
    assert not np.array_equal(state, environment.state())


# -- options ----------------------------------------------------------------------------------------------------------


def test_options_begin_anywhere() -> None:
    environment = env(rules="rubicon")
    deck = np.roll(np.arange(32), 5)
    environment.reset(seed=3, options={"decks": [deck], "totals": (62, 88), "deal_number": 5, "dealer": 0})
    game = environment.game
    assert (game.deal_number, game.totals, game.dealer) == (5, (62, 88), 0)
    assert environment.infos["player_1"]["role"] == "elder"
    assert environment.infos["player_0"]["totals"] == (62, 88)
    assert set(np.flatnonzero(decode(environment.observe("player_1")["observation"])["dealt"])) == set(deck[:12])
    play_out(environment, np.random.default_rng(0))
    assert environment.result.deals == 2
    assert environment.result.totals[0] >= 62

    match = env(rules="au_cent")
    match.reset(seed=3, options={"games": (2, 1), "totals": (90, 0)})
    assert match.game.games == (2, 1)


@pytest.mark.parametrize("kind", [np.array, list, tuple, lambda deck: np.array(deck, dtype=np.int8)])
def test_decks_come_as_arrays_of_any_kind(kind: Any) -> None:
    environment = raw_env()
    environment.reset(seed=1, options={"decks": [kind(BLANCHE)], "dealer": 1})
    assert environment.infos["player_0"]["role"] == "elder"
    assert set(np.flatnonzero(decode(environment.observe("player_0")["observation"])["dealt"])) == set(BLANCHE[:12])


def test_decks_come_as_text_of_deals() -> None:
    source = Game(seed=9)
    rng = np.random.default_rng(0)
    while source.deal_number < 3:
        source.apply(choose(source.action_mask(source.to_act), rng))
    for decks in (str(source), [str(source)]):
        environment = raw_env()
        environment.reset(seed=77, options={"decks": decks, "dealer": source.start.dealer})
        game = environment.game
        assert len(game.start.decks) == 3
        assert np.array_equal(game.start.decks[0], np.asarray(game.start.decks[0]))
        assert set(np.flatnonzero(decode(environment.observe("player_0")["observation"])["dealt"])) in (
            set(game.start.decks[0][:12].tolist()),
            set(game.start.decks[0][12:24].tolist()),
        )


BAD_OPTIONS = {
    "unknown": {"deck": []},
    "no list": [("totals", (0, 0))],
    "no decks": {"decks": 5},
    "decks None": {"decks": None},
    "one deck": {"decks": np.arange(32)},
    "short deck": {"decks": [np.arange(31)]},
    "twice": {"decks": [np.zeros(32, dtype=int)]},
    "outside": {"decks": [np.arange(1, 33)]},
    "fractions": {"decks": [np.arange(32) / 1.0]},
    "no deck": {"decks": [None]},
    "bad text": {"decks": "what is this"},
    "too many": {"decks": [np.arange(32)] * 9},
    "too many from there": {"decks": [np.arange(32)] * 5, "deal_number": 5, "dealer": 0},
    "one total": {"totals": 5},
    "three totals": {"totals": (1, 2, 3)},
    "negative": {"totals": (-1, 0)},
    "words": {"totals": ("a", "b")},
    "games of au cent": {"games": (1, 0)},
    "dealer": {"dealer": 2},
    "deal 0": {"deal_number": 0},
    "deal 9": {"deal_number": 9, "dealer": 0},
    "nobody deals": {"deal_number": 3},
    "not tied": {"deal_number": 7, "dealer": 0, "totals": (1, 2)},
}


@pytest.mark.parametrize("name", BAD_OPTIONS)
def test_bad_options_are_one_clear_error_and_change_nothing(name: str) -> None:
    environment = env()
    environment.reset(seed=1)
    before, shown = state_of(environment.game), snapshot(environment)
    with pytest.raises(ValueError, match=r"\w+ \w+") as caught:
        environment.reset(seed=2, options=BAD_OPTIONS[name])
    assert len(str(caught.value).splitlines()) == 1
    assert len(str(caught.value)) > 20
    assert state_of(environment.game) == before
    assert snapshot(environment) == shown


@pytest.mark.parametrize("seed", [-1, 2**63, "7", 1.5, True, [1]])
def test_bad_seeds_are_refused(seed: Any) -> None:
    with pytest.raises(ValueError, match="seed must be a whole number"):
        env().reset(seed=seed)


def test_the_largest_seed_plays() -> None:
    environment = raw_env()
    environment.reset(seed=2**63 - 1)
    assert play_out(environment, np.random.default_rng(0)) > 100
    environment.reset(seed=np.int64(5))
    assert environment.game.start.seed == 5


@pytest.mark.parametrize(
    "arguments",
    [
        {"render_mode": "rgb_array"},
        {"reward": "points"},
        {"rules": "bridge"},
        {"render_seat": 2},
    ],
)
def test_bad_arguments_are_refused(arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=str(next(iter(arguments.values())))):
        env(**arguments)


# -- copies -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("how", ["deepcopy", "pickle"])
def test_copies_continue_identically(maker: str, how: str, everywhere: dict[Phase, Position]) -> None:
    for position in everywhere.values():
        original = MAKERS[maker](rules=position.rules, reward="equity", render_mode="ansi")
        position.lead(original)
        twin = copy.deepcopy(original) if how == "deepcopy" else pickle.loads(pickle.dumps(original))
        before = state_of(original.unwrapped.game)
        rng = np.random.default_rng(3)
        for _ in range(10):
            twin.step(choose(twin.infos[twin.agent_selection]["action_mask"], rng))
        assert state_of(original.unwrapped.game) == before, "the copy shares nothing"
        twin = copy.deepcopy(original) if how == "deepcopy" else pickle.loads(pickle.dumps(original))
        rngs = np.random.default_rng(4), np.random.default_rng(4)
        for _ in range(40):
            assert twin.agent_selection == original.agent_selection
            assert data_equivalence(twin.last(), original.last(), exact=True)
            for one, rng in zip((original, twin), rngs, strict=True):
                one.step(choose(one.infos[one.agent_selection]["action_mask"], rng))
        assert twin.render() == original.render()
        original.reset()
        twin.reset()
        assert state_of(original.unwrapped.game) == state_of(twin.unwrapped.game)


# -- forced decisions -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", RULES)
def test_forced_decisions_are_skipped_and_nothing_else_changes(rules: str) -> None:
    skipping, plain = raw_env(rules=rules, skip_forced=True, reward="deal_points"), Game(rules, seed=6)
    rng = np.random.default_rng(6)
    skipping.reset(seed=6)
    total = 0.0
    while not skipping.terminations["player_0"]:
        mask = skipping.infos[skipping.agent_selection]["action_mask"]
        assert mask.sum() > 1
        action = choose(mask, rng)
        while plain.is_forced:
            plain.apply(plain.legal_actions()[0])
        plain.apply(action)
        skipping.step(action)
        total += skipping.rewards["player_0"]
    plain.skip_forced()
    assert plain == skipping.game
    assert total == sum(first - second for first, second in plain.deal_points)


# -- any order of calls -----------------------------------------------------------------------------------------------


class Calls(RuleBasedStateMachine):
    """Reset, step, observe, last and render in any order, beside a plain game."""

    copies = Bundle("copies")

    @initialize(
        wrapped=st.booleans(),
        skip=st.booleans(),
        rules=st.sampled_from(RULES),
        reward=st.sampled_from(REWARDS[:3]),
    )
    def make(self, wrapped: bool, skip: bool, rules: str, reward: str) -> None:
        self.wrapped = wrapped
        self.env = MAKERS["env" if wrapped else "raw_env"](
            rules=rules, reward=reward, skip_forced=skip, render_mode="ansi"
        )
        self.game: Game | None = None
        self.lost = False

    @rule(seed=st.integers(0, 2**63 - 1), late=st.booleans())
    def reset(self, seed: int, late: bool) -> None:
        rules = self.env.unwrapped.rules
        options: dict[str, Any] = {}
        if late and rules.form == "rubicon":  # so that many sequences of calls reach the end
            options = {"deal_number": rules.deals, "dealer": seed % 2}
        self.env.reset(seed=seed, options=options)
        self.game = Game(rules, seed=seed, **options)
        self.lost = False
        self.skip()

    @rule()
    def reset_to_the_next(self) -> None:
        self.env.reset()
        start = self.env.unwrapped.game.start
        self.game = Game(self.env.unwrapped.rules, seed=start.seed, partie=start.partie)
        self.lost = False
        self.skip()

    @precondition(lambda self: self.game is not None and self.env.agents)
    @rule(places=st.lists(st.integers(0, 1000), min_size=1, max_size=60))
    def step(self, places: list[int]) -> None:
        for place in places:
            if not self.env.agents:
                return
            agent = self.env.agent_selection
            if self.env.terminations[agent]:
                self.env.step(None)
                continue
            legal = self.game.legal_actions()
            action = legal[place % len(legal)]
            self.env.step(action)
            self.game.apply(action)
            self.skip()

    @precondition(lambda self: self.game is not None and self.env.agents)
    @rule(place=st.integers(0, 1000))
    def step_illegally(self, place: int) -> None:
        agent = self.env.agent_selection
        if self.env.terminations[agent]:
            return
        illegal = np.flatnonzero(self.env.observe(agent)["action_mask"] == 0).tolist()
        action = illegal[place % len(illegal)]
        if self.wrapped:
            self.env.step(action)
            self.lost = True
            assert all(self.env.terminations.values())
        else:
            with pytest.raises(IllegalActionError):
                self.env.step(action)

    @precondition(lambda self: self.game is not None and self.env.agents)
    @rule()
    def last(self) -> None:
        observation, reward, termination, _, info = self.env.last()
        assert np.isfinite(reward)
        assert observation["action_mask"].any() != termination
        assert np.array_equal(info["action_mask"], observation["action_mask"])

    @precondition(lambda self: self.game is not None)
    @rule()
    def render(self) -> None:
        assert isinstance(self.env.render(), str)

    @precondition(lambda self: self.game is None)
    @rule()
    def too_early(self) -> None:
        for call in (lambda: self.env.step(0), lambda: self.env.observe("player_0"), self.env.render):
            with pytest.raises((AssertionError, ValueError), match="reset"):
                call()

    @precondition(lambda self: self.game is not None and not self.env.agents)
    @rule()
    def too_late(self) -> None:
        if not self.wrapped:
            with pytest.raises(IllegalActionError, match="reset"):
                self.env.step(0)

    @precondition(lambda self: self.game is not None)
    @rule()
    def copy(self) -> None:
        self.env = copy.deepcopy(self.env)

    @invariant()
    def agrees_with_the_game(self) -> None:
        if getattr(self, "game", None) is None:
            return
        raw = self.env.unwrapped
        assert raw.game == self.game
        over = self.game.is_over or self.lost
        for seat, agent in enumerate(AGENTS):
            observation = self.env.observe(agent)
            assert np.array_equal(observation["observation"], self.game.observation(seat))
            mask = np.zeros_like(observation["action_mask"]) if self.lost else self.game.action_mask(seat)
            assert np.array_equal(observation["action_mask"], mask)
            assert self.env.terminations.get(agent, True) == over
        assert (self.env.result is not None) == self.game.is_over

    def skip(self) -> None:
        if self.env.unwrapped.skip_forced:
            self.game.skip_forced()


Calls.TestCase.pytestmark = [pytest.mark.slow]
TestCalls = Calls.TestCase
