"""How the learning rate and the weight of the entropy fall with the decisions made.

They depend on the decisions alone, not on the length of a run, so a run can be stopped and gone on with at any point.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Schedules:
    """Both fall as 1 / sqrt(1 + decisions / decay), from the beginning of the run on.

    learning_rate, entropy: at the beginning
    decay:     decisions in which they fall to 0.71
    lessons:   decisions in the beginning that are imitated, with the learning rate `lesson_rate`, which does not fall
    decisions: made so far; kept up to date by the learner
    cooling:   a further factor on the learning rate, for the end of a run
    """

    learning_rate: float
    entropy: float
    decay: int
    lessons: int = 0
    lesson_rate: float = 0.0
    decisions: int = 0
    cooling: float = 1.0

    @property
    def fall(self) -> float:
        """The factor that both have fallen to."""
        return float((1 + self.decisions / self.decay) ** -0.5)

    def learning_rate_now(self, _progress: float) -> float:
        """Return the learning rate, as Stable-Baselines3 asks for it."""
        if self.decisions < self.lessons:
            return self.lesson_rate
        return self.learning_rate * self.fall * self.cooling

    def entropy_now(self) -> float:
        """Return the weight of the entropy."""
        return self.entropy * self.fall
