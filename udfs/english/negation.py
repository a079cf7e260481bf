"""Which words make a text negative, and how far a negation reaches.

Two further kinds of phrases: those that look like a negation and are none ("not only"), and those
that say that something need not be done ("no need to book").
"""

from __future__ import annotations

from udfs.english import NEGATIONS_SEED
from udfs.english.sentences import CLAUSE_MARKS, CLAUSE_WORDS, is_word
from udfs.english.word_lists import seed_words, word_set


def _phrases(text: str) -> dict[str, list[tuple[str, ...]]]:
    """Phrases between bars, by their first word."""
    by_first: dict[str, list[tuple[str, ...]]] = {}
    for phrase in text.split("|"):
        words = tuple(phrase.split())
        by_first.setdefault(words[0], []).append(words)
    return by_first


NEGATIONS = seed_words(NEGATIONS_SEED, reader="rules")
# Phrases that look like a negation and are none.
_NOT_NEGATIONS = _phrases(
    "not only|not just|not to mention|no doubt|without a doubt|without doubt|no wonder|"
    "no problem|no problems|no issue|no issues|no matter|no question|nothing but|none other|"
    "can't wait|cannot wait|can't beat|cannot beat|can't go wrong|cannot go wrong|"
    "couldn't be better|couldn't be happier|couldn't have been|couldn't ask|could not ask|"
    "can't recommend|cannot recommend|can't say enough|can't get enough|never disappoints|"
    "never disappoint|doesn't disappoint|didn't disappoint|does not disappoint|never fails|"
    "don't miss|do not miss|don't hesitate|do not hesitate|don't forget|do not forget|why not|"
    "whether or not|if not|no joke|no need|not a problem|no less|no more than|not least|no fuss|"
    "no complaints|no better|never had better|never had a better|never had such|never seen such|"
    "with or without|why wouldn't|why don't|not far|nothing beats|"
    "no other way|no time at all|no shortage|no lack|no trouble|nothing short"
)
# Phrases that deny without a negation: the words behind them, and below the words on both sides.
_ABSENT = _phrases(
    "used to|wish they|wish it|wish there|wish i|wish we|no longer|if only they|if they had|"
    "stopped|forget about|skip the|skip this|skip it|turn away|turns away|turned away|"
    "took away|took out the|closed the|bother with|don't bother|"
    "would be nice if|would be great if|could use a|could use some|could really use|should add|"
    "need to add"
)
_GONE = _phrases(
    "sold out|ran out|out of order|out of stock|out of service|anything but|far from|"
    "is missing|are missing|is gone|are gone|was gone|"
    "is out of|are out of|was out of|were out of|shut off|turned off|went away|got rid|taken out"
)
# Phrases that free the guest of a duty.
_WAIVERS = _phrases(
    "no need to|no need for|no reason to|not necessary to|isn't necessary to|unnecessary to|"
    "need not|needn't|don't need|didn't need|do not need|did not need|doesn't need|won't need|"
    "never need|never needed|don't have to|didn't have to|do not have to|did not have to|"
    "doesn't have to|won't have to|never have to|never had to"
)
# "Showers are not available": such a word behind a negation extends it to the words in front.
AVAILABILITY = word_set(
    "available accept accepted allow allowed offer offered provide provided permit permitted "
    "possible include included exist serve served welcome option here there open working work "
    "works have had found find anywhere sight taken made sold fit suitable supported honored "
    "required needed anymore"
)
SCOPE_WORDS = 8
_PLACES = word_set("in at on near from around inside outside during within into under")
_LINKS = word_set(
    "a an the any much many be to that very count rely depend insist believe interested get come "
    "let trained skilled experienced"
)
# Words without a meaning of their own: a negation followed by these alone denies the words before.
_LIGHT = word_set(
    "there here it its it's one ones any they them their he she we us i you have has had do does "
    "did is are was were be been at all this that but and so really actually something thing "
    "things said found saw see trace kind of the sort exist exists what to only just even though "
    "ever yet offer take accept serve sell carry provide allow refuse refused how would describe "
    "call"
)
_LIST_ENDS = frozenset(["or", "nor", "and"])


def is_negation(token: str) -> bool:
    return token in NEGATIONS or token.endswith("n't")


def negated(tokens: list[str]) -> list[bool]:
    """For each token, whether an explicit negation covers it."""
    return [cue is not None for cue in negation_cues(tokens)]


def negation_cues(tokens: list[str]) -> list[int | None]:
    """For each token, the position of the negation that covers it, or None.

    A negation reaches 8 words ahead or to the end of its clause, through the commas of a list ("no
    water, showers or shops"), not past a word of place ("no shade in the pool area"). It reaches
    back to the start of its clause when what it negates is availability ("dogs are not allowed"),
    and further when it has nothing of its own to negate ("I wanted a table, there isn't one").
    Two negations do not cancel.
    """
    covered: list[int | None] = [None] * len(tokens)
    skip = 0
    for index, token in enumerate(tokens):
        if index < skip:
            continue
        skip = index + _length(_NOT_NEGATIONS, tokens, index)
        if skip > index:
            continue
        if is_negation(token) or _length(_ABSENT, tokens, index):
            _cover_ahead(tokens, index, covered)
        elif _is_too(tokens, index):
            _cover_ahead(tokens, index + 2, covered)
        elif _length(_GONE, tokens, index):
            _cover_ahead(tokens, index, covered)
            _cover_back(tokens, index - 1, index, covered)
    return covered


def waived(tokens: list[str]) -> list[bool]:
    """For each token, whether a phrase frees the guest of it: "no need to bring cash"."""
    covered = [False] * len(tokens)
    for index in range(len(tokens)):
        if _length(_WAIVERS, tokens, index):
            for ahead in range(index, min(index + SCOPE_WORDS, len(tokens))):
                if tokens[ahead] in CLAUSE_MARKS | CLAUSE_WORDS | {","}:
                    break
                covered[ahead] = True
    return covered


def without_idioms(tokens: list[str]) -> list[str]:
    """The tokens without the phrases that look like a negation and are none."""
    kept = []
    skip = 0
    for index, token in enumerate(tokens):
        skip = max(skip, index + _length(_NOT_NEGATIONS, tokens, index))
        if index >= skip:
            kept.append(token)
    return kept


def _is_too(tokens: list[str], index: int) -> bool:
    """ "too small for RVs", "too plain to be romantic"."""
    after = tokens[index + 2 : index + 4]
    return tokens[index] == "too" and (
        after[:1] == ["for"] or (after[:1] == ["to"] and after[1:] in (["be"], ["feel"], ["call"]))
    )


def _length(phrases: dict[str, list[tuple[str, ...]]], tokens: list[str], start: int) -> int:
    """How many tokens a phrase that begins at `start` has; 0 when none does."""
    for phrase in phrases.get(tokens[start], ()):
        if tuple(tokens[start : start + len(phrase)]) == phrase:
            return len(phrase)
    return 0


def _cover_ahead(tokens: list[str], cue: int, covered: list[int | None]) -> None:
    covered[cue] = cue
    words = 0
    is_bare = True
    for index in range(cue + 1, len(tokens)):
        token = tokens[index]
        if token in CLAUSE_MARKS or token in CLAUSE_WORDS or words >= SCOPE_WORDS:
            break
        if token == "," and not _list_goes_on(tokens, index):
            break
        if token in _PLACES and words >= 1 and tokens[index - 1] not in _LINKS:
            is_bare = is_bare and words == 0
            break
        covered[index] = cue
        words += is_word(token)
        is_bare = is_bare and token in _LIGHT
        if token in AVAILABILITY and words <= 3:
            _cover_back(tokens, cue - 1, cue, covered)
    if is_bare:
        start = cue - 1
        while start >= 0 and (tokens[start] in _LIGHT or not is_word(tokens[start])):
            start -= 1
        _cover_back(tokens, start, cue, covered)


def _cover_back(tokens: list[str], start: int, cue: int, covered: list[int | None]) -> None:
    words = 0
    for index in range(start, -1, -1):
        token = tokens[index]
        if token in CLAUSE_MARKS or token in CLAUSE_WORDS or words >= SCOPE_WORDS:
            break
        if token == "," and not _LIST_ENDS & set(tokens[index + 1 : index + 4]):
            break
        covered[index] = cue
        words += is_word(token)


def _list_goes_on(tokens: list[str], comma: int) -> bool:
    """Whether the comma separates members of a list that an "or" or "nor" closes soon."""
    for token in tokens[comma + 1 : comma + 7]:
        if token in ("or", "nor"):
            return True
        if token in CLAUSE_MARKS or token in CLAUSE_WORDS:
            return False
    return False
