"""The generated documents, docs/actions.md and docs/observation.md, printed from the tables in the code.

python -m piquet_env.tables            write both
python -m piquet_env.tables --check    write nothing; fail if one of them differs from what the code prints
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from itertools import groupby
from pathlib import Path

from .observation import OBSERVATION_VERSION, observation_size, observation_table
from .rules.actions import KINDS, Action, action_table, num_actions

DOCS = Path(__file__).resolve().parent.parent / "docs"
PACKS = (32, 36)

_ACTIONS_HEAD = """\
# Actions

*Printed by `python -m piquet_env.tables` from the table in `piquet_env/rules/actions.py`; change it there.*

An action is a whole number, its *id*, in one `Discrete` space: {size_32} ids with 32 cards, {size_36} with 36. Cards
are numbered suit by suit in the order S H D C, in each suit from the lowest rank up to the ace. `format_action(id,
pack)` gives an action's words and `parse_action(words, pack)` its id.

Only the seat to act has legal actions. Its mask is never empty before the end of the partie; the other seat's mask is
all zeros, because in Piquet a mask tells the hand. An action that is not in the mask is refused.

## The kinds of action

"""

_ACTIONS_PATHS = """
## The path of each utterance

Every set of discards and every claim is reached by exactly one sequence of actions. Laws are those of
[rules.md](rules.md).

**Carte blanche.** A seat that was dealt no court card is asked, where the rules leave it a choice (Law 8): `carte
blanche` claims it, `silent` gives it up without a trace.

**The exchange.** Discards are laid out one at a time in ascending order of cards: after `discard HT` only higher
cards may follow. `draw` ends them (Laws 14 to 16). It is legal after the first discard, and for younger at once where
`younger_must_exchange=False`. The other seat learns nothing before `draw`, and then only the number.

**A call.** Elder calls in the order point, sequence, set. `point S`, `sequence HK` or `set A` chooses what is called,
and `done` passes. The id of a sequence names its suit and its top card. Unless `sinking="partial"`, the choice is the
call. What is said aloud is the length, or for a set its size and rank; pips and top follow by themselves where the
rules ask for them (Laws 24 and 26), without an action.

**A claim under `sinking="partial"`.** Choosing a suit, sequence or rank begins a claim. `withhold SA` then takes a
card out of it, one at a time in ascending order, and `done` speaks the claim (Law 36). A sequence is named by the top
that is called, which may be any card with two lower neighbours in the hand, and is shortened from below only. Of a
quatorze one card may be withheld. A choice, a withholding or a `done` that could not end in a lawful claim is not in
the mask. Until it is spoken, the other seat does not see that a claim is being put together.

**A reply.** Younger answers `good`, `equal` or `not good`; the mask holds those that are honest or a lawful sinking
(Laws 25 and 35 to 37). After `equal` to a length alone elder's pips or top are said, and younger answers once more.

**Further claims.** When a sequence or a set is good, elder may add others, in ascending order of ids; `done` stops.
Nothing is asked where nothing can be added (Law 28).

**Younger's claims.** After elder's first lead (or in turn, by the rules) younger goes through the categories that are
not elder's with the same actions: `point S`, `sequence HK`, `set A` claim, `done` stops or sinks. `done` is not in
the mask while a `not good` has still to be made true (Law 31). In a category that is equal to the end the claim names
which of several equal combinations is shown (Law 40).

**Leftovers.** Where cards are left in the talon and the rules leave the choice to younger, `turn up` shows them to
both seats and `leave` does not; this comes before younger's first card (Law 18).

**The cut.** With `first_dealer="choose"` the winner of the cut says `deal first` or `deal second` (Law 5).

With `sinking="none"` calls, replies and claims are made by the engine and are never asked. With `skip_forced=True` an
environment plays decisions that have one legal action; they stand in the record all the same.
"""

_OBSERVATION_HEAD = """\
# The observation

*Printed by `python -m piquet_env.tables` from the table in `piquet_env/observation.py`; change it there.*

An observation is what one seat knows, as a vector of fixed length: {size_32} entries with 32 cards, {size_36} with
36. This is version {version} of the layout.

* **Self first.** Whatever exists for both players stands first for the seat that observes (`own`), then for the
  other. Both seats have the same layout, whoever is elder; the block `elder` tells the role.
* **Numbers.** Every entry is a whole number from 0 to the block's `high`. The int8 form, of which batches keep
  copies, holds it as it is. The float32 form, which `Game.observation` and the environments give, is that number
  divided by `high`, so that every entry lies between 0 and 1. `observation_scale(pack)` holds the factors.
* **Names.** `decode(observation)` gives the blocks by name, as views of either form, for one vector or for a batch of
  them.
* **Blocks by card** hold one entry a card, suit by suit (S H D C), each from the lowest rank up. The others have the
  same size with both packs.
* **Perfect recall.** The vector holds all that the seat has learnt in the deal: the hand as dealt, the discards, the
  cards of the talon it saw, every word of the dialogue, every combination shown, every trick in order. Nothing need
  be remembered beside it. Of earlier deals the totals and the games remain.
* **What was said, not what is true.** Calls and replies stand as they were spoken. Whether an answer was forced
  stands nowhere.

## The seat that is not to act

It sees only what has been said. The steps on the way to an utterance leave its vector as it was: cards being laid
out, cards withheld, a claim being put together, a carte blanche kept silent, a question that is put to the other seat
only because of the cards it holds. `phase`, `category` and `turn` therefore name what would follow if the other seat
had nothing to say: while elder considers a further sequence, younger sees the call of the set; between elder's first
lead and younger's first card, elder sees `declare`. No block counts steps.

## What is derived from the public record

`repique_open` and `pique_open` say what the seat can conclude from what it has heard, not what the cards allow. A
bonus that rests on younger's silence shows in `own_points` and `other_points` of elder only with younger's first
card, when the silence is over. `status` follows from the calls and the last replies: a category is `dead` when it is
equal to the end, and promised to younger (`own` or `other`) by `not good` before anything has been claimed in it.
`unseen` holds the cards that may be anywhere: in the other's hand, among the other's discards, in the talon.

## The blocks

Places are those of the first and the last entry.

"""


def actions_page() -> str:
    """Return docs/actions.md."""
    head = _ACTIONS_HEAD.format(size_32=num_actions(32), size_36=num_actions(36))
    kinds = _table(
        ("kind", "ids, 32 cards", "ids, 36 cards", "meaning"),
        [(f"`{kind.name}`", *(_ids_of_kind(kind.name, pack) for pack in PACKS), kind.when) for kind in KINDS],
    )
    lists = "".join(_list_of_ids(pack) for pack in PACKS)
    return head + kinds + _ACTIONS_PATHS + lists


def observation_page() -> str:
    """Return docs/observation.md."""
    head = _OBSERVATION_HEAD.format(
        size_32=observation_size(32), size_36=observation_size(36), version=OBSERVATION_VERSION
    )
    places = {pack: _places(pack) for pack in PACKS}
    rows = [
        (
            f"`{small.name}`",
            _range(*places[32][small.name]),
            _range(*places[36][small.name]),
            sizes,
            str(small.high),
            small.meaning,
        )
        for small, large in zip(observation_table(32), observation_table(36), strict=True)
        for sizes in [str(small.size) if small.size == large.size else f"{small.size} / {large.size}"]
    ]
    return head + _table(("block", "places, 32 cards", "places, 36 cards", "size", "high", "meaning"), rows)


PAGES: dict[str, Callable[[], str]] = {"actions.md": actions_page, "observation.md": observation_page}


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _range(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}–{last}"


def _ids_of_kind(kind: str, pack: int) -> str:
    ids = [action.id for action in action_table(pack) if action.kind == kind]
    return _range(ids[0], ids[-1])


def _group(action: Action) -> tuple[str, str]:
    """Return what stands in one row of the list of ids: a kind, and for cards and sequences a suit."""
    return action.kind, action.operand[:1] if len(action.operand) == 2 else ""


def _list_of_ids(pack: int) -> str:
    """Return the list of all ids of a pack, a row for each run of them."""
    rows = []
    for _, run in groupby(action_table(pack), key=_group):
        actions = list(run)
        words = " ".join([f"`{actions[0].words}`", *(f"`{action.operand}`" for action in actions[1:])])
        rows.append((_range(actions[0].id, actions[-1].id), words))
    return f"\n## All ids with {pack} cards\n\n" + _table(("ids", "actions"), rows)


def _places(pack: int) -> dict[str, tuple[int, int]]:
    """Return the places of the first and the last entry of each block."""
    places = {}
    first = 0
    for block in observation_table(pack):
        places[block.name] = (first, first + block.size - 1)
        first += block.size
    return places


def write_atomically(path: Path, text: str) -> None:
    """Write a file so that nobody ever sees half of it."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    fresh = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        fresh.chmod(0o644)
        fresh.replace(path)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the documents, or check them; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m piquet_env.tables", description="Print the generated documents.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a document is out of date")
    check = parser.parse_args(arguments).check
    stale = []
    for name, page in PAGES.items():
        path, text = DOCS / name, page()
        if path.exists() and path.read_bytes() == text.encode():
            continue
        stale.append(name)
        if not check:
            write_atomically(path, text)
    for name in stale:
        print(f"docs/{name} {'is out of date: run python -m piquet_env.tables' if check else 'written'}")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
