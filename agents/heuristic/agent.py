"""The agent `heuristic` and its styles."""

from __future__ import annotations

import numpy as np

from agents.base import Actions, AgentError, BatchAgent, Probabilities, certain, check_elder_max
from agents.streams import RowRandom
from piquet_env.equity import MAX_RUBICON_LINE
from piquet_env.observation import observation_size
from piquet_env.rules.variants import ELDER_MAX, Rules

from .exchange import THOROUGH
from .kernel import SETTINGS_DTYPE, Room, Tables, choose_actions, make_room
from .reading import highs_of, layout_of
from .score import no_slopes, slope_table
from .styles import style_of
from .suits import suit_facts
from .weights import load_weights


class HeuristicAgent(BatchAgent):
    """Plays by Cavendish's advice, without chance, from the observation and the mask alone.

    Each kind of decision has a file of its own in this folder: exchange.py, claims.py, sinking.py, replies.py, lead.py
    and follow.py; evaluation.py and tricks.py say what a hand and a position are worth, score.py what a point is worth.
    A carte blanche is claimed, leftovers are left face down, and it deals first where it may choose.

    style:     a name in STYLES (styles.py); "plain" is the strongest
    rules:     what is played; without them a Rubicon partie is assumed, with the usual numbers of its pack
    elder_max: the most cards elder may exchange, in place of the rules' own number
    Raises AgentError for an unknown style, and for an elder_max that cannot be.
    """

    def __init__(self, *, style: str = "plain", rules: Rules | None = None, elder_max: int | None = None) -> None:
        self.style = style
        self._style = style_of(style)
        self.rules = rules
        self.elder_max = check_elder_max(rules.elder_max if elder_max is None and rules is not None else elder_max)
        self._tables: dict[int, Tables] = {}
        self._room: Room | None = None

    @property
    def name(self) -> str:
        """How tables call the agent."""
        return "heuristic" if self.style == "plain" else f"heuristic:style={self.style}"

    def act_batch(self, observations: np.ndarray, masks: np.ndarray, rng: RowRandom) -> Actions:  # noqa: ARG002  (no chance)
        """Return a legal action for each row, int64[N]; -1 for a mask of zeros. Nothing is drawn from `rng`."""
        return self._decide(observations, masks)

    def probabilities(self, observations: np.ndarray, masks: np.ndarray) -> Probabilities:
        """Return 1 for the action that it takes in each row, float64[N, num_actions]."""
        return certain(self._decide(observations, masks), masks.shape[1])

    def _decide(self, observations: np.ndarray, masks: np.ndarray) -> Actions:
        actions = np.empty(len(masks), dtype=np.int64)
        pack = _pack_of(observations)
        settings = self._settings(pack)
        highs = highs_of(pack, is_float=observations.dtype.kind == "f")
        if pack not in self._tables:
            self._tables[pack] = self._make_tables(pack)
        if self._room is None:
            self._room = make_room()
        choose_actions(
            observations.astype(np.float32, copy=False),
            highs,
            masks,
            layout_of(pack),
            settings,
            self._tables[pack],
            self._room,
            actions,
        )
        return actions

    def _settings(self, pack: int) -> np.ndarray:
        settings = np.zeros(1, dtype=SETTINGS_DTYPE)
        settings["elder_max"] = min(self.elder_max or ELDER_MAX[pack], pack - 25)  # younger is left a card
        settings["effort"] = THOROUGH
        settings["line"] = self._line()
        settings["least"] = 1 if self.rules is None or self.rules.younger_must_exchange else 0
        for field in ("sinks", "leaves", "own_weight", "other_weight"):
            settings[field] = getattr(self._style, field)
        return settings

    def _line(self) -> int:
        """Return the Rubicon line; -1 where there is none, or the score is not looked at."""
        if not self._style.sees_score or (self.rules is not None and self.rules.form == "au_cent"):
            return -1
        return 100 if self.rules is None else self.rules.rubicon_line

    def _make_tables(self, pack: int) -> Tables:
        hand, play, bonus = self._weights(pack)
        line = self._line()
        tie_break = "two_deals" if self.rules is None else self.rules.tie_break
        slopes = no_slopes() if line < 0 else slope_table(tie_break, min(line, MAX_RUBICON_LINE))
        return Tables(suit_facts(), slopes, hand, play, bonus)

    def _weights(self, pack: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return load_weights(pack)

    def __getstate__(self) -> dict[str, object]:
        """Leave tables and scratch out of pickles and copies."""
        return {**self.__dict__, "_tables": {}, "_room": None}


def _pack_of(observations: np.ndarray) -> int:
    """Return the number of cards in the pack, from the width of the observations."""
    for pack in (32, 36):
        if observations.shape[-1] == observation_size(pack):
            return pack
    raise AgentError(f"no pack has observations of {observations.shape[-1]} entries")
