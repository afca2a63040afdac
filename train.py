"""Train an agent by playing against itself, and play it against the bots.

    python train.py                          about three minutes, then the table
    python train.py --minutes 30 --run-dir runs/mine
    python train.py --minutes 30 --run-dir runs/mine --resume
    python train.py --preset hour           an hour that begins with lessons from a rule bot
    python train.py --exploit greedy        learn what can be won from one agent

One policy moves for both seats of many parties at once and learns from every decision (docs/training.md; the parts are
in agents/learned/). The run's folder holds `config.json`, `checkpoint.pt` (to resume), `policy.safetensors` (to play:
`python evaluate.py policy:runs/mine/policy.safetensors greedy`), earlier policies in `policies/`, `progress.csv` and
`strength.csv` with the figures of the run, `curves.png`, and `evaluation.json`. A resumed run has the options of the
run; `--minutes` are further minutes, `--decisions` is the total. Ctrl-C ends in order.
"""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import json
import os
import signal
import sys
import threading
import time
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agents.learned.self_play import SelfPlayPPO
    from piquet_env import Rules


@dataclass
class Config:
    """The options of a run; each is an option of the command line, and all are saved beside the run."""

    preset: str = "first"
    """first, hour or night: other defaults for some options, for runs of that length"""
    minutes: float = 3.0
    """time to train, start-up and --exchange-trials included, the last match not; ignored if --decisions is given"""
    decisions: int = 0
    """train up to so many decisions in all, rounded up to whole rollouts, instead of for some minutes"""
    run_dir: str = ""
    """folder of the run; by default a new one in runs/"""
    resume: bool = False
    """go on with the run in --run-dir"""
    seed: int = 1
    """seed of the networks, the decks and the sampling"""
    rules: str = "rubicon"
    """preset of the rules, or a text such as 'rubicon sinking=partial'"""
    reward: str = "deal_points"
    """deal_points, equity, settlement or win"""
    equity_from: int = 0
    """with deal_points: the decision from which on deals are paid in equity instead; 0 for never"""
    equity_over: int = 10_000_000
    """decisions over which points turn into equity"""
    teacher: str = ""
    """agent that the policy imitates before it plays itself, such as heuristic"""
    lessons: int = 3_000_000
    """with --teacher: decisions to imitate"""
    lesson_rate: float = 2e-3
    """with --teacher: Adam's step while it is imitated"""
    exchange_lessons: int = 0
    """with --teacher and --exchange-hidden: exchanges of the teacher that this network is fitted to before the run"""
    exchange_trials: int = 0
    """with --start-from: positions whose every discard is judged by the critic, to learn from before the run"""
    opponents: str = ""
    """agents, with blanks between them, that hold one seat in some of the parties"""
    opponent_share: float = 0.25
    """with --opponents: share of the parties in which one sits"""
    pool: int = 0
    """snapshots of the policy that are kept to be played against; 0 for none"""
    pool_every: int = 1_000_000
    """with --pool: decisions between two snapshots"""
    pool_share: float = 0.25
    """with --pool: share of the parties in which a snapshot holds one seat, beside those of --opponents"""
    inside: float = 0.0
    """share of the parties that begin inside a partie, half of them in the last deal near the rubicon line"""
    exploit: str = ""
    """agent to find the weaknesses of: it holds one seat in every party, and the run is measured against it alone"""
    start_from: str = ""
    """policy or checkpoint of another run whose networks a new run begins with; a critic beside a policy too"""
    critic_first: int = 0
    """decisions at the beginning in which the critic learns alone, for --start-from with a policy"""
    critic_sees: str = "all"
    """all: the critic sees all cards; own: what the policy sees"""
    belief_weight: float = 0.0
    """weight of the belief of the other's hand, which the policy then learns beside its decisions; 0 for none"""
    envs: int = 1024
    """parties played side by side"""
    rollout: int = 32_768
    """decisions between two updates"""
    minibatch: int = 2048
    """decisions in a minibatch"""
    epochs: int = 2
    """passes over a rollout"""
    learning_rate: float = 2e-3
    """Adam's step at the beginning"""
    entropy: float = 0.01
    """weight of the policy's entropy at the beginning"""
    decay: int = 40_000_000
    """decisions in which learning rate and entropy fall to 0.71, and on as 1 / sqrt(1 + decisions / decay)"""
    cooldown: float = 0.3
    """last share of --minutes in which the learning rate falls to a tenth as well; none with --decisions"""
    average: int = 0
    """decisions over which the weights of the policy that is kept and measured are averaged; 0: it has the last ones"""
    clip: float = 0.1
    """PPO's clip range"""
    discount: float = 1.0
    """discount of later rewards"""
    trace: float = 0.95
    """lambda of the generalised advantage"""
    reading: str = "suits"
    """how the networks read an observation: plain; suits, sorted and counted; tricks, and when cards were played"""
    hidden: int = 256
    """units in a hidden layer"""
    exchange_hidden: int = 0
    """units in a hidden layer of a network of its own for the exchange; 0: one network decides everything"""
    layers: int = 2
    """hidden layers, of the policy and of the critic each"""
    precision: str = "auto"
    """of the layers behind the first: float32, bfloat16, or auto for what is faster here"""
    threads: int = 0
    """threads of the learner, 1 or 2; 0 for as many as there are processors. The run is the same, bit for bit"""
    strength_every: int = 2_000_000
    """decisions between two matches of the policy against each bot; 0 for none"""
    strength_parties: int = 200
    """duplicate parties in such a match"""
    keep_every: int = 10_000_000
    """decisions between two policies kept in policies/; 0 for none"""
    tensorboard: bool = False
    """also write TensorBoard's files"""
    parties: int = 1000
    """duplicate parties against each bot at the end; 0 for none"""


_LONG = {"teacher": "heuristic", "learning_rate": 3e-4}
PRESETS: dict[str, dict[str, Any]] = {
    "first": {},
    "hour": {"minutes": 60.0, **_LONG},
    "night": {"minutes": 600.0, **_LONG},
}

# What a resumed run must share with the one that made the checkpoint, and what else it takes over if nothing is said.
FIXED = (
    *("seed", "rules", "reward", "envs", "rollout", "minibatch", "epochs"),
    *("reading", "hidden", "layers", "precision", "discount", "trace"),
)
COMPANY = (
    *("teacher", "lessons", "lesson_rate", "opponents", "opponent_share", "exploit"),
    *("pool", "pool_every", "pool_share"),
    *("critic_first", "critic_sees", "exchange_hidden", "belief_weight", "inside"),
)
HABITS = ("strength_every", "strength_parties", "keep_every", "tensorboard")
TAKEN_OVER = (
    *(*FIXED, "equity_from", "equity_over", "learning_rate", "entropy", "decay", "cooldown"),
    *("average", "clip", "threads"),
    *COMPANY,
    *HABITS,
)
BUILD_OPTIONS = (
    *("seed", "hidden", "layers", "precision", "threads"),
    *("rollout", "minibatch", "epochs", "average", "clip", "discount", "trace"),
    *("critic_first", "critic_sees", "exchange_hidden", "belief_weight"),
)
TRAINING_SEED = 1 << 40  # decks of training, apart from those of low seeds and of evaluation
NEVER = 1 << 62  # the figures are logged behind the update, not before it
BOTS = ("random", "greedy", "heuristic")
MEASURED = ("greedy", "heuristic")  # while it trains: random is soon beaten as high as can be


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

    from agents.learned.checkpoint import begin_from, read_checkpoint, resume
    from agents.learned.company import Company
    from agents.learned.curves import draw_curves
    from agents.learned.keeper import Habits, Keeper
    from agents.learned.objective import Objective
    from agents.learned.parties import SelfPlayParties
    from agents.learned.pool import Pool
    from agents.learned.precision import best_precision
    from agents.learned.schedules import Schedules
    from agents.learned.self_play import build_model
    from piquet_env import Rules

    rules = Rules.of(config.rules)
    objective = Objective(config.reward, config.equity_from, config.equity_over)
    config.threads = config.threads or min(os.cpu_count() or 1, 2)
    torch.set_num_threads(1)  # actor and critic have a thread each, and results are the same with one and two
    if config.precision == "auto":
        config.precision = best_precision(config.minibatch, config.hidden)
    folder = run_folder(config)
    content = read_checkpoint(folder / "checkpoint.pt") if config.resume else None
    about = {name: str(getattr(config, name)) for name in FIXED} | {"rules_hash": rules.hash}

    seed = TRAINING_SEED + config.seed * 1_000_003
    table: dict[str, Any] = {"reading": config.reading, "threads": config.threads, "inside": config.inside}
    parties = SelfPlayParties(config.envs, rules, objective, seed=seed, **table)
    lessons = config.lessons if config.teacher else 0
    schedules = Schedules(config.learning_rate, config.entropy, config.decay, lessons, config.lesson_rate)
    opponents, share = config.opponents.split(), config.opponent_share
    if config.exploit:
        opponents, share = [config.exploit], 1.0
    pool = Pool(config.pool, config.pool_every, rules, parties.reading) if config.pool else None
    seats: dict[str, Any] = {"opponents": opponents, "share": share, "pool": pool, "pool_share": config.pool_share}
    company = Company(config.envs, rules, teacher=config.teacher, lessons=lessons, **seats)
    model = build_model(parties, schedules, company, **{name: getattr(config, name) for name in BUILD_OPTIONS})
    if content is not None:
        resume(model, parties, content, about)
    else:
        judged_by = begin_from(model, Path(config.start_from)) if config.start_from else ""
        if config.exchange_lessons:
            give_exchange_lessons(config, model, rules)
        if config.exchange_trials:
            check_judge(config, judged_by)
            give_exchange_trials(config, model, rules)
    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / "config.json", dataclasses.asdict(config) | {"rules_hash": rules.hash} | versions())

    habits = Habits(**{name: getattr(config, name) for name in HABITS})
    keeper = Keeper(folder, model, parties, about, habits, bots_of(config, MEASURED))
    if content is not None:
        keeper.take()
    budget = Budget(config, started, model)
    interrupted = False
    try:
        while not budget.is_spent():
            # One rollout and its update; what is kept between two of them is whole.
            schedules.cooling = budget.cooling()
            new = model.num_timesteps == 0
            model.learn(model.n_steps * config.envs, log_interval=NEVER, reset_num_timesteps=new)
            keeper.take()
            keeper.note(budget.rate())
            budget.show(keeper.strength)
    except KeyboardInterrupt:
        interrupted = True
    finally:
        model.logger.close()
    budget.end()
    if keeper.checkpoint is None:
        print("train.py: interrupted before the first update; nothing was learnt", file=sys.stderr)
        return 130
    keeper.write()
    draw_curves(folder)
    seconds = time.perf_counter() - started
    done = keeper.decisions
    print(f"{done:,} decisions ({done - budget.first:,} now, in {seconds:.0f} s) · policy: {keeper.policy}")
    if interrupted:
        return 130
    return evaluate(config, keeper.policy, folder) if config.parties else 0


def give_exchange_lessons(config: Config, model: SelfPlayPPO, rules: Rules) -> None:
    """Fit the network for the exchange to what the teacher throws."""
    from agents.learned.company import batched_agent
    from agents.learned.exchange_lessons import collect_exchanges, teach_exchange

    network = model.policy.actor.exchange
    assert network is not None, "check_config has seen to it"
    teacher = batched_agent(config.teacher, rules)
    exchanges = collect_exchanges(teacher, rules, config.exchange_lessons, config.seed)
    loss = teach_exchange(network, model.policy.reading, exchanges, config.seed)
    print(f"{len(exchanges.rows):,} exchanges of {config.teacher} · {loss:.3f} nats a step", file=sys.stderr)


def give_exchange_trials(config: Config, model: SelfPlayPPO, rules: Rules) -> None:
    """Let the network that decides the exchange learn from trials of every discard."""
    from agents.learned.exchange_trials import learn_by_trials

    done = 0
    print(f"{config.exchange_trials:,} exchange trials …", file=sys.stderr, flush=True)
    for block in learn_by_trials(model.policy, rules, config.exchange_trials, config.seed):
        done += block.trials
        gains = f"{block.gain:+.3f} points a decision gained on the {block.trials:,} just learnt from"
        print(f"{done:,} exchange trials · {gains} · entropy {block.entropy:.3f} nats", file=sys.stderr)


class Budget:
    """How long to train, and the line that says how far it has come."""

    def __init__(self, config: Config, started: float, model: SelfPlayPPO) -> None:
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

    def cooling(self) -> float:
        """Return the factor on the learning rate: 1, and towards the end of some minutes down to a tenth.

        A run of so many decisions has none, so that it can be cut in two and come to the same.
        """
        if self.config.decisions or not self.config.cooldown:
            return 1.0
        left = max(1 - self.share(), 0)
        return min(1.0, 0.1 + 0.9 * left / self.config.cooldown)

    def rate(self) -> float:
        """Return the decisions a second since this start."""
        return (self.model.num_timesteps - self.first) / (time.perf_counter() - self.begun)

    def show(self, strength: str) -> None:
        """Renew the line of progress on standard error."""
        done, share = self.model.num_timesteps, min(self.share(), 1.0)
        left = (self.config.decisions - done) / self.rate() if self.config.decisions else None
        seconds = 60 * self.config.minutes * (1 - share) if left is None else left
        line = (
            f"\r[{'#' * int(30 * share):<30}] {share:4.0%}  {done:,} decisions, {self.rate():,.0f}/s  "
            f"{strength}  {max(seconds, 0):.0f} s left  "
        )
        print(line, end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        """Leave the line."""
        print(file=sys.stderr)


def bots_of(config: Config, bots: tuple[str, ...]) -> tuple[str, ...]:
    """Return whom the run is measured against."""
    return (config.exploit,) if config.exploit else bots


def evaluate(config: Config, policy: Path, folder: Path) -> int:
    """Play duplicate parties against the bots, print the table, write the figures."""
    from agents.arena import MatchInterrupted, play_match
    from agents.report import format_table, results
    from piquet_env import Rules

    rules = Rules.of(config.rules)
    seed = 1
    matches, complete = [], True
    bots = bots_of(config, BOTS)
    print(f"{config.parties} parties against {', '.join(bots)} …", file=sys.stderr, flush=True)
    try:
        for bot in bots:
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
    parser = argparse.ArgumentParser(prog="train.py", description=(__doc__ or "").partition("\n")[0])
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
    preset = given.get("preset", Config.preset)
    if preset not in PRESETS:
        raise ValueError(f"unknown preset {preset!r}; it is one of {', '.join(PRESETS)}")
    config = Config(**(PRESETS[preset] | given))
    return resumed_config(config, given) if config.resume and config.run_dir else config


def resumed_config(config: Config, given: dict[str, Any]) -> Config:
    """Return the options of a run that goes on: its own where nothing else is given; ValueError for a contradiction."""
    path = Path(config.run_dir) / "config.json"
    if not path.is_file():
        raise ValueError(f"there is no run in {config.run_dir}: it holds no config.json")
    try:
        saved = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(saved, dict):
            raise ValueError("it does not hold the options of a run")
        # An option that is younger than the run has its default, with which it changes nothing.
        taken = {name: type(getattr(config, name))(saved.get(name, getattr(Config, name))) for name in TAKEN_OVER}
    except (ValueError, KeyError, TypeError, OverflowError, OSError) as error:
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
    from agents.learned.objective import Objective
    from agents.learned.reading import READINGS

    Objective(config.reward, config.equity_from, config.equity_over)
    if config.precision not in {"auto", "float32", "bfloat16"}:
        raise ValueError(f"unknown precision {config.precision!r}; it is auto, float32 or bfloat16")
    if not config.decisions and not config.minutes > 0:
        raise ValueError("--minutes must be positive, or --decisions given")
    for names, fits, words in RANGES:
        for name in names:
            if not fits(getattr(config, name)):
                raise ValueError(f"--{name.replace('_', '-')} must {words}, but is {getattr(config, name)}")
    if config.rollout < config.envs or config.minibatch > config.rollout:
        raise ValueError("--rollout must be at least --envs and at least --minibatch")
    if config.reading not in READINGS:
        raise ValueError(f"unknown reading {config.reading!r}; it is one of {', '.join(READINGS)}")
    if config.critic_sees not in {"all", "own"}:
        raise ValueError(f"unknown --critic-sees {config.critic_sees!r}; it is all or own")
    if config.exploit and config.opponents:
        raise ValueError("--exploit names the only opponent; --opponents cannot name others beside it")
    if config.pool and config.exploit:
        raise ValueError("--exploit names the only opponent; --pool cannot put snapshots in its place")
    if config.pool and config.opponents and config.opponent_share + config.pool_share > 1:
        raise ValueError("--opponent-share and --pool-share together must not be more than 1")
    if config.start_from and config.teacher and config.lessons:
        raise ValueError("--start-from brings what the lessons of --teacher would teach; add --lessons 0")
    if config.exchange_lessons and not (config.teacher and config.exchange_hidden):
        raise ValueError("--exchange-lessons needs --teacher, and --exchange-hidden for a network that takes them")
    check_exchange_trials(config)
    if config.resume and not config.run_dir:
        raise ValueError("--resume needs --run-dir, the folder of the run to go on with")


def check_exchange_trials(config: Config) -> None:
    """Raise ValueError where there is no policy to try discards with, or no critic to judge them."""
    from agents.learned.objective import Objective

    if not config.exchange_trials:
        return
    if config.resume:
        raise ValueError("--exchange-trials are made before a run begins; leave them out with --resume")
    if not config.start_from:
        raise ValueError("--exchange-trials needs --start-from: a policy that tries discards and a critic that judges")
    if config.critic_sees != "all":
        raise ValueError("--exchange-trials needs a critic that sees all cards: leave --critic-sees at all")
    if Objective(config.reward).name != "deal_points":
        raise ValueError("--exchange-trials needs --reward deal_points: its values are compared in points")


def check_judge(config: Config, reward: str) -> None:
    """Raise ValueError unless --start-from has brought a critic that was paid in deal points; reward: what it was."""
    if not reward:
        raise ValueError(f"--exchange-trials needs a critic, and there is none beside {config.start_from}")
    if reward != "deal_points":
        raise ValueError(
            f"--exchange-trials needs a critic paid in deal_points; that of {config.start_from} had {reward}"
        )


RANGES: tuple[tuple[tuple[str, ...], Any, str], ...] = (
    (
        (
            *("envs", "rollout", "minibatch", "epochs", "hidden", "layers", "decay"),
            *("strength_parties", "equity_over", "pool_every"),
        ),
        lambda number: number >= 1,
        "be at least 1",
    ),
    (
        (
            *("minutes", "decisions", "parties", "entropy", "seed", "threads", "equity_from", "pool", "belief_weight"),
            *("strength_every", "keep_every", "lessons", "exchange_lessons", "exchange_trials"),
            *("critic_first", "exchange_hidden", "average"),
        ),
        lambda number: number >= 0,
        "not be negative",
    ),
    (("learning_rate", "lesson_rate", "clip"), lambda number: number > 0, "be positive"),
    (
        ("discount", "trace", "cooldown", "opponent_share", "pool_share", "inside"),
        lambda number: 0 <= number <= 1,
        "lie between 0 and 1",
    ),
)


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
