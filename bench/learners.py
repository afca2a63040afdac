"""Learned decisions a second: train.py's learner beside MaskablePPO as sb3-contrib ships it, in one run.

    python -m bench.learners

Both play 1,024 parties, learn from rollouts of 32,768 decisions in two passes of minibatches of 2,048, and have
networks of two layers of 256 for actor and critic each. MaskablePPO sits in one seat, the bot `random` in the other.
The learners take turns. Two threads are worth something by the clock alone, where a second processor is idle.
"""

from __future__ import annotations

import statistics
import sys
import time
from typing import Any

from .measure import machine

ROLLOUT, PARTIES, MINIBATCH, NETWORK = 32_768, 1024, 2048, [256, 256]
REPETITIONS = 3
NEVER = 1 << 62


def main() -> int:
    """Measure and print."""
    import torch

    torch.set_num_threads(1)
    learners = {
        "MaskablePPO": make_stock(),
        "self-play, float32": make_self_play("float32"),
        "self-play, bfloat16": make_self_play("bfloat16"),
        "self-play, bfloat16, two threads": make_self_play("bfloat16", threads=2),
    }
    for learner in learners.values():
        learn(learner)  # compiles
    seconds: dict[str, list[tuple[float, float]]] = {name: [] for name in learners}
    for _ in range(REPETITIONS):
        for name, learner in learners.items():
            seconds[name].append(learn(learner))
    about = machine()
    print(f"{about['processor']}, {about['processors']} processors, load {about['load']}")
    stock = statistics.median(processor for processor, _ in seconds["MaskablePPO"])
    for name, times in seconds.items():
        processor, wall = (statistics.median(column) for column in zip(*times, strict=True))
        print(
            f"{name:34} {ROLLOUT / processor:8,.0f} decisions/s of one processor ({stock / processor:.2f} times), "
            f"{ROLLOUT / wall:8,.0f} by the clock"
        )
    return 0


def learn(learner: Any) -> tuple[float, float]:
    """Make one rollout and its update; return the seconds of the processor and of the clock."""
    processor, wall = time.process_time(), time.perf_counter()
    learner.learn(ROLLOUT, reset_num_timesteps=learner.num_timesteps == 0, log_interval=NEVER)
    return time.process_time() - processor, time.perf_counter() - wall


def make_stock() -> Any:
    """Return sb3-contrib's learner on the VecEnv of one seat."""
    import torch
    from sb3_contrib import MaskablePPO

    from piquet_env.sb3_vec_env import PiquetVecEnv

    return MaskablePPO(
        "MlpPolicy",
        PiquetVecEnv(PARTIES, "random", reward="deal_points", reward_scale=0.01, seed=1),
        n_steps=ROLLOUT // PARTIES,
        batch_size=MINIBATCH,
        n_epochs=2,
        seed=1,
        device="cpu",
        policy_kwargs={"net_arch": {"pi": NETWORK, "vf": NETWORK}, "activation_fn": torch.nn.ReLU},
    )


def make_self_play(precision: str, threads: int = 1) -> Any:
    """Return train.py's learner."""
    from agents.learned.objective import Objective
    from agents.learned.parties import SelfPlayParties
    from agents.learned.schedules import Schedules
    from agents.learned.self_play import build_model

    return build_model(
        SelfPlayParties(PARTIES, "rubicon", Objective(), seed=1, threads=threads),
        Schedules(2e-3, 0.05, 40_000_000),
        seed=1,
        hidden=NETWORK[0],
        layers=len(NETWORK),
        precision=precision,
        rollout=ROLLOUT,
        minibatch=MINIBATCH,
        epochs=2,
        clip=0.1,
        discount=1.0,
        trace=0.95,
        threads=threads,
    )


if __name__ == "__main__":
    sys.exit(main())
