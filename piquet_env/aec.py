"""Piquet as a PettingZoo environment for two agents that take turns.

| fact | value |
|---|---|
| agents | `player_0`, `player_1`: the same seats for the whole partie |
| observation | `{"observation": Box float32 [0, 1], "action_mask": int8[actions]}`; docs/observation.md |
| actions | one `Discrete` space: 140 ids with 32 cards, 156 with 36; docs/actions.md |
| rewards | `settlement`, `win`, `deal_points` or `equity`; piquet_env/rewards.py; zero-sum |
| episode | one partie (au cent: the match) |

The observation is the agent's information state, seen from its seat. The mask is all zeros for an agent that is not
to act and never all zeros for the one that is; it also stands in `info["action_mask"]`.

```python
env = piquet_v0.env(rules="rubicon", reward="settlement")
env.reset(seed=7)
for agent in env.agent_iter():
    observation, reward, termination, truncation, info = env.last()
    action = None if termination or truncation else env.action_space(agent).sample(info["action_mask"])
    env.step(action)
```

Arguments of `env` and `raw_env`: `rules` (preset name, text or `Rules`), `reward`, `render_mode` (None, "ansi",
"human"), `skip_forced` (decisions with one legal action are played by the environment), `render_seat` (the seat from
which the table is drawn; None draws it open).

`reset(seed, options)`: the seed fixes all decks; a reset without one goes on to the next partie of the same seed.
Options: `decks`, `totals`, `games`, `deal_number`, `dealer` (see `Game`) begin anywhere.

`info` holds seat, role, phase, turn, deal_number, score, totals, games; with `reward="equity"` also
`expected_settlement` at the start and `equity_version`; at the end `settlement` and `crossed_rubicon` by seat.
Afterwards `env.result` holds them until the next reset.

`raw_env` raises IllegalActionError for an illegal action and changes nothing. `env` ends the episode: −1 for the
offender under `win`, −500 otherwise, 0 for the other. PettingZoo's wrapper then sets termination and truncation both:
do not bootstrap there.

Version history: v0, the first.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from .game import Game, Result, check_seat
from .observation import observation_size
from .render import render_text
from .rewards import RewardRule, illegal_reward
from .rules.actions import num_actions
from .rules.errors import IllegalActionError
from .rules.variants import Rules
from .standard_wrappers import StandardWrappers

AGENTS = ("player_0", "player_1")
SEATS = {agent: seat for seat, agent in enumerate(AGENTS)}
RENDER_MODES = ("ansi", "human")
OPTIONS = ("decks", "totals", "games", "deal_number", "dealer")
_WHOLE_NUMBERS = (int, np.int64)  # what the usual action is; another kind of whole number takes the longer way
CONFORMANCE_OPTION = "options"  # PettingZoo's api_test passes this key to every environment; it means nothing


def env(**arguments: Any) -> AECEnv[str, Any, Any]:
    """Return the environment with PettingZoo's standard wrappers; arguments as for `raw_env`."""
    raw = raw_env(**arguments)
    return StandardWrappers(raw, illegal_reward(raw.reward))


class raw_env(AECEnv[str, dict[str, np.ndarray], int | None]):  # noqa: N801  (PettingZoo's name for it)
    """The environment without wrappers; see the module's docstring."""

    metadata = {  # noqa: RUF012  (PettingZoo reads a plain class attribute)
        "name": "piquet_v0",
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": False,
        "render_fps": 1,
    }

    def __init__(
        self,
        *,
        rules: Rules | str = "rubicon",
        reward: str = "settlement",
        render_mode: str | None = None,
        skip_forced: bool = False,
        render_seat: int | None = None,
    ) -> None:
        super().__init__()
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise ValueError(f"unknown render_mode {render_mode!r}; the modes are None, {', '.join(RENDER_MODES)}")
        if render_seat is not None:
            render_seat = check_seat(render_seat)
        self.rules = Rules.of(rules)
        self.reward = reward
        self.render_mode = render_mode
        self.skip_forced = skip_forced
        self.render_seat = render_seat
        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []
        self._reward_rule = RewardRule(reward, self.rules)
        self._num_actions = num_actions(self.rules.pack)
        size = observation_size(self.rules.pack)
        self.observation_spaces = {agent: _observation_space(size, self._num_actions) for agent in AGENTS}
        self.action_spaces = {agent: spaces.Discrete(self._num_actions) for agent in AGENTS}
        self.state_space = spaces.Box(0.0, 1.0, (2 * size + self.rules.pack,), np.float32)
        self._seed: int | None = None
        self._partie = 0
        self._game: Game | None = None
        self._expected_at_start = 0.0
        self._expected = 0.0
        self._mask = np.zeros(self._num_actions, dtype=np.int8)  # of the agent to act, found once a turn

    # -- the PettingZoo surface ---------------------------------------------------------------------------------------

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the observation space of an agent: the same object every time."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Return the action space of an agent: the same object every time."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a partie; ValueError says which option cannot be."""
        settings = check_options(options)
        partie = 0 if seed is not None else self._partie
        game = Game(self.rules, seed=self._seed if seed is None else seed, partie=partie, **settings)
        self._game = game
        self._seed, self._partie = game.start.seed, partie + 1
        self._expected = self._expected_at_start = self._reward_rule.expectation(game)
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self._skip_agent_selection = None
        reward = self._reward_since(0)  # au cent: a carte blanche may end a game before anybody acts
        if self.skip_forced:
            reward += self._skip()
        self._pay(reward)
        self._accumulate_rewards()
        self._go_on(AGENTS[0])
        if self.render_mode == "human":
            self.render()

    def step(self, action: int | None) -> None:
        """Apply the action of `agent_selection` (None for an agent that has ended).

        Raises IllegalActionError for an action that is not legal, with the law and the position; nothing then changes.
        """
        game = self.game
        if not self.agents:
            raise IllegalActionError("the partie is over and both agents have left; call reset()")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        deals_before = len(game.deal_points)
        game.apply(action)  # type: ignore[arg-type]  # the game refuses None in its own words
        self._cumulative_rewards[agent] = 0.0
        reward = self._reward_since(deals_before)
        if self.skip_forced:
            reward += self._skip()
        self._pay(reward)
        self._accumulate_rewards()
        self._go_on(agent)
        if self.render_mode == "human":
            self.render()

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Return observation, reward since its last turn, ends and info of the agent to act."""
        if not self.agents:
            self.game  # noqa: B018  (before the first reset it says so)
            raise ValueError("the partie is over and both agents have left; call reset()")
        return super().last(observe)

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """Return what `agent` may know: its observation, and its mask (zeros when it is not to act)."""
        observation = self.game.observation(SEATS[agent])
        acts = agent == self.agent_selection and not self.terminations.get(agent, True)
        return {
            "observation": observation,
            "action_mask": self._mask.copy() if acts else np.zeros(self._num_actions, dtype=np.int8),
        }

    def render(self) -> str | None:
        """Return the table as text ("ansi"), or print it ("human")."""
        if self.render_mode is None:
            return None
        text = render_text(self.game, self.render_seat)
        if self.render_mode == "ansi":
            return text
        print(text, flush=True)  # noqa: T201  (the mode "human" prints)
        return None

    def state(self) -> np.ndarray:
        """Return perfect information, for critics: both seats' observations and each card's place in the talon.

        float32[2 * observation_size + pack], entries in [0, 1]. Never part of what an agent observes.
        """
        game = self.game
        places = np.zeros(self.rules.pack, dtype=np.float32)
        talon = game.state["talon"][: self.rules.pack - 24]
        places[talon] = np.arange(1, len(talon) + 1, dtype=np.float32) / 12
        return np.concatenate([game.observation(0), game.observation(1), places])

    def close(self) -> None:
        """Release nothing: the environment holds no window and no file."""

    # -- beyond PettingZoo --------------------------------------------------------------------------------------------

    @property
    def game(self) -> Game:
        """The game being played: open information, hidden cards included."""
        if self._game is None:
            raise ValueError("the environment has no game yet; call reset() first")
        return self._game

    @property
    def result(self) -> Result | None:
        """How the partie ended, until the next reset; None while it is played or after an illegal action."""
        return self.game.result

    def accepts(self, action: Any) -> bool:
        """Return whether `step` would play `action`: a whole number, legal, of an agent that has not ended."""
        mask = self._mask
        return (
            type(action) in _WHOLE_NUMBERS
            and 0 <= action < len(mask)
            and bool(self.agents)
            and mask[action] == 1
            and not self.terminations[self.agent_selection]
        )

    def sample_legal(self, rng: np.random.Generator) -> int:
        """Return a uniformly drawn legal action of the agent to act."""
        return int(rng.choice(self.game.legal_actions()))

    # -- inside -------------------------------------------------------------------------------------------------------

    def _reward_since(self, deals_before: int) -> float:
        """Return the reward of seat 0 for deals that have ended since, and remember the new expectation."""
        game = self.game
        if len(game.deal_points) == deals_before:
            return 0.0
        reward = self._reward_rule.of_deals(game, deals_before, self._expected)
        self._expected = self._reward_rule.expectation(game)
        return reward

    def _skip(self) -> float:
        """Play forced decisions; return seat 0's reward for deals that end by them."""
        deals_before = len(self.game.deal_points)
        self.game.skip_forced()
        return self._reward_since(deals_before)

    def _pay(self, reward: float) -> None:
        self.rewards = {AGENTS[0]: reward, AGENTS[1]: -reward if reward else 0.0}

    def _deads_step_first(self) -> str:
        """End what PettingZoo's wrapper ends after an illegal action: nobody may do anything any more."""
        for info in self.infos.values():
            info["action_mask"] = np.zeros(self._num_actions, dtype=np.int8)
        return super()._deads_step_first()

    def _go_on(self, actor: str) -> None:
        """Select the agent to act and renew the infos. At the end each agent has one more turn, the actor the last."""
        game = self.game
        seat = game.to_act
        first, second, self._mask = game.turn()
        self.infos = {AGENTS[0]: first, AGENTS[1]: second}
        first["action_mask"] = self._mask.copy() if seat == 0 else np.zeros(self._num_actions, dtype=np.int8)
        second["action_mask"] = self._mask.copy() if seat == 1 else np.zeros(self._num_actions, dtype=np.int8)
        if self._reward_rule.table is not None:
            first["expected_settlement"], second["expected_settlement"] = (
                self._expected_at_start,
                -self._expected_at_start,
            )
            first["equity_version"] = second["equity_version"] = self._reward_rule.table.version
        if seat is not None:
            self.agent_selection = AGENTS[seat]
            return
        result = game.result
        assert result is not None
        for info in (first, second):
            info["settlement"] = result.settlement
            info["crossed_rubicon"] = tuple(total >= self.rules.rubicon_line for total in result.totals)
        self.terminations = dict.fromkeys(AGENTS, True)
        self.agent_selection = AGENTS[1 - SEATS[actor]]


def check_options(options: dict[str, Any] | None) -> dict[str, Any]:
    """Return the options of a reset as arguments of `Game`; ValueError for one that is unknown."""
    if options is not None and not isinstance(options, dict):
        raise ValueError(f"options must be a dictionary or None, not {options!r}")
    settings = dict(options or {})
    for key in settings:
        if key not in (*OPTIONS, CONFORMANCE_OPTION):
            raise ValueError(f"unknown reset option {key!r}; the options are {', '.join(OPTIONS)}")
    settings.pop(CONFORMANCE_OPTION, None)
    return settings


def _observation_space(size: int, actions: int) -> spaces.Dict:
    return spaces.Dict(
        {
            "observation": spaces.Box(0.0, 1.0, (size,), np.float32),
            "action_mask": spaces.Box(0, 1, (actions,), np.int8),
        }
    )
