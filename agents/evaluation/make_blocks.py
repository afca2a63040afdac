"""Make the boards of the benchmark suite.

    python -m agents.evaluation.make_blocks FOLDER

The blocks that are published are in agents/data/suite/ and stay as they are, for they are what results refer to; this
command tells how they came to be. A block's seed is the first 62 bits of the SHA-256 of a sentence, its decks are those
of the shuffle (piquet_env/rules/shuffle.py) under that seed. The parties that the single deals are taken from, and the
declarations before the plays, are the reference's.
"""

from __future__ import annotations

import hashlib
import io
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.base import BatchAgent
from agents.boards import Boards
from agents.files import write_atomically
from agents.lockstep import Lockstep
from agents.registry import make_agent
from agents.streams import Streams
from piquet_env.rules.shuffle import deck_of
from piquet_env.rules.state import NOBODY
from piquet_env.rules.variants import Rules

from .deal_numbers import deal_numbers
from .identity import version
from .partly import decides
from .suite_blocks import BLOCKS, DEALS_OF_PARTIE, INDEX

RULES = Rules()
REFERENCE = "heuristic"
COUNTS = {"train": (500, 500, 500), "dev": (2000, 2000, 1000), "test": (2000, 2000, 1000)}  # parties, deals, plays
SENTENCE = "Rubicon Piquet, the decks of the {} block of the first benchmark suite of piquet-env."
DEALS_FROM = 1_000_000  # the number, under the seed, of the first partie that single deals are taken from
ROWS = 256


def main(argv: Sequence[str] | None = None) -> int:
    """Write the files of all blocks and their index to a folder, and return the exit code."""
    arguments = sys.argv[1:] if argv is None else argv
    if len(arguments) != 1 or not Path(arguments[0]).is_dir():
        print("make_blocks: name one folder that exists", file=sys.stderr)
        return 2
    folder = Path(arguments[0])
    if (folder / INDEX).exists():
        print(f"make_blocks: {folder / INDEX} exists, and published boards are never replaced", file=sys.stderr)
        return 2
    entries = {}
    for name in BLOCKS:
        parties, deals, plays = COUNTS[name]
        content = make_block(seed_of_sentence(SENTENCE.format(name)), parties, deals, plays)
        write_atomically(folder / f"{name}.npz", content)
        entries[name] = describe(name, content)
        print(f"{name}: {len(content)} bytes, SHA-256 {entries[name]['sha256']}")
    index = {"suite": 1, "rules": str(RULES), "rules_hash": RULES.hash, "blocks": entries}
    write_atomically(folder / INDEX, (json.dumps(index, indent=2) + "\n").encode())
    return 0


def describe(name: str, content: bytes) -> dict[str, Any]:
    """Return the entry of a block in the index."""
    parties, deals, plays = COUNTS[name]
    return {
        "file": f"{name}.npz",
        "sha256": hashlib.sha256(content).hexdigest(),
        "parties": parties,
        "deals": deals,
        "plays": plays,
        "sentence": SENTENCE.format(name),
        "seed": seed_of_sentence(SENTENCE.format(name)),
        "reference": REFERENCE,
        "made_by": f"agents/evaluation/make_blocks.py of version {version()}",
    }


def seed_of_sentence(sentence: str) -> int:
    """Return the first 62 bits of the SHA-256 of a sentence in UTF-8."""
    return int.from_bytes(hashlib.sha256(sentence.encode()).digest()[:8], "big") >> 2


def make_block(seed: int, parties: int, deals: int, plays: int) -> bytes:
    """Return the file of a block."""
    reference = make_agent(REFERENCE, RULES)
    assert isinstance(reference, BatchAgent), "the reference decides in batches"
    singles = make_deals(reference, seed, deals)
    first_plays = replace(singles, decks=singles.decks[:plays])
    actions = [line for start in range(0, plays, ROWS) for line in lines_to_lead(reference, seed, first_plays, start)]
    content = io.BytesIO()
    np.savez_compressed(
        content,
        partie_deals=deal_numbers(_decks(seed, range(parties), range(1, DEALS_OF_PARTIE + 1))).reshape(parties, -1),
        partie_dealers=(np.arange(parties) % 2).astype(np.int8),
        deal_deals=deal_numbers(singles.decks[:, 0]),
        deal_dealers=singles.dealers.astype(np.int8),
        deal_numbers=singles.numbers.astype(np.int8),
        deal_totals=singles.totals.astype(np.int16),
        play_lengths=np.array([len(line) for line in actions], dtype=np.int16),
        play_actions=np.concatenate(actions).astype(np.uint8),
    )
    return content.getvalue()


def make_deals(reference: BatchAgent, seed: int, count: int) -> Boards:
    """Return single deals, each out of another partie of the reference with itself, and all numbers equally often."""
    numbers = np.arange(count) % RULES.deals + 1
    dealers = np.arange(count) // RULES.deals % 2  # of these deals
    parties = range(DEALS_FROM, DEALS_FROM + count)
    decks = _decks(seed, parties, range(1, RULES.deals + 1)).reshape(count, RULES.deals, -1)
    empty = np.zeros((count, 0), dtype=np.int16)
    none = np.zeros(count, dtype=np.int64)
    totals = np.zeros((count, 2), dtype=np.int64)
    for number in range(1, RULES.deals):
        board = Boards(
            decks[:, number - 1 : number], none + number, (dealers + numbers - number) % 2, totals, empty, none, True
        )
        later = np.flatnonzero(numbers > number)
        for start in range(0, len(later), ROWS):
            rows = later[start : start + ROWS]
            table = Lockstep(RULES, seed, rows, boards=board)
            play_on(reference, table, until_lead=False)
            totals[rows] = table.states["totals"]
    own = decks[np.arange(count), numbers - 1][:, None, :]
    return Boards(own, numbers, dealers, totals, empty, none, one_deal=True)


def lines_to_lead(reference: BatchAgent, seed: int, boards: Boards, first: int) -> list[list[int]]:
    """Return the reference's decisions up to elder's first lead, on ROWS boards from `first` on."""
    table = Lockstep(RULES, seed, range(first, min(first + ROWS, len(boards))), boards=boards)
    play_on(reference, table, until_lead=True)
    return [table.decisions(row) for row in range(len(table.parties))]


def play_on(reference: BatchAgent, table: Lockstep, *, until_lead: bool) -> None:
    """Let the reference play all rows to elder's first lead, or to their end."""
    streams = Streams(np.zeros(len(table.parties), dtype=np.uint64))
    waiting = table.to_act != NOBODY
    while waiting.any():
        rows = np.flatnonzero(waiting)
        observations, masks = table.observe(rows)
        if until_lead:
            still = ~decides("cards", masks, RULES.pack)
            waiting[rows[~still]] = False
            rows, observations, masks = rows[still], observations[still], masks[still]
        if len(rows):
            assert table.apply(rows, reference.act_batch(observations, masks, streams.rows(rows))).all()
        waiting &= table.to_act != NOBODY


def _decks(seed: int, parties: range, deals: range) -> npt.NDArray[np.int8]:
    """Return the decks of some deals of some parties of the shuffle, one after another."""
    return np.array([deck_of(seed, partie, deal, RULES.pack) for partie in parties for deal in deals])


if __name__ == "__main__":
    sys.exit(main())
