"""Sentences, their words and stems, and what ends a clause."""

from __future__ import annotations

import re
import threading
from functools import lru_cache

import snowballstemmer

from udfs.english.word_lists import word_set

_CJK_ENDS = "\u3002\uff01\uff1f"
# A mark ends a sentence before a space ("4.5 km" is none), a CJK mark anywhere.
_SENTENCE_END = re.compile(
    rf"(?<=[.!?\u2026{_CJK_ENDS}])[\"'\u201d\u2019)\]]*(?=\s)|(?<=[{_CJK_ENDS}])|\s*\n+\s*"
)
_ABBREVIATION = re.compile(r"\b(?:(?i:mr|mrs|ms|dr|st|vs|approx|e\.g|i\.e|etc)|[A-Z])\.$")
_TOKEN = re.compile(
    r"\d+(?:[.,]\d+)*|[^\W_\d]+(?:'[^\W_]+)*|[^\W_]+|[.,;:!?()\[\]\u2026\u2014\u2013\n]"
)
_WIFI = re.compile(r"\bwi[- ]fi\b")


class _Stemmer(threading.local):
    """A stemmer keeps its word in itself, so each thread has its own."""

    def __init__(self) -> None:
        self.stemmer = snowballstemmer.stemmer("english")


_STEMMER = _Stemmer()

CLAUSE_MARKS = frozenset(".;:!?()[]\u2026\u2014\u2013\n")
CLAUSE_WORDS = word_set(
    "but however although though yet except because unless so since while whereas which instead "
    "plus besides"
)


def split_sentences(content: str, max_sentences: int = 60, max_chars: int = 400) -> list[str]:
    """Cut a text into sentences, in order; long ones are cut again at a space near `max_chars`."""
    sentences: list[str] = []
    start = 0
    for match in _SENTENCE_END.finditer(content):
        piece = content[start : match.end()].strip()
        if "\n" not in match.group() and _ABBREVIATION.search(piece):
            continue
        start = match.end()
        sentences.extend(_cut(piece, max_chars))
        if len(sentences) >= max_sentences:
            return sentences[:max_sentences]
    sentences.extend(_cut(content[start:].strip(), max_chars))
    return sentences[:max_sentences]


def _cut(sentence: str, max_chars: int) -> list[str]:
    pieces = []
    while len(sentence) > max_chars:
        space = sentence.rfind(" ", max_chars // 2, max_chars)
        end = space if space > 0 else max_chars
        pieces.append(sentence[:end].strip())
        sentence = sentence[end:].strip()
    return [piece for piece in (*pieces, sentence) if piece]


def tokenize(sentence: str) -> list[str]:
    """Lower-case words (contractions whole, hyphens split) and the marks that end a clause."""
    text = sentence.lower().replace("\u2019", "'").replace("`", "'")
    return _TOKEN.findall(_WIFI.sub("wifi", text))


def is_word(token: str) -> bool:
    return token[0].isalnum()


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The English Snowball stem, of the plain degree: "showers" is "shower", "loudest" "loud"."""
    if word.endswith(("iest", "ier")) and len(word) >= 6:
        word = word[: word.rindex("i")] + "y"
    elif word.endswith("est") and len(word) >= 7:
        word = word[:-3]
    return str(_STEMMER.stemmer.stemWord(word))
