"""The published boards: whole, as their digests say, of the decks that their sentence gives, and fit to be played."""

import hashlib
import io
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from agents.evaluation import make_blocks
from agents.evaluation.deal_numbers import NUM_DEALS, deal_numbers, decks_of_numbers
from agents.evaluation.partly import decides
from agents.evaluation.suite_blocks import BLOCKS, FOLDER, load_block, read_index
from agents.lockstep import Lockstep
from piquet_env.rules.shuffle import deck_of
from piquet_env.rules.variants import Rules

RULES = Rules()


# -- deals as numbers -------------------------------------------------------------------------------------------------


def test_a_deal_and_its_number_tell_the_same() -> None:
    decks = np.array([deck_of(3, partie, 1) for partie in range(500)])
    numbers = deal_numbers(decks)
    assert len(set(numbers.tolist())) == 500
    again = decks_of_numbers(numbers)
    assert (again[:, :12] == np.sort(decks[:, :12])).all()
    assert (again[:, 12:24] == np.sort(decks[:, 12:24])).all()
    assert (again[:, 24:] == decks[:, 24:]).all()
    assert (deal_numbers(again) == numbers).all()


def test_the_order_of_numbers_is_as_told() -> None:
    first, second, last = decks_of_numbers([0, 1, NUM_DEALS - 1]).tolist()
    assert first == list(range(32))
    assert second == [*range(30), 31, 30]
    assert last == [*range(20, 32), *range(8, 20), *range(7, -1, -1)]
    assert NUM_DEALS < 2**60
    for number in (-1, NUM_DEALS):
        with pytest.raises(ValueError, match="the number of a deal"):
            decks_of_numbers([number])


# -- the published blocks ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", BLOCKS)
def test_a_published_block_is_what_the_index_says(name: str) -> None:
    entry, block = read_index()["blocks"][name], load_block(name)
    content = (FOLDER / entry["file"]).read_bytes()
    assert hashlib.sha256(content).hexdigest() == entry["sha256"] == block.sha256
    assert (len(block.parties), len(block.deals), len(block.plays)) == tuple(
        entry[kind] for kind in ("parties", "deals", "plays")
    )
    assert read_index()["rules_hash"] == RULES.hash
    for boards in (block.parties, block.deals, block.plays):
        assert (np.sort(boards.decks, axis=2) == np.arange(32)).all()
        assert set(boards.dealers.tolist()) == {0, 1}
    assert block.parties.decks.shape[1] == 8
    numbers = np.bincount(block.deals.numbers)[1:]
    assert len(numbers) == 6
    assert numbers.max() - numbers.min() <= 1
    started = block.deals.totals.sum(axis=1) > 0
    assert (started == (block.deals.numbers > 1)).all()
    # Each number of a deal is dealt by both seats, and no deal stands in two blocks.
    assert len({*zip(block.deals.numbers.tolist(), block.deals.dealers.tolist(), strict=True)}) == 12


def test_no_deal_stands_twice() -> None:
    blocks = [load_block(name) for name in BLOCKS]
    numbers = [
        deal_numbers(boards.decks.reshape(-1, 32)) for block in blocks for boards in (block.parties, block.deals)
    ]
    together = np.concatenate(numbers)
    assert len(np.unique(together)) == len(together)


@pytest.mark.parametrize("name", BLOCKS)
def test_decks_come_from_the_sentence(name: str) -> None:
    entry, block = read_index()["blocks"][name], load_block(name)
    digest = hashlib.sha256(entry["sentence"].encode()).hexdigest()
    assert entry["seed"] == int(digest[:16], 16) // 4
    for partie in (0, 7):
        for deal in range(8):
            shuffled = deck_of(entry["seed"], partie, deal + 1)
            assert deal_numbers(shuffled[None]) == deal_numbers(block.parties.decks[partie, deal][None])
    for deal in (0, 11):
        shuffled = deck_of(entry["seed"], 1_000_000 + deal, int(block.deals.numbers[deal]))
        assert deal_numbers(shuffled[None]) == deal_numbers(block.deals.decks[deal])


@pytest.mark.parametrize("name", BLOCKS)
def test_plays_begin_at_elders_first_lead(name: str) -> None:
    block = load_block(name)
    table = Lockstep(RULES, 1, range(len(block.plays)), boards=block.plays)
    _, masks = table.observe(np.arange(len(block.plays)))
    assert decides("cards", masks, 32).all()
    assert (table.to_act == 1 - table.states["dealer"]).all()
    assert (table.states["tricks_played"] == 0).all()
    assert (table.states["drawn"] == 1).all()
    assert (table.states["totals"] == block.deals.totals[: len(block.plays)]).all()


def test_a_small_block_is_made_alike_twice_and_as_the_published_one() -> None:
    seed = read_index()["blocks"]["train"]["seed"]
    content = make_blocks.make_block(seed, 2, 12, 3)
    assert content == make_blocks.make_block(seed, 2, 12, 3)
    published = load_block("train")
    with np.load(io.BytesIO(content)) as made:
        assert (made["partie_deals"] == deal_numbers(published.parties.decks[:2].reshape(-1, 32)).reshape(2, 8)).all()
        assert (made["deal_deals"] == deal_numbers(published.deals.decks[:12, 0])).all()
        assert (made["deal_numbers"] == published.deals.numbers[:12]).all()
        assert (made["deal_dealers"] == published.deals.dealers[:12]).all()
        assert len(made["play_lengths"]) == 3
        assert len(made["play_actions"]) == made["play_lengths"].sum()


def test_published_boards_are_never_replaced(capsys) -> None:
    assert make_blocks.main([str(FOLDER)]) == 2
    assert "published boards are never replaced" in capsys.readouterr().err


# -- what is refused --------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(FOLDER, tmp_path / "suite"))


def refused(name: str, folder: Path) -> str:
    with pytest.raises(ValueError, match=r".") as caught:
        load_block(name, folder)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_damaged_file_is_refused(folder: Path) -> None:
    assert load_block("train", folder).sha256 == load_block("train").sha256
    for number, damage in enumerate(
        (lambda content: content[:-1], lambda content: content[:500] + b"x" + content[501:])
    ):
        other = Path(shutil.copytree(folder, folder.with_name(f"damaged-{number}")))
        (other / "train.npz").write_bytes(damage((other / "train.npz").read_bytes()))
        assert "is not the block 'train' that was published" in refused("train", other)


def test_a_missing_file_and_an_unknown_block_are_refused(folder: Path) -> None:
    (folder / "dev.npz").unlink()
    assert "dev.npz cannot be read: No such file" in refused("dev", folder)
    assert "the blocks are train, dev, test" in refused("exam", folder)


def test_a_file_without_boards_is_refused(folder: Path) -> None:
    index = json.loads((folder / "index.json").read_text())
    for content in (b"no npz", npz_with_an_object()):
        other = Path(shutil.copytree(folder, folder.with_name(hashlib.sha256(content).hexdigest()[:8])))
        (other / "dev.npz").write_bytes(content)
        index["blocks"]["dev"]["sha256"] = hashlib.sha256(content).hexdigest()
        (other / "index.json").write_text(json.dumps(index))
        assert "holds no boards" in refused("dev", other)


def npz_with_an_object() -> bytes:
    content = io.BytesIO()
    np.savez(content, partie_deals=np.array([{}], dtype=object))
    return content.getvalue()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"blocks": {"dev": 3}}'])
def test_a_broken_index_is_refused(folder: Path, text: str) -> None:
    (folder / "index.json").write_text(text)
    assert "is no index of the suite's blocks" in refused("dev", folder)
    (folder / "index.json").unlink()
    assert "cannot be read" in refused("test", folder)
