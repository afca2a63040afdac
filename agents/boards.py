"""Boards: where the pairs of a match begin, as data instead of from a seed.

A board is what both tables of a duplicate pair are given: the decks, who deals, the totals and the number of the first
deal, and decisions that have been made before the agents come to the table.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from piquet_env.rules.start import Start

_Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Boards:
    """Boards of one kind; picklable.

    decks:    int8[N, D, pack], of the deals from the first on; when they run out, the seed of the match continues
    numbers:  int64[N], of the first deal, from 1
    dealers:  int64[N], the seat that deals it
    totals:   int64[N, 2], by seat, before it
    actions:  int16[N, L], decisions that have been made; `lengths`, int64[N], says how many of them count
    one_deal: whether a board is a single deal, which pays the change of the expected settlement; else it is a partie
              from there to its end, which pays the settlement
    equity:   version of the equity table by which boards of one deal are paid; None: the rules' own
    """

    decks: npt.NDArray[np.int8]
    numbers: _Ints
    dealers: _Ints
    totals: _Ints
    actions: npt.NDArray[np.int16]
    lengths: _Ints
    one_deal: bool
    equity: str | None = None

    def __len__(self) -> int:
        return len(self.decks)

    def start(self, board: int, seed: int) -> Start:
        """Return where a board begins; `seed` is that of the decks that follow its own."""
        first, second = self.totals[board].tolist()
        return Start(
            seed=seed,
            partie=board,
            decks=tuple(self.decks[board]),
            totals=(first, second),
            deal_number=int(self.numbers[board]),
            dealer=int(self.dealers[board]),
        )

    def decided(self, board: int) -> list[int]:
        """Return the decisions of a board that have been made."""
        return self.actions[board, : self.lengths[board]].tolist()
