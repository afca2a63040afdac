"""Played pairs are kept, found again, and never mixed up."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

from agents.arena import MatchResult, play_match
from agents.evaluation.store import MatchStore
from agents.pairs import Block
from agents.workers import BlockStore
from tests.agents.stub_agents import Fails


class Counting:
    """A store that tells what is asked of it."""

    def __init__(self, store: BlockStore) -> None:
        self.store = store
        self.found: list[range] = []
        self.written: list[range] = []

    def read(self, pairs: range) -> Block | None:
        block = self.store.read(pairs)
        if block is not None:
            self.found.append(pairs)
        return block

    def write(self, pairs: range, block: Block) -> None:
        self.written.append(pairs)
        self.store.write(pairs, block)


def same(first: MatchResult, second: MatchResult) -> bool:
    return (
        bool((first.records == second.records).all())
        and first.failures == second.failures
        and first.seconds == second.seconds
    )


def test_a_match_is_found_again(tmp_path: Path) -> None:
    first = Counting(MatchStore(tmp_path, {"a": 1}))
    played = play_match("greedy", "random", parties=600, store=first)
    assert first.found == []
    assert first.written == [range(128), range(128, 256), range(256, 300)]
    second = Counting(MatchStore(tmp_path, {"a": 1}))
    assert same(play_match("greedy", "random", parties=600, store=second), played)
    assert (second.found, second.written) == (first.written, [])


def test_a_longer_match_takes_the_blocks_of_a_shorter_one(tmp_path: Path) -> None:
    play_match("greedy", "random", parties=600, store=MatchStore(tmp_path, {}))
    store = Counting(MatchStore(tmp_path, {}))
    longer = play_match("greedy", "random", parties=800, store=store)
    assert store.found == [range(128), range(128, 256)]
    assert store.written == [range(256, 384), range(384, 400)]
    assert (longer.records == play_match("greedy", "random", parties=800).records).all()


def test_workers_keep_their_blocks_themselves(tmp_path: Path) -> None:
    store = MatchStore(tmp_path, {})
    played = play_match("greedy", "random", parties=800, jobs=2, store=store)
    assert len(list(store.folder.glob("pairs-*.npz"))) == 4
    assert same(play_match("greedy", "random", parties=800, store=store), played)
    (store.folder / "pairs-000128-000256.npz").unlink()
    again = play_match("greedy", "random", parties=800, jobs=2, store=store)
    assert (again.records == played.records).all()


def test_other_facts_have_another_folder(tmp_path: Path) -> None:
    stores = [MatchStore(tmp_path, facts) for facts in ({"seed": 1}, {"seed": 2}, {"seed": 1, "version": "2"})]
    assert len({store.folder for store in stores}) == 3
    assert MatchStore(tmp_path, {"seed": 1}).folder == stores[0].folder
    assert pickle.loads(pickle.dumps(stores[0])).folder == stores[0].folder


def test_failures_are_kept(tmp_path: Path) -> None:
    store = MatchStore(tmp_path, {})
    played = play_match(Fails(how="dumb"), "greedy", parties=4, store=store)
    assert len(played.failures) == 4
    assert same(play_match(Fails(how="dumb"), "greedy", parties=4, store=store), played)


@pytest.mark.parametrize("content", ["mine", "other pairs", "other arrays"])
def test_a_file_that_is_no_block_is_refused(tmp_path: Path, content: str) -> None:
    store = MatchStore(tmp_path, {})
    play_match("greedy", "random", parties=512, store=store)
    file = store.folder / "pairs-000000-000128.npz"
    if content == "mine":
        file.write_text("mine")
    elif content == "other pairs":
        file.write_bytes((store.folder / "pairs-000128-000256.npz").read_bytes())
    else:
        np.savez(file, records=np.zeros(128), seconds=np.zeros(2), failures=np.array("[]"))
    with pytest.raises(ValueError, match=r"pairs-000000-000128\.npz holds no such pairs; remove it"):
        play_match("greedy", "random", parties=512, store=store)


def test_a_store_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match="cannot be used"):
        MatchStore(tmp_path / "file", {})


def test_a_damaged_block_is_refused_in_one_sentence(tmp_path: Path) -> None:
    store = MatchStore(tmp_path, {})
    play_match("greedy", "random", parties=20, store=store)
    (path,) = store.folder.glob("pairs-*.npz")
    whole, rng = path.read_bytes(), np.random.default_rng(1)
    refused = 0
    for _ in range(200):
        damaged = bytearray(whole)
        damaged[rng.integers(len(whole))] ^= 1 << int(rng.integers(8))
        path.write_bytes(damaged)
        try:
            store.read(range(10))
        except ValueError as error:
            assert "holds no such pairs; remove it" in str(error)  # noqa: PT017  (some changes hurt nothing)
            refused += 1
    assert refused > 50


@pytest.mark.parametrize(
    "change",
    [
        {"seconds": np.zeros(0)},
        {"failures": np.array('[[0, 9, 7, "a", "b", "c"]]')},
        {"failures": np.array("[" * 200_000)},
    ],
)
def test_a_block_with_foreign_parts_is_refused(tmp_path: Path, change: dict[str, np.ndarray]) -> None:
    store = MatchStore(tmp_path, {})
    play_match("greedy", "random", parties=20, store=store)
    (path,) = store.folder.glob("pairs-*.npz")
    with np.load(path) as arrays:
        content = dict(arrays) | change
    np.savez(path, **content)
    with pytest.raises(ValueError, match="holds no such pairs; remove it"):
        store.read(range(10))
