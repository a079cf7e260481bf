"""A sentence as tokens: their classes, what negations cover, runs of nouns and clauses."""

from __future__ import annotations

import re
from dataclasses import dataclass

from udfs.english.lexicon import is_known, word_class
from udfs.english.negation import is_negation, negated
from udfs.english.opinions.words import opinion_of
from udfs.english.sentences import CLAUSE_MARKS, CLAUSE_WORDS

_WORD_OR_MARK = r"[^\W_]+(?:[-'][^\W_]+)*|[.,;:!?()\[\]\u2026\u2013\u2014]|&"
_TOKEN = re.compile(_WORD_OR_MARK)
_TOKEN_OR_SYMBOL = re.compile(rf"{_WORD_OR_MARK}|\S")
_OPENERS = frozenset(".!?:;(")


@dataclass(frozen=True)
class Sentence:
    """Tokens as they stand in the text, the same in lower case, and whether a negation covers each.

    A position may lie outside of the sentence: the word there is '' and its class "end".
    """

    raw: tuple[str, ...]
    words: tuple[str, ...]
    negated: tuple[bool, ...]
    is_caption: bool = False

    def word(self, position: int) -> str:
        """The lower-case token there; '' outside the sentence."""
        return self.words[position] if 0 <= position < len(self.words) else ""

    def kind(self, position: int) -> str:
        """The class of the word there, where every opinion is an adjective; "mark" or "end"."""
        if not 0 <= position < len(self.words):
            return "end"
        word = self.words[position]
        if not word[0].isalnum():
            return "mark"
        return "adjective" if opinion_of(word) is not None else word_class(word)

    def nouns_end(self, start: int) -> int:
        """Where the run of nouns that begins at `start` ends; `start` itself when none does."""
        end = start
        while self.kind(end) == "noun":
            end += 1
        return end

    def nouns_start(self, end: int) -> int:
        """Where the run of nouns that ends before `end` begins; `end` itself when none does."""
        start = end
        while start > 0 and self.kind(start - 1) == "noun":
            start -= 1
        return start

    def clause_start(self, index: int) -> int:
        """Where the clause of the token at `index` begins."""
        for position in range(index - 1, -1, -1):
            if self.words[position] in CLAUSE_MARKS or self.words[position] in CLAUSE_WORDS:
                return position + 1
        return 0

    def closes_clause(self, index: int, more: frozenset[str] = frozenset()) -> bool:
        """Whether the token at `index` is the last of its clause, or one of `more` follows it."""
        after = self.word(index + 1)
        return after in ("", ",", "and") or after in CLAUSE_MARKS | CLAUSE_WORDS | more

    def is_cue(self, position: int) -> bool:
        """Whether the word there negates something; the "no" of "no doubt" does not."""
        return is_negation(self.words[position]) and self.negated[position]

    def is_name(self, position: int) -> bool:
        """A capital inside a sentence, or an unknown word that opens it with one."""
        raw = self.raw[position]
        if not raw[0].isupper() or (raw.isupper() and len(raw) > 1):
            return False
        opens = position == 0 or self.raw[position - 1] in _OPENERS
        return not opens or not is_known(self.words[position])


def parse(sentence: str, is_caption: bool = False) -> Sentence:
    """Words with their hyphens and apostrophes, and every mark and symbol."""
    tokens = _TOKEN_OR_SYMBOL.findall(sentence.replace("\u2019", "'"))
    return _sentence(["and" if token == "&" else token for token in tokens], is_caption)


def parse_remark(sentence: str) -> Sentence:
    """Words without a possessive 's and the marks that end a clause; other symbols are left out."""
    return _sentence([_without_possessive(token) for token in _TOKEN.findall(sentence)], False)


def _sentence(raw: list[str], is_caption: bool) -> Sentence:
    words = [token.lower() for token in raw]
    return Sentence(tuple(raw), tuple(words), tuple(negated(words)), is_caption)


def _without_possessive(token: str) -> str:
    if token == "&":
        return "and"
    if "'" in token and token[-2:] in ("'s", "'S") and len(token) > 2:
        return token[:-2]
    return token
