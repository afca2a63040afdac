"""Agents for the tests of the arena and the registry: slow, wrong and broken ones."""

import os
import sys
import time

import numpy as np

from agents.base import Actions, Agent, BatchAgent, View
from agents.random_agent import RandomAgent
from agents.streams import RowRandom


class Dumb(Exception):
    """An exception that cannot be shown."""

    def __str__(self) -> str:
        raise RuntimeError("no words")


class Plain(Agent):
    """Plays as RandomAgent does, but knows no batches."""

    def reset(self, seed: int) -> None:
        self.inner = RandomAgent()
        self.inner.reset(seed)

    def act(self, view: View) -> int:
        return self.inner.act(view)


class Remembers(Agent):
    """Plays by what it has seen since `reset`: the n-th legal action of the n-th decision."""

    def reset(self, seed: int) -> None:
        self.decisions = seed % 7

    def act(self, view: View) -> int:
        self.decisions += 1
        return view.legal_actions[self.decisions % len(view.legal_actions)]


class Fails(Plain):
    """Does what `how` says at its decision number `at` of every partie, or in `reset`."""

    def __init__(self, *, how: str = "raise", at: int = 20) -> None:
        self.how = how
        self.at = at

    def reset(self, seed: int) -> None:
        super().reset(seed)
        self.left = self.at
        if self.how == "reset":
            raise RuntimeError("cannot begin")

    def act(self, view: View) -> int:
        self.left -= 1
        if self.left >= 0:
            return super().act(view)
        if self.how == "raise":
            raise RuntimeError("lost my head")
        if self.how == "interrupt":
            raise KeyboardInterrupt
        if self.how == "exit":
            sys.exit(0)
        if self.how == "dumb":
            raise Dumb
        return {
            "negative": -1,
            "large": 10_000,
            "huge": 2**80,
            "illegal": int(np.flatnonzero(view.action_mask == 0)[0]),
            "float": 1.0,
            "bool": True,
            "none": None,
        }[self.how]  # type: ignore[return-value]


class Sleeps(Plain):
    """Takes its time over every decision."""

    def __init__(self, *, seconds: float) -> None:
        self.seconds = seconds

    def act(self, view: View) -> int:
        time.sleep(self.seconds)
        return super().act(view)


class SleepsInBatches(RandomAgent):
    """Takes its time over every batch."""

    def __init__(self, *, seconds: float) -> None:
        self.seconds = seconds

    def act_batch(self, observations: np.ndarray, masks: np.ndarray, rng: RowRandom) -> Actions:
        time.sleep(self.seconds)
        return super().act_batch(observations, masks, rng)


class Kills(Plain):
    """Ends its process in a way that no agent may."""

    def act(self, view: View) -> int:
        os._exit(3)


class BatchFails(BatchAgent):
    """Plays at random, and fails in the rows whose hand as dealt holds the ace of spades once the tricks have begun."""

    def __init__(self, *, how: str = "raise") -> None:
        self.how = how

    def act_batch(self, observations: np.ndarray, masks: np.ndarray, rng: RowRandom) -> Actions:
        actions = RandomAgent().act_batch(observations, masks, rng)
        bad = (observations[:, 32 + 7] > 0) & masks[:, :32].any(axis=1)
        if self.how == "raise" and bad.any():
            raise RuntimeError("spades")
        if self.how == "illegal":
            actions[bad] = 139
        if self.how == "shape":
            return actions[:, None]
        return actions


class NoAgent:
    """Derives from nothing."""


class CannotBeMade(Agent):
    def __init__(self, *, size: int = 1) -> None:
        raise RuntimeError(f"size {size} is not possible")


class Greets(RandomAgent):
    def __init__(self, *, word: str = "hello", times: int = 1, loud: bool = False) -> None:
        self.said = (word, times, loud)
