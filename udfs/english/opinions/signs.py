"""Whether a sentence means what an adjective says, the reverse, or neither.

A sign is 1 as the adjective says, -1 for its reverse, 0 where the sentence does not tell.
"""

from __future__ import annotations

from udfs.english.opinions.words import is_comparative
from udfs.english.parse import Sentence
from udfs.english.word_lists import word_set

MODALS = word_set("would could should might may must can will wouldn't shouldn't couldn't 'd")
DOUBTS = word_set("if wish hope hoping hoped expect expected expecting unless")
_SEEKS = word_set("looking look want wanted wanting need needed searching search seeking")
_PRAISING_NEGATIONS = word_set("never no haven't hadn't couldn't")
_PASSIVE_NEGATIONS = word_set(
    "have had has be been was is are were get got find found see saw serve offer provide receive "
    "call say that the a an any very so really as too particularly especially all overly most "
    "exactly quite always super overwhelmingly with our my their your such it them this"
)


def sign_before_noun(sentence: Sentence, index: int) -> int:
    """The sign of an adjective in front of its noun; 0 when a negation is too far to tell."""
    if not sentence.negated[index]:
        return 1
    start = sentence.clause_start(index)
    cue = next((i for i in range(index - 1, start - 1, -1) if sentence.is_cue(i)), None)
    if cue is None:
        return 0
    between = sentence.words[cue + 1 : index]
    if is_comparative(sentence.words[index]):
        # "Never had a better coffee" and "no better coffee in town" praise it.
        return int(sentence.words[cue] in _PRAISING_NEGATIONS)
    return -1 if set(between) <= _PASSIVE_NEGATIONS and len(between) <= 4 else 0


def sign_after_verb(sentence: Sentence, verb: int, index: int) -> int:
    """The sign of an adjective behind a linking verb; 0 where the sentence only supposes."""
    if _is_hypothetical(sentence, verb):
        # "Could be better" blames, "could not be better" praises, "would be" does neither.
        near = sentence.words[max(0, verb - 3) : verb]
        if not is_comparative(sentence.words[index]) or not {"could", "couldn't"} & set(near):
            return 0
        return 1 if sentence.negated[index] or "couldn't" in near else -1
    if not sentence.negated[index]:
        return 1
    near_cue = any(sentence.is_cue(i) for i in range(max(0, verb - 2), index))
    return -1 if near_cue else 0


def is_sought(sentence: Sentence, index: int) -> bool:
    """Whether the noun behind the adjective is looked for, hoped for or supposed, not met."""
    before = sentence.words[sentence.clause_start(index) : index]
    near = before[-6:]
    if DOUBTS & set(before) or _SEEKS & set(near):
        return True
    return any(word in MODALS and word not in ("can", "will") for word in near[-4:])


def _is_hypothetical(sentence: Sentence, verb: int) -> bool:
    start = sentence.clause_start(verb)
    if DOUBTS & set(sentence.words[start:verb]):
        return True
    return any(modal in MODALS for modal in sentence.words[max(start, verb - 3) : verb])
