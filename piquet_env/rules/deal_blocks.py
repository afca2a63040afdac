"""What a `.deal` text gives before anything is played: its lines by deal, the rules, the start and the cards."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .cards import cards_in
from .deal_lines import Line, format_cards, split_lines
from .errors import NotationError
from .replay import ROLES
from .shuffle import deck_of
from .variants import Rules

_HEADER = ("laws", "rules", "start", "cut")
_CARDS = ("deal", "dealt", "talon")


@dataclass
class Block:
    """One deal of a text: the line it begins with, its cards, and the lines that follow them."""

    line: Line
    number: int | None = None
    dealer: int | None = None
    from_seed: bool = False
    hands: list[Line | None] = field(default_factory=lambda: [None, None])
    talon: Line | None = None
    lines: list[Line] = field(default_factory=list)

    @property
    def has_cards(self) -> bool:
        """Whether any of its cards are given."""
        return self.talon is not None or any(self.hands)


def split_blocks(lines: list[Line]) -> tuple[list[Line], list[Block]]:
    """Return the lines before the first deal, and the deals."""
    header: list[Line] = []
    blocks: list[Block] = []
    for line in lines:
        opens = line.key == "deal" or (line.key in _CARDS and not blocks)
        if opens:
            blocks.append(Block(line))
        if not blocks:
            header.append(line)
            if line.key not in _HEADER:
                line.fail("stands before the first deal")
        elif line.key == "deal":
            _read_deal_line(line, blocks[-1])
        elif line.key == "dealt":
            role, rest = line.role()
            if blocks[-1].hands[role]:
                line.fail(f"{ROLES[role]} has been dealt a hand already")
            blocks[-1].hands[role] = line._replace(rest=rest)
        elif line.key == "talon":
            if blocks[-1].talon:
                line.fail("there is one talon already")
            blocks[-1].talon = line
        elif line.key in _HEADER:
            line.fail("stands behind a deal")
        else:
            blocks[-1].lines.append(line)
    return header, blocks


def _read_deal_line(line: Line, block: Block) -> None:
    """Read `3 dealer 1, from the seed`."""
    said, _, origin = line.rest.partition(",")
    words = said.split()
    block.from_seed = bool(origin)
    if origin and origin.strip() != "from the seed":
        line.fail(f"{origin.strip()!r} is not 'from the seed'")
    (block.number,) = line.numbers(words[:1], 1)
    if words[1:]:
        if words[1] != "dealer":
            line.fail(f"{' '.join(words[1:])!r} is not the dealer of the deal")
        (block.dealer,) = line.numbers(words[2:], 1)


def deck_of_block(block: Block, pack: int) -> np.ndarray:
    """Return the deck that a block gives; a card too many, too few, twice or unknown is refused."""
    ranks, seen, hands = pack // 4, 0, []
    for role, line in enumerate(block.hands):
        if line is None:
            block.line.fail(f"{ROLES[role]} has been dealt no hand")
        hand = line.hand(line.rest.split(), ranks)
        count = len(cards_in(hand, ranks))
        if count != 12:
            line.fail(f"{ROLES[role]} holds {count} cards, not 12")
        if hand & seen:
            line.fail(f"card {format_cards(cards_in(hand & seen, ranks), ranks)} stands in both hands")
        seen |= hand
        hands.append(hand)
    if block.talon is None:
        block.line.fail("there is no talon")
    talon = block.talon.cards(block.talon.rest.split(), ranks)
    if len(talon) != pack - 24:
        block.talon.fail(f"there are {len(talon)} cards, not {pack - 24}")
    for card in talon:
        if seen >> card & 1:
            block.talon.fail(f"card {format_cards([card], ranks)} stands twice in the deal")
        seen |= 1 << card
    deck = np.array([*cards_in(hands[0], ranks), *cards_in(hands[1], ranks), *talon], dtype=np.int8)
    deck.setflags(write=False)
    return deck


def read_decks(text: str, pack: int) -> list[np.ndarray]:
    """Return the decks of all deals in a text (see `decks_of` in notation.py)."""
    header, blocks = split_blocks(split_lines(text))
    rules = read_rules(header, required=False)
    if rules is not None and rules.pack != pack:
        raise NotationError(f"the text is of deals with {rules.pack} cards, the rules have {pack}")
    seed, partie = read_start(header)[:2]
    decks = []
    for number, block in enumerate(blocks, blocks[0].number or 1 if blocks else 1):
        if block.number not in (None, number):
            block.line.check(f"deal {block.number}", f"deal {number}")
        if block.from_seed and not block.has_cards:
            decks.append(deck_of(seed, partie, number, pack))
        else:
            decks.append(deck_of_block(block, pack))
    return decks


def read_rules(header: list[Line], *, required: bool) -> Rules | None:
    """Return the rules of a text; None, unless they are required, where it has none."""
    lines = [line for line in header if line.key == "rules"]
    if len(lines) > 1:
        lines[1].fail("the rules stand already in another line")
    if not lines:
        if required:
            raise NotationError("a text needs a line `rules`, such as: rules rubicon")
        return None
    try:
        return Rules.parse(lines[0].rest)
    except ValueError as error:
        lines[0].fail(str(error))


def read_start(header: list[Line]) -> tuple[int, int, tuple[int, int], tuple[int, int], int | None]:
    """Return seed, partie, totals, games and dealer."""
    seed, partie, dealer = 0, 0, None
    totals, games = (0, 0), (0, 0)
    for line in header:
        if line.key != "start":
            continue
        for said in line.rest.split(","):
            name, *words = said.split() or [""]
            if name == "seed":
                (seed,) = line.numbers(words, 1)
            elif name == "partie":
                (partie,) = line.numbers(words, 1)
            elif name == "dealer":
                (dealer,) = line.numbers(words, 1)
            elif name == "totals":
                first, second = line.numbers(words, 2)
                totals = (first, second)
            elif name == "games":
                first, second = line.numbers(words, 2)
                games = (first, second)
            else:
                line.fail(
                    f"{said.strip()!r} is not a start (write seed, partie, totals, games or dealer with its number)"
                )
    return seed, partie, totals, games, dealer
