"""The blocks of the benchmark suite: boards as files in agents/data/suite/, checked against their SHA-256.

`index.json` says of each block (train, dev, test) its file, the file's SHA-256, how many boards it holds, and how it
was made. The boards are the contract: a block is never made anew, whatever happens to shuffles and agents.

A file is an npz with

    partie_deals    int64[P, 8]    numbers of deals (deal_numbers.py) of whole parties, extra deals after a tie included
    partie_dealers  int8[P]        the seat that deals the first
    deal_deals      int64[N]       numbers of single deals
    deal_dealers    int8[N]        the seat that deals
    deal_numbers    int8[N]        which deal of the partie it is, from 1
    deal_totals     int16[N, 2]    points by seat before it
    play_lengths    int16[C]       decisions that lead to elder's first lead, in the first C of the single deals
    play_actions    uint8[sum]     these decisions, one deal after another
"""

from __future__ import annotations

import functools
import hashlib
import io
import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from agents.boards import Boards
from piquet_env.damaged import DAMAGED
from piquet_env.equity import CAVENDISH

from .deal_numbers import decks_of_numbers

FOLDER = Path(__file__).resolve().parent.parent / "data" / "suite"
INDEX = "index.json"
BLOCKS = ("train", "dev", "test")
EQUITY = CAVENDISH  # the table by which single deals are paid
DEALS_OF_PARTIE = 8  # six, and two after a tie


class SuiteBlock(NamedTuple):
    """The boards of a block by what they are for, and the SHA-256 of its file."""

    name: str
    sha256: str
    parties: Boards
    deals: Boards
    plays: Boards


def read_index(folder: Path = FOLDER) -> dict[str, Any]:
    """Return the index of the blocks; ValueError where it cannot be read."""
    path = folder / INDEX
    try:
        index: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if {"file", "sha256"} <= set.intersection(*(set(index["blocks"][name]) for name in BLOCKS)):
            return index
    except OSError as error:
        raise ValueError(f"the suite's index {path} cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError):
        pass
    raise ValueError(f"{path} is no index of the suite's blocks")


@functools.lru_cache(maxsize=8)
def load_block(name: str, folder: Path = FOLDER) -> SuiteBlock:
    """Return a block, checked against the index.

    Raises ValueError, in one sentence, for another name, and for a file that is missing, damaged or not as published.
    """
    if name not in BLOCKS:
        raise ValueError(f"unknown block {name!r}; the blocks are {', '.join(BLOCKS)}")
    entry = read_index(folder)["blocks"][name]
    path = folder / entry["file"]
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ValueError(f"the boards {path} cannot be read: {error.strerror}") from None
    sha256 = hashlib.sha256(content).hexdigest()
    if sha256 != entry["sha256"]:
        raise ValueError(f"{path} is not the block {name!r} that was published: its SHA-256 begins with {sha256[:12]}")
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
            return _block_of(name, sha256, dict(arrays))
    except DAMAGED:
        raise ValueError(f"{path} holds no boards") from None


def _block_of(name: str, sha256: str, arrays: dict[str, np.ndarray]) -> SuiteBlock:
    """Return the boards that a file's arrays describe."""
    partie_deals = arrays["partie_deals"]
    count = len(partie_deals)
    parties = Boards(
        decks=decks_of_numbers(partie_deals.ravel()).reshape(count, DEALS_OF_PARTIE, -1),
        numbers=np.ones(count, dtype=np.int64),
        dealers=arrays["partie_dealers"].astype(np.int64),
        totals=np.zeros((count, 2), dtype=np.int64),
        actions=np.zeros((count, 0), dtype=np.int16),
        lengths=np.zeros(count, dtype=np.int64),
        one_deal=False,
    )
    lengths = arrays["play_lengths"].astype(np.int64)
    deals = _deals_of(arrays, np.zeros(len(arrays["deal_deals"]), dtype=np.int64), np.zeros(0, dtype=np.uint8))
    return SuiteBlock(name, sha256, parties, deals, _deals_of(arrays, lengths, arrays["play_actions"]))


def _deals_of(arrays: dict[str, np.ndarray], lengths: npt.NDArray[np.int64], flat: np.ndarray) -> Boards:
    """Return single deals, as many as `lengths`, after the decisions that stand one behind another in `flat`."""
    count = len(lengths)
    actions = np.full((count, int(lengths.max(initial=0))), -1, dtype=np.int16)
    actions[np.arange(actions.shape[1]) < lengths[:, None]] = flat
    return Boards(
        decks=decks_of_numbers(arrays["deal_deals"][:count])[:, None, :],
        numbers=arrays["deal_numbers"][:count].astype(np.int64),
        dealers=arrays["deal_dealers"][:count].astype(np.int64),
        totals=arrays["deal_totals"][:count].astype(np.int64),
        actions=actions,
        lengths=lengths,
        one_deal=True,
        equity=EQUITY,
    )
