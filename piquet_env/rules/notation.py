"""The `.deal` text form of a partie: a record that a card player can check with a pack of cards, and that plays again.

```
# Elder's greatest score in one deal.
laws      44 57
rules     rubicon deals=1
start     dealer 1

deal      1 dealer 1
dealt     elder   S:AKQ87 H:AKQ87 C:A8
          younger S:JT9 H:JT9 D:JT987 C:7
talon     CK CQ DA DK DQ CJ CT C9
exchange  elder   S:87 H:87 C:8  takes CK CQ DA DK DQ
          younger D:87 C:7  takes CJ CT C9
point     elder   S:AKQ (31)  good 3
sequence  elder   tierce S:AKQ  good 3, also tierce H:AKQ 3, tierce D:AKQ 3, tierce C:AKQ 3
set       elder   quatorze A  good 14, also quatorze Q 14, quatorze K 14
repique   elder   60
score     117 0
play      SA S9  SK ST  SQ SJ  HA H9  HK HT  HQ HJ
          DA D9  DK DT  DQ DJ  CA C9  CK CT  CQ CJ
tricks    12 0
capot     elder   40
log       elder point 3, sequence 3 3 3 3, set 14 14 14, repique 60, play 13, capot 40
score     170 0
totals    170 0
settlement 270 -270, rubicon seat 1
```

A line is a key and what it says; one that begins with a space goes on with the key before it, and one that begins
with `#` is a comment. Nothing else is a comment: what stands in a text is data (the rules, the start, the cards), an
action or a check. An action that is not legal or a check that fails raises NotationError with the number of the line.
Checks may be left out. Numbers of a deal stand as elder's and younger's, those of a partie as those of seats 0 and 1.

* Before the first deal: `rules` (as `str(rules)`), `laws` (numbers of the laws that the text shows), `start` (`seed`,
  `partie`, `totals`, `games` of au cent, and `dealer`, the seat that deals first), `cut` (the choice of who deals).
* `deal`: its number, a check of the dealer, and "from the seed" if its cards are. `dealt` and `talon` (in drawing
  order) give the cards; where they come from the seed they are a check. A deal that has not begun has these lines
  alone.
* Actions: `carte blanche`, `exchange`, `point`, `sequence`, `set`, `lead` (the first card, where younger has
  something to say to it; the tricks repeat it), `leftovers`, `play`, and `then`: actions in the words of the action
  table, for what an unfinished text has begun. Younger's reply ends the line of the call or has a line of its own;
  elder's further claims then have one, too.
* Checks: `draws` (where elder draws only after younger has laid out), `repique`, `pique`, `carte rouge`, `cards`,
  `capot`, `tricks`, `score`, `log` (all entries in the order of reckoning), `totals`, `games`, `settlement`, `legal`
  (all legal actions of the role that is to act), `shown` (the cards of a role that declarations have made public),
  and the points, names and pips in the lines of the actions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .deal_blocks import read_decks
from .deal_lines import format_line
from .deal_reader import DealReader
from .deal_writer import DealWriter
from .play import apply_at, deal_at
from .replay import Replay
from .start import Start, begin_rows, deck_at
from .state import DEAL_OVER, STATE_DTYPE
from .variants import Rules


class Record(NamedTuple):
    """A partie as data: its rules, its start, and every decision so far; `laws` are numbers of laws that it shows."""

    rules: Rules
    start: Start
    actions: tuple[int, ...] = ()
    laws: tuple[int, ...] = ()


def format_record(record: Record) -> str:
    """Return a partie as `.deal` text."""
    rules, start = record.rules, record.start
    lines = [format_line("laws", " ".join(map(str, record.laws)))] if record.laws else []
    lines.append(format_line("rules", str(rules)))
    if said := _format_start(start):
        lines.append(format_line("start", said))
    writer = DealWriter(Replay(rules, start))
    for action in record.actions:
        writer.add(action)
    return "\n".join(lines) + "\n" + writer.text()


def _format_start(start: Start) -> str:
    """Return what differs from a partie that begins at nothing with seed 0."""
    said = []
    if start.seed or start.partie:
        said.append(f"seed {start.seed}")
    if start.partie:
        said.append(f"partie {start.partie}")
    if start.dealer is not None:
        said.append(f"dealer {start.dealer}")
    if any(start.totals):
        said.append("totals {} {}".format(*start.totals))
    if any(start.games):
        said.append("games {} {}".format(*start.games))
    return ", ".join(said)


def parse_record(text: str) -> Record:
    """Return the partie that a `.deal` text tells; NotationError names the line that cannot be, and why."""
    reader = DealReader(text)
    return Record(reader.rules, reader.start, tuple(reader.replay.actions), reader.laws)


def decks_of(text: str, pack: int = 32) -> list[np.ndarray]:
    """Return the decks of the deals in a `.deal` text, in their order, as read-only int8[pack].

    Only the cards are read: the text needs no rules and no actions. NotationError names the line that is wrong.
    """
    return read_decks(text, pack)


def format_position(rules: Rules, start: Start, actions: Sequence[int]) -> str:
    """Return the deal that is being played as `.deal` text by itself, from its first card to the last action."""
    codes = rules.codes()
    rows = begin_rows(rules, codes, start).view(STATE_DTYPE)
    row = rows[0]
    here, first = start, 0
    for place in range(len(actions) + 1):
        while row["phase"] == DEAL_OVER:
            here, first = _start_of_next_deal(start, row), place
            deal_at(rows, 0, codes, deck_at(rules, start, here.deal_number))
            here = here._replace(dealer=int(row["dealer"]))
        if place < len(actions):
            apply_at(rows, 0, codes, actions[place])
    return format_record(Record(rules, here, tuple(actions[first:])))


def _start_of_next_deal(start: Start, row: np.void) -> Start:
    """Return the start of a partie that begins with the deal for which `row` waits; its dealer is not yet told."""
    number = int(row["deal_number"]) + 1
    first, second = (0, 0) if row["game_over"] else row["totals"].tolist()
    games = row["games"].tolist()
    return start._replace(
        decks=start.decks[number - start.deal_number :],
        totals=(first, second),
        games=(games[0], games[1]),
        deal_number=number,
    )
