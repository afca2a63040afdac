"""Keeping the blocks of a match as they are played, so that an interrupted run goes on where it ended.

A match has a folder of its own under the store, named by its key: a digest of everything on which its figures depend.
Other rules, agents, decks, seeds, sources or versions mean another folder, so nothing played is ever overwritten or
mixed up. The number of parties is not part of the key: a longer match takes the blocks of a shorter one.

    STORE/KEY/match.json                 what the key stands for
    STORE/KEY/pairs-000000-000128.npz    records, failures and seconds of the pairs 0 to 127
"""

from __future__ import annotations

import hashlib
import io
import json
from pathlib import Path
from typing import Any

import numpy as np

from agents.files import write_atomically
from agents.pairs import PARTIE_DTYPE, Block, Failure
from piquet_env.damaged import DAMAGED

FORMAT = 1


def key_of(facts: dict[str, Any]) -> str:
    """Return the digest of some facts, 16 hex digits: equal facts, equal key."""
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:16]


class MatchStore:
    """The folder of one match; a `BlockStore`. Picklable, and safe to use from many processes.

    root:  the store
    facts: what the figures of the match depend on, as JSON can hold it
    Raises ValueError where the folder cannot be made.
    """

    def __init__(self, root: Path, facts: dict[str, Any]) -> None:
        self.key = key_of({"format": FORMAT, **facts})
        self.folder = root / self.key
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            if not (self.folder / "match.json").exists():
                write_atomically(self.folder / "match.json", (json.dumps(facts, indent=2) + "\n").encode())
        except OSError as error:
            raise ValueError(f"the store {root} cannot be used: {error.strerror}") from None

    def read(self, pairs: range) -> Block | None:
        """Return the block of these pairs, None if it has not been played yet.

        Raises ValueError for a file that is no block of these pairs.
        """
        path = self._path(pairs)
        if not path.exists():
            return None
        try:
            with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as arrays:
                records, seconds = arrays["records"], arrays["seconds"]
                failures = [Failure(*entry) for entry in json.loads(str(arrays["failures"]))]
            fits = _fits(records, seconds, failures, pairs)
        except DAMAGED:
            fits = False
        if not fits:
            raise ValueError(f"{path} holds no such pairs; remove it, and they are played again")
        return Block(records, failures, seconds)

    def write(self, pairs: range, block: Block) -> None:
        """Keep a block; the file appears whole or not at all."""
        content = io.BytesIO()
        failures = np.array(json.dumps(block.failures))
        np.savez_compressed(content, records=block.records, seconds=block.seconds, failures=failures)
        write_atomically(self._path(pairs), content.getvalue())

    def _path(self, pairs: range) -> Path:
        return self.folder / f"pairs-{pairs.start:06}-{pairs.stop:06}.npz"


def _fits(records: np.ndarray, seconds: np.ndarray, failures: list[Failure], pairs: range) -> bool:
    """Return whether what a file holds is a block of these pairs."""
    wanted = [pair for pair in pairs for _ in range(2)]
    if records.dtype != PARTIE_DTYPE or records["pair"].tolist() != wanted:
        return False
    if seconds.dtype != np.float64 or seconds.shape != (2,):
        return False
    return all(
        failure.pair in pairs
        and failure.half in (0, 1)
        and failure.agent in (0, 1)
        and all(isinstance(text, str) for text in (failure.error, failure.trace, failure.deal))
        for failure in failures
    )
