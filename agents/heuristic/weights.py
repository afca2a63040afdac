"""The fitted weights, a data file for each pack, made by fit.py."""

from __future__ import annotations

import io
from functools import lru_cache
from pathlib import Path

import numpy as np

from agents.base import AgentError
from piquet_env.damaged import DAMAGED

from .evaluation import NUM_WEIGHTS
from .tricks import NUM_PLAY_WEIGHTS, bonus_table

FOLDER = Path(__file__).resolve().parent


def weights_path(pack: int) -> Path:
    """Return where the weights of a pack lie."""
    return FOLDER / f"weights_{pack}.npz"


@lru_cache
def load_weights(pack: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the weights of a pack: of hands, of the play, and the table of the bonus; read-only."""
    return read_weights(weights_path(pack))


def read_weights(path: Path) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the weights in a file; AgentError, in one sentence, for one that holds none."""
    try:
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as file:
            hand, play, spread = file["hand"].astype(np.int32), file["play"].astype(np.int32), file["spread"]
    except DAMAGED as error:
        raise AgentError(f"the weights of heuristic cannot be read from {path}: {error}") from error
    if hand.shape != (2, NUM_WEIGHTS, 2) or play.shape != (NUM_PLAY_WEIGHTS, 3) or spread.shape != (13,):
        raise AgentError(f"the weights of heuristic in {path} have other shapes than this version reads")
    hand.setflags(write=False)
    play.setflags(write=False)
    bonus = bonus_table(spread)
    bonus.setflags(write=False)
    return hand, play, bonus


def pack_weights(hand: np.ndarray, play: np.ndarray, spread: np.ndarray) -> bytes:
    """Return weights as the bytes of a file."""
    content = io.BytesIO()
    np.savez_compressed(content, hand=hand.astype(np.int16), play=play.astype(np.int16), spread=spread)
    return content.getvalue()
