"""Opinion words: whether "friendliest", "rude" or "cold" praise or blame, and which features."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

from udfs.english.lexicon import word_class
from udfs.english.word_lists import load


@dataclass(frozen=True)
class Opinion:
    """Polarity of a word, the word kept before the feature ('' keeps none), and how sure it is."""

    is_positive: bool
    kept: str
    weight: float = 1.0


@dataclass(frozen=True)
class OpinionWords:
    """The lists of `words/opinions.yml` as sets and maps."""

    opinions: dict[str, Opinion]
    by_feature: dict[tuple[str, str], Opinion]
    feature_adjectives: frozenset[str]
    neutral: frozenset[str]
    ignored: frozenset[str]
    likes: dict[str, bool]
    synonyms: dict[str, str]
    places: frozenset[str]
    persons: frozenset[str]
    bare_staff: frozenset[str]
    bare_place: frozenset[str]
    bare_price: frozenset[str]
    place_features: dict[str, str]
    fits: dict[str, frozenset[str]]
    goes_with: dict[str, frozenset[str]]
    unasked: frozenset[str]
    needs_word: frozenset[str]
    plural: frozenset[str]
    atmosphere_words: frozenset[str]
    rejected: frozenset[str]
    containers: frozenset[str]
    collections: frozenset[str]


@lru_cache(maxsize=1)
def opinion_words() -> OpinionWords:
    """Read the lists once."""
    raw: dict[str, Any] = load("opinions.yml")
    opinions = {word: Opinion(True, "") for word in raw["praise"].split()}
    opinions |= {word: Opinion(False, "") for word in raw["blame"].split()}
    for kept, synonyms in raw["descriptive"].items():
        opinions |= {word: Opinion(True, kept) for word in (kept, *synonyms.split())}
    for kept, words in raw["opposites"].items():
        opinions |= {word: Opinion(False, kept) for word in words.split()}
    by_feature = {
        (word, feature): Opinion(rule.startswith("positive"), rule.split()[1].strip("-"))
        for word, rules in raw["by_feature"].items()
        for rule, features in rules.items()
        for feature in features.split()
    }
    synonyms = {
        synonym: feature for feature, words in raw["features"].items() for synonym in words.split()
    }
    sets = {
        name: frozenset(raw[name].split())
        for name in (
            "neutral",
            "ignored",
            "places",
            "persons",
            "bare_staff",
            "bare_place",
            "bare_price",
            "atmosphere_words",
            "rejected",
            "containers",
            "collections",
            "unasked",
            "needs_word",
            "plural",
        )
    }
    return OpinionWords(
        opinions=opinions,
        by_feature=by_feature,
        feature_adjectives=frozenset(word for word, _ in by_feature),
        likes=dict.fromkeys(raw["likes"].split(), True)
        | dict.fromkeys(raw["dislikes"].split(), False),
        synonyms=synonyms,
        place_features=dict(raw["place_features"]),
        fits={feature: frozenset(words.split()) for feature, words in raw["fits"].items()},
        goes_with={word: frozenset(names.split()) for word, names in raw["goes_with"].items()},
        **sets,
    )


@lru_cache(maxsize=1)
def _vader() -> dict[str, float]:
    lexicon: dict[str, float] = SentimentIntensityAnalyzer().lexicon
    return lexicon


@lru_cache(maxsize=65536)
def base(word: str) -> str:
    """The positive degree of an adjective on the lists: friendliest -> friendly, bigger -> big."""
    words = opinion_words()
    for ending in ("er", "est", "r", "st"):
        if not word.endswith(ending) or len(word) < len(ending) + 3:
            continue
        stem = word[: -len(ending)]
        for candidate in (stem, stem[:-1] + "y" if stem[-1] == "i" else stem, stem[:-1]):
            if candidate in words.opinions or candidate in words.feature_adjectives:
                return candidate
    return word


@lru_cache(maxsize=65536)
def opinion_of(word: str, feature: str = "") -> Opinion | None:
    """The opinion of the lower-case word, about this feature if given; None for other words."""
    words = opinion_words()
    for form in (word, base(word)):
        if (form, feature) in words.by_feature:
            return words.by_feature[form, feature]
    for form in (word, base(word)):
        if form in words.opinions:
            opinion = words.opinions[form]
            special = words.by_feature.get((opinion.kept, feature))
            if special is None:
                return opinion
            return Opinion(special.is_positive == opinion.is_positive, special.kept)
    front, hyphen, last = word.rpartition("-")
    if hyphen and last in words.opinions and front not in ("not", "non", "so", "less"):
        # "lightning-fast"; but "dog-friendly" says whom the place is for.
        return None if last == "friendly" else words.opinions[last]
    valence = _vader().get(word, 0.0)
    if (
        abs(valence) < 1.0
        or word in words.neutral | words.ignored
        or word_class(word) != "adjective"
    ):
        return None
    return Opinion(valence > 0, "", weight=0.7)


def is_comparative(word: str) -> bool:
    """Whether the word compares: better, cleaner."""
    return word == "better" or (word.endswith("er") and base(word) != word)


@lru_cache(maxsize=65536)
def may_judge(word: str) -> bool:
    """Whether the word is an opinion of some feature."""
    return opinion_of(word) is not None or base(word) in opinion_words().feature_adjectives
