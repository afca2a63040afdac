"""What is timed plays the game: recorded play ends where it ended first, with the masks of the rules."""

import numpy as np
import pytest

from agents.random_agent import choose_uniformly
from bench.batches import BatchReplay, spread
from bench.kernel import KernelLoop
from bench.measure import Stopwatch
from piquet_env import PiquetBatch
from piquet_env.rules.state import DEAL_OVER, STATE_DTYPE

pytestmark = pytest.mark.nojit


@pytest.fixture(autouse=True)
def _wrapping() -> object:
    with np.errstate(over="ignore"):  # the generator and the shuffle are meant to wrap; only uncompiled code would warn
        yield


def test_recorded_play_of_the_kernel_ends_where_it_ended_first() -> None:
    loop = KernelLoop(6)
    replay = loop.record(90)
    assert replay.play(Stopwatch(), masks=False) == 6 * 90
    assert (replay.rows == loop._rows).all()
    assert not replay.masks.any()
    replay.play(Stopwatch(), masks=True)
    assert (replay.rows == loop._rows).all()
    for row, mask in zip(replay.rows, replay.masks, strict=True):
        legal = int(row["legal_cards"]).bit_count() + int(row["legal_words"]).bit_count()
        assert mask.sum() == legal > 0


def test_the_parties_of_the_kernel_stand_at_different_places() -> None:
    rows = KernelLoop(60)._rows
    assert rows.dtype == STATE_DTYPE
    assert (rows["phase"] < DEAL_OVER).all()
    assert set(rows["deal_number"].tolist()) >= {1, 2} or set(rows["deal_number"].tolist()) >= {0, 1}
    assert len(set(rows["legal_cards"].tolist())) > 30


@pytest.mark.parametrize("dtype", ["int8", "float32"])
def test_recorded_play_of_a_batch_ends_where_it_ended_first(dtype: str) -> None:
    batch = PiquetBatch(6, seed=3, dtype=dtype)
    replay = BatchReplay(batch, steps=45)
    end = batch.snapshot()["states"]
    observation, mask = batch.buffers.observation.copy(), batch.buffers.action_mask.copy()
    watch = Stopwatch()
    assert replay.play(watch) == replay.actions.size == 6 * 45
    assert watch.wall > 0
    assert (batch.snapshot()["states"] == end).all()
    assert (batch.buffers.observation == observation).all()
    assert (batch.buffers.action_mask == mask).all()


def test_spread_leaves_the_first_row_alone_and_moves_the_others_on() -> None:
    batch = PiquetBatch(4, seed=3)
    spread(batch, np.random.default_rng(1))
    single = PiquetBatch(4, seed=3)
    rng = np.random.default_rng(1)
    for decision in range(3):  # row i plays i decisions
        rows = np.arange(decision + 1, 4)
        actions = np.zeros(len(rows), dtype=np.int64)
        choose_uniformly(single.buffers.action_mask[rows], rng.random(len(rows)), actions)
        single.step(actions, rows)
    assert (batch.snapshot()["states"] == single.snapshot()["states"]).all()


def test_a_stopwatch_adds_up_what_is_inside() -> None:
    watch = Stopwatch()
    for _ in range(2):
        before = watch.processor
        with watch:
            sum(range(100_000))
        assert watch.processor > before
    stopped = (watch.processor, watch.wall)
    sum(range(100_000))
    assert (watch.processor, watch.wall) == stopped
