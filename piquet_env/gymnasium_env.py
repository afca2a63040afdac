"""Piquet as a Gymnasium environment: one learner against an opponent.

`gymnasium.make("Piquet-v0", opponent="greedy")`. The observation is the learner's flat vector (docs/observation.md);
the mask of legal actions comes from `env.action_masks()` (sb3-contrib's convention) and stands in
`info["action_mask"]`.
"""

from __future__ import annotations

from operator import index
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from .aec import check_options
from .game import Game, Result, check_seat
from .observation import observation_size
from .opponents import opponent_seed, resolve_opponent
from .render import render_text
from .rewards import RewardRule, illegal_reward
from .rules.actions import num_actions
from .rules.errors import IllegalActionError
from .rules.state import NOBODY
from .rules.variants import Rules


class PiquetEnv(gymnasium.Env[np.ndarray, np.int64]):
    """One seat of a partie, the other played by `opponent`.

    opponent:    a spec string (`random`, `greedy`, `file.py:Class` …) or an agent object
    rules:       preset name, text or `Rules`
    reward:      `settlement`, `win`, `deal_points` or `equity`, always the learner's own, summed until its next turn
    skip_forced: play the learner's decisions with one legal action by itself
    seat:        0 or 1 to sit there always; None changes seats from partie to partie
    An episode is one partie. An illegal action ends it with a loss (−1 under `win`, −500 otherwise) and never raises.
    """

    metadata = {"render_modes": ["ansi", "human"], "render_fps": 1}  # noqa: RUF012  (Gymnasium reads a plain attribute)

    def __init__(
        self,
        *,
        opponent: Any = "greedy",
        rules: Rules | str = "rubicon",
        reward: str = "settlement",
        skip_forced: bool = False,
        seat: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        if render_mode not in (None, "ansi", "human"):
            raise ValueError(f"unknown render_mode {render_mode!r}; the modes are None, ansi, human")
        if seat is not None:
            seat = check_seat(seat)
        self.rules = Rules.of(rules)
        self.reward = reward
        self.skip_forced = skip_forced
        self.render_mode = render_mode
        self.opponent = resolve_opponent(opponent, self.rules)
        self.observation_space = spaces.Box(0.0, 1.0, (observation_size(self.rules.pack),), np.float32)
        self.action_space = spaces.Discrete(num_actions(self.rules.pack))
        self._fixed_seat = seat
        self._reward_rule = RewardRule(reward, self.rules)
        self._seed: int | None = None
        self._partie = 0
        self._game: Game | None = None
        self._learner = 0
        self._ended = True
        self._expected = self._expected_at_start = 0.0
        self._carried = 0.0  # paid before the learner's first turn

    @property
    def game(self) -> Game:
        """The game being played: open information, hidden cards included."""
        if self._game is None:
            raise ValueError("the environment has no game yet; call reset() first")
        return self._game

    @property
    def learner_seat(self) -> int:
        """The learner's seat in this partie."""
        return self._learner

    @property
    def result(self) -> Result | None:
        """How the partie ended, until the next reset; None while it is played or after an illegal action."""
        return self.game.result

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin a partie: the first of a given seed, else the next of the same seed. Options as for `Game`."""
        super().reset(seed=seed)
        partie = 0 if seed is not None else self._partie
        game = Game(self.rules, seed=self._seed if seed is None else seed, partie=partie, **check_options(options))
        self._game = game
        self._seed, self._partie = game.start.seed, partie + 1
        self._learner = partie % 2 if self._fixed_seat is None else self._fixed_seat
        self._expected = self._reward_rule.expectation(game)
        self._expected_at_start = self._expected if self._learner == 0 else -self._expected
        self._ended = True  # until the opponent has answered
        self.opponent.reset(opponent_seed(game.start.seed, partie))
        self._carried = self._reward_since(0) + self._play_on()
        self._ended = False
        if self.render_mode == "human":
            self.render()
        return game.observation(self._learner), self._info()

    def step(self, action: np.int64 | int) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Play the learner's action and then the opponent, up to the learner's next turn or the end.

        Raises TypeError for an action that is no whole number, ValueError after the end of the partie, and what
        `Opponent.act` raises when the opponent fails; the partie is then over.
        """
        game = self.game
        if self._ended:
            raise ValueError("the partie is over; call reset()")
        number = index(action)
        reward, self._carried = self._carried, 0.0
        self._ended = True  # until the opponent has answered
        if not game.is_over:  # it is only where the options of the reset left the learner nothing to do
            deals_before = len(game.deal_points)
            try:
                game.apply(number)
            except IllegalActionError as error:
                reward += illegal_reward(self.reward)
                return self._observation(), reward, True, False, self._info() | {"illegal": _without_position(error)}
            reward += self._reward_since(deals_before) + self._play_on()
        self._ended = game.is_over
        if self.render_mode == "human":
            self.render()
        return self._observation(), reward, self._ended, False, self._info()

    def action_masks(self) -> np.ndarray:
        """Return the learner's legal actions as bool[num_actions]; all False once the episode has ended."""
        if self._ended:
            return np.zeros(num_actions(self.rules.pack), dtype=bool)
        return self.game.action_mask(self._learner).astype(bool)

    def render(self) -> str | None:
        """Return the learner's picture of the table ("ansi"), or print it ("human")."""
        if self.render_mode is None:
            return None
        text = render_text(self.game, self._learner)
        if self.render_mode == "ansi":
            return text
        print(text, flush=True)  # noqa: T201  (the mode "human" prints)
        return None

    # -- inside -------------------------------------------------------------------------------------------------------

    def _observation(self) -> np.ndarray:
        return self.game.observation(self._learner)

    def _play_on(self) -> float:
        """Let the opponent play, and forced decisions of the learner if asked for; return the learner's reward."""
        game = self.game
        reward = 0.0
        while not game.is_over:
            seat = game.to_act
            forced = game.is_forced and self.skip_forced
            if seat == self._learner and not forced:
                break
            deals_before = len(game.deal_points)
            game.apply(game.legal_actions()[0] if forced else self._ask_opponent(1 - self._learner))
            reward += self._reward_since(deals_before)
        return reward

    def _ask_opponent(self, seat: int) -> int:
        return self.opponent.act(self.game.observation(seat), self.game.action_mask(seat))

    def _reward_since(self, deals_before: int) -> float:
        """Return the learner's reward for deals that have ended since."""
        game = self.game
        if len(game.deal_points) == deals_before:
            return 0.0
        reward = self._reward_rule.of_deals(game, deals_before, self._expected)
        self._expected = self._reward_rule.expectation(game)
        return reward if self._learner == 0 else -reward

    def _info(self) -> dict[str, Any]:
        info = self.game.info(self._learner)
        if info["turn"] is None:
            info["turn"] = NOBODY  # Gymnasium's vector environments stack whole numbers with whole numbers alone
        info["action_mask"] = self.action_masks().astype(np.int8)
        if self._reward_rule.table is not None:
            info["expected_settlement"] = self._expected_at_start
            info["equity_version"] = self._reward_rule.table.version
        result = self.game.result
        if result is not None:
            info["settlement"] = result.settlement  # by seat, as everything in this info; the learner's own beside it
            info["own_settlement"] = result.settlement[self._learner]
            info["crossed_rubicon"] = tuple(total >= self.rules.rubicon_line for total in result.totals)
        return info


def _without_position(error: Exception) -> str:
    """Return what was wrong with an action, without the position behind it, which shows the other's cards."""
    return str(error).splitlines()[0]
