"""Copies of positions played on by compiled loops, for trials of the exchange (exchange_trials.py)."""

from __future__ import annotations

import numpy as np

from agents.jit import jit
from piquet_env.observation import encode_int8
from piquet_env.rules.masks import write_mask
from piquet_env.rules.play import apply, is_forced, only_legal
from piquet_env.rules.state import DEAL_OVER


@jit
def play_on(states: np.ndarray, places: np.ndarray, rules: np.ndarray, actions: np.ndarray) -> None:
    """Apply an action in each of the states `places`, and the forced decisions behind it while the deal lasts.

    states: STATE_DTYPE[N], changed in place; places, actions: int64[M], the actions legal and not checked
    """
    for number in range(places.shape[0]):
        state = states[places[number]]
        apply(state, rules[0], actions[number])
        while state["phase"] < DEAL_OVER and is_forced(state):
            apply(state, rules[0], only_legal(state, rules[0]))


@jit
def look_at_own(
    states: np.ndarray, places: np.ndarray, rules: np.ndarray, words: np.ndarray, rows: np.ndarray, masks: np.ndarray
) -> None:
    """Write what the seats to act in the states `places` may see into `rows` (int8), and their legal actions.

    words: scratch, of `make_scratch`; masks: int8[M, A], overwritten
    """
    for number in range(places.shape[0]):
        state = states[places[number]]
        encode_int8(state, rules[0], state["to_act"], words, words.view(np.int8), rows, number)
        write_mask(state, rules[0], masks, number)
