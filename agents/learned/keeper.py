"""`Keeper` keeps a run: takes its state between two rollouts, notes its figures, writes its files."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stable_baselines3.common.logger import Logger, TensorBoardOutputFormat

from agents import files
from agents.arena import play_match

from .checkpoint import capture
from .critic import save_critic
from .parties import SelfPlayParties
from .policy import policy_metadata, save_policy
from .run_log import DECISIONS, ProgressCSV, keep_rows, write_rows
from .self_play import SelfPlayPPO, network_weights, policy_weights

CHECKPOINT_SECONDS = 30
MEASURING_SEED = 2  # of decks that no training and no table at the end uses


@dataclass(frozen=True)
class Habits:
    """How often a run is measured and kept; numbers of decisions, 0 for never."""

    strength_every: int
    strength_parties: int
    keep_every: int
    tensorboard: bool


class Keeper:
    """Keeps a run in its folder.

    about: what a resumed run must agree with, as text
    bots:  whom the policy is measured against
    `strength` is the last match in words, `decisions` how many the state taken last has made.
    """

    def __init__(
        self,
        folder: Path,
        model: SelfPlayPPO,
        parties: SelfPlayParties,
        about: dict[str, str],
        habits: Habits,
        bots: Sequence[str],
    ) -> None:
        self.bots = bots
        self.folder, self.model, self.parties, self.about, self.habits = folder, model, parties, about, habits
        self.policy = folder / "policy.safetensors"
        self.metadata = policy_metadata(
            parties.rules, "relu", len(model.policy.actor.main.linear_layers()), parties.reading.name
        )
        self.checkpoint: bytes | None = None
        self.weights: dict[str, Any] = {}
        self.critic_weights: dict[str, Any] = {}
        self.decisions = model.num_timesteps
        self.strength = ""
        progress = keep_rows(folder / "progress.csv", self.decisions)
        self.seconds_before = float(progress[-1].get("time/seconds") or 0) if progress else 0.0
        self.matches: list[dict[str, Any]] = [*keep_rows(folder / "strength.csv", self.decisions)]
        writers: list[Any] = [ProgressCSV(folder / "progress.csv", progress)]
        if habits.tensorboard:
            writers.append(TensorBoardOutputFormat(str(folder / "tensorboard")))
        model.set_logger(Logger(str(folder), writers))
        self.begun = self.written = time.perf_counter()

    def take(self) -> None:
        """Take the state of the run, to be written now or when it ends."""
        self.checkpoint = capture(self.model, self.parties, self.about)
        self.weights = policy_weights(self.model)
        self.critic_weights = network_weights(self.model.policy.critic)
        self.decisions = self.model.num_timesteps

    def note(self, rate: float) -> None:
        """Log the figures of an update, and write, measure and keep what is due. rate: decisions a second."""
        record = self.model.logger.record
        record("time/seconds", round(self.seconds_before + time.perf_counter() - self.begun, 1))
        record("time/decisions_a_second", round(rate))
        record("train/equity_weight", self.parties.equity_weight)
        self.model.logger.dump(self.decisions)
        measured, kept = self._is_due(self.habits.strength_every), self._is_due(self.habits.keep_every)
        if measured or kept or time.perf_counter() - self.written > CHECKPOINT_SECONDS:
            self.write()
        if kept:
            self._keep_policy()
        if measured:
            self._measure()

    def write(self) -> None:
        """Write checkpoint, policy and critic, each whole or not at all."""
        assert self.checkpoint is not None
        files.write_atomically(self.folder / "checkpoint.pt", self.checkpoint)
        self._save(self.policy)
        if not self.model.policy.is_critic_blind:  # a critic that sees what the actor sees is of no use to search
            about = self.metadata | {
                DECISIONS: str(self.decisions),
                "reward": self.parties.objective.paid_at(self.decisions),
            }
            save_critic(self.folder / "critic.safetensors", self.critic_weights, about)
        self.written = time.perf_counter()

    def _save(self, path: Path) -> None:
        save_policy(path, self.weights, self.metadata | {DECISIONS: str(self.decisions)})

    def _is_due(self, every: int) -> bool:
        """Return whether the last rollout has passed a multiple of so many decisions."""
        before = self.decisions - self.model.n_steps * self.parties.num_envs
        return every > 0 and self.decisions // every > before // every

    def _keep_policy(self) -> None:
        """Keep a copy of the policy under the millions of decisions that it has made."""
        kept = self.folder / "policies"
        kept.mkdir(exist_ok=True)
        self._save(kept / f"policy-{self.decisions // 1_000_000:06d}M.safetensors")

    def _measure(self) -> None:
        """Play the policy against the bots, and note the figures."""
        figures = []
        for bot in self.bots:
            parties = self.habits.strength_parties
            match = play_match(f"policy:{self.policy}", bot, self.parties.rules, parties=parties, seed=MEASURING_SEED)
            mean, low, _ = match.settlement
            half = "" if low is None else f"{mean - low:.1f}"
            self.matches.append(
                {
                    DECISIONS: self.decisions,
                    "against": bot,
                    "parties": match.parties,
                    "settlement": f"{mean:.1f}",
                    "half_width": half,
                }
            )
            figures.append(f"{bot} {mean:+.1f} ± {half or '?'}")
        write_rows(self.folder / "strength.csv", self.matches)
        self.strength = " · ".join(figures)
