"""train.py: a resumed run goes on as the uninterrupted one, bad input gets one line, and nothing is overwritten."""

import json
from pathlib import Path

import numpy as np
import pytest

import train

torch = pytest.importorskip("torch")
pytest.importorskip("sb3_contrib")
safetensors = pytest.importorskip("safetensors.numpy")

SMALL = [
    *("--envs", "8", "--rollout", "64", "--minibatch", "32", "--epochs", "2", "--hidden", "16"),
    *("--threads", "1", "--opponent", "random", "--parties", "0"),
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


def test_a_resumed_run_continues_bit_for_bit(tmp_path: Path) -> None:
    assert run(tmp_path / "whole", "--decisions", "256") == 0
    assert run(tmp_path / "parts", "--decisions", "128") == 0
    assert run(tmp_path / "parts", "--decisions", "256", "--resume") == 0
    whole, parts = checkpoint(tmp_path / "whole"), checkpoint(tmp_path / "parts")
    assert whole["decisions"] == parts["decisions"] == 256
    assert flatten(whole) == flatten(parts)
    files = [safetensors.load_file(tmp_path / name / "policy.safetensors") for name in ("whole", "parts")]
    assert all(np.array_equal(files[0][name], files[1][name]) for name in files[0])


def test_another_seed_learns_otherwise(tmp_path: Path) -> None:
    run(tmp_path / "one", "--decisions", "64")
    run(tmp_path / "two", "--decisions", "64", "--seed", "2")
    assert flatten(checkpoint(tmp_path / "one")["policy"]) != flatten(checkpoint(tmp_path / "two")["policy"])


def test_the_policy_file_says_what_the_network_says(tmp_path: Path) -> None:
    from sb3_contrib import MaskablePPO

    from agents.learned.masked_ppo import policy_weights
    from agents.learned.policy import PolicyAgent
    from piquet_env.sb3_vec_env import PiquetVecEnv

    run(tmp_path / "run", "--decisions", "64")
    parties = PiquetVecEnv(16, "random", seed=3)
    model = MaskablePPO(
        "MlpPolicy",
        parties,
        device="cpu",
        policy_kwargs={"net_arch": {"pi": [16, 16], "vf": [16, 16]}, "activation_fn": torch.nn.ReLU},
    )
    model.policy.load_state_dict(checkpoint(tmp_path / "run")["policy"])
    observations, masks = parties.reset(), parties.action_masks()
    expected, _ = model.predict(observations, action_masks=masks, deterministic=True)
    agent = PolicyAgent(path=tmp_path / "run" / "policy.safetensors", greedy=True)
    agent.reset(1)
    played = agent.act_batch(observations, masks.astype(np.int8), np.random.default_rng(1))
    assert played.tolist() == expected.tolist()
    assert policy_weights(model)["layer2.bias"].shape == (140,)


def test_the_run_records_what_it_was(tmp_path: Path) -> None:
    run(tmp_path / "run", "--decisions", "64", "--rules", "rubicon sinking=none")
    config = json.loads((tmp_path / "run" / "config.json").read_text())
    assert config["rules"] == "rubicon sinking=none"
    assert set(config["versions"]) >= {"piquet-env", "numpy", "numba", "torch", "sb3-contrib"}


def test_an_interrupt_keeps_what_was_learnt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    show = train.Budget.show

    def interrupt(budget: train.Budget) -> None:
        show(budget)
        if budget.model.num_timesteps >= 128:
            raise KeyboardInterrupt

    monkeypatch.setattr(train.Budget, "show", interrupt)
    assert run(tmp_path / "run", "--decisions", "1000") == 130
    assert checkpoint(tmp_path / "run")["decisions"] == 128
    assert (tmp_path / "run" / "policy.safetensors").is_file()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--reward", "money"], "unknown reward 'money'"),
        (["--rules", "whist"], "unknown rules preset 'whist'"),
        (["--opponent", "nobody"], "nobody"),
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


def test_a_resumed_run_takes_over_its_options(tmp_path: Path) -> None:
    run(tmp_path / "run", "--decisions", "64", "--learning-rate", "0.01")
    assert train.main(["--resume", "--run-dir", str(tmp_path / "run"), "--decisions", "128", "--parties", "0"]) == 0
    config = json.loads((tmp_path / "run" / "config.json").read_text())
    assert (config["envs"], config["hidden"], config["learning_rate"]) == (8, 16, 0.01)
