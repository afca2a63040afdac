"""Worker processes that play blocks of pairs. They start with the first block and serve one match after another."""

from __future__ import annotations

import multiprocessing
import pickle
import signal
from concurrent.futures import Future, ProcessPoolExecutor
from typing import NamedTuple, Protocol

from piquet_env.rules.variants import Rules

from .boards import Boards
from .pairs import Block, Players, Specs, make_players, play_pairs


class BlockStore(Protocol):
    """Where played blocks are kept."""

    def read(self, pairs: range) -> Block | None:
        """Return the block of these pairs, None if it has not been played yet."""
        ...

    def write(self, pairs: range, block: Block) -> None:
        """Keep a block."""
        ...


class Task(NamedTuple):
    """What the blocks of a match have in common; picklable."""

    specs: Specs
    rules: Rules
    seed: int
    limit: float | None = None
    store: BlockStore | None = None
    boards: Boards | None = None


def play_block(players: Players, task: Task, pairs: range) -> Block:
    """Play some pairs, and keep what came of them before it is returned."""
    block = play_pairs(players, task.rules, task.seed, pairs, task.limit, task.boards)
    if task.store is not None:
        task.store.write(pairs, block)
    return block


class Workers:
    """Some processes. A context manager: at its end blocks being played are waited for."""

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs
        self._pool: ProcessPoolExecutor | None = None

    def submit(self, task: Task, pairs: range) -> Future[Block]:
        """Have a block played."""
        if self._pool is None:
            # Fresh interpreters: a fork of a process with threads, such as one that has used torch, can hang.
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(self.jobs, context, _start_worker)
        return self._pool.submit(_play_in_worker, task, pairs)

    def close(self) -> None:
        """End when the blocks being played are done."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None

    def kill(self) -> None:
        """End at once: an agent may think for ever."""
        if self._pool is not None:
            # Before Python 3.14 an executor has no public way to end its own processes.
            for process in list((self._pool._processes or {}).values()):
                process.terminate()
            self.close()

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


_seated: tuple[bytes, Players] | None = None  # in a worker: the agents of the match that it played last


def _start_worker() -> None:
    """Leave interrupts to the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _play_in_worker(task: Task, pairs: range) -> Block:
    """Play a block with the agents of its match, which are made once."""
    global _seated
    match = pickle.dumps((task.specs, task.rules))
    if _seated is None or _seated[0] != match:
        _seated = match, make_players(task.specs, task.rules)
    return play_block(_seated[1], task, pairs)
