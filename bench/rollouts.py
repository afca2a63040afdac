"""What the environment takes of the time in which MaskablePPO collects rollouts, with networks of two layers of 256."""

from __future__ import annotations

import importlib.util
import time
from typing import Any

import numpy as np

from .measure import Plan, Result

GROUP = "MaskablePPO collecting rollouts"
SIZE = 1024
STEPS = 8
NETWORK = [256, 256]
OPPONENTS = ("greedy", "random")
SHARE = "share of PiquetVecEnv"


def share_series(opponent: str) -> str:
    """Return the key of the environment's share against an opponent."""
    return f"{SHARE} against {opponent}"


def measure_rollouts(plan: Plan) -> list[Result]:
    """Measure the share of `PiquetVecEnv` in the time of a rollout, the opponent's play included."""
    if importlib.util.find_spec("sb3_contrib") is None:
        return [Result(GROUP, SHARE, "%", (), "sb3_contrib is not installed: skipped")]
    return [result for opponent in OPPONENTS for result in _measure_opponent(opponent, plan)]


def _measure_opponent(opponent: str, plan: Plan) -> list[Result]:
    import torch
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.callbacks import BaseCallback

    from piquet_env.sb3_vec_env import PiquetVecEnv

    class TimedVecEnv(PiquetVecEnv):
        """Counts the seconds in what a rollout calls: steps and masks."""

        seconds = 0.0

        def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
            begin = time.process_time()
            answer = super().step_wait()
            self.seconds += time.process_time() - begin
            return answer

        def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> Any:
            begin = time.process_time()
            answer = super().env_method(method_name, *method_args, indices=indices, **method_kwargs)
            self.seconds += time.process_time() - begin
            return answer

    class RolloutTimer(BaseCallback):
        """Keeps, for every rollout, its seconds and those of the environment in it, without the updates between."""

        def __init__(self) -> None:
            super().__init__()
            self.rollouts: list[tuple[float, float, float]] = []
            self.begin = (0.0, 0.0, 0.0)

        def now(self) -> tuple[float, float, float]:
            return time.process_time(), time.perf_counter(), parties.seconds

        def _on_rollout_start(self) -> None:
            self.begin = self.now()

        def _on_rollout_end(self) -> None:
            processor, wall, inside = (now - then for now, then in zip(self.now(), self.begin, strict=True))
            self.rollouts.append((processor, wall, inside))

        def _on_step(self) -> bool:
            return True

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        parties = TimedVecEnv(SIZE, opponent, reward="deal_points", reward_scale=0.01, seed=1)
        model = MaskablePPO(
            "MlpPolicy",
            parties,
            n_steps=STEPS,
            batch_size=SIZE,
            n_epochs=1,
            seed=1,
            device="cpu",
            policy_kwargs={"net_arch": {"pi": NETWORK, "vf": NETWORK}, "activation_fn": torch.nn.ReLU},
        )
        timer = RolloutTimer()
        decisions = model.n_steps * SIZE
        model.learn((plan.repetitions + 1) * decisions, callback=timer)
    finally:
        torch.set_num_threads(threads)
    kept = timer.rollouts[1:]  # the first one warms up
    name = f"against {opponent}, N = {SIZE:,}"
    rates = Result(
        GROUP,
        f"{name}: the learner's decisions",
        "decisions/s",
        tuple(decisions / processor for processor, _, _ in kept),
        wall=tuple(decisions / wall for _, wall, _ in kept),
    )
    shares = tuple(100 * inside / processor for processor, _, inside in kept)
    return [
        rates,
        Result(
            GROUP,
            f"{name}: {SHARE}",
            "%",
            shares,
            "the opponent's play included",
            series=share_series(opponent),
            size=SIZE,
        ),
    ]
