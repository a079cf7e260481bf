"""The embedded extractor: the features that a text praises or blames."""

from __future__ import annotations

from typing import NamedTuple

from udfs.english.opinions.remarks import remarks, spell_out
from udfs.english.sentences import split_sentences


class Feature(NamedTuple):
    """One opinion: "friendly staff" or "coffee", "positive" or "negative", confidence in [0, 1]."""

    feature: str
    polarity: str
    confidence: float


def extract_features(content: str) -> list[Feature]:
    """The features that a text praises or blames, each once with its best confidence, in order."""
    best: dict[tuple[str, str], float] = {}
    for sentence in split_sentences(spell_out(content)):
        for remark in remarks(sentence):
            key = (remark.feature, "positive" if remark.is_positive else "negative")
            best[key] = max(best.get(key, 0.0), remark.confidence)
    return [Feature(feature, polarity, round(c, 4)) for (feature, polarity), c in best.items()]
