"""Trials of the exchange: a value is what comes of an action in the true world, and the policy learns it unseen."""

from pathlib import Path

import numpy as np
import pytest

import train

torch = pytest.importorskip("torch")
pytest.importorskip("sb3_contrib")

torch.set_num_threads(1)  # as train.py does

from agents.learned import exchange_trials  # noqa: E402
from agents.learned.actor_critic import Perceptron, SelfPlayPolicy  # noqa: E402
from agents.learned.exchange_trials import (  # noqa: E402
    TrialLearner,
    Trials,
    TrialSource,
    learn_by_trials,
    legal_log_probs,
    points_of,
    trial_loss,
    try_actions,
)
from agents.learned.objective import SCALE, Objective  # noqa: E402
from agents.learned.parties import SelfPlayParties  # noqa: E402
from agents.learned.schedules import Schedules  # noqa: E402
from agents.learned.self_play import SelfPlayPPO, build_model  # noqa: E402
from agents.learned.trial_kernel import look_at_own  # noqa: E402
from piquet_env import PiquetBatch, Rules  # noqa: E402
from piquet_env.observation import make_scratch  # noqa: E402
from piquet_env.rules.state import DEAL_OVER, EXCHANGE  # noqa: E402

SMALL = {"hidden": 16, "layers": 2, "precision": "float32", "rollout": 64, "minibatch": 32, "epochs": 1}


def make_model(rules: str = "rubicon", exchange_hidden: int = 16, seed: int = 1) -> SelfPlayPPO:
    parties = SelfPlayParties(32, rules, Objective(), seed=seed)
    options = {**SMALL, "clip": 0.1, "discount": 1.0, "trace": 0.95, "exchange_hidden": exchange_hidden}
    model = build_model(parties, Schedules(1e-2, 0.01, 1 << 40), seed=seed, **options)
    for layer in model.policy.critic.others:
        torch.nn.init.normal_(layer.weight, std=0.3)
    return model


def deciding(policy: SelfPlayPolicy) -> Perceptron:
    return policy.actor.main if policy.actor.exchange is None else policy.actor.exchange


def order_actions(policy: SelfPlayPolicy, seed: int) -> None:
    """Let the policy for the exchange take the legal action that stands first in an order drawn at random."""
    last = deciding(policy).others[-1]
    order = np.random.default_rng(seed).permutation(last.out_features)
    with torch.no_grad():
        last.weight.zero_()
        last.bias[:] = torch.from_numpy(60.0 * order)


def play_to_exchanges(parties: SelfPlayParties, least: int = 6) -> np.ndarray:
    """Play by chance until so many rows ask for an exchange; return these rows."""
    rng = np.random.default_rng(5)
    parties.reset()
    while True:
        rows = np.arange(parties.num_envs)
        rows = rows[parties.batch.states(rows)["phase"] == EXCHANGE]
        if len(rows) >= least:
            return rows
        weights = rng.random(parties.batch.buffers.action_mask.shape) * parties.batch.buffers.action_mask
        parties.batch.step(weights.argmax(axis=1))


def values_by_hand(model: SelfPlayPPO, row: int) -> dict[int, float]:
    """Try each action of a row in the parties themselves, and put them back each time."""
    parties, policy = model.env, model.policy
    before, worth = parties.snapshot(), {}
    batch, only = parties.batch, [row]
    seat = int(batch.buffers.to_act[row])
    for action in np.flatnonzero(batch.buffers.action_mask[row]):
        batch.step([action], only)
        while batch.states(only)["phase"][0] == EXCHANGE and batch.buffers.to_act[row] == seat:
            logits = policy.logits(policy.reading.read(parties.look()[only]))[0].detach().numpy()
            batch.step([int(np.where(batch.buffers.action_mask[row] > 0, logits, -np.inf).argmax())], only)
        value = float(policy.predict_values(torch.from_numpy(parties.look()[only])).detach()) / SCALE["deal_points"]
        worth[int(action)] = value if batch.buffers.to_act[row] == seat else -value
        parties.restore(before)
    return worth


@pytest.mark.parametrize(("rules", "exchange_hidden"), [("rubicon", 16), ("rubicon", 0), ("au_cent_36", 16)])
def test_values_are_those_of_stepping_by_hand(rules: str, exchange_hidden: int) -> None:
    model = make_model(rules, exchange_hidden)
    rows = play_to_exchanges(model.env)
    spread = []
    for seed in range(2):
        order_actions(model.policy, seed)
        states, masks = model.env.batch.states(rows), model.env.action_masks()[rows]
        values = try_actions(model.policy, Rules.of(rules), states, masks, np.random.default_rng(1))
        assert (values[masks == 0] == 0).all()
        for place, row in enumerate(rows[:4].tolist()):
            by_hand = values_by_hand(model, row)
            assert list(by_hand) == np.flatnonzero(masks[place]).tolist()
            assert values[place, list(by_hand)] == pytest.approx(list(by_hand.values()), rel=1e-4, abs=0.01)
            spread.append(np.std(list(by_hand.values())))
    assert np.mean(spread) > 0.5


def test_a_deal_that_is_over_has_its_points() -> None:
    """Both seats' points of ended deals, in states of ended and of lasting deals side by side."""
    model = make_model()
    batch = PiquetBatch(4, "rubicon", seed=3, autoreset="disabled", dtype="int8")
    batch.reset()
    while batch.states([0])["phase"][0] != EXCHANGE:
        batch.step(batch.buffers.action_mask[:1].argmax(axis=1), [0])
    states = batch.states([0, 0, 0])
    states["phase"][1:] = DEAL_OVER
    states["to_act"][1:] = -1
    states["deal_points"][:] = [[50, 60], [40, 10], [7, 30]]
    points = points_of(model.policy, Rules(), states)
    assert points[1:].tolist() == [30, -23]
    assert points[0] not in {-10, 0}


def test_other_hidden_cards_reach_the_critic_alone() -> None:
    """The talon and the other's hand are exchanged with one another: the actor sees the same, the critic does not."""
    model = make_model()
    states = model.env.batch.states(play_to_exchanges(model.env))
    elder = states[states["drawn"].sum(axis=1) == 0]
    other = elder.copy()
    for state in other:
        hand = [card for card in range(32) if state["hands"][1] >> card & 1]
        talon = state["talon"][:8].copy()
        state["talon"][:8] = hand[:8]
        mask = sum(1 << card for card in [*talon.tolist(), *hand[8:]])
        state["hands"][1] = state["dealt"][1] = mask
    seen = []
    for cards in (elder, other):
        rows, masks = np.zeros((len(cards), model.policy.reading.own_size), dtype=np.int8), np.zeros((len(cards), 140))
        masks = masks.astype(np.int8)
        look_at_own(cards, np.arange(len(cards)), Rules().codes(), make_scratch()[0], rows, masks)
        with torch.no_grad():
            logits = model.policy.logits(model.policy.reading.read(rows))
        seen.append((legal_log_probs(logits, torch.from_numpy(masks)).numpy(), points_of(model.policy, Rules(), cards)))
    assert len(elder) > 2
    assert np.array_equal(seen[0][0], seen[1][0])
    assert (np.abs(seen[0][1] - seen[1][1]) > 1e-3).all()


@pytest.mark.parametrize("rules", ["rubicon", "au_cent_36", "swedish"])
def test_trials_are_of_the_exchange_and_the_same_again(rules: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange_trials, "PARTIES", 64)
    monkeypatch.setattr(exchange_trials, "TRIED_AT_ONCE", 48)
    model, pack = make_model(rules), Rules.of(rules).pack
    trials, again = (TrialSource(model.policy, Rules.of(rules), 1).collect(120) for _ in range(2))
    assert all(np.array_equal(one, two) for one, two in zip(trials, again, strict=True))
    assert {len(array) for array in trials} == {120}
    allowed = np.zeros(trials.masks.shape[1], dtype=bool)
    allowed[pack : 2 * pack] = allowed[3 * pack] = True
    assert not trials.masks[:, ~allowed].any()
    assert (trials.masks.sum(axis=1) > 1).all()
    assert (trials.masks[:, 3 * pack] > 0).any()
    probs = np.exp(trials.log_probs) * trials.masks
    assert probs.sum(axis=1) == pytest.approx(1, abs=1e-5)
    assert trials.values[trials.masks > 0].std() > 0.5
    other = TrialSource(model.policy, Rules.of(rules), 2).collect(120)
    assert not np.array_equal(trials.rows, other.rows)


def test_the_slope_is_that_of_the_points_gained() -> None:
    """At the old policy the divergence is flat: each logit is pushed by its probability times its advantage."""
    rng = np.random.default_rng(1)
    logits = torch.from_numpy(rng.normal(size=(3, 6)).astype(np.float32))
    masks = torch.tensor([[1, 1, 0, 1, 0, 1], [0, 1, 1, 0, 0, 0], [1, 1, 1, 1, 1, 1]], dtype=torch.int8)
    values = torch.from_numpy(rng.normal(0, 20, size=(3, 6)).astype(np.float32)) * masks
    old = legal_log_probs(logits, masks)
    moved = logits.clone().requires_grad_()
    trial_loss(moved, masks, old, values).backward()
    probs = old.exp() * masks
    expected = -probs * (values - (probs * values).sum(1, keepdim=True)) / 3
    assert moved.grad.numpy() == pytest.approx(expected.numpy(), abs=1e-5)
    # Away from it, with nothing to be gained, the loss is three tenths of the divergence and leads back.
    away = (logits + torch.from_numpy(rng.normal(size=(3, 6)).astype(np.float32))).requires_grad_()
    loss = trial_loss(away, masks, old, torch.zeros(3, 6))
    now = legal_log_probs(away.detach(), masks)
    assert float(loss.detach()) == pytest.approx(0.3 * float((now.exp() * masks * (now - old)).sum(1).mean()), rel=1e-5)
    loss.backward()
    step = away.detach() - 0.1 * away.grad
    assert float(trial_loss(step, masks, old, torch.zeros(3, 6))) < float(loss.detach())


def test_what_is_learnt_holds_where_it_was_not_learnt(monkeypatch: pytest.MonkeyPatch) -> None:
    """Values that can be known from the hand: every card thrown costs its rank, under much luck common to a row."""
    monkeypatch.setattr(exchange_trials, "PARTIES", 64)
    monkeypatch.setattr(exchange_trials, "MINIBATCH", 64)
    monkeypatch.setattr(exchange_trials, "LEARNING_RATE", 3e-3)
    model = make_model()
    trials = TrialSource(model.policy, Rules(), 1).collect(1500)
    worth = np.zeros(140, dtype=np.float32)
    worth[32:64] = -(np.arange(32) % 8)
    luck = np.random.default_rng(1).normal(0, 19, size=(1500, 1)).astype(np.float32)
    trials = trials._replace(values=(worth + luck) * trials.masks)
    learnt, held = (Trials(*(array[part] for array in trials)) for part in (slice(1000), slice(1000, None)))
    learner = TrialLearner(model.policy, 1)
    before = gain_of(model, held)
    figures = [learner.learn(learnt) for _ in range(2)]
    assert before == pytest.approx(0, abs=1e-3)
    assert figures[1].gain > figures[0].gain > 0.1
    assert 0 < figures[0].entropy < np.log(13)
    assert gain_of(model, held) > 0.1
    last = gain_of(model, held)
    learner.take_average()
    assert 0.1 < gain_of(model, held) < last  # the average is behind what it averages


def gain_of(model: SelfPlayPPO, trials: Trials) -> float:
    """Return the points by which the policy is better in trials than the one that made them."""
    masks, old, values = (torch.from_numpy(array) for array in trials[1:])
    with torch.no_grad():
        now = legal_log_probs(model.policy.logits(model.policy.reading.read(trials.rows)), masks)
    return float(((now.exp() - old.exp()) * masks * values).sum(1).mean())


@pytest.mark.parametrize("exchange_hidden", [16, 0])
def test_only_the_network_that_decides_the_exchange_is_moved(
    exchange_hidden: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exchange_trials, "PARTIES", 64)
    monkeypatch.setattr(exchange_trials, "BLOCK", 80)
    after = []
    for _ in range(2):
        model = make_model(exchange_hidden=exchange_hidden)
        before = {name: weight.clone() for name, weight in model.policy.state_dict().items()}
        figures = list(learn_by_trials(model.policy, Rules(), 100, 1))
        assert [block.trials for block in figures] == [80, 20]
        after.append(model.policy.state_dict())
        moved = {
            name.rpartition(".others")[0] or name for name in before if not torch.equal(before[name], after[-1][name])
        }
        network = "actor.exchange" if exchange_hidden else "actor.main"
        assert moved == {network, f"{network}.first.weight", f"{network}.first.bias"}
    assert all(torch.equal(after[0][name], after[1][name]) for name in after[0])


RUN = [
    *("--envs", "8", "--rollout", "64", "--minibatch", "32", "--epochs", "1", "--hidden", "16", "--threads", "1"),
    *("--strength-every", "0", "--parties", "0", "--decisions", "64", "--learning-rate", "1e-30"),
]


def test_a_run_begins_with_trials(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exchange_trials, "PARTIES", 64)
    monkeypatch.setattr(exchange_trials, "BLOCK", 60)
    assert train.main([*RUN, "--run-dir", str(tmp_path / "first"), "--learning-rate", "0.01"]) == 0
    start = tmp_path / "first" / "policy.safetensors"
    trials = ("--start-from", str(start), "--exchange-trials", "90")
    capsys.readouterr()
    for name in ("one", "two"):
        assert train.main([*RUN, "--run-dir", str(tmp_path / name), *trials, "--exchange-hidden", "16"]) == 0
    lines = [line for line in capsys.readouterr().err.splitlines() if "points a decision gained" in line]
    assert [line.partition(" exchange")[0] for line in lines] == ["60", "90"] * 2
    assert lines[:2] == lines[2:]
    first, one, two = (
        torch.load(tmp_path / name / "checkpoint.pt", weights_only=True)["policy"] for name in ("first", "one", "two")
    )
    assert all(torch.equal(one[name], two[name]) for name in one)
    for name in first:  # a weight of 0 moves by next to nothing
        torch.testing.assert_close(first[name], one[name], rtol=0, atol=1e-20)
    assert not torch.equal(one["actor.exchange.others.0.weight"], first["actor.main.others.0.weight"])
    # What goes on with the run makes no trials again.
    assert train.main(["--run-dir", str(tmp_path / "one"), "--resume", "--decisions", "128", "--parties", "0"]) == 0
    assert "exchange trials" not in capsys.readouterr().err
    # Without a critic nobody can judge them.
    start.with_name("critic.safetensors").unlink()
    assert train.main([*RUN, "--run-dir", str(tmp_path / "blind"), *trials]) == 2
    assert "--exchange-trials needs a critic" in capsys.readouterr().err
    assert not (tmp_path / "blind").exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "--exchange-trials needs --start-from"),
        (("--start-from", "x.pt", "--critic-sees", "own"), "leave --critic-sees at all"),
        (("--start-from", "x.pt", "--reward", "equity"), "--exchange-trials needs --reward deal_points"),
        (("--start-from", "x.pt", "--exchange-trials", "-1"), "--exchange-trials must not be negative"),
    ],
)
def test_trials_that_cannot_be_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], words: str
) -> None:
    assert train.main([*RUN, "--run-dir", str(tmp_path / "run"), "--exchange-trials", "9", *options]) == 2
    assert words in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_trials_are_not_made_in_a_run_that_goes_on() -> None:
    config = train.Config(resume=True, run_dir="x", exchange_trials=9, start_from="x.pt")
    with pytest.raises(ValueError, match="leave them out with --resume"):
        train.check_config(config)


def test_a_critic_that_was_paid_otherwise_judges_no_trials(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert train.main([*RUN, "--run-dir", str(tmp_path / "first"), "--reward", "win"]) == 0
    for source in ("policy.safetensors", "checkpoint.pt"):
        start = ("--start-from", str(tmp_path / "first" / source))
        capsys.readouterr()
        assert train.main([*RUN, "--run-dir", str(tmp_path / "next"), *start, "--exchange-trials", "9"]) == 2
        assert "needs a critic paid in deal_points; that of" in capsys.readouterr().err
        assert not (tmp_path / "next").exists()
