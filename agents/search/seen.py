"""`Seen`: an observation read into the masks and numbers that search works with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from piquet_env.observation import decode, observation_scale
from piquet_env.rules.knowledge import VIEW_NAMES
from piquet_env.rules.state import ELDER, YOUNGER
from piquet_env.rules.variants import Rules

PLAY_PHASES = ("lead", "follow")
_HAND_COLUMNS = 4  # carte blanche, point, sequence and set stand first among the columns of the score
_BONUS, _PLAY, _CARDS = 4, 6, 7


@dataclass(frozen=True, slots=True)
class Seen:
    """What a seat sees, as masks of cards and whole numbers.

    facts: the blocks of the observation as whole numbers, for what has no name here
    """

    rules: Rules
    facts: dict[str, npt.NDArray[np.int64]]

    @classmethod
    def of(cls, observation: np.ndarray, rules: Rules) -> Seen:
        """Return an observation (float32 or int8, one vector) as `Seen`."""
        if observation.dtype.kind == "f":
            observation = np.rint(observation / observation_scale(rules.pack))
        return cls(rules, decode(observation.astype(np.int64)))

    def mask(self, block: str) -> int:
        """Return a block by card as a mask of the cards marked in it."""
        marked = np.packbits(self.facts[block] != 0, bitorder="little")
        return int.from_bytes(marked.tobytes(), "little")

    def cards(self, block: str) -> list[int]:
        """Return the cards marked in a block by card, ascending."""
        return np.flatnonzero(self.facts[block]).tolist()

    @property
    def phase(self) -> str:
        """The phase by its name in piquet_env/rules/knowledge.py."""
        return VIEW_NAMES[int(self.facts["phase"].argmax())]

    @property
    def role(self) -> int:
        """ELDER or YOUNGER."""
        return ELDER if self.facts["elder"][0] else YOUNGER

    @property
    def led(self) -> int | None:
        """The card on the table; None where there is none."""
        table = self.facts["table"]
        return int(table.argmax()) if table.any() else None

    @property
    def cards_of_other(self) -> int:
        """How many cards the other holds."""
        return 12 - int(np.count_nonzero(self.facts["other_trick"]))

    @property
    def tricks_won(self) -> tuple[int, int]:
        """Tricks won: own, the other's."""
        own, other = self.facts["tricks_won"].tolist()
        return own, other

    @property
    def other_has_answered(self) -> bool:
        """Whether the other has played a card, which ends all that he may declare."""
        return bool(self.facts["other_trick"].any())

    def void_suits(self) -> list[int]:
        """Return the suits of which the other can hold no card: he has not followed to them."""
        own, other, led = self.facts["own_trick"], self.facts["other_trick"], self.facts["tricks_led"]
        suits = set()
        for trick in range(1, int(other.max()) + 1):
            if led[trick - 1]:
                asked = int(np.flatnonzero(own == trick)[0]) // self.rules.ranks
                answered = int(np.flatnonzero(other == trick)[0]) // self.rules.ranks
                if asked != answered:
                    suits.add(asked)
        return sorted(suits)

    # -- the score of the deal ----------------------------------------------------------------------------------------

    def towards_pique(self) -> tuple[int, int]:
        """Return the points that count towards a pique: own, the other's."""
        found = []
        for block in ("own_points", "other_points"):
            points = self.facts[block]
            early = points[_CARDS] if self.rules.cards_count_for_pique else 0
            found.append(int(points[:_HAND_COLUMNS].sum() + points[_PLAY] + early))
        return found[0], found[1]

    def may_pique(self) -> tuple[bool, bool]:
        """Return whether the record allows a pique: own, the other's."""
        own, other = self.facts["pique_open"].tolist()
        return bool(own), bool(other)

    def booked_cards(self) -> tuple[int, int]:
        """Return the points for cards that stand in the score: own, the other's."""
        return int(self.facts["own_points"][_CARDS]), int(self.facts["other_points"][_CARDS])

    def points(self) -> tuple[int, int]:
        """Return the points of the deal so far: own, the other's."""
        return int(self.facts["own_points"].sum()), int(self.facts["other_points"].sum())

    # -- the partie ---------------------------------------------------------------------------------------------------

    @property
    def deal_number(self) -> int:
        """The number of the deal, from 1."""
        units, hundreds = self.facts["deal_number"].tolist()
        return int(units + 100 * hundreds)

    @property
    def deals_left(self) -> int:
        """Deals that will follow, as planned."""
        return int(self.facts["deals_left"][0])

    @property
    def totals(self) -> tuple[int, int]:
        """Points from ended deals: own, the other's."""
        return _number(self.facts["own_total"]), _number(self.facts["other_total"])


def _number(digits: npt.NDArray[np.int64]) -> int:
    return sum(int(digit) * 100**place for place, digit in enumerate(digits.tolist()))
