"""The other words for a topic of a claim, and its opposites, as `cues.yml` lists them."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import yaml

from udfs.english.sentences import is_word, stem, tokenize

_CUES = Path(__file__).with_name("cues.yml")
WILD = "*"  # one or two words of a phrase, whichever

Phrase = tuple[str, ...]


class Entry(NamedTuple):
    """Phrases of stems: those that name a topic in a claim, others for it, and its opposites."""

    names: tuple[Phrase, ...]
    same: tuple[Phrase, ...]
    opposite: tuple[Phrase, ...]


class CueWords(NamedTuple):
    """The lists of cues.yml.

    frame: words of a claim that are no topic; kinds: words that name a kind of thing, which claims
    share; guest_verbs: verbs of what guests do themselves; praise, criticism: words that make a
    claim one of sentiment.
    """

    frame: frozenset[str]
    kinds: frozenset[str]
    guest_verbs: frozenset[str]
    praise: frozenset[str]
    criticism: frozenset[str]
    entries: tuple[Entry, ...]


@lru_cache(maxsize=1)
def cue_words() -> CueWords:
    """Read the lists once."""
    content = yaml.safe_load(_CUES.read_text(encoding="utf-8"))
    words = {
        name: frozenset(content[name].split())
        for name in ("frame", "kinds", "guest_verbs", "praise", "criticism")
    }
    entries = tuple(
        Entry(*(_phrases(entry.get(part, [])) for part in ("names", "same", "opposite")))
        for entry in content["entries"]
    )
    return CueWords(**words, entries=entries)


def entries_of(stems: list[str]) -> list[tuple[Entry, set[int]]]:
    """The entries whose names occur in a claim, and where; a longer name hides those inside it."""
    found = []
    for entry in cue_words().entries:
        covered = {index for name in entry.names for index in _positions(stems, name)}
        if covered:
            found.append((entry, covered))
    return [
        (entry, covered)
        for entry, covered in found
        if not any(covered < other for _, other in found)
    ]


def _positions(stems: list[str], phrase: Phrase) -> list[int]:
    size = len(phrase)
    return [
        index
        for start in range(len(stems) - size + 1)
        if tuple(stems[start : start + size]) == phrase
        for index in range(start, start + size)
    ]


def _phrases(texts: list[str]) -> tuple[Phrase, ...]:
    return tuple(_phrase(str(text)) for text in texts)


def _phrase(text: str) -> Phrase:
    parts = text.split(f" {WILD} ")
    stems = [[stem(token) for token in tokenize(part) if is_word(token)] for part in parts]
    joined = stems[0]
    for part in stems[1:]:
        joined = [*joined, WILD, *part]
    return tuple(joined)
