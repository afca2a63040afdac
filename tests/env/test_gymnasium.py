"""The single-learner environment of Gymnasium."""

import copy
import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils import env_checker

from piquet_env import IllegalActionError, Rules, decode, raw_env
from piquet_env.gymnasium_env import PiquetEnv
from tests.env.playing import REWARDS, RULES, choose, has_equity


class Sweeper:
    """Plays the lowest legal action, without chance."""

    name = "sweeper"

    def reset(self, seed: int) -> None:
        self.seed = seed

    def act(self, view: Any) -> int:
        return view.legal_actions[0]


class Stumbler(Sweeper):
    """Fails at its third decision."""

    name = "stumbler"

    def reset(self, seed: int) -> None:
        self.left = 3

    def act(self, view: Any) -> int:
        self.left -= 1
        if self.left == 0:
            raise KeyError("lost its cards")
        return super().act(view)


class Cheat(Sweeper):
    """Plays what is not legal."""

    name = "cheat"

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def act(self, view: Any) -> Any:
        return int(np.flatnonzero(view.action_mask == 0)[0]) if self.answer == "illegal" else self.answer


def make(**arguments: Any) -> Any:
    return gymnasium.make("Piquet-v0", **arguments)


def play(environment: Any, rng: np.random.Generator, **reset: Any) -> tuple[float, dict[str, Any]]:
    """Play an episode with legal actions; return the sum of its rewards and the last info."""
    _, info = environment.reset(**reset)
    total, over = 0.0, False
    while not over:
        _, reward, over, truncated, info = environment.step(choose(info["action_mask"], rng))
        assert not truncated
        total += reward
    return total, info


# -- the checkers -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("opponent", ["random", "greedy", Sweeper()], ids=["random", "greedy", "object"])
@pytest.mark.parametrize("rules", ["rubicon", "au_cent_36"])
def test_gymnasium_finds_no_fault(rules: str, opponent: Any) -> None:
    env_checker.check_env(make(opponent=opponent, rules=rules).unwrapped)


def test_stable_baselines3_finds_no_fault() -> None:
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    for rules in ("rubicon", "cavendish"):
        checker.check_env(make(opponent="greedy", rules=rules).unwrapped, warn=True)


def test_masks_are_at_hand_in_what_make_returns() -> None:
    environment = make(opponent="random")
    _, info = environment.reset(seed=1)
    masks = environment.action_masks()
    assert masks.dtype == bool
    assert np.array_equal(masks, info["action_mask"])
    assert info["action_mask"].dtype == np.int8
    assert environment.action_space.sample(info["action_mask"]) in np.flatnonzero(masks)


# -- seats and rewards ------------------------------------------------------------------------------------------------


def test_seats_alternate_and_can_be_fixed() -> None:
    environment = make(opponent="random")
    rng = np.random.default_rng(0)
    seats = []
    for episode in range(4):
        _, info = environment.reset(seed=3 if episode == 0 else None)
        seats.append(info["seat"])
        assert environment.unwrapped.learner_seat == info["seat"]
        environment.step(choose(info["action_mask"], rng))
    assert seats == [0, 1, 0, 1]
    assert environment.reset(seed=3)[1]["seat"] == 0
    fixed = make(opponent="random", seat=1)
    assert [fixed.reset()[1]["seat"] for _ in range(3)] == [1, 1, 1]


@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize("skip", [False, True])
def test_rewards_are_the_learners_own_and_add_up_to_the_result(reward: str, skip: bool) -> None:
    rng = np.random.default_rng(1)
    for rules in RULES:
        if reward == "equity" and not has_equity(rules):
            continue
        environment = make(opponent="random", rules=rules, reward=reward, skip_forced=skip).unwrapped
        for episode in range(2):
            total, info = play(environment, rng, **({"seed": 5} if episode == 0 else {}))
            result, seat = environment.result, environment.learner_seat
            assert seat == episode
            due = {
                "settlement": result.settlement[seat],
                "win": np.sign(result.settlement[seat]),
                "deal_points": sum(points[seat] - points[1 - seat] for points in environment.game.deal_points),
                "equity": result.settlement[seat] - info.get("expected_settlement", 0.0),
            }[reward]
            assert total == pytest.approx(due)
            assert info["settlement"] == result.settlement
            assert info["totals"] == result.totals
            assert not info["action_mask"].any()


def test_the_worse_player_scores_below_zero_in_both_seats() -> None:
    """Random play against `greedy`: whoever mixed up the seats would see one of the means above zero."""
    environment = make(opponent="greedy")
    rng = np.random.default_rng(2)
    totals: dict[int, list[float]] = {0: [], 1: []}
    for episode in range(30):
        total, _ = play(environment, rng, **({"seed": 2} if episode == 0 else {}))
        totals[environment.unwrapped.learner_seat].append(total)
    assert max(totals[0]) < 0
    assert max(totals[1]) < 0


def test_a_partie_is_that_of_the_aec_environment() -> None:
    """The learner's observations, masks and rewards are those of its seat in `raw_env` with the same actions."""
    environment, raw = make(opponent=Sweeper(), reward="deal_points").unwrapped, raw_env(reward="deal_points")
    rng = np.random.default_rng(3)
    observation, info = environment.reset(seed=8)
    raw.reset(seed=8)
    over, reward = False, 0.0
    while not over:
        while raw.agent_selection != "player_0":
            raw.step(raw.game.legal_actions()[0])
        seen, earned, _, _, told = raw.last()
        assert earned == reward
        assert np.array_equal(seen["observation"], observation)
        assert np.array_equal(seen["action_mask"], info["action_mask"])
        assert all(info[key] == value for key, value in told.items() if key != "action_mask")
        action = choose(info["action_mask"], rng)
        raw.step(action)
        observation, reward, over, _, info = environment.step(action)
    while raw.agents and not raw.terminations[raw.agent_selection]:
        raw.step(raw.game.legal_actions()[0])
    assert raw.game == environment.game


def test_a_seed_repeats_and_a_reset_without_goes_on() -> None:
    environment = make(opponent="random")
    trace = [play(environment, np.random.default_rng(1), seed=4)[0], play(environment, np.random.default_rng(2))[0]]
    again = [play(environment, np.random.default_rng(1), seed=4)[0], play(environment, np.random.default_rng(2))[0]]
    other = make(opponent="random")
    fresh = [play(other, np.random.default_rng(1), seed=4)[0], play(other, np.random.default_rng(2))[0]]
    assert trace == again == fresh


def test_forced_decisions_are_skipped() -> None:
    environment = make(opponent="greedy", skip_forced=True)
    rng = np.random.default_rng(0)
    _, info = environment.reset(seed=1)
    over = False
    while not over:
        assert info["action_mask"].sum() > 1
        _, _, over, _, info = environment.step(choose(info["action_mask"], rng))


# -- illegal actions and errors ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("reward", "loss"), [("settlement", -500.0), ("win", -1.0), ("deal_points", -500.0)])
@pytest.mark.parametrize("seat", [0, 1])
def test_an_illegal_action_ends_the_episode_with_a_loss(reward: str, loss: float, seat: int) -> None:
    environment = make(opponent="greedy", reward=reward, seat=seat)
    _, info = environment.reset(seed=1)
    action = int(np.flatnonzero(info["action_mask"] == 0)[0])
    observation, value, terminated, truncated, info = environment.step(action)
    assert (value, terminated, truncated) == (loss, True, False)
    assert environment.observation_space.contains(observation)
    assert "Legal:" in info["illegal"]
    assert not info["action_mask"].any()
    assert not environment.action_masks().any()
    assert "settlement" not in info
    with pytest.raises(ValueError, match=r"call reset\(\)"):
        environment.step(0)
    assert play(environment, np.random.default_rng(0))[1]["settlement"]


@pytest.mark.parametrize("action", [-1, 140, 10**30])
def test_an_action_outside_the_space_is_illegal_too(action: int) -> None:
    environment = make(opponent="greedy")
    environment.reset(seed=1)
    assert environment.step(action)[1:3] == (-500.0, True)


@pytest.mark.parametrize("action", [3.0, "3", None, np.array([1, 2])])
def test_what_is_no_whole_number_is_an_error(action: Any) -> None:
    environment = make(opponent="greedy")
    environment.reset(seed=1)
    with pytest.raises(TypeError, match="integer"):
        environment.step(action)
    assert not environment.step(environment.unwrapped.game.legal_actions()[0])[2]


def test_before_the_first_reset_there_is_one_clear_error() -> None:
    environment = make(opponent="greedy", render_mode="ansi")
    for call in (lambda: environment.step(0), environment.render, lambda: environment.unwrapped.result):
        with pytest.raises(ValueError, match=r"call reset\(\) first"):
            call()


@pytest.mark.parametrize("seat", [0, 1])
def test_an_opponent_that_fails_gives_one_clear_error(seat: int) -> None:
    environment = make(opponent=Stumbler(), seat=seat)
    rng = np.random.default_rng(0)
    with pytest.raises(RuntimeError, match="the opponent stumbler failed with KeyError: 'lost its cards'") as caught:
        play(environment, rng, seed=1)
    assert isinstance(caught.value.__cause__, KeyError)
    with pytest.raises(ValueError, match=r"call reset\(\)"):
        environment.step(0)


@pytest.mark.parametrize("answer", ["illegal", -1, 10**6, None, 2.0, "play SA"])
def test_an_opponent_that_acts_illegally_gives_one_clear_error(answer: Any) -> None:
    environment = make(opponent=Cheat(answer))
    with pytest.raises(IllegalActionError, match=r"the opponent cheat chose action .* not legal"):
        play(environment, np.random.default_rng(0), seed=1)
    with pytest.raises(ValueError, match=r"call reset\(\)"):
        environment.step(0)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"opponent": "nobody"}, "nobody"),
        ({"opponent": 5}, "an opponent is"),
        ({"opponent": None}, "an opponent is"),
        ({"seat": 2}, "a seat is 0 or 1"),
        ({"reward": "points"}, "points"),
        ({"rules": "au_cent games=99", "reward": "equity"}, "equity"),
    ],
)
def test_bad_arguments_are_refused(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make(**arguments)


def test_an_unknown_render_mode_is_refused() -> None:
    with pytest.raises(ValueError, match="rgb_array"):
        PiquetEnv(render_mode="rgb_array")


@pytest.mark.parametrize("options", [{"deck": []}, {"seed": 3}, {"partie": 1}, {"decks": 4}, [1]])
def test_bad_options_are_refused(options: Any) -> None:
    environment = make()
    environment.reset(seed=1)
    with pytest.raises(ValueError, match=r"option|decks"):
        environment.reset(seed=2, options=options)
    assert environment.unwrapped.game.start.seed == 1


def test_options_begin_anywhere() -> None:
    environment = make(opponent="greedy")
    deck = np.arange(32)
    observation, info = environment.reset(
        seed=1, options={"decks": [deck], "totals": (62, 88), "deal_number": 5, "dealer": 1}
    )
    assert info["role"] == "elder"
    assert info["totals"] == (62, 88)
    assert set(np.flatnonzero(decode(observation)["dealt"])) == set(range(12))


def test_a_match_that_the_options_leave_decided_ends_with_the_first_step() -> None:
    rules = Rules.preset("au_cent").replace(carte_blanche_claim="automatic")
    blanche = [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19]
    deck = np.array(blanche + [card for card in range(32) if card not in blanche])
    options = {"decks": [deck], "games": (2, 0), "totals": (99, 0), "dealer": 1}
    environment = make(opponent="greedy", rules=rules)
    environment.reset(seed=1, options=options)
    assert environment.unwrapped.game.is_over
    _, reward, terminated, _, _ = environment.step(0)
    assert terminated
    assert reward == environment.unwrapped.result.settlement[0] > 0


# -- pictures and copies ----------------------------------------------------------------------------------------------


def test_pictures_are_the_learners(capsys: pytest.CaptureFixture[str]) -> None:
    environment = make(opponent="greedy", render_mode="ansi")
    environment.reset(seed=1)
    assert environment.render() == environment.unwrapped.game.text(0)
    environment.reset()
    assert environment.render() == environment.unwrapped.game.text(1)
    human = make(opponent="greedy", render_mode="human")
    _, info = human.reset(seed=1)
    assert "player_0" in capsys.readouterr().out
    human.step(choose(info["action_mask"], np.random.default_rng(0)))
    assert "player_0" in capsys.readouterr().out
    assert make().render() is None


@pytest.mark.parametrize(
    "how", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))], ids=["deepcopy", "pickle"]
)
@pytest.mark.parametrize("opponent", ["greedy", "random"])
def test_copies_continue_identically(how: Any, opponent: str) -> None:
    environment = make(opponent=opponent, reward="equity")
    _, info = environment.reset(seed=1)
    rng = np.random.default_rng(0)
    for _ in range(40):
        info = environment.step(choose(info["action_mask"], rng))[4]
    twin = how(environment)
    rngs = np.random.default_rng(1), np.random.default_rng(1)
    traces = []
    for one, own in zip((environment, twin), rngs, strict=True):
        told, trace, over = info, [], False
        while not over:
            observation, reward, over, _, told = one.step(choose(told["action_mask"], own))
            trace.append((observation.tobytes(), reward))
        trace.append(one.reset()[0].tobytes())
        traces.append(trace)
    assert traces[0] == traces[1]


# -- learning ---------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_maskable_ppo_learns_in_it() -> None:
    sb3_contrib = pytest.importorskip("sb3_contrib")
    from stable_baselines3.common.vec_env import DummyVecEnv

    environments = DummyVecEnv([lambda: make(opponent="random"), lambda: make(opponent="greedy")])
    model = sb3_contrib.MaskablePPO("MlpPolicy", environments, n_steps=50, batch_size=50, n_epochs=2, seed=1)
    model.learn(200)
    assert model.num_timesteps == 200
    assert all(value.isfinite().all() for value in model.policy.state_dict().values())


def test_action_masks_survive_wrappers() -> None:
    wrapped = gymnasium.wrappers.RecordEpisodeStatistics(make(opponent="greedy"))
    rng = np.random.default_rng(0)
    wrapped.reset(seed=1)
    over = False
    while not over:
        _, _, over, _, info = wrapped.step(choose(wrapped.get_wrapper_attr("action_masks")(), rng))
    assert info["episode"]["r"] == info["settlement"][0]
