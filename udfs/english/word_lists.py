"""The word lists of the folder `words` and those among the seeds, each read once."""

from __future__ import annotations

import csv
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from udfs.english import SMALL_WORDS_SEED

WORDS = Path(__file__).parent / "words"


def word_set(words: str) -> frozenset[str]:
    """The words of a text, as a set."""
    return frozenset(words.split())


@lru_cache(maxsize=16)
def load(name: str) -> Any:
    """The content of a YAML file of the folder, read once: do not change it."""
    return yaml.safe_load((WORDS / name).read_text(encoding="utf-8"))


def seed_words(seed: Path, reader: str = "") -> frozenset[str]:
    """The words of a seed; of one with a column `reads`, those for this reader or both."""
    with seed.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        return frozenset(row["word"] for row in rows if row.get("reads") in (None, "both", reader))


SMALL_WORDS = seed_words(SMALL_WORDS_SEED)
