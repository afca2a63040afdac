"""Train a first agent, and play it against the bots.

    python train.py                          about three minutes, then the table
    python train.py --minutes 30 --run-dir runs/mine
    python train.py --minutes 30 --run-dir runs/mine --resume

The learner is sb3-contrib's MaskablePPO as it is. It sits in one seat of many parties at once, a bot in the other,
and is paid the points of each deal. The run's folder holds `config.json`, `checkpoint.pt` (to resume),
`policy.safetensors` (to play: `python evaluate.py policy:runs/mine/policy.safetensors greedy`), `evaluation.json`, and
for every start a `log-…` with SB3's `progress.csv`. A resumed run has the options of the run; `--minutes` are further
minutes, `--decisions` is the total.
"""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import json
import signal
import sys
import threading
import time
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sb3_contrib import MaskablePPO


@dataclass
class Config:
    """The options of a run; each is an option of the command line, and all are saved beside the run."""

    minutes: float = 3.0
    """time to train, start-up included; ignored if --decisions is given"""
    decisions: int = 0
    """train up to this many decisions of the learner in all, instead of for some minutes"""
    run_dir: str = ""
    """folder of the run; by default a new one in runs/"""
    resume: bool = False
    """go on with the run in --run-dir"""
    seed: int = 1
    """seed of the network, the decks and the sampling"""
    rules: str = "rubicon"
    """preset of the rules, or a text such as 'rubicon sinking=partial'"""
    reward: str = "deal_points"
    """settlement, win, deal_points or equity"""
    opponent: str = "greedy"
    """who sits in the other seat: an agent's spec"""
    envs: int = 256
    """parties played side by side"""
    rollout: int = 8_192
    """decisions between two updates"""
    minibatch: int = 1024
    """decisions in a minibatch"""
    epochs: int = 2
    """passes over a rollout"""
    learning_rate: float = 1e-3
    """Adam's step"""
    entropy: float = 0.02
    """weight of the policy's entropy"""
    clip: float = 0.2
    """PPO's clip range"""
    discount: float = 0.98
    """discount of later rewards; an own deal is about sixteen decisions"""
    trace: float = 0.95
    """lambda of the generalised advantage"""
    hidden: int = 256
    """units in a hidden layer"""
    layers: int = 2
    """hidden layers, of the policy and of the value each"""
    threads: int = 2
    """threads of PyTorch; one makes runs repeatable bit for bit"""
    parties: int = 1000
    """duplicate parties against each bot at the end; 0 for none"""


# What a resumed run must share with the one that made the checkpoint, and what else it takes over if nothing is said.
FIXED = (
    *("seed", "rules", "reward", "opponent", "envs", "rollout"),
    *("minibatch", "epochs", "hidden", "layers", "discount", "trace"),
)
TAKEN_OVER = (*FIXED, "learning_rate", "entropy", "clip", "threads")
REWARD_SCALE = {"win": 1.0, "deal_points": 0.01, "settlement": 0.01, "equity": 0.01}  # brings returns to the order of 1
CHECKPOINT_SECONDS = 30


def main(argv: list[str] | None = None) -> int:
    """Train, keep, evaluate; return the exit code."""
    started = time.perf_counter()
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # a polite kill ends in order, as Ctrl-C does
    try:
        return run(parse_arguments(argv), started)
    except KeyboardInterrupt:
        print("train.py: interrupted", file=sys.stderr)
        return 130
    except ValueError as error:  # rules, options, agents, checkpoints: one sentence each
        print(f"train.py: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"train.py: cannot write the run: {error}", file=sys.stderr)
        return 1


def run(config: Config, started: float) -> int:
    """Set up the run, train within the budget, write what was learnt, print the table."""
    check_config(config)
    import torch
    from stable_baselines3.common.logger import configure

    from agents.learned.masked_ppo import (
        build_model,
        capture,
        policy_weights,
        read_checkpoint,
        resume,
        write_checkpoint,
    )
    from agents.learned.policy import policy_metadata, save_policy
    from piquet_env import Rules
    from piquet_env.rewards import split_reward
    from piquet_env.sb3_vec_env import PiquetVecEnv

    torch.set_num_threads(config.threads)
    rules = Rules.of(config.rules)
    about = {name: str(getattr(config, name)) for name in FIXED} | {"rules_hash": rules.hash}
    folder = run_folder(config)
    checkpoint = folder / "checkpoint.pt"
    content = read_checkpoint(checkpoint) if config.resume else None

    parties = PiquetVecEnv(
        config.envs,
        config.opponent,
        rules,
        reward=config.reward,
        reward_scale=REWARD_SCALE[split_reward(config.reward)[0]],
        seed=TRAINING_SEED + config.seed * 1_000_003,
    )
    model = build_model(
        parties,
        **{name: getattr(config, name) for name in BUILD_OPTIONS},
    )
    if content is not None:
        resume(model, parties, content, about)
    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / "config.json", dataclasses.asdict(config) | {"rules_hash": rules.hash} | versions())
    policy, metadata = folder / "policy.safetensors", policy_metadata(rules, "relu", config.layers + 1)
    first = model.num_timesteps
    model.set_logger(configure(str(folder / f"log-{first}"), ["csv"]))

    budget = Budget(config, started, model)
    last_written = time.perf_counter()
    kept = capture(model, parties, about) if content is not None else None
    weights = policy_weights(model)
    interrupted = False
    try:
        while not budget.is_spent():
            # One rollout and its update; what is kept between two of them is whole.
            model.learn(model.n_steps * config.envs, callback=None, reset_num_timesteps=model.num_timesteps == 0)
            kept, weights = capture(model, parties, about), policy_weights(model)
            budget.show()
            if time.perf_counter() - last_written > CHECKPOINT_SECONDS:
                write_checkpoint(checkpoint, kept)
                save_policy(policy, weights, metadata)
                last_written = time.perf_counter()
    except KeyboardInterrupt:
        interrupted = True
    budget.end()
    model.logger.close()
    if kept is None:
        print("train.py: interrupted before the first update; nothing was learnt", file=sys.stderr)
        return 130
    write_checkpoint(checkpoint, kept)
    save_policy(policy, weights, metadata)
    seconds = time.perf_counter() - started
    done = model.num_timesteps
    print(f"{done:,} decisions ({done - first:,} now, in {seconds:.0f} s) · policy: {policy}")
    if interrupted:
        return 130
    return evaluate(config, policy, folder) if config.parties else 0


TRAINING_SEED = 1 << 40  # decks of training, apart from those of low seeds and of evaluation
BUILD_OPTIONS = (
    *("seed", "hidden", "layers", "learning_rate", "rollout", "minibatch"),
    *("epochs", "entropy", "clip", "discount", "trace"),
)


class Budget:
    """How long to train, and the line that says how far it has come."""

    def __init__(self, config: Config, started: float, model: MaskablePPO) -> None:
        self.config, self.started, self.model = config, started, model
        self.first, self.begun = model.num_timesteps, time.perf_counter()

    def share(self) -> float:
        """Return the share of the budget that is spent."""
        if self.config.decisions:
            return self.model.num_timesteps / self.config.decisions
        return (time.perf_counter() - self.started) / (60 * self.config.minutes)

    def is_spent(self) -> bool:
        """Return whether the budget is spent; a new run makes one rollout in any case."""
        return self.share() >= 1 and self.model.num_timesteps > 0

    def show(self) -> None:
        """Renew the line of progress on standard error."""
        elapsed = time.perf_counter() - self.begun
        done, share = self.model.num_timesteps, min(self.share(), 1.0)
        rate = (done - self.first) / elapsed
        left = (
            (self.config.decisions - done) / rate if self.config.decisions else 60 * self.config.minutes * (1 - share)
        )
        results = [episode["r"] for episode in self.model.ep_info_buffer or ()]
        mean = f"{sum(results) / len(results):+.1f}" if results else "not known yet"
        line = (
            f"\r[{'#' * int(30 * share):<30}] {share:4.0%}  {done:,} decisions, {rate:,.0f}/s  "
            f"{self.config.reward} a partie {mean}  {max(left, 0):.0f} s left  "
        )
        print(line, end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        """Leave the line."""
        print(file=sys.stderr)


def evaluate(config: Config, policy: Path, folder: Path) -> int:
    """Play duplicate parties against the bots, print the table, write the figures."""
    from agents.arena import MatchInterrupted, play_match
    from agents.report import format_table, results
    from piquet_env import Rules

    rules = Rules.of(config.rules)
    seed = 1
    matches, complete = [], True
    try:
        for bot in ("random", "greedy"):
            matches.append(play_match(f"policy:{policy}", bot, rules, parties=config.parties, seed=seed))
    except MatchInterrupted as interrupt:
        matches += [interrupt.result] if interrupt.result is not None else []
        complete = False
    if matches:
        print(format_table(matches))
        write_json(folder / "evaluation.json", results(matches, rules, seed, config.parties, complete=complete))
    return 0 if complete else 130


# -- the command line -------------------------------------------------------------------------------------------------


def parse_arguments(argv: list[str] | None) -> Config:
    """Return the options; argparse ends the program with one line for a wrong one."""
    parser = argparse.ArgumentParser(prog="train.py", description="Train a first agent, and play it against the bots.")
    meanings = _field_docs()
    for field in dataclasses.fields(Config):
        flag = "--" + field.name.replace("_", "-")
        kind, meaning = type(field.default), meanings[field.name]
        if kind is bool:
            parser.add_argument(flag, action="store_true", default=argparse.SUPPRESS, help=meaning)
        else:
            parser.add_argument(flag, type=kind, default=argparse.SUPPRESS, help=f"{meaning} ({field.default})")
    parser.usage = "train.py [--minutes M | --decisions N] [--run-dir DIR] [--resume] [--seed S] [--rules NAME] ..."
    given = vars(parser.parse_args(argv))
    config = Config(**given)
    return resumed_config(config, given) if config.resume and config.run_dir else config


def resumed_config(config: Config, given: dict[str, Any]) -> Config:
    """Return the options of a run that goes on: its own where nothing else is given; ValueError for a contradiction."""
    path = Path(config.run_dir) / "config.json"
    if not path.is_file():
        raise ValueError(f"there is no run in {config.run_dir}: it holds no config.json")
    try:
        saved = json.loads(path.read_text(encoding="utf-8"))
        taken = {name: type(getattr(config, name))(saved[name]) for name in TAKEN_OVER}
    except (ValueError, KeyError, TypeError, OSError) as error:
        raise ValueError(f"{path} cannot be read: {error}") from None
    contradictions = [f"{name}={taken[name]}" for name in FIXED if name in given and given[name] != taken[name]]
    if contradictions:
        raise ValueError(
            f"the run in {config.run_dir} has {', '.join(contradictions)}; resume it without these options"
        )
    return dataclasses.replace(config, **{name: value for name, value in taken.items() if name not in given})


def _field_docs() -> dict[str, str]:
    """Return the sentence under each field of Config, its one home."""
    import ast

    tree = ast.parse(Path(__file__).read_text(encoding="utf-8"))
    body = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Config").body
    docs = {}
    for field, text in itertools.pairwise(body):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(text, ast.Expr):
            docs[field.target.id] = ast.literal_eval(text.value)
    return docs


def check_config(config: Config) -> None:
    """Raise ValueError for options that cannot be."""
    from piquet_env.rewards import split_reward

    split_reward(config.reward)
    for name in ("envs", "rollout", "minibatch", "epochs", "hidden", "layers", "threads"):
        if getattr(config, name) < 1:
            raise ValueError(f"--{name} must be at least 1, not {getattr(config, name)}")
    if not config.decisions and not config.minutes > 0:
        raise ValueError("--minutes must be positive, or --decisions given")
    for name in ("minutes", "decisions", "parties", "entropy", "seed"):
        if getattr(config, name) < 0:
            raise ValueError(f"--{name} must not be negative, but is {getattr(config, name)}")
    for name in ("learning_rate", "clip"):
        if not getattr(config, name) > 0:
            raise ValueError(f"--{name.replace('_', '-')} must be positive, but is {getattr(config, name)}")
    for name in ("discount", "trace"):
        if not 0 <= getattr(config, name) <= 1:
            raise ValueError(f"--{name} must lie between 0 and 1, but is {getattr(config, name)}")
    if config.rollout < config.envs or config.minibatch > config.rollout:
        raise ValueError("--rollout must be at least --envs and at least --minibatch")
    if config.resume and not config.run_dir:
        raise ValueError("--resume needs --run-dir, the folder of the run to go on with")


def run_folder(config: Config) -> Path:
    """Return the folder of the run; a folder that holds a run is only gone on with, never overwritten."""
    if not config.run_dir:
        return Path("runs") / datetime.now().astimezone().strftime("%Y%m%d-%H%M%S")
    folder = Path(config.run_dir)
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"--run-dir {folder} is a file")
    begun = folder.is_dir() and any(folder.iterdir())
    only_begun = begun and (folder / "config.json").is_file() and not (folder / "checkpoint.pt").is_file()
    if not config.resume and begun and not only_begun:  # a run stopped before its first checkpoint begins anew
        raise ValueError(f"--run-dir {folder} is not empty; go on with its run by --resume, or name another folder")
    return folder


def versions() -> dict[str, Any]:
    """Return the versions that a result depends on."""
    from importlib.metadata import version

    return {"versions": {name: version(name) for name in ("piquet-env", "numpy", "numba", "torch", "sb3-contrib")}}


def write_json(path: Path, content: Any) -> None:
    """Write a JSON file whole or not at all."""
    from agents.files import write_atomically

    write_atomically(path, (json.dumps(content, indent=2) + "\n").encode())


if __name__ == "__main__":
    sys.exit(main())
