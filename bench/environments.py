"""The AEC loops of this environment and of one that does nothing; PettingZoo's own games run in the same loop."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from piquet_env import Game, piquet_v0
from piquet_env.observation import observation_size
from piquet_env.rules.actions import num_actions

from .measure import DECISIONS, DECISIONS_OF_A_PARTIE, Plan, Result, Speeds, microseconds, speeds

GROUP = "AEC loop: last, choice, step"


class EmptyEnv(AECEnv[str, Any, Any]):
    """Two agents in turn, a new observation and mask of zeros and ones each time, and no game: the cost of the loop."""

    metadata = {"name": "empty_v0", "render_modes": [], "is_parallelizable": False}  # noqa: RUF012  (PettingZoo's way)

    def __init__(self) -> None:
        super().__init__()
        self.possible_agents = ["player_0", "player_1"]
        self._size, self._actions = observation_size(), num_actions(32)
        self.action_spaces = dict.fromkeys(self.possible_agents, spaces.Discrete(self._actions))

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        """Begin an episode as long as a partie."""
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[0]
        self._left = DECISIONS_OF_A_PARTIE

    def observe(self, agent: str) -> dict[str, np.ndarray]:  # noqa: ARG002
        """Return zeros, and everything legal."""
        return {
            "observation": np.zeros(self._size, dtype=np.float32),
            "action_mask": np.ones(self._actions, dtype=np.int8),
        }

    def step(self, action: int | None) -> None:
        """Give the turn to the other."""
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[self.agent_selection] = 0.0
        self._accumulate_rewards()
        self._left -= 1
        self.agent_selection = "player_1" if self.agent_selection == "player_0" else "player_0"
        if self._left == 0:
            self.terminations = dict.fromkeys(self.agents, True)


def play_episode(environment: Any) -> int:
    """Play one episode by random legal actions; return the number of decisions."""
    environment.reset()
    decisions = 0
    draw = random.random
    for _ in environment.agent_iter():
        observation, _, termination, truncation, _ = environment.last()
        if termination or truncation:
            environment.step(None)
            continue
        legal = np.flatnonzero(observation["action_mask"])
        environment.step(int(legal[int(draw() * len(legal))]))
        decisions += 1
    return decisions


def measure_loops(plan: Plan) -> list[Result]:
    """Measure the loops of the raw and the wrapped environment, and of an empty one."""
    names = (
        ("raw_env", piquet_v0.raw_env(), "piquet_v0.raw_env"),
        ("env (PettingZoo's wrappers)", piquet_v0.env(), ""),
        ("an empty environment", EmptyEnv(), ""),
    )
    results = []
    for name, environment, series in names:
        found = episode_speeds(environment, plan)
        results.append(
            Result(GROUP, name, DECISIONS, found.processor, wall=found.wall, series=series, size=int(bool(series)))
        )
    return results


def measure_calls(plan: Plan) -> list[Result]:
    """Measure single calls: resets, a clone."""
    group, unit = "single calls", "microseconds"
    environment = piquet_v0.raw_env()
    environment.reset(seed=1)
    game = Game(seed=1)
    for _ in range(60):
        game.apply(game.legal_actions()[0])
    calls = (
        ("reset()", environment.reset),
        ("reset(seed=7)", lambda: environment.reset(seed=7)),
        ("Game.clone() in mid-deal", game.clone),
    )
    results = []
    for name, call in calls:
        found = microseconds(call, plan)
        results.append(Result(group, name, unit, found.processor, wall=found.wall))
    return results


def episode_speeds(environment: Any, plan: Plan) -> Speeds:
    """Return the decisions a second in whole episodes."""
    random.seed(1)
    environment.reset(seed=1)
    return speeds(lambda: play_episode(environment), plan)
