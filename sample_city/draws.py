"""Seeded draws that are the same on every machine and Python version."""

import base64
import hashlib
import random
from collections.abc import Mapping, Sequence
from typing import TypeVar

T = TypeVar("T")


class Draws:
    """A stream of draws named by its parts. `Random.random` alone never changes."""

    def __init__(self, *parts: object) -> None:
        self._random = random.Random("|".join(map(str, parts))).random

    def number(self, low: float = 0.0, high: float = 1.0) -> float:
        """A number in [low, high)."""
        return low + (high - low) * self._random()

    def integer(self, low: int, high: int) -> int:
        """A whole number from low to high, both included."""
        return low + int(self._random() * (high - low + 1))

    def chance(self, probability: float) -> bool:
        """True with this probability."""
        return self._random() < probability

    def bell(self) -> float:
        """A number around 0 with spread 1, by the sum of twelve."""
        return sum(self._random() for _ in range(12)) - 6.0

    def pick(self, options: Sequence[T]) -> T:
        """One of the options."""
        return options[int(self._random() * len(options))]

    def weighted(self, weights: Mapping[T, float]) -> T:
        """One of the keys, in proportion to its weight."""
        rest = self._random() * sum(weights.values())
        for option, weight in weights.items():
            rest -= weight
            if rest < 0:
                return option
        return next(option for option in reversed(list(weights)) if weights[option] > 0)

    def sample(self, options: Sequence[T], count: int) -> list[T]:
        """Up to `count` different options, in drawn order."""
        left = list(options)
        return [left.pop(int(self._random() * len(left))) for _ in range(min(count, len(left)))]


def make_id(*parts: object) -> str:
    """An id as Yelp writes them: 22 URL-safe characters."""
    digest = hashlib.md5("|".join(map(str, parts)).encode(), usedforsecurity=False).digest()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")
