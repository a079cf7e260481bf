"""The word lists of the folder `words`, each read once."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

WORDS = Path(__file__).parent / "words"


def word_set(words: str) -> frozenset[str]:
    """The words of a text, as a set."""
    return frozenset(words.split())


@lru_cache(maxsize=16)
def load(name: str) -> Any:
    """The content of a YAML file of the folder, read once: do not change it."""
    return yaml.safe_load((WORDS / name).read_text(encoding="utf-8"))
