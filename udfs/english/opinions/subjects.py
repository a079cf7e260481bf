"""Which nouns an adjective or a verb of opinion speaks of.

Every function answers with nouns, each a head and its modifier; an empty list means that the
sentence is not built this way.
"""

from __future__ import annotations

from udfs.english.inflection import singular
from udfs.english.negation import is_negation
from udfs.english.noun_phrases import Noun, head_noun
from udfs.english.opinions.signs import MODALS
from udfs.english.opinions.words import Opinion, opinion_of, opinion_words
from udfs.english.parse import Sentence
from udfs.english.sentences import CLAUSE_MARKS
from udfs.english.word_lists import word_set

LINKING_VERBS = word_set(
    "is was are were be been being am 's seems seemed felt feels looks looked tasted tastes "
    "smelled smells stayed stays sounded remains remained arrived came comes "
    "isn't wasn't aren't weren't"
)
DETERMINERS = word_set("the a an this that these those my our their his her its your all")
_DESCRIBES = ("adjective", "participle")
_PREPOSITIONS = word_set(
    "of in on at by for from with near around inside to behind along under over outside"
)
_PRONOUNS = word_set("i we you he she they")
_AUXILIARIES = MODALS | {"have", "has", "had"}
_BEFORE_PREDICATE = word_set(", and as both the a so most all")
_EMPHASIS = word_set("so very really super too")
_AFTER_REMARK = word_set("inside here for whenever when every on at after during most with")

PLACE: Noun = ("place", "")
STAFF: Noun = ("staff", "")
PRICE: Noun = ("price", "")


# -- behind the adjective --------------------------------------------------------------------------


def noun_after(sentence: Sentence, index: int, through_comma: bool) -> int | None:
    """Where the run of nouns that the adjective describes begins, if there is one."""
    position = index + 1
    while position < len(sentence.words) and position - index <= 8:
        word = sentence.words[position]
        kind = sentence.kind(position)
        if kind in _DESCRIBES or (kind == "adverb" and word not in LINKING_VERBS):
            position += 1
        elif word in (",", "and") and (through_comma or word == "and"):
            if sentence.kind(position + 1) not in (*_DESCRIBES, "adverb"):
                return None
            coming = opinion_of(sentence.words[position + 1])
            if word == "," and coming is not None and not coming.kept:
                return None  # "clean, great location" are two remarks
            position += 1
        else:
            return position if kind == "noun" else None
    return None


def nouns_from(sentence: Sentence, start: int) -> list[Noun]:
    """The nouns named from `start` on: "cup of coffee", "tea and cake"."""
    end = sentence.nouns_end(start)
    last = singular(sentence.words[end - 1])
    lists = opinion_words()
    if sentence.word(end) == "of" and last in lists.containers | lists.collections:
        return _nouns_inside(sentence, end + 1, is_collection=last in lists.collections)
    nouns = [head_noun(sentence, start, end)]
    if sentence.word(end) == "and":
        second = end + 1 + (sentence.word(end + 1) in DETERMINERS)
        second_end = sentence.nouns_end(second)
        if sentence.kind(second_end) not in ("verb", *_DESCRIBES, "adverb"):
            nouns.append(head_noun(sentence, second, second_end))
    return [noun for noun in nouns if noun[0]]


def _nouns_inside(sentence: Sentence, start: int, is_collection: bool) -> list[Noun]:
    """The noun behind "a cup of", or the selection behind "a selection of"."""
    while sentence.kind(start) in _DESCRIBES or sentence.word(start) in DETERMINERS:
        start += 1
    if sentence.kind(start) != "noun":
        return []
    head, modifier = head_noun(sentence, start, sentence.nouns_end(start))
    if not head:
        return []
    return [("selection", head)] if is_collection else [(head, modifier)]


def exclaimed(sentence: Sentence, index: int) -> list[Noun]:
    """ "How clean the place is": the nouns between the adjective and the verb."""
    position = index + 1
    while sentence.word(position) in DETERMINERS:
        position += 1
    if (
        sentence.word(position) in ("it", "everything")
        and sentence.word(position + 1) in LINKING_VERBS
    ):
        opinion = opinion_of(sentence.words[index])
        return [PLACE] if opinion and opinion.kept in opinion_words().bare_place else []
    end = sentence.nouns_end(position)
    return [head_noun(sentence, position, end)] if sentence.word(end) in LINKING_VERBS else []


def is_exclamation(sentence: Sentence, index: int) -> bool:
    """Whether the adjective stands in "how clean the place is"."""
    position = index - 1
    while sentence.kind(position) == "adverb":
        position -= 1
    return sentence.word(position) == "how" and not sentence.negated[index]


# -- in front of a linking verb --------------------------------------------------------------------


def linking_verb(sentence: Sentence, index: int) -> int | None:
    """The verb whose complement the adjective is: "was (so) (clean and) friendly"."""
    position = index - 1
    while position >= 0 and index - position <= 9:
        word = sentence.words[position]
        if word in LINKING_VERBS:
            return position
        is_skipped = sentence.kind(position) in (*_DESCRIBES, "adverb") or is_negation(word)
        if not is_skipped and word not in _BEFORE_PREDICATE:
            return None
        opens_noun = word in ("a", "the") and position != index - 1
        if opens_noun and sentence.word(position + 1) != "most":
            return None
        position -= 1
    return None


def subjects_before(sentence: Sentence, verb: int) -> list[Noun]:
    """The nouns that the linking verb speaks of."""
    end = _subject_end(sentence, verb)
    subjects: list[Noun] = []
    while end > 0 and len(subjects) < 3:
        start = sentence.nouns_start(end)
        if start == end:
            break
        before = _before_description(sentence, start)
        if sentence.word(before - 1) in _PREPOSITIONS and before > 1:
            if sentence.kind(before - 2) == "noun":
                subjects += _subject_of_phrase(sentence, before - 1, start, end)
            break
        subjects.append(head_noun(sentence, start, end))
        if sentence.word(before - 1) not in ("and", ","):
            break
        end = before - 1
        while sentence.word(end - 1) in (",", "and"):
            end -= 1
        if sentence.kind(end - 1) != "noun":
            break
    return [noun for noun in subjects if noun[0]]


def _before_description(sentence: Sentence, start: int) -> int:
    """Where the articles, numbers and adjectives in front of a run of nouns begin."""
    while start > 0 and (
        sentence.words[start - 1] in DETERMINERS
        or sentence.kind(start - 1) in (*_DESCRIBES, "number")
    ):
        start -= 1
    return start


def _subject_of_phrase(sentence: Sentence, preposition: int, start: int, end: int) -> list[Noun]:
    """The subject of "the selection of beers", "a cup of coffee", "the staff at the desk"."""
    lists = opinion_words()
    outer = singular(sentence.words[preposition - 1])
    is_of = sentence.word(preposition) == "of"
    inner = head_noun(sentence, start, end)
    if is_of and outer in lists.collections:
        return [("selection", inner[0])] if inner[0] else []
    if is_of and outer in lists.containers:
        return [inner]
    return [head_noun(sentence, sentence.nouns_start(preposition), preposition)]


def _subject_end(sentence: Sentence, verb: int) -> int:
    """The end of the run of nouns before a verb, past adverbs, "(that) we had" and "who"."""
    words, end = sentence.words, verb
    while end > 0 and (
        sentence.kind(end - 1) == "adverb"
        or words[end - 1] in _AUXILIARIES
        or words[end - 1] in ("all", "both", "themselves", "itself")
        or is_negation(words[end - 1])
    ):
        end -= 1
    if end > 2 and sentence.kind(end - 1) in ("verb", "participle"):
        inner = end - 2 if words[end - 2] in _PRONOUNS else end - 3
        if inner > 0 and words[inner] in _PRONOUNS:
            end = inner - 1 if words[inner - 1] in ("that", "which") else inner
        elif words[end - 1] == "working":
            end -= 1  # "everyone working here"
    for position in range(end - 1, max(0, end - 5), -1):
        if words[position] in ("who", "that") and end - position > 1:
            person = singular(words[position - 1])  # "the person who helped us"
            return position if person in opinion_words().persons else end
    return end


def pronoun_before(sentence: Sentence, verb: int, index: int) -> list[Noun]:
    """ "It was so clean", "they were helpful": the place or its staff."""
    opinion = opinion_of(sentence.words[index])
    end = _subject_end(sentence, verb)
    if opinion is None or end == 0:
        return []
    subject = sentence.words[end - 1]
    if sentence.words[verb - 1] in ("inside", "interior"):
        subject = "it"
    lists = opinion_words()
    if subject in ("it", "this", "everything", "here") and opinion.kept in lists.bare_place:
        return [PLACE]
    is_staff = subject in lists.persons and opinion.kept in lists.bare_staff
    return [STAFF] if is_staff else []


# -- without a verb --------------------------------------------------------------------------------


def verbless_subject(sentence: Sentence, index: int) -> list[Noun]:
    """ "Location great, beds comfy": nouns that open the clause, then the adjective."""
    end = index
    while end > 0 and sentence.kind(end - 1) in ("adverb", "adjective"):
        end -= 1
    while end > 1 and sentence.words[end - 1] == "and" and sentence.kind(end - 2) == "adjective":
        end -= 2
    closes = sentence.closes_clause(index)
    if end < index and sentence.word(end - 1) == "," and sentence.words[end] in _EMPHASIS:
        start = sentence.nouns_start(end - 1)  # "order the fries, so crispy"
        return [head_noun(sentence, start, end - 1)] if closes else []
    start = sentence.nouns_start(end)
    opens = start == sentence.clause_start(index) or sentence.word(start - 1) in (",", "and")
    return [head_noun(sentence, start, end)] if start < end and opens and closes else []


def unnamed(sentence: Sentence, index: int) -> list[Noun]:
    """ "Very friendly and helpful!", "Spotless inside": a remark without a noun."""
    opinion = opinion_of(sentence.words[index])
    start = index
    while start > 0 and (
        sentence.kind(start - 1) in ("adjective", "adverb")
        or sentence.words[start - 1] in ("and", "not")
    ):
        start -= 1
    opens = start == 0 or sentence.words[start - 1] in CLAUSE_MARKS | {","}
    if opinion is None or not opens or not sentence.closes_clause(index, _AFTER_REMARK):
        return []
    return _usual_noun(opinion)


def _usual_noun(opinion: Opinion) -> list[Noun]:
    """The noun that goes without saying: of "friendly" the staff, of "clean" the place."""
    lists = opinion_words()
    usual = ((lists.bare_staff, STAFF), (lists.bare_price, PRICE), (lists.bare_place, PLACE))
    return next(([noun] for words, noun in usual if opinion.kept in words), [])
