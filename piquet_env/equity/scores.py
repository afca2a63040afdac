"""How deals are scored: the record from which equity tables are computed.

A record is the joint distribution of elder's and younger's points in a deal and, where it was counted in play, the
order in which the points came. There are two kinds: Cavendish's ten thousand deals, of which only the two marginal
histograms are known, and files counted in self-play by `python -m agents.equity_table`.

A file is an npz without pickled objects:

| array | what |
|---|---|
| `metadata` | JSON text: format, version, agent, deals, parties, seed, rules, rules_hash, pack, package_version |
| `joint` | int64[E, Y], deals by elder's and younger's points |
| `elder_passage` | int64[E, Y]: in how many deals elder came to so many points while younger had so many |
| `younger_passage` | int64[Y, E]: likewise younger to elder |

A passage is counted in the order of reckoning, once for each number of points on the way: an entry of 3 at a score of
10 passes 11, 12 and 13. So row n of `elder_passage` holds every deal in which elder made n points or more, by what
younger had when he got there.
"""

from __future__ import annotations

import functools
import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from piquet_env.damaged import DAMAGED

FORMAT = 1
CAVENDISH = "v0-cavendish"

# Deals in 10,000 by score, in bins of ten points: 0-9, 10-19, ..., 140-149, and 150 or more in the last.
# Source: Cavendish, The Laws of Piquet, with a treatise on the game: the scores made in 10,000 deals by elder and by
# younger (text: github.com/mmai/piquetBook).
BIN_POINTS = 10
ELDER_DEALS = (977, 1743, 2867, 2105, 902, 76, 166, 664, 106, 20, 88, 210, 40, 2, 18, 16)
YOUNGER_DEALS = (3556, 2560, 2317, 944, 423, 35, 13, 21, 5, 28, 52, 38, 7, 0, 0, 1)

DATA = Path(__file__).resolve().parent.parent / "data"
_PREFIX = "scores-"
_ARRAYS = ("joint", "elder_passage", "younger_passage")

_Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class DealScores:
    """A record of deals, as probabilities.

    version:         its name
    pack:            cards in the pack it was played with
    joint:           float64[E, Y], of a deal with so many points for elder and for younger; sums to 1
    elder_passage:   float64[E, Y], of a deal in which elder comes to so many points while younger has so many; None
                     where the order of points is not known. Row 0 is empty
    younger_passage: float64[Y, E], likewise
    metadata:        how it was made
    """

    version: str
    pack: int
    joint: _Floats
    elder_passage: _Floats | None
    younger_passage: _Floats | None
    metadata: dict[str, Any]

    @property
    def marginals(self) -> tuple[_Floats, _Floats]:
        """The probabilities of elder's and of younger's points, float64[E] and float64[Y]."""
        return self.joint.sum(axis=1), self.joint.sum(axis=0)


def shipped_versions() -> list[str]:
    """Return the versions that `deal_scores` knows by name."""
    return [CAVENDISH, *sorted(path.stem.removeprefix(_PREFIX) for path in DATA.glob(f"{_PREFIX}*.npz"))]


@functools.lru_cache(maxsize=16)
def deal_scores(version: str) -> DealScores:
    """Return a record by its version, or by the path of a file, which ends with .npz; records are kept.

    Raises ValueError, in one sentence, for a version that is not known and a file that is no such record.
    """
    if version == CAVENDISH:
        return _cavendish()
    if version.endswith(".npz"):
        return load_scores(Path(version))
    if version not in shipped_versions():
        known = ", ".join(shipped_versions())
        raise ValueError(f"there is no equity table {version!r}; the tables are {known}, or a file that ends with .npz")
    return load_scores(DATA / f"{_PREFIX}{version}.npz")


def pack_scores(counts: npt.NDArray[np.int64], metadata: dict[str, Any]) -> bytes:
    """Return the content of a file.

    counts:   int64[3, size, size]: joint, elder's passages, younger's passages
    metadata: all but format
    """
    elder, younger = (int(np.flatnonzero(counts[0].any(axis=1 - axis))[-1]) + 1 for axis in range(2))
    content = io.BytesIO()
    np.savez_compressed(
        content,
        metadata=np.array(json.dumps({"format": FORMAT, **metadata}, sort_keys=True)),
        joint=counts[0, :elder, :younger],
        elder_passage=counts[1, :elder, :younger],
        younger_passage=counts[2, :younger, :elder],
    )
    return content.getvalue()


def load_scores(path: Path) -> DealScores:
    """Return the record in a file; ValueError, in one sentence, for one that cannot be read or contradicts itself."""
    try:
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as arrays:
            metadata = json.loads(str(arrays["metadata"]))
            counts = [arrays[name] for name in _ARRAYS]
        version, pack, file_format = str(metadata["version"]), int(metadata["pack"]), metadata["format"]
    except FileNotFoundError:
        raise ValueError(f"there is no file {path}") from None
    except DAMAGED as error:
        raise ValueError(f"{path} is no record of deal scores: {error}") from None
    if file_format != FORMAT:
        raise ValueError(f"{path} has format {file_format}; this version reads format {FORMAT}")
    if (fault := _fault_of(counts, metadata)) is not None:
        raise ValueError(f"{path} is no record of deal scores: {fault}")
    joint, elder, younger = (np.asarray(count / counts[0].sum(), dtype=np.float64) for count in counts)
    return DealScores(version, pack, joint, elder, younger, metadata)


def _fault_of(counts: list[np.ndarray], metadata: dict[str, Any]) -> str | None:
    """Return what is wrong with the arrays of a file, None if nothing is."""
    joint, elder, younger = counts
    if any(count.dtype.kind not in "iu" or count.ndim != 2 or (count < 0).any() for count in counts):
        return "its arrays are not tables of counts"
    if elder.shape != joint.shape or younger.shape != joint.T.shape or not joint.size:
        return "its arrays do not fit together"
    if joint.sum() != metadata.get("deals") or joint.sum() == 0:
        return "its deals are not as many as it says"
    for passage, scores in ((elder, joint.sum(axis=1)), (younger, joint.sum(axis=0))):
        reached = scores[::-1].cumsum()[::-1]
        if passage[0].any() or (passage[1:].sum(axis=1) != reached[1:]).any():
            return "the order of points contradicts the scores"
    if joint[0, 0]:
        return "it holds deals without a point"
    return None


def _cavendish() -> DealScores:
    """Return Cavendish's record: points even within a bin of ten, the open last bin at 150, the two independent."""
    elder, younger = _spread(ELDER_DEALS), _spread(YOUNGER_DEALS)
    metadata = {"version": CAVENDISH, "deals": sum(ELDER_DEALS), "source": "Cavendish, The Laws of Piquet"}
    return DealScores(CAVENDISH, 32, np.outer(elder, younger), None, None, metadata)


def _spread(deals_by_bin: tuple[int, ...]) -> _Floats:
    """Return the probability of each score from 0 to the lower edge of the last bin."""
    counts = np.array(deals_by_bin, dtype=np.float64)
    spread = np.append(np.repeat(counts[:-1] / BIN_POINTS, BIN_POINTS), counts[-1])
    return np.asarray(spread / counts.sum(), dtype=np.float64)
