"""train.py: a resumed run goes on as the uninterrupted one, bad input gets one line, and nothing is overwritten."""

import itertools
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import train

torch = pytest.importorskip("torch")
pytest.importorskip("sb3_contrib")
safetensors = pytest.importorskip("safetensors.numpy")

from agents.learned.critic import Critic  # noqa: E402
from agents.learned.policy import PolicyAgent  # noqa: E402
from agents.learned.run_log import read_rows  # noqa: E402
from piquet_env import PiquetBatch  # noqa: E402
from piquet_env.rules.state import STATE_DTYPE  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
SMALL = [
    *("--envs", "8", "--rollout", "64", "--minibatch", "32", "--epochs", "2", "--hidden", "16"),
    *("--threads", "1", "--strength-every", "0", "--parties", "0"),
]


def run(folder: Path, *arguments: str) -> int:
    return train.main([*SMALL, "--run-dir", str(folder), *arguments])


def checkpoint(folder: Path) -> dict:
    return torch.load(folder / "checkpoint.pt", weights_only=True)


def flatten(tree: object) -> list:
    """Return the leaves of a tree of dicts, lists and tensors, tensors as bytes."""
    if isinstance(tree, dict):
        return [leaf for key in sorted(tree, key=str) for leaf in (key, *flatten(tree[key]))]
    if isinstance(tree, (list, tuple)):
        return [leaf for item in tree for leaf in flatten(item)]
    return [tree.numpy().tobytes()] if isinstance(tree, torch.Tensor) else [tree]


COMPANIES = {
    "alone": (),
    "a lesson that is cut": ("--teacher", "greedy", "--lessons", "192"),
    "opponents": ("--opponents", "random greedy", "--opponent-share", "0.5"),
    "plain": ("--reading", "plain"),
    "a pool": ("--pool", "2", "--pool-every", "64", "--pool-share", "0.5"),
    "a pool after lessons, and opponents": (
        *("--pool", "3", "--pool-every", "64", "--pool-share", "0.5", "--opponents", "greedy"),
        *("--teacher", "greedy", "--lessons", "64"),
    ),
    "an average": ("--average", "150"),
    "inside": ("--inside", "0.5", "--reward", "equity"),
    "a belief": ("--belief-weight", "0.5", "--exchange-hidden", "8"),
    "two networks": ("--exchange-hidden", "8", "--teacher", "greedy", "--lessons", "0", "--exchange-lessons", "30"),
}


@pytest.mark.parametrize("company", COMPANIES.values(), ids=COMPANIES)
def test_a_resumed_run_continues_bit_for_bit(tmp_path: Path, company: tuple[str, ...]) -> None:
    assert run(tmp_path / "whole", "--decisions", "256", *company) == 0
    assert run(tmp_path / "parts", "--decisions", "128", *company) == 0
    assert run(tmp_path / "parts", "--decisions", "256", "--resume") == 0
    whole, parts = checkpoint(tmp_path / "whole"), checkpoint(tmp_path / "parts")
    assert whole["decisions"] == parts["decisions"] == 256
    assert flatten(whole) == flatten(parts)
    assert bool(whole["pool"]) == ("--pool" in company)
    assert bool(whole["average"]) == ("--average" in company)
    files = [safetensors.load_file(tmp_path / name / "policy.safetensors") for name in ("whole", "parts")]
    assert all(np.array_equal(files[0][name], files[1][name]) for name in files[0])


def test_a_pool_may_come_and_go_with_a_resumed_run(tmp_path: Path) -> None:
    pool = ("--pool", "3", "--pool-every", "64")
    kept = []
    for number, options in enumerate([(), pool, ("--pool", "1"), ("--pool", "0")]):
        goes_on = ("--resume",) if number else ()
        assert run(tmp_path / "run", "--decisions", str(256 * (number + 1)), *goes_on, *options) == 0
        kept.append([int(snapshot["decisions"]) for snapshot in checkpoint(tmp_path / "run")["pool"]])
    assert kept == [[], [320, 384, 448], [704], []]


def test_no_deck_of_training_is_one_of_evaluation(tmp_path: Path) -> None:
    for seed in ("1", "2"):
        run(tmp_path / seed, "--decisions", "64", "--seed", seed)
    first, second = (checkpoint(tmp_path / seed)["parties"]["batch"] for seed in ("1", "2"))
    assert first["seed"] == train.TRAINING_SEED + 1_000_003
    assert second["seed"] == train.TRAINING_SEED + 2 * 1_000_003  # further on than any number of rows
    rows = first["states"].numpy().view(STATE_DTYPE)["seed"]
    assert (rows.ravel() == first["seed"] + np.arange(8)).all()


def test_an_average_may_come_and_go_with_a_resumed_run(tmp_path: Path) -> None:
    updates = []
    for number, average in enumerate(("0", "150", "150", "0")):
        goes_on = ("--resume",) if number else ()
        assert run(tmp_path / "run", "--decisions", str(128 * (number + 1)), *goes_on, "--average", average) == 0
        kept = checkpoint(tmp_path / "run")
        updates.append(int(kept["average"]["updates"]) if kept["average"] else 0)
        last = kept["policy"]["actor.main.first.bias"].numpy()
        played = safetensors.load_file(tmp_path / "run" / "policy.safetensors")["layer0.bias"]
        assert np.array_equal(played, last) == (average == "0")
    assert updates == [0, 2, 4, 0]


def test_a_damaged_average_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(tmp_path / "run", "--decisions", "64", "--average", "100")
    content = checkpoint(tmp_path / "run")
    del content["average"]["updates"]
    torch.save(content, tmp_path / "run" / "checkpoint.pt")
    capsys.readouterr()
    assert run(tmp_path / "run", "--decisions", "128", "--resume") == 2
    assert "the checkpoint does not fit this run: 'updates'" in one_line(capsys)


DAMAGE: dict[str, Any] = {
    "average": ({"updates": torch.tensor(-1)}, {"updates": torch.tensor(float("inf"))}, 5),
    "policy": (None, [1], 5),
    "optimizer": (None, 5),
    "parties": (None, [1], {"batch": 5}),
    "pool": ([5],),
    "decisions": (float("inf"), "x"),
}


def test_a_checkpoint_with_other_things_in_it_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own = ("--average", "100", "--pool", "1", "--pool-every", "64")
    run(tmp_path / "run", "--decisions", "64", *own)
    path = tmp_path / "run" / "checkpoint.pt"
    for name, things in DAMAGE.items():
        for thing in things:
            content = torch.load(path, weights_only=True)
            whole = path.read_bytes()
            mixes = name == "average" and isinstance(thing, dict)
            content[name] = content[name] | thing if mixes else thing
            if thing is None:
                del content[name]
            torch.save(content, path)
            damaged = path.read_bytes()
            capsys.readouterr()
            assert run(tmp_path / "run", "--decisions", "128", "--resume") == 2
            assert "the checkpoint does not fit this run: " in one_line(capsys)
            if name == "policy":
                assert run(tmp_path / "next", "--decisions", "64", "--start-from", str(path)) == 2
                assert "do not fit this run: " in one_line(capsys)
            assert path.read_bytes() == damaged
            path.write_bytes(whole)
    assert not (tmp_path / "next").exists()


@pytest.mark.parametrize("damage", ["[]", "5", '{"average": Infinity}', '{"inside": null}', '{"inside": NaN}'])
def test_damaged_options_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str], damage: str) -> None:
    run(tmp_path / "run", "--decisions", "64")
    path = tmp_path / "run" / "config.json"
    wrong = json.loads(damage)
    path.write_text(json.dumps(json.loads(path.read_text()) | wrong if isinstance(wrong, dict) else wrong))
    capsys.readouterr()
    assert run(tmp_path / "run", "--decisions", "128", "--resume") == 2
    line = one_line(capsys)
    assert "config.json cannot be read: " in line or "--inside must lie between 0 and 1" in line


def test_it_is_said_which_weights_do_not_fit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(tmp_path / "run", "--decisions", "64")
    capsys.readouterr()
    source = str(tmp_path / "run" / "checkpoint.pt")
    assert run(tmp_path / "next", "--decisions", "64", "--start-from", source, "--critic-sees", "own") == 2
    assert "size mismatch for critic" in one_line(capsys)


def test_a_critic_whose_points_have_turned_judges_no_exchange(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(tmp_path / "run", "--decisions", "192", "--equity-from", "64", "--equity-over", "1000")
    run(tmp_path / "yet", "--decisions", "64", "--equity-from", "640")
    for source in ("checkpoint.pt", "policy.safetensors"):
        trials = ("--decisions", "64", "--exchange-trials", "9", "--start-from")
        capsys.readouterr()
        assert run(tmp_path / "next", *trials, str(tmp_path / "run" / source)) == 2
        assert "had deal_points turning into equity" in one_line(capsys)
        assert not (tmp_path / "next").exists()
        assert run(tmp_path / f"next-{source}", *trials, str(tmp_path / "yet" / source)) == 0


def test_a_damaged_pool_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(tmp_path / "run", "--decisions", "192", "--pool", "2", "--pool-every", "64")
    content = checkpoint(tmp_path / "run")
    content["pool"][0]["weights"]["layer0.bias"] = torch.zeros(3, dtype=torch.float16)
    torch.save(content, tmp_path / "run" / "checkpoint.pt")
    capsys.readouterr()
    assert run(tmp_path / "run", "--decisions", "256", "--resume") == 2
    assert "the checkpoint does not fit this run: layer 0 has shapes" in one_line(capsys)


def test_a_belief_cannot_come_or_go_with_a_resumed_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    weights = ("0", "0.5")
    for own, other in (weights, weights[::-1]):
        folder = tmp_path / own
        assert run(folder, "--decisions", "64", "--belief-weight", own) == 0
        before = (folder / "checkpoint.pt").read_bytes()
        capsys.readouterr()
        assert run(folder, "--decisions", "128", "--resume", "--belief-weight", other) == 2
        assert "head for the belief" in one_line(capsys)
        assert (folder / "checkpoint.pt").read_bytes() == before
    assert run(tmp_path / "0.5", "--decisions", "128", "--resume", "--belief-weight", "0.25") == 0


def test_networks_with_and_without_a_belief_begin_with_one_another(tmp_path: Path) -> None:
    still = ("--learning-rate", "1e-30", "--decisions", "64", "--belief-weight")
    for own, other in (("0", "0.5"), ("0.5", "0")):
        run(tmp_path / own, "--decisions", "64", "--belief-weight", own)
        first = checkpoint(tmp_path / own)["policy"]
        source = str(tmp_path / own / "checkpoint.pt")
        assert run(tmp_path / f"{own}-{other}", "--start-from", source, *still, other) == 0
        second = checkpoint(tmp_path / f"{own}-{other}")["policy"]
        both = first.keys() & second.keys()
        assert len(both) == min(len(first), len(second))
        assert all(torch.equal(first[name], second[name]) for name in both)


def test_a_policy_that_reads_suits_begins_a_run_that_reads_tricks(tmp_path: Path) -> None:
    still = ("--learning-rate", "1e-30", "--decisions", "64", "--exchange-hidden", "8")
    run(tmp_path / "suits", "--decisions", "64", "--exchange-hidden", "8")
    source = str(tmp_path / "suits" / "policy.safetensors")
    assert run(tmp_path / "tricks", "--start-from", source, "--reading", "tricks", *still) == 0
    batch, rng = PiquetBatch(64, seed=5, dtype="int8", skip_forced=True), np.random.default_rng(1)
    policies = [PolicyAgent(path=tmp_path / name / "policy.safetensors") for name in ("suits", "tricks")]
    critics = [Critic(path=tmp_path / name / "critic.safetensors") for name in ("suits", "tricks")]
    for _ in range(40):
        seen, masks = batch.buffers.observation, batch.buffers.action_mask
        mine, theirs = (policy.probabilities(seen, masks) for policy in policies)
        np.testing.assert_allclose(mine, theirs, atol=1e-5)
        values = [critic.values(batch.states(np.arange(64))) for critic in critics]
        np.testing.assert_allclose(*values, atol=1e-4)
        batch.step((rng.random(masks.shape) * masks).argmax(axis=1))
    assert policies[1].layers[""][0][0].shape[1] > policies[0].layers[""][0][0].shape[1]


def test_a_run_goes_on_that_knows_nothing_of_newer_options(tmp_path: Path) -> None:
    run(tmp_path / "run", "--decisions", "64")
    path = tmp_path / "run" / "config.json"
    newer = {"pool", "pool_every", "pool_share", "belief_weight", "average", "inside"}
    path.write_text(
        json.dumps({name: value for name, value in json.loads(path.read_text()).items() if name not in newer})
    )
    content = checkpoint(tmp_path / "run")
    del content["pool"]
    torch.save(content, tmp_path / "run" / "checkpoint.pt")
    assert run(tmp_path / "run", "--decisions", "128", "--resume") == 0
    assert checkpoint(tmp_path / "run")["decisions"] == 128


def test_the_belief_is_logged_beside_the_prior(tmp_path: Path) -> None:
    run(tmp_path / "run", "--decisions", "128", "--belief-weight", "0.5", "--pool", "2", "--pool-every", "64")
    last = read_rows(tmp_path / "run" / "progress.csv")[-1]
    assert 0 < float(last["belief/cross_entropy"]) < 1
    assert 0 < float(last["belief/prior_cross_entropy"]) <= 0.6932
    assert 0 <= float(last["belief/found"]) <= 1
    assert 0 < float(last["belief/prior_found"]) < 1
    assert last["train/snapshots"] == "1"
    run(tmp_path / "none", "--decisions", "128")
    assert not [name for name in read_rows(tmp_path / "none" / "progress.csv")[-1] if "belief" in name]


def test_another_seed_learns_otherwise(tmp_path: Path) -> None:
    run(tmp_path / "one", "--decisions", "64")
    run(tmp_path / "two", "--decisions", "64", "--seed", "2")
    assert flatten(checkpoint(tmp_path / "one")["policy"]) != flatten(checkpoint(tmp_path / "two")["policy"])


def test_the_policy_file_says_what_the_network_says(tmp_path: Path) -> None:
    from agents.learned.objective import Objective
    from agents.learned.parties import SelfPlayParties
    from agents.learned.policy import PolicyAgent
    from agents.learned.schedules import Schedules
    from agents.learned.self_play import build_model

    run(tmp_path / "run", "--decisions", "192", "--precision", "float32", "--learning-rate", "0.01")
    parties = SelfPlayParties(64, "rubicon", Objective(), seed=3)
    options = {name: getattr(train.Config(), name) for name in train.BUILD_OPTIONS}
    options |= {"hidden": 16, "precision": "float32"}
    model = build_model(parties, Schedules(1e-3, 0.05, 1), **options)
    content = checkpoint(tmp_path / "run")
    model.policy.load_state_dict(content["policy"])
    rows, masks = parties.reset(), parties.action_masks()
    expected, _ = model.predict(rows, action_masks=masks, deterministic=True)
    agent = PolicyAgent(path=tmp_path / "run" / "policy.safetensors", greedy=True)
    agent.reset(1)
    played = agent.act_batch(parties.batch.buffers.observation, masks, np.random.default_rng(1))
    assert (played == expected).mean() > 0.98  # the additions have another order, so a tie may fall otherwise
    tensors = safetensors.load_file(tmp_path / "run" / "policy.safetensors")
    assert not [name for name in tensors if not name.startswith("layer")]
    assert tensors["layer0.weight"].shape == (16, parties.reading.num_own)


def test_an_exploiter_meets_its_agent_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--exploit", "greedy", "--strength-every", "64", "--strength-parties", "2", "--parties", "2")
    assert run(tmp_path / "run", "--decisions", "64", *options) == 0
    assert {line["against"] for line in read_rows(tmp_path / "run" / "strength.csv")} == {"greedy"}
    matches = json.loads((tmp_path / "run" / "evaluation.json").read_text())["matches"]
    assert [match["b"] for match in matches] == ["greedy"]


def test_a_run_begins_with_the_networks_of_another(tmp_path: Path) -> None:
    """From a checkpoint with both networks, from a policy with a critic beside it, or from the policy alone."""
    run(tmp_path / "first", "--decisions", "64", "--learning-rate", "0.01")
    first = checkpoint(tmp_path / "first")["policy"]
    still = ("--learning-rate", "1e-30", "--seed", "2", "--decisions", "64")
    sources = [("checkpoint.pt", {"actor", "critic"}), ("policy.safetensors", {"actor", "critic"})]
    for source, parts in [*sources, ("policy.safetensors", {"actor"})]:
        folder = tmp_path / f"{source}-{len(parts)}"
        if len(parts) == 1:
            (tmp_path / "first" / "critic.safetensors").unlink()
        assert run(folder, "--start-from", str(tmp_path / "first" / source), *still) == 0
        weights = checkpoint(folder)["policy"]
        same = {name.partition(".")[0] for name in first if torch.equal(first[name], weights[name])}
        assert same == parts


def test_networks_that_do_not_fit_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(tmp_path / "first", "--decisions", "64")
    capsys.readouterr()
    for source in ("checkpoint.pt", "policy.safetensors"):
        assert run(tmp_path / "next", "--start-from", str(tmp_path / "first" / source), "--hidden", "24") == 2
        assert "this run" in one_line(capsys)
        assert run(tmp_path / "next", "--start-from", str(tmp_path / "first" / source), "--reading", "plain") == 2
        assert "this run" in one_line(capsys)
        assert run(tmp_path / "next", "--start-from", str(tmp_path / "first" / source), "--rules", "german") == 2
        assert "was trained for the rules" in one_line(capsys)
    packaged = str(ROOT / "agents" / "data" / "pretrained" / "policy.safetensors")
    assert run(tmp_path / "next", "--start-from", packaged, "--hidden", "256") == 2
    assert "add --exchange-hidden 256" in one_line(capsys)
    assert run(tmp_path / "next", "--start-from", str(tmp_path / "nothing.safetensors")) == 2
    assert "there is no policy file" in one_line(capsys)
    assert not (tmp_path / "next").exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--teacher", "nobody"), "unknown agent 'nobody'"),
        (("--opponents", "lbr:against=greedy"), "does not decide in batches"),
        (("--exploit", "greedy", "--opponents", "random"), "--exploit names the only opponent"),
        (("--start-from", "x.pt", "--teacher", "greedy"), "add --lessons 0"),
        (("--exchange-lessons", "9", "--teacher", "greedy"), "--exchange-hidden for a network"),
        (("--reward", "deal_points@v1"), "unknown reward 'deal_points@v1'"),
        (("--reading", "braille"), "unknown reading 'braille'"),
        (("--opponent-share", "2"), "must lie between 0 and 1"),
        (("--pool", "-1"), "--pool must not be negative"),
        (("--pool", "2", "--exploit", "greedy"), "--pool cannot put snapshots in its place"),
        (("--pool", "2", "--opponents", "greedy", "--pool-share", "0.8"), "together must not be more than 1"),
    ],
)
def test_company_that_cannot_be_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], words: str
) -> None:
    assert run(tmp_path / "run", "--decisions", "64", *options) == 2
    assert words in one_line(capsys)
    assert not (tmp_path / "run").exists()


def one_line(capsys: pytest.CaptureFixture[str]) -> str:
    lines = capsys.readouterr().err.strip().splitlines()
    assert len(lines) == 1
    return lines[0]


def test_a_preset_gives_defaults_that_options_overrule() -> None:
    config = train.parse_arguments(["--preset", "hour", "--lessons", "7"])
    assert (config.minutes, config.teacher, config.lessons) == (60, "heuristic", 7)
    assert train.parse_arguments([]) == train.Config()
    with pytest.raises(ValueError, match="unknown preset 'year'; it is one of first, hour, night"):
        train.parse_arguments(["--preset", "year"])


def test_the_run_records_what_it_was(tmp_path: Path) -> None:
    run(tmp_path / "run", "--decisions", "64", "--rules", "rubicon sinking=none")
    config = json.loads((tmp_path / "run" / "config.json").read_text())
    assert config["rules"] == "rubicon sinking=none"
    assert set(config["versions"]) >= {"piquet-env", "numpy", "numba", "torch", "sb3-contrib"}


def test_an_interrupt_keeps_what_was_learnt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    show = train.Budget.show

    def interrupt(budget: train.Budget, strength: str) -> None:
        show(budget, strength)
        if budget.model.num_timesteps >= 128:
            raise KeyboardInterrupt

    monkeypatch.setattr(train.Budget, "show", interrupt)
    assert run(tmp_path / "run", "--decisions", "1000") == 130
    assert checkpoint(tmp_path / "run")["decisions"] == 128
    assert (tmp_path / "run" / "policy.safetensors").is_file()


def test_an_interrupt_inside_an_update_keeps_the_last_whole_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from agents.learned.self_play import SelfPlayPPO

    whole = SelfPlayPPO._actor_loss
    calls = itertools.count()

    def interrupt(model: SelfPlayPPO, *arguments: object) -> torch.Tensor:
        if next(calls) == 9:  # two minibatches an epoch, four an update: the second of the third
            raise KeyboardInterrupt
        return whole(model, *arguments)

    monkeypatch.setattr(SelfPlayPPO, "_actor_loss", interrupt)
    assert run(tmp_path / "cut", "--decisions", "256") == 130
    monkeypatch.setattr(SelfPlayPPO, "_actor_loss", whole)
    assert run(tmp_path / "whole", "--decisions", "128") == 0
    assert flatten(checkpoint(tmp_path / "cut")) == flatten(checkpoint(tmp_path / "whole"))


@pytest.mark.slow
def test_a_killed_run_goes_on_as_if_it_had_not_been(tmp_path: Path) -> None:
    pool = ["--pool", "2", "--pool-every", "128"]
    options = [*SMALL, *pool, "--run-dir", str(tmp_path / "killed"), "--decisions", "40000", "--keep-every", "128"]
    running = subprocess.Popen([sys.executable, "train.py", *options], cwd=ROOT, stderr=subprocess.DEVNULL)
    try:
        wait_for((tmp_path / "killed" / "policies").is_dir, running)
        time.sleep(np.random.default_rng().uniform(0, 0.5))
    finally:
        running.kill()
        running.wait()
    reached = checkpoint(tmp_path / "killed")["decisions"]
    target = str(reached + 128)
    assert run(tmp_path / "killed", "--resume", "--decisions", target) == 0
    assert run(tmp_path / "whole", *pool, "--decisions", target) == 0
    killed, whole = checkpoint(tmp_path / "killed"), checkpoint(tmp_path / "whole")
    assert flatten(killed) == flatten(whole)
    lines = [read_rows(tmp_path / name / "progress.csv") for name in ("killed", "whole")]
    assert [line["decisions"] for line in lines[0]] == [line["decisions"] for line in lines[1]]
    assert [line["play/entropy"] for line in lines[0]] == [line["play/entropy"] for line in lines[1]]


def wait_for(condition: Callable[[], bool], running: subprocess.Popen) -> None:
    deadline = time.monotonic() + 120
    while not condition():
        assert running.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_run_writes_its_figures_and_draws_its_curves(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    measured = ["--strength-every", "128", "--strength-parties", "2", "--keep-every", "128"]
    assert run(tmp_path / "run", "--decisions", "192", *measured) == 0
    assert run(tmp_path / "run", "--decisions", "320", "--resume", *measured) == 0
    progress, strength = (read_rows(tmp_path / "run" / f"{name}.csv") for name in ("progress", "strength"))
    assert [line["decisions"] for line in progress] == ["64", "128", "192", "256", "320"]
    for phase in ("exchange", "dialogue", "play"):
        assert 0 < float(progress[-1][f"{phase}/entropy"]) <= 1
        for name in ("clip_fraction", "approx_kl", "explained_variance"):
            assert progress[-1][f"{phase}/{name}"]
    noted = [(line["decisions"], line["against"]) for line in strength]
    assert noted == [(decisions, bot) for decisions in ("128", "256") for bot in train.MEASURED]
    assert -600 < float(strength[0]["settlement"]) < 600
    assert (tmp_path / "run" / "curves.png").read_bytes().startswith(b"\x89PNG")
    assert len(list((tmp_path / "run" / "policies").iterdir())) == 1  # both kept at 0 million decisions


def test_lines_behind_the_checkpoint_are_dropped(tmp_path: Path) -> None:
    run(tmp_path / "run", "--decisions", "128")
    path = tmp_path / "run" / "progress.csv"
    lines = path.read_text().splitlines()
    cut_short = lines[-1].replace("128,", "192,", 1)
    path.write_text("\n".join([*lines, cut_short, cut_short.replace("192,", "256,", 1)[:40]]))
    run(tmp_path / "run", "--decisions", "192", "--resume")
    assert [line["decisions"] for line in read_rows(path)] == ["64", "128", "192"]
    assert path.read_text().splitlines()[:3] == lines


def test_tensorboard_is_written_where_asked_for(tmp_path: Path) -> None:
    pytest.importorskip("tensorboard")
    run(tmp_path / "run", "--decisions", "64", "--tensorboard")
    assert list((tmp_path / "run" / "tensorboard").iterdir())


def test_a_full_disk_leaves_the_last_checkpoint(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run(tmp_path / "run", "--decisions", "64")
    before = (tmp_path / "run" / "checkpoint.pt").read_bytes()

    def refuse(path: Path, content: bytes) -> None:
        if path.name == "checkpoint.pt":
            raise OSError(28, "No space left on device")
        write_atomically(path, content)

    from agents import files

    write_atomically = files.write_atomically
    monkeypatch.setattr(files, "write_atomically", refuse)
    assert run(tmp_path / "run", "--decisions", "128", "--resume") == 1
    assert "cannot write the run: [Errno 28] No space left on device" in capsys.readouterr().err
    assert (tmp_path / "run" / "checkpoint.pt").read_bytes() == before


@pytest.mark.slow
def test_a_hundred_thousand_decisions_beat_random(tmp_path: Path) -> None:
    from agents.arena import play_match

    options = ["--envs", "256", "--rollout", "8192", "--minibatch", "1024", "--epochs", "4", "--hidden", "64"]
    assert run(tmp_path / "run", *options, "--decisions", "100000", "--precision", "float32") == 0
    match = play_match(f"policy:{tmp_path / 'run' / 'policy.safetensors'}", "random", parties=200)
    assert match.settlement.low is not None
    assert match.settlement.low > 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--reward", "money"], "unknown reward 'money'"),
        (["--rules", "whist"], "unknown rules preset 'whist'"),
        (["--reward", "win", "--equity-from", "5"], "only the reward 'deal_points' can turn into equity"),
        (["--precision", "half"], "unknown precision 'half'"),
        (["--envs", "0"], "--envs must be at least 1"),
        (["--discount", "2"], "--discount must lie between 0 and 1"),
        (["--minibatch", "128"], "--rollout must be at least"),
        (["--reward", "equity", "--rules", "au_cent games=99"], "equity"),
        (["--resume"], "there is no run in"),
        (["--decisions", "0", "--minutes", "0"], "--minutes must be positive"),
    ],
)
def test_a_wrong_option_gets_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    assert run(tmp_path / "run", "--decisions", "64", *arguments) == 2
    error = capsys.readouterr().err.strip()
    assert error.startswith("train.py: ")
    assert words in error
    assert "\n" not in error
    assert not (tmp_path / "run" / "checkpoint.pt").exists()


def test_a_folder_with_a_run_is_not_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    assert run(tmp_path, "--decisions", "64") == 2
    assert "is not empty" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


@pytest.mark.parametrize("damage", ["cut", "text", "foreign"])
def test_a_damaged_checkpoint_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str], damage: str) -> None:
    run(tmp_path / "run", "--decisions", "64")
    path = tmp_path / "run" / "checkpoint.pt"
    if damage == "cut":
        path.write_bytes(path.read_bytes()[:1000])
    elif damage == "text":
        path.write_text("no checkpoint")
    else:
        torch.save({"weights": torch.zeros(3)}, path)
    before = path.read_bytes()
    capsys.readouterr()
    assert run(tmp_path / "run", "--decisions", "128", "--resume") == 2
    error = capsys.readouterr().err.strip().splitlines()
    assert len(error) == 1
    assert "checkpoint" in error[0]
    assert path.read_bytes() == before


def test_a_checkpoint_of_another_run_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(tmp_path / "run", "--decisions", "64")
    assert run(tmp_path / "run", "--decisions", "128", "--resume", "--rules", "german", "--seed", "5") == 2
    assert "has seed=1, rules=rubicon; resume it without these options" in capsys.readouterr().err
    config = tmp_path / "run" / "config.json"
    config.write_text(config.read_text().replace('"rubicon"', '"german"'))
    assert run(tmp_path / "run", "--decisions", "128", "--resume") == 2
    assert "the checkpoint was made with rules=rubicon, this run has german" in capsys.readouterr().err


def test_a_resumed_run_keeps_the_precision_that_auto_took(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for taken, more in (("bfloat16", ("--decisions", "64")), ("float32", ("--decisions", "128", "--resume"))):
        monkeypatch.setattr("agents.learned.precision.best_precision", lambda rows, units, found=taken: found)
        assert run(tmp_path / "run", *more) == 0
        assert json.loads((tmp_path / "run" / "config.json").read_text())["precision"] == "bfloat16"
        assert checkpoint(tmp_path / "run")["about"]["precision"] == "bfloat16"


def test_a_resumed_run_takes_over_its_options(tmp_path: Path) -> None:
    run(tmp_path / "run", "--decisions", "64", "--learning-rate", "0.01")
    assert train.main(["--resume", "--run-dir", str(tmp_path / "run"), "--decisions", "128", "--parties", "0"]) == 0
    config = json.loads((tmp_path / "run" / "config.json").read_text())
    assert (config["envs"], config["hidden"], config["learning_rate"]) == (8, 16, 0.01)


def test_a_run_on_points_goes_on_with_equity(tmp_path: Path) -> None:
    run(tmp_path / "run", "--decisions", "64")
    assert run(tmp_path / "run", "--decisions", "192", "--resume", "--equity-from", "64", "--equity-over", "64") == 0
    assert [line["train/equity_weight"] for line in read_rows(tmp_path / "run" / "progress.csv")] == ["0", "0", "1"]
